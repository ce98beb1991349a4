"""`compare_runs` and `Comparison`: two runs compared, as figures, text, Markdown, HTML, a dict or JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import counted, harmless, html_paragraph
from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.reports.blocks import joined_sections
from pytest_relevance.reports.comparison_report import (
    MOST_SHOWN,
    comparison_headline,
    comparison_lines,
    comparison_sections,
    metric_table,
    mover_table,
    verdict,
)
from pytest_relevance.reports.run.gates import finding_text
from pytest_relevance.reports.text import REPORT_MARK, WIDEST, plain
from pytest_relevance.results.case_dict import settings_to_dict
from pytest_relevance.results.case_result import Key
from pytest_relevance.results.compare.comparison import MOST_MOVERS, Compared, Mover
from pytest_relevance.results.compare.runs import Options, compare
from pytest_relevance.results.gates import ComparisonGates, judge_comparison

if TYPE_CHECKING:
    from pytest_relevance.results.compare.pairing import Variants
    from pytest_relevance.results.compare.runs import JudgmentSource, RunSource


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
        movers = self.largest(MOST_SHOWN)
        tables = (
            metric_table(self, all_p_values=True),
            mover_table("Largest drops", self, movers.drops, is_drop=True),
            mover_table("Largest gains", self, movers.gains, is_drop=False),
        )
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


KIND = "pytest-relevance comparison"
VERSION = 1

_SETTINGS = ("gain", "discount", "ideal", "unjudged", "negative", "max_grade")


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
