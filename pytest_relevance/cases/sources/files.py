"""The files that `judgments:` and `queries:` name: how they are written, where they are, and reading each once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import did_you_mean, found, listed, printable, quoted
from pytest_relevance.cases.problems import Location, Path, Problem

if TYPE_CHECKING:
    from pytest_relevance.judgments.grading import Scale
    from pytest_relevance.judgments.model import Query, Ratings
    from pytest_relevance.judgments.problems import JudgmentFileError

FILE = "file"
ONLY = "only"
JUDGED = "judged"
_KEYS = (FILE, "format", "query", "grade_column")
_OPTIONS = {
    "query": "says in which place the text of a query stands",
    "grade_column": "names the column of the grades",
}
"""What is said of a file in some formats only, and its meaning."""

_MOST_COMPARED = 1000
"""How many names in a folder are compared with that of a missing file."""


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


def check_files(value: object, at: Location) -> object:
    """Judgment files, as a tuple of `NamedFile`s: a name, `{file: ...}` with more about it, or a list of these."""
    return _checked_files(value, _KEYS, at)


def check_query_files(value: object, at: Location) -> object:
    """Files of queries: `{file: ..., only: judged}` leaves out the queries without judgments."""
    return _checked_files(value, (*_KEYS, ONLY), at)


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


def _checked_files(value: object, keys: Sequence[str], at: Location) -> object:
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
    if isinstance(value, str) and value:
        return NamedFile(value, at=path)
    if not isinstance(value, Mapping) or FILE not in value:
        at.refuse(f"expected the name of a file, a list of them, or {{file: ..., format: ...}}, found {found(value)}")
        return None
    for key in value:
        if key not in keys:
            at.refuse(_unknown_key(str(key), value, keys), str(key), at_key=True)
    for key in _KEYS:
        if key in value and (not isinstance(value[key], str) or not value[key]):
            at.refuse(f"expected text, found {found(value[key])}", key)
    if ONLY in value and ONLY in keys and value[ONLY] != JUDGED:
        at.refuse(f"expected {JUDGED}, found {found(value[ONLY])}", ONLY)
    query, column, only_judged = value.get("query"), value.get("grade_column"), value.get(ONLY) == JUDGED
    return NamedFile(str(value[FILE]), _format(value, at), query, column, only_judged, (*path, FILE))


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


def _unknown_key(key: str, value: Mapping[str, object], keys: Sequence[str]) -> str:
    if key == ONLY:
        return f"{ONLY} is for files of queries; take it out here"
    advice = did_you_mean(key, keys)
    if isinstance(value[FILE], str) and not advice:
        advice = f"; a document that is called {FILE} has a number for a grade, or a name of the scale"
    return f"unknown key {quoted(key)}; a file has {listed(keys, 'and')}{advice}"


class Files:
    """Reads the files that a case file names, each once, however often it is named and the case file is read.

    Paths are relative to the case file. Messages name a file by the path that leads there from where `shown`, the name
    of the case file in messages, does.
    """

    def __init__(self, file: str, shown: str) -> None:
        self._folder = os.path.dirname(file)
        self._shown_folder = os.path.dirname(shown)
        self._read: dict[tuple[Callable[..., object], NamedFile], object] = {}

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the files that were asked for, in that order."""
        return tuple(dict.fromkeys(self._path(named) for _, named in self._read))

    def shown(self, named: NamedFile) -> str:
        """The path of a file in messages."""
        return printable(os.path.normpath(os.path.join(self._shown_folder, named.name)))

    def ratings(self, named: NamedFile, at: Location) -> Ratings | None:
        """Read the ratings in a file of judgments, as they are written; None where there are mistakes."""
        return self._once(_ratings, named, at)  # type: ignore[return-value]

    def queries(self, named: NamedFile, at: Location) -> Sequence[Query] | None:
        """Read the queries in a file of queries; None where there are mistakes."""
        return self._once(_queries, named, at)  # type: ignore[return-value]

    def _path(self, named: NamedFile) -> str:
        return os.path.join(self._folder, named.name)

    def _once(self, read: Callable[[str, NamedFile, str], object], named: NamedFile, at: Location) -> object:
        key = read, named
        if key not in self._read:
            self._read[key] = self._result(read, named)
        result = self._read[key]
        if isinstance(result, str):
            return at.refuse(result, *named.at)
        if isinstance(result, Exception):
            return refuse_file(result, at.under(*named.at))  # type: ignore[arg-type]
        return result

    def _result(self, read: Callable[[str, NamedFile, str], object], named: NamedFile) -> object:
        """The content of a file, or what is wrong with it: a message, or the error of reading it."""
        from pytest_relevance.judgments.problems import JudgmentFileError

        path, shown = self._path(named), self.shown(named)
        if not os.path.exists(path):
            return f"there is no file {shown}{self._instead(named.name)}"
        if not os.path.isfile(path):  # a device could be read without end
            return f"{shown} is no file"
        try:
            return read(path, named, shown)
        except JudgmentFileError as error:
            return error

    def _instead(self, name: str) -> str:
        """Say which file could be meant by a name that leads nowhere."""
        if os.path.exists(name):
            try:
                path = os.path.relpath(name, self._folder or os.curdir)
            except ValueError:  # another drive
                path = os.path.abspath(name)
            return f"; paths are relative to the case file, write {printable(path)}"
        inner, base = os.path.split(name)
        try:
            names = os.listdir(os.path.join(self._folder, inner) or os.curdir)
        except (OSError, ValueError):  # ValueError: a name with a NUL
            return ", nor the folder; paths are relative to the case file"
        return did_you_mean(base, sorted(names)[:_MOST_COMPARED]) or "; paths are relative to the case file"


def _ratings(path: str, named: NamedFile, shown: str) -> Ratings:
    from pytest_relevance.judgments.reading import options_of, read_ratings
    from pytest_relevance.judgments.source import Source

    return read_ratings(Source.read(path, shown, options_of(named.query, named.grade_column)), named.format)


def _queries(path: str, named: NamedFile, shown: str) -> Sequence[Query]:
    from pytest_relevance.judgments.reading import load_queries

    return load_queries(path, named.format, query=named.query, grade_column=named.grade_column, shown=shown)


def refuse_file(error: JudgmentFileError, at: Location) -> Any:
    """Report what is wrong with a file at its position there, or where the file is named. Returns None."""
    for problem in error.problems:
        if problem.line is None and problem.path is None:
            at.refuse(problem.render(error.file))
            continue
        message = f"{problem.path}: {problem.message}" if problem.path else problem.message
        at.refuse_elsewhere(message, partial(_problem, problem.line, message, error.file))


def _problem(line: int | None, message: str, file: str, case: str | None) -> Problem:
    return Problem(line or 0, 0, message, case, file)
