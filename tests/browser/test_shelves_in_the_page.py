"""An opened query as a searcher saw it: two shelves, a sentence, and a picture."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.browser.conftest import Project
from tests.browser.reader import Reader
from tests.browser.test_other_pages import page_of
from tests.helpers import changed, compared, error_of


@pytest.mark.parametrize(
    ("ranking", "sentence"),
    [
        (["fez", "other"], 'You searched hats. "good" left the first 2; "fez" came.'),
        ([], 'You searched hats. Nothing is found now. Before, "good" came first.'),
        (
            ["other", "good"],
            "You searched hats. The first 2 results are the same, in another order.",
        ),
    ],
    ids=["others", "nothing", "another order"],
)
def test_a_sentence_says_what_left_and_what_came(
    reader: Reader, tmp_path: Path, ranking: list[str], sentence: str
) -> None:
    reader.open(page_of(tmp_path, compared("hats", 1.0, ranking)))
    reader.open_query("hats")
    assert reader.text("#case .searched") == sentence


def test_a_search_that_failed_did_not_find_nothing(
    reader: Reader, tmp_path: Path
) -> None:
    failed = {"verdict": "error", "outcome": "failed", "error": error_of("no engine")}
    result = changed(compared("hats", 1.0, []), scores={}, **failed)
    reader.open(page_of(tmp_path, result))
    reader.click("#controls button", "Errors 1")
    reader.open_query("hats")
    sentence = 'You searched hats. Now: the search failed. Before, "good" came first.'
    assert reader.text("#case .searched") == sentence


def test_the_first_results_stand_beside_what_became_of_them(
    reader: Reader, tmp_path: Path
) -> None:
    result = changed(
        compared("hats", 1.0, ["fez", "good"]),
        titles={"fez": "Red fez", "good": "Good hat"},
        shown={"fez": {"price": "9.90"}},
    )
    reader.open(page_of(tmp_path, result))
    reader.open_query("hats")
    before, now = reader.texts("#case .shelf")
    assert before.split("\n") == [
        "before",
        "Good hat",
        "now 2",
        "other",
        "not found now",
    ]
    assert now.split("\n") == ["now", "Red fez", "9.90", "new", "Good hat", "was 1"]


@pytest.mark.parametrize("width", [1400, 390])
def test_a_judge_has_the_results_first_and_opens_the_shelves_by_a_line(
    reader: Reader, page: Path, width: int
) -> None:
    reader.resize(width, 844)
    reader.open(page)
    reader.click("#verdict button", "Judge the 2 that need grades")
    assert reader.opened in ("blue shoes", "red shoes")
    first = reader.element("#case .grades button")
    assert reader.script("return arguments[0].getBoundingClientRect().top", first) < 400
    assert reader.texts("#case .searched") == []
    reader.click("#case summary", "As a searcher saw it")
    assert len(reader.texts("#case .searched")) == 1


def test_a_reader_who_does_not_judge_has_the_shelves_first(
    reader: Reader, page: Path
) -> None:
    reader.open(page)
    reader.click("#verdict button")
    reader.click("#case .back")
    reader.open_query("blue shoes")
    assert len(reader.texts("#case .searched")) == 1


SVG = "{http://www.w3.org/2000/svg}"


def picture_of(reader: Reader, name: str) -> ElementTree.Element:
    """The picture that a click saves."""
    reader.click("#case .save")
    path = reader.downloads / name
    reader.wait(lambda: path.exists() and path.stat().st_size)
    return ElementTree.fromstring(path.read_text(encoding="utf-8"))


def test_the_shelves_are_saved_as_a_picture(reader: Reader, tmp_path: Path) -> None:
    result = compared("hats <b>", 1.0, ["fez & co"])
    reader.open(page_of(tmp_path, result))
    reader.open_query("hats <b>")
    picture = picture_of(reader, "hats-b.svg")
    texts = [each.text for each in picture.iter(f"{SVG}text")]
    assert texts[0] == "You searched hats <b>"
    assert "fez & co" in texts


PASSAGES = """\
k: 2
cases:
  - query: returns
    min_ndcg: 0.9
    passages: [within 30 days, the original receipt]
"""
SEARCH = """\
import json
import pytest

@pytest.fixture
def search():
    with open("rankings.json", encoding="utf-8") as file:
        return json.load(file).get
"""
RECEIPT = (
    "<b>Bring</b> the ORIGINAL\nreceipt. \u202e<script>document.title='owned'</script>"
)
DAYS = "Return it **within 30 days**. " + "It is not hard. " * 30


@pytest.fixture
def handbook(tmp_path: Path) -> Project:
    """A search that found two passages when it was recorded, and finds one now."""
    project = Project(tmp_path)
    project.write("conftest.py", SEARCH)
    project.write("handbook.relevance.yaml", PASSAGES)
    project.search_returns({"returns": [DAYS, RECEIPT]})
    texts = "--override-ini=relevance_record_texts=on"
    project.pytest("--relevance-record=main.jsonl", texts)
    project.search_returns({"returns": [RECEIPT, "About us."]})
    return project


def test_quotes_are_marked_in_the_texts_of_before_and_now(
    reader: Reader, handbook: Project
) -> None:
    reader.open(handbook.report("--relevance-against=main.jsonl"))
    title = reader.driver.title
    reader.open_query("returns")
    assert reader.texts("#case .shelf mark") == [
        "within 30 days",
        "the ORIGINAL receipt",
        "the ORIGINAL receipt",
    ]
    days, _, receipt, about = reader.texts("#case .shelf .text")
    assert days.startswith("Return it **within 30 days**. It is not hard.")
    assert days.endswith(" \u2026")
    assert receipt.startswith("<b>Bring</b> the ORIGINAL receipt. \\u202e<script>")
    assert about == "About us."
    assert reader.text("#case .searched").startswith(
        'You searched returns. The first 2 results no longer have "within 30 days".'
    )
    assert reader.driver.title == f"returns - {title}"
    picture = picture_of(reader, "returns.svg")
    words = [each for each in picture.iter(f"{SVG}tspan") if each.get("class")]
    marked = [str(each.text).strip() for each in words]
    assert marked[:6] == ["within", "30", "days", "the", "ORIGINAL", "receipt"]


def test_a_page_of_passages_names_no_key_for_grades(
    reader: Reader, handbook: Project
) -> None:
    reader.open(handbook.report())
    assert reader.text("#keys").startswith(
        "Keys: j, k next and previous query; / search."
    )
