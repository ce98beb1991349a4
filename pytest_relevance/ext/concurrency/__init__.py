"""Search several cases at once, in threads, as tasks or in batches.

The option is `--relevance-concurrency`; a batch calls the attribute `many` of a search.

| module | what it holds |
|---|---|
| `plugin` | the option and the ini keys |
| `hooks` | the hooks of a run that has cases |
| `grouping` | which cases are searched together, and why a case is searched alone |
| `planning` | which calls a window has: for single cases or for batches |
| `searches` | has the calls of a window made, and gives each case its outcome |
| `window` | how the calls of a window are made, N at a time, in threads or as tasks |
| `calls` | one call of a search ahead of its turn, for a case or a batch, and its states |
| `threads` | the threads that run searches |
| `errors` | what happens when one of several searches raises |
"""
