"""What a recorded ranking tells of the passages of a case.

A record and a baseline keep which passages each result held (`held`), and a key of each
passage. So a recorded ranking can be judged by the passages of today, as far as their
keys are there. A passage that is new was not looked for. It can be looked for only if
the record keeps the texts of the results.

Records, baselines and `compare` use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance.cases.model import Case, Passage
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.passages import key_of_passage

Held = Sequence[Sequence[int]]
"""For each result the indexes (from 0) of the passages that it holds."""


def keys_of_case(case: Case) -> tuple[str, ...]:
    """Return the keys of the passages of a case, then of its excluded quotes."""
    return tuple(key_of_passage(passage) for passage in case.sought_passages)


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


def new_keys(then: Iterable[str], now: Iterable[str]) -> list[str]:
    """Return the keys of passages that were not looked for then."""
    known = {*then}
    return [key for key in now if key not in known]


def ranks_of_quotes(
    held: Held, keys: Sequence[str], quotes: Iterable[str]
) -> dict[str, list[int]] | None:
    """Return {quote: the ranks, from 1, of the results that hold it}.

    None if a quote was not looked for when the ranking was recorded.

    `keys`: the keys of the passages that the indexes in `held` mean.
    """
    ranks = {}
    for quote in quotes:
        key = key_of_quote(quote)
        if key not in keys:
            return None
        index = keys.index(key)
        found = [rank for rank, one in enumerate(held, start=1) if index in one]
        ranks[quote] = found
    return ranks
