"""The judgments of a case, united from the case, its suite and judgment files.

A case may write judgments itself, and the case or its suite may name judgment files.
What the case writes replaces what files say, document by document. Files with `fill:
true` count only for documents without another judgment.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pytest_relevance._problems import Place
from pytest_relevance._text import quoted
from pytest_relevance.cases.expectation import Passage
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.scale import UNNAMED, Scale, aggregate, is_named


@dataclass(frozen=True, slots=True)
class GradingTerms:
    """How ratings become grades: the scale, and how several ratings are combined.

    `raters`: for example "median"; None if the case file does not say.
    """

    scale: Scale | None
    raters: str | None


def grading_terms(values: Mapping[str, object]) -> GradingTerms:
    """Return the terms that the checked keys of a suite or a case set."""
    scale, raters = values.get("scale"), values.get("raters")
    return GradingTerms(
        scale=scale if isinstance(scale, Scale) else None,
        raters=raters if isinstance(raters, str) else None,
    )


@dataclass(frozen=True)
class CaseJudgments:
    """The judgments of a case.

    `grades`, `titles`, `notes`: by document.
    `filled`: {document: who gave the grade}, for grades from files with `fill: true`.
    `passages`: the passages, if the case has passages in place of judged documents.
        Then `grades` has their grades by name.
    `is_known_item`: whether the documents are those with the title that is searched
        for. Nothing is known of other documents.
    """

    grades: Mapping[str, float] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    filled: Mapping[str, str] = field(default_factory=dict)
    passages: tuple[Passage, ...] = ()
    is_known_item: bool = False

    @cached_property
    def distinct(self) -> frozenset[float]:
        """Return the different grades."""
        return frozenset(self.grades.values())

    @property
    def are_documents(self) -> bool:
        """Say whether documents are judged."""
        return bool(self.grades) and not self.passages

    def differs_from(self, other: CaseJudgments) -> bool:
        """Say whether these judgments and others give a document different grades."""
        for document, grade in self.grades.items():
            if other.grades.get(document, grade) != grade:
                return True
        return False


NO_JUDGMENTS = CaseJudgments()

JUDGING_KEYS = ("judgments", "relevant", "passages")
"""The keys with which a case says itself what is relevant."""


def judgments_of_passages(passages: Iterable[Passage]) -> CaseJudgments:
    """Return passages as the judgments of a case. Their names are all different."""
    passages = tuple(passages)
    grades = {passage.name: passage.grade for passage in passages}
    return CaseJudgments(grades, passages=passages)


@dataclass(frozen=True, slots=True)
class FileJudgments:
    """The judgments of one query in a judgment file.

    `judgments`: the judgments of all queries of the file.
    `key`: the id or the text under which the file has the query.
    """

    judgments: Judgments
    key: str

    @property
    def grades(self) -> Mapping[str, float]:
        """Return the grades by document."""
        return self.judgments[self.key]

    @property
    def titles(self) -> Mapping[str, str]:
        """Return the titles by document."""
        return self.judgments.titles.get(self.key, {})

    def ratings(self, document: str) -> Mapping[str, float]:
        """Return the ratings of a document by rater; empty if raters are not known."""
        return self.judgments.ratings.get(self.key, {}).get(document, {})

    def place(self, document: str) -> Place:
        """Return the place of the judgment of a document in the file.

        The file is searched for it.
        """
        place = self.judgments.place(self.key, document)
        return replace(place, file=self.judgments.file)


def combine(
    of_case: CaseJudgments | None, of_suite: CaseJudgments | None
) -> CaseJudgments:
    """Return the judgments of a case and of its suite together.

    If both judge a document or have a passage, the grade of the case counts.
    """
    if of_case is None:
        return of_suite or NO_JUDGMENTS
    if of_suite is None:
        return of_case
    passages = {}
    for passage in (*of_suite.passages, *of_case.passages):
        passages[passage.name] = passage
    return CaseJudgments(
        grades={**of_suite.grades, **of_case.grades},
        titles={**of_suite.titles, **of_case.titles},
        notes=of_case.notes,
        passages=tuple(passages.values()),
    )


# Several files, or several keys of one


def unite(
    parts: Sequence[FileJudgments], terms: GradingTerms, at: Location
) -> CaseJudgments | Wrong:
    """Return the judgments of one query from several files or several keys of a file.

    `parts`: at least one entry. Reports grades that contradict each other.
    """
    if len(parts) == 1:
        return CaseJudgments(parts[0].grades, parts[0].titles)
    by_document: dict[str, list[FileJudgments]] = {}
    united_titles: dict[str, str] = {}
    for part in parts:
        united_titles = {**part.titles, **united_titles}
        for document in part.grades:
            by_document.setdefault(document, []).append(part)
    united_grades: dict[str, float] = {}
    is_wrong = False
    for document, of_document in by_document.items():
        grade = _united_grade(document, of_document, raters=terms.raters, at=at)
        if grade is WRONG:
            is_wrong = True
        else:
            united_grades[document] = grade
    return WRONG if is_wrong else CaseJudgments(united_grades, united_titles)


def _united_grade(
    document: str, parts: Sequence[FileJudgments], raters: str | None, at: Location
) -> float | Wrong:
    """Return the grade of a document that these parts judge, or report a mistake.

    Several ratings are combined if the case file says how, or if all raters have names.
    Otherwise all grades must be equal.
    """
    if len(parts) == 1:
        return parts[0].grades[document]
    if raters is not None or _are_raters_named(document, parts):
        return _combined_grade(document, parts, raters=raters or "median", at=at)
    first = parts[0]
    result: float | Wrong = first.grades[document]
    for part in parts[1:]:
        if part.grades[document] != first.grades[document]:
            grades = _two_grades(first.grades[document], first, part.grades[document])
            result = _refuse_contradiction(
                f"judged twice, {grades}; keep one of them, or say how the ratings of "
                "several raters are combined (raters: median)",
                document,
                part=part,
                at=at,
            )
    return result


def _are_raters_named(document: str, parts: Sequence[FileJudgments]) -> bool:
    for part in parts:
        ratings = part.ratings(document)
        if not ratings or not all(map(is_named, ratings)):
            return False
    return True


@dataclass(frozen=True, slots=True)
class _FirstRating:
    """The first rating that a rater gave a document, and the file with the rating."""

    rating: float
    part: FileJudgments


def _combined_grade(
    document: str, parts: Sequence[FileJudgments], raters: str, at: Location
) -> float | Wrong:
    """Return the grade that the ratings of a document make.

    A rater with a name counts once, even if several parts have the same rating. If the
    ratings of a rater differ, they are reported. Each rating without a name counts.

    `raters`: how ratings are combined, for example "median".
    """
    first: dict[str, _FirstRating] = {}
    counting = []
    result: Wrong | None = None
    for part in parts:
        ratings = part.ratings(document) or {UNNAMED: part.grades[document]}
        for rater, rating in ratings.items():
            if rater not in first or not is_named(rater):
                first[rater] = _FirstRating(rating, part)
                counting.append(rating)
            elif first[rater].rating != rating:
                earlier = first[rater]
                grades = _two_grades(earlier.rating, earlier.part, rating)
                result = _refuse_contradiction(
                    f"rater {quoted(rater)} gave {grades}; keep one of them",
                    document,
                    part=part,
                    at=at,
                )
    return aggregate(counting, raters) if result is None else result


def _two_grades(earlier: float, part: FileJudgments, here: float) -> str:
    return f"{earlier:g} in {part.judgments.file} and {here:g} here"


def _refuse_contradiction(
    message: str, document: str, part: FileJudgments, at: Location
) -> Wrong:
    """Report two grades of one document, at the place of the later one."""
    return at.refuse_at(
        f"query {quoted(part.key)}, document {quoted(document)}: {message}",
        part.place(document),
    )


# Files with `fill: true`


def fill_gaps(
    people: CaseJudgments,
    parts: Sequence[FileJudgments],
    terms: GradingTerms,
    at: Location,
) -> CaseJudgments | Wrong:
    """Return the judgments of `people`, completed by files with `fill: true`.

    `parts`: the judgments of the query in these files, which count only for documents
        without a judgment in `people`.
    """
    if not parts:
        return people
    fill = unite(parts, terms, at)
    if fill is WRONG:
        return WRONG
    grades = dict(people.grades)
    names: dict[str, str] = {}
    for document, grade in fill.grades.items():
        if document not in people.grades:
            grades[document] = grade
            names[document] = _who_gave(document, parts)
    return CaseJudgments(
        grades=grades,
        titles={**fill.titles, **people.titles},
        notes=people.notes,
        filled=names,
    )


def _who_gave(document: str, parts: Sequence[FileJudgments]) -> str:
    """Return the names of the raters of a document, joined by " + ".

    If a file does not name its raters, the name of the file stands for them.
    """
    names: set[str] = set()
    for part in parts:
        if document in part.grades:
            raters = [rater for rater in part.ratings(document) if is_named(rater)]
            names.update(raters or [os.path.basename(part.judgments.file)])
    return " + ".join(sorted(names))
