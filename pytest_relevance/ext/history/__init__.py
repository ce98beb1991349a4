"""The command `history`: how search did over many recorded runs.

| module | what it holds |
|---|---|
| `command` | the command |
| `history` | records read one after the other |
| `points`, `series` | a variant of the search in one run, and in all runs |
| `report`, `data`, `page` | the report as text and Markdown, as JSON, as an HTML page |
"""
