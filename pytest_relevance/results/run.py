"""A run: the results of its cases, the data of its case files, and how it was made."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.record.file import read_record, write_record
from pytest_relevance.results.run_info import FileInfo, RunInfo

if TYPE_CHECKING:
    import pandas


class Run:
    """The results of a run, as read from a record: `Run.open("run.jsonl")`.

    `results` are in the order of the record. `files` is the `FileInfo` of each case file, by its name; `info` how the
    run was made.
    """

    def __init__(
        self,
        results: Sequence[CaseResult],
        files: Mapping[str, FileInfo] | None = None,
        info: RunInfo | None = None,
        *,
        name: str = "run",
    ) -> None:
        self.results: Sequence[CaseResult] = tuple(results)
        self.files: Mapping[str, FileInfo] = files or {}
        self.info = info or RunInfo()
        self.name = name

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Run:
        """Read a record that `--relevance-record=FILE` wrote, gzip or not. Raises `RecordError` (a ValueError)."""
        return cls(*read_record(path), name=Path(path).name)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the record, with gzip where the name ends in .gz. Raises OSError, and then nothing is written."""
        write_record(path, [result.to_dict() for result in self.results], self.files, self.info)

    def __len__(self) -> int:
        """How many results there are."""
        return len(self.results)

    def __repr__(self) -> str:
        """`Run(shop.jsonl: 52 results)`."""
        return f"Run({self.name}: {len(self)} results)"

    @property
    def missing(self) -> Sequence[str]:
        """The node ids of what was to run and did not finish."""
        return self.info.missing

    @property
    def frame(self) -> pandas.DataFrame:
        """One row for each case and variant: its key, verdict, nDCG@k with interval, other scores, latency (s)."""
        from pytest_relevance.results.frames import results_frame

        return results_frame(self.results)

    @property
    def rankings(self) -> pandas.DataFrame:
        """One row for each result: the breakdown of every case, rank by rank, within its top k and below it.

        `grade` is NaN for an unjudged document; `gain`, `discount` and `discounted` (gain / discount) are NaN for a
        result that is not scored: beyond k, or unjudged where these are skipped.
        """
        from pytest_relevance.results.frames import rankings_frame

        return rankings_frame(self.results)
