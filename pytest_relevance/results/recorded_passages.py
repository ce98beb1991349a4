"""What a recorded ranking tells of the passages of a case.

A record and a baseline keep which passages each result held (`held`), and a key of each
passage. So a recorded ranking can be judged by the passages of today, as far as their
keys are there. A passage that is new was not looked for. It can be looked for only if
the record keeps the texts of the results.

Records, baselines, replays and `compare` use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_relevance._text import counted, listed, quoted
from pytest_relevance.cases.model import Passage
from pytest_relevance.metrics.ndcg import grade_passages, without_copies
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import CaseRanking
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.passages import (
    found_passages,
    held_passages,
    key_of_passage,
    lengths_of_results,
)
from pytest_relevance.results.responses.fields import Absent
from pytest_relevance.results.responses.ranking import Ranking

NO_TEXTS_KEPT = (
    "the record has no texts to look for them (relevance_record_texts = on keeps them)"
)
"""Why a passage cannot be judged by a record, after what changed."""

Held = Sequence[Sequence[int]]
"""For each result the indexes (from 0) of the passages that it holds."""


def keys_of_result(result: CaseResult) -> tuple[str, ...]:
    """Return the keys of the passages that the indexes in `ranking.held` mean.

    These are the passages of the case, followed by its excluded quotes.
    """
    keys = [passage.key for passage in result.evaluation.passages]
    for outcome in result.evaluation.outcomes:
        keys += [key_of_quote(quote) for quote in outcome.quotes]
    return tuple(keys)


def key_of_quote(quote: str) -> str:
    """Return the key of an excluded quote."""
    return key_of_passage(Passage((quote,)))


def held_by_keys(
    held: Held, then: Sequence[str], now: Sequence[str]
) -> list[tuple[int, ...]] | None:
    """Return which of the present passages each recorded result holds.

    None if one of them was not looked for when the ranking was recorded.

    `held`: the indexes of the passages that each result held, in the order of `then`.
    `then`, `now`: the keys of the passages when the ranking was recorded, and now.
    """
    if new_keys(then, now):
        return None
    places: dict[int, list[int]] = {}
    for place, key in enumerate(now):
        places.setdefault(then.index(key), []).append(place)
    found = []
    for indexes in held:
        of_result: list[int] = []
        for index in indexes:
            of_result += places.get(index, [])
        found.append(tuple(sorted(of_result)))
    return found


# Texts in a record


def with_texts(result: CaseResult, ranking: Ranking) -> CaseResult:
    """Return a result that keeps the texts of its ranking, as deep as the ranking."""
    count = len(result.ranking.uncollapsed)
    fields = {}
    for path, values in ranking.fields_of_texts.items():
        kept = [[] if type(value) is Absent else [value] for value in values[:count]]
        fields[path] = kept
    kept_ranking = replace(
        result.ranking, texts=tuple(ranking.texts[:count]), fields_of_texts=fields
    )
    return replace(result, ranking=kept_ranking)


def ranking_with_texts(ranking: Ranking, recorded: CaseRanking) -> Ranking:
    """Return a ranking with the texts that a record has kept of its results.

    `ranking`: the first results of the recorded ranking, or all of them.
    """
    count = len(ranking.as_returned or ranking.ids)
    return replace(
        ranking,
        texts=tuple(recorded.texts[:count]),
        fields_of_texts=fields_in_record(recorded.fields_of_texts),
    )


def fields_in_record(
    recorded: Mapping[str, Sequence[Sequence[Any]]],
) -> dict[str, list[Any]]:
    """Return the fields of texts as a ranking has them, from those of a record."""
    fields = {}
    for path, values in recorded.items():
        fields[path] = [value[0] if value else Absent() for value in values]
    return fields


def unknown_fields(
    passages: Iterable[Passage], recorded: Mapping[str, Sequence[Sequence[Any]]]
) -> list[str]:
    """Return the fields that conditions look at, and that a record has not kept."""
    paths: dict[str, None] = {}
    for passage in passages:
        for condition in passage.conditions:
            if condition.path not in recorded:
                paths[condition.path] = None
    return [*paths]


class UnknownPassages(ValueError):
    """A record does not tell which passages of a case its results held."""


def with_recorded_passages(
    ranking: Ranking,
    result: CaseResult,
    passages: Sequence[Passage],
    *,
    collapses: bool,
    depth: int | None,
) -> Ranking:
    """Return a ranking with what its record tells of passages.

    That is which of them each result held, or the texts of the results, in which they
    are looked for again.

    `ranking`: the recorded results that count now. If `collapses`, only the first
        result of each document.
    `result`: the recorded result.
    `passages`: the passages of today, then the excluded quotes: `Case.sought_passages`.
    `depth`: how deep the case looks now; None if as deep as when it was recorded.

    Raises:
        UnknownPassages: the record has no texts, and a passage is new or changed, or
            collapsed chunks are looked at otherwise. Or it has texts, and a condition
            looks at a field that it has not kept. The message begins with the reason.
    """
    recorded, conditions = result.ranking, result.conditions
    if recorded.texts:
        unknown = unknown_fields(passages, recorded.fields_of_texts)
        if unknown:
            raise UnknownPassages(
                f"a condition looks at {listed(map(quoted, unknown), 'and')}, and the "
                "record has not kept that field of the results"
            )
        return ranking_with_texts(ranking, recorded)
    then, now = keys_of_result(result), tuple(map(key_of_passage, passages))
    new = new_keys(then, now)
    if new:
        count = counted(len(new), "passage is", "passages are")
        raise UnknownPassages(f"{count} new or changed, and {NO_TEXTS_KEPT}")
    collapsed = conditions.settings.collapse
    is_alike = collapses == collapsed and depth in (None, conditions.depth)
    if now and (collapses or collapsed) and not is_alike:
        raise UnknownPassages(f"other chunks of a document count, and {NO_TEXTS_KEPT}")
    count_of_results = len(ranking.ids)
    held: Held = recorded.held[:count_of_results] or [()] * count_of_results
    by_keys = held_by_keys(held, then, now)
    assert by_keys is not None
    lengths = tuple(recorded.lengths[:count_of_results])
    return replace(ranking, held=by_keys, lengths=lengths)


def judged_by_passages(
    result: CaseResult, passages: Sequence[Passage], settings: Settings
) -> CaseResult:
    """Return a recorded result judged by other passages, or with other settings.

    Its scores are not computed.

    Raises `UnknownPassages` as `with_recorded_passages` does.
    """
    recorded = result.ranking
    returned = recorded.uncollapsed
    documents = tuple(without_copies(returned)) if settings.collapse else returned
    known = with_recorded_passages(
        Ranking(documents, as_returned=returned if settings.collapse else ()),
        result,
        passages,
        collapses=settings.collapse,
        depth=None,
    )
    depth = result.conditions.depth
    graded = grade_passages(
        held_passages(passages, known, depth),
        [passage.grade for passage in passages],
        lengths_of_results(known, depth),
    )
    if settings.collapse != result.conditions.settings.collapse:
        recorded = recorded.scored_by(settings)
    ranking = replace(
        recorded,
        documents=documents,
        grades=tuple(graded.grades),
        held=tuple(map(tuple, graded.held)),
        lengths=tuple(graded.lengths),
    )
    found = found_passages(passages, known, graded)
    evaluation = replace(result.evaluation, passages=found)
    return replace(result, ranking=ranking, evaluation=evaluation)


def new_keys(then: Iterable[str], now: Iterable[str]) -> list[str]:
    """Return the keys of passages that were not looked for then."""
    known = {*then}
    return [key for key in now if key not in known]
