"""A case that has a score in the reference and has none now is lost, whatever the
reason.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.plugin.conftest import Project
from tests.plugin.test_baseline_in_pytest import SEARCH, UPDATE, Shop

RECORD, AGAINST = "--relevance-record=main.jsonl", "--relevance-against=main.jsonl"
REQUIRE = ("--relevance-baseline=require", "--relevance-gates=require")
METRICS = """
    def half(grades, judged, k):
        return 0.5 if len(grades) < 3 else None

    def pytest_relevance_metrics():
        return {"half": half}
"""
SUITE = """
    gates: [{passing: 1}, {max_drop: {nDCG@10: 0}}, {max_drop: {half@10: 0}}]
    cases:
      - {query: boots, judgments: {a: 3, b: 0}, min_ndcg: 0.5}
      - {query: hats, judgments: {a: 3, b: 0}}
"""
HATS = "{query: hats, judgments: {a: 3, b: 0}}"


class Loss(NamedTuple):
    """What becomes of the case "hats": how it is written now, what it returns, and why
    it is lost.
    """

    case: str
    returned: str
    why: str


LOSSES = {
    "its only relevant judgment": Loss(
        "{query: hats, judgments: {b: 0}}",
        "x y",
        '1 case has no relevant judgment now ("hats")',
    ),
    "all gains are 0": Loss(
        "{query: hats, judgments: {a: 3, b: 0}, gain: {0: 0, 3: 0}}",
        "x y",
        '1 case has no relevant judgment now ("hats")',
    ),
    "its judgments": Loss(
        "{query: hats, judgments: {}}", "x y", '1 case has no judgments now ("hats")'
    ),
    "the value of an own metric": Loss(
        HATS, "a b x", '1 case has no value of a metric now ("hats", half@10)'
    ),
    "skipped by the case file": Loss(
        "{query: hats, judgments: {a: 3, b: 0}, skip: later}",
        "x y",
        '1 case is marked as skipped ("hats")',
    ),
    "skipped by its search": Loss(HATS, "skip", '1 case was skipped ("hats")'),
}


@pytest.fixture
def shop(project: Project) -> Shop:
    """A shop with a committed baseline and a record of the same day."""
    shop = Shop(project)
    project.conftest(SEARCH + METRICS)
    shop.cases(SUITE)
    shop.returns(boots="a b", hats="a b")
    shop.run(UPDATE, RECORD)
    return shop


@pytest.mark.parametrize("reference", [(), (AGAINST,)], ids=["baseline", "record"])
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_a_lost_case_is_named_by_every_report_and_fails_where_a_reference_is_required(
    shop: Shop, loss: Loss, reference: tuple[str, ...]
) -> None:
    shop.cases(SUITE.replace(HATS, loss.case))
    shop.returns(hats=loss.returned)
    files = "--relevance-markdown=run.md", "--relevance-html=run.html"
    run = shop.run("--relevance-baseline=require", *reference, *files)
    assert run.code == 1
    assert loss.why in " ".join(run.summary.split())
    assert "does not compare 1 case of" in " ".join(run.summary.split())
    assert loss.why in (shop.path / "run.md").read_text("utf-8")
    assert "1 case is lost" in (shop.path / "run.md").read_text("utf-8")
    page = (shop.path / "run.html").read_text("utf-8")
    assert loss.why.replace('"', "&quot;") in page


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["here", "xdist"])
def test_junk_for_a_case_without_a_relevant_judgment_is_not_green(
    shop: Shop, workers: tuple[str, ...]
) -> None:
    """A floor, passing: 1 and max_drop: 0 are all met, and yet nothing looks at the
    case.
    """
    shop.cases(SUITE.replace(HATS, LOSSES["its only relevant judgment"].case))
    shop.returns(hats="x y")
    assert shop.run(*REQUIRE, *workers).code == 1
    assert shop.run(UPDATE, *REQUIRE).code == 0  # which accepts it
    assert shop.run(*REQUIRE, *workers).code == 0


def test_a_case_that_was_not_searched_is_lost(shop: Shop) -> None:
    shop.returns(boots="boom")
    run = shop.run("--relevance-give-up=1", *REQUIRE)
    summary = " ".join(run.summary.split())
    assert '1 case was not searched ("hats")' in summary
    assert '1 case ended in an error ("boots")' in summary


def test_an_update_accepts_that_a_mark_skips_a_case_and_keeps_its_ranking(
    shop: Shop,
) -> None:
    shop.cases(SUITE.replace(HATS, LOSSES["skipped by the case file"].case))
    assert shop.run(*REQUIRE).code == 1
    shop.run(UPDATE)
    assert shop.run(*REQUIRE).code == 0
    shop.cases(SUITE)
    shop.returns(hats="x y")
    run = shop.run(*REQUIRE)
    assert run.outcomes["hats"] == "failed"  # it is compared with the ranking of before


def test_an_update_does_not_accept_that_a_search_skips(shop: Shop) -> None:
    shop.returns(hats="skip")
    shop.run(UPDATE)
    assert shop.run(*REQUIRE).code == 1


def test_a_metric_that_nobody_asks_for_any_more_is_not_lost(shop: Shop) -> None:
    shop.cases(SUITE.replace(", {max_drop: {half@10: 0}}", ""))
    assert shop.run(*REQUIRE).code == 0


def test_a_metric_of_the_suite_that_no_judgment_is_relevant_to_is_lost(
    project: Project,
) -> None:
    shop = Shop(project)
    suite = """
        expect: {"Success(rel=3)@3": 1}
        cases:
          - {query: boots, judgments: {a: 3}}
          - {query: hats, judgments: {a: 3, b: 1}}
    """
    shop.cases(suite)
    shop.returns(boots="a", hats="a b")
    shop.run(UPDATE)
    shop.cases(suite.replace("{a: 3, b: 1}", "{b: 1}"))
    shop.returns(hats="b")
    run = shop.run(*REQUIRE)
    assert run.code == 1
    lost = '1 case has no value of a metric now ("hats", Success(rel=3)@3)'
    assert lost in " ".join(run.summary.split())


def test_a_floor_of_the_suite_names_the_cases_that_it_does_not_hold(
    project: Project,
) -> None:
    """Without a reference, too, a floor does not pass in silence."""
    project.conftest()
    project.cases("""
        min_ndcg: 0.8
        cases: [{query: a b, judgments: {a: 3}}, {query: c d, judgments: {a: 0}}]
    """)
    run = project.run("-q", "--relevance-markdown=run.md")
    said = "min_ndcg 0.8 of the suite does not hold 1 of 2 cases"
    assert said in " ".join(run.summary.split())
    assert said in (project.path / "run.md").read_text("utf-8")


def test_a_wrong_column_of_grades_does_not_pass(project: Project) -> None:
    project.conftest()
    project.write(
        "judgments.csv", "query,document,grade,clicks\na b,a,3,0\nc d,c,3,0\n"
    )
    project.cases("""
        min_ndcg: 0.8
        judgments: {file: judgments.csv, grade_column: clicks}
        cases: [{query: a b}, {query: c d}]
    """)
    run = project.run()
    assert run.code == pytest.ExitCode.INTERRUPTED
    assert "min_ndcg: it applies to no case" in run.text
