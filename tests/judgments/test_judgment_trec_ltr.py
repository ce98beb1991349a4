"""TREC qrels, judgment lists for learning to rank, and TREC topics."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import read_judgments, read_queries, read_run
from pytest_relevance._problems import FileError, Place
from pytest_relevance._source import Source
from pytest_relevance.ext.formats.topics import read_topics
from pytest_relevance.judgments.model import Query
from pytest_relevance.judgments.reading import load_queries, read_ratings
from tests.judgments.helpers import problems, problems_of, query_problems, written


def test_qrels(tmp_path: Path) -> None:
    judgments = read_judgments(written(tmp_path, "q1 0 a 3\nq1 0 b 0\nq2 Q0 a 1\n"))
    assert judgments == {"q1": {"a": 3, "b": 0}, "q2": {"a": 1}}
    assert judgments.format == "trec"
    assert read_judgments(written(tmp_path, "smart watch\t0\ta\t3\n")) == {
        "smart watch": {"a": 3}
    }
    assert read_judgments(written(tmp_path, 'q1 0 "a 3\n')) == {
        "q1": {'"a': 3}
    }  # quotes are nothing special


def test_tabs_spaces_blank_lines_comments_and_line_ends(tmp_path: Path) -> None:
    content = b"# made by hand\r\nq1\t0\ta\t3\r\n\r\n  q1   0  10020#0 \t 1  \r\n#q1 0 c 1\r\nq2 0 a -1\r\n"
    for path in (
        written(tmp_path, content),
        written(tmp_path, gzip.compress(b"\xef\xbb\xbf" + content)),
    ):
        assert read_judgments(path) == {"q1": {"a": 3, "10020#0": 1}, "q2": {"a": -1}}


@pytest.mark.parametrize(
    ("row", "found"),
    [("q1 0 b", "3 columns"), ("q1 0 b 1 x", "5 columns"), ("q1", "1 column")],
)
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
    assert problems(written(tmp_path, "# nothing\n"), "trec") == [
        "FILE: the file has no judgments, only comments"
    ]


# Four columns that are no qrels


RUNS = {
    "qid docid rank score": "q1 7187158 1 28.4\nq1 7187163 2 27\nq2 7187158 1 22\n",
    "qid docid score rank": "q1 d5 28.4 1\nq1 d6 20.1 2\n",
    "qid Q0 docid rank": "".join(f"q1 Q0 d{n} {n}\n" for n in range(1, 11)),
}


@pytest.mark.parametrize("order", RUNS)
def test_a_short_run_is_no_judgments(tmp_path: Path, order: str) -> None:
    (found,) = problems(written(tmp_path, RUNS[order]))
    assert found.startswith(f"FILE:1: this seems to be a run, {order}: ")
    assert found.endswith("; judgments are needed: qrels are qid iter docid grade")


@pytest.mark.parametrize("order", RUNS)
def test_a_short_run_says_what_a_run_needs(tmp_path: Path, order: str) -> None:
    (found,) = problems_of(read_run, written(tmp_path, RUNS[order]))
    assert found.startswith(
        f"FILE:1: this seems to be a run, {order}; a TREC run has six columns, "
    )


def test_ranks_from_0(tmp_path: Path) -> None:
    (found,) = problems(written(tmp_path, "q1 3 0 28.4\nq1 1 1 27\nq1 2 2 22\n"))
    assert found.startswith("FILE:1: this seems to be a run, qid docid rank score")


@pytest.mark.parametrize(
    "rows",
    [
        "q1 d1 0 1\nq1 d2 0 0\n",
        "q1 d1 Q0 1\nq2 d2 Q0 0\n",
        "q1 7187158 1 28.4\nq2 7187163 1 27\n",  # a run with one result a query
    ],
)
def test_the_document_stands_in_the_second_column(tmp_path: Path, rows: str) -> None:
    (found,) = problems(written(tmp_path, rows))
    assert "in every line, and the second column varies: the document seems to" in found


@pytest.mark.parametrize("second_grade", ["0", "1"])
def test_qrels_for_diversity(tmp_path: Path, second_grade: str) -> None:
    rows = f"1 1 clueweb09-a 1\n1 1 clueweb09-b 0\n1 2 clueweb09-a {second_grade}\n"
    assert problems(written(tmp_path, rows), raters="max") == [
        'FILE:3: query "1", document "clueweb09-a": the second column is "1" in line 1 and "2" here (1 line like '
        "this). These seem to be qrels for diversity, qid subtopic docid grade. Here a document has one grade for a "
        "query: keep one line for each document, such as the one with its highest grade"
    ]


@pytest.mark.parametrize(
    "rows",
    [
        # TREC-COVID: the second column is the round of judging
        "1 4.5 005b2j4b 2\n1 4 00fmeepz 1\n1 0.5 010vptx3 2\n2 0.5 005b2j4b 0\n",
        "1 0.5 1 2\n1 1 2 0\n",
        "1 0.5 005b2j4b 2\n2 1 005b2j4b 0\n",
        "q1 1 17 0\nq1 2 23 1\n",
        "q1 0 1 3\nq1 0 2 0\n",
        "q1 0 a 1\nq1 0 b 2\nq1 0 c 3\n",
        "q1 0 d 1\nq2 0 d 1\n",
    ],
)
def test_qrels_that_look_like_something_else(tmp_path: Path, rows: str) -> None:
    judgments = read_judgments(written(tmp_path, rows))
    assert sum(map(len, judgments.values())) == rows.count("\n")


@given(
    st.dictionaries(
        st.from_regex(r"q[0-9]{1,2}", fullmatch=True),
        st.dictionaries(
            st.from_regex(r"[0-9a-z]{1,3}", fullmatch=True), st.integers(0, 4)
        ),
        min_size=1,
    ),
    st.sampled_from(["0", "1", "Q0"]),
)
def test_qrels_with_one_iteration_are_always_read(
    judged: dict[str, dict[str, int]], iteration: str
) -> None:
    lines = [
        f"{query} {iteration} {document} {grade}\n"
        for query, grades in judged.items()
        for document, grade in grades.items()
    ]
    if lines:
        source = Source("qrels.txt", "".join(lines).encode())
        assert len(read_ratings(source, "trec").queries) == len(lines)


def test_qrels_have_no_texts(tmp_path: Path) -> None:
    path = written(tmp_path, "q1 0 a 1\n")
    for format in (None, "trec"):
        with pytest.raises(
            FileError,
            match=r"trec .* has no queries, only their ids; name a file of queries",
        ):
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


# Judgment lists for learning to rank: SVMrank lines, with headers, with Quepid's texts,
# with titles


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
    assert judgments == {
        "1": {"7555": 4, "007": 0},
        "2": {"10020#0": 3},
        "3": {"no": 2.5},
    }
    assert judgments.format == "ltr"
    assert judgments.unrated == ["4"]
    assert judgments.known_as("rambo") == ["1"]
    assert judgments.titles == {
        "1": {"7555": "Rambo", "007": "First Blood"},
        "2": {"10020#0": "A New Hope"},
    }
    assert judgments.notices == ("the features are left out",)
    assert judgments.place("2", "10020#0") == Place(line=9)
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
    path = written(
        tmp_path,
        "2 qid:1 # a Star Wars\n0 qid:1 # b Independence Day\n1 qid:2 # a Star Wars\n",
    )
    assert read_judgments(path).titles == {
        "1": {"a": "Star Wars", "b": "Independence Day"},
        "2": {"a": "Star Wars"},
    }
    assert query_problems(path) == [
        'FILE:1: the text of the query "1" is not known; a line "# qid:1: the text" above gives it',
        'FILE:3: the text of the query "2" is not known; a line "# qid:2: the text" above gives it',
    ]


def test_other_ways_to_name_a_document(tmp_path: Path) -> None:
    path = written(tmp_path, "2 qid:1 # a b\tTitle\n1 qid:1 # /c/d.html\tOther\n")
    assert read_judgments(path) == {"1": {"a b": 2, "/c/d.html": 1}}
    letor = read_judgments(
        written(
            tmp_path, "2 qid:3 1:0.056 2:0.0 #docid = GX029-35 inc = 0.01 prob = 0.13\n"
        )
    )
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


# TREC topics as files of queries: `<top>` markup as NIST writes it, and XML


ROBUST = """
<top>

<num> Number: 301
<title> International Organized
Crime

<desc> Description:
Identify organizations, such as R&D <b>units</b>, that take part.

<narr> Narrative:
A relevant document must name one.

</top>

<top>
<head> Tipster Topic Description
<num> Number:  051
<dom> Domain: International Economics
<title> Topic:  Airbus: Subsidies, price < 100
</top>
"""
COVID = """<?xml version="1.0" encoding="UTF-8"?>
<!-- <topic number="9"><query>not this</query></topic> -->
<topics task="TREC-COVID">
  <topic number="1">
    <query>coronavirus &amp; <![CDATA[R&D <x>]]></query>
    <question>what is the origin of it?</question>
    <subtopic number="1" type="inf"><query>another</query></subtopic>
  </topic>
  <topic id='007'>
    plain text
  </topic>
</topics>
"""


def test_markup_without_ends(tmp_path: Path) -> None:
    path = written(tmp_path, ROBUST)
    assert load_queries(path) == [
        Query(
            "301",
            "International Organized Crime",
            note="Identify organizations, such as R&D units , that take part.",
            line=2,
        ),
        Query("051", "Airbus: Subsidies, price < 100", line=16),
    ]
    assert read_queries(path, "topics") == read_queries(path)


def test_xml(tmp_path: Path) -> None:
    first, second = load_queries(written(tmp_path, COVID, "topics.xml"))
    assert (first.id, first.text, first.line) == ("1", "coronavirus & R&D <x>", 4)
    assert first.note == "what is the origin of it?"
    assert (second.id, second.text, second.note) == ("007", "plain text", None)


@pytest.mark.parametrize(
    ("topic", "query"),
    [
        (
            "<top lang='EN'><num>C041</num><EN-title>Pesticides</EN-title></top>",
            ("C041", "Pesticides"),
        ),
        ("<TOP><NUM>Number: MB01</NUM><TITLE>BBC</TITLE></TOP>", ("MB01", "BBC")),
        (
            "<top><num> Number: 201 <desc> Description: Who wrote it?</top>",
            ("201", "Who wrote it?"),
        ),
        (
            '<inex-topic topic-id="5"><title>nobel prize</title></inex-topic>',
            ("5", "nobel prize"),
        ),
        (
            '<topic number="1"><title>Topic: Number: one</title></topic>',
            ("1", "Number: one"),
        ),
        (
            '<topic number="1"><query>a&#233;&lt;b&gt; &unknown; AT&T</query></topic>',
            ("1", "aé<b> &unknown; AT&T"),
        ),
    ],
)
def test_the_ways_to_write_a_topic(
    tmp_path: Path, topic: str, query: tuple[str, str]
) -> None:
    assert list(read_queries(written(tmp_path, topic)).items()) == [query]


def test_every_mistake(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "<top>\n<title>no id\n</top>\n"
        "<top>\n<num>2\n<narr>no text\n</top>\n"
        "<top>\n<num>3\n<title>one\n</top>\n"
        "<top>\n<num>3\n<title>two\n</top>\n"
        "<top>\n<num>4\n<title>never ends\n"
        "<top>\n<num>5\n<title>cut off",
    )
    texts = "<query>, <title>, <question>, <desc>, <description> or <summary>"
    assert query_problems(path) == [
        "FILE:1: the topic has no id: an element <num>, or an attribute number or id; found <title>",
        f'FILE:4: the topic "2" has no text: an element {texts}',
        'FILE:12: the query id "3" stands for "one" in line 8 and for "two"; give one of them another id',
        "FILE:16: the topic that begins here never ends; is it truncated?",
        "FILE:19: the topic that begins here never ends; is it truncated?",
    ]


@pytest.mark.parametrize("content", [ROBUST, COVID])
def test_a_file_that_is_cut_off_anywhere(content: str) -> None:
    """Whatever is left is queries of the whole file, or a topic that never ends, or no
    topic at all.
    """
    whole = read_topics(Source("F", content.encode()))
    for length in range(len(content) - len(content.lstrip()) + 1, len(content)):
        source = Source("F", content[:length].encode())
        try:
            assert [*read_topics(source)] == [*whole][: len(read_topics(source))]
        except FileError as error:
            (problem,) = error.problems
            assert problem.message.startswith(
                ("the topic that begins here never ends", "the file has no topics")
            )
