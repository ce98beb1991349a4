"""Change a case file in place: add judgments, set floors, and keep every other byte.

An edit is a list of texts in the place of others, found by the positions of YAML nodes: comments, order, quotes and
line ends stay as they are. The result is read again, and must say what was asked for and nothing else; otherwise the
edit is refused, for example because what is changed stands behind an anchor that another case uses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_relevance._problems import Problem
from pytest_relevance._text import did_you_mean, quoted
from pytest_relevance.cases.model import Case, Suite, Terms
from pytest_relevance.cases.problems import CaseFileError
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.cases.yaml.scalars import in_braces, in_lines, write_judgment, write_number
from pytest_relevance.cases.yaml.scalars import value as scalar_value
from pytest_relevance.cases.yaml.spans import Position, Replacements, Span, spans_of_cases

Grades = Mapping[str, float]

_STEP = 2
_JUDGMENTS, _FLOOR = "judgments", "min_ndcg"


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
            self._problems.append(Problem(message, 1, 1))
            return None
        span = self._spans.get(position_of(case)) if case.source is None else None
        if span is not None and span.kind == "mapping":
            return span
        origin = "an alias" if case.source is None else case.source
        self._refuse(case, None, f"the case comes from {origin}; write it out under cases, to change it here")
        return None

    def _refuse(self, case: Case, span: Span | None, message: str, kind: type[Problem] = Problem) -> None:
        position, file = (position_of(case), case.source) if span is None else (span.position, None)
        self._problems.append(kind(message, *position, quoted(case.id, 60), file))

    def _note(self, case: Case, span: Span, wrong: str, changes: Sequence[Change]) -> None:
        """Note changes, or `wrong`: why the text of `span` cannot be changed."""
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
            Problem(_NOT_ALONE if name in asked else _UNASKED, *position_of(case), quoted(name, 60), case.source)
            for name, case in self._wanted.items()
            if name not in found or not is_same(found[name], case, any_floor=asked.get(name) == _JUDGMENTS)
        ]
        terms, old_terms = _without_grade_range(after.terms), _without_grade_range(self._before.terms)
        same_suite = list(found) == list(self._wanted) and terms == old_terms
        if not problems and not same_suite:
            problems = [Problem("what holds for the whole suite would change with it; change the file by hand", 1, 1)]
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
            old.get((problem.case, problem.message)) or problem._replace(message=f"after the change: {problem.message}")
            for problem in error.problems
        ]
        raise CaseFileError(file, problems) from None


def is_same(found: Case, wanted: Case, *, any_floor: bool = False) -> bool:
    """Whether two cases say the same, wherever they stand; with `any_floor`, whatever their floors."""
    floor = wanted.min_ndcg if any_floor else found.min_ndcg
    terms = _without_grade_range(found.terms)
    same = replace(found, line=wanted.line, column=wanted.column, terms=terms, min_ndcg=floor)
    return same == replace(wanted, terms=_without_grade_range(wanted.terms))


def _without_grade_range(terms: Terms) -> Terms:
    """Terms without the range of grades: it comes from all judgments of the file, and may change with any edit."""
    return replace(terms, settings=replace(terms.settings, max_grade=None), lowest=0.0, highest=0.0)


def position_of(case: Case) -> Position:
    """Where a case begins in its file."""
    return case.line, case.column
