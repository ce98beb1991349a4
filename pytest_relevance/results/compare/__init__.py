"""Compare two runs over the same cases, for gates, reports and histories.

| module | what it holds |
|---|---|
| `incompatibilities` | why results cannot be compared |
| `comparison` | `Comparison`: the pairs of results, their figures, gates and reports |
| `references` | the first run as the reference of the second, for words such as `got worse` |
| `differences` | means, test and interval of paired scores, for baselines and gates too |
| `variants` | the variants of one run beside each other |

`compare_runs`, which reads and pairs two runs, is in `ext/comparing/`.
"""
