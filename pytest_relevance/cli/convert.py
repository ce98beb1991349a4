"""`pytest-relevance convert`: judgments from any format to a case file, CSV, JSON Lines or qrels; a run to a TREC run.

OUT is written whole or not at all. What its format cannot hold is listed on standard error, a line for each kind. - is
standard input or output.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pytest_relevance._ids import USUAL_COLUMNS, FileIds
from pytest_relevance._problems import FileError
from pytest_relevance._source import Source
from pytest_relevance._text import counted, harmless, listed, quoted
from pytest_relevance.cases.lint import blank_documents
from pytest_relevance.cases.writing import CASE_FILE, case_file, judgments_of, losses_of
from pytest_relevance.cli import check, command
from pytest_relevance.cli.command import (
    FOUND,
    OK,
    PROGRAM,
    STANDARD,
    YAML,
    CommandError,
    complain,
)
from pytest_relevance.judgments import reading, write
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.model import (
    FORMATS_OF_IDS,
    Judgments,
    Query,
    queries_of,
    with_queries,
)
from pytest_relevance.judgments.write import Written

_TARGETS = (CASE_FILE, *write.WRITERS)


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "source",
        metavar="IN",
        type=_source,
        help="a judgment file in any format, a case file, a run",
    )
    parser.add_argument(
        "target",
        metavar="OUT",
        help="the file to write; its ending or --to gives the format",
    )
    parser.add_argument(
        "--from",
        dest="source_format",
        metavar="FORMAT",
        type=_source_format,
        help="the format of IN",
    )
    to = f"the format of OUT: {listed(_TARGETS)}"
    parser.add_argument(
        "--to", dest="target_format", choices=_TARGETS, metavar="FORMAT", help=to
    )
    queries = "the texts of the queries in IN, or their ids"
    parser.add_argument(
        "--queries", metavar="FILE", type=command.existing, help=queries
    )
    command.add_query(parser)
    parser.add_argument(
        "--overwrite", action="store_true", help="replace OUT if it exists"
    )
    command.add_reading(parser, "--scale", "--raters", "--grade-column", "--id-field")


def _source(path: str) -> str:
    return path if path == STANDARD else str(command.existing(path))


def _source_format(name: str) -> str:
    return CASE_FILE if name == CASE_FILE else command.a_format(name)


def run(arguments: Namespace) -> int:
    """Read IN, convert it, write OUT, and return the exit code. Raises `CommandError` where that is not possible."""
    out = arguments.target
    if (
        out != STANDARD
        and arguments.source != STANDARD
        and os.path.realpath(out) == os.path.realpath(arguments.source)
    ):
        raise CommandError(
            f"{PROGRAM} convert: IN and OUT are one file; nothing was written"
        )
    target = arguments.target_format or _format_of(out)
    if not arguments.overwrite and os.path.isfile(out):
        command.refuse_to_overwrite([out], "--overwrite replaces what is there")
    judgments, said = (
        _run_read(arguments.source) if target == write.RUN else _read(arguments)
    )
    for message in said:
        complain(f"{_shown(arguments.source)}: {message}")
    if target == CASE_FILE and not out.endswith((STANDARD, *check.CASE_FILES)):
        named = listed([f"*{ending}" for ending in check.CASE_FILES], "and")
        complain(
            f"{harmless(out)}: pytest collects {named}; this file runs where it is named to pytest"
        )
    written = _converted(judgments, target, arguments)
    for message in written.lost:
        complain(f"{_shown(out, 'standard output')}: {message}")
    if out == STANDARD:
        command.put(written.data)
        return OK
    command.write(out, write.packed(out, written.data))
    found = [counted(len({*judgments, *judgments.queries}), "query", "queries")]
    if judgments:
        what = "result" if target == write.RUN else "judgment"
        found.append(counted(sum(map(len, judgments.values())), what))
    print(f"written: {harmless(out)}: {', '.join(found)}")
    return OK


def _converted(judgments: Judgments, target: str, arguments: Namespace) -> Written:
    """Return the file to write. Raises `CommandError` where the format cannot represent the data."""
    queries = queries_of(judgments)
    if target == CASE_FILE and queries and all(query.text is None for query in queries):
        raise command.without_texts(_shown(arguments.source), judgments.format)
    try:
        if target == CASE_FILE:
            return case_file(
                judgments, f"From {_shown(arguments.source)}, by {PROGRAM} convert"
            )
        return write.write_judgments(judgments, target)
    except ValueError as error:
        out = _shown(arguments.target, "standard output")
        raise CommandError(
            "\n".join(f"{out}: {line}" for line in str(error).splitlines()), FOUND
        ) from None


def _format_of(path: str) -> str:
    """Return the format to write by the name of the file. Raises `CommandError` where it says none."""
    found = CASE_FILE if path.endswith(YAML) else write.format_of_name(path)
    if found is None:
        what = (
            "standard output has"
            if path == STANDARD
            else f"the ending of {quoted(path)} says"
        )
        raise CommandError(
            f"{PROGRAM} convert: {what} no format; name it: --to {listed(_TARGETS)}"
        )
    return found


_MAY_LACK_TEXTS = ("csv", "parquet", "json", "jsonl", "elasticsearch", "ltr")
"""The formats of judgments that have the texts of queries, or their ids alone."""


def _read(arguments: Namespace) -> tuple[Judgments, list[str]]:
    """Return the judgments of IN, and messages for the user about reading them.

    Raises `CommandError`, `CaseFileError` or `FileError` where they cannot be read, and OSError.
    """
    name, format = arguments.source, arguments.source_format
    if format == CASE_FILE or (format is None and name.endswith(YAML)):
        return _case_file_judgments(arguments)
    options = reading.options_of(arguments.query, arguments.grade_column)
    source = _opened(name, options, reading.ids_of(arguments.id_field))
    if reading.holds_queries_alone(source, format):
        found = reading.read_query_file(source, format)
        by_id = {query.id: query for query in found.queries}
        return Judgments(file=source.file, queries=by_id), _lost_columns(found)
    rows = reading.read_ratings(source, format)
    judgments = graded(rows, arguments.scale, arguments.raters)
    read = [*judgments.notices]
    blank, total = blank_documents(rows)
    if blank:
        read.append(
            f"{blank:,} of {counted(total, 'document')} listed have no grade, and are left out"
        )
    if arguments.queries is not None:
        queries = reading.load_queries(arguments.queries)
        try:
            judgments, said = with_queries(judgments, queries, str(arguments.queries))
        except ValueError as error:
            raise CommandError(f"{source.file}: {error}", FOUND) from None
        return judgments, [*read, *said]
    if not _has_texts(source, rows.format):
        judgments.queries = {
            key: Query(key) for key in [*judgments, *judgments.queries]
        }
    return judgments, read


def _lost_columns(found: reading.QueryFile) -> list[str]:
    """Return a message that names the columns of a file of queries that nothing reads; none if they are empty."""
    names = [column.name for column in found.unread if not column.is_empty]
    if not names:
        return []
    columns = "column" if len(names) == 1 else "columns"
    return [f"nothing reads the {columns} {listed(map(quoted, names), 'and')}"]


def _run_read(path: str) -> tuple[Judgments, list[str]]:
    """Return a run in the form of judgments: the grades of the results descend to 1. A later copy is left out."""
    from pytest_relevance.results.compare.read_run import read_run

    found = Judgments()
    for query, documents in read_run(path).items():
        results = dict.fromkeys(documents)
        found[query] = dict(zip(results, range(len(results), 0, -1), strict=True))
    return found, []


def _shown(name: str, standard: str = "standard input") -> str:
    """Return the name of a file for messages, or `standard` where it is the standard stream."""
    return standard if name == STANDARD else harmless(name)


def _case_file_judgments(arguments: Namespace) -> tuple[Judgments, list[str]]:
    """Return the judgments of IN, which is a case file, and messages about what else it has, which is lost."""
    options = ("scale", "raters", "query", "queries", "grade_column", "id_field")
    for option in options:
        if getattr(arguments, option) is not None:
            name = option.replace("_", "-")
            raise CommandError(
                f"{PROGRAM} convert: a case file says itself what --{name} would; leave it out"
            )
    from pytest_relevance.cases.reader import parse_suite

    data = _opened(arguments.source).data
    suite = parse_suite(data, _shown(arguments.source))
    return judgments_of(suite), [*suite.warnings, *losses_of(suite, data)]


def _opened(
    name: str,
    options: Mapping[str, Any] | None = None,
    ids: FileIds = USUAL_COLUMNS,
) -> Source:
    """Open a file or standard input. Raises `FileError` where it cannot be read or is no text."""
    if name == STANDARD:
        return Source(_shown(name), sys.stdin.buffer.read(), options, ids)
    return Source.read(name, _shown(name), options, ids)


def _has_texts(source: Source, format: str) -> bool:
    """Whether a judgment file has the texts of its queries, not only their ids."""
    if format in FORMATS_OF_IDS:
        return False
    with suppress(FileError):
        return bool(reading.queries_in(source, format))
    return format not in _MAY_LACK_TEXTS
