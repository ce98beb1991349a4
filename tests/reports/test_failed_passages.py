"""The report of a failing case with passages: which were lost, and where they are."""

from dataclasses import replace

import pytest

from pytest_relevance import Case, Run
from pytest_relevance.ext.markdown.annotations import run_annotations
from pytest_relevance.ext.markdown.markdown import run_markdown
from pytest_relevance.reports.failure import failure_lines
from pytest_relevance.reports.styled_lines import plain_text
from pytest_relevance.results.case_parts import (
    REGRESSION,
    BaselineComparison,
    DeeperSearch,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.deeper_search import with_deeper_search
from pytest_relevance.results.near_passages import with_near_misses
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.texts import id_of_text
from tests.helpers import block, passage_case, scored, texts_of

RETURN = "within 30 days of delivery"
RECEIPT = "the original receipt"
PURCHASE = {"quote": "proof of purchase", "grade": 2}
CASE = passage_case(RETURN, RECEIPT, PURCHASE, k=3, expect={"R@3": 1})
TEXTS = ("hours", f"Return it {RETURN}.", f"{RETURN}; {RECEIPT}", "x", "y")


def report(result: CaseResult, verbosity: int = 0) -> str:
    return plain_text(failure_lines(result, verbosity=verbosity, width=110))


def words(text: str) -> str:
    """A text with single blanks."""
    return " ".join(text.split())


def test_a_failure_shows_what_each_result_holds_and_what_was_not_found() -> None:
    result = scored(CASE, texts_of(*TEXTS))
    assert report(result) + "\n" == block(
        """
        :0: R@3 0.667 is below 1.000
        query "q"   search   5 results, 2 of 3 passages in the top 3

        rank  document  passages  gain  discount     DG    DCG  ideal   IDCG
           1  d1               -     0     1.000  0.000  0.000      2  3.000
           2  d2               1     1     1.585  0.631  0.631      1  3.631
           3  d3           2 (1)     1     2.000  0.500  1.131      1  4.131
        DCG 1.131 / ideal DCG 4.131 = nDCG@3 0.274     gain exponential, ideal judged, unjudged zero

        not found in the top 3: 1 of 3 passages
          3  "proof of purchase"  grade 2   in none of the 5 results   -0.726
        found
          1  "within 30 days of delivery"  grade 1   rank 2
          2  "the original receipt"        grade 1   rank 3
        """
    )


def test_a_passage_below_the_cutoff_has_its_rank() -> None:
    result = scored(CASE, texts_of("a", "b", "c", "proof of purchase"))
    assert '"proof of purchase" grade 2 rank 4 -0.726' in words(report(result))


def test_a_passage_of_a_deeper_search_says_how_many_were_asked_for() -> None:
    deeper = texts_of(*TEXTS, "z", "proof of purchase")
    result = with_deeper_search(
        scored(CASE, texts_of(*TEXTS)), CASE, DeeperSearch(15, returned=7), deeper
    )
    assert "grade 2   rank 7 if 15 are asked for" in report(result)
    nowhere = with_deeper_search(
        scored(CASE, texts_of(*TEXTS)),
        CASE,
        DeeperSearch(15, returned=15),
        texts_of(*["x"] * 15),
    )
    assert "not in the first 15 results" in report(nowhere)
    failed = replace(DeeperSearch(15), has_failed=True)
    unknown = with_deeper_search(scored(CASE, texts_of(*TEXTS)), CASE, failed, None)
    assert "in none of the 5 results" in report(unknown)
    cut = scored(CASE, texts_of(*TEXTS), asked=5)
    assert "not in the first 5 results" in report(cut)
    assert "1 of 3 passages; a search for 15 results could not be made" in report(
        unknown
    )


def test_a_passage_of_a_collapsed_document_has_the_rank_of_its_chunk() -> None:
    ranking = texts_of(
        "hours", "x", RETURN, ids=["h", "t"], as_returned=["h", "t", "t"]
    )
    case = passage_case(RETURN, RECEIPT, k=2, depth=5, expect={"R@2": 1}, collapse=True)
    assert f'"{RETURN}"   rank 2 (chunk 3)' in report(scored(case, ranking))


def test_what_was_found_before_is_beside_what_is_found_now() -> None:
    before = scored(CASE, texts_of(RETURN, RECEIPT, "proof of purchase"))
    after = scored(CASE, texts_of(RETURN, "x", "y", RECEIPT))
    baseline = BaselineComparison(
        standing=REGRESSION,
        score=before.score,
        documents=before.ranking.documents,
        grades=before.ranking.grades,
        held=before.ranking.held,
    )
    found = words(report(replace(after, baseline=baseline)))
    assert '2 "the original receipt" grade 1 rank 4 was rank 2 -0.121' in found
    assert "in none of the 4 results was rank 3 -0.726 found" in found
    assert '1 "within 30 days of delivery" grade 1 rank 1 was rank 1' in found
    assert found.endswith("since the reference: nDCG@3 0.758 -> 0.242")


def test_no_rank_is_an_error_style_and_the_lost_passage_is() -> None:
    lines = failure_lines(scored(CASE, texts_of(*TEXTS)), width=110)
    styles = {text.strip(): style for line in lines for text, style in line}
    (lost,) = (style for text, style in styles.items() if "proof of" in text)
    assert lost == "bad"


def test_markdown_has_quotes_and_no_words_of_texts() -> None:
    """A result without an id has the first words of its text as its title."""
    made = id_of_text("Secret terms of 2019")
    ranking = texts_of("Secret terms of 2019", "x", ids=[made, "d2"])
    titled = replace(ranking, titles=["Secret terms of 2019", "Page two"])
    result = replace(scored(CASE, titled), file="a.relevance.yaml")
    found = run_markdown(Run([result]))
    assert "proof of purchase" in found
    assert "Page two" in found
    assert "Secret" not in found
    assert "Secret" not in str(run_annotations(Run([result]), []))
    assert "Secret" in report(result)


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["within 30 days, of delivery"], 'a mark: "," is there too'),
        (["within 30days of delivery"], 'a blank: "30 days" is "30days" there'),
        (["within 30 dáys of delivery"], 'an accent: "days" is "dáys" there'),
        (["within 14 days of delivery"], 'some words: "30" is "14" there'),
    ],
)
def test_a_near_miss_says_what_is_different(texts: list[str], says: str) -> None:
    found = failed(passage_case(RETURN, k=3, min_ndcg=0.5), texts_of("x", *texts))
    assert f"rank 2 has it but for {says}" in found


def test_a_passage_that_a_splitter_cut_is_split() -> None:
    case = passage_case(RETURN, k=3, min_ndcg=0.5)
    found = failed(case, texts_of("return it within 30 days", "of delivery. Or not."))
    assert "it is split: rank 1 ends with its beginning, rank 2 has the rest" in found
    alone = failed(case, texts_of("return it within 30 days"))
    assert 'rank 1 ends within it: "of delivery" is missing' in alone


def test_a_result_with_the_quote_and_another_field_is_named() -> None:
    passage = {"quote": RETURN, "in": {"source": "terms.pdf"}}
    case = passage_case(passage, k=3, min_ndcg=0.5)
    ranking = texts_of("x", RETURN, fields_of_texts={"source": ["", "blog.html"]})
    found = failed(case, ranking)
    assert 'rank 2 has the quote, but its field source is "blog.html"' in found


def failed(case: Case, ranking: Ranking) -> str:
    """The report of a case with near misses, as a run adds them."""
    return words(report(with_near_misses(scored(case, ranking), case, ranking)))


def test_a_line_counts_the_passages_that_were_found() -> None:
    result = scored(CASE, texts_of(*TEXTS))
    assert report(result, verbosity=-1).endswith("; 2 of 3 passages in the top 3")
