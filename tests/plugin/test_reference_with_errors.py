"""A case that the reference knows and has no ranking of is not new: it is not
compared.
"""

from __future__ import annotations

import json

import pytest

from pytest_relevance.cli import main
from tests.plugin.conftest import Project
from tests.plugin.test_baseline_in_pytest import UPDATE, Shop

KNOWN = "--relevance-known=xfail"
RECORD, AGAINST = "--relevance-record=main.jsonl", "--relevance-against=main.jsonl"
REQUIRE = ("--relevance-baseline=require", "--relevance-gates=require")
QUERIES = ("boots", "hats", "socks", "coats")
CASES = "cases:\n" + "".join(
    f"  - {{query: {query}, judgments: {{a: 3}}}}\n" for query in QUERIES
)


@pytest.fixture
def shop(project: Project) -> Shop:
    """A shop of four cases without a floor, all of which find what they should."""
    shop = Shop(project)
    shop.cases(CASES)
    shop.returns(**dict.fromkeys(QUERIES, "a"))
    return shop


def words(text: str) -> str:
    return " ".join(text.split())


def test_junk_for_what_the_record_has_as_an_error_is_not_green(shop: Shop) -> None:
    """On main the engine died after one query; a branch returns junk for the others."""
    shop.cases(
        f"cases: [{', '.join(f'{{query: q{n}, judgments: {{a: 3}}}}' for n in range(9))}]"
    )
    shop.returns(q0="a", **{f"q{n}": "boom" for n in range(1, 9)})
    shop.run(RECORD, "--relevance-give-up=1")
    shop.returns(**{f"q{n}": "x" for n in range(1, 9)})
    files = "--relevance-markdown=run.md", "--relevance-html=run.html"
    run = shop.run(AGAINST, KNOWN, *REQUIRE, *files)
    assert run.code == 1
    said = (
        "main.jsonl has no ranking of 8 cases that ran, so they are not compared: "
        '5 cases ended in an error there ("q1", "q2", "q3" and 2 more), '
        '3 cases were not searched there ("q6", "q7" and "q8")'
    )
    assert said in words(run.summary)
    assert "new to the baseline" not in run.summary
    markdown = (shop.path / "run.md").read_text("utf-8")
    assert said in markdown
    sentence = "No query got worse; 8 cases are not compared, so the run fails"
    assert f"### \u274c {sentence}" in markdown
    assert said.replace('"', "&quot;") in (shop.path / "run.html").read_text("utf-8")
    assert "main.jsonl has no ranking of 8 cases of shop.relevance.yaml" in words(
        run.summary
    )
    assert shop.run(AGAINST, KNOWN).code == 0  # named, and no failure unless required


@pytest.mark.parametrize(
    ("main_branch", "why"),
    [
        (("-k", "boots"), "3 cases were not run there"),
        (("shop.relevance.yaml::boots",), "3 cases were not run there"),
    ],
)
@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["here", "xdist"])
def test_a_record_of_one_case_knows_the_others(
    shop: Shop, main_branch: tuple[str, ...], why: str, workers: tuple[str, ...]
) -> None:
    shop.run(RECORD, *main_branch)
    run = shop.run(AGAINST, *REQUIRE, *workers)
    assert run.code == 1
    assert why in words(run.summary)


@pytest.mark.parametrize("how", ["skip", "mark", "key"])
def test_a_case_that_was_skipped_on_main_is_not_new(shop: Shop, how: str) -> None:
    skipped = "{query: hats, skip: later, judgments: {a: 3}}"
    if how == "skip":
        shop.returns(hats="skip")
    elif how == "key":
        shop.cases(CASES.replace("{query: hats, judgments: {a: 3}}", skipped))
    else:
        conftest = (shop.path / "conftest.py").read_text("utf-8")
        hook = (
            "\ndef pytest_collection_modifyitems(items):\n"
            "    for item in items:\n"
            "        if item.name == 'hats':\n"
            "            item.add_marker(pytest.mark.skip('later'))\n"
        )
        shop.project.conftest(conftest + hook)
    shop.run(RECORD)
    assert shop.run(AGAINST, *REQUIRE).code == 0  # skipped then and now
    shop.returns(hats="x")
    shop.cases(CASES)
    if how == "mark":
        shop.project.conftest(conftest)
    run = shop.run(AGAINST, *REQUIRE)
    assert run.code == 1
    assert "1 case was" in words(run.summary)
    assert 'skipped there ("hats")' in words(run.summary)


def test_a_case_that_main_does_not_have_is_new(shop: Shop) -> None:
    """Also beside a record of a part: the record knows which cases there were."""
    shop.run(RECORD, "-k", "boots or hats")
    shop.cases(CASES + "  - {query: gloves, judgments: {a: 3}}\n")
    shop.returns(gloves="x")
    run = shop.run(AGAINST, *REQUIRE, "-k", "boots or hats or gloves")
    assert run.code == 0
    assert "1 new to the baseline" in run.summary


def test_another_variant_is_not_new_if_that_of_the_record_is_gone(
    project: Project,
) -> None:
    shop = Shop(project)
    shop.cases("cases: [{query: boots, judgments: {a: 3}}, {query: hats}]")
    fails = "return lambda query: ['a'] if query == 'hats' else 1 / 0"
    project.search(fails, '(params=["bm25"])', "request")
    shop.run(RECORD)
    project.search("return lambda query: ['x']", '(params=["lexical"])', "request")
    run = shop.run(AGAINST, "--relevance-baseline=require")
    assert run.code == 1
    assert 'ended in an error there ("boots[lexical]")' in words(run.summary)


# --- committed baselines --------------------------------------------------------------


def test_a_baseline_that_was_made_of_one_case_knows_the_others(shop: Shop) -> None:
    run = shop.run(UPDATE, "shop.relevance.yaml::boots")
    assert "3 cases have no accepted ranking" in words(run.summary)
    header = json.loads(shop.baseline.read_text("utf-8").partition("\n")[0])
    assert header["without_ranking"] == [
        ["coats", None, "not run"],
        ["hats", None, "not run"],
        ["socks", None, "not run"],
    ]
    shop.returns(hats="x", socks="x", coats="x")
    run = shop.run(*REQUIRE)
    assert run.code == 1
    assert "the baseline has no ranking of 3 cases that ran" in words(run.summary)
    shop.run("--relevance-update=new")  # which accepts their rankings
    assert shop.run(*REQUIRE).code == 0
    header = json.loads(shop.baseline.read_text("utf-8").partition("\n")[0])
    assert "without_ranking" not in header


def test_an_update_lists_the_cases_that_ended_in_an_error(shop: Shop) -> None:
    shop.returns(hats="boom")
    shop.run(UPDATE)
    shop.returns(hats="x")
    run = shop.run(*REQUIRE)
    assert run.code == 1
    assert '1 case ended in an error there ("hats")' in words(run.summary)


def test_an_update_of_one_case_leaves_new_cases_new(shop: Shop) -> None:
    shop.run(UPDATE)
    shop.cases(CASES + "  - {query: gloves, judgments: {a: 3}}\n")
    shop.returns(gloves="x", boots="b a")
    shop.run(UPDATE, "shop.relevance.yaml::boots")
    run = shop.run(*REQUIRE)
    assert run.code == 0
    assert "1 new to the baseline" in run.summary


def test_a_case_that_is_gone_leaves_the_list(shop: Shop) -> None:
    shop.returns(hats="boom")
    shop.run(UPDATE)
    shop.cases(CASES.replace("  - {query: hats, judgments: {a: 3}}\n", ""))
    shop.run(UPDATE)
    header = json.loads(shop.baseline.read_text("utf-8").partition("\n")[0])
    assert "without_ranking" not in header


# --- pytest-relevance report RUN --against RUN ----------------------------------------


def test_a_report_of_two_records_says_it_too(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.returns(hats="boom")
    shop.run(RECORD)
    shop.returns(hats="x", socks="boom")
    shop.run("--relevance-record=branch.jsonl")
    capsys.readouterr()
    assert main(["report", "branch.jsonl", "--against", "main.jsonl"]) == 0
    said = words(capsys.readouterr().out)
    assert 'not compared: 1 case ended in an error ("socks")' in said
    assert "main.jsonl has no ranking of 1 case that ran" in said
