"""The commands of `pytest-relevance`, one module for each, and their helper modules."""
