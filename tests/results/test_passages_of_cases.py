"""Cases with passages: what is found in the texts of results, and how it is scored."""

import pytest

from pytest_relevance.results.passages import held_passages, why_unknown_passages
from pytest_relevance.results.responses.fields import Absent
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.unjudged import PlausibleGains
from tests.helpers import case_of, passage_case, scored, texts_of, travelled

RETURN = "within 30 days of delivery"
RECEIPT = "the original receipt"


def test_a_case_is_scored_by_the_texts_of_its_results() -> None:
    expect = {"R@5": 1, "All@5": 1, "characters@5": "<= 100"}
    case = passage_case(RETURN, RECEIPT, k=5, expect=expect)
    result = scored(
        case, texts_of("Opening hours.", f"Return it {RETURN}.", f"Bring {RECEIPT}.")
    )
    assert result.score == pytest.approx(0.693, abs=5e-4)
    assert result.evaluation.scores["R@5"] == 1.0
    assert result.evaluation.scores["characters@5"] == 14 + 37 + 27
    assert result.verdict == "passed"
    assert result.ranking.held == ((), (0,), (1,))
    assert [passage.rank for passage in result.evaluation.passages] == [2, 3]


def test_a_case_fails_if_a_passage_is_not_found() -> None:
    case = passage_case(RETURN, RECEIPT, k=5, expect={"R@5": 1})
    result = scored(case, texts_of(f"Return it {RETURN}.", "Opening hours."))
    assert result.verdict == "failed"
    assert result.evaluation.scores["R@5"] == 0.5
    assert [passage.rank for passage in result.evaluation.passages] == [1, None]


def test_one_of_several_forms_of_a_passage_is_enough() -> None:
    case = passage_case({"any": [RECEIPT, "l'original du ticket"], "grade": 2})
    ranking = texts_of("Apportez l'original du ticket.", RECEIPT)
    assert held_passages(case.passages, ranking) == [(0,), (0,)]


def test_equal_ids_are_different_results() -> None:
    ranking = texts_of(RETURN, RECEIPT, RETURN, ids=["terms", "terms", "terms"])
    result = scored(passage_case(RETURN, RECEIPT, k=3), ranking)
    assert result.score == 1.0
    assert (result.ranking.returned, result.ranking.repeated) == (3, 0)


def test_no_result_is_unjudged() -> None:
    result = scored(passage_case(RETURN, k=3), texts_of("a", RETURN, RETURN))
    assert result.unjudged == []
    assert (result.evaluation.judged, result.evaluation.top) == (2, 2)
    assert result.interval == (result.score, result.score)
    assert not result.ids_seem_mismatched


def test_a_document_holds_what_its_chunks_among_the_first_depth_hold() -> None:
    ranking = texts_of(
        RETURN, "hours", RECEIPT, "proof of purchase", ids=["terms", "hours"]
    )
    chunks = ["terms", "hours", "terms", "terms"]
    ranking = texts_of(*ranking.texts, ids=["terms", "hours"], as_returned=chunks)
    case = passage_case(RETURN, RECEIPT, "proof of purchase", k=2, depth=3)
    result = scored(case, ranking)
    assert result.ranking.held == ((0, 1), ())
    assert result.ranking.lengths == (len(RETURN) + len(RECEIPT), 5)


def test_gains_of_a_mapping_need_no_grade_of_0() -> None:
    case = passage_case(RETURN, k=2, gain={1: 1})
    ranking = texts_of("hours", RETURN, scores=[1.0, 1.0])
    result = scored(case, ranking)
    assert result.score == pytest.approx(0.631, abs=5e-4)
    assert result.evaluation.ties_lower == pytest.approx(0.631, abs=5e-4)
    assert result.evaluation.ties_upper == 1.0


def test_what_a_record_keeps_scores_the_same() -> None:
    case = passage_case(RETURN, RECEIPT, k=5)
    result = travelled(scored(case, texts_of("hours", RETURN, RETURN, RECEIPT)))
    assert result.ranking.held == ((), (0,), (0,), (1,))
    assert result.graded.grades == [0.0, 1, None, 1]


def test_a_result_holds_a_passage_only_if_its_fields_meet_the_conditions() -> None:
    case = passage_case({"quote": RETURN, "in": {"source": "terms.pdf"}}, k=3)
    sources = ["blog.html", "terms.pdf", None]
    ranking = texts_of(RETURN, RETURN, RETURN, fields_of_texts={"source": sources})
    assert scored(case, ranking).ranking.held == ((), (0,), ())
    assert why_unknown_passages(case, ranking) == ""


def test_a_condition_that_cannot_be_decided_is_an_error_of_the_case() -> None:
    case = passage_case({"quote": RETURN, "in": {"page": ">= 3"}}, k=3)
    fields = {"page": [Absent(("only title",)), 7, "7"]}
    ranking = texts_of("hours", RETURN, RETURN, fields_of_texts=fields)
    assert why_unknown_passages(case, ranking) == (
        f'passages: document "d3" at rank 3 holds "{RETURN}" and has the text "7" as '
        '"page", and >= compares numbers'
    )
    without = texts_of(RETURN, fields_of_texts={})
    assert 'has no field "page"' in why_unknown_passages(case, without)


def test_results_without_texts_are_an_error_and_not_without_passages() -> None:
    case = passage_case(RETURN, exclude_passages=["within 14 days"])
    ids_alone = Ranking(ids=["a"])
    assert "the results have none" in why_unknown_passages(case, ids_alone)
    with pytest.raises(ValueError, match="the results have none"):
        scored(case, ids_alone)


def test_excluded_passages_are_looked_for_beside_those_of_the_case() -> None:
    case = passage_case(RETURN, k=2, exclude_passages=["within 14 days", "in 7 days"])
    result = scored(case, texts_of(RETURN, "Within 14 days.", "in 7 days"))
    assert result.verdict == "failed"
    (outcome,) = result.evaluation.outcomes
    assert (outcome.wrong, outcome.values) == (("d2",), ((2, 0),))
    assert result.score == 1.0
    assert result.ranking.held == ((0,), (1,))
    assert result.graded.grades == [1, 0.0]


def test_a_case_without_passages_may_exclude_some() -> None:
    case = case_of({"query": "q", "exclude_passages": ["within 14 days"]})
    ranking = texts_of("hours", "hours", ids=["d", "d"])
    result = scored(case, ranking)
    assert (result.verdict, result.ranking.repeated) == ("passed", 0)
    assert travelled(result) == result


def test_passages_say_nothing_of_the_gains_of_unjudged_results() -> None:
    judged = scored(case_of({"query": "q", "judgments": {"a": 1}}), ["a", "b"])
    passages = scored(passage_case(RETURN, k=2, gain={1: 1}), texts_of("x", "y"))
    assert PlausibleGains([judged, passages]).share(1) == 1.0
