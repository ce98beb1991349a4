"""Read and write the formats of judgments, queries and runs, a module for each family.

To add one, write a module with a `JudgmentFormat` or a `RunFormat`
(`judgments/formats.py`) and name it in `bundled.py`.

| module | what it holds |
|---|---|
| **formats of judgments** | |
| `tables`, `objects` | CSV and Parquet; JSON and JSON Lines |
| `trec`, `beir`, `ltr` | TREC's qrels and runs; BEIR; learning to rank |
| `elasticsearch`, `opensearch`, `quepid`, `rre` | files of search engines, and of tools for relevance |
| `topics`, `lines` | queries alone: TREC topics; a query on each line |
| `writing` | judgments as CSV, JSON Lines or qrels; rankings as a TREC run |
| **golden sets: queries and what each needs** | |
| `ragas`, `deepeval`, `llama_index` | test sets of these tools |
| `promptfoo`, `promptfoo_tests` | tests of promptfoo: how they are recognised, and how they are read |
| `named_columns` | files whose columns the user names |
| `golden_sets`, `golden_rows` | what these formats share: a golden set becomes ratings; the rows of a file |
| **runs** | |
| `runs`, `records` | runs in tables and in JSON; the record of a run |
| `run_rows` | the rows of a run become rankings |
| **what formats of judgments share** | |
| `judgment_tables` | a table of judgments becomes ratings |
| `table_documents` | the ids of documents in a table |
| `missing_columns` | what is missing in the header of a table |
| `qrels_columns` | four columns that are not qrels |
| `collecting` | a JSON file becomes ratings or queries |
| **what formats of queries share** | |
| `query_tables` | the columns of a table of queries |
| `mapped_columns`, `column_paths` | columns that the user maps; paths into the cells of a column |
| `query_rows` | the rows of a file of queries, and how they contradict each other |
| `query_building`, `query_cells` | rows become queries; what a cell means |
| `query_merging` | the rows of one query become one query |
"""
