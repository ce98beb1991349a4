"""Read what a case file of a recorded run demands of its cases.

`recorded_comparison`, `compare` and `history` need this to compare a recorded result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_relevance.cases.expectation import Expectation
from pytest_relevance.cases.model import Gate
from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_parts import TOO_FEW_JUDGED
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.outcomes import ITSELF, expectation_of
from pytest_relevance.results.records.demands import CaseDemands, demands_of_cases
from pytest_relevance.results.records.run_info import FileInfo


class RecordedDemands:
    """The demands of a case file on its cases, as far as its record keeps demands.

    `gates`: the gates of the file.
    """

    def __init__(self, info: FileInfo) -> None:
        self.gates: Sequence[Gate] = info.gates
        self._suite = info.demands
        self._own: dict[tuple[str, str | None], CaseDemands] = {}
        self._suite_expect: Sequence[Expectation] = ()
        if info.demands is not None:
            self._own = demands_of_cases(info.demands, info.own_demands)
            self._suite_expect = _expectations(info.demands)

    def of(self, result: CaseResult) -> CaseDemands | None:
        """Return what is demanded of a case; None if that is not known."""
        return self._own.get((result.id, result.variant), self._suite)

    def expect_of(self, result: CaseResult) -> Sequence[Expectation]:
        """Return the expectations of a case.

        If its demands are not known, these are the ones that compare its ranking with
        the reference of its run.
        """
        demands = self.of(result)
        if demands is None:
            return _with_reference(result)
        return self._suite_expect if demands is self._suite else _expectations(demands)

    def min_judged_of(self, result: CaseResult) -> float:
        """Return the least share of judged results in the top k of a case.

        If its demands are not known, and enough results were judged, it is 0.
        """
        demands = self.of(result)
        if demands is not None:
            share: float = demands.settings.get("min_judged", 0.0)
            return share
        for reason in result.evaluation.reasons:
            if reason.kind == TOO_FEW_JUDGED:
                return reason.bound
        return 0.0


class DemandsOfFiles:
    """The demands of several case files on their cases.

    Cases of a file that is not known have no known demands.
    """

    def __init__(self, files: Mapping[str, FileInfo]) -> None:
        self._by_file = {file: RecordedDemands(info) for file, info in files.items()}
        self._unknown = RecordedDemands(FileInfo(""))

    def of_file(self, file: str) -> RecordedDemands:
        """Return the demands of a case file."""
        return self._by_file.get(file, self._unknown)


def _expectations(demands: CaseDemands) -> Sequence[Expectation]:
    """Return the expectations of a suite or a case.

    A metric of the project cannot be computed: a record has no functions.
    """
    return tuple([recorded.expectation for recorded in demands.expect])


def _with_reference(result: CaseResult) -> Sequence[Expectation]:
    """Return the expectations of a result that compare it with its reference."""
    expect = []
    for outcome in result.evaluation.outcomes:
        if EXPECTATIONS.get_or_unknown(outcome.kind).reference == ITSELF:
            expect.append(expectation_of(outcome))
    return expect
