"""`compare_runs` and `Comparison`: two runs compared, as figures, text, Markdown, HTML, a dict or JSON.

The report begins with one sentence, what became of each metric, and the gates; the cases that moved most and further
tables follow. In Markdown each is a section that is left out as a whole where the report is longer than allowed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import case_name, counted, harmless, html_paragraph, p_text, score_text
from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.reports.blocks import (
    Column,
    Section,
    Sentence,
    Table,
    heading,
    joined_sections,
    lines_of,
    table_sections,
)
from pytest_relevance.reports.reasons import settings_text
from pytest_relevance.reports.run.baseline import comparison_headline
from pytest_relevance.reports.run.changes import (
    ENDS,
    GAINED,
    LOST,
    NOTHING_RETURNED,
    ON_TOP,
    Moved,
    difference_table,
    gained_spans,
    lost_spans,
    means_table,
    moved_table,
    on_top_spans,
)
from pytest_relevance.reports.run.gates import finding_text
from pytest_relevance.reports.text import (
    BAD,
    DIM,
    GOOD,
    PLAIN,
    REPORT_MARK,
    SIGNIFICANT,
    STRONG,
    WIDEST,
    Line,
    code,
    line,
    plain,
    signed,
    span,
)
from pytest_relevance.results.case_dict import settings_to_dict
from pytest_relevance.results.case_result import Key
from pytest_relevance.results.compare.comparison import MOST_MOVERS, Compared, Mover
from pytest_relevance.results.compare.differences import TIE, Difference
from pytest_relevance.results.compare.pairing import some_cases
from pytest_relevance.results.compare.runs import Options, compare
from pytest_relevance.results.gates import ComparisonGates, judge_comparison
from pytest_relevance.results.records.run_info import changes_text
from pytest_relevance.results.unseen_ranks import asked_text

if TYPE_CHECKING:
    from pytest_relevance.results.compare.pairing import Variants
    from pytest_relevance.results.compare.runs import JudgmentSource, RunSource

MOST_SHOWN = 5
"""How many movers of a kind, and tags, are shown unless more are asked for."""

KIND, VERSION = "pytest-relevance comparison", 1
"""What the report as JSON says that it is."""

_MOST_DROPS = 50
_SETTINGS = ("gain", "discount", "ideal", "unjudged", "negative", "max_grade")


class Comparison(Compared):
    """The comparison of two runs; all differences are second - first.

    `metrics` has a row for each variant of the search and metric: the means of both, the difference with its bootstrap
    interval, p-value and effect size. `by_tag` has the means of each tag. `movers` are the cases that lost and gained
    most, with what changed in their rankings. `frame` has one row for each case. `left_out`, `errors` and `notes` say
    what was not compared and why. `judge` says whether the second run may replace the first.
    """

    def _repr_html_(self) -> str:
        """The tables that a notebook shows: the verdict on each metric, the metrics, the largest drops and gains."""
        names = f"{self.first} -> {self.second}, {counted(len(self), 'case')} compared"
        verdicts = [names, *(verdict(row)[0] for row in self.metrics)]
        tables = (metric_table(self, all_p_values=True), *mover_tables(self, MOST_SHOWN, None))
        notes = map(html_paragraph, self.notes)
        sentence = html_paragraph(comparison_headline(self).text, "strong")
        return "".join([sentence, *map(html_paragraph, verdicts), *(table.html() for table in tables), *notes])

    def judge(
        self, max_drop: Mapping[str, float] | None = None, *, p: float | None = None, max_case_drop: float | None = None
    ) -> ComparisonGates:
        """Judge the second run by gates; the reports take what is returned.

        `max_drop` is {metric: by how much its mean may drop}, `p` the largest p-value at which a larger drop fails, and
        `max_case_drop` by how much a single case may drop. Raises ValueError for a metric that was not compared, and
        for a number out of range. More in `pytest_relevance.results.gates.judge_comparison`.
        """
        return judge_comparison(self, max_drop, p=p, max_case_drop=max_case_drop)

    def summary(
        self, *, limit: int | None = MOST_SHOWN, gates: ComparisonGates | None = None, width: int = WIDEST
    ) -> str:
        """The report as text, at most `width` columns wide; at most `limit` entries of each list, None for all."""
        return plain(comparison_lines(self, limit=limit, gates=gates, width=width)) + "\n"

    def to_markdown(
        self, *, limit: int | None = MOST_SHOWN, gates: ComparisonGates | None = None, max_chars: int | None = None
    ) -> str:
        """The report as Markdown, for a pull request; at most `limit` entries of each list, None for all.

        Where it is longer than `max_chars` characters, whole sections are left out from its end, and a line says which.
        """
        return joined_sections(comparison_sections(self, limit=limit, gates=gates), max_chars)

    def to_dict(self, *, limit: int | None = None, gates: ComparisonGates | None = None) -> dict[str, Any]:
        """The report as a dict of the types of JSON; at most `limit` drops and gains, by default those of `movers`.

        What is not defined is None. A new key may be added; one that is there keeps its name and its meaning, or
        `version` goes up. docs/howto/compare.md has them all.
        """
        movers = self.largest(MOST_MOVERS if limit is None else limit)
        data = {
            "kind": KIND,
            "version": VERSION,
            "first": self.first,
            "second": self.second,
            "compared": len(self),
            "changed_rankings": self.changed_rankings,
            "settings": [_settings(settings) for settings in self.settings],
            "depths": [*self.depths],
            "fingerprint": {name: [*values] for name, values in self.fingerprint.items()},
            "metrics": [_flat(row) for row in self.metrics],
            "by_tag": [_flat(row) for row in self.by_tag],
            "movers": {"drops": [*map(_mover, movers.drops)], "gains": [*map(_mover, movers.gains)]},
            "left_out": [
                {"kind": found.kind, "reason": found.reason, "cases": [*map(_key, found.cases)]}
                for found in self.left_out
            ],
            "errors": [
                {**_key(error.key), "in_first": error.in_first, "in_second": error.in_second} for error in self.errors
            ],
            "notes": [*self.notes],
        }
        if gates is not None:
            data["gates"] = {
                "passed": gates.passed,
                "findings": [{"text": finding_text(finding), "is_met": finding.is_met} for finding in gates.findings],
                "drops": [*map(_mover, gates.drops)],
            }
        return data

    def to_json(self, *, limit: int | None = None, gates: ComparisonGates | None = None) -> str:
        """The dict of `to_dict` as JSON; characters that a terminal could act on are escaped."""
        text = json.dumps(self.to_dict(limit=limit, gates=gates), ensure_ascii=False, indent=2, allow_nan=False)
        return "".join(f"{_escaped_line(line)}\n" for line in text.split("\n"))


_BEGINNINGS = (
    rb'\{\s*"kind": "pytest-relevance comparison"',  # JSON
    rb"<!-- %b -->\n### .+\n\n- `.+` -> `.+`, [\d,]+ cases? compared\n" % re.escape(REPORT_MARK.encode()),  # Markdown
    rb"[^\n]+ -> (?s:.{1,5000}?)[\d,]+ cases? compared\b(?s:.*)95 % interval",  # text
)


def is_report(data: bytes) -> bool:
    """Whether the content of a file is the report of a comparison, in any of its formats."""
    return any(re.match(beginning, data) for beginning in _BEGINNINGS)


def _escaped_line(line: str) -> str:
    """A line of JSON with harmful characters escaped; only its texts can have any."""
    if line.isprintable():
        return line
    return "".join(each if harmless(each) == each else json.dumps(each)[1:-1] for each in line)


def compare_runs(
    first: RunSource,
    second: RunSource,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    *,
    judgments: JudgmentSource | None = None,
    variants: Variants | None = None,
    common: bool = False,
    missing: str = "refuse",
    resamples: int = 100_000,
    seed: int = 0,
    **settings: Any,
) -> Comparison:
    """Compare two runs over the same cases: `first` is the older one, differences are second - first.

    Each is a `Run`, a path (of a record, of a baseline, or of a run as `read_run` takes it), or rankings as `evaluate`
    takes them. A record has its recorded scores; the others are scored by `judgments`: a path (of a case file, or of
    anything that `read_judgments` takes), a `Suite`, or what `evaluate` takes. With `judgments` records are scored anew
    too. `metrics` are names; the default is the nDCG@k of the cases, nDCG@10 for rankings. `settings` are those of
    `evaluate` (`gain="linear"` ...); records are scored by them from their recorded grades.

    Several variants of a search are compared one by one; `variants=("bm25", "hybrid")` compares one variant of `first`
    with another of `second`, which may be the same run.

    Cases that only the second run has are listed and left out. `common=True` compares the cases that both runs have in
    common, whatever is missing, and the report says what was left out. A query that found nothing has no line in a TREC
    run, so that one of two plain runs must not lack it: `missing="empty"` takes each judged query without a ranking for
    one.

    The p-value is that of the randomisation test (Smucker, Allan & Carterette 2007) with `resamples`, the interval is
    the bootstrap's; both are drawn from `seed`. Over several metrics p-values are adjusted after Holm (1979), for each
    variant on its own.

    Raises `Incomparable` (a ValueError, with `reasons`) where cases are missing in the second run, differ in query,
    judgments or settings, or ended in an error; `RecordError`, `FileError` or `CaseFileError` (ValueErrors) for
    a file that cannot be used; ValueError or TypeError for arguments that are not allowed.
    """
    options = Options(metrics, judgments, variants, common, missing, resamples, seed, settings)
    return compare(Comparison, (first, second), options)


def _settings(settings: Settings) -> dict[str, Any]:
    """All settings, the defaults too."""
    return {name: getattr(settings, name) for name in _SETTINGS} | settings_to_dict(settings)


def _flat(row: Any) -> dict[str, Any]:
    """A row of figures as one flat dict, its means included."""
    values = asdict(row)
    values |= values.pop("means")
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in values.items()
    }


def _key(key: Key) -> dict[str, str | None]:
    return dict(zip(("file", "id", "variant"), key, strict=True))


def _mover(mover: Mover) -> dict[str, Any]:
    values = asdict(mover)
    del values["key"]
    values |= {**_key(mover.key), **values.pop("changes"), "difference": mover.difference}
    return {name: [*value] if isinstance(value, tuple) else value for name, value in values.items()}


# --- the report -------------------------------------------------------------------------------------------------------


def comparison_lines(
    comparison: Compared, *, limit: int | None = MOST_SHOWN, gates: ComparisonGates | None = None, width: int = WIDEST
) -> list[Line]:
    """The report, at most `width` terminal columns wide, with at most `limit` entries of each list, None for all.

    What `gates` found comes last.
    """
    counts = f"{counted(len(comparison), 'case')} compared", f"{comparison.changed_rankings:,} with another ranking"
    searched = changes_text(comparison.fingerprint)
    blocks = [
        Sentence(f"{comparison.first} -> {comparison.second} ", STRONG, (", ".join(counts),)),
        *(Sentence(text, DIM) for text in settings_texts(comparison)),
        *([Sentence(f"searched: {searched}")] if searched else []),
    ]
    lines = lines_of(blocks, width)
    tables = [metric_table(comparison), tag_table(comparison, limit), *mover_tables(comparison, limit, gates)]
    for table in tables:
        lines += [line(""), *table.lines(width)] if table.rows else []
    for sentences in ([Sentence(note, DIM) for note in comparison.notes], _verdicts(comparison, gates)):
        lines += [line(""), *lines_of(sentences, width)] if sentences else []
    return lines


def comparison_sections(
    comparison: Compared, *, limit: int | None = MOST_SHOWN, gates: ComparisonGates | None = None
) -> list[Section]:
    """The sections of the report in Markdown, the most important first.

    Each list has at most `limit` entries, None for all. The first section has the sentence.
    """
    said, searched = comparison_headline(comparison, gates), changes_text(comparison.fingerprint)
    compared = f"{counted(len(comparison), 'case')} compared"
    items = [
        f"{span(comparison.first)} -> {span(comparison.second)}, {compared}",
        *(f"**{verdict(row, code)[0]}**" for row in comparison.metrics),
        *(each.markdown() for each in _verdicts(comparison, gates)[len(comparison.metrics) :]),
        *([f"searched: {span(searched)}"] if searched else []),
    ]
    first = "\n".join([heading(said.text, said.mark), "", *(f"- {item}" for item in items)])
    scored = f"{compared}; {'; '.join(settings_texts(comparison))}."
    notes = ["", *(f"- {span(note)}" for note in comparison.notes)] if comparison.notes else []
    drops, gains = mover_tables(comparison, limit, gates)
    return [
        Section(first, "the summary"),
        *table_sections("the largest drops", [drops]),
        *table_sections("the largest gains", [gains]),
        *table_sections("the metrics", [metric_table(comparison, all_p_values=True)]),
        *table_sections("the tags", [tag_table(comparison, limit)]),
        Section("\n".join([scored, *notes]), "the settings and notes"),
    ]


def settings_texts(comparison: Compared) -> list[str]:
    """The settings that the scores were computed with, and the depths that were set, where metrics depend on them."""
    depths = f", depth {asked_text(comparison.depths)}" if comparison.depths else ""
    return [f"{text}{depths}" for text in dict.fromkeys(settings_text(settings) for settings in comparison.settings)]


def metric_table(comparison: Compared, *, all_p_values: bool = False) -> Table:
    """The figures of each variant and metric; `all_p_values` shows both where a terminal has room for one."""
    rows = [((row.metric, row.variant or ""), row) for row in comparison.metrics]
    columns = [Column("metric", most=30, least=8), _VARIANT]
    return difference_table(columns, rows, all_p_values=all_p_values)


_VARIANT = Column("variant", most=30, least=8, is_code=True)


def tag_table(comparison: Compared, limit: int | None) -> Table:
    """The figures of the first `limit` tags by each variant's first metric, without tags that all of its cases have.

    By every metric where each is the score of some cases alone: the nDCG@k of several k.
    """
    is_shared = comparison.has_shared_metrics
    cases = {(row.variant, row.metric): row.means.queries for row in reversed(comparison.metrics)}
    first = {row.variant: row.metric for row in reversed(comparison.metrics)}
    rows = [
        row
        for row in comparison.by_tag
        if (not is_shared or row.metric == first[row.variant]) and row.means.queries < cases[row.variant, row.metric]
    ]
    names = Column("by tag", most=30, least=8, is_code=True), _VARIANT, Column("metric")
    table = means_table(names, (((row.tag, row.variant or "", row.metric), row.means) for row in rows[:limit]), ENDS)
    if more := len(rows) - len(table.rows):
        table.note = f"... and {counted(more, 'more tag')}"
    return table


def mover_tables(comparison: Compared, limit: int | None, gates: ComparisonGates | None) -> tuple[Table, Table]:
    """The largest drops, with all that a gate does not allow up to a bound, and the largest gains."""
    most_drops = limit if limit is None or gates is None else max(limit, min(len(gates.drops), _MOST_DROPS))
    movers = comparison.largest(limit, most_drops)
    drops, gains = (sum(sign * change > TIE for change in comparison.changes) for sign in (-1, 1))
    return (
        moved_table("Largest drops", [*map(_moved_row, movers.drops)], LOST, ON_TOP, total=drops),
        moved_table("Largest gains", [*map(_moved_row, movers.gains)], GAINED, total=gains),
    )


def _moved_row(mover: Mover) -> Moved:
    _, case, variant = mover.key
    lost, on_top = lost_spans(mover.most_lost, mover.titles), on_top_spans(mover.now_on_top, mover.titles)
    if not mover.changes.entered and mover.changes.jaccard == 0:
        on_top = ((NOTHING_RETURNED, PLAIN),)
    scores = score_text(mover.first), score_text(mover.second)
    names = case_name(case, mover.query), variant or "", mover.metric
    return Moved(*names, *scores, lost, on_top, gained_spans(mover.most_gained, mover.titles), mover.counts)


def _verdicts(comparison: Compared, gates: ComparisonGates | None) -> list[Sentence]:
    """The result of each metric in words; then the findings of the gates, without gates the new errors."""
    found = [Sentence(*verdict(row)) for row in comparison.metrics]
    if gates is None:
        new = [error for error in comparison.errors if error.is_new]
        ended = f"{counted(len(new), 'case')} ended in an error, and in none before: {some_cases(new)}"
        return [*found, Sentence(ended, BAD)] if new else found
    words = {True: ("met", GOOD), False: ("NOT MET", BAD)}
    for finding in gates.findings:
        word, style = words[finding.is_met]
        found.append(Sentence(f"{word}: {finding_text(finding)}", style))
    if unmet := sum(not finding.is_met for finding in gates.findings):
        found.append(Sentence(f"{unmet} of {counted(len(gates.findings), 'gate')} not met", BAD))
    elif gates.findings:
        found.append(Sentence("all gates met", GOOD))
    return found


def verdict(row: Difference, shown: Callable[[str], str] = harmless) -> tuple[str, str]:
    """The result of a metric in words, and its style. `shown` escapes the name of a variant for the report."""
    means = row.means
    name = row.metric if row.variant is None else f"{row.metric} of {shown(row.variant)}"
    if not means.queries:
        return f"{name} is not defined for any case", PLAIN
    over = f"over {counted(means.queries, 'case')}{f' ({row.undefined:,} n/a)' if row.undefined else ''}"
    if means.same == means.queries:
        return f"{name} is {score_text(means.first)} {over}, no case changed", PLAIN
    figures = f"from {score_text(means.first)} to {score_text(means.second)}"
    tested = f"({signed(means.difference)}, p {p_text(row.adjusted_p)})"
    how = "fell" if means.difference < -TIE else "rose" if means.difference > TIE else "stayed the same"
    if row.adjusted_p <= SIGNIFICANT:
        return f"{name} {how} {figures} {tested} {over}", BAD if means.difference < 0 else GOOD
    return f"{name} {how} {figures} {tested} {over}: no more than chance would do", PLAIN
