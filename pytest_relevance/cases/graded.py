"""The judgments of a case, and how those of several places are united.

A case has judgments of its own, and finds others in the files that it or its suite names. Its
own replace those of files, document by document. Files that fill count only where nobody else
has judged.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_relevance._problems import Place
from pytest_relevance._text import quoted
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.scale import UNNAMED, Scale, aggregate, is_named


@dataclass(frozen=True, slots=True)
class GradingTerms:
    """How ratings become grades: the scale, and how several ratings are combined, if that is written."""

    scale: Scale | None
    raters: str | None


@dataclass(frozen=True, slots=True)
class Graded:
    """The judgments of a case.

    `grades`, `titles`, `notes`: by document.
    `distinct`: the distinct grades.
    `filled`: the documents whose grades fill what nobody has judged, with who gave them:
        {document: name}.
    """

    grades: Mapping[str, float] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    distinct: frozenset[float] = frozenset()
    filled: Mapping[str, str] = field(default_factory=dict)

    def differs_from(self, other: Graded) -> bool:
        """Whether a document that both judge has another grade."""
        for document, grade in self.grades.items():
            if other.grades.get(document, grade) != grade:
                return True
        return False


NO_JUDGMENTS = Graded()


@dataclass(frozen=True, slots=True)
class FileJudgments:
    """The judgments of a query in a file, and the key that the query has there."""

    judgments: Judgments
    key: str

    @property
    def grades(self) -> Mapping[str, float]:
        """The grades by document."""
        return self.judgments[self.key]

    @property
    def titles(self) -> Mapping[str, str]:
        """The titles by document."""
        return self.judgments.titles.get(self.key, {})

    def ratings(self, document: str) -> Mapping[str, float]:
        """Give the ratings of a document by rater; empty if the file does not distinguish raters."""
        return self.judgments.ratings.get(self.key, {}).get(document, {})

    def place(self, document: str) -> Place:
        """Find the row of a document. This takes a search."""
        place = self.judgments.place(self.key, document)
        return replace(place, file=self.judgments.file)


def combined(of_case: Graded | None, of_suite: Graded | None) -> Graded:
    """Lay the judgments of a case over those of its suite, document by document."""
    if of_case is None:
        return of_suite or NO_JUDGMENTS
    if of_suite is None:
        return of_case
    grades = {**of_suite.grades, **of_case.grades}
    return Graded(
        grades=grades,
        titles={**of_suite.titles, **of_case.titles},
        notes=of_case.notes,
        distinct=frozenset(grades.values()),
    )


def united(
    found: Sequence[FileJudgments], terms: GradingTerms, at: Location
) -> Graded | Wrong:
    """Unite the judgments of one query that stand under several keys or in several files.

    Judgments that stand in one place are not copied: there are as many as cases.
    """
    if len(found) == 1:
        grades = found[0].grades
        return Graded(
            grades=grades, titles=found[0].titles, distinct=frozenset(grades.values())
        )
    places: dict[str, list[FileJudgments]] = {}
    titles: dict[str, str] = {}
    for one in found:
        titles = {**one.titles, **titles}
        for document in one.grades:
            places.setdefault(document, []).append(one)
    united_grades: dict[str, float] = {}
    is_wrong = False
    for document, those in places.items():
        grade = _united_grade(document, those, raters=terms.raters, at=at)
        if grade is WRONG:
            is_wrong = True
        else:
            united_grades[document] = grade
    if is_wrong:
        return WRONG
    return Graded(
        grades=united_grades, titles=titles, distinct=frozenset(united_grades.values())
    )


def _united_grade(
    document: str, places: Sequence[FileJudgments], raters: str | None, at: Location
) -> float | Wrong:
    """Make one grade of the judgments of a document in several places.

    If raters are combined, each rating counts, but a rater with a name counts once, with equal
    ratings. Otherwise all grades must be equal.
    """
    if len(places) == 1:
        return places[0].grades[document]
    given = []
    for place in places:
        ratings = place.ratings(document) or {UNNAMED: place.grades[document]}
        given.append(ratings)
    are_combined = raters is not None or _are_all_named(given)
    if not are_combined:
        given = [{UNNAMED: place.grades[document]} for place in places]
    first: dict[str, tuple[float, str]] = {}  # the rating and the file, by rater
    counting = []
    result: Wrong | None = None
    for place, ratings in zip(places, given, strict=True):
        for rater, rating in ratings.items():
            if rater not in first or (are_combined and not is_named(rater)):
                first[rater] = (rating, place.judgments.file)
                counting.append(rating)
            elif first[rater][0] != rating:
                earlier = "{:g} in {}".format(*first[rater])
                who = rater if are_combined else None
                result = _refuse_contradiction(
                    f"{earlier} and {rating:g} here", who, place, document, at
                )
    return aggregate(counting, raters or "median") if result is None else result


def _are_all_named(given: Sequence[Mapping[str, float]]) -> bool:
    for ratings in given:
        if not all(map(is_named, ratings)):
            return False
    return True


def _refuse_contradiction(
    grades: str, rater: str | None, place: FileJudgments, document: str, at: Location
) -> Wrong:
    """Report two grades of one document; `rater` gave both, if their ratings are combined."""
    if rater is None:
        message = (
            f"judged twice, {grades}; keep one of them, or say how the ratings of several "
            "raters are combined (raters: median)"
        )
    else:
        message = f"rater {quoted(rater)} gave {grades}; keep one of them"
    return at.refuse_at(
        f"query {quoted(place.key)}, document {quoted(document)}: {message}",
        place.place(document),
    )


def filled(
    people: Graded,
    found: Sequence[FileJudgments],
    terms: GradingTerms,
    at: Location,
) -> Graded | Wrong:
    """Add the judgments of files that fill, for documents that `people` have not judged."""
    if not found:
        return people
    fill = united(found, terms, at)
    if fill is WRONG:
        return WRONG
    names: dict[str, set[str]] = {}
    for one in found:
        for document in one.grades:
            if document not in people.grades:
                names.setdefault(document, set()).update(_who_gave(one, document))
    grades = dict(people.grades)
    for document, grade in fill.grades.items():
        if document in names:
            grades[document] = grade
    who = {}
    for document, of_document in names.items():
        who[document] = " + ".join(sorted(of_document))
    return Graded(
        grades=grades,
        titles={**fill.titles, **people.titles},
        notes=people.notes,
        distinct=frozenset(grades.values()),
        filled=who,
    )


def _who_gave(found: FileJudgments, document: str) -> list[str]:
    """Name who gave the grade of a document: its raters, or else the file."""
    raters = [rater for rater in found.ratings(document) if is_named(rater)]
    return raters or [os.path.basename(found.judgments.file)]
