"""The judgments of a suite as `Judgments`, which every format can be made of, and what its cases say beyond them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pytest_relevance._text import counted
from pytest_relevance.cases.model import Case, Suite
from pytest_relevance.cases.spans import Span, case_spans
from pytest_relevance.judgments.model import Judgments, Place, Query

CASE_FILE = "case-file"
"""The name of the format."""

BEYOND: Mapping[str, Callable[[Case], object]] = {
    "floor": lambda case: case.min_ndcg is not None,
    "expectation": lambda case: case.expect,
    "tag": lambda case: case.tags,
    "xfail": lambda case: case.xfail,
    "skip": lambda case: case.skip,
    "usefixtures": lambda case: case.usefixtures,
    "notes on documents": lambda case: case.notes,
}
"""What cases have that judgments have no place for, and how to see it."""


def judgments_of(suite: Suite) -> Judgments:
    """The judgments of all cases, under their ids, or under their queries where they have no ids."""
    keys = {case.id: case for case in suite.cases}
    return Judgments(
        {key: dict(case.judgments) for key, case in keys.items() if case.judgments},
        file=suite.path,
        format=CASE_FILE,
        queries={
            key: Query(key, case.query, case.weight, case.params, case.note, case.line) for key, case in keys.items()
        },
        titles={key: case.titles for key, case in keys.items() if case.titles},
        place=lambda query, document: Place(keys[query].line),
    )


def left_behind(suite: Suite, data: bytes) -> Iterator[str]:
    """A sentence for each thing in a case file (`data`) that `judgments_of` does not take along."""
    for what, has in BEYOND.items():
        count = sum(1 for case in suite.cases if has(case))
        if count:
            yield f"the {what} of {counted(count, 'case')}, for which judgments have no place"
    places = {(case.line, case.column) for case in suite.cases if case.source is None}
    lists = sum(map(_lists_of_ratings, case_spans(data, places).values()))
    if lists:
        yield f"the ratings of {counted(lists, 'document')}; the grade that they make ({suite.terms.raters}) is taken"


def _lists_of_ratings(case: Span) -> int:
    """How many documents of a case have a list of ratings, as it is written."""
    judgments = case.get("judgments")
    return sum(_is_list(grade) for _, grade in judgments.pairs) if judgments is not None else 0


def _is_list(grade: Span | None) -> bool:
    return grade is not None and (grade.kind == "list" or (grade.kind == "mapping" and _is_list(grade.get("grade"))))
