"""The hooks that ask the fixture `relevance_documents` for titles and fields.

A document that the fixture does not return is not in the index. The fixture is
requested for two reasons only:

- Reports show titles. The titles of a failing case are asked for at the end of its call
  phase. The fixtures of the case are still set up then, no event loop runs, and output
  is captured. If a report shows all cases, titles are asked for in passing cases too.
  Their documents wait until a batch is full, a case fails, or the fixture is torn down.
  Their titles are sent with a later report. If asking fails, the run warns once, and
  does not ask for titles again. No verdict changes.
- Expectations use fields that the search did not return. The fields are asked for while
  a case is scored, also in passing cases (`pytest_relevance_fields`). If asking fails,
  the case is an error. The next case asks again, because its verdict depends on the
  answer.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from typing import Any

import pytest

from pytest_relevance._text import quoted
from pytest_relevance.ext.documents.answers import IndexDocuments, UnreadableAnswer
from pytest_relevance.ext.documents.index import MOST_IDS, Index, WaitingCase
from pytest_relevance.plugin.exceptions import (
    ENDING,
    BaselineFailure,
    CaseError,
    CaseFailure,
    error_text,
)
from pytest_relevance.plugin.pytest_internals import request_of
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.plugin.run_settings import DOCUMENTS as NAME
from pytest_relevance.plugin.run_settings import settings
from pytest_relevance.plugin.run_store import OTHER_IDS, run_store
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.case_run import (
    CHECKS,
    Attempt,
    CaseRun,
    case_runs_of,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.document_fields import FieldValues

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_NO_TITLES = f"documents have no titles from {NAME}"

_FAILURES = (CaseFailure, BaselineFailure)
"""The exceptions of cases whose reports show documents."""


class DocumentLookup:
    """Hooks that ask for documents, and send the answers with later reports.

    The hooks are registered, as `relevance_documents`, if any test sees a fixture of
    this name.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._store = run_store(config)
        self._indexes: dict[int, Index] = {}
        # case files and modules, in which the fixture is not defined, or has failed
        self._without: set[object] = set()
        self._failed: set[object] = set()

    # trylast: inner to the wrappers that capture output
    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """After the call of a test, ask for the documents of its failing cases."""
        __tracebackhide__ = True
        try:
            result = yield
        except ENDING:
            raise
        except BaseException:
            self._look_up(item, case_runs_of(item))
            raise
        self._look_up(item, case_runs_of(item))
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Make the teardown of the fixture ask for the remaining documents first.

        The fixtures that `relevance_documents` requests are still set up then.
        """
        value = yield

        def ask() -> None:
            index = self._indexes.pop(id(value), None)
            if index is not None:
                self._ask(index)

        if fixturedef.argname == NAME:
            # finalizers are called in reverse order, so this one comes first
            fixturedef.addfinalizer(ask)
        return value

    # tryfirst: before `Reporting` attaches the failing check to the report
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> None:
        """Ask the index for the documents of a check that failed in a subtest.

        Nothing is asked while an event loop runs, because an answer could not be
        awaited.
        """
        checks = item.stash.get(CHECKS, None)
        if call.excinfo is None or checks is None or not checks.is_running:
            return
        if awaiting.running_loop() is not None:
            return
        error = call.excinfo.value
        failing = [run for run in checks.runs if run.attempt.error is error]
        self._look_up(item, failing)

    # tryfirst: before `Reporting` takes what is left to send, and before session
    # fixtures end
    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, exitstatus: int | pytest.ExitCode) -> None:
        """Ask for the remaining documents of a stopped run, before files are written.

        After Ctrl-C nothing is asked.
        """
        if exitstatus != pytest.ExitCode.INTERRUPTED:
            for index in self._indexes.values():
                self._ask(index)
        self._indexes.clear()

    def described(
        self, results: Iterable[CaseResult], documents: Collection[str] = ()
    ) -> list[CaseResult]:
        """Return results with all titles and fields that the indexes have.

        The indexes are asked for the documents that still wait, and for `documents`.
        """
        for index in self._indexes.values():
            index.add_documents(documents)
            self._ask(index)
        described = list(results)
        for index in self._indexes.values():
            described = [index.known.described(result) for result in described]
        return described

    @pytest.hookimpl
    async def pytest_relevance_fields(
        self, case_run: CaseRun, documents: Sequence[str]
    ) -> FieldValues | None:
        """Return the fields of documents in the index; None if there is no index.

        Raises `CaseError` if the fixture fails or the index cannot be asked.
        """
        try:
            index = self._requested_index(case_run.item)
        except ENDING:
            raise
        except BaseException as error:  # one of pytest's own too: `pytest.skip`
            raise self._no_fields(self._why_not_set_up(error)) from None
        if index is None:
            return None
        try:
            complaints = await index.look_up_values(documents, case_run)
        except ENDING:
            raise
        except Exception as error:
            raise self._no_fields(self._why(error)) from None
        self._complain(complaints)
        values = {}
        for document in documents:
            value = index.values[document]
            if isinstance(value, str):
                value = {"title": value}
            if value is not None:
                values[document] = value
        return FieldValues(source=NAME, by_document=values)

    def _look_up(self, item: pytest.Item, runs: Sequence[CaseRun]) -> None:
        """Ask for the titles of documents of an item's cases.

        The documents of failing cases are asked for at once. If a report shows all
        cases, the documents of passing cases wait for others.
        """
        everything = settings(self._config).details
        wanted = {}
        has_failed = False
        for number, case_run in enumerate(runs):
            fails = isinstance(case_run.attempt.error, _FAILURES)
            if case_run.attempt.result is not None and (everything or fails):
                wanted[number] = case_run.attempt
                has_failed |= fails
        index = self._index_for_titles(item) if wanted else None
        if index is None or index.is_broken:
            return
        for number, attempt in wanted.items():
            assert attempt.result is not None
            index.add_case(WaitingCase(item.nodeid, number, attempt.result))
            index.loop = attempt.loop or index.loop
        at_least = 1 if has_failed else MOST_IDS
        self._ask(index, at_least=at_least, nodeid=item.nodeid, unsent=wanted)

    def _no_fields(self, why: str) -> CaseError:
        """Return the error of a case whose fields cannot be looked up."""
        text = f"fields of the results cannot be looked up in {NAME}: {why}"
        return CaseError(redaction(self._config).text(text), pytrace=False)

    def _index_for_titles(self, item: pytest.Item) -> Index | None:
        """Return the index of an item; None without one, or if the fixture failed."""
        if item.parent in self._failed:
            return None
        try:
            return self._requested_index(item)
        except ENDING:
            raise
        except BaseException as error:  # no verdict changes because of a title
            self._failed.add(item.parent)
            self._warn("fault", f"{_NO_TITLES}: {self._why_not_set_up(error)}")
            return None

    def _requested_index(self, item: pytest.Item) -> Index | None:
        """Return the index that the fixture gives an item; None without the fixture.

        Raises what the fixture raises.
        """
        request = request_of(item)
        if request is None or item.parent in self._without:
            return None
        try:
            value = request.getfixturevalue(NAME)
        except pytest.FixtureLookupError as error:
            if error.argname != NAME:  # a fixture that it requests is missing
                raise
            self._without.add(item.parent)
            return None
        return self._indexes.setdefault(id(value), Index(value))

    def _ask(
        self,
        index: Index,
        *,
        at_least: int = 1,
        nodeid: str = "",
        unsent: Mapping[int, Attempt] | None = None,
    ) -> None:
        """Ask for waiting documents, and describe the cases that are complete then.

        The titles go into a result that was not sent yet. The titles of any other
        result are sent with the next report.

        `at_least`: how many documents must wait. With fewer, nothing is asked.
        `unsent`: {number: attempt} of the item `nodeid`, whose results were not sent
            yet.
        """
        while len(index.waiting) >= at_least and not index.is_broken:
            self._ask_for_titles(index)
        for case in index.take_complete_cases():
            self._check_ids(index.known, case.result)
            described = index.known.described(case.result)
            if case.nodeid != nodeid:
                self._store.unsent.describe(case.nodeid, case.number, described.texts)
                continue
            attempt = (unsent or {}).get(case.number)
            # the result may be of an earlier attempt
            if attempt is not None and attempt.result is case.result:
                attempt.result = described

    def _ask_for_titles(self, index: Index) -> None:
        """Ask an index for the titles of the next documents.

        If that fails, the run warns, and the index is not asked for titles again.
        """
        try:
            complaints = index.ask_for_titles(self._config)
        except ENDING:
            raise
        except BaseException as error:  # no verdict changes because of a title
            index.is_broken = True
            index.waiting.clear()
            self._warn("fault", f"{_NO_TITLES}: {self._why(error)}")
            return
        self._complain(complaints)

    def _check_ids(self, documents: IndexDocuments, result: CaseResult) -> None:
        """Warn once if the index does not know a document that the search returned."""
        if documents.has_other_ids:
            return
        unknown = documents.unknown_result(result)
        if unknown:
            documents.has_other_ids = True
            text = (
                f"{NAME} does not know {quoted(unknown)}, which the search returned: "
                "does it take the same ids? So reports do not say which documents "
                "are missing from the index"
            )
            self._store.unsent.warn(OTHER_IDS, text)

    def _why_not_set_up(self, error: BaseException) -> str:
        return f"the fixture raised {error_text(error, self._config)}"

    def _why(self, error: BaseException) -> str:
        """Return why an index cannot be asked, from the exception of the call."""
        if isinstance(error, UnreadableAnswer):
            return str(error)
        return f"it raised {error_text(error, self._config)}"

    def _complain(self, complaints: Mapping[str, str]) -> None:
        """Show in the summary what is wrong with answers, once for each kind."""
        for kind, text in complaints.items():
            self._warn(kind, f"{NAME}: {text}")

    def _warn(self, kind: str, text: str) -> None:
        """Show a text in the summary, if no text of the same kind is shown already."""
        self._store.unsent.warn(f"{NAME}: {kind}", redaction(self._config).text(text))
