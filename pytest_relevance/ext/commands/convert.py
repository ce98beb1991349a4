"""`pytest-relevance convert`: judgments, or a run, written in another format.

OUT is written whole or not at all. What its format cannot hold is listed on standard
error, a line for each kind. The name - means standard input or output.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pytest_relevance._ids import USUAL_COLUMNS, FileIds
from pytest_relevance._problems import FileError
from pytest_relevance._source import Source
from pytest_relevance._text import counted, harmless, listed, quoted
from pytest_relevance.cases.names import CASE_FILE_ENDINGS, YAML_ENDINGS
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.cli.arguments import (
    STANDARD,
    add_query,
    add_reading,
    columns_of,
    existing,
    judgment_format,
)
from pytest_relevance.cli.command import FOUND, OK, PROGRAM, CommandError
from pytest_relevance.cli.output import complain, put, refuse_to_overwrite, write
from pytest_relevance.ext.commands.case_file import (
    CASE_FILE,
    case_file,
    is_case_file,
    without_texts,
)
from pytest_relevance.ext.commands.case_judgments import judgments_of, losses_of
from pytest_relevance.ext.commands.lint import blank_documents
from pytest_relevance.judgments import reading, writing
from pytest_relevance.judgments.formats import FORMATS, Written
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.joining import with_queries
from pytest_relevance.judgments.model import (
    FORMATS_OF_IDS,
    Judgments,
    Query,
    queries_of,
)
from pytest_relevance.judgments.recognition import holds_queries_alone

_TARGETS = (CASE_FILE, *writing.written_formats(), writing.RUN)
"""The formats that this package writes. Other packages may add formats."""


def declare(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
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
        "--to", dest="target_format", type=_target_format, metavar="FORMAT", help=to
    )
    queries = "the texts of the queries in IN, or their ids"
    parser.add_argument("--queries", metavar="FILE", type=existing, help=queries)
    add_query(parser)
    parser.add_argument(
        "--overwrite", action="store_true", help="replace OUT if it exists"
    )
    add_reading(parser, "--scale", "--raters", "--grade-column", "--id-field")


def _source(path: str) -> str:
    """Return the name of IN: `-`, or the path of an existing file."""
    return path if path == STANDARD else str(existing(path))


def _source_format(name: str) -> str:
    """Return the name of a format that can be read."""
    return CASE_FILE if name == CASE_FILE else judgment_format(name)


def _target_format(name: str) -> str:
    """Return the name of a format that can be written.

    Raises ArgumentTypeError for any other name.
    """
    if name in _TARGETS:
        return name
    if name in FORMATS and FORMATS.get(name).write is not None:
        return name
    others = []
    for other in FORMATS.names_of_others():
        if FORMATS.get(other).write is not None:
            others.append(other)
    raise ArgumentTypeError(
        f"invalid choice: {name!r}; choose {listed([*_TARGETS, *others])}"
    )


def run(arguments: Namespace) -> int:
    """Read IN, convert it, write OUT, and return the exit code."""
    out = arguments.target
    _refuse_same_file(arguments.source, out)
    target = arguments.target_format or _format_of(out)
    if not arguments.overwrite and os.path.isfile(out):
        refuse_to_overwrite([out], "--overwrite replaces what is there")
    if target == writing.RUN:
        converted = _convert_run(arguments)
    else:
        converted = _convert_judgments(arguments, target)
    for message in converted.written.lost:
        complain(f"{_shown(out, 'standard output')}: {message}")
    data = converted.written.data
    if out == STANDARD:
        put(data)
        return OK
    write(out, writing.packed(out, data))
    print(f"written: {harmless(out)}: {converted.counts}")
    return OK


def _refuse_same_file(source: str, target: str) -> None:
    """Raise `CommandError` if IN and OUT are one file."""
    if STANDARD in (source, target):
        return
    if os.path.realpath(source) == os.path.realpath(target):
        raise CommandError(
            f"{PROGRAM} convert: IN and OUT are one file; nothing was written"
        )


@dataclass(frozen=True, slots=True)
class _Converted:
    """What is written to OUT.

    `counts`: how much it is, in words: `135 queries, 2,000 judgments`.
    """

    written: Written
    counts: str


def _convert_judgments(arguments: Namespace, target: str) -> _Converted:
    """Return the judgments of IN in the format `target`. Print what was not read."""
    read = _read(arguments)
    judgments = read.judgments
    for message in read.notices:
        complain(f"{_shown(arguments.source)}: {message}")
    out = arguments.target
    if target == CASE_FILE and not out.endswith((STANDARD, *CASE_FILE_ENDINGS)):
        named = listed([f"*{ending}" for ending in CASE_FILE_ENDINGS], "and")
        complain(
            f"{harmless(out)}: pytest collects {named}; this file runs only if it is named on the command line"
        )
    written = _converted(judgments, target, arguments)
    counts = counted(len({*judgments, *judgments.queries}), "query", "queries")
    if judgments:
        number = sum(len(documents) for documents in judgments.values())
        counts += f", {counted(number, 'judgment')}"
    return _Converted(written, counts)


def _convert_run(arguments: Namespace) -> _Converted:
    """Return a run in the format of TREC runs.

    Raises `CommandError` if the format cannot hold an id.
    """
    rankings = reading.read_run(arguments.source)
    try:
        written = writing.write_run(rankings)
    except ValueError as error:
        raise _unwritable(arguments, error) from None
    results = sum(len(set(ranking)) for ranking in rankings.values())
    queries = counted(len(rankings), "query", "queries")
    return _Converted(written, f"{queries}, {counted(results, 'result')}")


def _unwritable(arguments: Namespace, error: ValueError) -> CommandError:
    """Return the error for data that a format cannot hold, a line for each mistake."""
    out = _shown(arguments.target, "standard output")
    lines = [f"{out}: {line}" for line in str(error).splitlines()]
    return CommandError("\n".join(lines), FOUND)


def _converted(judgments: Judgments, target: str, arguments: Namespace) -> Written:
    """Return judgments in the format `target`.

    Raises `CommandError` if the format cannot hold them.
    """
    queries = queries_of(judgments)
    if target == CASE_FILE and queries and all(query.text is None for query in queries):
        raise without_texts(_shown(arguments.source), judgments.format)
    try:
        if target == CASE_FILE:
            return case_file(
                judgments, f"From {_shown(arguments.source)}, by {PROGRAM} convert"
            )
        return writing.write_judgments(judgments, target)
    except ValueError as error:
        raise _unwritable(arguments, error) from None


def _format_of(path: str) -> str:
    """Return the format of OUT, from the ending of its name.

    Raises `CommandError` if no format has the ending.
    """
    format = CASE_FILE if path.endswith(YAML_ENDINGS) else writing.format_of_name(path)
    if format is not None:
        return format
    problem = f"the ending of {quoted(path)} says no format"
    if path == STANDARD:
        problem = "standard output has no format"
    raise CommandError(
        f"{PROGRAM} convert: {problem}; name it: --to {listed(_TARGETS)}"
    )


_MAY_LACK_TEXTS = ("csv", "parquet", "json", "jsonl", "elasticsearch", "ltr")
"""The formats of judgments that may have only the ids of queries, without texts."""


@dataclass(frozen=True, slots=True)
class _Read:
    """The judgments of IN, and messages for the user about reading them."""

    judgments: Judgments
    notices: Sequence[str]


def _read(arguments: Namespace) -> _Read:
    """Return the judgments of IN, whatever format it has."""
    name, format = arguments.source, arguments.source_format
    if format == CASE_FILE or is_case_file(name, format):
        return _read_case_file(arguments)
    options = reading.options_of(
        arguments.query, arguments.grade_column, **columns_of(arguments)
    )
    source = _opened(name, options, reading.ids_of(arguments.id_field))
    if holds_queries_alone(source, format):
        return _read_queries(source, format)
    return _read_judgments(source, arguments)


def _read_queries(source: Source, format: str | None) -> _Read:
    """Return the queries of a file as judgments without grades."""
    file = reading.read_query_file(source, format)
    by_id = {query.id: query for query in file.queries}
    judgments = Judgments(file=source.file, queries=by_id)
    notices = [*file.notices]
    lost = [quoted(column.name) for column in file.unread if not column.is_empty]
    if lost:
        columns = "column" if len(lost) == 1 else "columns"
        notices.append(f"nothing reads the {columns} {listed(lost, 'and')}")
    return _Read(judgments, notices)


def _read_judgments(source: Source, arguments: Namespace) -> _Read:
    """Return a judgment file, with the texts of its queries if `--queries` has them."""
    rows = reading.read_ratings(source, arguments.source_format)
    judgments = graded(rows, arguments.scale, arguments.raters)
    notices = [*judgments.notices]
    documents = blank_documents(rows)
    if documents.blank:
        total = counted(documents.total, "document")
        notices.append(
            f"{documents.blank:,} of {total} listed have no grade, and are left out"
        )
    if arguments.queries is not None:
        queries = reading.load_queries(arguments.queries)
        try:
            joined = with_queries(judgments, queries, str(arguments.queries))
        except ValueError as error:
            raise CommandError(f"{source.file}: {error}", FOUND) from None
        return _Read(joined.judgments, [*notices, *joined.notices])
    if not _has_texts(source, rows.format):
        keys = [*judgments, *judgments.queries]
        judgments.queries = {key: Query(key) for key in keys}
    return _Read(judgments, notices)


def _shown(name: str, standard: str = "standard input") -> str:
    """Return the name of a file for messages. `standard` replaces the name `-`."""
    return standard if name == STANDARD else harmless(name)


def _read_case_file(arguments: Namespace) -> _Read:
    """Return the judgments of a case file, with messages about content that is lost."""
    options = ("scale", "raters", "query", "queries", "grade_column", "id_field")
    for option in (*options, *columns_of(arguments)):
        if getattr(arguments, option) is not None:
            name = option.replace("_", "-")
            raise CommandError(
                f"{PROGRAM} convert: a case file has its own {name}; leave --{name} out"
            )
    data = _opened(arguments.source).data
    suite = parse_suite(data, _shown(arguments.source))
    notices = [*suite.warnings, *losses_of(suite, data)]
    return _Read(judgments_of(suite), notices)


def _opened(
    name: str,
    options: Mapping[str, Any] | None = None,
    ids: FileIds = USUAL_COLUMNS,
) -> Source:
    """Return IN, which may be standard input."""
    if name == STANDARD:
        return Source(_shown(name), sys.stdin.buffer.read(), options, ids)
    return Source.read(name, _shown(name), options, ids)


def _has_texts(source: Source, format: str) -> bool:
    """Say whether a judgment file has the texts of its queries, and not only ids.

    If the queries of the file cannot be read, the answer is False for the formats in
    `_MAY_LACK_TEXTS`, and True for other formats.
    """
    if format in FORMATS_OF_IDS:
        return False
    with suppress(FileError):
        return bool(reading.queries_in(source, format))
    return format not in _MAY_LACK_TEXTS
