"""A file that is something else than what is needed: refused, and a run or judgments
are called by their names.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import read_judgments, read_queries, read_run
from pytest_relevance._problems import FileError
from tests.judgments.helpers import problems_of, write, written

Read = Callable[..., Mapping[str, Any]]

FILES = {
    "a TREC run": "q1 Q0 d1 1 12.5 bm25\nq1 Q0 d2 2 11.0 bm25\n",
    "TREC qrels": "q1 0 d1 1\nq1 0 d2 0\n",
    "scores printed by trec_eval": "map\t301\t0.25\nP_10\t301\t0.4\n",
    "a table of a run": "query_id,doc_id,score\nq1,d1,12.5\n",
    "a table of judgments": "query_id,doc_id,grade\nq1,d1,3\n",
    "a table of a run with texts": "query,docid,rank\nred shoes,d1,1\n",
    "a table of queries": "query_id,query\nq1,red shoes\n",
    "ids and texts": "q1\tred shoes\nq2\tred hats\n",
    "topics": "<top>\n<num> Number: 301\n<title> red shoes\n</top>\n",
    "a query set": '{"querySetQueries": [{"queryText": "red shoes"}]}',
    "a snapshot": '{"docs": {"7": [{"id": "d1"}]}, "queries": [{"query_id": 7, "query_text": "red shoes"}]}',
    "rankings": '{"q1": ["d1", "d2"]}',
    "rows of a run": '[{"query": "q1", "doc_id": "d1", "score": 12.5}]',
    "rows of judgments": '[{"query_id": "q1", "doc_id": "d1", "grade": 3}]',
    "an export of Quepid": '{"queries": [{"query": "red shoes", "ratings": {"d1": 3}}]}',
    "a judgment list": "3 qid:1 # d1\n0 qid:1 # d2\n",
}


def problem(read: Read, content: str | bytes, tmp_path: Path, **options: str) -> str:
    (only,) = problems_of(read, write(tmp_path / "file", content), **options)
    return only


NOT_KNOWN = "is not recognised; the file begins with"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "a TREC run",
            "FILE:1: this is a TREC run, qid Q0 docid rank score tag; judgments are needed",
        ),
        (
            "a table of a run",
            "FILE:1: this seems to be a run, with a rank or a score and no grade; judgments are",
        ),
        (
            "rows of a run",
            "FILE: this seems to be a run, with a rank or a score and no grade; judgments are needed",
        ),
        (
            "scores printed by trec_eval",
            f"FILE:1: the format of these judgments {NOT_KNOWN}",
        ),
        ("topics", f"FILE:1: the format of these judgments {NOT_KNOWN}"),
        *(
            (name, "FILE:1: judgments have columns for the query, the ")
            for name in ("a table of queries", "ids and texts")
        ),
    ],
)
def test_what_is_no_judgments(tmp_path: Path, name: str, said: str) -> None:
    assert problem(read_judgments, FILES[name], tmp_path).startswith(said)


@pytest.mark.parametrize("name", ["a query set", "a snapshot", "rankings"])
@pytest.mark.parametrize("read", [read_judgments, read_queries])
def test_json_of_another_kind_is_refused_where_it_differs(
    tmp_path: Path, read: Read, name: str
) -> None:
    if (read, name) != (read_queries, "a query set"):
        assert problems_of(read, write(tmp_path / "file", FILES[name]))


@pytest.mark.parametrize("name", ["a table of a run", "rows of a run"])
def test_a_score_is_a_grade_where_it_is_said_so(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file"
    path.write_text(FILES[name], encoding="utf-8")
    assert read_judgments(path, grade_column="score") == {"q1": {"d1": 12.5}}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "a table of judgments",
            "FILE:1: this seems to be a table of judgments, with grades in grade, and a run is",
        ),
        (
            "rows of judgments",
            "FILE:1: this seems to be a table of judgments, with grades in grade, and a run is",
        ),
        (
            "TREC qrels",
            "FILE:1: these are judgments, trec (TREC qrels: qid iter docid grade); a run is needed",
        ),
        (
            "a judgment list",
            "FILE:1: these are judgments, ltr (SVMrank: grade qid:1 ... # document); a run is needed",
        ),
        ("an export of Quepid", 'FILE: query "queries": a row has no document'),
        ("a table of queries", f"FILE:1: the format of this run {NOT_KNOWN}"),
        ("ids and texts", f"FILE:1: the format of this run {NOT_KNOWN}"),
        ("topics", f"FILE:1: the format of this run {NOT_KNOWN}"),
    ],
)
def test_what_is_no_run(tmp_path: Path, name: str, said: str) -> None:
    assert problem(read_run, FILES[name], tmp_path).startswith(said)


@pytest.mark.parametrize(
    ("content", "graded"),
    [
        ("query,docid,rank,rating\nq,a,1,3\n", "rating"),
        ("query-id\tcorpus-id\tscore\nq\ta\t1\n", "score"),
        ("query,docid,ann_rating,bob_rating\nq,a,1,3\n", "ann_rating and bob_rating"),
        ("query,docid,Ann,Bob\nq,a,1,\nq,b,,2\n", "Ann and Bob"),
    ],
)
def test_a_table_with_grades_is_no_run(
    tmp_path: Path, content: str, graded: str
) -> None:
    assert f"with grades in {graded}, and a run is needed" in problem(
        read_run, content, tmp_path
    )


@pytest.mark.parametrize("name", ["zscore", "z-score", "bm25_score", "relevance_score"])
def test_a_column_that_may_be_the_score_of_a_run(tmp_path: Path, name: str) -> None:
    said = problem(read_run, f"query,docid,{name}\nq,a,-1.5\nq,b,2.5\n", tmp_path)
    assert said == (
        f"FILE:1: the column {name} may be the score that the run is to be sorted by; call it score, or rank the rows "
        "in a column rank"
    )
    assert read_run(
        write(tmp_path / "run", f"query,docid,rank,{name}\nq,a,2,-1.5\nq,b,1,2.5\n")
    ) == {"q": ["b", "a"]}


def test_parquet_of_judgments_is_no_run(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pandas

    path = tmp_path / "file"
    pandas.DataFrame({"query_id": ["q"], "doc_id": ["a"], "grade": [1]}).to_parquet(
        path
    )
    with pytest.raises(
        FileError, match="this seems to be a table of judgments, with grades in grade"
    ):
        read_run(path)
    pandas.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.5]}).to_parquet(
        path
    )
    with pytest.raises(
        FileError, match="this seems to be a run, with a rank or a score and no grade"
    ):
        read_judgments(path)
    with pytest.raises(FileError, match="this seems to be a run, not queries"):
        read_queries(path)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "TREC qrels",
            "FILE: trec (TREC qrels: qid iter docid grade) has no queries, only their ids; name a file of",
        ),
        (
            "a table of judgments",
            "FILE:1: these are judgments that have only the ids of queries; found query_id, doc_",
        ),
        (
            "rows of judgments",
            "FILE: these are judgments that have only the ids of queries; found query_id, doc_id",
        ),
        ("a TREC run", f"FILE:1: the format of these queries {NOT_KNOWN}"),
        ("a table of a run with texts", "FILE:1: this seems to be a run, not queries"),
    ],
)
def test_what_is_no_queries(tmp_path: Path, name: str, said: str) -> None:
    assert problem(read_queries, FILES[name], tmp_path).startswith(said)


@pytest.mark.parametrize(
    ("header", "key"),
    [
        *(
            ("number\tutterance", "q1"),
            ("topicId\twords", "red"),
            ("label\tutterance", "q1"),
        )
    ],
)
def test_a_header_that_nobody_knows_is_no_query(
    tmp_path: Path, header: str, key: str
) -> None:
    said = problem(
        read_queries, f"{header}\n{key}\tred shoes\nq2\tred hats\n", tmp_path
    )
    assert said.startswith(
        "FILE:1: the first line seems to be a header that is not known: call the columns query_id "
    )


@pytest.mark.parametrize(
    ("content", "queries"),
    [
        (
            "nlp\tneural networks\nir\tsearch engines\n",
            {"nlp": "neural networks", "ir": "search engines"},
        ),
        ("intro\tred shoes\n", {"intro": "red shoes"}),
        ("nr\tquery\n1\tred shoes\n", {"1": "red shoes"}),
    ],
)
def test_lines_that_are_all_queries(
    tmp_path: Path, content: str, queries: dict[str, str]
) -> None:
    path = tmp_path / "queries.tsv"
    path.write_text(content, encoding="utf-8")
    assert read_queries(path) == queries


@pytest.mark.parametrize("rows", ["q,a,1\nq,b,2\n", "q,a,1\r\nq,b,2\r\n"])
def test_a_carriage_return_alone_ends_a_header(tmp_path: Path, rows: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(f"query,docid,rating\r{rows}".encode())
    assert read_judgments(path) == {"q": {"a": 1, "b": 2}}


# What the columns of a file of queries are called: more than in tables of judgments


QUERIES = {"q1": "winter boots", "007": "laces"}


@pytest.mark.parametrize("id_column", ["_id", "ID", "number", "qid"])
@pytest.mark.parametrize("text_column", ["text", "query_text"])
@pytest.mark.parametrize("separator", [",", "\t"])
def test_a_header_keeps_the_ids_and_is_no_query(
    tmp_path: Path, id_column: str, text_column: str, separator: str
) -> None:
    rows = [(id_column, text_column), ("q1", "winter boots"), ("007", "laces")]
    assert (
        read_queries(
            written(tmp_path, "".join(f"{separator.join(row)}\n" for row in rows))
        )
        == QUERIES
    )
    turned = "".join(f"{separator.join(reversed(row))}\n" for row in rows)
    assert read_queries(written(tmp_path, turned)) == QUERIES


@pytest.mark.parametrize("id_column", ["id", "number"])
def test_an_id_of_queries_comes_before_any_other(
    tmp_path: Path, id_column: str
) -> None:
    path = written(
        tmp_path, f"{id_column},query_id,query\n1,q1,winter boots\n2,007,laces\n"
    )
    assert read_queries(path) == QUERIES


def test_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pandas

    path = tmp_path / "queries.parquet"
    pandas.DataFrame({"_id": list(QUERIES), "text": list(QUERIES.values())}).to_parquet(
        path
    )
    assert read_queries(path) == QUERIES


def test_without_a_header_the_first_line_is_a_query(tmp_path: Path) -> None:
    assert (
        read_queries(written(tmp_path, "q1\twinter boots\n007\tlaces\n", "queries.tsv"))
        == QUERIES
    )
    assert read_queries(written(tmp_path, "text\ttexts\nid\tids\n", "queries.tsv")) == {
        "text": "texts",
        "id": "ids",
    }


def test_tables_of_judgments_know_these_names_for_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, "id,query,doc_id,grade\n1,laces,a,3\n2,laces,b,0\n")
    assert read_judgments(path) == {"laces": {"a": 3, "b": 0}}
    assert read_queries(path) == {"laces": "laces"}


# JSON around the queries


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            '{"queries": []}',
            'there is nothing under "queries", the only key of the file',
        ),
        ('{"data": {}}', 'there is nothing under "data", the only key of the file'),
        (
            '{"queries": ["boots"]}',
            'the queries are in a list under "queries"; write the list alone: [...]',
        ),
        (
            '{"results": [{"query": "boots"}]}',
            'the queries are in a list under "results"; write the list',
        ),
    ],
)
def test_a_list_in_an_object_is_no_query(
    tmp_path: Path, content: str, said: str
) -> None:
    assert problem(read_queries, content, tmp_path).startswith(f"FILE: {said}")


@pytest.mark.parametrize(
    "content", ['{"data": [{"doc_id": "a", "grade": 3}]}', '{"boots": {}}']
)
def test_judgments_of_one_query_are_a_query(tmp_path: Path, content: str) -> None:
    assert len(read_queries(write(tmp_path / "file", content))) == 1


def test_a_weight_and_a_score_with_a_decimal_comma(tmp_path: Path) -> None:
    weights = 'query,weight\nboots,"2,5"\n'
    assert problem(read_queries, weights, tmp_path).endswith(
        "; it has a decimal comma; write 2.5"
    )
    scores = 'query,doc_id,score\nboots,a,"0,85"\n'
    assert problem(read_run, scores, tmp_path).endswith(
        "; it has a decimal comma; write 0.85"
    )
