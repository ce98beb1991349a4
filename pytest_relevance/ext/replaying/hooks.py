"""The hooks of a replay: what is collected, and what a record answers for a search."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pytest_relevance._text import quoted
from pytest_relevance.cases.model import Case
from pytest_relevance.ext.replaying.findings import findings
from pytest_relevance.ext.replaying.recorded_run import CasePlace, RecordedRun
from pytest_relevance.ext.replaying.recorded_search import NotInRecord, RecordedSearch
from pytest_relevance.metrics.metric import MetricError
from pytest_relevance.plugin.exceptions import CaseError
from pytest_relevance.plugin.item_variants import KnownVariant
from pytest_relevance.plugin.paths import shown_path
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.plugin.run_settings import ended_well, is_worker, settings
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running.case_run import CaseRun, Searched
from pytest_relevance.results.case_parts import DocumentTexts
from pytest_relevance.results.case_result import CaseResult

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_OURS = "pytest_relevance."
"""How the names of this plugin's modules begin."""

Value = TypeVar("Value")


class Replaying:
    """The hooks that answer with recorded rankings, in the place of searches."""

    def __init__(self, config: pytest.Config, recorded: RecordedRun) -> None:
        self._config = config
        self._recorded = recorded

    # --- what is collected --------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self,
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """Leave out all files but case files.

        A test in Python would import the code of the project.
        """
        collectors = yield
        return [each for each in collectors if type(each).__module__.startswith(_OURS)]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_directory(
        self, path: Path, parent: pytest.Collector
    ) -> pytest.Collector:
        """Collect a folder without importing its `__init__.py`."""
        return pytest.Dir.from_parent(parent, path=path)

    @pytest.hookimpl(tryfirst=True)
    def pytest_relevance_variants(
        self, file: pytest.Collector, case: Case
    ) -> Sequence[KnownVariant]:
        """Return the variants that the record has of a case."""
        place = CasePlace(file.nodeid, shown_path(file.path, self._config))
        return self._recorded.variants_of(place, case, self._masked(case.params))

    @pytest.hookimpl(wrapper=True)
    def pytest_relevance_metrics(
        self,
    ) -> Generator[None, list[Any], list[Any]]:
        """Add the metrics that the record has, and that no installed plugin defines.

        A conftest.py defines such a metric, and a replay loads none. The metric is
        added so that case files that name it can be read. A case that uses it is an
        error.
        """
        tables = yield
        known: set[object] = set()
        for table in tables:
            if isinstance(table, Mapping):
                known.update(table)
        absent = {}
        for name in self._recorded.own_metrics:
            if name not in known:
                absent[name] = _metric_of_conftest(name)
        return [*tables, absent]

    # --- what the record answers --------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_relevance_search(self, case_run: CaseRun) -> Searched:
        """Return what the record has of a case, or the error that it has too little."""
        case = case_run.case
        try:
            self._check_fields(case)
            search = self._search_of(case_run, case)
            searched = search.searched(case)
            others = self._others(case_run)
            case_run.attempt.repeats = search.result.call.repeats
        except NotInRecord as error:
            problem = CaseError(str(error), pytrace=False)
            return Searched(error=problem, is_recorded=True)
        if not others:
            return searched
        ((ranking, latency),) = searched.rankings
        with_others = replace(ranking, others=others)
        return replace(searched, rankings=[(with_others, latency)])

    def _search_of(self, case_run: CaseRun, case: Case) -> RecordedSearch:
        """Return the recorded search of a case, in the file and variant of `case_run`.

        `case`: the case of `case_run`, or one with another query that it compares.

        Raises `NotInRecord` if the record has none.
        """
        file = case_run.item.parent
        assert file is not None
        place = CasePlace(file.nodeid, case_run.file, case_run.variant)
        return self._recorded.find(place, case, self._masked(case.params))

    def _check_fields(self, case: Case) -> None:
        """Raise `NotInRecord` if an expectation looks at fields of documents."""
        for expected in case.expect_of_fields:
            raise NotInRecord(
                f"{expected.written} looks at fields of documents, and a record has "
                "none: leave the expectation out of the case, or run the case"
            )

    def _others(self, case_run: CaseRun) -> dict[str, Sequence[str]]:
        """Return {query: ranking} of the other queries that a case compares.

        Raises `NotInRecord` if the record has no ranking of one.
        """
        case = case_run.case
        others: dict[str, Sequence[str]] = {}
        for expected in case.expect:
            if not expected.query:
                continue
            terms = replace(case.terms, depth=case.depth)
            other = replace(case, id="", query=expected.query, expect=(), terms=terms)
            try:
                search = self._search_of(case_run, other)
                others[expected.query] = search.ranking(other).ids
            except NotInRecord as error:
                text = f"same_as {quoted(expected.query)}: {error}"
                raise NotInRecord(text) from None
        return others

    @pytest.hookimpl
    def pytest_relevance_texts(
        self, case_run: CaseRun, result: CaseResult
    ) -> DocumentTexts | None:
        """Return what the record knows of the documents of a case.

        None if the record does not have the search of the case.
        """
        try:
            search = self._search_of(case_run, case_run.case)
        except NotInRecord:
            return None
        texts = search.result.texts
        return DocumentTexts(
            titles=_of_documents(texts.titles, result.named),
            shown=_of_documents(texts.shown, result.named),
            explanations=_of_documents(texts.explanations, result.named),
        )

    # --- the end of the run -------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int | pytest.ExitCode
    ) -> None:
        """Keep the findings of the replay for the reports. Some make the run fail."""
        if is_worker(self._config) or not settings(self._config).runs_tests:
            return
        store = run_store(self._config)
        for finding in findings(
            self._recorded, store.results, store.collection.files, store.gates
        ):
            store.notes.keep_finding(finding)
            if finding.fails and ended_well(exitstatus):
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _masked(self, params: Mapping[str, object]) -> Mapping[str, Any]:
        """Return params as a record has them, with secrets masked."""
        return redaction(self._config).values(params) if params else {}


def _of_documents(
    values: Mapping[str, Value], documents: Iterable[str]
) -> dict[str, Value]:
    """Return the values of some documents, as far as they are known."""
    found = {}
    for document in documents:
        if document in values:
            found[document] = values[document]
    return found


def _metric_of_conftest(name: str) -> Callable[..., float]:
    """Return a function in the place of a metric. It raises `MetricError`."""

    def cannot_compute(*_: object) -> float:
        raise MetricError(
            f"{name} is a metric of a conftest.py, and a replay loads none: define it in "
            "an installed plugin of pytest, or run the case"
        )

    return cannot_compute
