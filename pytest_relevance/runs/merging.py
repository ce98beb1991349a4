"""The records of the shards of one run put together: what overlaps, what is missing, what the gates say of the whole.

Shards belong together when they found the same case files, by what these and their judgments say. A case that several
of them ran must have come to the same, unless the last is to count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_relevance.cases.model import Gate
from pytest_relevance.cases.names import node_name
from pytest_relevance.metrics.scalar import ranks_needed
from pytest_relevance.runs.facts import CaseFileFacts, Total
from pytest_relevance.runs.gates import Counted, Verdict, in_variants, judge, looks_at, why_not
from pytest_relevance.runs.obstacles import shown_key, some
from pytest_relevance.runs.run import Key, Result, Run
from pytest_relevance.runs.scored import ERROR, SKIPPED
from pytest_relevance.wording import counted, listed

_Match = tuple[Key, str, str, int]
"""What two results of one case have in common: key, search, the test that checked it, and which check of that it is."""


class Unmergeable(ValueError):
    """Records that are not of one run; `reasons` has every reason."""

    def __init__(self, reasons: Iterable[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("\n".join(["the records cannot be merged:", *(f"- {reason}" for reason in self.reasons)]))


@dataclass(frozen=True, slots=True)
class Gap:
    """Cases of a file that no record has, in one variant of a search."""

    file: str
    search: str
    variant: str | None
    found: int
    total: int


@dataclass(frozen=True, slots=True)
class Merged:
    """The whole run. `run.missing` is what did not finish in one record and is in none.

    `again` are the cases that several records have, with the same results; `replaced` those whose last result counts.
    """

    run: Run
    again: tuple[Key, ...] = ()
    replaced: tuple[Key, ...] = ()
    gaps: tuple[Gap, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether every case is there."""
        return not (self.gaps or self.run.missing)


@dataclass(frozen=True, slots=True)
class JudgedGate:
    """What a gate says of the whole run, in one variant; without a verdict, why there is none."""

    file: str
    line: int
    gate: Gate
    variant: str | None
    results: Sequence[Result] = ()
    verdict: Verdict | None = None
    why_not: str = ""


def merge(runs: Sequence[Run], *, last: bool = False, name: str = "merged") -> Merged:
    """Put runs together, in the order in which they are given.

    Raises `Unmergeable` where they do not belong together, or where a case came to something else in another of them;
    with `last` the last of its results counts.
    """
    reasons = [*_programs(runs), *_files(runs)]
    found: dict[_Match, tuple[Result, Run]] = {}
    again: dict[Key, None] = {}
    different: dict[Key, tuple[Run, Run]] = {}
    for run in runs:
        for match, result in _numbered(run.results):
            if match in found:
                before, other = found[match]
                if _are_same(before, result):
                    again[match[0]] = None
                    continue
                different[match[0]] = other, run
            found[match] = result, run
    if different and not last:
        reasons.append(_differing(different))
    if reasons:
        raise Unmergeable(reasons)
    results = [result for result, _ in found.values()]
    files = _all_files(runs)
    missing = _missing(runs, results, files)
    whole = Run(results, missing=missing, name=name, files=files, program=runs[0].program)
    return Merged(whole, tuple(again), tuple(different), tuple(_gaps(results, files)))


def judge_gates(run: Run) -> Iterator[JudgedGate]:
    """What the gates of every file say, in each variant of its search."""
    of_file: dict[str, list[Result]] = {}
    for result in run.results:
        of_file.setdefault(result.file, []).append(result)
    for file, facts in run.files.items():
        results = of_file.get(file, [])
        ran = [result for result in results if result.verdict != SKIPPED]
        total = sum(count for *_, count in facts.totals) - (len(results) - len(ran))
        groups = in_variants((variant for _, variant, _ in facts.totals), [(each.variant, each) for each in ran])
        for gate, line in facts.gates:
            for variant, group in groups.items():
                judged = JudgedGate(file, line, gate, variant)
                if len(ran) < total:
                    yield replace(judged, why_not=f"{len(ran):,} of {total:,} ran")
                elif nothing := why_not(gate, (result.tags for result in group)):
                    yield replace(judged, why_not=nothing)
                else:
                    shown = [each for each in group if each.verdict == ERROR or looks_at(gate, each.tags)]
                    verdict = judge(gate, [as_counted(result, gate) for result in group])
                    yield replace(judged, results=shown, verdict=verdict)


def as_counted(result: Result, gate: Gate) -> Counted:
    """A result as a gate looks at it."""
    scores: dict[str, float | None] = {}
    cut: dict[str, int] = {}
    depths: dict[str, int] = {}
    for metric in gate.metrics if result.verdict != ERROR else ():
        name, is_whole, depth = metric.text, ranks_needed(metric, result.settings) is None, result.depth or result.k
        if is_whole and result.conditions.depth is not None:
            depths[name] = depth
        if is_whole and result.is_cut and result.is_judged and result.scores.get(name, 0.0) is not None:
            cut[name] = depth
        else:
            scores[name] = result.score_of(metric)
    return Counted(
        result.id,
        result.weight,
        result.tags,
        passes=result.outcome in ("passed", "measured", "xpassed"),
        errored=result.verdict == ERROR,
        scores=scores,
        before=result.values.get("before", {}),
        cut=cut,
        depths=depths,
    )


def shown_search(search: str, variant: str | None) -> str:
    """A search with its variant: `search[bm25]`."""
    return search + (f"[{variant}]" if variant is not None else "")


def _programs(runs: Sequence[Run]) -> Iterator[str]:
    versions = dict.fromkeys(run.program for run in runs)
    if len(versions) > 1:
        made = ", ".join(f"{run.name} by {run.program or 'an unknown one'}" for run in runs)
        yield f"they were made by different versions of pytest-relevance: {made}; run the shards with one version"


def _files(runs: Sequence[Run]) -> Iterator[str]:
    """Why the runs are not of the same case files."""
    first: dict[str, tuple[CaseFileFacts, Run]] = {}
    counts: dict[tuple[str, str, str | None], tuple[int, Run]] = {}
    for run in runs:
        for file, facts in run.files.items():
            known, other = first.setdefault(file, (facts, run))
            if known.content != facts.content:
                yield (
                    f"{file}, or a file of judgments or queries that it names, is not the same in {other.name} and "
                    f"{run.name}: run the shards on one commit"
                )
                continue
            for search, variant, count in facts.totals:
                before, other = counts.setdefault((file, search, variant), (count, run))
                if before != count:
                    yield (
                        f"{file} has {before:,} cases in {other.name} and {count:,} in {run.name}, "
                        f"with {shown_search(search, variant)}"
                    )


def _numbered(results: Iterable[Result]) -> Iterator[tuple[_Match, Result]]:
    """The results by what they have in common with those of another run: tests may check a query several times."""
    times: Counter[tuple[Key, str, str]] = Counter()
    for result in results:
        known = result.key, result.search, result.values.get("test", "")
        yield (*known, times[known]), result
        times[known] += 1


def _are_same(one: Result, two: Result) -> bool:
    """Whether a case came to the same twice. How long the search took does not matter."""
    return (
        (one.verdict, one.outcome, one.digest, one.conditions) == (two.verdict, two.outcome, two.digest, two.conditions)
        and one.scores == two.scores
        and one.has_ranking_of(two)
    )


def _differing(different: Mapping[Key, tuple[Run, Run]]) -> str:
    pairs = dict.fromkeys(f"{one.name} and {two.name}" for one, two in different.values())
    return (
        f"{counted(len(different), 'case')} came to something else in {listed(pairs)}: "
        f"{some(map(shown_key, different))}; --last takes the result of the record that is named last"
    )


def _all_files(runs: Iterable[Run]) -> dict[str, CaseFileFacts]:
    """The files of all runs; the shards of a matrix may each have variants of their own."""
    files: dict[str, CaseFileFacts] = {}
    for run in runs:
        for file, facts in run.files.items():
            known = files.setdefault(file, facts)
            totals: dict[Total, None] = dict.fromkeys([*known.totals, *facts.totals])
            files[file] = replace(known, totals=tuple(totals))
    return files


def _gaps(results: Iterable[Result], files: Mapping[str, CaseFileFacts]) -> Iterator[Gap]:
    keys = {(*result.key, result.search) for result in results}  # a line that is there twice stands for no other
    found = Counter((file, search, variant) for file, _, variant, search in keys)
    for file, facts in files.items():
        for search, variant, total in facts.totals:
            count = found[file, search, variant]
            if count < total:
                yield Gap(file, search, variant, count, total)


def _missing(runs: Sequence[Run], results: Sequence[Result], files: Mapping[str, CaseFileFacts]) -> tuple[str, ...]:
    """What did not finish in one run, and did in none."""
    missing = dict.fromkeys(name for run in runs for name in run.missing)
    if not missing:
        return ()
    known = {facts.node for facts in files.values()}
    for result in results:
        facts = files.get(result.file)
        if facts is not None:
            known.update(_node_ids(facts.node, result))
    # `--dist loadgroup` of pytest-xdist appends the name of a group to node ids
    return tuple(name for name in missing if name not in known and name.rpartition("@")[0] not in known)


def _node_ids(file: str, result: Result) -> Iterator[str]:
    """What the node id of a case may be: a written id stands in it as it is, a query encoded."""
    variant = f"[{result.variant}]" if result.variant is not None else ""
    for name in {result.id, node_name(result.id)}:
        yield f"{file}::{name}{variant}"
    for name in result.values.get("items", ()):
        yield f"{file}::{name}"
