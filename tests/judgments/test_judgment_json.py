"""Plain JSON and JSON Lines: judgments and queries, as people and other tools write
them.
"""

import json
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance._json_text import JsonReader, NumberAsWritten, as_python
from pytest_relevance._problems import Place, Problem, Problems
from tests.judgments.helpers import Files, lines

# Judgments


CONTENTS: dict[str, tuple[object, dict[str, dict[str, float]]]] = {
    "ids that are numbers": (
        '[{"qid": 1.0, "docno": 12345678901234567890, "rel": 2}, {"qid": 1e5, "docno": -0, "rel": 1}]',
        {"1.0": {"12345678901234567890": 2}, "1e5": {"-0": 1}},
    ),
    "blank grades": (
        {"hat": {"a": None, "b": "", "c": " ", "d": 0}, "cap": {"a": None}},
        {"hat": {"d": 0}},
    ),
    "lines, some blank": (
        f"\n{lines({'query': 'hat', 'doc_id': 'a', 'grade': 3})}\n\n",
        {"hat": {"a": 3}},
    ),
    "lines of grades and of items": (
        lines({"cap": {"a": 3}}, {"hat": [{"doc_id": "a", "grade": 0}, {"_id": "b", "grade": 2}]}),
        {"cap": {"a": 3}, "hat": {"a": 0, "b": 2}},
    ),
    "items of a query": (
        [{"query": "hat", "judgments": [{"doc_id": "a", "grade": 0}, {"id": 7, "rating": 1}]}],
        {"hat": {"a": 0, "7": 1}},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("content", "expected"), CONTENTS.values(), ids=CONTENTS)
def test_shapes_of_judgments(files: Files, content: object, expected: object) -> None:
    judgments = files.judgments(content)
    assert judgments == expected
    assert {type(key) for key in [*judgments, *chain(*judgments.values())]} == {str}


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ({"blue shoes": {"a b": 2}}, Place(path='["blue shoes"]["a b"]')),
        ([{"query": "blue shoes", "doc_id": "a b", "grade": 1}], Place(path="[0]")),
        ("\n" + lines({"query": "blue shoes", "doc_id": "a b", "grade": 1}) * 2, Place(line=2)),
        (lines({"q": {"x": 1}}, {"blue shoes": {"a b": 1}}), Place(line=2, path='["blue shoes"]["a b"]')),
    ],
)  # fmt: skip
def test_where_a_judgment_stands(files: Files, content: object, place: Place) -> None:
    assert files.judgments(content).place("blue shoes", "a b") == place


def test_a_list_of_judgments(files: Files) -> None:
    shoes = {"query_id": "q1", "query": "blue shoes"}
    content = [
        {**shoes, "product_id": "a", "rating": 3, "title": "Trainers"},
        {**shoes, "product_id": "b", "rating": None, "price": 20},
        {"query_id": "q2", "query": "hat", "product_id": "a", "rating": "1"},
    ]
    judgments = files.judgments(content)
    assert judgments == {"q1": {"a": 3}, "q2": {"a": 1}}
    assert judgments.text("q1") == "blue shoes"
    assert judgments.known_as("hat") == ["q2"]
    assert judgments.titles == {"q1": {"a": "Trainers"}}


def test_a_query_with_its_ratings(files: Files) -> None:
    params = {"locale": "de", "n": 3}
    shoes = {"query_id": "q1", "query": "shoes", "weight": 20, "params": params}
    content = lines(
        {**shoes, "ratings": {"a": 3}},
        {"query_id": "q3", "query": "cap", "ratings": []},
        {"query": "bag", "ratings": None},
    )
    judgments = files.judgments(content)
    assert (judgments, judgments.unrated) == ({"q1": {"a": 3}}, ["q3", "bag"])
    query = judgments.queries["q1"]
    assert (query.text, query.weight, query.params) == ("shoes", 20, params)


def test_several_raters(files: Files) -> None:
    row = {"query": "hat", "doc_id": "a"}
    rows = [
        {**row, "grade": 3, "rater": "ann"},
        {**row, "grade": 0, "rater": "bob"},
        {**row, "grade": 1, "rater": None},
    ]
    judgments = files.judgments(rows)
    assert judgments == {"hat": {"a": 1}}
    assert judgments.ratings == {"hat": {"a": {"ann": 3, "bob": 0, "rating 1": 1}}}
    unnamed = {**row, "grade": 3, "rater": None}
    assert files.judgments([unnamed]).raters == ()
    problem = files.problem([unnamed, {**unnamed, "grade": 0}])
    assert "judged twice, 3 at [0] and 0 here" in problem


# Queries


def test_queries_of_beir(files: Files) -> None:
    first = {"_id": "0012", "text": "blue shoes", "metadata": {}}
    path = files.write(lines(first, {"_id": 13, "text": "hat"}), "queries.jsonl")
    assert files.queries(path) == {"0012": "blue shoes", "13": "hat"}
    assert files.queries(path, "beir") == files.queries(path)
    assert [query.line for query in files.described(path)] == [1, 2]


@pytest.mark.parametrize(
    ("content", "queries"),
    [
        ({"q1": "shoes", "007": "hat", "2": 300}, {"q1": "shoes", "007": "hat", "2": "300"}),
        (["blue shoes", "hat"], {"blue shoes": "blue shoes", "hat": "hat"}),
        ([{"query_id": 7, "query": "cap"}], {"7": "cap"}),
        ({"hat": {"a": 1}, "cap": {}}, {"hat": "hat", "cap": "cap"}),
        ([{"query": "hat", "doc_id": "a", "grade": 1}] * 2, {"hat": "hat"}),
        ([{"qid": "1", "query": "hat", "ratings": {"a": 1}}], {"1": "hat"}),
        # one query is a file
        ({"query_id": "q1", "query": "hat", "colour": "red"}, {"q1": "hat"}),
        ({"_id": "q1", "text": "hat", "metadata": {}}, {"q1": "hat"}),
        ({"qid": "q1", "query": "hat", "weight": 3}, {"q1": "hat"}),
        # grades, numbers or names, below a query
        ({"data": {"d1": 3, "d2": "0"}}, {"data": "data"}),
        ({"hat": {"d1": "good"}, "cap": {"d1": "bad"}}, {"hat": "hat", "cap": "cap"}),
    ],
    ids=json.dumps,
)  # fmt: skip
def test_shapes_of_queries(
    files: Files, content: object, queries: dict[str, str]
) -> None:
    assert files.queries(content) == queries


def test_what_a_query_has_beside_its_text(files: Files) -> None:
    first, second = files.described(
        [
            {"id": 1, "query": "a", "weight": 4.5, "information_need": "b", "params": {"c": 3}},
            {"id": 2, "query": "cap", "weight": None, "note": ""},
        ]
    )  # fmt: skip
    assert (first.weight, first.note, first.params) == (4.5, "b", {"c": 3})
    assert (second.weight, second.note, second.params) == (1, None, {})


def test_wrong_queries(files: Files) -> None:
    content = lines(
        {"_id": "1", "text": "hat"},
        {"_id": "1", "text": "cap"},
        {"_id": "2", "text": " "},
        {"_id": None, "text": "cap"},
        {"_id": "3"},
        {"_id": "4", "text": "bag", "weight": -1},
    )
    assert files.query_problems(content) == [
        'FILE:2: the query id "1" stands for "hat" in line 1 and for "cap"; give one of them another id',
        "FILE:3: the query has no text",
        "FILE:4: the query has no id",
        "FILE:5: the query has no text",
        "FILE:6: a weight is a number above 0, found -1",
    ]
    assert files.query_problems({"q1": "hat", "q2": None, " ": "cap"}) == [
        "FILE: q2: the query has no text",
        'FILE: [" "]: the query has no id',
    ]
    problem = files.query_problem([{"_id": ["q1"], "text": "hat"}])
    assert problem == "FILE: [0]: \"_id\" is text or a number, found the list ['q1']"


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
    files: Files, content: dict[str, object]
) -> None:
    problem = files.query_problem(content)
    assert f'one query with the keys "{next(iter(content))}"' in problem
    assert f", or {len(content)} queries, {{id: text}}; write one query in a" in problem


@pytest.mark.parametrize(
    "content",
    [
        {"Query set": {"nlp": "networks", "query": "logs"}},
        {"q1": {"text": "hat"}},
        {"q1": {"text": "hat"}, "q2": {"d1": 1}},
        {"hat": {"d1": "good", "d2": "bad"}},
    ],
)
def test_texts_that_may_be_queries_or_named_grades_are_refused(
    files: Files, content: object
) -> None:
    assert ": a query is {id: text}, a text in a list, " in files.query_problem(content)


@pytest.mark.parametrize(
    "content",
    [
        lines(*[{"query_id": "q067", "doc_id": "a", "grade": 1}] * 2),
        [{"query_id": "q067", "doc_id": "a", "grade": 1}],
        [{"qid": "q067", "ratings": {"a": 1}}],
    ],
)
def test_ids_without_texts_are_no_queries(files: Files, content: object) -> None:
    problem = files.query_problem(content)
    assert "these are judgments that have only the ids of queries" in problem


# Mistakes


def test_every_mistake_with_its_line_and_path(files: Files) -> None:
    grades = {"a": 1, "": 2, "b": {"title": "x"}}
    assert files.problems({"hat": grades, "cap": [1], "bag": {"c": [1]}}) == [
        'FILE: hat[""]: a document has no id',
        "FILE: hat.b: a rating is a number or a name of the scale, found the mapping {'title': 'x'}",
        "FILE: cap: a document has a grade, and a list of ids has none; is this a run? In judgments write "
        '{"1": 1}',
        "FILE: bag.c: a rating is a number or a name of the scale, found the list [1]",
    ]


GOOD = {"query": "a", "doc_id": "x", "grade": 1}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({**GOOD, "doc_id": None}, "the row has no document"),
        ({**GOOD, "query": ""}, "the row has no query"),
        ({**GOOD, "doc_id": True}, '"doc_id" is text or a number, found true'),
        ({**GOOD, "doc_id": ["a"]}, "\"doc_id\" is text or a number, found the list ['a']"),
        ({**GOOD, "grade": {}}, '"grade" is a number or a name, found the mapping {}'),
        ({"query": "a", "doc_id": "x", "grde": 1},
         '"grade" is missing; found "query", "doc_id" and "grde"'),
        ([1], "expected an object, found the list [1]"),
        ({"a": {"x": 1}}, '"grade" is missing; found "a"'),
    ],
)  # fmt: skip
def test_a_wrong_judgment_among_others(files: Files, wrong: object, says: str) -> None:
    two = lines(GOOD, wrong, GOOD, wrong)
    assert files.problems(two) == [f"FILE:2: {says}", f"FILE:4: {says}"]
    assert files.problem([GOOD, wrong]) == f"FILE: [1]: {says}"


def test_an_object_that_is_another_kind_than_the_first(files: Files) -> None:
    problem = files.problem(lines({"a": {"x": 1}}, GOOD))
    assert problem.startswith("FILE:2: judgments are {query: {document: grade}}, or")


@pytest.mark.parametrize("content", ["{}", "[]", "[\n]\n"])
def test_a_file_without_content(files: Files, content: str) -> None:
    assert files.problem(content) == "FILE: the file has no judgments"
    assert files.query_problem(content) == "FILE: the file has no queries"


# The reader of JSON: digits, keys that stand twice, and paths

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


def read(text: str) -> tuple[Any, list[Problem]]:
    problems = Problems("file.json")
    return JsonReader().read(text, problems.add), problems.found


@given(DOCUMENTS)
def test_values_are_those_of_python(document: Any) -> None:
    found, mistakes = read(json.dumps(document))
    assert (as_python(found), mistakes) == (document, [])


@pytest.mark.parametrize("number", ["1", "1.0", "1e5", "-0", "0.10", "NaN", "9" * 5000])
def test_numbers_keep_their_digits(number: str) -> None:
    found, mistakes = read(f"[{number}]")
    assert (found, mistakes) == ([number], [])
    assert isinstance(found[0], NumberAsWritten)


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
    _, mistakes = read(text)
    assert [mistake.place.path for mistake in mistakes] == paths
    for mistake in mistakes:
        assert "stands twice, with different values" in mistake.message


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"a": 1,\n"b" 2}', 2, "not valid JSON: Expecting ':' delimiter (column 5)"),
        ("[" * 100_000, 1, "nested too deeply"),
        ('["\\ud83d"]', 1, "half of a character"),
    ],
    ids=["no colon", "nested", "surrogate"],
)
def test_what_is_not_json_has_its_line(text: str, line: int, message: str) -> None:
    _, (mistake,) = read(text)
    assert mistake.place.line == line
    assert message in mistake.message


def test_a_whole_surrogate_pair_is_a_character() -> None:
    found, mistakes = read('["\\ud83d\\udc5f \\\\ud83d"]')
    assert (found, mistakes) == (["\U0001f45f \\ud83d"], [])
