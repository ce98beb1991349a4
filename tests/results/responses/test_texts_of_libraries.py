"""The texts of what clients and libraries return, for cases with passages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance.results.responses.errors import UnreadableRanking
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.read_ranking import read_ranking

pytestmark = pytest.mark.engines

RETURNS = "You may return it within 30 days."
REFUNDS = "A refund takes five days."
BOTH = [RETURNS, REFUNDS]
VECTORS = [[1.0, 0.0], [0.0, 1.0]]


def read(response: object, path: str | None = None, **options: Any) -> Ranking:
    return read_ranking(
        response, ReadOptions(reads_texts=True, text_field=path, **options)
    )


def texts(response: object, path: str | None = None) -> list[str]:
    return list(read(response, path).texts)


# --- LangChain ------------------------------------------------------------------------


@pytest.fixture
def langchain() -> Any:
    """A store in memory with two documents. Their ids are generated."""
    documents: Any = pytest.importorskip("langchain_core.documents")
    stores: Any = pytest.importorskip("langchain_core.vectorstores")
    embeddings: Any = pytest.importorskip("langchain_core.embeddings")
    embed = embeddings.DeterministicFakeEmbedding(size=8)
    store = stores.InMemoryVectorStore(embed)
    for text in BOTH:
        document = documents.Document(
            page_content=text, metadata={"source": "terms.pdf"}
        )
        store.add_documents([document])
    return store


def test_documents_of_langchain(langchain: Any) -> None:
    assert texts(langchain.similarity_search(RETURNS)) == BOTH
    assert texts(langchain.similarity_search_with_score(RETURNS)) == BOTH
    assert texts(langchain.as_retriever().invoke(RETURNS)) == BOTH


def test_ids_of_documents_of_langchain(langchain: Any) -> None:
    found = langchain.similarity_search_with_score(RETURNS)
    assert read(found).ids == ["text-634f0638e5", "text-49fadf002b"]
    assert read(found, id_field="source").ids == ["terms.pdf", "terms.pdf"]


# --- LlamaIndex -----------------------------------------------------------------------


@pytest.fixture
def schema() -> Any:
    return pytest.importorskip("llama_index.core.schema")


def plain_node(schema: Any) -> Any:
    """A node that has no attribute `text`."""
    return schema.Node(text_resource=schema.MediaResource(text=RETURNS))


def test_nodes_of_llama_index(schema: Any) -> None:
    source = schema.RelatedNodeInfo(node_id="terms.pdf")
    part = schema.TextNode(
        text=RETURNS, relationships={schema.NodeRelationship.SOURCE: source}
    )
    for node in (part, plain_node(schema), schema.Document(text=RETURNS)):
        assert texts([node]) == [RETURNS]
        assert texts([schema.NodeWithScore(node=node, score=0.5)]) == [RETURNS]


def test_the_window_of_a_node_of_llama_index(schema: Any) -> None:
    node = schema.TextNode(text=RETURNS, metadata={"window": f"{REFUNDS} {RETURNS}"})
    found = [schema.NodeWithScore(node=node, score=0.5)]
    assert texts(found) == [RETURNS]
    assert texts(found, "window") == [f"{REFUNDS} {RETURNS}"]


# --- Haystack -------------------------------------------------------------------------


def test_documents_of_haystack() -> None:
    haystack: Any = pytest.importorskip("haystack")
    documents = [
        haystack.Document(content=text, meta={"title": "Terms"}, score=0.5)
        for text in BOTH
    ]
    for found in (
        documents,
        [document.to_dict() for document in documents],
        [document.to_dict(flatten=False) for document in documents],
    ):
        assert texts(found) == BOTH
        assert read(found).ids == [document.id for document in documents]
        assert read(found).titles == ["Terms", "Terms"]
    with pytest.raises(UnreadableRanking, match='return response\\["documents"\\]'):
        read({"documents": documents})


# --- Chroma ---------------------------------------------------------------------------


@pytest.fixture
def chroma() -> Iterator[Any]:
    library: Any = pytest.importorskip("chromadb")
    clients: Any = library.api.shared_system_client.SharedSystemClient
    clients.clear_system_cache()  # it keeps one client for all settings
    client = library.EphemeralClient(
        settings=library.Settings(anonymized_telemetry=False)
    )
    collection = client.create_collection("texts", embedding_function=None)
    metadatas = [{"document": "terms.pdf"}, {"source": "terms.pdf"}]
    collection.add(
        ids=["a", "b"], embeddings=VECTORS, documents=BOTH, metadatas=metadatas
    )
    yield collection
    clients.clear_system_cache()


def test_the_dict_of_chroma(chroma: Any) -> None:
    response = chroma.query(query_embeddings=VECTORS[1], n_results=1)
    assert texts(response) == [REFUNDS]
    assert texts(response["documents"][0]) == [REFUNDS]


def test_a_file_name_beside_the_text_of_chroma(chroma: Any) -> None:
    response = chroma.query(query_embeddings=VECTORS[0], n_results=2)
    with pytest.raises(UnreadableRanking) as caught:
        read(response)
    two = f'two texts, document "{RETURNS}" and metadata.document "terms.pdf"'
    assert two in str(caught.value)
    assert texts(response, "document") == BOTH


def test_a_response_of_chroma_without_texts(chroma: Any) -> None:
    response = chroma.query(query_embeddings=VECTORS[1], include=["metadatas"])
    with pytest.raises(UnreadableRanking, match="only id and metadata"):
        read(response)


def test_what_get_of_chroma_returns(chroma: Any) -> None:
    with pytest.raises(UnreadableRanking, match='return response\\["documents"\\]'):
        read(chroma.get())


# --- Qdrant ---------------------------------------------------------------------------


def points(payloads: list[dict[str, Any]]) -> Any:
    library: Any = pytest.importorskip("qdrant_client")
    models = library.models
    client = library.QdrantClient(":memory:")
    vectors = models.VectorParams(size=2, distance=models.Distance.COSINE)
    client.create_collection("texts", vectors_config=vectors)
    kept = [
        models.PointStruct(id=number, vector=VECTORS[number - 1], payload=payload)
        for number, payload in enumerate(payloads, 1)
    ]
    client.upsert("texts", points=kept)
    return client.query_points("texts", query=VECTORS[0], limit=2)


def test_the_payload_of_langchain_in_qdrant() -> None:
    payload = [{"page_content": text, "metadata": {"source": "a"}} for text in BOTH]
    response = points(payload)
    assert texts(response) == texts(response.points) == BOTH
    assert read(response).ids == ["1", "2"]


def test_the_payload_of_haystack_in_qdrant() -> None:
    payload = [{"id": "x", "content": text, "meta": {"file": "a"}} for text in BOTH]
    assert texts(points(payload)) == BOTH


def test_the_payload_of_llama_index_in_qdrant(schema: Any) -> None:
    utils: Any = pytest.importorskip("llama_index.core.vector_stores.utils")
    kept = utils.node_to_metadata_dict
    node = schema.TextNode(text=REFUNDS, metadata={"title": "Terms"})
    payload = [kept(plain_node(schema)), kept(node)]
    ranking = read(points(payload))
    assert ranking.texts == BOTH
    assert ranking.title(1) == "Terms"


def test_a_text_beside_the_node_of_llama_index(schema: Any) -> None:
    utils: Any = pytest.importorskip("llama_index.core.vector_stores.utils")
    node = schema.TextNode(text=RETURNS)
    metadata = utils.node_to_metadata_dict(node, remove_text=True)
    assert texts([{"document": RETURNS, "metadata": metadata}]) == [RETURNS]


# --- LanceDB --------------------------------------------------------------------------


def test_rows_of_lancedb(tmp_path: Path) -> None:
    lancedb: Any = pytest.importorskip("lancedb")
    rows = [
        {"vector": vector, "text": text}
        for vector, text in zip(VECTORS, BOTH, strict=True)
    ]
    table = lancedb.connect(tmp_path).create_table("texts", data=rows)
    query = table.search(VECTORS[0]).limit(2)
    for found in (query, query.to_list(), query.to_pandas(), query.to_arrow()):
        assert texts(found) == BOTH
        assert read(found).scores == [0.0, 2.0]


# --- PostgreSQL -----------------------------------------------------------------------

TABLES = """
    create table langchain_pg_embedding (id text, document text, cmetadata jsonb, embedding real[]);
    create table vectorstore (langchain_id uuid, content text, langchain_metadata json, embedding real[]);
    insert into langchain_pg_embedding values
        ('a', 'You may return it within 30 days.', '{"source": "terms.pdf"}', '{1, 0}'),
        ('b', 'A refund takes five days.', '{"source": "terms.pdf"}', '{0, 1}');
    insert into vectorstore
        select gen_random_uuid(), document, cmetadata, embedding from langchain_pg_embedding
"""
"""The tables of LangChain's PGVector and PGVectorStore, without the extension."""


@pytest.fixture(scope="module")
def connection(postgres: str) -> Iterator[Any]:
    psycopg: Any = pytest.importorskip("psycopg")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(TABLES)
        yield connection
        connection.execute("drop table langchain_pg_embedding, vectorstore")


@pytest.mark.parametrize("table", ["langchain_pg_embedding", "vectorstore"])
def test_rows_with_names(connection: Any, table: str) -> None:
    rows: Any = pytest.importorskip("psycopg.rows")
    query = f"select * from {table}"
    assert texts(connection.execute(query)) == BOTH
    for factory in (rows.dict_row, rows.namedtuple_row):
        cursor = connection.cursor(row_factory=factory)
        assert texts(cursor.execute(query).fetchall()) == BOTH


@pytest.mark.parametrize(
    "columns", ["document", "document, 0.5::real", "id, document, 0.5::real"]
)
def test_rows_without_names(connection: Any, columns: str) -> None:
    query = f"select {columns} from langchain_pg_embedding"
    assert texts(connection.execute(query).fetchall()) == BOTH


def test_an_unusual_name_of_a_column(connection: Any) -> None:
    query = "select id, document as passage from langchain_pg_embedding"
    with pytest.raises(UnreadableRanking, match="only id and passage; name the field"):
        read(connection.execute(query))
    assert texts(connection.execute(query), "passage") == BOTH


# --- Python libraries -----------------------------------------------------------------


def test_texts_of_bm25s() -> None:
    bm25s: Any = pytest.importorskip("bm25s")
    index = bm25s.BM25(corpus=BOTH)
    index.index(bm25s.tokenize(BOTH, show_progress=False), show_progress=False)
    query = bm25s.tokenize("return it", show_progress=False)
    found = index.retrieve(query, k=2, show_progress=False)
    assert texts(found) == [RETURNS]


def test_texts_of_rank_bm25() -> None:
    library: Any = pytest.importorskip("rank_bm25")
    index = library.BM25Okapi([text.split() for text in BOTH])
    assert texts(index.get_top_n(["refund"], BOTH, n=2)) == [REFUNDS, RETURNS]


def test_texts_for_labels_of_faiss() -> None:
    faiss: Any = pytest.importorskip("faiss")
    numpy: Any = pytest.importorskip("numpy")
    index = faiss.IndexFlatIP(2)
    index.add(numpy.array(VECTORS, dtype="float32"))
    found = index.search(numpy.array([[0.1, 0.9]], dtype="float32"), 2)
    ranking = read(found, ids=lambda: BOTH)
    assert ranking.texts == [REFUNDS, RETURNS]
