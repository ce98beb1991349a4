"""Ask the fixture `relevance_documents` of the project what documents are called, and which the index does not have.

The fixture is requested, and what it returns is called, at the end of the call phase of a failing case: its fixtures
are still set up, no event loop runs, and output is captured. The documents of other cases, which only an output at the
end of the run needs, wait until a batch is full, a case fails, or the fixture is torn down; what they are called is
sent with a later report. Nothing is requested before that, so that the fixture costs nothing in a run that passes.

No verdict changes because of a title: what goes wrong is told once, in the summary.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import pytest

from pytest_relevance._text import quoted, shown
from pytest_relevance.plugin.failures import BaselineFailure, CaseFailure, shown_path, type_name
from pytest_relevance.plugin.options import needs_details, redaction
from pytest_relevance.plugin.private import is_fixture_defined, request_of
from pytest_relevance.plugin.run_store import ATTRIBUTE, OTHER_IDS, run_store
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import IN_CALL, CaseRun, case_runs_of, sendable
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.documents.index import IndexDocuments, UnreadableAnswer, documents_to_ask, read_answer

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


_FIELDS = ("titles", "shown", "not_in_index")
"""The fields of a `CaseResult` that an index is asked for."""


class _Case(NamedTuple):
    """The result of a case, or of the check of this `number` of an item, whose documents an index is asked for."""

    nodeid: str
    number: int
    result: CaseResult


@dataclass(slots=True, eq=False)
class _Index:
    """The value of the fixture, and what it was asked so far. Each document is asked for once.

    `waiting` are the documents to ask for next, `cases` those whose documents were not all asked for. `loop` is the
    event loop that the last search ran in, if it is another plugin's. `is_broken`: it is asked no more.
    """

    ask: Callable[[list[str]], object]
    documents: IndexDocuments = field(default_factory=IndexDocuments)
    asked: set[str] = field(default_factory=set)
    waiting: dict[str, None] = field(default_factory=dict)
    cases: deque[_Case] = field(default_factory=deque)
    loop: Any = None
    is_broken: bool = False

    def want(self, case: _Case) -> None:
        """Have the documents of a case wait that were not asked for yet."""
        new = [document for document in documents_to_ask(case.result) if document not in self.asked]
        self.asked.update(new)
        self.waiting |= dict.fromkeys(new)
        self.cases.append(case)

    def batch(self) -> list[str]:
        """Take the documents to ask for next."""
        batch = [*islice(self.waiting, MOST_IDS)]
        for document in batch:
            del self.waiting[document]
        return batch

    def finished(self) -> Iterator[_Case]:
        """Take the cases whose documents were all asked for."""
        while self.cases and self.waiting.keys().isdisjoint(documents_to_ask(self.cases[0].result)):
            yield self.cases.popleft()


class DocumentLookup:
    """The hooks that ask for documents, and attach what the index says of them to reports."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._indexes: dict[int, _Index] = {}
        self._without: set[object] = set()
        self._told: set[str] = set()
        self._unsent: dict[str, str] = {}
        self._described: list[_Case] = []

    @pytest.hookimpl(wrapper=True, trylast=True)  # inner to the wrappers that capture output
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Ask for the documents of the cases that failed in a call, when it has ended."""
        __tracebackhide__ = True
        try:
            result = yield
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException:
            self._look_up(item, case_runs_of(item))
            raise
        self._look_up(item, case_runs_of(item))
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        """Have the documents that are left be asked for before the fixture, and what it requests, is torn down."""
        value = yield
        if fixturedef.argname == NAME:
            fixturedef.addfinalizer(partial(self._close, id(value)))  # the last one to be added is called first
        return value

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
        """Ask for the documents that are left in a run that was stopped at a failure, before the files are written."""
        if hasattr(self._config, "workerinput") or exitstatus == pytest.ExitCode.INTERRUPTED:
            self._indexes.clear()  # what a worker learns now cannot be sent, and Ctrl-C is not to wait for an answer
            return
        for index in self._indexes.values():
            self._ask(index)
        if news := self._taken():
            run_store(self._config).add_documents(news)

    def _look_up(self, item: pytest.Item, runs: Sequence[CaseRun]) -> None:
        """Ask for the documents that failures name, and collect those of other cases where an output needs them."""
        everything = needs_details(self._config.option)
        wanted = {
            number: run
            for number, run in enumerate(runs)
            if run.result is not None and (everything or isinstance(run.error, (CaseFailure, BaselineFailure)))
        }
        index = self._index_of(item) if wanted else None
        if index is None or index.is_broken:
            return
        for number, run in wanted.items():
            assert run.result is not None
            index.want(_Case(item.nodeid, number, run.result))
            index.loop = run.loop or index.loop
        has_failed = any(isinstance(run.error, (CaseFailure, BaselineFailure)) for run in wanted.values())
        self._ask(index, at_least=1 if has_failed else MOST_IDS, unsent=item.nodeid)

    def _index_of(self, item: pytest.Item) -> _Index | None:
        """Return the index that the fixture gives an item; None where there is none, or it cannot be set up."""
        request = request_of(item)
        if request is None or item.parent in self._without:
            return None
        try:
            value = request.getfixturevalue(NAME)
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:  # as in `_ask`
            self._without.add(item.parent)
            if not (isinstance(error, pytest.FixtureLookupError) and error.argname == NAME):
                self._tell("fault", f"{_NO_TITLES}: the fixture raised {self._error_text(error)}")
            return None
        index = self._indexes.setdefault(id(value), _Index(value))
        if not callable(value) and not index.is_broken:
            calling.close_unawaited(value)
            self._give_up(index, f"the fixture is no function but {shown(value)}; return one, documents(ids)")
        return index

    def _close(self, key: int) -> None:
        """Ask for the documents that are left of an index, which is no longer there after this call."""
        index = self._indexes.pop(key, None)
        if index is not None:
            self._ask(index)

    def _ask(self, index: _Index, *, at_least: int = 1, unsent: str = "") -> None:
        """Ask an index for the documents that wait, if these are enough, and describe the cases that name them.

        `unsent` is the node id of an item whose results were not sent yet.
        """
        while len(index.waiting) >= at_least and not index.is_broken:
            batch = index.batch()
            try:
                answer = index.ask([*batch])
                if calling.is_waiting(answer):
                    answer = calling.wait_between_calls(self._config, answer, index.loop)
                found, complaints = read_answer(answer, batch)
            except (KeyboardInterrupt, pytest.exit.Exception):
                raise
            except BaseException as error:  # no verdict changes because of a title
                self._give_up(index, self._why(error))
                break
            index.documents.add(found)
            for kind, text in complaints.items():
                self._tell(kind, f"{NAME}: {text}")
        for case in index.finished():
            self._describe(index.documents, case.result)
            if case.nodeid != unsent:
                self._described.append(case)

    def _describe(self, documents: IndexDocuments, result: CaseResult) -> None:
        if not documents.has_other_ids and (unknown := documents.unknown_result(result)):
            documents.has_other_ids = True
            self._tell(
                OTHER_IDS,
                f"{NAME} does not know {quoted(unknown)}, which the search returned: does it take the same ids? No "
                "document is said to be missing from the index",
            )
        documents.describe(result)

    def _give_up(self, index: _Index, why: str) -> None:
        index.is_broken = True
        index.waiting.clear()
        self._tell("fault", f"{_NO_TITLES}: {why}")

    def _why(self, error: BaseException) -> str:
        """Return why an index could not be asked."""
        traceback = error.__traceback__
        if isinstance(error, TypeError) and traceback is not None and traceback.tb_next is None:
            return f"it cannot be called with a list of ids: {error}; write documents(ids)"
        if isinstance(error, UnreadableAnswer):
            return str(error)
        return f"it raised {self._error_text(error)}"

    def _error_text(self, error: BaseException) -> str:
        """Return the type of an exception, the first line of its message, and its innermost frame."""
        kind = type_name(error)
        text = str(error).partition("\n")[0]
        last = pytest.ExceptionInfo.from_exception(error).traceback[-1]
        return f"{kind}: {text} ({shown_path(last.path, self._config)}:{last.lineno + 1} in {last.name})"

    def _tell(self, kind: str, text: str) -> None:
        """Have a text printed in the summary, the first of each kind."""
        if kind not in self._told:
            self._told.add(kind)
            self._unsent[kind] = redaction(self._config).text(text)

    def _taken(self) -> dict[str, Any] | None:
        """Return what was not sent yet, None for nothing."""
        if not (self._described or self._unsent):
            return None
        cases = [[nodeid, number, result.to_dict(_FIELDS)] for nodeid, number, result in self._described]
        news = {"cases": cases, "told": self._unsent}
        self._described, self._unsent = [], {}
        return news
