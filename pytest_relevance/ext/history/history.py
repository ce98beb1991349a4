"""Read recorded runs of a suite in the order of their start.

Records are read one after the other. Only the figures of each run and the last result
of each case are kept. A case is compared with its last result that has a ranking. So a
change is seen even if the search of the case failed in a run between.

Nothing is scored again, because a record lacks the grades of documents that only other
runs returned. If the judgments, the settings or the query of a case changed from one
run to the next, there is a break: there the case is not counted as worse or better. The
means before a break and after it cannot be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from pytest_relevance.ext.history.points import CaseKey, LastResult, Point
from pytest_relevance.ext.history.series import Series, series_of
from pytest_relevance.gates.judging import GateResult, judge_gates
from pytest_relevance.reports.run.replayed import no_search_text
from pytest_relevance.results.case_result import FAILED, CaseResult
from pytest_relevance.results.records.fingerprint import Fingerprint, changed
from pytest_relevance.results.records.record_file import (
    Record,
    RecordHeader,
    read_header,
    read_record,
)
from pytest_relevance.results.records.recorded_demands import DemandsOfFiles
from pytest_relevance.results.records.run_info import (
    DrawnQueries,
    RecordError,
    file_names,
)

_PROGRAM = "pytest-relevance history"


@dataclass(frozen=True, slots=True)
class History:
    """The figures of several runs: a series for each variant of the search.

    `starts`: when the runs began (ISO 8601).
    `left_out`: {path of a record, or name of a variant: why it was left out}.
    `drawn`: {case file: the queries that the last run drew}, for files that draw some.
    """

    series: Sequence[Series]
    starts: Sequence[str]
    left_out: Mapping[str, str]
    drawn: Mapping[str, DrawnQueries] = field(default_factory=dict)


def read_history(paths: Iterable[str]) -> History:
    """Return the history in the records at `paths`.

    The gates are judged for the newest record. Raises `RecordError` if no record can be
    used, or if no case is in all of them.
    """
    left_out: dict[str, str] = {}
    headers = _usable_headers(paths, left_out)
    runs = _Runs(headers, left_out)
    for name in sorted(headers, key=lambda name: (headers[name].run.started, name)):
        runs.read(name)
    if runs.newest is None:
        why = (
            "there is no record of a complete run; pytest --relevance-record=FILE "
            "writes one"
        )
        raise RecordError.at(_PROGRAM, "\n- ".join([why, *left_out.values()]))
    all_series = _all_series(runs, runs.newest)
    if not all_series:
        raise RecordError.at(
            _PROGRAM,
            f"no case was searched in all {len(runs.points)} runs: name the runs of one "
            "suite, and merge the records of shards first",
        )
    starts = [headers[name].run.started for name in runs.points]
    drawn = {}
    for file, info in sorted(runs.newest.files.items()):
        if info.drawn is not None:
            drawn[file] = info.drawn
    return History(all_series, starts=starts, left_out=left_out, drawn=drawn)


def _usable_headers(
    paths: Iterable[str], left_out: dict[str, str]
) -> dict[str, RecordHeader]:
    """Return {path: header} of the usable records.

    `left_out`: {path: why the record is not usable}. Other records are added to it.
    """
    headers = {}
    for name in paths:
        try:
            header = read_header(name)
        except RecordError as error:
            left_out[name] = str(error)
            continue
        why = _why_unusable(header)
        if why:
            left_out[name] = f"{name}: {why}"
        else:
            headers[name] = header
    return headers


def _why_unusable(header: RecordHeader) -> str:
    """Return why a record is not usable; "" if it is usable.

    A record is not usable if it is of a replay, if the run is not complete, or if the
    start of the run is not known.
    """
    if header.run.replayed is not None:
        return no_search_text(header.run.replayed)
    if header.run.why_incomplete:
        return f"the run is not complete, {header.run.why_incomplete}"
    if not header.run.started:
        return "it does not say when the run began"
    return ""


def _all_series(runs: _Runs, newest: Record) -> list[Series]:
    """Return a series for each variant whose runs have cases in common.

    Other variants are added to `left_out` of `runs`.

    `newest`: the record of the last run, whose gates are judged.
    """
    require = newest.info.requires_gates
    gates = judge_gates(newest.results, newest.files, require=require)
    all_series = []
    for variant in runs.variants():
        unmet = _unmet(gates, variant, runs.variants_of_last())
        points = runs.points_of(variant)
        series = series_of(
            variant,
            points,
            runs.last_of(variant),
            unmet,
            partial(runs.read_again, variant),
        )
        if series is None:
            label = variant or "no variant"
            why = f"{label}: no case was searched in all its runs"
            runs.left_out[str(variant)] = why
        else:
            all_series.append(series)
    return all_series


def _unmet(
    gates: Sequence[GateResult], variant: str | None, in_last: Collection[str | None]
) -> list[str]:
    """Return the names of the gates that a variant missed in the last run.

    `in_last`: the variants of the last run. A gate that belongs to none of them counts
        for every variant.
    """
    if variant not in in_last:
        return []
    unmet = []
    for gate in gates:
        is_of_variant = gate.variant == variant or gate.variant not in in_last
        if is_of_variant and gate.outcome() == FAILED:
            unmet.append(f"{gate.file}: {gate.name}")
    return unmet


class _Runs:
    """The runs that were read so far, in the order of their start.

    `points`: {path of the record: {variant: figures}}.
    `newest`: the record of the last run; None if none was read.
    `left_out`: {path of a record: why it was left out}.
    """

    def __init__(
        self, headers: Mapping[str, RecordHeader], left_out: dict[str, str]
    ) -> None:
        self.points: dict[str, dict[str | None, Point]] = {}
        self.newest: Record | None = None
        self.left_out = left_out
        self._name_of = file_names([header.files for header in headers.values()])
        self._starts = Counter(header.run.started for header in headers.values())
        self._last: dict[str | None, dict[CaseKey, LastResult]] = {}
        self._known: dict[int, str] = {}
        self._fingerprint: Fingerprint = {}
        self._read_last: tuple[str, Record] | None = None

    def read(self, name: str) -> None:
        """Read the next record, and add its run.

        If the record cannot be read, or its run was added already, it is added to
        `left_out`.
        """
        try:
            record = read_record(name)
        except RecordError as error:
            self.left_out[name] = str(error)
            return
        same = self._same_run(name, record)
        if same is None:
            self._add(name, record)
            self.newest = record
        else:
            self.left_out[name] = f"{name}: the same run as {same}"

    def _same_run(self, name: str, record: Record) -> str | None:
        """Return the name of an earlier record of the same run, or None.

        Two records are of the same run if the starts and the figures of all cases are
        equal.
        """
        if self._starts[record.info.started] < 2:
            return None
        figures: list[object] = [record.info.started]
        for result in record.results:
            figures.append(
                (result.key, result.verdict, result.score, result.call.latency)
            )
        # different runs hardly ever have equal figures by chance
        same = self._known.setdefault(hash(tuple(figures)), name)
        return None if same == name else same

    def _add(self, name: str, record: Record) -> None:
        """Add the figures of a run, and compare its cases with their last results."""
        info = record.info
        searched = self._new_in(info.fingerprint)
        demands = DemandsOfFiles(record.files)
        points: dict[str | None, Point] = {}
        for key, result in self._with_keys(record.results):
            variant = result.variant
            if variant not in points:
                points[variant] = Point(
                    name=name,
                    started=info.started,
                    fingerprint=info.fingerprint,
                    searched=searched,
                )
            last = self._last.setdefault(variant, {})
            now = LastResult(result, demands.of_file(result.file))
            if points[variant].add(key, last.get(key), now):
                last[key] = now.following(last.get(key))
        for point in points.values():
            point.moves.sort(key=lambda move: move.difference)
        self.points[name] = points
        self._fingerprint = info.fingerprint or self._fingerprint

    def _with_keys(
        self, results: Iterable[CaseResult]
    ) -> Iterator[tuple[CaseKey, CaseResult]]:
        """Yield (key, result) for each result. The key is unique in a variant."""
        checks: Counter[tuple[str | None, str, str]] = Counter()
        for result in results:
            file = self._name_of(result.file)
            check = (result.variant, file, result.id)
            yield (file, result.id, checks[check]), result
            checks[check] += 1

    def _new_in(self, fingerprint: Fingerprint) -> Fingerprint:
        """Return the parts of a fingerprint that differ from the run before.

        For the first run, return all parts.
        """
        if not self._fingerprint:
            return fingerprint
        differences = changed(self._fingerprint, fingerprint)
        return {name: values[1] for name, values in differences.items()}

    def read_again(
        self, variant: str | None, point: Point
    ) -> dict[CaseKey, CaseResult]:
        """Read the record of a run again, and return {case: result} of one variant.

        One record is kept in memory, so that it is not read for each of its variants.
        """
        if self._read_last is None or self._read_last[0] != point.name:
            self._read_last = (point.name, read_record(point.name))
        _, record = self._read_last
        results = {}
        for key, result in self._with_keys(record.results):
            if result.variant == variant:
                results[key] = result
        return results

    def variants(self) -> list[str | None]:
        """Return the variants of all runs, variants of the last run first."""
        variants: dict[str | None, None] = {}
        for points in reversed(self.points.values()):
            variants |= dict.fromkeys(points)
        return list(variants)

    def variants_of_last(self) -> list[str | None]:
        """Return the variants of the last run."""
        last = list(self.points)[-1]
        return list(self.points[last])

    def points_of(self, variant: str | None) -> list[Point]:
        """Return the figures of a variant in each run that has the variant."""
        return [points[variant] for points in self.points.values() if variant in points]

    def last_of(self, variant: str | None) -> Mapping[CaseKey, LastResult]:
        """Return the last result of each case of a variant."""
        return self._last.get(variant, {})
