"""What a search prints, logs and warns of while it runs ahead of its case: captured, and replayed in its own case.

Each call runs in a copy of the context, in which a list of events is set. While calls run, the streams, the handlers of
the root logger and `warnings.showwarning` look at the context that they are used in. Threads that a search starts
itself have another context: what they write stays with the case whose call runs.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

import pytest

from pytest_relevance._text import counted
from pytest_relevance.plugin.options import verbosity

Event = tuple[str, Any]
"""A text for "stdout" or "stderr", a record for "log", or the arguments of `warnings.showwarning` for "warning"."""

EVENTS: ContextVar[list[Event] | None] = ContextVar("relevance_events", default=None)
"""The events of the call that runs in this context; None outside of calls that run ahead of their case."""

_STREAMS = ("stdout", "stderr")

_ONCE = ("default", "module", "once")
"""The actions of filters that show a warning once for each place, module or process."""


class _Stream:
    """A replacement of `sys.stdout` or `sys.stderr`, which keeps what is written in the context of a call."""

    def __init__(self, name: str, original: Any) -> None:
        self._name = name
        self._original = original

    def write(self, text: str) -> int:
        __tracebackhide__ = True
        events = EVENTS.get()
        if events is None or not isinstance(text, str):  # the stream itself refuses what is no text
            return int(self._original.write(text) or 0)
        events.append((self._name, text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for each in lines:
            self.write(each)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


def _keep_record(record: logging.LogRecord) -> bool:
    """Keep a log record of a call, once for all handlers. Returns whether a handler is to have it now."""
    events = EVENTS.get()
    if events is None:
        return True
    if not events or events[-1][1] is not record:
        events.append(("log", record))
    return False


@contextmanager
def capturing() -> Iterator[None]:
    """Keep what calls write, log and warn of in their context's events."""
    originals = {name: stream for name in _STREAMS if (stream := getattr(sys, name)) is not None}
    replaced = {name: _Stream(name, original) for name, original in originals.items()}
    handlers = [*logging.getLogger().handlers]
    for name, stream in replaced.items():
        setattr(sys, name, stream)
    for handler in handlers:
        handler.addFilter(_keep_record)
    try:
        with _keeping_warnings():
            yield
    finally:
        for handler in handlers:
            handler.removeFilter(_keep_record)
        for name, stream in replaced.items():
            if getattr(sys, name) is stream:
                setattr(sys, name, originals[name])


@contextmanager
def _keeping_warnings() -> Iterator[None]:
    """Keep the warnings of calls in their context's events.

    A warning that Python shows once for each place is shown in each case that it is raised in, as it is where cases
    are searched one by one: pytest starts each test without a memory of what was shown.
    """
    show = warnings.showwarning

    def keep(*arguments: Any, **others: Any) -> None:
        events = EVENTS.get()
        if events is None:
            show(*arguments, **others)
        else:
            events.append(("warning", (arguments, others)))

    before = warnings.filters
    filters: Any = [("always" if action in _ONCE else action, *rest) for action, *rest in before]
    filters.append(("always", None, Warning, None, 0))
    warnings.filters, warnings.showwarning = filters, keep
    try:
        yield
    finally:
        if warnings.filters is filters:  # not where the window was left in the middle, and pytest has cleaned up
            warnings.filters = before
        if warnings.showwarning is keep:
            warnings.showwarning = show


def replay(events: Iterable[Event]) -> None:
    """Write, log and warn of what was captured, in the order in which it happened."""
    for kind, value in events:
        if kind in _STREAMS:
            if (stream := getattr(sys, kind)) is not None:
                stream.write(value)
        elif kind == "log":
            for handler in logging.getLogger().handlers:
                if value.levelno >= handler.level:
                    handler.handle(value)
        else:
            arguments, others = value
            warnings.showwarning(*arguments, **others)


def show_in_flight(config: pytest.Config, running: int, calls: int, cases: int) -> None:
    """With `-v`, write how many calls of a window run at a time, of how many, behind the name of its first case."""
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    if verbosity(config.option) < 1 or not isinstance(reporter, pytest.TerminalReporter):
        return
    what = f"{calls} searches" if calls == cases else f"{counted(calls, 'batch', 'batches')} for {cases} cases"
    capture: Any = config.pluginmanager.get_plugin("capturemanager")
    with nullcontext() if capture is None else capture.global_and_fixture_disabled():
        reporter.write(f"({running} of {what} in flight) ")
        reporter.flush()
