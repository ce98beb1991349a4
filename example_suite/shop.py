"""The search of a small shop: SQLite FTS5, in memory, over `products.jsonl`.

This is what the relevance suite beside it tests. Change a weight, run `python -m pytest example_suite`, and see which
queries got better and which got worse. A new way of ranking is a new row of `RANKERS`.
"""

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PRODUCTS = Path(__file__).with_name("products.jsonl")


@dataclass(frozen=True)
class Ranker:
    """How products are matched and scored."""

    tokenizer: str  # what a word is
    weights: dict[str, float]  # the fields that are searched, and how much a word counts in each
    accessories: float = 1  # what an accessory's score is multiplied by


RANKERS = {
    "fields": Ranker(
        "porter unicode61",  # stems: "jackets" finds "jacket"
        {"id": 10, "title": 5, "category": 4, "brand": 3, "attributes": 2, "description": 1},
        accessories=0.6,  # who types "tent" wants a tent, not its pegs
    ),
    "titles": Ranker("unicode61", {"title": 1}),
}


class Shop:
    """The shop's products, indexed for one ranker."""

    def __init__(self, ranker: str = "fields") -> None:
        self.ranker = RANKERS[ranker]
        tokenizer, weights = self.ranker.tokenizer, self.ranker.weights
        with PRODUCTS.open(encoding="utf-8") as lines:
            self.products = {product["id"]: product for product in map(json.loads, lines)}
        self.index = sqlite3.connect(":memory:")
        self.index.execute(
            f"create virtual table words using fts5 (product unindexed, {', '.join(weights)}, tokenize = '{tokenizer}')"
        )
        self.index.executemany(
            f"insert into words values (?{', ?' * len(weights)})",
            [(product["id"], *(_text(product[field]) for field in weights)) for product in self.products.values()],
        )
        # bm25() of SQLite is the lower the better; its first weight is for the column that is not searched.
        bm25 = f"-bm25(words, 0, {', '.join(map(str, weights.values()))})"
        self.matching = f"select product, {bm25} from words where words match ?"

    def search(self, query: str, k: int = 10, category: str | None = None) -> list[dict[str, Any]]:
        """Return the k best products that have any word of the query, best first; products with equal scores go by id.

        `category` is the beginning of a product's category: "Lamps", or "Lamps > Desk lamps".
        """
        # A quoted word is a phrase, so that "TP-340" finds its two halves only side by side.
        words = " OR ".join('"' + word.replace('"', '""') + '"' for word in query.split()) or '""'
        hits = []
        for found, score in self.index.execute(self.matching, (words,)):
            product = self.products[found]
            if category is None or product["category"].startswith(category):
                score *= self.ranker.accessories if product.get("accessory") else 1
                hits.append({"id": found, "title": product["title"], "score": round(score, 4)})
        return sorted(hits, key=lambda hit: (-hit["score"], hit["id"]))[:k]

    def close(self) -> None:
        """Give the index's memory back."""
        self.index.close()


def _text(field: str | dict[str, str]) -> str:
    return field if isinstance(field, str) else " ".join(field.values())
