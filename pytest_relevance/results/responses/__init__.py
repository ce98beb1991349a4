"""Responses of searches, read as rankings.

| module | what it holds |
|---|---|
| `ranking` | the entry: what a search returned becomes a `Ranking` |
| `ids` | which document a result is: the fields of its id, and ids that may be of two documents |
| `labels` | row numbers of vector indexes, which the attribute `ids` of a search turns into ids |
| `search_libraries` | results of Python libraries (faiss, Qdrant, LangChain, tantivy ...) |
| `shapes` | where any response but a plain list keeps its results: library types, shapes, bodies of search servers |
| `hits` | where the body of a search server keeps its hits |
| `pagers` | pagers of Azure AI Search, which have the results on pages |
| `iterators` | iterators, read as far as a case looks, and closed |
| `incomplete` | responses that say that there is more than they hold |
| `finder` | the results in a response that cannot be read, and what to return instead |
| `reading` | what these readers share: the names of ids, bare rows, errors |
| `attributes` | which attributes an object has, and which objects answer to every name |
| `scores` | which of several scores is the score |
| `fields` | the fields of documents that expectations look at |
"""
