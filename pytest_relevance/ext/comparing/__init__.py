"""The command `compare` and the function `compare_runs`: two runs over the same cases.

| module | what it holds |
|---|---|
| `command` | the command |
| `compare` | `compare_runs` |
| `read_runs` | both runs, as they are read |
| `rejudging`, `judged_queries` | both runs judged again, and the judgments for that |
| `matching` | which results of both runs belong to one case |
| `pairing` | the pairs that can be compared, and why other cases cannot be |
| `pair_scores` | the scores of the pairs by the metrics of the comparison |
| `demands`, `notes` | which demands of the test changed; notes about the runs |
"""
