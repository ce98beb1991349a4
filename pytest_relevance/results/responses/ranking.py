"""Define what a ranking is: the ids of a search's results, best first, and their data.

`collapsed` leaves out all chunks of a document but the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_relevance.metrics.ndcg import Held, repeated_indexes


@dataclass(frozen=True, slots=True)
class Rest:
    """What a record tells of the results below those that a case looks at.

    `documents`: how many different documents are only there.
    `copies`: how many results are later copies of a document, there or above.
    `ranks`: {document: rank} of some of the documents.
    `is_unasked`: whether the case asks for fewer results today, so that the search
    would not return them.
    """

    documents: int = 0
    copies: int = 0
    ranks: Mapping[str, int] = field(default_factory=dict)
    is_unasked: bool = False

    @property
    def count(self) -> int:
        """Return how many results there are."""
        return self.documents + self.copies


@dataclass(frozen=True, slots=True)
class Ranking:
    """Document ids, best first, as text.

    `titles`, `scores`: as the search returned them, in the same order, or empty.
    `fields`: {path: values} of further fields, for as many of the first results
    as requested; None if no field was requested.
    `others`: {query: ids}, the rankings of other queries, if the case compares them.
    `as_returned`: the ids of all results, if `collapsed` left out some; else empty.
    `sort_values`: for each result the values that it was sorted by, or empty.
    `texts`: if the case has passages, the text of each result as returned, also of
    those that `collapsed` left out; else empty.
    `fields_of_texts`: {field: values}, one for each text, for the fields that
    conditions of passages look at. A field that a result lacks is `Absent`.
    `held`: for each result the indexes of the passages that it holds, if a record tells
    them; None if passages are looked for in the texts.
    `lengths`: the number of characters of each result, if a record tells them.
    `response`: {path: value} of the response, for the paths of the expectation
    `response`. A `NoValue` says why there is no value.
    `rest`: what a record tells of results below the ranking.
    """

    ids: Sequence[str]
    titles: Sequence[str | None] = ()
    scores: Sequence[float | None] = ()
    fields: Mapping[str, Sequence[Any]] | None = None
    others: Mapping[str, Sequence[str]] | None = None
    as_returned: Sequence[str] = ()
    sort_values: Sequence[Any] = ()
    texts: Sequence[str] = ()
    fields_of_texts: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    held: Held | None = None
    lengths: Sequence[int] = ()
    response: Mapping[str, Any] = field(default_factory=dict)
    rest: Rest = Rest()

    @property
    def uncollapsed(self) -> Sequence[str]:
        """Return the ids of all results, also of those that `collapsed` left out."""
        return self.as_returned or self.ids

    @property
    def returned(self) -> int:
        """Return how many results the search returned, before any were left out."""
        return len(self.uncollapsed) + self.rest.count

    @property
    def left_out(self) -> int:
        """Return how many chunks of documents in the ranking `collapsed` left out."""
        return max(len(self.as_returned) - len(self.ids), 0)

    def title(self, index: int) -> str | None:
        """Return the title of the result at an index (from 0); None if it has none."""
        return self.titles[index] if index < len(self.titles) else None


def with_fields_of_texts(
    ranking: Ranking, paths: Iterable[str], fields: Mapping[str, int]
) -> Ranking:
    """Return the ranking with `fields_of_texts`, which were read as its fields.

    `paths`: the fields that conditions of passages look at.
    `fields`: {path: number of results}, the fields that expectations look at.
    """
    read = ranking.fields or {}
    of_expectations = {}
    for path, count in fields.items():
        of_expectations[path] = read.get(path, ())[:count]
    of_texts = {path: read.get(path, ()) for path in paths}
    return replace(ranking, fields=of_expectations or None, fields_of_texts=of_texts)


def collapsed(ranking: Ranking, fields: Mapping[str, int]) -> Ranking:
    """Return the ranking with only the first result of each document.

    `fields`: {path: number of documents for which the field is kept}.
    """
    repeated = {*repeated_indexes(ranking.ids)}
    kept = [index for index in range(len(ranking.ids)) if index not in repeated]

    def keep(values: Sequence[Any]) -> Sequence[Any]:
        return [values[index] for index in kept] if values else ()

    kept_fields = {}
    for path, values in (ranking.fields or {}).items():
        kept_fields[path] = keep(values)[: fields[path]]
    return Ranking(
        ids=keep(ranking.ids),
        titles=keep(ranking.titles),
        scores=keep(ranking.scores),
        sort_values=keep(ranking.sort_values),
        fields=kept_fields,
        others=ranking.others,
        as_returned=ranking.ids if repeated else (),
        texts=ranking.texts,
        fields_of_texts=ranking.fields_of_texts,
        response=ranking.response,
        rest=ranking.rest,
    )
