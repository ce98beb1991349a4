"""Rows of judgment files that have no effect, and the notice that names them.

A row has no effect if another judgment of its document counts: that of the case, or for
a file with `fill: true` any other. If the grades differ, the row may be the right one:
somebody may have disagreed with the grade on the page of a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._problems import Place
from pytest_relevance._text import counted, quoted
from pytest_relevance.cases.case_judgments import FileJudgments

_MOST_NAMED = 5
"""How many rows a notice names."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a row of a judgment file has no effect.

    `way_out`: what to do if the row is right.
    """

    why: str
    way_out: str


BY_CASE = Reason(
    why="the case has a judgment of its own",
    way_out="If the row is right, change the judgment in the case or take it out",
)
BY_OTHERS = Reason(
    why="the file fills (fill: true), and a judgment elsewhere counts",
    way_out="If the row is right, name the file without fill: true, and take the other judgment out",
)


@dataclass(frozen=True, slots=True)
class OverruledRow:
    """A row of a judgment file that has no effect, because another grade counts.

    `grade`: the grade in the row.
    `counts`: the grade that the document has in the case.
    """

    file: str
    place: Place
    query: str
    document: str
    grade: float
    counts: float
    reason: Reason

    def describe(self) -> str:
        """Return the row as text, with its place if it is known, and both grades.

        `line 3: query "boots", document "d1" has grade 2 there, and 3 counts`
        """
        where = ""
        if self.place.line:
            where = f"line {self.place.line}: "
        elif self.place.path:
            where = f"{self.place.path}: "
        return (
            f"{where}query {quoted(self.query, 40)}, document {quoted(self.document, 40)} "
            f"has grade {self.grade:g} there, and {self.counts:g} counts"
        )


def find_overruled(
    counting: Mapping[str, float], parts: Iterable[FileJudgments], reason: Reason
) -> list[OverruledRow]:
    """Return the rows of judgment files whose grade differs from the one that counts.

    `counting`: the grades that count, by document.
    `reason`: why these grades count.
    """
    rows = []
    for part in parts:
        for document, grade in part.grades.items():
            counts = counting.get(document, grade)
            if counts != grade:
                row = OverruledRow(
                    file=part.judgments.file,
                    place=part.place(document),
                    query=part.judgments.text(part.key),
                    document=document,
                    grade=grade,
                    counts=counts,
                    reason=reason,
                )
                rows.append(row)
    return rows


def notices_of(rows: Sequence[OverruledRow]) -> list[str]:
    """Return one notice for each file: its rows without effect, and what to do."""
    groups: dict[tuple[str, Reason], list[OverruledRow]] = {}
    for row in dict.fromkeys(rows):
        groups.setdefault((row.file, row.reason), []).append(row)
    notices = []
    for (file, reason), of_file in groups.items():
        named = [row.describe() for row in of_file[:_MOST_NAMED]]
        more = len(of_file) - len(named)
        if more > 0:
            named.append(f"and {more:,} more")
        has = "has" if len(of_file) == 1 else "have"
        notices.append(
            f"{file}: {counted(len(of_file), 'row')} {has} no effect, since {reason.why}: "
            f"{'; '.join(named)}. {reason.way_out}. If the row is wrong, take it out of the "
            "file"
        )
    return notices
