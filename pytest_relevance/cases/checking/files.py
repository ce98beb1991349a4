"""The checks of files as a case file names them: judgments, queries and the catalogue."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pytest_relevance._text import closest, did_you_mean, found, listed, printable, quoted
from pytest_relevance.cases.checking.values import names_in, unknown_keys
from pytest_relevance.cases.model import CatalogueFile
from pytest_relevance.cases.problems import Location, Path
from pytest_relevance.judgments.scale import Scale

FILE = "file"
ONLY = "only"
JUDGED = "judged"
_FILE_KEYS = (FILE, "format", "query", "grade_column")
_OPTIONS = {"query": "says in which place the text of a query stands", "grade_column": "names the column of the grades"}
"""Keys that some formats need, with their meanings."""
_A_DOCUMENT = f"; a document that is called {FILE} has a number for a grade, or a name of the scale"


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file as a case file names it.

    `query` says where in it the texts of queries are, for formats that need that, and `grade_column` which column has
    the grades. `only_judged`: queries without judgments are left out of a file of queries. `at` is the path to the name
    of the file from the value of the key.
    """

    name: str
    format: str | None = None
    query: str | None = None
    grade_column: str | None = None
    only_judged: bool = field(default=False, compare=False)
    at: Path = field(default=(), compare=False)


def check_query_files(value: object, at: Location) -> object:
    """Files of queries: `{file: ..., only: judged}` leaves out the queries without judgments."""
    return check_files(value, at, (*_FILE_KEYS, ONLY))


def check_suite_judgments(value: object, at: Location) -> object:
    """The `judgments` of a suite, which are in files."""
    if isinstance(value, Mapping) and FILE not in value:
        return at.refuse(
            "the judgments of a suite are in a file, whose name stands here (judgments: qrels.txt); "
            "document: grade pairs go into the case whose query they are about"
        )
    return check_files(value, at)


def is_file(value: Mapping[object, object], scale: Scale | None) -> bool:
    """Whether a mapping under the `judgments` of a case describes a file.

    It does where it has the key `file` with a text that names no grade of the scale. Otherwise that is a document.
    """
    written = value.get(FILE)
    return isinstance(written, str) and written not in (scale.names if scale is not None else ())


def check_files(value: object, at: Location, keys: Sequence[str] = _FILE_KEYS) -> object:
    """Files, as a tuple of `NamedFile`s: a name, `{file: ...}` with any of `keys`, or a list of both."""
    if not isinstance(value, (list, tuple)):
        return (_named(value, keys, at, ()),)
    files: list[NamedFile | None] = []
    for index, item in enumerate(value):
        named = _named(item, keys, at.under(index), (index,))
        if named is not None and named in files:
            at.refuse(f"the file {quoted(named.name)} stands twice; keep one of them", *named.at)
        files.append(named)
    if not files:
        at.refuse("the list of files is empty; name a file, or leave the key out")
    return tuple(files)


def _named(value: object, keys: Sequence[str], at: Location, path: Path) -> NamedFile | None:
    """A file from its name, or from a mapping that may have these keys; `path` leads to it."""
    expected = "the name of a file, a list of them, or {file: ..., format: ...}"
    file = _name_and_more(value, dict.fromkeys(_FILE_KEYS, "text"), expected, at)
    if file is None:
        return None
    if ONLY in file and ONLY not in keys:
        at.refuse(f"{ONLY} is for files of queries; take it out here", ONLY, at_key=True)
    advice = _A_DOCUMENT * isinstance(file[FILE], str)
    unknown_keys(file, (*_FILE_KEYS, ONLY), f"a file has {listed(keys, 'and')}", at, advice)
    if ONLY in file and ONLY in keys and file[ONLY] != JUDGED:
        at.refuse(f"expected {JUDGED}, found {found(file[ONLY])}", ONLY)
    query, column, only_judged = file.get("query"), file.get("grade_column"), file.get(ONLY) == JUDGED
    if file is value:
        path = (*path, FILE)
    return NamedFile(str(file[FILE]), _format(file, at), query, column, only_judged, path)


def _name_and_more(value: object, texts: Mapping[str, str], expected: str, at: Location) -> Mapping[str, Any] | None:
    """The mapping that describes a file: `{file: ...}` for a name alone; None if it describes no file.

    `texts` maps the keys whose values are text to their descriptions in messages.
    """
    if isinstance(value, str) and value:
        return {FILE: value}
    if not isinstance(value, Mapping) or FILE not in value:
        return at.refuse(f"expected {expected}, found {found(value)}")  # type: ignore[no-any-return]
    for key, what in texts.items():
        if key in value and not (isinstance(value[key], str) and value[key].strip()):
            at.refuse(f"expected {what}, found {found(value[key])}", key)
    return value


def _format(value: Mapping[str, object], at: Location) -> str | None:
    """The format that is written for a file; None where there is none."""
    written = value.get("format")
    if not isinstance(written, str) or not written:
        return None
    from pytest_relevance.judgments.reading import OPTIONS, check_format  # not imported for suites without files

    try:
        format = check_format(written)
    except ValueError as error:
        at.refuse(str(error), "format")
        return None
    for option, meaning in _OPTIONS.items():
        formats, what = OPTIONS[option]
        if option in value and format not in formats:
            at.refuse(f"{option} is for {what}, where it {meaning}; {format} needs none, take it out", option)
    return format


_MOST_FILES_COMPARED = 1000
"""How many names in a folder are compared with the name of a missing file."""


def why_no_file(name: str, folder: str, shown: str) -> str | None:
    """Say why a case file in `folder` cannot name this file, called `shown` in messages; None where it can."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return f"there is no file {shown}{_instead(name, folder)}"
    return None if os.path.isfile(path) else f"{shown} is no file"  # a device could be read without end


def _instead(name: str, folder: str) -> str:
    """Say which file could be meant by a name that leads nowhere."""
    if os.path.exists(name):
        with suppress(ValueError):  # another drive
            return (
                f"; paths are relative to the case file, write {printable(os.path.relpath(name, folder or os.curdir))}"
            )
    inner, base = os.path.split(name)
    try:
        names = os.listdir(os.path.join(folder, inner) or os.curdir)
    except (OSError, ValueError):  # ValueError: a name with a NUL
        return ", nor the folder; paths are relative to the case file"
    stem, _ = os.path.splitext(base)  # the ending makes any two short names alike; a dangling link has the very name
    others = (name for name in sorted(names)[:_MOST_FILES_COMPARED] if name != base)
    close = did_you_mean(base, [name for name in others if closest(stem, (os.path.splitext(name)[0],))])
    return f"{close} Paths are relative to the case file" if close else "; paths are relative to the case file"


_A_COLUMN = "the name of a column"
_OF_CATALOGUE = {FILE: "the name of a file", "id": _A_COLUMN, "title": _A_COLUMN}
_CATALOGUE_HAS = f"a catalogue has {listed([*_OF_CATALOGUE, 'show'], 'and')}"


def check_catalogue(value: object, at: Location) -> object:
    """The catalogue of a suite, as a `CatalogueFile`: a path, or `{file:, id:, title:, show: [...]}`."""
    expected = "the name of a file, or {file: ..., id: ..., title: ..., show: [...]}"
    file = _name_and_more(value, _OF_CATALOGUE, expected, at)
    if file is None:
        return None
    unknown_keys(file, (*_OF_CATALOGUE, "show"), _CATALOGUE_HAS, at)
    show = names_in(file.get("show", ()), "columns", _wrong_column, at.under("show"))
    return CatalogueFile(file[FILE], file.get("id"), file.get("title"), show or ())


def _wrong_column(value: object) -> str | None:
    return None if isinstance(value, str) and value.strip() else f"expected {_A_COLUMN}, found {found(value)}"
