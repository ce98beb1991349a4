"""From ratings as they are written to `Judgments`: names become grades, several ratings one, contradictions errors.

Files of judgments have millions of rows and a handful of different grades. So each different grade is interpreted once,
and rows are searched one by one only when some of them are wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from math import isfinite

from pytest_relevance._text import did_you_mean, found, quoted
from pytest_relevance.judgments.model import Judgments, Ratings
from pytest_relevance.judgments.problems import JudgmentFileError, Place, Problems
from pytest_relevance.judgments.raters import aggregate
from pytest_relevance.judgments.scale import Scale

_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?\s*")


def graded(
    rows: Ratings, scale: Scale | None = None, raters: str | None = None, *, words_need_scale: bool = False
) -> Judgments:
    """Make judgments of ratings.

    `raters` is how several ratings of a document are combined, None where the user does not say.
    `words_need_scale`: the words of a format (ESCI's) are no grades where there is no scale. Equal ratings of a
    document are its grade. Different ratings are those of several raters, if the file says who rated or `raters` is
    given, and else an error.

    Raises:
        JudgmentFileError: a rating is no grade or is off the scale, ratings contradict each other, or the file does
            not show which ratings are the grades (`rows.unclear`) and `raters` is None.
    """
    if rows.unclear is not None and raters is None:
        raise JudgmentFileError(rows.file, [rows.unclear])
    reading = _Reading(rows, scale, words_need_scale=words_need_scale)
    kept = _without_blanks(rows, reading)
    if kept.raters is not None:
        return _of_raters(kept, reading, raters or "median")
    grades = _grades(kept, reading)
    if sum(map(len, grades.values())) == len(kept.ratings):
        return _judgments(kept, grades)
    if raters is not None:
        return _of_raters(replace(kept, raters=_numbered(kept)), reading, raters)
    _refuse_contradictions(kept, reading)
    return _judgments(kept, grades)


def number_of(text: str) -> float | None:
    """Parse a number, a whole one as int (`3.0` is 3). None for text that is no finite number."""
    if _NUMBER.fullmatch(text) is None:
        return None
    value = float(text.strip())  # of \x1c to \x1f, which `\s` matches, float() takes off none
    if not isfinite(value):
        return None
    return int(value) if value == int(value) else value


class _Reading(dict[object, "float | None"]):
    """The grade of each rating as written, None for no judgment. `wrong` has what is no grade, with the reason."""

    def __init__(self, rows: Ratings, scale: Scale | None, *, words_need_scale: bool) -> None:
        super().__init__()
        self._rows = rows
        self._scale = scale
        self._words_need_scale = words_need_scale
        self._names: Mapping[str, float] = scale.names if scale is not None else {}
        self._folded = {name.casefold(): grade for name, grade in self._names.items()}
        self.wrong: dict[object, str] = {}

    def __missing__(self, rating: object) -> float | None:
        """Interpret a rating on its first occurrence."""
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
    """Leave out the rows without a rating. Refuses ratings that are no grades."""
    for rating in set(rows.ratings):
        reading[rating]
    if reading.wrong:
        problems = Problems(rows.file)
        for row, rating in enumerate(rows.ratings):
            if rating in reading.wrong:
                _add(problems, rows, row, reading.wrong[rating])
            if problems.full:
                break
        problems.check()
    if all(grade is not None for grade in reading.values()):
        return rows
    return rows.where([reading[rating] is not None for rating in rows.ratings])


def _add(problems: Problems, rows: Ratings, row: int, message: str) -> None:
    where = f"query {quoted(rows.queries[row])}, document {quoted(rows.documents[row])}"
    problems.add(f"{where}: {message}", *rows.place(row))


def _grades(rows: Ratings, reading: _Reading) -> dict[str, dict[str, float]]:
    """The grade of each document, by query; of a document with several rows the last one's."""
    grades: dict[str, dict[str, float]] = {}
    last: str | None = None
    of_query: dict[str, float] = {}
    for query, document, grade in zip(
        rows.queries, rows.documents, map(reading.__getitem__, rows.ratings), strict=True
    ):
        if query is not last:  # rows of one query usually follow each other
            last = query
            known = grades.get(query)
            if known is None:
                known = grades[query] = {}
            of_query = known
        of_query[document] = grade  # type: ignore[assignment]  # blanks have been left out
    return grades


def _judgments(
    rows: Ratings,
    grades: dict[str, dict[str, float]],
    ratings: Mapping[str, Mapping[str, Mapping[str, float]]] | None = None,
) -> Judgments:
    titles: dict[str, dict[str, str]] = {}
    for query, document, title in zip(rows.queries, rows.documents, rows.titles or (), strict=rows.titles is not None):
        if title:
            titles.setdefault(query, {}).setdefault(document, title)
    return Judgments(
        grades,
        file=rows.file,
        format=rows.format,
        queries=rows.described,
        titles=titles,
        ratings=ratings,
        raters=list(dict.fromkeys(rows.raters or ())),
        notices=rows.notices,
        place=_Places(rows),
    )


class _Places:
    """Find the position of a judgment in its file, on demand."""

    def __init__(self, rows: Ratings) -> None:
        self._rows = rows
        self._first: dict[str, int] = {}

    def __call__(self, query: str, document: str) -> Place:
        queries, documents = self._rows.queries, self._rows.documents
        if not self._first:  # one question is usually followed by others
            self._first = {key: row for row, key in reversed(list(enumerate(queries)))}
        for row in range(self._first.get(query, len(queries)), len(queries)):
            if documents[row] == document and queries[row] == query:
                return self._rows.place(row)
        return Place()


def _grade(reading: _Reading, rating: object) -> float:
    grade = reading[rating]
    assert grade is not None  # blanks have been left out
    return grade


def _numbered(rows: Ratings) -> list[str]:
    """Names for raters without one: the first rating of a document is of `rating 1`, the second of `rating 2` ..."""
    counts: Counter[tuple[str, str]] = Counter()
    names = []
    for pair in zip(rows.queries, rows.documents, strict=True):
        counts[pair] += 1
        names.append(f"rating {counts[pair]}")
    return names


def _refuse_contradictions(rows: Ratings, reading: _Reading) -> None:
    """Refuse a document with different grades, where neither the file nor the user speaks of raters."""
    problems = Problems(rows.file)
    first: dict[tuple[str, str], int] = {}
    refused = set()
    for row, pair in enumerate(zip(rows.queries, rows.documents, strict=True)):
        earlier = first.setdefault(pair, row)
        grade, other = (_grade(reading, rows.ratings[number]) for number in (earlier, row))
        if grade != other and pair not in refused:
            refused.add(pair)
            line = rows.place(earlier).line
            where = f" in line {line}" if line is not None else ""
            message = f"judged twice, {grade:g}{where} and {other:g} here; keep one of them, or say how the ratings of"
            _add(problems, rows, row, f"{message} several raters are combined (raters: median)")
    problems.check()


def _of_raters(rows: Ratings, reading: _Reading, how: str) -> Judgments:
    """Combine the ratings of raters with names."""
    assert rows.raters is not None
    ratings: dict[str, dict[str, dict[str, float]]] = {}
    problems = Problems(rows.file)
    for row, (query, document, rater) in enumerate(zip(rows.queries, rows.documents, rows.raters, strict=True)):
        grade = _grade(reading, rows.ratings[row])
        given = ratings.setdefault(query, {}).setdefault(document, {})
        if given.setdefault(rater, grade) != grade and not problems.full:
            message = f"rater {quoted(rater)} gave {given[rater]:g} before and {grade:g} here; keep one of them"
            _add(problems, rows, row, message)
    problems.check()
    grades = {
        query: {document: aggregate(list(given.values()), how) for document, given in documents.items()}
        for query, documents in ratings.items()
    }
    return _judgments(rows, grades, ratings)
