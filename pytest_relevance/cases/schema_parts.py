r"""Parts of the JSON Schema of case files that several tables use.

An editor takes `007` or `true` for a number or a boolean, but the reader of case files
takes it for text. So the schema of a text allows these types too. A pattern ends in
`(?!\n)$`, since `$` of Python also matches before a line feed at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_relevance.cases.names import OF_EXPRESSIONS, OWNED_TAGS, RESERVED
from pytest_relevance.cases.scalars import DECIMAL
from pytest_relevance.cases.values import (
    LARGEST_WHOLE,
    NO_REASONS,
    NOT_PARAMETERS,
)
from pytest_relevance.judgments.scale import AGGREGATES
from pytest_relevance.metrics.settings import CHOICES

Schema = dict[str, Any]

END = r"(?!\n)$"
TEXT_TYPES = ["string", "number", "boolean", "null"]
UP_TO_A_MILLION = "[1-9][0-9]{0,5}|1000000"
"""The pattern of a rank or a cutoff."""


def either(*schemas: Schema) -> Schema:
    """Return the schema of a value that fits any of several schemas."""
    return {"anyOf": list(schemas)}


def list_of(item: Schema, *, at_least: int = 0) -> Schema:
    """Return the schema of a list whose entries fit `item`."""
    schema: Schema = {"type": "array", "items": item}
    if at_least:
        schema["minItems"] = at_least
    return schema


def mapping_of(value: Schema, *, at_least: int = 1) -> Schema:
    """Return the schema of a mapping with any keys, whose values fit `value`."""
    return {
        "type": "object",
        "additionalProperties": value,
        "minProperties": at_least,
    }


def object_with(
    properties: Mapping[str, Schema], *, required: Iterable[str] = ()
) -> Schema:
    """Return the schema of a mapping with these keys and no others."""
    schema: Schema = {"type": "object", "properties": dict(properties)}
    if required:
        schema["required"] = list(required)
    schema["additionalProperties"] = False
    return schema


def reference(name: str) -> Schema:
    """Return a reference to a definition under `$defs` of the whole schema."""
    return {"$ref": f"#/$defs/{name}"}


def about(description: str, schema: Schema) -> Schema:
    """Return a schema with a description, which editors show."""
    return {"description": description, **schema}


def choice(meanings: Mapping[str, str]) -> Schema:
    """Return the schema of one of several names, {name: what it means}."""
    return {"enum": list(meanings), "enumDescriptions": list(meanings.values())}


def any_case(word: str) -> str:
    """Return a pattern that finds a word in small or capital letters: `[Nn][Oo]`."""
    pattern = ""
    for letter in word:
        if letter.isalpha():
            pattern += f"[{letter.upper()}{letter.lower()}]"
        else:
            pattern += letter
    return pattern


def _pattern_of_no_reasons() -> str:
    words = sorted(word for word in NO_REASONS if word)
    any_word = "|".join(any_case(word) for word in words)
    return f"^(?!(?:{any_word}){END})"


ANY_TEXT: Schema = {"type": TEXT_TYPES}
TEXT: Schema = {"type": TEXT_TYPES, "minLength": 1}
TEXTS = list_of(TEXT, at_least=1)
TEXT_OR_TEXTS = either(TEXT, TEXTS)

FLAG: Schema = {"type": "boolean"}
WHOLE: Schema = {"type": "integer", "minimum": 1, "maximum": LARGEST_WHOLE}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
NUMBER: Schema = {"type": "number"}
NULL: Schema = {"type": "null"}

ID: Schema = {
    "type": TEXT_TYPES,
    "minLength": 1,
    "pattern": (
        r"^(?!__|:)(?:[^:\[\]\u0000-\u001f\u007f-\u009f\u2028\u2029]|:(?!:|$))+" + END
    ),
    "not": {"enum": sorted(RESERVED)},
}
FIXTURE: Schema = {
    "type": ["string", "boolean", "null"],
    "pattern": r"^(?![0-9])(?:\w|[^\u0000-\u007f])+" + END,
}
TAG: Schema = {
    "type": TEXT_TYPES,
    "pattern": r"^(?!_)(?:[\w.+-]|[^\u0000-\u007f])+" + END,
    "not": {"enum": sorted(OWNED_TAGS | OF_EXPRESSIONS)},
}
REASON: Schema = {
    "type": ["string", "number"],
    "minLength": 1,
    "pattern": _pattern_of_no_reasons(),
    "not": {"enum": [0, 1]},
}
XFAIL = either(
    REASON,
    object_with(
        {
            "reason": about("Why the case is expected to fail.", REASON),
            "strict": about(
                "true: the test fails if the case passes.",
                {"type": ["boolean", "null"]},
            ),
        },
        required=("reason",),
    ),
)
FLOOR: Schema = {**SHARE, "type": ["number", "null"]}
WEIGHT: Schema = {"type": "number", "exclusiveMinimum": 0}
GAIN = either(choice(CHOICES["gain"]), mapping_of(NUMBER))
RATERS: Schema = {"enum": list(AGGREGATES)}
PARAMS: Schema = {
    "type": "object",
    "propertyNames": {"not": {"enum": list(NOT_PARAMETERS)}},
}
ID_FIELD = either(TEXT, {**TEXTS, "uniqueItems": True})
DOCUMENTS = TEXT_OR_TEXTS

EXPECT = reference("expect")
GATE = reference("gate")
FORMAT = reference("format")

BOUND_OF_NUMBER: Schema = {
    "type": "string",
    "pattern": rf"^\s*(?:[<>]=?|==)\s*{DECIMAL}\s*{END}",
}
"""A comparison such as `>= 5`."""
