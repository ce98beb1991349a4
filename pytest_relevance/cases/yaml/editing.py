"""Change a case file in place: add judgments, set floors, and keep every other byte.

An edit is a list of texts in the place of others, found by the positions of YAML nodes: comments, order, quotes and
line ends stay as they are. The result is read again, and must say what was asked for and nothing else; otherwise the
edit is refused, for example because what is changed stands behind an anchor that another case uses.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace

from pytest_relevance._text import did_you_mean, quoted
from pytest_relevance.cases.keys import OF_SETTINGS, OF_TERMS
from pytest_relevance.cases.model import Case, Suite, Terms
from pytest_relevance.cases.problems import CaseFileError, Problem
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.cases.yaml.positions import BOM, Position, Span, spans_of_cases
from pytest_relevance.cases.yaml.scalars import Pairs, in_braces, in_lines, write_number
from pytest_relevance.cases.yaml.scalars import value as scalar_value
from pytest_relevance.cases.yaml.writing import write_judgment

Grades = Mapping[str, float]

_STEP = 2
_JUDGMENTS, _FLOOR = "judgments", "min_ndcg"
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_COMMENT = re.compile("(?:\r\n|[\n\r])( *)#[^\r\n\x85\u2028\u2029]*")
"""The next line, where it is a comment; the group is its indentation."""

_FIELDS = frozenset(field.name for field in fields(Case)) - {"line", "column", "terms"}


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


class NotEditable(ValueError):
    """A node that cannot be changed by replacing text; the message says why and what to do."""

    def __init__(self, span: Span, message: str) -> None:
        super().__init__(message)
        self.span = span


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
    edit = _Edit(data, file, judgments, may_lack_judgments=True)
    for name, grades in judgments.items():
        edit.judge(name, grades, (titles or {}).get(name, {}), overwrite=overwrite)
    return edit.result()


def set_floor(data: bytes, file: str, floors: Mapping[str, float | None]) -> Edited:
    """Set the `min_ndcg` of cases, {id: floor}; None takes an inherited floor away. A floor that is the same stays.

    Raises:
        CaseFileError: with everything that prevents the edit, each problem at its position.
    """
    edit = _Edit(data, file, floors)
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
        usual = _BREAK.search(self._text)
        self._usual_break = usual[0] if usual is not None else "\n"

    def text_of(self, span: Span) -> str:
        """The text of a node."""
        return self._text[span.start : span.end]

    def indent_of_item(self, span: Span) -> str | None:
        """The blanks before the dash of a list item; None where it does not begin with a dash in a line of its own."""
        dash = re.compile(r"( *)-[ ]+$").search(self._text, self._text.rfind("\n", 0, span.start) + 1, span.start)
        return dash[1] if dash is not None else None

    def put(self, span: Span, text: str) -> None:
        """Replace a scalar or an alias.

        Raises:
            NotEditable: for anything else.
        """
        if span.marked:
            raise NotEditable(span, "what stands here has an anchor or a tag; change it by hand")
        if span.kind not in ("scalar", "alias"):
            raise NotEditable(span, "what stands here is no single value; change it by hand")
        self._pieces.append((span.start, span.end, text))

    def insert(self, mapping: Span, pairs: Pairs) -> None:
        """Insert pairs at the end of a mapping.

        Raises:
            NotEditable: for a mapping between brackets, without braces of its own.
        """
        if not mapping.flow:
            self.insert_lines(mapping, in_lines(pairs, mapping.indent))
        elif self._text[mapping.end - 1] != "}":
            raise NotEditable(mapping, "this mapping has no braces; write them, so that something can be added to it")
        elif mapping.parts:
            at = mapping.parts[-1].end
            self._pieces.append((at, at, f", {in_braces(pairs)}"))
        else:
            at = self._text.index("{", mapping.start) + 1
            blank = "" if self._text[at] in "} \t\r\n" else " "
            self._pieces.append((at, at, in_braces(pairs) + blank))

    def insert_lines(self, node: Span, lines: Sequence[str]) -> None:
        """Insert lines after a block mapping, and after the comments that belong to it by their indentation."""
        if _BREAK.match(self._text, node.end - 1):  # a block of text is last, and ends where the next line begins
            new = "".join(f"{line}{self._usual_break}" for line in lines)
            self._pieces.append((node.end, node.end, new))
            return
        after = _BREAK.search(self._text, node.end)  # only a comment can stand before it
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
    """One edit of one file: what to replace, the problems, and what the cases are to say afterwards."""

    def __init__(self, data: bytes, file: str, names: Collection[str], *, may_lack_judgments: bool = False) -> None:
        self._data = data
        self._file = file
        self._lacking: Sequence[Problem] = ()
        if may_lack_judgments:
            self._before, self._lacking = read_unjudged(data, file)
        else:
            self._before = parse_suite(data, file)
        self._cases = {case.id: case for case in self._before.cases}
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
        if present is not None and not _is_blank(present) and present.kind != "mapping":
            where = f"behind the alias *{present.value}" if present.kind == "alias" else _in_file(present)
            self._refuse(
                case, present, f"the judgments stand {where}; change them there, or write them out in the case"
            )
            return
        added = {}
        for document, grade in grades.items():
            known = case.judgments.get(document)
            own = present.get(document) if present is not None else None
            if known == grade:
                continue
            if known is not None and not overwrite:
                message = f"document {quoted(document)} is judged {known:g} already, and not {grade:g}"
                advice = "keep one of them, or overwrite the one that stands here"
                self._refuse(case, own or span, f"{message}; {advice}", Conflict)
            elif own is not None:
                with self._refusing(case):
                    self._replace_grade(case, document, own, grade)
            else:
                added[document] = grade
        if added:
            with self._refusing(case):
                self._insert_judgments(case, span, present, added, titles)

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
        with self._refusing(case):
            if own is not None:
                self._texts.put(own, text)
            else:
                self._texts.insert(span, {_FLOOR: text})
            old = self._texts.text_of(own) if own is not None else None
            self._changes.append(Change(name, _FLOOR, None, old, text))
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
        after = read_edited(data, self._file, self._lacking)
        asked = {change.case: change.key for change in self._changes}
        check_edited(self._before, after, self._wanted, asked)
        return Edited(data, tuple(self._changes))

    @contextmanager
    def _refusing(self, case: Case) -> Iterator[None]:
        """Report what cannot be changed in place."""
        try:
            yield
        except NotEditable as error:
            self._refuse(case, error.span, str(error))

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

    def _replace_grade(self, case: Case, document: str, own: Span, grade: float) -> None:
        span = own.get("grade") if own.kind == "mapping" else own
        if span is None or span.kind == "list":
            raise NotEditable(own, f"document {quoted(document)} has several ratings; change them by hand")
        text = write_number(grade)
        self._texts.put(span, text)
        self._changes.append(Change(case.id, _JUDGMENTS, document, self._texts.text_of(span), text))
        self._want(case.id, {document: grade}, {})

    def _insert_judgments(
        self, case: Case, span: Span, present: Span | None, grades: Grades, titles: Mapping[str, str]
    ) -> None:
        written = {document: write_judgment([grade], titles.get(document)) for document, grade in grades.items()}
        if present is None:
            self._texts.insert(span, {_JUDGMENTS: written})
        elif not _is_blank(present):
            self._texts.insert(present, written)
        elif span.flow:
            after_colon = self._texts.text_of(replace(present, start=present.start - 1, end=present.start)) == ":"
            self._texts.put(present, f"{' ' * after_colon}{{{in_braces(written)}}}")
        else:
            if present.value or present.marked:
                self._texts.put(present, "")
            self._texts.insert_lines(replace(span, end=present.end), in_lines(written, span.indent + _STEP))
        self._changes += [Change(case.id, _JUDGMENTS, document, None, text) for document, text in written.items()]
        self._want(case.id, grades, {document: titles[document] for document in grades if titles.get(document)})

    def _want(self, name: str, grades: Grades, titles: Mapping[str, str]) -> None:
        case = self._wanted[name]
        self._wanted[name] = replace(case, judgments={**case.judgments, **grades}, titles={**case.titles, **titles})


def read_edited(data: bytes, file: str, before: Sequence[Problem] = ()) -> Suite:
    """Read a case file after an edit; `before` are the problems that it had.

    Raises:
        CaseFileError: with the problems that it had at their old positions, and others as those of the edit.
    """
    try:
        return parse_suite(data, file)
    except CaseFileError as error:
        old = {(problem.case, problem.message): problem for problem in reversed(before)}
        raise CaseFileError(
            file,
            [
                old.get((problem.case, problem.message))
                or replace(problem, message=f"after the change: {problem.message}")
                for problem in error.problems
            ],
        ) from None


def check_edited(before: Suite, after: Suite, wanted: Mapping[str, Case], asked: Mapping[str, str]) -> None:
    """Check that a suite says after an edit what is wanted, and nothing else.

    `wanted` are the cases by their ids, `asked` the keys that were to change in some of them.

    Raises:
        CaseFileError: with the cases that would change too, or not as asked for.
    """
    found = {case.id: case for case in after.cases}
    problems = [
        Problem(*position_of(case), _NOT_ALONE if name in asked else _UNASKED, quoted(name, 60), case.source)
        for name, case in wanted.items()
        if name not in found or not is_same(found[name], case, asked.get(name))
    ]
    if not problems and (list(found) != list(wanted) or not _same_terms(after.terms, before.terms)):
        problems = [Problem(1, 1, "what holds for the whole suite would change with it; change the file by hand")]
    if problems:
        raise CaseFileError(before.path, problems)


_UNASKED = (
    "this case would change too, as what is changed stands behind an anchor or a merge key that it uses; write it out "
    "here first"
)
_NOT_ALONE = (
    "the case would not say what was asked for, as a part of it comes from a merge key or an alias; write that out in "
    "it first"
)


def is_same(found: Case, wanted: Case, changed: str | None = None) -> bool:
    """Whether two cases say the same, wherever they stand. With its judgments an inherited floor may come and go."""
    compared = _FIELDS - {_FLOOR} if changed == _JUDGMENTS else _FIELDS
    return _same_terms(found.terms, wanted.terms) and all(
        getattr(found, name) == getattr(wanted, name) for name in compared
    )


def _same_terms(found: Terms, wanted: Terms) -> bool:
    """Whether two terms say the same; their range of grades, that of all judgments of the file, may differ."""
    return all(getattr(found, name) == getattr(wanted, name) for name in OF_TERMS) and all(
        getattr(found.settings, name) == getattr(wanted.settings, name) for name in OF_SETTINGS
    )


def position_of(case: Case) -> Position:
    """Where a case begins in its file."""
    return case.line, case.column


def _in_file(present: Span) -> str:
    return f"in the file {quoted(present.value)}" if present.kind == "scalar" else "in files"


def _is_blank(present: Span) -> bool:
    return present.kind == "scalar" and scalar_value(present.value) is None
