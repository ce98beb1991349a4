"""Names of grades: what is wrong with text in the place of a grade, and which of these mistakes have one remedy."""

from __future__ import annotations

from pytest_relevance._text import quoted
from pytest_relevance.cases.problems import Group
from pytest_relevance.cases.yaml.scalars import number, number_advice
from pytest_relevance.judgments.scale import Scale

_BLANK = frozenset({"", "null", "~"})


def is_blank(written: object, scale: Scale | None) -> bool:
    """Whether nothing is written, unless the scale has a grade of that name."""
    return isinstance(written, str) and written in _BLANK and not (scale is not None and written in scale.names)


def wrong_name(written: str, scale: Scale | None) -> str:
    """What is wrong with text that is no grade of the scale."""
    if written in _BLANK:
        return "the document has no grade; leave it out if nobody judged it"
    if number(written) is not None:
        return f"the grade {quoted(written)} is in quotes, which make it text; write {written}"
    if scale is not None and scale.names:
        return scale.no_grade(written)
    advice = number_advice(written)
    if scale is None and not advice:
        advice = "; names of grades are given by a scale, such as scale: {good: 1, bad: 0}"
    return f"the grade {quoted(written)} is no number{advice}"


def group_of_name(name: str, scale: Scale | None, file: str) -> Group:
    """The group of judgments in a file whose grade is this name, which is none: a scale makes grades of all of them."""
    return Group(("name", name)) if scale is None else Group((file, "name", name), "")


def group_of(written: object, scale: Scale | None) -> Group | None:
    """The group of a wrong grade in a case: a name is one where there is no scale."""
    is_name = isinstance(written, str) and written not in _BLANK and number(written) is None
    if scale is None and is_name and not number_advice(written):
        return Group(("name", written))
    return None
