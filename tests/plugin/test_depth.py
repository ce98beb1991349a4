"""Metrics of the whole ranking, on rankings that a search cut because it was asked for
so many results. Comparisons are in tests/results/compare/test_cut_rankings.py.
"""

import json

import pytest

from tests.helpers import reasons_of
from tests.plugin.conftest import Command, Project
from tests.plugin.shop import BASELINE, UPDATE

THIRTY = """
    import pytest

    @pytest.fixture
    def search():
        def search(query, k=10):
            found = [f"d{number}" for number in range(1, 31)] if query != "few" else ["d1", "x"]
            print(f"<k={k}>")
            return found[:k]
        return search
"""
"""A search that knows thirty documents, and returns as many as it is asked for; to the
query "few" it finds two.
"""

JUDGED = "judgments: {d1: 1, d20: 1}"
TWO = f"cases: [{{query: q, {JUDGED}}}, {{query: few, judgments: {{d1: 1}}}}]"
RECORD = "--relevance-record=run.jsonl"


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest(THIRTY)
    return project


def suite(*keys: str) -> str:
    """A suite with cases q0, q1 ... that have these keys."""
    lines = [f"  - {{query: q, id: q{n}, {each}}}\n" for n, each in enumerate(keys)]
    return "cases:\n" + "".join(lines)


def test_a_metric_of_the_whole_ranking_is_an_error_where_the_search_was_asked_for_less(
    shop: Project,
) -> None:
    why = "AP looks at the whole ranking, and this search was asked for 10: write AP@10, or depth: 1000"
    shop.cases(f"cases: [{{query: q, {JUDGED}, expect: {{AP: 0.5}}}}]")
    run = shop.run(RECORD)
    assert run.failure("q").splitlines()[0] == f"shop.relevance.yaml:1: {why}"
    assert run.results["q"].verdict == "error"
    assert run.short_summary[0].startswith(
        f"FAILED shop.relevance.yaml::q - {why}"[:90]
    )
    (result,) = shop.recorded().results
    assert (result.verdict, reasons_of(result)) == ("error", [why])
    assert result.evaluation.scores == {}


WHOLE = "looks at the whole ranking"
LOOKS_AT_ALL = [
    ("unjudged: skip", f"nDCG@10 {WHOLE} (unjudged: skip), and this search was asked for 10: "),
    ("unjudged: skip, expect: {P@5: 0.2}", f"P@5 {WHOLE} (unjudged: skip), and this search was asked"),
    ("unjudged: skip, expect: {RR: 0.5}", f"RR {WHOLE}, and this search was asked for 10: write RR@10"),
    ("ideal: returned", "(ideal: returned), and this search was asked for 10: write ideal: judged, or depth: 1"),
    ("expect: {Bpref: 0.5}", f"Bpref {WHOLE}, and this search was asked for 10: write depth: 1000"),
    ('expect: {"RBP(p=0.5)": 0.5}', "asked for 10: write RBP(p=0.5)@10, or depth: 1000"),
    ('expect: {RR: "> 0"}', f"RR {WHOLE}, and this search was asked for 10: write RR@10, or depth: 1"),
    ("expect: {P: 0.01}", f"P {WHOLE}, and this search was asked for 10: write P@10, or depth: 1000"),
    ("expect: {infAP: 0.5}", f"infAP {WHOLE}"),
    ("expect: {AP: 0.5, R@20: 0}", "and this search was asked for 20: write AP@20, or depth: 1000"),  # not enough
]  # fmt: skip


def test_what_looks_at_the_whole_ranking(shop: Project) -> None:
    keys = [each for each, _ in LOOKS_AT_ALL]
    shop.cases(suite(*(f"{JUDGED}, {each}" for each in keys)))
    shop.cases(
        suite(*(f"{JUDGED}, depth: 40, {each}" for each in keys)), "deep.relevance.yaml"
    )
    cut = shop.run("--relevance-give-up=0", "shop.relevance.yaml")
    failures = [report.longreprtext for report in cut.reports if report.failed]
    for number, (_, message) in enumerate(LOOKS_AT_ALL):
        assert cut.results[f"q{number}"].verdict == "error"
        assert message in failures[number]
    deep = shop.run("deep.relevance.yaml").results.values()
    assert {result.verdict for result in deep} <= {"passed", "measured"}


def test_a_search_is_asked_for_as_many_results_as_decide_their_number(
    shop: Project,
) -> None:
    asked = {'">= 31"': 31, '"> 30"': 31, "10": 11, '"<= 10"': 11, '"< 11"': 11}
    shop.cases(suite(*(f"expect: {{results: {bound}}}" for bound in asked)))
    run = shop.run()
    for number, depth in enumerate(asked.values()):
        failure = run.failure(f"q{number}")
        assert f"<k={depth}>" in failure
        assert f"results: {min(depth, 30)} returned (asked for {depth}), " in failure


def test_a_metric_with_a_cutoff_asks_for_what_it_needs(shop: Project) -> None:
    bounds = ("AP@10: 0.5", "AP@20: 0.55", "RR: 0.5", 'RR: "<= 1"', "nDCG@20: 0.7")
    shop.cases(suite(*(f"{JUDGED}, expect: {{{bound}}}" for bound in bounds)))
    assert shop.run().counts == {"passed": 5}


def test_with_a_depth_the_search_is_asked_for_so_many_and_reports_name_it(
    shop: Project,
) -> None:
    shop.cases(f"depth: 25\ncases: [{{query: q, {JUDGED}, expect: {{AP: 0.56}}}}]")
    run = shop.run("-rP", RECORD)
    assert "<k=25>" in run.text
    assert "AP (depth 25) 0.550 is below 0.560" in run.failure("q")
    assert "ideal judged, unjudged zero, depth 25" in run.told("q")
    (result,) = shop.recorded().results
    assert result.evaluation.scores["AP"] == 0.55
    assert (result.conditions.depth, result.conditions.is_depth_set) == (25, True)


def test_a_ranking_that_was_not_cut_is_scored(shop: Project) -> None:
    """As the search found less than it was asked for, takes no k, or a test has the
    ranking at hand.
    """
    shop.cases(
        f"cases: [{{query: few, {JUDGED}, expect: {{AP: 0.5, Rprec: 0.5, R: 0.5}}}}]"
    )
    assert shop.run().outcomes == {"few": "passed"}
    shop.conftest()
    scores = 'expect: {AP: 1, "RBP(p=0.5)": 0.5}'
    shop.cases(
        f"cases: [{{query: a b c d e f g h i j, judgments: {{a: 1}}, {scores}}}]"
    )
    ten = '[f"d{n}" for n in range(10)], {"d0": 1, "d9": 1}'
    shop.test(f'relevance.check("q", {ten}, expect={{"AP": 0.6}})')
    assert shop.run().counts == {"passed": 2}


def test_a_case_without_a_score_needs_no_ranking(shop: Project) -> None:
    shop.cases(
        "unjudged: skip\ncases: [{query: q}, {query: r, judgments: {d1: 0}, expect: {first: d1}}]"
    )
    verdicts = {name: each.verdict for name, each in shop.run().results.items()}
    assert verdicts == {"q": "measured", "r": "passed"}


def test_a_bound_of_rr_is_decided_by_the_ranks_that_could_reach_it(
    shop: Project,
) -> None:
    shop.cases("""
        cases:
          - {query: q, judgments: {d15: 1}, expect: {RR: 0.5}}
          - {query: few, judgments: {x: 1}, expect: {RR: 0.4}}
          - {query: q, id: low, judgments: {d20: 1}, expect: {RR: 0.05}}
    """)
    run = shop.run(RECORD, UPDATE, "-rP")
    assert run.outcomes == {"q": "failed", "few": "passed", "low": "passed"}
    assert "<k=20>" in run.text  # a low bound asks for more
    below = (
        "RR is below 0.5: no relevant document in the 10 results that were asked for"
    )
    assert below in run.failure("q")
    first, second, _ = shop.recorded().results
    assert "RR" not in first.evaluation.scores  # it may be 1 / 11, or less
    assert second.evaluation.scores["RR"] == 0.5
    lines = (shop.path / BASELINE).read_text(encoding="utf-8").splitlines()[1:-1]
    scored = ["RR" in json.loads(line)["scores"] for line in lines]
    assert scored == [True, True, False]  # few, low, q


# --- gates and baselines --------------------------------------------------------------

CUT = "AP looks at the whole ranking, and the search was asked for 10 in 1 case: write AP@10, or depth: 1000"


def test_a_gate_on_a_metric_of_the_whole_ranking_is_not_met(
    shop: Project, command: Command
) -> None:
    shop.cases(f"gates: [{{mean: {{AP: 0.5}}}}, {{mean: {{nDCG@10: 0.5}}}}]\n{TWO}")
    run = shop.run(RECORD)
    assert run.gates == {
        "gate[mean AP 0.5]": "failed",
        "gate[mean nDCG@10 0.5]": "passed",
    }
    assert run.counts == {"passed": 3, "failed": 1}  # the cases stay as they are
    assert CUT in run.told("gate[mean AP 0.5]")
    first, second = shop.recorded().results
    assert "AP" not in first.evaluation.scores
    assert second.evaluation.scores["AP"] == 1.0
    merged = command("merge", "run.jsonl", "-o", "whole.jsonl")
    assert merged.code == 1
    assert CUT in merged.out
    shop.cases(f"depth: 25\ngates: [{{mean: {{AP: 0.8}}}}]\n{TWO}")
    mean = "mean AP (depth 25) 0.775, below 0.800 (2 cases)"
    assert mean in shop.run().failure("gate[mean AP 0.8]")


def test_a_drop_is_not_measured_on_rankings_that_were_cut(shop: Project) -> None:
    shop.cases(f"gates: [{{max_drop: {{AP: 0.1}}}}]\n{TWO}")
    shop.run(UPDATE)
    run = shop.run()
    assert run.counts == {"passed": 2, "failed": 1}
    assert CUT in run.told("gate[max_drop AP 0.1]")
    # a search that returns all is not compared with a ranking that was cut
    thirty = "[f'd{n}' for n in range(1, 31)]"
    shop.search(f"return lambda query: ['d1'] if query == 'few' else {thirty}")
    run = shop.run()
    assert (
        "the whole ranking counts now, and only the first 10 results were kept"
        in run.told("q")
    )
    assert run.outcomes["few"] == "passed"


def test_a_baseline_says_which_rankings_were_cut(shop: Project) -> None:
    """An order keeps all that was returned."""
    shop.cases(f"cases: [{{query: q, {JUDGED}, expect: {{order: [d1, d2]}}}}]")
    shop.run(UPDATE)
    baseline = (shop.path / BASELINE).read_text(encoding="utf-8")
    assert '"whole":true,"reaches_depth":true' in baseline
    assert shop.run().outcomes == {"q": "passed"}
