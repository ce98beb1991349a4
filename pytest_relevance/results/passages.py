"""Find the passages of a case in the texts of its results.

`scoring` calls it for each case with passages, after its search returned.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

from pytest_relevance.cases.model import Case, Passage
from pytest_relevance.metrics.ndcg import GradedRanking, grade_passages
from pytest_relevance.passages.matching import (
    QuoteForms,
    TextForms,
    holds,
    quote_forms,
    text_forms,
)
from pytest_relevance.results.case_parts import CasePassage
from pytest_relevance.results.responses.ranking import Ranking

_MOST_TEXTS = 5_000
"""How many texts are kept in the forms in which texts are compared.

Cases of a run often return the same texts. 5,000 texts of 2,000 characters take some 50
MB.
"""


def held_passages(
    passages: Sequence[Passage], ranking: Ranking, depth: int | None = None
) -> list[tuple[int, ...]]:
    """Return for each result the indexes (from 0) of the passages that it holds.

    If the ranking is collapsed, a result is a document, and holds what its chunks hold
    (see `texts_of_results`).

    `depth`: how many of the chunks count; None for all.
    """
    quotes = [_forms_of_passage(passage) for passage in passages]
    held_by_text: list[Sequence[int]] = []
    for text in ranking.texts:
        forms = _forms_of_text(text)
        held_by_text.append(
            [index for index, each in enumerate(quotes) if _holds_any(forms, each)]
        )
    held = []
    for texts in texts_of_results(ranking, depth):
        found = {passage for text in texts for passage in held_by_text[text]}
        held.append(tuple(sorted(found)))
    return held


def lengths_of_results(ranking: Ranking, depth: int | None = None) -> list[int]:
    """Return the number of characters of each result; of a document, of its chunks.

    `depth`: how many of the chunks count; None for all.
    """
    lengths = []
    for texts in texts_of_results(ranking, depth):
        lengths.append(sum(len(ranking.texts[text]) for text in texts))
    return lengths


def texts_of_results(ranking: Ranking, depth: int | None = None) -> list[list[int]]:
    """Return for each result the indexes (from 0) of its texts in `ranking.texts`.

    That is one text, unless chunks were collapsed. Then a document has the texts of its
    first chunk, and of its other chunks among the first `depth` results.
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


def graded_by_passages(
    case: Case, ranking: Ranking, held: Sequence[Sequence[int]]
) -> GradedRanking:
    """Return a ranking with the grades of the passages that are found at each rank.

    `held`: for each result the indexes of the passages that it holds.
    """
    grades = [passage.grade for passage in case.passages]
    return grade_passages(held, grades, lengths_of_results(ranking, case.depth))


def passages_of_case(case: Case, graded: GradedRanking) -> tuple[CasePassage, ...]:
    """Return the passages of a case, each with the rank at which it is found."""
    passages = []
    for index, passage in enumerate(case.passages):
        rank = None
        for place, held in enumerate(graded.held, start=1):
            if index in held:
                rank = place
                break
        key = key_of_passage(passage)
        passages.append(CasePassage(passage.name, passage.grade, rank, key))
    return tuple(passages)


def key_of_passage(passage: Passage) -> str:
    """Return a short text that is equal for passages with the same quotes.

    The conditions count too, and whether half of a quote is enough. The grade does not:
    it does not decide which texts hold the passage.
    """
    conditions = [condition.for_record for condition in passage.conditions]
    parts = [passage.quotes, conditions, passage.is_context]
    text = json.dumps(parts, ensure_ascii=False)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _holds_any(text: TextForms, quotes: Sequence[QuoteForms]) -> bool:
    return any(holds(text, quote) for quote in quotes)


def _forms_of_passage(passage: Passage) -> Sequence[QuoteForms]:
    """Return the quotes of a passage in the forms in which texts are compared."""
    forms = []
    for quote in passage.quotes:
        forms.append(_forms_of_quote(quote, is_context=passage.is_context))
    return forms


@lru_cache(maxsize=_MOST_TEXTS)
def _forms_of_text(text: str) -> TextForms:
    return text_forms(text)


@lru_cache(maxsize=_MOST_TEXTS)
def _forms_of_quote(quote: str, *, is_context: bool) -> QuoteForms:
    return quote_forms(quote, is_context=is_context)
