"""Results of searches: rankings, scores, verdicts, baselines, records, comparisons.

The package does not import pytest.

| module | what it holds |
|---|---|
| `responses/` | what searches return, read as rankings |
| `case_result`, `case_parts` | `CaseResult`, the result of a case, and its parts |
| `scoring`, `verdict` | the score and the verdict of a case, which make its result |
| `passages` | which passages of a case the texts of its results hold |
| `deeper_search` | where a second search found the passages that a case is missing |
| `near_passages` | results that nearly hold a missing passage |
| `details` | what a report needs of a result beyond its figures |
| `unseen` | rankings that may go on below what was returned |
| `outcomes` | a ranking judged by the expectations of its case |
| `catalogue`, `run_titles`, `document_fields` | titles and fields of documents |
| `records/` | records and baselines, the comparison with a baseline |
| `recorded_passages` | what a recorded ranking tells of the passages of a case |
| `changes` | the change of a case from an earlier ranking: scores, and documents that moved |
| `became`, `change_counts` | whether a query got worse or better, in one word; how many did |
| `certainty`, `settling` | whether unjudged results may explain that a query got worse, and which grades decide it |
| `breakdown` | nDCG@k of a ranking, rank by rank |
| `losses`, `scored_ranking` | what each document costs, and adds |
| `judged_alone` | nDCG over judged results alone |
| `repeats` | whether a search returns the same when it is called again |
| `compare/` | the comparison of two runs, with means and tests of any two sets of scores |
| `near_pairs` | missing documents, and results whose ids are nearly the same |
| `failures` | the kinds of failing cases, in the order in which they are reported |
| `diagnoses`, `diagnosis_kinds`, `alike_errors` | what many cases of a run have in common |
| `filled` | results with and without the grades of a machine |
| `unjudged` | unjudged results, and how far a grade for them may move the score |
| `evaluate` | scores in a notebook |
"""
