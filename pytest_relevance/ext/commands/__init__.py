"""The commands init, check, convert, report and schema.

| module | what it holds |
|---|---|
| `init`, `check`, `convert`, `report`, `schema` | the commands of these names |
| `lint` | the checks of `check` |
| `case_file`, `yaml_text` | how a case file is written |
| `case_judgments` | the judgments of a case file |
"""
