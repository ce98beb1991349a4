"""From checked keys to a `Case`, for a case file and for a case written in Python alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_relevance._text import did_you_mean, found, quoted
from pytest_relevance.cases.expectations import KINDS
from pytest_relevance.cases.fields import CASE, FIELDS, INHERITED, SCORING, SUITE
from pytest_relevance.cases.graded import NO_JUDGMENTS, Graded
from pytest_relevance.cases.limits import contradictions, floor_of, needs_best, unreachable
from pytest_relevance.cases.model import Case, Expectation, Terms
from pytest_relevance.cases.problems import Refused, RefusedSeveral
from pytest_relevance.metrics.settings import LARGEST_EXPONENTIAL_GRADE, Settings

if TYPE_CHECKING:
    from pytest_relevance.cases.queries import ListedQuery

CASES = "cases"
NAMES = {
    SUITE: (*(field.name for field in FIELDS.values() if SUITE in field.at), CASES),
    CASE: tuple(field.name for field in FIELDS.values() if CASE in field.at),
}
"""The keys of a suite and of a case."""

_HELD_BY_CASE = ("min_ndcg", "params", "tags")
_OVERRIDABLE = frozenset({*INHERITED, *SCORING}) - frozenset(_HELD_BY_CASE)
_AS_THEY_ARE = ("weight", "xfail", "skip", "note", "usefixtures")


def make_terms(values: Mapping[str, object]) -> Terms:
    """`Terms` from checked values of their keys. `Refused` where two of them do not go together."""
    settings = Settings(**{name: values[name] for name in SCORING if name in values})  # type: ignore[arg-type]
    terms = Terms(settings=settings, **{name: values[name] for name in INHERITED if name in values})  # type: ignore[arg-type]
    scale = terms.scale
    if scale is not None and settings.gain == "exponential" and scale.highest > LARGEST_EXPONENTIAL_GRADE:
        raise Refused(
            f"with gain: exponential (2^grade - 1) the highest grade may be {LARGEST_EXPONENTIAL_GRADE}, found "
            f"{scale.highest:g}; write gain: linear, or a smaller scale",
            ("scale",),
        )
    return terms


def checked_case(
    own: Mapping[str, object],
    values: Mapping[str, object],
    suite: Terms,
    graded: Graded,
    *,
    line: int,
    column: int,
    listed: ListedQuery | None = None,
) -> Case:
    """A `Case` from its checked keys (`own`), those on top of the suite's (`values`), the suite's terms, its judgments.

    `listed` is the query of a file that the case is made of, where nobody wrote it. `Refused` or `RefusedSeveral`, with
    paths from the case, where keys contradict each other.
    """
    terms = suite
    if not _OVERRIDABLE.isdisjoint(own):
        try:
            terms = make_terms({**values, **{name: getattr(suite, name) for name in _HELD_BY_CASE}})
        except Refused as refused:  # to be mended where the case departs from its suite
            raise Refused(refused.message, ("scale",) if "scale" in own else ("gain",)) from None
    expect: tuple[Expectation, ...] = own.get("expect", ())  # type: ignore[assignment]
    if expect and (refusals := list(contradictions(expect, terms.k))):
        raise RefusedSeveral(refusals)
    floor = floor_of(own, terms, graded, expect)
    written_id = own.get("id")
    tags = suite.tags
    if "tags" in own:
        tags = tuple(dict.fromkeys((*tags, *own["tags"])))  # type: ignore[misc]
    query = own["query"]
    name = query if listed is None else listed.id
    optional = {name: own[name] for name in _AS_THEY_ARE if name in own}
    return Case(
        id=name if written_id is None else written_id,  # type: ignore[arg-type]
        query=query,  # type: ignore[arg-type]
        terms=terms,
        judgments=graded.grades,
        min_ndcg=floor,
        line=line,
        column=column,
        params=own.get("params", suite.params),  # type: ignore[arg-type]
        tags=tags,
        has_written_id=written_id is not None,
        expect=expect,
        titles=graded.titles,
        notes=graded.notes,
        source=None if listed is None else listed.file,
        **optional,  # type: ignore[arg-type]
    )


def case_from_values(values: Mapping[str, object]) -> Case:
    """A case written in Python, from its keys and plain values (the keys of a case in a case file).

    Raises ValueError with a line for each mistake, naming the key, what was found and what is allowed.
    """
    own: dict[str, object] = {}
    refusals = [Refused(unknown_key(str(name), CASE)) for name in values if name not in NAMES[CASE]]
    for name, field in FIELDS.items():
        if name in values and CASE in field.at:
            try:
                if name == "judgments":
                    _look_at_documents(values[name])
                own[name] = field.check(values[name], own)
                if name == "judgments" and not isinstance(own[name], Graded):
                    raise Refused(_NO_FILE)
            except (Refused, RefusedSeveral) as error:
                refusals += [refused.under(name) for refused in error.all()]
    if "query" not in values:
        refusals.append(Refused(NO_QUERY))
    case = None
    if not refusals:
        graded = own.get("judgments", NO_JUDGMENTS)
        assert isinstance(graded, Graded)
        try:
            case = _settled(checked_case(own, own, Terms(), graded, line=0, column=0))
            refusals = list(unreachable(case)) if needs_best(case) else []
        except (Refused, RefusedSeveral) as error:
            refusals = error.all()
    if case is None or refusals:
        raise ValueError("\n".join(refused.render() for refused in refusals))
    return case


_NO_FILE = (
    "a file is read by pytest_relevance.read_judgments, once for all tests; give the judgments of this query, "
    "read_judgments(FILE)[QUERY], or document: grade pairs"
)


def _look_at_documents(judgments: object) -> None:
    """Documents are text in every file, so that only here they have to be looked at."""
    if isinstance(judgments, Mapping):
        wrong = [document for document in judgments if not isinstance(document, str)]
        if wrong:
            raise Refused(f"a document id is text, found {found(wrong[0])}")


def _settled(case: Case) -> Case:
    """A case alone: its judgments are all there are, and its terms nobody else's."""
    terms = replace(case.terms)
    terms.settle(sorted(case.judgments.values()))
    return replace(case, terms=terms)


NO_QUERY = 'the case has no "query", the only key it must have'


def unknown_key(name: str, level: str) -> str:
    """What to say of a key that a suite or a case does not have."""
    if name == CASES and level == SUITE:
        return f"{quoted(CASES)} cannot come from a merge key; write it out"
    if name in FIELDS or name == CASES:
        other = "of the suite, beside cases" if level == CASE else "of a case"
        return f"{quoted(name)} is a key {other}, not of a {level}"
    if level == CASE and name in KINDS:
        return f"{quoted(name)} is no key of a case; it is an expectation, write it under expect:"
    return f"unknown key {quoted(name)} of a {level}{did_you_mean(name, NAMES[level]) or _all_of(level)}"


def _all_of(level: str) -> str:
    return f"; it takes {', '.join(NAMES[level])}"
