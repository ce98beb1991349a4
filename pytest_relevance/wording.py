"""How every wing words its messages: a name close to a known one, a list of what is allowed, a value shown.

The one module that all wings may import. It knows nothing of any of them; keep it that way.
"""

from __future__ import annotations

from collections.abc import Iterable

LONGEST_SHOWN = 80


def did_you_mean(found: str, known: Iterable[str]) -> str:
    """`'; did you mean "x"?'` for the known name closest to `found`, or an empty string when none is close."""
    from difflib import get_close_matches

    by_folded = {name.casefold(): name for name in known}
    close = get_close_matches(found.casefold(), by_folded, n=1, cutoff=0.6)
    return f'; did you mean "{by_folded[close[0]]}"?' if close else ""


def listed(names: Iterable[object], last: str = "or") -> str:
    """The names in prose: `a, b or c`."""
    words = [str(name) for name in names]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def shown(value: object, longest: int = LONGEST_SHOWN) -> str:
    """A value as a message shows it: its repr (control characters escaped), cut to `longest` characters."""
    try:
        text = repr(value)
    except Exception as error:  # a user's broken __repr__ must not hide the message it stands in
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def quoted(text: str, longest: int = LONGEST_SHOWN) -> str:
    """Text in double quotes, with what a terminal could misread escaped, cut to `longest` characters."""
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return f'"{safe}"' if len(safe) <= longest else f'"{safe[: longest - 3]}..."'
