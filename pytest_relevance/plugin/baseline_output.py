"""`--relevance-update`: accept the present rankings as baselines of the case files."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import pytest

from pytest_relevance._number_text import score_text
from pytest_relevance._text import (
    case_in_prose,
    counted,
    first_few,
    harmless,
    listed,
    with_variant,
)
from pytest_relevance.plugin.moved_entries import entries_to_move
from pytest_relevance.plugin.output_files import Message
from pytest_relevance.plugin.run_store import RunStore, first_named, run_store
from pytest_relevance.results.became import GOT_WORSE, became_of
from pytest_relevance.results.case_result import CaseResult, grouped, of_case_files
from pytest_relevance.results.changes import Change
from pytest_relevance.results.records.baseline_paths import (
    SUFFIX,
    baseline_path,
    has_baseline,
)
from pytest_relevance.results.records.baseline_update import (
    NEW,
    TEST,
    Update,
    Updated,
    acceptable,
    update_baseline,
)
from pytest_relevance.results.records.demand_changes import DemandedOfCase
from pytest_relevance.results.records.demands import FileDemands
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    BaselineEntry,
    EntryKey,
    MovedEntries,
)
from pytest_relevance.results.records.fingerprint import Fingerprint
from pytest_relevance.results.records.run_info import FileInfo, RecordError, RunInfo
from pytest_relevance.results.records.uncompared import without_ranking


def update_baselines(config: pytest.Config) -> list[Message]:
    """Update baselines as `--relevance-update` says. Return messages about changes."""
    store, accepts = run_store(config), config.option.relevance_update
    try:
        moves = entries_to_move(config)
    except RecordError as error:
        return [Message(f"no baseline is updated: {error}", is_good=False)]
    files = _files_to_update(store, accepts)
    files |= {file for file in moves if file in store.collection.files}
    results = grouped(store.results, attrgetter("file"))
    finished = grouped(store.finished, attrgetter("file"))
    whole_files = store.whole_files()
    messages = []
    if not files:
        why = "no case ran" if accepts == TEST else "no case was scored"
        messages.append(Message(f"no baseline is written: {why}"))
    # an entry leaves its old baseline only when it has arrived in the new one
    arriving = {file for file in files if moves[file].arriving}
    for file in (*sorted(arriving), *sorted(files - arriving)):
        if not all(message.is_good for message in messages):
            moves[file].leaving.clear()
        update = _BaselineUpdate(
            file=file,
            info=store.collection.files[file],
            results=results.get(file, []),
            finished=finished.get(file, []),
            is_whole=file in whole_files,
            moves=moves[file],
            accepts=accepts,
            fingerprint=store.notes.fingerprint,
        )
        messages += update.run()
    return messages


def _files_to_update(store: RunStore, accepts: str) -> set[str]:
    """Return the case files whose baselines an update may change.

    With `--relevance-update=test`: files that have a baseline and a case that ran.
    Otherwise: files with a scored case, and files with a baseline and a case that a
    mark skips; none if the run has no scored case.
    """
    results = of_case_files(store.results)
    if accepts == TEST:
        ran = {result.file for result in results}
        return {file for file in ran if has_baseline(store.collection.files[file].path)}
    if not any(result.evaluation.scores for result in results):
        return set()
    files = set()
    for result in results:
        info = store.collection.files[result.file]
        accepts_skip = result.call.is_marked_skip and has_baseline(info.path)
        if result.evaluation.scores or accepts_skip:
            files.add(result.file)
    return files


@dataclass(frozen=True, slots=True, kw_only=True)
class _BaselineUpdate:
    """The update of the baseline of one case file.

    `file`: the name of the file in results.
    `results`: the results of the file.
    `finished`: those of them whose repeats have all ended.
    `is_whole`: whether every case has ended or was skipped.
    `moves`: the accepted rankings that move to this file or away from it.
    `accepts`: the value of the option: "all", "new" or "test".
    `fingerprint`: what was searched.
    """

    file: str
    info: FileInfo
    results: Sequence[CaseResult]
    finished: Sequence[CaseResult]
    is_whole: bool
    moves: MovedEntries
    accepts: str
    fingerprint: Fingerprint

    @property
    def shown(self) -> str:
        """Return the name of the baseline in messages."""
        return harmless(f"{self.file}{SUFFIX}")

    def run(self) -> list[Message]:
        """Update the baseline, and return messages about it."""
        only_new = self.accepts == NEW
        accepted, unstable = acceptable(self.results, only_new=only_new)
        try:
            updated = self._write(accepted)
        except OSError as error:
            why = f", it cannot be written: {error.strerror or error}"
            messages = [self._message(f" is not updated{why}", is_good=False)]
        except RecordError as error:
            why = str(error).removeprefix(f"{self.shown}: ")
            messages = [self._message(f" is not updated: {why}", is_good=False)]
        else:
            messages = self._messages_of(updated, accepted)
        if unstable and self.accepts != TEST:
            rankings = counted(len(unstable), "ranking is", "rankings are")
            why = (
                f"{rankings} not accepted, because a second call of the search returned "
                "another ranking"
            )
            text = f": {why}: {first_named(unstable)}"
            messages.append(self._message(text, is_good=False))
        return messages

    def _message(self, text: str, *, is_good: bool = True) -> Message:
        return Message(f"baseline {self.shown}{text}", is_good=is_good)

    def _write(self, accepted: Sequence[BaselineEntry]) -> Updated:
        """Write the accepted rankings, and return what changed.

        A case that did not run keeps its entry. If all cases ran, entries of other
        cases are dropped, except with `--relevance-update=new`.

        Raises OSError if the baseline cannot be written, and `RecordError` if it cannot
        be read.
        """
        info = self.info
        tests = _tests_of(info, self.results)
        accepted = [replace(each, demands=tests[each.key].demands) for each in accepted]
        titles: dict[str, str] = {}
        for result in self.results:
            titles.update(result.texts.titles)
        accepted_keys = {entry.key for entry in accepted}
        entries = BaselineEntries(
            accepted,
            titles,
            self.fingerprint,
            without_ranking=without_ranking(info, self.results, accepted_keys),
            demands=_demands_of_file(info),
        )
        all_keys = None
        if self.is_whole and self.accepts != NEW:
            all_keys = frozenset((each.id, each.variant) for each in self.finished)
        update = Update(
            entries,
            accepts=self.accepts,
            all_keys=all_keys,
            moves=self.moves,
            collected={(case, variant) for case, variant, *_ in info.cases},
            searches=_searches_that_should_find(info),
            tests=tests,
        )
        return update_baseline(baseline_path(info.path), update, shown=self.shown)

    def _messages_of(
        self, updated: Updated, accepted: Sequence[BaselineEntry]
    ) -> list[Message]:
        """Return what a written baseline has accepted, as messages."""
        changes = (
            _accepted_test_text(updated)
            if self.accepts == TEST
            else _changes_text(updated)
        )
        messages = [self._message(f": {changes}{self._rest_text(updated)}")]
        if self.accepts not in (NEW, TEST):
            keys = {entry.key for entry in accepted}
            messages += _accepted_falls(self.results, keys)
        if self.accepts != NEW:
            for text in self._accepted_of_test():
                messages.append(Message(f"accepted: {text}"))
        return messages

    def _rest_text(self, updated: Updated) -> str:
        """Return how many cases have no new ranking, in words; "" if none.

        For example, `; 3 of 9 cases ran, and the other cases keep their entries`.
        """
        rest = ""
        if not self.is_whole:
            ran, total = len(self.finished), self.info.total
            rest = f"; {ran:,} of {total:,} cases ran, and the other cases keep their entries"
        if updated.without_ranking and self.accepts != TEST:
            have = counted(updated.without_ranking, "case has", "cases have")
            rest += f"; {have} no accepted ranking"
        return rest

    def _accepted_of_test(self) -> list[str]:
        """Return what is accepted of the test of the file, one text for each kind.

        Example: `floor 0.9 -> 0 in 2 cases ("boots" and "hats")`. If a part of the file
        ran, only the demands on the cases that ran are accepted.
        """
        from pytest_relevance.reports.run.changed_test import changed_test
        from pytest_relevance.reports.run.changed_test_text import change_texts

        is_part = not self.is_whole
        files = {self.file: self.info}
        changed = changed_test(self.results, files, RunInfo(is_part=is_part))
        if is_part:
            changed = changed.of_cases({result.id for result in self.results})
        return change_texts(changed, full=True)


def _accepted_falls(
    results: Sequence[CaseResult], accepted: Collection[EntryKey]
) -> list[Message]:
    """Return a message about the accepted rankings that are worse; [] if none is."""
    names = []
    for result in results:
        change = Change.since_baseline(result)
        was_accepted = (result.id, result.variant) in accepted
        if was_accepted and became_of(change) == GOT_WORSE:
            name = case_in_prose(result.id, result.query, result.variant)
            before, after = change.score_before, change.score_after
            names.append(f"{name} {score_text(before)} -> {score_text(after)}")
    if not names:
        return []
    queries = counted(len(names), "query", "queries")
    return [Message(f"accepted: {queries} got worse: {first_few(names)}")]


def _tests_of(
    info: FileInfo, results: Sequence[CaseResult]
) -> dict[EntryKey, DemandedOfCase]:
    """Return the demands on each case with a result: {(id, variant): demands}."""
    demands = info.demands_of((result.id, result.variant) for result in results)
    found = {}
    for result in results:
        key = result.id, result.variant
        demanded = DemandedOfCase.of_result(result, demands.get(key))
        # in an update a result without a score has its digest too
        found[key] = replace(demanded, digest=result.evaluation.digest)
    return found


def _demands_of_file(info: FileInfo) -> FileDemands | None:
    """Return what a file demands, as baselines keep it; None if that is not known."""
    if info.demands is None:
        return None
    gates = tuple(replace(gate, line=0) for gate in info.gates)
    samples = () if info.drawn is None else info.drawn.samples
    return FileDemands(info.demands, gates, samples)


def _accepted_test_text(updated: Updated) -> str:
    """Return which demands were accepted, in words: `the test of 2 cases accepted`."""
    parts = []
    if updated.noted:
        parts.append(f"the test of {counted(updated.noted, 'case')} accepted")
    if updated.has_new_demands:
        parts.append("the demands of the file accepted")
    for count, what in (
        (updated.moved, "moved"),
        (updated.left, "moved to another file"),
        (updated.dropped, "gone"),
    ):
        if count:
            parts.append(f"{count:,} {what}")
    text = ", ".join(parts) or "the test is as it was"
    return f"{text}; no ranking changed"


def _searches_that_should_find(info: FileInfo) -> dict[EntryKey, str]:
    """Return {(id, variant): search} of the cases that do not expect 0 results."""
    searches = {}
    for case, variant, search, should_find, _ in info.cases:
        if should_find:
            searches[case, variant] = with_variant(search, variant)
    return searches


def _changes_text(updated: Updated) -> str:
    """Return the changes of a baseline in words: `3 added, 46 as they were`."""
    if not updated.is_change:
        return _unchanged_text(updated)
    counts = [
        (updated.added, "added"),
        (updated.changed - updated.rescored, "changed"),
        (updated.rescored, "with other scores"),
        (updated.moved, "moved"),
        (updated.left, "moved to another file"),
        (updated.dropped, "gone"),
    ]
    if not any(count for count, _ in counts):
        is_one = updated.titles == 1
        what = "title changed" if is_one else "titles added or changed"
        counts = [(updated.titles, what)]
    counts.append((updated.kept, "as they were"))
    return ", ".join(f"{count:,} {what}" for count, what in counts if count)


def _unchanged_text(updated: Updated) -> str:
    """Return a text for an update that changed no ranking.

    The text is `nothing changed`, or it names what else changed, for example `nothing
    changed but the fingerprint`.
    """
    new = []
    if updated.has_new_fingerprint:
        new.append("the fingerprint")
    if updated.noted:
        new.append(
            "what it notes of cases (judgments, weights, tags, missed floors, demands)"
        )
    if updated.has_new_demands:
        new.append("the demands of the file")
    return f"nothing changed but {listed(new, 'and')}" if new else "nothing changed"
