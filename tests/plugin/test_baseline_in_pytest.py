"""The baseline in a run: what it fails, what is accepted into it and when, and that
nothing else ever writes it.

What an entry holds, when it is stale and what an update keeps is in `tests/results`;
how reports show it is in `tests/reports`.
"""

import json

import pytest

from tests.plugin.conftest import Project
from tests.plugin.shop import (
    BASELINE,
    ONLY_NEW,
    ONLY_TEST,
    REQUIRE,
    SEARCH,
    UPDATE,
    Shop,
)


@pytest.fixture
def shop(project: Project) -> Shop:
    """A baseline of four cases: with a floor, without one, expected to fail, without
    judgments.
    """
    shop = Shop(project)
    shop.cases("""
        cases:
          - {query: boots, judgments: {b1: 3, b2: 1, b3: 0}, min_ndcg: 0.6}
          - {query: hats, judgments: {h1: 3, h2: 1}}
          - {query: socks, judgments: {s1: 3}, min_ndcg: 0.9, xfail: no socks yet}
          - {query: anything}
    """)
    shop.returns(boots="b1 b2 b3", hats="h1 h2", socks="x y", anything="p q")
    shop.run(UPDATE)
    return shop


ACCEPTED = [
    {"id": "007", "query": "boots", "depth": 2, "documents": ["x", "y"], "scores": {"nDCG@2": 0.0},
     "digest": "227a1cc5353dd3ce", "missed": True, "demands": {"k": 2, "min_ndcg": 0.9}},
    {"id": "hats", "depth": 10, "documents": ["h2", "h1"], "scores": {"nDCG@10": 0.70981}, "digest": "24c49dcc8b98a9d3"},
    {"document": "h1", "title": "Title of h1"},
    {"document": "h2", "title": "Title of h2"},
    {"document": "x", "title": "Title of x"},
    {"document": "y", "title": "Title of y"},
    {"end": True},
]  # fmt: skip
"""The lines of a baseline below its header."""


def test_an_update_names_what_got_worse_and_is_accepted(shop: Shop) -> None:
    shop.returns(boots="b2 b1 b3", hats="h2 h1")
    assert shop.run(UPDATE).sentences("accepted: ") == [
        'accepted: 2 queries got worse: "boots" 1.000 -> 0.710 and "hats" 1.000 -> 0.710'
    ]


def test_an_update_accepts_what_ran_and_no_other_run_writes(project: Project) -> None:
    shop = Shop(project)
    shop.cases("""
        cases:
          - {query: hats, judgments: {h1: 3, h2: 1}, params: {}}
          - {query: boots, id: "007", k: 2, judgments: {b1: 3}, min_ndcg: 0.9}
    """)
    shop.returns(hats="h2 h1", boots="x y z")
    assert "baseline" not in shop.run().text
    assert not shop.baseline.exists()

    run = shop.run(UPDATE, ".")  # a folder behind the option is a folder
    assert run.counts == {"passed": 1, "failed": 1}  # the floor decides as ever
    assert run.sentences("baseline ") == [f"baseline {BASELINE}: 2 added"]
    _, *lines = map(json.loads, shop.baseline.read_text().splitlines())
    assert lines == ACCEPTED

    there = shop.baseline.stat()
    unchanged = [f"baseline {BASELINE}: nothing changed"]
    assert shop.run(UPDATE).sentences("baseline ") == unchanged
    shop.returns(hats="h1 h2", boots="b1")
    run = shop.run()
    assert run.counts == {"passed": 2}
    better = "accept   pytest --relevance-update  # 2 got better"
    assert better in run.summary.splitlines()
    assert shop.baseline.stat().st_mtime_ns == there.st_mtime_ns


def test_a_regression_fails_and_is_reported(shop: Shop) -> None:
    shop.returns(boots="x1 x2 b3 b2", hats="h2 h1")
    run = shop.run("--junitxml=junit.xml")
    assert run.outcomes == {
        "boots": "failed",
        "hats": "failed",
        "socks": "xfailed",
        "anything": "passed",
    }
    assert "is below 0.600   (reference 1.000, down 0.944)" in run.failure("boots")
    assert "  b1  Title of b1   grade 3    1 -> not returned   -0.917" in run.failure(
        "boots"
    )
    drop = "nDCG@10 fell from 1.000 to 0.710, by more than the tolerance"
    assert drop in run.failure("hats")
    failure = shop.junit_cases["hats"].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "1.000 -> 0.710, tolerance 0.05"
    assert shop.properties("hats")["baseline"] == "1.0"
    assert "1.000 -> 0.710, tolerance 0.05" in shop.run("-q").failure("hats")


def test_a_stale_entry_fails_until_it_is_updated(shop: Shop) -> None:
    shop.cases("""
        cases:
          - {query: warm boots, id: boots, judgments: {b1: 3, b2: 1, b3: 0}, min_ndcg: 0.6}
          - {query: hats, judgments: {h1: 3, h2: 1}, k: 5}
          - {query: anything, params: {k2: true}}
    """)
    shop.conftest(SEARCH.replace("k=10", "k=10, k2=None"))
    shop.returns(**{"warm boots": "b1 b2 b3"})
    run = shop.run()
    assert run.counts == {"failed": 3}
    stale = 'the baseline is stale: the query was "boots" and is "warm boots"'
    assert stale in run.told("boots")
    assert "the baseline is stale: the depth was 10 and is 5" in run.told("hats")
    assert 'the parameter "k2" is new' in run.failure("anything")
    nodes = " ".join(
        f"shop.relevance.yaml::{case}" for case in ("boots", "hats", "anything")
    )
    assert f"pytest {UPDATE} {nodes} # 3 cases have a stale baseline" in run.said
    assert '1 case is gone ("socks")' in run.summary

    assert shop.run(ONLY_NEW).counts == {"failed": 3}
    run = shop.run(UPDATE)
    assert run.code == 0
    assert run.sentences("baseline ") == [f"baseline {BASELINE}: 3 changed, 1 gone"]
    assert shop.run().counts == {"passed": 3}


def test_the_tolerance_of_the_project_of_a_suite_and_of_a_case(
    project: Project,
) -> None:
    shop = Shop(project)
    for name, suite, case in (
        ("plain", "", ""),
        ("suite", "tolerance: 0.3", ""),
        ("less", "tolerance: 0.3", ", tolerance: 0.2"),
        ("more", "tolerance: 0", ", tolerance: 0.3"),
    ):
        case = f"{{query: hats, id: {name}, judgments: {{h1: 3, h2: 1}}{case}}}"
        shop.cases(f"{suite}\ncases: [{case}]", f"{name}.relevance.yaml")
    shop.returns(hats="h1 h2")
    shop.run(UPDATE)
    shop.returns(hats="h2 h1")
    passes = {"suite": "passed", "more": "passed"}
    assert shop.run().outcomes == {**passes, "plain": "failed", "less": "failed"}
    project.write("pytest.ini", "[pytest]\nrelevance_tolerance = 0.3\n")
    assert shop.run().outcomes == {**passes, "plain": "passed", "less": "failed"}


def test_only_new_cases_are_added_and_the_others_compared(shop: Shop) -> None:
    with (shop.path / "shop.relevance.yaml").open("a") as file:
        file.write("  - {query: gloves}\n  - {query: scarves}\n")
    shop.returns(gloves="g1", scarves="c1", hats="h2 h1")
    added = "shop.relevance.yaml::gloves shop.relevance.yaml::scarves"
    assert (
        f"pytest {ONLY_NEW} {added} # 2 cases have no baseline yet" in shop.run().said
    )
    run = shop.run(ONLY_NEW)
    assert run.outcomes["hats"] == "failed"
    assert run.sentences("baseline ") == [
        f"baseline {BASELINE}: 2 added, 4 as they were"
    ]
    assert (shop.accepted()["gloves"], shop.accepted()["hats"]) == ("g1", "h1 h2")
    run = shop.run(UPDATE)
    assert run.code == 0
    assert "fell: Title of h1 rank 1 -> 2; in its place: Title of h2\n" in run.summary
    assert "--relevance-update" not in run.summary
    assert shop.accepted()["hats"] == "h2 h1"


def test_an_update_of_anything_else_is_a_usage_error_that_says_what_is_allowed(
    shop: Shop,
) -> None:
    run = shop.run("--relevance-update=yes")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    error = run.result.stderr.str()
    names = f"{UPDATE}/{UPDATE}=all/{ONLY_NEW}/{ONLY_TEST}"
    assert f"{names}: ignored explicit argument 'yes'" in error


def test_a_case_that_ends_in_an_error_keeps_what_was_accepted(shop: Shop) -> None:
    shop.returns(boots="boom", hats="h2", socks="y", anything="boom")
    run = shop.run(UPDATE)
    assert run.sentences("baseline ") == [
        f"baseline {BASELINE}: 2 changed, 2 as they were"
    ]
    now = {"boots": "b1 b2 b3", "hats": "h2", "socks": "y", "anything": "p q"}
    assert shop.accepted() == now
    shop.returns(hats="boom", socks="boom")
    run = shop.run(UPDATE)
    assert "no baseline is written: no case was scored" in run.summary
    assert shop.accepted() == now


def test_a_part_of_a_file_drops_nothing_and_the_whole_drops_what_is_gone(
    shop: Shop,
) -> None:
    boots, hats = (
        "{query: boots, judgments: {b1: 3}}",
        "{query: hats, judgments: {h1: 3}}",
    )
    shop.cases(f"cases: [{boots}, {hats}, {{query: belts}}]")
    shop.returns(boots="b2 b1", belts="l1")
    run = shop.run(UPDATE, "-k", "boots or belts")
    kept = "3 as they were; 2 of 3 cases ran, and the other cases keep their entries"
    assert run.sentences("baseline ") == [
        f"baseline {BASELINE}: 1 added, 1 changed, {kept}"
    ]
    assert sorted(shop.accepted()) == ["anything", "belts", "boots", "hats", "socks"]
    run = shop.run(UPDATE)
    assert run.sentences("baseline ") == [
        f"baseline {BASELINE}: 2 gone, 3 as they were"
    ]
    shop.cases(f"expect: {{P@1: 0}}\ncases: [{boots}, {hats}, {{query: belts}}]")
    shop.returns(hats="h2 h1")
    run = shop.run(UPDATE)
    changes = "1 changed, 1 with other scores, 1 as they were"
    assert run.sentences("baseline ") == [f"baseline {BASELINE}: {changes}"]


def test_a_run_that_stops_early_or_is_interrupted_accepts_what_it_knows(
    shop: Shop,
) -> None:
    shop.conftest(SEARCH.replace("raise ConnectionError", "raise KeyboardInterrupt"))
    kept = "3 as they were; 1 of 4 cases ran, and the other cases keep their entries"
    for hats, option, code in (("h2 h1", "-x", 1), ("boom", "-v", 2)):
        shop.returns(boots=f"x {code}", hats=hats, anything="q p")
        run = shop.run(UPDATE, option)
        assert run.code == code
        assert run.sentences("baseline ") == [f"baseline {BASELINE}: 1 changed, {kept}"]
        accepted = shop.accepted()
        assert (accepted["boots"], accepted["hats"]) == (f"x {code}", "h1 h2")


@pytest.mark.parametrize("strict", ["", ", strict: true"])
def test_an_expected_failure_covers_no_regression(
    project: Project, strict: str
) -> None:
    shop = Shop(project)
    low, high = "min_ndcg: 0.9", "min_ndcg: 0.5"
    xfail = f"judgments: {{a: 3, b: 1}}, xfail: {{reason: being reworked{strict}}}"
    shop.cases(f"""
        cases:
          - {{query: fell, {xfail}}}
          - {{query: below, {low}, {xfail}}}
          - {{query: above, {high}, {xfail}}}
          - {{query: low, {low}, {xfail}}}
          - {{query: stale, k: 5, {low}, {xfail}}}
    """)
    shop.returns(fell="a b", below="a b", above="a b", low="b a", stale="b a")
    shop.run(UPDATE)
    text = (shop.path / "shop.relevance.yaml").read_text()
    shop.cases(text.replace("k: 5, ", ""))
    shop.returns(fell="b a", below="b a", above="b a")
    run = shop.run()
    assert run.code == 1
    assert run.outcomes == {
        "fell": "failed",
        "below": "failed",
        "above": "failed",  # it meets its floor, and no passing run tells the drop
        "low": "xfailed",
        "stale": "failed",
    }
    drop = "fell from 1.000 to"
    assert drop in run.failure("above")
    assert "5 cases: 3 failed, 1 xfailed; 1 stale\n" in run.summary

    run = shop.run(UPDATE)
    assert run.code == (1 if strict else 0)  # "above" and "fell" meet their floors
    assert run.outcomes["stale"] == run.outcomes["below"] == "xfailed"


def test_an_expected_failure_covers_no_drop_that_unjudged_results_leave_in_doubt(
    project: Project,
) -> None:
    shop = Shop(project)
    keys = "judgments: {a: 3, b: 1}, min_judged: 0.6, xfail: being reworked"
    shop.cases(f"""
        cases:
          - {{query: dropped, min_ndcg: 0.1, {keys}}}
          - {{query: sparse, min_ndcg: 0.9, {keys}}}
    """)
    shop.returns(dropped="a b", sparse="x y b")
    shop.run(UPDATE)
    shop.returns(dropped="x y a")
    run = shop.run()
    assert run.outcomes == {"dropped": "failed", "sparse": "xfailed"}
    assert {entry.verdict for entry in run.results.values()} == {"inconclusive"}


def test_workers_write_the_same_bytes_and_compare_as_one_process(shop: Shop) -> None:
    there = shop.baseline.read_bytes()
    shop.baseline.unlink()
    run = shop.run(UPDATE, "-n2", "--dist=loadgroup")
    assert run.sentences("baseline ") == [f"baseline {BASELINE}: 4 added"]
    assert shop.baseline.read_bytes() == there

    shop.returns(boots="b2 b1", hats="h2 h1")
    here, workers = shop.run(), shop.run("-n1")
    assert workers.outcomes == here.outcomes
    changes, of_workers = (
        [line for line in run.summary.splitlines() if "->" in line]
        for run in (here, workers)
    )
    assert changes == of_workers != []
    assert "since the reference: nDCG@10 1.000 -> 0.710" in workers.failure("hats")


def test_a_damaged_baseline_is_an_error_and_is_not_replaced(shop: Shop) -> None:
    text = shop.baseline.read_text()
    damaged = f"{BASELINE}:14: the line is damaged: it is not a valid JSON object"
    truncated = f"{BASELINE}: the file is truncated: "
    for left, message in (
        (text[:-30], damaged),
        (text.removesuffix('{"end":true}\n'), truncated),
    ):
        shop.baseline.write_text(left)
        for option in ((), (UPDATE,), (ONLY_NEW,)):
            run = shop.run(*option)
            assert (run.code, run.counts) == (2, {"errors": 1})
            assert message in run.text
            assert shop.baseline.read_text() == left
    shop.baseline.unlink()
    shop.baseline.symlink_to("elsewhere.jsonl")
    run = shop.run(UPDATE)
    assert (run.code, run.counts) == (2, {"errors": 1})
    assert f"{BASELINE}: cannot be read: No such file or directory" in run.text
    assert (shop.baseline.is_symlink(), shop.baseline.exists()) == (True, False)


def test_one_that_somebody_broke_during_the_run_is_left_alone(shop: Shop) -> None:
    search = "def search(query, k=10):"
    breaks = f"RANKINGS.with_name('{BASELINE}').write_text('mine')"
    shop.conftest(SEARCH.replace(search, f"{search}\n            {breaks}"))
    before = shop.baseline.read_bytes()
    run = shop.run(UPDATE)
    assert run.code == 1
    why = f"baseline {BASELINE} is not updated: {BASELINE}:1: this is not a baseline: "
    assert run.sentences("baseline ")[0].startswith(why)
    assert shop.baseline.read_text() == "mine"
    shop.baseline.write_bytes(before)
    run = shop.run(UPDATE, "-p", "no:terminal")
    assert run.code == 1
    assert f"baseline {BASELINE} is not updated" in run.result.stderr.str()


def test_a_read_only_baseline_stays_as_it_is_and_fails_the_run(shop: Shop) -> None:
    """Although the folder would allow to replace it; behind a link too."""
    path, before = shop.baseline, shop.baseline.read_bytes()
    shop.returns(hats="h2 h1")
    why = f"baseline {BASELINE} is not updated, it cannot be written: it is read-only"
    for _ in range(2):
        path.chmod(0o444)
        run = shop.run(UPDATE)
        assert run.code == 1
        assert run.counts == {"passed": 3, "xfailed": 1}
        assert why in run.summary
        assert (path.read_bytes(), path.stat().st_mode & 0o777) == (before, 0o444)
        path = shop.baseline.rename(shop.path / "elsewhere.jsonl")
        shop.baseline.symlink_to("elsewhere.jsonl")


@pytest.mark.parametrize(
    ("ini", "options", "code"),
    [
        ("", [], 0),
        ("", [REQUIRE], 2),
        ("relevance_baseline = require", [], 2),
        ("relevance_baseline = require", ["--relevance-baseline=auto"], 0),
    ],
)
def test_a_file_without_a_baseline_fails_where_one_is_required(
    shop: Shop, ini: str, options: list[str], code: int
) -> None:
    shop.cases("cases: [{query: gloves}]", "more.relevance.yaml")
    shop.returns(gloves="g1")
    shop.write("pytest.ini", f"[pytest]\n{ini}\n")
    run = shop.run(*options)
    assert run.code == code
    missing = "more.relevance.yaml.baseline.jsonl is missing, and relevance_baseline is"
    assert (missing in " ".join(run.text.split())) is (code != 0)
    assert [path.name for path in shop.path.glob("*.jsonl")] == [BASELINE]


@pytest.mark.parametrize("option", [UPDATE, ONLY_NEW])
def test_a_required_baseline_can_be_made(shop: Shop, option: str) -> None:
    shop.write("pytest.ini", "[pytest]\nrelevance_baseline = require\n")
    shop.baseline.unlink()
    run = shop.run(option)
    assert run.sentences("baseline ") == [f"baseline {BASELINE}: 4 added"]
    assert shop.run().code == 0
