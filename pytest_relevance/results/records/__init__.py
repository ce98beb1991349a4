"""Read and write the record of a run, and compare a run with its reference.

The reference of a run is its committed baseline or the record of another run.

`baseline` compares the result of a case that has just run, `recorded_case` one of a
record. Both call `entry_comparison`, which compares a result with its entry. Then they
call `compared_verdict`, which decides whether the case fails for what was found.

| module | what it does | who calls it |
|---|---|---|
| **the record file** | | |
| `run` | defines `Run`: results, case files, how it was made | every report of a run |
| `run_info` | defines `FileInfo` and `RunInfo`: the data of a run beside its results | every layer above |
| `record_file` | reads and writes a record: a line for each result | `run`, `--relevance-record`, `merge`, `history` |
| `json_lines` | reads and writes JSON lines, the form of records and baselines | `record_file`, `baseline_file` |
| `checking` | checks that the values of a result make sense | `record_file`, `baseline_file` |
| `fingerprint` | compares what was searched, then and now | reports, `compare`, `history`, `merge` |
| **the baseline file** | | |
| `baseline_file` | reads and writes a baseline: a line for each entry | the collector of a case file, `baseline_update` |
| `baseline_paths` | finds the baseline of a case file on disk | the same, `check`, `report` |
| `baseline_update` | decides which rankings are accepted, and says how the file changes | `--relevance-update` |
| **the reference: a baseline or a record** | | |
| `entries` | defines `BaselineEntry`: what a reference has of one case and variant | all modules below |
| `recorded_rankings` | makes the entries of a record | `--relevance-against`, `report --against` |
| `reference` | says whether a record or a baseline can be a reference | readers of references, `check` |
| `moved_cases` | finds cases with another id, file or variant than in the reference | collection, `recorded_comparison` |
| `uncompared` | finds cases that only the run or only its reference has a score of | gates, reports, `merge` |
| **comparing a result with its entry** | | |
| `baseline` | compares the cases of a file while they run, which may change their verdicts | `plugin/running/` |
| `recorded_comparison` | compares a recorded run with a reference, without a search | `report --against` |
| `recorded_case` | compares one recorded result, as its run would have done | `recorded_comparison`, `compare` |
| `entry_comparison` | scores the accepted ranking again, and compares a result with it | `baseline`, `recorded_case` |
| `case_today` | collects what `entry_comparison` needs to know of the present case | `baseline`, `recorded_case` |
| `entry_passages` | says which passages an accepted ranking held | `case_today`, `accepted_outcomes` |
| `accepted_outcomes` | judges the accepted ranking by the present demands; finds old failures | `entry_comparison` |
| `compared_verdict` | decides the verdict if the score dropped, or if the entry is stale | `baseline`, `recorded_case` |
| **what the test demands** | | |
| `demands` | defines the demands of a case and of a file, and how records keep them | `note_demands`, readers and writers |
| `recorded_demands` | reads the demands of the cases of a recorded run | `case_today`, `recorded_case`, `history` |
| `marks` | reads the marks by which pytest may not fail a case: `skip` and `xfail` | `note_demands`, `case_reports` |
| `added_xfails` | counts an `xfail` that is added while a case runs | `note_demands`, `merge` |
| `demand_changes` | finds what is stricter or looser than before | `note_demands`, `recorded_comparison`, `compare` |
| `two_expectations` | defines an expectation beside the one of the reference | `demand_changes`, expectations |
"""
