"""Read the two runs of a comparison: records, runs of other tools, rankings in Python.

Each becomes a `Run`. A record has scores. Rankings alone have none, and become a
`PlainRun`.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_relevance._text import listed
from pytest_relevance.results.case_parts import (
    CaseConditions,
    CaseEvaluation,
    CaseRanking,
)
from pytest_relevance.results.case_result import MEASURED, CaseResult
from pytest_relevance.results.compare.incompatibilities import Incomparable
from pytest_relevance.results.records.json_lines import BASELINE, RECORD, kind_in_header
from pytest_relevance.results.records.run import Run, known_ranks

if TYPE_CHECKING:
    from pytest_relevance.results.evaluate import AnyRankings

    RunSource = Run | str | os.PathLike[str] | AnyRankings

DEFAULT_K = 10
"""The cutoff of rankings that have none."""

MISSING = ("refuse", "empty")
"""What to do if a plain run lacks a judged query: refuse, or take an empty ranking."""


class PlainRun(Run):
    """A run of rankings without scores. Queries, not cases, identify its results."""


def read_runs(first: RunSource, second: RunSource, k: int) -> tuple[Run, Run]:
    """Return both runs. If they have the same name, their paths become their names.

    `k`: the cutoff of plain rankings. Raises what `load_run` raises.
    """
    one = load_run(first, "first", k)
    two = one if second is first else load_run(second, "second", k)
    if one.name == two.name:  # main/run.jsonl and branch/run.jsonl
        one.name = _path_of(first) or one.name
        two.name = _path_of(second) or two.name
    return one, two


def _path_of(source: RunSource) -> str:
    """Return the path of a file; "" for a run or rankings in Python."""
    if isinstance(source, (str, os.PathLike)):
        return Path(source).as_posix()
    return ""


def require_scores(one: Run, two: Run) -> None:
    """Raise `Incomparable` if a run is plain rankings, which have no scores."""
    plain = [run.name for run in (one, two) if isinstance(run, PlainRun)]
    names = list(dict.fromkeys(plain))
    if not names:
        return
    have = "has" if len(names) == 1 else "have"
    raise Incomparable(
        [
            f"rankings are compared under judgments, and {listed(names, 'and')} {have} "
            "none: give judgments, a file of them, a case file or {query: {document: "
            "grade}}; overlap@10 needs none"
        ],
        ["no judgments"],
    )


def load_run(source: RunSource, name: str, k: int) -> Run:
    """Return the run of a source that `compare_runs` takes.

    `name`: the name of the run if `source` is rankings in Python. A file gives its own.
    `k`: the cutoff of a run that is not a record.

    Raises:
        RecordError, FileError: a file cannot be used.
        ValueError: the source has something that is not a ranking.
    """
    if isinstance(source, Run):
        return source
    if not isinstance(source, (str, os.PathLike)):
        # two records need neither this reader nor the one below
        from pytest_relevance.results.evaluate import check_rankings

        checked = check_rankings(source)
        rankings = zip(checked.queries, checked.lists, strict=True)
        return plain_run(rankings, name, k, known_ranks(source))
    # `Run.open` refuses a baseline, which is no record
    if kind_in_header(source) in (RECORD.kind, BASELINE.kind):
        return Run.open(source)
    from pytest_relevance.judgments.reading import read_run

    return plain_run(read_run(source).items(), Path(source).name, k)


def plain_run(
    rankings: Iterable[tuple[str, Sequence[str]]],
    name: str,
    k: int,
    cut: Container[str] = (),
) -> PlainRun:
    """Return a run without scores.

    `rankings`: (query, documents) for each query.
    `name`: the name of the run.
    `k`: the cutoff.
    `cut`: the queries whose searches may have more results.
    """
    results = []
    for query, ranking in rankings:
        returned = len(set(ranking))
        if query in cut:
            returned += 1  # there may have been more
        kept = CaseRanking(
            documents=tuple(ranking), grades=(None,) * len(ranking), returned=returned
        )
        results.append(
            CaseResult(
                file="",
                line=1,
                id=query,
                verdict=MEASURED,
                query=query,
                conditions=CaseConditions(k=k),
                ranking=kept,
                evaluation=CaseEvaluation(digest=""),
            )
        )
    return PlainRun(results, name=name)
