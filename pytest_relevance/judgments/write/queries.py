"""Write queries to a file of their own, and give new ids to those whose id a format cannot store."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from pytest_relevance._text import counted, did_you_mean, listed, quoted
from pytest_relevance.judgments.columns import find_columns
from pytest_relevance.judgments.formats.table import escaped
from pytest_relevance.judgments.model import Judgments, Query, queries_of, rekeyed
from pytest_relevance.judgments.problems import JudgmentFileError
from pytest_relevance.judgments.reading import queries_in
from pytest_relevance.judgments.row_writers import delimited, number_text
from pytest_relevance.judgments.source import Source
from pytest_relevance.judgments.write.formats import WRITERS, Written, as_bytes, check_target, refuse
from pytest_relevance.judgments.writing_limits import (
    ANY_TEXT,
    IN_A_LINE,
    IN_CELLS,
    Limits,
    first_forbidden,
    forbidden_in,
    lost,
)


@dataclass(frozen=True, slots=True)
class QueryWriter:
    """A format of queries: its name in a sentence, its writer, what is forbidden in its texts, and what it stores."""

    about: str
    write: Callable[[Sequence[Query]], str]
    limits: Limits
    holds: frozenset[str]


_HEADS = ("query_id", "query", "weight", "note")


def _csv(queries: Sequence[Query]) -> str:
    return delimited({name: list(map(escaped, cells)) for name, cells in _columns(queries).items()}, ",")


def _tsv(queries: Sequence[Query]) -> str:
    """`id<TAB>text`, as in TREC's topics; a header where there is more to say, or the first line would be misread."""
    columns = {name: [_with_its_space(cell) for cell in cells] for name, cells in _columns(queries).items()}
    rows = delimited(columns, "\t", header=False)
    return delimited(columns, "\t") if len(columns) > 2 or _is_misread(rows, queries) else rows


def _is_misread(rows: str, queries: Sequence[Query]) -> bool:
    """Whether rows without a header would be read as other queries, or as a file with a header."""
    source = Source("", rows.encode())
    try:
        known = queries_in(source)
    except JudgmentFileError:
        return True
    pairs = [(query.id, query.text) for query in queries]
    return [(query.id, query.text) for query in known] != pairs or bool(find_columns(source.header.names, _HEADS))


def _with_its_space(cell: str) -> str:
    """Escape a cell whose own space would be removed as one before a formula. The formula itself is not escaped."""
    return escaped(cell) if cell.startswith(" ") else cell


def _columns(queries: Sequence[Query]) -> dict[str, list[str]]:
    columns = {"query_id": [query.id for query in queries], "query": [query.text or "" for query in queries]}
    if any(query.weight != 1 for query in queries):
        columns["weight"] = [number_text(query.weight) for query in queries]
    if any(query.note for query in queries):
        columns["note"] = [query.note or "" for query in queries]
    return columns


def _jsonl(queries: Sequence[Query]) -> str:
    return "".join(json.dumps({"_id": query.id, "text": query.text}, ensure_ascii=False) + "\n" for query in queries)


_IDS_AND_TEXTS = frozenset({"ids", "texts", "unrated"})
_ALL = _IDS_AND_TEXTS | {"weights", "notes"}

QUERY_WRITERS: Mapping[str, QueryWriter] = {
    "tsv": QueryWriter("TSV", _tsv, IN_A_LINE, _ALL),
    "csv": QueryWriter("CSV", _csv, IN_CELLS, _ALL),
    "jsonl": QueryWriter("BEIR's queries.jsonl", _jsonl, ANY_TEXT, _IDS_AND_TEXTS),
}
"""Every format that queries are written in."""


def write_queries(queries: Sequence[Query], format: str) -> Written:
    """Write queries in a format of `QUERY_WRITERS`, and report what it cannot store of them.

    A query without a text is left out, and counted.

    Raises:
        ValueError: there are no queries, the format does not exist, two queries have one id, or the format cannot have
            some of the ids and texts; a line for each mistake.
    """
    if format not in QUERY_WRITERS:
        close = did_you_mean(format, QUERY_WRITERS)
        raise ValueError(f"queries cannot be written as {quoted(format)}; it may be {listed(QUERY_WRITERS)}{close}")
    writer = QUERY_WRITERS[format]
    kept = [query for query in queries if query.text is not None]
    if not kept:
        raise ValueError(
            "there are no queries to write" if not queries else "no query has a text that could be written"
        )
    described = Judgments(queries={query.id: query for query in kept})
    twice = [key for key, count in Counter(query.id for query in kept).items() if count > 1]
    problems = [f"two queries have the id {quoted(key)}; give one of them another" for key in twice]
    refuse([*problems, *forbidden_in(described, writer.limits, writer.holds, writer.about)])
    without = len(queries) - len(kept)
    left_out = f"{counted(without, 'query', 'queries')} without a text, which a file of queries needs"
    losses = [*lost(described, writer.holds, writer.about), *([left_out] if without else [])]
    return Written(as_bytes(writer.write(kept)), tuple(losses))


def renumbered(judgments: Judgments, format: str = "trec") -> tuple[Judgments, list[Query]]:
    """Give judgments ids that a format can store. Returns them, and all queries with these ids and their texts.

    Where the format can store each key, the judgments are the same object. Else a query with its text as key, or with
    an id that the format cannot store, gets a new one: q01, q02 ... in their order, numbers alone in LTR. Other ids do
    not change.

    Raises:
        ValueError: judgments are not written in such a format.
    """
    writer = WRITERS[check_target(format)]
    queries = queries_of(judgments)
    unfit = {query.id for query in queries if first_forbidden(query.id, writer.limits.queries) is not None}
    if not unfit or writer.by_text:
        return judgments, queries
    renewed = [query.id for query in queries if query.id in unfit or query.text == query.id]
    kept = {query.id for query in queries}.difference(renewed)
    width = len(str(len(renewed)))
    numbers = (writer.numbered.format(number, width) for number in count(1))
    names = {query.id: query.id for query in queries}
    names |= zip(renewed, (number for number in numbers if number not in kept), strict=False)
    described = [
        replace(query, id=names[query.id], text=query.id if query.id in unfit and query.text is None else query.text)
        for query in queries
    ]
    renewed_judgments = rekeyed(judgments, names)
    renewed_judgments.queries = {query.id: query for query in described}
    return renewed_judgments, described
