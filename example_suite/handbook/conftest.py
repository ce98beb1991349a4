"""The search that the questions of this folder are put to.

With a worse splitter, alone, and beside the usual one:

    python -m pytest example_suite --splitter characters
    python -m pytest example_suite --splitter sections --splitter characters
"""

import sqlite3
from collections.abc import Callable, Iterator

import pytest
from retrieval import Retrieval


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Put every question to each splitter that the command line names."""
    splitters = metafunc.config.getoption("splitter")
    if splitters and "splitter" in metafunc.fixturenames:
        metafunc.parametrize("splitter", splitters, scope="session")


@pytest.fixture(scope="session")
def splitter() -> str:
    return "sections"


@pytest.fixture(scope="session")
def search(splitter: str) -> Iterator[Callable[..., list[sqlite3.Row]]]:
    retrieval = Retrieval(splitter)
    yield retrieval.search
    retrieval.close()
