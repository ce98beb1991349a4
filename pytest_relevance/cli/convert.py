"""`pytest-relevance convert`: judgments from any format to a case file, CSV, JSON Lines or qrels; a run to a TREC run.

OUT is written whole or not at all. What its format cannot hold is listed on standard error, a line for each kind. - is
standard input or output.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Mapping
from contextlib import suppress

from pytest_relevance._problems import FileError
from pytest_relevance._source import Source
from pytest_relevance._text import counted, harmless, listed, quoted
from pytest_relevance.cases.lint import blank_documents
from pytest_relevance.cases.writing import CASE_FILE, case_file, judgments_of, losses_of
from pytest_relevance.cli import check, command
from pytest_relevance.cli.command import FOUND, OK, PROGRAM, STANDARD, YAML, CommandError, complain
from pytest_relevance.judgments import reading, write
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.model import FORMATS_OF_IDS, Judgments, Query, queries_of, with_queries
from pytest_relevance.judgments.write import Written

_TARGETS = (CASE_FILE, *write.WRITERS, write.RUN)


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("source", metavar="IN", type=_source, help="a judgment file in any format, a case file, a run")
    parser.add_argument("target", metavar="OUT", help="the file to write; its ending or --to gives the format")
    parser.add_argument("--from", dest="source_format", metavar="FORMAT", type=_source_format, help="the format of IN")
    to = f"the format of OUT: {listed(_TARGETS)}"
    parser.add_argument("--to", dest="target_format", choices=_TARGETS, metavar="FORMAT", help=to)
    parser.add_argument(
        "--queries", metavar="FILE", type=command.existing, help="the texts of the queries in IN, or their ids"
    )
    parser.add_argument("--queries-out", metavar="FILE", help="a file of queries to write: ids, texts, weights")
    parser.add_argument(
        "--query", metavar="PATH", help="where a rank_eval request has the text of its query, such as params.text"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace OUT if it exists")
    command.add_reading(parser, "--scale", "--raters", "--grade-column")


def _source(path: str) -> str:
    return path if path == STANDARD else str(command.existing(path))


def _source_format(name: str) -> str:
    return CASE_FILE if name == CASE_FILE else command.a_format(name)


def run(arguments: Namespace) -> int:
    """Read IN, convert it, write OUT, and return the exit code. Raises `CommandError` where that is not possible."""
    outputs = [path for path in (arguments.target, arguments.queries_out) if path not in (None, STANDARD)]
    paths = [os.path.realpath(path) for path in (arguments.source, *outputs) if path != STANDARD]
    if len(set(paths)) < len(paths):
        raise CommandError(f"{PROGRAM} convert: IN, OUT and --queries-out are different files; nothing was written")
    target = arguments.target_format or _format_of(arguments.target, _TARGETS, "name it: --to")
    if not arguments.overwrite:
        command.refuse_to_overwrite(filter(os.path.isfile, outputs), "--overwrite replaces what is there")
    judgments, said = _run_read(arguments.source) if target == write.RUN else _read(arguments)
    for message in said:
        complain(f"{_shown(arguments.source)}: {message}")
    if target == CASE_FILE and not arguments.target.endswith((STANDARD, *check.CASE_FILES)):
        named = listed([f"*{ending}" for ending in check.CASE_FILES], "and")
        complain(f"{harmless(arguments.target)}: pytest collects {named}; this file runs where it is named to pytest")
    files = _converted(judgments, target, arguments)
    for path, written in files.items():
        for message in written.lost:
            complain(f"{_shown(path, 'standard output')}: {message}")
    for path, written in files.items():
        if path == STANDARD:
            command.put(written.data)
        else:
            command.write(path, write.packed(path, written.data))
    if outputs:
        found = [counted(len({*judgments, *judgments.queries}), "query", "queries")]
        if judgments:
            what = "result" if target == write.RUN else "judgment"
            found.append(counted(sum(map(len, judgments.values())), what))
        names = listed(map(harmless, outputs), "and")
        (complain if STANDARD in files else print)(f"written: {names}: {', '.join(found)}")
    return OK


def _converted(judgments: Judgments, target: str, arguments: Namespace) -> dict[str, Written]:
    """Return the files to write, by path. Raises `CommandError` where the format cannot represent the data."""
    out, queries_out = arguments.target, arguments.queries_out
    queries = queries_of(judgments)
    if target == CASE_FILE and queries and all(query.text is None for query in queries):
        raise CommandError(
            f"{_shown(arguments.source)}: it has the ids of queries, and their texts are needed; name the file that "
            "has them: --queries queries.tsv (a line is an id, a tab and the text)"
        )
    lacks_ids = False
    files: dict[str, Written] = {}
    try:
        if target == CASE_FILE:
            files[out] = case_file(judgments, f"From {_shown(arguments.source)}, by {PROGRAM} convert")
        elif judgments.format == _QUERIES and target in write.QUERY_WRITERS:
            files[out] = write.write_queries(queries, target)
        else:
            fitting, renewed = write.renumbered(judgments, target)
            if queries_out is not None:
                judgments, queries = fitting, renewed
            lacks_ids = fitting is not judgments
            files[out] = write.write_judgments(judgments, target)
        if queries_out is not None:
            out = queries_out
            files[out] = write.write_queries(queries, _format_of(out, write.QUERY_WRITERS, "queries may be"))
    except ValueError as error:
        cure = "--queries-out FILE gives queries ids that can be written, and writes their texts to that file"
        lines = [*str(error).splitlines(), *([cure] if lacks_ids else [])]
        raise CommandError("\n".join(f"{_shown(out, 'standard output')}: {line}" for line in lines), FOUND) from None
    if queries_out is not None:
        main = files[arguments.target]
        lost = (message for message in main.lost if not message.endswith(write.IN_QUERIES))
        files[arguments.target] = Written(main.data, tuple(lost))
    return files


def _format_of(path: str, known: Collection[str], how: str) -> str:
    """Return the format to write by the name of the file. Raises `CommandError` where it says none of the `known`."""
    found = CASE_FILE if path.endswith(YAML) else write.format_of_name(path)
    if found is None or found not in known:
        what = "standard output has" if path == STANDARD else f"the ending of {quoted(path)} says"
        raise CommandError(f"{PROGRAM} convert: {what} no format; {how} {listed(known)}")
    return found


_QUERIES = "queries"
"""The `format` of empty `Judgments` that were read from a queries file."""

_MAY_LACK_TEXTS = ("csv", "parquet", "json", "jsonl")
"""The formats of judgments that have the texts of queries, or their ids alone."""


def _read(arguments: Namespace) -> tuple[Judgments, list[str]]:
    """Return the judgments of IN, and messages for the user about reading them.

    Raises `CommandError`, `CaseFileError` or `FileError` where they cannot be read, and OSError.
    """
    name, format = arguments.source, arguments.source_format
    if format == CASE_FILE or (format is None and name.endswith(YAML)):
        return _case_file_judgments(arguments)
    source = _opened(name, reading.options_of(arguments.query, arguments.grade_column))
    if reading.holds_queries_alone(source, format):
        queries = reading.queries_in(source, format)
        return Judgments(file=source.file, format=_QUERIES, queries={query.id: query for query in queries}), []
    rows = reading.read_ratings(source, format)
    judgments = graded(rows, arguments.scale, arguments.raters)
    read = [*judgments.notices]
    blank, total = blank_documents(rows)
    if blank:
        read.append(f"{blank:,} of {counted(total, 'document')} listed have no grade, and are left out")
    if arguments.queries is not None:
        queries = reading.load_queries(arguments.queries)
        try:
            judgments, said = with_queries(judgments, queries, str(arguments.queries))
        except ValueError as error:
            raise CommandError(f"{source.file}: {error}", FOUND) from None
        return judgments, [*read, *said]
    if not _has_texts(source, rows.format):
        judgments.queries = {key: Query(key) for key in [*judgments, *judgments.queries]}
    return judgments, read


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
    for option in ("scale", "raters", "query", "queries", "grade_column"):
        if getattr(arguments, option) is not None:
            name = option.replace("_", "-")
            raise CommandError(f"{PROGRAM} convert: a case file says itself what --{name} would; leave it out")
    from pytest_relevance.cases.reader import parse_suite

    data = _opened(arguments.source).data
    suite = parse_suite(data, _shown(arguments.source))
    return judgments_of(suite), [*suite.warnings, *losses_of(suite, data)]


def _opened(name: str, options: Mapping[str, str] | None = None) -> Source:
    """Open a file or standard input. Raises `FileError` where it cannot be read or is no text."""
    if name == STANDARD:
        return Source(_shown(name), sys.stdin.buffer.read(), options)
    return Source.read(name, _shown(name), options)


def _has_texts(source: Source, format: str) -> bool:
    """Whether a judgment file has the texts of its queries, not only their ids."""
    if format in FORMATS_OF_IDS:
        return False
    with suppress(FileError):
        return bool(reading.queries_in(source, format))
    return format not in _MAY_LACK_TEXTS
