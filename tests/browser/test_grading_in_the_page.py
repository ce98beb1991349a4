"""Grading in the page: with the mouse and with keys, undone, kept, downloaded, and read
by the next run.
"""

import csv
import re
from pathlib import Path
from typing import ClassVar

import pytest

from tests.browser.conftest import Project
from tests.browser.reader import Reader
from tests.browser.shop import AFTER, SHOP
from tests.browser.test_other_pages import page_of
from tests.helpers import result_of


@pytest.fixture
def blue_shoes(reader: Reader, page: Path) -> Reader:
    """A reader who has opened "blue shoes", of which `loafer` (rank 1) and `sandal`
    (rank 4) are unjudged.
    """
    reader.open(page)
    reader.open_query("blue shoes")
    return reader


class TestMouse:
    def test_a_click_grades_and_the_score_follows(self, blue_shoes: Reader) -> None:
        before = blue_shoes.score
        blue_shoes.grade("loafer", "3")
        assert blue_shoes.given("loafer") == "3"
        assert blue_shoes.score > before
        assert blue_shoes.texts('[data-document="loafer"] .badge') == ["3"]
        high = blue_shoes.score
        blue_shoes.grade("loafer", "0")  # another click corrects it
        assert blue_shoes.given("loafer") == "0"
        assert blue_shoes.score < high
        assert blue_shoes.text("[data-download]") == "download 1 judgment"

    def test_names_the_grades_and_shows_the_note(self, blue_shoes: Reader) -> None:
        labels = [button.text for button in blue_shoes.grade_buttons("loafer").values()]
        assert labels == [
            "0 irrelevant",
            "1 complement",
            "2 substitute",
            "3 exact",
            "? cannot tell",
        ]
        assert "customers mean trainers, not shoe polish" in blue_shoes.everything

    def test_calls_grades_without_names_worst_and_best(
        self, reader: Reader, tmp_path: Path
    ) -> None:
        case = {"query": "hats", "judgments": {"a": 1}, "scale": [0, 2]}
        reader.open(page_of(tmp_path, result_of(case, ["new", "a"])))
        reader.open_query("hats")
        labels = [button.text for button in reader.grade_buttons("new").values()]
        assert labels == ["0 worst", "1", "2 best", "? cannot tell"]


class TestTakingBack:
    def test_a_second_click_takes_a_grade_back_also_after_a_reload(
        self, blue_shoes: Reader
    ) -> None:
        before = blue_shoes.score
        for _ in range(2):
            blue_shoes.grade("loafer", "3")
            blue_shoes.reload()
        assert (blue_shoes.given("loafer"), blue_shoes.score) == ("", before)
        assert (
            blue_shoes.attribute("#case .result.current", "data-document") == "loafer"
        )
        assert blue_shoes.text("[data-download]") == "download 0 judgments"

    def test_a_judged_result_is_contested(self, blue_shoes: Reader) -> None:
        before = blue_shoes.score
        assert blue_shoes.unjudged == ["loafer", "sandal"]
        blue_shoes.click('[data-document="polish"] button', "disagree")
        shown = blue_shoes.text('[data-document="polish"] .grades')
        assert shown.startswith("judged 0, you say")
        assert "it counts and yours does not: change it there." in shown
        blue_shoes.press("3")  # for the one that was asked for last
        assert (
            blue_shoes.attribute("#case .result.current", "data-document") == "loafer"
        )  # as before
        assert blue_shoes.texts('[data-document="polish"] .badge') == ["3"]
        assert blue_shoes.score > before
        blue_shoes.element("#rater").send_keys("Ada")
        (row,) = rows(blue_shoes.download())
        assert [row[name] for name in ("document", "ranks", "grade", "rater")] == [
            "polish",
            "3",
            "3",
            "Ada",
        ]
        blue_shoes.grade("polish", "0")  # which it has
        assert (blue_shoes.score, blue_shoes.unjudged) == (before, ["loafer", "sandal"])

    def test_a_result_of_before_is_contested(self, reader: Reader, page: Path) -> None:
        reader.open(page)
        reader.open_query("smart watch")
        before = reader.score
        assert (
            len(reader.texts("#case .before .contest")) == 1
        )  # the one that is not returned
        reader.click('[data-accepted="orbit2"] button', "disagree")
        reader.click('[data-accepted="orbit2"] button[data-grade="0"]')
        assert reader.score > before
        assert (
            "smart watch,smart watch,orbit2,Watch Orbit 2,,"
            in reader.download().read_text(encoding="utf-8")
        )


class TestTheScoreBesideTheKeys:
    def test_moves_and_says_at_the_end_by_how_much(self, blue_shoes: Reader) -> None:
        assert (
            blue_shoes.text("#judging [role=status]")
            == f"nDCG@10 {blue_shoes.score:.3f}, floor 0.300"
        )
        before = f"{blue_shoes.score:.3f}"
        blue_shoes.press("3")
        assert (
            blue_shoes.text("#judging .score")
            == f"your grades: {before} to {blue_shoes.score:.3f}, floor 0.300"
        )
        blue_shoes.press("1")
        moved = f"you moved it from {before} to {blue_shoes.score:.3f}, floor 0.300"
        assert blue_shoes.text("#judging .score") == moved

    def test_the_region_that_is_read_aloud_stays_the_same(
        self, blue_shoes: Reader
    ) -> None:
        blue_shoes.script(
            "window.region = document.querySelector('#judging [role=status]')"
        )
        blue_shoes.press("3", "n", "n")
        assert blue_shoes.script(
            "return window.region === document.querySelector('#judging [role=status]')"
        )


class TestKeys:
    def test_a_digit_grades_nothing_that_is_out_of_view(
        self, blue_shoes: Reader
    ) -> None:
        blue_shoes.resize(1280, 330)
        blue_shoes.script("scrollTo(0, 0)")
        blue_shoes.press("3")
        assert blue_shoes.given("loafer") == ""
        assert blue_shoes.script("return scrollY") > 0
        blue_shoes.press("3")
        assert blue_shoes.given("loafer") == "3"

    def test_a_digit_grades_the_result_that_has_the_focus(
        self, blue_shoes: Reader
    ) -> None:
        blue_shoes.script("document.getElementById('grade loafer 4').focus()")
        blue_shoes.press(
            "Tab", "Tab", "Tab"
        )  # runner and polish have judgments, and a button to disagree
        assert (
            blue_shoes.attribute("#case .result.current", "data-document") == "sandal"
        )
        blue_shoes.press("2")
        assert [blue_shoes.given("loafer"), blue_shoes.given("sandal")] == ["", "2"]
        assert (
            blue_shoes.attribute("#case .result.current", "data-document") == "loafer"
        )
        assert (
            blue_shoes.script("return document.activeElement.id") == "grade loafer 0"
        )  # a digit more is for it
        blue_shoes.script(
            "document.querySelector('[data-document=polish] button').focus()"
        )
        blue_shoes.press("3")
        assert [blue_shoes.given("loafer"), blue_shoes.given("polish")] == ["", "3"]
        assert (
            blue_shoes.attribute("#case .result.current", "data-document") == "loafer"
        )

    def test_go_on_from_what_was_clicked(self, blue_shoes: Reader) -> None:
        blue_shoes.grade("sandal", "1")
        assert (
            blue_shoes.attribute("#case .result.current", "data-document") == "loafer"
        )  # the only one that is left
        blue_shoes.press("2")
        assert [blue_shoes.given("loafer"), blue_shoes.given("sandal")] == ["2", "1"]

    def test_a_digit_grades_and_goes_on(self, blue_shoes: Reader) -> None:
        assert (
            blue_shoes.attribute("#case .result.current", "data-document") == "loafer"
        )
        blue_shoes.press("2")
        assert (
            blue_shoes.attribute("#case .result.current", "data-document") == "sandal"
        )
        assert blue_shoes.text("#next") == "skip"
        blue_shoes.press("?")
        assert [blue_shoes.given("loafer"), blue_shoes.given("sandal")] == ["2", "?"]
        assert blue_shoes.text("#next") == "go on"
        assert blue_shoes.text("#judging strong") == "2 of 2 answered"
        assert blue_shoes.texts("#case .result.current") == []

    def test_n_goes_to_the_next_result_and_to_the_next_query(
        self, blue_shoes: Reader
    ) -> None:
        blue_shoes.press("n")
        assert (
            blue_shoes.attribute("#case .result.current", "data-document") == "sandal"
        )
        blue_shoes.press("n")
        assert blue_shoes.opened == "red shoes"

    def test_digits_in_the_name_of_the_rater_grade_nothing(
        self, blue_shoes: Reader
    ) -> None:
        blue_shoes.element("#rater").send_keys("R2")
        assert blue_shoes.given("loafer") == ""
        assert blue_shoes.element("#rater").get_property("value") == "R2"

    def test_undo_goes_back_through_the_queries(self, blue_shoes: Reader) -> None:
        before = blue_shoes.score
        blue_shoes.press("3", "1", "n")
        assert blue_shoes.opened == "red shoes"
        blue_shoes.press("0")
        blue_shoes.press("u")
        assert (blue_shoes.opened, blue_shoes.given("brick")) == ("red shoes", "")
        blue_shoes.press("u")
        assert (
            blue_shoes.opened,
            blue_shoes.given("loafer"),
            blue_shoes.given("sandal"),
        ) == ("blue shoes", "3", "")
        blue_shoes.press("u")
        blue_shoes.click("#undo")
        assert blue_shoes.given("loafer") == ""
        assert blue_shoes.score == before


class TestKeeping:
    def test_a_reload_keeps_the_grades(self, blue_shoes: Reader) -> None:
        blue_shoes.element("#rater").send_keys("Ada")
        blue_shoes.press("Tab")
        blue_shoes.grade("loafer", "3")
        score = blue_shoes.score
        blue_shoes.reload()
        assert (blue_shoes.given("loafer"), blue_shoes.score) == ("3", score)
        assert blue_shoes.element("#rater").get_property("value") == "Ada"
        assert not asks_before_it_is_left(blue_shoes)

    def test_two_windows_share_the_grades(self, blue_shoes: Reader, page: Path) -> None:
        driver, first = blue_shoes.driver, blue_shoes.driver.current_window_handle
        driver.switch_to.new_window("window")
        blue_shoes.resize(1280, 900)
        blue_shoes.open(page)
        blue_shoes.open_query("blue shoes")
        blue_shoes.grade("loafer", "3")
        second = driver.current_window_handle
        driver.switch_to.window(first)
        blue_shoes.wait(lambda: blue_shoes.given("loafer") == "3")
        blue_shoes.press("1", "1")  # not for the loafer, which has an answer now
        driver.switch_to.window(second)
        blue_shoes.wait(lambda: blue_shoes.given("sandal") == "1")
        blue_shoes.reload()
        assert [blue_shoes.given("loafer"), blue_shoes.given("sandal")] == ["3", "1"]
        driver.close()
        driver.switch_to.window(first)

    @pytest.mark.parametrize(
        "storage",
        [
            "get localStorage() { throw new DOMException('blocked', 'SecurityError'); }",
            "localStorage: undefined",
        ],
        ids=["blocked", "absent"],
    )
    def test_says_when_the_browser_keeps_nothing(
        self, reader: Reader, page: Path, storage: str
    ) -> None:
        script = f"Object.defineProperties(window, Object.getOwnPropertyDescriptors({{ {storage} }}))"
        identifier = reader.command(
            "Page.addScriptToEvaluateOnNewDocument", source=script
        )["identifier"]
        reader.open(page)
        reader.open_query("blue shoes")
        reader.press("3")
        assert reader.given("loafer") == "3"
        assert (
            "This browser keeps nothing for this page: download before you leave it."
            in reader.everything
        )
        assert asks_before_it_is_left(reader)
        reader.download()
        assert not asks_before_it_is_left(reader)
        reader.press("u")
        assert not asks_before_it_is_left(reader)
        reader.command(
            "Page.removeScriptToEvaluateOnNewDocument", identifier=identifier
        )
        reader.open(page)

    @pytest.mark.parametrize("kept", ["{", '{"answers": [[]]}'])
    def test_survives_damaged_storage(self, blue_shoes: Reader, kept: str) -> None:
        blue_shoes.press("3")
        blue_shoes.script(
            "localStorage.setItem(Object.keys(localStorage).find((key) => /2/.test(key)), arguments[0])",
            kept,
        )
        blue_shoes.reload()
        assert blue_shoes.opened == "blue shoes"
        blue_shoes.press("2")
        blue_shoes.reload()
        assert blue_shoes.given("loafer") == "2"

    def test_another_run_does_not_take_them_over(
        self, blue_shoes: Reader, shop: Project
    ) -> None:
        blue_shoes.press("3")
        other = shop.pytest("--relevance-html=other.html")
        assert "blue shoes" in other
        blue_shoes.open(shop.path / "other.html")
        blue_shoes.open_query("blue shoes")
        assert blue_shoes.given("loafer") == ""


def asks_before_it_is_left(reader: Reader) -> bool:
    """Whether the page has the browser ask before it is closed."""
    script = """
        const event = new Event("beforeunload", {cancelable: true});
        dispatchEvent(event);
        return event.defaultPrevented;
    """
    return bool(reader.script(script))


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


VARIANTS = """\
import pytest

@pytest.fixture(params=["bm25", "hybrid"])
def search(request):
    rankings = {"bm25": ["u1", "u2", "d1", "d2"], "hybrid": ["u3", "d1", "u2", "d2"]}
    return lambda query: rankings[request.param]
"""


class TestCasesWithTheSameQuery:
    """Two suites that have a case of the same id and query; both run in two
    variants.
    """

    @pytest.fixture
    def same_query(self, reader: Reader, tmp_path: Path) -> Reader:
        project = Project(tmp_path)
        project.write("conftest.py", VARIANTS)
        for name, judgments in {
            "few": "{d1: 2, d2: 1}",
            "more": "{d1: 2, d2: 1, u1: 3}",
        }.items():
            case = f"{{query: boots, judgments: {judgments}}}"
            project.write(
                f"{name}.relevance.yaml", f"k: 4\nscale: [0, 3]\ncases:\n  - {case}\n"
            )
        reader.open(project.report())
        return reader

    def open(self, reader: Reader, file: str, variant: str) -> None:
        """Open a case, with the list of all cases behind it."""
        reader.press("Escape")
        reader.click(
            f'tr[data-case^="{file}.relevance.yaml"][data-case*="{variant}"] a.query'
        )

    def score(self, reader: Reader, file: str, variant: str) -> float:
        """The score that a case has in the page."""
        self.open(reader, file, variant)
        return reader.score

    def test_a_grade_counts_in_all_variants_of_its_case_alone(
        self, same_query: Reader
    ) -> None:
        reader = same_query
        before = {file: self.score(reader, file, "hybrid") for file in ("few", "more")}
        self.open(reader, "few", "hybrid")
        assert "2 unjudged" in reader.text("#case p.mean")
        self.open(reader, "few", "bm25")
        for document in ("u1", "u2"):
            reader.grade(document, "3")
        assert self.score(reader, "more", "hybrid") == before["more"]
        assert self.score(reader, "few", "hybrid") != before["few"]
        assert "1 unjudged, with 2 grades of yours" in reader.text(
            "#case p.mean"
        )  # u1 is none of its results
        assert "boots,boots,u2,,bm25: 2; hybrid: 3," in reader.download().read_text(
            encoding="utf-8"
        )


class TestDownload:
    def test_is_a_worklist_with_record_and_rater(self, blue_shoes: Reader) -> None:
        blue_shoes.press("3", "?")
        blue_shoes.element("#rater").send_keys("Ada")
        file = blue_shoes.download()
        assert re.fullmatch(r"judgments-Ada-\d{4}-\d\d-\d\dT\d\d-\d\d\.csv", file.name)
        first, second = rows(file)
        assert (first["query"], first["document"], first["title"]) == (
            "blue shoes",
            "loafer",
            "Blue loafer",
        )
        assert (first["grade"], first["ranks"], first["rater"]) == ("3", "1", "Ada")
        assert (second["document"], second["grade"]) == ("sandal", "")
        assert first["record"]
        assert first["record"] == second["record"]

    def test_has_the_cells_of_the_worklist_of_the_run(
        self, reader: Reader, shop: Project
    ) -> None:
        shop.report("--relevance-unjudged=worklist.csv")
        reader.open(shop.path / "report.html", "#show=unjudged")
        for query in reader.queries:
            reader.open_query(query)
            for document in reader.unjudged:
                reader.grade(document, "0")
            reader.press("Escape")
        found, expected = (
            {row["document"]: row for row in rows(path)}
            for path in (reader.download(), shop.path / "worklist.csv")
        )
        assert {*expected} == {"loafer", "sandal", "phone", "brick", "today"}
        for document, row in expected.items():
            graded = {
                **row,
                "grade": "0",
                "record": found[document]["record"],
                "rater": "",
                "blind": "",
            }
            assert found[document] == graded

    def test_the_next_run_has_the_score_of_the_page(
        self, blue_shoes: Reader, tmp_path: Path
    ) -> None:
        blue_shoes.press("3", "1")
        score = blue_shoes.score
        project = Project(tmp_path)
        project.write("shop.relevance.yaml", f"judgments: judgments.csv\n{SHOP}")
        project.write(
            "judgments.csv", blue_shoes.download().read_text(encoding="utf-8")
        )
        project.search_returns(AFTER)
        printed = project.pytest("-vv", "-k", "blue")
        found = re.search(r"nDCG@10 (\d\.\d{3})\s+gain exponential", printed)
        assert found is not None, printed
        assert found[1] == f"{score:.3f}"


class TestOrder:
    """One grade settles whether `boots` got worse; `belts` needs two. The floor of
    `hats` depends on a grade, and nothing depends on those of `shirts`.
    """

    SUITE = """\
scale: [0, 3]
cases:
  - {query: shirts, weight: 100, judgments: {s1: 3}}
  - {query: hats, judgments: {h1: 3}, min_ndcg: 0.9}
  - {query: belts, judgments: {b1: 3, b2: 3, b3: 3}}
  - {query: boots, judgments: {o1: 3}}
"""
    SAME: ClassVar = {"shirts": ["new", "s1"], "hats": ["new", "h1"]}
    BEFORE: ClassVar = {"boots": ["o1"], "belts": ["b1", "b2", "b3"], **SAME}
    AFTER: ClassVar = {"boots": ["new", "o1"], "belts": ["x", "y", "b1"], **SAME}

    def test_is_that_of_the_worklist(self, reader: Reader, tmp_path: Path) -> None:
        project = Project(tmp_path)
        project.write("shop.relevance.yaml", self.SUITE)
        project.search_returns(self.BEFORE)
        project.pytest("--relevance-update")
        project.search_returns(self.AFTER)
        page = project.report("--relevance-unjudged=worklist.csv")
        listed = [row["query"] for row in rows(project.path / "worklist.csv")]
        assert [*dict.fromkeys(listed)] == ["boots", "belts", "hats", "shirts"]

        reader.open(page, "#show=unjudged")
        reader.choose("sort", "most worth judging")
        assert reader.queries == ["boots", "belts", "hats", "shirts"]
        reader.open_query("boots")
        assert "worth judging: can settle this query" in reader.text("#case")
        reader.press("0", "n")  # the next query
        assert "belts" in reader.text("#case h1")
        reader.press("Escape")
        assert reader.queries == ["belts", "hats", "shirts", "boots"]


class TestKeysAndFocus:
    def test_a_key_that_is_held_grades_once(self, blue_shoes: Reader) -> None:
        for is_repeated in (False, True, True):
            blue_shoes.command(
                "Input.dispatchKeyEvent",
                type="keyDown",
                key="3",
                text="3",
                autoRepeat=is_repeated,
            )
        assert (blue_shoes.given("loafer"), blue_shoes.given("sandal")) == ("3", "")

    def test_the_focus_is_where_the_next_digit_works(self, blue_shoes: Reader) -> None:
        focused = "return document.activeElement.closest('.result').dataset.document"
        blue_shoes.press("n")
        assert blue_shoes.script(focused) == "sandal"
        blue_shoes.press("2")
        assert blue_shoes.given("sandal") == "2"

    def test_an_answer_is_undone_after_a_reload_and_its_result_has_the_focus(
        self, blue_shoes: Reader
    ) -> None:
        blue_shoes.press("3")
        blue_shoes.reload()
        blue_shoes.press("u")
        assert blue_shoes.given("loafer") == ""
        focused = "return document.activeElement.closest('.result')?.dataset.document"
        assert blue_shoes.script(focused) == "loafer"


class TestBlind:
    def test_nothing_hints_at_a_grade(self, blue_shoes: Reader) -> None:
        blue_shoes.click("#blind")
        assert blue_shoes.texts("#case .status, #case .score, #case .before") == []
        text = blue_shoes.text("#case .blind")
        assert sorted(blue_shoes.unjudged) == ["loafer", "sandal"]
        for hint in ("was", "new", "score", "worth", "0.3"):
            assert hint not in text.split()

    def test_the_order_is_the_same_every_time(self, blue_shoes: Reader) -> None:
        blue_shoes.click("#blind")
        order = blue_shoes.unjudged
        current = blue_shoes.attribute("#case .current", "data-document")
        assert current == order[0]
        blue_shoes.reload()
        assert blue_shoes.unjudged == order

    def test_the_file_says_which_answers_were_blind(self, blue_shoes: Reader) -> None:
        blue_shoes.grade("loafer", "3")
        blue_shoes.click("#blind")
        blue_shoes.grade("sandal", "0")
        blind = {row["document"]: row["blind"] for row in rows(blue_shoes.download())}
        assert blind == {"loafer": "", "sandal": "yes"}
