"""The JSON Schema of a case file, for editors: made of the tables that the reader checks with.

It accepts whatever the reader accepts, as an editor sees it: after a YAML 1.2 loader, where text that looks like a
number, a boolean or null is one. What it cannot refuse is listed in `reader_only`. A key that joins `FIELDS` needs a
row in `VALUES`. Afterwards `python -m pytest_relevance.cases.schema` writes the file that ships.

Draft 2020-12, but what it says draft 7 says with the same words, which some editors know best. Its regular expressions
mean the same in Python and in JavaScript; `\\w` is not the same in both, and so whatever is not ASCII passes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pytest_relevance.cases.checks import LARGEST_WHOLE, NO_REASON, NOT_PARAMETERS, SWITCHES
from pytest_relevance.cases.expectations import KINDS, SECONDS, UNBOUNDED
from pytest_relevance.cases.fields import CASE, FIELDS, SUITE
from pytest_relevance.cases.files import FILE, JUDGED, ONLY
from pytest_relevance.cases.gates import CONDITIONS, MAX_DROP, MEAN, PASSING
from pytest_relevance.cases.names import OF_EXPRESSIONS, OWNED_TAGS, RESERVED
from pytest_relevance.cases.scalars import DECIMAL
from pytest_relevance.judgments.formats.known import ALIASES, FORMATS
from pytest_relevance.judgments.raters import AGGREGATES
from pytest_relevance.metrics.names import LARGEST_CUTOFF, MEASURES, Measure
from pytest_relevance.metrics.settings import CHOICES

Schema = dict[str, Any]

SHIPPED = Path(__file__).with_name("case-file.schema.json")
"""The schema as it ships in the package."""

_TITLE = "pytest-relevance case file"

_END = r"(?!\n)$"  # in Python $ alone matches before a last line break too
_NOT_ASCII = r"[^\u0000-\u007f]"
_NUMBER = DECIMAL.pattern
_COMPARISON = r"\s*(?:[<>]=?|==)\s*"


def _any_case(word: str) -> str:
    """A pattern of a word in upper and lower case: JSON Schema has no flags."""
    return "".join(f"[{letter.upper()}{letter.lower()}]" if letter.isalpha() else letter for letter in word)


def _ref(name: str, description: str = "") -> Schema:
    ref: Schema = {"$ref": f"#/$defs/{name}"}
    return {"description": description, **ref} if description else ref


def _mapping(values: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """A mapping with these keys and no others."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": dict(values), **needed, "additionalProperties": False}


def _choice(names: Mapping[str, object]) -> Schema:
    """One of a table's names, with what the table says of each (editors show it, validators do not know it)."""
    means = [meaning for meaning in names.values() if isinstance(meaning, str)]
    return {"enum": list(names), **({"enumDescriptions": means} if means else {})}


# The reader takes text as written, so that it may look like anything to an editor.
_ANY_TEXT: Schema = {"type": ["string", "number", "boolean", "null"]}
_TEXT: Schema = {**_ANY_TEXT, "minLength": 1}
_ANY_NUMBER: Schema = {"type": "number"}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_WHOLE: Schema = {"type": "integer", "minimum": 1, "maximum": LARGEST_WHOLE}

_FORMATS = {name: FORMATS[ALIASES.get(name, name)].about for name in sorted([*FORMATS, *ALIASES])}

_FILE_KEYS: dict[str, Schema] = {
    FILE: {"description": "The file, from where the case file is.", **_TEXT},
    "format": {"description": "What it is, where its content does not show it.", **_choice(_FORMATS)},
    "query": {"description": "Where an Elasticsearch request has the text of its query.", **_TEXT},
}
_QUERY_FILE_KEYS: dict[str, Schema] = {
    ONLY: {"description": "judged: queries without judgments are left out.", "enum": [JUDGED]},
}

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
    "grade": {"anyOf": [_ref("rating"), {"type": "array", "items": _ref("rating"), "minItems": 1}]},
    "judgment": {
        "anyOf": [
            _ref("grade"),
            _mapping(
                {
                    "grade": _ref("grade", "A number, a name of the scale, or a list of ratings."),
                    "title": {"description": "What the document is called, where a report shows it.", **_ANY_TEXT},
                    "note": {"description": "Why it has this grade.", **_ANY_TEXT},
                },
                required=["grade"],
            ),
        ]
    },
    "file": {"anyOf": [_TEXT, _mapping(_FILE_KEYS, required=[FILE])]},
    "files": {"anyOf": [_ref("file"), {"type": "array", "items": _ref("file"), "minItems": 1}]},
    "query-file": {"anyOf": [_TEXT, _mapping({**_FILE_KEYS, **_QUERY_FILE_KEYS}, required=[FILE])]},
    "query-files": {"anyOf": [_ref("query-file"), {"type": "array", "items": _ref("query-file"), "minItems": 1}]},
    "documents": {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]},
    "documents-within": {
        "anyOf": [
            _ref("documents"),
            _mapping(
                {
                    "docs": _ref("documents", "A document, or a list of them."),
                    "within": {"description": "Another depth than the top k.", **_WHOLE},
                },
                required=["docs"],
            ),
        ]
    },
    "bound-of-a-share": {
        "anyOf": [_SHARE, {"type": "string", "pattern": rf"^{_COMPARISON}(?:-?0|1)(?:\.[0-9]+)?\s*{_END}"}]
    },
    "bound-of-a-sum": {"anyOf": [_ANY_NUMBER, {"type": "string", "pattern": rf"^{_COMPARISON}{_NUMBER}\s*{_END}"}]},
    "bound-of-a-count": {
        "anyOf": [{**_WHOLE, "minimum": 0}, {"type": "string", "pattern": rf"^{_COMPARISON}{_NUMBER}\s*{_END}"}]
    },
    "bound-of-a-time": {
        "type": "string",
        "pattern": rf"^(?:\s*<=?\s*)?{_NUMBER}\s*(?:{'|'.join(SECONDS)})\s*{_END}",
    },
}

_EXPECTATIONS: dict[str, Schema] = {
    "first": _ref("documents", "The document on top, or a list: exactly these on top, in this order."),
    "include": _ref(
        "documents-within", "Documents that are in the top k, or {docs: [...], within: 25} for another depth."
    ),
    "exclude": _ref(
        "documents-within",
        "Documents that are not in the top k, or {docs: [...], within: 25} for another depth.",
    ),
    "order": {
        "description": "Documents, each ranked before the next; one that is absent comes last.",
        "type": "array",
        "items": _TEXT,
        "minItems": 2,
    },
    "results": _ref("bound-of-a-count", 'How many documents are returned: 0, 5 (exactly) or ">= 1".'),
    "latency": _ref("bound-of-a-time", 'How long the search may take: "<= 200 ms" or "< 1.5 s".'),
}


def _metric_pattern(measure: Measure) -> str:
    """The spellings of a measure that `parse_metric` reads; what stands between the brackets is left to it."""
    spellings = "|".join(_any_case(spelling).replace(" ", " +") for spelling in (measure.name, *measure.aliases))
    parameters = r"(?:\([^()]*\)\s*)?"
    largest = str(LARGEST_CUTOFF)
    cutoff = rf"(?:@\s*|[_.])0*(?:[1-9][0-9]{{0,{len(largest) - 2}}}|{largest})\s*"
    behind = {"required": cutoff, "optional": f"(?:{cutoff})?", "none": ""}[measure.cutoff]
    return rf"^\s*(?:{spellings})\s*{parameters}{behind}{parameters}{_END}"


def _expect() -> Schema:
    """Kinds of expectations by name, metrics by pattern; each metric also in its usual spellings, to be completed."""
    offered: dict[str, Schema] = {}
    patterns: dict[str, Schema] = {}
    for name, measure in MEASURES.items():
        bound = _ref(f"bound-of-a-{'sum' if name in UNBOUNDED else 'share'}", f"{measure.usage}: {measure.summary}.")
        patterns[_metric_pattern(measure)] = bound
        offered |= {f"{name}@10": bound} if measure.cutoff != "none" else {}
        offered |= {name: bound} if measure.cutoff != "required" else {}
    kinds = {kind: _EXPECTATIONS[kind] for kind in KINDS}
    return {**_mapping({**kinds, **offered}), "patternProperties": patterns}


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
    conditions: dict[str, Schema] = {
        MEAN: _bounds("The least that the mean of a metric may be: {nDCG@10: 0.75}."),
        MAX_DROP: _bounds("How far the mean of a metric may drop below the baseline: {nDCG@10: 0.02}."),
        PASSING: {
            "description": "The share of cases that must pass.",
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1,
        },
    }
    assert list(conditions) == list(CONDITIONS)
    gate = _mapping(
        {
            **conditions,
            "id": _ref("id", "The name of the gate. Default: the condition itself."),
            "tag": _ref("tag", "The tag of the cases that it looks at. Default: all cases."),
            "p": {
                "description": "The drop fails the gate only if it is significant at this level.",
                "type": "number",
                "exclusiveMinimum": 0,
                "exclusiveMaximum": 1,
            },
        }
    )
    only_one = [{"required": [condition]} for condition in conditions]
    return {**gate, "oneOf": only_one, "if": {"required": ["p"]}, "then": {"required": [MAX_DROP]}}


VALUES: dict[str, Schema] = {
    "query": {"description": "What a user types; the only key that a case must have.", **_TEXT},
    "id": _ref("id", "The name of the case, unique in the file. Default: the query."),
    "search": _ref("fixture", "The fixture that is called. Default: search."),
    "k": {"description": "The cutoff of min_ndcg, include, exclude and min_judged. Default: 10.", **_WHOLE},
    "min_ndcg": {
        "description": "The least nDCG@k, from 0 to 1. null takes an inherited floor away.",
        **_SHARE,
        "type": ["number", "null"],
    },
    "scale": {
        "description": "Names of grades, {exact: 3, irrelevant: 0}, or the lowest and the highest grade, [0, 3].",
        "anyOf": [
            {"type": "array", "items": _ANY_NUMBER, "minItems": 2, "maxItems": 2},
            {"type": "object", "additionalProperties": _ANY_NUMBER, "minProperties": 2},
        ],
    },
    "gain": {
        "description": "What a grade is worth: a formula, or a mapping {grade: gain}. Default: exponential.",
        "anyOf": [
            _choice(CHOICES["gain"]),
            {"type": "object", "additionalProperties": _ANY_NUMBER, "minProperties": 1},
        ],
    },
    "discount": {
        "description": "What a gain is divided by at its rank. Default: log2.",
        **_choice(CHOICES["discount"]),
    },
    "ideal": {"description": "The ranking that nDCG compares with. Default: judged.", **_choice(CHOICES["ideal"])},
    "unjudged": {"description": "What unjudged results count. Default: zero.", **_choice(CHOICES["unjudged"])},
    "negative": {"description": "What negative grades count. Default: keep.", **_choice(CHOICES["negative"])},
    "min_judged": {
        "description": "Below this share of judged results in the top k a score may decide nothing. Default: 0, off.",
        **_SHARE,
    },
    "raters": {
        "description": "How several ratings of a document become its grade. Default: median.",
        **_choice(AGGREGATES),
    },
    "id_field": {"description": "The field of a result that is its id; dots lead into nested fields.", **_TEXT},
    "title_field": {"description": "The field of a result that is its title; dots lead into nested fields.", **_TEXT},
    "params": {
        "description": "Keyword arguments for search(). Those of a case are merged over the suite's.",
        "type": "object",
        "propertyNames": {"not": {"enum": sorted(NOT_PARAMETERS)}},
    },
    "tags": {
        "description": "pytest marks (-m head) and slices of the summary. Those of a case are added to the suite's.",
        "type": "array",
        "items": _ref("tag"),
    },
    "judgments": {
        "description": "document: grade. A grade is a number, a name of the scale, a list of ratings, or "
        "{grade: 3, title: ..., note: ...}. Or a judgment file, {file: ..., format: ...}, or a list of files.",
        # a mapping with the key `file` passes for one of documents
        "if": {"type": "object"},
        "then": {"additionalProperties": _ref("judgment")},
        "else": _ref("files"),
    },
    "tolerance": {
        "description": "How far nDCG@k may drop below the baseline. Default: relevance_tolerance of the project, 0.05.",
        **_SHARE,
    },
    "gates": {
        "description": "Conditions on the suite as a whole.",
        "type": "array",
        "items": _gate(),
    },
    "queries": _ref(
        "query-files",
        "A file of queries, {file: ..., format: ..., only: judged}, or a list of files: each query is a case.",
    ),
    "note": {"description": "Shown when the case fails.", **_ANY_TEXT},
    "weight": {"description": "The weight of the case in means. Default: 1.", "type": "number", "exclusiveMinimum": 0},
    "xfail": {
        "description": "Why the floor or an expectation is known to fail, or {reason: ..., strict: true}.",
        "anyOf": [
            _ref("reason"),
            _mapping(
                {
                    "reason": _ref("reason", "Why the case is expected to fail."),
                    "strict": {"description": "Whether to pass is a failure.", "type": ["boolean", "null"]},
                },
                required=["reason"],
            ),
        ],
    },
    "skip": _ref("reason", "Why the case is not run."),
    "usefixtures": {
        "description": "Fixtures to set up before the search.",
        "type": "array",
        "items": _ref("fixture"),
    },
    "expect": {"description": "Expectations beyond min_ndcg.", **_expect()},
}
"""What each key of `FIELDS` may hold, and what an editor says of it."""

AT_SUITE: dict[str, Schema] = {
    "judgments": _ref("files", "A judgment file, {file: ..., format: ...}, or a list of files, for all cases."),
}
"""The same where a suite may hold something else than a case."""


def case_file_schema() -> Schema:
    """The JSON Schema of a case file."""
    keys = {
        level: {
            name: {**VALUES, **(AT_SUITE if level == SUITE else {})}[name]
            for name, field in FIELDS.items()
            if level in field.at
        }
        for level in (SUITE, CASE)
    }
    cases = {"description": "The cases, each a query.", "type": "array", "items": _ref(CASE), "minItems": 1}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": _TITLE,
        "description": "What stands beside cases is a default of the suite, which a case may override.",
        **_mapping({**keys[SUITE], "cases": cases}),
        "anyOf": [{"required": ["cases"]}, {"required": ["queries"]}],
        "$defs": {CASE: _mapping(keys[CASE], required=["query"]), **_DEFINITIONS},
    }


def schema_text() -> str:
    """The schema as the text of its file."""
    return json.dumps(case_file_schema(), indent=2, ensure_ascii=False) + "\n"


def is_schema(data: bytes) -> bool:
    """Whether the content of a file is a schema of case files, of any version; `{}` is one that is not written yet."""
    try:
        found = json.loads(data)
    except ValueError:
        return False
    return isinstance(found, dict) and (not found or found.get("title") == _TITLE)


def main(arguments: list[str]) -> None:
    """Write the schema to the file that is named, or to the one that ships."""
    (Path(arguments[0]) if arguments else SHIPPED).write_text(schema_text(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
