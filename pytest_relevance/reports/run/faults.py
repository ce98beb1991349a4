"""Faults in a report: one in full, the other cases that failed alike in a line each or, where many, in one for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pytest_relevance._text import counted, harmless, listed, quoted
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.reasons import item_heading, search_label
from pytest_relevance.reports.text import BAD, WIDEST, Line, cut, line, plain
from pytest_relevance.results import diagnoses
from pytest_relevance.results.case_result import NOT_SEARCHED, CaseResult
from pytest_relevance.results.records.run_info import RunInfo

MOST_ALIKE = 5
"""How many further cases that failed alike are shown in a line each; of more, all are in one line."""

_MOST_NAMED = 10
_LONGEST_MESSAGE = 300
_LONGEST_NAME = 40


def fault_sentences(results: Sequence[CaseResult], info: RunInfo, *, full: bool = False) -> list[Sentence]:
    """The faults of a run and how many cases have each, then the cases that were not searched; `full` names these.

    At last the warnings about fixtures and hooks of the project, which a record has among its faults.
    """
    found = [(diagnosis_text(each), each.results) for each in diagnoses.diagnose(results).values()]
    if given_up := diagnoses.not_searched(results):
        found.append((not_searched_text(given_up), given_up))
    texts = [f"{text}: {case_names(of, full=True)}" if full else text for text, of in found]
    return [
        Sentence(text, BAD) for text in (*texts, *(str(fault["message"]) for fault in diagnoses.project_faults(info)))
    ]


def shown_together(keys: Sequence[diagnoses.Key | None]) -> Iterator[tuple[bool, Sequence[int]]]:
    """The indices of failures in the order in which they are shown, by the keys of their faults (None: no fault).

    Each is shown by itself; the repeats of a fault with more than `MOST_ALIKE` are shown together, in the
    place of the first. With each, whether it repeats an earlier failure.
    """
    groups: dict[diagnoses.Key, list[int]] = {}
    for index, key in enumerate(keys):
        if key is not None:
            groups.setdefault(key, []).append(index)
    for index, key in enumerate(keys):
        first, *others = [index] if key is None else groups[key]
        if index == first or len(others) <= MOST_ALIKE:
            yield index != first, (index,)
        elif index == others[0]:
            yield True, others


def not_searched_text(results: Sequence[CaseResult]) -> str:
    """How many cases were not searched, and why: `125 cases were not searched, as search failed ...`."""
    searches = dict.fromkeys(search_label(result.search, result.variant, {}) for result in results)
    cases = counted(len(results), "case was", "cases were")
    return f"{cases} not searched, as {listed(searches, 'and')} failed in too many cases in a row (relevance_give_up)"


def diagnosis_text(found: diagnoses.Diagnosis) -> str:
    """A diagnosis in a sentence: what was found, and what to look at."""
    if found.kind in _DIAGNOSES:
        first, of = found.results[0], f"{counted(len(found.results), 'case')} of {found.of:,}"
        return f"{search_label(first.search, first.variant, {})} {_DIAGNOSES[found.kind](found, of)}"
    nouns = ("search", "searches") if found.kind == diagnoses.SEARCH else ("case", "cases")
    where, _, function = found.frame.rpartition(" in ")
    frame = f" ({function} in {where})" if where else ""
    return (
        f"{counted(len(found.results), *nouns)} failed alike: {cut(harmless(found.message), _LONGEST_MESSAGE)}{frame}"
    )


def _nothing(found: diagnoses.Diagnosis, _: str) -> str:
    return f"returned nothing in any case ({len(found.results):,}): is the index empty?"


def _same_first(found: diagnoses.Diagnosis, _: str) -> str:
    title = found.results[0].texts.titles.get(found.document, "")
    name = quoted(found.document) + (f" ({cut(harmless(title), _LONGEST_NAME)})" if title else "")
    return (
        f"returned {name} first for {len(found.results):,} of {found.of:,} queries, and it has no gain for them: does "
        "the search depend on the query? One that pads empty matches may leave out results with a score of 0"
    )


def _no_id_known(found: diagnoses.Diagnosis, _: str) -> str:
    first = found.results[0]
    ids = (
        f"returned {quoted(first.ranking.documents[0])}, judged {quoted(first.evaluation.missing[0][0])}; "
        if first.evaluation.missing
        else ""
    )
    return (
        f"returned no judged document in any case ({len(found.results):,}): are these the same kind of id? {ids}"
        "if not, name the id with id_field in the case file, or return it from search"
    )


def _unsorted(_: diagnoses.Diagnosis, of: str) -> str:
    return f"returned results whose scores neither only fall nor only rise, in {of}: is the list sorted best first?"


def _fewer(found: diagnoses.Diagnosis, _: str) -> str:
    deepest = max(result.conditions.depth or 0 for result in found.results)
    return (
        f"takes no k and returned {found.returned:,} results where more are looked at (as deep as rank {deepest:,}, in "
        f"{counted(len(found.results), 'case')}): give it a parameter k, or lower the cutoffs"
    )


_DIAGNOSES: Mapping[str, Callable[[diagnoses.Diagnosis, str], str]] = {
    diagnoses.NOTHING: _nothing,
    diagnoses.SAME_FIRST: _same_first,
    diagnoses.IDS: _no_id_known,
    diagnoses.UNSORTED: _unsorted,
    diagnoses.FEWER: _fewer,
}


def repeated_lines(result: CaseResult, verbosity: int = 0, width: int = WIDEST) -> list[Line]:
    """A case that repeats a fault, in one line: its place and reason, whole where `verbosity` is below 0."""
    from pytest_relevance.reports.failure import failure_lines

    brief = failure_lines(result, verbosity=-1)
    return brief if verbosity < 0 else [line(cut(plain(brief), width), BAD)]


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
    ordered = sorted(results, key=lambda result: (result.file, result.line))
    items = (((result.node or result.id).rpartition("::")[2], result) for result in ordered)
    names = [item_heading(name, result.id, result.query) for name, result in items]
    if full or len(names) <= _MOST_NAMED + 1:
        return listed(names, "and")
    return listed([*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED:,} more"], "and")
