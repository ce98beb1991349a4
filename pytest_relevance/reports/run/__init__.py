"""What a report says about a whole run, each part made once; its reports as text,
Markdown and data.

| module | what it holds |
|---|---|
| `report` | the summary, the report of a record |
| `markdown` | the report for a pull request, and annotations of GitHub Actions |
| `baseline`, `changes` | the sentence about a run, its means; what moved, by case, tag and variant |
| `cases`, `gates`, `faults` | counts, means and lists of cases; what gates found; what is told once for many cases |
"""
