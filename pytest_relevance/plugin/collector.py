"""A case file as a collector of pytest: it reads the file and its baseline."""

from __future__ import annotations

import re
import warnings
from contextlib import nullcontext
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING

import pytest

from pytest_relevance._files import digest_files
from pytest_relevance._problems import RelevanceWarning
from pytest_relevance.cases.location import CaseFileError
from pytest_relevance.cases.model import Suite
from pytest_relevance.cases.names import OWNED_TAGS
from pytest_relevance.cases.reader import load_suite
from pytest_relevance.metrics.metric import MetricError
from pytest_relevance.plugin import hooks
from pytest_relevance.plugin.against import recorded_rankings
from pytest_relevance.plugin.collected_file import COLLECTED_FILES, CollectedFile
from pytest_relevance.plugin.drawn_queries import compare_samples
from pytest_relevance.plugin.exceptions import CaseFileMistakes
from pytest_relevance.plugin.items import ItemMaker, why_same_names, why_same_node
from pytest_relevance.plugin.paths import shown_path
from pytest_relevance.plugin.redaction import mask_entries, redaction
from pytest_relevance.plugin.run_settings import settings
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running.case_run import CASE_RUN, CaseRun, metrics_of
from pytest_relevance.results.records.baseline_paths import (
    SUFFIX,
    baseline_path,
    has_baseline,
)
from pytest_relevance.results.records.entries import BaselineEntries
from pytest_relevance.results.records.reference import refusal
from pytest_relevance.results.records.run_info import RecordError

if TYPE_CHECKING:
    from pytest_relevance.results.records.baseline import Baseline

_OF_A_TAG = ": relevance cases with this tag"
"""The end of the line that registers a tag of cases as a marker."""


class CaseFileCollector(pytest.Module):
    """Collects the cases of one case file."""

    def _getobj(self) -> ModuleType:
        module = ModuleType(self.path.name)
        module.__file__ = str(self.path)
        return module

    def istestfunction(self, obj: object, name: str) -> bool:
        """Say whether pytest takes an object for a test: every function is one here."""
        return isinstance(obj, FunctionType)

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        """Return the items of the cases in the file.

        Raises `CollectError` if

        - the file or its baseline cannot be read; one error names all mistakes
        - another file has the same node id
        - two items, or two variants of a case, have the same name
        - a search returned nothing in most cases of the baseline
        """
        hooks.install(self.config)
        shown_name = shown_path(self.path, self.config)
        collection = run_store(self.config).collection
        other = collection.path_of_node(self.nodeid)
        self._refuse_for(why_same_node(self, other), shown_name)
        suite = self._read_suite(shown_name)
        self._warn(suite, shown_name)
        self._register_tags(suite)
        entries = self._read_entries(suite, shown_name)
        for case in suite.cases:
            if case.params:
                redaction(self.config).learn(case.params)
        runs = self._runs(suite, shown_name)
        self._refuse_for(why_same_names(runs), shown_name)
        file = CollectedFile(
            path=self.path,
            node=self.nodeid,
            suite=suite,
            runs=runs,
            digest=self._digest(suite),
            record=self._record(),
            expects_known=settings(self.config).expects_known,
        )
        if entries is not None:
            baseline = file.compare_with(entries)
            compare_samples(self.config, suite, baseline, file.cases)
            self._refuse_baseline_of_empty_rankings(baseline)
        collection.add(shown_name, file.describe())
        files = self.config.stash.setdefault(COLLECTED_FILES, {})
        files[shown_name] = file
        return [case_run.item for case_run in runs]

    def _refuse_for(self, why: str, shown_name: str) -> None:
        """Raise `CollectError` with the reason `why`; nothing is raised for ""."""
        if why:
            raise self.CollectError(f"{shown_name}: {why}")

    def _read_suite(self, shown_name: str) -> Suite:
        """Return the suite in the file.

        `shown_name`: the name of the file in messages.

        Raises `CollectError`, which names all mistakes in the file.
        """
        try:
            return load_suite(
                self.path,
                shown=shown_name,
                owned_tags=_owned_tags(self.config),
                metrics=metrics_of(self),
                takes_all=settings(self.config).takes_all,
            )
        except CaseFileError as error:
            raise CaseFileMistakes(error) from None
        except MetricError as error:
            raise self.CollectError(str(error)) from None
        except OSError as error:
            raise self.CollectError(f"{shown_name}: cannot be read: {error}") from None

    def _warn(self, suite: Suite, shown_name: str) -> None:
        """Issue warnings about possible mistakes in the file.

        All workers of pytest-xdist collect the same files, so only the first worker,
        `gw0`, warns. A worker that `--tx` gives a name of its own warns too. If the
        project turns warnings into errors, every worker raises `CollectError`.
        """
        worker = getattr(self.config, "workerinput", {"workerid": "gw0"})["workerid"]
        is_heard = worker == "gw0" or re.fullmatch(r"gw\d+", worker) is None
        # Other workers warn too, but nobody hears them: with -W error they must raise.
        unheard = warnings.catch_warnings(record=True)
        with nullcontext() if is_heard else unheard:
            for message in suite.warnings:
                try:
                    self.warn(RelevanceWarning(message))
                except RelevanceWarning:
                    raise self.CollectError(f"{shown_name}: {message}") from None

    def _register_tags(self, suite: Suite) -> None:
        """Register the tags of cases as markers, so that pytest knows them."""
        known = set(self.config.getini("markers"))
        for case in suite.cases:
            for tag in case.tags:
                line = f"{tag}{_OF_A_TAG}"
                if line not in known:
                    self.config.addinivalue_line("markers", line)
                    known.add(line)

    def _digest(self, suite: Suite) -> str:
        """Return the digest of the file and of all files that it names.

        "" if the run writes no record.
        """
        if self.config.option.relevance_record is None:
            return ""
        return digest_files([self.path, *suite.files])

    def _record(self) -> str:
        """Return the name of the record to compare with; "" without one."""
        if self.config.option.relevance_against is None:
            return ""
        return recorded_rankings(self.config).name

    def _read_entries(self, suite: Suite, shown_name: str) -> BaselineEntries | None:
        """Return the accepted rankings: those of the baseline, or of a record.

        If there is neither, an empty `BaselineEntries` is returned if a case compares
        its ranking with the accepted one, else None.

        Raises `CollectError` if the baseline cannot be read, or if a required baseline
        is missing.
        """
        if self.config.option.relevance_against is not None:
            entries = self._recorded_entries(shown_name)
        elif has_baseline(self.path):
            entries = self._entries_of_baseline(shown_name)
        else:
            self._refuse_missing_baseline(shown_name)
            return BaselineEntries() if _has_comparing_case(suite) else None
        mask_entries(self.config, entries)
        return entries

    def _refuse_missing_baseline(self, shown_name: str) -> None:
        """Raise `CollectError` if a baseline is required and this run writes none."""
        is_updating = self.config.option.relevance_update is not None
        if settings(self.config).requires_baseline and not is_updating:
            raise self.CollectError(
                f"{shown_name}{SUFFIX} is missing, and relevance_baseline is require: restore it (is it committed, or "
                "ignored by .gitignore?), or make it with --relevance-update"
            )

    def _recorded_entries(self, shown_name: str) -> BaselineEntries:
        """Return the rankings of the file in the record of `--relevance-against`.

        They are empty if the record has none for the file. Raises `CollectError` if the
        record has none and a reference is required.
        """
        recorded = recorded_rankings(self.config)
        entries = recorded.of_file(self.nodeid, shown_name)
        if not entries and settings(self.config).requires_baseline:
            raise self.CollectError(
                f"{recorded.name} has no scored case of {shown_name}, and relevance_baseline is require: compare with a "
                "record that has them"
            )
        return entries

    def _entries_of_baseline(self, shown_name: str) -> BaselineEntries:
        """Return the entries of the baseline. Raises `CollectError` if it is broken."""
        from pytest_relevance.results.records.baseline_file import read_baseline

        try:
            return read_baseline(baseline_path(self.path), f"{shown_name}{SUFFIX}")
        except RecordError as error:
            raise CaseFileMistakes(error) from None

    def _refuse_baseline_of_empty_rankings(self, baseline: Baseline) -> None:
        """Raise `CollectError` if a search found nothing in most cases of the baseline.

        Such a baseline accepts every result. Nothing is raised if the run replaces the
        baseline, or if the reference is a record, which was checked when it was read.
        """
        if baseline.record or self.config.option.relevance_update == "all":
            return
        silent = baseline.silent_searches()
        if silent:
            name = f"{shown_path(self.path, self.config)}{SUFFIX}"
            raise self.CollectError(refusal(name, silent))

    def _runs(self, suite: Suite, shown_name: str) -> list[CaseRun]:
        """Make the items of the file. Return the case run of each, in order."""
        maker = ItemMaker(self, suite.queries_line)
        collection = run_store(self.config).collection
        runs = []
        for case in suite.cases:
            for made in maker.make(case):
                variant = made.variant
                case_run = CaseRun(
                    case=case,
                    item=made.item,
                    settings=settings(self.config),
                    file=shown_name,
                    path=str(self.path),
                    place=collection.next_place(),
                    variant=variant.name,
                    variant_index=variant.number,
                    variant_parameters=variant.parameters,
                    items=[case.node_name + end for end in variant.name_endings],
                    search_folder=made.search_folder,
                )
                made.item.stash[CASE_RUN] = case_run
                runs.append(case_run)
        return runs


def _has_comparing_case(suite: Suite) -> bool:
    """Say whether an expectation or a gate compares a ranking with the accepted one."""
    for case in suite.cases:
        if (case.expect or case.terms.gates) and case.similarities:
            return True
    return False


def _owned_tags(config: pytest.Config) -> frozenset[str]:
    """Return the names that cannot be tags, because other markers have them."""
    names = set(OWNED_TAGS)
    for line in config.getini("markers"):
        if not line.endswith(_OF_A_TAG):
            names.add(line.split(":")[0].split("(")[0].strip())
    return frozenset(names)
