"""The comparison of two runs over the same cases.

| module | what it holds |
|---|---|
| `runs` | both runs, read and judged alike |
| `pairing` | the pairs of results, and what keeps others from being compared |
| `comparison` | `Compared`: the figures of the pairs, and gates about them |
| `differences` | means, test and interval of paired scores, for baselines and gates too; kinds of failures |
| `rank_changes` | what left, entered or moved in a ranking; whether repeated calls agree |
"""
