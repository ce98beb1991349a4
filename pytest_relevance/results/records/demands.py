"""What a test demands: of each case, and of a case file as a whole.

A baseline and a record keep the demands, so that a later run can tell how the test
changed (`demand_changes`). The demands of a case are the effective ones. It does not
matter whether the suite or the case sets a demand, or how it is written.

Most cases demand what their suite demands. A file therefore has the demands of the
suite once, and of each case only what differs (`own_demands`).

`plugin.note_demands` makes the demands when all cases are collected. Files are read
with `read_demands`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import NoneType
from typing import Any

from pytest_relevance._text import shown
from pytest_relevance.cases.expectation import Expectation, FieldCondition
from pytest_relevance.cases.model import Case, Gate, Sample, Terms
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.codec import DecodeError, decode, encode
from pytest_relevance.metrics.measures import MEASURES
from pytest_relevance.metrics.names import LARGEST_CUTOFF, metric_named
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_parts import DEFAULT_TOLERANCE
from pytest_relevance.results.details import digest_of
from pytest_relevance.results.records.marks import NO_MARKS, MarksOfCase

_COMPARISONS = frozenset({">=", ">", "<=", "<", "==", "!="})

FILLED = "filled"
"""The key of the settings that stands for which grades are filled."""

SCALE = "scale"
"""The key of the settings that has the highest grade, if a score depends on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedExpectation:
    """An `Expectation` in the form that records and baselines have.

    `name` and `metric` stand for the `written` and the `metric` of an `Expectation`.
    Its `inherited` is not there: a record keeps what the suite expects apart.

    `name`: the metric, or the key in the case file; empty if the key is the kind.
    `metric`: whether `name` is a metric.
    `conditions`: (path, comparison, values) of each condition.
    All other fields are those of an `Expectation`.

    Raises:
        ValueError: the metric has an unknown name, or a value does not fit its kind.
    """

    kind: str
    name: str = ""
    metric: bool = False
    comparison: str = ">="
    bound: float = 0.0
    documents: Sequence[str] = ()
    within: int | None = None
    sets: Sequence[int] = ()
    conditions: Sequence[tuple[str, str, Sequence[Any]]] = ()
    query: str = ""
    quotes: Sequence[str] = ()

    @classmethod
    def of(cls, expected: Expectation) -> RecordedExpectation:
        """Return an expectation as records keep it."""
        return cls(
            kind=expected.kind,
            name="" if expected.name == expected.kind else expected.name,
            metric=expected.metric is not None,
            comparison=expected.comparison,
            bound=expected.bound,
            documents=expected.documents,
            within=expected.within,
            sets=expected.sets,
            conditions=tuple(one.for_record for one in expected.conditions),
            query=expected.query,
            quotes=expected.quotes,
        )

    def __post_init__(self) -> None:
        """Raise ValueError for a wrong value, which may come from a damaged file."""
        if self.metric:
            metric_named(self.name)
        if self.kind not in EXPECTATIONS.bundled_names:
            return  # another package decides what fits
        if self.comparison not in _COMPARISONS:
            raise ValueError(f"comparison: {shown(self.comparison)} is none")
        if self.within is not None and self.within < 1:
            raise ValueError(f"within: {self.within} is not a rank")
        for path, comparison, wanted in self.conditions:
            if not _can_be_compared(comparison, wanted):
                raise ValueError(
                    f"conditions: {shown(path)} {shown(comparison)} {shown(wanted)}"
                )

    def __eq__(self, other: object) -> bool:
        """Say whether both are records of the same expectation."""
        if not isinstance(other, RecordedExpectation):
            return NotImplemented
        return self.expectation == other.expectation

    def __hash__(self) -> int:
        """Return a hash that is the same for equal expectations."""
        return hash(self.expectation)

    @property
    def key(self) -> str:
        """Return the name that an entry of a case replaces in its suite."""
        return self.name or self.kind

    @property
    def expectation(self) -> Expectation:
        """Return the `Expectation`. A metric of the project has no function in it."""
        return Expectation(
            kind=self.kind,
            written=self.key,
            metric=metric_named(self.name) if self.metric else None,
            comparison=self.comparison,
            bound=self.bound,
            documents=tuple(self.documents),
            within=self.within,
            sets=tuple(self.sets),
            conditions=tuple(map(FieldCondition.of_record, self.conditions)),
            query=self.query,
            quotes=tuple(self.quotes),
        )


def _can_be_compared(comparison: str, wanted: Sequence[Any]) -> bool:
    """Say whether the wanted values of a condition fit its comparison."""
    if not wanted:
        return False
    if comparison == "contains":
        return isinstance(wanted[0], str)
    if comparison == "==":
        allowed = (str, int, float, bool, NoneType)
        return all(isinstance(one, allowed) for one in wanted)
    is_known = comparison in _COMPARISONS or comparison == "at_most"
    return is_known and is_number(wanted[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDemands:
    """What a test demands of a case.

    The weight, the tags and the judgments of the case are not among the demands.

    Attributes:
        k: the cutoff.
        min_ndcg: the floor; None for none.
        tolerance: how far nDCG@k may drop below the accepted score.
        expect: the expectations that apply.
        skip: why the case is skipped; None if it is not.
        xfail: why it is expected to fail; None if it is not.
        is_strict: whether the case fails if it passes although it is expected to fail.
        marks: by key of `MARK_LIMITS`, what else the marks of `skip` and `xfail` say.
        settings: by key of the case file, what else decides how the case is searched
            and scored. Keys with their default are not there.

    Raises:
        ValueError: the cutoff is not one, or a figure is not finite.
    """

    k: int = 10
    min_ndcg: float | None = None
    tolerance: float = DEFAULT_TOLERANCE
    expect: Sequence[RecordedExpectation] = ()
    skip: str | None = None
    xfail: str | None = None
    is_strict: bool = False
    marks: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError if the cutoff or a figure is not possible."""
        if not 1 <= self.k <= LARGEST_CUTOFF:
            raise ValueError(f"k: {self.k} is not a cutoff")
        for name in ("min_ndcg", "tolerance"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"{name}: {value!r} is not a number from 0 to 1")


OwnDemands = tuple[str, str | None, Mapping[str, Any]]
"""A case whose demands differ from those of its suite: its id, its variant, and what
`own_demands` returns.
"""


@dataclass(frozen=True, slots=True)
class FileDemands:
    """What a case file demands: of its cases by default, and as a whole.

    `suite`: what a case demands if it says nothing else.
    `gates`: the gates of the file.
    `samples`: what was drawn from its files of queries.
    """

    suite: CaseDemands = CaseDemands()
    gates: Sequence[Gate] = ()
    samples: Sequence[Sample] = ()


EXPECT, GATE, LEFT_GATE = "expect", "gate", "left_gate"
JUDGMENTS, PASSAGES, TAGS, WEIGHT = "judgments", "passages", "tags", "weight"
SKIP, XFAIL, SAMPLE = "skip", "xfail", "sample"
"""The keys of changes that are no key of the settings of a case."""


@dataclass(frozen=True, slots=True)
class DemandChange:
    """A difference between what a test demands and what its reference demanded.

    Attributes:
        key: the key of the case file, or `gate`. `left_gate` if cases moved away from
            the gate `before`, to a file that has none as strict. The values of `sample`
            are {file: its name, n: ...}, with other keys of the sample.
        before: the value in the reference, as JSON has it; None if it had none.
        now: the value now; None if it has none.
        cases: the ids of the cases for which it changed; none for a gate.
        is_looser: whether something may pass now that failed then.
        error: what the kind of the expectation or gate raised, if that is why the
            change counts as looser; usually empty.
    """

    key: str
    before: Any = None
    now: Any = None
    cases: Sequence[str] = ()
    is_looser: bool = True
    error: str = ""


def check_changes(changes: Iterable[DemandChange]) -> None:
    """Raise ValueError if what changed cannot be read as an expectation or a gate."""
    for change in changes:
        kinds = {
            EXPECT: RecordedExpectation,
            GATE: Gate,
            LEFT_GATE: Gate,
        }
        kind: Any = kinds.get(change.key)
        if kind is None:
            continue
        if change.before is None and change.now is None:
            raise ValueError(f"{change.key}: neither before nor now has a value")
        for value in (change.before, change.now):
            if value is not None:
                decode(kind, value)


# --- from a case file -----------------------------------------------------------------


class DemandsOfSuite:
    """Makes the demands of the cases of a suite.

    `suite`: what a case demands if it says nothing else.

    Cases that demand the same share an object.
    """

    def __init__(self, terms: Terms, *, tolerance: float) -> None:
        """Take the terms of a suite, and the tolerance of the project."""
        self._tolerance = tolerance
        self._settings: dict[int, tuple[Terms, Mapping[str, Any]]] = {}
        self._expected: dict[
            tuple[Expectation, ...], tuple[RecordedExpectation, ...]
        ] = {}
        self.suite = self._of_terms(terms, floor=terms.min_ndcg, expect=terms.expect)

    def of(self, case: Case, marks: MarksOfCase = NO_MARKS) -> CaseDemands:
        """Return what a case demands; the object `suite` if it demands the same."""
        found = self._of_terms(case.terms, floor=case.min_ndcg, expect=case.expect)
        of_case = _settings_of_case(case)
        if of_case:
            found = replace(found, settings={**found.settings, **of_case})
        if marks != NO_MARKS:
            found = replace(
                found,
                skip=marks.skip,
                xfail=marks.xfail,
                is_strict=marks.is_strict,
                marks=marks.limits,
            )
        return self.suite if found == self.suite else found

    def _of_terms(
        self, terms: Terms, *, floor: float | None, expect: tuple[Expectation, ...]
    ) -> CaseDemands:
        """Return the demands of terms. Equal settings share an object."""
        settings = self._shared_settings(terms)
        if _depends_on_scale(expect, terms.gates):
            settings = {**settings, **_top_of_scale(terms)}
        tolerance = terms.tolerance
        return CaseDemands(
            k=terms.k,
            min_ndcg=floor,
            tolerance=self._tolerance if tolerance is None else tolerance,
            expect=self._recorded(expect),
            settings=settings,
        )

    def _recorded(
        self, expect: tuple[Expectation, ...]
    ) -> tuple[RecordedExpectation, ...]:
        """Return expectations as records keep them. Equal ones share an object."""
        if expect not in self._expected:
            recorded = tuple(map(RecordedExpectation.of, expect))
            self._expected[expect] = recorded
        return self._expected[expect]

    def _shared_settings(self, terms: Terms) -> Mapping[str, Any]:
        """Return the settings of terms, made once for all cases with these terms."""
        known = self._settings.get(id(terms))
        if known is None:
            known = self._settings[id(terms)] = terms, _settings_of(terms)
        return known[1]


_NOT_SETTINGS = frozenset({"undefined", "max_grade", "gains"})
"""The fields of `Settings` that no case file sets."""


def _settings_of(terms: Terms) -> dict[str, Any]:
    """Return {key: value} for settings by which a case is searched and scored.

    Settings with their default are left out.
    """
    found: dict[str, Any] = {}
    usual = Settings()
    for one in fields(Settings):
        value = getattr(terms.settings, one.name)
        if one.name not in _NOT_SETTINGS and value != getattr(usual, one.name):
            found[one.name] = encode(value)
    for name in ("search", "depth", "ties", "id_field", "text_field", "min_judged"):
        value = getattr(terms, name)
        if value != getattr(_USUAL_TERMS, name):
            found[name] = encode(value)
    if terms.settings.ideal == "max":
        found |= _top_of_scale(terms)
    return found


_USUAL_TERMS = Terms()


def _settings_of_case(case: Case) -> dict[str, Any]:
    """Return the settings that only a case has: its fixtures and its filled grades."""
    found: dict[str, Any] = {}
    if case.usefixtures:
        found["usefixtures"] = [*case.usefixtures]
    if case.filled:
        found[FILLED] = digest_of(dict.fromkeys(case.filled, 0))
    return found


def _depends_on_scale(expect: Iterable[Expectation], gates: Iterable[Gate]) -> bool:
    """Say whether the highest grade changes a score of an expectation or a gate."""
    metrics = [one.metric for one in expect if one.metric is not None]
    for gate in gates:
        metrics += gate.metrics
    for metric in metrics:
        measure = None if metric.is_own else MEASURES.get(metric.measure)
        if measure is not None and "max_grade" in measure.depends_on:
            return True
    return False


def _top_of_scale(terms: Terms) -> dict[str, Any]:
    """Return {SCALE: highest grade}, for scores that depend on the highest grade."""
    return {SCALE: terms.settings.max_grade}


# --- what differs from the suite ------------------------------------------------------


def own_demands(demands: CaseDemands, suite: CaseDemands) -> dict[str, Any]:
    """Return the demands of a case that differ from those of its suite, as JSON values.

    Empty if none differs. `expect` has the expectations that differ. `without` has the
    names of expectations of the suite that the case lacks. In `settings` null is the
    default.
    """
    if demands is suite:
        return {}
    own: dict[str, Any] = {}
    for one in fields(CaseDemands):
        value = getattr(demands, one.name)
        usual = getattr(suite, one.name)
        if value == usual:
            continue
        if one.name == "expect":
            own |= _own_expectations(value, usual)
        elif one.name == "settings":
            own["settings"] = _own_settings(value, usual)
        else:
            own[one.name] = value
    return own


def _own_expectations(
    expect: Sequence[RecordedExpectation], usual: Sequence[RecordedExpectation]
) -> dict[str, Any]:
    """Return the expectations of a case that differ from the usual ones of its suite.

    `without`: the keys of the suite that the case does not have.
    """
    of_case, of_suite = _by_key(expect), _by_key(usual)
    own = []
    for key, expected in of_case.items():
        if expected != of_suite.get(key):
            own += [encode(one) for one in expected]
    without = [key for key in of_suite if key not in of_case]
    found: dict[str, Any] = {}
    if own:
        found["expect"] = own
    if without:
        found["without"] = without
    return found


def _by_key(
    expect: Iterable[RecordedExpectation],
) -> dict[str, list[RecordedExpectation]]:
    found: dict[str, list[RecordedExpectation]] = {}
    for expected in expect:
        found.setdefault(expected.key, []).append(expected)
    return found


def _own_settings(
    settings: Mapping[str, Any], usual: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the settings of a case that differ; None for a default."""
    own = {}
    for name in sorted({*settings, *usual}):
        if settings.get(name) != usual.get(name):
            own[name] = settings.get(name)
    return own


def with_own_demands(suite: CaseDemands, own: Mapping[str, Any]) -> CaseDemands:
    """Return the demands of a case, made of the demands of its suite and its own ones.

    `own`: what `own_demands` returns. A setting that is null there is one that only the
        suite has.

    Raises `DecodeError` for a value that is not allowed.
    """
    if not own:
        return suite
    values = encode(suite)
    of_case = decode(_OwnExpectations, own)
    replaced = {*of_case.without, *(one.key for one in of_case.expect)}
    kept = [one for one in suite.expect if one.key not in replaced]
    values["expect"] = encode([*kept, *of_case.expect])
    settings = own.get("settings", {})
    if not isinstance(settings, Mapping):
        message = f"expected an object, found {shown(settings)}"
        raise DecodeError(message, ("settings",))
    merged = {**values.get("settings", {}), **settings}
    values["settings"] = {
        name: value for name, value in merged.items() if value is not None
    }
    for name, value in own.items():
        if name not in ("expect", "without", "settings"):
            values[name] = value
    return decode(CaseDemands, values)


def read_demands(suite: CaseDemands, own: object) -> CaseDemands | None:
    """Return the demands of a case, read from a line of a baseline; None if not known.

    `suite`: the demands of its suite.
    `own`: what the line has under `demands`: an object as `own_demands` makes it, or
        None (null) if the demands are not known.

    Raises `DecodeError` for a value that is not allowed.
    """
    if own is None:
        return None
    if not isinstance(own, Mapping):
        raise DecodeError(f"expected an object, found {shown(own)}", ("demands",))
    try:
        return with_own_demands(suite, own)
    except DecodeError as error:
        raise error.below("demands") from None


@dataclass(frozen=True, slots=True)
class _OwnExpectations:
    """The expectations of a case, and the names of the suite's that the case lacks."""

    expect: Sequence[RecordedExpectation] = ()
    without: Sequence[str] = ()


def demands_of_cases(
    suite: CaseDemands, own: Iterable[OwnDemands]
) -> dict[tuple[str, str | None], CaseDemands]:
    """Return {(id, variant): demands}, for cases that differ from their suite."""
    found = {}
    for case, variant, values in own:
        found[case, variant] = with_own_demands(suite, values)
    return found
