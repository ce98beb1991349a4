"""Find out which text nearly holds a quote, and what is different.

If no result holds a quote, the search may have missed it. Or an extraction has changed
the text, or a splitter has cut it. `near_miss` finds out which. The function is slow,
and called only for failed cases.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from pytest_relevance.passages.characters import (
    LINE_HYPHEN,
    begins_at,
    ends_at,
    is_of_word,
)
from pytest_relevance.passages.differences import Difference
from pytest_relevance.passages.matching import quote_forms, text_forms


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A text that nearly holds a quote.

    `difference`: what is different.
    `texts`: the index (from 0) of the text. If the quote was split, the index of the
        text that ends within it, then that of the text that begins within it.
    `wanted`: what the quote has at the first difference. If the text ends or begins
        within the quote, what is missing. Empty if the text has something more.
    `found`: what the text has at the first difference. Empty if it lacks something.
    """

    difference: Difference
    texts: tuple[int, ...]
    wanted: str = ""
    found: str = ""


_MARKS = re.compile(r"[\W_]+")
_ACCENTS = re.compile("[\u0300-\u036f]")

_PIECE = 6
"""The letters of a piece of a quote.

A text that has few pieces of a quote is not compared with it, which saves time.
"""

_FEWEST_PIECES = 0.4
"""The least share of the pieces of a quote in a text that is compared with it."""

_FEWEST_LETTERS = 8
"""The fewest letters and digits of a quote for which near misses are looked for."""

_MOST_WRONG = 0.2
"""The greatest share of the words of a quote that differ in a near miss."""

_MOST_BETWEEN = 12
"""The most words of a text that may stand between two words of a quote."""


def near_miss(quotes: Sequence[str], texts: Sequence[str]) -> NearMiss | None:
    """Return the near miss of a passage that no text holds; None if there is none.

    The first of these that there is:

    1. the most similar text, if its words are those of the quote
    2. a quote that is split over two texts, or that the most similar text cuts
    3. the most similar text, with other words
    4. any text that cuts the quote

    `quotes`: the quotes of the passage, of which one is enough.
    `texts`: the texts of results, best first.
    """
    plain_quotes = [_plain(quote_forms(quote).forms[-1]) for quote in quotes]
    plain_texts = [_plain_text(text) for text in texts]
    nearest = _most_similar(plain_quotes, plain_texts)
    if nearest is not None and nearest.difference != Difference.WORDS:
        return nearest
    cut = _first_cut(plain_quotes, plain_texts)
    if cut is None or nearest is None:
        return cut or nearest
    # Words are missing in a text that was cut: its end says more than the words.
    is_cut = cut.difference == Difference.SPLIT or cut.texts == nearest.texts
    return cut if is_cut else nearest


@dataclass(frozen=True, slots=True)
class _Plain:
    """A quote or a text in its plain form.

    `text`: normalised, without markup. Words at the ends of lines are whole.
    `letters`: only the letters and digits, without accents.
    """

    text: str
    letters: str


def _plain(form: str) -> _Plain:
    """Return the plain form of a normalised text."""
    text = form.replace(LINE_HYPHEN, "")
    return _Plain(text, _letters(text))


@lru_cache(maxsize=1000)
def _plain_text(text: str) -> _Plain:
    """Return the plain form of a text, in which several passages are looked for."""
    return _plain(text_forms(text)[-1])


def _most_similar(quotes: Sequence[_Plain], texts: Sequence[_Plain]) -> NearMiss | None:
    """Return the text with the fewest differences from a quote; None if all have many.

    Of several such texts it is the first.
    """
    nearest: NearMiss | None = None
    fewest = float("inf")
    for quote in quotes:
        for index, text in enumerate(texts):
            if not _may_have(text.letters, quote.letters):
                continue
            differences = _differences(_words(quote.text), _words(text.text))
            if differences and len(differences) < fewest:
                fewest = len(differences)
                nearest = _near_miss_of(differences, index)
    return nearest


def _first_cut(quotes: Sequence[_Plain], texts: Sequence[_Plain]) -> NearMiss | None:
    """Return the near miss of the first quote within which texts were cut.

    None if there is no such quote.
    """
    for quote in quotes:
        cut = _cut(quote, texts)
        if cut is not None:
            return cut
    return None


def _letters(text: str) -> str:
    """Return the letters and digits of a text, without accents."""
    text = _MARKS.sub("", text)
    if text.isascii():
        return text
    text = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", text)


def _may_have(letters_of_text: str, letters: str) -> bool:
    """Say whether a text has enough pieces of a quote to be compared with it."""
    if len(letters) < _FEWEST_LETTERS:
        return False
    places = range(0, len(letters) - _PIECE + 1, _PIECE)
    pieces = [letters[place : place + _PIECE] for place in places]
    had = sum(piece in letters_of_text for piece in pieces)
    return had >= _FEWEST_PIECES * len(pieces)


def _words(text: str) -> list[str]:
    """Return the words, numbers and marks of a text."""
    words = []
    start = 0
    for place in range(1, len(text)):
        if begins_at(text, place) and ends_at(text, place):
            words.append(text[start:place].strip())
            start = place
    words.append(text[start:].strip())
    return [word for word in words if word]


# Texts with differences


@dataclass(frozen=True, slots=True)
class _Step:
    """Words of a quote, and the words that a text has in their place."""

    wanted: list[str]
    found: list[str]


def _differences(quote: list[str], text: list[str]) -> list[_Step]:
    """Return the differences between a quote and the most similar place in a text.

    Empty if there are too many for a near miss.
    """
    # The longest run of equal words shows where the quote would begin in the text.
    alike = SequenceMatcher(None, text, quote, autojunk=False).find_longest_match()
    place = alike.a - alike.b
    slack = _MOST_BETWEEN + len(quote) // 4
    window = text[max(place - slack, 0) : place + len(quote) + slack]
    matcher = SequenceMatcher(None, window, quote, autojunk=False)
    steps = []
    for kind, begin, end, first, last in matcher.get_opcodes():
        wanted, found = quote[first:last], window[begin:end]
        if first == 0:  # the text may have anything before the quote
            found = _first_words(found[::-1], wanted)[::-1]
        elif last == len(quote):  # and after it
            found = _first_words(found, wanted)
        if kind != "equal" and (wanted or found):
            steps.append(_Step(wanted, found))
    return steps if _are_few(steps, quote) else []


def _first_words(words: list[str], others: Sequence[str]) -> list[str]:
    """Return the fewest first words that together are at least as long as the others.

    [] if the others are marks alone: words beside a quote do not stand for a mark.
    """
    if not _letters("".join(others)):
        return []
    length = sum(map(len, others))
    for count in range(len(words)):
        if sum(map(len, words[:count])) >= length:
            return words[:count]
    return words


def _are_few(steps: Sequence[_Step], quote: Sequence[str]) -> bool:
    """Say whether the differences are so few that the text nearly holds the quote.

    Other marks, spaces and accents are always few. Other words are few if most words of
    the quote are left.
    """
    if _kind(steps) != Difference.WORDS:
        return True
    wrong = 0
    for step in steps:
        if len(step.found) > len(step.wanted) + _MOST_BETWEEN:
            return False
        wrong += len(step.wanted) or 1
    return wrong <= _MOST_WRONG * len(quote)


def _kind(steps: Sequence[_Step]) -> Difference:
    """Return the least kind of difference that explains all differences."""
    wanted = "".join("".join(step.wanted) for step in steps)
    found = "".join("".join(step.found) for step in steps)
    if not any(map(is_of_word, wanted + found)):
        return Difference.MARKS
    if _MARKS.sub("", wanted) == _MARKS.sub("", found):
        return Difference.SPACES
    if _letters(wanted) == _letters(found):
        return Difference.ACCENTS
    return Difference.WORDS


def _near_miss_of(steps: Sequence[_Step], index: int) -> NearMiss:
    """Return the near miss in the text at an index, with its first difference."""
    first = steps[0]
    return NearMiss(
        _kind(steps),
        (index,),
        wanted=" ".join(first.wanted),
        found=" ".join(first.found),
    )


# Texts that were cut within a quote


def _cut(quote: _Plain, texts: Sequence[_Plain]) -> NearMiss | None:
    """Return the texts that were cut within a quote; None if there are none.

    Two texts that have the quote together are looked for first, then one text with at
    least half of the quote.
    """
    letters = quote.letters
    beginnings = [_length_at_end(text.letters, letters) for text in texts]
    backwards = letters[::-1]
    ends = [_length_at_end(text.letters[::-1], backwards) for text in texts]
    for first, beginning in enumerate(beginnings):
        for second, end in enumerate(ends):
            is_whole = beginning + end >= len(letters) and min(beginning, end) > 0
            if is_whole and first != second:
                return NearMiss(Difference.SPLIT, (first, second))
    enough = max(len(letters) / 2, _FEWEST_LETTERS)
    longest = max(beginnings, default=0)
    if len(letters) > longest >= enough:
        had, missing = _divided(quote.text, longest)
        index = beginnings.index(longest)
        return NearMiss(Difference.ENDS_WITHIN, (index,), wanted=missing, found=had)
    longest = max(ends, default=0)
    if len(letters) > longest >= enough:
        missing, had = _divided(quote.text, len(letters) - longest)
        index = ends.index(longest)
        return NearMiss(Difference.BEGINS_WITHIN, (index,), wanted=missing, found=had)
    return None


def _length_at_end(text: str, letters: str) -> int:
    """Return how many of the first letters of a quote stand at the end of a text."""
    for length in range(min(len(letters), len(text)), 0, -1):
        if text.endswith(letters[:length]):
            return length
    return 0


def _divided(quote: str, count: int) -> tuple[str, str]:
    """Return a quote in two parts. The first part has `count` letters."""
    place = 0
    while len(_letters(quote[:place])) < count:
        place += 1
    return quote[:place].strip(), quote[place:].strip()
