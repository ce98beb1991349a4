"""Rows of judgment files that contest a judgment of a case, and have no effect since that of the case counts.

Such a row may be the answer of somebody who disagreed, in the page of a run or in a list. It must not be lost in
silence. The same holds for a person's row in a file that fills. The rows of a machine are expected to differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._problems import Place
from pytest_relevance._text import counted, quoted
from pytest_relevance.judgments.model import Judgments

_MOST_NAMED = 5
OWN, FILLS = "own", "fills"
"""Why a row has no effect: the case judges the document itself, or the file fills and people have judged it."""

_WHY = {
    OWN: "the case has a judgment of its own",
    FILLS: "the file fills (fill: true), and a judgment elsewhere counts",
}
_WAYS_OUT = {
    OWN: "If the row is right, change the judgment in the case or take it out",
    FILLS: "If the row is right, name the file without fill: true, and take the other judgment out",
}


@dataclass(frozen=True)
class ContestedRow:
    """A row whose grade of a document is `grade`, while `counts` is the grade that counts. `why` is OWN or FILLS."""

    file: str
    place: Place
    query: str
    document: str
    grade: float
    counts: float
    why: str

    def describe(self) -> str:
        """Describe the row in a part of a sentence, with its line."""
        where = ""
        if self.place.line:
            where = f"line {self.place.line}: "
        elif self.place.path:
            where = f"{self.place.path}: "
        return (
            f"{where}query {quoted(self.query, 40)}, document {quoted(self.document, 40)} has grade {self.grade:g} "
            f"there, and {self.counts:g} counts"
        )


def contested_rows(
    counting: Mapping[str, float], found: Iterable[tuple[Judgments, str]], why: str
) -> list[ContestedRow]:
    """Find the rows of judgment files that give a document another grade than the one that counts.

    `counting` are the grades that count, by document. `found` are judgments of files, and the key of the query there.
    """
    rows = []
    for judgments, key in found:
        for document, grade in judgments[key].items():
            counts = counting.get(document, grade)
            if counts != grade:
                row = ContestedRow(
                    file=judgments.file,
                    place=judgments.place(key, document),
                    query=judgments.text(key),
                    document=document,
                    grade=grade,
                    counts=counts,
                    why=why,
                )
                rows.append(row)
    return rows


def notices_of(rows: Sequence[ContestedRow]) -> list[str]:
    """Name the rows in a notice for each file, and say both ways out."""
    groups: dict[tuple[str, str], list[ContestedRow]] = {}
    for row in dict.fromkeys(rows):
        groups.setdefault((row.file, row.why), []).append(row)
    notices = []
    for (file, why), of_file in groups.items():
        named = [row.describe() for row in of_file[:_MOST_NAMED]]
        more = len(of_file) - len(named)
        if more > 0:
            named.append(f"and {more:,} more")
        has = "has" if len(of_file) == 1 else "have"
        notices.append(
            f"{file}: {counted(len(of_file), 'row')} {has} no effect, since {_WHY[why]}: {'; '.join(named)}. "
            f"{_WAYS_OUT[why]}. If the row is wrong, take it out of the file"
        )
    return notices
