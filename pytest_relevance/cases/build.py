"""Make a `Case` from its checked keys, for a case file or for a case written in Python.

A case file makes a `CaseDraft` of each case when the keys and the judgments of the case
are known. `Drafts` makes the `Case` when the grades of the whole file are known: an
unjudged result of one case may have a grade that only another case has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_relevance._problems import Problems
from pytest_relevance._text import quoted
from pytest_relevance.cases.case_judgments import NO_JUDGMENTS, CaseJudgments
from pytest_relevance.cases.expect import check_contradictions
from pytest_relevance.cases.expectation import Expectation
from pytest_relevance.cases.floors import (
    SuiteFloors,
    check_reachable,
    floor_of,
    is_applicable,
    may_be_out_of_reach,
)
from pytest_relevance.cases.grades import add_written
from pytest_relevance.cases.keys import CASE, KEYS, OF_SETTINGS, OF_TERMS, check_keys
from pytest_relevance.cases.known_items import (
    FOUND_EARLY,
    check_demands_of_known_item,
    terms_of_known_item,
)
from pytest_relevance.cases.location import WRONG, Location, Subject, Wrong
from pytest_relevance.cases.model import Case, Terms
from pytest_relevance.cases.names import node_name
from pytest_relevance.cases.passage_demands import check_demands_of_case
from pytest_relevance.cases.passages import check_excluded_apart
from pytest_relevance.cases.values import wrong_document
from pytest_relevance.cases.yaml import NodePosition
from pytest_relevance.metrics.metric import Metric, ProjectMetrics
from pytest_relevance.metrics.names import NO_METRICS
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

    `line`: its line in the case file, or in `source`.
    `listed_id`: the id of its query in a file of queries. A case without an id has this
        id.
    `source`: the path of that file of queries; None for a case that the case file
        writes.
    `is_sampled`: whether its query is from a file with the key `sample`, which gives it
        its weight.
    """

    line: int
    listed_id: str | None = None
    source: str | None = None
    is_sampled: bool = False


@dataclass(frozen=True, slots=True)
class CaseDraft:
    """A case that waits until the grades of the whole file are known.

    `own`: the checked keys of the case.
    `origin`: where the case comes from.
    `terms`: what the suite and the case set, still without the range of grades.
    `min_ndcg`: the floor that applies; None if no floor applies.
    `expect`: the expectations that apply to the case.
    `not_applicable`: the metrics that the suite expects and that do not apply.
    """

    own: Mapping[str, Any]
    judgments: CaseJudgments
    origin: Origin
    terms: Terms
    min_ndcg: float | None
    expect: tuple[Expectation, ...]
    not_applicable: tuple[Metric, ...]

    @property
    def query(self) -> str:
        """Return the text of the query."""
        return str(self.own["query"])

    @property
    def reads_texts(self) -> bool:
        """Say whether the case has or excludes passages."""
        return bool(self.judgments.passages) or "exclude_passages" in self.own

    def build(self, terms: Terms) -> Case:
        """Return the case. `terms`: of the draft, with the range of grades."""
        own = self.own
        case_id: str = own.get("id") or self.origin.listed_id or self.query
        return Case(
            terms=terms,
            id=case_id,
            node_name=case_id if "id" in own else node_name(case_id),
            query=self.query,
            judgments=self.judgments.grades,
            min_ndcg=self.min_ndcg,
            line=self.origin.line,
            params=own.get("params", terms.params),
            tags=united_tags(terms.tags, own.get("tags", ())),
            weight=own.get("weight", 1),
            expect=self.expect,
            not_applicable=self.not_applicable,
            xfail=own.get("xfail"),
            skip=own.get("skip"),
            note=own.get("note"),
            usefixtures=own.get("usefixtures", ()),
            titles=self.judgments.titles,
            notes=self.judgments.notes,
            source=self.origin.source,
            filled=self.judgments.filled,
            passages=self.judgments.passages,
            is_sampled=self.origin.is_sampled,
            is_known_item=self.judgments.is_known_item,
        )


def united_tags(
    inherited: tuple[str, ...], of_case: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the tags of a case, to which it adds its own; each tag once."""
    if not of_case:
        return inherited
    return tuple(dict.fromkeys((*inherited, *of_case)))


def make_terms(values: Mapping[str, Any]) -> Terms:
    """Return `Terms` with the checked values of keys, given by name."""
    of_settings = {name: values[name] for name in OF_SETTINGS if name in values}
    of_terms = {name: values[name] for name in OF_TERMS if name in values}
    return Terms(settings=Settings(**of_settings), **of_terms)


def check_gain_fits_scale(terms: Terms, key: str, at: Location) -> Wrong | None:
    """Report a scale whose grades are too high for exponential gain.

    `key`: the key at which the mistake is reported.

    Return `WRONG` if a mistake was reported, else None.
    """
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
    judgments: CaseJudgments,
    origin: Origin,
    at: Location,
) -> CaseDraft | Wrong:
    """Return the draft of a case, or report keys that contradict each other.

    `own` are the checked keys of the case, `suite` the terms of its suite.
    """
    terms = suite
    is_wrong = False
    if not _OVERRIDING.isdisjoint(own):
        terms = _terms_of_case(suite, at)
        key = "scale" if "scale" in own else "gain"
        is_wrong = check_gain_fits_scale(terms, key, at) is WRONG
    expect: tuple[Expectation, ...] = own.get("expect", suite.expect)
    expect += own.get("exclude_passages", ())
    if judgments.is_known_item:
        terms = terms_of_known_item(terms)
    if _check_demands(own, terms, judgments, expect, at) is WRONG or is_wrong:
        return WRONG
    if _check_gains(judgments, terms.settings, at) is WRONG:
        return WRONG
    floor = floor_of(own, terms, judgments=judgments, expect=expect, at=at)
    if floor is WRONG:
        return WRONG
    applicable = []
    not_applicable = []
    for expected in expect:
        if is_applicable(expected, expect, judgments, terms.settings):
            applicable.append(expected)
        elif expected.metric is not None:
            not_applicable.append(expected.metric)
    if judgments.is_known_item:
        not_applicable = []
        if not any(expected.needs_judgments for expected in applicable):
            applicable.append(FOUND_EARLY)
    return CaseDraft(
        own=own,
        judgments=judgments,
        origin=origin,
        terms=terms,
        min_ndcg=floor,
        expect=tuple(applicable),
        not_applicable=tuple(not_applicable),
    )


def _check_demands(
    own: Mapping[str, Any],
    terms: Terms,
    judgments: CaseJudgments,
    expect: Sequence[Expectation],
    at: Location,
) -> Wrong | None:
    """Report what a case demands and its judgments or other demands do not allow.

    `own`: the checked keys of the case.
    `terms`, `expect`: the terms and the expectations of the case.

    Return `WRONG` if a mistake was reported, else None.
    """
    checks = [check_contradictions(expect, terms.k, at)]
    if judgments.is_known_item:
        checks.append(check_demands_of_known_item(own, expect, at))
    if judgments.passages:
        checks.append(check_demands_of_case(own, terms, expect, at))
        checks.append(check_excluded_apart(judgments.passages, expect, at))
    return WRONG if WRONG in checks else None


def _terms_of_case(suite: Terms, at: Location) -> Terms:
    """Return the terms of a case that overrides keys of its suite.

    `at`: has the values of all keys, of the suite and of the case.
    """
    values = dict(at.values)
    for name in _OF_EACH_CASE:
        values[name] = getattr(suite, name)
    return make_terms(values)


def _check_gains(
    judgments: CaseJudgments, settings: Settings, at: Location
) -> Wrong | None:
    """Report each document or passage whose grade has no gain under the settings.

    Return `WRONG` if a mistake was reported, else None.
    """
    without: dict[float, str] = {}
    for grade in judgments.distinct:
        try:
            settings.gains[grade]
        except ValueError as error:
            without[grade] = str(error)
    if not without:
        return None
    for document, grade in judgments.grades.items():
        if grade in without:
            key = "passages" if judgments.passages else "judgments"
            at.refuse(without[grade], key, document)
    return WRONG


# The cases of a file


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A draft that waits until all grades of the file are known.

    `floors_at`: where to report a floor that no ranking can reach; None if the case
        cannot have such a floor.
    """

    draft: CaseDraft
    floors_at: Location | None


class Drafts:
    """The drafts of a file, in its order. `build` makes the cases of them.

    `have_passages`: whether a case has passages.
    """

    def __init__(self) -> None:
        self.have_passages = False
        self._waiting: list[_Waiting] = []
        self._grades: set[float] = set()
        self._reads_texts = False
        self._first_judged: dict[bool, CaseDraft] = {}
        """The first case with passages (True), and the first with judged documents."""

    @property
    def grades(self) -> list[float]:
        """Return the distinct grades of all drafts that were added, sorted."""
        return sorted(self._grades)

    def add(self, draft: CaseDraft, at: Location) -> None:
        """Add a draft, or report that it cannot be in one file with others.

        `at`: the place of its case.
        """
        if not draft.judgments.is_known_item:
            self._grades.update(draft.judgments.distinct)
        if draft.reads_texts:
            self._reads_texts = True
        if draft.judgments.grades:
            self._check_kind(draft, at)
        floors_at = None
        if may_be_out_of_reach(draft.min_ndcg, draft.expect, draft.terms):
            floors_at = _without_judgments(at)
        self._waiting.append(_Waiting(draft, floors_at))

    def _check_kind(self, draft: CaseDraft, at: Location) -> None:
        """Report a file that has passages in some cases and judged documents in others.

        Only the first case of the second kind is reported.
        """
        has_passages = bool(draft.judgments.passages)
        self.have_passages = self.have_passages or has_passages
        if has_passages in self._first_judged:
            return
        self._first_judged[has_passages] = draft
        other = self._first_judged.get(not has_passages)
        if other is None:
            return
        here, there = "judged documents", "passages"
        if has_passages:
            here, there = there, here
        at.refuse(
            f"the case has {here}, and the case {quoted(other.query, 40)} of the same file "
            f"has {there}; split the file in two"
        )

    def with_range(self, terms: Terms, grades: Sequence[float]) -> Terms:
        """Return terms with the range of `grades`, and with whether texts are read.

        Both depend on all cases of the file.
        """
        terms = terms.with_grade_range(grades)
        return replace(terms, reads_texts=True) if self._reads_texts else terms

    def build(self, floors: SuiteFloors) -> list[Case]:
        """Return the cases, in the order of the file. Report floors out of reach.

        `floors`: counts for each case which floors of the suite apply to it.
        """
        grades = self.grades
        # Most cases share one `Terms` object. They share its copy with the range too.
        ranged: dict[int, Terms] = {}
        cases = []
        for waiting in self._waiting:
            draft = waiting.draft
            if id(draft.terms) not in ranged:
                ranged[id(draft.terms)] = self.with_range(draft.terms, grades)
            case = draft.build(ranged[id(draft.terms)])
            if waiting.floors_at is not None:
                check_reachable(case, waiting.floors_at)
            floors.count(case, draft.own)
            cases.append(case)
        return cases


def _without_judgments(at: Location) -> Location:
    """Return a location without the nodes of judgments, to save memory."""
    position = at.subject.position
    if isinstance(position, NodePosition):
        position = position.without("judgments")
    return Location(Subject(at.subject.problems, position=position))


# A case written in Python


def case_from_values(
    values: Mapping[str, object], metrics: ProjectMetrics = NO_METRICS
) -> Case:
    """Return a case that is written in Python, made from the values of its keys.

    `metrics` are the project's own.

    Raises:
        ValueError: with a line for each mistake: the key, what was found, and what is
            allowed.
    """
    problems = Problems("")
    at = Location(Subject(problems, metrics=metrics))
    case = _case_from_values(values, at)
    if problems.found:
        raise ValueError("\n".join(problem.message for problem in problems.found))
    assert case is not WRONG
    return case


def _case_from_values(values: Mapping[str, object], at: Location) -> Case | Wrong:
    """Return a case that is written in Python, or report its mistakes.

    There is no suite, and no other case adds to the range of grades.
    """
    checked = check_keys(CASE, values, at)
    has_query = "query" in values
    if not has_query:
        at.refuse(NO_QUERY)
    judgments = _judgments_in_python(checked.values, at)
    if not checked.is_right or not has_query or judgments is WRONG:
        return WRONG
    origin = Origin(line=0)
    draft = draft_case(checked.values, Terms(), judgments, origin=origin, at=at)
    if draft is WRONG:
        return WRONG
    terms = draft.terms.with_grade_range(sorted(judgments.distinct))
    terms = replace(terms, reads_texts=draft.reads_texts)
    case = draft.build(terms)
    check_reachable(case, at)
    return case


def _judgments_in_python(
    own: Mapping[str, object], at: Location
) -> CaseJudgments | Wrong:
    """Return the judgments of a case that is written in Python, or report a mistake.

    The documents under `relevant` are added. The name of a judgment file is a mistake.
    """
    judgments: object = own.get("judgments", NO_JUDGMENTS)
    if not isinstance(judgments, CaseJudgments):
        return at.refuse(
            "expected document: grade pairs, found a file. Read the file once for "
            "all tests with pytest_relevance.read_judgments, and give "
            "read_judgments(FILE)[QUERY]",
            "judgments",
        )
    for document in judgments.grades:
        why_wrong = wrong_document(document)
        if why_wrong is not None:
            return at.refuse(why_wrong, "judgments")
    added = add_written(judgments, own, at)
    return judgments if added is None else added
