"""Read the responses of searches as rankings.

| module | what it holds |
|---|---|
| `ranking` | the entry: what a search returned becomes a `Ranking` |
| `response` | finds the results in any response: by a shape, or in tuples, objects and iterables |
| `shapes` | what a shape is, and the registry of the shapes, which are in `ext/shapes` |
| `rows` | results that are not documents: bare rows such as `(id, score)`, and labels of vector indexes |
| `ids` | which document a result is, and results that may be either of two |
| `fields` | the fields of documents |
| `engines` | what search servers answer: where hits and totals are, and signs of a partial answer |
| `incomplete` | responses that failed, or that say that there is more than they hold |
| `advice` | what to return instead of a response that cannot be read |
| `lists` | the lists in such a response, and which may be the results |
| `reading` | the options and errors of reading, and iterators |
| `values` | what a single value or object may be: an id, a score, a list, a mock |
"""
