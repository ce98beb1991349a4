"""What these tests share: a shop with six products, a query that is judged, and the
reports of its rankings.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from pytest_relevance import Case, CaseResult
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.ndcg import grade_ranking
from pytest_relevance.reports.failure import failure_lines
from pytest_relevance.reports.styled_lines import plain_text
from pytest_relevance.results.case_parts import (
    IMPROVEMENT,
    REGRESSION,
    WITHIN,
    BaselineComparison,
)
from tests.helpers import case_of, scored


class Shop:
    """The query "winter boots", in line 41 of a case file. It takes 12.3 ms."""

    titles = {  # noqa: RUF012
        "sku-1": "Winter boots Aurora",
        "sku-2": "Winter boots Borealis",
        "sku-3": "Rubber boots",
        "sku-4": "Boot polish, black",
        "sku-5": "Rain jacket",
        "sku-6": "Boot laces 120 cm",
    }
    judgments = {"sku-1": 3, "sku-2": 3, "sku-3": 2, "sku-4": 0}  # noqa: RUF012

    def hits(self, *documents: str) -> list[dict[str, str]]:
        """Results with titles."""
        return [
            {"id": document, "title": self.titles[document]} for document in documents
        ]

    def result(
        self,
        ranking: object,
        judgments: dict[Any, Any] | None = None,
        accepted: Sequence[str] | None = None,
        **keys: Any,
    ) -> CaseResult:
        """What the case comes to with a ranking, beside an `accepted` one, if any.

        `keys` are those of a case file. Judgments of {} are none.
        """
        values: dict[str, Any] = {"query": "winter boots", **keys}
        if judgments != {}:
            values["judgments"] = self.judgments if judgments is None else judgments
        case = case_of(values)
        baseline = None
        if accepted is not None:
            baseline = partial(self.compared, case=case, accepted=accepted)
        found = scored(case, ranking, 0.0123, baseline=baseline, all_missing=True)
        return replace(found, file="shop.relevance.yaml", line=41)

    def compared(
        self, found: CaseResult, case: Case, accepted: Sequence[str]
    ) -> BaselineComparison:
        """How a case stands to an accepted ranking; its verdict stays what it is."""
        graded = grade_ranking(accepted, case.judgments)
        before = score(found.metric, graded, case.settings) if case.judgments else None
        change = 0.0 if before is None or found.score is None else found.score - before
        standing = WITHIN
        if abs(change) > 0.05:
            standing = REGRESSION if change < 0 else IMPROVEMENT
        grades = tuple(graded.grades)
        return BaselineComparison(
            standing, before, documents=tuple(accepted), grades=grades
        )

    def report(self, ranking: object, verbosity: int = 0, **keys: Any) -> str:
        """The report of a ranking as text."""
        result = self.result(ranking, **keys)
        return plain_text(failure_lines(result, verbosity=verbosity)) + "\n"

    def part(self, report: str, beginning: str) -> str:
        """The line of a report that begins so."""
        lines = report.splitlines()
        (line,) = [line for line in lines if line.strip().startswith(beginning)]
        return line


@pytest.fixture(scope="session")
def shop() -> Shop:
    return Shop()
