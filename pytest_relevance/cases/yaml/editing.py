"""Changing a case file in place: judgments added, a floor raised, every other byte kept.

An edit is pieces of text in the place of others, found by the marks of YAML's parser: comments, order, quotes and line
ends stay what they were. Before anybody gets the result it is read again, and it must say what was asked for and
nothing else; where it does not (what is changed stands behind an anchor that another case uses, say), it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_relevance.cases.comparison import Comparison
from pytest_relevance.cases.model import Case, Suite
from pytest_relevance.cases.pieces import Impossible, Pieces
from pytest_relevance.cases.problems import CaseFileError, Problem
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.cases.scalar_text import number, pair_in_braces, pair_in_lines
from pytest_relevance.cases.scalars import value as scalar_value
from pytest_relevance.cases.spans import BOM, Place, Span, case_spans
from pytest_relevance.cases.writing import judgment
from pytest_relevance.wording import did_you_mean, quoted

Grades = Mapping[str, float]

_STEP = 2
_JUDGMENTS, _FLOOR = "judgments", "min_ndcg"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that an edit changed: of which case, under which of its keys, and the judgment of which document.

    `old` and `new` are what stood and stands there, as text; `old` is None where nothing stood.
    """

    case: str
    key: str
    document: str | None
    old: str | None
    new: str


@dataclass(frozen=True, slots=True)
class Edited:
    """A case file after an edit, and what is different. Without changes `data` is what it was."""

    data: bytes
    changes: tuple[Change, ...] = ()


class Conflict(Problem):
    """A document that is judged already, and otherwise: the one thing that `overwrite` helps against."""

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

    A document that has this grade already stays as it stands. One that has another grade is an error, or with
    `overwrite` has its grade replaced. `CaseFileError` with everything that stands against it, each at its place.
    """
    edit = _Edit(data, file, judgments, may_lack_judgments=True)
    for name, grades in judgments.items():
        edit.judge(name, grades, (titles or {}).get(name, {}), overwrite=overwrite)
    return edit.result()


def set_floor(data: bytes, file: str, floors: Mapping[str, float | None]) -> Edited:
    """Set the `min_ndcg` of cases, {id: floor}; None takes an inherited floor away. A floor that is the same stays."""
    edit = _Edit(data, file, floors)
    for name, floor in floors.items():
        edit.set_floor(name, floor)
    return edit.result()


class _Edit:
    """One edit of one file: the pieces to change, what is wrong, and what the cases shall say afterwards."""

    def __init__(self, data: bytes, file: str, names: Iterable[str], *, may_lack_judgments: bool = False) -> None:
        self._data = data
        self._file = file
        self._lacking: Sequence[Problem] = ()
        if may_lack_judgments:
            self._before, self._lacking = to_be_judged(data, file)
        else:
            self._before = parse_suite(data, file)
        self._cases = {case.id: case for case in self._before.cases}
        self._wanted = dict(self._cases)
        self._spans = case_spans(data, {_place(self._cases[name]) for name in names if name in self._cases})
        self._pieces = Pieces(data.removeprefix(BOM).decode())
        self._changes: list[Change] = []
        self._problems: list[Problem] = []

    def judge(self, name: str, grades: Grades, titles: Mapping[str, str], *, overwrite: bool) -> None:
        """Have a case judge documents."""
        span = self._find(name)
        if span is None:
            return
        case = self._cases[name]
        held = span.get(_JUDGMENTS)
        if held is not None and not _is_blank(held) and held.kind != "mapping":
            where = f"behind the alias *{held.value}" if held.kind == "alias" else _in_file(held)
            self._refuse(case, held, f"the judgments stand {where}; change them there, or write them out in the case")
            return
        added = {}
        for document, grade in grades.items():
            present = case.judgments.get(document)
            own = held.get(document) if held is not None else None
            if present == grade:
                continue
            if present is not None and not overwrite:
                message = f"document {quoted(document)} is judged {present:g} already, and not {grade:g}"
                cure = "keep one of them, or overwrite the one that stands here"
                self._refuse(case, own or span, f"{message}; {cure}", Conflict)
            elif own is not None:
                self._judge_again(case, document, own, grade)
            else:
                added[document] = grade
        if added:
            self._judge_more(case, span, held, added, titles)

    def set_floor(self, name: str, floor: float | None) -> None:
        """Have a case say its own floor."""
        span = self._find(name)
        if span is None:
            return
        case, own = self._cases[name], span.get(_FLOOR)
        text = "null" if floor is None else number(floor)
        try:
            if own is not None:
                if own.kind == "scalar" and scalar_value(own.value) == floor:
                    return
                self._pieces.put(own, text)
            elif floor == case.terms.min_ndcg:
                return
            else:
                written = f"{_FLOOR}: {text}"
                self._pieces.insert(span, [written], lambda indent: [f"{' ' * indent}{written}"])
        except Impossible as impossible:
            self._refuse(case, own or span, str(impossible))
            return
        old = self._pieces.text_of(own) if own is not None else None
        self._changes.append(Change(name, _FLOOR, None, old, text))
        self._wanted[name] = replace(case, min_ndcg=floor)

    def result(self) -> Edited:
        """The file after the edit. `CaseFileError` where that cannot be, or it would say more than was asked for."""
        if self._problems:
            raise CaseFileError(self._file, self._problems)
        if not self._changes:
            if self._lacking:
                raise CaseFileError(self._file, self._lacking)
            return Edited(self._data)
        data = (BOM if self._data.startswith(BOM) else b"") + self._pieces.result().encode()
        try:
            after = parse_suite(data, self._file)
        except CaseFileError as error:
            raise CaseFileError(self._file, map(self._seen_from_before, error.problems)) from None
        self._compare(after)
        return Edited(data, tuple(self._changes))

    def _seen_from_before(self, problem: Problem) -> Problem:
        """What is wrong after the edit: at its place in the file as it is, where it was wrong there."""
        for before in self._lacking:
            if (before.case, before.message) == (problem.case, problem.message):
                return before
        return replace(problem, message=f"after the change: {problem.message}")

    def _find(self, name: str) -> Span | None:
        """The text of a case."""
        case = self._cases.get(name)
        if case is None:
            message = f"there is no case {quoted(name)} in the file{did_you_mean(name, self._cases)}"
            self._problems.append(Problem(1, 1, message))
            return None
        span = self._spans.get(_place(case)) if case.source is None else None
        if span is not None and span.kind == "mapping":
            return span
        whose = "an alias" if case.source is None else case.source
        self._refuse(case, None, f"the case comes from {whose}; write it out under cases, to change it here")
        return None

    def _refuse(self, case: Case, span: Span | None, message: str, kind: type[Problem] = Problem) -> None:
        line, column = _place(case) if span is None else (span.line, span.column)
        file = case.source if span is None else None
        self._problems.append(kind(line, column, message, quoted(case.id, 60), file))

    def _judge_again(self, case: Case, document: str, own: Span, grade: float) -> None:
        """Replace a grade."""
        held = own.get("grade") if own.kind == "mapping" else own
        try:
            if held is None or held.kind == "list":
                raise Impossible(f"document {quoted(document)} has several ratings; change them by hand")
            self._pieces.put(held, number(grade))
        except Impossible as impossible:
            self._refuse(case, own, str(impossible))
            return
        self._changes.append(Change(case.id, _JUDGMENTS, document, self._pieces.text_of(held), number(grade)))
        self._want(case.id, {document: grade}, {})

    def _judge_more(self, case: Case, span: Span, held: Span | None, grades: Grades, titles: Mapping[str, str]) -> None:
        """Insert documents and their grades."""
        written = {document: judgment([grade], titles.get(document)) for document, grade in grades.items()}
        in_braces = [pair_in_braces(document, text) for document, text in written.items()]

        def in_lines(indent: int) -> list[str]:
            return [line for document, text in written.items() for line in pair_in_lines(document, text, indent)]

        def with_key(indent: int) -> list[str]:
            return [f"{' ' * indent}{_JUDGMENTS}:", *in_lines(indent + _STEP)]

        try:
            if held is not None and _is_blank(held):
                self._fill(span, held, in_braces, in_lines)
            elif held is not None:
                self._pieces.insert(held, in_braces, in_lines)
            else:
                self._pieces.insert(span, [f"{_JUDGMENTS}: {{{', '.join(in_braces)}}}"], with_key)
        except Impossible as impossible:
            self._refuse(case, held or span, str(impossible))
            return
        self._changes += [Change(case.id, _JUDGMENTS, document, None, text) for document, text in written.items()]
        self._want(case.id, grades, {document: titles[document] for document in grades if titles.get(document)})

    def _fill(
        self, case: Span, blank: Span, in_braces: Sequence[str], in_lines: Callable[[int], Sequence[str]]
    ) -> None:
        """Insert pairs where a key holds nothing yet."""
        if case.flow:
            after_colon = self._pieces.text_of(replace(blank, start=blank.start - 1, end=blank.start)) == ":"
            self._pieces.put(blank, f"{' ' * after_colon}{{{', '.join(in_braces)}}}")
            return
        if blank.value or blank.marked:
            self._pieces.put(blank, "")
        self._pieces.insert(replace(case, end=blank.end), (), lambda indent: in_lines(indent + _STEP))

    def _want(self, name: str, grades: Grades, titles: Mapping[str, str]) -> None:
        case = self._wanted[name]
        self._wanted[name] = replace(case, judgments={**case.judgments, **grades}, titles={**case.titles, **titles})

    def _compare(self, after: Suite) -> None:
        """Whether the suite says what was asked for and nothing else; `CaseFileError` where it does not."""
        asked = {change.case: change.key for change in self._changes}
        found = {case.id: case for case in after.cases}
        compared = Comparison()
        problems = [
            Problem(*_place(case), _NOT_ALONE if name in asked else _UNASKED, quoted(name, 60), case.source)
            for name, case in self._wanted.items()
            if name not in found or not compared.same(found[name], case, asked.get(name))
        ]
        if not problems and (
            list(found) != list(self._wanted) or not compared.same_terms(after.terms, self._before.terms)
        ):
            problems = [Problem(1, 1, "what holds for the whole suite would change with it; change the file by hand")]
        if problems:
            raise CaseFileError(self._file, problems)


_UNASKED = (
    "this case would change too, as what is changed stands behind an anchor or a merge key that it uses; write it out "
    "here first"
)
_NOT_ALONE = (
    "the case would not say what was asked for, as a part of it comes from a merge key or an alias; write that out in "
    "it first"
)


def to_be_judged(data: bytes, file: str) -> tuple[Suite, Sequence[Problem]]:
    """A case file that is about to get judgments, and what is wrong with it as long as it has not got them.

    `CaseFileError` where something else is wrong with it.
    """
    try:
        return parse_suite(data, file), ()
    except CaseFileError as error:
        return parse_suite(data, file, may_lack_judgments=True), error.problems


def _in_file(held: Span) -> str:
    return f"in the file {quoted(held.value)}" if held.kind == "scalar" else "in files"


def _is_blank(held: Span) -> bool:
    return held.kind == "scalar" and scalar_value(held.value) is None


def _place(case: Case) -> Place:
    return case.line, case.column
