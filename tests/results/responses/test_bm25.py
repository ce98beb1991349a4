"""What bm25s and rank-bm25 return."""

from typing import Any

import numpy as np
import pytest

from tests.results.responses.helpers import ids, pairs, refusal

pytestmark = pytest.mark.engines

TEXTS = ["blue shoes", "red shoes", "watch strap"]
IDS = ["sku-a", "sku-b", "sku-c"]
PRODUCTS = [{"id": sku, "title": sku.upper()} for sku in IDS]


# --- bm25s ----------------------------------------------------------------------------


class Bm25s:
    """An index of bm25s over three texts."""

    def __init__(self) -> None:
        self.library: Any = pytest.importorskip("bm25s")
        self.index = self.library.BM25()
        self.index.index(self._tokens(TEXTS), show_progress=False)

    def search(self, *queries: str, k: int = 3, **options: Any) -> Any:
        return self.index.retrieve(
            self._tokens(list(queries)), k=k, show_progress=False, **options
        )

    def _tokens(self, texts: list[str]) -> Any:
        return self.library.tokenize(texts, show_progress=False)


@pytest.fixture
def bm25s() -> Bm25s:
    return Bm25s()


def test_row_numbers_of_bm25s(bm25s: Bm25s) -> None:
    assert pairs(bm25s.search("blue shoes"), IDS) == [("sku-a", 0.58), ("sku-b", 0.188)]
    message = refusal(bm25s.search("blue shoes"))
    assert "search returned labels of an index, Results(" in message
    documents, scores = bm25s.search("boots", "watch strap")
    second = bm25s.library.Results(documents[1], scores[1])
    assert pairs(second, IDS) == [("sku-c", 0.785)]


@pytest.mark.parametrize(
    "corpus", [IDS, np.array(IDS), PRODUCTS], ids=["ids", "array", "documents"]
)
def test_entries_of_the_corpus_of_bm25s(bm25s: Bm25s, corpus: Any) -> None:
    response = bm25s.search("blue shoes", corpus=corpus)
    assert pairs(response) == [("sku-a", 0.58), ("sku-b", 0.188)]
    assert pairs(response, ["never asked"]) == pairs(response)


def test_documents_that_bm25s_fills_up_with(bm25s: Bm25s) -> None:
    assert pairs(bm25s.search("strap"), IDS) == [("sku-c", 0.392)]
    assert pairs(bm25s.search("nothing"), IDS) == []
    assert pairs(bm25s.search("nothing")) == []


def test_documents_and_scores_of_bm25s_apart(bm25s: Bm25s) -> None:
    documents, scores = bm25s.search("blue shoes", k=2, corpus=PRODUCTS)
    assert pairs((documents, scores)) == [("sku-a", 0.58), ("sku-b", 0.188)]
    rows, scores = bm25s.search("blue shoes", k=2)
    assert pairs((rows, scores), IDS) == [("sku-a", 0.58), ("sku-b", 0.188)]


def test_two_queries_of_bm25s(bm25s: Bm25s) -> None:
    message = refusal(bm25s.search("blue shoes", "strap"), labels=IDS)
    assert "which has the results of 2 queries" in message
    assert "an attribute many" in message


def test_results_of_bm25s_in_no_order(bm25s: Bm25s) -> None:
    message = refusal(bm25s.search("blue shoes", sorted=False), labels=IDS)
    assert "search returned Results of bm25s in no order, Results(docu" in message
    assert "call retrieve() with sorted=True" in message


# --- rank-bm25 ------------------------------------------------------------------------


def test_the_documents_of_rank_bm25() -> None:
    library = pytest.importorskip("rank_bm25")
    okapi = library.BM25Okapi([text.split() for text in TEXTS])
    assert ids(okapi.get_top_n(["blue"], IDS, n=1)) == ["sku-a"]
    assert ids(okapi.get_top_n(["strap"], PRODUCTS, n=1)) == ["sku-c"]
    assert "and scores as (id, score) pairs" in refusal(okapi.get_scores(["blue"]))
