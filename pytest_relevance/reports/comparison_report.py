"""The report of a comparison of two runs: headline, sentences, tables and notes.

`ComparisonReport` has these parts, for text, Markdown and a notebook. The HTML page
takes single sentences from this module.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_relevance._notebook_html import html_paragraph
from pytest_relevance._number_text import asked_text
from pytest_relevance._text import MOST_SHOWN, counted
from pytest_relevance.gates.common_findings import finding_text
from pytest_relevance.gates.comparison_gates import NewErrorsFinding
from pytest_relevance.metrics.names import is_similarity
from pytest_relevance.reports.blocks import Sentence, lines_of
from pytest_relevance.reports.cells import Column
from pytest_relevance.reports.labels import settings_text
from pytest_relevance.reports.markdown_sections import (
    MarkdownSection,
    heading,
    joined_sections,
    list_section,
    table_sections,
)
from pytest_relevance.reports.run import changed_means
from pytest_relevance.reports.run.case_change import CaseChange
from pytest_relevance.reports.run.changed_latencies import latency_sentences
from pytest_relevance.reports.run.changed_test import ChangedTest
from pytest_relevance.reports.run.changed_test_text import (
    change_sentences,
    changed_in_words,
)
from pytest_relevance.reports.run.emptied import emptied_sentences
from pytest_relevance.reports.run.headline import (
    BROKEN,
    FINE,
    MIXED,
    NOTHING,
    WORSE,
    Headline,
    balance,
    mean_direction,
    of_replay,
)
from pytest_relevance.reports.run.known_items import lost_item_sentences
from pytest_relevance.reports.run.mean_tables import means_table, tag_table
from pytest_relevance.reports.run.mean_text import metric_of, weighted
from pytest_relevance.reports.run.movers import mover_table
from pytest_relevance.reports.run.variant_labels import variants_of
from pytest_relevance.reports.styled_lines import (
    BAD,
    DIM,
    GOOD,
    STRONG,
    Line,
    styled_line,
)
from pytest_relevance.reports.table import Table
from pytest_relevance.results.certainty import means_over_judged
from pytest_relevance.results.compare.comparison import Comparison, ComparisonGates
from pytest_relevance.results.compare.differences import Difference
from pytest_relevance.results.records.fingerprint import changes_text

_MOST_DROPS = 50


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """The parts of a report of a comparison.

    `names`: what was compared.
    `tables`: {name of a section of the Markdown: table}.
    `notes`: the settings, and notes of the comparison.
    `findings`: how means changed, and which gates are met.
    """

    headline: Headline
    names: Sequence[Sentence]
    tables: Mapping[str, Table]
    notes: Sequence[Sentence]
    findings: Sequence[Sentence]

    def lines(self, width: int) -> list[Line]:
        """Return the report as lines for a terminal. The findings come last."""
        headline = Sentence(self.headline.text, STRONG)
        lines = lines_of([headline, *self.names], width)
        for table in self.tables.values():
            if table.rows:
                lines += [styled_line(""), *table.lines(width)]
        lines += [styled_line(""), *lines_of(self.notes, width)]
        lines += [styled_line(""), *lines_of(self.findings, width)]
        return lines

    def markdown(self, max_chars: int | None) -> str:
        """Return the report as Markdown; if too long, without its last sections."""
        items = [f"- {each.markdown()}" for each in (*self.names, *self.findings)]
        head = heading(self.headline.text, self.headline.mark)
        sections = [MarkdownSection("\n".join([head, "", *items]), "the summary")]
        for name, table in self.tables.items():
            sections += table_sections(name, [table])
        sections += list_section(self.notes, "the settings and notes")
        return joined_sections(sections, max_chars)

    def html(self) -> str:
        """Return the report as HTML for a notebook."""
        parts = [html_paragraph(self.headline.text, "strong")]
        for sentence in (*self.names, *self.findings):
            parts.append(html_paragraph(sentence.text))
        for table in self.tables.values():
            parts.append(table.html())
        for note in self.notes:
            parts.append(html_paragraph(note.text))
        return "".join(parts)


def report_on(
    comparison: Comparison, limit: int | None, gates: ComparisonGates | None
) -> ComparisonReport:
    """Return the parts of a report on a comparison.

    `limit`: the most entries of a list; None for all.
    `gates`: what `Comparison.judge` returned; None for the gates that always count.
    """
    if gates is None:
        gates = comparison.judge()
    counts = counts_text(comparison)
    names = [Sentence(f"{comparison.first} -> {comparison.second}: {counts}")]
    searched = changes_text(comparison.fingerprint)
    if searched:
        names.append(Sentence(f"searched: {searched}"))
    depths = f", depth {asked_text(comparison.depths)}" if comparison.depths else ""
    settings = [settings_text(each) + depths for each in comparison.settings]
    notes = [*dict.fromkeys(settings), *comparison.notes]
    headline = comparison_headline(comparison, gates)
    whole = deciding_mean(comparison)
    findings = [] if whole is None else [whole.sentence()]
    findings += further_mean_sentences(comparison, headline.told)
    findings += emptied_sentences(comparison.changes)
    findings += lost_item_sentences(comparison.changes)
    findings += change_sentences(
        ChangedTest.of(comparison.test_changes), {}, full=limit is None
    )
    findings += _gate_sentences(gates)
    return ComparisonReport(
        headline=headline,
        names=names,
        tables=_tables(comparison, limit, gates),
        notes=[Sentence(text, DIM) for text in notes],
        findings=findings,
    )


def comparison_html(comparison: Comparison) -> str:
    """Return the report for a notebook. `Comparison._repr_html_` calls this."""
    return report_on(comparison, MOST_SHOWN, None).html()


def counts_text(comparison: Comparison) -> str:
    """Return, for example, `135 cases compared, 44 with another ranking`."""
    compared = f"{counted(len(comparison), 'case')} compared"
    return f"{compared}, {comparison.changed_rankings:,} with another ranking"


# --- the headline ---------------------------------------------------------------------


def comparison_headline(comparison: Comparison, gates: ComparisonGates) -> Headline:
    """Return the outcome of a comparison in a sentence: `Search got worse: 44 queries`.

    The sentence depends on how many queries got worse and better, and on how the means
    of all variants changed. The means are by the metric that was named first, or by the
    nDCG@k of the cases at each of their cutoffs. The sentence goes on with new errors,
    gates that are not met, and demands that are looser. It is marked as a failure if a
    gate is not met. It begins with the runs that are replays.
    """
    said = _headline_of_scores(comparison, gates)
    of_test = changed_in_words(ChangedTest.of(comparison.test_changes))
    if of_test and said.kind != NOTHING:
        said = said.as_no_good_news(f"{said.text}; {of_test}")
    for name, replayed in reversed(comparison.replayed):
        said = of_replay(said, replayed, name)
    return replace(said, fails=not gates.passed)


def _headline_of_scores(comparison: Comparison, gates: ComparisonGates) -> Headline:
    """Return the headline, without changed demands and without replayed runs."""
    rows = []
    for row in comparison.metrics:
        if comparison.metric is None or comparison.metric == row.metric:
            rows.append(row)
    if not any(row.means.queries for row in rows):
        return Headline("No case has a score in both runs", NOTHING)
    further = _further_failures(comparison, gates)
    if comparison.metric is not None and is_similarity(comparison.metric):
        return _similarity_headline(comparison, comparison.metric, further)
    said = balance(comparison.counts, mean_direction(comparison.mean_change))
    if said.kind in (WORSE, MIXED):
        return replace(said, text="; ".join([said.text, *further]))
    if further:
        return Headline("; ".join(further), BROKEN)
    if _changed(rows):
        return said
    by = f" by {comparison.metric}" if _changed(comparison.metrics) else ""
    return Headline(f"No score{by} changed", FINE)


def _further_failures(comparison: Comparison, gates: ComparisonGates) -> list[str]:
    """Return a text about new errors in the second run, and one about unmet gates."""
    further = []
    new = sum(1 for error in comparison.errors if error.is_new)
    if new:
        further.append(f"{counted(new, 'case')} could not be scored, and could before")
    unmet = 0
    for finding in gates.findings:
        if not finding.is_met and not isinstance(finding, NewErrorsFinding):
            unmet += 1
    if unmet:
        further.append(f"{counted(unmet, 'gate is', 'gates are')} not met")
    return further


def _similarity_headline(
    comparison: Comparison, metric: str, further: Sequence[str]
) -> Headline:
    """Return the headline of a comparison by a metric of two rankings, such as overlap.

    It says how many queries differ. If the second run limits how much rankings may
    differ, the headline begins with the queries that changed by more.

    `further`: texts about new errors and unmet gates.
    """
    differ = {change.case.key[:2] for change in comparison.moved(-1)}
    said = Headline("No query differs", FINE)
    if differ:
        text = counted(len(differ), "query differs", "queries differ")
        said = Headline(text, MIXED)
    if _counts_demands(comparison):
        failed = balance(comparison.counts, 0)
        if failed.kind != FINE:
            text = f"{failed.text}; {len(differ):,} differ"
            said = replace(failed, text=text)
    return replace(said, text="; ".join([f"{said.text} by {metric}", *further]))


def _counts_demands(comparison: Comparison) -> bool:
    """Say whether the report counts queries that got worse and better.

    By a metric of two rankings, such as overlap, queries only differ. They are counted
    only if no case is judged, and if the demands of the second run are known.
    """
    if comparison.metric is None or not is_similarity(comparison.metric):
        return True
    if any(result.evaluation.is_judged for result in comparison.results):
        return False
    return any(change.found is not None for change in comparison.changes)


def _changed(rows: Sequence[Difference]) -> bool:
    """Say whether the score of any case changed."""
    return any(row.means.rose or row.means.fell for row in rows)


# --- tables and sentences -------------------------------------------------------------


def _tables(
    comparison: Comparison, limit: int | None, gates: ComparisonGates
) -> dict[str, Table]:
    """Return {name: table}, with at most `limit` rows in a table; None for all rows.

    Two tables may have more rows. The table of metrics has all its rows. The table of
    drops has all drops that a gate does not allow, up to `_MOST_DROPS`.
    """
    most_drops = limit
    if limit is not None:
        most_drops = max(limit, min(len(gates.drops), _MOST_DROPS))
    variants = variants_of(comparison.results)
    tags = tag_table(comparison.changes, variants, limit)
    tags.hint = ""
    return {
        "the largest drops": _mover_table(comparison, -1, most_drops),
        "the largest gains": _mover_table(comparison, 1, limit),
        "the metrics": _metrics_table(comparison),
        "the tags": tags,
    }


def _mover_table(comparison: Comparison, sign: int, most: int | None) -> Table:
    """Return the table of the cases whose score changed most.

    `sign`: -1 for scores that fell, 1 for scores that rose.
    `most`: the most rows; None for all.
    """
    metric = comparison.metric
    if metric is not None and is_similarity(metric):
        title = "Differ most"
    else:
        title = "Largest drops" if sign < 0 else "Largest gains"
    moved = [CaseChange(change) for change in comparison.moved(sign)]
    variants = variants_of(comparison.results)
    return mover_table(title, moved, variants, most, is_rise=sign > 0)


def _metrics_table(comparison: Comparison) -> Table:
    names = [
        Column("metric", max_width=30, cut_to=8),
        Column("variant", max_width=30, cut_to=8, is_code=True),
    ]
    tests = [row for row in comparison.metrics if not is_similarity(row.metric)]
    rows = [((row.metric, row.variant or ""), row.means) for row in tests]
    return means_table(names, rows, tests)


def further_mean_sentences(
    comparison: Comparison, told: Collection[str]
) -> list[Sentence]:
    """Return how means and latencies changed, and how many queries got worse or better.

    The mean that decides the headline (`deciding_mean`) is left out.

    `told`: the counts that the headline has, by their names in `ChangeCounts`. They are
        left out.
    """
    change = comparison.mean_change
    sentences = []
    for row in comparison.metrics:
        if change is None or row.means is not change.means:
            sentences.append(_mean_sentence(comparison, row))
    if _counts_demands(comparison):
        sentences += changed_means.count_sentences(comparison.counts, told)
    return sentences + latency_sentences(comparison.changes)


def deciding_mean(comparison: Comparison) -> changed_means.WholeMean | None:
    """Return how the mean changed whose p-value decides the headline.

    None if no case has this score in both runs, or if the metric compares rankings.
    """
    change = comparison.mean_change
    if change is None:
        return None
    results = comparison.results
    over = ""
    if len(comparison.variants) > 1:
        over = f" over {counted(len(comparison.variants), 'variant')}"
    over_judged = None
    if comparison.is_by_own_metric:
        over_judged = means_over_judged(comparison.changes)
    return changed_means.WholeMean(
        change=change,
        metric=comparison.metric or metric_of(results),
        over=over,
        weighted=weighted(results),
        cases=changed_means.compared_cases(change, results),
        over_judged=over_judged,
    )


def _mean_sentence(comparison: Comparison, row: Difference) -> Sentence:
    """Return the mean of one metric and variant in words, without its test."""
    name = row.metric
    if row.variant is not None:
        name += f" of {row.variant}"
    means = row.means
    if not means.queries:
        return Sentence(f"{name} is not defined for any case")
    if is_similarity(row.metric):
        differ = "differs" if means.fell == 1 else "differ"
        counts = f"{means.fell:,} {differ}, {means.same:,} the same"
        return Sentence(f"mean {name} {means.second:.3f}: {counts}")
    results = [pair.second for pair in comparison.variants[row.variant]]
    text = changed_means.changed_mean_text(results, name, means)
    if row.undefined:
        total = means.queries + row.undefined
        text += f" ({means.queries:,} of {counted(total, 'case')})"
    return Sentence(text)


def _gate_sentences(gates: ComparisonGates) -> list[Sentence]:
    """Return a sentence for each gate, and one for all of them; [] without gates."""
    sentences = []
    unmet = 0
    for finding in gates.findings:
        text = finding_text(finding)
        if finding.is_met:
            sentences.append(Sentence(f"met: {text}", GOOD))
        else:
            sentences.append(Sentence(f"NOT MET: {text}", BAD))
            unmet += 1
    if unmet:
        of_all = f"{unmet} of {counted(len(gates.findings), 'gate')}"
        sentences.append(Sentence(f"{of_all} not met", BAD))
    elif sentences:
        sentences.append(Sentence("all gates met", GOOD))
    return sentences
