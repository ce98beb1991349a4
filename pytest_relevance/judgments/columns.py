"""Find the columns of tables, and the keys of objects, by their usual names.

`SPELLINGS` lists the names for each kind of content. Files and DataFrames use the same
list. The preferred name comes first. Case, spaces, `-`, `_` and `.` do not matter.

A table of judgments has a row per rating, or a row per document with a column for each
rater. If it has both a column of final grades and columns of raters, the user has to
name the column of the grades (`grade_column`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._text import did_you_mean, listed, quoted

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

BEIR_DOCUMENT = "corpusid"
"""The column of documents in BEIR's tables, by its plain name."""


def plain_name(name: object) -> str:
    """Return a column name without case and punctuation: `queryid` for `Query ID`."""
    return re.sub(r"[\s._-]", "", str(name)).lower()


_PLAIN_SPELLINGS: dict[str, list[str]] = {}
for _what, _spellings in SPELLINGS.items():
    _PLAIN_SPELLINGS[_what] = [plain_name(spelling) for spelling in _spellings]


def find_columns(names: Iterable[object], wanted: Iterable[str]) -> dict[str, int]:
    """Return {kind of content: number of its column} for the `wanted` kinds.

    Kinds are keys of `SPELLINGS`. A kind without a column is left out. Numbers count
    from 0. If several columns have a name of one kind, the one with the earliest
    spelling in `SPELLINGS` is taken. A column is of one kind only.
    """
    numbers: dict[str, int] = {}
    for number, name in enumerate(names):
        numbers.setdefault(plain_name(name), number)
    found: dict[str, int] = {}
    for what in wanted:
        for spelling in _PLAIN_SPELLINGS[what]:
            found_at = numbers.get(spelling)
            if found_at is not None and found_at not in found.values():
                found[what] = found_at
                break
    return found


def query_columns(names: Sequence[str], *, is_table: bool) -> dict[str, int]:
    """Return {kind of content: number of its column} of a file of queries.

    The kinds are `query_id`, `query`, `weight` and `note`. `text` is a query only
    beside a column of ids.

    `is_table`: whether the file is a table for sure. If not, the one name may be the
        first of many queries, and `search` is a query then.
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
    for what, of_kind in spellings.items():
        if what in at:
            continue
        plain = {plain_name(spelling) for spelling in of_kind}
        for number, name in enumerate(names):
            if plain_name(name) in plain and number not in at.values():
                at[what] = number
                break


MACHINE = "machine"
"""The column that is true in the rows whose grade a machine gave."""

WANTED = ("query_id", "query", "document", "grade", "rater", "title", MACHINE)
GRADE_COLUMN = "grade_column"
"""The option that names the column of the grades."""

_GRADE = r"(?:rating|grade|relevance|label|judge?ment)"
_MADE_OF_RATINGS = r"(?:final|consensus|adjudicated|agreed|resolved|reconciled|aggregated?|combined|gold)"
_AVERAGE = r"(?:mean|median|mode|majority(?:vote)?|average|avg|overall)"
_FINAL = re.compile(
    rf"final|consensus|adjudicated|gold|{_MADE_OF_RATINGS}{_GRADE}|{_GRADE}{_MADE_OF_RATINGS}"
)
"""The names of columns of final grades: `final`, `consensus_rating`, `gold_label`."""

_SUMMARY = re.compile(
    rf"{_FINAL.pattern}|{_AVERAGE}|{_AVERAGE}{_GRADE}|{_GRADE}{_AVERAGE}"
)
"""The names of columns that summarise ratings: final grades, and averages."""

_RATING = re.compile(r".*(?:rating|grade|judge?ment)[0-9]*")
_MAY_BE_ANYTHING = frozenset({"score", "gain"})
_GRADES = frozenset(_PLAIN_SPELLINGS["grade"]) - _MAY_BE_ANYTHING
_CALLED_GRADE = re.compile("|".join([_RATING.pattern, *sorted(_GRADES)]))
_DOCUMENTED = frozenset([*_PLAIN_SPELLINGS["title"], *_PLAIN_SPELLINGS["note"]])
"""Names of columns that are about a document or a query. No rater is called so."""


def may_be_grades(name: str) -> bool:
    """Say whether a column with this name may hold grades or ratings."""
    plain = plain_name(name)
    is_grade = _CALLED_GRADE.fullmatch(plain) is not None
    return is_grade or _SUMMARY.fullmatch(plain) is not None


_BOOK = ["query", "docid"]
"""The beginning of the header of a Quepid book; a column for each judge follows."""


@dataclass(frozen=True, slots=True)
class RaterColumn:
    """The column with the ratings of one rater.

    `number`: the number of the column, from 0.
    """

    number: int
    rater: str


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a table of judgments. Their numbers count from 0.

    Either `at` has the column of the grades, or `raters` has a column for each rater.

    `names`: the names of all columns.
    `at`: the column of each kind of content, for example {"query": 0, "grade": 2}.
    `final`: the names of columns of final grades that are not read.
    `chosen`: whether the user named the column of the grades.
    """

    names: Sequence[str]
    at: Mapping[str, int]
    raters: Sequence[RaterColumn] = ()
    final: Sequence[str] = ()
    chosen: bool = False

    @property
    def grade_columns(self) -> list[int]:
        """Return the numbers of the columns that are read as grades or as ratings."""
        if "grade" in self.at:
            return [self.at["grade"]]
        return [column.number for column in self.raters]

    @property
    def why_unclear(self) -> str:
        """Return why it is unclear which column has the grades; "" if it is clear."""
        if not self.final:
            return ""
        names = [self.names[number] for number in self.grade_columns]
        verb = "seems" if len(self.final) == 1 else "seem"
        return (
            f"{listed(self.final, 'and')} {verb} to be made of "
            f"{listed(names, 'and')}; say which column has the grades (grade_column: "
            f"{self.final[0]}, --grade-column of a command), or how several ratings "
            "become one grade (raters: median, --raters)"
        )

    @property
    def are_ratings(self) -> bool:
        """Say whether the columns of all raters are called ratings, grades or the like.

        False without raters, and in a Quepid book, whose columns have the names of the
        raters.
        """
        if not self.raters:
            return False
        names = [plain_name(self.names[column.number]) for column in self.raters]
        return all(_RATING.fullmatch(name) for name in names)

    @property
    def left_out(self) -> list[str]:
        """Return a notice for each column that looks like grades and is not read.

        There is none if the user named the column of the grades.
        """
        if self.chosen:
            return []
        if self.raters:
            count = len(self.raters)
            whose = f"{count} raters" if count > 1 else self.raters[0].rater
            what_is_read = f"the ratings of {whose} are read"
            names = list(self.final)
        else:
            what_is_read = f"the grade is in {self.names[self.at['grade']]}"
            names = self._like_grades()
        return [f"the column {name} is left out: {what_is_read}" for name in names]

    def _like_grades(self) -> list[str]:
        """Return the names of columns that look like grades and are not read."""
        found = []
        for number, name in enumerate(self.names):
            if number == self.at["grade"]:
                continue
            if name in self.final or _CALLED_GRADE.fullmatch(plain_name(name)):
                found.append(name)
        return found


def layout(
    names: Sequence[str],
    grade_column: str | None = None,
    document: int | None = None,
) -> Layout | None:
    """Return the columns of a table of judgments; None for any other table.

    A column called `score` holds grades if `grade_column` names it, and in tables of
    BEIR. In other tables it holds the scores of a run.

    `grade_column`: the name of the column of the grades, if the user gave one.
    `document`: the number of the column of the documents, if `id_field` names one.
    """
    at = find_columns(names, WANTED)
    if document is not None:
        at = _without_column(at, document)
        at["document"] = document
    if grade_column is not None:
        return _chosen_layout(names, at, grade_column)
    if "grade" in at and _is_score_of_a_run(names, at):
        del at["grade"]
    if not has_ids(at):
        return None
    if "grade" in at:
        final = []
        for number, name in enumerate(names):
            if number != at["grade"] and _FINAL.fullmatch(plain_name(name)):
                final.append(name)
        return Layout(names, at, final=final)
    return _layout_of_raters(names, at)


def _chosen_layout(
    names: Sequence[str], at: Mapping[str, int], grade_column: str
) -> Layout | None:
    """Return the columns of a table whose grades are in the column `grade_column`.

    None if there is no such column, or none of queries or documents.
    """
    number = column_called(names, grade_column)
    if number is None:
        return None
    at = _without_column(at, number)
    at["grade"] = number
    if _SUMMARY.fullmatch(plain_name(names[number])):
        at.pop("rater", None)  # a summary is not the rating of one rater
    return Layout(names, at, chosen=True) if has_ids(at) else None


def _layout_of_raters(names: Sequence[str], at: Mapping[str, int]) -> Layout | None:
    """Return the columns of a table that has no column called `grade` or the like.

    The grades are in the columns of raters, or else in the one column of final grades.
    None if there are neither.
    """
    if find_columns(names, ("rank",)):
        return None  # a run, such as a snapshot of Quepid
    summaries = [name for name in names if _SUMMARY.fullmatch(plain_name(name))]
    raters = _columns_of_raters(names, at, summaries)
    if raters:
        return Layout(names, at, raters=raters, final=summaries)
    final = [name for name in summaries if _FINAL.fullmatch(plain_name(name))]
    if len(final) == 1:
        return Layout(names, {**at, "grade": list(names).index(final[0])})
    return None


def _without_column(at: Mapping[str, int], number: int) -> dict[str, int]:
    return {what: column for what, column in at.items() if column != number}


def is_run_header(names: Sequence[str]) -> bool:
    """Say whether a table has queries, documents, and ranks or scores."""
    if not has_ids(find_columns(names, WANTED)):
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


def no_such_column(names: Sequence[str], wanted: str) -> str:
    """Return the message that no column is called `wanted`, with all column names."""
    close = did_you_mean(wanted, list(names))
    return (
        f"there is no column {quoted(wanted)} for the grades; the columns are "
        f"{shown_names(names)}{close}"
    )


def shown_names(names: Sequence[str]) -> str:
    """Return the first 20 names of columns as a list in words."""
    return listed([name or "(a blank)" for name in names[:20]], "and")


def has_ids(at: Mapping[str, int]) -> bool:
    """Say whether the columns in `at` include one of queries and one of documents."""
    return "document" in at and bool({"query", "query_id"} & at.keys())


def _is_score_of_a_run(names: Sequence[str], at: Mapping[str, int]) -> bool:
    if plain_name(names[at["grade"]]) != "score":
        return False
    is_beir = "document" in at and plain_name(names[at["document"]]) == BEIR_DOCUMENT
    return not is_beir or bool(find_columns(names, ("rank",)))


def _columns_of_raters(
    names: Sequence[str], at: Mapping[str, int], summaries: Sequence[str]
) -> list[RaterColumn]:
    """Return the columns of single raters; [] if the table does not show any.

    The column of a rater is called `ann_rating`, `rating2` or the like. If there is
    only one, it counts only beside a column of `summaries`. In a Quepid book the
    columns have the names of the raters.
    """
    ratings = []
    judges = []
    for number, name in enumerate(names):
        if not name or name in summaries:
            continue
        if _RATING.fullmatch(plain_name(name)):
            ratings.append(RaterColumn(number, _rater_name(name)))
        if number not in at.values() and plain_name(name) not in _DOCUMENTED:
            judges.append(RaterColumn(number, name))
    if len(ratings) > 1 or (ratings and summaries):
        return ratings
    # elsewhere a column of another name may have any content
    is_book = [name.lower() for name in names[:2]] == _BOOK
    return judges if is_book and len(judges) > 1 else []


def _rater_name(column: str) -> str:
    return re.sub(
        r"(?<=[^ _.-])[ _.-]*(?:rating|grade|judge?ment)$",
        "",
        column,
        flags=re.IGNORECASE,
    )
