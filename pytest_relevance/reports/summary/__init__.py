"""The summary of a run: suites, tags, variants, the lowest queries, the baseline, gates, the verdict; and of a merge."""
