"""Running cases: the call of the search, the reading of its response, the score, and the exception of a failed case.

| module | what it holds |
|---|---|
| `run_case` | the run of one case, from its search to its result |
| `case_run` | `CaseRun`: the data of a case while it runs, and the call of a single search |
| `windows` | which cases may be searched together: a window |
| `window_calls` | a call of a window, in a thread or in an event loop, and what it returned or raised for each case |
| `searches` | the calls of a window, N at a time, and the outcome that each case takes at its turn |
| `loops` | the event loops of coroutine searches |
| `documents` | the lookup of titles and fields in the index |
| `fixture` | the fixture `relevance`, for tests in Python |
"""
