"""Find the columns of tables, and the keys of objects, by their usual names.

`SPELLINGS` lists the names for each kind of content. Files and DataFrames use the same
list. The preferred name comes first. Case, spaces, `-`, `_` and `.` do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pytest_relevance._text import listed

SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "query_id": ("query_id", "qid", "topic_id"),
    "query": (
        "query",
        "query_text",
        "query_string",
        "search_query",
        "search_term",
        "keywords",
        "topic",
    ),
    "document": (
        "doc_id",
        "document_id",
        "docno",
        "document",
        "doc",
        "did",
        "corpus_id",
        "product_id",
        "item_id",
        "object_id",
        "sku",
        "uri",
        "url",
    ),
    "grade": (
        "grade",
        "rating",
        "relevance",
        "label",
        "rel",
        "judgment",
        "judgement",
        "relevance_grade",
        "esci_label",
        "gain",
        "score",
    ),
    "rater": (
        "rater",
        "rater_id",
        "judge",
        "judge_id",
        "annotator",
        "annotator_id",
        "assessor",
        "worker",
        "worker_id",
    ),
    "title": (
        "title",
        "name",
        "product_title",
        "product_name",
        "doc_title",
        "document_title",
    ),
    "rank": ("rank", "position", "doc_position"),
    "score": ("score", "sim", "similarity"),
    "weight": ("weight", "frequency", "volume"),
    "machine": ("machine",),
    "note": ("information_need", "note", "notes", "description", "narrative"),
}

MORE_SPELLINGS = {
    "query_id": ("id", "number", "num", "nr", "no"),
    "query": ("text",),
}
"""More names of columns in files of queries, as plain names: `_id` is `id`.

In a table of judgments columns with these names may be anything.
"""

EXPORT_SPELLINGS = {
    "query": (
        "search",
        "keyword",
        "search_terms",
        "internal_search_term",
        "top_queries",
        "suchanfrage",
        "suchanfragen",
        "häufigste_suchanfragen",
        "suchbegriff",
        "requête",
        "requêtes",
        "requêtes_les_plus_fréquentes",
        "terme_de_recherche",
        "término_de_búsqueda",
        "termine_di_ricerca",
        "termo_de_pesquisa",
        "zoekterm",
        "consultas_principales",
    ),
    "weight": ("searches", "search_count", "search_volume"),
    "note": ("reference_answer",),
}
"""Names of columns in exports of search tools, for files of queries alone.

Weights are columns that can only be the number of searches.
"""

MAYBE_SEARCHES = frozenset({"count", "eventcount", "impressions", "occurrences"})
"""Plain names of columns that are the number of searches in some exports.

In others they are something else. The user has to map them, so a notice says how.
"""

SURE_GRADES = tuple(
    name for name in SPELLINGS["grade"] if name not in ("score", "gain")
)
"""The names that only columns of grades have."""

MACHINE = "machine"
"""The column that is true in the rows whose grade a machine gave."""

JUDGMENT_COLUMNS = (
    "query_id",
    "query",
    "document",
    "grade",
    "rater",
    "title",
    MACHINE,
)
"""The kinds of content in a table of judgments."""

GRADE_COLUMN = "grade_column"
"""The option that names the column of the grades."""


def plain_name(name: object) -> str:
    """Return a column name without case and punctuation: `queryid` for `Query ID`."""
    return re.sub(r"[\s._-]", "", str(name)).lower()


_PLAIN_SPELLINGS: dict[str, list[str]] = {}
for _kind, _spellings in SPELLINGS.items():
    _PLAIN_SPELLINGS[_kind] = [plain_name(spelling) for spelling in _spellings]


def find_column(names: Iterable[object], spellings: Iterable[str]) -> int | None:
    """Return the number of the column that has one of the names; None without one.

    Numbers count from 0. If several columns have one of the names, the one with the
    earliest spelling is taken.
    """
    numbers = _numbers_by_plain_name(names)
    for spelling in spellings:
        number = numbers.get(plain_name(spelling))
        if number is not None:
            return number
    return None


def _numbers_by_plain_name(names: Iterable[object]) -> dict[str, int]:
    """Return {plain name: number of the first column with this name}."""
    numbers: dict[str, int] = {}
    for number, name in enumerate(names):
        numbers.setdefault(plain_name(name), number)
    return numbers


def find_columns(names: Iterable[object], wanted: Iterable[str]) -> dict[str, int]:
    """Return {kind of content: number of its column} for the `wanted` kinds.

    Kinds are keys of `SPELLINGS`. A kind without a column is left out. Numbers count
    from 0. If several columns have a name of one kind, the one with the earliest
    spelling in `SPELLINGS` is taken. A column is of one kind only: of the first that
    is wanted.
    """
    numbers = _numbers_by_plain_name(names)
    found: dict[str, int] = {}
    for kind in wanted:
        for spelling in _PLAIN_SPELLINGS[kind]:
            number = numbers.get(spelling)
            if number is not None and number not in found.values():
                found[kind] = number
                break
    return found


def query_columns(names: Sequence[str], *, is_table: bool) -> dict[str, int]:
    """Return {kind of content: number of its column} of a file of queries.

    The kinds are `query_id`, `query`, `weight` and `note`. `text` is a query only
    beside a column of ids.

    `is_table`: whether the file is a table for sure. If not, a single name may be the
        first of many queries. So the names in exports, such as `search`, do not count.
    """
    at = find_columns(names, ("query_id", "query", "weight", "note"))
    if is_table or len(names) > 1:
        _add_columns(at, names, EXPORT_SPELLINGS)
    _add_columns(at, names, {"query_id": MORE_SPELLINGS["query_id"]})
    if "query_id" in at:
        _add_columns(at, names, {"query": MORE_SPELLINGS["query"]})
    return at


def _add_columns(
    at: dict[str, int], names: Sequence[str], spellings: Mapping[str, Sequence[str]]
) -> None:
    """Add the first column with a spelling of each kind that `at` does not have."""
    for kind, of_kind in spellings.items():
        if kind in at:
            continue
        plain = {plain_name(spelling) for spelling in of_kind}
        for number, name in enumerate(names):
            if plain_name(name) in plain and number not in at.values():
                at[kind] = number
                break


def is_run_header(names: Sequence[str]) -> bool:
    """Say whether a table has queries, documents, and ranks or scores."""
    if not has_ids(find_columns(names, JUDGMENT_COLUMNS)):
        return False
    return bool(find_columns(names, ("rank", "score")))


def column_called(names: Sequence[str], wanted: str) -> int | None:
    """Return the number of the column with this name, from 0; None if there is none.

    A name that differs only in case and punctuation is accepted too.
    """
    if wanted in names:
        return list(names).index(wanted)
    for number, name in enumerate(names):
        if plain_name(name) == plain_name(wanted):
            return number
    return None


def shown_names(names: Sequence[str]) -> str:
    """Return the first 20 names of columns as a list in words."""
    return listed([name or "(a blank)" for name in names[:20]], "and")


def has_ids(at: Mapping[str, int]) -> bool:
    """Say whether the columns in `at` include one of queries and one of documents."""
    return "document" in at and bool({"query", "query_id"} & at.keys())
