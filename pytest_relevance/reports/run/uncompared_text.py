"""Sentences about cases that have a ranking only in the run or only in its reference.

Also about cases that fail now, and found nothing in the reference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_relevance._text import (
    counted,
    examples,
    first_few,
    listed,
    quoted,
    with_variant,
)
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.run.case_counts import case_count
from pytest_relevance.reports.run.changed_test import lost_otherwise
from pytest_relevance.reports.styled_lines import BAD
from pytest_relevance.results.case_result import (
    ERROR,
    FAILED,
    NOT_SEARCHED,
    SKIPPED,
    CaseResult,
    grouped,
)
from pytest_relevance.results.records.run_info import FileInfo, RunInfo
from pytest_relevance.results.records.uncompared import (
    MARKED_SKIP,
    NOT_RUN,
    UNSTABLE,
    WHY_LOST,
    WITHOUT_WORDS,
    UncomparedCase,
    found_something_new,
    lost_cases,
    not_compared_cases,
)

BASELINE = "the baseline"

_WITHOUT_RANKING: Mapping[str, tuple[str, str]] = {
    ERROR: WHY_LOST[ERROR],
    NOT_SEARCHED: WHY_LOST[NOT_SEARCHED],
    SKIPPED: WHY_LOST[SKIPPED],
    MARKED_SKIP: ("was marked as skipped", "were marked as skipped"),
    NOT_RUN: WHY_LOST[NOT_RUN],
    UNSTABLE: ("had a ranking that changed", "had a ranking that changed"),
}
"""Why a reference has no ranking: words for one case and for several."""


def lost_sentences(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], info: RunInfo
) -> list[Sentence]:
    """Return which cases of the reference the run lost or did not run; or [].

    Example: `in the baseline and not compared: 2 cases were skipped ("boots" and
    "hats")`. A case counts once for all its variants. Cases that are gone, left out or
    newly skipped are not here: they are changes of the demands (`changed_test`).
    """
    lost = lost_otherwise(lost_cases(files, results, info), files)
    parts = _counts_by_reason(lost, WHY_LOST)
    if info.not_run:
        count = counted(len(info.not_run), "file")
        parts.append(f"no case ran of {count} ({examples(info.not_run)})")
    if not parts:
        return []
    source, is_record = _reference_name(files.values())
    text = f"in {source} and not compared: {', '.join(parts)}"
    if not is_record and info.not_run:
        text += "; if a case file was renamed or deleted, do the same with its baseline"
    return [Sentence(text, BAD)]


def not_compared_sentences(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo]
) -> list[Sentence]:
    """Return which cases ran, but have no ranking in the reference.

    Example: `main.jsonl has no ranking of 3 cases that ran, so they are not compared: 1
    case ended in an error there ("boots"), 2 cases were not searched there (...)`.
    """
    found = not_compared_cases(results)
    if not found:
        return []
    infos = [files[case.file] for case in found if case.file in files]
    source, is_record = _reference_name(infos)
    count = _count(found)
    are = "it is" if count == 1 else "they are"
    what = f"{source} has no ranking of {counted(count, 'case')} that ran, so {are} not"
    parts = _counts_by_reason(found, _WITHOUT_RANKING, " there")
    remedy = "--relevance-update=new accepts the present rankings"
    if is_record:
        remedy = "make the record again, with a search that works for all cases"
    return [Sentence(f"{what} compared: {', '.join(parts)}; {remedy}", BAD)]


def found_something_sentences(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo]
) -> list[Sentence]:
    """Return which cases fail now, and found nothing in the reference; or [].

    They do not count as failed before, because nobody knows what their present results
    would have been then. [] without `--relevance-known=xfail`.
    """
    failed = []
    for result in found_something_new(results):
        info = files.get(result.file)
        expects_known = info is not None and info.expects_known
        if result.status == FAILED and expects_known:
            failed.append(result)
    if not failed:
        return []
    count = case_count(failed)
    fail = "fails" if count == 1 else "fail"
    names = examples(list(dict.fromkeys(result.id for result in failed)))
    what = f"{counted(count, 'case')} without results in the reference {fail}"
    how = "if that is meant, write xfail: REASON in the case"
    return [
        Sentence(
            f"{what} ({names}), although --relevance-known=xfail is given: {how}", BAD
        )
    ]


def uncompared_in_words(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], info: RunInfo
) -> list[str]:
    """Return texts for a headline: `2 cases are lost`, `no case ran of 1 file`.

    Files are not counted if only a part of the cases was to run.
    """
    parts = []
    lost = _count(lost_otherwise(lost_cases(files, results, info), files))
    if lost:
        parts.append(f"{counted(lost, 'case is', 'cases are')} lost")
    not_compared = _count(not_compared_cases(results))
    if not_compared:
        parts.append(f"{counted(not_compared, 'case is', 'cases are')} not compared")
    if info.not_run and not info.is_part:
        parts.append(f"no case ran of {counted(len(info.not_run), 'file')}")
    return parts


def _reference_name(files: Iterable[FileInfo]) -> tuple[str, bool]:
    """Return the name of what files are compared with, and whether it is a record."""
    records = {info.against: None for info in files if info.against}
    if records:
        return listed(records, "and"), True
    return BASELINE, False


def _count(found: Iterable[UncomparedCase]) -> int:
    """Return how many cases there are, each once for all its variants."""
    return len({(case.file, case.id) for case in found})


def _counts_by_reason(
    found: Sequence[UncomparedCase],
    words: Mapping[str, tuple[str, str]],
    place: str = "",
) -> list[str]:
    """Return a text for each reason: `2 cases were skipped ("boots" and "hats")`.

    `words`: {reason: (words for one case, words for several)}. Reasons that have no
        words here come last.
    `place`: a text after the words.
    """
    by_reason = grouped(found, lambda case: case.why)
    reasons = [why for why in words if why in by_reason]
    reasons += [why for why in by_reason if why not in words]
    parts = []
    for why in reasons:
        variants = grouped(by_reason[why], lambda case: (case.file, case.id))
        names = [_name(of_case) for of_case in variants.values()]
        one, several = words.get(why, WITHOUT_WORDS)
        what = counted(len(names), f"case {one}", f"cases {several}")
        parts.append(f"{what}{place} ({first_few(names)})")
    return parts


def _name(variants: Sequence[UncomparedCase]) -> str:
    """Return the id of a case in quotes, with its only variant and with metrics.

    `variants`: the case in each variant.
    """
    case = variants[0]
    variant = case.variant if len(variants) == 1 else None
    name = quoted(with_variant(case.id, variant), 40)
    if case.metrics:
        name = f"{name}, {listed(case.metrics, 'and')}"
    return name
