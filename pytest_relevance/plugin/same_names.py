"""Refuse what would have one node id: two items of a case, two variants, or two files.

A result is kept under the node id of its item, and compared under its variant. Two
items with one name would be one result: the second would take the place of the first.

pytest joins the ids of parameters by "-". So `a` and `b-c` have the same name as `a-b`
and `c`.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pytest_relevance._text import printable, quoted
from pytest_relevance.plugin.pytest_internals import parameters_of
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.results.records.run_info import FileInfo

_REMEDY = "give a parameter another id: @pytest.fixture(params=[...], ids=[...])"


def why_same_names(runs: Iterable[CaseRun]) -> str:
    """Return why the items of a file cannot be told apart; empty if they can."""
    by_name: dict[str, CaseRun] = {}
    by_variant: dict[tuple[str, str | None], CaseRun] = {}
    for run in runs:
        other = by_name.setdefault(run.item.name, run)
        if other is not run:
            return _sentence("items", run.item.name, other, run)
        first = by_variant.setdefault((run.case.id, run.variant), run)
        if first.variant_parameters != run.variant_parameters:
            return _sentence("variants", str(run.variant), first, run)
    return ""


def why_same_node(file: pytest.Collector, others: Iterable[FileInfo]) -> str:
    """Return why a file cannot be told apart from one that was collected before; empty
    if it can.

    pytest names a file outside of its root folder by the argument that it was found in.
    """
    for other in others:
        if other.node == file.nodeid and other.path != str(file.path):
            return (
                f"{printable(str(file.path))} and {printable(other.path)} have the same "
                f"node id, {quoted(file.nodeid)}: run pytest with a --rootdir that holds both"
            )
    return ""


def _sentence(kind: str, name: str, first: CaseRun, second: CaseRun) -> str:
    return (
        f"two {kind} of case {quoted(first.case.id)} have the name {quoted(name)}: "
        f"{_parameters(first)} and {_parameters(second)}; {_REMEDY}"
    )


def _parameters(run: CaseRun) -> str:
    """Return the parameters of an item: `ranker=a, index=b-c`."""
    found = parameters_of(run.item)
    if found is None:
        return "no parameters"
    names = tuple(found.indices)
    if len(names) != len(found.ids):  # several parameters have one id
        return printable(", ".join(found.ids))
    pairs = zip(names, found.ids, strict=True)
    return printable(", ".join(f"{name}={its_id}" for name, its_id in pairs))
