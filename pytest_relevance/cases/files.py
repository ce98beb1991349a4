"""The files that `judgments:` and `queries:` name: how they may be written, where they are, and reading each once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from pytest_relevance._text import did_you_mean, found, listed, printable, quoted
from pytest_relevance.cases.problems import Path, Problem, Refused, RefusedSeveral

if TYPE_CHECKING:
    from pytest_relevance.judgments.model import Query, Ratings
    from pytest_relevance.judgments.problems import FileProblem, JudgmentFileError
    from pytest_relevance.judgments.scale import Scale

FILE = "file"
ONLY = "only"
JUDGED = "judged"
_KEYS = (FILE, "format", "query", "grade_column")
_KEYS_OF_QUERIES = (*_KEYS, ONLY)
_FOR: Mapping[str, str] = {
    "query": "query is for Elasticsearch requests, where it says in which place the text of a query stands",
    "grade_column": "grade_column is for tables and JSON objects, where it names the column of the grades",
}
"""What is said of a file for some formats only, and which those are in words."""

_EXPECTED = "expected the name of a file, a list of them, or {file: ..., format: ...}"
_MOST_LOOKED_AT = 1000
"""Files in a folder that are compared with the name of a missing one."""

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file as a case file names it. `query` says where in it the texts of queries are, for formats that need that;
    `grade_column` which column has the grades.

    `only_judged`: of a file of queries, those without judgments are left out. `at` leads to its name from the value of
    the key.
    """

    name: str
    format: str | None = None
    query: str | None = None
    grade_column: str | None = None
    only_judged: bool = field(default=False, compare=False)
    at: Path = field(default=(), compare=False)


def check_files(value: object, terms: Mapping[str, object]) -> tuple[NamedFile, ...]:
    """A file, `{file: ...}` with what is to be said about it, or a list of these."""
    return _checked_files(value, _KEYS)


def check_query_files(value: object, terms: Mapping[str, object]) -> tuple[NamedFile, ...]:
    """Files of queries: `{file: ..., only: judged}` leaves out the queries without judgments."""
    return _checked_files(value, _KEYS_OF_QUERIES)


def _checked_files(value: object, keys: Sequence[str]) -> tuple[NamedFile, ...]:
    if not isinstance(value, (list, tuple)):
        return (_named(value, (), keys),)
    files: list[NamedFile] = []
    refusals: list[Refused] = []
    for number, item in enumerate(value):
        try:
            named = _named(item, (number,), keys)
            if named in files:
                raise Refused(f"the file {quoted(named.name)} stands twice; keep one of them", named.at)
            files.append(named)
        except (Refused, RefusedSeveral) as error:
            refusals += error.all()
    if refusals:
        raise RefusedSeveral(refusals)
    if not files:
        raise Refused("the list of files is empty; name a file, or leave the key out")
    return tuple(files)


def check_suite_judgments(value: object, terms: Mapping[str, object]) -> tuple[NamedFile, ...]:
    """`judgments` of a suite, which are in files."""
    if isinstance(value, Mapping) and FILE not in value:
        raise Refused(
            "the judgments of a suite are in a file, whose name stands here (judgments: qrels.txt); "
            "document: grade pairs go into the case whose query they are about"
        )
    return check_files(value, terms)


def is_file(value: Mapping[object, object], scale: Scale | None) -> bool:
    """Whether a mapping under the `judgments` of a case is a file with something to say about it.

    It is where it has the key `file`, whose value is text that names no grade of the scale. Otherwise it is a document
    of that name.
    """
    written = value.get(FILE)
    return isinstance(written, str) and written not in (scale.names if scale is not None else ())


def _named(value: object, at: Path, keys: Sequence[str]) -> NamedFile:
    """A file from its name, or from a mapping that may have these keys."""
    if isinstance(value, str) and value:
        return NamedFile(value, at=at)
    if not isinstance(value, Mapping) or FILE not in value:
        raise Refused(f"{_EXPECTED}, found {found(value)}", at)
    refusals = [_unknown(key, value, at, keys) for key in value if key not in keys]
    for key in _KEYS:
        written = value.get(key)
        if key in value and (not isinstance(written, str) or not written):
            refusals.append(Refused(f"expected text, found {found(written)}", (*at, key)))
    only = value.get(ONLY)
    if ONLY in value and ONLY in keys and only != JUDGED:
        refusals.append(Refused(f"expected {JUDGED}, found {found(only)}", (*at, ONLY)))
    format = value.get("format")
    if isinstance(format, str) and format:
        from pytest_relevance.judgments.reading import OPTIONS, check_format  # only a suite with files needs them

        try:
            format = check_format(format)
        except ValueError as error:
            refusals.append(Refused(str(error), (*at, "format")))
        else:
            refusals += [
                Refused(f"{what}; {format} needs none, take it out").under(*at, option)
                for option, what in _FOR.items()
                if option in value and format not in OPTIONS[option][0]
            ]
    if refusals:
        raise RefusedSeveral(refusals)
    return NamedFile(value[FILE], format, value.get("query"), value.get("grade_column"), only == JUDGED, (*at, FILE))


def _unknown(key: object, value: Mapping[object, object], at: Path, keys: Sequence[str]) -> Refused:
    if key == ONLY:
        return Refused(f"{ONLY} is for files of queries; take it out here", (*at, ONLY), at_key=True)
    close = did_you_mean(str(key), keys)
    document = ""
    if isinstance(value.get(FILE), str) and not close:
        document = f"; a document that is called {FILE} has a number for a grade, or a name of the scale"
    what = f"unknown key {quoted(str(key))}; a file has {listed(keys, 'and')}{close}{document}"
    return Refused(what, (*at, str(key)), at_key=True)


class Files:
    """Reads the files that a case file names, each once, however often it is named and the case file is read.

    Paths are relative to the case file. Messages name them so that they lead there from where `shown`, the name of the
    case file in messages, does.
    """

    def __init__(self, file: str, shown: str) -> None:
        self._folder = os.path.dirname(file)
        self._shown_folder = os.path.dirname(shown)
        self._read: dict[tuple[Callable[..., object], NamedFile], object] = {}

    @property
    def paths(self) -> tuple[str, ...]:
        """What was read, in the order of reading."""
        return tuple(dict.fromkeys(self._path(named) for _, named in self._read))

    def shown(self, named: NamedFile) -> str:
        """A file as messages name it."""
        return printable(os.path.normpath(os.path.join(self._shown_folder, named.name)))

    def ratings(self, named: NamedFile) -> Ratings:
        """The ratings in a file of judgments, as they are written. `Refused` or `RefusedSeveral`."""
        return self._once(_ratings, named)

    def queries(self, named: NamedFile) -> Sequence[Query]:
        """The queries in a file of queries. `Refused` or `RefusedSeveral`."""
        return self._once(_queries, named)

    def _path(self, named: NamedFile) -> str:
        return os.path.join(self._folder, named.name)

    def _once(self, read: Callable[[str, NamedFile, str], Found], named: NamedFile) -> Found:
        key = read, named
        if key not in self._read:
            from pytest_relevance.judgments.problems import JudgmentFileError

            path, shown = self._path(named), self.shown(named)
            try:
                if not os.path.exists(path):
                    raise Refused(f"there is no file {shown}{_instead(named.name, self._folder)}")
                if not os.path.isfile(path):  # a device could be read without end
                    raise Refused(f"{shown} is no file")
                self._read[key] = read(path, named, shown)
            except Refused as refused:
                self._read[key] = refused
            except JudgmentFileError as error:
                self._read[key] = RefusedSeveral(refusals_of(error))
        result = self._read[key]
        if isinstance(result, (Refused, RefusedSeveral)):
            raise result
        return result  # type: ignore[return-value]


def _ratings(path: str, named: NamedFile, shown: str) -> Ratings:
    from pytest_relevance.judgments.reading import options_of, read_ratings
    from pytest_relevance.judgments.source import Source

    return read_ratings(Source.read(path, shown, options_of(named.query, named.grade_column)), named.format)


def _queries(path: str, named: NamedFile, shown: str) -> Sequence[Query]:
    from pytest_relevance.judgments.reading import load_queries

    return load_queries(path, named.format, query=named.query, grade_column=named.grade_column, shown=shown)


def _instead(name: str, folder: str) -> str:
    """What else could be meant by a name that leads nowhere."""
    if os.path.exists(name):
        try:
            where = os.path.relpath(name, folder or os.curdir)
        except ValueError:  # another drive
            where = os.path.abspath(name)
        return f"; paths are relative to the case file, write {printable(where)}"
    inner, base = os.path.split(name)
    try:
        beside = os.listdir(os.path.join(folder, inner) or os.curdir)
    except (OSError, ValueError):  # ValueError: a name with a NUL
        return ", nor the folder; paths are relative to the case file"
    close = did_you_mean(base, sorted(beside)[:_MOST_LOOKED_AT])
    return close or "; paths are relative to the case file"


def refusals_of(error: JudgmentFileError) -> list[Refused]:
    """What is wrong with a file, each mistake at its place there; what is wrong with all of it, where it is named."""

    def refused(problem: FileProblem) -> Refused:
        if problem.line is None and problem.path is None:
            return Refused(problem.render(error.file))
        path = f"{problem.path}: " if problem.path else ""
        message = f"{path}{problem.message}"
        return Refused(message, elsewhere=lambda case: Problem(problem.line or 0, 0, message, case, error.file))

    return [refused(problem) for problem in error.problems]
