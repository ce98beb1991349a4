"""Sentences about cases that the reference has in another file or with another id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted, first_few, quoted, with_variant
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.styled_lines import BAD, DOUBT
from pytest_relevance.results.case_result import grouped
from pytest_relevance.results.records.run_info import FileInfo, MovedCase

MOST_NAMED = 3
"""How many moved cases a sentence names."""


def moved_sentences(
    files: Mapping[str, FileInfo], updating: str | None = None
) -> list[Sentence]:
    """Return which cases were moved, and which may have been moved.

    `updating`: what the run accepts into the baseline. With "all" there are no
        sentences, because all rankings are accepted anyway.
    """
    if updating == "all":
        return []
    moves = []
    unclear = []
    for file, info in files.items():
        moves += [_Move(file, case) for case in info.moved]
        unclear += [quoted(with_variant(*case)) for case in info.unclear]
    sentences = []
    if moves:
        is_recorded = any(info.against for info in files.values())
        can_write = updating is None and not is_recorded
        remedy = "; --relevance-update writes that" if can_write else ""
        sentences.append(Sentence(f"{_moved_text(moves)}{remedy}", DOUBT))
    if unclear:
        cases = counted(len(unclear), "case")
        why = "may have been moved, but several cases fit, so nothing is compared"
        names = first_few(unclear, MOST_NAMED)
        sentences.append(Sentence(f"{cases} {why} ({names})", BAD))
    return sentences


@dataclass(frozen=True, slots=True)
class _Move:
    """A case that was moved to `file`, or within `file`."""

    file: str
    case: MovedCase

    @property
    def is_within_file(self) -> bool:
        return self.case.file_before == self.file

    @property
    def ends(self) -> tuple[str | None, str | None] | None:
        """What moves have in common that one text describes together.

        These are the file before and the file now, or both variants if the file is the
        same. None if the id changed, or both file and variant: no text describes
        several such moves.
        """
        case = self.case
        if case.id_before != case.id:
            return None
        if self.is_within_file:
            return case.variant_before, case.variant
        if case.variant_before == case.variant:
            return case.file_before, self.file
        return None

    def describe(self) -> str:
        """Return, for example, `"boots" of a.yaml is now in b.yaml`."""
        case = self.case
        before = quoted(with_variant(case.id_before, case.variant_before))
        now = quoted(with_variant(case.id, case.variant))
        if self.is_within_file:
            return f"{before} is now {now}"
        if before == now:
            return f"{before} of {case.file_before} is now in {self.file}"
        return f"{before} of {case.file_before} is now {now} of {self.file}"


def _moved_text(moves: Sequence[_Move]) -> str:
    """Return how many cases were moved, and the first moves in words.

    One text describes all moves with the same `ends`.
    """
    were = counted(
        len(moves),
        "case was moved and keeps its accepted ranking",
        "cases were moved and keep their accepted rankings",
    )
    descriptions = []
    for ends, alike in grouped(moves, lambda move: move.ends).items():
        if ends is None or len(alike) == 1:
            descriptions += [move.describe() for move in alike]
        else:
            descriptions.append(_describe_together(alike))
    return f"{were}: {first_few(descriptions, MOST_NAMED)}"


def _describe_together(alike: Sequence[_Move]) -> str:
    """Return, for example, `5 cases of old.yaml are now in new.yaml`."""
    count = counted(len(alike), "case")
    move = alike[0]
    case = move.case
    if move.is_within_file:
        had, have = _variant(case.variant_before), _variant(case.variant)
        return f"{count} had {had} and have {have}"
    return f"{count} of {case.file_before} are now in {move.file}"


def _variant(name: str | None) -> str:
    return "no variant" if name is None else f"the variant {quoted(name)}"
