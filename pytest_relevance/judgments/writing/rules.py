"""What ids, texts and names may not have in a format: patterns with their words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.writing.keys import all_queries
from pytest_relevance.wording import quoted


@dataclass(frozen=True, slots=True)
class Rule:
    """What a text may not have: a pattern, and what that is in words."""

    pattern: re.Pattern[str]
    words: str


BLANK = Rule(re.compile(r"\A\s*\Z"), "it is blank")
EMPTY = Rule(re.compile(r"\A\Z"), "it is empty")
NO_TEXT = Rule(re.compile("[\ud800-\udfff]"), "it has half of a surrogate pair, which is no text")
NUL = Rule(re.compile("\0"), "there is a NUL character in it")
TAB = Rule(re.compile(r"[\t\r\n]"), "there is a tab or a line break in it")
EDGES = Rule(re.compile(r"\A\s|\s\Z"), "it begins or ends with white space")
WHITE = Rule(re.compile(r"\s"), "there is white space in it, which separates columns")
COMMENT = Rule(re.compile(r"\A[#\ufeff]"), "it begins as a comment does")
LETOR = Rule(re.compile(r"\Adocid(?:=|\Z)"), "it begins as LETOR's documents do")
NO_NUMBER = Rule(re.compile(r"\A(?![0-9]+\Z)"), "it is no whole number")

Rules = tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Allowed:
    """The rules of a format: for the ids of queries, for those of documents, and for texts of queries, if others."""

    queries: Rules
    documents: Rules
    texts: Rules = ()


ANY_TEXT = Allowed((BLANK, NO_TEXT), (EMPTY, NO_TEXT))
IN_JSON = Allowed((BLANK, NO_TEXT), (BLANK, NO_TEXT))
IN_CELLS = Allowed((BLANK, NO_TEXT, NUL), (EMPTY, NO_TEXT, NUL))
IN_A_LINE = Allowed((*IN_CELLS.queries, TAB), (*IN_CELLS.documents, TAB))
IN_WORDS = Allowed((*IN_CELLS.queries, WHITE, COMMENT), (*IN_CELLS.documents, WHITE))
IN_LTR = Allowed((NO_NUMBER,), (*IN_WORDS.documents, LETOR), (*IN_A_LINE.queries, EDGES))
IDS_IN_WORDS = Allowed(IN_WORDS.queries, IN_A_LINE.documents)


def broken(text: str, rules: Iterable[Rule], what: str, format: str) -> Iterator[str]:
    """What is said of a text that breaks a rule, of the first it breaks."""
    for rule in rules:
        if rule.pattern.search(text):
            yield f"{what}: {rule.words}; {format} cannot hold it"
            return


def broken_by(judgments: Judgments, allowed: Allowed, format: str, *, texts: bool, raters: bool) -> Iterator[str]:
    """What is wrong with the ids of queries and documents, and with the texts and names of raters to be written."""
    for query in all_queries(judgments):
        yield from broken(query, allowed.queries, f"query {quoted(query)}", format)
        text = judgments.text(query)
        if texts and (text != query or allowed.texts):
            yield from broken(text, allowed.texts or allowed.queries, f"query {quoted(text)}", format)
    is_wrong = _any_of(allowed.documents).search
    for query, documents in judgments.items():
        for document in filter(is_wrong, documents):
            what = f"query {quoted(query)}, document {quoted(document)}"
            yield from broken(document, allowed.documents, what, format)
    for rater in judgments.raters if raters else ():
        yield from broken(rater, allowed.documents, f"rater {quoted(rater)}", format)


def _any_of(rules: Sequence[Rule]) -> re.Pattern[str]:
    """One search for all rules: there may be a million documents."""
    return re.compile("|".join(f"(?:{rule.pattern.pattern})" for rule in rules))
