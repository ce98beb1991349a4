"""The report of a run that was merged from several records, as text and as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from pytest_relevance._text import (
    case_in_prose,
    counted,
    first_few,
    harmless,
    with_variant,
)
from pytest_relevance.ext.merging.merge import Merged
from pytest_relevance.gates.judging import GateResult
from pytest_relevance.reports.run.errors import error_texts
from pytest_relevance.reports.run.gates import gate_lines
from pytest_relevance.reports.run.report import found_texts, report_data
from pytest_relevance.reports.run.summary import SummaryOf, summary_lines
from pytest_relevance.reports.styled_lines import (
    DIM,
    STRONG,
    Line,
    folded_lines,
    styled_line,
)
from pytest_relevance.reports.terminal_text import WIDEST
from pytest_relevance.results.case_result import FAILED, Key
from pytest_relevance.results.records.fingerprint import changes_text
from pytest_relevance.results.records.run import Run

_MOST_UNFINISHED = 20  # node ids of cases that did not finish


def merged_lines(
    merged: Merged, gates: Sequence[GateResult], width: int = WIDEST
) -> list[Line]:
    """Return the report of a merged run as lines.

    Advice about the baseline is left out, because the reports of the shards have it.
    """
    run = merged.run
    whole = with_missing(merged)
    joined, *searched = merge_notes(merged)
    lines = folded_lines(joined, DIM, width, "  ")
    for gate in gates:
        if gate.unmet and gate.outcome() == FAILED:
            lines.append(styled_line(harmless(gate.name), STRONG))
            lines += gate_lines(gate, width=width)
    of = SummaryOf(
        run.results,
        run.files,
        whole.info,
        gates,
        has_advice=False,
        most_lines=None,
        problems=[
            *searched,
            *_gap_texts(merged),
            *error_texts(run.info),
            *found_texts(run),
        ],
    )
    return lines + summary_lines(of, width)


def with_missing(merged: Merged) -> Run:
    """Return the merged run, with the cases that no record has among its missing ones.

    A case that no record has is named FILE::SEARCH, because its node id is not known.
    The cases that did not finish are missing already, and are in no record either. So
    as many of these names are left out.
    """
    run = merged.run
    absent = []
    for gap in merged.gaps:
        name = f"{gap.file}::{with_variant(gap.search, gap.variant)}"
        absent += [name] * (gap.total - gap.found)
    missing = (*run.info.missing, *absent[len(run.info.missing) :])
    info = replace(run.info, missing=missing, is_part=bool(missing))
    return Run(run.results, run.files, info, name=run.name)


# --- how the records were merged ------------------------------------------------------


def merge_notes(merged: Merged) -> list[str]:
    """Return sentences: what was merged, and a difference in what the runs searched."""
    notes = [_joined_text(merged)]
    searched = changes_text(merged.searched)
    if searched:
        notes.append(
            f"the records are of runs that searched different things: {searched}"
        )
    return notes


def _joined_text(merged: Merged) -> str:
    """Return how many records and results there are, and which cases are in several.

    Example: `2 records, 3 results`.
    """
    parts = [
        f"{counted(merged.records, 'record')}, {counted(len(merged.run), 'result')}"
    ]
    if merged.again:
        names = _case_names(merged, merged.again)
        parts.append(f"{names} in several of them, with the same results")
    if merged.replaced:
        names = _case_names(merged, merged.replaced)
        parts.append(
            f"{names} with other results in an earlier one, which do not count"
        )
    return "; ".join(parts)


def _case_names(merged: Merged, keys: Sequence[Key]) -> str:
    """Return how many cases there are, and the names of the first ones."""
    queries = {result.key: result.query for result in merged.run.results}
    names = []
    for key in keys:
        _, case, variant = key
        names.append(case_in_prose(case, queries[key], variant))
    return f"{counted(len(keys), 'case')} ({first_few(names)})"


def _gap_texts(merged: Merged) -> list[str]:
    """Return which cases are in no record, and which did not finish."""
    texts = []
    for gap in merged.gaps:
        absent = gap.total - gap.found
        are = "is" if absent == 1 else "are"
        of_all = f"{absent:,} of {counted(gap.total, 'case')} {are} in no record"
        texts.append(f"{gap.file}, {with_variant(gap.search, gap.variant)}: {of_all}")
    if merged.run.missing:
        names = first_few(merged.run.missing, _MOST_UNFINISHED)
        texts.append(f"did not finish: {names}")
    return texts


def merged_data(merged: Merged) -> dict[str, Any]:
    """Return the report of the whole run as JSON data, with how it was merged."""
    how = {
        "records": merged.records,
        "again": [list(key) for key in merged.again],
        "replaced": [list(key) for key in merged.replaced],
        "gaps": [asdict(gap) for gap in merged.gaps],
        "searched": {name: list(values) for name, values in merged.searched.items()},
    }
    return {**report_data(merged.run), "merged": how}
