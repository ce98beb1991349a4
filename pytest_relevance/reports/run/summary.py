"""The summary at the end of a run: how search does, what changed, and what to do.

Modules that the summary of a small passing run does not need are imported where they
are used, so that it starts fast.

A search whose fixture has parameters runs with each of them: these are its variants,
and are shown side by side. The checks of tests in Python (`relevance.check`) search
nothing themselves: they have suite lines, but no comparisons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os.path import isabs
from typing import TYPE_CHECKING

from pytest_relevance.reports.blocks import Block, Sentence, lines_of
from pytest_relevance.reports.run.case_tables import lowest_table
from pytest_relevance.reports.run.remarks import (
    filled_texts,
    remarks,
    without_floor_sentences,
)
from pytest_relevance.reports.run.stability import stability_remarks
from pytest_relevance.reports.run.suites import suite_sentences
from pytest_relevance.reports.run.variants import Variant, variants_of
from pytest_relevance.reports.styled_lines import DIM, DOUBT, Line
from pytest_relevance.reports.terminal_text import WIDEST
from pytest_relevance.results.case_parts import (
    LOST,
    NOT_COMPARED,
    WITHOUT_COMPARISON,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import changes_since_baseline
from pytest_relevance.results.records.run_info import FileInfo, RunInfo

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult

_MOST_FILLED = 3
_AGAINST = "--relevance-against"


def summary_lines(
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    info: RunInfo,
    gates: Sequence[GateResult] = (),
    *,
    verbosity: int = 0,
    width: int = WIDEST,
    updating: str | None = None,
    against: str = "",
    has_advice: bool = True,
) -> list[Line]:
    """Write the summary of a run, at most `width` columns wide if names allow it.

    `verbosity` is as pytest counts it: below 0 the suites alone, above 0 nothing is
    cut. `updating` is what the run accepts into the baseline ("all" or "new").
    `against` is the record to compare with, as the command line names it. Without
    `has_advice` nothing is said about what to do with a baseline.
    """
    full = verbosity > 0
    variants = variants_of(results)
    is_compared = _is_compared(results)
    has_baseline = has_advice and any(about.has_baseline for about in files.values())
    blocks: list[Block] = []
    if is_compared and verbosity >= 0:
        from pytest_relevance.reports.run.headline import headline_sentences

        blocks += headline_sentences(results, gates, info, files)
    blocks += suite_sentences(results, variants, gates)
    if has_baseline or is_compared or _lacks_cases(results, files, info):
        blocks += _since_reference(results, files, info, updating)
    blocks += without_floor_sentences(files)
    for text in filled_texts(results, None if full else _MOST_FILLED):
        blocks.append(Sentence(text, DOUBT))
    if verbosity < 0:
        blocks += stability_remarks(results)
    else:
        searched = [result for result in results if not result.is_check]
        has_tags = any(result.tags for result in searched)
        if has_baseline or has_tags or len(variants) > 1:
            blocks += _mean_tables(searched, variants, full=full)
        if not is_compared:
            blocks.append(lowest_table(results, variants, full=full))
        blocks += remarks(results, files, full=full)
        if has_baseline:
            reference = against or _reference_in(info.command)
            blocks += _movers(results, files, info, variants, full=full)
            blocks += _advice(results, files, updating, reference)
    # one case alone shares no fault with others: the imports are spared
    if info.faults or len(results) > 1 or _lacks_values(results):
        from pytest_relevance.reports.run.faults import fault_sentences

        blocks += fault_sentences(results, info, full=full)
    return lines_of(blocks, width)


def _since_reference(
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    info: RunInfo,
    updating: str | None,
) -> list[Block]:
    """Say what changed since the reference, and what is not compared with it."""
    from pytest_relevance.reports.run import uncompared
    from pytest_relevance.reports.run.baseline import (
        mean_sentences,
        still_empty_sentences,
    )
    from pytest_relevance.reports.run.moved_cases import moved_sentences

    blocks: list[Block] = []
    records = dict.fromkeys(about.against for _, about in sorted(files.items()))
    for name in records:
        if name:
            blocks.append(Sentence(f"against {name}:", DIM))
    blocks += mean_sentences(results, only_changes=True)
    blocks += moved_sentences(files, updating)
    if updating != "all":
        blocks += uncompared.lost_sentences(results, files, info)
    if updating is None:
        blocks += uncompared.not_compared_sentences(results, files)
    blocks += still_empty_sentences(results)
    return blocks


def _mean_tables(
    results: Sequence[CaseResult], variants: Sequence[Variant], *, full: bool
) -> list[Block]:
    """Make the tables of means: by tag, and of the variants of a search."""
    from pytest_relevance.reports.run.mean_tables import (
        MOST_TAGS,
        tag_table,
        variant_tables,
    )
    from pytest_relevance.reports.run.movers import MOST_ROWS

    changes = changes_since_baseline(results)
    tags = tag_table(changes, variants, None if full else MOST_TAGS)
    return [tags, *variant_tables(results, variants, None if full else MOST_ROWS)]


def _movers(
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    info: RunInfo,
    variants: Sequence[Variant],
    *,
    full: bool,
) -> list[Block]:
    """Say what was searched then and now, and which cases fell and rose."""
    from pytest_relevance.reports.run.baseline import searched_sentences
    from pytest_relevance.reports.run.movers import MOST_ROWS, mover_tables

    searched = searched_sentences(files, info.fingerprint)
    return [*searched, *mover_tables(results, variants, None if full else MOST_ROWS)]


def _advice(
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    updating: str | None,
    reference: str,
) -> list[Block]:
    from pytest_relevance.reports.run.uncompared import found_something_sentences
    from pytest_relevance.reports.run.update_advice import update_sentences

    return [
        *found_something_sentences(results, files),
        *update_sentences(results, files, updating, against=reference),
    ]


def _reference_in(command: Sequence[str]) -> str:
    """Return the record to compare with as a command line names it; empty without one.

    An absolute path is that of another machine, and stands in no report.
    """
    name = ""
    for place, argument in enumerate(command):
        if argument == _AGAINST:
            name = "".join(command[place + 1 : place + 2])
        elif argument.startswith(f"{_AGAINST}="):
            name = argument.removeprefix(f"{_AGAINST}=")
    return "" if isabs(name) else name


def _is_compared(results: Iterable[CaseResult]) -> bool:
    for result in results:
        baseline = result.baseline
        if baseline is not None and baseline.standing not in WITHOUT_COMPARISON:
            return True
    return False


def _lacks_cases(
    results: Iterable[CaseResult], files: Mapping[str, FileInfo], info: RunInfo
) -> bool:
    """Say whether a case of the reference is lost, did not run, or is not compared."""
    if info.not_run or any(about.lost for about in files.values()):
        return True
    for result in results:
        baseline = result.baseline
        if baseline is not None and baseline.standing in (LOST, NOT_COMPARED):
            return True
    return False


def _lacks_values(results: Iterable[CaseResult]) -> bool:
    """Say whether a field of an expectation has no value in any result of a case."""
    return any(0 in result.ranking.field_values.values() for result in results)
