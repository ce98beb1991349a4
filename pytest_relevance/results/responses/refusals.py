"""The exceptions of a response that cannot be read as a ranking."""

from __future__ import annotations

from pytest_relevance._text import shown


class UnreadableRanking(ValueError):
    """Raised where a response is no ranking. The message shows what came back and what is understood."""


class NoResults(UnreadableRanking):
    """Raised where a response has no results in any place that is known here."""


def one_result(response: object) -> UnreadableRanking:
    """The exception for a result that is not in a list, to be raised by the caller."""
    return UnreadableRanking(f"search returned one result, {shown(response)}; return a list of results, best first")


def kind_of(value: object) -> str:
    """The type of a value as prose: `a dict`, `an int`."""
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def is_mock(value: object) -> bool:
    """Whether a value is a mock of unittest.mock, which has every attribute that it is asked for."""
    return any(base.__name__ == "NonCallableMock" for base in type(value).__mro__)
