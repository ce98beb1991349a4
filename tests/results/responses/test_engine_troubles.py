"""An engine that could not answer, or only in part, is an error and never a score."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
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


def azure(**beside: object) -> dict[str, object]:
    return {"@odata.context": "https://shop", **beside, "value": [{"id": "a"}]}


def redis(*warnings: str) -> dict[str, object]:
    """As Redis answers in RESP3."""
    results = [{"id": "a", "extra_attributes": {"title": "Apron"}, "values": []}]
    return {"total_results": 1, "warning": [*warnings], "results": results}


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
    "status is '503'": flat(status="503"),
    "status is 'error'": flat(status="error"),
    "statusCode is 500": flat(statusCode=500),
    "success is False": flat(success=False),
    "ok is False": flat(ok=False),
    "partial is True": flat(partial=True),
    "incomplete_results is True": flat(incomplete_results=True),
    "@search.semanticPartialResponseReason is 'maxWaitExceeded'": azure(
        **{"@search.semanticPartialResponseReason": "maxWaitExceeded"}
    ),
    "@search.coverage is 80.5": azure(**{"@search.coverage": 80.5}),
    "warning is ['Timeout limit was reached']": redis("Timeout limit was reached"),
    "warnings is ['timeout: partial results']": flat(
        warnings=["timeout: partial results"]
    ),
    "warning is 'The request timed out'": flat(warning="The request timed out"),
    "timed_out is [True, False]": elasticsearch(timed_out=[True, False]),
    "timed_out is array([ True, False])": elasticsearch(
        timed_out=np.array([True, False])
    ),
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
    "an array": {"error": np.array([3, 7]), "hits": []},
    "a list": {"errors": [{"message": "no such field"}], "results": []},
    "a series": {"error": pd.Series(["no index"]), "hits": [HIT]},
}


@pytest.mark.parametrize("body", ERRORS.values(), ids=ERRORS)
def test_an_error_in_the_place_of_results_is_refused(body: dict[str, object]) -> None:
    assert refusal(body).startswith("search returned an error: ")


def test_the_message_quotes_the_error_before_the_response() -> None:
    hits = [{"id": "a", "title": "boots " * 50}]
    assert refusal({"hits": hits, "error": "index shard offline"}).startswith(
        "search returned an error: error is 'index shard offline'; the response is {'hits':"
    )


@pytest.mark.parametrize("name", ["hits", "response", "result", "data", "root"])
def test_an_error_in_what_holds_the_results(name: str) -> None:
    response = {name: {"total": 0, "hits": [], "error": {"reason": "no shard"}}}
    assert refusal(response).startswith(
        f"search returned an error: {name}.error is {{'reason': 'no shard'}}"
    )


def test_a_flag_in_what_holds_the_hits() -> None:
    assert "timed_out is True" in refusal({"hits": {"timed_out": True, "hits": []}})


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
    "Azure": azure(**{"@search.coverage": 100.0}),
    "Redis": redis(),
    "arrays": elasticsearch(
        errors=np.array([]), error=pd.Series([], dtype=object), timed_out=np.array([0])
    ),
    "the others": flat(
        search_cutoff=False,
        timeoutHits=False,
        degraded=False,
        remoteErrors={},
        message="ok",
        status=200,
        success=True,
        partial=False,
        warnings=["the parameter q is deprecated"],
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


def test_an_object_with_an_error_beside_hits() -> None:
    response = SimpleNamespace(hits=[{"id": "a"}], error="index not found")
    assert refusal(response) == (
        f"search returned an error: error is 'index not found'; the response is {response!r}"
    )


# --- totals without a result ----------------------------------------------------------


class WithProperties:
    """As many clients are: the fields are private."""

    hits: tuple[object, ...] = ()

    @property
    def total_count(self) -> int:
        return 7


COUNTED: dict[str, tuple[object, str]] = {
    "Elasticsearch": (
        {"hits": {"total": {"value": 120, "relation": "eq"}, "hits": []}},
        "hits.total is 120; ask for the first results (size and from of Elasticsearch or OpenSearch)",
    ),
    "Elasticsearch 6": ({"hits": {"total": 7, "hits": []}}, "hits.total is 7"),
    "Solr": (
        {"response": {"numFound": 120, "start": 0, "docs": []}},
        "response.numFound is 120; ask for the first results (rows and start of Solr)",
    ),
    "Typesense": (
        {"found": 5, "out_of": 90, "hits": []},
        "found is 5; ask for the first results (per_page and page of Typesense)",
    ),
    "Meilisearch": ({"hits": [], "estimatedTotalHits": 9}, "estimatedTotalHits is 9"),
    "Meilisearch, pages": ({"hits": [], "totalHits": 9}, "totalHits is 9"),
    "Algolia": (
        {"hits": [], "nbHits": 120, "hitsPerPage": 0},
        "nbHits is 120; ask for the first results (hitsPerPage and page of Algolia)",
    ),
    "Vespa": (
        {"root": {"fields": {"totalCount": 120}}},
        "root.fields.totalCount is 120",
    ),
    "Azure": ({"@odata.count": 3, "value": []}, "@odata.count is 3"),
    "Redis": (
        {"total_results": 7, "warning": [], "results": []},
        "total_results is 7",
    ),
    "a total of its own": ({"hits": [], "total": 4}, "total is 4"),
    "a total in what describes the results": (
        {"hits": [], "meta": {"page": 9, "total_count": "12"}},
        "meta.total_count is 12",
    ),
    "of several totals one is not 0": (
        {"hits": [], "count": 0, "total": 120},
        "total is 120",
    ),
    "an object": (SimpleNamespace(docs=[], total=7), "total is 7"),
    "an object with properties": (WithProperties(), "total_count is 7"),
    "an object in the style of Python": (
        SimpleNamespace(hits=[], nb_hits=120),
        "nb_hits is 120; ask for the first results (hitsPerPage and page of Algolia)",
    ),
}


@pytest.mark.parametrize(("response", "says"), COUNTED.values(), ids=COUNTED)
def test_a_total_without_a_result_is_refused(response: object, says: str) -> None:
    message = refusal(response)
    assert message.startswith(
        f"the response says that there are results, and has none: {says}"
    )
    assert "or return [] if they are to count as nothing: " in message


@pytest.mark.parametrize(
    "response",
    [
        {"hits": {"total": {"value": 0}, "hits": []}},
        {"hits": {"hits": []}, "_shards": {"total": 5, "successful": 5, "failed": 0}},
        {"response": {"numFound": 0, "docs": []}, "facets": {"count": 0}},
        {"hits": [], "nbHits": 0, "page": 0, "facets": {"brand": {"acme": 3}}},
        {"value": [], "@odata.count": 0},
        {"hits": [], "estimatedTotalHits": 0, "processingTimeMs": 3, "limit": 20},
        SimpleNamespace(docs=[], total=0),
    ],
)
def test_a_search_that_found_nothing_is_an_empty_ranking(response: object) -> None:
    assert read_ranking(response).ids == []


@pytest.mark.parametrize(
    "response", [{"hits": {"total": 120, "hits": [HIT]}}, {"hits": [HIT], "nbHits": 9}]
)
def test_a_total_above_the_number_of_results_is_no_trouble(response: object) -> None:
    assert read_ranking(response).ids == ["a"]


# --- suggestions and groups without a result ------------------------------------------

OPTION = {"text": "smart watch", "score": 0.8}
ELSEWHERE: dict[str, dict[str, Any]] = {
    "suggest": {
        "suggest": {"title": [{"text": "smrt watch", "options": [OPTION]}]},
        "hits": {"total": {"value": 0}, "hits": []},
    },
    "suggestions": {"hits": [], "suggestions": ["smart watch"]},
    "spellcheck": {
        "response": {"numFound": 0, "docs": []},
        "spellcheck": {"suggestions": ["smrt", {"suggestion": ["smart"]}]},
    },
    "grouped_hits": {"hits": [], "found": 0, "grouped_hits": [{"hits": [HIT]}]},
    "groups": {"hits": [], "groups": [{"hits": [HIT]}]},
    "aggregations": {
        "hits": {"hits": []},
        "aggregations": {"brand": {"buckets": [{"key": "acme", "doc_count": 3}]}},
    },
    "facets": {"hits": [], "facets": {"brand": {"acme": 3}}},
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_suggestions_and_groups_without_a_result_are_refused(name: str) -> None:
    message = refusal(ELSEWHERE[name])
    assert message.startswith(
        f"the response has no results, and something else in {name}: "
    )
    assert "or return [] if they are to count as nothing: " in message


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_case_that_looks_at_the_response_may_have_them(name: str) -> None:
    assert read_ranking(ELSEWHERE[name], expects_response=True).ids == []


def test_words_without_suggestions_and_empty_buckets_are_no_trouble() -> None:
    body = {
        "suggest": {"title": [{"text": "xyzzy", "offset": 0, "options": []}]},
        "spellcheck": {"suggestions": [], "correctlySpelled": True},
        "grouped_hits": [],
        "aggregations": {"brand": {"buckets": [{"key": "acme", "doc_count": 0}]}},
        "hits": {"hits": []},
    }
    assert read_ranking(body).ids == []


# --- groups of Vespa ------------------------------------------------------------------

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
