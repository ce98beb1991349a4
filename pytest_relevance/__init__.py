"""Search-relevance regression tests for pytest, and the library they are made of.

The public names are loaded when they are first used (PEP 562): importing the package imports nothing heavy, so that
a test run without case files pays nothing for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_relevance.cases.model import Case, Suite
    from pytest_relevance.cases.problems import CaseFileError
    from pytest_relevance.cases.reader import read_suite
    from pytest_relevance.metrics.similarity import jaccard, kendall_tau, overlap, rbo
    from pytest_relevance.reports.breakdown import breakdown
    from pytest_relevance.runs.evaluate import evaluate

__version__ = "0.1.0"

_HOMES = {
    "Case": "pytest_relevance.cases.model",
    "CaseFileError": "pytest_relevance.cases.problems",
    "Suite": "pytest_relevance.cases.model",
    "breakdown": "pytest_relevance.reports.breakdown",
    "evaluate": "pytest_relevance.runs.evaluate",
    "jaccard": "pytest_relevance.metrics.similarity",
    "kendall_tau": "pytest_relevance.metrics.similarity",
    "overlap": "pytest_relevance.metrics.similarity",
    "rbo": "pytest_relevance.metrics.similarity",
    "read_suite": "pytest_relevance.cases.reader",
}

__all__ = [
    "Case",
    "CaseFileError",
    "Suite",
    "breakdown",
    "evaluate",
    "jaccard",
    "kendall_tau",
    "overlap",
    "rbo",
    "read_suite",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
