"""Means of nDCG@k in words: of all cases, of each variant, and what is left open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_relevance._number_text import score_text
from pytest_relevance._text import counted
from pytest_relevance.reports.run.variant_labels import (
    Variant,
    short_labels,
    variant_of,
)
from pytest_relevance.results.case_result import (
    CaseResult,
    grouped,
    scored_alike,
    weighted_mean,
)

_MOST_MEANS = 3


def metric_of(results: Iterable[CaseResult]) -> str:
    """Return, for example, `nDCG@10`, or `nDCG@k` if the cases have several cutoffs.

    If all cases are known items, it is `RR@10`.
    """
    metrics = {result.metric for result in scored_alike(results)}
    if not metrics:
        return "nDCG@k"
    metric = metrics.pop()
    return f"{metric.measure}@k" if metrics else metric.text


def mean_score(results: Iterable[CaseResult]) -> float | None:
    """Return the weighted mean of the defined nDCG@k; None if none is defined."""
    scored = []
    for result in scored_alike(results):
        score = result.score
        if score is not None:
            scored.append((score, result.weight))
    return weighted_mean(scored) if scored else None


def has_mean(results: Iterable[CaseResult]) -> bool:
    """Say whether any case has judgments or a score, so that there can be a mean."""
    for result in results:
        if result.evaluation.judgments or result.score is not None:
            return True
    return False


def mean_text(results: Sequence[CaseResult]) -> str:
    """Return, for example, `mean nDCG@10 0.712`, by the weights of the cases."""
    mean = score_text(mean_score(results))
    return f"{weighted(results)}mean {metric_of(results)} {mean}"


def weighted(results: Sequence[CaseResult]) -> str:
    """Return `weighted ` if the weights of the scored cases differ, else ""."""
    alike = scored_alike(results)
    weights = {result.weight for result in alike if result.score is not None}
    return "weighted " if len(weights) > 1 else ""


def known_text(results: Iterable[CaseResult]) -> str:
    """Return how many cases are xfailed because they failed before, and their mean.

    "" if there are none. Such cases exist only with `--relevance-known=xfail`.

    Example: `9 failed before, their mean nDCG@10 0.312`.
    """
    known = [result for result in results if result.is_known]
    return f"{len(known):,} failed before, their {mean_text(known)}" if known else ""


def left_open(results: Iterable[CaseResult]) -> str:
    """Return between which values the mean lies, whatever grades unjudged results get.

    Example: `unjudged results of 79 queries leave the mean between 0.607 and 0.884`.
    "" if both values look the same, or if there is no mean.
    """
    lower, upper = [], []
    uncertain = set()
    for result in scored_alike(results):
        score = result.score
        if score is None:
            continue
        evaluation = result.evaluation
        low = score if evaluation.lower is None else evaluation.lower
        high = score if evaluation.upper is None else evaluation.upper
        lower.append((low, result.weight))
        upper.append((high, result.weight))
        if evaluation.judged < evaluation.top:
            uncertain.add((result.file, result.id))
    if not lower:
        return ""
    least = score_text(weighted_mean(lower))
    most = score_text(weighted_mean(upper))
    if least == most:
        return ""
    queries = counted(len(uncertain), "query", "queries")
    return f"unjudged results of {queries} leave the mean between {least} and {most}"


def metric_explained(results: Iterable[CaseResult]) -> str:
    """Return in one sentence what nDCG@k means, or RR@k if all cases are known items.

    "" if no case has a score.
    """
    scored = [result for result in results if result.score is not None]
    if not scored:
        return ""
    metric = metric_of(scored)
    cutoff = metric.partition("@")[2]
    if all(result.is_known_item for result in scored):
        return (
            f"{metric} is 1 / the rank of the document whose title was searched for: 1 if "
            f"it is first, 0.5 if it is second, 0 if it is not in the first {cutoff}."
        )
    return (
        f"{metric} compares the grades of the first {cutoff} results with those of the "
        "best ranking there could be: 1 is perfect, 0 is nothing relevant, and the top "
        "ranks count most."
    )


# --- by variant -----------------------------------------------------------------------


def means_by_variant(results: Iterable[CaseResult]) -> dict[Variant, float]:
    """Return {variant: weighted mean}, without variants that have no score."""
    means = {}
    for variant, of_variant in grouped(scored_alike(results), variant_of).items():
        mean = mean_score(of_variant)
        if mean is not None:
            means[variant] = mean
    return means


def means_text(means: Mapping[Variant, float], variants: Sequence[Variant]) -> str:
    """Return means as text: `0.701`, or of several variants `bm25 0.533, hybrid 0.717`.

    Of more than three variants, only the lowest and the highest mean are written, or
    one mean if both look equal.
    """
    if not means:
        return "n/a"
    if len(variants) < 2:
        return score_text(*means.values())
    if len(means) <= _MOST_MEANS:
        chosen = [variant for variant in variants if variant in means]
        return ", ".join(_labelled_means(chosen, means, variants))
    lowest = min(means, key=means.__getitem__)
    highest = max(means, key=means.__getitem__)
    if score_text(means[lowest]) == score_text(means[highest]):
        return f"{score_text(means[lowest])} in each of {len(means):,} variants"
    return " to ".join(_labelled_means([lowest, highest], means, variants))


def _labelled_means(
    chosen: Sequence[Variant],
    means: Mapping[Variant, float],
    variants: Sequence[Variant],
) -> list[str]:
    labels = short_labels(variants)
    return [f"{labels[variant]} {score_text(means[variant])}" for variant in chosen]
