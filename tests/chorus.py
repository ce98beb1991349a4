"""The reference data, and in it a real shop: 19,406 products and 135 queries, searched
with SQLite FTS5.

Filling the index takes a second, so a session of tests does it once for each ranker,
and keeps what was found.
"""

import importlib.util
import inspect
import json
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SHARED = (
    Path(__file__).parents[1] / (os.environ.get("RELEVANCE_DATA") or "../shared")
).resolve()
CHORUS = SHARED / "acceptance" / "chorus"
CASES = "electronics.relevance.yaml"

NOT_COMPARED = f"""
There is no reference data in {SHARED} (RELEVANCE_DATA names the folder). So these tests were skipped: figures against
those of trec_eval's test collection and of published examples, formats against files that other tools exported, runs
on a shop of 135 queries. Maintainers run them before a release."""

needs_chorus = pytest.mark.skipif(not CHORUS.is_dir(), reason=f"there is no {CHORUS}")

CONFTEST = """
import os

import pytest

from tests.chorus import search_of

@pytest.fixture(scope="session")
def search():
    return search_of(os.environ["RANKER"])
"""
"""The search of the ranker that the environment variable RANKER names, for runs in this
process.
"""


FOUND = "RELEVANCE_FOUND"
"""The environment variable with a folder for what was found: filling the index takes a
process a second or more.
"""

_MOST = 100


def reference(path: str) -> Path:
    """A file or folder of the reference data, or a skip."""
    if not (SHARED / path).exists():
        pytest.skip(f"there is no {SHARED / path}")
    return SHARED / path


@cache
def search_of(ranker: str) -> Callable[..., list[dict[str, Any]]]:
    """A search that finds what the fixture `search` of the shop's own conftest.py does,
    for the queries of the shop.
    """
    folder = os.environ.get(FOUND, "")
    file = Path(folder, f"{ranker}.json")
    if not (folder and file.exists()):
        with (SHARED / "data" / "chorus" / "queries.tsv").open(
            encoding="utf-8"
        ) as lines:
            queries = [line.rstrip("\n").split("\t")[1] for line in lines]
        search = _search_of(ranker)
        found = {query: search(query, _MOST) for query in queries}
        if folder:
            new = file.with_suffix(
                f".{os.getpid()}"
            )  # another worker may read or write it
            new.write_text(json.dumps(found), encoding="utf-8")
            new.replace(file)
    else:
        found = json.loads(file.read_bytes())
    return lambda query, k=10: found[query][:k]


def _search_of(ranker: str) -> Callable[..., list[dict[str, Any]]]:
    spec = importlib.util.spec_from_file_location(
        "chorus_conftest", CHORUS / "conftest.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANKER", ranker)
        search: Callable[..., list[dict[str, Any]]] = inspect.unwrap(module.search)()
        return search


def write_suite(folder: Path, *, cases: bool = True) -> None:
    """Write the suite of the shop, or its search alone, into `acceptance/chorus` of a
    folder.
    """
    suite = folder / "acceptance" / "chorus"
    suite.mkdir(parents=True)
    (folder / "data").symlink_to(SHARED / "data")
    (suite / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    if cases:
        shutil.copyfile(CHORUS / CASES, suite / CASES)
