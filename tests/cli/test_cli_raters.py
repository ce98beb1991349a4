"""`pytest-relevance raters`: what a person sees of a file that several raters filled in."""

from __future__ import annotations

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


def test_the_whole_report(terminal: Terminal) -> None:
    terminal.write("boots.csv", BOOTS)
    said = terminal.run("raters", "boots.csv")
    assert (said.code, said.err) == (0, "")
    assert said.lines == [
        "2+ grades apart  of pairs  query with the most of them",
        "              1         1  laces",
        "              1         3  winter boots",
        "",
        "apart  anna  ben  carl  query         document",
        "    3     0    3     1  winter boots  sku-4  Boot polish, black",
        "    2     3    1     1  laces         sku-6  Boot laces 120 cm",
        "    1     2    3     -  winter boots  sku-2  Rubber boots",
        "",
        "4 pairs of query and document with several ratings: 11 ratings by 3 raters in 2 queries",
        "  all ratings the same          1   25.0%",
        "  1 grade apart                 1   25.0%",
        "  2 grades apart                1   25.0%",
        "  3 grades apart                1   25.0%",
        "  2 differ by two grades or more",
        "",
        "Krippendorff's alpha (ordinal): 0.119",
        "  Below 0.667, the least for any conclusion (Krippendorff): agree with the raters on what grades",
        "  mean. 1 is perfect agreement, 0 what chance gives; below 0 raters contradict each other.",
        "",
        "raters:     mean grade  unlike the median",
        "  median         1.875                  0",
        "  mean           2.125                  2",
        "  min            1.500                  2",
        "  max            3.000                  3",
        "  majority       1.500                  2",
        "",
        "rater      rated  with others    bias  alone",
        "anna           5            4  -0.250      1  most often alone: talk to them first",
        "ben            4            4  +0.625      0",
        "carl           3            3  -0.500      0",
        "bias: their ratings less the mean of the others' ratings of the same documents",
        "alone: documents on which they are 2 grades or more from all others, who agree with each other",
    ]


def test_the_list_is_limited_and_says_so(terminal: Terminal) -> None:
    terminal.write("boots.csv", BOOTS)
    said = terminal.run("raters", "boots.csv", "--limit", "1")
    assert said.lines[5].endswith("Boot polish, black")
    assert said.lines[6] == "... and 2 more on which they differ (--limit 0 lists all)"
    assert "... and 2 more raters (--limit 0 lists all)" in said.lines
    assert terminal.run("raters", "boots.csv", "--limit", "0").out == terminal.run("raters", "boots.csv").out


def test_one_rating_a_document_is_not_enough(terminal: Terminal) -> None:
    terminal.write("one.csv", "query,doc_id,grade\nboots,a,3\nboots,b,0\n")
    said = terminal.run("raters", "one.csv")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("one.csv: found 2 judged documents (csv), and none with the ratings of two raters.")
    assert "a column rater" in said.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((".",), '"." is a folder, and a file is needed'),
        (("boots.csv", "--limit", "few"), 'expected a whole number from 0 on, found "few"'),
        (("boots.csv", "--scale", "3..0"), "two numbers in that order"),
        (("boots.csv", "--scale", "good=x"), 'the grade of "good" is a number'),
        (("boots.csv", "--scale", "good=1,good=2"), 'found "good=1,good=2"'),
        ((), "the following arguments are required: FILE"),
    ],
)
def test_mistakes_at_the_command_line(terminal: Terminal, arguments: tuple[str, ...], says: str) -> None:
    terminal.write("boots.csv", BOOTS)
    said = terminal.run("raters", *arguments)
    assert (said.code, said.out) == (2, "")
    assert says in said.err


def test_who_is_alone_and_who_is_not(terminal: Terminal) -> None:
    terminal.write(
        "three.csv",
        """
        query,doc_id,a_rating,b_rating,c_rating
        boots,1,3,0,3
        boots,2,0,2,0
        boots,3,0,1,1
        boots,4,0,3,
        boots,5,0,1,3
        boots,6,1,1,3
        """,
    )
    said = terminal.run("raters", "three.csv")
    figures = {line.split()[0]: line.split()[4:] for line in said.lines[-5:-2]}
    assert figures["b"][0] == "2"  # alone on 1 and 2; on 3 by a grade, and on 4 there is nobody else to agree with
    assert figures["b"][1:3] == ["most", "often"]
    assert (figures["a"], figures["c"]) == (["0"], ["1"])
