"""The parts of a failing query's report: what each says, how it looks, and that nothing
gets out of its column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance import CaseResult, RunInfo
from pytest_relevance.reports.case_score import ties_text
from pytest_relevance.reports.failure import failure_lines
from pytest_relevance.reports.labels import settings_text
from pytest_relevance.reports.run.faults import fault_sentences
from pytest_relevance.reports.styled_lines import (
    BAD,
    DIM,
    DOUBT,
    GOOD,
    PLAIN,
    STRONG,
    plain_text,
)
from tests.helpers import block, changed, compared, result_of, travelled

if TYPE_CHECKING:
    from tests.reports.conftest import Shop

BRIEF, DEFAULT, FULL = -1, 0, 1

# --- parts ----------------------------------------------------------------------------


def test_a_score_just_below_its_floor_has_the_same_digits_everywhere(
    shop: Shop,
) -> None:
    found = shop.report(shop.hits("sku-3", "sku-1", "sku-2"), min_ndcg=0.8452)
    assert (
        shop.part(found, "shop")
        == "shop.relevance.yaml:41: nDCG@10 0.84516 is below 0.84520"
    )
    assert shop.part(found, "DCG") == (
        "DCG 10.917 / ideal DCG 12.917 = nDCG@10 0.84516     gain exponential, ideal judged, unjudged zero"
    )


@pytest.mark.parametrize(
    ("ranking", "text"),
    [
        (["new", "x", "y"], "needs grades: judge new to be sure"),
        ([], ""),
    ],
)
def test_a_case_that_got_worse_names_the_grades_that_settle_it(
    ranking: list[str], text: str
) -> None:
    found = compared("boots", before=1.0, ranking=ranking)
    lines = plain_text(failure_lines(found)).splitlines()
    told = [line for line in lines if line.startswith("needs grades")]
    assert told == ([text] if text else [])


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({}, "gain exponential, ideal judged, unjudged zero"),
        ({"gain": "linear", "discount": "ln"}, "gain linear, ideal judged, unjudged zero, discount ln"),
        ({"ideal": "max", "scale": [0, 3]}, "gain exponential, ideal max (3), unjudged zero"),
        ({"unjudged": "skip", "negative": "zero"}, "gain exponential, ideal judged, unjudged skip, negative zero"),
        ({"gain": {0: 0, 2: 1.5, 3: 10}}, "gain {0: 0, 2: 1.5, 3: 10}, ideal judged, unjudged zero"),
    ],
)  # fmt: skip
def test_settings_that_are_not_the_default_are_named(
    shop: Shop, keys: dict[str, Any], text: str
) -> None:
    assert settings_text(shop.result(["sku-1"], **keys).conditions.settings) == text


def test_skipped_results_leave_no_row_and_no_interval(shop: Shop) -> None:
    ranking = shop.hits("sku-5", "sku-6", "sku-3")
    found = shop.report(ranking, min_ndcg=0.9, unjudged="skip")
    assert found.split("\n\n")[1] + "\n" == block("""
        rank  document             grade  gain  discount     DG    DCG  ideal    IDCG
           1  sku-3  Rubber boots      2     3     1.000  3.000  3.000      3   7.000
        2-10  no judged result                                   3.000         12.917
        DCG 3.000 / ideal DCG 12.917 = nDCG@10 0.232     gain exponential, ideal judged, unjudged skip
    """)


def test_nothing_relevant_returned_where_that_is_the_ideal(shop: Shop) -> None:
    found = shop.report(shop.hits("sku-4"), min_ndcg=0.5, ideal="returned")
    assert shop.part(found, "nothing") == (
        "nothing relevant was returned: nDCG@10 0.000     gain exponential, ideal returned, unjudged zero"
    )


def test_titles_and_notes_of_the_judgments(shop: Shop) -> None:
    judgments = {
        "sku-1": {
            "grade": 3,
            "title": "Winter boots Aurora",
            "note": "what the campaign of this winter sells",
        },
        "sku-2": 1,
    }
    found = shop.report(["sku-2"], judgments=judgments, min_ndcg=0.5)
    assert found.endswith(
        block("""
            lost most by
              sku-1  Winter boots Aurora   grade 3   not returned   -0.917
                  what the campaign of this winter sells
              others gained                                         +0.048
            """)
    )


def test_in_full_every_relevant_document_that_is_missing_is_named(shop: Shop) -> None:
    judgments = {"a": 3, "b": 3, "c": 1, "d": 1, "e": 0}
    keys: dict[str, Any] = {"judgments": judgments, "k": 2, "min_ndcg": 0.9}
    assert shop.report(["a", "e", "c"], FULL, **keys).endswith(
        block("""
            too high: e (grade 0, rank 2)
            lost most by
              b   grade 3   not returned   -0.387
              c   grade 1   rank 3          0.000
              d   grade 1   not returned    0.000
            """)
    )
    assert "  c " not in shop.report(["a", "e", "c"], **keys)


def test_grades_are_named_where_the_scale_names_them(shop: Shop) -> None:
    scale = {"exact": 3, "substitute": 2, "irrelevant": 0}
    found = shop.report(shop.hits("sku-4", "sku-2"), min_ndcg=0.9, scale=scale)
    assert found.endswith(
        block("""
            too high: sku-4 "Boot polish, black" (grade 0 irrelevant, rank 1)
            lost most by
              sku-1                          grade 3 (exact)        not returned   -0.342
              sku-2  Winter boots Borealis   grade 3 (exact)        rank 2         -0.200
              sku-3                          grade 2 (substitute)   not returned   -0.116
            """)
    )


def test_the_name_of_a_grade_is_left_out_where_there_is_no_room(shop: Shop) -> None:
    title = "Winter boots Borealis, lined, waterproof, with laces, for the whole family"
    ranking = ["sku-4", "sku-3", {"id": "sku-2", "title": title}]
    scale = {"exact": 3, "substitute": 2, "irrelevant": 0}
    found = shop.result(ranking, min_ndcg=0.9, scale=scale)
    assert "   grade 3   rank 3 " in plain_text(failure_lines(found, width=70))


def test_results_that_are_excluded_are_marked(shop: Shop) -> None:
    hits = shop.hits("sku-1", "sku-4", "sku-5", "sku-4", "sku-6")
    expect = {"exclude": {"docs": ["sku-4", "sku-6", "sku-9"], "within": 4}}
    found = shop.report(hits, expect=expect)
    marked = [
        row.split()[:2] for row in found.splitlines() if row.endswith("  excluded")
    ]
    assert marked == [["2", "sku-4"]]
    assert 'exclude: in the top 4: "sku-4" (Boot polish, black, at rank 2)' in found
    bare = shop.report(hits, judgments={}, expect=expect)
    assert shop.part(bare, "2") == "   2  sku-4  Boot polish, black   excluded"
    assert shop.part(bare, "5") == "   5  sku-6  Boot laces 120 cm"


def test_a_document_above_the_rank_that_it_must_stay_below_is_marked(
    shop: Shop,
) -> None:
    hits = shop.hits("sku-1", "sku-4", "sku-2")
    for judgments in (shop.judgments, {}):
        found = shop.report(
            hits, judgments=judgments, expect={"within": {"sku-4": ">3", "sku-2": 3}}
        )
        assert shop.part(found, "2").endswith("  not before 4")
        assert "excluded" not in found


def test_fields_are_aligned_and_those_of_named_documents(shop: Shop) -> None:
    ranking = shop.hits("sku-4", "sku-1")
    result = shop.result(ranking, judgments={**shop.judgments, "z": 0}, min_ndcg=1)
    fields = {"brand": "Aurora", "price": "9.90"}
    shown = {"sku-4": fields, "sku-1": {"price": "120"}, "sku-2": fields, "z": fields}
    text = plain_text(failure_lines(changed(result, shown=shown), verbosity=1))
    assert text.partition("about the ")[2] + "\n" == block("""
        documents
          document  brand   price
          sku-4     Aurora  9.90
          sku-1             120
          sku-2     Aurora  9.90
    """)


def test_ids_are_of_the_same_kind_where_one_is_judged_below_the_top(shop: Shop) -> None:
    ranking = [f"x{number}" for number in range(12)]
    assert "same kind of id" in shop.report(ranking, min_ndcg=0.5)
    assert "same kind of id" not in shop.report([*ranking, "sku-1"], min_ndcg=0.5)


@pytest.mark.parametrize("verbosity", [BRIEF, DEFAULT, FULL])
@pytest.mark.parametrize(
    "keys",
    [
        {"min_ndcg": 0.9, "expect": {"exclude": "sku-4", "first": "sku-1", "latency": "<= 1 ms"}},
        {"judgments": {}, "expect": {"order": ["sku-1", "sku-2"]}},
        {"gain": {0: 0, 2: 1.5, 3: 10}, "unjudged": "skip", "scale": {"bad": 0, "fair": 2, "good": 3}, "min_ndcg": 1},
        {"k": 2, "ideal": "max", "scale": [0, 4], "min_ndcg": 0.4, "params": {"a": [1]}, "note": "warm"},
    ],
)  # fmt: skip
def test_a_result_that_travelled_has_the_same_report(
    shop: Shop, keys: dict[str, Any], verbosity: int
) -> None:
    hits = shop.hits("sku-4", "sku-5", "sku-3", "sku-3", "sku-2")
    found = shop.result(hits, accepted=["sku-1", "sku-2"], **keys)
    lines = failure_lines(found, verbosity=verbosity)
    assert failure_lines(travelled(found), verbosity=verbosity) == lines
    text = plain_text(lines)
    assert [line for line in text.split("\n") if line != line.rstrip()] == []


# --- styles ---------------------------------------------------------------------------


def styles(found: CaseResult, verbosity: int = DEFAULT) -> dict[str, str]:
    """The style of each span by the beginning of its text."""
    spans = [
        span for line in failure_lines(found, verbosity=verbosity) for span in line
    ]
    return {
        " ".join(words.split()[:2]): style for words, style in spans if words.strip()
    }


def test_what_is_wrong_stands_out(shop: Shop) -> None:
    found = styles(
        shop.result(
            shop.hits("sku-4", "sku-5", "sku-3"),
            min_ndcg=0.7,
            note="people want warm boots",
        )
    )
    assert found["shop.relevance.yaml:41:"] == PLAIN
    assert found["nDCG@10 0.116"] == BAD
    assert found["note: people"] == DIM
    assert found["rank document"] == STRONG
    assert (found["1 sku-4"], found["2 sku-5"], found["3 sku-3"]) == (BAD, DOUBT, PLAIN)
    assert found["lost most"] == STRONG
    assert (
        styles(shop.result(shop.hits("sku-1"), min_ndcg=0.1))["passed: nDCG@10"] == GOOD
    )
    inconclusive = styles(
        shop.result(shop.hits("sku-5", "sku-1"), min_ndcg=0.8, min_judged=1)
    )
    assert (inconclusive["inconclusive: 1"], inconclusive["judge these:"]) == (
        DOUBT,
        DOUBT,
    )


# --- whatever the input ---------------------------------------------------------------


def test_control_characters_of_users_never_reach_the_terminal(shop: Shop) -> None:
    bad = "\x1b[2J\r\u202e"
    found = shop.result(
        [{"id": f"a{bad}", "title": f"Boots{bad}"}, {"id": f"a{bad}"}, {"id": bad}],
        judgments={
            f"a{bad}": {"grade": 1, "note": bad},
            f"b{bad}": {"grade": 3, "title": bad, "note": bad},
        },
        query=f"boots{bad}",
        note=f"note{bad}",
        min_ndcg=0.9,
        min_judged=0.1,
        expect={"first": f"b{bad}"},
        params={"x": bad},
    )
    found = changed(found, file=f"shop{bad}.yaml", variant=bad)
    for verbosity in (BRIEF, DEFAULT, FULL):
        report_ = plain_text(failure_lines(found, verbosity=verbosity))
        assert not {"\x1b", "\r", "\u202e"} & set(report_)


@pytest.mark.parametrize(
    ("judged", "returned", "is_one_number"),
    [
        ("7", "007", True),
        ("7.0", "7", True),
        ("1.23457E+12", "1234567890123", True),
        ("12345678901234500", "12345678901234567", True),
        ("7", "8", False),
        ("70", "7", False),
        ("x7", "x07", False),
        ("1e5", "123456", False),
        ("6.8", "7", False),
        ("a", "A", False),
    ],
)
def test_a_judged_id_that_a_spreadsheet_may_have_changed_is_named(
    judged: str, returned: str, is_one_number: bool
) -> None:
    judgments = {judged: 3, "b": 1}
    case = {"query": "q", "judgments": judgments, "min_ndcg": 0.9}
    text = plain_text(failure_lines(result_of(case, ["b", returned])))
    head = "ids that a spreadsheet may have changed"
    said = f'{head}: judged "{judged}", returned "{returned}"\n'
    assert (said in text) == is_one_number
    assert (head in text) == is_one_number


# --- equal scores ---------------------------------------------------------------------


def test_the_interval_is_at_least_so_wide_if_the_last_result_is_tied() -> None:
    keys = {"query": "q", "min_ndcg": 0.9, "judgments": {"a": 3, "b": 1}}
    tied = [("b", 1.0), ("a", 1.0)]
    said = "between 0.710 and 1.000 by the order of equal scores"
    assert ties_text(result_of(keys, tied)) == f"at least {said}"
    assert ties_text(result_of(keys, [*tied, ("c", 0.5)])) == said
    assert ties_text(result_of({**keys, "min_ndcg": 0.5}, tied)) == ""


def test_cases_that_depend_on_equal_scores_are_counted_and_the_first_named() -> None:
    judgments = {"w1": 3, "w2": 3, "strap": 1}
    ranking = [("w1", 0.5), ("strap", 0.5), ("w2", 0.4)]
    keys = {"query": "watch", "min_ndcg": 0.9, "judgments": judgments}
    tied = [result_of({**keys, "id": name}, ranking) for name in "abcd"]
    decided = result_of({**keys, "min_ndcg": 0.5}, ranking)
    (found,) = fault_sentences([*tied, decided], RunInfo())
    named = 'a "watch", b "watch", c "watch" and 1 more'
    said = f"Until then the order of equal scores decides whether 4 cases pass: {named}"
    assert found.text.endswith(said)
