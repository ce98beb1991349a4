"""What reports say of cases that the reference has at another place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from pytest_relevance._text import counted, first_few, quoted, with_variant
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.styled_lines import BAD, DOUBT
from pytest_relevance.results.records.run_info import FileInfo, MovedCase

MOST_NAMED = 3
"""How many moved cases a sentence names."""


def moved_sentences(
    files: Mapping[str, FileInfo], updating: str | None = None
) -> list[Sentence]:
    """Say which cases were moved, and which may have been; nothing if none was.

    `updating` is what the run accepts into the baseline. If that is "all", the present
    rankings are accepted, wherever the cases stood.
    """
    if updating == "all":
        return []
    found = []
    moved = []
    for file, info in files.items():
        moved += [(file, case) for case in info.moved]
    if moved:
        were = counted(
            len(moved),
            "case was moved and keeps its accepted ranking",
            "cases were moved and keep their accepted rankings",
        )
        is_recorded = any(info.against for info in files.values())
        can_write = updating is None and not is_recorded
        remedy = "; --relevance-update writes that" if can_write else ""
        text = f"{were}: {first_few(_moves(moved), MOST_NAMED)}{remedy}"
        found.append(Sentence(text, DOUBT))
    unclear = []
    for info in files.values():
        unclear += [quoted(with_variant(*case)) for case in info.unclear]
    if unclear:
        may = counted(len(unclear), "case", "cases")
        why = "may have been moved, but several cases fit"
        names = first_few(unclear, MOST_NAMED)
        text = f"{may} {why}, so nothing is compared ({names})"
        found.append(Sentence(text, BAD))
    return found


def _moves(moved: Sequence[tuple[str, MovedCase]]) -> list[str]:
    """Describe moves; several from one file or variant to another are described as one.

    Examples: `"boots" is now "see"`, `5 cases of old.relevance.yaml are now in
    new.relevance.yaml`, `20 cases had the variant "bm25" and have the variant
    "lexical"`.
    """
    names = defaultdict(list)
    for file, case in moved:
        names[_kind(file, case)].append((file, case))
    found = []
    for kind, alike in names.items():
        if kind is None or len(alike) == 1:
            found += [_move(file, case) for file, case in alike]
            continue
        before, now = kind
        count = counted(len(alike), "case")
        if alike[0][1].file_before != alike[0][0]:
            found.append(f"{count} of {before} are now in {now}")
        else:
            found.append(f"{count} had {_variant(before)} and have {_variant(now)}")
    return found


def _kind(file: str, case: MovedCase) -> tuple[str | None, str | None] | None:
    """Return what a move may have in common with others: two files, or two variants."""
    if case.id_before != case.id:
        return None
    if case.file_before == file:
        return case.variant_before, case.variant
    return (case.file_before, file) if case.variant_before == case.variant else None


def _variant(name: str | None) -> str:
    return "no variant" if name is None else f"the variant {quoted(name)}"


def _move(file: str, case: MovedCase) -> str:
    """Say `"boots" is now "see"`, or `"boots" of old.relevance.yaml is now in ...`."""
    before = quoted(with_variant(case.id_before, case.variant_before))
    now = quoted(with_variant(case.id, case.variant))
    if case.file_before == file:
        return f"{before} is now {now}"
    if before == now:
        return f"{before} of {case.file_before} is now in {file}"
    return f"{before} of {case.file_before} is now {now} of {file}"
