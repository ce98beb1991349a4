"""The two runs of a comparison, read and judged alike.

Records, runs of other tools and rankings in Python are read as a `Run`: a record has
scores, rankings alone have none.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import counted, examples, listed
from pytest_relevance.ext.comparing.judged_queries import (
    JudgedQueries,
    judged_queries,
)
from pytest_relevance.results.case_parts import (
    CaseConditions,
    CaseEvaluation,
    CaseRanking,
)
from pytest_relevance.results.case_result import MEASURED, CaseResult
from pytest_relevance.results.compare.incompatibilities import Incomparable
from pytest_relevance.results.records.json_lines import BASELINE, RECORD, kind_of
from pytest_relevance.results.records.run import Run, known_ranks

if TYPE_CHECKING:
    from pytest_relevance.ext.comparing.judged_queries import JudgmentSource
    from pytest_relevance.results.evaluate import AnyRankings

    RunSource = Run | str | os.PathLike[str] | AnyRankings

DEFAULT_K = 10
"""The cutoff of rankings that have none."""

MISSING = ("refuse", "empty")
"""What to do about a judged query whose ranking is missing.

Refuse to compare, or take it for an empty ranking.
"""


class PlainRun(Run):
    """Rankings without scores, identified by queries instead of cases."""


def load_runs(
    sources: tuple[RunSource, RunSource],
    k: int,
    judgments: JudgmentSource | None,
    missing: str,
    settings: Mapping[str, Any],
    *,
    needs_judgments: bool = True,
) -> tuple[tuple[Run, Run], list[str]]:
    """Read both runs, and judge them again if judgments or settings are given.

    Returns the runs, and notes about what was left out. `k` is the cutoff of plain
    rankings. `needs_judgments` is false if the runs are compared without.
    """
    one, two = _read_both(sources, k)
    if judgments is None and needs_judgments:
        _require_scores(one, two)
    if judgments is None and not settings:
        return (one, two), []
    from pytest_relevance.ext.comparing.rejudging import Rejudging

    queries = None
    notes = []
    if judgments is not None:
        queries = judged_queries(judgments, settings)
        notes = _add_missing(queries, one, two, missing, k)
    is_plain = isinstance(one, PlainRun) or isinstance(two, PlainRun)
    by_key = is_plain and queries is not None
    rejudging = Rejudging(queries, settings, by_key)
    first = rejudging.rejudged(one)
    second = first if two is one else rejudging.rejudged(two)
    return (first, second), notes


def _read_both(sources: tuple[RunSource, RunSource], k: int) -> tuple[Run, Run]:
    """Read both runs. Two files of one name are called by their paths."""
    first, second = sources
    one = load_run(first, "first", k)
    two = one if second is first else load_run(second, "second", k)
    if one.name == two.name:  # main/run.jsonl and branch/run.jsonl
        one.name = _path_of(first) or one.name
        two.name = _path_of(second) or two.name
    return one, two


def _path_of(source: RunSource) -> str:
    """Return the path of a source; nothing if it is not a file."""
    if isinstance(source, (str, os.PathLike)):
        return Path(source).as_posix()
    return ""


def _require_scores(one: Run, two: Run) -> None:
    """Raise `Incomparable` for rankings without judgments."""
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


def _add_missing(
    queries: JudgedQueries, one: Run, two: Run, missing: str, k: int
) -> list[str]:
    """Add empty rankings of judged queries to plain runs that lack them, if that is
    meant.

    Otherwise return a note about the queries that neither run has.
    """
    plain = [run for run in (one, two) if isinstance(run, PlainRun)]
    if not plain:
        return []
    for run in (one, two):
        if run not in plain:
            queries.learn_texts(run.results)
    if missing == "empty":
        for run in plain:
            lacking = [(key, ()) for key in queries.without_ranking(run.results)]
            empty = plain_run(lacking, run.name, k)
            run.results = (*run.results, *empty.results)
        return []
    unranked = queries.without_ranking([*one.results, *two.results])
    if not unranked:
        return []
    count = counted(len(unranked), "judged query", "judged queries")
    return [f"left out: {count} without a ranking in either run: {examples(unranked)}"]


def load_run(source: RunSource, name: str, k: int) -> Run:
    """Make a run of a source of `compare_runs`.

    `name` is for rankings in Python, and `k` is the cutoff of plain rankings. Raises
    `RecordError` or `FileError` for a file that cannot be used, ValueError for what is
    not a ranking.
    """
    if isinstance(source, Run):
        return source
    if not isinstance(source, (str, os.PathLike)):
        from pytest_relevance.results.evaluate import check_rankings

        checked = check_rankings(source)
        rankings = zip(checked.queries, checked.lists, strict=True)
        return plain_run(rankings, name, k, known_ranks(source))
    # a baseline is refused there: it is not a record
    if kind_of(source) in (RECORD.kind, BASELINE.kind):
        return Run.open(source)
    from pytest_relevance.judgments.reading import read_run

    return plain_run(read_run(source).items(), Path(source).name, k)


def plain_run(
    rankings: Iterable[tuple[str, Sequence[str]]],
    name: str,
    k: int,
    cut: Container[str] = (),
) -> PlainRun:
    """Make a run of the ranking of each query.

    `cut` are the queries whose rankings are not whole.
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
