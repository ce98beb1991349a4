"""Running cases: the call of the search, the score, and the exceptions of failing cases and missing fixtures."""
