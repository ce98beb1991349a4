"""What the grades that fill, which no person gave, make of a run, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_relevance._text import (
    case_in_prose,
    counted,
    first_few,
    harmless,
    listed,
)
from pytest_relevance.reports.run.mean_text import means_by_variant, means_text
from pytest_relevance.results.case_result import PASSED, SKIPPED, CaseResult


def filled_texts(results: Sequence[CaseResult], most: int | None = 3) -> list[str]:
    """Say what filled grades make of results, and which cases pass only by them.

    `3 of 20 judged results within k are filled: 3 by model-x/prompt-3; mean without
    them 0.655`, and `12 of 20 cases pass only by grades of lenient: "a", "b", "c" and 9
    more`. `most` of the cases are named.
    """
    if not any(_has_filled(result) for result in results):
        return []
    ran = [result for result in results if result.status != SKIPPED]
    texts = []
    share = _share_text(ran)
    if share:
        texts.append(share)
    only_by_filled = _passing_text(ran, most)
    if only_by_filled:
        texts.append(only_by_filled)
    return texts


def _has_filled(result: CaseResult) -> bool:
    return bool(result.evaluation.people_scores or result.evaluation.filled_top)


def _share_text(ran: Sequence[CaseResult]) -> str:
    """Say how many of the judged results are filled, by whom, and the mean without."""
    from pytest_relevance.results.filled import without_fill

    counts: Counter[str] = Counter()
    judged = 0
    for result in ran:
        counts.update(result.evaluation.filled_top)
        judged += result.evaluation.judged
    if not counts:
        return ""
    are = "is" if counts.total() == 1 else "are"
    of_all = f"{counts.total():,} of {counted(judged, 'judged result')}"
    text = f"{of_all} within k {are} filled"
    graders = [f"{count:,} by {harmless(name)}" for name, count in counts.most_common()]
    text += f": {', '.join(graders)}"
    means = means_by_variant([without_fill(result) for result in ran])
    if means and any(result.evaluation.people_scores for result in ran):
        text += f"; mean without them {means_text(means, list(means))}"
    return text


def _passing_text(ran: Sequence[CaseResult], most: int | None) -> str:
    """Name the cases that pass, and would not without filled grades."""
    names = []
    graders: dict[str, None] = {}
    for result in ran:
        if result.verdict == PASSED and result.evaluation.people_verdict:
            names.append(case_in_prose(result.id, result.query, result.variant))
            for name in result.evaluation.graders:
                graders[harmless(name)] = None
    if not names:
        return ""
    verb = "passes" if len(names) == 1 else "pass"
    of_all = f"{len(names):,} of {counted(len(ran), 'case')} {verb}"
    by = f"only by grades of {listed(graders, 'and')}"
    return f"{of_all} {by}: {first_few(names, most or len(names))}"
