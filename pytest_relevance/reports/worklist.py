"""The worklist: the results of a run that nobody has judged, as a CSV to fill in, the most valuable first.

Filled in, it is a file of judgments like any other: its rows are found by query id and by query text, and a blank grade
is no judgment. So what is text in it is exactly the text of the run, but for the space before a cell that a spreadsheet
would take for a formula, which the reader of tables takes off again.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from pytest_relevance._text import counted
from pytest_relevance.judgments.formats.rows import csv_chunks
from pytest_relevance.judgments.formats.table import escaped
from pytest_relevance.judgments.source import Header
from pytest_relevance.reports.summary.counts import Variant, variant_label
from pytest_relevance.reports.text import harmless
from pytest_relevance.results.worklist import Unjudged

COLUMNS = ("query_id", "query", "document", "title", "ranks", "move", "grade")

_NEVER_IN_A_FILE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Ran:
    """A case that ran, and what it left unjudged. `ran_as` is its search and the parameter of that."""

    id: str
    query: str
    ran_as: Variant
    weight: float
    results: Sequence[Unjudged]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Ran:
        """From what `values` made of it."""
        results = [Unjudged(*result) for result in values["results"]]
        return cls(values["id"], values["query"], (values["search"], values["variant"]), values["weight"], results)

    def values(self) -> dict[str, Any]:
        """All of it in types that travel between processes."""
        return {
            "id": _in_a_file(self.id),
            "query": _in_a_file(self.query),
            "search": self.ran_as[0],
            "variant": self.ran_as[1],
            "weight": float(self.weight),
            "results": [
                (_in_a_file(result.document), harmless(str.__str__(result.title)), result.rank, result.move)
                for result in self.results
            ],
        }


@dataclass(slots=True)
class Row:
    """A document that waits for a judgment under a query, and where which searches returned it.

    `move` is the largest there is, up or down; `effect` how far the sum of the weighted scores would go with it.
    """

    query_id: str
    query: str
    document: str
    title: str = ""
    ranks: dict[Variant, set[int]] = field(default_factory=dict)
    move: float = 0.0
    effect: float = 0.0

    def add(self, ran: Ran, result: Unjudged) -> None:
        """Take up that a case returned it. In whatever order that is done, the same comes of it."""
        self.title = max(self.title, result.title, key=lambda title: (len(title), title))
        self.ranks.setdefault(ran.ran_as, set()).add(result.rank)
        self.move = max(self.move, result.move, key=lambda move: (abs(move), move))
        self.effect = max(self.effect, ran.weight * abs(result.move))

    @property
    def order(self) -> tuple[object, ...]:
        """What rows are sorted by."""
        best = min(rank for ranks in self.ranks.values() for rank in ranks)
        return -round(self.effect, 12), best, self.query, self.document, self.query_id


class Worklist:
    """The unjudged results of all cases that ran. A pair of query and document is one row, however often it occurs."""

    def __init__(self, all_ran: Iterable[Ran]) -> None:
        all_ran = list(all_ran)
        self._variants = sorted({ran.ran_as for ran in all_ran}, key=str)
        ids = _ids_by_query((ran.id, ran.query) for ran in all_ran)
        rows: dict[tuple[str, str, str], Row] = {}
        for ran in all_ran:
            query_id = ids[ran.id, ran.query]
            for result in ran.results:
                key = query_id, ran.query, result.document
                rows.setdefault(key, Row(*key)).add(ran, result)
        self.rows = sorted(rows.values(), key=lambda row: row.order)

    @property
    def queries(self) -> int:
        """How many queries have unjudged results."""
        return len({(row.query_id, row.query) for row in self.rows})

    def csv(self) -> bytes:
        """The file."""
        lines: list[str] = []
        writer = csv.writer(SimpleNamespace(write=lines.append), lineterminator="\r\n")  # it quotes what is in there
        writer.writerow(COLUMNS)
        for row in self.rows:
            texts = map(escaped, (row.query_id, row.query, row.document, row.title, self._ranks(row)))
            writer.writerow([*texts, f"{round(row.move, 4) + 0.0:.4f}", ""])  # a zero has no sign
        return "".join(f"{line[:-2]}\n" for line in lines).encode()

    def _ranks(self, row: Row) -> str:
        """`3`, or with several variants `bm25: 3; hybrid: 7`."""
        parts = []
        for variant in self._variants:
            if variant in row.ranks:
                label = f"{variant_label(variant, self._variants)}: " if len(self._variants) > 1 else ""
                parts.append(label + ", ".join(map(str, sorted(row.ranks[variant]))))
        return "; ".join(parts)


def why_kept(data: bytes) -> str | None:
    """Why a file must not be replaced by a new worklist, and what to do; None for a worklist without a grade."""
    no_worklist = "exists and is no worklist; name another file"
    try:
        text = data.decode("utf-8-sig")
        separator = Header.of(text.partition("\n")[0]).separator
        rows = [row for _, rows in csv_chunks(data, separator) for row in rows]
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
    and the text stands for itself.
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
    """Text as a file of UTF-8 can hold it: NUL and halves of surrogate pairs are escaped."""
    text = str.__str__(text)
    if text.isprintable():
        return text
    return _NEVER_IN_A_FILE.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text)
