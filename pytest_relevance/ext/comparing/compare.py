"""Compare two runs with `compare_runs`, which reads, judges, pairs and scores them.

The command `compare` calls it, and so do notebooks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import did_you_mean, listed
from pytest_relevance.ext.comparing.demands import changes_of_demands, samples_of
from pytest_relevance.ext.comparing.notes import notes_on_runs
from pytest_relevance.ext.comparing.pair_scores import scored_pairs
from pytest_relevance.ext.comparing.pairing import pair
from pytest_relevance.ext.comparing.read_runs import (
    DEFAULT_K,
    MISSING,
    read_runs,
    require_scores,
)
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import metric_named, refuse_lower_better
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Pair
from pytest_relevance.results.compare.comparison import Comparison, what_changed
from pytest_relevance.results.compare.incompatibilities import are_similarities
from pytest_relevance.results.compare.references import with_references
from pytest_relevance.results.records.fingerprint import changed
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import Replayed

if TYPE_CHECKING:
    from pytest_relevance.ext.comparing.judged_queries import JudgmentSource
    from pytest_relevance.ext.comparing.matching import Variants
    from pytest_relevance.ext.comparing.read_runs import RunSource


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
    """Return the comparison of two runs over the same cases.

    Differences are second - first. Cases that only the second run has are listed and
    left out. Several variants of a search are compared one by one.

    Args:
        first: the older run: a `Run`, the path of a record or of a TREC run (or of
            another file that `read_run` reads), {query: [document, ...]},
            {query: {document: score}}, or a DataFrame of results.
        second: the newer run, in one of these forms.
        metrics: names of metrics. The default is the nDCG@k of the cases, and nDCG@10
            for rankings.
        judgments: the path of a case file or a judgment file, a `Suite`, `Judgments`,
            {query: {document: grade}}, or a DataFrame of judgments. Both runs are
            scored by them. Without them records have their own scores, and other runs
            are not scored.
        variants: compare one variant of `first` with another of `second`, which may be
            the same run: `("bm25", "hybrid")`.
        common: whether to compare the cases that both runs have, even if others are
            missing. The report says what was left out.
        missing: what it means if one of two plain runs lacks a query: "refuse" for an
            error, or "empty" for an empty ranking. (A query that found nothing has no
            line in a TREC run.)
        resamples: how many samples the p-value and the interval are drawn from. The
            p-value is that of the randomisation test (Smucker, Allan & Carterette
            2007), the interval is the bootstrap's. Over several metrics p-values are
            adjusted after Holm (1979), for each variant on its own.
        seed: the seed of the random samples.
        settings: those of `evaluate` (`gain="linear"` ...). Records are scored by them
            from their recorded grades.

    Raises:
        Incomparable: cases are missing in the second run, differ in query, judgments or
            settings, or ended in an error. It is a ValueError, and has `reasons`.
        RecordError, FileError, CaseFileError: a file cannot be used. They are
            ValueErrors.
        ValueError, TypeError: an argument is not allowed.
    """
    _check_arguments(missing, resamples, settings)
    chosen = _chosen_metrics(metrics)
    k = _cutoff(chosen)
    older, newer = read_runs(first, second, k)
    if judgments is None and not are_similarities(chosen):
        require_scores(older, newer)
    notes: list[str] = []
    is_rejudged = judgments is not None or bool(settings)
    if is_rejudged:
        # two records need no reader of judgments
        from pytest_relevance.ext.comparing.rejudging import rejudge

        rejudged = rejudge(older, newer, judgments, settings, missing=missing, k=k)
        older, newer = rejudged.first, rejudged.second
        notes += rejudged.notes
    results = [*older.results, *newer.results]
    if chosen is None and not _has_judgments(results):
        chosen = [_smallest_overlap(results, k)]
        notes.append(f"no case has judgments: compared by {chosen[0].text}")
    paired = pair(older, newer, chosen, variants, common=common)
    notes += [f"left out: {each.reason}" for each in paired.incompatibilities]
    notes += paired.notes
    notes += notes_on_runs((older, newer), variants)
    pairs: Sequence[Pair] = paired.pairs
    if not is_rejudged:
        pairs = with_references(pairs, newer.files)
    pairs = _with_weights_of_sample(pairs, older, newer)
    scored = scored_pairs(pairs, chosen, is_across=variants is not None)
    first_name, second_name = paired.names
    return Comparison(
        first=first_name,
        second=second_name,
        pairs=scored,
        names=_metric_names(chosen, paired.pairs),
        metric=chosen[0].text if chosen else None,
        changed=tuple(what_changed(each) for each in paired.pairs),
        resamples=resamples,
        seed=seed,
        left_out=tuple(paired.incompatibilities),
        errors=tuple(paired.errors),
        notes=tuple(notes),
        fingerprint=changed(older.info.fingerprint, newer.info.fingerprint),
        files=newer.files,
        test_changes=tuple(changes_of_demands(older, newer, paired.pairs)),
        replayed=_replayed([older] if older is newer else [older, newer]),
    )


def _replayed(runs: Iterable[Run]) -> tuple[tuple[str, Replayed], ...]:
    """Return the name of each run that is a replay, with the record that it judged."""
    replays = []
    for run in runs:
        if run.info.replayed is not None:
            replays.append((run.name, run.info.replayed))
    return tuple(replays)


def _check_arguments(missing: str, resamples: int, settings: dict[str, Any]) -> None:
    """Raise ValueError or TypeError for an argument that is not allowed."""
    Settings(**settings)
    if missing not in MISSING:
        meant = did_you_mean(str(missing), MISSING)
        raise ValueError(f"missing is {listed(MISSING)}, not {missing!r}{meant}")
    if resamples < 1:
        raise ValueError(f"resamples is a whole number from 1 on, not {resamples!r}")


def _metric_names(
    chosen: Sequence[Metric] | None, pairs: Sequence[Pair]
) -> tuple[str, ...]:
    """Return the names of the chosen metrics, or nDCG at each cutoff of the cases."""
    if chosen:
        return tuple([metric.text for metric in chosen])
    of_cases = {each.second.metric for each in pairs}
    by_cutoff = sorted(of_cases, key=lambda metric: metric.k or 0)
    return tuple([metric.text for metric in by_cutoff])


def _chosen_metrics(
    metrics: str | Metric | Sequence[str | Metric] | None,
) -> list[Metric] | None:
    """Return the metrics that the caller names, each once; None if none are named.

    Raises ValueError for an unknown name, for an empty list, and if a lower score is
    better by the first metric.
    """
    if metrics is None:
        return None
    if isinstance(metrics, (str, Metric)):
        metrics = [metrics]
    chosen = {}
    for name in metrics:
        metric = metric_named(name)
        chosen[metric.text] = metric
    if not chosen:
        raise ValueError(
            "a comparison needs a metric, such as nDCG@10; leave metrics out for the "
            "nDCG@k of the cases"
        )
    first, *others = chosen.values()
    refuse_lower_better(
        first,
        "name another metric first, because the first metric decides whether a query "
        "got worse",
    )
    return [first, *others]


def _cutoff(metrics: Sequence[Metric] | None) -> int:
    """Return the cutoff of plain rankings: the first that a metric names, or 10."""
    for metric in metrics or ():
        if metric.k is not None:
            return metric.k
    return DEFAULT_K


def _has_judgments(results: Iterable[CaseResult]) -> bool:
    return any(result.evaluation.is_judged for result in results)


def _smallest_overlap(results: Iterable[CaseResult], k: int) -> Metric:
    """Return overlap at the smallest cutoff of the results, or at `k` without any."""
    cutoffs = [result.conditions.k for result in results]
    return metric_named(f"overlap@{min(cutoffs, default=k)}")


def _with_weights_of_sample(
    pairs: Sequence[Pair], older: Run, newer: Run
) -> Sequence[Pair]:
    """Return pairs whose newer results have the weights to compare by.

    These are their own weights. But if only the older run has a sample of the queries,
    the weights of its sample count.
    """
    if not _drew_some(older) or _drew_some(newer):
        return pairs
    weighed = []
    for each in pairs:
        if each.first.is_sampled:
            second = replace(each.second, weight=each.first.weight)
            each = replace(each, second=second)
        weighed.append(each)
    return weighed


def _drew_some(run: Run) -> bool:
    """Say whether queries were drawn, so that some of a file may be missing."""
    for info in run.files.values():
        if any(not sample.is_whole for sample in samples_of(info)):
            return True
    return False
