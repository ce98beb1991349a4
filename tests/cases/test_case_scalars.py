"""Text stays as written; where a value is wanted, only true, false, null and decimal numbers are one."""

from __future__ import annotations

import pytest

from pytest_relevance.cases.checking.values import scalar_value
from tests.cases.conftest import ReadCase

LOOKS_LIKE_SOMETHING_ELSE = [
    *("no", "y", "true", "null", "~", "7", "007", "0x1F", "1e5", "1.50", "+5", "1_000", ".nan", "12:30"),
    *("2024-01-01T10:00:00Z", "=", "1,5", "5%"),
]


@pytest.mark.parametrize("written", LOOKS_LIKE_SOMETHING_ELSE)
def test_text_stays_as_written(case: ReadCase, written: str) -> None:
    """In queries, ids, notes, reasons, tags, names of grades and document ids, plain and quoted alike."""
    found = case(
        "scale:\n"
        f"  {written}x: 1\n"
        "  worse: 0\n"
        "cases:\n"
        f"  - query: {written}\n"
        f"    note: {written}\n"
        "    judgments:\n"
        f"      {written}: {written}x\n"
        f"      '{written}y': worse\n"
        "      z:\n"
        "        grade: 1\n"
        f"        title: {written}\n"
        "    expect:\n"
        f"      first: {written}\n"
        "      include:\n"
        f"        - {written}\n"
        "      order:\n"
        f"        - '{written}'\n"
        "        - b\n"
    )
    assert found.query == found.id == found.note == written
    assert found.judgments == {written: 1, f"{written}y": 0, "z": 1}
    assert found.titles == {"z": written}
    assert [expected.documents for expected in found.expect] == [(written,), (written,), (written, "b")]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *(("true", True), ("false", False), ("null", None), ("", None), ("0", 0), ("-3", -3), ("10", 10), ("0.5", 0.5)),
        *(("-0.25", -0.25), ("1.50", 1.5), ("12345678901234567890", 12345678901234567890)),
    ],
)
def test_what_converts_in_params(case: ReadCase, written: str, meant: object) -> None:
    found = case(f"cases:\n  - query: a\n    params:\n      x: {written}\n      deep: [{{y: {written}}}]\n")
    assert found.params == {"x": meant, "deep": [{"y": meant}]}
    assert type(found.params["x"]) is type(meant)


@pytest.mark.parametrize(
    "written",
    [*("NO", "on", "True", "Null", "~", "007", "1e5", "0x1F", ".5", "5.", "+5", "1_000", "-.inf", "12:30", "1,5"), "٣"],
)
def test_what_stays_text_in_params(case: ReadCase, written: str) -> None:
    assert case(f"cases:\n  - query: a\n    params:\n      x: {written}\n").params == {"x": written}


@pytest.mark.parametrize("written", ["true", "null", "5", "0.5", ""])
def test_quotes_always_mean_text(case: ReadCase, written: str) -> None:
    found = case(
        "cases:\n"
        "  - query: a\n"
        "    params:\n"
        f"      single: '{written}'\n"
        f'      double: "{written}"\n'
        "      literal: |-\n"
        f"        {written}\n"
        "      folded: >-\n"
        f"        {written}\n"
    )
    assert found.params == dict.fromkeys(("single", "double", "literal", "folded"), written)


def test_a_number_too_long_to_be_meant_stays_text() -> None:
    assert scalar_value("9" * 64) == int("9" * 64)
    assert scalar_value("9" * 65) == "9" * 65
