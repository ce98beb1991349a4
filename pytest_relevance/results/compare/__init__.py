"""The comparison of two runs over the same cases, as gates, reports and histories use
it.

| module | what it holds |
|---|---|
| `incompatibilities` | what keeps results from being compared |
| `comparison` | `Comparison`: the figures of the pairs; it judges and shows itself |
| `differences` | means, test and interval of paired scores, for baselines and gates too |

`compare_runs`, which reads, judges and pairs two runs, is in `ext/comparing/`.
"""
