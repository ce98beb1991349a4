"""The checks of simple values: texts, numbers, names, params, documents.

A check takes a plain Python value and its `Location`. So a case file and a case that is
written in Python (`relevance.check`) have the same checks. A check returns the value
for the `Case` or its `Terms`. If the value is wrong, the check reports a mistake and
returns `WRONG`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from pytest_relevance._ids import decoding_advice, id_field_of
from pytest_relevance._text import did_you_mean, found, listed, printable, quoted, shown
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import Xfail
from pytest_relevance.cases.names import wrong_fixture, wrong_id, wrong_tag
from pytest_relevance.cases.scalars import is_number, scalar_value
from pytest_relevance.judgments.scale import Scale
from pytest_relevance.metrics.settings import GAINS

Check = Callable[[object, Location], object]

LARGEST_WHOLE = 1_000_000
"""The deepest rank and the largest number of results that a case may ask for."""

NOT_PARAMETERS = {
    "k": "the plugin gives k to search() if it has a parameter k; write k beside params",
    "query": "the query is the first argument of search() already",
}
"""Names that `params` may not have, and why."""

NO_REASONS = (
    "",
    "~",
    "0",
    "1",
    "true",
    "false",
    "yes",
    "no",
    "y",
    "n",
    "on",
    "off",
    "null",
    "none",
)
"""Texts, in any case, that are meant to switch `skip` or `xfail` on or off."""

_SEPARATORS_OF_IDS = frozenset(";|,")


# Texts


def check_text(value: object, at: Location) -> str | Wrong:
    """Return a text, or report a mistake."""
    if isinstance(value, str):
        return value
    advice = ""
    if isinstance(value, (list, Mapping)):
        advice = "; put a text with brackets or braces in quotes"
    return at.refuse(f"expected text, found {found(value)}{advice}")


def check_query(value: object, at: Location) -> str | Wrong:
    """Return the text of a query, or report a mistake."""
    text = check_text(value, at)
    if text is WRONG:
        return WRONG
    if not text.strip():
        return at.refuse("the query is empty; write what a user would type")
    if has_half_character(text):
        return at.refuse(
            "the query has half a character (a lone surrogate); write the whole one"
        )
    return text


def has_half_character(text: str) -> bool:
    """Say whether a text has a lone surrogate.

    No file can hold one, but a case written in Python can.
    """
    return not text.isascii() and re.search("[\ud800-\udfff]", text) is not None


def check_id(value: object, at: Location) -> str | Wrong:
    """Return an id that a node id can have, or report a mistake."""
    return _check_name(value, wrong_id, at)


def check_tag(value: object, at: Location) -> str | Wrong:
    """Return the tag of a gate, or report a mistake."""
    return _check_name(value, wrong_tag, at)


def check_fixture(value: object, at: Location) -> str | Wrong:
    """Return the name of a fixture, or report a mistake."""
    return _check_name(value, wrong_fixture, at)


def _check_name(
    value: object, why_wrong: Callable[[str], str | None], at: Location
) -> str | Wrong:
    """Return a text that is a name, or report a mistake.

    `why_wrong` returns what is wrong with a name; None if nothing is.
    """
    text = check_text(value, at)
    if text is WRONG:
        return WRONG
    message = why_wrong(text)
    return text if message is None else at.refuse(message)


def check_field(value: object, at: Location) -> str | Wrong:
    """Return the name of a field of a result, or report a mistake."""
    text = check_text(value, at)
    if text is WRONG:
        return WRONG
    if not text.strip():
        return at.refuse(
            "expected the name of a field, found nothing; leave the key out for the default"
        )
    return text


def check_id_field(value: object, at: Location) -> str | tuple[str, ...] | Wrong:
    """Return the field, the fields or the template of an id, or report a mistake."""
    if not isinstance(value, (str, list, tuple)):
        advice = ""
        if isinstance(value, Mapping):
            advice = '; put a template in quotes: "{_index}/{_id}"'
        return at.refuse(
            f"expected a field, a list of fields or a template, found {found(value)}{advice}"
        )
    written = value if isinstance(value, str) else tuple(value)
    try:
        return id_field_of(written).written
    except ValueError as error:
        return at.refuse(str(error))


def choice_of(names: Collection[str]) -> Check:
    """Return the check of a value that must be one of several names."""

    def check(value: object, at: Location) -> object:
        return _check_choice(value, names, at)

    return check


def _check_choice(
    value: object, names: Collection[str], at: Location, *, other: str = ""
) -> str | Wrong:
    """Return one of several names, or report a mistake.

    `other`: what may be written instead of a name, in words for the message.
    """
    if isinstance(value, str) and value in names:
        return value
    allowed = [*names, other] if other else list(names)
    close = did_you_mean(value, names) if isinstance(value, str) else ""
    return at.refuse(f"expected {listed(allowed)}, found {found(value)}{close}")


# Numbers, and true or false


def check_whole(value: object, at: Location) -> int | Wrong:
    """Return a whole number from 1, or report a mistake."""
    if isinstance(value, int) and not isinstance(value, bool):
        if 1 <= value <= LARGEST_WHOLE:
            return value
    return at.refuse(
        f"expected a whole number from 1 to {LARGEST_WHOLE:,}, found {found(value)}"
    )


def check_share(value: object, at: Location) -> float | Wrong:
    """Return a number from 0 to 1, or report a mistake."""
    if is_number(value) and 0 <= value <= 1:
        return value
    return at.refuse(f"expected a number from 0 to 1, found {found(value)}")


def check_floor(value: object, at: Location) -> float | Wrong | None:
    """Return a number from 0 to 1, or None for no floor, or report a mistake."""
    if value is None or (is_number(value) and 0 <= value <= 1):
        return value
    return at.refuse(
        "expected a number from 0 to 1, or null to take an inherited floor away, "
        f"found {found(value)}"
    )


def check_weight(value: object, at: Location) -> float | Wrong:
    """Return a number above 0, or report a mistake."""
    if is_number(value) and value > 0:
        return value
    return at.refuse(f"expected a number above 0, found {found(value)}")


def check_flag(value: object, at: Location) -> bool | Wrong:
    """Return true or false, or report a mistake."""
    if isinstance(value, bool):
        return value
    return at.refuse(f"expected true or false, found {found(value)}")


def check_gain(value: object, at: Location) -> str | dict[float, float] | Wrong:
    """Return the name of a formula, or {grade: gain}, or report a mistake.

    Grades may be written by their names on the scale.
    """
    if not isinstance(value, Mapping):
        return _check_choice(value, GAINS, at, other="a mapping grade: gain")
    if not value:
        return at.refuse(
            "the mapping of gains is empty; write grade: gain pairs, or exponential or linear"
        )
    scale = at.values.get("scale")
    names = scale.names if isinstance(scale, Scale) else {}
    gains: dict[float, float] = {}
    is_wrong = False
    for written, gain in value.items():
        key = str(written)
        grade = _grade_named(written, names)
        if not is_number(grade):
            allowed = listed([*map(printable, names), "a number"])
            close = did_you_mean(key, names)
            message = f"{shown(written)} is not a grade; expected {allowed}{close}"
            at.refuse(message, key, at_key=True)
            is_wrong = True
        elif not is_number(gain):
            at.refuse(f"a gain is a number, found {found(gain)}", key)
            is_wrong = True
        elif grade in gains:
            message = f"grade {grade:g} has two gains; keep one of them"
            at.refuse(message, key, at_key=True)
            is_wrong = True
        else:
            gains[grade] = gain
    return WRONG if is_wrong else gains


def _grade_named(written: object, names: Mapping[str, float]) -> object:
    if not isinstance(written, str):
        return written
    if written in names:
        return names[written]
    return scalar_value(written)


# Mappings and lists


def report_unknown_keys(
    written: Mapping[str, object], known: Collection[str], takes: str, at: Location
) -> Wrong | None:
    """Report the keys of a mapping that are not `known`.

    `takes`: words for the message that say which keys are allowed.

    Return `WRONG` if a mistake was reported, else None.
    """
    result = None
    for key in written:
        if key not in known:
            close = did_you_mean(str(key), known)
            message = f"unknown key {quoted(str(key))}; {takes}{close}"
            result = at.refuse(message, str(key), at_key=True)
    return result


def check_params(value: object, at: Location) -> dict[str, object] | Wrong:
    """Return the keyword arguments of the search, or report a mistake.

    Arguments of the suite that `value` does not have are added.
    """
    if not isinstance(value, Mapping):
        return at.refuse(
            f"expected a mapping of keyword arguments for search(), found {found(value)}"
        )
    is_wrong = False
    for name in value:
        if not isinstance(name, str) or not name:
            message = f"the name of a parameter is text, found {found(name)}"
            at.refuse(message, str(name), at_key=True)
            is_wrong = True
        elif name in NOT_PARAMETERS:
            message = f"params may not have {name}: {NOT_PARAMETERS[name]}"
            at.refuse(message, name, at_key=True)
            is_wrong = True
    if is_wrong:
        return WRONG
    inherited = at.values.get("params")
    if isinstance(inherited, Mapping):
        return {**inherited, **value}
    return dict(value)


def check_tags(value: object, at: Location) -> tuple[str, ...] | Wrong:
    """Return a list of tags, or report a mistake.

    A tag that is a marker of pytest or of a plugin is a mistake.
    """
    owned = at.subject.owned_tags

    def why_wrong(tag: object) -> str | None:
        if not isinstance(tag, str) or not tag:
            return f"a tag is text, found {found(tag)}"
        return None if owned is None else wrong_tag(tag, owned)

    return check_names(value, "tags", why_wrong=why_wrong, at=at)


def check_fixtures(value: object, at: Location) -> tuple[str, ...] | Wrong:
    """Return a list of names of fixtures, or report a mistake."""
    return check_names(value, "fixture names", why_wrong=wrong_fixture, at=at)


def check_names(
    value: object, what: str, why_wrong: Callable[[object], str | None], at: Location
) -> tuple[str, ...] | Wrong:
    """Return a list of different names, or report a mistake.

    `what`: words for the names in messages.
    `why_wrong`: returns what is wrong with a name; None if nothing is.
    """
    if not isinstance(value, (list, tuple)):
        advice = ""
        if isinstance(value, str) and value.isidentifier():
            advice = f"; write [{value}]"
        return at.refuse(f"expected a list of {what}, found {found(value)}{advice}")
    is_wrong = False
    for index, name in enumerate(value):
        message = why_wrong(name)
        if message is None and name in value[:index]:
            message = f"{quoted(name)} stands twice; keep one of them"
        if message is not None:
            at.refuse(message, index)
            is_wrong = True
    return WRONG if is_wrong else tuple(value)


def is_filled_text(value: object) -> bool:
    """Say whether a value is a text that is not blank."""
    return isinstance(value, str) and bool(value.strip())


def wrong_column(value: object) -> str | None:
    """Return why a value cannot be the name of a column; None if it can."""
    if is_filled_text(value):
        return None
    advice = ""
    if isinstance(value, (int, float)):
        advice = "; put a name that is a number in quotes"
    return f"expected the name of a column, found {found(value)}{advice}"


# Reasons


def check_xfail(value: object, at: Location) -> Xfail | Wrong:
    """Return the value of `xfail`, or report a mistake.

    `value`: a reason, or {reason: ..., strict: true}.
    """
    if not isinstance(value, Mapping):
        reason = _check_reason("xfail", value, at)
        return WRONG if reason is WRONG else Xfail(reason=reason)
    unknown = report_unknown_keys(
        value, ("reason", "strict"), takes="xfail takes reason and strict", at=at
    )
    strict = value.get("strict")
    if strict is not None:
        strict = check_flag(strict, at.under("strict"))
    reason = _check_reason("xfail", value.get("reason"), at.under("reason"))
    if unknown is WRONG or strict is WRONG or reason is WRONG:
        return WRONG
    return Xfail(reason=reason, strict=strict)


def check_skip(value: object, at: Location) -> str | Wrong:
    """Return the reason for `skip`, or report a mistake."""
    return _check_reason("skip", value, at)


def _check_reason(key: str, value: object, at: Location) -> str | Wrong:
    """Return the reason for a mark, or report a mistake. A number is a reason too."""
    if isinstance(value, str):
        if value.strip().lower().removesuffix(".0") not in NO_REASONS:
            return value
    return at.refuse(
        f"{key} takes the reason as text, found {found(value)}; write why, or take "
        f"{key} out"
    )


# Documents


def wrong_document(value: object) -> str | None:
    """Return why a value cannot be the id of a document; None if it can."""
    if isinstance(value, str) and value:
        return None
    return f"a document id is text, found {found(value)}{decoding_advice(value)}"


def check_documents(value: object, at: Location) -> tuple[str, ...] | Wrong:
    """Return one or several documents, each once, or report a mistake."""
    if isinstance(value, str) and value:
        if _seems_list(value):
            return _refuse_list_in_text(value, at)
        return (value,)
    documents = check_names(value, "documents", why_wrong=wrong_document, at=at)
    if documents is not WRONG and not documents:
        return at.refuse(
            "the list of documents is empty; name one, or take the list out"
        )
    return documents


def _seems_list(text: str) -> bool:
    """Say whether a text is surely a list of ids, for example `sku-1, sku-2`.

    Numbers between commas may be one number, for example 1,5.
    """
    parts = _parts_of(text)
    return bool(parts) and not all(map(str.isdecimal, parts))


def _parts_of(text: str) -> Sequence[str]:
    """Return the ids in a text that is surely a list of ids; empty for any other."""
    if _SEPARATORS_OF_IDS.isdisjoint(text):
        return ()
    # Imported only for the few ids with such a character.
    from pytest_relevance.judgments.id_lists import find_lists

    return find_lists([text]).sure.get(text, ())


def _refuse_list_in_text(text: str, at: Location) -> Wrong:
    items = ", ".join(quoted(part, 40) for part in _parts_of(text))
    return at.refuse(
        f"{quoted(text)} seems to be a list of documents; write [{items}]. If it is one id, "
        f"write it in a list: [{quoted(text)}]"
    )
