"""Diagnoses: what many cases of a run have in common, such as an engine that cannot be reached or an empty index.

They are found once, from the results of a whole run (`diagnose`), and told once, in every report; `KINDS` is the table.
Of the failures that one explains the first is shown in full.
Two errors are alike where their type, the user's innermost frame and the message are the same. Of the message the first
line counts, without what differs from call to call (see `_VOLATILE`) and without the query of the case in quotes or
behind an equals sign. A refusal of this program or of `pytest.fail`, which has no type, is compared without the values
that it quotes and without the fields that it lists, as these are what the search returned.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pytest_relevance.results import case_result
from pytest_relevance.results.case_parts import SETUP, SearchError
from pytest_relevance.results.case_result import (
    FAILED,
    INCONCLUSIVE,
    NOT_SEARCHED,
    WITHOUT_SCORE,
    CaseResult,
    Key,
    search_of,
)
from pytest_relevance.results.outcomes import expects_results, says_how_many
from pytest_relevance.results.records.run_info import RecordedFault, RunInfo
from pytest_relevance.results.unseen import FEWEST_CASES, shows_usual_limit

SEARCH, CASE = "search", "case"
"""The kinds of repeated errors: of the search, and of the steps before or after it."""

NOTHING, PASSED_EMPTY, SAME_FIRST, IDS, UNSORTED, REPEATED, FEWER = (
    *("nothing", "passed empty", "same first", "ids", "unsorted", "repeated", "fewer"),
)
NO_VALUE = "no value"
"""The other kinds of diagnoses, which are of one search in one variant: see `KINDS`."""

PROJECT = "project"
"""The kind of a fault of no case: a fixture or a hook of the project, such as `relevance_documents`, cannot be used."""

_UNSCORED = frozenset({*WITHOUT_SCORE, case_result.SKIPPED})

FEWEST_QUERIES = 10
"""Fewer different queries may have the same first result, or as many results, by chance."""

_VOLATILE = r"""(?xi)
    0x[0-9a-f]+                                                # the address of an object
    | \b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b              # a UUID
    | \b(?=[a-f]*\d)[0-9a-f]{12,}\b                                # the id of a request or a trace
    | \d+(?:[.:-]\d+)+(?:T[\d:.]+)?                                # dates, times of day, decimals, IP addresses
    | \d{5,}                                                       # ports of clients, process ids, timestamps
    | \d+\s?(?:ns|us|ms|s|sec|seconds?)\b                          # durations
    """
"""What differs from call to call in messages that are otherwise the same."""

# `re` compiles these when a search has failed, as most runs do not need them
_QUOTED = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|<[^>]*>|\d+(?:\.\d+)?"""
_FIELDS = r"(?<=, only ).*?(?=;)|(?<=the result has ).*?(?=;|$)"  # of one document: another may have others
_SHOWN = r"[\[{(].*(?:[\]})]|\.\.\.)(?=;|,|$)"  # a value from its first bracket to its last, or to where it is cut
_CALL = r"^in call \d+: "


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A diagnosis and the `results` of the cases that have it, in the order of the run.

    `kind` is `SEARCH`, `CASE`, or one of `KINDS`. `message` and `frame` come from the first error. `of` is how many
    cases were looked at (of `SAME_FIRST` queries). `document` is the one that comes first, `returned` how many results
    come back, where more are looked at. `fields` are the paths of the fields that have no value.
    """

    kind: str
    results: Sequence[CaseResult]
    message: str = ""
    frame: str = ""
    of: int = 0
    document: str = ""
    returned: int = 0
    fields: Sequence[str] = ()

    @property
    def fault(self) -> RecordedFault:
        """The diagnosis as a record has it."""
        first = self.results[0]
        return RecordedFault(
            kind=self.kind,
            message=self.message or ", ".join(self.fields),
            frame=self.frame,
            cases=len(self.results),
            first=first.node or first.id,
        )


def diagnose(results: Sequence[CaseResult]) -> list[Diagnosis]:
    """The diagnoses of a run: errors that are alike, then those of `KINDS`, in its order."""
    errors: dict[tuple[Hashable, ...], list[CaseResult]] = {}
    searches: dict[tuple[str, str, str | None], list[CaseResult]] = {}
    looking_at_fields: dict[tuple[str, str, str | None], list[CaseResult]] = {}
    for result in results:
        if result.ranking.field_values:
            looking_at_fields.setdefault(search_of(result), []).append(result)
        if result.search == case_result.CHECK:
            continue
        if (key := _error_key(result)) is not None:
            errors.setdefault(key, []).append(result)
        if result.verdict not in _UNSCORED:
            searches.setdefault(search_of(result), []).append(result)
    found = [
        _of_errors(str(key[0]), group)
        for key, group in errors.items()
        if len(group) > 1
    ]
    for find in KINDS.values():
        found += filter(None, map(find, searches.values()))
    found += filter(None, map(_fields_without_values, looking_at_fields.values()))
    return found


_EXPLAINS_NONE = (FEWER, REPEATED, NO_VALUE)


def explained_failures(diagnoses: Iterable[Diagnosis]) -> dict[Key, int]:
    """The number of the first diagnosis that explains the failure of a case, by the key of its result.

    That a search returns fewer results than are looked at, or chunks, explains none: that is rarely all of the reason.
    That a field has no value explains none either: the failures say of which result.
    """
    found: dict[Key, int] = {}
    for number, diagnosis in enumerate(diagnoses):
        for result in diagnosis.results if diagnosis.kind not in _EXPLAINS_NONE else ():
            if result.status in (case_result.ERROR, FAILED, INCONCLUSIVE):
                found.setdefault(result.key, number)
    return found


def _nothing_returned(results: Sequence[CaseResult]) -> Diagnosis | None:
    if any(
        result.ranking.returned and expects_results(result.evaluation.outcomes)
        for result in results
    ):
        return None
    searched = [
        result for result in results if expects_results(result.evaluation.outcomes)
    ]
    if len(searched) < FEWEST_CASES:
        return None
    return Diagnosis(NOTHING, searched, of=len(searched))


def _passed_empty(results: Sequence[CaseResult]) -> Diagnosis | None:
    """Cases that pass although nothing was returned, where no expectation says how many results there are to be."""
    found = [
        result
        for result in results
        if result.status == case_result.PASSED and not result.ranking.returned
        if not says_how_many(result.evaluation.outcomes)
    ]
    return (
        Diagnosis(PASSED_EMPTY, found)
        if found and _nothing_returned(results) is None
        else None
    )


def _same_document_first(results: Sequence[CaseResult]) -> Diagnosis | None:
    """One document without gain is first for more than half of the different queries."""
    if not any(result.ranking.irrelevant_top for result in results):
        return None
    queries = {
        result.query.casefold(): result for result in results if result.ranking.returned
    }
    first = Counter(
        result.ranking.irrelevant_top[0]
        for result in queries.values()
        if result.ranking.irrelevant_top
    )
    ((document, count),) = first.most_common(1) or [("", 0)]
    if len(queries) < FEWEST_QUERIES or 2 * count <= len(queries):
        return None
    found = [
        result
        for result in queries.values()
        if result.ranking.irrelevant_top[:1] == (document,)
    ]
    return Diagnosis(SAME_FIRST, found, of=len(queries), document=document)


def _no_id_known(results: Sequence[CaseResult]) -> Diagnosis | None:
    if any(result.evaluation.judged for result in results):
        return None
    found = [
        result
        for result in results
        if result.status in (FAILED, INCONCLUSIVE) and result.returns_unjudged
    ]
    return Diagnosis(IDS, found, of=len(results)) if len(found) > 1 else None


def _of_most(results: Sequence[CaseResult], kind: str, name: str) -> Diagnosis | None:
    """The field `name` of the ranking is set in more than half of three or more cases."""
    found = [
        result
        for result in results
        if getattr(result.ranking, name) and result.ranking.returned
    ]
    searched = (
        [result for result in results if result.ranking.returned] if found else []
    )
    if len(searched) < FEWEST_CASES or 2 * len(found) <= len(searched):
        return None
    return Diagnosis(kind, found, of=len(searched))


def _fewer_than_looked_at(results: Sequence[CaseResult]) -> Diagnosis | None:
    """Cutoffs are deeper than what was returned in any case.

    A cutoff that the case file writes counts from three cases on. The usual k, and a depth, count if the search shows a
    limit to them: short rankings are common.
    """
    most = max(result.ranking.length for result in results)
    if len(results) < FEWEST_CASES or not most:
        return None
    has_limit = shows_usual_limit(results)
    found = []
    for result in results:
        depth = result.evaluation.unreached
        if has_limit and result.ranking.length == most:
            depth = deepest_looked_at(result)
        if depth > most:
            found.append(result)
    return Diagnosis(FEWER, found, of=len(results), returned=most) if found else None


def deepest_looked_at(result: CaseResult) -> int:
    """The deepest rank that a case looks at, for its score or an expectation; 0 if that is not known."""
    conditions, unreached = result.conditions, result.evaluation.unreached
    if conditions.asked is None or result.score is None:
        return unreached
    return max(unreached, conditions.depth or 0)


def _fields_without_values(results: Sequence[CaseResult]) -> Diagnosis | None:
    """The fields that are null, NaN or empty in every result that an expectation looks at.

    `none` and `at_most` are met by such results, whatever the condition.
    """
    looked_at: dict[str, None] = {}
    with_value = set()
    for result in results:
        looked_at |= dict.fromkeys(result.ranking.field_values)
        with_value |= fields_with_values(result)
    empty = [path for path in looked_at if path not in with_value]
    cases = [
        result
        for result in results
        if any(path in result.ranking.field_values for path in empty)
    ]
    return (
        Diagnosis(NO_VALUE, cases, of=len(cases), fields=tuple(empty))
        if cases
        else None
    )


def fields_with_values(result: CaseResult) -> set[str]:
    """The fields that have a value in at least one result that an expectation of the case looks at."""
    return {path for path, count in result.ranking.field_values.items() if count}


KINDS: Mapping[str, Callable[[Sequence[CaseResult]], Diagnosis | None]] = {
    NOTHING: _nothing_returned,
    PASSED_EMPTY: _passed_empty,
    SAME_FIRST: _same_document_first,
    IDS: _no_id_known,
    UNSORTED: partial(_of_most, kind=UNSORTED, name="is_unsorted"),
    REPEATED: partial(_of_most, kind=REPEATED, name="repeated"),
    FEWER: _fewer_than_looked_at,
}
"""What finds each kind of diagnosis in the scored cases of one search in one variant.

`NOTHING`: no case got a result, but for those that expect none (three cases or more). `PASSED_EMPTY`: otherwise, the
cases that pass although they got none. `SAME_FIRST`: one document without gain comes first for more than half of ten or
more different queries. `IDS`: there are judgments, and of nothing that any case returned. `UNSORTED`: in more than half
of three or more cases the scores of the results neither only fall nor only rise. `REPEATED`: in as many a document
comes several times, as chunks do that are not collapsed. `FEWER`: cutoffs of cases are deeper than what
was returned in any of three cases or more.

`NO_VALUE` is not here: it is found among all cases that look at fields, also among those without a score.
"""


def ids_are_known(result: CaseResult, results: Iterable[CaseResult]) -> bool:
    """Whether any case of the same search, in the same variant, returned a judged document."""
    return any(
        search_of(each) == search_of(result) and each.evaluation.judged
        for each in results
    )


def _error_key(result: CaseResult) -> tuple[Hashable, ...] | None:
    """The key by which an error of a case is like others; None for a result without one."""
    if result.call.error is None or result.status != case_result.ERROR:
        return None
    error = result.call.error
    return (
        CASE if error.phase else SEARCH,
        error.phase,
        error.type,
        error.frame,
        _normalised(error, result.query),
    )


def faults_to_record(
    results: Iterable[CaseResult], warnings: Iterable[str]
) -> tuple[RecordedFault, ...]:
    """The diagnoses of a run; at last the warnings about fixtures and hooks of the project, each once."""
    faults = [diagnosis.fault for diagnosis in diagnose([*results])]
    for text in dict.fromkeys(warnings):
        faults.append(RecordedFault(kind=PROJECT, message=text))
    return tuple(faults)


def project_faults(info: RunInfo) -> list[RecordedFault]:
    """The faults of a recorded run that belong to no case."""
    return [fault for fault in info.faults if fault.kind == PROJECT]


def not_searched(results: Iterable[CaseResult]) -> list[CaseResult]:
    """The results of the cases whose search was not called any more."""
    return [result for result in results if result.status == NOT_SEARCHED]


def _of_errors(kind: str, results: Sequence[CaseResult]) -> Diagnosis:
    error = results[0].call.error
    assert error is not None
    return Diagnosis(
        kind, results, replace(error, message=_first_line(error)).headline, error.frame
    )


def _first_line(error: SearchError) -> str:
    """The first line of a message, without the number of the call where a search is called several times."""
    return re.sub(_CALL, "", error.message.partition("\n")[0])


def _normalised(error: SearchError, query: str) -> str:
    """The first line of a message without what differs between errors that are alike."""
    text = _first_line(error)
    if not error.type and error.phase != SETUP:
        text = re.sub(_FIELDS, "#", text)
        text = re.sub(r"; did you mean [^;]*\?", "", text)
        return re.sub(_QUOTED, "#", re.sub(_SHOWN, "#", text))
    from urllib.parse import (
        quote,
        quote_plus,
    )  # takes as long as five modules of this package

    in_urls = quote(query, errors="replace"), quote_plus(query, errors="replace")
    forms = "|".join(map(re.escape, dict.fromkeys((query, *in_urls))))
    text = re.sub(rf"(?<=[\"'=])(?:{forms})(?=[\"'&\s]|$)", "#", text)
    return re.sub(_VOLATILE, "#", text)
