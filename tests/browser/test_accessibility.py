"""axe-core finds nothing to complain about in the page.

The tests are skipped unless the environment variable RELEVANCE_AXE names its file, `axe.min.js` of the npm package
`axe-core`.
"""

from __future__ import annotations

import os
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


VIEWS = [see_list, see_found_queries, see_open_query, see_graded_query]


@pytest.mark.parametrize("view", VIEWS, ids=[view.__name__ for view in VIEWS])
@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(axe: str, reader: Reader, page: Path, scheme: str, width: int, view: object) -> None:
    assert callable(view)
    reader.resize(width, 900)
    reader.prefer(scheme)
    reader.open(page)
    view(reader)
    reader.script(axe)
    assert reader.script(RUN_AXE) == []


@pytest.mark.parametrize("view", VIEWS, ids=[view.__name__ for view in VIEWS])
@pytest.mark.parametrize("width", [320, 400, 1600])
def test_nothing_is_wider_than_the_window(reader: Reader, page: Path, width: int, view: object) -> None:
    assert callable(view)
    reader.resize(width, 900)
    reader.open(page)
    view(reader)
    assert reader.script("return document.documentElement.scrollWidth") <= width
