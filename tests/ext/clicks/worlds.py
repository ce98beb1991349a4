"""Made logs of clicks, of users whose attraction to each document is known."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ATTRACTION = (0.02, 0.08, 0.2, 0.45)
"""How likely users who see a document click it, by its true grade."""

SHARE = (0.45, 0.25, 0.2, 0.1)
"""How many documents have each grade."""

ORDERS = ("good", "random", "bad")
KINDS = ("two rankers", "jitter", "noise", "cascade")

SEARCHES = 1_000
"""How often each query is searched."""

Counts = npt.NDArray[np.int64]
Grades = npt.NDArray[np.int64]


@dataclass(frozen=True)
class World:
    """How a shop ranks, and what its users do.

    `order`: the order of the first ranker. The second one is good, with errors of its
    own.
    `positions`: how many documents are shown.
    `kind`: `two rankers` is all there is; `jitter` also moves documents by up to two
    places; with `noise` one search in ten has a click on any result; in a `cascade`
    users go from the first result downwards, and stop after some clicks.
    """

    order: str
    positions: int
    kind: str = "two rankers"
    rankers: int = 2
    queries: int = 40


@dataclass(frozen=True)
class Made:
    """A made log: for each query, the grades of its documents, and two tables.

    `impressions`, `clicks`: by document and position.
    """

    grades: Sequence[Grades]
    impressions: Sequence[Counts]
    clicks: Sequence[Counts]

    def rows(self) -> Iterator[tuple[str, str, int, int, int]]:
        """The rows of a table: query, document, position, impressions, clicks."""
        tables = zip(self.impressions, self.clicks, strict=True)
        for query, (impressions, clicks) in enumerate(tables):
            for document, place in zip(*np.nonzero(impressions), strict=True):
                shown, clicked = impressions[document, place], clicks[document, place]
                yield f"q{query}", f"d{document}", place + 1, shown, clicked


def made(world: World, seed: int = 1) -> Made:
    rng = np.random.default_rng(seed)
    grades, impressions, clicks = [], [], []
    documents = world.positions * 3 // 2
    for _ in range(world.queries):
        of_query = rng.choice(4, documents, p=SHARE)
        shown_here = np.zeros((documents, world.positions), np.int64)
        clicked_here = np.zeros_like(shown_here)
        for scores in rankers(world, of_query, rng):
            shown = lists(world, scores, rng)
            clicked = clicks_on(world, shown, of_query, rng)
            places = np.broadcast_to(np.arange(world.positions), shown.shape)
            np.add.at(shown_here, (shown, places), 1)
            np.add.at(clicked_here, (shown, places), clicked)
        grades.append(of_query)
        impressions.append(shown_here)
        clicks.append(clicked_here)
    return Made(grades, impressions, clicks)


def rankers(
    world: World, grades: Grades, rng: np.random.Generator
) -> list[npt.NDArray[np.float64]]:
    """The scores of each ranker for the documents of a query."""
    first = {
        "good": grades + rng.normal(0, 0.7, len(grades)),
        "random": rng.random(len(grades)),
        "bad": -grades + rng.normal(0, 1.5, len(grades)),
    }[world.order]
    second = grades + rng.normal(0, 1.5, len(grades))
    return [first, second][: world.rankers]


def lists(
    world: World, scores: npt.NDArray[np.float64], rng: np.random.Generator
) -> Counts:
    """The documents that each search of a ranker shows, in order."""
    ranked = np.argsort(-scores)
    searches = SEARCHES // world.rankers
    places = np.tile(np.arange(len(scores), dtype=float), (searches, 1))
    if world.kind == "jitter":
        places += rng.uniform(-1.5, 1.5, places.shape)
    shown: Counts = ranked[np.argsort(places, axis=1)][:, : world.positions]
    return shown


def clicks_on(
    world: World, shown: Counts, grades: Grades, rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """Which results users click."""
    attraction = np.array(ATTRACTION)[grades[shown]]
    attracted = rng.random(shown.shape) < attraction
    if world.kind == "cascade":
        return attracted & looked_at(attracted, rng)
    look = np.arange(1, world.positions + 1) ** -0.7
    clicked = attracted & (rng.random(shown.shape) < look)
    if world.kind == "noise":
        clicked |= rng.random(shown.shape) < 0.1 / world.positions
    return clicked


def looked_at(
    attracted: npt.NDArray[np.bool_], rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """Which results users look at who go downwards, and stop after some clicks."""
    stays = rng.random(attracted.shape) > np.where(attracted, 0.4, 0.1)
    before = np.ones_like(stays)
    before[:, 1:] = stays[:, :-1]
    return np.logical_and.accumulate(before, axis=1)
