"""What a report and the summary say of the baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, FileInfo, RunInfo
from pytest_relevance.reports.failure import failure_lines
from pytest_relevance.reports.run.changed_test import changed_test
from pytest_relevance.reports.run.changed_test_text import (
    change_texts,
    changed_in_words,
)
from pytest_relevance.reports.run.moved_text import moved_sentences
from pytest_relevance.reports.run.summary import SummaryOf, summary_lines
from pytest_relevance.reports.run.uncompared_text import lost_sentences
from pytest_relevance.reports.run.update_advice import next_steps
from pytest_relevance.reports.since_baseline import since_baseline_lines
from pytest_relevance.reports.styled_lines import plain_text
from pytest_relevance.reports.terminal_text import WIDEST, display_width, harmless
from pytest_relevance.results.case_parts import DROP, BaselineComparison, Outcome
from pytest_relevance.results.changes import Change
from pytest_relevance.results.records.run_info import MovedCase
from pytest_relevance.results.scored_ranking import scored_ranking, shares_of_change
from tests.helpers import block, case_result, changed

if TYPE_CHECKING:
    from tests.reports.conftest import Shop

FULL = 1


def report(
    shop: Shop,
    accepted: list[str],
    ranking: object,
    verbosity: int = 0,
    **keys: Any,
) -> str:
    """The report of a ranking, after another one was accepted."""
    found = shop.result(ranking, accepted=accepted, **keys)
    return plain_text(failure_lines(found, verbosity=verbosity))


def dropped(found: CaseResult) -> CaseResult:
    """The result as a regression, by a drop that is told behind `inconclusive`."""
    assert found.baseline is not None
    drop = Outcome(
        found.metric.text,
        DROP,
        met=False,
        value=found.score,
        bound=found.conditions.tolerance,
        before=found.baseline.score,
    )
    reasons = list(found.evaluation.reasons)
    reasons.insert(1 if found.verdict == "inconclusive" else 0, drop)
    return changed(found, verdict="failed", reasons=tuple(reasons))


# --- the report of a case -------------------------------------------------------------


def test_a_report_ends_with_what_changed(shop: Shop) -> None:
    text = report(
        shop,
        ["sku-1", "sku-2", "sku-3"],
        shop.hits("sku-4", "sku-5", "sku-3", "sku-2"),
        k=3,
        min_ndcg=0.5,
    )
    assert text + "\n" == block(
        """
        shop.relevance.yaml:41: nDCG@3 0.116 is below 0.500   (reference 1.000, down 0.884)
        query "winter boots"   search   12.3 ms   4 results; of the top 3, 2 judged

        rank  document                   grade  was  gain  discount     DG    DCG  ideal    IDCG
           1  sku-4  Boot polish, black      0  new     0     1.000  0.000  0.000      3   7.000
           2  sku-5  Rain jacket             -  new     -     1.585      -  0.000      3  11.417
           3  sku-3  Rubber boots            2    3     3     2.000  1.500  1.500      2  12.917
        DCG 1.500 / ideal DCG 12.917 = nDCG@3 0.116     gain exponential, ideal judged, unjudged zero
        nDCG@3 lies between 0.116 and 0.458

        since the reference: nDCG@3 1.000 -> 0.116
          sku-1                          grade 3    1 -> not returned   -0.542
          sku-2  Winter boots Borealis   grade 3    2 -> 4              -0.342
          sku-4  Boot polish, black      grade 0    new at 1             0.000
          sku-5  Rain jacket             unjudged   new at 2             0.000
    """
    )


def test_in_full_it_blames_what_stands_too_high_and_has_the_similarity_too(
    shop: Shop,
) -> None:
    hits = shop.hits("sku-4", "sku-5", "sku-3", "sku-2")
    text = report(shop, ["sku-1", "sku-2", "sku-3"], hits, FULL, k=3, min_ndcg=0.5)
    assert 'too high: sku-4 "Boot polish, black" (grade 0, rank 1)' in text
    assert "lost most by" in text
    assert text.splitlines()[-1] == "  Jaccard@3 0.20, RBO 0.27"


def test_of_many_changes_those_that_cost_most_and_stand_highest_are_shown(
    shop: Shop,
) -> None:
    accepted = ["sku-1", "sku-2", "sku-3", "x", "y", "z", "w"]
    ranking = ["w", "v", "sku-3", "y", "sku-2"]
    text = report(shop, accepted, ranking, min_ndcg=0.9)
    assert text.partition("since the ")[2] + "\n" == block("""
        reference: nDCG@10 1.000 -> 0.326
          sku-1   grade 3    1 -> not returned   -0.542
          sku-2   grade 3    2 -> 5              -0.132
          w       unjudged   7 -> 1               0.000
          v       unjudged   new at 2             0.000
          3 others (-v shows all)                 0.000
    """)
    in_full = report(shop, accepted, ranking, FULL, min_ndcg=0.9)
    assert in_full.partition("new at 2             0.000\n")[2].splitlines()[:3] == [
        "  y       unjudged   5 -> 4               0.000",
        "  x       unjudged   4 -> not returned    0.000",
        "  z       unjudged   6 -> not returned    0.000",
    ]


documents = st.lists(
    st.sampled_from(["sku-1", "sku-2", "sku-3", "sku-4", "x", "y", "z"]), max_size=7
)


@given(accepted=documents.map(lambda found: [*dict.fromkeys(found)]), ranking=documents)
@pytest.mark.parametrize(
    "settings",
    [{}, {"unjudged": "skip"}, {"ideal": "returned"}, {"k": 2, "gain": "linear"}],
)
def test_the_shares_of_what_fell_and_rose_add_up_to_the_change(
    shop: Shop, settings: dict[str, Any], accepted: list[str], ranking: list[str]
) -> None:
    found = shop.result(ranking, accepted=accepted, depth=20, **settings)
    assert found.baseline is not None
    if found.baseline.score is not None and found.score is not None:
        shares = shares_of_change(Change.since_baseline(found), scored_ranking(found))
        change = found.score - found.baseline.score
        assert sum(shares.values()) == pytest.approx(change, abs=1e-9)


FIRST = {"expect": {"first": "sku-1"}}


@pytest.mark.parametrize(
    ("ranking", "accepted", "keys", "line"),
    [
        (["sku-1", "sku-2"], ["sku-1", "sku-2"], {"min_ndcg": 0.9},
         "nDCG@10 0.884 is below 0.900   (reference 0.884)"),
        (["sku-1", "sku-2"], ["sku-2"], {"min_ndcg": 0.9},
         "nDCG@10 0.884 is below 0.900   (reference 0.542, up 0.342)"),
        (["sku-2", "sku-1"], ["sku-1", "sku-2"], FIRST, 'first: rank 1 has "sku-2", expected "sku-1" (at rank 2)'),
    ],
    ids=["the same score", "another score", "not about the score"],
)  # fmt: skip
def test_the_first_line_says_what_the_baseline_was(
    shop: Shop, ranking: list[str], accepted: list[str], keys: Any, line: str
) -> None:
    text = report(shop, accepted, ranking, **keys)
    assert text.splitlines()[0] == f"shop.relevance.yaml:41: {line}"


@pytest.mark.parametrize(
    ("ranking", "accepted", "keys", "lines"),
    [
        (["sku-1", "x", "sku-2", "sku-3"], ["sku-1", "sku-2", "sku-3"], {},
         ["nDCG@10 fell from 1.000 to 0.913, by more than the tolerance of 0.050"]),
        (["x", "sku-1"], ["sku-1", "sku-2"], {"min_ndcg": 0.6, "min_judged": 0.9},
         ["inconclusive: 1 of the top 2 judged, less than min_judged 0.9",
          "  nDCG@10 0.342 is below 0.600   (reference 0.884, down 0.542)"]),
    ],
    ids=["alone, with the tolerance", "in doubt, said first, and the drop once"],
)  # fmt: skip
def test_a_drop(
    shop: Shop, ranking: list[str], accepted: list[str], keys: Any, lines: list[str]
) -> None:
    found = dropped(shop.result(ranking, accepted=accepted, **keys))
    text = plain_text(failure_lines(found, width=160))
    said = text.partition("shop.relevance.yaml:41: ")[2].splitlines()
    assert said[: len(lines)] == lines


SAME = "the ranking is the same"
TODAY = "was 0.750 that day and is 1.000 today: the judgments or settings changed"


@pytest.mark.parametrize(
    ("ranking", "then", "said"),
    [
        (["sku-1", "sku-2", "sku-3"], 1.0, SAME),
        (["sku-1", "sku-2", "sku-3"], None, SAME),
        (["sku-1", "sku-2", "sku-3"], 0.75, f"{SAME}; its score {TODAY}"),
        (
            ["sku-2", "sku-1", "sku-3"],
            0.75,
            "nDCG@10 1.000 -> 1.000 sku-1 grade 3 1 -> 2 -0.200 sku-2 grade 3 2 -> 1 +0.200 "
            f"the score of the accepted ranking {TODAY} too",
        ),
    ],
)
def test_whether_the_ranking_or_the_judgments_changed(
    shop: Shop, ranking: list[str], then: float | None, said: str
) -> None:
    found = shop.result(ranking, accepted=["sku-1", "sku-2", "sku-3"])
    assert found.baseline is not None
    scores = {} if then is None else {found.metric.text: then}
    found = changed(found, baseline=replace(found.baseline, then=scores))
    text = plain_text(failure_lines(found)).partition("since the reference: ")[2]
    assert " ".join(text.split()) == said


def test_a_case_without_judgments_says_what_changed_too(shop: Shop) -> None:
    text = report(shop, ["a", "b"], ["b"], judgments={}, expect={"first": "a"})
    rows = text.partition("since the reference\n")[2].splitlines()
    assert rows == ["  a   1 -> not returned", "  b   2 -> 1"]
    assert "(baseline" not in text


anything = st.text(min_size=1, max_size=60)


@given(
    accepted=st.lists(anything, max_size=12),
    ranking=st.lists(anything, max_size=12),
    title=anything,
)
def test_whatever_documents_are_called_lines_are_harmless_and_narrow(
    shop: Shop, accepted: list[str], ranking: list[str], title: str
) -> None:
    results = [{"id": document, "title": title} for document in ranking]
    found = shop.result(results, {"a": 1}, accepted)
    titles = {**found.texts.titles, **dict.fromkeys(accepted, title)}
    found = changed(found, titles=titles)
    moves = Change.since_baseline(found).moves
    assert moves is not None
    for full in (False, True):
        for line in since_baseline_lines(found, moves, full=full, columns=WIDEST):
            text = plain_text([line])
            assert harmless(text) == text
            assert display_width(text) <= 100


@pytest.mark.parametrize(
    ("accepted", "is_in_doubt"),
    [(["sku-1", "sku-2"], True), (["x2", "x3"], True), (["sku-1", "x2"], False)],
    ids=["judged then", "unjudged then", "judged then, with a result of now"],
)
def test_the_ids_of_a_ranking_are_in_doubt_if_it_shares_none_with_a_judged_one(
    shop: Shop, accepted: list[str], is_in_doubt: bool
) -> None:
    lost = shop.report(["x1", "x2"], accepted=accepted, min_ndcg=0.5)
    question = "no result is judged; are these the same kind of id?"
    assert (question in lost) == is_in_doubt
    brief = shop.report(["x1", "x2"], -1, accepted=accepted, min_ndcg=0.5)
    assert (f"{question} (id_field)" in brief) == is_in_doubt


# --- the summary ----------------------------------------------------------------------

FILE = "shop.relevance.yaml"
WITH_BASELINE = {FILE: FileInfo(FILE, has_baseline=True)}


def entry(
    query: str, change: float, standing: str = "within", **keys: Any
) -> CaseResult:
    """A case that returned a document, whose score changed to 0.5."""
    known: dict[str, Any] = {
        "scores": {"nDCG@10": 0.5},
        "baseline": BaselineComparison(standing, 0.5 - change),
        "node": f"{FILE}::{query}",
        "documents": ("a",),
        "returned": 1,
    }
    return case_result(FILE, 3, query, "passed", **{**known, **keys})


def summary(results: list[CaseResult], verbosity: int = 0) -> str:
    lines = summary_lines(
        SummaryOf(results, WITH_BASELINE, RunInfo(), verbosity=verbosity)
    )
    return plain_text(lines) + "\n"


def test_changes_within_the_tolerance_are_counted_and_not_listed() -> None:
    found = [entry("boots", 0.0), entry("hats", 0.04), entry("socks", -0.04)]
    text = summary(found)
    assert "\n2 changed a little, 1 the same\n" in text
    assert "socks" not in text


def worst_and_best() -> list[CaseResult]:
    worse = [entry(f"q{n}", -n / 20, "regression") for n in range(1, 8)]
    return [
        *worse,
        entry("hats", 0.3, "improvement"),
        entry("caps", 0.1, "improvement"),
    ]


def test_the_five_worst_with_their_documents_and_the_best() -> None:
    text = summary(worst_and_best())
    assert text.partition("fell most ")[2].partition("look ")[0] == block("""
        (first 5 of 7)
          0.850 -> 0.500  needs grades  q7
              now on top: a
          0.800 -> 0.500  needs grades  q6
              now on top: a
          0.750 -> 0.500  needs grades  q5
              now on top: a
          0.700 -> 0.500  needs grades  q4
              now on top: a
          0.650 -> 0.500  needs grades  q3
              now on top: a
        rose most  hats  0.200 -> 0.500
    """)
    full = summary(worst_and_best(), verbosity=1)
    assert "fell most\n" in full
    assert "got better (2)\n" in full


def test_the_worst_of_several_variants_are_named() -> None:
    names = ("bm25", "a long name of a variant")
    results = [
        entry("boots", -len(name) / 100, "regression", variant=name) for name in names
    ]
    rows = summary(results).partition("fell most\n")[2].splitlines()
    assert [row.split()[5:7] for row in rows[:4:2]] == [
        ["boots", "a"],
        ["boots", "bm25"],
    ]


def advice(results: list[CaseResult], updating: str | None = None) -> list[str]:
    """What is said of an update of the baseline, in sentences."""
    said = plain_text(
        line
        for block in next_steps(results, WITH_BASELINE, updating)
        for line in block.lines(1000)
    )
    return said.splitlines()


BETTER = [entry("boots", 0.1, "improvement", variant=name) for name in ("a", "b")]
STALE = [entry(query, 0.0, "stale") for query in ("hats", "red caps")]
ADDED = [entry(f"new-{number}", 0.0, "new") for number in range(4)]
ACCEPT_STALE = (
    "accept   pytest --relevance-update shop.relevance.yaml::hats "
    "'shop.relevance.yaml::red caps'  # 2 cases have a stale baseline"
)


@pytest.mark.parametrize(("updating", "count"), [(None, 3), ("new", 2), ("all", 0)])
def test_the_commands_that_accept_unless_the_run_does_it(
    updating: str | None, count: int
) -> None:
    commands = [
        "accept   pytest --relevance-update  # 1 got better",
        ACCEPT_STALE,
        "accept   pytest --relevance-update=new shop.relevance.yaml  # 4 cases have no baseline yet",
    ]
    assert advice([*BETTER, *STALE, *ADDED], updating) == commands[:count]


LOOK = "look     pytest --relevance-html=report.html"
IN_FULL = "in full  pytest -v shop.relevance.yaml::gloves"


def test_what_judgments_may_explain_is_judged_and_not_accepted() -> None:
    worse = dropped(entry("gloves", -0.3, "regression"))
    assert advice([worse, *BETTER, *STALE]) == [
        LOOK,
        IN_FULL,
        "judge    pytest --relevance-unjudged=worklist.csv  # lists the grades that the query needs",
        ACCEPT_STALE,
    ]


def test_what_got_worse_for_certain_is_accepted_by_name() -> None:
    missed = Outcome("last", "documents", met=False)
    worse = dropped(entry("gloves", -0.3, "regression", documents=(), returned=0))
    first = IN_FULL.replace("in full", "first  ")
    first += "  # it returns nothing now: find out why"
    meant = "accept   pytest --relevance-update FILE::CASE  # one that got worse, if that is meant"
    better = (
        "accept   pytest --relevance-update  # 1 got better, and also what got "
        "worse, unless you name cases"
    )
    assert advice([worse, *BETTER]) == [first, LOOK, meant, better]
    alike = Outcome("overlap@10", "similarity", met=False)  # met once it is accepted
    changed_too = changed(worse, reasons=(*worse.evaluation.reasons, alike))
    assert advice([changed_too]) == [first, LOOK, meant]
    worse = changed(worse, reasons=(*worse.evaluation.reasons, missed))
    demand = "a missed floor or expectation has to change too"
    assert advice([worse]) == [first, LOOK, f"{meant}; {demand}"]


def test_cases_of_the_baseline_that_are_not_compared() -> None:
    lost: list[Any] = [("cap", None, "unjudged"), ("q7", None, "left out")]
    for number in range(9):
        lost += [(f"case {number}", name, "gone") for name in ("bm25", "knn")]
    files = {FILE: replace(WITH_BASELINE[FILE], lost=lost)}
    info = RunInfo(not_run=("old.relevance.yaml",))
    (said,) = lost_sentences([], files, info)
    assert said.text == (
        'in the baseline and not compared: 1 case has no judgments now ("cap"), no '
        'case ran of 1 file ("old.relevance.yaml"); if a case file was renamed or '
        "deleted, do the same with its baseline"
    )
    changed = changed_test([], files, info)
    assert change_texts(changed) == [
        '9 cases are gone ("case 0", "case 1", "case 2" and 6 more)',
        '1 case is left out by only: judged ("q7")',
    ]
    said_at_the_top = "the test changed: 9 cases are gone, 1 case is left out"
    assert changed_in_words(changed) == said_at_the_top
    assert lost_sentences([], {}, RunInfo()) == []


def test_cases_of_a_record_that_are_not_compared_are_not_advised_on() -> None:
    lost = [("q7", None, "unjudged")]
    files = {FILE: replace(WITH_BASELINE[FILE], against="main.jsonl", lost=lost)}
    (said,) = lost_sentences([], files, RunInfo())
    unjudged = '1 case has no judgments now ("q7")'
    assert said.text == f"in main.jsonl and not compared: {unjudged}"


# --- moved cases ----------------------------------------------------------------------

OLD, NEW = "old.yaml", "new.yaml"

# fmt: off
MOVES: dict[str, tuple[list[MovedCase], str]] = {
    "another id": ([MovedCase("see", None, NEW, "boots", None)], '"boots" is now "see"'),
    "another file": (
        [MovedCase("boots", "a", OLD, "boots", "a")], '"boots[a]" of old.yaml is now in new.yaml'),
    "another id and file": (
        [MovedCase("see", None, OLD, "boots", None)], '"boots" of old.yaml is now "see" of new.yaml'),
    "another file and variant": (
        [MovedCase(name, "b", OLD, name, "a") for name in ("x", "y")],
        '"x[a]" of old.yaml is now "x[b]" of new.yaml and "y[a]" of old.yaml is now "y[b]" of new.yaml'),
    "several to another file": (
        [MovedCase(name, None, OLD, name, None) for name in "xyz"], "3 cases of old.yaml are now in new.yaml"),
    "several to another variant": (
        [MovedCase(name, "b", NEW, name, None) for name in "xyz"], '3 cases had no variant and have the variant "b"'),
}
# fmt: on


@pytest.mark.parametrize(("moved", "said"), MOVES.values(), ids=MOVES)
def test_cases_that_were_moved(moved: list[MovedCase], said: str) -> None:
    (sentence,) = moved_sentences({NEW: FileInfo(NEW, moved=moved)})
    head, _, text = sentence.text.partition(": ")
    keeps = "case was moved and keeps its accepted ranking"
    keep = "cases were moved and keep their accepted rankings"
    assert head == f"{len(moved)} {keeps if len(moved) == 1 else keep}"
    assert text == f"{said}; --relevance-update writes that"


def test_cases_that_may_have_been_moved_and_an_update_of_all() -> None:
    files = {NEW: FileInfo(NEW, unclear=[("boots", None), ("hats", "a")])}
    (sentence,) = moved_sentences(files)
    assert sentence.text == (
        "2 cases may have been moved, but several cases fit, so nothing is compared "
        '("boots" and "hats[a]")'
    )
    assert moved_sentences(files, updating="all") == []
