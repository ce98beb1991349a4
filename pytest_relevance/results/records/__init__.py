"""The record of a run as a file, and the run that is read from one or several of them.

| module | what it holds |
|---|---|
| `file` | records and baselines on disk: one reader and one writer of their lines |
| `run`, `run_info` | `Run` and its tables; `FileInfo`, `RunInfo`, and the fingerprint of what was searched |
| `baseline`, `baseline_comparison` | accepted rankings and their updates; a case beside its accepted ranking |
| `accepted_outcomes` | what an accepted ranking makes of the floor and the expectations of today |
| `moved_cases` | cases that stand under another id, in another file or in another variant now |
| `missed_before`, `two_outcomes` | whether an accepted ranking missed a demand at least as badly |
| `against` | the record of another run in the place of a baseline |
"""
