"""A real shop: its figures are those of other tools, and what another ranker ranks
worse fails and says what left.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from pytest_relevance import Run as Record
from pytest_relevance import compare_runs, randomisation_test
from tests.chorus import CHORUS, needs_chorus, write_suite
from tests.plugin.conftest import Accepted, Project, Run

pytestmark = needs_chorus

Shop = Callable[..., Run]


@pytest.fixture
def shop(project: Project, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """The suite of the shop, run with a ranker."""
    write_suite(project.path)

    def run(ranker: str, *options: str) -> Run:
        monkeypatch.setenv("RANKER", ranker)
        return project.run(*options, "--rootdir=.", "acceptance")

    return run


def assert_figures(run: Run, record: Record, ranker: str, expected: Any) -> None:
    """Check what each query scored, in reports and in the record."""
    assert run.results.keys() == expected["per_query"].keys()
    frame = record.frame.set_index("id")
    for name, figures in expected["per_query"].items():
        score = run.results[name].score
        assert score == (
            None
            if figures[ranker] is None
            else pytest.approx(figures[ranker], abs=1e-6)
        ), name
        assert score == (None if figures[ranker] is None else frame.score[name])
    mean = next(
        row[row.index("nDCG@10") + 1] for row in run.summary_rows if "mean" in row
    )
    assert float(mean) == pytest.approx(expected["mean"][ranker], abs=5e-4)
    assert run.sentences("record: ") == [f"record: {ranker}.jsonl.gz (135 cases)"]
    assert {*frame.index[frame.outcome == "failed"]} == {
        name for name, outcome in run.outcomes.items() if outcome == "failed"
    }


def test_another_ranker_fails_on_the_queries_that_it_ranks_worse(
    shop: Shop, project: Project
) -> None:
    baseline = (
        project.path
        / "acceptance"
        / "chorus"
        / "electronics.relevance.yaml.baseline.jsonl"
    )
    expected = json.loads((CHORUS / "expected.json").read_text(encoding="utf-8"))

    run = shop("any", "--relevance-update", "--relevance-record=any.jsonl.gz")
    assert run.code == 0
    assert expected["fail"]["any"] == []
    assert {*run.outcomes.values()} == {"passed"}
    assert (
        "baseline acceptance/chorus/electronics.relevance.yaml.baseline.jsonl: 135 added"
        in run.summary
    )
    assert_figures(run, Record.open(project.path / "any.jsonl.gz"), "any", expected)

    run = shop("title", "--relevance-record=title.jsonl.gz")
    assert run.code == 1
    assert_figures(run, Record.open(project.path / "title.jsonl.gz"), "title", expected)
    comparison = compare_runs(
        project.path / "any.jsonl.gz", project.path / "title.jsonl.gz"
    )
    (compared,) = comparison.metrics
    assert (compared.metric, compared.means.queries, compared.undefined) == (
        "nDCG@10",
        116,
        19,
    )
    assert compared.p < 0.001
    gates = comparison.judge({"nDCG@10": 0.02}, p=0.05)
    said = comparison.summary(limit=5, gates=gates).splitlines()
    assert said[0] == "Search got worse: 44 queries; 1 gate is not met"
    worst = said.index("Largest drops (5 of 49)") + 2
    assert said[worst].split()[:5] == ["q032", '"earbuds"', "1.000", "->", "0.000"]
    assert " 1 -> gone " in said[worst]

    drops = {
        name: scores["any"] - scores["title"]
        for name, scores in expected["per_query"].items()
        if scores["any"] is not None
    }
    dropped = {name for name, drop in drops.items() if drop > 0.05}
    standings = {
        name: entry.baseline.standing
        for name, entry in run.results.items()
        if entry.baseline is not None
    }
    assert {
        name for name, standing in standings.items() if standing == "regression"
    } == dropped
    assert {name for name, outcome in run.outcomes.items() if outcome == "failed"} == {
        *dropped,
        *expected["fail"]["title"],
    }

    # every floor holds for the accepted ranker
    newly = {
        name
        for name, each in run.results.items()
        if each.baseline is not None and each.baseline.newly_failing
    }
    assert newly == {*expected["fail"]["title"]}
    assert dropped <= newly  # in this suite every drop goes below a floor
    assert f"; {len(newly)} got worse; " in run.summary
    failed = [
        line.split("::")[1].split(" - ")[0]
        for line in run.short_summary
        if line.startswith("FAILED")
    ]
    assert {*failed[: len(newly)]} == newly

    before, after = (
        [expected["per_query"][name][ranker] for name in drops]
        for ranker in ("any", "title")
    )
    better, worse = (
        sum(drop < -1e-9 for drop in drops.values()),
        sum(drop > 1e-9 for drop in drops.values()),
    )
    means = f"{sum(before) / len(drops):.3f} -> {sum(after) / len(drops):.3f}"
    change = -sum(drops.values()) / len(drops)
    (line,) = (
        line
        for line in run.summary.splitlines()
        if line.startswith("mean nDCG@10 ") and " -> " in line
    )
    assert line == (
        f"mean nDCG@10 {means} ({change:+.3f}, p <0.001): "
        f"{better} better, {worse} worse, {len(drops) - better - worse} the same"
    )
    assert randomisation_test(before, after).p < 0.0005

    ordered = sorted(drops, key=lambda name: drops[name], reverse=True)
    for place, name in enumerate(ordered[:5]):
        before, now = (
            expected["per_query"][name][ranker] for ranker in ("any", "title")
        )
        row = run.summary.partition("down since the baseline (")[2].splitlines()[
            place + 2
        ]
        assert f" {before:.3f} -> {now:.3f} " in row
    for name in ordered[:2]:
        before, now = (
            expected["per_query"][name][ranker] for ranker in ("any", "title")
        )
        failure, accepted = run.failure(name), Accepted(baseline).rankings[name, None]
        assert f"(baseline {before:.3f}, down {before - now:.3f})" in " ".join(
            failure.split()
        )
        head, *rows = failure.partition("since the baseline: ")[2].splitlines()
        assert head == f"nDCG@10 {before:.3f} -> {now:.3f}"
        assert sum(float(row.split()[-1]) for row in rows) == pytest.approx(
            now - before, abs=0.003
        )
        left = re.findall(r"^  (\d+) .* (\d+) -> gone ", failure, re.MULTILINE)
        assert left
        assert all(accepted[int(rank) - 1] == product for product, rank in left)

    lines = run.text.splitlines()
    assert len(lines) <= 450
    end = "\n".join(
        lines[-50:]
    )  # what fits into a terminal: what got worse, what is lost, what to do
    assert "\nSearch got worse: 44 queries\n" in end
    assert re.search(r"q131 .*0\.946 -> 0\.000 .* 1 -> gone ", end)
    assert (
        '7 queries return nothing now ("books", "earbuds", "garmin" and 4 more)' in end
    )
    assert "to see one in full: pytest -v " in end
    assert "--relevance-update " in end
    assert "135 cases: 61 passed, 30 measured; 44 got worse; " in end


def test_short_summary_lines_have_the_figures_in_80_columns(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop("any", "--relevance-update", "-k", "q131 or q032")
    case = "acceptance/chorus/electronics.relevance.yaml::q131"
    for columns, message in (
        (80, "0.946 -> 0.000"),
        (100, "0.946 -> 0.000, floor 0.850"),
        (120, '0.946 -> 0.000, floor 0.850; query "wir'),
    ):
        monkeypatch.setenv("COLUMNS", str(columns))
        (line,) = shop("title", "-k", "q131").short_summary
        assert line.startswith(f"FAILED {case} - {message}")
