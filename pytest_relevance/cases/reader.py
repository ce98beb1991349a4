"""Reading a case file: `read_suite(path)`, and the same for the plugin, which owns more tags.

The file is read in one pass, a case at a time, so that memory grows by what the cases hold. Two things make it start
again: a suite key below `cases` (it is a default for the cases above it too), and anything to report about judgments
that were read without positions (see `nodes`).
"""

from __future__ import annotations

import os
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

from yaml.events import MappingEndEvent, SequenceEndEvent, SequenceStartEvent

from pytest_relevance._text import did_you_mean, quoted
from pytest_relevance.cases.build import CASES, NAMES
from pytest_relevance.cases.events import Broken, is_utf_16, problem_at, undecodable
from pytest_relevance.cases.fields import FIELDS, SUITE
from pytest_relevance.cases.files import Files
from pytest_relevance.cases.model import Suite
from pytest_relevance.cases.names import OWNED_TAGS
from pytest_relevance.cases.nodes import IN_CASE, Careful, EventReader, Pairs, SequenceNode
from pytest_relevance.cases.problems import CaseFileError, Problem
from pytest_relevance.cases.suite import SuiteBuilder

QUERIES = "queries"


def read_suite(path: str | os.PathLike[str], *, owned_tags: frozenset[str] = OWNED_TAGS) -> Suite:
    """Read a case file, and the files of judgments and queries that it names.

    `owned_tags` are marks that a tag may not be. What may be a mistake is issued as a `RelevanceWarning`. Raises
    `CaseFileError` (a ValueError) with every mistake in the files and its line and column, and OSError when the case
    file cannot be opened.
    """
    suite = load_suite(path, owned_tags=owned_tags)
    for message in suite.warnings:
        from pytest_relevance.judgments.problems import RelevanceWarning

        warnings.warn(f"{suite.path}: {message}", RelevanceWarning, stacklevel=2)
    return suite


def load_suite(
    path: str | os.PathLike[str], *, shown: str | None = None, owned_tags: frozenset[str] = OWNED_TAGS
) -> Suite:
    """The same without issuing warnings. `shown` is what messages call the file; the files it names are beside it."""
    file = os.fspath(path)
    return parse_suite(Path(file).read_bytes(), file, shown=shown, owned_tags=owned_tags)


def parse_suite(
    data: bytes,
    file: str,
    *,
    shown: str | None = None,
    owned_tags: frozenset[str] = OWNED_TAGS,
    may_lack_judgments: bool = False,
) -> Suite:
    """A case file from its bytes; `file` is what messages and the suite call it, and where the files it names are.

    `may_lack_judgments`: cases are about to get judgments, so that a floor without any and a blank `judgments:` are no
    mistakes yet; such a case has neither.
    """
    shown = file if shown is None else shown
    problem = undecodable(data)
    if problem is not None:
        raise CaseFileError(shown, [problem])
    files = Files(file, shown)
    pass_ = None
    with suppress(Careful):
        pass_ = _Pass(data, file, owned_tags, files, quick=True, may_lack_judgments=may_lack_judgments)
    if pass_ is None or (pass_.problems and pass_.has_cases):
        pass_ = _Pass(data, file, owned_tags, files, quick=False, may_lack_judgments=may_lack_judgments)
    if pass_.problems:
        raise CaseFileError(shown, pass_.problems)
    return pass_.suite()


def has_cases(data: bytes) -> bool:
    """Whether the top level of some YAML has `cases` or `queries`: a case file whatever its name."""
    if undecodable(data) is not None:
        return _seems_to_have_cases(data)
    try:
        events = EventReader(data, quick=False)
        if not events.top_level():
            return False
        while type(event := events.event()) is not MappingEndEvent:
            if events.key(event).value in (CASES, QUERIES):
                return True
            events.compose(events.event())
    except Broken:
        return _seems_to_have_cases(data)
    return False


def _seems_to_have_cases(data: bytes) -> bool:
    """The same for what cannot be read: a case file with a mistake above its cases must show it, not vanish."""
    text = data.decode("utf-16" if is_utf_16(data) else "utf-8", "replace").removeprefix("\ufeff")
    return any(line.startswith((f"{CASES}:", f"{QUERIES}:")) for line in text.splitlines())


class _Pass:
    """One reading of a file, or two where suite keys stand below `cases`."""

    def __init__(
        self,
        data: bytes,
        file: str,
        owned_tags: frozenset[str],
        files: Files,
        *,
        quick: bool,
        may_lack_judgments: bool = False,
    ) -> None:
        self._file = file
        self._files = files
        self._owned_tags = owned_tags
        self._quick = quick
        self._may_lack_judgments = may_lack_judgments
        header: Pairs = {}
        if self._read(data, header):
            self._read(data, header)

    @property
    def has_cases(self) -> bool:
        """Whether cases are written in the file; only their judgments are read without positions."""
        return self._builder.count > 0

    def suite(self) -> Suite:
        return self._builder.suite()

    def _read(self, data: bytes, header: Pairs) -> bool:
        """Read the file with what is known of its header; whether there was more below `cases`."""
        self._builder = builder = SuiteBuilder(
            self._file, self._owned_tags, self._files, may_lack_judgments=self._may_lack_judgments
        )
        self.problems = builder.problems
        known = len(header)
        try:
            events = EventReader(data, quick=self._quick)
            events.problems = builder.problems
            late = self._top(events, builder, header)
        except Broken as broken:
            builder.problems.append(broken.problem)
            return False
        if late and len(header) > known:
            return True
        builder.finish()
        return False

    def _top(self, events: EventReader, builder: SuiteBuilder, header: Pairs) -> bool:
        if not events.top_level():
            builder.problems.append(
                Problem(1, 1, 'the file is empty; a case file has "cases", a list of at least one "- query: ..."')
            )
            return False
        seen: dict[str, int] = {}
        late = False
        while type(event := events.event()) is not MappingEndEvent:
            key = events.key(event)
            name = key.value
            if events.is_merge(key):
                late = late or CASES in seen
                events.merge(key, events.compose(events.event(), IN_CASE), header)
            elif name in seen:
                message = f"duplicate key {quoted(name)}, first in line {seen[name]}; keep one of them"
                builder.problems.append(problem_at(event.start_mark, message))
                events.compose(events.event(), IN_CASE)
            else:
                seen[name] = event.start_mark.line + 1
                if name == CASES:
                    builder.suite_terms(header)
                    self._cases(events, builder, events.event())
                else:
                    late = late or CASES in seen
                    header[name] = (key, events.compose(events.event(), IN_CASE))
        events.finish()
        if CASES not in seen:
            builder.suite_terms(header)
            misspelt = any(name not in FIELDS and did_you_mean(name, (CASES,)) for name in header)
            if QUERIES not in header and not misspelt:
                builder.problems.append(Problem(1, 1, _NO_CASES))
        return late

    def _cases(self, events: EventReader, builder: SuiteBuilder, start: Any) -> None:
        if type(start) is SequenceStartEvent and start.anchor is None:
            while type(event := events.event()) is not SequenceEndEvent:
                reported = len(builder.problems)
                builder.add(events.compose(event), event.start_mark, reported)
                if self._quick and builder.problems:
                    raise Careful
        else:  # somewhere an alias may stand for it, and it for an alias: read as a whole
            node = events.compose(start, IN_CASE)
            if not isinstance(node, SequenceNode):
                message = '"cases" takes a list; begin each case with "- query:"'
                builder.problems.append(problem_at(start.start_mark, message))
                return
            for item in node.items:
                builder.add(item, item.start_mark, len(builder.problems))
        if not builder.count:
            message = '"cases" is an empty list; write at least one "- query:"'
            builder.problems.append(problem_at(start.start_mark, message))


_NO_CASES = f'the file has no "cases"; a suite has {quoted(CASES)} and any of its defaults: ' + ", ".join(
    name for name in NAMES[SUITE] if name != CASES
)
