"""What a run changes at its end besides a file that an option names: files that belong to the project.

It is the business of the process that has all reports, and that it fails is a failure of the run.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Sequence
from typing import Generic, TypeVar

import pytest

from pytest_relevance.plugin.ledger import ledger_of
from pytest_relevance.plugin.section import FILES, Section
from pytest_relevance.plugin.target import ended_well, runs_tests
from pytest_relevance.reports.text import BAD, PLAIN, Line, folded, line

Said = tuple[str, bool]
"""What became of something, in words, and whether it went well."""


Left = TypeVar("Left")


class AfterRun(ABC, Generic[Left]):
    """The hooks that gather what cases left on their reports, act on it once, and say what became of it.

    `option` is the flag without which nothing is ever changed; `attribute` is that of a report. The last report of an
    item counts.
    """

    option: str
    attribute: str

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        Section.add(config, FILES, self._lines)
        self._found: dict[str, Sequence[Left]] = ledger_of(config).left(self.attribute)
        self._runs_tests = runs_tests(config)
        self._began = False
        self._said: list[Said] = []

    @abstractmethod
    def act(self, found: Iterable[Left]) -> Iterable[Said]:
        """Do what is to be done with what the cases left."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """See that tests are run: `--fixtures` and the like have a session too. A plugin may have a loop of its own."""
        self._began = self._runs_tests
        return (yield)

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        """Act on it."""
        if not self._began:
            return
        self._said = [*self.act(text for found in self._found.values() for text in found)]
        if not all(well for _, well in self._said) and ended_well(exitstatus):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _lines(self) -> list[Line]:
        """What became of it, below the summary of the cases."""
        said, self._said = self._said, []
        return [line(part, PLAIN if well else BAD) for text, well in said for part in folded(text, indent="    ")]

    @pytest.hookimpl
    def pytest_unconfigure(self) -> None:
        """Say what failed where there was no summary to say so."""
        for text, well in self._said:
            if not well:
                print(f"{self.option}: {text}", file=sys.stderr)
