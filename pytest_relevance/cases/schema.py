"""The JSON Schema of case files, made of the tables that the reader uses.

With the schema an editor completes the keys of a case file, explains them and marks
most mistakes. The schema accepts everything that the reader accepts.
`pytest-relevance schema` prints it.
"""

from __future__ import annotations

from pytest_relevance.cases.bounds import MOST, SCORE, SHARE
from pytest_relevance.cases.expect import kind_of_key, names_of_keys
from pytest_relevance.cases.gates import gate_schema
from pytest_relevance.cases.keys import (
    CASE,
    CASES,
    KEYS,
    KNOWN_ITEMS,
    QUERIES,
    SUITE,
)
from pytest_relevance.cases.named_files import JUDGMENT_FILE
from pytest_relevance.cases.schema_parts import (
    END,
    NUMBER,
    UP_TO_A_MILLION,
    Schema,
    about,
    any_case,
    choice,
    either,
    list_of,
    reference,
)
from pytest_relevance.cases.schema_parts import SHARE as SHARE_SCHEMA
from pytest_relevance.judgments.formats import FORMATS
from pytest_relevance.metrics.measures import is_lower_better, largest_score
from pytest_relevance.metrics.names import ALL_MEASURES, AnyMeasure, build_metric

SCHEMA_ID = (
    "https://github.com/pytest-relevance/pytest-relevance/raw/main/pytest_relevance/cases/"
    "case-file.schema.json"
)
TITLE = "pytest-relevance case file"

_SHARE = reference("bound-of-a-share")
_SCORE = reference("bound-of-a-score")

_PARAMETERS = r"(?:\([^()]*\)\s*)?"
_CUTOFF = rf"(?:@\s*|[_.])0*(?:{UP_TO_A_MILLION})\s*"


def case_file_schema() -> Schema:
    """Return the JSON Schema of case files."""
    properties = _properties_of(SUITE)
    properties[CASES] = about(
        "The cases, each a query.", list_of(reference("case"), at_least=1)
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": TITLE,
        "description": (
            "What stands beside cases is a default of the suite, which a case may override."
        ),
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        # a golden set under judgments has queries, too
        "anyOf": [
            {"required": [key]} for key in (CASES, QUERIES, KNOWN_ITEMS, "judgments")
        ],
        "$defs": {
            "case": _case(),
            "expect": _expect(),
            "gate": gate_schema(),
            "judgment-file": JUDGMENT_FILE,
            "bound-of-a-share": SHARE.schema,
            "bound-of-a-score": SCORE.schema,
            "bounds-of-metrics": _bounds_of_metrics(),
            "format": _format(),
        },
    }


def _properties_of(level: str) -> dict[str, Schema]:
    properties = {}
    for key in KEYS[level].values():
        properties[key.name] = about(key.about, key.schema)
    return properties


def _case() -> Schema:
    return {
        "type": "object",
        "properties": _properties_of(CASE),
        "required": ["query"],
        "additionalProperties": False,
    }


def _expect() -> Schema:
    """Return the schema of `expect`: the kinds, and the metrics in any spelling.

    An editor offers the names of the kinds, and the usual spellings of each metric. Any
    other name may be that of a project's own metric.
    """
    properties = {}
    patterns = {}
    for name in names_of_keys():
        kind = kind_of_key(name)
        schema = about(kind.about, kind.schema)
        properties[kind.name] = schema
        if kind.takes_rank:
            patterns[rf"^{kind.name}@(?:{UP_TO_A_MILLION}){END}"] = schema
    for measure in ALL_MEASURES.values():
        bound = _bound_schema(measure)
        schema = about(_about_measure(measure), bound)
        for spelling in _usual_spellings(measure):
            properties[spelling] = schema
        patterns[_pattern_of(measure)] = schema
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": _SCORE,
        "patternProperties": patterns,
    }


def _usual_spellings(measure: AnyMeasure) -> list[str]:
    spellings = []
    if measure.cutoff != "none":
        spellings.append(f"{measure.name}@10")
    if measure.cutoff != "required":
        spellings.append(measure.name)
    return spellings


def _about_measure(measure: AnyMeasure) -> str:
    """Return how a measure is written, and what it is: `P[(rel=...)][@k]: ...`."""
    written = measure.name
    if measure.parameters:
        names = ", ".join(f"{name}=..." for name in measure.parameters)
        written += f"[({names})]"
    if measure.cutoff == "required":
        written += "@k"
    elif measure.cutoff == "optional":
        written += "[@k]"
    return f"{written}: {measure.about}"


def _pattern_of(measure: AnyMeasure) -> str:
    """Return the regular expression for all names of a measure: `P@5`, `p(rel=2)@5`."""
    names = []
    for name in (measure.name, *measure.aliases):
        names.append(any_case(name).replace(" ", " +"))
    cutoff = ""
    if measure.cutoff == "required":
        cutoff = _CUTOFF
    elif measure.cutoff == "optional":
        cutoff = f"(?:{_CUTOFF})?"
    return rf"^\s*(?:{'|'.join(names)})\s*{_PARAMETERS}{cutoff}{_PARAMETERS}{END}"


def _bound_schema(measure: AnyMeasure) -> Schema:
    """Return the schema of what an expectation may have for a measure."""
    if _is_lower_better(measure):
        return MOST.schema
    return _SHARE if _is_bounded(measure) else _SCORE


def _is_lower_better(measure: AnyMeasure) -> bool:
    return is_lower_better(build_metric(measure.name, 10))


def _is_bounded(measure: AnyMeasure) -> bool:
    cutoff = 10 if measure.cutoff == "required" else None
    return largest_score(build_metric(measure.name, cutoff)) <= 1


def _bounds_of_metrics() -> Schema:
    """Return the schema of {metric: bound}, as gates have them."""
    patterns = {}
    for measure in ALL_MEASURES.values():
        bound = SHARE_SCHEMA if _is_bounded(measure) else NUMBER
        if _is_lower_better(measure):
            bound = MOST.schema
        patterns[_pattern_of(measure)] = bound
    return {
        "type": "object",
        "minProperties": 1,
        "patternProperties": patterns,
        "additionalProperties": NUMBER,
    }


def _format() -> Schema:
    """Return the schema of the name of a format, which may be of another package."""
    meanings = {}
    for name in FORMATS.bundled_names:
        known = FORMATS.get(name)
        for spelling in (name, *known.aliases):
            meanings[spelling] = known.about
    return either(
        choice(dict(sorted(meanings.items()))), {"type": "string", "minLength": 1}
    )
