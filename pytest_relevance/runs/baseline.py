"""The baseline: the rankings that a search is held to, in a file beside the case file that is meant to be committed.

A header and a line a case and variant, sorted, so that a pull request shows what moved. The rankings are what counts:
a comparison scores them again, under the judgments and settings of today, so that a new judgment or another gain is
never taken for a regression. The scores of their day are there for the reader of a diff.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_relevance.cases.model import Case
from pytest_relevance.files import write_whole
from pytest_relevance.metrics.scalar import grade_ranking, score
from pytest_relevance.runs.record import as_json, read_header, read_object, read_text
from pytest_relevance.runs.run import RecordError, looks_at_all
from pytest_relevance.runs.scored import Scored, ndcg_at
from pytest_relevance.wording import quoted

SUFFIX = ".baseline.jsonl"
KIND = "pytest-relevance baseline"
VERSION = 1

DEFAULT_TOLERANCE = 0.05
_ROUNDING = 1e-9  # a drop of exactly the tolerance is within it, however it was computed

_HOLDS = "the accepted ranking of each case and variant; written by --relevance-update, scores are those of that day"

Key = tuple[str, str | None]
"""What tells the entries of a baseline apart: the id of the case and the parameter id of its search."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The accepted ranking of a case in one variant, and what it was asked for. `scores` are those of its day."""

    id: str
    variant: str | None
    query: str
    params: Mapping[str, Any]
    depth: int
    ranking: tuple[str, ...]
    scores: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        """What tells it apart from the other entries of its file."""
        return self.id, self.variant

    @classmethod
    def of(cls, case: Case, variant: str | None, ranking: Sequence[str], scores: Mapping[str, float | None]) -> Entry:
        """The entry of a case that ran; `ranking` is all that was returned."""
        kept = ranking if looks_at_all(case) else ranking[: case.depth]
        params = json.loads(as_json(case.params))
        return cls(case.id, variant, case.query, params, case.depth, tuple(kept), scores)

    def line(self) -> str:
        """Its line in the file."""
        return as_json(
            {
                "id": self.id,
                "variant": self.variant,
                "query": self.query,
                "params": dict(sorted(self.params.items())),
                "depth": self.depth,
                "ranking": self.ranking,
                "scores": self.scores,
            }
        )


@dataclass(frozen=True, slots=True)
class Since:
    """What became of a case since its baseline.

    `score` is nDCG@k of the accepted ranking today, None where it is not defined; `change` how much more the present
    one has. `stale` says what of the case changed, so that the two rankings answer different questions.
    """

    entry: Entry
    score: float | None
    change: float
    tolerance: float
    stale: tuple[str, ...] = ()

    @property
    def is_regression(self) -> bool:
        """Whether the score dropped by more than is tolerated."""
        return self.change < -self.tolerance - _ROUNDING

    @property
    def is_improvement(self) -> bool:
        """Whether the score rose by more than is tolerated."""
        return self.change > self.tolerance + _ROUNDING


def since(entry: Entry, scored: Scored, tolerance: float) -> Since:
    """Compare a case that ran with its entry in the baseline."""
    case = scored.case
    changed = stale(entry, case)
    if changed:
        return Since(entry, None, 0.0, tolerance, changed)
    present = scored.score
    if entry.ranking == tuple(scored.ranking.ids[: len(entry.ranking)]) and len(entry.ranking) >= case.k:
        before = present  # the usual case: nothing to score again
    else:
        before = score(ndcg_at(case.k), grade_ranking(entry.ranking, case.judgments), case.settings)
    if before != before or present != present:
        return Since(entry, None, 0.0, tolerance)
    return Since(entry, before, present - before, tolerance)


def stale(entry: Entry, case: Case) -> tuple[str, ...]:
    """What of a case is another than when its ranking was accepted, one clause a change."""
    changes = []
    if entry.query != case.query:
        changes.append(f"the query was {quoted(entry.query, 40)} and is {quoted(case.query, 40)}")
    if (entry.params or case.params) and as_json(entry.params) != as_json(case.params):
        changes += _changed_params(entry.params, json.loads(as_json(case.params)))
    if entry.depth != case.depth:
        changes.append(f"the depth was {entry.depth} and is {case.depth}")
    return tuple(changes)


def _changed_params(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    missing = object()
    changes = []
    for name in dict.fromkeys([*before, *now]):
        was, found = before.get(name, missing), now.get(name, missing)
        if was is missing:
            changes.append(f"the parameter {quoted(name, 40)} is new")
        elif found is missing:
            changes.append(f"the parameter {quoted(name, 40)} is gone")
        elif was != found:
            changes.append(f"the parameter {quoted(name, 40)} was {as_text(was)} and is {as_text(found)}")
    return changes


def as_text(value: object) -> str:
    """A value of a parameter in a message."""
    return quoted(value, 40) if isinstance(value, str) else quoted(as_json({"": value})[4:-1], 40).strip('"')


def beside(case_file: str | os.PathLike[str]) -> Path:
    """Where the baseline of a case file is."""
    return Path(f"{os.fspath(case_file)}{SUFFIX}")


def read_baseline(path: str | os.PathLike[str], shown: str | None = None) -> dict[Key, Entry]:
    """Read a baseline. `RecordError` says what is wrong with it, and in which line; OSError never."""
    file = shown if shown is not None else os.fspath(path)
    text = read_text(path, file)
    read_header(file, text, KIND, VERSION)
    entries: dict[Key, Entry] = {}
    for number, line in enumerate(text.split("\n")[1:], 2):
        if not line.strip():
            continue
        if line.startswith(_CONFLICT):
            raise RecordError(
                f"{file}:{number}: a merge conflict is left in the file; take either side and run --relevance-update"
            )
        values = read_object(file, number, line)
        try:
            entry = _entry(values)
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(
                f"{file}:{number}: the line is no entry of a baseline ({error}); restore the file, or delete the line "
                "and run --relevance-update=new"
            ) from None
        if entry.key in entries:
            raise RecordError(f"{file}:{number}: a second entry of {quoted(entry.id)}; delete one of them")
        entries[entry.key] = entry
    return entries


_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
_SHAPES: Mapping[str, type | tuple[type, ...]] = {
    "id": str,
    "variant": (str, type(None)),
    "query": str,
    "params": dict,
    "depth": int,
    "ranking": list,
    "scores": dict,
}


def _entry(values: Mapping[str, Any]) -> Entry:
    for name, shape in _SHAPES.items():
        if name not in values:
            raise ValueError(f"it has no {name}")
        if not isinstance(values[name], shape):
            raise TypeError(f"its {name} is {as_text(values[name])}")
    if not all(isinstance(document, str) for document in values["ranking"]):
        raise TypeError("its ranking has a document that is no text")
    known = {name: values[name] for name in _SHAPES}
    return Entry(**(known | {"ranking": tuple(known["ranking"])}))


def write_baseline(path: str | os.PathLike[str], entries: Iterable[Entry]) -> None:
    """Write a baseline in one step, its entries sorted by id and variant. Raises OSError; nothing is written then."""
    header = as_json({"kind": KIND, "version": VERSION, "holds": _HOLDS})
    ordered = sorted(entries, key=lambda entry: (entry.id, entry.variant or ""))
    lines = [header, *(entry.line() for entry in ordered)]
    write_whole(path, ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Updated:
    """What an update of a baseline came to."""

    path: Path
    added: int
    changed: int
    dropped: int
    kept: int

    @property
    def is_change(self) -> bool:
        """Whether there was anything to write."""
        return bool(self.added or self.changed or self.dropped)


def update_baseline(
    path: str | os.PathLike[str],
    accepted: Iterable[Entry],
    *,
    only_new: bool = False,
    all_keys: frozenset[Key] | None = None,
) -> Updated:
    """Accept rankings into a baseline: `only_new` leaves those that it has as they are.

    `all_keys` are those of all cases of the file, when all of the file ran: entries of other cases leave. The file is
    read again under a lock, so that of two runs that update at once neither loses what the other accepted. Raises
    `RecordError` for a file that cannot be read, OSError where it cannot be written; then it is as it was.
    """
    target = Path(os.path.realpath(path))
    with _locked(target.parent):
        before = read_baseline(target, os.fspath(path)) if target.exists() else {}
        after = dict(before)
        added = changed = 0
        for entry in accepted:
            known = before.get(entry.key)
            if known is None:
                added += 1
            elif only_new:
                continue
            elif known != entry:
                changed += 1
            after[entry.key] = entry
        gone = [key for key in after if all_keys is not None and key not in all_keys]
        for key in gone:
            del after[key]
        updated = Updated(Path(path), added, changed, len(gone), len(after) - added - changed)
        if updated.is_change or not target.exists():
            _sweep(target)
            write_baseline(target, after.values())
    return updated


def _sweep(target: Path) -> None:
    """Remove what an update that was killed left beside the baseline."""
    for left in target.parent.glob(f".{target.name}.*.tmp"):
        with suppress(OSError):
            left.unlink()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Wait until no other run updates a baseline in a folder. The lock ends with the process, whatever ends that."""
    if sys.platform == "win32":  # a folder cannot be opened there, and a lock file would stay
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
