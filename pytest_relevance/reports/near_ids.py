"""Documents that were wanted and not returned, beside results whose ids are nearly the
same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_relevance._near import NearPair
from pytest_relevance._text import quoted
from pytest_relevance.reports.styled_lines import BAD, DIM, Line, styled_line, wrapped
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.near_pairs import near_pairs_of

_MOST_PAIRS = 10
_LONGEST_ID = 40

_VISIBLE_IN_QUOTES = "white space"
_INVISIBLE = "Unicode form"


def near_ids(result: CaseResult) -> Mapping[str, Sequence[NearPair]]:
    """Group pairs of a wanted document that was not returned and a result with nearly
    its id, by what differs.
    """
    groups: dict[str, list[NearPair]] = {}
    for pair in near_pairs_of([result]):
        groups.setdefault(pair.how, []).append(pair)
    return groups


def near_id_lines(
    result: CaseResult, columns: int, *, are_shown: bool
) -> Iterator[Line]:
    """Say which ids differ in little: a paragraph for each kind of difference.

    `are_shown`: the ids stand above in quotes, one below the other, so that a blank
    shows.
    """
    judged = {document for document, _ in result.evaluation.missing}
    has_any = False
    for how, pairs in near_ids(result).items():
        if are_shown and how == _VISIBLE_IN_QUOTES:
            continue
        parts = [_pair_text(pair, result, judged) for pair in pairs[:_MOST_PAIRS]]
        if len(pairs) > len(parts):
            parts.append(f"and {len(pairs) - len(parts)} more")
        head = f"ids that differ in {how} only: "
        yield from wrapped(head, parts, columns, "; ", BAD)
        has_any = True
    if has_any:
        yield styled_line(
            "  if these are the same documents, write their ids as they are returned",
            DIM,
        )


def _pair_text(pair: NearPair, result: CaseResult, judged: set[str]) -> str:
    """`judged "SKU-1", returned "sku-1" at rank 3`."""
    why = "judged" if pair.wanted in judged else "expected"
    wanted, found = pair.wanted, pair.found
    if _INVISIBLE in pair.how:
        wanted, found = _escaped(wanted), _escaped(found)
    rank = result.ranking.rank_of(pair.found)
    return f"{why} {quoted(wanted, _LONGEST_ID)}, returned {quoted(found, _LONGEST_ID)} at rank {rank}"


def _escaped(document: str) -> str:
    """Show the characters of an id that looks like another one."""
    return document.encode("ascii", "backslashreplace").decode("ascii")
