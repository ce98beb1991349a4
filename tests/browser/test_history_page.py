"""The page of a history: a point opens what moved in its run, by mouse and by keyboard,
without a script.
"""

from pathlib import Path

import pytest

from pytest_relevance import FileInfo, Run, RunInfo
from pytest_relevance.cli import main
from tests.browser.reader import Reader
from tests.browser.test_accessibility import assert_accessible, axe  # noqa: F401
from tests.browser.test_hostile_text import HOSTILE, SHOWN
from tests.helpers import result_of

FILE = "shop.relevance.yaml"
RANKINGS = ("ab", "ab", "ba", "ab", "ab")
"""What the search returned for each query, run by run."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The history of five runs with hostile queries and fingerprints; a break is before
    the last one.
    """
    folder = tmp_path_factory.mktemp("history")
    for number, ranking in enumerate(RANKINGS):
        judgments = {"a": 3, "b": 1, **({"c": 1} if number == 4 else {})}
        results = [
            result_of({"query": text, "judgments": judgments}, list(ranking), file=FILE)
            for text in HOSTILE.values()
        ]
        searched = {
            f"{name} {text}": number // 2
            for name, text in HOSTILE.items()
            if name != "long"
        }
        info = RunInfo(
            "1.0", f"2026-11-{number + 1:02}T08:03:11+00:00", fingerprint=searched
        )
        Run(results, {FILE: FileInfo(FILE)}, info).write(folder / f"{number}.jsonl")
    page = folder / "history.html"
    assert main(["history", str(folder), "--output", str(page)]) == 0
    return page


def test_a_point_opens_what_moved(reader: Reader, page: Path) -> None:
    reader.open(page, scripts=False)
    assert reader.texts("h1") == [
        "5 runs: no mean can be compared with that of the last"
    ]
    assert reader.texts("details th") == []
    reader.driver.find_elements("css selector", "svg a .target")[2].click()
    assert [text.strip() for text in reader.texts("details th")] == [*SHOWN.values()]
    before = "since the run before"
    fell = f"{len(HOSTILE)} got worse (all for certain), 0 got better {before}"
    rose = f"0 got worse, {len(HOSTILE)} got better {before}"
    assert reader.texts("details[open] summary") == [fell]
    reader.driver.find_elements("css selector", "summary")[1].send_keys(
        "\ue007"
    )  # Enter
    assert reader.texts("details[open] summary") == [fell, rose]


def test_hostile_text_stays_text_and_axe_finds_nothing(
    axe: str,  # noqa: F811
    reader: Reader,
    page: Path,
) -> None:
    reader.open(page, "#run-0-2", scripts=False)
    reader.command("Emulation.setScriptExecutionDisabled", value=False)
    assert reader.script("return document.title").endswith("- history")
    assert (
        reader.script(
            "return document.querySelectorAll('script, img, td svg, [onclick], [onerror]').length"
        )
        == 0
    )
    reader.click(".stories summary")
    assert len(reader.texts(".story")) == 1
    assert_accessible(axe, reader)
