"""The results of two runs paired by case, and what keeps the others from being compared.

Nothing is dropped silently: every case of either run is in a pair, in an `Incompatibility`, or was skipped by both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted, did_you_mean, listed, quoted
from pytest_relevance.results.case_result import ERROR, SKIPPED, CaseResult, Key
from pytest_relevance.results.compare.incompatibilities import (
    KINDS,
    Incompatibility,
    Metrics,
    Names,
    Pair,
    describe,
    incompatibilities_of,
    some,
)
from pytest_relevance.results.run import Run

Variants = tuple[str | None, str | None]
"""A variant of the first run and one of the second, to be compared with each other."""

_Match = tuple[str, str, str | None, int]
"""The key by which results of a case are matched: file, id, variant, and its number among several results of these."""

_Matches = dict[_Match, CaseResult]


@dataclass(frozen=True, slots=True)
class ErroredCase:
    """A case that is an error in one run or in both: its search raised, or returned what is no ranking."""

    key: Key
    in_first: bool
    in_second: bool

    @property
    def is_new(self) -> bool:
        """Whether it is an error in the second run alone."""
        return self.in_second and not self.in_first


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs of results that can be compared, and what keeps the others from it. `skipped`: by both runs."""

    pairs: tuple[Pair, ...]
    incompatibilities: tuple[Incompatibility, ...]
    errors: tuple[ErroredCase, ...]
    skipped: tuple[Key, ...]


def pair(first: Run, second: Run, names: Names, metrics: Metrics, variants: Variants | None = None) -> Pairing:
    """Pair the results of two runs that are to be compared by these metrics. `names` are what the runs are called.

    Case files are matched by their names without folders where these are unique, and are ignored where each run has
    only one. Raises ValueError for one of two `variants` that its run does not have.
    """
    before, after = _matches(first, second, variants)
    found: dict[str, list[tuple[Key, str]]] = {kind: [] for kind in KINDS}
    found["only in second"] = [(two.key, "") for match, two in after.items() if match not in before]
    pairs, errors, skipped = [], [], []
    for match, one in before.items():
        two = after.get(match)
        if two is None:
            found["only in first"].append((one.key, ""))
            continue
        kinds = incompatibilities_of(one, two, names, metrics)
        if not kinds:
            pairs.append((one, two))
        elif one.verdict == two.verdict == SKIPPED:
            skipped.append(two.key)
        else:
            for kind, detail in kinds.items():
                found[kind].append((two.key, detail))
            if ERROR in (one.verdict, two.verdict):
                errors.append(ErroredCase(two.key, one.verdict == ERROR, two.verdict == ERROR))
    incompatibilities = _different_variants(before, after, names)
    if not incompatibilities:
        incompatibilities = [describe(kind, cases, names) for kind, cases in found.items() if cases]
    for run, name in ((first, names[0]), (second, names[1]))[: 1 if first is second else 2]:
        if run.missing:
            cases = f"{counted(len(run.missing), 'case')}: {some(run.missing)}"
            reason = f"{name} is not complete, the run ended before {cases}"
            incompatibilities.append(Incompatibility("unfinished", (), reason))
    return Pairing(tuple(pairs), tuple(incompatibilities), tuple(errors), tuple(skipped))


def names_of(first: Run, second: Run, variants: Variants | None = None) -> Names:
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
        for result in run.results if variants is None else _of_variant(run, variants[number]):
            same = file_name(result.file), result.id, result.variant if variants is None else None
            match = (*same, seen[same])
            found[number][match] = result
            seen[same] += 1
    return found


def _of_variant(run: Run, variant: str | None) -> Sequence[CaseResult]:
    found = [result for result in run.results if result.variant == variant]
    if not found:
        names = [name for name in dict.fromkeys(result.variant for result in run.results) if name is not None]
        wanted = "without a variant" if variant is None else f"of the variant {quoted(variant)}"
        has = listed(map(quoted, names), "and") or "none"
        raise ValueError(
            f"{run.name} has no results {wanted}{did_you_mean(variant or '', names)}; its variants are {has}"
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
