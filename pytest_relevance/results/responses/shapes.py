"""Define what a shape of responses is, and the registry of shapes.

A shape is what one client or library returns: how it is recognised, and where it keeps
its results. The package has its shapes in `ext/shapes/`, in the order of `bundled.py`.
Another package adds a shape by an entry point of the group `pytest_relevance.shapes`.
A response without a shape is read as any list, tuple, object or iterable would be
(`response`). The docstring of this package lists all guesses in their order.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from pytest_relevance import bundled
from pytest_relevance._text import LONGEST_SHOWN
from pytest_relevance.registry import ExtensionError, Registry, must_be
from pytest_relevance.results.responses.errors import (
    A_MOCK,
    MADE_UP,
    BadResult,
    UnreadableRanking,
    unreadable,
)
from pytest_relevance.results.responses.iterators import read_items, read_items_async
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.values import has_class, is_a, is_list, is_mock

ReadResults = Callable[[Any, ReadOptions], "Sequence[object] | None"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseShape:
    """A shape of responses and of their results, for example of one client library.

    `name`: the name of its entry in the registry.
    `fits`: says whether a response has the shape, without reading an iterator or
    sending a request.
    `results`: reads the results of a response that fits, best first; None leaves the
    response to the next shape. Raises `UnreadableRanking` for a response that is not
    whole.
    `fields`: reads the fields of one result; None for a result of another shape. Raises
    `BadResult` for a result that cannot be read.
    `id_of`: returns the id from these fields, if the suite has no `id_field`; None if
    a usual field has the id. Raises `BadResult` if the id may be one of two.
    `wait`: takes an asynchronous response and the most results to read, and returns a
    response that can be iterated over; None for a response of another shape.
    `body`: returns what the engine sent, if a client's object holds it; None for any
    other response. The expectation `response` looks there.
    """

    name: str
    fits: Callable[[Any], bool] = lambda response: False
    results: ReadResults = lambda response, options: None
    fields: Callable[[Any], Mapping[str, object] | None] = lambda result: None
    id_of: Callable[[Mapping[str, Any]], object] | None = None
    wait: Callable[[Any, int], Awaitable[object] | None] = lambda response, most: None
    body: Callable[[Any], Mapping[Any, Any] | None] = lambda response: None


SHAPES: Registry[ResponseShape] = Registry(
    "pytest_relevance.shapes",
    bundled.SHAPES,
    must_be("pytest_relevance.results.responses.shapes:ResponseShape"),
    refusals=(UnreadableRanking, BadResult),
)
"""The shapes of responses, in the order in which a response is looked at."""


def of_type(package: str, *names: str) -> Callable[[object], bool]:
    """Return a function that says whether a value is of a type of a library.

    `package`: the library, or a part of it, which need not be installed.
    `names`: the names of the types.
    """

    def fits(value: object) -> bool:
        kind: Any = type(value)
        return is_a(kind, package, *names)

    return fits


def attributes_of(
    fits: Callable[[object], bool], *names: str
) -> Callable[[object], Mapping[str, object] | None]:
    """Return a function that reads attributes of a result as its fields.

    The function returns {name: value}, without values that are None. It returns None
    for a result that does not fit.
    """

    def read(result: object) -> Mapping[str, object] | None:
        if not fits(result):
            return None
        values = {name: getattr(result, name, None) for name in names}
        return {name: value for name, value in values.items() if value is not None}

    return read


def refusing(returned: str, advice: str) -> ReadResults:
    """Return a reader that raises `UnreadableRanking` for every response.

    `returned` and `advice`: the parts of the message.
    """

    def refuse(response: object, options: ReadOptions) -> NoReturn:
        raise unreadable(returned, response, advice, LONGEST_SHOWN)

    return refuse


def read_results(response: object, options: ReadOptions) -> Sequence[object] | None:
    """Return the results of a response, read by the first shape that reads it.

    None if no shape does. Raises `UnreadableRanking` if a shape refuses the response,
    or if the shape of another package raises an exception.
    """
    return _first(lambda shape: _read(shape, response, options))


def _read(
    shape: ResponseShape, response: object, options: ReadOptions
) -> Sequence[object] | None:
    """Return the results that a shape reads; None if it does not read the response."""
    if not shape.fits(response):
        return None
    results: Any = shape.results(response, options)
    if results is None or is_list(results):
        return results
    return read_items(results, options.most)


def is_response(value: object) -> bool:
    """Say whether a shape recognises a value as a response, without reading it."""
    if not has_class(value) or is_mock(value):
        return False

    def fitting(shape: ResponseShape) -> ResponseShape | None:
        return shape if shape.fits(value) else None

    return _first(fitting) is not None


def body_of(response: object) -> Mapping[Any, Any] | None:
    """Return the body that a client's object holds; None for any other response.

    Raises `UnreadableRanking` if the shape of another package raises an exception.
    """
    if type(response) in (list, dict) or not has_class(response) or is_mock(response):
        return None
    return _first(lambda shape: shape.body(response))


async def wait_for_items(response: Any, most: int) -> object:
    """Return an asynchronous response as one that can be iterated over.

    A response with a shape is converted by it. Any other becomes a list of at most
    `most` items.
    """
    waiting = _first(lambda shape: shape.wait(response, most))
    if waiting is not None:
        return await waiting
    return await read_items_async(response, most)


def _first(ask: Callable[[ResponseShape], _T | None]) -> _T | None:
    """Return the first answer of a shape that is not None; None if there is none.

    The shapes of this package are asked before those of other packages.

    Raises `UnreadableRanking` if the shape of another package raises an exception.
    """
    for shape in SHAPES.bundled():
        answer = ask(shape)
        if answer is not None:
            return answer
    return _first_of_others(ask)


def _first_of_others(ask: Callable[[ResponseShape], _T | None]) -> _T | None:
    """Return the first answer of a shape of another package that is not None.

    Raises `UnreadableRanking` if such a shape raises an exception.
    """
    try:
        for name in SHAPES.names_of_others():
            shape = SHAPES.get(name)
            with SHAPES.calling(name):
                answer = ask(shape)
            if answer is not None:
                return answer
    except ExtensionError as error:
        raise UnreadableRanking(str(error)) from error
    return None


class ResultReader:
    """Reads the results of one response as mappings of their fields.

    Results of one type have one shape, so it is looked for once for each type.

    `has_usual_id`: whether one of the usual fields is the id, because the suite has no
    `id_field`.
    """

    def __init__(self, *, has_usual_id: bool) -> None:
        self._has_usual_id = has_usual_id
        self._shapes: dict[type, ResponseShape | None] = {}

    def read(self, result: object) -> object:
        """Return the fields of a result, or the result itself if it has no shape.

        Raises `BadResult` if it cannot be read, and `UnreadableRanking` if a shape of
        another package raises an exception.
        """
        if is_mock(result):
            raise BadResult(f"is a mock; {A_MOCK}")
        if not has_class(result):
            raise BadResult(MADE_UP)
        kind: Any = type(result)
        if kind not in self._shapes:
            self._shapes[kind] = shape_of_result(result)
        shape = self._shapes[kind]
        if shape is None:
            return result
        try:
            with SHAPES.calling(shape.name):
                return self._fields(shape, result)
        except ExtensionError as error:
            raise UnreadableRanking(str(error)) from error

    def _fields(self, shape: ResponseShape, result: object) -> object:
        """Return the fields of a result of a shape; `id` has the id of `id_of`."""
        fields = shape.fields(result)
        if fields is None:
            return result
        if shape.id_of is None or not self._has_usual_id:
            return fields
        id_ = shape.id_of(fields)
        return fields if id_ is None else {**fields, "id": id_}


def shape_of_result(result: object) -> ResponseShape | None:
    """Return the shape of a single result, for example a point of Qdrant, or None.

    Raises `BadResult` for a result that has a shape and cannot be read.
    """

    def fitting(shape: ResponseShape) -> ResponseShape | None:
        return None if shape.fields(result) is None else shape

    return _first(fitting)
