"""Cases under another id, in another file or in another variant keep their accepted
ranking.

Which cases were moved is in `tests/results/test_moved_cases.py`.
"""

import pytest

from tests.plugin.conftest import Accepted, Command, Project, Run, one_line
from tests.plugin.shop import (
    BASELINE,
    BOTH,
    KNOWN,
    ONLY_NEW,
    RECORD,
    REQUIRE,
    UPDATE,
    Shop,
)

SHOP, STORE = "shop.relevance.yaml", "store.relevance.yaml"
BOOTS = "{query: boots, judgments: {b: 3}}"
HATS = "{query: hats, judgments: {h: 3}}"
SEE = "{id: see, query: boots, judgments: {b: 3}}"
LOOK = SEE.replace("see", "look")


@pytest.fixture
def shop(project: Project) -> Shop:
    """A shop whose rankings of boots and hats were accepted, and recorded on main."""
    shop = Shop(project)
    shop.cases(f"cases: [{BOOTS}, {HATS}]")
    shop.returns(boots="b", hats="h")
    shop.run(UPDATE, RECORD)
    shop.returns(boots="x b")
    return shop


def told(run: Run) -> str:
    """What the summary says of moved cases, in one line."""
    return " ".join(run.sentences("1 case was moved") or run.sentences("2 cases were"))


@BOTH
def test_a_case_under_another_id_is_compared(shop: Shop, against: list[str]) -> None:
    shop.cases(f"cases: [{SEE}, {HATS}]")
    run = shop.run(*against)
    assert run.outcomes == {"see": "failed", "hats": "passed"}
    assert 'keeps its accepted ranking: "boots" is now "see"' in told(run)
    assert "not compared" not in run.text


@BOTH
def test_a_case_in_another_file_is_compared(shop: Shop, against: list[str]) -> None:
    shop.cases(f"cases: [{HATS}]")
    shop.cases(f"cases: [{BOOTS}]", STORE)
    run = shop.run(*against)
    assert run.outcomes == {"boots": "failed", "hats": "passed"}
    assert f'"boots" of {SHOP} is now in {STORE}' in told(run)
    assert "not compared" not in run.text


@BOTH
def test_the_cases_of_a_renamed_file_are_compared(
    shop: Shop, against: list[str]
) -> None:
    (shop.path / "deeper").mkdir()
    (shop.path / SHOP).rename(shop.path / "deeper" / STORE)
    run = shop.run(*against)
    assert run.outcomes == {"boots": "failed", "hats": "passed"}
    assert f"2 cases of {SHOP} are now in deeper/{STORE}" in told(run)


@BOTH
def test_ids_may_be_the_numbers_of_rows(shop: Shop, against: list[str]) -> None:
    shop.cases("queries: queries.csv\njudgments: judgments.csv\n")
    shop.write("judgments.csv", "query,document,grade\nboots,b,3\nhats,h,3\n")
    shop.write("queries.csv", "id,query\n1,boots\n2,hats\n")
    shop.returns(boots="b", belts="")
    shop.run(UPDATE, RECORD)
    shop.returns(boots="x b")
    shop.write("queries.csv", "id,query\n1,belts\n2,boots\n3,hats\n")
    run = shop.run(*against)
    assert run.outcomes == {"1": "passed", "2": "failed", "3": "passed"}
    assert '"1" is now "2" and "2" is now "3"' in told(run)
    assert "stale" not in run.text


@BOTH
def test_a_case_that_asks_something_else_is_new(shop: Shop, against: list[str]) -> None:
    now = SEE.replace("}}", "}, params: {n: 1}}")
    shop.search("return lambda query, n=0: ['x']")
    shop.cases(f"cases: [{now}, {HATS}]")
    run = shop.run(*against)
    assert run.outcomes["see"] == "passed"
    assert told(run) == ""
    assert '1 case is gone ("boots")' in run.text


@BOTH
def test_what_is_ambiguous_is_told_and_not_guessed(
    shop: Shop, against: list[str]
) -> None:
    shop.cases(f"cases: [{SEE}, {LOOK}, {HATS}]")
    run = shop.run(*against)
    assert run.outcomes == {"see": "passed", "look": "passed", "hats": "passed"}
    several = "several cases fit, so nothing is compared"
    may = f'2 cases may have been moved, but {several} ("see" and "look")'
    assert run.sentences("2 cases may") == [may]
    assert '1 case is gone ("boots")' in run.text
    run = shop.run(REQUIRE, *against)
    assert run.code == 1
    assert "does not compare 1 case" in one_line(run.text)


@BOTH
def test_a_case_that_the_reference_knows_as_an_error_was_not_moved(
    shop: Shop, against: list[str]
) -> None:
    """It is another case, which asks the same as the one that is gone."""
    shop.cases(f"cases: [{BOOTS}, {HATS}, {SEE.replace('boots', 'belts')}]")
    shop.returns(boots="b", belts="boom")
    shop.run(UPDATE, RECORD)
    shop.returns(boots="x b")
    shop.cases(f"cases: [{HATS}, {SEE}]")
    run = shop.run(*against)
    assert told(run) == ""
    assert run.results["see"].baseline is not None
    assert run.results["see"].baseline.standing == "not compared"


# --- variants -------------------------------------------------------------------------


def search_of(project: Project, **rankings: str) -> None:
    """Write a search of these variants, each with its ranking."""
    variants = [
        f'pytest.param("{found}", id="{name}")' for name, found in rankings.items()
    ]
    parameters = f"(params=[{', '.join(variants)}])"
    project.search("return lambda query: request.param.split()", parameters, "request")


@BOTH
def test_a_renamed_variant_is_compared(project: Project, against: list[str]) -> None:
    project.cases(f"cases: [{BOOTS}]")
    search_of(project, bm25="b", knn="b")
    project.run(UPDATE, RECORD)
    search_of(project, lexical="x b", knn="b")
    run = project.run(*against)
    assert run.outcomes["boots[lexical]"] == "failed"
    assert '"boots[bm25]" is now "boots[lexical]"' in told(run)
    assert "stale" not in run.text


@BOTH
def test_several_cases_of_a_renamed_variant_are_told_together(
    project: Project, against: list[str]
) -> None:
    project.cases(f"cases: [{BOOTS}, {HATS}]")
    search_of(project, bm25="b h", knn="h b")
    project.run(UPDATE, RECORD)
    search_of(project, bm25="b h", vectors="h b")
    run = project.run(*against)
    assert run.counts == {"passed": 4}
    moved = '2 cases had the variant "knn" and have the variant "vectors"'
    assert moved in told(run)
    assert "new" not in run.summary


# --- updates --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "returned", "see", "done"),
    [
        ([ONLY_NEW], "x b", "b", "1 moved, 1 as they were"),
        ([UPDATE], "x b", "x b", "1 changed, 1 as they were"),
        ([UPDATE], "boom", "b", "1 moved, 1 as they were"),
        ([UPDATE, "-k", "hats"], "x b", "b", "1 moved, 1 as they were; 1 of 2 cases"),
    ],
)
def test_an_update_writes_the_accepted_ranking_under_the_new_id(
    shop: Shop, options: list[str], returned: str, see: str, done: str
) -> None:
    shop.cases(f"cases: [{SEE}, {HATS}]")
    shop.returns(boots=returned)
    run = shop.run(*options)
    (said,) = run.sentences(f"baseline {BASELINE}: ")
    assert said.startswith(f"baseline {BASELINE}: {done}")
    assert shop.accepted() == {"see": see, "hats": "h"}


@pytest.mark.parametrize(
    ("options", "boots"),
    [([UPDATE], "x b"), ([ONLY_NEW, "-n1"], "b")],
    ids=["all", "new"],
)
def test_an_update_moves_a_ranking_and_its_titles_to_another_file(
    shop: Shop, options: list[str], boots: str
) -> None:
    shop.cases(f"cases: [{HATS}]")
    shop.cases(f"cases: [{BOOTS}]", STORE)
    shop.run(*options)
    assert shop.accepted() == {"hats": "h"}
    assert shop.accepted(STORE) == {"boots": boots}
    titles = Accepted(shop.path / f"{STORE}.baseline.jsonl").titles
    assert titles["b"] == "Title of b"


# --- gates and reports ----------------------------------------------------------------


@BOTH
def test_a_known_gate_stays_known(shop: Shop, against: list[str]) -> None:
    gate = "gates: [{mean: {nDCG@10: 0.9}}]\n"
    shop.returns(boots="x y")
    shop.cases(f"{gate}cases: [{BOOTS}, {HATS}]")
    shop.run(UPDATE, RECORD)
    shop.cases(f"{gate}cases: [{SEE}, {HATS}]")
    run = shop.run(KNOWN, *against)
    assert run.gates == {"gate[mean nDCG@10 0.9]": "xfailed"}
    assert "are only" not in run.text


def test_reports_say_what_was_moved(shop: Shop, command: Command) -> None:
    shop.cases(f"cases: [{SEE}, {HATS}]")
    said = '"boots" is now "see"'
    assert shop.reports().all_say(said)
    assert said in command("report", "run.jsonl").out
    (moved,) = shop.recorded().files[SHOP].moved
    assert (moved.id, moved.id_before, moved.file_before) == ("see", "boots", SHOP)


def test_a_report_beside_a_record_finds_moved_cases(
    shop: Shop, command: Command
) -> None:
    shop.cases(f"cases: [{HATS}]")
    shop.cases(f"cases: [{BOOTS}]", STORE)
    shop.run("--relevance-record=now.jsonl", "--relevance-baseline=auto")
    said = command("report", "now.jsonl", "--against", "main.jsonl").out
    assert f'"boots" of {SHOP} is now in {STORE}' in said
    assert "Search got worse: 1 of 2 queries" in said
    assert "not compared" not in said
