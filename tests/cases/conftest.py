"""Reading a case file that stands in a test."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from pytest_relevance.cases.model import Case, Suite
from pytest_relevance.cases.problems import CaseFileError
from pytest_relevance.cases.reader import parse_suite


def _data(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else dedent(text).encode()


@pytest.fixture
def read() -> Callable[[str | bytes], Suite]:
    """The suite that a text is."""
    return lambda text: parse_suite(_data(text), "shop.yaml")


@pytest.fixture
def case() -> Callable[[str | bytes], Case]:
    """The only case of a text."""

    def read_one(text: str | bytes) -> Case:
        (only,) = parse_suite(_data(text), "shop.yaml").cases
        return only

    return read_one


@pytest.fixture
def mistakes() -> Callable[[str | bytes], list[str]]:
    """What is reported about a text, a line a mistake, without the name of the file."""

    def collect(text: str | bytes) -> list[str]:
        with pytest.raises(CaseFileError) as caught:
            parse_suite(_data(text), "shop.yaml")
        lines = str(caught.value).splitlines()
        assert all(line.startswith("shop.yaml:") for line in lines)
        return [line.removeprefix("shop.yaml:") for line in lines]

    return collect
