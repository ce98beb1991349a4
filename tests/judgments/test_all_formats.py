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

from pytest_relevance._problems import FileError
from pytest_relevance._source import Source
from pytest_relevance.judgments.formats import FORMATS
from pytest_relevance.judgments.reading import read_ratings
from tests.judgments.helpers import Files, lines

Row = tuple[str, str, str]
"""A query, a document and a rating, as they are written."""


def objects(rows: list[Row]) -> list[dict[str, str]]:
    return [dict(zip(("query", "doc_id", "grade"), row, strict=True)) for row in rows]


def in_lines(form: str) -> Callable[[list[Row]], str]:
    return lambda rows: "".join(f"{form.format(*row)}\n" for row in rows)


def in_json(
    key: str, entry: Callable[[str, str, str], Any]
) -> Callable[[list[Row]], Any]:
    return lambda rows: {key: [entry(*row) for row in rows]}  # fmt: skip


def match(text: str) -> dict[str, object]:
    return {"query": {"match": {"a": text}}}


FORMS: dict[str, tuple[Callable[[list[Row]], Any], str]] = {
    "csv": (
        lambda rows: "query,docid,rating\n" + in_lines("{},{},{}")(rows),
        "3:",
    ),
    "trec": (in_lines("{} 0 {} {}"), "2:"),
    "ltr": (in_lines("{2} qid:{0} # {1}"), "2:"),
    "jsonl": (lambda rows: lines(*objects(rows)), "2:"),
    "json": (objects, " [1]:"),
    "quepid": (
        in_json("queries", lambda q, d, g: {"query": q, "ratings": {d: g}}),
        " queries[1]",
    ),
    "quepid book": (
        in_json(
            "query_doc_pairs",
            lambda q, d, g: {"query_text": q, "doc_id": d, "judgements": [{"rating": g}]},
        ),
        " query_doc_pairs[1].judgements[0]:",
    ),
    "rre": (
        in_json(
            "queries",
            lambda q, d, g: {"placeholders": {"$query": q}, "relevant_documents": {g: [d]}},
        ),
        " queries[1].relevant_documents",
    ),
    "elasticsearch": (
        in_json(
            "requests",
            lambda q, d, g: {"id": q, "request": match(q), "ratings": [{"_id": d, "rating": g}]},
        ),
        " requests[1].ratings[0]:",
    ),
    "opensearch": (
        in_json(
            "judgmentRatings",
            lambda q, d, g: {"query": q, "ratings": [{"docId": d, "rating": g}]},
        ),
        " judgmentRatings[1].ratings[0]:",
    ),
}  # fmt: skip
"""Each format: what writes rows in it, and how the place of the second row begins in a
message.
"""

IN_EACH = pytest.mark.parametrize("name", FORMS)
OF_JSON = [name for name in FORMS if name not in ("csv", "trec", "ltr", "jsonl")]
IN_JSON = pytest.mark.parametrize("name", OF_JSON)


def content_of(name: str, *rows: Row) -> Any:
    return FORMS[name][0](list(rows))


@IN_EACH
def test_ids_stay_as_they_are_written(files: Files, name: str) -> None:
    names = "007 no NA null nan 1e5 12:30 2024-01-01 /a/b.html True -5 ünï😀"
    ids = names.split()
    rows: list[Row] = [(each, f"{each}#0", "1") for each in ids]
    judgments = files.judgments(content_of(name, *rows))
    assert judgments == {each: {f"{each}#0": 1} for each in ids}
    assert judgments.format == name.split()[0]


@IN_EACH
@pytest.mark.parametrize(
    ("rating", "scale", "says"),
    [
        ("good", None, 'the grade "good" is not a number; '),
        ("4", (0, 3), "grade 4 is off the scale, which is 0 to 3"),
    ],
)
def test_a_rating_that_is_no_grade(
    files: Files, name: str, rating: str, scale: tuple[int, int] | None, says: str
) -> None:
    content = content_of(name, ("q", "a", "1"), ("q", "b", rating), ("q", "c", "0"))
    problem = files.problem(content, scale=scale)
    assert problem.startswith(f"FILE:{FORMS[name][1]}")
    assert f'query "q", document "b": {says}' in problem


@IN_EACH
def test_names_of_grades(files: Files, name: str) -> None:
    content = content_of(name, ("q", "a", "good"), ("q", "b", "bad"))
    scale = {"good": 2, "bad": 0}
    judgments = files.judgments(content, name.split()[0], scale=scale)
    assert judgments == {"q": {"a": 2, "b": 0}}


@IN_EACH
def test_a_document_that_is_judged_twice(files: Files, name: str) -> None:
    equal = content_of(name, ("q", "a", "1"), ("q", "a", "1.0"))
    assert files.judgments(equal) == {"q": {"a": 1}}
    different = content_of(name, ("q", "a", "1"), ("q", "a", "2"))
    problem = files.problem(different)
    assert problem.startswith(f"FILE:{FORMS[name][1]}")
    assert 'query "q", document "a": judged twice, 1 ' in problem
    assert problem.endswith("(raters: median, --raters of a command)")
    judgments = files.judgments(different, raters="max")
    assert judgments == {"q": {"a": 2}}
    assert judgments.ratings == {"q": {"a": {"rating 1": 1, "rating 2": 2}}}


@IN_JSON
def test_a_file_without_judgments(files: Files, name: str) -> None:
    problem = files.problem(content_of(name), name.split()[0])
    assert problem == "FILE: the file has no judgments"


def texts(name: str) -> list[str]:
    sample = content_of(name, ("hät 😀", "007", "2"))
    indented = json.dumps(sample, ensure_ascii=False, indent=2)
    return [json.dumps(sample), indented, f"\n\n {json.dumps(sample)} \n\n"]


@IN_JSON
@pytest.mark.parametrize("form", [0, 1, 2])
def test_each_is_recognised(files: Files, name: str, form: int) -> None:
    path = files.write(texts(name)[form])
    judgments = files.judgments(path)
    assert judgments == {"hät 😀": {"007": 2}}
    assert judgments.format == name.split()[0]
    assert files.queries(path) == {"hät 😀": "hät 😀"}


@IN_JSON
@pytest.mark.parametrize("form", [0, 1])
def test_a_file_that_is_cut_off_anywhere(name: str, form: int) -> None:
    text = texts(name)[form]
    for length in range(1, len(text)):
        with pytest.raises(FileError) as caught:
            read_ratings(Source("F", text[:length].encode()))
        (problem,) = caught.value.problems
        ends = (text[:length].rstrip(), text[:length])
        assert problem.place.line in [end.count("\n") + 1 for end in ends]
        assert problem.message.startswith("this is not valid JSON: ")


@pytest.mark.parametrize("query", ["[1]", "{"])
def test_qrels_of_a_query_that_looks_like_json(files: Files, query: str) -> None:
    judgments = files.judgments(f"{query} 0 007 1\n{query} 0 no 0\n")
    assert (judgments, judgments.format) == ({query: {"007": 1, "no": 0}}, "trec")


# Whatever is in a file is read or refused

KEYS = (
    "queries requests judgmentRatings query_doc_pairs topics query_groups query "
    "query_text id _id text ratings docId doc_id rating grade placeholders $query "
    "relevant_documents gain judgements params request match hits _source user options "
    "document_fields raters title weight note query_placeholder user_input "
    "reference_contexts contexts input context retrieval_context goldens corpus "
    "relevant_docs examples passages passage tests vars assert type value"
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=4)
    ),
    max_leaves=12,
).map(lambda content: content if isinstance(content, (dict, list)) else [content])
FORMAT_NAMES = st.sampled_from(
    [
        None,
        "json",
        "quepid",
        "rre",
        "elasticsearch",
        "opensearch",
        "ragas",
        "deepeval",
        "llama-index",
        "promptfoo",
        "columns",
    ]
)

Found = TypeVar("Found")


def unless_refused(read: Callable[[], Found]) -> Found | None:
    """What is read, or None if the file is refused with a message for each mistake."""
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
    """Never a traceback; ids are text, and ratings can be looked at."""
    source = Source("F", json.dumps(content).encode())
    ratings = unless_refused(lambda: read_ratings(source, format))
    if ratings is None:
        return
    assert {type(name) for name in [*ratings.queries, *ratings.documents]} <= {str}
    assert len(ratings.queries) == len(ratings.documents) == len(ratings.ratings)
    for row, rating in enumerate(ratings.ratings):
        assert rating is None or isinstance(rating, (str, bool))
        assert ratings.place(row).is_known


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
    for query in queries or ():
        assert (type(query.id), type(query.text)) == (str, str)


@given(st.text(st.characters(exclude_characters="\0")))
def test_no_text_makes_the_recognition_fail(text: str) -> None:
    source = Source("F", text.encode("utf-8", "ignore") or b"x")
    for known in FORMATS:
        assert known.has_judgments_in(source) in (True, False)
        assert known.has_queries_in(source) in (True, False)


# docs/reference/judgments.md says of each what it has

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "judgments.md"
ROW = re.compile(r"^\| `([\w-]+)` \| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
ROWS = {row[0]: row for row in ROW.findall(PAGE.read_text(encoding="utf-8"))}
ALIASES = {alias: known.name for known in FORMATS for alias in known.aliases}


def test_every_format_has_a_row_or_is_named_in_one() -> None:
    cells = "\n".join(" ".join(row) for row in ROWS.values())
    named = {*re.findall(r"`([\w-]+)`", cells), *ROWS}
    known = {*FORMATS.bundled_names, *ALIASES}
    assert known - {"svmrank"} <= named
    assert set(ROWS) <= known


def test_a_row_says_what_the_format_holds() -> None:
    for name, _, judgments, queries in ROWS.values():
        known = FORMATS.get(ALIASES.get(name, name))
        has_queries = not queries.startswith(("no", "ids alone"))
        assert judgments.startswith("yes") == (known.read is not None), name
        assert has_queries == (known.read_queries is not None), name
