"""A case file as a pytest collector whose cases are real test functions.

Each case becomes a function made from a one-line template whose code says it stands in the case file, at the line of
the case. It goes through `pytest_pycollect_makeitem` like any other test function, and so gets fixtures of every scope,
parametrisation, marks, and the item classes of pytest-asyncio and anyio. Where only pytest itself has a say in that, it
does so once for all cases that request the same fixtures.
"""

from __future__ import annotations

import gc
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.cases.gates import gate_values
from pytest_relevance.cases.model import Case, Suite
from pytest_relevance.cases.names import OWNED_TAGS
from pytest_relevance.cases.problems import CaseFileError
from pytest_relevance.cases.reader import load_suite
from pytest_relevance.cases.sources.queries import unjudged_words
from pytest_relevance.garbage import garbage_kept
from pytest_relevance.judgments.problems import RelevanceWarning
from pytest_relevance.plugin import reporting, running
from pytest_relevance.plugin.failures import CaseFailure, shown_path
from pytest_relevance.plugin.internals import parameters_of, pattern_of
from pytest_relevance.plugin.ledger import FileFacts, ledger_of
from pytest_relevance.plugin.loops import ANYIO, PYTEST_ASYNCIO, AsyncFixtures, LoopScopes, has_plugin
from pytest_relevance.plugin.options import requires_baseline
from pytest_relevance.plugin.variants import Variants
from pytest_relevance.runs.beside import SUFFIX, has_baseline, orphans
from pytest_relevance.runs.facts import content_of

if TYPE_CHECKING:
    from pytest_relevance.plugin.baselines import Baseline

OWN_TAGS: pytest.StashKey[set[str]] = pytest.StashKey()
"""The tags that this plugin has registered as markers itself."""


FIRST_WORKER = "gw0"
"""What pytest-xdist calls the first of its workers."""

MANY = 1000
"""From how many items of one file on their number is a burden to the garbage collector."""


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

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        """Read the file and make its cases items. All mistakes of the file are one collection error."""
        reporting.install(self.config)
        with garbage_kept():
            return self._collected()

    def _collected(self) -> list[pytest.Item | pytest.Collector]:
        shown = shown_path(self.path, self.config)
        ratchets, data = self.config.option.relevance_ratchet, b""
        try:
            if ratchets:  # before it is read, so that no change in between is missed
                data = self.path.read_bytes()
            suite = load_suite(self.path, shown=shown, owned_tags=_owned_tags(self.config))
        except CaseFileError as error:
            raise self.CollectError(str(error)) from None
        except OSError as error:
            raise self.CollectError(f"{shown}: cannot be read: {error}") from None
        if suite.warnings:
            self._warn(suite.warnings, shown)
        _register(self.config, suite)
        self._baseline = self._read_baseline(shown)
        items = list(self._items(suite))
        self._announce(suite, shown, items)
        if ratchets:
            from pytest_relevance.plugin import ratchet

            ratchet.note(self.config, shown, data, (item.stash[running.RUN] for item in items))
        if len(items) >= MANY:
            gc.freeze()  # nor later, until `Reporting.pytest_unconfigure`: a tenth of the whole run
            self.config.stash[reporting.FROZEN] = True
        return items

    def _read_baseline(self, shown: str) -> Baseline | None:
        """The baseline of the file, where it has one."""
        if not has_baseline(self.path):
            self._warn(map(_orphan, orphans(self.path.parent)), shown)
            if self.config.option.relevance_update is None and requires_baseline(self.config):
                raise self.CollectError(_MISSING.format(file=f"{shown}{SUFFIX}"))
            return None
        from pytest_relevance.plugin.baselines import Baseline
        from pytest_relevance.runs.run import RecordError

        try:
            return Baseline(self.config, self.path, shown)
        except RecordError as error:
            raise self.CollectError(str(error)) from None

    def _announce(self, suite: Suite, shown: str, items: Iterable[pytest.Item | pytest.Collector]) -> None:
        """Leave in the ledger what there is to know of the file beyond its cases."""
        runs = [item.stash[running.RUN] for item in items]
        cases = dict.fromkeys((run.case.id, run.case.search, run.variant) for run in runs)  # repeats count once
        counts = Counter((search, variant) for _, search, variant in cases)
        totals = [(search, variant, count) for (search, variant), count in counts.items()]
        gates = [
            {**gate_values(gate), "line": line} for gate, line in zip(suite.terms.gates, suite.gate_lines, strict=True)
        ]
        content = content_of(self.path, suite.files) if self.config.option.relevance_record is not None else ""
        gone = None if self._baseline is None else self._baseline.collected((run.case.id, run.variant) for run in runs)
        unjudged = unjudged_words(suite.unjudged, suite.listed) if suite.unjudged else ""
        facts = FileFacts(str(self.path), totals, gates, self.nodeid, content, gone, unjudged)
        ledger_of(self.config).announce(shown, facts, travels=hasattr(self.config, "workerinput"))

    def _warn(self, messages: Iterable[str], shown: str) -> None:
        """Issue warnings about the file: once, though every worker of pytest-xdist reads it.

        Where the project makes errors of warnings, each worker must see that too: all shall collect the same.
        """
        worker = getattr(self.config, "workerinput", {}).get("workerid", FIRST_WORKER)
        with nullcontext() if worker == FIRST_WORKER else warnings.catch_warnings(record=True):
            for message in messages:
                try:
                    self.warn(RelevanceWarning(message))
                except RelevanceWarning:
                    raise self.CollectError(f"{shown}: {message}") from None

    def _items(self, suite: Suite) -> Iterator[pytest.Item | pytest.Collector]:
        self._suite = suite
        make = self._maker()
        self._fit = self._fitter()
        fixtures = AsyncFixtures(self.config)
        for case in suite.cases:
            function, items = make(case)
            fixtures.look_at(case, items)
            self._fit(items, case, function)
            yield from items

    def adopt(self, items: Iterable[pytest.Function]) -> None:
        """Fit items that a plugin made in the place of those that were collected, as anyio does."""
        cases = {case.node_name: case for case in self._suite.cases}
        made: dict[str, list[pytest.Function]] = {}
        for item in items:
            made.setdefault(item.originalname, []).append(item)
        for name, of_case in made.items():
            self._fit(of_case, cases[name], of_case[0].function)

    def _fitter(self) -> Callable[[Sequence[pytest.Item | pytest.Collector], Case, FunctionType], None]:
        """What gives all items of a case that case, their variants, and the marks of the case."""
        marks, variants = _Marks(), Variants(self.config)
        file = shown_path(self.path, self.config)

        def fit(items: Sequence[pytest.Item | pytest.Collector], case: Case, function: FunctionType) -> None:
            found = variants.of(case, items)
            names = _names(items, found)
            for item, variant in zip(items, found, strict=True):
                item.stash[running.RUN] = this = running.CaseRun(case, file, function, variant)
                this.baseline = self._baseline
                this.names = names.get(variant, ())
                item.extra_keyword_matches.add(case.query)
                for mark in marks.of(case):
                    item.add_marker(mark)

        return fit

    def _maker(self) -> Callable[[Case], tuple[FunctionType, Sequence[pytest.Item | pytest.Collector]]]:
        """What makes the function of a case and its items: one, or as many as its fixtures have parameters."""
        module = self.obj
        assert isinstance(module, CaseModule)
        makeitem = self.ihook.pytest_pycollect_makeitem
        has_asyncio = has_plugin(self.config, PYTEST_ASYNCIO)
        coroutines = has_asyncio or has_plugin(self.config, ANYIO)
        template = running.Templates(str(self.path), self._suite.queries_line, coroutines=coroutines)
        scopes = LoopScopes(self) if has_asyncio else None
        copies = _Copies(self) if not coroutines and _only_pytest_makes_items(self) else None

        def make(case: Case) -> tuple[FunctionType, Sequence[pytest.Item | pytest.Collector]]:
            function = template.function(case)
            if copies is not None and (copied := copies.of(case, function)):
                return function, copied
            module.collecting = function
            make_items = partial(makeitem, collector=self, name=function.__name__, obj=function)
            made = make_items() if scopes is None else scopes.items(case, make_items)
            module.collecting = None
            if copies is not None:
                copies.keep(case, function, made)
            return function, made

        return make


class _Copies:
    """Items after the pattern of those that pytest made for an earlier case that requests the same fixtures.

    Looking a function's fixtures up and asking for its parameters is most of what collecting costs, and comes out the
    same for all cases that request the same fixtures. It is pytest's own way with the parameters of one function:
    items that share what was found out about its fixtures.
    """

    def __init__(self, file: CaseFile) -> None:
        self._file = file
        self._patterns: dict[tuple[str, ...], list[tuple[str, dict[str, Any]]]] = {}

    def keep(self, case: Case, function: FunctionType, made: Sequence[pytest.Item | pytest.Collector]) -> None:
        """Keep what pytest made as a pattern, if it is what pytest makes by itself."""
        pattern, key = [], (case.search, *case.usefixtures)
        for item in made:
            keywords = pattern_of(item)
            if keywords is None:
                return
            pattern.append((item.name.removeprefix(function.__name__), keywords))
        self._patterns[key] = pattern

    def of(self, case: Case, function: FunctionType) -> list[pytest.Function]:
        """The items of a case, or none where there is no pattern for it yet."""
        name = function.__name__
        make = pytest.Function.from_parent
        return [
            make(self._file, name=name + parameters, callobj=function, originalname=name, **keywords)
            for parameters, keywords in self._patterns.get((case.search, *case.usefixtures), ())
        ]


def _names(
    items: Sequence[pytest.Item | pytest.Collector], variants: Sequence[str | None]
) -> Mapping[str | None, Sequence[str]]:
    """The names of the items of a case by variant, where parameters that are none of its search's are in them."""
    by_variant: dict[str | None, list[pytest.Item | pytest.Collector]] = {}
    for item, variant in zip(items, variants, strict=True):
        by_variant.setdefault(variant, []).append(item)
    found = {}
    for variant, group in by_variant.items():
        parameters = parameters_of(group[0])
        if len(group) > 1 or (parameters is not None and parameters.id != variant):
            found[variant] = [item.name for item in group]
    return found


_MISSING = (
    "{file} is missing, and relevance_baseline is require: restore it (is it committed, or ignored by .gitignore?), or "
    "make it with --relevance-update"
)


def _orphan(baseline: str) -> str:
    """What to say of a baseline that is left behind, beside a case file that has none."""
    gone = baseline.removesuffix(SUFFIX)
    return f"{baseline} is the baseline of {gone}, which is gone: rename it with its case file, or delete it"


def _only_pytest_makes_items(file: CaseFile) -> bool:
    """Whether nobody but pytest has a say in what items a function becomes (a conftest that parametrises, say)."""
    hooks = file.ihook
    return all(
        impl.function.__module__.startswith("_pytest.")
        for hook in (hooks.pytest_pycollect_makeitem, hooks.pytest_generate_tests)
        for impl in hook.get_hookimpls()
    )


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
