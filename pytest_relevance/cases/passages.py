"""Check the keys `passages` and `exclude_passages` of a case.

A case has either passages or judged documents. `passages_of_files` checks passages that
come from judgment files.

Functions import `passages.quotes` themselves, as most case files have no quotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_relevance._text import first_few, found, quoted
from pytest_relevance.cases.case_judgments import (
    CaseJudgments,
    grading_terms,
    judgments_of_passages,
)
from pytest_relevance.cases.expectation import (
    EXCLUDE_PASSAGES,
    Expectation,
    FieldCondition,
    Passage,
)
from pytest_relevance.cases.field_conditions import (
    CONDITIONS_SCHEMA,
    check_condition,
    check_conditions,
)
from pytest_relevance.cases.grades import GRADE_SCHEMA, check_grade, grade_of
from pytest_relevance.cases.location import (
    WRONG,
    Location,
    Wrong,
    all_right,
    check_each,
)
from pytest_relevance.cases.model import Case
from pytest_relevance.cases.schema_parts import (
    TEXT,
    about,
    either,
    list_of,
    mapping_of,
    object_with,
)
from pytest_relevance.cases.values import (
    check_names,
    has_half_character,
    report_unknown_keys,
)

_KEYS = ("quote", "any", "grade", "in")
_EXAMPLE = "in: {metadata.source: terms.pdf}"


@dataclass(frozen=True, slots=True)
class _Written:
    """A passage of a case file, and its place for messages.

    `at_key`: whether the quote is the key of a mapping, as in `QUOTE: GRADE`.
    """

    passage: Passage
    at: Location
    at_key: bool = False


def check_passages(value: object, at: Location) -> CaseJudgments | Wrong:
    """Return the passages of a case as its judgments, or report mistakes.

    `value`: a list of quotes and of mappings, or {quote: grade}.
    """
    written: list[_Written] | Wrong
    if isinstance(value, Mapping):
        written = _check_mapping(value, at)
    elif isinstance(value, (list, tuple)):
        written = check_each(value, _check_item, at)
    else:
        return at.refuse(
            f"expected a list of quotes, or quote: grade, found {found(value)}; write "
            "- QUOTE for each passage"
        )
    if written is WRONG:
        return WRONG
    if not written:
        return at.refuse(
            "the list of passages is empty; write a quote, or take the list out"
        )
    if _check_distinct(written) is WRONG:
        return WRONG
    return judgments_of_passages(one.passage for one in written)


def check_excluded(value: object, at: Location) -> tuple[Expectation, ...] | Wrong:
    """Return the expectation that no top result holds a quote, as a tuple of one.

    `value`: a list of quotes. Mistakes in it are reported.
    """
    quotes = _check_quotes(value, at)
    if quotes is WRONG:
        return WRONG
    return (Expectation(EXCLUDE_PASSAGES, written=EXCLUDE_PASSAGES, quotes=quotes),)


def _check_quotes(value: object, at: Location) -> tuple[str, ...] | Wrong:
    """Return a list of different quotes, or report mistakes."""
    quotes = check_names(value, "quotes", why_wrong=wrong_quote, at=at)
    if quotes is not WRONG and not quotes:
        return at.refuse(
            "the list of quotes is empty; write a quote, or take the list out"
        )
    return quotes


# One passage


def _check_mapping(value: Mapping[Any, object], at: Location) -> list[_Written] | Wrong:
    """Return the passages of {quote: grade}, or report mistakes."""
    if "quote" in value or "any" in value:
        return at.refuse(
            "found one passage without a list; write it as an entry of a list, "
            "- {quote: ...}"
        )
    return all_right(_check_pair(quote, grade, at) for quote, grade in value.items())


def _check_pair(quote: object, grade: object, at: Location) -> _Written | Wrong:
    here = at.under(str(quote))
    text = _check_quote(quote, here, at_key=True)
    checked = _check_grade(grade, here)
    if text is WRONG or checked is WRONG:
        return WRONG
    return _Written(Passage((text,), checked), here, at_key=True)


def _check_item(item: object, at: Location) -> _Written | Wrong:
    """Return an entry of a list of passages, or report mistakes."""
    if isinstance(item, Mapping):
        return _check_details(item, at)
    quote = _check_quote(item, at)
    grade = _usual_grade(at)
    if quote is WRONG or grade is WRONG:
        return WRONG
    return _Written(Passage((quote,), grade), at)


def _check_details(item: Mapping[Any, object], at: Location) -> _Written | Wrong:
    """Return the passage of {quote: ..., grade: ..., in: ...}, or report mistakes.

    `any` in place of `quote` has several forms of the passage.
    """
    unknown = report_unknown_keys(
        item,
        _KEYS,
        takes="a passage has quote or any, grade and in; put a quote with a colon in "
        "quotation marks",
        at=at,
    )
    if unknown is WRONG:
        return WRONG
    quotes = _check_forms(item, at)
    if "grade" in item:
        grade = _check_grade(item["grade"], at.under("grade"))
    else:
        grade = _usual_grade(at)
    conditions: tuple[FieldCondition, ...] | Wrong = ()
    if "in" in item:
        conditions = check_conditions(
            item["in"], check_condition, example=_EXAMPLE, at=at.under("in")
        )
    if quotes is WRONG or grade is WRONG or conditions is WRONG:
        return WRONG
    return _Written(Passage(quotes, grade, conditions), at)


def _check_forms(item: Mapping[Any, object], at: Location) -> tuple[str, ...] | Wrong:
    """Return the forms of a passage: its quote, or the quotes under `any`."""
    if ("quote" in item) == ("any" in item):
        return at.refuse(
            "a passage has either quote or any; write {quote: ...}, or {any: [...]} for "
            "several forms of one passage"
        )
    if "quote" in item:
        quote = _check_quote(item["quote"], at.under("quote"))
        return WRONG if quote is WRONG else (quote,)
    return _check_quotes(item["any"], at.under("any"))


def _check_quote(value: object, at: Location, *, at_key: bool = False) -> str | Wrong:
    """Return a quote, or report a mistake."""
    message = wrong_quote(value)
    return str(value) if message is None else at.refuse(message, at_key=at_key)


def wrong_quote(value: object) -> str | None:
    """Return why a value cannot be a quote; None if it can."""
    from pytest_relevance.passages.quotes import is_empty

    if not isinstance(value, str):
        if isinstance(value, (list, Mapping)):
            advice = "put a quote with brackets or braces in quotation marks"
        else:
            advice = f'put it in quotation marks, "{value}", if the text has it'
        return f"a quote is text, found {found(value)}; {advice}"
    if is_empty(value):
        return (
            "the quote is empty; write words that the answer needs, or take the "
            "quote out"
        )
    if not any(character.isalnum() for character in value):
        return (
            f"the quote {quoted(value)} has no letter and no digit; write words that the "
            "answer needs"
        )
    if has_half_character(value):
        return "the quote has half a character (a lone surrogate); write the whole one"
    return None


def _usual_grade(at: Location) -> float | Wrong:
    """Return 1, the grade of a passage that names none.

    A mistake is reported if the scale of the case does not have 1.
    """
    grade = grade_of(1, grading_terms(at.values).scale)
    if isinstance(grade, str):
        return at.refuse(
            f"a passage without a grade has grade 1, and {grade}; write QUOTE: GRADE, or "
            "{quote: ..., grade: ...}"
        )
    return grade


def _check_grade(written: object, at: Location) -> float | Wrong:
    """Return the grade of a passage, or report a mistake."""
    if written is None or written == "":
        return at.refuse(
            "the passage has no grade; write it after a colon and a blank, or write the "
            "quotes as a list (- QUOTE)"
        )
    grade = check_grade(written, grading_terms(at.values), at)
    if grade is WRONG or grade > 0:
        return grade
    return at.refuse(
        f"the grade of a passage is above 0, found {grade:g}; write what must not be "
        f"returned under {EXCLUDE_PASSAGES}"
    )


# Passages that are alike


def _check_distinct(written: Sequence[_Written]) -> Wrong | None:
    """Report passages that are the same, or of which one contains the other.

    A result would hold both for one place of its text. The forms of one passage, under
    `any`, may contain each other.

    Return `WRONG` if a mistake was reported, else None.
    """
    result = None
    for index, later in enumerate(written):
        for earlier in written[:index]:
            message = why_alike(earlier.passage, later.passage)
            if message is not None:
                result = later.at.refuse(message, at_key=later.at_key)
                break
    return result


def why_alike(earlier: Passage, later: Passage) -> str | None:
    """Return the message that one passage contains the other; None if neither does."""
    from pytest_relevance.passages.quotes import contains

    for quote in later.quotes:
        for other in earlier.quotes:
            is_in_other, has_other = contains(other, quote), contains(quote, other)
            if is_in_other and has_other:
                return (
                    f"{quoted(quote)} is the same passage as {quoted(other)}; keep one"
                )
            if is_in_other or has_other:
                inner, outer = (quote, other) if is_in_other else (other, quote)
                return (
                    f"{quoted(inner)} is part of the passage {quoted(outer)}; a text with "
                    "the longer one holds both. Keep one, or quote different words"
                )
    return None


def check_excluded_apart(
    passages: Sequence[Passage], expect: Iterable[Expectation], at: Location
) -> Wrong | None:
    """Report excluded quotes that are part of a passage of the same case.

    No text can have the passage and not the quote. If the passage has several forms,
    the quote is reported only if all of them contain it.

    Return `WRONG` if a mistake was reported, else None.
    """
    from pytest_relevance.passages.quotes import contains

    result = None
    for expected in expect:
        for index, quote in enumerate(expected.quotes):
            for passage in passages:
                if all(contains(form, quote) for form in passage.quotes):
                    message = (
                        f"{quoted(quote)} is in the passage {quoted(passage.name)} too, so "
                        "both cannot be met; quote more words"
                    )
                    result = at.refuse(message, EXCLUDE_PASSAGES, index)
                    break
    return result


# What may be a mistake


def notices_of_passages(cases: Iterable[Case]) -> Iterator[str]:
    """Yield notices about quotes that are short, and about cases with many passages.

    Contexts are left out, as a tool made them and a user cannot shorten them.
    """
    from pytest_relevance.passages.quotes import FEWEST_LETTERS, is_short

    short = []
    many = []
    for case in cases:
        for passage in case.sought_passages:
            if passage.is_context:
                continue
            for quote in passage.quotes:
                if is_short(quote):
                    short.append(f"{quoted(quote, 40)} (line {case.line})")
        if len(case.passages) > case.k:
            many.append(
                f"{quoted(case.query, 40)} (line {case.line}) has {len(case.passages)}, "
                f"and k is {case.k}"
            )
    if short:
        has = "quote has" if len(short) == 1 else "quotes have"
        yield (
            f"{len(short):,} {has} under {FEWEST_LETTERS} letters, and texts may hold "
            f"them by chance: {first_few(short)}; quote more words"
        )
    if many:
        has = "case has" if len(many) == 1 else "cases have"
        yield (
            f"{len(many):,} {has} more passages than results that count: "
            f"{first_few(many)}; raise k, or keep the passages that the answer needs"
        )


# The schema

_QUOTES = list_of(TEXT, at_least=1)
_DETAILS = object_with(
    {
        "quote": about("Words that the text of a result has to hold.", TEXT),
        "any": about("Several forms of one passage, of which one is enough.", _QUOTES),
        "grade": about("The grade of the passage. Default: 1.", GRADE_SCHEMA),
        "in": about(
            "Fields of the result that holds it, {metadata.source: terms.pdf}.",
            CONDITIONS_SCHEMA,
        ),
    }
)
PASSAGES_SCHEMA = either(
    list_of(either(TEXT, _DETAILS), at_least=1), mapping_of(GRADE_SCHEMA)
)
EXCLUDED_SCHEMA = _QUOTES
