"""The case file: the `Suite` and its `Case`s, the table of keys, their checks. Works
without pytest.
"""
