"""The results of two runs paired by case.

Nothing is dropped silently: every case of either run is in a pair, in an `Incompatibility`, or was skipped by both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted, did_you_mean, listed, quoted
from pytest_relevance.results.case_result import NO_DIGEST, SKIPPED, WITHOUT_SCORE, CaseResult
from pytest_relevance.results.compare.incompatibilities import (
    KINDS,
    ErroredCase,
    Incompatibility,
    Metrics,
    Names,
    describe,
    incompatibilities_of,
    kind_of_unmatched,
    some,
    some_cases,
)
from pytest_relevance.results.records.run import Run

Pair = tuple[CaseResult, CaseResult]
"""The results of one case in the first run and in the second."""

Variants = tuple[str | None, str | None]
"""A variant of the first run and one of the second, to be compared with each other."""

_Match = tuple[str, str, str | None, int]
"""The key by which results of a case are matched: file, id, variant, and its number among several results of these."""

_Matches = dict[_Match, CaseResult]


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs of results that can be compared, and what keeps the others from it. `skipped`: by both runs.

    `names` are what the runs are called.
    """

    names: Names
    pairs: tuple[Pair, ...]
    incompatibilities: tuple[Incompatibility, ...]
    errors: tuple[ErroredCase, ...]
    skipped: tuple[CaseResult, ...]

    @property
    def notes(self) -> list[str]:
        """Remarks on the pairs that are compared."""
        pairs = self.pairs
        weighted = "weighted otherwise; the weights are those of the second run"
        remarks = (
            (self.skipped, "skipped in both runs"),
            ([two for one, two in pairs if one.params != two.params], "searched with other parameters"),
            ([two for one, two in pairs if one.weight != two.weight], weighted),
            ([two for _, two in pairs if two.digest == NO_DIGEST], "without any judgments"),
        )
        return [f"{counted(len(cases), 'case')} {what}: {some_cases(cases)}" for cases, what in remarks if cases]


def pair(first: Run, second: Run, metrics: Metrics, variants: Variants | None = None) -> Pairing:
    """Pair the results of two runs that are to be compared by these metrics.

    Case files are matched by their names without folders where these are unique, and are ignored where each run has
    only one. Raises ValueError for one of two `variants` that its run does not have.
    """
    names = _names(first, second, variants)
    before, after = _matches(first, second, variants)
    found: dict[str, list[tuple[CaseResult, str]]] = {kind: [] for kind in KINDS}
    pairs, skipped = [], []
    for match in {**before, **after}:
        one, two = before.get(match), after.get(match)
        if one is None or two is None:
            found[kind_of_unmatched(two)].append((one or two, ""))  # type: ignore[arg-type]
        elif one.verdict == two.verdict == SKIPPED:
            skipped.append(two)
        elif kinds := incompatibilities_of(one, two, names, metrics):
            for kind, detail in kinds.items():
                found[kind].append((two, detail))
        else:
            pairs.append((one, two))
    incompatibilities = _different_variants(before, after, names)
    if not incompatibilities:
        incompatibilities = [describe(kind, cases, names) for kind, cases in found.items() if cases]
    incompatibilities += _unfinished((first, second)[: 1 if first is second else 2], names)
    return Pairing(names, tuple(pairs), tuple(incompatibilities), _errors(before, after), tuple(skipped))


def _errors(before: _Matches, after: _Matches) -> tuple[ErroredCase, ...]:
    """The cases of the second run that are an error there, or were one in the first."""
    found = []
    for match, two in after.items():
        one = before.get(match)
        in_first, in_second = one is not None and one.verdict in WITHOUT_SCORE, two.verdict in WITHOUT_SCORE
        if in_first or in_second:
            found.append(ErroredCase(two.key, two.query, in_first, in_second))
    return tuple(found)


def _unfinished(runs: Sequence[Run], names: Names) -> list[Incompatibility]:
    """The runs that ended early."""
    return [
        Incompatibility(
            "unfinished",
            (),
            f"{name} is not complete, the run ended before {counted(len(run.missing), 'case')}: {some(run.missing)}",
        )
        for run, name in zip(runs, names, strict=False)
        if run.missing
    ]


def _names(first: Run, second: Run, variants: Variants | None) -> Names:
    """The names of two runs in messages and reports, never equal."""
    one, two = first.name, second.name
    if variants is not None:
        one, two = (
            f"{name}[{variant}]" if variant else name for name, variant in zip((one, two), variants, strict=True)
        )
    return (one, two) if one != two else ("first", "second")


def _matches(first: Run, second: Run, variants: Variants | None) -> tuple[_Matches, _Matches]:
    """The results of both runs by their matching keys. Two `variants` that are compared match each other.

    A test in Python may check a query several times: its results are numbered.
    """
    file_name = _file_names(first, second)
    found: tuple[_Matches, _Matches] = ({}, {})
    for number, run in enumerate((first, second)):
        seen: Counter[tuple[str, str, str | None]] = Counter()
        for result in run.results if variants is None else _results_of_variant(run, variants[number]):
            same = file_name(result.file), result.id, result.variant if variants is None else None
            match = (*same, seen[same])
            found[number][match] = result
            seen[same] += 1
    return found


def _results_of_variant(run: Run, variant: str | None) -> Sequence[CaseResult]:
    found = [result for result in run.results if result.variant == variant]
    if not found:
        names = [name for name in dict.fromkeys(result.variant for result in run.results) if name is not None]
        wanted = "without a variant" if variant is None else f"of the variant {quoted(variant)}"
        has = listed(map(quoted, names), "and") or "none"
        raise ValueError(
            f"{run.name} has no results {wanted}; its variants are {has}{did_you_mean(variant or '', names)}"
        )
    return found


def _file_names(first: Run, second: Run) -> Callable[[str], str]:
    """A function from a case file to the name that it is matched by: two checkouts may have it in different folders."""
    files = [{result.file for result in run.results} for run in (first, second)]
    if all(len(own) <= 1 for own in files):
        return lambda file: ""
    if all(len({_without_folders(file) for file in own}) == len(own) for own in files):
        return _without_folders
    return str


def _without_folders(file: str) -> str:
    return file.rsplit("/", 1)[-1]


def _different_variants(before: _Matches, after: _Matches, names: Names) -> list[Incompatibility]:
    """The reason why nothing matches, where it is that the searches ran in other variants."""
    cases = [{(file, case, number) for file, case, _, number in matches} for matches in (before, after)]
    if before.keys() & after.keys() or not cases[0] & cases[1]:
        return []
    first, second = (
        listed(("no variant" if name is None else quoted(name) for name in variants), "and")
        for variants in (dict.fromkeys(result.variant for result in matches.values()) for matches in (before, after))
    )
    reason = f"{names[0]} has {first}, {names[1]} has {second}; say which two are to be compared"
    return [Incompatibility("variants", (), f"the variants of the search differ: {reason}")]
