"""Score the ranking of a case, and decide how the case ends.

No function of this module changes the run of the case, and none raises the exception of
its verdict: `exception_of` returns it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from pytest_relevance.cases.model import Case
from pytest_relevance.plugin import exceptions
from pytest_relevance.plugin.exceptions import BaselineFailure, CaseFailure
from pytest_relevance.plugin.failure_text import text_of_exception
from pytest_relevance.plugin.run_settings import verbosity
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.registry import EXPECTATIONS, GATES
from pytest_relevance.reports.brief_reasons import reason_in_brief
from pytest_relevance.results.case_result import FAILED, INCONCLUSIVE, CaseResult
from pytest_relevance.results.details import with_details
from pytest_relevance.results.passages import why_unknown_passages
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.scoring import score_case
from pytest_relevance.results.unseen import why_cut, why_unseen

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


STOOD_STILL = (
    "the clock stood still during the search, so its latency is not known: "
    "time.perf_counter was replaced before pytest-relevance was loaded"
)


def looks_at_latency(case: Case) -> bool:
    """Say whether an expectation of a case, or a gate of its file, needs latencies."""
    for expected in case.expect:
        if EXPECTATIONS.get_or_unknown(expected.kind).needs_latency:
            return True
    gates = case.terms.gates
    return any(GATES.get_or_unknown(gate.condition).needs_latency for gate in gates)


def _why_unmeasured(case_run: CaseRun) -> str:
    """Return why a case cannot be scored without a latency.

    "" if the case can be scored. Then the run warns that the latency is not known.
    """
    if looks_at_latency(case_run.case):
        return f"{STOOD_STILL}; stop the time later, or leave time.perf_counter alone"
    run_store(case_run.item.config).unsent.warn(STOOD_STILL, STOOD_STILL)
    return ""


@dataclass(frozen=True, slots=True)
class Scored:
    """The result of a case, and which exception it ends in.

    `fails_baseline`: whether its entry in the baseline is stale, or its score dropped.
        Then it ends in `BaselineFailure`, which a mark `xfail` does not cover.
    """

    result: CaseResult
    fails_baseline: bool


def why_not_scored(case_run: CaseRun, ranking: Ranking, latency: float | None) -> str:
    """Return why a ranking cannot be scored; "" if it can.

    If only the latency is not known, and nothing needs it, the ranking can be scored.
    The run then warns that the latency is not known.

    `latency`: in seconds; None if it was not measured.
    """
    case, asked = case_run.case, case_run.attempt.searched.asked
    problem = why_cut(case, ranking, asked)
    may_be_unmeasured = case_run.is_check or case_run.attempt.searched.is_recorded
    if not problem and latency is None and not may_be_unmeasured:
        problem = _why_unmeasured(case_run)
    if not problem and case.reads_texts:
        problem = why_unknown_passages(case, ranking)
    if problem or not case.expect:
        return problem
    if asked is None and not case_run.is_check:
        problem = why_unseen(case, ranking)
    if not problem and case.fields:
        from pytest_relevance.expectations.conditions import why_unknown_fields

        problem = why_unknown_fields(case, ranking)
    if not problem and case.response_conditions:
        from pytest_relevance.expectations.response import why_unknown_response

        problem = why_unknown_response(case, ranking)
    return problem


def score_with_details(
    case_run: CaseRun, ranking: Ranking, latency: float | None
) -> Scored:
    """Return the result of a case, compared with its baseline.

    Details and texts that only reports need are added if a report will show the result.
    `latency`: in seconds; None if it was not measured.

    Raises `MetricError` or `ExtensionError` if a metric or an expectation cannot be
    computed.
    """
    scored = _score_and_compare(case_run, ranking, latency)
    result = scored.result
    needs_reasons = result.verdict in (FAILED, INCONCLUSIVE)
    if needs_reasons or _needs_details(case_run, result):
        result = with_details(
            result,
            case_run.case,
            ranking,
            all_missing=needs_reasons and verbosity(case_run.item.config.option) > 0,
        )
        if case_run.baseline is not None:
            result = case_run.baseline.with_titles(result)
    if case_run.settings.keeps_texts and ranking.texts:
        from pytest_relevance.results.recorded_passages import with_texts

        result = with_texts(result, ranking)
    if needs_reasons:
        if case_run.case.passages:
            from pytest_relevance.results.near_passages import with_near_misses

            result = with_near_misses(result, case_run.case, ranking)
        result = _with_texts(case_run, result)
    if result.baseline is not None and _is_known(case_run, result):
        result = replace(result, baseline=replace(result.baseline, known=True))
    return replace(scored, result=result)


def _score_and_compare(
    case_run: CaseRun, ranking: Ranking, latency: float | None
) -> Scored:
    """Score a ranking, and compare the result with the accepted ranking, if any."""
    asked, config = case_run.attempt.searched.asked, case_run.item.config
    result = score_case(
        case_run.case,
        ranking,
        case_run.call(latency),
        asked,
        case_run.in_run,
        details=False,
    )
    if asked is not None and not result.ranking.reaches_depth:
        result = _with_default_k(case_run, result)
    if case_run.baseline is None:
        return Scored(result, fails_baseline=False)
    compared = case_run.baseline.compare(
        result,
        case_run.case,
        accepting=config.option.relevance_update == "all",
        details=case_run.settings.details,
        fingerprint=run_store(config).unsent.fingerprint,
    )
    return Scored(compared.result, compared.fails)


def _needs_details(case_run: CaseRun, result: CaseResult) -> bool:
    """Say whether a report may show details of a case that passes."""
    has_moved = result.baseline is not None and bool(result.baseline.documents)
    is_repeated = len(case_run.items) > 1
    return has_moved or is_repeated or case_run.is_check or case_run.settings.details


def _with_texts(case_run: CaseRun, result: CaseResult) -> CaseResult:
    """Return a result with the texts of the hook `pytest_relevance_texts`.

    If the hook raises an exception, the run warns of it, and the verdict stays.
    """
    try:
        for texts in case_run.item.ihook.pytest_relevance_texts(
            case_run=case_run, result=result
        ):
            result = replace(result, texts=result.texts.with_more(texts))
    except exceptions.ENDING:
        raise
    except BaseException as error:
        hook = "pytest_relevance_texts"
        problem = exceptions.hook_error_text(hook, error, case_run.item.config)
        run_store(case_run.item.config).unsent.warn(
            hook, f"{problem}; the verdict stays"
        )
    return result


def _with_default_k(case_run: CaseRun, result: CaseResult) -> CaseResult:
    """Return a result that notes whether the search seems to ignore its `k`.

    A search seems to ignore `k` if it returned fewer results than requested, and as
    many as the default of its parameter `k`.
    """
    searched = case_run.attempt.searched
    default = searched.default_k
    if not searched.is_recorded:
        default = calling.default_of_k(case_run.search_function)
    if result.ranking.length != default:
        return result
    return replace(result, ranking=replace(result.ranking, is_default_k=True))


def exception_of(case_run: CaseRun, scored: Scored) -> BaseException | None:
    """Return the exception that a scored case ends in; None if it passes."""
    result = scored.result
    if result.verdict == FAILED:
        if result.baseline is not None and result.baseline.known:
            message = text_of_exception(result, is_check=False)
            return pytest.xfail.Exception(message)
        return _failure(case_run, scored)
    if result.verdict == INCONCLUSIVE:
        becomes = case_run.item.config.option.relevance_inconclusive
        if becomes == "fail":
            return _failure(case_run, scored)
        if becomes == "skip":
            return pytest.skip.Exception(reason_in_brief(result))
    return None


def _is_known(case_run: CaseRun, result: CaseResult) -> bool:
    """Say whether a failed case is reported as xfailed, because it failed before.

    False without `--relevance-known=xfail`, and if the case itself has a mark `xfail`.
    """
    return (
        result.verdict == FAILED
        and result.baseline is not None
        and result.baseline.failed_before
        and case_run.settings.expects_known
        and case_run.item.get_closest_marker("xfail") is None
    )


def _failure(case_run: CaseRun, scored: Scored) -> CaseFailure | BaselineFailure:
    """Return the exception of a case that failed, or is inconclusive."""
    kind = BaselineFailure if scored.fails_baseline else CaseFailure
    text = text_of_exception(scored.result, is_check=case_run.is_check)
    return kind(text, pytrace=False)
