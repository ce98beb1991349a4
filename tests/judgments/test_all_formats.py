"""What holds for every format: ids, grades that are none, documents judged twice,
recognition, and damage.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import read_judgments, read_queries
from pytest_relevance._problems import FileError
from pytest_relevance._source import Source
from pytest_relevance.judgments.formats import FORMATS
from pytest_relevance.judgments.reading import read_ratings
from tests.judgments.helpers import problems, write

ROW = ("query", "doc_id", "grade")
Row = tuple[str, str, str]
"""A query, a document and a rating, as they are written."""


def in_json(
    key: str, entry: Callable[[str, str, str], object]
) -> Callable[[list[Row]], str]:
    return lambda rows: json.dumps({key: [entry(*row) for row in rows]})


FORMS: dict[str, tuple[Callable[[list[Row]], str], str]] = {
    "csv": (
        lambda rows: (
            "query,docid,rating\n" + "".join(f"{','.join(row)}\n" for row in rows)
        ),
        "3:",
    ),
    "trec": (
        lambda rows: "".join(
            f"{query} 0 {doc} {grade}\n" for query, doc, grade in rows
        ),
        "2:",
    ),
    "ltr": (
        lambda rows: "".join(
            f"{grade} qid:{query} # {doc}\n" for query, doc, grade in rows
        ),
        "2:",
    ),
    "jsonl": (
        lambda rows: "".join(
            f"{json.dumps(dict(zip(ROW, row, strict=True)))}\n" for row in rows
        ),
        "2:",
    ),
    "json": (
        lambda rows: json.dumps([dict(zip(ROW, row, strict=True)) for row in rows]),
        " [1]:",
    ),
    "quepid": (
        in_json(
            "queries",
            lambda query, doc, grade: {"query": query, "ratings": {doc: grade}},
        ),
        " queries[1]",
    ),
    "quepid book": (
        in_json(
            "query_doc_pairs",
            lambda query, doc, grade: {
                "query_text": query,
                "doc_id": doc,
                "judgements": [{"rating": grade}],
            },
        ),
        " query_doc_pairs[1].judgements[0]:",
    ),
    "rre": (
        in_json(
            "queries",
            lambda query, doc, grade: {
                "placeholders": {"$query": query},
                "relevant_documents": {grade: [doc]},
            },
        ),
        " queries[1].relevant_documents",
    ),
    "elasticsearch": (
        in_json(
            "requests",
            lambda query, doc, grade: {
                "id": query,
                "request": {"query": {"match": {"a": query}}},
                "ratings": [{"_id": doc, "rating": grade}],
            },
        ),
        " requests[1].ratings[0]:",
    ),
    "opensearch": (
        in_json(
            "judgmentRatings",
            lambda query, doc, grade: {
                "query": query,
                "ratings": [{"docId": doc, "rating": grade}],
            },
        ),
        " judgmentRatings[1].ratings[0]:",
    ),
}
"""Each format: what writes rows in it, and how the place of the second row begins in a
message.
"""

IN_EACH = pytest.mark.parametrize("name", FORMS)


def written(tmp_path: Path, name: str, *rows: Row) -> Path:
    return write(tmp_path / "file", FORMS[name][0](list(rows)))


@IN_EACH
def test_ids_stay_as_they_are_written(tmp_path: Path, name: str) -> None:
    ids = (
        "007",
        "no",
        "NA",
        "null",
        "nan",
        "1e5",
        "12:30",
        "2024-01-01",
        "/a/b.html",
        "True",
        "-5",
        "ünï😀",
    )
    found = read_judgments(
        written(tmp_path, name, *((each, f"{each}#0", "1") for each in ids))
    )
    assert found == {each: {f"{each}#0": 1} for each in ids}
    assert found.format == name.split()[0]


@IN_EACH
@pytest.mark.parametrize(
    ("rating", "scale", "said"),
    [
        ("good", None, 'the grade "good" is no number; '),
        ("4", (0, 3), "grade 4 is off the scale, which is 0 to 3"),
    ],
)
def test_a_rating_that_is_no_grade(
    tmp_path: Path, name: str, rating: str, scale: tuple[int, int] | None, said: str
) -> None:
    path = written(tmp_path, name, ("q", "a", "1"), ("q", "b", rating), ("q", "c", "0"))
    (problem,) = problems(path, scale=scale)
    assert problem.startswith(f"FILE:{FORMS[name][1]}")
    assert f'query "q", document "b": {said}' in problem


@IN_EACH
def test_names_of_grades(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name, ("q", "a", "good"), ("q", "b", "bad"))
    assert read_judgments(path, name.split()[0], scale={"good": 2, "bad": 0}) == {
        "q": {"a": 2, "b": 0}
    }


@IN_EACH
def test_a_document_that_is_judged_twice(tmp_path: Path, name: str) -> None:
    assert read_judgments(
        written(tmp_path, name, ("q", "a", "1"), ("q", "a", "1.0"))
    ) == {"q": {"a": 1}}
    path = written(tmp_path, name, ("q", "a", "1"), ("q", "a", "2"))
    (problem,) = problems(path)
    assert problem.startswith(f"FILE:{FORMS[name][1]}")
    assert 'query "q", document "a": judged twice, 1 ' in problem
    assert problem.endswith("(raters: median, --raters of a command)")
    judgments = read_judgments(path, raters="max")
    assert (judgments, judgments.ratings) == (
        {"q": {"a": 2}},
        {"q": {"a": {"rating 1": 1, "rating 2": 2}}},
    )


@pytest.mark.parametrize(
    "name", [name for name in FORMS if name not in ("csv", "trec", "ltr", "jsonl")]
)
def test_nothing_in_it(tmp_path: Path, name: str) -> None:
    assert problems(written(tmp_path, name), name.split()[0]) == [
        "FILE: the file has no judgments"
    ]


SAMPLES = [name for name in FORMS if name not in ("csv", "trec", "ltr", "jsonl")]
EXPECTED = {"hät 😀": {"007": 2}}


def texts(name: str) -> list[str]:
    sample = json.loads(FORMS[name][0]([("hät 😀", "007", "2")]))
    return [
        json.dumps(sample),
        json.dumps(sample, ensure_ascii=False, indent=2),
        f"\n\n {json.dumps(sample)} \n\n",
    ]


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("form", [0, 1, 2])
def test_each_is_recognised(tmp_path: Path, name: str, form: int) -> None:
    path = write(tmp_path / "file", texts(name)[form])
    judgments = read_judgments(path)
    assert (judgments, judgments.format) == (EXPECTED, name.split()[0])
    assert read_queries(path) == {"hät 😀": "hät 😀"}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("form", [0, 1])
def test_a_file_that_is_cut_off_anywhere(name: str, form: int) -> None:
    text = texts(name)[form]
    for length in range(1, len(text)):
        with pytest.raises(FileError) as caught:
            read_ratings(Source("F", text[:length].encode()))
        (problem,) = caught.value.problems
        ends = (text[:length].rstrip(), text[:length])
        assert problem.place.line in [end.count("\n") + 1 for end in ends]
        assert problem.message.startswith("this is no valid JSON: ")


KEYS = [
    *(
        "queries",
        "requests",
        "judgmentRatings",
        "query_doc_pairs",
        "topics",
        "query_groups",
    ),
    *("query", "query_text", "id"),
    *(
        "_id",
        "text",
        "ratings",
        "docId",
        "doc_id",
        "rating",
        "grade",
        "placeholders",
        "$query",
    ),
    *(
        "relevant_documents",
        "gain",
        "judgements",
        "params",
        "request",
        "match",
        "hits",
        "_source",
        "user",
    ),
    *(
        "options",
        "document_fields",
        "raters",
        "title",
        "weight",
        "note",
        "query_placeholder",
    ),
]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
).map(lambda content: content if isinstance(content, (dict, list)) else [content])


@pytest.mark.parametrize("query", ["[1]", "{"])
def test_qrels_of_a_query_that_looks_like_json(query: str) -> None:
    ratings = read_ratings(Source("F", f"{query} 0 007 1\n{query} 0 no 0\n".encode()))
    assert (ratings.format, set(ratings.queries), list(ratings.documents)) == (
        "trec",
        {query},
        ["007", "no"],
    )


FORMAT_NAMES = st.sampled_from(
    [None, "json", "quepid", "rre", "elasticsearch", "opensearch"]
)

Found = TypeVar("Found")


def unless_refused(read: Callable[[], Found]) -> Found | None:
    """What is read, or None where the file is refused with a message for each
    mistake.
    """
    try:
        return read()
    except FileError as refused:
        messages = [problem.message for problem in refused.problems]
    assert all(messages)
    assert messages
    return None


@given(content=ANYTHING, format=FORMAT_NAMES)
def test_whatever_is_in_a_file_is_read_or_refused(
    content: Any, format: str | None
) -> None:
    """Never a traceback; and what is read has ids that are text, and ratings that can
    be looked at.
    """
    source = Source("F", json.dumps(content).encode())
    ratings = unless_refused(lambda: read_ratings(source, format))
    if ratings is None:
        return
    assert {type(name) for name in [*ratings.queries, *ratings.documents]} <= {str}
    assert len(ratings.queries) == len(ratings.documents) == len(ratings.ratings)
    assert all(
        rating is None or isinstance(rating, (str, bool)) for rating in ratings.ratings
    )
    assert all(ratings.place(row).is_known for row in range(len(ratings.queries)))


@given(content=ANYTHING, format=FORMAT_NAMES)
def test_whatever_queries_are_in_a_file_are_read_or_refused(
    content: Any, format: str | None
) -> None:
    source = Source("F", json.dumps(content).encode())
    fitting = (known for known in FORMATS if known.has_queries_in(source))
    known = next(fitting, FORMATS.get("json"))
    if format is not None:
        known = FORMATS.get(format)
    read = known.read_queries
    assert read is not None
    queries = unless_refused(lambda: read(source))
    assert queries is None or queries
    assert {
        type(text) for query in queries or () for text in (query.id, query.text)
    } <= {str}


@given(st.text(st.characters(exclude_characters="\0")))
def test_no_text_makes_the_recognition_fail(text: str) -> None:
    source = Source("F", text.encode("utf-8", "ignore") or b"x")
    for known in FORMATS:
        assert known.has_judgments_in(source) in (True, False)
        assert known.has_queries_in(source) in (True, False)


# docs/reference/judgments.md says of each what it holds


PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "judgments.md").read_text(
    encoding="utf-8"
)
ALIASES = {alias: known.name for known in FORMATS for alias in known.aliases}
ROWS = {
    row[0]: row
    for row in re.findall(
        r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \|$", PAGE, re.MULTILINE
    )
}


def test_every_format_has_a_row_or_is_named_in_one() -> None:
    named = set(
        re.findall(r"`([\w-]+)`", "\n".join(" ".join(row) for row in ROWS.values()))
    ) | set(ROWS)
    known = set(FORMATS.bundled_names) | set(ALIASES)
    assert known - {"svmrank"} <= named
    assert set(ROWS) <= known


def test_a_row_says_what_the_format_holds() -> None:
    for name, _, judgments, queries in ROWS.values():
        known = FORMATS.get(ALIASES.get(name, name))
        assert judgments.startswith("yes") == (known.read is not None), name
        assert (not queries.startswith(("no", "ids alone"))) == (
            known.read_queries is not None
        ), name
