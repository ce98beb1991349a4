"""What the columns of a file of queries are called: more than in tables of judgments."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance import read_judgments, read_queries
from tests.judgments.helpers import written

QUERIES = {"q1": "winter boots", "007": "laces"}


@pytest.mark.parametrize("id_column", ["_id", "ID", "number", "qid"])
@pytest.mark.parametrize("text_column", ["text", "query_text"])
@pytest.mark.parametrize("separator", [",", "\t"])
def test_a_header_keeps_the_ids_and_is_no_query(
    tmp_path: Path, id_column: str, text_column: str, separator: str
) -> None:
    rows = [(id_column, text_column), ("q1", "winter boots"), ("007", "laces")]
    assert read_queries(written(tmp_path, "".join(f"{separator.join(row)}\n" for row in rows))) == QUERIES
    turned = "".join(f"{separator.join(reversed(row))}\n" for row in rows)
    assert read_queries(written(tmp_path, turned)) == QUERIES


@pytest.mark.parametrize("id_column", ["id", "number"])
def test_an_id_of_queries_comes_before_any_other(tmp_path: Path, id_column: str) -> None:
    path = written(tmp_path, f"{id_column},query_id,query\n1,q1,winter boots\n2,007,laces\n")
    assert read_queries(path) == QUERIES


def test_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pandas

    path = tmp_path / "queries.parquet"
    pandas.DataFrame({"_id": list(QUERIES), "text": list(QUERIES.values())}).to_parquet(path)
    assert read_queries(path) == QUERIES


def test_without_a_header_the_first_line_is_a_query(tmp_path: Path) -> None:
    assert read_queries(written(tmp_path, "q1\twinter boots\n007\tlaces\n", "queries.tsv")) == QUERIES
    assert read_queries(written(tmp_path, "text\ttexts\nid\tids\n", "queries.tsv")) == {"text": "texts", "id": "ids"}


def test_tables_of_judgments_know_these_names_for_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, "id,query,doc_id,grade\n1,laces,a,3\n2,laces,b,0\n")
    assert read_judgments(path) == {"laces": {"a": 3, "b": 0}}
    assert read_queries(path) == {"laces": "laces"}
