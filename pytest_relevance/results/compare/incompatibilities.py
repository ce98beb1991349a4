"""What keeps results of two runs from being compared, case by case, with the messages about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._text import case_in_prose, counted, first_few, listed, quoted
from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.scalar import ranks_needed
from pytest_relevance.results.case_result import ERROR, NOT_SEARCHED, SKIPPED, WITHOUT_SCORE, CaseResult, Key

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

    def __reduce__(self) -> tuple[type[Incomparable], tuple[tuple[str, ...], frozenset[str], int]]:
        """Pickle the arguments, not the message that was made of them."""
        return type(self), (self.reasons, self.kinds, self.in_common)


@dataclass(frozen=True, slots=True)
class Incompatibility:
    """What keeps some cases from being compared: a key of `KINDS` (or "variants", "unfinished"), and in words."""

    kind: str
    cases: tuple[Key, ...]
    reason: str


NEW_CASE = "only in second"
"""The kind of the cases that were added since the first run: they are listed and left out, and no reason to refuse."""

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
    """What keeps two results of a case from being compared by these metrics: kinds with details; usually none."""
    found = {}
    if one.query != two.query:
        found["query"] = f"{quoted(two.id)} asks {quoted(one.query)} in {names[0]}, {quoted(two.query)} in {names[1]}"
    for result, run in ((one, "first"), (two, "second")):
        if result.verdict in (*WITHOUT_SCORE, SKIPPED):
            found[f"{result.verdict} in {run}"] = ""
    if found:  # a result that was not scored has no digest
        return found
    silent = [name for name, result in zip(names, (one, two), strict=True) if not result.digest]
    if silent:
        return {"judgments unknown": f"{listed(silent, 'and')} {'does' if len(silent) == 1 else 'do'}"}
    if one.digest != two.digest:
        found["judgments"] = ""
    if different := different_settings(one, two, metrics):
        found["settings"] = different
    return found


def describe(kind: str, cases: Sequence[tuple[CaseResult, str]], names: Names) -> Incompatibility:
    """The incompatibility of these cases, each with a detail. `names` are what the runs are called."""
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
    is_whole = any(ranks_needed(metric, result.settings) is None for result in (one, two) for metric in asked)
    if is_whole and (depths := _depths(one, two)):
        differences.append(f"depth: {depths}")
    if metrics is None and one.k != two.k:
        differences.append(f"k: {one.k} / {two.k}")
    if one.settings != two.settings:
        measures = {metric.measure for metric in asked}
        if "nDCG" in measures and "max" in (one.settings.ideal, two.settings.ideal):
            measures.add("ERR")  # it depends on the highest grade as ERR does
        for name, dependent in _DEPENDENT.items():
            was, now = getattr(one.settings, name), getattr(two.settings, name)
            if was != now and (dependent is None or dependent & measures):
                differences.append(f"{name}: {was} / {now}")
    return listed(differences, "and")


def _depths(one: CaseResult, two: CaseResult) -> str:
    """How deep two rankings are, where one was cut higher up than the other: `10 / 1000`; else empty."""
    if one.depth is not None and two.depth is not None:
        return f"{one.depth} / {two.depth}" if one.depth != two.depth else ""
    first, second = (result.depth if result.reaches_depth else None for result in (one, two))
    if first is not None and first < (length := len(two.documents)):
        return f"{first} / {length}"
    if second is not None and second < (length := len(one.documents)):
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
        """Whether it is an error in the second run alone."""
        return self.in_second and not self.in_first


def some(names: Iterable[str]) -> str:
    """A few names, and how many more there are."""
    return first_few([*map(quoted, names)])


def some_cases(cases: Iterable[CaseResult | ErroredCase]) -> str:
    """A few cases, by id, query and variant, and how many more there are."""
    return first_few([case_in_prose(case.key[1], case.query, case.key[2]) for case in cases])
