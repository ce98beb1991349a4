"""The check of the key `sample`: how queries are drawn from a file."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_relevance._text import found, listed
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import SampleRule
from pytest_relevance.cases.schema_parts import TEXT, WHOLE, about, object_with
from pytest_relevance.cases.values import check_whole, report_unknown_keys, wrong_column

SAMPLE = "sample"
"""The key of a file from which queries are drawn."""

_KEYS = ("n", "seed", "by", "per")

_SEED_SCHEMA = about(
    "Another seed draws another sample. Default: 0.", {"type": "integer"}
)
SAMPLE_OF_ITEMS_SCHEMA = object_with(
    {"n": about("How many titles are drawn.", WHOLE), "seed": _SEED_SCHEMA},
    required=("n",),
)
SAMPLE_SCHEMA = object_with(
    {
        "n": about(
            "How many queries are drawn. With per, so many are drawn of each group.",
            WHOLE,
        ),
        "seed": _SEED_SCHEMA,
        "by": about(
            "The column of the size of a query. Larger ones are drawn more often.", TEXT
        ),
        "per": about("The column of the group of a query.", TEXT),
    },
    required=("n",),
)


def check_sample(value: object, at: Location) -> SampleRule | Wrong:
    """Return how queries are drawn, or report mistakes."""
    if not isinstance(value, Mapping) or "n" not in value:
        return at.refuse(
            "expected {n: 200}, the number of queries to draw (seed, by and per "
            f"are optional), found {found(value)}"
        )
    takes = f"a sample has {listed(_KEYS, 'and')}"
    is_wrong = report_unknown_keys(value, _KEYS, takes=takes, at=at) is WRONG
    n = check_whole(value["n"], at.under("n"))
    seed = value.get("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool):
        at.refuse(f"expected a whole number, found {found(seed)}", "seed")
        is_wrong = True
    for key in ("by", "per"):
        why_wrong = wrong_column(value[key]) if key in value else None
        if why_wrong is not None:
            at.refuse(why_wrong, key)
            is_wrong = True
    if is_wrong or n is WRONG:
        return WRONG
    return SampleRule(n=n, seed=seed, by=value.get("by"), per=value.get("per"))
