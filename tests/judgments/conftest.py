"""Where the real files are."""

from pathlib import Path

import pytest

from tests.chorus import reference


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data, or a skip."""
    return reference("data")


@pytest.fixture(scope="session")
def chorus(data: Path) -> Path:
    """135 shop queries with their judgments."""
    return data / "chorus"
