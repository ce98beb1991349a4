"""The checks of files as a case file names them: judgments, queries and the catalogue."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_relevance._text import found, listed, quoted
from pytest_relevance.cases.checking.values import names_in, unknown_keys
from pytest_relevance.cases.model import CatalogueFile
from pytest_relevance.cases.problems import Location, Path

FILE, ONLY, JUDGED = "file", "only", "judged"
FILL = "fill"
_READING = (FILE, "format", "query", "grade_column")
_JUDGMENT_KEYS = (*_READING, FILL)
_QUERY_KEYS = (*_READING, ONLY)
_YES_OR_NO = (True, "true", False, "false")  # among judgments, names of grades, words are text
_CATALOGUE_KEYS = (FILE, "id", "title", "show", "url", "image")


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file as a case file names it.

    `query` says where in it the texts of queries are, for formats that need that, and `grade_column` which column has
    the grades. `fill`: its grades count only where nobody else has judged.
    `only_judged`: queries without judgments are left out of a file of queries. `at` is the path to the name
    of the file from the value of the key.
    """

    name: str
    format: str | None = None
    query: str | None = None
    grade_column: str | None = None
    fill: bool = False
    only_judged: bool = field(default=False, compare=False)
    at: Path = field(default=(), compare=False)


def check_query_files(value: object, at: Location) -> object:
    """Files of queries: `{file: ..., only: judged}` leaves out the queries without judgments."""
    return check_files(value, at, _QUERY_KEYS)


def check_suite_judgments(value: object, at: Location) -> object:
    """The `judgments` of a suite, which are in files."""
    if isinstance(value, Mapping) and FILE not in value:
        return at.refuse(
            "the judgments of a suite are in a file, whose name stands here (judgments: qrels.txt); "
            "document: grade pairs go into the case whose query they are about"
        )
    return check_files(value, at)


def check_files(value: object, at: Location, keys: Sequence[str] = _JUDGMENT_KEYS) -> object:
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
    before = at.scope.mistakes
    file = _described(value, keys, expected, at)
    if file is None or at.scope.mistakes > before:
        return None
    if file.get(ONLY, JUDGED) != JUDGED:
        at.refuse(f"expected {JUDGED}, found {found(file[ONLY])}", ONLY)
    path = (*path, FILE) if file is value else path
    query, column = file.get("query"), file.get("grade_column")
    return NamedFile(file[FILE], _format(file, at), query, column, file.get(FILL) in _YES_OR_NO[:2], ONLY in file, path)


def _described(value: object, keys: Sequence[str], expected: str, at: Location) -> Mapping[str, Any] | None:
    """The mapping that describes a file, whose values but `show` are text: `{file: ...}` for a name alone.

    None if it describes no file.
    """
    if isinstance(value, str) and value:
        return {FILE: value}
    if not isinstance(value, Mapping) or FILE not in value:
        return at.refuse(f"expected {expected}, found {found(value)}")  # type: ignore[no-any-return]
    for key, written in value.items():
        if key == FILL and key in keys and written not in _YES_OR_NO:
            at.refuse(f"expected true or false, found {found(written)}", key)
        elif key in keys and key not in ("show", FILL) and not (isinstance(written, str) and written.strip()):
            at.refuse(f"expected text, found {found(written)}", key)
    unknown_keys(value, keys, f"a file has {listed(keys, 'and')} here", at)
    return value


def _format(value: Mapping[str, str], at: Location) -> str | None:
    """The format that is written for a file; None where there is none."""
    if "format" not in value:
        return None
    from pytest_relevance.judgments.reading import check_format  # not imported for suites without files

    try:
        return check_format(value["format"])
    except ValueError as error:
        return at.refuse(str(error), "format")  # type: ignore[no-any-return]


def why_no_file(name: str, folder: str, shown: str) -> str | None:
    """Say why a case file in `folder` cannot name this file, called `shown` in messages; None where it can."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return f"there is no file {shown}; paths are relative to the case file"
    return None if os.path.isfile(path) else f"{shown} is no file"  # a device could be read without end


def check_catalogue(value: object, at: Location) -> object:
    """The catalogue of a suite, as a `CatalogueFile`: a path, or `{file:, id:, title:, show: [...], url:, image:}`."""
    expected = "the name of a file, or {file: ..., id: ..., title: ..., show: [...]}"
    file = _described(value, _CATALOGUE_KEYS, expected, at)
    if file is None:
        return None
    show = names_in(file.get("show", ()), "columns", _wrong_column, at.under("show"))
    names = (file.get(name) for name in ("url", "image"))
    return CatalogueFile(file[FILE], file.get("id"), file.get("title"), show or (), *names)


def _wrong_column(value: object) -> str | None:
    named = isinstance(value, str) and value.strip()
    return None if named else f"expected the name of a column, found {found(value)}"
