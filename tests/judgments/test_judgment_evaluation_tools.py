"""Quepid's exports (cases as CSV and JSON, books of several judges, a snapshot, which
is none), and RRE's files.
"""

from pathlib import Path

import pytest

from pytest_relevance import read_judgments, read_queries
from pytest_relevance._problems import Place
from pytest_relevance.judgments.reading import load_queries
from tests.judgments.helpers import problems, written


def test_a_whole_case(tmp_path: Path) -> None:
    content = {
        "case_name": "Films",
        "scorer": {"name": "nDCG@10"},
        "queries": [
            {
                "arranged_at": 0,
                "query_text": "star wars",
                "options": {"customer": "big", "boost": 1.5},
                "notes": "A New Hope is perfect",
                "information_need": "the films",
                "ratings": [
                    {"doc_id": "602", "rating": 2.0, "user_email": "ann@example.org"},
                    {"doc_id": 12180, "rating": None},
                ],
            },
            {
                "query_text": "willis",
                "options": None,
                "notes": "Bruce",
                "information_need": None,
                "ratings": None,
            },
        ],
        "try": {"name": "Try 19", "query_params": "{}"},
    }
    path = written(tmp_path, content)
    judgments = read_judgments(path)
    assert judgments == {"star wars": {"602": 2}}
    assert judgments.raters == ()
    assert judgments.unrated == ["willis"]
    star_wars, willis = load_queries(path)
    assert (star_wars.id, star_wars.text, star_wars.note) == (
        "star wars",
        "star wars",
        "the films",
    )
    assert star_wars.params == {"customer": "big", "boost": 1.5}
    assert (willis.text, willis.note, willis.params) == ("willis", "Bruce", {})


BOOK = {
    "name": "Films",
    "query_doc_pairs": [
        {
            "query_text": "star wars",
            "doc_id": "602",
            "document_fields": '{"title": "Independence Day"}',
            "judgements": [
                {
                    "rating": 0.0,
                    "unrateable": False,
                    "judge_later": False,
                    "user_email": "ann@example.org",
                },
                {
                    "rating": 3.0,
                    "unrateable": False,
                    "judge_later": False,
                    "user_email": "bob@example.org",
                },
                {"rating": 1.0, "unrateable": False, "judge_later": False},
            ],
        },
        {
            "query_text": "star wars",
            "doc_id": 11,
            "document_fields": {"title": "Star Wars"},
            "judgements": [
                {"rating": 3.0, "user": {"name": "Ann"}},
                {
                    "rating": 0.0,
                    "unrateable": True,
                    "judge_later": False,
                    "user_email": "bob@example.org",
                },
                {
                    "rating": 2.0,
                    "unrateable": False,
                    "judge_later": True,
                    "user_email": "bob@example.org",
                },
            ],
        },
        {
            "query_text": "willis",
            "doc_id": "562",
            "document_fields": "no JSON",
            "judgements": [],
        },
    ],
}


def test_a_book_has_several_raters(tmp_path: Path) -> None:
    judgments = read_judgments(written(tmp_path, BOOK))
    assert judgments == {"star wars": {"602": 1, "11": 3}}
    assert judgments.ratings["star wars"] == {
        "602": {"ann@example.org": 0, "bob@example.org": 3, "rating 3": 1},
        "11": {"Ann": 3},
    }
    assert judgments.titles == {
        "star wars": {"602": "Independence Day", "11": "Star Wars"}
    }
    assert judgments.unrated == ["willis"]


def test_csv_by_name(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "query,docid,rating\nstar wars,602,2.0\nstar wars,11,\nwillis,,\n -1 degree,a,1",
        "e.csv",
    )
    judgments = read_judgments(path, "quepid")
    assert judgments == {"star wars": {"602": 2}, "-1 degree": {"a": 1}}
    assert judgments.format == "quepid"
    assert list(read_queries(path, "quepid")) == ["star wars", "willis", "-1 degree"]


def test_a_snapshot_has_no_ratings(tmp_path: Path) -> None:
    header = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position"
    path = written(
        tmp_path, f"{header}\nMay,2024-05-01,6,star wars,11,1\n", "snapshot.csv"
    )
    (wrong,) = problems(path, "quepid")
    assert wrong.startswith(
        "FILE:1: this seems to be a run, with a rank or a score and no grade"
    )


def test_the_real_export(data: Path) -> None:
    judgments = read_judgments(data / "formats" / "quepid_case_basic.csv", "quepid")
    assert len(judgments) == 137
    assert sum(map(len, judgments.values())) == 1679
    assert judgments["120v power supply"]["1113221"] == 3
    assert judgments["projector screen"]["47471"] == 3


def test_mistakes(tmp_path: Path) -> None:
    assert problems(
        written(
            tmp_path,
            {"queries": [{"query": "cap", "ratings": 3}, {"ratings": {"a": 1}}]},
        )
    ) == [
        "FILE: queries[0].ratings: ratings are an object, {document: rating}, or a list of objects; found 3",
        'FILE: queries[1]: "query" is missing; found "ratings"',
    ]
    pair = {
        "query_text": "hat",
        "doc_id": "a",
        "judgements": [{"rating": {}}, {"unrateable": False}],
    }
    assert problems(written(tmp_path, {"query_doc_pairs": [pair]})) == [
        "FILE: query_doc_pairs[0].judgements[0].rating: a rating is a number or a name of the scale, found the "
        "mapping {}",
        'FILE: query_doc_pairs[0].judgements[1]: "rating" is missing; found "unrateable"',
    ]


# ratings.json of the Rated Ranking Evaluator


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
                    group(
                        query("cap"),
                        relevant_documents={"3": ["sku-19", 44], "0": ["1e5"]},
                    ),
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
    assert judgments.place("a Hat", "no") == Place(path=f"{group_path}.no")
    assert (
        judgments.place("cap", "44").path
        == "topics[0].query_groups[1].relevant_documents.3[1]"
    )
    notes = {"hat": "Clothes: Hats", "a Hat": "Clothes: Hats", "cap": "Clothes"}
    assert {found.text: found.note for found in load_queries(path)} == notes


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
    assert read_judgments(written(tmp_path, content)) == {
        "hat": {"a": 1},
        "cap": {"a": 1, "b": 3},
    }


def test_the_text_may_have_another_placeholder(tmp_path: Path) -> None:
    content = {
        "query_placeholder": "$q",
        "queries": [
            {
                "placeholders": {"$q": "hat", "$query": "x"},
                "relevant_documents": {"1": ["a"]},
            }
        ],
    }
    (found,) = load_queries(written(tmp_path, content))
    assert (found.text, found.params) == ("hat", {"query": "x"})


def test_other_placeholders_are_params_and_make_another_query(tmp_path: Path) -> None:
    content = {
        "queries": [
            {**query("Fender"), "relevant_documents": {"1": ["a"]}},
            {**query("Fender", **{"$strings": 4}), "relevant_documents": {"2": ["a"]}},
            {
                **query("Fender", **{"$strings": 5, "$new": True, "brand": "no"}),
                "relevant_documents": {"3": ["a"]},
            },
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
            {
                **query("cap"),
                "relevant_documents": {"a": 3, "1": ["b", None, {}], " ": {"gain": 1}},
            },
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
    assert list(queries) == [
        "fender",
        "Fender",
        "Fender bass",
        "jazz",
        "Jazz",
        "Jazz Bass",
    ]
