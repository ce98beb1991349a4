"""The passages of a case in a terminal: which were not found, and where they are.

Passages have numbers, in the order of the case. The table of ranks shows these numbers
beside the results that hold the passages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_relevance._number_text import LEAST, number_text
from pytest_relevance._text import counted, quoted
from pytest_relevance.metrics.ndcg import Held
from pytest_relevance.passages.differences import Difference
from pytest_relevance.reports.cells import RIGHT, Column
from pytest_relevance.reports.loss_tables import loss_text
from pytest_relevance.reports.styled_lines import (
    BAD,
    PLAIN,
    Line,
    folded_lines,
    styled_line,
)
from pytest_relevance.reports.table import MORE_HINT, Table
from pytest_relevance.results.breakdown import Breakdown
from pytest_relevance.results.case_parts import OTHER_FIELD, CasePassage, NearPassage
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Change

MOST_FOUND = 10
"""How many passages that were found are listed by default."""


def passage_lines(
    result: CaseResult, found: Breakdown, *, full: bool, columns: int
) -> list[Line]:
    """Return the passages that are not in the top k, then those that are.

    Each passage has its number, its grade, where it is, where it was in the accepted
    ranking, and what its place costs of nDCG@k.

    `full`: whether all passages that were found are listed; otherwise the first ten.
    """
    tables = _PassageTables(result, found)
    missing = missing_passages(result)
    others = []
    for passage in result.evaluation.passages:
        if passage not in missing:
            others.append(passage)
    lines = [styled_line("")]
    if missing:
        table = tables.of(missing, title=_title_of_missing(result, missing), style=BAD)
        head, *rows = table.lines(columns)
        lines.append(head)
        for row, passage in zip(rows, missing, strict=True):
            lines.append(row)
            lines += _near_lines(result, passage, columns)
    shown = others if full else others[:MOST_FOUND]
    table = tables.of(shown, title="found")
    if len(others) > len(shown):
        table.note = f"     ... {counted(len(others) - len(shown), 'more passage')}"
        table.hint = MORE_HINT
    return lines + table.lines(columns)


def _title_of_missing(result: CaseResult, missing: Sequence[CasePassage]) -> str:
    """Return, for example, `not found in the top 5: 2 of 3 passages`.

    The title also says if the deeper search for these passages failed.
    """
    total = counted(len(result.evaluation.passages), "passage")
    title = f"not found in the top {result.conditions.k}: {len(missing)} of {total}"
    deeper = result.call.deeper
    if deeper is not None and deeper.has_failed:
        title += f"; a search for {deeper.asked:,} results could not be made"
    return title


def _near_lines(result: CaseResult, passage: CasePassage, columns: int) -> list[Line]:
    """Return the lines of `near_text`, indented; [] without a text."""
    near = near_text(result, passage)
    if not near:
        return []
    return folded_lines(f"       {near}", PLAIN, columns, "         ")


def missing_passages(result: CaseResult) -> list[CasePassage]:
    """Return the passages that no result in the top k holds."""
    k = result.conditions.k
    missing = []
    for passage in result.evaluation.passages:
        if passage.rank is None or passage.rank > k:
            missing.append(passage)
    return missing


def held_texts(result: CaseResult, held: Held) -> list[str]:
    """Return for each result the numbers (from 1) of the passages that it holds.

    Example: `2 (1)`. Passages that an earlier result holds too are in brackets. A
    result that holds no passage has `-`.

    `held`: for each result the indexes (from 0) of the passages that it holds.
    """
    texts = []
    above: set[int] = set()
    for indexes in held:
        of_case = [each for each in indexes if each < len(result.evaluation.passages)]
        new = [str(index + 1) for index in of_case if index not in above]
        again = [str(index + 1) for index in of_case if index in above]
        parts = [" ".join(new)] if new else []
        if again:
            parts.append(f"({' '.join(again)})")
        texts.append(" ".join(parts) or "-")
        above.update(of_case)
    return texts


def found_text(result: CaseResult) -> str:
    """Return, for example, `2 of 3 passages in the top 5`."""
    passages = result.evaluation.passages
    found = len(passages) - len(missing_passages(result))
    total = counted(len(passages), "passage")
    return f"{found} of {total} in the top {result.conditions.k}"


def place_text(result: CaseResult, passage: CasePassage) -> str:
    """Return where a passage is: `rank 7`, or `not in the first 25 results`.

    If the search returned all that it has, the text is `in none of the 9 results`.
    """
    if passage.rank is not None:
        chunk = "" if passage.chunk is None else f" (chunk {passage.chunk})"
        return f"rank {passage.rank}{chunk}"
    deeper = result.call.deeper
    if passage.deeper_rank is not None and deeper is not None:
        return f"rank {passage.deeper_rank} if {deeper.asked} are asked for"
    returned = result.ranking.length
    is_all = not result.ranking.reaches_depth
    if deeper is not None and not deeper.has_failed:
        returned = max(returned, deeper.returned)
        is_all = returned < deeper.asked
    if not returned:
        return "nothing was returned"
    if returned == 1:
        return "not in the only result"
    if is_all:
        return f"in none of the {returned:,} results"
    return f"not in the first {returned:,} results"


def was_text(passage: CasePassage, was: Mapping[str, int]) -> str:
    """Return where a passage was in the accepted ranking, as text.

    Examples: `was rank 2`, `was not found`. "" if `was` is empty.

    `was`: {passage: its rank in the accepted ranking}; empty without such a ranking.
    """
    if not was:
        return ""
    rank = was.get(passage.text)
    return "was not found" if rank is None else f"was rank {rank}"


def _grade_text(result: CaseResult, passage: CasePassage) -> str:
    """Return, for example, `grade 2`; "" if all passages have the same grade."""
    if len({each.grade for each in result.evaluation.passages}) == 1:
        return ""
    return f"grade {number_text(passage.grade)}"


def near_text(result: CaseResult, passage: CasePassage) -> str:
    """Return which result nearly holds a passage, and what differs; "" if none does.

    Example: `rank 2 has it but for a blank: "30-day" is "30 day" there`.
    """
    near = passage.near
    if near is None:
        return ""
    word = "chunk" if result.ranking.as_returned else "rank"
    first, *others = [f"{word} {rank}" for rank in near.ranks]
    said = _near_sentence(near, first, others)
    deeper = result.call.deeper
    if near.is_deeper and deeper is not None:
        return f"if {deeper.asked} are asked for, {said}"
    return said


def _near_sentence(near: NearPassage, first: str, others: Sequence[str]) -> str:
    """Return which result nearly holds a passage, and what differs.

    `first`: the place of the first such result, for example `rank 2`.
    `others`: the places of further results. A passage that is split over two results
        has the place of its second half here.
    """
    if near.kind == Difference.SPLIT.value:
        return f"it is split: {first} ends with its beginning, {others[0]} has the rest"
    if near.kind == OTHER_FIELD:
        value = f" is {quoted(near.found)}" if near.found else " has another value"
        return f"{first} has the quote, but its field {near.wanted}{value}"
    wanted = _quoted_words(near.wanted)
    if near.kind == Difference.ENDS_WITHIN.value:
        return f"{first} ends within it: {wanted} is missing"
    if near.kind == Difference.BEGINS_WITHIN.value:
        return f"{first} begins within it: {wanted} is missing"
    what = _NEARLY.get(near.kind, near.kind)
    return f"{first} has it but for {what}{_difference_text(near)}"


_LONGEST_DIFFERENCE = 40

_NEARLY = {
    Difference.MARKS.value: "a mark",
    Difference.SPACES.value: "a blank",
    Difference.ACCENTS.value: "an accent",
    Difference.WORDS.value: "some words",
}
"""{kind of a near miss: what differs}. Other kinds have sentences of their own."""


def _quoted_words(words: str) -> str:
    """Return words in quotation marks; in single ones if they have double ones."""
    text = quoted(words, _LONGEST_DIFFERENCE)
    return f"'{text[1:-1]}'" if '"' in words else text


def _difference_text(near: NearPassage) -> str:
    """Return, for example, `: "30-day" is "30 day" there`."""
    wanted = _quoted_words(near.wanted)
    found = _quoted_words(near.found)
    if near.wanted and near.found:
        return f": {wanted} is {found} there"
    if near.wanted:
        return f": {wanted}"
    if near.found:
        return f": {found} is there too"
    return ""


class _PassageTables:
    """Makes tables of the passages of a case: a row for each passage."""

    def __init__(self, result: CaseResult, found: Breakdown) -> None:
        self._result = result
        self._numbers = {}
        for number, passage in enumerate(result.evaluation.passages, start=1):
            self._numbers[passage.text] = number
        self._ranks_before = Change.since_baseline(result).ranks_before
        self._costs = {loss.document: loss.loss for loss in found.losses}

    def of(
        self, passages: Sequence[CasePassage], *, title: str, style: str = PLAIN
    ) -> Table:
        """Return the table of some of the passages."""
        table = Table(
            [
                Column(align=RIGHT),
                Column(cut_to=30, wanted=40),
                Column(drop_order=3),
                Column(gap=3),
                Column(drop_order=2),
                Column(align=RIGHT, gap=3, drop_order=1),
            ],
            indent=2,
            title=title,
        )
        for passage in passages:
            cost = self._costs.get(passage.text, 0.0)
            table.add(
                str(self._numbers[passage.text]),
                quoted(passage.text),
                _grade_text(self._result, passage),
                place_text(self._result, passage),
                was_text(passage, self._ranks_before),
                loss_text(cost) if cost > LEAST else "",
                style=style,
            )
        return table
