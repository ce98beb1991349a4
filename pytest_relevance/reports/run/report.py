"""A run as text and as data: the summary at its end, the report of a record, and of runs that were merged.

Modules that the summary of a small passing run does not need are imported where they are used, so that it starts fast.

A search whose fixture has parameters runs with each of them: these are its variants, and are shown side by side. The
checks of tests in Python (`relevance.check`) search nothing themselves: they have suite lines, but no comparisons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from os.path import isabs
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import (
    case_in_prose,
    counted,
    first_few,
    harmless,
    with_variant,
)
from pytest_relevance.reports.blocks import Block, Sentence, lines_of
from pytest_relevance.reports.run import cases
from pytest_relevance.reports.run.filled import filled_texts
from pytest_relevance.reports.run.remarks import remarks, without_floor_sentences
from pytest_relevance.reports.run.stability import stability_remarks
from pytest_relevance.reports.run.suites import suite_sentences
from pytest_relevance.reports.styled_lines import (
    BAD,
    DIM,
    DOUBT,
    GOOD,
    STRONG,
    Line,
    folded_lines,
    styled_line,
    wrapped,
)
from pytest_relevance.reports.terminal_text import WIDEST
from pytest_relevance.results.case_parts import (
    LOST,
    NEW,
    NOT_COMPARED,
    WITHOUT_COMPARISON,
)
from pytest_relevance.results.case_result import (
    FAILED,
    NOT_SEARCHED,
    SKIPPED,
    XFAILED,
    CaseResult,
    Key,
    has_failed,
)
from pytest_relevance.results.records.run_info import (
    FileInfo,
    RunInfo,
    changes_text,
    files_with_errors,
)

if TYPE_CHECKING:
    from pytest_relevance.results.gates import GateResult
    from pytest_relevance.results.records.merge import Merged
    from pytest_relevance.results.records.run import Run


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
    """The summary of a run as styled lines, at most `width` terminal columns wide, except for longer names.

    `verbosity` as pytest counts it: below 0 the suites alone, above 0 nothing is cut. `updating` is what the run
    accepts into the baseline ("all" or "new"). `against` is the record to compare
    with as the command line names it. Without `has_advice` nothing is said about what to do with a baseline.
    """
    variants, full = cases.variants_of(results), verbosity > 0
    has_baseline = has_advice and any(about.has_baseline for about in files.values())
    is_compared = any(
        result.baseline is not None
        and result.baseline.standing not in WITHOUT_COMPARISON
        for result in results
    )
    has_before = (
        has_baseline
        or is_compared
        or _has_uncompared_case(results)
        or bool(info.not_run or any(about.lost for about in files.values()))
    )
    blocks: list[Block] = []
    if has_before:
        from pytest_relevance.reports.run import uncompared
        from pytest_relevance.reports.run.baseline import (
            mean_sentences,
            searched_sentences,
            still_empty_sentences,
        )
        from pytest_relevance.reports.run.headline import headline_sentences
        from pytest_relevance.reports.run.moved import moved_sentences
        from pytest_relevance.reports.run.update_advice import update_sentences

        blocks += (
            headline_sentences(results, gates, info, files)
            if is_compared and verbosity >= 0
            else []
        )
    blocks += suite_sentences(results, variants, gates)
    if has_before:
        records = dict.fromkeys(
            about.against for _, about in sorted(files.items()) if about.against
        )
        blocks += [Sentence(f"against {name}:", DIM) for name in records]
        blocks += mean_sentences(results, only_changes=True)
        blocks += moved_sentences(files, updating)
        if updating != "all":
            blocks += uncompared.lost_sentences(results, files, info)
        if updating is None:
            blocks += uncompared.not_compared_sentences(results, files)
        blocks += still_empty_sentences(results)
    blocks += without_floor_sentences(files)
    blocks += [
        Sentence(text, DOUBT) for text in filled_texts(results, None if full else 3)
    ]
    if verbosity < 0:
        blocks += stability_remarks(results)
    else:
        compared = [result for result in results if not result.is_check]
        if has_baseline or len(variants) > 1 or any(result.tags for result in compared):
            from pytest_relevance.reports.run.means import (
                MOST_TAGS,
                tag_table,
                variant_tables,
            )
            from pytest_relevance.reports.run.movers import MOST_ROWS, mover_tables

            most = None if full else MOST_ROWS
            blocks.append(tag_table(compared, variants, None if full else MOST_TAGS))
            blocks += variant_tables(compared, variants, most)
        blocks += (
            [] if is_compared else [cases.lowest_table(results, variants, full=full)]
        )
        blocks += remarks(results, files, full=full)
        if has_baseline:
            blocks += searched_sentences(files, info.fingerprint)
            blocks += mover_tables(results, variants, most)
            blocks += uncompared.found_something_sentences(results, files)
            reference = against or _reference_in(info.command)
            blocks += update_sentences(results, files, updating, against=reference)
    # one case alone shares no fault with others: the imports are spared
    if info.faults or len(results) > 1 or _lacks_values(results):
        from pytest_relevance.reports.run.faults import fault_sentences

        blocks += fault_sentences(results, info, full=full)
    return lines_of(blocks, width)


def _reference_in(command: Sequence[str]) -> str:
    """Return the record to compare with as a command line names it; empty if it does not.

    An absolute path is that of another machine, and stands in no report.
    """
    option = "--relevance-against"
    name = ""
    for place, argument in enumerate(command):
        if argument == option:
            name = "".join(command[place + 1 : place + 2])
        elif argument.startswith(f"{option}="):
            name = argument.removeprefix(f"{option}=")
    return "" if isabs(name) else name


def _has_uncompared_case(results: Sequence[CaseResult]) -> bool:
    """Whether a case is lost or not compared: the reports name it."""
    for result in results:
        if result.baseline is not None and result.baseline.standing in (
            LOST,
            NOT_COMPARED,
        ):
            return True
    return False


def _lacks_values(results: Sequence[CaseResult]) -> bool:
    """Whether a field that an expectation looks at has no value in any result of a case."""
    return any(0 in result.ranking.field_values.values() for result in results)


def verdict_lines(
    results: Sequence[CaseResult],
    gates: Sequence[GateResult],
    info: RunInfo,
    *,
    verbosity: int = 0,
    width: int = WIDEST,
) -> list[Line]:
    """The last line of a report: `52 cases: 49 passed, 3 failed; mean nDCG@10 0.701; 1 of 2 gates failed`.

    Where the baseline has any of the failures it counts them by their kind: `44 got worse, 9 failed before`.
    With a `verbosity` below 0 the mean and the gates are left out if there is one suite, whose line has them.
    It says how many files have errors, how many of the cases that were to run did not finish, and that the run fails if
    no count says so.
    """
    outcomes = Counter(gate.outcome() for gate in gates)
    is_brief = (
        verbosity < 0
        and len({(result.file, result.variant) for result in results}) == 1
    )
    absent = sum("::" in name for name in info.missing)
    unfinished = [f"{counted(absent, 'case')} did not finish"] if absent else []
    if info.uncollected:
        unfinished.insert(0, files_with_errors(info.uncollected))
    parts = [
        *case_counts(results),
        *([] if is_brief else [*_means(results), *_gates(outcomes)]),
        *unfinished,
    ]
    is_bad = bool(
        unfinished
        or outcomes[FAILED]
        or {result.status for result in results} & cases.NOT_PASSED
    )
    fails = bool(info.reasons_to_fail)
    if fails and not is_bad:
        parts.append("the run fails")
    style = BAD if is_bad or fails else DOUBT if outcomes[SKIPPED] else GOOD
    return wrapped("", parts, width, "; ", style)


def case_counts(results: Sequence[CaseResult]) -> list[str]:
    """How many cases there are and how many of each status, over all variants; with a baseline failures by kind.

    `135 cases: 61 passed, 30 measured` and `44 got worse, 9 failed before`; known failures with their mean.
    """
    shown, variants = cases.counted_cases(results), cases.variants_of(results)
    searched = (
        [result for result in results if not result.is_check]
        if len(variants) > 1
        else []
    )
    if len(
        {(cases.key_of(result), cases.variant_of(result)) for result in searched}
    ) > cases.case_count(searched):
        shown += f" in {counted(len(variants), 'variant')}"
    compared, kinds = [result for result in results if result.baseline is not None], ""
    others = (
        [result for result in results if not result.is_known] if compared else results
    )
    if any(result.status in cases.NOT_PASSED for result in results):
        from pytest_relevance.results.compare.differences import (
            FAILURE_KINDS,
            failure_kind,
        )

        failed = [*filter(has_failed, results)]
        if any(
            result.baseline is not None
            and result.baseline.standing not in (NEW, NOT_COMPARED, LOST)
            for result in failed
        ):
            others = [result for result in others if not has_failed(result)]
            found = Counter(
                result.status if result.status == NOT_SEARCHED else failure_kind(result)
                for result in failed
            )
            kinds = cases.kind_counts(found, (*FAILURE_KINDS, NOT_SEARCHED))
    new = sum(
        result.baseline is not None and result.baseline.standing == NEW
        for result in others
    )
    parts = [
        cases.status_counts(others)
        + (f" ({new:,} new to the baseline)" if new else ""),
        ", ".join(filter(None, [kinds, cases.known_text(compared)])),
    ]
    first, *rest = [*filter(None, parts), ""][:2]
    return [f"{shown}: {first}" if first else shown, *filter(None, rest)]


def _means(results: Sequence[CaseResult]) -> list[str]:
    """The mean of each variant; the lowest and the highest where there are many."""
    if not (means := cases.means_by_variant(results)):
        return []
    metric = cases.metric_of(result for result in results if result.score is not None)
    return [f"{cases.mean_name(results)} {metric} {cases.means_text(means, [*means])}"]


def _gates(outcomes: Counter[str]) -> list[str]:
    total = outcomes.total()
    words = {FAILED: "failed", XFAILED: "failed before", SKIPPED: "not evaluated"}
    found = [
        f"{outcomes[each]:,} of {counted(total, 'gate')} {word}"
        for each, word in words.items()
        if outcomes[each]
    ]
    if total and not found:
        found = ["the gate is met" if total == 1 else f"all {total:,} gates met"]
    return found


MOST_IN_FULL, MOST_LINES = 20, 60
"""How many failures are shown in full at most, and how many lines they may fill before no further one is."""

IN_FULL, IN_BRIEF, ALIKE = "in full", "in brief", "alike"
"""How failures are shown: each by itself, a line each in one table, or all in one sentence."""

_FEW = 2  # failures that are not worth a table
_MOST_UNFINISHED = 20  # node ids of what did not finish


def report_lines(run: Run, *, verbosity: int = 0, width: int = WIDEST) -> list[Line]:
    """The report that a run printed of its cases: failures, gates that failed, the summary, other gates, the verdict.

    `verbosity` as pytest counts it: below 0 one line for each failure, 1 all ranks, 2 the cases that passed too.
    """
    from pytest_relevance.reports.run import faults
    from pytest_relevance.reports.run.errors import error_lines
    from pytest_relevance.reports.run.gates import gate_lines, named_gate_lines

    gates = run_gates(run)
    lines = error_lines(run.info, full=verbosity > 0, width=width)
    for how, results in results_to_report(run, verbosity, width=width):
        if how == IN_FULL:
            (result,) = results
            name = result.node or result.id
            title = name if result.id == result.query else f'{name} "{result.query}"'
            lines += [
                *_title(title, verbosity),
                *_lines_of(result, run, verbosity, width),
            ]
        elif how == IN_BRIEF:
            lines += [
                *_title(faults.brief_title(results), verbosity),
                *faults.brief_lines(results, width),
            ]
        else:
            text = faults.together_text(results, full=verbosity > 0)
            lines += [*_title("", verbosity), *folded_lines(text, BAD, width)]
    for gate in gates:
        if gate.outcome() == FAILED:
            lines += [
                *_title(gate.name, verbosity),
                *gate_lines(gate, verbosity=verbosity, width=width),
            ]
    if lines:
        lines.append(styled_line(""))
    if cases.anything_ran(run.results):
        lines += summary_lines(
            run.results, run.files, run.info, gates, verbosity=verbosity, width=width
        )
    for gate in gates:
        if gate.outcome() != FAILED:
            lines += named_gate_lines(gate, width)
    lines += _finding_lines(run, width)
    return [
        *lines,
        *verdict_lines(run.results, gates, run.info, verbosity=verbosity, width=width),
    ]


def _finding_lines(run: Run, width: int) -> list[Line]:
    """The sentence that no case was searched, if none was, and what the run says about itself."""
    from pytest_relevance.reports.run.nothing_searched import nothing_searched_text
    from pytest_relevance.reports.run.run_findings import finding_lines, says

    lines: list[Line] = []
    text = nothing_searched_text(run.results)
    if text and not says(run.info, text):
        lines += folded_lines(text, BAD, width)
    return [*lines, *finding_lines(run.info, width=width)]


def report_data(run: Run) -> dict[str, Any]:
    """The report as data in builtin types: the content of the record, and the results of its gates."""
    from pytest_relevance.reports.run.gates import finding_text, gate_message

    gates = [
        {
            "file": gate.file,
            "line": gate.line,
            "id": gate.gate.id,
            "variant": gate.variant,
            "outcome": gate.outcome(),
            "message": gate_message(gate),
            "findings": [
                {
                    "about": found.about,
                    "is_met": found.is_met,
                    "text": finding_text(found),
                }
                for found in gate.findings
            ],
        }
        for gate in run_gates(run)
    ]
    return {
        "name": run.name,
        "run": run.info.to_dict(),
        "files": {file: info.to_dict() for file, info in run.files.items()},
        "results": [result.to_dict() for result in run.results],
        "gates": gates,
    }


def run_gates(run: Run) -> list[GateResult]:
    """The gates of the files of which any case ran, as a run reports them; of all files where gates are required."""
    from pytest_relevance.results.gates import judge_gates

    require = run.info.requires_gates
    ran = {result.file for result in run.results if result.status != SKIPPED}
    return [
        gate
        for gate in judge_gates(run.results, run.files, require=require)
        if require or gate.file in ran
    ]


def shown_failures(
    failures: Sequence[CaseResult | None],
    explained: Mapping[Key, int],
    length: Callable[[int], int],
    *,
    folds: bool = True,
) -> list[tuple[str, list[int]]]:
    """How failures are shown, by their indexes, in their order: `IN_FULL` each by itself, the others together.

    `ALIKE` are those that the diagnosis of an earlier one explains (`explained`: the number of the diagnosis). With
    `folds`, `IN_BRIEF` are those that failed before, and those after the first `MOST_IN_FULL` or after `MOST_LINES`
    lines. `length` says how many lines a failure takes. A failure that is None is one of another test.
    """
    from pytest_relevance.results.compare.differences import FAILED_BEFORE, failure_kind

    shown: dict[tuple[str, int], list[int]] = {}
    told: set[int] = set()  # the diagnoses of failures that are shown in full
    count, lines, has_enough = 0, 0, False
    for index, result in enumerate(failures):
        diagnosis = None if result is None else explained.get(result.key)
        has_enough |= (count >= MOST_IN_FULL or lines >= MOST_LINES) and len(
            failures
        ) - index > _FEW
        key = IN_FULL, index
        if diagnosis is not None and diagnosis in told:
            key = ALIKE, diagnosis
        elif (
            result is not None
            and folds
            and (has_enough or failure_kind(result) == FAILED_BEFORE)
        ):
            key = IN_BRIEF, 0
        elif result is not None:
            count, lines = count + 1, lines + (length(index) if folds else 0)
            told |= set() if diagnosis is None else {diagnosis}
        shown.setdefault(key, []).append(index)
    return [(how, indexes) for (how, _), indexes in shown.items()]


def results_to_report(
    run: Run, verbosity: int = 0, *, folds: bool = True, width: int = WIDEST
) -> Iterator[tuple[str, Sequence[CaseResult]]]:
    """The results to report, and how they are shown: see `shown_failures`.

    First those that failed, and with a verbosity of 2 the others too; then those that were not searched, together.
    Without `folds` none is shown in brief.
    """
    from pytest_relevance.results import diagnoses
    from pytest_relevance.results.compare.differences import in_failure_order

    results = [
        result
        for result in in_failure_order(run.results)
        if result.status != NOT_SEARCHED
        and (
            has_failed(result)
            or (verbosity > 1 and result.ranking.documents and result.status != SKIPPED)
        )
    ]
    explained = diagnoses.explained_failures(diagnoses.diagnose(run.results))

    def length(index: int) -> int:
        return len(_lines_of(results[index], run, verbosity, width)) + 2

    for how, indexes in shown_failures(
        results, explained, length, folds=folds and verbosity == 0
    ):
        yield how, [results[index] for index in indexes]
    if given_up := diagnoses.not_searched(run.results):
        yield ALIKE, given_up


def _lines_of(result: CaseResult, run: Run, verbosity: int, width: int) -> list[Line]:
    from pytest_relevance.reports.failure import failure_lines

    return failure_lines(result, verbosity=verbosity, width=width, others=run.results)


def _title(name: str, verbosity: int) -> list[Line]:
    return (
        []
        if verbosity < 0
        else [styled_line(""), *([styled_line(harmless(name), STRONG)] if name else [])]
    )


def merged_lines(
    merged: Merged, gates: Sequence[GateResult], records: int, width: int = WIDEST
) -> list[Line]:
    """The report of a run that was merged from so many `records`, `width` terminal columns wide.

    Advice about the baseline is left out: the reports of the runs have it.
    """
    from pytest_relevance.reports.run.errors import error_lines
    from pytest_relevance.reports.run.gates import named_gate_lines

    run = merged.run
    joined, *searched = merge_notes(merged, records)
    whole = with_missing(merged)
    lines = folded_lines(joined, DIM, width, "  ")
    lines += summary_lines(
        run.results, run.files, whole.info, gates, width=width, has_advice=False
    )
    for gate in gates:
        lines += named_gate_lines(gate, width)
    for text in (*searched, *_gaps(merged)):
        lines += folded_lines(text, BAD, width, "  ")
    lines += error_lines(run.info, width=width)
    lines += _finding_lines(run, width)
    return [*lines, *verdict_lines(run.results, gates, whole.info, width=width)]


def merge_notes(merged: Merged, records: int) -> list[str]:
    """What was merged, and how the searches of the records differ by their fingerprints."""
    searched = changes_text(merged.searched)
    differ = (
        [f"the records are of runs that searched different things: {searched}"]
        if searched
        else []
    )
    return [_joined(merged, records), *differ]


def with_missing(merged: Merged) -> Run:
    """The merged run whose `info.missing` also names the cases that are in no record, as FILE::SEARCH."""
    from pytest_relevance.results.records.run import Run

    run = merged.run
    absent = [
        f"{gap.file}::{with_variant(gap.search, gap.variant)}"
        for gap in merged.gaps
        for _ in range(gap.found, gap.total)
    ]
    missing = (*run.info.missing, *absent[len(run.info.missing) :])
    return Run(
        run.results,
        run.files,
        replace(run.info, missing=missing, is_part=bool(missing)),
        name=run.name,
    )


def merged_data(merged: Merged, records: int) -> dict[str, Any]:
    """The report of a merge as data in builtin types: the report of the whole run, and how it was merged."""
    how = {
        "records": records,
        "again": [list(key) for key in merged.again],
        "replaced": [list(key) for key in merged.replaced],
        "gaps": [asdict(gap) for gap in merged.gaps],
        "searched": {name: list(values) for name, values in merged.searched.items()},
    }
    return {**report_data(merged.run), "merged": how}


def _joined(merged: Merged, records: int) -> str:
    parts = [f"{counted(records, 'record')}, {counted(len(merged.run), 'result')}"]
    if merged.again:
        parts.append(
            f"{_cases_of_keys(merged, merged.again)} in several of them, with the same results"
        )
    if merged.replaced:
        parts.append(
            f"{_cases_of_keys(merged, merged.replaced)} with other results in an earlier one, which do not count"
        )
    return "; ".join(parts)


def _cases_of_keys(merged: Merged, keys: Sequence[Key]) -> str:
    """How many cases there are, and the first of them."""
    queries = {result.key: result.query for result in merged.run.results}
    names = [case_in_prose(key[1], queries[key], key[2]) for key in keys]
    return f"{counted(len(keys), 'case')} ({first_few(names)})"


def _gaps(merged: Merged) -> Iterator[str]:
    for gap in merged.gaps:
        absent = gap.total - gap.found
        shown = f"{absent:,} of {counted(gap.total, 'case')} {'is' if absent == 1 else 'are'} in no record"
        yield f"{gap.file}, {with_variant(gap.search, gap.variant)}: {shown}"
    if names := merged.run.missing:
        yield f"did not finish: {first_few(names, _MOST_UNFINISHED)}"
