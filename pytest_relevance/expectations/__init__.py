"""The kinds of expectations: `first`, `results`, `every` ..., a class for each."""
