"""Find metrics without a value, because the ranking may go on below what was returned.

A search that is given a number of results (its parameter `k`) and returned as many may
have had more: its ranking is cut. A metric of the whole ranking has no value then,
unless the suite sets how deep the search is asked (`depth`). With `collapse`, chunks
are what was returned, and no metric may look deeper than the documents that they stand
for.
"""

from __future__ import annotations

from pytest_relevance._text import counted
from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.measures import ranks_needed
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import build_metric, takes_cutoff
from pytest_relevance.metrics.ndcg import GradedRanking, has_gain
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import ndcg_at
from pytest_relevance.results.responses.ranking import Ranking

_USUAL_DEPTH = 1000


def reaches_depth(ranking: Ranking, asked: int | None) -> bool:
    """Say whether a search returned as many results as it was asked for.

    `asked`: that number; None if the search takes none.
    """
    return asked is not None and len(ranking.as_returned or ranking.ids) >= asked


def why_cut(case: Case, ranking: Ranking, asked: int | None) -> str:
    """Return why metrics of a case have no value, in a line for each metric.

    Such a metric looks below what was returned. Empty if all metrics have a value.

    `asked`: how many results the search was asked for; None if it takes no number.
    """
    if asked is None or not reaches_depth(ranking, asked):
        return ""
    if case.settings.collapse and len(ranking.ids) < case.cutoff:
        documents = counted(len(ranking.ids), "document")
        return (
            f"the case looks at {case.cutoff} ranks, and the {ranking.returned} results "
            f"that were asked for are chunks of {documents} (collapse): write "
            f"depth: {10 * asked}, or a smaller cutoff"
        )
    if case.terms.depth is not None or not case.scores_all:
        return ""
    there = f"this search was asked for {asked}"
    lines = []
    for metric in _metrics_of_the_whole(case):
        lines.append(cut_text(metric, there, asked, case.settings))
    return "\n".join(dict.fromkeys(lines))


def _metrics_of_the_whole(case: Case) -> list[Metric]:
    """Return nDCG@k and the expected metrics that look at the whole ranking."""
    metrics = []
    ndcg = ndcg_at(case.k)
    judged = GradedRanking([], (), [*case.judgments.values()])
    if ranks_needed(ndcg, case.settings) is None and has_gain(judged, case.settings):
        metrics.append(ndcg)
    for expected in case.expect:
        if expected.metric is not None and expected.ranks(case.settings) is None:
            metrics.append(expected.metric)
    return metrics


def cut_text(
    metric: Metric, there: str, asked: int, settings: Settings | None = None
) -> str:
    """Return why a metric has no value, and what to write instead.

    For example `AP looks at the whole ranking, and this search was asked for 10: write
    AP@10, or depth: 1000`.

    `there`: says which part of the ranking is known.
    `settings`: the settings of the case. The text names the setting because of which a
    metric with a cutoff needs the whole ranking.
    """
    because, ways = "", []
    if metric.k is not None:
        if settings is None or settings.unjudged == "skip":
            because, way = "unjudged: skip", "unjudged: zero"
        else:
            because, way = "ideal: returned", "ideal: judged"
        because = f" ({because})"
        ways.append(way)
    elif takes_cutoff(metric):
        ways.append(build_metric(metric.measure, asked, metric.rel, metric.p).text)
    ways.append(f"depth: {max(_USUAL_DEPTH, 10 * asked)}")
    return f"{metric.text} looks at the whole ranking{because}, and {there}: write {', or '.join(ways)}"
