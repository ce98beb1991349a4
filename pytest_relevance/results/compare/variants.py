"""Compare the variants of a search over the same cases.

A search whose fixture has parameters has a variant for each parameter. With many
variants and few queries, the best variant may be the best by chance. So the p-values
are adjusted for the number of variants (Holm 1979), as Carterette advises (Multiple
testing in statistical analysis of systems-based information retrieval experiments, TOIS
2012).

The summary and the JSON of a run call `compare_variants` when the run has ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_relevance.metrics.metric import ROUNDING
from pytest_relevance.results.case_result import (
    CaseResult,
    of_case_files,
    scored_alike,
    variants_in_order,
    weighted_mean,
)
from pytest_relevance.results.compare import differences
from pytest_relevance.results.compare.differences import Difference, ScorePair, Scores

FEW_CASES = 50
"""With fewer cases, the better of two variants may be the better by chance."""

Variant = tuple[str, str | None]
"""The name of a search and the id of its parameter, if it has one."""

_CaseKey = tuple[str, str]
_ByVariant = dict[Variant, CaseResult]


@dataclass(frozen=True, slots=True)
class VariantScores:
    """The scores of one variant over the compared cases.

    `mean`: the weighted mean of nDCG@k.
    `judged`: the share of judged results in the top k of all cases; None if nothing was
    returned.
    `difference`: the difference from the first variant; None for the first. Its p-value
    is adjusted after Holm over the variants.
    """

    variant: Variant
    mean: float
    judged: float | None
    difference: Difference | None


@dataclass(frozen=True, slots=True)
class TagMeans:
    """The means of the variants over the cases with a tag.

    `cases`: how many cases have the tag.
    `means`: (variant, weighted mean), the best first.
    """

    tag: str
    cases: int
    means: Sequence[tuple[Variant, float]]

    def is_best(self, variant: Variant) -> bool:
        """Say whether no other variant has a higher mean."""
        best = self.means[0][1]
        return best - dict(self.means)[variant] <= ROUNDING


@dataclass(frozen=True, slots=True)
class VariantComparison:
    """Variants, compared over the cases that each of them has a score for.

    `cases`: how many cases were compared.
    `left_out`: how many more cases have a score for some of the variants.
    `without_score`: the variants without any score, which are not compared.
    `rows`: the scores of each variant, in the order of the variants.
    `tags`: the means of each tag, those with the most cases first. A tag that all cases
    have is left out.
    """

    cases: int
    left_out: int
    without_score: Sequence[Variant]
    rows: Sequence[VariantScores]
    tags: Sequence[TagMeans]

    @property
    def first(self) -> Variant:
        """Return the first variant, with which each other variant is compared."""
        return self.rows[0].variant

    @property
    def best(self) -> Sequence[Variant]:
        """Return the variants with the highest mean."""
        highest = max(row.mean for row in self.rows)
        return [row.variant for row in self.rows if highest - row.mean <= ROUNDING]

    @property
    def may_be_by_chance(self) -> bool:
        """Say whether to warn that the best variant may be the best by chance.

        True if the variants are not all equally good, and there are more than two
        variants or fewer than `FEW_CASES` cases.
        """
        if len(self.best) == len(self.rows):
            return False
        return len(self.rows) > 2 or self.cases < FEW_CASES


def compare_variants(results: Iterable[CaseResult]) -> list[VariantComparison]:
    """Return a comparison for each group of variants that have cases in common.

    Searches without variants are left out, and so are checks of tests in Python, and
    known items if there are other cases. There is no comparison if no case has a score
    in several variants.
    """
    searched = of_case_files(scored_alike(results))
    order = variants_in_order(searched)
    if len(order) < 2:
        return []
    by_case: dict[_CaseKey, _ByVariant] = {}
    for result in searched:
        of_case = by_case.setdefault((result.file, result.id), {})
        of_case[result.search, result.variant] = result
    comparisons = []
    for family in _families(by_case.values()):
        variants = [variant for variant in order if variant in family]
        cases = [each for each in by_case.values() if not family.isdisjoint(each)]
        comparison = _compare(variants, cases)
        if comparison is not None:
            comparisons.append(comparison)
    return comparisons


def _families(cases: Iterable[_ByVariant]) -> list[set[Variant]]:
    """Return groups of variants that have cases in common, at least two in each."""
    families: list[set[Variant]] = []
    for of_case in cases:
        joined = set(of_case)
        apart = []
        for family in families:
            if family.isdisjoint(joined):
                apart.append(family)
            else:
                joined |= family
        families = [*apart, joined]
    return [family for family in families if len(family) > 1]


def _compare(
    variants: Sequence[Variant], cases: Sequence[_ByVariant]
) -> VariantComparison | None:
    """Compare the variants with the first, on the cases in which all have a score.

    Variants without any score are named, and not compared. None if fewer than two have
    scores, or if no case has a score of each.
    """
    scored = []
    without_score = []
    for variant in variants:
        if any(_score(of_case, variant) is not None for of_case in cases):
            scored.append(variant)
        else:
            without_score.append(variant)
    common = []
    left_out = 0
    for of_case in cases:
        having = sum(_score(of_case, variant) is not None for variant in scored)
        if having == len(scored):
            common.append(of_case)
        elif having:
            left_out += 1
    if len(scored) < 2 or not common:
        return None
    first, *others = scored
    family = tuple([_pairs(common, first, variant) for variant in others])
    rows = [_row(common, first, None)]
    for variant, difference in zip(others, _differences(family), strict=True):
        rows.append(_row(common, variant, difference))
    return VariantComparison(
        cases=len(common),
        left_out=left_out,
        without_score=tuple(without_score),
        rows=tuple(rows),
        tags=tuple(_tags(common, scored)),
    )


def _score(of_case: Mapping[Variant, CaseResult], variant: Variant) -> float | None:
    """Return the score of a case in a variant; None if it did not run or has none."""
    result = of_case.get(variant)
    return None if result is None else result.score


def _mean(cases: Iterable[_ByVariant], variant: Variant) -> float:
    """Return the weighted mean of nDCG@k over cases that all have a score."""
    scored = []
    for of_case in cases:
        result = of_case[variant]
        scored.append((result.score or 0.0, result.weight))
    return weighted_mean(scored)


def _row(
    cases: Sequence[_ByVariant], variant: Variant, difference: Difference | None
) -> VariantScores:
    """Return the mean of a variant, and how many of its top results are judged."""
    judged = top = 0
    for of_case in cases:
        evaluation = of_case[variant].evaluation
        judged += evaluation.judged
        top += evaluation.top
    return VariantScores(
        variant=variant,
        mean=_mean(cases, variant),
        judged=judged / top if top else None,
        difference=difference,
    )


def _pairs(
    cases: Iterable[_ByVariant], first: Variant, second: Variant
) -> tuple[ScorePair, ...]:
    """Return the nDCG@k of each case in two variants, both of which have a score."""
    pairs = []
    for of_case in cases:
        result = of_case[second]
        pairs.append(
            ScorePair(
                key=differences.key_of(result),
                first=of_case[first].score or 0.0,
                second=result.score or 0.0,
                weight=result.weight,
            )
        )
    return tuple(pairs)


@lru_cache(maxsize=4)  # several reports of one run ask for the same variants
def _differences(family: tuple[tuple[ScorePair, ...], ...]) -> Sequence[Difference]:
    """Return the tested difference of each set of pairs, with adjusted p-values."""
    return differences.differences_of(Scores(None, "nDCG@k", pairs) for pairs in family)


def _tags(cases: Sequence[_ByVariant], variants: Sequence[Variant]) -> list[TagMeans]:
    """Return the means of the variants by tag, the tag with the most cases first.

    A tag that all cases have is left out.
    """
    by_tag: dict[str, list[_ByVariant]] = {}
    for of_case in cases:
        for tag in of_case[variants[0]].tags:
            by_tag.setdefault(tag, []).append(of_case)
    found = []
    for tag, tagged in by_tag.items():
        if len(tagged) < len(cases):
            means = [(variant, _mean(tagged, variant)) for variant in variants]
            means.sort(key=lambda each: -each[1])
            found.append(TagMeans(tag=tag, cases=len(tagged), means=tuple(means)))
    found.sort(key=lambda each: (-each.cases, each.tag))
    return found
