"""Random runs score as pytrec_eval scores them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import evaluate

pytrec_eval = pytest.importorskip("pytrec_eval")


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
    "success.5",
}
ASKED |= {"Rprec", "bpref", "infAP"}
BINARY = ("P@5", "R@5", "AP", "RR", "Rprec", "Bpref")
# pytrec_eval may crash where a query has negative grades only, so that every query has
# one other.
QRELS = st.dictionaries(
    st.sampled_from(DOCUMENTS), st.integers(-2, 4), max_size=12
).map(lambda table: {"j": 0, **table})
# Few scores, so that there are many ties; small whole numbers, because pytrec_eval
# holds scores in single precision.
RUN = st.dictionaries(
    st.sampled_from(DOCUMENTS), st.integers(-3, 3).map(float), min_size=1, max_size=12
)


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
    theirs = pytrec_eval.RelevanceEvaluator(
        judgments, ASKED, relevance_level=level
    ).evaluate(run)
    names = {
        name: name if level == 1 else f"{name}(rel={level})"
        for name in (EQUAL if level == 1 else BINARY)
    }
    ours = evaluate(
        judgments,
        run,
        list(names.values()),
        gain="linear",
        negative="zero",
        undefined="zero",
    )
    for query in judgments:
        expected = {
            written: theirs[query][EQUAL[name]] for name, written in names.items()
        }
        assert ours.loc[query].to_dict() == pytest.approx(expected, rel=0, abs=1e-12)
