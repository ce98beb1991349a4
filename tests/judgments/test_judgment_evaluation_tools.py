"""Quepid's exports, and RRE's files."""

import pytest

from pytest_relevance._problems import Place
from tests.judgments.helpers import Files

# Quepid: a case, a book of several judges, CSV


def test_a_whole_case(files: Files) -> None:
    star_wars = {
        "query_text": "star wars",
        "options": {"customer": "big", "boost": 1.5},
        "notes": "A New Hope is perfect",
        "information_need": "the films",
        "ratings": [
            {"doc_id": "602", "rating": 2.0, "user_email": "ann@example.org"},
            {"doc_id": 12180, "rating": None},
        ],
    }
    willis = {"query_text": "willis", "notes": "Bruce", "ratings": None}
    path = files.write({"scorer": {}, "queries": [star_wars, willis]})
    judgments = files.judgments(path)
    assert judgments == {"star wars": {"602": 2}}
    assert (judgments.raters, judgments.unrated) == ((), ["willis"])
    first, second = files.described(path)
    assert (first.id, first.text, first.note) == ("star wars", "star wars", "the films")
    assert first.params == {"customer": "big", "boost": 1.5}
    assert (second.text, second.note, second.params) == ("willis", "Bruce", {})


def test_a_book_has_several_raters(files: Files) -> None:
    bob = {"user_email": "bob@example.org"}
    first = {
        "query_text": "star wars",
        "doc_id": "602",
        "document_fields": '{"title": "Independence Day"}',
        "judgements": [
            {"rating": 0.0, "user_email": "ann@example.org"},
            {"rating": 3.0, "unrateable": False, "judge_later": False, **bob},
            {"rating": 1.0},
        ],
    }
    second = {
        "query_text": "star wars",
        "doc_id": 11,
        "document_fields": {"title": "Star Wars"},
        "judgements": [
            {"rating": 3.0, "user": {"name": "Ann"}},
            {"rating": 0.0, "unrateable": True, **bob},
            {"rating": 2.0, "judge_later": True, **bob},
        ],
    }
    third = {"query_text": "willis", "doc_id": 5, "document_fields": "no JSON"}
    judgments = files.judgments({"query_doc_pairs": [first, second, third]})
    assert judgments == {"star wars": {"602": 1, "11": 3}}
    assert judgments.ratings["star wars"] == {
        "602": {"ann@example.org": 0, "bob@example.org": 3, "rating 3": 1},
        "11": {"Ann": 3},
    }
    titles = {"602": "Independence Day", "11": "Star Wars"}
    assert judgments.titles == {"star wars": titles}
    assert judgments.unrated == ["willis"]


def test_csv_by_name(files: Files) -> None:
    rows = "star wars,602,2.0\nstar wars,11,\nwillis,,\n -1 degree,a,1"
    path = files.write(f"query,docid,rating\n{rows}", "e.csv")
    judgments = files.judgments(path, "quepid")
    assert judgments == {"star wars": {"602": 2}, "-1 degree": {"a": 1}}
    assert judgments.format == "quepid"
    assert list(files.queries(path, "quepid")) == ["star wars", "willis", "-1 degree"]


def test_a_snapshot_has_no_ratings(files: Files) -> None:
    header = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position"
    problem = files.problem(f"{header}\nMay,2024-05-01,6,star wars,11,1\n", "quepid")
    assert problem.startswith("FILE:1: this seems to be a run, with a rank or a score")


def test_mistakes_in_exports(files: Files) -> None:
    queries = [{"query": "cap", "ratings": 3}, {"ratings": {"a": 1}}]
    assert files.problems({"queries": queries}) == [
        "FILE: queries[0].ratings: ratings are an object, {document: rating}, or a list of objects; found 3",
        'FILE: queries[1]: "query" is missing; found "ratings"',
    ]
    judgements = [{"rating": {}}, {"unrateable": False}]
    pair = {"query_text": "hat", "doc_id": "a", "judgements": judgements}
    assert files.problems({"query_doc_pairs": [pair]}) == [
        "FILE: query_doc_pairs[0].judgements[0].rating: a rating is a number or a name of the scale, found the "
        "mapping {}",
        'FILE: query_doc_pairs[0].judgements[1]: "rating" is missing; found "unrateable"',
    ]


# RRE: ratings.json


def query(text: object = "hat", **others: object) -> dict[str, object]:
    return {"template": "only_q.json", "placeholders": {"$query": text, **others}}


def group(*queries: object, **keys: object) -> dict[str, object]:
    return {"queries": list(queries), **keys}


def relevant(by_document: object) -> dict[str, object]:
    return {"relevant_documents": by_document}


def test_topics_and_groups(files: Files) -> None:
    by_document = {"sku-19": {"gain": 3}, "007": {"rating": 1}, "no": None, "x": {}}
    by_grade = {"3": ["sku-19", 44], "0": ["1e5"]}
    hats = group(query("hat"), query("a Hat"), name="Hats", **relevant(by_document))
    caps = group(query("cap"), **relevant(by_grade))
    topic = {"description": "Clothes", "query_groups": [hats, caps]}
    path = files.write({"index": "shop", "id_field": "id", "topics": [topic]})
    judgments = files.judgments(path)
    assert judgments == {
        "hat": {"sku-19": 3, "007": 1, "no": 2, "x": 2},
        "a Hat": {"sku-19": 3, "007": 1, "no": 2, "x": 2},
        "cap": {"sku-19": 3, "44": 3, "1e5": 0},
    }
    assert judgments.format == "rre"
    groups = "topics[0].query_groups"
    place = Place(path=f"{groups}[0].relevant_documents.no")
    assert judgments.place("a Hat", "no") == place
    place = Place(path=f"{groups}[1].relevant_documents.3[1]")
    assert judgments.place("cap", "44") == place
    notes = {"hat": "Clothes: Hats", "a Hat": "Clothes: Hats", "cap": "Clothes"}
    assert {found.text: found.note for found in files.described(path)} == notes


@pytest.mark.parametrize(
    "content",
    [
        {"topics": [{"queries": [query()], **relevant({"a": {"gain": 1}})}]},
        {"query_groups": [group(query(), **relevant({"1": ["a"]}))]},
        {"queries": [query()], **relevant({"1": ["a"]})},
        {"queries": [{**query(), **relevant({"1.0": ["a"]})}]},
    ],
)
def test_levels_may_be_left_out(files: Files, content: object) -> None:
    assert files.judgments(content) == {"hat": {"a": 1}}


def test_documents_of_the_group_and_of_the_query(files: Files) -> None:
    own = {**query("cap"), **relevant({"b": {"gain": 3}, "c": {"gain": None}})}
    content = group(query("hat"), own, **relevant({"a": {"gain": 1}}))
    assert files.judgments(content) == {"hat": {"a": 1}, "cap": {"a": 1, "b": 3}}


def test_the_text_may_have_another_placeholder(files: Files) -> None:
    hat = {"placeholders": {"$q": "hat", "$query": "x"}, **relevant({"1": ["a"]})}
    content = {"query_placeholder": "$q", "queries": [hat]}
    (found,) = files.described(content)
    assert (found.text, found.params) == ("hat", {"query": "x"})


def test_other_placeholders_are_params_and_make_another_query(files: Files) -> None:
    params: list[dict[str, object]] = [
        {},
        {"strings": 4},
        {"strings": 5, "new": True, "brand": "no"},
    ]
    queries = []
    for grade, others in enumerate(params, 1):
        placeholders = {f"${name}": value for name, value in others.items()}
        queries.append(
            {**query("Fender", **placeholders), **relevant({f"{grade}": ["a"]})}
        )
    path = files.write({"queries": queries})
    judgments = files.judgments(path)
    assert judgments == {
        "Fender": {"a": 1},
        "Fender (strings=4)": {"a": 2},
        "Fender (brand=no, new=true, strings=5)": {"a": 3},
    }
    assert [found.params for found in files.described(path)] == params
    assert len(judgments.known_as("Fender")) == 3


def test_every_mistake_of_rre(files: Files) -> None:
    grades = {"a": 3, "1": ["b", None, {}], " ": {"gain": 1}}
    queries = [
        query(True),
        {"placeholders": {"$q": "hat"}},
        {"placeholders": "hat"},
        {"template": "t"},
        {**query("cap"), **relevant(grades)},
        {**query("bag"), **relevant(["a"])},
    ]
    cure = 'say which one is the text of the query: "query_placeholder" at the top of the file'
    shapes = 'relevant_documents have {"gain": 3} for a document or a list of documents for a grade'
    assert files.problems({"queries": queries}) == [
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
