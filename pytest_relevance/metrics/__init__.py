"""Relevance measures (nDCG and others), similarities between rankings, and significance
tests between runs.

| module | what it holds |
|---|---|
| `measures` | every measure (ERR, AP, RR, RBP ...), for one ranking, with its formula and source |
| `ndcg` | the grades of a ranking, DCG, the ideal ranking, nDCG and its interval |
| `batch` | the same measures for many queries at once, with numpy; `compiled` and `hits` prepare their arrays |
| `names` | how metrics are written: cutoffs, parameters, aliases |
| `settings` | gain, discount, ideal, and what unjudged and negative mean |
| `similarity` | Jaccard, overlap, RBO, Kendall's tau |
| `statistics` | of two runs: randomisation test, effect size, bootstrap, Holm; of raters: Krippendorff, Cohen |

Uses no YAML, no pytest, no files and no pandas. Only `batch`, `compiled` and `hits`
import numpy at once, so that a suite which scores one query at a time never pays for
it. Importing this package imports none of them.
"""
