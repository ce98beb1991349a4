"""The data of the HTML page, as JSON data for its script.

`script/data.js` describes the fields: a field that is added here is added there. The
data of one case is in `case_data.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

from pytest_relevance._csv_cells import FORMULA
from pytest_relevance.ext.html.case_data import all_case_data
from pytest_relevance.ext.html.embedding import json_text
from pytest_relevance.ext.html.page_rows import ChosenRows, PageRow, results_of
from pytest_relevance.ext.html.screen import Screen
from pytest_relevance.ext.html.shared_tables import SharedTables
from pytest_relevance.metrics.settings import Settings, discount_table
from pytest_relevance.reports.run.case_counts import case_count
from pytest_relevance.reports.run.mean_text import metric_of
from pytest_relevance.reports.run.variant_labels import variants_of
from pytest_relevance.results.case_result import CaseResult, scored_alike
from pytest_relevance.results.compare.differences import (
    by_query,
    means_of,
    score_pairs_of,
)
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.unjudged import WORKLIST_COLUMNS


def page_json(
    run: Run,
    rows: Sequence[PageRow],
    chosen: ChosenRows,
    screen: Screen,
    *,
    images: bool = False,
) -> Iterator[str]:
    """Yield the JSON of the page in parts: each case, then what the cases share.

    Parts save memory: the JSON of a large run is never held as a whole.

    `rows`: all cases of the run.
    `chosen`: the cases that the page has in full, and their order in the list.
    `screen`: the first screen, whose lines link to cases.
    `images`: whether the page shows pictures.
    """
    shown = chosen.shown
    tables = SharedTables()
    yield '{"cases":['
    comma = ""
    for case in all_case_data(rows, shown, tables):
        yield f"{comma}{json_text(case)}"
        comma = ","
    yield "]"
    shared = {
        "record": record_name(run),
        "columns": [*WORKLIST_COLUMNS, "record", "rater", "blind"],
        "formula": FORMULA.pattern,
        "discounts": _discounts(shown, tables.settings),
        **tables.data(),
        "counts": _counts(screen, rows),
        "findings": _findings(screen, results_of(shown)),
        "canFail": screen.can_fail,
        **_mean(rows),
        "worstFirst": _places(chosen),
        "addresses": _addresses(run, images=images),
    }
    for name, value in shared.items():
        yield f',"{name}":{json_text(value)}'
    yield "}"


def _places(chosen: ChosenRows) -> list[int]:
    """Return the indexes of the cases in the order of the list, the worst first."""
    place_of = {id(row): place for place, row in enumerate(chosen.shown)}
    return [place_of[id(row)] for row in chosen.worst_first]


def record_name(run: Run) -> str:
    """Return a name that no other run has: its start, and a digest of its scores.

    Under this name the page keeps the grades that a reader gives.
    """
    digest = blake2b(digest_size=6)
    for result in run.results:
        text = f"{result.key}{result.evaluation.scores}{result.evaluation.digest}"
        digest.update(text.encode("utf-8", "surrogatepass"))
    return f"{run.info.started} {digest.hexdigest()}".strip()


def _discounts(
    rows: Iterable[PageRow], settings: Iterable[Settings]
) -> dict[str, list[float]]:
    """Return {kind: [discount of rank 1, 2, ...]}, for as many ranks as needed."""
    longest = max((_most_ranks(row) for row in rows), default=0)
    kinds = {each.discount for each in settings}
    discounts = {}
    for kind in sorted(kinds):
        discounts[kind] = discount_table(kind, longest)[:longest]
    return discounts


def _most_ranks(row: PageRow) -> int:
    """Return how many ranks the longest of three rankings of a case has.

    These are the ranking now, the earlier one, and the ideal ranking if the reader
    grades all unjudged results.
    """
    result = row.result
    returned = len(result.ranking.documents)
    before = row.change.before
    accepted = 0 if before is None else len(before.documents)
    ideal = result.conditions.k
    if result.conditions.settings.ideal != "max":
        judged = sum(result.evaluation.judgments.values())
        ideal = min(ideal, judged + returned)
    return max(returned, accepted, ideal)


def _counts(screen: Screen, rows: Sequence[PageRow]) -> dict[str, int]:
    """Return {filter of the list of queries: number of queries that it shows}.

    The counts are those of the headline. They count a query once for all its variants.
    `SHOWN` in `script/state.js` has all filters; the script counts for the others.
    """
    counts = screen.counts
    before = [row.result for row in rows if row.failed_before]
    return {
        "worse": counts.got_worse,
        "certain": counts.certain,
        "open": counts.open,
        "better": counts.got_better,
        "before": case_count(before),
    }


def _mean(rows: Sequence[PageRow]) -> dict[str, Any]:
    """Return {"mean": the means before and after}; {} if there is no single mean.

    The page computes the mean anew if the reader gives grades.
    """
    results = scored_alike([row.result for row in rows if row.result.score is not None])
    pairs = by_query(score_pairs_of([row.change for row in rows]))
    if pairs:
        means = means_of(pairs)
        weight = sum(pair.weight for pair in pairs)
        scores = {"before": means.first, "after": means.second, "weight": weight}
    elif results and len(variants_of(results)) == 1:
        weight = sum(result.weight for result in results)
        total = sum(result.weight * (result.score or 0.0) for result in results)
        scores = {"after": total / weight, "weight": weight}
    else:
        return {}
    return {"mean": {"metric": metric_of(results), **scores}}


def _findings(screen: Screen, results: Sequence[CaseResult]) -> list[dict[str, Any]]:
    """Return the lines of the first screen, with the indexes of their cases.

    `results`: the cases that the page has in full. Other cases have no index.
    """
    places = {result.key: place for place, result in enumerate(results)}
    findings = []
    for finding in screen.findings:
        cases = []
        for result in finding.results:
            if result.key in places:
                cases.append(places[result.key])
        findings.append({"text": finding.text, "cases": cases})
    return findings


def _addresses(run: Run, *, images: bool) -> dict[str, dict[str, str]]:
    """Return which fields of documents are addresses, by case file.

    Example: `{"shop.relevance.yaml": {"url": "link", "image": "picture"}}`. The field
    `link` has the address of a document, and `picture` that of its picture. Without
    such a field the name is "". Case files without a catalogue are left out.

    `images`: whether the page shows pictures. If not, "image" is left out.
    """
    names = ["url", "image"] if images else ["url"]
    addresses = {}
    for file, info in run.files.items():
        if info.documents is not None:
            columns = {"url": info.documents.url, "image": info.documents.image}
            addresses[file] = {name: columns[name] or "" for name in names}
    return addresses
