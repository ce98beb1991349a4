"""The keys of a case file: the table `KEYS`, and the check of all keys.

To add a key, add a row to the table, and a field of its name to the model: to
`Settings`, if it changes how scores are computed; else to `Terms`, if suites set it;
else to `Case`. The JSON Schema is made of the same rows (`schema.py`). `build.py` finds
keys that contradict each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from pytest_relevance._text import closest, quoted
from pytest_relevance.cases import grades, named_files, passages, shapes, values
from pytest_relevance.cases import schema_parts as schemas
from pytest_relevance.cases.expect import (
    check_expectations,
    check_suite_expectations,
    name_of_key,
)
from pytest_relevance.cases.gates import check_gates
from pytest_relevance.cases.location import WRONG, Location
from pytest_relevance.cases.model import TIES, Terms
from pytest_relevance.cases.schema_parts import Schema
from pytest_relevance.cases.shapes import Shape, to_python
from pytest_relevance.cases.values import Check
from pytest_relevance.cases.yaml import Pairs
from pytest_relevance.judgments.scale import AGGREGATES
from pytest_relevance.metrics.settings import CHOICES, Settings
from pytest_relevance.registry import ExtensionError

SUITE = "suite"
CASE = "case"
IN_SUITE = (SUITE,)
IN_CASE = (CASE,)
IN_BOTH = (SUITE, CASE)

CASES = "cases"
QUERIES = "queries"
KNOWN_ITEMS = "known_items"


@dataclass(frozen=True, slots=True)
class Key:
    """One row of the table of keys.

    `levels`: whether suites, cases or both have the key.
    `shape`: how its YAML becomes plain Python.
    `check`: makes the value of the plain Python, or reports a mistake.
    `schema`: the JSON Schema of what may be written.
    `about`: describes the key in an editor.
    `needs`: other keys. If one of them is wrong, this key is not checked: its mistakes
        would only be consequences.
    """

    name: str
    levels: tuple[str, ...]
    shape: Shape
    check: Check
    schema: Schema
    about: str
    needs: tuple[str, ...] = ()


def _choice(name: str, words: Mapping[str, str], about: str) -> Key:
    """Return the row of a key whose value is one of a few words: {word: meaning}."""
    check = values.choice_of(words)
    return Key(name, IN_BOTH, shapes.TEXT, check, schemas.choice(words), about=about)


# The columns are name, levels, shape, check and schema. Keys are checked in this order:
# a check may look at the values of the keys above.
# fmt: off
_ROWS = (
    Key("query", IN_CASE, shapes.TEXT, values.check_query, schemas.TEXT,
        about="What a user types; the only key that a case must have."),
    Key("id", IN_CASE, shapes.TEXT, values.check_id, schemas.ID,
        about="The name of the case, unique in the file. Default: the query."),
    Key("search", IN_BOTH, shapes.TEXT, values.check_fixture, schemas.FIXTURE,
        about="The fixture that is called. Default: search."),
    Key("k", IN_BOTH, shapes.VALUE, values.check_whole, schemas.WHOLE,
        about="The cutoff of min_ndcg, include, exclude and min_judged. Default: 10."),
    Key("min_ndcg", IN_BOTH, shapes.VALUE, values.check_floor, schemas.FLOOR,
        about="The least nDCG@k, from 0 to 1. null takes an inherited floor away."),
    Key("scale", IN_BOTH, shapes.GRADE, grades.check_scale, grades.SCALE_SCHEMA,
        about="Names of grades, {good: 1, bad: 0}, or the lowest and the highest grade, [0, 3]."),
    Key("gain", IN_BOTH, shapes.VALUE, values.check_gain, schemas.GAIN,
        about="What a grade is worth: a formula, or {grade: gain}. Default: exponential.",
        needs=("scale",)),
    _choice("discount", CHOICES["discount"], "What a gain is divided by at its rank. Default: log2."),
    _choice("ideal", CHOICES["ideal"], "The ranking that nDCG compares with. Default: judged."),
    _choice("unjudged", CHOICES["unjudged"], "What unjudged results count. Default: zero."),
    _choice("negative", CHOICES["negative"], "What negative grades count. Default: keep."),
    Key("collapse", IN_BOTH, shapes.VALUE, values.check_flag, schemas.FLAG,
        about="Whether only the first result of a document counts, and later ones are "
              "left out. Default: false."),
    _choice("ties", TIES,
        about="fixed: the search sorts results with equal scores by a second key. "
              "any: it does not, and their order is chance. Default: any."),
    Key("raters", IN_BOTH, shapes.TEXT, values.choice_of(AGGREGATES),
        schemas.RATERS,
        about="How several ratings of a document become its grade. Default: median."),
    Key("min_judged", IN_BOTH, shapes.VALUE, values.check_share, schemas.SHARE,
        about="The least share of judged results in the top k. If fewer are judged, a "
              "score may decide nothing. Default: 0, off."),
    Key("depth", IN_BOTH, shapes.VALUE, values.check_whole, schemas.WHOLE,
        about="How many results the search is asked for at least. Default: the deepest cutoff."),
    Key("id_field", IN_BOTH, shapes.TEXT, values.check_id_field, schemas.ID_FIELD,
        about="The field of a result that is its id; dots lead into nested fields. A list "
              "of fields: the first that a result has. A template joins fields: "
              '"{_index}/{_id}".'),
    Key("title_field", IN_BOTH, shapes.TEXT, values.check_field, schemas.TEXT,
        about="The field of a result that is its title; dots lead into nested fields."),
    Key("text_field", IN_BOTH, shapes.TEXT, values.check_field, schemas.TEXT,
        about="The field of a result that is its text, in which passages are looked for; "
              "dots lead into nested fields."),
    Key("params", IN_BOTH, shapes.VALUE, values.check_params, schemas.PARAMS,
        about="Keyword arguments for search(). Those of a case are merged over the suite's."),
    Key("tags", IN_BOTH, shapes.TEXT, values.check_tags, schemas.list_of(schemas.TAG),
        about="Tags are pytest marks (-m head), and parts of the summary. A case adds "
              "its own to those of the suite."),
    Key("judgments", IN_SUITE, shapes.JUDGMENTS, named_files.check_judgment_files,
        named_files.FILES_SCHEMA,
        about="Judgment files, for all cases: a path, {file: ...} or a list.",
        needs=("scale",)),
    Key("judgments", IN_CASE, shapes.JUDGMENTS, grades.check_judgments,
        grades.JUDGMENTS_SCHEMA,
        about="document: grade. A grade is a number, a name of the scale, a list of "
              "ratings, or {grade: 3, title: ..., note: ...}. Or a judgment file, "
              "{file: ..., format: ...}, or a list of files.",
        needs=("scale",)),
    Key("documents", IN_SUITE, shapes.TEXT, named_files.check_catalogue,
        named_files.CATALOGUE_SCHEMA,
        about="The catalogue, which says what documents are called: a file of JSON lines, "
              "CSV, TSV or Parquet, or {file: ..., id: ..., title: ..., show: [...]}."),
    Key("relevant", IN_CASE, shapes.TEXT, grades.check_relevant, schemas.DOCUMENTS,
        about="Relevant documents: a short form of judgments of grade 1.",
        needs=("scale",)),
    Key("passages", IN_CASE, shapes.PASSAGES, passages.check_passages,
        passages.PASSAGES_SCHEMA,
        about="Quotes that the texts of results have to hold: a list, or quote: grade.",
        needs=("scale",)),
    Key("exclude_passages", IN_CASE, shapes.PASSAGES, passages.check_excluded,
        passages.EXCLUDED_SCHEMA,
        about="Quotes that no text of the top k may hold."),
    Key("note", IN_CASE, shapes.TEXT, values.check_text, schemas.ANY_TEXT,
        about="Shown when the case fails."),
    Key("weight", IN_CASE, shapes.VALUE, values.check_weight, schemas.WEIGHT,
        about="The weight of the case in means. Default: 1."),
    Key("xfail", IN_CASE, shapes.REASON, values.check_xfail, schemas.XFAIL,
        about="Why the floor or an expectation is known to fail, or {reason: ..., strict: true}."),
    Key("skip", IN_CASE, shapes.TEXT, values.check_skip, schemas.REASON,
        about="Why the case is not run."),
    Key("usefixtures", IN_CASE, shapes.TEXT, values.check_fixtures,
        schemas.list_of(schemas.FIXTURE),
        about="Fixtures to set up before the search."),
    Key("expect", IN_SUITE, shapes.EXPECTATIONS, check_suite_expectations,
        schemas.EXPECT,
        about="Expectations of every case. A case adds its own, and replaces those of "
              "the same name."),
    Key("expect", IN_CASE, shapes.EXPECTATIONS, check_expectations, schemas.EXPECT,
        about="Expectations beyond min_ndcg."),
    Key("tolerance", IN_BOTH, shapes.VALUE, values.check_share, schemas.SHARE,
        about="How far nDCG@k may drop below the baseline. Default: relevance_tolerance of the project, 0.05."),
    Key("gates", IN_SUITE, shapes.GATES, check_gates, schemas.list_of(schemas.GATE),
        about="Conditions on the suite as a whole."),
    Key(QUERIES, IN_SUITE, shapes.QUERY_FILES, named_files.check_query_files,
        named_files.QUERY_FILES_SCHEMA,
        about="A file of queries, {file: ..., format: ..., only: judged}, or a list of "
              "files: each query is a case. columns says which column has what."),
    Key(KNOWN_ITEMS, IN_SUITE, shapes.KNOWN_ITEMS, named_files.check_known_items,
        named_files.KNOWN_ITEMS_SCHEMA,
        about="A catalogue, {file: ..., query: title, document: id, sample: {n: 500}}: each "
              "title is a case that looks for its own documents."),
)
# fmt: on


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

_NAMES: Mapping[str, Sequence[str]] = {
    SUITE: (*KEYS[SUITE], CASES),
    CASE: tuple(KEYS[CASE]),
}
"""All keys of a suite and of a case."""

_NEARNESS = 0.75
"""How near the name of a key has to be for a suggestion; 1 is the same name.

Keys are short. At 0.6 `titel` would mean `ties`, and `text` would mean `expect`.
"""

OF_TERMS = tuple(field.name for field in fields(Terms) if field.name in KEYS[SUITE])
"""The keys of a suite that `Terms` has under the same name."""

OF_SETTINGS = tuple(
    field.name for field in fields(Settings) if field.name in KEYS[SUITE]
)
"""The keys that make up the `Settings` of scores."""


@dataclass(frozen=True, slots=True)
class CheckedKeys:
    """The checked keys of a suite or a case.

    `values`: the values that the suite or the case sets itself, without wrong ones.
    `wrong`: the wrong keys. For a case also the wrong keys of the suite that the case
        does not replace.
    `has_unknown`: whether there is a key that does not exist.
    """

    values: dict[str, object]
    wrong: set[str]
    has_unknown: bool

    @property
    def is_right(self) -> bool:
        """Say whether no key is wrong or unknown."""
        return not self.wrong and not self.has_unknown


def plain_values(level: str, pairs: Pairs) -> dict[str, object]:
    """Return the keys of a suite or a case, converted from YAML to plain Python.

    An unknown key has the value None.
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
    """Return the checked keys of a suite or a case. Report mistakes.

    `written`: plain Python values by key.
    `inherited_wrong`: for a case, the keys of the suite that are wrong.

    Keys are checked in the order of the table. Each value is added to `at.values`,
    where later checks find it. A key is not checked while a key that it needs is wrong.
    """
    unknown = [str(name) for name in written if name not in KEYS[level]]
    for name in unknown:
        at.refuse(_unknown_key(name, level), name, at_key=True)
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
    return CheckedKeys(values=own, wrong=wrong, has_unknown=bool(unknown))


def _is_expectation(name: str) -> bool:
    """Say whether a name is a key of `expect:`. False if its package is broken."""
    try:
        return name_of_key(name) is not None
    except ExtensionError:
        return False


def _unknown_key(name: str, level: str) -> str:
    """Return the message about an unknown key: where it belongs, or what is meant."""
    names = _NAMES[level]
    names_of_other = _NAMES[CASE if level == SUITE else SUITE]
    other = "of the suite, beside cases" if level == CASE else "of a case"
    if name in names_of_other:
        return f"{quoted(name)} is a key {other}, not of a {level}"
    if _is_expectation(name):
        return (
            f"{quoted(name)} is not a key of a {level}; it is an expectation, write it under "
            "expect:"
        )
    advice = f"it takes {', '.join(names)}"
    meant, meant_of_other = _meant_key(name, names), _meant_key(name, names_of_other)
    if meant is not None:
        advice = f"did you mean {quoted(meant)}?"
    elif meant_of_other is not None:
        advice = f"did you mean {quoted(meant_of_other)}? It is a key {other}"
    return f"unknown key {quoted(name)} of a {level}; {advice}"


_LONGEST_COMMON_BEGINNING = len("ties")
"""A key of this length or less, such as `k` or `id`, may begin any word."""


def _meant_key(name: str, keys: Sequence[str]) -> str | None:
    """Return the key that a misspelt name may mean; None if no key is near.

    A word that only one key has means this key: `titel` means `title_field`. A
    name may also be longer than a key: `expectations` means `expect`.
    """
    words: Counter[str] = Counter()
    for key in keys:
        words.update(key.split("_"))
    spellings = {key: key for key in keys}
    for key in keys:
        for word in key.split("_"):
            if words[word] == 1:
                spellings[word] = key
    close = closest(name, tuple(spellings), _NEARNESS)
    if close is not None:
        return spellings[close]
    for key in keys:
        if name.startswith(key) and len(key) > _LONGEST_COMMON_BEGINNING:
            return key
    return None
