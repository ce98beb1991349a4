"""The keys of a case file: where each may stand, how it is read from YAML, its check, and its schema for editors.

To add a key, add a row to `KEYS` and a field of that name to the model: of `Case`, of `Terms` where suites set it, of
`Settings` where it changes how scores are computed. What several keys say together is checked in `limits`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TypeVar

from pytest_relevance.cases import checks
from pytest_relevance.cases.checks import Check, choice
from pytest_relevance.cases.expectations import KINDS, check_expectations
from pytest_relevance.cases.gates import check_gates
from pytest_relevance.cases.model import Terms
from pytest_relevance.cases.problems import Location
from pytest_relevance.cases.sources.files import check_query_files, check_suite_judgments
from pytest_relevance.cases.sources.grades import check_judgments, check_scale
from pytest_relevance.cases.yaml.values import (
    EXPECTATIONS,
    GATES,
    JUDGMENTS,
    NAMES,
    REASON,
    SCALE,
    TEXT,
    VALUE,
    Shape,
)
from pytest_relevance.judgments.raters import AGGREGATES
from pytest_relevance.metrics.settings import CHOICES, Settings
from pytest_relevance.wording import did_you_mean, quoted

SUITE, CASE = "suite", "case"
CASES, QUERIES = "cases", "queries"
_BOTH = (SUITE, CASE)


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a case file.

    `levels`: whether suites, cases or both have it. `shape` converts its YAML to plain Python, `check` makes of that
    what the model has. `schema` is the name of its definition in `schema`, or a table of the choices with their
    meanings; `about` is the description that editors show. A key is not checked while one that it `needs` is wrong:
    its mistakes would be those of the other.
    """

    name: str
    levels: tuple[str, ...]
    shape: Shape
    check: Check
    schema: str | Mapping[str, object]
    about: str
    needs: tuple[str, ...] = ()


def _choice(name: str, choices: Mapping[str, object], about: str) -> Key:
    return Key(name, _BOTH, TEXT, choice(choices), choices, about)


_KEYS = (
    # in the order of checking: a check may look at the values of the keys before it
    Key("query", (CASE,), TEXT, checks.query, "text", "What a user types; the only key that a case must have."),
    Key("id", (CASE,), TEXT, checks.written_id, "id", "The name of the case, unique in the file. Default: the query."),
    Key("search", _BOTH, TEXT, checks.search, "fixture", "The fixture that is called. Default: search."),
    Key(
        "k",
        _BOTH,
        VALUE,
        checks.whole,
        "whole",
        "The cutoff of min_ndcg, include, exclude and min_judged. Default: 10.",
    ),
    Key(
        "min_ndcg", _BOTH, VALUE, checks.floor, "floor", "The least nDCG@k, 0 to 1. null takes an inherited floor away."
    ),
    Key(
        "scale",
        _BOTH,
        SCALE,
        check_scale,
        "scale",
        "Names of grades, {good: 1, bad: 0}, or lowest and highest, [0, 3].",
    ),
    Key(
        "gain",
        _BOTH,
        TEXT,
        checks.gain,
        "gain",
        "What a grade is worth: a formula, or {grade: gain}. Default: exponential.",
        ("scale",),
    ),
    _choice("discount", CHOICES["discount"], "What a gain is divided by at its rank. Default: log2."),
    _choice("ideal", CHOICES["ideal"], "The ranking that nDCG compares with. Default: judged."),
    _choice("unjudged", CHOICES["unjudged"], "What unjudged results count. Default: zero."),
    _choice("negative", CHOICES["negative"], "What negative grades count. Default: keep."),
    Key(
        "min_judged",
        _BOTH,
        VALUE,
        checks.share,
        "share",
        "Below this share of judged results in the top k a score may decide nothing. Default: 0, off.",
    ),
    _choice("raters", AGGREGATES, "How several ratings of a document become its grade. Default: median."),
    Key(
        "id_field",
        _BOTH,
        TEXT,
        checks.name_of_field,
        "text",
        "The field of a result that is its id; dots lead into nested fields.",
    ),
    Key(
        "title_field",
        _BOTH,
        TEXT,
        checks.name_of_field,
        "text",
        "The field of a result that is its title; dots lead into nested fields.",
    ),
    Key(
        "params",
        _BOTH,
        VALUE,
        checks.params,
        "params",
        "Keyword arguments for search(). Those of a case are merged over the suite's.",
    ),
    Key(
        "tags",
        _BOTH,
        NAMES,
        checks.tags,
        "tags",
        "pytest marks (-m head) and slices of the summary. Those of a case are added to the suite's.",
    ),
    Key(
        "judgments",
        (SUITE,),
        JUDGMENTS,
        check_suite_judgments,
        "files",
        "A judgment file, {file: ..., format: ...}, or a list of files, for all cases.",
        ("scale",),
    ),
    Key(
        "judgments",
        (CASE,),
        JUDGMENTS,
        check_judgments,
        "judgments",
        "document: grade, or a judgment file, {file: ..., format: ...}, or a list of files. A grade is a number, a "
        "name of the scale, a list of ratings, or {grade: 3, title: ..., note: ...}.",
        ("scale",),
    ),
    Key("note", (CASE,), TEXT, checks.text, "any-text", "Shown when the case fails."),
    Key("weight", (CASE,), VALUE, checks.weight, "weight", "The weight of the case in means. Default: 1."),
    Key(
        "xfail",
        (CASE,),
        REASON,
        checks.xfail,
        "xfail",
        "Why the floor or an expectation is known to fail, or {reason: ..., strict: true}.",
    ),
    Key("skip", (CASE,), TEXT, checks.skip, "reason", "Why the case is not run."),
    Key("usefixtures", (CASE,), NAMES, checks.fixtures, "fixtures", "Fixtures to set up before the search."),
    Key("expect", (CASE,), EXPECTATIONS, check_expectations, "expect", "Expectations beyond min_ndcg."),
    Key(
        "tolerance",
        _BOTH,
        VALUE,
        checks.share,
        "share",
        "How far nDCG@k may drop below the baseline. Default: relevance_tolerance of the project, 0.05.",
    ),
    Key("gates", (SUITE,), GATES, check_gates, "gates", "Conditions on the suite as a whole."),
    Key(
        "queries",
        (SUITE,),
        VALUE,
        check_query_files,
        "query-files",
        "A file of queries, {file: ..., format: ..., only: judged}, or a list of files: each query is a case.",
    ),
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
    for name, key in keys.items():
        if name not in written:
            continue
        before = len(at.mistakes)
        if wrong.isdisjoint(key.needs):
            value = key.check(read(written[name], key.shape), at.under(name))
            if len(at.mistakes) == before:
                own[name] = at.values[name] = value
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
    if level == CASE and name in KINDS:
        return f"{quoted(name)} is no key of a case; it is an expectation, write it under expect:"
    advice = did_you_mean(name, names) or f"; it takes {', '.join(names)}"
    return f"unknown key {quoted(name)} of a {level}{advice}"
