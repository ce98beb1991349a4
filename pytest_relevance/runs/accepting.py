"""Accepting rankings into a baseline: in one step, so that nobody ever finds half of it and none is lost."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path

from pytest_relevance.files import write_whole
from pytest_relevance.runs.baseline import END, KIND, VERSION, Entry, Key, read_baseline
from pytest_relevance.runs.lines import as_json

_HOLDS = "the accepted ranking of each case and variant; written by --relevance-update, scores are those of that day"


def write_baseline(path: str | os.PathLike[str], entries: Iterable[Entry]) -> None:
    """Write a baseline in one step, its entries sorted by id and variant. Raises OSError; nothing is written then."""
    header = as_json({"kind": KIND, "version": VERSION, "holds": _HOLDS})
    ordered = sorted(entries, key=lambda entry: (entry.id, entry.variant or ""))
    lines = [header, *(entry.line() for entry in ordered), END]
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
    shown: str | None = None,
    only_new: bool = False,
    all_keys: frozenset[Key] | None = None,
) -> Updated:
    """Accept rankings into a baseline: `only_new` leaves those that it has as they are.

    `all_keys` are those of all cases of the file, when all of the file ran: entries of other cases leave. The file,
    which messages call `shown`, is read again under a lock, so that of two runs that update at once neither loses what
    the other accepted. Raises `RecordError` for a file that cannot be read, OSError where it cannot be written; then it
    is as it was.
    """
    target = Path(os.path.realpath(path))
    with locked(target.parent):
        _sweep(target)
        before = read_baseline(target, shown or os.fspath(path)) if target.exists() else {}
        after = dict(before)
        added = changed = 0
        for entry in accepted:
            known = before.get(entry.key)
            if known is None:
                added += 1
            elif only_new:
                continue
            elif _is_another(known, entry):
                changed += 1
            after[entry.key] = entry
        gone = [key for key in after if all_keys is not None and key not in all_keys]
        for key in gone:
            del after[key]
        updated = Updated(Path(path), added, changed, len(gone), len(after) - added - changed)
        if updated.is_change or not target.exists():
            write_baseline(target, after.values())
    return updated


def _is_another(known: Entry, entry: Entry) -> bool:
    """Whether two entries differ. Parameters that are equal may not be the same: 1 and true."""
    return known != entry or (bool(known.params) and known.line() != entry.line())


def _sweep(target: Path) -> None:
    """Remove what an update that was killed left beside the baseline."""
    for left in target.parent.glob(f".{escape(target.name)}.*.tmp"):
        with suppress(OSError):
            left.unlink()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait until no other run changes a file in a folder. The lock ends with the process, whatever ends that."""
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
