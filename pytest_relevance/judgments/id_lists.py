"""Recognise cells that hold several ids of documents: `m-12;faq-3`, `["a", "b"]`.

A cell should have one document. A separator is no proof of a list, because an id may
have one: `products|17`, `Paris, Texas`, a DOI with a semicolon. So a cell counts as a
list only if there is evidence:

- It is a list in JSON or Python: `["a"]`, `['a', 'b']`, `[1, 2]`.
- Each part is also a cell of its own in the file. Words that a comma and a blank
  separate are an exception: `Paris`, `Texas` and `Paris, Texas` may be three articles.
- The parts are alike: all are URLs, UUIDs, names of files with one ending, or have one
  pattern of letters and digits (`m-12` and `faq-3`), or all are numbers.

Ids that a bar joins from parts are not lists. All ids of such a file have the same
number of parts, which are numbers (`12|34`) or have a prefix for each place
(`store-1|sku-7`, `store-2|sku-9`).

A cell with weaker evidence is doubtful: readers name it, and read it as one id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

SURE, DOUBTFUL, NONE = "sure", "doubtful", "none"
"""How strong the evidence is that a cell is a list."""

_BRACKETS = frozenset("[({")
_QUOTED_LIST = re.compile(r"""[\[({]\s*(["'])(.*)\1\s*,?\s*[\])}]""", re.DOTALL)
_BARE_LIST = re.compile(r"\[([^\[\]\"']+)\]")
_BETWEEN_QUOTES = re.compile(r"""["']\s*,?\s*["']""")

_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_ENDING = re.compile(r"\.[a-z][a-z0-9]{1,4}$", re.IGNORECASE)


@dataclass
class IdLists:
    """The cells of a file that hold several ids, as {cell: its ids}.

    `sure`: cells that certainly hold several ids.
    `doubtful`: cells that may hold several ids.
    """

    sure: dict[str, Sequence[str]] = field(default_factory=dict)
    doubtful: dict[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Split:
    """A cell, and its parts between the separators.

    `known`: whether each part is also a cell of its own.
    `recurs`: whether a part occurs in another cell too.
    `everywhere`: whether all cells of the file have the separator.
    """

    cell: str
    parts: Sequence[str]
    known: bool
    recurs: bool
    everywhere: bool


def find_lists(documents: Sequence[str]) -> IdLists:
    """Return the cells of a column of ids that hold, or may hold, several ids.

    Readers refuse cells that surely do, and name the doubtful ones.
    """
    text = "\0".join(documents)  # one search: most files have no separator
    present = [separator for separator in _RULES if separator in text]
    found = IdLists()
    if not present and "[" not in text and "(" not in text and "{" not in text:
        return found
    cells = set(documents)
    for cell in cells:
        entries = entries_of_list(cell)
        if entries:
            found.sure[cell] = entries
    for separator in present:
        evidence_of = _RULES[separator]
        for split in _split_cells(cells, separator):
            evidence = evidence_of(split)
            if evidence == SURE:
                found.sure.setdefault(split.cell, split.parts)
            elif evidence == DOUBTFUL:
                found.doubtful.setdefault(split.cell, split.parts)
    return found


def find_unlisted(
    cells: Sequence[str], known: Collection[str]
) -> dict[str, Sequence[str]]:
    """Return {cell: its ids} for the cells that are no lists and may hold several ids.

    This is stricter than `find_lists`, for columns in which a cell may be a list. There
    one id can always be written as a list of one, `["Paris, Texas"]`. So a doubtful
    cell counts too. So does a cell whose parts between commas, semicolons or bars are
    single words, and a cell with a blank between ids that are known or alike.

    `known`: all ids of the file.
    """
    lists = find_lists(cells)
    found = {**lists.doubtful, **lists.sure}
    for cell in dict.fromkeys(cells):
        for separator in ";|, ":
            parts = _parts(cell, separator)
            if cell in found or len(parts) < 2:
                continue
            if separator == " ":
                are_ids = all(part in known for part in parts) or _are_ids(parts)
            else:
                are_ids = not any(" " in part for part in parts)
            if are_ids:
                found[cell] = parts
    return found


def _are_ids(parts: Sequence[str]) -> bool:
    """Say whether words are ids, and not the words of one name: `a-b c-d`, `12 13`."""
    if _are_numbers(parts) or are_alike(parts):
        return True
    patterns = set(map(_pattern, parts))
    return len(patterns) == 1 and patterns != {"a"}


def _split_cells(cells: set[str], separator: str) -> list[_Split]:
    """Return the cells with a separator, each with its parts.

    Cells with an empty part are left out. For bars the result is empty if all ids of
    the file are put together from parts: see `_are_put_together`.
    """
    parts_of: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for cell in cells:
        parts = _parts(cell, separator) if separator in cell else []
        if len(parts) > 1:
            parts_of[cell] = parts
            for part in set(parts):
                counts[part] = counts.get(part, 0) + 1
    everywhere = len(parts_of) == len(cells)
    if separator == "|" and everywhere and _are_put_together(parts_of):
        return []
    found = []
    for cell, parts in parts_of.items():
        known = [part in cells for part in parts]
        recurs = any(known) or any(counts[part] > 1 for part in parts)
        found.append(_Split(cell, parts, all(known), recurs, everywhere))
    return found


def _parts(cell: str, separator: str) -> list[str]:
    """Return the parts of a cell between separators; [] if a part is empty.

    A separator at the end does not count. Between blanks and line breaks, empty parts
    are left out.
    """
    parts = []
    for part in cell.strip().removesuffix(separator).split(separator):
        if part.strip():
            parts.append(part.strip())
        elif separator not in " \n":
            return []
    return parts


def _between_semicolons(split: _Split) -> str:
    is_list = split.known or are_alike(split.parts) or _are_numbers(split.parts)
    return SURE if is_list else NONE


def _between_bars(split: _Split) -> str:
    if split.known or are_alike(split.parts):
        return SURE
    if _are_numbers(split.parts):
        return SURE if len(split.parts) > 2 else DOUBTFUL
    return NONE


def _between_commas(split: _Split) -> str:
    may_be_title = ", " in split.cell and not _have_digits(split.parts)
    is_number = _THOUSANDS.fullmatch(split.cell) is not None
    if are_alike(split.parts) or (_are_numbers(split.parts) and not is_number):
        return SURE
    if split.known:
        return DOUBTFUL if may_be_title else SURE
    return NONE


def _between_lines(split: _Split) -> str:
    is_list = split.known or are_alike(split.parts) or _are_numbers(split.parts)
    return SURE if is_list else DOUBTFUL


def _between_blanks(split: _Split) -> str:
    if not have_one_pattern(split.parts):
        return NONE
    if split.recurs:
        return SURE
    return NONE if split.everywhere else DOUBTFUL


_RULES: Mapping[str, Callable[[_Split], str]] = {
    ";": _between_semicolons,
    "|": _between_bars,
    ",": _between_commas,
    "\n": _between_lines,
    " ": _between_blanks,
}
"""For each separator, the function that says how strong the evidence of a list is."""


def entries_of_list(text: str) -> list[str]:
    """Return the entries of a list in JSON or Python; [] for any other text."""
    stripped = text.strip()
    if stripped[:1] not in _BRACKETS:
        return []
    quoted_list = _QUOTED_LIST.fullmatch(stripped)
    if quoted_list is not None:
        return _BETWEEN_QUOTES.split(quoted_list[2])
    bare_list = _BARE_LIST.fullmatch(stripped)
    if bare_list is not None:
        parts = [part.strip() for part in bare_list[1].split(",")]
        if len(parts) > 1 and all(part and " " not in part for part in parts):
            return parts
    return []


def are_alike(parts: Sequence[str]) -> bool:
    """Say whether all parts are of one kind.

    A kind is URLs, UUIDs, file names with one ending, or texts of one pattern.
    """
    first = parts[0]
    if "://" in first:
        return all(map(_URL.fullmatch, parts))
    if _UUID.fullmatch(first):
        return all(map(_UUID.fullmatch, parts))
    ending = _ENDING.search(first)
    if ending is not None and all(part.endswith(ending[0]) for part in parts):
        return True
    return have_one_pattern(parts)


def have_one_pattern(parts: Sequence[str]) -> bool:
    """Say whether two or more parts have one pattern of letters and digits (`m-12`)."""
    if parts[0][0].isalpha() != parts[1][0].isalpha():
        return False
    pattern = _pattern(parts[0])
    if "a" not in pattern or "9" not in pattern or " " in pattern:
        return False
    return all(_pattern(part) == pattern for part in parts)


def _pattern(text: str) -> str:
    """Return the text with `a` for each run of letters, `9` for each run of digits."""
    letters = re.sub(r"[^\W\d_]+", "a", text)
    return re.sub(r"\s+", " ", re.sub(r"\d+", "9", letters))


def _are_numbers(parts: Sequence[str]) -> bool:
    return all(map(str.isdecimal, parts))


def _have_digits(parts: Sequence[str]) -> bool:
    return all(any(map(str.isdecimal, part)) for part in parts)


def _are_put_together(parts_of: Mapping[str, Sequence[str]]) -> bool:
    """Say whether all ids are made of the same number of parts, like `store-1|sku-7`.

    All parts are numbers, or each position has its own prefix (`store-`, `sku-`).
    """
    if len(parts_of) < 2 or len(set(map(len, parts_of.values()))) > 1:
        return False
    places = list(zip(*parts_of.values(), strict=True))
    if all(map(_are_numbers, places)):
        return True
    prefixes = set()
    for parts in places:
        of_place = {_prefix(part) for part in parts}
        if len(of_place) > 1:
            return False
        prefixes |= of_place
    return len(prefixes) == len(places)


def _prefix(part: str) -> str:
    return re.split(r"\d", part, maxsplit=1)[0]
