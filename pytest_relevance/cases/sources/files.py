"""The checks of the files that `judgments:` and `queries:` name, which make `NamedFile`s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pytest_relevance._text import found, listed, quoted
from pytest_relevance.cases.checks import unknown_keys
from pytest_relevance.cases.problems import Location, Path
from pytest_relevance.judgments.scale import Scale

FILE = "file"
ONLY = "only"
JUDGED = "judged"
_KEYS = (FILE, "format", "query", "grade_column")
_OPTIONS = {
    "query": "says in which place the text of a query stands",
    "grade_column": "names the column of the grades",
}
"""What is said of a file in some formats only, and its meaning."""

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
    if ONLY in value and ONLY not in keys:
        at.refuse(f"{ONLY} is for files of queries; take it out here", ONLY, at_key=True)
    unknown_keys(
        value, (*_KEYS, ONLY), f"a file has {listed(keys, 'and')}", at, _A_DOCUMENT * isinstance(value[FILE], str)
    )
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
