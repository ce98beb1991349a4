"""`{file: ..., fill: true}`: grades of a machine count where nobody has judged, and
every report says so.
"""

import re

import pytest

from pytest_relevance import Run as RecordedRun
from pytest_relevance import read_judgments, read_suite
from pytest_relevance.cli import main
from tests.plugin.conftest import Project

MACHINE = """
    query,doc_id,grade,rater,machine,note
    c b a,a,0,model-x/prompt-3,true,
    c b a,b,2,model-x/prompt-3,true,
    c b a,c,,model-x/prompt-3,true,cannot tell
    e d,d,3,model-x/prompt-3,TRUE,
    e d,e,1,model-y,true,
    e d,e,3,model-x/prompt-3,true,
    of another suite,z,9,model-x/prompt-3,true,
"""

CASES = """
    scale: [0, 3]
    judgments: [{file: machine.csv, fill: true}, people.csv]
    gates:
      - mean: {nDCG@10: 0.5}
      - mean: {nDCG@10: 0.5}
        tag: alone
    cases:
      - {query: c b a, min_ndcg: 0.999}
      - {query: e d, judgments: {}, min_ndcg: 0.999, tags: [alone]}
      - {query: f g, judgments: {f: 1, g: 1}}
"""


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest()
    project.write("machine.csv", MACHINE)
    project.write("people.csv", "query,doc_id,grade\nc b a,a,3\ne d,x,0\n")
    project.cases(CASES)
    return project


def test_a_persons_grade_wins_whatever_the_order(shop: Project) -> None:
    first, second, third = read_suite(shop.path / "shop.relevance.yaml").cases
    assert (first.judgments, first.filled) == (
        {"a": 3, "b": 2},
        {"b": "model-x/prompt-3"},
    )
    assert second.judgments == {"x": 0, "d": 3, "e": 2}, (
        "several judges are combined as raters are"
    )
    assert second.filled == {"d": "model-x/prompt-3", "e": "model-x/prompt-3 + model-y"}
    assert (third.judgments, third.filled) == ({"f": 1, "g": 1}, {})
    reordered = CASES.replace(
        "[{file: machine.csv, fill: true}, people.csv]",
        "[people.csv, {file: machine.csv, fill: true}]",
    )
    shop.cases(reordered)
    assert [
        case.judgments for case in read_suite(shop.path / "shop.relevance.yaml").cases
    ] == [
        first.judgments,
        second.judgments,
        third.judgments,
    ]


@pytest.mark.parametrize(
    "content", [None, "", "query,doc_id,grade,rater,machine,note\n"]
)
def test_a_fill_file_that_is_missing_or_empty_is_none(
    shop: Project, content: str | None
) -> None:
    (shop.path / "machine.csv").unlink()
    if content is not None:
        shop.write("machine.csv", content)
    cases = {
        case.query: case
        for case in read_suite(
            shop.cases(CASES.replace("min_ndcg: 0.999", "k: 5"))
        ).cases
    }
    assert cases["c b a"].judgments == {"a": 3}
    assert cases["e d"].filled == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("query,doc_id,grade\nc b a,b,9\n", "grade 9 is off the scale"),
        ('query,doc_id,grade,rater,machine\nc b a,b,1,m,"tr', "machine.csv:2"),
        (
            "query,doc_id,grade,rater,machine\nc b a,b,1,m,WAHR\n",
            "the column machine is true where a machine gave",
        ),
        ("a note\n", "the format of these judgments is not recognised"),
    ],
)
def test_a_damaged_fill_file_is_an_error(
    shop: Project, content: str, message: str
) -> None:
    shop.write("machine.csv", content)
    with pytest.raises(ValueError, match=re.escape(message)):
        read_suite(shop.path / "shop.relevance.yaml")


def test_rows_without_a_machine_fill_too(shop: Project) -> None:
    shop.write("machine.csv", "query,doc_id,grade\nc b a,b,2\ne d,d,1\n")
    first, *_ = read_suite(shop.path / "shop.relevance.yaml").cases
    assert first.filled == {"b": "machine.csv"}


def test_the_grades_of_a_machine_are_not_taken_for_a_persons(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    message = r"machine\.csv:2: a machine gave this grade.*fill: true.*rows that a person has checked in a file of people"
    with pytest.raises(ValueError, match=message):
        read_suite(
            shop.cases(CASES.replace("{file: machine.csv, fill: true}", "machine.csv"))
        )
    file = shop.path / "machine.csv"
    with pytest.raises(ValueError, match=message):
        read_judgments(file)
    assert read_judgments(file, fill=True)["e d"] == {"d": 3, "e": 2}
    assert main(["convert", str(file), str(shop.path / "out.csv")]) == 1
    assert re.search(message, " ".join(capsys.readouterr().err.split()))
    assert main(["raters", str(file)]) == 0
    assert "model-y" in capsys.readouterr().out
    file.write_text("query,doc_id,grade,machine\nc b a,a,0,TRUE\n")
    with pytest.raises(ValueError, match=message):
        read_judgments(file)
    file.write_text("query,docid,Ann,Bob,machine\nc b a,a,0,1,3\n")
    with pytest.raises(
        ValueError,
        match=r"machine\.csv:2: the column machine is true where .* found .3.",
    ):
        read_judgments(file)
    file.write_text("query,doc_id,grade,machine\nc b a,a,0,washing machine\n")
    assert read_judgments(file) == {"c b a": {"a": 0}}, "a field of the documents"


def test_a_conversion_leaves_out_what_fills(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(
            [
                "convert",
                str(shop.path / "shop.relevance.yaml"),
                str(shop.path / "out.csv"),
            ]
        )
        == 0
    )
    assert "the grades that fill of 2 cases" in " ".join(
        capsys.readouterr().err.split()
    )
    assert read_judgments(shop.path / "out.csv") == {
        "c b a": {"a": 3},
        "e d": {"x": 0},
        "f g": {"f": 1, "g": 1},
    }


WORDS = "3 of 6 judged results within k are filled: 2 by model-x/prompt-3, 1 by model-x/prompt-3 + model-y"


def test_every_report_says_how_much_is_filled(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    run = shop.run(
        "--relevance-record=run.jsonl",
        "--relevance-markdown=run.md",
        "--relevance-html=run.html",
    )
    assert run.sentences("3 of 6") == [f"{WORDS}; mean without them 0.750"]
    assert "3 results, 2 judged, 1 by model-x/prompt-3\n" in run.failure("c b a")
    (gate,) = run.sentences("shop.relevance.yaml:4")
    assert gate.endswith("at least 0.500 (3 cases); 0.750 without filled grades")
    assert WORDS in (shop.path / "run.md").read_text()
    page = (shop.path / "run.html").read_text()
    assert WORDS in page
    assert '"filled":{"b":"model-x/prompt-3"}' in page
    assert main(["report", str(shop.path / "run.jsonl")]) == 0
    assert "3 of 6 judged results within k are filled" in capsys.readouterr().out
    assert (
        main(
            [
                "merge",
                str(shop.path / "run.jsonl"),
                "-o",
                str(shop.path / "merged.jsonl"),
            ]
        )
        == 0
    )
    merged = RecordedRun.open(shop.path / "merged.jsonl")
    assert {
        result.id: dict(result.evaluation.filled_top) for result in merged.results
    } == {
        "c b a": {"model-x/prompt-3": 1},
        "e d": {"model-x/prompt-3": 1, "model-x/prompt-3 + model-y": 1},
        "f g": {},
    }


def test_a_changed_grade_of_a_machine_is_a_changed_judgment(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.run("--relevance-update", "--relevance-record=one.jsonl")
    machine = shop.path / "machine.csv"
    machine.write_text(machine.read_text().replace("b,2,", "b,1,"))
    run = shop.run("--relevance-record=two.jsonl")
    assert run.sentences("mean nDCG@10")[0].endswith("0 better, 0 worse, 3 the same"), (
        "the accepted ranking is scored anew"
    )
    runs = [str(shop.path / name) for name in ("one.jsonl", "two.jsonl")]
    assert main(["compare", *runs]) == 2
    assert 'the judgments changed in 1 case: "c b a"' in capsys.readouterr().err
    assert (
        main(["compare", *runs, "--judgments", str(shop.path / "shop.relevance.yaml")])
        == 0
    )
    assert (
        "two.jsonl: 3 of 6 judged results within k are filled"
        in capsys.readouterr().out
    )


def test_filled_grades_count_as_judged(shop: Project) -> None:
    text = CASES.replace(
        "min_ndcg: 0.999", "min_ndcg: 0.7, min_judged: 0.6", 1
    ).replace("min_ndcg: 0.999", "k: 5")
    shop.cases(text)
    assert "nDCG@10 0.606 is below 0.700" in shop.run().failure("c b a")
    (shop.path / "machine.csv").unlink()
    assert (
        "inconclusive: 1 of the top 3 judged, less than min_judged 0.6"
        in shop.run().failure("c b a")
    )


FILLED = "c a", "b a", "y a", "e a"
FLIPPED = """
    scale: [0, 3]
    judgments: [{file: machine.csv, fill: true}]
    gates:
      - mean: {nDCG@10: 0.8}
      - mean: {P@1: 0.1}
      - passing: 0.8
    cases:
      - {query: c a, judgments: {a: 3}, expect: {P@1: 1}}
      - {query: b a, judgments: {a: 3, x: 3}, min_ndcg: 0.7}
      - {query: e a, judgments: {e: 3, a: 3}, min_ndcg: 0.99}
      - {query: y a, judgments: {a: 3}, expect: {P@1: 1}}
      - {query: f, judgments: {f: 1}, min_ndcg: 0.9}
"""


@pytest.fixture
def flipped(shop: Project) -> Project:
    """A shop in which grades of people alone would fail three cases, pass the one that
    fails, and miss two gates.
    """
    rows = ""
    for query, document in zip(FILLED, "cbyz", strict=True):
        rows += f"{query},{document},3,lenient,true\n"
    shop.write("machine.csv", f"query,doc_id,grade,rater,machine\n{rows}")
    shop.cases(FLIPPED)
    return shop


ONLY = '3 of 5 cases pass only by grades of lenient: "c a", "b a" and "y a"'


@pytest.mark.parametrize("option", ["-v", "-q", "-n2"])
def test_cases_that_pass_only_by_filled_grades_are_named(
    flipped: Project, option: str
) -> None:
    assert flipped.run(option).sentences("3 of 5 cases pass") == [ONLY]


def test_every_report_names_cases_that_pass_only_by_filled_grades(
    flipped: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    flipped.run(
        "--relevance-record=run.jsonl",
        "--relevance-markdown=run.md",
        "--relevance-html=run.html",
    )
    assert ONLY in (flipped.path / "run.md").read_text()
    page = (flipped.path / "run.html").read_text()
    assert "3 of 5 cases pass only by grades of lenient" in page
    record, merged = str(flipped.path / "run.jsonl"), str(flipped.path / "merged.jsonl")
    for command in (
        ["report", record],
        ["merge", record, "-o", merged],
        ["report", merged],
    ):
        main(command)
        assert ONLY in " ".join(capsys.readouterr().out.split())


def test_properties_have_the_verdict_without_filled_grades(flipped: Project) -> None:
    verdicts = []
    filled = []
    cases = flipped.junit()
    for name in (*FILLED, "f"):
        found = {}
        for each in cases[name].iter("property"):
            found[each.attrib["name"]] = each.attrib["value"]
        verdicts.append(found.get("verdict_without_filled"))
        filled.append(found.get("filled"))
    assert verdicts == ["failed", "failed", "failed", "passed", None]
    assert filled == ["1", "1", "1", None, None]


def test_compare_says_what_a_mean_is_without_filled_grades(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """The document that people judged stays first, and the one that fills falls from
    rank 2 to 3.
    """
    cases = "judgments: {a: 3}}\n      - {query: f, judgments: {f: 1}}\n"
    shop.write(
        "machine.csv", "query,doc_id,grade,rater,machine\na c b,c,3,lenient,true\n"
    )
    shop.cases(f"""
    scale: [0, 3]
    judgments: [{{file: machine.csv, fill: true}}]
    gates: [max_drop: {{nDCG@10: 0.01}}]
    cases:
      - {{query: a c b, {cases}""")
    shop.run("--relevance-update", "--relevance-record=before.jsonl")
    shop.search('return lambda query: ["a", "b", "c"] if "a" in query else [query]')
    run = shop.run("--relevance-record=after.jsonl")
    assert run.outcomes["gate[max_drop nDCG@10 0.01]"] == "failed"
    records = [str(shop.path / name) for name in ("before.jsonl", "after.jsonl")]
    capsys.readouterr()
    for judgments in ((), ("--judgments", str(shop.path / "shop.relevance.yaml"))):
        assert main(["compare", *records, "--min", "nDCG@10=0.99", *judgments]) == 1
        said = " ".join(capsys.readouterr().out.split())
        assert "(2 cases); 1.000 without filled grades" in said
        assert "after.jsonl: 1 of 3 judged results within k is filled: 1 by" in said


def test_grades_that_fill_and_decide_nothing_are_not_said(shop: Project) -> None:
    """No case has a score, with them or without; and what fills was not returned."""
    shop.write(
        "machine.csv",
        "query,doc_id,grade,rater,machine\na b,a,0,lenient,true\nc d,z,0,lenient,true\n",
    )
    cases = "gates: [mean: {nDCG@10: 0.5}]\ncases: [{query: a b, judgments: {}}]"
    shop.cases(f"judgments: [{{file: machine.csv, fill: true}}]\n{cases}")
    run = shop.run()
    assert "nDCG@10 is not defined: no case has a score" in run.text
    shop.cases(
        "judgments: [{file: machine.csv, fill: true}]\ncases: [{query: c d, judgments: {}}]"
    )
    assert "filled" not in shop.run().text


@pytest.fixture
def hidden_drop(project: Project) -> Project:
    """A shop that found `good` when its ranking was accepted, and finds `junk` now.

    The judge gives `junk` the highest grade.
    """
    project.search("return lambda query: ['good', 'x']")
    project.write("people.csv", "query,doc_id,grade\nboots,good,3\n")
    project.cases(HIDDEN.replace("KEYS", ""))
    project.run("--relevance-update", "--relevance-record=main.jsonl")
    project.search("return lambda query: ['junk', 'x']")
    project.write(
        "machine.csv", "query,doc_id,grade,rater,machine\nboots,junk,3,model-x,true\n"
    )
    return project


HIDDEN = """
    scale: [0, 3]
    judgments: [people.csv, {file: machine.csv, fill: true}]
    gates: [{max_drop: {nDCG@10: 0.1}}]
    cases:
      - {query: boots KEYS}
"""


@pytest.mark.parametrize("against", [[], ["--relevance-against=main.jsonl"]])
def test_new_grades_of_a_machine_hide_no_drop(
    hidden_drop: Project, against: list[str]
) -> None:
    run = hidden_drop.run("-v", *against)
    assert run.outcomes == {"boots": "failed", "gate[max_drop nDCG@10 0.1]": "failed"}
    assert run.sentences("1 case: ") == [
        "1 case: 1 got worse; mean nDCG@10 0.613; 1 of 1 gate failed"
    ]
    by_people = "(by the grades of people, without those of model-x)"
    assert (
        f"nDCG@10 0.000 is 1.000 below the baseline 1.000, more than the tolerance 0.050 {by_people}"
        in run.told("boots")
    )
    assert by_people in run.told("gate[max_drop nDCG@10 0.1]")


def test_known_failures_are_none_where_people_see_a_drop(hidden_drop: Project) -> None:
    hidden_drop.cases(HIDDEN.replace("KEYS", ", expect: {exclude: [x]}"))
    run = hidden_drop.run("--relevance-known=xfail")
    assert run.outcomes["boots"] == "failed"


def test_a_gate_on_a_mean_is_not_known_where_people_see_it_fall(
    hidden_drop: Project,
) -> None:
    """The judge gives the machine's document more than the mean lost."""
    gate = HIDDEN.replace("max_drop: {nDCG@10: 0.1}", "mean: {nDCG@10: 0.99}")
    two = gate.replace("KEYS", ", tolerance: 1") + "      - {query: hats}\n"
    hidden_drop.cases(two)
    hidden_drop.write(
        "people.csv", "query,doc_id,grade\nboots,good,3\nboots,b,3\nhats,hat,3\n"
    )
    hidden_drop.write("machine.csv", "query,doc_id,grade,rater,machine\n")
    hidden_drop.search("return lambda query: ['good', 'x']")
    hidden_drop.run("--relevance-update")
    assert hidden_drop.run(KNOWN).outcomes["gate[mean nDCG@10 0.99]"] == "xfailed"
    hidden_drop.search("return lambda query: ['junk', 'x']")
    hidden_drop.write(
        "machine.csv", "query,doc_id,grade,rater,machine\nboots,junk,3,model-x,true\n"
    )
    run = hidden_drop.run(KNOWN)
    assert run.outcomes["boots"] == "passed"
    assert run.outcomes["gate[mean nDCG@10 0.99]"] == "failed"


KNOWN = "--relevance-known=xfail"


def test_a_drop_that_people_see_is_open_if_they_judged_too_little(
    hidden_drop: Project,
) -> None:
    hidden_drop.cases(HIDDEN.replace("KEYS", ", min_judged: 0.5"))
    run = hidden_drop.run("-v")
    assert run.results["boots"].verdict == "inconclusive"
    assert "0 of the top 2 judged, less than min_judged 0.5 (by the grades" in run.told(
        "boots"
    )


def test_a_machine_and_people_that_see_no_drop_fail_nothing(
    hidden_drop: Project,
) -> None:
    hidden_drop.write("people.csv", "query,doc_id,grade\nboots,good,3\nboots,junk,3\n")
    assert hidden_drop.run().outcomes["boots"] == "passed"
    hidden_drop.cases(HIDDEN.replace("KEYS", ", tolerance: 1"))
    hidden_drop.write("people.csv", "query,doc_id,grade\nboots,good,3\n")
    assert hidden_drop.run().outcomes["boots"] == "passed"


def test_a_report_sees_the_drop_that_a_machine_hides(
    hidden_drop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden_drop.run("--relevance-record=now.jsonl")
    names = [str(hidden_drop.path / name) for name in ("now.jsonl", "main.jsonl")]
    capsys.readouterr()
    main(["report", names[0], "--against", names[1]])
    said = " ".join(capsys.readouterr().out.split())
    assert "Search got worse: 1 query" in said
