"""The part of a report about the baseline: how the score changed, and which documents left, entered or moved."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance.reports.text import BAD, PLAIN, WIDEST, Line, cut, cut_middle, folded, harmless, line, wrapped
from pytest_relevance.results.case_result import NEW, REGRESSION, STALE, CaseResult
from pytest_relevance.results.expectations import below, digits_apart
from pytest_relevance.results.rankings.rank_changes import Move, RankChanges, rank_changes

MOST_MOVES = 3
"""How many documents that left, entered or moved the default report shows."""

_HEAD = "since the baseline: "
_LONGEST_ID, _LONGEST_TITLE = 40, 30
_SAME = 1e-6  # a baseline has its scores with six decimals


def with_baseline(reasons: Sequence[str], result: CaseResult) -> list[str]:
    """The reasons with the score of the baseline: `... is below 0.500   (baseline 0.764, down 0.452)`.

    Where the floor is not met, that reason gets the baseline, and the reason about the drop is left out. `reasons` may
    be the text about a case that met everything; reasons that are not about the score stay as they are.
    """
    if result.baseline is None or result.baseline.score is None or result.score is None:
        return [*reasons]
    name, score = result.metric.text, result.score
    unmet = below(name, score, ">=", result.floor) if result.floor is not None else None
    if unmet in reasons:
        others = [reason for reason in reasons if reason != unmet and not _is_drop(reason, name)]
        at = 1 if others and others[0].startswith("inconclusive") else 0
        return [*others[:at], f"{unmet}   {_before(result, score)}", *others[at:]]
    if result.reasons:
        return [*reasons]
    return [f"{reasons[0]}   {_before(result, score)}", *reasons[1:]]


def _is_drop(reason: str, name: str) -> bool:
    """Whether a reason is that the score dropped by more than the tolerance."""
    return reason.startswith(f"{name} ") and " below the baseline " in reason


def _before(result: CaseResult, score: float) -> str:
    assert result.baseline is not None
    before = result.baseline.score
    assert before is not None
    if not result.change:
        return f"(baseline {before:.3f})"
    digits = digits_apart(score, before)
    how = "down" if result.change < 0 else "up"
    return f"(baseline {before:.{digits}f}, {how} {abs(result.change):.{digits}f})"


def baseline_change_lines(result: CaseResult, *, full: bool, columns: int = WIDEST) -> list[Line]:
    """The changes of the ranking, `full` all of them, and whether judgments changed; nothing for a stale entry."""
    baseline = result.baseline
    if baseline is None or baseline.standing in (NEW, STALE):
        return []
    grades = {
        document: grade
        for document, grade in zip(baseline.documents, baseline.grades, strict=False)
        if grade is not None
    }
    changes = rank_changes(baseline.documents, result.documents, result.k, grades, result.deeper)
    judgments = _judgments_changed(result)
    if not changes:
        text = "the ranking is the same" + (f"; its score {judgments}" if judgments else "")
        return [line(part) for part in folded(_HEAD + text, columns, "    ")]
    alike = [f"Jaccard@{result.k} {changes.jaccard:.2f}", f"RBO {changes.rbo:.2f}"]
    style = BAD if baseline.standing == REGRESSION else PLAIN
    lines = [line(text, style) for text in wrapped(_HEAD, [*_counts(changes, result, full), *alike], columns)]
    if judgments:
        text = f"  the score of the accepted ranking {judgments} too"
        lines += [line(part) for part in folded(text, columns, "    ")]
    return lines


def _judgments_changed(result: CaseResult) -> str:
    """A clause where the accepted ranking has another score today than when it was accepted; else empty."""
    assert result.baseline is not None
    score, then = result.baseline.score, result.baseline.then.get(result.metric.text)
    if then is None or (score is not None and abs(then - score) <= _SAME):
        return ""
    digits = 3 if score is None else digits_apart(then, score)
    today = "n/a" if score is None else f"{score:.{digits}f}"
    return f"was {then:.{digits}f} that day and is {today} today: the judgments or settings changed"


def _counts(changes: RankChanges, result: CaseResult, full: bool) -> list[str]:
    """`3 out (a from rank 1, ...)`, `3 in (...)`, `2 moved (...)`, in pieces between which lines may be broken.

    Of what left, the documents with the highest gains come first: they explain the lost score. Their titles are named,
    those of the others are in the table above.
    """
    gains, titles = result.settings.gains, result.titles
    left = sorted(changes.left, key=lambda move: -gains[move.grade])
    parts: list[str] = []
    for moves, what, described in (
        (left, "out", lambda move: f"{_from(move)}{_title(titles.get(move.document, ''))}"),
        (changes.entered, "in", _to),
        (changes.moved, "moved", lambda move: f"{move.first} -> {move.second}"),
    ):
        chosen = moves if full or len(moves) == MOST_MOVES + 1 else moves[:MOST_MOVES]
        shown = [f"{cut_middle(harmless(move.document), _LONGEST_ID)} {described(move)}" for move in chosen]
        if len(shown) < len(moves):
            shown.append("...")
        if shown:
            shown[0] = f"{len(moves)} {what} ({shown[0]}"
            shown[-1] += ")"
        parts += shown
    return parts


def _title(title: str) -> str:
    return f' "{cut(harmless(title), _LONGEST_TITLE)}"' if title else ""


def _from(move: Move) -> str:
    return f"from rank {move.first}" + (f" to {move.second}" if move.second is not None else "")


def _to(move: Move) -> str:
    return f"at rank {move.second}" if move.first is None else f"from rank {move.first} to {move.second}"
