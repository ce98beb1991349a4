"""A new case file of judgments: what it looks like, and that it says what they say."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.ext.commands.case_file import case_file
from pytest_relevance.ext.commands.case_judgments import judgments_of
from pytest_relevance.ext.commands.yaml_text import write_value
from pytest_relevance.judgments.model import Judgments, Query
from tests.cases.conftest import editor_sees, read
from tests.cases.texts import (
    BLANKS,
    LIKE_SYNTAX,
    LIKE_VALUES,
    OF_A_CASE,
    RARE_CHARACTERS,
)


def test_all_that_is_known_of_a_query() -> None:
    params = {"locale": "en_GB", "no": [1, 2.0, None, {"a": True}], "size": "10"}
    judgments = Judgments(
        {"q1": {"a": 1}},
        queries={
            "q1": Query("q1", "tv: 55 inch", 420, params, "large\nand flat"),
            "q2": Query("q2", "radio"),
        },
        titles={"q1": {"a": 'TV "X", 55'}},
    )
    written = case_file(judgments, "From a file\n\nin two parts")
    assert written.data.decode().splitlines() == [
        "# From a file",
        "#",
        "# in two parts",
        "cases:",
        '  - query: "tv: 55 inch"',
        "    id: q1",
        '    note: "large\\nand flat"',
        "    weight: 420",
        '    params: {locale: en_GB, "no": [1, 2.0, null, {a: true}], size: "10"}',
        "    judgments:",
        '      a: {grade: 1, title: "TV \\"X\\", 55"}',
        "  - query: radio",
        "    id: q2",
    ]
    assert read(written.data).cases[0].params == params
    assert written.lost == ()


@pytest.mark.parametrize(
    ("how", "head"),
    {
        "median": "",
        "mean": "raters: mean\n",
        "max": "raters: max\n",
    }.items(),
)
def test_several_ratings_are_a_list(how: str, head: str) -> None:
    ratings = {"tv": {"a": {"ann": 0, "bob": 1, "eve": 5}, "b": {"bob": 2}}}
    grades: dict[str, float] = {"a": {"median": 1, "mean": 2, "max": 5}[how], "b": 2}
    judgments = Judgments({"tv": grades}, ratings=ratings, raters=("ann", "bob", "eve"))
    written = case_file(judgments)
    assert (
        written.data.decode()
        == f"{head}cases:\n  - query: tv\n    judgments:\n      a: [0, 1, 5]\n      b: 2\n"
    )
    assert written.lost == ("the names of 3 raters: a case file has lists of ratings",)
    assert read(written.data).cases[0].judgments == judgments["tv"]


def test_ratings_that_no_suite_combines_like_that_are_left_out() -> None:
    judgments = Judgments(
        {"tv": {"a": 7}},
        ratings={"tv": {"a": {"ann": 0, "bob": 1}}},
        raters=("ann", "bob"),
    )
    written = case_file(judgments)
    assert read(written.data).cases[0].judgments == {"a": 7}
    assert written.lost == (
        "the ratings of 2 raters, because no setting of a suite makes these grades of them",
    )


def test_grades_too_high_for_exponential_gain_have_linear_gain() -> None:
    written = case_file(Judgments({"tv": {"a": 100}}))
    assert read(written.data).cases[0].settings.gain == "linear"
    assert written.lost == (
        "the gain 2^grade - 1, which some grades are too high for: gain: linear is "
        "written",
    )


def test_ids_and_params_that_a_case_cannot_have_are_left_out() -> None:
    params = {"k": 3, "query": "x", "size": 5}
    written = case_file(
        Judgments(
            {"a[1]": {"x": 1}}, queries={"a[1]": Query("a[1]", "tv", params=params)}
        )
    )
    (case,) = read(written.data).cases
    assert (case.id, case.params) == ("tv", {"size": 5})
    assert written.lost == (
        "the ids of 1 query, which a pytest node id cannot carry",
        'params of 1 query that are called "k" and "query", which no params may be',
    )


@pytest.mark.parametrize(
    ("judgments", "says"),
    [
        (Judgments(), "there are no queries to write"),
        (Judgments({" ": {"a": 1}}), 'query " ": the query has no text'),
        (Judgments({"tv": {"": 1}}), 'query "tv": document "": the document has no id'),
        (Judgments({"tv": {"a": 5e-324}}), 'query "tv": document "a": 5e-324 is not a decimal number that a case file'),
        (Judgments({"tv": {"a": float("inf")}}), 'query "tv": document "a": inf is not a decimal number'),
        (Judgments({"tv \ud83d": {"a": 1}}), r'query "tv \ud83d": "\ud83d" is half of a surrogate pair, which is'),
        (
            Judgments(
                {"a": {"x": 1}, "b": {"x": 1}},
                queries={k: Query(k, "[", params={"a": object()}) for k in "ab"},
            ),
            'query "a": <object object at',
        ),
        (
            Judgments(
                {"[a": {"x": 1}, "[b": {"x": 1}},
                queries={k: Query(k, "tv") for k in ("[a", "[b")},
            ),
            "these judgments make no case file: the new case file:5:5: query: a second case with the id",
        ),
    ],
)  # fmt: skip
def test_what_cannot_stand_in_a_case_file(judgments: Judgments, says: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(says)}"):
        case_file(judgments)


# Whatever the texts and values are

ODD_TEXTS = [*LIKE_VALUES, *LIKE_SYNTAX, *BLANKS, *RARE_CHARACTERS, *OF_A_CASE]
TEXTS = (
    st.sampled_from([*ODD_TEXTS, "http://x.y/z?a=b#c"])
    | st.text(st.sampled_from("ab1 :#-,'\"{}[]*&!%@.\n\t\\é"), min_size=1, max_size=5)
    | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
).filter(lambda text: bool(text.strip()))


def floats(least: float, most: float) -> st.SearchStrategy[float]:
    """Floats that have a decimal number in a case file: its digits are limited."""
    return st.floats(least, most).filter(lambda number: not 0 < abs(number) <= 1e-40)


GRADES = st.integers(-3, 50) | floats(-50, 50)
PARAMS = st.recursive(
    TEXTS | st.integers() | floats(-1e9, 1e9) | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
    ),
    max_leaves=4,
)
NAMES = TEXTS.filter(lambda name: name not in ("k", "query"))


@st.composite
def queries_with_judgments(draw: st.DrawFn) -> Judgments:
    grades = {}
    titles = {}
    queries = {}
    texts = draw(st.lists(TEXTS, min_size=1, max_size=4, unique=True))
    for number, text in enumerate(texts):
        key = draw(st.sampled_from([text, f"id {number}"]))
        queries[key] = Query(
            id=key,
            text=text,
            weight=draw(st.sampled_from([1, 2.5, 4200])),
            params=draw(st.dictionaries(NAMES, PARAMS, max_size=2)),
            note=draw(st.none() | TEXTS),
        )
        if draw(st.booleans()):
            grades[key] = draw(st.dictionaries(TEXTS, GRADES, min_size=1, max_size=4))
            if draw(st.booleans()):
                titles[key] = {document: draw(TEXTS) for document in grades[key]}
    return Judgments(grades, queries=queries, titles=titles)


@given(judgments=queries_with_judgments())
def test_a_case_file_says_what_the_judgments_say(judgments: Judgments) -> None:
    suite = parse_suite(case_file(judgments).data, "new.yaml")
    cases = {case.query: case for case in suite.cases}
    assert cases.keys() == {query.text for query in judgments.queries.values()}
    for key, query in judgments.queries.items():
        case = cases[query.text_or_id]
        assert case.id == key
        assert case.judgments == judgments.get(key, {})
        assert case.titles == judgments.titles.get(key, {})
        assert case.weight == query.weight
        assert case.params == query.params
        assert case.note == query.note


@given(value=PARAMS)
def test_a_value_is_that_value_to_our_reader_and_to_an_editor(value: object) -> None:
    text = f"cases: [{{query: a, params: {{x: {write_value(value)}}}}}]"
    (case,) = parse_suite(text.encode(), "new.yaml").cases
    assert case.params == {"x": value}
    assert type(case.params["x"]) is type(value)
    assert editor_sees(write_value(value)) == value


# And back

SHOP = b"""\
min_ndcg: 0.5
params: {locale: en}
cases:
  - query: boots
    id: q1
    judgments: {a: {grade: 3, title: Aurora}, b: [0, 1]}
  - query: laces
    min_ndcg: null
    note: by the metre
"""


def test_what_a_case_says_of_its_query() -> None:
    found = judgments_of(parse_suite(SHOP, "shop.yaml"))
    assert found == {"q1": {"a": 3, "b": 0.5}}
    assert found.titles == {"q1": {"a": "Aurora"}}
    assert found.unrated == ["laces"]
    assert found.queries["q1"] == Query("q1", "boots", 1, {"locale": "en"}, None, 4)
    assert found.queries["laces"].note == "by the metre"
    assert found.place("q1", "a").line == 4
