"""The comparison of a case with the ranking accepted in its baseline, and what an update would accept.

The accepted ranking is scored again, under the judgments and settings of today, so that a new judgment or another gain
is never taken for a regression. `baseline_io` reads and writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pytest_relevance._text import listed, printable, quoted
from pytest_relevance.cases.conditions import MAX_DROP
from pytest_relevance.cases.model import Case, Expectation
from pytest_relevance.metrics.graded import GradedRanking, grade_ranking
from pytest_relevance.metrics.scalar import score
from pytest_relevance.results.baseline.file import BaselineEntry, EntryKey, with_sorted_keys
from pytest_relevance.results.case_result import (
    FAILED,
    IMPROVEMENT,
    INCONCLUSIVE,
    MEASURED,
    NEW,
    PASSED,
    REGRESSION,
    STALE,
    WITHIN,
    WITHOUT_SCORE,
    BaselineComparison,
    CaseResult,
)
from pytest_relevance.results.expectations import Found, check, digits_apart
from pytest_relevance.results.fingerprint import Fingerprint, changed
from pytest_relevance.results.record import as_json
from pytest_relevance.results.scoring import defined, is_bounded, looks_at_all, scores_all, too_few_judged

_DECIMALS = 6  # of recorded scores: the last digits differ between machines, and nobody looks at them in a diff
_ROUNDING = 1e-9  # a drop of exactly the tolerance is within it, however it was computed


def entry_of(result: CaseResult) -> BaselineEntry:
    """The entry that accepts the ranking of a result, which has its details (`scoring.add_details`)."""
    depth = result.k if result.depth is None else result.depth
    scores = {result.metric.text: result.score}
    scores |= {each.name: each.value for each in result.outcomes if each.kind == "metric" and each.value is not None}
    return BaselineEntry(
        result.id,
        result.variant,
        result.query,
        json.loads(as_json(result.params)),
        depth,
        tuple(result.documents if result.whole else result.documents[:depth]),
        {name: None if value is None else round(value, _DECIMALS) for name, value in scores.items()},
        whole=result.whole,
        cut=result.whole and result.is_cut,
    )


class Baseline:
    """The baseline of a case file: its entries, and their comparison with the cases that were collected.

    `record` is the name of the record that the entries come from, empty for a committed baseline. `fingerprint` says
    what was searched when its entries were accepted; empty: not known.
    """

    def __init__(
        self,
        entries: Mapping[EntryKey, BaselineEntry],
        fingerprint: Fingerprint | None = None,
        *,
        record: str = "",
    ) -> None:
        self._entries = entries
        self.fingerprint = fingerprint or {}
        self.record = record
        self._titles: Mapping[str, str] = getattr(entries, "titles", {})
        self._moved: dict[str, tuple[BaselineEntry, Sequence[str]]] = {}

    def collected(self, keys: Iterable[EntryKey]) -> list[str]:
        """Register all cases and variants of the file; return the names of the entries that belong to none.

        A case whose entries are all of variants that it does not have is stale: the parameters of its search were
        renamed, say. Its entries are not among those returned.
        """
        present = dict.fromkeys(keys)
        left = [key for key in self._entries if key not in present]
        if not left:
            return []
        before, now = _variants_by_case(left), _variants_by_case(present)
        kept = {case for case, _ in self._entries.keys() & present.keys()}
        for case, variants in before.items():
            if case in now and case not in kept:
                change = f"the search had {_variants_text(variants)}, and has {_variants_text(now[case])}"
                self._moved[case] = self._entries[case, variants[0]], (change,)
        return [shown_key(key) for key in left if key[0] not in self._moved]

    def compare(
        self,
        result: CaseResult,
        case: Case,
        *,
        accepting: bool = False,
        details: bool = True,
        fingerprint: Fingerprint | None = None,
    ) -> bool:
        """Compare a result with its entry, as `compare_with_baseline` does; `fingerprint` is that of this run."""
        entry: BaselineEntry | None = self._entries.get((result.id, result.variant))
        stale: Sequence[str] = ()
        if entry is None:
            entry, stale = self._moved.get(result.id, (None, ()))
        fails = compare_with_baseline(
            result, case, entry, stale=stale, accepting=accepting, details=details, record=self.record
        )
        if fingerprint and entry is not None and (details or result.verdict not in (PASSED, MEASURED)):
            assert result.baseline is not None
            result.baseline = replace(result.baseline, searched=changed(self.fingerprint, fingerprint))
        return fails

    def add_titles(self, result: CaseResult) -> None:
        """Add the titles that the baseline has of documents without a title in the result."""
        if self._titles:
            result.add_titles(self._titles, replace=False)


def shown_key(key: EntryKey) -> str:
    """An entry as reports name it: `"smart watch"[bm25]`."""
    case, variant = key
    return quoted(case, 40) + (f"[{printable(variant)}]" if variant is not None else "")


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


def compare_with_baseline(
    result: CaseResult,
    case: Case,
    entry: BaselineEntry | None,
    *,
    stale: Sequence[str] = (),
    accepting: bool = False,
    details: bool = True,
    record: str = "",
) -> bool:
    """Compare a result with its entry (None: it is new), and change the verdict where the baseline demands it.

    Sets `result.baseline`; what counts as a drop is `result.tolerance`. A regression fails the case whatever its floor
    says, and so does a stale entry; `stale` are reasons beyond those that the entry itself gives. Where too few results
    are judged, and the unjudged ones could make up for the drop, the case is inconclusive. `accepting`: the present
    rankings are being accepted, and the verdict stays. Without `details` the accepted ranking itself is set only where
    the case does not pass. `record` names the record that the entry comes from, if any. Returns whether the baseline
    gave the verdict or one of its reasons.

    Call it before `scoring.add_details`, which also looks up titles and ranks of the accepted documents.
    """
    if entry is None:
        result.baseline = BaselineComparison(NEW)
        return False
    reasons = (*stale, *stale_reasons(entry, case, result.params, is_cut=result.is_cut))
    if reasons:
        result.baseline = BaselineComparison(STALE, stale=reasons)
        if not accepting:
            _set_verdict(result, FAILED, _stale_text(reasons, record), *result.reasons)
        return not accepting
    depth = None if looks_at_all(case) else case.depth
    is_same = entry.ranking[:depth] == tuple(result.documents[:depth])  # as far as the case looks
    graded = None if is_same else grade_ranking(entry.ranking, case.judgments)
    before = result.score if graded is None else defined(score(result.metric, graded, case.settings))
    standing = standing_of(result, before)
    counts = standing == REGRESSION and not accepting
    met: list[bool | None] = []
    if result.verdict == FAILED:
        met = met_then(result, case.expect, entry, graded or grade_ranking(entry.ranking, case.judgments), before)
    newly_failing, failed_before = True in met, False in met and True not in met
    if counts:
        failed_before = failed_before and case.xfail is None  # what is expected to fail is not why the case fails
        assert before is not None
        _fail(result, case, before)
    scores = _gate_scores(result, case, graded) if case.terms.gates else {}
    if details or result.verdict not in (PASSED, MEASURED):
        grades = (graded or grade_ranking(entry.ranking, case.judgments)).grades
        result.baseline = BaselineComparison(
            *(standing, before, (), scores, entry.ranking, tuple(grades), entry.scores),
            newly_failing=newly_failing,
            failed_before=failed_before,
        )
    else:
        result.baseline = BaselineComparison(standing, before, scores=scores)
    return counts


def standing_of(result: CaseResult, before: float | None) -> str:
    """How a score compares with that of the accepted ranking: an improvement, a regression, or within the tolerance."""
    change = 0.0 if before is None or result.score is None else result.score - before
    if abs(change) <= result.tolerance + _ROUNDING:
        return WITHIN
    return IMPROVEMENT if change > 0 else REGRESSION


def _stale_text(reasons: Sequence[str], record: str) -> str:
    """Why a case whose entry is stale fails, and what to do."""
    if record:
        return f"the entry in {record} is stale: {listed(reasons, 'and')}; make that record again"
    return f"the baseline is stale: {listed(reasons, 'and')}; --relevance-update accepts the present ranking"


def met_then(
    result: CaseResult,
    expectations: Iterable[Expectation],
    entry: BaselineEntry,
    accepted: GradedRanking,
    before: float | None,
) -> list[bool | None]:
    """Whether the accepted ranking meets the floor and each expectation that the present one does not meet.

    None where that is not known. `before` is nDCG@k of the accepted ranking. A latency is that of a call, and left out.
    """
    met: list[bool | None] = []
    floor, score = result.floor, result.score
    if floor is not None and not (score is not None and score >= floor):
        met.append(before is not None and before >= floor)
    outcomes = zip(expectations, result.outcomes, strict=True)
    unmet = [expected for expected, outcome in outcomes if not outcome.met and expected.kind != "latency"]
    if not unmet:
        return met
    ranks: dict[str, int] = {}
    for rank, document in enumerate(entry.ranking, 1):
        ranks.setdefault(document, rank)
    found = Found(result.k, result.settings, accepted, entry.ranking, ranks, None, is_cut=entry.cut)
    may_go_on = not entry.whole and len(entry.ranking) >= entry.depth
    return met + [
        None if expected.kind == "results" and may_go_on else check(expected, found).met for expected in unmet
    ]


def _gate_scores(result: CaseResult, case: Case, graded: GradedRanking | None) -> dict[str, float | None]:
    """The scores of the accepted ranking that `max_drop` gates of the suite compare, other than nDCG@k.

    `graded` is None where they are those of the present ranking. A metric of which the present ranking has no score, as
    it is cut, has none here.
    """
    scores: dict[str, float | None] = {}
    for gate in case.terms.gates if case.judgments else ():  # without judgments no metric is defined
        for metric in gate.metrics if gate.condition == MAX_DROP and gate.tag in (None, *case.tags) else ():
            name = metric.text
            if name == result.metric.text or name not in result.scores:
                continue
            scores[name] = result.scores[name] if graded is None else defined(score(metric, graded, case.settings))
    return scores


def _fail(result: CaseResult, case: Case, before: float) -> None:
    """Give a case the verdict of a regression: failed, or inconclusive where judging more results could make up."""
    drop = _drop_text(result, before)
    upper = result.interval[1]
    makes_up = not is_bounded(case) or upper is None or upper >= before - result.tolerance
    too_few = too_few_judged(case, result.judged, result.top)
    if result.verdict != FAILED and makes_up and too_few:
        others = [reason for reason in result.reasons if reason != too_few]
        _set_verdict(result, INCONCLUSIVE, too_few, drop, *others)
    else:
        _set_verdict(result, FAILED, drop, *result.reasons)


def _set_verdict(result: CaseResult, verdict: str, *reasons: str) -> None:
    result.verdict = result.outcome = verdict
    result.reasons = reasons


def _drop_text(result: CaseResult, before: float) -> str:
    """`nDCG@10 0.312 is 0.452 below the baseline 0.764, more than the tolerance 0.050`."""
    score, tolerance = result.score, result.tolerance
    assert score is not None
    digits = max(digits_apart(before - score, tolerance), digits_apart(score, before))
    now, drop, then, most = (f"{value:.{digits}f}" for value in (score, before - score, before, tolerance))
    return f"{result.metric.text} {now} is {drop} below the baseline {then}, more than the tolerance {most}"


def stale_reasons(
    entry: BaselineEntry, case: Case, params: Mapping[str, object], *, is_cut: bool = False
) -> tuple[str, ...]:
    """What changed in a case since its ranking was accepted, one clause for each change; usually empty.

    `params` are those of the case with secrets masked, as in the entry. `is_cut`: the present ranking is cut, so that
    the case has no score of the whole of it anyway.
    """
    was_cut = len(entry.ranking) >= entry.depth and (
        (entry.cut and not is_cut and scores_all(case)) or (not entry.whole and looks_at_all(case))
    )
    return changes_since(entry, case, params, was_cut=was_cut)


def changes_since(
    entry: BaselineEntry, case: Case | CaseResult, params: Mapping[str, object], *, was_cut: bool
) -> tuple[str, ...]:
    """The clauses of `stale_reasons`. `was_cut`: the case needs more of the accepted ranking than was kept."""
    changes = []
    if entry.query != case.query:
        changes.append(f"the query was {quoted(entry.query, 40)} and is {quoted(case.query, 40)}")
    if (entry.params or params) and _as_text(entry.params) != _as_text(params):
        changes += _changed_params(entry.params, json.loads(as_json(params)))
    if entry.depth != case.depth:
        changes.append(f"the depth was {entry.depth} and is {case.depth}")
    if was_cut:
        changes.append(f"all of the ranking counts now, and the first {entry.depth} were kept")
    return tuple(changes)


def _changed_params(before: Mapping[str, object], now: Mapping[str, object]) -> list[str]:
    changes = []
    for name in dict.fromkeys([*before, *now]):
        was, found = (_as_text(values[name]) if name in values else None for values in (before, now))
        if was != found:
            change = f"was {_short(was)} and is {_short(found)}" if was and found else "is gone" if was else "is new"
            changes.append(f"the parameter {quoted(name, 40)} {change}")
    return changes


def _short(text: str) -> str:
    return quoted(text, 40)[1:-1]


def _as_text(value: object) -> str:
    """A parameter as JSON, by which two are compared: 1 equals true, and is not the same."""
    return as_json([with_sorted_keys(value)])[1:-1]


def acceptable(results: Iterable[CaseResult], *, only_new: bool = False) -> tuple[list[BaselineEntry], list[str]]:
    """What an update may accept of the results of a case file, and the names of the cases whose ranking is unstable.

    Every case that was scored is accepted, whatever its verdict. Not accepted are: a case that ended in an error in one
    of its repeats, a ranking that differs between repeats or calls, and with `only_new` a case with a stale entry,
    which is none without an entry. The results have their details; checks of tests in Python do not count.
    """
    by_key: dict[EntryKey, list[CaseResult]] = {}
    for result in results:
        if not result.is_check:
            by_key.setdefault((result.id, result.variant), []).append(result)
    entries, unstable = [], []
    for key, repeats in by_key.items():
        scored = [result for result in repeats if result.scores]
        accepted = [entry_of(result) for result in scored]
        is_stale = only_new and any(each.baseline is not None and each.baseline.standing == STALE for each in scored)
        is_unstable = any(each.repeats is not None and each.repeats.rankings > 1 for each in scored)
        if is_unstable or len({entry.ranking for entry in accepted}) > 1:
            unstable.append(shown_key(key))
        elif accepted and not is_stale and all(result.verdict not in WITHOUT_SCORE for result in repeats):
            entries.append(accepted[0])
    return entries, sorted(unstable)
