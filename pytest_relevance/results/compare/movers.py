"""The cases on which two runs differ most, and what changed in their rankings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_relevance.results.rank_changes import Move, RankChanges, rank_changes
from pytest_relevance.results.run import Key, Result


@dataclass(frozen=True, slots=True)
class Mover:
    """A case whose score changed, by the metric that the comparison is about.

    `lost` are the relevant documents that left the top k, the best grades first; `found` those that entered it, and
    `shifted` those that moved within it.
    """

    key: Key
    line: int
    query: str
    metric: str
    first: float
    second: float
    changes: RankChanges
    lost: tuple[Move, ...]
    found: tuple[Move, ...]
    shifted: tuple[Move, ...]

    @property
    def difference(self) -> float:
        """How much the score changed."""
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class Movers:
    """The largest drops and the largest gains, the largest first."""

    drops: tuple[Mover, ...]
    gains: tuple[Mover, ...]


def mover(one: Result, two: Result, key: Key, metric: str, first: float, second: float) -> Mover:
    """A case from its two results and its scores."""
    grades = {**_grades(one), **_grades(two)}
    changes = rank_changes(one.ranking, two.ranking, two.k, grades)
    gains = two.settings.gains
    relevant = (
        sorted((move for move in moves if gains[move.grade] > 0), key=lambda move: -gains[move.grade])
        for moves in (changes.left, changes.entered, changes.moved)
    )
    return Mover(key, two.line, two.query, metric, first, second, changes, *map(tuple, relevant))


def _grades(result: Result) -> Mapping[str, float]:
    """The grades of the documents in a ranking."""
    details = result.details
    pairs = zip(details.get("ranking", ()), details.get("grades", ()), strict=False)
    return {document: grade for document, grade in pairs if grade is not None}
