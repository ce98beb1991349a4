"""The option of a replay, and what it refuses."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.plugin.clock import wall_time
from pytest_relevance.plugin.command_line import command_line
from pytest_relevance.plugin.options import at_least_one, option_group
from pytest_relevance.plugin.run_settings import REPLAYED, is_worker, usage_error

if TYPE_CHECKING:
    from pytest_relevance.ext.replaying.recorded_run import RecordedRun

MOST_DAYS = 30
"""How old a record may be, unless an option says otherwise."""

_SECONDS_OF_A_DAY = 24 * 60 * 60


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options of a replay."""
    group = option_group(parser)
    group.addoption(
        "--relevance-replay",
        metavar="RUN",
        help="call no search, and judge the rankings of a record under the case files of today; "
        "pytest-relevance replay RUN gives this option",
    )
    group.addoption(
        "--relevance-replay-days",
        metavar="N",
        type=at_least_one,
        default=MOST_DAYS,
        help=f"how old the record of a replay may be, in days (default: {MOST_DAYS})",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read the record that is to be replayed, and register the hooks.

    Raises UsageError for a record that cannot be replayed, and for options that do not
    go with a replay.
    """
    if config.option.relevance_replay is None:
        return
    if not is_worker(config):
        _check_options(config)
    recorded = _read(config)
    # in a replay no search can fail in many cases in a row
    config.option.relevance_give_up = 0
    config.stash[REPLAYED] = recorded.replayed
    from pytest_relevance.ext.replaying.hooks import Replaying
    from pytest_relevance.plugin.run_store import run_store

    run_store(config).unsent.set_fingerprint(recorded.replayed.fingerprint)
    config.pluginmanager.register(Replaying(config, recorded), "relevance-replaying")


def _check_options(config: pytest.Config) -> None:
    """Raise UsageError for options that do not go with a replay.

    A branch can change the configuration of pytest. So the options of a replay count
    only if the command line gives them.
    """
    option, given = config.option, command_line(config)
    for name in ("relevance_replay", "relevance_replay_days"):
        if getattr(option, name) != getattr(given, name):
            written = f"--{name.replace('_', '-')}"
            raise usage_error(
                f"{written} is in addopts or PYTEST_ADDOPTS: a run would judge old "
                "rankings and call no search; give it on the command line instead"
            )
    if not option.noconftest:
        raise usage_error(
            "--relevance-replay goes with --noconftest, because no search is called: write "
            f"pytest-relevance replay {option.relevance_replay}"
        )
    written = option.relevance_record
    if written is not None and _absolute(written) == _absolute(option.relevance_replay):
        raise usage_error(
            f"--relevance-record={written} would replace the record that is replayed: "
            "name another file"
        )
    if option.relevance_update is not None:
        raise usage_error(
            "--relevance-update accepts what a search returns, and a replay calls none: "
            "update the baselines in a run"
        )


def _read(config: pytest.Config) -> RecordedRun:
    """Return the record. Raises UsageError if it cannot be replayed."""
    from pytest_relevance._files import name_to_forward
    from pytest_relevance.ext.replaying.recorded_run import read_recorded_run
    from pytest_relevance.results.records.run_info import RecordError

    given = config.option.relevance_replay
    name = name_to_forward(given, config.rootpath)
    try:
        recorded = read_recorded_run(_absolute(given), name)
    except RecordError as error:
        raise usage_error(f"--relevance-replay: {error}") from None
    days = _days_since(recorded.replayed.started)
    most = config.option.relevance_replay_days
    if days is None or days > most:
        age = "does not say when it was made"
        if days is not None:
            age = f"is {days:.0f} days old"
        raise usage_error(
            f"--relevance-replay: {recorded.name} {age}, and a record may be {most} days "
            "old: make it again, or give --relevance-replay-days=N"
        )
    return recorded


def _absolute(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))


def _days_since(started: str) -> float | None:
    """Return how many days ago a run began; None if that is not known.

    `started`: when the run began (ISO 8601). A time without a time zone is in UTC.
    """
    try:
        began = datetime.fromisoformat(started)
    except ValueError:
        return None
    if began.tzinfo is None:
        began = began.replace(tzinfo=timezone.utc)
    return (wall_time() - began.timestamp()) / _SECONDS_OF_A_DAY
