"""What the keys of a case file may hold: a check a kind of value.

A check takes plain Python, so that it is the same for a case file and for a case written in Python
(`relevance.check`). It returns the value a `Case` or `Terms` holds, or raises `Refused` with the path to what is wrong.
`terms` are the suite's values and the case's own so far. For judgments see `graded`, for `expect:` `expectations`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from pytest_relevance._text import did_you_mean, found, listed, printable, quoted, shown
from pytest_relevance.cases.model import Xfail
from pytest_relevance.cases.names import check_fixture_name, check_id
from pytest_relevance.cases.problems import Refused, RefusedSeveral
from pytest_relevance.cases.scalars import is_number, number_advice
from pytest_relevance.cases.scalars import value as scalar_value
from pytest_relevance.metrics.settings import GAINS

Check = Callable[[object, Mapping[str, object]], object]

LARGEST_WHOLE = 1_000_000
"""The deepest rank and the largest number of results that may be asked for."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def text(value: object, terms: Mapping[str, object]) -> str:
    """Any text."""
    if not isinstance(value, str):
        cure = "; put a text with brackets or braces in quotes" if isinstance(value, (list, Mapping)) else ""
        raise Refused(f"expected text, found {found(value)}{cure}")
    return value


def name_of_field(value: object, terms: Mapping[str, object]) -> str:
    """The name of a field in a search result."""
    if not text(value, terms).strip():
        raise Refused("expected the name of a field, found nothing; leave the key out for the default")
    return text(value, terms)


def query(value: object, terms: Mapping[str, object]) -> str:
    """A text that is not empty. It travels, and becomes part of files, which half characters cannot."""
    written = text(value, terms)
    if not written.strip():
        raise Refused("the query is empty; write what a user would type")
    if not written.isascii() and _SURROGATE.search(written):  # from a test in Python: no file has one
        raise Refused("the query has half a character (a lone surrogate); write the whole one")
    return written


def written_id(value: object, terms: Mapping[str, object]) -> str:
    """A text that may stand in a node id."""
    return check_id(text(value, terms))


def whole(value: object, terms: Mapping[str, object]) -> int:
    """A whole number from 1, such as a cutoff."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= LARGEST_WHOLE:
        raise Refused(
            f"expected a whole number from 1 to {LARGEST_WHOLE:,}, found {found(value)}{number_advice(value)}"
        )
    return value


def share(value: object, terms: Mapping[str, object]) -> float:
    """A number from 0 to 1."""
    return _number(value, 0, 1, "expected a number from 0 to 1")


def floor(value: object, terms: Mapping[str, object]) -> float | None:
    """A number from 0 to 1, or None."""
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 5 <= value <= 100:  # a percentage
        raise Refused(f"expected a number from 0 to 1, found {found(value)}; write {value / 100:g}")
    return _number(value, 0, 1, "expected a number from 0 to 1, or null to take an inherited floor away")


def weight(value: object, terms: Mapping[str, object]) -> float:
    """A number above 0."""
    return _number(value, 5e-324, float("inf"), "expected a number above 0")


def _number(value: object, lowest: float, highest: float, expected: str) -> float:
    if not is_number(value) or not lowest <= value <= highest:
        raise Refused(f"{expected}, found {found(value)}{number_advice(value)}")
    return value


def choice(allowed: Iterable[str]) -> Check:
    """One of a table's names."""
    names = tuple(allowed)

    def check(value: object, terms: Mapping[str, object]) -> str:
        if not isinstance(value, str) or value not in names:
            raise Refused(f"expected {listed(names)}, found {found(value)}{_close(value, names)}")
        return value

    return check


def gain(value: object, terms: Mapping[str, object]) -> object:
    """The name of a gain, or a mapping of grades (or their names) to gains."""
    if not isinstance(value, Mapping):
        if not isinstance(value, str) or value not in GAINS:
            names = listed([*GAINS, "a mapping grade: gain"])
            raise Refused(f"expected {names}, found {found(value)}{_close(value, GAINS)}")
        return value
    gains: dict[float, float] = {}
    refusals = []
    for written, gained in value.items():
        try:
            grade = _grade_of_gain(written, terms)
            if not is_number(gained):
                raise Refused(f"a gain is a number, found {found(gained)}{number_advice(gained)}", (str(written),))
            if grade in gains:
                raise Refused(f"grade {grade:g} has two gains; keep one of them", (str(written),), at_key=True)
            gains[grade] = gained
        except Refused as refused:
            refusals.append(refused)
    _raise(refusals)
    if not gains:
        raise Refused("the mapping of gains is empty; write grade: gain pairs, or exponential or linear")
    return gains


def _grade_of_gain(written: object, terms: Mapping[str, object]) -> float:
    names: Mapping[str, float] = getattr(terms.get("scale"), "names", {})
    if isinstance(written, str) and written in names:
        return names[written]
    grade = scalar_value(written) if isinstance(written, str) else written
    if not is_number(grade):
        allowed = listed([*map(printable, names), "a number"])
        close = _close(written, names)
        raise Refused(f"{shown(written)} is no grade; expected {allowed}{close}", (str(written),), at_key=True)
    return grade


NOT_PARAMETERS = {
    "k": 'search() is given k by the plugin, when it has a parameter of that name; set "k" beside params',
    "query": "the query is search()'s first argument already",
}


def params(value: object, terms: Mapping[str, object]) -> dict[str, object]:
    """Keyword arguments, on top of the inherited ones."""
    if not isinstance(value, Mapping):
        raise Refused(f"expected a mapping of keyword arguments for search(), found {found(value)}")
    refusals = []
    for name in value:
        if not isinstance(name, str) or not name:
            refusals.append(Refused(f"the name of a parameter is text, found {found(name)}", (str(name),), at_key=True))
        elif name in NOT_PARAMETERS:
            refusals.append(Refused(f"params may not have {name}: {NOT_PARAMETERS[name]}", (name,), at_key=True))
    _raise(refusals)
    inherited = terms.get("params")
    return {**inherited, **value} if isinstance(inherited, Mapping) else dict(value)


def names(check: Callable[[object], str], what: str) -> Check:
    """A list of names, each passing `check`."""

    def checked(value: object, terms: Mapping[str, object]) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)):
            cure = f"; write [{value}]" if isinstance(value, str) and value.isidentifier() else ""
            raise Refused(f"expected a list of {what}, found {found(value)}{cure}")
        refusals, seen = [], dict[str, None]()
        for number, item in enumerate(value):
            try:
                name = check(item)
                if name in seen:
                    raise Refused(f"{quoted(name)} stands twice; keep one of them")
                seen[name] = None
            except Refused as refused:
                refusals.append(refused.under(number))
        _raise(refusals)
        return tuple(seen)

    return checked


def tag(value: object) -> str:
    """A tag, as far as that can be said here: whose name it is may only be asked where pytest is known."""
    if not isinstance(value, str) or not value:
        raise Refused(f"a tag is text, found {found(value)}")
    return value


def search(value: object, terms: Mapping[str, object]) -> str:
    """The name of a fixture."""
    return check_fixture_name(value)


def xfail(value: object, terms: Mapping[str, object]) -> Xfail:
    """A reason, or {reason: ..., strict: true}."""
    if not isinstance(value, Mapping):
        return Xfail(_reason(value, "xfail"))
    refusals = []
    for key in value:
        if key not in ("reason", "strict"):
            close = _close(key, ("reason", "strict"))
            refusals.append(
                Refused(f"unknown key {quoted(str(key))}; xfail takes reason and strict{close}", (key,), at_key=True)
            )
    strict = value.get("strict")
    if strict is not None and not isinstance(strict, bool):
        refusals.append(Refused(f"expected true or false, found {found(strict)}", ("strict",)))
    _raise(refusals)
    try:
        return Xfail(_reason(value.get("reason"), "xfail"), strict if isinstance(strict, bool) else None)
    except Refused as refused:
        raise refused.under("reason") from None


def skip(value: object, terms: Mapping[str, object]) -> str:
    """A reason."""
    return _reason(value, "skip")


NO_REASON = frozenset({"true", "false", "null", "none", "~", "yes", "no", "y", "n", "on", "off", "0", "1"})
"""What stands, in any case, where somebody means to switch `skip` or `xfail` on or off."""

SWITCHES = (0, 1)
"""Numbers that mean the same, however they are written."""


def _reason(value: object, key: str) -> str:
    if not isinstance(value, str) or not value.strip() or _is_switch(value.strip()):
        cure = f"say why, for the one who reads the report, or take {key} out"
        raise Refused(f"{key} takes the reason as text, found {found(value)}; {cure}")
    return value


def _is_switch(written: str) -> bool:
    """Whether a text only says on or off: `false`, `0`, `0.0`. An issue number, `123`, is a reason."""
    if written.lower() in NO_REASON:
        return True
    for number_of in (float, lambda text: int(text, 0)):  # an editor reads 0x0 as a number
        try:
            return number_of(written) in SWITCHES
        except ValueError:
            continue
    return False


def _close(value: object, known: Iterable[str]) -> str:
    return did_you_mean(value, known) if isinstance(value, str) else ""


def _raise(refusals: list[Refused]) -> None:
    if refusals:
        raise RefusedSeveral(refusals)
