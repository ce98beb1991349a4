"""Convert a recorded result to what the search of a case would return now.

The depth of the case, its expectations and `collapse` may have changed since the run. A
record keeps a ranking only as deep as the case looked in the run. If the case looks
deeper now, it cannot be judged (`NotInRecord`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_relevance._text import counted, quoted
from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.ndcg import without_copies
from pytest_relevance.plugin.running.case_run import Searched
from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.recorded_passages import (
    UnknownPassages,
    keys_of_result,
    with_recorded_passages,
)
from pytest_relevance.results.responses.ranking import Ranking, Rest, collapsed


class NotInRecord(Exception):
    """Says what a case needs that a record lacks, and what to do."""


HOW_TO_RECORD = "make the record again where the index is (--relevance-record)"
"""The end of a message about something that a record lacks."""


@dataclass(frozen=True, slots=True)
class RecordedSearch:
    """The search of a case, as a record has it.

    `result`: the recorded result, which has a ranking.
    `record`: the name of the record in messages.
    """

    result: CaseResult
    record: str

    def searched(self, case: Case) -> Searched:
        """Return what the search would return for a case of today.

        Raises `NotInRecord` if the record does not have all that the case looks at.
        """
        self._check_latency(case)
        ranking = self.ranking(case)
        call = self.result.call
        is_default = self.result.ranking.is_default_k
        return Searched(
            rankings=[(ranking, call.latency)],
            asked=case.depth if self._requested else None,
            concurrency=call.concurrency,
            is_shared=call.latency_shared,
            is_recorded=True,
            default_k=ranking.returned if is_default else None,
        )

    def ranking(self, case: Case) -> Ranking:
        """Return the recorded ranking, as deep as the search would return it now.

        Raises `NotInRecord` if the record does not have all that the case looks at.
        """
        top = self.result.ranking.uncollapsed
        if self._obeys_k:
            self._check_requested(case)
            top = top[: case.depth]
        else:
            self._check_kept(case)
        ranking = Ranking(
            ids=top,
            titles=self._titles(top),
            scores=self._scores()[: len(top)],
            sort_values=self._sort_values()[: len(top)],
            response=self._response(case),
            rest=self._rest(case, top),
        )
        if case.settings.collapse:
            ranking = collapsed(ranking, {})
        return self._with_passages(ranking, case)

    @property
    def _requested(self) -> int:
        """How many results were requested as `k`; 0 if the search takes no `k`."""
        return self.result.conditions.asked or 0

    @property
    def _obeys_k(self) -> bool:
        """Whether the search takes `k`, and returned no more results than that."""
        requested = self._requested
        return requested > 0 and self.result.ranking.length <= requested

    def _check_requested(self, case: Case) -> None:
        """Raise `NotInRecord` if the search would return more results now.

        The search obeys `k`. It may have more results if it returned all that were
        requested.
        """
        requested = self._requested
        if self.result.ranking.length == requested < case.depth:
            raise NotInRecord(
                f"the case looks at {case.depth} results, and {self.record} has the "
                f"first {requested}: look no deeper, or {HOW_TO_RECORD}"
            )

    def _check_kept(self, case: Case) -> None:
        """Raise `NotInRecord` if results that were not kept could change a score."""
        recorded = self.result.ranking
        kept = recorded.uncollapsed
        if len(kept) == recorded.length:
            return
        ranks = len(without_copies(kept)) if case.settings.collapse else len(kept)
        if case.depth <= ranks and not case.looks_at_all:
            return
        looks_at = counted(case.depth, "result")
        if case.looks_at_all:
            looks_at = "the whole ranking"
        raise NotInRecord(
            f"the case looks at {looks_at}, and {self.record} has kept the first {ranks} "
            f"of {counted(recorded.length, 'result')}: look no deeper, or "
            f"{HOW_TO_RECORD}"
        )

    def _check_latency(self, case: Case) -> None:
        """Raise `NotInRecord` if the case needs a latency that the record lacks.

        The time that a search takes beside others, or its share of a batch, says
        nothing of the time that it takes alone.
        """
        call = self.result.call
        is_alone = not call.latency_shared and call.concurrency == 1
        if call.latency is not None and is_alone:
            return
        for expected in case.expect:
            if EXPECTATIONS.get_or_unknown(expected.kind).needs_latency:
                raise NotInRecord(
                    f"{expected.written}: {self.record} has no latency of this search "
                    f"called alone: {HOW_TO_RECORD}, with --relevance-concurrency=1"
                )

    def _with_passages(self, ranking: Ranking, case: Case) -> Ranking:
        """Return a ranking with the passages of a case that the record has found in it.

        Raises `NotInRecord` if the record does not know which results hold the passages
        of the case.
        """
        if not case.reads_texts:
            if keys_of_result(self.result):
                raise NotInRecord(
                    f"in {self.record} the case looks for passages, and now it judges "
                    f"ids: {HOW_TO_RECORD}"
                )
            return ranking
        try:
            return with_recorded_passages(
                ranking,
                self.result,
                case.sought_passages,
                collapses=case.settings.collapse,
                depth=case.depth,
            )
        except UnknownPassages as error:
            raise NotInRecord(f"{self.record}: {error}: {HOW_TO_RECORD}") from None

    def _response(self, case: Case) -> dict[str, Any]:
        """Return {path: value} of the recorded response, for the paths of the case.

        Raises `NotInRecord` if the record does not have the value at a path.
        """
        kept = self.result.ranking.response
        values = {}
        for condition in case.response_conditions:
            path = condition.path
            if path not in kept:
                raise NotInRecord(
                    f"the case looks at {quoted(path)} of the response, which "
                    f"{self.record} does not have: {HOW_TO_RECORD}"
                )
            values[path] = kept[path]
        return values

    def _titles(self, documents: Sequence[str]) -> Sequence[str | None]:
        """Return the recorded title of each document; () if no title is recorded."""
        titles = self.result.texts.titles
        found = [titles.get(document) for document in documents]
        return found if any(found) else ()

    def _scores(self) -> Sequence[float | None]:
        """Return the score of each result; () if the record has no scores.

        The score of a chunk that `collapse` left out is None, because a record does not
        keep it.
        """
        ranking = self.result.ranking
        has_left_out = len(ranking.documents) < len(ranking.uncollapsed)
        if not ranking.engine_scores or not has_left_out:
            return ranking.engine_scores
        scores = dict(zip(ranking.documents, ranking.engine_scores, strict=True))
        found: list[float | None] = []
        for document in ranking.uncollapsed:
            found.append(scores.pop(document, None))
        return found

    def _sort_values(self) -> Sequence[int]:
        """Return a number for each result; equal numbers stand for equal sort values.

        The order of two results with the same score and the same number is chance. ()
        if the search had no second sort value, or if `collapse` left out chunks.
        """
        ranking = self.result.ranking
        if not ranking.untied or len(ranking.documents) < len(ranking.uncollapsed):
            return ()
        values = []
        number = 0
        for index in range(len(ranking.documents)):
            if index in ranking.untied:
                number += 1
            values.append(number)
        return values

    def _rest(self, case: Case, top: Sequence[str]) -> Rest:
        """Return what is known of the results below the first ones.

        All results of the recorded search are counted, even if the case looks less deep
        now: the count shows whether the search ignores `k`. The recorded ranks are kept
        only if `collapse` has not changed.

        `top`: the first results, which are in the ranking.
        """
        recorded = self.result.ranking
        below = recorded.length - len(top)
        # if texts count, results with one id are different results
        documents = below if case.reads_texts else recorded.returned - len({*top})
        is_alike = self.result.conditions.settings.collapse == case.settings.collapse
        return Rest(
            documents=documents,
            copies=below - documents,
            ranks=recorded.deeper if is_alike else {},
            is_unasked=self._obeys_k,  # the search would not return them for this case
        )
