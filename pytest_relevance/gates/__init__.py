"""Kinds of gates: `mean`, `max_drop`, `passing`, `latency`, all of a kind in one row.

Another package adds a kind by an entry point of the group `pytest_relevance.gates` that
names a `GateKind`. What it needs for that is here.
"""

from pytest_relevance.cases.location import WRONG as WRONG
from pytest_relevance.cases.location import Location as Location
from pytest_relevance.cases.model import Gate as Gate
from pytest_relevance.gates.kind import CaseBehind as CaseBehind
from pytest_relevance.gates.kind import Finding as Finding
from pytest_relevance.gates.kind import GateKind as GateKind
from pytest_relevance.gates.kind import Reference as Reference
from pytest_relevance.results.case_result import CaseResult as CaseResult
