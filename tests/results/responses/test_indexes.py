"""What tantivy and Xapian return, read from real indexes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_relevance.results.responses.ranking import read_ranking
from tests.results.responses.helpers import ids, refusal

pytestmark = pytest.mark.engines

# --- tantivy ----------------------------------------------------------------------------------------------------------


class Tantivy:
    """An index of two products, of which "shoes" finds b before a."""

    def __init__(self) -> None:
        self.library: Any = pytest.importorskip("tantivy")
        schema = self.library.SchemaBuilder()
        schema.add_text_field("id", stored=True, tokenizer_name="raw")
        schema.add_text_field("title", stored=True)
        schema.add_json_field("product", stored=True)
        self.index = self.library.Index(schema.build())
        writer = self.index.writer()
        for name, title in (("a", "blue shoes"), ("b", "red shoes shoes")):
            writer.add_document(self.library.Document(id=[name], title=[title], product=[{"sku": name.upper()}]))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.searcher = self.index.searcher()

    def search(self, query: str) -> Any:
        return self.searcher.search(self.index.parse_query(query, ["title"]), 10)


@pytest.fixture(scope="module")
def tantivy() -> Tantivy:
    return Tantivy()


def test_a_searcher_with_its_result(tantivy: Tantivy) -> None:
    result = tantivy.search("shoes")
    for found in (result, result.hits):
        ranking = read_ranking((tantivy.searcher, found))
        assert (ranking.ids, ranking.titles) == (["b", "a"], ["red shoes shoes", "blue shoes"])
        assert ranking.scores == [score for score, _ in result.hits]
    assert ids((tantivy.searcher, result), "product.sku") == ["B", "A"]
    assert ids((tantivy.searcher, tantivy.search("nothing"))) == []


def test_documents_of_tantivy(tantivy: Tantivy) -> None:
    hits = tantivy.search("shoes").hits
    documents = [tantivy.searcher.doc(address) for _, address in hits]
    scores = [score for score, _ in hits]
    assert read_ranking(documents).ids == ["b", "a"]
    assert read_ranking(documents).titles == ["red shoes shoes", "blue shoes"]
    assert ids(documents, "product.sku") == ["B", "A"]
    assert ids([document.to_dict() for document in documents]) == ["b", "a"]
    for pairs in (list(zip(documents, scores, strict=True)), list(zip(scores, documents, strict=True))):
        assert read_ranking(pairs).ids == ["b", "a"]
        assert read_ranking(pairs).scores == scores


def test_a_result_of_tantivy_without_the_searcher_is_refused(tantivy: Tantivy) -> None:
    way_out = "return (searcher, result), or the documents: [searcher.doc(address) for _, address in result.hits]"
    result = tantivy.search("shoes")
    message = refusal(result)
    assert "search returned a SearchResult of tantivy, SearchResult(hits: [(0." in message
    assert message.endswith(f"whose hits are addresses of documents, not ids; {way_out}")
    addresses = [address for _, address in result.hits]
    for found in (result.hits, addresses, [(address, score) for score, address in result.hits]):
        assert "result 1 of 2 has the address of a document in an index of tantivy, not an id" in refusal(found)
        assert way_out in refusal(found)


def test_a_document_of_tantivy_without_the_field_of_an_id_names_those_it_has(tantivy: Tantivy) -> None:
    documents = [tantivy.library.Document(sku=["b"], title=["red shoes"])]
    assert "only sku and title; name the field with id_field" in refusal(documents)
    assert ids(documents, "sku") == ["b"]
    assert "search returned one result" in refusal(tantivy.library.Document(id=["b"]))


# --- Xapian -----------------------------------------------------------------------------------------------------------


def mset(*documents: tuple[str, str]) -> Any:
    """What a search finds in an index of documents, given as the data and the id term of each; the last is the best."""
    xapian: Any = pytest.importorskip("xapian")
    database = xapian.WritableDatabase("", xapian.DB_BACKEND_INMEMORY)
    for number, (data, term) in enumerate(documents, 1):
        document = xapian.Document()
        document.set_data(data)
        document.add_term("shoes", number)
        if term:
            document.add_boolean_term(term)
        database.add_document(document)
    enquire = xapian.Enquire(database)
    enquire.set_query(xapian.Query("shoes"))
    return enquire.get_mset(0, 10)


def test_documents_of_xapian_with_json_for_data() -> None:
    data = [json.dumps({"id": name, "title": title, "sku": name.upper()}) for name, title in (("a", "A1"), ("b", "B1"))]
    for found in (mset(*((text, "") for text in data)), mset((data[0], "Q7"), (data[1], "Q8"))):
        ranking = read_ranking(found)
        assert (ranking.ids, ranking.titles) == (["b", "a"], ["B1", "A1"])
        assert ranking.scores == [item.weight for item in found]
        assert ids(list(found)) == ["b", "a"]
        assert ids([item.document for item in found]) == ["b", "a"]
        assert ids(found, "sku") == ["B", "A"]


@pytest.mark.parametrize(
    "documents",
    {
        "the term": [("", "Qa"), ("", "Qb")],
        "a text and the term": [("Blue shoes for\nwalking", "Qa"), ("Red shoes", "Qb")],
        "JSON without an id and the term": [('{"title": "Apron"}', "Qa"), ('{"title": "Boots"}', "Qb")],
        "the data": [("a", ""), ("b", "")],
        "the data and the term, which agree": [("a", "Qa"), ("b", "Qb")],
    }.values(),
)
def test_documents_of_xapian_with_an_id_in_the_data_or_in_a_term(documents: list[tuple[str, str]]) -> None:
    assert ids(mset(*documents)) == ["b", "a"]


def test_data_and_term_of_xapian_that_differ_are_both_shown_and_either_can_be_named() -> None:
    found = mset(("sku-1", "Q17"), ("sku-2", "Q18"))
    message = refusal(found)
    assert "only data, Q and score; name the field with id_field in the case file" in message
    assert "'sku-2'" in message
    assert "'18'" in message
    assert ids(found, "data") == ["sku-2", "sku-1"]
    assert ids(found, "Q") == ["18", "17"]


def test_the_internal_number_of_a_document_of_xapian_is_never_its_id() -> None:
    for data in ("", "Red shoes", "[1, 2]"):
        found = mset((data, ""))
        message = refusal(found)
        assert "result 1 of 1 is document 1 of Xapian, a number that is internal to the index" in message
        assert 'store the id in the data (set_data), or as a term ("Q" before the id)' in message
        assert "internal to the index" in refusal(list(found))
    assert ids(mset()) == []
