"""What these tests share: runs made of cases and rankings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from pytest_relevance import CaseResult, Run
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import ERROR, NOT_SEARCHED, SKIPPED
from tests.helpers import case_result, result_of


class Maker:
    """Makes runs of a shop, with three products to each query, graded 3, 2 and 1."""

    judgments: Mapping[str, Mapping[str, float]] = {
        "boots": {"b1": 3, "b2": 2, "b3": 1},
        "shoes": {"s1": 3, "s2": 2, "s3": 1},
        "socks": {"o1": 3, "o2": 2, "o3": 1},
    }
    best: Mapping[str, Sequence[str]] = {
        query: list(grades) for query, grades in judgments.items()
    }

    def result(
        self,
        query: str = "boots",
        ranking: Sequence[Any] = (),
        *,
        file: str = "shop.relevance.yaml",
        variant: str | None = None,
        asked: int | None = None,
        **keys: Any,
    ) -> CaseResult:
        """What a case came to; `keys` are those of a case in a case file, `asked` is
        how many results it asked for.
        """
        keys = {"query": query, "judgments": self.judgments.get(query, {}), **keys}
        found = result_of(keys, ranking, file=file, line=7, asked=asked)
        return (
            found
            if variant is None
            else replace(found, variant=variant, node=f"{found.node}[{variant}]")
        )

    def without_score(self, query: str, verdict: str) -> CaseResult:
        """A case that has none: an error, or skipped."""
        assert verdict in (ERROR, NOT_SEARCHED, SKIPPED)
        return case_result(
            "shop.relevance.yaml", 7, query, verdict, settings=Settings(max_grade=3)
        )

    def run(
        self,
        rankings: Mapping[str, Sequence[Any]] | None = None,
        *,
        name: str = "run",
        **keys: Any,
    ) -> Run:
        """A run of a case for each ranking; by default the best for each query."""
        rankings = self.best if rankings is None else rankings
        return Run(
            [
                self.result(query, ranking, **keys)
                for query, ranking in rankings.items()
            ],
            name=name,
        )


@pytest.fixture(scope="session")
def make() -> Maker:
    return Maker()
