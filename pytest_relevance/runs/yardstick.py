"""What both sides of a comparison are judged by anew: judgments from a file, a mapping, a frame, or a case file.

Scores of two days can be compared where they were computed alike. Given judgments, the rankings of both sides are
seen through these, whatever they were recorded with.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_relevance.cases.model import Case, Suite
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.metrics.scalar import grade_ranking
from pytest_relevance.runs.evaluate import compile_judgments
from pytest_relevance.runs.run import Conditions, Result
from pytest_relevance.runs.values import NO_DIGEST, counted_grades, digest_of

if TYPE_CHECKING:
    from pytest_relevance.runs.evaluate import AnyJudgments

    Judging = AnyJudgments | Suite | str | os.PathLike[str]

CASE_FILES = (".yaml", ".yml")
"""How the name of a case file ends."""

DIGEST_THEN = "digest_then"
"""The value of a result that was judged anew that holds the digest it was recorded with."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known of a query: its key among the judgments, the judgments, and what their file says besides.

    `digest` stands for the judgments. What is None is not said.
    """

    key: str
    grades: Mapping[str, float]
    digest: str
    query: str | None = None
    weight: float | None = None
    tags: Sequence[str] | None = None
    conditions: Conditions | None = None


class Yardstick:
    """Judgments, found by the id of a query, or else by its text. Each query is looked up once."""

    def __init__(self) -> None:
        self._known: dict[str, Judged] = {}

    def find(self, result: Result) -> Judged | None:
        """What is known of the query of a result; None for one that nobody judged."""
        key = self._key(result.id, result.query)
        if key is None:
            return None
        if key not in self._known:
            self._known[key] = self._judged(key)
        return self._known[key]

    def of(self, results: Iterable[Result]) -> list[Judged | None]:
        """What is known of the query of each result."""
        return [self.find(result) for result in results]

    def learn_texts(self, results: Iterable[Result]) -> None:
        """Take over the texts of queries from results that know them, where the judgments do not."""
        for result in results:
            judged = self.find(result)
            if judged is not None and judged.query is None:
                self._known[judged.key] = replace(judged, query=result.query)

    def __iter__(self) -> Iterator[str]:
        """The keys of all queries with judgments."""
        raise NotImplementedError

    def _key(self, case: str, query: str) -> str | None:
        raise NotImplementedError

    def _judged(self, key: str) -> Judged:
        raise NotImplementedError


def yardstick(judgments: Judging, given: Mapping[str, object]) -> Yardstick:
    """What to judge by. `given` are settings that the caller asked for; a case file has its own."""
    if isinstance(judgments, (str, os.PathLike)):
        judgments = _read(Path(judgments))
    if not isinstance(judgments, Suite):
        return _OfJudgments(judgments)
    if given:
        raise ValueError(f"{judgments.path} has settings of its own: leave out {', '.join(given)}")
    return _OfSuite(judgments)


def _read(path: Path) -> Suite | Judgments:
    if path.suffix in CASE_FILES:
        from pytest_relevance.cases.reader import read_suite

        return read_suite(path)
    from pytest_relevance.judgments.reading import read_judgments

    return read_judgments(path)


class _OfJudgments(Yardstick):
    """{query: {document: grade}}; a file of them may know the texts and the weights of its queries."""

    def __init__(self, judgments: AnyJudgments) -> None:
        super().__init__()
        compiled = compile_judgments(judgments)
        self._tables = dict(zip(compiled.queries, compiled.tables, strict=True))
        self._file = judgments if isinstance(judgments, Judgments) else Judgments()

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def _key(self, case: str, query: str) -> str | None:
        if case in self._tables:
            return case
        return next((key for key in (query, *self._file.known_as(query)) if key in self._tables), None)

    def _judged(self, key: str) -> Judged:
        grades, said = self._tables[key], self._file.queries.get(key)
        if said is None:
            return Judged(key, grades, digest_of(grades))
        return Judged(key, grades, digest_of(grades), said.text, said.weight)


class _OfSuite(Yardstick):
    """The cases of a case file, with their cutoffs, settings, weights and tags."""

    def __init__(self, suite: Suite) -> None:
        super().__init__()
        self._cases = {case.id: case for case in suite.cases}
        self._by_text: dict[str, Case | None] = {}
        for case in suite.cases:  # a query of several cases is none's
            self._by_text[case.query] = None if case.query in self._by_text else case
        self._conditions: dict[int, Conditions] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._cases)

    def _key(self, case: str, query: str) -> str | None:
        found = self._cases.get(case) or self._by_text.get(query)
        return found.id if found is not None else None

    def _judged(self, key: str) -> Judged:
        case = self._cases[key]
        conditions = self._conditions.get(id(case.terms))  # which many cases share
        if conditions is None:
            conditions = self._conditions[id(case.terms)] = Conditions(case.search, case.k, case.settings)
        digest = digest_of(case.judgments)
        return Judged(key, case.judgments, digest, case.query, case.weight, case.tags, conditions)


def judge_anew(
    results: Sequence[Result], by: Yardstick | None, given: Mapping[str, Any], *, is_renamed: bool = False
) -> list[Result]:
    """The results with the grades that their documents have by these judgments, and no scores yet.

    `given` are settings that replace those of the results; without a yardstick they are all that is new. `is_renamed`:
    under the keys of the judgments alone, as two sides need it that call their queries differently.
    """
    conditions: dict[int, Conditions] = {}
    renewed = []
    for result in results:
        old = result.conditions
        if id(old) not in conditions:
            conditions[id(old)] = replace(old, settings=replace(old.settings, **given)) if given else old
        if by is None:
            values = {**result.values, "scores": {}}
            renewed.append(Result(values, result.details, conditions[id(old)]))
        else:
            renewed.append(_judged_anew(result, by.find(result), conditions[id(old)], is_renamed))
    return renewed


def _judged_anew(result: Result, judged: Judged | None, conditions: Conditions, is_renamed: bool) -> Result:
    values: dict[str, Any] = {**result.values, "scores": {}, DIGEST_THEN: result.digest, "digest": ""}
    values["depth"] = result.depth  # that of the run, whatever the cutoff is now
    if is_renamed:
        values["file"] = ""
    details = result.details
    ranking = details.get("ranking", ())
    whole = len(set(ranking))
    kept = {"ranking": ranking, "returned": details.get("returned", whole)}
    if judged is None:
        values["digest"] = NO_DIGEST
        return Result(values, {**kept, "grades": [None] * len(ranking)}, conditions)
    values["digest"] = judged.digest
    said = {"query": judged.query, "weight": judged.weight, "tags": judged.tags}
    values |= {name: value for name, value in said.items() if value is not None}
    if is_renamed:
        values["id"] = judged.key
    graded = grade_ranking(ranking, judged.grades)
    kept |= {"grades": graded.grades, "judgments": counted_grades(graded.judged)}
    shared = judged.conditions or conditions
    if shared.depth != conditions.depth:
        shared = _with_depth(shared, conditions.depth)
    return Result(values, kept, shared)


@lru_cache(maxsize=64)  # results of one run share their conditions
def _with_depth(conditions: Conditions, depth: int | None) -> Conditions:
    """The conditions of a case of today with the depth that the search of a run was asked for."""
    return replace(conditions, depth=depth)
