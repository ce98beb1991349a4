"""A run as tables for a notebook: one row for each case, and one row for each result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pytest_relevance.metrics.graded import scored_indexes
from pytest_relevance.metrics.settings import discount_table
from pytest_relevance.results.case_result import CaseResult

if TYPE_CHECKING:
    import pandas

_KEYS = ("file", "id", "variant")
_CASE = (
    *(*_KEYS, "query", "search", "tags", "weight", "verdict", "outcome", "k", "score", "lower", "upper", "latency"),
)
KNOWN_RANKS = "pytest_relevance.known_ranks"
"""The attribute of a frame of rankings with the number of known ranks of each ranking that is not whole."""

_RESULT = (*_KEYS, "rank", "document", "title", "grade", "gain", "discount", "discounted")


def results_frame(results: Sequence[CaseResult]) -> pandas.DataFrame:
    """One row for each case and variant; `calls` and `rankings_seen` where its search was called several times."""
    rows = []
    for result in results:
        row: dict[str, object] = {name: getattr(result, name) for name in _CASE}
        row["lower"], row["upper"] = result.interval
        if result.repeats is not None:
            row |= {"calls": result.repeats.calls, "rankings_seen": result.repeats.rankings}
        row |= {name: math.nan if value is None else value for name, value in result.scores.items()}
        rows.append(row)
    names = dict.fromkeys([*_CASE, *(name for row in rows for name in row)])
    return as_frame(rows, list(names))


def rankings_frame(results: Sequence[CaseResult]) -> pandas.DataFrame:
    """One row for each returned document."""
    rows = [row for result in results for row in _rows(result)]
    frame = as_frame(rows, list(_RESULT))
    frame.attrs[KNOWN_RANKS] = _Unchanging(_known_ranks(results))
    return frame


def as_frame(data: Any, columns: list[str] | None = None) -> pandas.DataFrame:
    """A DataFrame of rows, or of a mapping of columns; half a surrogate pair, which pandas cannot store, is escaped."""
    import pandas

    try:
        frame: pandas.DataFrame = pandas.DataFrame(data, columns=columns)
    except UnicodeEncodeError:
        frame = pandas.DataFrame(_escaped(data), columns=columns)
    return frame


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_escaped(name): _escaped(inner) for name, inner in value.items()}
    return type(value)(map(_escaped, value)) if isinstance(value, (list, tuple)) else value


class _Unchanging(dict[str, int]):
    """A dict that is not copied with every frame that pandas makes of another."""

    def __deepcopy__(self, memo: object) -> _Unchanging:
        return self


def _known_ranks(results: Iterable[CaseResult]) -> dict[str, int]:
    """How many ranks are known of each ranking that is not whole, by the id of its case; of variants the fewest."""
    found: dict[str, int] = {}
    for result in results:
        kept = len(result.documents)
        if result.is_cut or len(set(result.documents)) < result.returned:
            found[result.id] = min(kept, found.get(result.id, kept))
    return found


def _rows(result: CaseResult) -> Iterable[tuple[object, ...]]:
    settings, graded = result.settings, result.graded
    scored = scored_indexes(graded, settings)[: result.k] if graded.judged else ()
    discounts = dict(zip(scored, discount_table(settings.discount, result.k), strict=False))
    for index, (document, grade) in enumerate(zip(result.documents, graded.grades, strict=True)):
        discount = discounts.get(index, math.nan)
        gain = settings.gains[grade] if index in discounts else math.nan
        shown = math.nan if grade is None else grade
        title = result.titles.get(document, "")
        yield *result.key, index + 1, document, title, shown, gain, discount, gain / discount
