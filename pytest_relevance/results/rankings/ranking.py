"""What a search returned, read as a ranking: document ids best first, as text, with their titles and scores.

The tables here list the field names of ids, titles and scores, and where engines nest them; `responses` finds the
results in a response. Nothing is sorted and nothing is dropped: a list that a search returned keeps its order and its
repetitions. All that is needed is copied at once, so that a search may fill the same list anew.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number, Real
from typing import Any, TypeVar

from pytest_relevance._text import listed, quoted, shown
from pytest_relevance.results.responses.reading import results_of
from pytest_relevance.results.responses.refusals import NoResults, UnreadableRanking, is_mock, kind_of, one_result
from pytest_relevance.results.responses.rows import BadResult, BareRow, ambiguity, has_dimensions, is_row, read_row

__all__ = ["ID_NAMES", "TITLE_NAMES", "Ranking", "UnreadableRanking", "id_text", "read_ranking"]

ID_NAMES = ("id", "_id", "doc_id", "docid", "document_id", "objectID")
TITLE_NAMES = ("title", "name")
SCORE_NAMES = ("score", "_score", "_rankingScore", "relevance", "text_match", "@search.score")

NESTED = ("_source", "document", "fields", "meta")
"""Where a document's own fields are within a hit: Elasticsearch and OpenSearch, Typesense, Vespa, elasticsearch-dsl."""

NESTED_TITLES = (*NESTED, "metadata", "payload")
"""Where a title may also be: the fields that vector stores and their clients keep with a document."""

NESTED_SCORES = ("meta",)
"""Where a score may also be: the metadata of a hit in the DSL clients."""

MOST_FIELDS = 12

_T = TypeVar("_T")
Getter = Callable[[str], object]
_TEXT = frozenset({str})
_SCALARS = frozenset({str, int})
_PLAIN_SCORES = frozenset({float, int, type(None)})
_DICT = frozenset({dict})
_NONE = frozenset({type(None)})
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Ranking:
    """Document ids, best first, as text. `titles` and `scores` are the engine's, in the same order, or empty."""

    ids: Sequence[str]
    titles: Sequence[str | None] = ()
    scores: Sequence[float | None] = ()

    def title(self, index: int) -> str | None:
        """The title of the result at a 0-based index, when the result has one."""
        return self.titles[index] if index < len(self.titles) else None

    def score(self, index: int) -> float | None:
        """The engine's score of the result at a 0-based index, when the result has one."""
        return self.scores[index] if index < len(self.scores) else None


def read_ranking(response: object, id_field: str | None = None, title_field: str | None = None) -> Ranking:
    """Read what a search returned: see section "What search may return" of the documentation for the shapes.

    `id_field` and `title_field` name the fields of id and title (dots lead into nested fields); by default the usual
    names are tried. The ranking is a copy: later changes to the response do not affect it. Raises `UnreadableRanking`
    (a ValueError) where it cannot be read as a ranking.
    """
    if type(response) is list and set(map(type, response)) <= _TEXT and "" not in response:
        return Ranking(response.copy())
    if isinstance(response, Ranking):
        return response
    names = ID_NAMES if id_field is None else (id_field,)
    title_names = TITLE_NAMES if title_field is None else (title_field,)
    try:
        results = results_of(response, names, title_names)
    except NoResults:
        if isinstance(_look_up(_as_mapping(response), names), (str, int)):
            raise one_result(response) from None
        raise
    if why := ambiguity(results):
        raise UnreadableRanking(f"search returned {why}")
    return _copied(results, names, title_names)


def id_text(value: object) -> str | None:
    """An id as text: text itself, the digits of an integer (numpy's too), a UUID's text; None for anything else."""
    if isinstance(value, str):
        # exactly str, and not what a subclass calls its text: enums have another, and none travel to xdist's controller
        return str.__str__(value)
    if isinstance(value, bool) or value is None or is_mock(value):
        return None
    try:
        return str(operator.index(value))  # type: ignore[arg-type]
    except TypeError:
        return str(value) if type(value).__name__ == "UUID" else None


def _copied(results: Sequence[Any], names: Sequence[str], title_names: Sequence[str]) -> Ranking:
    """The ids, titles and scores of results."""
    kinds = set(map(type, results))
    if kinds <= _SCALARS and "" not in results:
        return Ranking([*map(str, results)])
    if kinds == _DICT:
        return _copied_dicts(results, names, title_names)
    rows = _each(_row_of, results, results)
    ids = _each(lambda row: _id_of(row.document, names), rows, results)
    titles = [row.title or _title_of(row.document, title_names) for row in rows]
    return _without_blanks(ids, titles, _each(_score_of_row, rows, results))


def _copied_dicts(results: Sequence[Any], names: Sequence[str], title_names: Sequence[str]) -> Ranking:
    """The ids, titles and scores of plain dicts, column by column where all have the same fields."""
    ids, titles, scores = _dict_ids(results, names), _dict_titles(results, title_names), _dict_scores(results)
    if ids is None:
        ids = _each(lambda result: _id_of(result, names), results, results)
    if titles is None:
        titles = [_title_of(result, title_names) for result in results]
    if scores is None:
        scores = _each(_score_of, results, results)
    return _without_blanks(ids, titles, scores)


def _without_blanks(ids: list[str], titles: Sequence[str | None], scores: Sequence[float | None]) -> Ranking:
    return Ranking(ids, titles if any(titles) else (), scores if set(map(type, scores)) - _NONE else ())


def _each(read: Callable[[Any], _T], values: Sequence[Any], results: Sequence[object]) -> list[_T]:
    """What is read of each value; a message of one that cannot be read shows the result that it comes from."""
    found = []
    for index, value in enumerate(values):
        try:
            found.append(read(value))
        except BadResult as problem:
            where = f"result {index + 1} of {len(results)}"
            raise UnreadableRanking(f"{where} {problem}: {shown(results[index], 200)}") from None
    return found


def _row_of(result: Any) -> BareRow:
    """A result as a `BareRow`: read from a row, or made of a document alone."""
    row = read_row(result) if is_row(result) else BareRow(result)
    return BareRow(_as_mapping(row.document), None if row.title is None else _text(row.title), row.score)


def _score_of_row(row: BareRow) -> float | None:
    number = _number(row.score)
    return _score_of(row.document) if number is None else number


def _as_mapping(result: Any) -> Any:
    """A hit or a document of elasticsearch.dsl and opensearch-py as the engine's own hit; anything else as it is.

    Such a hit has the fields of the document as its items, and the engine's metadata in its attribute `meta`.
    """
    own = getattr(result, "__dict__", None)
    if own is None or "_d_" not in own or "meta" not in own:
        return result
    meta = getattr(own["meta"], "_d_", own["meta"])
    if not isinstance(meta, Mapping):
        return result
    return {**{f"_{name}": value for name, value in meta.items()}, "_source": own["_d_"], "meta": meta}


# --- columns of plain dicts: the usual case, in a tenth of the time ---------------------------------------------------


def _dict_ids(dicts: Sequence[dict[Any, Any]], names: Iterable[str]) -> list[str] | None:
    ids = _column(dicts, names)
    return ids if ids is not None and _is_text(ids) else None


def _dict_titles(dicts: Sequence[dict[Any, Any]], names: Sequence[str]) -> Sequence[str | None] | None:
    titles = _column(dicts, names)
    if titles is None or any("." in name for name in names):
        return None
    if set(map(type, titles)) != _NONE:
        return titles if _is_text(titles) else None
    for holder in NESTED_TITLES:
        inner: list[Any] = [each.get(holder) for each in dicts]
        kinds = set(map(type, inner))
        if kinds == _DICT:
            titles = _column(inner, names)
            return titles if titles is not None and _is_text(titles) else None
        if kinds != _NONE:
            return None
    return titles  # no result has any


def _dict_scores(dicts: Sequence[dict[Any, Any]]) -> Sequence[float | None] | None:
    scores = _column(dicts, SCORE_NAMES)
    if scores is None or not set(map(type, scores)) <= _PLAIN_SCORES or any(score != score for score in scores):
        return None
    return scores


def _column(dicts: Sequence[dict[Any, Any]], names: Iterable[str]) -> list[Any] | None:
    """The values under the first of some names that any of the dicts has, where all have it.

    None where some lack it; as many Nones as there are dicts where none has any of the names.
    """
    values: list[Any] = [None] * len(dicts)
    for name in names:
        values = [each.get(name) for each in dicts]
        kinds = set(map(type, values))
        if kinds != _NONE:
            return None if kinds > _NONE else values
    return values


def _is_text(values: Sequence[object]) -> bool:
    return set(map(type, values)) == _TEXT and "" not in values


# --- a result by itself -----------------------------------------------------------------------------------------------


def _id_of(result: Any, names: Sequence[str]) -> str:
    found, text = result, id_text(result)
    if text is None and result is not None and not isinstance(result, (Number, bytes)):
        found = _look_up(result, names)
        if found is _MISSING:
            raise BadResult(
                f"has no {_spelled(names)}{_fields_there(result)}; name the field with id_field in the case file"
            )
        text = id_text(found)
    if text:
        return text
    if text == "":
        raise BadResult("has an empty id")
    raise BadResult(f"has an id that is {_what_it_is(found)}")


def _what_it_is(found: object) -> str:
    cure = "return ids as text or integers"
    if found is None:
        return f"None; {cure}"
    if isinstance(found, Real) and not isinstance(found, bool):
        if found != found:
            return f"NaN; {cure}"
        if float(found).is_integer():
            cure += " (integers become floats in a data frame's column where one is missing)"
        return f"a float, {shown(found)}, whose text could be another one's; {cure}"
    return f"{kind_of(found)}, {shown(found)}; {cure}"


def _title_of(result: Any, names: Sequence[str]) -> str | None:
    if result is None or isinstance(result, (str, int)):
        return None
    found = _look_up(result, names, NESTED_TITLES)
    if isinstance(found, (list, tuple)) and found:
        found = found[0]
    return _text(found) if isinstance(found, str) and found else None


def _score_of(result: Any) -> float | None:
    if result is None or isinstance(result, (str, int)):
        return None
    return _number(_look_up(result, SCORE_NAMES if isinstance(result, Mapping) else SCORE_NAMES[:1], NESTED_SCORES))


def _number(score: Any) -> float | None:
    """A score as a number: an integer as it is, as large ones are not exact as floats. Raises `BadResult` for NaN."""
    if score is None or isinstance(score, (str, bool)) or not hasattr(score, "__float__") or has_dimensions(score):
        return None
    if isinstance(score, int):
        return int(score)
    number: float | None
    try:
        number = float(score)
    except (TypeError, ValueError, OverflowError):  # a signalling NaN of Decimal, among others
        number = float("nan") if hasattr(score, "is_nan") and score.is_nan() else None
    if number is not None and number != number:
        raise BadResult("has a score that is NaN; return numbers, or results without scores")
    return number


def _text(value: str) -> str:
    """Exactly str: a subclass of it does not travel to the controller of pytest-xdist."""
    return str.__str__(value)


def _look_up(result: object, names: Sequence[str], nested: Iterable[str] = NESTED) -> object:
    """The first of some fields that a result has: of its own, then of the document nested in it.

    A list of one is its only item, as Elasticsearch's `fields` are lists. None where a field is there and empty.
    """
    get = _getter(result)
    found = _first_field(get, names)
    if found is _MISSING or found is None:
        for holder in nested:
            inner = get(holder)
            if inner is _MISSING or inner is None or isinstance(inner, str):
                continue
            inside = _first_field(_getter(inner), names)
            if inside is not _MISSING:
                found = inside
                if inside is not None:
                    break
    if isinstance(found, (list, tuple)) and len(found) == 1:
        return found[0]
    return found


def _first_field(get: Getter, names: Iterable[str]) -> object:
    empty = _MISSING
    for name in names:
        found = _field(get, name) if "." in name else get(name)
        if found is None:
            empty = None
        elif found is not _MISSING:
            return found
    return empty


def _field(get: Getter, name: str) -> object:
    """A field by its name, or by its path where no field has a name with that dot in it."""
    found = get(name)
    if found is _MISSING and "." in name:
        outer, _, inner = name.partition(".")
        holder = get(outer)
        return _MISSING if holder is _MISSING else _field(_getter(holder), inner)
    return found


def _getter(result: Any) -> Getter:
    """A function that gets a result's own field by its name; `_MISSING` for one that is not there."""
    if isinstance(result, Mapping):
        return lambda name: result.get(name, _MISSING)
    if _is_keyed(result):
        return lambda name: _item(result, name)
    return lambda name: _attribute(result, name)


def _item(result: Any, name: str) -> object:
    try:
        return result[name]
    except (KeyError, IndexError):  # sqlite3.Row raises the second
        return _MISSING


def _attribute(result: object, name: str) -> object:
    found = getattr(result, name, _MISSING)
    return _MISSING if callable(found) else found


def _is_keyed(result: object) -> bool:
    """Whether a result has its fields by their names without being a mapping, as a row of sqlite3 has."""
    kind = type(result)
    return hasattr(kind, "keys") and hasattr(kind, "__getitem__")


def _spelled(names: Sequence[str]) -> str:
    return f"id ({listed(names)})" if len(names) > 1 else f"field {quoted(names[0])}"


def _fields_there(result: object) -> str:
    """The fields that a result has instead, those of nested mappings with their dots."""
    names: list[str] = []
    for name in _own_names(result):
        inner = _getter(result)(name)
        names += [f"{name}.{key}" for key in inner] if isinstance(inner, Mapping) and inner else [name]
    if len(names) > MOST_FIELDS:
        names[MOST_FIELDS:] = [f"{len(names) - MOST_FIELDS} more"]
    if names:
        return f", only {listed(names, 'and')}"
    return ", it is empty" if isinstance(result, Mapping) else ""


def _own_names(result: Any) -> list[str]:
    if isinstance(result, Mapping):
        return [str(name) for name in result]
    for names in (getattr(result, "_fields", None), getattr(result, "__slots__", None)):
        if isinstance(names, (tuple, list)):
            return [str(name) for name in names if not str(name).startswith("__")]
    if _is_keyed(result):
        return list(map(str, result.keys()))
    return [name for name in getattr(result, "__dict__", ()) if not name.startswith("_")]
