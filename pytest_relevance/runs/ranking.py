"""What a search returned, read as a ranking: document ids best first, as text, with their titles where there are any.

Every shape that search libraries return is a row of a table here: where a response body keeps its hits, the names an
id or a title goes by. What is no ranking is refused with a message that shows what came back. Nothing is sorted and
nothing is dropped: a list that a search returned keeps its order and its repetitions.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from pytest_relevance.wording import listed, quoted, shown

ID_NAMES = ("id", "_id", "doc_id", "docid", "document_id", "objectID")
TITLE_NAMES = ("title", "name")

NESTED = ("_source", "document", "fields")
"""Where engines keep a document's own fields within a hit: Elasticsearch and OpenSearch, Typesense, Vespa."""

HITS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Elasticsearch or OpenSearch", ("hits", "hits")),
    ("Algolia, Meilisearch or Typesense", ("hits",)),
    ("Solr", ("response", "docs")),
    ("Vespa", ("root", "children")),
)
"""Where a response body keeps its hits, by engine; the first path that leads to a list is taken."""

HOLDERS = ("body", "hits", "docs")
"""Attributes under which client libraries' response objects keep the body or the hits."""

_TEXT = frozenset({str})
_MISSING = object()


class UnreadableRanking(ValueError):
    """What a search returned is no ranking. The message shows what came back and what is understood."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Document ids, best first, as text. `results` are the results as returned, in the same order."""

    ids: Sequence[str]
    results: Sequence[object] = ()
    title_field: str | None = None

    def title(self, index: int) -> str | None:
        """The title of the result at a 0-based index, when the result has one."""
        result = self.results[index] if index < len(self.results) else None
        if isinstance(result, tuple) and len(result) == 2 and not hasattr(result, "_fields"):
            result = result[0]
        if result is None or isinstance(result, (str, int)):
            return None
        names = TITLE_NAMES if self.title_field is None else (self.title_field,)
        found = _look_up(result, names)
        if isinstance(found, (list, tuple)) and found:  # Elasticsearch's `fields` are lists
            found = found[0]
        return found if isinstance(found, str) and found else None


def read_ranking(response: object, id_field: str | None = None, title_field: str | None = None) -> Ranking:
    """Read what a search returned: see section "What search may return" of the documentation for the shapes.

    `id_field` and `title_field` name the fields of id and title (dots lead into nested fields); by default the usual
    names are tried. Raises `UnreadableRanking`.
    """
    if type(response) is list and set(map(type, response)) <= _TEXT:
        if "" in response:
            raise UnreadableRanking(f"result {response.index('') + 1} has an empty id: {shown(response)}")
        return Ranking(response)
    results = _results(response)
    ids = []
    for index, result in enumerate(results):
        try:
            ids.append(_id_of(result, id_field))
        except _NoId as problem:
            raise UnreadableRanking(f"result {index + 1} of {len(results)} {problem}: {shown(result, 200)}") from None
    return Ranking(ids, results, title_field)


def id_text(value: object) -> str | None:
    """An id as text: text itself, the digits of an integer (numpy's too), a UUID's text; None for anything else."""
    if isinstance(value, str):
        return str(value)  # exactly str: numpy's and others' subclasses do not travel to xdist's controller
    if isinstance(value, bool) or value is None:
        return None
    try:
        return str(operator.index(value))  # type: ignore[arg-type]
    except TypeError:
        return str(value) if type(value).__name__ == "UUID" else None


class _NoId(Exception):
    """Why a result has no usable id."""


def _id_of(result: object, id_field: str | None) -> str:
    found = result
    if isinstance(result, (tuple, list)) and not hasattr(result, "_fields"):
        found = _first_of_pair(result)
    text = id_text(found)
    if text is None and not isinstance(found, (float, bytes, bool)) and found is not None:
        names = ID_NAMES if id_field is None else (id_field,)
        found = _look_up(found, names)
        if found is _MISSING:
            raise _NoId(
                f"has no {_spelled(names)}{_fields_there(result)}; name the field with id_field in the case file"
            )
        text = id_text(found)
    if text:
        return text
    if text == "":
        raise _NoId("has an empty id")
    if isinstance(found, float) or type(found).__name__.startswith("float"):
        why = "NaN" if isnan(found) else "a float, whose text could be another one's"  # type: ignore[arg-type]
        raise _NoId(f"has an id that is {why} ({shown(found)}); return ids as text or integers")
    raise _NoId(f"has an id that is {_a(found)}; return ids as text or integers")


def _first_of_pair(pair: Sequence[object]) -> object:
    if len(pair) != 2 or isinstance(pair[1], (str, bytes, Mapping)) or not _is_score(pair[1]):
        raise _NoId("is no (id, score) pair")
    if pair[1] != pair[1]:
        raise _NoId("has a score that is NaN")
    return pair[0]


def _is_score(value: object) -> bool:
    return value is None or (hasattr(value, "__float__") and not isinstance(value, bool))


def _look_up(result: object, names: Iterable[str]) -> object:
    """The first of some fields that a result has: of its own, then of the document nested in it."""
    for name in names:
        found = _field(result, name)
        if found is not _MISSING and found is not None:
            return found
    for holder in NESTED:
        inner = _field(result, holder)
        if inner is not _MISSING and inner is not None and not isinstance(inner, str):
            for name in names:
                found = _field(inner, name)
                if found is not _MISSING and found is not None:
                    return found
    return _MISSING


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


def _results(response: object) -> Sequence[object]:
    """The results within a response: itself when it is a sequence, the hits of a body, the rows of a frame."""
    if response is None:
        raise UnreadableRanking(
            "search returned None; return the results, best first (a search without results returns an empty list)"
        )
    if isinstance(response, (str, bytes)):
        raise UnreadableRanking(f"search returned text, {shown(response)}; return a list of results, best first")
    if isinstance(response, (set, frozenset)):
        raise UnreadableRanking(
            f"search returned a set, which has no order: {shown(response)}; return a list, best first"
        )
    if isinstance(response, Mapping):
        return _hits(response)
    if hasattr(response, "columns") and hasattr(response, "__getitem__") and hasattr(response, "shape"):
        return _rows(response)
    if isinstance(response, (list, tuple)):
        if isinstance(response, tuple) and hasattr(response, "_fields"):
            raise UnreadableRanking(f"search returned one result, {shown(response)}; return a list of results")
        return response
    for name in HOLDERS:
        held = getattr(response, name, None)
        if isinstance(held, Mapping):
            return _hits(held)
        if isinstance(held, (list, tuple)):
            return held
    try:
        return list(response)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise UnreadableRanking(_no_results(response)) from None


def _no_results(response: object) -> str:
    if callable(getattr(response, "json", None)):
        return (
            f"search returned an HTTP response, {shown(response)}; return what is in it, response.json() for instance"
        )
    return f"search returned {_a(response)}, {shown(response)}; return a list of results, best first"


def _hits(body: Mapping[str, object]) -> Sequence[object]:
    for _, path in HITS:
        found: object = body
        for name in path:
            found = found.get(name, _MISSING) if isinstance(found, Mapping) else _MISSING
        if isinstance(found, (list, tuple)):
            return found
    if isinstance(body.get("root"), Mapping) and "errors" not in body["root"]:  # type: ignore[operator]
        return ()  # Vespa leaves `children` out when nothing matched
    if "error" in body or "errors" in body:
        raise UnreadableRanking(f"search returned an error instead of results: {shown(dict(body), 300)}")
    known = listed(f"{'.'.join(path)} ({engine})" for engine, path in HITS)
    raise UnreadableRanking(
        f"search returned a mapping without hits, {shown(dict(body), 200)}; a response body has {known}; "
        "for another shape return its list of results, or implement the hook pytest_relevance_ranking"
    )


def _rows(frame: object) -> Sequence[object]:
    """The rows of a data frame (pandas, polars), best first as they stand, as mappings."""
    names = [str(name) for name in frame.columns]  # type: ignore[attr-defined]
    columns = [list(frame[name]) for name in frame.columns]  # type: ignore[attr-defined, index]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _spelled(names: Sequence[str]) -> str:
    return f"id ({listed(names)})" if len(names) > 1 else f"field {quoted(names[0])}"


def _fields_there(result: object) -> str:
    if isinstance(result, (tuple, list)) and result:
        result = result[0]
    if isinstance(result, Mapping):
        return f", only {listed(map(str, list(result)[:12]), 'and')}" if result else ", it is empty"
    return ""


def _a(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
