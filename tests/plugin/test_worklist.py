"""`--relevance-unjudged=FILE`: what nobody has judged is listed once, however a run
goes; no grade is ever lost. And judgments that were given in the page of an older run.

What a worklist has, and which files are kept, is in `tests/results`.
"""

import csv
import io
from pathlib import Path

import pytest

from pytest_relevance import read_judgments
from tests.plugin.conftest import WORDS, Command, Project

OPTION = "--relevance-unjudged=worklist.csv"
HEADER = "query_id,query,document,title,ranks,settles,worth,move,grade\n"

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
ROWS = """\
007,y fails,y,Title of y,1,,0.2807,0.3691,
xfails w,xfails w,xfails,Title of xfails,1,,0.2807,0.3691,
z inconclusive,z inconclusive,z,Title of z,1,,0.2807,0.3691,
nothing judged,nothing judged,nothing,Title of nothing,1,,0.6607,1.0000,
nothing judged,nothing judged,judged,Title of judged,2,,0.4169,0.6309,
measured a b below,measured a b below,b,Title of b,3,,-0.3698,-0.4103,
measured a b below,measured a b below,a,Title of a,2,,-0.2545,-0.2902,
passes x,passes x,x,Title of x,2,,0.0000,0.0000,
"""
"""What is not judged. The verdicts of the first three queries depend on it. The first
query is ten times as important as the others.
"""


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
    assert (shop.path / "worklist.csv").read_text(encoding="utf-8") == HEADER + ROWS
    assert "8 unjudged results of 6 queries: worklist.csv" in run.summary.splitlines()


def test_the_checks_of_tests_in_python_are_listed(project: Project) -> None:
    project.test(
        'relevance.check("red shoes", ["a", "b"], {"a": 3})',
        'relevance.check("boots", [{"id": 7, "title": "Boot"}], {8: 3})',
    )
    run = project.run(OPTION)
    assert "2 unjudged results of 2 queries: worklist.csv" in run.summary
    text = (project.path / "worklist.csv").read_text(encoding="utf-8")
    assert text == (
        f"{HEADER}boots,boots,7,Boot,1,,0.6131,0.6131,\n"
        "red shoes,red shoes,b,,2,,0.0000,0.0000,\n"
    )


@pytest.mark.parametrize(
    "cases", ["", "cases: [{query: a b, judgments: {a: 3, b: 0}}]"]
)
def test_nothing_unjudged_and_no_case_at_all(project: Project, cases: str) -> None:
    project.conftest()
    project.write("test_shop.py", "def test_shop():\n    pass\n")
    if cases:
        project.cases(cases)
    run = project.run(OPTION)
    assert run.code == 0
    assert (project.path / "worklist.csv").read_text(encoding="utf-8") == HEADER
    nothing = "no unjudged results: worklist.csv has only its header"
    assert nothing in run.summary.splitlines()


@pytest.mark.parametrize("case", ["{query: boom, judgments: {a: 3}}", "{qery: boom}"])
def test_a_list_outlives_a_run_that_says_nothing_of_what_is_unjudged(
    shop: Project, case: str
) -> None:
    """The engine is down; a case file is broken."""
    shop.run(OPTION)
    before = (shop.path / "worklist.csv").read_bytes()
    shop.cases(f"cases: [{case}]")
    run = shop.run(OPTION)
    assert "worklist.csv is not written: no case was scored" in run.summary
    assert (shop.path / "worklist.csv").read_bytes() == before


def test_a_list_that_is_filled_in_is_never_overwritten(shop: Project) -> None:
    shop.run(OPTION)
    shop.run(OPTION)  # a blank one is
    fill_in(shop.path / "worklist.csv", "2")
    before = (shop.path / "worklist.csv").read_bytes()
    run = shop.run(OPTION)
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "collected" not in run.text
    why = f"ERROR: {OPTION}: worklist.csv has 8 grades filled in, "
    assert why in run.result.stderr.str()
    assert (shop.path / "worklist.csv").read_bytes() == before


def test_a_list_that_is_filled_in_during_the_run_is_kept(project: Project) -> None:
    filled = HEADER + "1,a,b,,1,,0,0,3\n"
    spoils = f"open('worklist.csv', 'w').write({filled!r})"
    project.conftest(
        WORDS.replace("return query", f"{spoils}\n            return query")
    )
    project.cases("cases: [{query: a b, judgments: {a: 3}, min_ndcg: 0.5}]")
    run = project.run(OPTION)
    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert "worklist.csv has 1 grade filled in" in run.summary
    assert (project.path / "worklist.csv").read_text() == filled


def test_filled_in_and_put_beside_the_others_it_leaves_nothing_unjudged(
    project: Project,
) -> None:
    """Cases with and without an id of their own, and those of a file of queries, find
    its rows.
    """
    project.search(
        "return lambda query: query.split()[:: 1 if request.param == 'words' else -1]",
        '(params=["words", "backwards"])',
        "request",
    )
    project.write("qrels.txt", "7 0 a 3\n8 0 d 1\n9 0 k 2\n")
    project.write("queries.tsv", "9\tk l\n")
    suite = """
        judgments: {files}
        queries: queries.tsv
        cases:
          - {{query: a b c, id: "7"}}
          - {{query: d =e, id: "8"}}
          - {{query: "f, g", judgments: {{g: 1}}}}
          - {{query: "-h i", judgments: {{i: 1}}}}
    """
    project.cases(suite.format(files="qrels.txt"))
    first = project.run(OPTION)
    assert "6 unjudged results of 5 queries: worklist.csv" in first.summary
    fill_in(project.path / "worklist.csv", "2")
    project.cases(suite.format(files="[qrels.txt, worklist.csv]"))
    again = project.run("--relevance-unjudged=left.csv")
    nothing = "no unjudged results: left.csv has only its header"
    assert again.summary.splitlines()[-1] == nothing
    assert again.code == 0
    assert [entry.verdict for entry in again.results.values()] == ["measured"] * 10


# --- the download of a page -----------------------------------------------------------

OLDER = "2026-01-01T00:00:00+00:00 0123456789ab"
COLUMNS = [*HEADER.strip().split(","), "record", "rater"]


def download(*answers: str, rater: str = "Ada") -> str:
    """The file that a page offers: answers are query id, query, document and grade."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for answer in answers:
        *about, grade = answer.split(",")
        writer.writerow([*about, "A title", "1", "", "0.5", "0.7", grade, OLDER, rater])
    return text.getvalue()


@pytest.fixture
def judged(project: Project) -> Project:
    project.search('return lambda query: ["007", "008", "a1", "a2"]')
    judgments = "boots,winter boots,a1,3\nhats,hats,a1,2\n"
    project.write("judgments.csv", f"query_id,query,document,grade\n{judgments}")
    project.cases("""
        judgments: [judgments.csv, page.csv]
        scale: [0, 3]
        cases: [{query: winter boots, id: boots}, {query: hats}]
    """)
    return project


@pytest.mark.parametrize("rater", ["Ada", ""], ids=["rater", "no rater"])
def test_they_are_judgments_of_the_next_run(judged: Project, rater: str) -> None:
    """A blank grade is no judgment; a grade may be one that stands elsewhere too."""
    boots = ["boots,winter boots,007,3", "boots,winter boots,008,"]
    hats = ["hats,hats,007,2", "hats,hats,a1,2"]
    path = judged.write("page.csv", download(*boots, *hats, rater=rater))
    results = judged.run("-vv").results
    assert list(results["boots"].ranking.grades) == [3, None, 3, None]
    assert list(results["hats"].ranking.grades) == [2, None, 2, None]
    judgments = read_judgments(path)
    assert dict(judgments["boots"]) == {"007": 3}
    assert ("Ada" in judgments.raters) == (rater == "Ada")


def test_downloads_of_two_judges_are_joined(judged: Project) -> None:
    judged.write("page.csv", download("boots,winter boots,007,3"))
    bens = ["boots,winter boots,007,1", "hats,hats,a2,1"]
    judged.write("other.csv", download(*bens, rater="Ben"))
    suite = (judged.path / "shop.relevance.yaml").read_text()
    judged.cases("raters: mean\n" + suite.replace("page.csv", "page.csv, other.csv"))
    results = judged.run("-vv").results
    assert list(results["boots"].ranking.grades) == [2, None, 3, None]
    assert list(results["hats"].ranking.grades) == [None, None, 2, 1]


def test_a_disagreement_with_an_inline_judgment_is_named_once(
    judged: Project, command: Command
) -> None:
    judged.cases("""
        judgments: page.csv
        cases: [{query: winter boots, id: boots, judgments: {"007": 3}, min_ndcg: 0.5}]
    """)
    judged.write("page.csv", download("boots,winter boots,007,0"))
    named = 'document "007" has grade 0 there, and 3 counts'
    run = judged.run("-Wdefault::pytest_relevance.RelevanceWarning")
    assert run.text.count(named) == 1
    checked = command("check", ".")
    assert checked.code == 0
    assert named in checked.out
