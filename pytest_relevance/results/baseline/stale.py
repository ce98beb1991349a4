"""What changed in a case since its ranking was accepted, so that its entry in the baseline is stale."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pytest_relevance._text import quoted
from pytest_relevance.cases.model import Case
from pytest_relevance.results.baseline.file import BaselineEntry, with_sorted_keys
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.record import as_json
from pytest_relevance.results.scoring import looks_at_all, scores_all


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
