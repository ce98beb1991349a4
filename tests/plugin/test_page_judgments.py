"""Judgments that were given in the page of an older run, and are read as a judgment
file: the page's download.
"""

import csv
import io
import json
import re
from importlib.resources import files

import pytest

from pytest_relevance import read_judgments
from pytest_relevance.cli import main
from tests.plugin.conftest import Project

OLDER = "2026-01-01T00:00:00+00:00 0123456789ab"
COLUMNS = [
    "query_id",
    "query",
    "document",
    "title",
    "ranks",
    "worth",
    "move",
    "grade",
    "record",
    "rater",
]

CASES = """
    judgments: [judgments.csv, page.csv]
    scale: [0, 3]
    min_ndcg: 0.99
    cases:
      - {query: winter boots, id: boots}
      - {query: hats}
"""


def download(*answers: tuple[str, str, str, str], rater: str = "Ada") -> str:
    """The file that the page offers: answers are query id, query, document and
    grade.
    """
    text = io.StringIO()
    rows = [
        [*answer[:3], "A title", "1", "0.5000", "0.7000", answer[3], OLDER, rater]
        for answer in answers
    ]
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *rows])
    return text.getvalue()


@pytest.fixture
def shop(project: Project) -> Project:
    project.search('return lambda query: ["007", "008", "a1", "a2"]')
    project.cases(CASES)
    project.write(
        "judgments.csv",
        "query_id,query,document,grade\nboots,winter boots,a1,3\nhats,hats,a1,2\n",
    )
    return project


def test_the_columns_are_those_of_the_page() -> None:
    scripts = files("pytest_relevance.ext.html") / "script"
    text = "".join(
        each.read_text("utf-8")
        for each in scripts.iterdir()
        if each.name.endswith(".js")
    )
    found = re.search(r"CSV_COLUMNS = (\[[^\]]*\])", text)
    assert found is not None
    assert json.loads(re.sub(r",\s*\]", "]", found[1])) == COLUMNS


@pytest.mark.parametrize("rater", ["Ada", ""], ids=["rater", "no rater"])
def test_they_are_judgments_of_the_next_run(shop: Project, rater: str) -> None:
    boots = [
        ("boots", "winter boots", "007", "3"),
        ("boots", "winter boots", "008", ""),
    ]
    hats = [
        ("hats", "hats", "007", "2"),
        ("hats", "hats", "a1", "2"),
    ]  # the grade that it has elsewhere too
    path = shop.write("page.csv", download(*boots, *hats, rater=rater))
    results = shop.run("-vv").results
    assert list(results["boots"].ranking.grades) == [
        3,
        None,
        3,
        None,
    ]  # an answer of "cannot tell" is no judgment
    assert list(results["hats"].ranking.grades) == [2, None, 2, None]
    judgments = read_judgments(path)
    assert dict(judgments["boots"]) == {"007": 3}
    assert ("Ada" in judgments.raters) == (rater == "Ada")


def test_downloads_of_two_judges_are_joined(shop: Project) -> None:
    shop.write("page.csv", download(("boots", "winter boots", "007", "3")))
    shop.write(
        "other.csv",
        download(
            ("boots", "winter boots", "007", "1"),
            ("hats", "hats", "a2", "1"),
            rater="Ben",
        ),
    )
    shop.cases("""
        judgments: [judgments.csv, page.csv, other.csv]
        raters: mean
        scale: [0, 3]
        cases: [{query: winter boots, id: boots}, {query: hats}]
    """)
    results = shop.run("-vv").results
    assert list(results["boots"].ranking.grades) == [2, None, 3, None]
    assert list(results["hats"].ranking.grades) == [None, None, 2, 1]


def test_a_disagreement_with_an_inline_judgment_is_named_once(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.search('return lambda query: ["007", "a1"]')
    project.cases("""
        judgments: page.csv
        min_ndcg: 0.5
        cases: [{query: winter boots, id: boots, judgments: {"007": 3}}]
    """)
    project.write("page.csv", download(("boots", "winter boots", "007", "0")))
    named = 'document "007" has grade 0 there, and 3 counts'
    run = project.run("-Wdefault::pytest_relevance.RelevanceWarning")
    assert run.text.count(named) == 1
    capsys.readouterr()
    assert main(["check", str(project.path)]) == 0
    assert named in " ".join(capsys.readouterr().out.split())
