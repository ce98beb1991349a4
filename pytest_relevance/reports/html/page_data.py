"""The data of the HTML page, as JSON values for its script.

`script/data.js` has their types: a field that is added here is added there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from pytest_relevance._tables import FORMULA
from pytest_relevance.metrics.settings import Settings, discount_table
from pytest_relevance.reports.html.case_rows import (
    documents_of,
    is_fine,
    why,
)
from pytest_relevance.reports.html.screen import Screen
from pytest_relevance.reports.reasons import (
    case_label,
    reason_texts,
    search_label,
    settings_text,
)
from pytest_relevance.reports.repeats import unstable_text
from pytest_relevance.reports.run.case_change import CaseChange, fall_order
from pytest_relevance.reports.run.case_tables import lowest, names_in_page
from pytest_relevance.reports.run.faults import told_errors
from pytest_relevance.reports.run.variants import (
    Variant,
    variant_label,
    variant_of,
    variants_of,
)
from pytest_relevance.results.breakdown import Loss
from pytest_relevance.results.case_parts import (
    IMPROVEMENT,
    LOST,
    NEW,
    NOT_COMPARED,
    CaseConditions,
)
from pytest_relevance.results.case_result import SKIPPED, CaseResult, Key, has_failed
from pytest_relevance.results.compare.differences import got_worse
from pytest_relevance.results.records.file import watched
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.worklist import PlausibleGains, top_grade

_Scale = tuple[tuple[float, str], ...]
"""The grades of a scale, the lowest first, each with its name or an empty text."""

_SMALLEST_LOSS = 5e-7

_MOST_GRADES = 10
"""How many grades a scale may have to be graded by digits and buttons."""

MOST_CASES = 20_000
"""How many cases a page has in full; of more it has `MOST_DETAILED`."""

MOST_DETAILED = 10_000


@dataclass(frozen=True, slots=True)
class Chosen:
    """The results that a page has: their places among the results of a run.

    `shown` are those that it has in full, in the order of the run; `worst` are all that
    failed or got worse, the worst first.
    """

    shown: Sequence[int]
    worst: Sequence[int]


def chosen(results: Sequence[CaseResult]) -> Chosen:
    """Choose what a page shows: all results but the skipped ones, or of very many the notable.

    Without failed or fallen cases the worst are those with the lowest scores.
    """
    searched, notable, fallen = [], [], []
    for place, result in enumerate(results):
        if result.status == SKIPPED:
            continue
        searched.append(place)
        kind = _notable_kind(result)
        if kind is not None:
            notable.append((kind, result.weight * result.change, place))
        order = fall_order(CaseChange(result))
        if order is not None:
            fallen.append((order, place))
    worst = [place for _, place in sorted(fallen)]
    if not worst:
        worst = lowest(results)
    if len(searched) > MOST_CASES:
        most_notable = sorted(notable)[:MOST_DETAILED]
        searched = sorted(place for *_, place in most_notable)
    return Chosen(searched, worst)


def _notable_kind(result: CaseResult) -> int | None:
    """Why a result is worth a look, the most urgent reason first; None if it is not."""
    if has_failed(result):
        return 0 if got_worse(result) else 1
    if result.change:
        return 2
    if result.unjudged:
        return 3
    return None


def page_data(
    run: Run,
    results: Sequence[CaseResult],
    screen: Screen | None = None,
    *,
    images: bool = False,
) -> dict[str, Any]:
    """Make the data of the page: an object for each result, and what they share.

    `results` are those of the run that the page has in full. `screen` is what the first
    screen says: its lines are links to their cases. `images`: the page shows pictures.
    """
    tables = _Tables()
    cases = _cases(run, results, {} if screen is None else screen.statuses, tables)
    settings = []
    for each, grades in zip(tables.settings, tables.grades.values(), strict=True):
        settings.append(_settings(each, grades))
    scales = []
    for scale in tables.scales:
        scales.append({"grades": [list(grade) for grade in scale]})
    return {
        "record": record_name(run),
        "formula": FORMULA.pattern,
        "discounts": _discounts(results, tables.settings),
        "plausible": _plausible_gains(results),
        "settings": settings,
        "scales": scales,
        "findings": [] if screen is None else _findings(screen, results),
        "addresses": _addresses(run, images=images),
        "cases": cases,
    }


def record_name(run: Run) -> str:
    """A name that no other run has: when the run began, and a digest of its scores."""
    digest = blake2b(digest_size=6)
    for result in run.results:
        text = f"{result.key}{result.evaluation.scores}{result.evaluation.digest}"
        digest.update(text.encode("utf-8", "surrogatepass"))
    return f"{run.info.started} {digest.hexdigest()}".strip()


def _discounts(
    results: Iterable[CaseResult], settings: Iterable[Settings]
) -> dict[str, list[float]]:
    """Return the discounts of ranks 1, 2, ... by kind, as many as any case needs."""
    longest = max((_ranks(result) for result in results), default=0)
    kinds = {each.discount for each in settings}
    discounts = {}
    for kind in sorted(kinds):
        discounts[kind] = discount_table(kind, longest)[:longest]
    return discounts


def _ranks(result: CaseResult) -> int:
    """Count the discounts that the page needs for a case.

    They are those of its rankings, and of an ideal ranking if every result is judged.
    """
    returned = len(result.ranking.documents)
    accepted = 0 if result.baseline is None else len(result.baseline.documents)
    ideal = result.conditions.k
    if result.conditions.settings.ideal != "max":
        judged = sum(result.evaluation.judgments.values())
        ideal = min(ideal, judged + returned)
    return max(returned, accepted, ideal)


def _plausible_gains(results: Sequence[CaseResult]) -> list[float]:
    """Return the gain that judged results have on average at ranks 1, 2, ..."""
    gains = PlausibleGains(results)
    deepest = 0
    for result in results:
        deepest = max(deepest, len(result.ranking.documents[: result.conditions.k]))
    return [gains.share(rank) for rank in range(1, deepest + 1)]


def _findings(screen: Screen, results: Sequence[CaseResult]) -> list[dict[str, Any]]:
    """Make the lines of the first screen, with the places of their cases."""
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
    """Return by file the fields with the address, and the picture, of a document."""
    names = ["url", "image"] if images else ["url"]
    addresses = {}
    for file, info in run.files.items():
        if info.documents:
            addresses[file] = {name: info.documents.get(name) or "" for name in names}
    return addresses


class _Tables:
    """The settings and scales of a run, each once, by number.

    `grades` are the grades whose gains the page needs, by the number of the settings.
    """

    def __init__(self) -> None:
        self.settings: dict[Settings, int] = {}
        self.scales: dict[_Scale, int] = {}
        self.grades: dict[int, set[float]] = {}
        self._shared: dict[Any, Mapping[str, Any]] = {}

    def shared_values(self, result: CaseResult) -> Mapping[str, Any]:
        """Return the numbers of the settings and of the scale of a result, and its ends.

        The grades of the result are added to those that need a gain.
        """
        conditions = result.conditions
        number = self.settings.setdefault(conditions.settings, len(self.settings))
        grades = self.grades.setdefault(number, set())
        grades.update(result.evaluation.judgments)
        names = tuple(conditions.grade_names.items())
        key = number, conditions.lowest, conditions.highest, names
        # nearly all results of a run have the same
        if key not in self._shared:
            self._shared[key] = self._new_values(result, number)
        return self._shared[key]

    def _new_values(self, result: CaseResult, number: int) -> Mapping[str, Any]:
        conditions = result.conditions
        highest = conditions.highest
        top = top_grade(result)
        if top is not None:
            highest = max(highest, top)
        scale = _scale(conditions, highest)
        grades = self.grades[number]
        grades.update((conditions.lowest, highest))
        grades.update(grade for grade, _ in scale)
        if conditions.settings.max_grade is not None:
            grades.add(conditions.settings.max_grade)
        return {
            "settings": number,
            "scale": self.scales.setdefault(scale, len(self.scales)),
            "lowest": conditions.lowest,
            "highest": highest,
        }


def _scale(conditions: CaseConditions, highest: float) -> _Scale:
    """Return the grades that a result may be given, the lowest first.

    They are the grades with a name. If a mapping gives the gains, they are also the
    grades that it has; if no grade has a name, all whole grades, unless these are many.
    """
    lowest = conditions.lowest
    names = conditions.grade_names
    grades = {*names, lowest, highest}
    gain = conditions.settings.gain
    if isinstance(gain, Mapping):
        grades.update(grade for grade in gain if lowest <= grade <= highest)
    elif not names:
        whole = range(math.ceil(lowest), math.floor(highest) + 1)
        if len(whole) <= _MOST_GRADES:
            grades.update(float(grade) for grade in whole)
    return tuple((grade, names.get(grade, "")) for grade in sorted(grades))


def _settings(settings: Settings, grades: Iterable[float]) -> dict[str, Any]:
    gains = [[grade, settings.gains[grade]] for grade in sorted(grades)]
    return {
        "text": settings_text(settings),
        "gains": gains,
        "gain": settings.gain if isinstance(settings.gain, str) else "mapping",
        "increasing": settings.increasing,
        "discount": settings.discount,
        "ideal": settings.ideal,
        "unjudged": settings.unjudged,
        "negative": settings.negative,
        "undefined": settings.undefined,
        "maxGrade": settings.max_grade,
    }


# --- one case -------------------------------------------------------------------------


def _cases(
    run: Run,
    results: Sequence[CaseResult],
    statuses: Mapping[Key, str],
    tables: _Tables,
) -> list[dict[str, Any]]:
    """Make the objects of the cases. Empty values are left out.

    `statuses` are those of a comparison, which differ from those of the results.
    """
    names = names_in_page(run.results)
    variants = variants_of(results)
    told = told_errors(run.results)
    alone = is_fine(run.results)
    cases = []
    for result in watched(results):
        values = {
            **_identity(result, names[id(result)], variants),
            **_verdict(result, why(result, told)),
            **_scores(result),
            **_changed_documents(result, alone=alone),
            **tables.shared_values(result),
            **_ranking(result),
            **_accepted(result),
        }
        values |= _texts(result, values)
        kept = {name: value for name, value in values.items() if not _is_empty(value)}
        kept["status"] = statuses.get(result.key, result.status)
        cases.append(kept)
    return cases


def _is_empty(value: object) -> bool:
    """Whether the page does without a value: nothing, false, or an empty text or list."""
    if value is False:
        return True
    return not value and value != 0


def _identity(
    result: CaseResult, name: str, variants: Sequence[Variant]
) -> dict[str, Any]:
    """Say which case this is, and what it was asked with. `name` is its name in the page."""
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
        "floor": result.conditions.floor,
    }


def _verdict(result: CaseResult, reason: str) -> dict[str, Any]:
    """Say what became of the case and why. `reason` is the short one beside its score."""
    baseline = result.baseline
    error = result.call.error
    return {
        "why": reason,
        "gotWorse": got_worse(result),
        "better": baseline is not None and baseline.standing == IMPROVEMENT,
        "failedBefore": baseline is not None and baseline.failed_before,
        "reasons": reason_texts(result),
        "error": error and {"text": error.headline, "frame": error.frame},
        "unstable": unstable_text(result),
        "latency": result.call.latency,
        "isShare": result.call.latency_shared,
    }


def _scores(result: CaseResult) -> dict[str, Any]:
    change = CaseChange(result)
    return {
        "score": result.score,
        "lower": result.evaluation.lower,
        "upper": result.evaluation.upper,
        "by": change.by,
        "value": change.after if change.by else None,
        "before": None if result.baseline is None else result.baseline.score,
    }


def _changed_documents(result: CaseResult, *, alone: bool) -> dict[str, Any]:
    """Name the documents that cost or gain the most. See `documents_of`."""
    documents = documents_of(result, alone=alone)
    effect = CaseChange(result).weighted_change
    values: dict[str, Any] = {"effect": effect}
    lost = documents.lost
    if lost is not None:
        values["lost"] = {
            "document": lost.document,
            "from": lost.first,
            "to": lost.second,
        }
    gained = documents.gained if effect > 0 else None
    if gained is not None:
        values["gained"] = {
            "document": gained.document,
            "from": gained.first or "new",
            "to": gained.second,
        }
    on_top = documents.on_top
    if on_top is not None:
        values["onTop"] = on_top.document
        values["onTopRank"] = on_top.second if on_top.second != 1 else None
    if result.score not in (None, 1):
        values["losses"] = _losses(documents.losses)
    return values


def _losses(losses: Iterable[Loss]) -> list[list[Any]]:
    found = []
    for each in losses:
        if abs(each.loss) > _SMALLEST_LOSS:
            found.append(
                [
                    each.document,
                    each.grade,
                    each.rank,
                    each.loss,
                    each.places,
                    each.candidates,
                ]
            )
    return found


def _ranking(result: CaseResult) -> dict[str, Any]:
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


def _accepted(result: CaseResult) -> dict[str, Any]:
    """Return the ranking that the baseline accepts, if the case is compared with it."""
    baseline = result.baseline
    if baseline is None or baseline.standing in (NEW, NOT_COMPARED, LOST):
        return {}
    return {
        "accepted": list(baseline.documents),
        "acceptedGrades": list(baseline.grades),
        "stale": list(baseline.stale),
    }


def _texts(result: CaseResult, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts of the documents that the object of the case names.

    The results of a comparison share a table with the texts of both runs.
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
