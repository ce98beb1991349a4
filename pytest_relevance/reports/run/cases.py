"""The cases of a run: search variants, counts and means, suites, and the tables and remarks that list cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, TypeVar

from pytest_relevance._text import counted, harmless, listed, quoted, score_text
from pytest_relevance.reports.blocks import MORE_HINT, RIGHT, Block, Cell, Column, Sentence, Table, cut, styled
from pytest_relevance.reports.reasons import STATUSES, case_label
from pytest_relevance.reports.text import BAD, DIM, DOUBT, PLAIN, STRONG, WIDEST, Line, Span, line, width
from pytest_relevance.results.case_parts import Repeats
from pytest_relevance.results.case_result import SKIPPED, WITHOUT_SCORE, CaseResult, variants_in_order
from pytest_relevance.results.expectations import duration
from pytest_relevance.results.records.run_info import GONE, LEFT_OUT, UNJUDGED, FileInfo

if TYPE_CHECKING:
    from pytest_relevance.results.gates import GateResult


Variant = tuple[str, str | None]
"""The name of a search and the id of its parameter, if it has one."""

Group = TypeVar("Group", bound=Hashable)

NOT_PASSED = frozenset({"failed", "error", "not searched", "inconclusive"})

WIDEST_VARIANT = 16
"""The width to which a variant is cut among figures, in terminal columns."""

LOST: Mapping[str, tuple[str, str]] = {
    GONE: ("is gone", "are gone"),
    UNJUDGED: ("has no judgments now", "have no judgments now"),
    LEFT_OUT: ("is left out by only: judged", "are left out by only: judged"),
}
"""Why cases of the reference are not compared: of one and of several."""


def variant_of(result: CaseResult) -> Variant:
    """The search of a case and its parameter."""
    return result.search, result.variant


def grouped(results: Iterable[CaseResult], key: Callable[[CaseResult], Group]) -> dict[Group, list[CaseResult]]:
    """Results by a key, in their order."""
    groups: dict[Group, list[CaseResult]] = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    return groups


def suite_groups(results: Iterable[CaseResult]) -> dict[tuple[str, Variant], list[CaseResult]]:
    """The results by suite and variant, sorted."""
    groups = grouped(results, lambda result: (result.file, variant_of(result)))
    return {key: groups[key] for key in sorted(groups, key=str)}


def key_of(result: CaseResult) -> tuple[str, str]:
    """The file and the id of a case, which all of its variants share."""
    return result.file, result.id


def variants_of(results: Iterable[CaseResult]) -> list[Variant]:
    """The variants of a run, in their order. Tests in Python search nothing themselves: their checks have none."""
    return variants_in_order(result for result in results if not result.is_check)


def variant_label(variant: Variant, among: Sequence[Variant]) -> str:
    """The name of a variant: its parameter alone where all variants are of one search, else `search[parameter]`."""
    search, parameter = map(harmless, (variant[0], variant[1] or ""))
    if parameter and {other for other, _ in among} == {variant[0]}:
        return parameter
    return f"{search}[{parameter}]" if parameter else search


def short_label(result: CaseResult, variants: Sequence[Variant]) -> str:
    """The variant of a case, cut; nothing where there is only one."""
    return cut(variant_label(variant_of(result), variants), WIDEST_VARIANT) if len(variants) > 1 else ""


def case_count(results: Iterable[CaseResult]) -> int:
    """How many cases there are, in whatever variants they ran; each check of a test in Python counts."""
    cases, checks = _counts(results)
    return cases + checks


def counted_cases(results: Iterable[CaseResult]) -> str:
    """`3 cases`, `2 checks` of tests in Python, or `3 cases and 2 checks`."""
    cases, checks = _counts(results)
    parts = [counted(checks, "check")] if checks else []
    return listed([*([counted(cases, "case")] if cases or not checks else []), *parts], "and")


def _counts(results: Iterable[CaseResult]) -> tuple[int, int]:
    found = [*results]
    return len({key_of(result) for result in found if not result.is_check}), sum(result.is_check for result in found)


def anything_ran(results: Iterable[CaseResult]) -> bool:
    """Whether any case was not skipped."""
    return any(result.status != SKIPPED for result in results)


def metric_of(results: Iterable[CaseResult]) -> str:
    """`nDCG@10`, or `nDCG@k` for cases with several cutoffs."""
    cutoffs = {result.conditions.k for result in results}
    return f"nDCG@{cutoffs.pop()}" if len(cutoffs) == 1 else "nDCG@k"


def weighted_mean(results: Iterable[CaseResult]) -> float | None:
    """The mean of the defined nDCG@k scores, weighted by the weights of the cases; None where none is defined."""
    total = weights = 0.0
    for result in results:
        score = result.score
        if score is not None:
            total += result.weight * score
            weights += result.weight
    return total / weights if weights else None


def mean_text(results: Sequence[CaseResult]) -> str:
    """The weighted mean: `mean nDCG@10 0.712`."""
    return f"mean {metric_of(results)} {score_text(weighted_mean(results))}"


def means_by_variant(results: Iterable[CaseResult]) -> dict[Variant, float]:
    """The weighted mean of each variant that has one."""
    means = {variant: weighted_mean(group) for variant, group in grouped(results, variant_of).items()}
    return {variant: mean for variant, mean in means.items() if mean is not None}


def case_table(title: str, figures: int = 1, label_gap: int = 2, *, names_document: bool = False) -> Table:
    """A table of cases: so many figures, then the query, a label behind it, the status, a document, and the place.

    `-0.452  0.764 -> 0.312  smart watch   failed   lost Smart Watch 2   shop.relevance.yaml:41`.
    """
    figure, query = Column(align=RIGHT), Column(most=60, least=20, wants=30, is_code=True)
    document = [Column(gap=3, most=60, least=20, wants=30, middle=True, yields=1, is_code=True)] * names_document
    others = (Column(gap=label_gap), Column(gap=3), *document, Column(gap=3, yields=2, is_code=True))
    return Table([*[figure] * figures, query, *others], indent=2, title=title)


def add_case(table: Table, result: CaseResult, label: str, *figures: str | Cell, further: Sequence[str] = ()) -> None:
    """Add a row to a table of cases; `further` are the cells between the status and the place."""
    status = styled(result.status, STATUSES[result.status])
    table.add(*figures, case_label(result), label, status, *further, styled(result.place, DIM))


def lowest(results: Iterable[CaseResult]) -> list[CaseResult]:
    """The cases with scores below 1, the lowest first."""
    below = [result for result in results if result.score is not None and result.score < 1]
    return sorted(below, key=lambda result: (result.score, result.file, result.line, result.variant or ""))


def lowest_table(results: Iterable[CaseResult], variants: Sequence[Variant], most: int) -> Table:
    """The cases with the lowest scores below 1, the lowest first."""
    found, table = lowest(results), case_table("lowest")
    for result in found[:most]:
        add_case(table, result, short_label(result, variants), score_text(result.score))
    if more := len(found) - len(table.rows):
        table.note = f"  ... {more} more below 1"
    return table


Outcomes = Mapping[tuple[str, str | None], Mapping[str, int]]
"""The number of gates with each outcome, by file and parameter of the search."""


def gate_outcomes(gates: Iterable[GateResult]) -> Outcomes:
    """Count the outcomes of gates."""
    found: dict[tuple[str, str | None], Counter[str]] = {}
    for gate in gates:
        found.setdefault((gate.file, gate.variant), Counter())[gate.outcome()] += 1
    return found


def suite_lines(
    results: Sequence[CaseResult], variants: Sequence[Variant], gates: Outcomes, columns: int = WIDEST
) -> list[Line]:
    """The lines of all suites, by file. `variants` are those of the whole run.

    Columns are aligned within a suite. Where a line would be too wide, figures are put below the names, which are never
    cut.
    """
    suites = suite_rows(results, variants, gates)
    widest: dict[bool, int] = {}  # the width of names, by whether a suite has several rows
    for rows in suites.values():
        several = len(rows) > 1
        widest[several] = max(widest.get(several, 0), *(width(harmless(name)) for name, *_ in rows))
    tables = {file: _table(rows, widest[len(rows) > 1]) for file, rows in suites.items()}
    too_wide = {len(suites[file]) > 1 for file, table in tables.items() if table.width() > columns}
    lines: list[Line] = []
    for file, rows in suites.items():
        several = len(rows) > 1
        if several:
            lines.append(line(harmless(file), STRONG))
        if several not in too_wide:
            lines += tables[file].lines(columns)
            continue
        for name, *figures in rows:
            lines.append(line(harmless(name), STRONG))
            lines += _folded(figures, "    " if several else "  ", columns)
    return lines


SuiteRow = tuple[str, Cell, Cell, Cell, Cell]
"""A name, and the figures of a suite in one variant: mean, counts, latency, gates."""


def suite_rows(
    results: Iterable[CaseResult], variants: Sequence[Variant], gates: Outcomes
) -> dict[str, list[SuiteRow]]:
    """The rows of each suite, one for each variant; a single row is named after the suite, others after the variant."""
    rows: dict[str, list[SuiteRow]] = {}
    for file, of_file in sorted(grouped(results, lambda result: result.file).items()):
        groups = grouped(of_file, variant_of)
        ordered = variants_in_order(of_file)
        # a gate is about all searches with one parameter, or without any: shown once, in the last of their rows
        last = {variant[1]: variant for variant in ordered}
        for variant in ordered:
            if len(groups) > 1:
                name = f"  {variant_label(variant, variants)}"
            else:
                name = file + (f"  {variant_label(variant, ())}" if variant[1] or len(variants) > 1 else "")
            outcomes = gates.get((file, variant[1]), {}) if last[variant[1]] == variant else {}
            row = (name, *suite_figures(groups[variant]), _gates(outcomes))
            rows.setdefault(file, []).append(row)
    return rows


def _table(rows: Sequence[SuiteRow], widest: int) -> Table:
    """The table of one suite; names are as wide as the `widest` of all suites with as many rows, one or several."""
    table = Table([Column(at_least=widest), Column(), Column(gap=3), Column(gap=3), Column(gap=3)])
    for name, *figures in rows:
        table.add(styled(name, STRONG), *figures)
    return table


def suite_figures(results: Sequence[CaseResult]) -> tuple[Cell, Cell, Cell]:
    """The mean, the counts by status, and the latency of the cases of a suite in one variant."""
    found = Counter(result.status for result in results)
    counts = [(f"{found[status]} {status}", style) for status, style in STATUSES.items() if found[status]]
    spans = [*((f"{words}, ", style) for words, style in counts[:-1]), *counts[-1:]]
    undefined = sum(result.score is None and result.verdict not in (*WITHOUT_SCORE, SKIPPED) for result in results)
    if undefined:  # in parentheses, as these cases have been counted already
        spans.append((f" ({undefined} n/a)", PLAIN))
    latencies = [result.call.latency for result in results if result.call.latency is not None]
    latency = ""
    if latencies:
        median, most = (duration(percentile(latencies, share)) for share in (0.5, 0.95))
        latency = f"p50 {median}, p95 {most}"
        at_a_time = max(result.call.concurrency for result in results)
        if any(result.call.latency_shared for result in results):
            latency += " (shares of batches)"
        elif at_a_time > 1:
            latency += f" (up to {at_a_time} at a time)"
    return styled(mean_text(results), PLAIN), Cell(tuple(spans)), styled(latency, DIM)


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile for a `share` from 0 to 1. Raises IndexError where there are no values."""
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)]


def _gates(counts: Mapping[str, int]) -> Cell:
    """How many gates have which outcome: `2 gates passed, 1 failed`."""
    spans: list[Span] = []
    for outcome in ("passed", "failed", SKIPPED):
        if number := counts.get(outcome, 0):
            words = f", {number} {outcome}" if spans else f"{counted(number, 'gate')} {outcome}"
            spans.append((words, STATUSES[outcome]))
    return Cell(tuple(spans))


def _folded(cells: Iterable[Cell], indent: str, columns: int) -> Iterator[Line]:
    """Cells over as many indented lines as it takes."""
    current: list[Span] = [(indent, PLAIN)]
    for cell in cells:
        for number, (text, style) in enumerate(cell.spans):
            is_first = len(current) == 1
            text = f"   {text}" if text and not number and not is_first else text
            if sum(width(text) for text, _ in current) + width(text.rstrip()) > columns and not is_first:
                yield (*current[:-1], (current[-1][0].rstrip(), current[-1][1]))
                current = [(indent, PLAIN), (text.lstrip(" ,"), style)]
            elif text:
                current.append((text, style))
    yield tuple(current)


MOST_UNSTABLE = 5
"""How many cases whose ranking changes from call to call are listed by default."""


def not_in_index_remark(results: Sequence[CaseResult]) -> list[Sentence]:
    """How many judged documents the index lost, and not the ranking."""
    found = [(result, set(result.texts.not_in_index)) for result in results if result.texts.not_in_index]
    if not found:
        return []
    documents = set().union(*(absent for _, absent in found))
    judged = {document for result, _ in found for document, _ in result.evaluation.missing}
    what = "judged document" if documents <= judged else "judged or expected document"
    of = f"{counted(len(documents), what)} of {counted(case_count(result for result, _ in found), 'case')}"
    text = f"{of} {'is' if len(documents) == 1 else 'are'} not in the index: lost by the index, not by the ranking"
    return [Sentence(text, BAD)]


def changed_ids_remark(results: Sequence[CaseResult]) -> list[Sentence]:
    """The first judged id that a spreadsheet may have changed, and how many there are, of cases that did not fail.

    The report of a failure has its own. Only results with details are looked at.
    """
    detailed = [
        result
        for result in results
        if result.evaluation.missing and result.unjudged and result.status not in NOT_PASSED
    ]
    if not detailed:
        return []
    from pytest_relevance.reports.failure import changed_ids

    found = [(result, pair) for result in detailed for pair in changed_ids(result)]
    if not found:
        return []
    _, (judged, returned) = found[0]
    count = counted(len({pair for _, pair in found}), "judged id")
    cases = counted(case_count(result for result, _ in found), "case")
    text = (
        f"{count} of {cases} may have been changed by a spreadsheet: judged {quoted(judged)}, returned "
        f"{quoted(returned)}; if so, write them in the judgments as they are returned"
    )
    return [Sentence(text, BAD)]


def stability_remarks(results: Sequence[CaseResult], verbosity: int = 0) -> list[Block]:
    """The cases whose ranking changes from call to call; one line where none does. Below a verbosity of -1 no table."""
    called = [(result, result.call.repeats) for result in results if result.call.repeats is not None]
    if not called:
        return []
    unstable = sorted(
        (pair for pair in called if pair[1].rankings > 1),
        key=lambda pair: (pair[0].status not in NOT_PASSED, pair[0].file, pair[0].line),
    )
    cases = counted(case_count(result for result, _ in unstable or called), "case")
    calls = counted(max(repeats.calls for _, repeats in called), "call")
    if not unstable:
        return [Sentence(f"no ranking changes from call to call: {cases}, {calls} each")]
    of_all = f"{cases} of {case_count(result for result, _ in called):,}"
    said = Sentence(f"ranking changes from call to call: {of_all}, {calls} each", DOUBT)
    return (
        [said]
        if verbosity < -1
        else [said, _unstable_table(unstable, variants_of(result for result, _ in called), verbosity > 0)]
    )


def _unstable_table(unstable: Sequence[tuple[CaseResult, Repeats]], variants: Sequence[Variant], full: bool) -> Table:
    """`  usb c hub  dense  rank 4: 2060476 / 1229111 (of the same score)`; the places where there are several files."""
    from pytest_relevance.reports.failure import difference_text

    results = [result for result, _ in unstable]
    has_places = len({result.file for result in results}) > 1
    table = Table([Column(most=30, least=20), Column(), Column(least=24), Column(gap=3)], indent=2)
    for result in results if full else results[:MOST_UNSTABLE]:
        place = styled(result.place if has_places else "", DIM)
        table.add(case_label(result), short_label(result, variants), difference_text(result), place)
    if more := len(unstable) - len(table.rows):
        table.note, table.hint = f"  ... {more:,} more", MORE_HINT
    return table


def unjudged_remarks(files: Mapping[str, FileInfo]) -> Iterator[Sentence]:
    """The files of which listed queries have no judgments: these are measured without a floor."""
    return (Sentence(f"{file}: {info.unjudged}", DOUBT) for file, info in sorted(files.items()) if info.unjudged)
