"""The parts of a case file that hold grades: `scale` and `judgments`.

Reading keeps a plain number a number and everything else text, so that a grade name such as `no` or `true` stays a
name; checking turns names and lists of ratings into grades. Most judgments are plain whole numbers by the thousand:
those are checked by their few distinct grades, not one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from yaml.events import ScalarEvent

from pytest_relevance.cases.nodes import MappingNode, Node, QuickJudgments, SequenceNode, is_plain
from pytest_relevance.cases.problems import Refused, RefusedSeveral
from pytest_relevance.cases.scalars import number
from pytest_relevance.cases.scalars import value as scalar_value
from pytest_relevance.judgments.raters import aggregate
from pytest_relevance.judgments.scale import Scale
from pytest_relevance.wording import did_you_mean, listed, quoted, shown

_NUMBERS = frozenset({int, float})
_LONG_FORM = ("grade", "title", "note")


@dataclass(frozen=True, slots=True)
class Graded:
    """The checked judgments of a case: grade, title and note by document, and the distinct grades."""

    grades: Mapping[str, float] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    distinct: frozenset[float] = frozenset()


def as_judgments(node: Node) -> object:
    """Judgments as written: document to number, name, list of ratings or long form."""
    if type(node) is QuickJudgments:
        for document in node.unusual:
            node.grades[document] = _as_grade(node.grades[document])  # type: ignore[arg-type]
        return node.grades
    if type(node) is MappingNode:
        return {document: _as_grade(written) for document, (_, written) in node.pairs.items()}
    return [] if type(node) is SequenceNode else node.value  # type: ignore[union-attr]


def _as_grade(node: Node) -> object:
    if type(node) is ScalarEvent:
        found = number(node.value) if is_plain(node) else None
        return node.value if found is None else found
    if type(node) is SequenceNode:
        return [_as_grade(item) for item in node.items]
    assert type(node) is MappingNode
    return {
        name: _as_grade(item) if name == "grade" else item.value if type(item) is ScalarEvent else None
        for name, (_, item) in node.pairs.items()
    }


def check_scale(value: object, terms: Mapping[str, object]) -> Scale:
    """A scale: names with their grades, or the lowest and the highest grade."""
    if isinstance(value, (list, tuple)):
        if len(value) != 2 or not all(map(_is_number, value)) or value[0] >= value[1]:
            raise Refused(f"a scale is [lowest, highest], two numbers in that order, found {shown(list(value))}")
        return Scale(value[0], value[1])
    if not isinstance(value, Mapping) or len(value) < 2:
        raise Refused(
            f"a scale is [0, 3], the lowest and highest grade, or names with their grades, found {shown(value)}"
        )
    names: dict[str, float] = {}
    for name, grade in value.items():
        if not isinstance(name, str) or not name or number(name) is not None:
            raise Refused(f"{shown(name)} cannot name a grade; use a word", (name,), at_key=True)
        if not _is_number(grade):
            raise Refused(f"the grade of {quoted(name)} is a number, found {shown(grade)}", (name,))
        names[name] = grade
    if len(set(names.values())) < 2:
        raise Refused("all names of the scale have the same grade")
    return Scale(min(names.values()), max(names.values()), names)


def check_judgments(value: object, terms: Mapping[str, object]) -> Graded:
    """Judgments of a case, or `Refused` with the path to the first that cannot be a grade."""
    if not isinstance(value, Mapping):
        if isinstance(value, str) and value:
            raise Refused(
                "a judgment file is not supported yet by this version of pytest-relevance; "
                "write the judgments in the case, document: grade"
            )
        raise Refused(
            f"judgments takes document: grade pairs, found {shown(value)}; leave the key out if there are none"
        )
    scale = terms.get("scale")
    assert scale is None or isinstance(scale, Scale)
    if set(map(type, value.values())) <= _NUMBERS and "" not in value:
        distinct = frozenset(value.values())
        if all(_complaint(grade, scale) is None for grade in distinct):
            return Graded(value, distinct=distinct)
    return _each(value, scale, str(terms.get("raters", "median")))


def _each(value: Mapping[str, object], scale: Scale | None, raters: str) -> Graded:
    grades: dict[str, float] = {}
    titles: dict[str, str] = {}
    notes: dict[str, str] = {}
    refusals: list[Refused] = []
    for document, written in value.items():
        try:
            if not isinstance(document, str) or not document:
                raise Refused(f"a document id is text, found {shown(document)}", at_key=True)
            if isinstance(written, Mapping):
                _long_form(written)
                for key, texts in (("title", titles), ("note", notes)):
                    if key in written:
                        texts[document] = written[key]
                try:
                    grades[document] = _grade(written["grade"], scale, raters)
                except Refused as refused:
                    raise refused.under("grade") from None
            else:
                grades[document] = _grade(written, scale, raters)
        except Refused as refused:
            refusals.append(refused.under(document))
    if refusals:
        raise RefusedSeveral(refusals)
    return Graded(grades, titles, notes, frozenset(grades.values()))


def _long_form(written: Mapping[str, object]) -> None:
    for key in written:
        if key not in _LONG_FORM:
            close = did_you_mean(str(key), _LONG_FORM)
            raise Refused(
                f"unknown key {shown(key)}; a judgment has {listed(_LONG_FORM, 'and')}{close}", (key,), at_key=True
            )
        if key != "grade" and not isinstance(written[key], str):
            raise Refused(f"the {key} of a judgment is text, found {shown(written[key])}", (key,))
    if "grade" not in written:
        raise Refused("the judgment has no grade; write {grade: ...}")


def _grade(written: object, scale: Scale | None, raters: str) -> float:
    if isinstance(written, Sequence) and not isinstance(written, str):
        if not written:
            raise Refused("the list of ratings is empty; leave the document out if nobody rated it")
        ratings = []
        for index, rating in enumerate(written):
            try:
                ratings.append(_one(rating, scale))
            except Refused as refused:
                raise refused.under(index) from None
        return aggregate(ratings, raters)
    return _one(written, scale)


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
    if number(written) is not None:
        return f"the grade {quoted(written)} is in quotes, which make it text; write {written}"
    if not written:
        return "the document has no grade; leave it out if nobody judged it"
    if scale is None or not scale.names:
        names = "" if scale is not None else ", or give the names in a scale: {exact: 3, ...}"
        return f"the grade {quoted(written)} is no number{names}"
    return f"the scale has no grade {quoted(written)}; it has {scale.describe()}{did_you_mean(written, scale.names)}"


def _complaint(grade: object, scale: Scale | None) -> str | None:
    """What is wrong with a number as a grade, or None."""
    if not _is_number(grade):
        return f"a grade is a finite number or a name of the scale, found {shown(grade)}"
    if scale is not None and not scale.lowest <= grade <= scale.highest:  # type: ignore[operator]
        return f"grade {grade:g} is off the scale, which is {scale.describe()}"
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def plain_scale(node: Node) -> object:
    """A scale as written: its names are text even where they look like something else."""
    if type(node) is SequenceNode:
        return [_as_grade(item) for item in node.items]
    if type(node) is MappingNode:
        return {name: _as_grade(item) for name, (_, item) in node.pairs.items()}
    assert type(node) is ScalarEvent
    return scalar_value(node.value)
