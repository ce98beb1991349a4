"""Say whether a record or a baseline can be a reference for later runs.

A reference is refused if the run did not finish, if it was a replay, or if one of its
searches returned nothing in more than half of the cases that should find something: the
engine was down, or its index was empty.

A record should not be kept as the reference of the main branch if cases have no ranking
in it: later runs would have nothing to compare these cases with. `pytest-relevance
check` says so. Cases that a mark skips, or that the command line leaves out, do not
count.

The record of `--relevance-against` is checked when it is read, and a baseline when its
case file is collected and when it is updated.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted, examples, listed, with_variant
from pytest_relevance.results.case_result import (
    ERROR,
    NOT_SEARCHED,
    SKIPPED,
    CaseResult,
    of_case_files,
)
from pytest_relevance.results.outcomes import expects_results
from pytest_relevance.results.records.record_file import read_record
from pytest_relevance.results.records.run_info import RunInfo
from pytest_relevance.results.records.uncompared import WHY_LOST


@dataclass(slots=True)
class SilentSearch:
    """A search that returned nothing in `empty` of `total` cases.

    `name`: its name and variant.
    """

    name: str
    empty: int = 0
    total: int = 0

    @property
    def in_words(self) -> str:
        """Return, for example, `search returned nothing in 20 of 30 cases`."""
        if self.empty == self.total:
            return f"{self.name} returned nothing in any case"
        cases = counted(self.total, "case")
        return f"{self.name} returned nothing in {self.empty:,} of {cases}"


def silent_searches(found: Iterable[tuple[str, bool]]) -> list[SilentSearch]:
    """Return the searches that returned nothing in more than half of their cases.

    `found`: for each case that should find something, its search, and whether the case
        found something.
    """
    searches: dict[str, SilentSearch] = {}
    for name, has_results in found:
        search = searches.setdefault(name, SilentSearch(name))
        search.total += 1
        if not has_results:
            search.empty += 1
    return [search for search in searches.values() if search.empty > search.total / 2]


def silent_searches_of(results: Iterable[CaseResult]) -> list[SilentSearch]:
    """Return the searches of a run that found nothing in most of their cases."""
    found = []
    for result in results:
        should_find = expects_results(result.evaluation.outcomes)
        if result.evaluation.scores and not result.is_check and should_find:
            name = with_variant(result.search, result.variant)
            found.append((name, bool(result.ranking.documents)))
    return silent_searches(found)


def refusal(reference: str, searches: Sequence[SilentSearch]) -> str:
    """Return why a reference is refused, and what to do."""
    what = listed([search.in_words for search in searches], "and")
    return (
        f"in {reference} {what}. Such rankings cannot be a reference: accept those of a "
        "search that works. If nothing should be found, write results: 0"
    )


def refusal_of_run(info: RunInfo) -> str:
    """Return why the run of a record is no reference; empty if it may be one.

    A run that did not finish lacks rankings. A replay has those of another record.
    """
    if info.replayed is not None:
        why = f"no search was called: these are the rankings of {info.replayed.name}"
        return f"{why}; compare with that record"
    if not info.why_incomplete:
        return ""
    why = f"the run is not complete, {info.why_incomplete}"
    return f"{why}; compare with a record of a run that is"


def why_not_fit(path: str | os.PathLike[str], shown: str) -> list[str]:
    """Return why a record should not be kept as a reference; empty if it can be.

    Messages call the record `shown`. Raises `RecordError` for a damaged record.
    """
    record = read_record(path, shown)
    searched = of_case_files(record.results)
    problems = [refusal_of_run(record.info)]
    if not any(result.evaluation.scores for result in searched):
        problems.append("no case has a score")
    if silent := silent_searches_of(searched):
        problems.append(refusal("the record", silent))
    problems += _without_ranking(searched)
    return [f"{shown}: {problem}" for problem in problems if problem]


_WITHOUT_RANKING = {
    ERROR: WHY_LOST[ERROR],
    NOT_SEARCHED: WHY_LOST[NOT_SEARCHED],
    SKIPPED: ("was skipped by its fixtures", "were skipped by their fixtures"),
}
"""The verdicts of cases without a ranking, in words for one case and for several."""


def _without_ranking(results: Sequence[CaseResult]) -> Iterator[str]:
    """Yield a message for each verdict that left cases without a ranking."""
    for verdict, (one, several) in _WITHOUT_RANKING.items():
        found = [
            result
            for result in results
            if result.verdict == verdict and not result.call.is_marked_skip
        ]
        if found:
            cases = counted(len(found), f"case {one}", f"cases {several}")
            names = examples([*dict.fromkeys(result.id for result in found)])
            yield (
                f"{cases} ({names}), so later runs have nothing to compare with; "
                "make the record again, with a search that works"
            )
