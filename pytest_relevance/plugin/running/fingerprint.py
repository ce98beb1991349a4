"""The fixture `relevance_fingerprint` of the project, requested once in each process that runs cases."""

from __future__ import annotations

import inspect

import pytest

from pytest_relevance.plugin.options import redaction
from pytest_relevance.plugin.private import requested
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.errors import error_text
from pytest_relevance.results.fingerprint import checked

FIXTURE = "relevance_fingerprint"


def request_fingerprint(item: pytest.Item) -> None:
    """Store what the fixture returns, if the project has one that the item sees; a message where it cannot be used.

    Call it when the fixtures of the item are set up. No exception of the fixture ends the run.
    """
    store = run_store(item.config)
    try:
        found = requested(item, FIXTURE)
        if found is None:
            return
        value = found[0]
        if inspect.iscoroutine(value):  # an async fixture that no plugin sets up
            value, _ = calling.wait_on_own_loop(item.config, value, 0.0)
    except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
        why = f"it raised {error_text(error, item.config)}"
    else:
        try:
            store.set_fingerprint(redaction(item.config).values(checked(value)))
            return
        except ValueError as error:
            why = str(error)
    store.set_fingerprint({})
    why = redaction(item.config).text(why)
    store.warn(FIXTURE, f"the fixture {FIXTURE} cannot be used, and the run goes on without it: {why}")
