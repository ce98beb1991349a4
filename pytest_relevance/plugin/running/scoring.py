"""Score the ranking of a case: whether it can be scored, and its result.

Nothing here raises the exception of a verdict, or changes the run of the case.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pytest_relevance.plugin import failures
from pytest_relevance.plugin.options import verbosity
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.plugin.running.latency import why_unmeasured
from pytest_relevance.results.case_result import FAILED, INCONCLUSIVE, CaseResult
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.scoring import score_case, why_cut, with_details

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


@dataclass(frozen=True, slots=True)
class Scored:
    """The result of a case; `fails_baseline`: the baseline is a reason of its
    verdict.
    """

    result: CaseResult
    fails_baseline: bool


def why_not_scored(this: CaseRun, ranking: Ranking, latency: float | None) -> str:
    """Say why a ranking cannot be scored; empty if it can. `latency` is in seconds."""
    case, asked = this.case, this.attempt.asked
    problem = why_cut(case, ranking, asked)
    if not problem and latency is None and not this.is_check:
        problem = why_unmeasured(this)
    if problem or not case.expect:
        return problem
    if asked is None and not this.is_check:
        from pytest_relevance.results.unseen import why_unseen

        problem = why_unseen(case, ranking)
    if not problem and case.fields:
        from pytest_relevance.expectations.conditions import why_unknown_fields

        problem = why_unknown_fields(case, ranking)
    return problem


def score_ranking(this: CaseRun, ranking: Ranking, latency: float | None) -> Scored:
    """Return the result of a case, compared with its baseline. `latency` is in seconds.

    Raises `MetricError` or `ExtensionError` where a metric or an expectation cannot be
    computed.
    """
    scored = _compared(this, ranking, latency)
    result = scored.result
    has_ended = result.verdict in (FAILED, INCONCLUSIVE)
    if has_ended or _needs_details(this, result):
        result = with_details(
            result,
            this.case,
            ranking,
            all_missing=has_ended and verbosity(this.item.config.option) > 0,
        )
        if this.baseline is not None:
            result = this.baseline.with_titles(result)
    if has_ended:
        result = _with_texts(this, result)
    return replace(scored, result=result)


def _compared(this: CaseRun, ranking: Ranking, latency: float | None) -> Scored:
    """Return the result of a case without details, compared with its baseline."""
    asked, config = this.attempt.asked, this.item.config
    result = score_case(
        this.case, ranking, this.call(latency), asked, this.in_run, details=False
    )
    if result.evaluation.undecided and asked is not None:
        result = _with_default_k(this, result)
    if this.baseline is None:
        return Scored(result, fails_baseline=False)
    result, fails_baseline = this.baseline.compare(
        result,
        this.case,
        accepting=config.option.relevance_update == "all",
        details=this.settings.details,
        fingerprint=run_store(config).unsent.fingerprint,
    )
    return Scored(result, fails_baseline)


def _needs_details(this: CaseRun, result: CaseResult) -> bool:
    """Whether something may show the details of a result that has not ended its
    case.
    """
    has_moved = result.baseline is not None and bool(result.baseline.documents)
    is_repeated = len(this.items) > 1
    return has_moved or is_repeated or this.is_check or this.settings.details


def _with_texts(this: CaseRun, result: CaseResult) -> CaseResult:
    """Add what the hook says of documents. Its exception is a warning of the run, and
    changes no verdict.
    """
    try:
        for texts in this.item.ihook.pytest_relevance_texts(
            case_run=this, result=result
        ):
            result = replace(result, texts=result.texts.with_more(texts))
    except failures.ENDING:
        raise
    except BaseException as error:
        hook = "pytest_relevance_texts"
        problem = failures.hook_error_text(hook, error, this.item.config)
        run_store(this.item.config).unsent.warn(hook, f"{problem}; the verdict stays")
    return result


def _with_default_k(this: CaseRun, result: CaseResult) -> CaseResult:
    """Note that a search returned as many results as it does if k is not handed on, of
    more that it was asked for.
    """
    ranking = result.ranking
    default = calling.default_of_k(this.search)
    if ranking.reaches_depth or ranking.length != default:
        return result
    return replace(result, ranking=replace(ranking, is_default_k=True))
