"""Explanations of ranks in failing cases, by the hook `pytest_relevance_explain` of a
project.
"""
