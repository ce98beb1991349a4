"""The baseline of a case file on disk: the accepted ranking of each case and variant, meant to be committed.

It has a header, one line for each entry, sorted, so that a pull request shows what moved, one for the title of each
document in them, as far as these are known, and an end line; without that the file is incomplete. There is no count
of the entries, so that version control can merge two branches that add one each. docs/record-format.md describes the
format.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from glob import escape
from pathlib import Path
from typing import Any

from pytest_relevance._files import write_whole
from pytest_relevance._text import quoted
from pytest_relevance.results.case_parts import from_builtin, to_builtin
from pytest_relevance.results.record import as_json, check_values, read_header, read_lines, read_object
from pytest_relevance.results.run_info import Fingerprint, RecordError, checked, common

SUFFIX = ".baseline.jsonl"
"""The suffix that the name of a case file gets in that of its baseline."""

KIND = "pytest-relevance baseline"
VERSION = 1
END = '{"end":true}'
"""The last line of a baseline."""

EntryKey = tuple[str, str | None]
"""The key of an entry in its baseline: the id of the case, and the variant of its search."""

_HOLDS = "the accepted ranking of each case and variant; written by --relevance-update, scores are those of that day"
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


def baseline_path(case_file: str | os.PathLike[str]) -> Path:
    """The path of the baseline of a case file."""
    return Path(f"{os.fspath(case_file)}{SUFFIX}")


def has_baseline(case_file: str | os.PathLike[str]) -> bool:
    """Whether a case file has a baseline. A link to a missing file counts: reading it raises `RecordError`."""
    return os.path.lexists(baseline_path(case_file))


def orphaned_baselines(folder: str | os.PathLike[str]) -> list[str]:
    """The names of the baselines in a folder whose case file is not there: it was renamed, say. Raises OSError."""
    names = set(os.listdir(folder))
    return sorted(name for name in names if name.endswith(SUFFIX) and name.removesuffix(SUFFIX) not in names)


@dataclass(frozen=True, slots=True)
class BaselineEntry:
    """The accepted ranking of a case in one variant, and what was searched for.

    `ranking` is `whole` where it is all that was returned, and otherwise as deep as the case looked (`depth`). A whole
    ranking is `cut` where the search returned as many results as it was asked for, and no depth was set. `scores` are
    those when it was accepted, for readers of a diff of the file; a comparison scores the ranking again.
    """

    id: str
    variant: str | None
    query: str
    params: Mapping[str, Any]
    depth: int
    ranking: tuple[str, ...]
    scores: Mapping[str, float | None] = field(default_factory=dict)
    whole: bool = False
    cut: bool = False

    @property
    def key(self) -> EntryKey:
        """The key of the entry in its file."""
        return self.id, self.variant

    @property
    def line(self) -> str:
        """Its line in the file."""
        return as_json({**to_builtin(self), "params": with_sorted_keys(self.params)})


def with_sorted_keys(value: Any) -> Any:
    """A value with the keys of its mappings sorted, at every depth: their order has no meaning."""
    if isinstance(value, Mapping):
        return {name: with_sorted_keys(value[name]) for name in sorted(value, key=str)}
    return [*map(with_sorted_keys, value)] if isinstance(value, (list, tuple)) else value


class BaselineEntries(dict[EntryKey, BaselineEntry]):
    """The entries of a baseline by their keys; `titles` are those of their documents, as far as they are known."""

    def __init__(self, entries: Iterable[BaselineEntry] = (), titles: Mapping[str, str] | None = None) -> None:
        super().__init__({entry.key: entry for entry in entries})
        self.titles: dict[str, str] = dict(titles or {})


def baseline_fingerprint(path: str | os.PathLike[str], shown: str | None = None) -> Fingerprint:
    """The fingerprint that all entries of a baseline were accepted under, as its header has it; empty without one.

    Messages call the file `shown`. Raises `RecordError` for a header that cannot be read.
    """
    file = shown if shown is not None else os.fspath(path)
    header = read_header(file, read_lines(path, file), KIND, VERSION)
    try:
        return checked(header.get("fingerprint", {}))
    except ValueError as error:
        raise RecordError(f"{file}:1: the fingerprint is damaged: {error}; restore the file") from None


def read_baseline(path: str | os.PathLike[str], shown: str | None = None) -> BaselineEntries:
    """Read a baseline, which messages call `shown`. Raises `RecordError`, which names the line and what is wrong."""
    file = shown if shown is not None else os.fspath(path)
    if os.path.islink(path) and not os.path.exists(path):
        target = quoted(os.readlink(path))
        raise RecordError(f"{file}: is a link to {target}, which is not there; restore that file, or delete the link")
    lines = read_lines(path, file)
    read_header(file, lines, KIND, VERSION)
    entries = BaselineEntries()
    ended = 0
    for number, line in lines:
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
            if "document" in values:
                check_values(values, _Title)
                entries.titles[values["document"]] = values["title"]
                continue
            check_values(values, BaselineEntry)
            entry = from_builtin(BaselineEntry, values)
        except ValueError as error:
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


@dataclass(frozen=True, slots=True)
class _Title:
    """A line of a baseline with the title of a document."""

    document: str
    title: str


def write_baseline(
    path: str | os.PathLike[str],
    entries: Iterable[BaselineEntry],
    titles: Mapping[str, str] | None = None,
    fingerprint: Fingerprint | None = None,
) -> None:
    """Write a baseline in one step, entries sorted by id and variant, then the titles of their documents.

    Raises OSError; then nothing is written.
    """
    searched = {"fingerprint": with_sorted_keys(fingerprint)} if fingerprint else {}
    header = as_json({"kind": KIND, "version": VERSION, "holds": _HOLDS, **searched})
    ordered = sorted(entries, key=lambda entry: (entry.id, entry.variant or ""))
    named = [as_json(to_builtin(_Title(document, title))) for document, title in sorted((titles or {}).items())]
    lines = [header, *(entry.line for entry in ordered), *named, END, ""]
    write_whole(path, "\n".join(lines).encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Updated:
    """How many entries an update of a baseline added, changed, dropped, and left as they were.

    `rescored` are those of the changed ones of which the ranking stayed: their scores, or metrics, are others. `titles`
    is how many titles of documents it added or changed. `has_new_fingerprint`: the fingerprint in its header is another
    one now.
    """

    added: int
    changed: int
    dropped: int
    kept: int
    titles: int = 0
    rescored: int = 0
    has_new_fingerprint: bool = False

    @property
    def is_change(self) -> bool:
        """Whether there was anything to write."""
        return bool(self.added or self.changed or self.dropped or self.titles)


def update_baseline(
    path: str | os.PathLike[str],
    entries: Iterable[BaselineEntry],
    *,
    shown: str | None = None,
    only_new: bool = False,
    all_keys: frozenset[EntryKey] | None = None,
    titles: Mapping[str, str] | None = None,
    fingerprint: Fingerprint | None = None,
) -> Updated:
    """Accept rankings into a baseline, which messages call `shown`; `only_new` leaves the entries that it has.

    `all_keys` are those of all cases of the file, given when all of it ran: entries of other cases are dropped.
    `titles` are those of documents, kept with those that the file has for the documents in its rankings. `fingerprint`
    says what was searched; where entries stay that were accepted earlier, what both have in common is kept. The file
    is read again under a lock, so that of two runs that update at once neither loses what the other accepted. Raises
    `RecordError` for a file that cannot be read, and OSError where it cannot be written; then it is as it was.
    """
    target = Path(os.path.realpath(path))
    with locked(target.parent):
        _remove_leftovers(target)
        file, exists = shown or os.fspath(path), target.exists()
        before = read_baseline(target, file) if exists else BaselineEntries()
        searched = baseline_fingerprint(target, file) if exists else {}
        after, accepted = dict(before), set()
        added = changed = rescored = 0
        for entry in entries:
            known = before.get(entry.key)
            if known is not None and only_new:
                continue
            added += known is None
            if known is not None and known.line != entry.line:  # 1 equals true, and is not the same
                changed += 1
                rescored += replace(known, scores=entry.scores).line == entry.line
            after[entry.key] = entry
            accepted.add(entry.key)
        gone = [key for key in after if all_keys is not None and key not in all_keys]
        for key in gone:
            del after[key]
        ranked = {document for entry in after.values() for document in entry.ranking}
        named = {
            document: title for document, title in {**before.titles, **(titles or {})}.items() if document in ranked
        }
        renamed = len(named.items() - before.titles.items())
        found = fingerprint or {}
        if after.keys() - accepted:
            found = common([searched, found]) if added or changed else searched
        updated = Updated(added, changed, len(gone), len(after) - added - changed, renamed, rescored, found != searched)
        if updated.is_change or updated.has_new_fingerprint or not exists:
            write_baseline(target, after.values(), named, found)
    return updated


def _remove_leftovers(target: Path) -> None:
    """Remove the temporary files of updates that were killed."""
    for left in target.parent.glob(f".{escape(target.name)}.*.tmp"):
        with suppress(OSError):
            left.unlink()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait until no other run changes a file in a folder. The lock ends with the process. Raises OSError."""
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
