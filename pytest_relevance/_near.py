"""Find texts that are nearly the same, and say how they differ.

The texts are ids, or values of a field. For each kind of difference, such as case, a
function of `FOLDS` makes texts equal that differ in nothing else. Two texts are near if
all these functions together make them equal.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from html import unescape
from itertools import chain
from urllib.parse import unquote

Fold = Callable[[str], str]

_INVISIBLE = frozenset({"Cf", "Cc"})
_HEX_ID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://(?:www\.)?", re.IGNORECASE)


def _canonical(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _compatible(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _without_white_space(text: str) -> str:
    """Return a text without invisible characters, and with one blank between words."""
    visible = []
    for character in text:
        is_blank = character.isspace()
        if is_blank or unicodedata.category(character) not in _INVISIBLE:
            visible.append(" " if is_blank else character)
    return " ".join("".join(visible).split())


def _decoded(text: str) -> str:
    return unquote(text).replace("+", " ")


def _without_slash(text: str) -> str:
    return text.rstrip("/") or text


def _with_slashes(text: str) -> str:
    return text.replace("\\", "/")


def _without_scheme(text: str) -> str:
    return _ADDRESS.sub("", text, count=1) if _ADDRESS.match(text) else text


def _with_hyphens(text: str) -> str:
    if _HEX_ID.fullmatch(text):
        return text.replace("-", "")
    return text.replace("_", "-")


FOLDS: dict[str, Fold] = {
    "HTML entities": unescape,
    "percent-encoding": _decoded,
    "Unicode form (NFC and NFD)": _canonical,
    "Unicode form (NFKC)": _compatible,
    "white space": _without_white_space,
    "slashes and backslashes": _with_slashes,
    "a trailing slash": _without_slash,
    "the beginning of an address (http, https, www)": _without_scheme,
    "hyphens and underscores": _with_hyphens,
    "case": str.casefold,
}
"""The kinds of differences, each with its fold, in the order of folding."""


@lru_cache(maxsize=4096)  # the ids of a ranking are compared with several others
def fold_all(text: str) -> str:
    """Return a text folded by all kinds of `FOLDS`. Near texts become the same text."""
    return fold_by(FOLDS, text)


def fold_by(kinds: Iterable[str], text: str) -> str:
    """Return a text folded by these kinds of `FOLDS`."""
    for kind in kinds:
        text = FOLDS[kind](text)
    return text


def difference(one: str, other: str) -> str:
    """Return the kinds in which two near texts differ: `case and a trailing slash`.

    Kinds that are not needed to make the texts equal are left out. "" for equal texts,
    and for texts that are not near.
    """
    if one == other or fold_all(one) != fold_all(other):
        return ""
    needed = [*FOLDS]
    for kind in reversed(FOLDS):
        fewer = [each for each in needed if each != kind]
        if fold_by(fewer, one) == fold_by(fewer, other):
            needed = fewer
    return " and ".join(needed)


def difference_within(part: str, whole: str) -> str:
    """Return how `part` differs from the near text that `whole` contains.

    This is a kind of `FOLDS`, for example `case`; `spelling` if several kinds differ.
    "" if `whole` contains `part` as it is, or contains no near text.
    """
    if part in whole or fold_all(part) not in fold_all(whole):
        return ""
    for kind, fold in FOLDS.items():
        if fold(part) in fold(whole):
            return kind
    return "spelling"


@dataclass(frozen=True, slots=True)
class NearPair:
    """A text that was wanted, a near text that was found, and how they differ."""

    wanted: str
    found: str
    how: str


@dataclass(frozen=True, slots=True)
class Unmatched:
    """The texts that a query should have found, and the texts that it found instead."""

    wanted: Sequence[str]
    found: Sequence[str]


def near_pairs(queries: Sequence[Unmatched]) -> list[NearPair]:
    """Return the pairs of a text that a query wanted and one that it found instead.

    The two are near, or differ by a prefix or suffix that many pairs have.
    """
    pairs: list[NearPair] = []
    rest: list[Unmatched] = []
    for query in queries:
        of_query = _pairs_by_fold(query)
        pairs += of_query
        paired = {pair.wanted for pair in of_query}
        unpaired = [text for text in query.wanted if text not in paired]
        rest.append(Unmatched(unpaired, query.found))
    return [*pairs, *_pairs_by_affix(rest)]


def _pairs_by_fold(query: Unmatched) -> list[NearPair]:
    """Return the pairs of near texts: one that was wanted, and one that was found."""
    found_by_fold: dict[str, str] = {}
    for text in query.found:
        found_by_fold.setdefault(fold_all(text), text)
    pairs = []
    for text in query.wanted:
        near = found_by_fold.get(fold_all(text))
        how = "" if near is None else difference(text, near)
        if near is not None and how:
            pairs.append(NearPair(text, near, how))
    return pairs


@dataclass(frozen=True, slots=True)
class _Affix:
    """A prefix or a suffix that only the texts on one side have.

    `is_of_found`: whether the texts that were found have it; otherwise the texts that
    were wanted have it.
    """

    text: str
    is_prefix: bool
    is_of_found: bool

    @property
    def how(self) -> str:
        return f'{"the beginning" if self.is_prefix else "the end"} "{self.text}"'


def _pairs_by_affix(queries: Sequence[Unmatched]) -> list[NearPair]:
    """Return the pairs of texts that differ by one common prefix or suffix.

    Empty if it may be chance. Of several queries, at least half must have such a pair.
    A single query needs two pairs, or the prefix or suffix must be on all texts of one
    side.
    """
    pairs_by_query = [_pairs_of_each_affix(query) for query in queries]
    affix = _commonest_affix(pairs_by_query)
    if affix is None:
        return []
    having = [pairs[affix] for pairs in pairs_by_query if affix in pairs]
    pairs = list(dict.fromkeys(chain.from_iterable(having)))
    if len(queries) > 1:
        are_enough = 2 * len(having) >= len(queries)
    else:
        side = queries[0].found if affix.is_of_found else queries[0].wanted
        are_enough = len(pairs) > 1 or _all_have(affix, side)
    return pairs if are_enough else []


def _commonest_affix(
    pairs_by_query: Sequence[Mapping[_Affix, Sequence[NearPair]]],
) -> _Affix | None:
    """Return the prefix or suffix that occurs in the most queries; None if none does.

    Of several that occur equally often, the one with the most pairs in the first query
    is returned.
    """
    counts: Counter[_Affix] = Counter()
    for pairs in pairs_by_query:
        counts.update(pairs.keys())

    def frequency(affix: _Affix) -> tuple[int, int]:
        return counts[affix], len(pairs_by_query[0].get(affix, ()))

    return max(counts, key=frequency, default=None)


def _pairs_of_each_affix(query: Unmatched) -> dict[_Affix, list[NearPair]]:
    """Return the pairs of a query that differ by a prefix or suffix, grouped by it."""
    pairs: dict[_Affix, list[NearPair]] = {}
    wanted, found = set(query.wanted), set(query.found)
    for text in dict.fromkeys(query.found):
        for affix, rest in _affixes(text, is_of_found=True):
            if rest in wanted:
                pair = NearPair(wanted=rest, found=text, how=affix.how)
                pairs.setdefault(affix, []).append(pair)
    for text in dict.fromkeys(query.wanted):
        for affix, rest in _affixes(text, is_of_found=False):
            if rest in found:
                pair = NearPair(wanted=text, found=rest, how=affix.how)
                pairs.setdefault(affix, []).append(pair)
    return pairs


def _affixes(text: str, *, is_of_found: bool) -> Iterator[tuple[_Affix, str]]:
    """Yield each way to split a text at a punctuation mark: an affix and the rest.

    The mark belongs to the affix: `shop-` and `7`, or `-7` and `shop`, for `shop-7`.
    """
    for index, character in enumerate(text):
        if character.isalnum():
            continue
        prefix, after = text[: index + 1], text[index + 1 :]
        if after:
            yield _Affix(prefix, is_prefix=True, is_of_found=is_of_found), after
        before, suffix = text[:index], text[index:]
        if before:
            yield _Affix(suffix, is_prefix=False, is_of_found=is_of_found), before


def _all_have(affix: _Affix, texts: Collection[str]) -> bool:
    if affix.is_prefix:
        return all(text.startswith(affix.text) for text in texts)
    return all(text.endswith(affix.text) for text in texts)


# --- ids that a spreadsheet has changed -----------------------------------------------

_NUMBER = re.compile("[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]{1,3})?")
_LONGEST_NUMBER = 28  # characters; a Decimal keeps as many digits
_SPREADSHEET_DIGITS = 15
"""How many digits of a number a spreadsheet keeps."""

_SCIENTIFIC = 10**11
"""The least number that a spreadsheet shows in scientific notation."""


def spreadsheet_number(text: str) -> Decimal | None:
    """Return the number that a spreadsheet takes an id for: 7 for "7", "007", "7.0".

    None if it takes the id for text, or if the id has more than 28 characters.
    """
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return None
    return Decimal(text).normalize()


def are_one_number(one: str, other: str) -> bool:
    """Say whether a spreadsheet could have changed one of two ids into the other.

    A spreadsheet writes 007 as 7 or 7.0, and 1234567890123 as 1.23457E+12. Of a longer
    number it keeps 15 digits. False if the ids are equal, or if one is not a number.
    """
    first, second = spreadsheet_number(one), spreadsheet_number(other)
    if one == other or first is None or second is None:
        return False
    rounded, exact = sorted((first, second), key=_digits_of)
    if rounded == exact:
        return True
    is_scientific = "e" in f"{one}{other}".lower() and abs(exact) >= _SCIENTIFIC
    digits = _digits_of(rounded) if is_scientific else _SPREADSHEET_DIGITS
    if digits >= _digits_of(exact):
        return False
    for rounding in (ROUND_DOWN, ROUND_HALF_EVEN):
        if rounded == Context(prec=digits, rounding=rounding).plus(exact):
            return True
    return False


def _digits_of(number: Decimal) -> int:
    return len(number.as_tuple().digits)
