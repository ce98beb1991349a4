"""The formats that judgments and queries come in: one table, a module a family.

A new format is a module that turns a `Source` into `Ratings` (and queries), and a row of `FORMATS`; what it can be
written as is a row of `judgments.writing`.
"""
