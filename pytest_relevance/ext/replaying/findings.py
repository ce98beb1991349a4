"""Find what a replay left out of its record, and which verdicts it changed.

A replay judges the cases in the files of today. A pull request could take a failing
case out of them. So recorded results that no case of today used are named.

With `--relevance-known=xfail` a run passes although cases fail, if their accepted
rankings fail too. In a replay, the accepted ranking is often the replayed one. Then
every failure would count as one that failed before. So a case or a gate that passed in
the record has to pass now, because nothing but the test has changed since.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pytest_relevance._text import counted, examples, listed
from pytest_relevance.ext.replaying.recorded_run import CasePlace, RecordedRun
from pytest_relevance.gates.judging import GateResult, judge_gates
from pytest_relevance.results.case_result import (
    FAILED,
    INCONCLUSIVE,
    MEASURED,
    PASSED,
    XFAILED,
    CaseResult,
    Key,
)
from pytest_relevance.results.records.run_info import FileInfo, RunFinding

_PASSES = (PASSED, MEASURED)
_FAILS = (FAILED, INCONCLUSIVE)


def findings(
    recorded: RecordedRun,
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    gates: Sequence[GateResult],
) -> Iterator[RunFinding]:
    """Yield the findings of a replay; none if it has no results.

    `results`, `gates`: those of the replay.
    `files`: {name: data} of the case files that were collected.
    """
    if not results:
        return
    looked_at: set[Key] = set()
    pairs = []
    for result in results:
        node = files[result.file].node if result.file in files else result.file
        place = CasePlace(node, result.file, result.variant)
        found = recorded.results_for(place, result)
        looked_at.update(each.key for each in found)
        if len(found) == 1:
            pairs.append((found[0], result))
    yield from _not_looked_at(recorded, looked_at, files)
    yield from _other_verdicts(recorded.name, pairs)
    yield from _gates_not_known(recorded, gates)


def _not_looked_at(
    recorded: RecordedRun, looked_at: Collection[Key], files: Mapping[str, FileInfo]
) -> Iterator[RunFinding]:
    """Yield a finding about the recorded results that no case used, with the reasons.

    `looked_at`: the keys of the recorded results that a case used.
    """
    collected: dict[str, set[str]] = {}
    for name, info in files.items():
        file = recorded.file_of(CasePlace(info.node, name))
        collected[file] = {case for case, *_ in info.cases}
    unused = [result for result in recorded.results if result.key not in looked_at]
    checks = len(recorded.record.results) - len(recorded.results)
    count = len(unused) + checks
    if not count:
        return
    parts = _reasons(unused, collected)
    if checks:
        parts.append(f"{checks:,} of tests in Python, which a replay does not run")
    total = counted(len(recorded.record.results), "result")
    were = "was" if count == 1 else "were"
    brief = f"{count:,} of {total} of {recorded.name} {were} not looked at"
    text = f"{brief}: {listed(parts, 'and')}"
    yield RunFinding(text, brief=brief, is_of_part=True)


def _reasons(
    unused: Iterable[CaseResult], collected: Mapping[str, Collection[str]]
) -> list[str]:
    """Return why no case used some recorded results, with the number for each reason.

    `collected`: {case file as in the record: ids of its cases of today}.
    """
    of_files, gone, not_chosen = [], [], []
    for result in unused:
        if result.file not in collected:
            of_files.append(result)
        elif result.id in collected[result.file]:
            not_chosen.append(result)
        else:
            gone.append(result)
    reasons = []
    if of_files:
        names = examples(dict.fromkeys(result.file for result in of_files))
        reasons.append(f"{len(of_files):,} of case files that did not run ({names})")
    if gone:
        names = examples(dict.fromkeys(result.id for result in gone))
        reasons.append(
            f"{len(gone):,} of cases that are not in the files now ({names})"
        )
    if not_chosen:
        reasons.append(f"{len(not_chosen):,} of cases that were not chosen to run")
    return reasons


def _other_verdicts(
    record: str, pairs: Sequence[tuple[CaseResult, CaseResult]]
) -> Iterator[RunFinding]:
    """Yield findings about cases that passed before and fail now, or the reverse.

    `record`: the name of the record in messages.
    `pairs`: the recorded result of each case, and its result now.
    """
    fails_now, passes_now = [], []
    for before, now in pairs:
        if before.verdict in _PASSES and now.verdict in _FAILS:
            fails_now.append(now)
        if before.verdict in _FAILS and now.verdict in _PASSES:
            passes_now.append(now)
    if fails_now:
        brief = _cases_that(fails_now, f"passed in {record}", "fails now", "fail now")
        text = f"{brief} ({_ids(fails_now)})"
        is_hidden = any(result.is_known for result in fails_now)
        if is_hidden:
            text = f"{text}, {_NOT_COVERED}"
        yield RunFinding(text, fails=is_hidden, brief=brief)
    if passes_now:
        cases = _cases_that(passes_now, f"failed in {record}", "passes now", "pass now")
        yield RunFinding(f"{cases} ({_ids(passes_now)})")


_NOT_COVERED = (
    "and nothing but the test has changed: --relevance-known=xfail does not cover that, "
    "so the run fails"
)


def _cases_that(
    results: Iterable[CaseResult], did: str, does: str, they_do: str
) -> str:
    """Return, for example, `2 cases that passed in main.jsonl fail now`."""
    count = len({(result.file, result.id) for result in results})
    return f"{counted(count, 'case')} that {did} {does if count == 1 else they_do}"


def _ids(results: Iterable[CaseResult]) -> str:
    """Return the ids of the first cases: `"boots" and "hats"`."""
    return examples(dict.fromkeys(result.id for result in results))


def _gates_not_known(
    recorded: RecordedRun, gates: Iterable[GateResult]
) -> Iterator[RunFinding]:
    """Yield a finding about gates that count as known, and that the record met.

    A gate that the record does not have counts as met.
    """
    known = [gate for gate in gates if gate.outcome() == XFAILED]
    if not known:
        return
    missed = set()
    for gate in judge_gates(recorded.record.results, recorded.record.files):
        if gate.unmet:
            missed.add((gate.file, gate.name))
    names = []
    for gate in known:
        file = recorded.file_of(CasePlace(gate.node, gate.file))
        if (file, gate.name) not in missed:
            names.append(gate.name)
    if names:
        are = counted(len(names), "gate is", "gates are")
        brief = f"{are} not met, which {recorded.name} met"
        text = f"{brief} ({examples(names)}), {_NOT_COVERED}"
        yield RunFinding(text, fails=True, brief=brief)
