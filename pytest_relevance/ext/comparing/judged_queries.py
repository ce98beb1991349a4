"""Read the judgments that a user names for a comparison, as judged queries.

Two scores can be compared only if they come from the same judgments. If the user names
judgments, these grade the rankings of both runs, in place of the recorded judgments.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_relevance.cases.expectation import Passage
from pytest_relevance.cases.model import Suite
from pytest_relevance.cases.names import YAML_ENDINGS
from pytest_relevance.cases.reader import read_suite
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.reading import read_judgments
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.details import digest_of, digest_of_passages
from pytest_relevance.results.evaluate import check_judgments

if TYPE_CHECKING:
    from pytest_relevance.results.evaluate import AnyJudgments

    JudgmentSource = AnyJudgments | Suite | str | os.PathLike[str]


@dataclass
class JudgedQuery:
    """A query with its judgments.

    `key`: the name of the query in the judgments.
    `grades`: {document: grade}.
    `filled`: {document: who graded it} for grades from a file with `fill: true`.
    `passages`: the passages, if the query has passages in place of documents. Then
        `grades` is {name of a passage: grade}.

    `text`, `weight`, `k`, `settings` and `tags` are None if they are not known. A
    judgment file may have the text and the weight. A case file has all five.
    """

    key: str
    grades: Mapping[str, float]
    filled: Mapping[str, str] = field(default_factory=dict)
    text: str | None = None
    weight: float | None = None
    k: int | None = None
    settings: Settings | None = None
    tags: Sequence[str] | None = None
    passages: Sequence[Passage] = ()
    is_known_item: bool = False

    @cached_property
    def digest(self) -> str:
        """Return a short text that is equal only for equal judgments.

        A record has the same digest of its judgments.
        """
        if self.passages:
            return digest_of_passages(self.passages)
        return digest_of(self.grades)

    @cached_property
    def grades_of_people(self) -> Mapping[str, float]:
        """Return {document: grade} without filled grades."""
        grades = {}
        for document, grade in self.grades.items():
            if document not in self.filled:
                grades[document] = grade
        return grades


@dataclass(frozen=True)
class JudgedQueries:
    """The judged queries, by their keys and by their texts.

    `by_text` has no text that two queries share. The key of a query may be the text of
    a result. So `by_text` also has the keys of a judgment file.
    """

    by_key: Mapping[str, JudgedQuery]
    by_text: Mapping[str, JudgedQuery]

    @property
    def has_filled(self) -> bool:
        """Whether any query has grades from a file with `fill: true`."""
        return any(query.filled for query in self.by_key.values())

    @cached_property
    def grade_range(self) -> tuple[float, float]:
        """The lowest and the highest of all grades and 0.

        An unjudged result may have any grade in this range.
        """
        grades = [0.0]
        for query in self.by_key.values():
            grades += query.grades.values()
        return min(grades), max(grades)

    def find(self, result: CaseResult) -> JudgedQuery | None:
        """Return the judged query of a result; None if there is none.

        The key of the judged query is the id of the result. If no query has this key,
        the text of the query is looked up.
        """
        return self.by_key.get(result.id) or self.by_text.get(result.query)

    def without_ranking(self, results: Iterable[CaseResult]) -> list[str]:
        """Return the keys of the judged queries for which there is no result."""
        ranked = set()
        for result in results:
            query = self.find(result)
            if query is not None:
                ranked.add(query.key)
        return [key for key in self.by_key if key not in ranked]

    def learn_texts(self, results: Iterable[CaseResult]) -> None:
        """Take the texts of queries from results, if the judgments do not have them."""
        for result in results:
            query = self.find(result)
            if query is not None and query.text is None:
                query.text = result.query


def judged_queries(
    judgments: JudgmentSource, settings: Mapping[str, object]
) -> JudgedQueries:
    """Return the judged queries of a file, a suite, judgments or a table of grades.

    `judgments`: the path of a case file or a judgment file, a `Suite`, `Judgments`,
        {query: {document: grade}}, a DataFrame, or `CheckedJudgments`.
    `settings`: the settings that the user gave, by their names in `evaluate`.

    Raises:
        ValueError: settings are given for a case file, which has its own.
        CaseFileError, FileError: a file cannot be used.
    """
    if isinstance(judgments, (str, os.PathLike)):
        judgments = _read(judgments)
    if not isinstance(judgments, Suite):
        return _queries_of_judgments(judgments)
    if settings:
        raise ValueError(
            f"{judgments.path} has settings of its own: leave out {', '.join(settings)}"
        )
    return _queries_of_cases(judgments)


def _read(path: str | os.PathLike[str]) -> AnyJudgments | Suite:
    if Path(path).suffix in YAML_ENDINGS:
        return read_suite(path)
    return read_judgments(path)


def _queries_of_judgments(judgments: AnyJudgments) -> JudgedQueries:
    """Return the queries of judgments, with their texts and weights if a file has them.

    A text that two queries share identifies neither of them.
    """
    checked = check_judgments(judgments)
    described = judgments.queries if isinstance(judgments, Judgments) else {}
    times = Counter(query.text for query in described.values())
    by_key = {}
    by_text: dict[str, JudgedQuery] = {}
    for key, grades in zip(checked.queries, checked.tables, strict=True):
        query = JudgedQuery(key, grades)
        by_key[key] = query
        if key in described:
            query.weight = described[key].weight
            query.text = described[key].text
        if query.text is not None and times[query.text] == 1:
            by_text[query.text] = query
    return JudgedQueries(by_key, by_text | by_key)


def _queries_of_cases(suite: Suite) -> JudgedQueries:
    """Return the queries of a suite.

    A text that two cases share identifies neither of them.
    """
    times = Counter(case.query for case in suite.cases)
    by_key = {}
    by_text = {}
    for case in suite.cases:
        query = JudgedQuery(
            key=case.id,
            grades=case.judgments,
            filled=case.filled,
            text=case.query,
            weight=case.weight,
            k=case.k,
            settings=case.settings,
            tags=case.tags,
            passages=case.passages,
            is_known_item=case.is_known_item,
        )
        by_key[case.id] = query
        if times[case.query] == 1:
            by_text[case.query] = query
    return JudgedQueries(by_key, by_text)
