"""What a record answers in the place of a search is what the search would answer.

Searches return documents `a` to `e`, some of them twice.
"""

from typing import Any

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from pytest_relevance import Case, CaseResult
from pytest_relevance.ext.replaying.recorded_search import NotInRecord, RecordedSearch
from pytest_relevance.results.responses.ranking import Ranking
from tests.helpers import case_of, scored, travelled

DOCUMENTS = "abcde"
HANDS_K_ON, IGNORES_K, TAKES_NO_K = "hands k on", "ignores k", "takes no k"
KINDS = st.sampled_from([HANDS_K_ON, IGNORES_K, TAKES_NO_K])

EXPECTED = st.fixed_dictionaries(
    {},
    optional={
        "results": st.sampled_from([0, 2, "<= 1", ">= 3", "> 2"]),
        "exclude": st.sampled_from(DOCUMENTS),
        "include": st.sampled_from(DOCUMENTS),
        "first": st.sampled_from(DOCUMENTS),
        "order": st.just(["a", "b"]),
        "within": st.dictionaries(
            st.sampled_from(DOCUMENTS), st.sampled_from([1, 3, "> 4"]), min_size=1
        ),
        "P@2": st.just(0),
        "AP": st.just(0),
        "RR@4": st.just(0),
    },
)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a case for the query of all tests."""
    grades = st.dictionaries(
        st.sampled_from(DOCUMENTS), st.integers(0, 2), min_size=1, max_size=4
    )
    keys: dict[str, Any] = {
        "query": "q",
        "k": draw(st.integers(1, 4)),
        "judgments": draw(grades),
        "collapse": draw(st.booleans()),
        "unjudged": draw(st.sampled_from(["zero", "skip"])),
    }
    depth = draw(st.none() | st.integers(1, 7))
    if depth is not None:
        keys["depth"] = depth
    expected = draw(EXPECTED)
    if expected:
        keys["expect"] = expected
    try:
        return case_of(keys)
    except ValueError:  # two expectations contradict each other
        reject()


@st.composite
def returned(draw: st.DrawFn) -> list[tuple[str, float]]:
    """Draw all documents that an engine finds, with their scores, best first."""
    documents = draw(st.lists(st.sampled_from(DOCUMENTS), max_size=8))
    scores = draw(st.lists(st.sampled_from([1.0, 2.0]), min_size=8, max_size=8))
    ordered = sorted(scores, reverse=True)
    return list(zip(documents, ordered, strict=False))


def search(
    kind: str, found: list[tuple[str, float]], case: Case
) -> tuple[Ranking, int | None]:
    """What a search returns for a case, and how many results it is asked for."""
    asked = None if kind == TAKES_NO_K else case.depth
    results = found[:asked] if kind == HANDS_K_ON else found
    ids = [document for document, _ in results]
    scores = [score for _, score in results]
    if not case.settings.collapse:
        return Ranking(ids, scores=scores), asked
    first = [place for place, each in enumerate(ids) if each not in ids[:place]]
    return Ranking(
        [ids[place] for place in first],
        scores=[scores[place] for place in first],
        as_returned=ids if len(first) < len(ids) else (),
    ), asked


def result_of_search(
    kind: str, found: list[tuple[str, float]], case: Case
) -> CaseResult:
    """The result of a run, as a record has it."""
    ranking, asked = search(kind, found, case)
    return travelled(scored(case, ranking, 0.1, asked))


def replayed(result: CaseResult, case: Case) -> CaseResult:
    """The result of a replay, as a record has it."""
    searched = RecordedSearch(result, "main.jsonl").searched(case)
    ((ranking, latency),) = searched.rankings
    return travelled(scored(case, ranking, latency, searched.asked))


def judged(result: CaseResult) -> tuple[object, ...]:
    """What decides a verdict, without how many results there are below."""
    evaluation, ranking = result.evaluation, result.ranking
    outcomes = [(each.name, each.met, each.wrong) for each in evaluation.outcomes]
    scores = {}
    for name, score in evaluation.scores.items():
        scores[name] = None if score is None else pytest.approx(score)
    interval = (evaluation.lower, evaluation.upper)
    kept = (ranking.documents, ranking.grades, ranking.reaches_depth)
    return result.verdict, outcomes, scores, interval, kept


@given(kind=KINDS, found=returned(), case=cases())
def test_an_unchanged_case_has_the_same_result(
    kind: str, found: list[tuple[str, float]], case: Case
) -> None:
    result = result_of_search(kind, found, case)
    again = replayed(result, case)
    ranking = result.ranking
    if len(ranking.uncollapsed) == ranking.length:
        assert again == result
    else:  # a record does not know the scores of results that it has not kept
        assert judged(again) == judged(result)
        assert counts(again) == counts(result)


def counts(result: CaseResult) -> tuple[object, ...]:
    """How many results there are, and the ranks below those that a record keeps."""
    ranking = result.ranking
    return ranking.returned, ranking.repeated, ranking.left_out, ranking.deeper


@given(kind=KINDS, found=returned(), before=cases(), now=cases())
def test_a_changed_case_is_judged_as_in_a_run_or_not_at_all(
    kind: str, found: list[tuple[str, float]], before: Case, now: Case
) -> None:
    recorded = result_of_search(kind, found, before)
    ranking, asked = search(kind, found, now)
    is_cut = asked is not None and len(ranking.as_returned or ranking.ids) >= asked
    assume(not (is_cut and now.scores_all and now.terms.depth is None))  # an error
    # whoever returns no more than it was asked for is taken to hand k on
    seems_to_hand_k_on = kind == IGNORES_K and len(found) <= before.depth
    assume(not (seems_to_hand_k_on and now.looks_at_all))
    try:
        result = replayed(recorded, now)
    except NotInRecord:
        # a search that returned as many as it was asked for may have had more
        is_whole = kind == TAKES_NO_K and before.looks_at_all
        assert not is_whole
        assert len(found) >= before.depth
        return
    assert judged(result) == judged(result_of_search(kind, found, now))
