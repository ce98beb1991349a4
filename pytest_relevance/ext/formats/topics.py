"""TREC topics: queries as `<top>` markup, as NIST writes it, or as XML.

    <top>
    <num> Number: 301
    <title> International Organized Crime
    <desc> Description:
    Identify organizations that ...
    </top>

    <topic number="1"><query>coronavirus origin</query><question>what is ...</question></topic>

The first is no XML: its inner elements need no end tag, `&` and `<` are not escaped. So one
scanner reads both. The text of a query is its `query` or `title`, or else its `question` or
description, or the text of the topic itself; line breaks in it are spaces. The rest of a topic
is its note. See https://trec.nist.gov/data/topics_eng/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape

from pytest_relevance._problems import Place
from pytest_relevance._source import Source
from pytest_relevance._text import listed, quoted
from pytest_relevance.ext.formats.tables import distinct
from pytest_relevance.judgments.formats import JudgmentFormat
from pytest_relevance.judgments.model import Query

_TOPIC = re.compile(
    r"<(top|topic|inex[-_]topic)(\s[^<>]*)?>(.*?)(?:(</\1>)|(?=<\1[\s>])|\Z)",
    re.IGNORECASE | re.DOTALL,
)
"""A topic: its name, its attributes, its content and its end tag, which is missing where the file is truncated."""

_BEGINS_LIKE_MARKUP = re.compile(r"\s*<[A-Za-z?!]")
_ELEMENT = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?>")
_TAG = re.compile(r"</?[A-Za-z][\w.-]*(?:\s[^<>]*)?/?>")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
_UNREAD = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_LABELS = {
    "num": "number",
    "title": "topic",
    "desc": "description",
    "narr": "narrative",
}
"""What NIST writes before the value of an element: `<num> Number: 301`."""

_TOPIC_IDS = ("num", "number", "id", "topic_id", "topicid", "qid", "query_id")
_TOPIC_TEXTS = ("query", "title", "question", "desc", "description", "summary")
_TOPIC_NOTES = ("desc", "description", "question", "narr", "narrative", "summary")
_FIELDS = frozenset((*_TOPIC_IDS, *_TOPIC_TEXTS, *_TOPIC_NOTES))


def is_topics(source: Source) -> bool:
    """Whether it begins like markup and has a topic."""
    return (
        _BEGINS_LIKE_MARKUP.match(source.head) is not None
        and _TOPIC.search(source.head) is not None
    )


def read_topics(source: Source) -> list[Query]:
    """Read the topics.

    Raises:
        FileError: a topic lacks an id or a text or never ends, or two of one id have different texts.
    """
    never_ends = "the topic that begins here never ends; is it truncated?"
    queries = (
        (
            _topic_query(attributes, content, line) if ends else never_ends,
            Place(line=line),
        )
        for line, attributes, content, ends in _topics(
            _without_markup_of_xml(source.text)
        )
    )
    none = (
        "the file has no topics: <top> ... </top>, or <topic number=...> ... </topic>"
    )
    return distinct(source, queries) or source.refuse(none)


def _without_markup_of_xml(text: str) -> str:
    """The text without comments and with the content of CDATA, each line where it was."""
    text = _CDATA.sub(
        lambda found: found[1].replace("&", "&amp;").replace("<", "&lt;"), text
    )
    return _UNREAD.sub(lambda found: "\n" * found[0].count("\n"), text)


def _topics(text: str) -> Iterator[tuple[int, str, str, bool]]:
    """The line in which each topic begins, its attributes, its content, and whether it ends."""
    line, counted = 1, 0
    for topic in _TOPIC.finditer(text):
        line += text.count("\n", counted, topic.start())
        counted = topic.start()
        yield line, topic[2] or "", topic[3], bool(topic[4])


def _topic_query(attributes: str, content: str, line: int) -> Query | str:
    """A topic as a query, or what is wrong with it."""
    named = {
        name.lower().replace("-", "_"): first or second
        for name, first, second in _ATTRIBUTE.findall(attributes)
    }
    elements, rest = _elements(content)
    key = next(
        filter(
            None,
            (holder.get(name) for holder in (elements, named) for name in _TOPIC_IDS),
        ),
        None,
    )
    texts = [name for name in _TOPIC_TEXTS if elements.get(name)]
    text = elements[texts[0]] if texts else rest
    if not key:
        return f"the topic has no id: an element <num>, or an attribute number or id; found {_shown(elements)}"
    if not text:
        return f"the topic {quoted(key)} has no text: an element {listed([f'<{name}>' for name in _TOPIC_TEXTS])}"
    note = next(
        (
            elements[name]
            for name in _TOPIC_NOTES
            if elements.get(name) and name not in texts[:1]
        ),
        None,
    )
    return Query(_plain(key), text, note=note, line=line)


def _elements(content: str) -> tuple[Mapping[str, str], str]:
    """The texts of the elements of a topic, the first of each name, and the text between them.

    An element without an end tag ends at the next one. Names are without their language: `EN-title` is `title`.
    """
    elements: dict[str, str] = {}
    between = []
    at = 0
    while (tag := _ELEMENT.search(content, at)) is not None:
        between.append(content[at : tag.start()])
        end = re.compile(rf"</{re.escape(tag[1])}\s*>").search(content, tag.end())
        stop = end.start() if end is not None else _next_field(content, tag.end())
        at = end.end() if end is not None else stop
        name = _element_name(tag)
        elements.setdefault(
            name, _plain(content[tag.end() : stop], _LABELS.get(name, ""))
        )
    return elements, _plain(" ".join([*between, content[at:]]))


def _element_name(tag: re.Match[str]) -> str:
    return tag[1].lower().rpartition("-")[2]


def _next_field(content: str, at: int) -> int:
    """The end of an element without an end tag: the next element that is not inline markup such as `<b>`."""
    for tag in _ELEMENT.finditer(content, at):
        begins_line = not content[
            content.rfind("\n", 0, tag.start()) + 1 : tag.start()
        ].strip()
        if begins_line or _element_name(tag) in _FIELDS:
            return tag.start()
    return len(content)


def _plain(text: str, label: str = "") -> str:
    """A value without its label, tags and entities, its white space as single spaces."""
    words = " ".join(
        _ENTITY.sub(lambda found: unescape(found[0]), _TAG.sub(" ", text)).split()
    )
    is_labelled = (
        bool(label) and re.match(rf"{label}\s*:", words, re.IGNORECASE) is not None
    )
    return words.partition(":")[2].strip() if is_labelled else words


def _shown(elements: Mapping[str, str]) -> str:
    return (
        listed([f"<{name}>" for name in elements], "and") if elements else "no element"
    )


TOPICS = JudgmentFormat(
    name="topics",
    about="TREC topics: <top> markup, or XML",
    fits_queries=is_topics,
    read_queries=read_topics,
)
