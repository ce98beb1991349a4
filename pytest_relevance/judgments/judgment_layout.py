"""Find the columns of a table of judgments, above all those of its grades.

A table of judgments has a row per rating, or a row per document with a column for each
rater. If it has both a column of final grades and columns of raters, the user has to
name the column of the grades (`grade_column`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._text import listed
from pytest_relevance.judgments.columns import (
    JUDGMENT_COLUMNS,
    SPELLINGS,
    SURE_GRADES,
    column_called,
    find_columns,
    has_ids,
    plain_name,
)

BEIR_DOCUMENT = "corpusid"
"""The column of documents in BEIR's tables, by its plain name."""


# What the names of columns say


_GRADE = r"(?:rating|grade|relevance|label|judge?ment)"
_FINAL = r"(?:final|consensus|adjudicated|agreed|resolved|reconciled|aggregated?|combined|gold)"
_AVERAGE = r"(?:mean|median|mode|majority(?:vote)?|average|avg|overall)"

_FINAL_NAMES = re.compile(
    rf"final|consensus|adjudicated|gold|{_FINAL}{_GRADE}|{_GRADE}{_FINAL}"
)
_AVERAGE_NAMES = re.compile(rf"{_AVERAGE}|{_AVERAGE}{_GRADE}|{_GRADE}{_AVERAGE}")
_RATING_NAMES = re.compile(r".*(?:rating|grade|judge?ment)[0-9]*")
_GRADE_NAMES = frozenset(map(plain_name, SURE_GRADES))
_DESCRIPTION_NAMES = frozenset(
    map(plain_name, (*SPELLINGS["title"], *SPELLINGS["note"]))
)


def _is_final(name: str) -> bool:
    """Say whether a column has final grades: `consensus_rating`, `gold_label`."""
    return _FINAL_NAMES.fullmatch(plain_name(name)) is not None


def _is_summary(name: str) -> bool:
    """Say whether a column summarises ratings: final grades, or averages."""
    return _is_final(name) or _AVERAGE_NAMES.fullmatch(plain_name(name)) is not None


def _is_rating(name: str) -> bool:
    """Say whether a column has the ratings of a rater: `ann_rating`, `rating2`."""
    return _RATING_NAMES.fullmatch(plain_name(name)) is not None


def _is_called_grade(name: str) -> bool:
    return _is_rating(name) or plain_name(name) in _GRADE_NAMES


def may_be_grades(name: str) -> bool:
    """Say whether a column with this name may hold grades or ratings."""
    return _is_called_grade(name) or _is_summary(name)


# The columns of a table


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
    `summaries`: the names of columns that summarise ratings and are not read. Averages
        are among them only beside columns of raters.
    `is_chosen`: whether the user named the column of the grades.
    """

    names: Sequence[str]
    at: Mapping[str, int]
    raters: Sequence[RaterColumn] = ()
    summaries: Sequence[str] = ()
    is_chosen: bool = False

    @property
    def grade_columns(self) -> list[int]:
        """Return the numbers of the columns that are read as grades or as ratings."""
        if "grade" in self.at:
            return [self.at["grade"]]
        return [column.number for column in self.raters]

    @property
    def why_unclear(self) -> str:
        """Return why it is unclear which column has the grades; "" if it is clear."""
        if not self.summaries:
            return ""
        names = [self.names[number] for number in self.grade_columns]
        verb = "seems" if len(self.summaries) == 1 else "seem"
        return (
            f"{listed(self.summaries, 'and')} {verb} to be made of "
            f"{listed(names, 'and')}; say which column has the grades (grade_column: "
            f"{self.summaries[0]}, --grade-column of a command), or how several ratings "
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
        return all(_is_rating(self.names[column.number]) for column in self.raters)

    @property
    def notices(self) -> list[str]:
        """Return a notice for each column that looks like grades and is not read.

        There is none if the user named the column of the grades.
        """
        if self.is_chosen:
            return []
        if self.raters:
            count = len(self.raters)
            whose = f"{count} raters" if count > 1 else self.raters[0].rater
            what_is_read = f"the ratings of {whose} are read"
            names = list(self.summaries)
        else:
            what_is_read = f"the grade is in {self.names[self.at['grade']]}"
            names = self._like_grades()
        return [f"the column {name} is left out: {what_is_read}" for name in names]

    def _like_grades(self) -> list[str]:
        """Return the names of columns that look like grades, but for the one read."""
        found = []
        for number, name in enumerate(self.names):
            is_like_grades = name in self.summaries or _is_called_grade(name)
            if is_like_grades and number != self.at["grade"]:
                found.append(name)
        return found


def find_layout(
    names: Sequence[str],
    grade_column: str | None = None,
    document: int | None = None,
) -> Layout | None:
    """Return the columns of a table of judgments; None for any other table.

    The grades are in the first of these that the table has:

    1. the column `grade_column`, if the user names it; None if there is no such column
    2. a column called `grade` or the like; `score` only in tables of BEIR, because in
       other tables it is the score of a run
    3. the columns of raters
    4. the only column of final grades

    `document`: the number of the column of the documents, if `id_field` names one.
    """
    at = find_columns(names, JUDGMENT_COLUMNS)
    if document is not None:
        at = _without_column(at, document)
        at["document"] = document
    if grade_column is not None:
        return _chosen_layout(names, at, grade_column)
    if not has_ids(at):
        return None
    if "grade" not in at:
        return _layout_without_grades(names, at)
    number = at["grade"]
    if _is_score_of_a_run(names, at):
        return _layout_without_grades(names, _without_column(at, number))
    finals = []
    for other, name in enumerate(names):
        if _is_final(name) and other != number:
            finals.append(name)
    return Layout(names, at, summaries=finals)


def _layout_without_grades(
    names: Sequence[str], at: Mapping[str, int]
) -> Layout | None:
    """Return the columns of a table without a column called `grade` or the like.

    The grades are in columns of raters, or else in the only column of final grades.
    None if there are neither.
    """
    if find_columns(names, ("rank",)):
        return None  # a run, such as a snapshot of Quepid
    summaries = [name for name in names if _is_summary(name)]
    raters = _columns_of_raters(names, at, summaries)
    if raters:
        return Layout(names, at, raters=raters, summaries=summaries)
    finals = [name for name in summaries if _is_final(name)]
    if len(finals) == 1:
        return Layout(names, {**at, "grade": list(names).index(finals[0])})
    return None


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
    if _is_summary(names[number]):
        at.pop("rater", None)  # a summary is not the rating of one rater
    return Layout(names, at, is_chosen=True) if has_ids(at) else None


def _without_column(at: Mapping[str, int], number: int) -> dict[str, int]:
    return {kind: column for kind, column in at.items() if column != number}


def _is_score_of_a_run(names: Sequence[str], at: Mapping[str, int]) -> bool:
    """Say whether the column of the grades is called `score` and has scores of a run.

    In a table of BEIR without ranks it has grades.
    """
    if plain_name(names[at["grade"]]) != "score":
        return False
    is_beir = "document" in at and plain_name(names[at["document"]]) == BEIR_DOCUMENT
    return not is_beir or bool(find_columns(names, ("rank",)))


def _columns_of_raters(
    names: Sequence[str], at: Mapping[str, int], summaries: Sequence[str]
) -> list[RaterColumn]:
    """Return the columns of single raters; [] if the table does not show any.

    A single column of ratings counts only beside a column of `summaries`.
    """
    raters = []
    for number, name in enumerate(names):
        if _is_rating(name) and name not in summaries:
            raters.append(RaterColumn(number, _rater_name(name)))
    if len(raters) > 1 or (raters and summaries):
        return raters
    return _raters_of_book(names, at, summaries)


def _rater_name(column: str) -> str:
    """Return the name of the rater of a column: `ann` for `ann_rating`."""
    return re.sub(
        r"(?<=[^ _.-])[ _.-]*(?:rating|grade|judge?ment)$",
        "",
        column,
        flags=re.IGNORECASE,
    )


def _raters_of_book(
    names: Sequence[str], at: Mapping[str, int], summaries: Sequence[str]
) -> list[RaterColumn]:
    """Return the columns of raters in a Quepid book; [] for any other table.

    The header of a book begins with `query,docid`. The columns without another meaning
    have the names of two or more raters.
    """
    if [name.lower() for name in names[:2]] != ["query", "docid"]:
        return []
    raters = []
    for number, name in enumerate(names):
        has_meaning = number in at.values() or plain_name(name) in _DESCRIPTION_NAMES
        if name and not has_meaning and name not in summaries:
            raters.append(RaterColumn(number, name))
    return raters if len(raters) > 1 else []
