"""axe-core finds nothing to complain about in the page.

The tests are skipped unless the environment variable RELEVANCE_AXE names its file, `axe.min.js` of the npm package
`axe-core`.
"""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest

from tests.browser.reader import Reader

RUN_AXE = """
    return axe.run(document, {resultTypes: ["violations"]}).then(({ violations }) =>
        violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`)));
"""


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core."""
    path = os.environ.get("RELEVANCE_AXE")
    if not path:
        pytest.skip("needs axe-core: RELEVANCE_AXE=node_modules/axe-core/axe.min.js")
    return Path(path).read_text(encoding="utf-8")


def see_list(reader: Reader) -> None:
    pass


def see_found_queries(reader: Reader) -> None:
    reader.choose("tag", "shoes")
    reader.type("zebra")


def see_open_query(reader: Reader) -> None:
    reader.open_query("smart watch")


def see_graded_query(reader: Reader) -> None:
    reader.open_query("blue shoes")
    reader.press("3")


@pytest.fixture(params=[see_list, see_found_queries, see_open_query, see_graded_query])
def view(reader: Reader, page: Path, request: pytest.FixtureRequest) -> str:
    """A view of the page that the reader sees."""
    reader.open(page)
    request.param(reader)
    return str(request.param.__name__)


def test_axe_finds_nothing(axe: str, reader: Reader, view: str) -> None:
    reader.script(axe)
    for width, scheme in product([400, 1600], ["light", "dark"]):
        reader.resize(width, 900)
        reader.prefer(scheme)
        assert reader.script(RUN_AXE) == [], f"{view}, {width} pixels wide, {scheme}"


def test_nothing_is_wider_than_the_window(reader: Reader, view: str) -> None:
    for width in (320, 400, 1600):
        reader.resize(width, 900)
        assert reader.script("return document.documentElement.scrollWidth") <= width, f"{view}, {width} pixels wide"
