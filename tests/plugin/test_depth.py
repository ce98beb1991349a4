"""Metrics of the whole ranking, on rankings that a search cut because it was asked for
so many results.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import Incomparable, Run, compare_runs, evaluate, read_run
from pytest_relevance.cli import main
from tests.helpers import reasons_of
from tests.plugin.conftest import Project

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

BOTH_WAYS = "AP looks at the whole ranking, and this search was asked for 10: write AP@10, or depth: 1000"


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest(THIRTY)
    return project


def case(expect: str, more: str = "") -> str:
    return f"{more}\ncases: [{{query: q, judgments: {{d1: 1, d20: 1}}, expect: {{{expect}}}}}]\n"


def test_a_metric_of_the_whole_ranking_is_an_error_where_the_search_was_asked_for_less(
    shop: Project,
) -> None:
    shop.cases(case("AP: 0.5"))
    run = shop.run("--relevance-record=run.jsonl")
    assert run.failure("q").splitlines()[0] == f"shop.relevance.yaml:1: {BOTH_WAYS}"
    assert run.results["q"].verdict == "error"
    assert f"FAILED shop.relevance.yaml::q - {BOTH_WAYS}"[:90] in "\n".join(
        run.short_summary
    )
    (result,) = Run.open(shop.path / "run.jsonl").results
    assert (result.verdict, reasons_of(result), result.evaluation.scores) == (
        "error",
        [BOTH_WAYS],
        {},
    )


def test_a_search_is_asked_for_as_many_results_as_decide_their_number(
    shop: Project,
) -> None:
    asked = {'">= 31"': 31, '"> 30"': 31, "10": 11, '"<= 10"': 11, '"< 11"': 11}
    cases = (
        f"  - {{query: q, id: q{n}, expect: {{results: {bound}}}}}\n"
        for n, bound in enumerate(asked)
    )
    shop.cases("cases:\n" + "".join(cases))
    run = shop.run()
    for number, depth in enumerate(asked.values()):
        failure = run.failure(f"q{number}")
        assert f"<k={depth}>" in failure
        assert (
            f"results: {min(depth, 30)} returned (asked for {depth}), expected "
            in failure
        )


def several(cases: Sequence[str]) -> str:
    """A suite with cases q0, q1 ... that have these keys."""
    lines = (
        f"  - {{query: q, id: q{n}, judgments: {{d1: 1, d20: 1}}, {keys}}}\n"
        for n, keys in enumerate(cases)
    )
    return "cases:\n" + "".join(lines)


def test_a_metric_with_a_cutoff_asks_for_what_it_needs(shop: Project) -> None:
    bounds = ("AP@10: 0.5", "AP@20: 0.55", "RR: 0.5", 'RR: "<= 1"', "nDCG@20: 0.7")
    shop.cases(several([f"expect: {{{bound}}}" for bound in bounds]))
    assert shop.run().counts == {"passed": 5}


def test_with_a_depth_the_search_is_asked_for_so_many_and_reports_name_it(
    shop: Project,
) -> None:
    shop.cases(case("AP: 0.56", "depth: 25"))
    run = shop.run("-rP", "--relevance-record=run.jsonl")
    assert "<k=25>" in run.text
    assert "AP (depth 25) 0.550 is below 0.560" in run.failure("q")
    assert "gain exponential, ideal judged, unjudged zero, depth 25" in run.told("q")
    (result,) = Run.open(shop.path / "run.jsonl").results
    assert result.evaluation.scores["AP"] == 0.55
    assert (result.conditions.depth, result.conditions.is_depth_set) == (25, True)


def test_a_ranking_that_was_not_cut_is_scored(shop: Project) -> None:
    """As the search found less than it was asked for, takes no k, or a test has the
    ranking at hand.
    """
    shop.cases(
        "cases: [{query: few, judgments: {d1: 1, d20: 1}, expect: {AP: 0.5, Rprec: 0.5, R: 0.5}}]"
    )
    assert shop.run().outcomes == {"few": "passed"}
    shop.conftest()
    shop.cases(
        'cases: [{query: a b c d e f g h i j, judgments: {a: 1}, expect: {AP: 1, "RBP(p=0.5)": 0.5}}]'
    )
    shop.test(
        'relevance.check("q", [f"d{n}" for n in range(10)], {"d0": 1, "d9": 1}, expect={"AP": 0.6})'
    )
    assert shop.run().counts == {"passed": 2}


LOOKS_AT_ALL = [
    (
        "unjudged: skip",
        "",
        "nDCG@10 looks at the whole ranking (unjudged: skip), and this search was asked for 10: ",
    ),
    (
        "unjudged: skip",
        "P@5: 0.2",
        "P@5 looks at the whole ranking (unjudged: skip), and this search was asked",
    ),
    (
        "unjudged: skip",
        "RR: 0.5",
        "RR looks at the whole ranking, and this search was asked for 10: write RR@10",
    ),
    (
        "ideal: returned",
        "",
        "(ideal: returned), and this search was asked for 10: write ideal: judged, or depth: 1",
    ),
    (
        "",
        "Bpref: 0.5",
        "Bpref looks at the whole ranking, and this search was asked for 10: write depth: 1000",
    ),
    ("", '"RBP(p=0.5)": 0.5', "asked for 10: write RBP(p=0.5)@10, or depth: 1000"),
    (
        "",
        'RR: "> 0"',
        "RR looks at the whole ranking, and this search was asked for 10: write RR@10, or depth: 1",
    ),
    (
        "",
        "P: 0.01",
        "P looks at the whole ranking, and this search was asked for 10: write P@10, or depth: 1000",
    ),
    ("", "infAP: 0.5", "infAP looks at the whole ranking"),
    (
        "",
        "AP: 0.5, R@20: 0",
        "and this search was asked for 20: write AP@20, or depth: 1000",
    ),  # deeper, not enough
]


def test_what_looks_at_the_whole_ranking(shop: Project) -> None:
    for number, (settings, expect, _) in enumerate(LOOKS_AT_ALL):
        for name, more in (("cut", ""), ("deep", "\ndepth: 40")):
            text = case(expect, settings + more).replace(
                "query: q", f"query: {name}{number}"
            )
            shop.cases(text, f"{name}{number}.relevance.yaml")
    run = shop.run("--relevance-give-up=0")
    failures = {
        report.nodeid.partition("::")[2]: report.longreprtext
        for report in run.reports
        if report.failed
    }
    for number, (*_, message) in enumerate(LOOKS_AT_ALL):
        assert run.results[f"cut{number}"].verdict == "error"
        assert message in failures[f"cut{number}"]
        assert run.results[f"deep{number}"].verdict in ("passed", "measured")


def test_a_case_without_a_score_needs_no_ranking(shop: Project) -> None:
    shop.cases(
        "unjudged: skip\ncases: [{query: q}, {query: r, judgments: {d1: 0}, expect: {first: d1}}]"
    )
    assert [entry.verdict for entry in shop.run().results.values()] == [
        "measured",
        "passed",
    ]


def test_a_bound_of_rr_is_decided_by_the_ranks_that_could_reach_it(
    shop: Project,
) -> None:
    shop.cases(
        """
        cases:
          - {query: q, judgments: {d15: 1}, expect: {RR: 0.5}}
          - {query: few, judgments: {x: 1}, expect: {RR: 0.4}}
          - {query: q, id: low, judgments: {d20: 1}, expect: {RR: 0.05}}
        """
    )
    run = shop.run("--relevance-record=run.jsonl", "--relevance-update", "-rP")
    assert run.outcomes == {"q": "failed", "few": "passed", "low": "passed"}
    assert "<k=20>" in run.text  # a low bound asks for more
    assert (
        "RR is below 0.5: no relevant document in the 10 results that were asked for"
        in run.failure("q")
    )
    first, second, _ = Run.open(shop.path / "run.jsonl").results
    assert "RR" not in first.evaluation.scores  # it may be 1 / 11, or less
    assert second.evaluation.scores["RR"] == 0.5
    baseline = (shop.path / "shop.relevance.yaml.baseline.jsonl").read_text(
        encoding="utf-8"
    )
    assert ['"RR"' in line for line in baseline.splitlines()[1:-1]] == [
        True,
        True,
        False,
    ]  # few, low, q


GATED = """
    gates: [{mean: {AP: 0.5}}, {mean: {nDCG@10: 0.5}}]
    cases:
      - {query: q, judgments: {d1: 1, d20: 1}}
      - {query: few, judgments: {d1: 1}}
"""
CUT = "AP looks at the whole ranking, and the search was asked for 10 in 1 case: write AP@10, or depth: 1000"


def test_a_gate_on_a_metric_of_the_whole_ranking_is_not_met(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.cases(GATED)
    run = shop.run("--relevance-record=run.jsonl")
    assert run.outcomes == {
        "q": "passed",
        "few": "passed",
        "gate[mean AP 0.5]": "failed",
        "gate[mean nDCG@10 0.5]": "passed",
    }
    assert CUT in run.told("gate[mean AP 0.5]")
    first, second = Run.open(shop.path / "run.jsonl").results
    assert "AP" not in first.evaluation.scores
    assert second.evaluation.scores["AP"] == 1.0
    capsys.readouterr()
    assert (
        main(
            [
                "merge",
                str(shop.path / "run.jsonl"),
                "-o",
                str(shop.path / "whole.jsonl"),
            ]
        )
        == 1
    )
    assert CUT in " ".join(capsys.readouterr().out.split())
    shop.cases(
        GATED.replace("    gates", "    depth: 25\n    gates", 1).replace(
            "AP: 0.5", "AP: 0.8"
        )
    )
    assert "mean AP (depth 25) 0.775, below 0.800 (2 cases)" in shop.run().failure(
        "gate[mean AP 0.8]"
    )


def test_a_drop_is_not_measured_on_rankings_that_were_cut(shop: Project) -> None:
    shop.cases(GATED.replace("mean: {AP: 0.5}", "max_drop: {AP: 0.1}"))
    shop.run("--relevance-update")
    for _ in range(2):  # the cases themselves stay as they are
        run = shop.run()
        assert run.outcomes["gate[max_drop AP 0.1]"] == "failed"
        assert CUT in run.told("gate[max_drop AP 0.1]")
        assert (run.outcomes["q"], run.outcomes["few"]) == ("passed", "passed")
    # a search that returns all is not compared with a ranking that was cut
    shop.conftest(
        THIRTY.replace("query, k=10", "query")
        .replace("found[:k]", "found")
        .replace("<k={k}>", "")
    )
    run = shop.run()
    assert "all of the ranking counts now, and the first 10 were kept" in run.told("q")
    assert run.outcomes["few"] == "passed"


def test_each_metric_that_is_compared_is_asked_for_its_ranks(shop: Project) -> None:
    shop.cases(
        "cases: [{query: q, judgments: {d1: 1, d20: 1}}, {query: few, judgments: {d1: 1}}]"
    )
    for name in ("main", "branch"):
        shop.run(f"--relevance-record={name}.jsonl")
    records = str(shop.path / "main.jsonl"), str(shop.path / "branch.jsonl")
    twenty = r'nDCG@20 takes 20 ranks, and the search of "q" was asked for 10'
    whole = r'{} takes all of it, and the search of "q" was asked for 10: set a depth in the case file'
    for metrics, message in (
        (["nDCG@20"], twenty),
        (["nDCG@20", "RR@10"], twenty),
        (["RR", "nDCG@20"], whole.format("RR")),
        (["nDCG@20", "RR"], twenty),
        (["AP", "P@500"], whole.format("AP")),
        (
            ["R@100", "Bpref"],
            'R@100 takes 100 ranks, and the search of "q" was asked for 10',
        ),
    ):
        with pytest.raises(ValueError, match=message):
            compare_runs(*records, metrics)
    with pytest.raises(ValueError, match="nDCG@10 takes all of it"):
        compare_runs(*records, unjudged="skip")
    assert compare_runs(*records, ["P@5", "RR@10", "AP@3"]).metrics


def test_a_baseline_says_which_rankings_were_cut(shop: Project) -> None:
    shop.cases(case("order: [d1, d2]"))  # which keeps all that was returned
    shop.run("--relevance-update", "--relevance-record=run.jsonl")
    baseline = shop.path / "shop.relevance.yaml.baseline.jsonl"
    assert '"whole":true,"reaches_depth":true' in baseline.read_text(encoding="utf-8")
    assert shop.run().outcomes == {"q": "passed"}


RANKINGS_OF_A_RECORD: dict[str, Callable[[Path], Any]] = {
    "a frame": lambda path: Run.open(path).rankings.rename(columns={"id": "query_id"}),
    "read_run": read_run,
}


DEEPER: list[tuple[str, dict[str, Any]]] = [
    ("AP", {}),
    ("R@20", {}),
    ("nDCG@5", {"ideal": "returned"}),
    ("P@5", {"unjudged": "skip"}),
]


@pytest.mark.parametrize(
    "rankings", RANKINGS_OF_A_RECORD.values(), ids=RANKINGS_OF_A_RECORD
)
def test_rankings_read_from_a_record_are_known_as_deep_as_it_has_them(
    shop: Project, rankings: Callable[[Path], Any]
) -> None:
    judgments = {"q": {"d1": 1, "d20": 1}, "few": {"d1": 1}}
    shop.cases(
        "cases: [{query: q, judgments: {d1: 1, d20: 1}}, {query: few, judgments: {d1: 1}}]"
    )
    shop.run("--relevance-record=run.jsonl")
    found = rankings(shop.path / "run.jsonl")
    assert evaluate(judgments, found, "R@9")["R@9"].tolist() == [0.5, 1.0]
    assert (
        compare_runs(found, found, "R@9", judgments=judgments).metrics[0].means.first
        == 0.75
    )
    for metric, settings in DEEPER:
        with pytest.raises(
            ValueError,
            match=f"{metric} takes .* of the ranking of 'q' the record has the first ",
        ):
            evaluate(judgments, found, metric, **settings)
        with pytest.raises(
            ValueError,
            match=f'{metric} takes .* of the ranking of "q" the first .* were kept',
        ):
            compare_runs(found, found, metric, judgments=judgments, **settings)
    assert evaluate({"few": {"d1": 1}}, found, "AP").loc["few", "AP"] == 1.0


def test_depths_that_differ_are_not_compared(shop: Project) -> None:
    for depth in (20, 25):
        shop.cases(case("AP: 0", f"depth: {depth}"))
        shop.run(f"--relevance-record={depth}.jsonl")
    first, second = str(shop.path / "20.jsonl"), str(shop.path / "25.jsonl")
    with pytest.raises(
        Incomparable, match=r"the settings changed \(depth: 20 / 25\) in 1 case"
    ):
        compare_runs(first, second, "AP")
    with pytest.raises(Incomparable, match=r"\(depth: 20 / 25\)"):
        compare_runs(first, second, unjudged="skip")
    assert compare_runs(first, second).metrics[0].means.difference == 0
    judgments = {"q": {"d1": 1, "d20": 1}}
    with pytest.raises(
        Incomparable, match=r"\(depth: 20 / 30\)"
    ):  # the engine's run is deeper than the record
        compare_runs(
            first,
            {"q": [f"d{number}" for number in range(1, 31)]},
            "AP",
            judgments=judgments,
        )
    found = compare_runs(
        first,
        {"q": [f"d{number}" for number in range(1, 21)]},
        "AP",
        judgments=judgments,
    )
    assert found.metrics[0].means.difference == 0
    assert "unjudged zero, depth 20" in compare_runs(first, first, "AP").summary()
