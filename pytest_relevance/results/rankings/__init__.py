"""Rankings: read from a file, and compared with each other."""
