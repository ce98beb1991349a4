"""An engine that could not answer, or only in part, is an error and never a score."""

from __future__ import annotations

import pytest

from pytest_relevance.runs.ranking import UnreadableRanking, read_ranking

HIT = {"_id": "a"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            {"timed_out": True, "hits": {"hits": [HIT]}},
            "the engine timed out, so that its results are not all",
        ),
        ({"_shards": {"total": 5, "failed": 5}, "hits": {"hits": []}}, "the engine failed on 5 of its shards"),
        ({"root": {"errors": [{"code": 12}], "children": []}}, "search returned an error instead of results"),
        ({"error": {"type": "parsing_exception"}, "hits": {"hits": []}}, "search returned an error instead of results"),
    ],
    ids=["Elasticsearch, timed out", "Elasticsearch, shards", "Vespa", "an error beside hits"],
)
def test_trouble_of_the_engine_is_refused(body: dict[str, object], message: str) -> None:
    with pytest.raises(UnreadableRanking, match=message):
        read_ranking(body)


def test_flags_that_say_that_all_is_well_are_no_trouble() -> None:
    body = {"timed_out": False, "_shards": {"total": 5, "failed": 0}, "errors": [], "hits": {"hits": [HIT]}}
    assert list(read_ranking(body).ids) == ["a"]
