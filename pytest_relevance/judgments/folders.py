"""Find the files in a folder of BEIR or MTEB: `queries.jsonl` and `qrels/test.tsv`.

MTEB also writes folders `queries` and `qrels` with Parquet. The corpus is not read.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from pytest_relevance._text import listed

QUERIES = "queries"
JUDGMENTS = "judgments"

_ENDINGS = (".jsonl", ".tsv", ".csv", ".parquet", ".jsonl.gz", ".tsv.gz", ".csv.gz")
_QRELS = "qrels"
_MOST_NAMED = 6


class NotInFolder(ValueError):
    """A folder does not have one file with queries, or with judgments."""


def file_in(folder: str, needed: str, shown: str) -> str:
    """Return the path of the file with `QUERIES` or `JUDGMENTS`, from the folder.

    `shown`: the name of the folder in messages.

    Raises:
        NotInFolder: the folder has no such file, or several.
    """
    found = _files_in(folder, needed)
    if not found:
        wanted = "queries.jsonl" if needed == QUERIES else "qrels/test.tsv"
        raise NotInFolder(
            f"{shown} is a folder without {wanted}, which folders of BEIR and MTEB have; name a file"
        )
    if len(found) > 1:
        names = listed(found[:_MOST_NAMED], "and")
        raise NotInFolder(
            f"{shown} is a folder with {len(found)} files of {needed}, {names}; name one of them, as in {needed}: "
            f"{shown}/{found[0]}"
        )
    return found[0]


def has_file(folder: str, needed: str) -> bool:
    """Say whether a folder has a file with `QUERIES` or `JUDGMENTS`."""
    return bool(_files_in(folder, needed))


def _files_in(folder: str, needed: str) -> Sequence[str]:
    """Return the paths of all files with queries or with judgments, from the folder."""
    name = QUERIES if needed == QUERIES else _QRELS
    found = []
    for ending in _ENDINGS:
        if os.path.isfile(os.path.join(folder, f"{name}{ending}")):
            found.append(f"{name}{ending}")
    inner = os.path.join(folder, name)
    if os.path.isdir(inner):
        for file in sorted(os.listdir(inner)):
            if file.endswith(_ENDINGS):
                found.append(f"{name}/{file}")
    return found
