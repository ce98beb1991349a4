"""Tables of judgments: CSV and TSV with a header, Parquet; Quepid's exports, BEIR, ESCI and GOV.UK's are such tables.

One row a rating, or one row a document with a column a rater. What a column holds is told by its name (`columns`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from itertools import compress
from typing import Any, NoReturn

from pytest_relevance._text import did_you_mean, found, quoted
from pytest_relevance.judgments.columns import SPELLINGS, find_columns, folded
from pytest_relevance.judgments.formats.layouts import (
    BEIR_DOCUMENT,
    GRADE_COLUMN,
    WANTED,
    Layout,
    column_called,
    is_run,
    layout,
    no_such_column,
    shown_names,
)
from pytest_relevance.judgments.formats.lines import Rows, header_of, separator_of
from pytest_relevance.judgments.model import UNNAMED, Place, Query, Ratings
from pytest_relevance.judgments.problems import FileProblem, JudgmentFileError
from pytest_relevance.judgments.source import Source

ESCI = {"e": "exact", "s": "substitute", "c": "complement", "i": "irrelevant"}
ESCI_WORDS = {name: pair for pair in ESCI.items() for name in pair}
ESCI_GRADES = {"exact": 3.0, "substitute": 2.0, "complement": 1.0, "irrelevant": 0.0}
"""The grades of ESCI's labels where no scale gives others."""

_GOVUK_QUERY = "queryentryquery"
CALCULATED = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""

_TEXTS = ("query_id", "query", "document", "rater", "title")


def is_parquet(source: Source) -> bool:
    """Whether the first bytes are Parquet's."""
    return source.data.startswith(b"PAR1")


def header_layout(source: Source) -> Layout | None:
    """The layout of a text table by its first line."""
    line = first_line(source)
    return layout(header_of(line, separator_of(line)), source.options.get(GRADE_COLUMN))


def first_line(source: Source) -> str:
    """The first line that is not blank."""
    return next((line for line in source.head.split("\n") if line.strip()), "").rstrip("\r")


def read_table(source: Source, name: str = "csv") -> Ratings:
    """Read a text table with a header."""
    line = first_line(source)
    separator = separator_of(line)
    names = header_of(line, separator)
    found = layout(names, source.options.get(GRADE_COLUMN))
    if found is None:
        refuse_header(source, names)
    rows = Rows(source, separator, len(names), header=True)
    is_beir = folded(names[found.at["document"]]) == BEIR_DOCUMENT  # no spreadsheet ever sees it
    columns = (
        rows.columns if is_beir else _of_spreadsheet(rows, [found.at[what] for what in _TEXTS if what in found.at])
    )
    return _Table(source, name, found, columns, lambda row: Place(rows.line(row))).ratings()


def _of_spreadsheet(rows: Rows, texts: Collection[int]) -> Callable[[Sequence[int]], list[list[str]]]:
    """The columns of a table that a spreadsheet may read too: see `unescaped`."""

    def columns(wanted: Sequence[int]) -> list[list[str]]:
        cells = rows.columns(wanted)
        return [unescaped(column) if number in texts else column for number, column in zip(wanted, cells, strict=True)]

    return columns


def read_parquet(source: Source) -> Ratings:
    """Read a Parquet file. Its ids may be integers, which become their digits; floats are refused."""
    frame = parquet_frame(source)
    names = [str(name) for name in frame.columns]
    found = layout(names, source.options.get(GRADE_COLUMN))
    if found is None:
        refuse_header(source, names)

    def columns(wanted: Sequence[int]) -> list[list[Any]]:
        numbers = {found.at.get("grade"), *(number for number, _ in found.raters)}
        return [parquet_column(source, frame, column, is_number=column in numbers) for column in wanted]

    return _Table(source, "parquet", found, columns, lambda row: Place(path=f"row {row}")).ratings()


def parquet_frame(source: Source) -> Any:
    """The frame in a Parquet file."""
    import pandas

    try:
        return pandas.read_parquet(BytesIO(source.data), dtype_backend="numpy_nullable")
    except ImportError:
        source.refuse("reading Parquet needs pyarrow: pip install pytest-relevance[parquet]")
    except Exception as error:  # whatever the engine says of a damaged file
        source.refuse(f"the Parquet file cannot be read: {error}")


def parquet_column(source: Source, frame: Any, column: int, *, is_number: bool) -> list[Any]:
    """A column of a Parquet file: ids as text, "" for what is missing; grades as they are."""
    values = frame.iloc[:, column]
    if values.dtype.kind == "f" and not is_number:
        name = quoted(str(frame.columns[column]))
        source.refuse(f"the column {name} holds floats, and an id is text or an integer; write it as text")
    cells: list[Any] = values.astype(object).where(values.notna(), None).tolist()
    if is_number:
        return [float(cell) if isinstance(cell, Decimal) else cell for cell in cells]
    try:
        return [_parquet_text(cell) for cell in cells]
    except ValueError as error:
        source.refuse(f"the column {quoted(str(frame.columns[column]))} holds {error}; write it as text")


def _parquet_text(cell: object) -> str:
    """A cell of a column of ids or texts; ValueError, saying what it is, for anything but text and integers."""
    if cell is None:
        return ""
    if isinstance(cell, bytes):
        return cell.decode("utf-8")
    if isinstance(cell, (str, int)) and not isinstance(cell, bool):
        return str(cell)
    raise ValueError(f"{type(cell).__name__} ({found(cell)}), and an id is text or an integer")


def refuse_header(source: Source, names: Sequence[str]) -> NoReturn:
    """Say what was found in a header that nobody knows, and what is accepted."""
    line = None if is_parquet(source) else 1
    wanted = source.options.get(GRADE_COLUMN)
    if wanted is not None and column_called(names, wanted) is None:
        source.refuse(no_such_column(names, wanted), line)
    at = find_columns(names, WANTED)
    lacking = list(_lacking(names, at))
    head = "a table of judgments begins with a header"
    cure = f"; where a column has the grades, name it: {GRADE_COLUMN}" if "document" in at else ""
    if is_run(names):
        head = "this seems to be a run, with a rank or a score and no grade; judgments are needed"
        if "grade" in at and find_columns(names, ("rank",)):
            lacking, cure = ["with a rank beside it, a score is that of a run; the judgments have a grade"], ""
    if line is not None and "\r" in first_line(source):
        cure = "; a carriage return ends the header in the middle of line 1: take it out"
    source.refuse(f"{head}; found {shown_names(names)}: {'; '.join(lacking)}{cure}", line)


def _lacking(names: Sequence[str], at: Mapping[str, int]) -> Iterator[str]:
    """What a header lacks, with the name that may be misspelt. A score is no grade."""
    needed = {"query": SPELLINGS["query_id"] + SPELLINGS["query"]}
    needed |= {what: SPELLINGS[what] for what in ("document", "grade")}
    others = [name for number, name in enumerate(names) if number not in at.values()]
    for what, spellings in needed.items():
        is_score = what == "grade" and what in at and is_run(names)
        if (what not in at or is_score) and not (what == "query" and "query_id" in at):
            close = next((hint for name in others if (hint := did_you_mean(name, spellings))), "")
            yield f"no column for the {what} (such as {', '.join(spellings[:6])}){close}"


class _Table:
    """The cells of a table of judgments on their way to `Ratings`."""

    def __init__(
        self,
        source: Source,
        name: str,
        found: Layout,
        columns: Callable[[Sequence[int]], list[list[Any]]],
        place: Callable[[int], Place],
    ) -> None:
        self._source = source
        self._name = name
        self._layout = found
        self._place = place
        self._header_line = None if name == "parquet" else 1
        wanted = [*found.at.values(), *(number for number, _ in found.raters)]
        cells = columns(wanted)
        self._cells = dict(zip(found.at, cells, strict=False))
        self._of_raters = cells[len(found.at) :]

    def ratings(self) -> Ratings:
        """The rows as ratings."""
        cells, found = self._cells, self._layout
        documents = cells["document"]
        keys = self._keys()
        described = self._described(keys)
        raters, titles, ratings = cells.get("rater"), cells.get("title"), cells.get("grade", [])
        place, notices = self._place, found.left_out
        if raters is not None and "" in raters:
            raters = [rater or UNNAMED for rater in raters]
        if found.raters:
            count, times = len(documents), len(found.raters)
            ratings = [rating for column in self._of_raters for rating in column]
            raters = [rater for _, rater in found.raters for _ in range(count)]
            keys, documents = keys * times, documents * times
            titles = None if titles is None else titles * times
            place = _Cycle(place, count)
        if "" in keys or "" in documents:
            keep = self._rows_with_ids(keys, documents, ratings, place)
            numbers = list(compress(range(len(keep)), keep))
            keys, documents, ratings = (list(compress(column, keep)) for column in (keys, documents, ratings))
            raters = None if raters is None else list(compress(raters, keep))
            titles = None if titles is None else list(compress(titles, keep))
            place = _Chosen(place, numbers)
        words = ESCI_WORDS if self._is_esci(ratings) else {}
        return Ratings(
            self._source.file,
            self._name,
            keys,
            documents,
            ratings,
            raters,
            titles,
            described,
            place,
            words,
            ESCI_GRADES if words else {},
            notices,
            by_id="query_id" in found.at,
            unclear=FileProblem(found.unclear, self._header_line) if found.unclear else None,
        )

    def _keys(self) -> list[str]:
        """What the rows' queries are kept under: the id, or the text where there is no id."""
        texts, ids = self._cells.get("query"), self._cells.get("query_id")
        if texts is not None and folded(self._layout.names[self._layout.at["query"]]) == _GOVUK_QUERY:
            texts = self._cells["query"] = carried_forward(texts)
        if ids is None:
            assert texts is not None
            return texts
        if texts is not None and "" in ids:
            return [key or text for key, text in zip(ids, texts, strict=True)]
        return ids

    def _described(self, keys: Sequence[str]) -> dict[str, Query]:
        """The queries with a text beside their id, and those without a document."""
        texts, documents = self._cells.get("query"), self._cells["document"]
        described: dict[str, Query] = {}
        if texts is not None and "query_id" in self._cells:
            for row, (key, text) in enumerate(zip(keys, texts, strict=True)):
                known = described.get(key)
                if known is None:
                    described[key] = Query(key, text)
                elif known.text != text:
                    place = self._place(row)
                    message = f"the query {quoted(key)} has two texts, {quoted(known.text or '')} and {quoted(text)}"
                    self._source.refuse(f"{message}; keep one of them", place.line, place.path)
        elif "" in documents:
            for key, document in zip(keys, documents, strict=True):
                if not document:
                    described.setdefault(key, Query(key, key))
        return described

    def _rows_with_ids(
        self, keys: Sequence[str], documents: Sequence[str], ratings: Sequence[Any], place: Callable[[int], Place]
    ) -> list[bool]:
        """Which rows name a document. One that names none and has no rating names a query without judgments."""
        keep, problems = [], []
        for row, (key, document, rating) in enumerate(zip(keys, documents, ratings, strict=True)):
            blank = rating is None or not str(rating).strip()
            lacking = (
                "query" if not key and (document or not blank) else "document" if not document and not blank else ""
            )
            if lacking:
                at = place(row)
                problems.append(FileProblem(f"the row has no {lacking}", at.line, at.path))
            keep.append(bool(document))
        if problems:
            raise JudgmentFileError(self._source.file, problems)
        return keep

    def _is_esci(self, ratings: Sequence[Any]) -> bool:
        grade = self._layout.at.get("grade")
        name = folded(self._layout.names[grade]) if grade is not None else ""
        if name not in ("escilabel", "label"):
            return False
        given = {rating.strip().casefold() for rating in set(ratings) if isinstance(rating, str)}
        return name == "escilabel" or given <= {"", *ESCI_WORDS}


@dataclass(frozen=True, slots=True)
class _Cycle:
    """The place of a row that stands for one of several cells of the same row."""

    place: Callable[[int], Place]
    count: int

    def __call__(self, row: int) -> Place:
        return self.place(row % self.count)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The place of a row among those that were kept."""

    place: Callable[[int], Place]
    numbers: Sequence[int]

    def __call__(self, row: int) -> Place:
        return self.place(self.numbers[row])


def escaped(text: str) -> str:
    """Text as a cell that a spreadsheet does not calculate: with a space in front where it begins as a formula does.

    `unescaped` takes it off again, and one from a text that has such spaces of its own.
    """
    return f" {text}" if text.lstrip(" ")[:1] in CALCULATED else text


def unescaped(cells: list[str]) -> list[str]:
    """Cells without the space that Quepid (and our own CSV) puts before a text that a spreadsheet would calculate."""
    if "\n " not in "\n".join(["", *cells]):
        return cells  # no cell begins with a space: looked for at once, as there may be millions
    marked = {cell for cell in set(cells) if cell[:1] == " " and cell.lstrip(" ")[:1] in CALCULATED}
    return [cell[1:] if cell in marked else cell for cell in cells] if marked else cells


def carried_forward(cells: Sequence[str]) -> list[str]:
    """GOV.UK's tables name a query once: a blank cell is the one above."""
    carried, last = [], ""
    for cell in cells:
        last = cell or last
        carried.append(last)
    return carried
