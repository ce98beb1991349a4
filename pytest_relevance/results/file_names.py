"""How case files are called when the cases of several runs are matched."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence


def file_names(files: Sequence[Collection[str]]) -> Callable[[str], str]:
    """Return a function that maps a case file to its name for matching.

    Two checkouts may have a file in different folders. `files` are those of each run.
    """
    if all(len(own) <= 1 for own in files):
        return lambda file: ""
    for own in files:
        if len({_without_folder(file) for file in own}) < len(own):
            return str
    return _without_folder


def _without_folder(file: str) -> str:
    return file.rpartition("/")[2]
