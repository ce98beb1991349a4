"""What ran, what it is compared with, and what was searched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_relevance._text import listed
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.labels import first_names, start_text
from pytest_relevance.reports.run.changed_test import changed_test
from pytest_relevance.reports.run.changed_test_text import change_sentences
from pytest_relevance.reports.run.emptied import still_empty_sentences
from pytest_relevance.reports.run.moved_text import moved_sentences
from pytest_relevance.reports.run.remarks import filled_texts, without_floor_sentences
from pytest_relevance.reports.run.sample_text import sample_sentences
from pytest_relevance.reports.run.uncompared_text import (
    lost_sentences,
    not_compared_sentences,
)
from pytest_relevance.reports.run.variant_labels import variant_name, variants_of
from pytest_relevance.reports.styled_lines import DOUBT
from pytest_relevance.results.case_result import SKIPPED, CaseResult
from pytest_relevance.results.records.fingerprint import (
    Fingerprint,
    changed_since,
    changes_text,
)
from pytest_relevance.results.records.run_info import FileInfo

if TYPE_CHECKING:
    from pytest_relevance.results.records.run import Run

MOST_NAMES = 3
"""How many files, searches and entries of a fingerprint a report names."""


def context(run: Run, most: int = MOST_NAMES) -> list[str]:
    """Return short texts: what ran, what it is compared with, and what was searched.

    `most`: the most names of each kind; a text counts further names.
    """
    ran = [result for result in run.results if result.status != SKIPPED]
    files = list(dict.fromkeys(result.file for result in ran))
    texts = first_names(files, most, "more suite", "more suites")

    searches: dict[str, None] = {}
    for variant in variants_of(ran):
        searches[variant_name(variant)] = None
    texts += first_names(list(searches), most, "more variant", "more variants")

    against = references_text(info for file, info in run.files.items() if file in files)
    if against:
        texts.append(f"against {against}")
    searched = [f"{name} {value}" for name, value in run.info.fingerprint.items()]
    texts += first_names(searched, most, "more entry", "more entries")
    return texts + filled_texts(ran)


def references_text(infos: Iterable[FileInfo]) -> str:
    """Return what files are compared with: `main.jsonl of 2026-11-22 08:03 UTC`.

    For committed baselines the text is `the baseline`. "" if no file is compared.
    """
    records: dict[str, None] = {}
    has_baseline = False
    for info in infos:
        has_baseline = has_baseline or info.has_baseline
        if info.against:
            started = start_text(info.against_started)
            when = f" of {started} UTC" if started else ""
            records[f"{info.against}{when}"] = None
    if records:
        return listed(records, "and")
    return "the baseline" if has_baseline else ""


def searched_text(files: Mapping[str, FileInfo], fingerprint: Fingerprint) -> str:
    """Return what was searched in the run and its reference: `index products-11`.

    "" if the two differ: `searched_sentences` tells the difference.
    """
    if searched_sentences(files, fingerprint):
        return ""
    known = [info.fingerprint for info in files.values() if info.fingerprint]
    if not known:
        return ""
    entries = [f"{name} {value}" for name, value in known[0].items()]
    return ", ".join(first_names(entries, MOST_NAMES, "more entry", "more entries"))


def searched_sentences(
    files: Mapping[str, FileInfo], fingerprint: Fingerprint
) -> list[Sentence]:
    """Return sentences about what changed in the fingerprint since the baselines.

    Files with the same change share a sentence. If there are several sentences, each
    names its files.
    """
    files_by_text: dict[str, list[str]] = {}
    for file, info in files.items():
        text = changes_text(changed_since(info.fingerprint, fingerprint))
        if text:
            files_by_text.setdefault(text, []).append(file)
    sentences = []
    for text, names in files_by_text.items():
        of_files = f" of {listed(names)}" if len(files_by_text) > 1 else ""
        said = f"searched since the reference{of_files}: {text}"
        sentences.append(Sentence(said, DOUBT))
    return sentences


def reference_sentences(run: Run, ran: Sequence[CaseResult]) -> list[Sentence]:
    """Return which queries were drawn, and what differs from the reference, but scores.

    The page and Markdown show these sentences.

    `ran`: the results without the skipped ones.
    """
    searched = searched_sentences(run.files, run.info.fingerprint)
    return [
        *sample_sentences(run.files),
        *searched[:MOST_NAMES],
        *change_sentences(changed_test(run.results, run.files, run.info), run.files),
        *moved_sentences(run.files),
        *lost_sentences(run.results, run.files, run.info),
        *not_compared_sentences(run.results, run.files),
        *still_empty_sentences(ran),
        *without_floor_sentences(run.files),
    ]
