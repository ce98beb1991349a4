"""What the name of a file says of its format, and gzip where the name ends in .gz."""

from __future__ import annotations

import gzip
import os
from collections.abc import Mapping
from pathlib import PurePath

ENDINGS: Mapping[str, str] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".qrels": "trec",
    ".trec": "trec",
    ".txt": "trec",
}
"""The format that a file of judgments has by the ending of its name."""

_PACKED = ".gz"


def format_of_name(path: str | os.PathLike[str]) -> str | None:
    """The format that a file has by its name, `judgments.csv` or `judgments.csv.gz`; None for another ending."""
    endings = [ending.lower() for ending in PurePath(path).suffixes]
    if endings[-1:] == [_PACKED]:
        endings.pop()
    return ENDINGS.get(endings[-1]) if endings else None


def packed(path: str | os.PathLike[str], data: bytes) -> bytes:
    """The bytes as the name of their file asks for: gzip where it ends in .gz, always the same for the same bytes."""
    return gzip.compress(data, mtime=0) if PurePath(path).suffix.lower() == _PACKED else data
