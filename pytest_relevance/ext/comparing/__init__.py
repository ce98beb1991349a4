"""The command `compare` and the function `compare_runs`: two runs over the same cases.

| module | what it holds |
|---|---|
| `command` | the command |
| `compare` | `compare_runs` |
| `runs` | both runs, read and judged alike |
| `judged_queries`, `rejudging` | the judgments by which both runs are judged again |
| `pairing` | the pairs of results that belong together |
| `pair_scores` | the scores of the pairs by the metrics of the comparison |
"""
