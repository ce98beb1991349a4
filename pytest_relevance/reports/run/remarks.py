"""Remarks on a run that are about its data, not about its scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_relevance._text import counted
from pytest_relevance.reports.blocks import Block, Sentence
from pytest_relevance.reports.run.counts import case_count
from pytest_relevance.reports.run.stability import stability_remarks
from pytest_relevance.reports.styled_lines import BAD, DOUBT
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.records.run_info import FileInfo


def remarks(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], *, full: bool = False
) -> list[Block]:
    """Say what the index lost, which rankings change, and which queries lack
    judgments.
    """
    blocks: list[Block] = []
    blocks += _not_in_index(results)
    blocks += stability_remarks(results, full=full)
    for file, info in sorted(files.items()):
        if info.unjudged:
            blocks.append(Sentence(f"{file}: {info.unjudged}", DOUBT))
    return blocks


def without_floor_sentences(files: Mapping[str, FileInfo]) -> list[Sentence]:
    """Name the cases that a floor does not hold, as their score is not defined."""
    sentences = []
    for file, info in sorted(files.items()):
        for text in info.without_floor:
            sentences.append(Sentence(f"{file}: {text}", DOUBT))
    return sentences


def _not_in_index(results: Sequence[CaseResult]) -> list[Sentence]:
    """Say how many judged documents the index lost, and not the ranking."""
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
