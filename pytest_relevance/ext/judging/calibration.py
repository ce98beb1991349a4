"""Compare a judge with people (`--relevance-calibrate=N`).

The judge is asked about documents that people have judged already.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import zip_longest
from math import floor

from pytest_relevance._text import counted, harmless
from pytest_relevance.cases.model import Case
from pytest_relevance.ext.judging.judge import Answer, Question
from pytest_relevance.ext.judging.raters import RatedDocument
from pytest_relevance.ext.judging.raters_report import agreement_lines
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.plugin.terminal import Section
from pytest_relevance.reports.styled_lines import folded_lines, styled_line
from pytest_relevance.reports.terminal_text import terminal_width
from pytest_relevance.reports.workflow_commands import safe_output
from pytest_relevance.results.case_result import CaseResult

PEOPLE = "people"
"""The rater of the grades that people gave, beside a judge."""

_MOST_APART = 3
"""How many of the pairs of grades that are furthest apart are shown."""


@dataclass(frozen=True, slots=True, order=True)
class Judgment:
    """The grade that people gave to a document of a query."""

    query: str
    document: str
    grade: float


def drawn_evenly(judgments: Iterable[Judgment], most: int) -> list[Judgment]:
    """Return at most `most` of the judgments, drawn evenly over the grades.

    A grade between two whole grades, such as the median of two raters, is rounded; a
    half is rounded up. Judgments of one grade are drawn in the order of a digest. So
    their order in the file does not matter, a new judgment changes the draw little, and
    a larger draw contains every smaller one.
    """
    of_grade: dict[int, list[Judgment]] = {}
    for each in sorted(set(judgments)):
        of_grade.setdefault(floor(each.grade + 0.5), []).append(each)
    for same_grade in of_grade.values():
        same_grade.sort(key=_digest)
    drawn: list[Judgment] = []
    in_order = [of_grade[grade] for grade in sorted(of_grade)]
    for one_of_each_grade in zip_longest(*in_order):
        drawn += filter(None, one_of_each_grade)
    return drawn[:most]


def _digest(judgment: Judgment) -> bytes:
    text = f"{judgment.query}\0{judgment.document}"
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


@dataclass(slots=True)
class Calibration:
    """Grades of people that a judge is asked for too, to compare the judge with them.

    `cases`: the cases with the grades.
    `drawn`: the grades that the judge is asked for.
    `case_numbers`: {grade of people: index of the first case that has the grade}.
    `is_drawn`: whether people gave more grades than the judge is asked for.
    `titles`: {query: {document: title}} of the drawn grades.
    `without_text`: the questions that are not asked, because only the id of the
        document is known.
    """

    cases: Sequence[Case]
    drawn: Sequence[Judgment]
    case_numbers: Mapping[Judgment, int]
    is_drawn: bool
    titles: dict[str, dict[str, str]] = field(default_factory=dict)
    without_text: list[Question] = field(default_factory=list)

    @classmethod
    def draw(cls, cases: Sequence[Case], most: int) -> Calibration:
        """Return a calibration with at most `most` of the grades of people in cases.

        A grade that several cases give to the same query and document counts once.
        """
        case_numbers: dict[Judgment, int] = {}
        for number, case in enumerate(cases):
            for document, grade in case.grades_of_people.items():
                case_numbers.setdefault(Judgment(case.query, document, grade), number)
        drawn = drawn_evenly(case_numbers, most)
        is_drawn = len(drawn) < len(case_numbers)
        return cls(cases, drawn, case_numbers=case_numbers, is_drawn=is_drawn)

    @property
    def documents(self) -> list[str]:
        """The document of each drawn grade. A document may be in the list twice."""
        return [judgment.document for judgment in self.drawn]

    def questions(self, described: Sequence[CaseResult]) -> list[Question]:
        """Return a question for each drawn grade, and keep the titles for the report.

        If only the id of a document is known, its question goes to `without_text`, and
        its grade is taken out of `drawn`.

        `described`: the results of the cases, with the titles of their documents.
        """
        questions = []
        asked = []
        for judgment in self.drawn:
            number = self.case_numbers[judgment]
            texts = described[number].texts
            title = texts.titles.get(judgment.document, "")
            shown = texts.shown.get(judgment.document, {})
            document = {**shown, "id": judgment.document, "title": title}
            question = Question(self.cases[number], document)
            if not question.has_text:
                self.without_text.append(question)
                continue
            self.titles.setdefault(judgment.query, {})[judgment.document] = title
            questions.append(question)
            asked.append(judgment)
        self.drawn = asked
        return questions

    def section(self, judge: str, answers: Mapping[int, Answer], rest: str) -> Section:
        """Return the section of the summary that compares a judge with people.

        `judge`: the name of the judge.
        `answers`: {index of the question: answer}.
        `rest`: how many questions have no grade, and why; may be empty.
        """
        columns = terminal_width()
        how = f"the {counted(len(self.case_numbers), 'grade')} that people gave"
        if self.is_drawn:
            how += ", drawn evenly over the grades"
        text = f"asked for {len(self.drawn):,} of {how}"
        if rest:
            text += f": {rest}"
        lines = folded_lines(text, columns=columns)
        people = PEOPLE if judge != PEOPLE else f"other {PEOPLE}"
        pairs = self._pairs(answers, people, judge)
        if pairs:
            judgments = Judgments(titles=self.titles, raters=(people, judge))
            lines.append(styled_line(""))
            lines += agreement_lines(judgments, pairs, _MOST_APART, columns=columns)
        heading = safe_output(f"calibration of {harmless(judge)}")
        return Section(heading, lines)

    def _pairs(
        self, answers: Mapping[int, Answer], people: str, judge: str
    ) -> list[RatedDocument]:
        """Return the documents that the judge graded, the largest difference first.

        `people` and `judge` are the names of the raters.
        """
        pairs = []
        for number, answer in answers.items():
            if answer.grade is None:
                continue
            judgment = self.drawn[number]
            ratings = {people: judgment.grade, judge: answer.grade}
            spread = abs(answer.grade - judgment.grade)
            pairs.append(
                RatedDocument(judgment.query, judgment.document, ratings, spread)
            )
        pairs.sort(key=lambda rated: (-rated.spread, rated.query, rated.document))
        return pairs


def with_judged_documents(case: Case, result: CaseResult) -> CaseResult:
    """Return a result whose missing documents are all documents that people judged.

    The titles of missing documents are looked up, so the judge gets them.
    """
    judged = tuple(case.grades_of_people.items())
    evaluation = replace(result.evaluation, missing=judged)
    return replace(result, evaluation=evaluation).with_titles(
        case.titles, replaces=False
    )
