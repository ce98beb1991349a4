"""Known items in runs: what fails and what it says, what is counted, and that nothing
of them waits for judgments.
"""

import csv
import json
from collections.abc import Callable, Mapping

import pytest

from pytest_relevance import compare_runs
from tests.helpers import page_text
from tests.plugin.conftest import Command, Project, Run
from tests.plugin.shop import UPDATE

SEARCH = """
    import json
    import pytest

    def share(query, text):
        words = text.lower().split()
        return len(query & {*words}) / len(words)

    @pytest.fixture
    def search():
        with open("index.json", encoding="utf-8") as file:
            index = json.load(file)

        def search(query, k=10):
            words = {*query.lower().split()}
            shares = {document: share(words, text) for document, text in index.items()}
            found = [document for document in index if shares[document]]
            found.sort(key=lambda document: -shares[document])
            return found[:k]

        return search
"""
"""A search for the words of a text: the larger their share of the text, the better."""

COLOURS = ("red", "blue", "green", "grey", "black")
THINGS = ("shoe", "hat", "sock", "coat")
PRODUCTS = {
    f"{thing}-{colour}": f"{colour} {thing}" for thing in THINGS for colour in COLOURS
}
SUITE = "known_items: {file: catalogue.csv, query: title, document: id}\n"

Runs = Callable[..., Run]


@pytest.fixture
def ran(project: Project) -> Runs:
    """Run a suite of known items with what the index has of each product."""
    rows = "".join(f"{document},{title}\n" for document, title in PRODUCTS.items())
    project.write("catalogue.csv", f"id,title\n{rows}")
    project.conftest(SEARCH)

    def run(index: Mapping[str, str], *options: str, suite: str = SUITE) -> Run:
        project.write("index.json", json.dumps(index))
        project.cases(suite)
        return project.run(*options)

    return run


def below(item: str, others: int) -> dict[str, str]:
    """An index in which variants of a product are above the product."""
    index = {f"{item}-{number}": PRODUCTS[item] for number in range(others)}
    return index | PRODUCTS


def test_a_title_that_finds_its_product_passes(ran: Runs) -> None:
    run = ran(PRODUCTS)
    assert (run.code, run.counts) == (0, {"passed": 20})
    first, *_ = run.sentences()
    assert first == "20 known items: 20 passed; mean RR@10 1.000"
    assert run.sentences("20 of 20 known items") == [
        "20 of 20 known items are first, 20 in the first 3"
    ]
    shoe = run.results["red shoe"]
    assert shoe.is_known_item
    assert shoe.evaluation.scores == {"RR@10": 1, "Success@3": 1}


def test_a_failure_says_where_the_product_is(ran: Runs, project: Project) -> None:
    run = ran(below("hat-red", 5))
    assert run.counts == {"passed": 19, "failed": 1}
    assert run.told("red hat").startswith(
        'catalogue.csv:7: Success@3 0.000 is below 1.000: "hat-red" is at rank 6 query "red hat"'
    )
    assert run.results["red hat"].score == pytest.approx(1 / 6)
    reports = project.reports()
    assert reports.all_say("19 of 20 known items are first, 19 in the first 3")
    assert reports.all_say('"hat-red" is at rank 6')


def test_what_is_missing_in_the_index_is_not_returned(ran: Runs) -> None:
    """Ten per cent of the products are missing."""
    index = dict(list(PRODUCTS.items())[:-2])
    run = ran(index)
    assert run.counts == {"passed": 18, "failed": 2}
    assert '"coat-black" is not returned' in run.told("black coat")
    assert "18 of 20 known items are first, 18 in the first 3, 2 not returned" in (
        run.said
    )


def test_the_index_says_which_products_it_lacks(ran: Runs, project: Project) -> None:
    titles = """
    @pytest.fixture
    def relevance_documents():
        with open("index.json", encoding="utf-8") as file:
            index = json.load(file)
        return lambda ids: {each: index[each] for each in ids if each in index}
    """
    project.conftest(f"{SEARCH}\n{titles}")
    run = ran(dict(list(PRODUCTS.items())[:-2]))
    assert '"coat-black" is not in the index' in run.told("black coat")
    assert "2 judged or expected documents of 2 cases are not in the index" in run.said


def test_a_title_field_that_is_not_indexed_fails_nearly_all(ran: Runs) -> None:
    index = {document: f"a fine {document}" for document in PRODUCTS}
    run = ran(index)
    assert run.counts == {"failed": 20}
    assert "0 of 20 known items are first, 0 in the first 3, 20 not returned" in (
        run.said
    )
    assert "returned nothing in any case (20): is the index empty?" in run.said


# What is not asked of anybody


def test_nothing_is_listed_for_judging_and_nothing_is_open(
    ran: Runs, project: Project
) -> None:
    ran(PRODUCTS, UPDATE)
    run = ran(below("hat-red", 5), "--relevance-unjudged=worklist.csv")
    assert run.sentences()[0] == ("Search got worse: 1 of 20 queries (for certain)")
    assert "judge " not in run.summary
    with (project.path / "worklist.csv").open(encoding="utf-8", newline="") as file:
        assert [*csv.DictReader(file)] == []


# Beside judged cases

JUDGED = """\
min_ndcg: 0.1
expect: {P@5: 0.1}
gates:
- mean: {nDCG@10: 0.9}
- mean: {RR: 0.9, Success@3: 0.97}
- passing: 0.95
cases:
- {query: hat, judgments: {hat-red: 3, hat-blue: 1}}
- {query: red, judgments: {shoe-red: 1}}
"""


def test_judged_cases_are_counted_apart(ran: Runs) -> None:
    run = ran(PRODUCTS, suite=SUITE + JUDGED)
    assert run.sentences()[0] == (
        "20 known items and 2 judged cases: 22 passed; mean nDCG@10 1.000"
    )
    assert "20 of 20 known items are first, 20 in the first 3; mean RR@10 1.000" in (
        run.said
    )
    assert {*run.gates.values()} == {"passed"}
    assert "(2 cases, without the 20 known items)" in run.said


def test_means_beside_known_items_say_which_cases_they_are_over(
    ran: Runs, project: Project
) -> None:
    gates = JUDGED.replace("- passing: 0.95", "- min: {nDCG@10: 0.9}")
    ran(PRODUCTS, "--relevance-record=one.jsonl", suite=SUITE + gates)
    found = project.reports("--relevance-against=one.jsonl")
    without = "2 cases, without the 20 known items"
    assert found.all_say(f"over {without}")
    assert f"mean nDCG@10 1.000, at least 0.900 ({without})" in found.run.said
    assert f'lowest nDCG@10 1.000 ("hat" and 1 more), at least 0.900 ({without})' in (
        found.run.said
    )
    assert "mean RR 1.000, at least 0.900 (22 cases, of which 20 are known items)" in (
        found.run.said
    )


def test_gates_on_rr_and_passing_see_known_items(ran: Runs) -> None:
    run = ran(below("sock-grey", 5), suite=SUITE + JUDGED)
    assert run.gates == {
        "gate[mean nDCG@10 0.9]": "passed",
        "gate[mean RR 0.9, Success@3 0.97]": "failed",  # by Success@3, 21 of 22
        "gate[passing 0.95]": "passed",
    }


def test_a_gate_on_ndcg_has_no_value_for_known_items(ran: Runs) -> None:
    run = ran(PRODUCTS, suite=SUITE + "gates: [mean: {nDCG@10: 0.5}]\n")
    assert run.gates == {"gate[mean nDCG@10 0.5]": "failed"}


# Compared with earlier runs


def test_a_known_item_stays_one_in_records_and_baselines(
    ran: Runs, project: Project, command: Command
) -> None:
    ran(PRODUCTS, UPDATE, "--relevance-record=one.jsonl")
    run = ran(below("hat-red", 5), "--relevance-record=two.jsonl")
    assert "mean RR@10 1.000 -> 0.958" in run.said
    assert "RR@10 1.000 -> 0.167" in run.told("red hat")
    assert all(result.is_known_item for result in project.recorded("two.jsonl").results)

    comparison = compare_runs("one.jsonl", "two.jsonl")
    assert [row.metric for row in comparison.metrics] == ["RR@10"]
    counts = comparison.counts
    assert (counts.got_worse, counts.certain, counts.open) == (1, 1, 0)

    skipped = compare_runs("one.jsonl", "two.jsonl", unjudged="skip")
    assert skipped.counts.got_worse == 1  # the settings of known items stay

    replayed = command("replay", "two.jsonl", "-p", "no:asyncio")
    assert replayed.code == 1
    assert "19 of 20 known items are first" in replayed.out
    printed = command("report", "--format", "json", "two.jsonl")
    (figures,) = json.loads(printed.out)["known_items"]
    assert (figures["items"], figures["first"], figures["early"]) == (20, 19, 19)


def test_a_mixed_comparison_has_a_mean_for_each_kind(ran: Runs) -> None:
    ran(PRODUCTS, "--relevance-record=one.jsonl", suite=SUITE + JUDGED)
    ran(
        below("hat-red", 5),
        "--relevance-record=two.jsonl",
        suite=SUITE + JUDGED,
    )
    comparison = compare_runs("one.jsonl", "two.jsonl")
    queries = {row.metric: row.means.queries for row in comparison.metrics}
    assert queries == {"nDCG@10": 2, "RR@10": 20}
    of_ndcg = compare_runs("one.jsonl", "two.jsonl", metrics=["nDCG@10"])
    (row,) = of_ndcg.metrics
    assert row.means.queries == 2


WEIGHED = """\
cases:
- {query: hat, judgments: {hat-red: 3, hat-blue: 1}, weight: 3}
- {query: red, judgments: {shoe-red: 1}}
"""


def test_items_that_are_lost_are_told_by_every_report(
    ran: Runs, project: Project, command: Command
) -> None:
    """The judged cases of another suite have a mean of their own."""
    project.cases(WEIGHED, "judged.relevance.yaml")
    ran(PRODUCTS, "--relevance-record=one.jsonl")
    without_coats = dict(list(PRODUCTS.items())[:-3])
    project.write("index.json", json.dumps(without_coats))
    found = project.reports("--relevance-against=one.jsonl", "-q")
    lost = "3 of 20 known items are not found any more: is the index complete?"
    assert found.all_say(lost)
    compare = ("compare", "one.jsonl", "run.jsonl")
    assert lost in command(*compare).out
    page = project.path / "compare.html"
    command(*compare, "--format=html", f"--output={page}")
    assert lost in page_text(page.read_text(encoding="utf-8"))
    assert "weighted mean nDCG@10 1.000 -> 1.000, unchanged" in found.run.said
    assert "over 2 suites" not in found.run.said + found.markdown + found.page
    report = ("report", "--format=json", "run.jsonl")
    (figures,) = json.loads(command(*report).out)["known_items"]
    assert (figures["items"], figures["not_returned"], figures["lost"]) == (20, 3, 3)
    (before,) = json.loads(command(*report[:2], "one.jsonl").out)["known_items"]
    assert (before["not_returned"], before["lost"]) == (0, None)


def test_nothing_is_said_of_items_that_the_reference_lacks_too(ran: Runs) -> None:
    without_coats = dict(list(PRODUCTS.items())[:-3])
    ran(without_coats, "--relevance-record=one.jsonl")
    run = ran(without_coats, "--relevance-against=one.jsonl")
    assert "17 in the first 3, 3 not returned" in run.said
    assert "any more" not in run.said


def test_workers_and_tags(ran: Runs) -> None:
    run = ran(PRODUCTS, "-n1", "-m", "titles", suite=f"{SUITE}tags: [titles]\n")
    assert run.counts == {"passed": 20}
    assert "20 known items: 20 passed" in run.said


def test_rows_that_are_left_out_are_named(ran: Runs, project: Project) -> None:
    catalogue = project.path / "catalogue.csv"
    catalogue.write_text(catalogue.read_text(encoding="utf-8") + "none,\n", "utf-8")
    run = ran(PRODUCTS)
    assert "left out of the known items, of 21 rows: 1 row without a title" in run.said


def test_the_command_check_reads_known_items(
    ran: Runs, project: Project, command: Command
) -> None:
    ran(PRODUCTS)
    printed = command("check", "shop.relevance.yaml")
    assert (printed.code, printed.err) == (0, "")
    assert "20 known items" in printed.out
