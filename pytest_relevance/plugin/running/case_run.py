"""`CaseRun`: a case on its pytest item, from collection to its last report."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.cases.expect import names_of_keys
from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.metric import MetricError, MetricFunction
from pytest_relevance.metrics.names import own_metrics
from pytest_relevance.plugin.exceptions import CaseError, error_text
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.plugin.run_settings import RunSettings
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.results.case_parts import (
    CaseCall,
    CaseOrigin,
    Repeats,
    SearchError,
)
from pytest_relevance.results.case_result import CHECK, CaseResult
from pytest_relevance.results.responses.iterators import MOST_READ
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.scoring import CaseInRun

if TYPE_CHECKING:
    from pytest_relevance.results.records.baseline import Baseline

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


Timed = tuple[Ranking, float | None]
"""A ranking, and the latency of its call in seconds; None if it could not be
measured.
"""


@dataclass(frozen=True, slots=True)
class Searched:
    """What the calls of a search for one case returned, or the exception of a call.

    `rankings`: the ranking of each call, with its latency.
    `error`: the exception; None if there is none.
    `answer`: the first response, before it was read.
    `calls`: how often the search was called.
    `asked`: how many results were requested as `k`; None if the search takes no `k`.
    `concurrency`: how many searches ran at the same time.
    `is_shared`: whether the latency is the case's share of the latency of a batch.
    `is_recorded`: whether no search was called, and all this is from a record.
    `default_k`: of a recorded search, the default of its parameter `k`, if it is known.
    """

    rankings: Sequence[Timed] = ()
    error: BaseException | None = None
    answer: object = None
    calls: int = 1
    asked: int | None = None
    concurrency: int = 1
    is_shared: bool = False
    is_recorded: bool = False
    default_k: int | None = None


@dataclass(slots=True, eq=False)
class Attempt:
    """The state of one attempt at a case. A rerun is a new attempt.

    Attributes:
        is_running: whether the test function of the case is being called.
        pending: what the hook `pytest_relevance_search` returned, if it was called
            before the test function.
        is_called: whether the hook was called.
        searched: what the search returned.
        is_read: whether the response was read as a ranking.
        repeats: how the responses of repeated calls differ.
        loop: the event loop of another plugin that the case runs in; None without one.
        result: the result, if the case was scored.
        error: the exception of this plugin that ended the attempt.
    """

    is_running: bool = False
    pending: Searched | Awaitable[Searched] | None = None
    is_called: bool = False
    searched: Searched = Searched()
    is_read: bool = False
    repeats: Repeats | None = None
    loop: Any = None
    result: CaseResult | None = None
    error: BaseException | None = None


@dataclass(slots=True, eq=False, repr=False)
class CaseRun:
    """A case in one variant, or a check of a test in Python, with its pytest item.

    Attributes:
        file: the name of the case file in messages.
        path: the path of the case file, which pytest shows for a skipped case.
        is_check: whether it is a check of a test in Python.
        place: the position of the item among the items of all files as collected, from
            0.
        variant: the name of the variant; None if the search has none.
        variant_index: the number of the variant among those of the case, from 0.
        variant_parameters: the ids of the parameters that name the variant.
        baseline: what the case is compared with; None if there is nothing.
        items: the names of the items of the case in this variant, if its id and its
            variant do not give them.
        search_folder: the folder that defines the search fixture.
        properties: the JUnit properties on the item.
        had_no_xfail: whether no mark `xfail` of the item counted when all cases were
            collected. False also if that is not known.
        ahead: the call of the search that `ext/concurrency` made before the turn of the
            case, until the case takes the outcome; None without such a call.
    """

    case: Case
    item: pytest.Item
    settings: RunSettings
    file: str
    path: str
    is_check: bool = False
    place: int = 0
    variant: str | None = None
    variant_index: int = 0
    variant_parameters: Sequence[str] = ()
    baseline: Baseline | None = None
    items: Sequence[str] = ()
    search_folder: str = ""
    properties: Sequence[tuple[str, object]] = ()
    had_no_xfail: bool = False
    ahead: Any = None
    _attempt: Attempt | None = None

    @property
    def attempt(self) -> Attempt:
        """Return the current attempt, which is made on first use."""
        if self._attempt is None:
            self._attempt = Attempt()
        return self._attempt

    def start_attempt(self) -> bool:
        """Start a new attempt if none is running. Say whether one was started."""
        if self._attempt is not None and self._attempt.is_running:
            return False
        self._attempt = Attempt(is_running=True)
        return True

    def forget_attempt(self) -> None:
        """Forget the current attempt, after its report."""
        self._attempt = None

    @property
    def in_flight(self) -> str:
        """Return the query, if the search was called and has not answered; else ""."""
        attempt = self._attempt
        if attempt is None or not attempt.is_called or attempt.is_read:
            return ""
        query = self.case.query
        return f"a batch with {query}" if attempt.searched.is_shared else query

    @property
    def search_function(self) -> Any:
        """Return the value of the fixture `case.search`. A check has none."""
        assert isinstance(self.item, pytest.Function)
        return self.item.funcargs[self.case.search]

    async def wait(
        self, answer: object, *, most: int = MOST_READ, name: str = "the answer"
    ) -> object:
        """Return an answer, after awaiting it if needed.

        The answer is awaited in the event loop that runs the case, or on the plugin's
        own loop if none does.
        `most`: how many items of an async iterator are read.
        `name`: what the message of an error calls the answer.

        Raises `CaseError` for a check in an event loop if the answer has to be awaited:
        a check is a plain call, and cannot await.
        """
        if not awaiting.is_waiting(answer):
            return answer
        if self.attempt.loop is not None and not self.is_check:
            return await awaiting.wait(answer, most)
        if awaiting.running_loop() is not None:
            awaiting.close_unawaited(answer)
            raise CaseError(
                f"{name} is asynchronous, and a check in an event loop cannot await it",
                pytrace=False,
            )
        return awaiting.wait_between_calls(self.item.config, answer, None, most)

    @property
    def in_run(self) -> CaseInRun:
        """Return what a result takes from the run: its file, variant, params and more.

        Secrets in the params are masked.
        """
        params = self.case.params
        if params:
            params = redaction(self.item.config).values(params)
        search, test = None, ""
        if self.is_check:
            # several tests may check the same query, even on the same line
            search = CHECK
            # not the node id, to which a scheduler may have added a group
            file, _, name = self.item.location
            test = f"{file.replace(os.sep, '/')}::{name}"
        origin = CaseOrigin(
            variant_index=self.variant_index,
            test=test,
            items=tuple(self.items),
            search_folder=self.search_folder,
        )
        return CaseInRun(
            file=self.file.replace(os.sep, "/"),
            node=_without_group(self.item),
            search=search,
            variant=self.variant,
            params=params,
            tolerance=self.settings.tolerance,
            origin=origin,
        )

    def call(
        self, latency: float | None = None, error: SearchError | None = None
    ) -> CaseCall:
        """Return what a result of the current attempt says of the calls of its search.

        `latency`: in seconds; None if it was not measured.
        `error`: the error of a case without a score.
        """
        searched = self.attempt.searched
        is_shared = latency is not None and searched.is_shared
        is_concurrent = latency is not None and not is_shared
        return CaseCall(
            error=error,
            latency=latency,
            latency_shared=is_shared,
            concurrency=searched.concurrency if is_concurrent else 1,
            repeats=self.attempt.repeats,
            is_recorded=searched.is_recorded,
        )


_NOT_COLLECTED = (
    "another plugin replaced the collected item, as anyio does if a conftest marks cases: have "
    "the search request the fixture anyio_backend"
)


def _without_group(item: pytest.Item) -> str:
    """Return the node id of an item without the group of pytest-xdist.

    With `--dist loadgroup` the node id is `...::name@group`.
    """
    nodeid = item.nodeid
    if nodeid.endswith(item.name):
        return nodeid
    start, sign, _ = nodeid.rpartition(f"::{item.name}")
    return f"{start}{sign}" or nodeid


def metrics_of(node: pytest.Item | pytest.Collector) -> Mapping[str, MetricFunction]:
    """Return the project's own metrics for a file or a test: {name: function}.

    The hook `pytest_relevance_metrics` returns them; {} without an implementation.
    Raises `MetricError` if the hook returns anything else or raises SystemExit. Its
    other exceptions are passed on.
    """
    if not node.config.hook.pytest_relevance_metrics.get_hookimpls():
        return {}
    try:
        named = node.ihook.pytest_relevance_metrics()
    except SystemExit as error:  # pytest would end the run
        why = error_text(error, node.config)
        raise MetricError(f"the hook pytest_relevance_metrics raised {why}") from error
    return own_metrics(named, names_of_keys())


IN_FLIGHT = "searches in flight"
"""The subject of the warning that names the searches that Ctrl-C or a timeout ended."""

CASE_RUN = pytest.StashKey[CaseRun]()
"""The case run of an item of a case file."""


def case_run_of(item: pytest.Item) -> CaseRun:
    """Return the case run of an item of a case file.

    Raises `CaseError` if another plugin has replaced the item by one of its own.
    """
    if CASE_RUN not in item.stash:
        raise item_is_not_ours()
    return item.stash[CASE_RUN]


def item_is_not_ours() -> CaseError:
    """Return the error about a case whose item another plugin has replaced."""
    return CaseError(_NOT_COLLECTED, pytrace=False)


class Checks:
    """The checks in one attempt at a test in Python, in all of its threads.

    `runs`: the case run of each check.
    `raised`: the exceptions of checks, each with the task of asyncio that raised it.
    `is_running`: true during the call of the test. A report that comes then is about a
        subtest.
    `are_over`: true after the last report of the test.
    """

    is_running = are_over = False

    def __init__(self) -> None:
        self.runs: list[CaseRun] = []
        self.raised: list[tuple[BaseException, Any]] = []


CHECKS = pytest.StashKey[Checks]()
"""The checks in the current attempt at a test in Python that requests `relevance`."""


def case_runs_of(item: pytest.Item) -> Sequence[CaseRun]:
    """Return the run of a case, or the runs of the checks of a test; else ().

    If a test was run again, these are the checks of the latest attempt.
    """
    if CASE_RUN in item.stash:
        return (item.stash[CASE_RUN],)
    return item.stash[CHECKS].runs if CHECKS in item.stash else ()
