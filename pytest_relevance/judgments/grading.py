"""From ratings as they are written to `Judgments`: names become grades, several ratings one, contradictions errors.

Files of judgments have millions of rows and a handful of different grades. So each different grade is read once, and
rows are looked at one by one only where something is wrong with some of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from math import isfinite

from pytest_relevance._text import did_you_mean, found, quoted
from pytest_relevance.judgments.model import Judgments, Place, Ratings
from pytest_relevance.judgments.problems import MOST_KEPT, FileProblem, JudgmentFileError
from pytest_relevance.judgments.raters import aggregate
from pytest_relevance.judgments.scale import Scale

_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?\s*")


def graded(
    rows: Ratings, scale: Scale | None = None, raters: str | None = None, *, words_need_scale: bool = False
) -> Judgments:
    """Make judgments of ratings. `raters` is how several ratings of a document are combined, None where nobody said.
    `words_need_scale`: the words of a format (ESCI's) are no grades where there is no scale.

    A document that is rated twice has the grade of both where they agree. Where they do not, they are two raters' (the
    file says who rated, or `raters` says that they are), or else an error. Raises `JudgmentFileError` for every rating
    that is no grade or off the scale, and where the file does not tell which ratings are the grades (`rows.unclear`)
    and nobody said how they are combined.
    """
    if rows.unclear is not None and raters is None:
        raise JudgmentFileError(rows.file, [rows.unclear])
    reading = _Reading(rows, scale, words_need_scale=words_need_scale)
    kept = _without_blanks(rows, reading)
    if kept.raters is not None:
        return _of_raters(kept, reading, raters or "median")
    try:
        return _plain(kept, reading)
    except _RatedTwice:
        return _repeated(kept, reading, raters)


def number_of(text: str) -> float | None:
    """The number that a rating is, whole ones as int (`3.0` is 3), or None."""
    if _NUMBER.fullmatch(text) is None:
        return None
    value = float(text.strip())  # of \x1c to \x1f, which `\s` matches, float() takes off none
    if not isfinite(value):
        return None
    return int(value) if value == int(value) else value


class _RatedTwice(Exception):
    """A document is rated twice where that was not expected."""


class _Reading(dict[object, "float | None"]):
    """A rating as written to its grade, None for no judgment. What is no grade is kept in `wrong`, with the reason."""

    def __init__(self, rows: Ratings, scale: Scale | None, *, words_need_scale: bool) -> None:
        super().__init__()
        self._rows = rows
        self._scale = scale
        self._words_need_scale = words_need_scale
        self._names: Mapping[str, float] = scale.names if scale is not None else {}
        self._folded = {name.casefold(): grade for name, grade in self._names.items()}
        self.wrong: dict[object, str] = {}

    def __missing__(self, rating: object) -> float | None:
        """Read a rating for the first time."""
        grade = self._read(rating)
        if isinstance(grade, str):
            self.wrong[rating] = grade
            grade = None
        self[rating] = grade
        return grade

    def _read(self, rating: object) -> float | str | None:
        """The grade, None for a blank, or what is wrong with it."""
        if rating is None:
            return None
        if isinstance(rating, str):
            return self._of_text(rating)
        if isinstance(rating, bool) or not isinstance(rating, (int, float)) or not isfinite(rating):
            return f"a grade is a finite number or a name of the scale, found {found(rating)}"
        return self._on_scale(int(rating) if rating == int(rating) else rating)

    def _of_text(self, text: str) -> float | str | None:
        name = text.strip()
        if not name:
            return None
        if name in self._names:
            return self._names[name]
        known = self._rows.grades_of_words
        if self._scale is not None or self._words_need_scale:
            known = self._folded
        for meant in self._rows.words.get(name.casefold(), ()):
            if meant in known:
                return known[meant]
        grade = number_of(name)
        return self._on_scale(grade) if grade is not None else self._no_grade(name)

    def _on_scale(self, grade: float) -> float | str:
        if self._scale is not None and not self._scale.lowest <= grade <= self._scale.highest:
            return f"grade {grade:g} is off the scale, which is {self._scale.describe()}"
        return grade

    def _no_grade(self, name: str) -> str:
        if self._names:
            assert self._scale is not None
            close = did_you_mean(name, self._names)
            return f"the scale has no grade {quoted(name)}; it has {self._scale.describe()}{close}"
        words: Mapping[str, float] = {"good": 1, "bad": 0}
        if name.casefold() in self._rows.words:
            words = self._rows.grades_of_words
        example = ", ".join(f"{word}: {grade:g}" for word, grade in words.items())
        cure = f"names of grades are given by a scale, such as scale: {{{example}}}"
        return f"the grade {quoted(name)} is no number; {cure}"


def _without_blanks(rows: Ratings, reading: _Reading) -> Ratings:
    """The rows that judge something. Refuses what is no grade."""
    for rating in set(rows.ratings):
        reading[rating]
    if reading.wrong:
        raise JudgmentFileError(rows.file, _wrong(rows, reading))
    if all(grade is not None for grade in reading.values()):
        return rows
    return _where(rows, [reading[rating] is not None for rating in rows.ratings])


def _where(rows: Ratings, keep: Sequence[bool]) -> Ratings:
    """Some of the rows."""
    numbers = list(compress(range(len(keep)), keep))
    return Ratings(
        rows.file,
        rows.format,
        list(compress(rows.queries, keep)),
        list(compress(rows.documents, keep)),
        list(compress(rows.ratings, keep)),
        None if rows.raters is None else list(compress(rows.raters, keep)),
        None if rows.titles is None else list(compress(rows.titles, keep)),
        rows.described,
        lambda row: rows.place(numbers[row]),
        rows.words,
        rows.grades_of_words,
        rows.notices,
        rows.by_id,
    )


def _wrong(rows: Ratings, reading: _Reading) -> Iterable[FileProblem]:
    problems = []
    for row, rating in enumerate(rows.ratings):
        if rating in reading.wrong:
            problems.append(_problem(rows, row, reading.wrong[rating]))
            if len(problems) == MOST_KEPT:
                break
    return problems


def _problem(rows: Ratings, row: int, message: str) -> FileProblem:
    place = rows.place(row)
    where = f"query {quoted(rows.queries[row])}, document {quoted(rows.documents[row])}"
    return FileProblem(f"{where}: {message}", place.line, place.path)


def _plain(rows: Ratings, reading: _Reading) -> Judgments:
    """One rating a document."""
    grades: dict[str, dict[str, float]] = {}
    last: str | None = None
    of_query: dict[str, float] = {}
    for query, document, grade in zip(
        rows.queries, rows.documents, map(reading.__getitem__, rows.ratings), strict=True
    ):
        if query is not last:  # rows of one query usually follow each other
            last = query
            found_here = grades.get(query)
            if found_here is None:
                found_here = grades[query] = {}
            of_query = found_here
        of_query[document] = grade  # type: ignore[assignment]  # blanks have been left out
    if sum(map(len, grades.values())) < len(rows.ratings):
        raise _RatedTwice
    return _judgments(rows, grades)


def _judgments(
    rows: Ratings,
    grades: dict[str, dict[str, float]],
    ratings: Mapping[str, Mapping[str, Mapping[str, float]]] | None = None,
    raters: Sequence[str] = (),
) -> Judgments:
    return Judgments(
        grades,
        file=rows.file,
        format=rows.format,
        queries=rows.described,
        titles=_titles(rows),
        ratings=ratings,
        raters=raters,
        notices=rows.notices,
        place=_Places(rows),
    )


def _titles(rows: Ratings) -> Mapping[str, Mapping[str, str]]:
    titles: dict[str, dict[str, str]] = {}
    if rows.titles is not None:
        for query, document, title in zip(rows.queries, rows.documents, rows.titles, strict=True):
            if title:
                titles.setdefault(query, {}).setdefault(document, title)
    return titles


class _Places:
    """Finds the place of a judgment in its file, when somebody asks."""

    def __init__(self, rows: Ratings) -> None:
        self._rows = rows
        self._begin: dict[str, int] = {}

    def __call__(self, query: str, document: str) -> Place:
        queries, documents = self._rows.queries, self._rows.documents
        if not self._begin:  # whoever asks about one query asks about others
            self._begin = {key: row for row, key in reversed(list(enumerate(queries)))}
        for row in range(self._begin.get(query, len(queries)), len(queries)):
            if documents[row] == document and queries[row] == query:
                return self._rows.place(row)
        return Place()


def _repeated(rows: Ratings, reading: _Reading, raters: str | None) -> Judgments:
    """Documents rated more than once by nobody knows whom."""
    each: dict[str, dict[str, list[int]]] = {}
    for row, (query, document) in enumerate(zip(rows.queries, rows.documents, strict=True)):
        each.setdefault(query, {}).setdefault(document, []).append(row)
    problems: list[FileProblem] = []
    grades: dict[str, dict[str, float]] = {}
    for query, documents in each.items():
        of_query = grades[query] = {}
        for document, numbers in documents.items():
            given = [_grade(reading, rows.ratings[row]) for row in numbers]
            if len(set(given)) == 1:
                of_query[document] = given[0]
            elif raters is not None:
                of_query[document] = aggregate(given, raters)
            elif len(problems) < MOST_KEPT:
                other = next(row for row, grade in zip(numbers, given, strict=True) if grade != given[0])
                problems.append(_problem(rows, other, _twice(rows, numbers[0], given[0], reading[rows.ratings[other]])))
    if problems:
        raise JudgmentFileError(rows.file, problems)
    if raters is None:
        return _judgments(rows, grades)
    ratings: dict[str, dict[str, dict[str, float]]] = {
        query: {
            document: {f"rating {count}": _grade(reading, rows.ratings[row]) for count, row in enumerate(numbers, 1)}
            for document, numbers in documents.items()
        }
        for query, documents in each.items()
    }
    most = max((len(numbers) for documents in each.values() for numbers in documents.values()), default=0)
    return _judgments(rows, grades, ratings, [f"rating {count}" for count in range(1, most + 1)])


def _twice(rows: Ratings, first: int, grade: float, other: float | None) -> str:
    line = rows.place(first).line
    where = f" in line {line}" if line is not None else ""
    return (
        f"judged twice, {grade:g}{where} and {other:g} here; keep one of them, or say how the ratings of several "
        "raters are combined (raters: median)"
    )


def _grade(reading: _Reading, rating: object) -> float:
    grade = reading[rating]
    assert grade is not None
    return grade


def _of_raters(rows: Ratings, reading: _Reading, how: str) -> Judgments:
    """Ratings of raters who have names."""
    assert rows.raters is not None
    ratings: dict[str, dict[str, dict[str, float]]] = {}
    problems: list[FileProblem] = []
    for row, (query, document, rater) in enumerate(zip(rows.queries, rows.documents, rows.raters, strict=True)):
        grade = _grade(reading, rows.ratings[row])
        given = ratings.setdefault(query, {}).setdefault(document, {})
        if given.setdefault(rater, grade) != grade and len(problems) < MOST_KEPT:
            message = f"rater {quoted(rater)} gave {given[rater]:g} before and {grade:g} here; keep one of them"
            problems.append(_problem(rows, row, message))
    if problems:
        raise JudgmentFileError(rows.file, problems)
    grades = {
        query: {document: aggregate(list(given.values()), how) for document, given in documents.items()}
        for query, documents in ratings.items()
    }
    return _judgments(rows, grades, ratings, list(dict.fromkeys(rows.raters)))
