"""What a search returned, read as a ranking: document ids best first, as text, with their titles where there are any.

The names that an id or a title goes by, and where engines nest them, are the tables here; where a response keeps its
results is in `responses`. Nothing is sorted and nothing is dropped: a list that a search returned keeps its order and
its repetitions.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number, Real

from pytest_relevance.results.responses import NoResults, UnreadableRanking, kind_of, one_result, results_of
from pytest_relevance.wording import listed, quoted, shown

__all__ = ["ID_NAMES", "TITLE_NAMES", "Ranking", "UnreadableRanking", "id_text", "read_ranking"]

ID_NAMES = ("id", "_id", "doc_id", "docid", "document_id", "objectID")
TITLE_NAMES = ("title", "name")

NESTED = ("_source", "document", "fields", "meta")
"""Where a document's own fields are within a hit: Elasticsearch and OpenSearch, Typesense, Vespa, elasticsearch-dsl."""

NESTED_TITLES = (*NESTED, "metadata", "payload")
"""Where a title may be besides: what vector stores and their clients keep with a document."""

MOST_FIELDS = 12

_TEXT = frozenset({str})
_DICT = frozenset({dict})
_NONE = frozenset({type(None)})
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Ranking:
    """Document ids, best first, as text. `results` are the results as returned, in the same order."""

    ids: Sequence[str]
    results: Sequence[object] = ()
    title_field: str | None = None

    def title(self, index: int) -> str | None:
        """The title of the result at a 0-based index, when the result has one."""
        result = self.results[index] if index < len(self.results) else None
        if _is_pair(result):
            result = result[0]  # type: ignore[index]
        if result is None or isinstance(result, (str, int)):
            return None
        found = _look_up(result, TITLE_NAMES if self.title_field is None else (self.title_field,), NESTED_TITLES)
        if isinstance(found, (list, tuple)) and found:
            found = found[0]
        return str.__str__(found) if isinstance(found, str) and found else None

    def scores(self, count: int) -> Sequence[float | None]:
        """The engine's scores of the first `count` results, None for one without; empty where none has one."""
        found = [_engine_score(result) for result in self.results[:count]]
        return found if any(score is not None for score in found) else ()


SCORE_NAMES = ("score", "_score", "_rankingScore", "relevance", "text_match", "@search.score")
"""The names that the score of a result goes by."""


def _engine_score(result: object) -> float | None:
    """The score that the engine gave a result, where it can be seen."""
    if isinstance(result, Mapping):
        found = next((result[name] for name in SCORE_NAMES if name in result), None)
    elif _is_pair(result):
        found = result[1]  # type: ignore[index]
    else:
        found = None if isinstance(result, str) else getattr(result, "score", None)
    try:
        return None if found is None or isinstance(found, (str, bool)) else float(found)
    except (TypeError, ValueError):
        return None


def read_ranking(response: object, id_field: str | None = None, title_field: str | None = None) -> Ranking:
    """Read what a search returned: see section "What search may return" of the documentation for the shapes.

    `id_field` and `title_field` name the fields of id and title (dots lead into nested fields); by default the usual
    names are tried. Raises `UnreadableRanking`.
    """
    if type(response) is list and set(map(type, response)) <= _TEXT and "" not in response:
        return Ranking(response)
    if isinstance(response, Ranking):
        return response
    names = ID_NAMES if id_field is None else (id_field,)
    try:
        results = results_of(response)
    except NoResults:
        if isinstance(_look_up(response, names), (str, int)):
            raise one_result(response) from None
        raise
    ids = _ids_of_dicts(results, names)
    if ids is None:
        ids = []
        for index, result in enumerate(results):
            try:
                ids.append(_id_of(result, names))
            except _NoId as problem:
                where = f"result {index + 1} of {len(results)}"
                raise UnreadableRanking(f"{where} {problem}: {shown(result, 200)}") from None
    return Ranking(ids, results, title_field)


def id_text(value: object) -> str | None:
    """An id as text: text itself, the digits of an integer (numpy's too), a UUID's text; None for anything else."""
    if isinstance(value, str):
        # exactly str, and not what a subclass calls its text: enums have another, and none travel to xdist's controller
        return str.__str__(value)
    if isinstance(value, bool) or value is None:
        return None
    try:
        return str(operator.index(value))  # type: ignore[arg-type]
    except TypeError:
        return str(value) if type(value).__name__ == "UUID" else None


class _NoId(Exception):
    """Why a result has no usable id."""


def _ids_of_dicts(results: Sequence[object], names: Iterable[str]) -> list[str] | None:
    """The ids of plain dicts that all have text under the same name: the usual case, in a tenth of the time."""
    if set(map(type, results)) != _DICT:
        return None
    for name in names:
        ids = [result.get(name) for result in results]  # type: ignore[attr-defined]
        kinds = set(map(type, ids))
        if kinds == _TEXT and "" not in ids:
            return ids
        if kinds != _NONE:
            break
    return None


def _id_of(result: object, names: Sequence[str]) -> str:
    if _is_bare_sequence(result):
        result = _first_of_pair(result)  # type: ignore[arg-type]
    found, text = result, id_text(result)
    if text is None and result is not None and not isinstance(result, (Number, bytes)):
        found = _look_up(result, names)
        if found is _MISSING:
            raise _NoId(
                f"has no {_spelled(names)}{_fields_there(result)}; name the field with id_field in the case file"
            )
        text = id_text(found)
    if text:
        return text
    if text == "":
        raise _NoId("has an empty id")
    raise _NoId(f"has an id that is {_what_it_is(found)}")


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


def _is_bare_sequence(result: object) -> bool:
    return isinstance(result, (tuple, list)) and not hasattr(result, "_fields")


def _is_pair(result: object) -> bool:
    return _is_bare_sequence(result) and len(result) == 2  # type: ignore[arg-type]


def _first_of_pair(pair: Sequence[object]) -> object:
    if len(pair) != 2 or not _is_score(pair[1]):
        if len(pair) == 2 and isinstance(pair[0], Real) and isinstance(pair[1], str):
            raise _NoId("is a (score, id) pair; return (id, score) pairs")
        raise _NoId("is no (id, score) pair; return ids, (id, score) pairs, or mappings or objects with an id")
    if isinstance(pair[1], Real) and pair[1] != pair[1]:
        raise _NoId("has a score that is NaN")
    return pair[0]


def _is_score(value: object) -> bool:
    # what numpy, torch and the like call a scalar has __float__ too, and so have their arrays, which have a shape
    return value is None or (
        hasattr(value, "__float__") and not isinstance(value, bool) and not getattr(value, "shape", ())
    )


def _look_up(result: object, names: Sequence[str], nested: Iterable[str] = NESTED) -> object:
    """The first of some fields that a result has: of its own, then of the document nested in it.

    A list of one is what it holds, as Elasticsearch's `fields` are lists. None where a field is there and empty.
    """
    found = _first_field(result, names)
    for holder in nested:
        if found is not _MISSING and found is not None:
            break
        inner = _own_field(result, holder)
        if inner is not _MISSING and inner is not None and not isinstance(inner, str):
            inside = _first_field(inner, names)
            found = found if inside is _MISSING else inside
    if isinstance(found, (list, tuple)) and len(found) == 1:
        return found[0]
    return found


def _first_field(result: object, names: Iterable[str]) -> object:
    empty = _MISSING
    for name in names:
        found = _field(result, name)
        if found is None:
            empty = None
        elif found is not _MISSING:
            return found
    return empty


def _field(result: object, name: str) -> object:
    found = _own_field(result, name)
    if found is _MISSING and "." in name:
        outer, _, inner = name.partition(".")
        holder = _own_field(result, outer)
        return _MISSING if holder is _MISSING else _field(holder, inner)
    return found


def _own_field(result: object, name: str) -> object:
    if isinstance(result, Mapping) or (hasattr(result, "keys") and hasattr(result, "__getitem__")):
        try:
            return result[name]
        except (KeyError, IndexError):  # sqlite3.Row raises the second
            return _MISSING
    found = getattr(result, name, _MISSING)
    return _MISSING if callable(found) else found


def _spelled(names: Sequence[str]) -> str:
    return f"id ({listed(names)})" if len(names) > 1 else f"field {quoted(names[0])}"


def _fields_there(result: object) -> str:
    """The fields that a result has instead, those of nested mappings with their dots."""
    names: list[str] = []
    for name in _own_names(result):
        inner = _own_field(result, name)
        names += [f"{name}.{key}" for key in inner] if isinstance(inner, Mapping) and inner else [name]
    if len(names) > MOST_FIELDS:
        names[MOST_FIELDS:] = [f"{len(names) - MOST_FIELDS} more"]
    if names:
        return f", only {listed(names, 'and')}"
    return ", it is empty" if isinstance(result, Mapping) else ""


def _own_names(result: object) -> list[str]:
    if isinstance(result, Mapping):
        return [str(name) for name in result]
    for names in (getattr(result, "_fields", None), getattr(result, "__slots__", None)):
        if isinstance(names, (tuple, list)):
            return [str(name) for name in names if not str(name).startswith("__")]
    if hasattr(result, "keys") and hasattr(result, "__getitem__"):
        return list(map(str, result.keys()))
    return [name for name in getattr(result, "__dict__", ()) if not name.startswith("_")]
