"""Cases of which a reference has a score and this run none, and the reverse, are named
and never counted as compared.
"""

import json

import pytest

from tests.plugin.conftest import Command, Project
from tests.plugin.shop import (
    AGAINST,
    BOTH,
    KNOWN,
    ONLY_NEW,
    ONLY_TEST,
    RECORD,
    REQUIRE,
    SEARCH,
    UPDATE,
    Shop,
)

STRICT = (REQUIRE, "--relevance-gates=require")
NOW = "--relevance-record=now.jsonl"
REPORT = ("report", "now.jsonl", "--against", "main.jsonl")


# --- what the reference has, and this run has not -------------------------------------

CASES = """
    queries: {file: queries.csv, only: judged}
    judgments: judgments.csv
    gates: [{max_drop: {nDCG@10: 0.1}}]
    cases:
      - {query: gone, judgments: {a: 3}}
      - {query: unjudged, judgments: {a: 3}, expect: {results: ">= 1"}}
      - {query: same, judgments: {a: 3}}
"""
JUDGED = "query,document,grade\nlisted,a,3\nother,a,3\n"
LOST = (
    '1 case has no judgments now ("unjudged"), no case ran of 1 file '
    '("old.relevance.yaml")'
)


@pytest.fixture
def before(project: Project) -> Shop:
    """A shop with a committed baseline and a record of the same day."""
    shop = Shop(project)
    shop.cases(CASES)
    shop.write("queries.csv", "query\nlisted\nother\n")
    shop.write("judgments.csv", JUDGED)
    shop.cases("cases: [{query: same, judgments: {a: 3}}]", "old.relevance.yaml")
    shop.returns(gone="a b", unjudged="a b", same="a b", listed="a b", other="a b")
    shop.run(UPDATE, RECORD)
    return shop


def lose(shop: Shop) -> None:
    """Take a case out, the judgments of another and of a listed query away, and delete
    a case file.
    """
    cases = CASES.replace("- {query: gone, judgments: {a: 3}}", "")
    shop.cases(cases.replace("unjudged, judgments: {a: 3}", "unjudged, judgments: {}"))
    shop.write("judgments.csv", JUDGED.replace("listed,a,3\n", ""))
    (shop.path / "old.relevance.yaml").unlink()


@pytest.mark.parametrize(
    ("options", "name"), [([], "the baseline"), ([AGAINST, "-n1"], "main.jsonl")]
)
def test_what_is_lost_is_told_in_one_line_by_every_report(
    before: Shop, options: list[str], name: str, command: Command
) -> None:
    lose(before)
    found = before.reports("-q", *options)
    assert found.run.code == 0
    said = f"in {name} and not compared: {LOST}"
    assert found.all_say(said)
    assert found.all_say('the test changed: 1 case is gone ("gone")')
    left_out = '1 case is left out by only: judged ("listed")'
    assert found.all_say(f"the test changed: {left_out}")
    assert said in command("report", "run.jsonl").out


@BOTH
def test_a_file_that_ran_whole_and_lost_cases_fails_where_a_baseline_is_required(
    before: Shop, against: list[str]
) -> None:
    assert before.run(REQUIRE, *against).code == 0
    lose(before)
    run = before.run(REQUIRE, *against)
    assert run.code == 1
    assert "does not compare 3 cases of " in run.said
    # what is chosen says nothing of the others
    assert before.run(REQUIRE, *against, "-k", "same").code == 0
    assert before.run(UPDATE, REQUIRE).code == 0


UNSCORED = """
    gates: [{max_drop: {nDCG@10: 0.1}}, {max_drop: {P@1: 0.1}}, {max_drop: {P@1: 0.5}, tag: head}]
    cases:
      - {query: same, judgments: {a: 3}, tags: [head]}
      - {query: gone, judgments: {a: 3}, tags: [head]}
      - {query: unjudged}
      - {query: irrelevant, judgments: {a: 0}}
      - {query: skipped}
"""


@BOTH
def test_a_drop_is_over_the_cases_with_a_score_in_the_reference(
    project: Project, command: Command, against: list[str]
) -> None:
    """Three cases are gone and one is skipped. Only one of them had a score."""
    shop = Shop(project)
    shop.cases(UNSCORED.replace("{max_drop: {P@1: 0.1}}, ", ""))  # a new gate below
    queries = ("same", "gone", "unjudged", "irrelevant", "skipped")
    shop.returns(**dict.fromkeys(queries, "a b"))
    shop.run(UPDATE, RECORD)
    kept = [line for line in UNSCORED.splitlines() if "same" in line or "skip" in line]
    gates = UNSCORED.splitlines()[1]
    shop.cases("\n".join([gates, "    cases:", *kept]))
    shop.returns(skipped="skip")
    run = shop.run(*against, NOW)
    counted = "1 of 2 cases; 1 is gone); allowed is"
    assert run.said.count(counted) == 3
    assert command(*REPORT).out.count(counted) == 3


def test_queries_that_only_judged_leaves_out_are_counted(
    before: Shop, command: Command
) -> None:
    lose(before)
    before.baseline.unlink()
    said = '1 of 2 queries has no judgments and is left out (only: judged): "listed"'
    found = before.reports()
    assert said in found.run.said
    assert said in found.markdown
    checked = command("check", "shop.relevance.yaml")
    assert checked.code == 0
    assert "1 listed query left out" in checked.out


def test_a_run_without_any_case_file_says_what_the_record_has(before: Shop) -> None:
    for file in before.path.glob("*.relevance.yaml"):
        file.unlink()
    before.write("test_shop.py", "def test_other(): pass")
    run = before.run(AGAINST, "-q")
    assert run.counts == {"passed": 1}
    said = (
        'no case ran of 2 files in main.jsonl ("old.relevance.yaml" and '
        '"shop.relevance.yaml")'
    )
    assert f"--relevance-against: {said}" in run.said
    assert "nothing ran" not in before.run(AGAINST, "--collect-only").text


# --- a case whose score is lost -------------------------------------------------------

METRICS = """
    def half(grades, judged, k):
        return 0.5 if len(grades) < 3 else None

    def pytest_relevance_metrics():
        return {"half": half}
"""
SUITE = """
    gates: [{passing: 1}, {max_drop: {nDCG@10: 0}}, {max_drop: {half@10: 0}}]
    cases:
      - {query: boots, judgments: {a: 3, b: 0}, min_ndcg: 0.5}
      - {query: hats, judgments: {a: 3, b: 0}}
"""
HATS = "{query: hats, judgments: {a: 3, b: 0}}"


NOT_RELEVANT = "{query: hats, judgments: {b: 0}}"
SKIPPED = HATS.replace("}}", "}, skip: later}")


@pytest.fixture
def scored(project: Project) -> Shop:
    """A shop in which both cases had a score in the baseline, and in the record."""
    shop = Shop(project)
    shop.conftest(SEARCH + METRICS)
    shop.cases(SUITE)
    shop.returns(boots="a b", hats="a b")
    shop.run(UPDATE, RECORD)
    return shop


LOSSES = {
    "irrelevant": ("judgments: {b: 0}", "x y"),
    "no gain": ("judgments: {a: 3, b: 0}, gain: {0: 0, 3: 0}", "x y"),
    "unjudged": ("judgments: {}", "x y"),
    "no value": ("judgments: {a: 3, b: 0}", "a b x"),
    "marked": ("judgments: {a: 3, b: 0}, skip: later", "x y"),
    "skipped": ("judgments: {a: 3, b: 0}", "skip"),
}
"""What becomes of cases: their keys now, and what they return."""


@BOTH
def test_a_lost_score_is_named_by_every_report_and_fails_where_a_reference_is_required(
    scored: Shop, against: list[str]
) -> None:
    then, now = SUITE, SUITE
    for query, (keys, _) in LOSSES.items():
        then += f"      - {{query: {query}, judgments: {{a: 3, b: 0}}}}\n"
        now += f"      - {{query: {query}, {keys}}}\n"
    scored.cases(then)
    scored.returns(**dict.fromkeys(LOSSES, "a b"))
    scored.run(UPDATE, RECORD)
    scored.cases(now)
    scored.returns(**{query: returned for query, (_, returned) in LOSSES.items()})
    found = scored.reports("-v", REQUIRE, *against)
    assert found.run.code == 1
    for said in (
        '2 cases have no relevant judgment now ("irrelevant" and "no gain")',
        '1 case has no judgments now ("unjudged")',
        '1 case has no value of a metric now ("no value", half@10)',
        '1 case was skipped ("skipped")',
        'skip: later in 1 case ("marked")',
    ):
        assert found.all_say(said), said
    assert "does not compare 6 cases of" in found.run.said
    assert "1 case is skipped" in found.markdown
    assert "5 cases are lost" in found.markdown


def test_junk_for_a_case_without_a_relevant_judgment_is_not_green(
    scored: Shop,
) -> None:
    """A floor, passing: 1 and max_drop: 0 are all met, and yet nothing looks at the
    case.
    """
    scored.cases(SUITE.replace(HATS, NOT_RELEVANT))
    scored.returns(hats="x y")
    assert scored.run(*STRICT).code == 1
    assert scored.run(UPDATE, *STRICT).code == 0  # which accepts it
    assert scored.run(*STRICT).code == 0


def test_a_case_that_was_not_searched_is_lost(scored: Shop) -> None:
    scored.returns(boots="boom")
    run = scored.run("--relevance-give-up=1", *STRICT)
    assert '1 case was not searched ("hats")' in run.said
    assert '1 case ended in an error ("boots")' in run.said


def test_an_update_accepts_that_a_mark_skips_a_case_and_keeps_its_ranking(
    scored: Shop,
) -> None:
    scored.cases(SUITE.replace(HATS, SKIPPED))
    assert scored.run(*STRICT).code == 1
    scored.run(UPDATE)
    assert scored.run(*STRICT).code == 0
    scored.cases(SUITE)
    scored.returns(hats="x y")
    # it is compared with the ranking of before
    assert scored.run(*STRICT).outcomes["hats"] == "failed"


def test_an_update_does_not_accept_that_a_search_skips(scored: Shop) -> None:
    scored.returns(hats="skip")
    scored.run(UPDATE)
    assert scored.run(*STRICT).code == 1


def test_a_metric_that_nobody_asks_for_any_more_is_not_lost(scored: Shop) -> None:
    scored.cases(SUITE.replace(", {max_drop: {half@10: 0}}", ""))
    scored.run(ONLY_TEST)
    assert scored.run(*STRICT).code == 0


def test_a_metric_of_the_suite_that_no_judgment_is_relevant_to_is_lost(
    project: Project,
) -> None:
    shop = Shop(project)
    suite = 'expect: {"Success(rel=3)@3": 1}\ncases: [{query: hats, judgments: {a: 3, b: 1}}]'
    shop.cases(suite)
    shop.returns(hats="a b")
    shop.run(UPDATE)
    more = ", {query: boots, judgments: {a: 3}}]"
    shop.cases(suite.replace("{a: 3, b: 1}", "{b: 1}").replace("]", more))
    shop.returns(hats="b", boots="a")
    run = shop.run(*STRICT)
    assert run.code == 1
    lost = '1 case has no value of a metric now ("hats", Success(rel=3)@3)'
    assert lost in run.said


def test_a_floor_of_the_suite_names_the_cases_that_it_does_not_hold(
    project: Project,
) -> None:
    """Without a reference, too, a floor does not pass in silence."""
    project.conftest()
    project.cases("""
        min_ndcg: 0.8
        cases: [{query: a b, judgments: {a: 3}}, {query: c d, judgments: {a: 0}}]
    """)
    found = project.reports("-q")
    said = "min_ndcg 0.8 of the suite does not apply to 1 of 2 cases"
    assert said in found.run.said
    assert said in found.markdown


# --- what the reference has without a ranking: an error, skipped, not run -------------

QUERIES = ("boots", "hats", "socks", "coats")
FOUR = "cases:\n" + "".join(
    f"  - {{query: {query}, judgments: {{a: 3}}}}\n" for query in QUERIES
)
GLOVES = "  - {query: gloves, judgments: {a: 3}}\n"
HATS_OF_FOUR = "{query: hats, judgments: {a: 3}}"


@pytest.fixture
def shop(project: Project) -> Shop:
    """A shop of four cases without a floor, all of which find what they should."""
    shop = Shop(project)
    shop.cases(FOUR)
    shop.returns(**dict.fromkeys(QUERIES, "a"))
    return shop


def test_junk_for_what_the_record_has_as_an_error_is_not_green(shop: Shop) -> None:
    """On main the engine died after one query; a branch returns junk for the others."""
    queries = [f"q{number}" for number in range(9)]
    listed = ", ".join(f"{{query: {query}, judgments: {{a: 3}}}}" for query in queries)
    shop.cases(f"cases: [{listed}]")
    shop.returns(**{**dict.fromkeys(queries, "boom"), "q0": "a"})
    shop.run(RECORD, "--relevance-give-up=1")
    shop.returns(**{**dict.fromkeys(queries, "x"), "q0": "a"})
    found = shop.reports(AGAINST, KNOWN, *STRICT)
    assert found.run.code == 1
    said = (
        "main.jsonl has no ranking of 8 cases that ran, so they are not compared: "
        '5 cases ended in an error there ("q1", "q2", "q3" and 2 more), '
        '3 cases were not searched there ("q6", "q7" and "q8")'
    )
    assert found.all_say(said)
    assert "new to the reference" not in found.run.summary
    sentence = "No query got worse; 8 cases are not compared, so the run fails"
    assert f"### \u274c {sentence}" in found.markdown
    assert "has no ranking of 8 cases of shop.relevance.yaml" in found.run.said
    assert shop.run(AGAINST, KNOWN).code == 0  # named, and no failure unless required


def test_a_record_of_one_case_knows_the_others(shop: Shop) -> None:
    for chosen in (("-k", "boots"), ("shop.relevance.yaml::boots",)):
        shop.run(RECORD, *chosen)
        run = shop.run(AGAINST, *STRICT)
        assert run.code == 1
        assert "3 cases were not run there" in run.said


@pytest.mark.parametrize("how", ["search", "mark", "key"])
def test_a_case_that_was_skipped_on_main_is_not_new(shop: Shop, how: str) -> None:
    if how == "search":
        shop.returns(hats="skip")
    elif how == "key":
        skipped = HATS_OF_FOUR.replace("}}", "}, skip: later}")
        shop.cases(FOUR.replace(HATS_OF_FOUR, skipped))
    else:
        shop.conftest(f"""{SEARCH}
    def pytest_collection_modifyitems(items):
        (hats,) = [item for item in items if item.name == "hats"]
        hats.add_marker(pytest.mark.skip("later"))
    """)
    shop.run(RECORD)
    assert shop.run(AGAINST, *STRICT).code == 0  # skipped then and now
    shop.returns(hats="x")
    shop.cases(FOUR)
    shop.conftest(SEARCH)
    run = shop.run(AGAINST, *STRICT)
    assert run.code == 1
    assert "1 case was" in run.said
    assert 'skipped there ("hats")' in run.said


def test_a_case_that_main_does_not_have_is_new(shop: Shop) -> None:
    """Also beside a record of a part: the record knows which cases there were."""
    shop.run(RECORD, "-k", "boots or hats")
    shop.cases(FOUR + GLOVES)
    shop.returns(gloves="x")
    run = shop.run(AGAINST, *STRICT, "-k", "boots or hats or gloves")
    assert run.code == 0
    assert "1 new to the reference" in run.summary


def test_another_variant_is_not_new_if_that_of_the_record_is_gone(
    project: Project,
) -> None:
    shop = Shop(project)
    shop.cases("cases: [{query: boots, judgments: {a: 3}}, {query: hats}]")
    fails = "return lambda query: ['a'] if query == 'hats' else 1 / 0"
    shop.search(fails, '(params=["bm25"])', "request")
    shop.run(RECORD)
    shop.search("return lambda query: ['x']", '(params=["lexical"])', "request")
    run = shop.run(AGAINST, REQUIRE)
    assert run.code == 1
    assert 'ended in an error there ("boots[lexical]")' in run.said


def without_ranking(shop: Shop) -> list[list[str | None]] | None:
    """The cases that the baseline lists as known, without a ranking."""
    header = json.loads(shop.baseline.read_text("utf-8").partition("\n")[0])
    listed: list[list[str | None]] | None = header.get("without_ranking")
    return listed


def test_a_baseline_that_was_made_of_one_case_knows_the_others(shop: Shop) -> None:
    run = shop.run(UPDATE, "shop.relevance.yaml::boots")
    assert "3 cases have no accepted ranking" in run.said
    names = ("coats", "hats", "socks")
    assert without_ranking(shop) == [[name, None, "not run"] for name in names]
    shop.returns(hats="x", socks="x", coats="x")
    run = shop.run(*STRICT)
    assert run.code == 1
    assert "the baseline has no ranking of 3 cases that ran" in run.said
    shop.run(ONLY_NEW)  # which accepts their rankings
    assert shop.run(*STRICT).code == 0
    assert without_ranking(shop) is None


def test_a_baseline_lists_cases_that_ended_in_an_error_until_they_are_gone(
    shop: Shop,
) -> None:
    shop.returns(hats="boom")
    shop.run(UPDATE)
    shop.returns(hats="x")
    run = shop.run(*STRICT)
    assert run.code == 1
    assert '1 case ended in an error there ("hats")' in run.said
    shop.cases(FOUR.replace(f"  - {HATS_OF_FOUR}\n", ""))
    shop.run(UPDATE)
    assert without_ranking(shop) is None


def test_an_update_of_one_case_leaves_new_cases_new(shop: Shop) -> None:
    shop.run(UPDATE)
    shop.cases(FOUR + GLOVES)
    shop.returns(gloves="x", boots="b a")
    shop.run(UPDATE, "shop.relevance.yaml::boots")
    run = shop.run(*STRICT)
    assert run.code == 0
    assert "1 new to the reference" in run.summary


def test_a_report_of_two_records_says_it_too(shop: Shop, command: Command) -> None:
    shop.returns(hats="boom")
    shop.run(RECORD)
    shop.returns(hats="x", socks="boom")
    shop.run(NOW)
    found = command(*REPORT)
    assert found.code == 0
    assert 'not compared: 1 case ended in an error ("socks")' in found.out
    assert "main.jsonl has no ranking of 1 case that ran" in found.out


def test_cases_whose_search_failed_are_to_be_run_again(before: Shop) -> None:
    down = dict.fromkeys(("gone", "unjudged", "same", "listed", "other"), "boom")
    before.returns(**down)
    run = before.run(REQUIRE)
    assert run.code == 1
    assert "mend the search, and run them again" in run.said
    assert "--relevance-update" not in run.said
