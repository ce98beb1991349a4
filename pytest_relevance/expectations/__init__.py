"""The kinds of expectations: `first`, `results`, `every` ..., a class for each.

List a new one in `EXPECTATIONS` of `bundled.py`.
"""
