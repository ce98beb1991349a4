"""Reports made from results: the report of a case, the summary of a run, comparisons.

The package does not import pytest.

| module | what it holds |
|---|---|
| `formats` | what a format of reports is, and all formats by name |
| `failure` | the report of a case, made of the parts in the next row |
| `case_score`, `ranking_table`, `loss_tables`, `since_baseline`, `mismatched_ids` | the parts of the report of a case |
| `passage_lines` | the same for passages: which were not found, and where they are |
| `reasons`, `brief_reasons` | why a case has its verdict, in full and in a few words |
| `labels` | names of a case, its search and its settings |
| `run/` | a whole run: its parts, and its report as text and data |
| `html/` | what HTML pages share |
| `comparison_report`, `comparison_data` | two runs |
| `change_data` | what became of the queries, as JSON data |
| `parts` | the parts of a summary, shortened to a number of lines |
| `blocks`, `table`, `markdown_sections` | what reports are made of: sentences, tables, sections of Markdown |
| `cells`, `table_layout` | the columns and cells of a table; a table as aligned lines |
| `markdown_text` | texts of users, harmless in Markdown |
| `styled_lines`, `terminal_text` | lines for a terminal, and harmless text of a known width |
| `workflow_commands` | lines that GitHub Actions acts on |
"""
