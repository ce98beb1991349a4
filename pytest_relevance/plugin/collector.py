"""A case file as a pytest collector whose cases are real test functions.

Each case becomes a function made from a one-line template whose code says it stands in the case file, at the line of
the case. It goes through `pytest_pycollect_makeitem` like any other test function, and so gets fixtures of every scope,
parametrisation, marks, and the item classes of pytest-asyncio and anyio.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType

import pytest

from pytest_relevance.cases.model import Case, Suite
from pytest_relevance.cases.names import OWNED_TAGS
from pytest_relevance.cases.problems import CaseFileError
from pytest_relevance.cases.reader import read_suite
from pytest_relevance.plugin import reporting, running
from pytest_relevance.plugin.failures import CaseFailure, shown_path
from pytest_relevance.plugin.loops import ANYIO, PYTEST_ASYNCIO, LoopScopes, has_plugin

OWN_TAGS: pytest.StashKey[set[str]] = pytest.StashKey()
"""The tags that this plugin has registered as markers itself."""


class CaseModule(ModuleType):
    """Stands for the Python module that pytest expects above test functions.

    pytest looks the function of an item up by name. Only the function that is being collected is ever found here, so
    that no query can take the place of something pytest asks a module for.
    """

    collecting: object = None

    def __getattr__(self, name: str) -> object:
        """The function that is being collected, when that is its name."""
        function = self.collecting
        if isinstance(function, FunctionType) and function.__name__ == name:
            return function
        raise AttributeError(name)


class CaseFile(pytest.Module):
    """Collects the cases of one file."""

    def _getobj(self) -> CaseModule:
        module = CaseModule(self.path.name)
        module.__file__ = str(self.path)
        return module

    def istestfunction(self, obj: object, name: str) -> bool:
        """Every function made here is a test, whatever its name."""
        return isinstance(obj, FunctionType)

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """Read the file and make its cases items. All mistakes of the file are one collection error."""
        reporting.install(self.config)
        try:
            suite = read_suite(self.path, owned_tags=_owned_tags(self.config))
        except CaseFileError as error:
            raise self.CollectError(str(CaseFileError(shown_path(self.path, self.config), error.problems))) from None
        except OSError as error:
            raise self.CollectError(f"{shown_path(self.path, self.config)}: cannot be read: {error}") from None
        _register(self.config, suite)
        return self._items(suite)

    def _items(self, suite: Suite) -> Iterator[pytest.Item | pytest.Collector]:
        module = self.obj
        assert isinstance(module, CaseModule)
        makeitem = self.ihook.pytest_pycollect_makeitem
        marks = _Marks()
        has_asyncio = has_plugin(self.config, PYTEST_ASYNCIO)
        template = running.Templates(str(self.path), coroutines=has_asyncio or has_plugin(self.config, ANYIO))
        scopes = LoopScopes(self) if has_asyncio else None
        file = shown_path(self.path, self.config)
        for case in suite.cases:
            function = template.function(case)
            module.collecting = function
            made = makeitem(collector=self, name=function.__name__, obj=function)
            if scopes is not None and scopes.must_make_anew(case, made):
                made = makeitem(collector=self, name=function.__name__, obj=function)
            for item in made:
                if scopes is not None:
                    scopes.mark(case, item)
                item.stash[running.RUN] = running.CaseRun(case, file, function, running.variant(item))
                item.extra_keyword_matches.add(case.query)
                for mark in marks.of(case):
                    item.add_marker(mark)
                yield item
        module.collecting = None


class _Marks:
    """The marks of cases, each made once a file."""

    def __init__(self) -> None:
        self._tags: dict[str, pytest.MarkDecorator] = {}

    def of(self, case: Case) -> Iterable[pytest.MarkDecorator]:
        for tag in case.tags:
            if tag not in self._tags:
                self._tags[tag] = getattr(pytest.mark, tag)
            yield self._tags[tag]
        if case.skip is not None:
            yield pytest.mark.skip(reason=case.skip)
        if case.xfail is not None:
            strict = {} if case.xfail.strict is None else {"strict": case.xfail.strict}
            yield pytest.mark.xfail(reason=case.xfail.reason, raises=CaseFailure, **strict)


def _marker_names(config: pytest.Config) -> frozenset[str]:
    return frozenset(line.split(":")[0].split("(")[0].strip() for line in config.getini("markers"))


def _owned_tags(config: pytest.Config) -> frozenset[str]:
    """The markers that somebody else registered: pytest, a plugin, the project."""
    return (_marker_names(config) | OWNED_TAGS) - _own_tags(config)


def _own_tags(config: pytest.Config) -> set[str]:
    tags: set[str] = set()
    return config.stash.setdefault(OWN_TAGS, tags)


def _register(config: pytest.Config, suite: Suite) -> None:
    own = _own_tags(config)
    for tag in dict.fromkeys(tag for case in suite.cases for tag in case.tags):
        if tag not in own:
            own.add(tag)
            config.addinivalue_line("markers", f"{tag}: relevance cases with this tag")
