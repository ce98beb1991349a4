"""Make a `Ranking` of a list of results: ids, bare rows, mappings or objects.

Each result is taken apart: the row `("boots", 0.9)` has the document "boots" and the
score 0.9. Labels of an index are replaced by their documents. Then ids, titles, scores
and fields are read, each of all documents at once.

All functions raise `UnreadableRanking` for results that cannot be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import shown
from pytest_relevance.results.responses.ambiguous_ids import (
    refuse_several_indexes,
    refuse_texts,
    refuse_two_ids,
)
from pytest_relevance.results.responses.errors import UnreadableRanking, read_each
from pytest_relevance.results.responses.fields import (
    NESTED,
    SCALARS,
    Fields,
    read_fields,
)
from pytest_relevance.results.responses.ids import read_ids
from pytest_relevance.results.responses.labels import Labels
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.rows import (
    BareRow,
    read_row,
    refuse_ambiguity,
    refuse_row_beside_value,
)
from pytest_relevance.results.responses.scores import (
    SCORE_FIELD,
    checked_scores,
    returned_scores,
    score_as_field,
    sort_values_of,
)
from pytest_relevance.results.responses.values import (
    are_texts,
    is_integer,
    is_row,
    plain_text,
)

if TYPE_CHECKING:
    from pytest_relevance.results.responses.shapes import ResultReader

PLAIN = SCALARS | {dict}
"""The types of results that need no look at their shape."""


@dataclass(frozen=True, slots=True)
class _Results:
    """Results, taken apart.

    `rows`: the parts of each result.
    `documents`: for each result an id, or a mapping or an object that has one.
    `shown`: the results as messages show them.
    """

    rows: Sequence[BareRow]
    documents: Sequence[Any]
    shown: Sequence[Any]

    @property
    def are_ids(self) -> bool:
        """Say whether each result is an id alone, and no id is empty."""
        for row in self.rows:
            is_alone = row.title is None and row.score is None
            is_id = type(row.document) in SCALARS and row.document != ""
            if not (is_alone and is_id):
                return False
        return True


def ranking_of(results: Sequence[Any], options: ReadOptions, labels: Labels) -> Ranking:
    """Return a list of results as a ranking.

    Raises `UnreadableRanking` if the results cannot be read, or can be read in
    two ways.
    """
    if not options.reads_texts:
        refuse_ambiguity(results)
    try:
        return _read(results, options, labels)
    except UnreadableRanking:
        from pytest_relevance.results.responses.advice import not_results

        problem = not_results(results)
        if problem is None:
            raise
        raise problem from None


def _read(results: Sequence[Any], options: ReadOptions, labels: Labels) -> Ranking:
    """Return the ranking: take results apart, translate labels, read what is in them.

    This is a text, an id or a document, depending on the results and the options.
    """
    kinds = set(map(type, results))
    if not kinds <= SCALARS:
        refuse_row_beside_value(kinds, results)
    if kinds <= PLAIN:
        rows: Sequence[BareRow] = [BareRow(result) for result in results]
    else:
        rows = _rows_of(results, options)
    read = _taken_apart(rows, results)
    if labels.may_apply:
        read = _with_documents_of_labels(read, options, labels)
    labels.refuse_unused(read.shown)
    if options.reads_texts:
        return _of_texts(read, options)
    if read.are_ids and not options.has_template:
        return _of_ids(read, options)
    return _of_documents(read, options)


def _rows_of(results: Sequence[Any], options: ReadOptions) -> list[BareRow]:
    """Return each result as a `BareRow`, also a document that is not in a row."""

    # made for the first result that is not plain, so that lists of ids import no shapes
    @cache
    def reader() -> ResultReader:
        from pytest_relevance.results.responses.shapes import ResultReader

        has_usual_id = options.id_field is None and options.needs_ids
        return ResultReader(has_usual_id=has_usual_id)

    def read(result: Any) -> BareRow:
        row = BareRow(result)
        if is_row(result):
            row = read_row(result, has_texts=options.reads_texts)
        if type(row.document) not in PLAIN:
            document = reader().read(row.document)
            if document is not row.document:
                row = replace(row, document=document)
        if row.title is not None and type(row.title) is not str:
            row = replace(row, title=plain_text(row.title))
        return row

    return read_each(read, results, results)


def _taken_apart(rows: Sequence[BareRow], shown: Sequence[Any]) -> _Results:
    return _Results(rows, [row.document for row in rows], shown)


def _with_documents_of_labels(
    results: _Results, options: ReadOptions, labels: Labels
) -> _Results:
    """Return results with the documents of labels; `results` if they are not labels.

    With `search.ids = ["boots", "socks"]`, the row `(1, 0.9)` has the label 1. It
    becomes a row with the document "socks", and messages show "socks".
    """
    if options.id_field is None:
        refuse_two_ids(results.documents, results.shown, options.judged)
    rows = labels.translated(results.rows, options.id_names)
    if rows is None:
        return results
    return _taken_apart(rows, [row.document for row in rows])


# --- the ranking ----------------------------------------------------------------------


def _of_ids(results: _Results, options: ReadOptions) -> Ranking:
    """Return the ranking of ids that are returned alone.

    `_of_documents` returns the same, but needs four times as long for integers.
    """
    ids = [str(id_) for id_ in results.documents]
    refuse_texts(ids, options.judged)
    return Ranking(ids=ids, fields=_read_fields(results.documents, options))


def _of_documents(results: _Results, options: ReadOptions) -> Ranking:
    """Return the ranking of documents that have ids of their own."""
    documents = results.documents
    if options.id_field is None:
        refuse_two_ids(documents, results.shown, options.judged)
    ids = read_ids(documents, results.shown, options.id_parts)
    if not options.has_template:
        refuse_several_indexes(documents, ids, options.id_names)
    if not options.reads_texts:
        refuse_texts(ids, options.judged)
    return _with_ids(ids, results, options)


def _of_texts(results: _Results, options: ReadOptions) -> Ranking:
    """Return the ranking of results with their texts, for a case with passages.

    A result without an id gets one that is made of its text, and the first words of the
    text as its title.
    """
    from pytest_relevance.results.responses.texts import (
        first_words,
        id_of_text,
        own_ids,
        read_texts,
        rows_with_texts,
    )

    results = _taken_apart(rows_with_texts(results.rows, results.shown), results.shown)
    texts = read_texts(results.rows, results.shown, options.text_field)
    if options.needs_ids:
        return replace(_of_documents(results, options), texts=texts)
    found = own_ids(results.documents)
    ids = [id_ or id_of_text(text) for id_, text in zip(found, texts, strict=True)]
    ranking = _with_ids(ids, results, options)
    titles = []
    for index, text in enumerate(texts):
        title = ranking.title(index)
        if title is None and found[index] is None:
            title = first_words(text)
        titles.append(title)
    return replace(ranking, titles=_titles(titles), texts=texts)


def _with_ids(ids: Sequence[str], results: _Results, options: ReadOptions) -> Ranking:
    """Return a ranking with these ids, and with titles, scores and fields of results.

    A title or a score in a row counts before a field of the document.
    """
    fields = Fields(results.documents)
    _refuse_other_order(fields)
    titles = fields.first_of(options.title_names, NESTED)
    scores = returned_scores(results.documents, fields)
    for index, row in enumerate(results.rows):
        if row.title:
            titles[index] = row.title
        if row.score is not None:
            scores[index] = row.score
    numbers = checked_scores(scores, results.shown)
    values = _read_fields(results.documents, options)
    if values is not None and SCORE_FIELD in values:
        values[SCORE_FIELD] = score_as_field(values[SCORE_FIELD], numbers)
    return Ranking(
        ids=ids,
        titles=_titles(titles),
        scores=numbers,
        sort_values=sort_values_of(fields) if numbers else (),
        fields=values,
    )


def _refuse_other_order(fields: Fields) -> None:
    """Raise `UnreadableRanking` if the results are not in the order of a field `rank`.

    Only integers are ranks. A float is a score, for example ts_rank of PostgreSQL.
    """
    ranks = fields.first_of(("rank",))
    if not all(map(is_integer, ranks)):
        return
    if any(rank > following for rank, following in pairwise(ranks)):
        returned = (
            f"results that are not in the order of their field rank, {shown(ranks)}"
        )
        raise UnreadableRanking(
            f"search returned {returned}; sort them by it, or leave it out"
        )


def _read_fields(
    documents: Sequence[Any], options: ReadOptions
) -> dict[str, list[Any]] | None:
    if not options.fields:
        return None
    return read_fields(documents, options.fields, "the result")


# --- titles ---------------------------------------------------------------------------


def _titles(values: Sequence[Any]) -> Sequence[str | None]:
    """Return values as titles; () if no result has one."""
    titles = values if are_texts(values) else [_title(value) for value in values]
    return titles if any(titles) else ()


def _title(value: object) -> str | None:
    """Return a text, or the first text of a list; None for anything else."""
    if isinstance(value, (list, tuple)) and value:
        value = value[0]
    return plain_text(value) if isinstance(value, str) and value else None
