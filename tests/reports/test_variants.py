"""Several searches in one run: each is compared with the first, and tested for chance."""

from __future__ import annotations

from pytest_relevance import CaseResult, bootstrap_interval, holm, randomisation_test
from pytest_relevance.reports.run.cases import Variant
from pytest_relevance.reports.run.changes import variant_tables
from pytest_relevance.reports.text import Line, plain
from tests.helpers import case_result

FIRST = [0.30, 0.50, 0.40, 0.60, 0.20, 0.55, 0.35, 0.45, 0.25, 0.65, 0.50, 0.40]
BETTER = [score + 0.1 + 0.0103 * number for number, score in enumerate(FIRST)]
MIXED = [score + (0.05 if number % 2 else -0.067) for number, score in enumerate(FIRST)]
WEIGHTS = [1.0, 2.0, 1.0, 5.0, 1.0, 1.0, 3.0, 1.0, 1.0, 1.0, 2.0, 1.0]


def entries(variant: str | None, scores: list[float], score: float | None = 0.0) -> list[CaseResult]:
    """A result for each score, or with none at all."""
    return [
        case_result(
            file="shop.relevance.yaml",
            line=number,
            id=f"q{number:02}",
            verdict="measured",
            outcome="passed",
            variant=variant,
            weight=WEIGHTS[number],
            scores={"nDCG@10": None if score is None else found},
        )
        for number, found in enumerate(scores)
    ]


def variant_lines(results: list[CaseResult], compared: list[Variant]) -> list[Line]:
    return variant_tables(results, compared, 5)[1].lines(160)


def variants(*names: str) -> list[Variant]:
    return [("search", name) for name in names]


def test_each_has_its_difference_its_interval_and_the_adjusted_p() -> None:
    found = [*entries("bm25", FIRST), *entries("dense", BETTER), *entries("hybrid", MIXED)]
    lines = variant_lines(found, variants("bm25", "dense", "hybrid"))
    head, *rows = plain(lines).splitlines()
    assert " ".join(head.split()) == (
        "variant against cases first second change 95 % interval p (Holm) effect better worse same"
    )
    tests = [randomisation_test(FIRST, other, weights=WEIGHTS) for other in (BETTER, MIXED)]
    adjusted = holm([test.p for test in tests])
    assert adjusted[0] < 0.01 < 0.05 < adjusted[1]
    for row, other, test, p, counts in zip(
        rows, (BETTER, MIXED), tests, adjusted, (["12", "0", "0"], ["6", "6", "0"]), strict=True
    ):
        name, _, _, _, _, change, low, to, high, shown, _, *rest = row.split()
        interval = bootstrap_interval(FIRST, other, weights=WEIGHTS)
        assert name in ("dense", "hybrid")
        assert (
            " ".join((change, low, to, high)) == f"{test.difference:+.3f} {interval.low:+.3f} to {interval.high:+.3f}"
        )
        assert shown == ("<0.001" if p < 0.001 else f"{p:.3f}")
        assert rest == counts


def test_a_case_counts_where_both_have_a_score() -> None:
    found = [*entries("bm25", FIRST[:3]), *entries("dense", FIRST[1:3], score=None), *entries("dense", FIRST[:2])]
    (_, row) = plain(variant_lines(found, variants("bm25", "dense"))).splitlines()
    assert row.split()[:3] == ["dense", "bm25", "2"]
    assert row.split()[-3:] == ["0", "0", "2"]
    assert variant_lines(entries("bm25", FIRST), variants("bm25", "dense")) == []
