"""Read and write the baseline of a case file, which is meant to be committed.

It is a record with fewer keys (`record_file`): a header, a line for each entry, a line
for each known title of a document, and an end line. Entries are sorted, so that a pull
request shows what changed. There is no count of the entries, so that version control
can merge two branches that add one entry each.

The collector of a case file reads it, and an update at the end of a run writes it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_relevance._files import write_whole
from pytest_relevance._problems import Place
from pytest_relevance._text import quoted
from pytest_relevance.codec import decode, encode
from pytest_relevance.metrics.names import LARGEST_CUTOFF
from pytest_relevance.metrics.ndcg import without_copies
from pytest_relevance.results.records.checking import check_outcome
from pytest_relevance.results.records.demands import (
    CaseDemands,
    FileDemands,
    read_demands,
)
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    BaselineEntry,
    EntryKey,
    with_sorted_keys,
)
from pytest_relevance.results.records.fingerprint import checked
from pytest_relevance.results.records.json_lines import (
    BASELINE,
    END,
    as_json,
    encoded,
    read_file,
)
from pytest_relevance.results.records.run_info import RecordError

_HOLDS = "the accepted ranking of each case and variant; written by --relevance-update, scores are those of that day"


@dataclass(frozen=True, slots=True)
class _Header:
    """The header of a baseline, without its kind and its version.

    `holds`: says to a reader what the file is.
    `fingerprint`: what was searched.
    `without_ranking`: a list of `[id, variant, why]` for cases without a ranking.
    `demands`: what the file demands, and what it demands of a case by default.
    """

    holds: str = ""
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    without_ranking: Sequence[tuple[str, str | None, str]] = ()
    demands: FileDemands | None = None


@dataclass(frozen=True, slots=True)
class _Title:
    """A line with the title of a document."""

    document: str
    title: str


def read_baseline(
    path: str | os.PathLike[str], shown: str | None = None
) -> BaselineEntries:
    """Return the entries of a baseline. Messages call the file `shown`.

    Raises `RecordError`, which names the line and what is wrong.
    """
    file = shown if shown is not None else os.fspath(path)
    reader = _Reader()
    lines = read_file(path, file, BASELINE, reader.read_header, reader.read_line)
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


class _Reader:
    """Reads the lines of a baseline. What its cases demand depends on its header."""

    def __init__(self) -> None:
        self._suite: CaseDemands | None = None

    def read_header(self, values: Mapping[str, Any]) -> BaselineEntries:
        """Return the entries without a line yet. Note what the suite demands."""
        header = decode(_Header, values)
        if header.demands is not None:
            self._suite = header.demands.suite
        without_ranking = {}
        for case, variant, why in header.without_ranking:
            without_ranking[case, variant] = why
        return BaselineEntries(
            fingerprint=checked(header.fingerprint),
            without_ranking=without_ranking,
            demands=header.demands,
        )

    def read_line(self, values: Mapping[str, Any]) -> BaselineEntry | _Title:
        if "document" in values:
            return decode(_Title, values)
        return _read_entry(values, self._suite)


def _read_entry(values: Mapping[str, Any], suite: CaseDemands | None) -> BaselineEntry:
    """Return the entry of a line. Raises ValueError for a value that is not allowed."""
    known = {"query": values.get("id"), **values}
    own = known.pop("demands", {})
    demands = None if suite is None else read_demands(suite, own)
    entry = replace(decode(BaselineEntry, known), demands=demands)
    if not 0 <= entry.depth <= LARGEST_CUTOFF:
        raise ValueError(f"depth: {entry.depth} is not a number of ranks")
    if not 0 < entry.weight < math.inf:
        raise ValueError(f"weight: {entry.weight!r} is not a finite number above 0")
    for document, rank in entry.deeper.items():
        if rank is not None and rank < 1:
            raise ValueError(f"deeper: {rank!r} is not a rank of {quoted(document)}")
    for outcome in entry.outcomes:
        check_outcome(outcome)
    _check_held(entry)
    return entry


def _check_held(entry: BaselineEntry) -> None:
    """Raise ValueError if what is known of passages does not fit the ranking."""
    if not (entry.passages or entry.held or entry.lengths):
        return
    documents = entry.documents
    if entry.collapse:
        documents = tuple(without_copies(documents))
    count = len(documents)
    if len(entry.held) != count or len(entry.lengths) not in (0, count):
        raise ValueError("documents, held and lengths are not equally many")
    indexes = range(len(entry.passages))
    for held in entry.held:
        if any(index not in indexes for index in held):
            raise ValueError(f"held: {list(held)} is not among the passages")


def write_baseline(path: str | os.PathLike[str], baseline: BaselineEntries) -> None:
    """Write a baseline file: entries in order, then the titles of documents.

    Raises OSError if it cannot be written. Then the old file is unchanged.
    """
    header = _Header(
        holds=_HOLDS,
        fingerprint=with_sorted_keys(baseline.fingerprint),
        without_ranking=_sorted_cases(baseline.without_ranking),
        demands=baseline.demands,
    )
    lines = []
    for key in sorted(baseline, key=_order_of_key):
        entry = baseline[key]
        if baseline.demands is None:
            lines.append(entry.line)
        else:
            lines.append(entry.line_beside(baseline.demands.suite))
    for document, title in sorted(baseline.titles.items()):
        lines.append(as_json(encode(_Title(document, title))))
    write_whole(path, encoded(BASELINE, encode(header), [*lines, END]))


def _sorted_cases(
    cases: Mapping[EntryKey, str],
) -> tuple[tuple[str, str | None, str], ...]:
    lines = []
    for case, variant in sorted(cases, key=_order_of_key):
        lines.append((case, variant, cases[case, variant]))
    return tuple(lines)


def _order_of_key(key: EntryKey) -> tuple[str, str]:
    case, variant = key
    return case, variant or ""
