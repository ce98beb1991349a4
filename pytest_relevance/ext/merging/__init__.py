"""The command `merge`, which joins the records of the shards of one run.

| module | what it holds |
|---|---|
| `command` | the command |
| `merge` | `merge_runs`: what overlaps, what is missing, why records do not belong together |
| `joining` | the data of case files and of runs, joined |
| `report` | the report, as text and as data |
"""
