"""What a baseline, or the record of another run, has and this run does not compare any
more is told.
"""

import pytest

from pytest_relevance.cli import main
from tests.plugin.conftest import Project
from tests.plugin.test_baseline_in_pytest import UPDATE, Shop

RECORD, AGAINST = "--relevance-record=main.jsonl", "--relevance-against=main.jsonl"
REQUIRE = "--relevance-baseline=require"
CASES = """
    queries: {file: queries.csv, only: judged}
    judgments: judgments.csv
    gates: [{max_drop: {nDCG@10: 0.1}}]
    cases:
      - {query: gone, judgments: {a: 3}}
      - {query: unjudged, judgments: {a: 3}, expect: {results: ">= 1"}}
      - {query: same, judgments: {a: 3}}
"""
JUDGED = "query,document,grade\nlisted,a,3\nother,a,3\n"
NOW = (
    '1 case is gone ("gone"), 1 case has no judgments now ("unjudged"), 1 case is left out by only: judged '
    '("listed"), nothing ran of 1 file ("old.relevance.yaml")'
)


@pytest.fixture
def before(project: Project) -> Shop:
    """A shop with a committed baseline and a record of the same day."""
    shop = Shop(project)
    shop.cases(CASES)
    project.write("queries.csv", "query\nlisted\nother\n")
    project.write("judgments.csv", JUDGED)
    project.cases("cases: [{query: same, judgments: {a: 3}}]", "old.relevance.yaml")
    shop.returns(
        **dict.fromkeys(["gone", "unjudged", "same", "listed", "other"], "a b")
    )
    shop.run(UPDATE, RECORD)
    return shop


def lose(shop: Shop) -> None:
    """Take a case out, the judgments of another and of a listed query away, and delete
    a case file.
    """
    cases = CASES.replace("- {query: gone, judgments: {a: 3}}", "")
    shop.cases(cases.replace("unjudged, judgments: {a: 3}", "unjudged, judgments: {}"))
    shop.project.write("judgments.csv", JUDGED.replace("listed,a,3\n", ""))
    (shop.path / "old.relevance.yaml").unlink()


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("option", "name"), [((), "the baseline"), ((AGAINST, "-n1"), "main.jsonl")]
)
def test_it_is_told_in_one_line_by_every_report(
    before: Shop, option: tuple[str, ...], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lose(before)
    written = [
        "--relevance-markdown=run.md",
        "--relevance-html=run.html",
        "--relevance-record=now.jsonl",
    ]
    run = before.run("-q", *option, *written)
    assert run.code == 0
    said = f"in {name} and not compared: {NOW}"
    assert said in words(run.text)
    assert said in (before.path / "run.md").read_text()
    assert said.replace('"', "&quot;") in (before.path / "run.html").read_text()
    capsys.readouterr()
    main(["report", str(before.path / "now.jsonl")])
    assert said in words(capsys.readouterr().out)


@pytest.mark.parametrize("option", [(), (AGAINST,)], ids=["baseline", "record"])
def test_a_file_that_ran_whole_and_lost_cases_fails_where_a_baseline_is_required(
    before: Shop, option: tuple[str, ...]
) -> None:
    assert before.run(REQUIRE, *option).code == 0
    lose(before)
    run = before.run(REQUIRE, *option)
    assert run.code == 1
    assert "does not compare 3 cases of " in words(run.summary)
    assert (
        before.run(REQUIRE, *option, "-k", "same").code == 0
    )  # what is chosen says nothing of the others
    assert before.run(UPDATE, REQUIRE).code == 0


def test_report_compares_with_a_record_that_has_more(
    before: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    lose(before)
    before.run("--relevance-record=now.jsonl")
    capsys.readouterr()
    main(
        [
            "report",
            str(before.path / "now.jsonl"),
            "--against",
            str(before.path / "main.jsonl"),
        ]
    )
    assert (
        '2 cases are gone ("gone" and "listed"), 1 case has no judgments now ("unjudged")'
        in words(capsys.readouterr().out)
    )


def test_queries_that_only_judged_leaves_out_are_counted(
    before: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    lose(before)
    (before.path / "shop.relevance.yaml.baseline.jsonl").unlink()
    run = before.run("--relevance-markdown=run.md")
    said = '1 of 2 queries has no judgments and is left out (only: judged): "listed"'
    assert said in words(run.summary)
    assert said in (before.path / "run.md").read_text()
    capsys.readouterr()
    assert main(["check", str(before.path / "shop.relevance.yaml")]) == 0
    assert "1 listed query left out" in capsys.readouterr().out


def test_a_run_without_any_case_file_says_what_the_record_has(before: Shop) -> None:
    for file in before.path.glob("*.relevance.yaml"):
        file.unlink()
    before.project.write("test_shop.py", "def test_other(): pass")
    run = before.run(AGAINST, "-q")
    assert run.counts == {"passed": 1}
    said = 'nothing ran of 2 files in main.jsonl ("old.relevance.yaml" and "shop.relevance.yaml")'
    assert f"--relevance-against: {said}" in words(run.text)
    assert "nothing ran" not in before.run(AGAINST, "--collect-only").text
