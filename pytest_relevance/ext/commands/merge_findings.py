"""Why merged records fail although every case is there and every gate is met."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_relevance.ext.commands.merging import Merged
from pytest_relevance.reports.run.run_findings import nothing_searched_text
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import RunFinding
from pytest_relevance.results.records.uncompared import lacks_reference


def merge_findings(run: Run) -> Iterator[RunFinding]:
    """Say why the merge fails, looking at all records together."""
    told = nothing_searched_text(run.results)
    if told and any(about.has_baseline for about in run.files.values()):
        text = f"{told}; there is a reference to compare with, so the merge fails"
        yield RunFinding(text, fails=True)
    if lacks_reference(run.results, run.files, run.info):
        why = "the run is not compared with all of its reference"
        text = f"{why}, and relevance_baseline is require, so the merge fails"
        yield RunFinding(text, fails=True)


def with_findings(merged: Merged) -> Merged:
    """Give the whole run what the merge finds, for its record and its reports."""
    run = merged.run
    findings = (*run.info.findings, *merge_findings(run))
    info = replace(run.info, findings=findings)
    return replace(merged, run=Run(run.results, run.files, info, name=run.name))
