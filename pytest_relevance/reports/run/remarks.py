"""Remarks on the data of a run: documents not in the index, left-out rows, fills."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pytest_relevance._text import case_in_prose, counted, first_few, harmless, listed
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.run.case_counts import case_count
from pytest_relevance.reports.run.mean_text import means_by_variant, means_text
from pytest_relevance.reports.styled_lines import BAD, DOUBT
from pytest_relevance.results.case_result import PASSED, SKIPPED, CaseResult
from pytest_relevance.results.records.run_info import FileInfo


def remarks(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo]
) -> list[Sentence]:
    """Return how many documents the index lacks, and notes on queries and catalogues.

    The documents are judged or expected. The notes name queries without judgments, and
    rows of catalogues that cannot be known items.
    """
    sentences = _not_in_index(results)
    for file, info in sorted(files.items()):
        for text in (info.unjudged, info.known_items):
            if text:
                sentences.append(Sentence(f"{file}: {text}", DOUBT))
    return sentences


def without_floor_sentences(files: Mapping[str, FileInfo]) -> list[Sentence]:
    """Return which cases have a floor that is not checked, as they have no score."""
    sentences = []
    for file, info in sorted(files.items()):
        for text in info.without_floor:
            sentences.append(Sentence(f"{file}: {text}", DOUBT))
    return sentences


def _not_in_index(results: Sequence[CaseResult]) -> list[Sentence]:
    """Return how many judged documents are not in the index, as a sentence, or []."""
    documents: set[str] = set()
    affected = []
    for result in results:
        if result.texts.not_in_index:
            affected.append(result)
            documents.update(result.texts.not_in_index)
    if not documents:
        return []
    what = counted(len(documents), "judged or expected document")
    cases = counted(case_count(affected), "case")
    are = "is" if len(documents) == 1 else "are"
    lost = "not in the index: lost by the index, not by the ranking"
    return [Sentence(f"{what} of {cases} {are} {lost}", BAD)]


# --- grades that no person gave -------------------------------------------------------


def filled_texts(results: Sequence[CaseResult], most: int | None = 3) -> list[str]:
    """Return how many grades come from files with `fill: true`, and what these decide.

    Examples: `3 of 20 judged results within k are filled: 3 by model-x/prompt-3; mean
    without them 0.655`, and `12 of 20 cases pass only by grades of lenient: "a", "b",
    "c" and 9 more`. At most `most` cases are named; None for all.
    """
    evaluations = [result.evaluation for result in results]
    if not any(each.people_scores or each.filled_top for each in evaluations):
        return []
    ran = [result for result in results if result.status != SKIPPED]
    texts = [_share_text(ran), _passing_text(ran, most)]
    return [text for text in texts if text]


def _share_text(ran: Sequence[CaseResult]) -> str:
    """Return how many judged results are filled, by whom, and the mean without them.

    Return "" if none is filled.
    """
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
    """Return which cases pass only because of filled grades, or ""."""
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
