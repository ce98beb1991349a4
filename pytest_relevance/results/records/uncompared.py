"""Find cases that only a run or only its reference has a score of.

The reference is a baseline, or the record of another run.

- A case is *lost* if the reference has a ranking of it, or a score by a metric, and the
  run has none.
- A case is *not compared* if the run has a ranking of the case, and the reference knows
  the case without a ranking.
- A case is new if the reference does not know it. This module is not about new cases.

The reasons are texts in records and baselines: one of the constants below, or the
verdict of a case without a ranking (skipped, not searched, error). `WHY_LOST` has the
words for them.

Gates and reports call it when the run has ended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_relevance.metrics.measures import suits_known_items
from pytest_relevance.metrics.names import is_own, is_similarity, metric_named
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import LOST, NOT_COMPARED, BaselineComparison
from pytest_relevance.results.case_result import (
    ERROR,
    NOT_SEARCHED,
    SKIPPED,
    CaseResult,
    grouped,
    of_case_files,
)
from pytest_relevance.results.records.entries import EntryKey, has_main_score
from pytest_relevance.results.records.run_info import FileInfo, RunInfo

GONE = "gone"
"""Why a case is lost: its case file does not have it any more."""

LEFT_OUT = "left out"
"""Why a case is lost: `only: judged` leaves its query out."""

UNJUDGED = "unjudged"
"""Why a case is lost: it has no judgments now."""

IRRELEVANT = "irrelevant"
"""Why a case is lost: no judged document is relevant now."""

UNDEFINED = "undefined"
"""Why a case is lost: a metric has no value now."""

NOT_RUN = "not run"
"""Why a case is lost, or has no ranking in the reference: it was not run."""

UNSTABLE = "unstable"
"""Why a baseline has no ranking of a case: the ranking changed from call to call."""

MARKED_SKIP = "skip"
"""Why a case has no ranking: the case file or a mark says that it is skipped."""

WHY_LOST: Mapping[str, tuple[str, str]] = {
    GONE: ("is gone", "are gone"),
    UNJUDGED: ("has no judgments now", "have no judgments now"),
    IRRELEVANT: ("has no relevant judgment now", "have no relevant judgment now"),
    UNDEFINED: ("has no value of a metric now", "have no value of a metric now"),
    LEFT_OUT: ("is left out by only: judged", "are left out by only: judged"),
    SKIPPED: ("was skipped", "were skipped"),
    MARKED_SKIP: ("is marked as skipped", "are marked as skipped"),
    NOT_SEARCHED: ("was not searched", "were not searched"),
    ERROR: ("ended in an error", "ended in an error"),
    NOT_RUN: ("was not run", "were not run"),
}
"""The words for why cases are lost: for one case, and for several."""

WITHOUT_WORDS = "is not compared", "are not compared"
"""The words for a reason that only a later version knows."""


@dataclass(frozen=True, slots=True)
class UncomparedCase:
    """A case that is lost or not compared, and why.

    `metrics`: the metrics that have no value now, if that is why the case is lost.
    `tags`: empty for a case that did not run.
    `has_result`: whether the run has a result of the case.
    `lost`: the metrics by which only the reference has a score, if the case ran.
    `then`: the scores of the case in the reference, if the case did not run; empty if
        they are not known.
    """

    file: str
    id: str
    variant: str | None
    why: str
    metrics: Sequence[str] = ()
    tags: Sequence[str] = ()
    has_result: bool = False
    lost: Sequence[str] = ()
    then: Mapping[str, float | None] = field(default_factory=dict)

    def had_score(self, metric: str) -> bool:
        """Say whether a case counts in the mean of a metric in the reference.

        A case without a relevant judgment counts only in the means of a project's own
        metrics. A metric that the reference was not asked for, for example nDCG with
        another cutoff, has a score if the nDCG of the case has one, or the RR of a
        known item. True if no score is known.
        """
        if self.lost:
            return metric in self.lost
        if not self.then:
            return True
        if is_own(metric) and metric in self.then:
            return self.then[metric] is not None
        is_judged = any(name.startswith("nDCG@") for name in self.then)
        if not is_judged and not suits_known_items(metric_named(metric)):
            return False
        return has_main_score(self.then)


def lost_cases(
    files: Mapping[str, FileInfo], results: Iterable[CaseResult], info: RunInfo
) -> list[UncomparedCase]:
    """Return the cases that a run lost, in the order of their files."""
    by_file = grouped(of_case_files(results), lambda result: result.file)
    found: list[UncomparedCase] = []
    for file, file_info in files.items():
        ran = by_file.get(file, [])
        found += lost_of_file(file, file_info, ran)
        if not info.is_part and file not in info.not_run:
            found += dropped_of_file(file, file_info, ran)
    return found


def lost_of_file(
    file: str, info: FileInfo, results: Iterable[CaseResult]
) -> list[UncomparedCase]:
    """Return the lost cases of a file, whether they ran or not."""
    found: dict[tuple[str, str | None], UncomparedCase] = {}
    for case, variant, why in info.lost:
        found[case, variant] = UncomparedCase(file, case, variant, why)
    for result in results:
        lost = lost_result(result)
        if lost is not None:
            found[result.id, result.variant] = lost
    return [*found.values()]


def lost_result(result: CaseResult) -> UncomparedCase | None:
    """Return the lost case of a result; None if the case is not lost."""
    comparison = result.baseline
    if comparison is None or not comparison.lost:
        return None
    has_ranking = comparison.standing != LOST
    return UncomparedCase(
        file=result.file,
        id=result.id,
        variant=result.variant,
        why=comparison.why,
        metrics=comparison.lost if comparison.why == UNDEFINED else (),
        tags=result.tags,
        has_result=True,
        lost=comparison.lost if has_ranking else (),
        then={} if has_ranking else comparison.then,
    )


def dropped_of_file(
    file: str, info: FileInfo, results: Iterable[CaseResult]
) -> list[UncomparedCase]:
    """Return the cases that the reference has a ranking of, and that have no result."""
    ran = {(result.id, result.variant) for result in results}
    found = []
    for case, variant, *_, is_known in info.cases:
        if is_known and (case, variant) not in ran:
            found.append(UncomparedCase(file, case, variant, NOT_RUN))
    return found


def not_compared_cases(results: Iterable[CaseResult]) -> list[UncomparedCase]:
    """Return the cases that ran and that the reference knows without a ranking."""
    found = []
    for result in of_case_files(results):
        comparison = result.baseline
        if comparison is not None and comparison.standing == NOT_COMPARED:
            found.append(
                UncomparedCase(result.file, result.id, result.variant, comparison.why)
            )
    return found


def found_something_new(results: Iterable[CaseResult]) -> list[CaseResult]:
    """Return the results that found something now, and nothing in the reference.

    An empty ranking does not show whether a failure is new.
    """
    return [
        result
        for result in of_case_files(results)
        if result.baseline is not None
        and result.baseline.found_nothing
        and result.ranking.returned
    ]


def lacks_reference(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], info: RunInfo
) -> bool:
    """Say whether a run requires a reference, and did not compare all with it."""
    if not info.requires_baseline:
        return False
    if any(not_accepted_test(file_info) for file_info in files.values()):
        return True
    is_lost = bool(info.not_run or lost_cases(files, results, info))
    return is_lost or bool(not_compared_cases(results))


def not_accepted_test(info: FileInfo) -> bool:
    """Say whether a committed baseline has yet to accept what the test demands.

    Only a looser test has to be accepted, or any test if the baseline does not say what
    was demanded. False without a committed baseline.
    """
    if info.against or not info.has_baseline:
        return False
    is_looser = any(change.is_looser for change in info.test_changes)
    return is_looser or not info.knows_demands


def lost_metrics(
    result: CaseResult, then: Mapping[str, float | None]
) -> tuple[str, ...]:
    """Return the metrics by which a case had a score and has none now.

    `then`: {metric: score} in the reference. A metric that the case does not ask for
    any more is left out.
    """
    evaluation = result.evaluation
    main = result.metric.text
    found = []
    for name, score in then.items():
        if score is None or is_similarity(name):
            continue
        if name.startswith("nDCG@") and name not in evaluation.scores:
            name = main  # the cutoff k has changed since
        is_asked_for = name in evaluation.scores or name in evaluation.not_applicable
        if is_asked_for and evaluation.scores.get(name) is None and name not in found:
            found.append(name)
    return tuple(found)


def why_undefined(grades: Collection[float], settings: Settings) -> str:
    """Return why a case that ran has no score: one of the reasons of this module.

    `grades`: the grades of its judgments.
    """
    if not grades:
        return UNJUDGED
    if all(settings.gains[grade] <= 0 for grade in grades):
        return IRRELEVANT
    return UNDEFINED


def as_lost(result: CaseResult, then: Mapping[str, float | None]) -> CaseResult:
    """Return a result without a ranking as lost.

    `then`: {metric: score} in the reference.
    """
    metrics = tuple(then) or (result.metric.text,)
    why = why_without_ranking(result)
    comparison = BaselineComparison(LOST, lost=metrics, why=why, then=then)
    return replace(result, baseline=comparison)


def without_ranking(
    info: FileInfo, results: Iterable[CaseResult], accepted: Collection[EntryKey]
) -> dict[EntryKey, str]:
    """Return {case: why}, for the cases of a file without an accepted ranking."""
    found = {}
    for case, variant, *_ in info.cases:
        found[case, variant] = NOT_RUN
    for result in of_case_files(results):
        why = UNSTABLE if result.evaluation.scores else why_without_ranking(result)
        found[result.id, result.variant] = why
    return {key: why for key, why in found.items() if key not in accepted}


def why_without_ranking(result: CaseResult) -> str:
    """Return why a case has no ranking: its verdict, or `MARKED_SKIP`."""
    if result.verdict == SKIPPED and result.call.is_marked_skip:
        return MARKED_SKIP
    return result.verdict
