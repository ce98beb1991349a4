"""The keys that hold grades, `scale` and `judgments`: what they may hold.

Names and lists of ratings become grades here. Most judgments are plain whole numbers by the thousand: those are checked
by their few distinct grades, not one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_relevance._text import did_you_mean, found, listed, printable, quoted
from pytest_relevance.cases.files import FILE, NamedFile, check_files, is_file
from pytest_relevance.cases.problems import Problem, Refused, RefusedSeveral
from pytest_relevance.cases.scalars import is_number, number, number_advice
from pytest_relevance.judgments.raters import aggregate
from pytest_relevance.judgments.scale import Scale

if TYPE_CHECKING:
    from pytest_relevance.judgments.model import Judgments

_NUMBERS = frozenset({int, float})
_LONG_FORM = ("grade", "title", "note")
_NO_GRADE = frozenset({"", "null", "~"})


@dataclass(frozen=True, slots=True)
class Origin:
    """A judgment in a file: whose judgments they are, and under which key it stands there."""

    judgments: Judgments
    query: str
    document: str

    @property
    def grade(self) -> float:
        """The grade."""
        return self.judgments[self.query][self.document]

    @property
    def ratings(self) -> Sequence[float]:
        """The ratings that it is made of; the grade alone where there are no raters."""
        given = self.judgments.ratings.get(self.query, {}).get(self.document)
        return [*given.values()] if given else [self.grade]

    @property
    def where(self) -> str:
        """`file:line`; finding it takes a search."""
        problem = self.problem("", None)
        return f"{self.judgments.file}:{problem.line}" if problem.line else self.judgments.file

    def problem(self, message: str, case: str | None) -> Problem:
        """What is wrong with it, in its place."""
        place = self.judgments.place(self.query, self.document)
        path = f"{place.path}: " if place.path else ""
        what = f"{path}query {quoted(self.query)}, document {quoted(self.document)}: {message}"
        return Problem(place.line or 0, 0, what, case, self.judgments.file)


@dataclass(frozen=True, slots=True)
class Graded:
    """The checked judgments of a case: grade, title and note by document, and the distinct grades.

    `found` are the judgments of files among them, with their keys there; what is `written` in the case counts before.
    """

    grades: Mapping[str, float] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    distinct: frozenset[float] = frozenset()
    found: Sequence[tuple[Judgments, str]] = ()
    written: Collection[str] = ()

    def origin(self, document: str) -> Origin | None:
        """Where a judgment of a file stands; None for one that is written in the case."""
        if document in self.written:
            return None
        of_files = (Origin(judgments, key, document) for judgments, key in self.found if document in judgments[key])
        return next(of_files, None)


NO_JUDGMENTS = Graded()


def check_scale(value: object, terms: Mapping[str, object]) -> Scale:
    """A scale: names with their grades, or the lowest and the highest grade."""
    if isinstance(value, (list, tuple)):
        if len(value) != 2 or not all(map(is_number, value)) or value[0] >= value[1]:
            raise Refused(f"a scale is [lowest, highest], two numbers in that order, found {found(value)}")
        return Scale(value[0], value[1])
    if not isinstance(value, Mapping):
        raise Refused(
            "expected [lowest, highest], such as [0, 3], or names with their grades, such as {good: 1, bad: 0}, "
            f"found {found(value)}"
        )
    names: dict[str, float] = {}
    refusals = []
    for name, grade in value.items():
        if not isinstance(name, str) or not name or number(name) is not None:
            refusals.append(Refused(f"{quoted(str(name))} cannot name a grade; use a word", (str(name),), at_key=True))
        elif not is_number(grade):
            what = f"the grade of {quoted(name)} is a number"
            refusals.append(Refused(f"{what}, found {found(grade)}{number_advice(grade)}", (name,)))
        else:
            names[name] = grade
    if refusals:
        raise RefusedSeveral(refusals)
    if len(set(names.values())) < 2:
        raise Refused(f"a scale has at least two different grades, found {found(value)}")
    return Scale(min(names.values()), max(names.values()), names)


def check_judgments(value: object, terms: Mapping[str, object]) -> Graded | tuple[NamedFile, ...]:
    """Judgments of a case, or `RefusedSeveral` with a path to each that cannot be a grade; or the files they are in.

    A mapping is documents and their grades, unless it has the key `file`, and as its value a text that names no grade
    of the scale: then it is a file.
    """
    scale = terms.get("scale")
    assert scale is None or isinstance(scale, Scale)
    if not isinstance(value, Mapping):
        if isinstance(value, (list, tuple)) or (isinstance(value, str) and value):
            return check_files(value, terms)
        raise Refused(
            f"expected document: grade pairs or a judgment file, found {found(value)}; write {{}} where there are none"
        )
    if FILE in value and is_file(value, scale):
        return check_files(value, terms)
    if set(map(type, value.values())) <= _NUMBERS and "" not in value:
        distinct = frozenset(value.values())
        if all(_complaint(grade, scale) is None for grade in distinct):
            return Graded(value, distinct=distinct)
    return _each(value, scale, str(terms.get("raters", "median")))


def _each(value: Mapping[object, object], scale: Scale | None, raters: str) -> Graded:
    grades: dict[str, float] = {}
    titles: dict[str, str] = {}
    notes: dict[str, str] = {}
    refusals: list[Refused] = []
    for document, written in value.items():
        if not isinstance(document, str) or not document:
            refusals.append(Refused(f"a document id is text, found {found(document)}", (str(document),), at_key=True))
            continue
        try:
            if isinstance(written, Mapping):
                grades[document] = _long_form(written, scale, raters)
                for key, texts in (("title", titles), ("note", notes)):
                    if key in written:
                        texts[document] = written[key]
            else:
                grades[document] = _grade(written, scale, raters)
        except (Refused, RefusedSeveral) as error:
            refused_here = error.all()
            if isinstance(written, str) and written in _NO_GRADE and ":" in document.strip(":"):
                name, _, grade = document.rpartition(":")
                cure = f"put a space after the colon: {printable(f'{name}: {grade}')}"
                refused_here = [Refused(f"the document has no grade; {cure}")]
            refusals += [refused.under(document) for refused in refused_here]
    if refusals:
        raise RefusedSeveral(refusals)
    return Graded(grades, titles, notes, frozenset(grades.values()))


def _long_form(written: Mapping[str, object], scale: Scale | None, raters: str) -> float:
    """The grade in `{grade: ..., title: ..., note: ...}`."""
    refusals = []
    for key, value in written.items():
        if key not in _LONG_FORM:
            close = did_you_mean(str(key), _LONG_FORM)
            what = f"unknown key {quoted(str(key))}; a judgment has {listed(_LONG_FORM, 'and')}{close}"
            refusals.append(Refused(what, (str(key),), at_key=True))
        elif key != "grade" and not isinstance(value, str):
            refusals.append(Refused(f"expected text, found {found(value)}", (key,)))
    grade = 0.0
    try:
        if "grade" not in written:
            raise Refused("the judgment has no grade; write {grade: ...}")
        grade = _grade(written["grade"], scale, raters)
    except (Refused, RefusedSeveral) as error:
        refusals += [refused.under("grade") if "grade" in written else refused for refused in error.all()]
    if refusals:
        raise RefusedSeveral(refusals)
    return grade


def _grade(written: object, scale: Scale | None, raters: str) -> float:
    if not isinstance(written, Sequence) or isinstance(written, str):
        return _one(written, scale)
    if not written:
        raise Refused("the list of ratings is empty; leave the document out if nobody rated it")
    ratings, refusals = [], []
    for index, rating in enumerate(written):
        try:
            ratings.append(_one(rating, scale))
        except Refused as refused:
            refusals.append(refused.under(index))
    if refusals:
        raise RefusedSeveral(refusals)
    return aggregate(ratings, raters)


def _one(written: object, scale: Scale | None) -> float:
    if isinstance(written, str):
        names = scale.names if scale is not None else {}
        if written in names:
            return names[written]
        raise Refused(_unknown_name(written, scale))
    complaint = _complaint(written, scale)
    if complaint is not None:
        raise Refused(complaint)
    return written  # type: ignore[return-value]


def _unknown_name(written: str, scale: Scale | None) -> str:
    if written in _NO_GRADE:
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


def _complaint(grade: object, scale: Scale | None) -> str | None:
    """What is wrong with a number as a grade, or None."""
    if not is_number(grade):
        return f"a grade is a finite number or a name of the scale, found {found(grade)}"
    if scale is not None and not scale.lowest <= grade <= scale.highest:
        return f"grade {grade:g} is off the scale, which is {scale.describe()}"
    return None
