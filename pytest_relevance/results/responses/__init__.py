"""Responses of searches, read as rankings.

| module | what it holds |
|---|---|
| `ranking` | the entry: what a search returned becomes a `Ranking` |
| `general` | where any response keeps its results: a shape, or what any program may return |
| `shapes` | the registry of what clients and libraries return; `ext/shapes` has the shapes |
| `iterators` | iterators, read as far as a case looks, and closed |
| `reading` | what these readers share: names of ids, fields of documents, errors |
| `rows` | bare rows, `(id, score)` and the like |
| `ids` | which document a result is: the fields of its id |
| `two_documents` | results that may be either of two documents |
| `labels` | row numbers of vector indexes, which the attribute `ids` of a search turns into ids |
| `scores` | which of several scores is the score |
| `fields` | the fields of documents that expectations look at |
| `incomplete` | responses that failed, or that say that there is more than they hold |
| `signs` | how a response says that it is not whole |
| `totals` | totals, groups and suggestions without a result |
| `finder` | what to return instead of a response that cannot be read |
| `lists` | the lists in such a response, and what their items look like |
| `columns` | columns side by side in such a response |
| `places` | the mappings, objects and lists in such a response |
| `paths` | fields of a response by their paths |
| `attributes` | which attributes an object has, and which objects answer to every name |
| `values` | what a single value may be: an id, a score, a list |
"""
