"""Reports made from results: the report of a case, the summary of a run, comparisons.

The package does not import pytest.

| module | what it holds |
|---|---|
| `formats` | what a format of reports is, and all formats by name |
| `failure` | the report of a case, made of the parts in the next row |
| `case_score`, `ranking_table`, `loss_tables`, `since_baseline`, `mismatched_ids` | the parts of the report of a case |
| `reasons`, `labels` | why a case has its verdict; names of a case, its search and its settings |
| `run/` | a whole run: its parts, and its report as text and data |
| `html/` | what HTML pages share |
| `comparison_report`, `comparison_data` | two runs |
| `blocks`, `table`, `markdown_sections` | what reports are made of: sentences, tables, sections of Markdown |
| `styled_lines`, `terminal_text` | lines for a terminal, and harmless text of a known width |
| `workflow_commands` | lines that GitHub Actions acts on |
"""
