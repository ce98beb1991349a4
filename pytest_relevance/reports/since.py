"""What a report says of a query since its baseline: how the score moved, who left the top, who entered, who moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_relevance.reports.text import BAD, PLAIN, Line, cut, cut_middle, folded, harmless, line, wrapped
from pytest_relevance.runs.baseline import Since
from pytest_relevance.runs.changes import Move, RankChanges, rank_changes
from pytest_relevance.runs.expectations import below, digits_apart
from pytest_relevance.runs.held import dropped
from pytest_relevance.runs.scored import Scored, ndcg_at

MOST_MOVES = 3
"""What the default report shows of the documents that left, entered or moved."""

_HEAD = "since the baseline: "
_LONGEST_ID, _LONGEST_TITLE = 40, 30
_SAME = 1e-6  # scores of a day are written with six decimals


def with_baseline(reasons: Sequence[str], scored: Scored, found: Since) -> list[str]:
    """The first reason with the score of the baseline: `... is below 0.500   (baseline 0.764, down 0.452)`.

    Where the floor is not met that is the first, and the drop is not said a second time. `reasons` may be what is said
    of a case that has none; what is not about the score is left as it is.
    """
    if found.score is None:
        return [*reasons]
    name, floor = ndcg_at(scored.case.k).text, scored.case.min_ndcg
    drop = dropped(found, scored) if found.is_regression else None
    unmet = below(name, scored.score, ">=", floor) if floor is not None else None
    if unmet in reasons:
        reasons = [*(reason for reason in reasons if reason not in (unmet, drop))]
        at = 1 if reasons and reasons[0].startswith("inconclusive") else 0
        return [*reasons[:at], f"{unmet}   {_standing(scored.score, found)}", *reasons[at:]]
    if scored.reasons:
        return [*reasons]
    return [f"{reasons[0]}   {_standing(scored.score, found)}", *reasons[1:]]


def _standing(present: float, found: Since) -> str:
    assert found.score is not None
    if not found.change:
        return f"(baseline {found.score:.3f})"
    digits = digits_apart(present, found.score)
    how = "down" if found.change < 0 else "up"
    return f"(baseline {found.score:.{digits}f}, {how} {abs(found.change):.{digits}f})"


def since_lines(found: Since, scored: Scored, titles: Mapping[str, str], *, full: bool) -> list[Line]:
    """The changes of the ranking, `full` all of them, and whether judgments changed; nothing for a stale entry."""
    if found.stale:
        return []
    case = scored.case
    changes = rank_changes(found.entry.ranking, scored.ranking.ids, case.k, case.judgments)
    judgments = _judgments_changed(found, ndcg_at(case.k).text)
    if not changes:
        text = "the ranking is the same" + (f"; its score {judgments}" if judgments else "")
        return [line(part) for part in folded(_HEAD + text, indent="    ")]
    alike = [f"Jaccard@{case.k} {changes.jaccard:.2f}", f"RBO {changes.rbo:.2f}"]
    style = BAD if found.is_regression else PLAIN
    lines = [line(text, style) for text in wrapped(_HEAD, [*_counts(changes, scored, titles, full), *alike])]
    if judgments:
        lines += [line(text) for text in folded(f"  the score of the accepted ranking {judgments} too", indent="    ")]
    return lines


def _judgments_changed(found: Since, name: str) -> str:
    """What there is to say where the accepted ranking has another score than on its day."""
    then = found.entry.scores.get(name)
    if then is None or (found.score is not None and abs(then - found.score) <= _SAME):
        return ""
    digits = 3 if found.score is None else digits_apart(then, found.score)
    today = "n/a" if found.score is None else f"{found.score:.{digits}f}"
    return f"was {then:.{digits}f} that day and is {today} today: the judgments or settings changed"


def _counts(changes: RankChanges, scored: Scored, titles: Mapping[str, str], full: bool) -> list[str]:
    """`3 out (a from rank 1, ...)`, `3 in (...)`, `2 moved (...)`, in pieces between which lines may be broken.

    Of what left, the documents with the highest gains come first: they are what the score lost. Their titles are said,
    those of the others are in the table.
    """
    gains = scored.case.settings.gains
    left = sorted(changes.left, key=lambda move: -gains[move.grade])
    parts: list[str] = []
    for moves, what, named in (
        (left, "out", lambda move: f"{_from(move)}{_title(move, titles)}"),
        (changes.entered, "in", _to),
        (changes.moved, "moved", lambda move: f"{move.first} -> {move.second}"),
    ):
        chosen = moves if full or len(moves) == MOST_MOVES + 1 else moves[:MOST_MOVES]
        shown = [f"{cut_middle(harmless(move.document), _LONGEST_ID)} {named(move)}" for move in chosen]
        if len(shown) < len(moves):
            shown.append("...")
        if shown:
            shown[0] = f"{len(moves)} {what} ({shown[0]}"
            shown[-1] += ")"
        parts += shown
    return parts


def _title(move: Move, titles: Mapping[str, str]) -> str:
    title = titles.get(move.document)
    return f' "{cut(harmless(title), _LONGEST_TITLE)}"' if title else ""


def _from(move: Move) -> str:
    return f"from rank {move.first}" + (f" to {move.second}" if move.second is not None else "")


def _to(move: Move) -> str:
    return f"at rank {move.second}" if move.first is None else f"from rank {move.first} to {move.second}"
