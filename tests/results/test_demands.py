"""What a test demands: how it is kept, and which changes of it are stricter."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.cases.model import Case, Terms
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import CaseCall
from pytest_relevance.results.case_result import MEASURED, PASSED
from pytest_relevance.results.outcomes import similarity_outcomes, similarity_scores
from pytest_relevance.results.records.demand_changes import (
    DemandedOfCase,
    changes_of_case,
    changes_of_gates,
)
from pytest_relevance.results.records.demands import (
    CaseDemands,
    DemandChange,
    DemandsOfSuite,
    own_demands,
    read_demands,
)
from pytest_relevance.results.records.marks import MarksOfCase, read_marks
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.read_ranking import read_ranking
from pytest_relevance.results.scoring import score_case
from tests.helpers import case_of, gate_record, gates_of

GRADES = {"a": 3, "b": 1, "c": 0}
DOCUMENTS = "abcd"


def demands_of(**keys: Any) -> CaseDemands:
    """What a case with these keys demands."""
    case = case_of({"query": "q", "judgments": GRADES, **keys})
    return DemandsOfSuite(Terms(), tolerance=0.05).of(case)


def changes(before: CaseDemands, now: CaseDemands) -> list[DemandChange]:
    return [*changes_of_case(DemandedOfCase(before), DemandedOfCase(now))]


def kinds_of_changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The changes between two cases: `looser min_ndcg`."""
    found = []
    for change in changes(demands_of(**before), demands_of(**now)):
        how = "looser" if change.is_looser else "stricter"
        found.append(f"{how} {change.key}")
    return found


SAME: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"expect": {"P@5": 0.4}}, {"expect": {"P@5": ">= 0.4"}}),
    ({"expect": {"include": ["a", "b"]}}, {"expect": {"include": ["b", "a"]}}),
    ({"k": 3, "expect": {"include": "a"}},
     {"k": 3, "expect": {"include": {"docs": "a", "within": 3}}}),
    ({"expect": {"within": {"a": 3}}}, {"expect": {"within": {"a": "< 4"}}}),
    ({"expect": {"order": ["a", "b"]}}, {"expect": {"order": [["a"], ["b"]]}}),
    ({"expect": {"every": {"x": [1, 2]}}}, {"expect": {"every": {"x": [2, 1]}}}),
    ({"tolerance": 0.05}, {}),
    ({"gain": "exponential"}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("before", "now"), SAME)
def test_another_order_or_spelling_is_no_change(
    before: dict[str, Any], now: dict[str, Any]
) -> None:
    assert kinds_of_changes(before, now) == []
    assert kinds_of_changes(now, before) == []


STRICTER: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"min_ndcg": 0.5}),
    ({"min_ndcg": 0.5}, {"min_ndcg": 0.7}),
    ({}, {"tolerance": 0.01}),
    ({}, {"expect": {"P@5": 0.2}}),
    ({}, {"expect": {"ERR@5": 0.1}}),
    ({"expect": {"results": 0, "every": {"x": 1}}}, {"expect": {"results": 0, "every": {"x": 1}, "none": {"y": 1}}}),
    ({"expect": {"P@5": 0.2}}, {"expect": {"P@5": 0.4}}),
    ({"expect": {"P@5": 0.2}}, {"expect": {"P@5": "> 0.2"}}),
    ({"expect": {"first": "a"}}, {"expect": {"first": ["a", "b"]}}),
    ({"expect": {"include": "a"}}, {"expect": {"include": ["a", "b"]}}),
    ({"expect": {"include": "a"}}, {"expect": {"include": {"docs": "a", "within": 2}}}),
    ({"expect": {"exclude": "c"}}, {"expect": {"exclude": {"docs": "c", "within": 20}}}),
    ({"expect": {"within": {"a": 3}}}, {"expect": {"within": {"a": 2}}}),
    ({"expect": {"order": ["a", "b"]}}, {"expect": {"order": ["a", "c", "b"]}}),
    ({"expect": {"results": "<= 5"}}, {"expect": {"results": "< 5"}}),
    ({"expect": {"latency": "<= 200 ms"}}, {"expect": {"latency": "<= 150 ms"}}),
    ({"expect": {"every@3": {"x": [1, 2]}}}, {"expect": {"every@5": {"x": 1, "y": 2}}}),
    ({"expect": {"some@5": {"x": "> 1"}}}, {"expect": {"some@5": {"x": "> 2"}}}),
    ({"expect": {"none@3": {"x": "> 5"}}}, {"expect": {"none@5": {"x": "> 2"}}}),
    ({"expect": {"at_most": {"x": 3}}}, {"expect": {"at_most": {"x": 2}}}),
    ({"expect": {"response": {"a.b": "> 1"}}}, {"expect": {"response": {"a.b": "> 2", "c": None}}}),
    ({"expect": {"response": {"a": [1, 2]}}}, {"expect": {"response": {"a": 1}}}),
    ({"expect": {"same_as": {"query": "r", "overlap": 0.5}}}, {"expect": {"same_as": "r"}}),
]  # fmt: skip


@pytest.mark.parametrize(("before", "now"), STRICTER)
def test_a_stricter_demand_and_the_way_back(
    before: dict[str, Any], now: dict[str, Any]
) -> None:
    (stricter,) = kinds_of_changes(before, now)
    (looser,) = kinds_of_changes(now, before)
    assert stricter.startswith("stricter "), stricter
    assert looser.startswith("looser "), looser


LOOSER: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"k": 5}, {"k": 10}),
    ({"k": 10}, {"k": 5}),
    ({}, {"min_judged": 0.5}),
    ({"min_judged": 0.5}, {}),
    ({}, {"gain": "linear"}),
    ({}, {"search": "other_search"}),
    ({}, {"usefixtures": ["good_index"]}),
    ({}, {"depth": 50}),
    ({}, {"id_field": "sku"}),
    ({"expect": {"P@5": 0.2}}, {"expect": {"P@10": 0.2}}),
    ({"expect": {"none": {"x": 1}}}, {"expect": {"none": {"x": 1, "y": 2}}}),
    ({"expect": {"none": {"x": 1, "y": 2}}}, {"expect": {"none": {"x": 1}}}),
    ({"expect": {"some": {"x": [1, 2]}}}, {"expect": {"some": {"x": 1}}}),
    ({"expect": {"response": {"a": 1}}}, {"expect": {"response": {"b": 1}}}),
    ({"expect": {"response": {"a": None}}}, {"expect": {"response": {"a": 1}}}),
    ({"expect": {"same_as": "r"}}, {"expect": {"same_as": "s"}}),
    # 1 equals True in Python
    ({"expect": {"every": {"x": True}}}, {"expect": {"every": {"x": 1}}}),
    # a result at rank 3 without the field was an error
    ({"expect": {"some@3": {"x": 1}}}, {"expect": {"some@2": {"x": 1}}}),
    ({"expect": {"some@2": {"x": 1}}}, {"expect": {"some@3": {"x": 1}}}),
    # an empty ranking may pass now
    ({}, {"expect": {"results": 0}}),
    ({"expect": {"every": {"x": 1}}}, {"expect": {"every": {"x": 1}, "results": 0}}),
    ({"expect": {"results": "<= 5"}}, {"expect": {"results": "< 1"}}),
]  # fmt: skip


@pytest.mark.parametrize(("before", "now"), LOOSER)
def test_what_is_not_provably_stricter_is_looser(
    before: dict[str, Any], now: dict[str, Any]
) -> None:
    (change,) = kinds_of_changes(before, now)
    assert change.startswith("looser ")


def of_scale(top: float, gate: Mapping[str, Any]) -> CaseDemands:
    """What a suite with a scale and a gate demands of its cases."""
    terms = Terms(gates=tuple(gates_of(gate)), settings=Settings(max_grade=top))
    return DemandsOfSuite(terms, tolerance=0.05).suite


def test_a_scale_counts_if_a_gate_depends_on_it() -> None:
    of_err, of_ndcg = {"mean": {"ERR@10": 0.5}}, {"mean": {"nDCG@10": 0.5}}
    scale = [DemandChange("scale", 4, 2)]
    assert changes(of_scale(4, of_err), of_scale(2, of_err)) == scale
    assert changes(of_scale(4, of_ndcg), of_scale(2, of_ndcg)) == []
    assert changes(of_scale(4, of_ndcg), of_scale(4, of_err)) == []


def test_two_expectations_in_the_place_of_one() -> None:
    before = demands_of(expect={"every@3": {"x": 1}})
    now = demands_of(expect={"every@1": {"x": 1}, "every@2": {"x": 1}})
    looser, new = changes(before, now)
    assert looser.is_looser
    assert looser.now["name"] == "every@1"
    assert (new.is_looser, new.now["name"]) == (False, "every@2")


def test_an_expectation_that_is_gone_or_new() -> None:
    before = demands_of(expect={"include": "a", "P@5": 0.2})
    now = demands_of(expect={"exclude": "c", "P@5": 0.1})
    include = {"kind": "include", "documents": ["a"]}
    exclude = {"kind": "exclude", "documents": ["c"]}
    loose, tight = (
        {"kind": "metric", "name": "P@5", "metric": True, "bound": bound}
        for bound in (0.1, 0.2)
    )
    assert changes(before, now) == [
        DemandChange("expect", include, None),
        DemandChange("expect", tight, loose),
        DemandChange("expect", None, exclude, is_looser=False),
    ]


# --- marks ----------------------------------------------------------------------------


ANY = {"xfail_raises": "any"}


class CaseFailure(Exception):
    """Has the name of the exception that the key `xfail` of a case expects."""


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        (pytest.mark.skip(reason="flaky"), MarksOfCase(skip="flaky")),
        (pytest.mark.skip("flaky"), MarksOfCase(skip="flaky")),
        (pytest.mark.skipif(True, reason="no GPU"), MarksOfCase(skip="no GPU")),
        (pytest.mark.skipif(False, reason="no GPU"), MarksOfCase()),
        (pytest.mark.skipif("os.name == 'x'"),
         MarksOfCase(skip="", limits={"skip_if": "os.name == 'x'"})),
        (pytest.mark.xfail(reason="later"), MarksOfCase(xfail="later", limits=ANY)),
        (pytest.mark.xfail(False, reason="later"), MarksOfCase()),
        (pytest.mark.xfail(strict=True),
         MarksOfCase(xfail="", is_strict=True, limits=ANY)),
        (pytest.mark.xfail(raises=CaseFailure), MarksOfCase(xfail="")),
        (pytest.mark.xfail(raises=(OSError, KeyError), run=False),
         MarksOfCase(xfail="", limits={"xfail_raises": "KeyError or OSError",
                                       "xfail_run": False})),
    ],
)  # fmt: skip
def test_a_mark_that_may_hold_counts(
    mark: pytest.MarkDecorator, expected: MarksOfCase
) -> None:
    assert read_marks([mark.mark], is_strict=False) == expected


def test_a_mark_that_counts_for_certain_ends_the_conditions() -> None:
    on_x = pytest.mark.skipif("os.name == 'x'", reason="no GPU")
    marks = [on_x.mark, pytest.mark.skip("flaky").mark]
    assert read_marks(marks, is_strict=False).limits == {}


@pytest.mark.parametrize(
    ("wide", "narrow", "told"),
    [
        ({}, {"condition": "os.name == 'nt'"}, "xfail_if"),
        ({}, {"raises": KeyError}, "xfail_raises"),
        ({}, {"raises": CaseFailure}, "xfail_raises"),
        ({"run": False}, {}, "xfail_run"),
    ],
)
def test_a_mark_that_lets_more_pass_is_looser(
    wide: dict[str, Any], narrow: dict[str, Any], told: str
) -> None:
    both = []
    for values in (wide, narrow):
        marks = read_marks([pytest.mark.xfail(**values).mark], is_strict=False)
        case = case_of({"query": "q", "judgments": GRADES})
        both.append(DemandsOfSuite(Terms(), tolerance=0.05).of(case, marks))
    (stricter,) = changes(both[0], both[1])
    (looser,) = changes(both[1], both[0])
    assert (stricter.key, stricter.is_looser) == (told, False)
    assert (looser.key, looser.is_looser) == (told, True)
    assert changes(both[1], CaseDemands(xfail="later", marks=both[1].marks)) == []


def test_a_case_that_is_skipped_or_expected_to_fail_is_looser() -> None:
    plain = CaseDemands()
    for key, marked, again in (
        ("skip", CaseDemands(skip="flaky"), CaseDemands(skip="slow")),
        ("xfail", CaseDemands(xfail="flaky"), CaseDemands(xfail="later")),
    ):
        assert changes(plain, marked) == [DemandChange(key, None, "flaky")]
        (back,) = changes(marked, plain)
        assert not back.is_looser
        assert changes(marked, again) == []
    strict = CaseDemands(xfail="later", is_strict=True)
    (change,) = changes(strict, CaseDemands(xfail="later"))
    assert (change.key, change.is_looser) == ("strict", True)


# --- judgments, weights and tags ------------------------------------------------------


def test_what_stands_beside_the_demands() -> None:
    before = DemandedOfCase(None, 1, ("head", "uk"), "digest")
    same = DemandedOfCase(None, 1.0, ("uk", "head"), "digest")
    assert [*changes_of_case(before, same)] == []
    assert [*changes_of_case(DemandedOfCase(None), same)] == []
    now = DemandedOfCase(None, 2, ("uk",), "other")
    assert [*changes_of_case(before, now)] == [
        DemandChange("weight", 1, 2),
        DemandChange("tags", ["head", "uk"], ["uk"]),
        DemandChange("judgments"),
    ]


def test_changed_passages_are_called_so() -> None:
    before = DemandedOfCase(None, 1, (), "digest")
    now = DemandedOfCase(None, 1, (), "other", has_passages=True)
    assert [*changes_of_case(before, now)] == [DemandChange("passages")]


# --- gates ----------------------------------------------------------------------------

MEAN = {"mean": {"nDCG@10": 0.7}}
DROP = {"max_drop": {"nDCG@10": 0.02}}
TWO_DROPS = {"max_drop": {"nDCG@10": 0.02, "RR": 0.02}}


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (MEAN, {"mean": {"nDCG@10": 0.8}}),
        (MEAN, {"mean": {"nDCG@10": 0.7, "RR": 0.5}}),
        (DROP, {"max_drop": {"nDCG@10": 0.01}}),
        (DROP, TWO_DROPS),
        ({**DROP, "p": 0.05}, DROP),
        ({"passing": 0.9}, {"passing": 0.95}),
        ({"min": {"P@5": 0.3}}, {"min": {"P@5": 0.4}}),
        ({"min": {"characters@5": 9}}, {"min": {"characters@5": 8}}),
        ({"p10": {"P@5": 0.3}}, {"p5": {"P@5": 0.3}}),
        ({"latency": {"p50": "<= 200 ms"}}, {"latency": {"p50": "< 200 ms"}}),
    ],
)
def test_a_stricter_gate_and_the_way_back(
    before: dict[str, Any], now: dict[str, Any]
) -> None:
    (first,), (second,) = gates_of(before), gates_of(now)
    (stricter,) = changes_of_gates([first], [second])
    (looser,) = changes_of_gates([second], [first])
    assert not stricter.is_looser
    assert looser.is_looser


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (MEAN, {**MEAN, "tag": "head"}),
        ({**DROP, "p": 0.05}, {**TWO_DROPS, "p": 0.05}),
        ({**DROP, "p": 0.05}, {**DROP, "p": 0.1}),  # a small p may be void
        ({**DROP, "p": 0.1}, {**DROP, "p": 0.05}),
        (MEAN, DROP),
        ({"p10": {"P@5": 0.3}}, {"p5": {"P@5": 0.2}}),
        ({"p5": {"P@5": 0.3}}, {"min": {"P@5": 0.3}}),  # which leaves xfail out
    ],
)
def test_a_gate_that_is_not_provably_stricter(
    before: dict[str, Any], now: dict[str, Any]
) -> None:
    (first,), (second,) = gates_of(before), gates_of(now)
    assert any(change.is_looser for change in changes_of_gates([first], [second]))


class Unequal:
    """A value of another package that cannot be compared."""

    def __eq__(self, other: object) -> bool:
        raise TypeError

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("value", [True, [1], Unequal()])
def test_a_gate_of_another_package_with_another_value(value: object) -> None:
    before, now = gate_record("cheap", value=1), gate_record("cheap", value=value)
    assert [change.is_looser for change in changes_of_gates([before], [now])] == [True]
    same = gate_record("cheap", value=1.0)
    assert [*changes_of_gates([before], [same])] == []


def test_an_id_and_the_order_of_gates_do_not_matter() -> None:
    mean, passing = gates_of(MEAN, {"passing": 1})
    (named,) = gates_of({**MEAN, "id": "quality"})
    assert [*changes_of_gates([mean, passing], [passing, named])] == []


# --- what is kept ---------------------------------------------------------------------


def test_a_case_keeps_what_differs_from_its_suite() -> None:
    suite = demands_of(min_ndcg=0.5, expect={"P@5": 0.2, "include": "a"})
    assert own_demands(suite, suite) == {}
    case = demands_of(gain="linear", expect={"P@5": 0.4})
    assert own_demands(case, suite) == {
        "min_ndcg": None,
        "expect": [{"kind": "metric", "name": "P@5", "metric": True, "bound": 0.4}],
        "without": ["include"],
        "settings": {"gain": "linear"},
    }


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"min_ndcg": "high"}, "demands.min_ndcg: expected a number or null"),
        ({"min_ndcg": 2}, "min_ndcg: 2 is not a number from 0 to 1"),
        ({"k": 0}, "k: 0 is not a cutoff"),
        ({"settings": [1]}, "demands.settings: expected an object"),
        ({"expect": [{"kind": "metric", "name": "P@0", "metric": True}]}, "P@0"),
        ("floor", "demands: expected an object"),
    ],
)
def test_a_damaged_demand_is_an_error(own: object, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        read_demands(CaseDemands(), own)


# --- properties -----------------------------------------------------------------------

SHARES = st.sampled_from([0.0, 0.25, 0.5, 1.0])
SOME_DOCUMENTS = st.lists(
    st.sampled_from(DOCUMENTS), min_size=1, max_size=3, unique=True
)
DEPTHS = st.none() | st.integers(1, 4)


def at_depth(documents: list[str], within: int | None) -> object:
    return documents if within is None else {"docs": documents, "within": within}


def comparisons(numbers: st.SearchStrategy[Any], *signs: str) -> st.SearchStrategy[str]:
    return st.builds("{} {}".format, st.sampled_from(signs), numbers)


CONDITIONS = st.dictionaries(
    st.sampled_from(["brand", "price"]),
    comparisons(st.integers(1, 3), ">=", ">", "<", "<=", "!=")
    | st.lists(st.integers(1, 3), min_size=1, max_size=2, unique=True),
    min_size=1,
)
EXPECTATIONS: dict[str, st.SearchStrategy[Any]] = {
    "P@2": SHARES | comparisons(SHARES, ">=", ">", "<=", "<", "=="),
    "RR": SHARES | comparisons(SHARES, ">=", "<=", "=="),
    "first": SOME_DOCUMENTS,
    "include": st.builds(at_depth, SOME_DOCUMENTS, DEPTHS),
    "exclude": st.builds(at_depth, SOME_DOCUMENTS, DEPTHS),
    "within": st.dictionaries(
        st.sampled_from(DOCUMENTS),
        comparisons(st.integers(2, 4), "<=", "<", ">", ">=", "=="),
        min_size=1,
        max_size=2,
    ),
    "order": st.permutations(DOCUMENTS).flatmap(
        lambda documents: st.sampled_from(
            [documents[:2], documents[:3], [documents[:2], documents[2:3]]]
        )
    ),
    "results": st.just(0) | comparisons(st.integers(1, 4), "<=", "<", "==", ">=", ">"),
    "latency": comparisons(st.integers(1, 3).map("{} s".format), "<=", "<"),
    "same_as": st.just("r")
    | st.dictionaries(
        st.sampled_from(["overlap", "overlap@2"]),
        SHARES | comparisons(SHARES, ">=", ">", "<=", "=="),
        min_size=1,
        max_size=1,
    ).map(lambda overlap: {"query": "r", **overlap}),
    **dict.fromkeys(
        ("overlap@2", "jaccard@2", "rbo@2"),
        SHARES | comparisons(SHARES, ">=", ">", "<=", "<", "=="),
    ),
    "every": CONDITIONS,
    "some@2": CONDITIONS,
    "some@3": CONDITIONS,
    "none": CONDITIONS,
    "at_most": st.dictionaries(
        st.sampled_from(["brand", "price"]), st.integers(1, 3), min_size=1
    ),
}
KEYS = st.fixed_dictionaries(
    {}, optional={"min_ndcg": SHARES, "tolerance": SHARES, "k": st.integers(2, 3)}
)
ORDERS = [order for size in range(5) for order in permutations(DOCUMENTS, size)]
FIELDS = [*product(product((1, 2, 3), (None, 1, 2, 3)), repeat=len(DOCUMENTS))]
"""A brand and a price, if there is one, for each document."""


def ranking(order: tuple[str, ...], fields: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Results in this order, with these fields."""
    results = []
    for document, (brand, price) in zip(order, fields, strict=False):
        result = {"id": document, "brand": brand}
        results.append(result if price is None else {**result, "price": price})
    return results


RANKINGS = st.builds(ranking, st.sampled_from(ORDERS), st.sampled_from(FIELDS))
SEARCHES = st.tuples(RANKINGS, st.integers(1, 3))
"""A ranking, and the seconds that its search took."""
EIGHT_SEARCHES = st.lists(SEARCHES, min_size=8, max_size=8)


def lacks_fields(case: Case, returned: list[dict[str, Any]]) -> bool:
    """Whether a result lacks a field that an expectation looks at: an error."""
    for expected in case.expect:
        for condition in expected.conditions:
            for result in returned[: expected.within or case.k]:
                if condition.path not in result:
                    return True
    return False


ACCEPTED = ["b", "a"]
"""The accepted ranking."""


def passes(
    keys: dict[str, Any], returned: list[dict[str, Any]], latency: float
) -> bool:
    case = case_of({"query": "q", "judgments": GRADES, **keys})
    if lacks_fields(case, returned):
        return False  # an error: a result lacks a field
    found = replace(
        read_ranking(returned, ReadOptions(fields=case.fields)),
        others={"r": ["a", "c", "d"]},
    )
    result = score_case(case, found, CaseCall(latency=latency), 50)
    scores = similarity_scores(result, case.similarities, ACCEPTED)
    compared = similarity_outcomes(case.expect, scores)
    return result.verdict in (PASSED, MEASURED) and all(one.met for one in compared)


def check_that_stricter_is_stricter(
    before: dict[str, Any], now: dict[str, Any], data: st.DataObject
) -> None:
    """Check that what passes now passed before, unless a change is looser."""
    try:
        found = changes(demands_of(**before), demands_of(**now))
    except ValueError:  # what contradicts itself is no case
        return
    if any(change.is_looser for change in found):
        return
    for returned, latency in data.draw(EIGHT_SEARCHES):
        if passes(now, returned, latency):
            assert passes(before, returned, latency)


@pytest.mark.parametrize("name", EXPECTATIONS)
@given(st.data())
def test_what_meets_a_stricter_expectation_meets_the_looser_one(
    name: str, data: st.DataObject
) -> None:
    before, now = data.draw(EXPECTATIONS[name]), data.draw(EXPECTATIONS[name])
    check_that_stricter_is_stricter(
        {"expect": {name: before}}, {"expect": {name: now}}, data
    )


@given(st.data())
def test_what_passes_a_stricter_test_passes_the_looser_one(data: st.DataObject) -> None:
    some_names = st.lists(st.sampled_from([*EXPECTATIONS]), max_size=2)
    alike = data.draw(some_names)
    both = []
    for others in (st.just([]), some_names):  # fewer names are always looser
        keys = dict(data.draw(KEYS))
        names = [*alike, *data.draw(others)]
        expect = {name: data.draw(EXPECTATIONS[name]) for name in names}
        both.append({**keys, "expect": expect} if expect else keys)
    check_that_stricter_is_stricter(both[0], both[1], data)


@given(st.data())
def test_what_a_case_demands_is_read_again(data: st.DataObject) -> None:
    both = []
    for _ in range(2):
        names = data.draw(st.lists(st.sampled_from([*EXPECTATIONS]), max_size=2))
        expect = {name: data.draw(EXPECTATIONS[name]) for name in names}
        try:
            both.append(demands_of(**data.draw(KEYS), expect=expect))
        except ValueError:
            return
    suite, case = both
    own = json.loads(json.dumps(own_demands(case, suite)))
    again = read_demands(suite, own)
    assert again is not None
    assert changes(case, again) == []
    assert own_demands(again, case) == {} or {*again.expect} == {*case.expect}
