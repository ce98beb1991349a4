"""Why a case has no score, or an expectation no outcome: ranks that the search did not return decide it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_relevance._text import counted
from pytest_relevance.cases.model import Case, Expectation, most_results
from pytest_relevance.metrics.measures import ranks_needed
from pytest_relevance.metrics.names import MEASURES, Metric, build_metric
from pytest_relevance.metrics.ndcg import GradedRanking, has_gain
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import ndcg_at

_USUAL_DEPTH = 1000
_BECAUSE = {"unjudged": " (unjudged: skip)", "ideal": " (ideal: returned)"}


def why_cut(case: Case, returned: int, asked: int | None) -> str:
    """Why a case has no score: a line for each of its metrics that looks at more than was returned; usually empty.

    `returned` is the number of results, `asked` how many the search was asked for, None where it takes no number.
    """
    if asked is None or returned < asked or case.terms.depth is not None:
        return ""
    metrics = {metric.text: metric for metric in _whole_ranking_metrics(case)}
    there = f"this search was asked for {asked}"
    return "\n".join(cut_text(metric, there, asked, case.settings) for metric in metrics.values())


def _whole_ranking_metrics(case: Case) -> Iterator[Metric]:
    settings, ndcg = case.settings, ndcg_at(case.k)
    if ranks_needed(ndcg, settings) is None and has_gain(GradedRanking([], (), [*case.judgments.values()]), settings):
        yield ndcg
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


def asked_text(numbers: Iterable[int]) -> str:
    """How many results searches were asked for: `10`, or `10 to 20`. Raises ValueError for no numbers."""
    low, high = min(numbers := [*numbers]), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"


def why_unseen(case: Case, ids: Sequence[str]) -> str:
    """Why expectations of a case are not decided: a line for each that looks deeper than the results; usually empty.

    Ask it of a search that takes no number of results: what lies below those that it returned is not known. An
    expectation is decided where all its documents were returned.
    """
    finds_nothing = most_results(case.expect) == 0
    looking = [] if finds_nothing else [(each, _depth_unseen(each, case.k, ids)) for each in case.expect]
    return "\n".join(
        f"{expected.written} looks at the top {depth}, and {counted(len(ids), 'rank')} can be seen, as this search "
        f"takes no k: give it a parameter k, or look no deeper than that"
        for expected, depth in looking
        if depth > len(ids)
    )


def _depth_unseen(expected: Expectation, k: int, ids: Sequence[str]) -> int:
    """How deep an expectation looks that documents below the results could decide; 0 for others.

    A document of `include` that is not in the top k is missing there, whatever comes below.
    """
    if expected.metric is not None:
        return 0 if expected.comparison in (">=", ">") else expected.metric.k or 0
    if all(document in ids for document in expected.documents):
        return 0
    return expected.within or (k if expected.kind == "exclude" else 0)
