"""Cases with passages beside a baseline or a record: the rankings of then are judged by
the passages of today, as far as they were looked for.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import Case, CaseResult, FileInfo, Run, RunInfo
from pytest_relevance.cases.expectation import FieldCondition, Passage
from pytest_relevance.results.case_parts import BaselineComparison, CaseCall
from pytest_relevance.results.details import digest_of_case, with_details
from pytest_relevance.results.recorded_passages import (
    UnknownPassages,
    held_by_keys,
    judged_by_passages,
    ranking_with_texts,
    with_recorded_passages,
    with_texts,
)
from pytest_relevance.results.records.baseline import Baseline
from pytest_relevance.results.records.baseline_file import read_baseline, write_baseline
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    BaselineEntry,
    entry_of,
)
from pytest_relevance.results.records.recorded_comparison import compare_recorded
from pytest_relevance.results.records.recorded_rankings import entries_of
from pytest_relevance.results.records.run_info import RecordError
from pytest_relevance.results.responses.fields import Absent
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.scoring import score_case
from tests.helpers import case_of, changed, gates_of, reasons_of, travelled

FILE = "handbook.relevance.yaml"
DAYS = "within 30 days of delivery"
PROOF = "proof of purchase"
OLD = "within 14 days"


def case(*passages: str, **keys: Any) -> Case:
    of_case: Any = {"passages": passages or [DAYS, PROOF]}
    return case_of({"query": "return", "k": 3, **of_case, **keys})


def texts(*found: str, **others: Any) -> Ranking:
    """A ranking of results with these texts."""
    ids = others.pop("ids", [f"d{rank}" for rank in range(len(found))])
    return Ranking(tuple(ids), texts=found, **others)


def result_of(of_case: Case, ranking: Ranking) -> CaseResult:
    result = with_details(score_case(of_case, ranking), of_case, ranking)
    return changed(result, file=FILE)


def accepted(of_case: Case, *found: str, **others: Any) -> BaselineEntry:
    """The entry of a ranking that was accepted when the case was like this."""
    return entry_of(travelled(result_of(of_case, texts(*found, **others))))


def compared(entry: BaselineEntry, now: Case, *found: str) -> CaseResult:
    """A case whose search returns these texts now, beside an accepted ranking."""
    alone = changed(score_case(now, texts(*found)), file=FILE)
    return Baseline(BaselineEntries([entry]), {}).compare(alone, now).result


def comparison_of(result: CaseResult) -> BaselineComparison:
    assert result.baseline is not None
    return result.baseline


def test_an_accepted_ranking_is_judged_by_the_passages_that_it_held() -> None:
    entry = accepted(case(), DAYS, "opening hours", PROOF)
    found = compared(entry, case(), "opening hours", DAYS)
    before = comparison_of(found)
    assert before.score == pytest.approx(0.9197, abs=1e-4)
    assert before.standing == "regression"
    assert before.grades == (1, 0, 1)
    assert before.held == ((0,), (), (1,))


def test_grades_and_the_order_of_passages_may_change() -> None:
    entry = accepted(case(), DAYS, PROOF)
    now = case_of({"query": "return", "k": 3, "passages": {PROOF: 3, DAYS: 1}})
    found = comparison_of(compared(entry, now, PROOF, DAYS))
    # 1 at rank 1 and 7 at rank 2, of 7 at rank 1 and 1 at rank 2
    assert found.score == pytest.approx(0.7098, abs=1e-4)
    assert found.standing == "improvement"
    assert found.held == ((1,), (0,))


def test_a_passage_that_is_gone_does_not_count() -> None:
    entry = accepted(case(), "opening hours", DAYS, PROOF)
    assert comparison_of(compared(entry, case(PROOF), PROOF)).score == 0.5


@pytest.mark.parametrize(
    ("now", "clause"),
    [
        (case(DAYS, "the original receipt"), "1 passage is new or changed, and the earlier texts were not kept"),
        (case(DAYS, "proof of the purchase"), "1 passage is new or changed, and the earlier texts were not kept"),
        (case(collapse=True), "collapse changed, and the earlier texts were not kept"),
    ],
)  # fmt: skip
def test_an_entry_is_stale_if_it_does_not_know_a_passage(
    now: Case, clause: str
) -> None:
    found = compared(accepted(case(), DAYS, PROOF), now, DAYS, PROOF)
    assert comparison_of(found).standing == "stale"
    assert comparison_of(found).stale == (clause,)
    assert found.verdict == "failed"


def test_an_entry_of_judged_documents_does_not_know_passages() -> None:
    judged = case_of({"query": "return", "k": 3, "judgments": {"d0": 1}})
    entry = entry_of(result_of(judged, Ranking(("d0", "d1"))))
    found = comparison_of(compared(entry, case(), DAYS))
    assert found.stale == (
        "2 passages are new or changed, and the earlier texts were not kept",
    )


def test_the_same_ids_with_other_texts_are_another_ranking() -> None:
    entry = accepted(case(), DAYS, PROOF)
    alone = changed(score_case(case(), texts(DAYS, "opening hours")), file=FILE)
    baseline = Baseline(BaselineEntries([entry]), {})
    result = baseline.compare(alone, case(), details=False).result
    assert comparison_of(result).standing == "regression"


def test_excluded_quotes_that_the_accepted_ranking_held() -> None:
    now = case(exclude_passages=[OLD])
    before = accepted(now, DAYS, f"It was {OLD}.", PROOF)
    same = compared(before, now, DAYS, f"It was {OLD}.", PROOF)
    assert (same.verdict, comparison_of(same).failed_before) == ("failed", True)
    assert reasons_of(same) == [
        f'exclude_passages: in the top 3: "{OLD}" (rank 2 "d1")'
    ]
    higher = comparison_of(compared(before, now, f"It was {OLD}.", DAYS, PROOF))
    assert (higher.newly_failing, higher.failed_before) == (False, False)
    unknown = accepted(case(), DAYS, f"It was {OLD}.", PROOF)
    new = comparison_of(compared(unknown, now, DAYS, f"It was {OLD}.", PROOF))
    assert new.failed_before is False
    clean = accepted(now, DAYS, PROOF)
    newly = comparison_of(compared(clean, now, DAYS, f"It was {OLD}.", PROOF))
    assert newly.newly_failing


def test_chunks_of_one_document() -> None:
    now = case(collapse=True)
    ids = ["a", "b", "a"]
    entry = accepted(now, DAYS, "opening hours", PROOF, ids=ids[:2], as_returned=ids)
    assert (entry.documents, entry.held) == (("a", "b", "a"), ((0, 1), ()))
    alone = score_case(
        now, texts("hours", DAYS, PROOF, ids=["b", "a"], as_returned=["b", "a", "a"])
    )
    found = Baseline(BaselineEntries([entry]), {}).compare(alone, now).result
    assert comparison_of(found).score == 1


# --- digests --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        Passage((DAYS,), grade=2),
        Passage((DAYS, "30 Tage nach der Lieferung")),
        Passage((DAYS,), conditions=(FieldCondition("source", "==", ("a.pdf",)),)),
        Passage((DAYS,), is_context=True),
        Passage((DAYS.upper(),)),
    ],
)
def test_each_part_of_a_passage_is_in_the_digest(other: Passage) -> None:
    one = replace(case(DAYS), passages=(Passage((DAYS,)),))
    assert digest_of_case(one) == digest_of_case(case(DAYS))
    assert digest_of_case(replace(one, passages=(other,))) != digest_of_case(one)


def test_the_order_of_passages_is_not_in_the_digest() -> None:
    assert digest_of_case(case(DAYS, PROOF)) == digest_of_case(case(PROOF, DAYS))


def test_which_passages_of_today_a_recorded_result_held() -> None:
    held = [(0, 1), (), (2,)]
    assert held_by_keys(held, ["a", "b", "c"], ["c", "b"]) == [(1,), (), (0,)]
    assert held_by_keys(held, ["a", "b", "c"], ["c", "d"]) is None
    assert held_by_keys((), (), ()) == []


# --- files ----------------------------------------------------------------------------


def test_a_baseline_keeps_what_results_held_and_no_text(tmp_path: Path) -> None:
    entry = accepted(case(exclude_passages=[OLD]), DAYS, "opening hours")
    path = tmp_path / "handbook.baseline.jsonl"
    write_baseline(path, BaselineEntries([entry]))
    assert read_baseline(path)["return", None] == entry
    assert entry.held == ((0,), ())
    assert entry.lengths == (len(DAYS), len("opening hours"))
    assert len(entry.passages) == len((DAYS, PROOF, OLD))
    assert "opening hours" not in path.read_text()
    assert DAYS not in path.read_text()


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ("[[0]]", "documents, held and lengths are not equally many"),
        ("[[7],[]]", "held: [7] is not among the passages"),
    ],
)
def test_damaged_passages_of_a_baseline(
    tmp_path: Path, held: str, message: str
) -> None:
    path = tmp_path / "handbook.baseline.jsonl"
    write_baseline(path, BaselineEntries([accepted(case(), DAYS, "hours")]))
    before = '"held":[[0],[]]'
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, f'"held":{held}'))
    with pytest.raises(RecordError, match=re.escape(message)):
        read_baseline(path)


def test_a_case_that_only_excludes_passages_has_an_entry(tmp_path: Path) -> None:
    judged = {"query": "return", "judgments": {"d0": 1}, "exclude_passages": [OLD]}
    entry = accepted(case_of(judged), DAYS, OLD)
    path = tmp_path / "handbook.baseline.jsonl"
    write_baseline(path, BaselineEntries([entry]))
    assert read_baseline(path)["return", None].held == ((), (0,))


def test_a_case_of_the_same_file_without_passages_keeps_nothing_of_them() -> None:
    plain = case_of({"query": "hours", "expect": {"results": ">= 1"}})
    plain = replace(plain, terms=replace(plain.terms, reads_texts=True))
    entry = accepted(plain, DAYS)
    assert (entry.passages, entry.held) == ((), ())


# --- records that keep texts ----------------------------------------------------------


def recorded_with_texts(of_case: Case, ranking: Ranking, path: Path) -> Run:
    """A run of one case, read from a record that keeps texts."""
    result = with_texts(result_of(of_case, ranking), ranking)
    Run([result], {FILE: FileInfo(FILE)}).write(path)
    return Run.open(path)


def test_a_record_keeps_each_text_once(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    ranking = texts(DAYS, "hours", DAYS, fields_of_texts={"page": [1, Absent(), None]})
    (result,) = recorded_with_texts(case(), ranking, path).results
    assert result.ranking.texts == (DAYS, "hours", DAYS)
    assert result.ranking.fields_of_texts == {"page": ((1,), (), (None,))}
    assert path.read_text().count("hours") == 1
    with_them = ranking_with_texts(Ranking(("d0",)), result.ranking)
    assert with_them.texts == (DAYS,)
    assert with_them.fields_of_texts["page"][1] == Absent()


@pytest.mark.parametrize("index", ["2", "-1", '"a"'])
def test_a_text_that_the_header_lacks_is_damage(tmp_path: Path, index: str) -> None:
    path = tmp_path / "run.jsonl"
    recorded_with_texts(case(), texts(DAYS, "hours"), path)
    damaged = path.read_text().replace('"texts":[0,1]', f'"texts":[0,{index}]')
    path.write_text(damaged)
    with pytest.raises(RecordError, match="is not a text of the header"):
        Run.open(path)


def test_new_passages_are_looked_for_in_the_texts_of_a_reference(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.jsonl"
    run = recorded_with_texts(case(DAYS), texts("hours", DAYS, PROOF), path)
    entries = entries_of(run.results, RunInfo(), run.files)[FILE]
    now = case(PROOF, exclude_passages=["opening hours"])
    alone = changed(score_case(now, texts(PROOF, "opening hours")), file=FILE)
    result = Baseline(entries, {}).compare(alone, now).result
    found = comparison_of(result)
    assert (found.score, found.held) == (0.5, ((), (), (0,)))
    assert found.newly_failing  # nothing that was returned then had the excluded quote


def test_a_condition_on_a_field_that_was_not_kept_is_not_decided(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.jsonl"
    run = recorded_with_texts(case(DAYS), texts(DAYS, "hours"), path)
    passages = [{"quote": DAYS, "in": {"source": "terms.pdf"}}]
    now = case_of({"query": "return", "k": 3, "passages": passages})
    entries = entries_of(run.results, RunInfo(), run.files)[FILE]
    ranking = texts(DAYS, fields_of_texts={"source": ["terms.pdf"]})
    alone = changed(score_case(now, ranking), file=FILE)
    result = Baseline(entries, {}).compare(alone, now).result
    assert comparison_of(result).stale == (
        "1 passage is new or changed, and the earlier fields were not kept",
    )
    with pytest.raises(UnknownPassages, match='looks at "source", and the record'):
        judged_by_passages(run.results[0], now.passages, now.settings)


# --- the ranking of a record, for the case of today -----------------------------------


def replayed(of_case: Case, now: Case, *found: str, **others: Any) -> Ranking:
    result = travelled(result_of(of_case, texts(*found, **others)))
    return with_recorded_passages(
        Ranking(result.ranking.documents),
        result,
        now.sought_passages,
        collapses=now.settings.collapse,
        depth=now.depth,
    )


def test_a_recorded_ranking_is_scored_without_its_texts() -> None:
    old = case(DAYS, PROOF, exclude_passages=[OLD])
    ranking = replayed(old, case(PROOF, exclude_passages=[OLD]), DAYS, PROOF, OLD)
    again = score_case(case(PROOF, exclude_passages=[OLD]), ranking)
    assert again.score == pytest.approx(0.6309, abs=1e-4)
    assert again.verdict == "failed"
    assert again.ranking.lengths == (len(DAYS), len(PROOF), len(OLD))


def test_a_case_without_passages_beside_others_needs_no_text() -> None:
    plain = case_of({"query": "hours", "expect": {"results": ">= 1"}})
    plain = replace(plain, terms=replace(plain.terms, reads_texts=True))
    assert score_case(plain, replayed(plain, plain, DAYS)).verdict == "passed"


@pytest.mark.parametrize(
    ("now", "why"),
    [
        (case(DAYS, "opening hours"), "1 passage is new or changed"),
        (case(exclude_passages=[OLD]), "1 passage is new or changed"),
        (case(collapse=True), "other chunks of a document count"),
    ],
)
def test_what_a_record_without_texts_does_not_tell(now: Case, why: str) -> None:
    with pytest.raises(UnknownPassages, match=why) as caught:
        replayed(case(), now, DAYS, PROOF)
    assert "relevance_record_texts = on" in str(caught.value)


# --- the same numbers as in the run ---------------------------------------------------

SOURCES = (DAYS, PROOF, OLD, f"{DAYS} {PROOF}", "opening hours")
GATES = ({"max_drop": {"R@2": 0.01}}, {"mean": {"overlap@3": 0.5}})
RANKINGS = st.lists(st.sampled_from(SOURCES), max_size=4)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    demands: dict[str, Any] = {"R@2": 1, "RR": 0.5, "P@2": 0.5, "overlap@3": 0.7}
    demanded = draw(st.sets(st.sampled_from([*demands])))
    keys: dict[str, Any] = {}
    if draw(st.booleans()):
        keys["exclude_passages"] = [OLD]
    drawn = case(
        DAYS,
        PROOF,
        depth=3,
        min_ndcg=draw(st.sampled_from([None, 0.5, 0.9])),
        expect={name: demands[name] for name in demanded},
        **keys,
    )
    gates = tuple(gates_of(*GATES))
    return replace(drawn, terms=replace(drawn.terms, gates=gates))


@given(of_case=cases(), before=RANKINGS, now=RANKINGS)
def test_a_recorded_result_is_compared_as_in_its_run(
    of_case: Case, before: Sequence[str], now: Sequence[str]
) -> None:
    then = travelled(result_of(of_case, texts(*before)))
    ranking = texts(*now)
    alone = changed(score_case(of_case, ranking, CaseCall(latency=0.1)), file=FILE)
    baseline = Baseline(BaselineEntries([entry_of(then)]), {}, expects_known=True)
    in_run = baseline.compare(alone, of_case).result
    recorded = travelled(with_details(in_run, of_case, ranking))
    info = FileInfo(FILE, gates=gates_of(*GATES))
    entries = entries_of([then], RunInfo(), {FILE: info})
    for result in (recorded, replace(recorded, baseline=None)):
        run = Run([result], {FILE: info})
        (found,) = compare_recorded(run, entries, "main", [then]).results
        one, other = comparison_of(in_run), comparison_of(found)
        assert (other.standing, other.score) == (one.standing, one.score)
        assert (other.scores, other.held) == (one.scores, one.held)
        assert other.newly_failing == one.newly_failing
        assert other.newly_met == one.newly_met
        assert other.failed_before == one.failed_before


@given(of_case=cases(), found=st.lists(st.sampled_from(SOURCES), max_size=3))
def test_a_recorded_ranking_has_the_scores_of_its_run(
    of_case: Case, found: Sequence[str]
) -> None:
    ranking = texts(*found)
    in_run = result_of(of_case, ranking)
    by_held = travelled(in_run)
    by_texts = with_texts(in_run, ranking)
    for recorded in (by_held, by_texts):
        known = with_recorded_passages(
            Ranking(recorded.ranking.documents),
            recorded,
            of_case.sought_passages,
            collapses=False,
            depth=of_case.depth,
        )
        again = score_case(of_case, known)
        assert again.evaluation.scores == in_run.evaluation.scores
        assert again.evaluation.outcomes == in_run.evaluation.outcomes
        assert again.ranking.lengths == in_run.ranking.lengths
        assert again.evaluation.passages == in_run.evaluation.passages
