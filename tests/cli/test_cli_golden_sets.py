"""Golden sets of other tools, and passages, in `convert`, `check` and `init`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_relevance import evaluate, read_judgments, read_suite

if TYPE_CHECKING:
    from tests.cli.conftest import Terminal

LATE = {
    "user_input": "late",
    "reference_contexts": ["It is free, of course.", "=1+1 is 2, they always say"],
}
LOST = {"user_input": "lost", "reference_contexts": ["We look for it everywhere"]}
PASSAGES = {
    "late": {"It is free, of course.": 1, "=1+1 is 2, they always say": 1},
    "lost": {"We look for it everywhere": 1},
}
HALF = (
    "that half of a context is enough: quotes are written, which a result has to hold"
)


@pytest.fixture
def golden(terminal: Terminal) -> Terminal:
    terminal.write("set.jsonl", f"{json.dumps(LATE)}\n{json.dumps(LOST)}\n")
    return terminal


@pytest.mark.parametrize("name", ["out.csv", "out.jsonl", "out.relevance.yaml"])
def test_contexts_become_quotes(golden: Terminal, name: str) -> None:
    said = golden.run("convert", "set.jsonl", name)
    assert (said.code, said.out) == (0, f"written: {name}: 2 queries, 3 judgments\n")
    assert said.err.startswith(f"{name}: {HALF}")
    back = golden.run("convert", name, "back.csv")
    assert (back.code, back.err) == (0, "")
    judgments = read_judgments("back.csv")
    assert judgments == PASSAGES
    assert judgments.documents_are == "quotes"


def test_a_case_file_has_passages(golden: Terminal) -> None:
    golden.run("convert", "set.jsonl", "out.relevance.yaml")
    late, lost = read_suite("out.relevance.yaml").cases
    assert [passage.name for passage in late.passages] == [*PASSAGES["late"]]
    assert not lost.passages[0].is_context
    golden.write("two.csv", "query,passage,grade\nlate,It is free of charge,2\n")
    golden.run("convert", "two.csv", "two.relevance.yaml")
    assert read_suite("two.relevance.yaml").cases[0].passages[0].grade == 2


def test_qrels_have_no_passages(golden: Terminal) -> None:
    said = golden.run("convert", "set.jsonl", "out.qrels")
    assert said.code == 1
    assert "TREC qrels have ids of documents, and these judgments have pas" in said.err


def test_what_judgments_lose_of_passages(terminal: Terminal) -> None:
    terminal.write(
        "a.relevance.yaml",
        "cases: [{query: late, passages: [{any: [It is free of charge, c'est gratuit]}]}]",
    )
    said = terminal.run("convert", "a.relevance.yaml", "a.csv")
    assert "the passages in several forms or with conditions of 1 case" in said.err


def test_columns_are_named(terminal: Terminal) -> None:
    row = {"inputs": {"question": "late"}, "outputs": {"ids": ["m-1"]}}
    terminal.write("runs.jsonl", f"{json.dumps(row)}\n")
    columns = ("--query", "inputs.question", "--document", "outputs.ids")
    assert terminal.run("convert", "runs.jsonl", "out.csv", *columns).code == 0
    assert read_judgments("out.csv") == {"late": {"m-1": 1}}
    said = terminal.run("check", "runs.jsonl", *columns)
    assert said.out == "1 file, 1 query, 1 judgment: no errors, no warnings\n"
    assert terminal.run("init", "new", "--judgments", "runs.jsonl", *columns).code == 0
    (case,) = read_suite("new/search.relevance.yaml").cases
    assert case.judgments == {"m-1": 1}
    both = terminal.run("check", "runs.jsonl", "--document", "a", "--context", "b")
    assert (
        "one of --document, --passage and --context, found --document and" in both.err
    )


def test_a_first_suite_names_a_golden_set_once(golden: Terminal) -> None:
    assert golden.run("init", "new", "--judgments", "set.jsonl").code == 0
    assert 'queries: "../set.jsonl"\nmin_ndcg' in golden.read(
        "new/search.relevance.yaml"
    )
    assert "set.jsonl has passages, so return texts" in golden.read("new/conftest.py")
    assert len(read_suite("new/search.relevance.yaml").cases) == 2


def test_yaml_of_promptfoo_is_no_case_file(terminal: Terminal) -> None:
    test = "{vars: {query: late}, assert: [{type: context-recall, value: It is free}]}"
    terminal.write("promptfooconfig.yaml", f"tests:\n- {test}\n")
    said = terminal.run("check", "promptfooconfig.yaml")
    assert said.out == "1 file, 1 query, 1 judgment: no errors, no warnings\n"
    assert terminal.run("convert", "promptfooconfig.yaml", "out.csv").code == 0
    assert read_judgments("out.csv") == {"late": {"It is free": 1}}
    terminal.write("suite.yaml", "cases: [{query: late, expects: {results: 1}}]")
    assert 'unknown key "expects" of a case' in terminal.run("check", "suite.yaml").out


def test_rankings_of_ids_are_not_judged_by_texts(golden: Terminal) -> None:
    with pytest.raises(
        ValueError, match=r"make a suite of the file: queries: set\.jsonl"
    ):
        evaluate(read_judgments("set.jsonl"), {"late": ["m-1"]}, "nDCG@10")
