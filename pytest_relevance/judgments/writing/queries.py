"""Queries written to a file of their own, and new ids for those that a format cannot hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from pytest_relevance._text import counted, did_you_mean, listed, quoted
from pytest_relevance.judgments.columns import find_columns
from pytest_relevance.judgments.formats.known import FORMATS
from pytest_relevance.judgments.formats.lines import header_of, separator_of
from pytest_relevance.judgments.formats.queries import unknown_header
from pytest_relevance.judgments.formats.tables import escaped
from pytest_relevance.judgments.model import Judgments, Query
from pytest_relevance.judgments.source import Source
from pytest_relevance.judgments.writing.cells import in_csv, in_tsv, lines, number_text
from pytest_relevance.judgments.writing.contents import lost
from pytest_relevance.judgments.writing.keys import queries_of, rekeyed
from pytest_relevance.judgments.writing.rules import ANY_TEXT, IN_A_LINE, IN_CELLS, Breaches, Rules, broken
from pytest_relevance.judgments.writing.writers import WRITERS, check_target
from pytest_relevance.judgments.writing.written import Written, as_bytes, refuse


@dataclass(frozen=True, slots=True)
class QueryWriter:
    """A format of queries: its name in a sentence, what makes its text, what texts may be in it and what it holds."""

    about: str
    write: Callable[[Sequence[Query]], str]
    allowed: Rules
    holds: frozenset[str]


_TABLE = "csv"
_HEADS = ("query_id", "query", "weight", "note")


def _csv(queries: Sequence[Query]) -> str:
    columns = {name: in_csv(map(escaped, cells)) for name, cells in _columns(queries).items()}
    return ",".join(columns) + "\n" + lines(columns.values(), ",")


def _tsv(queries: Sequence[Query]) -> str:
    """`id<TAB>text`, as in TREC's topics; a header where there is more to say, or the first line would be misread."""
    columns = _columns(queries)
    rows = lines([in_tsv(map(_with_its_space, cells)) for cells in columns.values()], "\t")
    has_header = len(columns) > 2 or _is_misread(rows)
    return "\t".join(columns) + f"\n{rows}" if has_header else rows


def _is_misread(rows: str) -> bool:
    """Whether rows without a header would be taken for a file with one, or for one of another format."""
    first, _, _ = rows.partition("\n")
    if first.startswith("\ufeff") or find_columns(header_of(first, separator_of(first)), _HEADS):
        return True
    source = Source("", rows.encode())
    if unknown_header(source):
        return True
    fitting = (name for name, known in FORMATS.items() if known.queries is not None and known.fits_queries(source))
    return next(fitting, None) != _TABLE


def _with_its_space(cell: str) -> str:
    """A cell whose own space would be taken for that before a formula gets another; the formula itself stays."""
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

QUERY_WRITERS: Mapping[str, QueryWriter] = {
    "tsv": QueryWriter("TSV", _tsv, IN_A_LINE.queries, _IDS_AND_TEXTS | {"weights", "notes"}),
    "csv": QueryWriter("CSV", _csv, IN_CELLS.queries, _IDS_AND_TEXTS | {"weights", "notes"}),
    "jsonl": QueryWriter("BEIR's queries.jsonl", _jsonl, ANY_TEXT.queries, _IDS_AND_TEXTS),
}
"""Every format that queries are written in."""


def write_queries(queries: Sequence[Query], format: str) -> Written:
    """Queries in a format, and what it cannot hold of them. A query without a text is left out, and counted.

    ValueError where they cannot be written: a line for each id or text that the format cannot have.
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
    problems = [*_problems(kept, writer)]
    if problems:
        refuse(problems)
    described = Judgments(queries={query.id: query for query in kept})
    without = len(queries) - len(kept)
    said = [f"{counted(without, 'query', 'queries')} without a text, which a file of queries needs"] if without else []
    return Written(as_bytes(writer.write(kept)), (*lost(described, writer.holds, writer.about), *said))


def _problems(queries: Sequence[Query], writer: QueryWriter) -> Iterator[str]:
    known: set[str] = set()
    found = Breaches(writer.about)
    for query in queries:
        text = query.text or ""
        found.look(query.id, writer.allowed, f"the id {quoted(query.id)}", "ids")
        found.look(text, writer.allowed, f"query {quoted(query.id)}, text {quoted(text)}", "texts")
        if query.note:
            found.look(query.note, writer.allowed, f"the note of query {quoted(query.id)}", "notes")
        if query.id in known:
            yield f"two queries have the id {quoted(query.id)}; give one of them another"
        known.add(query.id)
    yield from found.lines()


def renumbered(judgments: Judgments, format: str = "trec") -> tuple[Judgments, list[Query]]:
    """Judgments with ids that a format can hold, and all queries with these ids and their texts.

    Where each key can be held the judgments are the same object. Else each query that has its text for a key, or an id
    that cannot be held, gets a new one: q01, q02 ... in their order, numbers alone in LTR. Ids that can be held stay.
    """
    writer = WRITERS[check_target(format)]
    queries = queries_of(judgments)
    unfit = {query.id for query in queries if broken(query.id, writer.allowed.queries) is not None}
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
