"""What Qdrant, Chroma, LangChain and LlamaIndex return."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.results.responses.helpers import ids, pairs, refusal, titles

VECTORS = [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]
BOOTS = [1.0, 0.0]
UUIDS = [f"00000000-0000-4000-8000-00000000000{number}" for number in range(3)]
SKUS = ["sku-a", "sku-b", "sku-c"]

pytestmark = pytest.mark.engines


def payloads(id_: str = "") -> list[dict[str, Any]]:
    """What is kept with the three documents; `id_` begins ids among it."""
    kept = []
    for number, sku in enumerate(SKUS):
        own = {"id": f"{id_}{number}"} if id_ else {}
        shop = {"code": f"code-{sku}"}
        kept.append({"sku": sku, "title": sku.upper(), "shop": shop, **own})
    return kept


# --- Qdrant ---------------------------------------------------------------------------


class Qdrant:
    """A collection of Qdrant in memory, with three points."""

    def __init__(self, point_ids: list[Any], kept: list[dict[str, Any]]) -> None:
        library: Any = pytest.importorskip("qdrant_client")
        self.models = library.models
        self.client = library.QdrantClient(":memory:")
        settings = self.models.VectorParams(
            size=2, distance=self.models.Distance.COSINE
        )
        self.client.create_collection("products", vectors_config=settings)
        parts = zip(point_ids, VECTORS, kept, strict=True)
        points = [
            self.models.PointStruct(id=id_, vector=vector, payload=payload)
            for id_, vector, payload in parts
        ]
        self.client.upsert("products", points=points)

    def search(self, **options: Any) -> Any:
        return self.client.query_points("products", query=BOOTS, limit=3, **options)


@pytest.fixture
def qdrant() -> Qdrant:
    return Qdrant([1, 2, 3], payloads())


def test_the_points_of_qdrant(qdrant: Qdrant) -> None:
    response = qdrant.search()
    assert pairs(response) == [("1", 1.0), ("2", 0.8), ("3", 0.0)]
    assert pairs(response.points) == pairs(response)
    assert titles(response) == ["SKU-A", "SKU-B", "SKU-C"]
    assert titles(response, "sku") == SKUS
    assert pairs(qdrant.search(with_payload=False)) == pairs(response)
    assert pairs(qdrant.search(score_threshold=2.0)) == []


def test_an_id_in_the_payload_of_qdrant(qdrant: Qdrant) -> None:
    response = qdrant.search()
    assert pairs(response, id_field="sku")[0] == ("sku-a", 1.0)
    assert ids(response.points, "payload.shop.code")[0] == "code-sku-a"
    assert ids(response.points, "id")[0] == "1"


@pytest.mark.parametrize("point_ids", [[1, 2, 3], UUIDS], ids=["integers", "UUIDs"])
def test_two_ids_of_a_point_of_qdrant(point_ids: list[Any]) -> None:
    response = Qdrant(point_ids, payloads("shop-")).search()
    both = f"two ids, id {point_ids[0]!r} and payload.id 'shop-0'"
    write = "write id_field: id or id_field: payload.id in the case file"
    assert f"result 1 of 3 has {both}; {write}" in refusal(response)
    assert ids(response, "id") == [str(id_) for id_ in point_ids]
    assert ids(response, "payload.id") == ["shop-0", "shop-1", "shop-2"]
    assert ids(response, "sku") == SKUS


# --- Chroma ---------------------------------------------------------------------------


@pytest.fixture
def chroma() -> Iterator[Any]:
    library: Any = pytest.importorskip("chromadb")
    clients: Any = library.api.shared_system_client.SharedSystemClient
    clients.clear_system_cache()  # it keeps one client for all settings
    client = library.EphemeralClient(
        settings=library.Settings(anonymized_telemetry=False)
    )
    collection = client.create_collection(
        "products", embedding_function=None, get_or_create=True
    )
    kept = [{"title": sku.upper(), "ean": f"ean-{sku}"} for sku in SKUS]
    collection.upsert(
        ids=SKUS, embeddings=VECTORS, documents=["blue", "red", "strap"], metadatas=kept
    )
    yield collection
    clients.clear_system_cache()


def test_the_dict_of_chroma(chroma: Any) -> None:
    response = chroma.query(query_embeddings=BOOTS, n_results=3)
    assert pairs(response) == [("sku-a", 0.0), ("sku-b", 0.4), ("sku-c", 2.0)]
    assert titles(response) == ["SKU-A", "SKU-B", "SKU-C"]
    assert titles(response, "document") == ["blue", "red", "strap"]
    eans = ["ean-sku-a", "ean-sku-b", "ean-sku-c"]
    assert ids(response, "ean") == ids(response, "metadata.ean") == eans


def test_two_queries_of_chroma(chroma: Any) -> None:
    message = refusal(chroma.query(query_embeddings=[BOOTS, BOOTS], n_results=2))
    assert "search returned the results of 2 queries" in message
    assert "an attribute many" in message


def test_a_field_that_no_document_of_chroma_has(chroma: Any) -> None:
    """Chroma gives the metadata of each document in an order of its own."""
    more = {f"key{number}": number for number in range(8)}
    chroma.update(ids=SKUS, metadatas=[{"title": "T", "source": "s", **more}] * 3)
    messages = set()
    for _ in range(10):
        response = chroma.query(query_embeddings=BOOTS, n_results=1)
        messages.add(refusal(response, "metadata.sources"))
    (message,) = messages
    assert message.partition(": {")[0] == (
        'result 1 of 1 has no field "metadata.sources", only document, id, metadata.ean, metadata.key0, '
        "metadata.key1, metadata.key2, metadata.key3, metadata.key4, metadata.key5, metadata.key6, metadata.key7, "
        "metadata.source and 2 more; did you mean metadata.source?; correct id_field in the case file"
    )


# --- LangChain ------------------------------------------------------------------------


class LangChain:
    """LangChain's documents, and its store in memory with three of them."""

    def __init__(self) -> None:
        self.document: Any = pytest.importorskip("langchain_core.documents").Document
        stores: Any = pytest.importorskip("langchain_core.vectorstores")
        embeddings: Any = pytest.importorskip("langchain_core.embeddings")
        self.store = stores.InMemoryVectorStore(
            embeddings.DeterministicFakeEmbedding(size=8)
        )

    def add(self, **fields: Any) -> None:
        self.store.add_documents([self.document(page_content="blue shoes", **fields)])

    def search(self) -> Any:
        return self.store.similarity_search("blue shoes")


@pytest.fixture
def langchain() -> LangChain:
    return LangChain()


@pytest.mark.parametrize(
    "fields",
    [
        {"id": "sku-a"},
        {"metadata": {"id": "sku-a"}},
        {"id": "sku-a", "metadata": {"id": "sku-a"}},
    ],
    ids=["its own", "of the metadata, beside a generated one", "twice the same"],
)
def test_the_id_of_a_document_of_langchain(
    langchain: LangChain, fields: dict[str, Any]
) -> None:
    langchain.add(**fields)
    assert ids(langchain.search()) == ["sku-a"]
    scored = langchain.store.similarity_search_with_score("blue shoes")
    assert pairs(scored) == [("sku-a", 1.0)]
    assert ids(langchain.store.as_retriever().invoke("blue shoes")) == ["sku-a"]


def test_the_fields_of_a_document_of_langchain(langchain: LangChain) -> None:
    langchain.add(
        id="sku-a", metadata={"title": "Blue", "sku": "s-1", "shop": {"code": 7}}
    )
    found = langchain.search()
    assert titles(found) == ["Blue"]
    assert titles(found, "page_content") == ["blue shoes"]
    assert ids(found, "sku") == ids(found, "metadata.sku") == ["s-1"]
    assert ids(found, "shop.code") == ["7"]


def test_two_ids_of_a_document_of_langchain(langchain: LangChain) -> None:
    langchain.add(id="sku-a", metadata={"id": "m-1"})
    both = "two ids, id 'sku-a' and metadata.id 'm-1'"
    write = "write id_field: id or id_field: metadata.id in the case file"
    assert f"has {both}; {write}" in refusal(langchain.search())
    assert ids(langchain.search(), "id") == ["sku-a"]
    assert ids(langchain.search(), "metadata.id") == ["m-1"]


# --- LlamaIndex -----------------------------------------------------------------------


class LlamaIndex:
    """The parts of LlamaIndex that make and find nodes."""

    def __init__(self) -> None:
        self.schema: Any = pytest.importorskip("llama_index.core.schema")
        self.core: Any = pytest.importorskip("llama_index.core")

    def node(self, source: str | None = None, **fields: Any) -> Any:
        schema = self.schema
        if source is not None:
            info = schema.RelatedNodeInfo(node_id=source)
            fields["relationships"] = {schema.NodeRelationship.SOURCE: info}
        return schema.TextNode(text="blue shoes", **fields)

    def found(self, *nodes: Any) -> Any:
        return [self.schema.NodeWithScore(node=node, score=0.5) for node in nodes]


@pytest.fixture
def llama() -> LlamaIndex:
    return LlamaIndex()


@pytest.mark.parametrize(
    "fields",
    [
        {"id_": "sku-a"},
        {"metadata": {"id": "sku-a"}},
        {"metadata": {"doc_id": "sku-a"}, "source": "file.txt"},
        {"id_": "sku-a", "source": "file.txt"},
    ],
    ids=[
        "its own",
        "the metadata's",
        "the metadata's, of a part",
        "its own, of a part",
    ],
)
def test_the_id_of_a_node_of_llama_index(
    llama: LlamaIndex, fields: dict[str, Any]
) -> None:
    node = llama.node(**fields)
    assert pairs(llama.found(node)) == [("sku-a", 0.5)]
    assert ids([node]) == ["sku-a"]


def test_the_fields_of_a_node_of_llama_index(llama: LlamaIndex) -> None:
    found = llama.found(
        llama.node(
            id_="sku-a", metadata={"title": "Blue", "sku": "s-1"}, source="file.txt"
        )
    )
    assert (titles(found), titles(found, "text")) == (["Blue"], ["blue shoes"])
    assert ids(found, "sku") == ids(found, "metadata.sku") == ["s-1"]
    assert (ids(found, "ref_doc_id"), ids(found, "node_id")) == (
        ["file.txt"],
        ["sku-a"],
    )


def test_a_part_of_a_document_of_llama_index(llama: LlamaIndex) -> None:
    message = refusal(llama.found(llama.node(id_=UUIDS[0], source="file.txt")))
    own = f"is a part of the document 'file.txt' and has a generated id, '{UUIDS[0]}'"
    write = "write id_field: ref_doc_id or id_field: node_id in the case file"
    assert f"{own}; {write}" in message
