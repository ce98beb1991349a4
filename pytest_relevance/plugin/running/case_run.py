"""`CaseRun`: a case on its pytest item, from collection until its result is attached to a report, and its search calls.

A call may be awaited in the event loop of another plugin, or in the plugin's own.

Exceptions of the search are passed on unchanged. Frames of this module are hidden from tracebacks, so that the
traceback of a failing search shows only the search's own code.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import (
    AsyncIterable,
    Awaitable,
    Callable,
    Iterator,
    Mapping,
    Sequence,
)
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

import pytest

from pytest_relevance._text import shown
from pytest_relevance.cases.expect import names_of_keys
from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.metric import MetricError, MetricFunction
from pytest_relevance.metrics.names import LARGEST_CUTOFF, own_metrics
from pytest_relevance.plugin.clock import Moment, now
from pytest_relevance.plugin.failures import CaseError, error_text
from pytest_relevance.plugin.options import RunSettings, redaction
from pytest_relevance.results.case_parts import CaseCall, Repeats, SearchError
from pytest_relevance.results.case_result import CHECK, CaseResult
from pytest_relevance.results.responses.attributes import has_attribute, has_class
from pytest_relevance.results.responses.iterators import (
    MOST_LOOKED_AT,
    MOST_READ,
    read_items,
)
from pytest_relevance.results.responses.labels import declares_ids
from pytest_relevance.results.responses.ranking import Ranking, collapsed, read_ranking
from pytest_relevance.results.responses.reading import UnreadableRanking
from pytest_relevance.results.scoring import CaseInRun

if TYPE_CHECKING:
    import asyncio

    from pytest_relevance.plugin.running.searched import Searched
    from pytest_relevance.results.records.baseline_comparison import Baseline

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


Result = TypeVar("Result")

LOOKS_AFTER = 0.5
"""The limit of a wait for threads, in seconds: on Windows, Ctrl-C does not end a wait without a limit."""


class Attempt:
    """The state of one attempt at a case. The next attempt, such as a rerun, gets a new object.

    What an attempt has not set is the attribute of the class.

    `searched` is what the search returned, or something to await for it, if it was called ahead of the test function.
    `asked` is the number of results requested, `calls` how often the search was called, `answer` the response that was
    scored; `is_read`: it was read as a ranking. `repeats` compares the responses of repeated calls. `concurrency` is how
    many searches ran at a time; `is_shared`: its latency is its share of a batch's latency. `loop` is the event loop of
    another plugin that the case ran in. `is_running` is true during the call of the test function.
    `result` is the result, `error` the exception that ended the attempt;
    `fails_baseline`: the baseline is a reason of the verdict.
    """

    searched: Searched | Awaitable[Searched] | None = None
    asked: int | None = None
    calls: int = 0
    answer: object = None
    is_read: bool = False
    repeats: Repeats | None = None
    concurrency: int = 1
    is_shared: bool = False
    loop: Any = None
    is_running: bool = False
    result: CaseResult | None = None
    error: BaseException | None = None
    fails_baseline: bool = False


@dataclass(slots=True, eq=False, repr=False)
class CaseRun:
    """The run of a case in one variant, or of a check of a test in Python, from collection to its last report.

    `file` is the name of the case file in messages, `path` the name in pytest's own lines. `is_check`: this is a
    check of a test in Python. `place` is the number of the item among those of all files (from 0), in the
    order of collection. `variant_index` is the index of the variant in the case's list of variants
    (from 0), `variant_parameters` are the ids of the parameters that it is named by.
    `items` are the names of its items in this variant, if they do not follow from id and variant. `baseline`
    is the baseline of its file, `search_folder` the folder of its search fixture. `properties` are the JUnit properties
    on the item. `is_searched_ahead`: the search of the case was called with that of another one, before its turn.
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
    is_searched_ahead: bool = False
    _attempt: Attempt | None = None

    @property
    def attempt(self) -> Attempt:
        """The current attempt; a new one where there is none."""
        if self._attempt is None:
            self._attempt = Attempt()
        return self._attempt

    def start_attempt(self) -> bool:
        """Start a new attempt, unless one is running. Whether it was started."""
        if self._attempt is not None and self._attempt.is_running:
            return False
        self._attempt = Attempt()
        self._attempt.is_running = True
        return True

    def forget_attempt(self) -> None:
        """Forget the current attempt, after its report."""
        self._attempt = None

    @property
    def in_flight(self) -> str:
        """The query, if its search was called and has given no ranking yet; else an empty text."""
        attempt = self._attempt
        if attempt is None or not attempt.calls or attempt.is_read:
            return ""
        return (
            f"a batch with {self.case.query}" if attempt.is_shared else self.case.query
        )

    @property
    def search(self) -> Any:
        """The value of the search fixture, which is set up. A check has none."""
        assert isinstance(self.item, pytest.Function)
        return self.item.funcargs[self.case.search]

    async def wait(
        self, answer: object, *, most: int = MOST_READ, name: str = "the answer"
    ) -> object:
        """Await an answer if it has to be awaited: in the event loop of the case, or on another one if none runs.

        At most `most` items of an iterator are read. Raises `CaseError`, with the `name` of what answered, for a check
        in a running event loop, as a check cannot be awaited.
        """
        if not is_waiting(answer):
            return answer
        if self.attempt.loop is not None and not self.is_check:
            return await wait(answer, most)
        if running_loop() is not None:
            close_unawaited(answer)
            raise CaseError(
                f"{name} is asynchronous, and a check in an event loop cannot await it",
                pytrace=False,
            )
        return wait_between_calls(self.item.config, answer, None, most)

    @property
    def in_run(self) -> CaseInRun:
        """What the result has from the run. Secrets among the params are masked."""
        params, search, test = self.case.params, None, ""
        if (
            self.is_check
        ):  # several tests may check the same query, even on the same line
            file, _, name = self.item.location
            search = CHECK
            test = f"{file.replace(os.sep, '/')}::{name}"  # a scheduler may have added a group to the node id
        return CaseInRun(  # without names of arguments, which cost every case more than the tuple
            self.file.replace(os.sep, "/"),
            _without_group(self.item),
            search,
            self.variant,
            redaction(self.item.config).values(params) if params else params,
            self.settings.tolerance,
            self.variant_index,
            test,
            self.items,
            self.search_folder,
        )

    def call(
        self, latency: float | None = None, error: SearchError | None = None
    ) -> CaseCall:
        """The calls of the search in the current attempt; `latency` is in seconds, None where there is none."""
        attempt = self.attempt
        is_shared = latency is not None and attempt.is_shared
        is_concurrent = latency is not None and not is_shared
        return CaseCall(
            error,
            latency,
            is_shared,
            attempt.concurrency if is_concurrent else 1,
            attempt.repeats,
        )


_NOT_COLLECTED = (
    "another plugin made this item in the place of the collected one, as anyio does where a conftest marks cases: have "
    "the search request the fixture anyio_backend"
)


def _without_group(item: pytest.Item) -> str:
    """The node id of an item, without the group that `--dist loadgroup` of pytest-xdist appends: `...::name@group`."""
    nodeid = item.nodeid
    if nodeid.endswith(item.name):
        return nodeid
    start, sign, _ = nodeid.rpartition(f"::{item.name}")
    return f"{start}{sign}" or nodeid


def metrics_of(node: pytest.Item | pytest.Collector) -> Mapping[str, MetricFunction]:
    """Return the metrics of the project's own that the hook `pytest_relevance_metrics` names for a file or a test.

    Raises `MetricError` where the hook returns something else than names of metrics and functions.
    """
    if not node.config.hook.pytest_relevance_metrics.get_hookimpls():
        return {}
    try:
        named = node.ihook.pytest_relevance_metrics()
    except SystemExit as error:  # pytest takes it for its own end
        why = error_text(error, node.config)
        raise MetricError(f"the hook pytest_relevance_metrics raised {why}") from error
    return own_metrics(named, names_of_keys())


CASE_RUN = pytest.StashKey[CaseRun]()
"""The case run of an item of a case file."""


def case_run_of(item: pytest.Item) -> CaseRun:
    """Return the case run of an item of a case file.

    Raises `CaseError` for an item that another plugin made in the place of the collected one.
    """
    if CASE_RUN not in item.stash:
        raise CaseError(_NOT_COLLECTED, pytrace=False)
    return item.stash[CASE_RUN]


LOOP: pytest.StashKey[asyncio.AbstractEventLoop] = pytest.StashKey()
"""The plugin's own event loop."""


class Checks:
    """The checks in one attempt at a test in Python, in all of its threads.

    `raised` are the exceptions of checks, each with the task of asyncio that it was raised in. `is_running` is true
    during the call phase of the test: a report made in that phase is the report of a subtest. `are_over` is true when
    the last report of the test was made.
    """

    is_running = are_over = False

    def __init__(self) -> None:
        self.runs: list[CaseRun] = []
        self.raised: list[tuple[BaseException, Any]] = []


CHECKS = pytest.StashKey[Checks]()
"""The checks in the current attempt at a test in Python that requests `relevance`."""


def case_runs_of(item: pytest.Item) -> Sequence[CaseRun]:
    """Return the case run of an item of a case file, or the checks in the latest attempt of a test in Python."""
    if CASE_RUN in item.stash:
        return (item.stash[CASE_RUN],)
    return item.stash[CHECKS].runs if CHECKS in item.stash else ()


def asked_for(search: Any, case: Case) -> int | None:
    """Return the number of results to request, as the argument `k`; None if the search has no such parameter."""
    return case.depth if _takes_k(search) else None


def most_to_read(case: Case, asked: int | None) -> int:
    """How many results of an iterator are read: one more than the case looks at.

    A case with a measure of the whole ranking looks at 10,000 results. So does a case that looks at documents, if its
    search was not asked for a number of chunks: any number of chunks may be of one document.
    """
    settings = case.terms.settings
    counts_documents = settings.collapse and asked is None and case.terms.depth is None
    if case.looks_at_all or counts_documents:
        return max(case.depth, MOST_LOOKED_AT) + 1
    return case.depth + 1


def call_search(
    search: Any, case: Case, asked: int | None, queries: list[str] | None = None
) -> tuple[object, Moment]:
    """Call the search; return its response, and the moment of the call.

    `queries` are the queries of a batch, instead of the case's own. A generator is read here, as far as the case looks,
    as it does its work only while it is read. The generator of a batch is not: its responses are read one by one.
    Raises `CaseError` where the search cannot be called with these arguments, and passes on every exception of the
    search itself.
    """
    params = case.params
    if params and any(type(value) in (list, dict) for value in params.values()):
        params = deepcopy(
            params
        )  # the suite's own objects: a search that changes them must not affect the next case
    try:
        if asked is not None:
            params = {**params, "k": asked}
        started = now()
        response = search(case.query if queries is None else queries, **params)
    except TypeError as error:
        if (
            error.__traceback__ is not None and error.__traceback__.tb_next is None
        ):  # raised by the call, not in it
            raise CaseError(
                _uncallable(search, case, params, error, queries), pytrace=False
            ) from None
        raise
    if queries is None and inspect.isgenerator(response):
        response = read_items(response, most_to_read(case, asked))
    return response, started


def is_waiting(response: object) -> bool:
    """Whether a response must be awaited or iterated asynchronously."""
    if type(response) in (
        list,
        dict,
    ):  # the usual responses; the check of abstract classes is slow
        return False
    return is_awaitable(response) or _is_read_asynchronously(response)


def is_awaitable(response: object) -> bool:
    """Whether a response can be awaited. An object that does not tell its class cannot."""
    return has_class(response) and inspect.isawaitable(response)


def _is_read_asynchronously(response: object) -> TypeGuard[AsyncIterable[object]]:
    """Whether a response is iterated over asynchronously, and in no other way."""
    if not has_class(response) or not isinstance(response, AsyncIterable):
        return False
    return not hasattr(response, "__iter__")


def read_response(
    item: pytest.Item,
    case: Case,
    response: object,
    search: object,
    asked: int | None,
    *,
    is_check: bool = False,
) -> Ranking:
    """Read a response of `search` as a ranking, with the hook `pytest_relevance_ranking` where the project has it.

    `asked` is how many results the search was asked for, None where it takes no number. `is_check`: a test in Python
    gave the ranking, and `search` is the search fixture if the test requests it. Raises `CaseError` where the response
    cannot be read.
    """
    own = None
    if (
        item.config.hook.pytest_relevance_ranking.get_hookimpls()
    ):  # calling a hook without implementations costs 30 us
        own = item.ihook.pytest_relevance_ranking(response=response, case=case)
    fields, collapses = case.fields if case.expect else {}, case.terms.settings.collapse
    ids = _labels_of(search)
    is_of_search = own is None and not is_check  # else somebody may have used `ids`
    try:
        ranking = read_ranking(
            response if own is None else own,
            case.terms.id_field,
            case.terms.title_field,
            ids,
            dict.fromkeys(fields, LARGEST_CUTOFF)
            if collapses
            else fields,  # of how many results is not known yet
            judged=case.judgments,
            declares_ids=ids is not None and is_of_search and declares_ids(search),
            most=MOST_READ if type(response) is list else most_to_read(case, asked),
            expects_response=any(each.kind == "response" for each in case.expect),
        )
    except UnreadableRanking as problem:
        raise CaseError(str(problem), pytrace=False) from None
    return collapsed(ranking, fields) if collapses else ranking


def _labels_of(search: Any) -> Callable[[], object] | None:
    """Return what gets the attribute `ids` of a search; None for a plain function without one."""
    if type(search) is FunctionType and "ids" not in search.__dict__:
        return None
    return partial(getattr, search, "ids", None)


def many_of(search: Any) -> Any:
    """Return the attribute `many` of a search, a callable; None where it has none, as a mock has."""
    if not has_attribute(search, "many"):
        return None
    many = getattr(search, "many", None)
    return many if callable(many) else None


def only_response(responses: object) -> object:
    """Return the response in what `many` returned for one query. Raises `CaseError` for another number of them."""
    found: list[object] = []
    if isinstance(responses, (list, Iterator)):
        found = read_items(responses, most=2)
    if len(found) != 1:
        raise CaseError(
            f"many returned {shown(responses)} for one query; return one response for each",
            pytrace=False,
        )
    return found[0]


def is_coroutine_function(search: object) -> bool:
    """Whether a search is a coroutine function, or an object with one for its `__call__`."""
    return inspect.iscoroutinefunction(search) or inspect.iscoroutinefunction(
        getattr(search, "__call__", None)  # noqa: B004
    )


def close_unawaited(value: object) -> None:
    """Close a coroutine that nothing will await, so that Python does not warn of it."""
    if inspect.iscoroutine(value):
        value.close()


def _takes_k(search: Any) -> bool:
    """Whether a search has a parameter named k, which the plugin then passes. `**kwargs` does not count."""
    function = search.__func__ if type(search) is MethodType else search
    if (
        type(function) is FunctionType and not function.__dict__
    ):  # a plain function; inspect.signature takes 20 us
        code = function.__code__
        return (
            "k"
            in code.co_varnames[
                code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount
            ]
        )
    try:
        parameter = inspect.signature(search).parameters.get("k")
    except (
        TypeError,
        ValueError,
    ):  # a callable without a signature, such as some builtins
        return False
    return parameter is not None and parameter.kind in (
        parameter.POSITIONAL_OR_KEYWORD,
        parameter.KEYWORD_ONLY,
    )


def default_of_k(search: Any) -> int | None:
    """Return the default of the parameter k of a search; None if it has none."""
    try:
        parameter = inspect.signature(search).parameters.get("k")
    except (TypeError, ValueError):
        return None
    default = None if parameter is None else parameter.default
    return default if type(default) is int else None


def _uncallable(
    search: object,
    case: Case,
    params: Mapping[str, object],
    error: TypeError,
    queries: list[str] | None,
) -> str:
    if not callable(search):
        found = shown(search)
        return f'the fixture "{case.search}" is no function but {found}; return a function: search(query, **params)'
    try:
        signature = str(inspect.signature(search))
    except (TypeError, ValueError):
        signature = "(...)"
    name, first = (
        (case.search, case.query)
        if queries is None
        else (f"{case.search}.many", queries)
    )
    call_ = ", ".join(
        [
            shown(first, 40),
            *(f"{param}={shown(value, 40)}" for param, value in params.items()),
        ]
    )
    return (
        f"{name}({call_}) cannot be called: {error}\n"
        f"its signature is {name}{signature}; its keyword arguments are the params of the case and the suite"
        + (", and k" if "k" in params else "")
    )


async def wait(response: object, most: int = MOST_READ) -> object:
    """Await a response in the running event loop, and return the result.

    An async iterable becomes a list of at most so many results.
    """
    if is_awaitable(response):
        response = await response  # type: ignore[misc]
    if _is_read_asynchronously(response):
        from pytest_relevance.results.responses.shapes import wait_for_items

        return await wait_for_items(response, most)
    return response


def wait_on_own_loop(
    config: pytest.Config, response: object, started: Moment, most: int = MOST_READ
) -> tuple[object, Moment]:
    """Await a response on one event loop for the whole run; return the result, and when the search began."""
    loop = own_loop(config)
    if inspect.iscoroutine(
        response
    ):  # a coroutine starts only now; creating the loop must not count as its time
        started = now()
    return loop.run_until_complete(wait(response, most)), started


def run_on_own_loop(config: pytest.Config, awaitable: Awaitable[Result]) -> Result:
    """Await something on the event loop for the whole run. It is cancelled if Ctrl-C or a timeout ends the wait."""
    import asyncio

    loop = own_loop(config)
    task = asyncio.ensure_future(awaitable, loop=loop)
    try:
        return loop.run_until_complete(task)
    except BaseException:
        task.cancel()
        raise


def own_loop(config: pytest.Config) -> asyncio.AbstractEventLoop:
    """Return the plugin's own event loop, which stays open for the whole run."""
    loop = config.stash.get(LOOP, None)
    if loop is None:
        import asyncio  # takes 13 ms, saved for a suite with a plain search

        loop = config.stash[LOOP] = asyncio.new_event_loop()
    return loop


def running_loop() -> Any:
    """Return the asyncio loop that runs in this thread, the module trio if a loop of trio does, or None."""
    for name, current in (
        ("asyncio", "get_running_loop"),
        ("trio", "lowlevel.current_trio_token"),
    ):
        module = sys.modules.get(name)
        try:
            if module is not None:
                found = attrgetter(current)(module)()
                return found if name == "asyncio" else module
        except RuntimeError:  # no loop of this kind runs
            continue
    return None


def is_trio(loop: Any) -> bool:
    """Whether a `running_loop` is one of trio."""
    return getattr(loop, "__name__", None) == "trio"


def running_task() -> Any:
    """Return the task of asyncio that runs in this thread, or None."""
    asyncio = sys.modules.get("asyncio")
    try:
        return None if asyncio is None else asyncio.current_task()
    except RuntimeError:  # no loop runs
        return None


def wait_between_calls(
    config: pytest.Config, response: object, loop: Any, most: int = MOST_READ
) -> object:
    """Await a response while no loop runs: on the `running_loop` of an earlier call, or the plugin's own if it is None.

    The plugin's own loop also replaces a loop that is closed; with trio it is a new run, as its loop ends with a call.
    """
    if is_trio(loop):
        return loop.run(wait, response, most)
    if loop is not None and not loop.is_closed():
        return loop.run_until_complete(wait(response, most))
    return wait_on_own_loop(config, response, now(), most)[0]


def close_own_loop(config: pytest.Config) -> None:
    """Cancel the tasks that still run on the own loop, and close it. Call it after the teardown of session fixtures."""
    loop = config.stash[LOOP]
    del config.stash[LOOP]
    import asyncio

    try:
        pending = asyncio.all_tasks(loop)
        for task in pending:
            task.cancel()
        if pending:
            loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()
