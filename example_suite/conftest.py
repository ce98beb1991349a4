"""The fixture that the relevance cases of this folder call, and the option that chooses how the shop ranks.

`python -m pytest example_suite` and `python -m pytest example_suite --ranker titles`: pytest reads an option from a
conftest.py only when its folder is named on the command line.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from shop import RANKERS, Shop


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ranker", choices=sorted(RANKERS), default="fields", help="how the shop ranks (default: fields)")


@pytest.fixture(scope="session")
def shop(pytestconfig: pytest.Config) -> Iterator[Shop]:
    shop = Shop(pytestconfig.getoption("ranker"))
    yield shop
    shop.close()


@pytest.fixture(scope="session")
def search(shop: Shop) -> Callable[..., list[dict[str, Any]]]:
    return shop.search


@pytest.fixture(scope="session")
def relevance_documents(shop: Shop) -> Callable[[list[str]], dict[str, str]]:
    """What products are called that a search did not return; a failure names them."""
    return lambda ids: {each: shop.products[each]["title"] for each in ids if each in shop.products}
