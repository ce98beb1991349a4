"""What these tests share: runs made of cases and rankings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pytest_relevance.results.lines import scored_text
from pytest_relevance.results.values import NO_DIGEST, kept_depth

from pytest_relevance.cases.build import case_from_values
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.ranking import read_ranking
from pytest_relevance.results.run import Conditions, Result, Run
from pytest_relevance.results.scoring import ERROR, SKIPPED, score_case


class Maker:
    """Makes runs of a shop, with three products to each query, graded 3, 2 and 1."""

    judgments: Mapping[str, Mapping[str, float]] = {
        "boots": {"b1": 3, "b2": 2, "b3": 1},
        "shoes": {"s1": 3, "s2": 2, "s3": 1},
        "socks": {"o1": 3, "o2": 2, "o3": 1},
    }
    best: Mapping[str, Sequence[str]] = {query: list(grades) for query, grades in judgments.items()}

    def result(
        self,
        query: str = "boots",
        ranking: Sequence[Any] = (),
        *,
        file: str = "shop.relevance.yaml",
        variant: str | None = None,
        **keys: Any,
    ) -> Result:
        """A case that ran; `keys` are those of a case in a case file."""
        keys = {"query": query, "judgments": self.judgments.get(query, {}), **keys}
        case = case_from_values(keys)
        scored = score_case(case, read_ranking(ranking), 0.012)
        about: dict[str, Any] = {"file": file, "line": 7, "id": case.id, "query": case.query, "variant": variant}
        about |= {"params": case.params, "tags": list(case.tags), "weight": case.weight}
        values, details = scored_text(case, scored, kept_depth(case))
        values, details = json.loads(f"{{{values}}}"), json.loads(details)
        return Result({**about, **values}, details, Conditions(case.search, case.k, case.settings))

    def without_score(self, query: str, verdict: str) -> Result:
        """A case that has none: an error, or skipped."""
        assert verdict in (ERROR, SKIPPED)
        values = {"file": "shop.relevance.yaml", "id": query, "verdict": verdict, "digest": NO_DIGEST}
        return Result(values, {}, Conditions(settings=Settings(max_grade=3)))

    def run(self, rankings: Mapping[str, Sequence[Any]] | None = None, *, name: str = "run", **keys: Any) -> Run:
        """A run of a case for each ranking; by default the best for each query."""
        rankings = self.best if rankings is None else rankings
        return Run([self.result(query, ranking, **keys) for query, ranking in rankings.items()], name=name)


@pytest.fixture(scope="session")
def make() -> Maker:
    return Maker()
