"""The baseline in a run: read when its case file is collected, compared with as cases end, updated after the run.

Nothing here is imported where there is no baseline and none is asked for.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from pytest_relevance.plugin.after import AfterRun, Said
from pytest_relevance.plugin.ledger import Ledger, ledger_of
from pytest_relevance.plugin.options import tolerance
from pytest_relevance.plugin.running import CaseRun
from pytest_relevance.reports import entries as reports
from pytest_relevance.reports.baseline import ALL, ONLY_NEW, baseline_lines
from pytest_relevance.reports.text import Line, harmless
from pytest_relevance.runs.accepting import Updated, update_baseline
from pytest_relevance.runs.baseline import SUFFIX, Entry, Key, beside, entry_of, read_baseline, since
from pytest_relevance.runs.held import held
from pytest_relevance.runs.run import RecordError
from pytest_relevance.runs.scored import Scored, ndcg_at
from pytest_relevance.runs.values import defined
from pytest_relevance.wording import quoted

OPTION = "--relevance-update"

ACCEPTED = "relevance_accepted"
"""The attribute of a report that carries the rankings to be accepted, where that is asked for."""


class Baseline:
    """The baseline of a case file, as its cases are held to it."""

    def __init__(self, config: pytest.Config, case_file: Path, shown: str) -> None:
        """Read it. `RecordError` says what is wrong with the file, which nobody then replaces."""
        self._entries = read_baseline(beside(case_file), f"{shown}{SUFFIX}")
        self._tolerance = tolerance(config)
        self._is_accepting = config.option.relevance_update == ALL

    def hold(self, this: CaseRun, scored: Scored) -> Scored:
        """Compare a case that ran, and give it the verdict that it has with its baseline."""
        entry = self._entries.get((this.case.id, this.variant))
        if entry is None:
            return scored
        own = this.case.terms.tolerance
        this.since = found = since(entry, scored, self._tolerance if own is None else own)
        if self._is_accepting:
            return scored
        after = held(found, scored)
        this.fails_baseline = after is not scored
        return after

    def gone(self, keys: Iterable[Key]) -> list[str]:
        """The names of the entries that are none of these cases."""
        present = set(keys)
        return [_name(key) for key in self._entries if key not in present]


def _name(key: Key) -> str:
    return quoted(key[0], 40) + (f"[{harmless(key[1])}]" if key[1] is not None else "")


def accepted(runs: Iterable[CaseRun]) -> list[str]:
    """What there is to accept of cases that ended, as text that travels: an entry and the file that it belongs to."""
    found = []
    for run in runs:
        if run.scored is not None and run.function is not None:
            entry = Entry.of(run.case, run.variant, run.scored.ranking.ids, _scores(run.scored))
            found.append(json.dumps([run.file, entry.values()]))
    return found


def _scores(scored: Scored) -> dict[str, float | None]:
    """The scores of the day: those that the case is about."""
    scores = {ndcg_at(scored.case.k).text: defined(scored.score)}
    for expected, outcome in zip(scored.case.expect, scored.outcomes, strict=True):
        if expected.metric is not None and outcome.value is not None:
            scores[expected.metric.text] = defined(outcome.value)
    return scores


def lines(config: pytest.Config, ledger: Ledger, entries: Sequence[reports.Entry]) -> list[Line]:
    """What the summary of a run says of the baselines of its files."""
    gone = {
        file: facts.gone for file, facts in ledger.files.items() if facts.gone is not None and ledger.ran_whole(file)
    }
    return baseline_lines(entries, gone, config.option.verbose, config.option.relevance_update)


def install(config: pytest.Config) -> None:
    """Register what updates baselines. A worker of pytest-xdist updates nothing."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Update(config), "relevance-update")


class Update(AfterRun[str]):
    """`--relevance-update`: accept the present rankings, or with `new` those of cases that have none."""

    option = OPTION
    attribute = ACCEPTED

    def act(self, found: Iterable[str]) -> Iterator[Said]:
        """Update the baseline of each file of which a case ran."""
        entries: dict[str, list[Entry]] = defaultdict(list)
        for text in found:
            file, values = json.loads(text)
            entries[file].append(entry_of(values))
        if not entries:
            yield "no baseline is written: no case was scored", True
        for file in sorted(entries):
            yield self._update(file, entries[file])

    def _update(self, file: str, entries: Sequence[Entry]) -> Said:
        ledger = ledger_of(self._config)
        only_new = self._config.option.relevance_update == ONLY_NEW
        ended = [(kept.entry["id"], kept.entry["variant"]) for _, kept in ledger.of_file(file)]
        facts = ledger.files[file]
        is_whole = ledger.ran_whole(file)
        keys = frozenset(ended) if is_whole and not only_new else None
        shown = harmless(f"{file}{SUFFIX}")
        try:
            updated = update_baseline(beside(facts.path), entries, shown=shown, only_new=only_new, all_keys=keys)
        except RecordError as error:
            return f"baseline {shown} is not updated: {error}", False
        except OSError as error:
            return f"baseline {shown} is not updated, it cannot be written: {error.strerror or error}", False
        total = sum(count for *_, count in facts.totals)
        rest = "" if is_whole else f"; {len(ended):,} of {total:,} cases ran, the others keep what they had"
        return f"baseline {shown}: {_counted(updated)}{rest}", True


def _counted(updated: Updated) -> str:
    """`3 added, 2 changed, 1 gone, 46 as they were`."""
    if not updated.is_change:
        return "nothing changed"
    counts = (
        (updated.added, "added"),
        (updated.changed, "changed"),
        (updated.dropped, "gone"),
        (updated.kept, "as they were"),
    )
    return ", ".join(f"{count:,} {what}" for count, what in counts if count)
