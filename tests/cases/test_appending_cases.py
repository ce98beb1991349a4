"""New cases below the last one of a case file: every byte that was there stays."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance import CaseFileError
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.cases.yaml.writing import add_cases
from pytest_relevance.judgments.model import Judgments, Query

NEW = Judgments({"polish": {"sku-9": 2, "no": 0}}, queries={"q7": Query("q7", "wax", weight=3)})
LINES = ["- query: polish", "  judgments:", "    sku-9: 2", '    "no": 0', "- query: wax", "  id: q7", "  weight: 3"]

FILES = {
    "a list below its key": ("cases:\n- query: boots\n", "", "cases:\n- query: boots\n", ""),
    "an indented list": ("cases:\n    - query: boots\n", "    ", "cases:\n    - query: boots\n", ""),
    "no line break at the end": ("cases:\n- query: boots", "", "cases:\n- query: boots\n", ""),
    "a comment behind and below": (
        "cases:\n- query: boots # one\n\n# the end\n",
        "",
        "cases:\n- query: boots # one\n",
        "\n# the end\n",
    ),
    "keys below the cases": ("cases:\n- query: boots\nk: 5\n", "", "cases:\n- query: boots\n", "k: 5\n"),
    "a case in braces": ("cases:\n  - {query: boots}\n", "  ", "cases:\n  - {query: boots}\n", ""),
    "a block of text at the end": (
        "cases:\n- query: boots\n  note: |\n    a\n    b\n",
        "",
        "cases:\n- query: boots\n  note: |\n    a\n    b\n",
        "",
    ),
    "an anchor": ("cases:\n- &a\n  query: boots\n", "", "cases:\n- &a\n  query: boots\n", ""),
}


@pytest.mark.parametrize(("text", "indent", "before", "after"), FILES.values(), ids=FILES)
def test_cases_come_below_the_last_one(text: str, indent: str, before: str, after: str) -> None:
    found = add_cases(text.encode(), "shop.yaml", NEW).decode()
    new = "\n".join(indent + line for line in LINES)
    assert found.rstrip("\n") == (before + new + ("\n" + after if after else "")).rstrip("\n")


def test_line_breaks_and_the_byte_order_mark_stay() -> None:
    data = b"\xef\xbb\xbfcases:\r\n- query: boots\r\n"
    found = add_cases(data, "shop.yaml", NEW)
    assert found.startswith(data)
    assert found.count(b"\n") == found.count(b"\r\n") == 2 + len(LINES)


def test_a_case_without_judgments_is_freed_of_the_floor() -> None:
    data = b"min_ndcg: 0.5\ncases:\n- query: boots\n  judgments: {a: 1}\n"
    cases = parse_suite(add_cases(data, "shop.yaml", NEW), "shop.yaml").cases
    assert [(case.query, case.min_ndcg) for case in cases] == [("boots", 0.5), ("polish", 0.5), ("wax", None)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("cases: [{query: boots}]", 'the last case does not begin with "- "'),
        ("x: 1\ncases: []", "unknown key"),
        ("cases:\n- query: polish\n", "after the change: query: a second case"),
        ("scale: [0, 1]\ncases:\n- query: boots\n", "after the change: judgments.sku-9: grade 2 is off the scale"),
    ],
)
def test_where_no_case_can_be_added(text: str, says: str) -> None:
    with pytest.raises(CaseFileError) as error:
        add_cases(text.encode(), "shop.yaml", NEW)
    assert says in str(error.value)


SUITE = dedent(
    """
    # the shop
    min_ndcg: 0.1
    cases:
      - query: boots   # first
        judgments: {a: 1}
      # between
      - query: "laces"
        judgments:
          a: 2
    """
).encode()
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(lambda text: bool(text.strip()))


@given(
    st.dictionaries(
        TEXTS.filter(lambda text: text not in ("boots", "laces")),
        st.dictionaries(TEXTS, st.integers(0, 3), min_size=1, max_size=3).filter(lambda grades: any(grades.values())),
        min_size=1,
        max_size=3,
    )
)
@settings(deadline=None)
def test_whatever_the_queries_look_like(judgments: dict[str, dict[str, float]]) -> None:
    found = add_cases(SUITE, "shop.yaml", Judgments(judgments))
    assert found.startswith(SUITE.rstrip(b"\n"))
    cases = parse_suite(found, "shop.yaml").cases
    assert {case.query: case.judgments for case in cases[2:]} == judgments
