"""The expectations that look at fields of results: `every`, `some`, `none`,
`at_most`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

from pytest_relevance._text import found, listed, quoted
from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import Expectation, FieldCondition
from pytest_relevance.cases.scalars import DECIMAL, is_number, number
from pytest_relevance.cases.schema_parts import (
    ANY_TEXT,
    END,
    NULL,
    WHOLE,
    about,
    either,
    list_of,
    mapping_of,
    object_with,
)
from pytest_relevance.cases.values import LARGEST_WHOLE, check_whole
from pytest_relevance.expectations.conditions import meets_condition
from pytest_relevance.expectations.documents import named_rank
from pytest_relevance.expectations.fields_before import (
    are_known,
    fields_as_badly,
    none_as_badly,
    some_as_badly,
)
from pytest_relevance.expectations.kind import ExpectationKind, Names
from pytest_relevance.expectations.near_values import (
    NearValue,
    counted_ranks,
    near_values,
)
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.field_values import scalars_in
from pytest_relevance.results.outcomes import KEPT, Found, outcome_of
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.unseen import USUAL_DEPTH

_AT_MOST = "at_most"
"""How a condition of `at_most` compares."""

_RANK = "[1-9][0-9]{0,6}"
_OF_NUMBERS = r"(?s)\s*(>=|<=|!=|==|=|>|<)\s*(.*?)\s*"
_CONDITIONS = (
    "text, a number, true or false, a list of these, a comparison or {contains: text}"
)

_CheckField = Callable[[str, object, Location], FieldCondition | Wrong]


def check_conditions(key: str, value: object, at: Location) -> Made:
    """Check `every@5: {category: phones}`: the fields of the first 5 results, or of the
    top k.
    """
    return _check_fields(
        key, value, example="category: phones", check=_check_condition, at=at
    )


def check_at_most(key: str, value: object, at: Location) -> Made:
    """Check `at_most@5: {brand: 2}`: in how many of the first 5 results a value may
    be.
    """
    return _check_fields(key, value, example="brand: 2", check=_check_limit, at=at)


def _check_fields(
    key: str, value: object, *, example: str, check: _CheckField, at: Location
) -> Made:
    """Check a mapping of fields. `check` makes a condition of each, `example` is
    one.
    """
    kind, _, rank = key.partition("@")
    example = f"{kind}@5: {{{example}}}"
    within = int(rank) if re.fullmatch(_RANK, rank) else None
    if "@" in key and (within is None or within > LARGEST_WHOLE):
        return at.refuse(
            f"{kind} takes a rank from 1 to {LARGEST_WHOLE:,} after @; write {example}",
            at_key=True,
        )
    if not isinstance(value, Mapping) or not value:
        return at.refuse(
            f"expected a mapping of fields, found {found(value)}; write {example}"
        )
    conditions = []
    is_wrong = False
    for path, written in value.items():
        condition = _check_field(path, written, check=check, at=at.under(str(path)))
        if condition is WRONG:
            is_wrong = True
        else:
            conditions.append(condition)
    if is_wrong:
        return WRONG
    expected = Expectation(
        kind=kind, written=key, within=within, conditions=tuple(conditions)
    )
    return [expected]


def _check_field(
    path: object, written: object, *, check: _CheckField, at: Location
) -> FieldCondition | Wrong:
    """Check the name of a field, whose dots lead into nested ones, and what it has to
    be.
    """
    if isinstance(path, str) and all(path.split(".")):
        return check(path, written, at)
    message = f"expected the name of a field, found {found(path)}"
    return at.refuse(message, at_key=True)


def _check_limit(path: str, written: object, at: Location) -> FieldCondition | Wrong:
    """Check in how many results a value of a field may be."""
    most = check_whole(written, at)
    if most is WRONG:
        return WRONG
    return FieldCondition(path, _AT_MOST, (most,))


def _check_condition(
    path: str, written: object, at: Location
) -> FieldCondition | Wrong:
    """Check what a field has to be: a value, a list of values, a comparison or a part
    of it.
    """
    if isinstance(written, Mapping):
        return _check_contains(path, written, at)
    match = re.fullmatch(_OF_NUMBERS, written) if isinstance(written, str) else None
    if match is not None:
        return _check_comparison(path, written, match=match, at=at)
    values = tuple(written) if isinstance(written, (list, tuple)) else (written,)
    if not values or not all(map(_is_value, values)):
        return at.refuse(
            f"expected {_CONDITIONS}, found {found(written)}; write {path}: red or "
            f"{path}: [red, blue]"
        )
    return FieldCondition(path, "==", values)


def _check_contains(
    path: str, written: Mapping[str, object], at: Location
) -> FieldCondition | Wrong:
    """Check `{contains: text}`."""
    text = written.get("contains")
    if len(written) != 1 or not isinstance(text, str) or not text:
        return at.refuse(
            f"expected {_CONDITIONS}, found {found(written)}; write {path}: "
            "{contains: text}"
        )
    return FieldCondition(path, "contains", (text,))


def _check_comparison(
    path: str, written: object, match: re.Match[str], at: Location
) -> FieldCondition | Wrong:
    """Check `>= 10`, which `match` divides into its sign and its bound."""
    comparison, text = match[1], match[2]
    bound = number(text)
    if bound is None or comparison in ("==", "="):
        return at.refuse(
            "expected a comparison of numbers with >=, >, <=, < or !=, found "
            f'{found(written)}; write {path}: ">= 10", or none: {{{path}: ...}} for !='
        )
    return FieldCondition(path, comparison, (bound,))


def _is_value(value: object) -> bool:
    """Whether a field can be equal to a value: a text that is not a comparison, a
    number, a boolean.
    """
    if isinstance(value, str):
        return not re.fullmatch(_OF_NUMBERS, value)
    return isinstance(value, bool) or is_number(value)


_CONDITION = either(
    {"type": ["number", "boolean", "null"]},
    {
        "type": "string",
        "pattern": (rf"^(?:\s*(?:[<>]=?|!=)\s*{DECIMAL}\s*{END}|(?!\s*(?:[<>=]|!=)))"),
    },
    list_of(ANY_TEXT, at_least=1),
    object_with(
        {
            "contains": about(
                "A text within the field, in upper or lower case.",
                {"type": "string", "minLength": 1},
            )
        },
        required=("contains",),
    ),
)
_CONDITIONS_SCHEMA = either(NULL, mapping_of(_CONDITION))


# --- judging --------------------------------------------------------------------------


def judge_every(expected: Expectation, found: Found) -> Outcome:
    """Check that each of the first results meets all conditions."""
    wrong = _results_that_miss(expected, found)
    return _fields_outcome(expected, found, wrong)


def judge_some(expected: Expectation, found: Found) -> Outcome:
    """Check that at least one of the first results meets all conditions."""
    wrong = _results_that_miss(expected, found)
    if len(wrong) < len(found.ranking[: expected.within or found.k]):
        wrong = {}
    return _fields_outcome(expected, found, wrong)


def judge_none(expected: Expectation, found: Found) -> Outcome:
    """Check that none of the first results meets all conditions."""
    wrong = {}
    for index in range(len(found.ranking[: expected.within or found.k])):
        missed = _missed_fields(expected, found, index)
        if not missed:
            wrong[index] = [condition.path for condition in expected.conditions]
    return _fields_outcome(expected, found, wrong)


def _results_that_miss(expected: Expectation, found: Found) -> dict[int, list[str]]:
    """Find the first results that miss a condition, and the fields that they miss."""
    wrong = {}
    for index in range(len(found.ranking[: expected.within or found.k])):
        missed = _missed_fields(expected, found, index)
        if missed:
            wrong[index] = missed
    return wrong


def _missed_fields(expected: Expectation, found: Found, index: int) -> list[str]:
    """List the fields of a result that do not meet their condition."""
    missed = []
    for condition in expected.conditions:
        value = found.fields[condition.path][index]
        if not meets_condition(condition, value):
            missed.append(condition.path)
    return missed


def judge_at_most(expected: Expectation, found: Found) -> Outcome:
    """Check that no value of a field is in more of the first results than allowed."""
    count = len(found.ranking[: expected.within or found.k])
    wrong: dict[int, list[str]] = {}
    for condition in expected.conditions:
        values_of_results = []
        for value in found.fields.get(condition.path, ())[:count]:
            # 1 equals True in Python
            values_of_results.append(
                {(type(one) is bool, one) for one in scalars_in(value)}
            )
        counts: Counter[tuple[bool, Any]] = Counter()
        for values in values_of_results:
            counts.update(values)
        (most,) = condition.values
        for index, values in enumerate(values_of_results):
            if any(counts[value] > most for value in values):  # type: ignore[operator]
                wrong.setdefault(index, []).append(condition.path)
    return _fields_outcome(expected, found, dict(sorted(wrong.items())))


def _fields_outcome(
    expected: Expectation, found: Found, wrong: Mapping[int, Sequence[str]]
) -> Outcome:
    """Make the outcome of results that are wrong in fields. `wrong` has these by the
    index of the result.

    If nothing was returned, it is met only if nothing was expected.
    """
    within = expected.within or found.k
    ranking = found.ranking[:within]
    values = []
    for index, paths in wrong.items():
        shown = {path: _brief(found.fields[path][index]) for path in paths}
        values.append((index + 1, shown))
    return outcome_of(
        expected,
        not wrong and (bool(ranking) or found.finds_nothing),
        within=within,
        wrong=[ranking[index] for index in wrong],
        values=values,
    )


_LONGEST_VALUE = 300
"""The characters of a text in an outcome: records would consist of descriptions
otherwise.
"""


def _brief(value: Any) -> Any:
    """Shorten a value of a field to what an outcome has of it, which JSON can hold."""
    if isinstance(value, list):
        return [_brief(one) for one in value]
    if isinstance(value, str) and len(value) > _LONGEST_VALUE:
        return f"{value[: _LONGEST_VALUE - 3]}..."
    return str(value) if value in (inf, -inf) else value


def open_at_each(expected: Expectation, k: int, ranking: Ranking) -> int:
    """Give the depth of an expectation that one more result can make unmet."""
    depth = expected.within or k
    return depth if depth > len(ranking.ids) else 0


def open_at_each_without_k(expected: Expectation, k: int, ranking: Ranking) -> int:
    """Give the depth of an expectation that looks deeper than searches usually
    return.
    """
    depth = expected.within or k
    return depth if depth > USUAL_DEPTH else 0


# --- the words ------------------------------------------------------------------------

_MOST_RESULTS = 10
"""How many results a sentence names."""

_LONGEST_TEXT = 40
"""The columns of a value in a sentence."""


def explain_every(reason: Outcome, names: Names) -> str:
    """Name the results that miss a condition.

    `every: 1 of the first 5 results does not have category "phones": rank 3 "sku-1":
    category = "cases"`
    """
    do = "does" if len(reason.wrong) == 1 else "do"
    return _explained(
        reason,
        names,
        which=f"{len(reason.wrong)} of",
        are=f"{do} not have {_wanted(reason)}",
        near=near_values(reason),
    )


def explain_some(reason: Outcome, names: Names) -> str:
    """Name the results, of which none meets the conditions."""
    return _explained(
        reason,
        names,
        which="none of",
        are=f"has {_wanted(reason)}",
        near=near_values(reason),
    )


def explain_none(reason: Outcome, names: Names) -> str:
    """Name the results that should not be as they are."""
    have = "has" if len(reason.wrong) == 1 else "have"
    return _explained(
        reason,
        names,
        which=f"{len(reason.wrong)} of",
        are=f"{have} {_wanted(reason)}",
    )


def explain_at_most(reason: Outcome, names: Names) -> str:
    """Name the results that share a value with too many others."""
    return _explained(reason, names, which="of", are=_wanted(reason))


def _explained(
    reason: Outcome,
    names: Names,
    *,
    which: str,
    are: str,
    near: Sequence[NearValue] = (),
) -> str:
    """Say what is wrong with the first results, and name the wrong ones.

    `which`, `are`: the words before and after "the first 5 results".
    `near`: values that differ in little from what is wanted. They come first, once for
    all results.
    """
    looked_at = min(reason.within or 0, len(names.result.ranking.documents))
    if not looked_at:
        return f"{reason.name}: nothing was returned"
    texts = []
    ranks_of_near: set[int] = set()
    for value in near:
        texts.append(_near_text(value, len(reason.wrong)))
        ranks_of_near.update(value.ranks)
    for document, (rank, values) in zip(reason.wrong, reason.values, strict=False):
        if rank not in ranks_of_near:
            fields = ", ".join(
                f"{path} = {_value(value)}" for path, value in values.items()
            )
            texts.append(f"rank {rank} {names.document(document)}: {fields}")
    left = len(texts) - _MOST_RESULTS
    if left > 0:
        texts[_MOST_RESULTS:] = [f"and {left} more"]
    said = f"{which} the first {looked_at} results {are}"
    return f"{reason.name}: {said}: {'; '.join(texts)}"


def _near_text(near: NearValue, count: int) -> str:
    """Say `supplier = "Lenovo" differs in case only`; with the ranks if not all of the
    `count` wrong results have it.
    """
    text = f"{near.path} = {_value(near.value)} differs in {near.how} only"
    if len(near.ranks) == count:
        return text
    return f"{text} ({counted_ranks(near.ranks)})"


def _wanted(reason: Outcome) -> str:
    """Name all conditions of an expectation."""
    conditions = map(FieldCondition.of_record, reason.conditions)
    return listed([_condition_text(condition) for condition in conditions], "and")


def _condition_text(condition: FieldCondition) -> str:
    """Write a condition: `category "phones"`, `brand "apple" or "samsung"`,
    `more than 2 have the same brand`.
    """
    path, comparison, values = condition.path, condition.comparison, condition.values
    if comparison == _AT_MOST:
        return f"more than {values[0]} have the same {path}"
    sign = {"==": "", "contains": "containing "}.get(comparison, f"{comparison} ")
    return f"{path} {sign}{listed(map(_value, values))}"


def _value(value: object) -> str:
    """Show the value of a field: `"phones"`, `12.5`, `true`, `null`."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return quoted(value, _LONGEST_TEXT)
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)


# --- the rows -------------------------------------------------------------------------

EVERY = ExpectationKind(
    name="every",
    check=check_conditions,
    about="Fields that each of the top k results has, {category: phones}; every@5: of the first 5.",
    schema=_CONDITIONS_SCHEMA,
    takes_rank=True,
    cutoff=named_rank,
    judge=judge_every,
    open_rank=open_at_each,
    open_rank_without_k=open_at_each_without_k,
    explain=explain_every,
    reference=KEPT,
    missed_as_badly=fields_as_badly,
    is_comparable=are_known,
)

SOME = ExpectationKind(
    name="some",
    check=check_conditions,
    about="Fields that at least one of the top k results has; some@5: of the first 5.",
    schema=_CONDITIONS_SCHEMA,
    takes_rank=True,
    cutoff=named_rank,
    judge=judge_some,
    explain=explain_some,
    reference=KEPT,
    missed_as_badly=some_as_badly,
    is_comparable=are_known,
)

NONE = ExpectationKind(
    name="none",
    check=check_conditions,
    about="Fields that none of the top k results has; none@5: of the first 5.",
    schema=_CONDITIONS_SCHEMA,
    takes_rank=True,
    cutoff=named_rank,
    judge=judge_none,
    open_rank=open_at_each,
    open_rank_without_k=open_at_each_without_k,
    explain=explain_none,
    reference=KEPT,
    missed_as_badly=none_as_badly,
    is_comparable=are_known,
)

AT_MOST = ExpectationKind(
    name="at_most",
    check=check_at_most,
    about="In how many of the top k results a value of a field may be, {brand: 2}; at_most@5: of the first 5.",
    schema=either(NULL, mapping_of(WHOLE)),
    takes_rank=True,
    cutoff=named_rank,
    judge=judge_at_most,
    open_rank=open_at_each,
    open_rank_without_k=open_at_each_without_k,
    explain=explain_at_most,
    reference=KEPT,
    missed_as_badly=fields_as_badly,
    is_comparable=are_known,
)
