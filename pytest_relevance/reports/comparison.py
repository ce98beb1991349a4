"""`compare_runs` and `Comparison`: two runs compared, as figures, text, Markdown, HTML, a dict or JSON.

Every report has the same parts: one sentence, what became of each metric, and the gates; the cases that moved most and
further tables. In Markdown each part is a section that is left out as a whole where the report is longer than allowed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import counted, did_you_mean, html_paragraph, listed
from pytest_relevance.metrics.measures import largest_score
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import is_similarity, metric_named
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.reports.blocks import Block, Sentence, lines_of
from pytest_relevance.reports.cells import Column
from pytest_relevance.reports.number_text import SIGNIFICANT, asked_text
from pytest_relevance.reports.reasons import settings_text
from pytest_relevance.reports.run import baseline
from pytest_relevance.reports.run.case_change import CaseChange
from pytest_relevance.reports.run.cases import filled_texts, mean_name, variants_of
from pytest_relevance.reports.run.gates import finding_text
from pytest_relevance.reports.run.means import means_table, tag_table
from pytest_relevance.reports.run.movers import (
    DOCUMENT_ON_TOP,
    GAINED_DOCUMENT,
    LOST_DOCUMENT,
    moved_table,
)
from pytest_relevance.reports.sections import (
    Section,
    heading,
    joined_sections,
    list_section,
    table_sections,
)
from pytest_relevance.reports.styled_lines import (
    BAD,
    DIM,
    GOOD,
    STRONG,
    Line,
    plain_text,
    styled_line,
)
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import WIDEST
from pytest_relevance.results.case_result import CaseResult, Key, settings_to_dict
from pytest_relevance.results.compare.comparison import (
    MOST_MOVERS,
    Compared,
    compared_results,
    what_changed,
)
from pytest_relevance.results.compare.differences import (
    MeanChange,
    change_by,
    latency_change,
    score_before,
    score_now,
)
from pytest_relevance.results.compare.pairing import are_similarities, pair
from pytest_relevance.results.compare.rank_changes import baseline_changes
from pytest_relevance.results.compare.runs import DEFAULT_K, MISSING, load_runs
from pytest_relevance.results.gates import NEW_ERRORS, ComparisonGates
from pytest_relevance.results.records.run_info import changed, changes_text

if TYPE_CHECKING:
    from pytest_relevance.results.compare.pairing import Variants
    from pytest_relevance.results.compare.runs import JudgmentSource, RunSource

MOST_SHOWN = 5
"""How many movers of a kind, and tags, are shown unless more are asked for."""

KIND, VERSION = "pytest-relevance comparison", 1
"""What the report as JSON says that it is."""

_NOTABLE = 0.05
"""By how much more the score of a query must have changed to be counted in the sentence at the top."""

_MOST_DROPS = 50
_SETTINGS = (
    "gain",
    "discount",
    "ideal",
    "unjudged",
    "negative",
    "max_grade",
    "collapse",
)


class Comparison(Compared):
    """The comparison of two runs; all differences are second - first.

    `metrics` has a row for each variant of the search and metric: the means of both, the difference with its bootstrap
    interval, p-value and effect size. `by_tag` has the means of each tag. `movers` are the cases that lost and gained
    most: results of the second run, whose `baseline` has the ranking and the scores of the first. `frame` has one row
    for each case. `left_out`, `errors` and `notes` say what was not compared and why. `judge` says whether the second
    run may replace the first.
    """

    def _repr_html_(self) -> str:
        """What a notebook shows: the sentence, the change of each mean, the tables, the notes."""
        parts = _parts(self, MOST_SHOWN, None)
        paragraphs = [
            html_paragraph(each.text) for each in (*parts.names, *parts.findings)
        ]
        notes = [html_paragraph(each.text) for each in parts.notes]
        tables = [table.html() for table in parts.tables.values()]
        return "".join(
            [html_paragraph(parts.said.text, "strong"), *paragraphs, *tables, *notes]
        )

    def summary(
        self,
        *,
        limit: int | None = MOST_SHOWN,
        gates: ComparisonGates | None = None,
        width: int = WIDEST,
    ) -> str:
        """The report as text, at most `width` columns wide; at most `limit` entries of each list, None for all."""
        return (
            plain_text(comparison_lines(self, limit=limit, gates=gates, width=width))
            + "\n"
        )

    def to_markdown(
        self,
        *,
        limit: int | None = MOST_SHOWN,
        gates: ComparisonGates | None = None,
        max_chars: int | None = None,
    ) -> str:
        """The report as Markdown, for a pull request; at most `limit` entries of each list, None for all.

        Where it is longer than `max_chars` characters, whole sections are left out from its end, and a line says which.
        """
        parts = _parts(self, limit, gates)
        items = [f"- {each.markdown()}" for each in (*parts.names, *parts.findings)]
        sections = [
            Section(
                "\n".join([heading(parts.said.text, parts.said.mark), "", *items]),
                "the summary",
            )
        ]
        for name, table in parts.tables.items():
            sections += table_sections(name, [table])
        return joined_sections(
            [*sections, *list_section(parts.notes, "the settings and notes")],
            max_chars,
        )

    def to_dict(
        self, *, limit: int | None = None, gates: ComparisonGates | None = None
    ) -> dict[str, Any]:
        """The report as a dict of the types of JSON; at most `limit` drops and gains, by default those of `movers`.

        What is not defined is None. A new key may be added; one that is there keeps its name and its meaning, or
        `version` goes up. docs/reference/records.md has them all.
        """
        most = MOST_MOVERS if limit is None else limit
        data = {
            "kind": KIND,
            "version": VERSION,
            "first": self.first,
            "second": self.second,
            "compared": len(self),
            "changed_rankings": self.changed_rankings,
            "settings": [_settings(settings) for settings in self.settings],
            "depths": [*self.depths],
            "fingerprint": {
                name: [*values] for name, values in self.fingerprint.items()
            },
            "metrics": [_flat(row) for row in self.metrics],
            "by_tag": [_flat(row) for row in self.by_tag],
            "latency": [
                {
                    "variant": variant,
                    "cases": change.cases,
                    "p50": [*change.p50],
                    "p95": [*change.p95],
                }
                for variant, results in self.variants.items()
                if (change := latency_change(results)) is not None
            ],
            "movers": {
                name: [
                    _mover(result, self.metric) for result in self.moved(sign)[:most]
                ]
                for name, sign in (("drops", -1), ("gains", 1))
            },
            "left_out": [
                {
                    "kind": each.kind,
                    "reason": each.reason,
                    "cases": [*map(_key, each.cases)],
                }
                for each in self.left_out
            ],
            "errors": [
                {
                    **_key(error.key),
                    "in_first": error.in_first,
                    "in_second": error.in_second,
                }
                for error in self.errors
            ],
            "notes": [*self.notes],
        }
        if gates is not None:
            data["gates"] = {
                "passed": gates.passed,
                "findings": [
                    {"text": finding_text(finding), "is_met": finding.is_met}
                    for finding in gates.findings
                ],
                "drops": [_mover(result, self.metric) for result in gates.drops],
            }
        return data

    def to_json(
        self, *, limit: int | None = None, gates: ComparisonGates | None = None
    ) -> str:
        """The dict of `to_dict` as JSON, in ASCII."""
        text = json.dumps(
            self.to_dict(limit=limit, gates=gates), indent=2, allow_nan=False
        )
        return text.replace("\x7f", "\\u007f") + "\n"


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

    Each is a `Run`, a path (of a record, or of a run as `read_run` takes it), or rankings as `evaluate` takes them. A
    record has its recorded scores; the others are scored by `judgments`: a path (of a case file, or of anything that
    `read_judgments` takes), a `Suite`, or what `evaluate` takes. With `judgments` records are scored anew too.
    `metrics` are names; the default is the nDCG@k of the cases, nDCG@10 for rankings. `settings` are those of
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
    Settings(
        **settings
    )  # raises TypeError or ValueError for settings that are not allowed
    named = [metrics] if isinstance(metrics, (str, Metric)) else metrics
    by = (
        None
        if named is None
        else [*{metric.text: metric for metric in map(metric_named, named)}.values()]
    )
    if by is not None and not by:
        raise ValueError(
            "a comparison needs a metric, such as nDCG@10; leave metrics out for the nDCG@k of the cases"
        )
    if missing not in MISSING:
        raise ValueError(
            f"missing is {listed(MISSING)}, not {missing!r}{did_you_mean(str(missing), MISSING)}"
        )
    if resamples < 1:
        raise ValueError(f"resamples is a whole number from 1 on, not {resamples!r}")
    k = next((metric.k for metric in by or () if metric.k is not None), DEFAULT_K)
    runs, notes = load_runs(
        (first, second),
        k,
        judgments,
        missing,
        settings,
        needs_judgments=not are_similarities(by),
    )
    if by is None and not any(
        result.evaluation.is_judged for run in runs for result in run.results
    ):
        cutoffs = {result.conditions.k for run in runs for result in run.results}
        by = [metric_named(f"overlap@{min(cutoffs, default=k)}")]
        notes.append(f"no case has judgments: compared by {by[0].text}")
    found = pair(*runs, by, variants, common=common)
    notes += [
        f"left out: {each.reason}" for each in found.incompatibilities
    ] + found.notes
    others = (
        sum(result.variant not in variants for run in {*runs} for result in run.results)
        if variants
        else 0
    )
    if others:
        notes.append(f"left out: {counted(others, 'result')} of other variants")
    notes += dict.fromkeys(
        f"{run.name}: {text}" for run in runs for text in filled_texts(run.results)[:1]
    )
    shown = by or sorted(
        {two.metric for _, two in found.pairs}, key=lambda metric: metric.k or 0
    )
    rankings = tuple(what_changed(one, two) for one, two in found.pairs)
    searched, files = changed(*(run.info.fingerprint for run in runs)), runs[1].files
    del (
        runs
    )  # so that the results of the pairs are in memory no longer than they are needed
    return Comparison(
        *found.names,
        results=compared_results(found.pairs, by, is_across=variants is not None),
        names=tuple(metric.text for metric in shown),
        metric=by[0].text if by else None,
        changed=rankings,
        resamples=resamples,
        seed=seed,
        left_out=tuple(found.incompatibilities),
        errors=tuple(found.errors),
        notes=tuple(notes),
        fingerprint=searched,
        files=files,
    )


def _settings(settings: Settings) -> dict[str, Any]:
    """All settings, the defaults too."""
    return {
        **{name: getattr(settings, name) for name in _SETTINGS},
        **settings_to_dict(settings),
    }


def _flat(row: Any) -> dict[str, Any]:
    """A row of figures as one flat dict, its means included."""
    values = asdict(row)
    values |= values.pop("means")
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in values.items()
    }


def _key(key: Key) -> dict[str, str | None]:
    return dict(zip(("file", "id", "variant"), key, strict=True))


def _mover(result: CaseResult, metric: str | None) -> dict[str, Any]:
    """A case whose score changed: its scores, what changed in its ranking, and which of these documents have a gain."""
    changes, gains = baseline_changes(result), result.conditions.settings.gains
    assert changes is not None
    values: dict[str, Any] = {
        **_key(result.key),
        "line": result.line,
        "query": result.query,
    }
    values |= {
        "metric": metric or result.metric.text,
        "first": score_before(result, metric),
        "second": score_now(result, metric),
        "difference": change_by(result, metric),
        **asdict(changes),
    }
    kinds = {"left": "lost", "entered": "found", "moved": "shifted"}
    for kind, relevant in kinds.items():
        values[kind] = [*values[kind]]
        values[relevant] = [move for move in values[kind] if gains[move["grade"]] > 0]
    named = {move["document"] for kind in kinds for move in values[kind]}
    return values | {
        "titles": {
            name: title for name, title in result.texts.titles.items() if name in named
        }
    }


# --- the report -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Parts:
    """The parts of every report: the sentence; what was compared; tables by what they are called; what was found."""

    said: baseline.Headline
    names: Sequence[Sentence]
    tables: Mapping[str, Table]
    notes: Sequence[Sentence]
    findings: Sequence[Sentence]


def _parts(
    comparison: Compared, limit: int | None, gates: ComparisonGates | None
) -> _Parts:
    """Make the parts of a report with at most `limit` entries in each list, None for all."""
    gates = comparison.judge() if gates is None else gates
    counts = f"{counted(len(comparison), 'case')} compared, {comparison.changed_rankings:,} with another ranking"
    searched = changes_text(comparison.fingerprint)
    depths = f", depth {asked_text(comparison.depths)}" if comparison.depths else ""
    settings = dict.fromkeys(
        settings_text(each) + depths for each in comparison.settings
    )
    names = [
        f"{comparison.first} -> {comparison.second}: {counts}",
        *([f"searched: {searched}"] if searched else []),
    ]
    return _Parts(
        comparison_headline(comparison, gates),
        [*map(Sentence, names)],
        _tables(comparison, limit, gates),
        [Sentence(text, DIM) for text in (*settings, *comparison.notes)],
        [
            *mean_change_sentences(comparison),
            *baseline.emptied_sentences(comparison.results),
            *_gate_sentences(gates),
        ],
    )


def comparison_headline(
    comparison: Compared, gates: ComparisonGates
) -> baseline.Headline:
    """The sentence about a comparison: `Search got worse: 44 queries`.

    It weighs the queries whose score moved by more than `_NOTABLE`, and the means in any variant: by the metric that
    was named first, or by the nDCG@k of the cases at each of their cutoffs. Cases that are an error in the second run
    alone, and gates that are not met, follow.
    """
    rows = [
        row for row in comparison.metrics if comparison.metric in (None, row.metric)
    ]
    if not any(row.means.queries for row in rows):
        return baseline.Headline("No case has a score in both runs", baseline.NOTHING)
    further = []
    if new := sum(error.is_new for error in comparison.errors):
        further.append(f"{counted(new, 'case')} could not be scored, and could before")
    unmet = sum(
        not finding.is_met and finding.kind != NEW_ERRORS for finding in gates.findings
    )
    if unmet:
        further.append(f"{counted(unmet, 'gate is', 'gates are')} not met")
    if comparison.metric is not None and is_similarity(comparison.metric):
        moved = len({result.key[:2] for result in comparison.moved(-1)})
        text = (
            counted(moved, "query differs", "queries differ")
            if moved
            else "No query differs"
        )
        text += f" by {comparison.metric}"
        kind = (
            baseline.BROKEN if further else baseline.MIXED if moved else baseline.FINE
        )
        return baseline.Headline("; ".join([text, *further]), kind)
    tested = [row.means.difference for row in rows if row.adjusted_p <= SIGNIFICANT]
    mean = (
        -1 if any(difference < 0 for difference in tested) else 1 if any(tested) else 0
    )
    least = notable_change(comparison)
    worse, better = (  # in whatever variants
        len({result.key[:2] for result in comparison.moved(sign, least)})
        for sign in (-1, 1)
    )
    said = baseline.balance(worse, better, mean)
    if said.kind in (baseline.WORSE, baseline.MIXED):
        kind = baseline.BROKEN if further and said.kind == baseline.MIXED else said.kind
        return baseline.Headline("; ".join([said.text, *further]), kind)
    if further:
        return baseline.Headline("; ".join(further), baseline.BROKEN)
    if any(row.means.better + row.means.worse for row in rows):
        return said
    others_changed = any(
        row.means.better + row.means.worse for row in comparison.metrics
    )
    by = f" by {comparison.metric}" if others_changed else ""
    return baseline.Headline(f"No score{by} changed", baseline.FINE)


def notable_change(comparison: Compared) -> float:
    """By how much more the score of a case must have changed to count as worse or better in the sentence."""
    return (
        _NOTABLE if largest_score(metric_named(comparison.names[0])) <= 1 else 0.0
    )  # DCG and CG are larger


def comparison_lines(
    comparison: Compared,
    *,
    limit: int | None = MOST_SHOWN,
    gates: ComparisonGates | None = None,
    width: int = WIDEST,
) -> list[Line]:
    """The report, at most `width` terminal columns wide, with at most `limit` entries of each list, None for all.

    What became of the means, and what `gates` found, comes last.
    """
    parts = _parts(comparison, limit, gates)
    lines = lines_of([Sentence(parts.said.text, STRONG), *parts.names], width)
    tables: list[Sequence[Block]] = [
        [table] for table in parts.tables.values() if table.rows
    ]
    for group in (*tables, parts.notes, parts.findings):
        lines += [styled_line(""), *lines_of(group, width)]
    return lines


def _tables(
    comparison: Compared, limit: int | None, gates: ComparisonGates
) -> dict[str, Table]:
    """The tables of a report. Of the largest drops all are shown, up to a bound, that a gate does not allow."""
    variants = variants_of(comparison.results)
    tables = {}
    most_drops = (
        limit if limit is None else max(limit, min(len(gates.drops), _MOST_DROPS))
    )
    for name, sign, most, documents in (
        ("drops", -1, most_drops, (LOST_DOCUMENT, DOCUMENT_ON_TOP)),
        ("gains", 1, limit, (GAINED_DOCUMENT,)),
    ):
        found = [
            CaseChange(result, comparison.metric) for result in comparison.moved(sign)
        ]
        title = (
            "Differ most"
            if is_similarity(comparison.metric or "")
            else f"Largest {name}"
        )
        tables[f"the largest {name}"] = moved_table(
            title, found, variants, documents, most
        )
    columns = [
        Column("metric", max_width=30, cut_to=8),
        Column("variant", max_width=30, cut_to=8, is_code=True),
    ]
    rows = [row for row in comparison.metrics if not is_similarity(row.metric)]
    named = [((row.metric, row.variant or ""), row.means) for row in rows]
    tags = tag_table(comparison.results, variants, limit, comparison.metric)
    tags.hint = ""
    return tables | {
        "the metrics": means_table(columns, named, rows),
        "the tags": tags,
    }


def mean_change_sentences(
    comparison: Compared, *, is_whole: bool = False
) -> list[Sentence]:
    """The change of the mean of each metric and variant, and of the latency; `is_whole` as in that of a mean."""
    found = []
    for row in comparison.metrics:
        name, means = (
            row.metric if row.variant is None else f"{row.metric} of {row.variant}",
            row.means,
        )
        if not means.queries:
            found.append(Sentence(f"{name} is not defined for any case"))
            continue
        if is_similarity(row.metric):
            differ = f"{means.worse:,} {'differs' if means.worse == 1 else 'differ'}, {means.same:,} the same"
            found.append(Sentence(f"mean {name} {means.second:.3f}: {differ}"))
            continue
        change = MeanChange(means, row.adjusted_p, means.queries + row.undefined)
        weighted = mean_name(comparison.variants[row.variant]).removesuffix("mean")
        found.append(
            baseline.mean_change_sentence(change, name, weighted, is_whole=is_whole)
        )
    return found + baseline.latency_sentences(comparison.results)


def _gate_sentences(gates: ComparisonGates) -> list[Sentence]:
    """What the gates found, each, and how many are not met."""
    words = {True: ("met", GOOD), False: ("NOT MET", BAD)}
    judged = [
        (*words[finding.is_met], finding_text(finding)) for finding in gates.findings
    ]
    found = [Sentence(f"{word}: {text}", style) for word, style, text in judged]
    if unmet := sum(not finding.is_met for finding in gates.findings):
        found.append(
            Sentence(f"{unmet} of {counted(len(gates.findings), 'gate')} not met", BAD)
        )
    elif found:
        found.append(Sentence("all gates met", GOOD))
    return found
