"""The committed files that a run changes at its end where an option asks for it: baselines, and floors in case files.

The ratchet changes only the characters of the floors in a case file, and only if the file did not change since it was
collected.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_relevance._files import digest_files, write_whole
from pytest_relevance._text import counted, harmless, listed, quoted
from pytest_relevance.cases.problems import CaseFileError
from pytest_relevance.plugin.options import verbosity
from pytest_relevance.plugin.run_store import Message, RunStore, first_named, run_store
from pytest_relevance.results.baseline.file import BaselineEntries
from pytest_relevance.results.baseline.paths import SUFFIX, baseline_path
from pytest_relevance.results.baseline.update import Updated, acceptable, locked, update_baseline
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.records.run_info import FileInfo, RecordError

MOST_NAMED = 5
"""How many raised floors the summary names."""


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
        yield Message(f"baseline {shown} is not updated{_why(error, shown)}", is_good=False)
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
        return "nothing changed" + (" but the fingerprint" if updated.has_new_fingerprint else "")
    counts = [(updated.added, "added"), (updated.changed - updated.rescored, "changed")]
    counts += [(updated.rescored, "with other scores"), (updated.dropped, "gone")]
    if not any(count for count, _ in counts):
        counts = [(updated.titles, "title changed" if updated.titles == 1 else "titles added or changed")]
    counts.append((updated.kept, "as they were"))
    return ", ".join(f"{count:,} {what}" for count, what in counts if count)


def _why(error: Exception, shown: str) -> str:
    """Return why a file could not be updated, to follow its name in a message."""
    if isinstance(error, OSError):
        return f", it cannot be written: {error.strerror or error}"
    if isinstance(error, CaseFileError):
        return f", which cannot be read any more: {harmless(error.problems[0].render(shown))}"
    return f": {error}"


class _Changed(ValueError):
    """A case file was changed after it was collected."""


def ratchet(config: pytest.Config) -> Iterator[Message]:
    """Raise the floors in each case file with a result, and yield messages about the changes and failures."""
    store = run_store(config)
    files = sorted({result.file for result in store.results if not result.is_check})
    if not files:
        yield Message("no floor is raised: no case ran")
    for file in files:
        yield from _ratchet_file(store.files[file], harmless(file), store.of_file(file), verbosity(config.option))


def _ratchet_file(info: FileInfo, shown: str, ran: list[CaseResult], verbose: int) -> Iterator[Message]:
    from pytest_relevance.results.ratchet import floors_to_raise, new_floor, raise_floors

    results, path = floors_to_raise(ran, info), Path(info.path)
    elsewhere = {name: result.source for name, result in results.items() if result.source is not None}
    floors = {name: new_floor(result) for name, result in results.items() if name not in elsewhere}
    try:
        with locked(path.parent):
            data = path.read_bytes()
            if floors and digest_files([path]) != info.text_digest:
                raise _Changed("the file was changed during the run; run it again")
            changed = raise_floors(data, str(path), shown, floors)
            if changed.changes:
                write_whole(path, changed.data)
    except (_Changed, CaseFileError, OSError) as error:
        yield Message(f"no floor is raised in {shown}{_why(error, shown)}", is_good=False)
        return
    raised = [f"{quoted(each.case, 40)} {results[each.case].floor:g} -> {each.new}" for each in changed.changes]
    yield Message(f"floors of {shown}: {_words(raised, verbose)}")
    for refusal in changed.refusals:
        yield Message(f"a floor that is not raised: {harmless(refusal)}")
    if elsewhere:
        floors_of = counted(len(elsewhere), "floor that could rise is not", "floors that could rise are not")
        sources = listed((harmless(str(source)) for source in dict.fromkeys(elsewhere.values())), "and")
        yield Message(f"{floors_of} written in {shown}: the cases come from {sources}")


def _words(raised: list[str], verbose: int) -> str:
    """Describe the raised floors: `2 raised: "smart watch" 0.5 -> 0.714, "usb hub" 0.6 -> 0.95`."""
    named = raised
    if verbose <= 0 and len(raised) > MOST_NAMED + 1:
        named = [*raised[:MOST_NAMED], f"{len(raised) - MOST_NAMED} more (-v shows all)"]
    return f"{len(raised):,} raised: {', '.join(named)}" if raised else "none is raised"
