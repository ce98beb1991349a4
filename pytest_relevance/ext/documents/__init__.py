"""What the documents of results are called, and their fields, from the fixture
`relevance_documents` and catalogues.

| module | what it holds |
|---|---|
| `plugin` | registers the hooks, and has the catalogue asked for fields |
| `index` | the questions to the fixture `relevance_documents`, and when they are asked |
| `answers` | what an answer of the fixture says of documents |
| `catalogue_fields` | the fields that the catalogue of a suite has, for expectations |
| `catalogue_texts` | the titles and fields that catalogues have, for reports |
"""
