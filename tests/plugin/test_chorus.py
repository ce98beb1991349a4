"""A real shop: its figures are those of other tools, and what another ranker ranks
worse fails and says what left.
"""

import csv
import gc
import json
import random
import re
import shutil
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from pytest_relevance import Run as Record
from pytest_relevance import compare_runs, randomisation_test
from tests.chorus import CHORUS, needs_chorus, write_suite
from tests.plugin.conftest import Accepted, Project, Run
from tests.plugin.shop import UPDATE

pytestmark = needs_chorus

SUITE = "acceptance/chorus/electronics.relevance.yaml"


@cache
def expected() -> dict[str, Any]:
    """The figures of other tools, and which queries fall below their floors."""
    found: dict[str, Any] = json.loads((CHORUS / "expected.json").read_text("utf-8"))
    return found


def scores(ranker: str) -> dict[str, float | None]:
    return {name: each[ranker] for name, each in expected()["per_query"].items()}


@pytest.fixture
def ran(project: Project, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """The suite of the shop, run with a ranker."""
    write_suite(project.path)

    def run(ranker: str, *options: str) -> Run:
        monkeypatch.setenv("RANKER", ranker)
        found = project.run(*options, "--rootdir=.", "acceptance")
        gc.collect()  # its open database, of which Python 3.13 would warn the next run
        return found

    return run


def assert_figures(project: Project, run: Run, ranker: str) -> None:
    """Check what each query scored, in reports and in the record."""
    frame = project.recorded(f"{ranker}.jsonl.gz").frame.set_index("id")
    assert run.results.keys() == scores(ranker).keys()
    for name, score in scores(ranker).items():
        found = run.results[name].score
        assert found == (None if score is None else pytest.approx(score, abs=1e-6))
        assert found == (None if score is None else frame.score[name])
    mean = re.search(r"mean nDCG@10 (?:[\d.]+ -> )?([\d.]+)", run.summary)
    assert mean is not None
    assert float(mean[1]) == pytest.approx(expected()["mean"][ranker], abs=5e-4)
    assert run.sentences("record: ") == [f"record: {ranker}.jsonl.gz (135 cases)"]
    failed = {name for name, outcome in run.outcomes.items() if outcome == "failed"}
    assert {*frame.index[frame.outcome == "failed"]} == failed


def test_another_ranker_fails_on_the_queries_that_it_ranks_worse(
    ran: Callable[..., Run], project: Project
) -> None:
    run = ran("any", UPDATE, "--relevance-record=any.jsonl.gz")
    assert run.code == 0
    assert expected()["fail"]["any"] == []
    assert {*run.outcomes.values()} == {"passed"}
    assert f"baseline {SUITE}.baseline.jsonl: 135 added" in run.summary
    assert_figures(project, run, "any")

    run = ran("title", "--relevance-record=title.jsonl.gz")
    assert run.code == 1
    assert_figures(project, run, "title")

    comparison = compare_runs("any.jsonl.gz", "title.jsonl.gz")
    (compared,) = comparison.metrics
    assert (compared.means.queries, compared.undefined) == (116, 19)
    assert compared.p < 0.001
    gates = comparison.judge({"nDCG@10": 0.02}, p=0.05)
    said = comparison.summary(limit=5, gates=gates).splitlines()
    assert (
        said[0]
        == "Search got worse: 44 of 135 queries (16 for certain, 28 need grades to be sure); 1 gate is not met"
    )
    became = comparison.counts
    assert (became.got_worse, became.certain, became.open) == (44, 16, 28)
    assert (became.got_better, became.within_tolerance) == (24, 13)
    worst = said[said.index("Largest drops (first 5 of 49)") + 2]
    assert worst.split()[:5] == ["q032", '"earbuds"', "1.000", "->", "0.000"]
    assert " 1 -> not returned " in worst

    after = scores("title")
    both = {
        name: (one, after[name] or 0)
        for name, one in scores("any").items()
        if one is not None
    }
    drops = {name: one - other for name, (one, other) in both.items()}
    dropped = {name for name, drop in drops.items() if drop > 0.05}
    below = {*expected()["fail"]["title"]}
    baselines = {name: each.baseline for name, each in run.results.items()}
    found = {
        name
        for name, each in baselines.items()
        if each and each.standing == "regression"
    }
    assert found == dropped
    newly = {name for name, each in baselines.items() if each and each.newly_failing}
    assert newly == below  # every floor holds for the accepted ranker
    assert dropped <= newly  # in this suite every drop goes below a floor
    failed = {name for name, outcome in run.outcomes.items() if outcome == "failed"}
    assert failed == dropped | below

    before, now = zip(*both.values(), strict=True)
    means = f"{sum(before) / len(both):.3f} -> {sum(now) / len(both):.3f}"
    change = (sum(now) - sum(before)) / len(both)
    moved = [drop for drop in drops.values() if abs(drop) > 1e-9]
    better = sum(drop < -0.05 for drop in drops.values())
    within = len(moved) - better - len(failed)
    same, unscored = len(drops) - len(moved), len(run.results) - len(drops)
    counts = f"{better} got better, {within} changed a little, {same} the same"
    assert f"{counts}, {unscored} without a score" in run.summary.splitlines()
    assert f"mean nDCG@10 {means} ({change:+.3f}, 95% " in run.summary
    assert randomisation_test(before, now).p < 0.0005

    ordered = sorted(drops, key=lambda name: drops[name], reverse=True)
    rows = run.summary.partition("down since the reference (")[2].splitlines()[2:]
    accepted = Accepted(project.path / f"{SUITE}.baseline.jsonl").rankings
    for name, row in zip(ordered[:5], rows, strict=False):
        one, other = both[name]
        assert f" {one:.3f} -> {other:.3f} " in row
    for name in ordered[:2]:
        one, other = both[name]
        baseline = f"(reference {one:.3f}, down {one - other:.3f})"
        assert baseline in run.told(name)
        text = run.failure(name).partition("since the reference: ")[2]
        head, *moves = text.splitlines()
        assert head == f"nDCG@10 {one:.3f} -> {other:.3f}"
        shares = sum(float(move.split()[-1]) for move in moves)
        assert shares == pytest.approx(other - one, abs=0.003)
        left = re.findall(r"^  (\d+) .* (\d+) -> not returned ", text, re.MULTILINE)
        assert left
        for product, rank in left:
            assert accepted[name, None][int(rank) - 1] == product

    # what fits into a terminal: what got worse, what is lost, what to do
    lines = run.text.splitlines()
    assert len(lines) <= 450
    end = "\n".join(lines[-50:])
    assert (
        "\nSearch got worse: 44 of 135 queries (16 for certain, 28 need grades to be sure)\n"
        in end
    )
    assert re.search(
        r"0\.946 -> 0\.000 +needs grades +q131 .*\n +fell: .* rank 1 -> not returned; in its place: ",
        end,
    )
    nothing = '7 queries return nothing now ("books", "earbuds", "garmin" and 4 more)'
    assert nothing in end
    assert "\nfirst    pytest -v " in end
    assert (
        "\njudge    pytest --relevance-unjudged=worklist.csv  # lists the grades" in end
    )
    assert "\n24 got better, 13 changed a little, " in end
    assert "\n135 cases: 61 passed, 44 failed, 30 measured\n" in end


def test_short_summary_lines_name_the_query_first_in_80_columns(
    ran: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran("any", UPDATE, "-k", "q131 or q032")
    for columns, message in (
        (70, '"wir'),
        (80, '"wireless headp'),
        (100, '"wireless headphones": 0.946 -> 0.000'),
    ):
        monkeypatch.setenv("COLUMNS", str(columns))
        (line,) = ran("title", "-k", "q131").short_summary
        assert line.startswith(f"FAILED {SUITE}::q131 - {message}")


Judge = Callable[[int], float]
"""A simulated judge: gives a grade to a result at a rank."""


def always(grade: float) -> Callable[[Record], Judge]:
    return lambda _: lambda _: grade


def drawn(seed: int) -> Callable[[Record], Judge]:
    """Draw the grade from those of the judged results at the same rank."""

    def judge_of(run: Record) -> Judge:
        at_rank: dict[int, list[float]] = {}
        for result in run.results:
            for rank, grade in enumerate(result.ranking.grades[:10], start=1):
                if grade is not None:
                    at_rank.setdefault(rank, []).append(grade)
        draw = random.Random(seed).choice
        return lambda rank: draw(at_rank[rank])

    return judge_of


@pytest.mark.parametrize(
    "judge_of",
    [always(0), always(3), drawn(1), drawn(2), drawn(3)],
    ids=["lowest", "highest", "drawn 1", "drawn 2", "drawn 3"],
)
def test_thirty_grades_of_the_worklist_settle_ten_of_28_queries(
    ran: Callable[..., Run], project: Project, judge_of: Callable[[Record], Judge]
) -> None:
    ran("any", UPDATE)
    ran("title", "--relevance-unjudged=worklist.csv", "--relevance-record=title.jsonl")
    with (project.path / "worklist.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    judge = judge_of(project.recorded("title.jsonl"))
    lines = ["query_id,document,grade"]
    for row in rows[:30]:
        grade = judge(int(row["ranks"]))
        lines.append(f"{row['query_id']},{row['document']},{grade}")
    suite = project.path / SUITE
    suite.with_name("graded.csv").write_text("\n".join(lines))
    suite.write_text("judgments: graded.csv\n" + suite.read_text("utf-8"), "utf-8")

    run = ran("title")
    still_open = re.search(r"(\d+) need grades", run.summary)
    assert still_open is not None
    assert int(still_open[1]) <= 18


TITLES = (
    "known_items: {file: ../../data/chorus/products.jsonl.gz, query: title, document: id, "
    "sample: {n: 25, seed: 7}}\n"
)


def test_titles_of_the_shop_find_their_products(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_suite(project.path, cases=False)
    suite = project.path / "acceptance" / "chorus"
    shutil.copyfile(CHORUS / "conftest.py", suite / "conftest.py")
    (suite / "titles.relevance.yaml").write_text(TITLES, encoding="utf-8")
    monkeypatch.setenv("RANKER", "any")
    run = project.run("--rootdir=.", "acceptance")
    gc.collect()  # its open database
    assert run.sentences()[0].startswith("25 known items: ")
    assert "of the known items, of 19,406 rows: 70 rows with a title that more" in (
        run.said
    )
    assert run.sentences("25 of 25 known items") == [
        "25 of 25 known items are first, 25 in the first 3"
    ]
