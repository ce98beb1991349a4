"""When a search shows that it returns so many results whatever it is asked for, and
which cutoffs look deeper.

The results of a search are written as a case each: how many results it returned, of how
many that were asked for. `10/50=` says that ten are the default of its parameter k.
"""

from dataclasses import replace

import pytest

from pytest_relevance import CaseResult
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.results.responses.read_ranking import read_ranking
from pytest_relevance.results.unseen import (
    find_limit,
    find_undecided,
    unreached_cutoff,
)
from tests.helpers import scored

FILE = "shop.relevance.yaml"
DEEP = "expect: {exclude: {docs: [x], within: 50}}"
USUAL = "expect: {exclude: [x]}"


def results_of(written: str, keys: str = DEEP) -> list[CaseResult]:
    """The results of cases that have these keys."""
    results = []
    for number, text in enumerate(written.split()):
        returned, _, asked = text.rstrip("=").partition("/")
        suite = f"cases: [{{query: q{number}, {keys}}}]"
        case = parse_suite(suite.encode(), FILE).cases[0]
        found = [f"d{rank}" for rank in range(int(returned))]
        result = replace(scored(case, found, asked=int(asked or 0)), file=FILE)
        if text.endswith("="):
            result = replace(result, ranking=replace(result.ranking, is_default_k=True))
        results.append(result)
    return results


@pytest.mark.parametrize(
    ("written", "limit"),
    [
        ("10/50 10/50 10/50", 10),
        ("10 10 10", 10),  # the search takes no k
        ("10/50 10/50", None),  # two cases show nothing
        ("10/50=", 10),  # but for the default of k
        ("12/50 12/50 12/50", 12),
        ("12/50 12/50 12/50 5/5", None),  # k is handed on
        ("10/50 10/10 10/10", None),  # full rankings
        ("10/50= 10/10 10/10", 10),  # as many as the default of k are no sign that it is
        ("12/50 50/50 50/50 50/50", None),
        ("3/50 12/50 5/50", None),  # all that there is to each query
        ("", None),
    ],
)  # fmt: skip
def test_a_limit_is_shown_by_all_cases_together(
    written: str, limit: int | None
) -> None:
    found = find_limit(results_of(written))
    assert (None if found is None else found.count) == limit


@pytest.mark.parametrize(
    ("keys", "cases", "undecided"),
    [(DEEP, 2, 0), (DEEP, 3, 3), (USUAL, 9, 0), (USUAL, 10, 10)],
)
def test_the_usual_depth_needs_ten_cases(keys: str, cases: int, undecided: int) -> None:
    """Rankings with fewer than ten results are common."""
    results = results_of("5/50 " * cases, keys)
    assert len(find_undecided(results, [FILE])) == undecided
    assert find_undecided(results, []) == {}  # not all of the file ran


@pytest.mark.parametrize(
    ("keys", "cutoff"),
    [
        ("judgments: {d1: 1}, expect: {R@100: 0.5}", 100),
        ("k: 100", 100),
        ("expect: {overlap@50: 0.5}", 50),
        ("expect: {include: {docs: [d1], within: 30}}", 30),
        ("expect: {same_as: {query: boots, overlap@50: 0.5}}", 50),
        ("judgments: {d1: 1}", 0),  # nobody has written the usual k
        ("judgments: {d1: 1}, expect: {R@10: 0.5}", 0),  # so deep it goes
    ],
)
def test_the_deepest_cutoff_that_a_case_writes(keys: str, cutoff: int) -> None:
    case = parse_suite(f"cases: [{{query: q, {keys}}}]".encode(), FILE).cases[0]
    ranking = read_ranking([f"d{rank}" for rank in range(10)])
    assert unreached_cutoff(case, ranking) == cutoff
