"""An engine that could not answer, or only in part, is an error and never a score."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.read_ranking import read_ranking
from tests.results.responses.helpers import ids, refusal

HITS = [{"id": "a"}]

# --- marks of a response that is not whole --------------------------------------------


def elastic(**beside: object) -> dict[str, object]:
    return {**beside, "hits": {"hits": HITS}}


def shards(**counts: int) -> dict[str, object]:
    return elastic(_shards={"total": 5, "successful": 4, **counts})


def clusters(**counts: int) -> dict[str, object]:
    return elastic(_clusters={"total": 2, "successful": 1, **counts})


def solr(**header: object) -> dict[str, object]:
    return {"responseHeader": {"status": 0, **header}, "response": {"docs": HITS}}


def vespa(**coverage: object) -> dict[str, Any]:
    return {"root": {"coverage": {"coverage": 90, **coverage}, "children": HITS}}


def flat(**beside: object) -> dict[str, object]:
    return {"hits": HITS, **beside}


def azure(name: str, value: object) -> dict[str, object]:
    return {"@odata.context": "https://shop", f"@search.{name}": value, "value": HITS}


def redis(*warnings: str) -> dict[str, object]:
    """As Redis answers in RESP3."""
    results = [{"id": "a", "extra_attributes": {"title": "Apron"}, "values": []}]
    return {"total_results": 1, "warning": [*warnings], "results": results}


HALF = {"match-phase": False, "timeout": True}
LIMIT = "Timeout limit was reached"
PARTIAL: dict[str, object] = {
    "timed_out is True": elastic(timed_out=True),
    "timed_out is [True, False]": elastic(timed_out=[True, False]),
    "timed_out is array([ True, False])": elastic(timed_out=np.array([True, False])),
    "_shards.failed is 1": shards(failed=1),
    "_shards is {'total': 5, 'successful': 4}": shards(),
    "_clusters.skipped is 1": clusters(skipped=1),
    "_clusters.partial is 1": clusters(skipped=0, partial=1),
    "_clusters.failed is 1": clusters(failed=1),
    "_clusters.running is 1": clusters(running=1),
    "terminated_early is True": elastic(terminated_early=True),
    "is_partial is True": {"id": "x", "is_partial": True, "response": elastic()},
    "responseHeader.partialResults is True": solr(partialResults=True),
    "responseHeader.partialResults is 'omitted'": solr(partialResults="omitted"),
    "responseHeader.status is 500": solr(status=500),
    f"root.coverage.degraded is {HALF}": vespa(full=True, degraded=HALF),
    "root.coverage.full is False": vespa(full=False),
    "search_cutoff is True": flat(search_cutoff=True),
    "timeoutHits is True": flat(timeoutHits=True),
    "degraded is True": flat(degraded=True),
    "remoteErrors is {'ms-1': 'down'}": flat(remoteErrors={"ms-1": "down"}),
    "status is 503": flat(status=503),
    "status is '503'": flat(status="503"),
    "status is 'error'": flat(status="error"),
    "statusCode is 500": flat(statusCode=500),
    "success is False": flat(success=False),
    "ok is False": flat(ok=False),
    "partial is True": flat(partial=True),
    "incomplete_results is True": flat(incomplete_results=True),
    "@search.semanticPartialResponseReason is 'maxWaitExceeded'": azure(
        "semanticPartialResponseReason", "maxWaitExceeded"
    ),
    "@search.coverage is 80.5": azure("coverage", 80.5),
    f"warning is ['{LIMIT}']": redis(LIMIT),
    "warning is ['Max prefix expansions']": redis("Max prefix expansions"),
    "warnings is ['partial results']": flat(warnings=["partial results"]),
    "warning is 'The request timed out'": flat(warning="The request timed out"),
}


@pytest.mark.parametrize("sign", PARTIAL)
def test_a_response_that_says_that_it_is_not_whole_is_refused(sign: str) -> None:
    says = f"the response says that it is not complete: {sign} ("
    assert refusal(PARTIAL[sign]).startswith(says)


def test_the_message_says_what_the_sign_means_and_what_to_do() -> None:
    assert refusal(flat(timeoutHits=True)) == (
        "the response says that it is not complete: timeoutHits is True (Algolia: "
        "the search timed out); to score it anyway, return its list of hits: "
        "{'hits': [{'id': 'a'}], 'timeoutHits': True}"
    )


def test_a_flag_in_what_holds_the_hits() -> None:
    assert "timed_out is True" in refusal({"hits": {"timed_out": True, "hits": []}})


def test_the_response_object_of_a_client_with_names_in_the_style_of_python() -> None:
    late = SimpleNamespace(hits=HITS, timeout_hits=True)
    assert "timeoutHits is True" in refusal(late)
    assert ids(SimpleNamespace(hits=HITS, timeout_hits=None)) == ["a"]


NO = {"match-phase": False, "timeout": False}
ALL_SHARDS = {"total": 5, "successful": 5, "skipped": 3, "failed": 0}
ALL_CLUSTERS = {"total": 2, "successful": 2, "skipped": 0, "partial": 0, "failed": 0}
WHOLE: list[dict[str, object]] = [
    elastic(timed_out=False, errors=[], terminated_early=False),
    elastic(_shards=ALL_SHARDS, _clusters={**ALL_CLUSTERS, "running": 0}),
    elastic(errors=np.array([]), error=pd.Series([], dtype=object)),
    elastic(timed_out=np.array([0])),
    elastic(error=np.nan),  # as in a row of a data frame
    solr(partialResults=False),
    solr(partialResults="false"),
    vespa(full=True, coverage=100, degraded=NO),
    azure("coverage", 100.0),
    redis(),
    flat(search_cutoff=False, timeoutHits=False, degraded=False, remoteErrors={}),
    flat(message="ok", status=200, success=True, partial=False),
    flat(status="ok", warnings=["the parameter q is deprecated"]),
    flat(nbHits=9),
    {"hits": {"total": 120, "hits": HITS}},
]


@pytest.mark.parametrize("body", WHOLE)
def test_flags_and_totals_that_say_that_all_is_well_are_no_trouble(
    body: object,
) -> None:
    assert ids(body) == ["a"]


# --- errors ---------------------------------------------------------------------------

ERRORS: dict[str, dict[str, object]] = {
    "Vespa": {"root": {"errors": [{"code": 12}], "children": []}},
    "beside hits": {"error": {"type": "parsing"}, "hits": {"hits": []}},
    "a message in the place of hits": {"message": "Index not found.", "code": "x"},
    "an array": {"error": np.array([3, 7]), "hits": []},
    "a list": {"errors": [{"message": "no such field"}], "results": []},
    "a series": {"error": pd.Series(["no index"]), "hits": HITS},
}


@pytest.mark.parametrize("body", ERRORS.values(), ids=ERRORS)
def test_an_error_in_the_place_of_results_is_refused(body: dict[str, object]) -> None:
    assert refusal(body).startswith("search returned an error: ")


@pytest.mark.parametrize("name", ["hits", "response", "result", "data", "root"])
def test_an_error_in_what_holds_the_results(name: str) -> None:
    message = refusal({name: {"total": 0, "hits": [], "error": {"reason": "no shard"}}})
    says = f"search returned an error: {name}.error is {{'reason': 'no shard'}}"
    assert message.startswith(says)


def test_an_object_with_an_error_beside_hits() -> None:
    response = SimpleNamespace(hits=HITS, error="no index")
    why = "search returned an error: error is 'no index'"
    assert refusal(response) == f"{why}; the response is {response!r}"


# --- totals without a result ----------------------------------------------------------


class WithProperties:
    """As many clients are: the fields are private."""

    hits: tuple[object, ...] = ()

    @property
    def total_count(self) -> int:
        return 7


ELASTIC = "size and from of Elasticsearch or OpenSearch"
MEILISEARCH = "limit and offset of Meilisearch"
ALGOLIA = "hitsPerPage and page of Algolia"
OWN = "its size or limit, and its offset or page"
COUNTED: list[tuple[object, str, str]] = [
    ({"hits": {"total": {"value": 9}, "hits": []}}, "hits.total is 9", ELASTIC),
    ({"hits": {"total": 7, "hits": []}}, "hits.total is 7", ELASTIC),
    ({"response": {"numFound": 9, "start": 0, "docs": []}}, "response.numFound is 9", "rows and start of Solr"),
    ({"found": 5, "out_of": 90, "hits": []}, "found is 5", "per_page and page of Typesense"),
    ({"hits": [], "estimatedTotalHits": 9}, "estimatedTotalHits is 9", MEILISEARCH),
    ({"hits": [], "totalHits": 9}, "totalHits is 9", "hitsPerPage and page of Meilisearch"),
    ({"hits": [], "nbHits": 120, "hitsPerPage": 0}, "nbHits is 120", ALGOLIA),
    ({"root": {"fields": {"totalCount": 12}}}, "root.fields.totalCount is 12", "hits and offset of Vespa"),
    ({"@odata.count": 3, "value": []}, "@odata.count is 3", "top and skip of Azure AI Search"),
    ({"total_results": 7, "warning": [], "results": []}, "total_results is 7", OWN),
    ({"hits": [], "total": 4}, "total is 4", OWN),
    ({"hits": [], "meta": {"page": 9, "total_count": "12"}}, "meta.total_count is 12", OWN),
    ({"hits": [], "count": 0, "total": 120}, "total is 120", OWN),
    (SimpleNamespace(docs=[], total=7), "total is 7", OWN),
    (WithProperties(), "total_count is 7", OWN),
    (SimpleNamespace(hits=[], nb_hits=120), "nb_hits is 120", ALGOLIA),
]  # fmt: skip


@pytest.mark.parametrize(("response", "says", "parameters"), COUNTED)
def test_a_total_without_a_result_is_refused(
    response: object, says: str, parameters: str
) -> None:
    assert refusal(response).startswith(
        f"the response has no results, and says that there are some: {says}. Ask for "
        f"the first results ({parameters}). If the search should count as one that "
        "found nothing, return []: "
    )


@pytest.mark.parametrize(
    "response",
    [
        {"hits": {"total": {"value": 0}, "max_score": None, "hits": []}},
        {"hits": {"hits": []}, "_shards": {"total": 5, "successful": 5, "failed": 0}},
        {"response": {"numFound": 0, "docs": []}, "facets": {"count": 0}},
        {"hits": [], "nbHits": 0, "page": 0, "facets": {"brand": {"acme": 3}}},
        {"value": [], "@odata.count": 0},
        {"hits": [], "estimatedTotalHits": 0, "processingTimeMs": 3, "limit": 20},
        {"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 0}}},
        SimpleNamespace(docs=[], total=0),
    ],
)
def test_a_search_that_found_nothing_is_an_empty_ranking(response: object) -> None:
    assert ids(response) == []


# --- suggestions and groups without a result ------------------------------------------

WORD = {"text": "smrt watch", "options": [{"text": "smart watch", "score": 0.8}]}
BUCKET = {"key": "acme", "doc_count": 3}
ELSEWHERE: dict[str, dict[str, Any]] = {
    "suggest": {"suggest": {"title": [WORD]}, "hits": {"total": 0, "hits": []}},
    "suggestions": {"hits": [], "suggestions": ["smart watch"]},
    "spellcheck": {
        "response": {"numFound": 0, "docs": []},
        "spellcheck": {"suggestions": ["smrt", {"suggestion": ["smart"]}]},
    },
    "grouped_hits": {"hits": [], "found": 0, "grouped_hits": [{"hits": HITS}]},
    "groups": {"hits": [], "groups": [{"hits": HITS}]},
    "aggregations": {
        "hits": {"hits": []},
        "aggregations": {"brand": {"buckets": [BUCKET]}},
    },
    "facets": {"hits": [], "facets": {"brand": {"acme": 3}}},
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_suggestions_and_groups_are_refused_unless_a_case_looks_at_them(
    name: str,
) -> None:
    message = refusal(ELSEWHERE[name])
    why = f"the response has no results, and something else in {name}: "
    assert message.startswith(why)
    assert "or return [] if they should not count: " in message
    assert read_ranking(ELSEWHERE[name], ReadOptions(expects_response=True)).ids == []


def test_words_without_suggestions_and_empty_buckets_are_no_trouble() -> None:
    body = {
        "suggest": {"title": [{"text": "xyzzy", "offset": 0, "options": []}]},
        "spellcheck": {"suggestions": [], "correctlySpelled": True},
        "grouped_hits": [],
        "aggregations": {"brand": {"buckets": [{"key": "acme", "doc_count": 0}]}},
        "hits": {"hits": []},
    }
    assert ids(body) == []


# --- groups of Vespa ------------------------------------------------------------------

BRANDS = [{"id": "group:string:acme", "fields": {"count()": 2}}]
GROUPS = {"id": "group:root:0", "children": [{"id": "brand", "children": BRANDS}]}


def of_vespa(*children: object) -> dict[str, Any]:
    return {"root": {"fields": {"totalCount": 2}, "children": [*children]}}


def test_the_groups_of_vespa_are_no_result() -> None:
    assert ids(of_vespa(GROUPS, {"id": "b"}, {"id": "a"})) == ["b", "a"]


@pytest.mark.parametrize(
    "children",
    [[GROUPS], [{"id": "music", "children": HITS}, {"id": "b"}]],
    ids=["groups alone", "hits of a source"],
)
def test_hits_within_groups_are_not_guessed(children: list[object]) -> None:
    message = refusal(of_vespa(*children))
    assert message.startswith("search returned its hits in groups, [{'id': ")
