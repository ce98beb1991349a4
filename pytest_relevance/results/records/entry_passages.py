"""Find which passages an accepted ranking held.

A reference keeps which of the passages of that time each result held. A new passage is
looked for in the accepted texts, if the reference is a record that keeps them.

A comparison with an accepted ranking needs this for the passages of the case, and for
the quotes that the case excludes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted
from pytest_relevance.cases.expectation import Passage
from pytest_relevance.metrics.ndcg import Held
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.passages import held_passages, lengths_of_results
from pytest_relevance.results.recorded_passages import (
    fields_in_record,
    held_by_keys,
    key_of_quote,
    new_keys,
    unknown_fields,
)
from pytest_relevance.results.records.entries import BaselineEntry
from pytest_relevance.results.responses.ranking import Ranking


@dataclass(frozen=True, slots=True)
class HeldThen:
    """What the accepted results held.

    `held`: for each result the indexes (from 0) of the passages that it held.
    `lengths`: the number of characters of each result.
    """

    held: Held
    lengths: Sequence[int]


def held_then(
    entry: BaselineEntry,
    keys: Sequence[str],
    sought: Sequence[Passage],
    settings: Settings,
) -> HeldThen | None:
    """Return which passages the accepted results held; None if that is not known.

    `keys`: the keys of the passages.
    `sought`: the passages; empty if only their keys are known.
    `settings`: the present settings of the case.
    """
    if entry.collapse == settings.collapse:
        by_keys = held_by_keys(entry.held, entry.passages, keys)
        if by_keys is not None:
            return HeldThen(by_keys, entry.lengths)
    if not _can_look(entry, sought):
        return None
    ranking = _with_texts(entry, settings)
    return HeldThen(
        held_passages(sought, ranking, entry.depth),
        lengths_of_results(ranking, entry.depth),
    )


def why_not_known(
    entry: BaselineEntry,
    keys: Sequence[str],
    sought: Sequence[Passage],
    settings: Settings,
) -> str:
    """Return why it is not known which passages were held; empty if it is.

    The arguments are those of `held_then`.
    """
    if _can_look(entry, sought):
        return ""
    new = new_keys(entry.passages, keys)
    if new:
        count = counted(len(new), "passage is", "passages are")
        what = "fields" if entry.texts else "texts"
        return f"{count} new or changed, and the earlier {what} were not kept"
    if entry.collapse != settings.collapse:
        return "collapse changed, and the earlier texts were not kept"
    return ""


def ranks_of_quotes_then(
    entry: BaselineEntry, quotes: Sequence[str], settings: Settings
) -> Mapping[str, Sequence[int]] | None:
    """Return {excluded quote: the ranks, from 1, of the results that held it}.

    None if that is not known.
    """
    if not quotes:
        return {}
    passages = [Passage((quote,)) for quote in quotes]
    keys = [key_of_quote(quote) for quote in quotes]
    then = held_then(entry, keys, passages, settings)
    if then is None:
        return None
    ranks: dict[str, list[int]] = {quote: [] for quote in quotes}
    for rank, held in enumerate(then.held, start=1):
        for index in held:
            ranks[quotes[index]].append(rank)
    return ranks


def _can_look(entry: BaselineEntry, sought: Sequence[Passage]) -> bool:
    """Say whether passages can be looked for in the accepted texts.

    False without texts, and if the record has not kept a field that a condition of a
    passage looks at.
    """
    if not entry.texts or not sought:
        return False
    return not unknown_fields(sought, entry.fields_of_texts)


def _with_texts(entry: BaselineEntry, settings: Settings) -> Ranking:
    """Return the accepted ranking with its texts. Its chunks may be collapsed."""
    documents = entry.ranking(settings)
    is_collapsed = len(documents) < len(entry.documents)
    return Ranking(
        ids=documents,
        as_returned=entry.documents if is_collapsed else (),
        texts=entry.texts,
        fields_of_texts=fields_in_record(entry.fields_of_texts),
    )
