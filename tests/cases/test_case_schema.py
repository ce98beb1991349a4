"""The JSON Schema that ships: it has what the reader's tables have, and is never stricter than the reader."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from pytest_relevance import read_suite
from pytest_relevance.cases.checking.expectations import KINDS, ON_FIELDS
from pytest_relevance.cases.checking.gates import CONDITIONS
from pytest_relevance.cases.checking.keys import CASE, CASES, KEYS, SUITE
from pytest_relevance.cases.checking.values import (
    LARGEST_WHOLE,
    NOT_PARAMETERS,
    OF_EXPRESSIONS,
    OWNED_TAGS,
    RESERVED,
)
from pytest_relevance.judgments.formats import FORMATS
from pytest_relevance.judgments.scale import AGGREGATES
from pytest_relevance.metrics.measures import MEASURES
from pytest_relevance.metrics.settings import CHOICES, GAINS
from pytest_relevance.metrics.similarity import SIMILARITIES
from tests.cases.conftest import SCHEMA, Mistakes

DEFS = SCHEMA["$defs"]

SchemaSays = Callable[[str | bytes], list[str]]
EditorSees = Callable[[str | bytes], object]

EXAMPLES = sorted(
    (Path(__file__).parents[2] / "example_suite").glob("*.relevance.yaml")
)


# The schema and the tables of the reader


@pytest.mark.parametrize("level", [SUITE, CASE])
def test_the_keys_are_those_of_the_table_of_keys(level: str) -> None:
    keys = (SCHEMA if level == SUITE else DEFS[CASE])["properties"]
    assert keys.keys() - {CASES} == KEYS[level].keys()
    for name in keys.keys() & CHOICES.keys() - {"gain"}:
        assert keys[name]["enum"] == list(CHOICES[name])


def test_names_and_bounds_are_those_of_the_tables() -> None:
    params = DEFS[CASE]["properties"]["params"]["propertyNames"]["not"]["enum"]
    aliases = [alias for known in FORMATS for alias in known.aliases]
    names = [*FORMATS.bundled_names, *aliases]
    assert DEFS["format"]["anyOf"][0]["enum"] == sorted(names)
    assert DEFS[CASE]["properties"]["raters"]["enum"] == list(AGGREGATES)
    assert DEFS[CASE]["properties"]["gain"]["anyOf"][0]["enum"] == list(GAINS)
    assert DEFS["expect"]["properties"].keys() >= KINDS.keys()
    assert (
        DEFS["gate"]["properties"].keys() - {"id", "tag", "p", "variant", "against"}
        == CONDITIONS.keys()
    )
    assert set(DEFS["id"]["not"]["enum"]) == RESERVED
    assert set(DEFS["tag"]["not"]["enum"]) == OWNED_TAGS | OF_EXPRESSIONS
    assert set(params) == NOT_PARAMETERS.keys()
    assert SCHEMA["properties"]["k"]["maximum"] == LARGEST_WHOLE
    assert len(DEFS["bounds-of-metrics"]["patternProperties"]) == len(MEASURES) + len(
        SIMILARITIES
    )
    with_cutoff = [
        name
        for name in DEFS["expect"]["patternProperties"]
        if any(kind in name for kind in ON_FIELDS)
    ]
    assert len(DEFS["expect"]["patternProperties"]) == len(MEASURES) + len(
        SIMILARITIES
    ) + len(with_cutoff)
    assert all(
        any(re.match(name, f"{kind}@5") for name in with_cutoff) for kind in ON_FIELDS
    )


def test_the_schema_is_a_schema_in_the_newest_draft_and_in_the_one_that_editors_know_best() -> (
    None
):
    Draft202012Validator.check_schema(SCHEMA)
    Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every mapping in the schema."""
    if isinstance(schema, dict):
        yield schema
    for part in (
        schema.values()
        if isinstance(schema, dict)
        else schema
        if isinstance(schema, list)
        else ()
    ):
        yield from parts(part)


def test_what_it_refers_to_is_there_and_nothing_else_is() -> None:
    named = {
        part["$ref"].removeprefix("#/$defs/")
        for part in parts(SCHEMA)
        if "$ref" in part
    }
    assert named == set(DEFS)


def test_every_key_has_a_description() -> None:
    keys = [
        key for part in parts(SCHEMA) for key in part.get("properties", {}).values()
    ]
    assert len(keys) > 50
    assert all(key["description"].endswith(".") for key in keys)


# It accepts what the reader accepts: besides these, every text that the fixtures `read` and `case` read in other tests


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_the_example_suite_is_accepted(schema_says: SchemaSays, file: Path) -> None:
    assert read_suite(file).cases
    assert schema_says(file.read_bytes()) == []


# It refuses typical mistakes, as the reader does

MISTAKES = [
    ("scale: [0, 3]", ": anyOf"),
    ("serach: find\ncases: [{query: a}]", ": additionalProperties"),
    ("cases: [{id: a}]", "cases.0: required"),
    ("k: '10'\ncases: [{query: a}]", "k: type"),
    ("min_ndcg: 1.7\ncases: [{query: a}]", "min_ndcg: maximum"),
    ("scale: [0, 1, 2]\ncases: [{query: a}]", "scale: anyOf"),
    ("search: my search\ncases: [{query: a}]", "search: pattern"),
    ("tags: head\ncases: [{query: a}]", "tags: type"),
    ("judgments: {x: 1}\ncases: [{query: a}]", "judgments: anyOf"),
    (
        "documents: {file: products.csv, titel: name}\ncases: [{query: a}]",
        "documents: anyOf",
    ),
    (
        "gates: [{mean: {overlap@5: 1}, variant: ann}]\ncases: [{query: a}]",
        "gates.0: required",
    ),
    (
        "gates: [{max_drop: {overlap@5: 0.1}}]\ncases: [{query: a}]",
        "gates.0.max_drop: not",
    ),
]
IN_A_CASE = [
    ("min_ndgc: 0.5", ": additionalProperties"),
    ("gain: liner", "gain: anyOf"),
    ("id: 'a::b'", "id: pattern"),
    ("id: pytestmark", "id: not"),
    ("tags: [two words]", "tags.0: pattern"),
    ("tags: [skip]", "tags.0: not"),
    ("params: {k: 5}", "params: not"),
    ("usefixtures: db", "usefixtures: type"),
    ("skip: true", "skip: type"),
    ("xfail: {reason: 0}", "xfail: anyOf"),
    ("judgments: {x: {file: qrels.csv}}", "judgments.x: anyOf"),
    ("judgments: {x: '3'}", "judgments.x: anyOf"),
    ("expect: {frist: x}", "expect.frist: anyOf"),
    ("expect: {P@5: 60}", "expect.P@5: anyOf"),
    ("expect: {order: [[x, y]]}", "expect.order: anyOf"),
    ("expect: {within: {x: 3..5}}", "expect.within: anyOf"),
    ("expect: {include: [x, {within: 3}]}", "expect.include: anyOf"),
    ("expect: {every@0: {brand: x}}", "expect.every@0: anyOf"),
    ("expect: {some: {price: '>= x'}}", "expect.some: anyOf"),
    ("expect: {none@3: {brand: {has: x}}}", "expect.none@3: anyOf"),
    ("expect: {at_most@10: {brand: 0}}", "expect.at_most@10: anyOf"),
    ("expect: {same_as: {query: b, overlap@0: 0.8}}", "expect.same_as: anyOf"),
    ("expect: {latency: '>= 1 s'}", "expect.latency: pattern"),
]
MISTAKES += [
    (
        f"cases:\n  - query: a\n    {line}\n",
        f"cases.0{'' if said.startswith(':') else '.'}{said}",
    )
    for line, said in IN_A_CASE
]


@pytest.mark.parametrize(("text", "said"), MISTAKES)
def test_a_typical_mistake_is_refused_by_both(
    schema_says: SchemaSays, mistakes: Mistakes, text: str, said: str
) -> None:
    assert mistakes(text)
    assert schema_says(text) == [said]
