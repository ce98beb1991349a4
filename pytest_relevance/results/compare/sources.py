"""What can be compared, each read as a `Run`: records, baselines, runs of other tools, rankings in Python.

A record has scores. A baseline has them too, but does not name the judgments that they come from; rankings have none.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.results import record
from pytest_relevance.results.baseline import file as baseline_io
from pytest_relevance.results.case_result import MEASURED, CaseResult
from pytest_relevance.results.evaluate import compile_rankings
from pytest_relevance.results.rankings.read_run import read_run
from pytest_relevance.results.run import Run

if TYPE_CHECKING:
    from pytest_relevance.results.evaluate import AnyRankings

    RunSource = Run | str | os.PathLike[str] | AnyRankings

_LONGEST_HEADER = 1 << 26  # bytes; a header names all that did not finish


class PlainRun(Run):
    """Rankings without scores, identified by queries instead of cases."""


def load_run(source: RunSource, name: str, k: int) -> Run:
    """Make a run from a source of `compare_runs`. `name` is for rankings in Python, `k` the cutoff of plain rankings.

    Raises `RecordError` or `JudgmentFileError` for a file that cannot be used, ValueError for what is no ranking.
    """
    if isinstance(source, Run):
        return source
    if not isinstance(source, (str, os.PathLike)):
        compiled = compile_rankings(source)
        return plain_run(zip(compiled.queries, compiled.lists, strict=True), name, k)
    read = _READERS.get(kind_of(source))
    return plain_run(read_run(source).items(), Path(source).name, k) if read is None else read(source)


def plain_run(rankings: Iterable[tuple[str, Sequence[str]]], name: str, k: int) -> PlainRun:
    """Make a run of the ranking of each query."""
    results = [
        CaseResult(
            file="",
            line=1,
            id=query,
            verdict=MEASURED,
            k=k,
            documents=tuple(ranking),
            grades=(None,) * len(ranking),
            returned=len(set(ranking)),
            digest="",
        )
        for query, ranking in rankings
    ]
    return PlainRun(results, name=name)


def _read_baseline(path: str | os.PathLike[str]) -> Run:
    """A baseline as a run whose judgments are unknown."""
    name = Path(path).name
    entries = baseline_io.read_baseline(path).values()
    return Run([_of_entry(name.removesuffix(baseline_io.SUFFIX), entry) for entry in entries], name=name)


def _of_entry(file: str, entry: baseline_io.BaselineEntry) -> CaseResult:
    different = len(set(entry.ranking))
    is_as_deep = len(entry.ranking) == entry.depth
    k = next((metric.k for metric in map(parse_metric, entry.scores) if metric.measure == "nDCG"), None)
    return CaseResult(
        file=file,
        line=1,
        id=entry.id,
        verdict=MEASURED,
        query=entry.query,
        variant=entry.variant,
        params=entry.params,
        k=k or entry.depth,
        depth=entry.depth,
        # a whole ranking that is as deep as its case and not cut: a depth was set, or no number of results asked for
        is_depth_set=entry.whole and is_as_deep and not entry.cut,
        reaches_depth=entry.cut or (entry.whole and is_as_deep),
        documents=entry.ranking,
        whole=entry.whole,
        grades=(None,) * len(entry.ranking),
        returned=different + (is_as_deep and not entry.whole),  # there may have been more
        scores=entry.scores,
        digest="",
    )


_READERS: Mapping[str | None, Callable[[str | os.PathLike[str]], Run]] = {
    record.KIND: Run.open,
    baseline_io.KIND: _read_baseline,
}
"""The reader of each kind of file that this package writes."""


def kind_of(path: str | os.PathLike[str]) -> str | None:
    """The kind in the header of a file of this package; None for another file, and for one that cannot be read."""
    try:
        with open(path, "rb") as plain:
            is_packed = plain.read(2) == b"\x1f\x8b"
            plain.seek(0)
            with gzip.open(plain) if is_packed else plain as file:
                header = json.loads(file.readline(_LONGEST_HEADER))
    except (OSError, EOFError, ValueError, RecursionError, zlib.error):
        return None
    kind = header.get("kind") if isinstance(header, dict) else None
    return kind if isinstance(kind, str) else None
