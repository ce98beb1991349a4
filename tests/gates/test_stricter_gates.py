"""Which gate is as strict as another one: whatever meets it meets the other one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, FileInfo
from pytest_relevance.gates.drop import DROP_GATE
from pytest_relevance.gates.judging import judge_gates
from pytest_relevance.gates.kind import GateKind
from pytest_relevance.gates.latency import LATENCY_GATE
from pytest_relevance.gates.mean import MEAN_GATE
from pytest_relevance.gates.passing import PASSING_GATE
from pytest_relevance.gates.percentile import MIN_GATE, PERCENTILE_GATE
from pytest_relevance.results.case_parts import BaselineComparison
from tests.helpers import case_result, gates_of

FILE = "shop.relevance.yaml"
METRICS = ("nDCG@10", "RR")
CHARACTERS = "characters@5"  # of which a lower score is better
SCORES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
BOUNDS = st.dictionaries(st.sampled_from(METRICS), SCORES, min_size=1)
MEANS = st.dictionaries(st.sampled_from([*METRICS, CHARACTERS]), SCORES, min_size=1)
TIMES = st.builds(
    "{} {} ms".format, st.sampled_from(["<=", "<"]), st.sampled_from([100, 200])
)
KINDS: dict[str, tuple[GateKind, st.SearchStrategy[Any]]] = {
    "mean": (MEAN_GATE, st.fixed_dictionaries({"mean": MEANS})),
    "min": (MIN_GATE, st.fixed_dictionaries({"min": MEANS})),
    "percentile": (
        PERCENTILE_GATE,
        st.one_of(*[st.fixed_dictionaries({p: MEANS}) for p in ("p20", "p34", "p50")]),
    ),
    "passing": (
        PASSING_GATE,
        st.fixed_dictionaries({"passing": st.sampled_from([0.25, 0.5, 0.75, 1])}),
    ),
    "max_drop": (
        DROP_GATE,
        st.fixed_dictionaries(
            {"max_drop": BOUNDS}, optional={"p": st.sampled_from([0.1, 0.3, 0.6])}
        ),
    ),
    "latency": (
        LATENCY_GATE,
        st.fixed_dictionaries(
            {
                "latency": st.dictionaries(
                    st.sampled_from(["p50", "mean", "max"]), TIMES, min_size=1
                )
            }
        ),
    ),
}


@st.composite
def runs(draw: st.DrawFn) -> list[CaseResult]:
    """Up to six cases, most with a score by each metric now and in the baseline."""
    results = []
    for number in range(draw(st.integers(1, 6))):
        now = {name: draw(SCORES) for name in (*METRICS, CHARACTERS)}
        before = {name: draw(SCORES) for name in (*METRICS, CHARACTERS)}
        baseline = None
        if draw(st.integers(0, 5)):
            baseline = BaselineComparison("within", before["nDCG@10"], scores=before)
        result = case_result(
            FILE,
            3,
            f"q{number}",
            draw(st.sampled_from(["passed", "failed", "measured"])),
            scores=now,
            judgments={3: 1},
            digest="ab",
            baseline=baseline,
            latency=draw(st.sampled_from([0.05, 0.1, 0.15, 0.2, 0.3])),
            weight=draw(st.sampled_from([1, 2])),
        )
        results.append(result)
    return results


def is_met(gate: dict[str, Any], results: list[CaseResult]) -> bool:
    totals = [("search", None, len(results))]
    file = FileInfo(FILE, totals=totals, gates=gates_of(gate))
    (found,) = judge_gates(results, {FILE: file})
    return found.outcome() == "passed"


@pytest.mark.parametrize("name", KINDS)
@given(st.data())
def test_what_meets_a_gate_meets_the_gate_that_it_implies(
    name: str, data: st.DataObject
) -> None:
    kind, gates = KINDS[name]
    both = data.draw(gates), data.draw(gates)
    now, before = (gates_of(gate)[0] for gate in both)
    if not kind.implies(now, before):
        return
    for results in data.draw(st.lists(runs(), min_size=4, max_size=4)):
        if is_met(both[0], results):
            assert is_met(both[1], results)
