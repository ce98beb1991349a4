"""The limits of formats: the characters that ids and texts may have, and the information there is a place for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pytest_relevance._text import counted, listed, quoted
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.scale import AGGREGATES, aggregate

IN_QUERIES = "; --queries-out writes them to a file of queries"


class Forbidden(NamedTuple):
    """Something that a text may not have: a pattern and its description, {it} for one text or "each" of several."""

    pattern: str
    words: str


_BLANK = Forbidden(r"\A\s*\Z", "{it} is blank")
_EMPTY = Forbidden(r"\A\Z", "{it} is empty")
_NO_TEXT = Forbidden("[\ud800-\udfff]", "{it} has half of a surrogate pair, which is no text")
_NUL = Forbidden("\0", "there is a NUL character in {it}")
_TAB = Forbidden(r"[\t\r\n]", "there is a tab or a line break in {it}")
_EDGES = Forbidden(r"\A\s|\s\Z", "{it} begins or ends with white space")
_WHITE = Forbidden(r"\s", "there is white space in {it}, which separates columns")
_SPACED = Forbidden(r"\s", "{it} is a text (there is white space in {it}), and queries go by ids there")
_COMMENT = Forbidden(r"\A[#\ufeff]", "{it} begins as a comment does")
_LETOR = Forbidden(r"\Adocid(?:=|\Z)", "{it} begins as LETOR's documents do")
_NO_NUMBER = Forbidden(r"\A(?![0-9]+\Z)", "{it} is no whole number")

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Limits:
    """What is forbidden in a format: in ids of queries, in ids of documents, and in texts of queries (if different)."""

    queries: tuple[Forbidden, ...]
    documents: tuple[Forbidden, ...]
    texts: tuple[Forbidden, ...] = ()


ANY_TEXT = Limits((_BLANK, _NO_TEXT), (_EMPTY, _NO_TEXT))
IN_JSON = Limits((_BLANK, _NO_TEXT), (_BLANK, _NO_TEXT))
IN_CELLS = Limits((_BLANK, _NO_TEXT, _NUL), (_EMPTY, _NO_TEXT, _NUL))
IN_A_LINE = Limits((*IN_CELLS.queries, _TAB), (*IN_CELLS.documents, _TAB))
IN_WORDS = Limits((*IN_CELLS.queries, _WHITE, _COMMENT), (*IN_CELLS.documents, _WHITE))
IN_LTR = Limits((_NO_NUMBER,), (*IN_WORDS.documents, _LETOR), (*IN_A_LINE.queries, _EDGES))
IDS_ALONE = Limits((*IN_A_LINE.queries, _SPACED, _COMMENT), IN_A_LINE.documents)


def first_forbidden(text: str, limits: Iterable[Forbidden]) -> Forbidden | None:
    """Find the first of the limits that a text exceeds."""
    return next((limit for limit in limits if re.search(limit.pattern, text)), None)


def forbidden_in(judgments: Judgments, limits: Limits, holds: frozenset[str], format: str) -> Iterator[str]:
    """Check ids of queries and documents, and what else a format `holds`: texts and notes of queries, names of raters.

    Texts are grouped by kind and reason: white space in 10,000 documents is one mistake.
    """
    found: dict[tuple[str, Forbidden], list[tuple[str, str]]] = {}
    for several, name, text, of_kind in _written_texts(judgments, limits, holds):
        limit = first_forbidden(text, of_kind)
        if limit is not None:
            found.setdefault((several, limit), []).append((name, text))
    for (several, limit), breaches in found.items():
        names = [name for name, _ in breaches]
        if len(names) == 1:
            yield f"{names[0]}: {limit.words.format(it='it')}; {format} cannot hold it"
            continue
        more = "; ..." if len(names) > _MOST_NAMED else ""
        named = f"{len(names):,} {several} ({'; '.join(names[:_MOST_NAMED])}{more})"
        yield f"{named}: {limit.words.format(it='each')}; {format} cannot hold them"
    documents = [text for (several, _), breaches in found.items() if several == "documents" for _, text in breaches]
    if documents and all(first_forbidden(document, IN_CELLS.documents) is None for document in documents):
        yield "documents keep their ids, by which the search knows them; CSV can hold these"


def _written_texts(
    judgments: Judgments, limits: Limits, holds: frozenset[str]
) -> Iterator[tuple[str, str, str, tuple[Forbidden, ...]]]:
    """The kind of each text, its name in messages, the text and its limits; of documents the forbidden ones alone.

    Messages name queries by their texts: their ids may be new, and unknown to the user.
    """
    of_texts = limits.texts or limits.queries
    for query in judgments.all_queries:
        text = judgments.text(query)
        yield "queries", f"query {quoted(query)}", query, limits.queries
        if "texts" in holds and (text != query or limits.texts):
            yield "queries", f"query {quoted(text)}", text, of_texts
        note = judgments.queries[query].note if "notes" in holds and query in judgments.queries else None
        if note:
            yield "notes", f"the note of query {quoted(text)}", note, of_texts
    # one pattern for all limits: there may be a million documents
    is_wrong = re.compile("|".join(f"(?:{limit.pattern})" for limit in limits.documents)).search
    for query, documents in judgments.items():
        for document in filter(is_wrong, documents):
            name = f"query {quoted(judgments.text(query))}, document {quoted(document)}"
            yield "documents", name, document, limits.documents
    for rater in judgments.raters if "raters" in holds else ():
        yield "raters", f"rater {quoted(rater)}", rater, limits.documents


def _with_another_text(judgments: Judgments) -> int:
    return sum(judgments.text(query) != query for query in judgments.all_queries)


_QUERIES = ("query", "queries")
_DOCUMENTS = ("document", "documents")
_COMBINED = "; the grade that their ratings make is written"

CONTENTS: Mapping[str, tuple[Callable[[Judgments], int], str, tuple[str, str], str]] = {
    "ids": (_with_another_text, "the ids of ", _QUERIES, ""),
    "texts": (_with_another_text, "the texts of ", _QUERIES, IN_QUERIES),
    "weights": (
        lambda it: sum(query.weight != 1 for query in it.queries.values()),
        "the weights of ",
        _QUERIES,
        IN_QUERIES,
    ),
    "params": (lambda it: sum(bool(query.params) for query in it.queries.values()), "the params of ", _QUERIES, ""),
    "notes": (lambda it: sum(bool(query.note) for query in it.queries.values()), "the notes of ", _QUERIES, IN_QUERIES),
    "unrated": (lambda it: len(it.unrated), "", ("query without judgments", "queries without judgments"), IN_QUERIES),
    "titles": (lambda it: sum(map(len, it.titles.values())), "the titles of ", _DOCUMENTS, ""),
    "raters": (lambda it: sum(map(len, it.ratings.values())), "the raters of ", _DOCUMENTS, _COMBINED),
}
"""All that judgments may have but the grades: its amount, its name in a message, what helps if it is lost."""


def lost(judgments: Judgments, holds: frozenset[str], format: str) -> Iterator[str]:
    """Yield a sentence for each of `CONTENTS` that the judgments have and the format has no place for."""
    for name, (amount, words, of, advice) in CONTENTS.items():
        count = amount(judgments) if name not in holds else 0
        if count:
            yield f"{words}{counted(count, *of)}, which {format} cannot hold{advice}"


def aggregate_of(judgments: Judgments) -> str | None:
    """Find the aggregate (median, mean ...) by which the ratings give exactly the grades; None where none does."""
    for how in AGGREGATES:
        if all(
            aggregate(list(given.values()), how) == judgments.get(query, {}).get(document)
            for query, documents in judgments.ratings.items()
            for document, given in documents.items()
        ):
            return how
    return None


def lost_in_combining(judgments: Judgments) -> list[str]:
    """Say what is lost where ratings are written and reading them does not make the same grades by default."""
    how = aggregate_of(judgments)
    if how == "median":
        return []
    if how is not None:
        return [f"how the ratings make a grade, which is their {how} here; say raters: {how} where the file is read"]
    return [f"the grades where they are not the {listed(AGGREGATES)} of their ratings: the ratings are written"]


def cleaned(titles: Sequence[str], clean: Callable[[str], str], format: str) -> tuple[list[str], list[str]]:
    """Remove from titles what a format cannot store, and report it."""
    kept = list(map(clean, titles))
    changed = sum(title != before for title, before in zip(kept, titles, strict=True))
    message = (
        f"line breaks, tabs and the like in the titles of {counted(changed, 'document')}: {format} has spaces there"
    )
    return kept, [message] if changed else []
