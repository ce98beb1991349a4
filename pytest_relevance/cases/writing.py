"""A new case file of judgments: a case a query, with all that the judgments say of it.

What is written is read again before anybody gets it: it is a case file, and says what the judgments say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance.cases.checks import NOT_PARAMETERS
from pytest_relevance.cases.names import check_id
from pytest_relevance.cases.problems import CaseFileError, Refused
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.cases.scalar_text import number, pair_in_lines, scalar, value
from pytest_relevance.judgments.joining import queries_of
from pytest_relevance.judgments.model import Judgments, Query
from pytest_relevance.judgments.write.formats import Written, refuse
from pytest_relevance.judgments.write.limits import how_combined
from pytest_relevance.metrics.settings import LARGEST_EXPONENTIAL_GRADE
from pytest_relevance._text import counted, listed, quoted


@dataclass(frozen=True, slots=True)
class _Head:
    """What the suite says for all of its cases. `ratings`: whether several ratings of a document stand in a list."""

    min_ndcg: float | None
    ratings: bool
    raters: str | None
    gain: str | None

    @classmethod
    def of(cls, judgments: Judgments, min_ndcg: float | None) -> _Head:
        how = how_combined(judgments) if judgments.ratings else None
        highest = max((grade for documents in judgments.values() for grade in documents.values()), default=0)
        return cls(
            min_ndcg,
            ratings=how is not None,
            raters=how if how != "median" else None,
            gain="linear" if highest > LARGEST_EXPONENTIAL_GRADE else None,
        )

    def lines(self) -> Iterator[str]:
        if self.min_ndcg is not None:
            yield f"min_ndcg: {number(self.min_ndcg)}"
        if self.raters is not None:
            yield f"raters: {self.raters}"
        if self.gain is not None:
            yield f"gain: {self.gain}"


def case_file(judgments: Judgments, *, min_ndcg: float | None = None, comment: str = "") -> Written:
    """A case file with a case for each query of the judgments, and what it cannot hold of them.

    `min_ndcg` is the suite's floor; a case without judgments is freed of it. `comment` stands above all. A case has an
    `id` where its judgments are kept under another key than its text. Several ratings of a document are a list.
    ValueError where there is nothing to write, or a query, a document or a grade cannot stand in a case file.
    """
    queries = queries_of(judgments)
    if not queries:
        raise ValueError("there are no queries to write")
    head = _Head.of(judgments, min_ndcg)
    lines = [f"# {line}".rstrip() for line in comment.splitlines()]
    lines += [*head.lines(), "cases:"]
    problems = []
    for query in queries:
        try:
            lines += _case(query, judgments, head)
        except ValueError as error:
            problems.append(f"query {quoted(query.id)}: {error}")
    if problems:
        refuse(problems)
    data = "".join(f"{line}\n" for line in lines).encode()
    _check(data, queries, judgments)
    return Written(data, tuple(_lost(queries, judgments, head)))


def _case(query: Query, judgments: Judgments, head: _Head) -> Iterator[str]:
    """The lines of a case."""
    text = _text(query)
    if not text.strip():
        raise ValueError("the query has no text")
    yield f"  - query: {scalar(text)}"
    if _has_id(query):
        yield f"    id: {scalar(query.id)}"
    if query.note:
        yield f"    note: {scalar(query.note)}"
    if query.weight != 1:
        yield f"    weight: {number(query.weight)}"
    params = _params(query)
    if params:
        yield f"    params: {value(params)}"
    documents = judgments.get(query.id)
    if documents:
        yield "    judgments:"
        ratings = judgments.ratings.get(query.id, {}) if head.ratings else {}
        yield from _judgments(documents, ratings, judgments.titles.get(query.id, {}))
    elif head.min_ndcg is not None:
        yield "    min_ndcg: null"


def _judgments(
    documents: Mapping[str, float], ratings: Mapping[str, Mapping[str, float]], titles: Mapping[str, str]
) -> Iterator[str]:
    """The lines of a case's judgments."""
    for document, grade in documents.items():
        try:
            if not document:
                raise ValueError("the document has no id")
            if document not in ratings and document not in titles:
                written = number(grade)
            else:
                written = judgment([*ratings.get(document, {}).values()] or [grade], titles.get(document))
            yield from pair_in_lines(document, written, 6)
        except ValueError as error:
            raise ValueError(f"document {quoted(document)}: {error}") from None


def judgment(ratings: Sequence[float], title: str | None = None) -> str:
    """What stands for a document: its grade, a list of ratings, or the long form where there is a title."""
    grade = number(ratings[0]) if len(ratings) == 1 else f"[{', '.join(map(number, ratings))}]"
    return f"{{grade: {grade}, title: {scalar(title, flow=True)}}}" if title else grade


def _text(query: Query) -> str:
    return query.id if query.text is None else query.text


def _has_id(query: Query) -> bool:
    """Whether the case has an id of its own, one that a node id can carry."""
    if query.id == _text(query):
        return False
    try:
        check_id(query.id)
    except Refused:
        return False
    return True


def _params(query: Query) -> Mapping[str, object]:
    return {name: held for name, held in query.params.items() if name and name not in NOT_PARAMETERS}


def _lost(queries: Sequence[Query], judgments: Judgments, head: _Head) -> Iterator[str]:
    without_id = sum(query.id != _text(query) and not _has_id(query) for query in queries)
    if without_id:
        yield f"the ids of {counted(without_id, 'query', 'queries')}, which a pytest node id cannot carry"
    without_params = sum(len(_params(query)) < len(query.params) for query in queries)
    if without_params:
        names = listed(map(quoted, NOT_PARAMETERS), "and")
        yield f"params of {counted(without_params, 'query', 'queries')} that are called {names}, which no params may be"
    if judgments.ratings and head.ratings:
        yield f"the names of {len(judgments.raters)} raters: a case file has lists of ratings"
    elif judgments.ratings:
        yield f"the ratings of {len(judgments.raters)} raters, as their grades are made in no way that a suite can say"
    if head.gain is not None:
        yield f"the gain 2^grade - 1, for which there are grades too high: gain: {head.gain} is written"


def _check(data: bytes, queries: Sequence[Query], judgments: Judgments) -> None:
    """Read the file and compare."""
    try:
        cases = parse_suite(data, "the new case file").cases
    except CaseFileError as error:
        raise ValueError(f"these judgments make no case file: {error}") from None
    for case, query in zip(cases, queries, strict=True):
        titles = judgments.titles.get(query.id, {})
        wanted = (
            *(_text(query), judgments.get(query.id, {}), query.weight, query.note or None, _params(query)),
            {document: titles[document] for document in judgments.get(query.id, {}) if titles.get(document)},
        )
        found = (case.query, case.judgments, case.weight, case.note, case.params, case.titles)
        if found != wanted:
            raise RuntimeError(f"the case of query {quoted(query.id)} would say {found}, and not {wanted}")
