"""Responses of searches, read as rankings.

| module | what it holds |
|---|---|
| `ranking` | the entry: what a search returned becomes a `Ranking` |
| `bodies` | response bodies of search servers (Elasticsearch, Solr, Vespa ...), and signs that one is incomplete |
| `libraries` | results of Python libraries (faiss, Qdrant, LangChain, tantivy ...) |
| `families` | where any response but a plain list keeps its results: tables of library types and of shapes |
| `reading` | what these readers share: the names of ids, bare rows, errors |
| `fields` | the fields of documents that expectations look at |
"""
