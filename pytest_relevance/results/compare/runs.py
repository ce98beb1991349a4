"""Comparing two runs over the same cases: both sides loaded, judged alike, paired, and their differences tested.

`compare` is the library's; `compare_runs`, which users call, gives what comes of it its summaries (reports). The second
run is the newer one, and differences are second - first.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pytest_relevance._paused_gc import garbage_kept
from pytest_relevance._text import counted, did_you_mean, listed
from pytest_relevance.metrics.names import Metric, parse_metric
from pytest_relevance.metrics.settings import CHOICES, Settings
from pytest_relevance.results.compare.comparison import Compared, variant_indexes
from pytest_relevance.results.compare.differences import Column, tested
from pytest_relevance.results.compare.incompatibilities import Incomparable, shown_key, some
from pytest_relevance.results.compare.pairing import Pairs, Variants, called, pair
from pytest_relevance.results.compare.rejudging import Yardstick, judge_anew, yardstick
from pytest_relevance.results.compare.score_columns import score_columns
from pytest_relevance.results.compare.sources import load_side, with_empty
from pytest_relevance.results.run import Run
from pytest_relevance.results.scoring import ndcg_at
from pytest_relevance.results.values import NO_DIGEST

if TYPE_CHECKING:
    from pytest_relevance.results.compare.rejudging import Judging
    from pytest_relevance.results.compare.sources import AnySide, Side

Found = TypeVar("Found", bound=Compared)

DEFAULT_K = 10
MISSING = ("refuse", "empty")
"""What a judged query is whose ranking is missing: in the way, or an empty ranking."""

NO_LINE = 'a query that found nothing has no line in a run; missing="empty" takes a missing one for that'
"""What is said besides where a query is in one of two plain runs alone."""


class NoJudgments(ValueError):
    """Plain rankings, and no judgments to compare them by; `names` are what these runs are called."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        super().__init__(
            f"rankings are compared under judgments, and {listed(self.names, 'and')} "
            f"{'has' if len(self.names) == 1 else 'have'} none: name a file of judgments or a case file, or give "
            "{query: {document: grade}} (judgments)"
        )

    def __reduce__(self) -> tuple[type[NoJudgments], tuple[tuple[str, ...]]]:
        """Pickle what it was made of, not the text that was made of that."""
        return type(self), (self.names,)


def compare(
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
    kind: type[Found],
    **settings: Any,
) -> Found:
    """Compare two runs, into a `kind` of `Compared`. The arguments are those of `compare_runs`."""
    asked = _parsed(metrics)
    _check(settings, missing, resamples)
    with garbage_kept():
        sides, notes = _load(first, second, asked, judgments, missing, settings)
        pairs = pair(*sides, asked, variants)
        reasons = [obstacle.reason for obstacle in pairs.obstacles]
        if not pairs.both or (reasons and not common):
            raise Incomparable(
                reasons + _hints(pairs, sides) or ["there is no case in them that ran"],
                [obstacle.kind for obstacle in pairs.obstacles],
                len(pairs.both),
            )
        columns = _columns(pairs, asked)
        weights = np.array([two.values.get("weight", 1) for _, two in pairs.both], np.float64)
        of_variants = variant_indexes(pairs.both, is_across=variants is not None)
        notes += [f"left out: {reason}" for reason in reasons] + _notes(pairs) + _of_other_variants(sides, variants)
        rows = tested(columns, weights, of_variants, resamples=resamples, seed=seed)
    names = called(*sides, variants)
    return kind(*names, pairs.both, columns, weights, of_variants, rows, pairs.obstacles, pairs.errors, tuple(notes))


def _of_other_variants(sides: tuple[Run, Run], variants: Variants | None) -> list[str]:
    """What is not compared where two variants are."""
    if variants is None:
        return []
    runs = {id(run): run for run in sides}.values()
    others = sum(result.variant not in variants for run in runs for result in run.results)
    return [f"left out: {counted(others, 'result')} of other variants"] if others else []


def _hints(pairs: Pairs, sides: tuple[Run, Run]) -> list[str]:
    """What else may be meant where a query is in one of two plain runs alone."""
    is_plain = not any(result.file for run in sides for result in run.results)
    if is_plain and any(obstacle.kind in ("only in first", "only in second") for obstacle in pairs.obstacles):
        return [NO_LINE]
    return []


def _parsed(metrics: str | Metric | Sequence[str | Metric] | None) -> list[Metric] | None:
    if metrics is None:
        return None
    names = [metrics] if isinstance(metrics, (str, Metric)) else metrics
    parsed = {metric.text: metric for metric in map(parse_metric, names)}
    if not parsed:
        raise ValueError("a comparison needs a metric, such as nDCG@10; leave metrics out for the nDCG@k of the cases")
    return list(parsed.values())


def _check(settings: Mapping[str, Any], missing: str, resamples: int) -> None:
    """Refuse arguments that nothing can be done with."""
    known = (*CHOICES, "max_grade")
    for name in settings:
        if name not in known:
            raise TypeError(
                f"compare_runs() got an unexpected keyword argument {name!r}{did_you_mean(name, known)}; settings are "
                f"{listed(known, 'and')}"
            )
    Settings(**settings)
    if missing not in MISSING:
        raise ValueError(f"missing is {listed(MISSING)}, not {missing!r}{did_you_mean(str(missing), MISSING)}")
    if resamples < 1:
        raise ValueError(f"resamples is a whole number from 1 on, not {resamples!r}")


def _load(
    first: AnySide,
    second: AnySide,
    metrics: Sequence[Metric] | None,
    judgments: Judging | None,
    missing: str,
    given: Mapping[str, Any],
) -> tuple[tuple[Run, Run], list[str]]:
    """Both sides, judged anew where judgments or settings are given, and what is to be said of that."""
    k = next((metric.k for metric in metrics or () if metric.k is not None), DEFAULT_K)
    one = load_side(first, "first", k)
    two = one if second is first else load_side(second, "second", k)
    _tell_apart((first, second), (one, two))
    is_plain = one.is_plain or two.is_plain
    if missing == "empty" and not is_plain:
        raise ValueError("missing says what plain rankings lack; a record has the cases that ran")
    if judgments is None:
        if is_plain:
            raise NoJudgments(dict.fromkeys(side.run.name for side in (one, two) if side.is_plain))
        runs = tuple(_judged_anew(side, None, given, is_plain) if given else side.run for side in (one, two))
        return (runs[0], runs[1]), []
    by = yardstick(judgments, given)
    notes = []
    if is_plain:
        by.learn_texts(result for side in (one, two) if not side.is_plain for result in side.run.results)
    if missing == "empty":
        one, two = (with_empty(side, by, k) if side.is_plain else side for side in (one, two))
    elif is_plain:
        notes = _without_ranking(by, one, two)
    return (_judged_anew(one, by, given, is_plain), _judged_anew(two, by, given, is_plain)), notes


def _tell_apart(sources: tuple[AnySide, AnySide], sides: tuple[Side, Side]) -> None:
    """Call two files of one name by their paths: main/run.jsonl, branch/run.jsonl."""
    paths = [os.fspath(source) for source in sources if isinstance(source, (str, os.PathLike))]
    if len(set(paths)) == 2 and sides[0].run.name == sides[1].run.name:
        for side, path in zip(sides, paths, strict=True):
            side.run.name = path


def _judged_anew(side: Side, by: Yardstick | None, given: Mapping[str, Any], is_plain: bool) -> Run:
    """A side under these judgments and settings; known by the keys of the judgments where either side is plain."""
    run = side.run
    results = judge_anew(run.results, by, given, is_renamed=is_plain)
    if by is not None and results and not any(result.is_judged for result in results):
        raise Incomparable(
            [
                f"none of the queries of {run.name} is judged: it has {some(result.id for result in run.results)}, "
                f"the judgments have {some(by) or 'none'}"
            ]
        )
    return Run(results, missing=run.missing, name=run.name)


def _without_ranking(by: Yardstick, *sides: Side) -> list[str]:
    """What to say of judged queries that neither side has a ranking of."""
    ranked = {judged.key for side in sides for judged in by.of(side.run.results) if judged is not None}
    lacking = [key for key in by if key not in ranked]
    if not lacking:
        return []
    count = counted(len(lacking), "judged query", "judged queries")
    return [f"left out: {count} without a ranking in either run: {some(lacking)}"]


def _columns(pairs: Pairs, metrics: Sequence[Metric] | None) -> tuple[Column, ...]:
    first, second = (score_columns([both[side] for both in pairs.both], metrics) for side in (0, 1))
    cutoffs = np.array([two.k for _, two in pairs.both], np.intp)
    everywhere = np.ones(cutoffs.size, np.bool_)
    if metrics is None:
        own = {ndcg_at(k).text: cutoffs == k for k in sorted(set(cutoffs.tolist()))}
    else:
        own = dict.fromkeys(second, everywhere)
    return tuple(Column(name, first[name], second[name], applies) for name, applies in own.items())


_NO_PARAMS: Mapping[str, object] = {}


def _notes(pairs: Pairs) -> list[str]:
    """What is worth knowing about the pairs that are compared."""
    values = [(one.values, two.values, two) for one, two in pairs.both]
    of_weight = [two for was, now, two in values if was.get("weight", 1) != now.get("weight", 1)]
    of_params = [two for was, now, two in values if was.get("params", _NO_PARAMS) != now.get("params", _NO_PARAMS)]
    unjudged = [two for _, now, two in values if now.get("digest") == NO_DIGEST]
    notes = []
    if pairs.skipped:
        notes.append(
            f"{counted(len(pairs.skipped), 'case')} skipped in both runs: {some(map(shown_key, pairs.skipped))}"
        )
    for found, what in (
        (of_params, "searched with other parameters"),
        (of_weight, "weighted otherwise; the weights are those of the second run"),
        (unjudged, "without any judgments"),
    ):
        if found:
            notes.append(f"{counted(len(found), 'case')} {what}: {some(shown_key(two.key) for two in found)}")
    return notes
