"""Judge both runs of a comparison again, by other judgments or with other settings.

`compare_runs` calls `rejudge` if the user names judgments or settings. The results get
new grades and no scores. `pair_scores` computes the scores later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import counted, examples
from pytest_relevance.ext.comparing.judged_queries import (
    JudgedQueries,
    JudgedQuery,
    judged_queries,
)
from pytest_relevance.ext.comparing.read_runs import PlainRun, plain_run
from pytest_relevance.metrics.ndcg import grade_ranking, ideal_of_passages
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import (
    CaseConditions,
    CaseEvaluation,
    CaseRanking,
    count_grades,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.compare.incompatibilities import Incomparable
from pytest_relevance.results.filled import judged_by, with_fill
from pytest_relevance.results.recorded_passages import (
    UnknownPassages,
    judged_by_passages,
)
from pytest_relevance.results.records.run import Run

if TYPE_CHECKING:
    from pytest_relevance.ext.comparing.judged_queries import JudgmentSource


@dataclass(frozen=True, slots=True)
class Rejudged:
    """Both runs, judged alike, and notes about queries that were left out."""

    first: Run
    second: Run
    notes: Sequence[str]


def rejudge(
    one: Run,
    two: Run,
    judgments: JudgmentSource | None,
    settings: Mapping[str, Any],
    *,
    missing: str,
    k: int,
) -> Rejudged:
    """Return both runs judged again, by `judgments` if there are any, and `settings`.

    `missing`: what a plain run without a judged query means: "refuse" for an error,
        "empty" for an empty ranking.
    `k`: the cutoff of plain rankings.

    Raises:
        Incomparable: no query of a run is judged.
        ValueError: the judgments cannot be used (see `judged_queries`).
    """
    queries = None
    notes: list[str] = []
    if judgments is not None:
        queries = judged_queries(judgments, settings)
        notes = _add_missing(queries, one, two, missing, k)
    is_plain = isinstance(one, PlainRun) or isinstance(two, PlainRun)
    by_key = is_plain and queries is not None
    rejudging = Rejudging(queries, settings, by_key)
    first = rejudging.rejudged(one)
    second = first if two is one else rejudging.rejudged(two)
    return Rejudged(first, second, notes)


def _add_missing(
    queries: JudgedQueries, one: Run, two: Run, missing: str, k: int
) -> list[str]:
    """Add empty rankings of the queries that plain runs lack, if `missing` is "empty".

    Otherwise add nothing. Return notes: one if there are queries that neither run has.
    """
    plain = [run for run in (one, two) if isinstance(run, PlainRun)]
    if not plain:
        return []
    for run in (one, two):
        if run not in plain:
            queries.learn_texts(run.results)
    if missing == "empty":
        for run in plain:
            lacking = [(key, ()) for key in queries.without_ranking(run.results)]
            empty = plain_run(lacking, run.name, k)
            run.results = (*run.results, *empty.results)
        return []
    unranked = queries.without_ranking([*one.results, *two.results])
    if not unranked:
        return []
    count = counted(len(unranked), "judged query", "judged queries")
    return [f"left out: {count} without a ranking in either run: {examples(unranked)}"]


_OTHER_CHUNKS = (
    "with collapse other chunks hold the passages; set it in a case file, and name the file "
    "as judgments"
)
"""Why results with passages cannot be scored by other settings."""


@dataclass(frozen=True, slots=True)
class _JudgedAgain:
    """A result that was judged again.

    `problems`: why its passages cannot be judged again; empty if they can.
    """

    result: CaseResult
    problems: Sequence[str] = ()


@dataclass
class Rejudging:
    """Judges the results of runs again. Then they have new grades, and no scores.

    `queries`: the judgments; None if each result keeps its own grades.
    `settings`: {name: value}, settings that replace those of the results.
    `by_key`: whether results get the key of their query as id, and no case file,
        because two runs may name their queries differently.
    """

    queries: JudgedQueries | None
    settings: Mapping[str, Any]
    by_key: bool
    _changed: dict[Settings, Settings] = field(default_factory=dict, init=False)

    def rejudged(self, run: Run) -> Run:
        """Return a run judged again.

        Raises `Incomparable` if no query is judged, if a record does not know the
        passages of a query, or if the settings have no meaning for passages.
        """
        results = []
        ids_by_problem: dict[str, list[str]] = {}
        for result in run.results:
            judged = self._judged_again(result)
            results.append(judged.result)
            for problem in judged.problems:
                ids_by_problem.setdefault(problem, []).append(result.id)
        if ids_by_problem:
            problems = []
            for problem, ids in ids_by_problem.items():
                problems.append(f"{run.name}: {problem}: {examples(ids)}")
            raise Incomparable(problems, ["judgments"])
        if self.queries is not None and results:
            _require_judged(run, results, self.queries)
        return Run(results, run.files, run.info, name=run.name)

    def _judged_again(self, result: CaseResult) -> _JudgedAgain:
        """Return a result judged by the judgments, or only with other settings.

        A query that the judgments do not have counts as one without judgments.
        """
        query = None
        if self.queries is not None:
            query = self.queries.find(result) or JudgedQuery(result.id, {})
        conditions = self._conditions(
            result.conditions, query, is_known_item=result.is_known_item
        )
        if query is not None and query.passages:
            return self._judged_by_passages(result, conditions, query)
        ranking, problems = result.ranking, []
        if conditions.settings.collapse != result.conditions.settings.collapse:
            ranking = ranking.scored_by(conditions.settings)
            if result.evaluation.passages:
                problems.append(_OTHER_CHUNKS)
        if query is not None:
            judged = self._judged_by_grades(result, ranking, conditions, query)
            return _JudgedAgain(judged, problems)
        ideal = conditions.settings.ideal
        if result.evaluation.passages and ideal != "judged":
            problems.append(ideal_of_passages(ideal))
        judged = replace(
            result,
            conditions=conditions,
            ranking=ranking,
            evaluation=_own_evaluation(result),
        )
        return _JudgedAgain(judged, problems)

    def _judged_by_grades(
        self,
        result: CaseResult,
        ranking: CaseRanking,
        conditions: CaseConditions,
        query: JudgedQuery,
    ) -> CaseResult:
        """Return a result judged by the grades of a query.

        `ranking`, `conditions`: those of the result, with the new settings.
        """
        grades = grade_ranking(ranking.documents, query.grades).grades
        judged = replace(
            self._named(result, query),
            conditions=conditions,
            ranking=replace(ranking, grades=tuple(grades)),
            evaluation=_evaluation_by(query, result),
        )
        if self.queries is not None and self.queries.has_filled:
            return _with_fill(judged, query)
        return judged

    def _judged_by_passages(
        self, result: CaseResult, conditions: CaseConditions, query: JudgedQuery
    ) -> _JudgedAgain:
        """Return a result judged by the passages of a query.

        If the record does not know which results hold the passages, that is a problem.
        """
        problems = []
        try:
            judged = judged_by_passages(result, query.passages, conditions.settings)
        except UnknownPassages as error:
            problems.append(str(error))
            judged = replace(result, evaluation=CaseEvaluation())
        evaluation = replace(
            _evaluation_by(query, result), passages=judged.evaluation.passages
        )
        judged = replace(
            self._named(judged, query), conditions=conditions, evaluation=evaluation
        )
        return _JudgedAgain(judged, problems)

    def _conditions(
        self,
        conditions: CaseConditions,
        query: JudgedQuery | None,
        *,
        is_known_item: bool,
    ) -> CaseConditions:
        """Return the conditions of a result, with `k`, settings and scale of its query.

        If the query has no settings, those of the result get the changes of the user. A
        known item keeps its settings: without its unjudged results, its document would
        always be first.
        """
        if query is not None and query.settings is not None:
            settings = query.settings
        elif is_known_item:
            settings = conditions.settings
        else:
            settings = self._changed_settings(conditions.settings)
        k = conditions.k
        if query is not None and query.k is not None:
            k = query.k
        lowest, highest = conditions.lowest, conditions.highest
        if self.queries is not None:
            least, greatest = self.queries.grade_range
            lowest, highest = min(lowest, least), max(highest, greatest)
        return replace(
            conditions, k=k, settings=settings, lowest=lowest, highest=highest
        )

    def _changed_settings(self, settings: Settings) -> Settings:
        """Return settings with the user's changes.

        Equal settings give the same object, so that results share it.
        """
        if settings not in self._changed:
            self._changed[settings] = replace(settings, **self.settings)
        return self._changed[settings]

    def _named(self, result: CaseResult, query: JudgedQuery) -> CaseResult:
        """Return a result with the names of its query: id, text, weight and tags."""
        return replace(
            result,
            file="" if self.by_key else result.file,
            id=query.key if self.by_key else result.id,
            query=result.query if query.text is None else query.text,
            weight=result.weight if query.weight is None else query.weight,
            tags=result.tags if query.tags is None else query.tags,
            is_known_item=query.is_known_item,
        )


def _own_evaluation(result: CaseResult) -> CaseEvaluation:
    """Return the evaluation of a result with its own judgments, without scores.

    The scores by people's grades are left out too: they come from other settings.
    """
    evaluation = result.evaluation
    return CaseEvaluation(
        judgments=evaluation.judgments,
        digest=evaluation.digest,
        recorded_digest=evaluation.digest,
        outcomes=evaluation.outcomes,
        judged=evaluation.judged,
        top=evaluation.top,
        passages=evaluation.passages,
        filled=evaluation.filled,
        filled_top=evaluation.filled_top,
    )


def _evaluation_by(query: JudgedQuery, result: CaseResult) -> CaseEvaluation:
    """Return an evaluation with the judgments of a query, without scores."""
    return CaseEvaluation(
        judgments=count_grades(list(query.grades.values())),
        digest=query.digest,
        recorded_digest=result.evaluation.digest,
        outcomes=result.evaluation.outcomes,
    )


def _with_fill(result: CaseResult, query: JudgedQuery) -> CaseResult:
    """Return a result with its fallback grades marked, without scores."""
    by_all = judged_by(result, query.grades)
    by_people = judged_by(result, query.grades_of_people)
    made = with_fill(by_all, query.filled, by_people)
    return replace(made, evaluation=replace(made.evaluation, scores={}))


def _require_judged(
    run: Run, results: Sequence[CaseResult], queries: JudgedQueries
) -> None:
    """Raise `Incomparable` if none of the results is judged."""
    if any(result.evaluation.is_judged for result in results):
        return
    ids = examples(result.id for result in results)
    judged = examples(queries.by_key) or "none"
    raise Incomparable(
        [
            f"none of the queries of {run.name} is judged: the run has {ids}, the "
            f"judgments have {judged}"
        ]
    )
