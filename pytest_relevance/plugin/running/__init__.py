"""Running cases: the call of the search, the reading of its response, the score, and the exception of a failed case.

| module | what it holds |
|---|---|
| `run_case` | the run of one case, from its search to its result |
| `case_run` | `CaseRun`: the data of a case while it runs, the call of a single search, and its event loop |
| `windows` | which cases are searched at once (a window); what happens when one of several searches raises |
| `searches` | N calls of a window at a time, by threads or tasks, and the outcome that each case takes at its turn |
| `documents` | the lookup of titles and fields in the index |
| `judge` | the calls of a project's judge |
| `fixture` | the fixture `relevance`, for tests in Python |
"""
