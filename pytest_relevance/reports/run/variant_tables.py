"""Tables of the variants of a search: means, the best variants of each tag, queries.

`variants_data` returns the figures as JSON data. The significance test imports numpy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pytest_relevance._number_text import LEAST, p_text, score_text, signed_text
from pytest_relevance._text import counted, listed
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.cells import RIGHT, Cell, Column, styled_cell
from pytest_relevance.reports.labels import case_label
from pytest_relevance.reports.run.mean_text import (
    means_by_variant,
    means_text,
    metric_of,
    weighted,
)
from pytest_relevance.reports.run.variant_labels import (
    Variant,
    case_key,
    short_labels,
    variant_label,
)
from pytest_relevance.reports.styled_lines import DOUBT, STRONG
from pytest_relevance.reports.table import Table, limit
from pytest_relevance.results.case_result import CaseResult, grouped
from pytest_relevance.results.compare.variants import (
    TagMeans,
    VariantComparison,
    VariantScores,
    compare_variants,
)

_MOST_VARIANTS = 10
_MOST_TAGS = 8
_MOST_BEST = 3  # of the variants that are named beside a tag


def variant_blocks(
    results: Sequence[CaseResult],
    variants: Sequence[Variant],
    most: int | None,
    *,
    full: bool,
) -> list[Sentence | Table]:
    """Return tables that compare the variants of a run; [] for a single variant.

    One table has the means, one the best variants of each tag, and one the queries on
    which the variants differ most.

    `most`: the most queries; None for all.
    `full`: whether all variants and tags are listed.
    """
    if len(variants) < 2:
        return []
    blocks = comparison_blocks(results, variants, full=full)
    return [*blocks, _side_by_side(results, variants, most)]


def comparison_blocks(
    results: Sequence[CaseResult], variants: Sequence[Variant], *, full: bool
) -> list[Sentence | Table]:
    """Return tables of the means of variants, and of the best variants of each tag."""
    blocks: list[Sentence | Table] = []
    for comparison in compare_variants(results):
        blocks.append(variants_table(comparison, results, variants, full=full))
        for text in left_out_texts(comparison, variants):
            blocks.append(Sentence(text))
        warning = chance_text(comparison, variants)
        if warning:
            blocks.append(Sentence(warning, DOUBT))
        blocks.append(_tags_table(comparison, variants, full=full))
    return blocks


# --- all variants ---------------------------------------------------------------------


def variants_table(
    comparison: VariantComparison,
    results: Sequence[CaseResult],
    variants: Sequence[Variant],
    *,
    full: bool,
) -> Table:
    """Return a table with a row for each variant.

    A row has the mean, the share of judged results, and a comparison with the first
    variant: the difference, its 95 % interval, p, and how many cases have a higher or a
    lower score. Without `full`, only the first and the best variants have a row.
    """
    table = Table(
        [
            Column("variant", cut_to=8, is_code=True),
            Column(f"{weighted(results)}mean {metric_of(results)}", RIGHT),
            Column("judged", RIGHT, drop_order=1),
            Column("change", RIGHT),
            Column("95 % interval", RIGHT, drop_order=2),
            Column("p (Holm)" if len(comparison.rows) > 2 else "p", RIGHT),
            Column("higher", RIGHT, drop_order=3),
            Column("lower", RIGHT, drop_order=3),
        ],
        title=f"variants on {counted(comparison.cases, 'case')}, against the first",
    )
    shown = _shown_rows(comparison, limit(_MOST_VARIANTS, full=full))
    for row in shown:
        table.add(*_cells(row, comparison, variants))
    table.note_more(len(comparison.rows), "more with lower means")
    return table


def _shown_rows(
    comparison: VariantComparison, most: int | None
) -> Sequence[VariantScores]:
    """Return at most `most` rows: the first variant and the best other variants."""
    first, *others = comparison.rows
    if most is None or len(others) < most:
        return comparison.rows
    others.sort(key=lambda row: -row.mean)
    best = others[: most - 1]
    chosen = {row.variant for row in [first, *best]}
    return [row for row in comparison.rows if row.variant in chosen]


def _cells(
    row: VariantScores, comparison: VariantComparison, variants: Sequence[Variant]
) -> list[str | Cell]:
    """Return the cells of a variant. The row of the first variant ends after `judged`.

    The best means are strong, unless all variants are equally good.
    """
    mean: str | Cell = score_text(row.mean)
    are_all_best = len(comparison.best) == len(comparison.rows)
    if row.variant in comparison.best and not are_all_best:
        mean = styled_cell(score_text(row.mean), STRONG)
    judged = "" if row.judged is None else f"{row.judged:.0%}"
    cells = [variant_label(row.variant, variants), mean, judged]
    difference = row.difference
    if difference is None:
        return cells
    means = difference.means
    return [
        *cells,
        signed_text(means.difference),
        f"{signed_text(difference.low)} to {signed_text(difference.high)}",
        p_text(difference.adjusted_p),
        f"{means.rose:,}",
        f"{means.fell:,}",
    ]


def left_out_texts(
    comparison: VariantComparison, variants: Sequence[Variant]
) -> list[str]:
    """Return which cases and which variants the figures leave out."""
    texts = []
    if comparison.left_out:
        cases = counted(comparison.left_out, "case is", "cases are")
        them = "it" if comparison.left_out == 1 else "them"
        texts.append(f"{cases} left out: not every variant has a score for {them}")
    for variant in comparison.without_score:
        texts.append(f"{variant_label(variant, variants)} has no score")
    return texts


def chance_text(comparison: VariantComparison, variants: Sequence[Variant]) -> str:
    """Return a warning that the best variant may be the best by chance, or ""."""
    if not comparison.may_be_by_chance:
        return ""
    names = [variant_label(variant, variants) for variant in comparison.best]
    cases = counted(comparison.cases, "case")
    return (
        f"{listed(names, 'and')} may be the best of {len(comparison.rows):,} variants by "
        f"chance, on {cases}: confirm the choice on other queries"
    )


# --- the best of each tag -------------------------------------------------------------


def _tags_table(
    comparison: VariantComparison, variants: Sequence[Variant], *, full: bool
) -> Table:
    """Return a table with a row for each tag: the means of its best variants.

    Tags whose best variant is not the best of the run come first.
    """

    def has_best_of_run(tag: TagMeans) -> bool:
        return any(tag.is_best(variant) for variant in comparison.best)

    tags = sorted(comparison.tags, key=has_best_of_run)
    shown = tags if full else tags[:_MOST_TAGS]
    table = Table(
        [
            Column("best by tag", max_width=32, is_code=True),
            Column("means", cut_to=20, is_code=True),
            Column("cases", RIGHT),
        ]
    )
    for tag in shown:
        means = tag_means_text(tag, variants)
        table.add(f"  {tag.tag}", means, f"{tag.cases:,}")
    table.note_more(len(tags))
    return table


def tag_means_text(tag: TagMeans, variants: Sequence[Variant]) -> str:
    """Return the three best means of a tag: `hybrid 0.717, bm25 0.533`."""
    labels = short_labels(variants)
    texts = []
    for variant, mean in tag.means[:_MOST_BEST]:
        texts.append(f"{labels[variant]} {score_text(mean)}")
    if len(tag.means) > _MOST_BEST:
        texts.append("...")
    return ", ".join(texts)


# --- queries --------------------------------------------------------------------------


def _side_by_side(
    results: Sequence[CaseResult], variants: Sequence[Variant], most: int | None
) -> Table:
    """Return the table of the queries on which the variants differ most."""
    rows = []
    for key, of_case in grouped(results, case_key).items():
        means = means_by_variant(of_case)
        if len(means) < 2:
            continue
        spread = max(means.values()) - min(means.values())
        if spread > LEAST:
            order = (-spread, key)
            rows.append((order, case_label(of_case[0]), means_text(means, variants)))
    rows.sort(key=lambda row: row[0])
    title = "side by side, the widest apart first"
    names = Column(title, max_width=42, cut_to=8, is_code=True)
    table = Table([names, Column(cut_to=20, is_code=True)])
    for _, label, text in rows[:most]:
        table.add(f"  {label}", text)
    return table


# --- data -----------------------------------------------------------------------------


def variants_data(comparisons: Iterable[VariantComparison]) -> list[dict[str, Any]]:
    """Return comparisons of variants as JSON data."""
    return [_comparison_data(comparison) for comparison in comparisons]


def _comparison_data(comparison: VariantComparison) -> dict[str, Any]:
    return {
        "cases": comparison.cases,
        "left_out": comparison.left_out,
        "may_be_by_chance": comparison.may_be_by_chance,
        "best": [_named(variant) for variant in comparison.best],
        "without_score": [_named(variant) for variant in comparison.without_score],
        "rows": [_row_data(row) for row in comparison.rows],
        "tags": [_tag_data(tag) for tag in comparison.tags],
    }


def _named(variant: Variant) -> dict[str, Any]:
    search, parameter = variant
    return {"search": search, "variant": parameter}


def _row_data(row: VariantScores) -> dict[str, Any]:
    data = {**_named(row.variant), "mean": row.mean, "judged": row.judged}
    found = row.difference
    if found is None:
        return data
    return {
        **data,
        "difference": found.means.difference,
        "low": found.low,
        "high": found.high,
        "p": found.p,
        "adjusted_p": found.adjusted_p,
        "higher": found.means.rose,
        "lower": found.means.fell,
        "same": found.means.same,
    }


def _tag_data(tag: TagMeans) -> dict[str, Any]:
    means = [{**_named(variant), "mean": mean} for variant, mean in tag.means]
    return {"tag": tag.tag, "cases": tag.cases, "means": means}
