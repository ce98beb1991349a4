"""What a failing query looks like: whole reports, as they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.reports.failure import failure_lines
from pytest_relevance.reports.styled_lines import plain_text
from pytest_relevance.results.case_parts import SearchError
from tests.helpers import block, changed

if TYPE_CHECKING:
    from tests.reports.conftest import Shop

BRIEF, FULL = -1, 1


def test_a_query_below_its_floor(shop: Shop) -> None:
    note = "people want warm boots, not what goes with them"
    found = shop.result(
        shop.hits("sku-4", "sku-3", "sku-5", "sku-2"),
        min_ndcg=0.7,
        note=note,
        params={"locale": "en_GB"},
    )
    found = changed(found, variant="and")
    assert plain_text(failure_lines(found)) + "\n" == block("""
        shop.relevance.yaml:41: nDCG@10 0.380 is below 0.700
        query "winter boots"   search[and](locale=en_GB)   12.3 ms   4 results, 3 judged
        note: people want warm boots, not what goes with them

        rank  document                      grade  gain  discount     DG    DCG  ideal    IDCG
           1  sku-4  Boot polish, black         0     0     1.000  0.000  0.000      3   7.000
           2  sku-3  Rubber boots               2     3     1.585  1.893  1.893      3  11.417
           3  sku-5  Rain jacket                -     -     2.000      -  1.893      2  12.917
           4  sku-2  Winter boots Borealis      3     7     2.322  3.015  4.908
        DCG 4.908 / ideal DCG 12.917 = nDCG@10 0.380     gain exponential, ideal judged, unjudged zero
        nDCG@10 lies between 0.380 and 0.651

        too high: sku-4 "Boot polish, black" (grade 0, rank 1), sku-3 "Rubber boots" (grade 2, rank 2)
        lost most by
          sku-1                          grade 3   not returned   -0.342
          sku-2  Winter boots Borealis   grade 3   rank 4         -0.309
          others gained                                           +0.030
        """)


def test_a_document_returned_more_than_once(shop: Shop) -> None:
    assert shop.report(
        shop.hits("sku-3", "sku-3", "sku-1", "sku-3"), min_ndcg=0.7
    ) == block("""
        shop.relevance.yaml:41: nDCG@10 0.503 is below 0.700
        query "winter boots"   search   12.3 ms   2 results, all judged

        rank  document                     grade  gain  discount     DG    DCG  ideal    IDCG
           1  sku-3  Rubber boots              2     3     1.000  3.000  3.000      3   7.000
           2  sku-3  Rubber boots         repeat     -     1.585      -  3.000      3  11.417
           3  sku-1  Winter boots Aurora       3     7     2.000  3.500  6.500      2  12.917
           4  sku-3  Rubber boots         repeat     -     2.322      -  6.500
        DCG 6.500 / ideal DCG 12.917 = nDCG@10 0.503     gain exponential, ideal judged, unjudged zero

        too high: sku-3 "Rubber boots" (grade 2, rank 1)
        lost most by
          sku-2                        grade 3   not returned   -0.342
          sku-1  Winter boots Aurora   grade 3   rank 3         -0.271
          others gained                                         +0.116
        """)


def test_ids_of_another_kind(shop: Shop) -> None:
    ranking = [{"_id": "a8f1", "sku": "sku-1"}, {"_id": "sku-3 ", "sku": "sku-3"}]
    assert shop.report(ranking, min_ndcg=0.7) == block("""
        shop.relevance.yaml:41: nDCG@10 0.000 is below 0.700
        query "winter boots"   search   12.3 ms   2 results, 0 judged
        no result is judged; are these the same kind of id?
          returned: "a8f1", "sku-3 "
          judged:   "sku-1", "sku-2", "sku-3", "sku-4"
          if not, name the id with id_field in the case file, or return it from search

        rank  document          grade  gain  discount  DG    DCG  ideal    IDCG
           1  a8f1                  -     -     1.000   -  0.000      3   7.000
           2  sku-3                 -     -     1.585   -  0.000      3  11.417
        3-10  nothing returned                             0.000         12.917
        DCG 0.000 / ideal DCG 12.917 = nDCG@10 0.000     gain exponential, ideal judged, unjudged zero
        nDCG@10 lies between 0.000 and 0.884
        """)


def test_where_another_case_knows_the_ids_an_unjudged_ranking_names_what_was_not_returned(
    shop: Shop,
) -> None:
    unknown = shop.result(shop.hits("sku-6"), min_ndcg=0.9)
    known = shop.result(shop.hits("sku-1"), min_ndcg=0.9)
    report = plain_text(failure_lines(unknown, others=[known]))
    assert report.partition("lost most by\n")[2] + "\n" == (
        "  sku-1   grade 3   not returned   -0.442\n"
        "  sku-2   grade 3   not returned   -0.442\n"
        "  sku-3   grade 2   not returned   -0.116\n"
    )


def test_an_inconclusive_case_names_the_documents_to_judge(shop: Shop) -> None:
    assert shop.report(
        shop.hits("sku-5", "sku-6", "sku-1"), min_ndcg=0.7, min_judged=0.5
    ) == block("""
        shop.relevance.yaml:41: inconclusive: 1 of the top 3 judged, less than min_judged 0.5
          nDCG@10 0.271 is below 0.700
        query "winter boots"   search   12.3 ms   3 results, 1 judged

        rank  document                    grade  gain  discount     DG    DCG  ideal    IDCG
           1  sku-5  Rain jacket              -     -     1.000      -  0.000      3   7.000
           2  sku-6  Boot laces 120 cm        -     -     1.585      -  0.000      3  11.417
           3  sku-1  Winter boots Aurora      3     7     2.000  3.500  3.500      2  12.917
        DCG 3.500 / ideal DCG 12.917 = nDCG@10 0.271     gain exponential, ideal judged, unjudged zero
        judge these: sku-5 "Rain jacket", sku-6 "Boot laces 120 cm"
        nDCG@10 lies between 0.271 and 1.000

        lost most by
          sku-2                        grade 3   not returned   -0.342
          sku-1  Winter boots Aurora   grade 3   rank 3         -0.271
          sku-3                        grade 2   not returned   -0.116
        """)


def test_a_case_without_judgments(shop: Shop) -> None:
    assert shop.report(
        shop.hits("sku-4", "sku-3"), judgments={}, expect={"first": "sku-3"}
    ) == block("""
        shop.relevance.yaml:41: first: rank 1 has "sku-4" (Boot polish, black), expected "sku-3" (Rubber
            boots, at rank 2)
        query "winter boots"   search   12.3 ms   2 results

        rank  document
           1  sku-4  Boot polish, black
           2  sku-3  Rubber boots
        """)
    assert shop.report([], judgments={}, expect={"results": ">= 1"}) == block("""
        shop.relevance.yaml:41: results: 0 returned, expected >= 1
        query "winter boots"   search   12.3 ms   no results
        """)


def test_a_long_ranking_is_cut_and_says_so(shop: Shop) -> None:
    documents = [f"d{number}" for number in range(30)]
    judgments = {document: number % 4 for number, document in enumerate(documents)}
    assert shop.report(documents, judgments=judgments, k=25, min_ndcg=0.9) == block("""
        shop.relevance.yaml:41: nDCG@25 0.582 is below 0.900
        query "winter boots"   search   12.3 ms   30 results; of the top 25, all judged

        rank  document  grade  gain  discount     DG    DCG  ideal    IDCG
           1  d0            0     0     1.000  0.000  0.000      3   7.000
           2  d1            1     1     1.585  0.631  0.631      3  11.417
           3  d2            2     3     2.000  1.500  2.131      3  14.917
           4  d3            3     7     2.322  3.015  5.146      3  17.931
           5  d4            0     0     2.585  0.000  5.146      3  20.639
           6  d5            1     1     2.807  0.356  5.502      3  23.133
           7  d6            2     3     3.000  1.000  6.502      3  25.466
           8  d7            3     7     3.170  2.208  8.710      2  26.412
           9  d8            0     0     3.322  0.000  8.710      2  27.315
          10  d9            1     1     3.459  0.289  8.999      2  28.183
              ... 15 more ranks (-v shows all)
        DCG 19.352 / ideal DCG 33.260 = nDCG@25 0.582     gain exponential, ideal judged, unjudged zero

        too high: d0 (grade 0, rank 1), d1 (grade 1, rank 2), d2 (grade 2, rank 3), and 9 more
        lost most by
          d3    grade 3   rank 4           -0.120
          d27   grade 3   rank 28          -0.070
          d7    grade 3   rank 8           -0.066
          ... and 11 more (-v shows all)   -0.198
          others gained                    +0.036
        """)
    full = shop.report(documents, FULL, judgments=judgments, k=25, min_ndcg=0.9)
    assert "more" not in full
    assert full.count("\n  ") > 25


PERFECT = ("sku-1", "sku-2", "sku-3")
DEMANDS = {"P@3": 0.9, "RR": "== 1", "results": ">= 2", "latency": "<= 20 ms"}
NO_GAIN = {"sku-4": 0}


@pytest.mark.parametrize(
    ("ranking", "keys", "headline"),
    [
        (PERFECT, {"min_ndcg": 0.9}, "passed: nDCG@10 1.000, at least 0.900"),
        (PERFECT, {}, "nDCG@10 1.000, no floor"),
        (PERFECT, {"judgments": {}}, "no judgments"),
        (PERFECT, {"expect": {"first": "sku-1"}}, "passed: nDCG@10 1.000, no floor; first"),
        (PERFECT, {"min_ndcg": 0.9, "expect": DEMANDS}, "passed: nDCG@10 1.000, at least 0.900; P@3 1.000 >= 0.900; "
         "RR 1.000 == 1.000; results 3; latency 12.3 ms"),
        ((), {"judgments": {}, "expect": {"results": 0}}, "passed: results 0"),
        (("sku-4",), {"judgments": NO_GAIN}, "nDCG@10 is not defined: no judged document is relevant"),
    ],
)  # fmt: skip
def test_what_a_case_came_to_that_does_not_fail(
    shop: Shop, ranking: Sequence[str], keys: dict[str, Any], headline: str
) -> None:
    report = plain_text(failure_lines(shop.result(ranking, **keys), width=200))
    assert report.splitlines()[0] == f"shop.relevance.yaml:41: {headline}"
    assert "lost most by" not in report


def test_a_ranking_without_a_relevant_judgment_has_no_ideal(shop: Shop) -> None:
    ranking = shop.hits("sku-4")
    report = shop.report(ranking, judgments=NO_GAIN, expect={"results": 2})
    lines = report.splitlines()
    assert lines[3].split() == ["rank", "document", "grade", "gain", "discount", "DG", "DCG"]  # fmt: skip
    assert lines[-2:] == [
        "nDCG@10 is not defined: no judged document is relevant",
        "    gain exponential, ideal judged, unjudged zero",
    ]


@pytest.mark.parametrize(
    ("ranking", "keys", "line"),
    [
        (("sku-3",), {"min_ndcg": 0.7, "expect": {"results": 2}},
         "nDCG@10 0.232, floor 0.700; results: 1 returned, expected exactly 2"),
        (("x",), {"min_ndcg": 0.7}, "nDCG@10 0.000, floor 0.700; nDCG@10 lies between 0.000 and 0.542; "
         "no result is judged; are these the same kind of id? (id_field)"),
        (("sku-1",), {"expect": {"include": [f"sku-{n}" for n in range(99)]}},
         'include: not in the top 10: "sku-0" (not returned), "sku-2" (not returned), "sku-3" (not returned), '
         '"sku-4" (not returned), "sku-5" (...'),
    ],
    ids=["reasons", "ids in doubt", "cut"],
)  # fmt: skip
def test_in_brief_a_failure_is_one_line(
    shop: Shop, ranking: Sequence[str], keys: dict[str, Any], line: str
) -> None:
    report = shop.report(ranking, BRIEF, **keys)
    assert report == f"shop.relevance.yaml:41: {line}\n"


def test_a_ranking_whose_first_nine_are_perfect_blames_the_tenth_place_alone(
    shop: Shop,
) -> None:
    judgments = {f"d{number}": 3 for number in range(28)}
    ranking = [*(f"d{number}" for number in range(9)), "x"]
    keys: dict[str, Any] = {"judgments": {**judgments, "x": 0}, "min_ndcg": 0.99}
    assert shop.report(ranking, **keys).endswith(
        block("""
              10  x             0     0     3.459  0.000  29.781      3  31.805
            DCG 29.781 / ideal DCG 31.805 = nDCG@10 0.936     gain exponential, ideal judged, unjudged zero

            too high: x (grade 0, rank 10)
            lost most by
              any 1 of 19 with grade 3   not returned   -0.064
            """)
    )
    full = shop.report(ranking, FULL, **keys).partition("lost most by\n")[2]
    assert full.splitlines() == [
        "  any 1 of 19 with grade 3   not returned   -0.064",
        *(f"  d{n:<4} grade 3              not returned" for n in range(9, 28)),
    ]


def test_an_error(shop: Shop) -> None:
    found = shop.result([])
    found = changed(
        found,
        verdict="error",
        error=SearchError(
            "", "search returned None\n  return a list", "conftest.py:7 in search"
        ),
    )
    assert plain_text(failure_lines(found)) + "\n" == block("""
        shop.relevance.yaml:41: search returned None
          return a list
          in conftest.py:7 in search
        query "winter boots"   search
        """)
    found = changed(found, error=SearchError("ConnectionError", "refused"))
    brief = plain_text(failure_lines(found, verbosity=BRIEF))
    assert brief == "shop.relevance.yaml:41: ConnectionError: refused"
