"""What a failing query looks like in a terminal (design, section 7): lines of styled spans, at most 100 columns.

The rows come from `breakdown`; this module lays them out. `Detail` says how much of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan

from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.reports.breakdown import Breakdown, Loss, Row, break_down
from pytest_relevance.reports.text import (
    BAD,
    DIM,
    DOUBT,
    GOOD,
    PLAIN,
    STRONG,
    WIDEST,
    Line,
    fit,
    harmless,
    line,
    wrapped,
)
from pytest_relevance.runs.scored import FAILED, INCONCLUSIVE, PASSED, Scored, ndcg_at
from pytest_relevance.wording import shown

MOST_ROWS, MOST_LOSSES, MOST_IDS = 10, 3, 5
"""What the default report shows of a ranking, of the documents to blame, of a list of ids."""

_LEAST_LOSS = 0.0005  # what would print as 0.000
_STYLES = {PASSED: GOOD, FAILED: BAD, INCONCLUSIVE: DOUBT}


@dataclass(frozen=True, slots=True)
class Detail:
    """How much a report shows: `brief` one line; `full` all k ranks and every judged document that is missing."""

    brief: bool = False
    full: bool = False


def failure_lines(scored: Scored, where: str, label: str, detail: Detail) -> list[Line]:
    """The report of one query. `where` is `file:line`; `label` the search and its parameters, `search[bm25](n=1)`."""
    case = scored.case
    reasons = scored.reasons or (_measured(scored),)
    style = _STYLES.get(scored.verdict, PLAIN)
    if detail.brief:
        return [((f"{where}: ", PLAIN), ("; ".join(map(harmless, reasons)), style))]
    lines: list[Line] = [((f"{where}: ", PLAIN), (harmless(reasons[0]), style))]
    lines += [line(f"  {harmless(reason)}", style) for reason in reasons[1:]]
    lines.append(line(_facts(scored, label)))
    if case.note:
        lines.append(line(f"note: {harmless(case.note)}", DIM))
    lines += [line(text) for text in _repeated(scored)]
    if scored.strange_ids:
        lines += _strange_ids(scored)
    if case.judgments:
        table = break_down(case.judgments, scored.ranking.ids, scored.graded, case.k, case.settings)
        lines += [line(""), *_table(scored, table, detail), *_totals(scored, table)]
        lines += _unjudged(scored)
        lines += _losses(scored, table, detail)
    elif scored.ranking.ids:
        lines += [line(""), *_ranking(scored, detail)]
    return lines


def conventions(settings: Settings) -> str:
    """The settings that produced the figures, as every report names them."""
    gain = settings.gain
    named = gain if isinstance(gain, str) else "{" + ", ".join(f"{g:g}: {v:g}" for g, v in sorted(gain.items())) + "}"
    parts = [f"gain {named}", f"ideal {settings.ideal}", f"unjudged {settings.unjudged}"]
    if settings.discount != "log2":
        parts.append(f"discount {settings.discount}")
    if settings.negative != "keep":
        parts.append(f"negative {settings.negative}")
    return ", ".join(parts)


def search_label(search: str, variant: str | None, params: Mapping[str, object]) -> str:
    """The search of a case as reports name it: `search[bm25](locale=en_GB)`."""
    label = harmless(search) + (f"[{harmless(variant)}]" if variant else "")
    if params:
        given = ", ".join(
            f"{name}={value if isinstance(value, str) else shown(value, 40)}" for name, value in params.items()
        )
        label += f"({harmless(given)})"
    return label


def _measured(scored: Scored) -> str:
    name = ndcg_at(scored.case.k).text
    if not scored.case.judgments:
        return "no judgments, no floor"
    if isnan(scored.score):
        return f"{name} n/a, no judged document is relevant"
    floor = scored.case.min_ndcg
    return f"{name} {scored.score:.3f}" + (f", at least {floor:.3f} expected" if floor is not None else ", no floor")


def _facts(scored: Scored, label: str) -> str:
    case = scored.case
    facts = [f'query "{harmless(case.query)}"', label]
    if scored.latency is not None:
        facts.append(f"{scored.latency * 1000:.4g} ms")
    results = f"{scored.returned} result{'' if scored.returned == 1 else 's'}"
    facts.append(f"{results}; of the top {case.k}, {scored.judged} judged" if case.judgments else results)
    return "   ".join(facts)


def _repeated(scored: Scored) -> list[str]:
    if not scored.graded.repeated:
        return []
    ids = scored.ranking.ids
    copies: dict[str, list[int]] = {}
    for index in scored.graded.repeated:
        copies.setdefault(ids[index], []).append(index + 1)
    parts = [
        f"{harmless(document)} at rank {ids.index(document) + 1} and again at {', '.join(map(str, ranks))}"
        for document, ranks in list(copies.items())[:MOST_IDS]
    ]
    more = f", and {len(copies) - MOST_IDS} more" if len(copies) > MOST_IDS else ""
    return [*wrapped("returned more than once, counted at the first rank: ", parts), *([more] if more else [])]


def _strange_ids(scored: Scored) -> list[Line]:
    """Both kinds of id side by side."""
    returned = [harmless(document) for document in scored.ranking.ids[:MOST_IDS]]
    judged = [harmless(document) for document in list(scored.case.judgments)[:MOST_IDS]]
    return [
        line("no result is judged; are these the same kind of id?", BAD),
        *(line(text) for text in wrapped("  returned: ", returned)),
        *(line(text) for text in wrapped("  judged:   ", judged)),
        line("  if not, name the id with id_field in the case file, or return it from search", DIM),
    ]


_HEAD = ("rank", "document", "grade", "gain", "discount", "DG", "DCG", "ideal", "IDCG")
_FIGURES = (5, 7, 8, 7, 7, 6, 7)
_DOCUMENT = WIDEST - 4 - sum(_FIGURES) - 2 * (len(_FIGURES) + 1)
_ID = 16


def _table(scored: Scored, table: Breakdown, detail: Detail) -> list[Line]:
    rows = table.rows
    if not rows:
        return [line("nothing was returned")]
    most = len(rows) if detail.full else MOST_ROWS
    titles = {document: index for index, document in reversed(list(enumerate(scored.ranking.ids)))}
    ids = min(max([_ID // 2, *(len(row.document or "") for row in rows[:most])]), _DOCUMENT)
    named = {row.document: _title(scored, row.document, titles) for row in rows[:most] if row.document is not None}
    column = _DOCUMENT if any(named.values()) else max(ids, len("document"))
    lines = [line(_cells("rank", _pad("document", column), _HEAD[2:]), STRONG)]
    for row in rows[:most]:
        figures = (
            "repeat"
            if row.repeated
            else "-"
            if row.grade is None
            else f"{row.grade:g}"
            if row.document is not None
            else "",
            "-"
            if row.grade is None and row.document is not None
            else _gain(row.gain)
            if row.document is not None
            else "",
            f"{row.discount:.3f}",
            ("-" if row.grade is None else f"{row.discounted_gain:.3f}") if row.document is not None else "",
            f"{row.dcg:.3f}",
            "" if row.ideal_grade is None else f"{row.ideal_grade:g}",
            f"{row.ideal_dcg:.3f}" if row.ideal_grade is not None else "",
        )
        document = (
            _pad("", column) if row.document is None else _document(row.document, named[row.document], ids, column)
        )
        lines.append(line(_cells(f"{row.rank}", document, figures).rstrip(), _row_style(row)))
    if len(rows) > most:
        lines.append(line(f"     ... {len(rows) - most} more ranks (-v shows all)", DIM))
    return lines


def _row_style(row: Row) -> str:
    if row.document is None or row.repeated:
        return DIM
    if row.grade is None:
        return DOUBT
    return BAD if row.gain <= 0 and row.ideal_grade is not None else PLAIN


def _cells(rank: str, document: str, figures: tuple[str, ...]) -> str:
    numbers = "  ".join(f"{figure:>{columns}}" for figure, columns in zip(figures, _FIGURES, strict=True))
    return f"{rank:>4}  {document}  {numbers}"


def _document(document: str, title: str, ids: int, columns: int) -> str:
    if not title:
        return fit(document, columns)
    return _pad(
        f"{fit(document, ids)} {fit(title, columns - ids - 1)}" if columns - ids > 8 else fit(document, columns),
        columns,
    )


def _pad(text: str, columns: int) -> str:
    return f"{text:<{columns}}" if text.isascii() else text


def _title(scored: Scored, document: str, ranks: Mapping[str, int]) -> str:
    index = ranks.get(document)
    found = scored.ranking.title(index) if index is not None else None
    return found or scored.case.titles.get(document, "")


def _gain(gain: float) -> str:
    text = f"{gain:g}"
    return text if len(text) <= 7 else f"{gain:.2e}"


def _totals(scored: Scored, table: Breakdown) -> list[Line]:
    name = ndcg_at(scored.case.k).text
    settings = conventions(scored.case.settings)
    if isnan(scored.score):
        return [line(f"no judged document is relevant, so that {name} is not defined: n/a   {settings}")]
    style = _STYLES.get(scored.verdict, PLAIN)
    return [
        (
            (f"DCG {table.dcg:.3f} / ideal DCG {table.ideal_dcg:.3f} = ", PLAIN),
            (f"{name} {scored.score:.3f}", style),
            (f"     {settings}", PLAIN),
        )
    ]


def _unjudged(scored: Scored) -> list[Line]:
    unjudged = scored.unjudged
    if not unjudged or scored.strange_ids or isnan(scored.score):
        return []
    settings = scored.case.settings
    if settings.ideal != "judged" or settings.unjudged != "zero":
        return [line(text) for text in wrapped("unjudged results: ", map(harmless, unjudged))]
    span = f" - {ndcg_at(scored.case.k).text} lies between {scored.lower:.3f} and {scored.upper:.3f}"
    lines = wrapped("unjudged results: ", map(harmless, unjudged), WIDEST - len(span))
    return [line(text) for text in [*lines[:-1], lines[-1] + span]]


def _losses(scored: Scored, table: Breakdown, detail: Detail) -> list[Line]:
    lost = [loss for loss in table.losses if loss.loss > _LEAST_LOSS]
    if not lost or isnan(scored.score):
        return []
    chosen = lost if detail.full else lost[:MOST_LOSSES]
    titles = {document: index for index, document in reversed(list(enumerate(scored.ranking.ids)))}
    ids = min(max(_ID // 2, *(len(loss.document) for loss in chosen)), 40)
    lines = [line(""), line("lost most by", STRONG)]
    lines += [line(_loss(scored, loss, ids, titles)) for loss in chosen]
    if len(lost) > len(chosen):
        lines.append(line(f"  ... and {len(lost) - len(chosen)} more documents (-v shows all)", DIM))
    return lines


def _loss(scored: Scored, loss: Loss, ids: int, titles: Mapping[str, int]) -> str:
    rank = "not returned" if loss.rank is None else f"rank {loss.rank}"
    title = fit(_title(scored, loss.document, titles), 88 - ids - 30)
    return f"  {fit(loss.document, ids)} {title}  grade {loss.grade:<5g} {rank:<13} {-loss.loss:+.3f}"


def _ranking(scored: Scored, detail: Detail) -> list[Line]:
    """The results of a case without judgments."""
    ids = scored.ranking.ids
    most = max(scored.case.depth, MOST_ROWS) if detail.full else MOST_ROWS
    lines = [line("rank  document", STRONG)]
    for index, document in enumerate(ids[:most]):
        title = scored.ranking.title(index) or ""
        lines.append(line(f"{index + 1:>4}  {fit(f'{document}  {title}', WIDEST - 6).rstrip()}"))
    if len(ids) > most:
        lines.append(line(f"     ... {len(ids) - most} more results", DIM))
    return lines


def case_line(case: Case, where: str, label: str) -> str:
    """The case that an error belongs to: what stands above a traceback of the user's own search."""
    return f'{where}: query "{harmless(case.query)}"   {label}'
