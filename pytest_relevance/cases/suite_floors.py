"""The floors that a suite sets for its cases, and the cases that they cannot hold.

A floor is `min_ndcg`, or a metric under `expect`. It cannot hold a case whose score is
not defined: no judged document is relevant, or nothing is judged. Reports name such
cases. A floor that holds no case at all is a mistake: the wrong column of grades, for
example.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pytest_relevance._text import counted, examples
from pytest_relevance.cases.location import Location
from pytest_relevance.cases.model import Case, Terms, most_results


@dataclass(slots=True)
class SuiteFloor:
    """A floor of the suite: how many cases it holds, and the queries that it cannot
    hold.

    `path` is where the floor stands in the case file, and `what` is its name in
    messages. `not_told` are the queries that no other sentence of a report names.
    """

    path: tuple[str, ...]
    what: str
    held: int = 0
    not_held: list[str] = field(default_factory=list)
    not_told: list[str] = field(default_factory=list)

    def leave(self, case: Case, *, is_told: bool) -> None:
        """Take note of a case that the floor cannot hold."""
        self.not_held.append(case.query)
        if not is_told:
            self.not_told.append(case.query)


class SuiteFloors:
    """Counts for each floor of a suite which cases it holds."""

    def __init__(self, terms: Terms) -> None:
        self._of_ndcg: SuiteFloor | None = None
        if terms.min_ndcg is not None:
            self._of_ndcg = SuiteFloor(("min_ndcg",), f"min_ndcg {terms.min_ndcg:g}")
        self._of_metrics: dict[str, SuiteFloor] = {}
        for expected in terms.expect:
            if expected.needs_judgments and expected.metric is not None:
                path = ("expect", expected.written)
                floor = SuiteFloor(path, expected.written)
                self._of_metrics[expected.metric.text] = floor

    def count(self, case: Case, own: Mapping[str, object]) -> None:
        """Count a case. `own` are the keys that it sets itself."""
        # Reports already name a listed query without judgments.
        is_told = case.source is not None and not case.judgments
        if most_results(case.expect) == 0:  # it expects nothing, and has no score
            return
        if self._of_ndcg is not None and "min_ndcg" not in own:
            if case.min_ndcg is not None:
                self._of_ndcg.held += 1
            else:
                self._of_ndcg.leave(case, is_told=is_told)
        if not self._of_metrics:
            return
        for expected in case.expect:
            is_floor = expected.inherited and expected.needs_judgments
            if is_floor and expected.metric is not None:
                self._of_metrics[expected.metric.text].held += 1
        for metric in case.not_applicable:
            self._of_metrics[metric.text].leave(case, is_told=is_told)

    def check(self, at: Location) -> None:
        """Report each floor that holds no case, unless reports name all these cases."""
        for floor in self._all():
            if floor.not_told and not floor.held:
                at.refuse(
                    "it applies to no case, as no judged document is relevant "
                    f"({examples(floor.not_told)}); judge relevant documents, check "
                    "grade_column, gain and rel, or take it out",
                    *floor.path,
                )

    def sentences(self) -> Iterator[str]:
        """Say for each floor which cases it cannot hold."""
        for floor in self._all():
            if floor.not_told:
                total = counted(floor.held + len(floor.not_held), "case")
                does = f"{floor.what} of the suite does not hold {len(floor.not_told):,} of {total}"
                names = examples(floor.not_told)
                yield f"{does}, for lack of a relevant judgment: {names}"

    def _all(self) -> list[SuiteFloor]:
        of_metrics = [*self._of_metrics.values()]
        if self._of_ndcg is None:
            return of_metrics
        return [self._of_ndcg, *of_metrics]
