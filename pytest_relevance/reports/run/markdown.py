"""A run in a CI job: Markdown for a pull request comment or a GitHub step summary, and annotations.

Markdown begins with one sentence, the change of the mean, the gates and the queries that got worse; further tables,
all queries that got worse and the folded report of each failure follow. Where all of it is longer than allowed, whole
sections are left out from the end, and a last line names them. User text stands in code spans and code blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import islice
from urllib.parse import quote

from pytest_relevance._text import harmless
from pytest_relevance.metrics.names import is_similarity
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.failure import failure_lines
from pytest_relevance.reports.markdown_text import (
    LONGEST_TEXT,
    code_block,
    code_span,
    escaped,
    short_code_span,
)
from pytest_relevance.reports.reasons import case_label, failure_head, reason_in_brief
from pytest_relevance.reports.run import cases
from pytest_relevance.reports.run.baseline import (
    MOST_NAMES,
    context,
    latency_sentences,
    mean_sentences,
    searched_sentences,
    still_empty_sentences,
)
from pytest_relevance.reports.run.case_change import CaseChange, movers, worst_first
from pytest_relevance.reports.run.errors import (
    error_section,
    error_title,
    unfinished_parts,
)
from pytest_relevance.reports.run.faults import (
    fault_sentences,
    together_text,
    together_title,
    told_errors,
)
from pytest_relevance.reports.run.gates import gate_message, gate_table
from pytest_relevance.reports.run.headline import headline
from pytest_relevance.reports.run.means import MOST_TAGS, tag_table, variant_tables
from pytest_relevance.reports.run.moved import moved_sentences
from pytest_relevance.reports.run.movers import (
    DOCUMENT_ON_TOP,
    GAINED_DOCUMENT,
    LOST_DOCUMENT,
    MOST_ROWS,
    moved_case,
    moved_table,
)
from pytest_relevance.reports.run.nothing_searched import nothing_searched_text
from pytest_relevance.reports.run.remarks import remarks, without_floor_sentences
from pytest_relevance.reports.run.report import (
    IN_FULL,
    case_counts,
    results_to_report,
    run_gates,
)
from pytest_relevance.reports.run.run_findings import (
    in_markdown,
    reason_texts,
    remark_texts,
    says,
)
from pytest_relevance.reports.run.suites import suite_sentences
from pytest_relevance.reports.run.uncompared import (
    lost_sentences,
    not_compared_sentences,
)
from pytest_relevance.reports.sections import (
    FAILURE,
    MOST_CHARACTERS,
    Section,
    details,
    heading,
    joined_sections,
    list_section,
    table_sections,
)
from pytest_relevance.reports.styled_lines import plain_text
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import cut
from pytest_relevance.reports.workflow_commands import workflow_command
from pytest_relevance.results.case_result import SKIPPED, CaseResult, has_failed
from pytest_relevance.results.compare import differences
from pytest_relevance.results.gates import GateResult
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import RunInfo

MOST_GATES, MOST_SUITES = 10, 20
"""How many gates and suites are listed, unless the report is to be in full."""

_MOST_MISSING = 5
_MOST_FURTHER = 100  # cases in one of the folded tables: each is left out as a whole


def run_markdown(
    run: Run,
    *,
    verbosity: int = 0,
    notes: Sequence[str] = (),
    most: int = MOST_CHARACTERS,
    page: str = "",
) -> str:
    """The report of a run as Markdown, of at most `most` characters. `notes` are sentences about how it was merged.

    `verbosity` above 0 lists all queries in tables and all ranks in failures, 2 has the cases that passed too; below 0
    the report of each failure is left out. The first section, with the sentence, is always there. `page` is the address
    of the HTML report, to which it links.
    """
    return joined_sections(
        run_sections(run, verbosity=verbosity, notes=notes, page=page), most
    )


def run_sections(
    run: Run, *, verbosity: int = 0, notes: Sequence[str] = (), page: str = ""
) -> Iterator[Section]:
    """The sections of the report, the most important first."""
    gates = run_gates(run)
    ran = [result for result in run.results if result.status != SKIPPED]
    full, variants = verbosity > 0, cases.variants_of(ran)
    means, most = (
        mean_sentences(ran, is_whole=True),
        None if full else MOST_ROWS,
    )
    yield Section(_first_section(run, ran, gates, means, page), "the summary")
    if run.info.errors:
        yield Section(error_section(run.info, full=full), "the errors")
    yield from list_section(map(Sentence, notes), "notes")
    if run.info.missing:
        yield Section(_missing(run.info.missing), "what is missing")
    worst = worst_first(ran)
    yield from table_sections(
        "the gates", [gate_table(gates, None if full else MOST_GATES)]
    )
    for name, table in _case_tables(worst, ran, variants, most):
        yield from table_sections(name, [table])
    for fault in fault_sentences(ran, run.info):
        yield Section(
            f"**{fault.markdown()}**", "a fault that several cases have in common"
        )
    if len({(result.file, cases.variant_of(result)) for result in ran}) > MOST_NAMES:
        shown = [
            *suite_sentences(ran, variants, gates),
            *mean_sentences(ran, only_changes=True),
        ]
        yield from list_section(shown if full else shown[:MOST_SUITES], "the suites")
    said = [block for block in remarks(ran, run.files) if isinstance(block, Sentence)]
    yield from list_section(said, "remarks")
    compared = [result for result in ran if not result.is_check]
    yield from table_sections(
        "the tags",
        [tag_table(compared, variants, None if full else MOST_TAGS)],
    )
    yield from table_sections("the variants", variant_tables(compared, variants, most))
    fallen = [change for change in worst if differences.got_worse(change.result)]
    for start in range(most or len(fallen), len(fallen), _MOST_FURTHER):
        rows = fallen[start : start + _MOST_FURTHER]
        title = f"Got worse, {start + 1:,} to {start + len(rows):,} of {len(fallen):,}"
        table = moved_table("", rows, variants, ())
        yield Section(details(title, table.markdown()), "further cases that got worse")
    if verbosity >= 0:
        yield from _failure_sections(run, verbosity, page)


def _first_section(
    run: Run,
    ran: Sequence[CaseResult],
    gates: Sequence[GateResult],
    means: Sequence[Sentence],
    page: str,
) -> str:
    """The first section: the sentence, the means, the counts, what ran against what, the page, and what nDCG is."""
    said = headline(run.results, gates, run.info, files=run.files)
    items, took = [mean.markdown() for mean in means], latency_sentences(ran)
    if len(means) > MOST_NAMES:
        has_scores = any(result.score is not None for result in ran)
        items = (
            [f"{cases.mean_text(ran)} over all suites and variants"]
            if has_scores
            else []
        )
    reasons = reason_texts(run.info)
    items[:0] = [in_markdown(reason) for reason in reasons]
    items += [each.markdown() for each in took[:MOST_NAMES]]
    if run.results:
        counts = [*case_counts(run.results), *unfinished_parts(run.info)]
        items.append(escaped("; ".join(counts)))
    told = nothing_searched_text(run.results)
    if told and not says(run.info, told):
        items.append(escaped(told))
    remarks = remark_texts(run.info)
    items += [in_markdown(remark) for remark in remarks]
    if about := context(run):
        items.append(", ".join(map(short_code_span, about)))
    further = [
        *searched_sentences(run.files, run.info.fingerprint)[:MOST_NAMES],
        *moved_sentences(run.files),
        *lost_sentences(run.results, run.files, run.info),
        *not_compared_sentences(run.results, run.files),
        *still_empty_sentences(ran),
        *without_floor_sentences(run.files),
    ]
    items += [each.markdown() for each in further]
    items += [f"[all rankings side by side, in the page]({page})"] if page else []
    items += [escaped(explained)] if (explained := cases.metric_explained(ran)) else []
    return "\n".join(
        [
            heading(said.text, said.mark),
            *([""] if items else []),
            *(f"- {item}" for item in items),
        ]
    )


def _missing(names: Sequence[str]) -> str:
    """The cases that did not finish, or are in no record that was merged; the first of them by name."""
    first = Counter(names).most_common(_MOST_MISSING)
    lines = [
        f"- {short_code_span(name)}" + (f" ({count:,} cases)" if count > 1 else "")
        for name, count in first
    ]
    if more := len(names) - sum(count for _, count in first):
        lines.append(f"- and {more:,} more")
    return "\n".join([f"**Missing** ({len(names):,})", "", *lines])


def _case_tables(
    worst: Sequence[CaseChange],
    ran: Sequence[CaseResult],
    variants: Sequence[cases.Variant],
    most: int | None,
) -> Iterator[tuple[str, Table]]:
    """The cases that fail, and those whose score moved most and that are in no table yet, each table with its name.

    Errors that one sentence tells for several cases are in none. Without any case that fails or moved, those with the
    lowest scores.
    """
    told = told_errors(ran)
    failing = [change for change in worst if has_failed(change.result)]
    fallen = [change for change in failing if differences.got_worse(change.result)]
    others = [
        change
        for change in failing
        if not differences.got_worse(change.result)
        and id(change.result) not in told
        and differences.failure_kind(change.result) != differences.FAILED_BEFORE
    ]
    fell = [change for change in worst if not has_failed(change.result)]
    rose = [CaseChange(result) for result in movers(ran, 1)]
    low = (
        [] if worst or rose else [CaseChange(ran[place]) for place in cases.lowest(ran)]
    )
    word = (
        "Changed" if any(is_similarity(change.by or "") for change in fell) else "Fell"
    )
    on_fall, title = (
        (LOST_DOCUMENT, DOCUMENT_ON_TOP),
        f"{word}{' without failing' if failing else ''}",
    )
    yield (
        "the cases that got worse",
        moved_table("Got worse", fallen, variants, on_fall, most),
    )
    yield (
        "the failing cases",
        moved_table("Failed", others, variants, on_fall, most),
    )
    yield (
        "the cases that fell most",
        moved_table(title, fell, variants, on_fall, most),
    )
    yield (
        "the cases that rose most",
        moved_table("Rose", rose, variants, (GAINED_DOCUMENT,), most),
    )
    yield (
        "the lowest cases",
        moved_table("Lowest", low, variants, on_fall, most),
    )


def _failure_sections(run: Run, verbosity: int, page: str) -> Iterator[Section]:
    """The failures, folded, in their order; cases that failed alike share one line."""
    names = cases.names_in_page(run.results) if page else {}
    for how, results in _to_report(run, verbosity):
        if how == IN_FULL:
            link = (
                f"{page}#case={quote(names[id(results[0])], safe='', errors='replace')}"
                if page
                else ""
            )
            yield Section(partial(_folded, results[0], run, verbosity, link), FAILURE)
        else:
            yield Section(
                code_span(together_text(results, full=verbosity > 0)), FAILURE
            )


def _to_report(
    run: Run, verbosity: int = 0
) -> Iterator[tuple[str, Sequence[CaseResult]]]:
    """The failures of the report, without the cases that failed before, unless all are asked for."""
    for how, results in results_to_report(run, verbosity, folds=False):
        if (
            verbosity > 0
            or differences.failure_kind(results[0]) != differences.FAILED_BEFORE
        ):
            yield how, results


def _folded(result: CaseResult, run: Run, verbosity: int, link: str) -> str:
    """A failure as a folded block: the query and the reason are its title, the report is inside."""
    reason = reason_in_brief(result, is_named=True)
    title = (cut(harmless(text), LONGEST_TEXT) for text in (case_label(result), reason))
    report = plain_text(failure_lines(result, verbosity=verbosity, others=run.results))
    lines = [
        *([f"[open it in the page]({link})", ""] if link else []),
        *code_block(report),
    ]
    return details(" ".join(f"<code>{escape(text)}</code>" for text in title), lines)


# --- annotations for GitHub Actions -----------------------------------------------------------------------------------

MOST_ANNOTATIONS = 10
"""How many annotations of one kind GitHub shows for a step; it drops any further ones."""

_GATES = 3  # so many annotations are reserved for gates
_LONGEST_TITLE, _LONGEST_LINE = 120, 400

_KINDS = {
    differences.STALE_ENTRY: "Stale baseline entry",
    differences.WITHOUT_ENTRY: "Failed",
    differences.ENDED_IN_ERROR: "Error",
}
"""How an annotation calls a kind of failure, where not by its own words."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A message about a `line` (from 1) of a `file`, whose name is as results have it.

    `column` counts from 1. 0 stands for a line or a column that is not known.
    """

    file: str
    line: int
    title: str
    message: str
    column: int = 0

    def as_command(self, path: str | None) -> str:
        """The workflow command, with the path of the file in the repository; None: the file is in none."""
        if path is None:
            place = ":".join(str(part) for part in (self.file, self.line) if part)
            message = f"{place}: {self.message}" if place else self.message
            return workflow_command("error", {"title": self.title}, message)
        properties: dict[str, object] = {"file": path}
        if self.line:
            properties["line"] = self.line
        if self.column:
            properties["col"] = self.column
        properties["title"] = self.title
        return workflow_command("error", properties, self.message)


def run_annotations(run: Run, failed_gates: Sequence[GateResult]) -> list[Annotation]:
    """The first ten errors and failures of a run, in the order of its report: what got worse first, gates last.

    Errors of case files and the like come first, then why the run fails other than for a case. Cases that failed alike
    are one failure, as in the report.
    Up to three of the ten are gates, or more where there is room for them.
    """
    room = MOST_ANNOTATIONS - min(len(failed_gates), _GATES)
    found = [*error_annotations(run.info), *_reason_annotations(run.info)][:room]
    several = len(cases.variants_of(run.results)) > 1
    for _, results in islice(_to_report(run), room - len(found)):
        found.append(_cases_annotation(results, several))
    for gate in failed_gates[: MOST_ANNOTATIONS - len(found)]:
        title = cut(f"Gate not met: {harmless(gate.name)}", _LONGEST_TITLE)
        found.append(
            Annotation(gate.file, gate.line, title, _cut_line(gate_message(gate)))
        )
    return found


def error_annotations(info: RunInfo) -> list[Annotation]:
    """Annotations of the errors that are not those of a case, each once."""
    found: dict[str, Annotation] = {}
    for error in info.errors:
        annotation = Annotation(
            error.file,
            error.line,
            cut(error_title(error), _LONGEST_TITLE),
            _cut_line(error.message),
            error.column,
        )
        found.setdefault(error.text, annotation)
    return [*found.values()]


def _reason_annotations(info: RunInfo) -> list[Annotation]:
    """Annotations of why the run fails other than for a case, without a place."""
    return [
        Annotation("", 0, "The run fails", _cut_line(reason))
        for reason in reason_texts(info)
    ]


def _cases_annotation(
    results: Sequence[CaseResult], several_variants: bool
) -> Annotation:
    """The annotation of a case, or of cases that failed alike: its reasons, what was lost, and what is on top now."""
    result = results[0]
    file = result.origin.source or result.file
    if len(results) > 1:
        return Annotation(
            file,
            result.line,
            together_title(results),
            _cut_line(together_text(results)),
        )
    kind = differences.failure_kind(result)
    kind = _KINDS.get(kind, kind.capitalize())
    variant = (
        f" [{result.variant}]"
        if several_variants and result.variant is not None
        else ""
    )
    title = cut(f"{kind}: {harmless(case_label(result) + variant)}", _LONGEST_TITLE)
    parts = [
        reason_in_brief(result, is_named=True).removeprefix(failure_head(result))
    ]  # which the title says
    change = CaseChange(result)
    if change.after is not None:
        row = moved_case(change, ())
        named = (
            (word, row.documents[word]) for word in (LOST_DOCUMENT, DOCUMENT_ON_TOP)
        )
        parts += [f"{word}: {plain_text([spans])}" for word, spans in named if spans]
    return Annotation(file, result.line, title, "\n".join(map(_cut_line, parts)))


def _cut_line(text: str) -> str:
    return cut(harmless(text), _LONGEST_LINE)
