"""Reports made from results: the report of a case, the summary of a run, comparisons.
Does not import pytest.

| module | what it holds |
|---|---|
| `formats` | what a format of reports is, and the registry of formats |
| `failure`, `ranking`, `reasons` | a case: its report, its ranking, why it failed |
| `run/` | a whole run: its parts, and its reports as text, Markdown and data |
| `html/` | what HTML pages share |
| `comparison_report`, `comparison_data` | two runs |
| `blocks`, `table`, `sections` | what they are made of: sentences, tables, sections |
| `terminal_text` | harmless text of a known width |
"""
