"""The variants of a run, and their names in reports.

A search whose fixture has parameters has a variant for each parameter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance._text import harmless
from pytest_relevance.reports.terminal_text import cut, cut_middle
from pytest_relevance.results.case_result import (
    CaseResult,
    of_case_files,
    variants_in_order,
)

Variant = tuple[str, str | None]
"""The name of a search, and the id of its parameter; None without a parameter."""

WIDEST_VARIANT = 16
"""The width to which a variant is cut among figures, in terminal columns."""

WIDEST_NAME = 60
"""The width to which a variant is cut in a sentence."""


def variant_of(result: CaseResult) -> Variant:
    """Return the variant of a case: the name of its search, and the parameter."""
    return result.search, result.variant


def case_key(result: CaseResult) -> tuple[str, str]:
    """Return the file and the id of a case, which all of its variants share."""
    return result.file, result.id


def variants_of(results: Iterable[CaseResult]) -> list[Variant]:
    """Return the variants of a run in their order.

    Checks of tests in Python have none: these tests do not search.
    """
    return variants_in_order(of_case_files(results))


def variant_name(variant: Variant) -> str:
    """Return the full name of a variant: `search[bm25]`, or only `search`."""
    search, parameter = variant
    return harmless(f"{search}[{parameter}]" if parameter else search)


def variant_label(variant: Variant, variants: Sequence[Variant]) -> str:
    """Return the label of a variant: `bm25`, or `search[bm25]` if searches differ.

    `variants`: all variants that the report names.
    """
    search, parameter = variant
    if parameter and {other for other, _ in variants} == {search}:
        return harmless(parameter)
    return variant_name(variant)


def label_before(
    variant: Variant, variants: Sequence[Variant], separator: str = ": "
) -> str:
    """Return the label of a variant for the beginning of a sentence: `bm25: `.

    "" if there is only one variant.

    `separator`: the text after the label.
    """
    if len(variants) < 2:
        return ""
    return f"{cut(variant_label(variant, variants), WIDEST_NAME)}{separator}"


def short_label(result: CaseResult, variants: Sequence[Variant]) -> str:
    """Return the variant of a case, cut; "" if there is only one variant."""
    if len(variants) < 2:
        return ""
    variant = variant_of(result)
    if variant not in variants:  # a check of a test in Python
        return cut(variant_label(variant, variants), WIDEST_VARIANT)
    return short_labels(variants)[variant]


def short_labels(variants: Sequence[Variant]) -> dict[Variant, str]:
    """Return the label of each variant, cut at its end or else in its middle.

    No two labels are equal: if no cut tells them apart, they are whole.
    """
    labels = [variant_label(variant, variants) for variant in variants]
    for shorten in (cut, cut_middle):
        shown = [shorten(label, WIDEST_VARIANT) for label in labels]
        if len(set(shown)) == len(shown):
            return dict(zip(variants, shown, strict=True))
    return dict(zip(variants, labels, strict=True))
