"""The report of a run as Markdown, for a pull request or a GitHub step summary.

The most important sections come first. If the report is too long, sections are left out
from the end, and a last line names them. Texts of users are in code spans and code
blocks.
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
    words_in_markdown,
)
from pytest_relevance.reports.run.build import build_text
from pytest_relevance.reports.run.case_change import CaseChange
from pytest_relevance.reports.run.case_groups import CaseGroups, case_groups
from pytest_relevance.reports.run.certainty_text import CERTAINTY_EXPLAINED
from pytest_relevance.reports.run.changed_latencies import latency_sentences
from pytest_relevance.reports.run.changed_means import (
    mean_sentences,
    whole_mean_sentences,
)
from pytest_relevance.reports.run.changed_test import looser_files
from pytest_relevance.reports.run.counts_sentence import case_counts
from pytest_relevance.reports.run.emptied import emptied_sentences
from pytest_relevance.reports.run.errors import error_section, unfinished_parts
from pytest_relevance.reports.run.faults import fault_sentences
from pytest_relevance.reports.run.gates import gate_table
from pytest_relevance.reports.run.headline import Headline, headline
from pytest_relevance.reports.run.known_items import (
    known_item_sentences,
    lost_item_sentences,
)
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
    MOST_ROWS,
    any_needs_grades,
    mover_table,
)
from pytest_relevance.reports.run.remarks import remarks
from pytest_relevance.reports.run.report import run_gates
from pytest_relevance.reports.run.run_context import (
    MOST_NAMES,
    context,
    reference_sentences,
)
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
from pytest_relevance.reports.run.stability import stability_remarks
from pytest_relevance.reports.run.suites import suite_sentences
from pytest_relevance.reports.run.update_advice import RunAgain, next_steps
from pytest_relevance.reports.run.variant_labels import Variant, variant_of, variants_of
from pytest_relevance.reports.run.variant_tables import variant_blocks
from pytest_relevance.reports.styled_lines import BAD, plain_text
from pytest_relevance.reports.table import limit
from pytest_relevance.reports.terminal_text import WIDEST, cut
from pytest_relevance.results.case_result import SKIPPED, CaseResult, of_case_files
from pytest_relevance.results.change_counts import count_results
from pytest_relevance.results.changes import changes_since_baseline
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.run_titles import without_words_of_texts

MOST_GATES, MOST_SUITES = 10, 20
"""How many gates and suites are listed, unless the report is to be in full."""

_MOST_FAILURES = 3  # reports of failures, unless the report is to be in full
_MOST_MISSING = 5
_MOST_FURTHER = 20  # cases in one folded table of further cases that got worse


def run_markdown(
    run: Run,
    *,
    verbosity: int = 0,
    notes: Sequence[str] = (),
    most: int | None = MOST_CHARACTERS,
    page: str = "",
) -> str:
    """Return the report of a run as Markdown.

    `verbosity`: below 0 the report has no reports of failures. With 1 tables have all
        queries and failures all ranks; with 2 the cases that passed are added.
    `notes`: sentences about how the run was merged.
    `most`: the most characters; None for any number. The first section, with the
        headline, is always there.
    `page`: the address of the HTML report, for links to it; "" without one.
    """
    results = without_words_of_texts(run.results)
    run = Run(results, run.files, run.info, name=run.name)
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

    def sections(self) -> Iterator[MarkdownSection]:
        """Yield the sections, the most important first."""
        run = self.run
        gates = run_gates(run)
        ran = [result for result in run.results if result.status != SKIPPED]
        variants = variants_of(ran)
        groups = case_groups(ran)
        yield MarkdownSection(_first_section(run, ran, gates, self.page), "the summary")
        if run.info.errors:
            errors = error_section(run.info, full=self.full)
            yield MarkdownSection(errors, "the errors")
        yield from list_section([Sentence(note) for note in self.notes], "notes")
        if run.info.missing:
            yield MarkdownSection(_missing(run.info.missing), "what is missing")
        for fault in fault_sentences(ran, run.info):
            said = fault.markdown()
            if fault.style == BAD:
                said = f"**{said}**"
            yield MarkdownSection(said, "a fault that several cases have in common")
        table = gate_table(gates, limit(MOST_GATES, full=self.full))
        yield from table_sections("the gates", [table])
        yield from _case_sections(groups, variants, limit(MOST_ROWS, full=self.full))
        yield from self._next_steps()
        yield from self._suite_section(ran, variants, gates)
        blocks = [*remarks(ran, run.files), *stability_remarks(ran)]
        sentences = [block for block in blocks if isinstance(block, Sentence)]
        yield from list_section(sentences, "remarks")
        yield from self._mean_sections(ran, variants)
        yield from self._further_sections(groups.got_worse, variants)
        if self.verbosity >= 0:
            yield from self._failure_sections()

    def _next_steps(self) -> Iterator[MarkdownSection]:
        """Yield the commands that show, judge and accept what changed, as a section."""
        run = self.run
        if not any(info.has_baseline for info in run.files.values()):
            return
        looser = looser_files(run.results, run.files, run.info)
        steps = next_steps(
            run.results,
            run.files,
            updating=None,
            looser=looser,
            run_again=RunAgain.of(run.info),
        )
        commands = [step.shell() for step in steps]
        if not commands:
            return
        lines = ["**What to do next**", ""]
        lines += code_block("\n".join(commands))
        yield MarkdownSection("\n".join(lines), "what to do next")

    def _suite_section(
        self,
        ran: Sequence[CaseResult],
        variants: Sequence[Variant],
        gates: Sequence[GateResult],
    ) -> list[MarkdownSection]:
        """Return a section with a line for each suite, or [] if the suites are few.

        The means of few suites are in the first section.
        """
        suites = {(result.file, variant_of(result)) for result in ran}
        if len(suites) <= MOST_NAMES:
            return []
        shown = suite_sentences(ran, variants, gates)
        shown += mean_sentences(ran, only_changes=True)
        return list_section(shown[: limit(MOST_SUITES, full=self.full)], "the suites")

    def _mean_sections(
        self, ran: Sequence[CaseResult], variants: Sequence[Variant]
    ) -> list[MarkdownSection]:
        """Return the sections with the means of tags and the comparison of variants."""
        compared = of_case_files(ran)
        changes = changes_since_baseline(compared)
        tags = tag_table(changes, variants, limit(MOST_TAGS, full=self.full))
        most = limit(MOST_ROWS, full=self.full)
        sections = table_sections("the tags", [tags])
        for block in variant_blocks(compared, variants, most, full=self.full):
            if isinstance(block, Sentence):
                sections += list_section([block], "the variants")
            else:
                sections += table_sections("the variants", [block])
        return sections

    def _further_sections(
        self, fallen: Sequence[CaseChange], variants: Sequence[Variant]
    ) -> Iterator[MarkdownSection]:
        """Yield folded tables of the cases that got worse after the first five.

        With `full` there are none, because the first table has all cases.
        """
        if self.full:
            return
        for start in range(MOST_ROWS, len(fallen), _MOST_FURTHER):
            rows = fallen[start : start + _MOST_FURTHER]
            last = start + len(rows)
            title = f"Got worse, {start + 1:,} to {last:,} of {len(fallen):,}"
            folded = partial(_folded_table, title, rows, variants)
            yield MarkdownSection(folded, "further cases that got worse")

    def _failure_sections(self) -> Iterator[MarkdownSection]:
        """Yield the folded reports of the first failures; with `full`, of all.

        Cases that failed alike share one line.
        """
        names = names_in_page(self.run.results) if self.page else {}
        in_full = 0
        for reported in new_failures(self.run, self.verbosity):
            if reported.how == IN_FULL:
                in_full += 1
                if not self.full and in_full > _MOST_FAILURES:
                    continue
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

        `link`: the address of the case in the page; "" without one.
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


def _folded_table(
    title: str, rows: Sequence[CaseChange], variants: Sequence[Variant]
) -> str:
    table = mover_table("", rows, variants)
    return details(title, table.markdown())


# --- the first section ----------------------------------------------------------------


def _first_section(
    run: Run, ran: Sequence[CaseResult], gates: Sequence[GateResult], page: str
) -> str:
    """Return the headline, whether the build fails, and a list of facts about the run.

    `page`: the address of the HTML report; "" without one.
    """
    said = headline(run.results, gates, run.info, files=run.files)
    items = [in_markdown(reason) for reason in reason_texts(run.info)]
    means = _mean_items(ran, said)
    explained = metric_explained(ran)
    items += means[:1]
    if explained:
        items.append(escaped(explained))
    items += means[1:]
    items += _count_items(run)
    changes = changes_since_baseline(ran)
    items += [sentence.markdown() for sentence in emptied_sentences(changes)]
    latencies = latency_sentences(changes)
    items += [each.markdown() for each in latencies[:MOST_NAMES]]
    items += [in_markdown(remark) for remark in remark_texts(run.info)]
    about = context(run)
    if about:
        items.append(", ".join(short_code_span(part) for part in about))
    if ran and not any(info.has_baseline for info in run.files.values()):
        items.append(_COMPARED_WITH_NOTHING)
    further = reference_sentences(run, ran)
    items += [sentence.markdown() for sentence in further]
    if page:
        items.append(f"[all rankings side by side, in the page]({page})")
    lines = [heading(said.text, said.mark), ""]
    lines.append(words_in_markdown(build_text(run.results, gates, run.info)))
    if items:
        lines.append("")
    lines += [f"- {item}" for item in items]
    return "\n".join(lines)


def _mean_items(ran: Sequence[CaseResult], said: Headline) -> list[str]:
    """Return how the mean over all cases changed, and counts that the headline lacks.

    If there are two or three suites and variants, their means follow. If no case is
    compared, return the present means.
    """
    whole = whole_mean_sentences(ran, said.told)
    if not whole:
        return _means_without_reference(ran)
    # these sentences have no text of users
    items = [escaped(each.text) for each in whole]
    means = mean_sentences(ran, only_changes=True)
    if 1 < len(means) <= MOST_NAMES:
        items += [mean.markdown() for mean in means]
    return items


def _means_without_reference(ran: Sequence[CaseResult]) -> list[str]:
    """Return the mean of each suite and variant.

    If these are more than `MOST_NAMES`, return the mean of each variant in one text.
    """
    means = mean_sentences(ran)
    if len(means) <= MOST_NAMES:
        return [mean.markdown() for mean in means]
    if all(result.score is None for result in ran):
        return []
    variants = variants_of(ran)
    if len(variants) < 2:
        return [f"{mean_text(ran)} over all suites"]
    of_variants = means_text(means_by_variant(ran), variants)
    metric = f"{weighted(ran)}mean {metric_of(ran)}"
    return [short_code_span(f"{metric} over all suites: {of_variants}")]


_COMPARED_WITH_NOTHING = (
    "compared with nothing: a baseline, or `--relevance-against=RUN`, tells whether "
    "queries got worse"
)


def _count_items(run: Run) -> list[str]:
    """Return the counts of the cases, and a sentence if no case was searched."""
    items = []
    if run.results:
        is_compared = count_results(run.results).compared > 0
        counts = case_counts(run.results, has_worse=not is_compared)
        parts = [*counts, *unfinished_parts(run.info)]
        items += [escaped("; ".join(parts))] if parts else []
        known_items = lost_item_sentences(changes_since_baseline(run.results))
        known_items += known_item_sentences(run.results)
        items += [said.markdown() for said in known_items]
    nothing_searched = unsaid_nothing_searched(run.results, run.info)
    if nothing_searched:
        items.append(in_markdown(nothing_searched))
    return items


def _missing(names: Sequence[str]) -> str:
    """Return a list of the first names of cases that did not finish, or have no record.

    `names`: a name may stand for several cases. Then it is there as often.
    """
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


def _case_sections(
    groups: CaseGroups, variants: Sequence[Variant], most: int | None
) -> Iterator[MarkdownSection]:
    """Yield the tables of the cases that got worse, fail, or got better."""
    got_worse = "Got worse"
    if len(groups.got_worse) > 1:
        got_worse += ", largest drop times weight first"
    within_tolerance = "Fell most, within the tolerance of today"
    for name, title, changes in (
        ("the cases that got worse", got_worse, groups.got_worse),
        ("the cases that fell most", within_tolerance, groups.fell),
        (
            "the cases that changed by more than allowed",
            "Changed by more than allowed",
            groups.changed,
        ),
        ("the inconclusive cases", "Inconclusive", groups.inconclusive),
        ("the failing cases", "Failed", groups.failed),
        ("the cases that changed", "Changed", groups.differ),
        ("the cases that got better", "Got better", groups.got_better),
        ("the lowest cases", "Lowest", groups.lowest),
    ):
        is_rise = changes is groups.got_better
        table = mover_table(title, changes, variants, most, is_rise=is_rise)
        if changes is groups.got_worse and any_needs_grades(changes[:most]):
            table.note = CERTAINTY_EXPLAINED
        yield from table_sections(name, [table])
