"""Judgments become a case file and come back: what a case says of its query travels."""

from __future__ import annotations

from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.cases.writing import judgments_of, losses_of
from pytest_relevance.judgments.model import Query

SHOP = b"""\
min_ndcg: 0.5
params: {locale: en}
cases:
  - query: boots
    id: q1
    judgments: {a: {grade: 3, title: Aurora}, b: [0, 1]}
  - query: laces
    min_ndcg: null
    note: by the metre
"""


def test_what_a_case_says_of_its_query() -> None:
    found = judgments_of(parse_suite(SHOP, "shop.yaml"))
    assert found == {"q1": {"a": 3, "b": 0.5}}
    assert found.titles == {"q1": {"a": "Aurora"}}
    assert found.unrated == ["laces"]
    assert found.queries["q1"] == Query("q1", "boots", 1, {"locale": "en"}, None, 4)
    assert found.queries["laces"].note == "by the metre"
    assert found.place("q1", "a").line == 4


def test_what_stays_behind() -> None:
    assert list(losses_of(parse_suite(SHOP, "shop.yaml"), SHOP)) == [
        "the floor of 1 case, for which judgments have no place",
        "the ratings of 1 document; the grade that they make (median) is taken",
    ]
