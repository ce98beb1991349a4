"""Rankings: read from what a search returned or from a file, cut, and compared with each other."""
