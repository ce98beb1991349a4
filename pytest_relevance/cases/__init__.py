"""The case file: `Suite` and `Case`, the keys, and their checks."""
