"""Pages of other runs: many queries, several variants of a search, grades that may be any number, no results at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance import CaseResult, Run
from tests.browser.reader import Reader
from tests.helpers import changed, result_of, write_page


def page_of(folder: Path, *results: CaseResult) -> Path:
    """The page of some results."""
    return write_page(Run(results), folder)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of 2,500 queries, whose data are compressed."""
    results = [
        result_of(
            {"query": f"query {number:04}", "judgments": {"good": 3}, "note": f"what {number} stands for " * 10},
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

    def test_are_listed_some_at_a_time(self, reader: Reader, large: Path) -> None:
        reader.open(large)
        reader.click(".more button", "show all")
        first = len(reader.queries)
        assert 50 <= first <= 500
        reader.click(".more button", "show more")
        assert len(reader.queries) == 2 * first


class TestVariants:
    @pytest.fixture
    def variants(self, tmp_path: Path) -> Path:
        """A page of one query in two variants of its search; `b` is unjudged."""
        results = []
        for index, (variant, ranking) in enumerate({"fast": ["b", "a"], "good": ["a", "c", "b"]}.items()):
            result = result_of({"query": "tv", "judgments": {"a": 3, "c": 0}}, ranking, file="shop.relevance.yaml")
            result = changed(result, variant=variant, variant_index=index, node=f"shop.relevance.yaml::tv[{variant}]")
            results.append(result)
        return page_of(tmp_path, *results)

    def test_share_a_grade(self, reader: Reader, variants: Path) -> None:
        reader.open(variants)
        reader.click('tr[data-case="shop.relevance.yaml::tv[fast]"] td.scores')
        reader.grade_buttons("b")["3"].click()
        assert reader.score == 1
        reader.press("Escape")
        reader.click('tr[data-case="shop.relevance.yaml::tv[good]"] td.scores')
        assert reader.given("b") == "3"
        assert "tv,tv,b,,fast: 1; good: 3," in reader.download().read_text(encoding="utf-8")


class TestEmptyResults:
    def test_a_failed_search_says_why(self, reader: Reader, tmp_path: Path) -> None:
        failed = result_of({"query": "tv", "judgments": {"a": 3}}, [], file="shop.relevance.yaml")
        reader.open(page_of(tmp_path, failed))
        reader.open_query("tv")
        assert reader.score == 0
        reader.press("3", "?", "n", "u", "j", "k")
        assert reader.opened == "tv"


class TestNumbers:
    def test_a_grade_of_a_long_scale_is_typed(self, reader: Reader, tmp_path: Path) -> None:
        result = result_of({"query": "tv", "gain": "linear", "judgments": {"a": 100, "b": 0}}, ["new", "a"])
        reader.open(page_of(tmp_path, result))
        reader.open_query("tv")
        before = reader.score
        reader.press("6", "2", ".", "5", "Enter")
        assert reader.texts('[data-document="new"] .badge') == ["62.5"]
        assert reader.score > before
        assert ",62.5," in reader.download().read_text(encoding="utf-8")


class TestWithoutJudgments:
    def test_a_query_can_be_judged_relevant(self, reader: Reader, tmp_path: Path) -> None:
        reader.open(page_of(tmp_path, result_of({"query": "tv"}, ["a", "b"])))
        reader.open_query("tv")
        assert reader.text("[data-score]") == "n/a"
        assert [*reader.grade_buttons("a")] == ["0", "1", "?"]
        reader.press("0", "1")
        assert reader.score == pytest.approx(0.6309297535714575, abs=1e-15)
