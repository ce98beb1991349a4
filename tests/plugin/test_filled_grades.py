"""`{file: ..., fill: true}`: grades of a machine count where nobody has judged, and
every report says so. Which grades fill is in tests/cases/test_case_filled_grades.py.
"""

import pytest

from tests.filled_grades import FILES, HEADER, MACHINE, PEOPLE
from tests.plugin.conftest import Command, Project
from tests.plugin.shop import BOTH, KNOWN, RECORD, UPDATE

CASES = f"""
    scale: [0, 3]
    judgments: {FILES}
    gates:
      - mean: {{nDCG@10: 0.5}}
      - mean: {{nDCG@10: 0.5}}
        tag: alone
    cases:
      - {{query: c b a, min_ndcg: 0.999}}
      - {{query: e d, judgments: {{}}, min_ndcg: 0.999, tags: [alone]}}
      - {{query: f g, judgments: {{f: 1, g: 1}}}}
"""


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest()
    project.write("machine.csv", MACHINE)
    project.write("people.csv", PEOPLE)
    project.cases(CASES)
    return project


SAID = "3 of 6 judged results within k are filled: 2 by model-x/prompt-3, 1 by model-x/prompt-3 + model-y"


def test_every_report_says_how_much_is_filled(shop: Project, command: Command) -> None:
    found = shop.reports()
    run = found.run
    assert found.all_say(SAID)
    assert run.sentences("3 of 6") == [f"{SAID}; mean without them 0.750"]
    assert "3 results, 2 judged, 1 by model-x/prompt-3\n" in run.failure("c b a")
    (gate,) = run.sentences("shop.relevance.yaml:4")
    assert gate.endswith("at least 0.500 (3 cases); 0.750 without filled grades")
    page = (shop.path / "run.html").read_text()
    assert '"filled":{"b":"model-x/prompt-3"}' in page
    filled = "3 of 6 judged results within k are filled"
    assert filled in command("report", "run.jsonl").out
    assert command("merge", "run.jsonl", "-o", "merged.jsonl").code == 0
    merged = shop.recorded("merged.jsonl").results
    assert [dict(result.evaluation.filled_top) for result in merged] == [
        {"model-x/prompt-3": 1},
        {"model-x/prompt-3": 1, "model-x/prompt-3 + model-y": 1},
        {},
    ]


def test_a_changed_grade_of_a_machine_is_a_changed_judgment(
    shop: Project, command: Command
) -> None:
    shop.run(UPDATE, "--relevance-record=one.jsonl")
    shop.write("machine.csv", MACHINE.replace("b,2,", "b,1,"))
    run = shop.run("--relevance-record=two.jsonl")
    # the accepted ranking is scored anew
    assert run.sentences("3 the same")
    compare = ["compare", "one.jsonl", "two.jsonl"]
    refused = command(*compare)
    assert refused.code == 2
    assert 'the judgments changed in 1 case: "c b a"' in refused.err
    compared = command(*compare, "--judgments", "shop.relevance.yaml")
    assert compared.code == 0
    assert "two.jsonl: 3 of 6 judged results within k are filled" in compared.out


def test_filled_grades_count_as_judged(shop: Project) -> None:
    judged = CASES.replace("min_ndcg: 0.999", "min_ndcg: 0.7, min_judged: 0.6", 1)
    shop.cases(judged.replace("min_ndcg: 0.999", "k: 5"))
    assert "nDCG@10 0.606 is below 0.700" in shop.run().failure("c b a")
    (shop.path / "machine.csv").unlink()
    few = "inconclusive: 1 of the top 3 judged, less than min_judged 0.6"
    assert few in shop.run().failure("c b a")


FLIPPED = """
    scale: [0, 3]
    judgments: [{file: machine.csv, fill: true}]
    gates: [{mean: {nDCG@10: 0.8}}, {mean: {P@1: 0.1}}, {passing: 0.8}]
    cases:
      - {query: c a, judgments: {a: 3}, expect: {P@1: 1}}
      - {query: b a, judgments: {a: 3, x: 3}, min_ndcg: 0.7}
      - {query: e a, judgments: {e: 3, a: 3}, min_ndcg: 0.99}
      - {query: y a, judgments: {a: 3}, expect: {P@1: 1}}
      - {query: f, judgments: {f: 1}, min_ndcg: 0.9}
"""
ONLY = '3 of 5 cases pass only by grades of lenient: "c a", "b a" and "y a"'


@pytest.fixture
def flipped(shop: Project) -> Project:
    """A shop in which grades of people alone would fail three cases, pass the one that
    fails, and miss two gates.
    """
    pairs = ("c a,c", "b a,b", "y a,y", "e a,z")
    rows = "".join(f"{pair},3,lenient,true\n" for pair in pairs)
    shop.write("machine.csv", HEADER + rows)
    shop.cases(FLIPPED)
    return shop


def test_every_report_names_cases_that_pass_only_by_filled_grades(
    flipped: Project, command: Command
) -> None:
    assert flipped.reports().all_say(ONLY)
    assert ONLY in command("report", "run.jsonl").out
    assert ONLY in command("merge", "run.jsonl", "-o", "merged.jsonl").out
    assert ONLY in command("report", "merged.jsonl").out


def test_properties_have_the_verdict_without_filled_grades(flipped: Project) -> None:
    flipped.junit()
    properties = [
        flipped.properties(name) for name in ("c a", "b a", "y a", "e a", "f")
    ]
    verdicts = [found.get("verdict_without_filled") for found in properties]
    assert verdicts == ["failed", "failed", "failed", "passed", None]
    assert [found.get("filled") for found in properties] == ["1", "1", "1", None, None]


def test_compare_says_what_a_mean_is_without_filled_grades(
    shop: Project, command: Command
) -> None:
    """The document that people judged stays first, and the one that fills falls from
    rank 2 to 3.
    """
    shop.write("machine.csv", f"{HEADER}a c b,c,3,lenient,true\n")
    shop.cases("""
        scale: [0, 3]
        judgments: [{file: machine.csv, fill: true}]
        gates: [max_drop: {nDCG@10: 0.01}]
        cases: [{query: a c b, judgments: {a: 3}}, {query: f, judgments: {f: 1}}]
    """)
    shop.run(UPDATE, "--relevance-record=before.jsonl")
    shop.search('return lambda query: ["a", "b", "c"] if "a" in query else [query]')
    run = shop.run("--relevance-record=after.jsonl")
    assert run.gates == {"gate[max_drop nDCG@10 0.01]": "failed"}
    compare = ["compare", "before.jsonl", "after.jsonl", "--min", "nDCG@10=0.99"]
    for judgments in ([], ["--judgments", "shop.relevance.yaml"]):
        compared = command(*compare, *judgments)
        assert compared.code == 1
        assert "(2 cases); 1.000 without filled grades" in compared.out
        filled = "after.jsonl: 1 of 3 judged results within k is filled: 1 by"
        assert filled in compared.out


@pytest.mark.parametrize(("query", "document"), [("a b", "a"), ("c d", "z")])
def test_grades_that_fill_and_decide_nothing_are_not_said(
    shop: Project, query: str, document: str
) -> None:
    """No case has a score, with them or without; or what fills was not returned, and
    is not said to be filled.
    """
    shop.write("machine.csv", f"{HEADER}{query},{document},0,lenient,true\n")
    shop.cases(
        "judgments: [{file: machine.csv, fill: true}]\ngates: [mean: {nDCG@10: 0.5}]\n"
        f"cases: [{{query: {query}, judgments: {{}}}}]"
    )
    text = shop.run().text
    assert "nDCG@10 is not defined: no case has a score" in text
    assert ("filled" in text) == (document == "a")
    assert "without filled grades" not in text


# --- a drop that a machine would hide -------------------------------------------------

HIDDEN = """
    scale: [0, 3]
    judgments: [people.csv, {file: machine.csv, fill: true}]
    gates: [{max_drop: {nDCG@10: 0.1}}]
    cases:
      - {query: boots KEYS}
"""
FOUND, FINDS = (
    "return lambda query: ['good', 'x']",
    "return lambda query: ['junk', 'x']",
)
PRAISED = f"{HEADER}boots,junk,3,model-x,true\n"


@pytest.fixture
def hidden_drop(project: Project) -> Project:
    """A shop that found `good` when its ranking was accepted, and finds `junk` now.

    The judge gives `junk` the highest grade.
    """
    project.search(FOUND)
    project.write("people.csv", "query,doc_id,grade\nboots,good,3\n")
    project.cases(HIDDEN.replace("KEYS", ""))
    project.run(UPDATE, RECORD)
    project.search(FINDS)
    project.write("machine.csv", PRAISED)
    return project


@BOTH
def test_new_grades_of_a_machine_hide_no_drop(
    hidden_drop: Project, against: list[str]
) -> None:
    run = hidden_drop.run("-v", *against)
    assert run.outcomes == {"boots": "failed", "gate[max_drop nDCG@10 0.1]": "failed"}
    assert run.summary.startswith("Search got worse: 1 query (needs grades")
    assert "gate not met: " in run.summary
    by_people = "(by the grades of people, without those of model-x)"
    drop = "nDCG@10 fell from 1.000 to 0.000, by more than the tolerance of 0.050"
    assert f"{drop} {by_people}" in run.told("boots")
    assert by_people in run.told("gate[max_drop nDCG@10 0.1]")


def test_known_failures_are_none_where_people_see_a_drop(hidden_drop: Project) -> None:
    hidden_drop.cases(HIDDEN.replace("KEYS", ", expect: {exclude: [x]}"))
    assert hidden_drop.run(KNOWN).outcomes["boots"] == "failed"


def test_a_gate_on_a_mean_is_not_known_where_people_see_it_fall(
    hidden_drop: Project,
) -> None:
    """The judge gives the machine's document more than the mean lost."""
    gate = HIDDEN.replace("max_drop: {nDCG@10: 0.1}", "mean: {nDCG@10: 0.99}")
    boots = gate.replace("KEYS", ", tolerance: 1")
    hidden_drop.cases(boots + "      - {query: hats}\n")
    people = "query,doc_id,grade\nboots,good,3\nboots,b,3\nhats,hat,3\n"
    hidden_drop.write("people.csv", people)
    hidden_drop.write("machine.csv", HEADER)
    hidden_drop.search(FOUND)
    hidden_drop.run(UPDATE)
    assert hidden_drop.run(KNOWN).gates == {"gate[mean nDCG@10 0.99]": "xfailed"}
    hidden_drop.search(FINDS)
    hidden_drop.write("machine.csv", PRAISED)
    run = hidden_drop.run(KNOWN)
    assert run.outcomes["boots"] == "passed"
    assert run.gates == {"gate[mean nDCG@10 0.99]": "failed"}


def test_a_drop_that_people_see_is_open_if_they_judged_too_little(
    hidden_drop: Project,
) -> None:
    hidden_drop.cases(HIDDEN.replace("KEYS", ", min_judged: 0.5"))
    run = hidden_drop.run("-v")
    assert run.results["boots"].verdict == "inconclusive"
    few = "0 of the top 2 judged, less than min_judged 0.5 (by the grades"
    assert few in run.told("boots")


def test_a_machine_and_people_that_see_no_drop_fail_nothing(
    hidden_drop: Project,
) -> None:
    hidden_drop.write("people.csv", "query,doc_id,grade\nboots,good,3\nboots,junk,3\n")
    assert hidden_drop.run().outcomes["boots"] == "passed"
    hidden_drop.cases(HIDDEN.replace("KEYS", ", tolerance: 1"))
    hidden_drop.write("people.csv", "query,doc_id,grade\nboots,good,3\n")
    assert hidden_drop.run().outcomes["boots"] == "passed"


def test_a_report_sees_the_drop_that_a_machine_hides(
    hidden_drop: Project, command: Command
) -> None:
    hidden_drop.run("--relevance-record=now.jsonl")
    text = command("report", "now.jsonl", "--against", "main.jsonl").out
    assert "Search got worse: 1 query" in text
