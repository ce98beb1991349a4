"""The comparison of two runs over the same cases.

| module | what it holds |
|---|---|
| `runs` | both runs, read and judged alike |
| `judged_queries`, `rejudging` | the judgments by which both runs are judged again |
| `pairing` | the pairs of results that belong together |
| `incompatibilities` | what keeps results from being compared |
| `pair_scores` | the scores of the pairs by the metrics of the comparison |
| `comparison` | `Comparison`: the figures of the pairs, and gates about them |
| `differences` | means, test and interval of paired scores, for baselines and gates too |
"""
