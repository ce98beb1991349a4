"""`pytest-relevance raters`: where the raters of a file disagree, and how far."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Terminal

BOOTS = """
query,docid,title,anna_rating,ben_rating,carl_rating
winter boots,sku-1,Winter boots Aurora,3,3,3
winter boots,sku-2,Rubber boots,2,3,
winter boots,sku-4,"Boot polish, black",0,3,1
laces,sku-6,Boot laces 120 cm,3,1,1
laces,sku-9,,0,,
"""


@pytest.fixture
def boots(terminal: Terminal) -> Terminal:
    terminal.write("boots.csv", BOOTS)
    return terminal


def test_several_raters(boots: Terminal) -> None:
    said = boots.run("raters", "boots.csv")
    assert (said.code, said.err) == (0, "")
    assert said.lines == [
        "apart  anna  ben  carl  query         document",
        "    3     0    3     1  winter boots  sku-4  Boot polish, black",
        "    2     3    1     1  laces         sku-6  Boot laces 120 cm",
        "    1     2    3     -  winter boots  sku-2  Rubber boots",
        "",
        "4 pairs of query and document with several ratings: 11 ratings by 3 raters in 2 queries",
        "  2 differ by two grades or more",
        "",
        "Krippendorff's alpha (ordinal): 0.119",
        "  reliable from 0.8 on, tentatively from 0.667",
        "",
        "rater      rated  with others    bias",
        "ben            4            4  +0.625",
        "carl           3            3  -0.500",
        "anna           5            4  -0.250",
        "bias: a rater's ratings minus the mean of the other raters' ratings of the "
        "same documents",
    ]


TWO_RATERS = [
    "4 pairs of query and document that both anna and ben graded",
    "  equal grades                     25.0%  1 of 4",
    "  Cohen's kappa (quadratic)       -0.400  -0.800 to 0.000 at 95 %",
    "  Krippendorff's alpha (ordinal)  -0.367  reliable from 0.8 on, tentatively from 0.667",
    "  bias                            +0.500  the grades of ben minus those of anna",
    "",
    "anna \\ ben     0     1     2     3",
    "         0     -     -     -     1",
    "         1     -     -     -     -",
    "         2     -     -     -     1",
    "         3     -     1     -     1",
    "",
    "apart  anna  ben  query         document",
    "    3     0    3  winter boots  sku-4  Boot polish, black",
    "    2     3    1  laces         sku-6  Boot laces 120 cm",
    "    1     2    3  winter boots  sku-2  Rubber boots",
]


def test_two_of_several_raters(boots: Terminal) -> None:
    said = boots.run("raters", "boots.csv", "--between", "anna", "ben")
    assert said.lines == TWO_RATERS
    said = boots.run("raters", "boots.csv", "--between", "ben", "anna")
    assert said.lines[4].split()[1] == "-0.500"


def test_a_file_with_two_raters(terminal: Terminal) -> None:
    rows = [line.rpartition(",")[0] for line in BOOTS.strip().splitlines()]
    terminal.write("two.csv", "\n".join(rows))
    assert terminal.run("raters", "two.csv").lines == TWO_RATERS


OF_ANNA = """
query,docid,title,grade
winter boots,sku-1,Winter boots Aurora,3
winter boots,sku-2,Rubber boots,2
winter boots,sku-4,"Boot polish, black",0
laces,sku-6,Boot laces 120 cm,3
laces,sku-9,,0
"""
OF_BEN = """
query,docid,grade,rater
laces,sku-6,1,ben
winter boots,sku-1,3,ben
winter boots,sku-2,3,ben
winter boots,sku-4,3,ben
"""


def test_raters_of_several_files(terminal: Terminal) -> None:
    terminal.write("anna.csv", OF_ANNA)
    terminal.write("ben.csv", OF_BEN)
    said = terminal.run("raters", "anna.csv", "ben.csv")
    assert (said.code, said.err) == (0, "")
    assert said.out.replace("anna.csv", "anna").splitlines()[:5] == TWO_RATERS[:5]
    rated = (
        OF_ANNA.strip().replace("\n", ",anna\n").replace("grade,anna", "grade,rater")
    )
    terminal.write("anna.csv", f"{rated},anna")
    assert terminal.run("raters", "anna.csv", "ben.csv").lines == TWO_RATERS


def test_files_that_cannot_be_joined(terminal: Terminal) -> None:
    terminal.write("ben.csv", OF_BEN)
    terminal.write("again.csv", OF_BEN.replace("sku-6,1", "sku-6,2"))
    said = terminal.run("raters", "ben.csv", "again.csv")
    assert (said.code, said.out) == (1, "")
    assert said.err == (
        'again.csv:2: query "laces", document "sku-6": rater "ben" gave 2 here and 1 in '
        "another file; keep one of them\n"
    )
    terminal.write("ids.csv", "query,docid,grade\nq1,sku-1,3\n")
    assert terminal.refused("raters", "ben.csv", "ids.csv") == (
        "ben.csv and ids.csv: found 5 judged documents (csv), and none with the ratings "
        "of two raters. The files need the same ids of queries and documents\n"
    )


def test_a_limited_list(boots: Terminal) -> None:
    whole = boots.run("raters", "boots.csv")
    limited = boots.run("raters", "boots.csv", "--limit", "1").lines
    assert limited[1] == whole.lines[1]
    assert limited[2] == "... and 2 more on which they differ (--limit 0 lists all)"
    assert "... and 2 more raters (--limit 0 lists all)" in limited
    assert boots.run("raters", "boots.csv", "--limit", "0").out == whole.out


@pytest.mark.parametrize(
    ("rows", "kappa", "alpha", "table"),
    [
        (["1,2"], "n/a  not defined for one pair", None, ["anna \\ ben     1     2"]),
        (
            ["2,2", "2,2"],
            "n/a  not defined: all grades are the same",
            "n/a  not defined: all grades are the same",
            ["anna \\ ben     2"],
        ),
        (
            [f"{grade},{grade}" for grade in range(13)],
            "1.000  1.000 to 1.000 at 95 %",
            "1.000  reliable from 0.8 on, tentatively from 0.667",
            [],
        ),
    ],
    ids=["one pair", "one grade", "too many grades for a table"],
)
def test_what_is_not_defined_is_said(
    terminal: Terminal, rows: list[str], kappa: str, alpha: str | None, table: list[str]
) -> None:
    written = "\n".join(f"boots,{number},{row}" for number, row in enumerate(rows))
    terminal.write("two.csv", f"query,docid,anna_rating,ben_rating\n{written}\n")
    said = terminal.run("raters", "two.csv")
    assert (said.code, "nan" in said.out) == (0, False)
    shown = dict(re.findall(r"^  (\S.*?)  +(.*)$", said.out, re.MULTILINE))
    assert shown["Cohen's kappa (quadratic)"] == kappa
    assert shown.get("Krippendorff's alpha (ordinal)") == alpha
    assert [line for line in said.lines if "\\" in line] == table


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((".",), '"." is a folder, and a file is needed'),
        (("boots.csv", "--limit", "few"), "expected a whole number from 0 on, found"),
        (("one.csv",), "found 2 judged documents (csv), and none with the ratings of"),
        (("boots.csv", "--between", "anna", "bem"), ', "anna", "ben" and "carl"; found "anna" and "bem"'),
        (("boots.csv", "--between", "anna", "anna"), 'takes two raters of boots.csv, "anna", "ben" and "carl"; found'),
        (("apart.csv", "--between", "anna", "carl"), 'no document that both "anna" and "carl" rated'),
        (("repeated.csv", "--between", "anna", "ben"), "the file does not say who rated"),
        ((), "the following arguments are required: FILE"),
    ],
)  # fmt: skip
def test_mistakes_at_the_command_line(
    boots: Terminal, arguments: tuple[str, ...], says: str
) -> None:
    boots.write("one.csv", "query,docid,grade\nboots,1,2\nboots,2,3\n")
    boots.write("repeated.csv", "query,docid,grade\nboots,1,2\nboots,1,3\n")
    boots.write(
        "apart.csv",
        "query,docid,anna_rating,ben_rating,carl_rating\nboots,1,2,3,\nboots,2,,3,1\n",
    )
    assert says in boots.refused("raters", *arguments)
