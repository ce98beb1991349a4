"""What the test itself changed since its reference: what is kept, told and accepted,
and what fails where all of the reference is required.
"""

import json
from typing import Any

import pytest

from tests.plugin.conftest import Project
from tests.plugin.shop import (
    AGAINST,
    BASELINE,
    BOTH,
    ONLY_NEW,
    ONLY_TEST,
    RECORD,
    REQUIRE,
    SEARCH,
    UPDATE,
    WORKERS,
    Shop,
)

CASES = """
    k: 3
    min_ndcg: 0.5
    expect: {P@3: 0.3}
    gates: [{mean: {nDCG@3: 0.6}}, {passing: 1}]
    cases:
      - {query: boots, judgments: {b1: 3, b2: 1}, expect: {include: b1}}
      - {query: hats, judgments: {h1: 3, h2: 1}, min_ndcg: 0.7, weight: 3}
      - {query: socks, judgments: {s1: 3}, tags: [tail]}
"""


@pytest.fixture
def shop(project: Project) -> Shop:
    """Three cases with what they demand, of which all is accepted."""
    shop = Shop(project)
    shop.cases(CASES)
    shop.returns(boots="b1 b2 b3", hats="h1 h2", socks="s1 x y")
    assert shop.run(UPDATE, RECORD).code == 0
    return shop


def header(shop: Shop) -> dict[str, Any]:
    """What the baseline has of the file."""
    values: dict[str, Any] = json.loads(shop.baseline.read_text().splitlines()[0])
    return values


def own(shop: Shop) -> dict[str, Any]:
    """What the baseline has of its cases beyond the demands of the suite."""
    found = {}
    for line in map(json.loads, shop.baseline.read_text().splitlines()):
        if "id" in line and "demands" in line:
            found[line["id"]] = line["demands"]
    return found


def rankings(shop: Shop) -> dict[str, list[str]]:
    """The accepted rankings."""
    found = {}
    for line in map(json.loads, shop.baseline.read_text().splitlines()):
        if "id" in line:
            found[line["id"]] = line["documents"]
    return found


# --- what is kept ---------------------------------------------------------------------


def test_a_baseline_has_the_demands_of_the_file_once(shop: Shop) -> None:
    demands = header(shop)["demands"]
    assert demands["suite"] == {
        "k": 3,
        "min_ndcg": 0.5,
        "expect": [{"kind": "metric", "name": "P@3", "metric": True, "bound": 0.3}],
    }
    assert [gate["id"] for gate in demands["gates"]] == [
        "mean nDCG@3 0.6",
        "passing 1",
    ]
    assert own(shop) == {
        "boots": {"expect": [{"kind": "include", "documents": ["b1"]}]},
        "hats": {"min_ndcg": 0.7},
    }


def test_another_floor_of_the_suite_is_one_line_of_the_diff(shop: Shop) -> None:
    before = shop.baseline.read_text().splitlines()
    shop.cases(CASES.replace("min_ndcg: 0.5", "min_ndcg: 0.55"))
    shop.run(UPDATE)
    after = shop.baseline.read_text().splitlines()
    assert before[1:] == after[1:]
    assert before[0] != after[0]


def test_a_record_has_the_demands_of_its_files(shop: Shop) -> None:
    values = json.loads((shop.path / "main.jsonl").read_text().splitlines()[0])
    about = values["files"]["shop.relevance.yaml"]
    assert about["demands"]["min_ndcg"] == 0.5
    assert about["own_demands"] == [
        ["boots", None, {"expect": [{"kind": "include", "documents": ["b1"]}]}],
        ["hats", None, {"min_ndcg": 0.7}],
    ]


# --- what is accepted -----------------------------------------------------------------


LOOSE = """
    k: 3
    min_ndcg: 0.1
    gates: [{passing: 1}]
    cases:
      - {query: boots, judgments: {b1: 3, b2: 1}, skip: flaky}
      - {query: hats, judgments: {h1: 3, h2: 3}, xfail: later}
"""


def test_an_update_of_the_test_accepts_no_ranking(shop: Shop) -> None:
    before = rankings(shop)
    shop.cases(LOOSE)
    shop.returns(hats="h9 h1 h2")
    run = shop.run(ONLY_TEST)
    assert run.sentences("baseline ") == [
        f"baseline {BASELINE}: the test of 2 cases accepted, the demands of the file "
        "accepted, 1 gone; no ranking changed"
    ]
    assert rankings(shop) == {name: before[name] for name in ("boots", "hats")}
    assert header(shop)["demands"]["suite"] == {"k": 3, "min_ndcg": 0.1}
    assert header(shop)["without_ranking"] == [["boots", None, "skip"]]
    assert own(shop) == {"boots": {"skip": "flaky"}, "hats": {"xfail": "later"}}
    unchanged = f"baseline {BASELINE}: the test is as it was; no ranking changed"
    assert shop.run(ONLY_TEST).sentences("baseline ") == [unchanged]


def test_an_update_of_a_part_accepts_only_what_ran(shop: Shop) -> None:
    before = header(shop)
    shop.cases(LOOSE)
    shop.run(ONLY_TEST, "-k", "hats")
    assert header(shop) == before
    assert own(shop)["hats"]["xfail"] == "later"
    assert "skip" not in own(shop)["boots"]
    assert {*rankings(shop)} == {"boots", "hats", "socks"}


def test_an_update_of_new_cases_leaves_the_demands_of_the_others(shop: Shop) -> None:
    before = header(shop), own(shop)
    shop.cases(LOOSE + "      - {query: caps, judgments: {c1: 3}, min_ndcg: 0.2}\n")
    shop.returns(caps="c1")
    shop.run(ONLY_NEW)
    new = own(shop).pop("caps")
    assert (header(shop), {**own(shop), "caps": new}) == (
        before[0],
        {**before[1], "caps": new},
    )
    assert new == {"min_ndcg": 0.2, "without": ["P@3"]}


def test_an_update_of_all_accepts_both(shop: Shop) -> None:
    shop.cases(LOOSE)
    shop.returns(hats="h2 h1")
    shop.run(UPDATE)
    assert rankings(shop) == {"boots": ["b1", "b2", "b3"], "hats": ["h2", "h1"]}
    assert own(shop) == {"boots": {"skip": "flaky"}, "hats": {"xfail": "later"}}


# --- what is told ---------------------------------------------------------------------

LOOSER: dict[str, tuple[str, str, str]] = {
    "floor": ("min_ndcg: 0.5", "min_ndcg: 0.1", "floor 0.5 -> 0.1 in 2 cases"),
    "no floor": ("min_ndcg: 0.7, ", "min_ndcg: null, ", "floor 0.7 -> none in 1 case"),
    "tolerance": ("k: 3", "k: 3\n    tolerance: 1", "tolerance 0.05 -> 1 in 3 cases"),
    "k": ("k: 3", "k: 4", "k 3 -> 4 in 3 cases"),
    "skip": ("tags: [tail]", "skip: flaky", "skip: flaky in 1 case"),
    "xfail": ("tags: [tail]", "tags: [tail], xfail: later", "xfail: later in 1 case"),
    "tags": ("tags: [tail]", "tags: [rare]", "tags tail -> rare in 1 case"),
    "weight": ("weight: 3", "weight: 1", "weight 3 -> 1 in 1 case"),
    "metric": ("P@3: 0.3", "P@3: 0.1", "P@3 >= 0.3 -> P@3 >= 0.1 in 3 cases"),
    "expectation": (", expect: {include: b1}", "", 'include "b1" is gone in 1 case'),
    "judgments": ("{s1: 3}", "{s1: 3, x: 2}", 'judgments in 1 case ("socks")'),
    "gate": (", {passing: 1}", "", "a gate is gone: passing 1"),
    "bound": ("nDCG@3: 0.6", "nDCG@3: 0.2",
              "a gate is looser: mean nDCG@3 0.6 -> mean nDCG@3 0.2"),
    "setting": ("k: 3", "k: 3\n    unjudged: skip", "unjudged none -> skip in 3 cases"),
    "fixture": ("k: 3", "k: 3\n    search: other", "search none -> other in 3 cases"),
}  # fmt: skip
OTHER_SEARCH = (
    SEARCH
    + """
    @pytest.fixture
    def other(search):
        return search
"""
)


@pytest.mark.parametrize("name", LOOSER)
def test_a_looser_test_fails_until_it_is_accepted(shop: Shop, name: str) -> None:
    written, instead, told = LOOSER[name]
    assert written in CASES
    shop.conftest(OTHER_SEARCH)
    shop.cases(CASES.replace(written, instead))
    run = shop.run(REQUIRE)
    assert run.code == 1
    assert f"the test changed: {told}" in run.said
    looser = f"the test of shop.relevance.yaml is looser than {BASELINE} has it: "
    assert looser + told.removesuffix(")") in run.said
    assert "--relevance-update=test accepts what the test demands now" in run.said

    before = rankings(shop)
    shop.run(ONLY_TEST)
    assert rankings(shop) == before
    accepted = shop.run(REQUIRE)
    assert looser not in accepted.said
    assert "the test changed" not in accepted.said


MANY = """
    k: 3
    min_ndcg: 0
    tolerance: 1
    gates: [{mean: {nDCG@3: 0.1}}]
    cases:
      - {query: boots, judgments: {b1: 3, b2: 1}}
      - {query: hats, judgments: {h1: 3, h2: 1}, weight: 3, skip: flaky}
"""


@BOTH
def test_the_sentence_names_a_looser_test_and_is_not_good(
    shop: Shop, against: list[str]
) -> None:
    shop.cases(MANY)
    shop.returns(boots="b3 b2 b1")
    run = shop.run("--relevance-markdown=run.md", "--relevance-html=run.html", *against)
    assert run.code == 0
    sentence = (
        "No query got worse; the test changed: 1 case is gone, 2 gates are looser, "
        "1 case is skipped, and more"
    )
    assert sentence in run.said
    heading = (shop.path / "run.md").read_text().splitlines()[1]
    assert heading.startswith("### \u26a0\ufe0f No query got worse; the test changed: ")
    assert sentence in page_text((shop.path / "run.html").read_text())
    for told in (
        '1 case is gone ("socks")',
        "a gate is looser: mean nDCG@3 0.6 -> mean nDCG@3 0.1",
        "a gate is gone: passing 1",
        'skip: flaky in 1 case ("hats")',
    ):
        assert f"the test changed: {told}" in run.said
        assert f"the test changed: {told}" in (shop.path / "run.md").read_text()
    assert "not compared" not in run.said  # told once


def test_a_record_is_told_and_does_not_fail(shop: Shop) -> None:
    shop.cases(CASES.replace("min_ndcg: 0.5", "min_ndcg: 0.1"))
    run = shop.run(REQUIRE, AGAINST)
    assert run.code == 0
    assert "the test changed: floor 0.5 -> 0.1 in 2 cases" in run.said


def test_a_record_says_later_what_the_test_changed(shop: Shop) -> None:
    shop.cases(MANY)
    shop.run("--relevance-record=pr.jsonl", AGAINST)
    report = shop.command("report", "pr.jsonl")
    assert "the test changed: 1 case is gone" in report.said
    data = json.loads(shop.command("report", "pr.jsonl", "--format", "json").text)
    changes = data["files"]["shop.relevance.yaml"]["test_changes"]
    assert {
        "key": "tolerance",
        "before": 0.05,
        "now": 1,
        "cases": ["boots", "hats"],
    } in changes


def test_a_stricter_test_passes_and_is_counted(shop: Shop) -> None:
    stricter = CASES.replace("min_ndcg: 0.5", "min_ndcg: 0.6").replace(
        "passing: 1}", "passing: 1}, {mean: {P@3: 0.1}}"
    )
    shop.cases(stricter)
    run = shop.run(REQUIRE)
    assert run.code == 0
    assert "the test changed: 3 stricter changes: floor and gate" in run.said
    assert "looser" not in run.said


def test_another_place_of_the_same_demand_is_no_change(shop: Shop) -> None:
    shop.cases("""
        k: 3
        expect: {P@3: ">= 0.3"}
        gates: [{passing: 1}, {mean: {nDCG@3: 0.6}, id: mean}]
        cases:
          - {query: socks, judgments: {s1: 3}, tags: [tail], min_ndcg: 0.5}
          - {query: hats, judgments: {h2: 1, h1: 3}, min_ndcg: 0.7, weight: 3.0}
          - {query: boots, judgments: {b1: 3, b2: 1}, expect: {include: [b1]}, min_ndcg: 0.5}
    """)
    run = shop.run(REQUIRE)
    assert run.code == 0
    assert "the test changed" not in run.said
