"""An engine that could not answer, or only in part, is an error and never a score."""

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_relevance.results.responses.ranking import read_ranking
from tests.results.responses.helpers import refusal

HIT = {"_id": "a"}


def elasticsearch(**beside: object) -> dict[str, object]:
    return {**beside, "hits": {"hits": [HIT]}}


def solr(**header: object) -> dict[str, object]:
    return {
        "responseHeader": {"status": 0, **header},
        "response": {"docs": [{"id": "a"}]},
    }


def vespa(**coverage: object) -> dict[str, Any]:
    return {
        "root": {"coverage": {"coverage": 90, **coverage}, "children": [{"id": "a"}]}
    }


def flat(**beside: object) -> dict[str, object]:
    return {"hits": [{"id": "a"}], **beside}


PARTIAL: dict[str, object] = {
    "timed_out is True": elasticsearch(timed_out=True),
    "_shards.failed is 1": elasticsearch(
        _shards={"total": 5, "successful": 4, "failed": 1}
    ),
    "_shards is {'total': 5, 'successful': 4}": elasticsearch(
        _shards={"total": 5, "successful": 4}
    ),
    "_clusters.skipped is 1": elasticsearch(
        _clusters={"total": 3, "successful": 2, "skipped": 1}
    ),
    "_clusters.partial is 1": elasticsearch(
        _clusters={"total": 2, "successful": 1, "skipped": 0, "partial": 1}
    ),
    "_clusters.failed is 1": elasticsearch(
        _clusters={"total": 2, "successful": 1, "failed": 1}
    ),
    "_clusters.running is 1": elasticsearch(
        _clusters={"total": 2, "successful": 1, "running": 1}
    ),
    "terminated_early is True": elasticsearch(terminated_early=True),
    "is_partial is True": {
        "id": "x",
        "is_partial": True,
        "is_running": True,
        "response": elasticsearch(),
    },
    "responseHeader.partialResults is True": solr(partialResults=True),
    "responseHeader.partialResults is 'omitted'": solr(partialResults="omitted"),
    "responseHeader.status is 500": solr(status=500),
    "root.coverage.degraded is {'match-phase': False, 'timeout': True}": vespa(
        full=True, degraded={"match-phase": False, "timeout": True}
    ),
    "root.coverage.full is False": vespa(full=False),
    "search_cutoff is True": flat(search_cutoff=True),
    "timeoutHits is True": flat(timeoutHits=True),
    "degraded is True": flat(degraded=True),
    "remoteErrors is {'ms-1': {'code': 'down'}}": flat(
        remoteErrors={"ms-1": {"code": "down"}}
    ),
    "status is 503": flat(status=503),
}


@pytest.mark.parametrize("sign", PARTIAL)
def test_a_response_that_says_that_it_is_not_whole_is_refused(sign: str) -> None:
    assert refusal(PARTIAL[sign]).startswith(
        f"the response says that it is not whole: {sign} ("
    )


def test_the_message_says_what_the_sign_means_and_what_to_do() -> None:
    assert refusal(flat(timeoutHits=True)) == (
        "the response says that it is not whole: timeoutHits is True (Algolia: the search timed out); to score it all "
        "the same, return its list of hits: {'hits': [{'id': 'a'}], 'timeoutHits': True}"
    )


ERRORS: dict[str, dict[str, object]] = {
    "Vespa": {"root": {"errors": [{"code": 12}], "children": []}},
    "an error beside hits": {
        "error": {"type": "parsing_exception"},
        "hits": {"hits": []},
    },
    "a message in the place of hits": {
        "message": "Index `shop` not found.",
        "code": "index_not_found",
    },
}


@pytest.mark.parametrize("body", ERRORS.values(), ids=ERRORS)
def test_an_error_in_the_place_of_results_is_refused(body: dict[str, object]) -> None:
    assert refusal(body) == f"search returned an error instead of results: {body!r}"


WHOLE: dict[str, dict[str, object]] = {
    "Elasticsearch": elasticsearch(
        timed_out=False,
        errors=[],
        terminated_early=False,
        _shards={"total": 5, "successful": 5, "skipped": 3, "failed": 0},
        _clusters={
            "total": 2,
            "successful": 2,
            "skipped": 0,
            "partial": 0,
            "failed": 0,
            "running": 0,
        },
    ),
    "Solr": solr(partialResults=False),
    "Solr, in text": solr(partialResults="false"),
    "Vespa": vespa(
        full=True, coverage=100, degraded={"match-phase": False, "timeout": False}
    ),
    "the others": flat(
        search_cutoff=False,
        timeoutHits=False,
        degraded=False,
        remoteErrors={},
        message="ok",
        status=200,
    ),
    "a status in words": flat(status="ok"),
}


@pytest.mark.parametrize("body", WHOLE.values(), ids=WHOLE)
def test_flags_that_say_that_all_is_well_are_no_trouble(
    body: dict[str, object],
) -> None:
    assert list(read_ranking(body).ids) == ["a"]


def test_the_response_object_of_a_client_with_names_in_the_style_of_python() -> None:
    assert "timeoutHits is True" in refusal(
        SimpleNamespace(hits=[{"id": "a"}], timeout_hits=True)
    )
    assert read_ranking(SimpleNamespace(hits=[{"id": "a"}], timeout_hits=None)).ids == [
        "a"
    ]


# --- groups of Vespa --------------------------------------------------------------------------------------------------

GROUPS = {
    "id": "group:root:0",
    "relevance": 1.0,
    "children": [
        {
            "id": "grouplist:brand",
            "children": [{"id": "group:string:acme", "fields": {"count()": 2}}],
        }
    ],
}


def test_the_groups_of_vespa_are_no_result() -> None:
    body = {
        "root": {
            "fields": {"totalCount": 2},
            "children": [GROUPS, {"id": "b"}, {"id": "a"}],
        }
    }
    assert list(read_ranking(body).ids) == ["b", "a"]


@pytest.mark.parametrize(
    "children",
    [[GROUPS], [{"id": "music", "children": [{"id": "a"}]}, {"id": "b"}]],
    ids=["groups alone", "hits of a source"],
)
def test_hits_within_groups_are_not_guessed(children: list[object]) -> None:
    body = {"root": {"fields": {"totalCount": 2}, "children": children}}
    assert refusal(body).startswith("search returned its hits in groups, [{'id': ")
