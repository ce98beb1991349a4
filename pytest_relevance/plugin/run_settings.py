"""The settings of a run: the values of options and ini keys, checked.

`settings` returns those that several modules need. An option that only one module needs
is read there. The last part of this module has what else is known of the run from its
start. Every run imports this module, so it imports nothing heavy.
"""

from __future__ import annotations

import os
import re
from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import get_ident
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.plugin.case_files import CASE_FILES, CaseFiles
from pytest_relevance.plugin.clock import wall_time
from pytest_relevance.plugin.options import (
    BASELINE,
    KNOWN,
    SAMPLE,
    SECRETS,
    failure_count,
)
from pytest_relevance.plugin.output_files import OutputFile, files_of_options

if TYPE_CHECKING:
    from pytest_relevance.results.records.run_info import Replayed


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The values of options and ini keys, checked once in each process.

    Attributes:
        calls: how often the search is called for a case.
        give_up: in how many cases in a row a search fails before it is given up; 0:
            never.
        tolerance: how far a score may drop, for cases that do not set it.
        requires_baseline: whether the run fails for each file and case that cannot be
            compared with a reference.
        expects_known: whether a case that failed before is expected to fail.
        takes_all: whether all queries are taken from files with the key `sample`.
        looks_deeper: whether a second search looks for passages that a failed case is
            missing.
        requires_gates: whether a gate without a verdict fails.
        files: the files that options name, to be written at the end of the run.
        outputs: the names of all options that write something.
        details: whether ranking, grades and titles are kept of every case, even if it
            passes.
        keeps_texts: whether results keep their texts, for a page or for a record.
        properties: whether a JUnit file is written.
        runs_tests: false if the command only lists tests, sets them up or shows
            fixtures.
        home: the ids of the process and the thread that started pytest. Plugins may run
            tests in others.
        started: the time of the start, in seconds since 1970.
    """

    calls: int
    give_up: int
    tolerance: float
    requires_baseline: bool
    expects_known: bool
    takes_all: bool
    looks_deeper: bool
    requires_gates: bool
    files: Sequence[OutputFile]
    outputs: Sequence[str]
    details: bool
    keeps_texts: bool
    properties: bool
    runs_tests: bool
    home: tuple[int, int]
    started: float


WITHOUT_TESTS = {
    "collectonly": "--collect-only",
    "setuponly": "--setup-only",
    "setupplan": "--setup-plan",
    "showfixtures": "--fixtures",
    "show_fixtures_per_test": "--fixtures-per-test",
}
"""Options with which pytest collects tests and runs none: {the name under which pytest
keeps one: the option}.
"""

_SETTINGS: pytest.StashKey[RunSettings] = pytest.StashKey()


def settings(config: pytest.Config) -> RunSettings:
    """Return the `RunSettings` that `read_settings` stored in the config."""
    return config.stash[_SETTINGS]


def keep_details(config: pytest.Config) -> None:
    """Keep ranking, grades and titles of every case in this run.

    An extension calls this after the settings were read, in a `pytest_configure` that
    is `trylast`.
    """
    config.stash[_SETTINGS] = replace(settings(config), details=True)


def read_settings(config: pytest.Config) -> None:
    """Read options and ini keys, and keep them for `settings`.

    Workers of pytest-xdist read the same settings, because they have the options and
    the environment of their controller. Raises UsageError for an invalid value.
    """
    config.stash[CASE_FILES] = CaseFiles(config)
    option = config.option
    files = files_of_options(config, option)
    outputs = [file.name for file in files]
    if option.relevance_update is not None:
        outputs.append("update")
    wants_texts = config.getini("relevance_record_texts")
    records_texts = bool(wants_texts and "record" in outputs)
    is_known_expected = choice(config, "relevance_known", KNOWN) == "xfail"
    config.stash[_SETTINGS] = RunSettings(
        tolerance=_tolerance(config),
        requires_baseline=choice(config, "relevance_baseline", BASELINE) == "require",
        expects_known=is_known_expected and not option.runxfail,
        takes_all=choice(config, "relevance_sample", SAMPLE) == "all",
        looks_deeper=_ini_value(config, "relevance_look_deeper", "true or false"),
        requires_gates=option.relevance_gates == "require",
        give_up=number_setting(config, "relevance_give_up", failure_count),
        calls=option.relevance_repeat or 1,
        files=files,
        outputs=outputs,
        details=bool(verbosity(option) > 1 or outputs),
        keeps_texts=records_texts or any(file.is_page for file in files),
        properties=bool(getattr(option, "xmlpath", None)),
        runs_tests=not any(getattr(option, name, False) for name in WITHOUT_TESTS),
        home=here(),
        started=wall_time(),
    )
    _refuse_wrong_pattern(config.getini("relevance_redact"))


def _refuse_wrong_pattern(pattern: str) -> None:
    """Raise UsageError if the value of the ini key `relevance_redact` is no pattern."""
    if pattern == SECRETS:  # to compile it takes longer than to read all settings
        return
    try:
        re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise pytest.UsageError(
            f"relevance_redact is a regular expression for names, such as token|secret; found {pattern!r}: {error}"
        ) from None


# --- single values --------------------------------------------------------------------


def choice(config: pytest.Config, name: str, allowed: Sequence[str]) -> str:
    """Return the value of an option, or of the ini key if the option is not given.

    The option and the ini key have the same name. Raises UsageError if the value is not
    in `allowed`.
    """
    value: str = getattr(config.option, name) or config.getini(name)
    if value not in allowed:
        raise usage_error(f"{name} is {' or '.join(allowed)}, found {value!r}")
    return value


def number_setting(
    config: pytest.Config, name: str, convert: Callable[[str], int]
) -> int:
    """Return the number of an option, or of the ini key if the option is not given.

    The option and the ini key have the same name. Raises UsageError for a wrong text of
    the ini key. argparse has checked the option.

    `convert`: converts the text of the ini key.
    """
    given: int | None = getattr(config.option, name, None)
    try:
        return convert(str(config.getini(name))) if given is None else given
    except ArgumentTypeError as error:
        raise usage_error(f"{name} is {error}") from None


def usage_error(*messages: object) -> pytest.UsageError:
    """Return a usage error without workflow commands, which GitHub would run."""
    from pytest_relevance.reports.workflow_commands import safe_output

    return pytest.UsageError(*(safe_output(str(message)) for message in messages))


def _tolerance(config: pytest.Config) -> float:
    """Return the tolerance of the ini key `relevance_tolerance`.

    Raises UsageError for anything other than a number from 0 to 1.
    """
    expected = "a number from 0 to 1"
    value = _ini_value(config, "relevance_tolerance", expected)
    if isinstance(value, bool) or not 0 <= value <= 1:
        raise pytest.UsageError(f"relevance_tolerance is {expected}, found {value}")
    return float(value)


def _ini_value(config: pytest.Config, name: str, expected: str) -> Any:
    """Return the value of an ini key that has a type.

    Raises UsageError for a value of another type.
    `expected`: what the message says that the ini key is.
    """
    try:
        return config.getini(name)
    except (TypeError, ValueError, pytest.UsageError) as error:
        raise pytest.UsageError(f"{name} is {expected}: {error}") from None


def verbosity(option: Any) -> int:
    """Return the verbosity: 1 for `-v`, -1 for `-q`, 0 without a terminal plugin."""
    return getattr(option, "verbose", 0)


# --- the state of the run -------------------------------------------------------------

HAS_CASES: pytest.StashKey[bool] = pytest.StashKey()
"""Set when the hooks of a run with cases are registered."""


def has_cases(config: pytest.Config) -> bool:
    """Say whether the hooks of a run with cases are registered in this process.

    They are if it has collected a case file, or may get results of cases.
    """
    return HAS_CASES in config.stash


def is_worker(config: pytest.Config) -> bool:
    """Say whether this process is a worker of pytest-xdist."""
    return hasattr(config, "workerinput")


HAS_STARTED: pytest.StashKey[bool] = pytest.StashKey()
"""Set when all plugins are configured. `early_errors` reports errors before that."""


REPLAYED: pytest.StashKey[Replayed] = pytest.StashKey()
"""The record whose rankings are judged, if the run calls no search."""


def reports_failed_start(config: pytest.Config) -> bool:
    """Say whether to report an error that ends the run before it begins.

    True if options name files to write, or if the run is one of GitHub Actions.
    """
    names_files = bool(files_of_options(config, config.option))
    return names_files or os.environ.get("GITHUB_ACTIONS") == "true"


def ended_well(exitstatus: int | pytest.ExitCode) -> bool:
    """Say whether an exit status means that nothing failed."""
    return exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def here() -> tuple[int, int]:
    """Return the ids of the process and the thread that call this function."""
    return os.getpid(), get_ident()


DOCUMENTS = "relevance_documents"
"""The name of the fixture that says what documents are called."""
