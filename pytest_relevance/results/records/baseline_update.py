"""Update a baseline: which rankings are accepted, and how the file changes.

`plugin.baseline_output` calls it for each case file at the end of a run with
`--relevance-update`.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path

from pytest_relevance._text import printable, quoted
from pytest_relevance.results.case_parts import STALE
from pytest_relevance.results.case_result import (
    WITHOUT_SCORE,
    CaseResult,
    grouped,
    of_case_files,
)
from pytest_relevance.results.records.baseline_file import read_baseline, write_baseline
from pytest_relevance.results.records.demand_changes import DemandedOfCase
from pytest_relevance.results.records.demands import FileDemands
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    BaselineEntry,
    EntryKey,
    EntryMoves,
    MovedEntries,
    entry_of,
)
from pytest_relevance.results.records.fingerprint import Fingerprint, common
from pytest_relevance.results.records.reference import refusal, silent_searches
from pytest_relevance.results.records.run_info import RecordError
from pytest_relevance.results.records.uncompared import MARKED_SKIP, NOT_RUN, UNSTABLE
from pytest_relevance.results.responses.texts import is_made_of_text

ALL, NEW, TEST = "all", "new", "test"
"""What an update accepts: everything, new cases alone, or what the test demands."""

# --- what is accepted -----------------------------------------------------------------


def acceptable(
    results: Iterable[CaseResult], *, only_new: bool = False
) -> tuple[list[BaselineEntry], list[str]]:
    """Return the entries that an update may accept, and the ids of unstable cases.

    Every case that was scored is accepted, whatever its verdict, except:

    - a case that ended in an error in one of its repeats;
    - a case whose ranking differs between repeats or calls: it is unstable;
    - with `only_new`, a case with a stale entry: it is not new.

    `results`: those of one case file, with their details. Checks of tests in Python are
        left out.
    """
    searched = of_case_files(results)
    by_key = grouped(searched, lambda result: (result.id, result.variant))
    entries = []
    unstable = []
    for (case, variant), repeats in by_key.items():
        scored = [result for result in repeats if result.evaluation.scores]
        accepted = [entry_of(result) for result in scored]
        if _is_unstable(scored, accepted):
            of_variant = "" if variant is None else f"[{printable(variant)}]"
            unstable.append(quoted(case, 40) + of_variant)
            continue
        has_error = any(result.verdict in WITHOUT_SCORE for result in repeats)
        is_kept_out = only_new and any(_is_stale(result) for result in scored)
        if accepted and not has_error and not is_kept_out:
            entries.append(accepted[0])
    return entries, sorted(unstable)


def _is_unstable(
    scored: Sequence[CaseResult], accepted: Sequence[BaselineEntry]
) -> bool:
    """Say whether the ranking of a case differs between repeats or between calls."""
    for result in scored:
        if result.call.repeats is not None and result.call.repeats.rankings > 1:
            return True
    return len({entry.documents for entry in accepted}) > 1


def _is_stale(result: CaseResult) -> bool:
    """Say whether the baseline has a stale entry of the case."""
    return result.baseline is not None and result.baseline.standing == STALE


# --- the update -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Updated:
    """What an update did: the number of entries for each kind of change.

    `added`, `changed`, `dropped`, `kept`: how many entries were new, replaced, removed,
    and left as they were.
    `titles`: how many titles of documents were added or changed.
    `rescored`: how many of `changed` have the same ranking and other scores.
    `noted`: how many of `kept` have other judgments, weights, tags or demands.
    `moved`: how many entries came with the same ranking from another id, variant or
    file.
    `left`: how many entries went to another file.
    `has_new_fingerprint`: whether the fingerprint in the header changed.
    `has_new_gaps`: whether the list of cases without a ranking changed.
    `has_new_demands`: whether the demands of the file changed.
    `without_ranking`: how many cases have no accepted ranking, other than skipped and
    unstable ones.
    """

    added: int
    changed: int
    dropped: int
    kept: int
    titles: int = 0
    rescored: int = 0
    noted: int = 0
    moved: int = 0
    left: int = 0
    has_new_fingerprint: bool = False
    has_new_gaps: bool = False
    has_new_demands: bool = False
    without_ranking: int = 0

    @property
    def is_change(self) -> bool:
        """Say whether entries or titles changed."""
        moves = self.moved or self.left
        return bool(self.added or self.changed or self.dropped or moves or self.titles)

    @property
    def changes_file(self) -> bool:
        """Say whether anything in the file changed."""
        is_in_header = self.has_new_fingerprint or self.has_new_gaps
        is_of_test = bool(self.noted) or self.has_new_demands
        return self.is_change or is_of_test or is_in_header


@dataclass(frozen=True, slots=True)
class Update:
    """What an update of a baseline accepts, and what its run knows of the case file.

    `accepted`: the new entries, the cases without a ranking, and the demands of the
        file. The demands are written if the file is new or `all_keys` are given.
    `accepts`: `ALL`; or `NEW`, so that entries that the file has already stay; or
        `TEST`, so that no ranking is accepted.
    `all_keys`: all cases of the file, if all of it ran. Entries of other cases are
        dropped.
    `moves`: the entries of cases that were moved, which is done first.
    `collected`: all cases of the file; None if they are not known. A case that is not
        among them is no longer listed as one without a ranking.
    `searches`: {case: its search}, for cases that should find something.
    `tests`: what the test demands of the cases that ran. Earlier entries keep their
        ranking. They get these demands, except with `NEW`.
    """

    accepted: BaselineEntries
    _: KW_ONLY
    accepts: str = ALL
    all_keys: frozenset[EntryKey] | None = None
    moves: MovedEntries = field(default_factory=MovedEntries)
    collected: Collection[EntryKey] | None = None
    searches: Mapping[EntryKey, str] = field(default_factory=dict)
    tests: Mapping[EntryKey, DemandedOfCase] = field(default_factory=dict)

    @property
    def only_new(self) -> bool:
        """Say whether entries that the file has already stay."""
        return self.accepts == NEW

    @property
    def only_test(self) -> bool:
        """Say whether no ranking is accepted."""
        return self.accepts == TEST


def update_baseline(
    path: str | os.PathLike[str], update: Update, *, shown: str | None = None
) -> Updated:
    """Write accepted rankings and demands to a baseline, and return what changed in it.

    Titles in the file are kept for the documents in its rankings. If earlier entries
    stay, the new fingerprint is the common part of both. The file is read again under a
    lock, so that two runs that update at once lose nothing of each other.

    `shown`: the name of the file in messages; `path` by default.

    Raises:
        RecordError: the file cannot be read; or a search would have found nothing in
            most of its cases.
        OSError: the file cannot be written, and is unchanged.
    """
    target = Path(os.path.realpath(path))
    name = shown or os.fspath(path)
    with _locked(target.parent):
        exists = target.exists()
        before = read_baseline(target, name) if exists else BaselineEntries()
        moves = before.move(update.moves)
        entries = _entries_after(before, update)
        effects = _effects(before, entries)
        after = BaselineEntries(
            entries.values(),
            _titles_after(before, update.accepted, entries),
            _fingerprint_after(before, update, effects),
            without_ranking=_gaps_after(before, update, entries, is_new=not exists),
            demands=_demands_after(before, update, is_new=not exists),
        )
        _refuse_silent_update(after, update.searches, name)
        updated = _updated(before, after, effects, moves)
        is_new = not exists and bool(after or not update.only_test)
        if updated.changes_file or is_new:
            write_baseline(target, after)
    return updated


def _entries_after(
    before: BaselineEntries, update: Update
) -> dict[EntryKey, BaselineEntry]:
    """Return the entries that are in the file after an update."""
    if update.only_new:
        entries = dict(before)
    else:
        entries = _with_tests(before, update.tests)
    if not update.only_test:
        for key, entry in update.accepted.items():
            if key not in before or not update.only_new:
                entries[key] = entry
    all_keys = update.all_keys
    if all_keys is None:
        return entries
    return {key: entry for key, entry in entries.items() if key in all_keys}


def _demands_after(
    before: BaselineEntries, update: Update, *, is_new: bool
) -> FileDemands | None:
    """Return the demands of the file after an update; None if they are not known.

    `is_new`: whether the update makes the file.
    """
    is_accepted = is_new or update.all_keys is not None
    return update.accepted.demands if is_accepted else before.demands


def _with_tests(
    entries: Mapping[EntryKey, BaselineEntry], tests: Mapping[EntryKey, DemandedOfCase]
) -> dict[EntryKey, BaselineEntry]:
    """Return the entries with the same rankings, and with what the test demands now."""
    found = dict(entries)
    for key, test in tests.items():
        entry = found.get(key)
        if entry is None or test.demands is None:
            continue
        entry = replace(entry, demands=test.demands)
        if entry.digest:
            assert test.weight is not None
            digest = test.digest or entry.digest
            entry = replace(
                entry,
                weight=test.weight,
                is_sampled=test.is_sampled,
                tags=tuple(test.tags),
                digest=digest,
            )
        found[key] = entry
    return found


_ADDED, _KEPT, _NOTED, _RESCORED, _RERANKED = range(5)
"""What an update does to an entry.

- `_NOTED`: the ranking and its scores stay, and what is noted beside them changes.
- `_RESCORED`: the ranking stays, and its scores change.
- `_RERANKED`: all other changes.
"""


def _effects(
    before: BaselineEntries, entries: Mapping[EntryKey, BaselineEntry]
) -> dict[EntryKey, int]:
    """Return how an update changes each entry that is in the updated file.

    The values are `_ADDED`, `_KEPT`, `_NOTED`, `_RESCORED` and `_RERANKED`.
    """
    effects = {}
    for key, entry in entries.items():
        old = before.get(key)
        effects[key] = _ADDED if old is None else _effect(old, entry)
    return effects


def _effect(old: BaselineEntry, new: BaselineEntry) -> int:
    """Return what an update does to an entry: `_KEPT`, `_NOTED` ... (not `_ADDED`)."""
    # lines are compared, as JSON tells apart what equals in Python: 1 and true
    if old is new:
        return _KEPT
    if old.line == new.line:
        return _KEPT if old.demands == new.demands else _NOTED
    noted = replace(
        old,
        digest=new.digest,
        weight=new.weight,
        is_sampled=new.is_sampled,
        tags=new.tags,
        missed=new.missed,
        deeper=new.deeper,
    )
    if noted.line == new.line:
        return _NOTED
    if replace(noted, scores=new.scores).line == new.line:
        return _RESCORED
    return _RERANKED


def _titles_after(
    before: BaselineEntries,
    accepted: BaselineEntries,
    entries: Mapping[EntryKey, BaselineEntry],
) -> dict[str, str]:
    """Return {document: title} after an update, for the documents in its rankings.

    The title of a result without an id is the beginning of its text. A baseline keeps
    no texts.
    """
    ranked: set[str] = set()
    for entry in entries.values():
        ranked.update(entry.documents)
    titles = {**before.titles, **accepted.titles}
    kept = {}
    for document, title in titles.items():
        if document in ranked and not is_made_of_text(document):
            kept[document] = title
    return kept


def _fingerprint_after(
    before: BaselineEntries, update: Update, effects: Mapping[EntryKey, int]
) -> Fingerprint:
    """Return what was searched when all entries of the updated file were accepted.

    If earlier entries stay beside new ones, it is what both fingerprints have in
    common.
    """
    if update.only_test:
        return before.fingerprint
    accepted = update.accepted
    earlier = before.keys() & effects.keys()
    if not update.only_new:
        earlier -= accepted.keys()
    if not earlier:
        return accepted.fingerprint
    if all(effect in (_KEPT, _NOTED) for effect in effects.values()):
        return before.fingerprint
    return common([before.fingerprint, accepted.fingerprint])


def _updated(
    before: BaselineEntries,
    after: BaselineEntries,
    effects: Mapping[EntryKey, int],
    moves: EntryMoves,
) -> Updated:
    """Return the counts of an update."""
    counts = Counter(effects.values())
    changed = counts[_RESCORED] + counts[_RERANKED]
    only_moved = [key for key in moves.arrived if effects.get(key) in (_KEPT, _NOTED)]
    return Updated(
        added=counts[_ADDED],
        changed=changed,
        dropped=len(before.keys() - after.keys()),
        kept=counts[_KEPT] + counts[_NOTED] - len(only_moved),
        titles=len(after.titles.items() - before.titles.items()),
        rescored=counts[_RESCORED],
        noted=counts[_NOTED],
        moved=len(only_moved),
        left=moves.left,
        has_new_fingerprint=after.fingerprint != before.fingerprint,
        has_new_gaps=after.without_ranking != before.without_ranking,
        has_new_demands=after.demands != before.demands,
        without_ranking=_count_gaps(after),
    )


def _refuse_silent_update(
    after: BaselineEntries, searches: Mapping[EntryKey, str], shown: str
) -> None:
    """Raise `RecordError` if a search found nothing in most of its cases.

    `searches`: {case: its search}, for cases that should find something.
    """
    found = []
    for key, entry in after.items():
        if key in searches:
            found.append((searches[key], bool(entry.documents)))
    if silent := silent_searches(found):
        raise RecordError.at(shown, refusal("this update", silent))


def _gaps_after(
    before: BaselineEntries,
    update: Update,
    entries: Mapping[EntryKey, BaselineEntry],
    *,
    is_new: bool,
) -> dict[EntryKey, str]:
    """Return {case: why the case has no accepted ranking} after an update.

    A case leaves the list if its ranking is accepted, or if the case is gone.

    `entries`: the entries after the update.
    `is_new`: whether the update makes the file.
    """
    gaps = {}
    for key, why in before.without_ranking.items():
        is_there = update.collected is None or key in update.collected
        is_accepted = key in update.accepted and not update.only_test
        if is_there and not is_accepted:
            gaps[key] = why
    for key, why in update.accepted.without_ranking.items():
        if _is_listed(why, update, has_entry=key in entries, is_new=is_new):
            gaps[key] = why
    return gaps


def _is_listed(why: str, update: Update, *, has_entry: bool, is_new: bool) -> bool:
    """Say whether an update lists a case that has no ranking in this run.

    - A case with an entry is listed if its skip is accepted.
    - A case that did not run is listed in a new file only. In an old file it is listed
      already, or is a new case that nobody has accepted yet.
    - All other cases are listed, unless no ranking is accepted.

    `why`: why the case has no ranking.
    `has_entry`: whether the file has an entry of the case after the update.
    `is_new`: whether the update makes the file.
    """
    if has_entry:
        return why == MARKED_SKIP and not update.only_new
    if update.only_test:
        return False
    return is_new or why != NOT_RUN


def _count_gaps(entries: BaselineEntries) -> int:
    """Return how many cases have no accepted ranking, and are not skipped or unstable.

    Marked skips are on purpose, and the update names unstable cases itself.
    """
    count = 0
    for key, why in entries.without_ranking.items():
        if why not in (MARKED_SKIP, UNSTABLE) and key not in entries:
            count += 1
    return count


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a lock on a folder, so that one run at a time updates its baselines.

    Another run waits for the lock, which ends with the process. On Windows a folder
    cannot be locked, and there is no lock. Raises OSError if the folder cannot be
    opened or locked.
    """
    # a lock file would outlive a killed run (docs/howto/accept.md)
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
