"""Results judged again: by judgments from a file, a mapping, a frame or a case file, and by other settings.

Two scores can be compared only where they come from the same judgments. Given judgments, the rankings of both runs are
graded by these, whatever they were recorded with.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_relevance.cases.model import Case, Suite
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.metrics.graded import grade_ranking
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import NO_DIGEST, CaseResult, count_grades
from pytest_relevance.results.evaluate import compile_judgments
from pytest_relevance.results.scoring import digest_of

if TYPE_CHECKING:
    from pytest_relevance.results.evaluate import AnyJudgments

    JudgmentSource = AnyJudgments | Suite | str | os.PathLike[str]

CASE_FILES = (".yaml", ".yml")
"""The suffixes of case files."""


@dataclass(frozen=True)
class JudgedQuery:
    """The judgments of a query, with its text and weight where their file has them (else None).

    `key` is its name among the judgments. A `case` also has a cutoff, settings and tags.
    """

    key: str
    grades: Mapping[str, float]
    text: str | None = None
    weight: float | None = None
    case: Case | None = None

    @cached_property
    def digest(self) -> str:
        """The digest of the judgments, as a result has it."""
        return digest_of(self.grades)


class JudgedQueries:
    """The queries that have judgments, found by their id or else by their text.

    `keys_of` gives the keys of the queries that have a text.
    """

    def __init__(self, queries: Iterable[JudgedQuery], keys_of: Callable[[str], Iterable[str]]) -> None:
        self._queries = {query.key: query for query in queries}
        self._keys_of = keys_of

    def __iter__(self) -> Iterator[str]:
        """The keys of all queries."""
        return iter(self._queries)

    def find(self, result: CaseResult) -> JudgedQuery | None:
        """The judged query of a result; None where it has no judgments."""
        key: str | None = result.id
        if key not in self._queries:
            key = next((key for key in self._keys_of(result.query) if key in self._queries), None)
        return None if key is None else self._queries[key]

    def without_ranking(self, results: Iterable[CaseResult]) -> list[str]:
        """The keys of the queries without a result."""
        ranked = {query.key for query in map(self.find, results) if query is not None}
        return [key for key in self if key not in ranked]

    def learn_texts(self, results: Iterable[CaseResult]) -> None:
        """Copy the texts of queries from results, where the judgments do not have them."""
        for result in results:
            query = self.find(result)
            if query is not None and query.text is None:
                self._queries[query.key] = replace(query, text=result.query)


def judged_queries(judgments: JudgmentSource, settings: Mapping[str, object]) -> JudgedQueries:
    """The queries of judgments in any form. `settings` are those that the user gave.

    Raises ValueError where a case file, which has settings of its own, comes with others; `CaseFileError` or
    `JudgmentFileError` for a file that cannot be used.
    """
    if isinstance(judgments, (str, os.PathLike)):
        judgments = _read(Path(judgments))
    if not isinstance(judgments, Suite):
        return _of_judgments(judgments)
    if settings:
        raise ValueError(f"{judgments.path} has settings of its own: leave out {', '.join(settings)}")
    return _of_suite(judgments)


def _read(path: Path) -> Suite | Judgments:
    if path.suffix in CASE_FILES:
        from pytest_relevance.cases.reader import read_suite

        return read_suite(path)
    from pytest_relevance.judgments.reading import read_judgments

    return read_judgments(path)


def _of_judgments(judgments: AnyJudgments) -> JudgedQueries:
    """{query: {document: grade}}; a file of them may know the texts and the weights of its queries."""
    compiled = compile_judgments(judgments)
    file = judgments if isinstance(judgments, Judgments) else Judgments()
    queries = [
        JudgedQuery(key, grades)
        if (described := file.queries.get(key)) is None
        else JudgedQuery(key, grades, described.text, described.weight)
        for key, grades in zip(compiled.queries, compiled.tables, strict=True)
    ]
    return JudgedQueries(queries, lambda text: (text, *file.known_as(text)))


def _of_suite(suite: Suite) -> JudgedQueries:
    """The cases of a case file. A text that several of them have finds none."""
    keys: dict[str, list[str]] = {}
    for case in suite.cases:
        keys.setdefault(case.query, []).append(case.id)
    queries = (JudgedQuery(case.id, case.judgments, case.query, case.weight, case) for case in suite.cases)
    return JudgedQueries(queries, lambda text: found if len(found := keys.get(text, ())) == 1 else ())


@dataclass(slots=True)
class RejudgedResult(CaseResult):
    """A result whose ranking was graded by other judgments; `recorded_digest` is that of its former ones."""

    recorded_digest: str = ""


def rejudge(
    results: Iterable[CaseResult], queries: JudgedQueries | None, settings: Mapping[str, Any], *, by_key: bool = False
) -> list[CaseResult]:
    """Grade results by these judgments (None: their own) and drop their scores. `settings` replace theirs.

    `by_key`: the id of a result becomes the key of its query, and its case file is dropped: two runs may name their
    queries differently.
    """
    replaced: dict[Settings, Settings] = {}
    found: list[CaseResult] = []
    for result in results:
        if settings and result.settings not in replaced:
            replaced[result.settings] = replace(result.settings, **settings)
        own = replaced.get(result.settings, result.settings)
        if queries is None:
            found.append(_copy(result, own, result.grades, result.judgments, result.digest))
        else:
            found.append(_rejudged(result, queries.find(result), own, by_key=by_key))
    return found


def _rejudged(result: CaseResult, query: JudgedQuery | None, settings: Settings, *, by_key: bool) -> CaseResult:
    if query is None:
        found = _copy(result, settings, (None,) * len(result.documents), {}, NO_DIGEST)
    else:
        graded = grade_ranking(result.documents, query.grades)
        found = _copy(result, settings, tuple(graded.grades), count_grades([*query.grades.values()]), query.digest)
        found.query = found.query if query.text is None else query.text
        found.weight = found.weight if query.weight is None else query.weight
        if query.case is not None:
            found.k, found.settings, found.tags = query.case.k, query.case.settings, query.case.tags
        if by_key:
            found.id = query.key
    if by_key:
        found.file = ""
    found.recorded_digest = result.digest
    return found


_KEPT = (
    *("file", "line", "id", "verdict", "query", "variant", "tags", "weight", "params", "k", "depth", "is_depth_set"),
    *("reaches_depth", "documents", "returned", "deeper"),
)


def _copy(
    result: CaseResult,
    settings: Settings,
    grades: Sequence[float | None],
    judgments: Mapping[float, int],
    digest: str,
) -> RejudgedResult:
    """What a comparison looks at of a result; `dataclasses.replace` would take several times as long."""
    kept = {name: getattr(result, name) for name in _KEPT}
    return RejudgedResult(**kept, settings=settings, grades=grades, judgments=judgments, digest=digest)
