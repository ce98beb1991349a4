"""From checked keys to a `Case`, for a case file or for a case that is written in
Python.

A `CaseDraft` is made as soon as the keys and the judgments of a case are known. The
`Case` is made of it once the grades of the whole file are known: an unjudged result of
one case may have a grade that only another case has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_relevance._problems import Problems
from pytest_relevance._text import found
from pytest_relevance.cases.graded import NO_JUDGMENTS, Graded
from pytest_relevance.cases.grades import add_relevant
from pytest_relevance.cases.keys import CASE, KEYS, OF_SETTINGS, OF_TERMS, check_keys
from pytest_relevance.cases.location import WRONG, Location, Subject, Wrong
from pytest_relevance.cases.model import Case, Expectation, Terms, most_results
from pytest_relevance.cases.names import node_name
from pytest_relevance.cases.reachable import check_contradictions, check_reachable
from pytest_relevance.metrics.metric import Metric, ProjectMetrics
from pytest_relevance.metrics.names import NO_METRICS, takes_relevance_level
from pytest_relevance.metrics.settings import LARGEST_EXPONENTIAL_GRADE, Settings

NO_QUERY = 'the case has no "query", the only key it must have'

_OF_EACH_CASE = frozenset({"min_ndcg", "params", "tags", "expect"})
"""Keys of `Terms` that a `Case` has itself, so that most cases share the terms of their
suite.
"""

_OVERRIDING = frozenset({*OF_TERMS, *OF_SETTINGS}) & KEYS[CASE].keys() - _OF_EACH_CASE
"""Keys with which a case gets terms of its own."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a case comes from.

    `line`: its line in the case file, or in `source`, a file of queries.
    `listed_id`: the id of its query in a file of queries. A case without an id of its
    own has it.
    """

    line: int
    listed_id: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class CaseDraft:
    """A case that waits for the grades of the whole file.

    `own`: the checked keys of the case.
    `expect`: the expectations that apply to it, and `not_applicable` those that do not.
    `terms`: its terms without the range of grades.
    """

    own: Mapping[str, Any]
    graded: Graded
    origin: Origin
    terms: Terms
    min_ndcg: float | None
    expect: tuple[Expectation, ...]
    not_applicable: tuple[Metric, ...]

    @property
    def query(self) -> str:
        """The text of the query."""
        return str(self.own["query"])

    def build(self, terms: Terms) -> Case:
        """Make the case. `terms` are those of the draft, with the range of grades."""
        own = self.own
        case_id: str = own.get("id") or self.origin.listed_id or self.query
        return Case(
            terms=terms,
            id=case_id,
            node_name=case_id if "id" in own else node_name(case_id),
            query=self.query,
            judgments=self.graded.grades,
            min_ndcg=self.min_ndcg,
            line=self.origin.line,
            params=own.get("params", terms.params),
            tags=_united_tags(terms.tags, own.get("tags", ())),
            weight=own.get("weight", 1),
            expect=self.expect,
            not_applicable=self.not_applicable,
            xfail=own.get("xfail"),
            skip=own.get("skip"),
            note=own.get("note"),
            usefixtures=own.get("usefixtures", ()),
            titles=self.graded.titles,
            notes=self.graded.notes,
            source=self.origin.source,
            filled=self.graded.filled,
        )


def _united_tags(
    of_suite: tuple[str, ...], of_case: tuple[str, ...]
) -> tuple[str, ...]:
    if not of_case:
        return of_suite
    return tuple(dict.fromkeys((*of_suite, *of_case)))


def make_terms(values: Mapping[str, Any]) -> Terms:
    """Make `Terms` of checked values."""
    of_settings = {name: values[name] for name in OF_SETTINGS if name in values}
    of_terms = {name: values[name] for name in OF_TERMS if name in values}
    return Terms(settings=Settings(**of_settings), **of_terms)


def check_gain_fits_scale(terms: Terms, key: str, at: Location) -> Wrong | None:
    """Report at `key` a scale whose grades are too high for exponential gain."""
    scale = terms.scale
    if scale is None or terms.settings.gain != "exponential":
        return None
    if scale.highest <= LARGEST_EXPONENTIAL_GRADE:
        return None
    return at.refuse(
        "with gain: exponential (2^grade - 1) the highest grade may be "
        f"{LARGEST_EXPONENTIAL_GRADE}, found {scale.highest:g}; write gain: linear, or a "
        "smaller scale",
        key,
    )


def draft_case(
    own: Mapping[str, Any],
    suite: Terms,
    graded: Graded,
    origin: Origin,
    at: Location,
) -> CaseDraft | Wrong:
    """Make a draft of a case of its checked keys and its judgments.

    `suite` are the terms of its suite. Reports the keys that contradict each other.
    """
    terms = suite
    mismatch: Wrong | None = None
    if not _OVERRIDING.isdisjoint(own):
        terms = _terms_of_case(suite, at)
        key = "scale" if "scale" in own else "gain"
        mismatch = check_gain_fits_scale(terms, key, at)
    expect: tuple[Expectation, ...] = own.get("expect", suite.expect)
    contradiction = check_contradictions(expect, terms.k, at) if expect else None
    if mismatch is WRONG or contradiction is WRONG:
        return WRONG
    if check_gains(graded, terms.settings, at) is WRONG:
        return WRONG
    floor = floor_of(own, terms, graded=graded, expect=expect, at=at)
    if floor is WRONG:
        return WRONG
    applicable = []
    not_applicable = []
    for expected in expect:
        if is_applicable(expected, expect, graded=graded, settings=terms.settings):
            applicable.append(expected)
        elif expected.metric is not None:
            not_applicable.append(expected.metric)
    return CaseDraft(
        own=own,
        graded=graded,
        origin=origin,
        terms=terms,
        min_ndcg=floor,
        expect=tuple(applicable),
        not_applicable=tuple(not_applicable),
    )


def _terms_of_case(suite: Terms, at: Location) -> Terms:
    """Make the terms of a case that overrides some of its suite."""
    values = dict(at.values)
    for name in _OF_EACH_CASE:
        values[name] = getattr(suite, name)
    return make_terms(values)


def check_gains(graded: Graded, settings: Settings, at: Location) -> Wrong | None:
    """Report the documents whose grade has no gain."""
    without: dict[float, str] = {}
    for grade in graded.distinct:
        try:
            settings.gains[grade]
        except ValueError as error:
            without[grade] = str(error)
    if not without:
        return None
    for document, grade in graded.grades.items():
        if grade in without:
            at.refuse(without[grade], "judgments", document)
    return WRONG


def floor_of(
    own: Mapping[str, Any],
    terms: Terms,
    graded: Graded,
    expect: Sequence[Expectation],
    at: Location,
) -> float | Wrong | None:
    """Find the floor of nDCG that applies to a case: its own, the suite's, or None.

    A floor of its own that cannot hold is a mistake. The suite's does not apply to a
    case whose nDCG is not defined. But if nothing is judged, somebody has to say so.
    """
    floor: float | None = own.get("min_ndcg", terms.min_ndcg)
    if floor is None:
        return None
    is_own = "min_ndcg" in own
    if most_results(expect) == 0:
        why = "a case that expects no results has no nDCG; take min_ndcg or results out"
    elif not graded.grades:
        if not is_own:
            return at.refuse(
                f"the suite's min_ndcg {floor:g} applies to this case, which has no "
                "judgments; add judgments, or write min_ndcg: null"
            )
        why = "a floor needs judgments, and the case has none; add judgments, or take it out"
    elif not _has_gain(graded, terms.settings):
        why = (
            "no judged document has a gain above 0, so nDCG is not defined and no floor "
            "can hold; judge a relevant document, or take min_ndcg out"
        )
    else:
        return floor
    return at.refuse(why, "min_ndcg") if is_own else None


def _has_gain(graded: Graded, settings: Settings) -> bool:
    """Whether any document has a gain above 0."""
    return any(settings.gains[grade] > 0 for grade in graded.distinct)


def is_applicable(
    expected: Expectation,
    expect: Sequence[Expectation],
    graded: Graded,
    settings: Settings,
) -> bool:
    """Whether an expectation can be asked of a case.

    A metric that the suite expects of all cases cannot, if the case has no judgments
    that are relevant to it, or expects no results. `expect` are all expectations of the
    case.
    """
    if not expected.inherited or not expected.needs_judgments:
        return True
    assert expected.metric is not None
    if most_results(expect) == 0:
        return False
    return _has_relevant_to(expected.metric, graded, settings)


def _has_relevant_to(metric: Metric, graded: Graded, settings: Settings) -> bool:
    """Whether any judgment is relevant to a metric; every one is to Judged, and to a
    metric of the project's own.
    """
    if metric.measure == "Judged" or metric.is_own:
        return bool(graded.grades)
    if takes_relevance_level(metric):
        return any(grade >= metric.rel for grade in graded.distinct)
    return _has_gain(graded, settings)


def case_from_values(
    values: Mapping[str, object], metrics: ProjectMetrics = NO_METRICS
) -> Case:
    """Make a case that is written in Python, from the keys of a case and their plain
    values.

    `metrics` are the project's own.

    Raises:
        ValueError: with a line for each mistake. It names the key, what was found and
            what is allowed.
    """
    problems = Problems("")
    at = Location(Subject(problems, metrics=metrics))
    case = _case_from_values(values, at)
    if problems.found:
        raise ValueError("\n".join(problem.message for problem in problems.found))
    assert case is not WRONG
    return case


def _case_from_values(values: Mapping[str, object], at: Location) -> Case | Wrong:
    """Make a case, or report what is wrong with its keys."""
    checked = check_keys(CASE, values, at)
    has_query = "query" in values
    if not has_query:
        at.refuse(NO_QUERY)
    graded = _graded_in_python(checked.values, at)
    if not checked.is_right or not has_query or graded is WRONG:
        return WRONG
    draft = draft_case(
        checked.values, Terms(), graded=graded, origin=Origin(line=0), at=at
    )
    if draft is WRONG:
        return WRONG
    # no other case adds judgments
    terms = draft.terms.with_grade_range(sorted(graded.grades.values()))
    case = draft.build(terms)
    check_reachable(case, at)
    return case


def _graded_in_python(own: Mapping[str, object], at: Location) -> Graded | Wrong:
    """Take the judgments of a case that is written in Python. They are not in a
    file.
    """
    graded: object = own.get("judgments", NO_JUDGMENTS)
    if not isinstance(graded, Graded):
        return at.refuse(
            "a file is read by pytest_relevance.read_judgments, once for all tests; give the "
            "judgments of this query, read_judgments(FILE)[QUERY], or document: grade pairs",
            "judgments",
        )
    for document in graded.grades:
        if not isinstance(document, str):
            message = f"a document id is text, found {found(document)}"
            return at.refuse(message, "judgments")
    relevant = own.get("relevant")
    if isinstance(relevant, Graded):
        return add_relevant(graded, relevant, at)
    return graded
