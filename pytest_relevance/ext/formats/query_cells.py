"""Read the cells of a file of queries: numbers with separators, lists, texts, params.

A cell is text in a CSV. In JSON and in Parquet it may have another type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from pytest_relevance._ids import exact_text
from pytest_relevance._json_text import NumberAsWritten, as_python, as_text, found_json
from pytest_relevance._text import quoted
from pytest_relevance.judgments.grade_text import why_no_number
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.row_rules import BLANKS

_APOSTROPHES = "'\u2019"
_DECIMAL_MARKS = {",": ".", ".": ","}
"""The decimal mark beside a separator of thousands; either one beside any other."""

_MARKS = "[.,'\u2019" + BLANKS + "]"
_GROUPED = re.compile(
    rf"[+-]?[0-9]{{1,3}}(?P<mark>{_MARKS})[0-9]{{3}}(?:(?P=mark)[0-9]{{3}})*(?:[.,][0-9]+)?"
)
"""A number with a mark between its thousands: `1,340`, `1.234.567,5`."""

_DECIMAL_COMMA = re.compile("[+-]?[0-9]*,(?:[0-9]{1,2}|[0-9]{4,})")

_UNCLEAR = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")
"""A number that may have a thousands separator or a decimal point: `1.234`."""


class WrongCell(ValueError):
    """A cell does not have what its column should have.

    `kind`: equal for cells that are wrong in the same way, as `Problem.alike`.
    """

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


def is_blank(value: object) -> bool:
    """Say whether a value of a row is none: null, NaN, blank text, [] or {}."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or value in ([], {}) or value != value


def number_in(cell: object, thousands: str | None) -> float:
    """Return the number in a cell.

    `thousands`: what stands between thousands. The other one of `.` and `,` is then the
        decimal mark. Without it, a number is written with a decimal point.

    Raises:
        WrongCell: the cell is no number; with what was found, and what to write.
    """
    if isinstance(cell, Decimal):
        cell = float(cell)
    number = None
    if isinstance(cell, str):
        is_text = not isinstance(cell, NumberAsWritten)
        plain = _without_marks(cell, thousands) if thousands and is_text else cell
        number = None if plain is None else number_of(plain)
    elif isinstance(cell, (int, float)) and not isinstance(cell, bool):
        number = number_of(str(cell))
    if number is None:
        advice = _advice(cell, thousands)
        kind = "number with advice" if advice else "no number"
        raise WrongCell(f"found {found_json(cell)}{advice}", kind)
    return number


def _without_marks(text: str, thousands: str) -> str | None:
    """Return a number with a decimal point and no other mark; None for other texts."""
    text = text.strip()
    separators = thousands
    for alike in (BLANKS, _APOSTROPHES):
        if thousands in alike:
            separators = alike
    decimal = f"[{_DECIMAL_MARKS.get(thousands, '.,')}]"
    mark = f"[{separators}]"
    pattern = rf"[+-]?(?:[0-9]{{1,3}}(?:{mark}[0-9]{{3}})+|[0-9]+)(?:{decimal}[0-9]+)?"
    if re.fullmatch(pattern, text):
        return re.sub(mark, "", text).replace(",", ".")
    return None if re.search(_MARKS, text) else text


def _advice(cell: object, thousands: str | None) -> str:
    """Return how to write a number, or how to have it read; "" if nothing is known."""
    if not isinstance(cell, str):
        return ""
    text = cell.strip()
    if not thousands:
        if _DECIMAL_COMMA.fullmatch(text):
            plain = text.replace(",", ".")
            return f'; it has a decimal comma: thousands: "." reads it as {plain}'
        grouped = _GROUPED.fullmatch(text)
        if grouped is not None:
            mark = " " if grouped["mark"] in BLANKS else grouped["mark"]
            advice = f'; thousands: "{mark}" reads it as {_whole(text, mark)}'
            if re.fullmatch("[+-]?[0-9]+,[0-9]{3}", text):
                advice += f', and thousands: "." as {text.replace(",", ".")}'
            return advice
    elif re.search(_MARKS, text) and re.search("[0-9]", text):
        marks = _DECIMAL_MARKS.get(thousands, ". or ,")
        return f'; beside thousands: "{thousands}" the decimal mark is {marks}'
    why = why_no_number(text)
    return "" if why is None else f"; it {why}"


def _whole(text: str, mark: str) -> str:
    return _without_marks(text, mark) or text


def unclear_number(cells: Iterable[object]) -> int | None:
    """Return the index of the first cell such as `1.234`, if the column is unclear.

    Such a cell may be 1234, or a bit more than 1. The column is clear, and the result
    None, if there is no such cell, or if a cell has a dot elsewhere: `0.5`.
    """
    first = None
    for number, cell in enumerate(cells):
        if not isinstance(cell, str) or "." not in cell:
            continue
        if isinstance(cell, NumberAsWritten):
            return None
        if _UNCLEAR.fullmatch(cell.strip()) is None:
            return None
        if first is None:
            first = number
    return first


def list_in_cell(cell: object) -> list[str]:
    """Return the entries of a cell: a list of the file, or a text with commas.

    Raises:
        WrongCell: an entry is neither a text nor a number.
    """
    entries: Sequence[object] = [cell]
    if isinstance(cell, (list, tuple)):
        entries = cell
    elif type(cell) is str:
        entries = cell.split(",")
    return [text_in(entry).strip() for entry in entries if not is_blank(entry)]


def text_in(cell: object) -> str:
    """Return the text of a cell that is not blank. A number has the digits of the file.

    Raises:
        WrongCell: the cell is neither a text nor a number.
    """
    if isinstance(cell, str):
        text = as_text(cell)
    elif isinstance(cell, (int, float)) and not isinstance(cell, bool):
        text = str(cell)
    else:
        text = exact_text(cell)
    if text is None:
        raise WrongCell(f"found {found_json(cell)}")
    return text


def param_in(cell: object) -> object:
    """Return a parameter of the search: text as it is written, JSON with its types.

    Raises:
        WrongCell: the value of a Parquet column has no counterpart in JSON.
    """
    if isinstance(cell, Decimal):
        cell = float(cell)
    if isinstance(cell, (str, bool, int, float, list, dict)):
        return as_python(cell)
    raise WrongCell(
        f"found {quoted(type(cell).__name__)} ({found_json(cell)}); write text, a number or true and false"
    )
