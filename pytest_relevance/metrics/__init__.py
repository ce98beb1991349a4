"""Compute relevance measures, similarities of rankings, and significance tests.

| module | what it has |
|---|---|
| `measures` | the table of measures; the score of one ranking by any of them |
| `formulas` | every measure of one ranking (ERR, AP, RR, RBP ...), with its formula and source |
| `ndcg` | the grades of a ranking, DCG, the ideal ranking, nDCG |
| `interval` | the lowest and the highest nDCG that unjudged results allow |
| `ties` | the lowest and the highest nDCG that results with equal scores allow |
| `matrix` | the common measures for many queries at once, with numpy |
| `checked` | judgments and rankings of many queries, checked for `matrix` |
| `metric`, `names` | a metric, and how metrics are written: cutoffs, parameters, aliases |
| `settings` | gain, discount, ideal ranking, and how unjudged and negative results count |
| `similarity` | Jaccard, overlap, RBO, Kendall's tau |
| `significance` | how sure a difference between two runs is: randomisation test, bootstrap, Holm |
| `agreement` | how far raters agree: Krippendorff, Cohen |

Nothing here uses YAML, pytest, files or pandas. Only `matrix` and `checked` import
numpy when they are imported. So a suite that scores one query at a time does not need
it.
"""
