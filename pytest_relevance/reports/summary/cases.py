"""Counts and means over the results of a run: statuses, search variants, weighted means, percentiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance.reports.numbers import score_text
from pytest_relevance.reports.reasons import STATUSES
from pytest_relevance.reports.table import RIGHT, Cell, Column, Table, cut, styled
from pytest_relevance.reports.text import DIM, PLAIN, harmless
from pytest_relevance.results.case_result import SKIPPED, CaseResult

Variant = tuple[str, str | None]
"""The name of a search and the id of its parameter, if it has one."""

NOT_PASSED = frozenset({"failed", "error", "inconclusive"})

WIDEST_VARIANT = 16
"""The width to which a variant is cut among figures, in terminal columns."""


def variant_of(result: CaseResult) -> Variant:
    """The search of a case and its parameter."""
    return result.search, result.variant


def variants_of(results: Iterable[CaseResult]) -> list[Variant]:
    """The variants of a run, sorted. Tests in Python search nothing themselves: their checks have none."""
    return sorted({variant_of(result) for result in results if not result.is_check}, key=str)


def variant_label(variant: Variant, among: Sequence[Variant]) -> str:
    """The name of a variant: its parameter alone where all variants are of one search, else `search[parameter]`."""
    search, parameter = map(harmless, (variant[0], variant[1] or ""))
    if parameter and {other for other, _ in among} == {variant[0]}:
        return parameter
    return f"{search}[{parameter}]" if parameter else search


def short_label(result: CaseResult, variants: Sequence[Variant]) -> str:
    """The variant of a case, cut; nothing where there is only one."""
    return cut(variant_label(variant_of(result), variants), WIDEST_VARIANT) if len(variants) > 1 else ""


def case_count(results: Iterable[CaseResult]) -> int:
    """How many cases there are, in whatever variants they ran."""
    return len({(result.file, result.id) for result in results})


def anything_ran(results: Iterable[CaseResult]) -> bool:
    """Whether any case was not skipped."""
    return any(result.status != SKIPPED for result in results)


def metric_name(results: Iterable[CaseResult]) -> str:
    """`nDCG@10`, or `nDCG@k` for cases with several cutoffs."""
    cutoffs = {result.k for result in results}
    return f"nDCG@{cutoffs.pop()}" if len(cutoffs) == 1 else "nDCG@k"


def weighted_mean(results: Iterable[CaseResult]) -> float | None:
    """The mean of the defined nDCG@k scores, weighted by the weights of the cases; None where none is defined."""
    total = weights = 0.0
    for result in results:
        score = result.score
        if score is not None:
            total += result.weight * score
            weights += result.weight
    return total / weights if weights else None


def means_by_variant(results: Iterable[CaseResult]) -> dict[Variant, float]:
    """The weighted mean of each variant that has one."""
    groups: dict[Variant, list[CaseResult]] = {}
    for result in results:
        groups.setdefault(variant_of(result), []).append(result)
    means = {variant: weighted_mean(group) for variant, group in groups.items()}
    return {variant: mean for variant, mean in means.items() if mean is not None}


CaseRow = tuple[CaseResult, Sequence[str | Cell], str]
"""A result, the figures before it, and a label behind its query."""


def case_table(rows: Iterable[CaseRow], figures: int = 1, label_gap: int = 2) -> Table:
    """`-0.452  0.764 -> 0.312  smart watch   failed   shop.relevance.yaml:41`.

    `figures` is how many figures there are.
    """
    table = Table(
        [
            *(Column(align=RIGHT) for _ in range(figures)),
            Column(most=40, least=20, is_code=True),
            Column(gap=label_gap),
            Column(gap=3),
            Column(gap=3, is_code=True),
        ],
        indent=2,
    )
    for result, shown, label in rows:
        status = styled(result.status, STATUSES.get(result.status, PLAIN))
        table.add(*shown, result.query, label, status, styled(result.place, DIM))
    return table


def lowest_table(results: Iterable[CaseResult], variants: Sequence[Variant]) -> Table:
    """A table of cases with their scores."""
    return case_table((result, [score_text(result.score)], short_label(result, variants)) for result in results)
