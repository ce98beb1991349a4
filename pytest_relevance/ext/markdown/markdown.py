"""A run in Markdown, for the comment of a pull request or a GitHub step summary.

It begins with one sentence, the change of the mean, the gates and the queries that got
worse. Further tables, all queries that got worse and the folded report of each failure
follow. If the text is longer than allowed, whole sections are left out from the end,
and a last line names them. User text stands in code spans and code blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from urllib.parse import quote

from pytest_relevance._text import harmless
from pytest_relevance.gates.judging import GateResult
from pytest_relevance.metrics.names import is_similarity
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.brief_reasons import reason_in_brief
from pytest_relevance.reports.labels import case_label, names_in_page
from pytest_relevance.reports.markdown_sections import (
    FAILURE,
    MOST_CHARACTERS,
    MarkdownSection,
    details,
    heading,
    joined_sections,
    list_section,
    table_sections,
)
from pytest_relevance.reports.markdown_text import (
    LONGEST_TEXT,
    code_block,
    code_span,
    escaped,
    short_code_span,
)
from pytest_relevance.reports.run.baseline import (
    MOST_NAMES,
    context,
    latency_sentences,
    mean_sentences,
    reference_sentences,
    whole_mean_sentences,
)
from pytest_relevance.reports.run.case_change import CaseChange, movers, worst_first
from pytest_relevance.reports.run.case_tables import lowest
from pytest_relevance.reports.run.errors import error_section, unfinished_parts
from pytest_relevance.reports.run.faults import errors_said_once, fault_sentences
from pytest_relevance.reports.run.gates import gate_table
from pytest_relevance.reports.run.headline import Headline, headline
from pytest_relevance.reports.run.mean_tables import MOST_TAGS, tag_table
from pytest_relevance.reports.run.mean_text import (
    mean_text,
    means_by_variant,
    means_text,
    metric_explained,
    metric_of,
    weighted,
)
from pytest_relevance.reports.run.movers import (
    DOCUMENT_ON_TOP,
    GAINED_DOCUMENT,
    LOST_DOCUMENT,
    MOST_ROWS,
    mover_table,
)
from pytest_relevance.reports.run.remarks import remarks
from pytest_relevance.reports.run.report import run_gates
from pytest_relevance.reports.run.run_findings import (
    in_markdown,
    reason_texts,
    remark_texts,
    unsaid_nothing_searched,
)
from pytest_relevance.reports.run.shown_failures import (
    IN_FULL,
    case_lines,
    new_failures,
    together_text,
)
from pytest_relevance.reports.run.suites import suite_sentences
from pytest_relevance.reports.run.variant_labels import Variant, variant_of, variants_of
from pytest_relevance.reports.run.variant_tables import variant_blocks
from pytest_relevance.reports.run.verdict import case_counts
from pytest_relevance.reports.styled_lines import plain_text
from pytest_relevance.reports.terminal_text import WIDEST, cut
from pytest_relevance.results.became import CHANGED
from pytest_relevance.results.case_result import SKIPPED, CaseResult, has_failed
from pytest_relevance.results.changes import changes_since_baseline
from pytest_relevance.results.failures import (
    FAILED_BEFORE,
    failure_kind,
    got_worse,
)
from pytest_relevance.results.records.run import Run

MOST_GATES, MOST_SUITES = 10, 20
"""How many gates and suites are listed, unless the report is to be in full."""

_MOST_MISSING = 5
_MOST_FURTHER = 100  # cases in one of the folded tables: each is left out as a whole


def run_markdown(
    run: Run,
    *,
    verbosity: int = 0,
    notes: Sequence[str] = (),
    most: int | None = MOST_CHARACTERS,
    page: str = "",
) -> str:
    """Return the report of a run as Markdown, of at most `most` characters.

    The first section, with the headline, is always there.

    `verbosity`: above 0 tables have all queries and failures have all ranks, 2 adds the
    cases that passed; below 0 the report of each failure is left out.
    `notes`: sentences about how the run was merged.
    `page`: the address of the HTML report, to which Markdown links; empty without one.
    """
    report = _MarkdownReport(run, verbosity, notes, page)
    return joined_sections(report.sections(), most)


@dataclass(frozen=True)
class _MarkdownReport:
    """Makes the sections of a report. The fields are arguments of `run_markdown`."""

    run: Run
    verbosity: int
    notes: Sequence[str]
    page: str

    @property
    def full(self) -> bool:
        """Whether lists and tables have all their entries."""
        return self.verbosity > 0

    def most(self, count: int) -> int | None:
        """Return the most rows of a list: `count`, or None for all in a full report."""
        return None if self.full else count

    def sections(self) -> Iterator[MarkdownSection]:
        """Yield the sections, the most important first."""
        run = self.run
        gates = run_gates(run)
        ran = [result for result in run.results if result.status != SKIPPED]
        variants = variants_of(ran)
        worst = worst_first(ran)
        yield MarkdownSection(_first_section(run, ran, gates, self.page), "the summary")
        if run.info.errors:
            errors = error_section(run.info, full=self.full)
            yield MarkdownSection(errors, "the errors")
        yield from list_section([Sentence(note) for note in self.notes], "notes")
        if run.info.missing:
            yield MarkdownSection(_missing(run.info.missing), "what is missing")
        yield from table_sections(
            "the gates", [gate_table(gates, self.most(MOST_GATES))]
        )
        yield from _case_sections(worst, ran, variants, self.most(MOST_ROWS))
        for fault in fault_sentences(ran, run.info):
            said = f"**{fault.markdown()}**"
            yield MarkdownSection(said, "a fault that several cases have in common")
        yield from self._suite_section(ran, variants, gates)
        said_of_run = remarks(ran, run.files)
        sentences = [block for block in said_of_run if isinstance(block, Sentence)]
        yield from list_section(sentences, "remarks")
        yield from self._mean_sections(ran, variants)
        yield from self._further_sections(worst, variants)
        if self.verbosity >= 0:
            yield from self._failure_sections()

    def _suite_section(
        self,
        ran: Sequence[CaseResult],
        variants: Sequence[Variant],
        gates: Sequence[GateResult],
    ) -> list[MarkdownSection]:
        """Return a section with a line for each suite; none if the suites are few.

        The first section has the means of few suites.
        """
        suites = {(result.file, variant_of(result)) for result in ran}
        if len(suites) <= MOST_NAMES:
            return []
        shown = suite_sentences(ran, variants, gates)
        shown += mean_sentences(ran, only_changes=True)
        return list_section(shown[: self.most(MOST_SUITES)], "the suites")

    def _mean_sections(
        self, ran: Sequence[CaseResult], variants: Sequence[Variant]
    ) -> list[MarkdownSection]:
        """Return the sections with the means of tags and the comparison of variants."""
        compared = [result for result in ran if not result.is_check]
        changes = changes_since_baseline(compared)
        tags = tag_table(changes, variants, self.most(MOST_TAGS))
        most = self.most(MOST_ROWS)
        sections = table_sections("the tags", [tags])
        for block in variant_blocks(compared, variants, most, full=self.full):
            if isinstance(block, Sentence):
                sections += list_section([block], "the variants")
            else:
                sections += table_sections("the variants", [block])
        return sections

    def _further_sections(
        self, worst: Sequence[CaseChange], variants: Sequence[Variant]
    ) -> Iterator[MarkdownSection]:
        """Yield folded tables of the cases that got worse beyond the first table."""
        if self.full:
            return
        fallen = [change for change in worst if got_worse(change.result)]
        for start in range(MOST_ROWS, len(fallen), _MOST_FURTHER):
            rows = fallen[start : start + _MOST_FURTHER]
            title = (
                f"Got worse, {start + 1:,} to {start + len(rows):,} of {len(fallen):,}"
            )
            table = mover_table("", rows, variants, ())
            folded = details(title, table.markdown())
            yield MarkdownSection(folded, "further cases that got worse")

    def _failure_sections(self) -> Iterator[MarkdownSection]:
        """Yield the folded report of each failure; one line for equal failures."""
        names = names_in_page(self.run.results) if self.page else {}
        for reported in new_failures(self.run, self.verbosity):
            if reported.how == IN_FULL:
                (result,) = reported.results
                link = ""
                if self.page:
                    name = quote(names[id(result)], safe="", errors="replace")
                    link = f"{self.page}#case={name}"
                yield MarkdownSection(partial(self._folded, result, link), FAILURE)
            else:
                text = together_text(reported.results, full=self.full)
                yield MarkdownSection(code_span(text), FAILURE)

    def _folded(self, result: CaseResult, link: str) -> str:
        """Return the report of a case, folded below its query and its reason.

        `link`: the address of the case in the page; empty without one.
        """
        lines = []
        if link:
            lines += [f"[open it in the page]({link})", ""]
        report = case_lines(result, self.run, self.verbosity, WIDEST)
        lines += code_block(plain_text(report))
        title = []
        for text in (case_label(result), reason_in_brief(result, is_named=True)):
            shown = escape(cut(harmless(text), LONGEST_TEXT))
            title.append(f"<code>{shown}</code>")
        return details(" ".join(title), lines)


# --- the first section ----------------------------------------------------------------


def _first_section(
    run: Run, ran: Sequence[CaseResult], gates: Sequence[GateResult], page: str
) -> str:
    """Return the first section: the headline, and a list below it.

    The list has why the run fails, means, latencies, counts, remarks about the run,
    what ran, what the reference has otherwise, a link to the page, and what nDCG is.

    `ran`: the results of the run without skipped cases.
    `page`: the address of the HTML page; "" without one.
    """
    said = headline(run.results, gates, run.info, files=run.files)
    items = [in_markdown(reason) for reason in reason_texts(run.info)]
    items += _mean_items(ran, said)
    latencies = latency_sentences(changes_since_baseline(ran))
    items += [each.markdown() for each in latencies[:MOST_NAMES]]
    items += _count_items(run)
    items += [in_markdown(remark) for remark in remark_texts(run.info)]
    about = context(run)
    if about:
        items.append(", ".join(short_code_span(part) for part in about))
    further = reference_sentences(run, ran)
    items += [sentence.markdown() for sentence in further]
    if page:
        items.append(f"[all rankings side by side, in the page]({page})")
    explained = metric_explained(ran)
    if explained:
        items.append(escaped(explained))
    lines = [heading(said.text, said.mark)]
    if items:
        lines.append("")
    lines += [f"- {item}" for item in items]
    return "\n".join(lines)


def _mean_items(ran: Sequence[CaseResult], said: Headline) -> list[str]:
    """Write the mean over all cases with its test, and the counts that the headline
    does not have; then the mean of each suite and variant, if there are few.

    Without a reference many means are written as that of each variant.
    """
    whole = whole_mean_sentences(ran, said.told)
    means = mean_sentences(ran)
    if whole:
        shown = means if 1 < len(means) <= MOST_NAMES else []
        return [sentence.markdown() for sentence in (*whole, *shown)]
    if len(means) <= MOST_NAMES:
        return [mean.markdown() for mean in means]
    if any(result.score is not None for result in ran):
        variants = variants_of(ran)
        if len(variants) < 2:
            return [f"{mean_text(ran)} over all suites"]
        of_variants = means_text(means_by_variant(ran), variants)
        metric = f"{weighted(ran)}mean {metric_of(ran)}"
        return [short_code_span(f"{metric} over all suites: {of_variants}")]
    return []


def _count_items(run: Run) -> list[str]:
    """Return the counts of the cases, and a sentence if no case was searched."""
    items = []
    if run.results:
        counts = [*case_counts(run.results), *unfinished_parts(run.info)]
        items.append(escaped("; ".join(counts)))
    nothing_searched = unsaid_nothing_searched(run.results, run.info)
    if nothing_searched:
        items.append(escaped(nothing_searched))
    return items


def _missing(names: Sequence[str]) -> str:
    """Return a list of the first cases that did not finish or that no record has."""
    lines = [f"**Missing** ({len(names):,})", ""]
    named = 0
    for name, count in Counter(names).most_common(_MOST_MISSING):
        times = f" ({count:,} cases)" if count > 1 else ""
        lines.append(f"- {short_code_span(name)}{times}")
        named += count
    if len(names) > named:
        lines.append(f"- and {len(names) - named:,} more")
    return "\n".join(lines)


# --- tables of cases ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _CaseGroups:
    """The cases in the tables, each group in the order of its table.

    `got_worse`, `changed`: cases that fail because of that.
    `failed`: other cases that fail, without those that failed before, and without
    errors that one sentence names for several cases.
    `fell`, `rose`: cases that do not fail.
    `lowest`: the cases with the lowest scores, if no case fails, fell or rose.
    """

    got_worse: list[CaseChange]
    changed: list[CaseChange]
    failed: list[CaseChange]
    fell: list[CaseChange]
    rose: list[CaseChange]
    lowest: list[CaseChange]


def _case_groups(worst: Sequence[CaseChange], ran: Sequence[CaseResult]) -> _CaseGroups:
    """Return the cases that the tables show, by what became of them.

    If no case failed, fell or rose, these are the cases with the lowest scores.
    """
    said_once = errors_said_once(ran)
    groups = _CaseGroups([], [], [], [], [], [])
    for change in worst:
        result = change.result
        if not has_failed(result):
            groups.fell.append(change)
        elif got_worse(result):
            groups.got_worse.append(change)
        elif failure_kind(result) == CHANGED:
            groups.changed.append(change)
        elif id(result) not in said_once and failure_kind(result) != FAILED_BEFORE:
            groups.failed.append(change)
    groups.rose.extend(CaseChange.since_baseline(result) for result in movers(ran, 1))
    if not worst and not groups.rose:
        groups.lowest.extend(
            CaseChange.since_baseline(ran[place]) for place in lowest(ran)
        )
    return groups


def _case_sections(
    worst: Sequence[CaseChange],
    ran: Sequence[CaseResult],
    variants: Sequence[Variant],
    most: int | None,
) -> Iterator[MarkdownSection]:
    """Yield the tables of the cases that fail, and of the largest falls and rises."""
    groups = _case_groups(worst, ran)
    on_fall = (LOST_DOCUMENT, DOCUMENT_ON_TOP)
    fell = "Fell"
    if any(is_similarity(change.by or "") for change in groups.fell):
        fell = "Changed"
    if any(has_failed(change.result) for change in worst):
        fell += " without failing"
    for name, title, changes, documents in (
        ("the cases that got worse", "Got worse", groups.got_worse, on_fall),
        (
            "the cases that changed by more than allowed",
            "Changed by more than allowed",
            groups.changed,
            on_fall,
        ),
        ("the failing cases", "Failed", groups.failed, on_fall),
        ("the cases that fell most", fell, groups.fell, on_fall),
        ("the cases that rose most", "Rose", groups.rose, (GAINED_DOCUMENT,)),
        ("the lowest cases", "Lowest", groups.lowest, on_fall),
    ):
        table = mover_table(title, changes, variants, documents, most)
        yield from table_sections(name, [table])
