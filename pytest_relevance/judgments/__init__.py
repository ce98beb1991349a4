"""Read and write graded judgments in every format of the field, and combine ratings.

A file becomes a `Source`. `recognition` finds its format, which reads the source into
`Ratings`. `grading` makes `Judgments` from them. The formats are in `ext/formats`.

| module | what it holds |
|---|---|
| `reading` | `read_judgments`, `read_queries`, `read_run` |
| `recognition` | which format a file has |
| `writing` | which format a file gets that is written |
| `formats` | what a format is, and the registries of formats |
| `folders` | the files in a folder of BEIR or MTEB |
| **judgments and grades** | |
| `model` | `Query`, `Ratings` and `Judgments` |
| `grading` | ratings become grades |
| `scale` | the scale of grades; how several ratings become one grade |
| `grade_text` | what is wrong with a text that is meant as a number |
| `joining` | judgments get the ids and texts of a file of queries |
| **columns of tables, keys of objects** | |
| `columns` | the usual names of columns |
| `judgment_layout` | the columns of a table of judgments |
| `document_ids` | the columns with the ids of documents |
| `id_lists` | cells with several ids: `m-12;faq-3` |
| `list_cells` | cells that are lists: `["a", "b"]` |
| `row_rules` | what a user says of the rows of a file of queries |
| **exports of search tools** | |
| `exports` | what stands around the queries of an export |
| `export_objects` | rows inside other JSON objects |
| `export_totals` | rows with totals |
| `placeholders` | rows that stand for no query: `(not set)` |
"""
