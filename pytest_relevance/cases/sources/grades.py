"""The checks of `scale` and `judgments`, and what they make of them: the grades of a case.

Names of grades and lists of ratings become grades here. Most judgments are plain whole numbers by the thousand: those
are checked by their few distinct grades, not one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import did_you_mean, found, listed, printable, quoted
from pytest_relevance.cases.checks import unknown_keys
from pytest_relevance.cases.problems import Location, Path, Problem
from pytest_relevance.cases.sources.files import check_files, is_file
from pytest_relevance.cases.yaml.scalars import is_number, number, number_advice
from pytest_relevance.judgments.grading import Scale
from pytest_relevance.judgments.raters import aggregate

if TYPE_CHECKING:
    from pytest_relevance.judgments.model import Judgments

_NUMBERS = frozenset({int, float})
_LONG_FORM = ("grade", "title", "note")
_LONG_FORM_HAS = f"a judgment has {listed(_LONG_FORM, 'and')}"
_BLANK = frozenset({"", "null", "~"})


@dataclass(frozen=True, slots=True)
class Origin:
    """A judgment in a file: the judgments of the file, and the keys under which it stands there."""

    judgments: Judgments
    query: str
    document: str

    @property
    def grade(self) -> float:
        """The grade."""
        return self.judgments[self.query][self.document]

    @property
    def ratings(self) -> Sequence[float]:
        """The ratings that the grade is made of; the grade alone where there are no raters."""
        given = self.judgments.ratings.get(self.query, {}).get(self.document)
        return [*given.values()] if given else [self.grade]

    @property
    def where(self) -> str:
        """`file:line`; finding the line takes a search."""
        line = self.judgments.place(self.query, self.document).line
        return f"{self.judgments.file}:{line}" if line else self.judgments.file

    def problem(self, message: str, case: str | None) -> Problem:
        """Make the problem of a mistake in this judgment, at its position in the file."""
        place = self.judgments.place(self.query, self.document)
        path = f"{place.path}: " if place.path else ""
        what = f"{path}query {quoted(self.query)}, document {quoted(self.document)}: {message}"
        return Problem(place.line or 0, 0, what, case, self.judgments.file)


@dataclass(frozen=True, slots=True)
class Graded:
    """The judgments of a case: grade, title and note by document, and the distinct grades.

    `found` are the judgments of files among them, as (judgments, key of the query). A document among the `written` ones
    is judged in the case itself.
    """

    grades: Mapping[str, float] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    distinct: frozenset[float] = frozenset()
    found: Sequence[tuple[Judgments, str]] = ()
    written: Collection[str] = ()

    def origin(self, document: str) -> Origin | None:
        """Where the judgment of a document stands in a file; None for one that is written in the case."""
        if document in self.written:
            return None
        of_files = (Origin(judgments, key, document) for judgments, key in self.found if document in judgments[key])
        return next(of_files, None)


NO_JUDGMENTS = Graded()


def check_scale(value: object, at: Location) -> object:
    """A scale: names with their grades, or the lowest and the highest grade."""
    if isinstance(value, (list, tuple)):
        if len(value) != 2 or not all(map(is_number, value)) or value[0] >= value[1]:
            return at.refuse(f"a scale is [lowest, highest], two numbers in that order, found {found(value)}")
        return Scale(value[0], value[1])
    if not isinstance(value, Mapping):
        allowed = "[lowest, highest], such as [0, 3], or names with their grades, such as {good: 1, bad: 0}"
        return at.refuse(f"expected {allowed}, found {found(value)}")
    names: dict[str, float] = {}
    for name, grade in value.items():
        if not isinstance(name, str) or not name or number(name) is not None:
            at.refuse(f"{quoted(str(name))} cannot name a grade; use a word", str(name), at_key=True)
        elif not is_number(grade):
            what = f"the grade of {quoted(name)} is a number"
            at.refuse(f"{what}, found {found(grade)}{number_advice(grade)}", name)
        else:
            names[name] = grade
    if len(names) < len(value):
        return None
    if len(set(names.values())) < 2:
        return at.refuse(f"a scale has at least two different grades, found {found(value)}")
    return Scale(min(names.values()), max(names.values()), names)


def check_judgments(value: object, at: Location) -> object:
    """The judgments of a case as `Graded`, or the files that they are in, a tuple of `NamedFile`s.

    A mapping is documents and their grades, unless it has the key `file` with a text that names no grade of the scale.
    """
    scale: Scale | None = at.values.get("scale")  # type: ignore[assignment]
    if not isinstance(value, Mapping):
        if isinstance(value, (list, tuple)) or (isinstance(value, str) and value):
            return check_files(value, at)
        return at.refuse(
            f"expected document: grade pairs or a judgment file, found {found(value)}; write {{}} where there are none"
        )
    if is_file(value, scale):
        return check_files(value, at)
    if set(map(type, value.values())) <= _NUMBERS and "" not in value:
        distinct = frozenset(value.values())
        if all(_wrong_number(grade, scale) is None for grade in distinct):
            return Graded(value, distinct=distinct)
    return _each(value, scale, str(at.values.get("raters", "median")), at)


def _each(value: Mapping[Any, object], scale: Scale | None, raters: str, at: Location) -> object:
    """The judgments of a case, checked one by one."""
    names = scale.names if scale is not None else {}
    grades: dict[str, float] = {}
    texts: dict[str, dict[str, str]] = {"title": {}, "note": {}}
    for document, written in value.items():
        if not isinstance(document, str) or not document:
            at.refuse(f"a document id is text, found {found(document)}", str(document), at_key=True)
            continue
        if isinstance(written, str) and written in names:
            grades[document] = names[written]
            continue
        if isinstance(written, str) and written in _BLANK and ":" in document.strip(":"):
            name, _, grade = document.rpartition(":")
            advice = f"put a space after the colon: {printable(f'{name}: {grade}')}"
            at.refuse(f"the document has no grade; {advice}", document)
            continue
        path: Path = (document,)
        if isinstance(written, Mapping):
            unknown_keys(written, _LONG_FORM, _LONG_FORM_HAS, at.under(document))
            for key, of_documents in texts.items():
                if key in written:
                    of_documents[document] = written[key]
                    if not isinstance(written[key], str):
                        at.refuse(f"expected text, found {found(written[key])}", document, key)
            if "grade" not in written:
                at.refuse("the judgment has no grade; write {grade: ...}", document)
                continue
            written, path = written["grade"], (document, "grade")
        graded = _grade(written, scale, raters, at, path)
        if graded is not None:
            grades[document] = graded
    return Graded(grades, texts["title"], texts["note"], frozenset(grades.values()))


def _grade(written: object, scale: Scale | None, raters: str, at: Location, path: Path) -> float | None:
    """A grade, or the grade that a list of ratings makes; None where there are mistakes."""
    if not isinstance(written, Sequence) or isinstance(written, str):
        return _one(written, scale, at, path)
    if not written:
        at.refuse("the list of ratings is empty; leave the document out if nobody rated it", *path)
        return None
    ratings = [_one(rating, scale, at, (*path, index)) for index, rating in enumerate(written)]
    given = [rating for rating in ratings if rating is not None]
    return aggregate(given, raters) if len(given) == len(ratings) else None


def _one(written: object, scale: Scale | None, at: Location, path: Path) -> float | None:
    """A grade from its name or its number."""
    if scale is not None and isinstance(written, str) and written in scale.names:
        return scale.names[written]
    wrong = _wrong_name(written, scale) if isinstance(written, str) else _wrong_number(written, scale)
    if wrong is not None:
        at.refuse(wrong, *path)
        return None
    return written  # type: ignore[return-value]


def _wrong_name(written: str, scale: Scale | None) -> str:
    if written in _BLANK:
        return "the document has no grade; leave it out if nobody judged it"
    if number(written) is not None:
        return f"the grade {quoted(written)} is in quotes, which make it text; write {written}"
    if scale is not None and scale.names:
        close = did_you_mean(written, scale.names)
        return f"the scale has no grade {quoted(written)}; it has {scale.describe()}{close}"
    advice = number_advice(written)
    if scale is None and not advice:
        advice = "; names of grades are given by a scale, such as scale: {good: 1, bad: 0}"
    return f"the grade {quoted(written)} is no number{advice}"


def _wrong_number(grade: object, scale: Scale | None) -> str | None:
    """Say what is wrong with a number as a grade; None for a grade."""
    if not is_number(grade):
        return f"a grade is a finite number or a name of the scale, found {found(grade)}"
    if scale is not None and not scale.lowest <= grade <= scale.highest:
        return f"grade {grade:g} is off the scale, which is {scale.describe()}"
    return None
