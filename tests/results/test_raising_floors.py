"""The ratchet: which floors rise, how far, and what changes in the case file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_relevance import CaseFileError, CaseResult, FileInfo
from pytest_relevance.results.case_result import CHECK
from pytest_relevance.results.ratchet import floors_to_raise, new_floor, raise_floors

INFO = FileInfo("shop.relevance.yaml", items={"boots": 2})


def result(name: str, score: float | None, floor: float | None = 0.5, **fields: object) -> CaseResult:
    found = CaseResult("shop.relevance.yaml", 3, name, "passed", floor=floor, scores={"nDCG@10": score})
    return replace(found, **fields)  # type: ignore[arg-type]


def raised(*results: CaseResult) -> dict[str, float]:
    return {name: new_floor(found) for name, found in floors_to_raise(results, INFO).items()}


def test_a_floor_rises_to_the_score_less_the_tolerance_rounded_down() -> None:
    assert raised(result("hats", 0.7649)) == {"hats": 0.714}
    assert raised(result("hats", 0.7649, tolerance=0.2)) == {"hats": 0.564}
    assert raised(result("hats", 0.55)) == {}  # and is never lowered
    assert raised(result("hats", 0.551)) == {"hats": 0.501}


def test_the_variant_that_reached_least_decides() -> None:
    least, most = result("boots", 0.8, variant="bm25"), result("boots", 0.9, variant="hybrid")
    assert raised(most, least) == {"boots": 0.75}
    assert raised(most) == {}  # the other did not run


@pytest.mark.parametrize(
    "other",
    [
        result("boots", 0.9, verdict="failed", outcome="failed"),
        result("boots", 0.9, outcome="xpassed"),
        result("boots", 0.9, outcome="failed"),  # in the teardown
        result("boots", None),
        result("boots", 0.9, floor=None),
    ],
    ids=["failed", "expected to fail", "failed in the end", "no score", "no floor"],
)
def test_every_item_of_a_case_must_have_passed_with_a_floor(other: CaseResult) -> None:
    assert raised(result("boots", 0.9), other) == {}


def test_checks_of_tests_in_python_have_no_floor_in_a_file() -> None:
    assert raised(result("hats", 0.9, search=CHECK)) == {}


CASES = b"""\
min_ndcg: 0.5
cases:
  - query: hats   # our best
    judgments: {h1: 3}
    min_ndcg: 0.6
  - {query: boots, judgments: {b1: 2}}
"""


def test_only_the_floors_of_the_file_change() -> None:
    found = raise_floors(CASES, "shop.relevance.yaml", "shop.relevance.yaml", {"hats": 0.75, "boots": 0.9})
    assert [(change.case, change.new) for change in found.changes] == [("hats", "0.75"), ("boots", "0.9")]
    assert found.refusals == ()
    changed = CASES.replace(b"0.6", b"0.75").replace(b"{b1: 2}}", b"{b1: 2}, min_ndcg: 0.9}")
    assert found.data.splitlines() == changed.splitlines()


def test_without_floors_the_file_is_not_even_read() -> None:
    assert raise_floors(b"{", "shop.relevance.yaml", "shop", {}).data == b"{"
    with pytest.raises(CaseFileError):
        raise_floors(b"{", "shop.relevance.yaml", "shop", {"hats": 0.75})


SHARED = b"""\
cases:
  - {query: hats, judgments: {h1: 3}, min_ndcg: &floor 0.6}
  - {query: boots, judgments: {b1: 2}, min_ndcg: *floor}
  - {query: socks, judgments: {s1: 2}, min_ndcg: 0.5}
"""


def test_a_floor_that_cannot_rise_does_not_keep_the_others_from_it() -> None:
    found = raise_floors(SHARED, "shop.relevance.yaml", "shop.relevance.yaml", {"hats": 0.75, "socks": 0.8})
    assert [change.case for change in found.changes] == ["socks"]
    (refusal,) = found.refusals
    assert refusal.startswith("shop.relevance.yaml:")
