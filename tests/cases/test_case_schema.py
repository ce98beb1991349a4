"""The JSON Schema that ships: it has what the reader's tables have, and is never stricter than the reader."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator, Draft202012Validator

from pytest_relevance import Case, CaseFileError, Suite, read_suite
from pytest_relevance.cases.checking.expectations import KINDS, ON_FIELDS
from pytest_relevance.cases.checking.gates import CONDITIONS
from pytest_relevance.cases.checking.keys import CASE, CASES, KEYS, SUITE
from pytest_relevance.cases.checking.values import LARGEST_WHOLE, NOT_PARAMETERS, OF_EXPRESSIONS, OWNED_TAGS, RESERVED
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.judgments.reading import ALIASES, FORMATS
from pytest_relevance.judgments.scale import AGGREGATES
from pytest_relevance.metrics.names import MEASURES, parse_metric
from pytest_relevance.metrics.settings import CHOICES, GAINS
from tests.cases.conftest import SCHEMA

DEFS = SCHEMA["$defs"]

Read = Callable[[str | bytes], Suite]
ReadCase = Callable[[str | bytes], Case]
SchemaSays = Callable[[str | bytes], list[str]]
EditorSees = Callable[[str | bytes], object]
Mistakes = Callable[[str | bytes], list[str]]

EXAMPLES = sorted((Path(__file__).parents[2] / "example_suite").glob("*.relevance.yaml"))


# What only the reader can tell: an editor that checks with the schema alone shows nothing there


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that the schema cannot hold, a file (YAML) that breaks it, and words of the reader's message."""

    rule: str
    example: str
    message: str


_JUDGED = "cases: [{query: a, judgments: {x: 2, y: 1}, "

READER_ONLY: tuple[Rule, ...] = (
    # what a schema never sees: an editor's loader has dealt with it, or has its own words for it
    Rule("a key stands once in a mapping", "k: 5\nk: 6\ncases: [{query: a}]", "duplicate key"),
    Rule("a document is judged once", "cases: [{query: a, judgments: {x: 1, x: 2}}]", "is judged twice"),
    Rule("tags of YAML have no meaning", "k: !!int 5\ncases: [{query: a}]", "has no meaning here"),
    # scalars: the reader takes them as written, an editor as YAML 1.2 reads them
    Rule("a text may be the word null, but not nothing at all", "cases: [{query: }]", "the query is empty"),
    Rule("a number is decimal, without leading zeros", "min_ndcg: .5\ncases: [{query: a}]", "write 0.5"),
    Rule("a whole number has no fraction, not even .0", "k: 5.0\ncases: [{query: a}]", "expected a whole number"),
    # names
    Rule("ids are unique in a file", "cases: [{query: a}, {query: b, id: a}]", 'a second case with the id "a"'),
    Rule("a fixture is a name in Python", "search: a–b\ncases: [{query: a}]", "expected the name of a fixture"),
    Rule("a tag is made of letters and digits", "tags: [a–b]\ncases: [{query: a}]", "may have letters, digits and"),
    Rule("a tag is no marker that is registered", "tags: [owned]\ncases: [{query: a}]", "already owns"),
    Rule("a list has each tag once", "tags: [a, a]\ncases: [{query: a}]", "stands twice"),
    Rule("a reason is no switch", "cases: [{query: a, skip: '0.0'}]", "skip takes the reason as text"),
    # grades
    Rule("a scale goes upwards", "scale: [3, 0]\ncases: [{query: a}]", "two numbers in that order"),
    Rule("a number names no grade", "scale: {1: 1, b: 0}\ncases: [{query: a}]", "cannot name a grade"),
    Rule("a scale fits its gain", "scale: [0, 60]\ncases: [{query: a}]", "the highest grade may be 50"),
    Rule("a name is one of the scale", "cases: [{query: a, judgments: {x: good}}]", "is no number"),
    Rule("a judged document has a grade", "cases: [{query: a, judgments: {x: null}}]", "the document has no grade"),
    Rule("a grade is on the scale", "scale: [0, 3]\ncases: [{query: a, judgments: {x: 4}}]", "is off the scale"),
    Rule("a grade has a gain", "cases: [{query: a, judgments: {x: 51}}]", "too high for exponential gain"),
    Rule("a grade has one gain", "gain: {1: 1, 1.00: 2}\ncases: [{query: a}]", "has two gains"),
    # expectations
    Rule("a metric has its own parameters", _JUDGED + "expect: {P(p=2)@1: 1}}]", "P takes rel="),
    Rule(
        "a comparison with a share is in its range", _JUDGED + "expect: {RR: '> 1'}}]", "expected a number from 0 to 1"
    ),
    Rule("a document is in one set", "cases: [{query: a, expect: {order: [[x], [x, y]]}}]", "stands in two sets"),
    Rule("a list has no comparisons", "cases: [{query: a, expect: {every: {price: ['> 5']}}}]", "a list has texts"),
    Rule("a field has a name", "cases: [{query: a, expect: {every: {a..b: x}}}]", "the name of a field"),
    Rule("only what the suite expects is taken away", "cases: [{query: a, expect: {results: null}}]", "found nothing"),
    # files
    Rule("what it names is there", "judgments: no.csv\ncases: [{query: a}]", "there is no file"),
    Rule("what it names is a file", "judgments: .\ncases: [{query: a}]", "is no file"),
    Rule("a file has a name", "queries: 5", "expected the name of a file"),
    Rule(
        "judgments are no number", "cases: [{query: a, judgments: 5}]", "expected document: grade pairs or a judgment"
    ),
    Rule("what is said of a file is text", "queries: {file: 5}", "expected text, found"),
    Rule("a list has each file once", "queries: [no.tsv, no.tsv]", "stands twice"),
    Rule("a file has a known format", "cases: [{query: a, judgments: {file: no.csv, format: x}}]", "unknown format"),
    Rule("only a request says where its query is", "queries: {file: a, format: csv, query: b}", "is for Elasticsearch"),
    Rule("what is judged has judgments", "queries: {file: q.tsv, only: judged}", "the suite names no judgments"),
    Rule(
        "only a table says which column has its grades",
        "queries: {file: a, format: trec, grade_column: b}",
        "is for tables and JSON objects",
    ),
    Rule("a file is no document", "cases: [{query: a, judgments: {file: no.csv, b: 1}}]", "a file has file, format"),
    # gates
    Rule("gates have different names", "gates: [{passing: 1}, {passing: 1.0}]\ncases: [{query: a}]", "a second gate"),
    Rule("a gate has a metric once", "gates: [{mean: {P@5: 1, p@5: 1}}]\ncases: [{query: a}]", "stands twice"),
    Rule("a gate's tag is one of a case", "gates: [{passing: 1, tag: b}]\ncases: [{query: a}]", "no case has the tag"),
    # what keys say together
    Rule("a floor needs judgments", "cases: [{query: a, min_ndcg: 0.5}]", "a floor needs judgments"),
    Rule("a metric needs judgments", "cases: [{query: a, expect: {RR: 0.5}}]", "RR needs judgments"),
    Rule("a floor needs results", _JUDGED + "min_ndcg: 1, expect: {results: 0}}]", "expects no results has no nDCG"),
    Rule("a floor can be reached", _JUDGED + "expect: {P@5: 0.6}}]", "is above 0.4, the best"),
    Rule(
        "expectations can be met together", "cases: [{query: a, expect: {first: x, exclude: x}}]", "change one of them"
    ),
)
"""Rules that the schema leaves to the reader."""


# The schema and the tables of the reader


@pytest.mark.parametrize("level", [SUITE, CASE])
def test_the_keys_are_those_of_the_table_of_keys(level: str) -> None:
    keys = (SCHEMA if level == SUITE else DEFS[CASE])["properties"]
    assert keys.keys() - {CASES} == KEYS[level].keys()
    for name in keys.keys() & CHOICES.keys() - {"gain"}:
        assert keys[name]["enum"] == list(CHOICES[name])


def test_names_and_bounds_are_those_of_the_tables() -> None:
    params = DEFS[CASE]["properties"]["params"]["propertyNames"]["not"]["enum"]
    assert DEFS["format"]["enum"] == sorted([*FORMATS, *ALIASES])
    assert DEFS[CASE]["properties"]["raters"]["enum"] == list(AGGREGATES)
    assert DEFS[CASE]["properties"]["gain"]["anyOf"][0]["enum"] == list(GAINS)
    assert DEFS["expect"]["properties"].keys() >= KINDS.keys()
    assert DEFS["gate"]["properties"].keys() - {"id", "tag", "p"} == CONDITIONS.keys()
    assert set(DEFS["id"]["not"]["enum"]) == RESERVED
    assert set(DEFS["tag"]["not"]["enum"]) == OWNED_TAGS | OF_EXPRESSIONS
    assert set(params) == NOT_PARAMETERS.keys()
    assert SCHEMA["properties"]["k"]["maximum"] == LARGEST_WHOLE
    assert len(DEFS["bounds-of-metrics"]["patternProperties"]) == len(MEASURES)
    with_cutoff = [name for name in DEFS["expect"]["patternProperties"] if any(kind in name for kind in ON_FIELDS)]
    assert len(DEFS["expect"]["patternProperties"]) == len(MEASURES) + len(with_cutoff)
    assert all(any(re.match(name, f"{kind}@5") for name in with_cutoff) for kind in ON_FIELDS)


def test_the_schema_is_a_schema_in_the_newest_draft_and_in_the_one_that_editors_know_best() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every mapping in the schema."""
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from parts(part)


def test_what_it_refers_to_is_there_and_nothing_else_is() -> None:
    named = {part["$ref"].removeprefix("#/$defs/") for part in parts(SCHEMA) if "$ref" in part}
    assert named == set(DEFS)


def test_every_key_has_a_description() -> None:
    keys = [key for part in parts(SCHEMA) for key in part.get("properties", {}).values()]
    assert len(keys) > 50
    assert all(key["description"].endswith(".") for key in keys)


# It accepts what the reader accepts: besides these, every text that the fixtures `read` and `case` read in other tests


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_the_example_suite_is_accepted(schema_says: SchemaSays, file: Path) -> None:
    assert read_suite(file).cases
    assert schema_says(file.read_bytes()) == []


def test_an_editor_sees_other_values_than_the_reader(editor_sees: EditorSees) -> None:
    """What the fixtures put to the schema: YAML 1.2, not PyYAML's 1.1."""
    values = "[no, 007, 0x1F, ~, True, .5, 1e3, 12:30, 2024-01-01, '7']"
    assert editor_sees(values) == ["no", 7, 31, None, True, 0.5, 1000.0, "12:30", "2024-01-01", "7"]
    assert editor_sees("{007: a, 1.50: b, ~: c, True: d}") == {"7": "a", "1.5": "b", "null": "c", "true": "d"}
    assert editor_sees("{x: {<<: {y: 1}, z: 2}}") == {"x": {"y": 1, "z": 2}}


SPELLINGS = [spelling for measure in MEASURES.values() for spelling in (measure.name, *measure.aliases)]


@st.composite
def metrics(draw: st.DrawFn) -> str:
    """A metric in one of the ways people write it, now and then with a mistake."""
    name = "".join(
        draw(st.sampled_from([letter.lower(), letter.upper()])) for letter in draw(st.sampled_from(SPELLINGS))
    )
    cutoff = draw(st.sampled_from(["", "@10", "@ 5", "_10", ".1", "@1000000", "@007"]))
    inside = draw(st.sampled_from(["", "", "(rel=2)", "( REL = 1.5 )", "(p=0.5,rel=2)", "()"]))
    behind = [inside, cutoff] if draw(st.booleans()) else [cutoff, inside]
    return draw(st.sampled_from(["", " "])).join(
        ["", name.replace(" ", draw(st.sampled_from([" ", "  "]))), *behind, ""]
    )


def is_metric(text: str) -> bool:
    try:
        parse_metric(text)
    except ValueError:
        return False
    return True


@given(metric=metrics())
@settings(deadline=None)
def test_every_spelling_of_a_metric_that_is_read_is_accepted(schema_says: SchemaSays, metric: str) -> None:
    assume(is_metric(metric))
    assert schema_says(f"cases: [{{query: a, expect: {{{json.dumps(metric)}: '<= 1'}}}}]") == []


# It refuses typical mistakes, as the reader does

MISTAKES = [
    ("scale: [0, 3]", ": anyOf"),
    ("serach: find\ncases: [{query: a}]", ": additionalProperties"),
    ("cases: []", "cases: minItems"),
    ("cases: [blue shoes]", "cases.0: type"),
    ("cases: [{id: a}]", "cases.0: required"),
    ("k: '10'\ncases: [{query: a}]", "k: type"),
    ("min_ndcg: 1.7\ncases: [{query: a}]", "min_ndcg: maximum"),
    ("min_judged: null\ncases: [{query: a}]", "min_judged: type"),
    ("scale: [0, 1, 2]\ncases: [{query: a}]", "scale: anyOf"),
    ("search: my search\ncases: [{query: a}]", "search: pattern"),
    ("params: [a]\ncases: [{query: a}]", "params: type"),
    ("tags: head\ncases: [{query: a}]", "tags: type"),
    ("judgments: {x: 1}\ncases: [{query: a}]", "judgments: anyOf"),
    ("judgments: {file: qrels.csv, format: cvs}\ncases: [{query: a}]", "judgments: anyOf"),
    ("queries: {format: csv}", "queries: anyOf"),
    ("documents: [products.csv]\ncases: [{query: a}]", "documents: anyOf"),
    ("documents: {file: products.csv, titel: name}\ncases: [{query: a}]", "documents: anyOf"),
]
IN_A_CASE = [
    ("min_ndgc: 0.5", ": additionalProperties"),
    ("min_ndcg: 1.7", "min_ndcg: maximum"),
    ("gain: liner", "gain: anyOf"),
    ("discount: log10", "discount: enum"),
    ("weight: 0", "weight: exclusiveMinimum"),
    ("id: 'a::b'", "id: pattern"),
    ("id: __init__", "id: pattern"),
    ("id: pytestmark", "id: not"),
    ("tags: [two words]", "tags.0: pattern"),
    ("tags: [skip]", "tags.0: not"),
    ("params: {k: 5}", "params: not"),
    ("usefixtures: db", "usefixtures: type"),
    ("skip: true", "skip: type"),
    ("skip: none", "skip: pattern"),
    ("xfail: {reason: 0}", "xfail: anyOf"),
    ("xfail: {strict: true}", "xfail: anyOf"),
    ("judgments: []", "judgments: anyOf"),
    ("judgments: {x: {file: qrels.csv}}", "judgments.x: anyOf"),
    ("judgments: [{file: qrels.csv, format: cvs}]", "judgments: anyOf"),
    ("judgments: {x: '3'}", "judgments.x: anyOf"),
    ("judgments: {x: {grad: 1}}", "judgments.x: anyOf"),
    ("expect: {frist: x}", "expect: additionalProperties"),
    ("expect: {Success: 1}", "expect: additionalProperties"),
    ("expect: {P@5: 60}", "expect.P@5: anyOf"),
    ("expect: {P@5: '0.6'}", "expect.P@5: anyOf"),
    ("expect: {first: []}", "expect.first: anyOf"),
    ("expect: {order: [[x, y]]}", "expect.order: anyOf"),
    ("expect: {order: {docs: [x, y], within: 0}}", "expect.order: anyOf"),
    ("expect: {within: {x: 0}}", "expect.within: anyOf"),
    ("expect: {within: {x: 3..5}}", "expect.within: anyOf"),
    ("expect: {include: [x, {within: 3}]}", "expect.include: anyOf"),
    ("expect: {exclude: [{docs: x, depth: 3}]}", "expect.exclude: anyOf"),
    ("relevant: []", "relevant: anyOf"),
    ("expect: {results: -1}", "expect.results: anyOf"),
    ("expect: {latency: 200}", "expect.latency: type"),
    ("expect: {every@0: {brand: x}}", "expect: additionalProperties"),
    ("expect: {every@5: phones}", "expect.every@5: anyOf"),
    ("expect: {some: {price: '>= x'}}", "expect.some: anyOf"),
    ("expect: {none@3: {brand: {has: x}}}", "expect.none@3: anyOf"),
    ("expect: {at_most@10: {brand: 0}}", "expect.at_most@10: anyOf"),
    ("expect: {latency: '>= 1 s'}", "expect.latency: pattern"),
]
MISTAKES += [
    (f"cases:\n  - query: a\n    {line}\n", f"cases.0{'' if said.startswith(':') else '.'}{said}")
    for line, said in IN_A_CASE
]


@pytest.mark.parametrize(("text", "said"), MISTAKES)
def test_a_typical_mistake_is_refused_by_both(
    schema_says: SchemaSays, mistakes: Mistakes, text: str, said: str
) -> None:
    assert mistakes(text)
    assert schema_says(text) == [said]


@pytest.mark.parametrize("text", [*(text for text, _ in MISTAKES), *(rule.example for rule in READER_ONLY)])
def test_as_draft_7_the_schema_says_the_same(editor_sees: EditorSees, schema_says: SchemaSays, text: str) -> None:
    old = Draft7Validator({**SCHEMA, "$schema": Draft7Validator.META_SCHEMA["$id"]})
    errors = old.iter_errors(editor_sees(text))
    assert {f"{'.'.join(map(str, error.absolute_path))}: {error.validator}" for error in errors} == {*schema_says(text)}


# Files: what may name them, and what may be said about them

NAMES = st.sampled_from(
    ["rated.csv", "./rated.csv", "more.csv", "no.csv", "", "7", "no", "null", ".", 7, 1.5, True, None]
)
DESCRIBED = st.fixed_dictionaries(
    {},
    optional={
        "file": NAMES,
        "format": st.sampled_from(["csv", "tsv", "cvs", "", None, 3, ["csv"]]),
        "query": st.sampled_from(["params.text", "", 3]),
        "grade_column": st.sampled_from(["rating", "", 3]),
        "form": st.just("csv"),
        "document": st.sampled_from([1, "good", {"grade": 1}]),
    },
)
ANY_FILES = st.one_of(NAMES, DESCRIBED, st.lists(NAMES | DESCRIBED | st.just(["rated.csv"]), max_size=3))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of judgments that are files of queries too."""
    folder = tmp_path_factory.mktemp("files")
    for name, document in (("rated.csv", "a"), ("more.csv", "b")):
        (folder / name).write_text(f"query,docid,rating\nhats,{document},1\nsocks,{document},0\n", encoding="utf-8")
    return folder


@given(
    suite=st.fixed_dictionaries({}, optional={"judgments": ANY_FILES, "queries": ANY_FILES, "scale": st.just([0, 1])}),
    judgments=st.none() | st.builds(lambda files: {"judgments": files}, ANY_FILES),
)
def test_the_schema_and_the_reader_agree_on_files(
    schema_says: SchemaSays, folder: Path, suite: dict[str, object], judgments: dict[str, object] | None
) -> None:
    """But for the rules that only the reader holds."""
    if "queries" not in suite or judgments is not None:
        suite = {**suite, "cases": [{"query": "hats", **(judgments or {})}]}
    text = json.dumps(suite)
    try:
        parse_suite(text.encode(), str(folder / "shop.yaml"), shown="shop.yaml")
    except CaseFileError as error:
        by_rule = all(any(rule.message in problem.message for rule in READER_ONLY) for problem in error.problems)
        assert by_rule or schema_says(text) != []
    else:
        assert schema_says(text) == []


# Gates

SOUND: st.SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries(
        {"mean": st.dictionaries(metrics().filter(is_metric), st.sampled_from([0, 0.75, 1]), min_size=1)}
    ),
    st.fixed_dictionaries({"mean": st.sampled_from([{"DCG@5": 7}, {"nDCG@10": 0.5, "P(rel=2)@5": 0.25}])}),
    st.fixed_dictionaries(
        {"max_drop": st.sampled_from([{"nDCG@10": 0.02}, {"CG": 3, "RR": 0}])},
        optional={"p": st.sampled_from([0.05, 0.5])},
    ),
    st.fixed_dictionaries({"passing": st.sampled_from([0.95, 1, 1.0])}),
)
NAMED = st.fixed_dictionaries({}, optional={"id": st.sampled_from(["most", "a b", "007"]), "tag": st.just("head")})


def joined(gate: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    return {**gate, **more}


SOUND_GATE: st.SearchStrategy[Any] = st.builds(joined, SOUND, NAMED)
NO_MEANS: list[object] = [{}, [], None, 0.5, {"nDGC@10": 0.5}, {"Success": 0.5}, {"nDCG@10": 1.5}, {"RR": "0.5"}]
NO_DROPS: list[object] = [{}, None, {"nDCG@10": -0.1}, {"DCG@5": True}, {"Rprec@5": 0.1}]
FLAWS: list[dict[str, Any]] = [
    *({"mean": value} for value in NO_MEANS),
    *({"max_drop": value} for value in NO_DROPS),
    *({"passing": value} for value in (0, 1.01, "0.95", None, True, 95)),
    *({"id": value} for value in ("tv [new]", "a::b", "", "__a", 7, None)),
    *({"tag": value} for value in ("two words", "_a", "", "nobody", 7, None)),
    *({"p": value} for value in (0, 1, "0.05", None, True, 0.05)),
    {"means": {"nDCG@10": 0.5}},
]
FLAWED_GATE: st.SearchStrategy[Any] = st.builds(joined, SOUND_GATE, st.sampled_from(FLAWS))
A_GATE: st.SearchStrategy[Any] = SOUND_GATE | FLAWED_GATE | st.sampled_from([None, 7, [], {}, {"id": "a"}, "passing"])


@given(gates=st.lists(A_GATE, max_size=3) | st.sampled_from([None, {}, "mean", {"mean": {"nDCG@10": 0.5}}]))
def test_the_schema_and_the_reader_agree_on_gates(schema_says: SchemaSays, gates: object) -> None:
    """But for the rules that only the reader holds."""
    text = json.dumps({"gates": gates, "cases": [{"query": "hats", "tags": ["head"]}]})
    try:
        parse_suite(text.encode(), "shop.yaml")
    except CaseFileError as error:
        by_rule = all(any(rule.message in problem.message for rule in READER_ONLY) for problem in error.problems)
        assert by_rule or schema_says(text) != []
    else:
        assert schema_says(text) == []


# What only the reader can refuse


@pytest.mark.parametrize("rule", READER_ONLY, ids=lambda rule: rule.rule)
def test_a_rule_that_only_the_reader_holds(schema_says: SchemaSays, rule: Rule) -> None:
    assert schema_says(rule.example) == []
    with pytest.raises(CaseFileError) as caught:
        parse_suite(rule.example.encode(), "shop.yaml", owned_tags=OWNED_TAGS | {"owned"})
    (problem,) = caught.value.problems
    assert rule.message in problem.message
