"""The comparison of two runs over the same cases, as gates, reports and histories use it.

`ext/comparing` makes a comparison of two runs.

| module | what it holds |
|---|---|
| `incompatibilities` | what keeps results from being compared |
| `comparison` | `Comparison`: the figures of the pairs, and gates about them |
| `differences` | means, test and interval of paired scores, for baselines and gates too |
"""
