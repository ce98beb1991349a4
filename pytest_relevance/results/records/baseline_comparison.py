"""The comparison of a case with the ranking accepted in its baseline.

The accepted ranking is scored again, under the judgments and settings of today, so that
a new judgment or another gain is never taken for a regression.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial

from pytest_relevance._text import listed, quoted, with_variant
from pytest_relevance.cases.model import (
    Case,
    Expectation,
    Gate,
    most_results,
)
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import metric_named
from pytest_relevance.metrics.ndcg import GradedRanking, grade_ranking
from pytest_relevance.results import case_parts, outcomes
from pytest_relevance.results.case_parts import (
    NEW,
    NOT_COMPARED,
    REGRESSION,
    STALE,
    BaselineComparison,
    Outcome,
)
from pytest_relevance.results.case_result import (
    FAILED,
    INCONCLUSIVE,
    MEASURED,
    PASSED,
    CaseResult,
)
from pytest_relevance.results.records.accepted_outcomes import (
    AcceptedOutcomes,
    accepted_cases,
    compares_scores,
    need_missed,
)
from pytest_relevance.results.records.baseline import (
    BaselineEntries,
    BaselineEntry,
    EntryKey,
    MovedEntries,
    with_sorted_keys,
)
from pytest_relevance.results.records.file import as_json
from pytest_relevance.results.records.missed_before import (
    is_known_as_worse,
    was_missed_as_badly,
)
from pytest_relevance.results.records.reference import SilentSearch, silent_searches
from pytest_relevance.results.records.run_info import (
    GONE,
    LEFT_OUT,
    UNDEFINED,
    AcceptedCase,
    Fingerprint,
    Lost,
    changed_since,
)
from pytest_relevance.results.records.two_outcomes import NOT_RETURNED, TwoOutcomes
from pytest_relevance.results.records.uncompared import (
    MARKED_SKIP,
    as_lost,
    lost_metrics,
    why_undefined,
    why_without_ranking,
)
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.scoring import (
    defined,
    is_bounded,
    score_case,
    too_few_judged,
)

_ROUNDING = (
    1e-9  # a drop of exactly the tolerance is within it, however it was computed
)


class Baseline:
    """The baseline of a case file: its entries, and their comparison with the cases
    that were collected.

    `record` is the name of the record that the entries come from, empty for a committed
    baseline. `fingerprint` says what was searched when they were accepted; empty if
    unknown. `expects_known`: what failed before is expected to fail, and the
    comparisons have what gates on means and shares need for that.
    """

    def __init__(
        self, entries: BaselineEntries, *, record: str = "", expects_known: bool = False
    ) -> None:
        self._entries = entries
        self.record = record
        self._expects_known = expects_known
        self.fingerprint: Fingerprint = entries.fingerprint
        self._moved: dict[str, tuple[BaselineEntry, Sequence[str]]] = {}
        self._renamed: Mapping[str, str] = {}

    @property
    def entries(self) -> BaselineEntries:
        """Its entries."""
        return self._entries

    def move(self, moves: MovedEntries) -> None:
        """Give entries the present places of their cases. Afterwards call
        `collected`.
        """
        self._entries = copy(self._entries)  # the record of a run is shared
        self._entries.move(moves)
        self.fingerprint = self._entries.fingerprint

    def collected(
        self, cases: Mapping[EntryKey, Case], left_out: Iterable[str] = ()
    ) -> list[Lost]:
        """Register the cases of the file by id and variant; return the cases of the
        baseline that are not compared.

        `left_out` are the ids of the listed queries that `only: judged` leaves out. A
        case is stale, and not returned, if all its entries are for variants that it
        does not have: its search's parameters were renamed, say.
        """
        self._moved = {}
        lost = self._without_relevant(cases)
        self._renamed = self._without_ranking_of_variants_that_are_gone(cases)
        left = [key for key in self._entries if key not in cases]
        before, now = _variants_by_case(left), _variants_by_case(cases if left else ())
        kept = {case for case, _ in self._entries.keys() & cases.keys()}
        for case, variants in before.items():
            if case in now and case not in kept:
                change = f"the search had {_variants_text(variants)}, and has {_variants_text(now[case])}"
                self._moved[case] = self._entries[case, variants[0]], (change,)
        unlisted = frozenset(left_out)
        return lost + [
            (*key, LEFT_OUT if key[0] in unlisted else GONE)
            for key in left
            if key[0] not in self._moved
        ]

    def _without_relevant(self, cases: Mapping[EntryKey, Case]) -> list[Lost]:
        """Find the cases that had a score and have no relevant judgment now."""
        lost: list[Lost] = []
        for key, entry in self._entries.items():
            case = cases.get(key)
            if case is None or not entry.has_score:
                continue
            why = why_undefined(case.judgments.values(), case.settings)
            if why != UNDEFINED:
                lost.append((*key, why))
        return lost

    def _without_ranking_of_variants_that_are_gone(
        self, cases: Mapping[EntryKey, Case]
    ) -> dict[str, str]:
        """Find the cases without a ranking whose variant is gone, with the reason.

        The parameter of the search was renamed, so no other variant of them is new.
        """
        found = {}
        for key, why in self._entries.without_ranking.items():
            if key not in cases:
                case, _ = key
                found[case] = why
        return found

    def has_ranking(self, key: EntryKey) -> bool:
        """Whether there is an accepted ranking of a case in a variant."""
        case, _ = key
        return key in self._entries or case in self._moved

    def silent_searches(self, cases: Mapping[EntryKey, Case]) -> list[SilentSearch]:
        """Find the searches that found nothing in most of the cases that should find
        something.
        """
        found = []
        for key, case in cases.items():
            entry = self._entries.get(key)
            if entry is not None and most_results(case.expect):
                _, variant = key
                name = with_variant(case.search, variant)
                found.append((name, bool(entry.documents)))
        return silent_searches(found)

    def accepted_cases(self, gates: Iterable[Gate]) -> tuple[AcceptedCase, ...]:
        """What the entries have of each case, if gates need it to have failed
        before.
        """
        return accepted_cases(self._entries, gates)

    def compare(
        self,
        result: CaseResult,
        case: Case,
        *,
        accepting: bool = False,
        details: bool = True,
        fingerprint: Fingerprint | None = None,
    ) -> tuple[CaseResult, bool]:
        """The result with its comparison with its entry, and with the verdict and the
        reasons that follow.

        Also returns whether the baseline gave the verdict or one of its reasons. What
        counts as a drop is the tolerance of the result. A regression fails the case
        whatever its floor says, and so does a stale entry. Where too few results are
        judged, and the unjudged ones could make up for the drop, the case is
        inconclusive. `accepting`: the present rankings are being accepted, and the
        verdict stays. Without `details` the accepted ranking itself is kept only where
        the case does not pass or its score has changed. `fingerprint` says what this
        run searched.

        Call it before `scoring.with_details`, which also looks up titles and ranks of
        the accepted documents.
        """
        key = result.id, result.variant
        entry, moved = (
            (self._entries[key], ())
            if key in self._entries
            else self._moved.get(result.id, (None, ()))
        )
        if entry is None:
            return self._without_entry(result), False
        # a present ranking that is cut has no score of the whole ranking, and needs
        # none of the accepted one
        was_cut = len(entry.documents) >= entry.depth and (
            (entry.reaches_depth and not result.is_cut and case.scores_all)
            or (not entry.whole and case.looks_at_all)
        )
        similarities = case.similarities
        was_cut = was_cut or lacks_ranks(entry, result, similarities)
        stale = (
            *moved,
            *changes_since(
                entry,
                case.query,
                result.conditions.depth,
                result.params,
                was_cut=was_cut,
            ),
        )
        if similarities and not stale:
            result = _with_similarities(
                result, case, similarities, entry, accepting=accepting
            )
        verdict, because = result.verdict, result.evaluation.reasons
        if case.filled:
            from pytest_relevance.results.filled import as_people_see_it, drop_of_people
        if stale:
            found, fails = BaselineComparison(STALE, stale=stale), not accepting
            if fails:
                outdated = Outcome(
                    self.record, case_parts.STALE_ENTRY, False, clauses=stale
                )
                verdict, because = FAILED, (outdated, *because)
        else:
            found, because = _compare_scores(
                result,
                case,
                entry,
                expects_known=self._expects_known,
                details=details,
            )
            fell_by_people = None
            if case.filled:
                found = as_people_see_it(result, found)
                fell_by_people = drop_of_people(replace(result, baseline=found))
            fails = found.standing == REGRESSION and not accepting
            if fails and fell_by_people is not None:
                verdict, because = _regression_of_people(
                    result, case, fell_by_people, because
                )
            elif fails:
                verdict, because = _regression(result, case, found, because)
        is_moved = found.score != result.score or any(
            result.evaluation.scores.get(each.text, 1) != 1 for each in similarities
        )
        lost = () if stale else lost_metrics(result, entry.scores)
        if lost:
            why = why_undefined(case.judgments.values(), case.settings)
            found = replace(found, lost=lost, why=why)
        if verdict in (PASSED, MEASURED) and not (details or is_moved):
            found = replace(found, documents=(), grades=(), then={})
        elif fingerprint:
            found = replace(
                found, searched=changed_since(self.fingerprint, fingerprint)
            )
        return result.with_baseline(found, verdict, because), fails

    def _without_entry(self, result: CaseResult) -> CaseResult:
        """Mark a result as not compared if the reference knows its case, else as
        new.
        """
        known = self._entries.without_ranking
        why = known.get((result.id, result.variant)) or self._renamed.get(result.id)
        if why is None:
            return replace(result, baseline=BaselineComparison(NEW))
        return replace(result, baseline=BaselineComparison(NOT_COMPARED, why=why))

    def of_unscored(self, result: CaseResult) -> CaseResult:
        """Mark a result without a ranking as lost if the reference has a ranking.

        A skip that was accepted loses nothing.
        """
        key = result.id, result.variant
        if key in self._entries:
            entry = self._entries[key]
        elif result.id in self._moved:
            entry, _ = self._moved[result.id]
        else:
            return result
        is_marked = why_without_ranking(result) == MARKED_SKIP
        if is_marked and self._entries.without_ranking.get(key) == MARKED_SKIP:
            return result
        return as_lost(result, entry.scores)

    def with_titles(self, result: CaseResult) -> CaseResult:
        """The result with the titles that the baseline has of documents without a
        title.
        """
        return (
            result.with_titles(self._entries.titles, replace=False)
            if self._entries.titles
            else result
        )


def lacks_ranks(
    entry: BaselineEntry, result: CaseResult, similarities: Iterable[Metric] = ()
) -> bool:
    """Whether an entry, collapsed, has fewer documents than ranks count for the score
    of a result, as chunks were cut.

    `similarities` are metrics that compare the result with the entry.
    """
    settings = result.conditions.settings
    if not settings.collapse or entry.is_all or len(entry.documents) < entry.depth:
        return False
    expected = [
        outcomes.kind_named(outcome.kind).cutoff(outcomes.expectation_of(outcome))
        for outcome in result.evaluation.outcomes
    ]
    scored = (
        metric.k or 0
        for metric in (*similarities, *map(metric_named, result.evaluation.scores))
    )
    return len(entry.ranking(settings)) < max(result.conditions.k, *expected, *scored)


def _variants_by_case(keys: Iterable[EntryKey]) -> dict[str, list[str | None]]:
    found: dict[str, list[str | None]] = {}
    for case, variant in keys:
        found.setdefault(case, []).append(variant)
    return found


def _variants_text(names: Sequence[str | None]) -> str:
    """`the variants "lexical" and "dense"`, or `no variant`."""
    if None in names:  # a search has parameters or none
        return "no variant"
    return f"the variant{'s' * (len(names) > 1)} {listed((quoted(name) for name in names if name is not None), 'and')}"


def _with_similarities(
    result: CaseResult,
    case: Case,
    metrics: Iterable[Metric],
    entry: BaselineEntry,
    *,
    accepting: bool,
) -> CaseResult:
    """The result with its scores by metrics that compare it with the accepted ranking,
    and the verdict that follows.

    While another ranking is being accepted it is not judged by them.
    """
    evaluation = result.evaluation
    scores = {
        **evaluation.scores,
        **outcomes.similarity_scores(result, metrics, entry.ranking(case.settings)),
    }
    made = () if accepting else outcomes.similarity_outcomes(case.expect, scores)
    verdict = PASSED if made and result.verdict == MEASURED else result.verdict
    reasons, unmet = (
        evaluation.reasons,
        [outcome for outcome in made if not outcome.met],
    )
    if unmet:  # no judgment of an unjudged result could change that
        scored = (
            reason for reason in reasons if reason.kind != case_parts.TOO_FEW_JUDGED
        )
        verdict, reasons = FAILED, (*scored, *unmet)
    evaluation = replace(
        evaluation,
        scores=scores,
        outcomes=(*evaluation.outcomes, *made),
        reasons=reasons,
    )
    return replace(result, verdict=verdict, evaluation=evaluation)


def _compare_scores(
    result: CaseResult,
    case: Case,
    entry: BaselineEntry,
    *,
    expects_known: bool,
    details: bool,
) -> tuple[BaselineComparison, Sequence[Outcome]]:
    """The comparison of a result with the accepted ranking, and the reasons of the
    result.

    A passing case with the accepted ranking scores the same, and has the grades of that
    only for `details` and gates.
    """
    depth, documents = (
        None if case.looks_at_all else result.conditions.depth,
        entry.ranking(case.settings),
    )
    # down to the depth of the case
    is_same = documents[:depth] == tuple(result.ranking.documents[:depth])
    if (
        is_same
        and not (details or case.terms.gates)
        and result.verdict in (PASSED, MEASURED)
    ):
        latency = entry.call.latency_like(result.call)
        return BaselineComparison(
            case_parts.WITHIN,
            result.score,
            latency=latency,
            found_nothing=_found_nothing(documents, result),
        ), result.evaluation.reasons
    graded = grade_ranking(documents, case.judgments)
    before = (
        result.score
        if is_same
        else defined(score(result.metric, graded, case.settings))
    )
    scores = (
        gate_scores(result, case.terms.gates, graded, expects_known=expects_known)
        if case.judgments and case.terms.gates
        else {}
    )
    found, reasons = comparison_of(result, entry, graded, before, scores, case.expect)
    if expects_known and need_missed(case.terms.gates):
        accepted = AcceptedOutcomes(result, entry, graded, before, case.expect)
        found = replace(found, missed=accepted.misses_any())
    if case.filled:
        graded = grade_ranking(documents, case.grades_of_people)
        people = gate_scores(
            result, case.terms.gates, graded, expects_known=expects_known
        )
        people[result.metric.text] = defined(
            score(result.metric, graded, case.settings)
        )
        found = replace(found, people_scores=people)
    return found, reasons


def comparison_of(
    result: CaseResult,
    entry: BaselineEntry,
    graded: GradedRanking,
    before: float | None,
    scores: Mapping[str, float | None],
    expect: Sequence[Expectation] = (),
) -> tuple[BaselineComparison, Sequence[Outcome]]:
    """The comparison of a result with an accepted ranking, which is `graded` and has
    the nDCG@k `before`.

    `scores` are the further scores of the accepted ranking that gates compare. Without
    `expect`, the expectations of the case, nothing is known of its values of a
    project's own metrics. Also returns the reasons of the result, which say what the
    accepted ranking meets.
    """
    reasons, standing = result.evaluation.reasons, case_parts.WITHIN
    change = 0.0 if before is None or result.score is None else result.score - before
    if abs(change) > result.conditions.tolerance + _ROUNDING:
        standing = case_parts.IMPROVEMENT if change > 0 else REGRESSION
    newly_failing = failed_before = False
    if result.verdict == FAILED:
        accepted = AcceptedOutcomes(result, entry, graded, before, expect)
        reasons, are_known = _compared_reasons(accepted)
        newly_failing = any(reason.is_new for reason in reasons)
        failed_before = are_known and standing != REGRESSION
    accepted_ranking = entry.ranking(result.conditions.settings)
    found = BaselineComparison(
        standing=standing,
        score=before,
        scores=scores,
        documents=accepted_ranking,
        grades=tuple(graded.grades),
        then=entry.scores,
        newly_failing=newly_failing,
        failed_before=failed_before,
        latency=entry.call.latency_like(result.call),
        found_nothing=_found_nothing(accepted_ranking, result),
    )
    return found, tuple(reasons)


def _found_nothing(accepted: Sequence[str], result: CaseResult) -> bool:
    """Whether an accepted ranking is empty although its case should find something."""
    return not accepted and outcomes.expects_results(result.evaluation.outcomes)


def _compared_reasons(
    accepted: AcceptedOutcomes,
) -> tuple[list[Outcome], bool]:
    """The reasons of a result with the figures of the accepted ranking; reasons that
    this ranking meets come first.

    Also returns whether all of them are known: missed by the accepted ranking at least
    as badly (`missed_before`). An empty ranking, accepted or present, is not known
    where results are expected: to return nothing is worse than to return anything.
    """
    result, entry = accepted.result, accepted.entry
    are_alike = bool(entry.documents) == bool(result.ranking.documents)
    are_known = are_alike or not outcomes.expects_results(result.evaluation.outcomes)
    reasons = []
    for reason in result.evaluation.reasons:
        then = accepted.of(reason)
        if then is None:
            are_known = False
            reasons.append(reason)
            continue
        both = TwoOutcomes(
            then,
            reason,
            rank_then=partial(entry.rank_of, settings=result.conditions.settings),
            rank_now=partial(_rank_now, result),
            tolerance=result.conditions.tolerance,
        )
        are_known = are_known and was_missed_as_badly(both)
        reasons.append(
            replace(
                reason,
                before=then.value,
                is_new=then.met,
                is_worse=is_known_as_worse(both),
            )
        )
    return sorted(reasons, key=lambda reason: not reason.is_new), are_known


def _rank_now(result: CaseResult, document: str) -> float:
    """The rank (from 1) of a document in the present ranking, or `NOT_RETURNED`."""
    rank = result.ranking.rank_of(document)
    return NOT_RETURNED if rank is None else rank


def gate_scores(
    result: CaseResult,
    gates: Iterable[Gate],
    graded: GradedRanking,
    *,
    expects_known: bool,
) -> dict[str, float | None]:
    """Score an accepted ranking by the metrics that gates compare, other than nDCG@k.

    A metric without a score in the result, because its ranking is cut, is left out here
    too, and so is a project's own whose function is not known.
    """
    scores = {}
    for gate in gates:
        is_about = gate.tag is None or gate.tag in result.tags
        if not is_about or not compares_scores(gate, expects_known=expects_known):
            continue
        for metric in gate.metrics:
            has_score = metric.text in result.evaluation.scores
            is_known = metric == result.metric or metric.is_similarity
            if has_score and metric.is_computable and not is_known:
                value = score(metric, graded, result.conditions.settings)
                scores[metric.text] = defined(value)
    return scores


def _regression(
    result: CaseResult,
    case: Case,
    found: BaselineComparison,
    reasons: Sequence[Outcome],
) -> tuple[str, Sequence[Outcome]]:
    """The verdict of a regression, and its reasons: failed; inconclusive where judging
    more results could make up.
    """
    drop = Outcome(
        result.metric.text,
        case_parts.DROP,
        False,
        result.score,
        "<=",
        result.conditions.tolerance,
        before=found.score,
    )
    makes_up = could_make_up(result, case, found.score)
    too_few = too_few_judged(case, result.evaluation.judged, result.evaluation.top)
    if result.verdict != FAILED and makes_up and too_few:
        return INCONCLUSIVE, (*too_few, drop, *_without_too_few(reasons))
    return FAILED, tuple(sorted((drop, *reasons), key=lambda reason: not reason.is_new))


def _regression_of_people(
    result: CaseResult, case: Case, drop: Outcome, reasons: Sequence[Outcome]
) -> tuple[str, Sequence[Outcome]]:
    """The verdict of a drop that only grades of people see: what it were without grades
    that fill.
    """
    alone = replace(case, judgments=case.grades_of_people, filled={}, expect=())
    people = score_case(alone, Ranking(result.ranking.documents), details=False)
    too_few = too_few_judged(case, people.evaluation.judged, people.evaluation.top)
    is_open = could_make_up(people, case, drop.before)
    if result.verdict != FAILED and is_open and too_few:
        of_people = [replace(reason, by_people=True) for reason in too_few]
        return INCONCLUSIVE, (*of_people, drop, *_without_too_few(reasons))
    return FAILED, (drop, *reasons)


def could_make_up(result: CaseResult, case: Case, before: float | None) -> bool:
    """Whether judging the unjudged results could make up for a drop below a score."""
    upper = result.interval[1]
    if before is None or upper is None or not is_bounded(case):
        return True
    return upper >= before - result.conditions.tolerance


def _without_too_few(reasons: Sequence[Outcome]) -> list[Outcome]:
    return [reason for reason in reasons if reason.kind != case_parts.TOO_FEW_JUDGED]


def changes_since(
    entry: BaselineEntry,
    query: str,
    depth: int | None,
    params: Mapping[str, object],
    *,
    was_cut: bool,
) -> tuple[str, ...]:
    """What changed in a case since its ranking was accepted, one clause for each
    change; usually empty.

    `params` are the parameters of the case with secrets masked, as in the entry.
    `was_cut`: the case needs more of the accepted ranking than was kept.
    """
    changes = []
    if entry.query != query:
        changes.append(
            f"the query was {quoted(entry.query, 40)} and is {quoted(query, 40)}"
        )
    if (entry.params or params) and _as_text(entry.params) != _as_text(params):
        changes += _changed_params(entry.params, json.loads(as_json(params)))
    if entry.depth != depth:
        changes.append(f"the depth was {entry.depth} and is {depth}")
    if was_cut:
        changes.append(
            f"all of the ranking counts now, and the first {entry.depth} were kept"
        )
    return tuple(changes)


def _changed_params(
    before: Mapping[str, object], now: Mapping[str, object]
) -> list[str]:
    changes = []
    for name in dict.fromkeys([*before, *now]):
        was, found = (
            _as_text(values[name]) if name in values else None
            for values in (before, now)
        )
        if was != found:
            both = [quoted(text, 40)[1:-1] for text in (was, found) if text]
            change = (
                f"was {both[0]} and is {both[1]}"
                if was and found
                else "is gone"
                if was
                else "is new"
            )
            changes.append(f"the parameter {quoted(name, 40)} {change}")
    return changes


def _as_text(value: object) -> str:
    """A parameter as JSON, for comparison: in Python 1 equals true."""
    return as_json(with_sorted_keys(value))
