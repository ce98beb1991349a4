"""Titles and fields of documents, from the fixture `relevance_documents` and catalogues.

| module | what it holds |
|---|---|
| `plugin` | registers the hooks, and calls `catalogues` |
| `index` | the questions to the fixture `relevance_documents`, and when they are asked |
| `answers` | what an answer of the fixture says of documents |
| `catalogues` | what the catalogue of a suite says of documents |
"""
