"""Make `Judgments` from ratings as they are written in a file.

Names become grades, several ratings become one, and contradictions are errors. A file
may have millions of rows, but it has few different grades. So each different grade is
interpreted once. The rows with a wrong grade are looked up only if there is one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import cast

from pytest_relevance._problems import FileError, Place, Problems
from pytest_relevance._text import quoted
from pytest_relevance.judgments.model import Judgments, Ratings
from pytest_relevance.judgments.scale import (
    AGGREGATES,
    Scale,
    aggregate,
    grade_of_number,
    no_grade_text,
    on_scale,
)

_NO_WORDS: Mapping[str, float] = {}

_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")


def graded(
    rows: Ratings,
    scale: Scale | None = None,
    raters: str | None = None,
    *,
    words_need_scale: bool = False,
) -> Judgments:
    """Return the judgments that the ratings of a file make.

    If all ratings of a document are equal, they are its grade. Different ratings are
    combined if the file says who rated, or if `raters` is given. Otherwise they are an
    error.

    `raters`: how several ratings of a document are combined; None if the user does not
    say.
    `words_need_scale`: whether the words of a format (ESCI's) are errors without a
    scale.

    Raises:
        FileError: a rating is not a grade or is off the scale, ratings contradict each
            other, or the file does not show which ratings are the grades
            (`rows.unclear`) and `raters` is None.
    """
    if rows.unclear is not None and raters is None:
        raise FileError(rows.file, [rows.unclear])
    reader = _GradeReader(rows, scale=scale, words_need_scale=words_need_scale)
    meaning = reader.grades()
    if None in meaning.values():
        rows = rows.where([meaning[rating] is not None for rating in rows.ratings])
    written = [cast(float, meaning[rating]) for rating in rows.ratings]
    grades = _by_document(rows, written)
    judged = sum(len(documents) for documents in grades.values())
    has_several_ratings = judged < len(written)
    if rows.raters is None and raters is not None and has_several_ratings:
        rows = replace(rows, raters=_numbered(rows))
    if rows.raters is not None:
        ratings = _by_rater(rows, rows.raters, written)
        return _judgments(rows, _combined(ratings, raters or "median"), ratings)
    if has_several_ratings:
        _refuse_contradictions(rows, written)
    return _judgments(rows, grades, ratings={})


def number_of(text: str) -> float | None:
    """Return the number that a text is, as int if it is whole; None for any other text.

    `3.0` is 3. Infinity and NaN are not accepted.
    """
    if _NUMBER.fullmatch(text) is None:
        return None
    # `\s` matches \x1c to \x1f, which float() does not strip
    value = float(text.strip())
    if not isfinite(value):
        return None
    return whole_as_int(value)


def whole_as_int(number: float) -> float:
    """Return a finite number, as int if it is whole."""
    return int(number) if number == int(number) else number


def grade_on_scale(
    text: str, scale: Scale | None, words: Mapping[str, float] = _NO_WORDS
) -> float | str | None:
    """Return the grade that a text means; None if it means none.

    The text is looked up as a name of the scale, then in `words`, and is read as a
    number last. For a number off the scale a message is returned, as text.

    `words`: {word in lower case: grade}.
    """
    name = text.strip()
    if scale is not None and name in scale.names:
        return scale.names[name]
    grade = words.get(name.casefold())
    if grade is not None:
        return grade
    grade = number_of(name)
    return None if grade is None else on_scale(grade, scale)


@dataclass(frozen=True, slots=True)
class _GradeReader:
    """Interprets the ratings of a file, by the words of its format and by a scale."""

    rows: Ratings
    scale: Scale | None
    words_need_scale: bool

    def grades(self) -> dict[object, float | None]:
        """Return {rating as written: its grade}. The grade of a blank rating is None.

        Raises FileError if a rating is neither a grade nor blank.
        """
        grades: dict[object, float | None] = {}
        wrong: dict[object, str] = {}
        words = self._grades_of_words()
        for rating in set(self.rows.ratings):
            grade = self._read(rating, words)
            if isinstance(grade, str):
                wrong[rating] = grade
            else:
                grades[rating] = grade
        if wrong:
            self._refuse(wrong)
        return grades

    def _refuse(self, wrong: Mapping[object, str]) -> None:
        """Raise FileError for all rows with a wrong rating: {rating: what is wrong}."""
        problems = Problems(self.rows.file)
        for row, rating in enumerate(self.rows.ratings):
            if rating in wrong:
                _add_problem(problems, self.rows, row, wrong[rating])
                if problems.is_full:
                    break
        problems.raise_if_any()

    def _read(self, rating: object, words: Mapping[str, float]) -> float | str | None:
        """Return the grade of a rating, None if it is blank, or what is wrong with it.

        `words`: {word of the format in lower case: grade}.
        """
        if rating is None:
            return None
        if isinstance(rating, str):
            text = rating.strip()
            if not text:
                return None
            grade = grade_on_scale(text, self.scale, words)
            return self._no_grade(text) if grade is None else grade
        number = grade_of_number(rating, self.scale)
        return number if isinstance(number, str) else whole_as_int(number)

    def _grades_of_words(self) -> dict[str, float]:
        """Return {word of the format in lower case: grade}, for words that have one."""
        known = self.rows.grades_of_words
        if self.scale is not None or self.words_need_scale:
            names = self.scale.names if self.scale is not None else {}
            known = {name.casefold(): grade for name, grade in names.items()}
        grades = {}
        for word, meanings in self.rows.words.items():
            for meant in meanings:
                if meant in known:
                    grades[word] = known[meant]
                    break
        return grades

    def _no_grade(self, name: str) -> str:
        """Return the message that a text is no grade, and what to do."""
        words: Mapping[str, float] = {"good": 1, "bad": 0}
        if name.casefold() in self.rows.words:
            words = self.rows.grades_of_words
        example = ", ".join(f"{word}: {grade:g}" for word, grade in words.items())
        option = ",".join(f"{word}={grade:g}" for word, grade in words.items())
        advice = (
            "names of grades are given by a scale, "
            f"such as scale: {{{example}}}, or --scale {option} of a command"
        )
        return no_grade_text(name, self.scale, advice)


def _add_problem(problems: Problems, rows: Ratings, row: int, message: str) -> None:
    """Add a message about a row, with its query, its document and its place."""
    where = f"query {quoted(rows.queries[row])}, document {quoted(rows.documents[row])}"
    problems.add(f"{where}: {message}", rows.place(row))


def _by_document(
    rows: Ratings, written: Sequence[float]
) -> dict[str, dict[str, float]]:
    """Return {query: {document: grade}}. The last row of a document counts.

    `written`: the grade of each row.
    """
    grades: dict[str, dict[str, float]] = {}
    last: str | None = None
    of_query: dict[str, float] = {}
    for row, query in enumerate(rows.queries):
        if query is not last:  # rows of one query usually follow each other
            last = query
            of_query = grades.setdefault(query, {})
        of_query[rows.documents[row]] = written[row]
    return grades


def _judgments(
    rows: Ratings,
    grades: dict[str, dict[str, float]],
    ratings: Mapping[str, Mapping[str, Mapping[str, float]]],
) -> Judgments:
    """Return judgments with the grades, and with what the rows say besides.

    `grades`: {query: {document: grade}}.
    `ratings`: {query: {document: {rater: rating}}}; empty if no raters are known.
    """
    titles: dict[str, dict[str, str]] = {}
    for row, title in enumerate(rows.titles or ()):
        if title:
            of_query = titles.setdefault(rows.queries[row], {})
            of_query.setdefault(rows.documents[row], title)
    return Judgments(
        grades,
        file=rows.file,
        format=rows.format,
        queries=rows.described,
        titles=titles,
        ratings=ratings,
        raters=tuple(dict.fromkeys(rows.raters or ())),
        notices=tuple(rows.notices),
        place=_finder(rows),
        documents_are=rows.documents_are,
    )


def _finder(rows: Ratings) -> Callable[[str, str], Place]:
    """Return a function that finds the place of a judgment by its query and document.

    Places are needed only for messages. So the rows are searched in the first call, not
    before.
    """
    first_rows: dict[str, int] = {}

    def place(query: str, document: str) -> Place:
        if not first_rows:
            for row, key in enumerate(rows.queries):
                first_rows.setdefault(key, row)
        count = len(rows.queries)
        for row in range(first_rows.get(query, count), count):
            if rows.documents[row] == document and rows.queries[row] == query:
                return rows.place(row)
        return Place()

    return place


def _numbered(rows: Ratings) -> list[str]:
    """Return a name for the rater of each row, in a file that names no raters.

    The first rating of a document is by `rating 1`, the second by `rating 2`.
    """
    counts: Counter[tuple[str, str]] = Counter()
    names = []
    for pair in zip(rows.queries, rows.documents, strict=True):
        counts[pair] += 1
        names.append(f"rating {counts[pair]}")
    return names


def _refuse_contradictions(rows: Ratings, written: Sequence[float]) -> None:
    """Raise FileError if a document has different grades for one query.

    If the file names raters, grades of different raters may differ.
    """
    problems = Problems(rows.file)
    first: dict[tuple[str, str, str], int] = {}
    refused = set()
    for row, query in enumerate(rows.queries):
        rater = "" if rows.raters is None else rows.raters[row]
        key = (query, rows.documents[row], rater)
        earlier = first.setdefault(key, row)
        if written[row] != written[earlier] and key not in refused:
            refused.add(key)
            message = _contradiction(rows, written, earlier, row)
            _add_problem(problems, rows, row, message)
    problems.raise_if_any()


def _contradiction(
    rows: Ratings, written: Sequence[float], earlier: int, row: int
) -> str:
    """Return the message for ratings that differ, in the rows `earlier` and `row`."""
    place = rows.place(earlier)
    where = ""
    if place.line:
        where = f" in line {place.line}"
    elif place.path:
        where = f" at {place.path}"
    grades = f"{written[earlier]:g}{where} and {written[row]:g} here; keep one of them"
    if rows.raters is not None:
        return f"rater {quoted(rows.raters[row])} gave {grades}"
    return (
        f"judged twice, {grades}, or say how the ratings of several raters are combined "
        "(raters: median, --raters of a command)"
    )


def _by_rater(
    rows: Ratings, raters: Sequence[str], written: Sequence[float]
) -> dict[str, dict[str, dict[str, float]]]:
    """Return {query: {document: {rater: rating}}}.

    Raises FileError if one rater gave a document two ratings that differ.
    """
    ratings: dict[str, dict[str, dict[str, float]]] = {}
    has_repeated = False
    for row, query in enumerate(rows.queries):
        of_query = ratings.setdefault(query, {})
        given = of_query.setdefault(rows.documents[row], {})
        has_repeated = has_repeated or raters[row] in given
        given[raters[row]] = written[row]
    if has_repeated:
        _refuse_contradictions(rows, written)
    return ratings


def _combined(
    ratings: Mapping[str, Mapping[str, Mapping[str, float]]], how: str
) -> dict[str, dict[str, float]]:
    """Return {query: {document: grade}}, with the ratings combined by `how` ("median").

    `ratings`: {query: {document: {rater: rating}}}.
    """
    grades: dict[str, dict[str, float]] = {}
    for query, documents in ratings.items():
        grades[query] = {}
        for document, given in documents.items():
            grades[query][document] = aggregate(list(given.values()), how)
    return grades


def aggregate_of(judgments: Judgments) -> str | None:
    """Return the aggregate by which the ratings give all grades; None if none does."""
    for how in AGGREGATES:
        if _are_combined_by(how, judgments):
            return how
    return None


def _are_combined_by(how: str, judgments: Judgments) -> bool:
    for query, documents in judgments.ratings.items():
        grades = judgments.get(query, {})
        for document, ratings in documents.items():
            if aggregate(list(ratings.values()), how) != grades.get(document):
                return False
    return True
