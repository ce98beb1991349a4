"""The table of docs/howto/build.md: what fails the build, in each of its situations.

The first sentence of each function below is the first cell of a row.
"""

import re
from collections.abc import Callable

import pytest

from tests.plugin.conftest import Project
from tests.plugin.shop import AGAINST, KNOWN, RECORD, REQUIRE, UPDATE, Shop
from tests.walkthrough import PAGES

COLUMNS = ([REQUIRE], [AGAINST], [AGAINST, REQUIRE])
"""The options of the three columns: a committed baseline, a record, both."""

COMMAND = (KNOWN, "--relevance-gates=require", "--relevance-markdown=run.md")
WORDS = {"✅": "passes", "⚠️": "told", "❌": "fails"}
"""What the page says for each mark of the sentence of a report."""

BOOTS = "  - {query: boots, judgments: {a: 3, b: 2}}\n"
GATES = "gates: [{mean: {nDCG@10: 0.1}}]\n"
CASES = f"""
min_ndcg: 0.8
cases:
{BOOTS}  - {{query: hats, judgments: {{a: 3, b: 2, c: 1}}}}
  - {{query: socks, judgments: {{a: 3}}}}
{GATES}"""
GLOVES = "gloves.relevance.yaml"
MITTENS = "mittens.relevance.yaml"
GLOVES_CASE = "{query: gloves, judgments: {a: 3}}"
GRADES = "query,document,grade\nscarves,a,3\ncoats,a,3\ncaps,a,3\n"
LOG = "query,weight\nscarves,2000\ncoats,1000\ncaps,1\n"
COATS = "{query: coats, judgments: {a: 3}}"


def replace(shop: Shop, old: str, new: str) -> None:
    """Replace a part of the case file."""
    assert old in CASES
    shop.cases(CASES.replace(old, new))


def fall(shop: Shop) -> None:
    """A query fell by more than 0.05."""
    shop.returns(boots="x b a")


def fall_above_the_floor(shop: Shop) -> None:
    """A query fell by more than 0.05, and is above its floor."""
    replace(shop, "min_ndcg: 0.8", "min_ndcg: 0.1")
    shop.run(UPDATE, RECORD)
    shop.returns(boots="x b a")


def fall_by_little(shop: Shop) -> None:
    """A query fell by less than 0.05."""
    shop.returns(boots="a x b")


def rise(shop: Shop) -> None:
    """A query got better."""
    shop.returns(socks="a x")


def stay_bad(shop: Shop) -> None:
    """A query that failed before fails as before."""


def get_worse_by_little(shop: Shop) -> None:
    """A query that failed before fell by less than 0.05."""
    shop.returns(hats="x x2 c b")


def get_worse_by_much(shop: Shop) -> None:
    """A query that failed before fell by more than 0.05."""
    shop.returns(hats="x y")


def start_with_a_failing_gate(shop: Shop) -> None:
    """Accept rankings whose mean is below the bound of a gate."""
    replace(shop, "nDCG@10: 0.1", "nDCG@10: 0.9")
    shop.run(UPDATE, RECORD)


def keep_the_gate_failing(shop: Shop) -> None:
    """A `mean` gate failed before, and its mean did not fall."""
    start_with_a_failing_gate(shop)


def fall_below_a_failing_gate(shop: Shop) -> None:
    """A `mean` gate failed before, and its mean fell by less than 0.05."""
    start_with_a_failing_gate(shop)
    shop.returns(boots="a x b")


def break_the_engine(shop: Shop) -> None:
    """The engine is down."""
    shop.returns(boots="boom", hats="boom", socks="boom", gloves="boom")


def lose_the_record(shop: Shop) -> None:
    """The record of main is missing."""
    (shop.path / "main.jsonl").unlink()


def lose_a_baseline(shop: Shop) -> None:
    """A committed baseline is missing."""
    (shop.path / f"{GLOVES}.baseline.jsonl").unlink()


def add_a_case(shop: Shop) -> None:
    """A new case, which meets its floor."""
    shop.returns(coats="a")
    replace(shop, BOOTS, f"{BOOTS}  - {COATS}\n")


def add_a_file(shop: Shop) -> None:
    """A new case file."""
    shop.returns(coats="a")
    shop.cases(f"cases: [{COATS}]", "coats.relevance.yaml")


def rename_a_case(shop: Shop) -> None:
    """A case is renamed."""
    replace(shop, "{query: boots,", "{id: winter boots, query: boots,")


def move_a_case(shop: Shop) -> None:
    """A case is moved to another file with the same floor and gates."""
    of_gloves = f"min_ndcg: 0.8\n{GATES}cases:\n  - {GLOVES_CASE}\n"
    shop.cases(of_gloves, GLOVES)
    shop.run(UPDATE, RECORD)
    shop.cases(of_gloves + BOOTS, GLOVES)
    remove_a_case(shop)


def move_a_case_to_a_new_file(shop: Shop) -> None:
    """A case is moved to a new file with the same floor and gates."""
    shop.cases(f"min_ndcg: 0.8\n{GATES}cases:\n{BOOTS}", "boots.relevance.yaml")
    remove_a_case(shop)


def remove_a_case(shop: Shop) -> None:
    """A case is removed."""
    replace(shop, BOOTS, "")


def skip_a_case(shop: Shop) -> None:
    """A case is skipped."""
    replace(shop, "{query: boots,", "{query: boots, skip: later,")


def rename_a_file(shop: Shop) -> None:
    """A case file is renamed, and its baseline is not."""
    (shop.path / GLOVES).rename(shop.path / MITTENS)


def rename_a_file_and_its_baseline(shop: Shop) -> None:
    """A case file is renamed with its baseline."""
    rename_a_file(shop)
    baseline = shop.path / f"{GLOVES}.baseline.jsonl"
    baseline.rename(shop.path / f"{MITTENS}.baseline.jsonl")


def remove_a_file(shop: Shop) -> None:
    """A case file is removed, and its baseline is not."""
    (shop.path / GLOVES).unlink()


def remove_a_file_and_its_baseline(shop: Shop) -> None:
    """A case file is removed with its baseline."""
    (shop.path / GLOVES).unlink()
    (shop.path / f"{GLOVES}.baseline.jsonl").unlink()


def draw_a_sample(shop: Shop) -> None:
    """Add a suite of two queries, which are drawn from a log of three."""
    shop.returns(coats="a", scarves="a", caps="a")
    shop.write("log.csv", LOG)
    shop.write("grades.csv", GRADES)
    sample = "{file: log.csv, sample: {n: 2, by: weight}}"
    shop.cases(f"queries: {sample}\njudgments: grades.csv\n", "log.relevance.yaml")
    shop.run(UPDATE, RECORD)


def draw_another_query(shop: Shop) -> None:
    """A query left the sample, and is still in its file."""
    draw_a_sample(shop)
    shop.write("log.csv", LOG.replace("caps,1", "caps,1000000"))


def lose_a_query_of_the_log(shop: Shop) -> None:
    """A query of the sample was removed from its file."""
    draw_a_sample(shop)
    shop.write("log.csv", LOG.replace("coats,1000\n", ""))
    shop.write("grades.csv", GRADES.replace("coats,a,3\n", ""))


def lower_the_floor(shop: Shop) -> None:
    """A floor is lower."""
    replace(shop, "min_ndcg: 0.8", "min_ndcg: 0.7")


def raise_the_floor(shop: Shop) -> None:
    """A floor is higher."""
    replace(shop, "min_ndcg: 0.8", "min_ndcg: 0.85")


def loosen_a_gate(shop: Shop) -> None:
    """A gate is looser."""
    replace(shop, "nDCG@10: 0.1", "nDCG@10: 0.05")


def tighten_a_gate(shop: Shop) -> None:
    """A gate is stricter."""
    replace(shop, "nDCG@10: 0.1", "nDCG@10: 0.15")


def remove_a_gate(shop: Shop) -> None:
    """A gate is removed."""
    replace(shop, GATES, "")


def judge_another_document(shop: Shop) -> None:
    """Judgments changed, also if no score changed."""
    replace(shop, "{a: 3, b: 2}}", "{a: 3, b: 2, e: 0}}")


def change_a_query(shop: Shop) -> None:
    """The query of a case changed, and its id did not."""
    shop.returns(booots="a b")
    replace(shop, "{query: boots,", "{id: boots, query: booots,")


def select_in_addopts(shop: Shop) -> None:
    """`addopts` selects some cases of a file without gates."""
    replace(shop, GATES, "")
    shop.run(UPDATE, RECORD)
    shop.write("pytest.ini", "[pytest]\naddopts = -k socks\n")


def select_in_addopts_beside_gates(shop: Shop) -> None:
    """`addopts` selects some cases of a file with gates."""
    shop.write("pytest.ini", "[pytest]\naddopts = -k socks\n")


def misspell_a_key(shop: Shop) -> None:
    """A case file has a mistake."""
    replace(shop, "min_ndcg: 0.8", "min_ndgc: 0.8")


Situation = Callable[[Shop], None]
SITUATIONS: tuple[Situation, ...] = (
    fall,
    fall_above_the_floor,
    fall_by_little,
    rise,
    stay_bad,
    get_worse_by_little,
    get_worse_by_much,
    keep_the_gate_failing,
    fall_below_a_failing_gate,
    break_the_engine,
    lose_the_record,
    lose_a_baseline,
    add_a_case,
    add_a_file,
    rename_a_case,
    move_a_case,
    move_a_case_to_a_new_file,
    remove_a_case,
    skip_a_case,
    rename_a_file,
    rename_a_file_and_its_baseline,
    remove_a_file,
    remove_a_file_and_its_baseline,
    draw_another_query,
    lose_a_query_of_the_log,
    lower_the_floor,
    raise_the_floor,
    loosen_a_gate,
    tighten_a_gate,
    remove_a_gate,
    judge_another_document,
    change_a_query,
    select_in_addopts,
    select_in_addopts_beside_gates,
    misspell_a_key,
)


def name_of(situation: Situation) -> str:
    """The first cell of the row of a situation."""
    name = (situation.__doc__ or "").removesuffix(".")
    return name[0].lower() + name[1:]


def rows_of_the_page() -> dict[str, list[str]]:
    """The rows of the table: {what happened: a word for each column}."""
    section = PAGES["howto/build.md"].partition("## What fails the build\n")[2]
    section = section.partition("\n## ")[0]
    rows = {}
    for line in section.splitlines():
        name, *words = [cell.strip() for cell in line.strip("|").split("|")]
        if len(words) == len(COLUMNS) and set(words) <= set(WORDS.values()):
            rows[name] = words
    return rows


def test_the_page_has_a_row_for_each_situation() -> None:
    assert list(rows_of_the_page()) == [name_of(each) for each in SITUATIONS]


@pytest.mark.parametrize("situation", SITUATIONS, ids=name_of)
def test_what_fails_the_build(situation: Situation, project: Project) -> None:
    shop = Shop(project)
    shop.cases(CASES)
    shop.cases(f"cases: [{GLOVES_CASE}]", GLOVES)
    shop.returns(boots="a b", hats="x c b", socks="x a", gloves="a")
    shop.run(UPDATE, RECORD)
    situation(shop)
    assert [outcome(shop, options) for options in COLUMNS] == rows_of_the_page().get(
        name_of(situation)
    )


def outcome(shop: Shop, options: list[str]) -> str:
    """The word of the page for what a run does.

    A run whose options are refused writes no report.
    """
    report = shop.path / "run.md"
    report.unlink(missing_ok=True)
    code = shop.run(*COMMAND, *options).code
    if code == pytest.ExitCode.USAGE_ERROR:
        return "fails"
    (mark,) = re.findall("^### (\\S+) ", report.read_text("utf-8"), re.MULTILINE)
    word = WORDS[mark]
    assert (word == "fails") == (code != 0)
    return word
