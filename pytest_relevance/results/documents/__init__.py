"""What documents are called: the catalogue of a suite, the titles of a run, the answers of an index."""
