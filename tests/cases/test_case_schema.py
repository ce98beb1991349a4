"""The JSON Schema of case files, as `pytest-relevance schema` prints it. It is never
stricter than the reader.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from pytest_relevance import read_suite
from tests.cases.conftest import SCHEMA, mistakes, schema_says

EXAMPLES = sorted(
    (Path(__file__).parents[2] / "example_suite").rglob("*.relevance.yaml")
)


def test_it_is_a_schema_in_the_newest_draft_and_in_the_one_that_editors_know_best() -> (
    None
):
    Draft202012Validator.check_schema(SCHEMA)
    Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every mapping in the schema."""
    if isinstance(schema, dict):
        yield schema
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from parts(part)


def test_what_it_refers_to_is_there_and_nothing_else_is() -> None:
    named = set()
    for part in parts(SCHEMA):
        if "$ref" in part:
            named.add(part["$ref"].removeprefix("#/$defs/"))
    assert named == set(SCHEMA["$defs"])


def test_every_key_has_a_description() -> None:
    for part in parts(SCHEMA):
        for name, key in part.get("properties", {}).items():
            assert key["description"].endswith("."), name


def test_metrics_are_known_in_every_spelling() -> None:
    expect = SCHEMA["$defs"]["expect"]
    assert {"nDCG@10", "nDCG", "Success@10", "Rprec", "RBO@10"} <= expect[
        "properties"
    ].keys()
    patterns = expect["patternProperties"]
    for spelling in ("nDCG@3", "ndcg_cut_10", "Average  Precision", "P(rel=2)@5"):
        (known,) = [name for name in patterns if re.match(name, spelling)]
        assert "description" in patterns[known]
    assert not any(re.match(name, "Success") for name in patterns)


# It accepts what the reader accepts: besides these, every text that the fixtures `read`
# and `case` read in other tests


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_the_example_suite_is_accepted(file: Path) -> None:
    assert read_suite(file).cases
    assert schema_says(file.read_bytes()) == []


# It refuses typical mistakes, as the reader does

OF_A_SUITE = [
    ("scale: [0, 3]", ": anyOf"),
    ("serach: find\ncases: [{query: a}]", ": additionalProperties"),
    ("cases: [{id: a}]", "cases.0: required"),
    ("k: '10'\ncases: [{query: a}]", "k: type"),
    ("min_ndcg: 1.7\ncases: [{query: a}]", "min_ndcg: maximum"),
    ("scale: [0, 1, 2]\ncases: [{query: a}]", "scale: anyOf"),
    ("search: my search\ncases: [{query: a}]", "search: pattern"),
    ("tags: head\ncases: [{query: a}]", "tags: type"),
    ("judgments: {x: 1}\ncases: [{query: a}]", "judgments: anyOf"),
    ("documents: {file: products.csv, titel: name}\ncases: [{query: a}]", "documents: anyOf"),
    ("gates: [{mean: {overlap@5: 1}, variant: ann}]\ncases: [{query: a}]", "gates.0: required"),
    ("gates: [{max_drop: {overlap@5: 0.1}}]\ncases: [{query: a}]", "gates.0.max_drop: not"),
]  # fmt: skip
OF_A_CASE = [
    ("min_ndgc: 0.5", "cases.0: additionalProperties"),
    ("gain: liner", "cases.0.gain: anyOf"),
    ("raters: avarage", "cases.0.raters: enum"),
    ("id: 'a::b'", "cases.0.id: pattern"),
    ("id: pytestmark", "cases.0.id: not"),
    ("tags: [two words]", "cases.0.tags.0: pattern"),
    ("tags: [skip]", "cases.0.tags.0: not"),
    ("params: {k: 5}", "cases.0.params: not"),
    ("usefixtures: db", "cases.0.usefixtures: type"),
    ("skip: true", "cases.0.skip: type"),
    ("xfail: {reason: 0}", "cases.0.xfail: anyOf"),
    ("judgments: {x: {file: qrels.csv}}", "cases.0.judgments.x: anyOf"),
    ("judgments: {x: '3'}", "cases.0.judgments.x: anyOf"),
    ("expect: {frist: x}", "cases.0.expect.frist: anyOf"),
    ("expect: {P@5: 60}", "cases.0.expect.P@5: anyOf"),
    ("expect: {order: [[x, y]]}", "cases.0.expect.order: anyOf"),
    ("expect: {within: {x: 3..5}}", "cases.0.expect.within: anyOf"),
    ("expect: {include: [x, {within: 3}]}", "cases.0.expect.include: anyOf"),
    ("expect: {every@0: {brand: x}}", "cases.0.expect.every@0: anyOf"),
    ("expect: {some: {price: '>= x'}}", "cases.0.expect.some: anyOf"),
    ("expect: {none@3: {brand: {has: x}}}", "cases.0.expect.none@3: anyOf"),
    ("expect: {at_most@10: {brand: 0}}", "cases.0.expect.at_most@10: anyOf"),
    ("expect: {same_as: {query: b, overlap@0: 0.8}}", "cases.0.expect.same_as: anyOf"),
    ("expect: {response: {total: '>= x'}}", "cases.0.expect.response: anyOf"),
    ("expect: {response: {total: {has: x}}}", "cases.0.expect.response: anyOf"),
    ("expect: {response: 41}", "cases.0.expect.response: anyOf"),
    ("expect: {latency: '>= 1 s'}", "cases.0.expect.latency: pattern"),
]


@pytest.mark.parametrize(("text", "said"), OF_A_SUITE)
def test_a_typical_mistake_of_a_suite_is_refused_by_both(text: str, said: str) -> None:
    assert mistakes(text)
    assert schema_says(text) == [said]


@pytest.mark.parametrize(("line", "said"), OF_A_CASE)
def test_a_typical_mistake_of_a_case_is_refused_by_both(line: str, said: str) -> None:
    text = f"cases:\n  - query: a\n    {line}\n"
    assert mistakes(text)
    assert schema_says(text) == [said]
