"""The texts of the files that `pytest-relevance init` writes: a suite and a conftest.py in the same folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import dedent

from pytest_relevance._text import shown

FLOOR = 0.3
"""The floor of a first suite: low enough for most cases to pass, high enough for a broken search to fail."""

_FIXTURE = '''

@pytest.fixture(scope="session")
def search():
    """What every relevance case of this folder calls."""
    return my_search
'''


def example_suite(command: str) -> str:
    """Return an example suite that passes with `EXAMPLE_CONFTEST`. `command` is the pytest command to run it."""
    return dedent(f"""\
        # What the search must find, and keep finding. Run it: {command}
        # Each case is a test: conftest.py searches, and nDCG@10 says how good the ranking is (1 is best).
        min_ndcg: 0.8    # a ranking below this fails; a case may have a floor of its own

        cases:
          - query: winter boots    # what a user types: put your own queries here, and the ids of your documents
            judgments:             # how good a document is for that query: 3 is what they want, 0 is junk
              boots-1: 3
              boots-2: 2
              polish-1: 0

          - query: rain jacket
            judgments:
              jacket-1: 3
              boots-2: 0
            expect:
              first: jacket-1      # beyond the floor

          - query: qwertz
            expect:
              results: 0           # better nothing than anything
        """)


EXAMPLE_CONFTEST = (
    '''\
"""The search that the relevance cases of this folder call: a toy, in the place of which you put your own."""

import pytest

DOCUMENTS = {
    "boots-1": "Winter boots, lined",
    "boots-2": "Rubber boots",
    "jacket-1": "Rain jacket",
    "polish-1": "Polish for leather boots, black",
    "socks-1": "Warm socks",
}


def my_search(query, k=10):
    """Return the best documents for a query, best first: ids, or dicts with an id and a title.

    Yours asks an engine, perhaps:    return client.search(index="products", q=query, size=k)
    """
    words = query.lower().split()
    scores = {document: sum(word in title.lower() for word in words) for document, title in DOCUMENTS.items()}
    best = sorted((document for document in scores if scores[document]), key=scores.get, reverse=True)
    return [{"id": document, "title": DOCUMENTS[document]} for document in best[:k]]
'''
    + _FIXTURE
)


def suite_of_files(command: str, keys: Mapping[str, str]) -> str:
    """Return a suite whose judgments and queries are in files. The values of `keys` are YAML."""
    lines = [
        f"# What the search must find, and keep finding. Run it: {command}",
        "# Each query is a test: conftest.py searches, and nDCG@10 says how good the ranking is (1 is best).",
        *(f"{name}: {value}" for name, value in keys.items()),
        f"min_ndcg: {FLOOR}    # a ranking below this fails; raise it to what your search reaches",
    ]
    return "\n".join(lines) + "\n"


def conftest_of_judgments(file: str, documents: Iterable[str]) -> str:
    """Return a conftest.py whose search the user must write. `documents` are example ids of the judgment `file`."""
    ids = ", ".join(shown(document, 60) for document in documents)
    return (
        f'''\
"""The search that the relevance cases of this folder call. Write `my_search`; the rest can stay."""

import pytest


def my_search(query, k=10):
    """Return the best documents for a query, best first: their ids, as they stand in the judgments.

    Or dicts with an id and a title, or what your engine answers, as it is. Perhaps:

        return client.search(index="products", q=query, size=k)
    """
    raise NotImplementedError(
        "my_search() in conftest.py is still to be written: ask your engine, and return the ids of what it finds, best "
        {f"first, as they stand in {file}: [{ids}, ...]"!r}
    )
'''
        + _FIXTURE
    )
