"""What a record has of a case that ran beside its ranking: a digest of its judgments, and how many there are of which
grade.

Both are found out for every case of a run that is recorded, and must cost next to nothing beside the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b

from pytest_relevance.cases.model import Case, Expectation
from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.settings import Settings

NO_DIGEST = "0" * 16
"""The digest of a case without judgments, or that did not come to its scoring."""


def digest_of(judgments: Mapping[str, float]) -> str:
    """A short text that is the same for the same judgments, whatever their order; `NO_DIGEST` for none."""
    return digest_and_counts(judgments)[0]


def digest_and_counts(judgments: Mapping[str, float]) -> tuple[str, str]:
    """The digest, and how many judgments there are of which grade, as JSON; nothing where there are none."""
    if not judgments:
        return NO_DIGEST, ""
    documents = sorted(judgments)
    grades = [*map(judgments.__getitem__, documents)]
    data = _small(grades)
    if data is None:
        data = ",".join([f"{grade:.12g}" for grade in grades]).encode()  # whatever order a mean was summed in
    text = "\0".join(documents).encode("utf-8", "surrogatepass")
    digest = blake2b(text + b"\0" + data, digest_size=8).hexdigest()
    grades.sort(reverse=True)
    return digest, _counts_text(tuple(grades))


def _small(grades: Sequence[float]) -> bytes | None:
    """Grades as bytes where they are whole and not negative, as nearly all are: one object in the place of many."""
    try:
        return bytes(grades)  # type: ignore[arg-type]  # it takes whole numbers up to 255
    except (TypeError, ValueError):
        whole = [int(grade) for grade in grades]
        return bytes(whole) if whole == grades and min(whole) >= 0 and max(whole) < 256 else None


def counted_grades(judged: Sequence[float]) -> dict[str, int]:
    """How many judgments of a query have which grade, under the grade as text."""
    return {GRADES[grade]: count for grade, count in Counter(judged).items()}


@lru_cache(maxsize=4096)  # many queries have as many judgments of each grade
def _counts_text(ordered: Sequence[float]) -> str:
    counts = [f'"{grade}":{count}' for grade, count in counted_grades(ordered).items()]
    return f"{{{','.join(counts)}}}"


class _Grades(dict["float | None", str]):
    """Grades as text: a whole number, or all its digits, or null; each is made once."""

    def __missing__(self, grade: float | None) -> str:
        text = self[grade] = "null" if grade is None else f"{float(grade)!r}".removesuffix(".0")
        return text


GRADES = _Grades()


def metrics_of(case: Case) -> list[Metric]:
    """What a case is measured by beside its nDCG@k: in its expectations, and in the gates of its suite."""
    metrics = [expected.metric for expected in case.expect if expected.metric is not None]
    for gate in case.terms.gates:
        metrics += gate.metrics
    return metrics


def defined(score: float) -> float | None:
    """A score, or None where it is not defined."""
    return None if score != score else float(score)


def kept_depth(case: Case) -> int | None:
    """How much of its ranking is kept of a case; None is all."""
    return None if looks_at_all(case) else max(case.depth, case.k)


def looks_at_all(case: Case) -> bool:
    """Whether a case is about all that was returned, and not about the top alone."""
    return scores_all(case) or (bool(case.expect) and any(expected.kind == "order" for expected in case.expect))


def scores_all(case: Case) -> bool:
    """Whether a score of a case, or one that a gate asks for, is about all that was returned."""
    settings = case.settings
    if settings.ideal == "returned" or settings.unjudged == "skip":
        return True
    if not (case.expect or case.terms.gates):  # most cases
        return False
    return any(_is_whole(expected, settings) for expected in case.expect) or any(
        metric.k is None for gate in case.terms.gates for metric in gate.metrics
    )


def _is_whole(expected: Expectation, settings: Settings) -> bool:
    """Whether an expectation is about a metric that looks at the whole ranking."""
    return expected.metric is not None and expected.ranks(settings) is None
