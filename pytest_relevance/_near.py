"""Texts that are nearly the same: in what two ids, or two values of a field, differ.

Each kind of difference is a fold: a function that makes texts equal which differ in
that alone. Two texts are near if all folds together make them equal.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

Fold = Callable[[str], str]

_INVISIBLE = frozenset({"Cf", "Cc"})
_HEX_ID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://(?:www\.)?", re.IGNORECASE)


def _canonical(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _compatible(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _without_white_space(text: str) -> str:
    """Leave out invisible characters and the white space at both ends, and make each
    blank one space.
    """
    visible = []
    for character in text:
        is_blank = character.isspace()
        if is_blank or unicodedata.category(character) not in _INVISIBLE:
            visible.append(" " if is_blank else character)
    return " ".join("".join(visible).split())


def _decoded(text: str) -> str:
    from urllib.parse import unquote  # takes as long as five modules of this package

    return unquote(text).replace("+", " ")


def _unescaped(text: str) -> str:
    from html import unescape

    return unescape(text)


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
    "HTML entities": _unescaped,
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
"""What two texts may differ in, and how it is removed, in the order of removing."""


@lru_cache(maxsize=4096)  # the ids of a ranking are compared with several others
def fold_all(text: str) -> str:
    """Remove all that near texts may differ in."""
    return folded(text)


def folded(text: str, kinds: Iterable[str] = FOLDS) -> str:
    """Remove what near texts may differ in: all kinds of differences, or some of
    them.
    """
    for kind in kinds:
        text = FOLDS[kind](text)
    return text


def difference(one: str, other: str) -> str:
    """Say in what two near texts differ: `case`; empty for equal texts and for texts
    that are not near.
    """
    if one == other or fold_all(one) != fold_all(other):
        return ""
    needed = [*FOLDS]
    for kind in reversed(FOLDS):
        fewer = [each for each in needed if each != kind]
        if folded(one, fewer) == folded(other, fewer):
            needed = fewer
    return " and ".join(needed)


def difference_within(part: str, whole: str) -> str:
    """Say in what a part differs from the text that nearly contains it; empty if the
    text does not.
    """
    if part in whole or fold_all(part) not in fold_all(whole):
        return ""
    for kind, fold in FOLDS.items():
        if fold(part) in fold(whole):
            return kind
    return "spelling"


@dataclass(frozen=True, slots=True)
class NearPair:
    """A text that was wanted, the near one that was found, and in what they differ."""

    wanted: str
    found: str
    how: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Texts that were wanted of one query and were not found, and other texts that were
    found.
    """

    wanted: Sequence[str]
    found: Sequence[str]


def near_pairs(comparisons: Sequence[Comparison]) -> list[NearPair]:
    """Pair texts that were wanted with near ones that were found for the same query."""
    pairs: list[NearPair] = []
    rest: list[Comparison] = []
    for comparison in comparisons:
        own = _pairs_by_fold(comparison)
        pairs += own
        paired = {pair.wanted for pair in own}
        unpaired = [text for text in comparison.wanted if text not in paired]
        rest.append(Comparison(unpaired, comparison.found))
    return [*pairs, *_pairs_by_affix(rest)]


def _pairs_by_fold(comparison: Comparison) -> list[NearPair]:
    """Pair texts that all folds together make equal."""
    found_by_fold: dict[str, str] = {}
    for text in comparison.found:
        found_by_fold.setdefault(fold_all(text), text)
    pairs = []
    for text in comparison.wanted:
        near = found_by_fold.get(fold_all(text))
        how = "" if near is None else difference(text, near)
        if near is not None and how:
            pairs.append(NearPair(text, near, how))
    return pairs


@dataclass(frozen=True, slots=True)
class _Affix:
    """A beginning or an end that texts of one side have, and those of the other side do
    not.
    """

    text: str
    is_prefix: bool
    is_of_found: bool

    @property
    def how(self) -> str:
        return f'{"the beginning" if self.is_prefix else "the end"} "{self.text}"'


def _pairs_by_affix(comparisons: Sequence[Comparison]) -> list[NearPair]:
    """Pair texts that differ by one common prefix or suffix, if enough pairs share it.

    Of several queries at least half must have it. Of one query, two pairs must have it,
    or all texts of its side.
    """
    by_query = [_candidates(comparison) for comparison in comparisons]
    counts: Counter[_Affix] = Counter()
    for candidates in by_query:
        counts.update(candidates.keys())
    if not counts:
        return []
    affix, count = max(
        counts.items(), key=lambda item: (item[1], len(by_query[0].get(item[0], ())))
    )
    pairs: dict[NearPair, None] = {}
    for candidates in by_query:
        pairs |= dict.fromkeys(candidates.get(affix, ()))
    if len(comparisons) > 1:
        return [*pairs] if 2 * count >= len(comparisons) else []
    (only,) = comparisons
    side = only.found if affix.is_of_found else only.wanted
    return [*pairs] if len(pairs) > 1 or _all_have(affix, side) else []


def _candidates(comparison: Comparison) -> dict[_Affix, list[NearPair]]:
    """Map each affix to the pairs of one query of which one text is the other with this
    affix.
    """
    candidates: dict[_Affix, list[NearPair]] = {}
    wanted, found = set(comparison.wanted), set(comparison.found)
    for text in dict.fromkeys(comparison.found):
        for affix, rest in _affixes(text, is_of_found=True):
            if rest in wanted:
                pair = NearPair(rest, text, affix.how)
                candidates.setdefault(affix, []).append(pair)
    for text in dict.fromkeys(comparison.wanted):
        for affix, rest in _affixes(text, is_of_found=False):
            if rest in found:
                pair = NearPair(text, rest, affix.how)
                candidates.setdefault(affix, []).append(pair)
    return candidates


def _affixes(text: str, *, is_of_found: bool) -> Iterator[tuple[_Affix, str]]:
    """Split a text at each mark: the part before it with the mark, or from it on, is an
    affix of the rest.
    """
    for index, character in enumerate(text):
        if character.isalnum():
            continue
        before, after = text[: index + 1], text[index + 1 :]
        if after:
            yield _Affix(before, is_prefix=True, is_of_found=is_of_found), after
        if index:
            end = text[index:]
            yield _Affix(end, is_prefix=False, is_of_found=is_of_found), text[:index]


def _all_have(affix: _Affix, texts: Collection[str]) -> bool:
    if affix.is_prefix:
        return all(text.startswith(affix.text) for text in texts)
    return all(text.endswith(affix.text) for text in texts)
