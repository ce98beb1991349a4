"""The record of another run in the place of a committed baseline: its rankings as entries.

Only what an entry needs is read and checked of each line, as every worker of pytest-xdist reads the record.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_relevance.results.baseline.comparison import entry_of
from pytest_relevance.results.baseline.file import BaselineEntry, EntryKey
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.record import KIND, VERSION, check_values, read_header, read_lines, read_object
from pytest_relevance.results.run_info import RecordError

_NEEDED = frozenset(
    {
        *("file", "line", "id", "verdict", "query", "search", "variant", "params", "k", "depth", "is_depth_set"),
        *("reaches_depth", "documents", "whole", "scores"),
    }
)
"""The fields of a result that make an entry."""


@dataclass(frozen=True, slots=True)
class RecordedRankings:
    """The rankings of a record, which messages call `name`.

    `entries` are those of each case file by its name in the record, `nodes` the names by pytest's node id.
    """

    name: str
    entries: Mapping[str, Mapping[EntryKey, BaselineEntry]] = field(default_factory=dict)
    nodes: Mapping[str, str] = field(default_factory=dict)

    def of_file(self, node: str, file: str) -> Mapping[EntryKey, BaselineEntry]:
        """The entries of a case file, found by its node id, or else by its name; empty for an unknown one."""
        return self.entries.get(self.nodes.get(node, file.replace(os.sep, "/")), {})


def read_rankings(path: str | os.PathLike[str], shown: str | None = None) -> RecordedRankings:
    """Read the rankings of a record. Raises `RecordError`, which names the line and what is wrong."""
    name = shown if shown is not None else os.fspath(path)
    lines = read_lines(path, name)
    header = read_header(name, lines, KIND, VERSION)
    try:
        nodes = {values.get("node") or file: file for file, values in header["files"].items()}
    except (KeyError, AttributeError, TypeError) as error:
        raise RecordError(f"{name}:1: the header is damaged ({error!r}); make the record again") from None
    results = [*_results(name, lines)]
    if len(results) != header.get("results"):
        raise RecordError(
            f"{name}: the record is truncated: {len(results):,} of {header.get('results')} results are there; "
            "fetch or make it again"
        )
    return RecordedRankings(name, entries_of(results), nodes)


def entries_of(results: Iterable[CaseResult]) -> dict[str, dict[EntryKey, BaselineEntry]]:
    """The entries that accept the rankings of results, by case file; none for a case without a score."""
    entries: dict[str, dict[EntryKey, BaselineEntry]] = {}
    for result in results:
        if result.scores and not result.is_check:
            entry = entry_of(result)
            entries.setdefault(result.file, {}).setdefault(entry.key, entry)
    return entries


def _results(name: str, lines: Iterable[tuple[int, str]]) -> Iterator[CaseResult]:
    for number, line in lines:
        values: Mapping[str, Any] = read_object(name, number, line)
        needed = {key: value for key, value in values.items() if key in _NEEDED}
        try:
            check_values(needed, CaseResult)
            yield CaseResult.from_dict(needed)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise RecordError(f"{name}:{number}: the line is no result: {error}; make the record again") from None
