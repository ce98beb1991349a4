"""Find the passages of a case in the texts of its results.

A case with passages is judged by what its results say, not by their ids. `scoring`
calls this module after the search has returned.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from pytest_relevance._text import quoted
from pytest_relevance.cases.expectation import FieldCondition, Passage
from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.ndcg import GradedRanking, Held, grade_passages
from pytest_relevance.results.case_parts import CasePassage
from pytest_relevance.results.document_fields import (
    meets_condition,
    why_condition_unknown,
)
from pytest_relevance.results.responses.fields import Absent
from pytest_relevance.results.responses.ranking import Ranking

if TYPE_CHECKING:
    from pytest_relevance.passages.matching import QuoteForms, TextForms

NO_TEXTS = (
    "passages are looked for in texts, and the results have none; return results with a "
    "text"
)
"""The message for a ranking without texts, which cannot be judged by passages."""

_LONGEST_QUOTE = 60
"""The most characters of a quote that a message shows."""

_MOST_TEXTS = 5_000
"""The most texts whose normalised forms stay in memory.

Cases of a run often return the same texts. 5,000 texts of 2,000 characters take some 50
MB.
"""


def held_passages(
    passages: Sequence[Passage], ranking: Ranking, depth: int | None = None
) -> list[tuple[int, ...]]:
    """Return for each result the indexes (from 0) of the passages that it holds.

    A result holds a passage if its text holds one of the quotes, and its fields meet
    the conditions. If the ranking is collapsed, a result is a document, and holds what
    its chunks hold.

    A ranking from a record may say which passages its results hold (`ranking.held`).
    Then no text is read.

    `depth`: how many of the chunks count; None for all.

    Raises:
        ValueError: the ranking has no texts.
    """
    if ranking.held is not None:
        return [tuple(held) for held in ranking.held]
    if _lacks_texts(ranking):
        raise ValueError(NO_TEXTS)
    held_by_text = _passages_by_text(passages, ranking)
    held = []
    for text_indexes in _texts_of_results(ranking, depth):
        of_result: set[int] = set()
        for index in text_indexes:
            of_result.update(held_by_text[index])
        held.append(tuple(sorted(of_result)))
    return held


def _lacks_texts(ranking: Ranking) -> bool:
    """Say whether the texts of a ranking are absent, or fewer than its results."""
    return len(ranking.texts) != len(ranking.uncollapsed)


def _passages_by_text(passages: Sequence[Passage], ranking: Ranking) -> list[list[int]]:
    """Return for each text the indexes of the passages that it holds.

    The text has a quote of the passage, and the fields beside it meet the conditions.
    """
    held_by_text = []
    for text_index, with_quote in enumerate(_quotes_by_text(passages, ranking)):
        held = []
        for index in with_quote:
            if _meets_all(passages[index].conditions, ranking, text_index):
                held.append(index)
        held_by_text.append(held)
    return held_by_text


def why_unknown_passages(case: Case, ranking: Ranking) -> str:
    """Return why it is not known which passages the results hold; "" if it is known.

    The message is `NO_TEXTS`, or has a line for each field that a condition cannot be
    compared with: a result with the quote lacks the field, or has another type there.
    """
    if ranking.held is not None:
        return ""
    if _lacks_texts(ranking):
        return NO_TEXTS
    if not case.fields_of_passages:
        return ""
    lines: dict[str, str] = {}
    passages = case.sought_passages
    for text_index, with_quote in enumerate(_quotes_by_text(passages, ranking)):
        for index in with_quote:
            unknown = _why_unknown_fields(passages[index], ranking, text_index)
            for path, line in unknown.items():
                lines.setdefault(path, line)
    return "\n".join(lines.values())


def _why_unknown_fields(
    passage: Passage, ranking: Ranking, text_index: int
) -> dict[str, str]:
    """Return {path of a field: why its condition cannot be checked in a text}.

    The text holds a quote of the passage. Conditions that can be checked are left out.
    """
    document = ranking.uncollapsed[text_index]
    lines: dict[str, str] = {}
    for condition in passage.conditions:
        value = _field_of_text(ranking, condition.path, text_index)
        why = why_condition_unknown(condition, value)
        if why:
            where = f"document {quoted(document)} at rank {text_index + 1}"
            name = quoted(passage.name, _LONGEST_QUOTE)
            line = f"passages: {where} holds {name} and {why}"
            lines.setdefault(condition.path, line)
    return lines


@dataclass(frozen=True, slots=True)
class UnmetCondition:
    """A text that has a quote of a passage, and a field that misses a condition.

    `text_index`: the index of the text in the ranking, from 0.
    `value`: the value of the field.
    """

    text_index: int
    condition: FieldCondition
    value: object


def first_unmet_condition(passage: Passage, ranking: Ranking) -> UnmetCondition | None:
    """Return the first text that has a quote of a passage and misses a condition.

    None if there is no such text.
    """
    for text_index, with_quote in enumerate(_quotes_by_text([passage], ranking)):
        if not with_quote:
            continue
        for condition in passage.conditions:
            if not _meets_all([condition], ranking, text_index):
                value = _field_of_text(ranking, condition.path, text_index)
                return UnmetCondition(text_index, condition, value)
    return None


def ranks_of_quotes(case: Case, held: Held) -> Mapping[str, Sequence[int]]:
    """Return {excluded quote: the ranks (from 1) of the results that hold it}.

    The excluded quotes are those of `exclude_passages`.

    `held`: for each result the indexes of `case.sought_passages` that it holds.
    """
    ranks = {}
    start = len(case.passages)
    for index, passage in enumerate(case.sought_passages[start:], start):
        ranks[passage.name] = [
            rank for rank, indexes in enumerate(held, 1) if index in indexes
        ]
    return ranks


def lengths_of_results(ranking: Ranking, depth: int | None) -> list[int]:
    """Return the number of characters of each result, or the recorded numbers.

    If the ranking is collapsed, the length of a document is that of all its chunks.

    `depth`: how many of the chunks count; None for all.
    """
    if ranking.held is not None:
        return list(ranking.lengths)
    lengths = []
    for text_indexes in _texts_of_results(ranking, depth):
        lengths.append(sum(len(ranking.texts[index]) for index in text_indexes))
    return lengths


def _texts_of_results(ranking: Ranking, depth: int | None) -> list[list[int]]:
    """Return for each result the indexes (from 0) of its texts in `ranking.texts`.

    A result has one text. A document of collapsed chunks has several: the text of its
    first chunk, and those of its other chunks among the first `depth` chunks.

    `depth`: None for all chunks.
    """
    if not ranking.as_returned:
        return [[index] for index in range(len(ranking.texts))]
    texts: dict[str, list[int]] = {}
    for index, document in enumerate(ranking.as_returned):
        if document not in texts:
            texts[document] = [index]
        elif depth is None or index < depth:
            texts[document].append(index)
    return [texts[document] for document in ranking.ids]


def graded_by_passages(case: Case, ranking: Ranking, held: Held) -> GradedRanking:
    """Return the ranking that the metrics score.

    Each result has the grades of the passages that it is the first to hold.

    `held`: for each result the indexes of `case.sought_passages` that it holds.
    """
    grades = [passage.grade for passage in case.passages]
    return grade_passages(held, grades, lengths_of_results(ranking, case.depth))


FEWEST_RESULTS = 6
"""The fewest results of which a third is enough to call a passage common.

Two of five results may well hold the same passage.
"""


def common_passages(case: Case, held: Held) -> tuple[str, ...]:
    """Return the names of the passages that over a third of the results hold.

    Such a quote is probably boilerplate. With fewer than `FEWEST_RESULTS` results, no
    passage counts as common.

    `held`: for each result the indexes of `case.sought_passages` that it holds.
    """
    if len(held) < FEWEST_RESULTS:
        return ()
    counts: Counter[int] = Counter()
    for indexes in held:
        counts.update(indexes)
    common = []
    for index, passage in enumerate(case.passages):
        if counts[index] * 3 > len(held):
            common.append(passage.name)
    return tuple(common)


def found_passages(
    passages: Sequence[Passage], ranking: Ranking, graded: GradedRanking
) -> tuple[CasePassage, ...]:
    """Return each passage with the rank of the first result that holds it, if any.

    If the ranking is collapsed, a passage has the rank of its chunk too.
    """
    if not passages:
        return ()
    ranks = first_ranks_of_held(graded.held)
    chunks = _ranks_of_chunks(passages, ranking)
    all_found = []
    for index, passage in enumerate(passages):
        rank = ranks.get(index)
        # If only a chunk below the depth of the case holds a passage, it is not found.
        chunk = None if rank is None else chunks.get(index)
        found = CasePassage(
            text=passage.name,
            grade=passage.grade,
            rank=rank,
            key=key_of_passage(passage),
            chunk=chunk,
            other_quotes=passage.quotes[1:],
            is_context=passage.is_context,
        )
        all_found.append(found)
    return tuple(all_found)


def _ranks_of_chunks(passages: Sequence[Passage], ranking: Ranking) -> dict[int, int]:
    """Return {index of a passage: the rank of the first chunk that holds it}.

    Empty if the ranking is not collapsed. Also empty if a record says which passages
    each document holds, because it does not say which of the chunks holds them.
    """
    if not ranking.as_returned or ranking.held is not None:
        return {}
    return first_ranks_of_held(held_by_chunks(passages, ranking))


def held_by_chunks(
    passages: Sequence[Passage], ranking: Ranking
) -> list[tuple[int, ...]]:
    """Return for each chunk the indexes (from 0) of the passages that it holds.

    The chunks are the results of the ranking before it was collapsed. Raises ValueError
    if the ranking has no texts.
    """
    chunks = replace(ranking, ids=ranking.uncollapsed, as_returned=())
    return held_passages(passages, chunks)


def first_ranks_of_held(held: Held) -> dict[int, int]:
    """Return {index of a passage: the rank (from 1) of the first result with it}.

    `held`: for each result the indexes of the passages that it holds.
    """
    ranks: dict[int, int] = {}
    for rank, indexes in enumerate(held, start=1):
        for index in indexes:
            ranks.setdefault(index, rank)
    return ranks


def key_of_passage(passage: Passage) -> str:
    """Return a hash of the quotes and conditions, and of whether it is a context.

    Passages with one key are held by the same texts. They may have different grades.
    """
    conditions = [condition.for_record for condition in passage.conditions]
    parts = [passage.quotes, conditions, passage.is_context]
    text = json.dumps(parts, ensure_ascii=False)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _quotes_by_text(passages: Sequence[Passage], ranking: Ranking) -> list[list[int]]:
    """Return for each text the indexes of the passages of which it has a quote.

    Conditions are not looked at.
    """
    # most runs have no passages
    from pytest_relevance.passages.matching import holds

    quotes = [_forms_of_passage(passage) for passage in passages]
    by_text = []
    for text in ranking.texts:
        forms = _forms_of_text(text)
        held = []
        for index, forms_of_passage in enumerate(quotes):
            if any(holds(forms, quote) for quote in forms_of_passage):
                held.append(index)
        by_text.append(held)
    return by_text


def _meets_all(
    conditions: Sequence[FieldCondition], ranking: Ranking, text_index: int
) -> bool:
    """Say whether the fields beside a text meet all conditions.

    A field that is absent, or has a type that cannot be compared, meets no condition.
    `why_unknown_passages` reports such a field.
    """
    for condition in conditions:
        value = _field_of_text(ranking, condition.path, text_index)
        if why_condition_unknown(condition, value):
            return False
        if not meets_condition(condition, value):
            return False
    return True


def _field_of_text(ranking: Ranking, path: str, text_index: int) -> object:
    """Return the value of a field beside a text; `Absent()` if it has none."""
    values = ranking.fields_of_texts.get(path)
    return Absent() if values is None else values[text_index]


def _forms_of_passage(passage: Passage) -> Sequence[QuoteForms]:
    """Return the normalised forms of each quote of a passage."""
    forms = []
    for quote in passage.quotes:
        forms.append(_forms_of_quote(quote, is_context=passage.is_context))
    return forms


@lru_cache(maxsize=_MOST_TEXTS)
def _forms_of_text(text: str) -> TextForms:
    from pytest_relevance.passages.matching import text_forms

    return text_forms(text)


@lru_cache(maxsize=_MOST_TEXTS)
def _forms_of_quote(quote: str, *, is_context: bool) -> QuoteForms:
    from pytest_relevance.passages.matching import quote_forms

    return quote_forms(quote, is_context=is_context)
