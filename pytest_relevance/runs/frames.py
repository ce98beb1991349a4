"""A run as tables for a notebook: a row a case, and a row a result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pytest_relevance.metrics.scalar import GradedRanking, scored_indexes
from pytest_relevance.metrics.settings import discount_table
from pytest_relevance.runs.run import Result

if TYPE_CHECKING:
    import pandas

_KEYS = ("file", "id", "variant")
_CASE = (
    *(*_KEYS, "query", "search", "tags", "weight", "verdict", "outcome", "k", "score", "lower", "upper", "latency"),
)
_REPEATED = ("calls", "rankings_seen")
"""What only a run with `--relevance-repeat` has."""

KNOWN_RANKS = "pytest_relevance.known_ranks"
"""The attribute of a frame of rankings that says of which of them how many ranks are known, where that is not all."""

_RESULT = (*_KEYS, "rank", "document", "grade", "gain", "discount", "discounted")


def results_frame(results: Sequence[Result]) -> pandas.DataFrame:
    """A row a case and variant."""
    rows = []
    for result in results:
        row: dict[str, object] = {name: getattr(result, name) for name in _CASE}
        row |= {name: result.values[name] for name in _REPEATED if name in result.values}
        row |= {name: math.nan if value is None else value for name, value in result.scores.items()}
        rows.append(row)
    names = dict.fromkeys([*_CASE, *(name for row in rows for name in row)])
    return as_frame(rows, list(names))


def rankings_frame(results: Sequence[Result]) -> pandas.DataFrame:
    """A row a result."""
    rows = [row for result in results for row in _rows(result)]
    frame = as_frame(rows, list(_RESULT))
    frame.attrs[KNOWN_RANKS] = _Unchanging(_known_ranks(results))
    return frame


def as_frame(data: Any, columns: list[str] | None = None) -> pandas.DataFrame:
    """A DataFrame of rows, or of a mapping of columns; half a character, which it cannot hold, is escaped."""
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


def _known_ranks(results: Iterable[Result]) -> dict[str, int]:
    """How many ranks are known of each ranking that is not whole, by the id of its case; of variants the least."""
    found: dict[str, int] = {}
    for result in results:
        kept = len(result.ranking)
        if result.is_cut or len(set(result.ranking)) < result.details.get("returned", 0):
            found[result.id] = min(kept, found.get(result.id, kept))
    return found


def _rows(result: Result) -> Iterable[tuple[object, ...]]:
    graded = result.graded
    try:
        yield from _graded_rows(result, graded)
    except (ValueError, OverflowError) as error:  # a grade without a gain under the settings of the record
        raise result.damaged(error) from None


def _graded_rows(result: Result, graded: GradedRanking) -> Iterable[tuple[object, ...]]:
    settings = result.settings
    scored = scored_indexes(graded, settings)[: result.k] if graded.judged else ()
    discounts = dict(zip(scored, discount_table(settings.discount, result.k), strict=False))
    for index, (document, grade) in enumerate(zip(result.ranking, graded.grades, strict=True)):
        discount = discounts.get(index, math.nan)
        gain = settings.gains[grade] if index in discounts else math.nan
        shown = math.nan if grade is None else grade
        yield *result.key, index + 1, document, shown, gain, discount, gain / discount
