"""New cases at the end of a case file, every byte of which is kept."""

from __future__ import annotations

import re
from dataclasses import replace

from pytest_relevance.cases.model import Case, Suite
from pytest_relevance.cases.pieces import Pieces
from pytest_relevance.cases.problems import CaseFileError, Problem
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.cases.spans import BOM, Span, case_spans
from pytest_relevance.cases.writing import case_file
from pytest_relevance.judgments.model import Judgments

_DASH = re.compile(r"( *)-[ ]+$")
_OWN_INDENT = 2  # of the cases that `case_file` writes


def add_cases(data: bytes, file: str, judgments: Judgments) -> bytes:
    """Add a case for each query of some judgments below the last case of a file.

    Where the suite has a floor, a case without judgments is freed of it. Before anybody gets the result it is read
    again. `CaseFileError` where no case can be added, or the file would be none any more; ValueError where a query
    cannot stand in a case file.
    """
    before = parse_suite(data, file)
    text = data.removeprefix(BOM).decode()
    last, indent = _last_case(before, data, text)
    grades = Judgments(judgments, queries=judgments.queries, titles=judgments.titles, format=judgments.format)
    written = case_file(grades, min_ndcg=before.terms.min_ndcg).data.decode()
    cases = written.partition("cases:\n")[2].splitlines()
    pieces = Pieces(text)
    pieces.insert(replace(last, flow=False), (), lambda _: [indent + line[_OWN_INDENT:] for line in cases])
    result = (BOM if data.startswith(BOM) else b"") + pieces.result().encode()
    _check(before, result, file, judgments)
    return result


def _last_case(suite: Suite, data: bytes, text: str) -> tuple[Span, str]:
    """The text of the last case, and the blanks before its dash."""
    places = [(case.line, case.column) for case in suite.cases if case.source is None]
    place = max(places, default=None)
    span = case_spans(data, {place}).get(place) if place is not None else None
    if place is None or span is None:
        message = "there is no list of cases to which one could be added; write a first one"
        raise CaseFileError(suite.path, [Problem(1, 1, message)])
    dash = _DASH.search(text, text.rfind("\n", 0, span.start) + 1, span.start)
    if dash is None or span.kind != "mapping":
        message = (
            'the last case does not begin with "- " in a line of its own, so that none can be added below it; write '
            'the cases below each other, each beginning with "- query:"'
        )
        raise CaseFileError(suite.path, [Problem(*place, message)])
    return span, dash[1]


def _check(before: Suite, data: bytes, file: str, judgments: Judgments) -> None:
    """Whether the file says what it said and what the new cases say; `CaseFileError` where it does not."""
    try:
        after = parse_suite(data, file)
    except CaseFileError as error:
        problems = [replace(problem, message=f"after the change: {problem.message}") for problem in error.problems]
        raise CaseFileError(file, problems) from None
    found = {case.id: case for case in after.cases}
    kept = all(case.id in found and _said(found[case.id]) == _said(case) for case in before.cases)
    known = {case.id for case in before.cases}
    added = [case.judgments for case in after.cases if case.id not in known and case.judgments]
    if not kept or added != [grades for grades in judgments.values() if grades]:
        message = "the file would not say what was asked for and nothing else; add the cases by hand"
        raise CaseFileError(file, [Problem(1, 1, message)])


def _said(case: Case) -> tuple[object, ...]:
    return case.query, case.judgments, case.min_ndcg, case.k, case.params, case.tags, case.weight, case.expect
