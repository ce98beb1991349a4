"""A real shop: 19,406 products and 135 queries, searched with SQLite FTS5.

Filling the index takes a second: each process does it once for each ranker, and searches once for each query. Its runs
of pytest share what was found.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SHARED = (Path(__file__).parents[1] / os.environ.get("RELEVANCE_DATA", "../shared")).resolve()
CHORUS = SHARED / "acceptance" / "chorus"
CASES = "electronics.relevance.yaml"

needs_chorus = pytest.mark.skipif(not CHORUS.is_dir(), reason=f"there is no {CHORUS}")

CONFTEST = """
import os

import pytest

from tests.chorus import search_of

@pytest.fixture(scope="session")
def search():
    return search_of(os.environ["RANKER"])
"""
"""The search of the ranker that the environment variable RANKER names, for runs in this process."""


@cache
def search_of(ranker: str) -> Callable[..., list[dict[str, Any]]]:
    """What the fixture `search` of the shop's own conftest.py returns."""
    spec = importlib.util.spec_from_file_location("chorus_conftest", CHORUS / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANKER", ranker)
        return cache(inspect.unwrap(module.search)())


def write_suite(folder: Path, *, cases: bool = True) -> None:
    """Write the suite of the shop, or its search alone, into `acceptance/chorus` of a folder."""
    suite = folder / "acceptance" / "chorus"
    suite.mkdir(parents=True)
    (folder / "data").symlink_to(SHARED / "data")
    (suite / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    if cases:
        shutil.copyfile(CHORUS / CASES, suite / CASES)
