"""A call that has ended: what its report carries of the cases that ran in it, in types that travel.

A case's entry is a dict of builtin types, and an attribute of the report: it survives pytest-xdist, whose workers
attach it and whose controller reads it, and what a worker finished survives its crash.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_relevance.plugin import running
from pytest_relevance.plugin.ledger import ENTRIES
from pytest_relevance.runs.scored import ERROR, FAILED, PASSED, SKIPPED, Scored
from pytest_relevance.runs.values import kept_depth


@dataclass(frozen=True, slots=True)
class Ended:
    """A call that has ended, and the runs of cases in it: one of an item of a case file."""

    item: pytest.Item
    call: pytest.CallInfo[None]
    runs: Sequence[running.CaseRun]

    def attach_to(self, report: pytest.TestReport) -> dict[str, Any] | None:
        """Attach the entries, and return what is told of the run that the call ended in."""
        error = self.call.excinfo.value if self.call.excinfo is not None else None
        entries, told = [], None
        for run in self.runs:
            if report.passed and not run.has_ended:
                continue
            entry = _entry(run, self.item.name)
            if run.was_skipped(report, self.call):
                entry["verdict"] = SKIPPED
            entries.append(entry)
            # of a case there is one call, of which a plugin may report a later attempt than it has the exception of
            if run.error is not None and (run.error is error or run.function is not None):
                told = self._told(run, report)
            elif run.function is None:  # a check of a test that went on, or ended otherwise: its outcome is its own
                entry["outcome"] = FAILED if run.scored is None or run.scored.verdict == FAILED else PASSED
            elif run.scored is None and report.failed and report.when == "call":
                report.sections.append(("relevance case", f"{run.where}: {run.facts}"))
            run.forget()
        setattr(report, ENTRIES, entries)
        return told

    def told_of_subtest(self, report: pytest.TestReport) -> dict[str, Any] | None:
        """Return what is told of the check that a subtest ended in; the checks are the test's, whose report is last."""
        error = self.call.excinfo.value if self.call.excinfo is not None else None
        ended = [run for run in self.runs if run.error is not None and run.error is error]
        return self._told(ended[0], report) if ended else None

    def _told(self, run: running.CaseRun, report: pytest.TestReport) -> dict[str, Any] | None:
        if report.skipped and not hasattr(report, "wasxfail"):
            report.longrepr = (*run.place(self.item), f"Skipped: {run.error}")
            return None
        from pytest_relevance.plugin import telling

        return telling.failure(run, self.item)


def _entry(this: running.CaseRun, name: str) -> dict[str, Any]:
    """What is kept of a case that ran, in types that travel."""
    case, scored = this.case, this.scored
    entry: dict[str, Any] = {
        "file": this.file,
        "line": case.line,
        "id": case.id,
        "name": name,
        "query": case.query,
        "search": this.search,
        "variant": this.variant,
        "tags": case.tags,
        "weight": float(case.weight),
        "k": case.k,
        "verdict": ERROR,
    }
    if case.source is not None:
        entry["source"] = case.source
    if len(this.names) > 1:
        entry["repeats"] = len(this.names)
    if scored is not None:
        entry["verdict"] = scored.verdict
        entry["score"] = None if scored.score != scored.score else float(scored.score)
        entry["latency"] = scored.latency
        if this.lines is not None and this.error is None:
            entry["lines"] = this.lines
        if this.repeated is not None:
            entry["repeated"] = this.repeated
        if len(this.names) > 1:
            entry["ranking"] = [*map(str.__str__, scored.ranking.ids[: kept_depth(case)])]
        if this.baseline is not None:
            from pytest_relevance.runs.held import standing

            entry |= {"standing": standing(this.since), "change": this.since.change if this.since is not None else 0.0}
        if case.terms.gates:
            from pytest_relevance.plugin import gates

            entry |= gates.scores(this, scored)
    return entry


def unjudged(this: running.CaseRun, scored: Scored) -> dict[str, Any]:
    """What a case left unjudged, in types that travel."""
    from pytest_relevance.reports.worklist import Ran
    from pytest_relevance.runs.worklist import unjudged_results

    case = this.case
    ran = Ran(case.id, case.query, (this.search, this.variant), case.weight, list(unjudged_results(scored)))
    return ran.values()
