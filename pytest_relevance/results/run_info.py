"""The data of a run other than its results: its case files, and how it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_relevance.results.case_result import CaseResult, from_builtin, to_builtin

Total = tuple[str, str | None, int]
"""A search, a variant of it, and how many items a file has in it, whether they were chosen to run or not."""


class RecordError(ValueError):
    """A record or a baseline that cannot be used; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class FileInfo:
    """The data of a case file other than the results of its cases.

    `path` is where it was, `node` its node id, `digest` is the digest of its text and of the files that it names,
    `text_digest` that of its own text alone ("" if not computed). `totals` are its items by search and variant; `items`
    how many items each case has that has several. `gates` are its gates as `cases.gates.gate_values` gives them, with
    the `line` of each. `orphans` are the entries of its baseline that are none of its cases, as reports name them; None
    where it has no baseline, `fingerprint` that of its baseline. `against` is the name of the record that is compared
    with in the place of its baseline. `documents` is its catalogue, as the fields of `cases.model.CatalogueFile`.
    `unjudged` says which of its listed queries have no judgments.
    """

    path: str
    node: str = ""
    digest: str = ""
    text_digest: str = ""
    totals: Sequence[Total] = ()
    items: Mapping[str, int] = field(default_factory=dict)
    gates: Sequence[Mapping[str, Any]] = ()
    orphans: Sequence[str] | None = None
    unjudged: str = ""
    against: str = ""
    documents: Mapping[str, Any] = field(default_factory=dict)
    fingerprint: Mapping[str, Any] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many items the file has."""
        return sum(count for *_, count in self.totals)

    @property
    def has_baseline(self) -> bool:
        """Whether the case file has a baseline."""
        return self.orphans is not None

    def is_whole(self, results: Iterable[CaseResult], file: str) -> bool:
        """Whether every item of the file, by its name in results, ended or was skipped: none was left out or cut short.

        An item that ended several times counts once for each.
        """
        ended = Counter((result.search, result.variant) for result in results if result.file == file)
        return all(ended[search, variant] >= count for search, variant, count in self.totals)

    def to_dict(self) -> dict[str, Any]:
        """The same in builtin types."""
        return to_builtin(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> FileInfo:
        """The info that `to_dict` was called on. Raises TypeError, ValueError or KeyError for other data."""
        totals = tuple((search, variant, count) for search, variant, count in values.get("totals", ()))
        return from_builtin(cls, {**values, "totals": totals})


@dataclass(frozen=True, slots=True)
class RunInfo:
    """How a run was made: the version of this program, when it began (ISO 8601), of what versions, by which command.

    `fingerprint` says what was searched. `missing` are the node ids of cases that were to run and did not finish, and
    of case files that could not be collected. `faults` are those that several cases have in common, and those of
    fixtures and hooks of the project (`results.faults`).
    """

    program: str = ""
    started: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    command: Sequence[str] = ()
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    missing: Sequence[str] = ()
    faults: Sequence[Mapping[str, Any]] = ()

    def to_dict(self) -> dict[str, Any]:
        """The same in builtin types."""
        return to_builtin(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> RunInfo:
        """The info that `to_dict` was called on. Raises TypeError for an unknown field."""
        return from_builtin(cls, values)
