"""`--relevance-unjudged=FILE`: what nobody has judged is listed once, however a run
goes; no grade is ever lost.
"""

import csv
from io import StringIO
from pathlib import Path

import pytest

from tests.plugin.conftest import WORDS, Project

OPTION = "--relevance-unjudged=worklist.csv"
HEADER = "query_id,query,document,title,ranks,worth,move,grade\n"

SEARCH = """
    import pytest

    @pytest.fixture
    def search():
        def search(query, k=10):
            if query == "boom":
                raise ConnectionError("no engine")
            return [{"id": word, "title": f"Title of {word}"} for word in query.split()][:k]
        return search
"""

CASES = """
    scale: [0, 3]
    k: 3
    cases:
      - {query: passes x, judgments: {passes: 3}, min_ndcg: 0.9}
      - {query: y fails, judgments: {fails: 3}, min_ndcg: 0.9, weight: 10, id: "007"}
      - {query: z inconclusive, judgments: {inconclusive: 3}, min_ndcg: 0.7, min_judged: 1}
      - {query: measured a b below, judgments: {measured: 1}}
      - {query: xfails w, judgments: {w: 3}, min_ndcg: 0.9, xfail: not yet}
      - {query: nothing judged}
      - {query: all of it, judgments: {all: 3, of: 1, it: 0}}
      - {query: boom, judgments: {a: 3}}
      - {query: skipped s, skip: no s}
"""


def worklist(project: Project, name: str = "worklist.csv") -> list[dict[str, str]]:
    """The rows of the file."""
    text = (project.path / name).read_text(encoding="utf-8")
    assert text.startswith(HEADER)
    return list(csv.DictReader(StringIO(text, newline="")))


def fill_in(path: Path, grade: str) -> None:
    """Give every row a grade, as a person would in a spreadsheet."""
    with path.open(encoding="utf-8", newline="") as file:
        first, *rows = csv.reader(file)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([first, *([*row[:-1], grade] for row in rows)])


@pytest.fixture
def shop(project: Project) -> Project:
    """A case for everything that may come of one."""
    project.conftest(SEARCH)
    project.cases(CASES)
    return project


def test_whatever_ran_and_is_not_judged_is_listed(shop: Project) -> None:
    run = shop.run(OPTION)
    assert [tuple(row.values()) for row in worklist(shop)] == [
        (
            "007",
            "y fails",
            "y",
            "Title of y",
            "1",
            "0.2807",
            "0.3691",
            "",
        ),  # 10 times as important as the others
        (
            "nothing judged",
            "nothing judged",
            "nothing",
            "Title of nothing",
            "1",
            "0.6607",
            "1.0000",
            "",
        ),
        (
            "nothing judged",
            "nothing judged",
            "judged",
            "Title of judged",
            "2",
            "0.4169",
            "0.6309",
            "",
        ),
        (
            "measured a b below",
            "measured a b below",
            "b",
            "Title of b",
            "3",
            "-0.3698",
            "-0.4103",
            "",
        ),
        (
            "measured a b below",
            "measured a b below",
            "a",
            "Title of a",
            "2",
            "-0.2545",
            "-0.2902",
            "",
        ),
        (
            "xfails w",
            "xfails w",
            "xfails",
            "Title of xfails",
            "1",
            "0.2807",
            "0.3691",
            "",
        ),
        (
            "z inconclusive",
            "z inconclusive",
            "z",
            "Title of z",
            "1",
            "0.2807",
            "0.3691",
            "",
        ),
        ("passes x", "passes x", "x", "Title of x", "2", "0.0000", "0.0000", ""),
    ]
    assert "8 unjudged results of 6 queries: worklist.csv" in run.summary.splitlines()


def test_the_checks_of_tests_in_python_are_listed(project: Project) -> None:
    project.test(
        'relevance.check("red shoes", ["a", "b"], {"a": 3})',
        'relevance.check("boots", [{"id": 7, "title": "Boot"}], {8: 3})',
    )
    run = project.run(OPTION)
    assert [tuple(row.values()) for row in worklist(project)] == [
        ("boots", "boots", "7", "Boot", "1", "0.6131", "0.6131", ""),
        ("red shoes", "red shoes", "b", "", "2", "0.0000", "0.0000", ""),
    ]
    assert "2 unjudged results of 2 queries: worklist.csv" in run.summary


VARIANTS = """
    import pytest

    @pytest.fixture(params=["words", "backwards"])
    def search(request):
        return str.split if request.param == "words" else lambda query: query.split()[::-1]
"""


def test_nothing_unjudged_and_no_case_at_all(project: Project) -> None:
    project.conftest()
    project.write("test_shop.py", "def test_shop():\n    pass\n")
    for cases, lines in (
        ({}, 1),
        ({"shop.relevance.yaml": "cases: [{query: a b, judgments: {a: 3, b: 0}}]"}, 3),
    ):
        for name, text in cases.items():
            project.cases(text, name)
        run = project.run(OPTION)
        assert run.code == 0
        assert (project.path / "worklist.csv").read_text(encoding="utf-8") == HEADER
        assert len(run.summary.splitlines()) == lines
        assert (
            "no unjudged results: worklist.csv has only its header"
            in run.summary.splitlines()
        )


def test_a_list_outlives_a_run_that_says_nothing_of_what_is_unjudged(
    shop: Project,
) -> None:
    """The engine is down; a case file is broken."""
    shop.run(OPTION)
    before = (shop.path / "worklist.csv").read_bytes()
    message = "worklist.csv is not written: no case was scored"
    shop.cases("cases: [{query: boom, judgments: {a: 3}}]")
    assert message in shop.run(OPTION).summary
    shop.cases("cases: [{qery: boom}]")
    assert message in shop.run(OPTION).summary
    assert (shop.path / "worklist.csv").read_bytes() == before


def test_a_list_that_is_filled_in_is_never_overwritten(shop: Project) -> None:
    shop.run(OPTION)
    shop.run(OPTION)  # a blank one is
    fill_in(shop.path / "worklist.csv", "2")
    before = (shop.path / "worklist.csv").read_bytes()

    run = shop.run(OPTION)
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "collected" not in run.text
    assert (
        f"ERROR: {OPTION}: worklist.csv has 8 grades filled in, "
        in run.result.stderr.str()
    )
    assert (shop.path / "worklist.csv").read_bytes() == before


SPOILING = """
            pathlib.Path(__file__).with_name("list.csv").write_text(
                "query_id,query,document,title,ranks,move,grade\\n1,a,b,,1,0,3\\n"
            )
            return"""


def test_a_list_that_is_filled_in_during_the_run_is_kept(project: Project) -> None:
    project.conftest(
        "    import pathlib\n" + WORDS.replace("            return", SPOILING, 1)
    )
    project.cases("cases: [{query: a b, judgments: {a: 3}, min_ndcg: 0.5}]")
    run = project.run("--relevance-unjudged=list.csv")
    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert "list.csv has 1 grade filled in" in run.summary
    assert (
        (project.path / "list.csv")
        .read_text(encoding="utf-8")
        .endswith("1,a,b,,1,0,3\n")
    )


def test_filled_in_and_put_beside_the_others_it_leaves_nothing_unjudged(
    project: Project,
) -> None:
    """Cases with and without an id of their own, and those of a file of queries, find
    its rows.
    """
    project.conftest(VARIANTS)
    project.write("qrels.txt", "7 0 a 3\n8 0 d 1\n9 0 k 2\n")
    project.write("queries.tsv", "9\tk l\n")
    cases = """
        judgments: {files}
        queries: queries.tsv
        cases:
          - {{query: a b c, id: "7"}}
          - {{query: d =e, id: "8"}}
          - {{query: "f, g", judgments: {{g: 1}}}}
          - {{query: "-h i", judgments: {{i: 1}}}}
    """
    project.cases(cases.format(files="qrels.txt"))
    first = project.run(OPTION)
    assert "6 unjudged results of 5 queries: worklist.csv" in first.summary
    fill_in(project.path / "worklist.csv", "2")

    project.cases(cases.format(files="[qrels.txt, worklist.csv]"))
    again = project.run("--relevance-unjudged=left.csv")

    assert (
        again.summary.splitlines()[-2]
        == "no unjudged results: left.csv has only its header"
    )
    assert again.code == 0
    assert [entry.verdict for entry in again.results.values()] == ["measured"] * 10
