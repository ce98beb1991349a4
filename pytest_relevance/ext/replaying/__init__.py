"""Judge the rankings of a record under the case files of today, without a search.

The command `pytest-relevance replay RUN` runs pytest with the option
`--relevance-replay=RUN`.

| module | what it holds |
|---|---|
| `command` | the command |
| `plugin` | the option; which records and which options are refused |
| `hooks` | the hooks of a replay |
| `findings` | which results were not looked at, and which verdicts changed |
| `recorded_run` | the record, and which of its results belongs to a case of today |
| `recorded_search` | what a search would return now, made of its recorded result |
"""
