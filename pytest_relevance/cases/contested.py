"""Rows of judgment files that contest a judgment of a case, and have no effect since
that of the case counts.

Such a row may be the answer of somebody who disagreed, in the page of a run or in a
list. It must not be lost in silence. The same holds for a person's row in a file that
fills. The rows of a machine are expected to differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._problems import Place
from pytest_relevance._text import counted, quoted
from pytest_relevance.cases.graded import FileJudgments

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a row has no effect, and what to do if the row is right."""

    why: str
    way_out: str


OWN = Reason(
    why="the case has a judgment of its own",
    way_out="If the row is right, change the judgment in the case or take it out",
)
FILLS = Reason(
    why="the file fills (fill: true), and a judgment elsewhere counts",
    way_out="If the row is right, name the file without fill: true, and take the other judgment out",
)


@dataclass(frozen=True, slots=True)
class ContestedRow:
    """A row of a file whose grade of a document is `grade`, while `counts` is the grade
    that counts.
    """

    file: str
    place: Place
    query: str
    document: str
    grade: float
    counts: float
    reason: Reason

    def describe(self) -> str:
        """Describe the row in a part of a sentence, with its line."""
        where = ""
        if self.place.line:
            where = f"line {self.place.line}: "
        elif self.place.path:
            where = f"{self.place.path}: "
        return (
            f"{where}query {quoted(self.query, 40)}, document {quoted(self.document, 40)} "
            f"has grade {self.grade:g} there, and {self.counts:g} counts"
        )


def find_contested(
    counting: Mapping[str, float], found: Iterable[FileJudgments], reason: Reason
) -> list[ContestedRow]:
    """Find the rows of judgment files that give a document another grade than the one
    that counts.

    `counting` are the grades that count, by document.
    """
    rows = []
    for in_file in found:
        for document, grade in in_file.grades.items():
            counts = counting.get(document, grade)
            if counts != grade:
                row = ContestedRow(
                    file=in_file.judgments.file,
                    place=in_file.place(document),
                    query=in_file.judgments.text(in_file.key),
                    document=document,
                    grade=grade,
                    counts=counts,
                    reason=reason,
                )
                rows.append(row)
    return rows


def notices_of(rows: Sequence[ContestedRow]) -> list[str]:
    """Name the rows in a notice for each file, and say both ways out."""
    groups: dict[tuple[str, Reason], list[ContestedRow]] = {}
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
