"""The faults of a run, in words.

A `Fault` is something that is wrong with several cases alike. What is wrong with a
fixture or a hook of the project is a warning. Reports show warnings last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted, first_few, harmless
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.labels import case_heading, case_label, search_label
from pytest_relevance.reports.run.shown_failures import case_names, not_searched_text
from pytest_relevance.reports.styled_lines import BAD, DOUBT
from pytest_relevance.reports.terminal_text import cut
from pytest_relevance.results import diagnoses
from pytest_relevance.results.case_result import WITHOUT_SCORE, CaseResult, has_failed
from pytest_relevance.results.diagnoses import (
    BROKEN,
    SEARCH,
    Diagnosis,
    explains_failures,
    explanation,
)
from pytest_relevance.results.diagnosis_kinds import TIES
from pytest_relevance.results.records.run_info import RunInfo

_LONGEST_MESSAGE = 300
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with several cases, in a sentence, and these cases.

    It is a diagnosis, or it says that cases were not searched because too many searches
    failed. There are no cases if a diagnosis of another package cannot be made.

    `is_minor`: whether the scores are right, but may differ in the next run.
    `explains_failures`: whether the cases fail because of the fault. Otherwise the
        fault is a note for the engineers of the search.
    """

    text: str
    results: Sequence[CaseResult]
    is_minor: bool = False
    explains_failures: bool = False

    @property
    def is_error(self) -> bool:
        """Whether the cases of the fault have no score because of it."""
        return any(result.verdict in WITHOUT_SCORE for result in self.results)


def faults(results: Sequence[CaseResult]) -> list[Fault]:
    """Return the faults of the cases of a run. Cases not searched come last."""
    found = []
    for diagnosis in diagnoses.diagnose(results):
        text = _diagnosis_text(diagnosis)
        fault = Fault(
            text,
            diagnosis.results,
            is_minor=diagnosis.kind == TIES.name,
            explains_failures=explains_failures(diagnosis),
        )
        found.append(fault)
    given_up = diagnoses.not_searched(results)
    if given_up:
        text = not_searched_text(given_up)
        found.append(Fault(text, given_up, explains_failures=True))
    return found


def _diagnosis_text(diagnosis: Diagnosis) -> str:
    """Return in one sentence what many cases have in common, and where to look."""
    if diagnosis.kind == BROKEN:
        return harmless(diagnosis.message)
    if diagnosis.is_of_errors:
        return _alike_errors_text(diagnosis)
    first = diagnosis.results[0]
    search = search_label(first.search, first.variant, {})
    folder = first.origin.search_folder
    where = f" in {harmless(folder)}" if folder else ""
    return f"{search}{where} {harmless(explanation(diagnosis))}"


def _alike_errors_text(diagnosis: Diagnosis) -> str:
    """Return how many searches failed alike, with their error and its place.

    Example: `42 searches failed alike: ConnectionError: down (f in conftest.py:9)`.
    """
    if diagnosis.kind == SEARCH:
        count = counted(len(diagnosis.results), "search", "searches")
    else:
        count = counted(len(diagnosis.results), "case")
    where, _, function = diagnosis.frame.rpartition(" in ")
    frame = f" ({function} in {where})" if where else ""
    message = cut(harmless(diagnosis.message), _LONGEST_MESSAGE)
    return f"{count} failed alike: {message}{frame}"


def fault_sentences(results: Sequence[CaseResult], info: RunInfo) -> list[Sentence]:
    """Return a sentence about each fault, then the warnings about the project.

    Faults that are errors come first.
    """
    found = sorted(faults(results), key=lambda fault: not fault.is_error)
    sentences = [_sentence(fault, full=False) for fault in found]
    return sentences + _warning_sentences(info)


def _warning_sentences(info: RunInfo) -> list[Sentence]:
    return [Sentence(text, BAD) for text in diagnoses.project_warnings(info)]


def other_fault_sentences(
    results: Sequence[CaseResult], info: RunInfo, *, full: bool
) -> list[Sentence]:
    """Return a sentence about each fault that is not an error, then the warnings.

    `full`: whether a sentence names all cases of its fault.
    """
    found = [fault for fault in faults(results) if not fault.is_error]
    sentences = [_sentence(fault, full=full) for fault in found]
    return sentences + _warning_sentences(info)


def error_sentences(results: Sequence[CaseResult], *, full: bool) -> list[Sentence]:
    """Return a sentence about each error. Cases with the same error share a sentence.

    `full`: whether a shared sentence names all its cases.
    """
    sentences = []
    said: set[int] = set()
    for fault in faults(results):
        if fault.is_error:
            sentences.append(_sentence(fault, full=full))
            said.update(id(result) for result in fault.results)
    for result in results:
        error = result.call.error
        if has_failed(result) and error is not None and id(result) not in said:
            text = f"{case_label(result)}: {cut(error.headline, _LONGEST_MESSAGE)}"
            sentences.append(Sentence(text, BAD))
    return sentences


def _sentence(fault: Fault, *, full: bool) -> Sentence:
    """Return a fault as a sentence; with `full`, it names all cases.

    Without `full`, only a minor fault names cases: the first three.
    """
    text = fault.text
    if full and fault.results:
        text += f": {case_names(fault.results, full=True)}"
    elif fault.is_minor:
        names = [case_heading(result) for result in fault.results]
        text += f": {first_few(names, _MOST_NAMED)}"
    return Sentence(text, DOUBT if fault.is_minor else BAD)


def errors_said_once(results: Sequence[CaseResult]) -> frozenset[int]:
    """Return the `id()` of each result with an error that many cases have alike.

    A report names such an error once.
    """
    failed = [result for result in results if result.call.error is not None]
    found: set[int] = set()
    for diagnosis in diagnoses.diagnose(failed):
        if diagnosis.is_of_errors:
            found.update(id(result) for result in diagnosis.results)
    return frozenset(found)
