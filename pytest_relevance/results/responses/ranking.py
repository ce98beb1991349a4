"""Read what a search returned as a `Ranking`: ids, best first, with titles and scores.

A list of ids, mappings or rows is read by this module. `response` finds the results in
any other response, and is imported only then. The results keep their order, and no
result is dropped. All that is needed is copied, so a search may reuse its list.

`read_ranking` is called for each case when its search has returned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any

from pytest_relevance._ids import IdField, id_field_of
from pytest_relevance._text import shown
from pytest_relevance.metrics.ndcg import Held, repeated_indexes
from pytest_relevance.results.responses.fields import (
    ID_NAMES,
    NESTED,
    SCALARS,
    TITLE_NAMES,
    Absent,
    Fields,
    read_fields,
)
from pytest_relevance.results.responses.ids import (
    only,
    read_ids,
    refuse_several_indexes,
    refuse_texts,
    refuse_two_ids,
)
from pytest_relevance.results.responses.reading import (
    MOST_READ,
    BadResult,
    ReadOptions,
    UnreadableRanking,
    read_each,
)
from pytest_relevance.results.responses.rows import (
    BareRow,
    Labels,
    read_row,
    refuse_ambiguity,
    refuse_row_beside_value,
)
from pytest_relevance.results.responses.values import is_integer, is_row, is_score

if TYPE_CHECKING:
    from pytest_relevance.results.responses.texts import TextField

_TEXT = frozenset({str})
_PLAIN = SCALARS | {dict}
"""The types of results that need no look at their shape."""

_READ_HERE = _PLAIN | {tuple}
"""The types of results of which a list is read without other modules."""


@dataclass(frozen=True, slots=True)
class Rest:
    """What a record tells of the results below those that a case looks at.

    `documents`: how many different documents are only there.
    `copies`: how many results are later copies of a document, there or above.
    `ranks`: {document: rank} of some of the documents.
    `is_unasked`: whether the case asks for fewer results today, so that the search
    would not return them.
    """

    documents: int = 0
    copies: int = 0
    ranks: Mapping[str, int] = field(default_factory=dict)
    is_unasked: bool = False

    @property
    def count(self) -> int:
        """Return how many results there are."""
        return self.documents + self.copies


@dataclass(frozen=True, slots=True)
class Ranking:
    """Document ids, best first, as text.

    `titles`, `scores`: as the search returned them, in the same order, or empty.
    `fields`: {path: values} of further fields, for as many of the first results
    as requested; None if no field was requested.
    `others`: {query: ids}, the rankings of other queries, if the case compares them.
    `as_returned`: the ids of all results, if `collapsed` left out some; else empty.
    `sort_values`: for each result the values that it was sorted by, or empty.
    `texts`: if the case has passages, the text of each result as returned, also of
    those that `collapsed` left out; else empty.
    `fields_of_texts`: {field: values}, one for each text, for the fields that
    conditions of passages look at. A field that a result lacks is `Absent`.
    `held`: for each result the indexes of the passages that it holds, if a record tells
    them; None if passages are looked for in the texts.
    `lengths`: the number of characters of each result, if a record tells them.
    `response`: {path: value} of the response, for the paths of the expectation
    `response`. A `NoValue` says why there is no value.
    `rest`: what a record tells of results below the ranking.
    """

    ids: Sequence[str]
    titles: Sequence[str | None] = ()
    scores: Sequence[float | None] = ()
    fields: Mapping[str, Sequence[Any]] | None = None
    others: Mapping[str, Sequence[str]] | None = None
    as_returned: Sequence[str] = ()
    sort_values: Sequence[Any] = ()
    texts: Sequence[str] = ()
    fields_of_texts: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    held: Held | None = None
    lengths: Sequence[int] = ()
    response: Mapping[str, Any] = field(default_factory=dict)
    rest: Rest = Rest()

    @property
    def uncollapsed(self) -> Sequence[str]:
        """Return the ids of all results, also of those that `collapsed` left out."""
        return self.as_returned or self.ids

    @property
    def returned(self) -> int:
        """Return how many results the search returned, before any were left out."""
        return len(self.uncollapsed) + self.rest.count

    @property
    def left_out(self) -> int:
        """Return how many chunks of documents in the ranking `collapsed` left out."""
        return max(len(self.as_returned) - len(self.ids), 0)

    def title(self, index: int) -> str | None:
        """Return the title of the result at an index (from 0); None if it has none."""
        return self.titles[index] if index < len(self.titles) else None


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is read of each result.

    `id_field`: which field is the id; None for the usual names.
    `title_names`: the fields that may be the title.
    `fields`: {path: number of results that the field is read from}.
    `judged`: the judged ids of the case.
    `texts`: how the texts are read; None for a case without passages.
    """

    id_field: IdField | None
    title_names: Sequence[str]
    fields: Mapping[str, int]
    judged: Collection[str]
    texts: TextField | None

    @property
    def id_names(self) -> Sequence[str]:
        return ID_NAMES if self.id_field is None else self.id_field.paths

    @property
    def is_template(self) -> bool:
        return self.id_field is not None and self.id_field.is_template

    @property
    def needs_ids(self) -> bool:
        """Say whether a result has to have an id.

        In a case with passages the text is enough. Exceptions: the suite names the id,
        or collapses chunks of one document.
        """
        if self.texts is None or self.id_field is not None:
            return True
        return self.texts.needs_ids


@dataclass(frozen=True, slots=True)
class _Parts:
    """The results of a search, taken apart.

    For example, the row `("boots", 0.9)` has the document "boots" and the score 0.9.
    The mapping `{"id": "boots"}` is a document alone, and its row has nothing else.

    `rows`: the parts of each result.
    `shown`: the results as messages show them.
    """

    rows: Sequence[BareRow]
    shown: Sequence[Any]

    @property
    def documents(self) -> list[Any]:
        """Return for each result an id, or a mapping or an object that has one."""
        return [row.document for row in self.rows]

    @property
    def are_ids(self) -> bool:
        """Say whether each result is an id alone, and no id is empty."""
        for row in self.rows:
            is_alone = row.title is None and row.score is None
            is_id = type(row.document) in SCALARS and row.document != ""
            if not (is_alone and is_id):
                return False
        return True


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
    texts: TextField | None = None,
) -> Ranking:
    """Return what a search returned as a `Ranking`.

    Section "What a search may return" of the documentation has the shapes.

    `id_field`: a path to the field of the id (dots lead into nested fields), a list of
    paths, of which the first one that a result has counts, or a template
    (`{_index}/{_id}`). By default the usual names are tried.
    `title_field`: the path to the title; by default the usual names are tried.
    `ids`: returns the attribute `ids` of the fixture's value, a sequence or a mapping
    that turns labels into ids. It is called only if the response may have labels.
    `fields`: {path: number of results that the field is read from}, for further fields.
    `judged`: the judged ids of the case.
    `declares_ids`: whether the search has to return labels.
    `most`: how many results of an iterator are read.
    `expects_response`: whether the case looks at the response itself, which may then
    have suggestions or groups without a result.
    `texts`: how the texts of results are read, for a case with passages. Then a string
    is a text, and not an id.

    The ranking is a copy: later changes to the response do not affect it. Raises
    `UnreadableRanking` (a ValueError) if the response is not a ranking.
    """
    if type(response) is Ranking:  # a mock may claim to be one
        return response
    wanted = _Wanted(
        id_field=_id_field(id_field),
        title_names=TITLE_NAMES if title_field is None else (title_field,),
        fields=fields or {},
        judged=judged,
        texts=texts,
    )
    has_more_to_read = fields or declares_ids or wanted.is_template or texts
    if type(response) is list and not has_more_to_read and _are_texts(response):
        refuse_texts(response, judged)
        return Ranking(ids=response.copy())
    labels = Labels(ids, are_declared=declares_ids)
    results: Sequence[Any] = ()
    if type(response) is list:
        results = response
    else:
        from pytest_relevance.results.responses.response import results_of

        options = ReadOptions(
            id_names=wanted.id_names,
            title_names=wanted.title_names,
            text_names=() if texts is None else texts.names,
            ids=None if ids is None else labels.read,
            most=most,
            expects_response=expects_response,
        )
        results = results_of(response, options)
    return _read_results(results, wanted, labels)


def load_readers(response: object) -> bool:
    """Import the modules that read a response other than a list of ids or mappings.

    Return whether anything was imported, which only the first call does. The caller
    takes the time of the imports out of the latency.
    """
    if type(response) is list and set(map(type, response[:1])) <= _READ_HERE:
        return False
    if load_all_readers.cache_info().currsize:
        return False
    load_all_readers()
    return True


@cache
def load_all_readers() -> None:
    """Import the modules that read responses, also those of other packages."""
    from pytest_relevance.registry import ExtensionError
    from pytest_relevance.results.responses import response  # noqa: F401
    from pytest_relevance.results.responses.shapes import SHAPES

    # reading a response says which package cannot be loaded
    with suppress(ExtensionError):
        for _ in SHAPES:
            pass


def _id_field(id_field: str | Sequence[str] | None) -> IdField | None:
    if id_field is None:
        return None
    return id_field_of(id_field if isinstance(id_field, str) else tuple(id_field))


def with_fields_of_texts(
    ranking: Ranking, paths: Iterable[str], fields: Mapping[str, int]
) -> Ranking:
    """Return the ranking with `fields_of_texts`, which were read as its fields.

    `paths`: the fields that conditions of passages look at.
    `fields`: {path: number of results}, the fields that expectations look at.
    """
    read = ranking.fields or {}
    of_expectations = {}
    for path, count in fields.items():
        of_expectations[path] = read.get(path, ())[:count]
    of_texts = {path: read.get(path, ()) for path in paths}
    return replace(ranking, fields=of_expectations or None, fields_of_texts=of_texts)


def collapsed(ranking: Ranking, fields: Mapping[str, int]) -> Ranking:
    """Return the ranking with only the first result of each document.

    `fields`: {path: number of documents for which the field is kept}.
    """
    repeated = {*repeated_indexes(ranking.ids)}
    kept = [index for index in range(len(ranking.ids)) if index not in repeated]

    def keep(values: Sequence[Any]) -> Sequence[Any]:
        return [values[index] for index in kept] if values else ()

    kept_fields = {}
    for path, values in (ranking.fields or {}).items():
        kept_fields[path] = keep(values)[: fields[path]]
    return Ranking(
        ids=keep(ranking.ids),
        titles=keep(ranking.titles),
        scores=keep(ranking.scores),
        sort_values=keep(ranking.sort_values),
        fields=kept_fields,
        others=ranking.others,
        as_returned=ranking.ids if repeated else (),
        texts=ranking.texts,
        fields_of_texts=ranking.fields_of_texts,
        response=ranking.response,
        rest=ranking.rest,
    )


# --- results --------------------------------------------------------------------------
# All of these raise `UnreadableRanking` for results that cannot be read.


def _read_results(results: Sequence[Any], wanted: _Wanted, labels: Labels) -> Ranking:
    """Return results as a ranking.

    Raises `UnreadableRanking` if they cannot be read, or can be read in two ways.
    """
    if wanted.texts is None:
        refuse_ambiguity(results)
    try:
        return _copied(results, wanted, labels)
    except UnreadableRanking:
        from pytest_relevance.results.responses.advice import not_results

        problem = not_results(results)
        if problem is None:
            raise
    raise problem


def _copied(results: Sequence[Any], wanted: _Wanted, labels: Labels) -> Ranking:
    """Return results as a ranking of copied values.

    The steps are: results are taken apart, labels become documents, and the fields of
    documents are read.
    """
    kinds = set(map(type, results))
    if not kinds <= SCALARS:
        refuse_row_beside_value(kinds, results)
    parts = _parts_of(results, wanted)
    if labels.may_apply:
        parts = _translated(parts, wanted, labels)
    labels.refuse_unused(parts.shown)
    if wanted.texts is not None:
        return _of_texts(parts, wanted, wanted.texts)
    if parts.are_ids and not wanted.is_template:
        return _of_ids(parts, wanted)
    return _of_documents(parts, wanted)


def _parts_of(results: Sequence[Any], wanted: _Wanted) -> _Parts:
    """Return results taken apart. A result that is no row is a document alone."""
    if set(map(type, results)) <= _PLAIN:
        rows = [BareRow(result) for result in results]
    else:
        rows = _rows_of(results, wanted)
    return _Parts(rows=rows, shown=results)


def _translated(parts: _Parts, wanted: _Wanted, labels: Labels) -> _Parts:
    """Return the documents that labels stand for; `parts` if the results are no labels.

    With `search.ids = ["boots", "socks"]`, the row `(1, 0.9)` has the label 1. It
    becomes a row with the document "socks", and messages show "socks".
    """
    if wanted.id_field is None:
        refuse_two_ids(parts.documents, parts.shown, wanted.judged)
    rows = labels.translated(parts.rows, wanted.id_names)
    if rows is None:
        return parts
    return _Parts(rows=rows, shown=[row.document for row in rows])


def _of_texts(parts: _Parts, wanted: _Wanted, text_field: TextField) -> Ranking:
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

    parts = replace(parts, rows=rows_with_texts(parts.rows, parts.shown))
    texts = read_texts(parts.rows, parts.shown, text_field)
    if wanted.needs_ids:
        return replace(_of_documents(parts, wanted), texts=texts)
    found = own_ids(parts.documents)
    ids = [id_ or id_of_text(text) for id_, text in zip(found, texts, strict=True)]
    ranking = _with_ids(ids, parts, wanted)
    titles = []
    for index, text in enumerate(texts):
        title = ranking.title(index)
        if title is None and found[index] is None:
            title = first_words(text)
        titles.append(title)
    return replace(ranking, titles=_titles(titles), texts=texts)


def _of_ids(parts: _Parts, wanted: _Wanted) -> Ranking:
    """Return the ranking of ids that are returned alone.

    `_of_documents` returns the same, but needs four times as long for integers.
    """
    ids = [str(id_) for id_ in parts.documents]
    refuse_texts(ids, wanted.judged)
    return Ranking(ids=ids, fields=_read_fields(parts.documents, wanted))


def _of_documents(parts: _Parts, wanted: _Wanted) -> Ranking:
    """Return the ranking of documents that have ids of their own."""
    documents = parts.documents
    if wanted.id_field is None:
        refuse_two_ids(documents, parts.shown, wanted.judged)
    ids = read_ids(documents, parts.shown, wanted.id_field)
    if not wanted.is_template:
        refuse_several_indexes(documents, ids, wanted.id_names)
    if wanted.texts is None:
        refuse_texts(ids, wanted.judged)
    return _with_ids(ids, parts, wanted)


def _with_ids(ids: Sequence[str], parts: _Parts, wanted: _Wanted) -> Ranking:
    """Return a ranking with these ids, and with titles, scores and fields of results.

    A title or a score in a row counts before a field of the document.
    """
    fields = Fields(parts.documents)
    _refuse_other_order(fields)
    titles = fields.first_of(wanted.title_names, NESTED)
    scores = _scores_of(parts.documents, fields)
    for index, row in enumerate(parts.rows):
        if row.title:
            titles[index] = row.title
        if row.score is not None:
            scores[index] = row.score
    numbers = _numbers(scores, parts.shown)
    values = _read_fields(parts.documents, wanted)
    if values is not None and _SCORE_FIELD in values:
        values[_SCORE_FIELD] = _score_as_field(values[_SCORE_FIELD], numbers)
    return Ranking(
        ids=ids,
        titles=_titles(titles),
        scores=numbers,
        sort_values=_sort_values(fields) if numbers else (),
        fields=values,
    )


def _rows_of(results: Sequence[Any], wanted: _Wanted) -> list[BareRow]:
    """Return each result as a `BareRow`, also a document that is not in a row."""
    from pytest_relevance.results.responses.shapes import ResultReader

    has_usual_id = wanted.id_field is None and wanted.needs_ids
    fields = ResultReader(has_usual_id=has_usual_id)
    has_texts = wanted.texts is not None

    def read(result: Any) -> BareRow:
        row = BareRow(result)
        if is_row(result):
            row = read_row(result, has_texts=has_texts)
        if type(row.document) not in _PLAIN:
            document = fields.read(row.document)
            if document is not row.document:
                row = replace(row, document=document)
        if row.title is not None and type(row.title) is not str:
            row = replace(row, title=_text(row.title))
        return row

    return read_each(read, results, results)


def _refuse_other_order(fields: Fields) -> None:
    """Raise `UnreadableRanking` if the field `rank` of the results does not rise.

    A float is a score, and not a rank, for example ts_rank of PostgreSQL.
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
    documents: Sequence[Any], wanted: _Wanted
) -> dict[str, list[Any]] | None:
    if not wanted.fields:
        return None
    return read_fields(documents, wanted.fields, "the result")


def _are_texts(values: Sequence[object]) -> bool:
    """Say whether all values are texts, and none is empty."""
    return set(map(type, values)) <= _TEXT and "" not in values


# --- titles ---------------------------------------------------------------------------


def _titles(values: Sequence[Any]) -> Sequence[str | None]:
    """Return values as titles; () if no result has one."""
    titles = values if _are_texts(values) else [_title(value) for value in values]
    return titles if any(titles) else ()


def _title(value: object) -> str | None:
    """Return a text, or the first text of a list; None for anything else."""
    if isinstance(value, (list, tuple)) and value:
        value = value[0]
    return _text(value) if isinstance(value, str) and value else None


def _text(value: str) -> str:
    """Return a text as exactly `str`.

    pytest-xdist cannot send a subclass of str.
    """
    return str.__str__(value)


# --- scores ---------------------------------------------------------------------------

# A result that was ranked twice has two scores: of the retriever, and of the reranker
# that ordered the list. The field whose values are in order has the score. It is the
# first of these fields:
#
# - its values fall from the first result to the last; fields of later steps come first
# - its values rise, as distances do

_LATER_SCORES = (
    "@search.rerankerBoostedScore",
    "@search.reranker_boosted_score",
    "@search.rerankerScore",
    "@search.reranker_score",
    "rerank_score",
    "reranker_score",
    "_relevance_score",
    "relevance_score",
    "hybrid_search_info.rank_fusion_score",
    "rrf_score",
    "final_score",
)
"""Scores of a reranker, or of the fusion of several rankings."""

_FIRST_SCORES = (
    "score",
    "_score",
    "_rankingScore",
    "_distance",
    "relevance",
    "text_match",
    "@search.score",
)
"""Scores of a search."""

_SCORES_IF_IN_ORDER = ("distance", "similarity")
"""Scores only if they order the list. A distance may also be the way to a shop."""

_SCORES_OF_OBJECTS = ("rerank_score", "reranker_score", "relevance_score", "score")
"""The scores of objects that are not mappings."""

_NESTED_SCORES = ("meta",)
"""Where a score may also be: the metadata of a hit in the DSL clients."""

_SCORE_FIELD = "score"
"""The field by which expectations look at the score."""


def _scores_of(documents: Sequence[Any], fields: Fields) -> list[Any]:
    """Return the score of each document as it was returned; None without one.

    Of several fields with scores, the one whose values are in order is read.
    """
    are_mappings = all(
        isinstance(document, (str, int, Mapping)) for document in documents
    )
    names = _names(fields, are_mappings=are_mappings)
    columns = _columns(fields, names)
    in_order = _first_in_order(columns)
    if in_order is None and are_mappings:
        in_order = _first_in_order(_columns(fields, _SCORES_IF_IN_ORDER))
    if in_order is not None:
        return in_order
    if len(columns) == 1:
        return columns[0]
    return fields.first_of(names, _NESTED_SCORES)


def _names(fields: Fields, *, are_mappings: bool) -> list[str]:
    """Return the names of fields that may be scores, scores of a reranker first."""
    if not are_mappings:
        return [*_SCORES_OF_OBJECTS]
    usual = [*_LATER_SCORES, *_FIRST_SCORES]
    texts = [name for name in fields.names or () if isinstance(name, str)]
    rerankers = [name for name in texts if "rerank" in name.lower()]
    return sorted({*rerankers}.difference(usual)) + usual


def _columns(fields: Fields, names: Iterable[str]) -> list[list[Any]]:
    """Return a column of values for each named field that some document has."""
    known = fields.names
    columns = []
    for name in names:
        is_nested = "." in name or (known is not None and "meta" in known)
        if known is not None and name not in known and not is_nested:
            continue
        values = fields.first_of((name,), _NESTED_SCORES)
        if any(value is not None for value in values):
            columns.append(values)
    return columns


def _first_in_order(columns: Sequence[list[Any]]) -> list[Any] | None:
    """Return the first column whose scores fall from the first result to the last.

    If no scores fall, the first column whose scores rise; None if there is none.
    """
    for sign in (1, -1):
        for values in columns:
            known = [sign * number for number in _numbers_in(values)]
            is_sorted = all(one >= following for one, following in pairwise(known))
            if is_sorted and known and known[0] > known[-1]:
                return values
    return None


def _numbers_in(values: Sequence[Any]) -> list[float]:
    """Return the values that are not None as floats; [] if one is not a number."""
    known = [value for value in values if value is not None]
    if all(isinstance(value, Real) for value in known):
        return [float(value) for value in known]
    return []


def _score_as_field(values: Sequence[Any], scores: Sequence[float | None]) -> list[Any]:
    """Return the values of the field `score`.

    If no document has this field, return the scores of the ranking.

    `values`: what `read_fields` found.
    """
    if not scores or not all(isinstance(value, Absent) for value in values):
        return [*values]
    pairs = zip(values, scores, strict=False)
    return [value if score is None else score for value, score in pairs]


_PLAIN_SCORES = frozenset({float, int, type(None)})


def _numbers(
    values: Sequence[Any], results: Sequence[object]
) -> Sequence[float | None]:
    """Return values as scores; () if no result has one."""
    kinds = set(map(type, values))
    if kinds <= {type(None)}:
        return ()
    if kinds <= _PLAIN_SCORES and not any(value != value for value in values):
        return values
    scores = read_each(_number, results, values)
    return scores if any(score is not None for score in scores) else ()


def _number(value: Any) -> float | None:
    """Return a value as a score; None if it is not one. Raises `BadResult` for NaN.

    An integer stays an integer, because large ones are not exact as floats.
    """
    score: Any = only(value)
    if score is None or not is_score(score):
        return None
    number: float = int(score) if isinstance(score, int) else float(score)
    if number != number:
        raise BadResult(
            "has a score that is NaN; return numbers, or results without scores"
        )
    return number


# --- sort values ----------------------------------------------------------------------

# Results with equal scores are no tie if the search also sorted them by another value.
# Elasticsearch, OpenSearch and servers with their interface return a list with each
# hit: its values of all sort keys. Meilisearch returns a mapping with each hit: what
# each ranking rule and each sort key gave.

_SORT_VALUES = "sort"
_RANKING_DETAILS = "_rankingScoreDetails"
_MAY_HAVE_SORT_VALUES = frozenset({_SORT_VALUES, _RANKING_DETAILS, *_NESTED_SCORES})


def _sort_values(fields: Fields) -> Sequence[Any]:
    """Return the values by which each result was sorted; none if a result has none."""
    if fields.names is not None and fields.names.isdisjoint(_MAY_HAVE_SORT_VALUES):
        return ()
    values = fields.first_of((_SORT_VALUES,), _NESTED_SCORES)
    if all(_is_list(value) for value in values):
        return [tuple(value) for value in values]
    details = fields.first_of((_RANKING_DETAILS,))
    if all(isinstance(value, Mapping) for value in details):
        return details
    return ()


def _is_list(value: object) -> bool:
    """Say whether a value is a list, or an `AttrList` or the like of a client."""
    is_list_like = isinstance(value, Iterable) and isinstance(value, Sized)
    return is_list_like and not isinstance(value, (str, bytes, Mapping))
