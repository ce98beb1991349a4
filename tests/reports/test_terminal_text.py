"""Text of users on a terminal: harmless, of a known width, cut and folded; without
commands for a runner of GitHub.
"""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_relevance._number_text import duration_text
from pytest_relevance.reports.styled_lines import plain_text, wrapped
from pytest_relevance.reports.terminal_text import (
    cut,
    cut_middle,
    display_width,
    folded,
    harmless,
)
from pytest_relevance.reports.workflow_commands import (
    line_without_commands,
    without_commands,
)
from tests.github_runner import commands

HARMLESS = [
    "boots",
    "schöne Stiefel",
    "運動靴",
    "👟",
    "👩‍💻",
    "नमस्ते",
    "می‌خواهم",
    "1 000 €",
    "e\u0301",
    "",
]

HARMFUL = {
    "an escape": ("\x1b[2J", "\\x1b[2J"),
    "a line break": ("a\nb", "a\\nb"),
    "NUL": ("\x00", "\\x00"),
    "a C1 control": ("\x9b31m", "\\x9b31m"),
    "right-to-left override": ("\u202egnp.exe", "\\u202egnp.exe"),
    "a zero-width space": ("a\u200bb", "a\\u200bb"),
    "a line separator": ("a\u2028b", "a\\u2028b"),
    "half of a pair": ("\ud83d", "\\ud83d"),
    "among wide characters": ("運\x1b動", "運\\x1b動"),
}


def test_harmless_text_stays_as_it_is() -> None:
    assert [*map(harmless, HARMLESS)] == HARMLESS


@pytest.mark.parametrize(("text", "escaped"), HARMFUL.values(), ids=HARMFUL)
def test_what_a_terminal_could_misread_is_escaped(text: str, escaped: str) -> None:
    assert harmless(text) == escaped


@given(st.text())
def test_no_control_character_survives(text: str) -> None:
    safe = harmless(text)
    assert not {"Cc", "Cs", "Co", "Zl", "Zp"} & set(map(unicodedata.category, safe))
    assert harmless(safe) == safe


WIDTHS = {
    "": 0,
    "boots": 5,
    "運動靴": 6,
    "ｶﾒﾗ": 3,
    "ＡＢ": 4,
    "e\u0301": 1,
    "👟": 2,
    "\u1112\u1161\u11ab": 2,
    "naïve": 5,
}


def test_the_columns_that_a_text_takes() -> None:
    assert {text: display_width(text) for text in WIDTHS} == WIDTHS


def test_a_text_is_cut() -> None:
    assert cut("boots", 8) == "boots"
    assert cut("boots", 5) == "boots"
    assert cut("winter boots", 8) == "winte..."
    assert cut("運動靴", 5) == "運..."
    assert cut("boots", 2) == "bo"


def test_the_middle_of_an_id_is_cut() -> None:
    assert cut_middle("https://shop.example/p/1029", 15) == "https:...p/1029"
    assert cut_middle("sku-1", 15) == "sku-1"
    assert cut_middle("運動靴運動靴", 9) == "運...動靴"


@given(st.text(), st.integers(0, 40))
@example("運動靴", 4)
def test_no_text_is_wider_than_it_may_be(text: str, columns: int) -> None:
    safe = harmless(text)
    assert display_width(cut(safe, columns)) <= columns
    assert display_width(cut_middle(safe, columns)) <= columns


def test_text_is_folded_at_blanks() -> None:
    assert folded("a case about boots", 10) == ["a case", "about", "boots"]
    assert folded("a case about boots", 11) == ["a case", "about boots"]
    assert folded("one two three four", 12, indent="  ", first=8) == [
        "one two",
        "  three four",
    ]


def test_parts_are_broken_between_them() -> None:
    ids = wrapped("judged: ", ["sku-1", "sku-2", "sku-3", "sku-4"], 22)
    assert plain_text(ids) == "judged: sku-1, sku-2,\n        sku-3, sku-4"
    assert plain_text(wrapped("judged: ", ["sku-1"])) == "judged: sku-1"
    assert plain_text(wrapped("judged: ", [])) == "judged: "
    assert (
        plain_text(wrapped("", ["boots", "12 ms", "3 results"], 16, "   "))
        == "boots   12 ms\n    3 results"
    )


@given(st.lists(st.text("abc-", min_size=1, max_size=30)), st.integers(40, 100))
def test_wrapped_lines_are_not_too_wide_and_lose_nothing(
    parts: list[str], columns: int
) -> None:
    lines = plain_text(wrapped("ids: ", parts, columns)).split("\n")
    assert all(len(text) <= columns for text in lines)
    assert (
        " ".join(text.strip() for text in lines)
        == " ".join(["ids:", ", ".join(parts)]).strip()
    )
    assert not lines[-1].endswith(",")


@pytest.mark.parametrize(
    "text",
    [
        "a\r::error::b",
        "a\r  ::error::b",
        "\r::error::b",
        "a\r\t::error::b",
        "a\r##[error]b",
    ],
)
def test_a_carriage_return_ends_a_line_for_the_runner(text: str) -> None:
    (command,) = commands(text)
    assert command.message
    assert commands(without_commands(text)) == []
    assert (
        commands(
            "".join(
                part
                for part, _ in line_without_commands(((text[:3], ""), (text[3:], "")))
            )
        )
        == []
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0000021, "<0.01 ms"),
        (0.0000563, "0.06 ms"),
        (0.0099962, "10 ms"),
        (0.01234, "12.3 ms"),
        (0.9996, "1 s"),
        (1.234, "1.23 s"),
        (1234, "1234 s"),
    ],
)
def test_a_duration_has_three_digits_at_most(seconds: float, words: str) -> None:
    assert duration_text(seconds) == words
