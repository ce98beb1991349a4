"""`--relevance-judge=FILE`: `relevance_judge` is asked for what nobody has judged, and
changes no verdict. `--relevance-calibrate=N`: it is asked for grades that people gave,
and compared with them.
"""

import csv
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from tests.helpers import only_plugins
from tests.plugin.conftest import Project, Run, one_line

OPTION = "--relevance-judge=machine.csv"

SEARCH = """
    import asyncio, pytest

    @pytest.fixture(scope="session")
    def search():
        def search(query, k=10):
            return [{"id": word, "title": f"Title of {word}"} for word in query.split()][:k]
        return search

    def asked(query, document):
        with open("asked.txt", "a") as file:
            print(query, document["id"], document, sep=": ", file=file)
        if document["id"].startswith("boom"):
            raise ConnectionError("no model")
"""
JUDGE = """
    GRADES = {"good": 3, "well": (2, "half = a note"), "bad": 0, "none": None, "five": 5, "odd": []}

    @pytest.fixture(scope="session")
    def relevance_judge():
        def judge(query, document):
            asked(query, document)
            return GRADES.get(document["id"], 1.0)
        judge.name = "model-x/prompt-3"
        yield judge
        GRADES.clear()
"""
ASYNC_JUDGE = JUDGE.replace("def judge(", "async def judge(").replace(
    "            asked", "            await asyncio.sleep(0)\n            asked"
)
BOTH = pytest.mark.parametrize("judge", [JUDGE, ASYNC_JUDGE], ids=["threads", "tasks"])

CASES = """
    scale: [0, 3]
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


def told_of(project: Project) -> str:
    """What the judge was told since the last time: a line a call."""
    path = project.path / "asked.txt"
    text = path.read_text() if path.exists() else ""
    path.unlink(missing_ok=True)
    return text


def asked(project: Project) -> list[str]:
    """The documents that the judge was asked for since the last time, sorted."""
    return sorted(line.split(": ")[1] for line in told_of(project).splitlines())


def before_the_grade(judge: str, line: str) -> str:
    """A judge with one line more, in which `calls` counts its calls."""
    judge = judge.replace(
        "GRADES =", "calls = __import__('itertools').count()\n    GRADES ="
    )
    return judge.replace(
        "            return", f"            {line}\n            return"
    )


def long_query(number: int) -> str:
    """A case file with one case, whose search returns so many results."""
    words = " ".join(f"d{each}" for each in range(number))
    return f"cases: [{{query: {words}, k: {number}, judgments: {{d0: 1}}}}]\n"


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest(SEARCH + JUDGE)
    project.cases(CASES)
    return project


@BOTH
def test_what_nobody_has_judged_is_asked_for_once_under_a_name(
    shop: Project, judge: str
) -> None:
    shop.conftest(SEARCH + judge)
    run = shop.run(OPTION)
    assert (run.code, run.counts) == (0, {"passed": 3})
    assert grades(shop) == {"good": "3", "well": "2", "bad": "0", "none": ""}
    named = {(row["rater"], row["machine"]) for row in rows(shop)}
    assert named == {("model-x/prompt-3", "true")}
    notes = {row["document"]: row["note"] for row in rows(shop) if row["note"]}
    assert notes == {"well": "half = a note"}
    every = ["bad", "boom", "boom2", "five", "good", "none", "odd", "well"]
    assert asked(shop) == every
    assert "judged by model-x/prompt-3: 8 of 8\n" in run.text
    graded = (
        "model-x/prompt-3 graded 3 of 8 results that nobody has judged: machine.csv"
    )
    assert f"{graded}; 1 it cannot tell; 4 failed" in run.said
    assert "2 calls: it raised ConnectionError: no model (conftest.py:" in run.said
    assert "it said 5: grade 5 is off the scale" in run.said
    again = shop.run(OPTION)
    assert asked(shop) == ["boom", "boom2", "five", "odd"]
    assert "4 in the file before" in again.said
    assert len(rows(shop)) == 4
    other = (SEARCH + judge).replace("prompt-3", "prompt-4")
    shop.conftest(other.replace('"bad": 0', '"bad": 1'))
    shop.run(OPTION)
    assert asked(shop) == every
    of_bad = {
        row["rater"]: row["grade"] for row in rows(shop) if row["document"] == "bad"
    }
    assert of_bad == {"model-x/prompt-3": "0", "model-x/prompt-4": "1"}


def test_the_most_valuable_are_asked_for_first(shop: Project) -> None:
    shop.run("--relevance-unjudged=worklist.csv", OPTION)
    first = [row["document"] for row in rows(shop, "worklist.csv")][:2]
    (shop.path / "machine.csv").unlink()
    told_of(shop)
    run = shop.run(OPTION, "--relevance-judge-limit=2")
    assert asked(shop) == sorted(first)
    assert "6 not asked for: --relevance-judge-limit" in run.said


def test_a_killed_run_loses_what_was_on_its_way_even_in_a_file_that_fills(
    shop: Project,
) -> None:
    suite = long_query(40)
    shop.cases(suite)
    sleeps = "import time; time.sleep(600 * (next(calls) > 2))"
    shop.conftest(SEARCH + before_the_grade(JUDGE, sleeps))
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
    told_of(shop)
    shop.cases(f"judgments: {{file: machine.csv, fill: true}}\n{suite}")
    assert shop.run().code == 2
    again = shop.run(OPTION)
    assert len(asked(shop)) == 36
    assert sorted(grades(shop)) == sorted(f"d{number}" for number in range(1, 40))
    assert "3 in the file before" in again.said


def test_a_query_that_gets_an_id_keeps_its_grades(shop: Project) -> None:
    shop.cases("cases: [{query: a good, judgments: {a: 3}}]")
    shop.run(OPTION)
    told_of(shop)
    cases = "cases: [{id: one, query: a good, judgments: {a: 3}}, {id: two, query: a good, judgments: {a: 2}, k: 5}]"
    finds_more = (SEARCH + JUDGE).replace("query.split()", '[*query.split(), "well"]')
    shop.conftest(finds_more)
    shop.cases(cases)
    run = shop.run(OPTION)
    assert asked(shop) == ["well"]
    graded = "graded 1 of 2 results that nobody has judged: machine.csv"
    assert f"{graded}; 1 in the file before" in run.said
    shop.cases(f"judgments: {{file: machine.csv, fill: true}}\n{cases}")
    run = shop.run(OPTION)
    assert asked(shop) == []
    assert "4 of 6 judged results within k are filled" in run.said
    shop.conftest(finds_more.replace("prompt-3", "prompt-4"))
    shop.run(OPTION)
    # no person has judged what another judge fills
    assert asked(shop) == ["good", "well"]


def test_a_file_with_both_ids_of_a_text_has_grades_for_each(shop: Project) -> None:
    """Files of two judges were put together: a reader of the file gives each case the
    rows of its own id.
    """
    names = "query_id,query,document,title,ranks,settles,worth,move,grade,rater,machine,note\n"
    end = ",,,,,,2,model-x/prompt-3,true,\n"
    shop.write("machine.csv", f"{names}one,a good,good{end}two,a good,a{end}")
    shop.cases("cases: [{id: one, query: a good}, {id: two, query: a good}]")
    run = shop.run(OPTION)
    assert asked(shop) == ["a", "good"]
    graded = "graded 2 of 4 results that nobody has judged: machine.csv"
    assert f"{graded}; 2 in the file before" in run.said


WILD = """
    def broken(_):
        raise type("Broken", (Exception,), {"__str__": 1})

    def failing(_):
        raise type("Failing", (Exception,), {"__str__": lambda _: pytest.fail("no text")})

    def leave(_):
        raise SystemExit(3)

    WILD = {"big": lambda _: 10**400, "huge": lambda _: 10**5000, "later": asyncio.sleep, "exit": leave, "odd": broken}
    WILD["fail"] = failing
"""


@BOTH
def test_whatever_a_judge_does_costs_one_grade(shop: Project, judge: str) -> None:
    line = "if document['id'] in WILD: return WILD[document['id']](1)"
    shop.conftest(SEARCH + WILD + before_the_grade(judge, line))
    query = "a big huge bad later exit odd fail"
    shop.cases(f"scale: [0, 3]\ncases: [{{query: {query}, judgments: {{a: 3}}}}]")
    run = shop.run(OPTION)
    assert (run.code, run.counts) == (0, {"passed": 1})
    assert grades(shop) == {"bad": "0"}
    assert "; 6 failed" in run.said


@BOTH
@pytest.mark.parametrize(
    ("line", "why"),
    [("raise KeyboardInterrupt", "Ctrl-C"), ("pytest.exit('no quota')", "no quota")],
)
def test_ctrl_c_and_exit_stop_asking_alone(
    shop: Project, judge: str, line: str, why: str
) -> None:
    shop.conftest(SEARCH + before_the_grade(judge, f"if next(calls) == 2: {line}"))
    run = shop.run(OPTION)
    assert (run.code, run.counts) == (0, {"passed": 3})
    assert f"not asked for: {why}" in run.said


def test_a_judge_that_always_fails_is_given_up_and_the_next_one_is_asked(
    shop: Project,
) -> None:
    """The judge of a folder is asked first, and given up at the fiftieth failure; a
    limit holds for what is asked.
    """
    shop.cases(long_query(80), "zoo/x.relevance.yaml")
    dead = (SEARCH + JUDGE).replace('.startswith("boom")', ' != ""')
    shop.write("zoo/conftest.py", dead.replace("prompt-3", "dead"))
    run = shop.run(OPTION, "--relevance-judge-limit=79")
    none = "graded 0 of 79 results that nobody has judged: machine.csv; 50 failed"
    assert f"{none}; 29 not asked for" in run.said
    assert "model-x/prompt-3 graded 3 of 8 results that nobody has judged" in run.said
    assert len(asked(shop)) <= 79


def test_a_file_that_became_another_one_during_the_run_is_refused(
    shop: Project,
) -> None:
    header = "query_id,query,document,title,ranks,settles,worth,move,grade\n"
    writes = f"open('machine.csv', 'w').write({header!r})\n        return search"
    shop.conftest((SEARCH + JUDGE).replace("return search", writes))
    run = shop.run(OPTION)
    assert run.code == 1
    why = "machine.csv exists and is not as a judge writes it: CSV with commas"
    assert why in run.said
    assert asked(shop) == []
    assert (shop.path / "machine.csv").read_text() == header


FIXTURE = '\n    @pytest.fixture(scope="session")\n    def relevance_judge(): '


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (f"{FIXTURE}return lambda query, document: 1\n", "relevance_judge has no attribute name"),
        (f"{FIXTURE}return {{}}\n", "relevance_judge is not a function but {}"),
        (f'{FIXTURE}raise OSError("no GPU")\n', "relevance_judge raised OSError: no GPU (conftest.py:"),
        (JUDGE.replace("session", "module"), "relevance_judge has module scope; make it a session fixture"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_fails_the_run_like_every_file_that_is_not_written(
    shop: Project, judge: str, message: str
) -> None:
    shop.conftest(SEARCH + judge)
    run = shop.run(OPTION)
    assert (run.code, run.counts) == (1, {"passed": 3})
    assert message in run.said
    assert not (shop.path / "machine.csv").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--relevance-judge-limit=3"], "--relevance-judge-limit goes with --relevance-judge=FILE"),
        ([OPTION, "--relevance-judge-limit=0"], "a whole number, 1 or more; found '0'"),
        ([OPTION, "-n2"], "--relevance-judge asks about documents of all cases"),
        (["--relevance-calibrate=9", "-n2"], "--relevance-calibrate asks about documents of all cases"),
        (["--relevance-calibrate=1"], "ask for 2 grades or more that people gave too; found '1'"),
        (["--relevance-judge=people.csv"], "people.csv exists and is not as a judge writes it"),
        ([OPTION, "--relevance-unjudged=machine.csv"], "name the same file"),
    ],
)  # fmt: skip
def test_options_that_cannot_be(
    shop: Project, options: list[str], message: str
) -> None:
    text = "query,doc_id,grade\na good well bad,a,3\n"
    people = shop.write("people.csv", text)
    run = shop.run(*options)
    assert run.code == 4
    assert message in " ".join(run.result.stderr.lines)
    assert asked(shop) == []
    assert people.read_text() == text


def test_without_a_fixture_or_a_score_nothing_is_asked(shop: Project) -> None:
    shop.cases("cases:\n  - {query: a b, skip: not today}\n")
    why = "--relevance-judge: relevance_judge was not asked, because no case was scored"
    assert why in shop.run(OPTION).said
    shop.conftest(SEARCH)
    run = shop.run(OPTION)
    assert run.code == 4
    needs = (
        "needs a fixture relevance_judge, and there is none; write it in a conftest.py"
    )
    assert needs in run.result.stderr.str()


def test_a_run_that_stops_at_a_failure_asks_and_says_what_came_of_it(
    shop: Project,
) -> None:
    fails = "{query: a x, judgments: {a: 3}, expect: {first: b}}"
    shop.cases(f"cases: [{fails}, {{query: y}}]\n")
    run = shop.run(OPTION, "-x")
    assert run.counts == {"failed": 1}
    assert "graded 1 of 1 result that nobody has judged" in run.said


INDEX = """
    @pytest.fixture(scope="session")
    def relevance_documents():
        return lambda ids: {each: {"title": f"Index of {each}", "stock": 3} for each in ids}
"""


def test_a_judge_gets_what_catalogue_and_index_say(shop: Project) -> None:
    shop.conftest(SEARCH + INDEX + JUDGE)
    shop.write("products.csv", "id,title,brand\ngood,Catalogue,Fell\n")
    catalogue = "documents: {file: products.csv, show: [brand]}\n"
    shop.cases(f"{catalogue}cases: [{{query: a good well, judgments: {{a: 3}}}}]")
    shop.run(OPTION)
    told = told_of(shop)
    assert "good: {'brand': 'Fell', 'id': 'good', 'title': 'Catalogue'}" in told
    assert "well: {'stock': '3', 'id': 'well', 'title': 'Index of well'}" in told


def test_a_document_without_a_text_is_not_asked_about(shop: Project) -> None:
    shop.conftest(
        (SEARCH + JUDGE).replace('f"Title of {word}"', '"" if "e" in word else word')
    )
    run = shop.run(OPTION, "--relevance-judge-limit=5")
    assert asked(shop) == ["bad", "boom", "boom2", "good", "odd"]
    assert "; 3 not asked for: only the id is known;" in run.said
    named = 'first query "b none five odd boom boom2", document '
    assert f"3 documents of which only the id is known: {named}" in run.said
    assert (
        "Give documents a title: in what the search returns (title_field), in a"
        in run.said
    )


WORDS = {
    "good": "Grade: 3",
    "well": "<think>Is it 3? No.</think> It would do, so 2",
    "bad": '{"grade": 0}',
    "none": "1. The query asks for none.",
    "five": '{"grade": 5}',
    "odd": "3/4",
}


@BOTH
def test_a_judge_answers_in_words(shop: Project, judge: str) -> None:
    shop.conftest(re.sub("GRADES = .*", f"GRADES = {WORDS}", SEARCH + judge))
    run = shop.run(OPTION)
    assert run.code == 0
    assert grades(shop) == {"good": "3", "bad": "0"}
    said = "it said '1. The query asks for none.': a grade is one of 0 to 3, or None"
    assert f"model-x/prompt-3, 2 calls: {said}" in run.said
    assert '(first query "b none five odd boom boom2", document "none")' in run.said
    assert "model-x/prompt-3, 1 call: other problems" in run.said


@pytest.mark.parametrize("option", [OPTION, "--relevance-calibrate=9"])
def test_a_judge_with_nothing_but_faults_fails_the_run(
    shop: Project, option: str
) -> None:
    shop.conftest(SEARCH + before_the_grade(JUDGE, "return 'I think 3'"))
    shop.cases("cases: [{query: a good well, judgments: {a: 3, good: 2}}]")
    run = shop.run(option)
    assert (run.code, run.counts) == (1, {"passed": 1})
    assert "model-x/prompt-3 gave no grade: " in run.said
    assert "and all failed; mend the judge or its prompt" in run.said


# --- calibration ----------------------------------------------------------------------

CALIBRATE = "--relevance-calibrate=100"
OF_PEOPLE = """
    scale: [0, 3]
    min_ndcg: 0.5
    cases:
      - {query: good well c, judgments: {good: 3, well: 1, c: 2, bad: 0}}
      - {query: none boom e, judgments: {e: 3, none: 0, boom: 2}}
"""


TITLED = f"    documents: titles.csv{OF_PEOPLE}"
"""The same with a catalogue, which has a title of what no search returns."""


@pytest.fixture
def judged(shop: Project) -> Project:
    """A shop in which people have judged what the judge is asked for."""
    shop.write("titles.csv", "id,title\nbad,Polish\n")
    shop.cases(TITLED)
    return shop


def calibration(run: Run) -> list[str]:
    """The lines of the section."""
    _, _, text = run.text.partition("= calibration of model-x/prompt-3 ==")
    return text.partition("\n==")[0].splitlines()[1:]


def test_the_whole_section(judged: Project) -> None:
    run = judged.run(CALIBRATE)
    assert run.code == 0
    assert calibration(run) == [
        "asked for 7 of the 7 grades that people gave: 1 it cannot tell; 1 failed",
        "",
        "5 pairs of query and document that both people and model-x/prompt-3 graded",
        "  equal grades                     40.0%  2 of 5",
        "  Cohen's kappa (quadratic)        0.531  -0.667 to 0.946 at 95 %",
        "  Krippendorff's alpha (ordinal)   0.565  reliable from 0.8 on, tentatively from 0.667",
        "  bias                            -0.400  the grades of model-x/prompt-3 "
        "minus those of people",
        "",
        "people \\ model-x/prompt-3     0     1     2     3",
        "                        0     1     -     -     -",
        "                        1     -     -     1     -",
        "                        2     -     1     -     -",
        "                        3     -     1     -     1",
        "",
        "apart  people  model-x/prompt-3  query        document",
        "    2       3                 1  none boom e  e     Title of e",
        "    1       2                 1  good well c  c     Title of c",
        "    1       1                 2  good well c  well  Title of well",
    ]
    assert "1 call: it raised ConnectionError: no model (conftest.py:" in run.said
    assert len(asked(judged)) == 7


def test_it_changes_no_verdict_and_no_file(judged: Project) -> None:
    plain = judged.run("--relevance-record=run.jsonl")
    before = judged.recorded().results
    run = judged.run("--relevance-calibrate=4", "--relevance-record=run.jsonl", OPTION)
    assert (run.code, run.counts) == (plain.code, plain.counts)
    for result, then in zip(judged.recorded().results, before, strict=True):
        assert result.evaluation == then.evaluation
        assert result.texts == then.texts
    assert len(asked(judged)) == 4
    assert not (judged.path / "machine.csv").exists()
    nothing = "relevance_judge was not asked, because there is nothing to judge"
    assert f"--relevance-judge: {nothing}" in run.text


def test_the_same_are_asked_for_once_whatever_the_order_and_the_variants(
    judged: Project,
) -> None:
    run = judged.run("--relevance-calibrate=4")
    drawn = "asked for 4 of the 7 grades that people gave, drawn evenly over the grades"
    assert calibration(run)[0].startswith(drawn)
    before = asked(judged)
    head, first, second = TITLED.rstrip().rsplit("\n", 2)
    judged.cases(f"{head}\n{second}\n{first}\n")
    judged.run("--relevance-calibrate=4")
    assert asked(judged) == before
    variants = 'params=["x", "y"])\n    def search'
    judged.conftest(
        (SEARCH + JUDGE).replace('scope="session")\n    def search', variants)
    )
    assert judged.run("--relevance-calibrate=5").counts == {"passed": 4}
    more = asked(judged)
    assert len(more) == 5
    assert {*more} > {*before}


def test_judgments_of_a_test_in_python(project: Project) -> None:
    project.conftest(SEARCH + JUDGE)
    found = '[("c", "Calf"), ("a", "Aglet")]'
    project.test(f'relevance.check("laces", {found}, {{"a": 3, "d": 0}})')
    project.run("--relevance-calibrate=9")
    assert asked(project) == ["a"]


def test_grades_of_a_machine_are_none_of_people(judged: Project) -> None:
    header = "query,document,grade,rater,machine\n"
    query = "good well c"
    row = f"{query},c,1,model-y,true\n{query},e,3,model-y,true\n"
    judged.write("machine.csv", header + row)
    fill = "judgments: [{file: machine.csv, fill: true}]\n"
    catalogue = "documents: titles.csv\n"
    of_people = f"cases: [{{query: {query}, judgments: {{good: 3, bad: 0}}}}]"
    judged.cases(f"{fill}{catalogue}{of_people}")
    judged.run(CALIBRATE)
    assert asked(judged) == ["bad", "good"]
    judged.cases(f"{fill}cases: [{{query: {query}}}]\n")
    nothing = "relevance_judge was not asked, because there is nothing to judge"
    assert f"--relevance-calibrate: {nothing}" in judged.run(CALIBRATE).text


def test_what_a_judge_is_told_of_documents_that_were_not_found(judged: Project) -> None:
    judged.write("products.csv", "id,title,brand\nbad,Polish,Fell\n")
    judged.cases(f"    documents: {{file: products.csv, show: [brand]}}{OF_PEOPLE}")
    judged.run(CALIBRATE)
    told = told_of(judged)
    assert "bad: {'brand': 'Fell', 'id': 'bad', 'title': 'Polish'}" in told
    assert "well: {'id': 'well', 'title': 'Title of well'}" in told
    judged.cases(OF_PEOPLE)
    judged.conftest(SEARCH + INDEX + JUDGE)
    run = judged.run(CALIBRATE)
    index = "bad: {'stock': '3', 'id': 'bad', 'title': 'Index of bad'}"
    assert index in told_of(judged)
    assert "only the id is known" not in run.said


def test_nothing_to_compare(shop: Project) -> None:
    shop.cases("cases: [{query: none x, judgments: {none: 3, x: 1}}]\n")
    shop.conftest(SEARCH + re.sub("1.0", "None", JUDGE))
    nothing = "asked for 2 of the 2 grades that people gave: 2 it cannot tell"
    assert calibration(shop.run("--relevance-calibrate=2")) == [nothing]


def test_why_no_judge_is_calibrated(judged: Project) -> None:
    run = judged.run(CALIBRATE, "-k", "nothing")
    assert "was not asked, because no case was scored" in one_line(run.text)
    assert "not asked" not in judged.run(CALIBRATE, "--collect-only").text
