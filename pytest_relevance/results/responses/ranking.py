"""What a search returned, read as a ranking: document ids best first, as text, with their titles and scores.

The tables here list the field names of ids, titles and scores, and where engines nest them. A list of ids, dicts or
rows is read here; `shapes` finds the results in all other responses and is imported for them alone. Nothing is sorted
and nothing is dropped: a list that a search returned keeps its order and its repetitions. All that is needed is copied
at once, so that a search may fill the same list anew.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from pytest_relevance._ids import IdField, id_field_of
from pytest_relevance._text import shown
from pytest_relevance.metrics.ndcg import repeated_indexes
from pytest_relevance.results.responses import reading
from pytest_relevance.results.responses.ids import only, read_ids, refuse_two_ids
from pytest_relevance.results.responses.iterators import MOST_READ
from pytest_relevance.results.responses.labels import Labels
from pytest_relevance.results.responses.scores import FIELD, as_field, scores_of

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
    id_field: str | Sequence[str] | None = None,
    title_field: str | None = None,
    ids: Callable[[], object] | None = None,
    fields: Mapping[str, int] | None = None,
    *,
    judged: Collection[str] = (),
    declares_ids: bool = False,
    most: int = MOST_READ,
    expects_response: bool = False,
) -> Ranking:
    """Read what a search returned: see section "What search may return" of the documentation for the shapes.

    `id_field` is a path to the field of the id (dots lead into nested fields), a list of paths of which the first that
    a result has counts, or a template (`{_index}/{_id}`); by default the usual names are tried. `title_field` is the
    path to the title. `ids` is called for the attribute `ids` of the fixture's value, a sequence or a mapping that
    turns the labels of a vector index into ids, where a response has labels. `declares_ids`: a response without labels
    is an error. `fields` are the paths of further fields to read, each with the number of results that it is read of.
    `judged` are the judged ids of the case. `most` is how many results of an iterator are read. `expects_response`: the
    case looks at the response itself, so that it may have suggestions or groups without a result. The ranking is a copy:
    later changes to the response do not affect it. Raises `UnreadableRanking` (a ValueError) where it cannot be read as
    a ranking.
    """
    named = None
    if id_field is not None:
        named = id_field_of(id_field if isinstance(id_field, str) else tuple(id_field))
    if (
        type(response) is list
        and not (fields or declares_ids)
        and (named is None or not named.is_template)
        and set(map(type, response)) <= _TEXT
        and "" not in response
    ):
        return Ranking(response.copy())
    if type(response) is Ranking:
        return response
    names = reading.ID_NAMES if named is None else named.paths
    title_names = reading.TITLE_NAMES if title_field is None else (title_field,)
    labels = Labels(ids, are_declared=declares_ids)
    results: Sequence[Any] = ()
    if type(response) is list:
        results = response
    else:
        from pytest_relevance.results.responses.shapes import results_of

        options = reading.ReadOptions(
            names,
            title_names,
            None if ids is None else labels.read,
            most,
            expects_response,
        )
        results = results_of(response, options)
    if why := reading.ambiguity(results):
        raise reading.UnreadableRanking(f"search returned {why}")
    try:
        return _copied(results, named, labels, title_names, fields, judged)
    except reading.UnreadableRanking:
        from pytest_relevance.results.responses.finder import not_results

        problem = not_results(results)
        if problem is None:
            raise
    raise problem


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


def _as_mapping(result: Any, has_usual_id: bool) -> Any:
    """A library's result as a mapping of its fields, as `shapes.as_mapping` makes it; anything else as it is."""
    if type(result) in _PLAIN:
        return result
    from pytest_relevance.results.responses.shapes import as_mapping

    return as_mapping(result, has_usual_id=has_usual_id)


def _copied(
    results: Sequence[Any],
    id_field: IdField | None,
    labels: Labels,
    title_names: Sequence[str],
    wanted: Mapping[str, int] | None,
    judged: Collection[str],
) -> Ranking:
    """The ids, titles and scores of results, and the `wanted` fields."""
    names = reading.ID_NAMES if id_field is None else id_field.paths
    kinds = set(map(type, results))
    if not kinds <= reading.SCALARS:
        reading.refuse_row_beside_value(kinds, results)
    is_plain = kinds <= _PLAIN
    bare_rows: Sequence[reading.BareRow] = (
        []
        if is_plain
        else reading.read_each(partial(_row_of, id_field is None), results, results)
    )
    if labels.may_apply:
        rows = bare_rows or [reading.BareRow(result) for result in results]
        if id_field is None:
            refuse_two_ids([row.document for row in rows], results, judged)
        translated = labels.translated(rows, names)
        if translated is not None:
            bare_rows = translated
            results = [row.document for row in translated]
    labels.refuse_unused(results)
    is_template = id_field is not None and id_field.is_template
    if (
        set(map(type, results)) <= reading.SCALARS
        and not (bare_rows or is_template)
        and "" not in results
    ):
        return Ranking(
            [*map(str, results)],
            fields=_read_fields(results, wanted) if wanted else None,
        )
    documents = [row.document for row in bare_rows] or results
    fields = reading.Fields(documents)
    ids = read_ids(documents, results, id_field, judged)
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
    scores = scores_of(documents, fields)
    if bare_rows:
        titles = [
            row.title or title for row, title in zip(bare_rows, titles, strict=True)
        ]
        scores = [
            score if row.score is None else row.score
            for row, score in zip(bare_rows, scores, strict=True)
        ]
    numbers = _scores(scores, results)
    found = _read_fields(documents, wanted) if wanted else None
    if found is not None and FIELD in found:
        found[FIELD] = as_field(found[FIELD], numbers)
    return Ranking(ids, _titles(titles), numbers, found)


def _read_fields(
    documents: Sequence[Any], wanted: Mapping[str, int]
) -> dict[str, list[Any]]:
    from pytest_relevance.results.responses.fields import (
        read_fields,
    )  # most suites look at no fields

    return read_fields(documents, wanted, "the result")


def _row_of(has_usual_id: bool, result: Any) -> reading.BareRow:
    """A result as a `BareRow`: read from a row, or made of a document alone. Raises `BadResult`.

    `has_usual_id` is False in a suite with `id_field`.
    """
    row = (
        reading.read_row(result) if reading.is_row(result) else reading.BareRow(result)
    )
    return reading.BareRow(
        _as_mapping(row.document, has_usual_id),
        None if row.title is None else _text(row.title),
        row.score,
    )


def _is_text(values: Sequence[object]) -> bool:
    return set(map(type, values)) == _TEXT and "" not in values


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
    score: Any = only(value)
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
