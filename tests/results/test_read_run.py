"""Runs from files: TREC, tables, Parquet, JSON."""

from __future__ import annotations

import gzip
import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance import RelevanceWarning, Run, evaluate, read_run
from pytest_relevance._problems import FileError
from tests.chorus import reference
from tests.judgments.helpers import problems_of, write

if TYPE_CHECKING:
    from tests.results.conftest import Maker


def written(tmp_path: Path, content: str | bytes, name: str = "run.txt") -> Path:
    return write(tmp_path / name, content)


def problems(path: Path, format: str | None = None) -> list[str]:
    return problems_of(read_run, path, format)


TREC = "q1 Q0 a 1 0.5 tag\nq1 Q0 b 2 1.5 tag\nq1 Q0 c 3 0.5 tag\nq2 Q0 a 9 -1e-3 tag\n"
APART = (
    "q1 Q0 a 1 0.5 tag\nq2 Q0 a 9 -1e-3 tag\nq1 Q0 b 2 1.5 tag\nq1 Q0 c 3 5e-1 tag\n"
)
BLANKS = "q1  Q0 a\t1 0.5 tag \n\nq1 Q0   b \t 2 1.5 tag\t\nq1 Q0 c 3 .5 tag\nq2 Q0 a 9 -1e-3 tag\n"


@pytest.mark.parametrize("content", [TREC, TREC.replace(" ", "\t"), BLANKS, APART])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_trec_run_is_sorted_by_score_then_by_document(
    tmp_path: Path, content: str, end: str
) -> None:
    found = read_run(written(tmp_path, content.replace("\n", end)))
    assert found == {"q1": ["b", "c", "a"], "q2": ["a"]}
    assert list(found) == ["q1", "q2"]


@pytest.mark.parametrize(
    "document",
    ["007", "1.0", "NA", "nan", "1e5", "true", '"x"', "q\u00a0u", "日本", "10020#0"],
)
def test_ids_stay_text_as_written(tmp_path: Path, document: str) -> None:
    content = f"{document} Q0 {document} 1 2 tag\n{document} Q0 b 2 1 tag\n"
    assert read_run(written(tmp_path, content)) == {document: [document, "b"]}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "line", ["q Q0 b  1 x", "q Q0 b 2 1 ", " Q0 b 2 1 x", "q  b 2 1 x"]
)
@pytest.mark.parametrize(
    "content", ["q Q0 a 1 2 x\n{}", "q Q0 a 1 2 x\n{}\n", "q\tQ0\ta\t1\t2\tx\n{}\n"]
)
def test_a_blank_is_no_cell_of_a_trec_run(
    tmp_path: Path, content: str, line: str, end: str
) -> None:
    path = written(tmp_path, content.format(line).replace("\n", end))
    (problem,) = problems(path, "trec")
    assert "expected 6 columns" in problem


def test_a_trec_run_between_tabs_with_comments_and_gzip(tmp_path: Path) -> None:
    rows = "smart watch\tQ0\t10020#0\t1\t2\tx\r\n\r\nsmart watch\tQ0\t007\t2\t1\tx\r\n"
    packed = gzip.compress(f"# a run\r\n{rows}".encode())
    found = read_run(written(tmp_path, packed))
    assert found == {"smart watch": ["10020#0", "007"]}


@pytest.mark.parametrize(
    ("content", "ranking"),
    [
        ("query_id,doc_id,rank\nq,b,2\nq,a,1\nq,c,10\n", ["a", "b", "c"]),
        ("query_id,doc_id,score\nq,b,2\nq,a,1\nq,c,10\n", ["c", "b", "a"]),
        ("query_id,doc_id,rank,score\nq,b,2,9\nq,a,1,1\n", ["a", "b"]),
        ("query,docid\nq,b\nq,a\n", ["b", "a"]),
    ],
)
def test_tables(tmp_path: Path, content: str, ranking: list[str]) -> None:
    for path in (
        written(tmp_path, content, "run.csv"),
        written(tmp_path, content.replace(",", "\t"), "run.tsv"),
    ):
        assert read_run(path) == {"q": ranking}


@pytest.mark.parametrize("order", ["rank", "score", ""])
@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary", "int64"])
def test_parquet(tmp_path: Path, kind: str, order: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    queries = pyarrow.array([7, 8, 7])
    if kind != "int64":
        text = "string" if kind == "dictionary" else kind
        queries = queries.cast(pyarrow.string()).cast(getattr(pyarrow, text)())
    if kind == "dictionary":
        queries = queries.dictionary_encode()
    values = {"rank": [2, 1, 1], "score": [0.5, 0.25, 0.75], "": []}[order]
    columns = {
        "q_id": queries,
        "doc_id": ["a", " =a", "c"],
        "title": [None, "x", "y"],
        **({order: values} if order else {}),
    }
    ranking = ["c", "a"] if order else ["a", "c"]
    assert read_run(parquet_file(tmp_path, columns)) == {"7": ranking, "8": [" =a"]}


def parquet_file(folder: Path, columns: dict[str, Any]) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    write_table(pyarrow.table(columns), folder / "run.parquet")
    return folder / "run.parquet"


IDS_ARE = "and an id is text or an integer; write it as text"
NO_SCORE = 'query "q", document "b": a score is a finite number, found '


@pytest.mark.parametrize(
    ("name", "column", "said"),
    [
        ("doc_id", ["a", None], 'query "q": a row has no document'),
        ("doc_id", [1.0, 2.0], f'the column "doc_id" holds floats, {IDS_ARE}'),
        ("doc_id", [b"a", b"b"], ""),
        ("doc_id", [b"\xff", b"b"], f"the column \"doc_id\" holds bytes (b'\\xff'), {IDS_ARE}"),
        ("doc_id", [["a"], ["b"]], f"the column \"doc_id\" holds list (the list ['a']), {IDS_ARE}"),
        ("score", [1.0, None], f"{NO_SCORE}nothing"),
        ("score", [1.0, math.inf], f"{NO_SCORE}inf"),
        ("score", [2**53 + 1, 2**60], ""),
        ("score", [[1], [2]], 'the column "score" holds values of the type list<'),
    ],
)  # fmt: skip
def test_other_values_in_parquet(
    tmp_path: Path, name: str, column: list[object], said: str
) -> None:
    path = parquet_file(
        tmp_path,
        {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1, 2], name: column},
    )
    if said:
        with pytest.raises(FileError, match=re.escape(said)):
            read_run(path)
    else:
        assert read_run(path) == {"q": ["b", "a"]}


@pytest.mark.parametrize(
    "content",
    [
        '{"q": {"a": 0.5, "b": 1.5, "c": 0.5}}',
        '{"q": ["b", "c", "a"]}',
        '[{"query": "q", "doc_id": "a", "rank": 3}, {"query": "q", "doc_id": "b", "rank": 1}, '
        '{"query": "q", "doc_id": "c", "rank": 2}]',
        '{"qid": "q", "doc_id": "a", "score": 1}\n{"qid": "q", "doc_id": "c", "score": 1}\n'
        '{"qid": "q", "doc_id": "b", "score": 2}\n',
    ],
)
def test_json(tmp_path: Path, content: str) -> None:
    assert read_run(written(tmp_path, content, "run.json")) == {"q": ["b", "c", "a"]}


def test_ids_in_json_stay_as_they_are_written(tmp_path: Path) -> None:
    path = written(tmp_path, '{"007": [1e5, 12, "no", "NaN"]}', "run.json")
    found = read_run(path)
    assert found == {"007": ["1e5", "12", "no", "NaN"]}
    assert {type(document) for document in found["007"]} == {str}
    rows = '[{"query_id": 7, "doc_id": 1e5}, {"query_id": 7, "doc_id": "NaN"}]'
    assert read_run(written(tmp_path, rows, "rows.json")) == {"7": ["1e5", "NaN"]}


def test_tables_of_text_have_a_space_before_what_a_spreadsheet_would_calculate(
    tmp_path: Path,
) -> None:
    rows = " -5 degrees, =a,2\n -5 degrees,  +b,1\n -5 degrees, c,3\n"
    table = written(tmp_path, f"query,doc_id,rank\n{rows}")
    assert read_run(table) == {"-5 degrees": [" +b", "=a", " c"]}
    row = '[{"query": " -5 degrees", "doc_id": " =a"}]'
    as_it_is = written(tmp_path, row, "run.json")
    assert read_run(as_it_is) == {" -5 degrees": [" =a"]}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("q Q0 a 1 inf x\n", 'FILE:1: query "q", document "a": a score is a finite number, found the text "inf"'),
        ("q Q0 a 1 high x\nq Q0 b 2 1 x\nq Q0 c 3 1 x\n", 'FILE:1: query "q", document "a": a score is a'),
        ("q Q0 a 1 0.5 x\nq Q0 b 2\nq Q0 c 2 0.5 x\n", "FILE:2: expected 6 columns"),
        ('{"x Q0 a 1 2\n', "FILE:1: this is not valid JSON"),
        ("query,doc_id,rank\nq,,1\n,a,2\n", 'FILE:2: query "q": a row has no document'),
        ("query,doc_id,rank\nq,a,first\n", 'FILE:2: query "q", document "a": a rank is a finite number'),
        ("query,doc_id,rank\n", "FILE: the file has no results, only a header or comments"),
        ('{"q": {"a": 1}, "q": {"b": 1}}', "FILE: q: this key stands twice"),
        ('{"q": ["a", null]}', 'FILE: query "q": a row has no document'),
        ('{"q": 3}', 'FILE: query "q": a ranking is {document: score} or [document, ...]; found the text "3"'),
        ("[null]", "FILE: a run in JSON is {query: {document: score} or [document, ...]}, or rows with query, doc_id"),
        ("", "FILE: the file is empty"),
        ("hello\n", 'FILE:1: the format of this run is not recognised; the file begins with "hello"'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, content: str, problem: str
) -> None:
    assert problems(written(tmp_path, content))[0].startswith(problem)


REPEATED = {
    "run.trec": "q Q0 a 1 3 x\nq Q0 b 2 2 x\nq Q0 a 3 1 x\n",
    "run.csv": "query_id,doc_id,rank\nq,a,3\nq,b,2\nq,a,1\n",
    "run.json": '{"q": ["a", "b", "a"]}',
    "snapshot.json": '{"docs": {"7": [{"id": "a"}, {"id": "b"}, {"id": "a"}]}, '
    '"queries": [{"query_id": 7, "query_text": "q"}]}',
}  # fmt: skip


@pytest.mark.parametrize("name", REPEATED)
def test_a_document_twice_counts_at_its_first_rank_and_is_told_once(
    tmp_path: Path, name: str
) -> None:
    path = written(tmp_path, REPEATED[name], name)
    message = '1 query returns a document more than once, such as "a" for "q"'
    with pytest.warns(RelevanceWarning, match=message) as told:
        rankings = read_run(path)
    assert len(told) == 1
    assert rankings == {"q": ["a", "b", "a"]}
    (score,) = evaluate({"q": {"a": 1, "c": 1}}, rankings, ["P@3"])["P@3"]
    assert score == pytest.approx(1 / 3)


def test_a_case_of_a_record_that_is_an_error_has_no_ranking(
    tmp_path: Path, make: Maker
) -> None:
    results = [
        make.result("boots", ["a", "b"]),
        make.without_score("lamp", "error"),
        make.result("nothing", []),
    ]
    Run(results).write(tmp_path / "run.jsonl")
    assert read_run(tmp_path / "run.jsonl") == {"boots": ["a", "b"], "nothing": []}


NOT_TREK = (
    'a run is record, parquet, csv, trec or json, not "trek"; did you mean "trec"'
)


@pytest.mark.parametrize("format", ["csv", "trec", "json", "parquet", "record", "trek"])
def test_a_file_that_is_not_what_it_was_said_to_be(tmp_path: Path, format: str) -> None:
    with pytest.raises(ValueError, match=NOT_TREK if format == "trek" else r"run\.txt"):
        read_run(written(tmp_path, "Dear reader,\nhello\n"), format)


SNAPSHOT = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position"


def test_snapshots_of_quepid_in_csv(tmp_path: Path) -> None:
    """They have fields of documents of any name; several in a file are several runs."""
    rows = '(3/5/26) Weekly,2026-03-05,8,tv,b,2,x,5,1,z\n(3/5/26) Weekly,2026-03-05,8,tv,a,1,"y, z",,9,z\n'
    one = f"{SNAPSHOT},title,rating,rank,query\n{rows}"
    assert read_run(written(tmp_path, one, "snapshot.csv")) == {"tv": ["a", "b"]}
    two = f"{SNAPSHOT}\nMay,t,8,tv,a,1\nJune,t,8,tv,b,1\n"
    (problem,) = problems(written(tmp_path, two, "snapshot.csv"))
    assert problem == (
        'FILE:1: there are 2 snapshots in the file, such as "May" and "June"; keep one of them'
    )


def snapshot(docs: object, *queries: object) -> str:
    return json.dumps({"id": 1, "name": "Weekly", "docs": docs, "queries": queries})


TV, RADIO = ({"query_id": 7, "query_text": "tv"}, {"query_id": 9, "query_text": "radio"})  # fmt: skip


def test_a_snapshot_of_quepid_in_json(tmp_path: Path) -> None:
    first = [{"id": "b", "explain": "{}", "rated_only": False}, {"id": 10}]
    content = snapshot({"7": first, "9": [], "12": [{"id": "c"}]}, TV, RADIO)
    path = written(tmp_path, content, "snapshot.json")
    assert read_run(path) == {"tv": ["b", "10"], "radio": [], "12": ["c"]}


@pytest.mark.parametrize(
    ("docs", "problem"),
    [
        ({"7": [{"id": "a"}, {"ID": "b"}]}, 'FILE: query "tv": a row has no document'),
        ({"7": [{"id": "a"}], "8": [{"id": "b"}]}, 'FILE: the query "tv" stands twice; keep one of them'),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_snapshot_in_json(
    tmp_path: Path, docs: object, problem: str
) -> None:
    content = snapshot(docs, TV, {**TV, "query_id": 8})
    assert problems(written(tmp_path, content, "snapshot.json")) == [problem]


def test_the_run_of_trec_eval(tmp_path: Path) -> None:
    folder = reference("data/trec_eval")
    from pytest_relevance import read_judgments

    scores = evaluate(
        read_judgments(folder / "qrels.test"),
        read_run(folder / "results.test"),
        ["AP", "P@10"],
        negative="zero",
    )
    assert scores["AP"].mean() == pytest.approx(0.1785, abs=5e-5)  # out.test.a
    assert scores["P@10"].mean() == pytest.approx(0.3, abs=5e-2)
