"""`--id-field`: the columns of a judgment file that have the ids of documents."""

import pytest

from pytest_relevance import read_judgments, read_suite
from tests.cli.conftest import Terminal

RATED = """
query,shop,number,rater,grade
boots,a,1,ann,0
boots,b,1,ann,3
boots,a,1,ben,1
boots,b,1,ben,3
"""
OPTION = "--id-field={shop}/{number}"


@pytest.fixture
def rated(terminal: Terminal) -> Terminal:
    terminal.write("rated.csv", RATED)
    return terminal


def test_convert(rated: Terminal) -> None:
    said = rated.run("convert", "rated.csv", "shop.qrels", "--raters=max", OPTION)
    assert said.code == 0, said.err
    assert read_judgments("shop.qrels") == {"boots": {"a/1": 1, "b/1": 3}}


def test_check(rated: Terminal) -> None:
    said = rated.run("check", "rated.csv", OPTION)
    assert said.code == 0, said.err
    assert "2 judgments" in said.out


def test_raters(rated: Terminal) -> None:
    said = rated.run("raters", "rated.csv", OPTION)
    assert said.code == 0, said.err
    assert "a/1" in said.out


def test_init(rated: Terminal) -> None:
    said = rated.run("init", "--judgments=rated.csv", OPTION)
    assert said.code == 0, said.err
    (case,) = read_suite("search.relevance.yaml").cases
    assert dict(case.judgments) == {"a/1": 0.5, "b/1": 3}


def test_what_is_no_field(rated: Terminal) -> None:
    said = rated.run("check", "rated.csv", "--id-field={shop")
    assert said.code == 2
    assert "its braces do not form pairs" in said.err


def test_a_suite_whose_template_needs_the_index(terminal: Terminal) -> None:
    terminal.write("rated.csv", "query,index,doc_id,grade\nboots,a,1,3\nboots,b,1,\n")
    terminal.write(
        "shop.relevance.yaml",
        "id_field: '{_index}/{_id}'\njudgments: rated.csv\ncases: [{query: boots}]\n",
    )
    said = terminal.run("check", "shop.relevance.yaml")
    assert "rated.csv: 1 of 2 documents" in said.out
