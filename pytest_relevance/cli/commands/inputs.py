"""Read the input of `convert`: judgments from a file in any format or from a case file, or queries alone."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pytest_relevance._files import Unreadable, read_whole, unpacked
from pytest_relevance._text import counted
from pytest_relevance.cases.lint import blank_documents
from pytest_relevance.cases.yaml.writing import CASE_FILE, judgments_of, losses_of
from pytest_relevance.cli.command_table import FOUND, PROGRAM, CommandError
from pytest_relevance.cli.parsing import STANDARD
from pytest_relevance.judgments.columns import GRADE_COLUMN, layout
from pytest_relevance.judgments.formats.table import SourceTable
from pytest_relevance.judgments.grading import Scale, graded
from pytest_relevance.judgments.json_text import Decoder
from pytest_relevance.judgments.model import FORMATS_OF_IDS, Judgments, Query, Ratings, with_queries
from pytest_relevance.judgments.reading import (
    holds_queries_alone,
    load_queries,
    options_of,
    queries_in,
    read_ratings,
)
from pytest_relevance.judgments.source import Source

QUERIES = "queries"
"""The `format` of empty `Judgments` that were read from a queries file."""

YAML = (".yaml", ".yml")


def read_input(arguments: Namespace) -> tuple[Judgments, list[str]]:
    """Return the judgments of IN, and messages for the user about reading them.

    Raises `CommandError`, `CaseFileError` or `JudgmentFileError` where they cannot be read, and OSError.
    """
    name, format = arguments.source, arguments.source_format
    if format == CASE_FILE or (format is None and name.endswith(YAML)):
        return _of_case_file(arguments)
    source = Source(shown(name), _data(name), options_of(arguments.query, arguments.grade_column))
    if not source.data.strip():
        source.refuse("the file is empty")
    if holds_queries_alone(source, format):
        queries = queries_in(source, format)
        return Judgments(file=source.file, format=QUERIES, queries={query.id: query for query in queries}), []
    rows = read_ratings(source, format)
    judgments = graded(rows, arguments.scale, arguments.raters)
    read = [*judgments.notices, *_of_grades(rows, arguments.scale)]
    if arguments.queries is not None:
        queries = load_queries(arguments.queries)
        try:
            judgments, said = with_queries(judgments, queries, str(arguments.queries), keep_others=False)
        except ValueError as error:
            raise CommandError(f"{source.file}: {error}", FOUND) from None
        return judgments, [*read, *said]
    if _has_ids_alone(source, rows.format):
        judgments.queries = {key: Query(key) for key in [*judgments, *judgments.queries]}
    return judgments, read


def shown(name: str) -> str:
    """Return the name of IN for messages."""
    return "standard input" if name == STANDARD else name


def _of_case_file(arguments: Namespace) -> tuple[Judgments, list[str]]:
    for option in ("scale", "raters", "query", "queries", "grade_column"):
        if getattr(arguments, option) is not None:
            name = option.replace("_", "-")
            raise CommandError(f"{PROGRAM} convert: a case file says itself what --{name} would; leave it out")
    from pytest_relevance.cases.reader import parse_suite

    data = _data(arguments.source)
    suite = parse_suite(data, shown(arguments.source))
    return judgments_of(suite), [*suite.warnings, *losses_of(suite, data)]


def _data(name: str) -> bytes:
    """Return the bytes of a file or of standard input, unpacked. Raises `CommandError` where unpacking fails."""
    try:
        if name != STANDARD:
            return read_whole(Path(name))
        return unpacked(sys.stdin.buffer.read())
    except Unreadable as error:
        raise CommandError(f"{shown(name)}: {error}", FOUND) from None


def _of_grades(rows: Ratings, scale: Scale | None) -> Iterator[str]:
    """Yield messages about documents without a grade, and about default grades given to labels of ESCI."""
    blank, total = blank_documents(rows)
    if blank:
        yield f"{blank:,} of {counted(total, 'document')} listed have no grade, and are left out"
    given = {rating.strip().casefold() for rating in set(rows.ratings) if isinstance(rating, str)}
    if scale is None and rows.grades_of_words and not given.isdisjoint(rows.words):
        meant = ",".join(f"{name}={grade:g}" for name, grade in rows.grades_of_words.items())
        yield f"ESCI's labels were given the grades {meant}; --scale gives them others"


def _has_ids_alone(source: Source, format: str) -> bool:
    """Whether a judgment file has only the ids of its queries, without their texts."""
    if format in FORMATS_OF_IDS:
        return True
    names = _NAMES[format](source) if format in _NAMES else None
    found = layout(names, source.options.get(GRADE_COLUMN)) if names else None
    return found is not None and "query" not in found.at


def _of_lines(source: Source) -> Sequence[str] | None:
    """Return the keys of the first line of JSON Lines, or None if it cannot be decoded."""
    try:
        return _of_objects(Decoder().decode(source.header.line))
    except (ValueError, RecursionError):  # for example longer than the part that is read
        return None


def _of_objects(value: object) -> Sequence[str] | None:
    """Return the keys of an object, or of the first object in a list; None for anything else."""
    first = value[0] if isinstance(value, list) and value else value
    return list(first) if isinstance(first, dict) else None


_NAMES: Mapping[str, Callable[[Source], Sequence[str] | None]] = {
    "csv": lambda source: source.header.names,
    "parquet": lambda source: SourceTable(source).names,
    "json": lambda source: _of_objects(source.json),
    "jsonl": _of_lines,
}
"""Functions that return the column names, for formats that may have the ids of queries without texts."""
