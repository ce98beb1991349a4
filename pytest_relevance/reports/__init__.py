"""Reports made from results: the report of a case, the summary of a run, comparisons. Does not import pytest.

| module | what it holds |
|---|---|
| `failure`, `ranking`, `breakdown`, `reasons` | a case: its report, its ranking, its nDCG by rank, why it failed |
| `run/` | a whole run: its parts, and its reports as text, Markdown and data |
| `html/` | what HTML pages share |
| `comparison_report`, `comparison_data` | a comparison of two runs: its report, its values in JSON |
| `blocks`, `text` | what they are made of: sentences, tables, sections; harmless text of a known width |
"""
