"""The two runs of a comparison, read and judged alike.

Records, runs of other tools and rankings in Python are read as a `Run`: a record has scores, rankings alone have none.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import counted, examples, listed
from pytest_relevance.cases.model import Suite
from pytest_relevance.metrics.ndcg import grade_ranking
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import (
    CaseConditions,
    CaseEvaluation,
    CaseRanking,
    count_grades,
)
from pytest_relevance.results.case_result import MEASURED, PART_OF, CaseResult
from pytest_relevance.results.compare.pairing import Incomparable
from pytest_relevance.results.filled import judged_by, with_fill
from pytest_relevance.results.outcomes import kind_named
from pytest_relevance.results.records.file import BASELINE, RECORD, kind_of, read_record
from pytest_relevance.results.records.run import Compact, Run, known_ranks
from pytest_relevance.results.scoring import digest_of

if TYPE_CHECKING:
    from pytest_relevance.results.evaluate import AnyJudgments, AnyRankings

    RunSource = Run | str | os.PathLike[str] | AnyRankings
    JudgmentSource = AnyJudgments | Suite | str | os.PathLike[str]

DEFAULT_K = 10
MISSING = ("refuse", "empty")
"""What to do about a judged query whose ranking is missing: refuse to compare, or take it for an empty ranking."""


_COMPARED = frozenset(PART_OF) - {
    *(
        "node",
        "engine_scores",
        "irrelevant_top",
        "notes",
        "not_in_catalogue",
        "explanations",
    ),
    *("lower", "upper", "not_applicable", "reasons", "baseline", "error", "repeats"),
}
"""The keys of a result that are read: no errors, no reasons, no baseline of its day, and nothing of later versions."""


# --- runs -------------------------------------------------------------------------------------------------------------


class PlainRun(Run):
    """Rankings without scores, identified by queries instead of cases."""


def load_runs(
    sources: tuple[RunSource, RunSource],
    k: int,
    judgments: JudgmentSource | None,
    missing: str,
    settings: Mapping[str, Any],
    *,
    needs_judgments: bool = True,
) -> tuple[tuple[Run, Run], list[str]]:
    """Read both runs, judge them again if judgments or settings are given, and return notes about that."""
    compact = Compact()
    one = load_run(sources[0], "first", k, compact)
    two = (
        one if sources[1] is sources[0] else load_run(sources[1], "second", k, compact)
    )
    if one.name == two.name:  # main/run.jsonl and branch/run.jsonl
        for run, source in zip((one, two), sources, strict=True):
            run.name = (
                Path(source).as_posix()
                if isinstance(source, (str, os.PathLike))
                else run.name
            )
    plain = [run for run in (one, two) if isinstance(run, PlainRun)]
    if judgments is None:
        if needs_judgments and (
            names := list(dict.fromkeys(run.name for run in plain))
        ):
            have = f"{listed(names, 'and')} {'has' if len(names) == 1 else 'have'} none"
            give = "give judgments, a file of them, a case file or {query: {document: grade}}; overlap@10 needs none"
            raise Incomparable(
                [f"rankings are compared under judgments, and {have}: {give}"],
                ["no judgments"],
            )
        return (_rejudged((one, two), None, settings) if settings else (one, two)), []
    queries = judged_queries(judgments, settings)
    if plain:
        queries.learn_texts(
            result for run in (one, two) if run not in plain for result in run.results
        )
    notes = []
    if missing == "empty":
        for run in plain:
            lacking = plain_run(
                [(key, ()) for key in queries.without_ranking(run.results)], run.name, k
            )
            run.results = (*run.results, *lacking.results)
    elif plain and (unranked := queries.without_ranking([*one.results, *two.results])):
        count = counted(len(unranked), "judged query", "judged queries")
        notes.append(
            f"left out: {count} without a ranking in either run: {examples(unranked)}"
        )
    return _rejudged((one, two), queries, settings, by_key=bool(plain)), notes


def load_run(source: RunSource, name: str, k: int, compact: Compact) -> Run:
    """Make a run from a source of `compare_runs`. `name` is for rankings in Python, `k` the cutoff of plain rankings.

    Of a record it keeps what a comparison needs, as `compact` shares it.

    Raises `RecordError` or `FileError` for a file that cannot be used, ValueError for what is no ranking.
    """
    if isinstance(source, Run):
        return source
    if not isinstance(source, (str, os.PathLike)):
        from pytest_relevance.results.evaluate import check_rankings

        checked = check_rankings(source)
        return plain_run(
            zip(checked.queries, checked.lists, strict=True),
            name,
            k,
            known_ranks(source),
        )
    if kind_of(source) in (
        RECORD.kind,
        BASELINE.kind,
    ):  # a baseline is refused as no record
        found = read_record(
            source, kept=lambda result: compact(_scored(result)), only=_COMPARED
        )
        return Run(*found, name=Path(source).name)
    from pytest_relevance.judgments.reading import read_run

    return plain_run(read_run(source).items(), Path(source).name, k)


def _scored(result: CaseResult) -> CaseResult:
    """A result without missing documents, and without outcomes that do not say whether it is right to find nothing."""
    numbers = tuple(
        outcome
        for outcome in result.evaluation.outcomes
        if kind_named(outcome.kind).counts_results
    )
    return replace(
        result, evaluation=replace(result.evaluation, missing=(), outcomes=numbers)
    )


_FILLED = "judged", "top", "filled", "filled_top"
"""What an evaluation says of grades that fill what nobody has judged."""


def plain_run(
    rankings: Iterable[tuple[str, Sequence[str]]],
    name: str,
    k: int,
    cut: Container[str] = (),
) -> PlainRun:
    """Make a run of the ranking of each query. `cut`: the queries whose rankings are not whole."""
    results = []
    for query, ranking in rankings:
        returned = len(set(ranking)) + (query in cut)  # there may have been more
        found = CaseRanking(
            documents=tuple(ranking), grades=(None,) * len(ranking), returned=returned
        )
        conditions, evaluation = CaseConditions(k=k), CaseEvaluation(digest="")
        results.append(
            CaseResult(
                "",
                1,
                query,
                MEASURED,
                query,
                conditions=conditions,
                ranking=found,
                evaluation=evaluation,
            )
        )
    return PlainRun(results, name=name)


def _rejudged(
    runs: tuple[Run, Run],
    queries: JudgedQueries | None,
    settings: Mapping[str, Any],
    *,
    by_key: bool = False,
) -> tuple[Run, Run]:
    """Both runs graded by these judgments (None: their own), without scores; `settings` replace theirs.

    `by_key`: the id of a result becomes the key of its query, and its case file is dropped: two runs may name their
    queries differently. Raises `Incomparable` for a run without a judged query.
    """
    changed: dict[Settings, Settings] = {}
    found: list[Run] = []
    fills = queries is not None and any(
        query.filled for query in queries.by_key.values()
    )
    for run in runs[:1] if runs[0] is runs[1] else runs:
        results = []
        for result in run.results:
            ranking, evaluation, conditions = (
                result.ranking,
                result.evaluation,
                result.conditions,
            )
            judgments, digest, own = (
                evaluation.judgments,
                evaluation.digest,
                dict[str, Any](),
            )
            query = (
                None
                if queries is None
                else queries.find(result) or JudgedQuery(result.id, {})
            )
            if query is not None:
                judgments, digest, own = (
                    count_grades([*query.grades.values()]),
                    query.digest,
                    {**query.replaced},
                )
                own |= {"file": "", "id": query.key} if by_key else {}
            if conditions.settings not in changed:
                changed[conditions.settings] = replace(conditions.settings, **settings)
            own.setdefault("settings", changed[conditions.settings])
            conditions = replace(
                conditions,
                **{name: own.pop(name) for name in ("k", "settings") if name in own},
            )
            if conditions.settings.collapse != result.conditions.settings.collapse:
                ranking = ranking.scored_by(conditions.settings)
            if query is not None:
                ranking = replace(
                    ranking,
                    grades=tuple(grade_ranking(ranking.documents, query.grades).grades),
                )
            known = {
                "outcomes": evaluation.outcomes,
                "recorded_digest": evaluation.digest,
            }
            if query is None:  # the scores without these grades are of other settings
                known |= {name: getattr(evaluation, name) for name in _FILLED}
            evaluation = CaseEvaluation(judgments, digest=digest, **known)  # type: ignore[arg-type]
            made = replace(
                result,
                conditions=conditions,
                ranking=ranking,
                evaluation=evaluation,
                **own,
            )
            if query is not None and fills:
                people = {
                    document: grade
                    for document, grade in query.grades.items()
                    if document not in query.filled
                }
                made = with_fill(
                    judged_by(made, query.grades), query.filled, judged_by(made, people)
                )
                made = replace(made, evaluation=replace(made.evaluation, scores={}))
            results.append(made)
        if (
            queries is not None
            and results
            and not any(result.evaluation.is_judged for result in results)
        ):
            ids, judged = (
                examples(result.id for result in results),
                examples(queries.by_key) or "none",
            )
            none = f"none of the queries of {run.name} is judged"
            raise Incomparable([f"{none}: it has {ids}, the judgments have {judged}"])
        found.append(Run(results, run.files, run.info, name=run.name))
    return found[0], found[-1]


# --- judged again -----------------------------------------------------------------------------------------------------
#
# Two scores can be compared only if they come from the same judgments. Given judgments grade the rankings of both runs,
# whatever judgments they were recorded with.

CASE_FILES = (".yaml", ".yml")
"""The suffixes of case files."""


@dataclass(frozen=True)
class JudgedQuery:
    """The judgments of a query. `key` is its name among the judgments.

    `replaced` are the fields of a result that the judgments override: the text and weight of the query if their file
    has them; the cutoff, settings and tags of a case. `filled` is as in `Case`.
    """

    key: str
    grades: Mapping[str, float]
    replaced: dict[str, Any] = field(default_factory=dict)
    filled: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """The digest of the judgments, as a result has it."""
        return digest_of(self.grades)


@dataclass(frozen=True)
class JudgedQueries:
    """The queries that have judgments, by their keys, and by their texts where no other query has the same."""

    by_key: Mapping[str, JudgedQuery]
    by_text: Mapping[str, JudgedQuery]

    def find(self, result: CaseResult) -> JudgedQuery | None:
        """The judged query of a result; None where it has no judgments."""
        return self.by_key.get(result.id) or self.by_text.get(result.query)

    def without_ranking(self, results: Iterable[CaseResult]) -> list[str]:
        """The keys of the queries without a result."""
        ranked = {query.key for query in map(self.find, results) if query is not None}
        return [key for key in self.by_key if key not in ranked]

    def learn_texts(self, results: Iterable[CaseResult]) -> None:
        """Copy the texts of queries from results, where the judgments do not have them."""
        for result in results:
            query = self.find(result)
            if query is not None:
                query.replaced.setdefault("query", result.query)


def judged_queries(
    judgments: JudgmentSource, settings: Mapping[str, object]
) -> JudgedQueries:
    """The queries of judgments in any form. `settings` are those that the user gave.

    Raises ValueError where a case file, which has settings of its own, comes with others; `CaseFileError` or
    `FileError` for a file that cannot be used.
    """
    if isinstance(judgments, (str, os.PathLike)):
        if Path(judgments).suffix in CASE_FILES:
            from pytest_relevance.cases.reader import read_suite

            judgments = read_suite(judgments)
        else:
            from pytest_relevance.judgments.reading import read_judgments

            judgments = read_judgments(judgments)
    if not isinstance(judgments, Suite):
        return _judgments_by_query(judgments)
    if settings:
        raise ValueError(
            f"{judgments.path} has settings of its own: leave out {', '.join(settings)}"
        )
    return _cases_by_query(judgments)


def _judgments_by_query(judgments: AnyJudgments) -> JudgedQueries:
    """Judgments by query; judgments of a file come with the texts and weights of its queries, if it has them."""
    from pytest_relevance.judgments.model import Judgments
    from pytest_relevance.results.evaluate import check_judgments

    checked = check_judgments(judgments)
    described = judgments.queries if isinstance(judgments, Judgments) else {}
    by_key: dict[str, JudgedQuery] = {}
    by_text: dict[str, JudgedQuery] = {}
    for key, grades in zip(checked.queries, checked.tables, strict=True):
        query = by_key[key] = JudgedQuery(key, grades)
        if key in described:
            query.replaced["weight"] = described[key].weight
            if (text := described[key].text) is not None:
                query.replaced["query"] = text
                by_text.setdefault(text, query)
    return JudgedQueries(by_key, by_text | by_key)


def _cases_by_query(suite: Suite) -> JudgedQueries:
    """The cases of a case file by id, and by query where no other case has the same."""
    by_key = {}
    for case in suite.cases:
        known = {
            "query": case.query,
            "weight": case.weight,
            "k": case.k,
            "settings": case.settings,
            "tags": case.tags,
        }
        by_key[case.id] = JudgedQuery(case.id, case.judgments, known, case.filled)
    times = Counter(case.query for case in suite.cases)
    return JudgedQueries(
        by_key,
        {case.query: by_key[case.id] for case in suite.cases if times[case.query] == 1},
    )
