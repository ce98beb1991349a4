"""The test functions of cases, and the copying of items from those of an earlier case.

The function of a case is made from a one-line template. The file and line in its code object are those of the case in
the case file, so that tracebacks, `--tb=line` and debuggers show the YAML. The case to run is the default of a
keyword-only parameter: pytest takes no parameter with a default for a fixture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import CodeType, FunctionType
from typing import Any

import pytest

from pytest_relevance.cases.model import Case
from pytest_relevance.plugin.failures import CaseFailure
from pytest_relevance.plugin.private import AnyItem, pattern_of
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.plugin.running.run_case import run, run_async

# A fixture name cannot both begin and end with an underscore, so these names never hide a fixture.
_SYNC = "def case({arguments}*, _relevance_run_): _run_relevance_case_(_relevance_run_)"
_ASYNC = "async def case({arguments}*, _relevance_run_): await _run_relevance_case_async_(_relevance_run_)"

_RUN = "_relevance_run_"

_GLOBALS: dict[str, Any] = {
    "__name__": f"{__name__}.case",  # distinguishes these functions from the user's in a traceback
    "_run_relevance_case_": run,
    "_run_relevance_case_async_": run_async,
}


class CaseFunctions:
    """Makes the test functions of the cases of one file. Their parameters are the fixtures that the case requests.

    A case from a queries file gets the line `queries_line`, where the case file names that file.
    """

    def __init__(self, path: str, queries_line: int, *, coroutines: bool) -> None:
        self._path = path
        self._queries_line = queries_line
        self._source = _ASYNC if coroutines else _SYNC
        self._codes: dict[tuple[str, ...], CodeType] = {}

    def make(self, case: Case) -> FunctionType:
        """Return the test function of a case."""
        key = (case.search, *case.usefixtures)
        code = self._codes.get(key)
        if code is None:
            # usefixtures come before the search, as they may set up the state that it needs
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
    """Return a function with this code, at a line of a file; `bind` sets its case run."""
    function = FunctionType(code.replace(co_filename=path, co_firstlineno=line, co_name=name), _GLOBALS, name)
    function.__kwdefaults__ = {_RUN: None}
    return function


def bind(run: CaseRun, *, is_shared: bool) -> None:
    """Set the case run of an item's function. An item that shares the function with others gets a copy of its own."""
    item = run.item
    assert isinstance(item, pytest.Function)
    function = item.obj
    if is_shared or not isinstance(function, FunctionType):
        function = FunctionType(run.function.__code__, _GLOBALS, run.function.__name__)
        item.obj = run.function = function
    function.__kwdefaults__ = {_RUN: run}


def plain_function(run: CaseRun) -> FunctionType:
    """Return a plain function to replace a coroutine function, for a search that is called outside any event loop."""
    code = run.function.__code__
    arguments = [f"{name}, " for name in code.co_varnames[: code.co_argcount]]
    function = _function(_compiled(_SYNC, arguments), code.co_filename, code.co_firstlineno, run.case.node_name)
    function.__kwdefaults__ = {_RUN: run}
    return function


class ItemPatterns:
    """Makes items by copying what pytest found for an earlier case that requests the same fixtures.

    Looking up the fixtures and parameters of a function is most of the cost of collection, and the result is the same
    for all cases that request the same fixtures.
    """

    def __init__(self, file: pytest.Module) -> None:
        self._file = file
        self._patterns: dict[tuple[str, ...], list[tuple[str, Callable[[], dict[str, Any]]]]] = {}

    def keep(self, case: Case, function: FunctionType, made: Sequence[AnyItem]) -> None:
        """Store the items of a case as a pattern, unless one of them is not a plain `pytest.Function`."""
        pattern, key = [], (case.search, *case.usefixtures)
        for item in made:
            arguments = pattern_of(item)
            if arguments is None:
                return
            pattern.append((item.name.removeprefix(function.__name__), arguments))
        self._patterns[key] = pattern

    def items(self, case: Case, function: FunctionType) -> list[pytest.Function]:
        """Return the items of a case, or an empty list if there is no pattern for it yet."""
        name = function.__name__
        make = pytest.Function.from_parent
        return [
            make(self._file, name=name + parameters, callobj=function, originalname=name, **arguments())
            for parameters, arguments in self._patterns.get((case.search, *case.usefixtures), ())
        ]


def only_pytest_makes_items(file: pytest.Module) -> bool:
    """Whether only pytest implements the hooks that make items: no conftest that parametrises, for example."""
    hooks = file.ihook
    return all(
        impl.function.__module__.startswith("_pytest.")
        for hook in (hooks.pytest_pycollect_makeitem, hooks.pytest_generate_tests)
        for impl in hook.get_hookimpls()
    )


class CaseMarks:
    """Makes the marks of cases: tags, skip, xfail. The mark of a tag is made once for each file."""

    def __init__(self) -> None:
        self._tags: dict[str, pytest.MarkDecorator] = {}

    def of(self, case: Case) -> Iterable[pytest.MarkDecorator]:
        """Return the marks of one case."""
        for tag in case.tags:
            if tag not in self._tags:
                self._tags[tag] = getattr(pytest.mark, tag)
            yield self._tags[tag]
        if case.skip is not None:
            yield pytest.mark.skip(reason=case.skip)
        if case.xfail is not None:
            strict = {} if case.xfail.strict is None else {"strict": case.xfail.strict}
            yield pytest.mark.xfail(reason=case.xfail.reason, raises=CaseFailure, **strict)
