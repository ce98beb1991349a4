"""Whether the accepted ranking missed a demand as badly: each kind of expectation, by
examples.

A ranking is written as its documents, best first. `a=60` is the document `a` with the
value 60 in the field `price`, `a=x,y` one with two values.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import Case, CaseResult
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.results.case_parts import CaseCall
from pytest_relevance.results.details import with_details
from pytest_relevance.results.records.baseline import Baseline
from pytest_relevance.results.records.baseline_file import read_baseline, write_baseline
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    BaselineEntry,
    entry_of,
)
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.read_ranking import read_ranking
from pytest_relevance.results.scoring import score_case
from tests.helpers import ranking_for, reasons_of

BEFORE, WORSE, NEW = "failed before", "worse than before", "newly missed"

TEN = "a b c d e f g h i j"
"""As many documents as a case looks at: what the search returned below is not kept."""

DOCUMENTS = [
    # what is expected, the accepted ranking, the present one, and what that comes to
    ("first: s", "a s", "a s", BEFORE),
    ("first: s", "a b s", "a s", BEFORE),
    ("first: s", "a s", "a b s", WORSE),
    ("first: s", "a s", "a b", WORSE),
    ("first: s", "a", "b", BEFORE),
    ("first: [s, t]", "s a t", "a s t", WORSE),
    ("first: [s, t]", "a s b t", "s a t", BEFORE),
    ("first: [s, t]", "a s b t", "a b s t", WORSE),
    ("include: {docs: [s], within: 3}", "a b c s", "b a c s", BEFORE),
    ("include: {docs: [s], within: 3}", "a b c d s", "a b c s", BEFORE),
    ("include: {docs: [s], within: 3}", "a b c s", "a b c d s", WORSE),
    ("include: {docs: [s], within: 3}", "a b c s", "a b c d", WORSE),
    ("include: {docs: [s], within: 3}", "a b c d", "a b c d", BEFORE),
    ("include: {docs: [s], within: 3}", "a b c d", "a b c s", BEFORE),
    ("include: {docs: [s], within: 3}", "s a b", "a b c s", NEW),
    ("include: [s, t]", "a t", "a s", WORSE),
    ("include: [s]", f"{TEN} s", f"{TEN} s", BEFORE),
    ("include: [s]", f"{TEN} k s", f"{TEN} s", BEFORE),
    ("include: [s]", f"{TEN} s", f"{TEN} k s", WORSE),
    ("include: [s]", f"{TEN} s", TEN, WORSE),
    ("include: [s]", TEN, TEN, BEFORE),
    ("include: [s]", TEN, f"{TEN} s", BEFORE),
    ("exclude: [s]", "a b s", "b a s", BEFORE),
    ("exclude: [s]", "a s", "a b s", BEFORE),
    ("exclude: [s]", "a b c d e f g h i s", "s a b", WORSE),
    ("exclude: [s]", "a b s", "a s b", WORSE),
    ("exclude: [s, t]", "s t", "s a", BEFORE),
    ("exclude: [s, t]", "s t", "t s", WORSE),
    ("exclude: [s, t]", "s a", "s t", WORSE),
    ("exclude: [s]", "a", "s", NEW),
    ("order: [s, t]", "t s", "t s", BEFORE),
    ("order: [s, t]", "t a s", "t s", BEFORE),
    ("order: [s, t]", "t a b s", "a b t s", BEFORE),
    ("order: [s, t]", "t s", "a b", WORSE),
    ("order: [s, t]", "t s", "t a s", WORSE),
    ("order: [s, t]", "t s", "a b c d t s", WORSE),
    ("order: [s, t]", "t a", "a b", WORSE),
    ("order: [s, t]", "t a", "t b", BEFORE),
    ("order: [s, t]", "a b", "a c", BEFORE),
    ("order: [s, t, u]", "t s u", "u t s", WORSE),
    ("order: {docs: [s, t], within: 2}", "t a s", "t a b s", WORSE),
    ("order: [[s, t], [u]]", "u s t", "s u t", BEFORE),
    ("order: [[s, t], [u]]", "u s t", "s u a t", WORSE),
    ("within: {s: 3}", "a b c s", "b c a s", BEFORE),
    ("within: {s: 3}", "a b c d s", "a b c s", BEFORE),
    ("within: {s: 3}", "a b c s", "a b c d s", WORSE),
    ("within: {s: 3}", "a b c s", "a b c d", WORSE),
    ("within: {s: 3}", f"{TEN} s", f"{TEN} k s", WORSE),
    ('within: {s: "> 3"}', "a s", "b s", BEFORE),
    ('within: {s: "> 3"}', "a s", "a b s", BEFORE),
    ('within: {s: "> 3"}', "a b s", "a s", WORSE),
    ('within: {s: "== 3"}', "a b c d s", "a b c s", BEFORE),
    ('within: {s: "== 3"}', "a b c s", "a b c d s", WORSE),
    ('within: {s: "== 3"}', "a b c s", "a b c", WORSE),
    ('within: {s: "== 3"}', "s a b", "a s b", BEFORE),
    ('within: {s: "== 3"}', "a s b", "s a b", WORSE),
    ('within: {s: "== 3"}', "a s b c", "a b c s", WORSE),
]

FIGURES = [
    ("P@2: 1", "a s", "s a", BEFORE),
    ("P@4: 1", "s t a b", "s a b c", WORSE),
    ('P@2: "<= 0.5"', "s t", "t s", BEFORE),
    ('P@4: "== 0.5"', "s a b c", "s t u v", WORSE),
    ('P@4: "> 0.25"', "a b c d", "s b c d", BEFORE),
    ('results: "<= 2"', "a b c d", "a b c", BEFORE),
    ('results: "<= 2"', "a b c", "a b c d", WORSE),
    ('results: ">= 4"', "a b", "a", WORSE),
    ("results: 2", "a b c", "a b c d", WORSE),
    ("results: 3", "a", "a b", BEFORE),
    ("results: 3", "a", "a b c d e", WORSE),
    ("results: 0", "a", "b", BEFORE),
    ('results: "> 0"', "", "", BEFORE),
    ("results: 0, exclude: [s]", "s", "s a", WORSE),
    ("include: [s]", "", "a b", WORSE),  # an empty ranking tells nothing
    ("P@2: 1, first: t", "s t", "s a", NEW),  # one of two was missed before
    ('latency: "<= 1 ms", include: [s]', "a b", "b a", WORSE),
    ('results: "<= 9"', TEN, TEN, WORSE),  # how many there were is not kept
    ('latency: "<= 1 ms"', "a", "a", WORSE),  # nor is the machine of that day
]

FIELDS = [
    ('every: {price: "< 50"}', "a=60", "a=60", BEFORE),
    ('every: {price: "< 50"}', "a=60", "a=55", BEFORE),
    ('every: {price: "< 50"}', "a=60", "a=6000", WORSE),
    ('every: {price: "> 50"}', "a=40", "a=45", BEFORE),
    ('every: {price: "> 50"}', "a=40", "a=4", WORSE),
    ('every: {price: "< 50"}', "a=60", "b=60", WORSE),
    ('every: {price: "< 50"}', "a=60 b=1", "a=60 b=60", WORSE),
    ('every: {price: "< 50"}', "a=60 b=60", "b=60 c=1", BEFORE),
    ('every: {price: "< 50"}', "a=60,70", "a=65,66", WORSE),
    ('every: {price: "< 50"}', "a=60,70", "a=90,60", BEFORE),
    ('every: {price: "< 50"}', "a=60", "a=null", WORSE),
    ('every: {price: "< 50"}', "a=null", "a=null", BEFORE),
    ("every: {price: red}", "a=blue", "a=blue", BEFORE),
    ("every: {price: red}", "a=blue", "a=green", WORSE),
    ("every: {price: 5}", "a=4", "a=4.0", BEFORE),
    ("every: {price: 5}", "a=4", "a=3", WORSE),
    ("every: {price: [1, 2]}", "a=3", "a=4", WORSE),
    ("every: {price: 2}", "a=1", "a=true", WORSE),
    ("every: {price: {contains: red}}", "a=blue", "a=green", WORSE),
    ("every: {price: red}", "a=blue,pink", "a=pink,blue", BEFORE),
    ('every: {price: "< 50"}', "a=1", "a=60", NEW),
    ("none: {price: red}", "a=1 b=red", "a=1 b=red", BEFORE),
    ("none: {price: red}", "a=1 b=red", "b=red a=1", WORSE),
    ("none: {price: red}", "b=red a=1", "a=1 b=red", BEFORE),
    ('none: {price: "< 50"}', "a=40", "a=45", BEFORE),
    ('none: {price: "< 50"}', "a=40", "a=4", WORSE),
    ('none: {price: "> 50"}', "a=60", "a=55", BEFORE),
    ('none: {price: "> 50"}', "a=60", "a=6000", WORSE),
    ("none: {price: [red, blue]}", "a=red", "a=blue", WORSE),
    ("at_most: {price: 1}", "a=red b=red", "b=red a=red", BEFORE),
    ("at_most: {price: 1}", "a=red b=red", "a=blue b=blue", WORSE),
    ("at_most: {price: 1}", "a=red b=red", "a=red b=red c=red", WORSE),
    ("at_most: {price: 1}", "a=red b=red c=red", "a=red b=red c=1", BEFORE),
    ("some: {price: red}", "a=blue b=green", "b=green c=blue", BEFORE),
    ("some: {price: red}", "a=blue", "a=green", WORSE),
    ("some: {price: red}", "a=blue", "a=null", WORSE),
    ('some: {price: "< 50"}', "a=60 b=80", "a=90 c=55", BEFORE),
    ('some: {price: "< 50"}', "a=60 b=80", "a=80 b=80", WORSE),
    ('some: {price: "< 50"}', "a=60", "a=6000", WORSE),
    ('some: {price: "< 50", id: b}', "a=60 b=70", "b=60 a=70", BEFORE),
    ('some: {price: "< 50", id: b}', "a=40 b=60", "a=90 c=40", WORSE),
    ("some: {price: red}", "a=red", "a=blue", NEW),
    ('response: {0.price: "< 50"}', "a=60", "b=55", BEFORE),
    ('response: {0.price: "< 50"}', "a=60", "a=6000", WORSE),
    ('response: {0.price: "< 50"}', "a=40", "a=60", NEW),
    ('response: {0.price: "< 50", 0.id: a}', "a=60", "b=60", WORSE),
    ("response: {0.price: red}", "a=blue", "a=blue", BEFORE),
    ("response: {0.price: red}", "a=blue", "a=green", WORSE),
    ("response: {0.price: null}", "a=1", "a=1", BEFORE),
    ("response: {0.price: null}", "a=1", "a=2", WORSE),
    ("response: {0.price: null}", "a", "a=2", NEW),
]


def response(ranking: str) -> list[dict[str, Any]]:
    """What a search returns: results with an id, and a price if one is written."""
    results = []
    for written in ranking.split():
        document, _, price = written.partition("=")
        result: dict[str, Any] = {"id": document}
        if price:
            values = [value_of(text) for text in price.split(",")]
            result["price"] = values if "," in price else values[0]
        results.append(result)
    return results


def value_of(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def as_accepted(case: Case, ranking: Ranking, folder: Path) -> BaselineEntry:
    """The entry that accepts a ranking, read from a file."""
    result = with_details(score_case(case, ranking, details=False), case, ranking)
    entry = entry_of(result)
    write_baseline(folder / "baseline", BaselineEntries([entry]))
    return read_baseline(folder / "baseline")[entry.key]


def parsed(expected: str) -> Case:
    """A case with an expectation."""
    judgments = "judgments: {s: 3, t: 3, u: 3, v: 3}, " if "P@" in expected else ""
    suite = f"cases: [{{query: boots, {judgments}expect: {{{expected}}}}}]"
    return parse_suite(suite.encode(), "shop.relevance.yaml").cases[0]


def compared(expected: str, then: str, now: str, folder: Path) -> CaseResult:
    """The result of a case that has returned `then`, and returns `now`."""
    case = parsed(expected)
    accepted = as_accepted(case, ranking_for(case, response(then)), folder)
    present = ranking_for(case, response(now))
    result = score_case(case, present, CaseCall(latency=1), details=False)
    return Baseline(BaselineEntries([accepted]), {}).compare(result, case).result


def came_to(expected: str, then: str, now: str, folder: Path) -> str:
    """What a case comes to that has returned `then`, and returns `now`."""
    found = compared(expected, then, now, folder)
    assert found.verdict == "failed"
    assert found.baseline is not None
    if found.baseline.newly_failing:
        return NEW
    return BEFORE if found.baseline.failed_before else WORSE


@pytest.mark.parametrize(
    ("expected", "then", "now", "is_said"),
    [
        ("include: {docs: [s], within: 3}", "a b c s", "a b c", True),
        ("include: {docs: [s], within: 3}", "a b c s", "b a c s", False),
        ('every: {price: "< 50"}', "a=60", "a=6000", True),
        ('results: "<= 2"', "a b c", "a b c d", True),
        ("first: s", "s", "a", False),  # it is newly missed
    ],
)
def test_a_reason_says_that_it_was_not_as_bad_before(
    expected: str, then: str, now: str, is_said: bool, tmp_path: Path
) -> None:
    found = compared(expected, then, now, tmp_path)
    (reason,) = reasons_of(found)
    assert reason.endswith(" (missed by more than before)") == is_said


def test_a_reason_does_not_say_what_the_reference_does_not_keep(tmp_path: Path) -> None:
    now = parsed("include: [s]")
    entry = as_accepted(parsed("include: [a]"), read_ranking(TEN.split()), tmp_path)
    result = score_case(now, read_ranking([*"bcdefghijk"]), details=False)
    found = Baseline(BaselineEntries([entry]), {}).compare(result, now).result
    assert found.baseline is not None
    assert not found.baseline.failed_before
    (reason,) = reasons_of(found)
    assert "before" not in reason


@pytest.mark.parametrize(
    ("expected", "then", "now", "what"), [*DOCUMENTS, *FIGURES, *FIELDS]
)
def test_a_failure_is_known_if_it_was_as_bad(
    expected: str, then: str, now: str, what: str, tmp_path: Path
) -> None:
    assert came_to(expected, then, now, tmp_path) == what
