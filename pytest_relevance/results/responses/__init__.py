"""Read the responses of searches as rankings.

| module | what it holds |
|---|---|
| `read_ranking` | the entry: what a search returned becomes a `Ranking` |
| `ranking` | what a `Ranking` is, and how the chunks of a document are collapsed |
| `options` | what is read of a response |
| `response` | finds the results in any response: by a shape, or in tuples, objects and iterables |
| `shapes` | what a shape is, and the registry of the shapes, which are in `ext/shapes` |
| `result_list` | a list of results becomes a `Ranking` |
| `rows` | bare rows such as `(id, score)` |
| `labels` | labels of vector indexes become documents |
| `ids` | the ids of results |
| `ambiguous_ids` | results that may be either of two documents, or texts in the place of ids |
| `scores` | the scores of results, and the values that they were sorted by |
| `texts` | the texts of results, for cases with passages |
| `fields` | the fields of documents |
| `response_values` | what a response has at the paths of the expectation `response` |
| `engines` | what search servers answer: where hits and totals are, and signs of a partial answer |
| `incomplete` | responses that failed, or that say that there is more than they hold |
| `advice` | what to return instead of a response that cannot be read |
| `lists` | the lists in such a response, and which may be the results |
| `iterators` | iterators are read as far as a case looks |
| `errors` | the errors of reading |
| `values` | what a single value or object may be: an id, a score, a list, a mock |

Nobody declares what a search returns, so it is guessed. These are the guesses, in their
order. The first one that fits decides.

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

`read_ranking` makes the first two, and `response.results_of` the others. Then
`result_list` takes each result for a bare row, a label or a document. A document is
read by the first shape that knows such results (`shapes.ResultReader`). In a case with
passages a string is a text, and not an id.
"""
