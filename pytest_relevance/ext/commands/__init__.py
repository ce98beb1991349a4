"""The commands that work on files: init, check, convert, merge, report, schema. Each is
a module.

| module | what it holds |
|---|---|
| `shared` | what several of these commands need; what all commands need is in `cli/command.py` |
| `lint` | the checks of `check` |
| `case_file`, `yaml_text` | a case file that is written |
| `merging`, `merge_findings`, `merged_report` | records that are joined, why that fails, and the report |
"""
