"""Define `CaseResult`: the result of one case in one variant of its search.

Every report, gate and record is made from such results. A result is made once, in the
process that ran the case. `codec` turns it into JSON values, for records and for other
processes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import mul
from typing import Any, TypeVar

from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import build_metric
from pytest_relevance.metrics.ndcg import (
    GradedRanking,
    grade_passages,
    repeated_indexes,
)
from pytest_relevance.results import case_parts as parts
from pytest_relevance.results.case_parts import EMPTY, empty

PASSED = "passed"
FAILED = "failed"
INCONCLUSIVE = "inconclusive"
MEASURED = "measured"
ERROR = "error"
NOT_SEARCHED = "not searched"
SKIPPED = "skipped"

VERDICTS = (PASSED, FAILED, INCONCLUSIVE, MEASURED, ERROR, NOT_SEARCHED, SKIPPED)
"""The verdicts of a case.

- `MEASURED`: it has neither a floor nor an expectation.
- `NOT_SEARCHED`: its search was not called, as it had failed in too many cases before.
- `SKIPPED`: it was not to run.
"""

WITHOUT_SCORE = (ERROR, NOT_SEARCHED)
"""The verdicts of a case that was to be scored and has no score."""

_UNMET = (FAILED, INCONCLUSIVE, *WITHOUT_SCORE)

XFAILED, XPASSED = "xfailed", "xpassed"

OUTCOMES = (*VERDICTS, XFAILED, XPASSED)
"""pytest's outcomes of a case; a case without one has its verdict as the outcome."""

CHECK = "relevance.check"
"""The name of the search of a result whose ranking a test in Python gave."""

Group = TypeVar("Group", bound=Hashable)
Item = TypeVar("Item")

Key = tuple[str, str, str | None]
"""Case file, id, variant: the key of a result in its run."""


@lru_cache
def ndcg_at(k: int) -> Metric:
    """Return the metric nDCG@k."""
    return Metric(f"nDCG@{k}", "nDCG", k)


@lru_cache
def rr_at(k: int) -> Metric:
    """Return the metric RR@k, by which known items are scored."""
    return build_metric("RR", k)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of one case in one variant of its search.

    Attributes:
        file: the case file.
        line: the line of the case, from 1, in `file` or in the file of queries that the
            case comes from (`origin.source`).
        id: the id of the case.
        verdict: one of `VERDICTS`.
        query: what was searched for.
        node: pytest's node id.
        search: the fixture that was called.
        variant: the variant of the search; None if it has none.
        tags: the tags of the case.
        weight: the weight of the case in means, above 0.
        is_sampled: whether its query is from a file with the key `sample`. Its weight
            is then that of the sample.
        params: the keyword arguments of the search, without the query.
        note: the note of the case.
        origin: where the case comes from.
        conditions: how the ranking was asked for, and how it is scored.
        ranking: what the search returned.
        texts: what is known of documents.
        evaluation: the ranking under the judgments and expectations of the case.
        baseline: the comparison with the reference; None if there is none.
        call: the calls of the search.
        is_known_item: whether the query is a title of a catalogue, and its documents
            are looked for. Nothing is known of other results.
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
    params: Mapping[str, Any] = field(default_factory=empty)
    note: str = ""
    origin: parts.CaseOrigin = parts.CaseOrigin()
    conditions: parts.CaseConditions = parts.CaseConditions()
    ranking: parts.CaseRanking = parts.CaseRanking()
    texts: parts.DocumentTexts = parts.DocumentTexts()
    evaluation: parts.CaseEvaluation = parts.CaseEvaluation()
    baseline: parts.BaselineComparison | None = None
    call: parts.CaseCall = parts.CaseCall()
    is_sampled: bool = False
    is_known_item: bool = False

    @property
    def key(self) -> Key:
        """Return the file, the id and the variant: the key of the result in its run."""
        return self.file, self.id, self.variant

    @property
    def is_check(self) -> bool:
        """Say whether the ranking comes from a test in Python, not from a case file."""
        return self.search == CHECK

    @property
    def outcome(self) -> str:
        """Return the outcome of the case in pytest, if known; else its verdict."""
        return self.call.outcome or self.verdict

    @property
    def metric(self) -> Metric:
        """Return the metric of `score`: nDCG@k, and RR@k of a known item."""
        k = self.conditions.k
        return rr_at(k) if self.is_known_item else ndcg_at(k)

    @property
    def score(self) -> float | None:
        """Return nDCG@k; None if it is not defined, or the case has no ranking.

        The score of a known item is RR@k.
        """
        return self.evaluation.scores.get(self.metric.text)

    @property
    def found_item(self) -> tuple[str, int] | None:
        """Return the first document of a known item that was returned, and its rank.

        The rank counts from 1. None if none of its documents was returned.
        """
        pairs = zip(self.ranking.documents, self.ranking.grades, strict=False)
        for rank, (document, grade) in enumerate(pairs, start=1):
            if grade is not None:
                return document, rank
        below = []
        for document, _ in self.evaluation.missing:
            if document in self.ranking.deeper:
                below.append((self.ranking.deeper[document], document))
        if not below:
            return None
        rank, document = min(below)
        return document, rank

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """Return the lowest and the highest score that unjudged results allow.

        Both are the score if unjudged results cannot change it, and for a known item.
        Both are None if the score is not defined.
        """
        lower, upper = self.evaluation.lower, self.evaluation.upper
        if lower is None or upper is None:
            return self.score, self.score
        return lower, upper

    @property
    def depends_on_ties(self) -> bool:
        """Say whether the floor is met in one order of equal scores, but not in all."""
        least, greatest = self.evaluation.ties_lower, self.evaluation.ties_upper
        floor = self.conditions.floor
        if least is None or greatest is None or floor is None:
            return False
        return least < floor <= greatest

    @property
    def change(self) -> float:
        """Return by how much the score rose since the baseline; below 0 if it fell.

        0 if either score is not defined.
        """
        before = None if self.baseline is None else self.baseline.score
        now = self.score
        return 0.0 if before is None or now is None else now - before

    @property
    def weight_of_change(self) -> float:
        """Return the weight of the case in a comparison with the reference.

        It is the weight in the sample of the reference, if only the reference is one.
        """
        if self.baseline is None or self.baseline.weight is None:
            return self.weight
        return self.baseline.weight

    @property
    def place(self) -> str:
        """Return `file:line` of the case; in its file of queries if it has one."""
        return f"{self.origin.source or self.file}:{self.line}"

    @property
    def status(self) -> str:
        """Return the status under which a summary counts the case.

        Usually that is pytest's outcome. Without an outcome it is the verdict. The
        verdicts error, not searched and inconclusive count instead of the outcomes
        passed and failed, and measured counts instead of passed.
        """
        verdict, outcome = self.verdict, self.call.outcome
        if not outcome:
            return verdict
        if outcome in (XFAILED, XPASSED):
            return outcome
        if verdict == SKIPPED or (verdict in WITHOUT_SCORE and outcome == SKIPPED):
            return SKIPPED
        if verdict in (*WITHOUT_SCORE, INCONCLUSIVE):
            return verdict
        if verdict == MEASURED and outcome == PASSED:
            return MEASURED
        return outcome

    @property
    def is_known(self) -> bool:
        """Say whether the case was expected to fail, because it failed before.

        False without `--relevance-known=xfail`.
        """
        is_known = self.baseline is not None and self.baseline.known
        return is_known and self.status == XFAILED

    @property
    def is_cut(self) -> bool:
        """Say whether the ranking may go on below its last result.

        Then metrics of the whole ranking have no value. False if the case file sets a
        depth, because then the ranking ends there.
        """
        return self.ranking.reaches_depth and not self.conditions.is_depth_set

    @property
    def graded(self) -> GradedRanking:
        """Return the ranking as metrics score it, as deep as the result keeps it."""
        if self.evaluation.passages:
            grades = [passage.grade for passage in self.evaluation.passages]
            return grade_passages(self.ranking.held, grades, self.ranking.lengths)
        judged: list[float] = []
        for grade, count in self.evaluation.judgments.items():
            judged += [grade] * count
        repeated = repeated_indexes(self.ranking.documents)
        return GradedRanking([*self.ranking.grades], repeated, judged)

    @property
    def unjudged(self) -> list[str]:
        """Return the documents in the top k without a judgment, each once, in order.

        Empty if the case has passages, or is a known item: then no result is unjudged.
        """
        if self.evaluation.passages or self.is_known_item:
            return []
        documents, grades = self.ranking.documents, self.ranking.grades
        graded = set()
        for document, grade in zip(documents, grades, strict=False):
            if grade is not None:
                graded.add(document)
        top = dict.fromkeys(documents[: min(self.conditions.k, len(grades))])
        return [document for document in top if document not in graded]

    @property
    def returns_nothing_judged(self) -> bool:
        """Say whether there are judgments, but none for a returned document."""
        evaluation, ranking = self.evaluation, self.ranking
        if not evaluation.judgments or not ranking.documents:
            return False
        if any(grade is not None for grade in ranking.grades):
            return False
        missing = {document for document, _ in evaluation.missing}
        return missing.isdisjoint(ranking.deeper)

    @property
    def ids_seem_mismatched(self) -> bool:
        """Say whether judgments and results seem to have ids of different kinds.

        True if no returned document has a judgment. Usually the id field is wrong then.
        But False if the accepted ranking has a judged document, and shares a document
        with the present one: then the ids are right.
        """
        if not self.returns_nothing_judged:
            return False
        accepted = self.baseline
        if accepted is None or all(grade is None for grade in accepted.grades):
            return True
        return set(self.ranking.documents).isdisjoint(accepted.documents)

    @property
    def named(self) -> Sequence[str]:
        """Return the documents that a report may name, each once.

        They were returned, are missing, stand in the accepted ranking, or are expected.
        """
        return list(dict.fromkeys([*self.named_within(None), *self.ranking.deeper]))

    def named_within(self, top: int | None) -> Sequence[str]:
        """Return the documents of `named`, with only the first `top` of each ranking.

        Ranks below the kept ranking are left out. `top`: None for whole rankings.
        """
        named = [*self.ranking.documents[:top]]
        named += [document for document, _ in self.evaluation.missing]
        if self.baseline is not None:
            named += self.baseline.documents[:top]
        for outcome in self.evaluation.outcomes:
            named += outcome.documents
        if self.call.repeats is not None:
            named += [document for document in self.call.repeats.documents if document]
        return list(dict.fromkeys(named))

    def with_titles(
        self,
        titles: Mapping[str, str],
        shown: Mapping[str, Mapping[str, str]] = EMPTY,
        *,
        replaces: bool = True,
    ) -> CaseResult:
        """Return the result with titles and shown fields of the documents in `named`.

        `titles`, `shown`: as in `DocumentTexts`. They may have other documents, too.
        `replaces`: whether new titles replace the titles in the result.
        """
        all_titles, all_shown = {**self.texts.titles}, {**self.texts.shown}
        for document in self.named:
            if document in titles and (replaces or document not in all_titles):
                all_titles[document] = titles[document]
            if document in shown:
                all_shown[document] = shown[document]
        return self.with_texts(titles=all_titles, shown=all_shown)

    def with_baseline(
        self,
        baseline: parts.BaselineComparison,
        verdict: str,
        reasons: Sequence[parts.Outcome],
    ) -> CaseResult:
        """Return the result with this comparison, verdict and reasons."""
        evaluation = self.evaluation
        if reasons is not evaluation.reasons:
            evaluation = replace(evaluation, reasons=reasons)
        return replace(self, verdict=verdict, evaluation=evaluation, baseline=baseline)

    def without_texts_of_results(self) -> CaseResult:
        """Return the result without the texts in its rankings."""
        result = self
        if result.baseline is not None and result.baseline.texts:
            result = replace(result, baseline=replace(result.baseline, texts=()))
        if result.ranking.texts:
            ranking = replace(result.ranking, texts=(), fields_of_texts=parts.EMPTY)
            result = replace(result, ranking=ranking)
        return result

    def with_texts(self, **changes: Any) -> CaseResult:
        """Return the result with some fields of `texts` replaced."""
        return replace(self, texts=replace(self.texts, **changes))


def has_failed(result: CaseResult) -> bool:
    """Say whether pytest reports the case as failed.

    True if it failed, ended in an error, was not searched, or is inconclusive.
    """
    return result.status in _UNMET and result.call.outcome not in (SKIPPED, PASSED)


def variants_in_order(results: Iterable[CaseResult]) -> list[tuple[str, str | None]]:
    """Return (search, variant or None) of all results, each pair once.

    Variants are in the order in which the parameters of their fixture are written.
    """
    index_of: dict[tuple[str, str | None], int] = {}
    for result in results:
        variant, index = (result.search, result.variant), result.origin.variant_index
        index_of[variant] = min(index, index_of.get(variant, index))
    return sorted(index_of, key=lambda variant: (index_of[variant], str(variant)))


def search_of(result: CaseResult) -> tuple[str, str, str | None]:
    """Return (name, folder, variant) of the search of a result.

    The folder defines the search. Several folders may have searches of one name.
    """
    return result.search, result.origin.search_folder, result.variant


def of_case_files(results: Iterable[CaseResult]) -> list[CaseResult]:
    """Return the results of cases, without the checks of tests in Python.

    Checks have no search, so they are not compared, and no reference has them.
    """
    return [result for result in results if not result.is_check]


def grouped(
    items: Iterable[Item], key: Callable[[Item], Group]
) -> dict[Group, list[Item]]:
    """Return {key: items with this key}; keys and items stay in their order."""
    groups: dict[Group, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the nearest-rank percentile of values, which need not be sorted.

    `percent`: from 0, for the least value, to 100. Raises IndexError if there are no
        values.
    """
    rank = (percent * len(values) + 99) // 100  # divided by 100 and rounded up
    return sorted(values)[max(rank, 1) - 1]


def values_needed(percent: int) -> int:
    """Return how many values a percentile needs: 20 for 95 percent.

    With fewer than 20, the 95th percentile is always the greatest value.
    """
    return math.ceil(100 / (100 - percent))


def scored_alike(results: Iterable[CaseResult]) -> list[CaseResult]:
    """Return the results whose scores can be averaged.

    Known items are scored by RR@k, and other cases by nDCG@k. So known items are left
    out if there are other cases.
    """
    results = list(results)
    judged = [result for result in results if not result.is_known_item]
    return judged or results


def has_sampled(results: Iterable[CaseResult]) -> bool:
    """Say whether the weights of some results are those of a sample."""
    return any(result.is_sampled for result in results)


def weighted_mean(scored: Iterable[tuple[float, float]]) -> float:
    """Return the weighted mean of (score, weight) pairs.

    Raises ValueError if there are none.
    """
    scores, weights = zip(*scored, strict=True)
    return math.fsum(map(mul, scores, weights)) / math.fsum(weights)
