"""What is written for each format, what it cannot hold, and what is refused."""

from __future__ import annotations

import csv
import gzip
import json
import re
import sys
from io import StringIO
from pathlib import Path

import pytest

from pytest_relevance import read_judgments
from pytest_relevance.judgments.model import Judgments, Query, queries_of
from pytest_relevance.judgments.reading import load_queries
from pytest_relevance.judgments.write.formats import (
    QUERY_WRITERS,
    WRITERS,
    format_of_name,
    packed,
    renumbered,
    write_judgments,
    write_queries,
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

RATED = Judgments(
    {"tv": {"a": 2, "b": 1.5}},
    raters=("ann", "bob"),
    ratings={"tv": {"a": {"ann": 2, "bob": 2}, "b": {"ann": 1, "bob": 2}}},
)


def text(judgments: Judgments, format: str) -> str:
    return write_judgments(judgments, format).data.decode()


def lost(judgments: Judgments, format: str) -> list[str]:
    return list(write_judgments(judgments, format).lost)


def again(tmp_path: Path, judgments: Judgments, format: str) -> Judgments:
    path = tmp_path / "again"
    path.write_bytes(write_judgments(judgments, format).data)
    return read_judgments(path)


# Formats


def test_csv_has_ids_texts_titles_and_queries_without_judgments() -> None:
    assert text(SHOP, "csv").splitlines() == [
        "query_id,query,doc_id,grade,title",
        "q1,smart watch,sku-1,3,Watch X",
        "q1,smart watch,007,0.5,",
        'q2,"tv, 55 inch", =x,-1,',
        "q3,nothing yet,,,",
    ]


def test_a_text_that_a_spreadsheet_would_calculate_has_a_space_before_it_in_csv_and_tsv_alone(tmp_path: Path) -> None:
    calculated = Judgments({"=1+1": {"+1": 1, "-x": 2, "@a": 3, " =b": 4, "\tc": 5, "\rd": 6, "e=f": 7}})
    assert text(calculated, "csv").split("\n", 1)[1] == (
        ' =1+1, +1,1\n =1+1, -x,2\n =1+1, @a,3\n =1+1,  =b,4\n =1+1, \tc,5\n =1+1," \rd",6\n =1+1,e=f,7\n'
    )
    in_lines = Judgments({"=1+1": {"+1": 1}})
    assert text(in_lines, "tsv") == 'query\tdoc_id\tgrade\n" =1+1"\t" +1"\t1\n'
    assert text(in_lines, "trec") == "=1+1 0 +1 1\n"
    assert text(in_lines, "beir") == "query-id\tcorpus-id\tscore\n=1+1\t+1\t1\n"
    assert json.loads(text(in_lines, "json")) == {"=1+1": {"+1": 1}}


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r", " =", "  @"])
def test_every_beginning_of_a_formula_is_escaped_and_read_as_it_was(tmp_path: Path, begin: str) -> None:
    doc, rater = f"{begin}SUM(A1)", f"{begin}ann"
    judged = Judgments({"q": {doc: 1}}, ratings={"q": {doc: {rater: 1}}}, raters=(rater,), titles={"q": {doc: doc}})
    rows = list(csv.reader(StringIO(text(judged, "csv"), newline="")))
    assert rows[1:] == [["q", f" {doc}", "1", f" {rater}", f" {doc}"]]
    found = again(tmp_path, judged, "csv")
    assert (found, found.ratings, found.titles) == (judged, judged.ratings, judged.titles)


def test_ids_alone_stay_ids_in_a_table(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("7 0 a 1\n7 0 b 0\n")
    assert text(read_judgments(path), "csv") == "query_id,doc_id,grade\n7,a,1\n7,b,0\n"


def test_tsv_has_spaces_for_the_tabs_in_titles_and_says_so() -> None:
    titled = Judgments({"tv": {"a": 1}}, titles={"tv": {"a": "TV\t55\r\ninch"}})
    assert text(titled, "tsv") == "query\tdoc_id\tgrade\ttitle\ntv\ta\t1\tTV 55 inch\n"
    assert lost(titled, "tsv") == ["line breaks, tabs and the like in the titles of 1 document: TSV has spaces there"]
    assert lost(titled, "csv") == []


def test_parquet_is_a_table_of_text_and_numbers(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pandas

    path = tmp_path / "judgments.parquet"
    path.write_bytes(write_judgments(SHOP, "parquet").data)
    frame = pandas.read_parquet(path)
    assert list(frame.columns) == ["query_id", "query", "doc_id", "grade", "title"]
    assert frame["doc_id"].tolist() == ["sku-1", "007", "=x", ""]
    assert frame["grade"].tolist()[:3] == [3, 0.5, -1]
    whole = Judgments({"tv": {"a": 1, "b": 10**18 + 1}})
    assert again(tmp_path, whole, "parquet") == whole


def test_parquet_without_pyarrow_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r"^writing Parquet needs pyarrow: pip install pytest-relevance\[parquet\]$"):
        write_judgments(SHOP, "parquet")


def test_quepid_goes_by_the_texts_of_the_queries() -> None:
    assert text(SHOP, "quepid").splitlines() == [
        "query,docid,rating",
        "smart watch,sku-1,3",
        "smart watch,007,0.5",
        '"tv, 55 inch", =x,-1',
        "nothing yet,,",
    ]
    assert json.loads(text(SHOP, "quepid-json"))["queries"] == [
        {"query": "smart watch", "information_need": "on the wrist", "ratings": {"sku-1": 3, "007": 0.5}},
        {"query": "tv, 55 inch", "options": {"locale": "en_GB"}, "ratings": {"=x": -1}},
        {"query": "nothing yet", "ratings": {}},
    ]


def test_quepid_has_a_column_a_rater() -> None:
    assert text(RATED, "quepid") == "query,docid,ann,bob\ntv,a,2,2\ntv,b,1,2\n"
    assert lost(RATED, "quepid") == []


@pytest.mark.parametrize(
    "names", [["ann", "grade"], ["ann", "title"], ["a\nb", "c"], [" ann", "bob"], ["x_rating", "y_rating"]]
)
def test_raters_whose_names_cannot_head_columns_are_not_written_as_columns(tmp_path: Path, names: list[str]) -> None:
    ratings = {"tv": {"a": dict(zip(names, (1, 2), strict=True))}}
    rated = Judgments({"tv": {"a": 1.5}}, ratings=ratings, raters=tuple(names))
    assert text(rated, "quepid") == "query,docid,rating\ntv,a,1.5\n"
    assert len(lost(rated, "quepid")) == 1
    assert lost(rated, "quepid")[0].startswith("the ratings of ")
    assert again(tmp_path, rated, "csv").ratings == ratings


def test_trec_and_beir_have_ids_alone() -> None:
    assert text(SHOP, "trec") == "q1 0 sku-1 3\nq1 0 007 0.5\nq2 0 =x -1\n"
    assert text(SHOP, "beir") == "query-id\tcorpus-id\tscore\nq1\tsku-1\t3\nq1\t007\t0.5\nq2\t=x\t-1\n"
    assert lost(SHOP, "trec") == [
        "the texts of 3 queries, which TREC qrels cannot hold; --queries-out writes them to a file of queries",
        "the weights of 1 query, which TREC qrels cannot hold; --queries-out writes them to a file of queries",
        "the params of 1 query, which TREC qrels cannot hold",
        "the notes of 1 query, which TREC qrels cannot hold; --queries-out writes them to a file of queries",
        "1 query without judgments, which TREC qrels cannot hold; --queries-out writes them to a file of queries",
        "the titles of 1 document, which TREC qrels cannot hold",
        "1 grade with a fraction for trec_eval, which reads whole grades alone; they are written as they are",
    ]


def test_a_judgment_list_has_headers_with_texts_and_weights(tmp_path: Path) -> None:
    numbered, _ = renumbered(SHOP, "ltr")
    assert text(numbered, "ltr").splitlines() == [
        "# qid:1: smart watch*420",
        "# qid:2: tv, 55 inch*1",
        "# qid:3: nothing yet*1",
        "",
        "3\tqid:1\t# sku-1\tWatch X",
        "0.5\tqid:1\t# 007",
        "-1\tqid:2\t# =x",
    ]
    found = again(tmp_path, numbered, "ltr")
    assert found == numbered
    assert found.queries["1"].weight == 420
    assert found.unrated == ["3"]


def test_rre_has_params_as_placeholders_and_a_group_a_query(tmp_path: Path) -> None:
    written = json.loads(text(SHOP, "rre"))
    assert written["query_groups"][1] == {
        "queries": [{"template": "query.json", "placeholders": {"$locale": "en_GB", "$query": "tv, 55 inch"}}],
        "relevant_documents": {"=x": {"gain": -1}},
    }
    found = again(tmp_path, SHOP, "rre")
    assert found["smart watch"] == SHOP["q1"]
    assert [(query.text, query.params, query.note) for query in found.queries.values()] == [
        ("smart watch", {}, "on the wrist"),
        ("tv, 55 inch", {"locale": "en_GB"}, None),
        ("nothing yet", {}, None),
    ]


def test_rre_may_have_one_text_with_different_params(tmp_path: Path) -> None:
    twice = Judgments(
        {"a": {"x": 1}, "b": {"x": 0}},
        queries={"a": Query("a", "tv", params={"lang": "en"}), "b": Query("b", "tv", params={"lang": "de"})},
    )
    assert again(tmp_path, twice, "rre") == {"tv (lang=en)": {"x": 1}, "tv (lang=de)": {"x": 0}}
    with pytest.raises(ValueError, match=r'^the queries "a" and "b" have the same text "tv", and OpenSearch\'s import'):
        write_judgments(twice, "opensearch")


def test_elasticsearch_has_the_text_as_a_parameter(tmp_path: Path) -> None:
    written = json.loads(text(SHOP, "elasticsearch"))
    assert written["requests"][1] == {
        "id": "q2",
        "template_id": "search",
        "params": {"locale": "en_GB", "query_string": "tv, 55 inch"},
        "ratings": [{"_index": "index", "_id": "=x", "rating": -1}],
    }
    assert written.keys() == {"templates", "requests", "metric"}
    assert "which of the params is the text: where the file is read, say query: params.query_string" in lost(
        SHOP, "elasticsearch"
    )
    path = tmp_path / "rank_eval.json"
    path.write_text(text(SHOP, "elasticsearch"))
    found = read_judgments(path, query="params.query_string")
    assert found == SHOP
    assert [(query.text, query.params) for query in found.queries.values()] == [
        (query.text, query.params) for query in SHOP.queries.values()
    ]


def test_opensearch_has_ratings_that_are_text() -> None:
    assert json.loads(text(SHOP, "opensearch")) == {
        "name": "judgments",
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": [
            {"query": "smart watch", "ratings": [{"docId": "sku-1", "rating": "3"}, {"docId": "007", "rating": "0.5"}]},
            {"query": "tv, 55 inch", "ratings": [{"docId": "=x", "rating": "-1"}]},
        ],
    }


def test_json_has_a_query_a_line_and_json_lines_a_judgment_a_line() -> None:
    assert text(SHOP, "json") == '{\n"q1": {"sku-1": 3, "007": 0.5},\n"q2": {"=x": -1},\n"q3": {}\n}\n'
    assert text(SHOP, "jsonl").splitlines()[1:] == [
        '{"query_id": "q1", "query": "smart watch", "doc_id": "007", "grade": 0.5}',
        '{"query_id": "q2", "query": "tv, 55 inch", "doc_id": "=x", "grade": -1}',
        '{"query_id": "q3", "query": "nothing yet", "doc_id": null, "grade": null}',
    ]


UNRATED = sorted(name for name in WRITERS if "unrated" in WRITERS[name].holds)


@pytest.mark.parametrize("format", UNRATED)
def test_queries_without_judgments_are_kept_where_there_is_a_place_for_them(tmp_path: Path, format: str) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow")
    given, _ = renumbered(SHOP, format)
    found = again(tmp_path, given, format)
    assert len(found.unrated) == 1
    if "texts" in WRITERS[format].holds:
        assert found.text(found.unrated[0]) == "nothing yet"


@pytest.mark.parametrize("format", WRITERS)
def test_grades_are_the_numbers_they_were(tmp_path: Path, format: str) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow")
    grades = {"a": 3.0, "b": 2, "c": 1e-7, "d": -2.75, "e": 1e22, "f": 0.1 + 0.2, "g": -0.0}
    (found,) = again(tmp_path, Judgments({"1": grades}), format).values()
    assert found == grades
    assert [type(grade) for grade in found.values()] == [int, int, float, float, int, float, int]


# What is lost


def test_raters_become_one_grade_where_there_is_no_place_for_them() -> None:
    assert json.loads(text(RATED, "json")) == {"tv": {"a": 2, "b": 1.5}}
    said = "the raters of 2 documents, which JSON cannot hold; the grade that their ratings make is written"
    assert lost(RATED, "json") == [said]
    assert lost(RATED, "csv") == []


@pytest.mark.parametrize(
    ("grade", "says"),
    [
        (1, "how the ratings make a grade, which is their min here; say raters: min where the file is read"),
        (9, "the grades where they are not the median, mean, min, max or majority of their ratings: the ratings are "),
    ],
)
def test_ratings_that_make_another_grade_than_their_median_are_spoken_of(grade: float, says: str) -> None:
    rated = Judgments({"tv": {"b": grade}}, raters=RATED.raters, ratings={"tv": {"b": {"ann": 1, "bob": 2}}})
    (said,) = lost(rated, "csv")
    assert said.startswith(says)


def test_nothing_is_lost_where_there_is_nothing_to_lose() -> None:
    plain = Judgments({"tv": {"a": 1}})
    placeholders = {"rre", "elasticsearch"}
    assert {name: lost(plain, name) for name in WRITERS if name not in {"parquet", "ltr", *placeholders}} == {
        name: [] for name in WRITERS if name not in {"parquet", "ltr", *placeholders}
    }
    for name in placeholders:
        (said,) = lost(plain, name)
        assert said.endswith("put yours in their place")


# What is refused


@pytest.mark.parametrize(
    ("judgments", "format", "says"),
    [
        (
            Judgments({"a b": {"x": 1}}),
            "trec",
            'query "a b": there is white space in it, which separates columns; TREC',
        ),
        (Judgments({"a": {"x\xa0y": 1}}), "trec", r'query "a", document "x\xa0y": there is white space in it'),
        (Judgments({"#a": {"x": 1}}), "trec", 'query "#a": it begins as a comment does'),
        (Judgments({"a": {"": 1}}), "trec", 'query "a", document "": it is empty'),
        (Judgments({"a b": {"x": 1}}), "beir", 'query "a b": it is a text (there is white space in it)'),
        (Judgments({"a": {"x\ty": 1}}), "beir", r'query "a", document "x\ty": there is a tab or a line break in it'),
        (Judgments({"a": {"x\ny": 1}}), "tsv", r'query "a", document "x\ny": there is a tab or a line break in it'),
        (Judgments({"a": {"x": 1}}), "ltr", 'query "a": it is no whole number; LTR'),
        (Judgments({"1": {"docid=3": 1}}), "ltr", 'query "1", document "docid=3": it begins as LETOR\'s documents do'),
        (
            Judgments({"1": {"x": 1}}, queries={"1": Query("1", " a")}),
            "ltr",
            'query " a": it begins or ends with white',
        ),
        (Judgments({"a": {"x\0": 1}}), "csv", r'query "a", document "x\x00": there is a NUL character in it'),
        (Judgments({" ": {"x": 1}}), "csv", 'query " ": it is blank; CSV cannot hold it'),
        (Judgments({"a": {" ": 1}}), "json", 'query "a", document " ": it is blank; JSON cannot hold it'),
        (Judgments({"a": {"\ud83d": 1}}), "json", r'query "a", document "\ud83d": it has half of a surrogate pair'),
        (
            Judgments({"a": {"x": float("nan")}}),
            "csv",
            'query "a", document "x": a grade is a finite number, found nan',
        ),
        (Judgments({}), "csv", "there are no judgments to write"),
        (Judgments({"a": {}}), "trec", "there are no judgments to write"),
    ],
)
def test_what_cannot_be_written_is_refused_by_name(judgments: Judgments, format: str, says: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(says)}"):
        write_judgments(judgments, format)


def test_everything_that_is_wrong_is_said_at_once_a_line_for_each_kind() -> None:
    with pytest.raises(ValueError, match="white space") as caught:
        write_judgments(Judgments({**{f"a {number}": {"x y": 1} for number in range(3000)}, "#": {"y": 1}}), "trec")
    assert str(caught.value).splitlines() == [
        '3,000 queries (query "a 0"; query "a 1"; query "a 2"; ...): there is white space in each, which separates '
        "columns; TREC qrels cannot hold them",
        'query "#": it begins as a comment does; TREC qrels cannot hold it',
        '3,000 documents (query "a 0", document "x y"; query "a 1", document "x y"; query "a 2", document "x y"; ...): '
        "there is white space in each, which separates columns; TREC qrels cannot hold them",
        "documents keep their ids, by which the search knows them; CSV can hold these",
    ]
    with pytest.raises(ValueError, match="tab") as caught:
        write_queries([Query("q1", "a\tb"), Query("q2", "c\td")], "tsv")
    assert str(caught.value) == (
        r'2 queries (query "a\tb"; query "c\td"): there is a tab or a line break in each; TSV cannot hold them'
    )


def test_a_document_is_refused_with_the_query_that_people_know() -> None:
    renewed, _ = renumbered(Judgments({"red hats": {"h 1": 1}}))
    with pytest.raises(ValueError, match=r'^query "red hats", document "h 1": there is white space in it'):
        write_judgments(renewed, "trec")


def test_half_of_a_surrogate_pair_anywhere_is_no_text() -> None:
    titled = Judgments({"a": {"x": 1}}, titles={"a": {"x": "TV \ud83d"}})
    with pytest.raises(ValueError, match=r'TV \\ud83d" ends in half of a surrogate pair, which is no text$'):
        write_judgments(titled, "csv")


def test_a_format_that_nobody_writes() -> None:
    with pytest.raises(
        ValueError, match=r'^judgments cannot be written as "quepid-jsn"; .*; did you mean "quepid-json"'
    ):
        write_judgments(SHOP, "quepid-jsn")
    with pytest.raises(ValueError, match=r'^queries cannot be written as "trec"; it may be tsv, csv or jsonl$'):
        write_queries(queries_of(SHOP), "trec")
    assert text(SHOP, "qrels") == text(SHOP, "trec")


# Queries and ids


def test_queries_are_written_with_what_is_known_of_them(tmp_path: Path) -> None:
    written = write_queries(queries_of(SHOP), "csv")
    assert written.data.decode().splitlines() == [
        "query_id,query,weight,note",
        "q1,smart watch,420,on the wrist",
        'q2,"tv, 55 inch",1,',
        "q3,nothing yet,1,",
    ]
    assert written.lost == ("the params of 1 query, which CSV cannot hold",)
    plain = [Query("q1", "smart watch"), Query("q2", "=tv")]
    assert write_queries(plain, "tsv").data == b"q1\tsmart watch\nq2\t=tv\n"
    assert write_queries(plain, "jsonl").data.splitlines()[0] == b'{"_id": "q1", "text": "smart watch"}'


@pytest.mark.parametrize("first", [Query("q1", "keywords"), Query("query", "topic"), Query("q1", "tv,query,55")])
def test_a_first_query_that_looks_like_a_header_has_one_above_it(tmp_path: Path, first: Query) -> None:
    path = tmp_path / "queries.tsv"
    path.write_bytes(write_queries([first, Query("q2", "tv")], "tsv").data)
    assert [query.text for query in load_queries(path)] == [first.text, "tv"]


def test_queries_without_a_text_are_left_out_and_counted() -> None:
    written = write_queries([Query("q1"), Query("q2", "tv")], "tsv")
    assert written.data == b"q2\ttv\n"
    assert written.lost == ("1 query without a text, which a file of queries needs",)
    with pytest.raises(ValueError, match=r"^no query has a text that could be written$"):
        write_queries([Query("q1")], "tsv")
    with pytest.raises(ValueError, match=r"^there are no queries to write$"):
        write_queries([], "tsv")


@pytest.mark.parametrize("format", QUERY_WRITERS)
def test_two_queries_of_one_id_are_refused(format: str) -> None:
    with pytest.raises(ValueError, match=r'^two queries have the id "q1"; give one of them another$'):
        write_queries([Query("q1", "tv"), Query("q1", "radio")], format)


def test_a_query_that_has_no_place_in_a_line_is_refused() -> None:
    with pytest.raises(ValueError, match=r'^query "a\\nb": there is a tab or a line break in it'):
        write_queries([Query("q1", "a\nb")], "tsv")


def test_queries_get_new_ids_where_a_format_cannot_have_theirs() -> None:
    judgments = Judgments({**{f"query {number}": {"a": number} for number in range(12)}, "tv": {"b": 1}})
    renewed, queries = renumbered(judgments)
    assert list(renewed)[:2] == ["q01", "q02"]
    assert [query.id for query in queries] == list(renewed)
    assert queries[-1] == Query("q13", "tv")
    assert renewed.text("q01") == "query 0"
    assert next(iter(renumbered(judgments, "ltr")[0])) == "1"


def test_ids_that_can_be_written_stay() -> None:
    mixed = Judgments(
        {"id 7": {"a": 1}, "q1": {"a": 2}, "radio": {"a": 3}},
        queries={"id 7": Query("id 7", "tv"), "q1": Query("q1", "a watch"), "radio": Query("radio", "radio")},
    )
    renewed, queries = renumbered(mixed)
    assert renewed == {"q2": {"a": 1}, "q1": {"a": 2}, "q3": {"a": 3}}
    assert [query.text for query in queries] == ["tv", "a watch", "radio"]
    assert renumbered(SHOP)[0] is SHOP
    assert renumbered(mixed, "csv")[0] is mixed
    assert renumbered(mixed, "quepid")[0] is mixed


def test_everything_that_belongs_to_a_query_follows_it_to_its_new_id() -> None:
    rated = Judgments(
        {"a tv": {"x": 1}}, raters=("ann",), ratings={"a tv": {"x": {"ann": 1}}}, titles={"a tv": {"x": "X"}}
    )
    renewed, _ = renumbered(rated)
    assert (renewed.ratings, renewed.titles) == ({"q1": {"x": {"ann": 1}}}, {"q1": {"x": "X"}})


# Names of files


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.csv", "csv"),
        ("a.b.TSV", "tsv"),
        ("a.parquet", "parquet"),
        ("a.json", "json"),
        ("a.jsonl.gz", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("qrels.txt", "trec"),
        ("a.qrels", "trec"),
        ("a.trec.gz", "trec"),
        ("a", None),
        ("a.gz", None),
        ("a.yaml", None),
        (".csv", None),
    ],
)
def test_the_format_that_a_name_says(name: str, format: str | None) -> None:
    assert format_of_name(name) == format
    assert format_of_name(Path("some.folder") / name) == format


def test_a_name_that_ends_in_gz_is_packed_always_in_the_same_way() -> None:
    assert packed("a.csv", b"abc") == b"abc"
    assert gzip.decompress(packed("a.csv.gz", b"abc")) == b"abc"
    assert packed("a.csv.gz", b"abc") == packed("b.GZ", b"abc")


def test_the_real_judgments_survive_every_format(tmp_path: Path, chorus: Path) -> None:
    judgments = read_judgments(chorus / "Broad_Query_Set_rated.csv")
    for format in WRITERS:
        if format != "parquet":
            renewed, queries = renumbered(judgments, format)
            texts = {query.id: query.text for query in queries}
            found = again(tmp_path, renewed, format)
            assert {texts.get(query, query): documents for query, documents in found.items()} == judgments
