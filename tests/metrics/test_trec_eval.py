"""The figures of trec_eval: what it prints for small runs, and for its own test
collection.
"""

import json
from dataclasses import dataclass
from pathlib import Path

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


def as_trec_eval(
    judgments: Judgments, run: Run, metrics: list[str], unjudged: str = "zero"
) -> pd.DataFrame:
    """Score with the settings that reach trec_eval's figures; "skip" is its option
    -J.
    """
    return evaluate(
        judgments,
        run,
        metrics,
        gain="linear",
        negative="zero",
        undefined="zero",
        unjudged=unjudged,
    )


@dataclass(frozen=True, slots=True)
class Vector:
    name: str
    judgments: Judgments
    run: Run
    expected: dict[str, dict[str, float]]
    unjudged: str = "zero"


VECTORS = [
    Vector(**row)
    for row in json.loads(
        Path(__file__).with_name("trec_eval.json").read_text(encoding="utf-8")
    )
]
"""Small runs with the figures that trec_eval 10.0 prints for them, to the last
digit.
"""


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_figures_of_trec_eval(vector: Vector) -> None:
    for query, figures in vector.expected.items():
        scores = as_trec_eval(
            vector.judgments, vector.run, list(figures), vector.unjudged
        )
        assert scores.loc[query].to_dict() == pytest.approx(figures, rel=0, abs=1e-12)
        # one query at a time
        conventions = Settings(
            "linear", negative="zero", undefined="zero", unjudged=vector.unjudged
        )
        ranking = sorted(
            vector.run[query],
            key=lambda document: (vector.run[query][document], document),
            reverse=True,
        )
        graded = grade_ranking(ranking, vector.judgments[query])
        alone = {
            metric: score(parse_metric(metric), graded, conventions)
            for metric in figures
        }
        assert alone == pytest.approx(figures, rel=0, abs=1e-12)


def test_a_query_that_is_missing_from_the_run_scores_zero_and_one_without_judgments_is_left_out() -> (
    None
):
    run = {"q1": {"a": 1.0}, "q9": {"a": 1.0}}
    scores = as_trec_eval(
        {"q1": {"a": 1}, "q2": {"b": 1}}, run, ["nDCG@10", "AP", "P@1"]
    )
    assert list(scores.loc["q2"]) == [0.0, 0.0, 0.0]  # as with its option -c
    assert list(scores.index) == ["q1", "q2"]


def test_judged_is_one_less_the_share_that_trec_eval_calls_unjudged_where_k_were_returned() -> (
    None
):
    judgments = {"q1": {"a": 3, "b": 2, "c": 0, "e": -1}}
    run = {"q1": {"c": 5.0, "x": 4.0, "b": 3.0, "a": 2.0, "e": 1.0}}
    unj_5 = 0.4  # x, and e whose grade is negative
    assert as_trec_eval(judgments, run, ["Judged@5"]).loc["q1", "Judged@5"] == 1 - unj_5
    assert (
        as_trec_eval(judgments, run, ["Judged@10"]).loc["q1", "Judged@10"] == 3 / 5
    )  # its unj_10 is 2 / 10


# What `trec_eval -q -m all_trec` calls our measures. Its rbp is graded; no grade of its
# test collection is above 1.
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
    **{f"nDCG@{k}": f"ndcg_cut_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"P@{k}": f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"R@{k}": f"recall_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"AP@{k}": f"map_cut_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"Success@{k}": f"success_{k}" for k in (1, 5, 10)},
}


def test_the_collection_that_trec_eval_is_tested_with() -> None:
    data = reference("data/trec_eval")
    judgments = pd.read_csv(
        data / "qrels.test",
        sep=r"\s+",
        names=["query", "iteration", "document", "grade"],
    )
    run = pd.read_csv(
        data / "results.test",
        sep=r"\s+",
        names=["query", "q0", "document", "place", "score", "tag"],
    )
    printed = pd.read_csv(
        data / "out.test.aq", sep=r"\s+", names=["measure", "query", "value"], dtype=str
    )
    judgments["document"] = judgments["document"].astype(str)
    scores = evaluate(
        judgments,
        run,
        list(TREC_NAMES),
        gain="linear",
        negative="zero",
        undefined="zero",
    )
    judged = evaluate(
        judgments, run, ["Judged@5", "Judged@10", "Judged@20"], negative="zero"
    )
    figures = {(row.query, row.measure): row.value for row in printed.itertuples()}
    queries = [query for query in scores.index if (query, "map") in figures]
    assert len(queries) == 3
    for query in queries:
        for name, trec_name in TREC_NAMES.items():
            assert f"{scores.loc[query, name]:.4f}" == figures[query, trec_name], (
                f"{name} of query {query}"
            )
        for k in (5, 10, 20):
            assert (
                f"{1 - judged.loc[query, f'Judged@{k}']:.4f}"
                == figures[query, f"unj_{k}"]
            ), f"query {query}"
    means = scores.loc[queries].mean()
    for name, trec_name in TREC_NAMES.items():
        assert means[name] == pytest.approx(
            float(str(figures["all", trec_name])), abs=0.5001e-4
        ), name
