"""The summary of a run: suites, tags, variants, the lowest queries, repeats, the baseline.

A search with the parameter that it ran with is a variant; several variants are shown side by side. The checks of tests
in Python (`relevance.check`) search nothing themselves: they have suite lines, and are compared with nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import nsmallest

from pytest_relevance.reports.summary.baseline import baseline_lines
from pytest_relevance.reports.summary.cases import Variant, lowest_table, variants_of
from pytest_relevance.reports.summary.stability import stability_lines
from pytest_relevance.reports.summary.suites import gate_outcomes, suite_lines
from pytest_relevance.reports.summary.tags import tag_lines
from pytest_relevance.reports.summary.variants import against_first_table, differences, side_by_side_table
from pytest_relevance.reports.text import DOUBT, STRONG, WIDEST, Line, folded, harmless, line
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.gates import GateResult
from pytest_relevance.results.run_info import FileInfo, RunInfo

MOST_LOWEST, MOST_DIFFERENCES = 5, 5
"""How many queries a summary lists by default."""


def summary_lines(
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    info: RunInfo,
    gates: Sequence[GateResult] = (),
    *,
    verbosity: int = 0,
    width: int = WIDEST,
    updating: str | None = None,
    require_gates: bool = False,
) -> list[Line]:
    """The summary of a run as styled lines, at most `width` terminal columns wide, except for longer names.

    `verbosity` as pytest counts it: below 0 the suites alone, above 0 nothing is cut. `updating` is what the run
    accepts into the baseline ("all" or "new"). `require_gates`: a gate without a verdict has failed.
    """
    columns = width
    variants = variants_of(results)
    lines = suite_lines(results, variants, gate_outcomes(gates, require=require_gates), columns)
    if verbosity >= 0:
        compared = [result for result in results if not result.is_check]
        lines += tag_lines(compared, variants, verbosity=verbosity, columns=columns)
        if len(variants) > 1:
            lines += _variants(compared, variants, verbosity, columns)
        lines += _lowest(results, variants, verbosity, columns)
    lines += stability_lines(results, verbosity=verbosity, columns=columns)
    if verbosity >= 0:
        lines += baseline_lines(results, files, verbosity=verbosity, columns=columns, updating=updating)
        lines += _unjudged_queries(files, columns)
    return lines


def _unjudged_queries(files: Mapping[str, FileInfo], columns: int) -> list[Line]:
    """Which listed queries of which file have no judgments, so that they are measured without a floor."""
    texts = [f"{harmless(file)}: {info.unjudged}" for file, info in sorted(files.items()) if info.unjudged]
    return [line(part, DOUBT) for text in texts for part in folded(text, columns, "    ")]


def _variants(results: Sequence[CaseResult], variants: Sequence[Variant], verbosity: int, columns: int) -> list[Line]:
    found = differences(results)
    shown = found if verbosity > 0 else found[:MOST_DIFFERENCES]
    lines = side_by_side_table(shown, variants, columns).lines(columns) if shown else []
    table = against_first_table(results, variants)
    return lines if table is None else [*lines, *table.lines(columns)]


def lowest(results: Sequence[CaseResult], most: int = MOST_LOWEST) -> list[CaseResult]:
    """The results with the lowest scores below 1, the lowest first."""
    return nsmallest(
        most,
        (result for result in results if result.score is not None and result.score < 1),
        key=lambda result: (result.score, result.file, result.line, result.variant or ""),
    )


def _lowest(results: Sequence[CaseResult], variants: Sequence[Variant], verbosity: int, columns: int) -> list[Line]:
    shown = lowest(results, 4 * MOST_LOWEST if verbosity > 0 else MOST_LOWEST)
    return [line("lowest", STRONG), *lowest_table(shown, variants).lines(columns)] if shown else []
