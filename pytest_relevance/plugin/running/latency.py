"""Which cases look at the latency of their search, and what happens if it could not be
measured.
"""

from __future__ import annotations

from pytest_relevance.cases.model import Case
from pytest_relevance.expectations.kind import expectation_kind
from pytest_relevance.gates.kind import gate_kind
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running.case_run import CaseRun

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

STOOD_STILL = (
    "the clock stood still during the search, so that its latency is not known: "
    "time.perf_counter was replaced before pytest-relevance was loaded"
)


def looks_at_latency(case: Case) -> bool:
    """Whether an expectation of a case, or a gate of its file, looks at the latency."""
    if any(expectation_kind(expected.kind).needs_latency for expected in case.expect):
        return True
    gates = case.terms.gates
    return any(gate_kind(gate.condition).needs_latency for gate in gates)


def why_unmeasured(this: CaseRun) -> str:
    """Return why a case cannot be judged whose search has no latency; empty if it can.

    A case that does not look at the latency can. A warning of the run says then why no
    latency is known.
    """
    if looks_at_latency(this.case):
        return f"{STOOD_STILL}; stop the time later, or leave time.perf_counter alone"
    run_store(this.item.config).unsent.warn(STOOD_STILL, STOOD_STILL)
    return ""
