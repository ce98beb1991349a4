"""Reading a case file: `read_suite(path)`, and the same for the plugin, which owns more tags.

The file is read in one pass, a case at a time, so that memory grows by what the cases hold. Two things make it start
again: a suite key below `cases` (it is a default for the cases above it too), and anything to report about judgments
that were read without positions (see `nodes`).
"""

from __future__ import annotations

import os
from pathlib import Path

from yaml.events import AliasEvent, Event, MappingEndEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from pytest_relevance.cases.build import SuiteBuilder
from pytest_relevance.cases.fields import FIELDS, SUITE
from pytest_relevance.cases.model import Suite
from pytest_relevance.cases.names import OWNED_TAGS
from pytest_relevance.cases.nodes import IN_CASE, Broken, Careful, EventReader, Node, SequenceNode, problem_at
from pytest_relevance.cases.problems import CaseFileError, Problem
from pytest_relevance.wording import quoted

CASES = "cases"


def read_suite(path: str | os.PathLike[str], *, owned_tags: frozenset[str] = OWNED_TAGS) -> Suite:
    """Read a case file.

    `owned_tags` are marks that a tag may not be. Raises `CaseFileError` (a ValueError) with every mistake in the file
    and its line and column, and OSError when the file cannot be opened.
    """
    file = os.fspath(path)
    return parse_suite(Path(file).read_bytes(), file, owned_tags=owned_tags)


def parse_suite(data: bytes, file: str, *, owned_tags: frozenset[str] = OWNED_TAGS) -> Suite:
    """A case file from its bytes; `file` is what messages and the suite call it."""
    problem = _undecodable(data)
    if problem is not None:
        raise CaseFileError(file, [problem])
    try:
        pass_ = _Pass(data, file, owned_tags, quick=True)
        if not pass_.problems:
            return pass_.suite()
    except Careful:
        pass
    pass_ = _Pass(data, file, owned_tags, quick=False)
    if pass_.problems:
        raise CaseFileError(file, pass_.problems)
    return pass_.suite()


def has_cases(data: bytes) -> bool:
    """Whether the top level of some YAML has `cases` or `queries`: a case file whatever its name."""
    try:
        events = EventReader(data, quick=False)
        if events.top_level() is None:
            return False
        while type(event := events.event()) is not MappingEndEvent:
            key = events.key(event).value
            if key in (CASES, "queries"):
                return True
            events.compose(events.event())
    except Broken:
        # A case file with a mistake above its cases must show the mistake, not vanish.
        return any(line.startswith((b"cases:", b"queries:")) for line in data.splitlines())
    return False


class _Pass:
    """One reading of a file, or two where suite keys stand below `cases`."""

    def __init__(self, data: bytes, file: str, owned_tags: frozenset[str], *, quick: bool) -> None:
        self._file = file
        self._owned_tags = owned_tags
        header: dict[str, tuple[ScalarEvent, Node]] = {}
        if self._read(data, header, quick=quick):
            self._read(data, header, quick=quick)

    def suite(self) -> Suite:
        return self._builder.suite()

    def _read(self, data: bytes, header: dict[str, tuple[ScalarEvent, Node]], *, quick: bool) -> bool:
        """Read the file with what is known of its header; whether there was more below `cases`."""
        self._builder = builder = SuiteBuilder(self._file, self._owned_tags)
        self.problems = builder.problems
        known = len(header)
        try:
            events = EventReader(data, quick=quick)
            events.problems = builder.problems
            late = self._top(events, builder, header)
            if late and len(header) > known:
                return True
        except Broken as broken:
            builder.problems.append(broken.problem)
            return False
        builder.finish()
        return False

    def _top(self, events: EventReader, builder: SuiteBuilder, header: dict[str, tuple[ScalarEvent, Node]]) -> bool:
        if events.top_level() is None:
            builder.problems.append(
                Problem(1, 1, 'the file is empty; a case file has "cases", a list of at least one "- query: ..."')
            )
            return False
        seen: dict[str, int] = {}
        late = False
        while type(event := events.event()) is not MappingEndEvent:
            key = events.key(event)
            name, line = key.value, key.start_mark.line + 1
            if name in seen:
                builder.problems.append(
                    problem_at(key.start_mark, f"duplicate key {quoted(name)}, first in line {seen[name]}; keep one")
                )
                events.compose(events.event(), IN_CASE)
            elif name == CASES:
                builder.suite_terms(header)
                self._cases(events, builder, events.event())
            else:
                late = late or CASES in seen
                header[name] = (key, events.compose(events.event(), IN_CASE))
            seen[name] = line
        events.finish()
        if CASES not in seen:
            builder.suite_terms(header)
            if "queries" not in seen:
                builder.problems.append(
                    Problem(
                        1,
                        1,
                        f'the file has no "cases"; a suite has {quoted(CASES)} and any of its defaults: '
                        + ", ".join(field.name for field in FIELDS.values() if SUITE in field.at),
                    )
                )
        return late

    def _cases(self, events: EventReader, builder: SuiteBuilder, start: Event) -> None:
        if type(start) is AliasEvent or start.anchor is not None:
            node = events.compose(start, IN_CASE)
            if type(node) is SequenceNode:
                for item in node.items:
                    builder.add(item)
                return
        if type(start) is not SequenceStartEvent:
            builder.problems.append(
                problem_at(start.start_mark, '"cases" takes a list; begin each case with "- query:"')
            )
            if type(start) is not AliasEvent and start.anchor is None:
                events.compose(start, IN_CASE)
            return
        while type(event := events.event()) is not SequenceEndEvent:
            builder.add(events.compose(event))
        if not builder.count:
            builder.problems.append(
                problem_at(start.start_mark, '"cases" is an empty list; write at least one "- query:"')
            )


def _undecodable(data: bytes) -> Problem | None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8")) + 1
        return Problem(
            before.count(b"\n") + 1,
            column,
            f"the file is not UTF-8: byte 0x{data[error.start]:02x} cannot be read; save it as UTF-8",
        )
    return None
