"""Which errors are alike: by type, frame and message, without what differs from call to call."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_relevance import CaseResult
from pytest_relevance.results.case_parts import SearchError
from pytest_relevance.results.case_result import ERROR, FAILED
from pytest_relevance.results.faults import faults_of

FRAME = "conftest.py:9 in search"


def failed(query: str, message: str, kind: str = "ConnectionError", frame: str = FRAME, **fields: Any) -> CaseResult:
    error = SearchError(kind, message, frame)
    return CaseResult("shop.relevance.yaml", 1, query, ERROR, error=error, **fields)


def are_alike(first: CaseResult, second: CaseResult) -> bool:
    return len(faults_of([first, second])) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("<Connection object at 0x7f8eb7c27390> refused", "<Connection object at 0x7F8EB7C10890> refused"),
        ("from ('127.0.0.1', 50312) to port 9200", "from ('127.0.0.1', 41788) to port 9200"),
        ("node 10.0.0.1:9200 is down", "node 10.0.0.2:9200 is down"),
        ("at 2026-11-22T06:12:33.123Z: no engine", "at 2026-11-22T06:12:34.5Z: no engine"),
        ("timed out after 2.001 s", "timed out after 2.013 s"),
        ("timed out after 2001ms", "timed out after 987ms"),
        ("request 0d2f1c9e-8a4b-4c1d-9e8f-001122334455", "request 7c1d9e8f-8a4b-4c1d-9e8f-aabbccddeeff"),
        ("trace 4bf92f3577b34da6a3ce929d0e0e4736", "trace 00f067aa0ba902b7a3ce929d0e0e4736"),
        ("no answer to 'boots'", "no answer to 'rain coat'"),
        ("GET /_search?q=boots&size=10", "GET /_search?q=rain+coat&size=10"),
        ("GET /_search?size=10&q=boots", "GET /_search?size=10&q=rain%20coat"),
        ("no engine\nattempt 1", "no engine\nattempt 2"),
        ("in call 2: no engine", "no engine"),
    ],
)
def test_what_differs_from_call_to_call_does_not_count(first: str, second: str) -> None:
    assert are_alike(failed("boots", first), failed("rain coat", second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("HTTP 404", "HTTP 503"),
        ("no index 'a'", "no index 'b'"),
        ("port 9200 refused", "port 9201 refused"),
        ("cannot connect to the engine", "cannot parse the answer"),
    ],
)
def test_other_messages_are_other_errors(first: str, second: str) -> None:
    assert not are_alike(failed("boots", first), failed("rain coat", second))


def test_a_query_that_is_a_word_of_the_message_changes_nothing() -> None:
    message = "cannot connect to the engine"
    assert are_alike(failed("the", message), failed("engine", message))


def test_a_query_with_half_a_character_is_compared_too() -> None:
    assert are_alike(failed("boots \ud800", "no engine"), failed("rain coat", "no engine"))


def test_other_types_and_frames_are_other_errors() -> None:
    assert not are_alike(failed("a", "no engine"), failed("b", "no engine", kind="TimeoutError"))
    assert not are_alike(failed("a", "no engine"), failed("b", "no engine", frame="conftest.py:12 in search"))


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("search returned text, 'BOOTS'; return a list", "search returned text, 'HATS'; return a list", True),
        ("result 1 of 3 has no id: {'sku': 'it''s'}", "result 2 of 10 has no id: {'sku': \"5'\", 'n': [1]}", True),
        ("search returned an int, 17; return a list", "search returned a float, 1.5; return a list", False),
        ("search returned None", "result 1 of 3 has no id: {}", False),
    ],
)
def test_of_a_refusal_the_values_do_not_count(first: str, second: str, alike: bool) -> None:
    assert are_alike(failed("a", first, kind="", frame=""), failed("b", second, kind="", frame="")) is alike


def test_an_error_of_one_case_is_no_fault() -> None:
    assert faults_of([failed("a", "no engine"), failed("b", "no index")]) == {}


def test_a_fault_is_told_by_its_first_case() -> None:
    results = [failed("a", "port 50000", node="shop.relevance.yaml::a"), failed("b", "port 50001")]
    (fault,) = faults_of(results).values()
    assert fault.to_dict() == {
        "kind": "search",
        "message": "ConnectionError: port 50000",
        "frame": FRAME,
        "cases": 2,
        "first": "shop.relevance.yaml::a",
    }


@pytest.mark.parametrize(("outcome", "number"), [("failed", 1), ("skipped", 0), ("xfailed", 0)])
def test_only_cases_that_failed_have_a_fault(outcome: str, number: int) -> None:
    results = [failed(query, "no engine", outcome=outcome) for query in "ab"]
    assert len(faults_of(results)) == number


def unjudged(query: str, **fields: Any) -> CaseResult:
    """A case of whose results none is judged."""
    ranking = {"documents": ("x",), "grades": (None,), "judgments": {1.0: 1}, "missing": (("a", 1.0),)}
    return CaseResult("shop.relevance.yaml", 1, query, FAILED, **{**ranking, **fields})


def test_that_nothing_is_judged_is_a_fault_where_it_holds_of_all_cases_of_a_search() -> None:
    good = CaseResult("shop.relevance.yaml", 1, "c", "passed", judged=1, variant="bm25")
    assert [fault.kind for fault in faults_of([unjudged("a"), unjudged("b")]).values()] == ["ids"]
    assert faults_of([unjudged("a", variant="bm25"), unjudged("b", variant="bm25"), good]) == {}
    assert len(faults_of([unjudged("a"), unjudged("b"), good])) == 1  # of another variant
