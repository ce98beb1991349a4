"""`--relevance-html` and `--relevance-markdown`: the reports that people forward,
written at the end of a run.
"""

import json
import re
from typing import Any

import pytest

from pytest_relevance.cli import main
from tests.helpers import page_text, page_values, verdict_of
from tests.plugin.conftest import Project, Run
from tests.plugin.shop import UPDATE, Shop

HTML, MARKDOWN, RECORD = (
    "--relevance-html=run.html",
    "--relevance-markdown=run.md",
    "--relevance-record=run.jsonl",
)
BOTH = pytest.mark.parametrize("name", ["html", "markdown"])

CASES = """
    cases:
      - {query: boots, judgments: {b1: 3, b2: 1, b3: 0}, min_ndcg: 0.6}
      - {query: hats, judgments: {h1: 3, h2: 1}}
      - {query: socks, judgments: {s1: 3}, min_ndcg: 0.9, xfail: no socks yet}
      - {query: anything}
"""


@pytest.fixture
def shop(project: Project) -> Shop:
    """A shop in which boots fail since the baseline, if there is one."""
    shop = Shop(project)
    shop.cases(CASES)
    shop.returns(boots="b1 b2 b3", hats="h1 h2", socks="x y", anything="p q")
    return shop


def got_worse(shop: Shop) -> None:
    shop.returns(boots="b3 x1 b2")


def page(shop: Shop | Project, name: str = "run.html") -> str:
    return (shop.path / name).read_text(encoding="utf-8")


def markdown(shop: Shop | Project) -> str:
    return (shop.path / "run.md").read_text(encoding="utf-8")


def cases(text: str) -> dict[str, dict[str, Any]]:
    """The cases of a page, by their ids."""
    return {case["id"]: case for case in page_values(text)["cases"]}


def said(run: Run) -> list[str]:
    return run.sentences("report: ")


def refusal(run: Run) -> str:
    """The message of a run that did not start."""
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "collected" not in run.text
    (line,) = [
        line
        for line in run.result.stderr.str().splitlines()
        if line.startswith("ERROR: ")
    ]
    return line.removeprefix("ERROR: ")


def test_a_run_without_a_baseline(shop: Shop) -> None:
    got_worse(shop)
    run = shop.run(HTML, MARKDOWN)
    assert (run.code, said(run)) == (1, ["report: run.html", "report: run.md"])
    assert verdict_of(page(shop)) == ("1 of 4 cases fails", "broken")
    assert "1 of 4 cases fails" in markdown(shop).splitlines()[1]
    found = cases(page(shop))
    assert {name: case["status"] for name, case in found.items()} == {
        "boots": "failed",
        "hats": "measured",
        "socks": "xfailed",
        "anything": "measured",
    }
    assert found["hats"]["documents"] == ["h1", "h2"]  # of cases that passed too
    assert found["hats"]["titles"]["h1"] == "Title of h1"
    assert "Title of b3" in page_text(page(shop))
    assert "Title of b3" in markdown(shop)


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["here", "xdist"])
def test_what_got_worse_since_the_baseline(
    shop: Shop, workers: tuple[str, ...]
) -> None:
    shop.run(UPDATE)
    got_worse(shop)
    shop.run(HTML, MARKDOWN, *workers)
    assert verdict_of(page(shop)) == ("Search got worse: 1 query", "worse")
    assert "Search got worse: 1 query" in markdown(shop).splitlines()[1]
    assert "against the baseline" in page_text(page(shop))
    boots = cases(page(shop))["boots"]
    assert (boots["gotWorse"], boots["accepted"], boots["acceptedGrades"]) == (
        True,
        ["b1", "b2", "b3"],
        [3, 1, 0],
    )
    assert (boots["lost"], boots["onTop"]) == (
        {"document": "b1", "from": 1, "to": None},
        "b3",
    )
    assert cases(page(shop))["hats"]["accepted"] == ["h1", "h2"]


@pytest.mark.parametrize(
    ("folder", "shown"), [("builds", "builds/main.jsonl"), ("..", "main.jsonl")]
)
def test_the_absolute_path_of_another_run_is_in_no_report(
    shop: Shop,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    folder: str,
    shown: str,
) -> None:
    """Relative to the root inside the project, and the name of the file alone
    outside.
    """
    (shop.path / "builds").mkdir()
    main_run = (shop.path / folder / "main.jsonl").resolve()
    shop.run(f"--relevance-record={main_run}")
    got_worse(shop)
    run = shop.run(HTML, MARKDOWN, RECORD, f"--relevance-against={main_run}")
    assert f"against {shown}" in page_text(page(shop))
    assert f"`against {shown}`" in markdown(shop)
    texts = [page_text(page(shop)), markdown(shop), run.summary]
    monkeypatch.chdir(shop.path)
    capsys.readouterr()
    main(["report", "run.jsonl", "--against", str(main_run), "--format=html"])
    texts.append(page_text(capsys.readouterr().out))
    assert f"against {shown}" in texts[-1]
    assert [str(main_run) in text for text in texts] == [False] * 4


def test_the_report_of_the_record_is_that_of_the_run(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that grades which were given in one page are found in the other."""
    got_worse(shop)
    shop.run(HTML, RECORD)
    monkeypatch.chdir(shop.path)
    assert main(["report", "run.jsonl", "-o", "again.html"]) == 0
    first, again = page_values(page(shop)), page_values(page(shop, "again.html"))
    assert first["record"] == again["record"]
    assert first["cases"] == again["cases"]
    assert verdict_of(page(shop)) == verdict_of(page(shop, "again.html"))


@BOTH
def test_a_run_in_which_nothing_is_collected_or_all_is_skipped(
    project: Project, name: str
) -> None:
    run = project.run(f"--relevance-{name}=run.out")
    assert run.code == pytest.ExitCode.NO_TESTS_COLLECTED
    assert "Nothing was searched" in (project.path / "run.out").read_text()
    project.conftest()
    project.cases("cases: [{query: a, skip: not today}]")
    project.run(HTML)
    assert verdict_of(page(project)) == ("Nothing was searched", "nothing")


def test_a_run_that_ends_early_names_what_is_missing(shop: Shop) -> None:
    shop.returns(boots="boom")
    shop.run(HTML, MARKDOWN, "-x")
    assert verdict_of(page(shop)) == (
        "The run did not finish: 3 cases are missing",
        "broken",
    )
    assert "The run did not finish: 3 cases are missing" in markdown(shop)
    shop.cases("cases: [{qery: a}]")
    shop.run(HTML)
    assert verdict_of(page(shop)) == (
        "Nothing was searched: 1 file has an error",
        "broken",
    )


def test_two_options_do_not_write_the_same_file(shop: Shop) -> None:
    for other in ("markdown", "record"):
        run = shop.run(HTML, f"--relevance-{other}=./run.html")
        assert "name the same file, " in refusal(run)
    assert not (shop.path / "run.html").exists()


# --- the same report, whatever else is asked for --------------------------------------


def without_times(report: str) -> str:
    """A report in Markdown without the time of the run, and how long its searches
    took.
    """
    return re.sub(r"\d{4}-\d\d-\d\d[T ][\d:]+|[\d.]+ m?s\b", "", report)


def test_the_markdown_is_the_same_with_other_outputs(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.cases(
        "cases: [{query: hats, judgments: {h1: 3, h2: 1}}, {query: boots, judgments: {b1: 3, b2: 1}}]"
    )
    shop.returns(boots="b2 b1")
    shop.run(UPDATE)
    shop.returns(boots="b1 b2")
    shop.run(MARKDOWN)
    alone = markdown(shop)
    for other in (RECORD, HTML, "-p no:cacheprovider"):
        monkeypatch.setenv(
            "PYTEST_ADDOPTS", other
        )  # not among the arguments that the report shows
        shop.run(MARKDOWN)
        assert without_times(alone) == without_times(markdown(shop))
    monkeypatch.delenv("PYTEST_ADDOPTS")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(shop.path / "step.md"))
    shop.run()
    for report in (
        alone,
        (shop.path / "step.md").read_text(encoding="utf-8"),
    ):  # with details of cases that passed
        assert "gained" in report
        assert "nothing returned" not in report


# --- required gates -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "ran"),
    [("hats", "1 of 2"), ("shoes", "0 of 2")],
    ids=["a part", "another file"],
)
def test_a_required_gate_without_a_verdict_is_not_met_in_all_reports(
    shop: Shop,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    chosen: str,
    ran: str,
) -> None:
    shop.cases("gates: [{passing: 1}]\ncases: [{query: hats}, {query: socks}]")
    shop.cases("cases: [{query: shoes}]", "other.relevance.yaml")
    shop.returns(shoes="s1")
    run = shop.run("-k", chosen, "--relevance-gates=require", HTML, MARKDOWN, RECORD)
    monkeypatch.chdir(shop.path)
    assert (run.code, run.counts["failed"]) == (1, 1)
    assert verdict_of(page(shop)) == ("1 gate is not met", "broken")
    assert "1 gate is not met" in markdown(shop).splitlines()[1]
    assert f"not evaluated: {ran} ran" in markdown(shop)
    capsys.readouterr()
    (shop.path / "again.jsonl").write_bytes((shop.path / "run.jsonl").read_bytes())
    for command in (["report", "run.jsonl"], ["merge", "run.jsonl", "again.jsonl"]):
        main(command)
        out = capsys.readouterr().out
        assert "1 gate failed" in out
        assert f"not evaluated: {ran} ran" in out
    main(["report", "run.jsonl", "--format=json"])
    (gate,) = json.loads(capsys.readouterr().out)["gates"]
    assert (gate["outcome"], gate["message"]) == ("failed", f"not evaluated: {ran} ran")
