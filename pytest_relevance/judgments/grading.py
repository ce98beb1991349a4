"""Make `Judgments` of ratings as they are written; figures about where raters disagree, and samples to compare them.

Names become grades, several ratings become one, and contradictions are errors. Files of judgments have
millions of rows and a handful of different grades. So each different grade is interpreted once, and rows are searched
one by one only when some of them are wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import zip_longest
from math import floor, fsum, isfinite
from typing import NamedTuple, cast

from pytest_relevance._problems import FileError, Place, Problems
from pytest_relevance._text import closest, found, quoted
from pytest_relevance.judgments.grade_text import why_no_grade
from pytest_relevance.judgments.model import Judgments, Ratings
from pytest_relevance.judgments.scale import AGGREGATES, Scale, aggregate, on_scale

_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")


def graded(
    rows: Ratings,
    scale: Scale | None = None,
    raters: str | None = None,
    *,
    words_need_scale: bool = False,
) -> Judgments:
    """Make judgments of ratings.

    `raters` is how several ratings of a document are combined, None where the user does not say.
    `words_need_scale`: the words of a format (ESCI's) are no grades where there is no scale. Equal ratings of a
    document are its grade. Different ratings come from several raters, if the file says who rated or `raters` is given;
    else they are an error.

    Raises:
        FileError: a rating is no grade or is off the scale, ratings contradict each other, or the file does
            not show which ratings are the grades (`rows.unclear`) and `raters` is None.
    """
    if rows.unclear is not None and raters is None:
        raise FileError(rows.file, [rows.unclear])
    meaning = _GradeReader(rows, scale, words_need_scale).grades()
    kept = (
        rows.where([meaning[rating] is not None for rating in rows.ratings])
        if None in meaning.values()
        else rows
    )
    written = cast(Sequence[float], list(map(meaning.__getitem__, kept.ratings)))
    grades = _by_document(kept, written)
    if (
        kept.raters is None
        and raters is not None
        and sum(map(len, grades.values())) < len(written)
    ):
        kept = replace(kept, raters=_numbered(kept))
    if kept.raters is not None:
        ratings = _by_rater(kept, kept.raters, written)
        return _judgments(kept, _combined(ratings, raters or "median"), ratings)
    if sum(map(len, grades.values())) < len(written):
        _refuse_contradictions(kept, written)
    return _judgments(kept, grades, {})


def number_of(text: str) -> float | None:
    """Parse a number, a whole one as int (`3.0` is 3). None for text that is no finite number."""
    if _NUMBER.fullmatch(text) is None:
        return None
    value = float(
        text.strip()
    )  # `\s` matches \x1c to \x1f, which float() does not strip
    if not isfinite(value):
        return None
    return int(value) if value == int(value) else value


@dataclass(frozen=True, slots=True)
class _GradeReader:
    """What the ratings of a file mean: its own words, and the names of a scale."""

    rows: Ratings
    scale: Scale | None
    words_need_scale: bool

    def grades(self) -> dict[object, float | None]:
        """The grade of each rating as written, None for no judgment. Refuses what is no grade."""
        found = {rating: self._read(rating) for rating in set(self.rows.ratings)}
        grades = {
            rating: grade
            for rating, grade in found.items()
            if not isinstance(grade, str)
        }
        if len(grades) < len(found):
            self._refuse(
                {
                    rating: wrong
                    for rating, wrong in found.items()
                    if isinstance(wrong, str)
                }
            )
        return grades

    def _refuse(self, wrong: Mapping[object, str]) -> None:
        """Refuse the rows whose ratings are no grade, each with what is wrong with it."""
        problems = Problems(self.rows.file)
        for row, rating in enumerate(self.rows.ratings):
            if rating in wrong and not problems.is_full:
                _add(problems, self.rows, row, wrong[rating])
        problems.raise_if_any()

    def _read(self, rating: object) -> float | str | None:
        """The grade, None for a blank, or what is wrong with it."""
        if rating is None:
            return None
        if isinstance(rating, str):
            return self._grade_of_text(rating)
        if (
            isinstance(rating, bool)
            or not isinstance(rating, (int, float))
            or not isfinite(rating)
        ):
            return f"a grade is a finite number or a name of the scale, found {found(rating)}"
        return on_scale(int(rating) if rating == int(rating) else rating, self.scale)

    def _grade_of_text(self, text: str) -> float | str | None:
        name = text.strip()
        if not name:
            return None
        names = self.scale.names if self.scale is not None else {}
        if name in names:
            return names[name]
        known = self.rows.grades_of_words
        if self.scale is not None or self.words_need_scale:
            known = {name.casefold(): grade for name, grade in names.items()}
        for meant in self.rows.words.get(name.casefold(), ()):
            if meant in known:
                return known[meant]
        grade = number_of(name)
        return (
            on_scale(grade, self.scale) if grade is not None else self._no_grade(name)
        )

    def _no_grade(self, name: str) -> str:
        names = self.scale.names if self.scale is not None else {}
        why = why_no_grade(name)
        if why is not None and closest(name, tuple(names)) is None:
            return f"the grade {quoted(name)} {why}"
        if self.scale is not None and self.scale.names:
            return self.scale.no_grade(name)
        words: Mapping[str, float] = {"good": 1, "bad": 0}
        if name.casefold() in self.rows.words:
            words = self.rows.grades_of_words
        example = ", ".join(f"{word}: {grade:g}" for word, grade in words.items())
        option = ",".join(f"{word}={grade:g}" for word, grade in words.items())
        advice = f"names of grades are given by a scale, such as scale: {{{example}}}, or --scale {option} of a command"
        return f"the grade {quoted(name)} is no number; {advice}"


def _add(problems: Problems, rows: Ratings, row: int, message: str) -> None:
    where = f"query {quoted(rows.queries[row])}, document {quoted(rows.documents[row])}"
    problems.add(f"{where}: {message}", rows.place(row))


def _by_document(
    rows: Ratings, written: Sequence[float]
) -> dict[str, dict[str, float]]:
    """The grade of each document, by query; of a document with several rows the last one's."""
    grades: dict[str, dict[str, float]] = {}
    last: str | None = None
    of_query: dict[str, float] = {}
    for query, document, grade in zip(
        rows.queries, rows.documents, written, strict=True
    ):
        if query is not last:  # rows of one query usually follow each other
            last = query
            of_query = grades.setdefault(query, {})
        of_query[document] = grade
    return grades


def _judgments(
    rows: Ratings,
    grades: dict[str, dict[str, float]],
    ratings: Mapping[str, Mapping[str, Mapping[str, float]]],
) -> Judgments:
    titles: dict[str, dict[str, str]] = {}
    for query, document, title in zip(
        rows.queries, rows.documents, rows.titles or (), strict=rows.titles is not None
    ):
        if title:
            titles.setdefault(query, {}).setdefault(document, title)
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
    )


def _finder(rows: Ratings) -> Callable[[str, str], Place]:
    """A function that finds the position of a judgment in its file."""
    first: dict[str, int] = {}

    def place(query: str, document: str) -> Place:
        if not first:  # one question is usually followed by others
            first.update(
                (key, row) for row, key in reversed(list(enumerate(rows.queries)))
            )
        for row in range(first.get(query, len(rows.queries)), len(rows.queries)):
            if rows.documents[row] == document and rows.queries[row] == query:
                return rows.place(row)
        return Place()

    return place


def _numbered(rows: Ratings) -> list[str]:
    """Names for unnamed raters: the first rating of a document is by `rating 1`, the second by `rating 2` ..."""
    counts: Counter[tuple[str, str]] = Counter()
    names = []
    for pair in zip(rows.queries, rows.documents, strict=True):
        counts[pair] += 1
        names.append(f"rating {counts[pair]}")
    return names


def _refuse_contradictions(rows: Ratings, written: Sequence[float]) -> None:
    """Refuse different grades of one document; if there are raters, different grades by one rater."""
    problems = Problems(rows.file)
    first: dict[tuple[str, ...], int] = {}
    refused = set()
    pairs = [
        rows.queries,
        rows.documents,
        *([] if rows.raters is None else [rows.raters]),
    ]
    for row, key in enumerate(zip(*pairs, strict=True)):
        earlier = first.setdefault(key, row)
        if written[row] != written[earlier] and key not in refused:
            refused.add(key)
            place = rows.place(earlier)
            where = ""
            if place.line:
                where = f" in line {place.line}"
            elif place.path:
                where = f" at {place.path}"
            grades = f"{written[earlier]:g}{where} and {written[row]:g} here; keep one of them"
            if rows.raters is not None:
                message = f"rater {quoted(rows.raters[row])} gave {grades}"
            else:
                message = (
                    f"judged twice, {grades}, or say how the ratings of several raters are combined (raters: median, "
                    "--raters of a command)"
                )
            _add(problems, rows, row, message)
    problems.raise_if_any()


def _by_rater(
    rows: Ratings, raters: Sequence[str], written: Sequence[float]
) -> dict[str, dict[str, dict[str, float]]]:
    """{query: {document: {rater: rating}}}."""
    ratings: dict[str, dict[str, dict[str, float]]] = {}
    for query, document, rater, rating in zip(
        rows.queries, rows.documents, raters, written, strict=True
    ):
        ratings.setdefault(query, {}).setdefault(document, {})[rater] = rating
    if sum(
        len(given) for documents in ratings.values() for given in documents.values()
    ) < len(written):
        _refuse_contradictions(rows, written)
    return ratings


def _combined(
    ratings: Mapping[str, Mapping[str, Mapping[str, float]]], how: str
) -> dict[str, dict[str, float]]:
    return {
        query: {
            document: aggregate(list(given.values()), how)
            for document, given in documents.items()
        }
        for query, documents in ratings.items()
    }


def aggregate_of(judgments: Judgments) -> str | None:
    """Find the way to combine ratings (median, mean ...) that gives exactly the grades; None if there is none."""
    for how in AGGREGATES:
        if _are_combined_by(how, judgments):
            return how
    return None


def _are_combined_by(how: str, judgments: Judgments) -> bool:
    """Whether each grade is what its ratings make if they are combined in this way."""
    for query, documents in judgments.ratings.items():
        grades = judgments.get(query, {})
        for document, ratings in documents.items():
            if aggregate(list(ratings.values()), how) != grades.get(document):
                return False
    return True


FAR_APART = 2
"""The difference of two ratings, in grades, at which raters disagree seriously."""


class Rated(NamedTuple):
    """A document that several raters rated: {rater: rating}, and how far the ratings are apart."""

    query: str
    document: str
    ratings: Mapping[str, float]
    spread: float


class RaterFigures(NamedTuple):
    """One rater: the number of documents they rated, and how many of them others rated too.

    `bias` is the mean, over the latter, of their rating less the mean of the others' ratings: above 0 for a rater who
    is generous, below for one who is strict. None where they share no document with anybody.
    """

    rater: str
    rated: int
    shared: int
    bias: float | None


def of_raters(judgments: Judgments, raters: Sequence[str]) -> Judgments:
    """Judgments with the ratings of some raters alone; the grades stay those that all ratings make."""
    ratings = {
        query: {
            document: {rater: given[rater] for rater in raters if rater in given}
            for document, given in of.items()
        }
        for query, of in judgments.ratings.items()
    }
    return replace(judgments, grades=judgments, ratings=ratings, raters=tuple(raters))


def rated_by_several(judgments: Judgments) -> list[Rated]:
    """The documents with two ratings or more, those that are furthest apart first, else in the order of the file."""
    found = [
        Rated(query, document, given, max(given.values()) - min(given.values()))
        for query, documents in judgments.ratings.items()
        for document, given in documents.items()
        if len(given) > 1
    ]
    return sorted(found, key=lambda rated: -rated.spread)


def rater_figures(judgments: Judgments) -> list[RaterFigures]:
    """The figures of each rater, in the order of the file."""
    rated: Counter[str] = Counter()
    differences: dict[str, list[float]] = {rater: [] for rater in judgments.raters}
    for documents in judgments.ratings.values():
        for given in documents.values():
            rated.update(given.keys())  # of a mapping it would add up the values
            others = len(given) - 1
            if others:
                total = fsum(given.values())
                for rater, rating in given.items():
                    differences[rater].append(rating - (total - rating) / others)
    return [
        RaterFigures(
            rater, rated[rater], len(apart), fsum(apart) / len(apart) if apart else None
        )
        for rater, apart in differences.items()
    ]


class Judged(NamedTuple):
    """The grade that people gave to a document of a query."""

    query: str
    document: str
    grade: float


def drawn_evenly(judged: Iterable[Judged], most: int) -> list[Judged]:
    """Draw at most so many judgments, as many of each grade as far as there are; the same ones in whatever order.

    A grade between two whole ones, such as the median of two raters, counts as the nearest, the higher one of two.
    Those of one grade are drawn in the order of a digest. So another judgment changes few of those that are drawn, and
    a larger draw has all that a smaller one has.
    """
    of_grade: dict[float, list[Judged]] = {}
    for each in sorted({*judged}, key=_digest):
        of_grade.setdefault(floor(each.grade + 0.5), []).append(each)
    turns = zip_longest(*(of_grade[grade] for grade in sorted(of_grade)))
    return [each for turn in turns for each in turn if each is not None][:most]


def _digest(judged: Judged) -> tuple[bytes, Judged]:
    return sha256(
        f"{judged.query}\0{judged.document}".encode("utf-8", "surrogatepass")
    ).digest(), judged
