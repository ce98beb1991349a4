"""`pytest-relevance convert`: judgments from any format to a case file, CSV, JSON Lines
or qrels, runs to TREC runs.
"""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_relevance import read_judgments, read_queries, read_run, read_suite

if TYPE_CHECKING:
    from tests.cli.conftest import Terminal

SHOP = """
    query,docid,rating
    winter boots,sku-1,3
    winter boots,007,0
    laces,sku-6,2
"""
GRADES = {"winter boots": {"sku-1": 3, "007": 0}, "laces": {"sku-6": 2}}


def write_parquet(path: str, columns: Mapping[str, Sequence[object]]) -> None:
    """A Parquet file."""
    pytest.importorskip("pyarrow")
    import pandas

    pandas.DataFrame(columns).to_parquet(path)


class Standard(io.TextIOWrapper):
    """A standard stream over bytes."""

    def __init__(self, data: bytes = b"") -> None:
        super().__init__(io.BytesIO(data))


@pytest.mark.parametrize(
    ("name", "options"), [("shop.jsonl.gz", ()), ("shop.out", ("--to", "jsonl"))]
)
def test_there_and_back(
    terminal: Terminal, name: str, options: tuple[str, ...]
) -> None:
    terminal.write("shop.csv", SHOP)
    said = terminal.run("convert", "shop.csv", name, *options)
    assert (said.code, said.out) == (0, f"written: {name}: 2 queries, 3 judgments\n")
    assert read_judgments(name) == GRADES
    assert terminal.run("convert", name, "back.csv").code == 0
    assert read_judgments("back.csv") == GRADES
    assert terminal.files() == sorted(["shop.csv", name, "back.csv"])


def test_a_new_case_file_and_back(terminal: Terminal) -> None:
    terminal.write("shop.csv", SHOP)
    said = terminal.run("convert", "shop.csv", "shop.relevance.yaml")
    assert (said.code, said.err) == (0, "")
    suite = read_suite("shop.relevance.yaml")
    assert {case.query: case.judgments for case in suite.cases} == GRADES
    assert terminal.read("shop.relevance.yaml").startswith(
        "# From shop.csv, by pytest-relevance convert\ncases:\n"
    )
    assert terminal.run("convert", "shop.relevance.yaml", "back.csv").code == 0
    assert read_judgments("back.csv") == GRADES


def test_what_only_a_case_file_has_is_said_to_be_left_behind(
    terminal: Terminal,
) -> None:
    terminal.write(
        "shop.relevance.yaml",
        """
        min_ndcg: 0.5
        cases:
          - query: boots
            judgments: {a: 3, b: [0, 1, 0], c: {grade: [1, 2], note: why}}
            expect: {first: a}
            tags: [head]
            xfail: not yet
          - query: laces
            judgments: {a: 3}
        """,
    )
    said = terminal.run("convert", "shop.relevance.yaml", "shop.csv")
    assert said.code == 0
    assert said.err.splitlines() == [
        "shop.relevance.yaml: the floor of 2 cases, for which judgments have no place",
        "shop.relevance.yaml: the expectation of 1 case, for which judgments have no place",
        "shop.relevance.yaml: the tag of 1 case, for which judgments have no place",
        "shop.relevance.yaml: the xfail of 1 case, for which judgments have no place",
        "shop.relevance.yaml: the notes on documents of 1 case, for which judgments have no place",
        "shop.relevance.yaml: the ratings of 2 documents; the grade that they make (median) is taken",
    ]


def test_what_the_target_cannot_hold_is_said_a_line_for_each_kind(
    terminal: Terminal,
) -> None:
    terminal.write(
        "shop.csv",
        "query_id,query,doc_id,title,grade\nq1,winter boots,sku-1,Aurora,3\nq1,winter boots,b,,0\n",
    )
    said = terminal.run("convert", "shop.csv", "shop.qrels")
    assert (said.code, said.out) == (0, "written: shop.qrels: 1 query, 2 judgments\n")
    assert said.err.splitlines() == [
        "shop.qrels: the texts of 1 query, which TREC qrels cannot hold",
        "shop.qrels: the titles of 1 document, which TREC qrels cannot hold",
    ]
    assert terminal.read("shop.qrels") == "q1 0 sku-1 3\nq1 0 b 0\n"


def test_a_mistake_writes_nothing(terminal: Terminal) -> None:
    terminal.write("shop.csv", SHOP)
    terminal.write("wrong.csv", "query,docid,rating\nboots,a,3\nboots,b,x\n")
    terminal.write("out.qrels", "mine\n")
    for name, says in (
        ("shop.csv", 'out.qrels: query "winter boots": TREC qrels cannot hold it'),
        (
            "wrong.csv",
            'wrong.csv:3: query "boots", document "b": the grade "x" is no number',
        ),
    ):
        said = terminal.run("convert", name, "out.qrels", "--overwrite")
        assert (said.code, said.out) == (1, "")
        assert said.err.startswith(says)
    assert terminal.read("out.qrels") == "mine\n"
    assert terminal.files() == ["out.qrels", "shop.csv", "wrong.csv"]


@pytest.mark.parametrize("name", ["queries.jsonl", "queries.csv.gz"])
def test_a_file_of_queries_in_another_format(terminal: Terminal, name: str) -> None:
    terminal.write("queries.tsv", "q1\twinter boots\nq2\tlaces\n")
    said = terminal.run("convert", "queries.tsv", name)
    assert (said.code, said.err, said.out) == (0, "", f"written: {name}: 2 queries\n")
    assert read_queries(name) == {"q1": "winter boots", "q2": "laces"}


def test_ids_alone_are_no_queries(terminal: Terminal) -> None:
    terminal.write("qrels.txt", "q1 0 sku-1 3\n")
    terminal.write("ids.csv", "query_id,doc_id,grade\nq1,sku-1,3\n")
    write_parquet(
        "ids.parquet", {"query_id": ["q1"], "doc_id": ["sku-1"], "grade": [3]}
    )
    row = '{"query_id": "q1", "doc_id": "sku-1", "grade": 3}'
    for source, text in (
        ("one.jsonl", f"{row}\n"),
        ("ids.jsonl", f"{row}\n" * 2),
        ("ids.json", f"[{row}, {row}]"),
    ):
        terminal.write(source, text)
    ratings = '"ratings": [{"_id": "sku-1", "rating": 3}]'
    terminal.write(
        "rank_eval.json",
        f'{{"requests": [{{"id": "q1", "request": {{"query": {{"knn": 1}}}}, {ratings}}}]}}',
    )
    terminal.write("ltr.txt", "3 qid:1 # sku-1\n0 qid:1 # sku-2\n")
    before = terminal.files()
    for source in before:
        said = terminal.run("convert", source, "shop.relevance.yaml")
        assert (said.code, said.out) == (2, "")
        assert said.err.startswith(
            f"{source}: it has the ids of queries, and their texts are needed"
        )
    assert terminal.files() == before


def test_standard_input_and_output(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for pack in (bytes, gzip.compress):
        monkeypatch.setattr(
            sys, "stdin", Standard(pack("query_id,doc_id,grade\nmöbel,x,3\n".encode()))
        )
        said = terminal.run("convert", "-", "-", "--to", "trec")
        assert (said.code, said.out, said.err) == (0, "möbel 0 x 3\n", "")


def test_where_a_request_has_its_query(terminal: Terminal) -> None:
    request = '{"requests": [{"id": "1", "request": {"a": "x", "b": "boots"}, "ratings": [{"_id": "sku", "rating": 2}]}]}'
    terminal.write("rank_eval.json", request)
    said = terminal.run("convert", "rank_eval.json", "out.csv", "--query", "request.b")
    assert said.code == 0
    assert read_judgments("out.csv").text("1") == "boots"


def test_nothing_is_replaced_without_being_asked_to(terminal: Terminal) -> None:
    terminal.write("shop.csv", SHOP)
    for name, arguments in (
        ("out.jsonl", ("out.jsonl",)),
        ("out.relevance.yaml", ("out.relevance.yaml",)),
    ):
        terminal.write(name, "mine\n")
        said = terminal.run("convert", "shop.csv", *arguments)
        assert (said.code, said.out) == (1, "")
        assert said.err == (
            f"{name}: is there already, and nothing was written; --overwrite replaces what is there\n"
        )
        assert terminal.read(name) == "mine\n"
        assert terminal.run("convert", "shop.csv", *arguments, "--overwrite").code == 0
        assert terminal.read(name) != "mine\n"


@pytest.mark.parametrize("out", ["shop.csv", "here/../shop.csv", "link.csv"])
def test_the_source_is_never_written_over(terminal: Terminal, out: str) -> None:
    terminal.write("shop.csv", SHOP)
    Path("here").mkdir()
    Path("link.csv").symlink_to("shop.csv")
    before = terminal.read("shop.csv")
    said = terminal.run("convert", "shop.csv", out, "--overwrite")
    assert (said.code, said.out) == (2, "")
    assert said.err.endswith("IN and OUT are one file; nothing was written\n")
    assert terminal.files() == ["link.csv", "shop.csv"]
    assert terminal.read("shop.csv") == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("none.csv", "out.jsonl"), 'there is no file "none.csv"'),
        (
            ("shop.csv", "out.xyz"),
            'the ending of "out.xyz" says no format; name it: --to case-file, csv',
        ),
        (
            ("shop.csv", "out.jsonl", "--to", "quepit"),
            "argument --to: invalid choice: 'quepit'",
        ),
        (
            ("shop.relevance.yaml", "out.jsonl", "--scale", "0..3"),
            "a case file says itself what --scale would",
        ),
        (("shop.csv",), "the following arguments are required: OUT"),
    ],
)
def test_mistakes_at_the_command_line(
    terminal: Terminal, arguments: tuple[str, ...], says: str
) -> None:
    terminal.write("shop.csv", SHOP)
    terminal.write("shop.relevance.yaml", "cases: [{query: boots}]\n")
    said = terminal.run("convert", *arguments)
    assert (said.code, said.out) == (2, "")
    assert says in said.err
    assert terminal.files() == ["shop.csv", "shop.relevance.yaml"]


def test_a_run_becomes_a_trec_run(terminal: Terminal) -> None:
    terminal.write("run.csv", "query_id,doc_id,score\nq1,a,0.5\nq1,b,0.9\nq2,007,3\n")
    said = terminal.run("convert", "run.csv", "out.run")
    assert (said.code, said.out, said.err) == (
        0,
        "written: out.run: 2 queries, 3 results\n",
        "",
    )
    assert terminal.read("out.run") == (
        "q1 Q0 b 1 2 pytest-relevance\nq1 Q0 a 2 1 pytest-relevance\nq2 Q0 007 1 1 pytest-relevance\n"
    )
    assert read_run("out.run") == read_run("run.csv")
    terminal.write("spaced.json", '{"blue shoes": ["a"]}')
    assert (
        "a TREC run cannot hold it"
        in terminal.run("convert", "spaced.json", "-", "--to", "run").err
    )
    terminal.write("shop.qrels", "q1 0 a 3\n")
    said = terminal.run("convert", "shop.qrels", "no.run")
    assert (said.code, said.err.partition(":")[0]) == (1, "shop.qrels")


@pytest.mark.parametrize("out", ["out.csv", "new.relevance.yaml"])
def test_documents_without_a_grade_are_counted(terminal: Terminal, out: str) -> None:
    terminal.write(
        "worklist.csv",
        "rank,move,query,doc_id,grade\n1,,boots,a,1\n2,,boots,b,\n1,,laces,c,\n",
    )
    said = terminal.run("convert", "worklist.csv", out)
    assert said.code == 0
    assert (
        said.err.splitlines()[0]
        == "worklist.csv: 2 of 3 documents listed have no grade, and are left out"
    )


TWO_PLACES = """
{"requests": [
  {"id": "q1", "template_id": "t", "params": {"text": "boots", "shop": "uk"}, "ratings": [{"_id": "a", "rating": 3}]},
  {"id": "q2", "request": {"query": {"match": {"title": "hats"}}}, "ratings": [{"_id": "b", "rating": 2}]}
]}
"""
PLACES = ("--query", "params.text", "--query", "request.query.match.title")


def test_texts_that_are_not_known_are_named_by_their_place(terminal: Terminal) -> None:
    terminal.write("rank_eval.json", TWO_PLACES)
    for command in (
        ("convert", "rank_eval.json", "shop.relevance.yaml"),
        ("init", "suite", "--judgments", "rank_eval.json"),
    ):
        said = terminal.run(*command)
        assert said.code == 2
        assert (
            "Or say where a request has the text of its query: --query params"
            in said.err
        )
        assert terminal.files() == ["rank_eval.json"]


def test_texts_in_two_places(terminal: Terminal) -> None:
    terminal.write("rank_eval.json", TWO_PLACES)
    said = terminal.run("convert", "rank_eval.json", "shop.relevance.yaml", *PLACES)
    assert said.code == 0
    queries = [
        line
        for line in terminal.read("shop.relevance.yaml").splitlines()
        if "query:" in line
    ]
    assert queries == ["  - query: boots", "  - query: hats"]


def test_a_suite_around_texts_in_two_places(terminal: Terminal) -> None:
    terminal.write("rank_eval.json", TWO_PLACES)
    said = terminal.run("init", "suite", "--judgments", "rank_eval.json", *PLACES)
    assert said.code == 0
    suite = read_suite("suite/search.relevance.yaml")
    assert [case.query for case in suite.cases] == ["boots", "hats"]
