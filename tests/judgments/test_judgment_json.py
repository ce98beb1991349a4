"""Plain JSON and JSON a line: judgments and queries, as people and other tools write
them.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import read_judgments, read_queries
from pytest_relevance._problems import Place, Problem, Problems
from pytest_relevance._source import JsonReader, NumberAsWritten, as_python
from pytest_relevance.judgments.reading import load_queries
from tests.judgments.helpers import problems, query_problems, written


def lines(*objects: object) -> str:
    return "".join(f"{json.dumps(entry)}\n" for entry in objects)


def test_grades_by_query_and_document(tmp_path: Path) -> None:
    judgments = read_judgments(
        written(
            tmp_path, {"blue shoes": {"sku-1": 3, "sku-2": 0.5}, "hat": {"sku-1": 0}}
        )
    )
    assert judgments == {"blue shoes": {"sku-1": 3, "sku-2": 0.5}, "hat": {"sku-1": 0}}
    assert judgments.format == "json"
    assert judgments.place("blue shoes", "sku-2") == Place(path='["blue shoes"].sku-2')


def test_ids_that_are_numbers_keep_their_digits(tmp_path: Path) -> None:
    content = '[{"qid": 1.0, "docno": 12345678901234567890, "rel": 2}, {"qid": 1e5, "docno": -0, "rel": 1}]'
    judgments = read_judgments(written(tmp_path, content))
    assert judgments == {"1.0": {"12345678901234567890": 2}, "1e5": {"-0": 1}}
    assert {type(key) for key in [*judgments, *judgments["1.0"]]} == {str}


def test_a_list_of_judgments(tmp_path: Path) -> None:
    content = [
        {
            "query_id": "q1",
            "query": "blue shoes",
            "product_id": "a",
            "rating": 3,
            "title": "Trainers",
        },
        {
            "query_id": "q1",
            "query": "blue shoes",
            "product_id": "b",
            "rating": None,
            "price": 20,
        },
        {"query_id": "q2", "query": "hat", "product_id": "a", "rating": "1"},
    ]
    judgments = read_judgments(written(tmp_path, content))
    assert judgments == {"q1": {"a": 3}, "q2": {"a": 1}}
    assert judgments.text("q1") == "blue shoes"
    assert judgments.known_as("hat") == ["q2"]
    assert judgments.titles == {"q1": {"a": "Trainers"}}
    assert judgments.place("q2", "a") == Place(path="[2]")


def test_a_judgment_a_line(tmp_path: Path) -> None:
    content = lines(
        {"query": "blue shoes", "doc_id": "a", "grade": 3},
        {"query": "hat", "doc_id": "a", "grade": 0},
    )
    path = written(
        tmp_path,
        f"\n{content}\n\n" + lines({"doc_id": "b", "query": "hat", "grade": 2}),
    )
    judgments = read_judgments(path)
    assert judgments == {"blue shoes": {"a": 3}, "hat": {"a": 0, "b": 2}}
    assert judgments.format == "jsonl"
    assert judgments.place("hat", "b") == Place(line=6)


def test_a_query_a_line_with_its_grades(tmp_path: Path) -> None:
    items = [{"doc_id": "a", "grade": 0}, {"_id": "b", "grade": 2}]
    judgments = read_judgments(
        written(
            tmp_path, lines({"blue shoes": {"a": 3}}, {"hat": items, "cap": {"b": 1}})
        )
    )
    assert judgments == {
        "blue shoes": {"a": 3},
        "hat": {"a": 0, "b": 2},
        "cap": {"b": 1},
    }
    assert judgments.place("cap", "b") == Place(line=2, path="cap.b")


def test_a_query_with_its_ratings(tmp_path: Path) -> None:
    content = lines(
        {
            "query_id": "q1",
            "query": "blue shoes",
            "ratings": {"a": 3},
            "weight": 20,
            "params": {"locale": "de", "n": 3},
        },
        {
            "query_id": "q2",
            "query": "hat",
            "judgments": [{"doc_id": "a", "grade": 0}, {"id": 7, "rating": 1}],
        },
        {"query_id": "q3", "query": "cap", "ratings": []},
        {"query": "bag", "ratings": None},
    )
    judgments = read_judgments(written(tmp_path, content))
    assert judgments == {"q1": {"a": 3}, "q2": {"a": 0, "7": 1}}
    assert judgments.unrated == ["q3", "bag"]
    query = judgments.queries["q1"]
    assert (query.text, query.weight, query.params) == (
        "blue shoes",
        20,
        {"locale": "de", "n": 3},
    )


def test_a_blank_grade_is_no_judgment(tmp_path: Path) -> None:
    judgments = read_judgments(
        written(
            tmp_path,
            {"hat": {"a": None, "b": "", "c": " ", "d": 0}, "cap": {"a": None}},
        )
    )
    assert judgments == {"hat": {"d": 0}}
    assert judgments.unrated == ["cap"]


def test_several_raters(tmp_path: Path) -> None:
    content = lines(
        {"query": "hat", "doc_id": "a", "grade": 3, "rater": "ann"},
        {"query": "hat", "doc_id": "a", "grade": 0, "rater": "bob"},
        {"query": "hat", "doc_id": "a", "grade": 1, "rater": None},
    )
    judgments = read_judgments(written(tmp_path, content))
    assert judgments == {"hat": {"a": 1}}
    assert judgments.ratings == {"hat": {"a": {"ann": 3, "bob": 0, "rating 1": 1}}}
    unnamed = [
        {"query": "hat", "doc_id": "a", "grade": grade, "rater": None}
        for grade in (3, 0)
    ]
    assert read_judgments(written(tmp_path, unnamed[:1])).raters == ()
    assert (
        "judged twice, 3 at [0] and 0 here" in problems(written(tmp_path, unnamed))[0]
    )


# --- Queries


def test_queries_of_beir(tmp_path: Path) -> None:
    content = lines(
        {"_id": "0012", "text": "blue shoes", "metadata": {}},
        {"_id": 13, "text": "hat"},
    )
    path = written(tmp_path, content, "queries.jsonl")
    assert read_queries(path) == {"0012": "blue shoes", "13": "hat"}
    assert read_queries(path, "beir") == {"0012": "blue shoes", "13": "hat"}
    assert [query.line for query in load_queries(path)] == [1, 2]


@pytest.mark.parametrize(
    ("content", "queries"),
    [
        (
            {"q1": "blue shoes", "007": "hat", "2": 300},
            {"q1": "blue shoes", "007": "hat", "2": "300"},
        ),
        (["blue shoes", "hat"], {"blue shoes": "blue shoes", "hat": "hat"}),
        ([{"query_id": 7, "query": "cap"}], {"7": "cap"}),
        ({"hat": {"a": 1}, "cap": {}}, {"hat": "hat", "cap": "cap"}),
        ([{"query": "hat", "doc_id": "a", "grade": 1}] * 2, {"hat": "hat"}),
        ([{"qid": "1", "query": "hat", "ratings": {"a": 1}}], {"1": "hat"}),
        ({"query_id": "1", "query": "hat"}, {"1": "hat"}),
    ],
)
def test_shapes_of_queries(
    tmp_path: Path, content: object, queries: dict[str, str]
) -> None:
    assert read_queries(written(tmp_path, content)) == queries


def test_what_a_query_has_beside_its_text(tmp_path: Path) -> None:
    content = [
        {
            "id": "q1",
            "query": "hat",
            "weight": 4.5,
            "information_need": "for the sun",
            "params": {"size": 3},
        },
        {"id": "q2", "query": "cap", "weight": None, "note": ""},
    ]
    first, second = load_queries(written(tmp_path, content))
    assert (first.weight, first.note, first.params) == (4.5, "for the sun", {"size": 3})
    assert (second.weight, second.note, second.params) == (1, None, {})


def test_wrong_queries(tmp_path: Path) -> None:
    content = lines(
        {"_id": "1", "text": "hat"},
        {"_id": "1", "text": "cap"},
        {"_id": "2", "text": " "},
        {"_id": None, "text": "cap"},
        {"_id": "3"},
        {"_id": "4", "text": "bag", "weight": -1},
    )
    assert query_problems(written(tmp_path, content)) == [
        'FILE:2: the query id "1" stands for "hat" in line 1 and for "cap"; give one of them another id',
        "FILE:3: the query has no text",
        "FILE:4: the query has no id",
        "FILE:5: the query has no text",
        "FILE:6: a weight is a number above 0, found -1",
    ]


def test_wrong_values_for_texts(tmp_path: Path) -> None:
    assert query_problems(written(tmp_path, {"q1": "hat", "q2": None, " ": "cap"})) == [
        "FILE: q2: the query has no text",
        'FILE: [" "]: the query has no id',
    ]
    (problem,) = query_problems(written(tmp_path, [{"_id": ["q1"], "text": "hat"}]))
    assert problem == "FILE: [0]: \"_id\" is text or a number, found the list ['q1']"


# --- Bad input


def test_every_mistake_with_its_line_and_path(tmp_path: Path) -> None:
    content = {
        "hat": {"a": 1, "": 2, "b": {"title": "x"}},
        "cap": [1],
        "bag": {"c": [1]},
    }
    assert problems(written(tmp_path, content)) == [
        'FILE: hat[""]: a document has no id',
        "FILE: hat.b: a rating is a number or a name of the scale, found the mapping {'title': 'x'}",
        'FILE: cap[0]: "ratings" is a list of objects, found 1 in it',
        "FILE: bag.c: a rating is a number or a name of the scale, found the list [1]",
    ]


GOOD = {"query": "a", "doc_id": "x", "grade": 1}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({**GOOD, "doc_id": None}, "the row has no document"),
        ({**GOOD, "query": ""}, "the row has no query"),
        ({**GOOD, "doc_id": True}, '"doc_id" is text or a number, found true'),
        ({**GOOD, "grade": {}}, '"grade" is a number or a name, found the mapping {}'),
        (
            {"query": "a", "doc_id": "x", "grde": 1},
            '"grade" is missing; found "query", "doc_id" and "grde"',
        ),
        ([1], "expected an object, found the list [1]"),
        ({"a": {"x": 1}}, '"grade" is missing; found "a"'),
    ],
)
def test_a_wrong_judgment_among_others(
    tmp_path: Path, wrong: object, said: str
) -> None:
    assert problems(written(tmp_path, lines(GOOD, wrong, GOOD, wrong))) == [
        f"FILE:{line}: {said}" for line in (2, 4)
    ]
    assert problems(written(tmp_path, [GOOD, wrong])) == [f"FILE: [1]: {said}"]


def test_an_object_that_is_another_kind_than_the_first(tmp_path: Path) -> None:
    (problem,) = problems(written(tmp_path, lines({"a": {"x": 1}}, GOOD)))
    assert problem.startswith(
        "FILE:2: judgments are {query: {document: grade}}, or objects that have query and rating"
    )


@pytest.mark.parametrize("content", ["{}", "[]", "[\n]\n"])
def test_nothing_in_it(tmp_path: Path, content: str) -> None:
    assert problems(written(tmp_path, content)) == ["FILE: the file has no judgments"]
    assert query_problems(written(tmp_path, content)) == [
        "FILE: the file has no queries"
    ]


# What one object is: {id: text}, {query: its judgments}, or one query


@pytest.mark.parametrize(
    "query",
    [
        {"query_id": "q1", "query": "hat", "colour": "red"},
        {"_id": "q1", "text": "hat", "metadata": {}},
        {"qid": "q1", "query": "hat", "weight": 3},
    ],
)
def test_one_query_is_a_file(tmp_path: Path, query: dict[str, object]) -> None:
    assert read_queries(written(tmp_path, query)) == {"q1": "hat"}


@pytest.mark.parametrize(
    "content",
    [
        {"id": "q1", "query": "hat", "lang": "en"},
        {"query": "hat", "weight": 3},
        {"nlp": "neural networks", "topic": "topic models"},
        {"query": "query logs"},
    ],
)
def test_what_may_be_one_query_or_several_is_refused(
    tmp_path: Path, content: dict[str, object]
) -> None:
    (problem,) = query_problems(written(tmp_path, content))
    assert problem.startswith(
        f'FILE: the file may be one query with the keys "{next(iter(content))}"'
    )
    assert problem.endswith(
        f", or {len(content)} queries, {{id: text}}; write one query in a list, [{{...}}], and several as a list of "
        "objects with query_id and query"
    )


@pytest.mark.parametrize(
    "content",
    [
        {"Query set": {"nlp": "networks", "query": "logs"}},
        {"q1": {"text": "hat"}},
        {"hat": {"d1": "good", "d2": "bad"}},
    ],
    ids=repr,
)
def test_texts_where_grades_would_be_are_refused(
    tmp_path: Path, content: dict[str, object]
) -> None:
    """They may be queries below a key, or named grades of one query."""
    (problem,) = query_problems(written(tmp_path, content))
    assert "a query is {id: text}, a text in a list, or an object such as" in problem
    assert read_queries(written(tmp_path, {"data": {"d1": 3, "d2": "0"}})) == {
        "data": "data"
    }
    assert [
        *read_queries(written(tmp_path, {"hat": {"d1": "good"}, "cap": {"d1": "bad"}}))
    ] == ["hat", "cap"]
    (problem,) = query_problems(
        written(tmp_path, {"q1": {"text": "hat"}, "q2": {"d1": 1}})
    )
    assert problem.startswith("FILE: q1: a query is ")


def test_ids_without_texts_are_no_queries(tmp_path: Path) -> None:
    row = {"query_id": "q067", "doc_id": "a", "grade": 1}
    for content in (
        lines(row, row),
        json.dumps([row]),
        json.dumps([{"qid": "q067", "ratings": {"a": 1}}]),
    ):
        (problem,) = query_problems(written(tmp_path, content))
        assert problem.startswith(
            "FILE: these are judgments that have only the ids of queries"
        )


# JSON as it was written: digits, keys that stand twice, and paths


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
)


def mistakes(text: str) -> list[Problem]:
    found = Problems("file.json")
    JsonReader().read(text, found.add)
    return found.found


@given(DOCUMENTS)
def test_values_are_those_of_python(document: Any) -> None:
    found: list[object] = []
    assert (
        as_python(
            JsonReader().read(
                json.dumps(document), lambda *mistake: found.append(mistake)
            )
        )
        == document
    )
    assert found == []


@pytest.mark.parametrize("number", ["1", "1.0", "1e5", "-0", "0.10", "NaN", "9" * 5000])
def test_numbers_keep_their_digits(number: str) -> None:
    found: Any = JsonReader().read(f"[{number}]", pytest.fail)  # type: ignore[arg-type]
    assert isinstance(found[0], NumberAsWritten)
    assert found == [number]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('{"a": 1, "a": 1}', []),
        ('{"a": 1, "a": 2}', ["a"]),
        ('{"q": [{"b": {"x": 1}}, {"b c": [1], "b c": [2]}]}', ['q[1]["b c"]']),
        ('[{"7": {"$query": 1, "$query": 2}}]', ["[0].7.$query"]),
        ('{"a": {"b": 1, "b": 2}, "a": {"c": 1, "c": 2}}', ["b", "a.c", "a"]),
    ],
)
def test_a_key_with_two_values_is_named_by_its_path(
    text: str, paths: list[str]
) -> None:
    found = mistakes(text)
    assert [mistake.place.path for mistake in found] == paths
    for mistake in found:
        assert "stands twice, with different values" in mistake.message


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            '{"a": 1,\n"b" 2}',
            2,
            "this is no valid JSON: Expecting ':' delimiter (column 5)",
        ),
        ("[" * 100_000, 1, "nested too deeply"),
        ('["\\ud83d"]', 1, "half of a character"),
    ],
)
def test_what_is_no_json_is_told_with_its_line(
    text: str, line: int, message: str
) -> None:
    (found,) = mistakes(text)
    assert found.place.line == line
    assert message in found.message


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert JsonReader().read('["\\ud83d\\udc5f \\\\ud83d"]', pytest.fail) == [  # type: ignore[arg-type]
        "\U0001f45f \\ud83d"
    ]
