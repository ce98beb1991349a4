"""What changed in a case since its ranking was accepted. If anything did, its entry is
stale.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pytest_relevance._text import quoted
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import metric_named
from pytest_relevance.results import outcomes
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.records.case_today import CaseToday
from pytest_relevance.results.records.entries import BaselineEntry, with_sorted_keys
from pytest_relevance.results.records.json_lines import as_json


def changes_since(
    entry: BaselineEntry, result: CaseResult, case: CaseToday
) -> tuple[str, ...]:
    """Return a clause for each thing that changed since acceptance; usually none.

    The params of the result have secrets masked, as those of the entry.
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
            f"all of the ranking counts now, and the first {entry.depth} were kept"
        )
    if case.judgments is None:
        changes.append(
            "the record does not name the judgments of all documents that were returned then"
        )
    return tuple(changes)


def _changed_params(
    before: Mapping[str, object], now: Mapping[str, object]
) -> list[str]:
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
    """Return a parameter as JSON. In Python 1 equals true, and in JSON it does not."""
    return as_json(with_sorted_keys(value))


def _shortened(text: str) -> str:
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

    Its chunks were cut at a depth, and several may stand for one document.
    """
    settings = result.conditions.settings
    if not settings.collapse or entry.is_all or len(entry.documents) < entry.depth:
        return False
    deepest = result.conditions.k
    for outcome in result.evaluation.outcomes:
        kind = outcomes.kind_named(outcome.kind)
        deepest = max(deepest, kind.cutoff(outcomes.expectation_of(outcome)))
    metrics = [metric_named(name) for name in result.evaluation.scores]
    for metric in (*similarities, *metrics):
        deepest = max(deepest, metric.k or 0)
    return len(entry.ranking(settings)) < deepest
