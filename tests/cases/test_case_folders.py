"""Folders of BEIR and MTEB."""

import json

import pytest

from pytest_relevance import read_judgments, read_queries
from pytest_relevance._problems import FileError
from tests.cases.conftest import Shop

QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t2\n"
QUERIES = (
    '{"_id": "q1", "text": "late", "metadata": {}}\n{"_id": "q2", "text": "lost"}\n'
)


@pytest.fixture
def scifact(shop: Shop) -> Shop:
    """A folder as BEIR has it, with one file of judgments."""
    shop.write("scifact/queries.jsonl", QUERIES)
    shop.write("scifact/corpus.jsonl", '{"_id": "d1", "title": "", "text": "a"}\n')
    shop.write("scifact/qrels/test.tsv", QRELS)
    return shop


@pytest.mark.parametrize(
    "names",
    [
        "queries: scifact\njudgments: scifact/\n",
        "queries: scifact\n",
        "judgments: scifact\n",
        "queries: scifact\njudgments: scifact/qrels/test.tsv\n",
    ],
)
def test_a_folder_has_queries_and_judgments(scifact: Shop, names: str) -> None:
    suite = scifact.read(f"{names}gain: linear\n")
    assert suite.warnings == ()
    late, lost = suite.cases
    assert (late.id, late.query, late.judgments) == ("q1", "late", {"d1": 1, "d2": 2})
    assert (lost.source, lost.line) == ("scifact/queries.jsonl", 2)
    files = ["scifact/queries.jsonl", "scifact/qrels/test.tsv"]
    assert sorted(suite.files) == sorted(str(scifact.folder / name) for name in files)


def test_judgments_of_a_written_case(scifact: Shop) -> None:
    text = "judgments: scifact\ncases: [{query: late, id: q1}]\n"
    assert scifact.judgments(text) == {"q1": {"d1": 1, "d2": 2}}


def test_of_several_files_one_has_to_be_named(scifact: Shop) -> None:
    scifact.write("scifact/qrels/train.tsv", QRELS)
    assert scifact.mistakes("queries: scifact\njudgments: scifact") == [
        "shop.yaml:2:12: judgments: scifact is a folder with 2 files of judgments, qrels/test.tsv and "
        "qrels/train.tsv; name one of them, as in judgments: scifact/qrels/test.tsv"
    ]
    cases = scifact.cases("queries: scifact\njudgments: scifact/qrels/train.tsv")
    assert cases["q1"].judgments == {"d1": 1, "d2": 2}


def test_another_folder(shop: Shop) -> None:
    shop.write("other/a.txt", "a")
    assert shop.mistakes("queries: other\n") == [
        "shop.yaml:1:10: queries: other is a folder without queries.jsonl, which folders of BEIR and MTEB have; "
        "name a file"
    ]


def test_a_folder_with_queries_alone(scifact: Shop) -> None:
    (scifact.folder / "scifact/qrels/test.tsv").unlink()
    late, lost = scifact.read("queries: scifact\n").cases
    assert (late.judgments, lost.judgments) == ({}, {})


def test_parquet_of_mteb(shop: Shop) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import Table, parquet

    rows = {
        "queries": [{"_id": "q1", "text": "late"}],
        "qrels": [{"query-id": "q1", "corpus-id": "d1", "score": 1.0}],
    }
    for name, of_file in rows.items():
        folder = shop.folder / "nano" / name
        folder.mkdir(parents=True)
        file = folder / "test-00000-of-00001.parquet"
        parquet.write_table(Table.from_pylist(of_file), file)
    assert shop.judgments("queries: nano\n") == {"q1": {"d1": 1}}


def test_json_lines_of_mteb(scifact: Shop) -> None:
    (scifact.folder / "scifact/qrels/test.tsv").unlink()
    row = {"query-id": "q1", "corpus-id": "d1", "score": 1}
    scifact.write("scifact/qrels/test.jsonl", f"{json.dumps(row)}\n{json.dumps(row)}\n")
    assert scifact.judgments("queries: scifact\n")["q1"] == {"d1": 1}


def test_a_folder_in_python(scifact: Shop) -> None:
    folder = scifact.folder / "scifact"
    assert read_judgments(folder) == {"q1": {"d1": 1, "d2": 2}}
    assert read_queries(folder) == {"q1": "late", "q2": "lost"}
    with pytest.raises(FileError, match=r"is a folder without queries\.jsonl"):
        read_queries(scifact.folder)
