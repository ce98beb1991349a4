"""The commands init, check, convert, report and schema. Each is a module.

| module | what it holds |
|---|---|
| `lint` | the checks of `check` |
| `case_file`, `yaml_text` | how a case file is written |
"""
