"""Commands at the end of a run that say what to do next: look, judge, accept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os.path import isabs
from shlex import join, quote

from pytest_relevance._text import counted
from pytest_relevance.reports.blocks import CommandLine
from pytest_relevance.reports.run.case_counts import case_count
from pytest_relevance.reports.run.changed_test import NONE_LOOSER, LooserFiles
from pytest_relevance.reports.run.run_context import MOST_NAMES
from pytest_relevance.results.became import CHANGED
from pytest_relevance.results.case_parts import IMPROVEMENT, NEW, REGRESSION, STALE
from pytest_relevance.results.case_result import WITHOUT_SCORE, CaseResult, has_failed
from pytest_relevance.results.change_counts import ChangeCounts, count_results
from pytest_relevance.results.failures import failure_kind, got_worse
from pytest_relevance.results.records.entries import misses_a_demand
from pytest_relevance.results.records.run_info import FileInfo, RunInfo

_WORSE_TOO = ", and also what got worse, unless you name cases"

_UPDATE = "pytest --relevance-update"
_LOOK = "--relevance-html=report.html"
_AGAINST = "--relevance-against"


@dataclass(frozen=True, slots=True)
class RunAgain:
    """What is needed to run the same cases again, against the same reference.

    `against`: the record to compare with, as the command line names it; "" if unknown.
    `replayed`: the record whose rankings were judged; "" if searches were called.
    """

    against: str = ""
    replayed: str = ""

    @classmethod
    def of(cls, info: RunInfo, against: str = "") -> RunAgain:
        """Return how to repeat the run `info`.

        `against`: the record to compare with. If "", it is looked for in the command
            line that `info` has.
        """
        return cls(
            against=against or _reference_in(info.command),
            replayed="" if info.replayed is None else info.replayed.name,
        )

    @property
    def program(self) -> list[str]:
        """Return the beginning of the command."""
        if self.replayed:
            return ["pytest-relevance", "replay", self.replayed]
        return ["pytest"]


def next_steps(
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    updating: str | None,
    *,
    looser: LooserFiles = NONE_LOOSER,
    run_again: RunAgain = RunAgain(),
    page: str = "",
) -> Iterator[CommandLine]:
    """Yield the commands that show, judge and accept what changed, in this order.

    - If demands are looser than in the baseline, commands to undo or accept them come
      first.
    - No command accepts what got worse if missing judgments may explain it.
    - No command accepts cases that are compared with a record: an update does not
      change a record.
    - No command accepts the rankings of a replay.

    `updating`: what the run accepts: "all", "new" or "test"; None for nothing.
    `looser`: the case files whose demands are looser.
    `page`: the HTML report that the run wrote; "" without one.
    """
    program = run_again.program
    replayed = run_again.replayed
    fallen = [result for result in results if got_worse(result)]
    if updating == "all":
        # accepted rankings pass, unless they miss a floor or an expectation
        fallen = [result for result in fallen if has_failed(result)]
    worse = count_results(fallen)
    if looser.names and updating not in ("all", "test"):
        yield from _about_looser_test(looser, replayed)
    options = _reference_options(fallen, files, run_again.against)
    in_full = [*program, "-v", *options]
    empty = [result for result in fallen if _returned_nothing(result)]
    if empty:
        others = ", like others" if len(empty) > 1 else ""
        why = f"it returns nothing now{others}: find out why"
        yield _how_to_see_one(empty, in_full, why)
    if page:
        yield CommandLine("look", page)
    elif fallen or looser.names:
        yield CommandLine("look", join([*program, *options, _LOOK]))
    if fallen and not empty:
        yield _how_to_see_one(fallen, in_full)
    if worse.open:
        yield _how_to_judge(worse, [*program, *options])
    if replayed:
        yield from _how_to_compare_in_replay(results, files, program)
    elif updating != "all":
        yield from _how_to_accept(results, files, worse, updating)


def _reference_options(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], against: str
) -> list[str]:
    """Return the options that compare the first result with the same reference again.

    [] without results.
    """
    info = files.get(results[0].file) if results else None
    if info is None or not info.against:
        return []
    return [f"--relevance-against={against or info.against}"]


def _how_to_compare_in_replay(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], program: Sequence[str]
) -> Iterator[CommandLine]:
    """Yield the command that compares with the record, if baselines are stale.

    A replay cannot accept rankings. The record may have what the baseline lacks, such
    as texts in which to look for new passages.
    """
    stale = _by_standing(results, files)[STALE]
    if stale:
        note = f"{_cases_have(stale)} a stale baseline: compares with the record"
        yield CommandLine("look", join([*program, f"{_AGAINST}={program[-1]}"]), note)


def _about_looser_test(looser: LooserFiles, replayed: str) -> Iterator[CommandLine]:
    """Yield the files in which to undo looser demands, and how to accept the demands.

    If only judgments changed, no command undoes them: new judgments are usually right.
    A replay accepts nothing, so the note says to call the search.
    """
    note = "the new judgments, if they are intended"
    if not looser.by_judgments:
        yield _what_to_undo(looser.names)
        note = "what the test demands now, if it is intended"
    if replayed:
        note += "; in a run that calls the search"
    yield CommandLine("accept", f"{_UPDATE}=test", note)


def _what_to_undo(files: Sequence[str]) -> CommandLine:
    names = ", ".join(files[:MOST_NAMES])
    more = len(files) - MOST_NAMES
    if more > 0:
        names += f" and {more:,} more"
    return CommandLine("undo", names, "what the test changed", is_file=True)


def _how_to_see_one(
    fallen: Sequence[CaseResult], command: Sequence[str], why_first: str = ""
) -> CommandLine:
    """Return the command that reports the case with the greatest drop in full.

    The command works in the folder where the run was started.

    `command`: the command, without the case.
    `why_first`: why to look at this case first; "" without a special reason.
    """
    first = min(fallen, key=lambda result: result.weight * result.change)
    name = first.node.partition("::")[2] or first.id
    word = "first" if why_first else "in full"
    return CommandLine(word, join([*command, f"{first.file}::{name}"]), why_first)


def _returned_nothing(result: CaseResult) -> bool:
    return not result.ranking.returned and result.verdict not in WITHOUT_SCORE


def _how_to_judge(worse: ChangeCounts, command: Sequence[str]) -> CommandLine:
    """Return the command that lists the results to judge.

    `command`: the command, without the list.
    """
    note = "lists the grades that the query needs"
    if worse.open > 1:
        note = f"lists the grades that the {worse.open:,} need"
    lists_grades = join([*command, "--relevance-unjudged=worklist.csv"])
    return CommandLine("judge", lists_grades, note)


def _by_standing(
    results: Iterable[CaseResult], files: Mapping[str, FileInfo]
) -> dict[str, list[CaseResult]]:
    """Return {standing to the baseline: results}.

    Results that got worse are under `REGRESSION`, and results that changed by more than
    allowed under `CHANGED`. Files that are compared with a record are left out.
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


# --- to accept ------------------------------------------------------------------------


def _how_to_accept(
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    worse: ChangeCounts,
    updating: str | None,
) -> Iterator[CommandLine]:
    """Yield the commands that accept the present rankings."""
    by_standing = _by_standing(results, files)
    fallen = by_standing[REGRESSION]
    if fallen and not worse.open:
        yield _accept_one(fallen)
    if not worse.open:
        yield from _accept_better(by_standing, worse)
    if by_standing[STALE]:
        yield _accept_stale(by_standing[STALE], worse)
    if by_standing[NEW] and not updating:
        yield _accept_new(by_standing[NEW])


def _accept_one(fallen: Sequence[CaseResult]) -> CommandLine:
    note = "one that got worse, if that is meant"
    if any(misses_a_demand(result) for result in fallen):
        note += "; a missed floor or expectation has to change too"
    return CommandLine("accept", f"{_UPDATE} FILE::CASE", note)


def _accept_better(
    by_standing: Mapping[str, Sequence[CaseResult]], worse: ChangeCounts
) -> Iterator[CommandLine]:
    """Yield the command that accepts improvements and changes by more than allowed."""
    parts = []
    if by_standing[CHANGED]:
        parts.append(f"{case_count(by_standing[CHANGED]):,} changed")
    if by_standing[IMPROVEMENT]:
        parts.append(f"{case_count(by_standing[IMPROVEMENT]):,} got better")
    if parts:
        note = " and ".join(parts) + (_WORSE_TOO if worse.got_worse else "")
        yield CommandLine("accept", _UPDATE, note)


def _accept_stale(group: Sequence[CaseResult], worse: ChangeCounts) -> CommandLine:
    """Return the command that accepts the rankings of cases with a stale baseline.

    If the command cannot name the cases, its note warns that it accepts others too.
    """
    arguments = _arguments(group)
    note = f"{_cases_have(group)} a stale baseline"
    # a command that names the cases accepts no other cases
    names_cases = "::" in arguments
    if worse.got_worse and not names_cases:
        note += f": accepts the present rankings{_WORSE_TOO}"
    return CommandLine("accept", f"{_UPDATE}{arguments}", note)


def _accept_new(group: Sequence[CaseResult]) -> CommandLine:
    note = f"{_cases_have(group)} no baseline yet"
    return CommandLine("accept", f"{_UPDATE}=new{_arguments(group)}", note)


def _cases_have(group: Sequence[CaseResult]) -> str:
    return counted(case_count(group), "case has", "cases have")


def _arguments(group: Sequence[CaseResult]) -> str:
    """Return the arguments of pytest that choose these cases, each after a blank.

    If the cases are many, the arguments choose their files. If the files are many, "".
    """
    names = list(dict.fromkeys(result.node for result in group))
    if len(names) > MOST_NAMES:
        names = list(dict.fromkeys(name.partition("::")[0] for name in names))
    if len(names) > MOST_NAMES:
        return ""
    return "".join(f" {quote(name)}" for name in names)


def _reference_in(command: Sequence[str]) -> str:
    """Return the record to compare with, as a command line names it, or "".

    An absolute path is left out, because it belongs to one machine.
    """
    name = ""
    for place, argument in enumerate(command):
        if argument == _AGAINST:
            name = "".join(command[place + 1 : place + 2])
        elif argument.startswith(f"{_AGAINST}="):
            name = argument.removeprefix(f"{_AGAINST}=")
    return "" if isabs(name) else name
