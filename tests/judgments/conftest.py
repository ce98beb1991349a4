"""Where the real files are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data, or a skip."""
    folder = Path(os.environ.get("RELEVANCE_DATA", "../shared")) / "data"
    if not folder.is_dir():
        pytest.skip("the real data is not here")
    return folder


@pytest.fixture(scope="session")
def chorus(data: Path) -> Path:
    """135 shop queries with their judgments."""
    return data / "chorus"
