"""`--relevance-concurrency` and its ini keys; in a run with cases, the hooks."""

from __future__ import annotations

import pytest

from pytest_relevance.plugin.options import at_least_one, option_group
from pytest_relevance.plugin.run_settings import has_cases, number_setting


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare `--relevance-concurrency`, its ini key, and `relevance_batch`."""
    option_group(parser).addoption(
        "--relevance-concurrency",
        metavar="N",
        type=at_least_one,
        help="run N searches at a time, in threads or as tasks of one event loop (default: 1)",
    )
    parser.addini(
        "relevance_concurrency",
        "the same as --relevance-concurrency (default: 1)",
        default="1",
    )
    parser.addini(
        "relevance_batch",
        "the most cases that one call of search.many gets (default: 64)",
        default="64",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Check the option and the ini keys. Raises UsageError for an invalid value."""
    number_setting(config, "relevance_concurrency", at_least_one)
    number_setting(config, "relevance_batch", at_least_one)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Register the hooks that call searches together, if cases were collected."""
    config = session.config
    if not has_cases(config):
        return
    from pytest_relevance.ext.concurrency.hooks import ConcurrencyHooks

    hooks = ConcurrencyHooks(
        config,
        concurrency=number_setting(config, "relevance_concurrency", at_least_one),
        batch=number_setting(config, "relevance_batch", at_least_one),
    )
    config.pluginmanager.register(hooks, "relevance-concurrency")
