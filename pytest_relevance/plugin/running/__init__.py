"""Running cases: from the call of the search to the exception of a failed case.

| module | what it holds |
|---|---|
| `run_case` | the run of one case, step by step |
| `case_run` | `CaseRun`: the data of a case from collection to its last report |
| `searching` | all calls of the search for a case, and their outcome: `Searched` |
| `calling` | one call of a search, and the reading of its response |
| `batch_responses` | the responses in what `search.many` returned |
| `awaiting` | what must be awaited, and in which event loop |
| `completing` | fields, and rankings of other queries, that expectations look at |
| `search_again` | one more call of the search, for another query or for more results |
| `deeper` | the second search for passages that a failed case is missing |
| `score_in_run` | the result of a ranking, and how the case ends |
| `fixture` | the fixture `relevance`, for tests in Python |
"""
