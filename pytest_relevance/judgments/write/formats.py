"""Write judgments and queries in every format that has a place for them, and report what each format cannot store.

To add a format, write a function that makes text of `Judgments` and add a row to `WRITERS`: the row says what ids are
allowed in the format and what it stores, and all refusals and notices of losses follow from it.
"""

from __future__ import annotations

import gzip
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from math import isfinite
from operator import attrgetter
from pathlib import PurePath
from typing import NoReturn

from pytest_relevance._text import counted, did_you_mean, listed, quoted
from pytest_relevance.judgments.model import Judgments, Query, queries_of, rekeyed
from pytest_relevance.judgments.write import json as json_writers
from pytest_relevance.judgments.write import rows as row_writers
from pytest_relevance.judgments.write.limits import (
    ANY_TEXT,
    IDS_ALONE,
    IN_A_LINE,
    IN_CELLS,
    IN_JSON,
    IN_LTR,
    IN_WORDS,
    Limits,
    first_forbidden,
    forbidden_in,
    lost,
)
from pytest_relevance.judgments.write.rows import TABLE

_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Written:
    """A file in some format: its bytes, and a sentence for each kind of information that the format cannot store."""

    data: bytes
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TargetFormat:
    """A format to write. `about` is its name in a sentence, `write` makes text or bytes and says what was lost.

    `limits` are those of ids and texts, `holds` the `CONTENTS` it has a place for. `name` is the key of a query in the
    format, where that is not its id. `whole` names a reader that accepts whole grades only. `numbered` is the form of a
    new id, where a query's own cannot be written.
    """

    about: str
    write: Callable[[Judgments], tuple[str | bytes, list[str]]]
    limits: Limits
    holds: frozenset[str]
    name: Callable[[Query], str] | None = None
    whole: str = ""
    numbered: str = "q{:0{}}"

    @property
    def by_text(self) -> bool:
        """Whether the format knows queries by their texts alone."""
        return self.name is not None


_IDS, _TEXTS, _QUERIES = frozenset({"ids"}), frozenset({"texts"}), frozenset({"texts", "unrated", "params", "notes"})
_TEXT = attrgetter("text_or_id")
_BY_IDS = _IDS | {"texts", "unrated", "params"}

WRITERS: Mapping[str, TargetFormat] = {
    "csv": TargetFormat("CSV", partial(row_writers.write_table, ",", "CSV"), IN_CELLS, TABLE),
    "tsv": TargetFormat("TSV", partial(row_writers.write_table, "\t", "TSV"), IN_A_LINE, TABLE),
    "parquet": TargetFormat("Parquet", row_writers.write_parquet, ANY_TEXT, TABLE),
    "quepid": TargetFormat("Quepid's CSV", row_writers.write_quepid, IN_CELLS, _TEXTS | {"unrated", "raters"}, _TEXT),
    "quepid-json": TargetFormat("Quepid's JSON", json_writers.write_quepid, IN_JSON, _QUERIES, _TEXT),
    "trec": TargetFormat("TREC qrels", row_writers.write_trec, IN_WORDS, _IDS, whole="trec_eval"),
    "beir": TargetFormat("BEIR's qrels", row_writers.write_beir, IDS_ALONE, _IDS, whole="BEIR"),
    "rre": TargetFormat("RRE's ratings.json", json_writers.write_rre, IN_JSON, _QUERIES, json_writers.rre_name),
    "elasticsearch": TargetFormat(
        "a rank_eval request", json_writers.write_elasticsearch, IN_JSON, _BY_IDS, whole="Elasticsearch"
    ),
    "opensearch": TargetFormat("OpenSearch's import", json_writers.write_opensearch, IN_JSON, _TEXTS, _TEXT),
    "ltr": TargetFormat(
        "LTR's judgment list", row_writers.write_ltr, IN_LTR, TABLE - {"raters"} | {"weights"}, numbered="{}"
    ),
    "json": TargetFormat("JSON", json_writers.write_json, IN_JSON, _IDS | {"unrated"}),
    "jsonl": TargetFormat("JSON Lines", json_writers.write_jsonl, IN_JSON, TABLE),
}
"""Every format that judgments are written in, by the name that a user gives it."""

_ALIASES: Mapping[str, str] = {"qrels": "trec"}

_ENDINGS: Mapping[str, str] = {
    **{f".{name}": name for name in ("csv", "tsv", "parquet", "json", "jsonl", "trec")},
    ".ndjson": "jsonl",
    ".qrels": "trec",
    ".txt": "trec",
}
"""The format of a file of judgments by the ending of its name."""


def check_target(name: str) -> str:
    """Find the name of a format in `WRITERS`.

    Raises:
        ValueError: judgments are not written in such a format; with the names there are.
    """
    found = _ALIASES.get(name, name)
    return found if found in WRITERS else _refuse_format("judgments", name, [*WRITERS, *_ALIASES])


def _refuse_format(what: str, name: str, names: Sequence[str]) -> NoReturn:
    close = did_you_mean(name, names)
    raise ValueError(f"{what} cannot be written as {quoted(name)}; it may be {listed(names)}{close}")


def format_of_name(path: str | os.PathLike[str]) -> str | None:
    """The format of a file by its name, `judgments.csv` or `judgments.csv.gz`; None for another ending."""
    endings = [ending.lower() for ending in PurePath(path).suffixes]
    if endings[-1:] == [".gz"]:
        endings.pop()
    return _ENDINGS.get(endings[-1]) if endings else None


def packed(path: str | os.PathLike[str], data: bytes) -> bytes:
    """Compress bytes with gzip if the name of their file ends in .gz; equal bytes give equal files."""
    return gzip.compress(data, mtime=0) if PurePath(path).suffix.lower() == ".gz" else data


def write_judgments(judgments: Judgments, format: str) -> Written:
    """Write judgments in a format of `WRITERS`, and report what it cannot store of them.

    Raises:
        ValueError: there are no judgments, the format does not exist, or it cannot have some of the ids or grades; a
            line for each mistake.
    """
    writer = WRITERS[check_target(format)]
    if not any(judgments.values()) and not ("unrated" in writer.holds and judgments.unrated):
        raise ValueError("there are no judgments to write")
    problems = [*_wrong_grades(judgments)]
    kept = judgments
    if writer.name is not None:
        kept, shared = _named(judgments, writer.name, writer.about)
        problems += shared
    holds = writer.holds
    problems += forbidden_in(kept, writer.limits, holds, writer.about)
    refuse(problems)
    content, losses = writer.write(kept)
    return Written(as_bytes(content), (*lost(judgments, holds, writer.about), *_fractions(kept, writer), *losses))


def refuse(problems: Sequence[str]) -> None:
    """Raise a ValueError with a line for each problem, if there are any."""
    if not problems:
        return
    more = len(problems) - _MOST_SHOWN
    raise ValueError("\n".join([*problems[:_MOST_SHOWN], *([f"... and {more:,} more"] if more > 0 else [])]))


def as_bytes(content: str | bytes) -> bytes:
    """Encode text as UTF-8. ValueError for half of a surrogate pair."""
    if isinstance(content, bytes):
        return content
    try:
        return content.encode()
    except UnicodeEncodeError as error:
        wrong = quoted(content[max(error.start - 20, 0) : error.end])
        raise ValueError(f"{wrong} ends in half of a surrogate pair, which is no text") from None


def _named(judgments: Judgments, name: Callable[[Query], str], format: str) -> tuple[Judgments, list[str]]:
    """Give queries the keys of a format, and say which of them would share one."""
    keys: dict[str, str] = {}
    problems = []
    for query in queries_of(judgments):
        own = name(query)
        other = keys.setdefault(own, query.id)
        if other != query.id:
            problems.append(
                f"the queries {quoted(other)} and {quoted(query.id)} have the same text {quoted(own)}, and {format} "
                "knows queries by their texts; join them, or write another format"
            )
    return rekeyed(judgments, {query: own for own, query in keys.items()}), problems


def _wrong_grades(judgments: Judgments) -> Iterator[str]:
    if all(map(isfinite, {grade for of_query in judgments.values() for grade in of_query.values()})):
        return
    for query, of_query in judgments.items():
        for document, grade in of_query.items():
            if not isfinite(grade):
                yield f"query {quoted(query)}, document {quoted(document)}: a grade is a finite number, found {grade}"


def _fractions(judgments: Judgments, writer: TargetFormat) -> Iterator[str]:
    """Report grades with fractions, which the format can store but its usual reader refuses."""
    grades = (grade for documents in judgments.values() for grade in documents.values())
    count = sum(grade != int(grade) for grade in grades) if writer.whole else 0
    if count:
        grades_of = counted(count, "grade with a fraction", "grades with fractions")
        yield f"{grades_of} for {writer.whole}, which reads whole grades alone; they are written as they are"


_IDS_AND_TEXTS = frozenset({"ids", "texts", "unrated"})
_ALL = _IDS_AND_TEXTS | {"weights", "notes"}

QUERY_WRITERS: Mapping[str, TargetFormat] = {
    "tsv": TargetFormat("TSV", row_writers.write_query_lines, IN_A_LINE, _ALL),
    "csv": TargetFormat("CSV", row_writers.write_query_table, IN_CELLS, _ALL),
    "jsonl": TargetFormat("BEIR's queries.jsonl", json_writers.write_queries, ANY_TEXT, _IDS_AND_TEXTS),
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
        _refuse_format("queries", format, [*QUERY_WRITERS])
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
    return Written(as_bytes(writer.write(described)[0]), tuple(losses))


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
