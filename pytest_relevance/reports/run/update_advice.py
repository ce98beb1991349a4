"""What an update of the baseline would do: the advice at the end of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from shlex import join, quote

from pytest_relevance._text import counted
from pytest_relevance.reports.blocks import CommandLine, Sentence
from pytest_relevance.reports.run.baseline import MOST_NAMES, emptied_sentences
from pytest_relevance.reports.run.counts import case_count
from pytest_relevance.reports.styled_lines import BAD, DOUBT, GOOD
from pytest_relevance.results.case_parts import (
    DROP,
    IMPROVEMENT,
    NEW,
    REGRESSION,
    STALE,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import changes_since_baseline
from pytest_relevance.results.failures import got_worse
from pytest_relevance.results.records.run_info import FileInfo


@dataclass(frozen=True, slots=True)
class _Advice:
    """What is said of cases of one standing.

    `one` and `several` continue their number. `remedy` may name `{them}`, the arguments
    of pytest that choose them, `{where}`, and what the update accepts `{too}`.
    """

    standing: str
    one: str
    several: str
    remedy: str
    style: str


_ADVICE = (
    _Advice(
        REGRESSION,
        "got worse",
        "got worse",
        "where that is meant, --relevance-update FILE::CASE accepts one{also}",
        BAD,
    ),
    _Advice(
        IMPROVEMENT,
        "got better",
        "got better",
        "--relevance-update accepts {them}{too}",
        GOOD,
    ),
    _Advice(
        STALE,
        "has a stale baseline",
        "have a stale baseline",
        "pytest --relevance-update{where} accepts the present rankings{too}",
        BAD,
    ),
    _Advice(
        NEW,
        "has no baseline yet",
        "have no baseline yet",
        "pytest --relevance-update=new{where} adds {them}",
        DOUBT,
    ),
)


def update_sentences(
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    updating: str | None,
    *,
    against: str = "",
) -> Iterator[Sentence | CommandLine]:
    """Say what an update of the baseline would do, unless this run does it.

    `updating` is what the run accepts, "all" or "new". `against` is the record to
    compare with as the command line names it; empty if that is not known. Cases that
    are compared with a record are left out, as an update does not change one.
    """
    fallen = [result for result in results if got_worse(result)]
    if fallen:
        yield from emptied_sentences(changes_since_baseline(results))
        yield _how_to_see_one(fallen, files, against)
    if updating == "all":
        return
    by_standing = _by_standing(results, files)
    for advice in _ADVICE:
        group = by_standing.get(advice.standing, ())
        if group and not (advice.standing == NEW and updating):
            yield _sentence(advice, group, fallen)


def _how_to_see_one(
    fallen: Sequence[CaseResult], files: Mapping[str, FileInfo], against: str
) -> CommandLine:
    """Give the command that reports the case with the greatest drop in full.

    It runs in the folder where the run was started.
    """
    first = min(fallen, key=lambda result: result.weight * result.change)
    info = files.get(first.file)
    parts = ["pytest", "-v"]
    if info is not None and info.against:
        parts.append(f"--relevance-against={against or info.against}")
    name = first.node.partition("::")[2] or first.id
    parts.append(f"{first.file}::{name}")
    return CommandLine("to see one in full:", join(parts), DOUBT)


def _by_standing(
    results: Iterable[CaseResult], files: Mapping[str, FileInfo]
) -> dict[str, list[CaseResult]]:
    """Group the results that an update may change by their standing."""
    against = {name for name, info in files.items() if info.against}
    by_standing: dict[str, list[CaseResult]] = {}
    for result in results:
        if result.file in against:
            continue
        if got_worse(result):
            standing = REGRESSION
        elif result.baseline is not None:
            standing = result.baseline.standing
        else:
            continue
        by_standing.setdefault(standing, []).append(result)
    return by_standing


def _sentence(
    advice: _Advice, group: Sequence[CaseResult], fallen: Sequence[CaseResult]
) -> Sentence:
    """Put advice into words for its cases. `fallen` are all that got worse."""
    names = list(dict.fromkeys(result.node for result in group))
    chooses_cases = len(names) <= MOST_NAMES
    if not chooses_cases:
        names = list(dict.fromkeys(name.partition("::")[0] for name in names))
    where = ""
    if len(names) <= MOST_NAMES:
        where = "".join(f" {quote(name)}" for name in names)
    too = ""
    # a command that names the cases accepts nothing else
    names_cases = chooses_cases and "{where}" in advice.remedy
    if fallen and not names_cases:
        too = ", and what got worse too unless you choose the cases"
    also = ""
    if any(_misses_a_demand(result) for result in fallen):
        also = "; a missed floor or expectation has to change too"
    count = case_count(group)
    remedy = advice.remedy.format(
        them="it" if count == 1 else "them", where=where, too=too, also=also
    )
    words = advice.one if count == 1 else advice.several
    return Sentence(f"{counted(count, 'case')} {words}: {remedy}", advice.style)


def _misses_a_demand(result: CaseResult) -> bool:
    """Say whether a case misses more than the score of its accepted ranking."""
    return any(reason.kind != DROP for reason in result.evaluation.reasons)
