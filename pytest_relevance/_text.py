"""Make texts for messages: suggestions, lists of names, counts, quoted and cut values.

Every subpackage may import this module. It imports none of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache

LONGEST_SHOWN = 80

WIDEST = 100
"""The default width of a report in text, in terminal columns."""

MOST_SHOWN = 5
"""How many cases of a kind, and tags, the report of a comparison shows by default."""

_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_JOINERS = frozenset({"\u200c", "\u200d"})
"""Invisible characters that Indic scripts, Persian and emoji need."""

_KEY = r"[\w$@()=,+-]{1,40}"
"""A key that stands in a path without quotes."""


def message_of(error: BaseException) -> str:
    """Return the message of an exception.

    If its own `__str__` fails, the text names the exception that `__str__` raised.
    KeyboardInterrupt is raised.
    """
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as broken:  # also of pytest.fail: it would end a thread whose answer the run waits for
        return f"its text raises {type(broken).__name__}"


def did_you_mean(found: str, known: Iterable[str]) -> str:
    """Return `; did you mean "x"?` with the known name closest to `found`.

    Empty if no known name is close.
    """
    close = closest(found, tuple(known))
    return f"; did you mean {quoted(close)}?" if close is not None else ""


@lru_cache(maxsize=1024)  # one mistake is often made in many places
def closest(found: str, known: tuple[str, ...], cutoff: float = 0.6) -> str | None:
    """Return the known name closest to `found`; None if no name is close.

    Upper and lower case count as equal. `cutoff` is the least likeness, from 0 to 1.
    """
    by_folded = {name.casefold(): name for name in known}
    close = get_close_matches(found.casefold()[:200], by_folded, n=1, cutoff=cutoff)
    return by_folded[close[0]] if close else None


def folded_text(text: str) -> str:
    """Return the text of a query without case, and with one blank for white space."""
    return " ".join(text.split()).casefold()


def listed(names: Iterable[object], last: str = "or") -> str:
    """Return names joined in prose: `a, b or c`; "" without names.

    `last`: the word before the last name.
    """
    words = [str(name) for name in names]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def counted(count: int, what: str, several: str = "") -> str:
    """Return a count with its noun: `1 case`, `1,200 cases`.

    `several`: the plural of the noun, if it is not `what` with an s.
    """
    return f"{count:,} {what if count == 1 else several or f'{what}s'}"


def first_few(names: Sequence[str], most: int = 3) -> str:
    """Return names joined in prose: `a, b, c and 1,200 more`; "" without names.

    `most`: how many names are in the text at most.
    """
    more = len(names) - most
    if more <= 0:
        return listed(names, "and")
    return listed([*names[:most], f"{more:,} more"], "and")


def examples(names: Iterable[str], most: int = 3) -> str:
    """Return names quoted and joined in prose: `"a", "b", "c" and 1,200 more`.

    "" without names. A name longer than 40 characters is cut.

    `most`: how many names are quoted at most.
    """
    return first_few([quoted(name, 40) for name in names], most)


def shown(value: object, longest: int = LONGEST_SHOWN) -> str:
    """Return the repr of a value for a message, cut to `longest` characters.

    Characters that are not printable are escaped. If the repr raises an exception, the
    text says so.
    """
    try:
        text = repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a user's broken __repr__ must not hide the message that shows the value
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return cut_to(printable(text), longest)


def quoted(text: str, longest: int = LONGEST_SHOWN) -> str:
    """Return text in double quotes, cut to `longest` characters without the quotes.

    Characters that are not printable are escaped.
    """
    return f'"{cut_to(printable(text), longest)}"'


def shown_path(path: Iterable[str | int]) -> str:
    """Return the path to a nested value as text: `queries[3].ratings["sku 1"]`.

    "" for an empty path.
    """
    shown_parts = []
    for part in path:
        if isinstance(part, int):
            shown_parts.append(f"[{part}]")
        elif re.fullmatch(_KEY, part):
            shown_parts.append(f".{part}")
        else:
            shown_parts.append(f"[{quoted(part, 40)}]")
    return "".join(shown_parts).removeprefix(".")


def case_name(case: str, query: str, variant: str | None = None) -> str:
    """Return the name of a case, its id and its query: `q043 "gaming laptop"[bm25]`.

    If id and query are equal, only the query and the variant: `laptop[bm25]`. Nothing
    is escaped or cut.
    """
    return with_variant(case if case == query else f'{case} "{query}"', variant)


def with_variant(name: str, variant: str | None) -> str:
    """Return the name of a case or a search, with its variant: `search[bm25]`."""
    return name if variant is None else f"{name}[{variant}]"


def case_in_prose(case: str, query: str, variant: str | None = None) -> str:
    """Return the name of a case, escaped and cut: `q043 "gaming laptop"[bm25]`.

    If id and query are equal, the query with its variant in quotes: `"laptop[bm25]"`.
    """
    if case == query:
        return quoted(case_name(case, query, variant))
    return cut_to(printable(case_name(case, query, variant)), LONGEST_SHOWN)


def found(value: object) -> str:
    """Return words for a value in a message: `true`, `the text "3"`, `the list [3]`.

    `nothing` for None and "".
    """
    if value is None or value == "":
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if isinstance(value, Mapping):
        return f"the mapping {shown(value)}"
    if isinstance(value, (list, tuple)):
        return f"the list {shown(list(value))}"
    return shown(value)


def printable(text: str) -> str:
    """Return a text whose non-printable characters are escaped as in Python."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in text
    )


def harmless(text: str) -> str:
    """Return a text that a terminal does not act on and that shows all its characters.

    Control characters, line breaks, and invisible characters that reorder or hide text,
    such as U+202E, are escaped. Joiners of letters and emoji (U+200C, U+200D) stay.
    """
    if text.isprintable():
        return text
    characters = []
    for character in text:
        is_harmful = unicodedata.category(character) in _HARMFUL
        if is_harmful and character not in _JOINERS:
            escape = character.encode("unicode_escape", "surrogatepass")
            character = escape.decode("ascii")
        characters.append(character)
    return "".join(characters)


def percent_encoded(character: str) -> str:
    """Return the bytes of a character in UTF-8 as `%C3%A9`."""
    encoded = ""
    for byte in character.encode("utf-8", "surrogatepass"):
        encoded += f"%{byte:02X}"
    return encoded


def cut_to(text: str, longest: int) -> str:
    """Return a text of at most `longest` characters. A cut text ends in `...`."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."
