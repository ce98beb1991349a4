"""`read_judgments` and `read_queries`: a file in any format of the field.

The format is recognised from the content. Where the user names it, the file is read as that, and what is wrong with it
is what is wrong with a file of that format.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NoReturn

from pytest_relevance._text import did_you_mean, listed, quoted
from pytest_relevance.judgments.columns import find_columns
from pytest_relevance.judgments.formats import json_files
from pytest_relevance.judgments.formats.kinds import json_of_another_kind, seems_to_be
from pytest_relevance.judgments.formats.known import ALIASES, FORMATS, Format
from pytest_relevance.judgments.formats.layouts import GRADE_COLUMN, is_run
from pytest_relevance.judgments.formats.lines import header_of, separator_of
from pytest_relevance.judgments.formats.queries import read_table as read_query_table
from pytest_relevance.judgments.formats.tables import first_line, is_parquet, refuse_header
from pytest_relevance.judgments.grading import graded, number_of
from pytest_relevance.judgments.model import Judgments, Query, Ratings
from pytest_relevance.judgments.raters import AGGREGATES
from pytest_relevance.judgments.scale import Scale
from pytest_relevance.judgments.source import Source

Path = str | os.PathLike[str]
AnyScale = Scale | Mapping[str, float] | Sequence[float] | None


def read_judgments(
    path: Path,
    format: str | None = None,
    *,
    scale: AnyScale = None,
    raters: str | None = None,
    query: str | None = None,
    grade_column: str | None = None,
    shown: str | None = None,
) -> Judgments:
    """Read a file of judgments: {query: {document: grade}}, with what else the file says as attributes.

    `format` is one of the names in docs/judgments.md, by default what the content shows. `scale` gives names to grades,
    {name: grade}, or their range, (lowest, highest); a grade off it is an error. `raters` is how several ratings of a
    document become its grade ("median", "mean", "min", "max", "majority"); where the file tells raters apart the
    default is the median, elsewhere a document with two grades is an error unless `raters` is given. `query` says where
    in an Elasticsearch rank_eval request the text of the query stands (`params.text`). `grade_column` is the column of
    a table, or the key of JSON objects, that has the grades: a file with a final column beside the ratings of raters
    (`final_rating`) is an error without it, unless `raters` is given. `shown` is what messages call the file.

    The key of a query is its id, or its text in a format that has no ids. Ids and texts are text, exactly as written.
    Raises `JudgmentFileError` (a ValueError) with every mistake, its line, query and document.
    """
    source = Source.read(path, shown, options_of(query, grade_column))
    return graded(read_ratings(source, format), as_scale(scale), checked_raters(raters))


def read_queries(
    path: Path, format: str | None = None, *, query: str | None = None, grade_column: str | None = None
) -> dict[str, str]:
    """Read a file of queries: {id: text}, in the order of the file; a query without an id has its text as id.

    A file of judgments that knows the texts of its queries is a file of queries too. The arguments and errors are those
    of `read_judgments`.
    """
    return {
        found.id: found.text if found.text is not None else found.id
        for found in load_queries(path, format, query=query, grade_column=grade_column)
    }


def load_queries(
    path: Path,
    format: str | None = None,
    *,
    query: str | None = None,
    grade_column: str | None = None,
    shown: str | None = None,
) -> list[Query]:
    """The same with all that the file says of each query."""
    return queries_in(Source.read(path, shown, options_of(query, grade_column)), format)


def queries_in(source: Source, format: str | None = None) -> list[Query]:
    """The queries in a file."""
    known = _named(source, format)
    if known is None:
        known = next((one for one in FORMATS.values() if one.queries is not None and one.fits_queries(source)), None)
    if known is None:  # it may be one that has ids alone
        known = next((one for one in FORMATS.values() if one.queries is None and one.fits(source)), None)
    if known is None:
        _refuse_unknown(source, "queries")
    _look_at_options(source, known)
    _refuse_another_kind(source, known, "queries")
    if known.queries is None:
        source.refuse(f"{known.name} ({known.about}) has no queries, only their ids; name a file of queries")
    return list(known.queries(source))


def read_ratings(source: Source, format: str | None = None) -> Ratings:
    """The ratings in a file, as they are written."""
    known = _named(source, format)
    if known is None:
        known = next((one for one in FORMATS.values() if one.ratings is not None and one.fits(source)), None)
    if known is None:
        _refuse_unknown(source, "judgments")
    _look_at_options(source, known)
    _refuse_another_kind(source, known, "judgments")
    if known.ratings is None:
        source.refuse(f"{known.name} ({known.about}) holds no judgments")
    ratings = known.ratings(source)
    if not ratings.queries and not ratings.described:
        source.refuse("the file holds no judgments")
    return ratings


def as_scale(scale: AnyScale) -> Scale | None:
    """A scale from what a caller in Python gives."""
    if scale is None or isinstance(scale, Scale):
        return scale
    if isinstance(scale, Mapping):
        if len(set(scale.values())) < 2:
            raise ValueError(f"a scale has at least two different grades, not {scale!r}")
        return Scale(min(scale.values()), max(scale.values()), dict(scale))
    lowest, highest = scale
    if not lowest < highest:
        raise ValueError(f"a scale is (lowest, highest), two numbers in that order, not {scale!r}")
    return Scale(lowest, highest)


def checked_raters(raters: str | None) -> str | None:
    """A way to combine ratings, or ValueError."""
    if raters is not None and raters not in AGGREGATES:
        raise ValueError(
            f"ratings are combined by {listed(AGGREGATES)}, not {raters!r}{did_you_mean(raters, AGGREGATES)}"
        )
    return raters


def check_format(name: str) -> str:
    """The name of a format as `FORMATS` has it. ValueError for another, with the names there are."""
    found = ALIASES.get(name, name)
    if found not in FORMATS:
        names = [*FORMATS, *ALIASES]
        raise ValueError(f"unknown format {quoted(name)}; it may be {listed(names)}{did_you_mean(name, names)}")
    return found


def _named(source: Source, format: str | None) -> Format | None:
    if format is None:
        return None
    return FORMATS[check_format(format)]


def _look_at_options(source: Source, known: Format) -> None:
    """Refuse what was said of a file and means nothing for its format."""
    for option in source.options:
        formats, what = OPTIONS[option]
        is_json_of_quepid = known.name == "quepid" and source.looks_like_json  # which has no columns
        if known.name not in formats or is_json_of_quepid:
            source.refuse(f"{option}= is for {what}, and this is {known.name} ({known.about}); leave it out")


_OF_OBJECTS = ("json", "jsonl", "beir")
"""The formats of JSON that hold judgments or queries, as the objects in them say."""


def _refuse_another_kind(source: Source, known: Format, what: str) -> None:
    """Refuse JSON that is well known to be something else, before anything in it is called wrong."""
    seems = json_of_another_kind(source) if known.name in ("json", "jsonl") and source.looks_like_json else ""
    if seems:
        source.refuse(f"this seems to be {seems}; {what} are needed")


OPTIONS: Mapping[str, tuple[frozenset[str], str]] = {
    "query": (
        frozenset({"elasticsearch"}),
        "Elasticsearch requests",
    ),
    GRADE_COLUMN: (
        frozenset({"csv", "parquet", "quepid", "beir", "json", "jsonl"}),
        "tables and JSON objects",
    ),
}
"""What can be said of a file beyond its format: which formats it is for, and what it is there."""


def options_of(query: str | None, grade_column: str | None) -> dict[str, str]:
    """What was said of a file, without what was not."""
    said = {"query": query, GRADE_COLUMN: grade_column}
    return {option: value for option, value in said.items() if value is not None}


def holds_queries_alone(source: Source, format: str | None = None) -> bool:
    """Whether a file is one of queries that no format takes for judgments."""
    known = _named(source, format)
    if known is None:
        known = next((one for one in FORMATS.values() if one.fits(source) or one.fits_queries(source)), None)
        if known is None or is_parquet(source) or not source.looks_like_json:
            return known is not None and not known.fits(source)
    if known.ratings is None or is_parquet(source) or not source.looks_like_json:
        return known.ratings is None
    return json_files.are_queries(source) if known.name in _OF_OBJECTS else not known.fits(source)


def _refuse_unknown(source: Source, what: str) -> NoReturn:
    """Say what the file seems to be, or what it begins with, and what there is to choose from."""
    seems = seems_to_be(source)
    line = first_line(source)
    names = header_of(line, separator_of(line))
    is_header = len(names) > 1 and not any(map(number_of, names)) and not source.looks_like_json
    if is_header and what == "judgments" and (is_run(names) or not seems):
        refuse_header(source, names)
    if is_header and what == "queries" and find_columns(names, ("document", "grade")) and not seems:
        refuse_header(source, names)
    if is_header and what == "queries" and find_columns(names, ("query_id",)) and not seems:
        read_query_table(source)  # which says what a header of queries is
    if seems:
        source.refuse(f"this seems to be {seems}; {what} are needed", 1)
    usable = [one for one in FORMATS.values() if (one.ratings if what == "judgments" else one.queries) is not None]
    known = "; ".join(f"{one.name} ({one.about})" for one in usable)
    source.refuse(
        f"the format of these {what} is not recognised; the file begins with {quoted(line.strip())}. "
        f"Known are: {known}. If it is one of them, name it: format",
        1,
    )
