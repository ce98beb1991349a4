"""Look up what results are called, which documents the index does not have, and the fields that expectations look at.

Titles, and what is not in the index, are asked of the project's fixture `relevance_documents`.

The fixture is requested, and its value called, at the end of the call phase of a failing case: its fixtures are still
set up, no event loop runs, and output is captured. The documents of other cases, which only an output at the end of the
run needs, wait until a batch is full, a case fails, or the fixture is torn down; their titles are sent with a later
report. Nothing is requested before that, so that the fixture costs nothing in a run that passes.

No verdict changes because of a title: what goes wrong is a warning of the run, shown once in the summary.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Generator,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

import pytest

from pytest_relevance._problems import FileError
from pytest_relevance._text import listed, quoted
from pytest_relevance.plugin.failures import (
    BaselineFailure,
    CaseError,
    CaseFailure,
    error_text,
)
from pytest_relevance.plugin.options import redaction, settings
from pytest_relevance.plugin.pytest_internals import request_of
from pytest_relevance.plugin.run_store import DOCUMENTS as NAME
from pytest_relevance.plugin.run_store import OTHER_IDS, run_store
from pytest_relevance.plugin.running import case_run
from pytest_relevance.plugin.running.case_run import CASE_RUN, CHECKS, Attempt, CaseRun
from pytest_relevance.results import documents as titles
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.responses.ids import id_text
from pytest_relevance.results.responses.iterators import MOST_READ
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.reading import UnreadableRanking

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_Rows = tuple[dict[str, dict[str, object]], Sequence[str]]
_CATALOGUES: pytest.StashKey[dict[str, _Rows]] = pytest.StashKey()

Wait = Callable[..., Awaitable[object]]
"""Awaits an answer if it has to be awaited, and returns it; a second argument limits the items of an iterator."""

MOST_IDS = 500
"""How many documents are asked for at a time."""

_NO_TITLES = f"documents have no titles from {NAME}"


_FAILURES = (CaseFailure, BaselineFailure)


class _Case(NamedTuple):
    """The result of a case, or of check `number` of an item, whose documents are to be looked up."""

    nodeid: str
    number: int
    result: CaseResult


@dataclass(slots=True, eq=False)
class _Index:
    """The value of the fixture, and what it was asked so far. Each document is asked for once.

    `waiting` are the documents to ask for next, `cases` those whose documents were not all asked for. `loop` is the
    event loop that the last search ran in, if it is another plugin's. `is_broken`: the index failed and is not asked
    again. `values` are its answers for the documents whose fields expectations look at.
    """

    ask: Callable[[list[str]], object]
    documents: titles.IndexDocuments = field(default_factory=titles.IndexDocuments)
    asked: set[str] = field(default_factory=set)
    waiting: dict[str, None] = field(default_factory=dict)
    cases: deque[_Case] = field(default_factory=deque)
    loop: Any = None
    is_broken: bool = False
    values: dict[str, object] = field(default_factory=dict)

    def want(self, case: _Case) -> None:
        """Add the documents of a case that were not asked for yet to `waiting`."""
        new = [
            document
            for document in titles.documents_to_ask(case.result)
            if document not in self.asked
        ]
        self.asked.update(new)
        self.waiting |= dict.fromkeys(new)
        self.cases.append(case)


class DocumentLookup:
    """The hooks that ask for documents, and have later reports send the answers of the index.

    They are registered under the name of the fixture, where any is defined.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._store = run_store(config)
        self._indexes: dict[int, _Index] = {}
        self._without: set[object] = set()

    @pytest.hookimpl(
        wrapper=True, trylast=True
    )  # inner to the wrappers that capture output
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Ask for the documents of the cases that failed in a call, when it has ended."""
        __tracebackhide__ = True
        try:
            result = yield
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException:
            self._look_up(item, case_run.case_runs_of(item))
            raise
        self._look_up(item, case_run.case_runs_of(item))
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Ask for the remaining documents before the fixture, or a fixture that it requests, is torn down."""
        value = yield

        def ask() -> None:
            if (index := self._indexes.pop(id(value), None)) is not None:
                self._ask(index)

        if fixturedef.argname == NAME:
            fixturedef.addfinalizer(ask)  # the last one to be added is called first
        return value

    @pytest.hookimpl(
        tryfirst=True
    )  # before `Reporting` attaches the failing check to the report
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> None:
        """Ask for the documents of a failing check of a subtest."""
        checks = item.stash.get(CHECKS, None)
        if (
            call.excinfo is not None
            and checks is not None
            and checks.is_running
            and case_run.running_loop() is None
        ):
            self._look_up(
                item,
                [run for run in checks.runs if run.attempt.error is call.excinfo.value],
            )

    @pytest.hookimpl(
        tryfirst=True
    )  # before `Reporting` takes what is left to send, and before session fixtures end
    def pytest_sessionfinish(self, exitstatus: int | pytest.ExitCode) -> None:
        """Ask for the documents that are left in a run that was stopped at a failure, before the files are written."""
        if (
            exitstatus != pytest.ExitCode.INTERRUPTED
        ):  # Ctrl-C is not to wait for an answer
            for index in self._indexes.values():
                self._ask(index)
        self._indexes.clear()

    def described(
        self, results: Iterable[CaseResult], documents: Collection[str] = ()
    ) -> list[CaseResult]:
        """Ask for the documents that are left and these, and return results with what the indexes say of theirs."""
        for index in self._indexes.values():
            new = [document for document in documents if document not in index.asked]
            index.asked.update(new)
            index.waiting |= dict.fromkeys(new)
            self._ask(index)
        found = [*results]
        for index in self._indexes.values():
            found = [*map(index.documents.described, found)]
        return found

    async def values(
        self, item: pytest.Item, documents: Sequence[str], wait: Wait
    ) -> Mapping[str, object]:
        """Ask for documents whose fields expectations look at: {document: what the index has of it}.

        Raises `CaseError` if the index cannot be asked.
        """
        index = self._index_of(item)
        if index is None:
            return {}
        try:
            unasked = [
                document
                for document in dict.fromkeys(documents)
                if document not in index.values
            ]
            for start in range(0, len(unasked), MOST_IDS):
                batch = unasked[start : start + MOST_IDS]
                answer = await wait(index.ask(batch.copy()))
                found, _ = titles.read_answer(answer, batch)
                index.documents.add(found)
                index.asked.update(batch)
                index.values |= dict.fromkeys(batch) | {
                    id_text(key) or "": each
                    for key, each in answer.items()  # type: ignore[attr-defined]
                }
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except Exception as error:
            why = f"fields of the results cannot be looked up in {NAME}: {self._why(error)}"
            raise CaseError(redaction(self._config).text(why), pytrace=False) from None
        return {
            document: index.values[document]
            for document in documents
            if index.values[document] is not None
        }

    def _look_up(self, item: pytest.Item, runs: Sequence[CaseRun]) -> None:
        """Ask for the documents that failures name, and collect those of other cases where an output needs them."""
        everything = settings(self._config).details
        wanted = {
            number: run.attempt
            for number, run in enumerate(runs)
            if run.attempt.result is not None
            and (everything or isinstance(run.attempt.error, _FAILURES))
        }
        index = self._index_of(item) if wanted else None
        if index is None or index.is_broken:
            return
        for number, attempt in wanted.items():
            assert attempt.result is not None
            index.want(_Case(item.nodeid, number, attempt.result))
            index.loop = attempt.loop or index.loop
        has_failed = any(
            isinstance(attempt.error, _FAILURES) for attempt in wanted.values()
        )
        self._ask(
            index,
            at_least=1 if has_failed else MOST_IDS,
            nodeid=item.nodeid,
            unsent=wanted,
        )

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
            if not (
                isinstance(error, pytest.FixtureLookupError) and error.argname == NAME
            ):
                self._warn(
                    "fault",
                    f"{_NO_TITLES}: the fixture raised {error_text(error, self._config)}",
                )
            return None
        return self._indexes.setdefault(id(value), _Index(value))

    def _ask(
        self,
        index: _Index,
        *,
        at_least: int = 1,
        nodeid: str = "",
        unsent: Mapping[int, Attempt] | None = None,
    ) -> None:
        """Ask an index for the waiting documents, if they fill a batch or are asked for now, and describe their cases.

        `unsent` are the attempts of an item, `nodeid`, whose results were not sent yet.
        """
        while len(index.waiting) >= at_least and not index.is_broken:
            batch = [*islice(index.waiting, MOST_IDS)]
            for document in batch:
                del index.waiting[document]
            try:
                answer = index.ask([*batch])
                if case_run.is_waiting(answer):
                    answer = case_run.wait_between_calls(
                        self._config, answer, index.loop
                    )
                found, complaints = titles.read_answer(answer, batch)
            except (KeyboardInterrupt, pytest.exit.Exception):
                raise
            except BaseException as error:  # no verdict changes because of a title
                self._give_up(index, self._why(error))
                break
            index.documents.add(found)
            for kind, text in complaints.items():
                self._warn(kind, f"{NAME}: {text}")
        while index.cases and index.waiting.keys().isdisjoint(
            titles.documents_to_ask(index.cases[0].result)
        ):
            case = index.cases.popleft()
            if not index.documents.has_other_ids and (
                unknown := index.documents.unknown_result(case.result)
            ):
                index.documents.has_other_ids = True
                self._store.unsent.warn(
                    OTHER_IDS,
                    f"{NAME} does not know {quoted(unknown)}, which the search returned: does it take the same ids? No "
                    "document is said to be missing from the index",
                )
            described = index.documents.described(case.result)
            attempt = (unsent or {}).get(case.number)
            if case.nodeid != nodeid:
                self._store.unsent.describe(case.nodeid, case.number, described.texts)
            elif (
                attempt is not None and attempt.result is case.result
            ):  # not of an earlier attempt
                attempt.result = described

    def _give_up(self, index: _Index, why: str) -> None:
        index.is_broken = True
        index.waiting.clear()
        self._warn("fault", f"{_NO_TITLES}: {why}")

    def _why(self, error: BaseException) -> str:
        """Return why an index could not be asked."""
        traceback = error.__traceback__
        if (
            isinstance(error, TypeError)
            and traceback is not None
            and traceback.tb_next is None
        ):
            return (
                f"it cannot be called with a list of ids: {error}; write documents(ids)"
            )
        if isinstance(error, titles.UnreadableAnswer):
            return str(error)
        return f"it raised {error_text(error, self._config)}"

    def _warn(self, kind: str, text: str) -> None:
        """Show the first text of each kind once in the summary."""
        self._store.unsent.warn(f"{NAME}: {kind}", redaction(self._config).text(text))


async def completed(
    this: CaseRun, ranking: Ranking, wait: Wait = case_run.wait
) -> Ranking:
    """Return a ranking with all that the expectations of its case look at beyond ids; `wait` awaits answers.

    These are fields, and the rankings of other queries. A field that the search did not return is looked up by itself,
    in `relevance_documents` and then in the catalogue. The search is called for the other query of `same_as`. Both is
    done when the case is scored, and is no part of its latency.

    Raises `CaseError` where a source of fields cannot be asked, and passes on exceptions of the search.
    """
    try:
        if any(expected.query for expected in this.case.expect):
            ranking = await _with_others(this, ranking, wait)
        this.attempt.is_read = True  # an error from here on is none of the search
        lookup: DocumentLookup | None = this.item.config.pluginmanager.get_plugin(NAME)
        if lookup is not None and (
            documents := titles.absent_documents(ranking, this.case.fields)
        ):
            found = await lookup.values(this.item, documents, wait)
            titled = {
                document: {"title": each} if isinstance(each, str) else each
                for document, each in found.items()
            }
            ranking = titles.with_fields(ranking, this.case.fields, titled, NAME)
        if titles.absent_documents(ranking, this.case.fields):
            ranking = _from_catalogue(this, ranking)
    except (CaseError, UnreadableRanking) as problem:
        this.attempt.error = (
            problem
            if isinstance(problem, CaseError)
            else CaseError(str(problem), pytrace=False)
        )
        raise this.attempt.error from None
    return ranking


def completed_now(this: CaseRun, ranking: Ranking) -> Ranking:
    """Do the same as `completed`, outside of any event loop or in a check."""

    async def wait(answer: object, most: int = MOST_READ) -> object:
        if not case_run.is_waiting(answer):
            return answer
        if case_run.running_loop() is not None:
            case_run.close_unawaited(answer)
            raise CaseError(
                f"{NAME} is asynchronous, and a check in an event loop cannot await it",
                pytrace=False,
            )
        return case_run.wait_between_calls(this.item.config, answer, None, most)

    try:
        completed(this, ranking, wait).send(
            None
        )  # it runs to its end, as `wait` never suspends it
    except StopIteration as end:
        found: Ranking = end.value
        return found
    raise AssertionError


async def _with_others(this: CaseRun, ranking: Ranking, wait: Wait) -> Ranking:
    """Call the search for the other queries, with the params and the k of the case; return the ranking with theirs."""
    search, others = this.search, {}
    many = None if callable(search) else case_run.many_of(search)
    asked = case_run.asked_for(many or search, this.case)
    depth = this.case.depth
    for query in dict.fromkeys(
        expected.query for expected in this.case.expect if expected.query
    ):
        terms = replace(this.case.terms, depth=depth)
        other = replace(this.case, query=query, expect=(), terms=terms)
        try:
            response, _ = case_run.call_search(
                many or search, other, asked, [query] if many is not None else None
            )
            response = await wait(response, case_run.most_to_read(other, asked))
            if many is not None:
                response = case_run.only_response(response)
            others[query] = case_run.read_response(
                this.item, other, response, search, asked
            ).ids
        except Exception:
            this.item.add_report_section(
                "call", "same_as", f"the search was called for {quoted(query)}"
            )
            raise
        except CaseError as error:
            raise CaseError(
                f"same_as {quoted(query)}: {error}", pytrace=False
            ) from None
    return replace(ranking, others=others)


def _from_catalogue(this: CaseRun, ranking: Ranking) -> Ranking:
    """Return the ranking with the absent fields that the catalogue of the suite has."""
    columns = this.case.terms.documents
    if columns is None:
        return ranking
    path, name = (
        os.path.normpath(os.path.join(os.path.dirname(file), columns.file))
        for file in (this.path, this.file)
    )
    catalogue = titles.Catalogue(path, name, columns)
    read = this.item.config.stash.setdefault(_CATALOGUES, {})
    if (
        this.file not in read
    ):  # once in each process, with the fields of all cases of the file
        runs = (item.stash.get(CASE_RUN, None) for item in this.item.session.items)
        paths = [
            path
            for run in runs
            if run is not None and run.file == this.file
            for path in run.case.fields
        ]
        try:
            read[this.file] = catalogue.values(
                {part for path in paths for part in (path, path.partition(".")[0])}
            )
        except FileError as error:
            why = f"fields of the results cannot be looked up in the catalogue: {error}"
            raise CaseError(why, pytrace=False) from None
    rows, names = read[this.file]
    there = (f"{catalogue.name} has {listed(names, 'and')}",)
    return titles.with_fields(ranking, this.case.fields, rows, catalogue.name, there)
