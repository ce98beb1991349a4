"""Random runs score as pytrec_eval scores them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import evaluate

pytrec_eval = pytest.importorskip("pytrec_eval")

NAMES = {
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
WITH_LEVEL = ("P@5", "R@5", "AP", "RR", "Rprec", "Bpref")
WANTED = {
    *("ndcg", "ndcg_cut.1,5,100", "set_P", "P.1,5", "recall.5", "map", "map_cut.5"),
    *("recip_rank", "success.5", "Rprec", "bpref", "infAP"),
}
DOCUMENTS = st.sampled_from([f"d{number}" for number in range(12)])
# pytrec_eval may crash if a query has negative grades only, so every query has one
# other.
QRELS = st.dictionaries(DOCUMENTS, st.integers(-2, 4), max_size=12).map(
    lambda table: {"j": 0, **table}
)
# Few scores, so that there are many ties; small whole numbers, because pytrec_eval
# holds scores in single precision.
SCORES = st.integers(-3, 3).map(float)
RUN = st.dictionaries(DOCUMENTS, SCORES, min_size=1, max_size=12)


@given(
    qrels=st.lists(QRELS, min_size=1, max_size=4),
    runs=st.lists(RUN, min_size=4, max_size=4),
    level=st.sampled_from([1, 1, 2, 3, 4]),
)
def test_equal_to_pytrec_eval_on_random_runs(
    qrels: list[dict[str, int]], runs: list[dict[str, float]], level: int
) -> None:
    judgments = {str(number): table for number, table in enumerate(qrels)}
    run = {str(number): runs[number] for number in range(len(qrels))}
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, WANTED, relevance_level=level)
    theirs = evaluator.evaluate(run)
    names = {name: name for name in NAMES}
    if level > 1:
        names = {name: f"{name}(rel={level})" for name in WITH_LEVEL}
    ours = evaluate(
        judgments,
        run,
        list(names.values()),
        gain="linear",
        negative="zero",
        undefined="zero",
    )
    for query in judgments:
        expected = {names[name]: theirs[query][NAMES[name]] for name in names}
        assert ours.loc[query].to_dict() == pytest.approx(expected, rel=0, abs=1e-12)
