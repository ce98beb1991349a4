"""The fixture that the relevance cases of this folder call, and the options that choose
how the shop searches. The suite in `handbook/` has a search of its own.

`python -m pytest example_suite`, `python -m pytest example_suite --ranker titles`,
`--engine tantivy`: pytest reads an option from a conftest.py only when its folder is
named on the command line.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from engines import ENGINES
from shop import RANKERS, Shop

KNOWN_TO_FAIL = {
    "tantivy": {
        "sharpen knives": "a task, not a product: knives in a title score higher"
    }
}
"""By engine, the queries whose floor it does not reach, and why. What fails on every
engine has `xfail` in its case.
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--ranker",
        choices=sorted(RANKERS),
        default="fields",
        help="how the shop ranks (default: fields)",
    )
    parser.addoption(
        "--engine",
        choices=sorted(ENGINES),
        default="sqlite",
        help="what searches (default: sqlite)",
    )
    parser.addoption(
        "--splitter",
        choices=["sections", "characters"],
        action="append",
        help="how the pages of the handbook are cut; twice: both (default: sections)",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("engine") == "tantivy" and find_spec("tantivy") is None:
        raise pytest.UsageError(
            "--engine tantivy: tantivy is not installed; install it: python -m pip install tantivy"
        )


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    known = KNOWN_TO_FAIL.get(config.getoption("engine"), {})
    for item in items:
        if item.name in known:
            item.add_marker(pytest.mark.xfail(reason=known[item.name]))


@pytest.fixture(scope="session")
def shop(pytestconfig: pytest.Config) -> Iterator[Shop]:
    shop = Shop(pytestconfig.getoption("ranker"), pytestconfig.getoption("engine"))
    yield shop
    shop.close()


@pytest.fixture(scope="session")
def search(shop: Shop) -> Callable[..., list[dict[str, Any]]]:
    return shop.search


@pytest.fixture(scope="session")
def relevance_documents(shop: Shop) -> Callable[[list[str]], dict[str, str]]:
    """What products are called that a search did not return; a failure names them."""
    return lambda ids: {
        each: shop.products[each]["title"] for each in ids if each in shop.products
    }
