"""Ids, node names and tags: what a case goes by."""

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseFileError
from pytest_relevance.cases.case_file import CaseFile
from pytest_relevance.cases.names import node_name, wrong_id
from pytest_relevance.cases.reader import parse_suite, suite_of
from tests.cases.conftest import mistakes, read, read_case


@pytest.mark.parametrize(
    ("written", "what"),
    {
        "a::b": "::",
        "[a]::b": "::, [ and ]",
        "a\\tb": "a control character",
        "a\\u2028b": "a control char",
        "__init__": "a leading __",
        ":a": "a leading :",
        "a:": "a trailing :",
    }.items(),
)
def test_a_written_id_that_cannot_stand_in_a_node_id(written: str, what: str) -> None:
    (found,) = mistakes(f'cases:\n  - query: x\n    id: "{written}"\n')
    assert found.startswith('3:9: id: the id "')
    assert f" has {what}" in found
    assert (
        ", which a pytest node id cannot carry; choose another id, or leave it out to have the query as id"
        in found
    )


@pytest.mark.parametrize("written", ["a:b", "a/b", "größe-ß", "_x", "100%"])
def test_a_written_id_stands_in_the_node_id_as_it_is(written: str) -> None:
    found = read_case(f"cases: [{{query: x, id: '{written}'}}]")
    assert found.id == found.node_name == written


@pytest.mark.parametrize(
    ("query", "name"),
    {
        "blue shoes": "blue shoes",
        "5,5 mm (m/f) 10% off!": "5,5 mm (m/f) 10%25 off!",
        "std::vector": "std%3A%3Avector",
        "a:::b": "a%3A%3A:b",
        "12:30": "12:30",
        ":a": "%3Aa",
        "a:": "a%3A",
        "tv [refurbished]": "tv %5Brefurbished%5D",
        "tab\there": "tab%09here",
        "escape \x1b[31m": "escape %1B%5B31m",
        "line\u2028separator": "line%E2%80%A8separator",
        "__init__": "%5F_init__",
        "pytestmark": "%70ytestmark",
    }.items(),
)
def test_a_query_that_serves_as_id_is_encoded_in_its_node_name_alone(
    query: str, name: str
) -> None:
    escaped = query.encode("unicode_escape").decode().replace('"', '\\"')
    found = read_case(f'cases:\n  - query: "{escaped}"\n')
    assert found.query == found.id == query
    assert found.node_name == name


@given(st.text(min_size=1))
def test_a_node_name_can_be_carried_and_read_back(query: str) -> None:
    name = node_name(query)
    assert wrong_id(name) is None if name.strip() else name == query
    if not any("\ud800" <= character <= "\udfff" for character in query):
        assert unquote(name) == query


TEXTS = st.text("a%5BD3A:[]_\n", min_size=1, max_size=5)


@given(st.lists(TEXTS, min_size=2, max_size=2, unique=True))
def test_distinct_queries_have_distinct_node_names(queries: list[str]) -> None:
    first, second = queries
    assert node_name(first) != node_name(second)


def test_two_cases_with_one_id() -> None:
    assert mistakes("cases:\n  - {query: a, id: x}\n  - query: b\n    id: x\n") == [
        '3:5: id: a second case with the id "x", the first is in line 2; ids are unique in a file (in case "x")'
    ]


def test_two_equal_queries_without_ids() -> None:
    assert mistakes("cases:\n  - query: a\n  - query: 'a'\n") == [
        '3:5: query: a second case with the id "a", the first is in line 2; give one of them an id (in case "a")'
    ]
    first, second = read("cases: [{query: a}, {query: a, id: b}]").cases
    assert (first.id, second.id) == ("a", "b")


OWNED = (
    "is a marker or a word that pytest or a plugin already owns; "
    "choose another name, or take it out of the ini key markers"
)
SIGNS = "may have letters, digits and . + - _ only, so that -m can name it"


@pytest.mark.parametrize(
    ("tag", "why"),
    [("skip", OWNED), ("True", OWNED), ("a b", SIGNS), ("a(b)", SIGNS), ("é!", SIGNS)],
)
def test_what_is_no_tag(tag: str, why: str) -> None:
    (found,) = mistakes(f"cases:\n  - query: x\n    tags: [head, {tag}]\n")
    assert found.startswith(f'3:18: tags[1]: the tag "{tag}" {why}')


def test_a_tag_that_a_plugin_owns() -> None:
    text = b"tags: [slow]\ncases: [{query: x}]"
    assert parse_suite(text, "shop.yaml").terms.tags == ("slow",)
    with pytest.raises(CaseFileError, match=f'1:8: .* the tag "slow" {OWNED}'):
        suite_of(
            text, CaseFile("shop.yaml", "shop.yaml", owned_tags=frozenset({"slow"}))
        )
