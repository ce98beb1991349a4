"""Read case files: YAML becomes a `Suite`.

`read_suite` is public, `load_suite` is for the plugin, and `parse_suite` reads bytes.

The file is read in one pass, a case at a time, so that memory grows only with the
content of the cases. If a suite key follows `cases`, the file is read once more: the
key is a default for the cases above it too.
"""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path

from yaml.error import YAMLError
from yaml.events import (
    MappingEndEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from pytest_relevance._problems import FileError, Place, Problem, RelevanceWarning
from pytest_relevance.cases.case_file import CaseFile
from pytest_relevance.cases.keys import CASES, KEYS, KNOWN_ITEMS, QUERIES, SUITE
from pytest_relevance.cases.location import CaseFileError
from pytest_relevance.cases.model import Suite
from pytest_relevance.cases.names import OWNED_TAGS
from pytest_relevance.cases.suite_builder import SuiteBuilder
from pytest_relevance.cases.yaml import MERGE_KEY, EventReader, Pairs
from pytest_relevance.cases.yaml_errors import START, is_utf_16, place_of, problem_of
from pytest_relevance.metrics.metric import ProjectMetrics
from pytest_relevance.metrics.names import NO_METRICS


def read_suite(
    path: str | os.PathLike[str],
    *,
    owned_tags: frozenset[str] = OWNED_TAGS,
    metrics: ProjectMetrics | None = None,
) -> Suite:
    """Return the suite of a case file, with the judgments and queries of its files.

    Args:
        path: the case file.
        owned_tags: the markers whose names are not allowed as tags.
        metrics: the project's own, {name: function}. If they are None, each unknown
            name of a metric is taken for one of them.

    Possible mistakes are issued as `RelevanceWarning`.

    Raises:
        CaseFileError: with every mistake in the files, its line and column; it is a
            ValueError.
        OSError: the case file cannot be opened.
    """
    suite = load_suite(path, owned_tags=owned_tags, metrics=metrics)
    for message in suite.warnings:
        warnings.warn(f"{suite.path}: {message}", RelevanceWarning, stacklevel=2)
    return suite


def load_suite(
    path: str | os.PathLike[str],
    *,
    shown: str | None = None,
    owned_tags: frozenset[str] = OWNED_TAGS,
    metrics: ProjectMetrics | None = NO_METRICS,
    takes_all: bool = False,
) -> Suite:
    """Return the suite of a case file. Warnings are in `Suite.warnings`, not issued.

    `shown`: the name of the case file in messages, by default its path. The other
        options are those of `CaseFile`.

    Raises:
        CaseFileError: with every mistake in the files.
        OSError: the case file cannot be opened.
    """
    file = os.fspath(path)
    case_file = CaseFile(
        path=file,
        shown=file if shown is None else shown,
        owned_tags=owned_tags,
        metrics=metrics,
        takes_all=takes_all,
    )
    return suite_of(Path(file).read_bytes(), case_file)


def parse_suite(data: bytes, file: str) -> Suite:
    """Return the suite of a case file, given by its content and its path.

    Raises:
        CaseFileError: with every mistake in the files.
    """
    return suite_of(data, CaseFile(path=file, shown=file))


def suite_of(data: bytes, case_file: CaseFile) -> Suite:
    """Return the suite of a case file whose content is `data`.

    Raises:
        CaseFileError: with every mistake in the files.
    """
    header: Pairs = {}
    builder = SuiteBuilder(case_file)
    if _read_document(data, builder, header):
        # Suite keys below `cases` are defaults for the cases above them too.
        builder = SuiteBuilder(case_file)
        _read_document(data, builder, header)
    cases = builder.finish()
    _raise_if_any(data, builder)
    return builder.suite(cases)


def _read_document(data: bytes, builder: SuiteBuilder, header: Pairs) -> bool:
    """Read the whole file. Say whether keys of the suite follow `cases`.

    The keys of the suite are added to `header`, and the cases to `builder`.

    Raises:
        CaseFileError: the file is not YAML.
    """
    try:
        events = EventReader(data)
        try:
            return _read_top_level(events, builder, header)
        finally:
            builder.add_problems(events.take_problems())
    except YAMLError as error:
        problem = problem_of(error, data)
        builder.problems.add(problem.message, problem.place)
    _raise_if_any(data, builder)
    return False


def _raise_if_any(data: bytes, builder: SuiteBuilder) -> None:
    """Raise CaseFileError if there are mistakes.

    If the file is not a case file at all, the error says only that.
    """
    problems = builder.problems
    if problems.found:
        _refuse_accident(data, problems.file)
        raise CaseFileError(problems.file, problems.found, problems.is_full)


def _refuse_accident(data: bytes, shown: str) -> None:
    """Raise CaseFileError if a file is something else, for example a page of HTML."""
    # Imported only if there is a mistake to report.
    from pytest_relevance._accidents import find_accident
    from pytest_relevance._source import Source

    try:
        accident = find_accident(Source(shown, data))
    except FileError:  # a case file may be UTF-16, and may have any other mistake
        return
    if accident is not None:
        place = Place(line=accident.line, column=1)
        raise CaseFileError(shown, [Problem(accident.message, place)])


def has_cases(data: bytes) -> bool:
    """Say whether a YAML text seems to have `cases`, `queries` or `known_items` on top.

    Such a file is taken for a case file, whatever its name. The text is not parsed, so
    that a file with a mistake in the YAML is found too. The key must begin a line. In a
    file that begins with a brace, as JSON does, the key may be anywhere.
    """
    encoding = "utf-16" if is_utf_16(data) else "utf-8"
    text = data.decode(encoding, "replace").removeprefix("\ufeff")
    beginning = r"""(?m)^["']?"""
    if text.lstrip().startswith("{"):
        beginning = r"\b"
    pattern = rf"""{beginning}(?:{CASES}|{QUERIES}|{KNOWN_ITEMS})["']?[ \t]*:"""
    return re.search(pattern, text) is not None


def _read_top_level(events: EventReader, builder: SuiteBuilder, header: Pairs) -> bool:
    """Read the keys of the suite into `header`, and the cases into `builder`.

    Say whether keys of the suite follow `cases`.
    """
    if not events.enter_document():
        message = 'the file is empty; a case file has "cases", a list of at least one "- query: ..."'
        builder.problems.add(message, START)
        return False
    seen: dict[str, ScalarEvent] = {}
    has_late_keys = False
    event = events.next_event()
    while type(event) is not MappingEndEvent:
        key = events.key(event)
        name = key.value
        if name in seen:
            events.node(events.next_event())
            events.add_duplicate(key, seen[name])
        elif name == MERGE_KEY and key.implicit[0]:  # in quotes it is text
            has_late_keys = has_late_keys or CASES in seen
            events.merge(key, events.node(events.next_event()), into=header)
        elif name == CASES:
            seen[name] = key
            builder.set_defaults(header, has_cases=True)
            builder.add_problems(events.take_problems())
            _read_cases(events, builder)
        else:
            has_late_keys = has_late_keys or CASES in seen
            seen[name] = key
            header[name] = (key, events.node(events.next_event()))
        event = events.next_event()
    events.leave_document()
    builder.add_problems(events.take_problems())
    if CASES not in seen:
        builder.set_defaults(header, has_cases=False)
        has_queries = QUERIES in header or builder.has_listed_queries
        has_queries = has_queries or KNOWN_ITEMS in header
        if not has_queries and not builder.problems.found:
            builder.problems.add(_NO_CASES, START)
    return has_late_keys


def _read_cases(events: EventReader, builder: SuiteBuilder) -> None:
    """Read the list below `cases`, and add each case to `builder`, or a problem."""
    start = events.next_event()
    place = place_of(start.start_mark)
    if type(start) is not SequenceStartEvent:
        events.node(start)
        message = '"cases" takes a list; begin each case with "- query:"'
        builder.problems.add(message, place)
        return
    event = events.next_event()
    while type(event) is not SequenceEndEvent:
        node = events.node(event)
        builder.add_case(node, place_of(event.start_mark), events.take_problems())
        event = events.next_event()
    if not builder.count:
        message = '"cases" is an empty list; write at least one "- query:"'
        builder.problems.add(message, place)


_NO_CASES = (
    f'the file has no "{CASES}", no "{QUERIES}" and no "{KNOWN_ITEMS}"; beside these a suite may have '
    f"{', '.join(KEYS[SUITE])}"
)
