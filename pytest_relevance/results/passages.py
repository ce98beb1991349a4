"""Find the passages of a case in the texts of its results.

`scoring` calls it for each case with passages, after its search returned.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from pytest_relevance._text import quoted
from pytest_relevance.cases.model import Case, FieldCondition, Passage
from pytest_relevance.metrics.ndcg import GradedRanking, grade_passages
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
"""Why a ranking cannot be scored."""

_LONGEST_QUOTE = 60
"""How many characters of a quote stand in a message."""

_MOST_TEXTS = 5_000
"""How many texts are kept in the forms in which texts are compared.

Cases of a run often return the same texts. 5,000 texts of 2,000 characters take some 50
MB.
"""


def held_passages(
    passages: Sequence[Passage], ranking: Ranking, depth: int | None = None
) -> list[tuple[int, ...]]:
    """Return for each result the indexes (from 0) of the passages that it holds.

    A result holds a passage if its text holds one of the quotes, and its fields meet
    the conditions. If the ranking is collapsed, a result is a document, and holds what
    its chunks hold (see `texts_of_results`).

    `depth`: how many of the chunks count; None for all.

    What a record says of a ranking is taken as it is.

    Raises:
        ValueError: the ranking has no texts.
    """
    if ranking.held is not None:
        return [tuple(held) for held in ranking.held]
    if len(ranking.texts) != len(ranking.as_returned or ranking.ids):
        raise ValueError(NO_TEXTS)
    held_by_text = []
    for text, quoted_in_text in enumerate(_quotes_by_text(passages, ranking)):
        met = [
            index
            for index in quoted_in_text
            if _meets_all(passages[index].conditions, ranking, text)
        ]
        held_by_text.append(met)
    held = []
    for texts in texts_of_results(ranking, depth):
        found: set[int] = set()
        for text in texts:
            found.update(held_by_text[text])
        held.append(tuple(sorted(found)))
    return held


def why_unknown_passages(case: Case, ranking: Ranking) -> str:
    """Return why it is not known which passages the results hold; empty if it is.

    There is a line for each field of a condition that a result lacks, or whose value
    has a type that cannot be compared. Only results that hold the quote need the field.
    """
    if ranking.held is not None:
        return ""
    if len(ranking.texts) != len(ranking.as_returned or ranking.ids):
        return NO_TEXTS
    if not case.fields_of_passages:
        return ""
    lines: dict[str, str] = {}
    ids = ranking.as_returned or ranking.ids
    passages = case.sought_passages
    for text, quoted_in_text in enumerate(_quotes_by_text(passages, ranking)):
        for index in quoted_in_text:
            for condition in passages[index].conditions:
                value = _field_of_text(ranking, condition.path, text)
                why = why_condition_unknown(condition, value)
                if why:
                    where = f"document {quoted(ids[text])} at rank {text + 1}"
                    passage = quoted(passages[index].name, _LONGEST_QUOTE)
                    line = f"passages: {where} holds {passage} and {why}"
                    lines.setdefault(condition.path, line)
    return "\n".join(lines.values())


def missed_condition(
    passage: Passage, ranking: Ranking
) -> tuple[int, FieldCondition, object] | None:
    """Return a text that holds the quote of a passage and misses a condition.

    The result has the index of the text (from 0), the condition, and the value of the
    field. It is the first such text; None if there is none.
    """
    for text, quoted_in_text in enumerate(_quotes_by_text([passage], ranking)):
        if not quoted_in_text:
            continue
        for condition in passage.conditions:
            if not _meets_all([condition], ranking, text):
                value = _field_of_text(ranking, condition.path, text)
                return text, condition, value
    return None


def ranks_of_quotes(
    case: Case, held: Sequence[Sequence[int]]
) -> Mapping[str, Sequence[int]]:
    """Return {quote: the ranks (from 1) of the results that hold it}.

    These are the quotes of `exclude_passages`.

    `held`: for each result the indexes of `case.sought_passages` that it holds.
    """
    ranks = {}
    start = len(case.passages)
    for index, passage in enumerate(case.sought_passages[start:], start):
        ranks[passage.name] = [
            rank for rank, indexes in enumerate(held, 1) if index in indexes
        ]
    return ranks


def lengths_of_results(ranking: Ranking, depth: int | None = None) -> list[int]:
    """Return the number of characters of each result; of a document, of its chunks.

    `depth`: how many of the chunks count; None for all.
    """
    if ranking.held is not None:
        return list(ranking.lengths)
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

    `held`: for each result the indexes of `case.sought_passages` that it holds.
    """
    grades = [passage.grade for passage in case.passages]
    return grade_passages(held, grades, lengths_of_results(ranking, case.depth))


def passages_of_case(
    case: Case, ranking: Ranking, graded: GradedRanking
) -> tuple[CasePassage, ...]:
    """Return the passages of a case, each with the rank at which it is found."""
    return found_passages(case.passages, ranking, graded)


FEWEST_RESULTS = 6
"""With fewer results, over a third of them may hold a passage for a good reason."""


def common_passages(case: Case, held: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """Return the passages that over a third of the results hold.

    () if there are few results.

    `held`: for each result the indexes of `case.sought_passages` that it holds.
    """
    if len(held) < FEWEST_RESULTS:
        return ()
    counts = Counter(index for indexes in held for index in indexes)
    common = []
    for index, passage in enumerate(case.passages):
        if counts[index] * 3 > len(held):
            common.append(passage.name)
    return tuple(common)


def found_passages(
    passages: Sequence[Passage], ranking: Ranking, graded: GradedRanking
) -> tuple[CasePassage, ...]:
    """Return passages, each with the rank at which it is found.

    The ranks of chunks are not known if a record says what the results hold.
    """
    if not passages:
        return ()
    ranks = _first_ranks(graded.held)
    chunks: dict[int, int] = {}
    if ranking.as_returned and ranking.held is None:
        before = replace(ranking, ids=ranking.as_returned, as_returned=())
        chunks = _first_ranks(held_passages(passages, before))
    all_found = []
    for index, passage in enumerate(passages):
        found = CasePassage(
            text=passage.name,
            grade=passage.grade,
            rank=ranks.get(index),
            key=key_of_passage(passage),
            chunk=chunks.get(index) if index in ranks else None,
        )
        all_found.append(found)
    return tuple(all_found)


def _first_ranks(held: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return {passage: the rank (from 1) of the first result that holds it}."""
    ranks: dict[int, int] = {}
    for rank, indexes in enumerate(held, start=1):
        for index in indexes:
            ranks.setdefault(index, rank)
    return ranks


def key_of_passage(passage: Passage) -> str:
    """Return a short text that is equal for passages with the same quotes.

    The conditions count too, and whether half of a quote is enough. The grade does not:
    it does not decide which texts hold the passage.
    """
    conditions = [condition.for_record for condition in passage.conditions]
    parts = [passage.quotes, conditions, passage.is_context]
    text = json.dumps(parts, ensure_ascii=False)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _quotes_by_text(passages: Sequence[Passage], ranking: Ranking) -> list[list[int]]:
    """Return for each text the indexes of the passages of which it holds a quote."""
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
    conditions: Sequence[FieldCondition], ranking: Ranking, text: int
) -> bool:
    """Say whether the fields of a result meet all conditions.

    A field that is absent, or has a type that cannot be compared, meets none:
    `why_unknown_passages` reports it.
    """
    for condition in conditions:
        value = _field_of_text(ranking, condition.path, text)
        if why_condition_unknown(condition, value):
            return False
        if not meets_condition(condition, value):
            return False
    return True


def _field_of_text(ranking: Ranking, path: str, text: int) -> object:
    values = ranking.fields_of_texts.get(path)
    return Absent() if values is None else values[text]


def _forms_of_passage(passage: Passage) -> Sequence[QuoteForms]:
    """Return the quotes of a passage in the forms in which texts are compared."""
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
