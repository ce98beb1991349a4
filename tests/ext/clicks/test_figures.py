"""The figures of judgments from clicks, beside an independent computation."""

import pandas as pd
import pytest

from tests.ext.clicks.conftest import Shop
from tests.ext.clicks.worlds import World, made

PAIR = ["query", "document"]


def frame_of(world: World) -> pd.DataFrame:
    names = [*PAIR, "position", "impressions", "clicks"]
    return pd.DataFrame(made(world).rows(), columns=names)


def rates_of(log: pd.DataFrame) -> "pd.Series[float]":
    """The rates of positions, by loops over tables of pairs and positions."""
    shown = log.pivot(index=PAIR, columns="position", values="impressions").fillna(0)
    clicked = log.pivot(index=PAIR, columns="position", values="clicks").fillna(0)
    telling = ((shown > 0).sum(axis=1) > 1) & (clicked.sum(axis=1) > 0)
    shown, clicked = shown[telling], clicked[telling]
    first = int(log.groupby("position").clicks.sum().argmax())
    rates = pd.Series(1.0, index=shown.columns)
    change = 1.0
    while change > 0.001:
        attraction = clicked.sum(axis=1) / shown.mul(rates, axis=1).sum(axis=1)
        found = clicked.sum() / shown.mul(attraction, axis=0).sum()
        found /= found.iloc[first]
        change = (found / rates - 1).abs().max()
        rates = found
    return rates


@pytest.mark.parametrize("order", ["good", "bad"])
def test_figures_equal_an_independent_computation(order: str, shop: Shop) -> None:
    log = frame_of(World(order, 10, queries=12))
    shop.write_rows("log.csv", log.itertuples(index=False))
    assert shop.clicks("log.csv", "--levels=none", "--min-expected=8").code == 0

    rates = rates_of(log)
    log["looks"] = log.impressions * log.position.map(rates)
    pairs = log.groupby(PAIR)[["looks", "clicks"]].sum()
    of_query = pairs.groupby("query").transform("sum")
    pairs["expected"] = pairs.looks * of_query.clicks / of_query.looks
    pairs = pairs[pairs.expected >= 8]
    expected = {
        pair: [f"{row.clicks / row.expected:.4g}", f"{row.expected:.1f}"]
        for pair, row in pairs.iterrows()
    }
    found = {
        (row["query"], row["document"]): [row["grade"], row["expected"]]
        for row in shop.judged()
    }
    assert found == expected


def test_levels_are_of_coec(shop: Shop) -> None:
    shop.write_rows(
        "log.csv",
        # 100 clicks for 1,000 impressions: of 100 impressions 10 clicks are expected
        [
            ("q", "a", 1, 100, 2),
            ("q", "b", 1, 100, 3),
            ("q", "c", 1, 100, 7),
            ("q", "d", 1, 100, 8),
            ("q", "e", 1, 100, 14),
            ("q", "f", 1, 100, 15),
            ("q", "g", 1, 400, 51),
        ],
    )
    assert shop.clicks("log.csv", "--rates=reciprocal").code == 0
    levels = {document: grade for (_, document), grade in shop.grades().items()}
    assert levels == dict(zip("abcdefg", "0112232", strict=True))


def test_two_parts_of_a_log_are_added_up(shop: Shop) -> None:
    log = frame_of(World("random", 10, queries=3))
    shop.write_rows("log.csv", log.itertuples(index=False))
    shop.clicks("log.csv")
    whole = shop.judged()
    fewer = log.assign(impressions=log.impressions // 2, clicks=log.clicks // 3)
    rest = log.assign(
        impressions=log.impressions - fewer.impressions,
        clicks=log.clicks - fewer.clicks,
    )
    # a row with more clicks than impressions would be an error
    assert (rest.clicks <= rest.impressions).all()
    shop.write_rows("monday.csv", fewer.itertuples(index=False))
    shop.write_rows("tuesday.csv", rest.itertuples(index=False))
    shop.clicks("monday.csv", "tuesday.csv")
    assert shop.judged() == whole


def test_rates_of_a_log_without_chance_are_found(shop: Shop) -> None:
    rates = {1: 1.0, 2: 0.5, 3: 0.3, 4: 0.1}
    attraction = {"a": 0.4, "b": 0.2, "c": 0.1, "d": 0.05}
    rows = []
    for number, (document, likely) in enumerate(attraction.items()):
        for position, rate in rates.items():
            impressions = 10_000 * (1 + (number + position) % 4)
            clicks = round(impressions * rate * likely)
            rows.append(("q", document, position, impressions, clicks))
    shop.write_rows("log.csv", rows)
    said = shop.clicks("log.csv", "--levels=none")
    assert "fitted: 1: 1.00, 2: 0.50, 3: 0.30 and 4: 0.10\n" in said.out
    found = {document: float(grade) for (_, document), grade in shop.grades().items()}
    for document, likely in attraction.items():
        assert found[document] / found["a"] == pytest.approx(likely / 0.4, rel=1e-3)
