"""Sentences about the queries that were drawn from files of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_relevance._text import counted, harmless, listed
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.styled_lines import DOUBT, PLAIN

if TYPE_CHECKING:
    from pytest_relevance.cases.model import Sample
    from pytest_relevance.results.records.run_info import DrawnQueries, FileInfo


def sample_sentences(files: Mapping[str, FileInfo]) -> list[Sentence]:
    """Return how many queries were drawn for each case file that draws some.

    Example: `shop.relevance.yaml: 200 of 41,233 queries of log.csv; 3 entered since the
    baseline and have nothing to compare with, 2 left the sample`.
    """
    sentences = []
    for file, info in sorted(files.items()):
        drawn = info.drawn
        if drawn is None:
            continue
        reference = harmless(info.against) or "the baseline"
        text = "; ".join(drawn_texts(drawn, reference))
        style = DOUBT if _has_shrunk(drawn) else PLAIN
        sentences.append(Sentence(f"{file}: {text}", style))
    return sentences


def drawn_texts(drawn: DrawnQueries, reference: str) -> list[str]:
    """Return what was drawn now, and what differs from a reference, as clauses.

    `reference`: what reports call the reference.
    """
    texts = [_sample_text(sample) for sample in drawn.samples]
    if drawn.left_out:
        total = sum(sample.drawn for sample in drawn.samples)
        judged = total - drawn.left_out
        are = (
            "is judged and became a case"
            if judged == 1
            else "are judged and became cases"
        )
        texts.append(f"{judged:,} of these {total:,} {are} (only: judged)")
    if not drawn.samples:
        texts.append("all queries are cases")
    counts_now = [_counts(sample) for sample in drawn.samples]
    counts_before = [_counts(sample) for sample in drawn.before]
    if counts_before and counts_before != counts_now:
        samples = listed([brief_sample_text(sample) for sample in drawn.before], "and")
        texts.append(f"{reference} has {samples}")
    texts += _moves(drawn, reference)
    return texts


def _sample_text(sample: Sample) -> str:
    """Return a sample, how it was chosen, and how many queries are never drawn.

    Example: `200 of 41,233 queries of log.csv, from 3 values of market`.
    """
    rule = sample.rule
    text = brief_sample_text(sample)
    if sample.is_whole:
        text += " (relevance_sample is all)"
    elif sample.drawn == sample.total - sample.never:
        text += f" (n is {rule.n:,})"
    if rule.per is not None:
        values = counted(sample.groups, "value", "values")
        text += f", from {values} of {harmless(rule.per)}"
    if sample.never:
        queries = counted(sample.never, "query has", "queries have")
        are = "is" if sample.never == 1 else "are"
        column = harmless(rule.by or "")
        text += f"; {queries} 0 or a blank in {column} and {are} never drawn"
    return text


def brief_sample_text(sample: Sample) -> str:
    """Return, for example, `200 of 41,233 queries of log.csv`."""
    total = counted(sample.total, "query", "queries")
    if sample.drawn == sample.total:
        return f"all {total} of {harmless(sample.file)}"
    return f"{sample.drawn:,} of {total} of {harmless(sample.file)}"


def _moves(drawn: DrawnQueries, reference: str) -> list[str]:
    """Return how many queries only this run, or only the reference, has."""
    if _took_all(drawn.samples) != _took_all(drawn.before):
        texts = []
        if drawn.entered:
            are = counted(drawn.entered, "query is", "queries are")
            texts.append(f"{are} not in {reference}")
        if drawn.left:
            queries = counted(drawn.left, "query", "queries")
            are = "is" if drawn.left == 1 else "are"
            texts.append(f"{queries} of {reference} {are} not drawn now")
        return texts
    parts = []
    if drawn.entered:
        have = "has" if drawn.entered == 1 else "have"
        parts.append(
            f"{drawn.entered:,} entered since {reference} and {have} nothing to compare "
            "with"
        )
    if drawn.left:
        parts.append(f"{drawn.left:,} left the sample")
    return [", ".join(parts)] if parts else []


def _took_all(samples: Sequence[Sample]) -> bool:
    return all(sample.is_whole for sample in samples)


def _counts(sample: Sample) -> tuple[str, int, int]:
    return sample.file, sample.drawn, sample.total


def _has_shrunk(drawn: DrawnQueries) -> bool:
    """Say whether fewer queries are there, or drawn, than in the reference."""
    if not drawn.before:
        return False
    total_before = sum(sample.total for sample in drawn.before)
    drawn_before = sum(sample.drawn for sample in drawn.before)
    total = sum(sample.total for sample in drawn.samples)
    count = sum(sample.drawn for sample in drawn.samples)
    return bool(drawn.samples) and (total < total_before or count < drawn_before)
