"""Choose the format and the compression of files of judgments and runs.

The formats themselves are in `FORMATS` and `RUN_FORMATS`, those with a function
`write`.
"""

from __future__ import annotations

import gzip
import os
from pathlib import PurePath

from pytest_relevance.judgments.formats import (
    FORMATS,
    RUN_FORMATS,
    Rankings,
    Written,
)
from pytest_relevance.judgments.model import Judgments

RUN = "run"
"""What commands call a TREC run, among the formats of judgments."""

_ENDINGS = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".trec": "trec",
    ".qrels": "trec",
    ".txt": "trec",
    ".run": RUN,
}
"""The format of a file by the ending of its name."""


def written_formats() -> list[str]:
    """Return the names of the formats of judgments that the package writes."""
    names = []
    for name in FORMATS.bundled_names:
        if FORMATS.get(name).write is not None:
            names.append(name)
    return sorted(names)


def format_of_name(path: str | os.PathLike[str]) -> str | None:
    """Return the format that the ending of a file name means; None if unknown.

    A last `.gz` does not matter: `judgments.csv.gz` is "csv".
    """
    endings = [ending.lower() for ending in PurePath(path).suffixes]
    if endings and endings[-1] == ".gz":
        endings.pop()
    if not endings:
        return None
    return _ENDINGS.get(endings[-1])


def packed(path: str | os.PathLike[str], data: bytes) -> bytes:
    """Return the bytes for a file: compressed with gzip if its name ends in .gz.

    Equal data give equal bytes.
    """
    if PurePath(path).suffix.lower() == ".gz":
        return gzip.compress(data, mtime=0)
    return data


def write_judgments(judgments: Judgments, format: str) -> Written:
    """Return the bytes of a file with the judgments, and what its format cannot hold.

    Raises:
        KeyError: there is no such format.
        ValueError: the format is not written, there are no judgments, or the format
            cannot have some of the ids or grades; a line for each mistake.
    """
    write = FORMATS.get(format).write
    if write is None:
        raise ValueError(f"the format {format} is read, and not written")
    with FORMATS.calling(format):
        return write(judgments)


def write_run(rankings: Rankings) -> Written:
    """Return the bytes of a TREC run with these rankings.

    Raises ValueError if there are no rankings, or if an id has white space.
    """
    write = RUN_FORMATS.get("trec").write
    assert write is not None
    return write(rankings)
