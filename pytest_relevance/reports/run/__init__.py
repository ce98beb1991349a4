"""The parts of a report on a whole run. Each part is made once, for all formats.

| module | what it holds |
|---|---|
| `build` | whether the build fails, and why |
| `report`, `summary` | the report of a run as text and as data; the summary at its end |
| `headline`, `suites`, `counts_sentence` | the first sentence; one for each suite; the counts of cases |
| `shown_failures` | which failures are shown in full, in a line, or together |
| `faults`, `errors`, `run_findings` | what many cases have in common; mistakes in files; why the run fails |
| `replayed` | that no search was called |
| `sample_text` | how many queries were drawn from files |
| `known_items` | how many known items are first, and in the first 3 results |
| `remarks`, `stability` | missing documents, filled grades; rankings that change from call to call |
| `gates` | what gates found |
| `run_context` | what ran, what it is compared with, and what was searched |
| `changed_means`, `changed_latencies` | how means and latencies changed; how many queries got worse |
| `emptied` | queries that find nothing now |
| `update_advice` | commands that say what to do next |
| `certainty_text` | how sure it is that queries got worse, in words |
| `case_change` | how the score of a case changed, and which documents explain that |
| `explaining_documents`, `movers` | these documents in words; tables of cases whose score changed |
| `changed_test`, `changed_test_text` | how the demands changed since the reference; the same in words |
| `demand_text` | a demand, and how it changed, in words |
| `moved_text`, `uncompared_text` | cases with another file or id in the reference; cases that only one has |
| `case_groups` | which cases the reports name, and in which order |
| `mean_text`, `mean_tables`, `case_counts`, `case_tables` | means and numbers of cases |
| `variant_tables`, `variant_labels` | the variants of a search beside each other; their names |
"""
