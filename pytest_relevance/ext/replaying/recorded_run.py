"""Find the result in a record that belongs to a case of today.

A ranking depends on the search and its variant, the query, the params, the fixtures of
the case, and on how the id of a result is read. It does not depend on the id of the
case, nor on its judgments. So a case that was renamed, and a new case with a query that
the record has, are found too. Case files in other folders may see another search of the
same name, so only results of the same folder are looked at.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_relevance._text import listed, quoted
from pytest_relevance.cases.model import Case
from pytest_relevance.codec import encode
from pytest_relevance.ext.replaying.recorded_search import (
    HOW_TO_RECORD,
    NotInRecord,
    RecordedSearch,
)
from pytest_relevance.metrics.names import metric_named
from pytest_relevance.plugin.item_variants import KnownVariant
from pytest_relevance.results.case_parts import SCORING, SETUP
from pytest_relevance.results.case_result import (
    NOT_SEARCHED,
    SKIPPED,
    CaseResult,
    grouped,
    of_case_files,
)
from pytest_relevance.results.records.entries import with_sorted_keys
from pytest_relevance.results.records.json_lines import as_json
from pytest_relevance.results.records.record_file import Record, read_record
from pytest_relevance.results.records.reference import refusal, silent_searches_of
from pytest_relevance.results.records.run_info import (
    FileInfo,
    RecordError,
    Replayed,
    posix,
)

Params = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CasePlace:
    """The place of a case of today.

    `node`: the node id of its file in pytest, the same wherever pytest is started.
    `file`: the name of its file in messages.
    `variant`: the variant of its search.
    """

    node: str
    file: str
    variant: str | None = None

    @property
    def folder(self) -> str:
        """Return the folder of the file, as in node ids."""
        return posixpath.dirname(self.node)


@dataclass(frozen=True, slots=True)
class _Query:
    """The parts of a case that decide its ranking, without variant and fixtures.

    `folder`: the folder of its file, as in node ids.
    `params`: the params as JSON, in which 1 and true differ, unlike in Python.
    """

    folder: str
    search: str
    query: str
    params: str

    @classmethod
    def of(cls, folder: str, search: str, query: str, params: Params) -> _Query:
        """Return the key of a query, with params as Python values."""
        return cls(folder, search, query, as_json(with_sorted_keys(params)))


class RecordedRun:
    """A record whose rankings are judged again.

    Attributes:
        name: its name in messages.
        record: its content.
        replayed: what the reports of the replay say of it.
        results: its results, without those of tests in Python.
    """

    def __init__(self, record: Record, name: str) -> None:
        self.name = name
        self.record = record
        self.replayed = Replayed(name, record.info.started, record.info.fingerprint)
        self.results = of_case_files(record.results)
        self._keys = {result.key for result in self.results}
        self._file_of_node: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        self._variants: dict[tuple[str, str, str], list[str | None]] = {}
        self._settings: dict[tuple[str, str, str | None], Params] = {}
        for file, info in record.files.items():
            self._add_file(file, info)
        self._by_search = grouped(self.results, self._search_of)
        self._by_query = grouped(self.results, self._query_of)
        self._by_text = grouped(self.results, lambda one: (one.file, one.query))
        self._by_id = grouped(self.results, lambda one: (one.file, one.id))

    def _add_file(self, file: str, info: FileInfo) -> None:
        """Add what the record says of a case file."""
        node = info.node or file
        self._file_of_node[node] = file
        self._folders[file] = posixpath.dirname(node)
        keys = []
        for case, variant, search, *_ in info.cases:
            keys.append((case, variant))
            self._variants.setdefault((file, case, search), []).append(variant)
        for (case, variant), demands in info.demands_of(keys).items():
            self._settings[file, case, variant] = demands.settings

    def _folder_of(self, result: CaseResult) -> str:
        return self._folders.get(result.file, posixpath.dirname(result.file))

    def _search_of(self, result: CaseResult) -> tuple[str, str]:
        return self._folder_of(result), result.search

    def _query_of(self, result: CaseResult) -> _Query:
        folder = self._folder_of(result)
        return _Query.of(folder, result.search, result.query, result.params)

    def file_of(self, place: CasePlace) -> str:
        """Return the name that a case file of today has in the record.

        If the record does not have the file, return its name of today, with `/`.
        """
        return self._file_of_node.get(place.node, posix(place.file))

    @property
    def own_metrics(self) -> list[str]:
        """Return the names of the metrics of the project that the record has."""
        names: dict[str, None] = {}
        for result in self.results:
            names |= dict.fromkeys(result.evaluation.scores)
        for info in self.record.files.values():
            for gate in info.gates:
                names |= dict.fromkeys(metric.text for metric in gate.metrics)
        metrics = [metric_named(name) for name in names]
        own = [metric.measure for metric in metrics if metric.is_own]
        return [*dict.fromkeys(own)]

    # --- variants -----------------------------------------------------------------

    def variants_of(
        self, place: CasePlace, case: Case, params: Params
    ) -> list[KnownVariant]:
        """Return the variants in which a case has to run.

        These are its variants in the record, whether it ran in them or not. For a case
        that the record does not have, they are those of other cases with its query, or
        else those of its search.
        """
        of_search = self._by_search.get((place.folder, case.search), [])
        names = self._variants.get((self.file_of(place), case.id, case.search), [])
        if not names:
            query = _Query.of(place.folder, case.search, case.query, params)
            of_query = self._by_query.get(query, of_search)
            names = [result.variant for result in of_query]
        folder = ""
        index_of: dict[str | None, int] = {}
        for result in of_search:
            folder = result.origin.search_folder
            index_of.setdefault(result.variant, result.origin.variant_index)

        def index(name: str | None) -> int:
            return index_of.get(name, len(index_of))

        ordered = sorted(dict.fromkeys(names or [None]), key=index)
        return [KnownVariant(name, folder) for name in ordered]

    # --- the result of a case -----------------------------------------------------

    def find(self, place: CasePlace, case: Case, params: Params) -> RecordedSearch:
        """Return the recorded search of a case.

        `params`: the params of the case, with secrets masked as in the record.

        Raises `NotInRecord` if the record has no ranking of it.
        """
        query = _Query.of(place.folder, case.search, case.query, params)
        candidates = self._with_query(place, case.id, query)
        if not candidates:
            raise NotInRecord(self._why_absent(place, case, query))
        alike = []
        for result in candidates:
            if not self._why_searched_otherwise(case, result):
                alike.append(result)
        if not alike:
            raise NotInRecord(self._why_searched_otherwise(case, candidates[0]))
        for result in alike:
            self._check_has_ranking(result)
        self._check_one_ranking(alike)
        return RecordedSearch(alike[0], self.name)

    def results_for(self, place: CasePlace, result: CaseResult) -> list[CaseResult]:
        """Return the recorded results whose ranking the case of a result may use.

        This is the recorded result of the case itself. Without it, all recorded results
        with the query, the params and the variant of the case are returned.
        """
        query = _Query.of(place.folder, result.search, result.query, result.params)
        return self._with_query(place, result.id, query)

    def _with_query(
        self, place: CasePlace, case: str, query: _Query
    ) -> list[CaseResult]:
        """Return the recorded results of the case itself, or else all of its query.

        All results are of the variant in `place`. [] if the record has none.

        `case`: the id of the case.
        """
        file = self.file_of(place)
        found = []
        for result in self._by_query.get(query, []):
            if result.variant == place.variant:
                found.append(result)
        own = [result for result in found if (result.file, result.id) == (file, case)]
        return own or found

    def _why_searched_otherwise(self, case: Case, result: CaseResult) -> str:
        """Return why the search of a case may differ from the recorded one.

        "" if the case names the same fixtures, and the same fields for ids and texts.
        """
        before = self._settings.get(result.key, {})
        now = {
            "usefixtures": [*case.usefixtures] or None,
            "id_field": encode(case.terms.id_field),
            "text_field": case.terms.text_field,
        }
        for name, value in now.items():
            if before.get(name) != value:
                was, is_now = _shown_names(before.get(name)), _shown_names(value)
                return (
                    f"{name} was {was} in {self.name} and is {is_now}, so the search "
                    f"may find something else now: {HOW_TO_RECORD}"
                )
        return ""

    def _check_has_ranking(self, result: CaseResult) -> None:
        """Raise `NotInRecord` if a recorded case has no ranking."""
        error = result.call.error
        if error is not None:
            failed = {
                SETUP: "a fixture failed",
                SCORING: "the case could not be scored",
            }
            what = failed.get(error.phase, "the search failed")
            raise NotInRecord(f"{what} in {self.name}: {error.headline}")
        # a case with a ranking has at least nDCG@k, which may be None
        if result.evaluation.scores:
            return
        verdicts = {SKIPPED: "was skipped", NOT_SEARCHED: "was not searched"}
        has_none = verdicts.get(result.verdict, "has no ranking")
        raise NotInRecord(f"the case {has_none} in {self.name}: {HOW_TO_RECORD}")

    def _check_one_ranking(self, candidates: Sequence[CaseResult]) -> None:
        """Raise `NotInRecord` if the rankings of several recorded cases differ.

        Of rankings with different lengths, only the ranks that both have are compared.
        """
        first = candidates[0].ranking.uncollapsed
        for result in candidates[1:]:
            other = result.ranking.uncollapsed
            common = min(len(first), len(other))
            if first[:common] != other[:common]:
                ids = [quoted(each.id) for each in candidates]
                raise NotInRecord(
                    f"{self.name} has several rankings of this query, those of the cases "
                    f"{listed(ids, 'and')}: {HOW_TO_RECORD}"
                )

    def _why_absent(self, place: CasePlace, case: Case, query: _Query) -> str:
        """Return the message for a query that the record has no ranking of."""
        file = self.file_of(place)
        known = self._variants.get((file, case.id, case.search), [])
        has_run = (file, case.id, place.variant) in self._keys
        if place.variant in known and not has_run:
            return f"the case did not run when {self.name} was made: {HOW_TO_RECORD}"
        elsewhere = self._same_file_elsewhere(file)
        if elsewhere:
            return (
                f"{self.name} has no case file {file}; if its {elsewhere} is the same file, "
                f"start where the run started, or give --rootdir; else {HOW_TO_RECORD}"
            )
        what = "this query with these params" if case.params else "this query"
        there = self._what_is_there(file, case, query)
        return f"{self.name} has no ranking of {what}{there}: {HOW_TO_RECORD}"

    def _same_file_elsewhere(self, file: str) -> str:
        """Return the name in the record that seems to be of the same file, or "".

        Names of case files begin at pytest's root folder. A replay that starts in
        another folder may have another root. "" is returned if the record has `file`
        itself, or not exactly one other name.
        """
        if file in self.record.files:
            return ""
        alike = []
        for other in self.record.files:
            if f"/{other}".endswith(f"/{file}") or f"/{file}".endswith(f"/{other}"):
                alike.append(other)
        return alike[0] if len(alike) == 1 else ""

    def _what_is_there(self, file: str, case: Case, query: _Query) -> str:
        """Return what the record has instead of a query, in brackets; "" if nothing."""
        if file not in self.record.files:
            return f" (it has no case file {file})"
        for result in self._by_text.get((file, case.query), []):
            if result.search != query.search:
                return f" (it has one by {result.search})"
            return f" (it has one with {_shown_params(result.params)})"
        for result in self._by_id.get((file, case.id), []):
            return f" (there the query of the case is {quoted(result.query, 60)})"
        return ""


def _shown_names(names: str | Sequence[str] | None) -> str:
    """Return the names of fixtures or fields as text: `german`, or `not set`."""
    if not names:
        return "not set"
    return names if isinstance(names, str) else listed(names, "and")


def _shown_params(params: Params) -> str:
    if not params:
        return "no params"
    return listed([f"{name}={value}" for name, value in params.items()], "and")


# --- reading --------------------------------------------------------------------------


def read_recorded_run(path: str | os.PathLike[str], name: str) -> RecordedRun:
    """Return the record at a path. `name`: its name in messages.

    Raises `RecordError` if it is damaged, or if it cannot be replayed.
    """
    record = read_record(path, name)
    problem = _why_not_replayed(record, name)
    if problem:
        raise RecordError.at(name, problem)
    return RecordedRun(record, name)


def _why_not_replayed(record: Record, name: str) -> str:
    """Return why a record cannot be replayed; "" if it can."""
    info = record.info
    if info.replayed is not None:
        return f"it is a replay itself: replay {info.replayed.name}"
    if info.why_incomplete:
        return (
            f"the run is not complete, {info.why_incomplete}: replay a record of a run "
            "that is"
        )
    searched = of_case_files(record.results)
    if not any(result.evaluation.scores for result in searched):
        return "no case has a ranking: make it again"
    silent = silent_searches_of(searched)
    if silent:
        return refusal(name, silent)
    if any(info.demands is None for info in record.files.values()):
        return (
            "an earlier version made it, which did not keep how cases are searched: "
            "make it again"
        )
    return ""
