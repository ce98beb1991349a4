"""Graded judgments: read and write them in every format of the field, combine ratings,
and check grades.
"""
