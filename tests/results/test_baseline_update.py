"""What an update of a baseline accepts, and what becomes of the file."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import CaseResult
from pytest_relevance.results.case_parts import BaselineComparison, Repeats
from pytest_relevance.results.case_result import CHECK
from pytest_relevance.results.records.baseline_file import read_baseline, write_baseline
from pytest_relevance.results.records.baseline_update import (
    NEW,
    Update,
    acceptable,
    update_baseline,
)
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    BaselineEntry,
    entry_of,
)
from tests.helpers import case_result, changed, result_of

FILE = "shop.relevance.yaml"

# --- what is accepted -----------------------------------------------------------------


def named(name: str, ranking: str, **fields: Any) -> CaseResult:
    judged = {"query": name, "judgments": {"a": 3, "b": 1, "c": 0}}
    return changed(result_of(judged, [*ranking], file=FILE), **fields)


def accepted_names(
    *results: CaseResult, only_new: bool = False
) -> tuple[list[str], list[str]]:
    entries, unstable = acceptable(results, only_new=only_new)
    return [entry.id for entry in entries], unstable


@pytest.mark.parametrize(
    ("keys", "kept"),
    [
        ({}, 5),
        ({"expect": {"P@20": ">= 0"}}, 20),
        ({"expect": {"RR": ">= 0"}}, 30),
    ],
)
def test_only_what_the_case_looks_at_is_kept(keys: dict[str, Any], kept: int) -> None:
    ranking = [*map(str, range(30))]
    case = {"query": "watch", "judgments": {"a": 3}, "k": 5, **keys}
    assert entry_of(result_of(case, ranking)).documents == tuple(ranking[:kept])


def test_an_entry_has_the_scores_of_the_day() -> None:
    case = {"query": "watch", "judgments": {"a": 3, "b": 1}}
    expecting = {**case, "expect": {"P@3": 0.5, "results": 3}}
    found = entry_of(result_of(expecting, [*"bxa"])).scores
    assert found == {"nDCG@10": 0.589705, "P@3": 0.666667}
    unjudged = result_of({"query": "watch"}, ["b"])
    assert entry_of(unjudged).scores == {"nDCG@10": None}


def test_every_case_that_was_scored_is_accepted_whatever_its_verdict() -> None:
    verdicts = ["passed", "failed", "inconclusive", "measured"]
    results = [named(verdict, "a", verdict=verdict) for verdict in verdicts]
    results += [
        named("xfailed", "a", verdict="failed", outcome="xfailed"),
        case_result(FILE, 3, "broken", "error"),
        case_result(FILE, 3, "later", "skipped"),
        named("check", "a", search=CHECK),
    ]
    assert accepted_names(*results) == ([*verdicts, "xfailed"], [])


def test_neither_an_unstable_ranking_which_is_named_nor_an_error_is_accepted() -> None:
    results = [
        named("calls", "a", repeats=Repeats(3, 2, 1, ("a", "b"))),
        named("steady", "a", repeats=Repeats(3, 1)),
        *(named("items", ranking, variant="bm25") for ranking in "ab"),
        *(named("same", "a") for _ in range(2)),
        named("watch", "a"),
        case_result(FILE, 3, "watch", "error"),  # one of its repeats
    ]
    unstable = ['"calls"', '"items"[bm25]']
    assert accepted_names(*results) == (["steady", "same"], unstable)


def test_a_case_with_a_stale_entry_is_not_new() -> None:
    comparison = BaselineComparison("stale", stale=("the depth was 5 and is 10",))
    stale = named("watch", "a", baseline=comparison)
    assert accepted_names(stale) == (["watch"], [])
    assert accepted_names(stale, only_new=True) == ([], [])


# --- the file -------------------------------------------------------------------------


def entries(**rankings: str) -> BaselineEntries:
    return BaselineEntries(
        BaselineEntry(id=name, query=name, depth=10, documents=tuple(ranking))
        for name, ranking in rankings.items()
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A baseline with three entries."""
    path = tmp_path / "baseline"
    write_baseline(path, entries(a="x", b="x", gone="x"))
    return path


def test_an_update_by_the_whole_file(path: Path) -> None:
    accepted = entries(a="y", b="x", c="z")
    updated = update_baseline(path, Update(accepted, all_keys=frozenset(accepted)))
    assert (updated.added, updated.changed) == (1, 1)
    assert (updated.dropped, updated.kept) == (1, 1)
    assert read_baseline(path) == accepted


def test_a_part_of_the_file_drops_nothing(path: Path) -> None:
    before = path.stat().st_mtime_ns, path.stat().st_ino
    assert not update_baseline(path, Update(entries(a="x"))).is_change
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == before
    assert update_baseline(path, Update(entries(a="y"))).changed == 1
    assert read_baseline(path) == entries(a="y", b="x", gone="x")


def test_new_entries_alone_change_none(path: Path) -> None:
    updated = update_baseline(path, Update(entries(a="y", c="y"), accepts=NEW))
    assert (updated.added, updated.changed, updated.dropped) == (1, 0, 0)
    assert read_baseline(path) == entries(a="x", b="x", c="y", gone="x")


def test_two_runs_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "baseline"
    program = textwrap.dedent(
        """
        import sys
        from pytest_relevance.results.records.entries import BaselineEntries, BaselineEntry
        from pytest_relevance.results.records.baseline_update import Update, update_baseline
        for number in range(8):
            name = f"{sys.argv[2]}-{number}"
            entry = BaselineEntry(id=name, query=name, depth=10, documents=("x",))
            update_baseline(sys.argv[1], Update(BaselineEntries([entry])))
        """
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(path), name])
        for name in ("one", "two")
    ]
    assert [process.wait(60) for process in running] == [0, 0]
    assert len(read_baseline(path)) == 16


def test_a_full_disk_leaves_the_old_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        update_baseline(path, Update(entries(b="y")))
    assert path.read_bytes() == before
    assert [left.name for left in path.parent.iterdir()] == ["baseline"]
