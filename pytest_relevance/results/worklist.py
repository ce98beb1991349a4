"""The worklist: the unjudged results of a run as a CSV file to fill in, the most valuable first.

Filled in, it is a file of judgments like any other: its rows are found by query id and by query text, and a blank grade
is no judgment. So its texts are exactly those of the run, except for a space before a cell that a spreadsheet would
take for a formula, which the reader of tables takes off again.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace

from pytest_relevance._text import counted, printable
from pytest_relevance.judgments.formats.table import cells_of_any_length, csv_rows, escaped
from pytest_relevance.judgments.source import Header
from pytest_relevance.metrics.graded import GradedRanking
from pytest_relevance.metrics.scalar import score
from pytest_relevance.results.case_result import CaseResult, variants_in_order

COLUMNS = ("query_id", "query", "document", "title", "ranks", "move", "grade")

_Search = tuple[str, str | None]
"""The name of a search, and its variant."""

_NEVER_IN_A_FILE = re.compile("[\0\ud800-\udfff]")
_NEVER_IN_A_LINE = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Line breaks, control characters and those that reorder text, and what no file may have."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """An unjudged result in the top k, at its rank (from 1).

    `move` is nDCG@k with the highest grade for this document, the ideal recomputed, less the present score. Where that
    is not defined, because nothing relevant was judged, it is what the score would become.
    """

    document: str
    title: str
    rank: int
    move: float


def unjudged_results(result: CaseResult) -> list[Unjudged]:
    """The unjudged results in the top k of a case, best first."""
    documents = result.unjudged
    if not documents:
        return []
    graded, top, present = result.graded, _top_grade(result), result.score or 0.0
    found = []
    for document in documents:
        index = result.documents.index(document)
        possible = present if top is None else _score_with(result, graded, index, top)
        found.append(Unjudged(document, result.titles.get(document, ""), index + 1, possible - present))
    return found


def _score_with(result: CaseResult, graded: GradedRanking, index: int, grade: float) -> float:
    """nDCG@k if one result had this grade."""
    grades = [*graded.grades]
    grades[index] = grade
    return score(result.metric, GradedRanking(grades, graded.repeated, [*graded.judged, grade]), result.settings)


def _top_grade(result: CaseResult) -> float | None:
    """The highest grade there is; where it has no gain, as nothing relevant is judged yet, one that has; or None."""
    gain = result.settings.gain
    grades = [result.highest, 1.0]
    if isinstance(gain, Mapping):
        grades = [grade for grade in (result.highest, *sorted(gain, reverse=True)) if grade in gain]
    return next((grade for grade in grades if result.settings.gain_of(grade) > 0), None)


@dataclass(slots=True)
class WorklistRow:
    """An unjudged document of a query, with the ranks (from 1) at which each search returned it.

    `move` is the largest, up or down; `effect` how far the sum of the weighted scores would go with it.
    """

    query_id: str
    query: str
    document: str
    title: str = ""
    ranks: dict[_Search, set[int]] = field(default_factory=dict)
    move: float = 0.0
    effect: float = 0.0

    def add(self, result: CaseResult, unjudged: Unjudged) -> None:
        """Add the result of a case that returned the document. The order of calls does not matter."""
        self.title = max(self.title, _escaped(_NEVER_IN_A_LINE, unjudged.title), key=lambda title: (len(title), title))
        self.ranks.setdefault((result.search, result.variant), set()).add(unjudged.rank)
        self.move = max(self.move, unjudged.move, key=lambda move: (abs(move), move))
        self.effect = max(self.effect, result.weight * abs(unjudged.move))

    @property
    def order(self) -> tuple[object, ...]:
        """The sort key of the row: largest effect first, then best rank."""
        best = min(rank for ranks in self.ranks.values() for rank in ranks)
        return -round(self.effect, 12), best, self.query, self.document, self.query_id


class Worklist:
    """The unjudged results of all cases that ran. A pair of query and document is one row, however often it occurs."""

    def __init__(self, results: Iterable[CaseResult]) -> None:
        ran = [result for result in results if result.scores]
        self._searches = variants_in_order(ran)
        ids = _ids_by_query((_in_a_file(result.id), _in_a_file(result.query)) for result in ran)
        rows: dict[tuple[str, str, str], WorklistRow] = {}
        for result in ran:
            query = _in_a_file(result.query)
            for unjudged in unjudged_results(result):
                key = ids[_in_a_file(result.id), query], query, _in_a_file(unjudged.document)
                rows.setdefault(key, WorklistRow(*key)).add(result, unjudged)
        self.rows = sorted(rows.values(), key=lambda row: row.order)

    @property
    def queries(self) -> int:
        """How many queries have unjudged results."""
        return len({(row.query_id, row.query) for row in self.rows})

    def to_csv(self) -> bytes:
        """The content of the file."""
        lines: list[str] = []
        # csv quotes a line break in a cell only where it is part of what ends the lines
        writer = csv.writer(SimpleNamespace(write=lines.append), lineterminator="\r\n")
        writer.writerow(COLUMNS)
        for row in self.rows:
            texts = map(escaped, (row.query_id, row.query, row.document, row.title, self._ranks(row)))
            writer.writerow([*texts, f"{round(row.move, 4) + 0.0:.4f}", ""])  # a zero has no sign
        return "".join(line.removesuffix("\r\n") + "\n" for line in lines).encode()

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


def why_kept(data: bytes) -> str | None:
    """Why a file must not be replaced by a new worklist, and what to do; None for a worklist without a grade."""
    no_worklist = "exists and is no worklist; name another file"
    try:
        text = data.decode("utf-8-sig")
        separator = Header.of(text.partition("\n")[0]).separator
        with cells_of_any_length():
            rows = list(csv_rows(data, separator))
    except (UnicodeDecodeError, csv.Error):
        return no_worklist
    if rows and (tuple(rows[0]) != COLUMNS or any(len(row) != len(COLUMNS) for row in rows)):
        return no_worklist
    graded = sum(1 for row in rows[1:] if row[-1].strip())
    if not graded:
        return None
    return (
        f"has {counted(graded, 'grade')} filled in, which a new worklist would overwrite; add the file to the "
        "judgments of the case file, and name another one for what is left to judge"
    )


def _ids_by_query(queries: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The id that each query, an id and a text, is listed under.

    It is its own, unless suites use one id for different texts: in one file of judgments it can only mean one of them,
    and each of these texts is its own id.
    """
    ids = {(own, text): own for own, text in queries}
    while True:
        texts: dict[str, set[str]] = {}
        for (_, text), listed in ids.items():
            texts.setdefault(listed, set()).add(text)
        shared = [key for key, listed in ids.items() if listed != key[1] and len(texts[listed]) > 1]
        if not shared:
            return ids
        ids.update((key, key[1]) for key in shared)


def _in_a_file(text: str) -> str:
    """Text as a file in UTF-8 can contain it."""
    return _escaped(_NEVER_IN_A_FILE, text)


def _escaped(never: re.Pattern[str], text: str) -> str:
    """Text with some characters escaped as in Python."""
    if text.isprintable():
        return text
    return never.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text)
