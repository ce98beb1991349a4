"""`--relevance-calibrate=N`: `relevance_judge` is asked for grades that people gave,
and compared with them.
"""

import pytest

from pytest_relevance import Run as Record
from tests.plugin.conftest import Project, Run

SEARCH = """
    import pytest

    @pytest.fixture(scope="session")
    def search():
        return lambda query, k=10: [{"id": word, "title": f"Title of {word}"} for word in query.split()][:k]

    @pytest.fixture(scope="session")
    def relevance_judge():
        def judge(query, document):
            with open("asked.txt", "a") as file:
                print(query, document["id"], document, sep=": ", file=file)
            return grade(document["id"])
        judge.name = "model-x/prompt-3"
        yield judge
        judge.name = None

"""
SOME = """
    def grade(document):
        if document == "boom":
            raise ConnectionError("no model")
        return {"a": 3, "b": (2, "a note"), "c": 1, "d": 0, "none": None}.get(document, 1)
"""
CASES = """
    scale: [0, 3]
    min_ndcg: 0.5
    cases:
      - {query: a b c, judgments: {a: 3, b: 1, c: 2, d: 0}}
      - {query: none boom e, judgments: {e: 3, none: 0, boom: 2}}
"""


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest(SEARCH + SOME)
    project.cases(CASES)
    return project


def asked(project: Project) -> list[str]:
    """What the judge was asked for since the last time: `query: document`, sorted."""
    path = project.path / "asked.txt"
    found = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return sorted(": ".join(line.split(": ")[:2]) for line in found)


def calibration(run: Run) -> list[str]:
    """The lines of the section."""
    _, _, text = run.text.partition("= calibration of model-x/prompt-3 ==")
    return text.partition("\n==")[0].splitlines()[1:]


def test_the_whole_section(shop: Project) -> None:
    run = shop.run("--relevance-calibrate=100")
    assert run.code == 0
    assert calibration(run) == [
        "asked for 7 of the 7 grades that people gave: 1 without a title; 1 it cannot tell; 1 failed",
        "",
        "5 pairs of query and document that both people and model-x/prompt-3 graded",
        "  equal grades                     40.0%  2 of 5",
        "  Cohen's kappa (quadratic)        0.531  -0.667 to 0.946 at 95 %",
        "  Krippendorff's alpha (ordinal)   0.565  reliable from 0.8 on, tentatively from 0.667",
        "  bias                            -0.400  the grades of model-x/prompt-3 less those of people",
        "",
        "people \\ model-x/prompt-3     0     1     2     3",
        "                        0     1     -     -     -",
        "                        1     -     -     1     -",
        "                        2     -     1     -     -",
        "                        3     -     1     -     1",
        "",
        "apart  people  model-x/prompt-3  query        document",
        "    2       3                 1  none boom e  e  Title of e",
        "    1       1                 2  a b c        b  Title of b",
        "    1       2                 1  a b c        c  Title of c",
    ]
    assert "1 call: it raised ConnectionError: no model (conftest.py:" in " ".join(
        run.summary.split()
    )
    assert len(asked(shop)) == 7


def test_it_changes_no_verdict_and_no_file(shop: Project) -> None:
    plain = shop.run("--relevance-record=plain.jsonl")
    run = shop.run(
        "--relevance-calibrate=4",
        "--relevance-record=run.jsonl",
        "--relevance-judge=machine.csv",
    )
    assert (run.code, run.counts) == (plain.code, plain.counts)
    before, after = (
        Record.open(shop.path / name).results for name in ("plain.jsonl", "run.jsonl")
    )
    assert [(each.verdict, each.evaluation, each.texts) for each in after] == [
        (each.verdict, each.evaluation, each.texts) for each in before
    ]
    assert len(asked(shop)) == 4
    assert not (shop.path / "machine.csv").exists()
    assert (
        "--relevance-judge: relevance_judge was not asked, as there is nothing to judge"
        in run.text
    )


def test_the_same_are_asked_for_once_whatever_the_order_and_the_variants(
    shop: Project,
) -> None:
    run = shop.run("--relevance-calibrate=4")
    drawn = "asked for 4 of the 7 grades that people gave, drawn evenly over the grades: 1 without a title"
    assert calibration(run)[0] == drawn
    before = asked(shop)
    head, _, cases = CASES.partition("cases:\n")
    first, second = cases.strip("\n").splitlines()[:2]
    shop.cases(f"{head}cases:\n{second}\n{first}\n")
    shop.run("--relevance-calibrate=4")
    assert asked(shop) == before
    shop.conftest(
        (SEARCH + SOME).replace(
            'scope="session")\n    def search', 'params=["x", "y"])\n    def search'
        )
    )
    assert shop.run("--relevance-calibrate=5").counts == {"passed": 4}
    assert len(found := asked(shop)) == 5
    assert {*found} > {*before}


def test_judgments_of_a_test_in_python(shop: Project) -> None:
    shop.cases("cases: [{query: x, expect: {results: '>= 1'}}]\n")
    shop.write(
        "test_shop.py",
        """
        def test_laces(relevance):
            relevance.check("laces", ["c", "a"], {"a": 3, "d": 0})
        """,
    )
    shop.run("--relevance-calibrate=9")
    assert asked(shop) == ["laces: a", "laces: d"]


def test_grades_of_a_machine_are_none_of_people(shop: Project) -> None:
    shop.write(
        "machine.csv",
        "query,document,grade,rater,machine\na b c,c,1,model-y,true\na b c,e,3,model-y,true\n",
    )
    head, _, cases = CASES.partition("scale")
    shop.cases(
        f"{head}judgments: [{{file: machine.csv, fill: true}}]\n    scale{cases.replace('c: 2, ', '')}"
    )
    shop.run("--relevance-calibrate=100")
    assert [each for each in asked(shop) if each.startswith("a b c")] == [
        "a b c: a",
        "a b c: b",
        "a b c: d",
    ]
    shop.cases(
        "judgments: [{file: machine.csv, fill: true}]\ncases: [{query: a b c}]\n"
    )
    run = shop.run("--relevance-calibrate=100")
    assert (
        "--relevance-calibrate: relevance_judge was not asked, as there is nothing to judge"
        in run.text
    )


def test_what_a_judge_is_told_of_documents_that_were_not_found(shop: Project) -> None:
    shop.write("products.csv", "id,title,brand\nd,Polish,Fell\na,Boots,Fell\n")
    shop.cases(
        CASES.replace(
            "scale:", "documents: {file: products.csv, show: [brand]}\n    scale:"
        )
    )
    shop.run("--relevance-calibrate=100")
    text = (shop.path / "asked.txt").read_text()
    assert "a b c: d: {'brand': 'Fell', 'id': 'd', 'title': 'Polish'}" in text
    assert "a b c: a: {'brand': 'Fell', 'id': 'a', 'title': 'Boots'}" in text
    assert "a b c: b: {'id': 'b', 'title': 'Title of b'}" in text
    asked(shop)
    shop.cases(CASES)
    index = """
    @pytest.fixture(scope="session")
    def relevance_documents():
        return lambda ids: {document: {"title": f"Index of {document}", "brand": "Wold"} for document in ids}
    """
    shop.conftest(SEARCH + SOME + index)
    run = shop.run("--relevance-calibrate=100")
    assert (
        "a b c: d: {'brand': 'Wold', 'id': 'd', 'title': 'Index of d'}"
        in (shop.path / "asked.txt").read_text()
    )
    assert "without a title" not in run.text


def test_nothing_to_compare(shop: Project) -> None:
    shop.cases("cases: [{query: x y, judgments: {x: 3, y: 1}}]\n")
    shop.conftest(f"{SEARCH}\n    def grade(document): return None\n")
    shown = calibration(shop.run("--relevance-calibrate=2"))
    assert shown == ["asked for 2 of the 2 grades that people gave: 2 it cannot tell"]


def test_two_grades_are_asked_for_at_least(shop: Project) -> None:
    run = shop.run("--relevance-calibrate=1")
    assert run.code == 4
    assert "ask for 2 grades or more that people gave too; found '1'" in " ".join(
        run.result.stderr.lines
    )


def test_why_it_is_not_asked(shop: Project) -> None:
    assert (
        "was not asked, as no case was scored"
        in shop.run("--relevance-calibrate=9", "-k", "nothing").text
    )
    assert "not asked" not in shop.run("--relevance-calibrate=9", "--collect-only").text
