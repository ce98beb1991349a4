"""The report of one case in a terminal, and why a case failed in one line.

The report says what was expected, what was found, and which documents cost most.
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_relevance._number_text import duration_text
from pytest_relevance._text import counted, harmless, quoted
from pytest_relevance.reports.brief_reasons import (
    failure_head,
    first_reason,
    reason_in_brief,
)
from pytest_relevance.reports.case_score import (
    interval_text,
    met_text,
    open_text,
    ties_text,
    total_lines,
)
from pytest_relevance.reports.cells import Column
from pytest_relevance.reports.labels import STATUSES, search_label
from pytest_relevance.reports.loss_tables import blame_lines
from pytest_relevance.reports.mismatched_ids import (
    NO_ID_KNOWN,
    ids_in_doubt_lines,
    near_id_lines,
    near_ids,
    same_number_lines,
)
from pytest_relevance.reports.passage_lines import (
    found_text,
    missing_passages,
    passage_lines,
)
from pytest_relevance.reports.ranking_table import ranking_lines
from pytest_relevance.reports.reasons import LONGEST_TITLE, reasons_with_baseline
from pytest_relevance.reports.run.stability import unstable_text
from pytest_relevance.reports.since_baseline import since_baseline_lines
from pytest_relevance.reports.styled_lines import (
    BAD,
    DIM,
    DOUBT,
    PLAIN,
    STRONG,
    Line,
    first_parts,
    folded_lines,
    styled_line,
    wrapped,
)
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import (
    WIDEST,
    cut,
    display_width,
    folded,
    title_room,
    titled,
)
from pytest_relevance.results.breakdown import break_down
from pytest_relevance.results.case_parts import SearchError
from pytest_relevance.results.case_result import INCONCLUSIVE, WITHOUT_SCORE, CaseResult
from pytest_relevance.results.changes import Change
from pytest_relevance.results.diagnoses import ids_are_known

MOST_EXPLAINED = 20
"""How many lines of an explanation are shown."""

_LEAST_ROOM = 30  # behind a place
_LONGEST_QUERY = 40  # before a reason
_WIDEST_BRIEF = 160  # the line of a failure with -q


def failure_lines(
    result: CaseResult,
    *,
    verbosity: int = 0,
    width: int = WIDEST,
    others: Iterable[CaseResult] = (),
) -> list[Line]:
    """Return the report of a case as lines, at most `width` terminal columns wide.

    Single words that are wider stay whole.

    `verbosity`: as pytest counts it. Below 0 the report is one line; above 0 it has all
        k ranks and every judged document that is missing.
    `others`: the results of the run. If another case of the search returned a judged
        document, the ids of this case are not in doubt.
    """
    if verbosity < 0:
        return [_brief_line(result, width, others)]
    if result.verdict in WITHOUT_SCORE:
        return _error_lines(result, width)
    full = verbosity > 0
    ids_in_doubt = result.ids_seem_mismatched and not ids_are_known(result, others)
    lines = _verdict_lines(result, width, full=full)
    lines += _query_lines(result, width)
    lines += _remark_lines(result, width)
    if ids_in_doubt:
        lines += ids_in_doubt_lines(result, width, full=full)
    lines += same_number_lines(result, width)
    lines += near_id_lines(result, width, are_shown=ids_in_doubt)
    moves = Change.since_baseline(result).moves
    # otherwise the lines about moves, or about judged ids, name these documents
    has_blame = full or not (moves or ids_in_doubt)
    lines += _ranking_lines(result, width, full=full, has_blame=has_blame)
    if full and result.texts.shown:
        lines += _field_lines(result, width)
    if moves is not None:
        lines += since_baseline_lines(result, moves, full=full, columns=width)
    lines += _explanation_lines(result, width, full=full)
    return lines


# --- a case without a ranking ---------------------------------------------------------


def _error_lines(result: CaseResult, columns: int) -> list[Line]:
    """Return the report of a case that could not be scored."""
    error = result.call.error or SearchError("", "")
    reason = harmless(reason_in_brief(result))
    lines = [styled_line(f"{harmless(result.place)}: {reason}", BAD)]
    for part in error.message.split("\n")[1:]:
        lines.append(styled_line(harmless(part)))  # not folded: it may be code
    if error.frame:
        lines.append(styled_line(f"  in {harmless(error.frame)}", DIM))
    return lines + wrapped("", _asked(result), columns, "   ")


def _asked(result: CaseResult) -> list[str]:
    """Return the query, and the search with its parameters."""
    search = search_label(result.search, result.variant, result.params)
    return [f'query "{harmless(result.query)}"', search]


# --- what became of the case ----------------------------------------------------------


def _verdict_lines(result: CaseResult, columns: int, *, full: bool) -> list[Line]:
    """Return why a case failed: its place with the first reason, then other reasons.

    A case that does not fail has its score instead of a reason.
    """
    style = STATUSES[result.verdict]
    longest = max(LONGEST_TITLE, title_room(columns, full=full))
    said = reasons_with_baseline(result, longest) or [met_text(result)]
    first, *others = said
    place = f"{harmless(result.place)}: "
    room = max(columns - display_width(place), _LEAST_ROOM)
    head = failure_head(result) + harmless(first)
    beginning, *rest = folded(head, columns, "    ", first=room)
    lines: list[Line] = [((place, PLAIN), (beginning, style))]
    lines += [styled_line(text, style) for text in rest]
    for other in others:
        lines += folded_lines(f"  {other}", style, columns)
    return lines


def _query_lines(result: CaseResult, columns: int) -> list[Line]:
    """Return the query, the search, the latency, and how many results came back."""
    parts = _asked(result)
    latency = result.call.latency
    if latency is not None:
        parts.append(f"{duration_text(latency)}{_kind_of_latency(result)}")
    parts.append(_returned_text(result))
    return wrapped("", parts, columns, "   ")


def _kind_of_latency(result: CaseResult) -> str:
    """Return, for example, ` (recorded)` or ` (share of a batch)`.

    "" if the latency is the time of a call that this run made for this case alone.
    """
    kinds = []
    if result.call.latency_shared:
        kinds.append("share of a batch")
    if result.call.is_recorded:
        kinds.append("recorded")
    return f" ({', '.join(kinds)})" if kinds else ""


def _returned_text(result: CaseResult) -> str:
    """Return how many results came back and how many are judged, as text.

    Examples: `10 results, all judged`; `100 results; of the top 10, 8 judged, 2 by
    judge-3`; `5 results, 2 of 3 passages in the top 5`.
    """
    returned = result.ranking.returned
    if not returned:
        return "no results"
    results = counted(returned, "result")
    evaluation = result.evaluation
    if evaluation.passages:
        return f"{results}, {found_text(result)}"
    if not evaluation.judgments or result.is_known_item:
        return results
    is_all = evaluation.judged == evaluation.top and returned > 1
    judged = "all judged" if is_all else f"{evaluation.judged} judged"
    for name, count in evaluation.filled_top.items():
        judged += f", {count} by {harmless(name)}"
    if evaluation.top == returned:
        return f"{results}, {judged}"
    return f"{results}; of the top {result.conditions.k}, {judged}"


def _remark_lines(result: CaseResult, columns: int) -> list[Line]:
    """Return the note of the case, and how its ranking changes from call to call."""
    lines = []
    if result.note:
        lines += folded_lines(f"note: {result.note}", DIM, columns, "      ")
    unstable = unstable_text(result)
    if unstable:
        lines += folded_lines(unstable, DOUBT, columns, "  ")
    return lines


# --- the ranking and its score --------------------------------------------------------


def _ranking_lines(
    result: CaseResult, columns: int, *, full: bool, has_blame: bool
) -> list[Line]:
    """Return the table of the ranking, and below it how the score is computed.

    Without judgments, and for a known item, there is only the table.

    `has_blame`: whether the documents that cost most follow.
    """
    lines: list[Line] = []
    if not result.evaluation.judgments or result.is_known_item:
        if result.ranking.documents:
            lines.append(styled_line(""))
            lines += ranking_lines(result, None, full=full, columns=columns)
        return lines
    found = break_down(result)
    if found.rows:
        lines.append(styled_line(""))
        lines += ranking_lines(result, found, full=full, columns=columns)
    lines += total_lines(result, found, columns)
    lines += _unjudged_lines(result, columns)
    if result.evaluation.passages:
        lines += passage_lines(result, found, full=full, columns=columns)
    elif has_blame:
        lines += blame_lines(result, found, full=full, columns=columns)
    return lines


def _unjudged_lines(result: CaseResult, columns: int) -> list[Line]:
    """Return between which scores the score lies, and which grades are missing.

    An inconclusive case has a list of its unjudged results.
    """
    lines = []
    if result.verdict == INCONCLUSIVE and result.unjudged:
        room = title_room(columns)
        titles = result.texts.titles
        named = []
        for document in result.unjudged:
            named.append(titled(harmless(document), document, titles, room))
        lines += wrapped("judge these: ", first_parts(named), columns, style=DOUBT)
    for text in (interval_text(result), ties_text(result), open_text(result)):
        if text:
            lines += folded_lines(text, columns=columns)
    return lines


# --- fields of documents --------------------------------------------------------------


def _field_lines(result: CaseResult, columns: int) -> list[Line]:
    """Return the table of further fields of the documents that the report names."""
    shown = result.texts.shown
    documents = []
    names: dict[str, None] = {}
    for document in _named_documents(result):
        if shown.get(document):
            documents.append(document)
            names.update(dict.fromkeys(shown[document]))
    fields = [Column(name, cut_to=12) for name in names]
    table = Table(
        [Column("document", cut_to=12), *fields],
        indent=2,
        title="about the documents",
    )
    for document in documents:
        table.add(document, *[shown[document].get(name, "") for name in names])
    return table.lines(columns)


def _named_documents(result: CaseResult) -> dict[str, None]:
    """Return the documents that the report of a case names, each once."""
    gains = result.conditions.settings.gains
    documents = dict.fromkeys(result.ranking.documents[: result.conditions.k])
    for document, grade in result.evaluation.missing:
        if gains[grade] > 0:
            documents[document] = None
    moves = Change.since_baseline(result).moves
    if moves is not None and not result.evaluation.passages:
        for move in moves.left:
            documents[move.document] = None
    for outcome in result.evaluation.outcomes:
        if not outcome.met:
            documents.update(dict.fromkeys(outcome.documents))
    return documents


# --- explanations ---------------------------------------------------------------------


def _explanation_lines(result: CaseResult, columns: int, *, full: bool) -> list[Line]:
    """Return why documents have their ranks. A hook of the project explains this.

    With `full`, a document has at most `MOST_EXPLAINED` lines of its explanation, and a
    line that counts the rest. Without `full`, return one line: how many documents are
    explained. [] if none is.
    """
    explanations = result.texts.explanations
    if not explanations:
        return []
    if not full:
        count = counted(len(explanations), "document")
        return [styled_line(f"explained: {count} (-v shows why)", DIM)]
    lines = [styled_line(""), styled_line("why documents stand where they do", STRONG)]
    for document, explanation in explanations.items():
        lines.append(styled_line(_explained_text(result, document)))
        parts = explanation.split("\n")
        for part in parts[:MOST_EXPLAINED]:
            lines += folded_lines(f"      {part}", DIM, columns, "        ")
        more = len(parts) - MOST_EXPLAINED
        if more > 0:
            rest = f"      ... {counted(more, 'more line')} (a record has them)"
            lines.append(styled_line(rest, DIM))
    return lines


def _explained_text(result: CaseResult, document: str) -> str:
    """Return the id, title and rank of a document: `sku-1  Orbit  rank 3`."""
    parts = [f"  {harmless(document)}"]
    title = harmless(result.texts.titles.get(document, ""))
    if title:
        parts.append(title)
    rank = result.ranking.rank_of(document)
    parts.append("not returned" if rank is None else f"rank {rank}")
    return "  ".join(parts)


# --- in one line ----------------------------------------------------------------------


def failure_message(result: CaseResult) -> str:
    """Return the query and why its case failed, in one line for JUnit reports.

    Example: `"boots": 1.000 -> 0.936, floor 0.950`. The query is left out if it is the
    id of the case.
    """
    return _behind_query(result, reason_in_brief(result))


def failure_in_summary(result: CaseResult) -> str:
    """Return the query and the first reason, for pytest's short summary of failures.

    Example: `"boots": 1.000 -> 0.936`. The report of the failure has the floor. The
    query is left out if it is the id of the case.
    """
    return _behind_query(result, first_reason(result))


def _behind_query(result: CaseResult, text: str) -> str:
    """Return the query and then a text.

    pytest cuts a long line at its end, so the query stays visible. The query is left
    out if it is the id of the case, which pytest shows before.
    """
    if result.id == result.query:
        return text
    return f"{quoted(result.query, _LONGEST_QUERY)}: {text}"


def _brief_line(result: CaseResult, columns: int, others: Iterable[CaseResult]) -> Line:
    """Return the report of a case for `-q`: every reason, in one line.

    A long line is cut to `columns`, or to 160 if `columns` is less.

    `others`: the results of the run.
    """
    parts = [failure_message(result), interval_text(result), ties_text(result)]
    if result.ids_seem_mismatched and not ids_are_known(result, others):
        parts.append(f"{NO_ID_KNOWN} (id_field)")
    if result.verdict == INCONCLUSIVE and result.unjudged:
        titles = result.texts.titles
        named = [titled(document, document, titles) for document in result.unjudged]
        parts.append(f"judge these: {', '.join(named)}")
    if missing_passages(result):
        parts.append(found_text(result))
    for difference in near_ids(result):
        parts.append(f"ids differ in {difference} only")
    parts.append(unstable_text(result))
    said = "; ".join(part for part in parts if part)
    text = harmless(f"{result.place}: {said}")
    style = BAD if result.verdict in WITHOUT_SCORE else STATUSES[result.verdict]
    return styled_line(cut(text, max(columns, _WIDEST_BRIEF)), style)
