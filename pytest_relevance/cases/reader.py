"""Read case files: `read_suite(path)` for everybody, `load_suite` for the plugin, `parse_suite` for bytes.

The file is read in one pass, a case at a time, so that memory grows only with the content of the cases. Reading starts
again after a suite key below `cases`, which is a default for the cases above it too.
"""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import Any

from yaml.error import YAMLError
from yaml.events import MappingEndEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from pytest_relevance._problems import Problem
from pytest_relevance.cases.checking.keys import CASES, KEYS, QUERIES, SUITE
from pytest_relevance.cases.checking.values import OWNED_TAGS
from pytest_relevance.cases.model import Suite
from pytest_relevance.cases.problems import CaseFileError
from pytest_relevance.cases.suite import SuiteBuilder
from pytest_relevance.cases.yaml.nodes import EventReader, Pairs, duplicate, is_utf_16, problem_of


def read_suite(path: str | os.PathLike[str], *, owned_tags: frozenset[str] = OWNED_TAGS) -> Suite:
    """Read a case file, and the files of judgments and queries that it names.

    `owned_tags` are the markers that a tag may not be. What may be a mistake is issued as a `RelevanceWarning`.

    Raises:
        CaseFileError: with every mistake in the files, its line and column; it is a ValueError.
        OSError: where the case file cannot be opened.
    """
    suite = load_suite(path, owned_tags=owned_tags)
    for message in suite.warnings:
        from pytest_relevance._problems import RelevanceWarning

        warnings.warn(f"{suite.path}: {message}", RelevanceWarning, stacklevel=2)
    return suite


def load_suite(
    path: str | os.PathLike[str], *, shown: str | None = None, owned_tags: frozenset[str] = OWNED_TAGS
) -> Suite:
    """Read a case file as `read_suite` does, without issuing warnings; `shown` is its name in messages."""
    file = os.fspath(path)
    return parse_suite(Path(file).read_bytes(), file, shown=shown, owned_tags=owned_tags)


def parse_suite(data: bytes, file: str, *, shown: str | None = None, owned_tags: frozenset[str] = OWNED_TAGS) -> Suite:
    """Read a case file from its bytes.

    `file` is the path of the suite, to which the paths of the files it names are relative; `shown` is its name in
    messages, by default `file`.

    Raises:
        CaseFileError: with every mistake in the files.
    """
    shown = file if shown is None else shown
    contents: dict[Any, Any] = {}
    header: Pairs = {}
    late = True
    while late:  # once more where suite keys stand below `cases`
        known = len(header)
        builder = SuiteBuilder(file, shown, owned_tags, contents)
        try:
            late = _read_top_level(EventReader(data, builder.problems.found), builder, header) and len(header) > known
        except YAMLError as error:
            raise CaseFileError(shown, [*builder.problems.found, problem_of(error, data)]) from None
    builder.finish()
    if builder.problems.found:
        raise CaseFileError(shown, builder.problems.found, builder.problems.has_many_elsewhere)
    return builder.suite()


def has_cases(data: bytes) -> bool:
    """Whether a YAML text seems to have `cases` or `queries` at its top, which makes it a case file whatever its name.

    The text is not parsed: a mistake above the cases must be shown, not hide the file. The key begins a line, or stands
    anywhere in a file that begins with a brace, as JSON does.
    """
    text = data.decode("utf-16" if is_utf_16(data) else "utf-8", "replace").removeprefix("\ufeff")
    return bool((_CASES_WITHIN if text.lstrip().startswith("{") else _CASES_LINE).search(text))


_CASES_KEY = rf"""(?:{CASES}|{QUERIES})["']?[ \t]*:"""
_CASES_LINE = re.compile(rf"""^["']?{_CASES_KEY}""", re.MULTILINE)
_CASES_WITHIN = re.compile(rf"\b{_CASES_KEY}")


def _read_top_level(events: EventReader, builder: SuiteBuilder, header: Pairs) -> bool:
    """Read the top level, the suite keys into `header`; whether there are suite keys below `cases`."""
    problems = builder.problems.found
    if not events.top_level():
        message = 'the file is empty; a case file has "cases", a list of at least one "- query: ..."'
        problems.append(Problem(message, 1, 1))
        return False
    seen: dict[str, ScalarEvent] = {}
    late = False
    while type(event := events.event()) is not MappingEndEvent:
        key = events.key(event)
        name = key.value
        if name in seen:
            events.compose(events.event())
            problems.append(duplicate(key, seen[name]))
            continue
        seen[name] = key
        if name == CASES:
            builder.set_defaults(header)
            _read_cases(events, builder, events.event())
        else:
            late |= CASES in seen
            header[name] = (key, events.compose(events.event()))
    events.finish()
    if CASES not in seen:
        builder.set_defaults(header)
        if QUERIES not in header and not problems:
            problems.append(Problem(_NO_CASES, 1, 1))
    return late


def _read_cases(events: EventReader, builder: SuiteBuilder, start: Any) -> None:
    if type(start) is not SequenceStartEvent:
        events.compose(start)
        builder.problems.add(start.start_mark, '"cases" takes a list; begin each case with "- query:"')
        return
    while type(event := events.event()) is not SequenceEndEvent:
        reported = len(builder.problems.found)
        builder.add(events.compose(event), event.start_mark, reported)
    if not builder.count:
        builder.problems.add(start.start_mark, '"cases" is an empty list; write at least one "- query:"')


_NO_CASES = f'the file has no "{CASES}" and no "{QUERIES}"; beside these a suite may have {", ".join(KEYS[SUITE])}'
