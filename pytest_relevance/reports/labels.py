"""Names in reports: of a case, its status, its search and its settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_relevance._number_text import number_text
from pytest_relevance._text import case_name, counted, harmless, shown
from pytest_relevance.reports.styled_lines import BAD, DOUBT, GOOD, PLAIN
from pytest_relevance.reports.terminal_text import cut
from pytest_relevance.results.case_result import CaseResult

if TYPE_CHECKING:
    from pytest_relevance.metrics.settings import Settings

STATUSES = {
    "passed": GOOD,
    **dict.fromkeys(("failed", "error", "not searched"), BAD),
    **dict.fromkeys(("inconclusive", "xfailed", "xpassed", "skipped"), DOUBT),
    "measured": PLAIN,
}
"""The statuses of a case, in the order of a summary, with the style of each."""


_WIDEST_QUERY = 60  # in a heading


def start_text(started: str) -> str:
    """Return when a run began (ISO 8601) as `2026-11-22 08:03`."""
    return started[:16].replace("T", " ")


def case_label(result: CaseResult) -> str:
    """Return the id and the query of a case, or only the query if it is the id.

    Example: `q043 "gaming laptop"`.
    """
    return case_name(result.id, result.query)


def case_heading(result: CaseResult) -> str:
    """Return the heading of a case: `q043 "laptop"[bm25]`.

    If the query is the id of the case, or the case is a check of a test in Python, the
    heading is only the name of the pytest item.
    """
    name = (result.node or result.id).rpartition("::")[2]
    return item_heading(name, result.id, result.query)


def item_heading(name: str, case: str, query: str) -> str:
    """Return the heading of a pytest item: `q043 "gaming laptop"[bm25]`.

    If the query is the id of the case, or the item is a test with checks, the heading
    is only `name`, the name of the item. A query is cut to 60 columns.
    """
    if query == case or not name.startswith(case):
        return harmless(name)
    variant = harmless(name.removeprefix(case))
    return f'{harmless(case)} "{cut(harmless(query), _WIDEST_QUERY)}"{variant}'


def search_label(search: str, variant: str | None, params: Mapping[str, object]) -> str:
    """Return a search with its variant and parameters: `search[bm25](locale=en_GB)`."""
    label = harmless(search)
    if variant:
        label += f"[{harmless(variant)}]"
    if not params:
        return label
    given = []
    for name, value in params.items():
        given.append(f"{name}={value if isinstance(value, str) else shown(value, 40)}")
    return f"{label}({harmless(', '.join(given))})"


def settings_text(settings: Settings, depth: int | None = None) -> str:
    """Return the settings of nDCG: `gain exponential, ideal judged, unjudged zero`.

    Further settings are named if they do not have their defaults.

    `depth`: the depth that the case file sets; None if it sets none.
    """
    ideal = settings.ideal
    if ideal == "max" and settings.max_grade is not None:
        ideal = f"max ({number_text(settings.max_grade)})"
    parts = [
        f"gain {_gain_text(settings)}",
        f"ideal {ideal}",
        f"unjudged {settings.unjudged}",
    ]
    if settings.discount != "log2":
        parts.append(f"discount {settings.discount}")
    if settings.negative != "keep":
        parts.append(f"negative {settings.negative}")
    if settings.collapse:
        parts.append("collapse true")
    if depth is not None:
        parts.append(f"depth {depth}")
    return ", ".join(parts)


def _gain_text(settings: Settings) -> str:
    """Return the gain as text: `exponential`, or `{0: 0, 1: 3}` for gains by grade."""
    if isinstance(settings.gain, str):
        return settings.gain
    gains = [f"{grade:g}: {gain:g}" for grade, gain in sorted(settings.gain.items())]
    return f"{{{', '.join(gains)}}}"


def first_names(names: Sequence[str], most: int, one: str, several: str) -> list[str]:
    """Return the first `most` names, and a text with the number of further names.

    `one`, `several`: the words after the number, such as `more entry`, `more entries`.
    """
    first = list(names[:most])
    more = len(names) - most
    if more > 0:
        first.append(counted(more, one, several))
    return first


def names_in_page(results: Iterable[CaseResult]) -> dict[int, str]:
    """Return {`id(result)`: name of the result in the page and its links}.

    The name is pytest's node id. Checks of one test in Python share their node id, so
    the second is `test_shop.py::test_boots #2`.
    """
    names: dict[int, str] = {}
    taken: dict[str, int] = {}
    for result in results:
        node = result.node or f"{result.file}::{result.id}"
        name = node
        while name in taken:
            taken[node] += 1
            name = f"{node} #{taken[node]}"
        taken[name] = 1
        names[id(result)] = name
    return names
