"""`--relevance-judge=FILE`: `relevance_judge` is asked for what nobody has judged, and
changes no verdict.
"""

import csv
import os
import signal
import subprocess
import sys
import time
from textwrap import dedent

import pytest

from tests.helpers import only_plugins
from tests.plugin.conftest import Project, Run

OPTION = "--relevance-judge=machine.csv"

SEARCH = """
    import asyncio, pytest

    @pytest.fixture(scope="session")
    def search():
        def search(query, k=10):
            return [{"id": word, "title": f"Title of {word}"} for word in query.split()][:k]
        return search

    def asked(document):
        with open("asked.txt", "a") as file:
            file.write(document["id"] + "\\n")

    @pytest.fixture(scope="session")
    def model():
        yield {"good": "exact", "well": ("partial", "half = a note"), "bad": 0, "none": None, "five": 5, "odd": []}

    @pytest.fixture(scope="session")
    def relevance_judge(model):
"""

JUDGE = """
        def judge(query, document):
            asked(document)
            assert document["title"] == f"Title of {document['id']}"
            if document["id"].startswith("boom"):
                raise ConnectionError("no model")
            return model.get(document["id"], 1.0)
        judge.name = "model-x/prompt-3"
        yield judge
        model.clear()
"""

ASYNC_JUDGE = """
        async def judge(query, document):
            asked(document)
            await asyncio.sleep(0)
            if document["id"].startswith("boom"):
                raise ConnectionError("no model")
            return model.get(document["id"], 1.0)
        judge.name = "model-x/prompt-3"
        return judge
"""

CASES = """
    scale: {exact: 3, partial: 2, related: 1, bad: 0}
    cases:
      - {query: a good well bad, judgments: {a: 3}}
      - {query: b none five odd boom boom2, judgments: {b: 3}, min_ndcg: 0.9, weight: 2}
      - {query: judged, judgments: {judged: 3}}
"""


def rows(project: Project, name: str = "machine.csv") -> list[dict[str, str]]:
    with (project.path / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def grades(project: Project) -> dict[str, str]:
    return {row["document"]: row["grade"] for row in rows(project)}


def asked(project: Project) -> list[str]:
    """What the judge was asked for since the last time."""
    path = project.path / "asked.txt"
    found = path.read_text().split() if path.exists() else []
    path.unlink(missing_ok=True)
    return found


def told(run: Run) -> str:
    """What the summary says, in one line."""
    return " ".join(run.summary.split())


def counting(judge: str, line: str) -> str:
    """A judge with one line more, which may count its calls by `next(calls)`."""
    counted = judge.replace(
        "document):", "document, calls=__import__('itertools').count()):"
    )
    return counted.replace(
        "            if document", f"            {line}\n            if document"
    )


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest(SEARCH + JUDGE)
    project.cases(CASES)
    return project


@pytest.mark.parametrize("judge", [JUDGE, ASYNC_JUDGE], ids=["threads", "tasks"])
def test_what_nobody_has_judged_is_asked_for_once_under_a_name(
    shop: Project, judge: str
) -> None:
    shop.conftest(SEARCH + judge)
    run = shop.run(OPTION)
    assert run.code == 0
    assert run.counts == {"passed": 3}
    assert grades(shop) == {"good": "3", "well": "2", "bad": "0", "none": ""}
    assert {(row["rater"], row["machine"]) for row in rows(shop)} == {
        ("model-x/prompt-3", "true")
    }
    assert [row["note"] for row in rows(shop) if row["document"] == "well"] == [
        "half = a note"
    ]
    assert sorted(asked(shop)) == [
        "bad",
        "boom",
        "boom2",
        "five",
        "good",
        "none",
        "odd",
        "well",
    ]
    assert "judged by model-x/prompt-3: 8 of 8\n" in run.text
    assert (
        "model-x/prompt-3 graded 3 of 8 results that nobody has judged: machine.csv"
        in told(run)
    )
    assert "; 1 it cannot tell; 4 failed" in told(run)
    assert "2 calls: it raised ConnectionError: no model (conftest.py:" in told(run)
    assert "it said 5: grade 5 is off the scale" in told(run)
    again = shop.run(OPTION)
    assert sorted(asked(shop)) == ["boom", "boom2", "five", "odd"]
    assert "4 in the file before" in told(again)
    assert len(rows(shop)) == 4
    shop.conftest(
        (SEARCH + judge).replace("prompt-3", "prompt-4").replace('"bad": 0', '"bad": 1')
    )
    shop.run(OPTION)
    assert len(asked(shop)) == 8
    assert {
        row["rater"]: row["grade"] for row in rows(shop) if row["document"] == "bad"
    } == {
        "model-x/prompt-3": "0",
        "model-x/prompt-4": "1",
    }


def test_the_most_valuable_are_asked_for_first(shop: Project) -> None:
    shop.run("--relevance-unjudged=worklist.csv", OPTION)
    first = [row["document"] for row in rows(shop, "worklist.csv")][:2]
    (shop.path / "machine.csv").unlink()
    asked(shop)
    run = shop.run(OPTION, "--relevance-judge-limit=2")
    assert sorted(asked(shop)) == sorted(first)
    assert "6 not asked for: --relevance-judge-limit" in told(run)


def test_a_killed_run_loses_what_was_on_its_way_even_in_a_file_that_fills(
    shop: Project,
) -> None:
    words = [f"d{number}" for number in range(40)]
    shop.cases(
        f"cases:\n  - {{query: {' '.join(words)}, k: 40, judgments: {{d0: 1}}}}\n"
    )
    shop.conftest(
        SEARCH + counting(JUDGE, "import time; time.sleep(600 * (next(calls) > 2))")
    )
    command = [sys.executable, "-m", "pytest", "-q", OPTION, *only_plugins()]
    with subprocess.Popen(
        command, cwd=shop.path, stdout=subprocess.DEVNULL, env={**os.environ}
    ) as run:
        while not (shop.path / "machine.csv").exists() or len(rows(shop)) < 3:
            time.sleep(0.05)
            assert run.poll() is None
        run.send_signal(signal.SIGKILL)
    with (shop.path / "machine.csv").open("a") as file:
        file.write('a query,"d')
    shop.conftest(SEARCH + JUDGE)
    asked(shop)
    suite = shop.path / "shop.relevance.yaml"
    suite.write_text(
        f"judgments: {{file: machine.csv, fill: true}}\n{suite.read_text()}"
    )
    assert shop.run().code == 2
    again = shop.run(OPTION)
    assert len(asked(shop)) == 36
    assert sorted(grades(shop)) == sorted(words[1:])
    assert "3 in the file before" in told(again)


def test_a_query_that_gets_an_id_keeps_its_grades(shop: Project) -> None:
    scale = "scale: {exact: 3, partial: 2, bad: 0}\n"
    shop.cases(f"{scale}cases: [{{query: a good, judgments: {{a: 3}}}}]")
    shop.run(OPTION)
    asked(shop)
    cases = "cases: [{id: one, query: a good, judgments: {a: 3}}, {id: two, query: a good, judgments: {a: 2}, k: 5}]"
    shop.conftest((SEARCH + JUDGE).replace("query.split()", '[*query.split(), "well"]'))
    shop.cases(f"{scale}{cases}")
    run = shop.run(OPTION)
    assert asked(shop) == ["well"]
    assert (
        "graded 1 of 2 results that nobody has judged: machine.csv; 1 in the file before"
        in told(run)
    )
    shop.cases(f"judgments: {{file: machine.csv, fill: true}}\n{scale}{cases}")
    run = shop.run(OPTION)
    assert asked(shop) == []
    assert "4 of 6 judged results within k are filled" in told(run)
    shop.conftest(
        (SEARCH + JUDGE)
        .replace("query.split()", '[*query.split(), "well"]')
        .replace("prompt-3", "prompt-4")
    )
    shop.run(OPTION)
    assert sorted(asked(shop)) == ["good", "well"], (
        "no person has judged what another judge fills"
    )


def test_a_file_with_both_ids_of_a_text_has_grades_for_each(shop: Project) -> None:
    """Files of two judges were put together: a reader of the file gives each case the
    rows of its own id.
    """
    rows = [
        f"{pair},,,,,2,model-x/prompt-3,true,\n"
        for pair in ("one,a good,good", "two,a good,a")
    ]
    names = "query_id,query,document,title,ranks,worth,move,grade,rater,machine,note\n"
    shop.write("machine.csv", "".join([names, *rows]))
    shop.cases(
        "scale: {exact: 3, partial: 2, bad: 0}\ncases: [{id: one, query: a good}, {id: two, query: a good}]"
    )
    run = shop.run(OPTION)
    assert sorted(asked(shop)) == ["a", "good"]
    assert (
        "graded 2 of 4 results that nobody has judged: machine.csv; 2 in the file before"
        in told(run)
    )


WILD = """
    def broken(_):
        raise type("Broken", (Exception,), {"__str__": 1})

    def failing(_):
        raise type("Failing", (Exception,), {"__str__": lambda _: pytest.fail("no text")})

    def leave(_):
        raise SystemExit(3)

    WILD = {"big": lambda _: 10**400, "huge": lambda _: 10**5000, "later": asyncio.sleep, "exit": leave, "odd": broken}
    WILD["fail"] = failing

    def asked"""


@pytest.mark.parametrize("judge", [JUDGE, ASYNC_JUDGE], ids=["threads", "tasks"])
def test_whatever_a_judge_does_costs_one_grade(shop: Project, judge: str) -> None:
    wild = counting(judge, "if document['id'] in WILD: return WILD[document['id']](1)")
    shop.conftest(SEARCH.replace("\n    def asked", WILD) + wild)
    shop.cases(
        "scale: {exact: 3, bad: 0}\ncases: [{query: a big huge bad later exit odd fail, judgments: {a: 3}}]"
    )
    run = shop.run(OPTION)
    assert run.code == 0
    assert run.counts == {"passed": 1}
    assert grades(shop) == {"bad": "0"}
    assert "; 6 failed" in told(run)


@pytest.mark.parametrize("judge", [JUDGE, ASYNC_JUDGE], ids=["threads", "tasks"])
@pytest.mark.parametrize(
    ("line", "why"),
    [("raise KeyboardInterrupt", "Ctrl-C"), ("pytest.exit('no quota')", "no quota")],
)
def test_ctrl_c_and_exit_stop_asking_alone(
    shop: Project, judge: str, line: str, why: str
) -> None:
    shop.conftest(SEARCH + counting(judge, f"if next(calls) == 2: {line}"))
    run = shop.run(OPTION)
    assert run.code == 0
    assert run.counts == {"passed": 3}
    assert f"not asked for: {why}" in told(run)


def test_what_one_judge_was_not_asked_for_is_left_to_the_next(shop: Project) -> None:
    """The judge of a folder is asked first, and given up at the fiftieth failure; a
    limit holds for what is asked.
    """
    (shop.path / "zoo").mkdir()
    words = " ".join(f"d{each}" for each in range(80))
    (shop.path / "zoo" / "x.relevance.yaml").write_text(
        f"cases: [{{query: {words}, k: 80, judgments: {{d0: 1}}}}]\n"
    )
    judge = (
        (SEARCH + JUDGE)
        .replace('.startswith("boom")', ' != ""')
        .replace("prompt-3", "dead")
    )
    (shop.path / "zoo" / "conftest.py").write_text(dedent(judge))
    run = shop.run(OPTION, "--relevance-judge-limit=79")
    assert (
        "graded 0 of 79 results that nobody has judged: machine.csv; 50 failed; 29 not asked for"
        in told(run)
    )
    assert (
        "model-x/prompt-3 graded 3 of 8 results that nobody has judged: machine.csv"
        in told(run)
    )
    assert len(asked(shop)) <= 79


def test_a_file_that_became_another_one_during_the_run_is_refused(
    shop: Project,
) -> None:
    header = "query_id,query,document,title,ranks,worth,move,grade\n"
    shop.conftest(
        (SEARCH + JUDGE).replace(
            "        def search(",
            f"        open('machine.csv', 'w').write({header!r})\n        def search(",
            1,
        )
    )
    run = shop.run(OPTION)
    assert run.code == 1
    assert (
        "machine.csv exists and is not as a judge writes it: CSV with commas"
        in told(run)
    )
    assert (asked(shop), (shop.path / "machine.csv").read_text()) == ([], header)


def test_a_judge_that_always_fails_is_given_up(shop: Project) -> None:
    shop.conftest((SEARCH + JUDGE).replace('.startswith("boom")', ' != ""'))
    shop.cases(
        "cases:\n  - {query: "
        + " ".join(f"d{each}" for each in range(70))
        + ", k: 70, judgments: {d0: 1}}\n"
    )
    run = shop.run(OPTION)
    assert run.code == 0
    assert (
        "graded 0 of 69 results that nobody has judged: machine.csv; 50 failed; 19 not asked for: rel"
        in told(run)
    )
    assert rows(shop) == []


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (
            "        return lambda query, document: 1\n",
            "relevance_judge has no attribute name",
        ),
        ("        return {}\n", "relevance_judge is no function but {}"),
        (
            '        raise OSError("no GPU")\n',
            "relevance_judge raised OSError: no GPU (conftest.py:",
        ),
        (None, "relevance_judge has module scope; make it a session fixture"),
    ],
)
def test_what_cannot_be_asked_fails_the_run_like_every_file_that_is_not_written(
    shop: Project, judge: str | None, message: str
) -> None:
    shop.conftest(
        SEARCH + judge
        if judge
        else (SEARCH + JUDGE).replace('scope="session"', 'scope="module"')
    )
    run = shop.run(OPTION)
    assert run.code == 1
    assert run.counts == {"passed": 3}
    assert message in told(run)
    assert not (shop.path / "machine.csv").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--relevance-judge-limit=3"],
            "--relevance-judge-limit goes with --relevance-judge=FILE",
        ),
        ([OPTION, "--relevance-judge-limit=0"], "a whole number, 1 or more; found '0'"),
        ([OPTION, "-n2"], "--relevance-judge asks about documents of all cases"),
        (
            ["--relevance-calibrate=9", "-n2"],
            "--relevance-calibrate asks about documents of all cases",
        ),
        (
            ["--relevance-judge=people.csv"],
            "people.csv exists and is not as a judge writes it",
        ),
        ([OPTION, "--relevance-unjudged=machine.csv"], "name the same file"),
    ],
)
def test_options_that_cannot_be(
    shop: Project, options: list[str], message: str
) -> None:
    people = shop.write("people.csv", "query,doc_id,grade\na good well bad,a,3\n")
    run = shop.run(*options)
    assert run.code == 4
    assert message in " ".join(run.result.stderr.lines)
    assert asked(shop) == []
    assert people.read_text() == "query,doc_id,grade\na good well bad,a,3\n"


def test_without_a_fixture_or_a_score_nothing_is_asked(shop: Project) -> None:
    shop.cases("cases:\n  - {query: a b, skip: not today}\n")
    assert (
        "--relevance-judge: relevance_judge was not asked, as no case was scored"
        in told(shop.run(OPTION))
    )
    shop.conftest(
        SEARCH.partition(
            '    @pytest.fixture(scope="session")\n    def relevance_judge'
        )[0]
    )
    run = shop.run(OPTION)
    assert run.code == 4
    assert (
        "needs a fixture relevance_judge, and there is none; write it in a conftest.py"
        in run.result.stderr.str()
    )


def test_a_run_that_stops_at_a_failure_asks_and_says_what_came_of_it(
    shop: Project,
) -> None:
    shop.cases(
        "cases: [{query: a good, judgments: {a: 3}, min_ndcg: 1, expect: {first: b}}, {query: x}]\n"
    )
    run = shop.run(OPTION, "-x")
    assert run.counts == {"failed": 1}
    assert "model-x/prompt-3 graded 0 of 1 result that nobody has judged" in told(run)


def test_a_judge_gets_what_catalogue_and_index_say(shop: Project) -> None:
    judge = JUDGE.replace(
        "            asked(document)\n",
        "            asked({'id': '|'.join(document.values())})\n",
    )
    judge = judge.replace("            assert", "            #")
    index = """
    @pytest.fixture(scope="session")
    def relevance_documents():
        return lambda ids: {each: {"title": "Index", "stock": 3} for each in ids}
    """
    shop.conftest(SEARCH.replace("    def asked", index + "\n    def asked") + judge)
    shop.write("products.csv", "id,title,brand\ngood,Catalogue,Fell\n")
    shop.cases("""
        documents: {file: products.csv, show: [brand]}
        cases: [{query: a good well, judgments: {a: 3}}]
    """)
    shop.run(OPTION)
    assert sorted(asked(shop)) == ["3|well|Index", "Fell|good|Catalogue"]
