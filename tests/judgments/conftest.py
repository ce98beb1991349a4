"""Files that tests write."""

from pathlib import Path

import pytest

from tests.judgments.helpers import Files


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Files in the folder of a test."""
    return Files(tmp_path)
