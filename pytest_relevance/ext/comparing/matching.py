"""Match the results of two runs by file, case and variant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from pytest_relevance._text import did_you_mean, listed, quoted
from pytest_relevance.results.case_result import CaseResult, Key
from pytest_relevance.results.records.run import Run
from pytest_relevance.results.records.run_info import file_names

Variants = tuple[str | None, str | None]
"""A variant of the first run and one of the second, to be compared with each other."""


def matched_results(
    first: Run, second: Run, variants: Variants | None
) -> Iterator[tuple[CaseResult | None, CaseResult | None]]:
    """Yield (first, second) for each case; None if a run lacks the case.

    If `variants` are given, the results of these two variants are paired. If a test
    checks a query several times, the results are paired in their order.
    """
    files_of_first = {result.file for result in first.results}
    files_of_second = {result.file for result in second.results}
    name_of = file_names([files_of_first, files_of_second])

    def key_of(result: CaseResult) -> Key:
        variant = result.variant if variants is None else None
        return name_of(result.file), result.id, variant

    before, after = first.results, second.results
    if variants is not None:
        before = _results_of_variant(first, variants[0])
        after = _results_of_variant(second, variants[1])
    waiting = defaultdict(list)
    for new in after:
        waiting[key_of(new)].append(new)
    for old in before:
        candidates = waiting[key_of(old)]
        yield old, (candidates.pop(0) if candidates else None)
    unmatched: set[int] = set()
    for candidates in waiting.values():
        unmatched.update(id(new) for new in candidates)
    for new in after:
        if id(new) in unmatched:
            yield None, new


def _results_of_variant(run: Run, variant: str | None) -> Sequence[CaseResult]:
    """Return the results of a variant. Raises ValueError if there are none."""
    results = [result for result in run.results if result.variant == variant]
    if results:
        return results
    names = []
    for result in run.results:
        if result.variant is not None and result.variant not in names:
            names.append(result.variant)
    wanted = "without a variant"
    if variant is not None:
        wanted = f"of the variant {quoted(variant)}"
    has = listed([quoted(name) for name in names], "and") or "none"
    meant = did_you_mean(variant or "", names)
    raise ValueError(
        f"{run.name} has no results {wanted}; its variants are {has}{meant}"
    )
