"""The baseline in a run: read when its case file is collected, compared with as cases end, updated after the run.

Nothing here is imported where there is no baseline and none is asked for.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from pytest_relevance.runs.baseline import SUFFIX, Entry, Key, Since, beside, entry_of, read_baseline, since
from pytest_relevance.runs.beside import STALE
from pytest_relevance.runs.held import held
from pytest_relevance.runs.run import RecordError
from pytest_relevance.runs.scored import ERROR, Scored, ndcg_at
from pytest_relevance.runs.values import defined
from pytest_relevance.wording import counted, listed, quoted

OPTION = "--relevance-update"

_MOST_NAMED = 3

ACCEPTED = "relevance_accepted"
"""The attribute of a report that carries the rankings to be accepted, where that is asked for."""


class Baseline:
    """The baseline of a case file, as its cases are held to it."""

    def __init__(self, config: pytest.Config, case_file: Path, shown: str) -> None:
        """Read it. `RecordError` says what is wrong with the file, which nobody then replaces."""
        self._entries = read_baseline(beside(case_file), f"{shown}{SUFFIX}")
        self._moved: Mapping[str, tuple[Entry, str]] = {}
        self._tolerance = tolerance(config)
        self._is_accepting = config.option.relevance_update == ALL

    def hold(self, this: CaseRun, scored: Scored) -> Scored:
        """Compare a case that ran, and give it the verdict that it has with its baseline."""
        own = this.case.terms.tolerance
        tolerated = self._tolerance if own is None else own
        entry = self._entries.get((this.case.id, this.variant))
        if entry is not None:
            found = since(entry, scored, tolerated)
        elif this.case.id in self._moved:
            entry, change = self._moved[this.case.id]
            found = Since(entry, None, 0.0, tolerated, (change,))
        else:
            return scored
        this.since = found
        if self._is_accepting:
            return scored
        after = held(found, scored)
        this.fails_baseline = after is not scored
        return after

    def collected(self, keys: Iterable[Key]) -> list[str]:
        """Learn which cases there are, and in which variants; return the names of the entries that are of none of them.

        A case whose entries are all of variants that it does not have is stale: its baseline has not moved with the
        names of the parameters. These entries are not among those returned.
        """
        present = dict.fromkeys(keys)
        left = [key for key in self._entries if key not in present]
        if not left:
            return []
        before, now = _by_case(left), _by_case(present)
        kept = {case for case, _ in self._entries.keys() & present.keys()}
        self._moved = {
            case: (self._entries[case, variants[0]], _change(variants, now[case]))
            for case, variants in before.items()
            if case in now and case not in kept
        }
        return [_name(key) for key in left if key[0] not in self._moved]


def _by_case(keys: Iterable[Key]) -> Mapping[str, Sequence[str | None]]:
    """The variants of each case."""
    found: dict[str, list[str | None]] = {}
    for case, variant in keys:
        found.setdefault(case, []).append(variant)
    return found


def _change(before: Sequence[str | None], now: Sequence[str | None]) -> str:
    """`the search had the variant "bm25", and has the variants "lexical" and "dense"`."""
    return f"the search had {_variants(before)}, and has {_variants(now)}"


def _variants(names: Sequence[str | None]) -> str:
    if None in names:  # a search has parameters or none
        return "no variant"
    return f"the variant{'s' * (len(names) > 1)} {listed((quoted(name) for name in names if name is not None), 'and')}"


def _name(key: Key) -> str:
    return quoted(key[0], 40) + (f"[{harmless(key[1])}]" if key[1] is not None else "")


def accepted(runs: Iterable[CaseRun]) -> list[str]:
    """What may be accepted of cases that ended, as text that travels: the file, the entry, what speaks against it."""
    found = []
    for run in runs:
        if run.scored is not None and run.function is not None:
            scored = run.scored
            entry = Entry.of(run.case, run.variant, scored.ranking.ids, _scores(scored), is_cut=scored.is_cut)
            found.append(json.dumps([run.file, entry.values(), _objection(run)]))
    return found


def _objection(run: CaseRun) -> str:
    """Why the ranking of a case is not accepted, empty where it is.

    A stale entry is no missing one, also where its variant is gone: `--relevance-update=new` adds nothing there.
    """
    if run.repeated is not None and run.repeated["rankings"] > 1:
        return _UNSTABLE
    return STALE if run.fails_baseline and run.since is not None and run.since.stale else ""


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
        by_file: dict[str, dict[Key, list[_Ranked]]] = defaultdict(lambda: defaultdict(list))
        for text in found:
            file, values, objection = json.loads(text)
            entry = entry_of(values)
            by_file[file][entry.key].append((entry, objection))
        if not by_file:
            yield "no baseline is written: no case was scored", True
        for file, ranked in sorted(by_file.items()):
            errors = self._errors(file)
            objections = {key: _objections(repeats) for key, repeats in ranked.items()}
            taken = [ranked[key][0][0] for key, against in objections.items() if not against and key not in errors]
            yield self._update(file, taken)
            unstable = [key for key, against in objections.items() if _UNSTABLE in against]
            if unstable:
                yield f"baseline {harmless(f'{file}{SUFFIX}')}: {_unstable(sorted(unstable, key=str))}", False

    def _errors(self, file: str) -> set[Key]:
        """The cases of a file that ended in an error, in one of their repeats at least."""
        worst = (kept.entry for _, kept in ledger_of(self._config).worst(file))
        return {(entry["id"], entry["variant"]) for entry in worst if entry["verdict"] == ERROR}

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


_UNSTABLE = "unstable"

_Ranked = tuple[Entry, str]
"""An entry to be accepted, and what speaks against it."""


def _objections(repeats: Sequence[_Ranked]) -> set[str]:
    """What speaks against accepting the ranking of a case, of which these are the repeats: one, as a rule."""
    found = {objection for _, objection in repeats if objection}
    if len(repeats) > 1 and len({entry.ranking for entry, _ in repeats}) > 1:
        found.add(_UNSTABLE)
    return found


def _unstable(keys: Sequence[Key]) -> str:
    """Why some rankings are not accepted."""
    shown = [*map(_name, keys[:_MOST_NAMED])]
    if more := len(keys) - len(shown):
        shown.append(f"{more:,} more")
    cases = counted(len(keys), "ranking is", "rankings are")
    return f"{cases} not accepted, as the search returned another one when it was called again: {listed(shown, 'and')}"


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
