"""Unjudged results, grades from a judge, and where raters differ.

| module | what it holds |
|---|---|
| `plugin` | the options and files, and the hook that writes the worklist |
| `worklist`, `worklist_file` | the unjudged results of a run; their file |
| `hooks` | when the fixture `relevance_judge` is asked in a run, and about what |
| `asking`, `progress` | all questions to a judge, and what went wrong; the line of progress |
| `judge`, `answer_text` | the calls of a judge; the grade in a text that it answers |
| `judge_file` | the file to which a judge adds its grades |
| `calibration` | the grades of a judge beside those of people |
| `raters`, `raters_report`, `command` | where raters differ, its report, and the command `raters` |
"""
