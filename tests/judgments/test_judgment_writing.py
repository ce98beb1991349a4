"""Judgments and queries that are written: what each format holds, what it loses, and
what it refuses.
"""

import csv
import gzip
import re
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import aggregate, read_judgments
from pytest_relevance.judgments.model import Judgments, Query
from pytest_relevance.judgments.scale import AGGREGATES
from pytest_relevance.judgments.writing import (
    format_of_name,
    packed,
    write_judgments,
    written_formats,
)

SHOP = Judgments(
    {"q1": {"sku-1": 3, "007": 0.5}, "q2": {"=x": -1}},
    queries={
        "q1": Query("q1", "smart watch", weight=420, note="on the wrist"),
        "q2": Query("q2", "tv, 55 inch", params={"locale": "en_GB"}),
        "q3": Query("q3", "nothing yet"),
    },
    titles={"q1": {"sku-1": "Watch X"}},
)
RATINGS = {"tv": {"a": {"ann": 2, "bob": 2}, "b": {"ann": 1, "bob": 2}}}
RATED = Judgments({"tv": {"a": 2, "b": 1.5}}, raters=("ann", "bob"), ratings=RATINGS)


def text(judgments: Judgments, format: str) -> str:
    return write_judgments(judgments, format).data.decode()


def lost(judgments: Judgments, format: str) -> list[str]:
    return list(write_judgments(judgments, format).lost)


def again(path: Path, judgments: Judgments, format: str) -> Judgments:
    path.write_bytes(write_judgments(judgments, format).data)
    return read_judgments(path)


def test_a_row_for_each_judgment_and_for_each_query_without_one() -> None:
    assert text(SHOP, "csv").splitlines() == [
        "query_id,query,doc_id,grade,title",
        "q1,smart watch,sku-1,3,Watch X",
        "q1,smart watch,007,0.5,",
        'q2,"tv, 55 inch", =x,-1,',
        "q3,nothing yet,,,",
    ]
    assert text(SHOP, "jsonl").splitlines()[1:] == [
        '{"query_id": "q1", "query": "smart watch", "doc_id": "007", "grade": 0.5}',
        '{"query_id": "q2", "query": "tv, 55 inch", "doc_id": "=x", "grade": -1}',
        '{"query_id": "q3", "query": "nothing yet", "doc_id": null, "grade": null}',
    ]
    assert text(SHOP, "trec") == "q1 0 sku-1 3\nq1 0 007 0.5\nq2 0 =x -1\n"


@pytest.mark.parametrize(
    "begin",
    [
        "=",
        "+",
        "-",
        "@",
        "\uff1d",
        "\uff0b",
        "\uff0d",
        "\uff20",
        "\t",
        "\r",
        " =",
        "  @",
    ],
)
def test_every_beginning_of_a_formula_is_escaped_and_read_as_it_was(
    tmp_path: Path, begin: str
) -> None:
    doc, rater = f"{begin}SUM(A1)", f"{begin}ann"
    judged = Judgments(
        {"q": {doc: 1}},
        ratings={"q": {doc: {rater: 1}}},
        raters=(rater,),
        titles={"q": {doc: doc}},
    )
    rows = list(csv.reader(StringIO(text(judged, "csv"), newline="")))
    assert rows[1:] == [["q", f" {doc}", "1", f" {rater}", f" {doc}"]]
    found = again(tmp_path / "again.csv", judged, "csv")
    assert (found, found.ratings, found.titles) == (
        judged,
        judged.ratings,
        judged.titles,
    )


@pytest.mark.parametrize("format", ["csv", "jsonl", "trec"])
def test_grades_are_the_numbers_they_were(tmp_path: Path, format: str) -> None:
    grades = {
        "a": 3.0,
        "b": 2,
        "c": 1e-7,
        "d": -2.75,
        "e": 1e22,
        "f": 0.1 + 0.2,
        "g": -0.0,
    }
    (found,) = again(tmp_path / "again", Judgments({"1": grades}), format).values()
    assert found == grades
    assert [type(grade) for grade in found.values()] == [
        int,
        int,
        float,
        float,
        int,
        float,
        int,
    ]


# What is lost


def test_what_qrels_cannot_hold_is_told() -> None:
    assert lost(SHOP, "trec") == [
        "the weights of 1 query, which TREC qrels cannot hold",
        "the params of 1 query, which TREC qrels cannot hold",
        "the notes of 1 query, which TREC qrels cannot hold",
        "the texts of 3 queries, which TREC qrels cannot hold",
        "1 query without judgments, which TREC qrels cannot hold",
        "the titles of 1 document, which TREC qrels cannot hold",
        "1 grade with a fraction for trec_eval, which reads whole grades alone; they are written as they are",
    ]
    assert (
        "the ratings behind the grades of 2 documents, which TREC qrels cannot hold"
        in lost(RATED, "trec")
    )
    assert lost(RATED, "csv") == []
    plain = Judgments({"tv": {"a": 1}})
    assert [lost(plain, name) for name in written_formats()] == [[], [], []]


@pytest.mark.parametrize(
    ("grade", "says"),
    [
        (
            1,
            "how the ratings make a grade, which is their min here; say raters: min where the file is read",
        ),
        (
            9,
            "the grades where they are not the median, mean, min, max or majority of their ratings: the ratings are ",
        ),
    ],
)
def test_ratings_that_make_another_grade_than_their_median_are_spoken_of(
    grade: float, says: str
) -> None:
    rated = Judgments(
        {"tv": {"b": grade}},
        raters=RATED.raters,
        ratings={"tv": {"b": {"ann": 1, "bob": 2}}},
    )
    (said,) = lost(rated, "csv")
    assert said.startswith(says)


# What is refused


@pytest.mark.parametrize(
    ("judgments", "format", "says"),
    [
        (Judgments({"a b": {"x": 1}}), "trec", 'query "a b": TREC qrels cannot hold it: an id there has no white '),
        (Judgments({"a": {"x\xa0y": 1}}), "trec", r'query "a", document "x\xa0y": TREC qrels cannot hold it'),
        (Judgments({"#a": {"x": 1}}), "trec", 'query "#a": TREC qrels cannot hold it'),
        (Judgments({"a": {"": 1}}), "trec", 'query "a", document "": TREC qrels cannot hold it'),
        (Judgments({" ": {"x": 1}}), "csv", 'query " ": CSV cannot hold it: it is blank'),
        (Judgments({"a": {" ": 1}}), "jsonl", 'query "a", document " ": JSON Lines cannot hold it: it is blank'),
        (Judgments({}), "csv", "there are no judgments to write"),
        (Judgments({"a": {}}), "trec", "there are no judgments to write"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_refused_by_name(
    judgments: Judgments, format: str, says: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        write_judgments(judgments, format)
    with pytest.raises(ValueError, match=r"\.\.\. and 5,980 more$"):
        write_judgments(
            Judgments({f"a {number}": {"x y": 1} for number in range(3000)}), "trec"
        )


# Names of files


@pytest.mark.parametrize(
    ("name", "format"),
    [
        *(
            ("a.csv", "csv"),
            ("a.jsonl.gz", "jsonl"),
            ("qrels.txt", "trec"),
            ("a.json", None),
            ("a.gz", None),
        )
    ],
)
def test_the_format_that_a_name_says(name: str, format: str | None) -> None:
    assert format_of_name(name) == format
    assert format_of_name(Path("some.folder") / name) == format


def test_a_name_that_ends_in_gz_is_packed_always_in_the_same_way() -> None:
    assert packed("a.csv", b"abc") == b"abc"
    assert gzip.decompress(packed("a.csv.gz", b"abc")) == b"abc"
    assert packed("a.csv.gz", b"abc") == packed("b.GZ", b"abc")


# What is written is read as it was, whatever ids and texts look like

LIKE_SOMETHING_ELSE = [
    *(
        "007",
        "no",
        "1e5",
        "10020#0",
        "#1",
        "qid:3",
        "# qid:1: a*2",
        "=cmd|' /C calc'!A0",
        "+1",
        "-x",
        "@sum",
        "true",
    ),
    *(
        " =a",
        "  -b",
        " a",
        "b ",
        '"',
        '"quoted"',
        '""',
        "it's",
        "a,b",
        "a;b",
        "a|b",
        "a\tb",
        "a\nb",
        "a\r\nb",
        "\ta",
    ),
    *(
        "query",
        "doc_id",
        "docid",
        "grade",
        "rating",
        "query_id",
        "q 0 d 1",
        "{}",
        '{"a": 1}',
        "[",
        "null",
        "NaN",
        "-",
    ),
    *(
        "\ufeffbom",
        "a\xa0b",
        "a\x85b",
        "a\u2028b",
        "naïve café",
        "靴 👟",
        "$query",
        "/a/b?c=d&e=f#g",
        "a*2",
        "a*2*3",
    ),
]
NASTY = st.text(
    st.sampled_from(list("ab7 ,;|\t\n\r\"'#=+-@*:{}[]\\é👟\xa0\u2028.$")),
    min_size=1,
    max_size=6,
)
TEXTS = (
    st.sampled_from(LIKE_SOMETHING_ELSE)
    | NASTY
    | st.text(st.characters(exclude_categories=["Cs", "Cc"]))
).filter(lambda text: bool(text.strip()))
GRADES = (
    st.integers(-2, 4)
    | st.sampled_from([0.5, -0.25, 2.75, 1e-7, 123456789.125])
    | st.floats(-1e3, 1e3, width=32)
)
OF_A_QUERY = st.dictionaries(TEXTS, GRADES, min_size=1, max_size=4)


@st.composite
def drawn_judgments(draw: st.DrawFn) -> Judgments:
    """Judgments of a few queries, under their texts or under ids, with some titles."""
    texts = draw(st.lists(TEXTS, min_size=1, max_size=4, unique=True))
    keys = draw(st.none() | st.sampled_from([TEXTS, st.integers(1, 99).map(str)]))
    ids = (
        texts
        if keys is None
        else draw(st.lists(keys, min_size=len(texts), max_size=len(texts), unique=True))
    )
    grades = {key: draw(OF_A_QUERY) for key in ids}
    titles = {
        key: {document: draw(TEXTS) for document in documents if draw(st.booleans())}
        for key, documents in grades.items()
        if draw(st.booleans())
    }
    queries = (
        {}
        if keys is None
        else {key: Query(key, text) for key, text in zip(ids, texts, strict=True)}
    )
    return Judgments(
        grades,
        queries=queries,
        titles={key: of_query for key, of_query in titles.items() if of_query},
    )


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("round-trips")


@given(given=drawn_judgments())
def test_every_judgment_is_kept_or_refused_by_name(
    folder: Path, given: Judgments
) -> None:
    for format in ("csv", "jsonl"):
        found = again(folder / format, given, format)
        assert found == read_judgments(folder / format, format) == given
        assert {found.text(query) for query in found} == {
            given.text(query) for query in given
        }
        assert found.titles == given.titles
    numbered = Judgments(
        {str(number): documents for number, documents in enumerate(given.values())}
    )
    if any(
        re.search(r"\s", document)
        for of_query in given.values()
        for document in of_query
    ):
        with pytest.raises(ValueError, match="white space"):
            write_judgments(numbered, "trec")
    else:
        assert again(folder / "trec", numbered, "trec") == numbered


@pytest.mark.parametrize("format", ["csv", "jsonl"])
@pytest.mark.parametrize("how", AGGREGATES)
def test_every_rating_is_kept(tmp_path: Path, format: str, how: str) -> None:
    ratings = {
        "tv": {"007": {"ann": 3, " b": 0, "=c": 0}, "=x": {"=c": 2}},
        "a, b": {"x": {"ann": 1, " b": 2}},
    }
    grades = {
        query: {
            document: aggregate(list(given.values()), how)
            for document, given in documents.items()
        }
        for query, documents in ratings.items()
    }
    judgments = Judgments(grades, ratings=ratings, raters=("ann", " b", "=c"))
    path = tmp_path / "rated"
    written = write_judgments(judgments, format)
    path.write_bytes(written.data)
    found = read_judgments(path, raters=how)
    assert (found, found.ratings) == (judgments, judgments.ratings)
    assert any("where the file is read" in sentence for sentence in written.lost) == (
        read_judgments(path) != judgments
    )
