"""What `convert` reads: judgments from a file in any format, from a case file, or queries alone."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from pytest_relevance.cases.lint import blank_documents
from pytest_relevance.cases.yaml.writing import CASE_FILE, judgments_of, losses_of
from pytest_relevance.cli import FOUND, PROGRAM, CommandError
from pytest_relevance.cli.parsing import STANDARD
from pytest_relevance.files import Unreadable, gunzip, read_whole
from pytest_relevance.judgments.formats.known import FORMATS
from pytest_relevance.judgments.formats.tables import Layout, first_line, header_layout, layout, parquet_frame
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.joining import with_queries
from pytest_relevance.judgments.model import Judgments, Query, Ratings
from pytest_relevance.judgments.reading import load_queries, read_ratings
from pytest_relevance.judgments.scale import Scale
from pytest_relevance.judgments.source import Source
from pytest_relevance.judgments.writing.keys import OF_IDS_ALONE
from pytest_relevance.wording import counted

QUERIES = "queries"
"""The format of judgments that are none, from a file of queries."""

YAML = (".yaml", ".yml")
_GZIP = b"\x1f\x8b"


def read_input(arguments: Namespace) -> tuple[Judgments, list[str]]:
    """The judgments of IN, and what is to be said of reading them."""
    name, format = arguments.source, arguments.source_format
    if format == CASE_FILE or (format is None and name.endswith(YAML)):
        return _of_case_file(arguments)
    options = {} if arguments.query is None else {"query": arguments.query}
    source = Source(shown(name), _data(name), options)
    if not source.data.strip():
        source.refuse("the file is empty")
    if format is None and not any(known.fits(source) for known in FORMATS.values()):
        queries = _queries_in(source)
        if queries is not None:
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
    """What messages call IN."""
    return "standard input" if name == STANDARD else name


def _of_case_file(arguments: Namespace) -> tuple[Judgments, list[str]]:
    for option in ("scale", "raters", "query", "queries"):
        if getattr(arguments, option) is not None:
            raise CommandError(f"{PROGRAM} convert: a case file says itself what --{option} would; leave it out")
    from pytest_relevance.cases.reader import parse_suite

    data = _data(arguments.source)
    suite = parse_suite(data, shown(arguments.source))
    return judgments_of(suite), [*suite.warnings, *losses_of(suite, data)]


def _data(name: str) -> bytes:
    """The bytes of a file or of standard input, unpacked."""
    try:
        if name != STANDARD:
            return read_whole(Path(name))
        data = sys.stdin.buffer.read()
        return gunzip(data) if data.startswith(_GZIP) else data
    except Unreadable as error:
        raise CommandError(f"{shown(name)}: {error}", FOUND) from None


def _queries_in(source: Source) -> list[Query] | None:
    """The queries in a file of queries; None for any other file."""
    known = next((one for one in FORMATS.values() if one.queries is not None and one.fits_queries(source)), None)
    return list(known.queries(source)) if known is not None and known.queries is not None else None


def _of_grades(rows: Ratings, scale: Scale | None) -> Iterator[str]:
    """What is said of documents without a grade, and of grades that the file itself does not say."""
    blank, total = blank_documents(rows)
    if blank:
        yield f"{blank:,} of {counted(total, 'document')} listed have no grade, and are left out"
    given = {rating.strip().casefold() for rating in set(rows.ratings) if isinstance(rating, str)}
    if scale is None and rows.grades_of_words and not given.isdisjoint(rows.words):
        meant = ",".join(f"{name}={grade:g}" for name, grade in rows.grades_of_words.items())
        yield f"ESCI's labels were given the grades {meant}; --scale gives them others"


def _has_ids_alone(source: Source, format: str) -> bool:
    """Whether a file of judgments knows the ids of its queries and no text."""
    if format in OF_IDS_ALONE:
        return True
    found = _LAYOUTS[format](source) if format in _LAYOUTS else None
    return found is not None and "query" not in found.at


def _of_lines(source: Source) -> Layout | None:
    """The layout of JSON Lines by the keys of the first."""
    try:
        return _of_objects(json.loads(first_line(source)))
    except ValueError:  # longer than what is looked at
        return None


def _of_objects(value: object) -> Layout | None:
    """The layout of an object, or of a list of them by the first."""
    first = value[0] if isinstance(value, list) and value else value
    return layout(list(first)) if isinstance(first, dict) else None


_LAYOUTS: Mapping[str, Callable[[Source], Layout | None]] = {
    "csv": header_layout,
    "parquet": lambda source: layout([str(name) for name in parquet_frame(source).columns]),
    "json": lambda source: _of_objects(source.json),
    "jsonl": _of_lines,
}
"""How the columns of a format are found, which may have ids of queries and no texts."""
