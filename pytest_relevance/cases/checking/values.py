"""What plain text means in a case file, and the checks of simple values: texts, numbers, choices, ids, tags, params ...

The guesses of YAML itself (`no` is false, `1e5` is text, `12:30` is 750 ...) are not used. Quotes always mean text. Of
plain scalars, `true`, `false`, `null` and decimal numbers without leading zeros are converted, where the key asks for a
value at all; ids, queries, tags, names and notes stay text.

A check takes a plain Python value, so that it is the same for a case file and for a case written in Python
(`relevance.check`), and its `Location`. It returns what a `Case` or `Terms` has in that place. Where it reports a
mistake to the location, its return value is not used.

A written id becomes part of the pytest node id unchanged, so what a node id cannot carry is refused. A query that
serves as id is the user's text and stays unchanged everywhere but in the node id, where it is percent-encoded.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import isfinite
from typing import Any, TypeGuard

from pytest_relevance._ids import decoding_advice, id_field_of
from pytest_relevance._text import did_you_mean, found, listed, printable, quoted, shown
from pytest_relevance.cases.model import Xfail
from pytest_relevance.cases.problems import Location
from pytest_relevance.metrics.settings import GAINS

Check = Callable[[object, Location], object]

LARGEST_WHOLE = 1_000_000
"""The deepest rank and the largest number of results that a case may ask for."""

NOT_PARAMETERS = {
    "k": 'search() is given k by the plugin, when it has a parameter of that name; set "k" beside params',
    "query": "the query is search()'s first argument already",
}
"""Names that `params` may not have, and why."""

_NO_REASON = frozenset(
    {
        "",
        "0",
        "1",
        "true",
        "false",
        "null",
        "none",
        "~",
        "yes",
        "no",
        "y",
        "n",
        "on",
        "off",
    }
)
"""Texts, in any case, that are meant to switch `skip` or `xfail` on or off, and are no reasons."""

RESERVED = frozenset({"pytestmark", "pytest_generate_tests"})
"""Names that pytest gives another meaning when a module has them."""
OWNED_TAGS = frozenset(
    {"filterwarnings", "parametrize", "skip", "skipif", "usefixtures", "xfail"}
)
"""Markers that pytest itself owns; the plugin adds those that are registered."""
OF_EXPRESSIONS = frozenset({"and", "or", "not", "None", "True", "False"})
"""Words with a meaning of their own in the expressions of `-m`."""
_TAG = r"[\w.+-]+"
_HARMLESS = re.compile(
    r"[\w .,;!?'\"()&+*/=<>|@#$^~-]*"
)  # nothing to encode; ":" needs a closer look
_ENCODED = frozenset("[]%")
_CONTROL = frozenset({"Cc", "Cs", "Zl", "Zp"})

_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,63})(\.[0-9]{1,64})?")
"""A decimal number without leading zeros; the group is its fraction."""
_CONSTANTS: dict[str, object] = {"true": True, "false": False, "null": None, "": None}


def number(text: str) -> int | float | None:
    """Convert plain text to a number; None where it is no decimal number without leading zeros."""
    match = _DECIMAL.fullmatch(text)
    if match is None:
        return None
    return float(text) if match[1] else int(text)


@lru_cache(maxsize=4096)  # a million grades are a handful of different ones
def grade(text: str) -> int | float | str:
    """Convert the plain text of a grade: a number, else the text itself, so that its name may be `no` or `true`."""
    found = number(text)
    return text if found is None else found


def scalar_value(text: str) -> object:
    """Convert a plain scalar where a value is wanted: true, false, null, a number, else the text itself."""
    return _CONSTANTS[text] if text in _CONSTANTS else grade(text)


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number that a float can hold; true and false are none."""
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and are_finite((value,))
    )


def are_finite(numbers: Iterable[float]) -> bool:
    """Whether numbers are finite, and a float can hold them."""
    try:
        return all(map(isfinite, numbers))
    except OverflowError:
        return False


def is_control(character: str) -> bool:
    """Whether a character controls a terminal or breaks a line rather than being shown."""
    return unicodedata.category(character) in _CONTROL


def wrong_id(text: str) -> str | None:
    """Say why a written id cannot be part of a node id; None where it can."""
    if not text.strip():
        return "the id is empty; leave the key out to have the query as id"
    refused = [part for part in ("::", "[", "]") if part in text]
    if not text.isprintable() and any(map(is_control, text)):
        refused.append("a control character")
    refused += [f"a leading {part}" for part in ("__", ":") if text.startswith(part)]
    if text.endswith(":"):
        refused.append("a trailing :")
    if refused:
        return (
            f"the id {quoted(text)} has {listed(refused, 'and')}, which a pytest node id cannot carry; "
            "choose another id, or leave it out to have the query as id"
        )
    return (
        f"the id {quoted(text)} is reserved by pytest; choose another"
        if text in RESERVED
        else None
    )


@lru_cache(maxsize=16)  # each case asks twice
def node_name(query: str) -> str:
    """Encode a query that serves as id for a node id: what a node id cannot carry is percent-encoded."""
    if (
        _HARMLESS.fullmatch(query)
        and not query.startswith("__")
        and query not in RESERVED
    ):
        return query
    encoded = "".join(
        _percent(character)
        if character in _ENCODED or is_control(character)
        else character
        for character in query
    ).replace("::", "%3A%3A")
    if encoded.endswith(
        ":"
    ):  # before "::", which follows in some node ids, it would be read as part of that
        encoded = f"{encoded[:-1]}%3A"
    if encoded.startswith((":", "__")) or encoded in RESERVED:
        encoded = _percent(encoded[0]) + encoded[1:]
    return encoded


def wrong_tag(text: str, owned: frozenset[str]) -> str | None:
    """Say why a tag cannot become a marker; `owned` are the markers of others. None if it can."""
    if not re.fullmatch(_TAG, text):
        return f"the tag {quoted(text)} may have letters, digits and . + - _ only, so that -m can name it"
    if text.startswith("_"):
        return f"the tag {quoted(text)} begins with _, which pytest allows no marker; choose another name"
    if text in owned | OF_EXPRESSIONS:
        return f"the tag {quoted(text)} is a marker or a word that pytest or a plugin already owns; choose another name"
    return None


def wrong_fixture(value: object) -> str | None:
    """Say why a value cannot be the name of a fixture; None where it can."""
    if isinstance(value, str) and value.isidentifier() and not keyword.iskeyword(value):
        return None
    return (
        f"expected the name of a fixture, as it stands in Python, found {found(value)}"
    )


def _percent(character: str) -> str:
    return "".join(
        f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass")
    )


def text_with(wrong: Callable[[str], str | None] = lambda text: None) -> Check:
    """Make the check of a text; `wrong` says what is wrong with one, or None."""

    def check(value: object, at: Location) -> object:
        message = (
            wrong(value)
            if isinstance(value, str)
            else f"expected text, found {found(value)}"
        )
        if message is not None:
            advice = (
                "; put a text with brackets or braces in quotes"
                if isinstance(value, (list, Mapping))
                else ""
            )
            at.refuse(f"{message}{advice}")
        return value

    return check


def _wrong_query(query: str) -> str | None:
    if not query.strip():
        return "the query is empty; write what a user would type"
    if not query.isascii() and re.search(
        "[\ud800-\udfff]", query
    ):  # only in a case written in Python; no file can hold it
        return "the query has half a character (a lone surrogate); write the whole one"
    return None


def _wrong_field(name: str) -> str | None:
    return (
        None
        if name.strip()
        else "expected the name of a field, found nothing; leave the key out for the default"
    )


text = text_with()
query = text_with(_wrong_query)
written_id = text_with(wrong_id)
name_of_field = text_with(_wrong_field)
search = text_with(wrong_fixture)


def id_field(value: object, at: Location) -> object:
    """A path to the field of the id, a list of paths, or a template: text, or a tuple of texts."""
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


def number_where(allowed: Callable[[float], bool], expected: str) -> Check:
    """Make the check of a finite number; `expected` describes in messages what is `allowed`."""

    def check(value: object, at: Location) -> object:
        if not is_number(value) or not allowed(value):
            at.refuse(f"expected {expected}, found {found(value)}")
        return value

    return check


def whole(value: object, at: Location) -> object:
    """A whole number from 1, such as a cutoff."""
    if (
        not isinstance(value, int)
        or isinstance(value, bool)
        or not 1 <= value <= LARGEST_WHOLE
    ):
        at.refuse(
            f"expected a whole number from 1 to {LARGEST_WHOLE:,}, found {found(value)}"
        )
    return value


def flag(value: object, at: Location) -> object:
    """True or false."""
    if not isinstance(value, bool):
        at.refuse(f"expected true or false, found {found(value)}")
    return value


share = number_where(lambda value: 0 <= value <= 1, "a number from 0 to 1")
weight = number_where(lambda value: value > 0, "a number above 0")
_floor = number_where(
    lambda value: 0 <= value <= 1,
    "a number from 0 to 1, or null to take an inherited floor away",
)


def floor(value: object, at: Location) -> object:
    """A number from 0 to 1, or None."""
    return None if value is None else _floor(value, at)


def choice(allowed: Iterable[str], *others: str) -> Check:
    """Make the check of one of several names; `others` are mentioned in messages as allowed too."""
    names = tuple(allowed)

    def check(value: object, at: Location) -> object:
        if not isinstance(value, str) or value not in names:
            close = did_you_mean(value, names) if isinstance(value, str) else ""
            at.refuse(
                f"expected {listed([*names, *others])}, found {found(value)}{close}"
            )
        return value

    return check


_gain_by_name = choice(GAINS, "a mapping grade: gain")


def gain(value: object, at: Location) -> object:
    """The name of a formula, or a mapping of grades (or their names) to gains."""
    if not isinstance(value, Mapping):
        return _gain_by_name(value, at)
    names: Mapping[str, float] = getattr(at.scope.values.get("scale"), "names", {})
    gains: dict[float, object] = {}
    for written, gained in value.items():
        grade = (
            names.get(written, scalar_value(written))
            if isinstance(written, str)
            else written
        )
        if not is_number(grade):
            allowed = listed([*map(printable, names), "a number"])
            close = did_you_mean(str(written), names)
            at.refuse(
                f"{shown(written)} is no grade; expected {allowed}{close}",
                str(written),
                at_key=True,
            )
            continue
        if not is_number(gained):
            at.refuse(f"a gain is a number, found {found(gained)}", str(written))
        elif grade in gains:
            at.refuse(
                f"grade {grade:g} has two gains; keep one of them",
                str(written),
                at_key=True,
            )
        gains[grade] = gained
    if not value:
        at.refuse(
            "the mapping of gains is empty; write grade: gain pairs, or exponential or linear"
        )
    return gains


def params(value: object, at: Location) -> object:
    """Keyword arguments of the search, merged over the inherited ones."""
    if not isinstance(value, Mapping):
        return at.refuse(
            f"expected a mapping of keyword arguments for search(), found {found(value)}"
        )
    for name in value:
        if not isinstance(name, str) or not name:
            at.refuse(
                f"the name of a parameter is text, found {found(name)}",
                str(name),
                at_key=True,
            )
        elif name in NOT_PARAMETERS:
            at.refuse(
                f"params may not have {name}: {NOT_PARAMETERS[name]}", name, at_key=True
            )
    inherited = at.scope.values.get("params")
    return {**inherited, **value} if isinstance(inherited, Mapping) else dict(value)


def tags(value: object, at: Location) -> object:
    """A list of tags; which names others own is only checked where that is known."""
    owned = at.scope.owned_tags

    def wrong(tag: object) -> str | None:
        if not isinstance(tag, str) or not tag:
            return f"a tag is text, found {found(tag)}"
        return wrong_tag(tag, owned) if owned is not None else None

    return names_in(value, "tags", wrong, at)


def fixtures(value: object, at: Location) -> object:
    """A list of names of fixtures."""
    return names_in(value, "fixture names", wrong_fixture, at)


def names_in(
    value: object, what: str, wrong: Callable[[object], str | None], at: Location
) -> Any:
    """A list of different names; `wrong` says what is wrong with one."""
    if not isinstance(value, (list, tuple)):
        advice = (
            f"; write [{value}]"
            if isinstance(value, str) and value.isidentifier()
            else ""
        )
        return at.refuse(f"expected a list of {what}, found {found(value)}{advice}")
    for index, name in enumerate(value):
        message = wrong(name)
        if message is None and name in value[:index]:
            message = f"{quoted(name)} stands twice; keep one of them"
        if message is not None:
            at.refuse(message, index)
    return tuple(value)


def xfail(value: object, at: Location) -> object:
    """A reason, or {reason: ..., strict: true}."""
    if not isinstance(value, Mapping):
        return Xfail(_reason("xfail", value, at))
    unknown_keys(value, ("reason", "strict"), "xfail takes reason and strict", at)
    strict = value.get("strict")
    if strict is not None:
        flag(strict, at.under("strict"))
    return Xfail(_reason("xfail", value.get("reason"), at.under("reason")), strict)


def skip(value: object, at: Location) -> object:
    """A reason."""
    return _reason("skip", value, at)


def _reason(key: str, value: object, at: Location) -> str:
    """The reason for a mark. A text that only says on or off is none; an issue number, `123`, is one."""
    if (
        not isinstance(value, str)
        or value.strip().lower().removesuffix(".0") in _NO_REASON
    ):
        advice = f"say why, for the one who reads the report, or take {key} out"
        at.refuse(f"{key} takes the reason as text, found {found(value)}; {advice}")
    return str(value)


def documents_in(value: object, at: Location) -> tuple[str, ...]:
    """A document, or a list of different ones; empty where it has mistakes."""
    before = at.scope.mistakes
    if isinstance(value, str):
        _refuse_list_in_text(value, at)
    documents = (
        (value,)
        if isinstance(value, str) and value
        else names_in(value, "documents", wrong_document, at)
    )
    if not documents and at.scope.mistakes == before:
        at.refuse("the list of documents is empty; name one, or take it out")
    return documents if at.scope.mistakes == before else ()


_SEPARATORS_OF_IDS = frozenset(";|,")


def _refuse_list_in_text(text: str, at: Location) -> None:
    """Report a text that is surely a list of ids, `sku-1, sku-2`, where a list in YAML may stand.

    Numbers between commas may be one number, such as 1,5.
    """
    if _SEPARATORS_OF_IDS.isdisjoint(text):
        return
    # imported only for the few ids with such a character
    from pytest_relevance.judgments.id_lists import find_lists

    parts = find_lists([text]).sure.get(text)
    if parts is not None and not all(map(str.isdecimal, parts)):
        items = ", ".join(quoted(part, 40) for part in parts)
        at.refuse(
            f"{quoted(text)} seems to be a list of documents; write [{items}]. If it is one id, write it in a list: "
            f"[{quoted(text)}]"
        )


def wrong_document(value: object) -> str | None:
    """Say why a value cannot be the id of a document; None where it can."""
    return (
        None
        if isinstance(value, str) and value
        else f"a document id is text, found {found(value)}{decoding_advice(value)}"
    )


def unknown_keys(
    written: Mapping[str, object], known: Sequence[str], takes: str, at: Location
) -> None:
    """Report the keys of a mapping that are not `known`; `takes` says in messages which there are."""
    for key in written:
        if key not in known:
            at.refuse(
                f"unknown key {quoted(str(key))}; {takes}{did_you_mean(str(key), known)}",
                str(key),
                at_key=True,
            )
