"""Define what a format of judgments and a format of runs are, with their registries.

To add a format to the package, write a module in `ext/formats/` with a `JudgmentFormat`
(or a `RunFormat`) and name it in `bundled.py`. Another package adds a format by an
entry point of the group `pytest_relevance.formats` or `pytest_relevance.run_formats`.
The entry point names a format, or, for judgments, a function from the text of a file to
rows (`format_of_rows`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_relevance import bundled
from pytest_relevance._problems import NOWHERE, Place
from pytest_relevance._source import Source
from pytest_relevance.judgments.columns import GRADE_COLUMN
from pytest_relevance.judgments.document_ids import ID_FIELD
from pytest_relevance.judgments.model import Judgments, Query, Ratings
from pytest_relevance.judgments.row_rules import ROW_OPTIONS, ROW_RULES, rules_in
from pytest_relevance.registry import ExtensionError, Registry, check_own_name

QUERY = "query"
"""The option of a file with the column of the queries, or the path to their texts."""

DOCUMENT = "document"
PASSAGE = "passage"
CONTEXT = "context"
NEEDED = (DOCUMENT, PASSAGE, CONTEXT)
"""The options of a file with the column of what its queries need.

These are ids of documents, quotes, or contexts. A file has one of these options.
"""

COLUMN_OPTIONS = frozenset({GRADE_COLUMN, ID_FIELD})
"""The options of a table: the columns of the grades and of the document ids."""

TABLE_OPTIONS = COLUMN_OPTIONS.union(ROW_OPTIONS)
"""The options of a table that may also have queries alone."""

Fits = Callable[[Source], bool]
"""Says whether a file is in a format. It never raises for a file in another one."""

Rankings = Mapping[str, Sequence[str]]
"""{query: [document, ...]}, best first."""


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written in some format.

    `data`: the content of the file.
    `lost`: a sentence for each kind of information that the format cannot hold.
    """

    data: bytes
    lost: tuple[str, ...] = ()


HALF_OF_CONTEXTS = (
    "that half of a context is enough: quotes are written, which a result has to hold as a whole; shorten each to the "
    "words that the answer needs"
)
"""What is lost if contexts are written to a file with quotes."""


@dataclass(frozen=True, slots=True)
class UnreadColumn:
    """A column of a file of queries whose content is not used.

    `place`: the place of the name of the column in the file.
    `is_empty`: whether no row has a value in the column.
    `beside_judgments`: whether the file has judgments too. Then the column may describe
    documents.
    """

    name: str
    place: Place = NOWHERE
    is_empty: bool = False
    beside_judgments: bool = False


@dataclass(frozen=True, slots=True)
class JudgmentFormat:
    """A format of judgments, of queries, or of both.

    `name`: what a user calls it. `aliases`: other names.
    `about`: what a file in the format has, in a few words.
    `fits`: says whether a file has judgments in the format.
    `read`: reads the judgments; None if the format has none.
    `fits_queries`: says whether a file has queries in the format, or only their ids.
    The default is `fits`.
    `read_queries`: reads the queries; None if the format has none.
    `has_queries_alone`: says whether a file has queries and no judgments. The default
    is that `fits_queries` is true and `fits` is not.
    `is_golden_set`: says whether a file has queries and what each needs, so that a case
    file names it once.
    `unread_columns`: finds the columns of a file of queries that nothing reads.
    `reads_exports`: whether files of queries in the format may be exports of search
    tools, so that they are read as `plain_export` returns them.
    `write`: writes judgments; None if the format is not written.
    `options`: what a user can say of a file beyond its format.

    If a user names the format, a file is read even if it does not fit. The reader then
    reports what is wrong with it, by `Source.refuse`.
    """

    name: str
    about: str
    fits: Fits = lambda source: False
    read: Callable[[Source], Ratings] | None = None
    fits_queries: Fits | None = None
    read_queries: Callable[[Source], Sequence[Query]] | None = None
    has_queries_alone: Fits | None = None
    is_golden_set: Fits = lambda source: False
    unread_columns: Callable[[Source], Sequence[UnreadColumn]] = lambda source: ()
    reads_exports: bool = False
    write: Callable[[Judgments], Written] | None = None
    aliases: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()

    def has_judgments_in(self, source: Source) -> bool:
        """Say whether a file has judgments in this format."""
        return self.read is not None and self.fits(source)

    def has_queries_in(self, source: Source) -> bool:
        """Say whether a file has queries in this format."""
        return self.read_queries is not None and self.has_ids_of_queries_in(source)

    def has_ids_of_queries_in(self, source: Source) -> bool:
        """Say whether a file has queries in this format, or their ids alone."""
        fits = self.fits if self.fits_queries is None else self.fits_queries
        return fits(source)


_MEANT_FOR: Mapping[str, str] = {
    QUERY: "Elasticsearch requests, tables and JSON objects",
    DOCUMENT: "tables and JSON objects",
    PASSAGE: "tables and JSON objects",
    CONTEXT: "tables and JSON objects",
    GRADE_COLUMN: "tables and JSON objects",
    ID_FIELD: "tables, JSON objects and Elasticsearch requests",
    **dict.fromkeys(ROW_OPTIONS, "tables and JSON objects of queries alone"),
}
"""What each option of a file is for."""


def refuse_options(source: Source, known: JudgmentFormat) -> None:
    """Raise FileError if the file was given an option that its format does not have."""
    given = [option for option in source.options if option != ROW_RULES]
    given += rules_in(source.options).given
    if source.ids.of_file:
        given.append(ID_FIELD)
    for option in given:
        if option not in known.options:
            if option in ROW_OPTIONS and known.is_golden_set(source):
                source.refuse(
                    f"{option} is for files of queries alone, and this is a golden set, {known.name} ({known.about}); "
                    f"take {option} out"
                )
            source.refuse(
                f"{option}= is for {_MEANT_FOR[option]}, and this is {known.name} "
                f"({known.about}); leave it out"
            )


@dataclass(frozen=True, slots=True)
class RunFormat:
    """A format of runs: of the rankings that a search returned.

    `name`: what a user calls it.
    `about`: what a file in the format has; "" if messages do not offer the format.
    `fits`: says whether a file is in the format.
    `read`: reads the rankings, best first.
    `write`: writes rankings; None if the package cannot write the format.
    """

    name: str
    fits: Fits
    read: Callable[[Source], Rankings]
    about: str = ""
    write: Callable[[Rankings], Written] | None = None


def _judgment_format(name: str, value: str, entry: object) -> JudgmentFormat:
    """Return the format of an entry point.

    `entry`: a `JudgmentFormat`, or a function from a text to rows. Raises
    `ExtensionError` for anything else.
    """
    if isinstance(entry, JudgmentFormat):
        check_own_name(name, value, entry.name)
        return entry
    if callable(entry):
        return format_of_rows(name, value, entry)
    raise ExtensionError(
        f"{name} ({value}) is neither a JudgmentFormat nor a function from a text to rows"
    )


def _run_format(name: str, value: str, entry: object) -> RunFormat:
    if not isinstance(entry, RunFormat):
        raise ExtensionError(f"{name} ({value}) is not a RunFormat")
    check_own_name(name, value, entry.name)
    return entry


def format_of_rows(
    name: str, about: str, rows: Callable[[str], Iterable[Mapping[str, object]] | None]
) -> JudgmentFormat:
    """Return a format whose files are read by `rows`, a function from a text to rows.

    A row has the keys of a table of judgments or of queries: `{"query": "boots",
    "doc_id": "b1", "grade": 3}`. The rows are read as the format "json" reads them.
    No file fits the format, so a user has to name it.
    """
    label = f"{name} ({about})"

    def as_json(source: Source) -> Source:
        found = rows(source.text)
        if found is not None and not isinstance(found, str):
            found = list(found)
        if not found:
            source.refuse(f"the file holds nothing that {label} reads")
        try:
            data = json.dumps(found, allow_nan=False).encode()
        except (TypeError, ValueError) as error:  # JSON cannot hold a value
            source.refuse(f"{label} {error}")
        return Source(source.file, data, source.options, source.ids)

    def read(source: Source) -> Ratings:
        of_json = FORMATS.get("json").read
        assert of_json is not None
        return replace(of_json(as_json(source)), format=name)

    def read_queries(source: Source) -> Sequence[Query]:
        of_json = FORMATS.get("json").read_queries
        assert of_json is not None
        return of_json(as_json(source))

    def unread_columns(source: Source) -> Sequence[UnreadColumn]:
        return FORMATS.get("json").unread_columns(as_json(source))

    return JudgmentFormat(
        name=name,
        about=about,
        read=read,
        read_queries=read_queries,
        unread_columns=unread_columns,
    )


FORMATS: Registry[JudgmentFormat] = Registry(
    "pytest_relevance.formats", bundled.FORMATS, _judgment_format
)
"""The formats of judgments and queries, in the order in which a file is looked at."""

RUN_FORMATS: Registry[RunFormat] = Registry(
    "pytest_relevance.run_formats", bundled.RUN_FORMATS, _run_format
)
"""The formats of runs, in the order in which a file is looked at."""
