"""Searching several cases at once, in threads, as tasks or in batches:
`--relevance-concurrency`, and `many`.

| module | what it holds |
|---|---|
| `plugin` | the option and the ini keys |
| `hooks` | the hooks of a run that has cases |
| `windows` | which cases are searched together (a window), and why a case is searched alone |
| `searches` | the run of a window: N calls at a time, in threads or as tasks |
| `calls` | one call of a search ahead of its turn, for a case or for a batch |
| `threads` | the threads that run searches |
| `errors` | what happens when one of several searches raises |
"""
