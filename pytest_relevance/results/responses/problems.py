"""The exceptions of responses that cannot be read, and how the types of responses are recognised and named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pytest_relevance._text import LONGEST_SHOWN, shown

ONE_QUERY = "search for one query at a time, or give the fixture's value an attribute many that takes several"
"""What to do where a response has the results of several queries: the end of a message."""

_T = TypeVar("_T")


class UnreadableRanking(ValueError):
    """Raised where a response is no ranking. The message shows what came back and what is understood."""


class NoResults(UnreadableRanking):
    """Raised where a response has no results in any place that is known here."""


class BadResult(Exception):
    """Why a result cannot be read: the end of a sentence that begins with the result's number."""


def unreadable(what: str, response: object, advice: str, longest: int = 200) -> UnreadableRanking:
    """The exception, to be raised by the caller: what a search returned, at most `longest` of it, and what to do."""
    return UnreadableRanking(f"search returned {what}, {shown(response, longest)}; {advice}")


def one_result(response: object) -> UnreadableRanking:
    """The exception for a result that is not in a list, to be raised by the caller."""
    return unreadable("one result", response, "return a list of results, best first", LONGEST_SHOWN)


def kind_of(value: object) -> str:
    """The type of a value as prose: `a dict`, `an int`."""
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def read_each(read: Callable[..., _T], results: Sequence[object], *columns: Sequence[Any]) -> list[_T]:
    """What is read of each row of columns; a message of one that cannot be read shows the result that it comes from."""
    found = []
    for index, values in enumerate(zip(*columns, strict=True)):
        try:
            found.append(read(*values))
        except BadResult as problem:
            where = f"result {index + 1} of {len(results)}"
            raise UnreadableRanking(f"{where} {problem}: {shown(results[index], 200)}") from None
    return found


def is_a(kind: type, package: str, *names: str) -> bool:
    """Whether a type, or a base of it, has one of some names and is of a package, which need not be installed."""
    return any(base.__name__ in names and base.__module__.partition(".")[0] == package for base in kind.__mro__)


def type_of(package: str, *names: str) -> Callable[[type], bool]:
    """The function that says of a type whether it `is_a`."""
    return lambda kind: is_a(kind, package, *names)


def instance_of(package: str, *names: str) -> Callable[[object], bool]:
    """The function that says of a value whether its type `is_a`."""
    return lambda value: is_a(type(value), package, *names)


def is_mock(value: object) -> bool:
    """Whether a value is a mock of unittest.mock, which has every attribute that it is asked for."""
    return any(base.__name__ == "NonCallableMock" for base in type(value).__mro__)


def is_unsent_search(response: object) -> bool:
    """Whether a response is a `Search` of elasticsearch.dsl or opensearch-py, which is sent when it is iterated over.

    Iterating would give the hits without the other fields of the response; its method `execute` gives the response.
    """
    names = {kind.__name__ for kind in type(response).__mro__}
    return bool(names & {"Search", "AsyncSearch"}) and hasattr(response, "execute") and hasattr(response, "to_dict")
