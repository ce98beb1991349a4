"""Ask the fixture `relevance_documents` of the project what documents are called, and which the index does not have.

The fixture is requested, and what it returns is called, at the end of the call phase of a failing case: its fixtures
are still set up, no event loop runs, and output is captured. The documents of other cases, which only a file at the end
of the run needs, are collected, and asked for as soon as a batch is full, and before the last teardown. Nothing is
requested before that, so that the fixture costs nothing in a run that passes.

No verdict changes because of a title: what goes wrong is told once, in the summary.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_relevance._text import quoted, shown
from pytest_relevance.plugin.failures import BaselineFailure, CaseFailure, shown_path
from pytest_relevance.plugin.options import needs_details
from pytest_relevance.plugin.private import is_fixture_defined, request_of
from pytest_relevance.plugin.run_store import ATTRIBUTE, run_store
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import IN_CALL, CaseRun, case_runs_of, sendable
from pytest_relevance.results.index_documents import IndexDocuments, UnreadableAnswer, named_documents, read_answer

NAME = "relevance_documents"
"""The name of the fixture."""

MOST_IDS = 500
"""How many documents are asked for at a time."""

_PLUGIN = "relevance-documents"
_NO_TITLES = f"documents have no titles from {NAME}"


def install(session: pytest.Session) -> None:
    """Register the hooks that ask for documents, once, if the fixture is defined anywhere."""
    manager = session.config.pluginmanager
    if not manager.has_plugin(_PLUGIN) and is_fixture_defined(NAME, session):
        manager.register(DocumentLookup(session.config), _PLUGIN)


@dataclass(slots=True, eq=False)
class _Index:
    """The value of the fixture, and what it was asked so far. Each document is asked for once.

    `loop` is the event loop that the last search ran in, if it is another plugin's. `is_broken`: it is asked no more.
    """

    ask: Callable[[list[str]], object]
    documents: IndexDocuments = field(default_factory=IndexDocuments)
    asked: set[str] = field(default_factory=set)
    waiting: list[str] = field(default_factory=list)
    loop: Any = None
    is_broken: bool = False

    def want(self, documents: Iterable[str]) -> None:
        """Collect the documents that were not asked for yet."""
        new = [document for document in documents if document not in self.asked]
        self.asked.update(new)
        self.waiting += new


class DocumentLookup:
    """The hooks that ask for documents, and attach what the index says of them to reports."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._indexes: dict[int, _Index] = {}
        self._without: set[object] = set()
        self._told: set[str] = set()
        self._unsent: dict[str, str] = {}
        self._news = IndexDocuments()
        self._is_last = False

    @pytest.hookimpl(wrapper=True, trylast=True)  # inner to the wrappers that capture output
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Ask for the documents of the cases that failed in a call, when it has ended."""
        __tracebackhide__ = True
        try:
            return (yield)
        finally:
            self._look_up(item, case_runs_of(item))

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_teardown(self, nextitem: pytest.Item | None) -> Generator[None, object, object]:
        """Ask for the documents that are left before the last teardown."""
        if nextitem is None:
            self._is_last = True
            self._ask_for_the_rest()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # registered after `Reporting`, and so the outer one of the two
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach what was learned to the next report. Ask for the documents of a failing check of a subtest."""
        if call.excinfo is not None and item.stash.get(IN_CALL, False) and calling.running_loop() is None:
            self._look_up(item, [run for run in case_runs_of(item) if run.error is call.excinfo.value])
        report = yield
        if news := self._taken():
            values = sendable(news, self._config)
            setattr(report, ATTRIBUTE, {**getattr(report, ATTRIBUTE, {}), "documents": values})
        return report

    @pytest.hookimpl(tryfirst=True)  # the session's fixtures are torn down in this hook
    def pytest_sessionfinish(self, exitstatus: int | pytest.ExitCode) -> None:
        """Ask for the documents that are left in a run that was stopped at a failure, which has no last item."""
        if self._is_last or hasattr(self._config, "workerinput") or exitstatus == pytest.ExitCode.INTERRUPTED:
            return
        self._ask_for_the_rest()
        if news := self._taken():
            run_store(self._config).add_documents(news)

    def _look_up(self, item: pytest.Item, runs: Sequence[CaseRun]) -> None:
        """Ask for the documents that failures name, and collect those of other cases where an output needs them."""
        scored = [run for run in runs if run.result is not None]
        failed = [run for run in scored if isinstance(run.error, (CaseFailure, BaselineFailure))]
        wanted = scored if needs_details(self._config.option) else failed
        index = self._index_of(item) if wanted else None
        if index is None:
            return
        for run in wanted:
            assert run.result is not None
            index.want(named_documents(run.result))
            index.loop = run.loop or index.loop
        self._ask(index, only_full=not failed)
        for run in wanted:
            assert run.result is not None
            if not index.documents.has_other_ids and (unknown := index.documents.unknown_result(run.result)):
                index.documents.has_other_ids = self._news.has_other_ids = True
                self._tell(
                    "other ids",
                    f"{NAME} does not know {quoted(unknown)}, which the search returned: does it take the same ids? No "
                    "document is said to be missing from the index",
                )
        for run in failed:
            assert run.result is not None
            index.documents.describe(run.result)

    def _index_of(self, item: pytest.Item) -> _Index | None:
        """Return the index that the fixture gives an item; None where there is none, or it cannot be set up."""
        request = request_of(item)
        if request is None or item.parent in self._without:
            return None
        try:
            value = request.getfixturevalue(NAME)
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:  # pytest takes a SystemExit for a failure, too
            self._without.add(item.parent)
            if not (isinstance(error, pytest.FixtureLookupError) and error.argname == NAME):
                self._tell("fault", f"{_NO_TITLES}: the fixture raised {self._described(error)}")
            return None
        index = self._indexes.setdefault(id(value), _Index(value))
        if not callable(value) and not index.is_broken:
            calling.close_unawaited(value)
            self._give_up(index, f"the fixture is no function but {shown(value)}; return one, documents(ids)")
        return index

    def _ask_for_the_rest(self) -> None:
        for index in self._indexes.values():
            self._ask(index)

    def _ask(self, index: _Index, *, only_full: bool = False) -> None:
        """Ask an index for the documents that wait, at most `MOST_IDS` at a time; `only_full`: for full batches."""
        least = MOST_IDS if only_full else 1
        while len(index.waiting) >= least and not index.is_broken:
            batch, index.waiting = index.waiting[:MOST_IDS], index.waiting[MOST_IDS:]
            try:
                answer = index.ask([*batch])
                if calling.is_waiting(answer):
                    answer = calling.wait_between_calls(self._config, answer, index.loop)
                found, complaints = read_answer(answer, batch)
            except (KeyboardInterrupt, pytest.exit.Exception):
                raise
            except BaseException as error:
                self._give_up(index, self._why(error))
                return
            index.documents.add(found)
            if needs_details(self._config.option):
                self._news.add(found)
            for kind, text in complaints.items():
                self._tell(kind, f"{NAME}: {text}")

    def _give_up(self, index: _Index, why: str) -> None:
        index.is_broken = True
        index.waiting = []
        self._tell("fault", f"{_NO_TITLES}: {why}")

    def _why(self, error: BaseException) -> str:
        """Return why an index could not be asked."""
        traceback = error.__traceback__
        if isinstance(error, TypeError) and traceback is not None and traceback.tb_next is None:
            return f"it cannot be called with a list of ids: {error}; write documents(ids)"
        if isinstance(error, UnreadableAnswer):
            return str(error)
        return f"it raised {self._described(error)}"

    def _described(self, error: BaseException) -> str:
        """Return the type of an exception, the first line of its message, and its innermost frame."""
        kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
        text = str(error).partition("\n")[0]
        last = pytest.ExceptionInfo.from_exception(error).traceback[-1]
        return f"{kind}: {text} ({shown_path(last.path, self._config)}:{last.lineno + 1} in {last.name})"

    def _tell(self, kind: str, text: str) -> None:
        """Have a text printed in the summary, the first of each kind."""
        if kind not in self._told:
            self._told.add(kind)
            self._unsent[kind] = text

    def _taken(self) -> dict[str, Any] | None:
        """Return what was not sent yet, None for nothing."""
        if not (self._news or self._unsent):
            return None
        news, told, self._news, self._unsent = self._news, self._unsent, IndexDocuments(), {}
        return {**news.to_dict(), "told": told}
