"""What can stand on either side of a comparison, each made a `Run`: records, baselines, runs of other tools, rankings.

A record has the scores of its day. A baseline has them too, but not by which judgments; rankings have none.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.results import baseline, record
from pytest_relevance.results.compare.rejudging import Yardstick
from pytest_relevance.results.evaluate import compile_rankings
from pytest_relevance.results.read_run import read_run
from pytest_relevance.results.run import Conditions, Result, Run
from pytest_relevance.results.scoring import MEASURED

if TYPE_CHECKING:
    from pytest_relevance.results.evaluate import AnyRankings

    AnySide = Run | str | os.PathLike[str] | AnyRankings

_BEGINNING, _LONGEST_HEADER = 200, 1 << 20
_KIND = re.compile(rb'\s*\{\s*"kind"\s*:\s*"([ -!#-~]+)"')
"""What the header of a file of ours begins with. It may be long: it names all that did not finish."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side: a run, and whether it is plain rankings: without scores, and known by queries instead of cases."""

    run: Run
    is_plain: bool = False


def load_side(source: AnySide, name: str, k: int) -> Side:
    """What `compare_runs` takes. `name` is what a side without one is called; `k` the cutoff of plain rankings.

    Raises `RecordError` or `JudgmentFileError` for a file that cannot be read, ValueError for what is no ranking.
    """
    if isinstance(source, Run):
        return Side(source)
    if not isinstance(source, (str, os.PathLike)):
        compiled = compile_rankings(source)
        return _plain(dict(zip(compiled.queries, compiled.lists, strict=True)), name, k)
    read = _READERS.get(kind_of(source))
    if read is not None:
        return Side(read(source))
    return _plain(read_run(source), Path(source).name, k)


def with_empty(side: Side, by: Yardstick, k: int) -> Side:
    """Plain rankings with an empty one for each judged query that they lack."""
    ranked = {judged.key for judged in by.of(side.run.results) if judged is not None}
    lacking = _plain({key: () for key in by if key not in ranked}, side.run.name, k)
    return Side(Run([*side.run.results, *lacking.run.results], name=side.run.name), is_plain=True)


def _plain(rankings: Mapping[str, Any], name: str, k: int) -> Side:
    conditions = Conditions(k=k)
    about = {"file": "", "verdict": MEASURED, "digest": "", "depth": None}
    results = [
        Result({**about, "id": query}, {"ranking": list(ranking)}, conditions) for query, ranking in rankings.items()
    ]
    return Side(Run(results, name=name), is_plain=True)


def _of_baseline(path: str | os.PathLike[str]) -> Run:
    """A baseline as a run, under the judgments of nobody knows which day."""
    name = Path(path).name
    file = name.removesuffix(baseline.SUFFIX)
    conditions: dict[tuple[int, int | None], Conditions] = {}
    results = []
    for entry in baseline.read_baseline(path).values():
        values = {
            "file": file,
            "id": entry.id,
            "variant": entry.variant,
            "query": entry.query,
            "params": entry.params,
            "depth": entry.depth,
            "scores": entry.scores,
            "verdict": MEASURED,
            "digest": "",
        }
        kept = len(set(entry.ranking))
        # more may have been returned where it is as long as the case looks deep
        returned = kept + (len(entry.ranking) == entry.depth and not entry.is_whole)
        k = next((metric.k for metric in map(parse_metric, entry.scores) if metric.measure == "nDCG"), None)
        is_as_asked = entry.is_whole and len(entry.ranking) == entry.depth
        values["cut"] = entry.is_cut or is_as_asked
        depth = entry.depth if is_as_asked and not entry.is_cut else None  # a depth was set, or no number asked for
        shared = conditions.setdefault((k or entry.depth, depth), Conditions(k=k or entry.depth, depth=depth))
        results.append(Result(values, {"ranking": list(entry.ranking), "returned": returned}, shared))
    return Run(results, name=name)


_READERS: Mapping[str | None, Callable[[str | os.PathLike[str]], Run]] = {
    record.KIND: record.read_record,
    baseline.KIND: _of_baseline,
}
"""What our own files say that they are, and what reads them."""


def kind_of(path: str | os.PathLike[str]) -> str | None:
    """What a file begins by saying that it is; None where it says nothing, or cannot be read."""
    try:
        with open(path, "rb") as plain:
            packed = plain.read(2) == b"\x1f\x8b"
            plain.seek(0)
            with gzip.open(plain) if packed else plain as file:
                beginning = file.read(_BEGINNING)
                found = _KIND.match(beginning)
                if found is not None:
                    return found[1].decode()
                header = json.loads(beginning + file.readline(_LONGEST_HEADER))  # somebody sorted its keys, say
    except (OSError, EOFError, ValueError, RecursionError, zlib.error):
        return None
    kind = header.get("kind") if isinstance(header, dict) else None
    return kind if isinstance(kind, str) else None
