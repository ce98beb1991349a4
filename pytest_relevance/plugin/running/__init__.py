"""Running cases: the call of the search, the reading of its response, the score, and
the exception of a failed case.

| module | what it holds |
|---|---|
| `run_case` | the run of one case, from its search to its result |
| `case_run` | `CaseRun`: the data of a case from collection to its last report |
| `calling`, `awaiting` | the call of a search, and the event loop in which its response is awaited |
| `alone`, `searched` | the calls of the search of one case, and what they returned |
| `scoring`, `ending` | the result of a ranking; the exception that a scored case ends in |
| `completing` | fields and other rankings that expectations look at |
| `judge` | the calls of a project's judge |
| `fixture` | the fixture `relevance`, for tests in Python |
"""
