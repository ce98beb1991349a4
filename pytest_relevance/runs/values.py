"""What a record has of a case that ran: what its ranking decided, and a digest of the judgments that it was scored by.

It is found out for every case of a run that is recorded, and must cost next to nothing beside the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.scalar import score
from pytest_relevance.runs.scored import Scored, ndcg_at

NO_DIGEST = "0" * 16
"""The digest of a case without judgments, or that did not come to its scoring."""


def digest_of(judgments: Mapping[str, float]) -> str:
    """A short text that is the same for the same judgments, whatever their order; `NO_DIGEST` for none."""
    if not judgments:
        return NO_DIGEST
    documents = sorted(judgments)
    grades = [judgments[document] for document in documents]
    data = _small(grades)
    if data is None:
        data = ",".join([f"{grade:.12g}" for grade in grades]).encode()  # whatever order a mean was summed in
    return blake2b("\0".join([*documents, ""]).encode("utf-8", "surrogatepass") + data, digest_size=8).hexdigest()


def _small(grades: Sequence[float]) -> bytes | None:
    """Grades as bytes where they are whole and not negative, as nearly all are: of bytes much is known at once."""
    try:
        return bytes(grades)  # type: ignore[arg-type]  # it takes whole numbers up to 255
    except (TypeError, ValueError):
        whole = [int(grade) for grade in grades]
        return bytes(whole) if whole == grades and min(whole) >= 0 and max(whole) < 256 else None


def values_of(case: Case, scored: Scored) -> dict[str, Any]:
    """The values of the `Result` of a scored case, as far as its ranking decides them."""
    scores = {ndcg_at(case.k).text: defined(scored.score)}
    for metric in metrics_of(case) if case.expect or case.terms.gates else ():
        if metric.text not in scores:
            scores[metric.text] = defined(score(metric, scored.graded, case.settings))
    values: dict[str, Any] = {"verdict": scored.verdict, "scores": scores, "digest": digest_of(case.judgments)}
    if scored.latency is not None:
        values["latency"] = int(scored.latency * 1e6) / 1e6
    if scored.reasons:
        values["reasons"] = [*scored.reasons]
    if scored.lower != scored.upper and scored.score == scored.score:
        values["lower"], values["upper"] = float(scored.lower), float(scored.upper)
    return values


def metrics_of(case: Case) -> list[Metric]:
    """What a case is measured by beside its nDCG@k: in its expectations, and in the gates of its suite."""
    metrics = [expected.metric for expected in case.expect if expected.metric is not None]
    for gate in case.terms.gates:
        metrics += gate.metrics
    return metrics


def counted_grades(judged: Sequence[float]) -> dict[str, int]:
    """How many judgments of a query have which grade, under the grade as text."""
    small = _small(judged) if judged else None
    if small is None or max(small) > _LARGEST_OF_A_SCALE:
        return {GRADES[grade]: count for grade, count in Counter(judged).items()}
    return {GRADES[grade]: count for grade in range(max(small) + 1) if (count := small.count(grade))}


class _Grades(dict["float | None", str]):
    """Grades as text: a whole number, or all its digits, or null; each is made once."""

    def __missing__(self, grade: float | None) -> str:
        text = self[grade] = "null" if grade is None else f"{float(grade)!r}".removesuffix(".0")
        return text


GRADES = _Grades()
_LARGEST_OF_A_SCALE = 20  # up to which looking for each grade is faster than counting what there is


def defined(score: float) -> float | None:
    """A score, or None where it is not defined."""
    return None if score != score else float(score)


def looks_at_all(case: Case) -> bool:
    """Whether a case is about all that was returned, and not about the top alone."""
    settings = case.settings
    if not (case.expect or case.terms.gates):  # most cases
        return settings.ideal == "returned" or settings.unjudged == "skip"
    return (
        settings.ideal == "returned"
        or settings.unjudged == "skip"
        or any(metric.k is None for metric in metrics_of(case))
        or any(expected.kind == "order" for expected in case.expect)
    )
