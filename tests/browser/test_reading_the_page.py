"""What a reader does with the list of queries and with an open query."""

import base64
import re
from pathlib import Path

import pytest

from tests.browser.conftest import Project
from tests.browser.reader import Reader

WORST = ["smart watch", "blue shoes", "red shoes"]
SMART_WATCH = "shop.relevance.yaml::smart watch"

TITLES = """\
min_ndcg: 0.5
cases:
  - query: shoes
    judgments: {boot: {grade: 3, title: Rubber boots}}
  - query: boots
    judgments: {boot: 3}
  - query: walking boots
    judgments: {boot: 3}
"""


SENTENCE = (
    "3 of 28 queries got worse (1 for certain, 2 need grades to be sure), 1 better; "
    "the change of the mean may be chance"
)


class TestFirstScreen:
    def test_shows_the_verdict_and_the_worst_queries(
        self, reader: Reader, page: Path
    ) -> None:
        reader.open(page)
        assert reader.attribute("[data-verdict]", "data-verdict") == "fails"
        assert reader.text("[data-verdict]") == SENTENCE
        assert len(reader.queries) == 10
        assert reader.queries[:3] == WORST
        row = reader.text(f'tr[data-case="{SMART_WATCH}"]')
        assert "Watch Orbit 2 rank 1 \u2192 not returned" in row
        assert "Sport strap 22 mm" in row
        reader.click(".more button", "show all 28")
        assert len(reader.queries) == 28
        assert reader.text(".more") == "28 of 28 queries"

    def test_is_readable_with_scripts_off(self, reader: Reader, page: Path) -> None:
        reader.open(page, scripts=False)
        assert reader.element("h1").text == SENTENCE
        rows = reader.driver.find_elements("css selector", "#list tbody tr")
        assert [
            row.find_element("css selector", ".query").text for row in rows
        ] == WORST
        assert not reader.element("#controls").is_displayed()
        assert reader.element(".noscript").text.startswith("Scripts are off")


class TestFinding:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("shoes", ["blue shoes", "red shoes"]),
            ("SHOES red", ["red shoes"]),
            ("orbit 2", ["smart watch"]),
            ("clothing", ["rain jacket"]),
            ("below 0.600", ["smart watch"]),
            ("zebra", []),
        ],
        ids=["query", "order and case", "title", "tag", "reason", "nothing"],
    )
    def test_searches_all_queries_as_one_types(
        self, reader: Reader, page: Path, text: str, found: list[str]
    ) -> None:
        reader.open(page)
        reader.type(text)
        assert reader.queries == found

    def test_queries_come_before_those_with_the_words_in_titles_only(
        self, reader: Reader, tmp_path: Path
    ) -> None:
        project = Project(tmp_path)
        project.write("titles.relevance.yaml", TITLES)
        project.search_returns(
            {"shoes": [], "boots": ["boot"], "walking boots": ["boot"]}
        )
        reader.open(project.report())
        assert reader.queries == ["shoes", "boots", "walking boots"]
        reader.type("boots")
        assert reader.queries == ["boots", "walking boots", "shoes"]

    def test_enter_goes_from_the_search_to_the_first_query(
        self, reader: Reader, page: Path
    ) -> None:
        reader.open(page)
        reader.press("/", "r", "e", "d", "Enter")
        assert reader.text("#list tr.current .query") == "red shoes"
        reader.press("Enter")
        assert reader.opened == "red shoes"

    @pytest.mark.parametrize(
        ("button", "found"),
        [
            ("Got worse 3", WORST),
            ("Got better 1", ["rain jacket"]),
            ("Certain 1", WORST[:1]),
            ("Need grades 2", WORST[1:]),
            ("Unjudged 4", [*WORST, "it's $(date)"]),
            ("Ranking changed 4", [*WORST, "rain jacket"]),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_filters_by_a_button(
        self, reader: Reader, page: Path, button: str, found: list[str]
    ) -> None:
        reader.open(page)
        reader.click("#controls button", button)
        assert reader.queries == found
        assert reader.texts('#controls button[aria-pressed="true"]') == [button]

    def test_a_click_on_a_head_sorts_and_another_takes_it_back(
        self, reader: Reader, page: Path
    ) -> None:
        reader.open(page)
        worst_first = reader.queries
        reader.click("#list thead button", "query")
        assert reader.queries == sorted(reader.queries)
        assert reader.attribute("#list thead th", "aria-sort") == "ascending"
        reader.click("#list thead button", "query")
        assert reader.queries == worst_first

    def test_filters_by_tag_and_suite_and_sorts(
        self, reader: Reader, page: Path
    ) -> None:
        reader.open(page)
        reader.choose("tag", "shoes")
        assert reader.queries == ["blue shoes", "red shoes"]
        reader.choose("tag", "all tags")
        reader.choose("suite", "lookups.relevance.yaml")
        assert sorted(reader.queries) == ["it's $(date)", "order 66"]
        reader.choose("suite", "all suites")
        reader.choose("sort", "query")
        assert reader.queries == sorted(reader.queries)
        reader.choose("sort", "weight")
        assert reader.queries[0] == "smart watch"
        reader.choose("sort", "change")
        assert reader.queries[-1] == "rain jacket"


class TestMoving:
    def test_opens_a_query_by_a_click_in_its_row(
        self, reader: Reader, page: Path
    ) -> None:
        reader.open(page)
        reader.click(f'tr[data-case="{SMART_WATCH}"] td.scores')
        assert reader.opened == "smart watch"
        assert reader.attribute("#case", "data-case") == SMART_WATCH
        assert reader.texts("#list") == []

    def test_goes_back_and_forward(self, reader: Reader, page: Path) -> None:
        reader.open(page)
        reader.choose("tag", "shoes")
        reader.open_query("red shoes")
        reader.driver.back()
        reader.wait(lambda: reader.opened == "")
        assert reader.queries == ["blue shoes", "red shoes"]
        reader.driver.back()
        reader.wait(lambda: len(reader.queries) == 10)
        reader.driver.forward()
        reader.driver.forward()
        reader.wait(lambda: reader.opened == "red shoes")

    def test_opens_the_link_of_a_state_in_another_window(
        self, reader: Reader, page: Path
    ) -> None:
        reader.open(page)
        reader.type("shoes")
        reader.choose("sort", "query")
        reader.open_query("red shoes")
        link = reader.fragment
        reader.open(page, link)
        assert reader.opened == "red shoes"
        reader.press("Escape")
        assert reader.queries == ["blue shoes", "red shoes"]
        assert reader.element("#search").get_property("value") == "shoes"

    @pytest.mark.parametrize(
        "fragment",
        ["#case=gone&sort=nonsense&show=nothing", "#show=constructor&sort=toString"],
    )
    def test_ignores_a_link_that_means_nothing(
        self, reader: Reader, page: Path, fragment: str
    ) -> None:
        reader.open(page, fragment)
        assert reader.opened == ""
        assert reader.queries[:3] == WORST

    def test_says_that_there_is_no_such_query(self, reader: Reader, page: Path) -> None:
        reader.open(page, "#case=gone")
        assert reader.text("#page [role=status]") == "This page has no query gone."
        reader.open_query("red shoes")
        reader.press("Escape")
        assert reader.texts("#page [role=status]") in ([], [""])

    def test_the_title_of_the_window_follows_the_query(
        self, reader: Reader, page: Path
    ) -> None:
        reader.open(page)
        title = reader.driver.title
        reader.open_query("red shoes")
        assert reader.driver.title == f"red shoes - {title}"
        reader.press("j", "Escape")
        assert reader.driver.title == title

    def test_moves_with_keys(self, reader: Reader, page: Path) -> None:
        reader.open(page)
        reader.press("j", "j", "k", "Enter")
        assert reader.opened == "smart watch"
        reader.press("j")
        assert reader.opened == "blue shoes"
        reader.press("j", "k", "k")
        assert reader.opened == "smart watch"
        reader.press("Escape")
        assert reader.opened == ""
        assert reader.text("#list tr.current .query") == "smart watch"
        reader.press("j", "Enter")
        assert reader.opened == "blue shoes"

    def test_returns_to_the_place_in_the_list(self, reader: Reader, page: Path) -> None:
        reader.resize(1000, 400)
        reader.open(page, "#all=1")
        reader.click("#list a.query", "lamp 20")
        scrolled = reader.script("return scrollY")
        reader.press("Escape")
        assert scrolled == 0
        assert reader.script("return scrollY") > 300


class TestOpenQuery:
    def test_shows_before_beside_now_and_what_left_and_came(
        self, reader: Reader, page: Path
    ) -> None:
        reader.open(page)
        reader.open_query("smart watch")
        assert reader.texts("#case .before .title") == [
            "Watch Orbit 2",
            "Watch Orbit 1",
            "Sport strap 22 mm",
        ]
        now = [
            "Sport strap 22 mm",
            "Charging dock",
            "Smartphone Nimbus",
            "Watch Orbit 1",
        ]
        assert reader.texts("#case [data-document] .title") == now
        assert reader.texts("#case .now .badge") == ["1", "0", "\u2013", "3"]
        left, came = reader.texts("#case .moves")
        assert "Watch Orbit 2 is not returned, was 1: -0.587" in left
        assert "Watch Orbit 1 fell from 2 to 4: -0.118" in left
        assert "Sport strap 22 mm rose from 3 to 1: +0.042" in came

    def test_gives_a_command_for_a_shell(self, reader: Reader, page: Path) -> None:
        reader.open(page, "#case=" + "lookups.relevance.yaml%3A%3Ait's $(date)")
        command = reader.texts("#case dd code")[0]
        assert command == r"pytest 'lookups.relevance.yaml::it'\''s $(date)'"

    def test_is_copied_as_text_for_a_chat(self, reader: Reader, page: Path) -> None:
        reader.open(page)
        reader.open_query("smart watch")
        clipboard = (
            "{value: {writeText: (text) => Promise.resolve((window.copied = text))}}"
        )
        reader.script(f"Object.defineProperty(navigator, 'clipboard', {clipboard})")
        reader.click("#case button", "copy as text")
        lines = reader.script("return window.copied").splitlines()
        assert lines[0] == "smart watch"
        assert lines[1].startswith("got worse, certain nDCG@10 ")
        assert lines[lines.index("before:") + 1 :][:3] == [
            *(
                "1. [3] Watch Orbit 2",
                "2. [3] Watch Orbit 1",
                "3. [1] Sport strap 22 mm",
            )
        ]
        assert lines[lines.index("now:") + 1 :][2:] == [
            "3. [\u2013] Smartphone Nimbus",
            "4. [3] Watch Orbit 1",
        ]

    def test_what_is_folded_stays_so(self, reader: Reader, page: Path) -> None:
        folded = "return [...document.querySelectorAll('#case details:not([open]) summary')].map((each) => each.innerText)"
        reader.resize(390, 844)
        reader.open(page)
        reader.open_query("smart watch")
        assert reader.script(folded) == ["before", "Breakdown"]
        reader.click("#case summary", "before")
        reader.press("3", "j")
        assert reader.script(folded) == ["Breakdown"]

    def test_keeps_the_spaces_of_a_query(self, reader: Reader, tmp_path: Path) -> None:
        project = Project(tmp_path)
        project.write(
            "spaces.relevance.yaml",
            'cases: [{query: "two  spaces ", judgments: {a: 3}, min_ndcg: 0.5}]\n',
        )
        project.search_returns({"two  spaces ": []})
        reader.open(project.report())
        reader.click("#list a.query")
        assert (
            reader.script("return document.querySelector('#case h1 bdi').innerText")
            == "two  spaces "
        )

    def test_shows_a_query_without_judgments(self, reader: Reader, page: Path) -> None:
        reader.open(page)
        reader.type("order")
        reader.open_query("order 66")
        assert reader.text("#case [data-score]") == "n/a"
        assert "nothing returned" in reader.text("#case .now")

    def test_prints(self, reader: Reader, page: Path) -> None:
        reader.open(page)
        reader.prefer("dark", "print")
        assert reader.texts("#controls, .more button") == []
        assert (
            reader.script("return getComputedStyle(document.body).color")
            == "rgb(28, 35, 48)"
        )
        assert pages_of(reader) == 2 + 5  # the list, and ten queries, two a page
        reader.open_query("smart watch")
        reader.prefer("light", "print")
        assert reader.texts("#case .back, #case button") == []
        assert reader.text("#case h1") == "smart watch"
        assert pages_of(reader) in (1, 2)
        reader.resize(700, 900)  # about the width of a sheet of paper
        cut = "return [...document.querySelectorAll('.shelf ol')].filter((each) => each.scrollWidth > each.clientWidth)"
        assert reader.script(cut) == []


def pages_of(reader: Reader) -> int:
    """How many pages the page has on paper."""
    printed = base64.b64decode(reader.command("Page.printToPDF")["data"])
    return len(re.findall(rb"/Type\s*/Page\b", printed))


MACHINE = "query,doc_id,grade,rater,machine\nboots,clog,2,model-x/prompt-3,true\nboots,boot,0,model-x/prompt-3,true\n"


def test_grades_of_a_machine_are_marked(reader: Reader, tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("machine.csv", MACHINE)
    text = "judgments: {file: machine.csv, fill: true}\ncases: [{query: boots, judgments: {boot: 3}}]\n"
    project.write("shop.relevance.yaml", text)
    project.search_returns({"boots": ["boot", "clog", "sandal"]})
    page = project.report()
    reader.open(page)
    assert (
        "1 of 2 judged results within k is filled: 1 by model-x/prompt-3"
        in reader.text(".context")
    )
    reader.open_query("boots")
    rows = {
        name: reader.text(f'[data-document="{name}"]')
        for name in ("boot", "clog", "sandal")
    }
    assert [
        name for name, row in rows.items() if "graded by model-x/prompt-3" in row
    ] == ["clog"]
