"""How pytest finds case files, and makes a test function of each case."""
