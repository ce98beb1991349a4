"""What a failing query looks like: whole reports, as they are printed."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.cases.build import case_from_values
from pytest_relevance.reports.failure import Detail, case_line, conventions, failure_lines, search_label
from pytest_relevance.reports.text import BAD, DIM, DOUBT, GOOD, PLAIN, STRONG, WIDEST, Line, plain, width
from pytest_relevance.runs.ranking import read_ranking
from pytest_relevance.runs.scored import Scored, score_case

TITLES = {
    "sku-1": "Winter boots Aurora",
    "sku-2": "Winter boots Borealis",
    "sku-3": "Rubber boots",
    "sku-4": "Boot polish, black",
    "sku-5": "Rain jacket",
    "sku-6": "Boot laces 120 cm",
}
JUDGMENTS = {"sku-1": 3, "sku-2": 3, "sku-3": 2, "sku-4": 0}
NOTE = "people want warm boots, not what goes with them"

BRIEF, DEFAULT, FULL = Detail(brief=True), Detail(), Detail(full=True)


def hits(*documents: str) -> list[dict[str, str]]:
    return [{"id": document, "title": TITLES[document]} for document in documents]


def scored(ranking: object, judgments: dict[Any, Any] | None = None, **keys: Any) -> Scored:
    values: dict[str, Any] = {"query": "winter boots", **keys}
    if judgments != {}:
        values["judgments"] = JUDGMENTS if judgments is None else judgments
    return score_case(case_from_values(values), read_ranking(ranking), 0.0123)


def lines(found: Scored, detail: Detail = DEFAULT) -> list[Line]:
    return failure_lines(found, "shop.relevance.yaml:41", "search", detail)


def report(ranking: object, detail: Detail = DEFAULT, **keys: Any) -> str:
    """A report as text."""
    return plain(lines(scored(ranking, **keys), detail)) + "\n"


def text(example: str) -> str:
    """An example as it stands below the name of its test."""
    return dedent(example).removeprefix("\n")


# --- whole reports ----------------------------------------------------------------------------------------------------


def test_a_query_below_its_floor() -> None:
    found = scored(hits("sku-4", "sku-3", "sku-5", "sku-2"), min_ndcg=0.7, note=NOTE)
    label = search_label("search", "and", {"locale": "en_GB"})
    assert plain(failure_lines(found, "shop.relevance.yaml:41", label, DEFAULT)) + "\n" == text("""
        shop.relevance.yaml:41: nDCG@10 0.380 is below 0.700
        query "winter boots"   search[and](locale=en_GB)   12.3 ms   4 results, 3 judged
        note: people want warm boots, not what goes with them

        rank  document                      grade  gain  discount     DG    DCG  ideal    IDCG
           1  sku-4  Boot polish, black         0     0     1.000  0.000  0.000      3   7.000
           2  sku-3  Rubber boots               2     3     1.585  1.893  1.893      3  11.417
           3  sku-5  Rain jacket                -     -     2.000      -  1.893      2  12.917
           4  sku-2  Winter boots Borealis      3     7     2.322  3.015  4.908
        DCG 4.908 / ideal DCG 12.917 = nDCG@10 0.380     gain exponential, ideal judged, unjudged zero
        unjudged results: sku-5 - nDCG@10 lies between 0.380 and 0.651

        lost most by
          sku-1                          grade 3   not returned   -0.442
          sku-2  Winter boots Borealis   grade 3   rank 4         -0.209
        """)


def test_ranks_below_the_last_result_are_folded() -> None:
    assert report(hits("sku-3"), min_ndcg=0.7, expect={"include": "sku-1"}) == text("""
        shop.relevance.yaml:41: nDCG@10 0.232 is below 0.700
          include: not in the top 10: "sku-1" (not returned)
        query "winter boots"   search   12.3 ms   1 result, 1 judged

        rank  document             grade  gain  discount     DG    DCG  ideal    IDCG
           1  sku-3  Rubber boots      2     3     1.000  3.000  3.000      3   7.000
         2-3  nothing returned                                   3.000         12.917
        DCG 3.000 / ideal DCG 12.917 = nDCG@10 0.232     gain exponential, ideal judged, unjudged zero

        lost most by
          sku-1   grade 3   not returned   -0.442
          sku-2   grade 3   not returned   -0.442
        """)


def test_in_full_every_rank_has_its_line() -> None:
    assert report(hits("sku-3"), FULL, min_ndcg=0.7) == text("""
        shop.relevance.yaml:41: nDCG@10 0.232 is below 0.700
        query "winter boots"   search   12.3 ms   1 result, 1 judged

        rank  document             grade  gain  discount     DG    DCG  ideal    IDCG
           1  sku-3  Rubber boots      2     3     1.000  3.000  3.000      3   7.000
           2                                       1.585         3.000      3  11.417
           3                                       2.000         3.000      2  12.917
        DCG 3.000 / ideal DCG 12.917 = nDCG@10 0.232     gain exponential, ideal judged, unjudged zero

        lost most by
          sku-1   grade 3   not returned   -0.442
          sku-2   grade 3   not returned   -0.442
        """)


def test_in_brief_there_is_one_line() -> None:
    assert report(hits("sku-3"), BRIEF, min_ndcg=0.7, expect={"results": 2}) == text("""
        shop.relevance.yaml:41: nDCG@10 0.232 is below 0.700; results: 1 returned, expected exactly 2
        """)
    assert report(hits("sku-3"), BRIEF, min_ndcg=0.7, expect={"include": "sku-1"}) == text("""
        shop.relevance.yaml:41: nDCG@10 0.232 is below 0.700; include: not in the top 10: "sku-1" (not re...
        """)


def test_nothing_returned() -> None:
    assert report([], min_ndcg=0.7) == text("""
        shop.relevance.yaml:41: nDCG@10 0.000 is below 0.700
        query "winter boots"   search   12.3 ms   no results

        rank  document          grade  gain  discount  DG    DCG  ideal    IDCG
         1-3  nothing returned                             0.000         12.917
        DCG 0.000 / ideal DCG 12.917 = nDCG@10 0.000     gain exponential, ideal judged, unjudged zero

        lost most by
          sku-1   grade 3   not returned   -0.442
          sku-2   grade 3   not returned   -0.442
          sku-3   grade 2   not returned   -0.116
        """)


def test_a_document_returned_more_than_once() -> None:
    assert report(hits("sku-3", "sku-3", "sku-1", "sku-3"), min_ndcg=0.7) == text("""
        shop.relevance.yaml:41: nDCG@10 0.503 is below 0.700
        query "winter boots"   search   12.3 ms   2 results, all judged
        returned more than once, counted at the first rank: sku-3 at rank 1 and again at 2, 4

        rank  document                     grade  gain  discount     DG    DCG  ideal    IDCG
           1  sku-3  Rubber boots              2     3     1.000  3.000  3.000      3   7.000
           2  sku-3  Rubber boots         repeat     -     1.585      -  3.000      3  11.417
           3  sku-1  Winter boots Aurora       3     7     2.000  3.500  6.500      2  12.917
           4  sku-3  Rubber boots         repeat     -     2.322      -  6.500
        DCG 6.500 / ideal DCG 12.917 = nDCG@10 0.503     gain exponential, ideal judged, unjudged zero

        lost most by
          sku-2                        grade 3   not returned   -0.442
          sku-1  Winter boots Aurora   grade 3   rank 3         -0.171
        """)


def test_ids_of_another_kind() -> None:
    assert report([{"_id": "a8f1", "sku": "sku-1"}, {"_id": "sku-3 ", "sku": "sku-3"}], min_ndcg=0.7) == text("""
        shop.relevance.yaml:41: nDCG@10 0.000 is below 0.700
        query "winter boots"   search   12.3 ms   2 results, 0 judged
        no result is judged; are these the same kind of id?
          returned: "a8f1", "sku-3 "
          judged:   "sku-1", "sku-2", "sku-3", "sku-4"
          if not, name the id with id_field in the case file, or return it from search

        rank  document          grade  gain  discount  DG    DCG  ideal    IDCG
           1  a8f1                  -     -     1.000   -  0.000      3   7.000
           2  sku-3                 -     -     1.585   -  0.000      3  11.417
           3  nothing returned                             0.000         12.917
        DCG 0.000 / ideal DCG 12.917 = nDCG@10 0.000     gain exponential, ideal judged, unjudged zero
        """)


def test_an_inconclusive_case_names_the_documents_to_judge() -> None:
    assert report(hits("sku-5", "sku-6", "sku-1"), min_ndcg=0.7, min_judged=0.5) == text("""
        shop.relevance.yaml:41: inconclusive: 1 of the top 3 judged, less than min_judged 0.5
          nDCG@10 0.271 is below 0.700
        query "winter boots"   search   12.3 ms   3 results, 1 judged

        rank  document                    grade  gain  discount     DG    DCG  ideal    IDCG
           1  sku-5  Rain jacket              -     -     1.000      -  0.000      3   7.000
           2  sku-6  Boot laces 120 cm        -     -     1.585      -  0.000      3  11.417
           3  sku-1  Winter boots Aurora      3     7     2.000  3.500  3.500      2  12.917
        DCG 3.500 / ideal DCG 12.917 = nDCG@10 0.271     gain exponential, ideal judged, unjudged zero
        judge these: sku-5, sku-6 - nDCG@10 lies between 0.271 and 1.000

        lost most by
          sku-2                        grade 3   not returned   -0.442
          sku-1  Winter boots Aurora   grade 3   rank 3         -0.171
          sku-3                        grade 2   not returned   -0.116
        """)


def test_an_inconclusive_case_in_brief() -> None:
    assert report(hits("sku-5", "sku-6", "sku-1"), BRIEF, min_ndcg=0.7, min_judged=0.5) == text("""
        shop.relevance.yaml:41: inconclusive, judge these: sku-5, sku-6: 1 of the top 3 judged, less than...
        """)


def test_a_query_whose_score_is_not_defined() -> None:
    assert report(hits("sku-4"), judgments={"sku-4": 0}, expect={"results": 2}) == text("""
        shop.relevance.yaml:41: results: 1 returned, expected exactly 2
        query "winter boots"   search   12.3 ms   1 result, 1 judged

        rank  document                   grade  gain  discount     DG    DCG  ideal  IDCG
           1  sku-4  Boot polish, black      0     0     1.000  0.000  0.000
        nDCG@10 n/a: no judged document is relevant     gain exponential, ideal judged, unjudged zero
        """)


def test_a_case_without_judgments() -> None:
    assert report(hits("sku-4", "sku-3"), judgments={}, expect={"first": "sku-3"}) == text("""
        shop.relevance.yaml:41: first: rank 1 has "sku-4", expected "sku-3" (at rank 2)
        query "winter boots"   search   12.3 ms   2 results

        rank  document
           1  sku-4  Boot polish, black
           2  sku-3  Rubber boots
        """)
    assert report([], judgments={}, expect={"results": ">= 1"}) == text("""
        shop.relevance.yaml:41: results: 0 returned, expected >= 1
        query "winter boots"   search   12.3 ms   no results
        """)


def test_wide_characters_are_aligned() -> None:
    ranking = [{"id": "靴-1", "title": "運動靴 黒"}, {"id": "b", "title": "Boots"}, {"id": "c", "title": "👟 sneaker"}]
    assert report(ranking, judgments={"靴-1": 1, "b": 3, "c": 2}, min_ndcg=1) == text("""
        shop.relevance.yaml:41: nDCG@10 0.736 is below 1.000
        query "winter boots"   search   12.3 ms   3 results, all judged

        rank  document          grade  gain  discount     DG    DCG  ideal   IDCG
           1  靴-1  運動靴 黒       1     1     1.000  1.000  1.000      3  7.000
           2  b     Boots           3     7     1.585  4.417  5.417      2  8.893
           3  c     👟 sneaker      2     3     2.000  1.500  6.917      1  9.393
        DCG 6.917 / ideal DCG 9.393 = nDCG@10 0.736     gain exponential, ideal judged, unjudged zero

        lost most by
          b  Boots        grade 3   rank 2   -0.275
          c  👟 sneaker   grade 2   rank 3   -0.042
        """)


def test_a_long_ranking_is_cut_and_says_so() -> None:
    documents = [f"d{number}" for number in range(30)]
    judgments = {document: number % 4 for number, document in enumerate(documents)}
    assert report(documents, judgments=judgments, k=25, min_ndcg=0.9) == text("""
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

        lost most by
          d27   grade 3   rank 28   -0.109
          d23   grade 3   rank 24   -0.064
          d19   grade 3   rank 20   -0.061
          ... and 9 more documents (-v shows all)
        """)
    assert report(documents, FULL, judgments=judgments, k=25, min_ndcg=0.9).count("\n") == 4 + 25 + 1 + 2 + 12


def test_a_case_that_passed() -> None:
    assert report(hits("sku-1", "sku-2", "sku-3"), min_ndcg=0.9).splitlines()[0] == (
        "shop.relevance.yaml:41: nDCG@10 1.000, at least 0.900 expected"
    )
    assert report(hits("sku-1", "sku-2", "sku-3")).splitlines()[0] == "shop.relevance.yaml:41: nDCG@10 1.000, no floor"
    assert report(hits("sku-4"), judgments={"sku-4": 0}).splitlines()[0] == (
        "shop.relevance.yaml:41: nDCG@10 n/a, no judged document is relevant"
    )
    assert report(hits("sku-4"), judgments={}).splitlines()[0] == "shop.relevance.yaml:41: no judgments"
    assert "lost most by" not in report(hits("sku-2", "sku-1", "sku-3"))


# --- parts ------------------------------------------------------------------------------------------------------------


def part(text_: str, beginning: str) -> str:
    """The line of a report that begins so."""
    (line,) = [line for line in text_.splitlines() if line.strip().startswith(beginning)]
    return line


def test_a_score_just_below_its_floor_has_the_same_digits_everywhere() -> None:
    found = report(hits("sku-3", "sku-1", "sku-2"), min_ndcg=0.8452)
    assert part(found, "shop") == "shop.relevance.yaml:41: nDCG@10 0.84516 is below 0.84520"
    assert part(found, "DCG") == (
        "DCG 10.917 / ideal DCG 12.917 = nDCG@10 0.84516     gain exponential, ideal judged, unjudged zero"
    )


def test_settings_that_are_not_the_default() -> None:
    def named(**keys: Any) -> str:
        return conventions(scored(["sku-1"], **keys).case.settings)

    assert named() == "gain exponential, ideal judged, unjudged zero"
    assert named(gain="linear", discount="ln") == "gain linear, ideal judged, unjudged zero, discount ln"
    assert named(ideal="max", scale=[0, 3]) == "gain exponential, ideal max (3), unjudged zero"
    assert named(unjudged="skip", negative="zero") == "gain exponential, ideal judged, unjudged skip, negative zero"
    assert named(gain={0: 0, 2: 1.5, 3: 10}) == "gain {0: 0, 2: 1.5, 3: 10}, ideal judged, unjudged zero"


def test_skipped_results_leave_no_row_and_no_interval() -> None:
    found = report(hits("sku-5", "sku-6", "sku-3"), min_ndcg=0.9, unjudged="skip")
    assert part(found, "1  sku-3") == "   1  sku-3  Rubber boots      2     3     1.000  3.000  3.000      3   7.000"
    assert part(found, "2-3") == " 2-3  no judged result                                   3.000         12.917"
    assert part(found, "unjudged") == "unjudged results: sku-5, sku-6"


def test_nothing_relevant_returned_where_that_is_the_ideal() -> None:
    assert part(report(hits("sku-4"), min_ndcg=0.5, ideal="returned"), "nothing") == (
        "nothing relevant was returned: nDCG@10 0.000     gain exponential, ideal returned, unjudged zero"
    )


def test_titles_and_notes_of_the_judgments() -> None:
    judgments = {
        "sku-1": {"grade": 3, "title": "Winter boots Aurora", "note": "what the campaign of this winter sells"},
        "sku-2": 1,
    }
    found = report(["sku-2"], judgments=judgments, min_ndcg=0.5)
    assert found.endswith(
        text("""
            lost most by
              sku-1  Winter boots Aurora   grade 3   not returned   -0.917
                  what the campaign of this winter sells
            """)
    )


def test_a_document_at_a_rank_where_its_grade_belongs_is_not_to_blame() -> None:
    found = report(hits("sku-1", "sku-2"), min_ndcg=0.95)
    assert found.endswith(
        text("""
            lost most by
              sku-3   grade 2   not returned   -0.116
            """)
    )


def test_one_document_more_takes_no_more_room_than_to_say_so() -> None:
    judgments = {f"d{number}": 3 for number in range(4)}
    assert "more documents" not in report(["x", "d0"], judgments={**judgments, "x": 0}, min_ndcg=0.9)
    judgments = {f"d{number}": 3 for number in range(6)}
    assert "  ... and 3 more documents (-v shows all)" in report(["x"], judgments={**judgments, "x": 0}, min_ndcg=0.9)


def test_long_lists_of_ids_are_cut_unless_all_is_asked_for() -> None:
    ranking = [f"d{number}" for number in range(15)]
    keys: dict[str, Any] = {"judgments": {"d0": 1, "x": 3}, "k": 15, "min_ndcg": 0.5}
    assert part(report(ranking, **keys), "unjudged results") == (
        "unjudged results: d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, and 4 more"
    )
    assert part(report(ranking, FULL, **keys), "unjudged results") == (
        "unjudged results: d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, d14"
    )


def test_an_id_up_to_24_characters_is_never_cut() -> None:
    document = "ABCDEFGH-0123456789-abcd"
    found = report([{"id": document, "title": "x" * 80}], judgments={document: 3, "x": 3}, min_ndcg=0.9)
    assert part(found, "1  ABC").startswith(f"   1  {document}  xxxx")


def test_a_large_gain_is_as_narrow_as_it_can_be() -> None:
    found = report(["a"], judgments={"a": 40, "b": 40}, min_ndcg=0.9)
    assert part(found, "1  a") == (
        "   1  a                    40  1.09951e+12     1.000  1.09951e+12  1.09951e+12     40  1.09951e+12"
    )


def test_fractional_grades_and_gains() -> None:
    found = report(["a"], judgments={"a": 1.5, "b": 0.333333}, min_ndcg=1)
    assert part(found, "1  a") == "   1  a                   1.5  1.828     1.000  1.828  1.828    1.5  1.828"
    assert part(found, "2  nothing") == "   2  nothing returned                                 1.828         1.992"


def test_a_report_without_a_latency() -> None:
    case = case_from_values({"query": "winter boots", "judgments": JUDGMENTS})
    found = plain(
        failure_lines(score_case(case, read_ranking(["sku-1"])), "test_shop.py:7", "relevance.check", DEFAULT)
    )
    assert found.splitlines()[1] == 'query "winter boots"   relevance.check   1 result, 1 judged'


def test_the_label_of_a_search() -> None:
    assert search_label("search", None, {}) == "search"
    assert search_label("search", "bm25", {}) == "search[bm25]"
    assert search_label("search", None, {"locale": "en_GB", "k": 5}) == "search(locale=en_GB, k=5)"
    assert search_label("search", "a\x1b", {"n": "\n"}) == "search[a\\x1b](n=\\n)"


def test_the_case_that_an_error_belongs_to() -> None:
    case = case_from_values({"query": "winter\x1b boots", "judgments": JUDGMENTS})
    assert case_line(case, "shop.relevance.yaml:41", "search") == (
        'shop.relevance.yaml:41: query "winter\\x1b boots"   search'
    )


# --- styles -----------------------------------------------------------------------------------------------------------


def styles(found: Scored, detail: Detail = DEFAULT) -> dict[str, str]:
    """The style of each span by the beginning of its text."""
    return {
        " ".join(words.split()[:2]): style for line in lines(found, detail) for words, style in line if words.strip()
    }


def test_what_is_wrong_stands_out() -> None:
    found = styles(scored(hits("sku-4", "sku-5", "sku-3"), min_ndcg=0.7, note=NOTE))
    assert found["shop.relevance.yaml:41:"] == PLAIN
    assert found["nDCG@10 0.116"] == BAD
    assert found["note: people"] == DIM
    assert found["rank document"] == STRONG
    assert (found["1 sku-4"], found["2 sku-5"], found["3 sku-3"]) == (BAD, DOUBT, PLAIN)
    assert found["lost most"] == STRONG


def test_other_verdicts_have_other_colours() -> None:
    passed = styles(scored(hits("sku-1"), min_ndcg=0.1))
    assert passed["nDCG@10 0.542,"] == GOOD
    inconclusive = styles(scored(hits("sku-5", "sku-1"), min_ndcg=0.8, min_judged=1))
    assert inconclusive["inconclusive: 1"] == DOUBT
    assert inconclusive["judge these:"] == DOUBT


# --- whatever the input -----------------------------------------------------------------------------------------------


def test_long_reasons_facts_and_notes_are_folded() -> None:
    documents = [f"document-{number}" for number in range(9)]
    found = scored(
        documents,
        min_ndcg=0.5,
        query="boots " * 40 + "!",
        note="warm " * 40,
        expect={"include": [f"missing-{number}" for number in range(9)], "first": [*documents[1:], "x"]},
        gain={0: 0, 2: 3.25, 3: 7.125} | {grade + 0.5: grade for grade in range(4, 20)},
        params={"filter": "in stock, " * 9},
    )
    label = search_label("search", "bm25", found.case.params)
    for detail in (BRIEF, DEFAULT, FULL):
        report_ = plain(failure_lines(found, "relevance/shop.relevance.yaml:41", label, detail))
        assert all(len(line) <= WIDEST for line in report_.splitlines())
    assert "missing-8" in report_
    assert report_.count("boots") == 40


def test_below_a_long_path_the_reason_has_a_line_of_its_own() -> None:
    where = f"{'deep/' * 16}shop.relevance.yaml:3"
    found = plain(failure_lines(scored(hits("sku-3"), min_ndcg=0.7), where, "search", DEFAULT))
    assert found.splitlines()[:2] == [f"{where}:", "  nDCG@10 0.232 is below 0.700"]
    brief = plain(failure_lines(scored(hits("sku-3"), min_ndcg=0.7), where, "search", BRIEF))
    assert brief == f"{where}: nDCG@10 0.232 is below 0.700"


def test_control_characters_of_users_never_reach_the_terminal() -> None:
    bad = "\x1b[2J\r\u202e"
    found = scored(
        [{"id": f"a{bad}", "title": f"Boots{bad}"}, {"id": f"a{bad}"}, {"id": bad}],
        judgments={f"a{bad}": {"grade": 1, "note": bad}, f"b{bad}": {"grade": 3, "title": bad, "note": bad}},
        query=f"boots{bad}",
        note=f"note{bad}",
        min_ndcg=0.9,
        min_judged=0.1,
        expect={"first": f"b{bad}"},
        params={"x": bad},
    )
    for detail in (BRIEF, DEFAULT, FULL):
        report_ = plain(failure_lines(found, f"shop{bad}.yaml:1", search_label("s", bad, {"x": bad}), detail))
        assert not {"\x1b", "\r", "\u202e"} & set(report_)


WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=30)
PHRASES = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)


@given(
    query=PHRASES,
    note=PHRASES,
    ranking=st.lists(st.tuples(WORDS, PHRASES), max_size=15),
    missing=st.dictionaries(WORDS, st.integers(0, 3), max_size=8),
    k=st.integers(1, 12),
    detail=st.sampled_from([BRIEF, DEFAULT, FULL]),
)
def test_no_line_is_wider_than_100_columns(
    query: str, note: str, ranking: list[tuple[str, str]], missing: dict[str, int], k: int, detail: Detail
) -> None:
    judgments = {**missing, **{document: len(title) % 4 for document, title in ranking[::2]}, "relevant": 3}
    results = [{"id": document, "title": title} for document, title in ranking]
    found = scored(results, judgments=judgments, query=query, note=note, k=k, min_ndcg=0.6)
    assert max(width("".join(words for words, _ in line)) for line in lines(found, detail)) <= WIDEST


@pytest.mark.parametrize("detail", [BRIEF, DEFAULT, FULL], ids=str)
def test_a_report_never_ends_in_blanks(detail: Detail) -> None:
    found = lines(scored(hits("sku-3", "sku-5"), min_ndcg=0.9), detail)
    assert [line for line in plain(found).splitlines() if line != line.rstrip()] == []
