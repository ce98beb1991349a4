"""Unjudged results, grades from a judge, and where raters differ.

| module | what it holds |
|---|---|
| `plugin` | the options and files, and the hook that writes the worklist |
| `worklist` | the unjudged results of a run, and their file |
| `hooks` | asks the fixture `relevance_judge` in a run |
| `judge`, `answer_text` | the calls of a judge; the grade in a text that it answers |
| `judge_file`, `progress` | the file with its grades, and its progress |
| `calibration` | the grades of a judge beside those of people |
| `raters`, `raters_report`, `command` | where raters differ, its report, and the command `raters` |
"""
