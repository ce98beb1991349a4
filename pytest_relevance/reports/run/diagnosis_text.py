"""What many cases have in common, in a sentence: what was found, and what to look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pytest_relevance._text import counted, examples, harmless, quoted
from pytest_relevance.reports.near_ids import near_pairs_of
from pytest_relevance.reports.reasons import search_label
from pytest_relevance.reports.terminal_text import cut
from pytest_relevance.results import diagnoses
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.diagnoses import Diagnosis, deepest_looked_at

_MOST_FIELDS = 10
_LONGEST_MESSAGE = 300
_LONGEST_TITLE = 40


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """Say what several cases have in common, and what to look at."""
    if diagnosis.kind not in _OF_SEARCHES:
        return _errors_text(diagnosis)
    first = diagnosis.results[0]
    search = search_label(first.search, first.variant, {})
    folder = first.origin.search_folder
    if folder:
        search += f" in {harmless(folder)}"
    return f"{search} returned {_OF_SEARCHES[diagnosis.kind](diagnosis)}"


def _errors_text(diagnosis: Diagnosis) -> str:
    """`12 searches failed alike: ConnectionError: refused (search in conftest.py:3)`."""
    nouns = ("case", "cases")
    if diagnosis.kind == diagnoses.SEARCH:
        nouns = ("search", "searches")
    count = counted(len(diagnosis.results), *nouns)
    message = cut(harmless(diagnosis.message), _LONGEST_MESSAGE)
    place, _, function = diagnosis.frame.rpartition(" in ")
    frame = f" ({function} in {place})" if place else ""
    return f"{count} failed alike: {message}{frame}"


# --- what a search returned -----------------------------------------------------------


def _nothing(diagnosis: Diagnosis) -> str:
    return f"nothing in any case ({len(diagnosis.results):,}): is the index empty?"


def _nothing_and_passed(diagnosis: Diagnosis) -> str:
    return (
        f"nothing in {_cases(diagnosis)}, which passed all the same: write results: "
        "'>= 1' under expect: where a result is meant, results: 0 where none is"
    )


def _same_document_first(diagnosis: Diagnosis) -> str:
    document = quoted(diagnosis.document)
    title = diagnosis.results[0].texts.titles.get(diagnosis.document, "")
    if title:
        document += f" ({cut(harmless(title), _LONGEST_TITLE)})"
    count = f"{len(diagnosis.results):,} of {diagnosis.of:,}"
    return (
        f"{document} first for {count} queries, and it has no gain for them: does the "
        "search depend on the query? One that pads empty matches may leave out results "
        "with a score of 0"
    )


def _other_ids(diagnosis: Diagnosis) -> str:
    return (
        f"no judged document in any case ({len(diagnosis.results):,}): are these the "
        f"same kind of id? {_ids_of_both_kinds(diagnosis.results)}if not, name the id "
        "with id_field in the case file, or return it from search"
    )


def _ids_of_both_kinds(results: Sequence[CaseResult]) -> str:
    """`returned "sku-1", judged "SKU-1", which differ in case only; `.

    These are ids that are nearly the same, or else any two; nothing if none is missing.
    """
    pairs = near_pairs_of(results)
    if pairs:
        near = pairs[0]
        ids = f"returned {quoted(near.found)}, judged {quoted(near.wanted)}"
        return f"{ids}, which differ in {near.how} only; "
    first = results[0]
    if not first.evaluation.missing:
        return ""
    judged, _ = first.evaluation.missing[0]
    returned = first.ranking.documents[0]
    return f"returned {quoted(returned)}, judged {quoted(judged)}; "


def _unsorted(diagnosis: Diagnosis) -> str:
    return (
        "results whose scores neither only fall nor only rise, in "
        f"{_cases_of_all(diagnosis)}: is the list sorted best first?"
    )


def _repeated(diagnosis: Diagnosis) -> str:
    return (
        f"the same document several times, in {_cases_of_all(diagnosis)}: are these "
        "chunks? collapse: true in the case file lets the first stand for its document; "
        "else return each document once"
    )


def _no_value(diagnosis: Diagnosis) -> str:
    word = "field" if len(diagnosis.fields) == 1 else "fields"
    fields = f"the {word} {examples(diagnosis.fields, _MOST_FIELDS)}"
    return (
        f"no value in {fields}: null, NaN or empty in every result that an expectation "
        f"looks at ({_cases(diagnosis)}). Such results always meet none and at_most. Is "
        "it the right name, and does the index fill it?"
    )


def _fewer(diagnosis: Diagnosis) -> str:
    deepest = max(deepest_looked_at(result) for result in diagnosis.results)
    advice = "give it a parameter k"
    if diagnosis.results[0].conditions.asked:
        advice = "hand k on to the engine"
    return (
        f"{counted(diagnosis.returned, 'result')} at most, and cutoffs look deeper (as "
        f"deep as rank {deepest:,}, in {_cases_of_all(diagnosis)}): {advice}, or lower "
        "the cutoffs"
    )


def _cases(diagnosis: Diagnosis) -> str:
    """`12 cases`."""
    return counted(len(diagnosis.results), "case")


def _cases_of_all(diagnosis: Diagnosis) -> str:
    """`12 cases of 40`."""
    return f"{_cases(diagnosis)} of {diagnosis.of:,}"


_OF_SEARCHES: Mapping[str, Callable[[Diagnosis], str]] = {
    diagnoses.NOTHING: _nothing,
    diagnoses.PASSED_EMPTY: _nothing_and_passed,
    diagnoses.SAME_FIRST: _same_document_first,
    diagnoses.IDS: _other_ids,
    diagnoses.UNSORTED: _unsorted,
    diagnoses.REPEATED: _repeated,
    diagnoses.NO_VALUE: _no_value,
    diagnoses.FEWER: _fewer,
}
"""What each diagnosis of a search says, behind the search and `returned`."""
