"""What a search did: rankings, scores, verdicts, baselines, records, gates, comparisons. Needs no pytest."""
