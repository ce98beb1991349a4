"""The first lines of the report of a case: its place and its reasons; and the last: what changed since its baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_relevance._text import case_name, harmless, quoted
from pytest_relevance.reports.numbers import number
from pytest_relevance.reports.table import LONGEST_TITLE, cut, cut_middle, title_room, titled
from pytest_relevance.reports.text import BAD, DOUBT, GOOD, PLAIN, Line, folded, folded_lines, line, width, wrapped
from pytest_relevance.results.case_parts import REGRESSION, Outcome
from pytest_relevance.results.case_result import FAILED, INCONCLUSIVE, PASSED, CaseResult
from pytest_relevance.results.expectations import below, digits_apart, duration, message_with_titles
from pytest_relevance.results.records.run_info import MOST_SHOWN, changes_text

if TYPE_CHECKING:
    from pytest_relevance.results.rankings.rank_changes import Move

STATUSES = {
    "passed": GOOD,
    "failed": BAD,
    "error": BAD,
    "not searched": BAD,
    "inconclusive": DOUBT,
    "xfailed": DOUBT,
    "xpassed": DOUBT,
    "skipped": DOUBT,
    "measured": PLAIN,
}
"""The statuses of a case, in the order of a summary, with the style of each."""

MOST_MOVES = 3
"""How many documents that left, entered or moved the default report shows."""

_HEAD = "since the baseline: "
_LONGEST_ID = 40  # among rank changes
_SAME = 1e-6  # a baseline has its scores with six decimals

_LEAST_REASON = 60
_LONGEST_TITLE = 40  # in a sentence
_LONGEST_QUERY = 40  # before a reason
_WIDEST_QUERY = 60  # in a heading


def reasons_in_brief(result: CaseResult) -> Line:
    """Every reason in one line, however wide: an id that is cut cannot be looked for."""
    first, *others = with_baseline(reasons_with_titles(result) or [_met(result)], result)
    parts = [failure_head(result) + first, *others]
    if interval := interval_text(result):
        parts.append(interval)
    if result.verdict == INCONCLUSIVE and result.unjudged:
        parts.append(f"judge these: {', '.join(titled(each, each, result.titles) for each in result.unjudged)}")
    text = query_first("; ".join(parts), result)
    return (f"{harmless(result.place)}: ", PLAIN), (harmless(text), STATUSES[result.verdict])


def failure_head(result: CaseResult) -> str:
    """`newly failing: ` or `failed before: ` where the baseline says so; else empty, as the reasons say enough."""
    if result.baseline is None or result.verdict != FAILED:
        return ""
    if result.baseline.newly_failing:
        return "newly failing: "
    return "failed before: " if result.baseline.failed_before else ""


def case_label(result: CaseResult) -> str:
    """A case as reports name it: `q043 "gaming laptop"`, or its query alone where that is its id."""
    return case_name(result.id, result.query)


def item_heading(name: str, case: str, query: str) -> str:
    """The heading of an item by its name and the id and the query of its case: `q043 "gaming laptop"[bm25]`.

    The query is left out where it is the id, and for an item of another name: that of a test with checks.
    """
    if query == case or not name.startswith(case):
        return harmless(name)
    return f'{harmless(case)} "{cut(harmless(query), _WIDEST_QUERY)}"{harmless(name.removeprefix(case))}'


def query_first(reason: str, result: CaseResult) -> str:
    """A reason behind the query, where a node id does not name it: `"gaming laptop": nDCG@10 0.31 is below 0.50`."""
    return reason if result.id == result.query else f"{quoted(result.query, _LONGEST_QUERY)}: {reason}"


def reasons_in_full(result: CaseResult, columns: int, *, full: bool = False) -> list[Line]:
    """The first reason behind the place, or below it where that leaves little room; the others below."""
    style = STATUSES[result.verdict]
    longest = max(_LONGEST_TITLE, title_room(columns, full=full))
    reasons = reasons_with_titles(result, longest) or [_met(result)]
    first, *others = map(harmless, with_baseline(reasons, result))
    first = failure_head(result) + first
    place = f"{harmless(result.place)}: "
    room = columns - width(place)
    lines = [line(place.rstrip())]
    if room < min(_LEAST_REASON, width(first)):
        others.insert(0, first)
    else:
        beginning, *rest = folded(first, columns, "    ", first=room)
        lines = [((place, PLAIN), (beginning, style)), *(line(text, style) for text in rest)]
    return lines + [line(text, style) for other in others for text in folded(f"  {other}", columns, "    ")]


def reasons_with_titles(result: CaseResult, longest: int = _LONGEST_TITLE) -> list[str]:
    """The reasons of a result; those that name documents have their titles, cut to `longest` columns."""
    if not (result.reasons and result.outcomes and (result.titles or result.not_in_catalogue or result.not_in_index)):
        return [*result.reasons]
    short = {document: cut_middle(harmless(title), longest) for document, title in result.titles.items()}
    messages = {outcome.message: message_with_titles(outcome, result, short) for outcome in result.outcomes}
    return [messages.get(reason, reason) for reason in result.reasons]


def short_reasons(result: CaseResult) -> list[str]:
    """The reasons for the short summary of pytest, which cuts its lines: the score is as short as it can be.

    `newly failing: 1.000 -> 0.936, floor 0.950`, `regression: 1.000 -> 0.900, tolerance 0.050`, without a baseline
    `nDCG@10 0.936, floor 0.950`; other reasons are whole.
    """
    reasons, before = reasons_with_titles(result), None if result.baseline is None else result.baseline.score
    head, has_dropped = failure_head(result), any(_is_drop(reason, result) for reason in reasons)
    if result.score is not None and (has_dropped or _unmet_floor(result) in reasons):
        limit = f"floor {result.floor:.{score_digits(result)}f}" if _unmet_floor(result) in reasons else ""
        digits = score_digits(result)
        if has_dropped and before is not None:
            digits = max(digits, digits_apart(result.score, before))
            limit = limit or f"tolerance {result.tolerance:.3g}"
            head = head or ("regression: " if result.verdict == FAILED else "")
        now, then = f"{result.score:.{digits}f}", "" if before is None else f"{before:.{digits}f}"
        change = f"{then} -> {now}" if then not in ("", now) else f"{result.metric.text} {now}"
        reasons = _with_score(reasons, result, f"{change}, {limit}")
    return [head + reasons[0], *reasons[1:]] if reasons else []


def _met(result: CaseResult) -> str:
    """The text about a case that met everything."""
    name, floor = result.metric.text, result.floor
    met = ", ".join(dict.fromkeys(map(_met_outcome, result.outcomes)))
    not_applicable = "".join(f"; {name} n/a" for name in result.not_applicable)
    if not result.judgments:
        text = "" if met else "no judgments"
    elif result.score is None:
        text = f"{name} n/a, no judged document is relevant"
    else:
        digits = score_digits(result)
        expected = f"at least {floor:.{digits}f}" if floor is not None else "no floor"
        text = f"{name} {result.score:.{digits}f}, {expected}"
    if result.verdict == PASSED:
        text = f"{text}: passed" if text else "passed"
        text = f"{text}; met: {met}" if met else text
    return text + not_applicable


def _met_outcome(outcome: Outcome) -> str:
    """`P@5 0.800 >= 0.600`, `results 0`, `latency 3.2 ms`, `first`."""
    if outcome.value is None:
        return outcome.name
    if outcome.kind == "metric":
        digits = digits_apart(outcome.value, outcome.bound)
        return f"{outcome.name} {outcome.value:.{digits}f} {outcome.comparison} {outcome.bound:.{digits}f}"
    return f"{outcome.name} {duration(outcome.value) if outcome.kind == 'latency' else number(outcome.value)}"


def interval_text(result: CaseResult) -> str:
    """`nDCG@10 lies between 0.287 and 0.641`, or nothing where unjudged results cannot change the score."""
    settings, (lower, upper) = result.settings, result.interval
    if lower is None or settings.ideal != "judged" or settings.unjudged != "zero" or result.judged == result.top:
        return ""
    digits = score_digits(result)
    return f"{result.metric.text} lies between {lower:.{digits}f} and {upper:.{digits}f}"


def score_digits(result: CaseResult) -> int:
    """The number of decimals of the score: enough to distinguish it from the floor."""
    if result.floor is None or result.score is None:
        return 3
    return digits_apart(result.score, result.floor)


def with_baseline(reasons: Sequence[str], result: CaseResult) -> list[str]:
    """The reasons with the score of the baseline: `... is below 0.500   (baseline 0.764, down 0.452)`.

    Where the floor is not met, that reason gets the baseline, and the reason about the drop is left out. `reasons` may
    be the text about a case that met everything; reasons that are not about the score stay as they are.
    """
    if result.baseline is None or result.baseline.score is None or result.score is None:
        return [*reasons]
    before, unmet = _before(result.score, result.baseline.score, result.change), _unmet_floor(result)
    if unmet in reasons:
        return _with_score(reasons, result, f"{unmet}   {before}")
    if result.reasons:
        return [*reasons]
    return [f"{reasons[0]}   {before}", *reasons[1:]]


def _with_score(reasons: Sequence[str], result: CaseResult, text: str) -> list[str]:
    """The reasons with a text in the place of those about the floor and the drop: first, or after `inconclusive`."""
    unmet = _unmet_floor(result)
    others = [reason for reason in reasons if reason != unmet and not _is_drop(reason, result)]
    at = 1 if others and others[0].startswith("inconclusive") else 0
    return [*others[:at], text, *others[at:]]


def _unmet_floor(result: CaseResult) -> str | None:
    """The reason that the score is below the floor; None where either is missing."""
    if result.floor is None or result.score is None:
        return None
    return below(result.metric.text, result.score, ">=", result.floor)


def _is_drop(reason: str, result: CaseResult) -> bool:
    """Whether a reason is that the score dropped by more than the tolerance."""
    return reason.startswith(f"{result.metric.text} ") and " below the baseline " in reason


def _before(score: float, before: float, change: float) -> str:
    if not change:
        return f"(baseline {before:.3f})"
    digits = digits_apart(score, before)
    return f"(baseline {before:.{digits}f}, {'down' if change < 0 else 'up'} {abs(change):.{digits}f})"


def baseline_change_lines(result: CaseResult, *, full: bool, columns: int) -> list[Line]:
    """The changes of the ranking, `full` all of them, and whether judgments changed; nothing for a stale entry."""
    from pytest_relevance.results.rankings.rank_changes import baseline_changes

    baseline, changes = result.baseline, baseline_changes(result)
    if baseline is None or changes is None:
        return []
    searched = changes_text(baseline.searched, None if full else MOST_SHOWN)
    lines = folded_lines(f"searched then and now: {searched}", DOUBT, columns, "    ") if searched else []
    judgments = _judgments_changed(result)
    if not changes:
        text = "the ranking is the same" + (f"; its score {judgments}" if judgments else "")
        return [*lines, *(line(part) for part in folded(_HEAD + text, columns, "    "))]
    alike = [f"Jaccard@{result.k} {changes.jaccard:.2f}", f"RBO {changes.rbo:.2f}"]
    style = BAD if baseline.standing == REGRESSION else PLAIN
    kinds = (("out", changes.left), ("in", changes.entered), ("moved", changes.moved))
    counts = [f"{len(moves)} {kind}" for kind, moves in kinds if moves]
    lines += [line(text, style) for text in wrapped(_HEAD, [*counts, *alike], columns)]
    for kind, moves in ((kind, moves) for kind, moves in kinds if moves):
        lines += [line(text) for text in wrapped(f"  {kind + ':':<7}", _moves(moves, result, full, columns), columns)]
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


def _moves(moves: Sequence[Move], result: CaseResult, full: bool, columns: int) -> list[str]:
    """The documents of some changes, `sku-1 "Smart Watch 2" (grade 3, was rank 1)`, and how many more there are."""
    chosen = moves if full or len(moves) == MOST_MOVES + 1 else moves[:MOST_MOVES]
    longest = title_room(columns, full=full)
    shown = [move_text(move, result.titles, longest, is_graded=bool(result.judgments)) for move in chosen]
    return [*shown, f"and {len(moves) - len(chosen)} more"] if len(chosen) < len(moves) else shown


def move_text(move: Move, titles: Mapping[str, str], longest: int = LONGEST_TITLE, *, is_graded: bool = True) -> str:
    """`sku-1 "Smart Watch 2" (grade 3, rank 1 -> 37)`, the title cut to `longest` columns.

    The ranks are `was rank 9` and `now rank 4` where a document is in one ranking alone.
    """
    name = titled(cut_middle(harmless(move.document), _LONGEST_ID), move.document, titles, longest)
    ranks = f"rank {move.first} -> {move.second}"
    if move.first is None or move.second is None:
        ranks = f"now rank {move.second}" if move.first is None else f"was rank {move.first}"
    grade = "unjudged" if move.grade is None else f"grade {number(move.grade)}"
    return f"{name} ({grade}, {ranks})" if is_graded else f"{name} ({ranks})"
