"""The first screen: what it shows at a glance, its charts, its links, and the states
that a run can be in.
"""

from pathlib import Path

import pytest

from tests.browser.reader import Reader
from tests.browser.test_other_pages import page_of
from tests.helpers import changed, compared, error_of, result_of


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run with one query that got worse, one that got better, one that is
    the same, one unscored.
    """
    return page_of(
        tmp_path_factory.mktemp("mixed"),
        compared("boots", 1.0, ["other"], "shoes"),
        compared("hats", 0.5, ["good"], "head"),
        compared("socks", 1.0, ["good"], "shoes"),
        result_of({"query": "ties"}, ["x"], file="shop.relevance.yaml"),
    )


def bottoms(reader: Reader, selector: str) -> list[float]:
    """Where the elements of a selector end, in pixels from the top of the window."""
    found: list[float] = reader.script(
        "return [...document.querySelectorAll(arguments[0])]"
        ".map((each) => each.getBoundingClientRect().bottom)",
        selector,
    )
    return found


class TestAtAGlance:
    def test_the_verdict_the_gates_the_charts_and_five_queries_are_in_view(
        self, reader: Reader, page: Path
    ) -> None:
        reader.resize(1400, 900)
        reader.open(page)
        rows = bottoms(reader, "#list tbody tr")
        others = bottoms(
            reader, "h1[data-verdict], .mean, .findings li, #charts figure, #controls"
        )
        assert len(others) >= 6
        assert max(others) < rows[0]
        assert rows[4] < 900

    def test_on_a_phone_what_is_wrong_comes_before_the_list_and_the_charts_after_it(
        self, reader: Reader, page: Path
    ) -> None:
        reader.resize(390, 844)
        reader.open(page)
        (gate,) = bottoms(reader, '[aria-label="failures"] li')
        worst = bottoms(reader, "#list tbody tr .scores")[0]
        (charts,) = bottoms(reader, "#charts")
        assert gate < worst < 844 < charts
        labels = "return [...document.querySelectorAll('#list tbody tr:first-child td')].map((cell) => cell.dataset.label)"
        assert reader.script(labels)[1:] == ["fell", "in its place"]

    def test_the_filter_of_failures_is_left_out_if_exactly_they_got_worse(
        self, reader: Reader, page: Path
    ) -> None:
        reader.open(page)
        assert reader.texts('#controls button[data-show="failed"]') == []

    def test_the_order_tells_of_weights_if_they_differ(
        self, reader: Reader, page: Path, mixed: Path
    ) -> None:
        first = '#controls select[aria-label="sort"] option:first-child'
        label = f"return document.querySelector('{first}').textContent"
        reader.open(page)
        assert reader.script(label) == "worst first, by drop \u00d7 weight"
        reader.open(mixed)
        assert reader.script(label) == "worst first"

    def test_a_row_has_the_query_first_and_the_reason_once(
        self, reader: Reader, mixed: Path
    ) -> None:
        reader.open(mixed)
        query, scores, _, on_top = reader.texts('#list tr[data-case$="q-boots"] > *')
        assert query == "boots q-boots"
        assert scores.splitlines() == [
            "1.000 \u2192 0.000 1 unjudged",
            "got worse, certain: below the required 0.500",
        ]
        assert reader.attribute("#list .scores span", "title").startswith(
            "between 0.000 and "
        )
        assert on_top == "other"
        assert (
            reader.script(
                "return document.querySelectorAll('#list svg.bar.fell, #list svg.bar.rose').length"
            )
            == 2
        )

    def test_words_are_explained(self, reader: Reader, mixed: Path) -> None:
        reader.open(mixed)
        assert reader.texts("#overview .mean") == [
            "The mean is over 3 of 4 cases, those with a score before and now.",
            "1 the same, 1 new or not compared",
        ]
        assert "lost more than the tolerance" in reader.attribute(
            "#controls [data-show=worse]", "title"
        )
        reader.click("#overview summary", "What the words mean")
        words = ", ".join(reader.texts("#overview dt"))
        assert all(
            word in words
            for word in (
                "floor",
                "tolerance",
                "got worse",
                "p",
                "unjudged",
                "worth judging",
            )
        )

    def test_a_line_of_what_was_found_leads_to_its_queries(
        self, reader: Reader, page: Path
    ) -> None:
        reader.open(page)
        reader.click(".findings a", "mean nDCG@10")
        found = reader.queries
        assert found[:3] == ["smart watch", "blue shoes", "red shoes"]
        assert len(found) < 10
        assert reader.text("#controls .chip").startswith("mean nDCG@10")
        reader.click("#controls .chip")
        assert len(reader.queries) == 10
        assert reader.texts("#controls .chip") == []


class TestDots:
    def test_each_kind_has_a_shape_and_a_count_and_leads_to_its_queries(
        self, reader: Reader, mixed: Path
    ) -> None:
        reader.open(mixed)
        assert reader.texts(".dots li") == [
            "got worse 1",
            "got better 1",
            "others 2",
            "1 of these has no dot",
        ]
        shapes = "return [...document.querySelectorAll('.dots path')].map((path) => path.getAttribute('d'))"
        assert len({*reader.script(shapes)}) == 3
        reader.click(".dots a", "got better")
        assert reader.queries == ["hats"]

    def test_a_dot_is_a_link_to_its_query(self, reader: Reader, mixed: Path) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        reader.open(mixed)
        frame = reader.element("#charts svg .frame")
        half = 90  # of the width and height of the plot
        ActionChains(reader.driver).move_to_element_with_offset(
            frame, 0, 3 - half
        ).perform()  # before 0.5, now 1
        assert reader.text(".said") == "hats: 0.500 \u2192 1.000, got better"
        ActionChains(reader.driver).click().perform()
        assert reader.opened == "hats"
        assert "case=" in reader.fragment
        reader.driver.back()
        reader.wait(lambda: reader.opened == "")

    def test_the_arrow_keys_go_from_dot_to_dot(
        self, reader: Reader, mixed: Path
    ) -> None:
        reader.open(mixed)
        reader.script("document.querySelector('#charts svg a').focus()")
        assert reader.text(".said").startswith("boots: 1.000")
        reader.script(
            "document.activeElement.dispatchEvent("
            "new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true, cancelable: true}))"
        )
        assert reader.text(".said").startswith("hats: 0.500")
        assert reader.attribute("#charts svg a", "aria-label").startswith("hats: 0.500")
        reader.press("Enter")
        assert reader.opened == "hats"

    def test_there_is_a_table_of_them(self, reader: Reader, mixed: Path) -> None:
        reader.open(mixed)
        reader.click(".behind summary")
        rows = reader.wait(lambda: reader.texts(".behind tbody tr"))
        assert [row.split()[0] for row in rows] == ["boots", "hats", "socks"]
        assert rows[0].split()[2:] == ["1.000", "0.000", "got", "worse,", "certain"]

    def test_lines_show_the_floor_that_all_have(
        self, reader: Reader, mixed: Path, tmp_path: Path
    ) -> None:
        reader.open(mixed)
        assert (
            len(reader.script("return document.querySelectorAll('#charts line.floor')"))
            == 2
        )
        others = [
            result_of(
                {"query": str(floor), "judgments": {"a": 3}, "min_ndcg": floor}, ["a"]
            )
            for floor in (0.1, 0.9)
        ]
        reader.open(page_of(tmp_path, *others))
        assert (
            reader.script("return document.querySelectorAll('#charts line.floor')")
            == []
        )


def test_tags_show_by_how_much_they_changed(reader: Reader, mixed: Path) -> None:
    reader.open(mixed)
    assert [row.split() for row in reader.texts(".tags tbody tr")] == [
        ["shoes", "-0.500", "2"],
        ["head", "+0.500", "1"],
    ]
    assert (
        reader.script(
            "return document.querySelectorAll('.tags rect.fell, .tags rect.rose').length"
        )
        == 2
    )
    reader.click(".tags a", "shoes")
    assert reader.queries == ["boots", "socks"]


class TestStates:
    """What there is to see where the usual parts of the page have nothing to show."""

    def test_all_is_well(self, reader: Reader, tmp_path: Path) -> None:
        accepted = [
            compared("socks", 1.0, ["good"]),
            compared("hats", 0.6309297535714575, ["other", "good"]),
        ]
        reader.open(
            page_of(
                tmp_path,
                *accepted,
                result_of({"query": "ties"}, ["x"], file="shop.relevance.yaml"),
            )
        )
        assert reader.attribute("[data-verdict]", "data-verdict") == "passes"
        assert reader.queries == [
            "hats",
            "socks",
            "ties",
        ]  # the lowest first, those without a score last
        assert reader.texts("#list thead th")[2:] == ["costs most", "on top"]
        assert reader.texts('#list tr[data-case$="q-hats"] > *')[1:] == [
            "0.631 1 unjudged\npassed",
            "good rank 2",
            "other",
        ]
        assert reader.texts("#controls button[data-show]") == [
            "Unjudged 2",
            "Ranking changed 2",
            "All 3",
        ]

    def test_the_search_was_down(self, reader: Reader, tmp_path: Path) -> None:
        case = result_of({"query": "boots", "judgments": {"a": 3}}, [])
        failed = {
            "verdict": "error",
            "outcome": "failed",
            "scores": {},
            "error": error_of("no engine"),
        }
        given_up = {"verdict": "not searched", "outcome": "failed", "scores": {}}
        down = [changed(case, id=f"q{number}", **failed) for number in range(3)]
        reader.open(page_of(tmp_path, *down, changed(case, id="q9", **given_up)))
        assert reader.everything.count("no engine") == 1
        assert "1 case not searched" in reader.text("h1")
        assert reader.texts("#list") == []  # the error stands above, once
        assert reader.texts("#charts") == []
        reader.click(".findings a", "1 case was not searched")
        assert reader.texts("#list thead th") == ["query", "nDCG@10"]
        assert reader.texts("#list tbody td") == ["n/a\nnot searched"]

    def test_nothing_was_returned(self, reader: Reader, tmp_path: Path) -> None:
        reader.open(
            page_of(
                tmp_path,
                *(compared(query, 1.0, []) for query in ("boots", "hats", "socks")),
            )
        )
        assert reader.text("h1") == "Search returned nothing for 3 of 3 queries"
        assert reader.texts("#list tbody td:last-child") == ["nothing returned"] * 3
        assert (
            len(reader.texts(".findings li")) == 1
        )  # not again that three queries return nothing now

    def test_there_is_no_reference(self, reader: Reader, tmp_path: Path) -> None:
        cases = [
            result_of({"query": query, "judgments": {"a": 3}, "min_ndcg": 0.5}, [query])
            for query in ("a", "b")
        ]
        reader.open(page_of(tmp_path, *cases))
        assert reader.texts("#list thead th") == [
            "query",
            "nDCG@10",
            "costs most",
            "on top",
        ]
        assert reader.texts(".dots li") == ["failed 1", "others 1"]
        assert reader.texts('#controls button[data-show="failed"]') == ["Failed 1"]
        assert (
            reader.script(
                "return document.querySelectorAll('#charts line.diagonal').length"
            )
            == 0
        )
