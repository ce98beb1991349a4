"""Files that tests write, and real files."""

from pathlib import Path

import pytest

from tests.chorus import reference
from tests.judgments.helpers import Files


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Files in the folder of a test."""
    return Files(tmp_path)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data, or a skip."""
    return reference("data")


@pytest.fixture(scope="session")
def chorus(data: Path) -> Path:
    """135 shop queries with their judgments."""
    return data / "chorus"
