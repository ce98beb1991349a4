"""The floors of cases: which floors apply, and which floors no ranking can reach.

A floor is `min_ndcg`, or a metric under `expect`. A floor needs a score, so a relevant
document must be judged.

- A floor that a case sets itself is a mistake if the score is not defined, or if even
  the best ranking of the judged documents is below the floor.
- A floor of the suite does not apply to a case whose score is not defined. Reports name
  such cases.
- A floor of the suite that applies to no case is a mistake. For example, the key
  `grade_column` names the wrong column.

`build` asks for the floor of each case when the grades of its whole file are known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import floor, inf, isnan
from typing import Any

from pytest_relevance._text import counted, examples
from pytest_relevance.cases.case_judgments import CaseJudgments
from pytest_relevance.cases.expectation import METRIC, Expectation, most_results
from pytest_relevance.cases.location import Location, Wrong
from pytest_relevance.cases.model import Case, Terms
from pytest_relevance.metrics.measures import (
    MEASURES,
    needs_texts,
    score,
    suits_known_items,
)
from pytest_relevance.metrics.metric import ROUNDING, Metric
from pytest_relevance.metrics.names import build_metric, takes_relevance_level
from pytest_relevance.metrics.ndcg import GradedRanking, grade_passages
from pytest_relevance.metrics.settings import Settings

# Which floors apply to a case


def floor_of(
    own: Mapping[str, Any],
    terms: Terms,
    judgments: CaseJudgments,
    expect: Sequence[Expectation],
    at: Location,
) -> float | Wrong | None:
    """Return the floor of nDCG that applies to a case; None if none does.

    The floor of the case replaces that of the suite, and is a mistake if nDCG is not
    defined. The floor of the suite is a mistake only if the case has no judgments. A
    known item has no floor of nDCG.
    """
    if judgments.is_known_item:
        return None
    if "min_ndcg" in own:
        own_floor: float | None = own["min_ndcg"]
        if own_floor is None:
            return None
        why = _why_no_ndcg(judgments, expect, terms.settings)
        return at.refuse(why, "min_ndcg") if why else own_floor
    if terms.min_ndcg is None or most_results(expect) == 0:
        return None
    if not judgments.grades:
        return at.refuse(
            f"the suite's min_ndcg {terms.min_ndcg:g} applies to this case, which has no "
            "judgments; add judgments, or write min_ndcg: null"
        )
    return terms.min_ndcg if _has_gain(judgments, terms.settings) else None


def _why_no_ndcg(
    judgments: CaseJudgments, expect: Sequence[Expectation], settings: Settings
) -> str:
    """Return why a case can have no nDCG, and what to do; "" if it can."""
    if most_results(expect) == 0:
        return (
            "a case that expects no results has no nDCG; take min_ndcg or results out"
        )
    if not judgments.grades:
        return (
            "a floor needs judgments, and the case has none; add judgments, or take "
            "the floor out"
        )
    if not _has_gain(judgments, settings):
        return (
            "no judged document has a gain above 0, so nDCG is not defined and no floor "
            "can hold; judge a relevant document, or take min_ndcg out"
        )
    return ""


def _has_gain(judgments: CaseJudgments, settings: Settings) -> bool:
    return any(settings.gains[grade] > 0 for grade in judgments.distinct)


def is_applicable(
    expected: Expectation,
    expect: Sequence[Expectation],
    judgments: CaseJudgments,
    settings: Settings,
) -> bool:
    """Say whether an expectation applies to a case.

    A metric that the suite expects does not apply if the case expects no results, if no
    document is relevant by this metric, or if the case is a known item and the metric
    needs judgments of other results. Any other expectation applies.

    `expect`: all expectations of the case.
    """
    if not expected.inherited or not expected.needs_judgments:
        return True
    metric = expected.metric
    assert metric is not None
    if most_results(expect) == 0:
        return False
    if judgments.is_known_item and not suits_known_items(metric):
        return False
    if metric.is_own or MEASURES[metric.measure].is_certain:
        return bool(judgments.grades)
    if takes_relevance_level(metric):
        return any(grade >= metric.rel for grade in judgments.distinct)
    return _has_gain(judgments, settings)


# Floors that no ranking can reach


def may_be_out_of_reach(
    min_ndcg: float | None, expect: Sequence[Expectation], terms: Terms
) -> bool:
    """Say whether a case has a floor that its best ranking could miss.

    Without `ideal: max` the best ranking has an nDCG of 1, so a floor of nDCG is in
    reach.
    """
    if min_ndcg is not None and terms.settings.ideal == "max":
        return True
    return any(expected.needs_judgments for expected in expect)


def check_reachable(case: Case, at: Location) -> None:
    """Report the floors of a case that no ranking can reach.

    The range of grades must be known: `case.terms.lowest` and `highest`.
    """
    if case.min_ndcg is not None and case.settings.ideal == "max":
        floor_of_ndcg = Expectation(
            kind=METRIC,
            written="min_ndcg",
            metric=build_metric("nDCG", case.k),
            bound=case.min_ndcg,
        )
        _check_floor(floor_of_ndcg, case, at.under("min_ndcg"))
    for expected in case.expect:
        if expected.needs_judgments:
            _check_floor(expected, case, at.under("expect", expected.written))


def _check_floor(expected: Expectation, case: Case, at: Location) -> None:
    """Report a metric that the case cannot have, or a floor out of reach."""
    metric = expected.metric
    assert metric is not None
    if not case.judgments:
        at.refuse(
            f"{metric.text} needs judgments, and the case has none; add judgments"
        )
        return
    if needs_texts(metric) and not case.passages:
        at.refuse(
            f"{metric.text} looks at the texts of results, which only cases with "
            "passages have; add passages, or take the metric out"
        )
        return
    # What the function of an own metric could return, and how long texts are, is not
    # known.
    if metric.is_own or needs_texts(metric):
        return
    grades = case.judgments.values()
    rankings = best_rankings(grades, case.settings)
    if case.passages:
        rankings = best_rankings_of_passages([*grades])
    best = -inf
    for ranking in rankings:
        reached = score(metric, ranking, case.settings)
        if isnan(reached):
            at.refuse(
                f"{metric.text} is not defined: no judged document is relevant; judge "
                f"one {_relevant_to(metric)}"
            )
            return
        if not _is_too_low(reached, expected):
            return  # this ranking meets the floor
        best = max(best, reached)
    at.refuse(_unreachable(expected, metric, best))


def _relevant_to(metric: Metric) -> str:
    return f"{metric.rel:g} or higher" if takes_relevance_level(metric) else "that is"


def _is_too_low(reached: float, expected: Expectation) -> bool:
    if expected.comparison in (">=", "=="):
        return expected.bound > reached + ROUNDING
    return expected.comparison == ">" and expected.bound >= reached


def _unreachable(expected: Expectation, metric: Metric, best: float) -> str:
    """Return the message for a floor above `best`, the best possible value."""
    # rounded down, so that it can be written as the floor
    possible = floor((best + ROUNDING) * 10_000) / 10_000
    whose, advice = "the", "lower it"
    if expected.inherited:
        whose = "the suite's"
        advice = f"write {metric.text} under expect of the case"
    return (
        f"{whose} floor {expected.bound:g} of {metric.text} is above {possible:.10g}, the "
        f"best that the judgments of the case allow; {advice}, or judge more documents"
    )


def best_rankings(
    judged: Collection[float], settings: Settings
) -> Iterator[GradedRanking]:
    """Yield rankings of judged documents, of which one is the best for each measure.

    So a floor that none of these rankings meets is out of reach.

    `judged`: the grades of the documents. The rankings are, in this order:

    - all documents, the highest grade first: for measures of relevance and of grades
      (P, AP, CG, ERR) and for Judged
    - the documents with a gain above 0, the highest gain first: for measures of gain
    - the first document of each of these two alone: for measures whose divisor grows
      with the number of results (nDCG without a cutoff and with `ideal: max`, P without
      a cutoff)
    - the documents with a grade above 0, the highest grade first: for CG, which other
      documents may lower

    A property test compares these with every possible ranking, for all measures.
    """
    grades = list(judged)
    by_grade = sorted(grades, reverse=True)
    with_gain = [grade for grade in grades if settings.gains[grade] > 0]
    with_gain.sort(key=lambda grade: (settings.gains[grade], grade))
    by_gain = list(reversed(with_gain))
    above_0 = [grade for grade in by_grade if grade > 0]
    for ranked in (by_grade, by_gain, by_gain[:1], by_grade[:1], above_0):
        yield GradedRanking(list(ranked), (), grades)


def best_rankings_of_passages(grades: Sequence[float]) -> Iterator[GradedRanking]:
    """Yield rankings of passages, of which one is the best for each measure.

    `grades`: the grades of the passages. The rankings are, in this order:

    - one result that holds all passages: for R, All, RR, nDCG
    - one passage a rank, the highest grade first: for P, whose relevant results are
      counted
    """
    passages = range(len(grades))
    yield grade_passages([list(passages)], grades)
    by_grade = sorted(passages, key=lambda passage: grades[passage], reverse=True)
    yield grade_passages([[passage] for passage in by_grade], grades)


# The floors of a suite


@dataclass(slots=True)
class _SuiteFloor:
    """A floor of the suite, and to which cases it applies.

    `path`: the place of the floor in the case file.
    `name`: what messages call it.
    `held`: the number of cases to which it applies.
    `not_held`: the queries of the cases to which it does not apply.
    `not_named`: the part of `not_held` that no other sentence of a report names.
    """

    path: tuple[str, ...]
    name: str
    held: int = 0
    not_held: list[str] = field(default_factory=list)
    not_named: list[str] = field(default_factory=list)

    def add_not_held(self, case: Case, *, is_named: bool) -> None:
        """Note a case to which the floor does not apply.

        `is_named`: whether another sentence of a report names the case.
        """
        self.not_held.append(case.query)
        if not is_named:
            self.not_named.append(case.query)

    def why_no_case(self, *, has_known_items: bool) -> str:
        """Return why the floor applies to no case, and what to do.

        "" if the floor applies to a case, or if all cases replace it.
        """
        if self.held:
            return ""
        if self.not_named:
            return (
                "the floor applies to no case, because no judged document is "
                f"relevant ({examples(self.not_named)}); judge relevant documents, "
                "check grade_column, gain and rel, or take the floor out"
            )
        if self.not_held:
            queries = counted(
                len(self.not_held),
                "listed query without a floor of its own has",
                "listed queries without a floor of their own have",
            )
            return (
                f"the floor applies to no case: {queries} no judgments; judge a query, or "
                "take the floor out"
            )
        if has_known_items:
            return (
                "the floor applies to no case. Known items have no such floor, "
                "because their other results are not judged. Take the floor "
                "out, or write expect: {Success@3: 1}"
            )
        return ""


_MIN_NDCG = ""
"""A name that no metric has."""


class SuiteFloors:
    """Counts to how many cases each floor of a suite applies.

    Example: a suite has `min_ndcg: 0.5`. The case "boots" has a relevant judgment, so
    the floor holds for it. "hats" has only irrelevant ones, so the floor does not.
    "socks" sets `min_ndcg` itself, and is not counted.
    """

    def __init__(self, terms: Terms) -> None:
        self._floors: dict[str, _SuiteFloor] = {}
        """The floors by the names of their metrics, and `min_ndcg` by `_MIN_NDCG`."""
        if terms.min_ndcg is not None:
            name = f"min_ndcg {terms.min_ndcg:g}"
            self._floors[_MIN_NDCG] = _SuiteFloor(("min_ndcg",), name)
        for expected in terms.expect:
            if expected.needs_judgments:
                path = ("expect", expected.written)
                self._floors[expected.name] = _SuiteFloor(path, expected.written)
        self._has_known_items = False

    def count(self, case: Case, own: Mapping[str, object]) -> None:
        """Count for each floor whether it applies to a case.

        `own`: the keys that the case sets itself. A floor that the case sets is not
            counted.
        """
        if case.is_known_item:
            self._has_known_items = True
            self._count_metrics(case)
            return
        if most_results(case.expect) == 0:  # it expects nothing, and has no score
            return
        is_named = _is_named_as_unjudged(case)
        self._count_ndcg(case, own, is_named=is_named)
        self._count_metrics(case)
        for metric in case.not_applicable:
            self._floors[metric.text].add_not_held(case, is_named=is_named)

    def _count_ndcg(
        self, case: Case, own: Mapping[str, object], *, is_named: bool
    ) -> None:
        """Count whether the floor `min_ndcg` of the suite applies to a case.

        If a listed query has no judgments, `suite_builder` writes `min_ndcg: null` into
        its keys. Such a case does not replace the floor of the suite.
        """
        suite_floor = self._floors.get(_MIN_NDCG)
        if suite_floor is None:
            return
        is_off_as_unjudged = is_named and own.get("min_ndcg") is None
        if "min_ndcg" in own and not is_off_as_unjudged:
            return  # the case replaces the floor
        if case.min_ndcg is not None:
            suite_floor.held += 1
        else:
            suite_floor.add_not_held(case, is_named=is_named)

    def _count_metrics(self, case: Case) -> None:
        """Count the metrics of the suite that apply to a case."""
        for expected in case.expect:
            if expected.inherited and expected.needs_judgments:
                self._floors[expected.name].held += 1

    def check(self, at: Location) -> None:
        """Report each floor of the suite that applies to no case.

        A floor that all cases replace is not reported.
        """
        for suite_floor in self._floors.values():
            why = suite_floor.why_no_case(has_known_items=self._has_known_items)
            if why:
                at.refuse(why, *suite_floor.path)

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each floor of the suite that not all cases have.

        A sentence counts and names the cases without the floor, except those that
        another sentence of a report names.
        """
        for suite_floor in self._floors.values():
            if suite_floor.not_named:
                total = counted(suite_floor.held + len(suite_floor.not_held), "case")
                yield (
                    f"{suite_floor.name} of the suite does not apply to "
                    f"{len(suite_floor.not_named):,} of {total} without a relevant "
                    f"judgment: {examples(suite_floor.not_named)}"
                )


def _is_named_as_unjudged(case: Case) -> bool:
    """Say whether reports name a case anyway: a listed query without judgments."""
    return case.source is not None and not case.judgments
