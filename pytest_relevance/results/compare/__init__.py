"""The comparison of two runs over the same cases.

| module | what it holds |
|---|---|
| `runs`, `read_run` | both runs, read and judged alike; the rankings in files of other tools |
| `pairing` | the pairs of results, and what keeps others from being compared |
| `comparison` | `Compared`: the figures of the pairs, and gates about them |
| `differences` | means, test and interval of paired scores, for baselines and gates too; kinds of failures |
| `rank_changes` | what left, entered or moved in a ranking; whether repeated calls agree |
"""
