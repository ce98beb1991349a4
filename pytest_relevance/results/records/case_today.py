"""Collect what a comparison needs to know of the present case, and how it changed.

`case_in_run` reads the case file, for a result that was just made. `case_in_record`
reads a record, which has less, for a result of an earlier run.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_relevance._text import quoted
from pytest_relevance.cases.expectation import Expectation, Passage
from pytest_relevance.cases.model import Case, Gate
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import metric_named
from pytest_relevance.metrics.ndcg import (
    GradedRanking,
    grade_passages,
    grade_ranking,
)
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.outcomes import (
    expectation_of,
    without_reference,
)
from pytest_relevance.results.passages import key_of_passage
from pytest_relevance.results.records.entries import BaselineEntry, with_sorted_keys
from pytest_relevance.results.records.entry_passages import held_then, why_not_known
from pytest_relevance.results.records.json_lines import as_json
from pytest_relevance.results.records.recorded_demands import RecordedDemands


@dataclass(frozen=True, slots=True)
class KnownJudgments:
    """The judgments of a case, as far as they are known.

    `grades`: {document: grade}. A record does not name all documents.
    `judged`: the grades of all judgments, in any order; of passages, in their order.
    `passages`: the keys of the passages; empty if documents are judged.
    `sought`: the passages themselves; empty if only their keys are known.
    """

    grades: Mapping[str, float]
    judged: Sequence[float]
    passages: Sequence[str] = ()
    sought: Sequence[Passage] = ()

    def grade(self, documents: Sequence[str]) -> GradedRanking:
        """Return a ranking with the grade of each document."""
        graded = grade_ranking(documents, self.grades)
        return GradedRanking(graded.grades, graded.repeated, self.judged)

    def grade_entry(self, entry: BaselineEntry, settings: Settings) -> GradedRanking:
        """Return an accepted ranking with the grades of its documents or passages.

        If there are passages, the entry has to know all of them.
        """
        if not self.passages:
            return self.grade(entry.ranking(settings))
        then = held_then(entry, self.passages, self.sought, settings)
        assert then is not None, "the entry is stale"
        return grade_passages(then.held, self.judged, then.lengths)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseToday:
    """The present case, with what a comparison with its accepted ranking needs.

    `judgments`: the judgments of the case; None if the grade of an accepted document is
    not known.
    `of_people`: the judgments of people alone; None if a machine gave no judgments, or
    if it is not known which ones a machine gave.
    `expect`: the expectations of the case.
    `min_judged`: the least share of judged results in the top k.
    `similarities`: the metrics that compare its ranking with the accepted one.
    `gates`: the gates of its file.
    `expects_known`: whether gates that failed before are expected to fail.
    `project_scores`: the scores of the accepted ranking by metrics of the project that
    gates or expectations look at, if only the project can compute them.
    `scores_all`, `looks_at_all`: as in `Case`.
    `changes`: clauses that say what changed in the case since the ranking was accepted.
    """

    judgments: KnownJudgments | None
    of_people: KnownJudgments | None = None
    expect: Sequence[Expectation] = ()
    min_judged: float = 0.0
    similarities: Sequence[Metric] = ()
    gates: Sequence[Gate] = ()
    expects_known: bool = False
    project_scores: Mapping[str, float | None] = field(default_factory=dict)
    scores_all: bool = False
    looks_at_all: bool = False
    changes: Sequence[str] = ()


def case_in_run(
    case: Case,
    *,
    expects_known: bool = False,
    accepting: bool = False,
    changes: Sequence[str] = (),
) -> CaseToday:
    """Return what a comparison needs to know of a case of this run.

    `accepting`: whether the present ranking is being accepted. Then it need not
    resemble the accepted one.
    """
    of_people = None
    if case.filled:
        grades = case.grades_of_people
        of_people = KnownJudgments(grades, [*grades.values()])
    return CaseToday(
        judgments=_judgments_in_run(case),
        of_people=of_people,
        expect=without_reference(case.expect) if accepting else case.expect,
        min_judged=case.min_judged,
        similarities=case.similarities,
        gates=case.terms.gates,
        expects_known=expects_known,
        scores_all=case.scores_all,
        looks_at_all=case.looks_at_all,
        changes=changes,
    )


def _judgments_in_run(case: Case) -> KnownJudgments:
    """Return the judgments of a case of this run."""
    if not case.passages:
        return KnownJudgments(case.judgments, [*case.judgments.values()])
    grades = [passage.grade for passage in case.passages]
    keys = tuple(map(key_of_passage, case.passages))
    return KnownJudgments({}, grades, keys, case.passages)


def case_in_record(
    result: CaseResult,
    entry: BaselineEntry,
    other: CaseResult | None,
    demands: RecordedDemands,
) -> CaseToday:
    """Return what a comparison needs to know of a case, from its recorded result.

    `other`: the result that `entry` was made of, if it comes from a record and has
    the same judgments.
    `demands`: what the case file demands.
    """
    expect, gates = demands.expect_of(result), demands.gates
    similarities = []
    for expected in expect:
        if expected.metric is not None and expected.metric.is_similarity:
            similarities.append(expected.metric)
    for gate in gates:
        similarities += gate.similarities
    judgments = of_people = None
    if result.evaluation.passages:
        judgments = _passages_in_record(result)
    else:
        grades = _known_grades(result, entry, other)
        if grades is not None:
            judgments = KnownJudgments(grades, result.graded.judged)
            of_people = _of_people(result, grades)
    return CaseToday(
        judgments=judgments,
        of_people=of_people,
        expect=expect,
        min_judged=demands.min_judged_of(result),
        similarities=similarities,
        gates=gates,
        expects_known=True,
        project_scores={} if other is None else _project_scores(other, expect, gates),
        looks_at_all=result.ranking.whole,
    )


def _passages_in_record(result: CaseResult) -> KnownJudgments:
    """Return the grades and the keys of the passages of a recorded result."""
    passages = result.evaluation.passages
    grades = [passage.grade for passage in passages]
    return KnownJudgments({}, grades, tuple(passage.key for passage in passages))


def _known_grades(
    result: CaseResult, entry: BaselineEntry, other: CaseResult | None
) -> dict[str, float] | None:
    """Return {document: grade} for the judged documents that a record names.

    None if the record names too few documents to score the entry. Then it does not name
    a document of the entry, and one of the judgments that it does not name has a gain.
    """
    if other is not None:
        return _named_grades(other)
    grades = _named_grades(result)
    if all(document in grades for document in entry.documents):
        return grades
    unnamed = Counter(result.evaluation.judgments) - Counter(grades.values())
    gains = result.conditions.settings.gains
    return None if any(gains[grade] for grade in unnamed) else grades


def _named_grades(result: CaseResult) -> dict[str, float]:
    """Return {document: grade}, for the judged documents that a result names."""
    pairs = [
        *zip(result.ranking.documents, result.ranking.grades, strict=True),
        *result.evaluation.missing,
    ]
    accepted = result.baseline
    if accepted is not None:
        pairs += zip(accepted.documents, accepted.grades, strict=False)
    return {document: grade for document, grade in pairs if grade is not None}


def _project_scores(
    other: CaseResult, expect: Iterable[Expectation], gates: Iterable[Gate]
) -> dict[str, float | None]:
    """Return {metric: score} for the project's own metrics that a test looks at."""
    metrics = [expected.metric for expected in expect if expected.metric is not None]
    for gate in gates:
        metrics += gate.metrics
    scores = {}
    for metric in metrics:
        if not metric.is_computable and metric.text in other.evaluation.scores:
            scores[metric.text] = other.evaluation.scores[metric.text]
    return scores


def _of_people(
    result: CaseResult, grades: Mapping[str, float]
) -> KnownJudgments | None:
    """Return the judgments of a result that people gave.

    None if there are no machine judgments, or if the grade of one of them is not known.
    """
    filled = result.evaluation.filled
    if not filled or not filled.keys() <= grades.keys():
        return None
    counts = Counter(result.evaluation.judgments)
    counts.subtract(grades[document] for document in filled)
    of_people = {}
    for document, grade in grades.items():
        if document not in filled:
            of_people[document] = grade
    return KnownJudgments(of_people, [*counts.elements()])


# --- what changed since the ranking was accepted --------------------------------------


def why_stale(
    entry: BaselineEntry, result: CaseResult, case: CaseToday
) -> tuple[str, ...]:
    """Return a clause for each change that makes the entry stale.

    Params are compared with secrets masked, as in the entry.
    """
    depth = result.conditions.depth
    changes = list(case.changes)
    if entry.query != result.query:
        now = quoted(result.query, 40)
        changes.append(f"the query was {quoted(entry.query, 40)} and is {now}")
    if entry.params or result.params:
        changes += _changed_params(entry.params, json.loads(as_json(result.params)))
    if entry.depth != depth:
        changes.append(f"the depth was {entry.depth} and is {depth}")
    if _lacks_ranks(entry, result, case):
        changes.append(
            f"the whole ranking counts now, and only the first {entry.depth} results "
            "were kept"
        )
    judgments = case.judgments
    if judgments is None:
        changes.append(
            "the record does not name the judgments of all documents that were returned then"
        )
    elif judgments.passages:
        settings = result.conditions.settings
        why = why_not_known(entry, judgments.passages, judgments.sought, settings)
        if why:
            changes.append(why)
    return tuple(changes)


def _changed_params(
    before: Mapping[str, object], now: Mapping[str, object]
) -> list[str]:
    """Return a clause for each parameter that is new, gone, or has another value."""
    changes = []
    for name in dict.fromkeys([*before, *now]):
        old = _json_of(before[name]) if name in before else None
        new = _json_of(now[name]) if name in now else None
        if old == new:
            continue
        if old is None:
            change = "is new"
        elif new is None:
            change = "is gone"
        else:
            change = f"was {_shortened(old)} and is {_shortened(new)}"
        changes.append(f"the parameter {quoted(name, 40)} {change}")
    return changes


def _json_of(value: object) -> str:
    """Return a parameter as JSON, in which 1 and true differ, unlike in Python."""
    return as_json(with_sorted_keys(value))


def _shortened(text: str) -> str:
    """Return a text of at most 40 columns that is safe to print."""
    return quoted(text, 40)[1:-1]


def _lacks_ranks(entry: BaselineEntry, result: CaseResult, case: CaseToday) -> bool:
    """Say whether the case looks at more ranks than the entry has."""
    if len(entry.documents) >= entry.depth:
        # a score of the whole ranking needs all of the accepted one, unless the present
        # ranking is cut: then it has no such score either
        needs_rest = case.scores_all and not result.is_cut
        if entry.reaches_depth and needs_rest:
            return True
        if not entry.whole and case.looks_at_all:
            return True
    return _lacks_documents(entry, result, case.similarities)


def _lacks_documents(
    entry: BaselineEntry, result: CaseResult, similarities: Sequence[Metric]
) -> bool:
    """Say whether a collapsed entry has fewer documents than the case looks at.

    The chunks of such an entry were cut, and several may be of one document.
    """
    settings = result.conditions.settings
    if not settings.collapse or entry.is_all or len(entry.documents) < entry.depth:
        return False
    deepest = result.conditions.k
    for outcome in result.evaluation.outcomes:
        with EXPECTATIONS.calling(outcome.kind):
            kind = EXPECTATIONS.get_or_unknown(outcome.kind)
            deepest = max(deepest, kind.cutoff(expectation_of(outcome)))
    metrics = [metric_named(name) for name in result.evaluation.scores]
    for metric in (*similarities, *metrics):
        deepest = max(deepest, metric.k or 0)
    return len(entry.ranking(settings)) < deepest
