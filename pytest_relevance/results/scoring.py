"""The score of one case: its ranking under its judgments, floor and expectations, and
the verdict.

`score_case` makes the `CaseResult` of a case, for an item of a test run and for
`relevance.check` alike. `with_details` adds what a report, a record or a baseline needs
beyond the figures; a case that passes without any of them is spared that work.

A search that is given a number of results (its parameter `k`) and returned as many may
have had more: its ranking is cut. A metric of the whole ranking has no value then,
unless the suite sets how deep the search is asked (`depth`). With `collapse`, chunks
are what was returned, and no metric may look deeper than the documents that they stand
for.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Any

from pytest_relevance._text import counted
from pytest_relevance.cases.model import Case, most_results
from pytest_relevance.metrics.interval import interval
from pytest_relevance.metrics.measures import ranks_needed, score
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import build_metric, takes_cutoff
from pytest_relevance.metrics.ndcg import GradedRanking, grade_ranking, has_gain
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import (
    EMPTY,
    FLOOR,
    NO_DIGEST,
    TOO_FEW_JUDGED,
    CaseCall,
    CaseConditions,
    CaseEvaluation,
    CaseOrigin,
    CaseRanking,
    DocumentTexts,
    Outcome,
    count_grades,
)
from pytest_relevance.results.case_result import (
    FAILED,
    INCONCLUSIVE,
    MEASURED,
    PASSED,
    CaseResult,
    ndcg_at,
)
from pytest_relevance.results.responses.ranking import Ranking

_NO_TEXTS = DocumentTexts()
_NO_RANKING = CaseRanking()
_USUAL_DEPTH = 1000
_MOST_MISSING = (
    10  # judged documents that a report names when none of the results is judged
)


@dataclass(frozen=True, slots=True)
class CaseInRun:
    """What the result of a case has from its run, and the case does not know.

    `params` are the parameters of the case with secrets masked, None where there is
    nothing to mask. `search` is the name of the search, None for the search of the
    case. `tolerance` is used for a case that sets none. `CaseResult` and `CaseOrigin`
    explain the other fields.
    """

    file: str = ""
    node: str = ""
    search: str | None = None
    variant: str | None = None
    params: Mapping[str, Any] | None = None
    tolerance: float = 0.05
    variant_index: int = 0
    test: str = ""
    items: Sequence[str] = ()
    search_folder: str = ""


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
    """Score the ranking that a case got from a `call` of its search, and decide its
    verdict.

    `asked` is how many results the search was asked for, None where it takes no such
    number. Where it returned as many, and a metric of the case looks at the whole
    ranking, there is nothing to score: ask `why_cut` first. Without `details` the
    result has the figures and the verdict alone; `with_details` adds the rest.
    """
    graded = grade_ranking(ranking.ids, case.judgments)
    terms = case.terms
    k, settings = terms.k, terms.settings
    ndcg = ndcg_at(k)
    value = score(ndcg, graded, settings)
    grades = graded.grades
    repeated = (
        sum(1 for index in graded.repeated if index < k) if graded.repeated else 0
    )
    top = (len(grades) if len(grades) < k else k) - repeated
    unjudged = grades[:k].count(None) - repeated
    lower = upper = value
    if unjudged and value == value:
        lower, upper = interval(
            graded, k, terms.lowest, terms.highest, settings, present=value
        )
    reaches_depth = asked is not None and len(ranking.as_returned or grades) >= asked
    is_cut = reaches_depth and terms.depth is None
    outcomes = (
        _outcomes(case, graded, ranking, call.latency, is_cut=is_cut)
        if case.expect
        else ()
    )
    verdict, reasons = decide(case, value, lower, upper, top - unjudged, top, outcomes)
    scores = {ndcg.text: defined(value)}
    if terms.gates or outcomes:
        scores |= _other_scores(case, graded, is_cut=is_cut)
    is_open = lower != upper and value == value
    is_irrelevant = bool(grades) and (
        grades[0] is None or settings.gains[grades[0]] <= 0
    )
    title = ranking.title(0) if is_irrelevant and ranking.titles else ""
    result = _result(
        case,
        verdict,
        in_run=in_run,
        call=call,
        conditions=CaseConditions(
            k=k,
            depth=case.depth,
            is_depth_set=terms.depth is not None,
            asked=asked or 0,
            floor=case.min_ndcg,
            tolerance=_tolerance(case, in_run),
            settings=settings,
            lowest=terms.lowest,
            highest=terms.highest,
        ),
        ranking=CaseRanking(
            reaches_depth=reaches_depth,
            documents=ranking.ids,
            grades=grades,
            returned=len(grades) - len(graded.repeated),
            repeated=len(graded.repeated),
            is_unsorted=bool(ranking.scores) and _is_unsorted(ranking.scores),
            irrelevant_top=tuple(ranking.ids[:3]) if is_irrelevant else (),
            field_values=_field_values(ranking),
            left_out=ranking.returned - len(grades),
        ),
        evaluation=CaseEvaluation(
            scores=scores,
            lower=lower if is_open else None,
            upper=upper if is_open else None,
            judged=top - unjudged,
            top=top,
            outcomes=outcomes,
            not_applicable=tuple([metric.text for metric in case.not_applicable]),
            reasons=reasons,
            **_unseen(case, outcomes, ranking),
        ),
        texts=DocumentTexts({ranking.ids[0]: title}) if title else _NO_TEXTS,
    )
    if case.filled:
        from pytest_relevance.results.filled import with_fill

        alone = replace(case, judgments=case.grades_of_people, filled={})
        people = score_case(alone, ranking, call, asked, in_run, details=False)
        result = with_fill(result, case.filled, people)
    return with_details(result, case, ranking) if details else result


def _field_values(ranking: Ranking) -> Mapping[str, int]:
    """In how many results each field has a value; empty if no expectation looks at
    fields.
    """
    if not ranking.fields:
        return EMPTY
    from pytest_relevance.results.field_values import count_field_values

    return count_field_values(ranking.fields)


def _unseen(
    case: Case, outcomes: Sequence[Outcome], ranking: Ranking
) -> dict[str, Any]:
    """What the case looks at below the last result, as fields of its evaluation; empty
    for most cases.
    """
    if not case.expect and not case.terms.gates and len(ranking.ids) >= case.k:
        return {}
    from pytest_relevance.results.unseen import undecided_demands, unreached_cutoff

    return {
        "undecided": undecided_demands(case, outcomes, ranking) if outcomes else (),
        "unreached": unreached_cutoff(case, ranking),
    }


def _is_unsorted(scores: Sequence[float | None]) -> bool:
    """Whether scores neither only fall nor only rise."""
    known = [score for score in scores if score is not None]
    rising = sorted(known)
    return known not in (rising, rising[::-1])


def unscored(
    case: Case,
    verdict: str,
    in_run: CaseInRun = _ALONE,
    call: CaseCall = CaseCall(),
    reasons: Sequence[Outcome] = (),
) -> CaseResult:
    """Make the result of a case without a score."""
    conditions = CaseConditions(
        k=case.k,
        depth=case.depth,
        floor=case.min_ndcg,
        tolerance=_tolerance(case, in_run),
        settings=case.settings,
    )
    evaluation = CaseEvaluation(reasons=reasons)
    return _result(
        case,
        verdict,
        in_run=in_run,
        call=call,
        conditions=conditions,
        evaluation=evaluation,
    )


def _result(
    case: Case,
    verdict: str,
    in_run: CaseInRun,
    call: CaseCall,
    conditions: CaseConditions,
    evaluation: CaseEvaluation,
    ranking: CaseRanking = _NO_RANKING,
    texts: DocumentTexts = _NO_TEXTS,
) -> CaseResult:
    """Make a result of its parts, and of what the case and the run say of it."""
    origin = CaseOrigin(
        variant_index=in_run.variant_index,
        source=case.source,
        test=in_run.test,
        items=tuple(in_run.items),
        search_folder=in_run.search_folder,
    )
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
        params=case.params if in_run.params is None else in_run.params,
        note=case.note or "",
        origin=origin,
        conditions=conditions,
        ranking=ranking,
        texts=texts,
        evaluation=evaluation,
        call=call,
    )


def _tolerance(case: Case, in_run: CaseInRun) -> float:
    tolerance = case.terms.tolerance
    return in_run.tolerance if tolerance is None else tolerance


def with_details(
    result: CaseResult, case: Case, ranking: Ranking, *, all_missing: bool = False
) -> CaseResult:
    """Add what a report needs: titles, engine scores, missing documents, deeper ranks,
    the digest.

    The ranking is cut as deep as the case looks. `all_missing` names every judged
    document that is missing; otherwise only documents of the ideal top k are named.
    """
    others: list[str] = []
    if result.baseline is not None:
        others += result.baseline.documents
    for expectation in case.expect:
        others += expectation.documents
    kept = _kept_ranking(result, case, ranking, others)
    conditions = result.conditions
    if case.terms.scale is not None and case.terms.scale.names:
        names = {grade: name for name, grade in case.terms.scale.names.items()}
        conditions = replace(conditions, grade_names=names)
    accepted_grades = () if result.baseline is None else result.baseline.grades
    missing = _missing(kept, case, accepted_grades, all_missing=all_missing)
    texts = result.texts
    if case.titles or case.notes or ranking.titles:
        named = {*kept.documents, *kept.deeper, *others}
        named.update(document for document, _ in missing)
        texts = _texts(case, ranking, named)
    evaluation = replace(
        result.evaluation,
        judgments=count_grades([*case.judgments.values()]),
        missing=missing,
        digest=digest_of(case.judgments),
    )
    return replace(
        result,
        conditions=conditions,
        ranking=kept,
        texts=texts,
        evaluation=evaluation,
    )


def _kept_ranking(
    result: CaseResult, case: Case, ranking: Ranking, others: Collection[str]
) -> CaseRanking:
    """Cut the ranking as deep as the case looks, and note the deeper ranks of judged
    documents and of `others`.
    """
    whole = case.looks_at_all
    kept = tuple(ranking.ids if whole else ranking.ids[: result.conditions.depth])
    as_returned = ranking.as_returned
    if len(kept) < len(ranking.ids) and as_returned:
        as_returned = as_returned[: as_returned.index(kept[-1]) + 1]
    engine_scores: list[float | None] = []
    for score_of_engine in ranking.scores[: len(kept)]:
        # a pinned result may have an infinite one; JSON, and so a record, has no
        # infinity
        if score_of_engine in (math.inf, -math.inf):
            engine_scores.append(None)
        else:
            engine_scores.append(score_of_engine)
    return replace(
        result.ranking,
        documents=kept,
        as_returned=tuple(as_returned),
        whole=whole,
        engine_scores=tuple(engine_scores),
        grades=tuple(result.ranking.grades[: len(kept)]),
        deeper=_ranks_below(ranking.ids, len(kept), (case.judgments, others)),
    )


def _texts(case: Case, ranking: Ranking, named: Collection[str]) -> DocumentTexts:
    """The titles and notes that the case and the ranking have of some documents."""
    titles = {
        document: title for document, title in case.titles.items() if document in named
    }
    # the first copy decides
    for index in range(len(ranking.ids) - 1, -1, -1) if ranking.titles else ():
        if ranking.ids[index] in named and (title := ranking.title(index)):
            titles[ranking.ids[index]] = title
    return DocumentTexts(
        titles,
        {document: note for document, note in case.notes.items() if document in named},
    )


def _ranks_below(
    ids: Sequence[str], kept: int, named: Iterable[Iterable[str]]
) -> dict[str, int]:
    """The ranks (from 1) of some documents below the first `kept`."""
    if len(ids) == kept:
        return {}
    above, wanted = set(ids[:kept]), {*chain(*named)}
    ranks: dict[str, int] = {}
    for rank, document in enumerate(ids[kept:], kept + 1):
        if document in wanted and document not in above:
            ranks.setdefault(document, rank)
    return ranks


def _missing(
    ranking: CaseRanking,
    case: Case,
    accepted: Sequence[float | None],
    *,
    all_missing: bool,
) -> tuple[tuple[str, float], ...]:
    """The judged documents below the kept ranking or not returned, those with the
    highest gain first.

    `accepted` are the grades of the accepted ranking.
    """
    # a later copy has no grade
    if len(ranking.grades) - ranking.grades.count(None) == len(case.judgments):
        return ()
    returned, gains, deeper = (
        set(ranking.documents),
        case.settings.gains,
        ranking.deeper,
    )
    absent = [pair for pair in case.judgments.items() if pair[0] not in returned]
    absent.sort(key=lambda pair: -gains[pair[1]])
    if all_missing:
        return tuple(absent)
    is_unjudged = bool(returned) and all(
        grade is None for grade in (*ranking.grades, *accepted)
    )
    wanted = [
        pair[0]
        for pair in absent
        if pair[0] not in deeper and (is_unjudged or gains[pair[1]] > 0)
    ]
    shown = {*wanted[: max(case.k, _MOST_MISSING)], *deeper}
    return tuple([pair for pair in absent if pair[0] in shown])


def _other_scores(
    case: Case, graded: GradedRanking, *, is_cut: bool
) -> dict[str, float | None]:
    """The scores beside nDCG@k, that expectations and gates name, without those that
    need ranks which were cut off.

    Without judgments none is defined.
    """
    found: dict[str, float | None] = {}
    asked = chain(
        (each.metric for each in case.expect),
        *(gate.metrics for gate in case.terms.gates),
    )
    # those of two rankings are scored where the accepted one is known
    for metric in {
        each.text: each for each in asked if each is not None and not each.is_similarity
    }.values():
        value = score(metric, graded, case.settings) if case.judgments else math.nan
        # of a cut ranking, too, it is known that no ranking would have a score, and RR
        # where there is a hit
        is_known = (value != value and not metric.is_own) or ranks_needed(
            metric, case.settings
        ) is not None
        if not is_cut or is_known or (metric.measure == "RR" and value > 0):
            found[metric.text] = defined(value)
    found.pop(ndcg_at(case.k).text, None)
    return found


def _outcomes(
    case: Case,
    graded: GradedRanking,
    ranking: Ranking,
    latency: float | None,
    *,
    is_cut: bool,
) -> tuple[Outcome, ...]:
    if not case.expect:
        return ()
    from pytest_relevance.results.outcomes import (
        Found,
        first_ranks,
        judge_expectations,
        without_reference,
    )

    ids = ranking.ids
    found = Found(
        k=case.k,
        settings=case.settings,
        graded=graded,
        ranking=ids,
        ranks=first_ranks(ids),
        latency=latency,
        is_cut=is_cut,
        fields=ranking.fields or {},
        others=ranking.others or {},
        left_out=ranking.returned - len(ids),
        finds_nothing=not ids and most_results(case.expect) == 0,
    )
    return judge_expectations(without_reference(case.expect), found)


def decide(
    case: Case,
    value: float,
    lower: float,
    upper: float,
    judged: int,
    top: int,
    outcomes: Sequence[Outcome],
) -> tuple[str, tuple[Outcome, ...]]:
    """Decide the verdict and its reasons, those about scores first.

    In this order: an unmet expectation other than a score fails; an interval wholly
    below the floor fails and wholly above it passes; too few judged results are
    inconclusive; the floor decides. Floors of other metrics are scores too, without an
    interval.
    """
    floor = case.min_ndcg
    if floor is None and not outcomes:
        return MEASURED, ()
    others: list[Outcome] = []
    scores: list[Outcome] = []
    in_doubt = False
    for outcome in outcomes:
        in_doubt |= outcome.is_score
        if not outcome.met:
            (scores if outcome.is_score else others).append(outcome)
    if floor is not None:
        bounded = is_bounded(case)
        if not (bounded and lower >= floor):
            in_doubt = True
            # also where the score is NaN, for which no comparison is true
            if not value >= floor:
                scores.insert(
                    0,
                    Outcome(
                        ndcg_at(case.k).text, FLOOR, False, defined(value), bound=floor
                    ),
                )
            if bounded and not upper >= floor:
                return FAILED, (*scores, *others)
    if others:
        return FAILED, (*scores, *others)
    if in_doubt and (too_few := too_few_judged(case, judged, top)):
        return INCONCLUSIVE, (*too_few, *scores)
    return (FAILED, tuple(scores)) if scores else (PASSED, ())


def too_few_judged(case: Case, judged: int, top: int) -> tuple[Outcome, ...]:
    """Why a score may decide nothing: too little of the top is judged. Empty where it
    may.
    """
    # the quotients are compared: 11 / 20 equals 0.55 as it is written, but 0.55 * 20 is
    # more than 11
    if top and judged / top < case.min_judged:
        return (
            Outcome(
                "min_judged",
                TOO_FEW_JUDGED,
                False,
                judged,
                bound=case.min_judged,
                within=top,
            ),
        )
    return ()


def is_bounded(case: Case) -> bool:
    """Whether the interval from lower to upper contains every score that the unjudged
    results can lead to.
    """
    return case.settings.ideal == "judged" and case.settings.unjudged == "zero"


def defined(value: float) -> float | None:
    """A score, or None for NaN."""
    return None if value != value else float(value)


def why_cut(case: Case, ranking: Ranking, asked: int | None) -> str:
    """Why a case has no score: a line for each of its metrics that looks at more than
    was returned; usually empty.

    `asked` is how many results the search was asked for, None where it takes no number.
    """
    if asked is None or len(ranking.as_returned or ranking.ids) < asked:
        return ""
    if case.settings.collapse and len(ranking.ids) < case.cutoff:
        documents = counted(len(ranking.ids), "document")
        what = f"the case looks at {case.cutoff} ranks, and the {ranking.returned} results that were asked for"
        return f"{what} are chunks of {documents} (collapse): write depth: {10 * asked}, or a smaller cutoff"
    if case.terms.depth is not None or not case.scores_all:
        return ""
    settings, ndcg = case.settings, ndcg_at(case.k)
    metrics = [
        each.metric
        for each in case.expect
        if each.metric is not None and each.ranks(settings) is None
    ]
    if ranks_needed(ndcg, settings) is None and has_gain(
        GradedRanking([], (), [*case.judgments.values()]), settings
    ):
        metrics.insert(0, ndcg)
    there = f"this search was asked for {asked}"
    return "\n".join(
        dict.fromkeys(cut_text(metric, there, asked, settings) for metric in metrics)
    )


def cut_text(
    metric: Metric, there: str, asked: int, settings: Settings | None = None
) -> str:
    """`AP looks at the whole ranking, and this search was asked for 10: write AP@10, or
    depth: 1000`.

    `there` describes the part of the ranking that is there. A metric with a cutoff
    looks at all of it because of its `settings`.
    """
    because, ways = "", []
    if metric.k is not None:
        is_skipping = settings is None or settings.unjudged == "skip"
        name, why, other = (
            ("unjudged", "skip", "zero")
            if is_skipping
            else ("ideal", "returned", "judged")
        )
        because, ways = f" ({name}: {why})", [f"{name}: {other}"]
    elif takes_cutoff(metric):
        ways = [build_metric(metric.measure, asked, metric.rel, metric.p).text]
    ways.append(f"depth: {max(_USUAL_DEPTH, 10 * asked)}")
    return f"{metric.text} looks at the whole ranking{because}, and {there}: write {', or '.join(ways)}"


def digest_of(judgments: Mapping[str, float]) -> str:
    """A short text that is equal for equal judgments, whatever their order; `NO_DIGEST`
    for none.

    Grades count with 12 digits: the order in which a mean was summed does not matter.
    """
    if not judgments:
        return NO_DIGEST
    text = "\0".join(
        [
            f"{document}\0{_digits(judgments[document])}"
            for document in sorted(judgments)
        ]
    )
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@lru_cache(maxsize=4096)  # a million grades are a handful of different ones
def _digits(grade: float) -> str:
    return f"{grade + 0.0:.12g}"  # -0.0, which equals 0, becomes 0.0
