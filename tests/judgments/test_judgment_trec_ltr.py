"""TREC qrels, judgment lists for learning to rank, and TREC topics."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import read_queries, read_run
from pytest_relevance._problems import FileError, Place
from pytest_relevance._source import Source
from pytest_relevance.ext.formats.topics import read_topics
from pytest_relevance.judgments.model import Query
from pytest_relevance.judgments.reading import read_ratings
from tests.judgments.helpers import Files, problems_of

# Qrels


@pytest.mark.parametrize(
    ("rows", "judgments"),
    [
        ("q1 0 a 3\nq1 0 b 0\nq2 Q0 a 1\n", {"q1": {"a": 3, "b": 0}, "q2": {"a": 1}}),
        ("smart watch\t0\ta\t3\n", {"smart watch": {"a": 3}}),
        ('q1 0 "a 3\n', {"q1": {'"a': 3}}),  # quotes are nothing special
        ("q1 0 a\u00a0b 1\n", {"q1": {"a\u00a0b": 1}}),
    ],
    ids=["blanks", "tabs", "a quote", "a no-break space"],
)
def test_qrels(files: Files, rows: str, judgments: object) -> None:
    found = files.judgments(rows)
    assert (found, found.format) == (judgments, "trec")


def test_tabs_spaces_blank_lines_comments_and_line_ends(files: Files) -> None:
    content = b"# made by hand\r\nq1\t0\ta\t3\r\n\r\n  q1   0  10020#0 \t 1  \r\n#q1 0 c 1\r\nq2 0 a -1\r\n"
    for each in (content, gzip.compress(b"\xef\xbb\xbf" + content)):
        judgments = files.judgments(each)
        assert judgments == {"q1": {"a": 3, "10020#0": 1}, "q2": {"a": -1}}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("q1 0 b", (
            "expected 4 columns, separated by white space, found 3; mend the line "
            "(a file that ends so is truncated)"
        )),
        ("q1 0 b 1 x", "expected 4 columns, separated by white space, found 5; mend the line"),
        ("q1 0 a\u00a0b x", 'query "q1", document "a\\xa0b": the grade "x" is not a number'),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named(files: Files, row: str, says: str) -> None:
    problem = files.problem(f"# qrels\nq1 0 a 1\nq1 0 d 1\n{row}\nq1 0 c 1\n")
    assert problem.startswith(f"FILE:4: {says}")


def test_nothing_but_comments(files: Files) -> None:
    problem = files.problem("# nothing\n", "trec")
    assert problem == "FILE: the file has no judgments, only comments"


@pytest.mark.parametrize("format", [None, "trec"])
def test_qrels_have_no_texts(files: Files, format: str | None) -> None:
    path = files.write("q1 0 a 1\n")
    (problem,) = problems_of(read_queries, path, format)
    assert "has no queries, only their ids; name a file of queries" in problem


# Four columns that are no qrels

RUNS = {
    "qid docid rank score": "q1 7187158 1 28.4\nq1 7187163 2 27\nq2 7187158 1 22\n",
    "qid docid score rank": "q1 d5 28.4 1\nq1 d6 20.1 2\n",
    "qid Q0 docid rank": "".join(f"q1 Q0 d{n} {n}\n" for n in range(1, 11)),
}


@pytest.mark.parametrize("order", RUNS)
def test_a_short_run_is_neither_judgments_nor_a_run(files: Files, order: str) -> None:
    says = f"FILE:1: this seems to be a run, {order}"
    problem = files.problem(RUNS[order])
    assert problem.startswith(f"{says}: ")
    assert problem.endswith("; judgments are needed: qrels are qid iter docid grade")
    (problem,) = problems_of(read_run, files.write(RUNS[order]))
    assert problem.startswith(f"{says}; a TREC run has six columns, ")


def test_ranks_from_0(files: Files) -> None:
    problem = files.problem("q1 3 0 28.4\nq1 1 1 27\nq1 2 2 22\n")
    assert problem.startswith("FILE:1: this seems to be a run, qid docid rank score")


@pytest.mark.parametrize(
    "rows",
    [
        "q1 d1 0 1\nq1 d2 0 0\n",
        "q1 d1 Q0 1\nq2 d2 Q0 0\n",
        "q1 7187158 1 28.4\nq2 7187163 1 27\n",  # a run with one result a query
    ],
)
def test_the_document_stands_in_the_second_column(files: Files, rows: str) -> None:
    says = "in every line, and the second column varies: the document seems to"
    assert says in files.problem(rows)


@pytest.mark.parametrize("second_grade", ["0", "1"])
def test_qrels_for_diversity(files: Files, second_grade: str) -> None:
    rows = f"1 1 clueweb09-a 1\n1 1 clueweb09-b 0\n1 2 clueweb09-a {second_grade}\n"
    assert files.problem(rows, raters="max") == (
        'FILE:3: query "1", document "clueweb09-a": the second column is "1" '
        'in line 1 and "2" here (1 line like this). These seem to be qrels for '
        "diversity, qid subtopic docid grade. Keep one line for each document of a "
        "query, for example the one with the highest grade"
    )


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
def test_qrels_that_look_like_something_else(files: Files, rows: str) -> None:
    judgments = files.judgments(rows)
    assert sum(map(len, judgments.values())) == rows.count("\n")


QUERY_IDS = st.from_regex(r"q[0-9]{1,2}", fullmatch=True)
DOCUMENT_IDS = st.from_regex(r"[0-9a-z]{1,3}", fullmatch=True)
JUDGED = st.dictionaries(
    st.tuples(QUERY_IDS, DOCUMENT_IDS), st.integers(0, 4), min_size=1
)


@given(JUDGED, st.sampled_from(["0", "1", "Q0"]))
def test_qrels_with_one_iteration_are_always_read(
    judged: dict[tuple[str, str], int], iteration: str
) -> None:
    rows = ""
    for (query, document), grade in sorted(judged.items()):
        rows += f"{query} {iteration} {document} {grade}\n"
    ratings = read_ratings(Source("qrels.txt", rows.encode()), "trec")
    assert len(ratings.queries) == len(judged)


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


def test_headers_tell_queries_and_weights(files: Files) -> None:
    path = files.write(WITH_HEADERS)
    judgments = files.judgments(path)
    assert judgments["1"] == {"7555": 4, "007": 0}
    assert judgments["2"] == {"10020#0": 3}
    assert judgments["3"] == {"no": 2.5}
    assert (judgments.format, judgments.unrated) == ("ltr", ["4"])
    assert judgments.known_as("rambo") == ["1"]
    assert judgments.titles["1"] == {"7555": "Rambo", "007": "First Blood"}
    assert judgments.notices == ("the features are left out",)
    assert judgments.place("2", "10020#0") == Place(line=9)
    assert files.described(path) == [
        Query("1", "rambo", line=2),
        Query("2", "star wars: a new hope", 2.5, line=3),
        Query("3", "5 * hotel", line=4),
        Query("4", "nobody rated it", line=5),
    ]


def test_the_text_after_the_document_may_be_the_query(files: Files) -> None:
    """As Quepid writes it: no headers, and blank lines between."""
    rows = ["", "2.0 qid:17 # 602 star wars", "0.0 qid:17 # 11 star wars"]
    path = files.write("\n\n".join([*rows, "3.0 qid:18 # 562 willis\n"]))
    judgments = files.judgments(path)
    assert judgments == {"17": {"602": 2, "11": 0}, "18": {"562": 3}}
    assert judgments.titles == {}
    assert files.queries(path) == {"17": "star wars", "18": "willis"}
    assert [query.line for query in files.described(path)] == [3, 7]


def test_the_text_after_the_document_may_be_a_title(files: Files) -> None:
    rows = (
        "2 qid:1 # a Star Wars\n0 qid:1 # b Independence Day\n1 qid:2 # a Star Wars\n"
    )
    path = files.write(rows)
    assert files.judgments(path).titles == {
        "1": {"a": "Star Wars", "b": "Independence Day"},
        "2": {"a": "Star Wars"},
    }
    assert files.query_problems(path) == [
        'FILE:1: the text of the query "1" is not known; a line "# qid:1: the text" above gives it',
        'FILE:3: the text of the query "2" is not known; a line "# qid:2: the text" above gives it',
    ]


def test_a_title_is_not_the_text_of_a_query_without_a_header(files: Files) -> None:
    """The header of one query tells that the texts after documents are titles."""
    rows = "# qid:2: star wars\n2 qid:1 # a Rambo\n1 qid:2 # b A New Hope\n"
    path = files.write(rows)
    assert files.judgments(path).titles == {
        "1": {"a": "Rambo"},
        "2": {"b": "A New Hope"},
    }
    assert files.query_problems(path) == [
        'FILE:2: the text of the query "1" is not known; a line "# qid:1: the text" above gives it'
    ]


def test_other_ways_to_name_a_document(files: Files) -> None:
    rows = "2 qid:1 # a b\tTitle\n1 qid:1 # /c/d.html\tOther\n"
    assert files.judgments(rows) == {"1": {"a b": 2, "/c/d.html": 1}}
    letor = "2 qid:3 1:0.056 2:0.0 #docid = GX029-35 inc = 0.01 prob = 0.13\n"
    judgments = files.judgments(letor)
    assert (judgments, judgments.titles) == ({"3": {"GX029-35": 2}}, {})


def test_every_wrong_line(files: Files) -> None:
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
    assert files.problems(content, "ltr") == [
        "FILE:2: the query has no text; a header is # qid:2: text*weight",
        "FILE:3: a weight is a number above 0, found 0; a header is # qid:3: text*weight",
        'FILE:5: the query id "4" stands for "first" in line 4 and for "second"; give one of them another id',
        'FILE:7: the line names no document, which stands after a #: "grade qid:1 # document"',
        'FILE:8: a line is "grade qid:1 # document", found "3 qd:1 # c"',
        'FILE:9: a line is "grade qid:1 # document", found "3 qid:"',
    ]


def test_only_headers(files: Files) -> None:
    path = files.write("# qid:1: rambo*1\n# qid:2: rocky\n")
    assert files.queries(path) == {"1": "rambo", "2": "rocky"}
    assert files.judgments(path).unrated == ["1", "2"]


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


def test_markup_without_ends(files: Files) -> None:
    path = files.write(ROBUST)
    note = "Identify organizations, such as R&D units , that take part."
    assert files.described(path) == [
        Query("301", "International Organized Crime", note=note, line=2),
        Query("051", "Airbus: Subsidies, price < 100", line=16),
    ]
    assert files.queries(path, "topics") == files.queries(path)


def test_xml(files: Files) -> None:
    note = "what is the origin of it?"
    assert files.described(files.write(COVID, "topics.xml")) == [
        Query("1", "coronavirus & R&D <x>", note=note, line=4),
        Query("007", "plain text", line=9),
    ]


@pytest.mark.parametrize(
    ("topic", "key", "text"),
    [
        ("<top lang='EN'><num>C041</num><EN-title>Ants</EN-title></top>", "C041", "Ants"),
        ("<TOP><NUM>Number: MB01</NUM><TITLE>BBC</TITLE></TOP>", "MB01", "BBC"),
        ("<top><num> Number: 201 <desc> Description: Who?</top>", "201", "Who?"),
        ('<inex-topic topic-id="5"><title>prize</title></inex-topic>', "5", "prize"),
        ('<topic number="1"><title>Topic: Number: 1</title></topic>', "1", "Number: 1"),
        ('<topic number="1"><query>a&#233;&lt;b&gt; &unknown; AT&T</query></topic>',
         "1", "aé<b> &unknown; AT&T"),
    ],
)  # fmt: skip
def test_the_ways_to_write_a_topic(
    files: Files, topic: str, key: str, text: str
) -> None:
    assert files.queries(topic) == {key: text}


def test_every_mistake_of_topics(files: Files) -> None:
    content = (
        "<top>\n<title>no id\n</top>\n"
        "<top>\n<num>2\n<narr>no text\n</top>\n"
        "<top>\n<num>3\n<title>one\n</top>\n"
        "<top>\n<num>3\n<title>two\n</top>\n"
        "<top>\n<num>4\n<title>never ends\n"
        "<top>\n<num>5\n<title>cut off"
    )
    texts = "<query>, <title>, <question>, <desc>, <description> or <summary>"
    assert files.query_problems(content) == [
        "FILE:1: the topic has no id: an element <num>, or an attribute number or id; found <title>",
        f'FILE:4: the topic "2" has no text: an element {texts}',
        'FILE:12: the query id "3" stands for "one" in line 8 and for "two"; give one of them another id',
        "FILE:16: the topic that begins here never ends; is it truncated?",
        "FILE:19: the topic that begins here never ends; is it truncated?",
    ]


@pytest.mark.parametrize("content", [ROBUST, COVID], ids=["markup", "xml"])
def test_topics_that_are_cut_off_anywhere(content: str) -> None:
    """What is left is the first queries, a topic that never ends, or no topic at
    all.
    """
    whole = read_topics(Source("F", content.encode()))
    for length in range(len(content) - len(content.lstrip()) + 1, len(content)):
        source = Source("F", content[:length].encode())
        try:
            queries = read_topics(source)
        except FileError as error:
            (problem,) = error.problems
            says = ("the topic that begins here never ends", "the file has no topics")
            assert problem.message.startswith(says)
        else:
            assert queries == whole[: len(queries)]
