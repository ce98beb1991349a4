"""Advice at the end of a run: what an update of the baseline would do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import join, quote

from pytest_relevance._text import counted
from pytest_relevance.reports.blocks import CommandLine, Sentence
from pytest_relevance.reports.run.baseline import MOST_NAMES
from pytest_relevance.reports.run.case_counts import case_count
from pytest_relevance.reports.styled_lines import BAD, DOUBT, GOOD
from pytest_relevance.results.became import CHANGED
from pytest_relevance.results.case_parts import (
    DROP,
    IMPROVEMENT,
    NEW,
    REGRESSION,
    STALE,
)
from pytest_relevance.results.case_result import CaseResult, has_failed
from pytest_relevance.results.change_counts import count_results
from pytest_relevance.results.failures import failure_kind, got_worse
from pytest_relevance.results.records.run_info import FileInfo

_WORSE_TOO = ", and what got worse too unless you choose the cases"


def update_sentences(
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    updating: str | None,
    *,
    against: str = "",
) -> Iterator[Sentence | CommandLine]:
    """Yield what an update of the baseline would do, unless this run does it.

    Cases that are compared with a record are left out: an update does not change a
    record.

    `updating`: what the run accepts, "all" or "new"; None for nothing.
    `against`: the record to compare with, as the command line names it; empty if not
    known.
    """
    fallen = [result for result in results if got_worse(result)]
    if updating == "all":
        # what is accepted passes, unless it misses a floor or an expectation
        fallen = [result for result in fallen if has_failed(result)]
    if fallen:
        yield _how_to_see_one(fallen, files, against)
        yield from _how_to_settle(fallen, files, against)
    if updating == "all":
        return
    by_standing = _by_standing(results, files)
    if by_standing[REGRESSION]:
        yield _regression_advice(by_standing[REGRESSION], fallen)
    if by_standing[CHANGED]:
        what = "changed by more than allowed"
        yield _advice_to_accept(by_standing[CHANGED], fallen, what, BAD)
    if by_standing[IMPROVEMENT]:
        what = "got better"
        yield _advice_to_accept(by_standing[IMPROVEMENT], fallen, what, GOOD)
    if by_standing[STALE]:
        yield _stale_advice(by_standing[STALE], fallen)
    if by_standing[NEW] and not updating:
        yield _new_advice(by_standing[NEW])


def _reference_options(
    result: CaseResult, files: Mapping[str, FileInfo], against: str
) -> list[str]:
    """Return the options that compare a case with the same reference again."""
    info = files.get(result.file)
    if info is None or not info.against:
        return []
    return [f"--relevance-against={against or info.against}"]


def _how_to_settle(
    fallen: Sequence[CaseResult], files: Mapping[str, FileInfo], against: str
) -> Iterator[CommandLine]:
    """Yield the command that lists which results to judge, if cases are open."""
    worse = count_results(fallen)
    if not worse.open:
        return
    parts = ["pytest", *_reference_options(fallen[0], files, against)]
    parts.append("--relevance-unjudged=worklist.csv")
    what = "what settles the open one"
    if worse.open > 1:
        what = f"what settles the {worse.open:,} open ones"
    yield CommandLine(f"to list {what}:", join(parts), DOUBT)


def _how_to_see_one(
    fallen: Sequence[CaseResult], files: Mapping[str, FileInfo], against: str
) -> CommandLine:
    """Return the command that reports the case with the greatest drop in full.

    It is to be called in the folder where the run was started.
    """
    first = min(fallen, key=lambda result: result.weight * result.change)
    parts = ["pytest", "-v", *_reference_options(first, files, against)]
    name = first.node.partition("::")[2] or first.id
    parts.append(f"{first.file}::{name}")
    return CommandLine("to see one in full:", join(parts), DOUBT)


def _by_standing(
    results: Iterable[CaseResult], files: Mapping[str, FileInfo]
) -> dict[str, list[CaseResult]]:
    """Return the results by how they stand to their baseline.

    The files that are compared with a record are left out.
    """
    against = {name for name, info in files.items() if info.against}
    by_standing: dict[str, list[CaseResult]] = defaultdict(list)
    for result in results:
        if result.file in against:
            continue
        if got_worse(result):
            by_standing[REGRESSION].append(result)
        elif has_failed(result) and failure_kind(result) == CHANGED:
            by_standing[CHANGED].append(result)
        elif result.baseline is not None:
            by_standing[result.baseline.standing].append(result)
    return by_standing


# --- the sentence of each standing ----------------------------------------------------


def _regression_advice(
    group: Sequence[CaseResult], fallen: Sequence[CaseResult]
) -> Sentence:
    also = ""
    if any(_misses_a_demand(result) for result in fallen):
        also = "; a missed floor or expectation has to change too"
    remedy = "where that is meant, --relevance-update FILE::CASE accepts one"
    cases = counted(case_count(group), "case")
    return Sentence(f"{cases} got worse: {remedy}{also}", BAD)


def _advice_to_accept(
    group: Sequence[CaseResult], fallen: Sequence[CaseResult], what: str, style: str
) -> Sentence:
    """Return a sentence: how to accept the cases of a group. `what`: what they did."""
    count = case_count(group)
    remedy = f"--relevance-update accepts {'it' if count == 1 else 'them'}"
    if fallen:
        remedy += _WORSE_TOO
    return Sentence(f"{counted(count, 'case')} {what}: {remedy}", style)


def _stale_advice(
    group: Sequence[CaseResult], fallen: Sequence[CaseResult]
) -> Sentence:
    arguments = _arguments(group)
    remedy = f"pytest --relevance-update{arguments} accepts the present rankings"
    # a command that names the cases accepts nothing else
    names_cases = "::" in arguments
    if fallen and not names_cases:
        remedy += _WORSE_TOO
    count = counted(case_count(group), "case has", "cases have")
    return Sentence(f"{count} a stale baseline: {remedy}", BAD)


def _new_advice(group: Sequence[CaseResult]) -> Sentence:
    count = case_count(group)
    them = "it" if count == 1 else "them"
    remedy = f"pytest --relevance-update=new{_arguments(group)} adds {them}"
    have = counted(count, "case has", "cases have")
    return Sentence(f"{have} no baseline yet: {remedy}", DOUBT)


def _arguments(group: Sequence[CaseResult]) -> str:
    """Return the arguments of pytest that choose these cases, each after a blank.

    For many cases they are the files. For many files there are none.
    """
    names = list(dict.fromkeys(result.node for result in group))
    if len(names) > MOST_NAMES:
        names = list(dict.fromkeys(name.partition("::")[0] for name in names))
    if len(names) > MOST_NAMES:
        return ""
    return "".join(f" {quote(name)}" for name in names)


def _misses_a_demand(result: CaseResult) -> bool:
    """Say whether a case fails for another reason than a drop of its score."""
    return any(reason.kind != DROP for reason in result.evaluation.reasons)
