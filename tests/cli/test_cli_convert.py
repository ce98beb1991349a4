"""`pytest-relevance convert`: judgments and runs written in another format."""

from __future__ import annotations

import gzip
import io
import sys
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


@pytest.fixture
def shop(terminal: Terminal) -> Terminal:
    terminal.write("shop.csv", SHOP)
    return terminal


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("shop.jsonl.gz", ()),
        ("shop.out", ("--to", "jsonl")),
        ("shop.relevance.yaml", ()),
    ],
)
def test_there_and_back(shop: Terminal, name: str, options: tuple[str, ...]) -> None:
    said = shop.run("convert", "shop.csv", name, *options)
    assert (said.code, said.err) == (0, "")
    assert said.out == f"written: {name}: 2 queries, 3 judgments\n"
    assert shop.run("convert", name, "back.csv").code == 0
    assert read_judgments("back.csv") == GRADES
    assert shop.files() == sorted(["shop.csv", name, "back.csv"])


def test_a_case_file_says_what_it_was_made_from(shop: Terminal) -> None:
    shop.run("convert", "shop.csv", "shop.relevance.yaml")
    first = "# From shop.csv, by pytest-relevance convert\ncases:\n"
    assert shop.read("shop.relevance.yaml").startswith(first)


def test_a_run_becomes_a_trec_run(terminal: Terminal) -> None:
    terminal.write("run.csv", "query_id,doc_id,score\nq1,a,0.5\nq1,b,0.9\nq2,007,3\n")
    said = terminal.run("convert", "run.csv", "out.run")
    assert (said.code, said.err) == (0, "")
    assert said.out == "written: out.run: 2 queries, 3 results\n"
    assert terminal.read("out.run").startswith("q1 Q0 b 1 2 pytest-relevance\n")
    assert read_run("out.run") == read_run("run.csv")


@pytest.mark.parametrize("name", ["queries.jsonl", "queries.csv.gz"])
def test_a_file_of_queries_in_another_format(terminal: Terminal, name: str) -> None:
    terminal.write("queries.tsv", "q1\twinter boots\nq2\tlaces\n")
    said = terminal.run("convert", "queries.tsv", name)
    assert (said.code, said.err, said.out) == (0, "", f"written: {name}: 2 queries\n")
    assert read_queries(name) == {"q1": "winter boots", "q2": "laces"}


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input_and_output(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, pack: type[bytes]
) -> None:
    data = pack("query_id,doc_id,grade\nmöbel,x,3\n".encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    said = terminal.run("convert", "-", "-", "--to", "trec")
    assert (said.code, said.out, said.err) == (0, "möbel 0 x 3\n", "")


# --- what is lost ---------------------------------------------------------------------


def test_what_only_a_case_file_has_is_named(terminal: Terminal) -> None:
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
    no_place = "for which judgments have no place"
    assert said.code == 0
    assert [line.partition(": the ")[2] for line in said.err.splitlines()] == [
        f"floor of 2 cases, {no_place}",
        f"expectation of 1 case, {no_place}",
        f"tag of 1 case, {no_place}",
        f"xfail of 1 case, {no_place}",
        f"notes on documents of 1 case, {no_place}",
        "ratings of 2 documents; the grade that they make (median) is taken",
    ]


def test_what_the_target_cannot_hold_is_named(terminal: Terminal) -> None:
    terminal.write(
        "shop.csv",
        "query_id,query,doc_id,title,grade\nq1,winter boots,sku-1,Aurora,3\nq1,winter boots,b,,0\n",
    )
    said = terminal.run("convert", "shop.csv", "shop.qrels")
    assert said.code == 0
    assert said.err.splitlines() == [
        "shop.qrels: the texts of 1 query, which TREC qrels cannot hold",
        "shop.qrels: the titles of 1 document, which TREC qrels cannot hold",
    ]
    assert terminal.read("shop.qrels") == "q1 0 sku-1 3\nq1 0 b 0\n"


@pytest.mark.parametrize("out", ["out.csv", "new.relevance.yaml"])
def test_documents_without_a_grade_are_counted(terminal: Terminal, out: str) -> None:
    terminal.write(
        "worklist.csv",
        "rank,move,query,doc_id,grade\n1,,boots,a,1\n2,,boots,b,\n1,,laces,c,\n",
    )
    said = terminal.run("convert", "worklist.csv", out)
    assert said.code == 0
    assert said.err.startswith("worklist.csv: 2 of 3 documents listed have no grade")


# --- what is refused, and writes nothing ----------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "out", "says"),
    [
        ("a.csv", SHOP, "out.qrels", 'query "winter boots": TREC qrels cannot hold it'),
        (
            "a.csv",
            "query,docid,rating\nboots,a,3\nboots,b,x\n",
            "out.qrels",
            'a.csv:3: query "boots", document "b": the grade "x" is not a number',
        ),
        ("a.json", '{"blue shoes": ["a"]}', "out.run", "a TREC run cannot hold it"),
        ("a.qrels", "q1 0 a 3\n", "out.run", "a.qrels:1: "),
    ],
    ids=["a space in qrels", "no number", "a space in a run", "no run"],
)
def test_a_mistake_in_the_file(
    terminal: Terminal, name: str, text: str, out: str, says: str
) -> None:
    terminal.write(name, text)
    terminal.write(out, "mine\n")
    said = terminal.run("convert", name, out, "--overwrite")
    assert (said.code, said.out) == (1, "")
    assert says in said.err
    assert terminal.read(out) == "mine\n"
    assert terminal.files() == sorted([name, out])


@pytest.mark.parametrize("name", ["out.jsonl", "out.relevance.yaml"])
def test_a_file_is_replaced_only_if_asked_to(shop: Terminal, name: str) -> None:
    shop.write(name, "mine\n")
    said = shop.run("convert", "shop.csv", name)
    assert (said.code, said.out) == (1, "")
    assert said.err.endswith(
        "nothing was written; --overwrite replaces what is there\n"
    )
    assert shop.read(name) == "mine\n"
    assert shop.run("convert", "shop.csv", name, "--overwrite").code == 0
    assert shop.read(name) != "mine\n"


@pytest.mark.parametrize("out", ["shop.csv", "here/../shop.csv", "link.csv"])
def test_the_source_is_never_written_over(shop: Terminal, out: str) -> None:
    Path("here").mkdir()
    Path("link.csv").symlink_to("shop.csv")
    before = shop.read("shop.csv")
    assert "IN and OUT are one file" in shop.refused(
        "convert", "shop.csv", out, "--overwrite"
    )
    assert shop.files() == ["link.csv", "shop.csv"]
    assert shop.read("shop.csv") == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("none.csv", "out.jsonl"), 'there is no file "none.csv"'),
        (("shop.csv", "out.xyz"), 'the ending of "out.xyz" says no format; name it'),
        (("shop.csv", "-"), "standard output has no format; name it"),
        (("shop.csv", "out.jsonl", "--to", "quepit"), "invalid choice: 'quepit'"),
        (
            ("shop.relevance.yaml", "out.jsonl", "--scale", "0..3"),
            "a case file has its own scale",
        ),
        (("shop.csv",), "the following arguments are required: OUT"),
    ],
)
def test_mistakes_at_the_command_line(
    shop: Terminal, arguments: tuple[str, ...], says: str
) -> None:
    shop.write("shop.relevance.yaml", "cases: [{query: boots}]\n")
    assert says in shop.refused("convert", *arguments)
    assert shop.files() == ["shop.csv", "shop.relevance.yaml"]


# --- texts of queries, for convert and init -------------------------------------------

ROW = '{"query_id": "q1", "doc_id": "sku-1", "grade": 3}'
KNN = '{"id": "q1", "request": {"knn": 1}, "ratings": [{"_id": "a", "rating": 3}]}'
IDS_ALONE = {
    "qrels.txt": "q1 0 sku-1 3\n",
    "ids.csv": "query_id,doc_id,grade\nq1,sku-1,3\n",
    "one.jsonl": f"{ROW}\n",
    "ids.jsonl": f"{ROW}\n{ROW}\n",
    "ids.json": f"[{ROW}, {ROW}]",
    "rank_eval.json": f'{{"requests": [{KNN}]}}',
    "ltr.txt": "3 qid:1 # sku-1\n0 qid:1 # sku-2\n",
    "ids.parquet": "",
}
COMMANDS = {
    "convert": ("convert", "{}", "new.relevance.yaml"),
    "init": ("init", "suite", "--judgments", "{}"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", IDS_ALONE)
def test_ids_alone_are_no_queries(terminal: Terminal, name: str, command: str) -> None:
    if name == "ids.parquet":
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        row = {"query_id": ["q1"], "doc_id": ["sku-1"], "grade": [3]}
        pandas.DataFrame(row).to_parquet(name)
    else:
        terminal.write(name, IDS_ALONE[name])
    err = terminal.refused(*(part.format(name) for part in COMMANDS[command]))
    assert err.startswith(f"{name}: it has the ids of queries, and their texts are ")
    assert ("--query params.text" in err) == (name == "rank_eval.json")
    assert terminal.files() == [name]


TWO_PLACES = """
{"requests": [
  {"id": "q1", "params": {"text": "boots", "shop": "uk"}, "template_id": "t", "ratings": [{"_id": "a", "rating": 3}]},
  {"id": "q2", "request": {"query": {"match": {"title": "hats"}}}, "ratings": [{"_id": "b", "rating": 2}]}
]}
"""


@pytest.mark.parametrize(
    ("command", "written"),
    [("convert", "new.relevance.yaml"), ("init", "suite/search.relevance.yaml")],
)
def test_the_user_says_where_requests_have_their_texts(
    terminal: Terminal, command: str, written: str
) -> None:
    terminal.write("rank_eval.json", TWO_PLACES)
    said = terminal.run(
        *(part.format("rank_eval.json") for part in COMMANDS[command]),
        *("--query", "params.text", "--query", "request.query.match.title"),
    )
    assert said.code == 0
    assert [case.query for case in read_suite(written).cases] == ["boots", "hats"]


@pytest.mark.parametrize(
    ("command", "written"),
    [("convert", "new.relevance.yaml"), ("init", "suite/search.relevance.yaml")],
)
def test_a_file_of_queries_has_the_texts(
    terminal: Terminal, command: str, written: str
) -> None:
    terminal.write("qrels.txt", "q1 0 a 3\n")
    terminal.write("queries.tsv", "q1\tboots\n")
    arguments = [part.format("qrels.txt") for part in COMMANDS[command]]
    assert terminal.run(*arguments, "--queries", "queries.tsv").code == 0
    assert [case.query for case in read_suite(written).cases] == ["boots"]
