"""Find what many cases of a run have in common, for example that an engine is down.

`diagnose` looks at the results of a whole run. Every report shows each diagnosis
once. Of the failures that a diagnosis explains, the first is shown in full.

`alike_errors.py` finds errors that are alike. Every other diagnosis is about one search
in one variant, and is of a `DiagnosisKind`. To add a kind, write it in
`diagnosis_kinds.py` and name it in `bundled.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pytest_relevance import bundled
from pytest_relevance._text import shown
from pytest_relevance.registry import ExtensionError, Registry, must_be
from pytest_relevance.results.alike_errors import alike_errors
from pytest_relevance.results.case_result import (
    ERROR,
    FAILED,
    INCONCLUSIVE,
    NOT_SEARCHED,
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
    Key,
    grouped,
    search_of,
)
from pytest_relevance.results.records.run_info import RecordedFault, RunInfo

SEARCH, CASE = "search", "case"
"""The kinds of errors that are alike: of the search, and of a step before or after."""

NOTHING = "nothing"
"""The kind of a search that returned nothing in any case."""

PROJECT = "project"
"""The kind of a warning about the project.

A fixture or a hook of the project, such as `relevance_documents`, cannot be used.
"""

BROKEN = "broken"
"""The kind of a diagnosis that another package cannot make; its message says why."""

_UNSCORED = frozenset({*WITHOUT_SCORE, SKIPPED})


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Something that many cases have in common.

    `kind`: `SEARCH`, `CASE`, `BROKEN`, or the name of a `DiagnosisKind`.
    `results`: the cases with the diagnosis, in the order of the run.
    `searched`: the cases that were looked at; empty if the diagnosis is about errors.
    `message`, `frame`: of the first error, if the diagnosis is about errors.
    """

    kind: str
    results: Sequence[CaseResult]
    searched: Sequence[CaseResult] = ()
    message: str = ""
    frame: str = ""

    @property
    def is_of_errors(self) -> bool:
        """Say whether the diagnosis is about errors that are alike."""
        return self.kind in (SEARCH, CASE)

    @property
    def fault(self) -> RecordedFault:
        """Return the diagnosis in the form that a record has."""
        first = self.results[0] if self.results else None
        return RecordedFault(
            kind=self.kind,
            message=self.message or explanation(self),
            frame=self.frame,
            cases=len(self.results),
            first="" if first is None else first.node or first.id,
        )


@dataclass(frozen=True, slots=True)
class DiagnosisKind:
    """A kind of diagnosis of one search in one variant.

    `name`: its name in records.
    `find`: takes all cases of the search, and returns those with the diagnosis; [] if
    there is nothing to report.
    `explain`: returns what was found, and what to do. A report puts the name of the
    search before this: `search returned nothing in any case: is the index empty?`
    `explains_failures`: whether the diagnosis is why its cases fail. Then only the
    first of these cases is shown in full.
    `needs_score`: whether `find` gets only the cases of case files that have a score.
    """

    name: str
    find: Callable[[Sequence[CaseResult]], Iterable[CaseResult]]
    explain: Callable[[Diagnosis], str]
    explains_failures: bool = False
    needs_score: bool = True


DIAGNOSES: Registry[DiagnosisKind] = Registry(
    "pytest_relevance.diagnoses",
    bundled.DIAGNOSES,
    must_be("pytest_relevance.results.diagnoses:DiagnosisKind"),
)
"""The kinds of diagnoses, in the order in which reports show them."""


def diagnose(results: Sequence[CaseResult]) -> list[Diagnosis]:
    """Return the diagnoses of a run: first errors that are alike, then each kind.

    A kind of another package that cannot be used is a diagnosis, too.
    """
    diagnoses = []
    for errors in alike_errors(results):
        kind = CASE if errors.phase else SEARCH
        diagnoses.append(
            Diagnosis(kind, errors.results, message=errors.headline, frame=errors.frame)
        )
    try:
        names = DIAGNOSES.names()
    except ExtensionError as error:
        names = DIAGNOSES.bundled_names
        diagnoses.append(_broken(error))
    searches = grouped(results, search_of).values()
    scored = grouped(filter(_is_scored, results), search_of).values()
    for name in names:
        try:
            diagnoses += _diagnoses_of_kind(name, searches, scored)
        except ExtensionError as error:
            diagnoses.append(_broken(error))
    return diagnoses


def _is_scored(result: CaseResult) -> bool:
    """Say whether a case of a case file was searched, without an error."""
    return not result.is_check and result.verdict not in _UNSCORED


def _broken(error: ExtensionError) -> Diagnosis:
    return Diagnosis(BROKEN, (), message=str(error))


def _diagnoses_of_kind(
    name: str,
    searches: Iterable[Sequence[CaseResult]],
    scored: Iterable[Sequence[CaseResult]],
) -> list[Diagnosis]:
    """Return the diagnoses of one kind, one for each search with this diagnosis.

    `searches`: the cases of each search.
    `scored`: those of them that have a score.

    Raises `ExtensionError` if the kind is of another package and cannot be used.
    """
    kind = DIAGNOSES.get(name)
    diagnoses = []
    for cases in scored if kind.needs_score else searches:
        with DIAGNOSES.calling(name):
            found = list(kind.find(cases))
            _check_results(found)
        if found:
            diagnoses.append(Diagnosis(name, found, searched=cases))
    return diagnoses


def _check_results(found: Sequence[object]) -> None:
    """Raise TypeError if `find` of a kind returned something else than results."""
    for each in found:
        if not isinstance(each, CaseResult):
            raise TypeError(f"find gave {shown(each)}, not a result of a case")


def explanation(diagnosis: Diagnosis) -> str:
    """Return what was found and what to do, without the name of the search.

    Errors that are alike, and a broken kind, are explained by their message.
    """
    if diagnosis.is_of_errors or diagnosis.kind == BROKEN:
        return diagnosis.message
    kind = DIAGNOSES.get(diagnosis.kind)
    try:
        with DIAGNOSES.calling(diagnosis.kind):
            return str(kind.explain(diagnosis))
    except ExtensionError as error:
        return str(error)


def explained_failures(diagnoses: Iterable[Diagnosis]) -> dict[Key, int]:
    """Return {key of a failure: index of the first diagnosis that explains it}."""
    numbers: dict[Key, int] = {}
    for number, diagnosis in enumerate(diagnoses):
        if not explains_failures(diagnosis):
            continue
        for result in diagnosis.results:
            if result.status in (ERROR, FAILED, INCONCLUSIVE):
                numbers.setdefault(result.key, number)
    return numbers


def explains_failures(diagnosis: Diagnosis) -> bool:
    """Say whether a diagnosis is why its cases fail."""
    if diagnosis.is_of_errors:
        return True
    if diagnosis.kind == BROKEN:
        return False
    return DIAGNOSES.get(diagnosis.kind).explains_failures


def ids_are_known(result: CaseResult, results: Iterable[CaseResult]) -> bool:
    """Say whether a case of the same search and variant returned a judged document."""
    search = search_of(result)
    return any(
        other.evaluation.judged and search_of(other) == search for other in results
    )


def faults_to_record(
    results: Iterable[CaseResult], warnings: Iterable[str]
) -> tuple[RecordedFault, ...]:
    """Return the diagnoses of a run, then the warnings about the project, each once."""
    faults = [diagnosis.fault for diagnosis in diagnose([*results])]
    for text in dict.fromkeys(warnings):
        faults.append(RecordedFault(kind=PROJECT, message=text))
    return tuple(faults)


def project_warnings(info: RunInfo) -> list[str]:
    """Return the warnings of a run about fixtures and hooks of the project."""
    return [fault.message for fault in info.faults if fault.kind == PROJECT]


def not_searched(results: Iterable[CaseResult]) -> list[CaseResult]:
    """Return the results of cases whose search was not called any more."""
    return [result for result in results if result.status == NOT_SEARCHED]
