"""Ids and values of fields that are nearly those which were wanted."""

import unicodedata
from typing import Any

import pytest

from pytest_relevance import CaseResult
from pytest_relevance.reports.failure import failure_lines
from pytest_relevance.reports.reasons import reason_texts
from pytest_relevance.reports.styled_lines import plain_text
from tests.helpers import case_of, scored


def result_of(ranking: object, **keys: Any) -> CaseResult:
    return scored(case_of({"query": "q", **keys}), ranking)


def report(ranking: object, verbosity: int = 0, **keys: Any) -> list[str]:
    lines = failure_lines(result_of(ranking, **keys), verbosity=verbosity, width=160)
    return plain_text(lines).splitlines()


ADVICE = "  if these are the same documents, write their ids as they are returned"
DECOMPOSED = unicodedata.normalize("NFD", "café.md")

NEAR = {
    "case": ("SKU-1", "sku-1", "case"),
    "a trailing slash": ("/faq/returns", "/faq/returns/", "a trailing slash"),
    "percent-encoding": ("my file.md", "my%20file.md", "percent-encoding"),
    "percent-encoding, in the judgments": ("a%2Fb", "a/b", "percent-encoding"),
    "entities": ("R&amp;D", "R&D", "HTML entities"),
    "a blank": ("faq", "faq ", "white space"),
    "backslashes": ("docs\\faq.md", "docs/faq.md", "slashes and backslashes"),
    "an underscore": ("sku_1", "sku-1", "hyphens and underscores"),
    "two kinds": ("FAQ/", "faq", "a trailing slash and case"),
    "a beginning": ("7", "products/7", 'the beginning "products/"'),
    "a beginning, in the judgments": ("urn:sku:7", "7", 'the beginning "urn:sku:"'),
    "an end": ("faq", "faq.md", 'the end ".md"'),
}


@pytest.mark.parametrize(("judged", "returned", "how"), NEAR.values(), ids=NEAR)
def test_a_judged_document_and_a_result_with_nearly_its_id(
    judged: str, returned: str, how: str
) -> None:
    lines = report(["x", returned], judgments={judged: 3, "x": 1}, min_ndcg=0.9)
    said = f'ids that differ in {how} only: judged "{judged}", returned "{returned}" at rank 2'
    assert said in lines
    assert ADVICE in lines


def test_two_unicode_forms_of_one_id() -> None:
    lines = report([DECOMPOSED], judgments={"café.md": 3}, min_ndcg=0.9)
    assert (
        "ids that differ in Unicode form (NFC and NFD) only: "
        'judged "caf\\xe9.md", returned "cafe\\u0301.md" at rank 1' in lines
    )


def test_an_expected_document() -> None:
    result = result_of(["a", "SKU-1"], expect={"include": ["sku-1"]})
    assert reason_texts(result) == [
        'include: not in the top 10: "sku-1" (not returned, but rank 2 differs in case only)'
    ]
    lines = plain_text(failure_lines(result, width=160)).splitlines()
    assert (
        'ids that differ in case only: expected "sku-1", returned "SKU-1" at rank 2'
        in lines
    )


def test_several_ids_with_one_beginning() -> None:
    lines = report(
        ["p/1", "x", "p/2", "q/3"], judgments={"1": 3, "2": 2, "3": 1}, min_ndcg=0.9
    )
    assert (
        'ids that differ in the beginning "p/" only: judged "1", returned "p/1" at rank 1; judged "2", returned "p/2" '
        "at rank 3" in lines
    )


@pytest.mark.parametrize(
    ("judged", "returned"),
    [
        ({"sku-1": 3}, ["sku-2"]),
        ({"1": 3}, ["11", "21"]),
        ({"1": 3}, ["a/1", "b/2"]),
        ({"SKU-1": 3, "sku-1": 0}, ["sku-1"]),
        ({"SKU-1": 3}, ["SKU-1", "sku-1"]),
    ],
)
def test_ids_that_are_not_near(judged: dict[str, float], returned: list[str]) -> None:
    assert "ids that differ" not in "\n".join(
        report(returned, judgments={**judged, "z": 3}, min_ndcg=0.99)
    )


def test_the_short_form() -> None:
    (line,) = report(["sku-1"], -1, judgments={"SKU-1": 3}, min_ndcg=0.9)
    assert "; ids differ in case only" in line


# --- values of fields -----------------------------------------------------------------


def by(*suppliers: object) -> list[dict[str, object]]:
    return [
        {"id": f"p{number}", "supplier": supplier}
        for number, supplier in enumerate(suppliers, 1)
    ]


def reasons(ranking: list[dict[str, object]], **expect: Any) -> list[str]:
    case = case_of({"query": "q", "expect": expect})
    return reason_texts(scored(case, ranking))


def test_a_value_in_another_case_is_one_line() -> None:
    assert reasons(by(*["Lenovo"] * 10), every={"supplier": "lenovo"}) == [
        'every: 10 of the first 10 results do not have supplier "lenovo": supplier = "Lenovo" differs in case only'
    ]
    assert reasons(by("LENOVO", "Lenovo"), some={"supplier": "lenovo"}) == [
        'some: none of the first 2 results has supplier "lenovo": supplier = "LENOVO" differs in case only (rank 1); '
        'supplier = "Lenovo" differs in case only (rank 2)'
    ]


def test_other_values_beside_near_ones() -> None:
    assert reasons(by("Lenovo", "HP", "Lenovo"), every={"supplier": "lenovo"}) == [
        'every: 3 of the first 3 results do not have supplier "lenovo": supplier = "Lenovo" differs in case only '
        '(ranks 1 and 3); rank 2 "p2": supplier = "HP"'
    ]


def test_a_value_of_a_list_and_another_unicode_form() -> None:
    decomposed = unicodedata.normalize("NFD", "é")
    assert reasons(by(["HP", "LENOVO"]), every={"supplier": ["lenovo", "dell"]}) == [
        'every: 1 of the first 1 results does not have supplier "lenovo" or "dell": supplier = "LENOVO" differs in '
        "case only"
    ]
    (reason,) = reasons(by(decomposed), every={"supplier": {"contains": "é"}})
    assert "differs in Unicode form (NFC and NFD) only" in reason
