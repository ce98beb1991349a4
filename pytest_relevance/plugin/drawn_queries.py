"""Queries that are drawn from a file, beside those that the reference has.

A query of the reference that is still in its file, and is not drawn now, *left* the
sample. It is neither gone nor lost. A query that is not in the file any more is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.codec import is_same_json
from pytest_relevance.plugin.redaction import masked_params, redaction
from pytest_relevance.results.records.run_info import DrawnQueries

if TYPE_CHECKING:
    from pytest_relevance.cases.model import Case, Sample, Suite
    from pytest_relevance.plugin.running.case_run import CaseRun
    from pytest_relevance.results.records.baseline import Baseline
    from pytest_relevance.results.records.entries import BaselineEntry, EntryKey


def compare_samples(
    config: pytest.Config,
    suite: Suite,
    baseline: Baseline,
    cases: Mapping[EntryKey, Case],
) -> None:
    """Take the entries of queries that are not drawn now out of a reference.

    If this run takes all queries, and the reference has only a sample, means are
    compared with the weights of the reference (`Baseline.keeps_weights`).

    `cases`: the cases of the file.
    """
    if suite.not_drawn:
        from pytest_relevance.results.records.moved_cases import asks_the_same

        params_of = masked_params(config)
        left: list[EntryKey] = []
        for key, entry in baseline.entries.items():
            case = cases.get(key)
            is_there = case is not None and asks_the_same(case, entry, params_of)
            if not is_there and _is_not_drawn(config, entry, suite):
                left.append(key)
        baseline.leave(left)
    takes_all = all(sample.is_whole for sample in suite.samples)
    before = _samples_before(baseline)
    baseline.keeps_weights = takes_all and any(not each.is_whole for each in before)


def _is_not_drawn(config: pytest.Config, entry: BaselineEntry, suite: Suite) -> bool:
    """Say whether an entry has the query and the params of a query that was not drawn.

    `suite`: has the queries of the files that samples are drawn from.
    """
    for params in suite.not_drawn.get(entry.query, ()):
        of_case = redaction(config).values({**suite.terms.params, **params})
        if is_same_json(of_case, entry.params):
            return True
    return False


def drawn_queries(
    suite: Suite, baseline: Baseline | None, runs: Iterable[CaseRun]
) -> DrawnQueries | None:
    """Return what is drawn now and in the reference; None if nothing is in either.

    If the reference has no case of the file at all, no query counts as new.
    """
    before = () if baseline is None else _samples_before(baseline)
    if not (suite.samples or before):
        return None
    if baseline is None:
        return DrawnQueries(samples=suite.samples, left_out=suite.drawn_left_out)
    entries = baseline.entries
    entered = set()
    if entries or entries.without_ranking or baseline.left:
        for case_run in runs:
            key = case_run.case.id, case_run.variant
            is_known = baseline.has_ranking(key) or key in entries.without_ranking
            if case_run.case.is_sampled and not is_known:
                entered.add(case_run.case.id)
    return DrawnQueries(
        samples=suite.samples,
        before=tuple(before),
        entered=len(entered),
        left=len({case for case, _ in baseline.left}),
        left_out=suite.drawn_left_out,
    )


def _samples_before(baseline: Baseline) -> Sequence[Sample]:
    """Return the samples that the reference notes; () if it notes none."""
    demands = baseline.entries.demands
    return () if demands is None else demands.samples
