"""Add cases at the end of a case file, and keep every byte of it."""

from __future__ import annotations

from pytest_relevance.cases.model import Suite
from pytest_relevance.cases.problems import CaseFileError, Problem
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.cases.yaml.editing import Replacements, is_same, position_of, read_edited
from pytest_relevance.cases.yaml.positions import Span, spans_of_cases
from pytest_relevance.cases.yaml.writing import INDENT, case_file
from pytest_relevance.judgments.model import Judgments


def add_cases(data: bytes, file: str, judgments: Judgments) -> bytes:
    """Add a case for each query of some judgments below the last case of a file.

    Where the suite has a floor, a case without judgments is freed of it. The result is read again before it is
    returned.

    Raises:
        CaseFileError: where no case can be added, or the file would no longer be one.
        ValueError: where a query cannot stand in a case file.
    """
    before = parse_suite(data, file)
    texts = Replacements(data)
    last, indent = _last_case(before, data, texts)
    grades = Judgments(judgments, queries=judgments.queries, titles=judgments.titles, format=judgments.format)
    written = case_file(grades, min_ndcg=before.terms.min_ndcg).data.decode()
    cases = written.partition("cases:\n")[2].splitlines()
    texts.insert_lines(last, [indent + line[INDENT:] for line in cases])
    result = texts.result()
    _check(before, result, file, judgments)
    return result


def _last_case(suite: Suite, data: bytes, texts: Replacements) -> tuple[Span, str]:
    """The text of the last case, and the blanks before its dash."""
    position = max((position_of(case) for case in suite.cases if case.source is None), default=(1, 1))
    span = spans_of_cases(data, {position}).get(position)
    if span is None:
        message = "there is no list of cases to which one could be added; write a first one"
        raise CaseFileError(suite.path, [Problem(1, 1, message)])
    indent = texts.indent_of_item(span)
    if indent is None or span.kind != "mapping":
        message = (
            'the last case does not begin with "- " in a line of its own, so that none can be added below it; write '
            'the cases below each other, each beginning with "- query:"'
        )
        raise CaseFileError(suite.path, [Problem(*position, message)])
    return span, indent


def _check(before: Suite, data: bytes, file: str, judgments: Judgments) -> None:
    """Check that the file has its old cases and the new ones, and nothing else."""
    found = {case.id: case for case in read_edited(data, file).cases}
    kept = all(case.id in found and is_same(found.pop(case.id), case) for case in before.cases)
    added = [case.judgments for case in found.values() if case.judgments]
    if not kept or added != [grades for grades in judgments.values() if grades]:
        message = "the file would not say what was asked for and nothing else; add the cases by hand"
        raise CaseFileError(file, [Problem(1, 1, message)])
