"""What tests of several parts share: results of cases without a run of pytest, and blocks of text."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent
from typing import Any

from pytest_relevance import CaseResult
from pytest_relevance.cases.build import case_from_values
from pytest_relevance.results.rankings.ranking import read_ranking
from pytest_relevance.results.scoring import score_case


def result_of(
    keys: Mapping[str, Any],
    ranking: object,
    latency: float | None = 0.012,
    *,
    file: str = "",
    line: int = 0,
    asked: int | None = None,
) -> CaseResult:
    """The result of a case.

    `keys` are those of a case in a case file, `ranking` is what the search returned after `latency` seconds, `asked`
    how many results it was asked for. The case stands in the line of a file where one is named.
    """
    result = score_case(case_from_values(keys), read_ranking(ranking), latency, asked)
    if file:
        result.file, result.line, result.node = file, line, f"{file}::{result.id}"
    return result


def block(text: str) -> str:
    """A block of text without the indentation that it has in its test."""
    return dedent(text).removeprefix("\n")
