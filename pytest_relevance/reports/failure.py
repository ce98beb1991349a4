"""The report of one case in a terminal: what was expected, what was found, which documents are to blame."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pytest_relevance._text import (
    are_one_number,
    counted,
    digits_apart,
    harmless,
    quoted,
    spreadsheet_number,
)
from pytest_relevance.cases.model import SIMILARITY
from pytest_relevance.reports import reasons
from pytest_relevance.reports.breakdown import Breakdown, break_down
from pytest_relevance.reports.losses import blame_lines, field_lines
from pytest_relevance.reports.near_ids import near_id_lines, near_ids
from pytest_relevance.reports.number_text import duration_text, number_text, total_text
from pytest_relevance.reports.ranking import ranking_lines
from pytest_relevance.reports.since_baseline import since_baseline_lines
from pytest_relevance.reports.styled_lines import (
    BAD,
    DIM,
    DOUBT,
    PLAIN,
    STRONG,
    Line,
    folded_lines,
    styled_line,
    wrapped,
)
from pytest_relevance.reports.terminal_text import (
    WIDEST,
    cut,
    cut_middle,
    display_width,
    folded,
    title_room,
    titled,
)
from pytest_relevance.results.case_parts import DROP, FLOOR, Outcome, SearchError
from pytest_relevance.results.case_result import (
    INCONCLUSIVE,
    PASSED,
    WITHOUT_SCORE,
    CaseResult,
)
from pytest_relevance.results.compare.rank_changes import baseline_changes
from pytest_relevance.results.diagnoses import ids_are_known

MOST_IDS = 10
"""How many ids of a list the default report shows."""

MOST_EXPLAINED = 20
"""How many lines of an explanation are shown."""

_LONGEST_ID = 24  # in a sentence
_LONGEST_QUERY, _SHORTEST_QUERY = 40, 16  # before a reason
_LEAST_ROOM = 30  # behind a place
_WIDEST_BRIEF = 160  # the line of a failure by -q
_NO_ID_KNOWN = "no result is judged; are these the same kind of id?"
_DIGITS_KEPT = 15  # by a spreadsheet


def failure_lines(
    result: CaseResult,
    *,
    verbosity: int = 0,
    width: int = WIDEST,
    others: Iterable[CaseResult] = (),
) -> list[Line]:
    """The report of one case, at most `width` terminal columns wide, except for single words that are longer.

    `verbosity` as pytest counts it: below 0 one line, above 0 all k ranks and every judged document that is missing.
    `others` are the results of the run: where another case of the search returned a judged document, its ids are of the
    right kind.
    """
    if verbosity < 0:
        return [_brief(result, width, others)]
    if result.verdict in WITHOUT_SCORE:
        return _error_lines(result, width)
    full, columns, changes = verbosity > 0, width, baseline_changes(result)
    lines = [*_reasons(result, columns, full=full), *_query_line(result, columns)]
    if result.note:
        lines += folded_lines(f"note: {result.note}", DIM, columns, "      ")
    if unstable := unstable_text(result):
        lines += folded_lines(unstable, DOUBT, columns, "  ")
    if ids_in_doubt := result.is_unjudged and not ids_are_known(result, others):
        lines += _unjudged_ids(result, columns, title_room(columns, full=full))
    lines += _changed_ids(result, columns)
    lines += near_id_lines(result, columns, are_shown=ids_in_doubt)
    if result.evaluation.judgments:
        found = break_down(result)
        if found.rows:
            lines += [
                styled_line(""),
                *ranking_lines(result, found, full=full, columns=columns),
            ]
        lines += [*_totals(result, found, columns), *_unjudged(result, columns)]
        if full or not (
            changes or ids_in_doubt
        ):  # what changed, or the judged ids, name the documents otherwise
            lines += blame_lines(result, found, full=full, columns=columns)
    elif result.ranking.documents:
        lines += [
            styled_line(""),
            *ranking_lines(result, None, full=full, columns=columns),
        ]
    if full and result.texts.shown:
        lines += field_lines(result, columns)
    if changes is not None:
        lines += since_baseline_lines(result, changes, full=full, columns=columns)
    return lines + _explanations(result, full=full, columns=columns)


def failure_message(result: CaseResult, room: int = sys.maxsize) -> str:
    """Why a case failed, in one short line behind its query: what the short summary of pytest and JUnit show.

    A node id that does not name the query comes before it. Where there is not room for all of it, the query is left out
    or cut, then the bound of a score.
    """
    texts = reasons.short_reasons(result) or [""]
    if result.call.error is not None:
        texts, room = [result.call.error.headline], sys.maxsize
    left = room - display_width(texts[0]) - len(" ")
    if left >= -1:
        is_named = result.id == result.query or left < _SHORTEST_QUERY
        query = (
            ""
            if is_named
            else quoted(result.query, min(left - len('""'), _LONGEST_QUERY)) + " "
        )
        return query + "; ".join(texts)
    if result.evaluation.reasons[0].kind not in (DROP, FLOOR):
        return texts[0]
    figures = texts[0].rpartition(", ")[0]
    closer = figures.replace(" -> ", "->")
    alone = closer.removeprefix(reasons.failure_head(result))
    for shown in (figures, closer):
        if display_width(shown) <= room:
            return shown
    return alone


def _brief(result: CaseResult, columns: int, others: Iterable[CaseResult]) -> Line:
    """Every reason in one line, cut where it is wider than the terminal and than `_WIDEST_BRIEF`."""
    parts = [failure_message(result), _interval(result)]
    if result.is_unjudged and not ids_are_known(result, others):
        parts.append(f"{_NO_ID_KNOWN} (id_field)")
    if result.verdict == INCONCLUSIVE and result.unjudged:
        named = (titled(each, each, result.texts.titles) for each in result.unjudged)
        parts.append(f"judge these: {', '.join(named)}")
    parts += [f"ids differ in {how} only" for how in near_ids(result)]
    style = BAD if result.verdict in WITHOUT_SCORE else reasons.STATUSES[result.verdict]
    parts.append(unstable_text(result))
    told = harmless(f"{result.place}: {'; '.join(filter(None, parts))}")
    return styled_line(cut(told, max(columns, _WIDEST_BRIEF)), style)


def _reasons(result: CaseResult, columns: int, *, full: bool) -> list[Line]:
    """The first reason behind the place, the others below; of a case that meets everything what it came to."""
    style, place = reasons.STATUSES[result.verdict], f"{harmless(result.place)}: "
    longest = max(reasons.LONGEST_TITLE, title_room(columns, full=full))
    first, *others = map(
        harmless, reasons.with_figures(result, longest) or [_met(result)]
    )
    room = max(columns - display_width(place), _LEAST_ROOM)
    beginning, *rest = folded(
        reasons.failure_head(result) + first, columns, "    ", first=room
    )
    rest += [part for other in others for part in folded(f"  {other}", columns, "    ")]
    return [
        ((place, PLAIN), (beginning, style)),
        *(styled_line(part, style) for part in rest),
    ]


def _met(result: CaseResult) -> str:
    """`passed: nDCG@10 0.764, at least 0.500; P@5 0.800 >= 0.600`; of a case with a baseline its score before, too."""
    name, floor, parts = result.metric.text, result.conditions.floor, []
    if result.evaluation.judgments and result.score is None:
        parts = [f"{name} n/a, no judged document is relevant"]
    elif result.evaluation.judgments and result.score is not None:
        digits = _score_digits(result)
        expected = f"at least {floor:.{digits}f}" if floor is not None else "no floor"
        before = None if result.baseline is None else result.baseline.score
        parts = [
            f"{name} {result.score:.{digits}f}, {expected}{reasons.change_text(result.score, before)}"
        ]
    parts += dict.fromkeys(map(_met_outcome, result.evaluation.outcomes))
    parts += [f"{name} n/a" for name in result.evaluation.not_applicable]
    by_fill = (
        reasons.alone_text(result.evaluation.graders)
        if result.verdict == PASSED and result.evaluation.people_verdict
        else ""
    )
    return (
        ("passed: " if result.verdict == PASSED else "")
        + ("; ".join(parts) or "no judgments")
        + by_fill
    )


def _met_outcome(outcome: Outcome) -> str:
    """`P@5 0.800 >= 0.600`, `results 0`, `latency 3.2 ms`, `first`."""
    if outcome.value is None:
        return outcome.name
    if outcome.kind in ("metric", SIMILARITY):
        digits = digits_apart(outcome.value, outcome.bound)
        return f"{outcome.name} {outcome.value:.{digits}f} {outcome.comparison} {outcome.bound:.{digits}f}"
    return f"{outcome.name} {duration_text(outcome.value) if outcome.kind == 'latency' else number_text(outcome.value)}"


def _interval(result: CaseResult) -> str:
    """`nDCG@10 lies between 0.287 and 0.641`, or nothing where unjudged results cannot change the score."""
    settings, found, (lower, upper) = (
        result.conditions.settings,
        result.evaluation,
        result.interval,
    )
    if (
        lower is None
        or (settings.ideal, settings.unjudged) != ("judged", "zero")
        or found.judged == found.top
    ):
        return ""
    digits = _score_digits(result)
    return (
        f"{result.metric.text} lies between {lower:.{digits}f} and {upper:.{digits}f}"
    )


def _score_digits(result: CaseResult) -> int:
    """The number of decimals of the score: enough to distinguish it from the floor."""
    if result.conditions.floor is None or result.score is None:
        return 3
    return digits_apart(result.score, result.conditions.floor)


def _error_lines(result: CaseResult, columns: int) -> list[Line]:
    """The report of a case that could not be scored."""
    error = result.call.error or SearchError("", "")
    lines = [
        styled_line(
            f"{harmless(result.place)}: {harmless(reasons.reason_in_brief(result))}",
            BAD,
        )
    ]
    further = error.message.split("\n")[1:]  # not folded: there may be code in it
    lines += [styled_line(harmless(part)) for part in further]
    if error.frame:
        lines.append(styled_line(f"  in {harmless(error.frame)}", DIM))
    return [*lines, *wrapped("", _asked(result), columns, "   ")]


def _asked(result: CaseResult) -> list[str]:
    return [
        f'query "{harmless(result.query)}"',
        reasons.search_label(result.search, result.variant, result.params),
    ]


def _query_line(result: CaseResult, columns: int) -> list[Line]:
    """The query, what searched, how long that took, how much came back and how much of it is judged."""
    parts = _asked(result)
    if result.call.latency is not None:
        parts.append(
            duration_text(result.call.latency)
            + (" (share of a batch)" if result.call.latency_shared else "")
        )
    returned, top = result.ranking.returned, result.evaluation.top
    results = counted(returned, "result") if returned else "no results"
    if returned and result.evaluation.judgments:
        is_all = result.evaluation.judged == top and returned > 1
        judged = "all judged" if is_all else f"{result.evaluation.judged} judged"
        judged += "".join(
            f", {count} by {harmless(name)}"
            for name, count in result.evaluation.filled_top.items()
        )
        results += (
            f", {judged}"
            if top == returned
            else f"; of the top {result.conditions.k}, {judged}"
        )
    return wrapped("", [*parts, results], columns, "   ")


def _unjudged_ids(result: CaseResult, columns: int, longest: int) -> list[Line]:
    """Both kinds of id, one below the other, in quotes: they may differ by a blank."""

    def quoted_ids(documents: Iterable[str]) -> list[str]:
        return [
            titled(quoted(document), document, result.texts.titles, longest)
            for document in documents
        ]

    judged = quoted_ids(document for document, _ in result.evaluation.missing)
    absent = _some([quoted(document) for document in result.texts.not_in_index])
    return [
        *folded_lines(_NO_ID_KNOWN, BAD, columns, "  "),
        *wrapped("  returned: ", _some(quoted_ids(result.ranking.documents)), columns),
        *wrapped(
            "  judged:   ",
            _some(judged, sum(result.evaluation.judgments.values())),
            columns,
        ),
        *(
            wrapped("  not in the index: ", absent, columns, style=BAD)
            if absent
            else []
        ),
        *folded_lines(
            "  if not, name the id with id_field in the case file, or return it from search",
            DIM,
            columns,
        ),
    ]


def _one_number(result: CaseResult) -> Iterator[tuple[str, str]]:
    """Judged documents that were not returned, with the unjudged results whose ids are the same number."""
    judged = [
        document
        for document, _ in result.evaluation.missing
        if spreadsheet_number(document) is not None
    ]
    if not judged:
        return
    equal: dict[Any, list[str]] = {}
    for document in judged:
        equal.setdefault(spreadsheet_number(document), []).append(document)
    rounded = [*filter(_may_be_rounded, judged)]
    for returned in result.unjudged:
        candidates = (
            judged
            if _may_be_rounded(returned)
            else equal.get(spreadsheet_number(returned), rounded)
        )
        yield from (
            (document, returned)
            for document in candidates
            if are_one_number(document, returned)
        )


def _may_be_rounded(document: str) -> bool:
    """Whether an id that is a number is too long for a spreadsheet, or written as 1.23457E+12."""
    return len(document) > _DIGITS_KEPT or "e" in document.lower()


def _changed_ids(result: CaseResult, columns: int) -> Iterator[Line]:
    """Judged documents that were not returned, and the unjudged results that are probably the same."""
    pairs = [
        f"judged {quoted(judged, _LONGEST_ID)}, returned {quoted(returned, _LONGEST_ID)}"
        for judged, returned in _one_number(result)
    ]
    if pairs:
        head = "ids that a spreadsheet may have changed: "
        yield from wrapped(head, _some(pairs), columns, "; ", BAD)
        yield styled_line(
            "  if so, write them in the judgments as they are returned", DIM
        )


def _some(parts: Sequence[str], count: int | None = None) -> list[str]:
    """The first parts of a list, and how many more there are of `count`, by default the length of the list."""
    count = len(parts) if count is None else count
    chosen = [*parts[:MOST_IDS]]
    return (
        [*chosen, f"and {count - len(chosen)} more"] if count > len(chosen) else chosen
    )


def _totals(result: CaseResult, found: Breakdown, columns: int) -> list[Line]:
    name, about = result.metric.text, result.conditions
    settings = reasons.settings_text(
        about.settings, about.depth if about.is_depth_set else None
    )
    if result.score is None:
        return wrapped(
            "",
            [f"{name} n/a: no judged document is relevant", settings],
            columns,
            "     ",
        )
    style = reasons.STATUSES[result.verdict]
    sums = f"DCG {total_text(found.dcg)} / ideal DCG {total_text(found.ideal_dcg)} = "
    score = f"{name} {result.score:.{_score_digits(result)}f}"
    if not found.ideal_dcg:
        sums = "nothing relevant was returned: "
    if display_width(settings) <= columns - len(sums) - len(score) - 5:
        return [((sums, PLAIN), (score, style), (f"     {settings}", PLAIN))]
    return [
        ((sums, PLAIN), (score, style)),
        *folded_lines(f"  {settings}", columns=columns, indent="  "),
    ]


def _unjudged(result: CaseResult, columns: int) -> list[Line]:
    """The interval of nDCG@k that unjudged results leave open; of an inconclusive case these results, too."""
    lines: list[Line] = []
    if result.verdict == INCONCLUSIVE and result.unjudged:
        named = [
            titled(harmless(each), each, result.texts.titles, title_room(columns))
            for each in result.unjudged
        ]
        lines += wrapped("judge these: ", _some(named), columns, style=DOUBT)
    interval = _interval(result)
    return [*lines, styled_line(interval)] if interval else lines


def _explanations(result: CaseResult, *, full: bool, columns: int) -> list[Line]:
    """Why documents have their ranks, as the project explains it: in full, or how many explanations there are."""
    found = result.texts.explanations
    if not found or not full:
        return (
            [
                styled_line(
                    f"explained: {counted(len(found), 'document')} (-v shows why)", DIM
                )
            ]
            if found
            else []
        )
    lines = [styled_line(""), styled_line("why documents stand where they do", STRONG)]
    for document, explained in found.items():
        rank, title = (
            result.ranking.rank_of(document),
            result.texts.titles.get(document, ""),
        )
        place = "not returned" if rank is None else f"rank {rank}"
        lines.append(
            styled_line(
                "  ".join(
                    filter(None, (f"  {harmless(document)}", harmless(title), place))
                )
            )
        )
        parts = explained.split("\n")
        for part in parts[:MOST_EXPLAINED]:
            lines += folded_lines(f"      {part}", DIM, columns, "        ")
        if more := len(parts) - MOST_EXPLAINED:
            lines += (
                [
                    styled_line(
                        f"      ... {counted(more, 'more line')} (a record has them)",
                        DIM,
                    )
                ]
                if more > 0
                else []
            )
    return lines


def unstable_text(result: CaseResult) -> str:
    """The text about a ranking that changes from call to call; empty for one that does not."""
    repeats = result.call.repeats
    if repeats is None or repeats.rankings == 1:
        return ""
    different = counted(repeats.rankings, "different ranking")
    calls = counted(repeats.calls, "call")
    return f"the ranking is not stable: {different} in {calls}; first difference at {difference_text(result)}"


def difference_text(result: CaseResult, longest: int = _LONGEST_ID) -> str:
    """`rank 3: a / b` of repeated calls; ids, and titles, are cut to `longest` columns."""
    repeats = result.call.repeats
    assert repeats is not None
    ends = [
        "nothing"
        if name is None
        else titled(
            cut_middle(harmless(name), longest), name, result.texts.titles, longest
        )
        for name in repeats.documents
    ]
    return f"rank {repeats.rank}: {' / '.join(ends)}"
