"""Judgment lists for learning to rank: SVMrank lines, with headers, with Quepid's texts, with titles."""

from __future__ import annotations

from pathlib import Path

from pytest_relevance import read_judgments, read_queries
from pytest_relevance._problems import Place
from pytest_relevance.judgments.model import Query
from pytest_relevance.judgments.reading import load_queries
from tests.judgments.helpers import problems, query_problems, written

WITH_HEADERS = """\
# Made by hand.
# qid:1: rambo*1
# qid:2: star wars: a new hope*2.5
# qid:3: 5 * hotel
# qid:4: nobody rated it*1

4\tqid:1\t # 7555\tRambo
0 qid:1 # 007 First Blood
  3   qid:2   1:0.5 2:1e-3 # 10020#0 A New Hope
2.5\tqid:3\t1:1 # no
"""


def test_headers_tell_queries_and_weights(tmp_path: Path) -> None:
    path = written(tmp_path, WITH_HEADERS)
    judgments = read_judgments(path)
    assert judgments == {"1": {"7555": 4, "007": 0}, "2": {"10020#0": 3}, "3": {"no": 2.5}}
    assert judgments.format == "ltr"
    assert judgments.unrated == ["4"]
    assert judgments.known_as("rambo") == ["1"]
    assert judgments.titles == {"1": {"7555": "Rambo", "007": "First Blood"}, "2": {"10020#0": "A New Hope"}}
    assert judgments.notices == ("the features are left out",)
    assert judgments.place("2", "10020#0") == Place(9)
    assert load_queries(path) == [
        Query("1", "rambo", line=2),
        Query("2", "star wars: a new hope", 2.5, line=3),
        Query("3", "5 * hotel", line=4),
        Query("4", "nobody rated it", line=5),
    ]


def test_the_text_after_the_document_may_be_the_query(tmp_path: Path) -> None:
    """As Quepid writes it: no headers, and blank lines between."""
    content = "\n2.0 qid:17 # 602 star wars\n\n\n0.0 qid:17 # 11 star wars\n\n\n3.0 qid:18 # 562 willis\n\n"
    path = written(tmp_path, content)
    judgments = read_judgments(path)
    assert judgments == {"17": {"602": 2, "11": 0}, "18": {"562": 3}}
    assert judgments.titles == {}
    assert read_queries(path) == {"17": "star wars", "18": "willis"}
    assert [query.line for query in load_queries(path)] == [2, 8]


def test_the_text_after_the_document_may_be_a_title(tmp_path: Path) -> None:
    path = written(tmp_path, "2 qid:1 # a Star Wars\n0 qid:1 # b Independence Day\n1 qid:2 # a Star Wars\n")
    assert read_judgments(path).titles == {"1": {"a": "Star Wars", "b": "Independence Day"}, "2": {"a": "Star Wars"}}
    assert query_problems(path) == [
        'FILE:1: the text of the query "1" is not known; a line "# qid:1: the text" above gives it',
        'FILE:3: the text of the query "2" is not known; a line "# qid:2: the text" above gives it',
    ]


def test_other_ways_to_name_a_document(tmp_path: Path) -> None:
    path = written(tmp_path, "2 qid:1 # a b\tTitle\n1 qid:1 # /c/d.html\tOther\n")
    assert read_judgments(path) == {"1": {"a b": 2, "/c/d.html": 1}}
    letor = read_judgments(written(tmp_path, "2 qid:3 1:0.056 2:0.0 #docid = GX029-35 inc = 0.01 prob = 0.13\n"))
    assert (letor, letor.titles) == ({"3": {"GX029-35": 2}}, {})


# --- Bad input


def test_every_wrong_line(tmp_path: Path) -> None:
    content = (
        "# qid:1: rambo*1\n"
        "# qid:2: *1\n"
        "# qid:3: rocky*0\n"
        "# qid:4: first*1\n"
        "# qid:4: second*1\n"
        "3 qid:1 # a\n"
        "3 qid:1 1:0.5\n"
        "3 qd:1 # c\n"
        "3 qid:\n"
    )
    assert problems(written(tmp_path, content), "ltr") == [
        'FILE:2: the query "2" has no text; a header is # qid:2: text*weight',
        "FILE:3: a weight is a number above 0, found 0",
        'FILE:5: the query "4" is "first" (weight 1) in line 4 and "second" (weight 1) here',
        'FILE:7: the line names no document, which stands after a #: "grade qid:1 # document"',
        'FILE:8: a line is "grade qid:1 # document", found "3 qd:1 # c"',
        'FILE:9: a line is "grade qid:1 # document", found "3 qid:"',
    ]


def test_only_headers(tmp_path: Path) -> None:
    path = written(tmp_path, "# qid:1: rambo*1\n# qid:2: rocky\n")
    assert read_queries(path) == {"1": "rambo", "2": "rocky"}
    assert read_judgments(path).unrated == ["1", "2"]


def test_the_real_file(data: Path) -> None:
    path = data / "formats" / "ltr_title_judgments.txt"
    judgments = read_judgments(path)
    assert len(judgments) == 40
    assert sum(map(len, judgments.values())) == 1390
    assert judgments["1"]["7555"] == 4
    assert judgments["40"]["11"] == 4
    assert judgments.titles == {}
    queries = read_queries(path)
    assert len(queries) == 40
    assert queries["15"] == "star wars new hope"
