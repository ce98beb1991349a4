"""The data of one case in the HTML page, as JSON data for its script.

`script/data.js` describes the fields: a field that is added here is added there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_relevance._number_text import LEAST
from pytest_relevance.ext.html.marked_texts import marked_texts
from pytest_relevance.ext.html.page_rows import PageRow, results_of
from pytest_relevance.ext.html.query_rows import QueryRows
from pytest_relevance.ext.html.shared_tables import SharedTables
from pytest_relevance.reports.case_score import ties_text
from pytest_relevance.reports.labels import case_label, search_label
from pytest_relevance.reports.passage_lines import (
    held_texts,
    missing_passages,
    near_text,
    place_text,
    was_text,
)
from pytest_relevance.reports.reasons import reason_texts
from pytest_relevance.reports.run.case_change import CaseChange
from pytest_relevance.reports.run.stability import unstable_text
from pytest_relevance.reports.run.variant_labels import (
    Variant,
    variant_label,
    variant_of,
    variants_of,
)
from pytest_relevance.results.case_parts import SearchError
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.certainty import no_grade_matters
from pytest_relevance.results.changes import Snapshot
from pytest_relevance.results.losses import Loss
from pytest_relevance.results.outcomes import first_ranks
from pytest_relevance.results.settling import stake_of_change
from pytest_relevance.results.unjudged import PlausibleGains, unjudged_results

_DECIMALS = 9
"""The decimals of losses, moves and worths.

The page shows three, its worklist four. Floats in full would take a fifth of a large
page.
"""


def all_case_data(
    rows: Sequence[PageRow], shown: Sequence[PageRow], tables: SharedTables
) -> Iterator[dict[str, Any]]:
    """Yield a JSON object for each row in `shown`, without empty values.

    `rows`: all cases of the run.
    `tables`: this function adds the settings and scales of the cases to it.
    """
    variants = variants_of(results_of(shown))
    query_rows = QueryRows(rows)
    gains = PlausibleGains(results_of(shown))
    for row in shown:
        result = row.result
        change = CaseChange(row.change)
        values = {
            **_identity(result, query_rows.names[id(result)], variants),
            "row": query_rows.row(row, change),
            **_verdict(row),
            **_scores(change),
            **_to_judge(row, gains),
            **tables.add(result),
            **_ranking(result),
            **_accepted(row),
            "moves": _moves(row, change.shares),
        }
        if result.evaluation.passages:
            values |= _of_passages(row, change)
        values |= _texts(result, values)
        yield _without_empty_values(values)


def _without_empty_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values without None, False, and empty texts, lists and objects.

    Numbers stay, also 0.
    """
    kept = {}
    for name, value in values.items():
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if value or is_number:
            kept[name] = value
    return kept


def _identity(
    result: CaseResult, name: str, variants: Sequence[Variant]
) -> dict[str, Any]:
    """Return which case this is, what was searched, and what is asked of it.

    `name`: the name of the case in the page (`names_in_page`).
    `variants`: the variants that the page has in full.
    """
    variant = variant_label(variant_of(result), variants) if len(variants) > 1 else ""
    return {
        "node": name,
        "test": result.node if result.node != name else "",
        "id": result.id,
        "query": result.query,
        "label": case_label(result),
        "file": result.file,
        "place": result.place,
        "search": search_label(result.search, result.variant, result.params),
        "variant": variant,
        "tags": list(result.tags),
        "weight": None if result.weight == 1 else result.weight,
        "params": {key: str(value) for key, value in result.params.items()},
        "note": result.note,
        "k": result.conditions.k,
        "metric": result.metric.text if result.is_known_item else "",
        "floor": result.conditions.floor,
        "tolerance": result.conditions.tolerance,
    }


def _verdict(row: PageRow) -> dict[str, Any]:
    """Return what became of a case, the reasons for it, and how the search went."""
    result = row.result
    error = result.call.error
    return {
        "status": result.status,
        "tone": row.tone,
        "said": row.said if row.said != result.status else "",
        "gotWorse": row.got_worse,
        "isOpen": row.is_certain is False,
        "isCertain": row.is_certain is True,
        "isDecided": row.is_certain is True and no_grade_matters(row.change),
        "gotBetter": row.got_better,
        "failedBefore": row.failed_before,
        "hasOtherRanking": row.change.has_other_ranking,
        "reasons": reason_texts(result),
        "error": _error(error),
        "unstable": unstable_text(result),
        "ties": _ties(result),
        "latency": result.call.latency,
        "isShare": result.call.latency_shared,
        "isRecorded": result.call.is_recorded,
    }


def _scores(change: CaseChange) -> dict[str, Any]:
    """Return the scores of a case, and its losses.

    There are no losses if the score is 1 or not defined.
    """
    result = change.result
    losses: list[dict[str, Any]] = []
    if result.score not in (None, 1):
        losses = _losses(change.losses)
    return {
        "score": result.score,
        "lower": result.evaluation.lower,
        "upper": result.evaluation.upper,
        "before": change.change.score_before,
        "losses": losses,
    }


def _ties(result: CaseResult) -> str:
    """Return between which scores nDCG@k lies, whatever the order of equal scores is.

    Example: `nDCG@10 lies between 0.700 and 1.000 by the order of equal scores`. "" if
    the order does not decide whether the case meets its floor.
    """
    text = ties_text(result)
    return f"{result.metric.text} lies {text}" if text else ""


def _error(error: SearchError | None) -> dict[str, str] | None:
    return None if error is None else {"text": error.headline, "frame": error.frame}


def _to_judge(row: PageRow, gains: PlausibleGains) -> dict[str, Any]:
    """Return the unjudged results in the order of judging, and what each grade changes.

    Results whose grade may settle whether the case got worse come first.
    """
    unjudged = unjudged_results(row.result, gains)
    if not unjudged:
        return {}
    stake = stake_of_change(row.change, is_worse=row.got_worse)
    chances = stake.chances
    turns = {document: turn for turn, document in enumerate(chances)}
    unjudged.sort(key=lambda each: turns.get(each.document, len(turns)))
    to_judge = []
    for each in unjudged:
        to_judge.append(
            {
                "document": each.document,
                "worth": _rounded(each.worth),
                "move": _rounded(each.move),
                "chance": _rounded(chances.get(each.document, 0.0)),
            }
        )
    return {
        "toJudge": to_judge,
        "undecided": stake.is_undecided,
        "fewest": len(stake.fewest) if row.is_certain is False else None,
    }


def _rounded(figure: float) -> float:
    return round(figure, _DECIMALS)


def _losses(losses: Iterable[Loss]) -> list[dict[str, Any]]:
    """Return the losses that are large enough to be shown."""
    found = []
    for each in losses:
        if each.loss > LEAST:
            found.append(
                {
                    "document": each.document,
                    "grade": each.grade,
                    "rank": each.rank,
                    "loss": _rounded(each.loss),
                    "places": each.places,
                    "candidates": each.candidates,
                }
            )
    return found


def _ranking(result: CaseResult) -> dict[str, Any]:
    """Return the ranking and grades of a case, as JSON data for the page."""
    ranking = result.ranking
    evaluation = result.evaluation
    return {
        "documents": list(ranking.documents),
        "grades": list(ranking.grades),
        "scores": list(ranking.engine_scores),
        "deeper": dict(ranking.deeper),
        "returned": ranking.returned,
        "judgments": [list(pair) for pair in evaluation.judgments.items()],
        "missing": [list(pair) for pair in evaluation.missing],
        "filled": dict(evaluation.filled),
        "notInIndex": list(result.texts.not_in_index),
        "notInCatalogue": list(result.texts.not_in_catalogue),
    }


def _of_passages(row: PageRow, change: CaseChange) -> dict[str, Any]:
    """Return what a case with passages has in the place of grades, losses and moves.

    Its results have no grades, and readers cannot judge them.
    """
    result = row.result
    before = row.earlier_ranking
    was = {} if before is None else row.change.ranks_before
    costs = {loss.document: loss.loss for loss in change.losses}
    missing = missing_passages(result)
    parts = result.evaluation.passages
    passages = []
    for passage in parts:
        passages.append(
            {
                "quote": passage.text,
                "grade": passage.grade,
                "place": place_text(result, passage),
                "near": near_text(result, passage),
                "was": was_text(passage, was),
                "cost": _rounded(max(costs.get(passage.text, 0.0), 0.0)),
                "isMissing": passage in missing,
            }
        )
    return {
        "passages": passages,
        "lostPassages": row.change.lost_passages,
        "held": held_texts(result, result.ranking.held),
        "acceptedHeld": [] if before is None else held_texts(result, before.held),
        "texts": marked_texts(row.change.after.texts, result.ranking.held, parts),
        "acceptedTexts": _texts_before(row),
        "grades": [],
        "acceptedGrades": [],
        "losses": [],
        "moves": [],
    }


def _texts_before(row: PageRow) -> list[list[str]]:
    """Return the texts of the first results of the earlier ranking (`marked_texts`).

    If the reference has no texts, each result has its present text. It has none if it
    is not returned now, or holds other passages now.
    """
    before = row.earlier_ranking
    if before is None:
        return []
    texts = before.texts or _texts_returned_again(before, row.change.after)
    return marked_texts(texts, before.held, row.result.evaluation.passages)


def _texts_returned_again(before: Snapshot, now: Snapshot) -> list[Sequence[str]]:
    """Return the present texts of each earlier result.

    () for a result that is not returned now, or that holds other passages now.
    """
    known = {}
    # a record may have no texts
    for document, held, texts in zip(now.documents, now.held, now.texts, strict=False):
        known[document, tuple(held)] = texts
    found = []
    for document, held in zip(before.documents, before.held, strict=True):
        found.append(known.get((document, tuple(held)), ()))
    return found


def _accepted(row: PageRow) -> dict[str, Any]:
    """Return the earlier ranking, and why it is stale; {} if there is none to show."""
    before = row.earlier_ranking
    if before is None:
        return {}
    baseline = row.result.baseline
    return {
        "accepted": list(before.documents),
        "acceptedGrades": list(before.grades),
        "stale": [] if baseline is None else list(baseline.stale),
    }


def _moves(row: PageRow, shares: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return the documents that moved or changed the score, the largest change first.

    `shares`: {document: by how much it raised nDCG@k}.
    """
    before = row.earlier_ranking
    if before is None:
        return []
    k = row.result.conditions.k
    ranks_before = first_ranks(before.documents)
    documents = [*before.documents[:k], *row.result.ranking.documents[:k], *shares]
    moves: list[dict[str, Any]] = []
    for document in dict.fromkeys(documents):
        rank_before = ranks_before.get(document)
        rank_now = row.result.ranking.rank_of(document)
        share = shares.get(document, 0.0)
        if rank_before != rank_now or abs(share) >= LEAST:
            moves.append(
                {
                    "document": document,
                    "rankBefore": rank_before,
                    "rankNow": rank_now,
                    "change": _rounded(share),
                }
            )
    moves.sort(key=lambda move: -abs(move["change"]))
    return moves


def _texts(result: CaseResult, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return titles, fields, notes and explanations of the documents of a case.

    Documents that the page does not show have no title and no fields.

    `values`: the JSON object of the case so far.
    """
    texts = result.texts
    named = [
        *values["documents"],
        *values.get("accepted", ()),
        *(document for document, _ in result.evaluation.missing),
        *texts.notes,
        *texts.explanations,
    ]
    titles = {}
    fields = {}
    for document in named:
        if document in texts.titles:
            titles[document] = texts.titles[document]
        if document in texts.shown:
            fields[document] = dict(texts.shown[document])
    return {
        "notes": dict(texts.notes),
        "explanations": dict(texts.explanations),
        "titles": titles,
        "fields": fields,
    }
