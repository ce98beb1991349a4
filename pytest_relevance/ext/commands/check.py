"""`pytest-relevance check`: case files, judgment files and records, without a search.

Folders are searched for *.relevance.yaml and *.relevance.yml. Any other YAML file that
is named is a case file too. Any other file has judgments, unless it is a record.

Errors are those that pytest reports when it collects, errors in the baselines of case
files, and errors in the catalogues that they name (documents:). It is also an error if
cases have no ranking in a record: then later runs cannot be compared with it. Warnings
are about what is valid but seldom intended. Only with --strict do they change the exit
code.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_relevance._ids import FileIds, id_field_of
from pytest_relevance._problems import FileError, Problem
from pytest_relevance._source import Source
from pytest_relevance._text import counted, harmless, quoted, shown
from pytest_relevance.cases.model import CatalogueFile, Suite
from pytest_relevance.cases.names import CASE_FILE_ENDINGS, YAML_ENDINGS
from pytest_relevance.cases.reader import load_suite
from pytest_relevance.cli.arguments import add_query, add_reading, columns_of
from pytest_relevance.cli.command import FOUND, OK, PROGRAM, CommandError
from pytest_relevance.cli.file_check import CHECKS, FileCheck
from pytest_relevance.cli.output import say, show
from pytest_relevance.ext.commands.case_file import is_case_file
from pytest_relevance.ext.commands.lint import UNKNOWN, unknown_documents
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.model import Ratings
from pytest_relevance.judgments.reading import ids_of, options_of, read_ratings
from pytest_relevance.reports.styled_lines import DIM, DOUBT, Line, styled_line
from pytest_relevance.reports.terminal_text import folded
from pytest_relevance.results.catalogue import check_catalogue
from pytest_relevance.results.records.baseline_file import read_baseline
from pytest_relevance.results.records.baseline_paths import baseline_path, has_baseline
from pytest_relevance.results.records.json_lines import RECORD, kind_in_header
from pytest_relevance.results.records.reference import why_not_fit

_MOST_OF_A_KIND = 10

_NOT_SEARCHED = frozenset({"build", "dist", "node_modules", "venv"})
"""The names of folders in which no case files are looked for.

Folders whose names begin with a dot are left out too.
"""


def declare(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        default=["."],
        help="a case file, a judgment file, a record, or a folder (default: this folder)",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="show every warning, however many there are of a kind",
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit with code 1 for warnings, too"
    )
    own = "a metric of the project's own, which a conftest.py names (pytest_relevance_metrics); may be repeated"
    parser.add_argument(
        "--metric",
        dest="metrics",
        metavar="NAME",
        action="append",
        default=[],
        help=own,
    )
    add_query(parser)
    add_reading(
        parser, "--format", "--scale", "--raters", "--grade-column", "--id-field"
    )


@dataclass(frozen=True, slots=True)
class _NamedCatalogue:
    """The path of a catalogue, and the columns of it that a suite names."""

    path: str
    columns: CatalogueFile


def _no_counts() -> Counter[str]:
    """Return counts of 0, in the order in which the last line has them."""
    return Counter(file=0, case=0, query=0, judgment=0)


@dataclass(slots=True)
class _Checked:
    """What was found in the files so far.

    `counts`: how many files, cases, queries and judgments there are.
    `errors`: how many errors were printed.
    `at_least`: whether there may be more errors than were printed.
    `warnings`: {name of a check: the problems that it found}.
    `read`: the real paths of files that are not to be read again.
    `catalogues`: {catalogue: the suites that name it}.
    """

    counts: Counter[str] = field(default_factory=_no_counts)
    errors: int = 0
    at_least: bool = False
    warnings: dict[str, list[Problem]] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    catalogues: dict[_NamedCatalogue, list[Suite]] = field(default_factory=dict)

    def print_error(self, message: object, count: int = 1) -> None:
        """Print a message with `count` errors, and count them."""
        self.errors += count
        say(message)

    def print_file_error(self, error: FileError) -> None:
        """Print and count the errors of a file. It will not be read again."""
        self.print_error(error, len(error.problems))
        self.at_least |= error.at_least
        for problem in error.problems:
            if problem.place.file:
                self.read.add(os.path.realpath(problem.place.file))

    def run_checks(
        self, find: Callable[[FileCheck], Iterable[Problem]], file: str
    ) -> None:
        """Run every `FileCheck`, and keep the problems that they find.

        `find`: calls one of the functions of a check.
        `file`: the file of problems that name none.
        """
        for name in CHECKS.names():
            with CHECKS.calling(name):
                self.warn(name, find(CHECKS.get(name)), file)

    def warn(self, check: str, problems: Iterable[Problem], file: str) -> None:
        """Keep the problems that a check found. One without a file gets `file`."""
        for problem in problems:
            if not isinstance(problem, Problem):
                raise TypeError(f"find gave {shown(problem)}, not a Problem")
            if not problem.place.file:
                place = replace(problem.place, file=file)
                problem = replace(problem, place=place)
            self.warnings.setdefault(check, []).append(problem)


def run(arguments: Namespace) -> int:
    """Check the files, print a report, and return the exit code."""
    checked = _Checked()
    # case files come first, so that the judgment files that they name count once
    for path in sorted(_files(arguments.paths), key=_is_no_yaml):
        checked.counts["file"] += 1
        try:
            _check_file(path, arguments, checked)
        except FileError as error:
            checked.print_file_error(error)
        except OSError as error:
            reason = error.strerror or error
            checked.print_error(f"{harmless(path)}: cannot be read: {reason}")
    _check_catalogues(checked)
    if checked.errors:
        print()
    lines = _warning_lines(checked.warnings, all_places=arguments.all)
    show([*lines, _total_line(checked)])
    if checked.errors or (arguments.strict and checked.warnings):
        return FOUND
    return OK


def _is_no_yaml(path: str) -> bool:
    return not path.endswith(YAML_ENDINGS)


def _check_file(path: str, arguments: Namespace, checked: _Checked) -> None:
    """Check a case file, a record or a judgment file, and add what is found."""
    if is_case_file(path, arguments.format):
        _check_suite(path, arguments, checked)
    elif kind_in_header(path) == RECORD.kind:
        for problem in why_not_fit(path, harmless(path)):
            checked.print_error(problem)
    elif os.path.realpath(path) not in checked.read:
        _check_judgments(path, arguments, checked)


# --- which files ----------------------------------------------------------------------


def _files(paths: Sequence[str]) -> list[str]:
    """Return the files of all paths, each once even if several links lead to it.

    Raises `CommandError`, which names every path that has no files.
    """
    by_real_path: dict[str, str] = {}
    missing = []
    for path in paths:
        files = [path]
        if os.path.isdir(path):
            files = list(_case_files(path))
            if not files:
                first, second = CASE_FILE_ENDINGS
                why = f"there is no *{first} and no *{second} in {quoted(path)}"
                missing.append(f"{PROGRAM} check: {why}")
        elif not os.path.exists(path):
            why = f"there is no file or folder {quoted(path)}"
            missing.append(f"{PROGRAM} check: {why}")
        for file in files:
            by_real_path.setdefault(os.path.realpath(file), os.path.normpath(file))
    if missing:
        raise CommandError("\n".join(missing))
    return list(by_real_path.values())


def _case_files(folder: str) -> Iterator[str]:
    """Yield the paths of the case files in a folder and below it."""
    for path in sorted(Path(folder).rglob("*.relevance.y*")):
        folders = path.relative_to(folder).parts[:-1]
        if path.name.endswith(CASE_FILE_ENDINGS) and all(map(_is_searched, folders)):
            yield str(path)


def _is_searched(folder: str) -> bool:
    """Say whether a folder of this name is searched for case files."""
    return not folder.startswith(".") and folder not in _NOT_SEARCHED


# --- what is in them ------------------------------------------------------------------


def _check_suite(path: str, arguments: Namespace, checked: _Checked) -> None:
    """Check a case file, its baseline and its catalogue.

    What is found, and the counts of the last line, are added to `checked`.
    """
    suite = load_suite(path, metrics=dict.fromkeys(arguments.metrics))
    known_items = sum(case.is_known_item for case in suite.cases)
    checked.counts["case"] += len(suite.cases) - known_items
    checked.counts["known item"] += known_items
    checked.counts["listed query left out"] += len(suite.left_out)
    for case in suite.cases:
        if not case.is_known_item:
            checked.counts["judgment"] += len(case.judgments)
    checked.run_checks(lambda check: check.find(suite), suite.path)
    if has_baseline(path):
        read_baseline(baseline_path(path))
    columns = suite.terms.documents
    if columns is not None:
        catalogue = os.path.normpath(os.path.join(os.path.dirname(path), columns.file))
        checked.read.add(os.path.realpath(catalogue))
        named = _NamedCatalogue(catalogue, columns)
        checked.catalogues.setdefault(named, []).append(suite)
    _check_rows_of_suite(suite, checked)


def _check_rows_of_suite(suite: Suite, checked: _Checked) -> None:
    """Check the rows of the judgment files that a suite names, each file once."""
    written = suite.terms.id_field
    ids = FileIds(of_suite=None if written is None else id_field_of(written))
    for file in suite.files:
        if os.path.realpath(file) in checked.read:
            continue
        checked.read.add(os.path.realpath(file))
        # this may be a file of queries, or one whose format only the suite names
        with suppress(FileError):
            source = Source.read(os.path.normpath(file), ids=ids)
            rows = read_ratings(source, machine=True)
            _check_rows(rows, checked)


def _check_judgments(path: str, arguments: Namespace, checked: _Checked) -> None:
    """Check a judgment file, and add what is found to `checked`."""
    options = options_of(
        arguments.query, arguments.grade_column, **columns_of(arguments)
    )
    source = Source.read(path, options=options, ids=ids_of(arguments.id_field))
    rows = read_ratings(source, arguments.format, machine=True)
    judgments = graded(rows, arguments.scale, arguments.raters)
    checked.counts["query"] += len({*judgments, *judgments.queries})
    checked.counts["judgment"] += sum(len(grades) for grades in judgments.values())
    checked.run_checks(lambda check: check.find_in_judgments(judgments), judgments.file)
    _check_rows(rows, checked)


def _check_rows(rows: Ratings, checked: _Checked) -> None:
    """Check the rows of a judgment file as they are written."""
    checked.run_checks(lambda check: check.find_in_rows(rows), rows.file)


def _check_catalogues(checked: _Checked) -> None:
    """Print what is wrong with the catalogues, and warn of documents that they lack.

    A catalogue is read once for all suites that name the same columns.
    """
    problems: dict[str, None] = {}
    for catalogue, suites in checked.catalogues.items():
        named: set[str] = set()
        for suite in suites:
            named |= _documents_named(suite)
        path = catalogue.path
        documents = check_catalogue(path, path, catalogue.columns, named)
        problems |= dict.fromkeys(documents.problems)
        if documents.problems:
            continue
        for suite in suites:
            places = unknown_documents(suite, documents.known)
            checked.warn(UNKNOWN.name, places, suite.path)
    for problem in problems:
        checked.print_error(problem)


def _documents_named(suite: Suite) -> set[str]:
    """Return the documents that cases judge or expect."""
    named: set[str] = set()
    for case in suite.cases:
        if not case.passages:
            named.update(case.judgments)
        for expected in case.expect:
            named.update(expected.documents)
    return named


# --- what is printed ------------------------------------------------------------------


def _warning_lines(
    warnings: Mapping[str, Sequence[Problem]], *, all_places: bool
) -> list[Line]:
    """Return the warnings as lines: for each check its advice, then its problems."""
    lines: list[Line] = []
    for name in CHECKS.names():
        places = warnings.get(name)
        if places:
            advice = f"warning: {CHECKS.get(name).advice}"
            for text in folded(advice, indent="  "):
                lines.append(styled_line(text, DOUBT))
            lines += _place_lines(places, all_places=all_places)
            lines.append(styled_line(""))
    return lines


def _place_lines(places: Sequence[Problem], *, all_places: bool) -> list[Line]:
    """Return the lines of the problems of a check.

    Without `all_places`, only the first ten problems have lines, and a last line counts
    the others. Eleven problems are all shown.
    """
    shown_places = places
    if not all_places and len(places) > _MOST_OF_A_KIND + 1:
        shown_places = places[:_MOST_OF_A_KIND]
    lines = []
    for problem in shown_places:
        for text in folded(f"    {_place_text(problem)}", indent="      "):
            lines.append(styled_line(text))
    more = len(places) - len(shown_places)
    if more:
        lines.append(styled_line(f"    ... and {more:,} more (--all shows all)", DIM))
    return lines


def _place_text(problem: Problem) -> str:
    """Return a problem with its place: `shop.yaml:12: "blue shoes": min_ndcg 0`."""
    place = problem.place
    parts = [harmless(place.file)]
    if place.line:
        parts[0] += f":{place.line}"
    elif place.path:
        parts.append(harmless(place.path))
    if problem.case:
        parts.append(quoted(problem.case, 60))
    if problem.message:
        parts.append(problem.message)
    return ": ".join(parts)


_PLURALS = {"query": "queries", "listed query left out": "listed queries left out"}


def _total_line(checked: _Checked) -> Line:
    """Return the last line: `2 files, 135 cases, 3,668 judgments: 1 error, ...`."""
    files = []
    for noun, count in checked.counts.items():
        if count:
            files.append(counted(count, noun, _PLURALS.get(noun, "")))
    errors = counted(checked.errors, "error") if checked.errors else "no errors"
    warnings = "no warnings"
    if checked.warnings:
        places = sum(len(places) for places in checked.warnings.values())
        warnings = counted(places, "warning")
    at_least = "at least " if checked.at_least else ""
    return styled_line(f"{', '.join(files)}: {at_least}{errors}, {warnings}")
