"""Read cells that are lists: of a JSON file or of Parquet, or a list written as text.

In a CSV a list is text. Python writes `['a', 'b']` and JSON `["a", "b"]`. Both are read
here. numpy writes lists without commas, `['a' 'b']`. Python would read that as one
text, `ab`. So it is refused.
"""

from __future__ import annotations

import ast
import io
import json
import tokenize
import warnings
from collections.abc import Sequence

from pytest_relevance._json_text import NumberAsWritten, as_text, found_json
from pytest_relevance._text import listed, quoted

_BEGINS_AS_LIST = ("['", '["', "[]", "('", '("')
"""How a text begins that is surely meant as a list of texts."""

AS_JSON_LINES = (
    'write the file as JSON Lines (pandas: to_json(PATH, orient="records", lines=True); '
    "datasets: to_json(PATH))"
)
_WITHOUT_COMMAS = (
    "the entries of this list have no commas between them, as numpy writes lists; "
    f"{AS_JSON_LINES}"
)


class NoList(ValueError):
    """A cell looks like a list and cannot be read, or has an entry that is no text."""


def list_in(cell: object) -> list[str] | None:
    """Return the entries of a cell that is a list, as texts; None if it is none.

    Numbers become text with the digits of the file. Blank entries and null are left
    out.

    Raises:
        NoList: the cell looks like a list and is none, or an entry is not a text.
    """
    if isinstance(cell, (list, tuple)):
        return _texts(cell)
    if not isinstance(cell, str):
        return None
    text = cell.strip()
    if text[:1] not in ("[", "("):
        return None
    entries: Sequence[object] | None = _json_list(text)
    if entries is None:
        entries = _python_list(text)
    if entries is None and text.startswith(_BEGINS_AS_LIST):
        raise NoList(
            f"this looks like a list and cannot be read as one: {quoted(text, 60)}; write it as in JSON, "
            '["first", "second"]'
        )
    return None if entries is None else _texts(entries)


def _texts(entries: Sequence[object]) -> list[str]:
    texts = []
    for entry in entries:
        text = str(entry) if type(entry) is int else as_text(entry)
        if text is not None:
            texts.append(text)
        elif isinstance(entry, dict) and entry:
            raise NoList(
                f"the entries of this list are objects with {listed(entry, 'and')}; name the key of the text too, as in "
                f"COLUMN.{next(iter(entry))}"
            )
        elif entry is not None and not isinstance(entry, str):
            raise NoList(f"an entry of this list is {found_json(entry)}, and no text")
    return texts


def _json_list(text: str) -> list[object] | None:
    """Return the entries of a list in JSON; None for any other text.

    A text in it may go over several lines.
    """
    try:
        value = json.loads(
            text, strict=False, parse_int=NumberAsWritten, parse_float=NumberAsWritten
        )
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def _python_list(text: str) -> Sequence[object] | None:
    """Return the entries of a list or tuple in Python; None for any other text.

    Raises NoList for a list without commas between its entries.
    """
    try:
        with warnings.catch_warnings():  # of backslashes that are no escapes
            warnings.simplefilter("ignore")
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if isinstance(value, str):
        # ("a" "b") is a text in brackets
        value = (value,)
    if not isinstance(value, (list, tuple)):
        return None
    are_texts = all(isinstance(entry, str) for entry in value)
    if are_texts and _count_of_texts(text) != len(value):
        raise NoList(_WITHOUT_COMMAS)
    return value


def _count_of_texts(text: str) -> int:
    """Return how many texts in quotes there are in a Python expression."""
    count = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        count += token.type == tokenize.STRING
    return count
