"""Collection: find case files, and make a pytest test function for each case."""
