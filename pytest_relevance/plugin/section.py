"""The plugin's own section of the terminal's output: a headline, the summary, what became of files, the verdict.

Its parts come together here, so that no other plugin writes in between, and the verdict is the last line of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from pytest_relevance.plugin.failures import write_lines
from pytest_relevance.reports.text import Line

SUMMARY, FILES, VERDICT = range(3)
"""The places of the parts, in their order."""

Part = Callable[[], Iterable[Line]]

_NAME = "relevance-section"


class Section:
    """The hook that writes the section. It is registered with the first part."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, Part]] = []

    @classmethod
    def add(cls, config: pytest.Config, place: int, part: Part) -> None:
        """Have a part written in its place, behind those that are there already."""
        section = config.pluginmanager.get_plugin(_NAME)
        if section is None:
            section = cls()
            config.pluginmanager.register(section, _NAME)
        section._parts.append((place, part))

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write it, unless there is nothing to say."""
        parts = sorted(self._parts, key=lambda placed: placed[0])
        lines = [line for _, part in parts for line in part()]
        if lines:
            terminalreporter.write_sep("=", "relevance")
            write_lines(terminalreporter, lines)
