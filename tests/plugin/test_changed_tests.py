"""What the test itself changed since its reference: what is kept, told and accepted,
and what fails where all of the reference is required.
"""

import json
from typing import Any

import pytest

from tests.helpers import page_text
from tests.plugin.conftest import Command, Project
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
    assert run.sentences("accepted: ") == [
        'accepted: 1 case is gone ("socks")',
        "accepted: a gate is gone: mean nDCG@3 0.6",
        'accepted: skip: flaky in 1 case ("boots")',
        'accepted: xfail: later in 1 case ("hats")',
        'accepted: floor 0.5 -> 0.1 in 1 case ("boots")',
        'accepted: floor 0.7 -> 0.1 in 1 case ("hats")',
        'accepted: P@3 >= 0.3 is gone in 2 cases ("boots" and "hats")',
        'accepted: include "b1" is gone in 1 case ("boots")',
        'accepted: judgments in 1 case ("hats")',
        'accepted: weight 3 -> 1 in 1 case ("hats")',
    ]
    assert rankings(shop) == {name: before[name] for name in ("boots", "hats")}
    assert header(shop)["demands"]["suite"] == {"k": 3, "min_ndcg": 0.1}
    assert header(shop)["without_ranking"] == [["boots", None, "skip"]]
    assert own(shop) == {"boots": {"skip": "flaky"}, "hats": {"xfail": "later"}}
    unchanged = f"baseline {BASELINE}: the test is as it was; no ranking changed"
    assert shop.run(ONLY_TEST).sentences("baseline ") == [unchanged]


def test_an_update_of_the_test_accepts_the_judgments_of_a_skipped_case(
    shop: Shop,
) -> None:
    skipped = "judgments: {s1: 3, x: 2}, skip: flaky"
    shop.cases(CASES.replace("judgments: {s1: 3}", skipped))
    shop.run(ONLY_TEST)
    assert shop.run(REQUIRE).sentences("the test changed") == []


def test_an_update_of_a_part_accepts_only_what_ran(shop: Shop) -> None:
    before = header(shop)
    shop.cases(LOOSE)
    run = shop.run(ONLY_TEST, "-k", "hats")
    assert len(run.sentences("accepted: ")) == 5
    assert "boots" not in str(run.sentences("accepted: "))
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
    "setting": ("k: 3", "k: 3\n    unjudged: skip", "unjudged zero -> skip in 3 cases"),
    "fixture": ("k: 3", "k: 3\n    search: other", "search search -> other in 3 cases"),
    "k": ("k: 3", "k: 4", "k 3 -> 4 in 3 cases"),
}  # fmt: skip
OTHER_SEARCH = (
    SEARCH
    + """
    @pytest.fixture
    def other(search):
        return search
"""
)


def test_what_is_looser_is_named_and_fails(shop: Shop) -> None:
    """Each change is in a file of its own."""
    shop.conftest(OTHER_SEARCH)
    for name in LOOSER:
        shop.cases(CASES, f"{name}.relevance.yaml")
    shop.run(UPDATE)
    for name, (written, instead, _) in LOOSER.items():
        shop.cases(CASES.replace(written, instead), f"{name}.relevance.yaml")
    run = shop.run(REQUIRE, "-v")
    assert run.code == 1
    for name, (_, _, told) in LOOSER.items():
        assert f"the test changed: {told}" in run.said
        looser = f"the test of {name}.relevance.yaml is looser than its baseline has it"
        assert looser in run.said


def test_a_looser_test_fails_until_it_is_accepted(shop: Shop) -> None:
    looser = CASES
    for name in ("floor", "tolerance", "tags", "weight", "metric", "judgments", "gate"):
        written, instead, _ = LOOSER[name]
        looser = looser.replace(written, instead)
    shop.cases(looser)
    run = shop.run(REQUIRE)
    why = "the test of shop.relevance.yaml is looser than its baseline has it, and "
    assert why in run.said
    undo = "undo shop.relevance.yaml # what the test changed"
    accept = "accept pytest --relevance-update=test # what the test demands now"
    assert f"{undo} {accept}, if it is intended" in run.said
    last = run.summary.rstrip().splitlines()[-1]
    assert last.endswith("the test is looser than accepted")

    before = rankings(shop)
    shop.run(ONLY_TEST)
    assert rankings(shop) == before
    accepted = shop.run(REQUIRE).said
    assert why not in accepted
    assert "the test changed" not in accepted


def test_new_judgments_alone_are_accepted_and_not_undone(shop: Shop) -> None:
    shop.cases(CASES.replace("{s1: 3}", "{s1: 3, x: 2}"))
    said = shop.run(REQUIRE).said
    assert "accept pytest --relevance-update=test # the new judgments" in said
    assert "a diff of the judgments shows which grades changed" in said
    assert "undo shop.relevance.yaml" not in said


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


def test_a_record_says_later_what_the_test_changed(
    shop: Shop, command: Command
) -> None:
    shop.cases(MANY)
    shop.run("--relevance-record=pr.jsonl", AGAINST)
    assert "the test changed: 1 case is gone" in command("report", "pr.jsonl").out
    data = json.loads(command("report", "pr.jsonl", "--format", "json").out)
    changes = data["files"]["shop.relevance.yaml"]["test_changes"]
    assert {
        "key": "tolerance",
        "before": 0.05,
        "now": 1,
        "cases": ["boots", "hats"],
    } in changes


@pytest.mark.parametrize("outcome", ["boom", "skip"])
def test_a_case_that_was_not_scored_has_the_same_judgments_in_a_later_report(
    shop: Shop, command: Command, outcome: str
) -> None:
    shop.returns(boots=outcome)
    shop.run("--relevance-record=pr.jsonl")
    report = command("report", "pr.jsonl", "--against", "main.jsonl").out
    assert "the test changed" not in report


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


STRICT_XFAIL = (
    "strict=true" if int(pytest.__version__.split(".")[0]) >= 9 else "xfail_strict=true"
)
MARKING = (
    SEARCH
    + """
    def pytest_collection_modifyitems(items):
        for item in items:
            if item.name == "socks":
                item.add_marker(pytest.mark.MARK(reason="flaky"))
"""
)


@pytest.mark.parametrize(
    ("mark", "workers"), [("skip", []), ("xfail", ["-n1"])], ids=["skip", "xfail-xdist"]
)
def test_marks_of_a_hook_count(shop: Shop, mark: str, workers: list[str]) -> None:
    shop.conftest(MARKING.replace("MARK", mark))
    run = shop.run(REQUIRE, *workers)
    assert run.code == 1
    assert f'the test changed: {mark}: flaky in 1 case ("socks")' in run.said


FIXTURE_MARKING = (
    SEARCH
    + """
    @pytest.fixture(autouse=True)
    def expect_failures(request):
        if request.node.name == "socks":
            request.applymarker(pytest.mark.xfail(reason="flaky"))
"""
)


def test_an_xfail_of_a_fixture_is_looser_until_it_is_accepted(
    shop: Shop, command: Command
) -> None:
    shop.conftest(FIXTURE_MARKING)
    shop.returns(socks="x y z")  # a drop
    told = 'the test changed: xfail: flaky in 1 case ("socks")'
    for workers in ([], ["-n1"]):
        run = shop.run(REQUIRE, *workers)
        assert run.code == 1
        assert told in run.said
    assert told in shop.run(AGAINST, "--relevance-record=pr.jsonl").said
    assert told in command("report", "pr.jsonl").out
    assert told in command("report", "pr.jsonl", "--against", "main.jsonl").out

    shop.run(ONLY_TEST, "-n1")
    assert own(shop)["socks"] == {"xfail": "flaky"}
    accepted = shop.run(REQUIRE)
    assert "the test changed" not in accepted.said
    assert "looser" not in accepted.said
    shop.conftest(SEARCH)
    shop.returns(socks="s1 x y")
    assert "1 stricter change: xfail" in shop.run(REQUIRE).said


def test_an_xfail_of_a_fixture_is_merged(shop: Shop, command: Command) -> None:
    shop.conftest(FIXTURE_MARKING)
    for name in ("boots", "hats", "socks"):
        shop.run(REQUIRE, f"--relevance-record={name}.jsonl", "-k", name)
    records = [f"{name}.jsonl" for name in ("boots", "hats", "socks")]
    merged = command("merge", *records, "-o", "all.jsonl")
    assert merged.code == 1
    assert 'the test changed: xfail: flaky in 1 case ("socks")' in merged.out


MORE_MARKED = {
    "boots": ("xfail('os.name == \"x\"')", "xfail", 'xfail if os.name == "x" -> none'),
    "hats": ("xfail(raises=KeyError)", "xfail", "xfail raises KeyError -> any"),
    "socks": ("skipif('os.name == \"x\"')", "skip", 'skip if os.name == "x" -> none'),
    "caps": ("xfail", "xfail(run=False)", "xfail run true -> false"),
}  # fmt: skip


def test_a_mark_that_counts_for_more_is_told(shop: Shop) -> None:
    shop.cases(CASES + "      - {query: caps, judgments: {c1: 3}}\n")
    shop.returns(caps="x")
    for place, options in enumerate(([UPDATE], [REQUIRE, "-v"])):
        marks = {name: row[place] for name, row in MORE_MARKED.items()}
        listed = ", ".join(f"{name!r}: pytest.mark.{marks[name]}" for name in marks)
        added = f"item.add_marker({{{listed}}}[item.name])"
        hook = "def pytest_collection_modifyitems(items):"
        shop.conftest(
            f"{SEARCH}\n    {hook}\n        for item in items:\n            {added}\n"
        )
        run = shop.run(*options)
    assert run.code == 1
    for name, (_, _, told) in MORE_MARKED.items():
        assert f'the test changed: {told} in 1 case ("{name}")' in run.said


def test_a_strict_xfail_of_the_settings_counts(shop: Shop) -> None:
    shop.conftest(MARKING.replace("MARK", "xfail"))
    shop.returns(socks="x")
    strict = "-o", STRICT_XFAIL
    shop.run(UPDATE, *strict)
    assert "the test changed" not in shop.run(*strict).said
    run = shop.run(REQUIRE)
    assert run.code == 1
    assert "the test changed: strict xfail true -> false in 1 case" in run.said


def test_a_case_that_moved_is_not_looser(shop: Shop) -> None:
    shop.cases(CASES.replace("query: boots", "query: boots, id: shoes"))
    run = shop.run(REQUIRE)
    assert run.code == 0
    assert "the test changed" not in run.said
    assert '"boots" is now "shoes"' in run.said
    shop.run(ONLY_TEST)
    assert {*rankings(shop)} == {"shoes", "hats", "socks"}
    assert own(shop)["shoes"] == {"expect": [{"kind": "include", "documents": ["b1"]}]}


def test_a_moved_case_is_compared_with_what_was_demanded_of_it(shop: Shop) -> None:
    shop.cases(
        CASES.replace("query: hats", "query: hats, id: caps").replace("0.7, ", "0.6, ")
    )
    run = shop.run(REQUIRE)
    assert run.code == 1
    assert 'the test changed: floor 0.7 -> 0.6 in 1 case ("caps")' in run.said


@BOTH
def test_gates_of_a_file_whose_cases_all_moved_are_looked_for_where_these_are_now(
    shop: Shop, against: list[str]
) -> None:
    (shop.path / "shop.relevance.yaml").unlink()
    shop.cases(CASES, "store.relevance.yaml")
    assert "the test changed" not in shop.run(*against).said
    shop.cases(CASES.replace(", {passing: 1}", ""), "store.relevance.yaml")
    run = shop.run(*against)
    assert "the test changed: a gate is gone: passing 1" in run.said


STORE = """
    k: 3
    min_ndcg: 0.5
    expect: {P@3: 0.3}
    gates: [{mean: {nDCG@3: 0.6}}]
    cases:
      - {query: caps, judgments: {c1: 3}}
"""


@BOTH
def test_a_case_that_moved_away_from_a_gate_is_looser(
    shop: Shop, against: list[str]
) -> None:
    shop.cases(STORE, "store.relevance.yaml")
    shop.returns(caps="c1 x y")
    shop.run(UPDATE, RECORD)
    (hats,) = [line for line in CASES.splitlines(keepends=True) if "hats" in line]
    shop.cases(CASES.replace(hats, ""))
    gated = STORE.replace("}]", "}, {passing: 1}]")
    shop.cases(gated.rstrip() + "\n" + hats, "store.relevance.yaml")
    assert "looser" not in shop.run(*against).said

    shop.cases(STORE.rstrip() + "\n" + hats, "store.relevance.yaml")
    run = shop.run(REQUIRE, *against)
    told = 'the test changed: no gate as strict as passing 1 in 1 case ("hats")'
    assert told in run.said
    assert "No query got worse; the test changed: 1 case is looser" in run.said
    assert run.code == (0 if against else 1)
    if not against:
        shop.run(ONLY_TEST)
        accepted = shop.run(REQUIRE)
        assert (accepted.code, "the test changed" in accepted.said) == (0, False)


def test_a_selection_fails_for_the_cases_that_ran(shop: Shop) -> None:
    shop.cases(
        CASES.replace("min_ndcg: 0.7", "min_ndcg: 0.1").replace(", {passing: 1}", "")
    )
    assert shop.run(REQUIRE, "-k", "boots").code == 0
    run = shop.run(REQUIRE, "-k", "hats")
    assert run.code == 1
    assert "is looser than its baseline has it" in run.said


def test_a_baseline_of_an_earlier_version_is_to_be_updated(shop: Shop) -> None:
    first, *lines = shop.baseline.read_text().splitlines()
    values = json.loads(first)
    del values["demands"]
    old = [{**json.loads(line)} for line in lines]
    for line in old:
        line.pop("demands", None)
    shop.baseline.write_text(
        "".join(json.dumps(each) + "\n" for each in (values, *old))
    )

    assert shop.run().code == 0
    run = shop.run(REQUIRE)
    assert run.code == 1
    unknown = (
        f"{BASELINE} does not say what the test demanded, because an earlier version "
        "of pytest-relevance made it"
    )
    assert unknown in run.said
    assert "run --relevance-update=test once" in run.said
    shop.run(ONLY_TEST)
    assert shop.run(REQUIRE).code == 0


def test_a_record_of_an_earlier_version_says_what_is_not_known(shop: Shop) -> None:
    record = shop.path / "main.jsonl"
    first, *lines = record.read_text().splitlines(keepends=True)
    values = json.loads(first)
    del values["files"]["shop.relevance.yaml"]["demands"]
    record.write_text("".join([json.dumps(values) + "\n", *lines]))
    shop.cases(CASES.replace("weight: 3", "weight: 1"))
    run = shop.run(AGAINST)
    assert "main.jsonl does not say what the test demanded" in run.said
    assert "the test changed: weight 3 -> 1 in 1 case" in run.said  # results have it


def test_a_merge_looks_at_the_test_again(shop: Shop, command: Command) -> None:
    shop.cases(CASES.replace("min_ndcg: 0.7", "min_ndcg: 0.1"))
    for name in ("boots", "hats", "socks"):
        shop.run(REQUIRE, f"--relevance-record={name}.jsonl", "-k", name)
    records = [f"{name}.jsonl" for name in ("boots", "hats", "socks")]
    merged = command("merge", *records, "-o", "all.jsonl")
    assert merged.code == 1
    assert 'the test changed: floor 0.7 -> 0.1 in 1 case ("hats")' in merged.out


def test_cases_in_variants_count_once(shop: Shop) -> None:
    shop.conftest(
        SEARCH.replace("@pytest.fixture", '@pytest.fixture(params=["and", "or"])')
    )
    shop.run(UPDATE)
    shop.cases(CASES.replace("min_ndcg: 0.7", "min_ndcg: 0.1"))
    assert 'floor 0.7 -> 0.1 in 1 case ("hats")' in shop.run().said


def test_compare_says_what_the_test_of_the_second_run_changed(
    shop: Shop, command: Command
) -> None:
    shop.cases(CASES.replace("k: 3", "k: 3\n    tolerance: 1").replace("0.5", "0"))
    shop.returns(hats="h2 h1")
    shop.run("--relevance-record=pr.jsonl")
    compared = command("compare", "main.jsonl", "pr.jsonl")
    sentence = "No query got worse; the test changed: 3 cases are looser"
    assert sentence in compared.out
    assert "the test changed: tolerance 0.05 -> 1 in 3 cases" in compared.out
    data = json.loads(command("compare", "main.jsonl", "pr.jsonl", "--format=json").out)
    assert [change["key"] for change in data["test_changes"]] == [
        "min_ndcg",
        "tolerance",
    ]
    again = command("compare", "main.jsonl", "main.jsonl").out
    assert "the test changed" not in again


def test_compare_says_that_weights_and_tags_changed(
    shop: Shop, command: Command
) -> None:
    first = CASES.replace("query: boots,", "query: boots, weight: 3, tags: [head],")
    shop.cases(first)
    shop.run("--relevance-record=main.jsonl")
    shop.cases(CASES)
    shop.run("--relevance-record=pr.jsonl")
    compared = command("compare", "main.jsonl", "pr.jsonl", "--format=json")
    keys = [change["key"] for change in json.loads(compared.out)["test_changes"]]
    assert keys == ["weight", "tags"]
