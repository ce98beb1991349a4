"""Readers of what search libraries return, one module for each shape; none of these libraries is imported."""
