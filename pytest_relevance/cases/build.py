"""Make a `Case` of checked keys, for a case file or for a case written in Python, and refuse keys that contradict.

A floor above the best score that the case's own judgments allow is a mistake in the case, not in the search; so are two
expectations that leave a document no rank. What else expectations rule out together shows when the case runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import floor, inf, isnan, nan
from operator import itemgetter
from typing import Any

from pytest_relevance._text import found, quoted
from pytest_relevance.cases.checking.expectations import AT_MOST, BELOW
from pytest_relevance.cases.checking.judgments import (
    NO_JUDGMENTS,
    Graded,
    with_relevant,
)
from pytest_relevance.cases.checking.keys import (
    CASE,
    KEYS,
    OF_SETTINGS,
    OF_TERMS,
    check_keys,
)
from pytest_relevance.cases.checking.values import node_name
from pytest_relevance.cases.model import (
    ROUNDING,
    Case,
    Expectation,
    Terms,
    most_results,
)
from pytest_relevance.cases.problems import CaseProblems, Location, Scope
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.metric import Metric, ProjectMetrics
from pytest_relevance.metrics.names import (
    NO_METRICS,
    build_metric,
    takes_relevance_level,
)
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.metrics.settings import LARGEST_EXPONENTIAL_GRADE, Settings


def floor_of(
    own: Mapping[str, object],
    terms: Terms,
    graded: Graded,
    expect: Sequence[Expectation],
    at: Location,
) -> float | None:
    """The floor of nDCG that applies to a case: its own, the suite's, or None. Checks the gains of its grades."""
    relevant = _has_relevant(graded, terms.settings, at)
    least: float | None = own.get("min_ndcg", terms.min_ndcg)  # type: ignore[assignment]
    written = own.get("min_ndcg") is not None
    if least is None:
        return None
    wrong = ""
    if expect and most_results(expect) == 0:
        wrong = (
            "a case that expects no results has no nDCG; take min_ndcg or results out"
        )
    elif not graded.grades:
        wrong = "a floor needs judgments, and the case has none; add judgments, or take it out"
        if not written:
            inherited = f"the suite's min_ndcg {least:g} applies to this case, which has no judgments"
            at.refuse(f"{inherited}; add judgments, or write min_ndcg: null")
    elif not relevant and not at.scope.mistakes:
        wrong = (
            "no judged document has a gain above 0, so nDCG is not defined and no floor can hold; "
            "judge a relevant document, or take min_ndcg out"
        )
    if wrong and written:
        at.refuse(wrong, "min_ndcg")
    return None if wrong else least


def _has_relevant(graded: Graded, settings: Settings, at: Location) -> bool:
    """Whether any document has a gain above 0. Reports the documents whose grade has no gain."""
    relevant = False
    without: dict[float, str] = {}
    for grade in graded.distinct:
        try:
            relevant = settings.gains[grade] > 0 or relevant
        except ValueError as error:
            without[grade] = str(error)
    for document, grade in graded.grades.items() if without else ():
        if (message := without.get(grade)) is not None:
            at.refuse(message, "judgments", document)
    return relevant


def inapplicable(
    expect: Sequence[Expectation], graded: Graded, settings: Settings
) -> tuple[Expectation, ...]:
    """The metrics that the suite expects of all cases, and that cannot be asked of this one.

    The case has no judgments that are relevant to them, or expects no results. Call it after `floor_of`, which checks
    that every grade has a gain.
    """
    finds_nothing = most_results(expect) == 0
    return tuple(
        expected
        for expected in expect
        if expected.inherited
        and expected.kind == "metric"
        and (finds_nothing or not _has_relevant_to(expected.metric, graded, settings))  # type: ignore[arg-type]
    )


def _has_relevant_to(metric: Metric, graded: Graded, settings: Settings) -> bool:
    """Whether any judgment is relevant to a metric; every one is to Judged, and to a metric of the project's own."""
    if metric.measure == "Judged" or metric.is_own:
        return bool(graded.grades)
    if takes_relevance_level(metric):
        return any(grade >= metric.rel for grade in graded.distinct)
    return any(settings.gains[grade] > 0 for grade in graded.distinct)


NO_QUERY = 'the case has no "query", the only key it must have'
_NO_FILE = (
    "a file is read by pytest_relevance.read_judgments, once for all tests; give the judgments of this query, "
    "read_judgments(FILE)[QUERY], or document: grade pairs"
)

_OF_EACH_CASE = frozenset({"min_ndcg", "params", "tags", "expect"})
"""Keys of `Terms` that a `Case` has itself, so that most cases share the terms of their suite."""

_OVERRIDABLE = frozenset({*OF_TERMS, *OF_SETTINGS} & KEYS[CASE].keys()) - _OF_EACH_CASE


def make_terms(
    values: Mapping[str, object], at: Location, *, key: str = "scale"
) -> Terms:
    """Make `Terms` of checked values; report at `key` where scale and gain do not go together."""
    settings = Settings(
        **{name: values[name] for name in OF_SETTINGS if name in values}  # type: ignore[arg-type]
    )
    terms = Terms(
        settings=settings,
        **{name: values[name] for name in OF_TERMS if name in values},  # type: ignore[arg-type]
    )
    scale = terms.scale
    if (
        scale is not None
        and settings.gain == "exponential"
        and scale.highest > LARGEST_EXPONENTIAL_GRADE
    ):
        what = f"with gain: exponential (2^grade - 1) the highest grade may be {LARGEST_EXPONENTIAL_GRADE}"
        at.refuse(
            f"{what}, found {scale.highest:g}; write gain: linear, or a smaller scale",
            key,
        )
    return terms


def make_case(
    own: Mapping[str, object],
    suite: Terms,
    graded: Graded,
    at: Location,
    *,
    line: int,
    listed_id: str | None = None,
    source: str | None = None,
) -> Case:
    """Make a case of its checked keys and its judgments; report the keys that contradict each other.

    `own` are the checked keys of the case, and `suite` the terms of its suite. `listed_id` is the id of its query
    in a file of queries, which a case without an id of its own has. `line` is that of the case, in the case file or
    in `source`, the file of queries. Where mistakes are reported, the case is not to be used. The terms of the case
    are to be settled once the grades of the whole file are known.
    """
    terms = suite
    if not _OVERRIDABLE.isdisjoint(own):
        values = {
            **at.scope.values,
            **{name: getattr(suite, name) for name in _OF_EACH_CASE},
        }
        terms = make_terms(values, at, key="scale" if "scale" in own else "gain")
    expect: tuple[Expectation, ...] = own.get("expect", suite.expect)  # type: ignore[assignment]
    if expect:
        check_contradictions(expect, terms.k, at)
    floor = None if at.scope.mistakes else floor_of(own, terms, graded, expect, at)
    not_applicable = (
        inapplicable(expect, graded, terms.settings)
        if expect and not at.scope.mistakes
        else ()
    )
    if not_applicable:
        expect = tuple(
            expected for expected in expect if expected not in not_applicable
        )
    tags = (
        tuple(dict.fromkeys((*suite.tags, *own["tags"])))  # type: ignore[misc]
        if "tags" in own
        else suite.tags
    )
    case_id: str = own.get("id", listed_id or own["query"])  # type: ignore[assignment]
    get: Any = own.get
    return Case(  # in the order of its fields: their names would cost every case as much as all of the tuple
        terms,
        case_id,
        case_id if "id" in own else node_name(case_id),
        get("query"),
        graded.grades,
        floor,
        line,
        get("params", suite.params),
        tags,
        get("weight", 1),
        expect,
        tuple(
            [
                expected.metric
                for expected in not_applicable
                if expected.metric is not None
            ]
        ),
        get("xfail"),
        get("skip"),
        get("note"),
        get("usefixtures", ()),
        graded.titles,
        graded.notes,
        source,
        graded.filled,
    )


def case_from_values(
    values: Mapping[str, object], metrics: ProjectMetrics = NO_METRICS
) -> Case:
    """Make a case written in Python, from the keys of a case in a case file and their plain values.

    `metrics` are the project's own.

    Raises:
        ValueError: with a line for each mistake, which names the key, what was found and what is allowed.
    """
    problems = CaseProblems(metrics)
    at = Location(Scope({}, problems))
    own, _ = check_keys(CASE, values, lambda value, _: value, at)
    if "query" not in values:
        at.refuse(NO_QUERY)
    graded = own.get("judgments", NO_JUDGMENTS)
    if isinstance(graded, Graded):
        graded = with_relevant(graded, own, at)
    if not isinstance(graded, Graded):
        at.refuse(_NO_FILE, "judgments")
    elif wrong := [
        document for document in graded.grades if not isinstance(document, str)
    ]:
        at.refuse(f"a document id is text, found {found(wrong[0])}", "judgments")
    if not problems.found:
        assert isinstance(graded, Graded)
        case = make_case(own, Terms(), graded, at, line=0)
        settled = case.terms.settled(
            sorted(graded.grades.values())
        )  # no other case adds judgments
        case = case._replace(terms=settled)
        if not problems.found:
            check_reachable(case, at)
    if problems.found:
        raise ValueError("\n".join(problem.message for problem in problems.found))
    return case


def check_contradictions(expect: Sequence[Expectation], k: int, at: Location) -> None:
    """Report two expectations that leave a document no rank, at the one that is written last."""
    of_document: dict[str, list[tuple[int, float, Expectation]]] = {}
    for expected in expect:
        for place, document in enumerate(expected.documents, 1):
            if (ranks := _allowed_ranks(expected, place, k)) is not None:
                of_document.setdefault(document, []).append((*ranks, expected))
    for document, allowed in of_document.items():
        first, last = max(allowed, key=itemgetter(0)), min(allowed, key=itemgetter(1))
        if first[0] > last[1]:
            (*_, there), (*_, here) = sorted((first, last), key=allowed.index)
            other = f"expect.{there.kind}{' of the suite' * there.inherited}"
            what = f"{quoted(document)} can have no rank that {other} allows as well; change one of them"
            at.refuse(
                what,
                "expect",
                here.kind,
                *([document] if here.kind == "within" else []),
            )


def _allowed_ranks(
    expected: Expectation, place: int, k: int
) -> tuple[int, float] | None:
    """The highest and the lowest rank that an expectation allows its document number `place`; None for any rank.

    The lowest is infinity where the document may be absent.
    """
    within = expected.within or k
    if expected.kind == "first":
        return place, place
    if expected.kind == "include" or (
        expected.kind == "within" and expected.comparison == AT_MOST
    ):
        return 1, within
    if expected.kind == "exclude" or (
        expected.kind == "within" and expected.comparison == BELOW
    ):
        return within + 1, inf
    return (within, within) if expected.kind == "within" else None


def has_bound(case: Case) -> bool:
    """Whether a floor could be above the best score that the judgments of the case allow."""
    has_floor = (
        case.min_ndcg is not None and case.settings.ideal == "max"
    )  # else the best ranking has an nDCG of 1
    return has_floor or "metric" in [expected.kind for expected in case.expect]


def check_reachable(case: Case, at: Location) -> None:
    """Report the floors that no ranking can reach, once the terms of the case are settled."""
    if (
        case.min_ndcg is not None and case.settings.ideal == "max"
    ):  # else the best ranking has an nDCG of 1
        floor_of_ndcg = Expectation(
            "metric", "min_ndcg", build_metric("nDCG", case.k), bound=case.min_ndcg
        )
        _check_floor(floor_of_ndcg, case, at.under("min_ndcg"))
    for expected in case.expect:
        if expected.kind == "metric":
            _check_floor(expected, case, at.under("expect", expected.written))


def _check_floor(expected: Expectation, case: Case, at: Location) -> None:
    metric = expected.metric
    assert metric is not None
    if not case.judgments:
        at.refuse(
            f"{metric.text} needs judgments, and the case has none; add judgments"
        )
        return
    if metric.is_own:  # the best value that its function could return is not known
        return
    best = nan
    for ranking in best_rankings(case.judgments.values(), case.settings):
        reached = score(metric, ranking, case.settings)
        if isnan(reached):
            relevant = (
                "that is" if metric.measure == "nDCG" else f"{metric.rel:g} or higher"
            )
            at.refuse(
                f"{metric.text} is not defined, as no judged document is relevant; judge one {relevant}"
            )
            return
        is_above = (
            expected.comparison in (">=", "==") and expected.bound > reached + ROUNDING
        )
        if not (is_above or (expected.comparison == ">" and expected.bound >= reached)):
            return
        best = reached if isnan(best) else max(best, reached)
    possible = (
        floor((best + ROUNDING) * 10_000) / 10_000
    )  # rounded down, so that it can be written as the floor
    whose = "the suite's" if expected.inherited else "the"
    what = f"{whose} floor {expected.bound:g} of {metric.text} is above {possible:.10g}, the best that the judgments"
    advice = (
        f"write {metric.text} under expect of the case"
        if expected.inherited
        else "lower it"
    )
    at.refuse(f"{what} of the case allow; {advice}, or judge more documents")


def best_rankings(
    judged: Collection[float], settings: Settings
) -> Iterator[GradedRanking]:
    """Rankings of judged documents, given by their grades, of which one is the best there can be for any measure.

    Measures of relevance and of grades (P, AP, CG, ERR ...) are best by descending grade, those of gain by descending
    gain, and both without documents that lower the score; Judged is best with all. A single result is best where the
    divisor grows with what is returned (nDCG without a cutoff and `ideal: max`, P without a cutoff).
    """
    gains, grades = settings.gains, list(judged)
    by_grade = sorted(grades, reverse=True)
    yield GradedRanking([*by_grade], (), grades)
    by_gain = sorted(
        (grade for grade in grades if gains[grade] > 0),
        key=lambda grade: (gains[grade], grade),
    )[::-1]
    for ranked in (
        by_gain,
        by_gain[:1],
        by_grade[:1],
        [grade for grade in by_grade if grade > 0],
    ):
        yield GradedRanking([*ranked], (), grades)
