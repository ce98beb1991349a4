"""Read the columns of large files with pyarrow, where it is installed (the extra `parquet`).

pyarrow reads a file of millions of rows several times faster than the readers in `table`, which have the messages for
what is wrong. So `read_delimited` returns None for a file that is small, that pyarrow cannot read, or that has anything
in it that the two would read differently; the caller then reads the file with the other reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

SMALL = 4 << 20
"""The number of bytes below which a file is read without pyarrow, as importing pyarrow takes longer than that."""

_BLOCK = 4 << 20  # bytes that pyarrow reads at a time; smaller and larger blocks were found to take more memory
STEP = 1 << 18  # bytes that are searched for quotes at a time: few enough for the caches of a processor
_LOOKED_AT = 100_000  # rows: documents are repeated only by other queries
_BOM = b"\xef\xbb\xbf"


def read_delimited(
    data: bytes,
    separator: str,
    width: int,
    texts: Sequence[int],
    numbers: Sequence[int] = (),
    *,
    keys: Sequence[int] = (),
    header: bool = False,
    may_be_quoted: bool = False,
) -> list[pa.ChunkedArray] | None:
    """Read columns of a file with one row a line: `keys`, `texts` and `numbers`, in this order; None for an odd file.

    Keys are dictionary-encoded text, for columns in which few cells differ; numbers are finite float64. `separator` is
    one character, or "" for any number of spaces and tabs. `may_be_quoted`: cells in quotes are read as in CSV.
    """
    arrow = _arrow(len(data))
    if arrow is None or _is_odd(arrow, data):
        return None
    has_quotes = may_be_quoted and b'"' in data
    if has_quotes and not _are_whole_cells_quoted(data, separator):
        return None
    types = {
        **dict.fromkeys(keys, arrow.dictionary(arrow.int32(), arrow.string())),
        **dict.fromkeys(texts, arrow.string()),
        **dict.fromkeys(numbers, arrow.float64()),
    }
    if not separator:
        separator, data = _between_single_blanks(data)
    table = _parsed(arrow, data, separator, width, types, header, has_quotes)
    if table is None or not all(are_finite(table[str(column)]) for column in numbers):
        return None
    return [table[str(column)] for column in types]


def _parsed(
    arrow: Any, data: bytes, separator: str, width: int, types: Mapping[int, Any], header: bool, has_quotes: bool
) -> pa.Table | None:
    """Read columns, {number: type}; None where pyarrow refuses a row or a cell."""
    from pyarrow import csv as arrow_csv

    columns = {str(column): kind for column, kind in types.items()}
    reading = arrow_csv.ReadOptions(
        use_threads=False,  # with threads it takes twice the memory
        block_size=_BLOCK,
        column_names=[str(column) for column in range(width)],
        skip_rows_after_names=int(header),
    )
    parsing = arrow_csv.ParseOptions(
        delimiter=separator, quote_char='"' if has_quotes else False, newlines_in_values=has_quotes
    )
    converting = arrow_csv.ConvertOptions(
        column_types=columns, include_columns=list(columns), null_values=[], strings_can_be_null=False
    )
    pool = arrow.system_memory_pool()  # the default one, mimalloc, takes half a second more for 7,000,000 rows
    try:
        with arrow_csv.open_csv(arrow.BufferReader(data), reading, parsing, converting, pool) as batches:
            return arrow.Table.from_batches(list(batches))
    except (arrow.ArrowException, ValueError):
        return None


def _between_single_blanks(data: bytes) -> tuple[str, bytes]:
    """The blank between two cells, a space or a tab, and the data with just one at each place and none at line ends.

    For pyarrow two blanks, or one at an end of a line, are an empty cell.
    """
    has_tabs = b"\t" in data
    if not (has_tabs and b" " in data) and not _has_empty_cells(data):
        return "\t" if has_tabs else " ", data
    data = data.replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    for blank, end in ((b" \n", b"\n"), (b" \r\n", b"\r\n"), (b"\n ", b"\n")):
        data = data.replace(blank, end)
    return " ", data.strip(b" ")


def _has_empty_cells(data: bytes) -> bool:
    """Whether a blank may be next to another or at the end of a line; a search for pairs takes five times as long."""
    import numpy as np

    characters = np.frombuffer(data, np.uint8)
    pairs = 0
    for start in range(0, len(characters), _BLOCK):
        is_white = characters[start : start + _BLOCK + 1] <= ord(" ")
        pairs += np.count_nonzero(is_white[1:] & is_white[:-1])
    carriage_returns = data.count(b"\r") if pairs else 0  # each comes before a line feed
    return pairs > carriage_returns or data[-1:] in (b" ", b"\t")


def any_begins_with(column: pa.ChunkedArray, text: str) -> bool:
    """Whether any cell of a column of text or keys begins with a text."""
    import pyarrow
    import pyarrow.compute as pc

    if pyarrow.types.is_dictionary(column.type):
        return any(pc.any(pc.starts_with(chunk.dictionary, text)).as_py() for chunk in column.chunks)
    return bool(pc.any(pc.starts_with(column, text)).as_py())


def has_empty(column: pa.ChunkedArray) -> bool:
    """Whether any cell of a column of text is empty."""
    import pyarrow.compute as pc

    return any(pc.min(pc.binary_length(chunk)).as_py() == 0 for chunk in column.chunks)


def as_lists(columns: list[pa.ChunkedArray]) -> list[list[str]]:
    """The cells of columns of text, which are taken out of `columns` one by one so that their memory is free again."""
    import pyarrow

    lists = []
    while columns:
        lists.append(_as_list(columns.pop(0)))
        pyarrow.system_memory_pool().release_unused()
        pyarrow.default_memory_pool().release_unused()
    return lists


def _as_list(column: pa.ChunkedArray) -> list[str]:
    """The cells of a column of text. Where few of the first ones differ, equal cells are one object."""
    import numpy as np
    import pyarrow.compute as pc

    first = column.slice(0, _LOOKED_AT)
    if 2 * pc.count_distinct(first).as_py() > len(first):
        return texts_of(column)
    column = column.dictionary_encode().unify_dictionaries()
    names: list[str] = column.chunk(0).dictionary.to_pylist()
    cells: list[str] = []
    for chunk in column.chunks:
        cells += map(names.__getitem__, np.from_dlpack(chunk.indices).tolist())
    return cells


def texts_of(column: pa.ChunkedArray) -> list[str]:
    """The cells of a column of text."""
    cells: list[str] = column.to_pylist()  # `to_numpy`, here and below, would load pandas
    return cells


def numbers_of(column: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    """The cells of a column of float64 without missing values."""
    import numpy as np

    return np.concatenate([np.zeros(0), *map(np.from_dlpack, column.chunks)])


def encoded(column: pa.ChunkedArray) -> tuple[pa.Array | list[str], npt.NDArray[np.int32]]:
    """The different cells of a column of text or keys, as they appear, and the number of each cell among them."""
    import numpy as np
    import pyarrow
    import pyarrow.compute as pc

    pool = pyarrow.system_memory_pool()
    chunks = pc.dictionary_encode(column, memory_pool=pool).unify_dictionaries(pool).chunks
    numbers = [np.from_dlpack(chunk.indices) for chunk in chunks]
    return chunks[0].dictionary if chunks else [], np.concatenate([np.zeros(0, np.int32), *numbers])


def _arrow(size: int) -> Any:
    """The module pyarrow; None where it is not installed, or not worth its import."""
    if size < SMALL:
        return None
    try:
        import pyarrow
    except ImportError:
        return None
    return pyarrow


def _is_odd(arrow: Any, data: bytes) -> bool:
    """Whether data has a lone carriage return, a NUL byte or a first line that is blank, or is no UTF-8."""
    start = data[: len(_BOM) + 1].removeprefix(_BOM)[:1]
    if start.isspace() or b"\0" in data:
        return True
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return True
    return not data.isascii() and not _is_utf_8(arrow, data)


def _is_utf_8(arrow: Any, data: bytes) -> bool:
    """Whether data is UTF-8, found without a copy of it."""
    ends = arrow.array([0, len(data)], arrow.int64()).buffers()[1]
    one = arrow.Array.from_buffers(arrow.large_binary(), 1, [None, ends, arrow.py_buffer(data)])
    try:
        one.cast(arrow.large_string())
    except arrow.ArrowException:
        return False
    return True


def _are_whole_cells_quoted(data: bytes, separator: str) -> bool:
    """Whether each quote begins or ends a cell, or is one of two that stand for a quote within a quoted cell.

    Such quotes open and close in turn: of two that stand for one, the first closes and the second opens again. So
    before each that opens, and after each that closes, is a separator, a line break, another quote, or nothing at all.
    """
    import numpy as np

    characters = np.frombuffer(data, np.uint8, offset=len(_BOM) if data.startswith(_BOM) else 0)
    is_allowed = np.zeros(256, bool)
    is_allowed[list(b'"\r\n' + separator.encode())] = True
    count = 0
    for start in range(0, len(characters), STEP):
        quotes = start + np.flatnonzero(characters[start : start + STEP] == ord('"'))
        opening, closing = quotes[count % 2 :: 2], quotes[1 - count % 2 :: 2]
        before, after = opening[opening > 0] - 1, closing[closing < len(characters) - 1] + 1
        if not (is_allowed[characters[before]].all() and is_allowed[characters[after]].all()):
            return False
        count += len(quotes)
    return count % 2 == 0


def are_finite(column: pa.ChunkedArray) -> bool:
    """Whether a column of float64 has neither NaN nor infinity."""
    import pyarrow.compute as pc

    return pc.all(pc.is_finite(column)).as_py() is not False
