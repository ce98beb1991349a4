"""The columns of tables and the keys of objects: how they may be called, and which of them judgments have.

`SPELLINGS` is the one table of names, for files and for DataFrames alike. Case, spaces, `-`, `_` and `.` do not matter.
A new spelling is a word in it; the preferred one comes first.

A table of judgments has a row per rating, or a row per document with a column for each rater. Where it has both a
column of final grades and columns of raters, the user has to name the column of the grades (`grade_column`).
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
        *(
            "doc_id",
            "document_id",
            "docno",
            "document",
            "doc",
            "did",
            "corpus_id",
            "product_id",
            "item_id",
        ),
        *("object_id", "sku", "uri", "url"),
    ),
    "grade": (
        *(
            "grade",
            "rating",
            "relevance",
            "label",
            "rel",
            "judgment",
            "judgement",
            "relevance_grade",
            "esci_label",
        ),
        *("gain", "score"),
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
    """A column's name as spellings are compared."""
    return re.sub(r"[\s._-]", "", str(name)).lower()


_FOLDED = {
    what: tuple(dict.fromkeys(map(folded, spellings)))
    for what, spellings in SPELLINGS.items()
}


def find_columns(names: Iterable[object], wanted: Iterable[str]) -> dict[str, int]:
    """Find the number of the column for each of `wanted`, by the first of its spellings that occurs."""
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
_SUMMARY = re.compile(
    rf"{_FINAL.pattern}|{_AVERAGE}|{_AVERAGE}{_GRADE}|{_GRADE}{_AVERAGE}"
)
_RATING = re.compile(r".*(?:rating|grade|judge?ment)[0-9]*")
_GRADES = set(map(folded, SPELLINGS["grade"])) - {
    "score",
    "gain",
}  # these may be anything
_CALLED_GRADE = re.compile("|".join([_RATING.pattern, *_GRADES]))
_DOCUMENTED = frozenset(
    folded(name) for what in ("title", "note") for name in SPELLINGS[what]
)


def may_be_grades(name: str) -> bool:
    """Whether the name of a column says that it has grades or ratings."""
    return bool(
        _CALLED_GRADE.fullmatch(folded(name)) or _SUMMARY.fullmatch(folded(name))
    )


_BOOK = ["query", "docid"]
"""The beginning of the header of a Quepid book; a column for each judge follows."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a table of judgments: `at` is {content: column}, `raters` are (column, name of the rater).

    Either `at` has a grade, or there are `raters`. `final` are the names of columns of final grades that are not read.
    `chosen`: the user named the column of the grades.
    """

    names: Sequence[str]
    at: Mapping[str, int]
    raters: Sequence[tuple[int, str]] = ()
    final: Sequence[str] = ()
    chosen: bool = False

    @property
    def why_unclear(self) -> str:
        """Say why it is not clear which column has the grades; empty where it is clear."""
        if not self.final:
            return ""
        ratings = [number for number, _ in self.raters] or [self.at["grade"]]
        names = listed([self.names[number] for number in ratings], "and")
        final = listed(self.final, "and")
        return (
            f"{final} {'seems' if len(self.final) == 1 else 'seem'} to be what was made of {names}; say which column "
            f"has the grades (grade_column: {self.final[0]}, --grade-column of a command), or how several ratings "
            "become one grade (raters: median, --raters)"
        )

    @property
    def are_ratings(self) -> bool:
        """Whether the names of the raters' columns say that they are ratings; in a Quepid book they say nothing."""
        return bool(self.raters) and all(
            _RATING.fullmatch(folded(self.names[number])) for number, _ in self.raters
        )

    @property
    def left_out(self) -> list[str]:
        """Notices of columns that look like grades and are not read."""
        if self.chosen:
            return []
        if self.raters:
            count = len(self.raters)
            whose = f"{count} raters" if count > 1 else self.raters[0][1]
            return [
                f"the column {name} is left out: the ratings of {whose} are read"
                for name in self.final
            ]
        grade = self.names[self.at["grade"]]
        others = [
            name for number, name in enumerate(self.names) if number != self.at["grade"]
        ]
        like_grades = [
            name
            for name in others
            if name in self.final or _CALLED_GRADE.fullmatch(folded(name))
        ]
        return [
            f"the column {name} is left out: the grade is in {grade}"
            for name in like_grades
        ]


def layout(
    names: Sequence[str],
    grade_column: str | None = None,
    document: int | None = None,
) -> Layout | None:
    """Find the columns of a table of judgments; None for any other header.

    `grade_column` is the column that the user named for the grades. A score is a grade only where it is that column,
    and in BEIR's tables; elsewhere it is the score of a run. `document` is the column of the documents, if `id_field`
    says which one it is.
    """
    at = find_columns(names, WANTED)
    if document is not None:
        at = {what: column for what, column in at.items() if column != document}
        at["document"] = document
    if grade_column is not None:
        number = column_called(names, grade_column)
        if number is None:
            return None
        at = {
            what: column
            for what, column in at.items()
            if what != "grade" and column != number
        } | {"grade": number}
        if _SUMMARY.fullmatch(folded(names[number])):
            at.pop("rater", None)  # a summary is not the rating of one rater
        return Layout(names, at, chosen=True) if has_ids(at) else None
    if "grade" in at and _is_score_of_a_run(names, at):
        del at["grade"]
    if not has_ids(at):
        return None
    if "grade" in at:
        final = [
            name
            for number, name in enumerate(names)
            if number != at["grade"] and _FINAL.fullmatch(folded(name))
        ]
        return Layout(names, at, final=final)
    raters, final = _raters(names, at)
    if not raters and len(final) == 1 and not find_columns(names, ("rank",)):
        return Layout(names, {**at, "grade": list(names).index(final[0])})
    return Layout(names, at, raters, final) if raters else None


def is_run_header(names: Sequence[str]) -> bool:
    """Whether a table with this header is a run: documents of queries with a rank or a score."""
    return has_ids(find_columns(names, WANTED)) and bool(
        find_columns(names, ("rank", "score"))
    )


def column_called(names: Sequence[str], wanted: str) -> int | None:
    """The number of the column with a name: exactly that, or else one that differs only in case and punctuation."""
    if wanted in names:
        return list(names).index(wanted)
    return next(
        (number for number, name in enumerate(names) if folded(name) == folded(wanted)),
        None,
    )


def no_such_column(names: Sequence[str], wanted: str) -> str:
    """The message for a named column that does not exist."""
    close = did_you_mean(wanted, list(names))
    return f"there is no column {quoted(wanted)} for the grades; the columns are {shown_names(names)}{close}"


def shown_names(names: Sequence[str]) -> str:
    """The names of columns in a message."""
    return listed([name or "(a blank)" for name in names[:20]], "and")


def has_ids(at: Mapping[str, int]) -> bool:
    """Whether there are columns of queries and of documents."""
    return "document" in at and bool({"query", "query_id"} & at.keys())


def _is_score_of_a_run(names: Sequence[str], at: Mapping[str, int]) -> bool:
    if folded(names[at["grade"]]) != "score":
        return False
    is_beir = "document" in at and folded(names[at["document"]]) == BEIR_DOCUMENT
    return not is_beir or bool(find_columns(names, ("rank",)))


def _raters(
    names: Sequence[str], at: Mapping[str, int]
) -> tuple[list[tuple[int, str]], list[str]]:
    """The columns of single raters, and the names of the columns that summarise them.

    A rater's column is called `x_rating`; in a Quepid book it has any name. A single such column is not a rater's,
    unless there is a final column too. A table with ranks is a run, such as a snapshot of Quepid, and has no raters.
    """
    if find_columns(names, ("rank",)):
        return [], []
    summaries = [name for name in names if _SUMMARY.fullmatch(folded(name))]
    others = [
        (number, name)
        for number, name in enumerate(names)
        if name and name not in summaries
    ]
    rating = [
        (number, _rater_name(name))
        for number, name in others
        if _RATING.fullmatch(folded(name))
    ]
    if len(rating) > 1 or (rating and summaries):
        return rating, summaries
    judges = [
        pair
        for pair in others
        if pair[0] not in at.values() and folded(pair[1]) not in _DOCUMENTED
    ]
    # elsewhere a column of another name may have any content
    if [name.lower() for name in names[:2]] == _BOOK and len(judges) > 1:
        return judges, summaries
    return [], [name for name in summaries if _FINAL.fullmatch(folded(name))]


def _rater_name(column: str) -> str:
    return re.sub(
        r"(?<=[^ _.-])[ _.-]*(?:rating|grade|judge?ment)$",
        "",
        column,
        flags=re.IGNORECASE,
    )
