"""Find cases that have another id, file or variant now than in the reference.

A case was *moved* if the reference has the case at one place, the run has one at
another place, and both have the same query, params and judgments. A moved case keeps
its accepted ranking. If several cases have the same query, params and judgments, the
same id or the same variant tells them apart. Otherwise the cases are not matched.

A variant was *renamed* if a case has one variant that only the reference has, and one
that only the run has.

An id may belong to another case now, for example if ids are the numbers of rows. Then
the key of the case counts both as gone and as new.

`moves_since` is called when all cases are collected, before any of them runs, and by
`recorded_comparison`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from pytest_relevance.cases.model import Case
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    BaselineEntry,
    EntryKey,
    MovedEntries,
    with_sorted_keys,
)
from pytest_relevance.results.records.json_lines import as_json
from pytest_relevance.results.records.run_info import FileInfo, MovedCase


class CaseKey(NamedTuple):
    """The key of a case in a run: its file, its id, and the variant of its search."""

    file: str
    id: str
    variant: str | None

    @property
    def in_file(self) -> EntryKey:
        """Return the key of the case in its file."""
        return self.id, self.variant


@dataclass(frozen=True, slots=True)
class CaseIdentity:
    """What identifies a case under any key: its query, params and judgments.

    `params`: the params as JSON.
    `digest`: a digest of the judgments; "" if they are not known.
    """

    query: str
    params: str
    digest: str


@dataclass(frozen=True, slots=True)
class KeyedCase:
    """A case by its key, with the query, params and judgments that identify it."""

    key: CaseKey
    identity: CaseIdentity


@dataclass(frozen=True, slots=True)
class Moves:
    """Which cases were moved.

    `moved`: {key now: key before}.
    `unclear`: the keys of new cases that may have been moved. Several cases of the
    reference fit such a case, or several such cases fit one of the reference.
    """

    moved: dict[CaseKey, CaseKey] = field(default_factory=dict)
    unclear: list[CaseKey] = field(default_factory=list)

    @property
    def files(self) -> set[str]:
        """Return the files of `moved`, before and now, and those of `unclear`."""
        return {key.file for key in (*self.moved.values(), *self.moved, *self.unclear)}

    def entries(
        self, references: Mapping[str, BaselineEntries]
    ) -> defaultdict[str, MovedEntries]:
        """Return {case file: the entries that come to the file and that leave it}.

        `references`: the entries of each case file. If an entry is not among them, only
            its key leaves.
        """
        by_file: defaultdict[str, MovedEntries] = defaultdict(MovedEntries)
        for now, before in self.moved.items():
            source = references[before.file]
            by_file[before.file].leaving.add(before.in_file)
            entry = source.get(before.in_file)
            if entry is not None:
                by_file[now.file].add(now.in_file, entry, source)
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
        for key in self.unclear:
            if key.file == file:
                unclear.append(key.in_file)
        return replace(info, moved=tuple(moved), unclear=tuple(unclear))

    @classmethod
    def noted(cls, files: Mapping[str, FileInfo]) -> Moves:
        """Return the moves that `noted_in` has noted in the data of case files."""
        moved = {}
        for file, info in files.items():
            for case in info.moved:
                before = case.file_before, case.id_before, case.variant_before
                moved[CaseKey(file, case.id, case.variant)] = CaseKey(*before)
        return cls(moved)


# --- gone and new cases ---------------------------------------------------------------

PresentCase = TypeVar("PresentCase", Case, CaseResult)
"""A case of a run: the case itself, or its recorded result."""

ParamsOf = Callable[[PresentCase], Mapping[str, Any]]
"""Returns the params of a case, with secrets masked as in a reference."""


def moves_since(
    references: Mapping[str, BaselineEntries],
    present: Mapping[str, Mapping[EntryKey, PresentCase]],
    *,
    may_be_gone: Callable[[str, BaselineEntry], bool],
    params_of: ParamsOf[PresentCase],
    digest_of: Callable[[PresentCase], str],
) -> Moves:
    """Return which cases of a run the reference has under another key.

    `references`: the entries of each case file.
    `present`: the cases of each case file of the run.
    `may_be_gone`: says whether a case of the reference that the run lacks is gone, by
        its file and entry. It may not have run, or be left out.
    `digest_of`: returns a digest of the judgments of a case; "" if it is not known.
    """
    gone = []
    for file, entries in references.items():
        cases = present.get(file, {})
        for key, entry in entries.items():
            case = cases.get(key)
            if case is None:
                is_gone = may_be_gone(file, entry)
            else:
                is_gone = not asks_the_same(case, entry, params_of)
            if is_gone:
                gone.append(KeyedCase(CaseKey(file, *key), _identity_in(entry)))
    if not gone:
        return Moves()
    new = []
    for case_key, case in _new_cases(references, present, gone, params_of):
        identity = identity_of(case.query, params_of(case), digest_of(case))
        new.append(KeyedCase(case_key, identity))
    return find_moves(gone, new)


def _new_cases(
    references: Mapping[str, BaselineEntries],
    present: Mapping[str, Mapping[EntryKey, PresentCase]],
    gone: Iterable[KeyedCase],
    params_of: ParamsOf[PresentCase],
) -> Iterator[tuple[CaseKey, PresentCase]]:
    """Yield the cases of the run that the reference does not have under their key.

    Only cases are yielded that have the query or the id of a case in `gone`, because no
    other case can have moved.
    """
    queries = {case.identity.query for case in gone}
    ids = {(case.key.file, case.key.id) for case in gone}
    for file, cases in present.items():
        entries = references.get(file, BaselineEntries())
        for key, case in cases.items():
            if case.query not in queries and (file, case.id) not in ids:
                continue
            if key in entries.without_ranking:
                continue  # the reference knows the case under this key
            entry = entries.get(key)
            if entry is None or not asks_the_same(case, entry, params_of):
                yield CaseKey(file, *key), case


def asks_the_same(
    case: PresentCase, entry: BaselineEntry, params_of: ParamsOf[PresentCase]
) -> bool:
    """Say whether a case has the query and the params of an entry."""
    if entry.query != case.query:
        return False
    if entry.params == case.params:  # spares most cases the JSON
        return True
    return identity_of(case.query, params_of(case), entry.digest) == _identity_in(entry)


def identity_of(query: str, params: Mapping[str, object], digest: str) -> CaseIdentity:
    """Return what identifies a case, with its params as JSON."""
    return CaseIdentity(query, as_json(with_sorted_keys(params)), digest)


def _identity_in(entry: BaselineEntry) -> CaseIdentity:
    """Return what identifies the case of an entry."""
    return identity_of(entry.query, entry.params, entry.digest)


# --- which of them belong together ----------------------------------------------------


def find_moves(gone: Iterable[KeyedCase], new: Iterable[KeyedCase]) -> Moves:
    """Return which new cases the reference has under another key.

    `gone`: the cases that only the reference has.
    `new`: the cases that only the run has.
    """
    matching = _Matching(gone, new)
    matching.match(matching.renamed_variant)
    matching.match(_same_id_and_variant)  # in another file
    matching.match(_same_variant)  # under another id
    matching.match(_identity)
    return Moves(matching.moved, matching.unclear())


Feature = Callable[[KeyedCase], Hashable]
"""Returns what two cases must have in common to be the same; None matches no case."""


def _same_id_and_variant(case: KeyedCase) -> Hashable:
    return _identity_with(case, case.key.id, case.key.variant)


def _same_variant(case: KeyedCase) -> Hashable:
    return _identity_with(case, case.key.variant)


def _identity(case: KeyedCase) -> Hashable:
    return _identity_with(case)


def _identity_with(case: KeyedCase, *of_key: str | None) -> Hashable:
    """Return what identifies a case, with parts of its key; None if not judged."""
    return (case.identity, of_key) if case.identity.digest else None


class _Matching:
    """Matches new cases with gone ones, by one feature after another."""

    def __init__(self, gone: Iterable[KeyedCase], new: Iterable[KeyedCase]) -> None:
        self._gone = {case.key: case for case in gone}
        self._new = {case.key: case for case in new}
        self._of_both = self._gone.keys() & self._new.keys()
        self.moved: dict[CaseKey, CaseKey] = {}

    def match(self, feature: Feature) -> None:
        """Match a gone case with a new one if no other case has the same feature."""
        gone_by_feature = _by_feature(self._gone.values(), feature)
        for value, cases in _by_feature(self._new.values(), feature).items():
            candidates = gone_by_feature.get(value, [])
            if len(cases) == 1 and len(candidates) == 1:
                now, before = cases[0].key, candidates[0].key
                self.moved[now] = before
                del self._new[now], self._gone[before]

    def renamed_variant(self, case: KeyedCase) -> Hashable:
        """Return the file and the id of a case, for a variant under another name.

        By this feature `boots[bm25]`, which is gone, and `boots[lexical]`, which is
        new, match. None if the key of the case is both gone and new, since it asks
        something else now.
        """
        if case.key in self._of_both:
            return None
        return case.key.file, case.key.id

    def unclear(self) -> list[CaseKey]:
        """Return the keys of new cases that may have been moved, but are not matched.

        Such a case has several candidates, or shares one with another new case.
        """
        gone = set()
        for case in self._gone.values():
            gone |= {_identity(case), self.renamed_variant(case)}
        gone.discard(None)
        unclear = []
        for key, case in self._new.items():
            if _identity(case) in gone or self.renamed_variant(case) in gone:
                unclear.append(key)
        return unclear


def _by_feature(
    cases: Iterable[KeyedCase], feature: Feature
) -> dict[Hashable, list[KeyedCase]]:
    """Return {feature: cases that have it}, without cases that have none."""
    found: dict[Hashable, list[KeyedCase]] = defaultdict(list)
    for case in cases:
        value = feature(case)
        if value is not None:
            found[value].append(case)
    return found
