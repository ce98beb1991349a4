"""Cases that stand under another id, in another file, or in another variant now.

A case was *moved* if the reference has it at one place, the run has it at another one,
and both have the same query, the same params and the same judgments. It keeps its
accepted ranking. If several cases ask the same, the same id or the same variant tells
them apart. What is still ambiguous is not resolved by guessing.

A variant was *renamed* if a case lacks one variant that the reference has, and has one
that the reference lacks.

An id may have gone to another case: ids that are the numbers of rows, for example. Then
the place is both gone and new.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from pytest_relevance.results.records.entries import (
    Asked,
    BaselineEntries,
    MovedEntries,
)
from pytest_relevance.results.records.run_info import FileInfo, MovedCase


@dataclass(frozen=True, slots=True)
class Place:
    """Where a case stands: its file, its id, and the variant of its search."""

    file: str
    id: str
    variant: str | None

    @property
    def key(self) -> tuple[str, str, str | None]:
        """The key of a result at this place."""
        return self.file, self.id, self.variant


@dataclass(frozen=True, slots=True)
class PlacedCase:
    """A case with its place and what it asks."""

    place: Place
    asked: Asked


@dataclass(frozen=True, slots=True)
class Moves:
    """Which cases were moved: the places that they have now, with their places before.

    `unclear` are the places of new cases that may have been moved, if several cases of
    the reference or several new ones would fit.
    """

    moved: dict[Place, Place] = field(default_factory=dict)
    unclear: list[Place] = field(default_factory=list)

    @property
    def files(self) -> set[str]:
        """The files that a case left, came to, or may have come to."""
        before = {place.file for place in self.moved.values()}
        return before | {place.file for place in (*self.moved, *self.unclear)}

    def entries(
        self, references: Mapping[str, BaselineEntries]
    ) -> dict[str, MovedEntries]:
        """The entries of the moved cases, by the files that they leave or come to."""
        found: dict[str, MovedEntries] = defaultdict(MovedEntries)
        for now, before in self.moved.items():
            source = references[before.file]
            key = before.id, before.variant
            found[before.file].leaving.add(key)
            found[now.file].add((now.id, now.variant), source[key], source)
        return found

    def noted_in(self, info: FileInfo, file: str) -> FileInfo:
        """The data of a case file, with its moved cases."""
        moved = []
        for now, before in self.moved.items():
            if now.file == file:
                moved.append(
                    MovedCase(
                        id=now.id,
                        variant=now.variant,
                        file_before=before.file,
                        id_before=before.id,
                        variant_before=before.variant,
                    )
                )
        unclear = [
            (place.id, place.variant) for place in self.unclear if place.file == file
        ]
        return replace(info, moved=tuple(moved), unclear=tuple(unclear))


def find_moves(gone: Iterable[PlacedCase], new: Iterable[PlacedCase]) -> Moves:
    """Find the new cases that the reference has at another place.

    `gone` are the cases that only the reference has, `new` those that only the run has.
    """
    search = _Search(gone, new)
    search.match(search.renamed_variant)
    search.match(_asked_and(lambda place: (place.id, place.variant)))  # in another file
    search.match(_asked_and(lambda place: place.variant))  # under another id
    search.match(_asked_and(lambda place: None))
    return Moves(search.moved, search.unclear())


Key = Callable[[PlacedCase], Hashable]
"""What a case has to have in common with another one; None matches nothing."""


def _asked_and(of_place: Callable[[Place], Hashable]) -> Key:
    """The key of cases that ask the same, and have something of their place in
    common.
    """

    def key(case: PlacedCase) -> Hashable:
        return (case.asked, of_place(case.place)) if case.asked.digest else None

    return key


class _Search:
    """The cases that no match was found for yet, and the matches."""

    def __init__(self, gone: Iterable[PlacedCase], new: Iterable[PlacedCase]) -> None:
        self._gone = {case.place: case for case in gone}
        self._new = {case.place: case for case in new}
        self._of_both = self._gone.keys() & self._new.keys()
        self.moved: dict[Place, Place] = {}

    def renamed_variant(self, case: PlacedCase) -> Hashable:
        """The file and the id of a case of which one variant is gone or new."""
        if case.place in self._of_both:
            return None
        return case.place.file, case.place.id

    def match(self, key: Key) -> None:
        """Match the cases that are alone with a key, among those gone and the new
        ones.
        """
        gone_by_key = _by_key(self._gone.values(), key)
        for value, cases in _by_key(self._new.values(), key).items():
            candidates = gone_by_key.get(value, [])
            if len(cases) == 1 and len(candidates) == 1:
                now, before = cases[0].place, candidates[0].place
                self.moved[now] = before
                del self._new[now], self._gone[before]

    def unclear(self) -> list[Place]:
        """The new cases that have a candidate, but not a single one."""
        asked, variants = set(), set()
        for case in self._gone.values():
            if case.asked.digest:
                asked.add(case.asked)
            variants.add(self.renamed_variant(case))
        variants.discard(None)
        return [
            place
            for place, case in self._new.items()
            if case.asked in asked or self.renamed_variant(case) in variants
        ]


def _by_key(cases: Iterable[PlacedCase], key: Key) -> dict[Hashable, list[PlacedCase]]:
    found: dict[Hashable, list[PlacedCase]] = defaultdict(list)
    for case in cases:
        value = key(case)
        if value is not None:
            found[value].append(case)
    return found
