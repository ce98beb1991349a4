"""What a failing query looks like in a terminal (design, section 7): lines of styled spans, at most 100 columns.

The rows come from `breakdown` and are laid out by `table`; this module says what was expected, what was found, and
which documents are to blame. `Detail` says how much of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isnan

from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.reports.breakdown import Breakdown, Loss, break_down
from pytest_relevance.reports.table import MOST_ROWS, number, table_lines, total
from pytest_relevance.reports.text import (
    BAD,
    DIM,
    DOUBT,
    GOOD,
    PLAIN,
    STRONG,
    WIDEST,
    Line,
    cut,
    folded,
    harmless,
    line,
    side_by_side,
    width,
    wrapped,
)
from pytest_relevance.runs.expectations import digits_apart, duration
from pytest_relevance.runs.scored import FAILED, INCONCLUSIVE, PASSED, Scored, ndcg_at
from pytest_relevance.wording import quoted, shown

MOST_LOSSES, MOST_IDS = 3, 10
"""What the default report shows of the documents to blame, and of a list of ids."""

_LEAST_LOSS = 0.0005  # what would print as 0.000
_LEAST_REASON = 60
_STYLES = {PASSED: GOOD, FAILED: BAD, INCONCLUSIVE: DOUBT}


@dataclass(frozen=True, slots=True)
class Detail:
    """How much a report shows: `brief` one line; `full` all k ranks and every judged document that is missing."""

    brief: bool = False
    full: bool = False


def failure_lines(scored: Scored, where: str, label: str, detail: Detail) -> list[Line]:
    """The report of one query. `where` is `file:line`; `label` the search and its parameters, `search[bm25](n=1)`."""
    case = scored.case
    where = f"{harmless(where)}: "
    if detail.brief:
        return [_in_brief(scored, where)]
    titles = _titles(scored)
    lines = [*_reasons(scored, where), *_facts(scored, label)]
    if case.note:
        lines += [line(text, DIM) for text in folded(f"note: {harmless(case.note)}", indent="      ")]
    lines += _repeated(scored)
    if scored.strange_ids:
        lines += _strange_ids(scored)
    if case.judgments:
        table = break_down(case.judgments, scored.ranking.ids, scored.graded, case.k, case.settings)
        if table.rows:
            nothing = "nothing returned" if case.settings.unjudged == "zero" else "no judged result"
            lines += [line(""), *table_lines(table, titles, full=detail.full, nothing=nothing)]
        lines += [*_totals(scored, table), *_unjudged(scored, detail), *_losses(scored, table, titles, detail)]
    elif scored.ranking.ids:
        lines += [line(""), *_results(scored, titles, detail)]
    return lines


def case_line(case: Case, where: str, label: str) -> str:
    """The case that an error belongs to: what stands above a traceback of the user's own search."""
    return f'{harmless(where)}: query "{harmless(case.query)}"   {label}'


def search_label(search: str, variant: str | None, params: Mapping[str, object]) -> str:
    """The search of a case as reports name it: `search[bm25](locale=en_GB)`."""
    label = harmless(search) + (f"[{harmless(variant)}]" if variant else "")
    if params:
        given = ", ".join(
            f"{name}={value if isinstance(value, str) else shown(value, 40)}" for name, value in params.items()
        )
        label += f"({harmless(given)})"
    return label


def conventions(settings: Settings) -> str:
    """The settings that produced the figures, as every report names them."""
    gain, top = settings.gain, settings.max_grade
    named = gain if isinstance(gain, str) else "{" + ", ".join(f"{g:g}: {v:g}" for g, v in sorted(gain.items())) + "}"
    ideal = f"max ({number(top)})" if settings.ideal == "max" and top is not None else settings.ideal
    parts = [f"gain {named}", f"ideal {ideal}", f"unjudged {settings.unjudged}"]
    if settings.discount != "log2":
        parts.append(f"discount {settings.discount}")
    if settings.negative != "keep":
        parts.append(f"negative {settings.negative}")
    return ", ".join(parts)


def _in_brief(scored: Scored, where: str) -> Line:
    text = "; ".join(scored.reasons or (_measured(scored),))
    if scored.verdict == INCONCLUSIVE:  # what to do first, as the line may be cut
        text = text.replace(": ", f", judge these: {', '.join(scored.unjudged)}: ", 1)
    text = cut(harmless(text), max(WIDEST - width(where), _LEAST_REASON))
    return (where, PLAIN), (text, _STYLES.get(scored.verdict, PLAIN))


def _reasons(scored: Scored, where: str) -> list[Line]:
    """The first reason behind the place, or below it where that leaves little room; the others below."""
    style = _STYLES.get(scored.verdict, PLAIN)
    first, *others = map(harmless, scored.reasons or (_measured(scored),))
    room = WIDEST - width(where)
    lines: list[Line]
    if room < min(_LEAST_REASON, width(first)):
        lines = [line(where.rstrip())]
        others.insert(0, first)
    else:
        beginning, *rest = folded(first, indent="    ", first=room)
        lines = [((where, PLAIN), (beginning, style)), *(line(text, style) for text in rest)]
    return lines + [line(text, style) for other in others for text in folded(f"  {other}", indent="    ")]


def _measured(scored: Scored) -> str:
    """What there is to say of a case that is not unmet."""
    name, floor = ndcg_at(scored.case.k).text, scored.case.min_ndcg
    if not scored.case.judgments:
        return "no judgments"
    if isnan(scored.score):
        return f"{name} n/a, no judged document is relevant"
    digits = _digits(scored)
    expected = f"at least {floor:.{digits}f} expected" if floor is not None else "no floor"
    return f"{name} {scored.score:.{digits}f}, {expected}"


def _digits(scored: Scored) -> int:
    """The decimals of the score: as many as tell it from the floor."""
    return 3 if scored.case.min_ndcg is None else digits_apart(scored.score, scored.case.min_ndcg)


def _facts(scored: Scored, label: str) -> list[Line]:
    case = scored.case
    facts = [f'query "{harmless(case.query)}"', label]
    if scored.latency is not None:
        facts.append(duration(scored.latency))
    returned, top = scored.returned, scored.top
    results = f"{returned} result{'s' * (returned != 1)}" if returned else "no results"
    if returned and case.judgments:
        judged = "all judged" if scored.judged == top and returned > 1 else f"{scored.judged} judged"
        results += f", {judged}" if top == returned else f"; of the top {case.k}, {judged}"
    facts.append(results)
    return [line(text) for text in wrapped("", facts, separator="   ")]


def _repeated(scored: Scored) -> list[Line]:
    if not scored.graded.repeated:
        return []
    ids = scored.ranking.ids
    copies: dict[str, list[int]] = {}
    for index in scored.graded.repeated:
        copies.setdefault(ids[index], []).append(index + 1)
    parts = [
        f"{harmless(document)} at rank {ids.index(document) + 1} and again at {', '.join(map(str, ranks))}"
        for document, ranks in copies.items()
    ]
    return [line(text) for text in wrapped("returned more than once, counted at the first rank: ", _some(parts))]


def _strange_ids(scored: Scored) -> list[Line]:
    """Both kinds of id side by side, in quotes: they may differ by a blank."""
    returned, judged = (
        _some([quoted(document) for document in documents]) for documents in (scored.ranking.ids, scored.case.judgments)
    )
    return [
        line("no result is judged; are these the same kind of id?", BAD),
        *(line(text) for text in wrapped("  returned: ", returned)),
        *(line(text) for text in wrapped("  judged:   ", judged)),
        line("  if not, name the id with id_field in the case file, or return it from search", DIM),
    ]


def _some(parts: list[str], *, full: bool = False) -> list[str]:
    """The first of a list, and how many more there are."""
    if full or len(parts) <= MOST_IDS:
        return parts
    return [*parts[:MOST_IDS], f"and {len(parts) - MOST_IDS} more"]


def _titles(scored: Scored) -> dict[str, str]:
    """The titles of the documents that a report may name: as returned, or as the judgments give them."""
    case, ids = scored.case, scored.ranking.ids
    titles = dict(case.titles)
    named = max(case.depth, MOST_ROWS)
    for index in range(len(ids) - 1, -1, -1):  # of a document that is repeated, the first copy has the last word
        if (index < named or ids[index] in case.judgments) and (title := scored.ranking.title(index)):
            titles[ids[index]] = title
    return titles


def _totals(scored: Scored, table: Breakdown) -> list[Line]:
    name = ndcg_at(scored.case.k).text
    settings = conventions(scored.case.settings)
    if isnan(scored.score):
        return [
            line(text)
            for text in wrapped("", [f"{name} n/a: no judged document is relevant", settings], separator="     ")
        ]
    style = _STYLES.get(scored.verdict, PLAIN)
    sums = f"DCG {total(table.dcg)} / ideal DCG {total(table.ideal_dcg)} = "
    result = f"{name} {scored.score:.{_digits(scored)}f}"
    if not table.ideal_dcg:
        sums = "nothing relevant was returned: "
    together = WIDEST - len(sums) - len(result) - 5
    if width(settings) <= together:
        return [((sums, PLAIN), (result, style), (f"     {settings}", PLAIN))]
    return [((sums, PLAIN), (result, style)), *(line(text) for text in folded(f"  {settings}", indent="  "))]


def _unjudged(scored: Scored, detail: Detail) -> list[Line]:
    """The results without a judgment, and what they leave open."""
    unjudged = _some([harmless(document) for document in scored.unjudged], full=detail.full)
    inconclusive = scored.verdict == INCONCLUSIVE
    if not unjudged or (scored.strange_ids and not inconclusive) or isnan(scored.score):
        return []
    lines = wrapped("judge these: " if inconclusive else "unjudged results: ", unjudged)
    settings = scored.case.settings
    if settings.ideal == "judged" and settings.unjudged == "zero":
        span = f"{ndcg_at(scored.case.k).text} lies between {scored.lower:.3f} and {scored.upper:.3f}"
        if width(lines[-1]) + 3 + len(span) <= WIDEST:
            lines[-1] += f" - {span}"
        else:
            lines.append(f"  {span}")
    return [line(text, DOUBT if inconclusive else PLAIN) for text in lines]


def _losses(scored: Scored, table: Breakdown, titles: Mapping[str, str], detail: Detail) -> list[Line]:
    """The documents that are to blame: those that are missing, or below the ranks where their grade belongs.

    In full also those that are missing without a loss, as there are more of their grade than ranks.
    """
    k, gains = scored.case.k, scored.case.settings.gains
    lost = [
        loss
        for loss in table.losses
        if (loss.loss > _LEAST_LOSS and (loss.rank is None or loss.rank > loss.last_ideal_rank))
        or (detail.full and (loss.rank is None or loss.rank > k) and gains[loss.grade] > 0)
    ]
    if not lost or isnan(scored.score) or (scored.strange_ids and not detail.full):
        return []
    chosen = lost if detail.full or len(lost) == MOST_LOSSES + 1 else lost[:MOST_LOSSES]
    lines = [line(""), line("lost most by", STRONG), *_blamed(chosen, titles, scored.case.notes)]
    if more := len(lost) - len(chosen):
        lines.append(line(f"  ... and {more} more documents (-v shows all)", DIM))
    return lines


def _blamed(losses: list[Loss], titles: Mapping[str, str], notes: Mapping[str, str]) -> Iterable[Line]:
    grades = [f"grade {number(loss.grade)}" for loss in losses]
    ranks = ["not returned" if loss.rank is None else f"rank {loss.rank}" for loss in losses]
    for_grade, for_rank = max(map(len, grades)), max(map(len, ranks))
    named = [(loss.document, titles.get(loss.document, "")) for loss in losses]
    documents = side_by_side(named, WIDEST - 2 - 3 - for_grade - 3 - for_rank - 3 - len("-0.000"))
    for loss, document, grade, rank in zip(losses, documents, grades, ranks, strict=True):
        lost = f"{-loss.loss:+.3f}" if loss.loss > _LEAST_LOSS else " 0.000"
        yield line(f"  {document}   {grade:<{for_grade}}   {rank:<{for_rank}}   {lost}")
        if note := notes.get(loss.document):
            yield from (line(text, DIM) for text in folded(f"      {harmless(note)}", indent="      "))


def _results(scored: Scored, titles: Mapping[str, str], detail: Detail) -> list[Line]:
    """The results of a case without judgments."""
    ids = scored.ranking.ids
    most = max(scored.case.depth, MOST_ROWS) if detail.full else MOST_ROWS
    ranked = side_by_side([(document, titles.get(document, "")) for document in ids[:most]], WIDEST - 6)
    lines = [line("rank  document", STRONG)]
    lines += [line(f"{rank:>4}  {text}".rstrip()) for rank, text in enumerate(ranked, 1)]
    if more := len(ids) - len(ranked):
        lines.append(line(f"      ... {more} more result{'s' * (more != 1)}", DIM))
    return lines
