"""Random runs score as pytrec_eval scores them."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance import evaluate

pytrec_eval = pytest.importorskip("pytrec_eval")


def as_trec_eval(
    judgments: dict[str, dict[str, int]], run: dict[str, dict[str, float]], metrics: list[str]
) -> pd.DataFrame:
    return evaluate(judgments, run, metrics, gain="linear", negative="zero", undefined="zero")


DOCUMENTS = [f"d{number}" for number in range(12)]
EQUAL = {
    "nDCG": "ndcg",
    "nDCG@1": "ndcg_cut_1",
    "nDCG@5": "ndcg_cut_5",
    "nDCG@100": "ndcg_cut_100",
    "P": "set_P",
    "P@1": "P_1",
    "P@5": "P_5",
    "R@5": "recall_5",
    "AP": "map",
    "AP@5": "map_cut_5",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "Bpref": "bpref",
    "infAP": "infAP",
    "Success@5": "success_5",
}
ASKED = {
    "ndcg",
    "ndcg_cut.1,5,100",
    "set_P",
    "P.1,5",
    "recall.5",
    "map",
    "map_cut.5",
    "recip_rank",
    "Rprec",
    "bpref",
    "infAP",
}
# pytrec_eval may crash where a query has negative grades only, so that every query has one other.
QRELS = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-2, 4), max_size=12).map(
    lambda table: {"j": 0, **table}
)
# Few scores, so that there are many ties; small whole numbers, because pytrec_eval holds scores in single precision.
RUN = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-3, 3).map(float), min_size=1, max_size=12)


@given(qrels=st.lists(QRELS, min_size=1, max_size=4), runs=st.lists(RUN, min_size=4, max_size=4))
@settings(deadline=None)
def test_equal_to_pytrec_eval_on_random_runs(qrels: list[dict[str, int]], runs: list[dict[str, float]]) -> None:
    judgments = {str(number): table for number, table in enumerate(qrels)}
    run = {str(number): runs[number] for number in range(len(qrels))}
    theirs = pytrec_eval.RelevanceEvaluator(judgments, ASKED | {"success.5"}).evaluate(run)
    ours = as_trec_eval(judgments, run, list(EQUAL))
    for query in judgments:
        expected = {name: theirs[query][trec_name] for name, trec_name in EQUAL.items()}
        assert ours.loc[query].to_dict() == pytest.approx(expected, rel=0, abs=1e-12)


@given(level=st.integers(1, 4), qrels=QRELS, run=RUN)
@settings(deadline=None)
def test_equal_to_pytrec_eval_at_any_relevance_level(level: int, qrels: dict[str, int], run: dict[str, float]) -> None:
    binary = {
        f"P(rel={level})@5": "P_5",
        f"AP(rel={level})": "map",
        f"RR(rel={level})": "recip_rank",
        f"Bpref(rel={level})": "bpref",
        f"Rprec(rel={level})": "Rprec",
        f"R(rel={level})@5": "recall_5",
    }
    evaluator = pytrec_eval.RelevanceEvaluator({"q": qrels}, ASKED, relevance_level=level)
    theirs = evaluator.evaluate({"q": run})["q"]
    ours = as_trec_eval({"q": qrels}, {"q": run}, list(binary)).loc["q"]
    assert ours.to_dict() == pytest.approx({name: theirs[trec] for name, trec in binary.items()}, rel=0, abs=1e-12)
