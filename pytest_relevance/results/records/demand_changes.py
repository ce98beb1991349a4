"""Find how a test changed: what it demands now, and what its reference demanded.

A change of a case is *stricter* if whatever passes now would have passed then. A change
of a gate is stricter if any cases that meet the gate now would have met it then. To
take away a strict `xfail` counts as stricter too, because the case was mended. Every
other change is *looser*. The kinds of expectations and gates say what is stricter, by
`implies`.

Each case and each gate is judged alone. A case that newly demands something, or is no
longer skipped, counts in gates, and may help a gate to be met.

`plugin.note_demands` calls `changes_of_file` when all cases are collected. A recorded
run is compared in the same way by `recorded_comparison`, and two runs by `compare`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from pytest_relevance.bundled import PERCENTILES
from pytest_relevance.cases.expectation import most_results
from pytest_relevance.cases.model import Gate, Sample
from pytest_relevance.codec import encode, is_same_json
from pytest_relevance.registry import EXPECTATIONS, GATES, ExtensionError
from pytest_relevance.results.case_parts import EMPTY
from pytest_relevance.results.case_result import SKIPPED, WITHOUT_SCORE, CaseResult
from pytest_relevance.results.records.demands import (
    EXPECT,
    FILLED,
    GATE,
    JUDGMENTS,
    LEFT_GATE,
    PASSAGES,
    SAMPLE,
    SCALE,
    SKIP,
    TAGS,
    WEIGHT,
    XFAIL,
    CaseDemands,
    DemandChange,
    RecordedExpectation,
)
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    BaselineEntry,
    EntryKey,
)
from pytest_relevance.results.records.json_lines import as_json
from pytest_relevance.results.records.marks import (
    ANY_FAILURE,
    MARK_LIMITS,
    OF_CASE_FILE,
    SKIP_IF,
    XFAIL_IF,
    XFAIL_RAISES,
    XFAIL_RUN,
)
from pytest_relevance.results.records.two_expectations import TwoExpectations


@dataclass(frozen=True, slots=True)
class DemandedOfCase:
    """All that a test says of a case, as far as it is known.

    `demands`: None if they are not known.
    `weight`: None if it is not known. Then the `tags` are not known either.
    `digest`: a digest of the judgments or passages; "" if they are not known.
    `has_passages`: whether the case is known to have passages.
    `is_sampled`: whether its weight is that of a sample.
    """

    demands: CaseDemands | None
    weight: float | None = None
    tags: Sequence[str] = ()
    digest: str = ""
    has_passages: bool = False
    is_sampled: bool = False

    @classmethod
    def of_entry(cls, entry: BaselineEntry) -> DemandedOfCase:
        """Return what a reference has of a case."""
        return cls(
            entry.demands,
            weight=entry.weight if entry.digest else None,
            tags=entry.tags,
            digest=entry.digest,
            is_sampled=entry.is_sampled,
        )

    @classmethod
    def of_result(
        cls, result: CaseResult, demands: CaseDemands | None
    ) -> DemandedOfCase:
        """Return what a run says of a case, beside its demands.

        If the case was not scored, the digest of its judgments is not known.
        """
        is_scored = result.verdict not in (*WITHOUT_SCORE, SKIPPED)
        return cls(
            demands,
            weight=result.weight,
            tags=result.tags,
            digest=result.evaluation.digest if is_scored else "",
            has_passages=bool(result.evaluation.passages),
            is_sampled=result.is_sampled,
        )


@dataclass(frozen=True, slots=True)
class ChangesOfFile:
    """How the test of a case file changed.

    `is_known`: whether the reference has kept what was demanded.
    """

    changes: Sequence[DemandChange] = ()
    is_known: bool = True


def changes_of_file(
    entries: BaselineEntries,
    now: Iterable[tuple[EntryKey, DemandedOfCase]],
    gates: Sequence[Gate],
    gates_left: Sequence[Gate] = (),
    gates_of_moved: Mapping[str, Sequence[Gate]] = EMPTY,
    samples: Sequence[Sample] = (),
) -> ChangesOfFile:
    """Return how the test of a case file changed since the entries of its reference.

    `now`: what is demanded of the cases of the file.
    `gates`: the gates of the file.
    `gates_left`: the gates that were in files which are gone, and whose cases moved to
        this file.
    `gates_of_moved`: {id: gates} of cases that moved to this file. The gates are those
        of the earlier file that looked at the case.
    `samples`: what is drawn from the files of queries of the file.
    """
    pairs = []
    for key, demanded in now:
        entry = entries.get(key)
        if entry is not None:
            pairs.append((key[0], DemandedOfCase.of_entry(entry), demanded))
    gates_before: Sequence[Gate] | None = None
    if entries.demands is not None:
        gates_before = [*gates_left, *entries.demands.gates]
    elif gates_left:
        gates_before = gates_left
    is_known = all(entry.demands is not None for entry in entries.values())
    changes = [*changes_of_pairs(pairs, gates_before, gates)]
    changes += _gates_of_moved(gates_of_moved, gates)
    if entries.demands is not None:
        changes += changes_of_samples(entries.demands.samples, samples)
    return ChangesOfFile(tuple(changes), is_known)


def _gates_of_moved(
    gates_of_moved: Mapping[str, Sequence[Gate]], gates: Sequence[Gate]
) -> tuple[DemandChange, ...]:
    """Return the gates of moved cases than which no gate of their file is as strict."""
    found = _Changes()
    for case, gates_before in gates_of_moved.items():
        for before in map(_Gated, gates_before):
            errors: list[str] = []
            if any(_implies(_Gated(now), before, errors) for now in gates):
                continue
            changed = _Changed(before, None, errors[0] if errors else "")
            found.add(changed.as_change(LEFT_GATE, is_looser=True), case)
    return found.all


def changes_of_pairs(
    pairs: Iterable[tuple[str, DemandedOfCase, DemandedOfCase]],
    gates_before: Sequence[Gate] | None,
    gates: Sequence[Gate],
) -> tuple[DemandChange, ...]:
    """Return how the test of a case file changed.

    `pairs`: (id, what was demanded before, what is demanded now) of each case.
    `gates_before`: the gates before; None if they are not known.
    """
    found = _Changes()
    for case, before, now in pairs:
        for change in changes_of_case(before, now):
            found.add(change, case)
    if gates_before is not None:
        for change in changes_of_gates(gates_before, gates):
            found.add(change)
    return found.all


@dataclass(slots=True)
class _Changes:
    """Collects the changes of one file. Equal changes of several cases become one."""

    _found: dict[str, DemandChange] = field(default_factory=dict)
    _cases: dict[str, list[str]] = field(default_factory=dict)

    def add(self, change: DemandChange, *cases: str) -> None:
        """Add a change, for a case or for none."""
        text = as_json(encode(change))
        self._found[text] = change
        named = self._cases.setdefault(text, [])
        named += cases

    @property
    def all(self) -> tuple[DemandChange, ...]:
        """Return the changes, in the order in which they were found."""
        changes = []
        for text, change in self._found.items():
            names = tuple(dict.fromkeys(self._cases[text]))
            changes.append(replace(change, cases=names))
        return tuple(changes)


# --- one case -------------------------------------------------------------------------


def changes_of_case(
    before: DemandedOfCase, now: DemandedOfCase
) -> Iterator[DemandChange]:
    """Yield what changed in the test of a case.

    A demand that is not known before or now is not compared. Nor are the weights of a
    case in a sample, because they depend on the other queries of the file.
    """
    if before.demands is not None and now.demands is not None:
        yield from _changes_of_demands(before.demands, now.demands)
    if before.weight is not None and now.weight is not None:
        is_sampled = before.is_sampled or now.is_sampled
        if before.weight != now.weight and not is_sampled:
            yield DemandChange(WEIGHT, before.weight, now.weight)
        if {*before.tags} != {*now.tags}:
            yield DemandChange(TAGS, sorted(before.tags), sorted(now.tags))
    if before.digest and now.digest and before.digest != now.digest:
        has_passages = before.has_passages or now.has_passages
        yield DemandChange(PASSAGES if has_passages else JUDGMENTS)


def _changes_of_demands(
    before: CaseDemands, now: CaseDemands
) -> Iterator[DemandChange]:
    """Yield what differs between the demands on a case before and now."""
    if before is now or before == now:  # most cases share an object
        return
    if before.k != now.k:
        yield DemandChange("k", before.k, now.k)
    floor_before, floor = before.min_ndcg, now.min_ndcg
    if floor_before != floor:
        is_looser = floor_before is not None and (floor is None or floor < floor_before)
        yield DemandChange("min_ndcg", floor_before, floor, is_looser=is_looser)
    usual, tolerance = before.tolerance, now.tolerance
    if usual != tolerance:
        is_looser = tolerance > usual
        yield DemandChange("tolerance", usual, tolerance, is_looser=is_looser)
    if before.expect != now.expect:
        yield from _changes_of_expectations(before, now)
    if (before.skip is None) != (now.skip is None):
        yield DemandChange(SKIP, before.skip, now.skip, is_looser=now.skip is not None)
    yield from _changes_of_xfail(before, now)
    yield from _changes_of_marks(before, now)
    yield from _changes_of_settings(before.settings, now.settings)


def _changes_of_xfail(before: CaseDemands, now: CaseDemands) -> Iterator[DemandChange]:
    """Yield an `xfail` that is new or gone, or is strict in only one of both."""
    if (before.xfail is None) != (now.xfail is None):
        is_looser = now.xfail is not None
        yield DemandChange(XFAIL, before.xfail, now.xfail, is_looser=is_looser)
    elif before.is_strict != now.is_strict:
        yield DemandChange(
            "strict", before.is_strict, now.is_strict, is_looser=before.is_strict
        )


def _changes_of_marks(before: CaseDemands, now: CaseDemands) -> Iterator[DemandChange]:
    """Yield how the marks changed that a case had before and has now.

    A mark that is new or gone is another change.
    """
    for name in MARK_LIMITS:
        reasons = [before.xfail, now.xfail]
        if name == SKIP_IF:
            reasons = [before.skip, now.skip]
        usual = _USUAL_LIMITS[name]
        limit_before, limit = before.marks.get(name, usual), now.marks.get(name, usual)
        if limit_before != limit and None not in reasons:
            is_looser = limit_before != _WIDEST_LIMITS[name]
            yield DemandChange(name, limit_before, limit, is_looser=is_looser)


_USUAL_LIMITS = {
    SKIP_IF: None,
    XFAIL_IF: None,
    XFAIL_RAISES: OF_CASE_FILE,
    XFAIL_RUN: True,
}
"""The values of `MARK_LIMITS` that records do not keep."""

_WIDEST_LIMITS = {
    SKIP_IF: None,
    XFAIL_IF: None,
    XFAIL_RAISES: ANY_FAILURE,
    XFAIL_RUN: False,
}
"""The values by which a mark lets most cases pass: any other value is stricter."""


def _changes_of_settings(
    before: Mapping[str, Any], now: Mapping[str, Any]
) -> Iterator[DemandChange]:
    """Yield the settings that differ. Other filled grades are other judgments."""
    for name in dict.fromkeys([*before, *now]):
        if before.get(name) == now.get(name):
            continue
        if name == SCALE and not (name in before and name in now):
            continue  # no score depended on it, or none does now
        if name == FILLED:
            yield DemandChange(JUDGMENTS)
        else:
            yield DemandChange(name, before.get(name), now.get(name))


# --- expectations and gates -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Expected:
    """An expectation of a case, before or now.

    `k`: the cutoff of the case.
    """

    recorded: RecordedExpectation
    k: int

    def implies(self, other: _Expected) -> bool:
        """Say whether each ranking that meets this expectation meets the other one.

        Raises `ExtensionError` if a kind of another package raises an exception.
        """
        this, that = self.recorded, other.recorded
        if this == that:
            return True
        if this.kind != that.kind:
            return False
        both = TwoExpectations(this.expectation, that.expectation, self.k, other.k)
        with EXPECTATIONS.calling(this.kind):
            return bool(EXPECTATIONS.get_or_unknown(this.kind).implies(both))

    def replaces(self, earlier: _Expected) -> bool:
        """Say whether this expectation was written in the place of an earlier one.

        For example, `every@5` replaces `every@3`. An entry of `within` replaces an
        entry about the same document.
        """
        now, before = self.recorded, earlier.recorded
        if now.kind != before.kind:
            return False
        if now.key == before.key:
            return now.kind != "within" or now.documents == before.documents
        return now.key.partition("@")[0] == before.key.partition("@")[0]


@dataclass(frozen=True, slots=True)
class _Gated:
    """A gate of a file, before or now."""

    recorded: Gate

    def implies(self, other: _Gated) -> bool:
        """Say whether each run that meets this gate meets the other one.

        Raises `ExtensionError` if a kind of another package raises an exception.
        """
        this, that = self.recorded, other.recorded
        if not _look_at_the_same(this, that):
            return False
        with GATES.calling(this.condition):
            kind = GATES.get_or_unknown(this.condition)
            return bool(kind.implies(this, that))

    def replaces(self, earlier: _Gated) -> bool:
        """Say whether this gate was written in the place of an earlier one."""
        now, before = self.recorded, earlier.recorded
        return now.id == before.id or _look_at_the_same(now, before)


def _look_at_the_same(now: Gate, before: Gate) -> bool:
    """Say whether two gates are of one kind, and about the same cases and variants."""
    conditions = {now.condition, before.condition}
    if len(conditions) > 1 and not conditions.issubset(PERCENTILES):
        return False
    of_now = now.tag, now.variant, now.against
    return of_now == (before.tag, before.variant, before.against)


_Demand = TypeVar("_Demand", _Expected, _Gated)


@dataclass(frozen=True, slots=True)
class _Changed(Generic[_Demand]):
    """A demand that changed.

    `before`: None if the demand is new, or stricter than an earlier one.
    `now`: the looser demand that replaces the earlier one; None if there is none.
    `error`: what a kind raised when the earlier demand was compared; "" for nothing.
    """

    before: _Demand | None
    now: _Demand | None
    error: str = ""

    def as_change(self, key: str, *, is_looser: bool) -> DemandChange:
        """Return what reports show. `key`: `EXPECT`, `GATE` or `LEFT_GATE`."""
        return DemandChange(
            key=key,
            before=None if self.before is None else _values(self.before.recorded),
            now=None if self.now is None else _values(self.now.recorded),
            is_looser=is_looser,
            error=self.error,
        )


def _changed_demands(
    before: Sequence[_Demand], now: Sequence[_Demand]
) -> Iterator[_Changed[_Demand]]:
    """Yield each demand that changed.

    For example, the test demanded `P@5: 0.8`. What is yielded if it now demands

    - `P@5: 0.6`: (`P@5: 0.8`, `P@5: 0.6`), a looser demand
    - `P@5: 0.9`: (None, `P@5: 0.9`), a stricter demand
    - `RR: 1`: (`P@5: 0.8`, None), which is gone, and (None, `RR: 1`), which is new

    A demand that means the same as an earlier one is not yielded.
    """
    new = [one for one in now if not _is_among(one, before)]
    for earlier in before:
        if _is_among(earlier, now):
            continue
        errors: list[str] = []
        stricter = [one for one in now if _implies(one, earlier, errors)]
        if stricter:
            same = [one for one in stricter if _implies(earlier, one, errors)]
            new = [one for one in new if one not in same]
            continue
        looser = next((one for one in new if one.replaces(earlier)), None)
        if looser is not None:
            new.remove(looser)
        yield _Changed(earlier, looser, errors[0] if errors else "")
    for one in new:
        yield _Changed(None, one)


def _implies(this: _Demand, other: _Demand, errors: list[str]) -> bool:
    """Say whether a demand implies another one.

    If its kind raises an exception, the answer is no, and the message is added to
    `errors`.
    """
    try:
        return this.implies(other)
    except ExtensionError as error:
        errors.append(str(error))
        return False


def _is_among(demand: _Demand, others: Iterable[_Demand]) -> bool:
    """Say whether one of the other demands is the same, apart from its line."""
    values = _values(demand.recorded)
    return any(is_same_json(values, _values(other.recorded)) for other in others)


def _values(demand: RecordedExpectation | Gate) -> dict[str, Any]:
    """Return a demand as a change has it: as JSON, without its line."""
    values: dict[str, Any] = encode(demand)
    values.pop("line", None)
    return values


def _changes_of_expectations(
    before: CaseDemands, now: CaseDemands
) -> Iterator[DemandChange]:
    """Yield the expectations that are gone, looser or new.

    A new one is stricter, with one exception. If results were allowed before, and none
    are now, an empty ranking meets other expectations too, and has no score.
    """
    is_to_find_nothing = not _allows_results(now.expect)
    found_nothing = not _allows_results(before.expect)
    demands_before = [_Expected(one, before.k) for one in before.expect]
    demands_now = [_Expected(one, now.k) for one in now.expect]
    for changed in _changed_demands(demands_before, demands_now):
        is_looser = changed.before is not None
        if changed.now is not None and not is_looser:
            allows_results = _allows_results([changed.now.recorded])
            is_looser = is_to_find_nothing and not found_nothing and not allows_results
        yield changed.as_change(EXPECT, is_looser=is_looser)


def _allows_results(expect: Iterable[RecordedExpectation]) -> bool:
    """Say whether a search may find anything; `results: 0` does not allow it."""
    counting = []
    for one in expect:
        if EXPECTATIONS.get_or_unknown(one.kind).counts_results:
            counting.append(one.expectation)
    return most_results(counting) > 0


def changes_of_gates(
    before: Sequence[Gate], now: Sequence[Gate]
) -> Iterator[DemandChange]:
    """Yield how the gates of a file changed."""
    gates_before = [_Gated(gate) for gate in before]
    gates_now = [_Gated(gate) for gate in now]
    for changed in _changed_demands(gates_before, gates_now):
        yield changed.as_change(GATE, is_looser=changed.before is not None)


# --- samples --------------------------------------------------------------------------


def changes_of_samples(
    before: Sequence[Sample], now: Sequence[Sample]
) -> Iterator[DemandChange]:
    """Yield how the samples of a file changed, by the files that they are drawn from.

    If a file has another name now, the first new name stands for it. A sample is
    stricter if it is larger and otherwise the same, or if all queries are taken now: it
    then has all cases that it had.
    """
    now_by_file = {sample.file: sample for sample in now}
    files_before = {sample.file for sample in before}
    new = [sample for sample in now if sample.file not in files_before]
    for earlier in before:
        sample = now_by_file.get(earlier.file)
        if sample is None and new:
            sample = new.pop(0)
        if sample is None:
            yield DemandChange(SAMPLE, _values_of_sample(earlier), is_looser=False)
        elif sample.rule != earlier.rule:
            yield DemandChange(
                SAMPLE,
                _values_of_sample(earlier),
                _values_of_sample(sample),
                is_looser=not _is_larger(sample, earlier),
            )
    for sample in new:
        yield DemandChange(SAMPLE, now=_values_of_sample(sample))


def _is_larger(now: Sample, before: Sample) -> bool:
    """Say whether a sample is drawn in the same way, and has more queries."""
    return now.rule.n > before.rule.n and now.rule == replace(before.rule, n=now.rule.n)


def _values_of_sample(sample: Sample) -> dict[str, Any]:
    """Return a sample as a change has it: the name of the file and the rule."""
    rule = sample.rule
    return {"file": sample.file, "seed": rule.seed, **encode(rule)}
