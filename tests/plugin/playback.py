"""What search engines answer to two queries, for `tests.local_server`.

The bodies are as the engines document them; the hits are what each engine finds for
these queries in a shop of six products.
"""

from collections.abc import Mapping, Sequence
from typing import Any

PRODUCTS = [
    {"id": name, "title": title, "description": description}
    for name, title, description in [
        ("w1", "Smart watch Orbit 2", "Shows messages, counts steps"),
        ("w2", "Smart watch Summit", "With GPS, for long days"),
        ("strap1", "Watch strap 22 mm", "Soft silicone"),
        ("shoe1", "Blue shoes", "Canvas, for summer"),
        ("shoe2", "Running shoes, blue", "Cushioned, for roads"),
        ("polish1", "Shoe polish", "For leather"),
    ]
]
"""What the shop sells."""

FOUND = {
    "smart watch": ["w1", "w2", "strap1"],
    "blue shoes": ["shoe1", "shoe2", "polish1"],
}
"""What its engine finds, best first."""

TITLES = {product["id"]: product["title"] for product in PRODUCTS}


def scored(query: str, k: int) -> list[tuple[str, float]]:
    """The documents that the engine finds, with their scores."""
    return [(document, 3.0 - rank) for rank, document in enumerate(FOUND[query][:k])]


def _search_body(request: Mapping[str, Any]) -> dict[str, Any]:
    found = scored(request["query"]["multi_match"]["query"], request["size"])
    return {
        "took": 3,
        "timed_out": False,
        "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        "hits": {
            "total": {"value": len(found), "relation": "eq"},
            "max_score": found[0][1],
            "hits": [
                {
                    "_index": "products",
                    "_id": each,
                    "_score": score,
                    "_source": {"title": TITLES[each]},
                }
                for each, score in found
            ],
        },
    }


def elasticsearch(
    path: str, parameters: Mapping[str, Sequence[str]], documents: Any
) -> Any:
    """Elasticsearch and OpenSearch: `_search`, and `_msearch`, in whose body every
    second line is a search.
    """
    if path.endswith("/_msearch"):
        return {
            "took": 4,
            "responses": [
                {**_search_body(each), "status": 200} for each in documents[1::2]
            ],
        }
    return _search_body(documents[0])


def solr(path: str, parameters: Mapping[str, Sequence[str]], documents: Any) -> Any:
    """Solr's `select`."""
    found = scored(parameters["q"][0], int(parameters["rows"][0]))
    return {
        "responseHeader": {
            "status": 0,
            "QTime": 1,
            "params": {name: each[0] for name, each in parameters.items()},
        },
        "response": {
            "numFound": len(found),
            "start": 0,
            "maxScore": found[0][1],
            "numFoundExact": True,
            "docs": [
                {"id": each, "title": TITLES[each], "score": score}
                for each, score in found
            ],
        },
    }


def service(path: str, parameters: Mapping[str, Sequence[str]], documents: Any) -> Any:
    """A search service of one's own."""
    found = scored(parameters["q"][0], int(parameters["size"][0]))
    return {
        "results": [
            {"id": each, "title": TITLES[each], "score": score} for each, score in found
        ]
    }
