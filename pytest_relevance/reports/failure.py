"""What a failing query looks like in a terminal (design, section 7): lines of styled spans, at most 100 columns.

The rows come from `breakdown` and are laid out by `table`; this module says what was expected, what was found, and
which documents are to blame. The parts: `reasons`, `table`, `blame`. `Detail` says how much of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from pytest_relevance.metrics.settings import Settings
from pytest_relevance.reports.blame import blame_lines
from pytest_relevance.reports.breakdown import Breakdown, break_down
from pytest_relevance.reports.reasons import STYLES, digits_of, left_open, reasons_in_brief, reasons_in_full
from pytest_relevance.reports.table import EXCLUDED, MOST_ROWS, number, table_lines, total
from pytest_relevance.reports.text import (
    BAD,
    DIM,
    DOUBT,
    PLAIN,
    STRONG,
    WIDEST,
    Line,
    folded,
    harmless,
    line,
    side_by_side,
    width,
    wrapped,
)
from pytest_relevance.runs.expectations import duration
from pytest_relevance.runs.scored import INCONCLUSIVE, Scored, ndcg_at
from pytest_relevance.wording import quoted, shown

if TYPE_CHECKING:
    from pytest_relevance.runs.baseline import Since

MOST_IDS = 10
"""What the default report shows of a list of ids."""


@dataclass(frozen=True, slots=True)
class Detail:
    """How much a report shows: `brief` one line; `full` all k ranks and every judged document that is missing.

    `notes` are what else there is to say of the ranking.
    """

    brief: bool = False
    full: bool = False
    notes: Sequence[str] = ()


def failure_lines(scored: Scored, where: str, label: str, detail: Detail, found: Since | None = None) -> list[Line]:
    """The report of one query. `where` is `file:line`; `label` the search and its parameters, `search[bm25](n=1)`.

    `found` is what became of it since its baseline, where it has one.
    """
    case = scored.case
    where = f"{harmless(where)}: "
    if detail.brief:
        return [(*reasons_in_brief(scored, where), *((f"; {note}", DOUBT) for note in detail.notes))]
    titles = _titles(scored)
    lines = [*reasons_in_full(scored, where, titles, found), *_facts(scored, label)]
    if case.note:
        lines += [line(text, DIM) for text in folded(f"note: {harmless(case.note)}", indent="      ")]
    for note in detail.notes:
        lines += [line(text, DOUBT) for text in folded(note, indent="  ")]
    lines += _repeated(scored)
    if scored.strange_ids:
        lines += _strange_ids(scored)
    excluded = _excluded(scored)
    if case.judgments:
        table = break_down(case.judgments, scored.ranking.ids, scored.graded, case.k, case.settings)
        if table.rows:
            nothing = "nothing returned" if case.settings.unjudged == "zero" else "no judged result"
            lines += [line(""), *table_lines(table, titles, full=detail.full, nothing=nothing, excluded=excluded)]
        lines += [*_totals(scored, table), *_unjudged(scored, detail)]
        lines += blame_lines(scored, table, titles, full=detail.full)
    elif scored.ranking.ids:
        lines += [line(""), *_results(scored, titles, detail, excluded)]
    if found is not None:
        from pytest_relevance.reports.since import since_lines

        lines += since_lines(found, scored, titles, full=detail.full)
    return lines


def search_label(search: str, variant: str | None, params: Mapping[str, object]) -> str:
    """The search of a case as reports name it: `search[bm25](locale=en_GB)`."""
    label = harmless(search) + (f"[{harmless(variant)}]" if variant else "")
    if params:
        given = ", ".join(
            f"{name}={value if isinstance(value, str) else shown(value, 40)}" for name, value in params.items()
        )
        label += f"({harmless(given)})"
    return label


def conventions(settings: Settings, depth: int | None = None) -> str:
    """The settings that produced the figures, as every report names them, with the depth where one was set."""
    gain, top = settings.gain, settings.max_grade
    named = gain if isinstance(gain, str) else "{" + ", ".join(f"{g:g}: {v:g}" for g, v in sorted(gain.items())) + "}"
    ideal = f"max ({number(top)})" if settings.ideal == "max" and top is not None else settings.ideal
    parts = [f"gain {named}", f"ideal {ideal}", f"unjudged {settings.unjudged}"]
    if settings.discount != "log2":
        parts.append(f"discount {settings.discount}")
    if settings.negative != "keep":
        parts.append(f"negative {settings.negative}")
    if depth is not None:
        parts.append(f"depth {depth}")
    return ", ".join(parts)


def _excluded(scored: Scored) -> frozenset[str]:
    """The documents that stand in a top where the case excludes them."""
    case = scored.case
    return frozenset(
        document
        for expected, outcome in zip(case.expect, scored.outcomes, strict=True)
        if expected.kind == "exclude" and not outcome.met
        for document in set(scored.ranking.ids[: expected.within or case.k]).intersection(expected.documents)
    )


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
    expected = {document for line_ in case.expect for document in line_.documents}
    for index in range(len(ids) - 1, -1, -1):  # of a document that is repeated, the first copy has the last word
        if (index < named or ids[index] in case.judgments or ids[index] in expected) and (
            title := scored.ranking.title(index)
        ):
            titles[ids[index]] = title
    return titles


def _totals(scored: Scored, table: Breakdown) -> list[Line]:
    name = ndcg_at(scored.case.k).text
    settings = conventions(scored.case.settings, scored.case.depth if scored.case.terms.depth is not None else None)
    if isnan(scored.score):
        return [
            line(text)
            for text in wrapped("", [f"{name} n/a: no judged document is relevant", settings], separator="     ")
        ]
    style = STYLES.get(scored.verdict, PLAIN)
    sums = f"DCG {total(table.dcg)} / ideal DCG {total(table.ideal_dcg)} = "
    result = f"{name} {scored.score:.{digits_of(scored)}f}"
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
    if not unjudged or isnan(scored.score):
        return []
    span = left_open(scored)
    if scored.strange_ids and not inconclusive:  # what was returned stands above already
        return [line(span)] if span else []
    lines = wrapped("judge these: " if inconclusive else "unjudged results: ", unjudged)
    if span and width(lines[-1]) + 3 + len(span) <= WIDEST:
        lines[-1] += f" - {span}"
    elif span:
        lines.append(f"  {span}")
    return [line(text, DOUBT if inconclusive else PLAIN) for text in lines]


def _results(scored: Scored, titles: Mapping[str, str], detail: Detail, excluded: Collection[str]) -> list[Line]:
    """The results of a case without judgments."""
    ids = scored.ranking.ids
    most = max(scored.case.depth, MOST_ROWS) if detail.full else MOST_ROWS
    room = WIDEST - 6 - (2 + len(EXCLUDED)) * bool(excluded)
    ranked = side_by_side([(document, titles.get(document, "")) for document in ids[:most]], room)
    lines = [line("rank  document", STRONG)]
    for rank, text in enumerate(ranked, 1):
        if ids[rank - 1] in excluded:
            lines.append(line(f"{rank:>4}  {text}  {EXCLUDED}", BAD))
        else:
            lines.append(line(f"{rank:>4}  {text}".rstrip()))
    if more := len(ids) - len(ranked):
        lines.append(line(f"      ... {more} more result{'s' * (more != 1)}", DIM))
    return lines
