"""Titles and fields of documents: the fixture `relevance_documents`, and catalogues.

| module | what it holds |
|---|---|
| `plugin` | registers the hooks, and calls `catalogues` |
| `hooks` | when the fixture `relevance_documents` is asked, and which results get the titles |
| `index` | asks the fixture, and keeps what it answers |
| `answers` | reads what the fixture returns |
| `catalogues` | looks up documents in the catalogue of a suite |
"""
