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
      - {query: smart watch, judgments: {smart: 3, watch: 1}, tags: [head, electronics]}
      - {query: watch strap, judgments: {strap: 3, watch: 1}, tags: [electronics]}
      - {query: trail running shoes, id: trail-shoes, judgments: {trail: 3, shoes: 1}, tags: [head]}
"""
OUTCOMES = {"smart watch": "passed", "watch strap": "failed", "trail-shoes": "passed"}


@pytest.fixture
def shop(project: Project) -> Project:
    """Three cases, of which `watch strap` fails."""
    project.conftest()
    project.cases(SHOP)
    return project


# --- by words, tags and node ids ------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        (["-k", "watch and not smart"], ["watch strap"]),
        (["-k", "running"], ["trail-shoes"]),  # a word of the query, not of the id
        (["-k", "not test"], [*OUTCOMES]),
        (["-k", "shop.relevance.yaml and head"], ["smart watch", "trail-shoes"]),
        (["-m", "shop and electronics and not head"], ["watch strap"]),
        # no name of the plugin's own selects a case
        (["-k", "signature or run_case or pytestmark or usefixtures or request"], []),
    ],
)
def test_k_chooses_by_the_words_of_queries_and_ids_and_m_by_tags(
    shop: Project, options: list[str], chosen: list[str]
) -> None:
    assert list(shop.run("--strict-markers", *options).outcomes) == chosen


def test_tags_are_registered_as_markers(project: Project) -> None:
    """In a process of its own, as pytest remembers the names of markers."""
    project.conftest()
    project.cases("tags: [a.b, c+d, e-f]\ncases: [{query: shoes}]")
    project.cases("tags: [a.b, grün]\ncases: [{query: boots}]", "more.relevance.yaml")
    assert project.run_apart("--strict-markers", "-m", "a.b").counts == {"passed": 2}


def test_a_tag_that_somebody_else_registered_as_a_marker_is_refused(
    project: Project,
) -> None:
    marker = "slow(seconds): takes its time"
    project.write("pytest.ini", f"[pytest]\nmarkers =\n    {marker}\n")
    line = 'config.addinivalue_line("markers", "fast: takes none")'
    project.conftest(f"def pytest_configure(config):\n    {line}\n")
    project.cases("cases:\n  - query: shoes\n    tags: [head, slow, fast, skipif]")
    run = project.run("--strict-markers")
    assert run.counts == {"errors": 1}
    owned = "is a marker or a word that pytest or a plugin already owns"
    for place in (
        '18: tags[1]: the tag "slow"',
        '24: tags[2]: the tag "fast"',
        '30: tags[3]: the tag "skipif"',
    ):
        assert f"shop.relevance.yaml:3:{place} {owned}" in run.text


TROUBLESOME = [
    "std::vector",
    "tv [refurbished]",
    "100% cotton",
    "a%3Ab",
    "grüne Schuhe",
    "スマートウォッチ",
    "🥾 boots",
    "cafe\u0301",
    "first line\nsecond line",
    "tab\there",
    "bell\x07",
    "escape\x1b[31m",
    "ends with:",
    "::",
    "[",
    "a/b\\c",
    "'quoted' \"twice\"",
    "-k --help",
    " spaces around ",
    "pytest_generate_tests",
    "pytestmark",
    "__doc__",
    "__class__",
    "collecting",
    "setup_module",
    "pytest_plugins",
    "teardown_function",
    "test_shoes",
    "Testing",
]


@both_ways
def test_queries_of_all_kinds_are_cases_and_their_node_ids_can_be_used_again(
    project: Project,
) -> None:
    project.conftest()
    # what JSON escapes, YAML's double quotes read back
    lines = [
        f"  - query: {json.dumps(query, ensure_ascii=False)}\n" for query in TROUBLESOME
    ]
    project.cases("cases:\n" + "".join(lines))
    results = project.run().results.values()
    assert [entry.query for entry in results] == TROUBLESOME
    assert [entry.id for entry in results] == TROUBLESOME  # raw, in records and reports
    listed = project.run("--collect-only", "-q").text.splitlines()
    nodes = [line for line in listed if "::" in line]
    assert len(set(nodes)) == len(TROUBLESOME)
    for chosen in (slice(0, None, 2), slice(1, None, 2), slice(2, 3)):
        results = project.run(*nodes[chosen]).results.values()
        assert [entry.query for entry in results] == TROUBLESOME[chosen]


@both_ways
def test_a_variant_of_a_parametrised_search_by_its_node_id(project: Project) -> None:
    project.search("return str.split", '(params=["bm25", "hybrid"])')
    project.cases("cases: [{query: 'tv [refurbished]'}]")
    node = "shop.relevance.yaml::tv %5Brefurbished%5D"
    one = project.run(f"{node}[hybrid]")
    assert list(one.outcomes) == ["tv %5Brefurbished%5D[hybrid]"]
    assert len(project.run(node).outcomes) == 2


def test_last_failed_and_failed_first(shop: Project) -> None:
    shop.cases("cases: [{query: hats, expect: {first: hats}}]", "hats.relevance.yaml")
    shop.run(cache=True)
    run = shop.run("--lf", cache=True)
    assert list(run.outcomes) == ["watch strap"]
    assert "skipped 1 file" in run.text  # it looks only into the files with failures
    first, *others = shop.run("--ff", cache=True).outcomes
    assert first == "watch strap"
    assert others == ["hats", "smart watch", "trail-shoes"]


def test_stepwise(shop: Project) -> None:
    assert list(shop.run("--sw", cache=True).outcomes) == ["smart watch", "watch strap"]
    shop.cases(SHOP.replace("strap: 3, watch: 1", "strap: 1, watch: 3"))
    again = shop.run("--sw", cache=True)
    assert again.outcomes == {"watch strap": "passed", "trail-shoes": "passed"}


# --- xfail and skip -------------------------------------------------------------------


@both_ways
def test_xfail(project: Project) -> None:
    project.conftest()
    project.cases("""
        min_ndcg: 0.9
        cases:
          - {query: boots shoes, judgments: {shoes: 3, boots: 1}, xfail: "synonyms are not wired, issue 123"}
          - {query: shoes boots, judgments: {shoes: 3, boots: 1}, xfail: mended since}
          - {query: hats caps, judgments: {hats: 3, caps: 1}, xfail: {reason: mended since, strict: true}}
          - {query: caps hats, judgments: {hats: 3, caps: 1}, xfail: {reason: out of season, strict: true}}
    """)
    run = project.run("-rx")
    assert run.counts == {"xfailed": 2, "xpassed": 1, "failed": 1}
    assert "[XPASS(strict)] mended since" in run.failure("hats caps")
    reason = "boots shoes - synonyms are not wired, issue 123"
    assert f"XFAIL shop.relevance.yaml::{reason}" in run.short_summary
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
    why = 'shop.relevance.yaml:4: first: rank 1 has "hats", expected "caps"'
    assert run.failure("hats").startswith(why)


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
    # the search that returns an empty list does not break
    assert run.counts == {"failed": 7, "xfailed": 1}
    assert "7 errors" in run.summary


def test_skip(project: Project) -> None:
    project.search('raise AssertionError("not set up for what is skipped")')
    project.cases("cases:\n  - query: shoes\n    skip: until the index has shoes")
    run = project.run("-rs")
    reason = "until the index has shoes"
    assert run.short_summary == [f"SKIPPED [1] shop.relevance.yaml: {reason}"]
    assert run.summary == f"no case was searched: 1 skipped ({reason})\n"


# --- without cases, and with few plugins ----------------------------------------------


@pytest.mark.parametrize(
    ("option", "shown"),
    [
        (
            "--collect-only",
            r"<CaseFileCollector shop.relevance.yaml>"
            r"(\s+<Function (smart watch|watch strap|trail-shoes)>){3}",
        ),
        ("--setup-plan", r"SETUP    F search\s+shop\.relevance\.yaml::smart watch \(fixtures used: .*\bsearch\)"),
        ("--fixtures", r"\nsearch -- conftest\.py"),
        ("--fixtures-per-test", "fixtures used by smart watch"),
    ],
)  # fmt: skip
def test_options_with_which_no_case_runs(
    shop: Project, option: str, shown: str
) -> None:
    run = shop.run(option)
    assert re.search(shown, run.text)
    assert run.code == 0
    assert "= relevance =" not in run.text


def test_the_cases_run_with_hardly_any_of_pytests_plugins(shop: Project) -> None:
    off = (
        "terminal",
        "junitxml",
        "cacheprovider",
        "logging",
        "faulthandler",
        "unittest",
    )
    run = shop.run(*(f"-pno:{name}" for name in off))
    assert run.outcomes == OUTCOMES
    assert run.code == pytest.ExitCode.TESTS_FAILED
    none = shop.run("-p", "no:python")
    assert none.code == 2
    blocked = "shop.relevance.yaml: cases need the plugin that -p no:python blocks"
    assert blocked in none.text


# --- items ----------------------------------------------------------------------------


def test_a_fixture_that_a_conftest_adds_to_one_item_is_set_up_for_that_one(
    project: Project,
) -> None:
    project.conftest("""
        import pytest

        @pytest.fixture(params=["bm25", "hybrid"])
        def search(request):
            return str.split

        @pytest.fixture
        def index(request):
            print(f"<index for {request.node.name}>")

        def pytest_collection_modifyitems(items):
            items[1].fixturenames.append("index")
    """)
    project.cases("cases: [{query: shoes}, {query: boots}]")
    text = project.run("-s").text
    assert text.count("<index for") == text.count("<index for shoes[hybrid]>") == 1


def test_the_place_of_a_case_is_its_line_of_the_case_file(project: Project) -> None:
    project.search("raise OSError('no engine')")
    project.cases("cases:\n  - query: shoes\n  - query: boots\n")
    run = project.run()
    assert [report.location for report in run.reports if report.failed] == [
        ("shop.relevance.yaml", 1, "shoes"),
        ("shop.relevance.yaml", 2, "boots"),
    ]


def test_the_node_id_of_a_gate_selects_nothing(project: Project) -> None:
    """As docs/reference/gates.md says: it is a name in reports."""
    gate = "shop.relevance.yaml::gate[most]"
    project.conftest()
    project.cases(
        "gates: [{mean: {nDCG@10: 0.95}, id: most}]\ncases: [{query: a b, judgments: {b: 1}}]"
    )
    assert f"FAILED {gate}" in project.run().text
    assert project.run("--deselect", gate).counts == {"passed": 1, "failed": 1}
    assert project.run_apart(gate).counts == {}
