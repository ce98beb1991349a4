"""The report of one case: why it failed, its ranking, which documents are to blame, what changed since the baseline."""
