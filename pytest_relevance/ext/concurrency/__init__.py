"""Searching several cases at once, in threads, as tasks or in batches:
`--relevance-concurrency`, and `many`.

| module | what it holds |
|---|---|
| `plugin` | the option and the ini keys |
| `hooks` | the hooks of a run that has cases |
| `windows` | which cases are searched at once (a window), and why a case is searched alone |
| `searches` | N calls of a window at a time, by threads or tasks, and the outcome that each case takes at its turn |
| `calls` | one call of a search, for one case or for a batch |
"""
