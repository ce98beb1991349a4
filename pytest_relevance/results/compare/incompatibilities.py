"""Find out why the results of two runs cannot be compared.

`compare_runs` calls it for each pair of results, and `history` for each run and the one
before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._text import case_in_prose, counted, first_few, listed, quoted
from pytest_relevance.metrics.measures import MEASURES, ranks_needed
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import (
    ERROR,
    NOT_SEARCHED,
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
    Key,
)

Metrics = Sequence[Metric] | None
"""The metrics that runs are compared by; None is the nDCG@k of each case."""

_MOST_EXAMPLES = 3


class Incomparable(ValueError):
    """Raised for two runs that cannot be compared.

    `reasons`: every reason, with counts and examples.
    `kinds`: the kinds of these reasons, as in `Incompatibility`.
    `in_common`: how many cases can be compared.
    """

    def __init__(
        self, reasons: Iterable[str], kinds: Iterable[str] = (), in_common: int = 0
    ) -> None:
        self.reasons = tuple(reasons)
        self.kinds = frozenset(kinds)
        self.in_common = in_common
        lines = ["the two runs cannot be compared:"]
        lines += [f"- {reason}" for reason in self.reasons]
        super().__init__("\n".join(lines))


@dataclass(frozen=True, slots=True)
class Incompatibility:
    """Some cases that cannot be compared, and the reason.

    `kind`: a key of `KINDS`, or `UNFINISHED`.
    `reason`: a sentence.
    """

    kind: str
    cases: tuple[Key, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class ErroredCase:
    """A case that is an error in one run or in both.

    Its search raised an exception, was given up, or returned no ranking.
    """

    key: Key
    query: str
    in_first: bool
    in_second: bool

    @property
    def is_new(self) -> bool:
        """Say whether the case is an error only in the second run."""
        return self.in_second and not self.in_first


UNFINISHED = "unfinished"
"""The kind if a run is not complete."""

MISSING_CASE = "only in first"
"""The kind of cases that the second run lacks."""

NEW_CASE = "only in second"
"""The kind of cases that were added since the first run.

They are listed and left out, but do not keep runs from being compared.
"""

NOT_DRAWN_IN_FIRST, NOT_DRAWN_IN_SECOND = "not drawn in first", "not drawn in second"
"""The kinds of cases that only one run has, because queries of their file are drawn.

Two samples of one file may differ. Such cases are listed and left out, but do not keep
runs from being compared. A record does not say whether a query is still in its file.
"""

KINDS: Mapping[str, str] = {
    NOT_DRAWN_IN_SECOND: "{second} did not draw {cases}",
    NOT_DRAWN_IN_FIRST: "{first} did not draw {cases}",
    MISSING_CASE: "{second} has no result of {cases}",
    NEW_CASE: "{first} has no result of {cases}",
    "query": "the query changed in {cases}; {detail}",
    f"{ERROR} in first": "{first} has an error in {cases}",
    f"{ERROR} in second": "{second} has an error in {cases}",
    f"{NOT_SEARCHED} in first": "{first} did not search {cases}",
    f"{NOT_SEARCHED} in second": "{second} did not search {cases}",
    f"{SKIPPED} in first": "{first} skipped {cases}",
    f"{SKIPPED} in second": "{second} skipped {cases}",
    "judgments": "the judgments changed in {cases}; have both runs scored by the same "
    "judgments",
    "settings": "the settings changed ({detail}) in {cases}",
}
"""Each kind of incompatibility with its message.

`{cases}` has the first few cases, and `{detail}` what differs in them.
"""


def are_similarities(metrics: Metrics) -> bool:
    """Say whether runs are compared only by metrics that compare two rankings."""
    return metrics is not None and all(metric.is_similarity for metric in metrics)


def incompatibilities(
    one: CaseResult | None,
    two: CaseResult | None,
    names: Sequence[str],
    metrics: Metrics,
) -> list[tuple[str, str]]:
    """Return why two results of a case cannot be compared; [] if they can.

    Each reason is (a key of `KINDS`, what differs in words).

    `one`, `two`: the results in the first and the second run; None if it has none.
    `names`: the names of the two runs.
    `metrics`: the metrics to compare by.
    """
    if two is None:
        return [(MISSING_CASE, "")]
    if one is None:
        kind = NEW_CASE
        if two.verdict in WITHOUT_SCORE:
            kind = f"{two.verdict} in second"
        return [(kind, "")]
    reasons = []
    if one.query != two.query:
        asks = f"{quoted(two.id)} asks {quoted(one.query)} in {names[0]}"
        reasons.append(("query", f"{asks}, {quoted(two.query)} in {names[1]}"))
    is_scored = True
    for result, run in ((one, "first"), (two, "second")):
        if result.verdict in (*WITHOUT_SCORE, SKIPPED):
            reasons.append((f"{result.verdict} in {run}", ""))
            is_scored = False
    # a result that was not scored has no digest
    if is_scored and one.query == two.query:
        is_judged_otherwise = one.evaluation.digest != two.evaluation.digest
        if is_judged_otherwise and not are_similarities(metrics):
            reasons.append(("judgments", ""))
        different = _different_conditions(one, two, metrics)
        if different:
            reasons.append(("settings", different))
    return reasons


_OF_SOME_MEASURES = ("gain", "discount", "ideal", "max_grade")
"""The settings that change some measures only: those whose `depends_on` has them."""

_OF_ALL_MEASURES = ("unjudged", "negative", "undefined", "collapse")
"""The settings that change the scores of every measure."""


def _different_conditions(one: CaseResult, two: CaseResult, metrics: Metrics) -> str:
    """Return what differs in how two rankings are scored: `k: 5 / 10`; else "".

    Only k, depth, and settings that one of the metrics depends on are compared.
    """
    first, second = one.conditions.settings, two.conditions.settings
    asked = metrics or (one.metric,)
    differences = []
    if _looks_at_all(asked, first) or _looks_at_all(asked, second):
        depths = _different_depths(one, two)
        if depths:
            differences.append(f"depth: {depths}")
    # a metric that is named has a k of its own
    if metrics is None and one.conditions.k != two.conditions.k:
        differences.append(f"k: {one.conditions.k} / {two.conditions.k}")
    if first != second:
        relevant = _relevant_settings(asked, first, second)
        for name in (*_OF_SOME_MEASURES, *_OF_ALL_MEASURES):
            was, now = getattr(first, name), getattr(second, name)
            if was != now and name in relevant:
                differences.append(f"{name}: {was} / {now}")
    return listed(differences, "and")


def _looks_at_all(metrics: Iterable[Metric], settings: Settings) -> bool:
    return any(ranks_needed(metric, settings) is None for metric in metrics)


def _relevant_settings(
    metrics: Iterable[Metric], first: Settings, second: Settings
) -> set[str]:
    """Return the names of the settings that change the scores of these metrics."""
    names = {"collapse"}
    for metric in metrics:
        if metric.is_similarity:
            continue
        names.update(_OF_ALL_MEASURES)
        if not metric.is_own:
            names.update(MEASURES[metric.measure].depends_on)
        if metric.measure == "nDCG" and "max" in (first.ideal, second.ideal):
            names.add("max_grade")
    return names


def _different_depths(one: CaseResult, two: CaseResult) -> str:
    """Return the depths of two rankings, `10 / 1000`, if they differ; else "".

    A ranking without a case, for example one of a TREC run, has no depth. If it was
    cut, its length counts.
    """
    first, second = one.conditions.depth, two.conditions.depth
    if first is None or second is None:
        in_first, in_second = len(one.ranking.documents), len(two.ranking.documents)
        first, second = _depth_of_cut(one), _depth_of_cut(two)
        is_first_cut = first is not None and first < in_second
        is_second_cut = second is not None and second < in_first
        if not is_first_cut and not is_second_cut:
            return ""
        first, second = first or in_first, second or in_second
    return f"{first} / {second}" if first != second else ""


def _depth_of_cut(result: CaseResult) -> int | None:
    """Return the depth at which a ranking was cut; None if it is whole or has none."""
    return result.conditions.depth if result.ranking.reaches_depth else None


def some_cases(cases: Iterable[CaseResult | ErroredCase]) -> str:
    """Return the first few cases in words, and how many more there are."""
    names = []
    for case in cases:
        _, case_id, variant = case.key
        names.append(case_in_prose(case_id, case.query, variant))
    return first_few(names)


def incompatibility_of(
    kind: str, cases: Sequence[tuple[CaseResult, str]], names: Sequence[str]
) -> Incompatibility:
    """Return one incompatibility for several cases, with its reason.

    `cases`: the cases, each with a text that says what differs. The reason names the
    first few.
    `names`: the names of the two runs.
    """
    details = list(dict.fromkeys(detail for _, detail in cases))
    most = 1 if kind == "query" else _MOST_EXAMPLES
    shown = some_cases(result for result, _ in cases)
    reason = KINDS[kind].format(
        first=names[0],
        second=names[1],
        cases=f"{counted(len(cases), 'case')}: {shown}",
        detail="; ".join(details[:most]),
    )
    keys = tuple([result.key for result, _ in cases])
    return Incompatibility(kind, keys, reason)
