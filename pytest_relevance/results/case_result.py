"""`CaseResult`: the result of one case in one search variant. Every report, gate and
record is made from these.

A result is made once, where the case ran. `codec` makes JSON values of it for records
and for other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from math import fsum
from operator import mul
from typing import Any, TypeVar

from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.ndcg import GradedRanking, repeated_indexes
from pytest_relevance.results import case_parts as parts
from pytest_relevance.results.case_parts import EMPTY

VERDICTS = PASSED, FAILED, INCONCLUSIVE, MEASURED, ERROR, NOT_SEARCHED, SKIPPED = (
    *(
        "passed",
        "failed",
        "inconclusive",
        "measured",
        "error",
        "not searched",
        "skipped",
    ),
)
"""The verdicts of a case. `measured`: it has neither floor nor expectation;
`not searched`: its search was not called, as it had failed in too many cases before;
`skipped`: it was not to run.
"""

WITHOUT_SCORE = (ERROR, NOT_SEARCHED)
"""The verdicts of a case that was to be scored and has no score."""

_UNMET = (FAILED, INCONCLUSIVE, *WITHOUT_SCORE)

XFAILED = "xfailed"

OUTCOMES = (*VERDICTS, XFAILED, "xpassed")
"""pytest's outcomes of a case; a case without one has its verdict as the outcome."""

CHECK = "relevance.check"
"""The name of the search of a result whose ranking a test in Python gave."""

Group = TypeVar("Group", bound=Hashable)
Item = TypeVar("Item")

Key = tuple[str, str, str | None]
"""Case file, id, variant: the key of a result in its run."""


@lru_cache
def ndcg_at(k: int) -> Metric:
    """The metric nDCG@k."""
    return Metric(f"nDCG@{k}", "nDCG", k)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of one case in one variant of its search: the identity of the case,
    and parts.

    `line` counts from 1 in `file`, or in the file of queries that the case comes from
    (`origin.source`). `verdict` is one of `VERDICTS`. `node` is pytest's node id,
    `search` the fixture that was called. `weight` (above 0) is the case's weight in
    means, `params` are the keyword arguments of the search other than the query.
    `baseline` is None where there is none.
    """

    file: str
    line: int
    id: str
    verdict: str
    query: str
    node: str = ""
    search: str = "search"
    variant: str | None = None
    tags: Sequence[str] = ()
    weight: float = 1
    params: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    origin: parts.CaseOrigin = parts.CaseOrigin()
    conditions: parts.CaseConditions = parts.CaseConditions()
    ranking: parts.CaseRanking = parts.CaseRanking()
    texts: parts.DocumentTexts = parts.DocumentTexts()
    evaluation: parts.CaseEvaluation = parts.CaseEvaluation()
    baseline: parts.BaselineComparison | None = None
    call: parts.CaseCall = parts.CaseCall()

    @property
    def key(self) -> Key:
        """The key of the result in its run."""
        return self.file, self.id, self.variant

    @property
    def is_check(self) -> bool:
        """Whether a test in Python gave the ranking."""
        return self.search == CHECK

    @property
    def outcome(self) -> str:
        """The outcome of the case in pytest: the verdict, unless `call` has another."""
        return self.call.outcome or self.verdict

    @property
    def metric(self) -> Metric:
        """nDCG@k."""
        return ndcg_at(self.conditions.k)

    @property
    def score(self) -> float | None:
        """nDCG@k, None where it is not defined or there is none."""
        return self.evaluation.scores.get(ndcg_at(self.conditions.k).text)

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """The least and the greatest nDCG@k that the unjudged results leave open; None
        where it is not defined.
        """
        lower, upper = self.evaluation.lower, self.evaluation.upper
        return (
            (self.score, self.score)
            if lower is None or upper is None
            else (lower, upper)
        )

    @property
    def change(self) -> float:
        """How much nDCG@k rose (fell: below 0) since the baseline; 0 where either is
        not defined.
        """
        before, score = (
            None if self.baseline is None else self.baseline.score,
            self.score,
        )
        return 0.0 if before is None or score is None else score - before

    @property
    def place(self) -> str:
        """`file:line` of the case, in the file of queries that it comes from."""
        return f"{self.origin.source or self.file}:{self.line}"

    @property
    def status(self) -> str:
        """The status that a summary counts the case under."""
        verdict, outcome = self.verdict, self.call.outcome
        if not outcome or outcome in (XFAILED, "xpassed"):
            return outcome or verdict
        if verdict == SKIPPED or (verdict in WITHOUT_SCORE and outcome == SKIPPED):
            return SKIPPED
        if verdict in (*WITHOUT_SCORE, INCONCLUSIVE):
            return verdict
        return verdict if outcome == PASSED and verdict == MEASURED else outcome

    @property
    def is_known(self) -> bool:
        """Whether the case failed before, and so was expected to fail
        (`--relevance-known=xfail`).
        """
        return (
            self.baseline is not None and self.baseline.known and self.status == XFAILED
        )

    @property
    def is_cut(self) -> bool:
        """Whether metrics of the whole ranking have no value: it may go on, and no
        depth was set.
        """
        return self.ranking.reaches_depth and not self.conditions.is_depth_set

    @property
    def graded(self) -> GradedRanking:
        """The ranking as the metrics take it, as deep as it was kept."""
        judged = [
            grade
            for grade, count in self.evaluation.judgments.items()
            for _ in range(count)
        ]
        return GradedRanking(
            [*self.ranking.grades], repeated_indexes(self.ranking.documents), judged
        )

    @property
    def unjudged(self) -> list[str]:
        """The different documents in the top k without a judgment, best first."""
        documents, grades = self.ranking.documents, self.ranking.grades
        top = grades[: self.conditions.k]
        ungraded = [
            document
            for document, grade in zip(documents, top, strict=False)
            if grade is None
        ]
        if not ungraded or len({*documents}) == len(documents):
            return ungraded
        graded = {
            document
            for document, grade in zip(documents, grades, strict=True)
            if grade is not None
        }
        return [
            document for document in dict.fromkeys(ungraded) if document not in graded
        ]

    @property
    def returns_unjudged(self) -> bool:
        """Whether there are judgments, but none for a returned document."""
        found, ranking = self.evaluation, self.ranking
        are_unjudged = bool(found.judgments and ranking.documents) and all(
            grade is None for grade in ranking.grades
        )
        return are_unjudged and all(
            document not in ranking.deeper for document, _ in found.missing
        )

    @property
    def is_unjudged(self) -> bool:
        """Whether there are judgments, but none for a returned document: usually the id
        field is wrong.

        A result that the accepted ranking has too shows that both have one kind of id.
        If that ranking has a judged document, the ids are right.
        """
        if not self.returns_unjudged:
            return False
        if self.baseline is None or all(
            grade is None for grade in self.baseline.grades
        ):
            return True
        return set(self.ranking.documents).isdisjoint(self.baseline.documents)

    @property
    def named(self) -> Sequence[str]:
        """The documents that a report may name, each once: returned, missing, accepted
        by the baseline, expected.
        """
        return list(dict.fromkeys([*self.named_within(None), *self.ranking.deeper]))

    def named_within(self, top: int | None) -> Sequence[str]:
        """The documents of `named`, with only the first `top` of each ranking (None:
        all kept documents).
        """
        accepted = () if self.baseline is None else self.baseline.documents
        expected = (
            document
            for outcome in self.evaluation.outcomes
            for document in outcome.documents
        )
        repeated = (
            ()
            if self.call.repeats is None
            else filter(None, self.call.repeats.documents)
        )
        missing = (document for document, _ in self.evaluation.missing)
        return list(
            dict.fromkeys(
                chain(
                    self.ranking.documents[:top],
                    missing,
                    accepted[:top],
                    expected,
                    repeated,
                )
            )
        )

    def with_titles(
        self,
        titles: Mapping[str, str],
        shown: Mapping[str, Mapping[str, str]] = EMPTY,
        *,
        replace: bool = True,
    ) -> CaseResult:
        """The result with titles, and fields to show, of the documents in `named`.

        Without `replace` the titles that it has stay.
        """
        named, texts = self.named, self.texts
        found = {document: titles[document] for document in named if document in titles}
        return self.with_texts(
            titles={**texts.titles, **found} if replace else {**found, **texts.titles},
            shown={
                **texts.shown,
                **{
                    document: shown[document] for document in named if document in shown
                },
            },
        )

    def with_baseline(
        self,
        baseline: parts.BaselineComparison,
        verdict: str,
        reasons: Sequence[parts.Outcome],
    ) -> CaseResult:
        """The result compared with a baseline, with the verdict and the reasons that
        follow.
        """
        evaluation = self.evaluation
        if reasons is not evaluation.reasons:
            evaluation = replace(evaluation, reasons=reasons)
        return replace(self, verdict=verdict, evaluation=evaluation, baseline=baseline)

    def with_texts(self, **changes: Any) -> CaseResult:
        """The result with some fields of its `texts` changed."""
        return replace(self, texts=replace(self.texts, **changes))


def has_failed(result: CaseResult) -> bool:
    """Whether pytest reports the case as failed: it failed, ended in an error, was not
    searched or is inconclusive.
    """
    return result.status in _UNMET and result.call.outcome not in (SKIPPED, PASSED)


def variants_in_order(results: Iterable[CaseResult]) -> list[tuple[str, str | None]]:
    """The search and the variant of all results, each once: the first parameter of a
    fixture first, as written.
    """
    first: dict[tuple[str, str | None], int] = {}
    for search, variant, index in {
        (result.search, result.variant, result.origin.variant_index)
        for result in results
    }:
        first[search, variant] = min(first.get((search, variant), index), index)
    return sorted(first, key=lambda key: (first[key], str(key)))


def search_of(result: CaseResult) -> tuple[str, str, str | None]:
    """The search of a result: its name, the folder that defines it, and the variant.

    Folders may define searches of one name.
    """
    return result.search, result.origin.search_folder, result.variant


def grouped(
    items: Iterable[Item], key: Callable[[Item], Group]
) -> dict[Group, list[Item]]:
    """Group results, pairs or changes of these by a key, in their order."""
    groups: dict[Group, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def percentile(values: Sequence[float], percent: int) -> float:
    """The nearest-rank percentile, from 1 to 100 percent. Raises IndexError where there
    are no values.
    """
    return sorted(values)[-(-percent * len(values) // 100) - 1]


def weighted_mean(scored: Iterable[tuple[float, float]]) -> float:
    """The weighted mean of (score, weight) pairs. Raises ValueError where there are
    none.
    """
    scores, weights = zip(*scored, strict=True)
    return fsum(map(mul, scores, weights)) / fsum(weights)
