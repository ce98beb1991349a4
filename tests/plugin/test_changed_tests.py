"""What the test itself changed since its reference: what is kept, told and accepted,
and what fails where all of the reference is required.
"""

import json
from typing import Any

import pytest

from tests.plugin.conftest import Project
from tests.plugin.shop import (
    BASELINE,
    ONLY_NEW,
    ONLY_TEST,
    RECORD,
    UPDATE,
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
