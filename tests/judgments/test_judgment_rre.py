"""ratings.json of the Rated Ranking Evaluator."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance import read_judgments, read_queries
from pytest_relevance._problems import Place
from pytest_relevance.judgments.reading import load_queries
from tests.judgments.helpers import problems, written


def query(text: object = "hat", **others: object) -> dict[str, object]:
    return {"template": "only_q.json", "placeholders": {"$query": text, **others}}


def group(*queries: object, **keys: object) -> dict[str, object]:
    return {"queries": list(queries), **keys}


def test_topics_and_groups(tmp_path: Path) -> None:
    content = {
        "index": "shop",
        "id_field": "id",
        "topics": [
            {
                "description": "Clothes",
                "query_groups": [
                    group(
                        query("hat"),
                        query("a Hat"),
                        name="Hats",
                        relevant_documents={
                            "sku-19": {"gain": 3},
                            "007": {"rating": 1},
                            "no": None,
                            "x": {"gain": None},
                        },
                    ),
                    group(query("cap"), relevant_documents={"3": ["sku-19", 44], "0": ["1e5"]}),
                ],
            }
        ],
    }
    path = written(tmp_path, content)
    judgments = read_judgments(path)
    assert judgments == {
        "hat": {"sku-19": 3, "007": 1, "no": 2},
        "a Hat": {"sku-19": 3, "007": 1, "no": 2},
        "cap": {"sku-19": 3, "44": 3, "1e5": 0},
    }
    assert judgments.format == "rre"
    group_path = "topics[0].query_groups[0].relevant_documents"
    assert judgments.place("a Hat", "no") == Place(None, f"{group_path}.no")
    assert judgments.place("cap", "44").path == "topics[0].query_groups[1].relevant_documents.3[1]"
    assert [found.text for found in load_queries(path)] == ["hat", "a Hat", "cap"]


@pytest.mark.parametrize(
    "content",
    [
        {"topics": [{"queries": [query()], "relevant_documents": {"a": {"gain": 1}}}]},
        {"query_groups": [group(query(), relevant_documents={"1": ["a"]})]},
        {"queries": [query()], "relevant_documents": {"1": ["a"]}},
        {"queries": [{**query(), "relevant_documents": {"1.0": ["a"]}}]},
    ],
)
def test_levels_may_be_left_out(tmp_path: Path, content: object) -> None:
    assert read_judgments(written(tmp_path, content)) == {"hat": {"a": 1}}


def test_documents_of_the_group_and_of_the_query(tmp_path: Path) -> None:
    own = {**query("cap"), "relevant_documents": {"b": {"gain": 3}}}
    content = group(query("hat"), own, relevant_documents={"a": {"gain": 1}})
    assert read_judgments(written(tmp_path, content)) == {"hat": {"a": 1}, "cap": {"a": 1, "b": 3}}


def test_the_text_may_have_another_placeholder(tmp_path: Path) -> None:
    content = {
        "query_placeholder": "$q",
        "queries": [{"placeholders": {"$q": "hat", "$query": "x"}, "relevant_documents": {"1": ["a"]}}],
    }
    (found,) = load_queries(written(tmp_path, content))
    assert (found.text, found.params) == ("hat", {"query": "x"})


def test_other_placeholders_are_params_and_make_another_query(tmp_path: Path) -> None:
    content = {
        "queries": [
            {**query("Fender"), "relevant_documents": {"1": ["a"]}},
            {**query("Fender", **{"$strings": 4}), "relevant_documents": {"2": ["a"]}},
            {**query("Fender", **{"$strings": 5, "$new": True, "brand": "no"}), "relevant_documents": {"3": ["a"]}},
        ]
    }
    path = written(tmp_path, content)
    judgments = read_judgments(path)
    assert judgments == {
        "Fender": {"a": 1},
        "Fender (strings=4)": {"a": 2},
        "Fender (brand=no, new=true, strings=5)": {"a": 3},
    }
    assert [found.params for found in load_queries(path)] == [
        {},
        {"strings": 4},
        {"strings": 5, "new": True, "brand": "no"},
    ]
    assert len(judgments.known_as("Fender")) == 3


def test_every_mistake(tmp_path: Path) -> None:
    content = {
        "queries": [
            query(True),
            {"placeholders": {"$q": "hat"}},
            {"placeholders": "hat"},
            {"template": "t"},
            {**query("cap"), "relevant_documents": {"a": 3, "1": ["b", None, {}], " ": {"gain": 1}}},
            {**query("bag"), "relevant_documents": ["a"]},
        ]
    }
    cure = 'say which one is the text of the query: "query_placeholder" at the top of the file'
    shapes = 'relevant_documents have {"gain": 3} for a document or a list of documents for a grade'
    assert problems(written(tmp_path, content)) == [
        'FILE: queries[0].placeholders.$query: "$query" is text or a number, found true',
        f'FILE: queries[1].placeholders: there is no placeholder "$query", found "$q"; {cure}',
        'FILE: queries[2].placeholders: "placeholders" is an object, found the text "hat"',
        'FILE: queries[3]: "placeholders" is missing; found "template"',
        f"FILE: queries[4].relevant_documents.a: {shapes}, found 3",
        "FILE: queries[4].relevant_documents.1[1]: a document is text or a number, found nothing",
        "FILE: queries[4].relevant_documents.1[2]: a document is text or a number, found the mapping {}",
        'FILE: queries[4].relevant_documents[" "]: a document has no id',
        "FILE: queries[5].relevant_documents: \"relevant_documents\" is an object, found the list ['a']",
    ]


def test_the_real_files(data: Path) -> None:
    judgments = read_judgments(data / "formats" / "rre_solr.json")
    assert judgments == {
        "fender": {"1": 3, "2": 3},
        "fender Bass": {"1": 3, "2": 3},
        "Fender (strings=4)": {"1": 3, "2": 3},
        "jazz": {"1": 3},
        "Jazz bass": {"1": 3},
    }
    assert judgments.queries["Fender (strings=4)"].params == {"strings": 4}
    queries = read_queries(data / "formats" / "rre_elasticsearch.json")
    assert list(queries) == ["fender", "Fender", "Fender bass", "jazz", "Jazz", "Jazz Bass"]
