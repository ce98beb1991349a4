"""Relevance measures (nDCG and others), similarities between rankings, and significance tests between runs.

Uses no YAML, no pytest, no files and no pandas. `names`, `settings`, `graded`, `scalar` and `similarity` use the
standard library alone, so that a suite which scores one query at a time never pays for numpy; `batch` and
`significance` work on numpy arrays. Importing this package imports none of them.
"""
