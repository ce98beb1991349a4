"""Read the marks of an item by which pytest may not fail a case: `skip` and `xfail`.

`plugin.note_demands` calls this for each case when all cases are collected, and
`plugin.case_reports` when the case has ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

SKIP_IF, XFAIL_IF = "skip_if", "xfail_if"
XFAIL_RAISES, XFAIL_RUN = "xfail_raises", "xfail_run"
MARK_LIMITS = (SKIP_IF, XFAIL_IF, XFAIL_RAISES, XFAIL_RUN)
"""What marks say beside their reasons.

- `SKIP_IF`, `XFAIL_IF`: the condition, if it is a text.
- `XFAIL_RAISES`: the exceptions that are expected, if not `OF_CASE_FILE`.
- `XFAIL_RUN`: False if the case does not run.
"""

ANY_FAILURE = "any"
"""The exceptions of an `xfail` that names none."""

OF_CASE_FILE = "CaseFailure"
"""The exception of the key `xfail` of a case."""


class Mark(Protocol):
    """A mark of pytest, as `item.iter_markers` yields it."""

    @property
    def name(self) -> str:
        """The name of the mark, for example `xfail`."""

    @property
    def args(self) -> Sequence[Any]:
        """The positional arguments."""

    @property
    def kwargs(self) -> Mapping[str, Any]:
        """The keyword arguments."""


@dataclass(frozen=True, slots=True)
class MarksOfCase:
    """The marks `skip` and `xfail` of an item. They may keep a case from failing.

    `skip`, `xfail`: the reason; None without the mark.
    `limits`: by key of `MARK_LIMITS`, what else the marks say.
    """

    skip: str | None = None
    xfail: str | None = None
    is_strict: bool = False
    limits: Mapping[str, Any] = field(default_factory=dict)


NO_MARKS = MarksOfCase()


@dataclass(frozen=True, slots=True)
class _PossibleMark:
    """A mark that may count.

    `condition`: the texts of its conditions; "" if it surely counts.
    """

    reason: str
    condition: str
    values: Mapping[str, Any]


def read_marks(marks: Iterable[Mark], *, is_strict: bool) -> MarksOfCase:
    """Return what the marks of an item say.

    A mark whose condition is false does not count. A condition that is a text may be
    true, and is kept. Of several marks, those up to the first that surely counts are
    read.

    `marks`: those named `skip`, `skipif` or `xfail`, in the order in which pytest looks
    at them.
    `is_strict`: whether pytest takes an `xfail` to be strict that does not say it.
    """
    skips: list[_PossibleMark] = []
    xfails: list[_PossibleMark] = []
    for mark in marks:
        alike = xfails if mark.name == "xfail" else skips
        if alike and not alike[-1].condition:
            continue  # pytest does not look at a mark behind one that counts
        possible = _read_mark(mark)
        if possible is not None:
            alike.append(possible)
    return MarksOfCase(
        skip=skips[0].reason if skips else None,
        xfail=xfails[0].reason if xfails else None,
        is_strict=bool(xfails) and all(_is_strict(mark, is_strict) for mark in xfails),
        limits=_limits(skips, xfails),
    )


def _read_mark(mark: Mark) -> _PossibleMark | None:
    """Return a mark as one that may count; None if its condition is false."""
    reason = mark.kwargs.get("reason") or ""
    if mark.name == "skip":
        if not reason and mark.args:
            reason = mark.args[0]
        return _PossibleMark(str(reason), "", mark.kwargs)
    condition = _condition_of(mark)
    if condition is None:
        return None
    return _PossibleMark(str(reason), condition, mark.kwargs)


def _limits(
    skips: Sequence[_PossibleMark], xfails: Sequence[_PossibleMark]
) -> dict[str, Any]:
    """Return what the marks say beside their reasons, by key of `MARK_LIMITS`."""
    limits: dict[str, Any] = {}
    for key, alike in ((SKIP_IF, skips), (XFAIL_IF, xfails)):
        if alike and alike[-1].condition:
            limits[key] = "; ".join(mark.condition for mark in alike)
    raised = [_raised_text(mark.values.get("raises")) for mark in xfails]
    if any(text != OF_CASE_FILE for text in raised):
        limits[XFAIL_RAISES] = "; ".join(raised)
    if not all(mark.values.get("run", True) for mark in xfails):
        limits[XFAIL_RUN] = False
    return limits


def _is_strict(mark: _PossibleMark, usual: bool) -> bool:
    """Say whether an `xfail` is strict; `usual` if the mark does not say it."""
    strict = mark.values.get("strict")
    return usual if strict is None else bool(strict)


def _condition_of(mark: Mark) -> str | None:
    """Return the conditions of a mark `skipif` or `xfail` that are texts.

    "" if the mark surely counts, None if it does not count at all.
    """
    conditions = mark.args
    if "condition" in mark.kwargs:
        conditions = [mark.kwargs["condition"]]
    if not conditions:
        return ""
    texts = []
    for one in conditions:
        if isinstance(one, str):
            texts.append(one)
        elif one:
            return ""
    return " or ".join(texts) or None


def _raised_text(raises: Any) -> str:
    """Return the names of the exceptions that a mark expects."""
    if raises is None:
        return ANY_FAILURE
    names = []
    for one in raises if isinstance(raises, tuple) else (raises,):
        text = one.__name__ if isinstance(one, type) else repr(one)
        names.append(re.sub(r" at 0x[0-9a-fA-F]+", "", text))
    return " or ".join(sorted(names))
