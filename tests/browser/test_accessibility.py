"""axe-core finds nothing to complain about in the page.

The tests are skipped unless the environment variable RELEVANCE_AXE names its file,
`axe.min.js` of the npm package `axe-core`.
"""

import os
from itertools import product
from pathlib import Path

import pytest

from tests.browser.reader import Reader

_RUN_AXE = """
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


def see_blind_query(reader: Reader) -> None:
    reader.open_query("blue shoes")
    reader.click("#blind")


@pytest.fixture(
    params=[
        see_list,
        see_found_queries,
        see_open_query,
        see_graded_query,
        see_blind_query,
    ]
)
def view(reader: Reader, page: Path, request: pytest.FixtureRequest) -> str:
    """A view of the page that the reader sees."""
    reader.open(page)
    request.param(reader)
    return str(request.param.__name__)


def assert_accessible(axe: str, reader: Reader) -> None:
    """Assert that axe-core finds nothing, and that nothing is wider than the window."""
    reader.script(axe)
    for width, scheme in product([320, 1600], ["light", "dark"]):
        reader.resize(width, 900)
        reader.prefer(scheme)
        where = f"{width} pixels wide, {scheme}"
        assert reader.script(_RUN_AXE) == [], where
        assert reader.script("return document.documentElement.scrollWidth") <= width, (
            where
        )


@pytest.mark.usefixtures("view")
def test_axe_finds_nothing(axe: str, reader: Reader) -> None:
    assert_accessible(axe, reader)


SMALL_TARGETS = """
    const found = document.querySelectorAll("button, select, input, summary, nav a, #page a");
    return [...found].filter((each) => each.checkVisibility() && !each.closest("svg")).flatMap((each) => {
        const {width, height} = each.getBoundingClientRect();
        return width < 44 || height < 44 ? [`${each.outerHTML.slice(0, 80)} ${width} x ${height}`] : [];
    });
"""

_EDGES = """
    const part = (value) => (value / 255 <= 0.04045 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    const light = (color) => {
        const [red, green, blue] = color.match(/[0-9.]+/g).map(Number).map(part);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const ground = light(getComputedStyle(document.body).backgroundColor);
    return [...document.querySelectorAll("button:not(.contest), select, input")].flatMap((each) => {
        const edge = light(getComputedStyle(each).borderTopColor);
        const contrast = (Math.max(edge, ground) + 0.05) / (Math.min(edge, ground) + 0.05);
        return contrast < 3 ? [`${each.outerHTML.slice(0, 80)} ${contrast}`] : [];
    });
"""


def test_targets_on_a_phone_are_large_and_the_bar_is_one_line(
    reader: Reader, view: str
) -> None:
    reader.resize(390, 844)
    assert reader.script(SMALL_TARGETS) == []
    for width in (390, 320):
        reader.resize(width, 844)
        bar = "const bar = document.getElementById('judging'); return [bar.clientHeight, bar.scrollWidth]"
        height, needed = reader.script(bar)
        assert height < 70, view
        assert needed <= width, view  # the name of the rater included


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_controls_have_borders_that_are_seen(
    reader: Reader, view: str, scheme: str
) -> None:
    reader.prefer(scheme)
    assert reader.script(_EDGES) == [], view


def test_single_keys_can_be_switched_off(reader: Reader, page: Path) -> None:
    reader.open(page)
    reader.click("#keys button", "switch single keys off")
    reader.open_query("blue shoes")
    reader.press("3", "n", "j", "u")
    assert (reader.opened, reader.given("loafer")) == ("blue shoes", "")
    reader.reload()
    reader.press("3")
    assert reader.given("loafer") == ""
    reader.press("Escape")
    assert reader.opened == ""
    reader.click("#keys button", "switch single keys on")
    reader.open_query("blue shoes")
    reader.press("3")
    assert reader.given("loafer") == "3"


def test_the_bar_hides_nothing_that_has_the_focus(reader: Reader, page: Path) -> None:
    reader.resize(1280, 400)
    reader.open(page)
    reader.open_query("smart watch")
    seen = set()
    for _ in range(20):
        reader.press("Tab")
        name, bottom, bar = reader.script(
            "const end = (each) => each.getBoundingClientRect(); const focused = document.activeElement;"
            "return [focused.outerHTML, end(focused).bottom, end(document.getElementById('judging')).top]"
        )
        if 'id="rater"' in name:
            break
        seen.add(name)
        assert bottom <= bar, name
    assert len(seen) > 10


def test_lists_have_names(reader: Reader, page: Path) -> None:
    reader.open(page)
    reader.open_query("smart watch")
    assert reader.attribute("#case .before ol", "aria-label") == "results before"
    assert reader.attribute("#case .now ol", "aria-label") == "results now"
