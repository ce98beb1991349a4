"""What many cases of a run have in common: alike errors, by type, frame and message,
and what a search does wrong.
"""

from typing import Any

import pytest

from pytest_relevance import CaseResult
from pytest_relevance.results.case_parts import Outcome, SearchError
from pytest_relevance.results.case_result import ERROR, FAILED
from pytest_relevance.results.diagnoses import (
    diagnose,
    explained_failures,
    explanation,
    ids_are_known,
)
from pytest_relevance.results.records.run_info import RecordedFault
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.read_ranking import read_ranking
from pytest_relevance.results.scoring import score_case
from tests.helpers import case_of, case_result, result_of

FRAME = "conftest.py:9 in search"


def failed(
    query: str,
    message: str,
    kind: str = "ConnectionError",
    frame: str = FRAME,
    **fields: Any,
) -> CaseResult:
    error = SearchError(kind, message, frame)
    return case_result("shop.relevance.yaml", 1, query, ERROR, error=error, **fields)


def are_alike(first: CaseResult, second: CaseResult) -> bool:
    return len(diagnose([first, second])) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("<Connection object at 0x7f8eb7c27390> refused", "<Connection object at 0x7F8EB7C10890> refused"),
        ("from ('127.0.0.1', 50312) to port 9200", "from ('127.0.0.1', 41788) to port 9200"),
        ("at 2026-11-22T06:12:33.123Z: no engine", "at 2026-11-22T06:12:34.5Z: no engine"),
        ("timed out after 2001ms", "timed out after 987ms"),
        ("request 0d2f1c9e-8a4b-4c1d-9e8f-001122334455", "request 7c1d9e8f-8a4b-4c1d-9e8f-aabbccddeeff"),
        ("trace 4bf92f3577b34da6a3ce929d0e0e4736", "trace 00f067aa0ba902b7a3ce929d0e0e4736"),
        ("no answer to 'boots'", "no answer to 'rain coat'"),
        ("GET /_search?q=boots&size=10", "GET /_search?q=rain+coat&size=10"),
        ("GET /_search?size=10&q=boots", "GET /_search?size=10&q=rain%20coat"),
        ("no engine\nattempt 1", "no engine\nattempt 2"),
        ("in call 2: no engine", "no engine"),
    ],
)  # fmt: skip
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
    assert are_alike(
        failed("boots \ud800", "no engine"), failed("rain coat", "no engine")
    )


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("no id: {'t': '12.1\" a, long...", "no id: {'t': 'Boots, long...", True),
        ("search returned text, 'BOOTS'; return a list", "search returned text, 'HATS'; return a list", True),
        ("result 1 of 3 has no id: {'sku': 'it''s'}", "result 2 of 10 has no id: {'sku': \"5'\", 'n': [1]}", True),
        (
            'result 1 of 3 has no field "sourc", only id, metadata.page and metadata.source; did you mean '
            "metadata.source?; correct id_field in the case file: {'id': 'a'}",
            'result 2 of 9 has no field "sourc", only id and metadata.author; correct id_field in the case file: {}',
            True,
        ),
        (
            'every@3: document "a" at rank 1 has no field "price": the result has id and title',
            'every@3: document "b" at rank 2 has no field "price": the result has id, stock and title',
            True,
        ),
        ("search returned an int, 17; return a list", "search returned a float, 1.5; return a list", False),
        ("search returned None", "result 1 of 3 has no id: {}", False),
    ],
)  # fmt: skip
def test_of_a_refusal_the_values_do_not_count(
    first: str, second: str, alike: bool
) -> None:
    assert (
        are_alike(
            failed("a", first, kind="", frame=""),
            failed("b", second, kind="", frame=""),
        )
        is alike
    )


def test_an_error_of_one_case_is_no_fault() -> None:
    other = (
        failed("c", "no engine", kind="TimeoutError"),
        failed("d", "no engine", frame="conftest.py:12 in search"),
    )
    assert diagnose([failed("a", "no engine"), failed("b", "no index"), *other]) == []


def test_a_fault_is_told_by_its_first_case() -> None:
    results = [
        failed("a", "port 50000", node="shop.relevance.yaml::a"),
        failed("b", "port 50001"),
    ]
    (diagnosis,) = diagnose(results)
    assert diagnosis.fault == RecordedFault(
        kind="search",
        message="ConnectionError: port 50000",
        frame=FRAME,
        cases=2,
        first="shop.relevance.yaml::a",
    )


@pytest.mark.parametrize(
    ("outcome", "number"), [("failed", 1), ("skipped", 0), ("xfailed", 0)]
)
def test_only_cases_that_failed_have_a_fault(outcome: str, number: int) -> None:
    results = [failed(query, "no engine", outcome=outcome) for query in "ab"]
    assert len(diagnose(results)) == number


# --- of a search ----------------------------------------------------------------------


def scored(
    number: int, *documents: str, verdict: str = FAILED, **fields: Any
) -> CaseResult:
    """A case that a search returned these documents for; none of them is judged."""
    keys: dict[str, Any] = {
        "judgments": {1.0: 1},
        "missing": (("j", 1.0),),
        "scores": {"nDCG@10": 0.0},
        "asked": 10,
        "documents": documents,
        "grades": (None,) * len(documents),
        "returned": len(documents),
        "irrelevant_top": documents[:3],
        **fields,
    }
    query = f"query {number}"
    return case_result("shop.relevance.yaml", number, query, verdict, **keys)


def found(*results: CaseResult) -> list[tuple[str, int]]:
    """The kinds of the diagnoses, each with how many cases have it."""
    return [(each.kind, len(each.results)) for each in diagnose(results)]


def told(*results: CaseResult) -> str:
    """What the only diagnosis says."""
    (diagnosis,) = diagnose(results)
    return explanation(diagnosis)


def counting(comparison: str, bound: float) -> Outcome:
    is_met = comparison == "=="
    return Outcome("results", "results", is_met, 0, comparison, bound)


NO_RESULT_EXPECTED = counting("==", 0)


def test_a_search_that_returns_nothing() -> None:
    empty = [scored(number) for number in range(3)]
    expected = scored(3, outcomes=(NO_RESULT_EXPECTED,), verdict="passed")
    some_expected = scored(3, outcomes=(counting(">", 0),))
    judged = scored(4, "a", judged=1)
    assert found(*empty, expected) == [("nothing", 3)]
    assert found(*empty[:2], expected) == []
    assert found(*empty[:2], some_expected) == [("nothing", 3)]
    assert found(*empty, judged) == []
    other_search = scored(4, "a", judged=1, variant="bm25")
    assert found(*empty, other_search) == [("nothing", 3)]
    measured = [scored(number, verdict="measured") for number in range(3)]
    assert found(*measured) == [("nothing", 3)]


def test_cases_that_pass_although_nothing_was_returned() -> None:
    absent = Outcome("exclude", "exclude", met=True, documents=("x",))
    about: dict[str, Any] = {"verdict": "passed", "outcomes": (absent,)}
    passed = [scored(number, **about) for number in range(2)]
    counted = scored(4, verdict="passed", outcomes=(NO_RESULT_EXPECTED, absent))
    others = (scored(3, "a", verdict="passed"), counted, scored(5))
    assert found(*passed, *others) == [("passed empty", 2)]
    assert found(*passed, scored(3, **about)) == [("nothing", 3)]


def test_a_search_that_returns_the_same_document_first() -> None:
    same = [scored(number, "x", f"d{number}") for number in range(6)]
    other = [scored(6, "a"), scored(7, "b")]
    rest = [scored(number, f"c{number}", judged=1) for number in range(8, 11)]
    assert found(*same, *other, *rest) == [("same first", 6)]
    assert 'returned "x" first for 6 of 11 queries' in told(*same, *other, *rest)
    assert found(*same, *rest) == []  # of 9 queries
    assert found(*same[:5], *other, *rest) == []  # of 10 queries half
    as_relevant = [scored(n, "x", irrelevant_top=(), judged=1) for n in range(10)]
    assert found(*as_relevant) == []


def test_a_search_of_which_no_id_is_known() -> None:
    unknown = [scored(number, f"a{number}") for number in range(2)]
    known = scored(2, "j", grades=(1.0,), judged=1, verdict="passed")
    other_search = scored(2, "j", judged=1, variant="bm25")
    assert found(*unknown) == [("ids", 2)]
    assert found(*unknown, known) == []
    assert found(*unknown, other_search) == [("ids", 2)]
    assert found(unknown[0]) == []
    assert not ids_are_known(unknown[0], unknown)
    assert ids_are_known(unknown[0], [*unknown, known])


@pytest.mark.parametrize(
    ("returned", "is_unsorted"),
    [
        ([("a", 3.0), ("b", 2.0), ("c", 2.0)], False),
        ([("a", 1.0), ("b", 2.0), ("c", 3.0)], False),  # distances
        ([("a", 2.0), ("b", 3.0), ("c", 1.0)], True),
        ([("a", 2.0), ("b", None), ("c", 1.0)], False),
        (["a", "b"], False),
    ],
)
def test_whether_the_scores_of_results_are_sorted(
    returned: list[object], is_unsorted: bool
) -> None:
    assert result_of({"query": "q"}, returned).ranking.is_unsorted is is_unsorted


@pytest.mark.parametrize(
    ("about", "kind"),
    [({"is_unsorted": True}, "unsorted"), ({"repeated": 3}, "repeated")],
)
def test_what_most_rankings_have_in_common_though_all_is_green(
    about: dict[str, Any], kind: str
) -> None:
    green: dict[str, Any] = {"judged": 1, "verdict": "passed"}
    mixed = [scored(number, "a", **green, **about) for number in range(2)]
    good = [scored(number, "a", **green) for number in range(2, 4)]
    assert found(*mixed, good[0]) == [(kind, 2)]
    assert "in 2 cases of 3" in told(*mixed, good[0])
    assert found(*mixed, *good) == []
    assert found(*mixed) == []


def test_a_search_that_returns_fewer_than_are_looked_at() -> None:
    """Nobody has written the cutoff, so that ten cases are needed, and most of them
    have to get as many.
    """
    green: dict[str, Any] = {"judged": 1, "verdict": "passed", "irrelevant_top": ()}

    def returning(*documents: str, count: int = 1, **about: Any) -> list[CaseResult]:
        keys = {**green, "asked": 0, "depth": 10, **about}
        return [scored(number, *documents, **keys) for number in range(count)]

    full, few = returning(*"abcde", count=6), returning("a", count=4)
    assert found(*full, *few) == [("fewer", 6)]
    assert told(*full, *few) == (
        "returned at most 5 results, and cutoffs look deeper (to rank 10, in 6 "
        "cases of 10): give it a parameter k, or lower the cutoffs"
    )
    assert found(*full) == []  # too few cases to say so
    assert found(*full[:5], *few, *returning("a")) == []  # as many as a query finds
    assert found(*returning(*"abcde", count=10, asked=10)) == [("fewer", 10)]
    assert found(*returning(*"abcde", count=10, asked=None)) == []
    assert found(*returning(*"abcde", count=10, depth=5)) == []


@pytest.mark.parametrize("asked", [0, 100])
def test_a_written_cutoff_deeper_than_what_any_case_got(asked: int) -> None:
    about: dict[str, Any] = {"judged": 1, "verdict": "passed", "irrelevant_top": ()}
    short = [
        scored(number, *"abcde"[:number], asked=asked, unreached=100, **about)
        for number in range(1, 4)
    ]
    deep = scored(4, *map(str, range(100)), asked=asked, **about)
    assert found(*short) == [("fewer", 3)]
    assert "returned at most 3 results" in told(*short)
    assert "in 3 cases of 3" in told(*short)
    assert found(*short[:2]) == []
    assert found(*short, deep) == []


def test_fields_without_a_value_in_any_result() -> None:
    """Also in one case, and in a case that failed; a value in any result of the search
    is enough.
    """
    empty = scored(0, "a", judged=1, field_values={"price": 0, "brand": 0})
    filled = scored(1, "b", judged=1, field_values={"brand": 2})
    other = scored(2, "b", judged=1, field_values={"price": 3}, variant="bm25")

    assert found(empty) == [("no value", 1)]
    (diagnosis,) = diagnose([empty, filled, other])
    assert diagnosis.results == [empty]
    assert 'no value in the field "price"' in explanation(diagnosis)
    assert diagnose([scored(0, "a", judged=1)]) == []
    assert explained_failures([diagnosis]) == {}


@pytest.mark.parametrize(
    ("values", "count"),
    [
        ([None, None], 0),
        ([float("nan"), ""], 0),
        (["  ", []], 0),
        ([[None, ""], [None]], 0),
        ([0, False], 2),
        ([None, "red"], 1),
        ([["", "red"], None], 1),
    ],
)
def test_in_how_many_results_a_field_has_a_value(
    values: list[object], count: int
) -> None:
    returned = [{"id": f"d{rank}", "field": value} for rank, value in enumerate(values)]
    result = result_of_fields(returned)
    assert result.ranking.field_values == {"field": count}


def test_without_results_there_is_no_field_to_look_at() -> None:
    assert result_of_fields([]).ranking.field_values == {}


def result_of_fields(returned: object) -> CaseResult:
    case = case_of({"query": "q", "expect": {"at_most": {"field": 9}}})
    ranking = read_ranking(returned, ReadOptions(fields=case.fields))
    return score_case(case, ranking)


def test_which_failures_a_diagnosis_explains() -> None:
    empty = [scored(number) for number in range(3)]
    known, passed = scored(3, "a"), scored(4, verdict="passed")
    assert explained_failures(diagnose([*empty, passed])) == {
        result.key: 0 for result in empty
    }
    assert explained_failures(diagnose([*empty, known])) == {}

    mixed = [
        scored(number, f"d{number}", judged=1, is_unsorted=True) for number in range(4)
    ]
    errors = [failed("a", "no engine"), failed("b", "no engine")]
    explained = explained_failures(diagnose([*mixed, *errors]))
    assert [explained[result.key] for result in (*errors, *mixed)] == [0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("texts", "is_common"),
    [
        (["30 days"] * 3 + ["hours"] * 5, True),
        (["30 days"] * 3 + ["hours"] * 6, False),
        (["30 days"] * 5, False),
    ],
)
def test_a_passage_that_many_results_hold(texts: list[str], *, is_common: bool) -> None:
    case = case_of({"query": "q", "passages": ["30 days", "proof of purchase"]})
    ids = tuple(f"d{rank}" for rank in range(len(texts)))
    result = score_case(case, Ranking(ids, texts=tuple(texts)))
    found = [explanation(each) for each in diagnose([result])]
    told = (
        "returned texts of which over a third hold a passage of their case, in 1 case: "
        '"30 days"; if texts hold the words by chance, quote more of them'
    )
    assert found == ([told] if is_common else [])
