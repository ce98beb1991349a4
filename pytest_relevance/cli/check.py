"""`pytest-relevance check`: case files, judgment files and records, without running a search.

Folders are searched for *.relevance.yaml and *.relevance.yml; any other YAML file that is named is a case file too, and
any other file one of judgments, unless it is a record. A record is checked for whether later runs can be compared with
it: it is an error if cases have no ranking in it. Errors are those that pytest reports when it collects, errors in the
baselines of case files, and errors in the catalogues that they name (documents:). Warnings are about what is valid but
seldom intended: they change the exit code with --strict only.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_relevance._ids import FileIds, id_field_of
from pytest_relevance._problems import FileError
from pytest_relevance._text import counted, harmless, quoted
from pytest_relevance.cli.command import (
    FOUND,
    OK,
    PROGRAM,
    YAML,
    CommandError,
    add_reading,
    say,
    show,
)
from pytest_relevance.reports.styled_lines import DIM, DOUBT, Line, styled_line
from pytest_relevance.reports.terminal_text import folded

if TYPE_CHECKING:
    from pytest_relevance.cases.lint import LintFinding
    from pytest_relevance.cases.model import CatalogueFile, Suite

_MOST_OF_A_KIND = 10
CASE_FILES = (".relevance.yaml", ".relevance.yml")
_NOT_SEARCHED = frozenset({"build", "dist", "node_modules", "venv"})
"""Names of folders that are not searched; folders that begin with a dot are not searched either."""


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="a case file, a judgment file, a record, or a folder",
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
    add_reading(
        parser, "--format", "--scale", "--raters", "--grade-column", "--id-field"
    )


@dataclass(slots=True)
class _Looked:
    """The numbers and findings of the files checked so far. `at_least`: there may be more errors.

    `read` are the real paths of the files whose judgments, queries and errors were counted with a suite. `catalogues`
    are the catalogues by path and by the columns that a suite names, with the suites.
    """

    counts: Counter[str] = field(
        default_factory=lambda: Counter(file=0, case=0, query=0, judgment=0)
    )
    errors: int = 0
    at_least: bool = False
    findings: list[LintFinding] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    catalogues: dict[tuple[str, CatalogueFile], list[Suite]] = field(
        default_factory=dict
    )

    def tell(self, problem: object, count: int = 1) -> None:
        """Print errors, and count them."""
        self.errors += count
        say(problem)


def run(arguments: Namespace) -> int:
    """Check the files, print a report, and return the exit code. Raises `CommandError` where no file is found."""
    from pytest_relevance.results.records.file import RECORD, kind_of

    looked = _Looked()
    # suites first: the files that they name are not counted again
    for path in sorted(
        _files(arguments.paths), key=lambda path: not path.endswith(YAML)
    ):
        looked.counts["file"] += 1
        try:
            if path.endswith(YAML):
                _look_at_suite(path, arguments, looked)
            elif kind_of(path) == RECORD.kind:
                _look_at_record(path, looked)
            elif os.path.realpath(path) not in looked.read:
                _look_at_judgments(path, arguments, looked)
        except FileError as error:
            looked.tell(error, len(error.problems))
            looked.read.update(
                os.path.realpath(each.place.file)
                for each in error.problems
                if each.place.file
            )
            looked.at_least |= error.at_least
        except OSError as error:
            looked.tell(f"{harmless(path)}: cannot be read: {error.strerror or error}")
    _look_at_catalogues(looked)
    if looked.errors:
        print()
    total = _total_line(
        looked.counts, looked.errors, len(looked.findings), at_least=looked.at_least
    )
    show([*_finding_lines(looked.findings, every=arguments.all), total])
    return FOUND if looked.errors or (arguments.strict and looked.findings) else OK


def _files(paths: Sequence[str]) -> list[str]:
    """Return the files to check, each once. Raises `CommandError` for a path without any."""
    found: dict[str, str] = {}
    missing = []
    for path in paths:
        files = (
            list(_case_files(path))
            if os.path.isdir(path)
            else [path]
            if os.path.exists(path)
            else []
        )
        if not files:
            names = f"there is no *{CASE_FILES[0]} and no *{CASE_FILES[1]} in {quoted(path)}"
            missing.append(
                names
                if os.path.isdir(path)
                else f"there is no file or folder {quoted(path)}"
            )
        for file in files:
            found.setdefault(os.path.realpath(file), os.path.normpath(file))
    if missing:
        raise CommandError(
            "\n".join(f"{PROGRAM} check: {message}" for message in missing)
        )
    return list(found.values())


def _case_files(folder: str) -> Iterator[str]:
    """Yield the case files in a folder and its subfolders, sorted by name."""
    for path in sorted(Path(folder).rglob("*.relevance.y*")):
        folders = path.relative_to(folder).parts[:-1]
        is_searched = not any(
            name.startswith(".") or name in _NOT_SEARCHED for name in folders
        )
        if path.name.endswith(CASE_FILES) and is_searched:
            yield str(path)


def _look_at_suite(path: str, arguments: Namespace, looked: _Looked) -> None:
    from pytest_relevance._source import Source
    from pytest_relevance.cases.lint import lint_rows, lint_suite
    from pytest_relevance.cases.reader import load_suite
    from pytest_relevance.judgments.reading import read_ratings
    from pytest_relevance.results.records.baseline import read_baseline
    from pytest_relevance.results.records.run_info import baseline_path, has_baseline

    suite = load_suite(path, metrics=dict.fromkeys(arguments.metrics))
    looked.counts["case"] += len(suite.cases)
    looked.counts["listed query left out"] += len(suite.left_out)
    looked.counts["judgment"] += sum(len(case.judgments) for case in suite.cases)
    is_there = has_baseline(path)
    looked.findings += lint_suite(suite, has_baseline=is_there)
    if is_there:
        read_baseline(baseline_path(path))
    if (columns := suite.terms.documents) is not None:
        catalogue = os.path.normpath(os.path.join(os.path.dirname(path), columns.file))
        looked.read.add(os.path.realpath(catalogue))
        looked.catalogues.setdefault((catalogue, columns), []).append(suite)
    for file in suite.files:
        if os.path.realpath(file) in looked.read:  # another suite names it too
            continue
        looked.read.add(os.path.realpath(file))
        with suppress(
            FileError
        ):  # a queries file, or a format that only the suite names
            source = Source.read(os.path.normpath(file), ids=_ids_of_suite(suite))
            looked.findings += lint_rows(read_ratings(source, machine=True))


def _ids_of_suite(suite: Suite) -> FileIds:
    """Return how the judgment files of a suite say which documents they judge."""
    written = suite.terms.id_field
    return FileIds(of_suite=None if written is None else id_field_of(written))


def _look_at_record(path: str, looked: _Looked) -> None:
    """Tell why a record is not fit to be compared with."""
    from pytest_relevance.results.records.reference import why_not_fit

    for problem in why_not_fit(path, harmless(path)):
        looked.tell(problem)


def _look_at_catalogues(looked: _Looked) -> None:
    """Print what is wrong with the catalogues; each is read once for all suites that name the same columns of it."""
    if not looked.catalogues:
        return
    from pytest_relevance.cases.lint import lint_expected
    from pytest_relevance.results.documents import check_catalogue

    problems: dict[str, None] = {}
    for (path, columns), suites in looked.catalogues.items():
        cases = [case for suite in suites for case in suite.cases]
        named = {document for case in cases for document in case.judgments}
        named |= {
            document
            for case in cases
            for expected in case.expect
            for document in expected.documents
        }
        there = check_catalogue(path, path, columns, named)
        problems |= dict.fromkeys(there.problems)
        if not there.problems:
            looked.findings += (
                found for suite in suites for found in lint_expected(suite, there.known)
            )
    for problem in problems:
        looked.tell(problem)


def _look_at_judgments(path: str, arguments: Namespace, looked: _Looked) -> None:
    from pytest_relevance._source import Source
    from pytest_relevance.cases.lint import lint_judgments
    from pytest_relevance.judgments.grading import graded
    from pytest_relevance.judgments.reading import ids_of, options_of, read_ratings

    options = options_of(None, arguments.grade_column)
    source = Source.read(path, options=options, ids=ids_of(arguments.id_field))
    rows = read_ratings(source, arguments.format, machine=True)
    judgments = graded(rows, arguments.scale, arguments.raters)
    looked.counts["query"] += len({*judgments, *judgments.queries})
    looked.counts["judgment"] += sum(map(len, judgments.values()))
    looked.findings += lint_judgments(judgments, rows)


def _finding_lines(
    findings: Sequence[LintFinding], *, every: bool = False
) -> list[Line]:
    """The warnings by kind: what is the matter and what to do, then where. `every`: all of them."""
    from pytest_relevance.cases.lint import KINDS

    lines: list[Line] = []
    for kind in KINDS:
        of_kind = [finding for finding in findings if finding.kind == kind]
        if not of_kind:
            continue
        lines += [
            styled_line(text, DOUBT) for text in folded(f"warning: {kind}", indent="  ")
        ]
        shown = (
            of_kind
            if every or len(of_kind) <= _MOST_OF_A_KIND + 1
            else of_kind[:_MOST_OF_A_KIND]
        )
        for finding in shown:
            lines += [
                styled_line(text)
                for text in folded(f"    {_finding_text(finding)}", indent="      ")
            ]
        if more := len(of_kind) - len(shown):
            lines.append(
                styled_line(f"    ... and {more:,} more (--all shows all)", DIM)
            )
        lines.append(styled_line(""))
    return lines


def _finding_text(finding: LintFinding) -> str:
    """A finding in one line: `shop.relevance.yaml:12: "blue shoes": min_ndcg 0`; in JSON a path replaces the line."""
    place = finding.place
    where = harmless(finding.file) + (f":{place.line}" if place.line else "")
    query = quoted(finding.query, 60) if finding.query is not None else ""
    parts = [
        where,
        "" if place.line else harmless(place.path or ""),
        query,
        finding.detail,
    ]
    return ": ".join(part for part in parts if part)


def _total_line(
    counts: Mapping[str, int], errors: int, warnings: int, *, at_least: bool = False
) -> Line:
    """`2 files, 135 cases, 3,668 judgments: 1 error, 12 warnings`; what there is none of is left out.

    `at_least`: there may be more errors, because the check stopped early.
    """
    plurals = {"query": "queries", "listed query left out": "listed queries left out"}
    looked_at = ", ".join(
        counted(count, what, plurals.get(what, ""))
        for what, count in counts.items()
        if count
    )
    found = (
        counted(number, what) if number else f"no {what}s"
        for number, what in ((errors, "error"), (warnings, "warning"))
    )
    return styled_line(f"{looked_at}: {'at least ' * at_least}{', '.join(found)}")
