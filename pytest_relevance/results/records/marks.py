"""Read the marks of an item by which pytest may not fail a case: `skip` and `xfail`.

`plugin.note_demands` calls this for each case when all cases are collected, and
`plugin.case_reports` when the case has ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
class _Mark:
    """A mark that may count.

    `condition`: the texts of its conditions; "" if it surely counts.
    """

    reason: str
    condition: str
    values: Mapping[str, Any]


def read_marks(
    marks: Iterable[tuple[str, Sequence[Any], Mapping[str, Any]]], *, is_strict: bool
) -> MarksOfCase:
    """Return what the marks of an item say.

    A mark whose condition is false does not count. A condition that is a text may be
    true, and is kept. Of several marks, those up to the first that surely counts are
    read.

    `marks`: (name, positional arguments, keyword arguments) of each, in the order in
    which pytest looks at them. A name is `skip`, `skipif` or `xfail`.
    `is_strict`: whether pytest takes an `xfail` to be strict that does not say it.
    """
    skips: list[_Mark] = []
    xfails: list[_Mark] = []
    for name, args, values in marks:
        alike = xfails if name == "xfail" else skips
        if alike and not alike[-1].condition:
            continue  # pytest does not look at a mark behind one that counts
        mark = _read_mark(name, args, values)
        if mark is not None:
            alike.append(mark)
    return MarksOfCase(
        skip=skips[0].reason if skips else None,
        xfail=xfails[0].reason if xfails else None,
        is_strict=bool(xfails) and all(_is_strict(mark, is_strict) for mark in xfails),
        limits=_limits(skips, xfails),
    )


def _read_mark(
    name: str, args: Sequence[Any], values: Mapping[str, Any]
) -> _Mark | None:
    """Return a mark; None if its condition is false."""
    if name == "skip":
        reason = values.get("reason") or (args[0] if args else "")
        return _Mark(str(reason), "", values)
    condition = _condition_of(args, values)
    if condition is None:
        return None
    return _Mark(str(values.get("reason") or ""), condition, values)


def _limits(skips: Sequence[_Mark], xfails: Sequence[_Mark]) -> dict[str, Any]:
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


def _is_strict(mark: _Mark, usual: bool) -> bool:
    """Say whether an `xfail` is strict; `usual` if the mark does not say it."""
    strict = mark.values.get("strict")
    return usual if strict is None else bool(strict)


def _condition_of(args: Sequence[Any], values: Mapping[str, Any]) -> str | None:
    """Return the texts of conditions; "" if the mark surely counts, None if not at all.

    `args`, `values`: the arguments of `skipif` or `xfail`.
    """
    conditions = [values["condition"]] if "condition" in values else [*args]
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
