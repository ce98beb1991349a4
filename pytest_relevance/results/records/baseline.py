"""Compare the cases of a case file with its reference: a baseline, or another record.

A comparison may change the verdict of a case.

`plugin.collected_file` makes a `Baseline` for each case file, when the cases of the
file are known. `compare` is called for each case after it was scored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

from pytest_relevance._text import listed, quoted, with_variant
from pytest_relevance.cases.expectation import most_results
from pytest_relevance.cases.model import Case, Gate
from pytest_relevance.results.case_parts import (
    REGRESSION,
    STALE,
    BaselineComparison,
)
from pytest_relevance.results.case_result import MEASURED, PASSED, CaseResult
from pytest_relevance.results.records.case_today import case_in_run
from pytest_relevance.results.records.compared_verdict import with_compared_verdict
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    BaselineEntry,
    EntryKey,
    MovedEntries,
)
from pytest_relevance.results.records.entry_comparison import (
    accepted_cases,
    compare_with_entry,
    compare_without_ranking,
    without_entry,
)
from pytest_relevance.results.records.fingerprint import Fingerprint, changed_since
from pytest_relevance.results.records.reference import SilentSearch, silent_searches
from pytest_relevance.results.records.run_info import AcceptedCase, Lost
from pytest_relevance.results.records.uncompared import (
    GONE,
    LEFT_OUT,
    UNDEFINED,
    why_undefined,
)


@dataclass(frozen=True, slots=True)
class _Accepted:
    """The entry of a case, with the accepted ranking.

    `changes`: clauses on what changed in the case since acceptance, which make the
    entry stale.
    """

    entry: BaselineEntry
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedCase:
    """The result of a case with its comparison.

    `fails`: whether the case fails because of the comparison: its entry is stale, or
        its score dropped by more than the tolerance.
    """

    result: CaseResult
    fails: bool


class Baseline:
    """The reference of a case file. It compares the results of the file.

    The entries of the reference are matched with the cases of the file, again after
    each `leave` and `move`. So the order of these calls makes no difference.

    `entries`: the entries of the file.
    `cases`: the cases of the file; {} if a single result is compared.
    `record`: the name of the record that the entries come from; empty for a committed
    baseline.
    `expects_known`: whether cases that failed before are expected to fail, so that
    gates on means and shares are compared too.
    `fingerprint`: what was searched when the entries were accepted; empty if unknown.
    `started`: when the record was made; empty for a committed baseline.
    `left`: the entries of queries that are not drawn now.
    `keeps_weights`: whether cases are compared by their weights in the reference,
    because it has only a sample of them.
    """

    def __init__(
        self,
        entries: BaselineEntries,
        cases: Mapping[EntryKey, Case],
        *,
        record: str = "",
        expects_known: bool = False,
    ) -> None:
        self.entries = entries
        self.record = record
        self._cases = cases
        self._expects_known = expects_known
        self.started = entries.started
        self.left: Mapping[EntryKey, BaselineEntry] = {}
        self.keeps_weights = False
        self._match()

    @property
    def fingerprint(self) -> Fingerprint:
        """Return what was searched when the entries were accepted."""
        return self.entries.fingerprint

    def move(self, moves: MovedEntries) -> None:
        """Give the entries of moved cases their present ids."""
        self.entries = copy(self.entries)  # the record of a run is shared
        self.entries.move(moves)
        self._match()

    def leave(self, keys: Collection[EntryKey]) -> None:
        """Take out the entries of queries that are not drawn now.

        Their cases are neither gone nor lost.
        """
        if not keys:
            return
        self.entries = copy(self.entries)  # the record of a run is shared
        self.left = {key: self.entries.pop(key) for key in keys}
        self._match()

    # --- the cases of the file --------------------------------------------------------

    def _match(self) -> None:
        """Match the entries with the cases of the file."""
        self._other_variants = self._find_other_variants()
        self._why_unranked = self._find_unranked()

    def lost_cases(self, left_out: Iterable[str] = ()) -> list[Lost]:
        """Return the cases of the reference that are not compared, and why.

        If the reference has a case only in other variants, for example because the
        parameters of its search were renamed, the case is not lost. Its entry is stale.

        `left_out`: the ids of the listed queries that `only: judged` leaves out.
        """
        lost = self._without_relevant()
        unlisted = frozenset(left_out)
        for key in self.entries:
            case, variant = key
            if key not in self._cases and case not in self._other_variants:
                lost.append((case, variant, LEFT_OUT if case in unlisted else GONE))
        return lost

    def _find_other_variants(self) -> dict[str, _Accepted]:
        """Return {case: its entry}, for cases with entries in other variants only.

        Such a case is not lost: the parameters of its search were renamed.
        """
        left = [key for key in self.entries if key not in self._cases]
        if not left:
            return {}
        present = _variants_by_case(self._cases)
        compared = {case for case, _ in self.entries.keys() & self._cases.keys()}
        found = {}
        for case, variants in _variants_by_case(left).items():
            if case in present and case not in compared:
                before, now = _variants_text(variants), _variants_text(present[case])
                change = f"the search had {before}, and has {now}"
                found[case] = _Accepted(self.entries[case, variants[0]], (change,))
        return found

    def _find_unranked(self) -> dict[str, str]:
        """Return {case: why the case has no ranking}, for variants that are gone.

        Such a case is not new in its present variant: the parameter of the search was
        renamed.
        """
        found = {}
        for key, why in self.entries.without_ranking.items():
            if key not in self._cases:
                case, _ = key
                found[case] = why
        return found

    def _without_relevant(self) -> list[Lost]:
        """Return the cases that had a score and now have no relevant judgment.

        They are lost, since their scores have nothing to be compared with.
        """
        lost: list[Lost] = []
        for key, entry in self.entries.items():
            case = self._cases.get(key)
            if case is None or not entry.has_score:
                continue
            why = why_undefined(case.judgments.values(), case.settings)
            if why != UNDEFINED:
                lost.append((*key, why))
        return lost

    def has_ranking(self, key: EntryKey) -> bool:
        """Say whether the reference has a ranking of a case in this variant.

        The earlier name of a renamed variant counts too.
        """
        case, _ = key
        return key in self.entries or case in self._other_variants

    def silent_searches(self) -> list[SilentSearch]:
        """Return the searches whose accepted rankings are empty in most cases.

        Cases that expect no results do not count.
        """
        found = []
        for key, case in self._cases.items():
            entry = self.entries.get(key)
            if entry is not None and most_results(case.expect):
                _, variant = key
                name = with_variant(case.search, variant)
                found.append((name, bool(entry.documents)))
        return silent_searches(found)

    def accepted_cases(
        self, gates: Iterable[Gate], lost: Iterable[Lost]
    ) -> tuple[AcceptedCase, ...]:
        """Return the cases of the reference that gates need.

        `lost`: the cases that are not compared.
        """
        entries = copy(self.entries)
        for key, entry in self.left.items():
            entries.setdefault(key, entry)
        return accepted_cases(entries, gates, lost, expects_known=self._expects_known)

    # --- results ----------------------------------------------------------------------

    def compare(
        self,
        result: CaseResult,
        case: Case,
        *,
        accepting: bool = False,
        details: bool = True,
        fingerprint: Fingerprint | None = None,
    ) -> ComparedCase:
        """Return the result, compared with its entry.

        A case fails by its entry if the entry is stale, or if the score dropped by more
        than the tolerance. It may have failed without the entry too. If too few results
        are judged, a drop may make it inconclusive instead.

        Call this before `details.with_details`, which also looks up titles and ranks of
        the accepted documents.

        `accepting`: whether the present ranking is being accepted, so that the verdict
        stays.
        `details`: whether the result gets the accepted ranking even if it passes with
        the same ranking.
        `fingerprint`: what this run searched.
        """
        accepted = self._accepted(result)
        if accepted is None:
            why = self.entries.without_ranking.get((result.id, result.variant))
            why = why or self._why_unranked.get(result.id, "")
            return ComparedCase(without_entry(result, why), fails=False)
        today = case_in_run(
            case,
            expects_known=self._expects_known,
            accepting=accepting,
            changes=accepted.changes,
        )
        compared = compare_with_entry(result, accepted.entry, today, details=details)
        comparison = compared.baseline
        assert comparison is not None
        if self.keeps_weights and accepted.entry.is_sampled:
            comparison = replace(comparison, weight=accepted.entry.weight)
        fails = comparison.standing in (STALE, REGRESSION) and not accepting
        if fails:
            compared = with_compared_verdict(compared, today, self.record)
        has_passed = compared.verdict in (PASSED, MEASURED)
        if has_passed and not details and not _has_moved(compared, comparison):
            comparison = replace(comparison, documents=(), grades=(), then={})
        elif fingerprint:
            searched = changed_since(self.fingerprint, fingerprint)
            comparison = replace(comparison, searched=searched)
        return ComparedCase(replace(compared, baseline=comparison), fails)

    def _accepted(self, result: CaseResult) -> _Accepted | None:
        """Return the entry of a case, also of its renamed variant; None without one."""
        entry = self.entries.get((result.id, result.variant))
        if entry is not None:
            return _Accepted(entry)
        return self._other_variants.get(result.id)

    def of_unscored(self, result: CaseResult) -> CaseResult:
        """Return a result without a ranking; as lost if the reference has a ranking."""
        accepted = self._accepted(result)
        if accepted is None:
            return result
        return compare_without_ranking(result, accepted.entry, self.entries)

    def with_titles(self, result: CaseResult) -> CaseResult:
        """Return the result, with titles of the reference for documents without one."""
        if not self.entries.titles:
            return result
        return result.with_titles(self.entries.titles, replaces=False)


def _has_moved(result: CaseResult, comparison: BaselineComparison) -> bool:
    """Say whether the score or the ranking differs from the accepted one."""
    if comparison.score != result.score:
        return True
    return tuple(comparison.documents) != tuple(result.ranking.documents)


def _variants_by_case(keys: Iterable[EntryKey]) -> dict[str, list[str | None]]:
    """Return {id of a case: its variants}."""
    variants_by_case: dict[str, list[str | None]] = {}
    for case, variant in keys:
        variants_by_case.setdefault(case, []).append(variant)
    return variants_by_case


def _variants_text(names: Sequence[str | None]) -> str:
    """Return, for example, `the variants "lexical" and "dense"`.

    `no variant` if a name is None.
    """
    if None in names:  # a search has parameters or none
        return "no variant"
    word = "variant" if len(names) == 1 else "variants"
    quotes = [quoted(name) for name in names if name is not None]
    return f"the {word} {listed(quotes, 'and')}"
