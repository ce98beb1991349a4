"""The record of a run as a file, and the run that is read from one or several of them.

| module | what it holds |
|---|---|
| `json_lines`, `record_file`, `checking` | the form of records and baselines on disk; records; what is damaged |
| `run`, `run_info` | `Run` and its tables; `FileInfo` and `RunInfo` |
| `fingerprint` | what was searched |
| `entries` | what a reference has: an entry for each case and variant, with its accepted ranking |
| `baseline_file`, `baseline_paths`, `baseline_update` | the committed file of entries; what an update makes of it |
| `recorded_rankings` | the entries of the record of another run |
| `entry_comparison` | a result beside its entry |
| `case_today` | what a case is now; what changed since its ranking was accepted |
| `accepted_outcomes` | what an accepted ranking makes of the demands of today |
| `baseline` | the results of a run beside their reference, and the verdicts that follow |
| `recorded_comparison` | a recorded run beside a reference, without a search |
| `moved_cases` | cases that stand under another id, in another file or in another variant now |
| `uncompared`, `reference` | cases that only the run or only its reference has a score of; what cannot be a reference |
"""
