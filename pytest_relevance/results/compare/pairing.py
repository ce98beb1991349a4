"""The results of two runs paired by case, and what keeps them from being compared.

Nothing is dropped silently: every case of either run is in a pair, in an `Incompatibility`, or was skipped by both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._text import case_in_prose, counted, did_you_mean, first_few, listed, quoted
from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.scalar import ranks_needed
from pytest_relevance.results.case_parts import NO_DIGEST
from pytest_relevance.results.case_result import (
    ERROR,
    NOT_SEARCHED,
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
    Key,
)
from pytest_relevance.results.records.run import Run

Pair = tuple[CaseResult, CaseResult]
"""The results of one case in the first run and in the second."""

Variants = tuple[str | None, str | None]
"""A variant of the first run and one of the second, to be compared with each other."""

_Match = tuple[str, str, str | None, int]
"""The key that matches results of a case: file, id, variant, and a number among several results with these."""

_Matches = dict[_Match, CaseResult]

MOST_EXAMPLES = 3

Metrics = Sequence[Metric] | None
"""The metrics that runs are compared by; None is the nDCG@k of each case."""

Names = tuple[str, str]
"""The names of two runs in messages and reports, never equal."""


class Incomparable(ValueError):
    """Raised for two runs that cannot be compared; `reasons` has every reason, with counts and examples.

    `kinds` are the kinds of their incompatibilities, and `in_common` is how many cases have none.
    """

    def __init__(self, reasons: Iterable[str], kinds: Iterable[str] = (), in_common: int = 0) -> None:
        self.reasons = tuple(reasons)
        self.kinds = frozenset(kinds)
        self.in_common = in_common
        super().__init__("\n".join(["the two runs cannot be compared:", *(f"- {reason}" for reason in self.reasons)]))


@dataclass(frozen=True, slots=True)
class Incompatibility:
    """What keeps some cases from being compared: a key of `KINDS` (or "variants", "unfinished"), and in words."""

    kind: str
    cases: tuple[Key, ...]
    reason: str


NEW_CASE = "only in second"
"""The kind of cases that were added since the first run: they are listed and left out, and refuse nothing."""

KINDS: Mapping[str, str] = {
    "only in first": "{second} has no result of {cases}",
    NEW_CASE: "{first} has no result of {cases}",
    "query": "the query changed in {cases}; {detail}",
    f"{ERROR} in first": "{first} has an error in {cases}",
    f"{ERROR} in second": "{second} has an error in {cases}",
    f"{NOT_SEARCHED} in first": "{first} did not search {cases}",
    f"{NOT_SEARCHED} in second": "{second} did not search {cases}",
    f"{SKIPPED} in first": "{first} skipped {cases}",
    f"{SKIPPED} in second": "{second} skipped {cases}",
    "judgments": "the judgments changed in {cases}; have both runs scored by the same judgments",
    "judgments unknown": (
        "{detail} not say which judgments the scores come from; have both scored by the same judgments: a case file, "
        "or any file of judgments"
    ),
    "settings": "the settings changed ({detail}) in {cases}",
}
"""Each kind of incompatibility with its message. `detail` is what `incompatibilities_of` says of single cases."""


def kind_of_unmatched(two: CaseResult | None) -> str:
    """The kind of a case that only one of the runs has, with its result in the second run, if any."""
    if two is None:
        return "only in first"
    return f"{two.verdict} in second" if two.verdict in WITHOUT_SCORE else NEW_CASE


def incompatibilities_of(one: CaseResult, two: CaseResult, names: Names, metrics: Metrics) -> dict[str, str]:
    """The reasons not to compare two results of a case by these metrics: kinds with details; usually none."""
    found = {}
    if one.query != two.query:
        found["query"] = f"{quoted(two.id)} asks {quoted(one.query)} in {names[0]}, {quoted(two.query)} in {names[1]}"
    for result, run in ((one, "first"), (two, "second")):
        if result.verdict in (*WITHOUT_SCORE, SKIPPED):
            found[f"{result.verdict} in {run}"] = ""
    if found:  # a result that was not scored has no digest
        return found
    silent = [name for name, result in zip(names, (one, two), strict=True) if not result.evaluation.digest]
    if silent:
        return {"judgments unknown": f"{listed(silent, 'and')} {'does' if len(silent) == 1 else 'do'}"}
    if one.evaluation.digest != two.evaluation.digest:
        found["judgments"] = ""
    if different := different_settings(one, two, metrics):
        found["settings"] = different
    return found


def describe(kind: str, cases: Sequence[tuple[CaseResult, str]], names: Names) -> Incompatibility:
    """The incompatibility of some cases, each with a detail. `names` are what the runs are called."""
    details = [*dict.fromkeys(detail for _, detail in cases)][: 1 if kind == "query" else MOST_EXAMPLES]
    those = f"{counted(len(cases), 'case')}: {some_cases(result for result, _ in cases)}"
    reason = KINDS[kind].format(first=names[0], second=names[1], cases=those, detail="; ".join(details))
    return Incompatibility(kind, tuple(result.key for result, _ in cases), reason)


_DEPENDENT: Mapping[str, frozenset[str] | None] = {
    "gain": frozenset({"nDCG", "DCG"}),
    "discount": frozenset({"DCG"}),  # it cancels in nDCG
    "ideal": frozenset({"nDCG"}),
    "unjudged": None,
    "negative": None,
    "undefined": None,
    "max_grade": frozenset({"ERR"}),
}
"""The settings, and the measures whose scores depend on them; None is all measures."""


def different_settings(one: CaseResult, two: CaseResult, metrics: Metrics) -> str:
    """The settings that differ between two results and that the metrics depend on, in words; usually empty."""
    asked = metrics or (one.metric,)
    differences = []
    is_whole = any(
        ranks_needed(metric, result.conditions.settings) is None for result in (one, two) for metric in asked
    )
    if is_whole and (depths := _depths(one, two)):
        differences.append(f"depth: {depths}")
    if metrics is None and one.conditions.k != two.conditions.k:
        differences.append(f"k: {one.conditions.k} / {two.conditions.k}")
    if one.conditions.settings != two.conditions.settings:
        measures = {metric.measure for metric in asked}
        if "nDCG" in measures and "max" in (one.conditions.settings.ideal, two.conditions.settings.ideal):
            measures.add("ERR")  # it depends on the highest grade as ERR does
        for name, dependent in _DEPENDENT.items():
            was, now = getattr(one.conditions.settings, name), getattr(two.conditions.settings, name)
            if was != now and (dependent is None or dependent & measures):
                differences.append(f"{name}: {was} / {now}")
    return listed(differences, "and")


def _depths(one: CaseResult, two: CaseResult) -> str:
    """The depths of two rankings, if one was cut at a higher rank: `10 / 1000`; else empty."""
    if one.conditions.depth is not None and two.conditions.depth is not None:
        return (
            f"{one.conditions.depth} / {two.conditions.depth}" if one.conditions.depth != two.conditions.depth else ""
        )
    first, second = (result.conditions.depth if result.ranking.reaches_depth else None for result in (one, two))
    if first is not None and first < (length := len(two.ranking.documents)):
        return f"{first} / {length}"
    if second is not None and second < (length := len(one.ranking.documents)):
        return f"{length} / {second}"
    return ""


@dataclass(frozen=True, slots=True)
class ErroredCase:
    """A case that is an error in one run or in both: its search raised, was given up, or returned no ranking."""

    key: Key
    query: str
    in_first: bool
    in_second: bool

    @property
    def is_new(self) -> bool:
        """Whether the case is an error in the second run alone."""
        return self.in_second and not self.in_first


def some(names: Iterable[str]) -> str:
    """A few names, and how many more there are."""
    return first_few([*map(quoted, names)])


def some_cases(cases: Iterable[CaseResult | ErroredCase]) -> str:
    """A few cases, by id, query and variant, and how many more there are."""
    return first_few([case_in_prose(case.key[1], case.query, case.key[2]) for case in cases])


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
            ([two for _, two in pairs if two.evaluation.digest == NO_DIGEST], "without any judgments"),
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
    """A function that maps a case file to its name for matching: two checkouts may have it in different folders."""
    files = [{result.file for result in run.results} for run in (first, second)]
    if all(len(own) <= 1 for own in files):
        return lambda file: ""
    if all(len({_without_folders(file) for file in own}) == len(own) for own in files):
        return _without_folders
    return str


def _without_folders(file: str) -> str:
    return file.rsplit("/", 1)[-1]


def _different_variants(before: _Matches, after: _Matches, names: Names) -> list[Incompatibility]:
    """The message if nothing matches because the searches ran in other variants."""
    cases = [{(file, case, number) for file, case, _, number in matches} for matches in (before, after)]
    if before.keys() & after.keys() or not cases[0] & cases[1]:
        return []
    first, second = (
        listed(("no variant" if name is None else quoted(name) for name in variants), "and")
        for variants in (dict.fromkeys(result.variant for result in matches.values()) for matches in (before, after))
    )
    reason = f"{names[0]} has {first}, {names[1]} has {second}; say which two are to be compared"
    return [Incompatibility("variants", (), f"the variants of the search differ: {reason}")]
