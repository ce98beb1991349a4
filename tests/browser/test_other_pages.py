"""Pages of other runs: many queries, no results at all, no judgments."""

from pathlib import Path

import pytest

from pytest_relevance import CaseResult, Run
from tests.browser.reader import Reader
from tests.helpers import result_of, write_page


def page_of(folder: Path, *results: CaseResult) -> Path:
    """The page of some results."""
    return write_page(Run(results), folder)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of 2,500 queries, whose data are compressed."""
    results = [
        result_of(
            {
                "query": f"query {number:04}",
                "judgments": {"good": 3},
                "note": f"what {number} stands for " * 10,
            },
            ["other", "good"] if number % 2 else ["good"],
            file="large.relevance.yaml",
        )
        for number in range(2500)
    ]
    page = page_of(tmp_path_factory.mktemp("large"), *results)
    assert 'data-encoding="gzip"' in page.read_text(encoding="utf-8")
    return page


class TestManyQueries:
    def test_are_all_searched(self, reader: Reader, large: Path) -> None:
        reader.open(large)
        assert len(reader.queries) == 10
        reader.type("2499")
        assert reader.queries == ["query 2499"]
        reader.open_query("query 2499")
        assert reader.score == pytest.approx(0.6309297535714575, abs=1e-15)

    def test_are_listed_some_at_a_time_and_a_reader_returns_to_a_row_of_the_rest(
        self, reader: Reader, large: Path
    ) -> None:
        reader.open(large, "#all=1")
        assert len(reader.queries) == 40
        reader.click(".more button", "show more")
        reader.open_query("query 0101")
        reader.press("Escape")
        assert reader.texts("#list tr.current .query") == ["query 0101"]
        assert len(reader.queries) == 51


class TestEmptyResults:
    def test_a_failed_search_says_why(self, reader: Reader, tmp_path: Path) -> None:
        failed = result_of(
            {"query": "tv", "judgments": {"a": 3}}, [], file="shop.relevance.yaml"
        )
        reader.open(page_of(tmp_path, failed))
        reader.open_query("tv")
        assert reader.score == 0
        reader.press("3", "?", "n", "u", "j", "k")
        assert reader.opened == "tv"


class TestWithoutJudgments:
    def test_a_query_can_be_judged_relevant(
        self, reader: Reader, tmp_path: Path
    ) -> None:
        reader.open(page_of(tmp_path, result_of({"query": "tv"}, ["a", "b"])))
        reader.open_query("tv")
        assert reader.text("[data-score]") == "n/a"
        assert [*reader.grade_buttons("a")] == ["0", "1", "?"]
        reader.press("0", "1")
        assert reader.score == pytest.approx(0.6309297535714575, abs=1e-15)
