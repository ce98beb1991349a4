"""The baseline: the rankings that a search is held to, in a file beside the case file that is meant to be committed.

A header, a line a case and variant, sorted, so that a pull request shows what moved, and an end line, without which the
file is cut (no count of the entries: two branches that add one each shall merge). The rankings are what counts:
a comparison scores them again, under the judgments and settings of today, so that a new judgment or another gain is
never taken for a regression. The scores of their day are there for the reader of a diff. How it is written is in
`accepting`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_relevance.cases.model import Case
from pytest_relevance.garbage import garbage_kept
from pytest_relevance.metrics.scalar import grade_ranking, score
from pytest_relevance.runs.beside import SUFFIX, beside
from pytest_relevance.runs.lines import as_json
from pytest_relevance.runs.record import read_header, read_object, read_text
from pytest_relevance.runs.run import RecordError
from pytest_relevance.runs.scored import Scored, ndcg_at
from pytest_relevance.runs.values import looks_at_all, scores_all
from pytest_relevance.wording import quoted

__all__ = ["SUFFIX", "Entry", "Since", "beside", "entry_of", "read_baseline", "since", "stale"]

KIND = "pytest-relevance baseline"
VERSION = 1

END = '{"end":true}'
"""The last line of a baseline."""

_DECIMALS = 6  # of the scores of a day: the last digits differ between machines, and nobody looks at them in a diff
_ROUNDING = 1e-9  # a drop of exactly the tolerance is within it, however it was computed

Key = tuple[str, str | None]
"""What tells the entries of a baseline apart: the id of the case and the parameter id of its search."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The accepted ranking of a case in one variant, and what it was asked for. `scores` are those of its day.

    The ranking is all that was returned where that `is_whole`, as the case looked at all, and else as deep as the case
    looked. All that was returned `is_cut` where the search was asked for as many results, and no depth was set.
    """

    id: str
    variant: str | None
    query: str
    params: Mapping[str, Any]
    depth: int
    ranking: tuple[str, ...]
    scores: Mapping[str, float | None] = field(default_factory=dict)
    is_whole: bool = False
    is_cut: bool = False

    @property
    def key(self) -> Key:
        """What tells it apart from the other entries of its file."""
        return self.id, self.variant

    @classmethod
    def of(
        cls,
        case: Case,
        variant: str | None,
        ranking: Sequence[str],
        scores: Mapping[str, float | None],
        *,
        is_cut: bool = False,
    ) -> Entry:
        """The entry of a case that ran; `ranking` is all that was returned, `is_cut` whether there may be more."""
        is_whole = looks_at_all(case)
        kept = ranking if is_whole else ranking[: case.depth]
        params = json.loads(as_json(case.params))
        rounded = {name: None if score is None else round(score, _DECIMALS) for name, score in scores.items()}
        return cls(
            case.id, variant, case.query, params, case.depth, tuple(kept), rounded, is_whole, is_whole and is_cut
        )

    def values(self) -> dict[str, Any]:
        """The same in types that JSON has."""
        return {
            "id": self.id,
            "variant": self.variant,
            "query": self.query,
            "params": _ordered(self.params),
            "depth": self.depth,
            **({"whole": True} if self.is_whole else {}),
            **({"cut": True} if self.is_cut else {}),
            "ranking": self.ranking,
            "scores": self.scores,
        }

    def line(self) -> str:
        """Its line in the file."""
        return as_json(self.values())


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
    changed = stale(entry, case, is_cut=scored.is_cut)
    if changed:
        return Since(entry, None, 0.0, tolerance, changed)
    present = scored.score
    if _is_same(entry.ranking, scored.ranking.ids, case):
        before = present  # the usual case: nothing to score again
    else:
        before = score(ndcg_at(case.k), grade_ranking(entry.ranking, case.judgments), case.settings)
    if before != before or present != present:
        return Since(entry, None, 0.0, tolerance)
    return Since(entry, before, present - before, tolerance)


def _is_same(accepted: Sequence[str], ranking: Sequence[str], case: Case) -> bool:
    """Whether an accepted ranking has the score of the present one, as it is the same as far as the score looks."""
    length = len(accepted)
    if length == len(ranking):
        return accepted == tuple(ranking)
    return length >= case.k and accepted == tuple(ranking[:length]) and not looks_at_all(case)


def stale(entry: Entry, case: Case, *, is_cut: bool = False) -> tuple[str, ...]:
    """What of a case is another than when its ranking was accepted, one clause a change.

    `is_cut` is whether the present ranking is, which leaves the case no score that looks at the whole of it.
    """
    depth = case.depth
    was_cut = len(entry.ranking) >= entry.depth and (
        (entry.is_cut and not is_cut and scores_all(case)) or (not entry.is_whole and looks_at_all(case))
    )
    same = entry.query == case.query and entry.depth == depth and not was_cut
    if same and _are_same(entry.params, case.params):
        return ()
    changes = []
    if entry.query != case.query:
        changes.append(f"the query was {quoted(entry.query, 40)} and is {quoted(case.query, 40)}")
    if (entry.params or case.params) and as_json(_ordered(entry.params)) != as_json(_ordered(case.params)):
        changes += _changed_params(entry.params, json.loads(as_json(case.params)))
    if entry.depth != depth:
        changes.append(f"the depth was {entry.depth} and is {depth}")
    if was_cut:
        changes.append(f"all of the ranking counts now, and the first {entry.depth} were kept")
    return tuple(changes)


_SIMPLE = frozenset({str, int, float, bool, type(None)})


def _are_same(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether parameters are plainly the same: 1 and true are equal, and not the same."""
    if not before and not now:
        return True
    return before == now and all(type(value) is type(now[name]) in _SIMPLE for name, value in before.items())


def _changed_params(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    missing = object()
    changes = []
    for name in dict.fromkeys([*before, *now]):
        was, found = before.get(name, missing), now.get(name, missing)
        if was is missing:
            changes.append(f"the parameter {quoted(name, 40)} is new")
        elif found is missing:
            changes.append(f"the parameter {quoted(name, 40)} is gone")
        elif was != found or as_json(_ordered({"": was})) != as_json(_ordered({"": found})):
            changes.append(f"the parameter {quoted(name, 40)} was {as_text(was)} and is {as_text(found)}")
    return changes


def _ordered(value: Any) -> Any:
    """A value with the keys of its mappings sorted: their order says nothing."""
    if isinstance(value, Mapping):
        return {name: _ordered(value[name]) for name in sorted(value, key=str)}
    return [*map(_ordered, value)] if isinstance(value, (list, tuple)) else value


def as_text(value: object) -> str:
    """A value of a parameter in a message."""
    return quoted(value, 40) if isinstance(value, str) else quoted(as_json({"": value})[4:-1], 40).strip('"')


def read_baseline(path: str | os.PathLike[str], shown: str | None = None) -> dict[Key, Entry]:
    """Read a baseline. `RecordError` says what is wrong with it, and in which line; OSError never."""
    file = shown if shown is not None else os.fspath(path)
    if os.path.islink(path) and not os.path.exists(path):
        target = quoted(os.readlink(path))
        raise RecordError(f"{file}: is a link to {target}, which is not there; restore that file, or delete the link")
    text = read_text(path, file)
    read_header(file, text, KIND, VERSION)
    lines = text.split("\n")[1:]
    with garbage_kept():
        entries = _quick([line for line in lines if line])
        return _careful(file, lines) if entries is None else entries


def _quick(lines: Sequence[str]) -> dict[Key, Entry] | None:
    """The entries, where all is as it was written."""
    if not lines or lines[-1] != END:
        return None
    lines = lines[:-1]
    try:
        values = json.loads(f"[{','.join(lines)}]")
        entries = {entry.key: entry for entry in _entries(values)}
    except (ValueError, TypeError):
        return None
    return entries if len(entries) == len(lines) else None


def _careful(file: str, lines: Sequence[str]) -> dict[Key, Entry]:
    """The same line by line, to say which is damaged."""
    entries: dict[Key, Entry] = {}
    ended = 0
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        if ended:
            raise RecordError(
                f"{file}:{number}: a line below the last one, {END} in line {ended}; restore the file, or move the "
                "entries above that line"
            )
        if line.startswith(_CONFLICT):
            raise RecordError(
                f"{file}:{number}: a merge conflict is left in the file; take either side and run --relevance-update "
                "for the cases in it"
            )
        values = read_object(file, number, line)
        if values == {"end": True}:
            ended = number
            continue
        try:
            entry = entry_of(values)
        except (TypeError, ValueError) as error:
            raise RecordError(
                f"{file}:{number}: the line is no entry of a baseline ({error}); restore the file, or delete the line "
                "and run --relevance-update=new"
            ) from None
        if entry.key in entries:
            raise RecordError(f"{file}:{number}: a second entry of {quoted(entry.id)}; delete one of them")
        entries[entry.key] = entry
    if not ended:
        raise RecordError(
            f"{file}: the file is cut: its last line is not {END}; restore the file, or add that line where no entry "
            "is missing"
        )
    return entries


_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


def _all_of(*types: type) -> Callable[[Sequence[Any]], bool]:
    return lambda column: {*map(type, column)} <= {*types}


_SHAPES: Mapping[str, Callable[[Sequence[Any]], bool]] = {
    "id": _all_of(str),
    "variant": _all_of(str, type(None)),
    "query": _all_of(str),
    "params": _all_of(dict),
    "depth": _all_of(int),
    "ranking": lambda column: (
        {*map(type, column)} <= {list} and {type(document) for ranking in column for document in ranking} <= {str}
    ),
    "scores": lambda column: (
        {*map(type, column)} <= {dict}
        and {type(score) for scores in column for score in scores.values()} <= {float, int, type(None)}
    ),
}
"""What an entry holds, in the order of its fields, and what is looked at in one pass over all entries."""


def entry_of(values: Mapping[str, Any]) -> Entry:
    """The entry from its values. TypeError or ValueError says what is wrong with them."""
    (entry,) = _entries([values])
    return entry


def _entries(all_values: Sequence[Mapping[str, Any]]) -> list[Entry]:
    columns = []
    for name, fits in _SHAPES.items():
        if not all(name in values for values in all_values):
            raise ValueError(f"it has no {name}")
        column = [values[name] for values in all_values]
        if not fits(column):
            raise TypeError(f"its {name} is {as_text(column[0])}")
        columns.append(map(tuple, column) if name == "ranking" else column)
    columns += [[values.get(name) is True for values in all_values] for name in ("whole", "cut")]
    return [Entry(*row) for row in zip(*columns, strict=True)]
