"""`--relevance-ratchet`: after the run, raise `min_ndcg` in the case files to the reached score minus the tolerance.

Only the characters of these values change, and only in a file that did not change since it was collected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from pytest_relevance._files import digest_files, write_whole
from pytest_relevance._text import counted, listed, quoted
from pytest_relevance.cases.problems import CaseFileError
from pytest_relevance.plugin.options import verbosity
from pytest_relevance.plugin.outputs.message import Message
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.reports.text import harmless
from pytest_relevance.results.baseline.file import locked
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.ratchet import Ratcheted, floors_to_raise, new_floor, raise_floors
from pytest_relevance.results.run_info import FileInfo

MOST_NAMED = 5
"""How many raised floors the summary names."""


class _Changed(Exception):
    """A case file was changed after it was collected."""


def ratchet(config: pytest.Config) -> Iterator[Message]:
    """Raise the floors in each case file with a result, and yield messages about the changes and failures."""
    store = run_store(config)
    files = sorted({result.file for result in store.results if not result.is_check})
    if not files:
        yield Message("no floor is raised: no case ran")
    for file in files:
        results = floors_to_raise(store.of_file(file), store.files[file])
        yield from _ratchet_file(store.files[file], harmless(file), results, verbosity(config.option))


def _ratchet_file(info: FileInfo, shown: str, results: Mapping[str, CaseResult], verbose: int) -> Iterator[Message]:
    elsewhere = {name: result.source for name, result in results.items() if result.source is not None}
    floors = {name: new_floor(result) for name, result in results.items() if name not in elsewhere}
    try:
        changed = _change(info, shown, floors)
    except _Changed:
        yield Message(f"no floor is raised in {shown}: the file was changed during the run; run it again", False)
        return
    except CaseFileError as error:
        why = harmless(error.problems[0].render(shown))
        yield Message(f"no floor is raised in {shown}, which cannot be read any more: {why}", False)
        return
    except OSError as error:
        why = f"the file cannot be written: {error.strerror or error}"
        yield Message(f"no floor is raised in {shown}: {why}", False)
        return
    yield Message(f"floors of {shown}: {_words(changed, results, verbose)}")
    for refusal in changed.refusals:
        yield Message(f"a floor that is not raised: {harmless(refusal)}")
    if elsewhere:
        floors_of = counted(len(elsewhere), "floor that could rise is not", "floors that could rise are not")
        sources = listed((harmless(str(source)) for source in dict.fromkeys(elsewhere.values())), "and")
        yield Message(f"{floors_of} written in {shown}: the cases come from {sources}")


def _change(info: FileInfo, shown: str, floors: Mapping[str, float]) -> Ratcheted:
    path = Path(info.path)
    with locked(path.parent):
        data = path.read_bytes()
        if floors and digest_files([path]) != info.text_digest:
            raise _Changed
        changed = raise_floors(data, str(path), shown, floors)
        if changed.changes:
            write_whole(path, changed.data)
    return changed


def _words(changed: Ratcheted, results: Mapping[str, CaseResult], verbose: int) -> str:
    """Describe the raised floors: `2 raised: "smart watch" 0.5 -> 0.714, "usb hub" 0.6 -> 0.95`."""
    if not changed.changes:
        return "none is raised"
    named = [f"{quoted(each.case, 40)} {results[each.case].floor:g} -> {each.new}" for each in changed.changes]
    if verbose <= 0 and len(named) > MOST_NAMED + 1:
        named = [*named[:MOST_NAMED], f"{len(named) - MOST_NAMED} more (-v shows all)"]
    return f"{len(changed.changes):,} raised: {', '.join(named)}"
