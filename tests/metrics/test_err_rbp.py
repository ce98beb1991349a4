"""ERR and RBP beside the references that have them: figures that gdeval (through ir_measures) and ranx print."""

from __future__ import annotations

import pytest

from pytest_relevance import evaluate

Example = tuple[dict[str, int], list[str], float, float, float, float, float]

# judgments, ranking, gdeval's ERR@3 and ERR@20, ranx's RBP at p = 0.8, 0.5 and 0.95 (relevant: grade 1 and above)
EXAMPLES: list[Example] = [
    ({"a": 4, "b": 3, "c": 1, "d": 0}, ["b", "x", "a", "d", "c"], 0.61328, 0.61372, 0.40992, 0.65625, 0.1358503125),
    ({"a": 4, "b": 2, "c": 2, "d": 1}, ["a", "b", "c", "d"], 0.94653, 0.94718, 0.5904, 0.9375, 0.18549375),
    ({"a": 1, "b": 4}, ["x", "y", "z", "b"], 0.0, 0.23438, 0.1024, 0.0625, 0.04286875),
    ({"a": 0, "b": 2, "c": 4}, ["a", "b", "x", "c"], 0.09375, 0.28418, 0.2624, 0.3125, 0.09036875),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: " ".join(example[1]))
def test_err_is_gdevals_to_its_five_decimals(example: Example) -> None:
    judgments, ranking, at_3, at_20, *_ = example
    scores = evaluate({"q": judgments}, {"q": ranking}, ["ERR@3", "ERR@20"], max_grade=4).loc["q"]
    assert scores["ERR@3"] == pytest.approx(at_3, abs=5.1e-6)
    assert scores["ERR@20"] == pytest.approx(at_20, abs=5.1e-6)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: " ".join(example[1]))
def test_rbp_is_ranxs(example: Example) -> None:
    judgments, ranking, _, _, *expected = example
    metrics = ["RBP(p=0.8)", "RBP(p=0.5)", "RBP(p=0.95)"]
    scores = evaluate({"q": judgments}, {"q": ranking}, metrics).loc["q"]
    assert list(scores) == pytest.approx(expected, abs=1e-12)
