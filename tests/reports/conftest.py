"""What these tests share: a shop with six products, a query that is judged, and the reports of its rankings."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from pytest_relevance.cases.build import case_from_values
from pytest_relevance.reports.failure import Detail, failure_lines
from pytest_relevance.reports.text import Line, plain
from pytest_relevance.runs.ranking import read_ranking
from pytest_relevance.runs.scored import Scored, score_case


class Shop:
    """The query "winter boots", which stands in line 41 of a case file and takes 12.3 ms."""

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
        return [{"id": document, "title": self.titles[document]} for document in documents]

    def scored(self, ranking: object, judgments: dict[Any, Any] | None = None, **keys: Any) -> Scored:
        """The case with a ranking; `keys` are those of a case file. Judgments of {} are none."""
        values: dict[str, Any] = {"query": "winter boots", **keys}
        if judgments != {}:
            values["judgments"] = self.judgments if judgments is None else judgments
        return score_case(case_from_values(values), read_ranking(ranking), 0.0123)

    def lines(self, found: Scored, detail: Detail | None = None) -> list[Line]:
        """The report of a scored case."""
        return failure_lines(found, "shop.relevance.yaml:41", "search", detail or Detail())

    def report(self, ranking: object, detail: Detail | None = None, **keys: Any) -> str:
        """The report of a ranking as text."""
        return plain(self.lines(self.scored(ranking, **keys), detail)) + "\n"

    def part(self, report: str, beginning: str) -> str:
        """The line of a report that begins so."""
        (line,) = [line for line in report.splitlines() if line.strip().startswith(beginning)]
        return line

    def text(self, example: str) -> str:
        """An example as it stands below the name of its test."""
        return dedent(example).removeprefix("\n")


@pytest.fixture(scope="session")
def shop() -> Shop:
    return Shop()
