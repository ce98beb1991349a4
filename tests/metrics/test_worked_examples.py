"""Figures that others published, worked through by hand: each holds for one query and
for a batch.
"""

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
    """A ranking given by its grades; `missing` are the grades of judged documents that
    were not returned.
    """

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
    Example("notebook-test", "DCG@4", [3, 2, 1, 0], 9.392789, 1e-6),
    Example("notebook-frying-pan", "DCG@4", [3, 3, 3, 3], 17.93, 0.005),
    # An introduction to nDCG; the two missing documents stood below rank 6.
    Example("blog-cg", "CG@6", [3, 2, 3, 0, 1, 2], 11, 0),
    Example("blog-dcg", "DCG@6", [3, 2, 3, 0, 1, 2], 6.861, 0.001, LINEAR),
    Example(
        "blog-ndcg",
        "nDCG@6",
        [3, 2, 3, 0, 1, 2],
        0.818354,
        1e-6,
        LINEAR,
        missing=[3, 0],
    ),
    # A chatbot's figures for video search, with fractional grades.
    Example("chatbot-cg-1", "CG@3", [0.99, 0.91, 0.83], 2.73, 1e-9),
    Example(
        "chatbot-dcg-a", "DCG@3", [0.99, 0.94, 0.88], 2.02307396835717, 1e-12, LINEAR
    ),
    Example(
        "chatbot-industry-a",
        "DCG@5",
        [0.99, 0.95, 0.8, 0.98, 0.97],
        2.7344299716685585,
        1e-12,
    ),
    Example(
        "chatbot-standard-a",
        "DCG@5",
        [0.99, 0.95, 0.8, 0.98, 0.97],
        2.786693515822315,
        1e-12,
        LINEAR,
    ),
    Example(
        "chatbot-ndcg",
        "nDCG@5",
        [0.99, 0.94, 0.74, 0.88, 0.71, 0.68],
        0.9962906539247512,
        1e-12,
        RETURNED,
    ),
    # The concepts: the ideal, what is missing, and what is bad.
    Example("concept-ideal", "DCG@6", [3, 3, 2, 2, 1, 0], 7.141, 0.001, LINEAR),
    Example("concept-ndcg", "nDCG@6", [3, 2, 3, 0, 1, 2], 0.961, 0.001, LINEAR),
    Example(
        "concept-missing", "nDCG@5", [1, 1, 1], 0.722727, 1e-6, LINEAR, missing=[1, 1]
    ),
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
    missing = {
        f"missing-{number}": grade for number, grade in enumerate(example.missing)
    }
    batch = evaluate(
        {"q": {**missing, **returned}},
        {"q": list(returned)},
        example.metric,
        **example.settings,
    )

    assert one == pytest.approx(example.expected, rel=0, abs=example.tolerance or 0)
    assert batch.loc["q", example.metric] == one


def test_published_ranking_with_unjudged_results() -> None:
    judgments = {
        "d1": 5,
        "d2": 5,
        "d3": 4,
        "d4": 4,
        "d5": 3,
        "d6": 3,
        "d7": 2,
        "d8": 2,
        "d9": 1,
        "d10": 1,
    }
    ranking = ["d8", "d11", "d2", "d12", "d3", "d1", "d5", "d4", "d13", "d7"]
    scores = evaluate({"q": judgments}, {"q": ranking}, "nDCG@10")
    assert scores.loc["q", "nDCG@10"] == pytest.approx(0.598942, abs=1e-6)


# A shop's two queries under every ideal; the natural logarithm cancels in nDCG, and
# changes DCG.
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
        (
            "nDCG",
            "skip",
            "max",
            0.558792,
            0.817723,
        ),  # as many ideal ranks as there are scored results
        (
            "nDCG@10",
            "skip",
            "max",
            0.200581,
            0.293525,
        ),  # ten ideal ranks, however few were returned
    ],
)
def test_published_figures_of_a_shop(
    metric: str, unjudged: str, ideal: str, blue: float, red: float
) -> None:
    scores = evaluate(
        SHOES,
        RESULTS,
        metric,
        discount="ln",
        unjudged=unjudged,
        ideal=ideal,
        max_grade=1.0,
    )
    assert scores[metric].tolist() == pytest.approx([blue, red], rel=0, abs=1e-6)
    conventions = Settings(discount="ln", unjudged=unjudged, ideal=ideal, max_grade=1.0)
    for query, expected in (("blue shoes", blue), ("red shoes", red)):
        one = score(
            parse_metric(metric),
            grade_ranking(RESULTS[query], SHOES[query]),
            conventions,
        )
        assert one == pytest.approx(expected, rel=0, abs=1e-6)


# ERR and RBP beside the references that have them: gdeval (through ir_measures) and
# ranx.

Reference = tuple[dict[str, int], list[str], float, float, float, float, float]

# judgments, ranking, gdeval's ERR@3 and ERR@20, ranx's RBP at p = 0.8, 0.5 and 0.95
# (relevant: grade 1 and above)
REFERENCES: list[Reference] = [
    (
        {"a": 4, "b": 3, "c": 1, "d": 0},
        ["b", "x", "a", "d", "c"],
        0.61328,
        0.61372,
        0.40992,
        0.65625,
        0.1358503125,
    ),
    (
        {"a": 4, "b": 2, "c": 2, "d": 1},
        ["a", "b", "c", "d"],
        0.94653,
        0.94718,
        0.5904,
        0.9375,
        0.18549375,
    ),
    ({"a": 1, "b": 4}, ["x", "y", "z", "b"], 0.0, 0.23438, 0.1024, 0.0625, 0.04286875),
    (
        {"a": 0, "b": 2, "c": 4},
        ["a", "b", "x", "c"],
        0.09375,
        0.28418,
        0.2624,
        0.3125,
        0.09036875,
    ),
]


@pytest.mark.parametrize(
    "reference", REFERENCES, ids=lambda reference: " ".join(reference[1])
)
def test_err_is_gdevals_to_its_five_decimals(reference: Reference) -> None:
    judgments, ranking, at_3, at_20, *_ = reference
    scores = evaluate(
        {"q": judgments}, {"q": ranking}, ["ERR@3", "ERR@20"], max_grade=4
    ).loc["q"]
    assert scores["ERR@3"] == pytest.approx(at_3, abs=5.1e-6)
    assert scores["ERR@20"] == pytest.approx(at_20, abs=5.1e-6)


@pytest.mark.parametrize(
    "reference", REFERENCES, ids=lambda reference: " ".join(reference[1])
)
def test_rbp_is_ranxs(reference: Reference) -> None:
    judgments, ranking, _, _, *expected = reference
    metrics = ["RBP(p=0.8)", "RBP(p=0.5)", "RBP(p=0.95)"]
    scores = evaluate({"q": judgments}, {"q": ranking}, metrics).loc["q"]
    assert list(scores) == pytest.approx(expected, abs=1e-12)
