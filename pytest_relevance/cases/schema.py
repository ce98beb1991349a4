"""The JSON Schema of a case file, for editors: made of the table of keys that the reader checks with.

The schema accepts whatever the reader accepts, as an editor sees it: after a loader of YAML 1.2, for which text that
looks like a number, a boolean or null is one. A test lists the mistakes that it cannot refuse. A key names its
definition here. `python -m pytest_relevance.cases.schema` writes the file that ships.

The draft is 2020-12, in words that mean the same in draft 7, which some editors know best. The regular expressions mean
the same in Python and in JavaScript; `\\w` does not, so everything that is not ASCII passes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pytest_relevance.cases.checking.expectations import KINDS, SECONDS, UNBOUNDED
from pytest_relevance.cases.checking.files import FILE, JUDGED, ONLY
from pytest_relevance.cases.checking.gates import CONDITIONS, MAX_DROP, MEAN, PASSING
from pytest_relevance.cases.checking.keys import CASE, CASES, KEYS, QUERIES, SUITE
from pytest_relevance.cases.checking.values import LARGEST_WHOLE, NO_REASON, NOT_PARAMETERS, SWITCHES
from pytest_relevance.cases.names import OF_EXPRESSIONS, OWNED_TAGS, RESERVED
from pytest_relevance.cases.yaml.scalars import DECIMAL
from pytest_relevance.judgments.reading import ALIASES, FORMATS
from pytest_relevance.metrics.names import LARGEST_CUTOFF, MEASURES, Measure
from pytest_relevance.metrics.settings import GAINS

Schema = dict[str, Any]

SHIPPED = Path(__file__).with_name("case-file.schema.json")
"""The schema that ships with the package."""

_TITLE = "pytest-relevance case file"
_END = r"(?!\n)$"  # in Python $ alone matches before a last line break too
_NOT_ASCII = r"[^\u0000-\u007f]"
_NUMBER = DECIMAL.pattern
_COMPARISON = r"\s*(?:[<>]=?|==)\s*"


def case_file_schema() -> Schema:
    """Make the JSON Schema of a case file."""
    cases = {"description": "The cases, each a query.", **_list(_ref(CASE), 1)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": _TITLE,
        "description": "What stands beside cases is a default of the suite, which a case may override.",
        **_mapping({**_keys(SUITE), CASES: cases}),
        "anyOf": [{"required": [CASES]}, {"required": [QUERIES]}],
        "$defs": {CASE: _mapping(_keys(CASE), required=["query"]), **_DEFINITIONS},
    }


def schema_text() -> str:
    """Make the text of the file that ships."""
    return json.dumps(case_file_schema(), indent=2, ensure_ascii=False) + "\n"


def is_schema(data: bytes) -> bool:
    """Whether the content of a file is a schema of case files, of any version, or `{}`, one that is not written yet."""
    try:
        found = json.loads(data)
    except ValueError:
        return False
    return isinstance(found, dict) and (not found or found.get("title") == _TITLE)


def main(arguments: list[str]) -> None:
    """Write the schema to the file that is named, or to the one that ships."""
    (Path(arguments[0]) if arguments else SHIPPED).write_text(schema_text(), encoding="utf-8", newline="\n")


def _keys(level: str) -> dict[str, Schema]:
    return {name: {"description": key.about, **_values(key.kind.schema)} for name, key in KEYS[level].items()}


def _values(schema: str | Mapping[str, object]) -> Schema:
    """The schema of the values of a key, from the name of a definition or a table of choices."""
    if not isinstance(schema, str):
        return _choice(schema)
    return _TYPES[schema] if schema in _TYPES else _ref(schema)


def _ref(name: str, description: str = "") -> Schema:
    ref: Schema = {"$ref": f"#/$defs/{name}"}
    return {"description": description, **ref} if description else ref


def _list(items: Schema, least: int = 0) -> Schema:
    """A list of at least so many items."""
    return {"type": "array", "items": items, **({"minItems": least} if least else {})}


def _mapping(values: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """A mapping with these keys and no others."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": dict(values), **needed, "additionalProperties": False}


def _any_of(*schemas: Schema) -> Schema:
    return {"anyOf": list(schemas)}


def _choice(names: Mapping[str, object]) -> Schema:
    """One of the names of a table, with their meanings (`enumDescriptions` is for editors alone)."""
    meanings = [meaning for meaning in names.values() if isinstance(meaning, str)]
    return {"enum": list(names), **({"enumDescriptions": meanings} if meanings else {})}


def _text(pattern: str) -> Schema:
    """A string of this pattern."""
    return {"type": "string", "pattern": f"^{pattern}{_END}"}


def _any_case(word: str) -> str:
    """A pattern of a word in upper and lower case: JSON Schema has no flags."""
    return "".join(f"[{letter.upper()}{letter.lower()}]" if letter.isalpha() else letter for letter in word)


# The reader takes text as written, so that it may look like anything to an editor.
_ANY_TEXT: Schema = {"type": ["string", "number", "boolean", "null"]}
_TEXT: Schema = {**_ANY_TEXT, "minLength": 1}
_ANY_NUMBER: Schema = {"type": "number"}
_NULL: Schema = {"type": "null"}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_WHOLE: Schema = {"type": "integer", "minimum": 1, "maximum": LARGEST_WHOLE}


def _at_depth(documents: Schema, depth: str) -> Schema:
    """Documents and the depth to which they are looked for; `depth` describes that."""
    return _mapping({"docs": documents, "within": {"description": depth, **_WHOLE}}, required=["docs"])


_FORMATS = {name: FORMATS[ALIASES.get(name, name)].about for name in sorted([*FORMATS, *ALIASES])}
_FILE: dict[str, Schema] = {
    FILE: {"description": "The file, from where the case file is.", **_TEXT},
    "format": {"description": "What it is, where its content does not show it.", **_choice(_FORMATS)},
    "query": {"description": "Where an Elasticsearch request has the text of its query.", **_TEXT},
    "grade_column": {"description": "Which column of a table has the grades.", **_TEXT},
}
_ONLY: Schema = {"description": f"{JUDGED}: leave the queries without judgments out.", "enum": [JUDGED]}

_DEFINITIONS: dict[str, Schema] = {
    "id": {
        **_TEXT,
        # what a pytest node id cannot carry: control characters, brackets, "::", "__" or ":" in front, ":" at the end
        "pattern": rf"^(?!__|:)(?:[^:\[\]\u0000-\u001f\u007f-\u009f\u2028\u2029]|:(?!:|$))+{_END}",
        "not": {"enum": sorted(RESERVED)},
    },
    "fixture": {"type": ["string", "boolean", "null"], "pattern": rf"^(?![0-9])(?:\w|{_NOT_ASCII})+{_END}"},
    "tag": {
        **_ANY_TEXT,
        "pattern": rf"^(?!_)(?:[\w.+-]|{_NOT_ASCII})+{_END}",
        "not": {"enum": sorted(OWNED_TAGS | OF_EXPRESSIONS)},
    },
    "reason": {
        "type": ["string", "number"],
        "minLength": 1,
        "pattern": rf"^(?!(?:{'|'.join(_any_case(word) for word in sorted(NO_REASON))}){_END})",
        "not": {"enum": list(SWITCHES)},
    },
    # a number in quotes is refused: a string that is one had quotes, and no grade has such a name
    "rating": {**_TEXT, "pattern": rf"^(?!(?:{_NUMBER}){_END})"},
    "grade": _any_of(_ref("rating"), _list(_ref("rating"), 1)),
    "judgment": _any_of(
        _ref("grade"),
        _mapping(
            {
                "grade": _ref("grade", "A number, a name of the scale, or a list of ratings."),
                "title": {"description": "What the document is called, where a report shows it.", **_ANY_TEXT},
                "note": {"description": "Why it has this grade.", **_ANY_TEXT},
            },
            required=["grade"],
        ),
    ),
    "catalogue": _any_of(
        _TEXT,
        _mapping(
            {
                FILE: _FILE[FILE],
                "id": {"description": "The column of the ids. Default: id, or a usual name of it.", **_TEXT},
                "title": {"description": "The column of the titles. Default: title or name.", **_TEXT},
                "show": {"description": "Further columns that reports show.", **_list(_TEXT)},
            },
            required=[FILE],
        ),
    ),
    "file": _any_of(_TEXT, _mapping(_FILE, required=[FILE])),
    "files": _any_of(_ref("file"), _list(_ref("file"), 1)),
    "query-file": _any_of(_TEXT, _mapping({**_FILE, ONLY: _ONLY}, required=[FILE])),
    "query-files": _any_of(_ref("query-file"), _list(_ref("query-file"), 1)),
    "documents": _any_of(_TEXT, _list(_TEXT, 1)),
    "documents-within": _at_depth(_ref("documents", "A document, or a list of them."), "Another depth than the top k."),
    "documents-at-depths": _any_of(_TEXT, _ref("documents-within"), _list(_any_of(_TEXT, _ref("documents-within")), 1)),
    "sets-of-documents": _list(_ref("documents"), 2),
    "order": _any_of(
        _ref("sets-of-documents"),
        _at_depth(
            _ref("sets-of-documents", "Documents, or sets of them, each before the next."),
            "The depth: what is below it comes last.",
        ),
    ),
    "ranks-of-documents": _any_of(
        _NULL, {"type": "object", "additionalProperties": _ref("bound-of-a-rank"), "minProperties": 1}
    ),
    # null takes away what a case has from its suite
    "bound-of-a-share": _any_of(_NULL, _SHARE, _text(rf"{_COMPARISON}(?:-?0|1)(?:\.[0-9]+)?\s*")),
    "bound-of-a-sum": _any_of(_NULL, _ANY_NUMBER, _text(rf"{_COMPARISON}{_NUMBER}\s*")),
    "bound-of-a-count": _any_of(_NULL, {**_WHOLE, "minimum": 0}, _text(rf"{_COMPARISON}{_NUMBER}\s*")),
    "bound-of-a-rank": _any_of(_WHOLE, _text(rf"{_COMPARISON}{_NUMBER}\s*")),
    "bound-of-a-time": {**_text(rf"(?:\s*<=?\s*)?{_NUMBER}\s*(?:{'|'.join(SECONDS)})\s*"), "type": ["string", "null"]},
}
"""What stands in several places of the schema, by the names of the references to it."""


def _metric_pattern(measure: Measure) -> str:
    """The spellings of a measure that `parse_metric` reads; what stands between the brackets is left to it."""
    spellings = "|".join(_any_case(spelling).replace(" ", " +") for spelling in (measure.name, *measure.aliases))
    parameters = r"(?:\([^()]*\)\s*)?"
    largest = str(LARGEST_CUTOFF)
    cutoff = rf"(?:@\s*|[_.])0*(?:[1-9][0-9]{{0,{len(largest) - 2}}}|{largest})\s*"
    after_name = {"required": cutoff, "optional": f"(?:{cutoff})?", "none": ""}[measure.cutoff]
    return rf"^\s*(?:{spellings})\s*{parameters}{after_name}{parameters}{_END}"


def _expect() -> Schema:
    """Kinds of expectations by name, metrics by pattern; each metric also in its usual spellings, to be completed."""
    within = "or {docs: [...], within: 25} for another depth, or a list of these."
    kinds = {
        "first": _ref("documents", "The document on top, or a list: exactly these on top, in this order."),
        "include": _ref("documents-at-depths", f"Documents that are in the top k, {within}"),
        "exclude": _ref("documents-at-depths", f"Documents that are not in the top k, {within}"),
        "order": _ref("order", "Documents, or sets of them, each before the next; one that is absent comes last."),
        "within": _ref("ranks-of-documents", 'The rank that a document must reach: {sku-5: 3, sku-6: ">3"}.'),
        "results": _ref("bound-of-a-count", 'How many documents are returned: 0, 5 (exactly) or ">= 1".'),
        "latency": _ref("bound-of-a-time", 'How long the search may take: "<= 200 ms" or "< 1.5 s".'),
    }
    offered: dict[str, Schema] = {kind: kinds[kind] for kind in KINDS}
    patterns: dict[str, Schema] = {}
    for name, measure in MEASURES.items():
        bound = _ref(f"bound-of-a-{'sum' if name in UNBOUNDED else 'share'}", f"{measure.usage}: {measure.summary}.")
        patterns[_metric_pattern(measure)] = bound
        offered |= {f"{name}@10": bound} if measure.cutoff != "none" else {}
        offered |= {name: bound} if measure.cutoff != "required" else {}
    return {**_mapping(offered), "patternProperties": patterns}


def _bounds(description: str) -> Schema:
    """Metrics and their bounds, as a gate has them."""
    metrics = {
        _metric_pattern(measure): {"type": "number", "minimum": 0, **({} if name in UNBOUNDED else {"maximum": 1})}
        for name, measure in MEASURES.items()
    }
    return {
        "description": description,
        "type": "object",
        "minProperties": 1,
        "patternProperties": metrics,
        "additionalProperties": False,
    }


def _gate() -> Schema:
    above_0 = {"type": "number", "exclusiveMinimum": 0}
    conditions: dict[str, Schema] = {
        MEAN: _bounds("The least that the mean of a metric may be: {nDCG@10: 0.75}."),
        MAX_DROP: _bounds("How far the mean of a metric may drop below the baseline: {nDCG@10: 0.02}."),
        PASSING: {"description": "The share of cases that must pass.", **above_0, "maximum": 1},
    }
    assert list(conditions) == list(CONDITIONS)
    about_p = "The drop fails the gate only if it is significant at this level."
    options = {
        "id": _ref("id", "The name of the gate. Default: the condition itself."),
        "tag": _ref("tag", "The tag of the cases that it looks at. Default: all cases."),
        "p": {"description": about_p, **above_0, "exclusiveMaximum": 1},
    }
    only_one = [{"required": [condition]} for condition in conditions]
    with_p = {"if": {"required": ["p"]}, "then": {"required": [MAX_DROP]}}
    return {**_mapping({**conditions, **options}), "oneOf": only_one, **with_p}


def _xfail() -> Schema:
    parts = {
        "reason": _ref("reason", "Why the case is expected to fail."),
        "strict": {"description": "Whether to pass is a failure.", "type": ["boolean", "null"]},
    }
    return _any_of(_ref("reason"), _mapping(parts, required=["reason"]))


def _numbers_by_name(least: int) -> Schema:
    return {"type": "object", "additionalProperties": _ANY_NUMBER, "minProperties": least}


_TYPES: dict[str, Schema] = {
    "text": _TEXT,
    "any-text": _ANY_TEXT,
    "whole": _WHOLE,
    "share": _SHARE,
    "floor": {**_SHARE, "type": ["number", "null"]},
    "weight": {"type": "number", "exclusiveMinimum": 0},
    "scale": _any_of({**_list(_ANY_NUMBER, 2), "maxItems": 2}, _numbers_by_name(2)),
    "gain": _any_of(_choice(GAINS), _numbers_by_name(1)),
    "params": {"type": "object", "propertyNames": {"not": {"enum": sorted(NOT_PARAMETERS)}}},
    "tags": _list(_ref("tag")),
    "fixtures": _list(_ref("fixture")),
    # a mapping with the key `file` passes for one of documents
    "judgments": {"if": {"type": "object"}, "then": {"additionalProperties": _ref("judgment")}, "else": _ref("files")},
    "xfail": _xfail(),
    "expect": _expect(),
    "gates": _list(_gate()),
}
"""What the keys may hold that name none of the definitions."""


if __name__ == "__main__":
    main(sys.argv[1:])
