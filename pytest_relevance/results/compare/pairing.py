"""The results of two runs side by side: a pair for each case that can be compared, and what keeps others from it.

Nothing is dropped in silence: every case of either run is in a pair, in an `Obstacle`, or was skipped by both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

from pytest_relevance._text import counted, did_you_mean, listed, quoted
from pytest_relevance.metrics.names import Metric
from pytest_relevance.results.compare.incompatibilities import (
    KINDS,
    Both,
    Likeness,
    Obstacle,
    Words,
    obstacles_of,
    some,
)
from pytest_relevance.results.run import Key, Result, Run
from pytest_relevance.results.scoring import ERROR, SKIPPED

Variants = tuple[str | None, str | None]
"""A variant of the first run and one of the second, to be compared with each other."""

_Match = tuple[str, str, str | None, int]
"""What two results of one case have in common: file, id, variant, and which of several results of these it is."""


@dataclass(frozen=True, slots=True)
class Errored:
    """A case that is an error in one run or in both: its search raised, or returned nonsense."""

    key: Key
    in_first: bool
    in_second: bool

    @property
    def is_new(self) -> bool:
        """Whether it is an error in the second run alone."""
        return self.in_second and not self.in_first


@dataclass(frozen=True, slots=True)
class Pairs:
    """The results that can be compared, one of each run, and what stands in the way of the others.

    `skipped` are the cases that neither run was to run.
    """

    both: tuple[Both, ...]
    obstacles: tuple[Obstacle, ...]
    errors: tuple[Errored, ...]
    skipped: tuple[Key, ...]


def pair(first: Run, second: Run, metrics: Sequence[Metric] | None, variants: Variants | None = None) -> Pairs:
    """Pair the results of two runs; what they are to be compared by says which settings matter.

    The files of cases go by their names alone where that is clear, and do not matter where each run has one.
    """
    named = _namer(first, second)
    before, after = (
        _matchable(run, named, None if variants is None else (variants[side],))
        for side, run in enumerate((first, second))
    )
    both = [(one, after[match]) for match, one in before.items() if match in after]
    found: dict[str, list[Both]] = {kind: [] for kind in KINDS}
    found["only in first"] = [(one, one) for match, one in before.items() if match not in after]
    found["only in second"] = [(two, two) for match, two in after.items() if match not in before]
    like = Likeness(metrics)
    kept, skipped = [], []
    for one, two in both:
        kinds = obstacles_of(one, two, like)
        if not kinds:
            kept.append((one, two))
        elif one.verdict == two.verdict == SKIPPED:
            skipped.append(two.key)
        else:
            for kind in kinds:
                found[kind].append((one, two))
    words = Words(*called(first, second, variants), like)
    obstacles = [] if both else _other_variants(before, after, words)
    if not obstacles:
        obstacles = [words.obstacle(kind, pairs) for kind, pairs in found.items() if pairs]
    obstacles += _unfinished(first, words.first) + (_unfinished(second, words.second) if second is not first else [])
    errored = {id(two) for side in ("first", "second") for _, two in found[f"{ERROR} in {side}"]}
    errors = tuple(
        Errored(two.key, one.verdict == ERROR, two.verdict == ERROR)
        for one, two in (both if errored else ())
        if id(two) in errored
    )
    return Pairs(tuple(kept), tuple(obstacles), errors, tuple(skipped))


def called(first: Run, second: Run, variants: Variants | None = None) -> tuple[str, str]:
    """What two runs are called, never the same."""
    one, two = first.name, second.name
    if variants is not None:
        one, two = (
            f"{name}[{variant}]" if variant else name for name, variant in zip((one, two), variants, strict=True)
        )
    return (one, two) if one != two else ("first", "second")


def _matchable(run: Run, named: Callable[[str], str], only: tuple[str | None] | None) -> dict[_Match, Result]:
    """The results of a run by what they are matched by. Of one variant alone, which then does not matter itself."""
    results = run.results if only is None else _of_variant(run, only[0])
    values = [result.values for result in results]
    files = [named(each["file"]) for each in values]
    variants = [each.get("variant") if only is None else None for each in values]
    matches = list(zip(files, [each["id"] for each in values], variants, repeat(0)))
    found = dict(zip(matches, results, strict=True))
    return found if len(found) == len(results) else _numbered(matches, results)


def _numbered(matches: Iterable[_Match], results: Iterable[Result]) -> dict[_Match, Result]:
    """The same where a case has several results: a test in Python may check a query twice."""
    again: Counter[_Match] = Counter()
    found = {}
    for match, result in zip(matches, results, strict=True):
        numbered = (*match[:3], again[match])
        found[numbered] = result
        again[match] += 1
    return found


def _of_variant(run: Run, variant: str | None) -> Sequence[Result]:
    found = [result for result in run.results if result.variant == variant]
    if not found:
        names = [name for name in dict.fromkeys(result.variant for result in run.results) if name is not None]
        wanted = "without a variant" if variant is None else f"of the variant {quoted(variant)}"
        has = listed(map(quoted, names), "and") or "none"
        raise ValueError(
            f"{run.name} has no results {wanted}{did_you_mean(variant or '', names)}; its variants are {has}"
        )
    return found


def _namer(first: Run, second: Run) -> Callable[[str], str]:
    """What the files of two runs go by: two checkouts may have them in different folders."""
    files = [{result.file for result in run.results} for run in (first, second)]
    if all(len(own) <= 1 for own in files):
        return lambda file: ""
    if all(len({_base(file) for file in own}) == len(own) for own in files):
        return _base
    return str


def _base(file: str) -> str:
    return file.rsplit("/", 1)[-1]


def _other_variants(before: Mapping[_Match, Result], after: Mapping[_Match, Result], words: Words) -> list[Obstacle]:
    """The reason why nothing matches, where that is that the searches ran in other variants."""
    cases = [{(file, case, number) for file, case, _, number in matches} for matches in (before, after)]
    if not cases[0] & cases[1]:
        return []
    first, second = (_variants(matches.values()) for matches in (before, after))
    reason = (
        f"the variants of the search differ: {words.first} has {first}, {words.second} has {second}; say which two are "
        "to be compared"
    )
    return [Obstacle("variants", (), reason)]


def _variants(results: Iterable[Result]) -> str:
    names = dict.fromkeys(result.variant for result in results)
    return listed(("no variant" if name is None else quoted(name) for name in names), "and")


def _unfinished(run: Run, name: str) -> list[Obstacle]:
    if not run.missing:
        return []
    reason = f"{name} is not complete, the run ended before {counted(len(run.missing), 'case')}: {some(run.missing)}"
    return [Obstacle("unfinished", (), reason)]
