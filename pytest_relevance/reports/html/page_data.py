"""The data of the HTML report in builtin types, as the page's script reads them (`script/data.js` has their types)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from pytest_relevance._tables import FORMULA
from pytest_relevance.metrics.settings import Settings, discount_table
from pytest_relevance.reports.failure import unstable_text
from pytest_relevance.reports.html.first_screen import (
    Screen,
    documents_of,
    is_fine,
    told_errors,
    why,
)
from pytest_relevance.reports.reasons import (
    case_label,
    reason_texts,
    search_label,
    settings_text,
)
from pytest_relevance.reports.run.cases import (
    lowest,
    names_in_page,
    variant_label,
    variant_of,
    variants_of,
)
from pytest_relevance.reports.run.changes import CaseChange, fall_order
from pytest_relevance.results.case_parts import (
    IMPROVEMENT,
    LOST,
    NEW,
    NOT_COMPARED,
    CaseConditions,
)
from pytest_relevance.results.case_result import SKIPPED, CaseResult, has_failed
from pytest_relevance.results.compare.differences import got_worse
from pytest_relevance.results.records.file import watched
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.worklist import PlausibleGains, top_grade

_Scale = tuple[tuple[float, str], ...]

_MOST_GRADES = 10
"""How many grades a scale may have to be graded by digits and buttons."""

MOST_CASES = 20_000
"""How many cases a page has in full; of more it has `MOST_DETAILED`."""

MOST_DETAILED = 10_000


class Chosen(NamedTuple):
    """The places, among the results of a run, of those that a page has in full, and of all its worst, worst first."""

    shown: Sequence[int]
    worst: Sequence[int]


def chosen(results: Sequence[CaseResult]) -> Chosen:
    """What a page shows of these results; the worst are those with the lowest scores where none failed or fell.

    In full it has all but the skipped ones, or of very many those that are worth a look. These are, in this order, what
    got worse, failed, changed or returned unjudged documents; of each the greatest falls of the score first. They stay
    in the order of the run.
    """
    searched, notable, fallen = [], [], []
    for place, result in enumerate(results):
        if result.status != SKIPPED:
            searched.append(place)
            failed, change = has_failed(result), result.change
            if failed or change or result.unjudged:
                kind = (
                    0
                    if failed and got_worse(result)
                    else 1
                    if failed
                    else 2
                    if change
                    else 3
                )
                notable.append((kind, result.weight * change, place))
            if (order := fall_order(CaseChange(result))) is not None:
                fallen.append((order, place))
    if len(searched) > MOST_CASES:
        searched = sorted(place for *_, place in sorted(notable)[:MOST_DETAILED])
    return Chosen(searched, [place for _, place in sorted(fallen)] or lowest(results))


def page_data(
    run: Run,
    results: Sequence[CaseResult],
    screen: Screen | None = None,
    *,
    images: bool = False,
) -> dict[str, Any]:
    """The data that the page's script needs of some results of a run: an object for each, and what they share.

    The lines of the first screen have the places of their cases. `images`: pictures are shown.
    """
    findings, statuses = (
        ((), {}) if screen is None else (screen.findings, screen.statuses)
    )
    tables, names = _Tables(), names_in_page(run.results)
    gains, variants = PlausibleGains(results), variants_of(results)
    alone, told = is_fine(run.results), told_errors(run.results)
    places = {result.key: place for place, result in enumerate(results)}
    cases = [
        _case(
            result, names[id(result)], why(result, told), tables, variants, alone=alone
        )
        | {"status": statuses.get(result.key, result.status)}
        for result in watched(results)
    ]
    deepest = max(
        (len(result.ranking.documents[: result.conditions.k]) for result in results),
        default=0,
    )
    longest = max((_ranks(result) for result in results), default=0)
    kinds = {settings.discount for settings in tables.settings}
    return {
        "record": record_name(run),
        "formula": FORMULA.pattern,
        "discounts": {
            kind: discount_table(kind, longest)[:longest] for kind in sorted(kinds)
        },
        "plausible": [gains.share(rank) for rank in range(1, deepest + 1)],
        "settings": [*map(_settings, tables.settings, tables.grades.values())],
        "scales": [{"grades": [*map(list, scale)]} for scale in tables.scales],
        "findings": [
            {
                "text": found.text,
                "cases": [
                    places[each.key] for each in found.results if each.key in places
                ],
            }
            for found in findings
        ],
        "addresses": {
            file: {
                name: info.documents.get(name) or ""
                for name in ("url", *(["image"] if images else []))
            }
            for file, info in run.files.items()
            if info.documents
        },
        "cases": cases,
    }


def record_name(run: Run) -> str:
    """A name that no other run has: when the run began, and a digest of its scores."""
    digest = blake2b(digest_size=6)
    for result in run.results:
        text = f"{result.key}{result.evaluation.scores}{result.evaluation.digest}"
        digest.update(text.encode("utf-8", "surrogatepass"))
    return f"{run.info.started} {digest.hexdigest()}".strip()


class _Tables:
    """The settings and scales of a run, each once; `grades` are the grades whose gains the page needs, by settings."""

    def __init__(self) -> None:
        self.settings: dict[Settings, int] = {}
        self.scales: dict[_Scale, int] = {}
        self.grades: dict[int, set[float]] = {}
        self._shared: dict[Any, Mapping[str, Any]] = {}

    def shared_values(self, result: CaseResult) -> Mapping[str, Any]:
        """The numbers of the settings and of the scale of a result, and the ends of the scale.

        Its grades are added to those that need a gain.
        """
        about = result.conditions
        number = self.settings.setdefault(about.settings, len(self.settings))
        grades = self.grades.setdefault(number, set())
        grades.update(result.evaluation.judgments)
        key = number, about.lowest, about.highest, *about.grade_names.items()
        if key not in self._shared:  # nearly all results of a run have the same
            top, most = top_grade(result), about.settings.max_grade
            highest = about.highest if top is None else max(about.highest, top)
            scale = _scale(about, highest)
            grades.update(
                (about.lowest, highest),
                (grade for grade, _ in scale),
                () if most is None else (most,),
            )
            place = self.scales.setdefault(scale, len(self.scales))
            self._shared[key] = {
                "settings": number,
                "scale": place,
                "lowest": about.lowest,
                "highest": highest,
            }
        return self._shared[key]


def _scale(about: CaseConditions, highest: float) -> _Scale:
    """The grades that a result may be given, the lowest first, each with its name or an empty text.

    They are the grades with a name, or else all whole grades from the lowest to the highest, and the grades of
    judgments where these are few; where a mapping gives the gains, the grades that it has.
    """
    grades = {*about.grade_names, about.lowest, highest}
    if isinstance(about.settings.gain, Mapping):
        grades |= {
            grade for grade in about.settings.gain if about.lowest <= grade <= highest
        }
    elif not about.grade_names:
        whole = range(math.ceil(about.lowest), math.floor(highest) + 1)
        grades |= (
            {float(grade) for grade in whole[: _MOST_GRADES + 1]}
            if len(whole) <= _MOST_GRADES
            else set()
        )
    return tuple((grade, about.grade_names.get(grade, "")) for grade in sorted(grades))


def _ranks(result: CaseResult) -> int:
    """How many discounts the page needs for a case: for its ranking, and for an ideal with every result judged."""
    accepted = 0 if result.baseline is None else len(result.baseline.documents)
    if result.conditions.settings.ideal == "max":
        return max(len(result.ranking.documents), accepted, result.conditions.k)
    judged = sum(result.evaluation.judgments.values()) + len(result.ranking.documents)
    return max(
        len(result.ranking.documents), accepted, min(result.conditions.k, judged)
    )


def _settings(settings: Settings, grades: Iterable[float]) -> dict[str, Any]:
    return {
        "text": settings_text(settings),
        "gains": [[grade, settings.gains[grade]] for grade in sorted(grades)],
        "gain": settings.gain if isinstance(settings.gain, str) else "mapping",
        **{
            each: getattr(settings, each)
            for each in (
                "increasing",
                "discount",
                "ideal",
                "unjudged",
                "negative",
                "undefined",
            )
        },
        "maxGrade": settings.max_grade,
    }


def _case(
    result: CaseResult,
    name: str,
    reason: str,
    tables: _Tables,
    variants: Sequence[Any],
    *,
    alone: bool,
) -> dict[str, Any]:
    """The object of a case: empty values are left out, and so are texts of documents that it does not name.

    Results of a comparison share one table of the texts of both runs.
    """
    change, documents = CaseChange(result), documents_of(result, alone=alone)
    by, effect, lost, top = (
        change.by,
        change.weighted_change,
        documents.lost,
        documents.on_top,
    )
    gained = documents.gained if effect > 0 else None
    losses = () if result.score in (None, 1) else documents.losses
    values: dict[str, Any] = {
        "node": name,
        "test": result.node if result.node != name else "",
        "id": result.id,
        "query": result.query,
        "label": case_label(result),
        "file": result.file,
        "place": result.place,
        "search": search_label(result.search, result.variant, result.params),
        "variant": variant_label(variant_of(result), variants)
        if len(variants) > 1
        else "",
        "tags": [*result.tags],
        "weight": None if result.weight == 1 else result.weight,
        "params": {name: str(value) for name, value in result.params.items()},
        "note": result.note,
        "why": reason,
        "gotWorse": got_worse(result),
        "better": result.baseline is not None
        and result.baseline.standing == IMPROVEMENT,
        "failedBefore": result.baseline is not None and result.baseline.failed_before,
        "k": result.conditions.k,
        "floor": result.conditions.floor,
        "score": result.score,
        "lower": result.evaluation.lower,
        "upper": result.evaluation.upper,
        "by": by,
        "value": change.after if by else None,
        "before": None if result.baseline is None else result.baseline.score,
        "effect": effect,
        "lost": lost
        and {"document": lost.document, "from": lost.first, "to": lost.second},
        "gained": gained
        and {
            "document": gained.document,
            "from": gained.first or "new",
            "to": gained.second,
        },
        "onTop": top and top.document,
        "onTopRank": top.second if top is not None and top.second != 1 else None,
        "latency": result.call.latency,
        "isShare": result.call.latency_shared or None,
        **tables.shared_values(result),
        "documents": [*result.ranking.documents],
        "grades": [*result.ranking.grades],
        "scores": [*result.ranking.engine_scores],
        "deeper": dict(result.ranking.deeper),
        "returned": result.ranking.returned,
        "judgments": [*map(list, result.evaluation.judgments.items())],
        "missing": [*map(list, result.evaluation.missing)],
        "filled": dict(result.evaluation.filled),
        "notes": dict(result.texts.notes),
        "notInIndex": [*result.texts.not_in_index],
        "notInCatalogue": [*result.texts.not_in_catalogue],
        "losses": [[*loss] for loss in losses if abs(loss.loss) > 5e-7],
        "reasons": reason_texts(result),
        "error": None
        if result.call.error is None
        else {"text": result.call.error.headline, "frame": result.call.error.frame},
        "explanations": dict(result.texts.explanations),
        "unstable": unstable_text(result),
    }
    baseline = result.baseline
    if baseline is not None and baseline.standing not in (NEW, NOT_COMPARED, LOST):
        values |= {
            "accepted": [*baseline.documents],
            "acceptedGrades": [*baseline.grades],
            "stale": [*baseline.stale],
        }
    missing, titles, shown = (
        dict(result.evaluation.missing),
        result.texts.titles,
        result.texts.shown,
    )
    named = [
        *values["documents"],
        *values.get("accepted", ()),
        *missing,
        *values["notes"],
        *values["explanations"],
    ]
    values["titles"] = {
        document: titles[document] for document in named if document in titles
    }
    values["fields"] = {
        document: dict(shown[document]) for document in named if document in shown
    }
    return {
        name: value
        for name, value in values.items()
        if value or (value == 0 and value is not False)
    }
