"""Figures that others published, and those of gdeval and ranx.

docs/background/ndcg.md goes through more of them, and prints what it shows.
"""

from typing import Any

import pytest

from pytest_relevance import evaluate

LINEAR = {"gain": "linear"}
RETURNED = {"gain": "linear", "ideal": "returned"}
VIDEOS = [0.99, 0.94, 0.74, 0.88, 0.71, 0.68]


@pytest.mark.parametrize(
    ("metric", "grades", "missing", "settings", "expected", "tolerance"),
    [
        ("DCG@4", [3, 2, 1, 0], [], {}, 9.392789, 1e-6),
        ("CG@6", [3, 2, 3, 0, 1, 2], [], {}, 11, 0),
        ("DCG@6", [3, 2, 3, 0, 1, 2], [], LINEAR, 6.861, 0.001),
        ("nDCG@6", [3, 2, 3, 0, 1, 2], [], LINEAR, 0.961, 0.001),
        ("nDCG@6", [3, 2, 3, 0, 1, 2], [3, 0], LINEAR, 0.818354, 1e-6),
        ("nDCG@5", [1, 1, 1], [1, 1], LINEAR, 0.722727, 1e-6),
        ("nDCG@4", [1, 1, 1, -1], [], LINEAR, 0.797893, 1e-6),
        ("CG@3", [0.99, 0.91, 0.83], [], {}, 2.73, 1e-9),
        ("DCG@3", [0.99, 0.94, 0.88], [], LINEAR, 2.02307396835717, 1e-12),
        ("DCG@5", [0.99, 0.95, 0.8, 0.98, 0.97], [], {}, 2.7344299716685585, 1e-12),
        ("nDCG@5", VIDEOS, [], RETURNED, 0.9962906539247512, 1e-12),
    ],
)
def test_published_figures_of_one_query(
    metric: str,
    grades: list[float],
    missing: list[float],
    settings: dict[str, Any],
    expected: float,
    tolerance: float,
) -> None:
    """`missing` are the grades of judged documents that were not returned."""
    returned = {f"returned {rank}": grade for rank, grade in enumerate(grades)}
    others = {f"missing {number}": grade for number, grade in enumerate(missing)}
    judgments = {"q": {**others, **returned}}
    scores = evaluate(judgments, {"q": list(returned)}, metric, **settings)
    assert scores.loc["q", metric] == pytest.approx(expected, rel=0, abs=tolerance)


def test_a_published_ranking_with_unjudged_results() -> None:
    grades = [5, 5, 4, 4, 3, 3, 2, 2, 1, 1]
    judgments = {f"d{number}": grade for number, grade in enumerate(grades, 1)}
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
        # as many ideal ranks as there are scored results
        ("nDCG", "skip", "max", 0.558792, 0.817723),
        # ten ideal ranks, however few were returned
        ("nDCG@10", "skip", "max", 0.200581, 0.293525),
    ],
)
def test_published_figures_of_a_shop(
    metric: str, unjudged: str, ideal: str, blue: float, red: float
) -> None:
    settings: dict[str, Any] = {"unjudged": unjudged, "ideal": ideal, "max_grade": 1.0}
    scores = evaluate(SHOES, RESULTS, metric, discount="ln", **settings)
    assert scores[metric].tolist() == pytest.approx([blue, red], rel=0, abs=1e-6)


@pytest.mark.parametrize(
    ("judgments", "ranking", "err", "rbp"),
    [
        (
            {"a": 4, "b": 3, "c": 1, "d": 0},
            "bxadc",
            [0.61328, 0.61372],
            [0.40992, 0.65625, 0.1358503125],
        ),
        (
            {"a": 4, "b": 2, "c": 2, "d": 1},
            "abcd",
            [0.94653, 0.94718],
            [0.5904, 0.9375, 0.18549375],
        ),
        ({"a": 1, "b": 4}, "xyzb", [0.0, 0.23438], [0.1024, 0.0625, 0.04286875]),
        (
            {"a": 0, "b": 2, "c": 4},
            "abxc",
            [0.09375, 0.28418],
            [0.2624, 0.3125, 0.09036875],
        ),
    ],
)
def test_err_is_gdevals_to_its_five_decimals_and_rbp_is_ranxs(
    judgments: dict[str, int], ranking: str, err: list[float], rbp: list[float]
) -> None:
    names = ["ERR@3", "ERR@20", "RBP(p=0.8)", "RBP(p=0.5)", "RBP(p=0.95)"]
    table = evaluate({"q": judgments}, {"q": list(ranking)}, names, max_grade=4)
    scores = list(table.loc["q"])
    assert scores[:2] == pytest.approx(err, abs=5.1e-6)
    assert scores[2:] == pytest.approx(rbp, abs=1e-12)
