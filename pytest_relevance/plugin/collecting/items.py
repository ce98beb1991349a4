"""The test functions of cases, and their marks.

The function of a case is made from a one-line template. The file and line in its code object are those of the case in
the case file, so that tracebacks, `--tb=line` and debuggers show the YAML. The case to run is the default of a
keyword-only parameter: pytest takes no parameter with a default for a fixture.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any

import pytest

from pytest_relevance.cases.model import Case
from pytest_relevance.plugin.failures import CaseFailure
from pytest_relevance.plugin.private import PYTEST
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


def function_code(arguments: Iterable[str], *, coroutine: bool) -> CodeType:
    """Return the code of the test functions of cases; `arguments` are the names of the fixtures that they request."""
    namespace: dict[str, Any] = {}
    exec((_ASYNC if coroutine else _SYNC).format(arguments="".join(f"{name}, " for name in arguments)), namespace)
    code = namespace["case"].__code__
    assert isinstance(code, CodeType)
    return code


def make_function(code: CodeType, path: str, line: int, name: str) -> FunctionType:
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
    plain = function_code(code.co_varnames[: code.co_argcount], coroutine=False)
    function = make_function(plain, code.co_filename, code.co_firstlineno, run.case.node_name)
    function.__kwdefaults__ = {_RUN: run}
    return function


def only_pytest_makes_items(file: pytest.Module) -> bool:
    """Whether only pytest implements the hooks that make items: no conftest that parametrises, for example."""
    hooks = file.ihook
    return all(
        impl.function.__module__.startswith(PYTEST)
        for hook in (hooks.pytest_pycollect_makeitem, hooks.pytest_generate_tests)
        for impl in hook.get_hookimpls()
    )


def marks_of(case: Case) -> Iterator[pytest.MarkDecorator | str]:
    """Give the marks of a case: tags, skip, xfail."""
    yield from case.tags
    if case.skip is not None:
        yield pytest.mark.skip(reason=case.skip)
    if case.xfail is not None:
        strict = {} if case.xfail.strict is None else {"strict": case.xfail.strict}
        yield pytest.mark.xfail(reason=case.xfail.reason, raises=CaseFailure, **strict)
