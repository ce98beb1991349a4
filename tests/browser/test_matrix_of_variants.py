"""The matrix of a run with several variants: queries in rows, variants in columns."""

from pathlib import Path

import pytest

from pytest_relevance import CaseResult
from tests.browser.reader import Reader
from tests.browser.test_accessibility import (  # noqa: F401
    SMALL_TARGETS,
    assert_accessible,
    axe,
)
from tests.browser.test_other_pages import page_of
from tests.helpers import changed, result_of


def in_variants(query: str, *rankings: list[str]) -> list[CaseResult]:
    """A query in the variants bm25 and hybrid, which return these rankings."""
    found = []
    for index, ranking in enumerate(rankings):
        name = ("bm25", "hybrid")[index]
        case = {"query": query, "judgments": {"good": 3}}
        result = result_of(case, ranking, file="shop.relevance.yaml")
        node = f"shop.relevance.yaml::{query}[{name}]"
        found.append(changed(result, variant=name, variant_index=index, node=node))
    return found


def open_matrix(reader: Reader) -> None:
    reader.click("#matrix summary")
    reader.wait(lambda: reader.texts("#matrix td"))


@pytest.fixture
def matrix(reader: Reader, tmp_path: Path) -> Reader:
    """A reader of a page with two queries, of which one differs by variant."""
    differs = in_variants("boots", ["other", "good"], ["good"])
    same = in_variants("hats", ["good"], ["good"])
    reader.open(page_of(tmp_path, *differs, *same))
    open_matrix(reader)
    return reader


def test_shows_only_what_differs_at_first(matrix: Reader) -> None:
    assert matrix.texts("#matrix th") == ["query", "bm25", "hybrid", "boots"]
    assert matrix.texts("#matrix td") == ["0.631", "1.000"]
    assert matrix.texts("#matrix td b") == ["1.000"]  # the best
    matrix.click("#matrix button", "only what differs (1)")
    assert matrix.texts("#matrix tbody th") == ["boots", "hats"]


def test_a_score_opens_the_query_in_its_variant(matrix: Reader) -> None:
    matrix.click("#matrix td a", "0.631")
    assert matrix.text("#case h1") == "boots bm25"


def test_a_query_is_opened_by_its_name(matrix: Reader) -> None:
    matrix.click("#matrix tbody th a", "boots")
    assert matrix.text("#case h1") == "boots bm25"


def test_has_the_queries_that_the_list_shows(matrix: Reader) -> None:
    matrix.click("#matrix button", "only what differs (1)")
    matrix.type("hats")
    assert matrix.texts("#matrix tbody th") == ["hats"]
    matrix.click("#matrix tbody th a", "hats")
    matrix.click("#case .back")
    assert matrix.texts("#matrix tbody th") == ["hats"]


def test_axe_finds_nothing_and_links_are_large_on_a_phone(
    axe: str,  # noqa: F811
    matrix: Reader,
) -> None:
    assert_accessible(axe, matrix)
    matrix.resize(390, 844)
    assert matrix.script(SMALL_TARGETS) == []


def test_is_printed_whole(reader: Reader, tmp_path: Path) -> None:
    results = []
    for number in range(12):
        results += in_variants(f"boots {number}", ["other", "good"], ["good"])
    reader.open(page_of(tmp_path, *results))
    open_matrix(reader)
    reader.prefer("light", "print")
    assert len(reader.texts("#matrix tbody th")) == 12
    assert reader.texts("#matrix button") == []
