"""TREC topics as files of queries: `<top>` markup as NIST writes it, and XML."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance import read_queries
from pytest_relevance._problems import FileError
from pytest_relevance._source import Source
from pytest_relevance.judgments.formats.trec_ltr import read_topics
from pytest_relevance.judgments.model import Query
from pytest_relevance.judgments.reading import load_queries
from tests.judgments.helpers import query_problems, written

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
        ("<top lang='EN'><num>C041</num><EN-title>Pesticides</EN-title></top>", ("C041", "Pesticides")),
        ("<TOP><NUM>Number: MB01</NUM><TITLE>BBC</TITLE></TOP>", ("MB01", "BBC")),
        ("<top><num> Number: 201 <desc> Description: Who wrote it?</top>", ("201", "Who wrote it?")),
        ('<inex-topic topic-id="5"><title>nobel prize</title></inex-topic>', ("5", "nobel prize")),
        ('<topic number="1"><title>Topic: Number: one</title></topic>', ("1", "Number: one")),
        ('<topic number="1"><query>a&#233;&lt;b&gt; &unknown; AT&T</query></topic>', ("1", "aé<b> &unknown; AT&T")),
    ],
)
def test_the_ways_to_write_a_topic(tmp_path: Path, topic: str, query: tuple[str, str]) -> None:
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
    """Whatever is left is queries of the whole file, or a topic that never ends, or no topic at all."""
    whole = read_topics(Source("F", content.encode()))
    for length in range(len(content) - len(content.lstrip()) + 1, len(content)):
        source = Source("F", content[:length].encode())
        try:
            assert [*read_topics(source)] == [*whole][: len(read_topics(source))]
        except FileError as error:
            (problem,) = error.problems
            assert problem.message.startswith(("the topic that begins here never ends", "the file has no topics"))
