"""The worklist: rows in order, as a CSV that is read back as judgments."""

import csv
import random
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, read_judgments
from pytest_relevance._csv_cells import FORMULA
from pytest_relevance._problems import FileError
from pytest_relevance.ext.judging.worklist import Worklist
from pytest_relevance.ext.judging.worklist_file import columns_with, why_kept
from pytest_relevance.results.unjudged import Unjudged
from tests.helpers import case_result, changed

BM25, HYBRID = ("search", "bm25"), ("search", "hybrid")


Ran = tuple[CaseResult, list[Unjudged]]
"""A case that ran, and its unjudged results; how these are found is tested
elsewhere.
"""


def ran(
    query: str,
    *results: tuple[str, int, float],
    query_id: str = "",
    weight: float = 1,
    ran_as: Any = BM25,
) -> Ran:
    """A case that ran; `results` are documents with rank and move, which is their worth
    too.
    """
    unjudged = [
        Unjudged(document, f"Title of {document}", rank, move, move)
        for document, rank, move in results
    ]
    return ran_with(query_id or query, query, ran_as, unjudged, weight)


def ran_with(
    query_id: str, query: str, ran_as: Any, unjudged: list[Unjudged], weight: float = 1
) -> Ran:
    search, variant = ran_as
    about = {"search": search, "variant": variant, "weight": weight}
    about["scores"] = {"nDCG@10": 0.0}
    return case_result("f", 1, query_id, "measured", query, **about), unjudged


def rows(found: Worklist) -> list[dict[str, str]]:
    """The rows of the CSV."""
    return list(csv.DictReader(StringIO(found.to_csv().decode(), newline="")))


def documents(found: Worklist) -> list[str]:
    return [row["document"] for row in rows(found)]


def filled_in(found: Worklist, grade: str = "2") -> bytes:
    """The CSV with the same grade in every row."""
    first, *others = csv.reader(StringIO(found.to_csv().decode(), newline=""))
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([first, *([*row[:-1], grade] for row in others)])
    return text.getvalue().encode()


def test_a_row_a_result() -> None:
    found = Worklist([ran("blue shoes", ("sku-1", 3, 0.25), query_id="q7")])

    head = b"query_id,query,document,title,ranks,settles,worth,move,grade\n"
    row = b"q7,blue shoes,sku-1,Title of sku-1,3,,0.2500,0.2500,\n"
    assert found.to_csv() == head + row
    assert (len(found.rows), found.queries) == (1, 1)
    nothing = Worklist([ran("shoes")])
    assert (nothing.to_csv(), nothing.queries) == (head, 0)


def test_rows_stand_by_query_and_the_queries_with_most_to_gain_come_first() -> None:
    found = Worklist(
        [
            ran("shoes", ("a", 1, 0.1), ("b", 2, 0.2), ("y", 2, 0.1)),
            ran("boots", ("c", 1, 0.05), ("d", 3, -0.35)),
            ran("laces", ("e", 9, 0.05), weight=10),
        ]
    )
    # Ties go by query, then by rank and document.
    assert documents(found) == ["e", "d", "c", "b", "a", "y"]


def test_rows_of_undecided_queries_come_before_those_that_nothing_depends_on() -> None:
    """The floor of the second query holds for some grades only."""
    shoes, unjudged = ran("shoes", ("a", 1, 0.1), ("b", 2, 0.05))
    undecided = changed(shoes, floor=0.5, lower=0.0, upper=0.6)
    found = Worklist([ran("boots", ("c", 1, 0.9)), (undecided, unjudged)])
    assert documents(found) == ["a", "b", "c"]


def test_the_worth_decides_and_the_move_where_that_is_equal() -> None:
    worths = {"a": (0.9, 0.1), "b": (0.2, 0.2), "c": (0.3, 0.2)}
    unjudged = [
        Unjudged(name, "", 1, move, worth) for name, (move, worth) in worths.items()
    ]
    assert documents(Worklist([ran_with("q", "q", BM25, unjudged)])) == ["c", "b", "a"]


def test_fields_of_the_catalogue_have_columns_behind_the_title(tmp_path: Path) -> None:
    shoes, unjudged = ran("shoes", ("a", 1, 0.2), ("b", 2, 0.1))
    shown = {
        "a": {"brand": "=Acme", "url": "https://shop/a"},
        "b": {"brand": "Bolt", "rating": "5", "judge": "x"},
    }
    found = Worklist(
        [(changed(shoes, shown=shown), unjudged), ran("boots", ("c", 1, 0.05))]
    )
    assert (
        found.to_csv()
        .decode()
        .startswith(
            "query_id,query,document,title,brand,url,rating (shown),judge (shown),ranks,settles,worth,move,grade\n"
        )
    )
    assert [(row["brand"], row["url"]) for row in rows(found)] == [
        (" =Acme", "https://shop/a"),
        ("Bolt", ""),
        ("", ""),
    ]
    (tmp_path / "list.csv").write_bytes(filled_in(found))
    judgments = read_judgments(tmp_path / "list.csv")
    assert judgments == {"shoes": {"a": 2, "b": 2}, "boots": {"c": 2}}
    assert judgments.notices == ()


@given(
    st.text("=-@\t\r\n\u2028 ._Gx", max_size=5)
    | st.sampled_from(["=grade", "+rating", "@judge", "gra\nde", "grade\n", "\r=id"])
)
def test_the_column_of_a_field_is_one_line_and_no_formula(field: str) -> None:
    (column,) = set(columns_with([field])) - set(columns_with([]))
    assert column.splitlines() in ([column], [])
    assert FORMULA.match(column) is None or column.startswith(" ")


def test_several_variants_are_named_at_their_ranks() -> None:
    found = Worklist(
        [
            ran("shoes", ("a", 7, 0.1), ("b", 1, 0.4), ran_as=HYBRID),
            ran("shoes", ("a", 3, -0.2), ran_as=BM25),
        ]
    )

    assert [(row["document"], row["ranks"], row["move"]) for row in rows(found)] == [
        ("b", "hybrid: 1", "0.4000"),
        ("a", "bm25: 3; hybrid: 7", "-0.2000"),
    ]
    other = ran("shoes", ("a", 2, 0.1), ran_as=("find", None))
    other_names = Worklist([ran("shoes", ("a", 1, 0.1)), other])
    assert rows(other_names)[0]["ranks"] == "find: 2; search[bm25]: 1"


def test_a_pair_in_several_cases_is_one_row() -> None:
    found = Worklist(
        [
            ran("shoes", ("a", 1, 0.1), weight=2),
            ran("shoes", ("a", 3, 0.15)),
            ran("shoes", ("a", 1, 0.1), query_id="other"),
        ]
    )

    assert [(row["query_id"], row["ranks"], row["move"]) for row in rows(found)] == [
        ("shoes", "1, 3", "0.1500"),
        ("other", "1", "0.1000"),
    ]
    assert found.queries == 2


def test_the_order_in_which_cases_finish_makes_no_difference() -> None:
    found = [(f"d{n % 4}", n, 0.1 * (-1) ** n) for n in range(1, 6)]
    all_ran = []
    for variant in (BM25, HYBRID):
        for query in ("shoes", "boots"):
            all_ran.append(ran(query, *found, ran_as=variant))
    expected = Worklist(all_ran).to_csv()
    random.Random(5).shuffle(all_ran)
    assert Worklist(all_ran).to_csv() == expected


def test_an_id_that_means_different_queries_gives_way_to_the_texts(
    tmp_path: Path,
) -> None:
    """Two suites number their queries: in one file of judgments an id can only mean one
    of them.
    """
    found = Worklist(
        [
            ran("shoes", ("a", 1, 0.1), query_id="1"),
            ran("boots", ("a", 1, 0.1), query_id="1"),
            ran("laces", ("a", 1, 0.1), query_id="2"),
            ran("red shoes", ("a", 1, 0.1), query_id="shoes"),
            ran("belts", ("a", 1, 0.1), query_id="boots"),
        ]
    )
    (tmp_path / "list.csv").write_bytes(filled_in(found))

    judgments = read_judgments(tmp_path / "list.csv")

    assert {query: judgments.text(query) for query in judgments} == {
        "2": "laces",
        "belts": "belts",
        "boots": "boots",
        "red shoes": "red shoes",
        "shoes": "shoes",
    }


WIDE = ("\uff1d1+1", "\uff0b1", "\uff0d1", "\uff20a")
FORMULAS = ("+1", "-1", "@a", *WIDE, "\ta", "\ra", "  =1", "=cmd|' /C calc'!A0")


@pytest.mark.parametrize("cell", FORMULAS)
def test_no_cell_of_text_begins_a_formula(cell: str) -> None:
    unjudged = [Unjudged(cell, cell, 1, -0.5, -0.5)]
    first = ran_with(cell, cell, ("=search", cell), unjudged)
    found = Worklist([first, ran("b", ("c", 1, 0.1))])
    begins = tuple("=+-@\uff1d\uff0b\uff0d\uff20\t\r")
    for row in rows(found):
        texts = [text for name, text in row.items() if name not in ("worth", "move")]
        assert not any(text.startswith(begins) for text in texts)
    assert float(rows(found)[0]["move"]) == -0.5  # a number, and not text


LINES = ("a\nb", "a\r\nb", "\r", "\t=1", " =1", "\uff1d1", " \uff0b1")
WORDS = ("007", "no", "1e5", "10020#0", "a/b c", 'a "b", c', "wĕn, 鞋 👟")
ODD = (*LINES, *WORDS, " ", "-", "'")
PRINTABLE = st.characters(exclude_categories=("C", "Z"), include_characters=" ")
TEXTS = st.text(PRINTABLE, min_size=1, max_size=12) | st.sampled_from(ODD)


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=8))
def test_filled_in_it_is_a_file_of_judgments(
    tmp_path_factory: pytest.TempPathFactory, found: list[Any]
) -> None:
    """Ids, texts and documents are exactly those of the run."""
    texts = {query_id: query for query_id, query, _ in found}  # an id means one query
    path = tmp_path_factory.mktemp("worklist") / "list.csv"
    cases = []
    for own, _, document in found:
        cases.append(ran(texts[own], (document, 1, 0.1), query_id=own))
    path.write_bytes(filled_in(Worklist(cases)))
    judgments = read_judgments(path)

    assert {
        (query, document) for query in judgments for document in judgments[query]
    } == {(query_id, document) for query_id, _, document in found}
    assert {judgments.text(query_id) for query_id in texts} == set(texts.values())
    assert all(query_id in judgments.known_as(text) for query_id, text in texts.items())


def test_the_columns_that_users_add_survive() -> None:
    """They note who is to judge, and when: a new list has that of the rows that are
    still in it.
    """
    shoes = ran("shoes", ("a", 1, 0.3), ("=b", 2, 0.2))
    first = Worklist([shoes, ran("boots", ("a", 1, 0.1))])
    head, *lines = first.to_csv().decode().splitlines()
    assert [line.split(",")[:3] for line in lines] == [
        ["shoes", "shoes", "a"],
        ["shoes", "shoes", " =b"],
        ["boots", "boots", "a"],
    ]
    anna, ben, gone = lines
    before = (
        f"{head},rater,judged_at\n{anna},anna,monday\n{ben},ben,\n{gone},gone,\n"
    ).encode()
    assert why_kept(before) is None

    again = Worklist([ran("shoes", ("c", 1, 0.4), ("=b", 3, 0.2), ("a", 2, 0.1))])
    found = list(csv.DictReader(StringIO(again.to_csv(before).decode())))
    assert [(row["document"], row["rater"], row["judged_at"]) for row in found] == [
        ("c", "", ""),
        (" =b", "ben", ""),
        ("a", "anna", "monday"),
    ]


def test_who_judged_is_read_from_a_filled_in_list(tmp_path: Path) -> None:
    data = Worklist([ran("shoes", ("a", 1, 0.3), ("b", 2, 0.2))]).to_csv().decode()
    data = data.replace("grade\n", "grade,rater,judged_at\n").replace(
        "000,\n", "000,3,anna,2026-11-20\n"
    )
    (tmp_path / "list.csv").write_text(data)
    judgments = read_judgments(tmp_path / "list.csv")
    assert (judgments, list(judgments.raters)) == (
        {"shoes": {"a": 3, "b": 3}},
        ["anna"],
    )
    assert why_kept(data.encode()) is not None


def test_blank_grades_are_no_judgments(tmp_path: Path) -> None:
    found = Worklist([ran("shoes", ("a", 1, 0.3), ("b", 2, 0.2), query_id="7")])
    path = tmp_path / "list.csv"
    path.write_bytes(found.to_csv().replace(b"0.3000,0.3000,\n", b"0.3000,0.3000,3\n"))
    judgments = read_judgments(path)
    assert judgments == {"7": {"a": 3}}
    assert judgments.text("7") == "shoes"
    assert judgments.titles["7"]["a"] == "Title of a"


def test_ids_that_no_file_can_hold_are_escaped_and_a_title_is_one_line() -> None:
    """A lone half of a surrogate pair has no UTF-8, and a file with NUL in it is no
    text.
    """
    unjudged = Unjudged("b\ud800", "Boots\n\x1b[31mred\xa0\u202e", 1, 0.1)
    found = Worklist([ran_with("a\0", "a\0", BM25, [unjudged])])
    row = "a\\x00,a\\x00,b\\ud800,Boots\\n\\x1b[31mred\xa0\\u202e,1,,0.0000,0.1000,\n"
    assert found.to_csv().decode().endswith(row)


BLANK = Worklist([ran("shoes, red", ("a", 1, 0.3), ("b", 2, 0.2))]).to_csv()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        BLANK,
        Worklist([]).to_csv(),
        b"\xef\xbb\xbf" + BLANK,
        BLANK.replace(b"0.3000,\n", b"0.3000,  \n"),
        b"query_id;query;document;title;ranks;move;grade\n1;a;b;;1;0,5;\n",
        BLANK.replace(b"grade", b"grade,rater").replace(b"00,\n", b"00,,anna\n"),
    ],
)
def test_a_list_without_a_grade_may_be_replaced(data: bytes) -> None:
    assert why_kept(data) is None


@pytest.mark.parametrize("longest", [131_071, 131_073, 1_000_000])
def test_a_row_of_any_length_is_read_back(tmp_path: Path, longest: int) -> None:
    """Python's reader of CSV takes 128 KiB a cell; a pasted document as query, or a
    title, is longer.
    """
    long = 'x, "y"\n' * (longest // 8)
    blank = Worklist(
        [ran(f"q {long}", (f"d {long}", 1, 0.3)), ran("shoes", ("a", 1, 0.2))]
    )
    assert why_kept(blank.to_csv()) is None
    data = blank.to_csv().replace(b"000,\n", b"000,3\n")
    assert (why_kept(data) or "").startswith("has 2 grades filled in")
    path = tmp_path / "worklist.csv"
    path.write_bytes(data)
    limit = csv.field_size_limit()
    assert read_judgments(path) == {f"q {long}": {f"d {long}": 3}, "shoes": {"a": 3}}
    path.write_bytes(data + b"1,2,3\n")
    with pytest.raises(FileError, match="found 3"):
        read_judgments(path)
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (BLANK.replace(b"0.3000,\n", b"0.3000,0\n"), "1 grade"),
        (
            filled_in(Worklist([ran("shoes", ("a", 1, 0.3), ("b", 2, 0.2))]), "exact"),
            "2 grades",
        ),
        (
            b"query_id;query;document;title;ranks;move;grade\n1;a;b;;1;0,5;3\n",
            "1 grade",
        ),
    ],
)
def test_a_list_with_grades_is_kept(data: bytes, count: str) -> None:
    assert (why_kept(data) or "").startswith(
        f"has {count} filled in, which a new worklist would overwrite; "
    )


@pytest.mark.parametrize(
    "data",
    [
        b"query,docid,rating\nshoes,a,\n",
        BLANK.replace(b"ranks,", b"ranks,ranks,")
        .replace(b",1,", b",1,1,")
        .replace(b",2,", b",2,2,"),
        BLANK.replace(b"0.3000,\n", b"0.3000,,3\n"),
        b"cases: [{query: shoes}]\n",
        b"\x1f\x8b\x08\x00",
    ],
)
def test_another_file_is_kept(data: bytes) -> None:
    assert why_kept(data) == "exists and is not a worklist; name another file"
