"""Judge a recorded ranking by the passages of today.

A record and a baseline keep which passages each result held (`held`), and a key of each
passage. So they tell which results hold a passage of today with a recorded key. Any
other passage was not looked for when the ranking was recorded. It is looked for now if
the record keeps the texts of the results, and is refused otherwise.

Records, baselines, replays and `compare` use this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_relevance._text import counted, listed, quoted
from pytest_relevance.cases.expectation import Passage
from pytest_relevance.metrics.ndcg import Held, grade_passages, without_copies
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
"""The end of a message about a passage that a record cannot judge."""


def keys_of_result(result: CaseResult) -> tuple[str, ...]:
    """Return the keys of the passages of a case, then those of its excluded quotes.

    An index in `ranking.held` of the result is an index in this tuple.
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
    """Return for each recorded result the indexes of the passages of today it holds.

    None if a passage of today was not looked for when the ranking was recorded.

    `held`: for each result the indexes of the recorded passages that it held.
    `then`, `now`: the keys of the recorded passages, and of those of today.
    """
    if new_keys(then, now):
        return None
    indexes_today: dict[int, list[int]] = {}  # by their recorded index
    for index, key in enumerate(now):
        indexes_today.setdefault(then.index(key), []).append(index)
    held_today = []
    for recorded_indexes in held:
        of_result: list[int] = []
        for recorded_index in recorded_indexes:
            of_result += indexes_today.get(recorded_index, [])
        held_today.append(tuple(sorted(of_result)))
    return held_today


# --- texts in a record ----------------------------------------------------------------


def with_texts(result: CaseResult, ranking: Ranking) -> CaseResult:
    """Return a result with the texts and fields of the results that it keeps.

    `ranking`: the ranking as the search returned it, which may be longer.
    """
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
    """Return a ranking with the recorded texts and fields of its results.

    `ranking`: the first results of the recorded ranking, or all of them.
    """
    count = len(ranking.uncollapsed)
    return replace(
        ranking,
        texts=tuple(recorded.texts[:count]),
        fields_of_texts=fields_in_record(recorded.fields_of_texts),
    )


def fields_in_record(
    recorded: Mapping[str, Sequence[Sequence[Any]]],
) -> dict[str, list[Any]]:
    """Return {path: values} for the fields that a record has kept.

    There is a value for each text; `Absent` if the result lacks the field.

    `recorded`: {path: for each text [its value], or [] if it has none}.
    """
    fields = {}
    for path, values in recorded.items():
        fields[path] = [value[0] if value else Absent() for value in values]
    return fields


def unknown_fields(
    passages: Iterable[Passage], recorded: Mapping[str, Sequence[Sequence[Any]]]
) -> list[str]:
    """Return the paths of the fields that conditions need and a record lacks.

    `recorded`: the fields that the record has kept.
    """
    paths: dict[str, None] = {}
    for passage in passages:
        for condition in passage.conditions:
            if condition.path not in recorded:
                paths[condition.path] = None
    return [*paths]


class UnknownPassages(ValueError):
    """Says why a record does not tell which passages of a case its results hold."""


def with_recorded_passages(
    ranking: Ranking,
    result: CaseResult,
    passages: Sequence[Passage],
    *,
    collapses: bool,
    depth: int | None,
) -> Ranking:
    """Return a recorded ranking in which the passages of today can be found.

    If the record keeps texts, the ranking has these texts. Otherwise it says which
    passages each result holds (`Ranking.held`).

    `ranking`: the recorded results that count now. If `collapses`, only the first
        result of each document.
    `result`: the recorded result.
    `passages`: the passages of today, then the excluded quotes: `Case.sought_passages`.
    `collapses`: whether the chunks of a document are collapsed now.
    `depth`: how deep the case looks now; None if as deep as when it was recorded.

    Raises:
        UnknownPassages: the record has no texts, and a passage is new or changed, or
            other chunks of a document count now. Or it has texts, and lacks a field of
            a condition. The message begins with the reason.
    """
    if result.ranking.texts:
        _check_fields_kept(passages, result.ranking)
        return ranking_with_texts(ranking, result.ranking)
    _check_alike(result, passages, collapses=collapses, depth=depth)
    now = tuple(map(key_of_passage, passages))
    count = len(ranking.ids)
    held: Held = result.ranking.held[:count] or [()] * count
    by_keys = held_by_keys(held, keys_of_result(result), now)
    assert by_keys is not None
    lengths = tuple(result.ranking.lengths[:count])
    return replace(ranking, held=by_keys, lengths=lengths)


def _check_fields_kept(passages: Sequence[Passage], recorded: CaseRanking) -> None:
    """Raise `UnknownPassages` if a record with texts lacks a field of a condition."""
    unknown = unknown_fields(passages, recorded.fields_of_texts)
    if unknown:
        raise UnknownPassages(
            f"a condition looks at {listed(map(quoted, unknown), 'and')}, and the "
            "record has not kept that field of the results"
        )


def _check_alike(
    result: CaseResult,
    passages: Sequence[Passage],
    *,
    collapses: bool,
    depth: int | None,
) -> None:
    """Raise `UnknownPassages` if a record without texts cannot judge the passages.

    It cannot if one of them was not looked for then, or if other chunks of a document
    count now.

    `collapses`, `depth`: as in `with_recorded_passages`.
    """
    new = new_keys(keys_of_result(result), map(key_of_passage, passages))
    if new:
        count = counted(len(new), "passage is", "passages are")
        raise UnknownPassages(f"{count} new or changed, and {NO_TEXTS_KEPT}")
    conditions = result.conditions
    collapsed = conditions.settings.collapse
    is_alike = collapses == collapsed and depth in (None, conditions.depth)
    if passages and (collapses or collapsed) and not is_alike:
        raise UnknownPassages(f"other chunks of a document count, and {NO_TEXTS_KEPT}")


def judged_by_passages(
    result: CaseResult, passages: Sequence[Passage], settings: Settings
) -> CaseResult:
    """Return a recorded result, judged by other passages or with other settings.

    Only its grades and passages change. The caller computes the scores.

    Raises `UnknownPassages` if the record does not tell which results hold the
    passages.
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
    """Return those keys of today that were not recorded.

    `then`, `now`: the recorded keys, and those of today.
    """
    known = {*then}
    return [key for key in now if key not in known]
