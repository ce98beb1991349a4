"""What the library bm25s returns: documents and scores, in arrays of shape (queries, k).

Documents are row numbers, or the entries of a corpus where `retrieve` or the index was given one. A query that matches
fewer than k documents is filled up with documents of score 0. (rank-bm25 returns lists, which need no reading.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_relevance.results.responses.fields import ReadOptions
from pytest_relevance.results.responses.neighbors import documents_of, element_kind, of_one_query
from pytest_relevance.results.responses.problems import is_a

_WHAT = "row numbers of a bm25s index"
_RETURN_DOCUMENTS = "pass the documents, or their ids, as the argument corpus of retrieve()"


def is_results(response: object) -> bool:
    """Whether a response is the `Results` of bm25s."""
    return is_a(type(response), "bm25s", "Results")


def of_results(response: Any, options: ReadOptions) -> Sequence[object]:
    """The documents of one query with their scores, without those of score 0 at the end, which do not match."""
    documents = of_one_query(response.documents, response)
    scores = of_one_query(response.scores, response)
    while scores and scores[-1] == 0:
        scores.pop()
    documents = documents[: len(scores)]
    if element_kind(response.documents) == "integer":
        documents = documents_of(documents, options, response, _WHAT, _RETURN_DOCUMENTS)
    return [*zip(documents, scores, strict=True)]
