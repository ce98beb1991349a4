"""The worklist: the unjudged results of a run as a CSV file to fill in, by query, the most valuable first.

Filled in, it is a file of judgments like any other: its rows are found by query id and by query text, and a blank grade
is no judgment. So its texts are exactly as in the run, except for a space before a cell that a spreadsheet would
take for a formula, which the reader of tables takes off again.

What an unjudged result is worth is how far a plausible grade for it would move the score (`unjudged_results`).

A judge adds its grades to a worklist of its own (`JudgeFile`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, isnan, log2
from pathlib import Path

from pytest_relevance._source import Source
from pytest_relevance._tables import TextTable, cells_of_any_length, csv_text, escaped
from pytest_relevance._text import counted, printable
from pytest_relevance.judgments.columns import MACHINE, SPELLINGS, folded, may_be_grades
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import CaseResult, variants_in_order

_FEW_JUDGED = 10
"""With fewer judged results than this at a rank, the results at the ranks around it count too."""

_NO_JUDGED_SHARE = 0.5
"""What an unjudged result is supposed to have of the gain of the top grade where no result of the run is judged."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """An unjudged result in the top k, at its rank (from 1).

    `move` is nDCG@k with the highest grade for this document, the ideal recomputed, less the present score. Where that
    is not defined, because nothing relevant was judged, it is what the score would become. `worth` is the same with a
    plausible grade: one whose gain is what judged results at that rank have on average. Where nothing relevant was
    judged, it is `move` times this gain divided by the highest one.
    """

    document: str
    title: str
    rank: int
    move: float
    worth: float = 0.0


class PlausibleGains:
    """The mean gain of the judged results of a run at each rank, as a share of the gain of the top grade.

    Shares, as the gains of several suites are on different scales.
    """

    def __init__(self, results: Iterable[CaseResult]) -> None:
        self._shares: dict[int, list[float]] = {}
        self._means: dict[int, float] = {}
        for result in results:
            top, gains = top_grade(result), result.conditions.settings.gains
            for rank, grade in enumerate(
                result.ranking.grades[: result.conditions.k], 1
            ):
                if grade is not None and top is not None:
                    self._shares.setdefault(rank, []).append(gains[grade] / gains[top])

    def share(self, rank: int) -> float:
        """The mean share at a rank, with the ranks around it where few results are judged there."""
        if rank not in self._means:
            shares: list[float] = []
            for distance in range(max(self._shares, default=0) + rank):
                for other in {rank - distance, rank + distance}:
                    shares += self._shares.get(other, ())
                if len(shares) >= _FEW_JUDGED:
                    break
            self._means[rank] = (
                fsum(shares) / len(shares) if shares else _NO_JUDGED_SHARE
            )
        return self._means[rank]

    def grade(self, rank: int, top: float, settings: Settings) -> float:
        """The grade that has the mean gain; the one that comes closest where gains are a mapping."""
        gain = self.share(rank) * settings.gain_of(top)
        if isinstance(settings.gain, Mapping):
            return min(
                settings.gain, key=lambda grade: abs(settings.gain_of(grade) - gain)
            )
        return min(
            top, log2(1 + gain) if settings.gain == "exponential" else gain
        )  # rounding may exceed the top


def unjudged_results(result: CaseResult, gains: PlausibleGains) -> list[Unjudged]:
    """The unjudged results in the top k of a case, best first."""
    if not (documents := result.unjudged):
        return []
    top = top_grade(result)
    found = []
    for document in documents:
        index = result.ranking.documents.index(document)
        move = worth = 0.0
        if top is not None:
            move = _move(result, index, top)
            # without a score any gain would make it about 1, so the move is weighed by how plausible a gain is
            worth = gains.share(index + 1) * move
            if result.score is not None:
                worth = _move(
                    result,
                    index,
                    gains.grade(index + 1, top, result.conditions.settings),
                )
        found.append(
            Unjudged(
                document, result.texts.titles.get(document, ""), index + 1, move, worth
            )
        )
    return found


def _move(result: CaseResult, index: int, grade: float) -> float:
    """How far nDCG@k would go if one result had this grade; 0 where it would not be defined then."""
    graded = result.graded
    grades = [*graded.grades]
    grades[index] = grade
    possible = score(
        result.metric,
        GradedRanking(grades, graded.repeated, [*graded.judged, grade]),
        result.conditions.settings,
    )
    return 0.0 if isnan(possible) else possible - (result.score or 0.0)


def top_grade(result: CaseResult) -> float | None:
    """The highest grade there is; where it has no gain, as nothing relevant is judged yet, one that has; or None."""
    gain = result.conditions.settings.gain
    grades = [result.conditions.highest, 1.0]
    if isinstance(gain, Mapping):
        grades = [
            grade
            for grade in (result.conditions.highest, *sorted(gain, reverse=True))
            if grade in gain
        ]
    return next(
        (grade for grade in grades if result.conditions.settings.gain_of(grade) > 0),
        None,
    )


COLUMNS = ("query_id", "query", "document", "title", "ranks", "worth", "move", "grade")
"""The columns of every worklist; fields of the catalogue come behind the title, columns that users add at the end."""

_NEEDED = frozenset(COLUMNS) - {"worth"}
"""The columns by which a file is known as a worklist."""

_FIELD_PLACE = COLUMNS.index("title") + 1
_Search = tuple[str, str | None]
"""The name of a search, and its variant."""

_PREFERRED = SPELLINGS["document"][: SPELLINGS["document"].index("document")]
_TAKEN = frozenset(
    map(folded, (*COLUMNS, *_PREFERRED, *SPELLINGS["rater"], MACHINE, "note"))
)
"""Names of columns that a reader of judgments would take for other columns of a worklist, or for raters."""

_NEVER_IN_A_FILE = re.compile("[\0\ud800-\udfff]")
_NEVER_IN_A_LINE = re.compile(
    "[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Line breaks, control characters and those that reorder text, and what no file may have."""


@dataclass(slots=True)
class WorklistRow:
    """An unjudged document of a query, with the ranks (from 1) at which each search returned it.

    `worth` and `move` are the largest, up or down; `effect` is how far the sum of the weighted scores would go with the
    worth, `reach` how far with the move. `fields` are the fields of the catalogue.
    """

    query_id: str
    query: str
    document: str
    title: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    ranks: dict[_Search, set[int]] = field(default_factory=dict)
    worth: float = 0.0
    move: float = 0.0
    effect: float = 0.0
    reach: float = 0.0

    def add(self, result: CaseResult, unjudged: Unjudged) -> None:
        """Add the result of a case that returned the document. The order of calls does not matter."""
        self.title = _longer(self.title, unjudged.title)
        for name, value in result.texts.shown.get(unjudged.document, {}).items():
            self.fields[name] = _longer(self.fields.get(name, ""), value)
        self.ranks.setdefault((result.search, result.variant), set()).add(unjudged.rank)
        self.worth = max(
            self.worth, unjudged.worth, key=lambda worth: (abs(worth), worth)
        )
        self.move = max(self.move, unjudged.move, key=lambda move: (abs(move), move))
        self.effect = max(self.effect, result.weight * abs(unjudged.worth))
        self.reach = max(self.reach, result.weight * abs(unjudged.move))

    @property
    def key(self) -> tuple[str, str, str]:
        """The key that distinguishes the row from all others."""
        return self.query_id, self.query, self.document

    @property
    def order(self) -> tuple[object, ...]:
        """The sort key of the row in its query: largest effect first, then best rank."""
        return (
            *_largest_first([self]),
            min(map(min, self.ranks.values())),
            self.document,
        )


def _longer(one: str, two: str) -> str:
    """The longer of two texts, on one line: where searches name a document differently, the same whatever the order."""
    return max(one, on_one_line(two), key=lambda text: (len(text), text))


class Worklist:
    """The unjudged results of all cases that ran. A pair of query and document is one row, however often it occurs.

    The rows of a query stand together, those with the largest effect first; the queries with the most effect in all
    their rows come first. `found` has each case that ran, with its unjudged results.
    """

    def __init__(self, found: Iterable[tuple[CaseResult, Sequence[Unjudged]]]) -> None:
        found = list(found)
        ran = [result for result, _ in found]
        self._searches = variants_in_order(ran)
        ids = _ids_by_query(
            (in_a_file(result.id), in_a_file(result.query)) for result in ran
        )
        of_query: dict[tuple[str, str], dict[str, WorklistRow]] = {}
        for result, unjudged_of_case in found:
            query = in_a_file(result.query)
            for unjudged in unjudged_of_case:
                query_id, document = (
                    ids[in_a_file(result.id), query],
                    in_a_file(unjudged.document),
                )
                rows = of_query.setdefault((query, query_id), {})
                rows.setdefault(document, WorklistRow(query_id, query, document)).add(
                    result, unjudged
                )
        ordered = sorted(
            of_query.items(),
            key=lambda each: (*_largest_first([*each[1].values()]), each[0]),
        )
        self.rows = [
            row
            for _, rows in ordered
            for row in sorted(rows.values(), key=lambda row: row.order)
        ]

    @classmethod
    def of(cls, results: Iterable[CaseResult]) -> Worklist:
        """The worklist of a run; cases that did not run have no part in it."""
        ran = [result for result in results if result.evaluation.scores]
        gains = PlausibleGains(ran)
        return cls((result, unjudged_results(result, gains)) for result in ran)

    @property
    def queries(self) -> int:
        """How many queries have unjudged results."""
        return len({(row.query_id, row.query) for row in self.rows})

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        fields = dict.fromkeys(name for row in self.rows for name in row.fields)
        return [
            *COLUMNS[:_FIELD_PLACE],
            *map(_field_column, fields),
            *COLUMNS[_FIELD_PLACE:],
        ]

    def cells(self, row: WorklistRow) -> dict[str, str]:
        """The cells of a row by the names of their columns."""
        texts = dict(
            zip(COLUMNS, (*row.key, row.title, self._ranks(row)), strict=False)
        )
        fields = {
            _field_column(name): escaped(value) for name, value in row.fields.items()
        }
        moves = {"worth": row.worth, "move": row.move}
        figures = {
            name: f"{round(move, 4) + 0.0:.4f}" for name, move in moves.items()
        }  # a zero has no sign
        return {
            **{name: escaped(text) for name, text in texts.items()},
            **fields,
            **figures,
            "grade": "",
        }

    def to_csv(self, before: bytes = b"") -> bytes:
        """The content of the file. `before` is what it replaces: columns that users added stay."""
        columns = self.columns
        own, kept = _added(before, columns)
        rows = [[*columns, *own]]
        for row in self.rows:
            cells, key = self.cells(row), tuple(map(escaped, row.key))
            rows.append(
                [
                    *(cells.get(name, "") for name in columns),
                    *kept.get(key, [""] * len(own)),
                ]
            )
        return csv_text(rows).encode()

    def _ranks(self, row: WorklistRow) -> str:
        """`3`, or with several searches or variants `bm25: 3; hybrid: 7`."""
        parts = []
        for search in self._searches:
            if search in row.ranks:
                label = f"{self._label(search)}: " if len(self._searches) > 1 else ""
                parts.append(label + ", ".join(map(str, sorted(row.ranks[search]))))
        return "; ".join(parts)

    def _label(self, search: _Search) -> str:
        """A variant alone, where all are of one search; else `search[variant]`."""
        name, variant = printable(search[0]), printable(search[1] or "")
        if variant and len({other for other, _ in self._searches}) == 1:
            return variant
        return f"{name}[{variant}]" if variant else name


def _largest_first(rows: Sequence[WorklistRow]) -> tuple[float, float]:
    """A sort key: the effect of all rows, and their reach where that is equal, the largest first."""
    return -round(fsum(row.effect for row in rows), 12), -round(
        fsum(row.reach for row in rows), 12
    )


def _field_column(name: str) -> str:
    """The column of a field of the catalogue: its name, unless a reader of judgments could take it for another."""
    is_taken = folded(name) in _TAKEN or may_be_grades(name)
    return f"{name} (shown)" if is_taken else escaped(on_one_line(name))


def _added(
    before: bytes, columns: Sequence[str]
) -> tuple[list[str], dict[tuple[str, ...], list[str]]]:
    """The columns of an old worklist that a new one has not, and their cells by the key of the row."""
    if not before.strip():
        return [], {}
    names, *rows = read_worklist(before)
    own = [number for number, name in enumerate(names) if name not in columns]
    key = [names.index(name) for name in ("query_id", "query", "document")]
    kept = {
        tuple(row[number] for number in key): [row[number] for number in own]
        for row in rows
    }
    return [names[number] for number in own], kept


def read_worklist(data: bytes) -> list[list[str]]:
    """The rows of a worklist. Raises ValueError for another file."""
    if not data.strip():
        return []
    source = Source("the worklist", data)
    with cells_of_any_length():
        rows = [
            row for _, row in TextTable(source, source.header.names).rows()
        ]  # with the header
    names = rows[0]
    if not (
        {*names} >= _NEEDED
        and len({*names}) == len(names)
        and {*map(len, rows)} == {len(names)}
    ):
        raise ValueError(
            "it is no worklist, or a row has more or fewer cells than there are columns"
        )
    return rows


def why_kept(data: bytes) -> str | None:
    """Why a file must not be replaced by a new worklist, and what to do; None for a worklist without a grade."""
    try:
        rows = read_worklist(data)
    except ValueError:
        return "exists and is no worklist; name another file"
    grade = rows[0].index("grade") if rows else 0
    graded = sum(1 for row in rows[1:] if row[grade].strip())
    if not graded:
        return None
    return (
        f"has {counted(graded, 'grade')} filled in, which a new worklist would overwrite; add the file to the "
        "judgments of the case file, and name another one for what is left to judge"
    )


def _ids_by_query(queries: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The id that each query, an id and a text, is listed under.

    That is its own id; its text, where suites use one id for several texts: in a file of judgments an id can mean only
    one of them.
    """
    ids = {(own, text): own for own, text in queries}
    while True:
        texts: dict[str, set[str]] = {}
        for (_, text), listed in ids.items():
            texts.setdefault(listed, set()).add(text)
        shared = [
            key
            for key, listed in ids.items()
            if listed != key[1] and len(texts[listed]) > 1
        ]
        if not shared:
            return ids
        ids.update((key, key[1]) for key in shared)


def on_one_line(text: str) -> str:
    """Text without line breaks, control characters and those that reorder it."""
    return _escaped(_NEVER_IN_A_LINE, text)


def in_a_file(text: str) -> str:
    """Text as a file in UTF-8 can contain it."""
    return _escaped(_NEVER_IN_A_FILE, text)


def _escaped(never: re.Pattern[str], text: str) -> str:
    """Text with some characters escaped as in Python."""
    if text.isprintable():
        return text
    return never.sub(
        lambda found: (
            found[0].encode("unicode_escape", "surrogatepass").decode("ascii")
        ),
        text,
    )


_OF_JUDGES = ("rater", MACHINE, "note")
_OTHER = (
    "exists and is not as a judge writes it: CSV with commas, query_id as its first column, columns rater, machine and "
    "note, and no quotes around names; save it so, or name another file"
)

_UNCLOSED = re.compile(rb'(?:^|,)"(?:[^"]|"")*$')
"""The end of a line in a quoted cell."""


def why_not_added_to(data: bytes) -> str | None:
    """Why rows of a judge must not be added to a file with this content, and what to do; None where they may."""
    if not data.strip():
        return None
    first, *names = (
        data.removeprefix(b"\xef\xbb\xbf")
        .partition(b"\n")[0]
        .decode(errors="replace")
        .strip()
        .split(",")
    )
    if first != "query_id" or not {*names} >= {*_OF_JUDGES}:
        return _OTHER
    try:
        read_worklist(_whole_rows(data))
    except ValueError as error:
        return f"is damaged: {error}; mend it, or name another file"
    return None


def _whole_rows(data: bytes) -> bytes:
    """The content without the half of a row that a killed run, or a full disk, left at its end.

    The half may have line feeds, in quotes. Anything else that is damaged stays.
    """
    end = len(data)
    while end > 0:
        try:
            read_worklist(data[:end])
        except ValueError:
            end = data.rfind(b"\n", 0, end - 1) + 1
            first, feed, _ = data[end:].partition(b"\n")
            if feed and not _UNCLOSED.search(first):  # a row that ends
                break
        else:
            return data[:end] if data[:end].endswith(b"\n") else data + b"\n"
    return data


class JudgeFile:
    """The file that a judge fills: a worklist with the columns rater, machine and note, to which rows are added singly.

    Each row is written when its grade comes, so that a killed run loses only those that were on their way. A later run
    goes on with the file: a pair of query and document that it has under the name of the judge is not asked for again,
    even where the grade is blank, as the judge cannot tell.
    """

    def __init__(self, path: Path) -> None:
        """Take half of a row off the end of the file. Raises OSError."""
        self.path = path
        self._names: list[str] = []
        self._ids: dict[str, list[str]] = {}
        data = self._content()
        whole = _whole_rows(data)
        if whole != data:
            with path.open("ab") as file:
                file.truncate(min(len(whole), len(data)))
                file.write(whole[len(data) :])

    def open(self, worklist: Worklist, rater: str) -> tuple[int, list[WorklistRow]]:
        """How many pairs of query and document a worklist has, and those that the file has not under a judge's name.

        A file that is empty or not there gets its header. Raises OSError.
        """
        self._names, *rows = read_worklist(_whole_rows(self._content())) or [[]]
        if not self._names:
            self._names = [*worklist.columns, *_OF_JUDGES]
            self._add(self._names)
        known = set[tuple[str, ...]]()
        for written in rows:
            cells = dict(zip(self._names, map(str.strip, written), strict=True))
            self._ids.setdefault(cells["query"], []).append(cells["query_id"])
            if cells["rater"] == _cell(rater):
                known.add((cells["query_id"], cells["query"], cells["document"]))
        pairs: dict[tuple[str, ...], WorklistRow] = {}
        for row in worklist.rows:
            pairs.setdefault(
                (self._id_of(row), _cell(row.query), _cell(row.document)), row
            )
        return len(pairs), [row for pair, row in pairs.items() if pair not in known]

    def add(
        self,
        worklist: Worklist,
        row: WorklistRow,
        rater: str,
        grade: float | None,
        note: str,
    ) -> None:
        """Add a row with the grade of a judge; None is a blank one. Raises OSError."""
        written = "" if grade is None else f"{grade!r}"
        of_judge = {
            "grade": written,
            "rater": escaped(rater),
            MACHINE: "true",
            "note": escaped(on_one_line(note)),
        }
        cells = {
            **worklist.cells(row),
            "query_id": escaped(self._id_of(row)),
            **of_judge,
        }
        self._add([cells.get(name, "") for name in self._names])

    def _id_of(self, row: WorklistRow) -> str:
        """The id under which a grade is looked for and added.

        A query that has another id by now keeps the id that the file has for its text: with two ids the rows would be
        of two queries, as they are where the file has its own id, too.
        """
        own = _cell(row.query_id)
        ids = self._ids.setdefault(_cell(row.query), [own])
        return own if own in ids else ids[0]

    def _content(self) -> bytes:
        return self.path.read_bytes() if self.path.is_file() else b""

    def _add(self, cells: Sequence[str]) -> None:
        with self.path.open("ab") as file:
            file.write(csv_text([cells]).encode())


def _cell(text: str) -> str:
    """A text as it is read in a file."""
    return escaped(text).strip()
