"""The search engines that the shop can run on: each finds and scores the products that
have any word of a query.

`sqlite` is SQLite's FTS5, which is part of Python; `tantivy` is a library of its own:
`python -m pip install tantivy`. Both score with BM25. A new engine is a class with
`matching` and `close`, and a row of `ENGINES`.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

Product = Mapping[str, Any]


@dataclass(frozen=True)
class Fields:
    """The fields that are searched, and how their words are compared."""

    weights: Mapping[str, float]  # how much a word counts in each field
    stemming: bool = False  # whether "jackets" finds "jacket"


class Engine(Protocol):
    """An index of the products, in memory."""

    def matching(self, query: str) -> Iterator[tuple[str, float]]:
        """Give the id and the score (higher is better) of all products that have a word
        of the query, in any order.

        A word such as "TP-340" is found where its two halves stand side by side.
        """
        ...

    def close(self) -> None:
        """Give the index's memory back."""
        ...


class Fts5:
    """FTS5 of SQLite."""

    def __init__(self, products: Iterable[Product], fields: Fields) -> None:
        tokenizer, weights = (
            "porter unicode61" if fields.stemming else "unicode61",
            fields.weights,
        )
        self.index = sqlite3.connect(
            ":memory:", check_same_thread=False
        )  # so that threads can search at once
        self.index.execute(
            f"create virtual table words using fts5 (product unindexed, {', '.join(weights)}, tokenize = '{tokenizer}')"
        )
        self.index.executemany(
            f"insert into words values (?{', ?' * len(weights)})",
            [
                (product["id"], *(_text(product[field]) for field in weights))
                for product in products
            ],
        )
        # bm25() of SQLite is the lower the better; its first weight is for the column
        # that is not searched.
        bm25 = f"-bm25(words, 0, {', '.join(map(str, weights.values()))})"
        self.statement = f"select product, {bm25} from words where words match ?"

    def matching(self, query: str) -> Iterator[tuple[str, float]]:
        words = (
            " OR ".join('"' + word.replace('"', '""') + '"' for word in query.split())
            or '""'
        )
        return iter(self.index.execute(self.statement, (words,)))

    def close(self) -> None:
        self.index.close()


class Tantivy:
    """tantivy, a library in Rust."""

    def __init__(self, products: Iterable[Product], fields: Fields) -> None:
        import tantivy

        self.tantivy, self.weights = tantivy, dict(fields.weights)
        schema = tantivy.SchemaBuilder().add_text_field(
            "product", stored=True, tokenizer_name="raw"
        )
        for field in fields.weights:
            schema = schema.add_text_field(field, tokenizer_name="words")
        self.index = tantivy.Index(schema.build())
        words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(
            tantivy.Filter.lowercase()
        )
        words = words.filter(tantivy.Filter.ascii_fold())
        if fields.stemming:
            words = words.filter(tantivy.Filter.stemmer("english"))
        self.index.register_tokenizer("words", words.build())
        writer = self.index.writer(
            num_threads=1
        )  # one segment: the same scores in every run
        for product in products:
            document = {field: _text(product[field]) for field in fields.weights}
            writer.add_document(tantivy.Document(product=product["id"], **document))
        writer.commit()
        self.index.reload()
        self.searcher = self.index.searcher()

    def matching(self, query: str) -> Iterator[tuple[str, float]]:
        words = [
            (self.tantivy.Occur.Should, self._word(word)) for word in query.split()
        ]
        found = self.searcher.search(
            self.tantivy.Query.boolean_query(words),
            limit=self.searcher.num_docs,
            count=False,
        )
        for score, address in found.hits:
            yield self.searcher.doc(address)["product"][0], score

    def _word(self, word: str) -> Any:
        """Return the query for one word: of the fields that have it the best counts in
        full, the others less.
        """
        phrase = '"' + word.replace("\\", "").replace('"', "") + '"'
        fields = [
            self.index.parse_query_lenient(phrase, [each], field_boosts=self.weights)[0]
            for each in self.weights
        ]
        return self.tantivy.Query.disjunction_max_query(fields, tie_breaker=0.4)

    def close(self) -> None:
        del self.searcher, self.index


ENGINES = {"sqlite": Fts5, "tantivy": Tantivy}


def _text(field: str | Mapping[str, str]) -> str:
    return field if isinstance(field, str) else " ".join(field.values())
