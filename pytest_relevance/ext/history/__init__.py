"""The command `history`: the scores of a search over many recorded runs.

| module | what it holds |
|---|---|
| `command` | the command |
| `history` | reads records one after the other |
| `points`, `series` | a variant of the search in one run, and in all runs |
| `headline` | the first sentence of each report |
| `report`, `data`, `page` | the report as text and Markdown, as JSON, as an HTML page |
| `story`, `story_html` | the ranks of a query's documents in all runs; the charts of them |
"""
