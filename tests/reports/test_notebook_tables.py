"""What a notebook shows of a run, a comparison and a breakdown: tables in HTML."""

from typing import Any
from xml.etree import ElementTree

import pytest

from pytest_relevance import Run, RunInfo, breakdown, compare_runs
from pytest_relevance.reports.cells import RIGHT, Column
from pytest_relevance.reports.table import Table
from pytest_relevance.results.case_parts import WITHIN, BaselineComparison
from tests.helpers import changed, result_of

HOSTILE = '<script>alert(1)</script> & "\u202egnp.exe" <img src=x onerror=alert(1)>\x07'
SHOWN = '<script>alert(1)</script> & "\\u202egnp.exe" <img src=x onerror=alert(1)>\\x07'


class Shown:
    """What a notebook shows of a value."""

    def __init__(self, value: Any) -> None:
        self.html: str = value._repr_html_()
        self._root = ElementTree.fromstring(f"<div>{self.html}</div>")

    @property
    def tables(self) -> list[list[list[str]]]:
        """The texts of each table, by row, the heads first."""
        return [
            [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
            for table in self._root.iter("table")
        ]

    @property
    def paragraphs(self) -> list[str]:
        """The texts outside of tables."""
        return ["".join(paragraph.itertext()) for paragraph in self._root.iter("p")]

    @property
    def names(self) -> set[str]:
        """The names of all elements and attributes."""
        return {
            name
            for element in self._root.iter()
            for name in (element.tag, *element.attrib)
        }


def run_of(*results: Any, **info: Any) -> Run:
    return Run(results, info=RunInfo(**info), name="run.jsonl")


def boots(*ranking: str, **keys: Any) -> Any:
    """The result of a query that has judgments of three documents."""
    case = {
        "query": "winter boots",
        "id": "boots",
        "judgments": {"sku-1": 3, "sku-2": 2, "sku-3": 0},
        **keys,
    }
    return result_of(case, [*ranking], file="shop.yaml", line=7)


# --- a run ----------------------------------------------------------------------------


def test_a_run_shows_one_row_for_each_result_the_lowest_score_first() -> None:
    run = run_of(
        boots("sku-1", "sku-2", id="good"),
        boots("sku-2", "new", "sku-1", id="bad", min_ndcg=0.9),
    )

    shown = Shown(run)

    assert shown.paragraphs == ["run.jsonl: 2 results (1 measured, 1 failed)"]
    assert shown.tables == [
        [
            ["query", "nDCG@10", "judged", "status", "place"],
            ['bad "winter boots"', "0.731", "2 of 3", "failed", "shop.yaml:7"],
            ['good "winter boots"', "1.000", "2 of 2", "measured", "shop.yaml:7"],
        ]
    ]


def test_a_run_shows_variants_and_the_scores_of_the_baseline_where_there_are_any() -> (
    None
):
    result = changed(
        boots("sku-2", "sku-1"),
        variant="bm25",
        baseline=BaselineComparison(WITHIN, 0.75),
    )
    (table,) = Shown(run_of(result)).tables
    heads = "query variant before nDCG@10 judged status place"
    assert " ".join(table[0]) == heads
    assert table[1][1:4] == ["bm25", "0.750", "0.834"]


def test_what_could_not_be_scored_comes_first_and_what_is_not_defined_last() -> None:
    broken = changed(boots(id="broken"), verdict="error", scores={})
    undefined = boots("sku-3", id="undefined", judgments={"sku-3": 0})

    (table,) = Shown(run_of(undefined, boots("sku-1", id="scored"), broken)).tables

    assert [row[0].split()[0] for row in table[1:]] == ["broken", "scored", "undefined"]
    assert [row[1] for row in table[1:]] == ["n/a", "0.787", "n/a"]


def test_a_long_run_shows_twenty_rows_and_an_empty_one_no_table() -> None:
    shown = Shown(run_of(*(boots("sku-2", id=f"q{number}") for number in range(1_234))))
    assert len(shown.tables[0]) == 1 + 20
    assert (
        shown.paragraphs[-1] == "... and 1,214 more results with higher scores or none"
    )
    shown = Shown(run_of(missing=("shop.yaml::boots", "shop.yaml::lamp")))
    assert shown.paragraphs == ["run.jsonl: 0 results, 2 cases did not finish"]
    assert shown.tables == []


# --- a comparison ---------------------------------------------------------------------

JUDGMENTS = {"boots": {"sku-1": 3, "sku-2": 2}, "lamp": {"lamp-1": 1}}


def test_a_comparison_shows_its_verdict_the_metrics_and_the_movers() -> None:
    before = {"boots": ["sku-1", "sku-2"], "lamp": ["x", "lamp-1"]}
    after = {"boots": ["y", "sku-2"], "lamp": ["lamp-1", "x"]}

    shown = Shown(compare_runs(before, after, judgments=JUDGMENTS, resamples=100))

    assert shown.paragraphs[:3] == [
        "1 of 2 queries got worse (needs grades to be sure), 1 better; the change "
        "of the mean may be chance",
        "first -> second: 2 cases compared, 2 with another ranking",
        "mean nDCG@10 0.815 -> 0.606 (-0.209, 95% interval -0.787 to +0.369, p "
        "1.000); without unjudged results 1.000 -> 0.669",
    ]
    drops, gains, metrics = shown.tables
    assert metrics[1][:5] == ["nDCG@10", "2", "0.815", "0.606", "-0.209"]
    assert drops == [
        ["query", "nDCG@10", "sure", "fell", "in its place"],
        [
            "boots",
            "1.000 -> 0.213",
            "needs grades",
            "sku-1 rank 1 -> not returned",
            "y",
        ],
    ]
    assert gains == [
        ["query", "nDCG@10", "gained"],
        ["lamp", "0.631 -> 1.000", "lamp-1 rank 2 -> 1"],
    ]


# --- a breakdown ----------------------------------------------------------------------


def test_a_breakdown_shows_each_rank_and_the_totals() -> None:
    shown = Shown(breakdown({"a": 3, "b": 2, "c": 1}, ["b", "x", "b", "a"]))

    heads = "rank document grade gain discount DG DCG ideal IDCG"
    assert shown.tables == [
        [
            heads.split(),
            ["1", "b", "2", "3", "1.000", "3.000", "3.000", "3", "7.000"],
            ["2", "x", "-", "-", "1.585", "-", "3.000", "2", "8.893"],
            ["3", "b", "repeat", "-", "2.000", "-", "3.000", "1", "9.393"],
            ["4", "a", "3", "7", "2.322", "3.015", "6.015", "", ""],
        ]
    ]
    assert shown.paragraphs == ["DCG 6.015 / ideal DCG 9.393 = nDCG 0.640"]


# --- any table ------------------------------------------------------------------------


def test_a_table_has_its_title_above_and_its_note_below_and_no_columns_without_text() -> (
    None
):
    table = Table(
        [Column("grade", RIGHT), Column("document"), Column("title")],
        title="lost",
        note="... and 2 more",
    )
    table.add("3", "sku-1", "")

    assert table.html() == (
        '<p><strong dir="auto">lost</strong></p>\n'
        "<table>\n"
        '<thead><tr><th style="text-align: right">grade</th><th style="text-align: left"><bdi>document</bdi></th></tr>'
        "</thead>\n"
        "<tbody>\n"
        '<tr><td style="text-align: right">3</td><td style="text-align: left"><bdi>sku-1</bdi></td></tr>\n'
        "</tbody>\n"
        "</table>\n"
        '<p><bdi dir="auto">... and 2 more</bdi></p>\n'
    )


# --- text of users --------------------------------------------------------------------


HOSTILE_RUN = Run(
    [changed(boots("sku-2"), id=HOSTILE, query=HOSTILE, variant=HOSTILE)], name=HOSTILE
)
HOSTILE_VALUES = {
    "run": HOSTILE_RUN,
    "comparison": compare_runs(
        {HOSTILE: [HOSTILE]},
        {HOSTILE: ["x"]},
        judgments={HOSTILE: {HOSTILE: 3}},
        resamples=10,
    ),
    "breakdown": breakdown({HOSTILE: 3}, [HOSTILE]),
}


@pytest.mark.parametrize("value", HOSTILE_VALUES.values(), ids=HOSTILE_VALUES)
def test_text_of_users_stays_text(value: Any) -> None:
    shown = Shown(value)
    elements = "div p strong bdi table thead tbody tr th td"
    assert shown.names <= {*elements.split(), "style", "dir"}
    rows = [row for table in shown.tables for row in table]
    assert SHOWN in "".join(text for row in rows for text in row)
    assert "\u202e" not in shown.html
    assert "\x07" not in shown.html


def test_a_text_of_ten_thousand_characters_is_cut() -> None:
    shown = Shown(breakdown({"x" * 10_000: 3}, ["x" * 10_000]))
    assert shown.tables[0][1][1] == "x" * 997 + "..."
