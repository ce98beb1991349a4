"""What is read of an answer about documents, and what a result has of it."""

from datetime import date
from decimal import Decimal
from uuid import UUID

import numpy
import pytest

from pytest_relevance.ext.documents.answers import (
    IndexDocuments,
    UnreadableAnswer,
    documents_to_ask,
    read_answer,
)
from pytest_relevance.results.case_parts import Repeats
from tests.helpers import changed, result_of

UNIT = {
    "query": "boots",
    "judgments": {"boots": 1, "hiking": 3, "lost": 2},
    "min_ndcg": 0.9,
}


def test_titles_fields_and_what_is_absent() -> None:
    answer = read_answer({"a": " Boots ", "b": "", "c": None}, ["a", "b", "c", "d"])
    assert answer.documents == IndexDocuments(
        titles={"a": "Boots"}, absent={"c": None, "d": None}
    )
    assert answer.complaints == {}


def test_ids_that_are_no_text_in_the_answer() -> None:
    key = UUID(int=7)
    answer = read_answer({7: "x", numpy.int64(8): "y", key: "z"}, ["7", "8", str(key)])
    assert answer.documents.titles == {"7": "x", "8": "y", str(key): "z"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (Decimal("1.10"), "1.10"),
        (date(2026, 11, 22), "2026-11-22"),
        (numpy.float64(0.5), "0.5"),
    ],
)
def test_further_fields_that_are_scalars(value: object, text: str) -> None:
    answer = read_answer({"a": {"name": "Boots", "id": "a", "field": value}}, ["a"])
    assert answer.documents.titles == {"a": "Boots"}
    assert answer.documents.shown == {"a": {"field": text}}


def test_long_fields_are_cut() -> None:
    answer = read_answer({"a": {"text": "x" * 300, "html": "y" * 301}}, ["a"])
    assert answer.documents.shown == {
        "a": {"text": "x" * 300, "html": "y" * 297 + "..."}
    }


@pytest.mark.parametrize("value", [None, "", [1], {"inner": 1}, float("nan"), object()])
def test_further_fields_that_are_left_out(value: object) -> None:
    answer = read_answer({"a": {"title": "Boots", "field": value}}, ["a"])
    assert answer.documents == IndexDocuments(titles={"a": "Boots"})
    assert answer.complaints == {}


def test_one_sentence_for_each_kind_of_mistake() -> None:
    answer = read_answer({"a": 1, "b": ["x"], "y": "Y", "z": "Z"}, ["a", "b"])
    assert answer.complaints == {
        "title": 'it returned 1 for "a", whose title is not text; return a title, or a mapping with title and further '
        "fields",
        "id": "it returned 'y', which it was not asked for; that is ignored",
    }


@pytest.mark.parametrize("answer", [None, [], "a", [("a", "Boots")]])
def test_an_answer_that_is_no_mapping(answer: object) -> None:
    with pytest.raises(UnreadableAnswer, match="of the documents that exist"):
        read_answer(answer, ["a"])


def test_the_documents_that_a_report_names() -> None:
    keys = {**UNIT, "k": 2, "expect": {"exclude": ["bad"]}}
    result = result_of(keys, ["boots", "hat", "cap", "belt"])
    assert [*documents_to_ask(result)] == ["boots", "hat", "hiking", "lost", "bad"]
    result = result_of(
        {"query": "boots", "depth": 3}, ["a", "b", "c"]
    )  # without judgments all are named
    assert [*documents_to_ask(result)] == ["a", "b", "c"]


def test_documents_that_change_between_calls_are_named() -> None:
    result = result_of({**UNIT, "k": 1}, ["boots", "hat"])
    result = changed(result, repeats=Repeats(2, 2, 2, ("hat", "cap")))
    assert [*documents_to_ask(result)] == ["boots", "hiking", "lost", "hat", "cap"]


def test_a_result_is_described() -> None:
    result = result_of(
        UNIT, [{"id": "boots", "title": "of the search"}, {"id": "hat", "title": "Hat"}]
    )
    found = IndexDocuments(
        {"boots": "Boots", "other": "Other"}, {"boots": {"size": "4"}}, {"lost": None}
    )
    result = found.described(result)
    assert result.texts.titles == {"boots": "Boots", "hat": "Hat"}
    assert result.texts.shown == {"boots": {"size": "4"}}
    assert result.texts.not_in_index == ("lost",)
    assert found.unknown_result(result) is None


def test_a_document_that_was_returned_is_in_the_index() -> None:
    result = result_of({**UNIT, "k": 1}, ["boots", "lost"])
    found = IndexDocuments(absent={"lost": None})
    assert found.unknown_result(result) == "lost"
    assert found.described(result).texts.not_in_index == ()
