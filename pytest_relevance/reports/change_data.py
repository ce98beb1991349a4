"""What became of queries, and what gates found, in a run or a pair of runs, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_relevance.gates.common_findings import finding_text
from pytest_relevance.gates.kind import Finding, GateFigures
from pytest_relevance.results.became import NOT_COMPARED, became_of
from pytest_relevance.results.certainty import means_over_judged
from pytest_relevance.results.change_counts import certainty_of
from pytest_relevance.results.changes import Change
from pytest_relevance.results.compare.differences import MeanChange


def mean_data(
    change: MeanChange | None, changes: Sequence[Change]
) -> dict[str, Any] | None:
    """Return the change of the mean as JSON data; None if `change` is None.

    `change`: the change of the mean; None if no case has both scores.
    `changes`: the change of each case. The means over judged results alone, under
        `judged_alone`, are computed of these.
    """
    if change is None:
        return None
    judged = means_over_judged(changes)
    return {
        "queries": change.means.queries,
        "first": change.means.first,
        "second": change.means.second,
        "difference": change.means.difference,
        "low": change.low,
        "high": change.high,
        "p": change.p,
        "judged_alone": None if judged is None else [judged.before, judged.after],
    }


def became_data(change: Change) -> dict[str, Any]:
    """Return {"became": what became of a case, "is_certain": whether that is certain}.

    `became` is, for example, `got worse`; None if the case is not compared.
    `is_certain` is None if the case did not get worse, or is not compared by nDCG.
    """
    word = became_of(change)
    return {
        "became": None if word == NOT_COMPARED else word,
        "is_certain": certainty_of(change, word),
    }


def finding_data(finding: Finding) -> dict[str, Any]:
    """Return what a gate found: its sentence, and its figures if it has any."""
    data: dict[str, Any] = {
        "about": finding.about,
        "is_met": finding.is_met,
        "text": finding_text(finding),
    }
    figures = finding.figures
    if not isinstance(figures, GateFigures):  # a finding of another package
        return data
    data |= {
        "value": figures.value,
        "bound": figures.bound,
        "counted": figures.counted,
        "total": figures.total,
    }
    case = figures.case
    if case is not None:
        data["case"] = {"id": case.id, "variant": case.variant, "query": case.query}
    return data
