"""What the views of the page say: an open query in all its states, the list without a
baseline, scales of grades.
"""

from pathlib import Path

import pytest

from tests.browser.conftest import Project
from tests.browser.reader import Reader

CONFTEST = """\
import pytest

@pytest.fixture
def search():
    def search(query, **params):
        if query == "broken":
            raise ConnectionError("the engine is down")
        return [] if query == "nothing" else [f"{query}-{number}" for number in range(1, 5)]
    return search
"""

SCALES = """\
cases:
  - query: percent
    id: percent
    judgments: {percent-1: 100, percent-2: 37.5, elsewhere: 80}
    gain: linear
    scale: [0, 100]
  - query: halves
    judgments: {halves-1: 1.5, halves-2: 3}
    scale: [0, 3]
  - query: named
    weight: 20
    judgments: {named-1: exact, named-2: none}
    scale: {exact: 2, partial: 1, none: 0}
  - {query: nothing, judgments: {a: 3}, min_ndcg: 0.5}
  - {query: broken, judgments: {a: 3}, min_ndcg: 0.5}
"""


@pytest.fixture(scope="module")
def scales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run without a baseline, with scales of many grades, of half
    grades, and of named ones.
    """
    project = Project(tmp_path_factory.mktemp("scales"))
    project.write("conftest.py", CONFTEST)
    project.write("scales.relevance.yaml", SCALES)
    return project.report()


SEARCH = """\
import json
from pathlib import Path

import pytest

@pytest.fixture
def search():
    return lambda query: json.loads(Path("rankings.json").read_text())[query]
"""


def moves_of(
    reader: Reader, path: Path, case: str, before: list[str], now: list[str]
) -> dict[str, list[str]]:
    """What the page says of the documents that moved between the accepted ranking and
    the present one, by heading.
    """
    project = Project(path)
    project.write("conftest.py", SEARCH)
    project.write("boots.relevance.yaml", f"cases:\n  - {case}\n")
    project.search_returns({"boots": before})
    project.pytest("--relevance-update")
    project.search_returns({"boots": now})
    reader.open(project.report(), "#case=boots.relevance.yaml::boots")
    sections = zip(
        reader.texts("#case .moved h2"), reader.texts("#case .moves"), strict=True
    )
    return {heading: moves.splitlines() for heading, moves in sections}


def test_the_list_without_a_baseline(reader: Reader, scales: Path) -> None:
    reader.open(scales)
    assert reader.texts("#list thead th") == [
        "query",
        "nDCG@10",
        "costs most",
        "on top",
    ]
    assert (
        reader.text('tr[data-case$="percent"] td[data-label="costs most"]')
        == "elsewhere not returned"
    )
    assert "\u2192" not in reader.text("#list")
    assert (
        reader.text('tr[data-case$="nothing"] td[data-label="on top"]')
        == "nothing returned"
    )
    broken = reader.texts('tr[data-case$="broken"] td')
    assert broken == [
        "n/a\nerror: ConnectionError: the engine is down",
        "",
        "the search failed",
    ]
    reader.click("#controls button", "Errors 1")
    assert reader.queries == ["broken"]
    reader.click("#controls button", "All 5")
    assert len(reader.queries) == 5


class TestOrderToJudge:
    def test_begins_with_the_queries_whose_judgments_are_worth_most(
        self, reader: Reader, scales: Path
    ) -> None:
        reader.open(scales)
        reader.choose("sort", "most worth judging")
        assert reader.queries[0] == "named"  # for its weight
        assert sorted(reader.queries[:3]) == ["halves", "named", "percent"]
        assert "2 to judge" in reader.text('tr[data-case$="named"] th')
        reader.open_query("named")
        reader.press("2", "2", "Escape")
        assert "named" not in reader.queries[:2]


class TestGradesOfAScale:
    def test_a_scale_of_many_grades_has_a_number_field(
        self, reader: Reader, scales: Path
    ) -> None:
        reader.open(scales)
        reader.open_query("percent")
        before = reader.score
        field = reader.element('[data-document="percent-3"] input[type=number]')
        assert (field.get_dom_attribute("min"), field.get_dom_attribute("max")) == (
            "0",
            "100",
        )
        reader.press("4", "2", "0", "Enter")  # which the scale does not have
        assert reader.texts("#case .now .badge").count("\u2013") == 2
        field.clear()
        field.send_keys("62.5")
        reader.press("Enter")
        assert reader.text('[data-document="percent-3"] .badge') == "62.5"
        assert reader.score > before
        assert ",62.5," in reader.download().read_text(encoding="utf-8")

    def test_named_grades_have_a_legend_and_no_number_field(
        self, reader: Reader, scales: Path
    ) -> None:
        reader.open(scales)
        reader.open_query("named")
        assert reader.texts("#case .legend li") == [
            "2 exact",
            "1 partial",
            "0 none",
            "\u2013 unjudged",
        ]
        assert reader.texts("#case input[type=number]") == []


class TestProgress:
    def test_counts_what_is_judged_and_offers_the_download_once_there_are_grades(
        self, reader: Reader, scales: Path
    ) -> None:
        reader.open(scales)
        assert reader.texts("button[data-download]") == []
        reader.open_query("named")
        assert reader.text("#judging strong") == "0 of 2 answered"
        reader.press("1")
        assert reader.text("#judging strong") == "1 of 2 answered"
        reader.press("Escape")
        assert reader.opened == ""
        assert reader.text("#judging strong") == "1 of 6 answered in all queries"
        (row,) = reader.download().read_text(encoding="utf-8").splitlines()[1:]
        assert row.startswith("named,named,named-")

    def test_the_name_of_the_rater_is_kept_for_the_pages_of_other_runs(
        self, reader: Reader, scales: Path, page: Path
    ) -> None:
        reader.open(scales)
        reader.open_query("named")
        reader.element("#rater").send_keys("Ada")
        reader.open(page)
        reader.open_query("blue shoes")
        assert reader.element("#rater").get_property("value") == "Ada"


class TestOpenQuery:
    def test_leads_to_its_neighbours_in_the_list(
        self, reader: Reader, page: Path
    ) -> None:
        reader.open(page)
        reader.type("shoes")
        first, second = reader.queries
        reader.open_query(first)
        assert reader.text("#case .steps .place") == "1 of 2"
        assert reader.texts("#case a[rel=prev]") == []
        reader.click("#case a[rel=next]")
        assert reader.opened == second
        assert reader.texts("#case a[rel=next]") == []

    def test_losses_and_reasons_are_those_of_the_run(
        self, reader: Reader, page: Path
    ) -> None:
        reader.open(page)
        reader.open_query("smart watch")
        assert "as of the run" not in reader.text("#case .reasons")
        assert (
            "Lost most by" not in reader.everything
        )  # the reference says what each document cost
        reader.press("3")
        assert reader.text("#case .reasons").startswith(
            "as of the run, without your grades:\n"
        )
        assert reader.text("#case .status") == "got worse, certain in the run"
        reader.press("Escape")
        assert "1 grade of yours, not in the score" in reader.text(
            'tr[data-case$="smart watch"] th'
        )
        assert reader.everything.count("of yours") == 1

    def test_without_a_reference_the_losses_are_those_of_the_ideal(
        self, reader: Reader, scales: Path
    ) -> None:
        reader.open(scales)
        reader.open_query("halves")
        (losses,) = (
            text
            for text in reader.texts("#case details")
            if text.startswith("Lost most by")
        )
        assert "rank 2" in losses
        assert "worth judging: medium" in reader.text(
            '#case [data-document="halves-3"] .small'
        )
        reader.press("3", "Enter")
        assert "Lost most by" not in reader.everything  # the reader changed that

    def test_says_why_there_is_no_score(
        self, reader: Reader, page: Path, scales: Path
    ) -> None:
        reader.open(page, "#all=1&text=order")
        assert (
            reader.attribute("#list td.scores span", "title") == "no relevant judgment"
        )
        reader.open_query("order 66")
        assert "nDCG@10 n/a, no relevant judgment" in reader.text("#case p.mean")
        reader.open(scales)
        reader.open_query("broken")
        assert "no relevant judgment" not in reader.everything

    def test_lines_say_what_a_move_did_to_the_score(
        self, reader: Reader, page: Path
    ) -> None:
        """A document without a gain may fall: its line is neither good nor bad."""
        reader.open(page)
        reader.open_query("smart watch")
        kinds = "return [...document.querySelectorAll('#case svg path')].map((path) => path.className.baseVal)"
        assert sorted(reader.script(kinds)) == ["gain", "loss"]
        reader.press("Escape")
        reader.open_query("blue shoes")
        assert reader.script(kinds) == ["loss", "loss"]

    def test_says_what_left_without_a_loss(
        self, reader: Reader, tmp_path: Path
    ) -> None:
        """A result without a judgment, one of grade 0, and one of a negative grade,
        which is a gain.
        """
        case = "{query: boots, judgments: {boot: 3, sock: 0, ad: -1}}"
        moves = moves_of(
            reader, tmp_path, case, ["ad", "boot", "sock", "tent"], ["boot"]
        )
        left, came = moves["What fell or is not returned"], moves["What rose or came"]
        assert sorted(left[1:]) == [
            "sock is not returned, was 3",
            "tent is not returned, was 4",
        ]
        assert left[0].startswith("ad is not returned, was 1: +")
        assert [move.partition(":")[0] for move in came] == ["boot rose from 2 to 1"]

    def test_a_result_that_is_not_scored_moves_no_figure(
        self, reader: Reader, tmp_path: Path
    ) -> None:
        """With `unjudged: skip` a judged result counts at its place among the judged
        ones.
        """
        case = "{query: boots, unjudged: skip, judgments: {boot: 3, shoe: 1}}"
        moves = moves_of(
            reader, tmp_path, case, ["boot", "shoe"], ["tent", "boot", "shoe"]
        )
        assert sorted(moves["What fell or is not returned"]) == [
            "boot fell from 1 to 2",
            "shoe fell from 2 to 3",
        ]
        assert moves["What rose or came"] == ["tent came at 1"]


PASSAGES = """\
k: 3
cases:
  - query: boots
    min_ndcg: 0.9
    passages: [within 30 days of delivery, the original receipt]
"""


def test_a_query_with_passages_has_nothing_to_judge(
    reader: Reader, tmp_path: Path
) -> None:
    project = Project(tmp_path)
    project.write("conftest.py", SEARCH)
    project.write("boots.relevance.yaml", PASSAGES)
    project.search_returns({"boots": ["Return it within 30 days of delivery.", "x y"]})
    project.pytest("--relevance-update")
    project.search_returns({"boots": ["x y", "It is within 30 days.", "of delivery."]})
    reader.open(project.report(), "#case=boots.relevance.yaml::boots")
    assert reader.texts("#case .now .badge") == ["-", "-", "-"]
    assert reader.texts("#case .before .badge") == ["1", "-"]
    assert reader.texts("#case .grades") == []
    (first, second) = reader.texts("#case details tbody tr")
    assert "it is split: rank 2 ends with its beginning, rank 3 has the rest" in first
    assert "in none of the 3 results, was rank 1" in first
    assert "the original receipt" in second
    assert reader.score == 0.0
