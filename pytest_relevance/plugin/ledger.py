"""What is known of a run in the process that has all reports: the cases that ended, and the files they are from.

Under pytest-xdist the controller collects nothing and calls nothing, and other plugins run each test in a process of
its own. All that is known of cases came on reports, as attributes of builtin types: the entries of the cases, what is
kept of each beyond its entry, and with the first report of each worker of pytest-xdist what there is to know of the
files. The last report of an item counts, so that a case that is run again
counts once. Gates, records and baselines read here what they need at the end of the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_relevance.reports.entries import Entry
from pytest_relevance.reports.text import Line

ENTRIES = "relevance"
"""The attribute of a report that carries the entries: one of a case, as many as its checks of a test in Python."""

FILES = "relevance_files"
"""The attribute of a report that carries what there is to know of case files, by their names: `FileFacts.values`."""

ENDED = ("passed", "failed", "skipped")
"""The outcomes of a report after which no other of the same item comes; not after "rerun"."""

LEDGER: pytest.StashKey[Ledger] = pytest.StashKey()


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What there is to know of a case file beyond its cases that ran.

    `path` is where it is. `totals` are how many cases it has in each variant, whether they were chosen to run or not.
    `gates` are its gates as `cases.gates.gate_values` has them, and the `line` of each. `node` is its node id.
    `content` stands for all that it says, where a record is asked for. `gone` are the entries of its baseline that are
    none of its cases, None where it has no baseline. `unjudged` says which of its listed queries have no judgments.
    """

    path: str
    totals: Sequence[tuple[str, str | None, int]] = ()
    gates: Sequence[dict[str, Any]] = ()
    node: str = ""
    content: str = ""
    gone: Sequence[str] | None = None
    unjudged: str = ""

    def values(self) -> dict[str, Any]:
        """The same in types that travel."""
        return {
            "path": self.path,
            "totals": [*map(list, self.totals)],
            "gates": [*self.gates],
            "node": self.node,
            "content": self.content,
            "gone": self.gone,
            "unjudged": self.unjudged,
        }

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> FileFacts:
        """The facts from what travelled."""
        totals = [(search, variant, count) for search, variant, count in values["totals"]]
        others = (values[name] for name in ("gates", "node", "content", "gone", "unjudged"))
        return cls(values["path"], totals, *others)


@dataclass(slots=True)
class Kept:
    """What is kept of a case that ended: its entry, and with which outcome."""

    entry: dict[str, Any]
    outcome: str
    was_xfail: bool

    def as_entry(self) -> Entry:
        """The entry as reports know it."""
        return Entry.of(self.entry, self.outcome, was_xfail=self.was_xfail)


@dataclass(slots=True)
class Ledger:
    """The cases that ended, by the item they are of and their number in it, skipped ones too; and the files.

    `to_run` are the node ids of what was collected and not deselected, in that order, of other tests too. `failed` are
    those of the items of which a report failed, `unscored` those of which one passed in whose call no case was scored.
    `gates` are how many gates of a file came to which outcome in each variant, at the end of the run, and `gate_lines`
    what those found that did not fail.
    """

    cases: dict[tuple[str, int], Kept] = field(default_factory=dict)
    files: dict[str, FileFacts] = field(default_factory=dict)
    gates: dict[tuple[str, str | None], Counter[str]] = field(default_factory=dict)
    gate_lines: list[Line] = field(default_factory=list)
    to_run: Sequence[str] = ()
    failed: set[str] = field(default_factory=set)
    unscored: set[str] = field(default_factory=set)
    _waiting: dict[str, FileFacts] = field(default_factory=dict)
    _left: dict[str, dict[str, Any]] = field(default_factory=dict)
    _has_repeats: bool = False

    def announce(self, file: str, facts: FileFacts, *, travels: bool) -> None:
        """Keep what there is to know of a file; where it `travels`, until the first report leaves this process."""
        (self._waiting if travels else self.files)[file] = facts

    def attach_facts(self, report: pytest.TestReport) -> None:
        """Put what there is to know of the files on the first report: also of those of which none was chosen to run."""
        if self._waiting:
            setattr(report, FILES, {file: facts.values() for file, facts in self._waiting.items()})
            self._waiting.clear()

    def left(self, attribute: str) -> dict[str, Any]:
        """What cases left in an attribute of their reports, by their node ids; it fills from now on."""
        return self._left.setdefault(attribute, {})

    def add(self, report: pytest.TestReport) -> None:
        """Keep what came on a report."""
        for file, values in getattr(report, FILES, {}).items():
            self.files.setdefault(file, FileFacts.of(values))
        if report.outcome not in ENDED:
            return
        if report.failed:
            self.failed.add(report.nodeid)
        attached = vars(report)
        for attribute, found in self._left.items():
            left = attached.get(attribute)
            if left is not None:
                found[report.nodeid] = left
        if attached.get(ENTRIES) == []:
            self.unscored.add(report.nodeid)
        was_xfail = hasattr(report, "wasxfail")
        for number, entry in enumerate(getattr(report, ENTRIES, ())):
            own = entry.get("outcome")  # another process may still have to read it
            outcome = (report.outcome, was_xfail) if own is None else (own, False)
            self.cases[report.nodeid, number] = Kept(entry, *outcome)
            self._has_repeats |= "repeats" in entry

    def entries(self) -> list[Entry]:
        """The entries of all cases that ended; of repeats the worst."""
        return [kept.as_entry() for _, kept in self.worst()]

    def worst(self, file: str | None = None) -> Iterator[tuple[str, Kept]]:
        """The cases that ended, of a file or all, with the node ids of their items; of repeats the worst.

        Repeats are items of one case in one variant: another plugin runs every test several times, say.
        """
        repeats = self._repeats()
        worst = self._worst(repeats)
        for (nodeid, _), kept in self.cases.items():
            if (nodeid not in repeats or nodeid in worst) and (file is None or kept.entry["file"] == file):
                yield nodeid, worst.get(nodeid, kept)

    def of_file(self, file: str) -> Iterator[tuple[str, Kept]]:
        """The cases of a file of which every item ended; with the node id of the worst repeat."""
        ended = Counter(case_of(kept) for kept in self._repeats().values())
        for nodeid, kept in self.worst(file):
            if "repeats" not in kept.entry or ended[case_of(kept)] == kept.entry["repeats"]:
                yield nodeid, kept

    def superseded(self) -> frozenset[str]:
        """The node ids of repeats that a worse one stands for."""
        repeats = self._repeats()
        return frozenset(repeats) - self._worst(repeats).keys()

    def _repeats(self) -> Mapping[str, Kept]:
        """The items that are repeats, by their node ids."""
        if not self._has_repeats:
            return {}
        return {nodeid: kept for (nodeid, _), kept in self.cases.items() if "repeats" in kept.entry}

    @staticmethod
    def _worst(repeats: Mapping[str, Kept]) -> Mapping[str, Kept]:
        if not repeats:
            return {}
        from pytest_relevance.plugin.repeats import worst_of

        groups: dict[object, dict[str, Kept]] = {}
        for nodeid, kept in repeats.items():
            groups.setdefault(case_of(kept), {})[nodeid] = kept
        return dict(map(worst_of, groups.values()))

    def unfinished(self) -> int:
        """How many cases of those that were to run did not come to an end."""
        files = {facts.node for facts in self.files.values()}
        return sum(name.partition("::")[0] in files for name in self.without_entry())

    def without_entry(self) -> Iterator[str]:
        """The node ids of what was to run and has no entry, of other tests too."""
        return (name for name in self.to_run if (name, 0) not in self.cases)

    def ran_whole(self, file: str) -> bool:
        """Whether every item of a file ended or was skipped: nothing was deselected, nothing was cut short."""
        facts = self.files.get(file)
        if facts is None:
            return False
        ended = Counter((kept.entry["search"], kept.entry["variant"]) for _, kept in self.of_file(file))
        return all(ended[search, variant] >= count for search, variant, count in facts.totals)


def case_of(kept: Kept) -> tuple[object, ...]:
    """What repeats have in common: the case and the variant."""
    return tuple(kept.entry[name] for name in ("file", "id", "search", "variant"))


def ledger_of(config: pytest.Config) -> Ledger:
    """The ledger of this process."""
    ledger = config.stash.get(LEDGER, None)
    if ledger is None:
        ledger = config.stash[LEDGER] = Ledger()
    return ledger
