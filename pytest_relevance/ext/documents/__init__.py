"""Titles and fields of documents: the fixture `relevance_documents`, and catalogues.

| module | what it holds |
|---|---|
| `plugin` | registers the hooks, and calls `catalogues` |
| `index` | asks the fixture `relevance_documents` for documents, and when |
| `answers` | reads what the fixture returns |
| `catalogues` | looks up documents in the catalogue of a suite |
"""
