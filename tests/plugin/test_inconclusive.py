"""Verdicts where results are unjudged: which of the rules decides when several apply,
and where that is told.
"""

import pytest

from tests.plugin.conftest import Project

# Half or less of every ranking is judged, where all of it should be. Each case is
# decided by the rule that it is named for, although the rule after "before" speaks too.
CASES = """
    scale: [0, 3]
    min_judged: 1
    cases:
      - {id: error before expectation, query: boom, judgments: {a: 3}, min_ndcg: 0.9, expect: {results: 7}}
      - {id: error before too few, query: boom x, judgments: {a: 3}, min_ndcg: 0.9}
      - {id: expectation before wholly above, query: a x, judgments: {a: 3}, min_ndcg: 0.9, expect: {results: 7}}
      - {id: expectation before too few, query: x a, judgments: {a: 3}, min_ndcg: 0.7, expect: {results: 7}}
      - {id: wholly below before too few, query: n x, judgments: {n: 0, b: 3, c: 3}, min_ndcg: 0.9}
      - {id: wholly above before too few, query: a x, judgments: {a: 3}, min_ndcg: 0.9}
      - {id: too few before the floor missed, query: x a, judgments: {a: 3}, min_ndcg: 0.7}
      - {id: too few before the floor met, query: a x y, judgments: {a: 3}, min_ndcg: 0.95}
      - {id: too few before another score met, query: a x, judgments: {a: 3}, expect: {"P@1": 1}}
      - {id: the floor missed, query: x a, judgments: {a: 3}, min_ndcg: 0.7, min_judged: 0.5}
      - {id: the floor met, query: a x y, judgments: {a: 3}, min_ndcg: 0.95, min_judged: 0.3}
      - {id: nothing is expected, query: x a, judgments: {a: 3}}
"""

VERDICTS = {
    "error before expectation": "error",
    "error before too few": "error",
    "expectation before wholly above": "failed",
    "expectation before too few": "failed",
    "wholly below before too few": "failed",
    "wholly above before too few": "passed",
    "too few before the floor missed": "inconclusive",
    "too few before the floor met": "inconclusive",
    "too few before another score met": "inconclusive",
    "the floor missed": "failed",
    "the floor met": "passed",
    "nothing is expected": "measured",
}


@pytest.fixture
def shop(project: Project) -> Project:
    """A case for every pair of rules."""
    project.search('return lambda query: 1 / ("boom" not in query) and query.split()')
    project.cases(CASES)
    return project


def test_the_order_of_the_rules(shop: Project) -> None:
    run = shop.run()
    assert {name: entry.verdict for name, entry in run.results.items()} == VERDICTS
    assert "2 passed, 4 failed, 2 errors, 3 inconclusive, 1 measured" in run.summary


MODES = {
    "fail": ("failed", 1, ()),
    "skip": ("skipped", 0, ("-n1",)),
    "pass": ("passed", 0, ()),
}


@pytest.mark.parametrize("mode", MODES)
def test_inconclusive_is_told_from_failed_in_whatever_way_it_counts(
    shop: Project, mode: str
) -> None:
    outcome, code, workers = MODES[mode]
    run = shop.run(
        f"--relevance-inconclusive={mode}", "-rs", "-k", "few and floor", *workers
    )
    assert set(run.outcomes.values()) == {outcome}
    assert run.code == code
    assert "2 inconclusive" in run.summary
    if mode == "skip":
        said = "SKIPPED [1] shop.relevance.yaml:10: inconclusive: 1 of the top 2 judged"
        assert run.short_summary[0].startswith(said)


def test_junit_has_the_verdicts_in_whatever_way_they_count(shop: Project) -> None:
    for mode in ("fail", "skip"):
        assert {
            name: shop.properties(name)["verdict"]
            for name in shop.junit(f"--relevance-inconclusive={mode}")
        } == VERDICTS
