"""The suites of a shop with 28 queries, and what its search returned before and after
it got worse.
"""

from collections.abc import Mapping, Sequence

SHOP = """\
k: 10
min_ndcg: 0.60
scale: {exact: 3, substitute: 2, complement: 1, irrelevant: 0}
gates:
  - mean: {nDCG@10: 0.95}
cases:
  - query: smart watch
    note: watches, not their straps
    tags: [electronics]
    weight: 4200
    judgments:
      orbit2: {grade: exact, title: Watch Orbit 2}
      orbit1: {grade: exact, title: Watch Orbit 1}
      strap: complement
      dock: irrelevant
  - query: blue shoes
    note: customers mean trainers, not shoe polish
    tags: [shoes]
    min_ndcg: 0.3
    judgments: {runner: exact, sneaker: substitute, polish: irrelevant}
  - query: red shoes
    tags: [shoes]
    min_ndcg: 0.3
    judgments: {ruby: exact}
  - query: rain jacket
    tags: [clothing]
    judgments: {drizzle: exact, sleet: exact}
""" + "".join(
    f"  - query: lamp {number:02}\n    tags: [lamps]\n    judgments: {{lamp-{number:02}: exact}}\n"
    for number in range(1, 23)
)

LOOKUPS = """\
cases:
  - query: order 66
    expect: {results: 0}
    params: {locale: en_GB}
  - query: it's $(date)
    expect: {first: today}
"""

CONFTEST = """\
import json
from pathlib import Path

import pytest

@pytest.fixture
def search():
    rankings = json.loads(Path(__file__).with_name("rankings.json").read_text(encoding="utf-8"))
    return lambda query, **params: rankings[query]
"""

_TITLES = {
    "orbit2": "Watch Orbit 2",
    "orbit1": "Watch Orbit 1",
    "strap": "Sport strap 22 mm",
    "dock": "Charging dock",
    "phone": "Smartphone Nimbus",
    "runner": "Blue runner",
    "sneaker": "Blue sneaker",
    "polish": "Shoe polish, blue",
    "loafer": "Blue loafer",
    "sandal": "Blue sandal",
    "ruby": "Ruby shoes",
    "brick": "Red brick",
}


def _hits(*documents: str) -> list[dict[str, str]]:
    return [
        {"id": document, "title": _TITLES.get(document, "")} for document in documents
    ]


_SAME: Mapping[str, Sequence[dict[str, str]]] = {
    **{f"lamp {number:02}": _hits(f"lamp-{number:02}") for number in range(1, 23)},
    "order 66": [],
    "it's $(date)": _hits("today"),
}

BEFORE = {
    **_SAME,
    "smart watch": _hits("orbit2", "orbit1", "strap"),
    "blue shoes": _hits("runner", "sneaker"),
    "red shoes": _hits("ruby"),
    "rain jacket": _hits("umbrella", "drizzle", "sleet"),
}
"""The rankings that were accepted, by query."""

AFTER = {
    **_SAME,
    "smart watch": _hits("strap", "dock", "phone", "orbit1"),
    "blue shoes": _hits("loafer", "runner", "polish", "sandal", "sneaker"),
    "red shoes": _hits("brick", "ruby"),
    "rain jacket": _hits("drizzle", "sleet"),
}
"""The rankings of the run that the report is about: smart watch fails now, rain jacket
is better, `loafer`, `sandal`, `phone` and `brick` are unjudged.
"""
