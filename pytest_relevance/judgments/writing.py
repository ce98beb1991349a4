"""Choose the format and the packing of judgments and runs that are written to files.

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
    """Find the format of a file by its name, `judgments.csv` or `judgments.csv.gz`.

    None for another ending.
    """
    endings = [ending.lower() for ending in PurePath(path).suffixes]
    if endings and endings[-1] == ".gz":
        endings.pop()
    if not endings:
        return None
    return _ENDINGS.get(endings[-1])


def packed(path: str | os.PathLike[str], data: bytes) -> bytes:
    """Compress bytes with gzip if the name of their file ends in .gz.

    Equal bytes give equal files.
    """
    if PurePath(path).suffix.lower() == ".gz":
        return gzip.compress(data, mtime=0)
    return data


def write_judgments(judgments: Judgments, format: str) -> Written:
    """Write judgments, and say what the format cannot store of them.

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
    """Write rankings as a TREC run.

    Raises ValueError if there are none, or for an id with white space.
    """
    write = RUN_FORMATS.get("trec").write
    assert write is not None
    return write(rankings)
