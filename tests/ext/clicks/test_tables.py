"""Tables of clicks: their formats, what is wrong in them, and what does not count."""

import json
from collections.abc import Sequence

import pandas as pd
import pytest

from pytest_relevance import read_judgments
from tests.ext.clicks.conftest import Shop

HEADER = "query,document,position,impressions,clicks\n"
ROWS = [
    ("boots", "sku-1", 1, 60, 30),
    ("boots", "sku-1", 2, 60, 20),
    ("boots", "sku-2", 1, 60, 10),
    ("boots", "sku-2", 2, 60, 6),
]
GRADES = {("boots", "sku-1"): "3", ("boots", "sku-2"): "1"}


def text(rows: Sequence[tuple[object, ...]], separator: str = ",") -> str:
    lines = [separator.join(HEADER.rstrip().split(","))]
    lines += [separator.join(map(str, row)) for row in rows]
    return "\n".join(lines) + "\n"


def test_formats(shop: Shop) -> None:
    frame = pd.DataFrame(ROWS, columns=HEADER.rstrip().split(","))
    shop.write("log.csv", text(ROWS))
    shop.write("log.tsv", text(ROWS, "\t"))
    shop.write("log.jsonl", frame.to_json(orient="records", lines=True))
    shop.write("log.json", frame.to_json(orient="records"))
    path = shop.folder / "log.parquet"
    frame.astype({"clicks": float}).to_parquet(path, row_group_size=3)
    for name in ("log.csv", "log.tsv", "log.jsonl", "log.json", "log.parquet"):
        assert shop.clicks(name).code == 0, name
        assert shop.grades() == GRADES, name


def test_usual_names_of_columns(shop: Shop) -> None:
    header = "Search Term,product_id,rank,views,Clicks\n"
    shop.write("log.csv", text(ROWS).replace(HEADER, header))
    assert shop.clicks("log.csv").code == 0
    assert shop.grades() == GRADES


def test_judgments_of_clicks_can_only_fill(shop: Shop) -> None:
    shop.write(
        "log.csv", text([*ROWS, ("=1+1", "-2", 1, 60, 9), ("=1+1", "-2", 2, 60, 9)])
    )
    assert shop.clicks("log.csv").code == 0
    with pytest.raises(ValueError, match=r"clicks\.csv:2: a machine gave this grade"):
        read_judgments("clicks.csv")
    judgments = read_judgments("clicks.csv", fill=True)
    assert judgments == {"boots": {"sku-1": 3, "sku-2": 1}, "=1+1": {"-2": 2}}
    assert judgments.raters == ("clicks",)


def test_the_output_replaces_only_its_own(shop: Shop) -> None:
    shop.write("log.csv", text(ROWS))
    assert [shop.clicks("log.csv").code for _ in range(2)] == [0, 0]
    shop.write("clicks.csv", "query,document,grade\nboots,sku-1,3\n")
    said = shop.clicks("log.csv")
    assert said.code == 2
    assert said.err == (
        'pytest-relevance clicks: --output "clicks.csv" exists, and is no file of '
        "pytest-relevance clicks; name another file\n"
    )


def test_what_does_not_count_is_counted(shop: Shop) -> None:
    strange: list[tuple[object, ...]] = [
        (" ", "sku-1", 1, 10, 0),
        ("boots", "", 1, 10, 0),
        ("boots", "sku-1", "", 10, 0),
        ("boots", "sku-1", -1, 10, 0),
        ("boots", "sku-9", 1, 0, 0),
        ("boots", "sku-3", 9, 10, 1),
        ("boots", "sku-4", 1, 4, 1),
        ("nothing", "sku-1", 1, 10, 0),
        ("boots ", "sku-1", "2.0", 0, 0),
    ]
    shop.write("log.csv", text([*ROWS, *strange]))
    said = shop.clicks("log.csv")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[3:-1] == [
        "left out:",
        "  1 row without a query",
        "  1 row without a document",
        "  2 rows without a position, or with a negative one",
        "  2 rows without impressions",
        "  1 position not linked to the others, with 1 click: 9",
        "  1 query without clicks",
        "  1 pair with too few expected clicks (--min-expected)",
    ]


def test_unread_columns_are_named_and_their_rows_are_added_up(shop: Shop) -> None:
    lines = text(
        [(*row, "monday") for row in ROWS] + [(*row, "tuesday") for row in ROWS]
    )
    shop.write("log.csv", lines.replace("clicks\n", "clicks,day\n", 1))
    said = shop.clicks("log.csv")
    assert said.err == (
        'log.csv: nothing reads the column "day"; rows that differ there alone are added up\n'
    )
    assert "read: 132 clicks and 480 impressions of 2 pairs" in said.out


def test_a_client_with_many_clicks_is_named_and_left_out_on_demand(shop: Shop) -> None:
    people = [(*row[:3], 2, 1, f"user-{n}") for row in ROWS for n in range(30)]
    bot = [(*row[:3], 20, 20, "bot-7") for row in ROWS]
    lines = text([*people, *bot])
    shop.write("log.csv", lines.replace("clicks\n", "clicks,client_id\n", 1))
    said = shop.clicks("log.csv")
    assert said.err == (
        'log.csv: a client has more than 5% of all clicks: "bot-7" (80 of 200 clicks, 40%). A bot, a test or a '
        "shared address makes wrong grades; --without-client leaves a client out\n"
    )
    said = shop.clicks("log.csv", "--without-client", "bot-7")
    assert (said.code, said.err) == (0, "")
    assert "  4 rows of clients that --without-client names\n" in said.out
    said = shop.clicks("log.csv", "--without-client", "bot7")
    assert 'log.csv: no client is called "bot7"; did you mean "bot-7"?\n' in said.err


@pytest.mark.parametrize(
    ("log", "complaint"),
    [
        pytest.param(
            "query,document,impressions,clicks\nboots,sku-1,60,30\n",
            "log.csv: there is no column position; found query, document, impressions and clicks; the place in the "
            "list at which the document was shown is needed\n",
            id="no positions",
        ),
        pytest.param(
            "query,document,position,clicks\nboots,sku-1,1,30\n",
            "log.csv: there is no column impressions; found query, document, position and clicks; how often the "
            "document was shown there is needed too, also without a click. If each row is one result of one search, "
            "add a column impressions with 1\n",
            id="no impressions",
        ),
        pytest.param(
            "query,document,position,impressions,cliks\nboots,sku-1,1,60,30\n",
            "log.csv: there is no column clicks; found query, document, position, impressions and cliks; did you mean "
            '"cliks"?\n',
            id="misspelt",
        ),
        pytest.param(
            f"{HEADER}boots,sku-1,1,60,61\n\nboots,sku-1,2,-5,0\nboots,sku-1,top,5,\nboots,sku-1,3,x,1.5\n",
            "log.csv:2: 61 clicks and 60 impressions: a document cannot be clicked more often than it is shown; count "
            "it once for each search, however often it was clicked there\n"
            'log.csv:4: impressions: expected a whole number from 0 on, found the text "-5"\n'
            'log.csv:5: the position is a whole number, found the text "top"\n'
            'log.csv:6: impressions: expected a whole number from 0 on, found the text "x" and clicks: expected a '
            'whole number from 0 on, found the text "1.5"\n',
            id="numbers",
        ),
        pytest.param(
            f"{HEADER}boots,sku-1,1,60\n",
            "log.csv:2: expected 5 columns, separated by commas, found 4; mend the "
            "line (a file that ends so is truncated)\n",
            id="truncated",
        ),
        pytest.param(
            f"{HEADER}boots,sku-1,-1,60,30\nboots,sku-2,-1,60,3\n",
            "log.csv: nothing is left of the log; found 2 rows without a position, or with a negative one. A log needs "
            "documents that were shown, each with its query and its position\n",
            id="nothing",
        ),
        pytest.param(
            f"{HEADER}boots,sku-1,1,60,0\n",
            "log.csv: there is no click that counts, of 60 impressions; without clicks there are no judgments\n",
            id="no clicks",
        ),
        pytest.param(
            f"{HEADER}boots,sku-1,1,6,3\n",
            "log.csv: positions never vary, so nothing tells how much a position is worth: 0 of 1 pair of query and "
            "document were shown at several positions, and no two positions share 20 clicks on them. Run two rankers "
            "side by side, or give --rates FILE or --rates reciprocal\n",
            id="one order",
        ),
    ],
)
def test_a_log_that_cannot_be_used(log: str, complaint: str, shop: Shop) -> None:
    shop.write("log.csv", log)
    assert shop.refused("log.csv") == complaint


def test_positions_that_vary_too_little_are_refused(shop: Shop) -> None:
    shop.write("log.csv", text([("boots", "a", 1, 60, 19), ("boots", "a", 2, 60, 19)]))
    assert "log.csv: positions vary too little, so nothing" in shop.refused("log.csv")
    assert "1 of 1 pair" in shop.refused("log.csv")


def test_nothing_is_left_above_the_expected_clicks(shop: Shop) -> None:
    shop.write("log.csv", text(ROWS))
    assert shop.refused("log.csv", "--min-expected=50") == (
        "log.csv: no pair of query and document has 50 expected clicks or more; the most is 33.0. Give a longer log, "
        "or a lower --min-expected\n"
    )


def test_rates_of_a_file(shop: Shop) -> None:
    shop.write(
        "log.csv",
        text(
            [
                ("boots", "a", 1, 100, 9),
                ("boots", "b", 2, 100, 9),
                ("boots", "c", 3, 9, 9),
            ]
        ),
    )
    shop.write("rates.csv", "position,rate\n1,0.5\n2,0.25\n")
    said = shop.clicks("log.csv", "--rates=rates.csv", "--levels=none")
    assert said.out.splitlines() == [
        "read: 27 clicks and 209 impressions of 3 pairs of query and document",
        "rates of positions, assumed (rates.csv), not measured: 1: 0.50 and 2: 0.25",
        "left out:",
        "  1 position without a rate in rates.csv, with 9 clicks: 3",
        "written: clicks.csv: 1 query, 2 judgments",
    ]
    # of 18 clicks 12 are expected of a, and 6 of b
    assert shop.grades() == {("boots", "a"): "0.75", ("boots", "b"): "1.5"}
    assert {row["rates"] for row in shop.judged()} == {"rates.csv"}


def test_reciprocal_rates_of_positions_from_zero(shop: Shop) -> None:
    shop.write(
        "log.csv", text([("boots", "a", 0, 100, 20), ("boots", "b", 3, 100, 20)])
    )
    shop.clicks("log.csv", "--rates=reciprocal")
    expected = {row["document"]: row["expected"] for row in shop.judged()}
    assert expected == {"a": "32.0", "b": "8.0"}


@pytest.mark.parametrize(
    ("rates", "complaint"),
    [
        (
            "position,rat\n1,1\n",
            "rates.csv: a file of rates has the columns position and rate; found position and rat; did you mean "
            '"rat"?\n',
        ),
        (
            "position,rate\n1,0\n1,0.5\n1,0.4\nx,1\n2,nan\n",
            'rates.csv:2: the rate is "0"; write a number above 0\n'
            "rates.csv:4: position 1 stands twice; keep one rate\n"
            'rates.csv:5: the position is "x"; write a whole number\n'
            'rates.csv:6: the rate is "nan"; write a number above 0\n',
        ),
    ],
)
def test_rates_that_cannot_be_used(rates: str, complaint: str, shop: Shop) -> None:
    shop.write("log.csv", text(ROWS))
    shop.write("rates.csv", rates)
    assert shop.refused("log.csv", "--rates=rates.csv") == complaint


def test_a_position_is_used_only_if_others_lead_to_the_most_clicked_one(
    shop: Shop,
) -> None:
    apart: list[tuple[object, ...]] = [
        ("laces", "x", 7, 100, 25),
        ("laces", "x", 8, 100, 25),
        ("laces", "y", 9, 100, 19),
        ("laces", "y", 1, 100, 19),
    ]
    shop.write("log.csv", text([*ROWS, *apart]))
    said = shop.clicks("log.csv")
    assert (
        "3 positions not linked to the others, with 69 clicks: 7, 8 and 9" in said.out
    )
    assert shop.grades() == {**GRADES, ("laces", "y"): "2"}


def test_numbers_and_texts_of_json(shop: Shop) -> None:
    rows = [dict(zip(HEADER.rstrip().split(","), row, strict=True)) for row in ROWS]
    rows[0]["clicks"] = "30"
    rows[1]["position"] = None
    rows[2]["document"] = 7
    shop.write("log.json", json.dumps(rows))
    said = shop.clicks("log.json", "--rates=reciprocal")
    assert "1 row without a position" in said.out
    assert ("boots", "7") in shop.grades()


def test_rows_of_json_lines_may_have_the_id_of_a_query(shop: Shop) -> None:
    names = HEADER.rstrip().split(",")
    rows = [{"query_id": "q1", **dict(zip(names, row, strict=True))} for row in ROWS]
    shop.write_lines("log.jsonl", rows)
    assert shop.clicks("log.jsonl").code == 0
    assert shop.grades() == GRADES
