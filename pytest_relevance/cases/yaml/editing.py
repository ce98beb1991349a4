"""Change a case file in place: add judgments, set floors, and keep every other byte.

An edit is a list of texts in the place of others, found by the positions of YAML nodes: comments, order, quotes and
line ends stay as they are. The nodes of `cases.yaml.nodes` are what a file means, after merging and behind aliases; a
`Span` here is what is written. The result is read again, and must say what was asked for and nothing else; otherwise
the edit is refused, for example because what is changed stands behind an anchor that another case uses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from pytest_relevance._text import did_you_mean, quoted
from pytest_relevance.cases.keys import CASES
from pytest_relevance.cases.model import Case, Suite, Terms
from pytest_relevance.cases.problems import CaseFileError, Problem
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.cases.yaml.nodes import BREAK, event_source
from pytest_relevance.cases.yaml.scalars import Pairs, in_braces, in_lines, write_judgment, write_number
from pytest_relevance.cases.yaml.scalars import value as scalar_value

BOM = b"\xef\xbb\xbf"

Position = tuple[int, int]
"""A line and a column, from 1."""

_STARTS, _ENDS = (MappingStartEvent, SequenceStartEvent), (MappingEndEvent, SequenceEndEvent)


@dataclass(frozen=True, slots=True)
class Span:
    """A node in the text: from character `start` to before `end`, without the byte order mark; line and column from 1.

    A block mapping or list ends with the last node in it. `kind` is "scalar", "alias", "mapping" or "list". `marked`:
    the node begins with an anchor or a tag. `flow`: it has braces or brackets. `value` is the text of a scalar or the
    name of an alias. `parts` are the keys and values of a mapping in turn, or the items of a list.
    """

    kind: str
    start: int
    end: int
    line: int
    column: int
    marked: bool = False
    flow: bool = False
    value: str = ""
    parts: Sequence[Span] = ()

    @property
    def position(self) -> Position:
        """Where it begins."""
        return self.line, self.column

    @property
    def indent(self) -> int:
        """The column of the keys of a block mapping, from 0."""
        return (self.parts[0] if self.marked and self.parts else self).column - 1

    @property
    def is_blank(self) -> bool:
        """Whether it is a scalar that means nothing: empty, or `null`."""
        return self.kind == "scalar" and scalar_value(self.value) is None

    def get(self, key: str) -> Span | None:
        """The value of a key of a mapping, as it is written there; None where the node has no such key."""
        if self.kind != "mapping":
            return None
        pairs = zip(self.parts[::2], self.parts[1::2], strict=True)
        return next((value for name, value in pairs if name.kind == "scalar" and name.value == key), None)


def spans_of_cases(data: bytes, positions: Collection[Position]) -> dict[Position, Span]:
    """Find the cases that begin at some positions of a case file that the reader accepts.

    A case that does not stand in the list of cases itself, because an alias brings it there, is left out.
    """
    get = event_source(data.removeprefix(BOM))
    for _ in range(3):  # the start of the stream, of the document and of the mapping
        get()
    found: dict[Position, Span] = {}
    while not isinstance(key := get(), MappingEndEvent):
        _skip(get, key)
        value = get()
        if isinstance(key, ScalarEvent) and key.value == CASES and isinstance(value, SequenceStartEvent):
            while not isinstance(item := get(), SequenceEndEvent):
                position = (item.start_mark.line + 1, item.start_mark.column + 1)
                if position in positions:
                    found[position] = _span(get, item)
                else:
                    _skip(get, item)
        else:
            _skip(get, value)
    return found


def _skip(get: Callable[[], Any], event: Any) -> None:
    """Pass over the node that begins with an event."""
    depth = 0
    while True:
        depth += isinstance(event, _STARTS) - isinstance(event, _ENDS)
        if not depth:
            return
        event = get()


def _span(get: Callable[[], Any], event: Any) -> Span:
    """Read the node that begins with an event."""
    mark = event.start_mark
    begin = mark.index, event.end_mark.index, mark.line + 1, mark.column + 1
    if isinstance(event, AliasEvent):
        return Span("alias", *begin, value=str(event.anchor))
    marked = event.anchor is not None or event.tag is not None
    if isinstance(event, ScalarEvent):
        return Span("scalar", *begin, marked, value=event.value)
    parts = []
    while not isinstance(part := get(), _ENDS):
        parts.append(_span(get, part))
    flow = bool(event.flow_style)
    end = parts[-1].end if parts and not flow else part.end_mark.index  # type: ignore[union-attr]
    kind = "mapping" if isinstance(event, MappingStartEvent) else "list"
    return Span(kind, mark.index, end, mark.line + 1, mark.column + 1, marked, flow, parts=parts)


Grades = Mapping[str, float]

_STEP = 2
_JUDGMENTS, _FLOOR = "judgments", "min_ndcg"
_COMMENT = re.compile("(?:\r\n|[\n\r])( *)#[^\r\n\x85\u2028\u2029]*")
"""The next line, where it is a comment; the group is its indentation."""


@dataclass(frozen=True, slots=True)
class Change:
    """A judgment or a floor that an edit changed, `key` being `judgments` or `min_ndcg`.

    `old` and `new` are the texts before and after; `old` is None where there was none. `document` is None for a floor.
    """

    case: str
    key: str
    document: str | None
    old: str | None
    new: str


@dataclass(frozen=True, slots=True)
class Edited:
    """A case file after an edit, and its changes. Without changes `data` is what it was."""

    data: bytes
    changes: tuple[Change, ...] = ()


class Conflict(Problem):
    """A document that has another grade already: the one problem that `overwrite` solves."""

    __slots__ = ()


def add_judgments(
    data: bytes,
    file: str,
    judgments: Mapping[str, Grades],
    *,
    titles: Mapping[str, Mapping[str, str]] | None = None,
    overwrite: bool = False,
) -> Edited:
    """Add judgments, {id of a case: {document: grade}}, to the cases of a file; `titles` are those of new documents.

    A document that has the grade already stays as it is written. Another grade is a mistake, or is replaced with
    `overwrite`.

    Raises:
        CaseFileError: with everything that prevents the edit, each problem at its position.
    """
    edit = _Edit(data, file, judgments, *read_unjudged(data, file))
    for name, grades in judgments.items():
        edit.judge(name, grades, (titles or {}).get(name, {}), overwrite=overwrite)
    return edit.result()


def set_floor(data: bytes, file: str, floors: Mapping[str, float | None]) -> Edited:
    """Set the `min_ndcg` of cases, {id: floor}; None takes an inherited floor away. A floor that is the same stays.

    Raises:
        CaseFileError: with everything that prevents the edit, each problem at its position.
    """
    edit = _Edit(data, file, floors, parse_suite(data, file))
    for name, floor in floors.items():
        edit.set_floor(name, floor)
    return edit.result()


def read_unjudged(data: bytes, file: str) -> tuple[Suite, Sequence[Problem]]:
    """Read a case file that is about to get judgments, and the problems that it has as long as it lacks them.

    Raises:
        CaseFileError: where something else is wrong with it.
    """
    try:
        return parse_suite(data, file), ()
    except CaseFileError as error:
        return parse_suite(data, file, may_lack_judgments=True), error.problems


class Replacements:
    """Texts in the place of others in one text, and texts inserted. No two of them may overlap."""

    def __init__(self, data: bytes) -> None:
        self._has_mark = data.startswith(BOM)
        self._text = data.removeprefix(BOM).decode()
        self._pieces: list[tuple[int, int, str]] = []
        usual = BREAK.search(self._text)
        self._usual_break = usual[0] if usual is not None else "\n"

    def text_of(self, span: Span) -> str:
        """The text of a node."""
        return self._text[span.start : span.end]

    def indent_of_item(self, span: Span) -> str | None:
        """The blanks before the dash of a list item; None where it does not begin with a dash in a line of its own."""
        dash = re.compile(r"( *)-[ ]+$").search(self._text, self._text.rfind("\n", 0, span.start) + 1, span.start)
        return dash[1] if dash is not None else None

    def put(self, span: Span, text: str) -> str:
        """Replace a scalar or an alias. Returns why that is not possible, or an empty text."""
        if span.marked:
            return "what stands here has an anchor or a tag; change it by hand"
        if span.kind not in ("scalar", "alias"):
            return "what stands here is no single value; change it by hand"
        self._pieces.append((span.start, span.end, text))
        return ""

    def insert(self, mapping: Span, pairs: Pairs) -> str:
        """Insert pairs at the end of a mapping. Returns why that is not possible, or an empty text."""
        if not mapping.flow:
            self.insert_lines(mapping, in_lines(pairs, mapping.indent))
        elif self._text[mapping.end - 1] != "}":
            return "this mapping has no braces; write them, so that something can be added to it"
        elif mapping.parts:
            at = mapping.parts[-1].end
            self._pieces.append((at, at, f", {in_braces(pairs)}"))
        else:
            at = self._text.index("{", mapping.start) + 1
            blank = "" if self._text[at] in "} \t\r\n" else " "
            self._pieces.append((at, at, in_braces(pairs) + blank))
        return ""

    def insert_lines(self, node: Span, lines: Sequence[str]) -> None:
        """Insert lines after a block mapping, and after the comments that belong to it by their indentation."""
        if BREAK.match(self._text, node.end - 1):  # a block of text is last, and ends where the next line begins
            new = "".join(f"{line}{self._usual_break}" for line in lines)
            self._pieces.append((node.end, node.end, new))
            return
        after = BREAK.search(self._text, node.end)  # only a comment can stand before it
        at, line_break = (len(self._text), self._usual_break) if after is None else (after.start(), after[0])
        while (comment := _COMMENT.match(self._text, at)) and len(comment[1]) > node.indent:
            at = comment.end()
        self._pieces.append((at, at, "".join(f"{line_break}{line}" for line in lines)))

    def result(self) -> bytes:
        """The text with all replacements, as a file."""
        parts, at = [], 0
        for start, end, new in sorted(self._pieces):
            parts += [self._text[at:start], new]
            at = end
        return BOM * self._has_mark + "".join([*parts, self._text[at:]]).encode()


class _Edit:
    """One edit of one file: what to replace, the problems, and what the cases are to say afterwards.

    `names` are the ids of the cases to be changed, `lacking` the problems that the file has before the edit.
    """

    def __init__(
        self, data: bytes, file: str, names: Collection[str], before: Suite, lacking: Sequence[Problem] = ()
    ) -> None:
        self._data = data
        self._file = file
        self._before = before
        self._lacking = lacking
        self._cases = {case.id: case for case in before.cases}
        self._wanted = dict(self._cases)
        self._spans = spans_of_cases(data, {position_of(case) for name, case in self._cases.items() if name in names})
        self._texts = Replacements(data)
        self._changes: list[Change] = []
        self._problems: list[Problem] = []

    def judge(self, name: str, grades: Grades, titles: Mapping[str, str], *, overwrite: bool) -> None:
        """Add the judgments of documents to a case."""
        span = self._find(name)
        if span is None:
            return
        case, present = self._cases[name], span.get(_JUDGMENTS)
        if present is not None and not present.is_blank and present.kind != "mapping":
            where = "in files" if present.kind == "list" else f"in the file {quoted(present.value)}"
            where = f"behind the alias *{present.value}" if present.kind == "alias" else where
            message = f"the judgments stand {where}; change them there, or write them out in the case"
            self._refuse(case, present, message)
            return
        added = {}
        for document, grade in grades.items():
            known = case.judgments.get(document)
            own = present.get(document) if present is not None else None
            if known is not None and known != grade and not overwrite:
                message = f"document {quoted(document)} is judged {known:g} already, and not {grade:g}"
                advice = "keep one of them, or overwrite the one that stands here"
                self._refuse(case, own or span, f"{message}; {advice}", Conflict)
            elif known != grade and own is not None:
                self._replace_grade(case, document, own, grade)
            elif known != grade:
                added[document] = write_judgment([grade], titles.get(document))
        if added:
            self._insert_judgments(case, span, present, added)
        new_titles = {document: titles[document] for document in added if titles.get(document)}
        judgments = {**case.judgments, **grades}
        self._wanted[name] = replace(case, judgments=judgments, titles={**case.titles, **new_titles})

    def set_floor(self, name: str, floor: float | None) -> None:
        """Write the floor of a case."""
        span = self._find(name)
        if span is None:
            return
        case, own = self._cases[name], span.get(_FLOOR)
        present = case.terms.min_ndcg if own is None else scalar_value(own.value) if own.kind == "scalar" else ""
        if present == floor:
            return
        text = "null" if floor is None else write_number(floor)
        wrong = self._texts.insert(span, {_FLOOR: text}) if own is None else self._texts.put(own, text)
        old = None if own is None else self._texts.text_of(own)
        self._note(case, own or span, wrong, [Change(name, _FLOOR, None, old, text)])
        self._wanted[name] = replace(case, min_ndcg=floor)

    def result(self) -> Edited:
        """The file after the edit.

        Raises:
            CaseFileError: where there are problems, or the file would say anything else than what was asked for.
        """
        if self._problems or (self._lacking and not self._changes):
            raise CaseFileError(self._file, self._problems or self._lacking)
        if not self._changes:
            return Edited(self._data)
        data = self._texts.result()
        self._check(read_edited(data, self._file, self._lacking))
        return Edited(data, tuple(self._changes))

    def _find(self, name: str) -> Span | None:
        """The text of a case; reports one that is not written out in the file."""
        case = self._cases.get(name)
        if case is None:
            message = f"there is no case {quoted(name)} in the file{did_you_mean(name, self._cases)}"
            self._problems.append(Problem(1, 1, message))
            return None
        span = self._spans.get(position_of(case)) if case.source is None else None
        if span is not None and span.kind == "mapping":
            return span
        origin = "an alias" if case.source is None else case.source
        self._refuse(case, None, f"the case comes from {origin}; write it out under cases, to change it here")
        return None

    def _refuse(self, case: Case, span: Span | None, message: str, kind: type[Problem] = Problem) -> None:
        position, file = (position_of(case), case.source) if span is None else (span.position, None)
        self._problems.append(kind(*position, message, quoted(case.id, 60), file))

    def _note(self, case: Case, span: Span, wrong: str, changes: Sequence[Change]) -> None:
        """Note changes, or `wrong`: why what stands in `span` cannot be changed."""
        if wrong:
            self._refuse(case, span, wrong)
        else:
            self._changes += changes

    def _replace_grade(self, case: Case, document: str, own: Span, grade: float) -> None:
        span = own.get("grade") if own.kind == "mapping" else own
        if span is None or span.kind == "list":
            self._refuse(case, own, f"document {quoted(document)} has several ratings; change them by hand")
            return
        text = write_number(grade)
        change = Change(case.id, _JUDGMENTS, document, self._texts.text_of(span), text)
        self._note(case, span, self._texts.put(span, text), [change])

    def _insert_judgments(self, case: Case, span: Span, present: Span | None, added: Mapping[str, str]) -> None:
        """Insert judgments, the text of each by its document, where there are some, a blank key, or nothing."""
        wrong, at = "", present or span
        if present is None:
            wrong = self._texts.insert(span, {_JUDGMENTS: added})
        elif not present.is_blank:
            wrong = self._texts.insert(present, added)
        elif span.flow:
            after_colon = self._texts.text_of(replace(present, start=present.start - 1, end=present.start)) == ":"
            wrong = self._texts.put(present, f"{' ' * after_colon}{{{in_braces(added)}}}")
        else:
            wrong = self._texts.put(present, "") if present.value or present.marked else ""
            self._texts.insert_lines(replace(span, end=present.end), in_lines(added, span.indent + _STEP))
        changes = [Change(case.id, _JUDGMENTS, document, None, text) for document, text in added.items()]
        self._note(case, at, wrong, changes)

    def _check(self, after: Suite) -> None:
        """Check that the suite says after the edit what is wanted, and nothing else."""
        found = {case.id: case for case in after.cases}
        asked = {change.case: change.key for change in self._changes}
        problems = [
            Problem(*position_of(case), _NOT_ALONE if name in asked else _UNASKED, quoted(name, 60), case.source)
            for name, case in self._wanted.items()
            if name not in found or not is_same(found[name], case, any_floor=asked.get(name) == _JUDGMENTS)
        ]
        same_suite = list(found) == list(self._wanted) and _unsettled(after.terms) == _unsettled(self._before.terms)
        if not problems and not same_suite:
            problems = [Problem(1, 1, "what holds for the whole suite would change with it; change the file by hand")]
        if problems:
            raise CaseFileError(self._before.path, problems)


_UNASKED = (
    "this case would change too, as what is changed stands behind an anchor or a merge key that it uses; write it out "
    "here first"
)
_NOT_ALONE = (
    "the case would not say what was asked for, as a part of it comes from a merge key or an alias; write that out in "
    "it first"
)


def read_edited(data: bytes, file: str, before: Sequence[Problem] = ()) -> Suite:
    """Read a case file after an edit; `before` are the problems that it had.

    Raises:
        CaseFileError: with the problems that it had at their old positions, and others as those of the edit.
    """
    try:
        return parse_suite(data, file)
    except CaseFileError as error:
        old = {(problem.case, problem.message): problem for problem in reversed(before)}
        problems = [
            old.get((problem.case, problem.message)) or replace(problem, message=f"after the change: {problem.message}")
            for problem in error.problems
        ]
        raise CaseFileError(file, problems) from None


def is_same(found: Case, wanted: Case, *, any_floor: bool = False) -> bool:
    """Whether two cases say the same, wherever they stand; with `any_floor`, whatever their floors."""
    floor = wanted.min_ndcg if any_floor else found.min_ndcg
    terms = _unsettled(found.terms)
    same = replace(found, line=wanted.line, column=wanted.column, terms=terms, min_ndcg=floor)
    return same == replace(wanted, terms=_unsettled(wanted.terms))


def _unsettled(terms: Terms) -> Terms:
    """The terms without the range of grades, which all judgments of the file decide."""
    return replace(terms, settings=replace(terms.settings, max_grade=None), lowest=0.0, highest=0.0)


def position_of(case: Case) -> Position:
    """Where a case begins in its file."""
    return case.line, case.column
