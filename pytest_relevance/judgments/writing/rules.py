"""What ids, texts and names may not have in a format: patterns with their words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_relevance._text import quoted
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.writing.keys import all_queries


@dataclass(frozen=True, slots=True)
class Rule:
    """What a text may not have: a pattern, and what that is in words. {it} in these is one text, or each of several."""

    pattern: re.Pattern[str]
    words: str


BLANK = Rule(re.compile(r"\A\s*\Z"), "{it} is blank")
EMPTY = Rule(re.compile(r"\A\Z"), "{it} is empty")
NO_TEXT = Rule(re.compile("[\ud800-\udfff]"), "{it} has half of a surrogate pair, which is no text")
NUL = Rule(re.compile("\0"), "there is a NUL character in {it}")
TAB = Rule(re.compile(r"[\t\r\n]"), "there is a tab or a line break in {it}")
EDGES = Rule(re.compile(r"\A\s|\s\Z"), "{it} begins or ends with white space")
WHITE = Rule(re.compile(r"\s"), "there is white space in {it}, which separates columns")
SPACED = Rule(re.compile(r"\s"), "{it} is a text (there is white space in {it}), and queries go by ids there")
COMMENT = Rule(re.compile(r"\A[#\ufeff]"), "{it} begins as a comment does")
LETOR = Rule(re.compile(r"\Adocid(?:=|\Z)"), "{it} begins as LETOR's documents do")
NO_NUMBER = Rule(re.compile(r"\A(?![0-9]+\Z)"), "{it} is no whole number")

MOST_NAMED = 3

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
IDS_ALONE = Allowed((*IN_A_LINE.queries, SPACED, COMMENT), IN_A_LINE.documents)


class Breaches:
    """What breaks the rules of a format, by kind: 10,000 documents with white space in them are one mistake."""

    def __init__(self, format: str) -> None:
        self._format = format
        self._found: dict[tuple[str, Rule], list[str]] = {}

    def look(self, text: str, rules: Iterable[Rule], name: str, several: str) -> None:
        """Look at a text, and keep its name if it breaks a rule: the first. `several` is what many of its kind are."""
        rule = broken(text, rules)
        if rule is not None:
            self._found.setdefault((several, rule), []).append(name)

    def lines(self) -> Iterator[str]:
        """A line for each kind."""
        for (several, rule), names in self._found.items():
            if len(names) == 1:
                yield f"{names[0]}: {rule.words.format(it='it')}; {self._format} cannot hold it"
                continue
            more = "; ..." if len(names) > MOST_NAMED else ""
            named = f"{len(names):,} {several} ({'; '.join(names[:MOST_NAMED])}{more})"
            yield f"{named}: {rule.words.format(it='each')}; {self._format} cannot hold them"


def broken(text: str, rules: Iterable[Rule]) -> Rule | None:
    """The first rule that a text breaks."""
    return next((rule for rule in rules if rule.pattern.search(text)), None)


def broken_by(judgments: Judgments, allowed: Allowed, format: str, *, texts: bool, raters: bool) -> Iterator[str]:
    """What is wrong with the ids of queries and documents, and with the texts and names of raters to be written.

    Queries are named by their texts: their ids may be new, and nobody has seen them yet.
    """
    found = Breaches(format)
    for query in all_queries(judgments):
        found.look(query, allowed.queries, f"query {quoted(query)}", "queries")
        text = judgments.text(query)
        if texts and (text != query or allowed.texts):
            found.look(text, allowed.texts or allowed.queries, f"query {quoted(text)}", "queries")
    is_wrong = _any_of(allowed.documents).search
    wrong: list[str] = []
    for query, documents in judgments.items():
        for document in filter(is_wrong, documents):
            name = f"query {quoted(judgments.text(query))}, document {quoted(document)}"
            found.look(document, allowed.documents, name, "documents")
            wrong.append(document)
    for rater in judgments.raters if raters else ():
        found.look(rater, allowed.documents, f"rater {quoted(rater)}", "raters")
    yield from found.lines()
    if wrong and all(broken(document, IN_CELLS.documents) is None for document in wrong):
        yield "documents keep their ids, by which the search knows them; CSV can hold these"


def _any_of(rules: Sequence[Rule]) -> re.Pattern[str]:
    """One search for all rules: there may be a million documents."""
    return re.compile("|".join(f"(?:{rule.pattern.pattern})" for rule in rules))
