"""The figures of trec_eval: what it prints for small runs, and for its own test
collection.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pytest_relevance import evaluate
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.ndcg import grade_ranking
from pytest_relevance.metrics.settings import Settings
from tests.chorus import reference

Judgments = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

TREC_EVAL: dict[str, Any] = {
    "gain": "linear",
    "negative": "zero",
    "undefined": "zero",
}
"""The settings with which figures are those of trec_eval."""


@dataclass(frozen=True, slots=True)
class Vector:
    """`unjudged` is "skip" for trec_eval's option -J."""

    name: str
    judgments: Judgments
    run: Run
    expected: dict[str, dict[str, float]]
    unjudged: str = "zero"


PATH = Path(__file__).with_name("trec_eval.json")
VECTORS = [Vector(**row) for row in json.loads(PATH.read_text(encoding="utf-8"))]
"""Small runs with the figures that trec_eval 10.0 prints for them, to the last
digit.
"""


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_figures_of_trec_eval(vector: Vector) -> None:
    settings = {**TREC_EVAL, "unjudged": vector.unjudged}
    for query, figures in vector.expected.items():
        names = list(figures)
        scores = evaluate(vector.judgments, vector.run, names, **settings)
        together = scores.loc[query].to_dict()
        assert together == pytest.approx(figures, rel=0, abs=1e-12)
        by_score = sorted(
            ((score, document) for document, score in vector.run[query].items()),
            reverse=True,
        )
        ranking = [document for _, document in by_score]
        graded = grade_ranking(ranking, vector.judgments[query])
        alone = {}
        for name in names:
            alone[name] = score(parse_metric(name), graded, Settings(**settings))
        assert alone == pytest.approx(figures, rel=0, abs=1e-12)


def test_a_query_without_a_ranking_scores_zero_and_one_without_judgments_is_left_out() -> (
    None
):
    judgments = {"q1": {"a": 1}, "q2": {"b": 1}}
    run = {"q1": {"a": 1.0}, "q9": {"a": 1.0}}
    scores = evaluate(judgments, run, ["nDCG@10", "AP", "P@1"], **TREC_EVAL)
    assert list(scores.loc["q2"]) == [0.0, 0.0, 0.0]  # as with its option -c
    assert list(scores.index) == ["q1", "q2"]


def test_judged_is_1_less_what_trec_eval_calls_unjudged_if_k_were_returned() -> None:
    judgments = {"q1": {"a": 3, "b": 2, "c": 0, "e": -1}}
    run = {"q1": {"c": 5.0, "x": 4.0, "b": 3.0, "a": 2.0, "e": 1.0}}
    scores = evaluate(judgments, run, ["Judged@5", "Judged@10"], **TREC_EVAL)
    # its unj_5 is 0.4 (x, and e whose grade is negative), and its unj_10 is 2 / 10
    assert list(scores.loc["q1"]) == [1 - 0.4, 3 / 5]


# What `trec_eval -q -m all_trec` calls our measures. Its rbp is graded; no grade of its
# test collection is above 1.
DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TREC_NAMES = {
    "nDCG": "ndcg",
    "AP": "map",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "Bpref": "bpref",
    "infAP": "infAP",
    "RBP(p=0.9)": "rbp",
    "gRBP(p=0.9)": "rbp",
    "R": "set_recall",
    **{f"nDCG@{k}": f"ndcg_cut_{k}" for k in DEPTHS},
    **{f"P@{k}": f"P_{k}" for k in DEPTHS},
    **{f"R@{k}": f"recall_{k}" for k in DEPTHS},
    **{f"AP@{k}": f"map_cut_{k}" for k in DEPTHS},
    **{f"Success@{k}": f"success_{k}" for k in (1, 5, 10)},
}
TREC_UNJUDGED = {f"Judged@{k}": f"unj_{k}" for k in (5, 10, 20)}


def read_table(name: str, *columns: str, **options: Any) -> pd.DataFrame:
    path = reference("data/trec_eval") / name
    table: pd.DataFrame = pd.read_csv(path, sep=r"\s+", names=columns, **options)
    return table


def test_the_collection_that_trec_eval_is_tested_with() -> None:
    judgments = read_table("qrels.test", "query", "iteration", "document", "grade")
    judgments["document"] = judgments["document"].astype(str)
    columns = ("query", "q0", "document", "place", "score", "tag")
    run = read_table("results.test", *columns)
    printed = read_table("out.test.aq", "measure", "query", "value", dtype=str)
    figures = {(row.query, row.measure): row.value for row in printed.itertuples()}
    names = [*TREC_NAMES, *TREC_UNJUDGED]
    scores = evaluate(judgments, run, names, **TREC_EVAL)
    queries = [query for query in scores.index if (query, "map") in figures]
    assert len(queries) == 3
    for query in queries:
        for name, trec_name in TREC_NAMES.items():
            figure = f"{scores.loc[query, name]:.4f}"
            assert figure == figures[query, trec_name], f"{name} of query {query}"
        for name, trec_name in TREC_UNJUDGED.items():
            figure = f"{1 - scores.loc[query, name]:.4f}"
            assert figure == figures[query, trec_name], f"{name} of query {query}"
    means = scores.loc[queries].mean()
    for name, trec_name in TREC_NAMES.items():
        expected = pytest.approx(float(str(figures["all", trec_name])), abs=0.5001e-4)
        assert means[name] == expected, name
