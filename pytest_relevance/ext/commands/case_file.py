"""Convert judgments to a case file. `yaml_text` writes single values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from pytest_relevance._problems import FileError
from pytest_relevance._source import Source
from pytest_relevance._text import counted, listed, quoted
from pytest_relevance.cases.location import CaseFileError
from pytest_relevance.cases.names import CASE_FILE_ENDINGS, YAML_ENDINGS, wrong_id
from pytest_relevance.cases.reader import has_cases, parse_suite
from pytest_relevance.cases.values import NOT_PARAMETERS
from pytest_relevance.cli.command import CommandError
from pytest_relevance.ext.commands.yaml_text import (
    write_number,
    write_text,
    write_value,
)
from pytest_relevance.judgments.formats import HALF_OF_CONTEXTS, Written
from pytest_relevance.judgments.grading import aggregate_of
from pytest_relevance.judgments.model import CONTEXTS, Judgments, Query, queries_of
from pytest_relevance.judgments.recognition import judgments_in
from pytest_relevance.metrics.settings import LARGEST_EXPONENTIAL_GRADE

CASE_FILE = "case-file"
"""The name of the format of case files, for commands that take judgment files too."""


def is_case_file(path: str, format: str | None) -> bool:
    """Say whether a file is a case file, and not YAML of another tool.

    A YAML file that cannot be read is a case file, so that its errors are reported.

    `format`: the format of judgments that the user names for the file; None if the user
        names none. With a format, only *.relevance.yaml and *.relevance.yml are cases.
    """
    if path.endswith(CASE_FILE_ENDINGS):
        return True
    if not path.endswith(YAML_ENDINGS) or format is not None:
        return False
    with suppress(OSError, FileError):
        source = Source.read(path)
        return has_cases(source.data) or judgments_in(source) is None
    return True


def without_texts(file: str, format: str = "") -> CommandError:
    """Return the error that judgments have no texts of queries, which cases need."""
    message = (
        f"{file}: it has the ids of queries, and their texts are needed; name the file "
        "that has them: --queries queries.tsv (a line is an id, a tab and the text)"
    )
    if format == "elasticsearch":
        message += (
            ". Or say where a request has the text of its query: --query params.text, "
            "once or several times"
        )
    return CommandError(message)


def case_file(judgments: Judgments, comment: str = "") -> Written:
    """Return a case file with a case for each query of some judgments.

    A case has an `id` if the id of its query is not the text. Several ratings of a
    document become a list, if a setting `raters` makes the grades of the ratings. Else
    only the grade is written. The result also says what a case file cannot store of the
    judgments.

    `comment`: stands at the top of the file; "" for no comment.

    Raises ValueError if there is nothing to write, or if a case file cannot have a
    query, a document or a grade.
    """
    queries = queries_of(judgments)
    if not queries:
        raise ValueError("there are no queries to write")
    raters = aggregate_of(judgments) if judgments.ratings else None
    needs_linear = _highest_grade(judgments) > LARGEST_EXPONENTIAL_GRADE
    lines = []
    for line in comment.splitlines():
        lines.append(f"# {line}".rstrip())
    if raters is not None and raters != "median":
        lines.append(f"raters: {raters}")
    if needs_linear:
        lines.append("gain: linear")
    lines.append("cases:")
    for query in queries:
        lines.extend(_case_lines(query, judgments, has_ratings=raters is not None))
    data = ("\n".join(lines) + "\n").encode()
    try:  # the text is returned only if it can be read again
        parse_suite(data, "the new case file")
    except CaseFileError as error:
        raise ValueError(f"these judgments make no case file: {error}") from None
    lost = [*_lost_of_queries(queries)]
    if judgments.documents_are == CONTEXTS:
        lost.append(HALF_OF_CONTEXTS)
    if judgments.ratings:
        lost.append(_lost_of_raters(judgments, has_ratings=raters is not None))
    if needs_linear:
        lost.append(
            "the gain 2^grade - 1, which some grades are too high for: gain: linear "
            "is written"
        )
    return Written(data, tuple(lost))


def _highest_grade(judgments: Judgments) -> float:
    """Return the highest grade of all documents; 0 if no grade is above 0."""
    highest = 0.0
    for grades in judgments.values():
        highest = max(highest, max(grades.values(), default=0.0))
    return highest


def _case_lines(query: Query, judgments: Judgments, *, has_ratings: bool) -> list[str]:
    """Return the lines of a case. Raises ValueError if a case file cannot have it.

    `has_ratings`: whether several ratings of a document are written as a list.
    """
    ratings = judgments.ratings.get(query.id, {}) if has_ratings else {}
    grades = judgments.get(query.id, {})
    titles = judgments.titles.get(query.id, {})
    try:
        lines = [*_lines_of_query(query)]
        if judgments.have_passages:
            return [*lines, *_passage_lines(grades)]
        if grades:
            lines.append("    judgments:")
        for document, grade in grades.items():
            given = [*ratings.get(document, {}).values()]
            lines.append(
                _judgment_line(document, given, grade=grade, title=titles.get(document))
            )
    except ValueError as error:
        raise ValueError(f"query {quoted(query.id)}: {error}") from None
    return lines


def _lines_of_query(query: Query) -> Iterator[str]:
    """Yield the lines of a case without its judgments.

    Raises ValueError if a value cannot be written as YAML, or the query has no text.
    """
    text = query.text_or_id
    if not text.strip():
        raise ValueError("the query has no text")
    yield f"  - query: {write_text(text)}"
    if _has_id(query):
        yield f"    id: {write_text(query.id)}"
    if query.note:
        yield f"    note: {write_text(query.note)}"
    if query.weight != 1:
        yield f"    weight: {write_number(query.weight)}"
    params = _params(query)
    if params:
        yield f"    params: {write_value(params)}"


def _passage_lines(grades: Mapping[str, float]) -> Iterator[str]:
    """Yield the lines of the passages of a case: a list, or `quote: grade`.

    Raises ValueError if a passage cannot be written as YAML.
    """
    if grades:
        yield "    passages:"
    are_equal = all(grade == 1 for grade in grades.values())
    for quote, grade in grades.items():
        if are_equal:
            yield f"      - {write_text(quote)}"
        else:
            yield f"      {write_text(quote)}: {write_number(grade)}"


def _judgment_line(
    document: str, ratings: Sequence[float], grade: float, title: str | None
) -> str:
    """Return the line of a document: its grade, or its ratings if there are several.

    Raises ValueError if the document has no id, or if a value cannot be written.
    """
    try:
        if not document:
            raise ValueError("the document has no id")
        if len(ratings) > 1:
            judgment = "[" + ", ".join(map(write_number, ratings)) + "]"
        else:
            judgment = write_number(grade)
        if title:
            judgment = f"{{grade: {judgment}, title: {write_text(title)}}}"
        return f"      {write_text(document)}: {judgment}"
    except ValueError as error:
        raise ValueError(f"document {quoted(document)}: {error}") from None


def _has_id(query: Query) -> bool:
    """Say whether the case of a query gets an id.

    The case gets an id if the id is not the text of the query, and if a pytest node id
    can contain the id.
    """
    return query.id != query.text_or_id and wrong_id(query.id) is None


def _params(query: Query) -> Mapping[str, object]:
    """Return the params of a query whose names a case file can have."""
    params = {}
    for name, value in query.params.items():
        if name and name not in NOT_PARAMETERS:
            params[name] = value
    return params


def _lost_of_queries(queries: Sequence[Query]) -> Iterator[str]:
    """Yield what a case file cannot store of queries, as parts of a sentence."""
    without_id = 0
    without_params = 0
    for query in queries:
        if query.id != query.text_or_id and not _has_id(query):
            without_id += 1
        if len(_params(query)) < len(query.params):
            without_params += 1
    if without_id:
        count = counted(without_id, "query", "queries")
        yield f"the ids of {count}, which a pytest node id cannot carry"
    if without_params:
        count = counted(without_params, "query", "queries")
        names = listed(map(quoted, NOT_PARAMETERS), "and")
        yield f"params of {count} that are called {names}, which no params may be"


def _lost_of_raters(judgments: Judgments, *, has_ratings: bool) -> str:
    """Return what a case file cannot store of raters: their names, or their ratings."""
    count = f"{len(judgments.raters)} raters"
    if has_ratings:
        return f"the names of {count}: a case file has lists of ratings"
    return f"the ratings of {count}, because no setting of a suite makes these grades of them"
