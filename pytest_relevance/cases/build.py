"""From checked keys to a `Case`, for a case file and for a case written in Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import found
from pytest_relevance.cases.keys import CASE, KEYS, OF_SETTINGS, OF_TERMS, check_keys
from pytest_relevance.cases.limits import check_contradictions, check_reachable, floor_of, needs_best
from pytest_relevance.cases.model import Case, Expectation, Terms
from pytest_relevance.cases.problems import Location
from pytest_relevance.cases.sources.grades import NO_JUDGMENTS, Graded
from pytest_relevance.metrics.settings import LARGEST_EXPONENTIAL_GRADE, Settings

if TYPE_CHECKING:
    from pytest_relevance.cases.sources.queries import ListedQuery

NO_QUERY = 'the case has no "query", the only key it must have'
_NO_FILE = (
    "a file is read by pytest_relevance.read_judgments, once for all tests; give the judgments of this query, "
    "read_judgments(FILE)[QUERY], or document: grade pairs"
)

_OF_EACH_CASE = frozenset({"min_ndcg", "params", "tags"})
"""Keys of `Terms` that a `Case` has itself, so that most cases share the terms of their suite."""

_OVERRIDABLE = frozenset({*OF_TERMS, *OF_SETTINGS} & KEYS[CASE].keys()) - _OF_EACH_CASE
_UNCHANGED = ("query", "expect", "weight", "xfail", "skip", "note", "usefixtures")
"""Keys whose checked values become those of the `Case` as they are."""


def make_terms(values: Mapping[str, object], at: Location, *, key: str = "scale") -> Terms:
    """Make `Terms` of checked values; report at `key` where scale and gain do not go together."""
    settings = Settings(**{name: values[name] for name in OF_SETTINGS if name in values})  # type: ignore[arg-type]
    terms = Terms(settings=settings, **{name: values[name] for name in OF_TERMS if name in values})  # type: ignore[arg-type]
    scale = terms.scale
    if scale is not None and settings.gain == "exponential" and scale.highest > LARGEST_EXPONENTIAL_GRADE:
        what = f"with gain: exponential (2^grade - 1) the highest grade may be {LARGEST_EXPONENTIAL_GRADE}"
        at.refuse(f"{what}, found {scale.highest:g}; write gain: linear, or a smaller scale", key)
    return terms


def make_case(
    own: Mapping[str, object],
    suite: Terms,
    graded: Graded,
    at: Location,
    *,
    position: tuple[int, int],
    listed: ListedQuery | None = None,
) -> Case:
    """Make a `Case` of its checked keys and its judgments; report the keys that contradict each other.

    `own` are the checked keys of the case, `at.values` these on top of those of the suite, and `suite` the terms of the
    suite. `position` is the line and column of the case. `listed` is the query of a file of queries that the case is
    made of, None for a written case. Where mistakes are reported, the case is not to be used.
    """
    terms = suite
    if not _OVERRIDABLE.isdisjoint(own):
        values = {**at.values, **{name: getattr(suite, name) for name in _OF_EACH_CASE}}
        terms = make_terms(values, at, key="scale" if "scale" in own else "gain")
    expect: tuple[Expectation, ...] = own.get("expect", ())  # type: ignore[assignment]
    if expect:
        check_contradictions(expect, terms.k, at)
    floor = None if at.mistakes else floor_of(own, terms, graded, expect, at)
    tags = tuple(dict.fromkeys((*suite.tags, *own["tags"]))) if "tags" in own else suite.tags  # type: ignore[misc]
    unchanged: dict[str, Any] = {name: own[name] for name in _UNCHANGED if name in own}
    default_id = unchanged["query"] if listed is None else listed.id
    return Case(
        **unchanged,
        id=own.get("id", default_id),  # type: ignore[arg-type]
        terms=terms,
        judgments=graded.grades,
        min_ndcg=floor,
        line=position[0],
        column=position[1],
        params=own.get("params", suite.params),  # type: ignore[arg-type]
        tags=tags,
        has_written_id="id" in own,
        titles=graded.titles,
        notes=graded.notes,
        source=None if listed is None else listed.file,
    )


def case_from_values(values: Mapping[str, object]) -> Case:
    """Make a case written in Python, from the keys of a case in a case file and their plain values.

    Raises:
        ValueError: with a line for each mistake, which names the key, what was found and what is allowed.
    """
    at = Location({})
    own, _ = check_keys(CASE, values, lambda value, _: value, at)
    if "query" not in values:
        at.refuse(NO_QUERY)
    graded = own.get("judgments", NO_JUDGMENTS)
    if isinstance(graded, Graded):
        _check_documents(graded, at)
    else:
        at.refuse(_NO_FILE, "judgments")
    if not at.mistakes:
        assert isinstance(graded, Graded)
        case = make_case(own, Terms(), graded, at, position=(0, 0))
        terms = replace(case.terms)  # its judgments are all there are
        terms.settle(sorted(case.judgments.values()))
        case = replace(case, terms=terms)
        if not at.mistakes and needs_best(case):
            check_reachable(case, at)
    if at.mistakes:
        raise ValueError("\n".join(mistake.render() for mistake in at.mistakes))
    return case


def _check_documents(graded: Graded, at: Location) -> None:
    """Check that documents are text, which they are in every file."""
    wrong = [document for document in graded.grades if not isinstance(document, str)]
    if wrong:
        at.refuse(f"a document id is text, found {found(wrong[0])}", "judgments")
