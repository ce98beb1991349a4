"""Define the entry of a case and variant in a reference, with the accepted ranking.

The entries of a case file come from its baseline (`baseline_file`) or from the record
of another run (`recorded_rankings`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_relevance.cases.expectation import SIMILARITY
from pytest_relevance.codec import encode
from pytest_relevance.metrics.names import is_similarity
from pytest_relevance.metrics.ndcg import without_copies
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_parts import (
    DROP,
    EMPTY,
    STALE_ENTRY,
    CaseCall,
    Outcome,
    empty,
)
from pytest_relevance.results.case_result import FAILED, MEASURED, CaseResult
from pytest_relevance.results.outcomes import KEPT
from pytest_relevance.results.recorded_passages import keys_of_result
from pytest_relevance.results.records.demands import (
    CaseDemands,
    FileDemands,
    own_demands,
)
from pytest_relevance.results.records.fingerprint import Fingerprint, common
from pytest_relevance.results.records.json_lines import as_json
from pytest_relevance.results.records.run_info import AcceptedCase

EntryKey = tuple[str, str | None]
"""The key of an entry in its file: the id of the case, the variant of its search."""

NOT_RETURNED = math.inf
"""The rank of a document that was not returned."""

_DECIMALS = 6
"""The decimals of recorded scores.

The last digits differ between machines. They would clutter a diff.
"""


def has_main_score(scores: Mapping[str, float | None]) -> bool:
    """Say whether scores have nDCG@k, or RR@k, which is the score of a known item."""
    for name, score in scores.items():
        if name.startswith(("nDCG@", "RR@")) and score is not None:
            return True
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineEntry:
    """The accepted ranking of a case in one variant, and how it was made.

    `depth`: how many ranks the case looked at.
    `documents`: the ranking. If not `whole`, the ranking ends at `depth`. With
    `collapse` it has chunks as they were returned, and as many as `depth` documents
    need.
    `scores`: the scores on the day of acceptance, for readers of a diff. A comparison
    scores the ranking again.
    `whole`: whether the ranking is all that was returned.
    `reaches_depth`: whether the ranking is whole, has as many results as were asked
    for, and no depth was set, so that there may have been more results.
    `outcomes`: the outcomes of expectations that the ranking alone does not decide,
    for example on the fields of documents.
    `collapse`: whether the case collapsed chunks.
    `is_all`: whether the search had no more chunks than `documents`.
    `deeper`: {document: its rank}, for documents below the kept ranking that a missed
    expectation names; None if the document was not returned.
    `digest`: a digest of the judgments; "" if it is not known. Then `weight`, `tags`
    and `missed` are not known either.
    `missed`: whether the case missed a floor or an expectation; None if the case has no
    floor, no expectation and no score.
    `call`: how the search was called. Only entries from a record have it.
    `demands`: what the test demanded of the case; None if that is not known.
    `is_sampled`: whether its query was drawn, so that `weight` is that of a sample.

    If the case has or excludes passages:

    `passages`: the keys of the passages that were looked for.
    `held`: for each result the indexes (from 0) of those that it held. With `collapse`
    it has an entry for each document, and none for further chunks.
    `lengths`: the number of characters of each of these results. Empty if the case has
    no passages, and only excludes some.
    `texts`, `fields_of_texts`: the texts of `documents`, as in `CaseRanking`. Only
    entries from a record that keeps texts have them.
    """

    id: str
    variant: str | None = None
    query: str
    params: Mapping[str, Any] = field(default_factory=empty)
    depth: int
    documents: tuple[str, ...]
    scores: Mapping[str, float | None] = field(default_factory=empty)
    whole: bool = False
    reaches_depth: bool = False
    outcomes: tuple[Outcome, ...] = ()
    collapse: bool = False
    is_all: bool = False
    deeper: Mapping[str, int | None] = field(default_factory=empty)
    digest: str = ""
    weight: float = 1
    tags: tuple[str, ...] = ()
    missed: bool | None = False
    call: CaseCall = CaseCall()
    demands: CaseDemands | None = None
    is_sampled: bool = False
    passages: tuple[str, ...] = ()
    held: tuple[tuple[int, ...], ...] = ()
    lengths: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()
    fields_of_texts: Mapping[str, Sequence[Sequence[Any]]] = field(
        default_factory=empty
    )

    @property
    def key(self) -> EntryKey:
        """Return the id and the variant, the key of the entry in its file."""
        return self.id, self.variant

    @property
    def has_score(self) -> bool:
        """Say whether nDCG@k, or RR@k, was defined when the ranking was accepted."""
        return has_main_score(self.scores)

    @property
    def may_go_on(self) -> bool:
        """Say whether the search may have returned more than `documents`."""
        return not self.whole and len(self.documents) >= self.depth

    def ranking(self, settings: Settings) -> Sequence[str]:
        """Return the documents that are scored: with `collapse` each only once."""
        if settings.collapse:
            return tuple(without_copies(self.documents))
        return self.documents

    def rank_of(self, document: str, settings: Settings) -> float | None:
        """Return the rank (from 1) of a document in the ranking that is scored.

        `NOT_RETURNED` if the document was not returned, and None if that is not known.
        """
        documents = self.ranking(settings)
        if document in documents:
            return documents.index(document) + 1
        # Ranks below the kept ranking hold only if chunks still count as they did.
        if document in self.deeper and self.collapse == settings.collapse:
            rank = self.deeper[document]
            return NOT_RETURNED if rank is None else rank
        kept = without_copies(self.documents) if self.collapse else self.documents
        has_all_that_was_returned = self.whole or len(kept) < self.depth
        return NOT_RETURNED if has_all_that_was_returned else None

    def as_case(self) -> AcceptedCase:
        """Return what gates need to know of the accepted case."""
        is_known = bool(self.digest)
        return AcceptedCase(
            id=self.id,
            variant=self.variant,
            weight=self.weight if is_known else None,
            tags=self.tags,
            scores=self.scores,
            missed=self.missed,
        )

    @property
    def line(self) -> str:
        """Return the entry as a line of a baseline, without what the test demanded.

        A query that equals the id is left out.
        """
        return as_json(self._values)

    def line_beside(self, suite: CaseDemands) -> str:
        """Return the entry as a line of a baseline.

        The line has the demands of the case that differ from those of the suite; null
        if the demands of the case are not known.
        """
        values = self._values
        if self.demands is None:
            values["demands"] = None
        elif own := own_demands(self.demands, suite):
            values["demands"] = own
        return as_json(values)

    @property
    def _values(self) -> dict[str, Any]:
        params = with_sorted_keys(self.params)
        entry = replace(
            self, params=params, demands=None, texts=(), fields_of_texts=EMPTY
        )
        values: dict[str, Any] = encode(entry)
        if self.query == self.id:
            del values["query"]
        return values


def with_sorted_keys(value: Any) -> Any:
    """Return a value in which all mappings, at every depth, have sorted keys."""
    if isinstance(value, Mapping):
        return {name: with_sorted_keys(value[name]) for name in sorted(value, key=str)}
    if isinstance(value, (list, tuple)):
        return [with_sorted_keys(item) for item in value]
    return value


class BaselineEntries(dict[EntryKey, BaselineEntry]):
    """{(id, variant): entry} of a case file.

    `titles`: {document: title}, as far as titles are known.
    `fingerprint`: what was searched when all entries were accepted; empty if unknown.
    `started`: when the record of the entries was made (ISO 8601); empty for a baseline.
    `without_ranking`: {(id, variant): why}, for cases that the reference knows and that
    have no accepted ranking (`records.uncompared` has the reasons). A case with an
    entry is here if its skip was accepted.
    `demands`: what the test demanded, of the file and by default of a case; None if it
    is not known.
    """

    def __init__(
        self,
        entries: Iterable[BaselineEntry] = (),
        titles: Mapping[str, str] | None = None,
        fingerprint: Fingerprint | None = None,
        *,
        started: str = "",
        without_ranking: Mapping[EntryKey, str] | None = None,
        demands: FileDemands | None = None,
    ) -> None:
        super().__init__({entry.key: entry for entry in entries})
        self.titles: dict[str, str] = dict(titles or {})
        self.fingerprint: Fingerprint = fingerprint or {}
        self.started = started
        self.without_ranking: dict[EntryKey, str] = dict(without_ranking or {})
        self.demands = demands

    def move(self, moves: MovedEntries) -> EntryMoves:
        """Move entries to the present ids of their cases, and return which moved.

        If there is an entry under the present id already, it stays.
        """
        left = {}
        for key in moves.leaving:
            if key in self:
                left[key] = self.pop(key)
        had_entries = bool(self)
        arrived = set()
        for key, entry in moves.arriving.items():
            if left.get(entry.key) == entry:  # it moved within this file
                del left[entry.key]
            if key not in self:
                self[key] = replace(entry, id=key[0], variant=key[1])
                arrived.add(key)
        if arrived:
            self.titles = {**self.titles, **moves.titles}
            searched = moves.fingerprint or {}
            if had_entries:
                searched = common([self.fingerprint, searched])
            self.fingerprint = searched
        return EntryMoves(arrived=frozenset(arrived), left=len(left))


@dataclass(frozen=True, slots=True)
class EntryMoves:
    """Which entries of a file `BaselineEntries.move` has moved.

    `arrived`: the present keys of the entries that were moved.
    `left`: how many entries went to another file.
    """

    arrived: frozenset[EntryKey]
    left: int


@dataclass(slots=True)
class MovedEntries:
    """The entries of moved cases, for one case file.

    `arriving`: {present key: entry}, for cases that are in the file now.
    `leaving`: the earlier keys of cases that were in the file before.
    `titles`: {document: title}, from the files that the entries come from.
    `fingerprint`: what was searched, from these files.
    """

    arriving: dict[EntryKey, BaselineEntry] = field(default_factory=dict)
    leaving: set[EntryKey] = field(default_factory=set)
    titles: dict[str, str] = field(default_factory=dict)
    fingerprint: Fingerprint | None = None

    def add(self, key: EntryKey, entry: BaselineEntry, source: BaselineEntries) -> None:
        """Add the entry of a case under its present key.

        `source`: the entries of the file that the case was in before.
        """
        self.arriving[key] = entry
        for document in entry.documents:
            if document in source.titles:
                self.titles[document] = source.titles[document]
        if self.fingerprint is None:
            self.fingerprint = source.fingerprint
        self.fingerprint = common([self.fingerprint, source.fingerprint])


# --- from a result to its entry -------------------------------------------------------


def entry_of(result: CaseResult, *, call: CaseCall = CaseCall()) -> BaselineEntry:
    """Return the entry that accepts the ranking of a result.

    The result has its details (`details.with_details`). `call`: how its search was
    called, for an entry from a record.
    """
    conditions, ranking = result.conditions, result.ranking
    depth = conditions.k if conditions.depth is None else conditions.depth
    collapses = conditions.settings.collapse
    documents = tuple(ranking.uncollapsed)
    has_all_chunks = len(set(documents)) == ranking.returned
    kept = None if ranking.whole or collapses else depth  # how many ranks; None for all
    passages = keys_of_result(result)
    held = tuple(map(tuple, ranking.held[:kept])) if passages else ()
    return BaselineEntry(
        id=result.id,
        variant=result.variant,
        query=result.query,
        params=json.loads(as_json(result.params)) if result.params else {},
        depth=depth,
        documents=documents[:kept],
        scores=_scores_to_keep(result),
        whole=ranking.whole,
        reaches_depth=ranking.whole and result.is_cut,
        outcomes=_outcomes_to_keep(result),
        collapse=collapses,
        deeper=_ranks_of_missed(result),
        digest=result.evaluation.digest,
        weight=result.weight,
        is_sampled=result.is_sampled,
        tags=tuple(result.tags),
        missed=misses_a_demand(result),
        is_all=collapses and not ranking.reaches_depth and has_all_chunks,
        call=call,
        passages=passages,
        held=held,
        lengths=tuple(ranking.lengths[:kept]),
    )


def _outcomes_to_keep(result: CaseResult) -> tuple[Outcome, ...]:
    """Return the outcomes that the ranking alone does not decide."""
    outcomes = []
    for outcome in result.evaluation.outcomes:
        if EXPECTATIONS.get_or_unknown(outcome.kind).reference == KEPT:
            outcomes.append(outcome)
    return tuple(outcomes)


def _scores_to_keep(result: CaseResult) -> dict[str, float | None]:
    """Return {metric: rounded score}, with nDCG@k and the scores of expectations."""
    scores = {result.metric.text: result.score}
    for name, value in result.evaluation.scores.items():
        if not is_similarity(name):
            scores[name] = value
    for outcome in result.evaluation.outcomes:
        if outcome.kind == "metric" and outcome.value is not None:
            scores[outcome.name] = outcome.value
    rounded = {}
    for name, value in scores.items():
        rounded[name] = None if value is None else round(value, _DECIMALS)
    return rounded


def misses_a_demand(result: CaseResult) -> bool | None:
    """Say whether a result misses its floor or an expectation that needs no reference.

    None if the case has no floor, no such expectation and no score.
    """
    if result.verdict == MEASURED and result.score is None:
        return None
    if result.verdict != FAILED:
        return False
    compared = (DROP, STALE_ENTRY, SIMILARITY)
    return any(reason.kind not in compared for reason in result.evaluation.reasons)


def _ranks_of_missed(result: CaseResult) -> dict[str, int | None]:
    """Return {document: rank}, for wrong documents of missed expectations.

    Documents in the kept ranking are left out, because it has their ranks.
    The rank is None if the document was not returned.
    """
    ranks: dict[str, int | None] = {}
    for outcome in result.evaluation.outcomes:
        if outcome.met or not outcome.documents:
            continue
        for document in outcome.wrong:
            if document not in result.ranking.documents:
                ranks[document] = result.ranking.rank_of(document)
    return ranks
