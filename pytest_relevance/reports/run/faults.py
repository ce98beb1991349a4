"""What is told once for many cases: the diagnoses of a run, and the failures that are shown together, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_relevance._text import (
    counted,
    examples,
    first_few,
    harmless,
    listed,
    quoted,
)
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.cells import Cell, Column
from pytest_relevance.reports.near_ids import near_pairs_of
from pytest_relevance.reports.reasons import case_heading, search_label
from pytest_relevance.reports.run.cases import variants_of
from pytest_relevance.reports.styled_lines import BAD, Line
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import WIDEST, cut
from pytest_relevance.results import diagnoses
from pytest_relevance.results.case_result import NOT_SEARCHED, CaseResult
from pytest_relevance.results.records.run_info import RunInfo

_MOST_NAMED = 10
_LONGEST_MESSAGE = 300
_LONGEST_NAME = 40


def fault_sentences(
    results: Sequence[CaseResult], info: RunInfo, *, full: bool = False
) -> list[Sentence]:
    """The faults of a run and how many cases have each, then the cases that were not searched; `full` names these.

    At last the warnings about fixtures and hooks of the project, which a record has among its faults.
    """
    found = faults(results, info)
    return [
        Sentence(f"{text}: {case_names(of, full=True)}" if full and of else text, BAD)
        for text, of in found
    ]


def faults(
    results: Sequence[CaseResult], info: RunInfo
) -> list[tuple[str, Sequence[CaseResult]]]:
    """The faults of a run, each with its cases: none for the warnings about the project, which come last."""
    found = [
        (diagnosis_text(each), each.results) for each in diagnoses.diagnose(results)
    ]
    if given_up := diagnoses.not_searched(results):
        found.append((not_searched_text(given_up), given_up))
    return [
        *found,
        *((str(fault["message"]), ()) for fault in diagnoses.project_faults(info)),
    ]


def told_errors(results: Sequence[CaseResult]) -> frozenset[int]:
    """Find the results, by `id()`, whose error a diagnosis tells for several cases."""
    failed = [result for result in results if result.call.error is not None]
    found: set[int] = set()
    for diagnosis in diagnoses.diagnose(failed):
        if diagnosis.kind in (diagnoses.SEARCH, diagnoses.CASE):
            found.update(map(id, diagnosis.results))
    return frozenset(found)


def not_searched_text(results: Sequence[CaseResult]) -> str:
    """How many cases were not searched, and why: `125 cases were not searched, as search failed ...`."""
    searches = dict.fromkeys(
        search_label(result.search, result.variant, {}) for result in results
    )
    cases = counted(len(results), "case was", "cases were")
    return f"{cases} not searched, as {listed(searches, 'and')} failed in too many cases in a row (relevance_give_up)"


def diagnosis_text(found: diagnoses.Diagnosis) -> str:
    """A diagnosis in a sentence: what was found, and what to look at."""
    count, first = len(found.results), found.results[0]
    if found.kind not in _SENTENCES:
        nouns = (
            ("search", "searches")
            if found.kind == diagnoses.SEARCH
            else ("case", "cases")
        )
        where, _, function = found.frame.rpartition(" in ")
        frame = f" ({function} in {where})" if where else ""
        return f"{counted(count, *nouns)} failed alike: {cut(harmless(found.message), _LONGEST_MESSAGE)}{frame}"
    title = first.texts.titles.get(found.document, "")
    example = _ids_of_both_kinds(found.results) if found.kind == diagnoses.IDS else ""
    said = _SENTENCES[found.kind].format(
        count=count,
        cases=counted(count, "case"),
        of=found.of,
        document=quoted(found.document)
        + (f" ({cut(harmless(title), _LONGEST_NAME)})" if title else ""),
        example=example,
        returned=counted(found.returned, "result"),
        fields=_fields_in_prose(found.fields),
        deepest=max(map(diagnoses.deepest_looked_at, found.results)),
        takes_k="hand k on to the engine"
        if first.conditions.asked
        else "give it a parameter k",
    )
    folder = first.origin.search_folder
    where = f" in {harmless(folder)}" if folder else ""
    return f"{search_label(first.search, first.variant, {})}{where} {said}"


def _ids_of_both_kinds(results: Sequence[CaseResult]) -> str:
    """`returned "sku-1", judged "SKU-1", which differ in case only; `: ids that are nearly the same, else any two."""
    pairs = near_pairs_of(results)
    if pairs:
        near = pairs[0]
        ids = f"returned {quoted(near.found)}, judged {quoted(near.wanted)}"
        return f"{ids}, which differ in {near.how} only; "
    first = results[0]
    if not first.evaluation.missing:
        return ""
    return f"returned {quoted(first.ranking.documents[0])}, judged {quoted(first.evaluation.missing[0][0])}; "


def _fields_in_prose(paths: Sequence[str]) -> str:
    """`the field "price"`, or `the fields "price" and "brand"`."""
    word = "field" if len(paths) == 1 else "fields"
    return f"the {word} {examples(paths, _MOST_NAMED)}"


_SENTENCES: Mapping[str, str] = {
    diagnoses.NOTHING: "returned nothing in any case ({count:,}): is the index empty?",
    diagnoses.PASSED_EMPTY: "returned nothing in {cases}, which passed all the same: write results: '>= 1' under "
    "expect: where a result is meant, results: 0 where none is",
    diagnoses.SAME_FIRST: "returned {document} first for {count:,} of {of:,} queries, and it has no gain for them: "
    "does the search depend on the query? One that pads empty matches may leave out results with a score of 0",
    diagnoses.IDS: "returned no judged document in any case ({count:,}): are these the same kind of id? {example}if "
    "not, name the id with id_field in the case file, or return it from search",
    diagnoses.UNSORTED: "returned results whose scores neither only fall nor only rise, in {cases} of {of:,}: is the "
    "list sorted best first?",
    diagnoses.REPEATED: "returned the same document several times, in {cases} of {of:,}: are these chunks? collapse: "
    "true in the case file lets the first stand for its document; else return each document once",
    diagnoses.NO_VALUE: "returned no value in {fields}: null, NaN or empty in every result that an expectation looks "
    "at ({cases}). Such results always meet none and at_most. Is it the right name, and does the index fill it?",
    diagnoses.FEWER: "returned {returned} at most, and cutoffs look deeper (as deep as rank {deepest:,}, in {cases} of "
    "{of:,}): {takes_k}, or lower the cutoffs",
}
"""What each diagnosis of a search says and what to do, behind the name of the search."""


def brief_lines(results: Sequence[CaseResult], width: int = WIDEST) -> list[Line]:
    """A line for each failure: the query, the reason in a few words, and the document that costs most."""
    from pytest_relevance.reports.reasons import reason_in_brief
    from pytest_relevance.reports.run.case_change import CaseChange
    from pytest_relevance.reports.run.movers import LOST_DOCUMENT, moved_case

    variants = variants_of(results)
    table = Table(
        [
            Column(max_width=40, cut_to=20),
            Column(),
            Column(cut_to=34),
            Column(max_width=40, cut_to=24, cut_middle=True),
        ]
    )
    for result in results:
        row = moved_case(CaseChange(result), variants)
        table.add(
            row.name,
            row.variant,
            reason_in_brief(result),
            Cell(row.documents[LOST_DOCUMENT]),
        )
    table.note = "-v shows them in full"
    return table.lines(width)


def brief_title(results: Sequence[CaseResult]) -> str:
    """The heading of failures in brief: `13 more failures, 9 of them failed before`."""
    from pytest_relevance.results.compare.differences import FAILED_BEFORE, failure_kind

    before = sum(failure_kind(result) == FAILED_BEFORE for result in results)
    if before == len(results):
        return f"{before:,} failed before"
    return counted(len(results), "more failure") + (
        f", {before:,} of them failed before" if before else ""
    )


def together_title(results: Sequence[CaseResult]) -> str:
    """The heading of cases that are shown together."""
    if results[0].status == NOT_SEARCHED:
        return f"{counted(len(results), 'case')} not searched"
    return counted(len(results), "more case")


def together_text(results: Sequence[CaseResult], *, full: bool = False) -> str:
    """The text of cases that are shown together: `and 134 more cases failed alike: q002, q003 and 132 more`."""
    if results[0].status == NOT_SEARCHED:
        return f"{not_searched_text(results)}: {case_names(results, full=full)}"
    return f"and {counted(len(results), 'more case')} failed alike: {case_names(results, full=full)}"


def case_names(results: Iterable[CaseResult], *, full: bool) -> str:
    """The names of cases as their headings have them; of many the first few and how many more there are."""
    names = [
        case_heading(result)
        for result in sorted(results, key=lambda result: (result.file, result.line))
    ]
    return first_few(
        names, len(names) if full or len(names) == _MOST_NAMED + 1 else _MOST_NAMED
    )
