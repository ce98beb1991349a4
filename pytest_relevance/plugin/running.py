"""Running one case: the function it becomes, the call of the search, the score, and the exception it ends in.

The functions are made from one-line templates that call back into this module. Where a plugin that runs coroutines is
about, the function is a coroutine function, so that pytest-asyncio and anyio can take the case into their own loops;
`loops` sees to it that a plain search is still called outside of any loop.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.cases.model import Case
from pytest_relevance.plugin import calling
from pytest_relevance.plugin.failures import CaseError, CaseFailure
from pytest_relevance.runs.ranking import Ranking, UnreadableRanking, read_ranking
from pytest_relevance.runs.scored import FAILED, INCONCLUSIVE, Scored, score_case

if TYPE_CHECKING:
    from pytest_relevance.reports.text import Line

ASYNC_PLUGINS = ("asyncio", "anyio")
"""Plugins that run coroutine functions, by the names they register under."""

_SYNC = "def case({arguments}): run()"
_ASYNC = "async def case({arguments}): await run_async()"

_calling: list[pytest.Function] = []
"""The item whose function is being called. A parameter `request` would be the usual way to it, at 25 us an item."""


def about_to_call(item: pytest.Function) -> None:
    """Say whose function is called next: `run` and `run_async` are about this item."""
    _calling[:] = [item]



class CaseRun:
    """A case as an item carries it, and what came of running it.

    `variant` is the parameter id of its search. `handed_over` is a response that another plugin's loop shall await.
    """

    __slots__ = ("case", "file", "function", "handed_over", "lines", "scored", "variant")

    def __init__(self, case: Case, file: str, function: FunctionType | None, variant: str | None) -> None:
        self.case = case
        self.file = file
        self.function = function
        self.variant = variant
        self.scored: Scored | None = None
        self.lines: list[Line] | None = None
        self.handed_over: tuple[object, float] | None = None

    @property
    def where(self) -> str:
        """`file:line` of the case."""
        return f"{self.file}:{self.case.line}"

    @property
    def label(self) -> str:
        """Its search as reports name it."""
        from pytest_relevance.reports.failure import search_label

        search = self.case.search if self.function is not None else "relevance.check"
        return search_label(search, self.variant, self.case.params)


RUN = pytest.StashKey[CaseRun]()
"""The case that an item of a case file is."""

RUNS = pytest.StashKey[list[CaseRun]]()
"""The rankings that a test written in Python had checked."""

_TOLD = frozenset({FAILED, INCONCLUSIVE})


class Templates:
    """Makes the functions of one file's cases.

    A function's parameters are the fixtures it requests, so there is one template for each combination of them; a
    case's own function differs from it by its name and its place, the line of the case.
    """

    def __init__(self, config: pytest.Config, path: str) -> None:
        self._path = path
        self._source = _ASYNC if any(map(config.pluginmanager.has_plugin, ASYNC_PLUGINS)) else _SYNC
        self._codes: dict[tuple[str, ...], CodeType] = {}

    def function(self, case: Case) -> FunctionType:
        """The function that stands for a case among pytest's items."""
        key = (case.search, *case.usefixtures)
        code = self._codes.get(key)
        if code is None:
            # what usefixtures names is set up before the search, as it may be about the state the search finds
            names = dict.fromkeys([*case.usefixtures, case.search])
            namespace: dict[str, Any] = {}
            exec(compile(self._source.format(arguments=", ".join(names)), self._path, "exec"), namespace)
            code = self._codes[key] = namespace["case"].__code__
        name = case.node_name
        placed = code.replace(co_filename=self._path, co_firstlineno=case.line, co_name=name)
        return FunctionType(placed, _GLOBALS, name)


def run() -> None:
    """Run a case whose search is called here and now."""
    __tracebackhide__ = True
    item = _calling[0]
    this = item.stash[RUN]
    response, started = calling.call(item.funcargs[this.case.search], this.case)
    if calling.is_waiting(response):
        response = calling.wait_on_own_loop(item.config, response)
    finish(item, this, response, perf_counter() - started)


async def run_async() -> None:
    """Run a case in the loop of another plugin."""
    __tracebackhide__ = True
    item = _calling[0]
    this = item.stash[RUN]
    if this.handed_over is not None:
        response, started = this.handed_over
        this.handed_over = None
    else:
        response, started = calling.call(item.funcargs[this.case.search], this.case)
    response = await calling.wait(response)
    finish(item, this, response, perf_counter() - started)


def finish(item: pytest.Item, this: CaseRun, response: object, latency: float | None) -> None:
    """Score what the search returned, and end the case as its verdict says."""
    __tracebackhide__ = True
    case = this.case
    ranking = _ranking(item, this, response)
    this.scored = scored = score_case(case, ranking, latency)
    item.user_properties.extend(_properties(scored))
    verdict = scored.verdict
    if verdict in _TOLD or item.config.option.verbose > 1:
        this.lines = _report(this, scored, item.config.option.verbose)
    if verdict in _TOLD:
        _end(this, FAILED if verdict == FAILED else item.config.option.relevance_inconclusive)


def check(item: pytest.Item, case: Case, ranking: object, where: tuple[str, int]) -> Scored:
    """The same for a ranking that a test written in Python has at hand; `where` is its file and line."""
    __tracebackhide__ = True
    this = CaseRun(replace(case, line=where[1]), where[0], None, variant(item))
    item.stash.setdefault(RUNS, []).append(this)
    finish(item, this, ranking, None)
    assert this.scored is not None
    return this.scored


def _end(this: CaseRun, how: str) -> None:
    """Raise what a case ends in that failed, or is inconclusive and is treated as `how` says."""
    __tracebackhide__ = True
    assert this.scored is not None
    assert this.lines is not None
    from pytest_relevance.reports.text import plain

    if how in (FAILED, "fail"):
        raise CaseFailure(plain(this.lines), pytrace=False)
    if how == "skip":
        raise pytest.skip.Exception("; ".join(this.scored.reasons))


def variant(item: pytest.Item) -> str | None:
    """The parameter id of an item whose fixtures are parametrised."""
    callspec = getattr(item, "callspec", None)
    return callspec.id if callspec is not None else None


def _report(this: CaseRun, scored: Scored, verbose: int) -> list[Line]:
    from pytest_relevance.reports.failure import Detail, failure_lines  # what passes without a report does not need it

    return failure_lines(scored, this.where, this.label, Detail(brief=verbose < 0, full=verbose > 0))


def _ranking(item: pytest.Item, this: CaseRun, response: object) -> Ranking:
    __tracebackhide__ = True
    case = this.case
    own = item.ihook.pytest_relevance_ranking(response=response, case=case)
    try:
        return read_ranking(response if own is None else own, case.terms.id_field, case.terms.title_field)
    except UnreadableRanking as problem:
        raise CaseError(f"{this.where}: {problem}", pytrace=False) from None


def _properties(scored: Scored) -> list[tuple[str, object]]:
    """The figures for JUnit: five scalars (fewer where one is not defined)."""
    found: list[tuple[str, object]] = []
    if scored.score == scored.score:
        found += [("score", scored.score), ("interval", f"{scored.lower:.6g}..{scored.upper:.6g}")]
    found.append(("k", scored.case.k))
    found.append(("judged", scored.judged))
    if scored.latency is not None:
        found.append(("latency", round(scored.latency, 6)))
    return found


def _hidden(excinfo: pytest.ExceptionInfo[BaseException] | None) -> bool:
    """Whether the line of the case file is left out of a traceback: where the search raised, it is not its code."""
    return excinfo is not None and not isinstance(excinfo.value, (CaseFailure, CaseError, pytest.skip.Exception))


_GLOBALS: dict[str, Any] = {"run": run, "run_async": run_async, "__tracebackhide__": _hidden}
