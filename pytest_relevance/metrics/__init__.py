"""Compute relevance measures, similarities of rankings, and significance tests.

| module | what it has |
|---|---|
| `measures` | every measure of one ranking (ERR, AP, RR, RBP ...), with its formula and source |
| `ndcg` | the grades of a ranking, DCG, the ideal ranking, nDCG |
| `interval` | the interval in which unjudged results leave nDCG |
| `matrix` | the common measures for many queries at once, with numpy |
| `checked` | judgments and rankings of many queries, checked for `matrix` |
| `metric`, `names` | a metric, and how metrics are written: cutoffs, parameters, aliases |
| `settings` | gain, discount, ideal, and what unjudged and negative mean |
| `similarity` | Jaccard, overlap, RBO, Kendall's tau |
| `significance` | how sure a difference between two runs is: randomisation test, bootstrap, Holm |
| `agreement` | how far raters agree: Krippendorff, Cohen |

Nothing here uses YAML, pytest, files or pandas. Only `matrix` and `checked` import
numpy at once. So a suite that scores one query at a time never pays for it.
"""
