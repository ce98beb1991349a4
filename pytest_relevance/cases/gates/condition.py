"""What a row of the table of conditions is, and the names of the conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_relevance.cases.model import Gate
from pytest_relevance.cases.schema_parts import Schema
from pytest_relevance.cases.values import Check

MEAN = "mean"
MAX_DROP = "max_drop"
PASSING = "passing"
LATENCY = "latency"


@dataclass(frozen=True, slots=True)
class Condition:
    """One row of the table of conditions.

    `name`: the key of a gate.
    `field`: the field of `Gate` that has what `check` makes of the value.
    `describe`: writes the bounds of a gate, for the id of a gate without one.
    `about`: describes the key in an editor.
    `schema`: the JSON Schema of the value.
    """

    name: str
    field: str
    check: Check
    describe: Callable[[Gate], str]
    about: str
    schema: Schema
