"""The checks of grades: of `scale`, of `judgments` of a case, of `relevant`.

Names of grades and lists of ratings become grades here. A case may have thousands of
judgments, nearly all of them plain numbers or names. So each distinct value is checked
once, not each judgment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_relevance._text import found, quoted
from pytest_relevance.cases.case_judgments import (
    CaseJudgments,
    GradingTerms,
    combine,
    grading_terms,
)
from pytest_relevance.cases.location import (
    WRONG,
    Location,
    Wrong,
    check_each,
    check_optional,
)
from pytest_relevance.cases.named_files import (
    FILE,
    FILES_SCHEMA,
    NamedFile,
    check_files,
)
from pytest_relevance.cases.scalars import DECIMAL, are_finite, number
from pytest_relevance.cases.schema_parts import (
    ANY_TEXT,
    END,
    NUMBER,
    TEXT_TYPES,
    Schema,
    about,
    either,
    list_of,
    mapping_of,
    object_with,
)
from pytest_relevance.cases.values import (
    check_documents,
    check_text,
    report_unknown_keys,
    wrong_document,
)
from pytest_relevance.judgments.scale import (
    Scale,
    aggregate,
    grade_of_number,
    no_grade_text,
    scale_of,
)

_SCALARS = frozenset({int, float, str})
_NUMBERS = frozenset({int, float})
_BLANK = frozenset({"", "null", "~"})
_LONG_FORM = ("grade", "title", "note")


def check_scale(value: object, at: Location) -> Scale | Wrong:
    """Return the scale that is written, or report a mistake.

    A scale is names with their grades, or the lowest and the highest grade.
    """
    try:
        return scale_of(value)
    except ValueError as error:
        return at.refuse(str(error))


def check_judgments(
    value: object, at: Location
) -> CaseJudgments | tuple[NamedFile, ...] | Wrong:
    """Return the judgments of a case, or the files that have them, or report a mistake.

    A mapping is {document: grade}. But it describes a file if its key `file` has a text
    that is not a name of the scale.
    """
    if isinstance(value, (list, tuple)) or (isinstance(value, str) and value):
        return check_files(value, at)
    if not isinstance(value, Mapping):
        return at.refuse(
            "expected document: grade pairs or a judgment file, "
            f"found {found(value)}; write {{}} if there are none"
        )
    terms = grading_terms(at.values)
    file = value.get(FILE)
    if isinstance(file, str) and not _is_name(file, terms.scale):
        return check_files(value, at)
    judgments = _grade_by_distinct(value, terms.scale)
    if judgments is not None:
        return judgments
    return _grade_one_by_one(value, terms, at)


def check_relevant(value: object, at: Location) -> CaseJudgments | Wrong:
    """Return the documents under `relevant` with the grade 1, or report a mistake."""
    documents = check_documents(value, at)
    grade = grade_of(1, grading_terms(at.values).scale)
    if isinstance(grade, str):
        return at.refuse(
            f"relevant documents have grade 1, and {grade}; write them under judgments",
            at_key=True,
        )
    if documents is WRONG:
        return WRONG
    return CaseJudgments(dict.fromkeys(documents, grade))


def add_written(
    judgments: CaseJudgments | None, own: Mapping[str, object], at: Location
) -> CaseJudgments | Wrong | None:
    """Return what a case itself judges: `judgments`, `relevant` and `passages`.

    `judgments`: those under the key `judgments`; None if the case has none.
    `own`: the checked keys of the case.

    Passages beside judgments of documents are a mistake.
    """
    relevant, passages = own.get("relevant"), own.get("passages")
    if isinstance(passages, CaseJudgments):
        for key in ("judgments", "relevant"):
            if key in own:
                return at.refuse(
                    f"a case has passages or {key}, not both; take one of them out, or "
                    "make two cases of it",
                    "passages",
                    at_key=True,
                )
        return passages
    if isinstance(relevant, CaseJudgments):
        return _add_relevant(judgments, relevant, at)
    return judgments


def _add_relevant(
    judgments: CaseJudgments | None, relevant: CaseJudgments, at: Location
) -> CaseJudgments | Wrong:
    """Return the judgments of a case with those under `relevant`, or report a mistake.

    A document in both is a mistake.
    """
    known = {} if judgments is None else judgments.grades
    result: Wrong | None = None
    for index, document in enumerate(relevant.grades):
        if document in known:
            result = at.refuse(
                f"document {quoted(document)} is judged twice, 1 here and "
                f"{known[document]:g} under judgments; keep one of them",
                "relevant",
                index,
            )
    return combine(judgments, relevant) if result is None else result


def _is_name(text: str, scale: Scale | None) -> bool:
    return scale is not None and text in scale.names


def _grade_by_distinct(
    value: Mapping[Any, Any], scale: Scale | None
) -> CaseJudgments | None:
    """Return judgments, of which only each distinct grade was checked.

    None if a grade is a list, a mapping or a mistake: then judgments have to be checked
    one by one.
    """
    types = set(map(type, value.values()))
    if not types <= _SCALARS or "" in value:
        return None
    distinct = frozenset(value.values())
    if types <= _NUMBERS and are_finite(distinct):
        if scale is None or all(map(scale.has, distinct)):
            return CaseJudgments(value)
    grades_by_text: dict[object, float] = {}
    for written in distinct:
        grade = grade_of(written, scale)
        if isinstance(grade, str):
            return None
        grades_by_text[written] = grade
    grades = {}
    for document, written in value.items():
        grades[document] = grades_by_text[written]
    return CaseJudgments(grades)


def _grade_one_by_one(
    value: Mapping[Any, object], terms: GradingTerms, at: Location
) -> CaseJudgments | Wrong:
    """Return judgments that are written as {document: grade or details}.

    Reports each document that is not a text, and each judgment that is wrong.
    """
    grades: dict[str, float] = {}
    titles: dict[str, str] = {}
    notes: dict[str, str] = {}
    is_wrong = False
    for document, written in value.items():
        why_wrong = wrong_document(document)
        if why_wrong is not None:
            at.refuse(why_wrong, str(document), at_key=True)
            is_wrong = True
            continue
        judgment = _check_judgment(written, terms, at.under(document))
        if judgment is WRONG:
            is_wrong = True
            continue
        grades[document] = judgment.grade
        if judgment.title is not None:
            titles[document] = judgment.title
        if judgment.note is not None:
            notes[document] = judgment.note
    return WRONG if is_wrong else CaseJudgments(grades, titles, notes)


@dataclass(frozen=True, slots=True)
class _Judgment:
    """The grade of one document, and the title and the note beside it."""

    grade: float
    title: str | None = None
    note: str | None = None


def _check_judgment(
    written: object, terms: GradingTerms, at: Location
) -> _Judgment | Wrong:
    """Return the judgment of one document, or report a mistake.

    `written`: a grade, or {grade: ..., title: ..., note: ...}.
    """
    if not isinstance(written, Mapping):
        grade = check_grade(written, terms, at)
        return WRONG if grade is WRONG else _Judgment(grade)
    unknown = report_unknown_keys(
        written, _LONG_FORM, takes="a judgment has grade, title and note", at=at
    )
    title = check_optional("title", written, check_text, at)
    note = check_optional("note", written, check_text, at)
    if "grade" not in written:
        return at.refuse("the judgment has no grade; write {grade: ...}")
    grade = check_grade(written["grade"], terms, at.under("grade"))
    if unknown is WRONG or title is WRONG or note is WRONG or grade is WRONG:
        return WRONG
    return _Judgment(grade, title=title, note=note)


def check_grade(written: object, terms: GradingTerms, at: Location) -> float | Wrong:
    """Return a grade, or report a mistake. A list of ratings is combined to a grade."""

    def check_rating(rating: object, at: Location) -> float | Wrong:
        grade = grade_of(rating, terms.scale)
        return at.refuse(grade) if isinstance(grade, str) else grade

    if not isinstance(written, Sequence) or isinstance(written, str):
        return check_rating(written, at)
    if not written:
        return at.refuse(
            "the list of ratings is empty; leave the document out if nobody rated it"
        )
    ratings = check_each(written, check_rating, at)
    return WRONG if ratings is WRONG else aggregate(ratings, terms.raters or "median")


def grade_of(written: object, scale: Scale | None) -> float | str:
    """Return the grade that a name or a number means, or a message if there is none."""
    if isinstance(written, str):
        if scale is not None and written in scale.names:
            return scale.names[written]
        return _wrong_name(written, scale)
    return grade_of_number(written, scale)


def _wrong_name(written: str, scale: Scale | None) -> str:
    """Return the message for a text that is no grade, with the reason if known."""
    if written in _BLANK:
        return (
            'the document has no grade; write it after a colon and a blank ("sku-1: 3"), '
            "or leave the document out if nobody judged it"
        )
    if number(written) is not None:
        return f"the grade {quoted(written)} is in quotes, which make it text; write {written}"
    advice = ""
    if scale is None:
        advice = (
            "names of grades are given by a scale, such as scale: {good: 1, bad: 0}"
        )
    return no_grade_text(written, scale, advice)


_RATING: Schema = {
    "type": TEXT_TYPES,
    "minLength": 1,
    "pattern": f"^(?!(?:{DECIMAL}){END})",
}
"""A number or the name of a grade. A number in quotes is a mistake."""

GRADE_SCHEMA = either(_RATING, list_of(_RATING, at_least=1))

SCALE_SCHEMA = either(
    {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2},
    mapping_of(NUMBER, at_least=2),
)

_JUDGMENT = either(
    GRADE_SCHEMA,
    object_with(
        {
            "grade": about(
                "A number, a name of the scale, or a list of ratings.", GRADE_SCHEMA
            ),
            "title": about("What the document is called in reports.", ANY_TEXT),
            "note": about("Why it has this grade.", ANY_TEXT),
        },
        required=("grade",),
    ),
)

JUDGMENTS_SCHEMA: Schema = {
    "if": {"type": "object"},
    "then": {"additionalProperties": _JUDGMENT},
    "else": FILES_SCHEMA,
}
