"""The record that `--relevance-against` names, which is the reference of the run."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_relevance._files import name_to_forward
from pytest_relevance.results.records.reference import refusal
from pytest_relevance.results.records.run_info import RecordError

if TYPE_CHECKING:
    from pytest_relevance.results.records.recorded_rankings import RecordedRankings

_AGAINST: pytest.StashKey[RecordedRankings] = pytest.StashKey()


def recorded_rankings(config: pytest.Config) -> RecordedRankings:
    """Return the rankings of the record that `--relevance-against` names.

    The record is read once in each process. Raises UsageError if

    - the record cannot be read
    - a search found nothing in most cases of the record
    - an option writes baselines in the same run
    """
    if _AGAINST not in config.stash:
        config.stash[_AGAINST] = _read_record(config)
    return config.stash[_AGAINST]


def _read_record(config: pytest.Config) -> RecordedRankings:
    """Read the record. Raises UsageError as `recorded_rankings` does."""
    from pytest_relevance.results.records.recorded_rankings import read_rankings

    name = config.option.relevance_against
    if config.option.relevance_update is not None:
        raise pytest.UsageError(
            "--relevance-update accepts rankings into committed baselines, and --relevance-against compares with "
            "a record in their place: leave one of them out"
        )
    try:
        found = read_rankings(os.path.abspath(os.path.expanduser(name)), name)
    except RecordError as error:
        raise pytest.UsageError(f"--relevance-against: {error}") from None
    if found.silent:
        raise pytest.UsageError(f"--relevance-against: {refusal(name, found.silent)}")
    return replace(found, name=name_to_forward(name, config.rootpath))
