"""Find the columns of tables, and the keys of objects, by their usual names.

`SPELLINGS` is the one table of names, for files and for DataFrames alike. Case, spaces,
`-`, `_` and `.` do not matter. A new spelling is a word in it; the preferred one comes
first.

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
"""More names of columns in files of queries, folded: `_id` is `id`.

In a table of judgments columns with these names may be anything.
"""

BEIR_DOCUMENT = "corpusid"
"""The column of documents in BEIR's tables, folded."""


def folded(name: object) -> str:
    """Fold the name of a column for comparisons: `Query ID` is `queryid`."""
    return re.sub(r"[\s._-]", "", str(name)).lower()


_FOLDED: dict[str, list[str]] = {}
for _what, _spellings in SPELLINGS.items():
    _FOLDED[_what] = [folded(spelling) for spelling in _spellings]


def find_columns(names: Iterable[object], wanted: Iterable[str]) -> dict[str, int]:
    """Find the column of each of `wanted`, by the first spelling that occurs."""
    numbers: dict[str, int] = {}
    for number, name in enumerate(names):
        numbers.setdefault(folded(name), number)
    found: dict[str, int] = {}
    for what in wanted:
        for spelling in _FOLDED[what]:
            if spelling in numbers and numbers[spelling] not in found.values():
                found[what] = numbers[spelling]
                break
    return found


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
_GRADES = frozenset(_FOLDED["grade"]) - _MAY_BE_ANYTHING
_CALLED_GRADE = re.compile("|".join([_RATING.pattern, *sorted(_GRADES)]))
_DOCUMENTED = frozenset([*_FOLDED["title"], *_FOLDED["note"]])
"""Names of columns that are about a document or a query, and of no rater."""


def may_be_grades(name: str) -> bool:
    """Say whether the name of a column is of grades or ratings."""
    plain = folded(name)
    is_grade = _CALLED_GRADE.fullmatch(plain) is not None
    return is_grade or _SUMMARY.fullmatch(plain) is not None


_BOOK = ["query", "docid"]
"""The beginning of the header of a Quepid book; a column for each judge follows."""


@dataclass(frozen=True, slots=True)
class RaterColumn:
    """The column of one rater: its number, and the name of the rater."""

    number: int
    rater: str


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a table of judgments.

    Either `at` has the column of the grades, or there are `raters`.

    `names`: the names of all columns.
    `at`: the number of the column of each kind of content.
    `final`: the names of columns of final grades that are not read.
    `chosen`: the user named the column of the grades.
    """

    names: Sequence[str]
    at: Mapping[str, int]
    raters: Sequence[RaterColumn] = ()
    final: Sequence[str] = ()
    chosen: bool = False

    @property
    def grade_columns(self) -> list[int]:
        """Return the numbers of the columns of grades: one, or that of each rater."""
        if "grade" in self.at:
            return [self.at["grade"]]
        return [column.number for column in self.raters]

    @property
    def why_unclear(self) -> str:
        """Write why it is not clear which column has the grades; empty if it is."""
        if not self.final:
            return ""
        names = [self.names[number] for number in self.grade_columns]
        verb = "seems" if len(self.final) == 1 else "seem"
        return (
            f"{listed(self.final, 'and')} {verb} to be what was made of "
            f"{listed(names, 'and')}; say which column has the grades (grade_column: "
            f"{self.final[0]}, --grade-column of a command), or how several ratings become "
            "one grade (raters: median, --raters)"
        )

    @property
    def are_ratings(self) -> bool:
        """Say whether the raters' columns are named as ratings.

        In a Quepid book their names are those of the raters.
        """
        if not self.raters:
            return False
        names = [folded(self.names[column.number]) for column in self.raters]
        return all(_RATING.fullmatch(name) for name in names)

    @property
    def left_out(self) -> list[str]:
        """Return notices of columns that look like grades and are not read."""
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
        """Find the columns that look like grades beside the column of the grades."""
        found = []
        for number, name in enumerate(self.names):
            if number == self.at["grade"]:
                continue
            if name in self.final or _CALLED_GRADE.fullmatch(folded(name)):
                found.append(name)
        return found


def layout(
    names: Sequence[str],
    grade_column: str | None = None,
    document: int | None = None,
) -> Layout | None:
    """Find the columns of a table of judgments; None for any other header.

    A column of scores has grades if the user says so, and in BEIR's tables. Otherwise
    it has the scores of a run.

    `grade_column`: the column that the user named for the grades.
    `document`: the column of the documents, if `id_field` says which one it is.
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
            if number != at["grade"] and _FINAL.fullmatch(folded(name)):
                final.append(name)
        return Layout(names, at, final=final)
    return _layout_of_raters(names, at)


def _chosen_layout(
    names: Sequence[str], at: Mapping[str, int], grade_column: str
) -> Layout | None:
    """Find the columns of a table whose column of grades the user named."""
    number = column_called(names, grade_column)
    if number is None:
        return None
    at = _without_column(at, number)
    at["grade"] = number
    if _SUMMARY.fullmatch(folded(names[number])):
        at.pop("rater", None)  # a summary is not the rating of one rater
    return Layout(names, at, chosen=True) if has_ids(at) else None


def _layout_of_raters(names: Sequence[str], at: Mapping[str, int]) -> Layout | None:
    """Find the columns of raters, or else the one column of final grades."""
    if find_columns(names, ("rank",)):
        return None  # a run, such as a snapshot of Quepid
    summaries = [name for name in names if _SUMMARY.fullmatch(folded(name))]
    raters = _columns_of_raters(names, at, summaries)
    if raters:
        return Layout(names, at, raters=raters, final=summaries)
    final = [name for name in summaries if _FINAL.fullmatch(folded(name))]
    if len(final) == 1:
        return Layout(names, {**at, "grade": list(names).index(final[0])})
    return None


def _without_column(at: Mapping[str, int], number: int) -> dict[str, int]:
    return {what: column for what, column in at.items() if column != number}


def is_run_header(names: Sequence[str]) -> bool:
    """Say whether a table is a run: documents of queries with a rank or a score."""
    if not has_ids(find_columns(names, WANTED)):
        return False
    return bool(find_columns(names, ("rank", "score")))


def column_called(names: Sequence[str], wanted: str) -> int | None:
    """Find the number of the column with a name; None if there is none.

    A name that differs only in case and punctuation is found too.
    """
    if wanted in names:
        return list(names).index(wanted)
    for number, name in enumerate(names):
        if folded(name) == folded(wanted):
            return number
    return None


def no_such_column(names: Sequence[str], wanted: str) -> str:
    """Return the message that no column of grades has a name."""
    close = did_you_mean(wanted, list(names))
    return (
        f"there is no column {quoted(wanted)} for the grades; the columns are "
        f"{shown_names(names)}{close}"
    )


def shown_names(names: Sequence[str]) -> str:
    """List the names of columns in a message, at most 20."""
    return listed([name or "(a blank)" for name in names[:20]], "and")


def has_ids(at: Mapping[str, int]) -> bool:
    """Say whether there are columns of queries and of documents."""
    return "document" in at and bool({"query", "query_id"} & at.keys())


def _is_score_of_a_run(names: Sequence[str], at: Mapping[str, int]) -> bool:
    if folded(names[at["grade"]]) != "score":
        return False
    is_beir = "document" in at and folded(names[at["document"]]) == BEIR_DOCUMENT
    return not is_beir or bool(find_columns(names, ("rank",)))


def _columns_of_raters(
    names: Sequence[str], at: Mapping[str, int], summaries: Sequence[str]
) -> list[RaterColumn]:
    """Find the columns of single raters.

    Such a column is called `x_rating`. In a Quepid book it has any name. A single one
    counts only if there is a column that summarises ratings too.
    """
    ratings = []
    judges = []
    for number, name in enumerate(names):
        if not name or name in summaries:
            continue
        if _RATING.fullmatch(folded(name)):
            ratings.append(RaterColumn(number, _rater_name(name)))
        if number not in at.values() and folded(name) not in _DOCUMENTED:
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
