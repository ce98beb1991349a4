"""What is read from the response of a search, and a model of a client library."""

from collections.abc import Iterator, Sequence

import pytest

from pytest_relevance.results.responses.errors import UnreadableRanking
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.read_ranking import read_ranking


def ids(
    response: object,
    id_field: str | tuple[str, ...] | None = None,
    *,
    judged: Sequence[str] = (),
) -> list[str]:
    """The documents of a response."""
    return list(
        read_ranking(response, ReadOptions(id_field=id_field, judged=judged)).ids
    )


def titles(response: object, title_field: str | None = None) -> list[str | None]:
    """The titles of its documents."""
    ranking = read_ranking(response, ReadOptions(title_field=title_field))
    return [ranking.title(index) for index in range(len(ranking.ids))]


def refusal(
    response: object,
    id_field: str | tuple[str, ...] | None = None,
    *,
    labels: object = None,
    judged: Sequence[str] = (),
) -> str:
    """Why a response is no ranking. `labels` is the attribute `ids` of the fixture's
    value.
    """
    get_labels = None if labels is None else lambda: labels
    with pytest.raises(UnreadableRanking) as caught:
        read_ranking(
            response, ReadOptions(id_field=id_field, ids=get_labels, judged=judged)
        )
    return str(caught.value)


def pairs(
    response: object, labels: object = None, id_field: str | None = None
) -> list[tuple[str, float | None]]:
    """The documents of a response and their scores, rounded. `labels` is the attribute
    `ids` of the fixture's value.
    """
    ranking = read_ranking(response, ReadOptions(id_field=id_field, ids=lambda: labels))
    scores = ranking.scores or [None] * len(ranking.ids)
    rounded = [None if score is None else round(score, 3) for score in scores]
    return list(zip(ranking.ids, rounded, strict=True))


class Model:
    """As pydantic's models are: iterating over one gives its fields."""

    model_fields = ("id", "title")

    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)

    def __iter__(self) -> Iterator[tuple[str, object]]:
        return iter(self.__dict__.items())

    def __repr__(self) -> str:
        return f"Model({', '.join(self.__dict__)})"
