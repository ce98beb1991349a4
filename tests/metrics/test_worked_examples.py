"""Figures that others published, worked through by hand: each holds for one query and for a batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_relevance import evaluate
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.ndcg import GradedRanking, grade_ranking
from pytest_relevance.metrics.settings import Settings


@dataclass(frozen=True, slots=True)
class Example:
    """A ranking given by its grades; `missing` are the grades of judged documents that were not returned."""

    name: str
    metric: str
    grades: list[float]
    expected: float
    tolerance: float
    settings: dict[str, Any] = field(default_factory=dict)
    missing: list[float] = field(default_factory=list)


LINEAR = {"gain": "linear"}
RETURNED = {"gain": "linear", "ideal": "returned"}

EXAMPLES = [
    # A notebook on graded judgments: exponential gain, log2, four results.
    Example("notebook-adhesive", "DCG@4", [0, 0, 0, 0], 0.0, 1e-6),
    Example("notebook-boots", "DCG@4", [0, 0, 0, 1], 0.430677, 1e-6),
    Example("notebook-control", "DCG@4", [2, 3, 0, 1], 7.847185, 1e-6),
    Example("notebook-test", "DCG@4", [3, 2, 1, 0], 9.392789, 1e-6),
    Example("notebook-frying-pan", "DCG@4", [3, 3, 3, 3], 17.93, 0.005),
    # An introduction to nDCG; the two missing documents stood below rank 6.
    Example("blog-cg", "CG@6", [3, 2, 3, 0, 1, 2], 11, 0),
    Example("blog-dcg", "DCG@6", [3, 2, 3, 0, 1, 2], 6.861, 0.001, LINEAR),
    Example("blog-ndcg", "nDCG@6", [3, 2, 3, 0, 1, 2], 0.818354, 1e-6, LINEAR, missing=[3, 0]),
    # A chatbot's figures for video search, with fractional grades.
    Example("chatbot-cg-1", "CG@3", [0.99, 0.91, 0.83], 2.73, 1e-9),
    Example("chatbot-cg-5", "CG@5", [0.99, 0.94, 0.88, 0.74, 0.71, 0.68], 4.26, 1e-9),
    Example("chatbot-dcg-a", "DCG@3", [0.99, 0.94, 0.88], 2.02307396835717, 1e-12, LINEAR),
    Example("chatbot-dcg-b", "DCG@3", [0.99, 0.83, 0.89], 1.9586716954643097, 1e-12, LINEAR),
    Example("chatbot-industry-a", "DCG@5", [0.99, 0.95, 0.8, 0.98, 0.97], 2.7344299716685585, 1e-12),
    Example("chatbot-industry-b", "DCG@5", [0.8, 0.99, 0.95, 0.98, 0.97], 2.6189991399064203, 1e-12),
    Example("chatbot-standard-a", "DCG@5", [0.99, 0.95, 0.8, 0.98, 0.97], 2.786693515822315, 1e-12, LINEAR),
    Example("chatbot-standard-b", "DCG@5", [0.8, 0.99, 0.95, 0.98, 0.97], 2.6969307059651735, 1e-12, LINEAR),
    Example("chatbot-ndcg", "nDCG@5", [0.99, 0.94, 0.74, 0.88, 0.71, 0.68], 0.9962906539247512, 1e-12, RETURNED),
    # The concepts: the ideal, what is missing, and what is bad.
    Example("concept-ideal", "DCG@6", [3, 3, 2, 2, 1, 0], 7.141, 0.001, LINEAR),
    Example("concept-ndcg", "nDCG@6", [3, 2, 3, 0, 1, 2], 0.961, 0.001, LINEAR),
    Example("concept-missing", "nDCG@5", [1, 1, 1], 0.722727, 1e-6, LINEAR, missing=[1, 1]),
    Example("concept-bad-penalised", "nDCG@4", [1, 1, 1, -1], 0.797893, 1e-6, LINEAR),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_published_figures(example: Example) -> None:
    one = score(
        parse_metric(example.metric),
        GradedRanking(list(example.grades), (), example.grades + example.missing),
        Settings(**example.settings),
    )
    returned = {f"returned-{rank}": grade for rank, grade in enumerate(example.grades)}
    missing = {f"missing-{number}": grade for number, grade in enumerate(example.missing)}
    batch = evaluate({"q": {**missing, **returned}}, {"q": list(returned)}, example.metric, **example.settings)

    assert one == pytest.approx(example.expected, rel=0, abs=example.tolerance or 0)
    assert batch.loc["q", example.metric] == one


def test_published_mean_of_three_queries() -> None:
    grades = [
        [0.99, 0.94, 0.88, 0.89, 0.72, 0.65],
        [0.99, 0.92, 0.93, 0.74, 0.61, 0.68],
        [0.99, 0.96, 0.81, 0.73, 0.76, 0.69],
    ]
    judgments = {
        f"q{number}": {f"d{rank}": grade for rank, grade in enumerate(row)} for number, row in enumerate(grades)
    }
    rankings = {query: list(table) for query, table in judgments.items()}
    scores = evaluate(judgments, rankings, "nDCG@5", gain="linear", ideal="returned")
    assert scores["nDCG@5"].mean() == pytest.approx(0.9961322104432755, rel=0, abs=1e-12)


def test_published_order_of_queries_by_dcg() -> None:
    grades = {
        "test": [3, 2, 1, 0],
        "control": [2, 3, 0, 1],
        "boots": [0, 0, 0, 1],
        "adhesive": [0, 0, 0, 0],
        "disagreement": [2, 3, 0, 1],
    }
    judgments = {query: {f"d{rank}": grade for rank, grade in enumerate(row)} for query, row in grades.items()}
    scores = evaluate(judgments, {query: list(table) for query, table in judgments.items()}, "DCG@4")
    lowest_first = scores.sort_index().sort_values("DCG@4", kind="stable")
    assert list(lowest_first.index) == ["adhesive", "boots", "control", "disagreement", "test"]


def test_published_ranking_with_unjudged_results() -> None:
    judgments = {"d1": 5, "d2": 5, "d3": 4, "d4": 4, "d5": 3, "d6": 3, "d7": 2, "d8": 2, "d9": 1, "d10": 1}
    ranking = ["d8", "d11", "d2", "d12", "d3", "d1", "d5", "d4", "d13", "d7"]
    scores = evaluate({"q": judgments}, {"q": ranking}, "nDCG@10")
    assert scores.loc["q", "nDCG@10"] == pytest.approx(0.598942, abs=1e-6)


# A shop's two queries under every ideal; the natural logarithm cancels in nDCG, and changes DCG.
SHOES = {
    "blue shoes": {"125125": 0.9, "5678": 0.9, "1122": 0.1},
    "red shoes": {"12225": 1.0, "1521": 0.9, "5125": 0.8, "1111": 0.1},
}
RESULTS = {"blue shoes": ["5678", "1122"], "red shoes": ["1521", "1251", "5125"]}


@pytest.mark.parametrize(
    ("metric", "unjudged", "ideal", "blue", "red"),
    [
        ("DCG", "zero", "judged", 1.3148, 1.784061),
        ("DCG", "skip", "judged", 1.3148, 1.924048),
        ("nDCG", "skip", "returned", 1.0, 1.0),
        ("nDCG", "skip", "judged", 0.62922, 0.684664),
        ("nDCG", "skip", "max", 0.558792, 0.817723),  # as many ideal ranks as there are scored results
        ("nDCG@10", "skip", "max", 0.200581, 0.293525),  # ten ideal ranks, however few were returned
    ],
)
def test_published_figures_of_a_shop(metric: str, unjudged: str, ideal: str, blue: float, red: float) -> None:
    scores = evaluate(SHOES, RESULTS, metric, discount="ln", unjudged=unjudged, ideal=ideal, max_grade=1.0)
    assert scores[metric].tolist() == pytest.approx([blue, red], rel=0, abs=1e-6)
    conventions = Settings(discount="ln", unjudged=unjudged, ideal=ideal, max_grade=1.0)
    for query, expected in (("blue shoes", blue), ("red shoes", red)):
        one = score(parse_metric(metric), grade_ranking(RESULTS[query], SHOES[query]), conventions)
        assert one == pytest.approx(expected, rel=0, abs=1e-6)
