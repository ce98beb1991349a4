"""Running one case: the function it becomes, the call of the search, the score, and the exception it ends in.

The functions are made from one-line templates that call back into this module. Where a plugin that runs coroutines is
about, the function is a coroutine function, so that pytest-asyncio and anyio can take the case into their own loops;
`loops` sees to it that a plain search is still called outside of any loop, by putting a plain function in its place.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from time import perf_counter
from types import CodeType, FrameType, FunctionType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.cases.model import Case
from pytest_relevance.plugin import calling
from pytest_relevance.plugin.failures import BaselineFailure, CaseError, CaseFailure, shown_path
from pytest_relevance.plugin.options import is_brief, verbosity
from pytest_relevance.runs.cut import why_cut
from pytest_relevance.runs.ranking import Ranking, UnreadableRanking, read_ranking
from pytest_relevance.runs.scored import ERROR, FAILED, INCONCLUSIVE, Scored, score_case

if TYPE_CHECKING:
    from pytest_relevance.plugin.baselines import Baseline
    from pytest_relevance.reports.text import Line
    from pytest_relevance.runs.baseline import Since

# A name of a template's must not be one that a fixture has: the fixtures are the template's parameters.
_SYNC = "def case({arguments}): _run_relevance_case()"
_ASYNC = "async def case({arguments}): await _run_relevance_case_async()"


class _Calling(threading.local):
    """The item whose function is being called, and the one whose call has not ended, in each thread.

    A parameter `request` would be the usual way to the item, at 25 us each. A plugin may run items in several threads,
    and the function of one item too: then the class has the item.
    """

    item: pytest.Function
    in_call: pytest.Item | None = None


_calling = _Calling()


def about_to_call(item: pytest.Function) -> None:
    """Say whose function is called next: `run` and `run_async` are about this item."""
    _calling.item = _Calling.item = item


def call_begins(item: pytest.Item) -> None:
    """Note that the call phase of an item begins, and forget an earlier attempt that was not reported."""
    _calling.in_call = item
    this = item.stash.get(RUN, None)
    if this is not None and (this.times or this.scored is not None or this.error is not None):
        this.forget()


def call_ends() -> None:
    """Note that the call phase of an item has ended."""
    _calling.in_call = None


def is_in_call(item: pytest.Item) -> bool:
    """Whether the call phase of an item goes on: a report that is made now is that of a subtest."""
    return _calling.in_call is item


class CaseRun:
    """A case as an item carries it, and what came of running it.

    `variant` is the parameter id of its search. `names` are those of its items in this variant, where they are not what
    the id and the variant say: parameters that are none of the search's repeat it, or are named there too. `response`
    is what the search returned and when it was called, where that was done before the function that shall await it, or
    score it, is called. `asked` is how many results the search was asked for, None where it takes no such number.
    `error` is what the case ended in. `baseline` is that of its file, `since` what became of the case since then, None
    where it is not in it; `fails_baseline` is set where the baseline gave the verdict, or one of its reasons. `times`
    is how often the search was called, `repeated` what became of its ranking where that is asked for.
    """

    __slots__ = (
        *("baseline", "case", "file", "function", "names", "path", "variant"),
        *("asked", "brief", "error", "fails_baseline", "lines", "properties", "repeated", "response"),
        *("scored", "since", "times"),
    )

    def __init__(
        self, case: Case, file: str, function: FunctionType | None = None, variant: str | None = None, path: str = ""
    ) -> None:
        self.case = case
        self.path = path
        self.file = file
        self.function = function
        self.variant = variant
        self.names: Sequence[str] = ()
        self.baseline: Baseline | None = None
        self.properties: Sequence[tuple[str, object]] = ()
        self.response: tuple[object, float] | None = None
        self.forget()

    def forget(self) -> None:
        """Let go of what came of it, which has been reported."""
        self.scored: Scored | None = None
        self.since: Since | None = None
        self.fails_baseline = False
        self.lines: list[Line] | None = None
        self.brief: list[Line] | None = None
        self.error: BaseException | None = None
        self.asked: int | None = None
        self.times = 0
        self.repeated: dict[str, Any] | None = None

    @property
    def has_ended(self) -> bool:
        """Whether it came to a score, or a check to an error, which the test may have caught.

        An item that passes without a score is another plugin's work.
        """
        return self.scored is not None or (self.function is None and self.error is not None)

    @property
    def where(self) -> str:
        """`file:line` of the case, in the file of queries that it comes from."""
        return f"{self.case.source or self.file}:{self.case.line}"

    def place(self, item: pytest.Item) -> tuple[str, int]:
        """The file and the line of the case, as pytest's own lines of a test name them."""
        return self.case.source or self.path or str(item.path), self.case.line

    @property
    def search(self) -> str:
        """What searched: a fixture, or a test written in Python."""
        return self.case.search if self.function is not None else "relevance.check"

    @property
    def label(self) -> str:
        """Its search as reports name it, with the parameters."""
        from pytest_relevance.reports.failure import search_label

        return search_label(self.search, self.variant, self.case.params)

    @property
    def facts(self) -> str:
        """The query and the search of a case of which no more is known."""
        from pytest_relevance.reports.text import harmless

        return "   ".join([f'query "{harmless(self.case.query)}"', self.label, *self.in_call])

    @property
    def in_call(self) -> Sequence[str]:
        """In which of the calls of its search it is, or ended, where that is not the only one."""
        return [f"in call {self.times}"] if self.times > 1 else []

    def was_skipped(self, report: pytest.TestReport, call: pytest.CallInfo[None]) -> bool:
        """Whether it was not to run: skipped, or given up by hand as an expected failure before it had a score."""
        if self.scored is not None or not report.skipped:
            return False
        given_up = call.excinfo is not None and isinstance(call.excinfo.value, pytest.xfail.Exception)
        return given_up or not hasattr(report, "wasxfail")

    def plain_function(self, path: str) -> FunctionType:
        """A function to put in the place of a coroutine function, where the search is called outside of any loop."""
        assert self.function is not None
        name, line = self.case.node_name, self.function.__code__.co_firstlineno
        return FunctionType(_PLAIN.replace(co_filename=path, co_firstlineno=line, co_name=name), _GLOBALS, name)


RUN = pytest.StashKey[CaseRun]()
"""The case that an item of a case file is."""

RUNS = pytest.StashKey[list[CaseRun]]()
"""The rankings that a test written in Python had checked."""

RAISED = pytest.StashKey[list[BaseException]]()
"""What the checks of a test written in Python raised, in whatever thread."""

_RUNNERS = ("threading", "concurrent.futures", "multiprocessing", "asyncio", "anyio", "trio", "joblib")
"""The modules that call a function in another thread, or later, and keep what it raises."""


def raise_what_was_lost(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Have a call end in what a check of its test raised, where nobody has seen that: it ended its thread, say.

    An exception that came back to the test, or that the test's own code caught where it was raised, was last unwound
    there; a lost one in the module that called the function of the thread.
    """
    raised = item.stash.get(RAISED, None)
    if not raised:
        return
    lost = next((error for error in raised if is_runner(_outermost_frame(error))), None)
    raised.clear()
    if lost is not None and (call.excinfo is None or call.excinfo.errisinstance(_UNHANDLED)):
        call.excinfo = pytest.ExceptionInfo.from_exception(lost)


_UNHANDLED = pytest.PytestUnhandledThreadExceptionWarning
"""What pytest warns of where a thread ends in an exception, and what a call ends in where warnings are errors."""


def _outermost_frame(error: BaseException) -> FrameType | None:
    return None if error.__traceback__ is None else error.__traceback__.tb_frame


def is_runner(frame: FrameType | None) -> bool:
    """Whether a frame is of a module that calls functions in other threads, or later."""
    module = "" if frame is None else str(frame.f_globals.get("__name__"))
    return f"{module}.".startswith(tuple(f"{runner}." for runner in _RUNNERS))


def runs_of(item: pytest.Item) -> Sequence[CaseRun]:
    """The case that an item is, or the checks of the attempt of a test that came last."""
    this = item.stash.get(RUN, None)
    if this is not None:
        return (this,)
    return item.stash.get(RUNS, [])


_TOLD = frozenset({FAILED, INCONCLUSIVE})


class Templates:
    """Makes the functions of one file's cases.

    A function's parameters are the fixtures it requests, so there is one template for each combination of them; a
    case's own function differs from it by its name and its place, the line of the case. That of a case from a file of
    queries is where the case file names that, in `queries_line`.
    """

    def __init__(self, path: str, queries_line: int, *, coroutines: bool) -> None:
        self._path = path
        self._queries_line = queries_line
        self._source = _ASYNC if coroutines else _SYNC
        self._codes: dict[tuple[str, ...], CodeType] = {}

    def function(self, case: Case) -> FunctionType:
        """The function that stands for a case among pytest's items."""
        key = (case.search, *case.usefixtures)
        code = self._codes.get(key)
        if code is None:
            # what usefixtures names is set up before the search, as it may be about the state the search finds
            names = dict.fromkeys([*case.usefixtures, case.search])
            code = self._codes[key] = _compiled(self._source.format(arguments=", ".join(names)))
        name = case.node_name
        line = case.line if case.source is None else self._queries_line
        placed = code.replace(co_filename=self._path, co_firstlineno=line, co_name=name)
        return FunctionType(placed, _GLOBALS, name)


def _compiled(source: str) -> CodeType:
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    code = namespace["case"].__code__
    assert isinstance(code, CodeType)
    return code


_PLAIN = _compiled(_SYNC.format(arguments="**fixtures"))


def run() -> None:
    """Run a case outside of any loop."""
    __tracebackhide__ = True
    item = _calling.item
    this = item.stash[RUN]
    ranking, latency = _ranked(item, this)
    if item.config.option.relevance_repeat is not None:
        rankings = [ranking]
        while len(rankings) < item.config.option.relevance_repeat:
            rankings.append(_ranked(item, this)[0])
        _compare(this, rankings)
    finish(item, this, ranking, latency)


async def run_async() -> None:
    """Run a case in the loop of another plugin."""
    __tracebackhide__ = True
    item = _calling.item
    this = item.stash[RUN]
    ranking, latency = await _ranked_async(item, this)
    if item.config.option.relevance_repeat is not None:
        rankings = [ranking]
        while len(rankings) < item.config.option.relevance_repeat:
            rankings.append((await _ranked_async(item, this))[0])
        _compare(this, rankings)
    finish(item, this, ranking, latency)


def _ranked(item: pytest.Function, this: CaseRun) -> tuple[Ranking, float]:
    """The ranking that the search returned, and how many seconds calling it and reading all it returned took."""
    __tracebackhide__ = True
    response, started = _response(item, this)
    if calling.is_waiting(response):
        response, started = calling.wait_on_own_loop(item.config, response, started)
    ranking = _ranking(item, this, response)
    return ranking, perf_counter() - started  # what a lazy response is read for is a part of the search


async def _ranked_async(item: pytest.Function, this: CaseRun) -> tuple[Ranking, float]:
    """The same in a loop that runs."""
    __tracebackhide__ = True
    response, started = _response(item, this)
    response = await calling.wait(response)
    ranking = _ranking(item, this, response)
    return ranking, perf_counter() - started  # what a lazy response is read for is a part of the search


def _compare(this: CaseRun, rankings: Sequence[Ranking]) -> None:
    from pytest_relevance.plugin.repeats import compared

    this.repeated = compared(this.case, rankings)


def search_now(item: pytest.Function) -> object:
    """Call the search before the function of the case, and return what it returned."""
    __tracebackhide__ = True
    this = item.stash[RUN]
    this.response = None
    this.response = _response(item, this)
    return this.response[0]


def _response(item: pytest.Function, this: CaseRun) -> tuple[object, float]:
    """What the search returned, and when it was called."""
    __tracebackhide__ = True
    if this.response is not None:
        response, this.response = this.response, None
        return response
    this.times += 1
    try:
        search = item.funcargs[this.case.search]
        this.asked = calling.asked_for(search, this.case)
        return calling.call(search, this.case, this.asked)
    except CaseError as error:
        this.error = error
        raise


def finish(item: pytest.Item, this: CaseRun, ranking: Ranking, latency: float | None) -> None:
    """Score the ranking that the search returned, and end the case as its verdict says."""
    __tracebackhide__ = True
    case = this.case
    if problem := why_cut(case, len(ranking.ids), this.asked):
        this.error = CaseError(problem, pytrace=False)
        raise this.error
    scored = score_case(case, ranking, latency, this.asked)
    if this.baseline is not None:
        scored = this.baseline.hold(this, scored)
    this.scored = scored
    option = item.config.option
    if wants_properties(option):
        set_properties(item, this)
    verdict, verbose = scored.verdict, verbosity(option)
    if verdict in _TOLD or verbose > 1:
        this.lines = _report(this, scored, full=verbose > 0)
    if verdict in _TOLD:
        if is_brief(option):
            this.brief = _report(this, scored, brief=True)
        _end(this, FAILED if verdict == FAILED else option.relevance_inconclusive)


def check(item: pytest.Item, case: Case, ranking: object, path: str) -> Scored:
    """The same for a ranking that a test written in Python has at hand, in a file and in the line of the case."""
    __tracebackhide__ = True
    this = CaseRun(case, shown_path(path, item.config), path=path)
    item.stash.setdefault(RUNS, []).append(this)
    finish(item, this, _ranking(item, this, ranking), None)
    assert this.scored is not None
    return this.scored


def _end(this: CaseRun, how: str) -> None:
    """Raise what a case ends in that failed, or is inconclusive and is treated as `how` says."""
    __tracebackhide__ = True
    assert this.scored is not None
    assert this.lines is not None
    from pytest_relevance.reports.text import plain

    if how in (FAILED, "fail"):
        kind = BaselineFailure if this.fails_baseline else CaseFailure
        this.error = kind(plain(this.lines), pytrace=False)
        raise this.error
    if how == "skip":
        this.error = pytest.skip.Exception("; ".join(this.scored.reasons))
        raise this.error


def _report(this: CaseRun, scored: Scored, *, brief: bool = False, full: bool = False) -> list[Line]:
    from pytest_relevance.reports.failure import Detail, failure_lines  # what passes without a report does not need it

    notes = []
    if this.repeated is not None:
        from pytest_relevance.reports.repeats import is_stable, unstable_text

        notes = [] if is_stable(this.repeated) else [unstable_text(this.repeated)]
    lines = failure_lines(scored, this.where, this.label, Detail(brief, full, notes), this.since)
    # A title may be of a subclass of str, which does not travel to the controller of pytest-xdist.
    return [tuple((str.__str__(text), style) for text, style in spans) for spans in lines]


def _ranking(item: pytest.Item, this: CaseRun, response: object) -> Ranking:
    __tracebackhide__ = True
    case = this.case
    own = None
    if item.config.hook.pytest_relevance_ranking.get_hookimpls():  # calling a hook nobody implements costs 30 us
        own = item.ihook.pytest_relevance_ranking(response=response, case=case)
    try:
        return read_ranking(response if own is None else own, case.terms.id_field, case.terms.title_field)
    except UnreadableRanking as problem:
        this.error = CaseError(str(problem), pytrace=False)
        raise this.error from None


def wants_properties(option: Any) -> bool:
    """Whether there is to be a JUnit file: properties cost, and nobody else reads them."""
    return bool(getattr(option, "xmlpath", None))


def set_properties(item: pytest.Item, this: CaseRun) -> None:
    """Put the figures for JUnit on the item, in the place of those of an earlier run of it."""
    for earlier in this.properties:
        item.user_properties.remove(earlier)
    this.properties = [("verdict", ERROR)] if this.scored is None else _properties(this.scored, this.since)
    item.user_properties.extend(this.properties)


def _properties(scored: Scored, since: Since | None) -> list[tuple[str, object]]:
    """The figures for JUnit: seven scalars (fewer where one is not defined)."""
    found: list[tuple[str, object]] = [("verdict", scored.verdict)]
    if scored.score == scored.score:
        found += [("score", scored.score), ("interval", f"{scored.lower:.6g}..{scored.upper:.6g}")]
    if since is not None and since.score is not None:
        found.append(("baseline", since.score))
    found.append(("k", scored.case.k))
    found.append(("judged", scored.judged))
    if scored.latency is not None:
        found.append(("latency", round(scored.latency, 6)))
    return found


_GLOBALS: dict[str, Any] = {
    "__name__": f"{__name__}.case",  # by which a traceback tells these functions from the user's
    "_run_relevance_case": run,
    "_run_relevance_case_async": run_async,
}
