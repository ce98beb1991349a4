"""A recorded run beside the record of another run, or beside a baseline."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import Case, CaseResult, FileInfo, Run, RunInfo
from pytest_relevance.results.case_parts import BaselineComparison, CaseCall
from pytest_relevance.results.case_result import SKIPPED
from pytest_relevance.results.details import with_details
from pytest_relevance.results.records.baseline import Baseline
from pytest_relevance.results.records.entries import BaselineEntries, entry_of
from pytest_relevance.results.records.recorded_comparison import compare_recorded
from pytest_relevance.results.records.recorded_rankings import Entries, entries_of
from pytest_relevance.results.records.uncompared import MARKED_SKIP
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.scoring import CaseInRun, score_case, unscored
from tests.helpers import case_of, changed, gates_of

FILE = "shop.relevance.yaml"
GATES = ({"max_drop": {"P@3": 0.01}}, {"mean": {"overlap@3": 0.5}})


def result_of(case: Case, ranking: Sequence[str]) -> CaseResult:
    found = Ranking(tuple(ranking))
    result = with_details(score_case(case, found), case, found, all_missing=True)
    return changed(result, file=FILE)


def against(now: CaseResult, entries: Entries, *other: CaseResult) -> CaseResult:
    """A result of a record, compared with the entries of its case file."""
    info = FileInfo(FILE, gates=gates_of(*GATES))
    (found,) = compare_recorded(
        Run([now], {FILE: info}), entries, "main", other
    ).results
    return found


def comparison_of(result: CaseResult) -> BaselineComparison:
    assert result.baseline is not None
    return result.baseline


def with_gates(case: Case) -> Case:
    gates = tuple(gates_of(*GATES))
    return replace(case, terms=replace(case.terms, gates=gates))


FOUND = Ranking(("d0",))
DOCUMENTS = st.sampled_from("abcd")
RANKINGS = st.lists(DOCUMENTS, max_size=4, unique=True)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A case with some of its grades filled by a machine."""
    judgments = {"a": 3, **draw(st.dictionaries(DOCUMENTS, st.integers(1, 3)))}
    demands = {"P@3": 0.3, "include": "b", "results": ">= 2", "overlap@3": 0.7}
    demanded = draw(st.sets(st.sampled_from([*demands])))
    case = case_of(
        {
            "query": "q",
            "judgments": judgments,
            "k": 3,
            "depth": 3,
            "min_ndcg": draw(st.sampled_from([None, 0.5])),
            "expect": {name: demands[name] for name in demanded},
        }
    )
    filled = {document: "model-x" for document in judgments if draw(st.booleans())}
    return with_gates(replace(case, filled=filled))


@given(case=cases(), before=RANKINGS, now=RANKINGS)
def test_a_recorded_result_is_compared_as_in_its_run(
    case: Case, before: list[str], now: list[str]
) -> None:
    earlier, result = result_of(case, before), result_of(case, now)
    entries = BaselineEntries([replace(entry_of(earlier), call=CaseCall())])
    live = Baseline(entries, {}, expects_known=True)
    in_run = live.compare(result, case).result
    assert comparison_of(against(in_run, {FILE: entries}, earlier)) == in_run.baseline


def test_gates_see_the_accepted_ranking_without_filled_grades() -> None:
    case = case_of({"query": "q", "judgments": {"a": 1, "b": 1}, "k": 3})
    case = with_gates(replace(case, filled={"b": "model-x"}))
    result = result_of(case, "ab")
    found = comparison_of(against(result, entries_of([result], RunInfo(), {}), result))
    assert found.scores == {"P@3": pytest.approx(2 / 3)}
    assert found.people_scores == {"nDCG@3": 1, "P@3": pytest.approx(1 / 3)}


def test_a_skip_that_the_baseline_has_accepted_loses_nothing() -> None:
    case = case_of({"query": "q", "judgments": {"a": 1}})
    skipped = unscored(case, SKIPPED, CaseInRun(FILE), CaseCall(is_marked_skip=True))
    entries = BaselineEntries([entry_of(result_of(case, "a"))])
    assert comparison_of(against(skipped, {FILE: entries})).lost == ("nDCG@10",)
    entries.without_ranking["q", None] = MARKED_SKIP
    assert against(skipped, {FILE: entries}).baseline is None


def test_an_accepted_document_whose_grade_no_record_names_makes_the_entry_stale() -> (
    None
):
    judgments = {f"d{number}": 1 for number in range(20)}
    case = case_of({"query": "q", "judgments": judgments, "k": 1})
    now = with_details(score_case(case, FOUND, details=False), case, FOUND)
    now = changed(now, file=FILE)
    then = result_of(case, ["d19"])
    entries = {FILE: BaselineEntries([entry_of(then)])}
    assert comparison_of(against(now, entries)).stale == (
        "the record does not name the judgments of all documents that were returned then",
    )
    assert comparison_of(against(now, entries, then)).score == 1
