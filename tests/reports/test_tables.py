"""The one model of a table: aligned text of a given width, and Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.reports.cells import RIGHT, USER, Cell, Column, styled_cell
from pytest_relevance.reports.styled_lines import DIM, PLAIN, STRONG, plain_text
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import cut_middle, display_width, harmless

DOCUMENTS = (
    Column("document", cut_to=10, shorten=cut_middle, is_code=True),
    Column(None, cut_to=8, is_code=True),
)


def products(*rows: tuple[str, str, str]) -> Table:
    """Ids, titles and grades."""
    table = Table([Column("rank", RIGHT), *DOCUMENTS, Column("grade", RIGHT)])
    for rank, (document, title, grade) in enumerate(rows, 1):
        table.add(f"{rank}", document, title, grade)
    return table


def text(table: Table, columns: int = 100) -> list[str]:
    return plain_text(table.lines(columns)).splitlines()


def test_columns_are_as_wide_as_they_need_to_be() -> None:
    assert text(products(("sku-1", "Boots", "3"), ("靴", "運動靴", "10"))) == [
        "rank  document       grade",
        "   1  sku-1  Boots       3",
        "   2  靴     運動靴     10",
    ]


def test_a_title_covers_the_columns_that_have_none_and_empty_ones_are_left_out() -> (
    None
):
    assert text(products(("a", "", "3"))) == [
        "rank  document  grade",
        "   1  a             3",
    ]
    assert text(products(("a", "", ""))) == ["rank  document", "   1  a"]


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        (44, "   1  sku-0123456789  Winter boots      3"),
        (37, "   1  sku...6789  Winter boots      3"),
        (33, "   1  sku...6789  Winte...      3"),
    ],
)
def test_text_is_cut_from_left_to_right(columns: int, row: str) -> None:
    lines = text(products(("sku-0123456789", "Winter boots", "3")), columns)
    assert lines[1] == row
    assert len(lines[0]) == len(row)


def test_a_cell_may_cover_several_columns() -> None:
    table = Table([Column(), Column(gap=3), Column(align=RIGHT)], indent=2)
    table.add("sku-1", "rank 4", "-0.100")
    table.add(styled_cell("... and 3 more of them", PLAIN, 2), "-0.3")
    assert text(table) == [
        "  sku-1   rank 4          -0.100",
        "  ... and 3 more of them    -0.3",
    ]


def test_as_markdown_the_text_of_users_stands_in_code_spans() -> None:
    table = products(("sku|1", "<b>Boots</b>", "3"), ("`a`", "", "2"))
    table.add("3-10", styled_cell("nothing returned", PLAIN, 2), "< 1")
    assert table.markdown() == [
        "| rank | document |  | grade |",
        "| ---: | --- | --- | ---: |",
        "| 1 | `sku\\|1` | `<b>Boots</b>` | 3 |",
        "| 2 | `` `a` `` |  | 2 |",
        "| 3-10 | nothing returned |  | &lt; 1 |",
    ]


@given(
    st.lists(
        st.tuples(st.text(), st.text(), st.text("0123456789.-", max_size=5)), min_size=1
    ),
    st.integers(40, 120),
)
def test_lines_are_harmless_equally_long_and_no_wider_than_they_may_be(
    rows: list[tuple[str, str, str]], columns: int
) -> None:
    for line in products(*rows).lines(columns):
        shown = "".join(text for text, _ in line)
        assert harmless(shown) == shown
        assert display_width(shown) <= columns
    assert all("\n" not in line for line in products(*rows).markdown())


def test_a_title_stands_above_the_table_and_a_note_below_it() -> None:
    table = Table([Column(), Column(align=RIGHT)], indent=2, title="lowest")
    table.note, table.hint = "  ... 2 more", " (-v shows all)"
    assert (table.lines(), table.markdown()) == (
        [],
        [],
    )  # without rows there is nothing to say
    table.add("boots", "0.500")
    assert table.lines() == [
        (("lowest", STRONG),),
        (("  boots  0.500", PLAIN),),
        (("  ... 2 more (-v shows all)", DIM),),
    ]
    assert table.markdown() == [
        "**Lowest**",
        "",
        "|  |  |",
        "| --- | ---: |",
        "| boots | 0.500 |",
        "",
        "... 2 more",
    ]


def test_spans_of_users_stand_in_code_spans_beside_words_of_the_report() -> None:
    table = Table([Column("fell"), Column("gate")])
    table.add(
        Cell((("<b>|Boots", USER), (" rank 1 -> 4", PLAIN))),
        styled_cell("not met", STRONG),
    )
    assert (
        table.markdown()[-1] == "| `<b>\\|Boots` rank 1\u00a0->\u00a04 | **not met** |"
    )
    assert text(table)[-1] == "<b>|Boots rank 1 -> 4  not met"
