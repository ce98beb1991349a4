"""What a row of the table of expectations is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_relevance.cases.location import Location, Wrong
from pytest_relevance.cases.model import Expectation
from pytest_relevance.cases.schema_parts import Schema

Made = Sequence[Expectation] | Wrong
"""What the check of an entry returns: the expectations that it is, at least one."""


@dataclass(frozen=True, slots=True)
class ExpectationKind:
    """One row of the table of expectations.

    `name`: the key of `expect:`.
    `check`: makes the expectations of the key as it is written, the value, and its location.
    `about`: describes the key in an editor.
    `schema`: the JSON Schema of the value.
    `takes_rank`: whether the key may end in `@5`, the number of results that it looks at.
    `names_documents`: whether the value names documents.
    """

    name: str
    check: Callable[[str, object, Location], Made]
    about: str
    schema: Schema
    takes_rank: bool = False
    names_documents: bool = False
