"""TREC qrels."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pytest_relevance import read_judgments, read_queries
from pytest_relevance._problems import FileError
from tests.judgments.helpers import problems, written


def test_qrels(tmp_path: Path) -> None:
    judgments = read_judgments(written(tmp_path, "q1 0 a 3\nq1 0 b 0\nq2 Q0 a 1\n"))
    assert judgments == {"q1": {"a": 3, "b": 0}, "q2": {"a": 1}}
    assert judgments.format == "trec"
    assert read_judgments(written(tmp_path, "smart watch\t0\ta\t3\n")) == {"smart watch": {"a": 3}}
    assert read_judgments(written(tmp_path, 'q1 0 "a 3\n')) == {"q1": {'"a': 3}}  # quotes are nothing special


def test_tabs_spaces_blank_lines_comments_and_line_ends(tmp_path: Path) -> None:
    content = b"# made by hand\r\nq1\t0\ta\t3\r\n\r\n  q1   0  10020#0 \t 1  \r\n#q1 0 c 1\r\nq2 0 a -1\r\n"
    for path in (written(tmp_path, content), written(tmp_path, gzip.compress(b"\xef\xbb\xbf" + content))):
        assert read_judgments(path) == {"q1": {"a": 3, "10020#0": 1}, "q2": {"a": -1}}


@pytest.mark.parametrize(("row", "found"), [("q1 0 b", "3 columns"), ("q1 0 b 1 x", "5 columns"), ("q1", "1 column")])
def test_a_line_of_another_width_is_named(tmp_path: Path, row: str, found: str) -> None:
    path = written(tmp_path, f"# qrels\nq1 0 a 1\nq1 0 d 1\n{row}\nq1 0 c 1\n")
    assert problems(path) == [
        f"FILE:4: found {found} where there are 4, separated by white space; mend the line"
        + (" (a file that ends so is truncated)" if found[0] < "4" else "")
    ]


def test_a_no_break_space_is_part_of_an_id(tmp_path: Path) -> None:
    path = written(tmp_path, "q1 0 a\u00a0b 1\n")
    assert read_judgments(path) == {"q1": {"a\u00a0b": 1}}
    (problem,) = problems(written(tmp_path, "q1 0 a\u00a0b 1\nq1 0 c 1\nq1 0 d x\n"))
    assert problem.startswith('FILE:3: query "q1", document "d"')


def test_nothing_but_comments(tmp_path: Path) -> None:
    assert problems(written(tmp_path, "# nothing\n"), "trec") == ["FILE: the file has no judgments, only comments"]


def test_qrels_have_no_texts(tmp_path: Path) -> None:
    path = written(tmp_path, "q1 0 a 1\n")
    for format in (None, "trec"):
        with pytest.raises(FileError, match=r"trec .* has no queries, only their ids; name a file of queries"):
            read_queries(path, format)


def test_the_qrels_of_chorus_are_its_table(chorus: Path) -> None:
    ids = {text: key for key, text in read_queries(chorus / "queries.tsv").items()}
    table = read_judgments(chorus / "Broad_Query_Set_rated.csv")
    qrels = read_judgments(chorus / "qrels.txt")
    assert {ids[text]: grades for text, grades in table.items()} == qrels
    packed = read_judgments(data_of(chorus) / "ranx_qrels.trec.gz")
    assert packed == {"q1": {"d1": 1, "d2": 2, "d3": 3}, "q2": {"d1": 1, "d2": 2}}


def data_of(chorus: Path) -> Path:
    return chorus.parent / "formats"
