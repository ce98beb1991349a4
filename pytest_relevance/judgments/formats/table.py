"""A table with named columns, whatever file it is in: CSV, TSV or Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from io import BytesIO
from typing import Any

from pytest_relevance._text import found, quoted
from pytest_relevance.judgments.columns import BEIR_DOCUMENT, folded
from pytest_relevance.judgments.formats.rows import Rows
from pytest_relevance.judgments.problems import Place
from pytest_relevance.judgments.source import Source

_CALCULATED = ("=", "+", "-", "@", "\t", "\r")
"""The characters that begin a formula in a spreadsheet."""


class SourceTable:
    """A table by its header. `line` is the line of that, None in Parquet.

    `names`: the columns' names where the file has no header, so that the first row is one of cells.
    """

    def __init__(self, source: Source, names: Sequence[str] | None = None) -> None:
        self.source = source
        self.line = None if source.is_parquet else 1
        self._frame: Any = _parquet_frame(source) if source.is_parquet else None
        if self._frame is not None:
            self.names = [str(name) for name in self._frame.columns]
        else:
            self.names = source.header.names if names is None else list(names)
            self._rows = Rows(source, source.header.separator, len(self.names), header=names is None)

    def cells(self, texts: Iterable[int], numbers: Iterable[int] = ()) -> list[list[Any]]:
        """Read columns of texts (ids among them) and of numbers, in this order.

        A text that is missing is "". A number is as it is written, and in Parquet a number or None.

        Raises:
            JudgmentFileError: a row has too many or too few cells, or Parquet has other values than text or integers
                in a column of texts.
        """
        texts, numbers = list(texts), list(numbers)
        if self._frame is not None:
            return [*map(self._parquet_texts, texts), *map(self._parquet_cells, numbers)]
        columns = self._rows.columns([*texts, *numbers])
        if BEIR_DOCUMENT in map(folded, self.names):  # which no spreadsheet reads
            return columns
        return [*map(unescaped, columns[: len(texts)]), *columns[len(texts) :]]

    def place(self, row: int) -> Place:
        """The position of a row, once its cells have been read: a line, in Parquet the number of the row from 0."""
        return Place(path=f"row {row}") if self._frame is not None else Place(self._rows.line(row))

    def _parquet_cells(self, column: int) -> list[Any]:
        values = self._frame.iloc[:, column]
        cells: list[Any] = values.astype(object).where(values.notna(), None).tolist()
        return [float(cell) if isinstance(cell, Decimal) else cell for cell in cells]

    def _parquet_texts(self, column: int) -> list[str]:
        name = quoted(self.names[column])
        if self._frame.dtypes.iloc[column].kind == "f":
            self.source.refuse(f"the column {name} holds floats, and an id is text or an integer; write it as text")
        try:
            return list(map(_parquet_text, self._parquet_cells(column)))
        except ValueError as error:
            self.source.refuse(f"the column {name} holds {error}; write it as text")


def _parquet_frame(source: Source) -> Any:
    import pandas

    try:
        return pandas.read_parquet(BytesIO(source.data), dtype_backend="numpy_nullable")
    except ImportError:
        source.refuse("reading Parquet needs pyarrow: pip install pytest-relevance[parquet]")
    except Exception as error:  # whatever the engine raises for a damaged file
        source.refuse(f"the Parquet file cannot be read: {error}")


def _parquet_text(cell: object) -> str:
    """A cell of a column of texts. ValueError, which says what it is, for anything but text and integers."""
    if cell is None:
        return ""
    if isinstance(cell, bytes):
        return cell.decode("utf-8")
    if isinstance(cell, (str, int)) and not isinstance(cell, bool):
        return str(cell)
    raise ValueError(f"{type(cell).__name__} ({found(cell)}), and an id is text or an integer")


def escaped(text: str) -> str:
    """Put a space in front of text that begins like a formula, so that no spreadsheet calculates it.

    `unescaped` removes the space, and one from a text that has such spaces of its own.
    """
    return f" {text}" if text.lstrip(" ")[:1] in _CALCULATED else text


def unescaped(cells: list[str]) -> list[str]:
    """Remove the space that Quepid (and `escaped`) puts before a text that a spreadsheet would calculate."""
    if "\n " not in "\n".join(["", *cells]):
        return cells  # no cell begins with a space: one search for all, as there may be millions
    marked = {cell for cell in set(cells) if cell[:1] == " " and cell.lstrip(" ")[:1] in _CALCULATED}
    return [cell[1:] if cell in marked else cell for cell in cells] if marked else cells


def carried_forward(cells: Sequence[str]) -> list[str]:
    """Fill blank cells with the one above: GOV.UK's tables name a query once."""
    carried, last = [], ""
    for cell in cells:
        last = cell or last
        carried.append(last)
    return carried
