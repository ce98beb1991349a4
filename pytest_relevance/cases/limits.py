"""What the keys of a case say together: which floor applies, and what no ranking whatever could meet.

A floor above the best score that the case's own judgments allow is a mistake in the case, not in the search; so are
expectations that contradict each other. Each check gives refusals with paths from the case.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from functools import partial
from math import floor, isnan, nan

from pytest_relevance.cases.graded import Graded, Origin
from pytest_relevance.cases.model import Case, Expectation, Terms
from pytest_relevance.cases.problems import Refused, RefusedSeveral
from pytest_relevance.metrics.names import Metric, build_metric
from pytest_relevance.metrics.scalar import GradedRanking, score
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.wording import listed, quoted

_ROUNDING = 1e-9  # a floor that people computed elsewhere and rounded is not "above the best"


def check_gains(graded: Graded, settings: Settings) -> bool:
    """Whether any document is relevant: has a gain above 0. `RefusedSeveral` for documents whose grade has no gain."""
    gains = settings.gains
    relevant = False
    without: dict[float, str] = {}
    for grade in graded.distinct:
        try:
            relevant = gains[grade] > 0 or relevant
        except ValueError as error:
            without[grade] = f"{str(error).partition(';')[0]}; {_OTHER_GAIN}" if settings.increasing else str(error)
    if without:
        raise RefusedSeveral([*_without_gain(graded, without, settings.gain)])
    return relevant


_OTHER_GAIN = "write gain: linear (the grade itself), or a mapping grade: gain"


def _without_gain(graded: Graded, without: Mapping[float, str], gain: object) -> Iterator[Refused]:
    """The judgments whose grades have no gain: the first of each file, or with a mapping the first of each grade."""
    groups: dict[Hashable, list[tuple[str, float, Origin | None]]] = {}
    for document, grade in graded.grades.items():
        if grade in without:
            origin = graded.origin(document)
            file = None if origin is None else origin.judgments.file
            key = file, gain if isinstance(gain, str) else without[grade]
            groups.setdefault(key, []).append((document, grade, origin))
    for key, judgments in groups.items():
        document, grade, origin = judgments[0]
        message = without[grade]
        if origin is None:
            yield Refused(message, ("judgments", document), group=key, count=len(judgments))
        else:
            elsewhere = partial(origin.problem, message)
            yield Refused(message, elsewhere=elsewhere, group=key, count=len(judgments))


def floor_of(own: Mapping[str, object], terms: Terms, graded: Graded, expect: Sequence[Expectation]) -> float | None:
    """The floor of nDCG that applies to a case: its own, the inherited one, or none."""
    relevant = check_gains(graded, terms.settings)
    least: float | None = own.get("min_ndcg", terms.min_ndcg)  # type: ignore[assignment]
    written = own.get("min_ndcg") is not None
    if least is None:
        return None
    if _most_results(expect) == 0:
        if written:
            raise Refused("a case that expects no results has no nDCG; take min_ndcg or results out", ("min_ndcg",))
        return None
    if not graded.grades:
        if written:
            raise Refused(
                "a floor needs judgments, and the case has none; add judgments, or take it out", ("min_ndcg",)
            )
        raise Refused(
            f"the suite's min_ndcg {least:g} applies to this case, which has no judgments; "
            "add judgments, or write min_ndcg: null"
        )
    if not relevant:
        if written:
            raise Refused(
                "no judged document has a gain above 0, so nDCG is not defined and no floor can hold; "
                "judge a relevant document, or take min_ndcg out",
                ("min_ndcg",),
            )
        return None
    return least


def contradictions(expect: Sequence[Expectation], k: int) -> Iterator[Refused]:
    """The expectations about documents that no ranking could meet."""
    top: dict[str, tuple[str, int]] = {}  # document: who wants it, and how deep it may be at most
    for expected in expect:
        if expected.kind == "first":
            top.update({document: ("first", rank) for rank, document in enumerate(expected.documents, 1)})
        elif expected.kind == "include":
            within = expected.within or k
            if len(expected.documents) > within:
                count = len(expected.documents)
                yield Refused(f"{count} documents cannot all be in the top {within}", ("expect", "include"))
            for document in expected.documents:
                if document not in top or within < top[document][1]:
                    top[document] = ("include", within)
    most = _most_results(expect)
    if most is not None and len(top) > most:
        kinds = listed(dict.fromkeys(kind for kind, _ in top.values()), "and")
        yield Refused(f"at most {most} results cannot hold the {len(top)} documents of {kinds}", ("expect", "results"))
    for expected in expect:
        if expected.kind == "exclude":
            within = expected.within or k
            for document in expected.documents:
                if document in top and top[document][1] <= within:
                    yield Refused(
                        f"{quoted(document)} is expected by {top[document][0]}, so that it cannot be absent from the "
                        f"top {within}",
                        ("expect", "exclude"),
                    )


def _most_results(expect: Sequence[Expectation]) -> int | None:
    """The most results that the expectations allow, or None where they set no limit."""
    most = [
        int(expected.bound) - (expected.comparison == "<")
        for expected in expect
        if expected.kind == "results" and expected.comparison in ("==", "<=", "<")
    ]
    return min(most, default=None)


def needs_best(case: Case) -> bool:
    """Whether a floor of the case could be above the best score that its judgments allow."""
    return (case.min_ndcg is not None and case.settings.ideal == "max") or any(
        expected.metric is not None for expected in case.expect
    )


def unreachable(case: Case) -> Iterator[Refused]:
    """The floors of a case that no ranking can reach. To be asked once its terms are settled."""
    if case.min_ndcg is not None and case.settings.ideal == "max":
        expected = Expectation("metric", "min_ndcg", build_metric("nDCG", case.k), ">=", case.min_ndcg)
        if refused := _unreachable(expected, case):
            yield refused.under("min_ndcg")
    for expected in case.expect:
        if expected.metric is not None and (refused := _unreachable(expected, case)):
            yield refused.under("expect", expected.written)


def _unreachable(expected: Expectation, case: Case) -> Refused | None:
    metric = expected.metric
    assert metric is not None
    if not case.judgments:
        return Refused(f"{metric.text} needs judgments, and the case has none; add judgments")
    best = nan
    for ranking in best_rankings(case.judgments.values(), case.settings):
        reached = score(metric, ranking, case.settings)
        if isnan(reached):
            return Refused(f"{metric.text} is not defined, as no judged document is relevant; {_cure(metric)}")
        if not _beyond(expected, reached):
            return None
        best = reached if isnan(best) else max(best, reached)
    possible = (
        floor((best + _ROUNDING) * 10_000) / 10_000
    )  # rounded down: what the message shows can be written as the floor
    return Refused(
        f"the floor {expected.bound:g} of {metric.text} is above {possible:.10g}, the best that the judgments of the "
        "case allow; lower it, or judge more documents"
    )


def _cure(metric: Metric) -> str:
    return "judge one that is" if metric.measure == "nDCG" else f"judge one {metric.rel:g} or higher"


def _beyond(expected: Expectation, reached: float) -> bool:
    if expected.comparison in (">=", "=="):
        return expected.bound > reached + _ROUNDING
    return expected.comparison == ">" and expected.bound >= reached


def best_rankings(judged: Collection[float], settings: Settings) -> Iterator[GradedRanking]:
    """Rankings of the judged documents of which one is the best there can be, whatever the measure.

    Measures of relevance and of grades (P, AP, CG, ERR ...) are best by descending grade, those of gain by descending
    gain, and both without what counts against them; Judged is best with all. A single result is best where the ideal
    grows with what is returned (nDCG without a cutoff, `ideal: max`).
    """
    gains, grades = settings.gains, list(judged)
    by_grade = sorted(grades, reverse=True)
    yield GradedRanking([*by_grade], (), grades)
    by_gain = sorted((grade for grade in grades if gains[grade] > 0), key=lambda grade: (gains[grade], grade))[::-1]
    for ranked in (by_gain, by_gain[:1], [grade for grade in by_grade if grade > 0]):
        yield GradedRanking([*ranked], (), grades)
