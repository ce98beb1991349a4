"""Pair the results of two runs by case, and find what keeps them from being compared.

Nothing is dropped silently: every case of either run is in a pair, in an
`Incompatibility`, or was skipped by both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted, examples
from pytest_relevance.ext.comparing.matching import Variants, matched_results
from pytest_relevance.results.case_parts import NO_DIGEST
from pytest_relevance.results.case_result import (
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
    has_sampled,
)
from pytest_relevance.results.changes import Pair
from pytest_relevance.results.compare.incompatibilities import (
    KINDS,
    MISSING_CASE,
    NEW_CASE,
    NOT_DRAWN_IN_FIRST,
    NOT_DRAWN_IN_SECOND,
    UNFINISHED,
    ErroredCase,
    Incomparable,
    Incompatibility,
    Metrics,
    are_similarities,
    incompatibilities,
    incompatibility_of,
    some_cases,
)
from pytest_relevance.results.records.run import Run


def no_line(remedy: str) -> str:
    """Return why a plain run may lack a query.

    `remedy`: the option that helps, as the user would write it.
    """
    return (
        f"a query that found nothing has no line in a run; with {remedy} a missing query "
        "has no results"
    )


NO_LINE = no_line('missing="empty"')
"""The reason as `compare_runs` gives it. The command names its own option instead."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs of results that can be compared, and why other cases cannot be.

    `names`: the names of the runs in messages.
    `incompatibilities`: the reasons that keep cases from being compared.
    `errors`: the cases that ended in an error in one of the runs.
    `notes`: remarks for the report.
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
    """Return the paired results of two runs, which are compared by `metrics`.

    Case files are matched by their names without folders if these are unique. If each
    run has only one case file, its name is ignored. With `common` the cases that both
    runs have are compared, even if other cases cannot be.

    Raises:
        Incomparable: no pair is left, or something keeps the runs apart.
        ValueError: a run does not have the variant that `variants` names for it.
    """
    names = _names(first, second, variants)
    matched = _Matched(
        names,
        metrics,
        are_sampled=(has_sampled(first.results), has_sampled(second.results)),
    )
    for old, new in matched_results(first, second, variants):
        matched.add(old, new)
    kept_apart = matched.incompatibilities() + _unfinished(first, second, names)
    _check_comparable(first, second, matched, kept_apart, common=common)
    notes = _notes(matched, are_judged=not are_similarities(metrics))
    return Pairing(
        names=names,
        pairs=matched.pairs,
        incompatibilities=kept_apart,
        errors=matched.errors,
        notes=notes,
    )


class _Matched:
    """The matched results of two runs: comparable pairs, and all other results.

    `are_sampled`: whether queries were drawn for the first run, and for the second.
    """

    def __init__(
        self,
        names: tuple[str, str],
        metrics: Metrics,
        are_sampled: tuple[bool, bool],
    ) -> None:
        self._are_sampled = are_sampled
        self.pairs: list[Pair] = []
        self.skipped: list[CaseResult] = []
        self.errors: list[ErroredCase] = []
        self._names = names
        self._metrics = metrics
        self._kept_apart: dict[str, list[tuple[CaseResult, str]]] = {
            kind: [] for kind in KINDS
        }

    def add(self, old: CaseResult | None, new: CaseResult | None) -> None:
        """Add the results of a case in both runs; None if a run lacks the case."""
        if old and new and old.verdict == new.verdict == SKIPPED:
            self.skipped.append(new)
            return
        not_drawn = self._kind_of_not_drawn(old, new)
        if not_drawn is not None:
            reasons = [(not_drawn, "")]
        else:
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

    def _kind_of_not_drawn(
        self, old: CaseResult | None, new: CaseResult | None
    ) -> str | None:
        """Return the kind of a case that one run lacks because it has a sample.

        None for any other case.
        """
        in_first, in_second = self._are_sampled
        if new is None and old is not None and old.is_sampled and in_second:
            return NOT_DRAWN_IN_SECOND
        if old is None and new is not None and new.is_sampled and in_first:
            return NOT_DRAWN_IN_FIRST
        return None

    def incompatibilities(self) -> list[Incompatibility]:
        """Return why cases cannot be compared, in the order of `KINDS`."""
        found = []
        for kind, cases in self._kept_apart.items():
            if cases:
                found.append(incompatibility_of(kind, cases, self._names))
        return found


def _names(first: Run, second: Run, variants: Variants | None) -> tuple[str, str]:
    """Return the names of the runs in messages, with their variants if given."""
    one, two = first.name, second.name
    if variants is not None:
        of_first, of_second = variants
        one = f"{one}[{of_first}]" if of_first else one
        two = f"{two}[{of_second}]" if of_second else two
    return (one, two) if one != two else ("first", "second")


def _unfinished(first: Run, second: Run, names: Sequence[str]) -> list[Incompatibility]:
    """Return why a run is not complete, for each of the two runs that is not.

    `names`: what messages call the two runs.
    """
    runs = [(first, names[0])]
    if second is not first:
        runs.append((second, names[1]))
    unfinished = []
    for run, name in runs:
        why = run.info.why_incomplete
        if why:
            missing = f": {examples(run.missing)}" if run.missing else ""
            reason = f"{name} is not complete, {why}{missing}"
            unfinished.append(Incompatibility(UNFINISHED, (), reason))
    return unfinished


def _check_comparable(
    first: Run,
    second: Run,
    matched: _Matched,
    kept_apart: Sequence[Incompatibility],
    *,
    common: bool,
) -> None:
    """Raise `Incomparable` if no pair is left, or something keeps the runs apart.

    A case that only the second run has is new, and keeps no runs apart. But if the
    first run is plain, it does. A plain run does not list a query without results, so
    the query may be an old one.
    """
    kinds = {each.kind for each in kept_apart}
    in_the_way = kinds - {NOT_DRAWN_IN_FIRST, NOT_DRAWN_IN_SECOND}
    if not _is_plain(first):
        in_the_way -= {NEW_CASE}
    if matched.pairs and (common or not in_the_way):
        return
    reasons = [each.reason for each in kept_apart]
    if not reasons:
        reasons.append("there is no case in them that ran")
    # what else may explain it
    are_plain = _is_plain(first) and _is_plain(second)
    if are_plain and kinds & {MISSING_CASE, NEW_CASE}:
        reasons.append(NO_LINE)
    elif not matched.pairs and kinds == {MISSING_CASE, NEW_CASE}:
        reasons.append(
            "no case is in both: were they recorded from another folder, or of other "
            "files?"
        )
    raise Incomparable(reasons, kinds, len(matched.pairs))


def _is_plain(run: Run) -> bool:
    """Say whether a run has no case file: it is a run of another tool, or of Python."""
    return not any(result.file for result in run.results)


def _notes(matched: _Matched, *, are_judged: bool) -> list[str]:
    """Return notes on skipped cases, and on pairs whose cases differ.

    They may differ in params or weight, or have no judgments.
    """
    other_params, other_weights, unjudged = [], [], []
    for each in matched.pairs:
        first, second = each.first, each.second
        if first.params != second.params:
            other_params.append(second)
        if first.weight != second.weight and not second.is_sampled:
            other_weights.append(second)
        if are_judged and second.evaluation.digest == NO_DIGEST:
            unjudged.append(second)
    weighted = "with other weights; the weights of the second run count"
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
