"""The keys of a case file: the table `KEYS`, and the check of all keys of a suite or a
case.

To add a key, add a row, and a field of that name to the model: of `Case`; of `Terms`,
if suites set it; of `Settings`, if it changes how scores are computed. The JSON Schema
is made of the same rows (`schema`). What several keys say together is checked in
`build`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from pytest_relevance._text import did_you_mean, quoted
from pytest_relevance.cases import inline, named_files, shapes, values
from pytest_relevance.cases import schema_parts as schemas
from pytest_relevance.cases.expect import (
    check_expectations,
    check_suite_expectations,
    name_of_key,
)
from pytest_relevance.cases.gates import check_gates
from pytest_relevance.cases.location import WRONG, Location
from pytest_relevance.cases.model import Terms
from pytest_relevance.cases.schema_parts import Schema
from pytest_relevance.cases.shapes import Shape, to_python
from pytest_relevance.cases.values import NOT_PARAMETERS, Check, choice_of
from pytest_relevance.cases.yaml import Pairs
from pytest_relevance.judgments.scale import AGGREGATES
from pytest_relevance.metrics.settings import CHOICES, Settings
from pytest_relevance.registry import ExtensionError

SUITE = "suite"
CASE = "case"
BOTH = (SUITE, CASE)

CASES = "cases"
QUERIES = "queries"


@dataclass(frozen=True, slots=True)
class Key:
    """One row of the table of keys.

    `levels`: whether suites, cases or both have the key.
    `shape`: how its YAML becomes plain Python.
    `check`: makes the value of the plain Python.
    `about`: describes the key in an editor.
    `schema`: the JSON Schema of what may be written.
    `needs`: the key is not checked if one of these is wrong. Its mistakes would only
        follow from that one.
    """

    name: str
    levels: tuple[str, ...]
    shape: Shape
    check: Check
    about: str
    schema: Schema
    needs: tuple[str, ...] = ()


EXPECT_SCHEMA = schemas.reference("expect")

_ROWS = (
    # In the order of checking: a check may look at the values of the keys before it.
    Key(
        name="query",
        levels=(CASE,),
        shape=shapes.TEXT,
        check=values.check_query,
        about="What a user types; the only key that a case must have.",
        schema=schemas.TEXT,
    ),
    Key(
        name="id",
        levels=(CASE,),
        shape=shapes.TEXT,
        check=values.check_id,
        about="The name of the case, unique in the file. Default: the query.",
        schema=schemas.ID,
    ),
    Key(
        name="search",
        levels=BOTH,
        shape=shapes.TEXT,
        check=values.check_fixture,
        about="The fixture that is called. Default: search.",
        schema=schemas.FIXTURE,
    ),
    Key(
        name="k",
        levels=BOTH,
        shape=shapes.VALUE,
        check=values.check_whole,
        about="The cutoff of min_ndcg, include, exclude and min_judged. Default: 10.",
        schema=schemas.WHOLE,
    ),
    Key(
        name="min_ndcg",
        levels=BOTH,
        shape=shapes.VALUE,
        check=values.check_floor,
        about="The least nDCG@k, from 0 to 1. null takes an inherited floor away.",
        schema={**schemas.SHARE, "type": ["number", "null"]},
    ),
    Key(
        name="scale",
        levels=BOTH,
        shape=shapes.GRADE,
        check=inline.check_scale,
        about="Names of grades, {good: 1, bad: 0}, or the lowest and the highest grade, [0, 3].",
        schema=inline.SCALE_SCHEMA,
    ),
    Key(
        name="gain",
        levels=BOTH,
        shape=shapes.VALUE,
        check=values.check_gain,
        about="What a grade is worth: a formula, or {grade: gain}. Default: exponential.",
        schema=schemas.either(
            schemas.choice(CHOICES["gain"]), schemas.mapping_of(schemas.NUMBER)
        ),
        needs=("scale",),
    ),
    Key(
        name="discount",
        levels=BOTH,
        shape=shapes.TEXT,
        check=choice_of(CHOICES["discount"]),
        about="What a gain is divided by at its rank. Default: log2.",
        schema=schemas.choice(CHOICES["discount"]),
    ),
    Key(
        name="ideal",
        levels=BOTH,
        shape=shapes.TEXT,
        check=choice_of(CHOICES["ideal"]),
        about="The ranking that nDCG compares with. Default: judged.",
        schema=schemas.choice(CHOICES["ideal"]),
    ),
    Key(
        name="unjudged",
        levels=BOTH,
        shape=shapes.TEXT,
        check=choice_of(CHOICES["unjudged"]),
        about="What unjudged results count. Default: zero.",
        schema=schemas.choice(CHOICES["unjudged"]),
    ),
    Key(
        name="negative",
        levels=BOTH,
        shape=shapes.TEXT,
        check=choice_of(CHOICES["negative"]),
        about="What negative grades count. Default: keep.",
        schema=schemas.choice(CHOICES["negative"]),
    ),
    Key(
        name="collapse",
        levels=BOTH,
        shape=shapes.VALUE,
        check=values.check_flag,
        about="Whether later results of a document are left out, so that the ranks close up. Default: false.",
        schema=schemas.FLAG,
    ),
    Key(
        name="raters",
        levels=BOTH,
        shape=shapes.TEXT,
        check=choice_of(AGGREGATES),
        about="How several ratings of a document become its grade. Default: median.",
        schema={"enum": list(AGGREGATES)},
    ),
    Key(
        name="min_judged",
        levels=BOTH,
        shape=shapes.VALUE,
        check=values.check_share,
        about="Below this judged share of the top k a score may decide nothing. Default: 0, off.",
        schema=schemas.SHARE,
    ),
    Key(
        name="depth",
        levels=BOTH,
        shape=shapes.VALUE,
        check=values.check_whole,
        about="How many results the search is asked for at least. Default: the deepest cutoff.",
        schema=schemas.WHOLE,
    ),
    Key(
        name="id_field",
        levels=BOTH,
        shape=shapes.TEXT,
        check=values.check_id_field,
        about=(
            "The field of a result that is its id; dots lead into nested fields. A list of "
            "fields: the first that a result has. A template joins fields: "
            '"{_index}/{_id}".'
        ),
        schema=schemas.ID_FIELD,
    ),
    Key(
        name="title_field",
        levels=BOTH,
        shape=shapes.TEXT,
        check=values.check_field,
        about="The field of a result that is its title; dots lead into nested fields.",
        schema=schemas.TEXT,
    ),
    Key(
        name="params",
        levels=BOTH,
        shape=shapes.VALUE,
        check=values.check_params,
        about="Keyword arguments for search(). Those of a case are merged over the suite's.",
        schema={
            "type": "object",
            "propertyNames": {"not": {"enum": list(NOT_PARAMETERS)}},
        },
    ),
    Key(
        name="tags",
        levels=BOTH,
        shape=shapes.TEXT,
        check=values.check_tags,
        about="pytest marks (-m head), slices of the summary. A case adds its own to the suite's.",
        schema=schemas.list_of(schemas.TAG),
    ),
    Key(
        name="judgments",
        levels=(SUITE,),
        shape=shapes.JUDGMENTS,
        check=named_files.check_judgment_files,
        about="Judgment files, for all cases: a path, {file: ...} or a list.",
        schema=named_files.FILES_SCHEMA,
        needs=("scale",),
    ),
    Key(
        name="judgments",
        levels=(CASE,),
        shape=shapes.JUDGMENTS,
        check=inline.check_judgments,
        about=(
            "document: grade. A grade is a number, a name of the scale, a list of ratings, or "
            "{grade: 3, title: ..., note: ...}. Or a judgment file, {file: ..., format: ...}, "
            "or a list of files."
        ),
        schema={
            "if": {"type": "object"},
            "then": {"additionalProperties": inline.JUDGMENT_SCHEMA},
            "else": named_files.FILES_SCHEMA,
        },
        needs=("scale",),
    ),
    Key(
        name="documents",
        levels=(SUITE,),
        shape=shapes.TEXT,
        check=named_files.check_catalogue,
        about=(
            "The catalogue, which says what documents are called: a file of JSON lines, CSV, "
            "TSV or Parquet, or {file: ..., id: ..., title: ..., show: [...]}."
        ),
        schema=named_files.CATALOGUE_SCHEMA,
    ),
    Key(
        name="relevant",
        levels=(CASE,),
        shape=shapes.TEXT,
        check=inline.check_relevant,
        about="Relevant documents: a short form of judgments of grade 1.",
        schema=schemas.DOCUMENTS,
        needs=("scale",),
    ),
    Key(
        name="note",
        levels=(CASE,),
        shape=shapes.TEXT,
        check=values.check_text,
        about="Shown when the case fails.",
        schema=schemas.ANY_TEXT,
    ),
    Key(
        name="weight",
        levels=(CASE,),
        shape=shapes.VALUE,
        check=values.check_weight,
        about="The weight of the case in means. Default: 1.",
        schema={"type": "number", "exclusiveMinimum": 0},
    ),
    Key(
        name="xfail",
        levels=(CASE,),
        shape=shapes.REASON,
        check=values.check_xfail,
        about="Why the floor or an expectation is known to fail, or {reason: ..., strict: true}.",
        schema=schemas.either(
            schemas.REASON,
            schemas.object_with(
                {
                    "reason": schemas.about(
                        "Why the case is expected to fail.", schemas.REASON
                    ),
                    "strict": schemas.about(
                        "Whether to pass is a failure.", {"type": ["boolean", "null"]}
                    ),
                },
                required=("reason",),
            ),
        ),
    ),
    Key(
        name="skip",
        levels=(CASE,),
        shape=shapes.TEXT,
        check=values.check_skip,
        about="Why the case is not run.",
        schema=schemas.REASON,
    ),
    Key(
        name="usefixtures",
        levels=(CASE,),
        shape=shapes.TEXT,
        check=values.check_fixtures,
        about="Fixtures to set up before the search.",
        schema=schemas.list_of(schemas.FIXTURE),
    ),
    Key(
        name="expect",
        levels=(SUITE,),
        shape=shapes.EXPECTATIONS,
        check=check_suite_expectations,
        about="Expectations of every case, which adds its own and replaces those of the same name.",
        schema=EXPECT_SCHEMA,
    ),
    Key(
        name="expect",
        levels=(CASE,),
        shape=shapes.EXPECTATIONS,
        check=check_expectations,
        about="Expectations beyond min_ndcg.",
        schema=EXPECT_SCHEMA,
    ),
    Key(
        name="tolerance",
        levels=BOTH,
        shape=shapes.VALUE,
        check=values.check_share,
        about=(
            "How far nDCG@k may drop below the baseline. Default: relevance_tolerance of the "
            "project, 0.05."
        ),
        schema=schemas.SHARE,
    ),
    Key(
        name="gates",
        levels=(SUITE,),
        shape=shapes.GATES,
        check=check_gates,
        about="Conditions on the suite as a whole.",
        schema=schemas.list_of(schemas.reference("gate")),
    ),
    Key(
        name=QUERIES,
        levels=(SUITE,),
        shape=shapes.VALUE,
        check=named_files.check_query_files,
        about=(
            "A file of queries, {file: ..., format: ..., only: judged}, or a list of files: "
            "each query is a case."
        ),
        schema=named_files.QUERY_FILES_SCHEMA,
    ),
)


def _keys_of(level: str) -> dict[str, Key]:
    keys = {}
    for row in _ROWS:
        if level in row.levels:
            keys[row.name] = row
    return keys


KEYS: Mapping[str, Mapping[str, Key]] = {
    SUITE: _keys_of(SUITE),
    CASE: _keys_of(CASE),
}
"""The keys of a suite and of a case by their names, in the order of checking; without
`cases`.
"""

OF_TERMS = tuple(field.name for field in fields(Terms) if field.name in KEYS[SUITE])
"""The keys of a suite that `Terms` has under the same name."""

OF_SETTINGS = tuple(
    field.name for field in fields(Settings) if field.name in KEYS[SUITE]
)
"""The keys that make up the `Settings` of scores."""


@dataclass(frozen=True, slots=True)
class CheckedKeys:
    """What the keys of a suite or a case say.

    `values`: the values of its own keys, without those that are wrong.
    `wrong`: the keys that are wrong, also inherited ones that it does not replace.
    `has_unknown`: whether it has a key that nobody knows.
    """

    values: dict[str, object]
    wrong: set[str]
    has_unknown: bool

    @property
    def is_right(self) -> bool:
        """Whether nothing is wrong with any key."""
        return not self.wrong and not self.has_unknown


def plain_values(level: str, pairs: Pairs) -> dict[str, object]:
    """Convert the keys of a suite or a case from YAML to plain Python, each in its
    shape.
    """
    keys = KEYS[level]
    plain: dict[str, object] = {}
    for name, (_, node) in pairs.items():
        key = keys.get(name)
        plain[name] = None if key is None else to_python(node, key.shape)
    return plain


def check_keys(
    level: str,
    written: Mapping[str, object],
    at: Location,
    inherited_wrong: set[str] | None = None,
) -> CheckedKeys:
    """Check the keys of a suite or a case, and add their values to `at.values`.

    `written` are plain Python values by key. `inherited_wrong` are the keys of the
    suite that are wrong, for a case. Keys are checked in the order of the table, since
    a check may look at earlier values. A key that needs another one is not checked
    while that one is wrong.
    """
    has_unknown = _report_unknown_keys(level, written, at)
    wrong = set(inherited_wrong or ())
    own: dict[str, object] = {}
    for name, key in KEYS[level].items():
        if name not in written:
            continue
        value: object = WRONG
        if wrong.isdisjoint(key.needs):
            value = key.check(written[name], at.under(name))
        if value is WRONG:
            wrong.add(name)
        else:
            wrong.discard(name)
            own[name] = value
            at.values[name] = value
    return CheckedKeys(values=own, wrong=wrong, has_unknown=has_unknown)


def _report_unknown_keys(
    level: str, written: Mapping[str, object], at: Location
) -> bool:
    """Report the keys that a suite or a case does not have, and say whether there are
    any.
    """
    has_unknown = False
    for name in written:
        if name not in KEYS[level]:
            at.refuse(_unknown_key(str(name), level), str(name), at_key=True)
            has_unknown = True
    return has_unknown


def _is_expectation(name: str) -> bool:
    """Whether a name is a key of `expect:`. That a package is broken is told where it
    is used.
    """
    try:
        return name_of_key(name) is not None
    except ExtensionError:
        return False


def _unknown_key(name: str, level: str) -> str:
    """Say that a suite or a case does not have a key, and where it belongs or what may
    be meant.
    """
    names = list(KEYS[level])
    if level == SUITE:
        names.append(CASES)
    if name in KEYS[SUITE] or name in KEYS[CASE] or name == CASES:
        other = "of the suite, beside cases" if level == CASE else "of a case"
        return f"{quoted(name)} is a key {other}, not of a {level}"
    if _is_expectation(name):
        return (
            f"{quoted(name)} is no key of a {level}; it is an expectation, write it under "
            "expect:"
        )
    advice = did_you_mean(name, names) or f"; it takes {', '.join(names)}"
    return f"unknown key {quoted(name)} of a {level}{advice}"
