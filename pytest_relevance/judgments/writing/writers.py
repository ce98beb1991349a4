"""The table of formats that judgments are written in, and `write_judgments`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite

from pytest_relevance._text import counted, did_you_mean, listed, quoted
from pytest_relevance.judgments.model import Judgments, Query
from pytest_relevance.judgments.writing import documents, lines, tables
from pytest_relevance.judgments.writing.contents import lost
from pytest_relevance.judgments.writing.keys import named, text_of, unrated
from pytest_relevance.judgments.writing.rules import (
    ANY_TEXT,
    IDS_ALONE,
    IN_A_LINE,
    IN_CELLS,
    IN_JSON,
    IN_LTR,
    IN_WORDS,
    Allowed,
    broken_by,
)
from pytest_relevance.judgments.writing.tables import TABLE
from pytest_relevance.judgments.writing.written import Written, as_bytes, refuse

Content = tuple["str | bytes", list[str]]


@dataclass(frozen=True, slots=True)
class Writer:
    """A format to write. `about` is its name in a sentence, `write` makes the text (or bytes) and says what it lost.

    `allowed` is what ids and texts may be, `holds` are the `CONTENTS` it has a place for. `name` is what it knows a
    query by, where that is not its id. `whole` names who reads whole grades only. `numbered` is what a new id looks
    like where a query's own cannot be written.
    """

    about: str
    write: Callable[[Judgments], Content]
    allowed: Allowed
    holds: frozenset[str]
    name: Callable[[Query], str] | None = None
    whole: str = ""
    numbered: str = "q{:0{}}"

    @property
    def by_text(self) -> bool:
        """Whether it knows queries by their texts alone."""
        return self.name is not None


_IDS = frozenset({"ids"})
_TEXTS = frozenset({"texts"})

WRITERS: Mapping[str, Writer] = {
    "csv": Writer("CSV", tables.csv, IN_CELLS, TABLE),
    "tsv": Writer("TSV", tables.tsv, IN_A_LINE, TABLE),
    "parquet": Writer("Parquet", tables.parquet, ANY_TEXT, TABLE),
    "quepid": Writer("Quepid's CSV", tables.quepid, IN_CELLS, _TEXTS | {"unrated", "raters"}, text_of),
    "quepid-json": Writer("Quepid's JSON", documents.quepid, IN_JSON, _TEXTS | {"unrated", "params", "notes"}, text_of),
    "trec": Writer("TREC qrels", lines.trec, IN_WORDS, _IDS, whole="trec_eval"),
    "beir": Writer("BEIR's qrels", tables.beir, IDS_ALONE, _IDS, whole="BEIR"),
    "rre": Writer(
        "RRE's ratings.json", documents.rre, IN_JSON, _TEXTS | {"unrated", "params", "notes"}, documents.rre_name
    ),
    "elasticsearch": Writer(
        "a rank_eval request",
        documents.elasticsearch,
        IN_JSON,
        _IDS | _TEXTS | {"unrated", "params"},
        whole="Elasticsearch",
    ),
    "opensearch": Writer("OpenSearch's import", documents.opensearch, IN_JSON, _TEXTS, text_of),
    "ltr": Writer("LTR's judgment list", lines.ltr, IN_LTR, TABLE - {"raters"} | {"weights"}, numbered="{}"),
    "json": Writer("JSON", documents.plain, IN_JSON, _IDS | {"unrated"}),
    "jsonl": Writer("JSON Lines", documents.rows, IN_JSON, TABLE),
}
"""Every format that judgments are written in, by the name that a user gives it."""

ALIASES: Mapping[str, str] = {"qrels": "trec"}
"""Other names for the same."""


def check_target(name: str) -> str:
    """The name of a format to write as `WRITERS` has it. ValueError for another, with the names there are."""
    found = ALIASES.get(name, name)
    if found not in WRITERS:
        names = [*WRITERS, *ALIASES]
        close = did_you_mean(name, names)
        raise ValueError(f"judgments cannot be written as {quoted(name)}; it may be {listed(names)}{close}")
    return found


def write_judgments(judgments: Judgments, format: str) -> Written:
    """Judgments in a format, and what it cannot hold of them.

    ValueError where they cannot be written: a line for each query or document whose id the format cannot have.
    """
    writer = WRITERS[check_target(format)]
    if not any(judgments.values()) and not ("unrated" in writer.holds and unrated(judgments)):
        raise ValueError("there are no judgments to write")
    problems = [*_wrong_grades(judgments)]
    kept = judgments
    if writer.name is not None:
        kept, shared = named(judgments, writer.name, writer.about)
        problems += shared
    holds = writer.holds
    problems += broken_by(kept, writer.allowed, writer.about, texts="texts" in holds, raters="raters" in holds)
    if problems:
        refuse(problems)
    content, said = writer.write(kept)
    return Written(as_bytes(content), (*lost(judgments, holds, writer.about), *_fractions(kept, writer), *said))


def _wrong_grades(judgments: Judgments) -> Iterator[str]:
    if all(map(isfinite, {grade for of_query in judgments.values() for grade in of_query.values()})):
        return
    for query, of_query in judgments.items():
        for document, grade in of_query.items():
            if not isfinite(grade):
                yield f"query {quoted(query)}, document {quoted(document)}: a grade is a finite number, found {grade}"


def _fractions(judgments: Judgments, writer: Writer) -> Iterator[str]:
    """What is said of grades that the format holds, but its readers do not."""
    grades = (grade for documents in judgments.values() for grade in documents.values())
    count = sum(grade != int(grade) for grade in grades) if writer.whole else 0
    if count:
        grades_of = counted(count, "grade with a fraction", "grades with fractions")
        yield f"{grades_of} for {writer.whole}, which reads whole grades alone; they are written as they are"
