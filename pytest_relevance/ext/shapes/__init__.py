"""What clients and libraries of search return: a module for each family.

Each module has `ResponseShape`s. List a new one in `SHAPES` of `bundled.py`, whose
order decides if two fit a response. No library is imported: types are recognised by
their names. The JSON of a server needs no shape, but an `Engine` in
`results/responses/engines.py`.

| module | what it reads |
|---|---|
| `bodies` | responses as JSON, and objects of clients and of DSLs that hold one |
| `clients` | objects of clients of Algolia, Azure, Discovery Engine, Pinecone and Redis |
| `fulltext` | results of full-text libraries: bm25s, tantivy, xapian |
| `tables` | data frames, tables and rows of a database |
| `vector_arrays` | arrays of vector indexes: faiss, hnswlib; matches of usearch |
| `vector_databases` | Qdrant, Chroma, LangChain, LlamaIndex |
"""
