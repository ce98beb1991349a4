"""The baseline of a case file: the accepted ranking of each case and variant, a file
that is meant to be committed.

It is a record with fewer keys (`records.file`): a header, one line for each entry, one
line for each known title of a document, and an end line. Entries are sorted, so that a
pull request shows what moved. There is no count of the entries, so that version control
can merge two branches that add one entry each.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_relevance._files import write_whole
from pytest_relevance._problems import Place
from pytest_relevance._text import printable, quoted
from pytest_relevance.cases.model import SIMILARITY
from pytest_relevance.codec import decode, encode
from pytest_relevance.metrics.names import LARGEST_CUTOFF, is_similarity
from pytest_relevance.metrics.ndcg import without_copies
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import (
    DROP,
    STALE,
    STALE_ENTRY,
    CaseCall,
    Outcome,
)
from pytest_relevance.results.case_result import (
    FAILED,
    MEASURED,
    WITHOUT_SCORE,
    CaseResult,
    grouped,
)
from pytest_relevance.results.outcomes import KEPT, kind_named
from pytest_relevance.results.records.checking import check_outcome
from pytest_relevance.results.records.file import (
    BASELINE,
    END,
    as_json,
    encoded,
    read_file,
)
from pytest_relevance.results.records.reference import refusal, silent_searches
from pytest_relevance.results.records.run_info import (
    NOT_RUN,
    AcceptedCase,
    Fingerprint,
    RecordError,
    checked,
    common,
)
from pytest_relevance.results.records.two_outcomes import NOT_RETURNED
from pytest_relevance.results.records.uncompared import MARKED_SKIP, UNSTABLE

EntryKey = tuple[str, str | None]
"""The key of an entry in its baseline: the id of the case, and the variant of its
search.
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a case asks: its query, its params as JSON, and the digest of its judgments.

    The digest is "" if the judgments are not known.
    """

    query: str
    params: str
    digest: str


_HOLDS = "the accepted ranking of each case and variant; written by --relevance-update, scores are those of that day"
_DECIMALS = 6  # of recorded scores: the last digits differ between machines and would clutter a diff


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineEntry:
    """The accepted ranking of a case in one variant, and what was searched for.

    The ranking, `documents`, is `whole` where it is all that was returned, and
    otherwise as deep as the case looked (`depth`). A whole ranking `reaches_depth`
    where the search returned as many results as it was asked for, and no depth was set.
    `scores` are the scores on the day of acceptance, for readers of a diff; a
    comparison scores the ranking again. `outcomes` are the outcomes of expectations
    that the ranking alone does not decide, such as the fields of documents. `collapse`:
    the case collapsed chunks, which `documents` has as they were returned, with as many
    further ones as fill the depth; `is_all`: the search had no more of them. `deeper`
    are the ranks of documents that a missed expectation names and `documents` does not
    have, None for one that was not returned. `digest` is that of the judgments, "" if
    it is not known, as are then `weight`, `tags`, and whether the case `missed` a floor
    or an expectation (None: there was nothing to miss, and no score). `call` is how a
    recorded search was called; no baseline has it.
    """

    id: str
    variant: str | None = None
    query: str
    params: Mapping[str, Any] = field(default_factory=dict)
    depth: int
    documents: tuple[str, ...]
    scores: Mapping[str, float | None] = field(default_factory=dict)
    whole: bool = False
    reaches_depth: bool = False
    outcomes: tuple[Outcome, ...] = ()
    collapse: bool = False
    is_all: bool = False
    deeper: Mapping[str, int | None] = field(default_factory=dict)
    digest: str = ""
    weight: float = 1
    tags: tuple[str, ...] = ()
    missed: bool | None = False
    call: CaseCall = CaseCall()

    @property
    def key(self) -> EntryKey:
        """The key of the entry in its file."""
        return self.id, self.variant

    @property
    def asked(self) -> Asked:
        """What the case asked."""
        return asked_of(self.query, self.params, self.digest)

    @property
    def has_score(self) -> bool:
        """Whether nDCG@k was defined on the day it was accepted."""
        return any(
            name.startswith("nDCG@") and score is not None
            for name, score in self.scores.items()
        )

    def ranking(self, settings: Settings) -> Sequence[str]:
        """Its documents, as these settings score them."""
        return (
            tuple(without_copies(self.documents))
            if settings.collapse
            else self.documents
        )

    def as_case(self) -> AcceptedCase:
        """The case as the entry has it, for gates."""
        is_known = bool(self.digest)
        return AcceptedCase(
            id=self.id,
            variant=self.variant,
            weight=self.weight if is_known else None,
            tags=self.tags,
            scores=self.scores,
            missed=self.missed,
        )

    def rank_of(self, document: str, settings: Settings) -> float | None:
        """The rank (from 1) of a document, as these settings score the ranking.

        `NOT_RETURNED` if it was not returned, and None if that is not known.
        """
        documents = self.ranking(settings)
        if document in documents:
            return documents.index(document) + 1
        if document in self.deeper and self.collapse == settings.collapse:
            rank = self.deeper[document]
            return NOT_RETURNED if rank is None else rank
        kept = without_copies(self.documents) if self.collapse else self.documents
        has_all_that_was_returned = self.whole or len([*kept]) < self.depth
        return NOT_RETURNED if has_all_that_was_returned else None

    @property
    def line(self) -> str:
        """Its line in the file. A query that equals the id is left out."""
        values = encode(replace(self, params=with_sorted_keys(self.params)))
        if self.query == self.id:
            del values["query"]
        return as_json(values)


def _entry_of_line(values: Mapping[str, Any]) -> BaselineEntry:
    """Make the entry of a line. Raises ValueError for a damaged one."""
    entry = decode(BaselineEntry, {"query": values.get("id"), **values})
    if not 0 <= entry.depth <= LARGEST_CUTOFF:
        raise ValueError(f"depth: {entry.depth} is not a number of ranks")
    if not 0 < entry.weight < math.inf:
        raise ValueError(f"weight: {entry.weight!r} is not a finite number above 0")
    for document, rank in entry.deeper.items():
        if rank is not None and rank < 1:
            raise ValueError(f"deeper: {rank!r} is not a rank of {quoted(document)}")
    for outcome in entry.outcomes:
        check_outcome(outcome)
    return entry


def asked_of(query: str, params: Mapping[str, object], digest: str) -> Asked:
    """What a case asks; secrets among the params are masked."""
    return Asked(query, as_json(with_sorted_keys(params)), digest)


def with_sorted_keys(value: Any) -> Any:
    """A value with the keys of its mappings sorted, at every depth: their order has no
    meaning.
    """
    if isinstance(value, Mapping):
        return {name: with_sorted_keys(value[name]) for name in sorted(value, key=str)}
    return (
        [*map(with_sorted_keys, value)] if isinstance(value, (list, tuple)) else value
    )


class BaselineEntries(dict[EntryKey, BaselineEntry]):
    """The entries of a baseline by their keys.

    `titles` are the known titles of their documents. `fingerprint` says what was
    searched when all of them were accepted; empty: not known. `without_ranking` are the
    cases that were there and have no accepted ranking, with the reason
    (`records.uncompared`); a case with an entry is here if its skip was accepted.
    """

    def __init__(
        self,
        entries: Iterable[BaselineEntry] = (),
        titles: Mapping[str, str] | None = None,
        fingerprint: Fingerprint | None = None,
        *,
        without_ranking: Mapping[EntryKey, str] | None = None,
    ) -> None:
        super().__init__({entry.key: entry for entry in entries})
        self.titles: dict[str, str] = dict(titles or {})
        self.fingerprint: Fingerprint = fingerprint or {}
        self.without_ranking: dict[EntryKey, str] = dict(without_ranking or {})

    def move(self, moves: MovedEntries) -> tuple[frozenset[EntryKey], int]:
        """Give entries their present keys; an entry that is there stays.

        Return these keys, and how many entries went to another file.
        """
        left = {}
        for key in moves.leaving:
            if key in self:
                left[key] = self.pop(key)
        had_entries = bool(self)
        arrived = set()
        for key, entry in moves.arriving.items():
            if left.get(entry.key) == entry:
                del left[entry.key]
            if key not in self:
                self[key] = replace(entry, id=key[0], variant=key[1])
                arrived.add(key)
        if arrived:
            self.titles = {**self.titles, **moves.titles}
            searched = moves.fingerprint or {}
            if had_entries:
                searched = common([self.fingerprint, searched])
            self.fingerprint = searched
        return frozenset(arrived), len(left)


@dataclass(slots=True)
class MovedEntries:
    """The entries of cases that were moved, for the baseline of one case file.

    `arriving` are the entries of cases that stand in the file, by their present keys;
    `leaving` are the keys that cases of the file had, or that left it. `titles` are the
    titles of documents, and `fingerprint` says what was searched, in the files that the
    entries come from.
    """

    arriving: dict[EntryKey, BaselineEntry] = field(default_factory=dict)
    leaving: set[EntryKey] = field(default_factory=set)
    titles: dict[str, str] = field(default_factory=dict)
    fingerprint: Fingerprint | None = None

    def add(self, key: EntryKey, entry: BaselineEntry, source: BaselineEntries) -> None:
        """Add the entry of a case, which has this key now, from the file that it
        left.
        """
        self.arriving[key] = entry
        for document in entry.documents:
            if document in source.titles:
                self.titles[document] = source.titles[document]
        if self.fingerprint is None:
            self.fingerprint = source.fingerprint
        self.fingerprint = common([self.fingerprint, source.fingerprint])


@dataclass(frozen=True, slots=True)
class _Header:
    """The header of the file, but for its kind and its version.

    `holds` tells a reader what the file is. `without_ranking` lists
    `[id, variant, why]`.
    """

    holds: str = ""
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    without_ranking: Sequence[tuple[str, str | None, str]] = ()


@dataclass(frozen=True, slots=True)
class _Title:
    """The line with the title of a document."""

    document: str
    title: str


def read_baseline(
    path: str | os.PathLike[str], shown: str | None = None
) -> BaselineEntries:
    """Read a baseline, which messages call `shown`. Raises `RecordError`, which names
    the line and what is wrong.
    """
    file = shown if shown is not None else os.fspath(path)
    lines = read_file(path, file, BASELINE, _read_header, _read_line)
    entries: BaselineEntries = next(lines)[1]
    for number, line in lines:
        if isinstance(line, _Title):
            entries.titles[line.document] = line.title
        elif line.key in entries:
            raise RecordError.at(
                file,
                f"a second entry of {quoted(line.id)}; delete one of them",
                Place(line=number),
            )
        else:
            entries[line.key] = line
    return entries


def _read_header(values: Mapping[str, Any]) -> BaselineEntries:
    header = decode(_Header, values)
    without_ranking = {}
    for case, variant, why in header.without_ranking:
        without_ranking[case, variant] = why
    return BaselineEntries(
        fingerprint=checked(header.fingerprint), without_ranking=without_ranking
    )


def _read_line(values: Mapping[str, Any]) -> BaselineEntry | _Title:
    if "document" in values:
        return decode(_Title, values)
    return _entry_of_line(values)


def write_baseline(path: str | os.PathLike[str], baseline: BaselineEntries) -> None:
    """Write a baseline in one step, entries sorted by id and variant, then the titles
    of their documents.

    Raises OSError; then nothing is written.
    """
    header = _Header(
        holds=_HOLDS,
        fingerprint=with_sorted_keys(baseline.fingerprint),
        without_ranking=_sorted_cases(baseline.without_ranking),
    )
    lines = []
    for entry in sorted(baseline.values(), key=_id_and_variant):
        lines.append(entry.line)
    for document, title in sorted(baseline.titles.items()):
        lines.append(as_json(encode(_Title(document, title))))
    write_whole(path, encoded(BASELINE, encode(header), [*lines, END]))


def _sorted_cases(
    cases: Mapping[EntryKey, str],
) -> tuple[tuple[str, str | None, str], ...]:
    """Return the cases without a ranking as the header lists them, sorted."""
    lines = []
    for case, variant in sorted(cases, key=lambda key: (key[0], key[1] or "")):
        lines.append((case, variant, cases[case, variant]))
    return tuple(lines)


def _id_and_variant(entry: BaselineEntry) -> tuple[str, str]:
    return entry.id, entry.variant or ""


# --- updates --------------------------------------------------------------------------


def entry_of(result: CaseResult) -> BaselineEntry:
    """The entry that accepts the ranking of a result, which has its details
    (`scoring.with_details`).
    """
    depth = (
        result.conditions.k
        if result.conditions.depth is None
        else result.conditions.depth
    )
    documents, collapses = (
        result.ranking.uncollapsed,
        result.conditions.settings.collapse,
    )
    scores = {result.metric.text: result.score}
    scores |= {
        name: value
        for name, value in result.evaluation.scores.items()
        if not is_similarity(name)
    }
    scores |= {
        each.name: each.value
        for each in result.evaluation.outcomes
        if each.kind == "metric" and each.value is not None
    }
    return BaselineEntry(
        id=result.id,
        variant=result.variant,
        query=result.query,
        params=json.loads(as_json(result.params)) if result.params else {},
        depth=depth,
        documents=tuple(
            documents if result.ranking.whole or collapses else documents[:depth]
        ),
        scores={
            name: None if value is None else round(value, _DECIMALS)
            for name, value in scores.items()
        },
        whole=result.ranking.whole,
        reaches_depth=result.ranking.whole and result.is_cut,
        outcomes=tuple(
            outcome
            for outcome in result.evaluation.outcomes
            if kind_named(outcome.kind).reference == KEPT
        ),
        collapse=collapses,
        deeper=_ranks_of_missed(result),
        digest=result.evaluation.digest,
        weight=result.weight,
        tags=tuple(result.tags),
        missed=_misses_a_demand(result),
        is_all=collapses
        and not result.ranking.reaches_depth
        and len({*documents}) == result.ranking.returned,
    )


def _misses_a_demand(result: CaseResult) -> bool | None:
    """Whether a result misses its floor or an expectation that needs no reference.

    None if there is nothing to miss, and no score that could fall.
    """
    if result.verdict == MEASURED and result.score is None:
        return None
    if result.verdict != FAILED:
        return False
    compared = (DROP, STALE_ENTRY, SIMILARITY)
    return any(reason.kind not in compared for reason in result.evaluation.reasons)


def _ranks_of_missed(result: CaseResult) -> dict[str, int | None]:
    """The ranks of documents that a missed expectation names, if they are below the
    kept ranking.

    None stands for a document that was not returned.
    """
    found: dict[str, int | None] = {}
    for outcome in result.evaluation.outcomes:
        if outcome.met or not outcome.documents:
            continue
        for document in outcome.wrong:
            if document not in result.ranking.documents:
                found[document] = result.ranking.rank_of(document)
    return found


def acceptable(
    results: Iterable[CaseResult], *, only_new: bool = False
) -> tuple[list[BaselineEntry], list[str]]:
    """The results of a case file that an update may accept, and the names of the cases
    with an unstable ranking.

    Every case that was scored is accepted, whatever its verdict. Not accepted are: a
    case that ended in an error in one of its repeats, a ranking that differs between
    repeats or calls, and with `only_new` a case with a stale entry: it is not new. The
    results must have their details; checks of tests in Python do not count.
    """
    searched = (result for result in results if not result.is_check)
    by_key = grouped(searched, lambda result: (result.id, result.variant))
    entries, unstable = [], []
    for (case, variant), repeats in by_key.items():
        scored = [result for result in repeats if result.evaluation.scores]
        accepted = [entry_of(result) for result in scored]
        is_stale = only_new and any(
            each.baseline is not None and each.baseline.standing == STALE
            for each in scored
        )
        is_unstable = any(
            each.call.repeats is not None and each.call.repeats.rankings > 1
            for each in scored
        )
        if is_unstable or len({entry.documents for entry in accepted}) > 1:
            unstable.append(
                quoted(case, 40)
                + (f"[{printable(variant)}]" if variant is not None else "")
            )
        elif (
            accepted
            and not is_stale
            and all(result.verdict not in WITHOUT_SCORE for result in repeats)
        ):
            entries.append(accepted[0])
    return entries, sorted(unstable)


@dataclass(frozen=True, slots=True)
class Updated:
    """How many entries an update of a baseline added, changed, dropped, moved, and left
    as they were.

    `rescored` counts the changed entries with the same ranking and other scores or
    metrics. `titles` is how many titles of documents it added or changed. `noted`
    counts the kept entries of cases with other judgments, weights or tags. `moved` have
    the same ranking under another id or variant, or come from another file; `left` went
    to another file.
    `has_new_fingerprint`: the fingerprint in the header changed. `without_ranking`
    counts the cases that have no accepted ranking, and that nothing else tells of.
    `has_new_gaps`: the list of cases without a ranking changed.
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
    without_ranking: int = 0

    @property
    def is_change(self) -> bool:
        """Whether entries or titles changed."""
        moves = self.moved or self.left
        return bool(self.added or self.changed or self.dropped or moves or self.titles)


def update_baseline(
    path: str | os.PathLike[str],
    accepted: BaselineEntries,
    *,
    shown: str | None = None,
    only_new: bool = False,
    all_keys: frozenset[EntryKey] | None = None,
    moves: MovedEntries | None = None,
    collected: Collection[EntryKey] | None = None,
    searches: Mapping[EntryKey, str] | None = None,
) -> Updated:
    """Accept rankings into a baseline, which messages call `shown`; `only_new` keeps
    the entries that it has.

    First the `moves` are made: a case that was moved has its entry under its present id
    and variant, in the file in which it stands now.

    `all_keys` are the keys of all cases of the file, given when the whole file ran:
    entries of other cases are dropped. Titles in the file are kept for the documents in
    its rankings. If earlier entries stay, the new fingerprint is the common part of
    both. Keys that a later version has added are dropped.

    `accepted.without_ranking` are the cases of which this run accepts no ranking.
    `collected` are all cases of the file: other cases leave the list of the cases
    without a ranking. `searches` are the searches of the cases that should find
    something: an update after which one of them found nothing in most of its cases is
    refused.

    The file is read again under a lock, so that two runs that update at once lose
    nothing of each other. Raises `RecordError` for a file that cannot be read, and
    OSError, with the file unchanged, if it cannot be written.
    """
    target = Path(os.path.realpath(path))
    with locked(target.parent):
        exists = target.exists()
        before = (
            read_baseline(target, shown or os.fspath(path))
            if exists
            else BaselineEntries()
        )
        moved, left = before.move(moves or MovedEntries())
        after, updated = _merged(
            before, accepted, only_new=only_new, all_keys=all_keys, moved=moved
        )
        _refuse_silence(after, searches or {}, shown or os.fspath(path))
        after.without_ranking = gaps_after(
            before,
            accepted,
            after,
            collected=collected,
            is_new=not exists,
            only_new=only_new,
        )
        updated = replace(
            updated,
            left=left,
            has_new_gaps=after.without_ranking != before.without_ranking,
            without_ranking=_count_gaps(after),
        )
        if (
            updated.is_change
            or updated.noted
            or updated.has_new_fingerprint
            or updated.has_new_gaps
            or not exists
        ):
            write_baseline(target, after)
    return updated


def _refuse_silence(
    after: BaselineEntries, searches: Mapping[EntryKey, str], shown: str
) -> None:
    """Raise `RecordError` for a baseline in which a search found nothing in most
    cases.
    """
    found = []
    for key, entry in after.items():
        if key in searches:
            found.append((searches[key], bool(entry.documents)))
    if silent := silent_searches(found):
        raise RecordError.at(shown, refusal("this update", silent))


def gaps_after(
    before: BaselineEntries,
    accepted: BaselineEntries,
    after: BaselineEntries,
    *,
    collected: Collection[EntryKey] | None,
    is_new: bool,
    only_new: bool,
) -> dict[EntryKey, str]:
    """List the cases that have no accepted ranking after an update, with the reason.

    A case that did not run is listed only if the update makes the file (`is_new`).
    Otherwise it was listed before, or it is a new case that nobody has accepted yet.
    A case with an entry is listed if its skip is accepted, which `only_new` does not.
    """
    found = {}
    for key, why in before.without_ranking.items():
        is_there = collected is None or key in collected
        if is_there and key not in accepted:
            found[key] = why
    for key, why in accepted.without_ranking.items():
        has_entry = key in after
        if why == NOT_RUN:
            is_listed = is_new and not has_entry
        else:
            is_accepted_skip = why == MARKED_SKIP and not only_new
            is_listed = is_accepted_skip or not has_entry
        if is_listed:
            found[key] = why
    return found


def _count_gaps(entries: BaselineEntries) -> int:
    """Count the cases without an accepted ranking, if nothing else tells of them.

    A mark skips some on purpose, and the update names those with an unstable ranking.
    """
    return sum(
        why not in (MARKED_SKIP, UNSTABLE) and key not in entries
        for key, why in entries.without_ranking.items()
    )


def _merged(
    before: BaselineEntries,
    accepted: BaselineEntries,
    *,
    only_new: bool,
    all_keys: frozenset[EntryKey] | None,
    moved: frozenset[EntryKey],
) -> tuple[BaselineEntries, Updated]:
    """The baseline after an update, and what the update did. `moved` are the entries
    that were moved in `before`.
    """
    new = {
        key: entry
        for key, entry in accepted.items()
        if not (only_new and key in before)
    }
    merged = {**before, **new}
    after = {
        key: entry
        for key, entry in merged.items()
        if all_keys is None or key in all_keys
    }
    added = len(new.keys() - before.keys())
    changed = rescored = noted = 0
    moved &= after.keys()
    for key in new.keys() & before.keys():
        old, entry = before[key], new[key]
        if old.line == entry.line:  # as JSON: in Python 1 equals true
            continue
        if _with_notes_of(entry, old).line == entry.line:
            noted += 1
            continue
        changed += 1
        moved -= {key}
        same = replace(_with_notes_of(entry, old), scores=entry.scores)
        rescored += same.line == entry.line
    ranked = {document for entry in after.values() for document in entry.documents}
    titles = {**before.titles, **accepted.titles}
    titles = {
        document: title for document, title in titles.items() if document in ranked
    }
    searched = accepted.fingerprint
    if after.keys() - new.keys():
        searched = (
            common([before.fingerprint, searched])
            if added or changed
            else before.fingerprint
        )
    updated = Updated(
        added=added,
        changed=changed,
        dropped=len(merged) - len(after),
        kept=len(after) - added - changed - len(moved),
        moved=len(moved),
        titles=len(titles.items() - before.titles.items()),
        rescored=rescored,
        noted=noted,
        has_new_fingerprint=searched != before.fingerprint,
    )
    return BaselineEntries(after.values(), titles, searched), updated


def _with_notes_of(entry: BaselineEntry, old: BaselineEntry) -> BaselineEntry:
    """The old entry with what the new one notes beside the ranking and its scores."""
    return replace(
        old,
        digest=entry.digest,
        weight=entry.weight,
        tags=entry.tags,
        missed=entry.missed,
        deeper=entry.deeper,
    )


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait until no other run updates a baseline in a folder; not on Windows, where a
    folder cannot be locked.

    The lock ends with the process. Raises OSError.
    """
    # a lock file would outlive a killed run (docs/background/baselines.md)
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
