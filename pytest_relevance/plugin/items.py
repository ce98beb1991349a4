"""The test functions that stand for cases among pytest's items, and items after the pattern of an earlier one.

A case's function is made from a one-line template. Its code says that it stands in the case file, at the line of the
case, so that tracebacks, `--tb=line` and debuggers show the YAML. Which case it runs is a keyword-only parameter with a
default: pytest leaves parameters with defaults alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import CodeType, FunctionType
from typing import Any

import pytest

from pytest_relevance.cases.model import Case
from pytest_relevance.plugin.case_run import CaseRun
from pytest_relevance.plugin.failures import CaseFailure
from pytest_relevance.plugin.private import AnyItem, pattern_of
from pytest_relevance.plugin.run_case import run, run_async

# Names of fixtures cannot begin with an underscore and end in one, so that these never hide one.
_SYNC = "def case({arguments}*, _relevance_run_): _run_relevance_case_(_relevance_run_)"
_ASYNC = "async def case({arguments}*, _relevance_run_): await _run_relevance_case_async_(_relevance_run_)"

_RUN = "_relevance_run_"

_GLOBALS: dict[str, Any] = {
    "__name__": f"{__name__}.case",  # by which a traceback tells these functions from the user's
    "_run_relevance_case_": run,
    "_run_relevance_case_async_": run_async,
}


class CaseFunctions:
    """Makes the functions of one file's cases. Their parameters are the fixtures that the case requests.

    The function of a case from a file of queries stands at `queries_line`, where the case file names that file.
    """

    def __init__(self, path: str, queries_line: int, *, coroutines: bool) -> None:
        self._path = path
        self._queries_line = queries_line
        self._source = _ASYNC if coroutines else _SYNC
        self._codes: dict[tuple[str, ...], CodeType] = {}

    def make(self, case: Case) -> FunctionType:
        """The function that stands for a case."""
        key = (case.search, *case.usefixtures)
        code = self._codes.get(key)
        if code is None:
            # what usefixtures names is set up before the search, as it may be about the state the search finds
            names = dict.fromkeys([*case.usefixtures, case.search])
            code = self._codes[key] = _compiled(self._source, [f"{name}, " for name in names])
        line = case.line if case.source is None else self._queries_line
        return _function(code, self._path, line, case.node_name)


def _compiled(source: str, arguments: Iterable[str]) -> CodeType:
    namespace: dict[str, Any] = {}
    exec(source.format(arguments="".join(arguments)), namespace)
    code = namespace["case"].__code__
    assert isinstance(code, CodeType)
    return code


def _function(code: CodeType, path: str, line: int, name: str) -> FunctionType:
    """A function of this code that stands at a line of a file; `bind` gives it its case run."""
    function = FunctionType(code.replace(co_filename=path, co_firstlineno=line, co_name=name), _GLOBALS, name)
    function.__kwdefaults__ = {_RUN: None}
    return function


def bind(run: CaseRun, *, is_shared: bool) -> None:
    """Give the function of an item the case run that it is about; its own copy of a function that items share."""
    item = run.item
    assert isinstance(item, pytest.Function)
    function = item.obj
    if is_shared or not isinstance(function, FunctionType):
        item.obj = run.function = function = _copy(run.function)
    function.__kwdefaults__ = {_RUN: run}


def _copy(function: FunctionType | None) -> FunctionType:
    assert function is not None
    return FunctionType(function.__code__, _GLOBALS, function.__name__)


def plain_function(run: CaseRun) -> FunctionType:
    """A plain function in the place of a coroutine function, for a search that is called outside of any loop."""
    assert run.function is not None
    code = run.function.__code__
    arguments = [f"{name}, " for name in code.co_varnames[: code.co_argcount]]
    function = _function(_compiled(_SYNC, arguments), code.co_filename, code.co_firstlineno, run.case.node_name)
    function.__kwdefaults__ = {_RUN: run}
    return function


class ItemPatterns:
    """Items after the pattern of those that pytest made for an earlier case that requests the same fixtures.

    Looking up a function's fixtures and parameters is most of what collecting costs, and comes out the same for all
    cases that request the same fixtures.
    """

    def __init__(self, file: pytest.Module) -> None:
        self._file = file
        self._patterns: dict[tuple[str, ...], list[tuple[str, Callable[[], dict[str, Any]]]]] = {}

    def keep(self, case: Case, function: FunctionType, made: Sequence[AnyItem]) -> None:
        """Keep what pytest made as a pattern, if it is what pytest makes by itself."""
        pattern, key = [], (case.search, *case.usefixtures)
        for item in made:
            arguments = pattern_of(item)
            if arguments is None:
                return
            pattern.append((item.name.removeprefix(function.__name__), arguments))
        self._patterns[key] = pattern

    def items(self, case: Case, function: FunctionType) -> list[pytest.Function]:
        """The items of a case, or none where there is no pattern for it yet."""
        name = function.__name__
        make = pytest.Function.from_parent
        return [
            make(self._file, name=name + parameters, callobj=function, originalname=name, **arguments())
            for parameters, arguments in self._patterns.get((case.search, *case.usefixtures), ())
        ]


def only_pytest_makes_items(file: pytest.Module) -> bool:
    """Whether nobody but pytest has a say in what items a function becomes (a conftest that parametrises, say)."""
    hooks = file.ihook
    return all(
        impl.function.__module__.startswith("_pytest.")
        for hook in (hooks.pytest_pycollect_makeitem, hooks.pytest_generate_tests)
        for impl in hook.get_hookimpls()
    )


class CaseMarks:
    """The marks of cases: tags, skip, xfail. Each tag's is made once a file."""

    def __init__(self) -> None:
        self._tags: dict[str, pytest.MarkDecorator] = {}

    def of(self, case: Case) -> Iterable[pytest.MarkDecorator]:
        """The marks of one case."""
        for tag in case.tags:
            if tag not in self._tags:
                self._tags[tag] = getattr(pytest.mark, tag)
            yield self._tags[tag]
        if case.skip is not None:
            yield pytest.mark.skip(reason=case.skip)
        if case.xfail is not None:
            strict = {} if case.xfail.strict is None else {"strict": case.xfail.strict}
            yield pytest.mark.xfail(reason=case.xfail.reason, raises=CaseFailure, **strict)
