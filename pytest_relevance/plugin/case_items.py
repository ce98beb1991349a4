"""The items of cases: how they are made, marked, and run in an event loop.

The function of a case is a coroutine function only where pytest-asyncio or anyio may have to run it: in their auto
modes, and where the case requests an async fixture of theirs. Even there the search itself may be a plain function. A
plugin that runs a case does so in its own loop, which is wrong for a plain search, which may start a loop of its own.
So a plain search is called outside any loop, and only a response that must be awaited goes to the plugin's loop. A
coroutine search that no plugin runs uses the loop of `case_run.own_loop`.

pytest-asyncio has a loop for each scope, and an object made in one loop works in no other. `Loops` finds the loop in
which the search of a case was made.
"""

import inspect
from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import cache
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest

from pytest_relevance.cases.model import Case, Suite
from pytest_relevance.plugin import pytest_internals as internals
from pytest_relevance.plugin.failures import CaseFailure
from pytest_relevance.plugin.options import shown_path
from pytest_relevance.plugin.pytest_internals import (
    ANYIO_BACKEND,
    PYTEST,
    AnyItem,
    Fixtures,
    Parameters,
)
from pytest_relevance.plugin.running.case_run import CASE_RUN, SEARCHES, CaseRun
from pytest_relevance.plugin.running.run_case import begin, is_awaited, run, run_async


class SharedParts:
    """What the cases of a file that request the same fixtures have in common.

    `code` is the code of their test functions, `loop_scope` the scope of the pytest-asyncio loop that they run in.
    `search_folder` is the folder that defines the fixture of the search, as part of a node id.
    `copiers` make the items of a case, and `variants` are the variants of these items; both are empty where each case
    has to be collected by itself.
    """

    loop_scope: str | None = None
    search_folder: str = ""
    copiers: Sequence[internals.ItemCopier] = ()
    variants: "Sequence[Variant]" = ()

    def __init__(self, code: CodeType) -> None:
        self.code = code


class ItemMaker:
    """Makes the test functions and items of the cases of one file.

    Looking up the fixtures and parameters of a function is most of the cost of collection, and the result is the same
    for all cases that request the same fixtures. So the items of the first such case are copied for the others,
    unless another plugin or a conftest takes part in making items.
    """

    def __init__(self, file: pytest.Module, suite: Suite) -> None:
        self._file = file
        self._path = str(file.path)
        self._queries_line = suite.queries_line
        stash = file.config.stash
        if _PARTS not in stash:
            stash[_PARTS] = Loops(file.config), Variants(file.config)
        self._loops, self._variants = stash[_PARTS]
        self._are_copied = internals.makes_plain_items(file)
        self._known: dict[tuple[str, ...], SharedParts] = {}

    def make(
        self, case: Case
    ) -> "tuple[FunctionType, Sequence[AnyItem], Sequence[Variant], SharedParts]":
        """Return the test function of a case, its items, one for each set of parameters, and their variants."""
        line = case.line if case.source is None else self._queries_line
        key = (case.search, *case.usefixtures)
        shared = self._known.get(key)
        items: Sequence[AnyItem]
        if shared is None:
            function, items, shared = self._first(case, line)
            self._known[key] = shared
        else:
            function = make_function(shared.code, self._path, line, case.node_name)
            if shared.copiers:
                items = [copy(function) for copy in shared.copiers]
            else:
                items = self._collected(function, shared.loop_scope)
        if shared.loop_scope is not None:
            mark = pytest.mark.asyncio(loop_scope=shared.loop_scope)
            for item in items:
                item.add_marker(mark, append=False)
        return (
            function,
            items,
            shared.variants or self._variants.of(case, items),
            shared,
        )

    def _first(
        self, case: Case, line: int
    ) -> tuple[FunctionType, Sequence[AnyItem], SharedParts]:
        """Make the function and items of a case, and find out what it has in common with others of the same fixtures.

        Which function is needed depends on the fixtures, which pytest looks up where it makes items.
        """
        # usefixtures come before the search, as they may set up the state that it needs
        names = tuple(dict.fromkeys([*case.usefixtures, case.search]))
        shared = SharedParts(function_code(names, coroutine=self._loops.is_auto))
        function = make_function(shared.code, self._path, line, case.node_name)
        items = self._collected(function, None)
        fixtures = internals.fixtures_of(items[0]) if items else {}
        shared.loop_scope = self._loops.scope_of(case.search, fixtures)
        is_theirs = shared.loop_scope is not None or ANYIO_BACKEND in fixtures
        if is_theirs and not self._loops.is_asyncio_auto:
            shared.code = function_code(names, coroutine=True)
            function = make_function(shared.code, self._path, line, case.node_name)
            items = self._collected(function, shared.loop_scope)
        manager = self._file.config.pluginmanager
        if shared.code.co_flags & inspect.CO_COROUTINE and not manager.has_plugin(
            _LOOP_CHOICE
        ):
            manager.register(LoopChoice(), _LOOP_CHOICE)
        if definitions := fixtures.get(case.search):
            shared.search_folder = str(definitions[-1].baseid)
        copiers = [
            copier
            for item in items
            if (copier := internals.copier_of(item)) is not None
        ]
        if self._are_copied and len(copiers) == len(items):
            shared.copiers, shared.variants = copiers, self._variants.of(case, items)
        return function, items, shared

    def _collected(
        self, function: FunctionType, loop_scope: str | None
    ) -> Sequence[AnyItem]:
        """Return the items that pytest and its plugins make of a function."""
        # pytest-asyncio reads the marks while it makes an item: by then only the file can have them
        marks = (
            []
            if loop_scope is None
            else [pytest.mark.asyncio(loop_scope=loop_scope).mark]
        )
        file = self._file
        file.own_markers += marks
        file.obj.collecting = function
        try:
            items: Sequence[AnyItem] | None = file.ihook.pytest_pycollect_makeitem(
                collector=file, name=function.__name__, obj=function
            )
        finally:
            for mark in marks:
                file.own_markers.remove(mark)
            file.obj.collecting = None
        if items is None:
            raise file.CollectError(
                f"{shown_path(file.path, file.config)}: cases need the plugin that -p no:python blocks"
            )
        return items


_PARTS: "pytest.StashKey[tuple[Loops, Variants]]" = pytest.StashKey()
"""What the files of a run share, as making it anew for each takes 2 % of a run of many files."""

_SET_BY_OTHERS = frozenset({"location", "reportinfo"})


def set_locations(items: Iterable[pytest.Item]) -> None:
    """Set the `location` of cases once their names are final, unless a conftest has changed what it depends on.

    pytest would compute the location of each item from the file system, which takes 5 % of a run of many cases. The
    location is a cached property of the item; a conftest may have set it, or the values that pytest computes it from.
    """
    files: dict[str, str] = {}
    for item in items:
        this = item.stash[CASE_RUN]
        if internals.is_plain_item(item) and _SET_BY_OTHERS.isdisjoint(vars(item)):
            if this.path not in files:
                files[this.path] = item.location[0]
            item.location = (
                files[this.path],
                this.function.__code__.co_firstlineno - 1,
                item.name,
            )


def marks_of(case: Case) -> Iterator[pytest.MarkDecorator | str]:
    """Give the marks of a case: tags, skip, xfail."""
    yield from case.tags
    if case.skip is not None:
        yield pytest.mark.skip(reason=case.skip)
    if case.xfail is not None:
        strict = {} if case.xfail.strict is None else {"strict": case.xfail.strict}
        yield pytest.mark.xfail(reason=case.xfail.reason, raises=CaseFailure, **strict)


class Loops:
    """Whether pytest-asyncio or anyio run the cases of a file, and in which loops of pytest-asyncio.

    `is_auto`: one of the two is in its auto mode, and runs every coroutine function; `is_asyncio_auto`: pytest-asyncio
    is. In strict mode it runs only marked cases. A case is marked where an async fixture makes its search in a loop of
    pytest-asyncio; the mark has the scope of that loop.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._is_active = any(map(config.pluginmanager.has_plugin, PYTEST_ASYNCIO))
        self.is_asyncio_auto = (
            self._is_active and _setting(config, "asyncio_mode") == "auto"
        )
        self.is_auto = self.is_asyncio_auto or _setting(config, "anyio_mode") == "auto"
        of_fixtures = _setting(config, "asyncio_default_fixture_loop_scope")
        self._of_fixtures = of_fixtures if of_fixtures != "fixture-scope" else None
        of_tests = _setting(config, "asyncio_default_test_loop_scope")
        # One loop for each case, pytest-asyncio's default, breaks a client that is created once, in the first case.
        lasting = (of_tests if of_tests != "function" else None) or "session"
        self._otherwise = lasting if self.is_asyncio_auto else None

    def scope_of(self, search: str, fixtures: Fixtures) -> str | None:
        """Return the loop scope of the nearest async fixture that a search depends on, or of tests, or None."""
        names = [search] if self._is_active else []
        for name in names:
            for fixture in fixtures.get(name, ())[-1:]:
                function = fixture.func
                is_async = inspect.iscoroutinefunction(
                    function
                ) or inspect.isasyncgenfunction(function)
                if is_async and (
                    self.is_asyncio_auto or internals.is_asyncio_fixture(function)
                ):
                    return str(
                        internals.loop_scope_of(function)
                        or self._of_fixtures
                        or fixture.scope
                    )
                names += [
                    argument for argument in fixture.argnames if argument not in names
                ]
        return self._otherwise


PYTEST_ASYNCIO = ("asyncio", "pytest_asyncio", "pytest_asyncio.plugin")
"""The names of the plugin: its entry point, and the module names for `-p` and `PYTEST_PLUGINS`."""


_LOOP_CHOICE = "relevance-loops"


class LoopChoice:
    """A plugin that chooses for each case with a coroutine function whether it is called in an event loop."""

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(
        self, pyfuncitem: pytest.Function
    ) -> Generator[None, object, object]:
        """Replace the coroutine function of a case with a plain one if its search needs no event loop of a plugin.

        The search is known only now, after the fixtures are set up.
        """
        __tracebackhide__ = True
        this = pyfuncitem.stash.get(CASE_RUN, None)
        if this is None or not inspect.iscoroutinefunction(this.function):
            return (yield)
        begin(this)
        before = pyfuncitem.obj
        # pytest-asyncio replaces the function of an item that it runs; anyio runs items with the fixture anyio_backend
        is_run_by_plugin = before is not this.function or pyfuncitem.funcargs.get(
            ANYIO_BACKEND
        )
        try:
            if not (is_run_by_plugin and is_awaited(this)):
                code = this.function.__code__
                plain = function_code(
                    code.co_varnames[: code.co_argcount], coroutine=False
                )
                pyfuncitem.obj = make_function(
                    plain,
                    code.co_filename,
                    code.co_firstlineno,
                    this.case.node_name,
                    this,
                )
            return (yield)
        except BaseException as error:
            if (searches := pyfuncitem.config.stash.get(SEARCHES, None)) is not None:
                searches.leave(
                    error
                )  # an exception may have left the loop of another plugin before its end
            raise
        finally:
            pyfuncitem.obj = before
            this.attempt.is_running = False


def _setting(config: pytest.Config, name: str) -> Any:
    """Return an option of pytest-asyncio or anyio, or its ini setting; None where the version installed has neither."""
    try:
        return config.getoption(name, None) or config.getini(name)
    except (KeyError, ValueError):
        return None


class Variant(NamedTuple):
    """The variant of an item: its name, None without parameters that count, and its number (from 0) in its case.

    `ends` are what follows the name of the case in the names of the items of this variant, if that is not the variant.
    `parameters` are the ids of the parameters that count, which `name` joins.
    """

    name: str | None
    number: int
    ends: Sequence[str] = ()
    parameters: Sequence[str] = ()


class Variants:
    """Determines the variant that an item runs in: the parameters that its ranking may depend on.

    These are the parameters of the fixtures that `search` and the `usefixtures` of the case depend on, found by
    argument names. The parameters of other fixtures do not count: of an unrelated autouse fixture, or of a plugin that
    repeats every test. A fixture that takes `request` may get any other fixture by name. So if one of the fixtures
    does, other than for `request.param`, all parameters of the project's own fixtures count.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._own = internals.OwnFixtures(config)

    def of(self, case: Case, items: Sequence[AnyItem]) -> Sequence[Variant]:
        """Return the variant of each item of a case, named by the ids of the parameters that count, joined by "-"."""
        found = [
            parameters
            for item in items
            if (parameters := internals.parameters_of(item)) is not None
        ]
        names: Sequence[str | None] = [None] * len(items)
        counting: frozenset[str] = frozenset()
        if found and len(found) == len(items):
            fixtures, arguments = (
                internals.fixtures_of(items[0]),
                frozenset(found[0].indices),
            )
            used = _closure((case.search, *case.usefixtures), fixtures)
            counting = arguments & used.keys()
            if any(
                _may_ask_for_others(chain)
                for name, chain in used.items()
                if name not in arguments
            ):
                counting |= {
                    name
                    for name in arguments - counting
                    if self._own.is_parameter(name, fixtures)
                }
            names = _ids(found, counting)
        by_variant: dict[str | None, list[AnyItem]] = {}
        for item, name in zip(items, names, strict=True):
            by_variant.setdefault(name, []).append(item)
        made = {
            name: Variant(name, number, _ends(name, of))
            for number, (name, of) in enumerate(by_variant.items())
        }
        return [
            made[name]._replace(parameters=_counting_ids(item, counting))
            for item, name in zip(items, names, strict=True)
        ]


def _counting_ids(item: AnyItem, counting: frozenset[str]) -> Sequence[str]:
    """Return the ids of the parameters of an item that its variant is named by."""
    found = internals.parameters_of(item)
    if found is None or not counting:
        return ()
    names = tuple(found.indices)
    if len(names) != len(found.ids):  # several arguments have one id
        return tuple(found.ids)
    pairs = zip(names, found.ids, strict=True)
    return tuple([its_id for name, its_id in pairs if name in counting])


def _closure(names: Iterable[str], fixtures: Fixtures) -> dict[str, list[Any]]:
    """Return the used definitions of the named fixtures, and of all fixtures that these depend on, by name.

    Used are the last definition of a fixture, and the overridden ones that it requests by its own name.
    """
    used: dict[str, list[Any]] = {}
    waiting = [*names]
    for name in waiting:
        if name in used:
            continue
        chain = used[name] = []
        for fixture in reversed(fixtures.get(name, ())):
            chain.append(fixture)
            waiting += fixture.argnames
            if name not in fixture.argnames:
                break
    return used


def _may_ask_for_others(chain: Iterable[Any]) -> bool:
    """Whether a fixture takes `request`, which gives access to any other. Fixtures of pytest itself do not count."""
    return any(
        "request" in fixture.argnames and not fixture.func.__module__.startswith(PYTEST)
        for fixture in chain
    )


def _ends(variant: str | None, items: Sequence[AnyItem]) -> Sequence[str]:
    """Return the ends of the names of the items of a variant, if they have parameters that it leaves out."""
    parameters = internals.parameters_of(items[0])
    if len(items) == 1 and (parameters is None or parameters.id == variant):
        return ()
    return [item.name.removeprefix(getattr(item, "originalname", "")) for item in items]


def _ids(found: Sequence[Parameters], counting: frozenset[str]) -> Sequence[str | None]:
    """Return the variants of the items of a case. `counting` are the arguments that the ranking may depend on."""
    names = tuple(found[0].indices)
    if not counting:
        return [None] * len(found)
    if any(
        len(names) != len(parameters.ids) for parameters in found
    ):  # several arguments have one id
        return [parameters.id for parameters in found]
    return [
        "-".join(
            part
            for name, part in zip(names, parameters.ids, strict=True)
            if name in counting
        )
        for parameters in found
    ]


# A fixture name cannot both begin and end with an underscore, so these names never hide a fixture.
_SYNC = "def case({arguments}*, _relevance_run_): _run_relevance_case_(_relevance_run_)"
_ASYNC = "async def case({arguments}*, _relevance_run_): await _run_relevance_case_async_(_relevance_run_)"

_RUN = "_relevance_run_"

_GLOBALS: dict[str, Any] = {
    "__name__": f"{__name__}.case",  # distinguishes these functions from the user's in a traceback
    "_run_relevance_case_": run,
    "_run_relevance_case_async_": run_async,
}


@cache
def function_code(arguments: tuple[str, ...], *, coroutine: bool) -> CodeType:
    """Return the code of the test functions of cases; `arguments` are the names of the fixtures that they request."""
    namespace: dict[str, Any] = {}
    exec(
        (_ASYNC if coroutine else _SYNC).format(
            arguments="".join(f"{name}, " for name in arguments)
        ),
        namespace,
    )
    code = namespace["case"].__code__
    assert isinstance(code, CodeType)
    return code


def make_function(
    code: CodeType, path: str, line: int, name: str, this: CaseRun | None = None
) -> FunctionType:
    """Return a function with this code, at a line of a file; `bind` sets its case run later."""
    function = FunctionType(
        code.replace(co_filename=path, co_firstlineno=line, co_name=name),
        _GLOBALS,
        name,
    )
    function.__kwdefaults__ = {_RUN: this}
    return function


def bind(this: CaseRun, *, is_shared: bool) -> None:
    """Set the case run of an item's function. An item that shares the function with others gets a copy of its own.

    The copy has the attributes that other plugins set on the function when they parametrised it.
    """
    item = this.item
    assert isinstance(item, pytest.Function)
    function = item.obj
    if is_shared or not isinstance(function, FunctionType):
        function = FunctionType(
            this.function.__code__, _GLOBALS, this.function.__name__
        )
        function.__dict__.update(this.function.__dict__)
        item.obj = this.function = function
    function.__kwdefaults__ = {_RUN: this}
