"""A cell that holds several ids of documents is refused; an id with a separator in it
is read.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.judgments.id_lists import find_lists
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.writing import write_judgments
from tests.judgments.helpers import Files


def table(*documents: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for number, document in enumerate(documents):
        rows.append({"query": f"query {number}", "doc_id": document, "grade": 1})
    return rows


@pytest.mark.parametrize(
    ("cell", "ids"),
    [
        ("m-12;faq-3", ["m-12", "faq-3"]),
        ("m-12 ; faq-3;", ["m-12", "faq-3"]),
        ("m-12|faq-3", ["m-12", "faq-3"]),
        ("m-12, faq-3", ["m-12", "faq-3"]),
        ("m-12,faq-3", ["m-12", "faq-3"]),
        ("m-12\nfaq-3", ["m-12", "faq-3"]),
        ('["m-12", "terms"]', ["m-12", "terms"]),
        ("['m-12', 'terms']", ["m-12", "terms"]),
        ("['m-12']", ["m-12"]),
        ("('m-12', 'terms')", ["m-12", "terms"]),
        ("[12, 34]", ["12", "34"]),
        ("12,34", ["12", "34"]),
        ("12;34", ["12", "34"]),
        ("12|34|56", ["12", "34", "56"]),
        ("a.pdf;b.pdf", ["a.pdf", "b.pdf"]),
        ("https://a.de/1,https://b.de/2", ["https://a.de/1", "https://b.de/2"]),
        # both are documents of the file
        ("returns;terms", ["returns", "terms"]),
        ("returns|terms", ["returns", "terms"]),
        ("returns,terms", ["returns", "terms"]),
    ],
)
def test_a_list_of_ids_is_no_document(cell: str, ids: list[str]) -> None:
    assert find_lists(["terms", "returns", cell]).sure == {cell: ids}


def test_the_message_says_both_ways_out(files: Files) -> None:
    says = 'FILE:2: query "reset", document "m-12;faq-3{}": this seems to be a list of documents, and a row has one; '
    problem = files.problem("query,doc_id,grade\nreset,m-12;faq-3,1\n")
    assert problem == says.format("") + (
        'write a row for each of "m-12" and "faq-3". If it is one id, write the judgments as JSON, {query: {document: '
        "grade}}"
    )
    problem = files.problem("query,doc_id,grade\nreset,m-12;faq-3;a-1;b-2,1\n")
    ids = 'write a row for each of "m-12", "faq-3", "a-1" and ...'
    assert problem.startswith(says.format(";a-1;b-2") + ids)
    content = {"reset": {"m-12;faq-3": 1}}
    assert files.judgments(content) == content


@pytest.mark.parametrize(
    "documents",
    [
        ["articles|1", "products|1", "articles|2"],
        ["store-1|sku-7", "store-2|sku-9"],
        ["12|34", "56|78"],
        ["Paris, Texas", "Georgia, Vermont"],
        ["10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O"],
        ["https://a.example/1,2", "https://a.example/x;jsessionid=1"],
        ["1,2-dichloroethane", "Smith, John.pdf", "Steins;Gate", "Gate"],
        ["1,340", "12,345,678"],
        ["[1]", "[2]"],
        ["QA76 B3", "PS35 H16"],
        ["iPhone 12 Pro", "a b"],
        ["a;", ";b", "a||b"],
    ],
)
def test_an_id_with_a_separator_is_one_document(
    files: Files, documents: list[str]
) -> None:
    judgments = files.judgments(table(*documents))
    assert [next(iter(grades)) for grades in judgments.values()] == documents
    assert judgments.notices == ()


@pytest.mark.parametrize(
    ("documents", "notice"),
    [
        (["12|34", "7"], '1 id is read as one document: "12|34"'),
        (["m-12 faq-3", "terms"], '1 id is read as one document: "m-12 faq-3"'),
        (
            ["Paris", "Texas", "Paris, Texas"],
            '1 id is read as one document: "Paris, Texas"',
        ),
        (
            ["12|34", "a-1 b-2", "7"],
            '2 ids are read as one document each: "12|34" and "a-1 b-2"',
        ),
    ],
)
def test_a_doubtful_cell_is_read_and_named(
    files: Files, documents: list[str], notice: str
) -> None:
    advice = "if these are lists, write a row for each document"
    judgments = files.judgments(table(*documents))
    assert judgments.notices == (f"{notice}; {advice}",)


def test_the_ids_of_a_worklist_were_returned_by_a_search(files: Files) -> None:
    header = "query_id,query,document,title,ranks,worth,move,grade"
    judgments = files.judgments(f"{header}\nq1,boots,m-12;faq-3,,1,0.5,0.7,3\n")
    assert judgments == {"q1": {"m-12;faq-3": 3}}


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_no_table_is_written_that_would_not_be_read(format: str) -> None:
    with pytest.raises(ValueError, match="it would be read as a list of documents"):
        write_judgments(Judgments({"reset": {"m-12;faq-3": 1}}), format)


IDS = st.from_regex(r"[a-z]{1,3}-[0-9]{1,4}", fullmatch=True)
WORDS = st.text("abc123-_./:#é鞋", min_size=1, max_size=8)


@given(st.lists(IDS, min_size=2, max_size=5), st.sampled_from([";", ",", "; ", ", "]))
def test_joined_ids_of_one_pattern_are_always_a_list(
    ids: list[str], separator: str
) -> None:
    cell = separator.join(ids)
    assert find_lists([cell, "other"]).sure == {cell: ids}


@given(st.lists(WORDS, max_size=8))
def test_an_id_without_a_separator_is_never_a_list(ids: list[str]) -> None:
    found = find_lists(ids)
    assert (found.sure, found.doubtful) == ({}, {})


@given(st.lists(st.text(max_size=12), max_size=8))
def test_parts_are_in_the_cell(cells: list[str]) -> None:
    found = find_lists(cells)
    for cell, parts in {**found.sure, **found.doubtful}.items():
        assert cell in cells
        assert all(part in cell for part in parts)
