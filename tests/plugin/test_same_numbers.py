"""One pair of runs has one set of numbers, whatever report says them and however it is
made.
"""

import json
import re
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import page_text, page_values
from tests.plugin.conftest import Command, Project, Run, one_line
from tests.plugin.shop import AGAINST, RECORD, SEARCH, Shop

NEXT = "--relevance-record=next.jsonl"
"""Of two runs in one second `history` takes the names for their order."""

CASES = """
    scale: [0, 3]
    cases:
      - {query: empty, judgments: {a: 3, b: 1}}
      - {query: certain, judgments: {a: 3, b: 1}}
      - {query: open, judgments: {a: 3, b: 1}}
      - {query: floor, judgments: {a: 3, b: 1}, min_ndcg: 0.99}
      - {query: top, expect: {first: a}}
      - {query: expected, judgments: {a: 3, b: 1}, min_ndcg: 0.9, xfail: known}
      - {query: met, judgments: {a: 3, b: 1}, min_ndcg: 0.99}
      - {query: rise, judgments: {a: 3, b: 1}}
      - {query: both, judgments: {a: 3, b: 1}, min_ndcg: 0.9, expect: {first: b}, tolerance: 1}
      - {query: within, judgments: {a: 3, b: 1}}
      - {query: same, judgments: {a: 3, b: 1}}
      - {query: deep, judgments: {a: 3, b: 1}}
      - {query: overlaps, expect: {overlap@2: 0.6}}
      - {query: differs, expect: {overlap@2: 0.4}}
      - {query: before, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
      - {query: unscored, judgments: {a: 0}}
"""
OTHER = "cases: [{query: tolerant, judgments: {a: 3, b: 1}}]\ntolerance: 0.5\n"

DEEP = "m1 m2 m3 m4 m5 m6 m7 m8 m9 m10 a b"
THEN = {
    "empty": "a b",
    "certain": "a b",
    "open": "a b",
    "floor": "a b",
    "top": "a b",
    "expected": "b a",
    "met": "a x b",
    "rise": "b a",
    "both": "b a",
    "within": "a b",
    "same": "a x b",
    "deep": DEEP,
    "overlaps": "a b",
    "differs": "a b",
    "before": "b a",
    "unscored": "a",
    "tolerant": "a b",
}
NOW = {
    "empty": "",
    "certain": "b a",
    "open": "x a b",
    "floor": "a x b",
    "top": "b a",
    "expected": "x b",
    "met": "a b",
    "rise": "a b",
    "both": "a b",
    "within": "a x b",
    "overlaps": "a y",
    "differs": "a y",
    "tolerant": "b a",
}

COUNTS = {
    "got_worse": 7,  # `both` newly misses an expectation, and newly meets its floor
    "certain": 4,
    "open": 3,
    "lost_passage": 0,
    "inconclusive": 0,
    "changed": 1,
    "got_better": 2,
    "within_tolerance": 3,
    "same": 3,
    "without_score": 1,
}
HEADLINE = (
    "7 of 17 queries got worse (4 for certain, 3 need grades to be sure), 2 better; "
    "the change of the mean may be chance; 1 changed by more than allowed"
)
REST = "3 changed a little, 3 the same, 1 without a score"


@pytest.fixture
def shop(project: Project) -> Shop:
    """A shop with the record of main, and another ranking of most queries since."""
    shop = Shop(project)
    shop.cases(CASES)
    shop.cases(OTHER, "other.relevance.yaml")
    shop.returns(**THEN)
    shop.run(RECORD)
    shop.returns(**NOW)
    return shop


def said_in(run: Run) -> list[str]:
    """The headline, the mean over all suites and the counts of a run."""
    return [
        *run.sentences("7 of 17 queries got worse"),
        *run.sentences("mean nDCG@10 over"),
        *run.sentences("3 changed a little"),
    ]


WAYS = [
    ["-v"],
    ["-n2"],
    ["-pno:xdist"],
    ["--relevance-markdown=only.md"],
    ["--relevance-html=only.html", "-n2"],
]


def test_every_way_to_run_says_the_same(shop: Shop) -> None:
    expected = said_in(shop.run(AGAINST))
    assert len(expected) == 3
    assert (expected[0], expected[2]) == (HEADLINE, REST)
    assert "; without unjudged results " in expected[1]
    for options in (*WAYS, [NEXT]):
        assert said_in(shop.run(AGAINST, *options)) == expected, options
    assert said_in(shop.run(AGAINST, "-q"))[-2:] == expected[-2:]


def json_of(command: Command, path: Path, *arguments: str) -> Any:
    found = command(*arguments, "--format=json", "--output", str(path))
    assert found.code == 0, found.err
    return json.loads(path.read_text(encoding="utf-8"))


def test_every_report_says_the_same(shop: Shop, command: Command) -> None:
    run = shop.run(
        AGAINST, NEXT, "--relevance-markdown=run.md", "--relevance-html=run.html"
    )
    headline, mean, rest = said_in(run)
    report = ["report", "next.jsonl", "--against", "main.jsonl"]
    compare = ["compare", "main.jsonl", "next.jsonl"]
    history = ["history", "main.jsonl", "next.jsonl"]
    page = (shop.path / "run.html").read_text(encoding="utf-8")
    texts = {
        "Markdown": (shop.path / "run.md").read_text(encoding="utf-8"),
        "the page": page_text(page),
        "report": command(*report).out,
        "compare": command(*compare).out,
    }
    for name, text in texts.items():
        said = one_line(text).replace("\N{RIGHTWARDS ARROW}", "->")
        assert headline in said, name
        assert rest in said, name
        figures = mean.partition(" over 2 suites")[2]
        if name == "the page":  # which has them in sentences
            before, after, _, *numbers = re.findall(r"\d\.\d{3}", figures)
            assert f"fell from {before} to {after}" in said
            assert len(numbers) >= 4
            assert [number for number in numbers if number not in said] == []
        else:
            assert figures in said, name
    file = shop.path / "out.json"
    of_run, of_pair = (
        json_of(command, file, *report),
        json_of(command, file, *compare),
    )
    assert of_run["counts"] == of_pair["counts"] == COUNTS
    assert of_run["mean"] == of_pair["mean"]
    # of the 17 queries, 4 have the ranking of before
    assert of_run["changed_rankings"] == of_pair["changed_rankings"] == 13
    assert "17 cases compared, 13 with another ranking" in command(*compare).out
    changed = [
        case["id"] for case in page_values(page)["cases"] if "hasOtherRanking" in case
    ]
    assert len(changed) == 13
    assert {"top", "overlaps"} < {*changed}
    words = [each["became"] for each in of_run["results"]]
    assert words.count("got worse") == COUNTS["got_worse"]
    sure = [each["is_certain"] for each in of_run["results"]]
    assert (sure.count(True), sure.count(False)) == (4, 3)
    (series,) = json_of(command, file, *history)["series"]
    assert series["judged"] == dict(
        zip(("before", "after"), of_run["mean"]["judged_alone"], strict=True)
    )
    assert series["counts"] == series["points"][1]["counts"] == COUNTS
    assert page_values(page)["counts"] == {
        "worse": 7,
        "certain": 4,
        "open": 3,
        "better": 2,
        "before": 1,
    }


TWO_MEANS = """
    gates: [{mean: {nDCG@10: 0.5}}]
    cases:
      - {query: kept, judgments: {a: 3}}
      - {query: unjudged}
      - {query: new, judgments: {a: 3}}
"""


def test_each_mean_says_over_which_cases_it_is(
    project: Project, command: Command
) -> None:
    """The gate counts the new case. The mean since the reference does not."""
    shop = Shop(project)
    shop.returns(kept="a b", unjudged="a b", new="b a")
    shop.cases(TWO_MEANS.rpartition("      - ")[0])
    shop.run(RECORD)
    shop.cases(TWO_MEANS)
    found = shop.reports(AGAINST)
    assert (
        "mean nDCG@10 0.815, at least 0.500 (2 of 3 cases, those with relevant judgments)"
        in found.run.said
    )
    since = "over 1 of 3 cases, those with a score before and now"
    assert found.all_say(since)
    assert since in command("report", "run.jsonl").out
    compared = command("compare", "main.jsonl", "run.jsonl").out
    assert "over 1 of 2 cases, those with a score before and now" in compared
    alone = shop.run()
    assert "mean nDCG@10 0.815 (2 of 3 cases, those with a score)" in alone.said


def test_a_record_without_a_reference_is_counted_alike(
    shop: Shop, command: Command
) -> None:
    shop.run(NEXT)
    file = shop.path / "out.json"
    for arguments in (
        ["report", "next.jsonl", "--against", "main.jsonl"],
        ["compare", "main.jsonl", "next.jsonl"],
    ):
        assert json_of(command, file, *arguments)["counts"] == COUNTS


OWN_METRIC = """
    def pytest_relevance_metrics():
        return {"opener": lambda grades, judged, k: float(bool(grades and grades[0]))}
"""
DEMANDING = """
    scale: [0, 3]
    expect: {Jaccard@2: 0.6}
    gates: [{mean: {overlap@2: 0.1}}]
    cases:
      - {query: jaccard}
      - {query: kept, judgments: {a: 3, b: 1}}
      - {query: rbo, expect: {RBO@2: 0.1, Jaccard@2: 0}}
      - {query: twin, expect: {same_as: kept, Jaccard@2: 0}}
      - {query: gone, judgments: {a: 3, b: 1}}
      - {query: doubt, judgments: {a: 3, b: 1}, min_judged: 0.9, expect: {Jaccard@2: 0}}
      - {query: moved, judgments: {a: 3, b: 1}, min_judged: 0.9, min_ndcg: 0.9}
      - {query: own, judgments: {a: 3, b: 1}, tolerance: 1, expect: {opener: 1, Jaccard@2: 0}}
"""
BEFORE = {
    "jaccard": "a b",
    "kept": "a b",
    "rbo": "a b",
    "twin": "a b",
    "gone": "a b",
    "doubt": "a x b",
    "moved": "a b",
    "own": "a b",
}
AFTER = {
    "jaccard": "a y",
    "rbo": "a y",
    "twin": "a y",
    "gone": "",
    "doubt": "x a b",
    "moved": "x a b",
    "own": "x a b",
}


def test_a_record_is_compared_as_its_run_whatever_that_was_compared_with(
    project: Project, command: Command
) -> None:
    shop = Shop(project)
    shop.conftest(SEARCH + OWN_METRIC)
    shop.cases(DEMANDING)
    shop.returns(**dict.fromkeys(BEFORE, "y z"))
    shop.run("--relevance-record=other.jsonl")
    shop.returns(**BEFORE)
    shop.run(RECORD)
    shop.returns(**AFTER)
    shop.run(AGAINST, "--relevance-record=live.jsonl")
    shop.run("--relevance-record=alone.jsonl")
    shop.run("--relevance-against=other.jsonl", "--relevance-record=elsewhere.jsonl")
    file = shop.path / "out.json"
    live = json_of(command, file, "report", "live.jsonl")
    assert {each["id"]: each["became"] for each in live["results"]} == {
        "jaccard": "changed",
        "kept": "the same",
        "rbo": "within the tolerance",
        "twin": "changed",
        "gone": "got worse",
        "doubt": "inconclusive",
        "moved": "got worse",
        "own": "got worse",
    }
    for record in ("live.jsonl", "alone.jsonl", "elsewhere.jsonl"):
        report = json_of(command, file, "report", record, "--against", "main.jsonl")
        of_pair = json_of(command, file, "compare", "main.jsonl", record)
        assert report["counts"] == of_pair["counts"] == live["counts"], record
        assert report["mean"] == of_pair["mean"] == live["mean"], record
        for told, expected in zip(report["results"], live["results"], strict=True):
            case = (record, expected["id"])
            assert told["became"] == expected["became"], case
            assert told["is_certain"] == expected["is_certain"], case
            told, expected = told["evaluation"], expected["evaluation"]
            for part in ("scores", "outcomes"):
                assert told.get(part) == expected.get(part), case
            if "reasons" in expected:
                assert told["reasons"] == expected["reasons"], case


JUDGMENTS = {
    "unjudged": "",
    "irrelevant": ", judgments: {a: 0}",
    "graded": ", judgments: {a: 3, b: 1}",
}
DEMANDS = {
    "measured": "",
    "floor": ", min_ndcg: 0.9",
    "first": ", expect: {first: a}",
    "overlap": ", expect: {overlap@2: 0.6}",
    "metric": ", expect: {P@1: 1}",
}
RANKINGS = {
    "same": ("a b", "a b"),
    "swapped": ("a b", "b a"),
    "risen": ("b a", "a b"),
    "other": ("a b", "a y"),
    "emptied": ("a b", ""),
    "found": ("", "a b"),
    "silent": ("", ""),
    "broken": ("a b", "boom"),
    "mended": ("boom", "a b"),
    "skipped": ("a b", "skip"),
}


def every_kind_of_case() -> dict[str, str]:
    """{id: a case} for what is known of a query, demanded of it, and found for it."""
    kinds = {}
    for (judged, judgments), (demand, demands), found in product(
        JUDGMENTS.items(), DEMANDS.items(), RANKINGS
    ):
        if judgments.endswith("b: 1}") or demand not in ("floor", "metric"):
            name = f"{judged} {demand} {found}"
            kinds[name] = f"{{query: {name}{judgments}{demands}}}"
    return kinds


def test_every_query_has_one_place_in_the_counts(
    project: Project, command: Command
) -> None:
    shop = Shop(project)
    kinds = every_kind_of_case()
    found = {name: RANKINGS[name.split()[2]] for name in kinds}
    lines = [f"  - {case}\n" for case in kinds.values()]
    shop.returns(**{name: before for name, (before, _) in found.items()})
    shop.cases("cases:\n" + "".join(lines[1:]))  # the first case is new
    shop.run(RECORD, "--relevance-give-up=0")
    shop.returns(**{name: now for name, (_, now) in found.items()})
    shop.cases("cases:\n" + "".join(lines))
    run = shop.run(
        AGAINST, NEXT, "--relevance-give-up=0", "--relevance-markdown=run.md"
    )
    file = shop.path / "out.json"
    live = json_of(command, file, "report", "next.jsonl")
    became = {each["id"]: each.get("became") for each in live["results"]}
    words = Counter(became.values())
    assert live["counts"] == {
        "got_worse": words["got worse"],
        "certain": 16,
        "open": words["got worse"] - 16,
        "lost_passage": 0,
        "inconclusive": words["inconclusive"],
        "changed": words["changed"],
        "got_better": words["got better"],
        "within_tolerance": words["changed a little"],
        "same": words["the same"],
        "without_score": words["without a score"],
    }
    new, *_ = kinds
    not_counted = {name for name, word in became.items() if word is None}
    assert not_counted == {
        new,
        *[name for name in kinds if name.endswith((" mended", " skipped"))],
    }
    report = json_of(command, file, "report", "next.jsonl", "--against", "main.jsonl")
    assert report["counts"] == live["counts"]
    assert report["changed_rankings"] == live["changed_rankings"]
    markdown = one_line((shop.path / "run.md").read_text(encoding="utf-8"))
    rest = f"{words['the same']} the same, {words['without a score']} without a score"
    assert rest in one_line(run.summary)
    assert rest in markdown

    # errors of the second run are lost: `compare` and `history` name them apart
    errors = sum(name.endswith(" broken") for name in kinds)
    of_pair = {**live["counts"], "without_score": words["without a score"] - errors}
    compare = ["compare", "main.jsonl", "next.jsonl", "--common"]
    said = one_line(command(*compare).out)
    assert f"{of_pair['same']} the same, {of_pair['without_score']} without" in said
    command(*compare, "--format=json", f"--output={file}")
    compared = json.loads(file.read_text(encoding="utf-8"))
    assert compared["counts"] == of_pair
    assert compared["changed_rankings"] == live["changed_rankings"]
    history = ["history", "main.jsonl", "next.jsonl"]
    (series,) = json_of(command, file, *history)["series"]
    assert series["counts"] == series["points"][1]["counts"] == of_pair


def test_a_query_that_lost_its_judgments_is_without_a_score(
    project: Project, command: Command
) -> None:
    shop = Shop(project)
    shop.returns(q="a")
    shop.cases("cases: [{query: q, judgments: {a: 3}, expect: {first: a}}]")
    shop.run(RECORD)
    shop.cases("cases: [{query: q, expect: {first: a}}]")
    shop.run(AGAINST, NEXT)
    file = shop.path / "out.json"
    for arguments in ([], ["--against", "main.jsonl"]):
        report = json_of(command, file, "report", "next.jsonl", *arguments)
        (result,) = report["results"]
        assert result["became"] == "without a score"
        assert result["baseline"]["lost"] == ["nDCG@10"]


def test_a_ranking_without_judgments_and_expectations_is_without_a_score(
    project: Project, command: Command
) -> None:
    shop = Shop(project)
    shop.cases("cases: [{query: q}]")
    shop.returns(q="a b")
    shop.run(RECORD)
    shop.returns(q="a y")
    shop.run(AGAINST, NEXT)
    file = shop.path / "out.json"
    expected = {**dict.fromkeys(COUNTS, 0), "without_score": 1}
    for arguments in (
        ["report", "next.jsonl"],
        ["report", "next.jsonl", "--against", "main.jsonl"],
        ["compare", "main.jsonl", "next.jsonl"],
    ):
        assert json_of(command, file, *arguments)["counts"] == expected
    (series,) = json_of(command, file, "history", "main.jsonl", "next.jsonl")["series"]
    assert series["counts"] == expected
    said = command("history", "main.jsonl", "next.jsonl").out
    assert "2 runs: no mean can be compared with that of the last" in one_line(said)
