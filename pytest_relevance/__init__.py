"""Search-relevance regression tests for pytest, and the library that implements them.

Public names are imported on first use (PEP 562): importing the package imports nothing
heavy, so it does not slow down a test run without case files.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_relevance.cases.model import Case as Case, Suite as Suite
    from pytest_relevance.cases.location import CaseFileError as CaseFileError
    from pytest_relevance.cases.reader import read_suite as read_suite
    from pytest_relevance._problems import RelevanceWarning as RelevanceWarning
    from pytest_relevance.judgments.scale import aggregate as aggregate
    from pytest_relevance.judgments.reading import (
        read_judgments as read_judgments,
        read_queries as read_queries,
        read_run as read_run,
    )
    from pytest_relevance.metrics.similarity import (
        jaccard as jaccard,
        kendall_tau as kendall_tau,
        overlap as overlap,
        rbo as rbo,
    )
    from pytest_relevance.metrics.agreement import (
        krippendorff_alpha as krippendorff_alpha,
    )
    from pytest_relevance.metrics.significance import (
        bootstrap_interval as bootstrap_interval,
        holm as holm,
        randomisation_test as randomisation_test,
    )
    from pytest_relevance.plugin.running.fixture import Relevance as Relevance
    from pytest_relevance.results.breakdown import (
        Breakdown as Breakdown,
        breakdown as breakdown,
    )
    from pytest_relevance.ext.comparing.compare import compare_runs as compare_runs
    from pytest_relevance.results.case_result import CaseResult as CaseResult
    from pytest_relevance.results.compare.comparison import Comparison as Comparison
    from pytest_relevance.results.compare.incompatibilities import (
        Incomparable as Incomparable,
    )
    from pytest_relevance.results.evaluate import evaluate as evaluate
    from pytest_relevance.results.records.run import Run as Run
    from pytest_relevance.results.records.run_info import (
        FileInfo as FileInfo,
        RunError as RunError,
        RunFinding as RunFinding,
        RunInfo as RunInfo,
    )

__version__ = "0.1.0"

_MODULES = {
    "_problems": "RelevanceWarning",
    "cases.model": "Case Suite",
    "cases.location": "CaseFileError",
    "cases.reader": "read_suite",
    "judgments.reading": "read_judgments read_queries read_run",
    "judgments.scale": "aggregate",
    "metrics.similarity": "jaccard kendall_tau overlap rbo",
    "metrics.agreement": "krippendorff_alpha",
    "metrics.significance": "bootstrap_interval holm randomisation_test",
    "plugin.running.fixture": "Relevance",
    "results.breakdown": "Breakdown breakdown",
    "ext.comparing.compare": "compare_runs",
    "results.case_result": "CaseResult",
    "results.compare.comparison": "Comparison",
    "results.compare.incompatibilities": "Incomparable",
    "results.evaluate": "evaluate",
    "results.records.run": "Run",
    "results.records.run_info": "FileInfo RunError RunFinding RunInfo",
}
"""The public names by the module that defines them."""

_HOMES: dict[str, str] = {}
for _module, _names in _MODULES.items():
    for _name in _names.split():
        _HOMES[_name] = f"{__name__}.{_module}"

__all__ = sorted(_HOMES)


if not TYPE_CHECKING:  # for a type checker a module with this function has every name

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(home), name)
        globals()[name] = value
        return value


def pytest_addhooks(pluginmanager: Any) -> None:
    """Register the plugin if pytest loads the package itself: `-p pytest_relevance`.

    The plugin gets the name of its entry point, so that pytest does not load it twice.
    """
    if not pluginmanager.has_plugin("relevance"):
        pluginmanager.register(import_module("pytest_relevance.plugin"), "relevance")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
