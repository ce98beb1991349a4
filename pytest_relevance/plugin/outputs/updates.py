"""The baselines that `--relevance-update` writes at the end of a run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_relevance._text import counted, harmless, listed
from pytest_relevance.plugin.run_store import Message, RunStore, first_named, run_store
from pytest_relevance.results.records.baseline import BaselineEntries, Updated, acceptable, update_baseline
from pytest_relevance.results.records.run_info import SUFFIX, RecordError, baseline_path


def update_baselines(config: pytest.Config) -> Iterator[Message]:
    """Accept the rankings of all scored cases, and yield messages about the changes and failures."""
    store = run_store(config)
    files = {result.file for result in store.results if result.scores and not result.is_check}
    if not files:
        yield Message("no baseline is written: no case was scored")
    for file in sorted(files):
        yield from _update_baseline(store, file, only_new=config.option.relevance_update == "new")


def _update_baseline(store: RunStore, file: str, *, only_new: bool) -> Iterator[Message]:
    info, shown = store.files[file], harmless(f"{file}{SUFFIX}")
    finished, is_whole = store.of_file(file), store.is_whole(file)
    results = [result for result in store.results if result.file == file]
    accepted, unstable = acceptable(results, only_new=only_new)
    titles = {document: title for result in results for document, title in result.titles.items()}
    keys = frozenset((result.id, result.variant) for result in finished) if is_whole and not only_new else None
    try:
        updated = update_baseline(
            baseline_path(info.path),
            BaselineEntries(accepted, titles, store.common_fingerprint),
            shown=shown,
            only_new=only_new,
            all_keys=keys,
        )
    except (RecordError, OSError) as error:
        why = f", it cannot be written: {error.strerror or error}" if isinstance(error, OSError) else f": {error}"
        yield Message(f"baseline {shown} is not updated{why}", is_good=False)
    else:
        rest = "" if is_whole else f"; {len(finished):,} of {info.total:,} cases ran, the others keep what they had"
        yield Message(f"baseline {shown}: {_counted(updated)}{rest}")
    if unstable:
        rankings = counted(len(unstable), "ranking is", "rankings are")
        why = "not accepted, as the search returned another one when it was called again"
        yield Message(f"baseline {shown}: {rankings} {why}: {first_named(unstable)}", is_good=False)


def _counted(updated: Updated) -> str:
    """Describe the changes of a baseline: `3 added, 2 changed, 4 with other scores, 1 gone, 46 as they were`."""
    if not updated.is_change:
        new = ["the fingerprint"] * updated.has_new_fingerprint + [
            "the version of the format"
        ] * updated.has_new_version
        return f"nothing changed but {listed(new, 'and')}" if new else "nothing changed"
    counts = [(updated.added, "added"), (updated.changed - updated.rescored, "changed")]
    counts += [(updated.rescored, "with other scores"), (updated.dropped, "gone")]
    if not any(count for count, _ in counts):
        counts = [(updated.titles, "title changed" if updated.titles == 1 else "titles added or changed")]
    counts.append((updated.kept, "as they were"))
    return ", ".join(f"{count:,} {what}" for count, what in counts if count)
