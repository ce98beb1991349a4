"""Diagnoses in words: what many cases have in common, and what to look at."""

from __future__ import annotations

from pytest_relevance._text import counted, harmless
from pytest_relevance.reports.reasons import search_label
from pytest_relevance.reports.terminal_text import cut
from pytest_relevance.results.diagnoses import (
    BROKEN,
    SEARCH,
    Diagnosis,
    explanation,
)

_LONGEST_MESSAGE = 300


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """Tell a diagnosis in a sentence: what was found, and what to look at."""
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
    """`42 searches failed alike: ConnectionError: no engine (search in
    conftest.py:9)`.
    """
    if diagnosis.kind == SEARCH:
        count = counted(len(diagnosis.results), "search", "searches")
    else:
        count = counted(len(diagnosis.results), "case")
    where, _, function = diagnosis.frame.rpartition(" in ")
    frame = f" ({function} in {where})" if where else ""
    message = cut(harmless(diagnosis.message), _LONGEST_MESSAGE)
    return f"{count} failed alike: {message}{frame}"
