"""`--relevance-html` and `--relevance-markdown`: the reports that people forward,
written at the end of a run. What they say is in `tests/reports`.
"""

import json
import re
from typing import Any

import pytest

from tests.helpers import page_text, page_values, verdict_of
from tests.plugin.conftest import REPORTS, Command, Project
from tests.plugin.shop import RECORD, UPDATE, Shop

HTML, MARKDOWN = "--relevance-html=run.html", "--relevance-markdown=run.md"

CASES = """
    cases:
      - {query: boots, judgments: {b1: 3, b2: 1, b3: 0}, min_ndcg: 0.6}
      - {query: hats, judgments: {h1: 3, h2: 1}}
      - {query: socks, judgments: {s1: 3}, min_ndcg: 0.9, xfail: no socks yet}
      - {query: anything}
"""


@pytest.fixture
def shop(project: Project) -> Shop:
    """A shop in which boots fail since the reference, if there is one."""
    shop = Shop(project)
    shop.cases(CASES)
    shop.returns(boots="b1 b2 b3", hats="h1 h2", socks="x y", anything="p q")
    return shop


def got_worse(shop: Shop) -> None:
    shop.returns(boots="b3 x1 b2")


def page(shop: Project, name: str = "run.html") -> str:
    return (shop.path / name).read_text(encoding="utf-8")


def markdown(shop: Project) -> str:
    return (shop.path / "run.md").read_text(encoding="utf-8")


def cases(text: str) -> dict[str, dict[str, Any]]:
    """The cases of a page, by their ids."""
    return {case["id"]: case for case in page_values(text)["cases"]}


def test_a_run_without_a_baseline(shop: Shop) -> None:
    got_worse(shop)
    run = shop.run(HTML, MARKDOWN)
    assert run.code == 1
    assert run.summary.endswith("look     run.html\nreport: run.md\n")
    assert verdict_of(page(shop)) == ("1 of 4 cases fails", "fails")
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


def test_what_got_worse_since_the_baseline(shop: Shop) -> None:
    shop.run(UPDATE)
    got_worse(shop)
    shop.run(HTML, MARKDOWN)
    assert verdict_of(page(shop)) == (
        "Search got worse: 1 of 4 queries (for certain)",
        "fails",
    )
    assert (
        "Search got worse: 1 of 4 queries (for certain)"
        in markdown(shop).splitlines()[1]
    )
    assert "against the baseline" in page_text(page(shop))
    boots = cases(page(shop))["boots"]
    assert boots["gotWorse"] is True
    assert boots["accepted"] == ["b1", "b2", "b3"]
    assert boots["acceptedGrades"] == [3, 1, 0]
    move = boots["moves"][0]
    assert (move["document"], move["rankBefore"], move["rankNow"]) == ("b1", 1, None)
    assert cases(page(shop))["hats"]["accepted"] == ["h1", "h2"]


@pytest.mark.parametrize(
    ("folder", "shown"), [("builds", "builds/main.jsonl"), ("..", "main.jsonl")]
)
def test_the_absolute_path_of_another_run_is_in_no_report(
    shop: Shop, command: Command, folder: str, shown: str
) -> None:
    """Relative to the root inside the project, and the name of the file alone
    outside.
    """
    (shop.path / "builds").mkdir()
    main_run = str((shop.path / folder / "main.jsonl").resolve())
    shop.run(f"--relevance-record={main_run}")
    got_worse(shop)
    found = shop.reports(f"--relevance-against={main_run}")
    report = command("report", "run.jsonl", "--against", main_run, "--format=html").out
    assert f"against {shown}" in found.page
    assert f"`against {shown} of " in found.markdown
    assert f"against {shown}" in page_text(report)
    for text in (found.page, found.markdown, found.run.summary, page_text(report)):
        assert main_run not in text


def test_the_report_of_the_record_is_that_of_the_run(
    shop: Shop, command: Command
) -> None:
    """So that grades which were given in one page are found in the other."""
    got_worse(shop)
    shop.run(*REPORTS)
    assert command("report", "run.jsonl", "-o", "again.html").code == 0
    first, again = page_values(page(shop)), page_values(page(shop, "again.html"))
    assert first["record"] == again["record"]
    assert first["cases"] == again["cases"]
    assert verdict_of(page(shop)) == verdict_of(page(shop, "again.html"))


def test_a_run_in_which_nothing_is_collected_or_all_is_skipped(shop: Shop) -> None:
    (shop.path / "shop.relevance.yaml").unlink()
    assert shop.run(HTML, MARKDOWN).code == pytest.ExitCode.NO_TESTS_COLLECTED
    for text in (page(shop), markdown(shop)):
        assert "Nothing was searched" in text
    shop.cases("cases: [{query: a, skip: not today}]")
    shop.run(HTML, MARKDOWN)
    for text in (page(shop), markdown(shop)):
        assert "Nothing was searched" in text


@pytest.mark.parametrize("other", ["markdown", "record"])
def test_two_options_do_not_write_the_same_file(shop: Shop, other: str) -> None:
    run = shop.run(HTML, f"--relevance-{other}=./run.html")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "collected" not in run.text
    assert "name the same file, " in run.result.stderr.str()
    assert not (shop.path / "run.html").exists()


def without_times(report: str) -> str:
    """A report in Markdown without the time of the run, and how long its searches
    took.
    """
    return re.sub(r"\d{4}-\d\d-\d\d[T ][\d:]+|[\d.]+ m?s\b", "", report)


def test_the_markdown_is_the_same_with_other_outputs(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.cases(CASES.replace(", min_ndcg: 0.6", "").partition("- {query: socks")[0])
    shop.returns(boots="b2 b1")
    shop.run(UPDATE)
    shop.returns(boots="b1 b2")
    shop.run(MARKDOWN)
    alone = markdown(shop)
    for other in (RECORD, HTML, "-p no:cacheprovider"):
        # not among the arguments that the report shows
        monkeypatch.setenv("PYTEST_ADDOPTS", other)
        shop.run(MARKDOWN)
        assert without_times(alone) == without_times(markdown(shop))
    monkeypatch.delenv("PYTEST_ADDOPTS")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(shop.path / "step.md"))
    shop.run()
    # with details of cases that passed
    for report in (alone, (shop.path / "step.md").read_text(encoding="utf-8")):
        assert "gained" in report
        assert "nothing returned" not in report


@pytest.mark.parametrize(
    ("chosen", "ran"),
    [("hats", "1 of 2"), ("shoes", "0 of 2")],
    ids=["a part", "another file"],
)
def test_a_required_gate_without_a_verdict_is_not_met_in_all_reports(
    shop: Shop, command: Command, chosen: str, ran: str
) -> None:
    shop.cases("gates: [{passing: 1}]\ncases: [{query: hats}, {query: socks}]")
    shop.cases("cases: [{query: shoes}]", "other.relevance.yaml")
    shop.returns(shoes="s1")
    found = shop.reports("-k", chosen, "--relevance-gates=require")
    assert (found.run.code, found.run.counts["failed"]) == (1, 1)
    why = f"not evaluated: {ran} ran"
    assert verdict_of(page(shop)) == ("1 gate is not met", "fails")
    assert "1 gate is not met" in markdown(shop).splitlines()[1]
    assert why in found.markdown
    (shop.path / "again.jsonl").write_bytes((shop.path / "run.jsonl").read_bytes())
    for arguments in (["report", "run.jsonl"], ["merge", "run.jsonl", "again.jsonl"]):
        out = command(*arguments).out
        assert "gate[passing 1] not evaluated: " in out
        assert why in out
    data = json.loads(command("report", "run.jsonl", "--format=json").out)
    (gate,) = data["gates"]
    assert (gate["outcome"], gate["message"]) == ("failed", why)
