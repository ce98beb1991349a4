"""The search of a small shop over `products.jsonl`, on one of the engines in
`engines.py`.

This is what the relevance suite beside it tests. Change a weight, run
`python -m pytest example_suite`, and see which queries got better and which got worse.
A new way of ranking is a new row of `RANKERS`.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines import ENGINES, Engine, Fields

PRODUCTS = Path(__file__).with_name("products.jsonl")


@dataclass(frozen=True)
class Ranker:
    """How products are matched and scored."""

    fields: Fields
    accessories: float = 1  # what an accessory's score is multiplied by


RANKERS = {
    "fields": Ranker(
        Fields(
            {
                "id": 10,
                "title": 5,
                "category": 4,
                "brand": 3,
                "attributes": 2,
                "description": 1,
            },
            stemming=True,
        ),
        accessories=0.6,  # who types "tent" wants a tent, not its pegs
    ),
    "titles": Ranker(Fields({"title": 1})),
}


class Shop:
    """The shop's products, indexed by one engine for one ranker."""

    def __init__(self, ranker: str = "fields", engine: str = "sqlite") -> None:
        self.ranker = RANKERS[ranker]
        with PRODUCTS.open(encoding="utf-8") as lines:
            self.products = {
                product["id"]: product for product in map(json.loads, lines)
            }
        self.engine: Engine = ENGINES[engine](
            self.products.values(), self.ranker.fields
        )

    def search(
        self, query: str, k: int = 10, category: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the k best products that have any word of the query, best first;
        products with equal scores go by id.

        `category` is the beginning of a product's category: "Lamps", or "Lamps > Desk
        lamps".
        """
        hits = []
        for found, score in self.engine.matching(query):
            product = self.products[found]
            if category is None or product["category"].startswith(category):
                score *= self.ranker.accessories if product.get("accessory") else 1
                hits.append(
                    {"id": found, "title": product["title"], "score": round(score, 4)}
                )
        return sorted(hits, key=lambda hit: (-hit["score"], hit["id"]))[:k]

    def close(self) -> None:
        """Give the index's memory back."""
        self.engine.close()
