"""The items of a case file: pytest's test functions, one for each case and variant.

A result is stored under the node id of its item, and compared under its variant. So two
items with one name, two variants with one name, and two files with one node id are
refused. pytest joins the ids of parameters by "-", so the parameters `a` and `b-c` give
the same name as `a-b` and `c`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from inspect import Parameter, Signature
from typing import Any

import pytest

from pytest_relevance._text import printable, quoted
from pytest_relevance.cases.model import Case
from pytest_relevance.plugin import pytest_internals as internals
from pytest_relevance.plugin.exceptions import CaseFailure
from pytest_relevance.plugin.item_variants import KnownVariant, Variant, variants_of
from pytest_relevance.plugin.loops import CaseLoop, Loops
from pytest_relevance.plugin.paths import shown_path
from pytest_relevance.plugin.pytest_internals import Fixtures, parameters_of
from pytest_relevance.plugin.running.case_run import (
    CaseRun,
    case_run_of,
    item_is_not_ours,
)
from pytest_relevance.plugin.running.run_case import run, run_async

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


@dataclass(frozen=True, slots=True)
class CaseItem:
    """An item of a case, with its variant.

    `search_folder`: the folder that defines the search fixture, as in node ids.
    """

    item: pytest.Item
    variant: Variant
    search_folder: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """The items of the first case that names certain fixtures, and their loop.

    Later cases with the same fixtures get items like these.
    """

    items: Sequence[pytest.Function]
    loop: CaseLoop

    @property
    def can_be_followed(self) -> bool:
        """Say whether items of other cases can be made like these.

        They cannot if a plugin took the only item away, or made one of its own class.
        """
        if self.loop.is_async or not self.items:
            return False
        return all(type(item) is pytest.Function for item in self.items)


class ItemMaker:
    """Makes the items of the cases of one file."""

    def __init__(self, file: pytest.Module, queries_line: int) -> None:
        """Prepare to make the items of a file.

        `queries_line`: the line of the key `queries` in the case file. It is the line
            of the cases that another file lists.
        """
        self._file = file
        self._hooks = file.ihook  # pytest looks for conftests each time it is asked
        self._queries_line = queries_line
        self._loops = Loops(file.config)
        self._patterns: dict[tuple[str, ...], Pattern] = {}

    def make(self, case: Case) -> list[CaseItem]:
        """Return the items of a case, one for each set of parameters.

        If the hook `pytest_relevance_variants` knows the variants, as in a replay, the
        case requests no fixtures.

        Raises `CollectError` if the plugin of pytest that makes items is blocked.
        """
        # calling a hook without implementations takes time
        if self._file.config.hook.pytest_relevance_variants.get_hookimpls():
            known = self._hooks.pytest_relevance_variants(file=self._file, case=case)
            if known is not None:
                return self._make_without_fixtures(case, known)
        items, loop = self._items_and_loop(case)
        folder = ""
        definitions = _fixtures_of(items).get(case.search)
        if definitions:
            folder = str(definitions[-1].baseid)
        made = []
        for item, variant in zip(items, variants_of(case, items), strict=True):
            self._set_up(item, case, is_async=loop.is_async)
            made.append(CaseItem(item, variant, folder))
        return made

    def _make_without_fixtures(
        self, case: Case, known: Sequence[KnownVariant]
    ) -> list[CaseItem]:
        """Return the items of a case that requests no fixtures, one for each variant.

        If the variants have names, the function of the case has one parameter with
        these names as ids. The parameter is called like the search fixture.
        """
        function = _case_function((), is_async=False)
        names = [variant.name for variant in known]
        if names != [None]:
            function = _case_function((case.search,), is_async=False)
            ids = [_before_escaping(str(name)) for name in names]
            pytest.mark.parametrize(case.search, names, ids=ids)(function)
        items = self._items_of(case, function)
        made = []
        for item, variant in zip(items, variants_of(case, items), strict=True):
            self._set_up(item, case, is_async=False)
            of_item = known[variant.number]
            variant = replace(variant, name=of_item.name)
            made.append(CaseItem(item, variant, of_item.search_folder))
        return made

    def _items_and_loop(self, case: Case) -> tuple[list[pytest.Function], CaseLoop]:
        """Return the items of a case, and the event loop that they run in.

        pytest makes the items of the first case that names certain fixtures, with their
        parameters. Later cases with the same fixtures get items like these. pytest is
        not asked again, because that takes time.
        """
        fixtures = (*case.usefixtures, case.search)
        pattern = self._patterns.get(fixtures)
        if pattern is None:
            items, loop = self._collect_in_loop(case)
            self._patterns[fixtures] = Pattern(items, loop)
            return items, loop
        if not pattern.can_be_followed:
            return self._collect(case, pattern.loop), pattern.loop
        items = []
        for item in pattern.items:
            items.append(internals.item_like(item, case.node_name))
        return items, pattern.loop

    def _collect_in_loop(self, case: Case) -> tuple[list[pytest.Function], CaseLoop]:
        """Return the items of a case, and the event loop that they run in.

        The loop depends on the fixtures of the case, which pytest finds only while it
        makes items. So the items may have to be made twice.
        """
        items = self._collect(case, self._loops.usual)
        loop = self._loops.of(case.search, _fixtures_of(items))
        if loop != self._loops.usual:
            items = self._collect(case, loop)
        return items, loop

    def _collect(self, case: Case, loop: CaseLoop) -> list[pytest.Function]:
        """Return the items of a case whose function runs in a loop, or in none.

        Raises `CollectError` if `-p no:python` blocks the plugin that makes items.
        """
        # usefixtures come before the search, as they may set up the state that it needs
        fixtures = [*case.usefixtures, case.search]
        function = _case_function(fixtures, is_async=loop.is_async)
        if loop.scope is not None:
            pytest.mark.asyncio(loop_scope=loop.scope)(function)
        return self._items_of(case, function)

    def _items_of(self, case: Case, function: Any) -> list[pytest.Function]:
        """Return the items that pytest and its plugins make of the function of a case.

        Raises `CollectError` if `-p no:python` blocks the plugin that makes them.
        """
        file, name = self._file, case.node_name
        function.__name__ = name
        setattr(file.obj, name, function)  # pytest looks it up by its name
        try:
            items = self._hooks.pytest_pycollect_makeitem(
                collector=file, name=name, obj=function
            )
        finally:
            delattr(file.obj, name)
        if items is None:
            shown = shown_path(file.path, file.config)
            raise file.CollectError(
                f"{shown}: cases need the plugin that -p no:python blocks"
            )
        # pytest has read these attributes, and -k would find cases by their names
        for attribute in ("__signature__", "pytestmark"):
            vars(function).pop(attribute, None)
        return [*items]

    def _set_up(self, item: Any, case: Case, *, is_async: bool) -> None:
        """Set the line, the fixtures, the query, the marks and the function of an item.

        `is_async`: whether the function is a coroutine function, which stays.
        """
        path = str(self._file.path)
        line = case.line if case.source is None else self._queries_line
        item.reportinfo = lambda: (path, line - 1, item.name)
        # the items of a function share one list, to which a conftest may append
        item.fixturenames = [*item.fixturenames]
        item.extra_keyword_matches.add(case.query)
        for mark in _marks_of(case):
            item.add_marker(mark)
        if not is_async:
            item.obj = _function_of(item)


def _before_escaping(name: str) -> str:
    r"""Return the id that pytest escapes to `name`: `é` for the name `\xe9`."""
    try:
        return name.encode("ascii").decode("unicode_escape")
    except UnicodeError:  # the project has switched the escaping off
        return name


def _fixtures_of(items: Sequence[pytest.Item]) -> Fixtures:
    """Return the fixtures of the items of a case: {name: definitions}."""
    return internals.fixtures_of(items[0]) if items else {}


def _case_function(fixtures: Sequence[str], *, is_async: bool) -> Callable[..., object]:
    """Return a function from which pytest makes the items of a case.

    pytest reads from its signature which fixtures the case requests. A coroutine
    function runs the case itself. A plain function would need the fixture `request` to
    find its item, and pytest sets that up slowly. So the plain function only raises an
    error, and `_set_up` replaces it for each item by that of `_function_of`.
    """

    async def run_case_async(request: pytest.FixtureRequest, **_: object) -> None:
        await run_async(case_run_of(request.node))

    def refuse_to_run(**_: object) -> None:
        raise item_is_not_ours()

    function: Any = run_case_async if is_async else refuse_to_run
    names = ("request", *fixtures) if is_async else tuple(fixtures)
    function.__signature__ = _signature_of(names)
    return function  # type: ignore[no-any-return]


def _function_of(item: pytest.Function) -> Callable[..., None]:
    """Return a plain function that runs the case of an item.

    It has the name and the attributes of the function that pytest collected.
    """

    def run_case(**_: object) -> None:
        run(case_run_of(item))

    run_case.__name__ = item.originalname
    vars(run_case).update(vars(item.obj))
    return run_case


@cache
def _signature_of(names: tuple[str, ...]) -> Signature:
    parameters = []
    for name in dict.fromkeys(names):
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY))
    return Signature(parameters)


def _marks_of(case: Case) -> Iterator[pytest.MarkDecorator | str]:
    """Yield the tags of a case, and its marks `skip` and `xfail`."""
    yield from case.tags
    if case.skip is not None:
        yield pytest.mark.skip(reason=case.skip)
    if case.xfail is not None:
        strict = {} if case.xfail.strict is None else {"strict": case.xfail.strict}
        yield pytest.mark.xfail(reason=case.xfail.reason, raises=CaseFailure, **strict)


_REMEDY = "give a parameter another id: @pytest.fixture(params=[...], ids=[...])"


def why_same_names(runs: Iterable[CaseRun]) -> str:
    """Return why two items or variants of a file share a name; "" if none do."""
    by_name: dict[str, CaseRun] = {}
    by_variant: dict[tuple[str, str | None], CaseRun] = {}
    for case_run in runs:
        other = by_name.setdefault(case_run.item.name, case_run)
        if other is not case_run:
            return _clash_text("items", case_run.item.name, other, case_run)
        first = by_variant.setdefault((case_run.case.id, case_run.variant), case_run)
        if first.variant_parameters != case_run.variant_parameters:
            return _clash_text("variants", str(case_run.variant), first, case_run)
    return ""


def why_same_node(file: pytest.Collector, other: str | None) -> str:
    """Return why a file has the node id of another file; "" if its node id is unique.

    If a file is outside of the root folder, pytest makes its node id from the argument
    of the command line.

    `other`: the path of the file that was collected under the node id; None if there
        was none.
    """
    if other is None or other == str(file.path):
        return ""
    return (
        f"{printable(str(file.path))} and {printable(other)} have the same node id, "
        f"{quoted(file.nodeid)}: run pytest with a --rootdir that holds both"
    )


def _clash_text(kind: str, name: str, first: CaseRun, second: CaseRun) -> str:
    """Return a sentence about two items or variants of a case with the same name."""
    return (
        f"two {kind} of case {quoted(first.case.id)} have the name {quoted(name)}: "
        f"{_parameters(first)} and {_parameters(second)}; {_REMEDY}"
    )


def _parameters(case_run: CaseRun) -> str:
    """Return the parameters of an item as text: `ranker=a, index=b-c`."""
    found = parameters_of(case_run.item)
    if found is None:
        return "no parameters"
    names = tuple(found.indices)
    if len(names) != len(found.ids):  # several parameters have one id
        return printable(", ".join(found.ids))
    pairs = zip(names, found.ids, strict=True)
    return printable(", ".join(f"{name}={its_id}" for name, its_id in pairs))
