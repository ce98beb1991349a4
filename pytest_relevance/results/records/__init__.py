"""Read and write the record of a run, and compare a run with its reference.

The reference of a run is its committed baseline or the record of another run.

| module | what it holds |
|---|---|
| `json_lines`, `record_file`, `checking` | the form of records and baselines on disk; records; what is damaged |
| `run`, `run_info` | `Run` and its tables; `FileInfo` and `RunInfo` |
| `fingerprint` | what was searched |
| `entries` | the entry that a reference has for each case and variant, with the accepted ranking |
| `baseline_file`, `baseline_paths`, `baseline_update` | the committed file of entries; its place; its updates |
| `recorded_rankings` | the entries of the record of another run |
| `entry_comparison` | the comparison of a result with its entry |
| `case_today` | what a comparison needs to know of the present case; what changed since acceptance |
| `accepted_outcomes` | whether an accepted ranking meets the present floor and expectations |
| `baseline` | the comparison of a run with its reference, and the verdicts that follow |
| `recorded_comparison` | the comparison of a recorded run with a reference, without a search |
| `moved_cases` | cases that have another id, file or variant than in the reference |
| `uncompared`, `reference` | cases that only the run or only its reference has a score of; what cannot be a reference |
"""
