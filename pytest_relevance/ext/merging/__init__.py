"""The command `merge`, which joins the records of the shards of one run.

| module | what it holds |
|---|---|
| `command` | the command |
| `merge` | `merge_runs`: the joined run, what is missing, why records are refused |
| `joining` | the joined data of case files and of runs |
| `report` | the report, as text and as data |
"""
