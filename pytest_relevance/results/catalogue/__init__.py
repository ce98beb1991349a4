"""The catalogue of a suite, which says what documents are called: its file, and the titles of a run."""
