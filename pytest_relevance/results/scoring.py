"""Score the ranking of a case by its judgments, floor and expectations.

`score_case` makes the `CaseResult` of a case, for an item of a test run and for
`relevance.check` alike. `details.py` adds what a report, a record or a baseline needs
beyond the figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_relevance.cases.expectation import most_results
from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.measures import (
    is_reciprocal_rank,
    ranks_needed,
    score,
    suits_known_items,
)
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.ndcg import (
    GradedRanking,
    Held,
    grade_ranking,
    has_gain_at,
)
from pytest_relevance.metrics.ties import TieInterval, tie_interval, tied_groups
from pytest_relevance.results.case_parts import (
    DEFAULT_TOLERANCE,
    CaseCall,
    CaseConditions,
    CaseEvaluation,
    CaseOrigin,
    CaseRanking,
    DocumentTexts,
    Outcome,
)
from pytest_relevance.results.case_result import CaseResult, ndcg_at, rr_at
from pytest_relevance.results.details import with_details
from pytest_relevance.results.document_fields import count_field_values, short_values
from pytest_relevance.results.filled import with_fill
from pytest_relevance.results.outcomes import (
    Found,
    first_ranks,
    judge_expectations,
    without_reference,
)
from pytest_relevance.results.passages import (
    common_passages,
    found_passages,
    graded_by_passages,
    held_passages,
    ranks_of_quotes,
)
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.unseen import (
    reaches_depth,
    undecided_demands,
    unreached_cutoff,
)
from pytest_relevance.results.verdict import (
    Limits,
    ScoredTop,
    decide,
    defined,
    score_top,
)

_NO_TEXTS = DocumentTexts()
_NO_RANKING = CaseRanking()


@dataclass(frozen=True, slots=True)
class CaseInRun:
    """What the result of a case gets from its run.

    `search`: the name of the search; None for the search of the case.
    `params`: the params of the case with secrets masked; None if nothing is masked.
    `tolerance`: the tolerance of a case that sets none.

    `origin`: where the case comes from. The file of queries is added later.

    The other fields are as in `CaseResult`.
    """

    file: str = ""
    node: str = ""
    search: str | None = None
    variant: str | None = None
    params: Mapping[str, Any] | None = None
    tolerance: float = DEFAULT_TOLERANCE
    origin: CaseOrigin = CaseOrigin()


_ALONE = CaseInRun()


def score_case(
    case: Case,
    ranking: Ranking,
    call: CaseCall = CaseCall(),
    asked: int | None = None,
    in_run: CaseInRun = _ALONE,
    *,
    details: bool = True,
) -> CaseResult:
    """Return the result of a case, with its scores and its verdict.

    Call `unseen.why_cut` first. If it gives a reason, the case cannot be scored. A case
    with filled grades is scored a second time, without these grades.

    `call`: how the search was called.
    `asked`: how many results the search was asked for; None if it takes no number.
    `details`: whether the result gets more than figures and verdict
    (`details.with_details`).
    """
    ranked = _RankedCase.of(case, ranking, asked)
    conditions = _conditions(case, asked, in_run)
    main = _main_metric(case)
    top = score_top(ranked.graded, conditions, main)
    outcomes = _judge(ranked, call.latency)
    limits = Limits(case.k, case.settings, case.min_ndcg, case.min_judged)
    verdict = decide(limits, top, outcomes)
    scores = {main.text: defined(top.score)}
    scores |= _other_scores(ranked)
    lower, upper = _open_ends(top)
    ties = _interval_of_ties(ranked)
    evaluation = CaseEvaluation(
        scores=scores,
        lower=lower,
        upper=upper,
        ties_lower=None if ties is None else ties.least,
        ties_upper=None if ties is None else ties.greatest,
        ties_may_go_on=ties is not None and ties.may_go_on,
        judged=top.judged,
        top=top.size,
        outcomes=outcomes,
        not_applicable=tuple([metric.text for metric in case.not_applicable]),
        reasons=verdict.reasons,
        undecided=undecided_demands(case, outcomes, ranking) if outcomes else (),
        unreached=unreached_cutoff(case, ranking),
        passages=found_passages(case.passages, ranking, ranked.graded),
    )
    kept = _ranking_of(ranked)
    texts = _title_of_first(ranking) if kept.irrelevant_top else _NO_TEXTS
    parts = _Parts(call, conditions, evaluation, kept, texts)
    result = _result(case, verdict.name, in_run, parts)
    if case.filled:
        alone = replace(case, judgments=case.grades_of_people, filled={})
        people = score_case(alone, ranking, call, asked, in_run, details=False)
        result = with_fill(result, case.filled, people)
    return with_details(result, case, ranking) if details else result


def unscored(
    case: Case,
    verdict: str,
    in_run: CaseInRun = _ALONE,
    call: CaseCall = CaseCall(),
    reasons: Sequence[Outcome] = (),
) -> CaseResult:
    """Return the result of a case without a score.

    `reasons`: why it has none.
    """
    conditions = CaseConditions(
        k=case.k,
        depth=case.depth,
        floor=case.min_ndcg,
        tolerance=_tolerance(case, in_run),
        settings=case.settings,
    )
    parts = _Parts(call, conditions, CaseEvaluation(reasons=reasons))
    return _result(case, verdict, in_run, parts)


# --- the parts of a result ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _RankedCase:
    """A case with its ranking, as scores and expectations look at it.

    `asked`: how many results the search was asked for; None if it takes no number.
    `held`: the passages that each result holds; empty if the case reads no texts.
    `graded`: the ranking with the grades of its documents, or of its passages.
    """

    case: Case
    ranking: Ranking
    asked: int | None
    held: Held
    graded: GradedRanking

    @classmethod
    def of(cls, case: Case, ranking: Ranking, asked: int | None) -> _RankedCase:
        """Return a case with its ranking, which gets its grades."""
        held: Held = ()
        if case.reads_texts:
            held = held_passages(case.sought_passages, ranking, case.depth)
        if case.passages:
            graded = graded_by_passages(case, ranking, held)
        else:
            graded = grade_ranking(ranking.ids, case.judgments)
        return cls(case, ranking, asked, held, graded)

    @property
    def reaches_depth(self) -> bool:
        """Say whether the search returned as many results as it was asked for."""
        return reaches_depth(self.ranking, self.asked)

    @property
    def is_cut(self) -> bool:
        """Say whether the ranking may go on below its last result.

        It may if the search returned as many results as it was asked for. If the case
        file sets `depth`, the ranking ends there, and is not cut.
        """
        return self.reaches_depth and self.case.terms.depth is None


@dataclass(frozen=True, slots=True)
class _Parts:
    """What scoring adds to a case to make its result."""

    call: CaseCall
    conditions: CaseConditions
    evaluation: CaseEvaluation
    ranking: CaseRanking = _NO_RANKING
    texts: DocumentTexts = _NO_TEXTS


def _main_metric(case: Case) -> Metric:
    """Return the metric of the score of a case: nDCG@k, and RR@k for a known item."""
    return rr_at(case.k) if case.is_known_item else ndcg_at(case.k)


def _conditions(case: Case, asked: int | None, in_run: CaseInRun) -> CaseConditions:
    """Return how the ranking of a case was asked for, and how it is scored."""
    return CaseConditions(
        k=case.k,
        depth=case.depth,
        is_depth_set=case.terms.depth is not None,
        asked=asked or 0,
        floor=case.min_ndcg,
        tolerance=_tolerance(case, in_run),
        settings=case.settings,
        lowest=case.terms.lowest,
        highest=case.terms.highest,
    )


def _open_ends(top: ScoredTop) -> tuple[float | None, float | None]:
    """Return the lowest and the highest nDCG@k that unjudged results allow.

    Both are None if nDCG@k is not defined, or if it cannot change.
    """
    if math.isnan(top.score) or top.lower == top.upper:
        return None, None
    return top.lower, top.upper


def _interval_of_ties(ranked: _RankedCase) -> TieInterval | None:
    """Return the lowest and the highest nDCG@k over the orders of equal scores.

    None if there is only one order, if all orders give the same nDCG@k, or for a known
    item, which is not scored by nDCG.
    """
    case, ranking = ranked.case, ranked.ranking
    if case.is_known_item or case.terms.ties == "fixed":
        return None
    if len(ranking.scores) != len(ranking.ids):
        return None
    ends = tie_interval(
        ranked.graded,
        ranking.scores,
        case.k,
        case.settings,
        sort_values=ranking.sort_values,
        has_more=ranked.asked is None or ranked.reaches_depth,
    )
    if ends is None or ends.least == ends.greatest:
        return None
    return ends


def _are_all_tied(case: Case, ranking: Ranking) -> bool:
    """Say whether there are several results, and all of them are tied.

    Results are tied if their scores are equal and no second sort value orders them.
    False with `ties: fixed`, and if a result has no score.
    """
    count = len(ranking.ids)
    if case.terms.ties == "fixed" or len(ranking.scores) != count or count < 2:
        return False
    if ranking.scores[0] != ranking.scores[-1]:  # spares most rankings the groups
        return False
    return tied_groups(ranking.scores, ranking.sort_values) == [range(count)]


def _judge(ranked: _RankedCase, latency: float | None) -> tuple[Outcome, ...]:
    """Return the outcomes of expectations that need no accepted ranking."""
    case, ranking = ranked.case, ranked.ranking
    if not case.expect:
        return ()
    ids = ranking.ids
    ranks_of_excluded: Mapping[str, Sequence[int]] = {}
    if case.reads_texts:
        ranks_of_excluded = ranks_of_quotes(case, ranked.held)
    found = Found(
        k=case.k,
        settings=case.settings,
        graded=ranked.graded,
        ranking=ids,
        ranks=first_ranks(ids),
        latency=latency,
        is_cut=ranked.is_cut,
        fields=ranking.fields or {},
        others=ranking.others or {},
        left_out=ranking.left_out + _results_below(case, ranking),
        finds_nothing=not ids and most_results(case.expect) == 0,
        ranks_of_quotes=ranks_of_excluded,
        response=ranking.response,
    )
    return judge_expectations(without_reference(case.expect), found)


def _results_below(case: Case, ranking: Ranking) -> int:
    """Return how many results a record has below the ranking, for counts of results.

    0 if the case would not ask for them today. If chunks of a document are collapsed,
    each chunk counts. Otherwise each document counts once.
    """
    rest = ranking.rest
    if rest.is_unasked:
        return 0
    return rest.count if case.settings.collapse else rest.documents


def _other_scores(ranked: _RankedCase) -> dict[str, float | None]:
    """Return {metric: score} for the metrics of expectations and gates.

    Left out are

    - the metric of the case itself, nDCG@k or RR@k
    - similarities, which are scored when the accepted ranking is known
    - for a known item, metrics that depend on other results
    - metrics that need ranks which were cut off

    Without judgments each score is None.
    """
    case = ranked.case
    metrics: list[Metric] = []
    for expected in case.expect:
        if expected.metric is not None:
            metrics.append(expected.metric)
    for gate in case.terms.gates:
        metrics += gate.metrics
    done = {_main_metric(case).text}
    scores: dict[str, float | None] = {}
    for metric in metrics:
        if metric.text in done or metric.is_similarity:
            continue
        if case.is_known_item and not suits_known_items(metric):
            continue
        done.add(metric.text)
        value = math.nan
        if case.judgments:
            value = score(metric, ranked.graded, case.settings)
        if not ranked.is_cut or _is_decided_despite_cut(metric, value, case):
            scores[metric.text] = defined(value)
    return scores


def _is_decided_despite_cut(metric: Metric, value: float, case: Case) -> bool:
    """Say whether results below a cut could not change the value of a metric."""
    if ranks_needed(metric, case.settings) is not None:
        return True
    if math.isnan(value):
        return not metric.is_own  # no ranking would have a score
    return is_reciprocal_rank(metric) and value > 0


def _ranking_of(ranked: _RankedCase) -> CaseRanking:
    """Return what a result keeps of the ranking of its case."""
    case, ranking, graded = ranked.case, ranked.ranking, ranked.graded
    grades = graded.grades
    irrelevant_top: tuple[str, ...] = ()
    if grades and not has_gain_at(graded, 0, case.settings):
        irrelevant_top = tuple(ranking.ids[:3])
    # If texts count, results with one id are different results.
    copies = 0 if case.reads_texts else len(graded.repeated)
    rest = ranking.rest
    different = len(grades) - copies + rest.documents
    repeated, left_out = copies + rest.copies, ranking.left_out
    if case.settings.collapse:  # copies in the rest are chunks that are left out
        repeated, left_out = copies, ranking.left_out + rest.copies
    return CaseRanking(
        reaches_depth=ranked.reaches_depth,
        documents=ranking.ids,
        grades=grades,
        returned=different,
        repeated=repeated,
        is_unsorted=bool(ranking.scores) and _is_unsorted(ranking.scores),
        are_all_tied=_are_all_tied(case, ranking),
        irrelevant_top=irrelevant_top,
        field_values=count_field_values(ranking.fields or {}),
        response=short_values(ranking.response),
        left_out=left_out,
        held=tuple(map(tuple, ranked.held)),
        lengths=tuple(graded.lengths),
        common_passages=common_passages(case, ranked.held),
    )


def _is_unsorted(scores: Sequence[float | None]) -> bool:
    """Say whether scores neither only fall nor only rise. None is left out."""
    known = [score for score in scores if score is not None]
    rising = sorted(known)
    return known not in (rising, rising[::-1])


def _title_of_first(ranking: Ranking) -> DocumentTexts:
    """Return the title of the first result, if it has one."""
    title = ranking.title(0)
    return DocumentTexts({ranking.ids[0]: title}) if title else _NO_TEXTS


def _result(case: Case, verdict: str, in_run: CaseInRun, parts: _Parts) -> CaseResult:
    """Return the result of a case, made of its parts."""
    origin = in_run.origin
    if case.source is not None:
        origin = replace(origin, source=case.source)
    return CaseResult(
        file=in_run.file,
        line=case.line,
        id=case.id,
        verdict=verdict,
        query=case.query,
        node=in_run.node,
        search=in_run.search or case.search,
        variant=in_run.variant,
        tags=case.tags,
        weight=case.weight,
        is_sampled=case.is_sampled,
        params=case.params if in_run.params is None else in_run.params,
        note=case.note or "",
        origin=origin,
        conditions=parts.conditions,
        ranking=parts.ranking,
        texts=parts.texts,
        evaluation=parts.evaluation,
        call=parts.call,
        is_known_item=case.is_known_item,
    )


def _tolerance(case: Case, in_run: CaseInRun) -> float:
    tolerance = case.terms.tolerance
    return in_run.tolerance if tolerance is None else tolerance
