"""`--relevance-update`: accept the present rankings as baselines of the case files."""

from __future__ import annotations

import pytest

from pytest_relevance._text import counted, harmless, listed, with_variant
from pytest_relevance.plugin.moved_cases import entries_to_move
from pytest_relevance.plugin.output_files import Message
from pytest_relevance.plugin.run_store import RunStore, first_named, run_store
from pytest_relevance.results.records.baseline_paths import (
    SUFFIX,
    baseline_path,
    has_baseline,
)
from pytest_relevance.results.records.baseline_update import (
    Updated,
    acceptable,
    update_baseline,
)
from pytest_relevance.results.records.entries import BaselineEntries, MovedEntries
from pytest_relevance.results.records.run_info import FileInfo, RecordError
from pytest_relevance.results.records.uncompared import without_ranking


def update_baselines(config: pytest.Config) -> list[Message]:
    """Write the present rankings to the baselines. Return messages about changes."""
    store, only_new = run_store(config), config.option.relevance_update == "new"
    try:
        moves = entries_to_move(config)
    except RecordError as error:
        return [Message(f"no baseline is updated: {error}", is_good=False)]
    files = _files_to_update(store)
    files |= {file for file in moves if file in store.collection.files}
    messages = []
    if not files:
        messages.append(Message("no baseline is written: no case was scored"))
    arriving = {file for file in files if moves[file].arriving}
    for file in (*sorted(arriving), *sorted(files - arriving)):
        if not all(message.is_good for message in messages):
            moves[file].leaving.clear()  # an entry leaves only when it has arrived
        messages += _update_baseline(store, file, moves[file], only_new=only_new)
    return messages


def _files_to_update(store: RunStore) -> set[str]:
    """Return the case files with a ranking or a skip that an update may accept."""
    results = [result for result in store.results if not result.is_check]
    if not any(result.evaluation.scores for result in results):
        return set()
    files = set()
    for result in results:
        about = store.collection.files[result.file]
        accepts_skip = result.call.is_marked_skip and has_baseline(about.path)
        if result.evaluation.scores or accepts_skip:
            files.add(result.file)
    return files


def _update_baseline(
    store: RunStore, file: str, moves: MovedEntries, *, only_new: bool
) -> list[Message]:
    about, shown = store.collection.files[file], harmless(f"{file}{SUFFIX}")
    finished, is_whole = store.of_file(file), store.is_whole(file)
    results = [result for result in store.results if result.file == file]
    accepted, unstable = acceptable(results, only_new=only_new)
    titles: dict[str, str] = {}
    for result in results:
        titles.update(result.texts.titles)
    entries = BaselineEntries(
        accepted,
        titles,
        store.told.fingerprint,
        without_ranking=without_ranking(
            about, results, {entry.key for entry in accepted}
        ),
    )
    all_keys = None
    if is_whole and not only_new:
        all_keys = frozenset((result.id, result.variant) for result in finished)
    try:
        updated = update_baseline(
            baseline_path(about.path),
            entries,
            shown=shown,
            only_new=only_new,
            all_keys=all_keys,
            moves=moves,
            collected={(case, variant) for case, variant, *_ in about.cases},
            searches=_searches_that_should_find(about),
        )
    except OSError as error:
        why = f"it cannot be written: {error.strerror or error}"
        messages = [Message(f"baseline {shown} is not updated, {why}", is_good=False)]
    except RecordError as error:
        why = str(error).removeprefix(f"{shown}: ")
        messages = [Message(f"baseline {shown} is not updated: {why}", is_good=False)]
    else:
        rest = ""
        if not is_whole:
            rest = f"; {len(finished):,} of {about.total:,} cases ran, the others keep what they had"
        if updated.without_ranking:
            have = counted(updated.without_ranking, "case has", "cases have")
            rest = f"{rest}; {have} no accepted ranking"
        messages = [Message(f"baseline {shown}: {_changes_of(updated)}{rest}")]
    if unstable:
        rankings = counted(len(unstable), "ranking is", "rankings are")
        why = f"{rankings} not accepted, as the search returned another one when it was called again"
        text = f"baseline {shown}: {why}: {first_named(unstable)}"
        messages.append(Message(text, is_good=False))
    return messages


def _searches_that_should_find(info: FileInfo) -> dict[tuple[str, str | None], str]:
    searches = {}
    for case, variant, search, should_find, _ in info.cases:
        if should_find:
            searches[case, variant] = with_variant(search, variant)
    return searches


def _changes_of(updated: Updated) -> str:
    """Return the changes of a baseline in words: `3 added, 46 as they were`."""
    if not updated.is_change:
        new = []
        if updated.has_new_fingerprint:
            new.append("the fingerprint")
        if updated.noted:
            new.append(
                "what it notes of cases (judgments, weights, tags, missed floors)"
            )
        return f"nothing changed but {listed(new, 'and')}" if new else "nothing changed"
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
