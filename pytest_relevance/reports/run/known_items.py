"""How known items did: how many are first, in the first 3 results, and not returned.

Known items are counted apart from other cases, whose results are judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pytest_relevance._number_text import score_text
from pytest_relevance._text import counted
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.run.mean_text import metric_of
from pytest_relevance.reports.run.variant_labels import (
    Variant,
    variant_label,
    variant_of,
    variants_of,
)
from pytest_relevance.reports.styled_lines import BAD
from pytest_relevance.results.case_result import (
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
    grouped,
    weighted_mean,
)
from pytest_relevance.results.changes import Change, changes_since_baseline

_EARLY = 3
"""Known items down to this rank are counted, beside those at rank 1."""


@dataclass(frozen=True, slots=True)
class KnownItemFigures:
    """How the known items of a variant did.

    `items`: how many were scored.
    `first`, `early`: how many are first, and among the first 3 results.
    `not_returned`: how many were not returned.
    `metric`, `mean`: RR@k, and its weighted mean.
    """

    variant: Variant
    items: int
    first: int
    early: int
    not_returned: int
    metric: str
    mean: float


def figures_of_known_items(results: Iterable[CaseResult]) -> Iterator[KnownItemFigures]:
    """Yield the figures of each variant that has known items with a score."""
    scored = []
    for result in results:
        is_scored = result.status != SKIPPED and result.verdict not in WITHOUT_SCORE
        if result.is_known_item and is_scored:
            scored.append(result)
    for variant, items in grouped(scored, variant_of).items():
        found = [item.found_item[1] for item in items if item.found_item is not None]
        yield KnownItemFigures(
            variant=variant,
            items=len(items),
            first=found.count(1),
            early=sum(rank <= _EARLY for rank in found),
            not_returned=len(items) - len(found),
            metric=metric_of(items),
            mean=weighted_mean((item.score or 0.0, item.weight) for item in items),
        )


def known_item_sentences(results: Sequence[CaseResult]) -> list[Sentence]:
    """Return how the known items did in each variant, or [] if there are none.

    Example: `467 of 500 known items are first, 490 in the first 3, 7 not returned`. If
    there are other cases too, the mean of RR@k follows. Else another sentence has it.
    """
    variants = variants_of(results)
    has_others = any(not result.is_known_item for result in results)
    sentences = []
    for figures in figures_of_known_items(results):
        items = counted(figures.items, "known item")
        parts = [
            f"{figures.first:,} of {items} are first",
            f"{figures.early:,} in the first {_EARLY}",
        ]
        if figures.not_returned:
            parts.append(f"{figures.not_returned:,} not returned")
        text = ", ".join(parts)
        if len(variants) > 1:
            text = f"{variant_label(figures.variant, variants)}: {text}"
        if has_others:
            text += f"; mean {figures.metric} {score_text(figures.mean)}"
        sentences.append(Sentence(text))
    return sentences


@dataclass(frozen=True, slots=True)
class LostItems:
    """Known items that the reference found, and that are not returned now.

    `compared`: how many known items are compared with the reference, in each variant.
    `lost`: the results of those that are not returned any more.
    """

    compared: int
    lost: Sequence[CaseResult]

    @property
    def text(self) -> str:
        """Return, for example, `48 of 500 known items are not found any more: ...`.

        "" if none is lost.
        """
        if not self.lost:
            return ""
        items = counted(self.compared, "known item")
        are = "is" if len(self.lost) == 1 else "are"
        count = f"{len(self.lost):,} of {items}"
        return f"{count} {are} not found any more: is the index complete?"


def lost_items(changes: Iterable[Change]) -> LostItems:
    """Return which known items are lost since the reference, each variant once."""
    compared = 0
    lost = []
    for change in changes:
        item, before = change.case, change.before
        if not item.is_known_item or before is None or not change.is_compared:
            continue
        compared += 1
        score_before = before.scores.get(item.metric.text)
        if score_before and item.found_item is None:
            lost.append(item)
    return LostItems(compared, lost)


def lost_item_sentences(changes: Iterable[Change]) -> list[Sentence]:
    """Return a sentence on the known items that are not found any more, or []."""
    text = lost_items(changes).text
    return [Sentence(text, BAD)] if text else []


def known_item_data(results: Sequence[CaseResult]) -> list[dict[str, Any]]:
    """Return the figures of the known items in each variant, as JSON data.

    `lost` is how many are not found any more; None without a reference.
    """
    data = []
    by_variant = grouped(results, variant_of)
    for figures in figures_of_known_items(results):
        search, variant = figures.variant
        of_variant = lost_items(changes_since_baseline(by_variant[figures.variant]))
        lost = len(of_variant.lost) if of_variant.compared else None
        values = {**asdict(figures), "lost": lost}
        data.append({**values, "search": search, "variant": variant})
    return data
