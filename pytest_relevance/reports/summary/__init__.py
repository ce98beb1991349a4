"""The summary of a run or of a merge: suites, tags, variants, the lowest queries, the baseline, gates, the verdict."""
