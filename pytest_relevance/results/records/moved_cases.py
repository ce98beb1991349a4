"""Find cases that have another id, file or variant now than in the reference.

A case was *moved* if the reference has the case at one place, the run has one at
another place, and both have the same query, params and judgments. A moved case keeps
its accepted ranking. If several cases have the same query, params and judgments, the
same id or the same variant tells them apart. Otherwise the cases are not matched.

A variant was *renamed* if a case has one variant that only the reference has, and one
that only the run has.

An id may belong to another case now, for example if ids are the numbers of rows. Then
the place of the case counts both as gone and as new.

`find_moves` is called when all cases are collected, before any of them runs, and by
`recorded_comparison`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from pytest_relevance.results.case_result import Key
from pytest_relevance.results.records.entries import (
    Asked,
    BaselineEntries,
    MovedEntries,
)
from pytest_relevance.results.records.run_info import FileInfo, MovedCase


@dataclass(frozen=True, slots=True)
class CasePlace:
    """The place of a case: its file, its id, and the variant of its search."""

    file: str
    id: str
    variant: str | None

    @property
    def key(self) -> Key:
        """Return the key of a result at this place."""
        return self.file, self.id, self.variant


@dataclass(frozen=True, slots=True)
class PlacedCase:
    """A case at its place, with the query, params and judgments that identify it."""

    place: CasePlace
    asked: Asked


@dataclass(frozen=True, slots=True)
class Moves:
    """Which cases were moved.

    `moved`: {place now: place before}.
    `unclear`: the places of new cases that may have been moved. Several cases of the
    reference fit such a case, or several such cases fit one of the reference.
    """

    moved: dict[CasePlace, CasePlace] = field(default_factory=dict)
    unclear: list[CasePlace] = field(default_factory=list)

    @property
    def files(self) -> set[str]:
        """Return the files of `moved`, before and now, and those of `unclear`."""
        places = (*self.moved.values(), *self.moved, *self.unclear)
        return {place.file for place in places}

    def entries(
        self, references: Mapping[str, BaselineEntries]
    ) -> dict[str, MovedEntries]:
        """Return {case file: the entries that come to the file and that leave it}.

        `references`: the entries of each case file.
        """
        by_file: dict[str, MovedEntries] = defaultdict(MovedEntries)
        for now, before in self.moved.items():
            source = references[before.file]
            key = before.id, before.variant
            by_file[before.file].leaving.add(key)
            by_file[now.file].add((now.id, now.variant), source[key], source)
        return by_file

    def noted_in(self, info: FileInfo, file: str) -> FileInfo:
        """Return the data of a case file, with the cases that were moved to it.

        Cases that may have been moved are in `FileInfo.unclear`.
        """
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
        unclear = []
        for place in self.unclear:
            if place.file == file:
                unclear.append((place.id, place.variant))
        return replace(info, moved=tuple(moved), unclear=tuple(unclear))


def find_moves(gone: Iterable[PlacedCase], new: Iterable[PlacedCase]) -> Moves:
    """Return which new cases the reference has at another place.

    `gone`: the cases that only the reference has.
    `new`: the cases that only the run has.
    """
    matching = _Matching(gone, new)
    matching.match(matching.renamed_variant)
    matching.match(_asked_with_id_and_variant)  # in another file
    matching.match(_asked_with_variant)  # under another id
    matching.match(_asked)
    return Moves(matching.moved, matching.unclear())


Feature = Callable[[PlacedCase], Hashable]
"""Returns what two cases must have in common to be the same; None matches no case."""


def _asked_with_id_and_variant(case: PlacedCase) -> Hashable:
    return _asked_with(case, case.place.id, case.place.variant)


def _asked_with_variant(case: PlacedCase) -> Hashable:
    return _asked_with(case, case.place.variant)


def _asked(case: PlacedCase) -> Hashable:
    return _asked_with(case)


def _asked_with(case: PlacedCase, *of_place: str | None) -> Hashable:
    """Return what identifies a case, with parts of its place; None if not judged."""
    return (case.asked, of_place) if case.asked.digest else None


class _Matching:
    """Matches new cases with gone ones, by one feature after another."""

    def __init__(self, gone: Iterable[PlacedCase], new: Iterable[PlacedCase]) -> None:
        self._gone = {case.place: case for case in gone}
        self._new = {case.place: case for case in new}
        self._of_both = self._gone.keys() & self._new.keys()
        self.moved: dict[CasePlace, CasePlace] = {}

    def match(self, feature: Feature) -> None:
        """Match a gone case with a new one if no other case has the same feature."""
        gone_by_feature = _by_feature(self._gone.values(), feature)
        for value, cases in _by_feature(self._new.values(), feature).items():
            candidates = gone_by_feature.get(value, [])
            if len(cases) == 1 and len(candidates) == 1:
                now, before = cases[0].place, candidates[0].place
                self.moved[now] = before
                del self._new[now], self._gone[before]

    def renamed_variant(self, case: PlacedCase) -> Hashable:
        """Return the file and the id of a case, for a variant under another name.

        By this feature `boots[bm25]`, which is gone, and `boots[lexical]`, which is
        new, match. None if the place of the case is both gone and new, since it asks
        something else now.
        """
        if case.place in self._of_both:
            return None
        return case.place.file, case.place.id

    def unclear(self) -> list[CasePlace]:
        """Return the places of new cases that may have been moved, but are not matched.

        Such a case has several candidates, or shares one with another new case.
        """
        gone = set()
        for case in self._gone.values():
            gone |= {_asked(case), self.renamed_variant(case)}
        gone.discard(None)
        unclear = []
        for place, case in self._new.items():
            if _asked(case) in gone or self.renamed_variant(case) in gone:
                unclear.append(place)
        return unclear


def _by_feature(
    cases: Iterable[PlacedCase], feature: Feature
) -> dict[Hashable, list[PlacedCase]]:
    """Return {feature: cases that have it}, without cases that have none."""
    found: dict[Hashable, list[PlacedCase]] = defaultdict(list)
    for case in cases:
        value = feature(case)
        if value is not None:
            found[value].append(case)
    return found
