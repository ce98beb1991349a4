"""The ranking of a case: the table of its nDCG@k, or of its results alone, and the documents to blame for a low score.

Those that rank too high have no figures: what they take from the score is counted as the loss of the documents that are
missing or rank too low.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TypeVar

from pytest_relevance._text import counted, harmless, listed
from pytest_relevance.cases.checking.expectations import BELOW
from pytest_relevance.reports.blocks import RIGHT, Cell, Column, Table, document_columns, styled, title_room, titled
from pytest_relevance.reports.breakdown import FIGURES, Breakdown, Loss, Row, figure_texts, grade_text
from pytest_relevance.reports.text import (
    BAD,
    DIM,
    DOUBT,
    LEAST,
    PLAIN,
    STRONG,
    Line,
    engine_score_texts,
    folded_lines,
    line,
    number,
    total,
    width,
    wrapped,
)
from pytest_relevance.results.case_parts import NEW, STALE
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.rank_changes import baseline_changes

MOST_ROWS = 10
"""How many ranks a report shows by default."""

MOST_BLAMED = 3
"""How many documents of either kind the default report shows."""

_TOO_HIGH = "too high:"

Blamed = TypeVar("Blamed")

_RANK, _GRADE, _WAS = (Column(name, RIGHT) for name in ("rank", "grade", "was"))
_SCORE = Column("score", RIGHT, yields=3)
_YIELDS = dict(zip(FIGURES, (1, 4, 1, 0, 2, 2), strict=True))
_FIGURES = tuple(Column(name, RIGHT, yields=number) for name, number in _YIELDS.items())
_NEW = "new"  # to the accepted ranking


def breakdown_lines(result: CaseResult, found: Breakdown, *, full: bool, columns: int) -> list[Line]:
    """The breakdown with one row for each rank; results that an expectation keeps out are marked.

    `full`: all ranks of the ranking and its ideal, whole titles, and figures before long titles. The ranks up to k
    below those are folded into one row.
    """
    results = sum(row.document is not None for row in found.rows)
    is_long = results > MOST_ROWS + 1  # a note about one more is as long
    rows = found.rows if full else found.rows[: MOST_ROWS if is_long else results]
    scores, was = _engine_scores(result), _ranks_before(result)
    score, before = [_SCORE] if scores else [], [_WAS] if was else []
    table = Table([_RANK, *document_columns(full=full), *score, _GRADE, *before, *_FIGURES, Column()])
    unwanted = unwanted_documents(result)
    nothing = styled(
        "nothing returned" if result.conditions.settings.unjudged == "zero" else "no judged result", DIM, 2
    )
    blanks = ("",) * (len(score) + 1 + len(before))
    for row in rows:
        mark = "" if row.repeated else unwanted.get(row.document or "", "")
        names: tuple[str | Cell, ...] = (nothing, *blanks)
        if row.document is not None:
            known = "" if row.repeated else row.document
            names = (
                row.document,
                result.texts.titles.get(row.document, ""),
                *([scores.get(known, "")] if scores else []),
            )
            names += (grade_text(row), *([was.get(known, _NEW) if known else ""] if was else []))
        table.add(f"{row.rank}", *names, *figure_texts(row), mark, style=BAD if mark else _style(row))
    if is_long and not full:
        table.note = f"      ... {len(found.rows) - MOST_ROWS} more ranks (-v shows all)"
    elif results < len(found.rows) and len(rows) < result.conditions.k:
        last, first = found.rows[-1], len(rows) + 1
        ranks = f"{first}" if first == result.conditions.k else f"{first}-{result.conditions.k}"
        sums = ("", "", "", total(last.dcg), "", total(last.ideal_dcg))
        table.add(ranks, nothing, *blanks, *sums, style=DIM)
    return table.lines(columns)


def result_lines(result: CaseResult, *, full: bool, columns: int) -> list[Line]:
    """The results of a case without judgments."""
    most = max(result.conditions.depth or 0, MOST_ROWS) if full else MOST_ROWS
    shown = result.ranking.documents[:most]
    unwanted = unwanted_documents(result)
    scores, was = engine_score_texts(result.ranking.engine_scores[: len(shown)]), _ranks_before(result)
    score, before = [_SCORE] if any(scores) else [], [_WAS] if was else []
    table = Table([_RANK, *document_columns(full=full), *score, *before, Column()])
    for rank, document in enumerate(shown, 1):
        mark = unwanted.get(document, "")
        cells = [f"{rank}", document, result.texts.titles.get(document, ""), *([scores[rank - 1]] if score else [])]
        cells += [was.get(document, _NEW)] if was else []
        table.add(*cells, mark, style=BAD if mark else PLAIN)
    if more := max(len(result.ranking.documents), result.ranking.returned) - len(shown):
        table.note = f"      ... {counted(more, 'more result')}"
    return table.lines(columns)


def unwanted_documents(result: CaseResult) -> dict[str, str]:
    """The documents in ranks that an expectation keeps them out of, each with its mark: `excluded`, `not before 4`."""
    marks: dict[str, str] = {}
    for outcome in result.evaluation.outcomes:
        within, is_below = (
            outcome.within or result.conditions.k,
            (outcome.kind, outcome.comparison) == ("within", BELOW),
        )
        if not outcome.met and (is_below or outcome.kind == "exclude"):
            mark = f"not before {within + 1}" if is_below else "excluded"
            marks |= dict.fromkeys(set(result.ranking.documents[:within]).intersection(outcome.documents), mark)
    return marks


def _engine_scores(result: CaseResult) -> dict[str, str]:
    """The score that the engine gave to each document at its first rank in the top k; empty where it gave none."""
    texts = engine_score_texts(result.ranking.engine_scores[: result.conditions.k])
    return (
        dict(zip(reversed(result.ranking.documents[: len(texts)]), reversed(texts), strict=True)) if any(texts) else {}
    )


def _ranks_before(result: CaseResult) -> dict[str, str]:
    """The rank of each document in the accepted ranking; empty without one to compare with."""
    baseline = result.baseline
    if baseline is None or baseline.standing in (NEW, STALE):
        return {}
    count = len(baseline.documents)
    return dict(zip(reversed(baseline.documents), map(str, range(count, 0, -1)), strict=True))


def _style(row: Row) -> str:
    if row.document is None or row.repeated:
        return DIM
    if row.grade is None:
        return DOUBT
    return BAD if row.gain <= 0 and row.ideal_grade is not None else PLAIN


def blame_lines(result: CaseResult, found: Breakdown, *, full: bool, columns: int) -> list[Line]:
    """The documents to blame, `full` all of them; nothing where there are none."""
    if result.score is None or (result.is_unjudged and not full):
        return []
    lines = [*_too_high(result, found, full, columns), *_lost(result, found, full, columns)]
    return [line(""), *lines] if lines else []


def _most(blamed: Sequence[Blamed], *, full: bool) -> Sequence[Blamed]:
    """The first few; a single further one is shown too, as a note about it would take as much room."""
    return blamed if full or len(blamed) == MOST_BLAMED + 1 else blamed[:MOST_BLAMED]


def _too_high(result: CaseResult, found: Breakdown, full: bool, columns: int) -> list[Line]:
    """The judged results with less gain than the ideal ranking has at their rank."""
    too_high = [(row, row.grade) for row in found.too_high if row.grade is not None]
    if not too_high or result.is_unjudged:
        return []
    chosen = _most(too_high, full=full)
    parts = []
    for row, given in chosen:
        grade, name = f"grade {number(given)}", harmless(result.conditions.grade_names.get(given, ""))
        document = row.document or ""
        shown = titled(harmless(document), document, result.texts.titles, title_room(columns, full=full))
        parts.append(f"{shown} ({grade}{name and ' '}{name}, rank {row.rank})")
    if more := len(too_high) - len(chosen):
        parts.append(f"and {more} more")
    first, *rest = wrapped(f"{_TOO_HIGH} ", parts, columns)
    return [((_TOO_HIGH, STRONG), (first[len(_TOO_HIGH) :], PLAIN)), *map(line, rest)]


def _lost(result: CaseResult, found: Breakdown, full: bool, columns: int) -> Iterator[Line]:
    """The documents that are missing, or below their ideal rank; in full also those that are missing without a loss."""
    lost = [loss for loss in found.losses if loss.loss > LEAST]
    chosen = _most(lost, full=full)
    shown = [*chosen, *(_missing_without_loss(result, found) if full else ())]
    if not shown:
        return
    table = _table(result, shown, result.conditions.grade_names, full=full)
    if table.width() > columns:
        table = _table(result, shown, {}, full=full)
    for words, value in _rest(found, lost, len(chosen)):
        table.add(styled(words, DIM, 4), figure(value), style=DIM)
    yield line("lost most by", STRONG)
    for lines, loss in zip_longest(table.blocks(columns), shown):
        yield from lines
        if loss is not None and loss.document is None:
            yield from _left_since_baseline(result, loss, full, columns)
        elif loss is not None and (note := result.texts.notes.get(loss.document or "", "")):
            yield from folded_lines(f"      {note}", DIM, columns, "      ")
    yield from _not_in_index(result, {loss.document for loss in shown}, columns)


def _left_since_baseline(result: CaseResult, loss: Loss, full: bool, columns: int) -> Iterator[Line]:
    """The documents of a loss that several share, as far as they were in the top k of the accepted ranking."""
    gains, changes, longest = result.conditions.settings.gains, baseline_changes(result), title_room(columns, full=full)
    left = [
        f"{titled(harmless(move.document), move.document, result.texts.titles, longest)} (was rank {move.first})"
        for move in (changes.left if changes else ())
        if move.second is None and move.grade is not None and gains[move.grade] == gains[loss.grade]
    ]
    chosen = [*_most(left, full=full)]
    if more := len(left) - len(chosen):
        chosen.append(f"and {more} more")
    if chosen:
        yield from (line(text, DIM) for text in wrapped("      in the baseline: ", chosen, columns))


def _not_in_index(result: CaseResult, listed_above: Collection[str | None], columns: int) -> Iterator[Line]:
    """The documents that are not in the index and have no row of their own, as several share one loss."""
    judged = dict(result.evaluation.missing)
    others = [document for document in result.texts.not_in_index if document in judged and document not in listed_above]
    if others:
        yield from map(line, wrapped("not in the index: ", [*map(harmless, others)], columns))


def _missing_without_loss(result: CaseResult, found: Breakdown) -> Iterator[Loss]:
    """The relevant documents that were not returned, or below k, and are not among the losses that are shown."""
    shown = {loss.document for loss in found.losses if loss.loss > LEAST}
    for document, grade in result.evaluation.missing:
        if document not in shown and result.conditions.settings.gains[grade] > 0:
            yield Loss(document, grade, result.ranking.deeper.get(document), 0.0)
    for loss in found.losses:
        is_below = (
            loss.rank is not None and loss.rank > result.conditions.k and loss.document in result.ranking.documents
        )
        if is_below and loss.document not in shown:
            yield loss


def _table(result: CaseResult, losses: Sequence[Loss], names: Mapping[float, str], *, full: bool) -> Table:
    """A table with one row for each loss; `names` are those of grades."""
    gains = result.conditions.settings.gains
    together = {gains[loss.grade] for loss in losses if loss.document is None}
    table = Table(
        [*document_columns("", full=full), Column(gap=3), Column(gap=3), Column(align=RIGHT, gap=3)], indent=2
    )
    for loss in losses:
        rank = f"rank {loss.rank}" if loss.rank is not None else absence(result, loss.document)
        if loss.document is None:
            alike = (grade for grade in sorted(result.evaluation.judgments) if gains[grade] == gains[loss.grade])
            grades = listed(map(number, alike))  # several where a mapping gives them the same gain
            words = f"any {loss.places} of {loss.candidates:,} with grade {grades}"
            table.add(styled(words, PLAIN, 3), rank, figure(loss.loss))
            continue
        grade = f"grade {number(loss.grade)}" + (f" ({names[loss.grade]})" if loss.grade in names else "")
        is_of_several = loss.rank is None and not loss.loss and gains[loss.grade] in together
        amount = "" if is_of_several else figure(loss.loss)
        table.add(loss.document, result.texts.titles.get(loss.document, ""), grade, rank, amount)
    return table


def field_lines(result: CaseResult, columns: int) -> list[Line]:
    """The further fields of the documents that the report names: a table, or a paragraph each where it is too wide."""
    gains, changes = result.conditions.settings.gains, baseline_changes(result)
    documents = [
        *result.ranking.documents[: result.conditions.k],
        *(each for each, grade in result.evaluation.missing if gains[grade] > 0),
    ]
    documents += [move.document for move in changes.left] if changes else []
    expected = [document for outcome in result.evaluation.outcomes if not outcome.met for document in outcome.documents]
    named = [document for document in dict.fromkeys([*documents, *expected]) if result.texts.shown.get(document)]
    names = dict.fromkeys(name for document in named for name in result.texts.shown[document])
    table = Table([Column("document"), *(Column(name) for name in names)], indent=2, title="about the documents")
    for document in named:
        table.add(document, *(result.texts.shown[document].get(name, "") for name in names))
    if not named or table.width() <= columns:
        return table.lines(columns)
    lines, longest = [line(table.title, STRONG)], max(width(harmless(document)) for document in named)
    for document in named:
        fields = [f"{harmless(name)}: {harmless(text)}" for name, text in result.texts.shown[document].items()]
        head = harmless(document)
        lines += map(line, wrapped(f"  {head}{' ' * (longest - width(head))}   ", fields, columns, "   "))
    return lines


def absence(result: CaseResult, document: str | None) -> str:
    """Why a document is not in the ranking, as far as is known: `not returned`, `not in the index`."""
    if document in result.texts.not_in_index:
        return "not in the index"
    return "not returned, not in the catalogue" if document in result.texts.not_in_catalogue else "not returned"


def _rest(found: Breakdown, lost: Sequence[Loss], chosen: int) -> Iterator[tuple[str, float]]:
    """The rest of 1 - nDCG beyond the losses that are shown: what it is, in words, and its amount."""
    if more := len(lost) - chosen:
        yield f"... and {more} more (-v shows all)", sum(loss.loss for loss in lost[chosen:])
    others = sum(loss.loss for loss in found.losses if loss.loss <= LEAST)
    if abs(others) > LEAST:
        yield f"others {'lost' if others > 0 else 'gained'}", others
    if abs(found.unfilled) > LEAST:
        yield "beyond what is judged (ideal max)", found.unfilled


def figure(loss: float) -> str:
    """A loss as text: a loss is printed with a minus, a gain with a plus."""
    return f"{-loss:+.3f}" if abs(loss) > LEAST else " 0.000"
