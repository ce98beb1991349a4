"""Responses of searches, read as rankings.

| module | what it holds |
|---|---|
| `ranking` | the entry: what a search returned becomes a `Ranking` |
| `ids` | which document a result is: the fields of its id, and ids that may be of two documents |
| `labels` | row numbers of vector indexes, which the attribute `ids` of a search turns into ids |
| `search_libraries` | results of Python libraries (faiss, Qdrant, LangChain, tantivy ...) |
| `shapes` | where any response but a plain list keeps its results: library types, shapes, bodies of search servers |
| `reading` | what these readers share: the names of ids, bare rows, errors |
| `fields` | the fields of documents that expectations look at |
"""
