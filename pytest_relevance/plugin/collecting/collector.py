"""A case file as a pytest collector whose cases are real test functions.

Each case becomes a function (`items`) that goes through `pytest_pycollect_makeitem` like any other test function, and
so gets fixtures of every scope, parametrisation, marks, and the item classes of pytest-asyncio and anyio. Where no
other plugin implements the hooks of that step, it is done once for all cases that request the same fixtures.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING

import pytest

from pytest_relevance._files import digest_files
from pytest_relevance._paused_gc import paused_gc
from pytest_relevance.cases.conditions import gate_values
from pytest_relevance.cases.model import OWNED_TAGS, Case, Suite
from pytest_relevance.cases.problems import CaseFileError
from pytest_relevance.cases.reader import load_suite
from pytest_relevance.judgments.problems import RelevanceWarning
from pytest_relevance.plugin import reporting
from pytest_relevance.plugin.collecting.items import (
    CaseFunctions,
    CaseMarks,
    ItemPatterns,
    bind,
    only_pytest_makes_items,
)
from pytest_relevance.plugin.collecting.loops import ANYIO, PYTEST_ASYNCIO, AsyncFixtures, LoopScopes, has_plugin
from pytest_relevance.plugin.collecting.variants import Variants
from pytest_relevance.plugin.failures import shown_path
from pytest_relevance.plugin.options import requires_baseline, tolerance
from pytest_relevance.plugin.private import AnyItem, parameters_of
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running.case_run import CASE_RUN, CaseRun
from pytest_relevance.results.baseline.file import SUFFIX, has_baseline, orphaned_baselines
from pytest_relevance.results.run_info import FileInfo

if TYPE_CHECKING:
    from pytest_relevance.results.baseline.comparison import Baseline

OWN_TAGS: pytest.StashKey[set[str]] = pytest.StashKey()
"""The tags that this plugin registered as markers."""


FIRST_WORKER = "gw0"
"""The id of pytest-xdist's first worker."""


class CaseModule(ModuleType):
    """The module object that pytest expects as the parent of test functions.

    pytest looks up the function of an item by its name. Only the function that is being collected is found, so that no
    case can hide an attribute that pytest reads from modules.
    """

    collecting: object = None

    def __getattr__(self, name: str) -> object:
        """Return the function that is being collected. Raises AttributeError for any other name."""
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
        """Whether an object is a test: every function of this module is, whatever its name."""
        return isinstance(obj, FunctionType)

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        """Read the file and return an item for each case and variant.

        Raises `CollectError` where the file or its baseline cannot be read; one error lists all mistakes of the file.
        """
        reporting.install(self.config)
        with paused_gc():
            return self._collected()

    def _collected(self) -> list[pytest.Item | pytest.Collector]:
        shown, option = shown_path(self.path, self.config), self.config.option
        try:
            before = digest_files([self.path]) if option.relevance_ratchet else ""
            suite = load_suite(self.path, shown=shown, owned_tags=_owned_tags(self.config))
        except CaseFileError as error:
            raise self.CollectError(str(error)) from None
        except OSError as error:
            raise self.CollectError(f"{shown}: cannot be read: {error}") from None
        if suite.warnings:
            self._warn(suite.warnings, shown)
        _register(self.config, suite)
        self._baseline = self._read_baseline(shown)
        items = list(self._items(suite, shown))
        digest = digest_files([self.path, *suite.files]) if option.relevance_record is not None else ""
        info = self._info(suite, [item.stash[CASE_RUN] for item in items], digest, before)
        run_store(self.config).announce(shown, info, travels=hasattr(self.config, "workerinput"))
        return items

    def _read_baseline(self, shown: str) -> Baseline | None:
        """Return the baseline of the file, or None if it has none.

        Raises `CollectError` where the baseline cannot be read, or is missing and required.
        """
        option = self.config.option
        if not has_baseline(self.path):
            self._warn(map(_orphan, orphaned_baselines(self.path.parent)), shown)
            if option.relevance_update is None and requires_baseline(self.config):
                raise self.CollectError(_MISSING.format(file=f"{shown}{SUFFIX}"))
            return None
        from pytest_relevance.results.baseline.comparison import Baseline
        from pytest_relevance.results.baseline.file import baseline_path, read_baseline
        from pytest_relevance.results.run_info import RecordError

        try:
            return Baseline(read_baseline(baseline_path(self.path), f"{shown}{SUFFIX}"))
        except RecordError as error:
            raise self.CollectError(str(error)) from None

    def _info(self, suite: Suite, runs: Sequence[CaseRun], digest: str, text_digest: str) -> FileInfo:
        """Return the `FileInfo` of the file: totals, gates, digests, orphaned baseline entries."""
        cases = dict.fromkeys((run.case.id, run.case.search, run.variant) for run in runs)  # repeats count once
        counts = Counter((search, variant) for _, search, variant in cases)
        variants = Counter(case for case, *_ in cases)
        gates = [
            {**gate_values(gate), "line": line} for gate, line in zip(suite.terms.gates, suite.gate_lines, strict=True)
        ]
        keys = ((run.case.id, run.variant) for run in runs)
        return FileInfo(
            path=str(self.path),
            node=self.nodeid,
            digest=digest,
            text_digest=text_digest,
            totals=tuple((search, variant, count) for (search, variant), count in counts.items()),
            items={case: count for case, count in variants.items() if count > 1},
            gates=tuple(gates),
            orphans=None if self._baseline is None else tuple(self._baseline.collected(keys)),
            unjudged=suite.unjudged_words,
        )

    def _warn(self, messages: Iterable[str], shown: str) -> None:
        """Issue warnings about the file, in a run with pytest-xdist only on the first worker.

        Raises `CollectError` where the project turns warnings into errors: on every worker, as all must collect the
        same items.
        """
        worker = getattr(self.config, "workerinput", {}).get("workerid", FIRST_WORKER)
        with nullcontext() if worker == FIRST_WORKER else warnings.catch_warnings(record=True):
            for message in messages:
                try:
                    self.warn(RelevanceWarning(message))
                except RelevanceWarning:
                    raise self.CollectError(f"{shown}: {message}") from None

    def _items(self, suite: Suite, shown: str) -> Iterator[AnyItem]:
        self._suite = suite
        self._fit = self._fitter(shown)
        make = self._maker()
        fixtures = AsyncFixtures(self.config)
        for case in suite.cases:
            function, items = make(case)
            fixtures.look_at(case, items)
            self._fit(items, case, function)
            yield from items

    def adopt(self, items: Iterable[pytest.Function]) -> None:
        """Set up items that a plugin, such as anyio, made as replacements of the collected ones."""
        cases = {case.node_name: case for case in self._suite.cases}
        made: dict[str, list[pytest.Function]] = {}
        for item in items:
            made.setdefault(item.originalname, []).append(item)
        for name, of_case in made.items():
            self._fit(of_case, cases[name], of_case[0].function)

    def _fitter(self, shown: str) -> Callable[[Sequence[AnyItem], Case, FunctionType], None]:
        """Return a function that sets up the items of a case: case run, variant and marks."""
        marks, variants = CaseMarks(), Variants(self.config)
        path, usual = str(self.path), tolerance(self.config)

        def fit(items: Sequence[AnyItem], case: Case, function: FunctionType) -> None:
            found = variants.of(case, items)
            names = _names(items, found)
            own = case.terms.tolerance
            for item, variant in zip(items, found, strict=True):
                assert isinstance(item, pytest.Item)
                run = item.stash[CASE_RUN] = CaseRun(
                    case,
                    item,
                    shown,
                    path,
                    function=function,
                    variant=variant,
                    tolerance=usual if own is None else own,
                    baseline=self._baseline,
                    items=names.get(variant, ()),
                )
                bind(run, is_shared=len(items) > 1)
                item.extra_keyword_matches.add(case.query)
                for mark in marks.of(case):
                    item.add_marker(mark)

        return fit

    def _maker(self) -> Callable[[Case], tuple[FunctionType, Sequence[AnyItem]]]:
        """Return a function that makes the test function of a case and its items: one for each set of parameters."""
        module = self.obj
        assert isinstance(module, CaseModule)
        makeitem = self.ihook.pytest_pycollect_makeitem
        has_asyncio = has_plugin(self.config, PYTEST_ASYNCIO)
        coroutines = has_asyncio or has_plugin(self.config, ANYIO)
        functions = CaseFunctions(str(self.path), self._suite.queries_line, coroutines=coroutines)
        scopes = LoopScopes(self) if has_asyncio else None
        patterns = ItemPatterns(self) if not coroutines and only_pytest_makes_items(self) else None

        def make(case: Case) -> tuple[FunctionType, Sequence[AnyItem]]:
            function = functions.make(case)
            if patterns is not None and (copied := patterns.items(case, function)):
                return function, copied
            module.collecting = function
            make_items = partial(makeitem, collector=self, name=function.__name__, obj=function)
            made = make_items() if scopes is None else scopes.items(case, make_items)
            module.collecting = None
            if patterns is not None:
                patterns.keep(case, function, made)
            return function, made

        return make


def _names(
    items: Sequence[pytest.Item | pytest.Collector], variants: Sequence[str | None]
) -> Mapping[str | None, Sequence[str]]:
    """Return the names of the items of a case by variant, where they contain parameters that the variant does not."""
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
    """Return the warning about a baseline whose case file is gone, in the folder of a case file without a baseline."""
    gone = baseline.removesuffix(SUFFIX)
    return f"{baseline} is the baseline of {gone}, which is gone: rename it with its case file, or delete it"


def _marker_names(config: pytest.Config) -> frozenset[str]:
    return frozenset(line.split(":")[0].split("(")[0].strip() for line in config.getini("markers"))


def _owned_tags(config: pytest.Config) -> frozenset[str]:
    """Return the names of markers registered by pytest, other plugins or the project. They cannot be tags."""
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
