"""The accepted ranking of each case, and how the ranking of a run differs from it."""
