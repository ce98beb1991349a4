"""Rows of judgment files that have no effect, as a judgment of the case counts: each is
named once, with both ways out.
"""

import pytest

from tests.cases.conftest import Shop

INLINE = """
judgments: page.csv
cases:
  - query: smart watch
    judgments: {w1: 3, w2: 1}
"""
PAGE = "query,document,grade,rater\nsmart watch,w1,0,Ada\nsmart watch,w2,1,Ada\n"
FILLS = INLINE.replace("page.csv", "{file: page.csv, fill: true}")


def test_a_row_that_disagrees_with_the_case(shop: Shop) -> None:
    shop.write("page.csv", PAGE)
    suite = shop.read(INLINE)
    assert suite.cases[0].judgments == {"w1": 3, "w2": 1}
    assert suite.warnings == (
        'page.csv: 1 row has no effect, since the case has a judgment of its own: line 2: query "smart watch", '
        'document "w1" has grade 0 there, and 3 counts. If the row is right, change the judgment in the case or take '
        "it out. If the row is wrong, take it out of the file",
    )


def test_both_ways_out(shop: Shop) -> None:
    shop.write("page.csv", PAGE)
    taken_out = shop.read(INLINE.replace("w1: 3, ", ""))
    assert taken_out.cases[0].judgments == {"w1": 0, "w2": 1}
    assert taken_out.warnings == ()
    shop.write("page.csv", PAGE.replace("smart watch,w1,0,Ada\n", ""))
    assert shop.read(INLINE).warnings == ()


@pytest.mark.parametrize(
    ("keys", "counts"),
    [("relevant: w1", 1), ("judgments: own.csv", 3), ("id: q7, judgments: {w1: 3}", 3)],
    ids=["a relevant document", "a file of the case", "the id of the case"],
)
def test_whatever_the_case_has(shop: Shop, keys: str, counts: int) -> None:
    shop.write("page.csv", "query_id,query,document,grade\nq7,smart watch,w1,0\n")
    shop.write("own.csv", "query,document,grade\nsmart watch,w1,3\n")
    text = f"judgments: page.csv\ncases: [{{query: smart watch, {keys}}}]"
    (warning,) = shop.read(text).warnings
    assert warning.startswith("page.csv: 1 row has no effect, ")
    assert f'document "w1" has grade 0 there, and {counts} counts' in warning


def test_many_rows_are_one_notice(shop: Shop) -> None:
    rows = "".join(f"smart watch,w{number},0\n" for number in range(1, 10))
    shop.write("page.csv", f"query,document,grade\n{rows}")
    judged = ", ".join(f"w{number}: 3" for number in range(1, 10))
    case = f"{{query: smart watch, judgments: {{{judged}}}}}"
    (warning,) = shop.read(f"judgments: page.csv\ncases: [{case}]").warnings
    assert warning.startswith("page.csv: 9 rows have no effect, ")
    assert "; and 4 more. If the row is right" in warning


def test_a_person_in_a_file_that_fills(shop: Shop) -> None:
    shop.write("page.csv", PAGE)
    assert shop.read(FILLS).warnings == (
        "page.csv: 1 row has no effect, since the file fills (fill: true), and a judgment elsewhere counts: line 2: "
        'query "smart watch", document "w1" has grade 0 there, and 3 counts. If the row is right, name the file '
        "without fill: true, and take the other judgment out. If the row is wrong, take it out of the file",
    )


def test_a_machine_that_fills_may_differ(shop: Shop) -> None:
    rows = "smart watch,w1,0,true\nsmart watch,w2,0,false\n"
    shop.write("page.csv", f"query,document,grade,machine\n{rows}")
    (warning,) = shop.read(FILLS).warnings
    assert warning.startswith("page.csv: 1 row has no effect, ")
    assert 'document "w2" has grade 0 there' in warning
