"""The keys of a case file: where each may stand, how it is read from YAML, its check, and its schema for editors.

To add a key, add a row to `_KEYS` and a field of that name to the model: of `Case`, of `Terms` where suites set it, of
`Settings` where it changes how scores are computed. What several keys say together is checked in `build`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import NamedTuple, TypeVar

from yaml.events import ScalarEvent

from pytest_relevance._text import did_you_mean, quoted
from pytest_relevance.cases.checking import values as checks
from pytest_relevance.cases.checking.expectations import KINDS, check_expectations, check_suite_expectations
from pytest_relevance.cases.checking.files import check_catalogue, check_query_files, check_suite_judgments
from pytest_relevance.cases.checking.gates import check_gates
from pytest_relevance.cases.checking.grades import check_judgments, check_relevant, check_scale
from pytest_relevance.cases.checking.other_words import what_is_meant
from pytest_relevance.cases.checking.values import Check, choice
from pytest_relevance.cases.model import Terms
from pytest_relevance.cases.problems import Location
from pytest_relevance.cases.yaml.nodes import Node, SequenceNode, is_plain
from pytest_relevance.cases.yaml.scalars import grade
from pytest_relevance.cases.yaml.scalars import value as scalar_value
from pytest_relevance.judgments.scale import AGGREGATES
from pytest_relevance.metrics.settings import CHOICES, Settings


def _as_text(scalar: ScalarEvent) -> object:
    return scalar.value


def _as_value(scalar: ScalarEvent) -> object:
    return scalar_value(scalar.value) if is_plain(scalar) else scalar.value


def _as_grade(scalar: ScalarEvent) -> object:
    return grade(scalar.value) if is_plain(scalar) else scalar.value


class Shape(NamedTuple):
    """How a node is converted: a scalar, the items of a list, and the values of a mapping by their keys.

    None means the conversion as a value: `true`, `false`, `null` and numbers where they are written plain. Keys of
    mappings are always text.
    """

    scalar: Callable[[ScalarEvent], object] = _as_value
    items: Shape | None = None
    keys: Mapping[str, Shape] = {}
    other_keys: Shape | None = None


VALUE = Shape()
TEXT = Shape(_as_text)
TEXTS = Shape(_as_text, items=TEXT)
NAMES = Shape(items=TEXT)
REASON = Shape(_as_text, keys={"reason": TEXT})
GATES = Shape(items=Shape(keys={"id": TEXT, "tag": TEXT}))
_DOCUMENTS = Shape(_as_text, items=Shape(_as_text, items=TEXT, keys={"docs": TEXTS}), keys={"docs": TEXTS})
_SETS = Shape(_as_text, items=TEXTS, keys={"docs": Shape(_as_text, items=TEXTS)})
EXPECTATIONS = Shape(keys={"first": TEXTS, "include": _DOCUMENTS, "exclude": _DOCUMENTS, "order": _SETS})
_RATING = Shape(_as_grade, other_keys=TEXT)
_GRADE = Shape(_as_grade, items=_RATING, keys={"grade": Shape(_as_grade, items=_RATING)}, other_keys=TEXT)
SCALE = Shape(items=_RATING, other_keys=_RATING)
JUDGMENTS = Shape(other_keys=_GRADE)
CATALOGUE = Shape(_as_text, keys={**dict.fromkeys(("file", "id", "title"), TEXT), "show": TEXTS})


def converted(node: Node, shape: Shape | None) -> object:
    """Convert a node, of the shape of its key, to plain Python."""
    if shape is None:
        shape = VALUE
    if isinstance(node, ScalarEvent):
        return shape.scalar(node)
    if isinstance(node, SequenceNode):
        return [converted(item, shape.items) for item in node.items]
    if shape is JUDGMENTS:  # nearly all of a large file
        return {
            document: grade(item.value) if type(item) is ScalarEvent and item.implicit[0] else converted(item, _GRADE)
            for document, (_, item) in node.pairs.items()
        }
    return {name: converted(item, shape.keys.get(name, shape.other_keys)) for name, (_, item) in node.pairs.items()}


SUITE, CASE = "suite", "case"
CASES, QUERIES = "cases", "queries"
_BOTH = (SUITE, CASE)

_ABOUT_JUDGMENTS = (
    "document: grade. A grade is a number, a name of the scale, a list of ratings, or {grade: 3, title: ..., note: "
    "...}. Or a judgment file, {file: ..., format: ...}, or a list of files."
)
_ABOUT_JUDGMENT_FILES = "Judgment files, for all cases: a path, {file: ...} or a list."
_ABOUT_EXPECT = "Expectations of every case, which adds its own and replaces those of the same name."
_ABOUT_DOCUMENTS = (
    "The catalogue, which says what documents are called: a file of JSON lines, CSV, TSV or Parquet, or {file: ..., "
    "id: ..., title: ..., show: [...]}."
)
_ABOUT_TOLERANCE = "How far nDCG@k may drop below the baseline. Default: relevance_tolerance of the project, 0.05."
_ABOUT_QUERIES = "A file of queries, {file: ..., format: ..., only: judged}, or a list of files: each query is a case."


class Kind(NamedTuple):
    """A kind of value: how YAML becomes plain Python, its check, and its JSON Schema.

    `schema` is the name of a definition in `schema`, or a table of the choices with their meanings.
    """

    shape: Shape
    check: Check
    schema: str | Mapping[str, object]


_ID = Kind(TEXT, checks.written_id, "id")
_FIELD = Kind(TEXT, checks.name_of_field, "text")
_TAGS = Kind(NAMES, checks.tags, "tags")
_XFAIL = Kind(REASON, checks.xfail, "xfail")
_WHOLE = Kind(VALUE, checks.whole, "whole")
_SHARE = Kind(VALUE, checks.share, "share")
_FLOOR = Kind(VALUE, checks.floor, "floor")
_PARAMS = Kind(VALUE, checks.params, "params")
_SCALE = Kind(SCALE, check_scale, "scale")
_GAIN = Kind(TEXT, checks.gain, "gain")
_CATALOGUE = Kind(CATALOGUE, check_catalogue, "catalogue")
_RELEVANT = Kind(TEXTS, check_relevant, "documents")
_JUDGMENT_FILES = Kind(JUDGMENTS, check_suite_judgments, "files")
_CHOICES = {name: Kind(TEXT, choice(table), table) for name, table in {**CHOICES, "raters": AGGREGATES}.items()}


class Key(NamedTuple):
    """A key of a case file.

    `levels`: whether suites, cases or both have it. `about` is the description that editors show. A key is not checked
    while one that it `needs` is wrong: its mistakes would be those of the other.
    """

    name: str
    levels: tuple[str, ...]
    kind: Kind
    about: str
    needs: tuple[str, ...] = ()


_KEYS = (
    # in the order of checking: a check may look at the values of the keys before it
    Key("query", (CASE,), Kind(TEXT, checks.query, "text"), "What a user types; the only key that a case must have."),
    Key("id", (CASE,), _ID, "The name of the case, unique in the file. Default: the query."),
    Key("search", _BOTH, Kind(TEXT, checks.search, "fixture"), "The fixture that is called. Default: search."),
    Key("k", _BOTH, _WHOLE, "The cutoff of min_ndcg, include, exclude and min_judged. Default: 10."),
    Key("min_ndcg", _BOTH, _FLOOR, "The least nDCG@k, from 0 to 1. null takes an inherited floor away."),
    Key("scale", _BOTH, _SCALE, "Names of grades, {good: 1, bad: 0}, or the lowest and the highest grade, [0, 3]."),
    Key("gain", _BOTH, _GAIN, "What a grade is worth: a formula, or {grade: gain}. Default: exponential.", ("scale",)),
    Key("discount", _BOTH, _CHOICES["discount"], "What a gain is divided by at its rank. Default: log2."),
    Key("ideal", _BOTH, _CHOICES["ideal"], "The ranking that nDCG compares with. Default: judged."),
    Key("unjudged", _BOTH, _CHOICES["unjudged"], "What unjudged results count. Default: zero."),
    Key("negative", _BOTH, _CHOICES["negative"], "What negative grades count. Default: keep."),
    Key(
        "min_judged", _BOTH, _SHARE, "Below this judged share of the top k a score may decide nothing. Default: 0, off."
    ),
    Key("depth", _BOTH, _WHOLE, "How many results the search is asked for at least. Default: the deepest cutoff."),
    Key("raters", _BOTH, _CHOICES["raters"], "How several ratings of a document become its grade. Default: median."),
    Key("id_field", _BOTH, _FIELD, "The field of a result that is its id; dots lead into nested fields."),
    Key("title_field", _BOTH, _FIELD, "The field of a result that is its title; dots lead into nested fields."),
    Key("params", _BOTH, _PARAMS, "Keyword arguments for search(). Those of a case are merged over the suite's."),
    Key("tags", _BOTH, _TAGS, "pytest marks (-m head), slices of the summary. A case adds its own to the suite's."),
    Key("judgments", (SUITE,), _JUDGMENT_FILES, _ABOUT_JUDGMENT_FILES, ("scale",)),
    Key("judgments", (CASE,), Kind(JUDGMENTS, check_judgments, "judgments"), _ABOUT_JUDGMENTS, ("scale",)),
    Key("documents", (SUITE,), _CATALOGUE, _ABOUT_DOCUMENTS),
    Key("relevant", (CASE,), _RELEVANT, "Relevant documents: a short form of judgments of grade 1.", ("scale",)),
    Key("note", (CASE,), Kind(TEXT, checks.text, "any-text"), "Shown when the case fails."),
    Key("weight", (CASE,), Kind(VALUE, checks.weight, "weight"), "The weight of the case in means. Default: 1."),
    Key("xfail", (CASE,), _XFAIL, "Why the floor or an expectation is known to fail, or {reason: ..., strict: true}."),
    Key("skip", (CASE,), Kind(TEXT, checks.skip, "reason"), "Why the case is not run."),
    Key("usefixtures", (CASE,), Kind(NAMES, checks.fixtures, "fixtures"), "Fixtures to set up before the search."),
    Key("expect", (SUITE,), Kind(EXPECTATIONS, check_suite_expectations, "expect"), _ABOUT_EXPECT),
    Key("expect", (CASE,), Kind(EXPECTATIONS, check_expectations, "expect"), "Expectations beyond min_ndcg."),
    Key("tolerance", _BOTH, _SHARE, _ABOUT_TOLERANCE),
    Key("gates", (SUITE,), Kind(GATES, check_gates, "gates"), "Conditions on the suite as a whole."),
    Key("queries", (SUITE,), Kind(VALUE, check_query_files, "query-files"), _ABOUT_QUERIES),
)

KEYS: Mapping[str, Mapping[str, Key]] = {
    level: {key.name: key for key in _KEYS if level in key.levels} for level in (SUITE, CASE)
}
"""The keys of a suite and of a case by their names; `cases` itself is not among them."""

OF_TERMS = tuple(field.name for field in fields(Terms) if field.name in KEYS[SUITE])
"""The keys of a suite that `Terms` has under the same name."""

OF_SETTINGS = tuple(field.name for field in fields(Settings) if field.name in KEYS[SUITE])
"""The keys that make up the `Settings` of scores."""

Written = TypeVar("Written")


def check_keys(
    level: str,
    written: Mapping[str, Written],
    read: Callable[[Written, Shape], object],
    at: Location,
    wrong: frozenset[str] = frozenset(),
) -> tuple[dict[str, object], frozenset[str]]:
    """Check the keys of a suite or a case in the order of the table, and add their values to `at.values`.

    `read` converts what is written for a key to plain Python. `wrong` are inherited keys that are wrong; returned are
    the values of the mapping's own keys, and the keys that are wrong now.
    """
    keys = KEYS[level]
    if not written.keys() <= keys.keys():
        for name in written:
            if name not in keys:
                at.refuse(_unknown_key(str(name), level), str(name), at_key=True)
    own: dict[str, object] = {}
    for name in keys:
        if name not in written:
            continue
        kind, needs = keys[name].kind, keys[name].needs
        before = len(at.mistakes)
        if not wrong or wrong.isdisjoint(needs):
            value = kind.check(read(written[name], kind.shape), at.under(name))
            if len(at.mistakes) == before:
                own[name] = at.values[name] = value
                if wrong:
                    wrong -= {name}
                continue
        wrong |= {name}
    return own, wrong


def _unknown_key(name: str, level: str) -> str:
    names = (*KEYS[level], CASES) if level == SUITE else tuple(KEYS[level])
    if name == CASES and level == SUITE:
        return f"{quoted(CASES)} cannot come from a merge key; write it out"
    if name in KEYS[SUITE] or name in KEYS[CASE] or name == CASES:
        other = "of the suite, beside cases" if level == CASE else "of a case"
        return f"{quoted(name)} is a key {other}, not of a {level}"
    if name in KINDS:
        return f"{quoted(name)} is no key of a {level}; it is an expectation, write it under expect:"
    meant = what_is_meant(name, {*names, *KINDS})
    if meant is not None:
        key, what = meant
        under = "" if key in names else " under expect"
        return f"unknown key {quoted(name)} of a {level}; did you mean {quoted(key)}{under}, {what}?"
    advice = did_you_mean(name, names) or f"; it takes {', '.join(names)}"
    return f"unknown key {quoted(name)} of a {level}{advice}"
