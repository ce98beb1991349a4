"""The ranking of a case: the table of its nDCG@k, or of its results alone, the documents to blame, what changed.

Those that rank too high have no figures: what they take from the score is counted as the loss of the documents that are
missing or rank too low.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TypeVar

from pytest_relevance._text import counted, digits_apart, harmless, listed, quoted
from pytest_relevance.cases.expectations.documents import BELOW
from pytest_relevance.reports.breakdown import (
    FIGURES,
    Breakdown,
    Loss,
    Row,
    change_shares,
    figure_texts,
    grade_text,
    scored_ranking,
)
from pytest_relevance.reports.cells import RIGHT, Column, document_columns, styled_cell
from pytest_relevance.reports.number_text import LEAST, number_text, total_text
from pytest_relevance.reports.reasons import absence
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
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import cut_middle, title_room, titled
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.compare.rank_changes import (
    Move,
    RankChanges,
    accepted_ranking,
    baseline_changes,
)
from pytest_relevance.results.expectations import first_ranks
from pytest_relevance.results.records.run_info import MOST_SHOWN, changes_text

MOST_ROWS = 10
"""How many ranks a report shows by default."""

MOST_BLAMED = 3
"""How many documents of either kind the default report shows."""

MOST_FELL, MOST_ROSE = 3, 2
"""How many documents that cost most, and that stand higher, since the baseline the default report shows."""

_SHORTEST_TITLE, _BESIDE_TITLES = 12, 68  # in the row of documents that share a loss
_SAME = 1e-6  # a baseline has its scores with six decimals

_TOO_HIGH = "too high:"

Blamed = TypeVar("Blamed")

_DROP_ORDER = {"score": 3, **dict(zip(FIGURES, (1, 4, 1, 0, 2, 2), strict=True))}
"""The figures that are left out where there is little room, the highest number first."""


def ranking_lines(
    result: CaseResult, found: Breakdown | None, *, full: bool, columns: int
) -> list[Line]:
    """The table of a ranking with one row for each rank; results that an expectation keeps out are marked.

    With judgments the rows are those of the breakdown: all ranks in `full`; else the first, and the ranks up to k
    below the last result in one row. A later copy of a document has neither a score nor a rank in the accepted ranking.
    """
    documents, k = result.ranking.documents, result.conditions.k
    scores, was, unwanted = (
        _engine_scores(result),
        first_ranks(accepted_ranking(result)),
        unwanted_documents(result),
    )
    score, grade, before, *figures = (
        Column(name, RIGHT, drop_order=_DROP_ORDER.get(name, 0))
        for name in ("score", "grade", "was", *FIGURES)
    )
    table = Table(
        [
            Column("rank", RIGHT),
            *document_columns(),
            score,
            grade,
            before,
            *figures,
            Column(),
        ]
    )

    def add(
        rank: int, document: str, *, is_first: bool, texts: Sequence[str], style: str
    ) -> None:
        known = document if is_first else ""
        mark, before = (
            unwanted.get(known, ""),
            f"{was.get(known, 'new')}" if was and known else "",
        )
        cells = (
            result.texts.titles.get(document, ""),
            scores.get(known, ""),
            texts[0],
            before,
            *texts[1:],
            mark,
        )
        table.add(f"{rank}", document, *cells, style=BAD if mark else style)

    if found is None:
        shown = documents[
            : max(result.conditions.depth or 0, MOST_ROWS) if full else MOST_ROWS
        ]
        for rank, document in enumerate(shown, 1):
            is_first = document not in shown[: rank - 1]
            add(
                rank,
                document,
                is_first=is_first,
                texts=("",) * (1 + len(FIGURES)),
                style=PLAIN,
            )
        if more := max(len(documents), result.ranking.returned) - len(shown):
            table.note = f"      ... {counted(more, 'more result')}"
        return table.lines(columns)
    results = sum(row.document is not None for row in found.rows)
    is_long = results > MOST_ROWS + 1  # a note about one more is as long
    rows = found.rows if full else found.rows[: MOST_ROWS if is_long else results]
    words = (
        "nothing returned"
        if result.conditions.settings.unjudged == "zero"
        else "no judged result"
    )
    nothing = (styled_cell(words, DIM, 2), "", "", "")
    for row in rows:
        if row.document is None:
            table.add(f"{row.rank}", *nothing, *figure_texts(row), style=DIM)
        else:
            texts = (grade_text(row), *figure_texts(row))
            add(
                row.rank,
                row.document,
                is_first=not row.repeated,
                texts=texts,
                style=_style(row),
            )
    if is_long and not full:
        table.note = (
            f"      ... {len(found.rows) - MOST_ROWS} more ranks (-v shows all)"
        )
    elif results < len(found.rows) and len(rows) < k:
        last, first = found.rows[-1], len(rows) + 1
        sums = ("", "", "", total_text(last.dcg), "", total_text(last.ideal_dcg))
        table.add(
            f"{first}" if first == k else f"{first}-{k}", *nothing, *sums, style=DIM
        )
    return table.lines(columns)


def unwanted_documents(result: CaseResult) -> dict[str, str]:
    """The documents in ranks that an expectation keeps them out of, each with its mark: `excluded`, `not before 4`."""
    marks: dict[str, str] = {}
    for outcome in result.evaluation.outcomes:
        within = outcome.within or result.conditions.k
        is_below = (outcome.kind, outcome.comparison) == ("within", BELOW)
        if not outcome.met and (is_below or outcome.kind == "exclude"):
            mark = f"not before {within + 1}" if is_below else "excluded"
            marks |= dict.fromkeys(
                set(result.ranking.documents[:within]).intersection(outcome.documents),
                mark,
            )
    return marks


def _engine_scores(result: CaseResult) -> dict[str, str]:
    """The score that the engine gave to each document at its first rank in the top k; empty where it gave none."""
    scores = result.ranking.engine_scores[
        : max(result.conditions.k, result.conditions.depth or 0)
    ]
    pairs = [*zip(result.ranking.documents, scores, strict=False)]
    return {
        document: "" if score is None else f"{score:.5g}"
        for document, score in reversed(pairs)
    }


def _style(row: Row) -> str:
    if row.repeated:
        return DIM
    if row.grade is None:
        return DOUBT
    return BAD if row.gain <= 0 and row.ideal_grade is not None else PLAIN


def blame_lines(
    result: CaseResult, found: Breakdown, *, full: bool, columns: int
) -> list[Line]:
    """The documents to blame, `full` all of them; nothing where there are none."""
    if result.score is None:
        return []
    lines = [
        *_too_high(result, found, full, columns),
        *_lost(result, found, full, columns),
    ]
    return [styled_line(""), *lines] if lines else []


def _most(blamed: Sequence[Blamed], *, full: bool) -> Sequence[Blamed]:
    """The first few; a single further one is shown too, as a note about it would take as much room."""
    return blamed if full or len(blamed) == MOST_BLAMED + 1 else blamed[:MOST_BLAMED]


def _too_high(
    result: CaseResult, found: Breakdown, full: bool, columns: int
) -> list[Line]:
    """The judged results with less gain than the ideal ranking has at their rank; an only result is not too high."""
    too_high = [(row, row.grade) for row in found.too_high if row.grade is not None]
    if not too_high or len(result.ranking.documents) == 1:
        return []
    chosen = _most(too_high, full=full)
    names, room = result.conditions.grade_names, title_room(columns, full=full)
    parts = []
    for row, given in chosen:
        document, grade = (
            row.document or "",
            f"{number_text(given)} {harmless(names.get(given, ''))}".strip(),
        )
        shown = titled(harmless(document), document, result.texts.titles, room)
        parts.append(f"{shown} (grade {grade}, rank {row.rank})")
    if more := len(too_high) - len(chosen):
        parts.append(f"and {more} more")
    (((first, style),), *rest) = wrapped(f"{_TOO_HIGH} ", parts, columns)
    return [((_TOO_HIGH, STRONG), (first.removeprefix(_TOO_HIGH), style)), *rest]


def _lost(
    result: CaseResult, found: Breakdown, full: bool, columns: int
) -> Iterator[Line]:
    """The documents that are missing, or below their ideal rank; in full also those that are missing without a loss."""
    lost = [loss for loss in found.losses if loss.loss > LEAST]
    chosen = _most(lost, full=full)
    shown = [*chosen, *(_missing_without_loss(result, found) if full else ())]
    if not shown:
        return
    table = _table(result, shown, columns)
    for words, value in _rest(found, lost, len(chosen)):
        table.add(styled_cell(words, DIM, 5), figure(value), style=DIM)
    yield styled_line("lost most by", STRONG)
    yield from _with_notes(table, shown, result, columns)
    yield from _not_in_index(result, {loss.document for loss in shown}, columns)


def _table_of_documents() -> Table:
    """A table of documents: id, title, grade, its name where there is room, rank, and what the document costs."""
    grade = Column(gap=3), Column(gap=1, drop_order=1)
    columns = (*document_columns(""), *grade, Column(gap=3), Column(align=RIGHT, gap=3))
    return Table(columns, indent=2)


def _with_notes(
    table: Table, documents: Sequence[Loss | Move], result: CaseResult, columns: int
) -> Iterator[Line]:
    """The rows of a table about documents, below each the note of its judgment."""
    for spans, each in zip_longest(table.row_lines(columns), documents):
        yield spans
        if each is not None and (
            note := result.texts.notes.get(each.document or "", "")
        ):
            yield from folded_lines(f"      {note}", DIM, columns, "      ")


def _not_in_index(
    result: CaseResult, listed_above: Collection[str | None], columns: int
) -> Iterator[Line]:
    """The documents that are not in the index and have no row of their own, as several share one loss."""
    judged = dict(result.evaluation.missing)
    others = [
        document
        for document in result.texts.not_in_index
        if document in judged and document not in listed_above
    ]
    if others:
        yield from wrapped("not in the index: ", map(harmless, others), columns)


def _missing_without_loss(result: CaseResult, found: Breakdown) -> Iterator[Loss]:
    """The relevant documents that are not in the ranking as it is kept, nor among the losses that are shown."""
    shown = {loss.document for loss in found.losses if loss.loss > LEAST}
    for document, grade in result.evaluation.missing:
        if document not in shown and result.conditions.settings.gains[grade] > 0:
            yield Loss(document, grade, result.ranking.deeper.get(document), 0.0)


def _table(result: CaseResult, losses: Sequence[Loss], columns: int) -> Table:
    """A table with one row for each loss."""
    gains, names = result.conditions.settings.gains, result.conditions.grade_names
    together = {gains[loss.grade] for loss in losses if loss.document is None}
    table = _table_of_documents()
    for loss in losses:
        rank = (
            f"rank {loss.rank}"
            if loss.rank is not None
            else absence(result, loss.document)
        )
        if loss.document is None:
            alike = (
                grade
                for grade in sorted(result.evaluation.judgments)
                if gains[grade] == gains[loss.grade]
            )
            grades = listed(
                map(number_text, alike)
            )  # several where a mapping gives them the same gain
            words = f"any {loss.places} of {loss.candidates:,} with grade {grades}{_first_missing(result, loss, columns)}"
            table.add(styled_cell(words, PLAIN, 4), rank, figure(loss.loss))
            continue
        grade = (
            f"grade {number_text(loss.grade)}",
            f"({names[loss.grade]})" if loss.grade in names else "",
        )
        is_of_several = (
            loss.rank is None and not loss.loss and gains[loss.grade] in together
        )
        amount = "" if is_of_several else figure(loss.loss)
        table.add(
            loss.document,
            result.texts.titles.get(loss.document, ""),
            *grade,
            rank,
            amount,
        )
    return table


def _first_missing(result: CaseResult, loss: Loss, columns: int) -> str:
    """The titles of the first two documents that share a loss: `: "Orbit 2", "Summit GPS" ...`; or nothing."""
    gains, titles = result.conditions.settings.gains, result.texts.titles
    room = max(_SHORTEST_TITLE, (columns - _BESIDE_TITLES) // 2)
    alike = [
        quoted(cut_middle(harmless(titles[document]), room))
        for document, grade in result.evaluation.missing
        if document in titles
        and document not in result.ranking.deeper
        and gains[grade] == gains[loss.grade]
    ]
    return f": {', '.join(alike[:2])}{' ...' * (len(alike) > 2)}" if alike else ""


def field_lines(result: CaseResult, columns: int) -> list[Line]:
    """The further fields of the documents that the report names: a table, or a paragraph each where it is too wide."""
    gains, changes = result.conditions.settings.gains, baseline_changes(result)
    documents = [
        *result.ranking.documents[: result.conditions.k],
        *(each for each, grade in result.evaluation.missing if gains[grade] > 0),
    ]
    documents += [move.document for move in changes.left] if changes else []
    expected = [
        document
        for outcome in result.evaluation.outcomes
        if not outcome.met
        for document in outcome.documents
    ]
    named = [
        document
        for document in dict.fromkeys([*documents, *expected])
        if result.texts.shown.get(document)
    ]
    names = dict.fromkeys(
        name for document in named for name in result.texts.shown[document]
    )
    columns_of_fields = (Column(name, cut_to=12, wanted=12) for name in names)
    table = Table(
        [Column("document", cut_to=12), *columns_of_fields],
        indent=2,
        title="about the documents",
    )
    for document in named:
        table.add(
            document, *(result.texts.shown[document].get(name, "") for name in names)
        )
    return table.lines(columns)


def _rest(
    found: Breakdown, lost: Sequence[Loss], chosen: int
) -> Iterator[tuple[str, float]]:
    """The rest of 1 - nDCG beyond the losses that are shown: what it is, in words, and its amount."""
    if more := len(lost) - chosen:
        yield (
            f"... and {more} more (-v shows all)",
            sum(loss.loss for loss in lost[chosen:]),
        )
    others = sum(loss.loss for loss in found.losses if loss.loss <= LEAST)
    if abs(others) > LEAST:
        yield f"others {'lost' if others > 0 else 'gained'}", others
    if abs(found.unfilled) > LEAST:
        yield "beyond what is judged (ideal max)", found.unfilled


def figure(loss: float) -> str:
    """A loss as text: a loss is printed with a minus, a gain with a plus."""
    return f"{-loss:+.3f}" if abs(loss) > LEAST else " 0.000"


# --- since the baseline -----------------------------------------------------------------------------------------------


def since_baseline_lines(
    result: CaseResult, changes: RankChanges, *, full: bool, columns: int
) -> list[Line]:
    """What left, fell, came and rose since the baseline, each document with its share of the change of nDCG@k.

    `changes` are those of the ranking. The documents that cost most come first, then what stands higher now, the best
    rank first. `full`: all of them, and how similar the rankings are; else the first few, and the others in one row.
    """
    baseline = result.baseline
    assert baseline is not None
    searched = changes_text(baseline.searched, None if full else MOST_SHOWN)
    lines = (
        folded_lines(f"searched then and now: {searched}", DOUBT, columns, "    ")
        if searched
        else []
    )
    judgments = _judgments_changed(result)
    if not changes:
        same = "the ranking is the same" + (
            f"; its score {judgments}" if judgments else ""
        )
        return [
            *lines,
            *folded_lines(f"since the baseline: {same}", PLAIN, columns),
        ]
    shares = change_shares(result, scored_ranking(result))
    fell, others = _moves(changes, shares)
    shown = [*fell, *others]
    if (
        not full and len(shown) > MOST_FELL + MOST_ROSE + 1
    ):  # a row about one more is as long
        shown = [*fell[:MOST_FELL], *others[:MOST_ROSE]]
    table = _table_of_documents()
    is_graded = bool(result.evaluation.judgments)
    for move in shown:
        grade = (
            ("unjudged" if move.grade is None else f"grade {number_text(move.grade)}")
            if is_graded
            else ""
        )
        share = figure(-shares[move.document]) if shares else ""
        table.add(
            move.document,
            result.texts.titles.get(move.document, ""),
            grade,
            "",
            _ranks_text(result, move),
            share,
        )
    if more := len(fell) + len(others) - len(shown):
        rest = -sum(
            share
            for document, share in shares.items()
            if document not in {move.document for move in shown}
        )
        words = f"{counted(more, 'other')} (-v shows all)"
        table.add(styled_cell(words, DIM, 5), figure(rest) if shares else "", style=DIM)
    then, now = baseline.score, result.score
    scores = ""
    if then is not None and now is not None:
        digits = digits_apart(then, now) if then != now else 3
        scores = f": nDCG@{result.conditions.k} {then:.{digits}f} -> {now:.{digits}f}"
    lines = [
        styled_line(""),
        *lines,
        styled_line(f"since the baseline{scores}", STRONG),
    ]
    lines += _with_notes(table, shown, result, columns)
    if full:
        lines.append(
            styled_line(
                f"  Jaccard@{result.conditions.k} {changes.jaccard:.2f}, RBO {changes.rbo:.2f}"
            )
        )
    if judgments:
        lines += folded_lines(
            f"  the score of the accepted ranking {judgments} too", PLAIN, columns
        )
    return lines


def _moves(
    changes: RankChanges, shares: Mapping[str, float]
) -> tuple[Sequence[Move], Sequence[Move]]:
    """The documents that cost something, the most first, and the others: in the top by rank, then those that left.

    Without shares what left the top, or fell in it, counts as a cost.
    """
    moves = {
        move.document: move
        for move in (*changes.left, *changes.moved, *changes.entered)
    }
    if not shares:
        fell = [
            move
            for move in moves.values()
            if move.second is None or move.second > (move.first or move.second)
        ]
    else:
        fell = [move for move in moves.values() if shares[move.document] < -LEAST]
        fell.sort(key=lambda move: shares[move.document])
    costs = {move.document for move in fell}
    others = [move for move in moves.values() if move.document not in costs]
    return fell, sorted(
        others, key=lambda move: (move.second is None, move.second or 0)
    )


def _ranks_text(result: CaseResult, move: Move) -> str:
    """`3 -> 37`, `new at 1`, `1 -> gone`; `1 -> not in the index` where that is known."""
    if move.first is None:
        return f"new at {move.second}"
    if move.second is None:
        return f"{move.first} -> {absence(result, move.document).replace('not returned', 'gone')}"
    return f"{move.first} -> {move.second}"


def _judgments_changed(result: CaseResult) -> str:
    """A clause where the accepted ranking has another score today than when it was accepted; else empty."""
    assert result.baseline is not None
    score, then = result.baseline.score, result.baseline.then.get(result.metric.text)
    if then is None or (score is not None and abs(then - score) <= _SAME):
        return ""
    digits = 3 if score is None else digits_apart(then, score)
    today = "n/a" if score is None else f"{score:.{digits}f}"
    return f"was {then:.{digits}f} that day and is {today} today: the judgments or settings changed"
