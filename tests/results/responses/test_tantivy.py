"""What tantivy returns, read from a real index."""

from typing import Any

import pytest

from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.read_ranking import read_ranking
from tests.results.responses.helpers import ids, refusal

pytestmark = pytest.mark.engines

TITLES = ["red shoes shoes", "blue shoes"]


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
            writer.add_document(
                self.library.Document(
                    id=[name], title=[title], product=[{"sku": name.upper()}]
                )
            )
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
        scores = [score for score, _ in result.hits]
        ranking = read_ranking((tantivy.searcher, found))
        assert ranking == Ranking(["b", "a"], TITLES, scores)
    assert ids((tantivy.searcher, result), "product.sku") == ["B", "A"]
    assert ids((tantivy.searcher, tantivy.search("nothing"))) == []


def test_documents_of_tantivy(tantivy: Tantivy) -> None:
    hits = tantivy.search("shoes").hits
    documents = [tantivy.searcher.doc(address) for _, address in hits]
    scores = [score for score, _ in hits]
    assert read_ranking(documents) == Ranking(["b", "a"], TITLES)
    assert ids(documents, "product.sku") == ["B", "A"]
    assert ids([document.to_dict() for document in documents]) == ["b", "a"]
    for pairs in (
        zip(documents, scores, strict=True),
        zip(scores, documents, strict=True),
    ):
        assert read_ranking(pairs) == Ranking(["b", "a"], TITLES, scores)


def test_a_result_of_tantivy_without_the_searcher_is_refused(tantivy: Tantivy) -> None:
    way_out = "return (searcher, result), or the documents: [searcher.doc(address) for _, address in result.hits]"
    result = tantivy.search("shoes")
    message = refusal(result)
    what = "a SearchResult of tantivy, whose hits are addresses of documents, not ids"
    assert f"search returned {what}, SearchResult(hits: [(0." in message
    assert message.endswith(f"; {way_out}")
    assert "result 1 of 2 has no id (" in refusal(result.hits)
