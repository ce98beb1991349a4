"""Rankings that a search cut: the metrics that look at the whole of them, and the messages about them.

A search that is given a number of results (its parameter `k`) and returned as many may have had more. A metric without
a cutoff has no value then, unless the suite sets how deep the search is to be asked (`depth`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.graded import GradedRanking, has_gain
from pytest_relevance.metrics.names import MEASURES, Metric, build_metric
from pytest_relevance.metrics.scalar import ranks_needed
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import ndcg_at

_USUAL_DEPTH = 1000


def why_cut(case: Case, returned: int, asked: int | None) -> str:
    """Why a case has no score: a line for each of its metrics that looks at more than was returned; usually empty.

    `returned` is the number of results, `asked` how many the search was asked for, None where it takes no number.
    """
    if asked is None or returned < asked or case.terms.depth is not None:
        return ""
    there = f"this search was asked for {asked}"
    metrics = {metric.text: metric for metric in _of_whole_rankings(case)}
    return "\n".join(cut_text(metric, there, asked, case.settings) for metric in metrics.values())


def _of_whole_rankings(case: Case) -> Iterator[Metric]:
    settings = case.settings
    score = ndcg_at(case.k)
    if ranks_needed(score, settings) is None and has_gain(GradedRanking([], (), [*case.judgments.values()]), settings):
        yield score
    for expected in case.expect:
        if expected.metric is not None and expected.ranks(settings) is None:
            yield expected.metric


def cut_text(metric: Metric, there: str, asked: int, settings: Settings | None = None) -> str:
    """`AP looks at the whole ranking, and this search was asked for 10: write AP@10, or depth: 1000`.

    `there` describes the part of the ranking that is there. A metric with a cutoff looks at all of it because of its
    `settings`.
    """
    because, ways = "", []
    if metric.k is not None:
        name, other = ("unjudged", "zero") if settings is None or settings.unjudged == "skip" else ("ideal", "judged")
        because, ways = _BECAUSE[name], [f"{name}: {other}"]
    elif MEASURES[metric.measure].cutoff != "none":
        ways = [build_metric(metric.measure, asked, metric.rel, metric.p).text]
    ways.append(f"depth: {max(_USUAL_DEPTH, 10 * asked)}")
    return f"{metric.text} looks at the whole ranking{because}, and {there}: write {', or '.join(ways)}"


_BECAUSE = {"unjudged": " (unjudged: skip)", "ideal": " (ideal: returned)"}


def asked_text(numbers: Iterable[int]) -> str:
    """How many results searches were asked for: `10`, or `10 to 20`. Raises ValueError for no numbers."""
    low, high = min(numbers := [*numbers]), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"
