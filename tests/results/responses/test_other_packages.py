"""Shapes of responses that another installed package adds by entry points."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_relevance.results.responses.shapes import wait_for_items
from tests.helpers import install_package
from tests.results.responses.helpers import ids, pairs, refusal

PACKAGE = """
from dataclasses import dataclass

from pytest_relevance.results.responses.errors import UnreadableRanking
from pytest_relevance.results.responses.shapes import ResponseShape

@dataclass
class Hit:
    key: str
    weight: float

@dataclass
class Answer:
    parts: list
    is_whole: bool = True

    def __iter__(self):
        raise RuntimeError("an answer is not iterable")

def results(answer, options):
    if not answer.is_whole:
        raise UnreadableRanking("the answer lacks a part")
    return (hit for part in answer.parts for hit in part)

def fields(hit):
    if isinstance(hit, Hit):
        return {"id": hit.key, "score": hit.weight}

def is_answer(response):
    return isinstance(response, Answer)

class Stream:
    def __aiter__(self):
        raise RuntimeError("a stream is asked for all its hits")

    async def hits(self):
        return Answer([[Hit("a", 2.5)]])

def wait(response, most):
    return response.hits() if isinstance(response, Stream) else None

acme = ResponseShape(
    name="acme", fits=is_answer, results=results, fields=fields, wait=wait
)
boom = ResponseShape(name="boom", fits=lambda response: 1 / 0)
other = ResponseShape(name="one-name")
"""


@pytest.fixture
def install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], SimpleNamespace]:
    """Install a package with an entry point, and return its module.

    Its folder has the name of the entry point: entry points are read once for each
    `sys.path`, and the folder of a test may have the path that an earlier one had.
    """

    def install(point: str) -> SimpleNamespace:
        folder = tmp_path / point.partition(" ")[0]
        install_package(folder, "acme", PACKAGE, shapes=point)
        monkeypatch.syspath_prepend(folder)
        monkeypatch.delitem(sys.modules, "acme", raising=False)
        import acme  # type: ignore[import-not-found]

        return acme  # type: ignore[no-any-return]

    return install


Install = Callable[[str], SimpleNamespace]


def test_results_and_their_fields_are_read(install: Install) -> None:
    acme = install("acme = acme:acme")
    first, second = acme.Hit("a", 2.5), acme.Hit("b", 1.0)
    assert pairs(acme.Answer([[first], [second]])) == [("a", 2.5), ("b", 1.0)]
    assert pairs([first, second]) == [("a", 2.5), ("b", 1.0)]


def test_a_single_result_is_no_ranking(install: Install) -> None:
    acme = install("acme = acme:acme")
    assert refusal(acme.Hit("a", 2.5)).startswith("search returned one result, Hit(")


def test_a_response_is_waited_for(install: Install) -> None:
    acme = install("acme = acme:acme")
    response = asyncio.run(wait_for_items(acme.Stream(), most=10))
    assert ids(response) == ["a"]


def test_an_answer_is_refused(install: Install) -> None:
    acme = install("acme = acme:acme")
    assert refusal(acme.Answer([], is_whole=False)) == "the answer lacks a part"


def test_an_answer_within_a_response_is_found(install: Install) -> None:
    acme = install("acme = acme:acme")
    advice = 'response["answer"] is a response that can be read'
    assert advice in refusal({"answer": acme.Answer([])})


def test_shapes_of_this_package_come_first(install: Install) -> None:
    install("boom = acme:boom")
    assert ids({"hits": [{"id": "a"}]}) == ["a"]


@pytest.mark.parametrize(
    ("point", "why"),
    [
        ("boom = acme:boom", "boom (acme:boom) raised ZeroDivisionError"),
        ("gone = acme:gone", "gone (acme:gone) raised AttributeError"),
        (
            "is_answer = acme:is_answer",
            "is_answer (acme:is_answer) is not of ResponseShape",
        ),
        ("other = acme:other", "other (acme:other) calls itself one-name; use one"),
    ],
)
def test_what_another_package_does_wrong_names_it(
    install: Install, point: str, why: str
) -> None:
    install(point)
    assert why in refusal(iter(["a"]))
