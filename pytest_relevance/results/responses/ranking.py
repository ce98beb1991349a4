"""What a search returned, read as a ranking: document ids best first, as text, with their titles and scores.

The tables here list the field names of ids, titles and scores, and where engines nest them. A list of ids, dicts or
rows is read here; `shapes` finds the results in all other responses and is imported for them alone. Nothing is sorted
and nothing is dropped: a list that a search returned keeps its order and its repetitions. All that is needed is copied
at once, so that a search may fill the same list anew.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

from pytest_relevance._text import listed, quoted, shown
from pytest_relevance.metrics.ndcg import repeated_indexes
from pytest_relevance.results.responses import reading

SCORE_NAMES = (
    "score",
    "_score",
    "_rankingScore",
    "_relevance_score",
    "_distance",
    "relevance",
    "text_match",
    "@search.score",
)
"""The fields of a mapping that may be its score; of an object only the first."""

NESTED_SCORES = ("meta",)
"""Where a score may also be: the metadata of a hit in the DSL clients."""

_TEXT = frozenset({str})
_PLAIN_SCORES = frozenset({float, int, type(None)})
_PLAIN = reading.SCALARS | {dict}


class Ranking(NamedTuple):
    """Document ids, best first, as text. `titles` and `scores` are the engine's, in the same order, or empty.

    `fields` are the values of further fields, of as many of the first results as they were asked of
    (`fields.read_fields`); None where no field was asked for. `others` are the rankings of
    other queries, {query: ids}, where the case compares them. `as_returned` are the ids of all results, where
    `collapsed` left out some.
    """

    ids: Sequence[str]
    titles: Sequence[str | None] = ()
    scores: Sequence[float | None] = ()
    fields: Mapping[str, Sequence[Any]] | None = None
    others: Mapping[str, Sequence[str]] | None = None
    as_returned: Sequence[str] = ()

    @property
    def returned(self) -> int:
        """The number of results, with those that were left out."""
        return len(self.as_returned or self.ids)

    def title(self, index: int) -> str | None:
        """The title of the result at a 0-based index, when the result has one."""
        return self.titles[index] if index < len(self.titles) else None


def read_ranking(
    response: object,
    id_field: str | None = None,
    title_field: str | None = None,
    ids: Callable[[], object] | None = None,
    fields: Mapping[str, int] | None = None,
) -> Ranking:
    """Read what a search returned: see section "What search may return" of the documentation for the shapes.

    `id_field` and `title_field` name the fields of id and title (dots lead into nested fields); by default the usual
    names are tried. `ids` is called for the attribute `ids` of the fixture's value, a sequence or a mapping that turns
    the labels of a vector index into ids, where a response has labels. `fields` are the paths of further fields to
    read, each with the number of results that it is read of. The ranking is a copy: later changes to the response do
    not affect it. Raises `UnreadableRanking` (a ValueError) where it cannot be read as a ranking.
    """
    if (
        type(response) is list
        and not fields
        and set(map(type, response)) <= _TEXT
        and "" not in response
    ):
        return Ranking(response.copy())
    if isinstance(response, Ranking):
        return response
    names = reading.ID_NAMES if id_field is None else (id_field,)
    title_names = reading.TITLE_NAMES if title_field is None else (title_field,)
    results: Sequence[Any] = ()
    if type(response) is list:
        results = response
    else:
        from pytest_relevance.results.responses.shapes import results_of

        results = results_of(response, reading.ReadOptions(names, title_names, ids))
    if why := reading.ambiguity(results):
        raise reading.UnreadableRanking(f"search returned {why}")
    return _copied(results, names, title_names, fields)


def collapsed(ranking: Ranking, fields: Mapping[str, int]) -> Ranking:
    """A ranking with the first result of each document alone; `fields` are read of so many documents."""
    repeated = {*repeated_indexes(ranking.ids)}
    first = [index for index in range(len(ranking.ids)) if index not in repeated]

    def take(values: Sequence[Any]) -> Sequence[Any]:
        return [values[index] for index in first] if values else ()

    found = {
        path: take(values)[: fields[path]]
        for path, values in (ranking.fields or {}).items()
    }
    others = take(ranking.titles), take(ranking.scores), found, ranking.others
    return Ranking(
        take(ranking.ids), *others, as_returned=ranking.ids if repeated else ()
    )


def id_text(value: object) -> str | None:
    """An id as text: text itself, the digits of an integer (numpy's too), a UUID's text; None for anything else."""
    if isinstance(value, str):
        # exactly str, and not what a subclass calls its text: enums have another, and none travel to xdist's controller
        return str.__str__(value)
    if reading.is_integer(value):
        return str(operator.index(value))  # type: ignore[arg-type]
    return str(value) if type(value).__name__ == "UUID" else None


def _as_mapping(result: Any, id_names: Sequence[str]) -> Any:
    """A library's result as a mapping of its fields, as `shapes.as_mapping` makes it; anything else as it is."""
    if type(result) in _PLAIN:
        return result
    from pytest_relevance.results.responses.shapes import as_mapping

    return as_mapping(result, id_names)


def _copied(
    results: Sequence[Any],
    names: Sequence[str],
    title_names: Sequence[str],
    wanted: Mapping[str, int] | None,
) -> Ranking:
    """The ids, titles and scores of results, and the `wanted` fields."""
    kinds = set(map(type, results))
    if kinds <= reading.SCALARS and "" not in results:
        return Ranking(
            [*map(str, results)],
            fields=_read_fields(results, wanted) if wanted else None,
        )
    reading.refuse_row_beside_value(kinds, results)
    is_plain = kinds <= _PLAIN
    bare_rows = (
        [] if is_plain else reading.read_each(partial(_row_of, names), results, results)
    )
    documents = [row.document for row in bare_rows] or results
    fields = reading.Fields(documents)
    ids = fields.first_of(names, reading.NESTED)
    if not _is_text(ids):
        ids = reading.read_each(
            lambda document, field: _id_of(document, field, names),
            results,
            documents,
            ids,
        )
    ranks = fields.first_of(
        ("rank",)
    )  # a float is a score, such as ts_rank of PostgreSQL
    if all(map(reading.is_integer, ranks)) and any(
        two < one for one, two in pairwise(ranks)
    ):
        what = f"results that are not in the order of their field rank, {shown(list(ranks))}"
        raise reading.UnreadableRanking(
            f"search returned {what}; sort them by it, or leave it out"
        )
    titles = fields.first_of(title_names, reading.NESTED)
    are_mappings = is_plain or all(
        isinstance(document, (str, int, Mapping)) for document in documents
    )
    scores = fields.first_of(
        SCORE_NAMES if are_mappings else SCORE_NAMES[:1], NESTED_SCORES
    )
    if bare_rows:
        titles = [
            row.title or title for row, title in zip(bare_rows, titles, strict=True)
        ]
        scores = [
            score if row.score is None else row.score
            for row, score in zip(bare_rows, scores, strict=True)
        ]
    return Ranking(
        ids,
        _titles(titles),
        _scores(scores, results),
        _read_fields(documents, wanted) if wanted else None,
    )


def _read_fields(
    documents: Sequence[Any], wanted: Mapping[str, int]
) -> Mapping[str, Sequence[Any]]:
    from pytest_relevance.results.responses.fields import (
        read_fields,
    )  # most suites look at no fields

    return read_fields(documents, wanted, "the result")


def _row_of(id_names: Sequence[str], result: Any) -> reading.BareRow:
    """A result as a `BareRow`: read from a row, or made of a document alone. Raises `BadResult`."""
    row = (
        reading.read_row(result) if reading.is_row(result) else reading.BareRow(result)
    )
    return reading.BareRow(
        _as_mapping(row.document, id_names),
        None if row.title is None else _text(row.title),
        row.score,
    )


def _is_text(values: Sequence[object]) -> bool:
    return set(map(type, values)) == _TEXT and "" not in values


def _only(value: object) -> object:
    """The single item of a list: Elasticsearch's `fields` are lists."""
    return value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value


def _id_of(document: Any, field: object, names: Sequence[str]) -> str:
    """The id of a document: its field, or the document itself where it has none. Raises `BadResult`."""
    value = document if field is None else _only(field)
    text = id_text(value)
    if text:
        return text
    if text == "":
        raise reading.BadResult("has an empty id")
    if (
        field is None
        and document is not None
        and not isinstance(document, reading.WITHOUT_FIELDS)
    ):
        if reading.has_dimensions(document):
            raise reading.BadResult(
                "is an array or a table; return it alone, or arrays as a tuple: (distances, labels)"
            )
        spelled = (
            f"id ({listed(names)})" if len(names) > 1 else f"field {quoted(names[0])}"
        )
        remedy = "name the field with" if len(names) > 1 else "correct"
        there = reading.fields_there(document)
        raise reading.BadResult(
            f"has no {spelled}{there and f', only {there}'}; {remedy} id_field in the case file"
        )
    raise reading.BadResult(f"has an id that is {_what_it_is(value)}")


def _what_it_is(found: object) -> str:
    cure = "return ids as text or integers"
    if found is None:
        return f"None; {cure}"
    if isinstance(found, Real) and not isinstance(found, bool):
        if float(found).is_integer():
            cure += " (integers become floats in a data frame's column where one is missing)"
        cure += ", and scores as (id, score) pairs"
        return f"a float, {shown(found)}, whose text could be another one's; {cure}"
    return f"{reading.kind_of(found)}, {shown(found)}; {cure}"


def _titles(values: Sequence[Any]) -> Sequence[str | None]:
    titles = values if _is_text(values) else [*map(_title_text, values)]
    return titles if any(titles) else ()


def _title_text(value: object) -> str | None:
    title = value[0] if isinstance(value, (list, tuple)) and value else value
    return _text(title) if isinstance(title, str) and title else None


def _scores(values: Sequence[Any], results: Sequence[object]) -> Sequence[float | None]:
    kinds = set(map(type, values))
    if kinds <= {type(None)}:
        return ()
    if kinds <= _PLAIN_SCORES and not [value for value in values if value != value]:
        return values
    scores = reading.read_each(_number, results, values)
    return scores if any(score is not None for score in scores) else ()


def _number(value: Any) -> float | None:
    """A score as a number: an integer as it is, as large ones are not exact as floats. Raises `BadResult` for NaN."""
    score: Any = _only(value)
    if score is None or not reading.is_score(score):
        return None
    number: float = int(score) if isinstance(score, int) else float(score)
    if number != number:
        raise reading.BadResult(
            "has a score that is NaN; return numbers, or results without scores"
        )
    return number


def _text(value: str) -> str:
    """Exactly str: a subclass of it does not travel to the controller of pytest-xdist."""
    return str.__str__(value)
