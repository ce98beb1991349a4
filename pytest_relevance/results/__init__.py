"""Results of searches: rankings, scores, verdicts, baselines, records, gates, comparisons. Does not import pytest."""
