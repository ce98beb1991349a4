"""Score paired results by the metrics of a comparison.

A recorded score is used as it is. Other scores are computed from the recorded rankings
and grades.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pytest_relevance._text import quoted
from pytest_relevance.metrics.measures import (
    MEASURES,
    ranks_needed,
    score,
    suits_known_items,
)
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Pair
from pytest_relevance.results.compare.incompatibilities import Metrics
from pytest_relevance.results.outcomes import with_similarities


def scored_pairs(
    pairs: Sequence[Pair], metrics: Metrics, *, is_across: bool
) -> tuple[Pair, ...]:
    """Return the pairs with scores by `metrics`, or by the metric of each case.

    For a metric that compares two rankings, the second result gets its similarity to
    the first, and the first result gets 1. The second result also gets the titles of
    both results, and loses the baseline of its run.

    `metrics`: None for the metric of each case.
    `is_across`: whether two variants are compared. Then the second result loses its
        variant.

    Raises ValueError for a metric that needs more ranks than are known, and for a grade
    without a gain.
    """
    _require_recorded(pairs, metrics)
    first_scores = _scores([pair.first for pair in pairs], metrics)
    second_scores = _scores([pair.second for pair in pairs], metrics)
    scored = []
    for pair, first, second in zip(pairs, first_scores, second_scores, strict=True):
        pair = Pair(
            first=_with_scores(pair.first, first),
            second=_with_scores(pair.second, second),
            found=pair.found,
        )
        pair = _with_similarities(pair, metrics or ())
        second_result = _named_for_both(pair, is_across=is_across)
        scored.append(Pair(pair.first, second_result, pair.found))
    return tuple(scored)


def _with_scores(result: CaseResult, scores: Mapping[str, float | None]) -> CaseResult:
    if scores is result.evaluation.scores:
        return result
    return replace(result, evaluation=replace(result.evaluation, scores=scores))


def _with_similarities(pair: Pair, metrics: Sequence[Metric]) -> Pair:
    """Return a pair with scores by the metrics that compare two rankings."""
    similarities = [metric for metric in metrics if metric.is_similarity]
    if not similarities:
        return pair
    with_itself = dict(pair.first.evaluation.scores)
    for metric in similarities:
        _require_ranks_of_result(pair.first, metric)
        _require_ranks_of_result(pair.second, metric)
        with_itself[metric.text] = 1.0
    documents = pair.first.ranking.documents
    return replace(
        pair,
        first=_with_scores(pair.first, with_itself),
        second=with_similarities(pair.second, similarities, documents),
    )


def _named_for_both(pair: Pair, *, is_across: bool) -> CaseResult:
    """Return the second result, with titles and fields of the documents of both."""
    first, second = pair.first, pair.second
    texts = second.texts
    if first.texts.titles is not texts.titles:
        texts = replace(
            texts,
            titles={**first.texts.titles, **texts.titles},
            shown={**first.texts.shown, **texts.shown},
        )
    variant = None if is_across else second.variant
    return replace(second, variant=variant, texts=texts, baseline=None)


# --- the scores of one run ------------------------------------------------------------


def _scores(
    results: Sequence[CaseResult], metrics: Metrics
) -> list[Mapping[str, float | None]]:
    """Return the scores of each result by `metrics`; None for an undefined score.

    Metrics that compare two rankings are left out. A recorded score of such a metric
    compares with another ranking than the one of the pair.
    """
    highest = _HighestGrades(results)
    all_scores = []
    for result in results:
        chosen = metrics or (result.metric,)
        alone = [metric for metric in chosen if not metric.is_similarity]
        recorded = result.evaluation.scores
        if recorded.keys() == {metric.text for metric in alone}:
            all_scores.append(recorded)
        else:
            all_scores.append(_scores_of(result, alone, highest))
    return all_scores


def _scores_of(
    result: CaseResult, metrics: Sequence[Metric], highest: _HighestGrades
) -> dict[str, float | None]:
    """Return the scores of a result: {metric: score}.

    A recorded score is kept. Any other score is computed. It is None if the result has
    no judgments, or if the metric is a project's own. For a known item, metrics that do
    not suit known items are left out.

    `highest`: the highest grades of the run of the result.
    """
    recorded = result.evaluation.scores
    can_compute = bool(result.evaluation.judgments)
    graded = result.graded
    scores = {}
    for metric in metrics:
        if result.is_known_item and not suits_known_items(metric):
            continue
        if metric.text in recorded or not can_compute or not metric.is_computable:
            scores[metric.text] = recorded.get(metric.text)
            continue
        _require_ranks_of_result(result, metric)
        settings = highest.settings_for(result, metric)
        scores[metric.text] = _computed(result, metric, graded, settings)
    return scores


def _computed(
    result: CaseResult, metric: Metric, graded: GradedRanking, settings: Settings
) -> float | None:
    """Return a score by a metric; None if it is not defined.

    Raises ValueError, with the name of the case, if the metric refuses its grades.
    """
    try:
        value = score(metric, graded, settings)
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"the case {quoted(result.id)} has no {metric.text}: {error}"
        ) from None
    return None if value != value else value


class _HighestGrades:
    """The highest grades in a run, for settings that need `max_grade`."""

    def __init__(self, results: Sequence[CaseResult]) -> None:
        self._results = results
        self._by_settings: dict[Settings, float | None] = {}

    def settings_for(self, result: CaseResult, metric: Metric) -> Settings:
        """Return the settings of a result, with a maximum grade if one is needed."""
        settings = result.conditions.settings
        depends_on = MEASURES[metric.measure].depends_on
        needs_one = "max_grade" in depends_on or settings.ideal == "max"
        if not needs_one or settings.max_grade is not None:
            return settings
        if settings not in self._by_settings:
            self._by_settings[settings] = _highest_grade(self._results, settings)
        return replace(settings, max_grade=self._by_settings[settings])


def _highest_grade(results: Iterable[CaseResult], settings: Settings) -> float | None:
    """Return the highest grade in the judgments of results with these settings.

    None if no grade is above 0.
    """
    highest = 0.0
    for result in results:
        if result.conditions.settings == settings:
            highest = max(highest, max(result.evaluation.judgments, default=0))
    return highest or None


# --- what keeps a metric from being computed ------------------------------------------


def _require_recorded(pairs: Sequence[Pair], metrics: Metrics) -> None:
    """Raise ValueError if a metric cannot be computed, and is not in both records.

    For example, the function of a project's own metric is not known here. If
    neither result of a case has a value, the case does not use the metric.
    """
    for metric in metrics or ():
        if metric.is_computable or _is_recorded(pairs, metric.text):
            continue
        try:
            parse_metric(metric.text)
        except ValueError as error:
            both = (
                "a project's own is compared by the values in both records: name it in a "
                "gate or in expect"
            )
            raise ValueError(f"{error}; {both}") from None


def _is_recorded(pairs: Sequence[Pair], metric: str) -> bool:
    """Say whether a metric can be taken from the records of both runs.

    At least one pair must have the score in both results, and no pair in only one.
    """
    is_in_both = False
    for pair in pairs:
        in_first = metric in pair.first.evaluation.scores
        in_second = metric in pair.second.evaluation.scores
        if in_first != in_second:
            return False
        if in_first:
            is_in_both = True
    return is_in_both


def _require_ranks_of_result(result: CaseResult, metric: Metric) -> None:
    """Raise ValueError if a metric needs more ranks of a result than are known.

    The rest of a ranking is not known if only a part of it was kept, or if the search
    returned as many results as requested and may have more.
    """
    needed = ranks_needed(metric, result.conditions.settings)
    if needed is not None and needed <= len(result.ranking.documents):
        return
    why = _why_unknown(result, needed)
    if why:
        ranks = "all of it" if needed is None else f"{needed} ranks"
        raise ValueError(f"{metric.text} takes {ranks}, and {why}")


def _why_unknown(result: CaseResult, needed: int | None) -> str:
    """Return why not all needed ranks of a result are known, and what helps.

    "" if they are known.

    `needed`: the number of ranks; None for all ranks.
    """
    ranking = result.ranking
    depth = result.conditions.depth
    case = quoted(result.id)
    record_it = "name the metric in an expectation of the case, so that it is recorded"
    if len(set(ranking.documents)) < ranking.returned:
        kept = len(ranking.documents)
        return f"of the ranking of {case} the first {kept} were kept: {record_it}"
    if needed is None:
        if not result.is_cut:
            return ""
        return (
            f"the search of {case} was asked for {depth}: set a depth in the case file "
            "(depth: 1000) and record the run again, or name a cutoff"
        )
    # a search without `k` that returned just as many may end there by a limit
    may_go_on = ranking.reaches_depth or 0 < ranking.returned == depth
    if may_go_on:
        return f"the search of {case} was asked for {depth}: {record_it}"
    return ""
