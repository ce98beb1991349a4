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


def rated(grade: float) -> Judgments:
    """A document that two raters gave 1 and 2."""
    ratings = {"tv": {"b": {"ann": 1, "bob": 2}}}
    return Judgments({"tv": {"b": grade}}, raters=("ann", "bob"), ratings=ratings)


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


FORMULAS = ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r"]


@pytest.mark.parametrize("begin", [*FORMULAS, " =", "  @"])
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
    assert found == judged
    assert (found.ratings, found.titles) == (judged.ratings, judged.titles)


@pytest.mark.parametrize("format", ["csv", "jsonl", "trec"])
def test_grades_are_the_numbers_they_were(tmp_path: Path, format: str) -> None:
    numbers = [3.0, 2, 1e-7, -2.75, 1e22, 0.1 + 0.2, -0.0]
    grades = dict(zip("abcdefg", numbers, strict=True))
    (found,) = again(tmp_path / "again", Judgments({"1": grades}), format).values()
    assert found == grades
    kinds = [type(grade) for grade in found.values()]
    assert kinds == [int, int, float, float, int, float, int]


# What is lost


def test_what_qrels_cannot_hold() -> None:
    assert lost(SHOP, "trec") == [
        "the weights of 1 query, which TREC qrels cannot hold",
        "the params of 1 query, which TREC qrels cannot hold",
        "the notes of 1 query, which TREC qrels cannot hold",
        "the texts of 3 queries, which TREC qrels cannot hold",
        "1 query without judgments, which TREC qrels cannot hold",
        "the titles of 1 document, which TREC qrels cannot hold",
        "1 grade with a fraction for trec_eval, which reads whole grades alone; they are written as they are",
    ]
    ratings = (
        "the ratings behind the grades of 1 document, which TREC qrels cannot hold"
    )
    assert ratings in lost(rated(1.5), "trec")


def test_what_every_format_holds() -> None:
    plain = Judgments({"tv": {"a": 1}})
    assert [lost(plain, name) for name in written_formats()] == [[], [], []]
    assert lost(rated(1.5), "csv") == []


@pytest.mark.parametrize(
    ("grade", "says"),
    [
        (
            1,
            "how the ratings make a grade, which is their min here; say raters: min wher",
        ),
        (
            9,
            "the grades where they are not the median, mean, min, max or majority of the",
        ),
    ],
)
def test_ratings_that_make_another_grade_than_their_median(
    grade: float, says: str
) -> None:
    (found,) = lost(rated(grade), "csv")
    assert found.startswith(says)


# What is refused


@pytest.mark.parametrize(
    ("judgments", "format", "says"),
    [
        ({"a b": {"x": 1}}, "trec", 'query "a b": TREC qrels cannot hold it: an id there has no white '),
        ({"a": {"x\xa0y": 1}}, "trec", r'query "a", document "x\xa0y": TREC qrels cannot hold it'),
        ({"#a": {"x": 1}}, "trec", 'query "#a": TREC qrels cannot hold it'),
        ({"a": {"": 1}}, "trec", 'query "a", document "": TREC qrels cannot hold it'),
        ({" ": {"x": 1}}, "csv", 'query " ": CSV cannot hold it: it is blank'),
        ({"a": {" ": 1}}, "jsonl", 'query "a", document " ": JSON Lines cannot hold it: it is blank'),
        ({}, "csv", "there are no judgments to write"),
        ({"a": {}}, "trec", "there are no judgments to write"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_refused_by_name(
    judgments: dict[str, dict[str, float]], format: str, says: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        write_judgments(Judgments(judgments), format)


def test_many_mistakes_are_counted() -> None:
    judgments = Judgments({f"a {number}": {"x y": 1} for number in range(3000)})
    with pytest.raises(ValueError, match=r"\.\.\. and 5,980 more$"):
        write_judgments(judgments, "trec")


# Names of files


@pytest.mark.parametrize(
    ("name", "format"),
    [("a.csv", "csv"), ("a.jsonl.gz", "jsonl"), ("qrels.txt", "trec"), ("a.json", None),
     ("a.gz", None), ("some.folder/a.csv", "csv"), ("some.csv/a", None)],
)  # fmt: skip
def test_the_format_that_a_name_says(name: str, format: str | None) -> None:
    assert format_of_name(name) == format_of_name(Path(name)) == format


def test_a_name_that_ends_in_gz_is_packed_always_in_the_same_way() -> None:
    assert packed("a.csv", b"abc") == b"abc"
    assert gzip.decompress(packed("a.csv.gz", b"abc")) == b"abc"
    assert packed("a.csv.gz", b"abc") == packed("b.GZ", b"abc")


# What is written is read as it was, whatever ids and texts look like

_WORDS = (
    "007 no 1e5 10020#0 #1 qid:3 +1 -x @sum true a,b a;b a|b query doc_id docid grade "
    'rating query_id {} [ null NaN - \' " "" "quoted" $query a*2 a*2*3 靴👟 naïve'
)
LIKE_SOMETHING_ELSE = [
    *_WORDS.split(),
    *("# qid:1: a*2", "=cmd|' /C calc'!A0", " =a", "  -b", " a", "b ", "q 0 d 1"),
    *("a\tb", "a\nb", "a\r\nb", "\ta", "\ufeffbom", "a\xa0b", "a\x85b", "a\u2028b"),
    *('{"a": 1}', "/a/b?c=d&e=f#g"),
]
NASTY = st.text(
    st.sampled_from(list("ab7 ,;|\t\n\r\"'#=+-@*:{}[]\\é👟\xa0\u2028.$")),
    min_size=1,
    max_size=6,
)
ANY = st.text(st.characters(exclude_categories=["Cs", "Cc"]))
TEXTS = (st.sampled_from(LIKE_SOMETHING_ELSE) | NASTY | ANY).filter(
    lambda text: bool(text.strip())
)
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
    ids, queries = texts, {}
    kind = draw(st.none() | st.sampled_from([TEXTS, st.integers(1, 99).map(str)]))
    if kind is not None:
        count = len(texts)
        ids = draw(st.lists(kind, min_size=count, max_size=count, unique=True))
        pairs = zip(ids, texts, strict=True)
        queries = {key: Query(key, text) for key, text in pairs}
    grades = {key: draw(OF_A_QUERY) for key in ids}
    titles = {}
    for key, documents in grades.items():
        titled = [document for document in documents if draw(st.booleans())]
        if titled:
            titles[key] = {document: draw(TEXTS) for document in titled}
    return Judgments(grades, queries=queries, titles=titles)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("round-trips")


@pytest.mark.parametrize("format", ["csv", "jsonl"])
@given(given=drawn_judgments())
def test_every_judgment_is_kept(folder: Path, format: str, given: Judgments) -> None:
    found = again(folder / format, given, format)
    assert found == read_judgments(folder / format, format) == given
    assert {found.text(query) for query in found} == set(map(given.text, given))
    assert found.titles == given.titles


@given(given=st.lists(OF_A_QUERY, min_size=1, max_size=4))
def test_qrels_keep_every_judgment_or_refuse_its_id(
    folder: Path, given: list[dict[str, float]]
) -> None:
    judgments = Judgments({str(number): grades for number, grades in enumerate(given)})
    ids = [document for grades in given for document in grades]
    if any(re.search(r"\s", document) for document in ids):
        with pytest.raises(ValueError, match="white space"):
            write_judgments(judgments, "trec")
    else:
        assert again(folder / "trec", judgments, "trec") == judgments


@pytest.mark.parametrize("format", ["csv", "jsonl"])
@pytest.mark.parametrize("how", AGGREGATES)
def test_every_rating_is_kept(tmp_path: Path, format: str, how: str) -> None:
    ratings = {
        "tv": {"007": {"ann": 3, " b": 0, "=c": 0}, "=x": {"=c": 2}},
        "a, b": {"x": {"ann": 1, " b": 2}},
    }
    grades: dict[str, dict[str, float]] = {}
    for query, documents in ratings.items():
        grades[query] = {}
        for document, by_rater in documents.items():
            grades[query][document] = aggregate(by_rater.values(), how)
    judgments = Judgments(grades, ratings=ratings, raters=("ann", " b", "=c"))
    path = tmp_path / "rated"
    path.write_bytes(write_judgments(judgments, format).data)
    found = read_judgments(path, raters=how)
    assert (found, found.ratings) == (judgments, judgments.ratings)
    is_told = any("where the file is read" in each for each in lost(judgments, format))
    assert is_told == (read_judgments(path) != judgments)
