"""The plugin's own section of the terminal output: headline, summary, messages about written files, verdict.

One hook writes all parts, so that no other plugin prints in between, and the verdict is the last line of the section.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from pytest_relevance.plugin.failures import write_lines
from pytest_relevance.reports.text import Line

SUMMARY, FILES, VERDICT = range(3)
"""The positions of the parts, in the order in which they are printed."""

Part = Callable[[], Iterable[Line]]

_NAME = "relevance-section"


class Section:
    """The hook that prints the section. It is registered when the first part is added."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, Part]] = []

    @classmethod
    def add(cls, config: pytest.Config, place: int, part: Part) -> None:
        """Add a part at a position, after the parts that were added there before."""
        section = config.pluginmanager.get_plugin(_NAME)
        if section is None:
            section = cls()
            config.pluginmanager.register(section, _NAME)
        section._parts.append((place, part))

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the section, unless all parts are empty."""
        parts = sorted(self._parts, key=lambda placed: placed[0])
        lines = [line for _, part in parts for line in part()]
        if lines:
            terminalreporter.write_sep("=", "relevance")
            write_lines(terminalreporter, lines)
