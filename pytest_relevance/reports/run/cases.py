"""The cases of a run: search variants, counts and means, suites, and the tables and remarks that list cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_relevance._text import (
    counted,
    harmless,
    listed,
    score_text,
)
from pytest_relevance.reports.cells import RIGHT, Column, styled_cell
from pytest_relevance.reports.reasons import STATUSES, case_label
from pytest_relevance.reports.styled_lines import DIM
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import cut, cut_middle
from pytest_relevance.results import case_result
from pytest_relevance.results.case_result import (
    CHECK,
    ERROR,
    NOT_SEARCHED,
    SKIPPED,
    CaseResult,
    grouped,
)
from pytest_relevance.results.records.run_info import (
    NOT_RUN,
)
from pytest_relevance.results.records.uncompared import MARKED_SKIP, UNSTABLE, WHY_LOST

if TYPE_CHECKING:
    pass


Variant = tuple[str, str | None]
"""The name of a search and the id of its parameter, if it has one."""

MOST_LOWEST = 5
"""How many of the cases with the lowest scores are listed by default."""

_MOST_MEANS = 3
NOT_PASSED = frozenset({"failed", "error", "not searched", "inconclusive"})

WIDEST_VARIANT = 16
"""The width to which a variant is cut among figures, in terminal columns."""

WIDEST_NAME = 60
"""The width to which a variant is cut in a sentence."""

WITHOUT_RANKING: Mapping[str, tuple[str, str]] = {
    ERROR: WHY_LOST[ERROR],
    NOT_SEARCHED: WHY_LOST[NOT_SEARCHED],
    SKIPPED: WHY_LOST[SKIPPED],
    MARKED_SKIP: ("was marked as skipped", "were marked as skipped"),
    NOT_RUN: WHY_LOST[NOT_RUN],
    UNSTABLE: ("had a ranking that changed", "had a ranking that changed"),
}
"""Why a reference has no ranking of cases: of one and of several."""


def variant_of(result: CaseResult) -> Variant:
    """Return the search of a case and its parameter."""
    return result.search, result.variant


def key_of(result: CaseResult) -> tuple[str, str]:
    """Return the file and the id of a case, which all of its variants share."""
    return result.file, result.id


def variants_of(results: Iterable[CaseResult]) -> list[Variant]:
    """The variants of a run, in their order. Tests in Python search nothing themselves: their checks have none."""
    return case_result.variants_in_order(_searched(results))


def variant_label(variant: Variant, among: Sequence[Variant]) -> str:
    """The name of a variant: its parameter alone where all variants are of one search, else `search[parameter]`."""
    search, parameter = map(harmless, (variant[0], variant[1] or ""))
    if parameter and {other for other, _ in among} == {variant[0]}:
        return parameter
    return f"{search}[{parameter}]" if parameter else search


def short_label(result: CaseResult, variants: Sequence[Variant]) -> str:
    """The variant of a case, cut; nothing where there is only one."""
    if len(variants) < 2:
        return ""
    variant = variant_of(result)
    if variant not in variants:  # a check of a test in Python
        return cut(variant_label(variant, variants), WIDEST_VARIANT)
    return short_labels(variants)[variant]


def short_labels(variants: Sequence[Variant]) -> dict[Variant, str]:
    """The label of each variant, cut at its end or else in its middle, so that no two are alike."""
    labels = [variant_label(variant, variants) for variant in variants]
    for shorten in (cut, cut_middle):
        shown = [shorten(label, WIDEST_VARIANT) for label in labels]
        if len({*shown}) == len(shown):
            return dict(zip(variants, shown, strict=True))
    return dict(zip(variants, labels, strict=True))


def case_count(results: Iterable[CaseResult]) -> int:
    """How many cases there are, in whatever variants they ran; each check of a test in Python counts."""
    return sum(_counts([*results]))


def counted_cases(results: Sequence[CaseResult]) -> str:
    """`3 cases`, `2 checks` of tests in Python, or `3 cases and 2 checks`."""
    cases, checks = _counts(results)
    parts = []
    if cases or not checks:
        parts.append(counted(cases, "case"))
    if checks:
        parts.append(counted(checks, "check"))
    return listed(parts, "and")


def _counts(results: Sequence[CaseResult]) -> tuple[int, int]:
    searched = _searched(results)
    return len({*map(key_of, searched)}), len(results) - len(searched)


def _searched(results: Iterable[CaseResult]) -> list[CaseResult]:
    return [result for result in results if result.search != CHECK]


def status_counts(results: Iterable[CaseResult]) -> str:
    """`61 passed, 2 errors, 30 measured`."""
    return kind_counts(Counter(result.status for result in results), STATUSES)


def kind_counts(counts: Mapping[str, int], kinds: Iterable[str]) -> str:
    """Say how many there are of each of these kinds: `2 failed, 2 errors`."""
    parts = []
    for kind in kinds:
        if counts.get(kind):
            several = "errors" if kind == ERROR else kind
            parts.append(counted(counts[kind], kind, several))
    return ", ".join(parts)


def anything_ran(results: Iterable[CaseResult]) -> bool:
    """Whether any case was not skipped."""
    return any(result.status != case_result.SKIPPED for result in results)


def metric_of(results: Iterable[CaseResult]) -> str:
    """`nDCG@10`, or `nDCG@k` for cases with several cutoffs."""
    cutoffs = {result.conditions.k for result in results}
    return f"nDCG@{cutoffs.pop()}" if len(cutoffs) == 1 else "nDCG@k"


def mean_score(results: Iterable[CaseResult]) -> float | None:
    """The mean of the defined nDCG@k scores, weighted by the weights of the cases; None where none is defined."""
    scored = [
        (score, result.weight)
        for result in results
        if (score := result.score) is not None
    ]
    return case_result.weighted_mean(scored) if scored else None


def has_mean(results: Iterable[CaseResult]) -> bool:
    """Whether any case has judgments or a score, so that a mean says something of them."""
    return any(
        result.evaluation.judgments or result.score is not None for result in results
    )


def mean_text(results: Sequence[CaseResult]) -> str:
    """The weighted mean: `mean nDCG@10 0.712`."""
    return (
        f"{mean_name(results)} {metric_of(results)} {score_text(mean_score(results))}"
    )


def mean_name(results: Sequence[CaseResult]) -> str:
    """`weighted mean` where the scored cases have different weights, else `mean`."""
    weights = {result.weight for result in results}
    if len(weights) > 1:
        weights = {result.weight for result in results if result.score is not None}
    return "weighted mean" if len(weights) > 1 else "mean"


def left_open(results: Iterable[CaseResult]) -> str:
    """Say between which means the unjudged results leave the mean.

    `; unjudged results of 79 queries leave it between 0.607 and 0.884`; nothing if the
    mean is certain. At least one of the results has a score.
    """
    lower, upper = [], []
    uncertain = 0
    for result in results:
        score = result.score
        if score is None:
            continue
        evaluation = result.evaluation
        low = score if evaluation.lower is None else evaluation.lower
        high = score if evaluation.upper is None else evaluation.upper
        lower.append((low, result.weight))
        upper.append((high, result.weight))
        if evaluation.judged < evaluation.top:
            uncertain += 1
    least = score_text(case_result.weighted_mean(lower))
    most = score_text(case_result.weighted_mean(upper))
    if least == most:
        return ""
    queries = counted(uncertain, "query", "queries")
    return f"; unjudged results of {queries} leave it between {least} and {most}"


def metric_explained(results: Iterable[CaseResult]) -> str:
    """Explain nDCG@k in one sentence; nothing if no case has a score."""
    scored = [result for result in results if result.score is not None]
    if not scored:
        return ""
    metric = metric_of(scored)
    cutoff = metric.partition("@")[2]
    return (
        f"{metric} compares the grades of the first {cutoff} results with those of the "
        "best ranking there could be: 1 is perfect, 0 is nothing relevant, and the top "
        "ranks count most."
    )


def names_in_page(results: Iterable[CaseResult]) -> dict[int, str]:
    """The name that each result has in the page and its links, by `id(result)`: pytest's node id.

    Several checks of one test in Python share its node id; the second is `test_shop.py::test_boots #2`.
    """
    names, taken = dict[int, str](), dict[str, int]()
    for result in results:
        name = node = result.node or f"{result.file}::{result.id}"
        while name in taken:
            taken[node] += 1
            name = f"{node} #{taken[node]}"
        taken[name] = 1
        names[id(result)] = name
    return names


def known_text(results: Iterable[CaseResult]) -> str:
    """`9 failed before, their mean nDCG@10 0.312`: the cases that were expected to fail for that; empty without any."""
    known = [result for result in results if result.is_known]
    return f"{len(known):,} failed before, their {mean_text(known)}" if known else ""


def means_by_variant(results: Iterable[CaseResult]) -> dict[Variant, float]:
    """The weighted mean of each variant that has one."""
    means = {
        variant: mean_score(group)
        for variant, group in grouped(results, variant_of).items()
    }
    return {variant: mean for variant, mean in means.items() if mean is not None}


def means_text(means: Mapping[Variant, float], variants: Sequence[Variant]) -> str:
    """`0.701`; of several variants `bm25 0.533, hybrid 0.717`, of many the lowest and the highest mean.

    Of many variants with the same mean, the mean and how many there are.
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
    """The mean of each of these variants behind its label."""
    labels = short_labels(variants)
    return [f"{labels[variant]} {score_text(means[variant])}" for variant in chosen]


# --- suites -----------------------------------------------------------------------------------------------------------


def how_called(results: Iterable[CaseResult]) -> str:
    """How several searches were called at once; empty where they were called one by one."""
    calls = [result.call for result in results]
    if any(call.latency_shared for call in calls):
        return "shares of batches"
    at_a_time = max(call.concurrency for call in calls)
    return f"up to {at_a_time} at a time" if at_a_time > 1 else ""


# --- tables of cases --------------------------------------------------------------------------------------------------


def case_table(title: str, label_gap: int = 2) -> Table:
    """A table of cases: a figure, the query, a label behind it, the status, and the place."""
    query = Column(max_width=60, cut_to=20, wanted=30, is_code=True)
    return Table(
        [
            Column(align=RIGHT),
            query,
            Column(gap=label_gap),
            Column(gap=3),
            Column(gap=3, drop_order=1, is_code=True),
        ],
        indent=2,
        title=title,
    )


def add_case(table: Table, result: CaseResult, label: str, figure: str) -> None:
    """Add a row to a table of cases: `0.764 -> 0.312  smart watch  weight 2   failed   shop.relevance.yaml:41`."""
    status = styled_cell(result.status, STATUSES[result.status])
    table.add(figure, case_label(result), label, status, styled_cell(result.place, DIM))


def lowest(results: Sequence[CaseResult]) -> list[int]:
    """Return the places of the cases with scores below 1, the lowest first."""
    below = []
    for place, result in enumerate(results):
        score = result.score
        if score is not None and score < 1:
            variant = result.variant or ""
            below.append((score, result.file, result.line, variant, place))
    return [place for *_, place in sorted(below)]


def lowest_table(
    results: Sequence[CaseResult], variants: Sequence[Variant], *, full: bool
) -> Table:
    """Make the table of the cases with the lowest scores below 1, the lowest first.

    `full`: four times as many.
    """
    places = lowest(results)
    table = case_table("lowest")
    for place in places[: 4 * MOST_LOWEST if full else MOST_LOWEST]:
        result = results[place]
        add_case(table, result, short_label(result, variants), score_text(result.score))
    more = len(places) - len(table.rows)
    if more:
        table.note = f"  ... {more} more below 1"
    return table
