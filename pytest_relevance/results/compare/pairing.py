"""The results of two runs paired by case, and what keeps them from being compared.

Nothing is dropped silently: every case of either run is in a pair, in an `Incompatibility`, or was skipped by both.
"""

from __future__ import annotations

from collections import defaultdict
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
)
from pytest_relevance.results.changes import Pair
from pytest_relevance.results.records.run import Run

Variants = tuple[str | None, str | None]
"""A variant of the first run and one of the second, to be compared with each other."""

Metrics = Sequence[Metric] | None
"""The metrics that runs are compared by; None is the nDCG@k of each case."""

KeyOf = Callable[[CaseResult], Key]
"""Gives the key by which results of two runs belong together."""

_MOST_EXAMPLES = 3
_NO_LINE = (
    'a query that found nothing has no line in a run; missing="empty" takes a missing one '
    "for that"
)


class Incomparable(ValueError):
    """Raised for two runs that cannot be compared.

    `reasons` has every reason, with counts and examples. `kinds` are the kinds of their
    incompatibilities, and `in_common` is how many cases have none.
    """

    def __init__(
        self, reasons: Iterable[str], kinds: Iterable[str] = (), in_common: int = 0
    ) -> None:
        self.reasons = tuple(reasons)
        self.kinds = frozenset(kinds)
        self.in_common = in_common
        lines = ["the two runs cannot be compared:"]
        lines += [f"- {reason}" for reason in self.reasons]
        super().__init__("\n".join(lines))


@dataclass(frozen=True, slots=True)
class Incompatibility:
    """What keeps some cases from being compared, and the reason in a sentence.

    `kind` is a key of `KINDS`, or "unfinished".
    """

    kind: str
    cases: tuple[Key, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class ErroredCase:
    """A case that is an error in one run or in both.

    Its search raised, was given up, or returned no ranking.
    """

    key: Key
    query: str
    in_first: bool
    in_second: bool

    @property
    def is_new(self) -> bool:
        """Whether the case is an error in the second run alone."""
        return self.in_second and not self.in_first


NEW_CASE = "only in second"
"""The kind of cases that were added since the first run.

They are listed and left out, but do not keep runs from being compared.
"""

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
    "judgments": "the judgments changed in {cases}; have both runs scored by the same "
    "judgments",
    "settings": "the settings changed ({detail}) in {cases}",
}
"""Each kind of incompatibility with its message.

`detail` is what `incompatibilities` says of single cases.
"""


def are_similarities(metrics: Metrics) -> bool:
    """Whether runs are compared by metrics of two rankings alone, without judgments."""
    return metrics is not None and all(metric.is_similarity for metric in metrics)


def incompatibilities(
    one: CaseResult | None,
    two: CaseResult | None,
    names: Sequence[str],
    metrics: Metrics,
) -> list[tuple[str, str]]:
    """Find the reasons not to compare two results of a case by these metrics.

    They are kinds with details; usually there are none. One of the results may be None:
    its run has none.
    """
    if two is None:
        return [("only in first", "")]
    if one is None:
        kind = NEW_CASE
        if two.verdict in WITHOUT_SCORE:
            kind = f"{two.verdict} in second"
        return [(kind, "")]
    reasons = []
    if one.query != two.query:
        asks = f"{quoted(two.id)} asks {quoted(one.query)} in {names[0]}"
        reasons.append(("query", f"{asks}, {quoted(two.query)} in {names[1]}"))
    is_scored = True
    for result, run in ((one, "first"), (two, "second")):
        if result.verdict in (*WITHOUT_SCORE, SKIPPED):
            reasons.append((f"{result.verdict} in {run}", ""))
            is_scored = False
    # a result that was not scored has no digest
    if is_scored and one.query == two.query:
        is_judged_otherwise = one.evaluation.digest != two.evaluation.digest
        if is_judged_otherwise and not are_similarities(metrics):
            reasons.append(("judgments", ""))
        different = _different_settings(one, two, metrics)
        if different:
            reasons.append(("settings", different))
    return reasons


_OF_SOME_MEASURES = ("gain", "discount", "ideal", "max_grade")
"""The settings that change some measures only: those whose `depends_on` has them."""

_OF_ALL_MEASURES = ("unjudged", "negative", "undefined", "collapse")
"""The settings that change the scores of every measure."""


def _different_settings(one: CaseResult, two: CaseResult, metrics: Metrics) -> str:
    """Name the settings that differ and that the metrics depend on; usually none does."""
    first, second = one.conditions.settings, two.conditions.settings
    asked = metrics or (one.metric,)
    differences = []
    if _looks_at_all(asked, first) or _looks_at_all(asked, second):
        depths = _different_depths(one, two)
        if depths:
            differences.append(f"depth: {depths}")
    if metrics is None and one.conditions.k != two.conditions.k:
        differences.append(f"k: {one.conditions.k} / {two.conditions.k}")
    if first != second:
        relevant = _settings_with_a_part(asked, first, second)
        for name in (*_OF_SOME_MEASURES, *_OF_ALL_MEASURES):
            was, now = getattr(first, name), getattr(second, name)
            if was != now and name in relevant:
                differences.append(f"{name}: {was} / {now}")
    return listed(differences, "and")


def _looks_at_all(metrics: Iterable[Metric], settings: Settings) -> bool:
    """Whether any metric looks at the whole ranking."""
    return any(ranks_needed(metric, settings) is None for metric in metrics)


def _settings_with_a_part(
    metrics: Iterable[Metric], first: Settings, second: Settings
) -> set[str]:
    """Return the names of the settings that change the scores of these metrics."""
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
    """Return the depths of two rankings, `10 / 1000`, if one was cut at a higher rank.

    A ranking that is not of a case, such as one of a TREC run, has no depth: it is as deep
    as it is long.
    """
    first, second = one.conditions.depth, two.conditions.depth
    if first is None or second is None:
        in_first, in_second = len(one.ranking.documents), len(two.ranking.documents)
        first, second = _depth_of_cut(one), _depth_of_cut(two)
        is_first_cut = first is not None and first < in_second
        is_second_cut = second is not None and second < in_first
        if not is_first_cut and not is_second_cut:
            return ""
        first, second = first or in_first, second or in_second
    return f"{first} / {second}" if first != second else ""


def _depth_of_cut(result: CaseResult) -> int | None:
    """Return the depth at which a ranking was cut; None if it is whole."""
    return result.conditions.depth if result.ranking.reaches_depth else None


def some_cases(cases: Iterable[CaseResult | ErroredCase]) -> str:
    """Name a few cases, by id, query and variant, and say how many more there are."""
    names = []
    for case in cases:
        _, case_id, variant = case.key
        names.append(case_in_prose(case_id, case.query, variant))
    return first_few(names)


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

    Case files are matched by their names without folders if these are unique, and are
    ignored if each run has only one. Cases that only the second run has are new, which is
    no reason to refuse. But a plain run has no line for a query without results, so that a
    query it lacks need not be new. With `common` the cases that both runs have are
    compared all the same.

    Raises `Incomparable` if nothing is left, or something keeps the runs apart; ValueError
    for one of two `variants` that its run does not have.
    """
    names = _names(first, second, variants)
    matched = _Matched(names, metrics)
    for old, new in _matched_results(first, second, variants):
        matched.add(old, new)
    kept_apart = matched.incompatibilities() + _unfinished(first, second, names)
    _check_comparable(first, second, matched, kept_apart, common=common)
    notes = _notes(matched, are_judged=not are_similarities(metrics))
    return Pairing(names, matched.pairs, kept_apart, matched.errors, notes)


class _Matched:
    """The matched results of two runs, sorted into those to compare and the others."""

    def __init__(self, names: tuple[str, str], metrics: Metrics) -> None:
        self.pairs: list[Pair] = []
        self.skipped: list[CaseResult] = []
        self.errors: list[ErroredCase] = []
        self._names = names
        self._metrics = metrics
        self._kept_apart: dict[str, list[tuple[CaseResult, str]]] = {
            kind: [] for kind in KINDS
        }

    def add(self, old: CaseResult | None, new: CaseResult | None) -> None:
        """Add both results of a case; None for one that its run lacks."""
        if old and new and old.verdict == new.verdict == SKIPPED:
            self.skipped.append(new)
            return
        reasons = incompatibilities(old, new, self._names, self._metrics)
        result = new or old
        assert result is not None
        for kind, detail in reasons:
            self._kept_apart[kind].append((result, detail))
        if old and new and not reasons:
            self.pairs.append(Pair(old, new))
        in_first = old is not None and old.verdict in WITHOUT_SCORE
        in_second = new is not None and new.verdict in WITHOUT_SCORE
        if new and (in_first or in_second):
            self.errors.append(ErroredCase(new.key, new.query, in_first, in_second))

    def incompatibilities(self) -> list[Incompatibility]:
        """Return what keeps cases from being compared, in the order of `KINDS`."""
        found = []
        for kind, cases in self._kept_apart.items():
            if cases:
                found.append(_incompatibility(kind, cases, self._names))
        return found


def _names(first: Run, second: Run, variants: Variants | None) -> tuple[str, str]:
    """Return what the runs are called: by their names and variants if these differ."""
    one, two = first.name, second.name
    if variants is not None:
        of_first, of_second = variants
        one = f"{one}[{of_first}]" if of_first else one
        two = f"{two}[{of_second}]" if of_second else two
    return (one, two) if one != two else ("first", "second")


def _unfinished(first: Run, second: Run, names: Sequence[str]) -> list[Incompatibility]:
    """Say which of the runs did not finish."""
    runs = [(first, names[0])]
    if second is not first:
        runs.append((second, names[1]))
    found = []
    for run, name in runs:
        why = run.info.why_incomplete
        if not why:
            continue
        if run.missing:
            why += f": {examples(run.missing)}"
        reason = f"{name} is not complete, {why}"
        found.append(Incompatibility("unfinished", (), reason))
    return found


def _check_comparable(
    first: Run,
    second: Run,
    matched: _Matched,
    kept_apart: Sequence[Incompatibility],
    *,
    common: bool,
) -> None:
    """Raise `Incomparable` if no pair is left, or something keeps the runs apart."""
    kinds = {each.kind for each in kept_apart}
    in_the_way = kinds if _is_plain(first) else kinds - {NEW_CASE}
    if matched.pairs and (common or not in_the_way):
        return
    reasons = [each.reason for each in kept_apart]
    if not reasons:
        reasons.append("there is no case in them that ran")
    are_plain = _is_plain(first) and _is_plain(second)
    if are_plain and kinds & {"only in first", NEW_CASE}:
        reasons.append(_NO_LINE)
    elif not matched.pairs and kinds == {"only in first", NEW_CASE}:
        reasons.append(
            "no case is in both: were they recorded from another folder, or of other "
            "files?"
        )
    raise Incomparable(reasons, kinds, len(matched.pairs))


def _is_plain(run: Run) -> bool:
    """Whether the results of a run come from no case file."""
    return not any(result.file for result in run.results)


def _incompatibility(
    kind: str, cases: Sequence[tuple[CaseResult, str]], names: Sequence[str]
) -> Incompatibility:
    """Name the cases of one kind. Each has a detail, and the message has the first few."""
    details = list(dict.fromkeys(detail for _, detail in cases))
    most = 1 if kind == "query" else _MOST_EXAMPLES
    shown = some_cases(result for result, _ in cases)
    reason = KINDS[kind].format(
        first=names[0],
        second=names[1],
        cases=f"{counted(len(cases), 'case')}: {shown}",
        detail="; ".join(details[:most]),
    )
    keys = tuple([result.key for result, _ in cases])
    return Incompatibility(kind, keys, reason)


def _notes(matched: _Matched, *, are_judged: bool) -> list[str]:
    """Say what was skipped, and in what the results of pairs differ beyond their rankings."""
    other_params, other_weights, unjudged = [], [], []
    for each in matched.pairs:
        first, second = each.first, each.second
        if first.params != second.params:
            other_params.append(second)
        if first.weight != second.weight:
            other_weights.append(second)
        if are_judged and second.evaluation.digest == NO_DIGEST:
            unjudged.append(second)
    weighted = "weighted otherwise; the weights are those of the second run"
    notes = []
    for cases, what in (
        (matched.skipped, "skipped in both runs"),
        (other_params, "searched with other parameters"),
        (other_weights, weighted),
        (unjudged, "without any judgments"),
    ):
        if cases:
            notes.append(f"{counted(len(cases), 'case')} {what}: {some_cases(cases)}")
    return notes


# --- which results belong together ----------------------------------------------------


def match_results(
    first: Sequence[CaseResult], second: Sequence[CaseResult], key_of: KeyOf
) -> Iterator[tuple[CaseResult | None, CaseResult | None]]:
    """Pair the results of each case; None stands for a result that one run lacks.

    Results of one key are paired in their order: a test may check a query several times.
    """
    waiting = defaultdict(list)
    for result in second:
        waiting[key_of(result)].append(result)
    for old in first:
        candidates = waiting[key_of(old)]
        yield old, (candidates.pop(0) if candidates else None)
    unmatched: set[int] = set()
    for candidates in waiting.values():
        unmatched.update(id(new) for new in candidates)
    for new in second:
        if id(new) in unmatched:
            yield None, new


def _matched_results(
    first: Run, second: Run, variants: Variants | None
) -> Iterator[tuple[CaseResult | None, CaseResult | None]]:
    """Pair the results of two runs. Two `variants` that are given match each other."""
    files = [{result.file for result in run.results} for run in (first, second)]
    name_of = file_names(files)
    before, after = first.results, second.results
    if variants is not None:
        before = _results_of_variant(first, variants[0])
        after = _results_of_variant(second, variants[1])

    def key_of(result: CaseResult) -> Key:
        variant = result.variant if variants is None else None
        return name_of(result.file), result.id, variant

    return match_results(before, after, key_of)


def _results_of_variant(run: Run, variant: str | None) -> Sequence[CaseResult]:
    """Return the results of a variant. Raises ValueError if the run does not have it."""
    found = [result for result in run.results if result.variant == variant]
    if found:
        return found
    names = []
    for result in run.results:
        if result.variant is not None and result.variant not in names:
            names.append(result.variant)
    wanted = "without a variant"
    if variant is not None:
        wanted = f"of the variant {quoted(variant)}"
    has = listed([quoted(name) for name in names], "and") or "none"
    meant = did_you_mean(variant or "", names)
    raise ValueError(
        f"{run.name} has no results {wanted}; its variants are {has}{meant}"
    )


def file_names(files: Sequence[Collection[str]]) -> Callable[[str], str]:
    """Return a function that maps a case file to its name for matching.

    Two checkouts may have a file in different folders. `files` are those of each run.
    """
    if all(len(own) <= 1 for own in files):
        return lambda file: ""
    for own in files:
        if len({_without_folder(file) for file in own}) < len(own):
            return str
    return _without_folder


def _without_folder(file: str) -> str:
    return file.rpartition("/")[2]
