"""A file that is something else than what is needed: refused, and a run or judgments
are called by their names.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from pytest_relevance import read_judgments, read_queries, read_run
from tests.judgments.helpers import Files, problems_of

CONTENTS = {
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


def run_problem(files: Files, content: object) -> str:
    (problem,) = problems_of(read_run, files.write(content))
    return problem


NO_GRADE = "this seems to be a run, with a rank or a score and no grade; judgments are"
JUDGMENTS = "this seems to be a table of judgments, with grades in grade, and a run is"
NOT_KNOWN = "is not recognised; the file begins with"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("a TREC run", ":1: this is a TREC run, qid Q0 docid rank score tag; judgments"),
        ("a table of a run", f":1: {NO_GRADE}"),
        ("rows of a run", f": {NO_GRADE}"),
        ("scores printed by trec_eval", f":1: the format of these judgments {NOT_KNOWN}"),
        ("topics", f":1: the format of these judgments {NOT_KNOWN}"),
        ("a table of queries", ":1: judgments have columns for the query, the "),
        ("ids and texts", ":1: judgments have columns for the query, the "),
        ("a query set", ': querySetQueries[0]: "doc_id" is missing; found "queryText"'),
        ("a snapshot", ": docs"),
        ("rankings", ": q1: a document has a grade, and a list of ids has none; is this a run?"),
    ],
)  # fmt: skip
def test_what_is_no_judgments(files: Files, name: str, says: str) -> None:
    problems = files.problems(CONTENTS[name])
    assert problems[0].startswith(f"FILE{says}")


@pytest.mark.parametrize("name", ["a table of a run", "rows of a run"])
def test_a_score_is_a_grade_if_the_user_says_so(files: Files, name: str) -> None:
    judgments = files.judgments(CONTENTS[name], grade_column="score")
    assert judgments == {"q1": {"d1": 12.5}}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("a table of judgments", f":1: {JUDGMENTS}"),
        ("rows of judgments", f":1: {JUDGMENTS}"),
        ("TREC qrels", ":1: these are judgments, trec (TREC qrels: qid iter docid grade)"),
        ("a judgment list", ":1: these are judgments, ltr (SVMrank: grade qid:1 ... # doc"),
        ("an export of Quepid", ': query "queries": a row has no document'),
        ("a table of queries", f":1: the format of this run {NOT_KNOWN}"),
        ("ids and texts", f":1: the format of this run {NOT_KNOWN}"),
        ("topics", f":1: the format of this run {NOT_KNOWN}"),
    ],
)  # fmt: skip
def test_what_is_no_run(files: Files, name: str, says: str) -> None:
    assert run_problem(files, CONTENTS[name]).startswith(f"FILE{says}")


@pytest.mark.parametrize(
    ("content", "graded"),
    [
        ("query,docid,rank,rating\nq,a,1,3\n", "rating"),
        ("query-id\tcorpus-id\tscore\nq\ta\t1\n", "score"),
        ("query,docid,ann_rating,bob_rating\nq,a,1,3\n", "ann_rating and bob_rating"),
        ("query,docid,Ann,Bob\nq,a,1,\nq,b,,2\n", "Ann and Bob"),
    ],
)
def test_a_table_with_grades_is_no_run(files: Files, content: str, graded: str) -> None:
    says = f"with grades in {graded}, and a run is needed"
    assert says in run_problem(files, content)


@pytest.mark.parametrize("name", ["zscore", "z-score", "bm25_score", "relevance_score"])
def test_a_column_that_may_be_the_score_of_a_run(files: Files, name: str) -> None:
    problem = run_problem(files, f"query,docid,{name}\nq,a,-1.5\nq,b,2.5\n")
    says = (
        "may be the score that the run is to be sorted by; call it score, or rank the"
    )
    assert problem == f"FILE:1: the column {name} {says} rows in a column rank"
    path = files.write(f"query,docid,rank,{name}\nq,a,2,-1.5\nq,b,1,2.5\n")
    assert read_run(path) == {"q": ["b", "a"]}


@pytest.mark.parametrize(
    ("read", "column", "says"),
    [
        (read_run, "grade", JUDGMENTS),
        (read_judgments, "score", NO_GRADE),
        (read_queries, "score", "this seems to be a run, not queries"),
    ],
)
def test_parquet_of_another_kind(
    files: Files, read: Callable[..., Mapping[str, Any]], column: str, says: str
) -> None:
    pytest.importorskip("pyarrow")
    import pandas

    path = files.folder / "file"
    columns = {"query_id": ["q"], "doc_id": ["a"], column: [1.5]}
    pandas.DataFrame(columns).to_parquet(path)
    (problem,) = problems_of(read, path)
    assert says in problem


# Queries


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "TREC qrels",
            ": trec (TREC qrels: qid iter docid grade) has no queries, only",
        ),
        ("a table of judgments", ":1: these are judgments that have only the ids of"),
        (
            "rows of judgments",
            ": these are judgments that have only the ids of queries",
        ),
        ("a TREC run", f":1: the format of these queries {NOT_KNOWN}"),
        ("a table of a run with texts", ":1: this seems to be a run, not queries"),
        ("a snapshot", ": docs"),
        (
            "rankings",
            ": q1: a document has a grade, and a list of ids has none; is this a run?",
        ),
    ],
)
def test_what_is_no_queries(files: Files, name: str, says: str) -> None:
    problems = files.query_problems(CONTENTS[name])
    assert problems[0].startswith(f"FILE{says}")


@pytest.mark.parametrize(
    ("header", "key"),
    [("number\tutterance", "q1"), ("topicId\twords", "red"), ("label\tutterance", "q1")],
)  # fmt: skip
def test_a_header_that_nobody_knows_is_no_query(
    files: Files, header: str, key: str
) -> None:
    problem = files.query_problem(f"{header}\n{key}\tred shoes\nq2\tred hats\n")
    says = "FILE:1: the first line seems to be a header that is not known: call the col"
    assert problem.startswith(says)


@pytest.mark.parametrize(
    ("content", "queries"),
    [
        ("nlp\tnets\nir\tengines\n", {"nlp": "nets", "ir": "engines"}),
        ("intro\tred shoes\n", {"intro": "red shoes"}),
        ("q1\twinter boots\n007\tlaces\n", {"q1": "winter boots", "007": "laces"}),
        ("text\ttexts\nid\tids\n", {"text": "texts", "id": "ids"}),
        ("nr\tquery\n1\tred shoes\n", {"1": "red shoes"}),
    ],
)
def test_lines_of_ids_and_texts(
    files: Files, content: str, queries: dict[str, str]
) -> None:
    assert files.queries(files.write(content, "queries.tsv")) == queries


QUERIES = {"q1": "winter boots", "007": "laces"}


@pytest.mark.parametrize("id_column", ["_id", "ID", "number", "qid"])
@pytest.mark.parametrize("text_column", ["text", "query_text"])
@pytest.mark.parametrize("separator", [",", "\t"])
def test_a_header_keeps_the_ids_and_is_no_query(
    files: Files, id_column: str, text_column: str, separator: str
) -> None:
    rows = [(id_column, text_column), *QUERIES.items()]
    table = "".join(f"{separator.join(row)}\n" for row in rows)
    assert files.queries(table) == QUERIES
    turned = "".join(f"{separator.join(reversed(row))}\n" for row in rows)
    assert files.queries(turned) == QUERIES


@pytest.mark.parametrize("id_column", ["id", "number"])
def test_an_id_of_queries_comes_before_any_other(files: Files, id_column: str) -> None:
    rows = "1,q1,winter boots\n2,007,laces\n"
    assert files.queries(f"{id_column},query_id,query\n{rows}") == QUERIES


def test_queries_in_parquet(files: Files) -> None:
    pytest.importorskip("pyarrow")
    import pandas

    path = files.folder / "queries.parquet"
    columns = {"_id": list(QUERIES), "text": list(QUERIES.values())}
    pandas.DataFrame(columns).to_parquet(path)
    assert files.queries(path) == QUERIES


def test_a_column_id_is_not_that_of_the_query_in_a_table_of_judgments(
    files: Files,
) -> None:
    path = files.write("id,query,doc_id,grade\n1,laces,a,3\n2,laces,b,0\n")
    assert files.judgments(path) == {"laces": {"a": 3, "b": 0}}
    assert files.queries(path) == {"laces": "laces"}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"queries": []}, 'there is nothing under "queries", the only key of the file'),
        ({"data": {}}, 'there is nothing under "data", the only key of the file'),
        (
            {"queries": ["boots"]},
            'the queries are in a list under "queries"; write the',
        ),
        (
            {"results": [{"query": "boots"}]},
            'the queries are in a list under "results"',
        ),
    ],
)
def test_a_list_in_an_object_is_no_query(
    files: Files, content: object, says: str
) -> None:
    assert files.query_problem(content).startswith(f"FILE: {says}")


@pytest.mark.parametrize(
    "content", [{"data": [{"doc_id": "a", "grade": 3}]}, {"boots": {}}]
)
def test_judgments_of_one_query_are_a_query(files: Files, content: object) -> None:
    assert len(files.queries(content)) == 1


# What holds for all kinds


@pytest.mark.parametrize("rows", ["q,a,1\nq,b,2\n", "q,a,1\r\nq,b,2\r\n"])
def test_a_carriage_return_alone_ends_a_header(files: Files, rows: str) -> None:
    judgments = files.judgments(f"query,docid,rating\r{rows}")
    assert judgments == {"q": {"a": 1, "b": 2}}


def test_a_weight_and_a_score_with_a_decimal_comma(files: Files) -> None:
    problem = files.query_problem('query,weight\nboots,"2,5"\n')
    assert problem.endswith('; it has a decimal comma: thousands: "." reads it as 2.5')
    problem = run_problem(files, 'query,doc_id,score\nboots,a,"0,85"\n')
    assert problem.endswith("; it has a decimal comma; write 0.85")
