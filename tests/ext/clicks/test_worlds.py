"""Made logs with a known truth: how near judgments from clicks come to it."""

import math
from itertools import combinations

import pytest

from tests.ext.clicks.conftest import Shop
from tests.ext.clicks.worlds import KINDS, ORDERS, Made, World, made

WORLDS = [
    World(order, positions, kind)
    for positions in (10, 50)
    for order in ORDERS
    for kind in KINDS
]


def tau(made: Made, shop: Shop) -> float:
    """Kendall's tau with the truth, over the pairs of documents that it orders.

    It is the mean over the queries.
    """
    estimates: dict[int, list[tuple[int, float]]] = {}
    for (query, document), grade in shop.grades().items():
        number = int(query[1:])
        truth = int(made.grades[number][int(document[1:])])
        estimates.setdefault(number, []).append((truth, float(grade)))
    taus = []
    for of_query in estimates.values():
        signs = []
        for (truth, estimate), (other, other_estimate) in combinations(of_query, 2):
            if truth != other:
                difference = (estimate - other_estimate) * (truth - other)
                signs.append(math.copysign(1, difference) if difference else 0)
        if signs:
            taus.append(sum(signs) / len(signs))
    return sum(taus) / len(taus)


@pytest.mark.parametrize(
    "world", WORLDS, ids=lambda world: f"{world.order}-{world.positions}-{world.kind}"
)
def test_two_rankers_give_the_order_of_the_truth(world: World, shop: Shop) -> None:
    log = made(world)
    shop.write_rows("log.csv", log.rows())
    assert shop.clicks("log.csv", "--levels=none").code == 0
    found = tau(log, shop)
    print(f"tau {found:.3f}, {len(shop.grades())} judgments")
    assert found >= 0.85


@pytest.mark.parametrize("order", ORDERS)
def test_one_fixed_order_is_refused(order: str, shop: Shop) -> None:
    shop.write_rows("log.csv", made(World(order, 10, rankers=1, queries=10)).rows())
    assert shop.refused("log.csv") == (
        "log.csv: positions never vary, so nothing tells how much a position is worth: 0 of 100 pairs of query and "
        "document were shown at several positions, and no two positions share 20 clicks on them. Run two rankers side "
        "by side, or give --rates FILE or --rates reciprocal\n"
    )
