"""Gates as tests of their own: judged when the cases have run, in the process that has all reports.

What a gate needs of a case is computed where the case ran, and travels in its entry. A gate has the node id
`FILE::gate[ID]`, followed by `[VARIANT]` where the search has parameters, and the reports of a test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from time import time
from typing import Any, Literal

import pytest

from pytest_relevance.cases.gates import MAX_DROP, gate_of
from pytest_relevance.cases.model import Gate
from pytest_relevance.metrics.scalar import grade_ranking, ranks_needed, score
from pytest_relevance.plugin.failures import Crash, FailureText
from pytest_relevance.plugin.ledger import FileFacts, Kept, Ledger
from pytest_relevance.plugin.options import is_brief, is_by_line
from pytest_relevance.plugin.running import CaseRun
from pytest_relevance.reports.baseline import ALL
from pytest_relevance.reports.gates import Case, gate_lines, passing_gate_lines, unmet
from pytest_relevance.reports.text import BAD, Line, harmless, line
from pytest_relevance.runs.gates import Counted, Verdict, in_variants, judge, looks_at, why_not
from pytest_relevance.runs.scored import ERROR, SKIPPED, Scored, ndcg_at
from pytest_relevance.runs.values import defined

_KNOWING_ITEMS = ("lfplugin", "stepwiseplugin")
"""Plugins of pytest that choose in the next run what failed in this one. Nobody can choose a gate."""

Outcome = Literal["passed", "failed", "skipped"]


def scores(this: CaseRun, scored: Scored) -> dict[str, Any]:
    """What the gates of its file need of a case: its `scores`, and those of its baseline's ranking `before`.

    Of the metrics that look at the whole ranking, `cut` has those that have no score, as the search was asked for so
    many results and returned as many, and `depths` the others where a depth is set.
    """
    case = this.case
    found: dict[str, dict[str, Any]] = {"scores": {ndcg_at(case.k).text: defined(scored.score)}}
    found |= {"before": {}, "cut": {}, "depths": {}}
    before = None
    if this.since is not None and not this.since.stale:
        before = grade_ranking(this.since.entry.ranking, case.judgments)
    for gate in case.terms.gates if case.judgments else ():  # without any no metric is defined
        for metric in gate.metrics if looks_at(gate, case.tags) else ():
            if metric.text in found["cut"]:
                continue  # another gate names it too
            if metric.text not in found["scores"]:
                value = defined(score(metric, scored.graded, case.settings))
                if ranks_needed(metric, case.settings) is None:
                    if case.terms.depth is not None:
                        found["depths"][metric.text] = case.depth
                    elif scored.is_cut and value is not None:
                        found["cut"][metric.text] = scored.asked
                        continue
                found["scores"][metric.text] = value
            if before is not None and gate.condition == MAX_DROP:
                found["before"][metric.text] = defined(score(metric, before, case.settings))
    return found


def report(session: pytest.Session, ledger: Ledger) -> None:
    """Judge the gates of the files of which something ran, or of all that were collected, and report them."""
    option = session.config.option
    updates, requires = option.relevance_update == ALL, option.relevance_gates == "require"
    for file, facts in sorted(ledger.files.items()):
        ended = dict(ledger.of_file(file))
        ran = [kept for kept in ended.values() if kept.entry["verdict"] != SKIPPED]
        is_whole = ledger.ran_whole(file)
        if not facts.gates or not (ran or (ended and is_whole) or requires):
            continue
        missing = ""
        if not is_whole:
            skipped = len(ended) - len(ran)
            missing = f"{len(ran)} of {sum(count for *_, count in facts.totals) - skipped} ran"
        for judged in _judged(facts, ran, missing, is_updated=updates):
            outcome = judged.outcome(requires=requires)
            ledger.gates.setdefault((file, judged.variant), Counter())[outcome] += 1
            where = f"{harmless(file)}:{judged.line}"
            if outcome != "failed":
                ledger.gate_lines += passing_gate_lines(where, judged.name, judged.verdict, judged.why_not)
            longrepr = _longrepr(option, facts.path, where, judged, outcome)
            _log(session, facts, judged, outcome, longrepr)


@dataclass(frozen=True, slots=True)
class _Judged:
    """What became of a gate in one variant: a verdict over cases, or why there is none.

    `is_due` is whether a gate without a verdict is one too few where gates are required.
    """

    gate: Gate
    line: int
    variant: str | None
    cases: Sequence[Case] = ()
    verdict: Verdict | None = None
    why_not: str = ""
    is_due: bool = True

    @property
    def name(self) -> str:
        """The name among pytest's node ids."""
        return f"gate[{self.gate.id}]" + (f"[{self.variant}]" if self.variant is not None else "")

    def outcome(self, *, requires: bool) -> Outcome:
        """What pytest calls it."""
        if self.verdict is not None:
            return "failed" if self.verdict.unmet else "passed"
        return "failed" if requires and self.is_due else "skipped"

    @property
    def message(self) -> str:
        """What there is to say of it in one line."""
        if self.verdict is None:
            return f"not evaluated: {self.why_not}"
        return unmet(self.verdict) or harmless("; ".join(self.verdict.reasons))

    def lines(self, where: str) -> list[Line]:
        """Its report, where it failed."""
        if self.verdict is None:
            return [line(f"{where}: {self.message}", BAD)]
        return gate_lines(self.verdict, self.cases, where, self.variant)


def _judged(facts: FileFacts, ran: Sequence[Kept], missing: str, *, is_updated: bool) -> Iterator[_Judged]:
    """All gates of a file in all variants. `missing` says what did not run, if anything."""
    cases = sorted(map(_case, ran), key=lambda case: (case[1].source or "", case[1].line, case[1].id))
    groups = in_variants((variant for _, variant, _ in facts.totals), [(case[1].variant, case) for case in cases])
    for values in facts.gates:
        gate = gate_of(values)
        for variant, group in groups.items():
            judged = partial(_Judged, gate, values["line"], variant)
            if missing:
                yield judged(why_not=missing)
            elif is_updated and gate.condition == MAX_DROP:
                yield judged(why_not="the baseline is being updated", is_due=False)
            elif nothing := why_not(gate, (counted.tags for counted, _ in group)):
                yield judged(why_not=nothing)
            else:
                shown = [case for case in group if case[0].errored or looks_at(gate, case[0].tags)]
                yield judged(shown, judge(gate, [counted for counted, _ in group]))


def _case(kept: Kept) -> Case:
    """A case that ran as gates look at it. One that was expected to fail and did has not passed."""
    entry = kept.entry
    counted = Counted(
        entry["id"],
        entry["weight"],
        entry["tags"],
        passes=kept.outcome == "passed",
        errored=entry["verdict"] == ERROR,
        scores=entry.get("scores", {}),
        before=entry.get("before", {}),
        cut=entry.get("cut", {}),
        depths=entry.get("depths", {}),
    )
    return counted, kept.as_entry()


def _log(session: pytest.Session, facts: FileFacts, judged: _Judged, outcome: Outcome, longrepr: Any) -> None:
    """Report a gate as pytest reports a test."""
    manager, hook, name = session.config.pluginmanager, session.config.hook, judged.name
    knowing_items = [plugin for plugin in map(manager.get_plugin, _KNOWING_ITEMS) if plugin is not None]
    log = manager.subset_hook_caller("pytest_runtest_logreport", [session, *knowing_items])
    nodeid, location = f"{facts.node}::{name}", (facts.node, judged.line - 1, name)
    found = [("verdict", outcome), ("found", judged.message)]
    hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
    session.testscollected += 1  # progress is measured by it, and is never more than all
    session.testsfailed += outcome == "failed"  # as the session itself would, but it would stop the run for --maxfail
    now = time()
    make = partial(pytest.TestReport, nodeid, location, {name: 1}, start=now, stop=now, user_properties=found)
    log(report=make("passed", None, "setup"))
    log(report=make(outcome, longrepr, "call"))
    log(report=make("passed", None, "teardown"))
    hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)


def _longrepr(option: Any, path: str, where: str, judged: _Judged, outcome: Outcome) -> Any:
    """What pytest shows of a gate: nothing where it passed, a reason where it was skipped, else a report."""
    if outcome == "passed":
        return None
    if outcome == "skipped":
        return path, judged.line, f"Skipped: {judged.message}"
    lines, brief = judged.lines(where), [line(f"{where}: {judged.message}", BAD)]
    shown = [] if is_by_line(option) else brief if is_brief(option) else lines
    return FailureText(lines, Crash(path, judged.line, judged.message), shown)
