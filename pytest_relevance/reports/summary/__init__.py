"""The summary of a run: suites, tags, variants, the lowest queries, the baseline, gates, the verdict; also of a merge."""
