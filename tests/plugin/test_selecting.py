"""pytest's own ways to choose among tests and to treat them, on cases: -k, -m, node
ids, --lf, xfail, --maxfail ...
"""

import json
import re

import pytest

from tests.plugin.conftest import Project

both_ways = pytest.mark.usefixtures("with_and_without_loops")
"""Items are made in another way where a plugin that runs coroutines is active."""

SHOP = """
    min_ndcg: 0.9
    tags: [shop]
    cases:
      - query: smart watch
        judgments: {smart: 3, watch: 1}
        tags: [head, electronics]
      - query: watch strap
        judgments: {strap: 3, watch: 1}
        tags: [electronics]
      - query: trail running shoes
        id: trail-shoes
        judgments: {trail: 3, shoes: 1}
        tags: [head]
"""


@pytest.fixture
def shop(project: Project) -> Project:
    """Three cases, of which `watch strap` fails."""
    project.conftest()
    project.cases(SHOP)
    return project


CHOSEN = {
    "watch and not smart": ["watch strap"],
    "running": ["trail-shoes"],  # a word of the query, which has another id
    "not test": ["smart watch", "watch strap", "trail-shoes"],
    "shop.relevance.yaml and head": ["smart watch", "trail-shoes"],
}


def test_k_chooses_by_the_words_of_queries_and_ids_and_m_by_tags(shop: Project) -> None:
    for expression, chosen in CHOSEN.items():
        assert list(shop.run("-k", expression).outcomes) == chosen
    assert list(
        shop.run("-m", "shop and electronics and not head", "--strict-markers").outcomes
    ) == ["watch strap"]


def test_tags_are_registered_as_markers(project: Project) -> None:
    """In a process of its own, as pytest remembers the names of markers."""
    project.conftest()
    project.cases("tags: [a.b, c+d, e-f]\ncases: [{query: shoes}]")
    project.cases("tags: [a.b, grün]\ncases: [{query: boots}]", "more.relevance.yaml")
    assert project.run_apart("--strict-markers", "-m", "a.b").counts == {"passed": 2}


def test_a_tag_that_somebody_else_registered_as_a_marker_is_refused(
    project: Project,
) -> None:
    project.write(
        "pytest.ini", "[pytest]\nmarkers =\n    slow(seconds): takes its time\n"
    )
    line = 'config.addinivalue_line("markers", "fast: takes none")'
    project.conftest(f"def pytest_configure(config):\n    {line}\n")
    project.cases("cases:\n  - query: shoes\n    tags: [head, slow, fast, skipif]")
    run = project.run("--strict-markers")
    assert run.counts == {"errors": 1}
    for number, (column, tag) in enumerate(
        ((18, "slow"), (24, "fast"), (30, "skipif")), 1
    ):
        told = f'tags[{number}]: the tag "{tag}" is a marker or a word that pytest or a plugin already owns'
        assert f"shop.relevance.yaml:3:{column}: {told}" in run.text


TROUBLESOME = [
    *(
        "std::vector",
        "tv [refurbished]",
        "100% cotton",
        "a%3Ab",
        "grüne Schuhe",
        "スマートウォッチ",
        "🥾 boots",
    ),
    *(
        "cafe\u0301",
        "first line\nsecond line",
        "tab\there",
        "bell\x07",
        "escape\x1b[31m",
        "ends with:",
        "::",
        "[",
    ),
    *(
        "a/b\\c",
        "'quoted' \"twice\"",
        "-k --help",
        " spaces around ",
        "pytest_generate_tests",
        "pytestmark",
    ),
    *(
        "__doc__",
        "__class__",
        "collecting",
        "setup_module",
        "pytest_plugins",
        "teardown_function",
        "test_shoes",
    ),
    "Testing",
]


def write_queries(project: Project, queries: list[str]) -> None:
    """Write a case for each query. What JSON escapes, YAML's double quotes read
    back.
    """
    project.cases(
        "cases:\n"
        + "".join(
            f"  - query: {json.dumps(query, ensure_ascii=False)}\n" for query in queries
        )
    )


@both_ways
def test_queries_of_all_kinds_are_cases_and_their_node_ids_can_be_used_again(
    project: Project,
) -> None:
    project.conftest()
    write_queries(project, TROUBLESOME)
    run = project.run()
    assert run.counts == {"passed": len(TROUBLESOME)}
    assert [entry.query for entry in run.results.values()] == TROUBLESOME
    assert [
        entry.id for entry in run.results.values()
    ] == TROUBLESOME  # raw, in records and reports
    nodes = [
        line
        for line in project.run("--collect-only", "-q").text.splitlines()
        if "::" in line
    ]
    assert len(set(nodes)) == len(TROUBLESOME)
    for chosen in (slice(0, None, 2), slice(1, None, 2), slice(2, 3)):
        run = project.run(*nodes[chosen])
        assert [entry.query for entry in run.results.values()] == TROUBLESOME[chosen]


@both_ways
def test_a_variant_of_a_parametrised_search_by_its_node_id(project: Project) -> None:
    project.search("return str.split", '(params=["bm25", "hybrid"])')
    write_queries(project, ["tv [refurbished]"])
    node = "shop.relevance.yaml::tv %5Brefurbished%5D"
    assert list(project.run(f"{node}[hybrid]").outcomes) == [
        "tv %5Brefurbished%5D[hybrid]"
    ]
    assert len(project.run(node).outcomes) == 2


def test_last_failed_and_failed_first(shop: Project) -> None:
    shop.cases("cases: [{query: hats, expect: {first: hats}}]", "hats.relevance.yaml")
    shop.run(cache=True)
    run = shop.run("--lf", cache=True)
    assert list(run.outcomes) == ["watch strap"]
    assert "skipped 1 file" in run.text  # it looks only into the files with failures
    assert list(shop.run("--ff", cache=True).outcomes) == [
        "watch strap",
        "hats",
        "smart watch",
        "trail-shoes",
    ]


def test_stepwise(shop: Project) -> None:
    assert list(shop.run("--sw", cache=True).outcomes) == ["smart watch", "watch strap"]
    shop.cases(SHOP.replace("strap: 3, watch: 1", "strap: 1, watch: 3"))
    assert shop.run("--sw", cache=True).outcomes == {
        "watch strap": "passed",
        "trail-shoes": "passed",
    }


@both_ways
def test_xfail(project: Project) -> None:
    project.conftest()
    project.cases("""
        min_ndcg: 0.9
        cases:
          - query: boots shoes
            judgments: {shoes: 3, boots: 1}
            xfail: synonyms are not wired, issue 123
          - query: shoes boots
            judgments: {shoes: 3, boots: 1}
            xfail: mended since
          - query: hats caps
            judgments: {hats: 3, caps: 1}
            xfail: {reason: mended since, strict: true}
          - query: caps hats
            judgments: {hats: 3, caps: 1}
            xfail: {reason: hats are out of season, strict: true}
    """)
    run = project.run("-rx")
    assert run.counts == {"xfailed": 2, "xpassed": 1, "failed": 1}
    assert run.outcomes["hats caps"] == "failed"
    assert "[XPASS(strict)] mended since" in run.failure("hats caps")
    assert (
        "XFAIL shop.relevance.yaml::boots shoes - synonyms are not wired, issue 123"
        in run.short_summary
    )
    assert "1 failed, 2 xfailed, 1 xpassed" in run.summary


def test_settings_of_pytest_for_what_is_expected_to_fail(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\nxfail_strict = true\n")
    project.conftest()
    project.cases("""
        cases:
          - {query: shoes, expect: {first: shoes}, xfail: mended since}
          - {query: boots, expect: {first: boots}, xfail: {reason: mended since, strict: false}}
          - {query: hats, expect: {first: caps}, xfail: not there yet}
    """)
    assert project.run().counts == {"failed": 1, "xpassed": 1, "xfailed": 1}
    run = project.run("--runxfail")
    assert run.counts == {"passed": 2, "failed": 1}
    assert run.failure("hats").startswith(
        'shop.relevance.yaml:4: first: rank 1 has "hats", expected "caps"'
    )


@both_ways
def test_xfail_does_not_cover_a_search_that_breaks(project: Project) -> None:
    """That raises, returns nothing or no ranking, or cannot be called."""
    project.search(
        "return lambda query: eval(request.param)",
        '(params=["1 / 0", "None", "query.split", "[]"])',
        "request",
    )
    project.cases("""
        cases:
          - {query: shoes, expect: {first: boots}, xfail: not there yet}
          - {query: hats, expect: {first: boots}, xfail: not there yet, params: {lang: en}}
    """)
    run = project.run("--relevance-give-up=0")
    assert run.counts == {
        "failed": 7,
        "xfailed": 1,
    }  # the search that returns an empty list does not break
    assert "7 errors" in run.summary


def test_skip(project: Project) -> None:
    project.search('raise AssertionError("not set up for what is skipped")')
    project.cases("cases:\n  - query: shoes\n    skip: until the index has shoes")
    run = project.run("-rs")
    assert run.counts == {"skipped": 1}
    assert run.short_summary == [
        "SKIPPED [1] shop.relevance.yaml: until the index has shoes"
    ]
    assert (
        run.summary == "no case was searched: 1 skipped (until the index has shoes)\n"
    )


LISTED = r"<CaseFile shop.relevance.yaml>(\s+<Function (smart watch|watch strap|trail-shoes)>){3}"
PLANNED = r"SETUP    F search\s+shop\.relevance\.yaml::smart watch \(fixtures used: .*\bsearch\)"


def test_options_with_which_no_case_runs(shop: Project) -> None:
    fixtures = {
        "--fixtures": r"\nsearch -- conftest\.py",
        "--fixtures-per-test": "fixtures used by smart watch",
    }
    for option, shown in {
        "--collect-only": LISTED,
        "--setup-plan": PLANNED,
        **fixtures,
    }.items():
        run = shop.run(option)
        assert re.search(shown, run.text)
        assert (run.code, "= relevance =" in run.text) == (0, False)


def test_the_cases_run_with_hardly_any_of_pytests_plugins(shop: Project) -> None:
    off = [
        "terminal",
        "junitxml",
        "cacheprovider",
        "logging",
        "faulthandler",
        "doctest",
        "unittest",
        "nose",
    ]
    run = shop.run(*[part for name in off for part in ("-p", f"no:{name}")])
    assert run.outcomes == {
        "smart watch": "passed",
        "watch strap": "failed",
        "trail-shoes": "passed",
    }
    assert run.code == pytest.ExitCode.TESTS_FAILED
    none = shop.run("-p", "no:python")
    assert (
        none.code,
        "shop.relevance.yaml: cases need the plugin that -p no:python blocks"
        in none.text,
    ) == (2, True)


def test_a_plugin_that_runs_something_else_in_the_place_of_cases(shop: Project) -> None:
    conftest = shop.conftest()
    conftest.write_text(
        conftest.read_text()
        + "\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n"
    )
    run = shop.run()
    assert run.counts == {"passed": 3}
    assert run.sentences("no case was searched: 3 cases were to run")
    recorded = shop.run("--relevance-record=run.jsonl")
    assert recorded.code == pytest.ExitCode.TESTS_FAILED
    assert (
        "3 of 3 cases that were to run have no result (shop.relevance.yaml::smart watch,"
        in recorded.summary
    )
