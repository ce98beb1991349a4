"""`compare_runs`: two runs compared, and what comes of it as text, Markdown or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_relevance.metrics.names import Metric
from pytest_relevance.reports.comparison_data import as_data
from pytest_relevance.reports.comparison_markdown import markdown_lines
from pytest_relevance.reports.comparison_text import MOST_SHOWN, comparison_lines
from pytest_relevance.reports.text import harmless, plain
from pytest_relevance.results.compare.comparison import Compared
from pytest_relevance.results.compare.runs import compare
from pytest_relevance.results.compare.thresholds import Ruling, judge

if TYPE_CHECKING:
    from pytest_relevance.results.compare.pairing import Variants
    from pytest_relevance.results.compare.rejudging import Judging
    from pytest_relevance.results.compare.sources import AnySide


class Comparison(Compared):
    """Two runs, compared; all differences are second - first.

    `metrics` has a row a variant of the search and metric: the means of both, the difference with its bootstrap
    interval, p-value and effect size. `by_tag` has the means of each tag. `movers` are the cases that lost and gained
    most, with what changed in their rankings. `frame` has a row a case. `left_out`, `errors` and `notes` say what was
    not compared and why. `judge` says whether the second run may take the place of the first.
    """

    def judge(
        self,
        max_drop: Mapping[str, float] | None = None,
        *,
        p: float | None = None,
        max_case_drop: float | None = None,
    ) -> Ruling:
        """Judge the second run by gates: see `pytest_relevance.results.compare.thresholds.judge`. The reports take the `Ruling`."""
        return judge(self, max_drop, p=p, max_case_drop=max_case_drop)

    def summary(self, *, limit: int | None = MOST_SHOWN, ruling: Ruling | None = None) -> str:
        """The report as text, at most 100 columns wide; `limit` of each list, None for all."""
        return plain(comparison_lines(self, limit=limit, ruling=ruling)) + "\n"

    def to_markdown(self, *, limit: int | None = MOST_SHOWN, ruling: Ruling | None = None) -> str:
        """The report for a pull request."""
        return "\n".join(markdown_lines(self, limit=limit, ruling=ruling)) + "\n"

    def to_dict(self, *, limit: int | None = None, ruling: Ruling | None = None) -> dict[str, Any]:
        """The report as data, with keys that stay; `limit` of the movers, by default as many as `movers` has."""
        return as_data(self, limit=limit, ruling=ruling)

    def to_json(self, *, limit: int | None = None, ruling: Ruling | None = None) -> str:
        """The same as JSON, in which characters that a terminal could act on are escaped."""
        text = json.dumps(self.to_dict(limit=limit, ruling=ruling), ensure_ascii=False, indent=2, allow_nan=False)
        return "".join(f"{_escaped(line)}\n" for line in text.split("\n"))


_BEGINNINGS = (
    rb'\{\s*"kind": "pytest-relevance comparison"',  # JSON
    rb"### `.+ -> .+\n(?s:.*)95 % interval",  # Markdown
    rb"[^\n]+ -> (?s:.{1,5000}?)[\d,]+ cases? compared\b(?s:.*)95 % interval",  # text
)


def is_report(data: bytes) -> bool:
    """Whether the content of a file is the report of a comparison, in any of its formats."""
    return any(re.match(beginning, data) for beginning in _BEGINNINGS)


def _escaped(line: str) -> str:
    """A line of JSON in which harmful characters are escaped; outside of its texts there are none."""
    if line.isprintable():
        return line
    return "".join(each if harmless(each) == each else json.dumps(each)[1:-1] for each in line)


def compare_runs(
    first: AnySide,
    second: AnySide,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    *,
    judgments: Judging | None = None,
    variants: Variants | None = None,
    common: bool = False,
    missing: str = "refuse",
    resamples: int = 100_000,
    seed: int = 0,
    **settings: Any,
) -> Comparison:
    """Compare two runs over the same cases: `first` is the older one, differences are second - first.

    Each is a `Run`, a path (of a record, of a baseline, or of a run as `read_run` takes it), or rankings as `evaluate`
    takes them. A record has the scores of its day; the others are scored by `judgments`: a path (of a case file, or of
    anything that `read_judgments` takes), a `Suite`, or what `evaluate` takes. With `judgments` records are scored anew
    too. `metrics` are names; the default is the nDCG@k of the cases, nDCG@10 for rankings. `settings` are those of
    `evaluate` (`gain="linear"` ...); records are scored by them from the grades that they hold.

    What several searches ran is compared variant by variant; `variants=("bm25", "hybrid")` compares one variant of
    `first` with another of `second`, which may be the same run.

    `Incomparable` (a ValueError, with `reasons`) where cases are missing in one, differ in query, judgments or
    settings, or ended in an error. `common=True` compares the others, and the report says what was left out. A query
    that found nothing has no line in a TREC run: `missing="empty"` takes each judged query without a ranking for one.

    The p-value is that of the randomisation test with `resamples`, the interval is the bootstrap's; both are drawn from
    `seed`. Over several metrics p-values are adjusted after Holm, for each variant on its own.
    """
    return compare(
        first,
        second,
        metrics,
        judgments=judgments,
        variants=variants,
        common=common,
        missing=missing,
        resamples=resamples,
        seed=seed,
        kind=Comparison,
        **settings,
    )
