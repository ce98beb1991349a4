"""Define the kinds of diagnoses: what a search does wrong in many cases.

`diagnose` asks each kind when a report of a run is made. `DiagnosisKind` says what the
functions of a kind, here `_find_...` and `_explain_...`, get and return.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from pytest_relevance._text import counted, cut_to, examples, harmless, quoted
from pytest_relevance.results.case_result import (
    FAILED,
    INCONCLUSIVE,
    PASSED,
    CaseResult,
)
from pytest_relevance.results.diagnoses import NOTHING, Diagnosis, DiagnosisKind
from pytest_relevance.results.near_pairs import near_pairs_of
from pytest_relevance.results.outcomes import expects_results, says_how_many
from pytest_relevance.results.unseen import FEWEST_CASES, find_limit

FEWEST_QUERIES = 10
"""Fewer queries may have the same first result by chance."""

_LONGEST_NAME = 40
_MOST_NAMED = 10


# --- nothing was returned -------------------------------------------------------------


def _find_nothing(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Return all cases that expect results, if none of them got any.

    [] if there are fewer than three.
    """
    expecting = []
    for result in results:
        if expects_results(result.evaluation.outcomes):
            if result.ranking.returned:
                return []
            expecting.append(result)
    return expecting if len(expecting) >= FEWEST_CASES else []


def _explain_nothing(diagnosis: Diagnosis) -> str:
    count = len(diagnosis.results)
    return f"returned nothing in any case ({count:,}): is the index empty?"


def _find_passed_empty(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Return the cases that pass although nothing was returned.

    Cases that say how many results they expect are left out. [] if
    `NOTHING_RETURNED` reports all cases that expect results.
    """
    if _find_nothing(results):
        return []
    empty = []
    for result in results:
        if result.status != PASSED or result.ranking.returned:
            continue
        if not says_how_many(result.evaluation.outcomes):
            empty.append(result)
    return empty


def _explain_passed_empty(diagnosis: Diagnosis) -> str:
    return (
        f"returned nothing in {counted(len(diagnosis.results), 'case')} that passed: write "
        "results: '>= 1' under expect: if a result is meant, results: 0 if none is"
    )


# --- the same document first ----------------------------------------------------------


def _find_same_first(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Return the cases in which one document is first, and has no gain.

    [] if there are fewer than ten queries, or if no document is first for more than
    half of them.
    """
    by_query = _with_results_by_query(results)
    if len(by_query) < FEWEST_QUERIES:
        return []
    counts: Counter[str] = Counter()
    for result in by_query.values():
        counts.update(result.ranking.irrelevant_top[:1])
    if not counts:
        return []
    document, count = counts.most_common(1)[0]
    if count <= len(by_query) / 2:
        return []
    return [
        result
        for result in by_query.values()
        if result.ranking.irrelevant_top[:1] == (document,)
    ]


def _with_results_by_query(results: Sequence[CaseResult]) -> dict[str, CaseResult]:
    """Return {query in small letters: its last case}, for cases that got results."""
    by_query = {}
    for result in results:
        if result.ranking.returned:
            by_query[result.query.casefold()] = result
    return by_query


def _explain_same_first(diagnosis: Diagnosis) -> str:
    """Return which document is always first, and what may be wrong."""
    first = diagnosis.results[0]
    document = first.ranking.irrelevant_top[0]
    title = harmless(first.texts.titles.get(document, ""))
    name = quoted(document)
    if title:
        name += f" ({cut_to(title, _LONGEST_NAME)})"
    queries = len(_with_results_by_query(diagnosis.searched))
    return (
        f"returned {name} first for {len(diagnosis.results):,} of {queries:,} "
        "queries, and this result has no gain for them: does the search depend on "
        "the query? If it fills its list up with results of score 0, leave these out"
    )


# --- other ids ------------------------------------------------------------------------


def _find_other_ids(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Return the failing cases, two or more, if no case returned a judged document."""
    if any(result.evaluation.judged for result in results):
        return []
    failing = []
    for result in results:
        if result.status in (FAILED, INCONCLUSIVE) and result.returns_nothing_judged:
            failing.append(result)
    return failing if len(failing) > 1 else []


def _explain_other_ids(diagnosis: Diagnosis) -> str:
    count = len(diagnosis.results)
    return (
        f"returned no judged document in any case ({count:,}): are these the same kind of "
        f"id? {_ids_of_both_kinds(diagnosis.results)}if not, name the id with id_field in "
        "the case file, or return it from search"
    )


def _ids_of_both_kinds(results: Sequence[CaseResult]) -> str:
    """Return an id that was returned and a judged one that is missing, in words.

    Example: `returned "sku-1", judged "SKU-1", which differ in case only; `. If no two
    ids are similar, the first ones are named. "" if no judged document is missing.
    """
    pairs = near_pairs_of(results)
    if pairs:
        near = pairs[0]
        ids = f"returned {quoted(near.found)}, judged {quoted(near.wanted)}"
        return f"{ids}, which differ in {near.how} only; "
    first = results[0]
    if not first.evaluation.missing:
        return ""
    returned = first.ranking.documents[0]
    judged, _ = first.evaluation.missing[0]
    return f"returned {quoted(returned)}, judged {quoted(judged)}; "


# --- what most rankings have in common ------------------------------------------------


def _find_in_most(
    results: Sequence[CaseResult], has_it: Callable[[CaseResult], bool]
) -> list[CaseResult]:
    """Return the cases with results for which `has_it` is true, if they are most.

    [] otherwise, and if fewer than three cases have results.
    """
    with_results = _with_results(results)
    found = [result for result in with_results if has_it(result)]
    if len(with_results) < FEWEST_CASES or len(found) <= len(with_results) / 2:
        return []
    return found


def _with_results(results: Sequence[CaseResult]) -> list[CaseResult]:
    return [result for result in results if result.ranking.returned]


def _share_in_prose(diagnosis: Diagnosis) -> str:
    """Return, for example, `12 cases of 20`, out of the cases with results."""
    cases = counted(len(diagnosis.results), "case")
    return f"{cases} of {len(_with_results(diagnosis.searched)):,}"


def _find_unsorted(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Return the cases whose scores both fall and rise, if most cases are so."""
    return _find_in_most(results, lambda result: result.ranking.is_unsorted)


def _explain_unsorted(diagnosis: Diagnosis) -> str:
    return (
        "returned results whose scores neither only fall nor only rise, in "
        f"{_share_in_prose(diagnosis)}: is the list sorted best first?"
    )


def _find_repeated(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Return the cases that got a document twice, if most cases did."""
    return _find_in_most(results, lambda result: result.ranking.repeated > 0)


def _explain_repeated(diagnosis: Diagnosis) -> str:
    return (
        f"returned the same document several times, in {_share_in_prose(diagnosis)}: are "
        "these chunks? collapse: true in the case file lets the first stand for its "
        "document; else return each document once"
    )


# --- fewer results than are looked at -------------------------------------------------


def _find_fewer(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Return the cases that look deeper than the longest ranking of the search.

    [] if the search has fewer than three cases.

    A case looks as deep as the cutoffs that the case file writes. If the search has a
    clear limit (`find_limit`), a case that got as many results as the limit also looks
    as deep as its k and its depth. Without a limit short rankings are common. Known
    items look for their document alone, and few results may have the words of a title.
    """
    most = _most_returned(results)
    if len(results) < FEWEST_CASES or not most:
        return []
    limit = find_limit(results)
    has_clear_limit = limit is not None and limit.is_clear
    deeper = []
    for result in results:
        if result.is_known_item:
            continue
        depth = result.evaluation.unreached
        if has_clear_limit and result.ranking.length == most:
            depth = _deepest_looked_at(result)
        if depth > most:
            deeper.append(result)
    return deeper


def _most_returned(results: Sequence[CaseResult]) -> int:
    """Return the length of the longest ranking."""
    return max(result.ranking.length for result in results)


def _deepest_looked_at(result: CaseResult) -> int:
    """Return the deepest rank that a case looks at, for its score or an expectation.

    0 if the rank is not known.
    """
    unreached = result.evaluation.unreached
    if result.conditions.asked is None or result.score is None:
        return unreached
    return max(unreached, result.conditions.depth or 0)


def _explain_fewer(diagnosis: Diagnosis) -> str:
    """Return how many results the search returns at most, and what to do."""
    returned = counted(_most_returned(diagnosis.searched), "result")
    deepest = max(_deepest_looked_at(result) for result in diagnosis.results)
    cases = counted(len(diagnosis.results), "case")
    takes_k = bool(diagnosis.results[0].conditions.asked)
    advice = "pass k to the engine" if takes_k else "give it a parameter k"
    return (
        f"returned at most {returned}, and cutoffs look deeper (to rank {deepest:,}, "
        f"in {cases} of {len(diagnosis.searched):,}): {advice}, or lower the cutoffs"
    )


# --- fields without values ------------------------------------------------------------


def _find_no_value(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Return the cases that look at a field without a value in any result."""
    empty = set(_empty_fields(results))
    looking = []
    for result in results:
        if not empty.isdisjoint(result.ranking.field_values):
            looking.append(result)
    return looking


def _empty_fields(results: Sequence[CaseResult]) -> list[str]:
    """Return the fields that are null, NaN or empty in every result looked at."""
    counts: Counter[str] = Counter()
    for result in results:
        counts.update(result.ranking.field_values)
    return [path for path, count in counts.items() if not count]


def _explain_no_value(diagnosis: Diagnosis) -> str:
    """Return which fields have no value, and why that is a danger."""
    fields = _empty_fields(diagnosis.searched)
    word = "field" if len(fields) == 1 else "fields"
    cases = counted(len(diagnosis.results), "case")
    return (
        f"returned no value in the {word} {examples(fields, _MOST_NAMED)}: null, NaN or "
        f"empty in every result that an expectation looks at ({cases}). Such results always "
        "meet none and at_most. Is it the right name, and does the index fill it?"
    )


# --- equal scores ---------------------------------------------------------------------


def _find_ties(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Return the cases that meet their floor in only some orders of equal scores."""
    return [result for result in results if result.depends_on_ties]


def _explain_ties(diagnosis: Diagnosis) -> str:
    count = len(diagnosis.results)
    passes = counted(count, "case passes", "cases pass")
    return (
        "returned results with equal scores: sort by a second key, such as the id, and "
        "write ties: fixed in the case file. Until then the order of equal "
        f"scores decides whether {passes}"
    )


def _find_one_score(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Return the cases in which all results have one score, if most cases are so."""
    return _find_in_most(results, lambda result: result.ranking.are_all_tied)


def _explain_one_score(diagnosis: Diagnosis) -> str:
    return (
        f"gave all results of a query the same score, in {_share_in_prose(diagnosis)}, so "
        "only chance orders them: is the query in a filter, or in a constant score? If "
        "the search sorts by something else, write ties: fixed"
    )


def _find_common_passages(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Return the cases with a passage that over a third of the results hold."""
    return [result for result in results if result.ranking.common_passages]


def _explain_common_passages(diagnosis: Diagnosis) -> str:
    passages: dict[str, None] = {}
    for result in diagnosis.results:
        passages |= dict.fromkeys(result.ranking.common_passages)
    count = counted(len(diagnosis.results), "case")
    return (
        f"returned texts of which over a third hold a passage of their case, in {count}: "
        f"{examples(passages)}; if texts hold the words by chance, quote more of them"
    )


NOTHING_RETURNED = DiagnosisKind(
    name=NOTHING,
    find=_find_nothing,
    explain=_explain_nothing,
    explains_failures=True,
)
PASSED_EMPTY = DiagnosisKind(
    name="passed empty",
    find=_find_passed_empty,
    explain=_explain_passed_empty,
)
SAME_FIRST = DiagnosisKind(
    name="same first",
    find=_find_same_first,
    explain=_explain_same_first,
    explains_failures=True,
)
OTHER_IDS = DiagnosisKind(
    name="ids",
    find=_find_other_ids,
    explain=_explain_other_ids,
    explains_failures=True,
)
UNSORTED = DiagnosisKind(
    name="unsorted",
    find=_find_unsorted,
    explain=_explain_unsorted,
    explains_failures=True,
)
# That a search returns chunks, or fewer results than are looked at, is rarely the
# only reason why a case fails. That a field has no value is in the failures too: they
# name the result.
REPEATED = DiagnosisKind(
    name="repeated", find=_find_repeated, explain=_explain_repeated
)
FEWER = DiagnosisKind(name="fewer", find=_find_fewer, explain=_explain_fewer)
NO_VALUE = DiagnosisKind(
    name="no value",
    find=_find_no_value,
    explain=_explain_no_value,
    needs_score=False,
)
COMMON_PASSAGES = DiagnosisKind(
    name="common passages",
    find=_find_common_passages,
    explain=_explain_common_passages,
)
TIES = DiagnosisKind(name="ties", find=_find_ties, explain=_explain_ties)
ONE_SCORE = DiagnosisKind(
    name="one score", find=_find_one_score, explain=_explain_one_score
)
