"""The results of two runs paired by case, and what keeps them from being compared.

Nothing is dropped silently: every case of either run is in a pair, in an `Incompatibility`, or was skipped by both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._text import (
    case_in_prose,
    counted,
    did_you_mean,
    examples,
    first_few,
    listed,
    quoted,
)
from pytest_relevance.metrics.measures import MEASURES, ranks_needed
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import NO_DIGEST
from pytest_relevance.results.case_result import (
    ERROR,
    NOT_SEARCHED,
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
    Key,
    grouped,
)
from pytest_relevance.results.records.run import Run

Pair = tuple[CaseResult, CaseResult]
"""The results of one case in the first run and in the second."""

Variants = tuple[str | None, str | None]
"""A variant of the first run and one of the second, to be compared with each other."""

Metrics = Sequence[Metric] | None
"""The metrics that runs are compared by; None is the nDCG@k of each case."""

_MOST_EXAMPLES = 3
_NO_LINE = 'a query that found nothing has no line in a run; missing="empty" takes a missing one for that'


class Incomparable(ValueError):
    """Raised for two runs that cannot be compared; `reasons` has every reason, with counts and examples.

    `kinds` are the kinds of their incompatibilities, and `in_common` is how many cases have none.
    """

    def __init__(
        self, reasons: Iterable[str], kinds: Iterable[str] = (), in_common: int = 0
    ) -> None:
        self.reasons = tuple(reasons)
        self.kinds = frozenset(kinds)
        self.in_common = in_common
        super().__init__(
            "\n".join(
                [
                    "the two runs cannot be compared:",
                    *(f"- {reason}" for reason in self.reasons),
                ]
            )
        )


@dataclass(frozen=True, slots=True)
class Incompatibility:
    """What keeps some cases from being compared: its kind (a key of `KINDS`, or "unfinished"), and the reason."""

    kind: str
    cases: tuple[Key, ...]
    reason: str


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


NEW_CASE = "only in second"
"""The kind of cases that were added since the first run: they are listed and left out, but refuse no comparison."""

KINDS: Mapping[str, str] = {
    "only in first": "{second} has no result of {cases}",
    NEW_CASE: "{first} has no result of {cases}",
    "query": "the query changed in {cases}; {detail}",
    **{
        f"{verdict} in {run}": f"{{{run}}} {words} {{cases}}"
        for verdict, words in (
            (ERROR, "has an error in"),
            (NOT_SEARCHED, "did not search"),
            (SKIPPED, "skipped"),
        )
        for run in ("first", "second")
    },
    "judgments": "the judgments changed in {cases}; have both runs scored by the same judgments",
    "settings": "the settings changed ({detail}) in {cases}",
}
"""Each kind of incompatibility with its message. `detail` is what `incompatibilities` says of single cases."""


def are_similarities(metrics: Metrics) -> bool:
    """Whether runs are compared by metrics of two rankings alone, so that no judgment has a part in it."""
    return metrics is not None and all(metric.is_similarity for metric in metrics)


def incompatibilities(
    one: CaseResult | None,
    two: CaseResult | None,
    names: Sequence[str],
    metrics: Metrics,
) -> Iterator[tuple[str, str]]:
    """The reasons not to compare two results of a case by these metrics: kinds with details; usually none."""
    if two is None:
        yield "only in first", ""
    elif one is None:
        yield (
            f"{two.verdict} in second" if two.verdict in WITHOUT_SCORE else NEW_CASE,
            "",
        )
    else:
        if one.query != two.query:
            yield (
                "query",
                f"{quoted(two.id)} asks {quoted(one.query)} in {names[0]}, {quoted(two.query)} in {names[1]}",
            )
        unscored = [
            f"{result.verdict} in {run}"
            for result, run in ((one, "first"), (two, "second"))
            if result.verdict in (*WITHOUT_SCORE, SKIPPED)
        ]
        yield from ((kind, "") for kind in unscored)
        if (
            not unscored and one.query == two.query
        ):  # a result that was not scored has no digest
            if one.evaluation.digest != two.evaluation.digest and not are_similarities(
                metrics
            ):
                yield "judgments", ""
            if different := _different_settings(one, two, metrics):
                yield "settings", different


_OF_SOME_MEASURES = ("gain", "discount", "ideal", "max_grade")
"""The settings that change some measures only: those whose `depends_on` has them."""

_OF_ALL_MEASURES = ("unjudged", "negative", "undefined", "collapse")
"""The settings that change the scores of every measure."""


def _different_settings(one: CaseResult, two: CaseResult, metrics: Metrics) -> str:
    """The settings that differ between two results and that the metrics depend on, in words; usually empty."""
    first, second, asked = (
        one.conditions.settings,
        two.conditions.settings,
        metrics or (one.metric,),
    )
    differences = []
    if any(
        ranks_needed(metric, settings) is None
        for settings in (first, second)
        for metric in asked
    ):
        differences += (
            [f"depth: {depths}"] if (depths := _different_depths(one, two)) else []
        )
    if metrics is None and one.conditions.k != two.conditions.k:
        differences.append(f"k: {one.conditions.k} / {two.conditions.k}")
    if first != second:
        relevant = _settings_with_a_part(asked, first, second)
        for name in (*_OF_SOME_MEASURES, *_OF_ALL_MEASURES):
            was, now = getattr(first, name), getattr(second, name)
            if was != now and name in relevant:
                differences.append(f"{name}: {was} / {now}")
    return listed(differences, "and")


def _settings_with_a_part(
    metrics: Iterable[Metric], first: Settings, second: Settings
) -> set[str]:
    """The names of the settings that change the scores of these metrics."""
    names = {"collapse"}
    for metric in metrics:
        if metric.is_similarity:
            continue
        names.update(_OF_ALL_MEASURES)
        if not metric.is_own:
            names.update(MEASURES[metric.measure].depends_on)
        if metric.measure == "nDCG" and "max" in (first.ideal, second.ideal):
            names.add("max_grade")
    return names


def _different_depths(one: CaseResult, two: CaseResult) -> str:
    """The depths of two rankings, if one was cut at a higher rank: `10 / 1000`; else empty.

    A ranking that is not of a case, such as one of a TREC run, has no depth: it is as deep as it is long.
    """
    first, second = one.conditions.depth, two.conditions.depth
    if first is None or second is None:
        lengths = len(one.ranking.documents), len(two.ranking.documents)
        first, second = (
            each.conditions.depth
            if each.conditions.depth is not None and each.ranking.reaches_depth
            else None
            for each in (one, two)
        )
        if not (
            (first is not None and first < lengths[1])
            or (second is not None and second < lengths[0])
        ):
            return ""
        first, second = first or lengths[0], second or lengths[1]
    return f"{first} / {second}" if first != second else ""


def some_cases(cases: Iterable[CaseResult | ErroredCase]) -> str:
    """A few cases, by id, query and variant, and how many more there are."""
    return first_few(
        [case_in_prose(case.key[1], case.query, case.key[2]) for case in cases]
    )


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs of results that can be compared, what keeps other cases from it, and remarks.

    `names` are what the runs are called.
    """

    names: tuple[str, str]
    pairs: list[Pair]
    incompatibilities: list[Incompatibility]
    errors: list[ErroredCase]
    notes: list[str]


def pair(
    first: Run,
    second: Run,
    metrics: Metrics,
    variants: Variants | None,
    *,
    common: bool,
) -> Pairing:
    """Pair the results of two runs that are to be compared by these metrics.

    Case files are matched by their names without folders where these are unique, and are ignored where each run has
    only one. Cases that only the second run has are new, which is no reason to refuse. But a plain run has no line for
    a query without results, so that a query it lacks need not be new. With `common` the cases that both runs have are
    compared all the same.

    Raises `Incomparable` where nothing is left, or something keeps the runs apart; ValueError for one of two `variants`
    that its run does not have.
    """
    one, two = (
        f"{run.name}[{variant}]" if variant else run.name
        for run, variant in zip((first, second), variants or ("", ""), strict=True)
    )
    names = (one, two) if one != two else ("first", "second")
    found: dict[str, list[tuple[CaseResult, str]]] = {kind: [] for kind in KINDS}
    pairs, skipped, errors = [], [], []
    for old, new in _matched(first, second, variants):
        if old and new and old.verdict == new.verdict == SKIPPED:
            skipped.append(new)
            continue
        kinds = [*incompatibilities(old, new, names, metrics)]
        for kind, detail in kinds:
            found[kind].append((new or old, detail))  # type: ignore[arg-type]
        if old and new and not kinds:
            pairs.append((old, new))
        in_first, in_second = (
            each is not None and each.verdict in WITHOUT_SCORE for each in (old, new)
        )
        if new and (in_first or in_second):
            errors.append(ErroredCase(new.key, new.query, in_first, in_second))
    kept_apart = [
        _incompatibility(kind, cases, names) for kind, cases in found.items() if cases
    ]
    for run, name in [*zip((first, second), names, strict=True)][
        : 1 if first is second else 2
    ]:
        if run.info.why_incomplete:
            why = run.info.why_incomplete
            if run.missing:
                why += f": {examples(run.missing)}"
            kept_apart.append(
                Incompatibility("unfinished", (), f"{name} is not complete, {why}")
            )
    apart = {each.kind for each in kept_apart}
    are_plain = [
        not any(result.file for result in run.results) for run in (first, second)
    ]
    in_the_way = apart if are_plain[0] else apart - {NEW_CASE}
    if not pairs or (in_the_way and not common):
        reasons = [each.reason for each in kept_apart] or [
            "there is no case in them that ran"
        ]
        if all(are_plain) and apart & {"only in first", NEW_CASE}:
            reasons.append(_NO_LINE)
        elif not pairs and apart == {"only in first", NEW_CASE}:
            reasons.append(
                "no case is in both: were they recorded from another folder, or of other files?"
            )
        raise Incomparable(reasons, apart, len(pairs))
    return Pairing(
        names,
        pairs,
        kept_apart,
        errors,
        _notes(pairs, skipped, are_judged=not are_similarities(metrics)),
    )


def _incompatibility(
    kind: str, cases: Sequence[tuple[CaseResult, str]], names: Sequence[str]
) -> Incompatibility:
    """The incompatibility of one kind: its cases, each with a detail, and the message for runs with these names."""
    details = [*dict.fromkeys(detail for _, detail in cases)][
        : 1 if kind == "query" else _MOST_EXAMPLES
    ]
    those = (
        f"{counted(len(cases), 'case')}: {some_cases(result for result, _ in cases)}"
    )
    reason = KINDS[kind].format(
        first=names[0], second=names[1], cases=those, detail="; ".join(details)
    )
    return Incompatibility(kind, tuple(result.key for result, _ in cases), reason)


def _notes(
    pairs: Sequence[Pair], skipped: Sequence[CaseResult], *, are_judged: bool
) -> list[str]:
    weighted = "weighted otherwise; the weights are those of the second run"
    remarks = (
        (skipped, "skipped in both runs"),
        (
            [two for one, two in pairs if one.params != two.params],
            "searched with other parameters",
        ),
        ([two for one, two in pairs if one.weight != two.weight], weighted),
        (
            [
                two
                for _, two in pairs
                if are_judged and two.evaluation.digest == NO_DIGEST
            ],
            "without any judgments",
        ),
    )
    return [
        f"{counted(len(cases), 'case')} {what}: {some_cases(cases)}"
        for cases, what in remarks
        if cases
    ]


def _matched(
    first: Run, second: Run, variants: Variants | None
) -> Iterator[tuple[CaseResult | None, CaseResult | None]]:
    """Both results of each case, None for one that a run lacks. Two `variants` that are given match each other.

    A test in Python may check a query several times: its results are matched in their order.
    """
    name_of = file_names(
        [{result.file for result in run.results} for run in (first, second)]
    )

    def key_of(result: CaseResult) -> Key:
        return (
            name_of(result.file),
            result.id,
            result.variant if variants is None else None,
        )

    before, after = (
        run.results if variants is None else _results_of_variant(run, variants[number])
        for number, run in enumerate((first, second))
    )
    waiting = grouped(after, key_of)
    for old in before:
        found = waiting.get(key_of(old))
        yield old, found.pop(0) if found else None
    left = {id(new) for found in waiting.values() for new in found}
    yield from ((None, new) for new in after if id(new) in left)


def _results_of_variant(run: Run, variant: str | None) -> Sequence[CaseResult]:
    found = [result for result in run.results if result.variant == variant]
    if not found:
        names = [
            name
            for name in dict.fromkeys(result.variant for result in run.results)
            if name is not None
        ]
        wanted = (
            "without a variant"
            if variant is None
            else f"of the variant {quoted(variant)}"
        )
        has = listed(map(quoted, names), "and") or "none"
        meant = did_you_mean(variant or "", names)
        raise ValueError(
            f"{run.name} has no results {wanted}; its variants are {has}{meant}"
        )
    return found


def file_names(files: Sequence[Collection[str]]) -> Callable[[str], str]:
    """A function that maps a case file to its name for matching: two checkouts may have it in different folders.

    `files` are the case files of each run.
    """
    if all(len(own) <= 1 for own in files):
        return lambda file: ""
    if all(len({file.rpartition("/")[2] for file in own}) == len(own) for own in files):
        return lambda file: file.rpartition("/")[2]
    return str
