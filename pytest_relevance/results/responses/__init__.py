"""Read the responses of searches as rankings.

| module | what it holds |
|---|---|
| `ranking` | the entry: what a search returned becomes a `Ranking` |
| `response` | finds the results in any response: by a shape, or in tuples, objects and iterables |
| `shapes` | what a shape is, and the registry of the shapes, which are in `ext/shapes` |
| `rows` | results that are not documents: bare rows such as `(id, score)`, and labels of vector indexes |
| `ids` | which document a result is, and results that may be either of two |
| `texts` | the texts of results, for cases with passages |
| `fields` | the fields of documents |
| `response_values` | what a response has at the paths of the expectation `response` |
| `engines` | what search servers answer: where hits and totals are, and signs of a partial answer |
| `incomplete` | responses that failed, or that say that there is more than they hold |
| `advice` | what to return instead of a response that cannot be read |
| `lists` | the lists in such a response, and which may be the results |
| `reading` | the options and errors of reading, and iterators |
| `values` | what a single value or object may be: an id, a score, a list, a mock |

Nobody declares what a search returns, so it is guessed. These are the guesses in their
order, with their names. The first one that fits decides.

1. *ranking*: a `Ranking` is taken as it is.
2. *list*: the items of a list are the results.
3. *mock*: a mock is refused, and an object that makes up its class.
4. *shape*: the first shape that fits reads the results: those of `bundled.SHAPES` in
   their order, then those of other packages. A shape may leave the response to the next.
5. *mapping*: a mapping without a shape is refused.
6. *no order*: None, a text and a set are refused.
7. *tuple*: the items of a tuple without names of fields are the results. It is refused
   if it could be one row, columns side by side, or a list with something beside it.
8. *one result*: a row of a database and a single result of a library are refused.
9. *holder*: the items of an attribute `hits` or `docs` are the results, if it is a list.
10. *named tuple*: any other tuple is refused.
11. *HTTP*: an object with a status and headers is refused.
12. *keyed*: an object with keys is taken as a mapping, which is guessed anew.
13. *iterable*: the items of an iterable are the results. It is refused if they are the
    names of its own fields.
14. *numbered*: the items that an object has by number alone are the results.
15. *anything else* is refused.

`ranking.read_ranking` has the first two, `response.results_of` the others. Each result
is then taken for a bare row, a label (`rows`) or a document. A document is read by the
first shape that knows such results (`shapes.ResultReader`). In a case with passages a string
is a text, and not an id (`texts`).
"""
