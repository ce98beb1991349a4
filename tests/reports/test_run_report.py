"""The report of a whole run, of its gates, of repeats and of a merge: as text, as
data.
"""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from pytest_relevance import CaseResult, FileInfo, Run, RunInfo
from pytest_relevance.cases.model import Gate
from pytest_relevance.ext.markdown.annotations import run_annotations
from pytest_relevance.ext.merging.merge import Merged
from pytest_relevance.ext.merging.report import merged_lines
from pytest_relevance.gates.judging import GateResult, judge_gates
from pytest_relevance.reports.blocks import lines_of
from pytest_relevance.reports.run.gates import gate_lines
from pytest_relevance.reports.run.report import report_data, report_lines
from pytest_relevance.reports.run.stability import stability_remarks
from pytest_relevance.reports.styled_lines import plain_text
from pytest_relevance.results.case_parts import BaselineComparison, Repeats, SearchError
from tests.helpers import (
    block,
    case_result,
    changed,
    compared,
    encoded,
    gate_record,
    result_of,
)

FILE = "shop.relevance.yaml"
JUDGMENTS = {"boots": {"b1": 3, "b2": 1}, "lamp": {"l1": 2}, "torch": {"t1": 1}}


def result(query: str, *ranking: str, line: int = 4, **keys: Any) -> CaseResult:
    """What a case comes to whose id is its query."""
    keys = {"query": query, "judgments": JUDGMENTS[query], "min_ndcg": 0.5, **keys}
    return result_of(keys, ranking, file=FILE, line=line)


def error(query: str) -> CaseResult:
    failed = SearchError("ConnectionError", "refused", "shop.py:7 in search")
    return case_result(
        FILE, 9, query, "error", outcome="failed", node=f"{FILE}::{query}", error=failed
    )


MEAN = gate_record("mean", bounds=[("nDCG@10", 0.8)])
PASSING = gate_record("passing", line=2, share=0.5)


def run(*results: CaseResult, gates: tuple[Gate, ...] = (), **info: Any) -> Run:
    file = FileInfo(FILE, FILE, totals=(("search", None, len(results)),), gates=gates)
    return Run(results, {FILE: file}, RunInfo(**info), name="main.jsonl")


BOOTS, LAMP = (
    result("boots", "x", "b2", weight=2.0, tags=["shoes"]),
    result("lamp", "l1", line=6),
)


def test_the_texts_that_a_record_keeps_are_in_no_report() -> None:
    kept = replace(BOOTS.ranking, texts=("opening hours", "prices"))
    whole = run(replace(BOOTS, ranking=kept))
    assert "opening hours" not in json.dumps(report_data(whole))


def test_the_report_of_a_run_is_what_the_run_printed() -> None:
    assert plain_text(
        report_lines(run(BOOTS, LAMP, gates=(MEAN, PASSING)), verbosity=-1)
    ) + "\n" == block("""
        shop.relevance.yaml:4: nDCG@10 0.083, floor 0.500; nDCG@10 lies between 0.083 and 1.000
        shop.relevance.yaml:1: mean nDCG@10 0.388, below 0.800 (2 cases)

        2 cases: 1 passed, 1 failed; weighted mean nDCG@10 0.388
        shop.relevance.yaml:1: gate[mean] not met: mean nDCG@10 0.388, below 0.800 (2 cases)
        shop.relevance.yaml:2: gate[passing] met: 1 of 2 cases pass (50.0%), at least 50%
        shop.relevance.yaml  p50 12 ms, max 12 ms
        """)


def test_as_data_it_is_the_record_with_its_gates() -> None:
    whole = run(BOOTS, error("torch"), gates=(MEAN,), program="1.0")
    found = json.loads(json.dumps(report_data(whole)))
    assert found["run"]["program"] == "1.0"
    assert found["results"][0] == encoded(BOOTS)
    assert found["files"][FILE]["totals"] == [["search", None, 2]]
    error_text = '1 case ended in an error: "torch"'
    mean_text = "mean nDCG@10 0.083, below 0.800 (1 case)"
    assert found["gates"] == [
        {
            "file": FILE,
            "line": 1,
            "id": "mean",
            "variant": None,
            "outcome": "failed",
            "message": f"{error_text}; {mean_text}",
            "findings": [
                {"about": "errors", "is_met": False, "text": error_text},
                {
                    "about": "nDCG@10",
                    "is_met": False,
                    "text": mean_text,
                    "value": BOOTS.score,
                    "bound": 0.8,
                    "counted": 1,
                    "total": 1,
                },
            ],
        }
    ]


# --- kinds of failures ----------------------------------------------------------------


def fallen(query: str, baseline: BaselineComparison, **keys: Any) -> CaseResult:
    """A case below its floor."""
    judgments = {"a": 3, "b": 1}
    case = {"query": query, "judgments": judgments, "min_ndcg": 0.9}
    found = result_of(case, ["b", "a"], file=FILE, line=4)
    return changed(found, baseline=baseline, **keys)


ACCEPTED = BaselineComparison("regression", 1.0, documents=("a", "b"), grades=(3, 1))
WITHIN = BaselineComparison("within", 0.71)
REFUSED = SearchError("ConnectionError", "no engine")
FAILURES = [
    fallen("better", replace(WITHIN, standing="improvement"), verdict="passed"),
    fallen("before", replace(WITHIN, failed_before=True)),
    fallen("slow", WITHIN),
    fallen("added", BaselineComparison("new")),
    fallen("late", BaselineComparison("stale", stale=("the depth was 5 and is 6",))),
    fallen("boom", WITHIN, verdict="error", error=REFUSED, scores={}),
    fallen("doubt", WITHIN, verdict="inconclusive"),
    fallen("drop", ACCEPTED),
    fallen("floor", replace(ACCEPTED, newly_failing=True)),
]


def test_data_counts_the_queries_that_got_worse() -> None:
    certain = compared("boots", before=1.0, ranking=[])
    still_open = compared("lamp", before=1.0, ranking=["new", "x", "y"])
    same = compared("sock", before=1.0, ranking=["good"])
    counts = report_data(run(certain, still_open, same))["counts"]
    assert {name: count for name, count in counts.items() if count} == {
        "got_worse": 2,
        "certain": 1,
        "open": 1,
        "same": 1,
    }


def test_data_compares_the_variants() -> None:
    empty, full = result("lamp", "x"), result("lamp", "l1")
    both = changed(empty, variant="a"), changed(full, variant="b")
    (variants,) = report_data(run(*both))["variants"]
    assert (variants["cases"], variants["left_out"]) == (1, 0)
    assert variants["best"] == [{"search": "search", "variant": "b"}]
    first, second = variants["rows"]
    assert "p" not in first
    assert (second["difference"], second["higher"]) == (1.0, 1)
    assert second["p"] == second["adjusted_p"] == 1.0


def test_failures_are_told_in_the_order_of_their_kinds_and_counted_by_them() -> None:
    text = plain_text(report_lines(run(*FAILURES), verbosity=1))
    heads = re.findall(rf"^{FILE}::(.+)", text, re.MULTILINE)
    assert heads == [
        "drop",
        "floor",
        "doubt",
        "boom",
        "late",
        "added",
        "slow",
        "before",
    ]
    counts = "9 cases: 1 passed, 3 failed, 1 inconclusive; 1 error, 1 stale, 1 without an entry, 1 failed before\n"
    assert counts in text
    assert "\n1 got better, 3 changed a little, " in text


def test_failures_that_failed_before_have_a_line_each() -> None:
    before = replace(WITHIN, failed_before=True)
    found = run(*(fallen(f"q{n}", before) for n in range(2)))
    assert plain_text(report_lines(found)).split("\n\n")[0] + "\n" == block("""

        2 failed before
        q0  failed before: nDCG@10 0.710, floor 0.900  a rank 2
        q1  failed before: nDCG@10 0.710, floor 0.900  a rank 2
        -v shows them in full
    """)


@pytest.mark.parametrize(("count", "in_brief"), [(7, 0), (8, 3)])
def test_after_sixty_lines_failures_have_a_line_each_unless_two_are_left(
    count: int, in_brief: int
) -> None:
    found = run(*(fallen(f"q{n}", WITHIN) for n in range(count)))
    text = plain_text(report_lines(found))
    assert (f"\n{in_brief} more failures\nq5  " in text) == bool(in_brief)
    assert text.count("is below 0.900") == count - in_brief


def test_annotations_have_the_kind_in_their_title_and_leave_out_what_failed_before() -> (
    None
):
    annotations = run_annotations(run(*FAILURES), [])
    assert [each.title for each in annotations] == [
        "Got worse: drop",
        "Got worse: floor",
        "Inconclusive: doubt",
        "Error: boom",
        "Stale baseline entry: late",
        "Failed: added",
        "Failed: slow",
    ]
    assert annotations[0].message == (
        "nDCG@10 1.000 -> 0.710, floor 0.900\nfell: a rank 1 -> 2\nin its place: b"
    )
    assert annotations[3].message == "ConnectionError: no engine"


# --- gates ----------------------------------------------------------------------------


def judged(*results: CaseResult, **values: Any) -> GateResult:
    (found,) = judge_gates(results, run(*results, gates=(gate_record(**values),)).files)
    return found


def lines_of_gate(*results: CaseResult, **values: Any) -> str:
    return plain_text(gate_lines(judged(*results, **values))) + "\n"


def test_a_gate_names_the_cases_without_a_score() -> None:
    bounds = [["nDCG@10", 0.8]]
    assert lines_of_gate(LAMP, error("torch"), condition="mean", bounds=bounds) == (
        block("""
        shop.relevance.yaml:1: 1 case ended in an error: "torch"
          mean nDCG@10 1.000, at least 0.800 (1 case)
        without a score
          n/a  torch   error   shop.relevance.yaml:9
        """)
    )


def test_a_gate_on_the_share_of_passing_cases_names_the_others() -> None:
    assert lines_of_gate(BOOTS, LAMP, condition="passing", share=0.9) == block("""
        shop.relevance.yaml:1: 1 of 2 cases pass (50.0%), less than 90%
        not passed, the lowest first
          0.083  boots   weight 2   failed   shop.relevance.yaml:4
        """)


def test_a_gate_names_five_cases_those_that_cost_most_first() -> None:
    lamps = [result("lamp", "x", "l1", id=f"l{n}", line=n) for n in range(6)]
    long = result("torch", "x", "t1", id="a torch that shines for as long as one walks")
    heavy = result("boots", "b2", "b1", weight=100.0)
    mean = judged(long, *lamps, heavy, condition="mean", bounds=[("nDCG@10", 0.8)])
    first, *_, last = plain_text(gate_lines(mean)).splitlines()[2:]
    assert first.split()[:5] == ["0.710", "boots", "weight", "100", "passed"]
    assert last.split()[:2] == ["0.631", "l3"]
    failed = [changed(each, verdict="failed") for each in lamps]
    share = judged(*failed, condition="passing", share=0.9)
    assert plain_text(gate_lines(share)).splitlines()[-1] == "  ... 1 more"


def test_a_gate_on_the_drop_names_what_fell_most() -> None:
    before = BaselineComparison("regression", 0.75)
    fallen = [replace(each, baseline=before, tags=("head",)) for each in (BOOTS, LAMP)]
    drop = {"condition": "max_drop", "bounds": [["nDCG@10", 0.01]], "tag": "head"}
    first, *_, about, title, case = lines_of_gate(*fallen, **drop).splitlines()
    assert "mean nDCG@10 fell by 0.362, from 0.750 to 0.388" in first
    assert about == "tag head"
    assert title == "pulled down most by"
    assert case.split("   ")[:2] == ["  0.750 -> 0.083  boots", "weight 2"]


def test_a_gate_on_a_mean_names_what_moved_if_there_is_a_reference() -> None:
    """The lowest score was as low before, and is not named."""
    torch = result("torch", "x", "t1")
    fell = changed(torch, baseline=BaselineComparison("regression", 1.0))
    low = result("lamp", "x", "x", "l1")
    low = changed(low, baseline=BaselineComparison("within", low.score))
    mean = {"condition": "mean", "bounds": [["nDCG@10", 0.9]]}
    *_, title, case = lines_of_gate(fell, low, **mean).splitlines()
    assert title == "pulled down most by"
    assert case.split("   ")[0].split() == ["1.000", "->", "0.631", "torch"]


# --- repeats --------------------------------------------------------------------------


def stability(results: list[CaseResult]) -> list[str]:
    return plain_text(lines_of(stability_remarks(results), 100)).splitlines()


def test_rankings_that_change_from_call_to_call() -> None:
    stable, tied = Repeats(3, 1), Repeats(3, 2, 4, ("2060476", "1229111"))
    found = [changed(LAMP, repeats=stable), changed(BOOTS, repeats=tied)]
    assert stability(found) == [
        "ranking changes from call to call: 1 case of 2, 3 calls each",
        "  boots  rank 4: 2060476 / 1229111",
    ]
    assert stability(found[:1]) == [
        "no ranking changes from call to call: 1 case, 3 calls each"
    ]
    assert stability_remarks([BOOTS, LAMP]) == []
    long = changed(
        BOOTS,
        repeats=Repeats(2, 2, 1, ("a" * 80, "b" * 80)),
        query="q" * 60,
        file="f" * 22,
    )
    lines = stability([long, *found])
    assert max(map(len, lines)) <= 100
    assert "aaaaaaaaaa" in lines[1]


# --- a merge --------------------------------------------------------------------------


@pytest.mark.parametrize("count", [20, 25])
def test_many_cases_that_did_not_finish(count: int) -> None:
    whole = run(LAMP, missing=tuple(f"{FILE}::{number}" for number in range(count)))
    text = plain_text(merged_lines(Merged(whole, 1), []))
    named, *_ = re.split(r"\n(?! )", text.partition("did not finish: ")[2])
    assert named.count(f"{FILE}::") == 20
    assert named.endswith("and 5 more") is (count == 25)
    assert f"; {count} cases are missing\n" in text


def test_gates_of_files_of_which_nothing_ran_are_not_reported() -> None:
    other = FileInfo("hats.relevance.yaml", gates=(PASSING,))
    whole = run(LAMP, gates=(PASSING,))
    whole = Run(whole.results, {**whole.files, "hats.relevance.yaml": other})
    assert plain_text(report_lines(whole)).count("gate[passing] met: ") == 1


def test_many_gates_are_counted() -> None:
    unmet = [gate_record("passing", id=f"g{number}", share=0.9) for number in range(5)]
    met = [gate_record("passing", id=f"m{number}", share=0.1) for number in range(4)]
    lines = plain_text(report_lines(run(BOOTS, LAMP, gates=(*unmet, *met))))
    first = "gate[g0] of shop.relevance.yaml, gate[g1] of shop.relevance.yaml"
    assert f"\n5 gates not met ({first}" in lines
    assert "\n4 gates met\n" in lines
