"""The options that say how a judgment file is read, of each command that has them."""

import pytest

from pytest_relevance import read_judgments, read_suite
from tests.cli.conftest import Terminal

RATED = """
query,shop,number,rater,grade,weight_rating
boots,a,1,ann,0,2
boots,b,1,ann,3,2
boots,a,1,ben,1,2
boots,b,1,ben,3,2
"""
BY_TEMPLATE = ("rated.csv", "--grade-column=grade", "--id-field={shop}/{number}")


@pytest.fixture
def rated(terminal: Terminal) -> Terminal:
    terminal.write("rated.csv", RATED)
    return terminal


def test_convert(rated: Terminal) -> None:
    said = rated.run("convert", *BY_TEMPLATE, "shop.qrels", "--raters=max")
    assert said.code == 0, said.err
    assert read_judgments("shop.qrels") == {"boots": {"a/1": 1, "b/1": 3}}


def test_check(rated: Terminal) -> None:
    said = rated.run("check", *BY_TEMPLATE)
    assert (said.code, "2 judgments" in said.out) == (0, True), said


def test_raters(rated: Terminal) -> None:
    rated.write("rated.csv", RATED.replace(",weight_rating", "").replace(",2\n", "\n"))
    said = rated.run("raters", "rated.csv", BY_TEMPLATE[-1])
    assert (said.code, "a/1" in said.out) == (0, True), said


def test_init(rated: Terminal) -> None:
    said = rated.run("init", "--judgments", *BY_TEMPLATE)
    assert said.code == 0, said.err
    (case,) = read_suite("search.relevance.yaml").cases
    assert case.judgments == {"a/1": 0.5, "b/1": 3}


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("--id-field={shop", "its braces do not form pairs"),
        ("--format=cvs", 'did you mean "csv"?'),
        ("--raters=mode", "ratings are combined by"),
        ("--scale=3..0", "expected [lowest, highest]"),
        ("--scale=good=x", 'the grade of "good" is a number'),
        ("--scale=good=1,good=2", 'found "good=1,good=2"'),
        ("--scale=good", 'expected exact=3,substitute=2,... or 0..3, found "good"'),
    ],
)
def test_a_value_that_cannot_be_meant(rated: Terminal, option: str, says: str) -> None:
    assert says in rated.refused("check", "rated.csv", option)
