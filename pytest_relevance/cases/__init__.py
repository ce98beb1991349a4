"""The case file: the `Suite` and its `Case`s, the table of keys, their checks, and lint. Works without pytest."""
